"""How soon rank-1 transformers learn: many seeds at once, each network at its own best rate; a recorded run of it.

The text says that deeper networks learn faster, so what is measured is the epochs until 9 of 10 tokens are right.
`benchmarks/rank_one.py` trained eleven networks on random labels and wrote rank-one.json. `recorded` reads that
file; `summary` gives ten random weights of each network at its best, which others picked.

Source: kajitsuka2024, section 5. Rates, seeds and all networks but the first of each depth are ours.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from uatlib.checks import choice, items, listed, positive, whole
from uatlib.internal.progress import progress

from ... import records
from ...training import one_thread
from .networks import RankOneTransformer, Sizes
from .token_classification import Sequences, sequences_of
from .train import rate_of, require_fit

NETWORKS: dict[str, dict[str, Any]] = {
    "1 layer": {"layers": 1},
    "192 units": {"layers": 1, "hidden": 192},
    "6 layers, 1 hears": {"layers": 6, "hearing": 1},
    "1 layer, own keys": {"layers": 1, "tied": False},
    "6 heads, 1 number": {"layers": 1, "heads": 6, "numbers": 1},
    "3 layers": {"layers": 3},
    "3 heads": {"layers": 1, "heads": 3},
    "6 layers": {"layers": 6},
    "6 heads": {"layers": 1, "heads": 6},
    "1 head, 6 numbers": {"layers": 1, "heads": 1, "numbers": 6},
    "6 heads, 192 units": {"layers": 1, "heads": 6, "hidden": 192},
}
"""Sizes by name; d = 32, and 32 hidden units a layer where nothing is said."""
SHORTLIST = 3
LEVEL, EPOCHS = 0.9, 400
Lines = Sequence[Mapping[str, Any]]
PATH = records.FOLDER / "rank-one.json"


def fit_together(
    networks: Sequence[RankOneTransformer], data: Sequences, *, epochs: int, rate: float, until: float | None = None
) -> np.ndarray:
    """Networks of one shape trained in place, each as `fit` does with all sequences in one batch, but all at once.

    Returns the shares of tokens that are right after each epoch, shape (networks, epochs), NaN where scores are no
    finite numbers. Each network has its own loss, gradient and state of Adam, so that none knows of the others; sums
    are in another order than in `fit`.

    Parameters
    ----------
    until : stop when every network has come to this share, or has no finite scores

    Raises
    ------
    ValueError
        There is no network, their shapes differ, or as `fit`.
    """
    networks = items("networks", networks, RankOneTransformer)
    if len({tuple((k, w.shape) for k, w in network.named_parameters()) for network in networks}) != 1:
        raise ValueError("networks: expected one or more of one shape.")
    require_fit(networks[0], data)
    epochs, rate = whole("epochs", epochs, 1), rate_of(rate)
    goal = math.inf if until is None else float(positive("until", until, 1))
    stacked, _ = stack_module_state(networks)
    weights = {name: weight.detach().requires_grad_() for name, weight in stacked.items()}
    labels, count = data.labels, int((data.labels >= 0).sum())

    def scores_and_loss(own: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        scores = functional_call(networks[0], dict(own), (data.tokens,))
        return scores, nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten(), ignore_index=-1)

    optimizer = torch.optim.Adam(weights.values(), lr=rate)
    shares: list[np.ndarray] = []
    arrived = np.zeros(len(networks), dtype=bool)
    with one_thread():
        for epoch in progress(range(epochs + 1), f"{len(networks)} networks"):
            # The scores that a step begins with are those after the step before it.
            scores, losses = vmap(scores_and_loss)(weights)
            if epoch:
                right = (scores.detach().argmax(-1) == labels).sum((1, 2)).double() / count
                finite = scores.detach().isfinite().flatten(1).all(1)
                shares.append(right.where(finite, math.nan).numpy())
                arrived |= ~(shares[-1] < goal)
                if arrived.all() or epoch == epochs:
                    break
            optimizer.zero_grad()
            losses.sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    with torch.no_grad():
        for k, network in enumerate(networks):
            for name, weight in network.named_parameters():
                weight.copy_(weights[name][k])
    return np.stack(shares, axis=1)


def reached(shares: Sequence[float], level: float = LEVEL) -> int | None:
    """The first epoch after which so many tokens are right, counted from 1; None if there is none."""
    return next((epoch for epoch, share in enumerate(shares, 1) if share >= level), None)


def race(
    name: str,
    data: Sequences,
    *,
    rate: float,
    branches: float = 1.0,
    weight_seeds: Iterable[int],
    epochs: int = EPOCHS,
    until: float = LEVEL,
) -> np.ndarray:
    """`fit_together` for one of `NETWORKS`, in float64, with the random weights of each seed. The data have their own.

    Errors as `fit_together` and `RankOneTransformer`, or another name.
    """
    sizes = Sizes(**NETWORKS[choice("name", name, list(NETWORKS))], branches=branches)
    words, classes = len(sequences_of(data).words), len(data.classes)
    seeds = listed("weight_seeds", weight_seeds)
    networks = [RankOneTransformer(words, classes, sizes, seed=seed).double() for seed in seeds]
    return fit_together(networks, data, epochs=epochs, rate=rate, until=until)


# ------------------------------------------------------------------------------------------------------- recorded runs


def epochs_of(runs: Lines, name: str, *seeds: str) -> dict[tuple[float, float], list[int | None]]:
    """The epochs of these runs by rate and branches."""
    tried: dict[tuple[float, float], list[int | None]] = {}
    for run in runs:
        if run["network"] == name and run["seeds"] in seeds:
            tried.setdefault((run["rate"], run["branches"]), []).extend(run["reached"])
    return tried


def cost(epochs: Sequence[int | None]) -> tuple[float, int, float]:
    """The median, where a run that never came is later than all; then how many never came; then the others' mean."""
    came = [epoch for epoch in epochs if epoch is not None]
    return statistics.median(_late(epochs)), epochs.count(None), statistics.fmean(came or [math.inf])


