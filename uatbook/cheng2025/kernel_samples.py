"""What statements about kernels share: examples by name, points, layers, contexts and the gaps between them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from uatlib.arithmetic import BALL, FLOAT64
from uatlib.checks import choice, whole
from uatlib.cheng2025.distinguishing import two_tokens
from uatlib.cheng2025.named_kernels import kernel
from uatlib.kernels import Kernel
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from ..damages import Damage, replaced

HALF = Fraction(1, 2)
OMEGA = ((1, HALF, -1), (-1, 2, HALF), (Fraction(1, 4), -1, 1))
OPPOSITE = ((1, HALF), (-1, -HALF), (-HALF, 1), (HALF, -1))
HOLDING = ("exp", "rbf", "performer", "exp_sum", "poly_times")
"""Kernels that satisfy (13), in the order of section 4.1."""


def example(name: str, d: int = 2) -> Kernel:
    """The kernel of that name, with parameters of our choice; "antithetic" is Performer with omega and -omega."""
    parameters: dict[str, dict[str, object]] = {
        "rbf": {"gamma": HALF},
        "performer": {"omega": [row[:d] for row in OMEGA]},
        "exp_sum": {"w": (1, -HALF, 2)[:d]},
        "exp_plus": {"w": (1, -HALF, 2)[:d]},
        "poly_times": {"polynomial": (1, 0, 1), "base": kernel("exp")},
        "polynomial": {"power": 2, "offset": 1},
        "cosine": {"offset": d + 1},
    }
    if name == "antithetic":
        return kernel("performer", omega=OPPOSITE)
    return kernel(name, **parameters.get(name, {}))


def points(count: int, d: int) -> np.ndarray:
    """The points of Z^d nearest to 0, without 0, opposite ones side by side; shape (d, count)."""
    reach = next(k for k in itertools.count(1) if (2 * k + 1) ** d > count)
    lattice = itertools.product(range(-reach, reach + 1), repeat=d)
    order = sorted(lattice, key=lambda c: (sum(map(abs, c)), [-abs(u) for u in c], [-u for u in c]))
    return np.array(order[1 : count + 1], dtype=object).T


def weights(d: int, count: int, seed: int, size: int = 1000) -> np.ndarray:
    """d x d matrices of whole numbers below `size`, shape (count, d, d)."""
    return np.random.default_rng(seed).integers(1 - size, size, size=(count, d, d)).astype(object)


def sizes(name: object, n: object, d: object, least: int) -> tuple[str, int, int]:
    """The kernel's name, n and d, parsed."""
    return choice("kernel", name, HOLDING), whole("n", n, least, 8), whole("d", d, 1, 3)


def one_layer(k: Kernel, W_K: Any, W_V: Any = None, W_Q: Any = None) -> Transformer:
    """A head of this kernel alone; matrices not given are the identity."""
    one = np.eye(len(W_K), dtype=int)
    w_q, w_v = (one if W is None else W for W in (W_Q, W_V))
    return Transformer([Attention([Head(w_q, W_K, w_v, one)], kernel=k)])


def contexts(vocabulary: np.ndarray, n: int) -> np.ndarray:
    """All sets of n columns of `vocabulary`, shape (count, d, n)."""
    return np.array([vocabulary[:, list(c)] for c in itertools.combinations(range(vocabulary.shape[1]), n)])


def least_gap(model: Transformer, X: np.ndarray) -> tuple[float, dict[str, Any], int, int]:
    """A lower bound on the distance (largest entry) of any two tokens of all outputs; which; pairs, those it is 0 for.

    Balls are taken as floats, whose errors and radii are taken off; where nothing is left, the distance of the balls.
    """
    out = model(X, BALL)
    ids = out.transpose(0, 2, 1).reshape(-1, X.shape[1])
    middles = ids.astype(float)
    error = max(float(ball.radius) for ball in ids.flat) + 2.0**-50 * (1 + abs(middles).max())
    gaps = np.full((len(ids),) * 2, np.inf)
    for k in range(1, len(ids)):
        gaps[k, :k] = abs(middles[k] - middles[:k]).max(axis=1) - 2 * error
    for k, j in np.argwhere(gaps <= 0):
        pairs = zip(ids[k], ids[j], strict=True)
        gaps[k, j] = max(0.0, *(float(max(a.lower - b.upper, b.lower - a.upper)) for a, b in pairs))
    places = (divmod(int(k), X.shape[-1]) for k in np.unravel_index(int(gaps.argmin()), gaps.shape))
    return float(gaps.min()), two_tokens(X, *places), len(ids) * (len(ids) - 1) // 2, int((gaps == 0).sum())


def quarters(d: int, seed: int) -> list[np.ndarray]:
    """W_Q, W_K and W_V of odd quarters."""
    drawn = 2 * np.random.default_rng(seed).integers(-4, 4, size=(3, d, d)) + 1
    return [W.astype(object) * Fraction(1, 4) for W in drawn]


def reweighted(**factors: Callable[[int], np.ndarray]) -> Damage:
    """The layer with weights times these, from the right."""

    def damaged(parts: Any, rng: np.random.Generator) -> Any:
        layer = parts.model.layers[0]
        head = layer.heads[0]
        d = head.w_k.shape[1]
        new = {name: getattr(head, name) @ factor(d) for name, factor in factors.items()}
        return replaced(parts, model=Transformer([replaced(layer, heads=[replaced(head, **new)])]))

    return damaged


def nothing(d: int) -> np.ndarray:
    """The matrix 0."""
    return np.zeros((d, d), dtype=int)


def best(k: Kernel, X: np.ndarray) -> Transformer:
    """Out of five layers the one with the largest gap in floats."""

    def gap(model: Transformer) -> float:
        ids = model(X.astype(float), FLOAT64).numpy().transpose(0, 2, 1).reshape(-1, X.shape[1])
        far = abs(ids[:, None] - ids).max(axis=2)
        np.fill_diagonal(far, np.inf)
        return float(far.min())

    layers = (quarters(X.shape[1], seed) for seed in range(5))
    return max((one_layer(k, W_K, W_V, W_Q) for W_Q, W_K, W_V in layers), key=gap)
