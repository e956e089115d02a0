"""The exercises of a week: a TOML file.

title = "Week 1: three steps"
exercises = ["start-diagonal", "context-invert"]
variants = "student"        # or "class", one variant for all; or "book", the book's numbers
install = "uatlib @ git+https://..."     # if notebooks are to install what they need: what pip is asked for

[points]                    # where an exercise is to count for other than a point a line of its rubric
context-invert = 5
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

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
    install: str = ""

    def seed(self, course: str, student: str) -> str:
        """The seed of a student's numbers."""
        student = unicodedata.normalize("NFC", student)  # some systems write an é in names of files as two signs
        return {"student": f"{course}:{student}", "class": course, "book": ""}[self.variants]

    def described(self) -> dict[str, Any]:
        """What a file says of the set, for TOML or JSON; `parsed` reads it."""
        return {
            "title": self.title,
            "exercises": [one.label for one in self.exercises],
            "variants": self.variants,
            "points": {label: float(value) for label, value in self.points.items()},
            **({"install": self.install} if self.install else {}),
        }


def read(path: str | Path) -> ExerciseSet:
    """The set that a file describes.

    ValueError if it cannot be read, or names another thing than `title`, `exercises`, `variants`, `points`, `install`,
    or an exercise that does not judge itself, or twice the same.
    """
    file = checks.path("set", path)
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise refused("set", "a file", f"{path} ({error.strerror})") from None
    except (UnicodeError, tomllib.TOMLDecodeError) as error:
        raise refused("set", "a TOML file with `title` and `exercises`", f"{path} ({error})") from None
    return parsed(found, file.stem, file.name)


def parsed(found: Mapping[str, Any], title: str = "", name: str = "set") -> ExerciseSet:
    """The set that a file called `name` describes, with a title if the file has none; ValueError as of `read`."""
    known = ("title", "exercises", "variants", "points", "install")
    if other := [key for key in found if key not in known]:
        raise refused(name, f"no other names than {', '.join(known)}", ", ".join(other))
    named = checks.listed("exercises", found.get("exercises", ()), 'labels such as "start-diagonal"')
    exercises = tuple(get(label) for label in named)
    labels = [one.label for one in exercises]
    if not exercises or len({*labels}) < len(labels):
        raise refused("exercises", "labels, each once", named)
    points = {get(label).label: value for label, value in checks.mapping("points", found.get("points", {})).items()}
    if other := [label for label in points if label not in labels]:
        raise refused("points", "labels that are among the exercises", ", ".join(other))
    return ExerciseSet(
        checks.text("title", found.get("title", title)),
        exercises,
        checks.choice("variants", found.get("variants", "student"), VARIANTS),
        {one.label: checks.positive("points", points.get(one.label, one.points)) for one in exercises},
        checks.text("install", found["install"]) if "install" in found else "",
    )
