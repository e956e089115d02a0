"""What a teacher needs, read off the chapters and the folder `teaching`: goals, exercises, needs, syllabi, rubrics.

A goal is the sentence of a chapter that begins "After this page you can".
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _ext.course.editions import SOLUTION

GOAL = re.compile(
    r"\b(?:After (?:this page|this chapter|it)|By the end(?: of this page)?) you (?:can|will be able to) "
    r"(.+?)(?:[.:]$|\.(?= ))",
    re.MULTILINE,
)
BLOCK = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{exercise\} ?(?P<kind>[^\n]*)\n(?P<options>(?::[^\n]*\n)*)(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
LABEL = re.compile(r"^:label: (\S+)$", re.MULTILINE)
OPTIONS = re.compile(r"\A\S.*\n(?::.*\n)*")
KINDS = ("Predict", "Construct", "Break", "Prove", "Explore", "Turn round", "Open-ended")
OTHER = "others"


@dataclass(frozen=True)
class Found:
    """An exercise of a page."""

    page: str
    title: str
    text: str
    solution: str

    @property
    def kind(self) -> str:
        """The first of the words of its title that says what to do, where it is one of those."""
        return next((kind for kind in KINDS if self.title.startswith(kind)), OTHER)


def goal(text: str) -> str:
    """What a chapter says that one can do after it, in Markdown; nothing if it does not say it."""
    found = GOAL.search(text)
    return found[1] if found else ""


def exercises(root: Path) -> dict[str, Found]:
    """The exercises of all chapters and appendices, by their labels."""
    found = {}
    for path in sorted([*root.glob("chapters/*.md"), *root.glob("library/*.md")]):
        text = path.read_text(encoding="utf-8")
        solutions = {block[0].split("\n", 1)[0].split()[-1]: block[0] for block in SOLUTION.finditer(text)}
        for block in BLOCK.finditer(text):
            if label := LABEL.search(block["options"]):
                solution = OPTIONS.sub("", solutions.get(label[1], "")).rstrip("`:\n")
                page = path.relative_to(root).with_suffix("").as_posix()
                found[label[1]] = Found(page, block["kind"], block["text"].strip(), solution)
    return found


def needs(root: Path) -> dict[str, list[str]]:
    """Of each page of the book those that one should have read before it."""
    return toml(root / "teaching" / "needs.toml")


def course(root: Path, name: str) -> dict[str, Any]:
    """A syllabus: title, about, projects, and its weeks, each with the labels of its set."""
    folder = root / "teaching" / name
    found = toml(folder / "course.toml")
    for number, week in enumerate(found["weeks"], start=1):
        path = folder / f"{name}-week{number}.toml"
        week["set"] = path.relative_to(root).as_posix() if path.exists() else ""
        week["exercises"] = toml(path)["exercises"] if path.exists() else []
    return found


def questions(root: Path) -> dict[str, str]:
    """What the gallery asks about each explorer, "page/name"."""
    lines = (root / "explorers.md").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if re.match(r"[\w-]+/[\w-]+: ", line))


def rubrics(root: Path) -> dict[str, dict[str, Any]]:
    """Of each proof that is marked by hand its steps, and the slips with the step that each costs, 0 for none."""
    return toml(root / "teaching" / "proofs.toml")


def toml(path: Path) -> dict[str, Any]:
    """A file of the folder `teaching`."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
