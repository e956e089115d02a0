"""How soon rank-1 transformers learn, recorded: every network at every rate and size of branches, then its best.

    python benchmarks/rank_one.py --record data/rank-one.json [--processes 2 --cache FOLDER]

trains the eleven networks of `uatbook.kajitsuka2024.experiment.race` on random labels: the better part of an
hour on one core. It goes on where it was stopped. The file also says what becomes of the network of Corollary 1 when
it is trained.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from uatbook import records
from uatbook.kajitsuka2024.experiment.networks import recalling_network
from uatbook.kajitsuka2024.experiment.race import (
    EPOCHS,
    LEVEL,
    NETWORKS,
    SHORTLIST,
    Lines,
    cost,
    decided,
    epochs_of,
    race,
    reached,
    recorded,
    shortlist,
)
from uatbook.kajitsuka2024.experiment.token_classification import synthetic
from uatbook.kajitsuka2024.experiment.train import fit
from uatbook.kajitsuka2024.label_networks import memorise
from uatbook.processes import pool
from uatbook.sweeps import sweep

COMMAND = "benchmarks/rank_one.py"
RATES, BRANCHES = (1e-2, 3e-3, 3e-2, 1e-3), (1.0, 0.4, 0.15)
"""In the order in which they are tried. At 1, the branches of six layers of random weights add up to large numbers."""
FARTHER = {"rates": (1e-1,), "larger branches": (2.5, 6.0), "smaller branches": (0.05,)}
"""Tried one after the other, as long as the best is at the edge."""
DATA_SEEDS = {"choosing": (0, 1), "deciding": (2, 3), "reported": (0, 1)}
WEIGHT_SEEDS = {"choosing": tuple(range(10, 15)), "deciding": tuple(range(30, 40)), "reported": tuple(range(20, 30))}
"""Each rate and size of branches has the choosing ones, the best few the deciding ones, the best two the reported."""
CHECKPOINTS = (20, 50, 100, 200, 400)
RESTART_RATES, RESTART_DATA_SEEDS, RESTART_EPOCHS = (1e-3, 1e-5), tuple(range(5)), (1, 10, 100, 300, 1000, 2000)


def record(path: Path, processes: int = 1, cache: Path | None = None) -> None:
    """Every network with every setting, then its best few and best two; written after each run, and none run twice."""
    header = _header(path, processes)
    found = recorded(path) if path.exists() else {"settings": header["settings"], "runs": []}
    if found["settings"] != header["settings"]:
        raise ValueError(f"{path}: expected the settings of this program, got others; name another file.")
    runs: list[dict[str, Any]] = found["runs"]
    restarts: list[dict[str, Any]] = found.get("restarts", [])
    known = {(run["network"], run["seeds"], run["rate"], run["branches"], run["data_seed"]) for run in runs}

    def run(name: str, seeds: str, rate: float, branches: float, epochs: int = EPOCHS) -> None:
        missing = [k for k in DATA_SEEDS[seeds] if (name, seeds, rate, branches, k) not in known]
        raced = partial(_raced, name, rate, branches, WEIGHT_SEEDS[seeds], epochs)
        for data_seed, found in zip(missing, sweep(raced, missing, executor=executor, cache=cache), strict=True):
            line = {"network": name, "seeds": seeds, "rate": rate, "branches": branches, "data_seed": data_seed}
            runs.append(line | {"epochs": epochs, **found})
            records.write(path, header, runs=runs, restarts=restarts)
            print(f"{name}, {seeds}, {rate:g}, {branches:g}, data {data_seed}: {found['reached']}", flush=True)

    with pool(processes) as executor:
        for name in NETWORKS:
            for rate, branches in _settings(runs, name):
                # A setting that needs twice as long as another is not the best, whatever it needs.
                run(name, "choosing", rate, branches, int(min(EPOCHS, 2 * _first(runs, name)[0])))
            for rate, branches in shortlist(runs, name):
                run(name, "deciding", rate, branches)
            for _, rate, branches in decided(runs, name)[:2]:
                run(name, "reported", rate, branches)
    for rate, data_seed in itertools.product(RESTART_RATES, RESTART_DATA_SEEDS):
        if (rate, data_seed) not in {(line["rate"], line["data_seed"]) for line in restarts}:
            restarts.append({"rate": rate, "data_seed": data_seed, **restart(rate, data_seed, RESTART_EPOCHS[-1])})
            records.write(path, header, runs=runs, restarts=restarts)
    records.write(path, header, runs=runs, restarts=restarts)


def _raced(
    name: str, rate: float, branches: float, weight_seeds: tuple[int, ...], epochs: int, data_seed: int
) -> dict[str, Any]:
    data = synthetic(seed=data_seed)
    shares = race(name, data, rate=rate, branches=branches, weight_seeds=weight_seeds, epochs=epochs)
    right = np.rint(shares * data.tokens.numel())
    after = {
        str(epoch): [None if math.isnan(u) else int(u) for u in right[:, epoch - 1]]
        for epoch in CHECKPOINTS
        if epoch <= shares.shape[1]
    }
    return {"reached": [reached(row) for row in shares], "right_after": after}


def _settings(runs: Lines, name: str) -> Iterator[tuple[float, float]]:
    """Rates and branches to try, one after the other: what is best so far decides whether to look farther."""
    yield from itertools.product(RATES, BRANCHES)
    if _first(runs, name)[1] >= max(RATES):
        yield from itertools.product(FARTHER["rates"], BRANCHES)
    edge = max(BRANCHES)
    for larger in FARTHER["larger branches"]:
        if _first(runs, name)[2] >= edge:
            yield from itertools.product(RATES, [larger])
            edge = larger
    for smaller in FARTHER["smaller branches"]:
        if _first(runs, name)[2] <= min(BRANCHES):
            yield from itertools.product(RATES, [smaller])


def restart(rate: float, data_seed: int, epochs: int) -> dict[str, Any]:
    """The network of Corollary 1, trained from its own weights in float64: tokens right after some epochs.

    And the fewest and the most from epoch 100 on, if it gets there.
    """
    data = synthetic(seed=data_seed)
    memory = memorise(data.tokens.numpy() + 1, data.labels.numpy())
    network = recalling_network(memory, vocabulary=20, classes=3, dtype=torch.float64)
    right = [round(share * data.tokens.numel()) for share in fit(network, data, epochs=epochs, rate=rate)]
    after = {str(epoch): right[epoch - 1] for epoch in RESTART_EPOCHS if epoch <= epochs}
    return {"right_after": after, "from_100": [min(right[99:]), max(right[99:])] if epochs >= 100 else None}


def _first(runs: Lines, name: str) -> tuple[float, float, float]:
    """The least median of the choosing seeds, and its setting; before the first run: inf, and the first settings."""
    for setting in shortlist(runs, name)[:1]:
        return cost(epochs_of(runs, name, "choosing")[setting])[0], *setting
    return math.inf, RATES[0], BRANCHES[0]


def _header(path: Path, processes: int = 1) -> dict[str, Any]:
    return {
        **records.origin(path, COMMAND, processes),
        "settings": {
            "data": "synthetic(seed=data_seed): 32 sequences of 6 out of 20 words, 3 classes",
            "training": "Adam, cross-entropy, all 32 sequences in each step, one step an epoch, float64",
            "epochs": EPOCHS,
            "level": LEVEL,
            "rates": list(RATES),
            "branches": list(BRANCHES),
            "farther": {kind: list(values) for kind, values in FARTHER.items()},
            "shortlist": SHORTLIST,
            "data_seeds": {kind: list(seeds) for kind, seeds in DATA_SEEDS.items()},
            "weight_seeds": {kind: list(seeds) for kind, seeds in WEIGHT_SEEDS.items()},
            "networks": NETWORKS,
        },
        "fields": {
            "seeds": "weight seeds: each rate and size of the branches has the choosing ones, the best few the "
            "deciding ones too, and the best two of these by both together the reported ones",
            "epochs": "the last; while choosing at most twice the least median so far",
            "reached": "the first epoch with the level, for each weight seed in order; null if none up to the last",
            "right_after": "tokens right after some epochs, of 192; a batch of seeds stops when all have the level",
            "restarts": "the network of Corollary 1, trained from its own weights, float64",
            "from_100": "the fewest and the most tokens right after any epoch from 100 on",
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: record the runs in a file."""
    records.program(record, COMMAND, "Train rank-1 transformers and record how soon they learn.", arguments)


if __name__ == "__main__":
    main()
