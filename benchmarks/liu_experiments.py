"""Two recorded runs: norms of W_K and W_Q against noise, and kinks of a head that learns step functions.

    python benchmarks/liu_experiments.py norms --record data/attention-norms.json [--processes 2 --cache FOLDER]
    python benchmarks/liu_experiments.py kinks --record data/step-kinks.json

Some minutes each on one core. A run that is in the file already is not run again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from uatbook import records
from uatbook.liu2025.experiment import norms, steps
from uatbook.liu2025.experiment.images import ARMS, digits
from uatbook.processes import pool
from uatbook.sweeps import sweep

Key = tuple[Any, ...]
DIGITS = 5
"""Significant digits of what is recorded of norms; weights of heads have 9."""
NORMS: dict[str, Any] = {
    "rates": [0.001, 0.002, 0.004, 0.008, 0.016, 0.032],
    "steps": norms.STEPS,
    "longer": 4 * norms.STEPS,
    "levels": {
        "choosing": [0, 0.24, 0.48, 0.72],
        "reported": list(norms.LEVELS),
        "longer": [0, 0.36, 0.72],
        "fresh, choosing": [0, 0.24, 0.48, 0.72],
        "fresh": [0, 0.36, 0.72],
        "fresh, longer": [0, 0.36, 0.72],
    },
    "data_seeds": {"choosing": [2], "reported": [0, 1], "longer": [0]}
    | {"fresh, choosing": [2], "fresh": [0], "fresh, longer": [0]},
    "weight_seeds": {kind: list(range(10)) for kind in ("reported", "longer", "fresh", "fresh, longer")}
    | {kind: list(range(20, 30)) for kind in ("choosing", "fresh, choosing")},
    "fresh": ["noise, same scale", "wrong labels"],
}
KINKS: dict[str, Any] = {
    "rates": [0.01, 0.03, 0.1, 0.3, 1],
    "shapes": [["one step", 2], ["staircase", 4], ["zigzag", 4], ["one step", 8], ["staircase", 8], ["zigzag", 8]],
    "checkpoints": {"choosing": [16000], "reported": [0, 250, 1000, 4000, 16000, 30000]},
    "seeds": {"choosing": list(range(100, 110)), "reported": list(range(20))},
}
FIELDS = {
    "norms": "w_k, w_q: Frobenius norms by weight seed; spread: standard deviation of the scores that a token sees; "
    "accuracy, loss: on images that were not trained on; choosing: other noise and weights, whose accuracy picks rates"
    "; fresh: noise and labels drawn again for each batch",
    "kinks": "A, b, V: a row for each seed, after `steps` steps; loss: mean squared errors; choosing: they pick rates",
}


def norm_keys(runs: list[dict[str, Any]]) -> Iterator[list[Key]]:
    """Every arm at every rate, then at its best and at that of the noisy images."""
    for kind, seeds in NORMS["data_seeds"].items():
        fresh = kind.startswith("fresh")
        rates = dict.fromkeys(NORMS["fresh"] if fresh else ARMS, NORMS["rates"])
        if "choosing" not in kind:
            noise = norms.chosen_rates({"runs": runs})["noise"]
            best = norms.chosen_rates({"runs": runs}, "fresh, choosing" if fresh else "choosing")
            rates = {arm: sorted({best[arm], noise}) for arm in rates}
        yield [(kind, arm, rate, seed) for arm in rates for rate in rates[arm] for seed in seeds]


def norm_run(key: Key) -> list[dict[str, Any]]:
    """Networks of one arm at one rate: an entry for each level."""
    kind, arm, rate, data_seed = key
    levels, length = NORMS["levels"][kind], NORMS["longer" if "longer" in kind else "steps"]
    options = {"rate": rate, "weight_seeds": NORMS["weight_seeds"][kind], "data_seed": data_seed}
    options["fresh"] = kind.startswith("fresh")
    found = norms.train(digits(), [(arm, level) for level in levels], steps=length, **options)
    named = {**dict(zip(KEYS["norms"], key, strict=True)), "steps": length}
    measured = {name: _short(getattr(found, name)) for name in found._fields[:-1]}
    return [
        {**named, "level": level, **{name: rows[k] for name, rows in measured.items()}}
        for k, level in enumerate(levels)
    ]


def kink_keys(runs: list[dict[str, Any]]) -> Iterator[list[Key]]:
    """Heads for every target at every rate, then those of the best."""
    yield [("choosing", *shape, rate) for shape in KINKS["shapes"] for rate in KINKS["rates"]]
    yield [("reported", *shape, steps.chosen_rate({"runs": runs}, *shape)) for shape in KINKS["shapes"]]


def kink_run(key: Key) -> list[dict[str, Any]]:
    """Heads for one target at one rate: an entry for each checkpoint."""
    kind, name, components, rate = key
    target, options = steps.TARGETS[name], {"seeds": KINKS["seeds"][kind], "rate": rate}
    found = steps.learn(target, components=components, checkpoints=KINKS["checkpoints"][kind], **options)
    return [
        {
            **dict(zip(KEYS["kinks"], key, strict=True)),
            "steps": step,
            "loss": _short(heads.error(target)),
            **({k: _short(w, 9) for k, w in heads._asdict().items()} if kind == "reported" else {}),
        }
        for step, heads in found.items()
    ]


KEYS = {"norms": ("seeds", "arm", "rate", "data_seed"), "kinks": ("seeds", "target", "components", "rate")}
RUNS = {"norms": (norm_keys, norm_run), "kinks": (kink_keys, kink_run)}
SETTINGS = {"norms": NORMS, "kinks": KINKS}
PATHS = {"norms": norms.PATH, "kinks": steps.PATH}


def record(what: str, path: Path, processes: int = 1, cache: Path | None = None) -> None:
    """All runs that the file does not have, written in their order."""
    head = header(what, path, processes)
    found = norms.recorded(path) if path.exists() else {"settings": head["settings"], "runs": []}
    if found["settings"] != head["settings"]:
        raise ValueError(f"{path}: expected the settings of this program, got others; name another file.")
    runs: Any = found["runs"]
    known = {tuple(run[key] for key in KEYS[what]) for run in runs}
    keys, run = RUNS[what]
    with pool(processes) as executor:
        for asked in keys(runs):
            missing = [key for key in asked if key not in known]
            for key, lines in zip(missing, sweep(run, missing, executor=executor, cache=cache), strict=True):
                runs.extend(lines)
                records.write(path, head, runs=runs)
                print(*key, "loss", np.mean(lines[-1]["loss"]), flush=True)


def header(what: str, path: Path, processes: int = 1) -> dict[str, Any]:
    """All of the record but its runs."""
    return {
        **records.origin(path, f"benchmarks/liu_experiments.py {what}", processes),
        "settings": SETTINGS[what],
        "fields": FIELDS[what],
    }


def _short(values: np.ndarray, digits: int = DIGITS) -> list[Any]:
    """Nested lists of numbers with so many significant digits."""
    return [_short(row, digits) for row in values] if values.ndim else float(f"{values:.{digits}g}")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: record the runs in a file."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    what = given[0] if given else ""
    if what not in RUNS:
        sys.exit(f"python benchmarks/liu_experiments.py: expected {' or '.join(RUNS)}, then --record FILE")
    command = f"benchmarks/liu_experiments.py {what}"
    records.program(partial(record, what), command, f"Train heads of attention, and record their {what}.", given[1:])


if __name__ == "__main__":
    main()
