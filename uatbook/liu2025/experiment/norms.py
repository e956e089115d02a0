"""Norms of W_K and W_Q after training on noisy images: many runs at once, and a recorded run with its controls.

`benchmarks/liu_experiments.py norms` wrote attention-norms.json, which `recorded` reads.

Source: liu2025, section 6. Sizes, optimizer, rates and the controls are ours: the source does not say them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from uatlib.checks import finite, instance, listed, positive, refused, seed, whole
from uatlib.internal.progress import progress
from uatlib.layers import Attention, Head

from ... import records
from ...training import one_thread
from .images import MOST, Images, noised

HIDDEN, BATCH, STEPS = 32, 64, 600
FRESH = 10**6
"""Noise that is drawn again for each batch has seeds of its own, so far from each other for two data seeds."""
LEVELS = tuple(round(0.03 * k, 2) for k in range(round(MOST / 0.03) + 1))
PATH = records.FOLDER / "attention-norms.json"
Weights = Mapping[str, Tensor]


class Trained(NamedTuple):
    """What came out, in arrays of shape (tasks, seeds), and the weights, of shape (tasks, seeds, ...).

    Norms are Frobenius norms. `spread` is the standard deviation of the scores that a token sees, `accuracy` and
    `loss` are those on images that were not trained on.
    """

    w_k: np.ndarray
    w_q: np.ndarray
    spread: np.ndarray
    accuracy: np.ndarray
    loss: np.ndarray
    weights: Weights


def initial(seeds: Sequence[int], d: int, n: int, classes: int) -> dict[str, Tensor]:
    """Random weights, a set for each seed: uniform in +-1/sqrt(inputs), as PyTorch begins linear layers."""
    shapes = {"w_q": (d, d), "w_k": (d, d), "w_v": (d, d), "w_1": (HIDDEN, d * n), "b_1": (HIDDEN, 1)}
    shapes |= {"w_2": (classes, HIDDEN), "b_2": (classes, 1)}
    inputs = {"b_1": d * n, "b_2": HIDDEN}
    rngs = [np.random.default_rng(k) for k in seeds]
    return {
        name: torch.tensor(
            np.stack([rng.uniform(-1, 1, shape) / math.sqrt(inputs.get(name, shape[1])) for rng in rngs]),
            dtype=torch.float32,
        )
        for name, shape in shapes.items()
    }


def answers(weights: Weights, Z: Tensor) -> tuple[Tensor, Tensor]:
    """Scores of the classes, (tasks, seeds, classes, B), and those of attention, (tasks seeds, B, n, n), keys first.

    (W_V Z) Softmax[(W_K Z)^T (W_Q Z)], all of its numbers through a layer of ReLUs. Z has shape (tasks, d, B, n).
    """
    tasks, d, B, n = Z.shape
    runs = tasks * weights["w_q"].shape[1]
    stacked = torch.cat([weights[name] for name in ("w_q", "w_k", "w_v")], dim=2)  # (tasks, seeds, 3d, d)
    made = (stacked.flatten(1, 2) @ Z.flatten(2)).view(runs, 3, d, B, n).permute(1, 0, 3, 2, 4)
    q, k, v = made.reshape(3, runs * B, d, n)
    scores = k.mT @ q
    heard = (v @ scores.softmax(-2)).view(runs, B, d * n).mT
    w_1, b_1, w_2, b_2 = (weights[name].flatten(0, 1) for name in ("w_1", "b_1", "w_2", "b_2"))
    out = w_2 @ torch.relu(w_1 @ heard + b_1) + b_2
    return out.view(tasks, -1, *out.shape[1:]), scores.view(runs, B, n, n)


def train(
    images: Images,
    tasks: Iterable[tuple[str, float]],
    *,
    rate: Any,
    weight_seeds: Iterable[int],
    data_seed: int = 0,
    steps: int = STEPS,
    fresh: bool = False,
) -> Trained:
    """A network for every task (arm, level) and every weight seed, trained side by side; none knows of the others.

    One head of softmax attention with d x d matrices, 32 ReLUs, cross-entropy, Adam, `steps` batches of 64 images,
    the same for all. Of the images, which `data_seed` shuffles, the first 5/8 are trained on; the others measure.
    Each image has its noise once and for all; with `fresh` those that are trained on get another for each batch.

    Raises
    ------
    ValueError
        No images, tasks or seeds; rate not above 0 and at most 1; as `noised`.
    """
    X = instance("images", images, Images).X
    rate, steps = float(positive("rate", finite("rate", rate), 1)), whole("steps", steps, 1, 10**6)
    seeds = [seed(k, "weight_seeds") for k in listed("weight_seeds", weight_seeds)]
    kinds = listed("tasks", tasks, "a list of (arm, level)")
    if not seeds or not kinds:
        raise refused("weight_seeds", "a task and a seed at least", (kinds, seeds))
    order = np.random.default_rng([seed(data_seed, "data_seed"), 2]).permutation(len(X))
    whole_set = _tensors([noised(images, arm, level, data_seed) for arm, level in kinds], order)
    first = initial(seeds, X.shape[1], X.shape[2], images.classes)
    weights = {name: torch.stack([w] * len(kinds)).requires_grad_() for name, w in first.items()}
    optimizer = torch.optim.Adam(weights.values(), lr=rate)
    generator, cut = torch.Generator().manual_seed(data_seed), len(X) * 5 // 8

    def batch(step: int) -> tuple[Tensor, Tensor]:
        rows = torch.randint(0, cut, (BATCH,), generator=generator)
        if fresh:
            drawn = (data_seed + 1) * FRESH + step  # no data seed of any other run
            return _tensors([noised(images, arm, level, drawn) for arm, level in kinds], order[rows])
        return whole_set[0][:, :, rows], whole_set[1][:, rows]

    def losses(Z: Tensor, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        out, scores = answers(weights, Z)
        wanted = labels[:, None].expand(-1, len(seeds), -1)
        each = torch.nn.functional.cross_entropy(out.flatten(0, 1), wanted.flatten(0, 1), reduction="none")
        return each.mean(1).view(len(kinds), -1), (out.argmax(2) == wanted).float().mean(2), scores

    with one_thread():
        for step in progress(range(steps), f"{len(kinds) * len(seeds)} networks"):
            optimizer.zero_grad()
            losses(*batch(step))[0].sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        with torch.no_grad():
            loss, accuracy, scores = losses(whole_set[0][:, :, cut:], whole_set[1][:, cut:])
    spread = scores.std(-2, correction=0).mean((1, 2)).view_as(loss)
    kept = {name: weight.detach() for name, weight in weights.items()}
    w_k, w_q = (torch.linalg.matrix_norm(kept[name]).numpy() for name in ("w_k", "w_q"))
    return Trained(w_k, w_q, spread.numpy(), accuracy.numpy(), loss.numpy(), kept)


def _tensors(tasks: Sequence[Images], rows: np.ndarray) -> tuple[Tensor, Tensor]:
    """These rows of all tasks: Z of shape (tasks, d, rows, n), and labels (tasks, rows)."""
    Z = torch.tensor(np.stack([task.X[rows] for task in tasks]), dtype=torch.float32)
    return Z.transpose(1, 2).contiguous(), torch.tensor(np.stack([task.labels[rows] for task in tasks]))


def head_of(weights: Weights, task: int, run: int) -> Attention:
    """The attention of one run as a layer of the library."""
    w_q, w_k, w_v = (weights[name][task, run].double().numpy() for name in ("w_q", "w_k", "w_v"))
    return Attention([Head(w_q=w_q, w_k=w_k, w_v=w_v, w_o=np.eye(len(w_v)))], skip=False)


def recorded(file: Path = PATH) -> dict[str, object]:
    """A record. ValueError if there is no such file: it lies in the repository, not in the package."""
    return records.read(file, "benchmarks/liu_experiments.py {norms,kinks}")


def chosen_rates(record: Mapping[str, Any], seeds: str = "choosing") -> dict[str, float]:
    """For each arm the rate with the largest mean accuracy over levels and choosing seeds, which are not reported."""
    right: dict[str, dict[float, list[float]]] = {}
    for run in record["runs"]:
        if run["seeds"] == seeds:
            right.setdefault(run["arm"], {}).setdefault(run["rate"], []).extend(run["accuracy"])
    return {arm: max(tried, key=lambda rate: float(np.mean(tried[rate]))) for arm, tried in right.items()}


def curves(
    record: Mapping[str, Any], field: str, *, rate: float | None = None, seeds: str = "reported"
) -> dict[str, np.ndarray]:
    """By arm, `field` of the runs with these seeds at this rate, or at the arm's best; shape (levels, seeds)."""
    best, found = chosen_rates(record), dict[str, dict[float, list[float]]]()
    for run in record["runs"]:
        if (run["seeds"], run["rate"]) == (seeds, rate or best[run["arm"]]):
            found.setdefault(run["arm"], {}).setdefault(run["level"], []).extend(run[field])
    return {arm: np.array([rows[level] for level in sorted(rows)]) for arm, rows in found.items()}