def shortlist(runs: Lines, name: str) -> list[tuple[float, float]]:
    """The few rates and branches that the choosing seeds find best, the least `cost` first, then the smaller rate."""
    tried = epochs_of(runs, name, "choosing")
    return sorted(tried, key=lambda setting: (cost(tried[setting]), setting))[:SHORTLIST]


def decided(runs: Lines, name: str) -> list[tuple[float, float, float]]:
    """The shortlist in the order of its choosing and deciding runs together: median of epochs, rate and branches.

    A run that never came counts as later than all. Between equal medians fewer of those decide, then the mean of the
    others, then the smaller rate.
    """
    tried = epochs_of(runs, name, "choosing", "deciding")
    found = sorted((cost(tried[setting]), setting) for setting in shortlist(runs, name))
    return [(median, *setting) for (median, _, _), setting in found]


def _late(epochs: Iterable[int | None]) -> list[float]:
    return [math.inf if epoch is None else float(epoch) for epoch in epochs]


def recorded(path: Path = PATH) -> dict[str, object]:
    """The record. ValueError if there is no such file: it lies in the repository, not in the package."""
    return records.read(path, "benchmarks/rank_one.py")


@dataclass(frozen=True)
class Entry:
    """One network of a record with one setting; epochs of its reported runs by data seed, None if one never came."""

    network: str
    weights: int
    rate: float
    branches: float
    by_data: dict[int, list[int | None]]

    @property
    def epochs(self) -> list[float]:
        """Of all runs, sorted; inf for those that never came."""
        return sorted(_late(epoch for runs in self.by_data.values() for epoch in runs))


def summary(record: Mapping[str, Any], *, second: bool = False) -> dict[str, Entry]:
    """The reported runs of a record, by network, each at its best; or with its second best setting."""
    entries = {}
    for name, sizes in record["settings"]["networks"].items():
        _, rate, branches = decided(record["runs"], name)[int(second)]
        here = (name, "reported", rate, branches)
        by_data = {
            run["data_seed"]: run["reached"]
            for run in record["runs"]
            if (run["network"], run["seeds"], run["rate"], run["branches"]) == here
        }
        entries[name] = Entry(name, RankOneTransformer(20, 3, Sizes(**sizes)).trained, rate, branches, by_data)
    return entries
