"""What training finds with cheaper token mixers, recorded: every mixer at every rate, then its best on fresh seeds.

    python benchmarks/trained_mixers.py --record data/trained-mixers.json [--processes 8 --cache FOLDER]

trains the networks of `uatbook.yun2020.trained_mixers`: a quarter of an hour on one core. It goes on where it
was stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uatbook import records
from uatbook.processes import pool
from uatbook.sweeps import sweep
from uatbook.yun2020.trained_mixers import MIXERS, TASKS, MixerNetwork, best_rate, recorded, train

COMMAND = "benchmarks/trained_mixers.py"
RATES = (3e-3, 1e-2, 3e-2, 1e-1)
FURTHER = 3e-1
"""A rate that is tried too where the largest of the others is the best."""
SEEDS = {"choosing": (10, 11), "reported": tuple(range(10))}
"""Every rate has the choosing seeds; the best of them has the reported ones."""
ARMS = [
    *((250, task, mixer) for task in reversed(TASKS) for mixer in MIXERS),
    *((1000, "lookup", mixer) for mixer in ("average", "bilinear")),
]
"""Steps, task and mixer."""


def record(path: Path, processes: int = 1, cache: Path | None = None) -> None:
    """Every mixer on every task at every rate, then at its best; written after each run, and none run twice."""
    header = _header(path, processes)
    found = recorded(path) if path.exists() else {"settings": header["settings"], "runs": []}
    if found["settings"] != header["settings"]:
        raise ValueError(f"{path}: expected the settings of this program, got others; name another file.")
    runs: list[dict[str, Any]] = found["runs"]
    names = ("task", "mixer", "steps", "rate", "seeds", "seed")
    known = {tuple(run[name] for name in names) for run in runs}

    def run(task: str, mixer: str, steps: int, seeds: str, *rates: float) -> None:
        keys = [(task, mixer, steps, rate, seeds, seed) for rate in rates for seed in SEEDS[seeds]]
        missing = [key for key in keys if key not in known]
        for key, accuracy in zip(missing, sweep(_accuracy, missing, executor=executor, cache=cache), strict=True):
            runs.append({**dict(zip(names, key, strict=True)), "accuracy": accuracy})
            records.write(path, header, runs=runs)
            print(*key, accuracy, flush=True)

    with pool(processes) as executor:
        for steps, task, mixer in ARMS:
            run(task, mixer, steps, "choosing", *RATES)
            if best_rate(runs, mixer, task, steps) == max(RATES):
                run(task, mixer, steps, "choosing", FURTHER)
            run(task, mixer, steps, "reported", best_rate(runs, mixer, task, steps))


def _accuracy(key: tuple[str, str, int, float, str, int]) -> float:
    task, mixer, steps, rate, _, seed = key
    return train(mixer, task, seed=seed, steps=steps, rate=rate).accuracy


def _header(path: Path, processes: int = 1) -> dict[str, Any]:
    return {
        **records.origin(path, COMMAND, processes),
        "settings": {
            "data": "sample(task, 64, ...): fresh sequences of 15 tokens in every step",
            "training": "Adam, cross-entropy, batches of 64, the rate falls to a twentieth of itself, float32",
            "rates": list(RATES),
            "further rate, where the largest is the best": FURTHER,
            "seeds": {kind: list(seeds) for kind, seeds in SEEDS.items()},
            "arms": [list(arm) for arm in ARMS],
            "weights": {mixer: MixerNetwork(mixer).trained for mixer in MIXERS},
        },
        "fields": {
            "seeds": "each rate has the choosing ones, the rate with the best mean of them the reported ones",
            "accuracy": "the share of right answers on 2000 sequences that the network has not seen, by tokens",
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: record the runs in a file."""
    records.program(record, COMMAND, "Train token mixers on four small tasks and record what they reach.", arguments)


if __name__ == "__main__":
    main()
