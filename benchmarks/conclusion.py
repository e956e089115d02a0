"""What training finds for the function of the last chapter, recorded: every size at every rate, then its best.

    python benchmarks/conclusion.py --record data/conclusion.json [--processes 8 --cache FOLDER]

trains the networks of `uatbook.conclusion`: a quarter of an hour on one core. It goes on where it was stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uatbook import records
from uatbook.conclusion import COMMAND, SIZES, best_rate, errors, fit, weights
from uatbook.processes import pool
from uatbook.sweeps import sweep

RATES = (1e-3, 3e-3, 1e-2, 3e-2)
STEPS = 4000
SEEDS = {"choosing": (100, 101, 102), "reported": tuple(range(10))}


def record(path: Path, processes: int = 1, cache: Path | None = None) -> None:
    """Every size at every rate, then at its best; written after each run, and none run twice."""
    header = {
        **records.origin(path, COMMAND, processes),
        "settings": {
            "data": "mean_product(2) at 256 fresh uniform sequences in every step",
            "training": "Adam, squared error, the rate falls to 0 as a cosine does, float32",
            "rates": list(RATES),
            "steps": STEPS,
            "seeds": {kind: list(seeds) for kind, seeds in SEEDS.items()},
            "sizes": {size: [*shape, weights(size)] for size, shape in SIZES.items()},
        },
        "fields": {
            "seeds": "each rate has the choosing ones, the rate with the least median d_2 of them the reported ones",
            "sizes": "layers, width, hidden units, weights",
            "d_2, sup": "on the square, with the points that `uatlib.comparison` has there",
        },
    }
    found = records.read(path, COMMAND) if path.exists() else {"settings": header["settings"], "runs": []}
    if found["settings"] != header["settings"]:
        raise ValueError(f"{path}: expected the settings of this program, got others; name another file.")
    runs: Any = found["runs"]
    known = {(run["size"], run["rate"], run["seeds"], run["seed"]) for run in runs}

    def run(size: str, kind: str, *rates: float) -> None:
        keys = [(size, rate, kind, seed) for rate in rates for seed in SEEDS[kind]]
        missing = [key for key in keys if key not in known]
        for key, (d_2, sup) in zip(missing, sweep(_errors, missing, executor=executor, cache=cache), strict=True):
            named = dict(zip(("size", "rate", "seeds", "seed"), key, strict=True))
            runs.append({**named, "d_2": d_2, "sup": sup})
            records.write(path, header, runs=runs)
            print(*key, d_2, sup, flush=True)

    with pool(processes) as executor:
        for size in SIZES:
            run(size, "choosing", *RATES)
            run(size, "reported", best_rate(runs, size))


def _errors(key: tuple[str, float, str, int]) -> tuple[float, float]:
    size, rate, _, seed = key
    return errors(fit(size, seed_of_weights=seed, steps=STEPS, rate=rate))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: record the runs in a file."""
    records.program(record, COMMAND, "Train transformers on the function of the last chapter.", arguments)


if __name__ == "__main__":
    main()
