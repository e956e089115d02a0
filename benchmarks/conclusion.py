"""What training finds for the function of the last chapter, recorded: every size at every rate, then its best.

    python benchmarks/conclusion.py --record data/conclusion.json

trains the networks of `uatbook.conclusion`: a quarter of an hour on one core. It goes on where it was stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uatbook import records
from uatbook.conclusion import COMMAND, SIZES, best_rate, errors, fit, weights

RATES = (1e-3, 3e-3, 1e-2, 3e-2)
STEPS = 4000
SEEDS = {"choosing": (100, 101, 102), "reported": tuple(range(10))}


def record(path: Path) -> None:
    """Every size at every rate, then at its best; written after each run, and none run twice."""
    header = {
        **records.origin(path, COMMAND),
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

    def run(size: str, rate: float, kind: str) -> None:
        for seed in SEEDS[kind]:
            if (size, rate, kind, seed) not in known:
                d_2, sup = errors(fit(size, seed_of_weights=seed, steps=STEPS, rate=rate))
                runs.append({"size": size, "rate": rate, "seeds": kind, "seed": seed, "d_2": d_2, "sup": sup})
                records.write(path, header, runs=runs)
                print(size, rate, kind, seed, d_2, sup, flush=True)

    for size in SIZES:
        for rate in RATES:
            run(size, rate, "choosing")
        run(size, best_rate(runs, size), "reported")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: record the runs in a file."""
    records.program(record, COMMAND, "Train transformers on the function of the last chapter.", arguments)


if __name__ == "__main__":
    main()
