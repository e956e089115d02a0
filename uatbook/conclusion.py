"""The last chapter: trained transformers beside those of the proofs, with about as many weights.

`benchmarks/conclusion.py` wrote conclusion.json: transformers that were trained to follow mean_product(2), each
size at several learning rates, the best of them with seeds of its own.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from uatlib.checks import choice, positive, seed, whole
from uatlib.comparison import Row
from uatlib.internal.integrals import Distance
from uatlib.metrics import lp_distance, sup_distance
from uatlib.targets import mean_product

from . import records, training

SIZES = {"as Yun et al.": (1, 8, 36), "as Liu et al.": (2, 32, 64)}
"""Layers, width and hidden units of transformers with about as many weights as theirs at 8 cells a side."""
HEADS, BATCH, MAX_STEPS, CELLS, ORDER, LATTICE = 2, 256, 100_000, 8, 5, 256
PATH = records.FOLDER / "conclusion.json"
COMMAND = "benchmarks/conclusion.py"


class _Block(nn.Module):
    """Softmax attention and two linear maps with a ReLU between them, each added to what it is given."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(width, HEADS, batch_first=True)
        self.feed_forward = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))

    def forward(self, X: Tensor) -> Tensor:
        X = X + self.attention(X, X, X, need_weights=False)[0]
        return X + self.feed_forward(X)


def network(size: str) -> nn.Sequential:
    """A transformer from tokens of one number to answers of one, without positions, for X of shape (batch, n, 1)."""
    layers, width, hidden = SIZES[choice("size", size, tuple(SIZES))]
    blocks = (_Block(width, hidden) for _ in range(layers))
    return nn.Sequential(nn.Linear(1, width), *blocks, nn.Linear(width, 1))


def weights(size: str) -> int:
    """Weights and biases of `network`."""
    return sum(tensor.numel() for tensor in network(size).parameters())


def fit(size: str, *, seed_of_weights: int, steps: int, rate: float) -> nn.Sequential:
    """Trained on fresh uniform sequences by Adam, squared error; the rate falls to zero as a cosine does.

    The sequences have a seed apart from that of the weights.

    Raises
    ------
    ValueError
        Another size, no seed, steps not from 1 to 100,000, or a rate that is not positive.
    """
    start, steps = seed(seed_of_weights), whole("steps", steps, 1, MAX_STEPS)
    pace, f = float(positive("rate", rate)), mean_product(2)
    with training.one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(start)
        model, draw = network(size), torch.Generator().manual_seed(10_000 + start)
        optimizer = torch.optim.Adam(model.parameters(), lr=pace)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
        for _ in range(steps):
            X = torch.rand(BATCH, 1, f.n, generator=draw)
            loss = (model(X.mT).mT - f(X)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return model


def errors(model: nn.Module) -> tuple[float, float]:
    """d_2 and the largest error on the square, by the rule and on the lattice of `uatlib.comparison`."""
    f, axis = mean_product(2), np.linspace(0, 1, LATTICE)

    def g(X: Any) -> np.ndarray:
        with torch.no_grad():
            return model(torch.as_tensor(np.asarray(X), dtype=torch.float32).mT).mT.double().numpy()

    lattice = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 1, 2)
    with training.one_thread():
        d_2 = lp_distance(f, g, n=2, d=1, cells=CELLS, order=ORDER).value
        return d_2, sup_distance(f, g, lattice).value


# ------------------------------------------------------------------------------------------------------- recorded runs


@cache
def recorded(path: Path = PATH) -> dict[str, Any]:
    """The record. ValueError if there is no such file: it lies in the repository, not in the package."""
    return records.read(path, COMMAND)


def best_rate(runs: Iterable[Mapping[str, Any]], size: str) -> float:
    """The rate with the least median d_2 of the choosing seeds."""
    found: dict[float, list[float]] = {}
    for run in runs:
        if (run["size"], run["seeds"]) == (size, "choosing"):
            found.setdefault(run["rate"], []).append(run["d_2"])
    return min(found, key=lambda rate: statistics.median(found[rate]))


def trained(size: str) -> Row:
    """The row of a trained transformer: the medians of its reported seeds."""
    runs = [run for run in recorded()["runs"] if (run["size"], run["seeds"]) == (size, "reported")]
    layers, _, hidden = SIZES[choice("size", size, tuple(SIZES))]
    d_2, sup = (statistics.median(run[key] for run in runs) for key in ("d_2", "sup"))
    points = (CELLS * (ORDER + 1)) ** 2
    return Row(
        f"trained, {size.removeprefix('as ')}’s size",
        layers=2 * layers + 2,
        heads=HEADS,
        hidden=hidden,
        weights=weights(size),
        nonzero=weights(size),
        bits=24,
        error=Distance(d_2, "quadrature", points),
        sup=Distance(sup, "exhaustive", LATTICE**2),
    )
