"""What is recorded of the machine-checked proofs, and where each name of them stands on the pages *Step by step*."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from uatbook import machine_checked
from uatbook.machine_checked import Theorem
from uatbook.sources import SOURCES

PROOFS = Path(__file__).resolve().parents[2] / "proofs"
DEFINED = re.compile(
    r"(?:\(\*\*\s*((?:(?!\*\)).)*?)\s*\*\)\s*)?^(Definition|Fixpoint|Record|Inductive|CoInductive)\s+([\w']+)(.*?)\.$",
    re.DOTALL | re.MULTILINE,
)
IMPORTS = re.compile(r"From UAT(?:\.(\w+))? Require (?:Import|Export) ([\w\s]+?)\.$", re.MULTILINE)
NAME = re.compile(r"[A-Za-z][\w']{2,}")
"""What may be a link: what is shorter is a variable, too."""


@dataclass(frozen=True)
class Word:
    """A definition of the proofs."""

    file: str
    name: str
    kind: str
    said: str
    body: str

    @property
    def anchor(self) -> str:
        """Where it stands on a page."""
        return f"word-{Path(self.file).stem}-{self.name}".replace("_", "-").replace("'", "-")


def lemma_anchor(file: str, name: str) -> str:
    """Where a lemma stands on the page of its file."""
    return f"lemma-{Path(file).stem}-{name}".replace("_", "-").replace("'", "-")


@functools.cache
def record(file: str) -> dict[str, Any]:
    """What is recorded of a file of proofs."""
    kept = (PROOFS / file).with_suffix(".json")
    if not kept.exists():  # a new file, in a book that is built before it is recorded; a test tells
        return {"about": "", "proofs": []}
    found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return found


@functools.cache
def words(file: str) -> dict[str, Word]:
    """The definitions of a file, by name."""
    text = (PROOFS / file).read_text(encoding="utf-8")
    return {
        name: Word(file, name, kind, " ".join(said.split()), body.strip())
        for said, kind, name, body in DEFINED.findall(text)
    }


@functools.cache
def seen(file: str) -> tuple[str, ...]:
    """The files whose names it may use: itself, then what it imports, the last first."""
    text = (PROOFS / file).read_text(encoding="utf-8")
    found = [
        f"{folder}/{name}.v" if folder else f"{name}.v"
        for folder, names in IMPORTS.findall(text)
        for name in names.split()
    ]
    return (file, *(other for other in reversed(found) if (PROOFS / other).exists()))


def word(file: str, name: str) -> Word | None:
    """The definition that a name has in a file."""
    return next((words(other)[name] for other in seen(file) if name in words(other)), None)


@dataclass
class Page:
    """One source: its theorems, and what stands on its page."""

    source: str
    rows: list[Theorem] = field(init=False)
    shown: dict[str, set[str]] = field(init=False)
    defined: dict[str, Word] = field(init=False)

    def __post_init__(self) -> None:
        """Gather them."""
        self.rows = [row for row in machine_checked.theorems() if row.source == self.source]
        self.shown = {row.file: {one["name"] for one in lemmas(row.file)} for row in self.rows}
        self.defined = {}
        for row in self.rows:
            for one in (proof(row), *lemmas(row.file)):
                self._define(row.file, " ".join([*one["given"], one["statement"]]))

    def _define(self, file: str, term: str) -> None:
        """Add the definitions of a term's names, and those of theirs."""
        for name in NAME.findall(term):
            found = word(file, name)
            if found is not None and found.anchor not in self.defined:
                self.defined[found.anchor] = found
                self._define(found.file, found.body)

    def where(self, file: str, name: str) -> str | None:
        """The address of a name on this page or another one of the four."""
        if not NAME.fullmatch(name):
            return None
        if (found := word(file, name)) and found.anchor in defined():
            return f"steps-words.html#{found.anchor}"
        for other in seen(file):
            at = place_of(other, name)
            if at is not None:
                page, anchor = at
                return f"#{anchor}" if page == self.source else f"steps-{page}.html#{anchor}"
        return None


@functools.cache
def defined() -> dict[str, Word]:
    """The definitions of all pages, by their places."""
    return {anchor: one for source in SOURCES for anchor, one in Page(source).defined.items()}


@functools.cache
def place_of(file: str, name: str) -> tuple[str, str] | None:
    """Source and anchor of a theorem, or of a lemma that is shown."""
    for row in machine_checked.theorems():
        if row.file == file:
            page = row.source
            if row.name == name:
                return page, row.anchor
            if any(one["name"] == name for one in lemmas(file)):
                return page, lemma_anchor(file, name)
    return None


def proof(row: Theorem) -> dict[str, Any]:
    """The recorded proof of a theorem; where none is, its statement from the file."""
    for one in record(row.file)["proofs"]:
        if one["name"] == row.name:
            found: dict[str, Any] = one
            return found
    text = (PROOFS / row.file).read_text(encoding="utf-8")
    stated = re.search(rf"^(?:Theorem|Lemma|Corollary) {row.name}\b(.*?)\.\s+Proof", text, re.DOTALL | re.MULTILINE)
    return {"name": row.name, "said": "", "given": [], "statement": stated[1].strip() if stated else "", "steps": []}


@functools.cache
def lemmas(file: str) -> tuple[dict[str, Any], ...]:
    """Those of a file that are shown: what somebody said something about in English."""
    main = {row.name for row in machine_checked.theorems() if row.file == file}
    return tuple(
        one
        for one in record(file)["proofs"]
        if one["name"] not in main and (one["said"] or any(step["said"] for step in one["steps"]))
    )
