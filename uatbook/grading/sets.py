"""The exercises of a week: a TOML file.

title = "Week 1: three steps"
exercises = ["ex-start-diagonal", "ex-context-invert"]
variants = "student"        # or "class", one variant for all; or "book", the book's numbers

[points]                    # where an exercise is to count for other than a point a line of its rubric
ex-context-invert = 5
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from uatlib import checks
from uatlib.checks import refused

from ..exercises import Exercise, get

VARIANTS = ("student", "class", "book")


@dataclass(frozen=True)
class ExerciseSet:
    """A title, exercises in their order, whose numbers they have, and what each counts for."""

    title: str
    exercises: tuple[Exercise, ...]
    variants: str
    points: Mapping[str, Fraction]

    def seed(self, course: str, student: str) -> str:
        """The seed of a student's numbers."""
        student = unicodedata.normalize("NFC", student)  # some systems write an é in names of files as two signs
        return {"student": f"{course}:{student}", "class": course, "book": ""}[self.variants]


def read(path: str | Path) -> ExerciseSet:
    """The set that a file describes.

    ValueError if it cannot be read, or names another thing than `title`, `exercises`, `variants`, `points`; or an
    exercise that does not judge itself, or twice the same.
    """
    file = checks.path("set", path)
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise refused("set", "a TOML file with `title` and `exercises`", f"{path} ({error})") from None
    known = ("title", "exercises", "variants", "points")
    if other := [name for name in found if name not in known]:
        raise refused(f"{file.name}", f"no other names than {', '.join(known)}", ", ".join(other))
    labels = checks.listed("exercises", found.get("exercises", ()), 'labels such as "ex-start-diagonal"')
    exercises = tuple(get(label) for label in labels)
    if not exercises or len({*labels}) < len(labels):
        raise refused("exercises", "labels, each once", labels)
    points = checks.mapping("points", found.get("points", {}))
    if other := [name for name in points if name not in labels]:
        raise refused("points", "labels that are among the exercises", ", ".join(other))
    return ExerciseSet(
        checks.text("title", found.get("title", file.stem)),
        exercises,
        checks.choice("variants", found.get("variants", "student"), VARIANTS),
        {one.label: checks.positive("points", points.get(one.label, one.points)) for one in exercises},
    )
