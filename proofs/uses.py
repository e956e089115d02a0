"""Record which theorem of the table leans on which, and on lemmas of which files.

    python proofs/uses.py

Rocq writes beside each compiled file (.glob) where each name in it comes from. A name is followed to what its own text
and proof name, through lemmas and definitions, as far as a theorem of the table, where the way ends. Written is
uatbook/data/proof-uses.json, with the hash of each file, so that the book is built without Rocq. A tactic that finds
its lemmas by itself (`auto`) names none, and what it found is not seen. Needs Rocq, and Python alone.
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
GIVEN = re.compile(r"(prf|def|ind|rec|var|abbrev|constr|proj) (\d+):\d+ (\S+) (\S+)$", re.MULTILINE)
NAMED = re.compile(r"R(\d+):\d+ UAT\.(\S+) \S+ (\S+) (?!lib|mod|sec)\w+$", re.MULTILINE)
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
    count = sum(len(one["theorems"]) for one in record["uses"].values())
    print(f"{len(record['uses'])} theorems, which lean on each other {count} times")


if __name__ == "__main__":
    main()
