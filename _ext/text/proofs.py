"""What is recorded of the machine-checked proofs, and where each name of them stands on the pages *Step by step*."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _ext.text.rocq import argument
from uatbook import machine_checked
from uatbook.headings import statement_name
from uatbook.machine_checked import Theorem
from uatbook.sources import SOURCES

PROOFS = Path(__file__).resolve().parents[2] / "proofs"
DEFINED = re.compile(
    r"(?:\(\*\*\s*((?:(?!\*\)).)*?)\s*\*\)\s*)?^(Definition|Fixpoint|Record|Inductive|CoInductive)\s+([\w']+)(.*?)\.$",
    re.DOTALL | re.MULTILINE,
)
IMPORTS = re.compile(r"From UAT(?:\.(\w+))? Require (Import|Export) ([\w\s]+?)\.$", re.MULTILINE)
VARIABLE = re.compile(r"(?<![\w.'\\])[A-Za-z_][\w']*")
SIZED = re.compile(r"'[A-Za-z]+(?:\[\w+\])?_")
"""Of the type 'I_n all but its size."""
BINDS = re.compile(r"(?:\b(?:forall|exists2?|fun|let)\b|_\()\s*\(?((?:[\w']+[ ,]*)+)|\(((?:[\w']+ )+):")
SCOPE, KIND = re.compile(r"%\w+$"), re.compile(r" : [\w ]+$")
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
FIXED = re.compile(
    r"^(?:(Section|End) \w+|Variables? (.*?)|(?:Local )?Notation ([\w']+) := (.*?))\.$", re.DOTALL | re.MULTILINE
)
GROUP = re.compile(r"\(([^():]+) : ((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")
"""Variables of one kind, in brackets."""
NAME = re.compile(r"[A-Za-z][\w']{2,}")
"""What is a link wherever it stands: what is shorter is a variable, too, unless Rocq says what it is."""
QUALIFIED = re.compile(r"(?<![\w.'])(?:[A-Za-z_]\w*\.)*[A-Za-z_][\w']*")
WORDS = Path(machine_checked.__file__).with_name("data") / "proof-words.json"
"""Which definition each word of a statement is, says Rocq; `python proofs/uses.py` writes it."""
TYPES = {"Record", "Inductive", "CoInductive"}
COMMANDS = {"first", "last", "have", "suff", "move", "apply", "exact", "rewrite", "split", "left", "right", "exists"}
COMMANDS |= {"case", "elim", "congr", "pose", "set", "wlog", "under", "over", "done"}
"""Commands are no names of lemmas."""
SHORT = 2
"""Lines of a theorem's proof up to which its lemmas are shown with theirs: else they are for who reads the file."""


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
def vocabulary() -> frozenset[str]:
    """The words in which the proofs are told: what stands in their comments, but for terms."""
    told = (one for row in machine_checked.theorems() for one in record(row.file)["proofs"])
    said = " ".join(text for one in told for text in (one["said"], *(step["said"] for step in one["steps"])))
    return frozenset(re.findall(r"(?<![\w\\'])[a-z]+(?![\w'])", re.sub(r"\[[^\[\]]*\]", "", said)))


@functools.cache
def words(file: str) -> dict[str, Word]:
    """The definitions of a file, by name; a title of a part says nothing of the first one."""
    text = (PROOFS / file).read_text(encoding="utf-8")
    return {
        name: Word(file, name, kind, "" if said.startswith("** ") else " ".join(said.split()), body.strip())
        for said, kind, name, body in DEFINED.findall(text)
    }


@functools.cache
def imports(file: str) -> tuple[tuple[str, bool], ...]:
    """Our files that it imports, in their order, and whether it hands on their names."""
    text = (PROOFS / file).read_text(encoding="utf-8")
    named = [(folder, name, kind) for folder, kind, names in IMPORTS.findall(text) for name in names.split()]
    found = [(f"{folder}/{name}.v" if folder else f"{name}.v", kind == "Export") for folder, name, kind in named]
    return tuple(one for one in found if (PROOFS / one[0]).exists())


def handed(file: str) -> list[str]:
    """A file, and those whose names come with it."""
    return [file, *(name for other, on in reversed(imports(file)) if on for name in handed(other))]


