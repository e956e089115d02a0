"""Distances between functions of sequences, each with its own error, and the equivariance error."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from .arithmetic.base import numbers
from .progress import progress
from .targets import (
    entrywise_norm,
    require_domain,
    require_ints,
    require_permutations,
    require_shape_of,
    unit_for_power,
    values_of,
)

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


def _difference(f: Callable[[Any], Any], g: Callable[[Any], Any], X: Any, p: float) -> np.ndarray:
    return entrywise_norm(values_of(f, X) - values_of(g, X, "g"), p)


def _require_batch(what: str, X: Any) -> None:
    if not isinstance(X, (np.ndarray, torch.Tensor)) or X.ndim != 3 or 0 in X.shape:
        got = tuple(X.shape) if hasattr(X, "shape") else type(X).__name__
        raise ValueError(f"{what}: expected at least one point, in an array of shape (batch, d, n), got {got}.")


def _exceeds(value: float, best: float) -> bool:
    """Whether `value` is the new maximum; NaN is, and stays."""
    return value > best or (math.isnan(value) and not math.isnan(best))


def sup_distance(
    f: Callable[[Any], Any],
    g: Callable[[Any], Any],
    points: Iterable[Any] | np.ndarray | torch.Tensor,
    p: float = math.inf,
) -> Distance:
    """max over the given points of |f(X) - g(X)| in the entrywise p-norm, with the point where it is attained.

    `points` is an array or tensor of shape (batch, d, n), or an iterable of such.

    Raises
    ------
    ValueError
        No points, or of another shape; f(X) or g(X) of another shape than X; p outside [1, inf].
    """
    if not p >= 1:
        raise ValueError(f"sup_distance: expected 1 <= p <= inf, got {p!r}.")
    best, witness, count = -math.inf, None, 0
    for X in [points] if isinstance(points, (np.ndarray, torch.Tensor)) else points:
        _require_batch("sup_distance", X)
        gap = _difference(f, g, X, p)
        count += len(X)
        k = int(gap.argmax())
        if _exceeds(float(gap[k]), best):
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
        p outside [1, inf), another parameter off, f(X) or g(X) of another shape than X, or more than 50 million points.
    """
    if not 1 <= p < math.inf:
        raise ValueError(f"lp_distance: expected 1 <= p < inf, got {p!r}; use sup_distance for the maximum.")
    require_ints("lp_distance", 1, n=n, d=d, cells=cells, order=order)
    require_ints("lp_distance", 2, samples=samples)  # one has no standard error
    require_domain("lp_distance", domain)
    low, high = domain
    volume = (high - low) ** (d * n)
    if method == "monte carlo":
        rng = np.random.default_rng(seed)
        sizes = [min(CHUNK, samples - start) for start in range(0, samples, CHUNK)]
        gaps = np.concatenate(
            [_difference(f, g, rng.uniform(low, high, (size, d, n)), p) for size in progress(sizes, "Monte Carlo")]
        )
        unit = float(unit_for_power(gaps.max(), p))
        powers = (gaps / unit) ** p
        mean, spread = volume * powers.mean(), volume * powers.std(ddof=1) / math.sqrt(samples)
        # The delta method carries the standard error through the p-th root.
        error = 0.0 if mean == 0 else spread / p * mean ** (1 / p - 1)
        return Distance(float(mean ** (1 / p)) * unit, float(error) * unit, "monte carlo", samples)
    if method != "quadrature":
        raise ValueError(f'lp_distance: expected method "quadrature" or "monte carlo", got {method!r}.')
    points = (cells * (order + 1)) ** (d * n)
    if points > MAX_POINTS:
        raise ValueError(
            f"lp_distance: quadrature would take {points:,} points, the limit is {MAX_POINTS:,}; "
            'choose fewer cells or method="monte carlo".'
        )
    coarse, value = (
        _gauss_legendre(lambda X: _difference(f, g, X, p), p, d, n, domain, cells, k) for k in (order, order + 1)
    )
    return Distance(value, abs(value - coarse), "quadrature", points)


def _gauss_legendre(
    size: Callable[[np.ndarray], np.ndarray],
    p: float,
    d: int,
    n: int,
    domain: tuple[float, float],
    cells: int,
    order: int,
) -> float:
    """(integral of size^p)^(1/p); powers are taken of size / unit, which grows with the largest so far."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    width = (domain[1] - domain[0]) / cells
    axis = (domain[0] + width * (np.arange(cells)[:, None] + (nodes + 1) / 2)).ravel()
    weight = np.tile(weights * width / 2, cells)
    total, unit, count = 0.0, 0.0, len(axis) ** (d * n)
    for start in progress(range(0, count, CHUNK), "quadrature"):
        index = np.arange(start, min(start + CHUNK, count))
        digits = np.stack([index // len(axis) ** k % len(axis) for k in range(d * n)], axis=-1)
        sizes = size(axis[digits].reshape(-1, d, n))
        larger = max(unit, float(unit_for_power(sizes.max(), p)) if sizes.any() else 0.0)
        if larger > unit:
            total, unit = total * (unit / larger) ** p, larger
        if unit:
            total += float(weight[digits].prod(axis=-1) @ (sizes / unit) ** p)
    return total ** (1 / p) * unit


def equivariance_error(
    f: Callable[[Any], Any], X: np.ndarray, permutations: Sequence[tuple[int, ...]] | None = None
) -> Distance:
    """max |f(X P) - f(X) P| over the given sequences and permutations (all n! of them unless named).

    X has shape (batch, d, n); the differences are taken in the numbers that f returns, so that exact stays exact. The
    witness is the pair (sequence, permutation).

    Raises
    ------
    ValueError
        No sequence, no permutation, something else in their place, or f(X) of another shape than X.
    """
    _require_batch("equivariance_error", X)
    every = itertools.permutations(range(X.shape[-1]))
    tried = require_permutations("equivariance_error", every if permutations is None else permutations, X.shape[-1])
    if not tried:
        raise ValueError("equivariance_error: expected at least one permutation, got none.")
    fX = require_shape_of(X, f(X), "f")
    best, witness = -math.inf, None
    for permutation in tried:
        columns = list(permutation)
        gap = abs(require_shape_of(X, f(X[..., columns]), "f") - fX[..., columns])
        largest = entrywise_norm(numbers(gap, "f(X P) - f(X) P"), math.inf)
        k = int(largest.argmax())
        if _exceeds(float(largest[k]), best):
            best, witness = float(largest[k]), (X[k], permutation)
    return Distance(best, 0.0, "exhaustive", len(X) * len(tried), witness)
