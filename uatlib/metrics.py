"""Distances between functions of sequences, each with its own error, and the equivariance error."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from .progress import progress
from .targets import entrywise_norm

__all__ = ["Distance", "equivariance_error", "lp_distance", "sup_distance"]

MAX_POINTS = 50_000_000
CHUNK = 65_536


@dataclass(frozen=True)
class Distance:
    """A measured distance.

    Attributes
    ----------
    value : the distance
    error : what it may be off by: 0 (exhaustive), the change under refinement (quadrature), one standard error
        (Monte Carlo)
    method : "exhaustive", "quadrature" or "monte carlo"
    points : how many sequences were evaluated
    witness : the sequence with the largest difference, where that was asked for
    """

    value: float
    error: float
    method: Literal["exhaustive", "quadrature", "monte carlo"]
    points: int
    witness: Any = None


def _difference(f: Callable[[Any], Any], g: Callable[[Any], Any], X: np.ndarray, p: float) -> np.ndarray:
    return entrywise_norm(_floats(f(X)) - _floats(g(X)), p)


def _floats(values: Any) -> np.ndarray:
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu().numpy()
    return np.asarray(values, dtype=np.float64)


def sup_distance(
    f: Callable[[Any], Any],
    g: Callable[[Any], Any],
    points: Iterable[np.ndarray] | np.ndarray,
    p: float = math.inf,
) -> Distance:
    """max over the given points of |f(X) - g(X)| in the entrywise p-norm, with the point where it is attained.

    `points` is an array of shape (batch, d, n), or an iterable of such arrays.
    """
    best, witness, count = -math.inf, None, 0
    for X in [points] if isinstance(points, np.ndarray) else points:
        gap = _difference(f, g, X, p)
        count += len(X)
        k = int(gap.argmax())
        if gap[k] > best or math.isnan(gap[k]):
            best, witness = float(gap[k]), X[k]
    if count == 0:
        raise ValueError("sup_distance: expected at least one point, got none.")
    return Distance(best, 0.0, "exhaustive", count, witness)


def lp_distance(
    f: Callable[[Any], Any],
    g: Callable[[Any], Any],
    *,
    n: int,
    d: int,
    p: float = 2,
    domain: tuple[float, float] = (0, 1),
    method: Literal["quadrature", "monte carlo"] = "quadrature",
    cells: int = 8,
    order: int = 3,
    samples: int = 100_000,
    seed: int = 0,
) -> Distance:
    """d_p(f, g) = (integral over the box of |f(X) - g(X)|_p^p dX)^(1/p), the distance of yun2020, section 3.

    Parameters
    ----------
    f, g : map arrays of shape (batch, d, n) to the same shape
    p : 1 <= p < inf
    method : "quadrature" is the Gauss-Legendre rule with `order` points in each of `cells` equal pieces of every axis
        (let jumps fall on the pieces' edges); its error is the change to order + 1. "monte carlo" takes `samples`
        uniform points; its error is one standard error.

    Raises
    ------
    ValueError
        p outside [1, inf), or more than 50 million points.
    """
    if not 1 <= p < math.inf:
        raise ValueError(f"lp_distance: expected 1 <= p < inf, got {p!r}; use sup_distance for the maximum.")
    low, high = domain
    volume = (high - low) ** (d * n)
    if method == "monte carlo":
        rng = np.random.default_rng(seed)
        sizes = [min(CHUNK, samples - start) for start in range(0, samples, CHUNK)]
        powers = np.concatenate(
            [_difference(f, g, rng.uniform(low, high, (size, d, n)), p) ** p for size in progress(sizes, "Monte Carlo")]
        )
        mean, spread = volume * powers.mean(), volume * powers.std(ddof=1) / math.sqrt(samples)
        # The delta method carries the standard error through the p-th root.
        error = spread / p * mean ** (1 / p - 1) if mean > 0 else 0.0
        return Distance(float(mean ** (1 / p)), float(error), "monte carlo", samples)
    if method != "quadrature":
        raise ValueError(f'lp_distance: expected method "quadrature" or "monte carlo", got {method!r}.')
    points = (cells * (order + 1)) ** (d * n)
    if points > MAX_POINTS:
        raise ValueError(
            f"lp_distance: quadrature would take {points:,} points, the limit is {MAX_POINTS:,}; "
            'choose fewer cells or method="monte carlo".'
        )
    coarse, fine = (
        _gauss_legendre(lambda X: _difference(f, g, X, p) ** p, d, n, domain, cells, k) for k in (order, order + 1)
    )
    value = fine ** (1 / p)
    return Distance(value, abs(value - coarse ** (1 / p)), "quadrature", points)


def _gauss_legendre(
    integrand: Callable[[np.ndarray], np.ndarray],
    d: int,
    n: int,
    domain: tuple[float, float],
    cells: int,
    order: int,
) -> float:
    nodes, weights = np.polynomial.legendre.leggauss(order)
    width = (domain[1] - domain[0]) / cells
    axis = (domain[0] + width * (np.arange(cells)[:, None] + (nodes + 1) / 2)).ravel()
    weight = np.tile(weights * width / 2, cells)
    total, count = 0.0, len(axis) ** (d * n)
    for start in progress(range(0, count, CHUNK), "quadrature"):
        index = np.arange(start, min(start + CHUNK, count))
        digits = np.stack([index // len(axis) ** k % len(axis) for k in range(d * n)], axis=-1)
        total += float(weight[digits].prod(axis=-1) @ integrand(axis[digits].reshape(-1, d, n)))
    return total


def equivariance_error(
    f: Callable[[Any], Any], X: np.ndarray, permutations: Sequence[tuple[int, ...]] | None = None
) -> Distance:
    """max |f(X P) - f(X) P| over the given sequences and permutations (all n! of them unless named).

    X has shape (batch, d, n); the differences are taken in the numbers that f returns, so that exact stays exact. The
    witness is the pair (sequence, permutation).
    """
    if permutations is None:
        permutations = list(itertools.permutations(range(X.shape[-1])))
    fX = f(X)
    best, witness = -math.inf, None
    for permutation in permutations:
        columns = list(permutation)
        gap = abs(f(X[..., columns]) - fX[..., columns])
        largest = _floats(gap).max(axis=(-2, -1))
        k = int(largest.argmax())
        if largest[k] > best:
            best, witness = float(largest[k]), (X[k], permutation)
    return Distance(best, 0.0, "exhaustive", len(X) * len(permutations), witness)
