"""Two recorded runs: norms of W_K and W_Q against noise, and kinks of a head that learns step functions.

    python benchmarks/liu_experiments.py norms --record data/attention-norms.json
    python benchmarks/liu_experiments.py kinks --record data/step-kinks.json

Some minutes each on one core. A run that is in the file already is not run again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from uatbook import records
from uatbook.liu2025.experiment import norms, steps
from uatbook.liu2025.experiment.images import ARMS, digits

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
    "data_seeds": {kind: [0] for kind in ("longer", "fresh", "fresh, longer")}
    | {"choosing": [2], "fresh, choosing": [2], "reported": [0, 1]},
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


def norm_runs(known: set[Any]) -> Iterator[list[dict[str, Any]]]:
    """Runs of every arm at every rate, then those at its best and at that of the noisy images, in pieces."""
    images = digits()
    for kind in NORMS["levels"]:
        fresh = kind.startswith("fresh")
        for arm in NORMS["fresh"] if fresh else ARMS:
            rates = NORMS["rates"]
            if "choosing" not in kind:
                so_far = norms.recorded(PATHS["norms"])
                best = norms.chosen_rates(so_far, "fresh, choosing") if fresh else norms.chosen_rates(so_far)
                rates = sorted({best[arm], norms.chosen_rates(so_far)["noise"]})
            for rate in rates:
                for data_seed in NORMS["data_seeds"][kind]:
                    if (kind, arm, rate, data_seed) in known:
                        continue
                    levels, length = NORMS["levels"][kind], NORMS["longer" if "longer" in kind else "steps"]
                    options = {"rate": rate, "weight_seeds": NORMS["weight_seeds"][kind], "data_seed": data_seed}
                    options["fresh"] = fresh
                    found = norms.train(images, [(arm, level) for level in levels], steps=length, **options)
                    named = {"seeds": kind, "arm": arm, "rate": rate, "data_seed": data_seed, "steps": length}
                    measured = {name: _short(getattr(found, name)) for name in found._fields[:-1]}
                    yield [
                        {**named, "level": level, **{name: rows[k] for name, rows in measured.items()}}
                        for k, level in enumerate(levels)
                    ]


def kink_runs(known: set[Any]) -> Iterator[list[dict[str, Any]]]:
    """Heads for every target at every rate, then those of the best."""
    for kind in ("choosing", "reported"):
        for name, components in KINKS["shapes"]:
            runs = norms.recorded(PATHS["kinks"])["runs"] if PATHS["kinks"].exists() else []
            rates = KINKS["rates"] if kind == "choosing" else [steps.chosen_rate({"runs": runs}, name, components)]
            for rate in rates:
                if (kind, name, components, rate) in known:
                    continue
                target, options = steps.TARGETS[name], {"seeds": KINKS["seeds"][kind], "rate": rate}
                found = steps.learn(target, components=components, checkpoints=KINKS["checkpoints"][kind], **options)
                named = {"seeds": kind, "target": name, "components": components, "rate": rate}
                yield [
                    {
                        **named,
                        "steps": step,
                        "loss": _short(heads.error(target)),
                        **({k: _short(w, 9) for k, w in heads._asdict().items()} if kind == "reported" else {}),
                    }
                    for step, heads in found.items()
                ]


RUNS = {"norms": norm_runs, "kinks": kink_runs}
KEYS = {"norms": ("seeds", "arm", "rate", "data_seed"), "kinks": ("seeds", "target", "components", "rate")}
SETTINGS = {"norms": NORMS, "kinks": KINKS}
PATHS = {"norms": norms.PATH, "kinks": steps.PATH}


def record(what: str, path: Path) -> None:
    """All runs that the file does not have, written one after the other."""
    PATHS[what] = path
    head = header(what, path)
    found = norms.recorded(path) if path.exists() else {"settings": head["settings"], "runs": []}
    if found["settings"] != head["settings"]:
        raise ValueError(f"{path}: expected the settings of this program, got others; name another file.")
    runs: list[dict[str, Any]] = found["runs"]
    for lines in RUNS[what]({tuple(run[key] for key in KEYS[what]) for run in runs}):
        runs.extend(lines)
        records.write(path, head, runs=runs)
        print(*(lines[-1][key] for key in KEYS[what]), "loss", np.mean(lines[-1]["loss"]), flush=True)


def header(what: str, path: Path) -> dict[str, Any]:
    """All of the record but its runs."""
    return {
        **records.origin(path, f"benchmarks/liu_experiments.py {what}"),
        "settings": SETTINGS[what],
        "fields": FIELDS[what],
    }


def _short(values: np.ndarray, digits: int = DIGITS) -> list[Any]:
    """Nested lists of numbers with so many significant digits."""
    return [_short(row, digits) for row in values] if values.ndim else float(f"{values:.{digits}g}")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: record the runs in a file."""
    parser = argparse.ArgumentParser("python benchmarks/liu_experiments.py")
    parser.description = "Train heads of attention, and record their norms or their kinks."
    parser.add_argument("what", choices=list(RUNS))
    parser.add_argument("--record", type=Path, required=True, help="JSON file; runs that are in it are not run again")
    chosen = parser.parse_args(arguments)
    try:
        record(chosen.what, chosen.record)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
