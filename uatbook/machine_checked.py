"""Which statements a proof assistant has checked, for all parameters: the theorems in `proofs/`."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import NamedTuple

__all__ = ["AXIOMS", "SIGNS", "SIZES", "STATES", "Theorem", "of", "theorems"]

STATES = {
    "proved": "proved for all parameters",
    "proved in part": "proved in part",
    "refuted as printed": "refuted as printed",
    "refuted in part": "refuted as printed, in part",
    "step refuted": "a step of the printed proof refuted",
}
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

    `differs` says how it differs from the printed text; "" if in nothing but that sizes are quantified.
    """

    statement: str
    state: str
    file: str
    name: str
    axioms: str
    differs: str = ""

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
    def page(self) -> str:
        """Where it is shown step by step, from a page beside: the page of its folder, at its name."""
        return f"steps-{self.source}.html#{self.anchor}"


@functools.cache
def theorems() -> tuple[Theorem, ...]:
    """All of them, in the order of the book."""
    text = Path(__file__).with_name("data").joinpath("machine-checked.toml").read_text(encoding="utf-8")
    return tuple(Theorem(**row) for row in tomllib.loads(text)["theorem"])


def of(id: str) -> list[Theorem]:
    """Those of a statement."""
    return [one for one in theorems() if one.statement == id]
