"""Ours beside its peers, in one run: `make bench`, which writes benchmarks/report.md.

    python benchmarks/report.py [NAME ...]      # measures all, or prints the rows whose names begin so; --quick prints
    python benchmarks/report.py --record build  # build the book from nothing, and note the seconds; or: tests

Arms of one work take turns, and each round begins with another one, so that a busy moment meets them all alike. A
work's arms must give what ours gives; one that cannot run is named, with what it lacks. A floor is the least that the
machine could take: operations over the rate of its best product of matrices, bytes over the bandwidth of a copy,
exponentials over the rate of torch's, whichever is most.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import math
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
from memory import peak  # noqa: E402
from works import ENTRIES, Absent, Entry, Floor, Work, work  # noqa: E402

from uatlib.internal import writing  # noqa: E402

REPORT = ROOT / "benchmarks" / "report.md"
MINUTES = ROOT / "benchmarks" / "minutes.json"
BUDGET = 10
"""Seconds for the rounds of one work, if three are done."""
MIB = 2**20

# ----------------------------------------------------------------------------------------------------------- measuring


@dataclass
class Row:
    """What was found of each arm: figures, in the unit of the entry, or why there are none; how far it is off ours."""

    entry: Entry
    work: Work
    figures: dict[str, list[float]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    off: dict[str, float] = field(default_factory=dict)
    floor: float | None = None

    def figure(self, arm: str) -> float:
        return float(np.quantile(self.figures[arm], self.entry.quantile))

    @property
    def ours(self) -> float:
        return self.figure("ours")

    @property
    def peers(self) -> list[str]:
        return [name for name in self.figures if name != "ours" and self.work.arms[name].peer]

    @property
    def best(self) -> str | None:
        return min(self.peers, key=self.figure, default=None)

    def ratio(self, arm: str) -> float:
        """The median of ours over theirs, round by round: what disturbs a round disturbs both."""
        pairs = zip(self.figures["ours"], self.figures[arm], strict=True)
        return float(np.median([a / b if b else math.nan for a, b in pairs]))

    @property
    def measured(self) -> float:
        """What the goal speaks of."""
        kind = self.entry.goal.kind
        if kind == "rate":
            return self.work.count / self.ours
        if kind == "best peer":
            return self.ratio(self.best) if self.best else math.nan
        return self.ours - (self.floor or 0) if kind == "above floor" else self.ours

    @property
    def missed(self) -> float:
        """By which factor the goal is missed; 1 or less where it is reached."""
        limit, found = self.entry.goal.limit, self.measured
        return limit / found if self.entry.goal.kind == "rate" else found / limit


def distance(a: Any, b: Any) -> float:
    """How far two results are from each other; where they are no floats, 0 or infinity. Balls agree if they overlap."""
    if isinstance(a, (torch.Tensor, np.ndarray)):
        a, b = (np.asarray(t) for t in (a, b))
        if a.shape != b.shape:
            return math.inf
        if a.dtype != object:
            return float(np.abs(a - b).max())
        alike = [x.overlaps(y) if hasattr(x, "overlaps") else x == y for x, y in zip(a.flat, b.flat, strict=True)]
        return 0 if all(alike) else math.inf
    return 0 if a == b else math.inf


def same(name: str, arm: str, work: Work, found: Any, ours: Any) -> float:
    """How far an arm is from ours, of a share of the work its beginning; ValueError where that is too far."""
    if isinstance(found, (torch.Tensor, np.ndarray)) and len(found) < len(ours):
        ours = ours[: len(found)]
    if not (gap := distance(found, ours)) <= work.tolerance:
        raise ValueError(f"{name}: expected {arm} to give what is expected within {work.tolerance:g}, got {gap:g}.")
    return gap


def timed(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def measure(entry: Entry, quick: bool = False, tools: Any = None) -> Row:
    """Check the arms of a work against ours, then time them in turns, or weigh them."""
    work = entry.make(tools, quick) if entry.pages else entry.make(quick)
    row = Row(entry, work)
    if not work.arms:
        row.figures["ours"], row.floor = [*work.samples], work.floor and seconds_of(work.floor, quick)
        return row
    arms = {}
    for name, arm in work.arms.items():
        if isinstance(arm, Absent):
            row.absent[name] = arm.why
        elif quick and arm.compiles:
            row.absent[name] = "it compiles for up to a minute, and is left out where sizes are small"
        else:
            arms[name] = arm
    if entry.unit == "MiB":
        names = ["ours", *(name for name in arms if name != "ours" and name in ("scaled_dot_product_attention",))]
        # Where sizes are small the figure is there, and means little: a process of its own takes seconds to start.
        row.figures = {
            name: [taken(arms[name].call) / MIB if quick else above_start(entry.name, name)] for name in names
        }
        return row
    ours = arms["ours"].call()
    if work.expected is not None:
        same(entry.name, "ours", work, ours, work.expected)
    for name in [name for name in arms if name != "ours"]:
        try:
            found = arms[name].call()
        except Exception as error:  # a peer that refuses the dtype, or finds no compiler
            row.absent[name] = f"{type(error).__name__}: {told(error)}"
            del arms[name]
        else:
            row.off[name] = same(entry.name, name, work, found, ours)
            del found
    del ours
    calls = {name: arm.call for name, arm in arms.items()}
    if callable(work.floor):
        calls["floor"] = work.floor
    spent: dict[str, list[float]] = {name: [] for name in calls}
    begun, rounds = time.perf_counter(), 1 if quick else entry.rounds
    for k in range(rounds):
        names = [*calls]
        for name in names[k % len(names) :] + names[: k % len(names)]:
            spent[name].append(timed(calls[name]) / (arms[name].share if name in arms else 1))
        if k >= 2 and time.perf_counter() - begun > BUDGET:
            break
    if "floor" in spent:
        row.floor = float(np.median(spent.pop("floor")))
    elif work.floor:
        row.floor = seconds_of(work.floor, quick)
    row.figures = spent
    return row


def told(error: Exception, most: int = 200) -> str:
    """The first line of an error, short."""
    line = str(error).strip().splitlines()[0] if str(error).strip() else ""
    return line if len(line) <= most else line[:most] + "..."


def above_start(name: str, arm: str) -> float:
    """MiB that an arm takes at its peak, over what its process had before."""
    command, environment = [sys.executable, __file__, "--peak", name, arm], {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"{name}, {arm}: {done.stderr[-2000:]}")
    return int(done.stdout) / MIB


def taken(call: Callable[[], Any]) -> int:
    """Bytes at the peak of a call over what is held before; on other systems than Linux an earlier peak counts, too."""
    start = psutil.Process().memory_info().rss
    with contextlib.suppress(OSError):  # the peak of what came before is forgotten
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    call()
    return max(0, peak() - start)


# --------------------------------------------------------------------------------------------------------- the machine


def best_of(call: Callable[[], Any], rounds: int = 7) -> float:
    return min(timed(call) for _ in range(rounds))


@cache
def matrix_rate(dtype: torch.dtype, quick: bool) -> float:
    """Operations a second of the best product of matrices, two for each pair of entries."""
    sizes = (128,) if quick else (1024, 2048)
    pairs = {n: [torch.rand(n, n, dtype=dtype) for _ in range(3)] for n in sizes}
    return max(2 * n**3 / best_of(lambda n=n: torch.matmul(*pairs[n][:2], out=pairs[n][2])) for n in sizes)


@cache
def copy_rate(quick: bool) -> float:
    """Bytes a second of a copy, read and written."""
    source = torch.zeros((MIB if quick else 2**28) // 8, dtype=torch.float64)
    target = torch.empty_like(source)
    return 2 * source.nbytes / best_of(lambda: target.copy_(source))


@cache
def exp_rate(dtype: torch.dtype, quick: bool) -> float:
    """Exponentials a second of torch, in a block that the cache holds."""
    source = torch.linspace(-10, 0, 2**16, dtype=dtype)
    target = torch.empty_like(source)
    repeats = 2 if quick else 100
    return repeats * len(source) / best_of(lambda: [torch.exp(source, out=target) for _ in range(repeats)])


def seconds_of(floor: Floor, quick: bool) -> float:
    """The most of what operations, bytes and exponentials take at the measured rates."""
    return max(
        floor.operations / matrix_rate(floor.dtype, quick),
        floor.moved / copy_rate(quick),
        floor.exponentials / exp_rate(floor.dtype, quick),
    )


def processor() -> str:
    """Its name, where the system tells."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return platform.processor() or "unknown"


