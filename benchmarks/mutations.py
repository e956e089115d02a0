"""Single faults, put one at a time into what a reader runs, in Python and in JavaScript: which of them a test sees.

    python benchmarks/mutations.py                                # goes on where the record stops
    python benchmarks/mutations.py --as after --measured          # again: first the test that saw a fault before
    python benchmarks/mutations.py --matrix tests/a.py --draw 45  # which tests of a file see which faults
    python benchmarks/mutations.py --list missed                  # what is in the record

Faults are drawn over all modules and scripts, by their code lines. A fault is the text of a line, and a wrong text for
it, in a function: so it is found again where a module has another name. Those who run a line of Python: the tests whose
suite of statements (the body of a function, a loop, a branch) is executed, as measured once by probes. Of a script:
the tests of files that read it or hand it to node. It is seen if one of them fails, or takes over twenty times as long.
Tests that read a built book, or build one, stand aside (ASIDE). What is missed is judged by hand: "without effect" in
the record, with the reason, or "closed" by a test that was written and sees it.
"""

from __future__ import annotations

import argparse
import ast
import collections
import datetime
import functools
import itertools
import json
import platform
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import Bench, Tests, forked, preload, run_pytest
from faults import PACKAGES, all_faults, compiles, drawn, place
from probes import suite_at

ROOT = Path(__file__).resolve().parents[1]


def matrix(bench: Bench, file: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Faults in what a test file imports and runs; of each, which of the file's test functions fail."""
    run = {suite for suite in bench.runs[file]["suites"] if suite.rsplit(":", 1)[0] in imported(bench.tree, file)}
    faults = [
        f for module in sorted({suite.rsplit(":", 1)[0] for suite in run}) for f in all_faults(bench.tree, module)
    ]
    random.Random(seed).shuffle(faults)
    spots = ((fault, place(bench.tree, fault._asdict())) for fault in faults)
    run_here = ((f, s) for f, s in spots if s and suite_at(bench.tree, s.module, s.first) in run and compiles(s.text))
    for fault, spot in itertools.islice(run_here, count):
        tests = bench.who(spot)[file][0]
        limits = {test: 10 + 20 * bench.costs[test] for test in tests}
        with bench.fault(spot):
            work = functools.partial(run_pytest, bench.copy, [file], Tests(tests, limits), stop=False)
            result = forked(bench.copy, work, wall=3600) or {}
        every = {test.split("::")[-1].split("[")[0] for test in tests}
        seen = {test.split("::")[-1].split("[")[0] for test in result.get("failed", {file: ""})}
        yield {**fault._asdict(), "seen by": sorted(every if seen - every else seen)}


def imported(tree: Path, file: str) -> set[str]:
    """The modules that a test imports by name, or from whose package it takes names."""
    names = set()
    for node in ast.walk(ast.parse((tree / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    paths = {name.replace(".", "/") + end for name in names for end in (".py", "/__init__.py")}
    return {path for path in paths if path.startswith(PACKAGES) and (tree / path).exists()}


def alone(faults: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The functions that are never the only one to see a fault; and those that can all go with no fault missed."""
    seen = [set(fault["seen by"]) for fault in faults if fault["seen by"]]
    every = sorted(set().union(*seen))
    never = [name for name in every if {name} not in seen]
    kept = set(every)
    for name in sorted(never, key=lambda name: sum(name in part for part in seen)):
        if all(part & (kept - {name}) for part in seen):
            kept.remove(name)
    return never, [name for name in every if name not in kept]


def write(path: Path, record: dict[str, Any]) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, default=ROOT / "data" / "mutations.json")
    parser.add_argument("--tree", type=Path, default=ROOT, help="where the faults are put")
    parser.add_argument("--as", dest="name", default="before", help="the name of this tree's outcomes in the record")
    parser.add_argument("--draw", type=int, default=320, help="how many faults, where none are recorded")
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--budget", type=float, default=30, help="seconds of the processor for a fault")
    parser.add_argument("--folder", type=Path, default=ROOT / "_build" / "mutations", help="copies, measurements")
    parser.add_argument("--measured", action="store_true", help="measure no more, and record only what is seen")
    parser.add_argument("--again", action="store_true", help="what was missed, with this budget")
    parser.add_argument("--matrix", nargs="*", default=[], help="test files")
    parser.add_argument("--list", default="", metavar="OUTCOME", help="show, run nothing")
    options = parser.parse_args()
    tree = options.tree.resolve()
    record = json.loads(options.record.read_text()) if options.record.exists() else {"seed": options.seed}
    if "faults" not in record:
        record["faults"] = [fault._asdict() for fault in drawn(tree, options.draw, options.seed)]
        write(options.record, record)
    if options.list:
        show(record, options.name, options.list)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that what is begun is put back
    preload()
    bench = Bench(tree, options.folder)
    if options.matrix:
        bench.measure(options.matrix)
        matrices(bench, record, options)
        return
    bench.measure([] if options.measured else bench.files)
    record[options.name] = {
        "command": f"python benchmarks/mutations.py --as {options.name} --budget {options.budget:g}",
        "date": datetime.date.today().isoformat(),
        "versions": {"python": platform.python_version()},
    }
    opened = []
    for entry in record["faults"]:
        old = entry.get(options.name, {}).get("outcome")
        if old is None or (options.again and old in ("missed", "undecided", "gone")):
            spot = place(tree, entry)
            opened.append((bench.seconds(test for _, test in bench.plan(spot)[0]) if spot else 0, entry, spot))
    for _, entry, spot in sorted(opened, key=lambda one: one[0]):  # the cheap ones first
        before = [other["by"] for other in entry.values() if isinstance(other, dict) and "by" in other]
        outcome = bench.outcome(spot, options.budget, before, not options.measured) if spot else {"outcome": "gone"}
        print(entry["module"], entry["function"], "|", entry["wrong"], "->", outcome, flush=True)
        if outcome["outcome"] == "seen" or not options.measured:
            entry[options.name] = outcome
            write(options.record, record)
    print(collections.Counter(entry.get(options.name, {}).get("outcome", "open") for entry in record["faults"]))


def matrices(bench: Bench, record: dict[str, Any], options: argparse.Namespace) -> None:
    for file in options.matrix:
        rows = record.setdefault("matrices", {}).setdefault(file, [])
        for row in itertools.islice(matrix(bench, file, options.draw, options.seed), len(rows), None):
            rows.append(row)
            write(options.record, record)
            print(file, len(rows), row["wrong"], "->", len(row["seen by"]), flush=True)
        print(
            file,
            *(f"\n  {words}: {names}" for words, names in zip(("never alone", "can go"), alone(rows), strict=True)),
        )


def show(record: dict[str, Any], name: str, outcome: str) -> None:
    for entry in record["faults"]:
        if entry.get(name, {}).get("outcome", "open") == outcome:
            print(f"{entry['module']} {entry['function']} ({entry['kind']})\n  {entry['line']}\n  {entry['wrong']}")
            print(f"  {entry[name]} {entry.get('without effect', '')}" if name in entry else "")


if __name__ == "__main__":
    main()
