"""`python -m uatlib grade` and `python -m uatlib release`."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from uatlib import checks
from uatlib.internal import writing

from . import feedback_page, grades, release, sandbox, sets, students, submissions
from .kept import Kept

PROMISE = """Each submission runs alone, in a sandbox of bubblewrap: it sees no other submission, no grade and no
judge, reaches no network and no other process, writes into memory that goes with it, and has limits of time, memory,
processes and files. So it changes no grade but its own. What is done is kept beside the table, in CSV.done: a run that
was ended goes on from there. Where no sandbox can be made, nothing begins without --unconfined. And who reads the
sources of this project finds how answers are computed, for any numbers."""
UNCONFINED = (
    "without a sandbox code of a submission can read others, the judges and your files, change or end the grading of "
    "others, change what is installed, and reach the network"
)
GRADE = "python -m uatlib grade collected --set week1.toml --seed haifa-2027 --students class.txt --out grades.csv"
RELEASE = "python -m uatlib release --set week1.toml --seed haifa-2027 --students class.txt --out week1"


CLASS = "a name a line; or a table as systems export it, of kind .csv, with heads"


def grade(arguments: Sequence[str]) -> int:
    """Grade a folder of submissions.

    0, or 2 for bad usage.
    """
    parser = argparse.ArgumentParser(
        "python -m uatlib grade", description=f"Grade a folder of submissions, for example: {GRADE}", epilog=PROMISE
    )
    parser.add_argument(
        "folder",
        type=Path,
        help="NAME.ipynb, NAME.py or NAME.json of each student, or a folder or zip NAME; or its zip",
    )
    _common(parser)
    parser.add_argument("--students", metavar="FILE", help=f"{CLASS}: files are found to be theirs, a row for each")
    parser.add_argument("--out", type=Path, required=True, metavar="CSV", help="the table of points to write")
    parser.add_argument("--feedback", type=Path, metavar="DIR", help="write a page for each student into this folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="submissions side by side (%(default)s)")
    parser.add_argument(
        "--time", type=float, default=5.0, metavar="S", help="seconds of a cell or an answer (%(default)s)"
    )
    parser.add_argument(
        "--most", type=float, default=300.0, metavar="S", help="seconds by the clock of a submission (%(default)s)"
    )
    parser.add_argument(
        "--unconfined", action="store_true", help=f"go on where the machine makes no sandbox: {UNCONFINED}"
    )
    given = parser.parse_args(arguments)

    def work() -> str:
        if given.jobs < 1 or not 0 < given.time <= 3600 or not 0 < given.most <= 86400:
            raise ValueError("expected --jobs of at least 1, --time up to 3600 seconds and --most up to 86400.")
        checks.installed("grading", "IPython", "nbformat")
        asked, word = sets.read(given.set), students.course_word(given.seed)
        known = students.read(given.students) if given.students else None
        whose, told = students.attributed(submissions.read(given.folder), asked, word, known)
        kept_by_systems = submissions.left_out(given.folder)
        told += [f"left out, as systems and programs keep them: {', '.join(kept_by_systems)}"] * bool(kept_by_systems)
        # What cannot be had or written is told before the work, not after.
        given.out.parent.mkdir(parents=True, exist_ok=True)
        hidden = [given.folder, given.out.parent, *filter(None, [given.feedback])]
        why = "" if given.unconfined else sandbox.refusal(hidden)
        if why:
            raise ValueError(f"no sandbox: {why}. Go on with --unconfined, if you may: {UNCONFINED}.")
        if given.out.is_dir():
            raise ValueError(f"--out: expected a file for the table, got the folder {given.out}.")
        if given.feedback:
            given.feedback.mkdir(parents=True, exist_ok=True)
        with contextlib.closing(Kept(given.out.with_name(given.out.name + ".done"))) as kept:
            told += [f"The run before was ended while it graded {name}." for name in kept.died]
            runs = grades.Runs(given.jobs, given.time, given.most, not given.unconfined, kept, hidden)
            graded = grades.grade(whose, asked, word, runs)
        writing.write(given.out, grades.table(graded, asked, known), "utf-8-sig")  # spreadsheets ask for the mark
        files = students.file_names(one.student for one in graded)
        for one in graded if given.feedback else ():
            page = feedback_page.page(one, asked)
            file = given.feedback / f"{files[one.student]}.html"
            writing.write(file, page.encode(errors="replace"))
        listed = [one for one in graded if known is None or one.student in known.rows]
        mean = float(sum(one.total for one in listed) / len(listed))
        most = float(sum(asked.points.values()))
        none = [one.student for one in graded if not whose[one.student]]
        told += [f"nothing from {', '.join(none)}"] * bool(none)
        said = f"{_counted(len(listed), 'student')}, {mean:.2f} of {most:g} points on average: {given.out}"
        return "\n".join(map(students.shown, [*told, said]))

    return _done(parser, work)


def hand_out(arguments: Sequence[str]) -> int:
    """Write the notebooks of a set of exercises.

    0, or 2 for bad usage.
    """
    parser = argparse.ArgumentParser(
        "python -m uatlib release", description=f"Write the notebooks of a set of exercises, for example: {RELEASE}"
    )
    _common(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write into")
    parser.add_argument("--students", metavar="FILE", help=f"{CLASS}; needed where each has own numbers")
    parser.add_argument("--format", choices=[*release.FORMATS], default="plain", help="what to write (%(default)s)")
    parser.add_argument("--answers", type=Path, metavar="CSV", help="also write a table of right answers, for yourself")
    given = parser.parse_args(arguments)

    def work() -> str:
        asked, word = sets.read(given.set), students.course_word(given.seed)
        names = [*students.read(given.students).rows] if given.students else []
        written = release.FORMATS[given.format](asked, word, names, given.out)
        if given.answers:
            given.answers.parent.mkdir(parents=True, exist_ok=True)
            writing.write(given.answers, release.answers(asked, word, names), "utf-8-sig")
        return f"{_counted(len(written), 'file')} in {given.out}"

    return _done(parser, work)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set", required=True, metavar="TOML", help="title, exercises, whose numbers: see *Teach with this book*"
    )
    parser.add_argument(
        "--seed", required=True, metavar="S", help="a word for the course, from which numbers are drawn"
    )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _done(parser: argparse.ArgumentParser, work: Callable[[], str]) -> int:
    try:
        print(work())
    except (OSError, ValueError, ModuleNotFoundError) as error:
        print(f"{parser.prog}: {students.shown(str(error))}", file=sys.stderr)
        return 2
    return 0