def versions() -> str:
    """Python, and packages that arms are of, those that are there."""
    found = [f"Python {platform.python_version()}"]
    for name in ("numpy", "torch", "python-flint", "igraph", "pykeops"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return ", ".join(found)


def machine(quick: bool, loads: list[float]) -> list[str]:
    """What the figures hang on."""
    rates = [
        f"{matrix_rate(torch.float64, quick) / 1e9:.0f} (float64) and {matrix_rate(torch.float32, quick) / 1e9:.0f} "
        "(float32) thousand million operations a second in a product of matrices",
        f"{copy_rate(quick) / 1e9:.1f} GB/s in a copy, read and written",
        f"{exp_rate(torch.float64, quick) / 1e9:.2f} (float64) and {exp_rate(torch.float32, quick) / 1e9:.2f} "
        "(float32) thousand million exponentials a second",
    ]
    return [
        f"- {platform.system()}, {platform.machine()}, {processor()}, {os.cpu_count()} cores, "
        f"{psutil.virtual_memory().total / 2**30:.0f} GiB; torch has {torch.get_num_threads()} threads",
        f"- {versions()}",
        f"- {datetime.date.today()}; load of the machine {min(loads):.1f} to {max(loads):.1f}, where this run alone "
        f"makes up to {os.cpu_count()}",
        f"- {'; '.join(rates)}",
    ]


# --------------------------------------------------------------------------------------------------- what takes minutes


def recorded(name: str, quick: bool) -> Work:
    """The seconds that `--record` wrote; not a number where it never did."""
    found = (json.loads(MINUTES.read_text(encoding="utf-8")) if MINUTES.exists() else {}).get(name)
    if found is None:
        return Work(f"not recorded: `python benchmarks/report.py --record {name}`", {}, samples=[math.nan])
    said = f"`{found['command']}`, {found['date']}, {found['cores']} cores, load {found['load']} at its start; "
    return Work(f"{said}{found['processor']:.0f} s of the processor", {}, samples=[found["seconds"]])


RECORDED = {"build": ("Build of the book from nothing", "make book"), "tests": ("Build and all tests", "make test")}
for _name, (_title, _) in RECORDED.items():
    work(_title)(partial(recorded, _name))


def record(name: str) -> None:
    """Run it as on a new machine, with CI set, and keep the seconds."""
    command = RECORDED[name][1]
    load, begun = os.getloadavg()[0], time.perf_counter()
    as_new = {name: said for name, said in os.environ.items() if name != "UATLIB_TERMINAL"} | {"CI": "true"}
    subprocess.run(command.split(), check=True, cwd=ROOT, env=as_new)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    kept = json.loads(MINUTES.read_text(encoding="utf-8")) if MINUTES.exists() else {}
    kept[name] = {
        "command": command,
        "seconds": round(time.perf_counter() - begun),
        "processor": round(used.ru_utime + used.ru_stime),
        "load": round(load, 1),
        "cores": os.cpu_count(),
        "date": str(datetime.date.today()),
    }
    writing.write(MINUTES, json.dumps(kept, indent=1) + "\n")


# ------------------------------------------------------------------------------------------------------------- writing


def written(value: float, unit: str) -> str:
    """A figure with its unit, three digits."""
    if unit == "s":
        if math.isnan(value):
            return "?"
        for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
            if value * factor >= 1:
                return f"{digits(value * factor)} {name}"
        return f"{value * 1e9:.3g} ns"
    return f"{digits(value)} {unit}"


def digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def goal_of(row: Row) -> str:
    """The goal in words, and whether it is reached."""
    goal = row.entry.goal
    if goal is None:
        return ""
    words = {
        "rate": f"{goal.limit:,.0f} {goal.of}/s",
        "best peer": "not slower",
        "above floor": f"{written(goal.limit, row.entry.unit)} above the floor",
        "at most": written(goal.limit, row.entry.unit),
    }[goal.kind]
    return f"{words}: {'reached' if row.missed <= 1 else '**missed**'}"


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in [heads, ["---"] * len(heads), *rows]]