@functools.cache
def heading(file: str) -> str:
    """The title of a file, without the source."""
    text = (PROOFS / file).read_text(encoding="utf-8")
    found = re.match(r"\(\*\* \* (.*?)(?:\n\s*\n|\s*\*\))", text, re.DOTALL)
    said = re.sub(
        r"^(?:Yun|Kajitsuka|Liu|Cheng) [^()]*\(\d{4}\)(?:, |: )?",
        "",
        " ".join(found[1].split()) if found else Path(file).stem,
    )
    return said[:1].upper() + said[1:]


@functools.cache
def seen(file: str) -> tuple[str, ...]:
    """The files whose names it may use: itself, then what it imports, the last first."""
    return tuple(dict.fromkeys([file, *(name for other, _ in reversed(imports(file)) for name in handed(other))]))


@functools.cache
def told() -> dict[str, dict[str, str]]:
    """What Rocq says of words, by file and name, as it is written."""
    found: dict[str, dict[str, str]] = json.loads(WORDS.read_text(encoding="utf-8"))["words"]
    return found


@functools.cache
def spelled(file: str, name: str = "") -> dict[str, str]:
    """Of a statement or definition, or with no name of a file's variables, which of ours each word of it is."""
    pairs = [one.rpartition("=") for one in told().get(file, {}).get(name, "").split()]
    return {word or what.rpartition(".")[2]: what for word, _, what in pairs}


@functools.cache
def given(file: str) -> dict[str, str]:
    """Of what a file fixes, variables and abbreviations; but for letters, which a statement may bind."""
    fixed = (name for name in told().get(file, {}) if name not in words(file) and name not in proved(file))
    return {word: what for name in fixed for word, what in spelled(file, name).items() if NAME.fullmatch(word)}


@functools.cache
def written(file: str) -> dict[str, str]:
    """The same of all of a file; a word that is now this and now that is left out."""
    found, several = dict[str, str](), set[str]()
    for name in told().get(file, {}):
        several |= {word for word, what in spelled(file, name).items() if found.setdefault(word, what) != what}
    return {word: what for word, what in found.items() if word not in several}


def place_of(what: str) -> tuple[str, str]:
    """The file and the name of what Rocq calls liu2025.grid.centre."""
    module, _, name = what.rpartition(".")
    return f"{module.replace('.', '/')}.v", name


def meanings(what: str) -> Iterator[Word]:
    """The definition that this is: what is a part of a type is the type, of an abbreviation all that it names."""
    file, name = place_of(what)
    if name in words(file):
        yield words(file)[name]
        return
    part = re.compile(rf"(?<![\w'.]){re.escape(name)}(?![\w'])")
    types = [one for one in words(file).values() if one.kind in TYPES and part.search(one.body)]
    yield from types[:1]
    for other in spelled(file, name).values() if not types else ():
        yield from meanings(other)


def word(file: str, name: str, owner: str | None = None) -> Word | None:
    """The definition that a name is in a file; with an owner in this statement or definition, as Rocq says.

    Elsewhere, as in goals, a name is what it is in all statements of the file, or what is imported last under it.
    """
    known = written(file) if owner is None else {**given(file), **spelled(file, owner)}
    if name in known:
        return next((one for one in meanings(known[name]) if one.name == name.rpartition(".")[2]), None)
    module, _, last = name.rpartition(".")
    if owner is not None or not NAME.fullmatch(last):
        return None
    files = [other for other in seen(file) if module in ("", Path(other).stem)]
    return next((words(other)[last] for other in files if last in words(other)), None)


