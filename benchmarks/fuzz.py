"""Public names called with wrong arguments: each call is to be answered by a value or a refusal.

    python benchmarks/fuzz.py                           # the record data/fuzz.json, of 10,000 calls a name
    python benchmarks/fuzz.py --resume                  # go on with it; it is written after each name
    python benchmarks/fuzz.py --resume --calls 1000     # the same for names that have no record of as many yet
    python benchmarks/fuzz.py --calls 120               # a shorter one, which says so
    python benchmarks/fuzz.py --only yun2020 --calls 200   # the names with this in them; nothing is recorded
    python benchmarks/fuzz.py --only yun2020.build --record   # these names again, put into the record

What is called stands in tests/uatlib/public_names.py, what is put in and what counts as a fault in
tests/uatlib/fuzzing.py. A name is called in a process of its own, so that a call that kills or hangs it is a fault
like another.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import json
import multiprocessing
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import flint
import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.uatlib.fuzzing import try_once  # noqa: E402
from tests.uatlib.public_names import EXAMPLES  # noqa: E402
from uatlib.internal import writing  # noqa: E402

RECORD = ROOT / "data" / "fuzz.json"
PATIENCE = 120
"""Seconds after which a process that does not answer is stopped: a call may take 5 s of the processor."""


def work(package: str, name: str, first: int, last: int, results: Any) -> None:
    """Calls number `first` to `last`, one answer each."""
    torch.set_num_threads(1)
    for seed in range(first, last):
        results.send((seed, *try_once(name, EXAMPLES[package][name], seed)))


def answers(package: str, name: str, calls: int) -> Iterator[tuple[int, str, str, str]]:
    """(number, fault, what came, what was put in) of every call."""
    start = 0
    while start < calls:
        here, there = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(target=work, args=(package, name, start, calls, there))
        process.start()
        there.close()
        try:
            while start < calls:
                if not here.poll(PATIENCE):
                    yield start, "hangs", "no answer", ""
                    start += 1
                    break
                answer = here.recv()
                yield answer
                start = answer[0] + 1
        except EOFError:
            process.join()
            yield start, f"the process ended with {process.exitcode}", "no answer", ""
            start += 1
        process.kill()
        process.join()


def fuzz(package: str, name: str, calls: int, shown: int) -> dict[str, Any]:
    """The counts of a name; the first few faults of each kind are printed."""
    counts: collections.Counter[str] = collections.Counter()
    faults: dict[tuple[str, str], int] = {}
    started = time.perf_counter()
    for seed, wrong, came, put in answers(package, name, calls):
        counts["faults" if wrong else "values" if came == "a value" else "refusals"] += 1
        if wrong:
            kind = (wrong, came[:50])
            faults[kind] = faults.get(kind, 0) + 1
            if faults[kind] == 1 and len(faults) <= shown:
                print(f"  {package}.{name}, call {seed}: {wrong}: {came}\n      with {put}", flush=True)
    seconds = time.perf_counter() - started
    print(f"{package}.{name}: {dict(counts)}, {len(faults)} kinds of faults, {seconds:.0f} s", flush=True)
    return {"calls": calls, **{kind: counts[kind] for kind in ("values", "refusals", "faults")}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000, help="a name")
    parser.add_argument("--only", default="", help="names with this in them; nothing is recorded")
    parser.add_argument("--resume", action="store_true", help="leave out names that the record has with so many calls")
    parser.add_argument("--record", action="store_true", help="with --only: put them in the record beside the others")
    parser.add_argument("--shown", type=int, default=20, help="kinds of faults that are printed for a name")
    options = parser.parse_args()
    record = read(options.calls if options.resume else 0) if options.only or options.resume else {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for package, examples in EXAMPLES.items():
            for name in examples:
                full = f"{package}.{name}"
                if options.only not in full or (options.resume and not record.get(full, {"faults": 1})["faults"]):
                    continue
                record[full] = fuzz(package, name, options.calls, options.shown)
                if options.record or not options.only:
                    write(record)
    print(f"{sum(counts['faults'] for counts in record.values())} faults in all")


def write(record: dict[str, Any]) -> None:
    """The record, in the order of the table of names; each says how many calls it had."""
    calls = ", then --resume --calls ".join(str(n) for n in sorted({c["calls"] for c in record.values()}, reverse=True))
    about = {
        "command": f"python benchmarks/fuzz.py --calls {calls}",
        "date": datetime.date.today().isoformat(),
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "torch": torch.__version__,
            "python-flint": flint.__version__,
        },
    }
    order = [f"{package}.{name}" for package, examples in EXAMPLES.items() for name in examples]
    names = {name: record[name] for name in order if name in record}
    writing.write(RECORD, json.dumps({**about, "names": names}, indent=1) + "\n")


def read(calls: int) -> dict[str, Any]:
    """What the record has of runs with so many calls or more."""
    kept = json.loads(RECORD.read_text(encoding="utf-8"))["names"] if RECORD.exists() else {}
    return {name: counts for name, counts in kept.items() if counts["calls"] >= calls}


if __name__ == "__main__":
    main()