def overview(row: Row) -> list[str]:
    unit, best = row.entry.unit, row.best
    ours = written(row.ours, unit)
    if row.work.count > 1 and unit == "s":
        ours += f" ({digits(row.work.count / row.ours)}/s)"
    return [
        row.entry.name,
        ours,
        f"{written(row.figure(best), unit)}, {best}" if best else "",
        digits(row.ratio(best)) if best else "",
        "" if row.floor is None else f"{written(row.floor, 's')} ({digits(row.ours / row.floor)} x)",
        goal_of(row),
    ]


def details(row: Row) -> Iterator[str]:
    """The size, all arms, those that are not there, and how the floor is counted."""
    unit, figures = row.entry.unit, row.figures
    yield f"**{row.entry.name}**: {row.work.size}."
    if isinstance(row.work.floor, Floor):
        yield f"Floor: {row.work.floor.how}."
    for name in figures:
        share = row.work.arms[name].share if name in row.work.arms else 1
        part = f", from {share:.2%} of the work" if share < 1 else ""
        least, most = (written(f(figures[name]), unit) for f in (min, max))
        off = f"; off ours by up to {row.off[name]:.0e}" if row.off.get(name) else ""
        yield f"- {name}: {written(row.figure(name), unit)} ({least} to {most}, {len(figures[name])} times{part}){off}"
    for name, why in row.absent.items():
        yield f"- {name}: absent. {why}"


