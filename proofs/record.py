"""Record what is shown of the proofs: the sentences of each, and after each the goal, with what is new in it alone.

    python proofs/record.py            # of what has changed since
    python proofs/record.py --all

Beside each file of proofs that the table names lies its record, with the hash of the file, so that the book is built
without Rocq. Of a file that these import what its lemmas say is recorded, and the English of their proofs. Needs Rocq,
and Python alone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import check

from uatlib.internal.writing import write

LIMIT = 300
"""Seconds for a file: it is run, and asked after each sentence."""
BEGIN = re.compile(r"(?:Theorem|Lemma|Corollary|Fact|Remark|Let)\s+([\w']+)\s*(.*)\.\Z", re.DOTALL)
IMPORTS = re.compile(r"From UAT(?:\.(\w+))? Require (?:Import|Export) ([\w\s]+?)\.$", re.MULTILINE)
HIDDEN = re.compile(r"^Section Variables:\n(.*?)(?=^Axioms:|\Z)", re.MULTILINE | re.DOTALL)
LEMMA = re.compile(r"^(?:Theorem|Lemma) ", re.MULTILINE)
GOAL = re.compile(r"^(\d+) (?:focused )?(?:sub)?goals?.*?\n(.*?)\n *={10,}\n(.*?)(?=\n\ngoal \d+ is:|\Z)", re.DOTALL)


class Goal(NamedTuple):
    """What is known, by name, and what is to be shown; how many goals there are with this one."""

    known: dict[str, str]
    show: str
    count: int


def record_of(file: str) -> Path:
    """Where its record lies."""
    return (check.HERE / file).with_suffix(".json")


def goal(shown: str) -> Goal | None:
    """The first goal of what Rocq says; None where there is none in sight."""
    found = GOAL.search(shown.strip("\n"))
    if found is None:
        return None
    known: dict[str, str] = {}
    for line in re.split(r"\n(?=  \S)", "\n" + found[2]):
        names, colon, kind = " ".join(line.split()).partition(" : ")
        if colon:  # several names may share a type, and one may have a body
            names, body, value = names.partition(" := ")
            known |= dict.fromkeys(names.split(", "), body + value + colon + kind)
    return Goal(known, " ".join(found[3].split()), int(found[1]))


def grouped(known: dict[str, str]) -> list[str]:
    """As Rocq writes them: names of one type together."""
    groups: list[list[str]] = []
    for name, kind in known.items():
        if groups and groups[-1][-1] == kind and ":=" not in kind:
            groups[-1].insert(-1, name)
        else:
            groups.append([name, kind])
    return [", ".join(names) + kind for *names, kind in groups]


def comments(before: str) -> list[str]:
    """The comments of what stands before a sentence, each on one line; a title of a part says nothing of it."""
    found = re.findall(r"\(\*+\s*(.*?)\s*\*\)", before, re.DOTALL)
    return [" ".join(said.split()) for said in found if not said.startswith("** ")]


def header(before: str) -> str:
    """What a file says of itself, below its title."""
    said = re.sub(r"\n +", "\n", before.partition("(** * ")[2].partition("*)")[0])
    return "\n\n".join(" ".join(part.split()) for part in said.split("\n\n")[1:])


def answers(file: str, parts: Sequence[tuple[str, str]]) -> list[str]:
    """What Rocq says of each sentence: the goal after it; after a proof, what of its section that uses.

    What its statement hides, as a definition of the section hangs on it, is asked for of theorems of the table alone:
    this takes seconds.
    """
    script = ["Set Silent.", "Set Suggest Proof Using.", "Set Printing Width 1000."]
    name, table = "", {one.name for one in check.theorems() if one.file == file}
    for k, (_, sentence) in enumerate(parts):
        name = begun[1] if (begun := BEGIN.match(sentence)) else name
        ask = [f"Print Assumptions {name}."] if sentence == "Qed." and name in table else []
        script += [f"Locate mark_{k}_a.", sentence, "Show.", *ask, f"Locate mark_{k}_b."]
    named = ("-top", f"UAT.{check.module_of(file)}")  # by which a file may name what is its own
    done = check.coq("coqtop", "-q", "-w", "none", *named, said="\n".join(script) + "\n", limit=LIMIT)
    found = re.findall(
        r"No object of basename mark_\d+_a\n(.*?)No object of basename mark_\d+_b", done.stdout, re.DOTALL
    )
    errors = re.findall(r"^(?:Error:|Syntax error).*(?:\n.+)*", done.stdout + done.stderr, re.MULTILINE)
    errors = [error for error in errors if "requires an open proof" not in error]  # what `Show` says outside
    if len(found) != len(parts) or errors:
        raise ValueError(f"{file}: expected an answer to each sentence, got {errors[:1] or len(found)}")
    return found


def words(term: str) -> set[str]:
    """The names in it, also those in the types 'I_n and 'M_(d, n)."""
    return {*re.findall(r"[\w']+", re.sub(r"'[A-Za-z]+_", " ", term))}


def bound(statement: str) -> set[str]:
    """The names before its colon: it holds for all of them, and says so itself."""
    names, depth, colons = "", 0, set[int]()
    for sign in re.findall(r":=|.", statement, re.DOTALL):
        if sign == ":" and depth == 0:
            return words(names)
        if sign == ":" and depth == 1:
            colons.add(depth)
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0:
            colons.clear()
        names += " " if colons or sign in "()[]{}" else sign
    return set()


def given(statement: str, known: dict[str, str], uses: dict[str, set[str]], used: set[str]) -> list[str]:
    """What of its section a theorem speaks of and hangs on, without what is proved there."""
    found, todo = set[str](), words(statement)
    known = {name: kind for name, kind in known.items() if name not in bound(statement)}
    todo |= {name for name in used if ":=" not in known.get(name, "")}  # a definition is no hypothesis
    while todo := (todo & {*known}) - found:
        found |= todo
        todo = {word for name in todo for word in [*words(known[name]), *uses.get(name, ())]}
    return grouped({name: kind for name, kind in known.items() if name in found and name not in uses})


def recorded(file: str) -> dict[str, Any]:
    """The proofs of a file: what each says, and its steps, an English sentence and lines with the goal after each."""
    parts = list(check.sentences((check.HERE / file).read_text(encoding="utf-8")))
    proofs: list[dict[str, Any]] = []
    one: dict[str, Any] | None = None
    before, known, uses, is_let = Goal({}, "", 0), dict[str, str](), dict[str, set[str]](), False
    for (gap, sentence), shown in zip(parts, answers(file, parts), strict=True):
        if (begun := BEGIN.match(sentence)) and (now := goal(shown)):
            before, known, is_let = now, now.known, sentence.startswith("Let")
            said = comments(gap)[-1:] if gap.rstrip().endswith("*)") else []
            one = {"name": begun[1], "said": "".join(said), "given": [], "statement": begun[2], "steps": []}
        elif one is not None and sentence == "Qed.":
            suggested = re.search(r"commands:\s+Proof using (.*?)\.", shown)
            used = set(suggested[1].split()) if suggested else set[str]()
            hidden = HIDDEN.search(shown)
            used |= set(re.findall(r"^([\w']+)", hidden[1], re.MULTILINE)) if hidden else set[str]()
            proofs.append({**one, "given": given(one["statement"], known, uses, used)})
            if is_let:
                uses[one["name"]] = used
            one = None
        elif one is not None and sentence not in ("Proof.", "Proof using."):
            for said in comments(gap):
                one["steps"].append({"said": said, "lines": []})
            if not one["steps"]:
                one["steps"].append({"said": "", "lines": []})
            now = goal(shown)
            new = {k: v for k, v in now.known.items() if before.known.get(k) != v} if now else {}
            show = now.show if now and now.show != before.show else None
            indent = gap.rpartition("\n")[2]
            one["steps"][-1]["lines"].append(
                [sentence.replace("\n" + indent, "\n"), grouped(new), show, now.count if now else 0]
            )
            before = now or before
    found = {"sha256": check.digest(file), "about": header(parts[0][0]), "proofs": proofs}
    return found if file in main_files() else without_lines(found)


def text(record: dict[str, Any]) -> str:
    """As it is written: a line of the proof on a line."""
    lines = [line for one in record["proofs"] for step in one["steps"] for line in step["lines"]]
    places = iter(range(len(lines)))
    proofs = [
        {**one, "steps": [{**step, "lines": [f"@{next(places)}@" for _ in step["lines"]]} for step in one["steps"]]}
        for one in record["proofs"]
    ]
    shown = json.dumps({**record, "proofs": proofs}, ensure_ascii=False, indent=1)
    return re.sub(r'"@(\d+)@"', lambda at: json.dumps(lines[int(at[1])], ensure_ascii=False), shown) + "\n"


def main_files() -> set[str]:
    """Those with a theorem of the table."""
    return {one.file for one in check.theorems()}


def imported(file: str) -> set[str]:
    """Those of ours that a file imports, where they prove a lemma."""
    text = (check.HERE / file).read_text(encoding="utf-8")
    named = {(folder, name) for folder, names in IMPORTS.findall(text) for name in names.split()}
    found = {f"{folder}/{name}.v" if folder else f"{name}.v" for folder, name in named}
    there = {other for other in found if (check.HERE / other).exists()}
    return {other for other in there if LEMMA.search((check.HERE / other).read_text(encoding="utf-8"))}


def files() -> list[str]:
    """Those with a theorem of the table, and those that they import."""
    return sorted(main_files().union(*map(imported, main_files())))


def without_lines(record: dict[str, Any]) -> dict[str, Any]:
    """Of a file without a theorem of the table no line is shown."""
    for one in record["proofs"]:
        one["steps"] = [{**step, "lines": []} for step in one["steps"] if step["said"]]
    return record


def is_recorded(file: str) -> bool:
    """Whether the record is of the file as it is."""
    place = record_of(file)
    return place.exists() and json.loads(place.read_text(encoding="utf-8"))["sha256"] == check.digest(file)


def main() -> None:
    """Compile what has changed, and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="record all files, changed or not")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files at once")
    options = parser.parse_args()
    if shutil.which("coqtop") is None:
        sys.exit(check.MISSING)
    begin = time.monotonic()
    todo = [file for file in files() if options.all or not is_recorded(file)]
    try:
        check.compile_all(options.jobs)
        with ThreadPoolExecutor(options.jobs) as pool:
            for file, record in zip(todo, pool.map(recorded, todo), strict=True):
                write(record_of(file), text(record))
    except ValueError as error:
        sys.exit(f"proofs: {error}")
    print(f"{len(todo)} of {len(files())} files recorded in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
