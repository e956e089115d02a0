"""Record which theorem of the table leans on which, and on lemmas of which files.

    python proofs/uses.py

Rocq writes beside each compiled file (.glob) where each name in it comes from. A name is followed to what its own text
and proof name, through lemmas and definitions, as far as a theorem of the table, where the way ends. Written is
uatbook/data/proof-uses.json, with the hash of each file, so that the book is built without Rocq. A tactic that finds
its lemmas by itself (`auto`) names none, and what it found is not seen. Needs Rocq, and Python alone.

Beside it proof-words.json says which definition of ours each word of a statement or definition is: several may have
the same name, and the library has a `head`, too.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import check

from uatlib.internal.writing import write

RECORD = check.HERE.parent / "uatbook" / "data" / "proof-uses.json"
WORDS = RECORD.with_name("proof-words.json")
GIVEN = re.compile(r"(prf|def|ind|rec|var|abbrev|constr|proj) (\d+):\d+ (\S+) (\S+)$", re.MULTILINE)
NAMED = re.compile(r"R(\d+):\d+ UAT\.(\S+) \S+ (\S+) (?!lib|mod|sec)\w+$", re.MULTILINE)
WORD = re.compile(
    r"R(\d+):(\d+) UAT\.(\S+) \S+ ([^\s:]+)(?::\d+)? (?!lib|mod|sec|var|not|binder|thm)\w+$", re.MULTILINE
)
ASKED = re.compile(rb"^(?:Print|Check|About|Search|Locate)\b.*$", re.MULTILINE)
"""What is asked of Rocq is no part of a proof."""
PARTS = ("constr", "proj")
"""What a type gives besides itself: who names one names the other."""


def digests() -> dict[str, str]:
    """The hash of each file, its first signs."""
    return {file: check.digest(file)[:16] for file in check.sources()}


def named(module: str, source: bytes, text: str) -> tuple[dict[str, set[str]], set[str]]:
    """Of each name that a file gives, what its text names of ours; and which of them are lemmas.

    `text` is what Rocq writes of the source, with places in bytes.
    """
    asked = {place for found in ASKED.finditer(source) for place in range(*found.span())}
    at: list[tuple[int, bool, str]] = []
    kinds: dict[str, str] = {}
    for kind, place, section, name in GIVEN.findall(text):
        full = ".".join([module, *(part for part in (section, name) if part != "<>")])
        kinds[full] = kind
        at.append((int(place), False, full))
    at += [(int(place), True, f"{other}.{name}") for place, other, name in NAMED.findall(text)]
    at = [one for one in at if one[0] not in asked]
    found, here, whole = defaultdict[str, set[str]](set), "", ""
    for _, reference, name in sorted(at):
        if reference:
            found[here].add(name)
            continue
        here = name
        if kinds[name] in PARTS:
            found[name].add(whole)
            found[whole].add(name)
        else:
            whole = name
    return found, {name for name, kind in kinds.items() if kind == "prf"}


def meant(source: bytes, text: str) -> dict[str, dict[str, str]]:
    """Of each name that a file gives, and of "" for its variables, the words of its own sentence that are ours.

    Each as it is written, with what it is. A proof is none of it; what Rocq calls reached:18 is reached itself, in its
    own text. `text` is what Rocq writes of the source, as for `named`.
    """
    kinds = {int(place): (kind, name) for kind, place, _, name in GIVEN.findall(text)}
    said = {int(begin): (int(end) + 1, f"{module}.{name}") for begin, end, module, name in WORD.findall(text)}
    found, at = dict[str, dict[str, str]](), 0
    for gap, sentence in check.sentences(source.decode()):
        begin = at + len(gap.encode())
        at = begin + len(sentence.encode())
        given = [kinds[place] for place in range(begin, at) if place in kinds]
        if not given or re.match(r"(?:Proof|Qed)\b", sentence):
            continue
        name = "" if given[0][0] == "var" else given[0][1]
        for place in range(begin, at):
            if place in said:
                end, what = said[place]
                found.setdefault(name, {})[source[place:end].decode()] = what
    return found


def graph() -> tuple[dict[str, set[str]], set[str]]:
    """The same of all files, which are compiled."""
    names, lemmas = dict[str, set[str]](), set[str]()
    for file in check.sources():
        built = check.BUILT / file
        text = built.with_suffix(".glob").read_text(encoding="utf-8")
        found, proved = named(file.removesuffix(".v").replace("/", "."), built.read_bytes(), text)
        names |= found
        lemmas |= proved
    return names, lemmas


def words() -> dict[str, dict[str, str]]:
    """What `meant` says, by file, in short: a word whose name is as it is written is what it is, of another both."""
    found = dict[str, dict[str, str]]()
    for file in check.sources():
        built = check.BUILT / file
        said = meant(built.read_bytes(), built.with_suffix(".glob").read_text(encoding="utf-8"))
        for name, several in said.items():
            pairs = [what if word == what.rpartition(".")[2] else f"{word}={what}" for word, what in several.items()]
            found.setdefault(file, {})[name] = " ".join(sorted(pairs))
    return found


def reached(start: str, names: Mapping[str, set[str]], ends: set[str]) -> set[str]:
    """All that it leans on; what is among the ends is not followed."""
    seen, ahead = {start}, [start]
    while ahead:
        new = names.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new - ends
    return seen - {start}


def uses(theorems: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """By theorem the theorems that it leans on, and of how many lemmas of each file."""
    names, lemmas = graph()
    ends = {f"{check.module(one)}.{one.name}" for one in theorems}
    if lost := sorted(ends - lemmas):
        raise ValueError(f"expected theorems in what Rocq has written, got none of {', '.join(lost)}")
    found = {}
    for end in sorted(ends):
        below = reached(end, names, ends)
        files = Counter(name.rpartition(".")[0].replace(".", "/") + ".v" for name in below & lemmas - ends)
        found[end] = {"theorems": sorted(below & ends), "lemmas": dict(sorted(files.items()))}
    return found


def main() -> None:
    """Compile what has changed, and write."""
    if shutil.which("coqc") is None:
        sys.exit(check.MISSING)
    check.compile_all(os.cpu_count() or 1)
    record = {"command": "python proofs/uses.py", "sources": digests(), "uses": uses(check.theorems())}
    write(RECORD, json.dumps(record, indent=1) + "\n")
    write(WORDS, json.dumps({"command": record["command"], "words": words()}, indent=0) + "\n")
    count = sum(len(one["theorems"]) for one in record["uses"].values())
    print(f"{len(record['uses'])} theorems, which lean on each other {count} times")


if __name__ == "__main__":
    main()