def said(rows: list[Row]) -> Iterator[str]:
    """Which goals are missed, by how much, and why."""
    for row in rows:
        if row.entry.goal and not row.missed <= 1:
            by = f"{row.missed - 1:.0%}" if row.missed < 2 else f"a factor of {digits(row.missed)}"
            yield f"- **{row.entry.name}** misses {goal_of(row).partition(':')[0]} by {by}. {row.entry.why}"


def report(rows: list[Row], quick: bool, loads: list[float]) -> str:
    """The file."""
    goals = [row for row in rows if row.entry.goal]
    reached = sum(row.missed <= 1 for row in goals)
    heads = ["work", "ours", "best peer", "ours / peer", "floor (ours / floor)", "goal"]
    lines = [
        "# Ours beside its peers",
        "",
        "Written by `make bench`: all arms of a row in one run, in turns; medians, or of pages what 95 of 100 moves "
        "keep. Each arm gave what ours gives. *Not slower* is a ratio of at most 1. A floor is the most of "
        "operations over the rate of a product of matrices, bytes over that of a copy, and exponentials over torch's; "
        "of programs and sweeps, what bare ones take beside them.",
        *(["", "**Small sizes: this run shows the rows, not what they reach.**"] if quick else []),
        "",
        *machine(quick, loads),
        "",
        f"{reached} of {len(goals)} goals are reached.",
        "",
        "## Overview",
        "",
        *table(heads, [overview(row) for row in rows]),
        "",
        "## Goals that are missed",
        "",
        *([*said(rows)] or ["None."]),
        "",
        "## All arms",
    ]
    for row in rows:
        head, *others = details(row)
        lines += ["", head, "", *others] if others else ["", head]
    return "\n".join(lines) + "\n"


def page_rows() -> Any:
    """The module whose rows need a browser: it reads the built book, which processes that measure memory need not."""
    import pages

    return pages


def run(names: list[str], quick: bool) -> tuple[list[Row], list[float], list[str]]:
    """Measure the rows whose names begin so, and which cannot be; those of pages need the built book and a browser."""
    rows, loads, failed, pages = [], [os.getloadavg()[0]], [], page_rows()
    chosen = [entry for name, entry in ENTRIES.items() if not names or name.startswith(tuple(names))]
    with contextlib.ExitStack() as stack:
        tools = None
        for entry in chosen:
            print(f"{entry.name} ...", end=" ", file=sys.stderr, flush=True)
            if entry.pages and tools is None:
                tools = stack.enter_context(pages.opened(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
            try:
                rows.append(measure(entry, quick, tools))
            except Exception as error:  # the others took minutes, and are kept
                failed.append(f"{entry.name}: {type(error).__name__}: {told(error)}")
                print(failed[-1], file=sys.stderr, flush=True)
                continue
            loads.append(os.getloadavg()[0])
            print(written(rows[-1].ours, entry.unit), file=sys.stderr, flush=True)
    return rows, loads, failed


def main() -> None:
    """Measure, and write or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "names", nargs="*", help="beginnings of names of rows; without one all, and the file is written"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, which say little")
    parser.add_argument("--record", choices=RECORDED, help="run this, for minutes, and keep its seconds")
    parser.add_argument("--peak", nargs=2, metavar=("NAME", "ARM"), help="print the bytes that an arm takes")
    options = parser.parse_args()
    if options.record:
        record(options.record)
    elif options.peak:
        name, arm = options.peak
        print(taken(ENTRIES[name].make(quick=options.quick).arms[arm].call))
    else:
        rows, loads, failed = run(options.names, options.quick)
        text = report(rows, options.quick, loads)
        if options.names or options.quick:
            print(text)
        else:
            writing.write(REPORT, text)
            print(f"{REPORT.relative_to(ROOT)} is written")
            print("\n".join(said(rows)) or "All goals are reached.")
        if failed:
            sys.exit("\n".join(["Rows that could not be measured:", *failed]))


if __name__ == "__main__":
    os.environ["UATLIB_TERMINAL"] = os.devnull  # no bars, which cost time
    main()
