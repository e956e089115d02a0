"""Which statements a proof assistant has checked, for all parameters: the theorems in `proofs/`."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["AXIOMS", "SIGNS", "SIZES", "STATES", "Theorem", "asked", "of", "theorems"]

STATES = {
    "proved": "proved for all parameters",
    "proved in part": "proved in part",
    "refuted as printed": "refuted as printed",
    "refuted in part": "refuted as printed, in part",
    "step refuted": "a step of the printed proof refuted",
}
PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    "yun2020": {"theorems": ("lem-4", "lem-9", "prop-5", "lem-6", "thm-2", "thm-3")},
    "kajitsuka2024": {"functions": ("cor-1", "cor-2", "prop-1")},
    "cheng2025": {"mixers": ("kernels-that-fail", "def-4", "cor-2", "depths", "directed", "convolution")},
}
"""Of sources with many proofs: what stands on a second page *Step by step*."""
SIZES = "checked at sizes"
"""What is said of a statement that no proof here is of."""
SIGNS = {
    "proved": "✓",
    "proved in part": "(✓)",
    "refuted as printed": "✗",
    "refuted in part": "(✗)",
    "step refuted": "✗",
    SIZES: "○",
}
"""A sign for each state: no colour tells what it does not."""
AXIOMS = {"none": "no axiom", "classical": "the axioms of classical mathematics"}
"""Of the latter there are three: propositions that imply each other are equal, so are functions with equal values, and
of what exists one can be chosen."""


class Theorem(NamedTuple):
    """A theorem of `proofs/`: the statement it is, what became of it, file and name, the axioms it leans on.

    `differs` says how it differs from the printed text; "" if in nothing but that sizes are quantified. `heading` tells
    it from others of its statement; `way` says how its proof goes beside that of the chapter, where lines that begin
    with "- " are a list, and [words](chapters/page#label) is a link. `picture` names one of `thin_sets`.
    """

    statement: str
    state: str
    file: str
    name: str
    axioms: str
    differs: str = ""
    heading: str = ""
    way: str = ""
    picture: str = ""

    @property
    def rocq(self) -> str:
        """Its name in Rocq, within our folder."""
        return f"{self.file.removesuffix('.v').replace('/', '.')}.{self.name}"

    @property
    def source(self) -> str:
        """The source whose folder holds it."""
        return self.file.partition("/")[0]

    @property
    def anchor(self) -> str:
        """Its place on the page of its source."""
        return f"steps-{self.name}".replace("_", "-")

    @property
    def place(self) -> str:
        """The page that shows it step by step."""
        end = self.statement.partition(":")[2]
        parts = [f"-{part}" for part, ends in PARTS.get(self.source, {}).items() if end in ends]
        return "".join([f"steps-{self.source}", *parts])

    @property
    def page(self) -> str:
        """Where it is shown step by step, from a page beside: the address of its place, at its name."""
        return f"{self.place}.html#{self.anchor}"


@functools.cache
def table() -> dict[str, Any]:
    """What the file says, as it stands there."""
    return tomllib.loads(Path(__file__).with_name("data").joinpath("machine-checked.toml").read_text(encoding="utf-8"))


@functools.cache
def theorems() -> tuple[Theorem, ...]:
    """All of them, in the order of the book."""
    return tuple(Theorem(**row) for row in table()["theorem"])


def asked() -> dict[str, tuple[str, ...]]:
    """In English, what facts ask for that say so much: by the first word of what they say."""
    return {row["before"]: tuple(row["words"]) for row in table()["asked"]}


def of(id: str) -> list[Theorem]:
    """Those of a statement."""
    return [one for one in theorems() if one.statement == id]
