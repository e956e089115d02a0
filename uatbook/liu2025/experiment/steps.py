"""Step functions of one number, learned by the head of Proposition 3.2; and the kinks of what is in its scores.

`benchmarks/liu_experiments.py kinks` wrote step-kinks.json; `heads` reads its lines.

Source: liu2025, appendix D.1. Sizes, optimizer, rates and the targets but for one step are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import torch

from uatlib.checks import choice, finite, instance, listed, number, positive, refused, seed, whole
from uatlib.internal.progress import progress

from ... import records
from ...training import one_thread
from ..max_affine import MaxAffine

LOW, HIGH, POINTS, RATE = -1, 1, 400, 0.1
NEAR = 0.01
"""How far from a step a kink may be: .005 of the width of [-1, 1], twice the distance of points."""
GRID = LOW + (HIGH - LOW) * (np.arange(POINTS) + 0.5) / POINTS
PATH = records.FOLDER / "step-kinks.json"


class Steps(NamedTuple):
    """A step function on [-1, 1]: `heights[k]` between the (k-1)-th and the k-th of the rising `places`."""

    places: Sequence[float]
    heights: Sequence[float]

    def __call__(self, x: Any) -> np.ndarray:
        """Its values; at a step the one to the right."""
        return np.asarray(self.heights, dtype=float)[np.searchsorted(self.places, x, side="right")]


TARGETS = {
    "one step": Steps((0.2,), (0, 1)),
    "staircase": Steps((-0.5, 0, 0.5), (0, 1 / 3, 2 / 3, 1)),
    "zigzag": Steps((-0.5, 0, 0.5), (0, 1, 0, 1)),
}


class Heads(NamedTuple):
    """Runs of sum_i V_i softmax_i(a_i x + b_i), arrays of shape (runs, N): Proposition 3.2's head, R in a and b."""

    A: np.ndarray
    b: np.ndarray
    V: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Their values at x, shape (runs, points)."""
        scores = self.A[..., None] * x + self.b[..., None]
        powers = np.exp(scores - scores.max(axis=-2, keepdims=True))
        return np.einsum("rn,rnx->rx", self.V, powers) / powers.sum(axis=-2)

    def max_affine(self, run: int) -> MaxAffine:
        """max_i a_i x + b_i of one run."""
        return MaxAffine(self.A[run][None], self.b[run])

    def error(self, target: Steps) -> np.ndarray:
        """Mean squared errors at the points that are trained on, shape (runs,)."""
        return np.mean((self(GRID) - target(GRID)) ** 2, axis=1)

    def distances(self, target: Steps) -> np.ndarray:
        """How far from each step the nearest kink is, shape (runs, steps); inf if there is none."""
        found = ([float(x) for x in kinks(self.max_affine(run))] for run in range(len(self.A)))
        return np.array([[min((abs(x - s) for x in own), default=np.inf) for s in target.places] for own in found])


def kinks(max_affine: MaxAffine, low: object = LOW, high: object = HIGH) -> list[Fraction]:
    """Where max_i a_i x + b_i turns, exactly, in [low, high]: two components with other slopes meet, and none is above.

    ValueError for no MaxAffine with d = 1, or low > high.

    Source: liu2025, appendix D.1.
    """
    A, b = instance("max_affine", max_affine, MaxAffine).A, max_affine.b
    if len(A) != 1:
        raise refused("max_affine", "one of d = 1", f"d = {len(A)}")
    ends = [Fraction(number(name, value)) for name, value in (("low", low), ("high", high))]
    if ends[0] > ends[1]:
        raise refused("high", "an end not below low", high)
    a = A[0]
    meets = {Fraction(b[j] - b[i]) / (a[i] - a[j]): i for i in range(len(a)) for j in range(i) if a[i] != a[j]}
    return sorted(x for x in meets if ends[0] <= x <= ends[1] and _turns(a, b, x))


def _turns(a: np.ndarray, b: np.ndarray, x: Fraction) -> bool:
    values = a * x + b
    return len(set(a[values == values.max()])) > 1


def learn(
    target: Steps,
    *,
    components: int,
    seeds: Iterable[int],
    checkpoints: Iterable[int],
    rate: object = RATE,
) -> dict[int, Heads]:
    """Heads trained side by side, one for each seed, from standard normal A, b and V; as they are at the checkpoints.

    Adam on the mean squared error at 400 points of [-1, 1], all in each step, in float64.

    Raises
    ------
    ValueError
        No `Steps`, no seeds or checkpoints, N < 1, rate not above 0 and at most 1.

    Source: liu2025, appendix D.1, with Proposition 3.2's head.
    """
    instance("target", target, Steps)
    N, rate = whole("components", components, 1, 1000), float(positive("rate", finite("rate", rate), 1))
    own = [seed(k, "seeds") for k in listed("seeds", seeds)]
    stops = {whole("checkpoints", k, 0, 10**6) for k in listed("checkpoints", checkpoints)}
    if not own or not stops:
        raise refused("seeds", "a seed and a checkpoint at least", (own, sorted(stops)))
    start = np.stack([np.random.default_rng(k).normal(size=(3, N)) for k in own], axis=1)
    weights = torch.tensor(start, requires_grad=True)
    x, y = torch.tensor(GRID), torch.tensor(target(GRID))
    optimizer = torch.optim.Adam([weights], lr=rate)
    found = {}
    with one_thread(), torch.no_grad():
        for step in progress(range(max(stops) + 1), f"{len(own)} heads"):
            if step in stops:
                found[step] = Heads(*weights.numpy().copy())
            A, b, V = weights[..., None]
            shares = (A * x + b).softmax(1)  # (runs, N, points)
            values = (V * shares).sum(1, keepdim=True)
            # By hand: d error / d score_i = share_i (V_i - value) slope. Twice as fast as by autograd.
            slope = 2 / POINTS * shares * (values - y)
            scores = slope * (V - values)
            weights.grad = torch.stack([scores @ x, scores.sum(-1), slope.sum(-1)])
            optimizer.step()
    return found


def heads(record: Mapping[str, Any], target: str, components: int, seeds: str = "reported") -> dict[int, Heads]:
    """The heads of a record by steps of training."""
    choice("target", target, list(TARGETS))
    lines = [
        run for run in record["runs"] if (run["target"], run["components"], run["seeds"]) == (target, components, seeds)
    ]
    return {run["steps"]: Heads(*(np.array(run[name]) for name in ("A", "b", "V"))) for run in lines}


def chosen_rate(record: Mapping[str, Any], target: str, components: int) -> float:
    """The rate with the least mean squared error over the choosing seeds, which are not reported."""
    here = (target, components, "choosing")
    lines = [run for run in record["runs"] if (run["target"], run["components"], run["seeds"]) == here]
    return float(min(lines, key=lambda run: float(np.mean(run["loss"])))["rate"])


def without_kinks(target: Steps, components: int = 8, slope: float = 1, beyond: float = 1.05) -> Heads:
    """A head whose max-affine function has no kink in [-1, 1], with V by least squares: a counterexample.

    All components meet at `beyond`, so that one is the largest before it. The other shares are there all the same:
    they are powers of e^(slope (x - beyond)) over their sum, and V makes polynomials of them.
    """
    a = slope * np.arange(components)
    empty = Heads(a[None], -a[None] * beyond, np.zeros((1, components)))
    shares = np.stack([empty._replace(V=row[None])(GRID)[0] for row in np.eye(components)], axis=1)
    return empty._replace(V=np.linalg.lstsq(shares, target(GRID), rcond=None)[0][None])


def at_steps(target: Steps, precision: float) -> Heads:
    """The head of Propositions 3.2 and 3.3 for a step function: kinks at the steps, heights as values, times R."""
    a = np.arange(len(target.heights), dtype=float)
    b = np.concatenate([[0], -np.cumsum(target.places)])
    return Heads(precision * a[None], precision * b[None], np.array(target.heights, dtype=float)[None])


def line_error(target: Steps) -> float:
    """The mean squared error of the best straight line at the same points."""
    return float(np.mean((np.polyval(np.polyfit(GRID, target(GRID), 1), GRID) - target(GRID)) ** 2))
