"""Who a class is, and whose submission is whose: by names of files, by a class list, by what a notebook says itself."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from uatlib import checks
from uatlib.checks import refused

from .sets import ExerciseSet
from .submissions import Submission

UNFIT = re.compile(r'[<>:"/\\|?*]')
"""Signs that some system has in no name of a file."""
LONGEST = 100


@dataclass(frozen=True)
class ClassList:
    """The names of a class, and by name what else its list has in columns of these heads."""

    heads: Sequence[str]
    rows: Mapping[str, Sequence[str]]


def read(path: str | Path) -> ClassList:
    """A class from a file: a name a line; or of kind .csv, a row of heads, and rows that begin with a name.

    ValueError if it cannot be read or holds none, or a name is too long, or two are one, as names or as names of files.
    """
    file = checks.path("students", path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise refused("students", "a text file in UTF-8 with a name a line", f"{path} ({error})") from None
    lines = list(csv.reader(text.splitlines())) if file.suffix.lower() == ".csv" else []
    heads, *table = lines or [["student"], *([line] for line in text.splitlines())]
    found: dict[str, Sequence[str]] = {}
    for number, row in enumerate(table, 2 if lines else 1):
        name = _clean(row[0]) if row else ""
        if not name:
            continue
        if not name.isprintable() or len(name) > LONGEST or name in found:
            raise refused("students", f"names of up to {LONGEST} signs, each once", f"line {number}, {name}")
        found[name] = [*row[1:], *[""] * len(heads)][: len(heads) - 1]
    if not found:
        raise refused("students", "a name a line", f"none in {path}")
    if len({file_name(name) for name in found}) < len(found):
        raise refused("students", "names that differ as names of files, where / and the like become _", f"{path}")
    return ClassList(heads, found)


def file_name(student: str) -> str:
    """A name that a file may have on every system."""
    return UNFIT.sub("_", _clean(student)).strip(". ") or "_"


def course_word(seed: str) -> str:
    """The word from which a course draws its numbers. ValueError if it is empty or holds a colon."""
    word = seed.strip()
    if not word or ":" in word or not word.isprintable():
        raise refused("seed", "a word for the course, without a colon", seed)
    return word


def attributed(
    found: Iterable[Submission], asked: ExerciseSet, course: str, known: ClassList | None
) -> tuple[dict[str, list[Submission]], list[str]]:
    """By student the submissions, students of the list without any included; and what the teacher should know.

    A name of a file or folder counts first, where it is that of a student of the list, or holds it; then the seed that
    a notebook has; then the name of the file, whoever that is. ValueError if no notebook is of this course.
    """
    every = [*found]
    words = {seed.partition(":")[0] for one in every for seed in one.seeds}
    if asked.variants != "book" and words and course not in words:
        raise refused("seed", " or ".join(sorted(words)) + ", as the notebooks say", course)
    whose: dict[str, list[Submission]] = {name: [] for name in known.rows} if known else {}
    told = []
    for one in every:
        name, note = _student(one, course, known)
        told += [note] * bool(note)
        _strange(one, asked, course, name)
        one.student = name
        whose.setdefault(name, []).append(one)
    told += [
        f"{name}: {len(files)} files; of each exercise the better answer counts"
        for name, files in whose.items()
        if len(files) > 1
    ]
    return whose, told


def _student(one: Submission, course: str, known: ClassList | None) -> tuple[str, str]:
    """Whose it is, and what should be said of how that was found."""
    entry = _clean(one.entry)
    says = {_clean(seed.partition(":")[2]) for seed in one.seeds if seed.startswith(f"{course}:")}
    own = next(iter(says)) if len(says) == 1 else ""
    if known is None:
        differs = own and file_name(own) != file_name(entry)
        return (own, f"{one.entry}: taken as {own}, as its seed says") if differs else (own or entry, "")
    by_file = {file_name(name): name for name in known.rows}
    if file_name(entry) in by_file:
        return by_file[file_name(entry)], ""
    within = [
        name
        for name in known.rows
        if re.search(rf"(?<![^\W_]){re.escape(file_name(name))}(?![^\W_])", file_name(entry))
    ]
    longest = max(within, key=len, default="")
    if longest and all(name in longest for name in within):
        return longest, f"{one.entry}: taken as {longest}, whose name it holds"
    if own in known.rows:
        return own, f"{one.entry}: taken as {own}, as its seed says"
    return entry, f"{one.entry}: nobody of the class list"


def _strange(one: Submission, asked: ExerciseSet, course: str, name: str) -> None:
    """Say in a submission what its numbers have to do with others than this student's."""
    if asked.variants != "book" and any(seed != asked.seed(course, name) for seed in map(_clean, one.seeds)):
        other = ", ".join(sorted(one.seeds))
        one.problems.append(f"Its seed is {other}, so that answers may be to numbers of somebody else.")
    if asked.variants != "book" and one.answers:
        varied = {found.label for found in asked.exercises if any(len(values) > 1 for values in found.varies.values())}
        if dropped := varied & {*one.answers}:
            one.answers = {label: value for label, value in one.answers.items() if label not in dropped}
            one.problems.append(
                f"{one.entry} answers the book's numbers, and this set has others: {len(dropped)} left out."
            )


def _clean(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip()