@functools.cache
def fixed(file: str, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """What is fixed where a file gives a name: the variables of its sections, each with its kind, and abbreviations."""
    text = COMMENT.sub("", (PROOFS / file).read_text(encoding="utf-8"))
    end = re.search(rf"^(?:#\[\w+\] )?\w+ {re.escape(name)}(?![\w'])", text, re.MULTILINE)
    open_now: list[tuple[dict[str, str], dict[str, str]]] = [({}, {})]
    for sign, given, short, long in FIXED.findall(text[: end.start() if end else 0]):
        variables, notations = open_now[-1]
        if sign == "Section":
            open_now.append(({**variables}, {**notations}))
        elif sign:
            open_now.pop()
        elif short:
            notations[short] = long
        else:
            groups = [(names, kind) for names, kind in GROUP.findall(given)] or [tuple(given.split(" : ", 1))]
            variables |= {one: " ".join(kind.split()) for names, kind in groups for one in names.split()}
    return open_now[-1]


def used(term: str, file: str, name: str) -> Iterator[str]:
    """What a term speaks of that is fixed where its file gives the name, as `N : nat` and `D := N ^ d`."""
    variables, short = fixed(file, name)
    todo, found = [term], {"R"}  # a field, everywhere
    while todo:
        for word in VARIABLE.findall(SIZED.sub(" ", todo.pop())):
            if word in found or word not in {*variables, *short}:
                continue
            found.add(word)
            long = SCOPE.sub("", short.get(word, ""))
            inner, end = argument(long, 0)
            long = KIND.sub("", inner if long.startswith("(") and end == len(long) else long)
            if not long:
                todo.append(variables[word])
                yield f"{word} : {variables[word]}"
            elif not re.match(rf"@?{re.escape(word)}(?![\w'])", long):  # a word whose first arguments are left out
                todo.append(long)
                yield f"{word} := {long}"


def free(one: Word) -> list[str]:
    """The same of a definition: what it takes, and what it binds, is its own."""
    takes, _, body = one.body.partition(":=")
    own = {word for names, _ in GROUP.findall(takes) for word in names.split()}
    own |= {*GROUP.sub("", takes).partition(" : ")[0].split()}
    own |= {word for names in BINDS.findall(body) for word in re.split("[ ,]+", " ".join(names))}
    kinds: dict[str, list[str]] = {}
    for fact in used(one.body, one.file, one.name):
        name, _, kind = fact.partition(" : ")
        if name.partition(" :")[0] not in own:
            kinds.setdefault(kind or fact, []).append(name)
    return [f"{', '.join(names)} : {kind}" if " := " not in kind else kind for kind, names in kinds.items()]


@dataclass
class Page:
    """One source: its theorems, what stands on its page, and which signs it has explained."""

    source: str
    signs: set[str] = field(default_factory=set)
    rows: list[Theorem] = field(init=False)
    defined: dict[str, Word] = field(init=False)

    def __post_init__(self) -> None:
        """Gather them."""
        self.rows = [row for row in machine_checked.theorems() if row.source == self.source]
        self.defined = {}
        for row in self.rows:
            self._define(row.file, row.name, proof(row))
        for file, name in sorted(called()):
            if page_of(file) == self.source:
                self._define(file, name, proved(file)[name])

    def _define(self, file: str, name: str, one: dict[str, Any]) -> None:
        """Add the definitions of the words of a statement, of what is given, of goals, and those of theirs."""
        terms = [*one["given"], *used(stated(one), file, name)]
        terms += [term for step in one["steps"] for line in step["lines"] for term in (*line[1], line[2] or "")]
        names = {name for term in terms for name in QUALIFIED.findall(uncommented(term))} - taken(file, name)
        found = [word(file, each) for each in sorted(names)]
        self._add(*(each for what in spelled(file, name).values() for each in meanings(what)), *filter(None, found))

    def _add(self, *several: Word) -> None:
        """Add definitions, and those of the words of each."""
        for one in several:
            if one.anchor not in self.defined:
                self.defined[one.anchor] = one
                facts = [word(one.file, name) for fact in free(one) for name in QUALIFIED.findall(fact)]
                own = [each for what in spelled(one.file, one.name).values() for each in meanings(what)]
                self._add(*own, *filter(None, facts))

    def says(self, file: str, owner: str, name: str) -> str | None:
        """The address of a name in a statement or definition: it is what Rocq says, or no word of ours."""
        found = word(file, name, owner)
        return f"steps-words.html#{found.anchor}" if found and found.anchor in defined() else None

    def where(self, file: str, owner: str, name: str) -> str | None:
        """The address of a name in a proof: of a word, or a lemma."""
        if known := self.says(file, owner, name):
            return known
        found = None if name in taken(file, owner) else word(file, name)
        if found and found.anchor in defined():
            return f"steps-words.html#{found.anchor}"
        ours = lemma(file, name) if NAME.fullmatch(name) else None
        return None if ours is None else address(*ours)


@functools.cache
def defined() -> dict[str, Word]:
    """The definitions of all pages, by their places."""
    return {anchor: one for source in SOURCES for anchor, one in Page(source).defined.items()}


@functools.cache
def taken(file: str, owner: str) -> frozenset[str]:
    """The names that a proof binds: a variable may be called as a definition is."""
    one = proved(file).get(owner)
    if one is None:
        return frozenset()
    terms = [stated(one), *(str(line[2]) for step in one["steps"] for line in step["lines"])]
    names = (name for term in terms for several in BINDS.findall(term) for name in re.split("[ ,]+", " ".join(several)))
    return bound(one) | frozenset(names)


def uncommented(term: str) -> str:
    """Without what a comment says in it: that is English."""
    return COMMENT.sub("", term)


def stated(one: dict[str, Any]) -> str:
    """What a theorem is given and says, as one text."""
    return uncommented(" ".join([*one["given"], one["statement"]]))


def page_of(file: str) -> str:
    """The source on whose pages the lemmas of a file are: what all share is the first one's."""
    folder = file.partition("/")[0]
    return folder if folder in SOURCES else next(iter(SOURCES))


@functools.cache
def theorem(file: str, name: str) -> Theorem | None:
    """The row of the table that a name of a file is."""
    return next((row for row in machine_checked.theorems() if (row.file, row.name) == (file, name)), None)


@functools.cache
def proved(file: str) -> dict[str, dict[str, Any]]:
    """What is recorded of a file, by name."""
    return {one["name"]: one for one in record(file)["proofs"]}


def lemma(file: str, name: str) -> tuple[str, str] | None:
    """The lemma or theorem of ours that a name is in a file: where it is proved, and its name there."""
    if name in COMMANDS:
        return None
    return next(((other, name) for other in seen(file) if name in proved(other)), None)


def address(file: str, name: str) -> str | None:
    """The address of a theorem of ours, or of a lemma that some line calls."""
    if row := theorem(file, name):
        return row.page
    return f"lemmas-{page_of(file)}.html#{lemma_anchor(file, name)}" if (file, name) in called() else None


def bound(one: dict[str, Any]) -> frozenset[str]:
    """The names of facts and variables that the lines of a proof give."""
    new = (fact.partition(" : ")[0] for step in one["steps"] for line in step["lines"] for fact in line[1])
    return frozenset(name for names in new for name in re.findall(r"[A-Za-z_][\w']*", names))


def names(one: dict[str, Any]) -> Iterator[str]:
    """The names in the lines of a proof that are not its own."""
    lines, own = [line for step in one["steps"] for line in step["lines"]], bound(one)
    yield from (name for line in lines for name in NAME.findall(line[0]) if name not in own)


def own_lines(file: str) -> int:
    """The lines of the proofs of a file's theorems, without those of its lemmas."""
    rows = [row for row in machine_checked.theorems() if row.file == file]
    return sum(len(step["lines"]) for row in rows for step in proof(row)["steps"])


@functools.cache
def called() -> frozenset[tuple[str, str]]:
    """The lemmas that have a place: those of which somebody said something, and what the lines that are shown call."""
    files = dict.fromkeys(row.file for row in machine_checked.theorems())
    shown = [(row.file, proof(row)) for row in machine_checked.theorems()]
    shown += [(file, one) for file in files if own_lines(file) <= SHORT for one in lemmas(file)]
    found = {lemma(file, name) for file, one in shown for name in names(one)}
    found |= {(file, one["name"]) for file in files for one in lemmas(file)}
    return frozenset(one for one in found if one is not None and theorem(*one) is None)


def title(row: Theorem) -> str:
    """Its number, and what says which of several it is: Theorem 2, in the distance d_p."""
    number, more = statement_name(row.statement), row.heading
    return (number + ("" if more[:1] in {"", ":"} else ", ") + more) if number else more


def proof(row: Theorem) -> dict[str, Any]:
    """The recorded proof of a theorem; where none is, its statement from the file."""
    if found := proved(row.file).get(row.name):
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
