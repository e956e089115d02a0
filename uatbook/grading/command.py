"""`python -m uatlib grade` and `python -m uatlib release`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from . import feedback_page, grades, release, sets, students, submissions

PROMISE = (
    "Submissions run in processes of their own, within limits of time and memory, and answers are compared elsewhere. "
    "That keeps mistakes and tricks out of the grades. It does not protect the machine from code that means harm: it "
    "runs as you. Use a container, or an account of its own. And who reads the sources of this project finds how "
    "answers are computed, for any numbers."
)


CLASS = "a name a line; or of kind .csv, with heads, whose first column names students"


def grade(arguments: Sequence[str]) -> int:
    """Grade a folder of submissions.

    0, or 2 for bad usage.
    """
    parser = argparse.ArgumentParser(
        "python -m uatlib grade", description="Grade a folder of submissions.", epilog=PROMISE
    )
    parser.add_argument("folder", type=Path, help="NAME.ipynb, NAME.py or NAME.json of each student, or a folder NAME")
    _common(parser)
    parser.add_argument("--students", metavar="FILE", help=f"{CLASS}: files are found to be theirs, a row for each")
    parser.add_argument("--out", type=Path, required=True, metavar="CSV", help="the table of points to write")
    parser.add_argument("--feedback", type=Path, metavar="DIR", help="write a page for each student into this folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="submissions side by side (%(default)s)")
    parser.add_argument(
        "--time", type=float, default=5.0, metavar="S", help="seconds of a cell or an answer (%(default)s)"
    )
    given = parser.parse_args(arguments)

    def work() -> str:
        if given.jobs < 1 or not 0 < given.time <= 3600:
            raise ValueError("expected --jobs of at least 1 and --time between 0 and 3600 seconds.")
        asked, word = sets.read(given.set), students.course_word(given.seed)
        known = students.read(given.students) if given.students else None
        whose, told = students.attributed(submissions.read(given.folder), asked, word, known)
        # What cannot be written is told before the work, not after.
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.open("a", encoding="utf-8").close()
        if given.feedback:
            given.feedback.mkdir(parents=True, exist_ok=True)
        graded = grades.grade(whose, asked, word, jobs=given.jobs, seconds=given.time)
        given.out.write_text(grades.table(graded, asked, known), encoding="utf-8-sig")  # spreadsheets ask for the mark
        for one in graded if given.feedback else ():
            page = feedback_page.page(one, asked)
            file = given.feedback / f"{students.file_name(one.student)}.html"
            file.write_text(page, encoding="utf-8", errors="replace")
        mean = float(sum(one.total for one in graded) / len(graded))
        most = float(sum(asked.points.values()))
        none = [one.student for one in graded if not whose[one.student]]
        told += [f"nothing from {', '.join(none)}"] * bool(none)
        said = f"{_counted(len(graded), 'student')}, {mean:.2f} of {most:g} points on average: {given.out}"
        return "\n".join([*told, said])

    return _done(parser, work)


def hand_out(arguments: Sequence[str]) -> int:
    """Write the notebooks of a set of exercises.

    0, or 2 for bad usage.
    """
    parser = argparse.ArgumentParser(
        "python -m uatlib release", description="Write the notebooks of a set of exercises."
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
            given.answers.write_text(release.answers(asked, word, names), encoding="utf-8-sig")
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
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0
