"""Distances between functions of sequences, each with what is known of its own error, and the equivariance error."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import torch

from .arithmetic.base import double, entries, exact, numbers, real, shown, whole
from .progress import progress
from .targets import (
    entrywise_norm,
    require_domain,
    require_exponent,
    require_ints,
    require_permutations,
    require_room,
    require_shape_of,
    unit_for_power,
    values_of,
)

__all__ = ["Distance", "equivariance_error", "lp_distance", "sup_distance"]

MAX_POINTS = 50_000_000
MAX_DRAWN = 2**32
"""Numbers that Monte Carlo draws."""
MAX_ORDER = 100
MAX_PERMUTATIONS = 50_000
CHUNK = 65_536
CHUNK_ENTRIES = 2**22
ROUNDING = 2**-42
"""Relative slack for the rounding of sums, products and powers of what f and g return."""
NODE_ROUNDING = 2**-50
NARROWEST = Fraction(1, 2**20)

Method = Literal["exhaustive", "enclosed", "quadrature", "monte carlo"]


@dataclass(frozen=True)
class Distance:
    """A measured distance, and what is known of its error.

    Attributes
    ----------
    value : the distance
    method : "exhaustive" (all of the given points), "enclosed" (proved from a Lipschitz constant), "quadrature" or
        "monte carlo" (estimates)
    points : how many sequences were evaluated
    error : proved: the distance is within `error` of the value, where f(X) and g(X) are what the functions returned,
        with the rounding of their own floats. None for the estimates, of which nothing is proved
    difference : of a quadrature, its difference to the rule of one order less. Where f - g has kinks or jumps inside a
        cell the value can be farther off than that
    standard_error : of Monte Carlo
    witness : the sequence with the largest difference, where that was asked for
    """

    value: float
    method: Method
    points: int
    error: float | None = None
    difference: float | None = None
    standard_error: float | None = None
    witness: Any = None


def _numbers_of(f: Callable[[Any], Any], X: Any, what: str) -> np.ndarray:
    """f(X) as it comes: float64, or an object array of ints, Fractions and floats; errors as `values_of`."""
    array = numbers(require_shape_of(X, f(X), what), f"{what}(X)")
    if array.dtype.kind == "f":
        return values_of(lambda _: array, X, what)
    return entries(array, f"{what}(X)", real)


def _minus(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a - b: of floats a float, of anything else the exact value."""
    if a.dtype == b.dtype == np.float64:
        with np.errstate(over="ignore"):
            return np.asarray(a - b)
    return entries(a, "f(X)", exact) - entries(b, "g(X)", exact)


def _difference(f: Callable[[Any], Any], g: Callable[[Any], Any], X: Any, p: float) -> np.ndarray:
    with np.errstate(over="ignore"):
        gap = entrywise_norm(_minus(_numbers_of(f, X, "f"), _numbers_of(g, X, "g")), p)
    if not np.isfinite(gap).all():
        raise ValueError("f(X) - g(X): expected differences that float64 holds, got a larger one; take another unit.")
    return gap


def _require_batch(what: str, X: Any) -> None:
    if not isinstance(X, (np.ndarray, torch.Tensor)) or X.ndim != 3 or 0 in X.shape:
        got = tuple(X.shape) if hasattr(X, "shape") else type(X).__name__
        raise ValueError(f"{what}: expected at least one point, in an array of shape (batch, d, n), got {got}.")


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
        No points, or of another shape; f(X) or g(X) of another shape than X, NaN or infinite; p outside [1, inf].
    """
    p = require_exponent("sup_distance", p)
    best, witness, count = -math.inf, None, 0
    for X in [points] if isinstance(points, (np.ndarray, torch.Tensor)) else points:
        _require_batch("sup_distance", X)
        gap = _difference(f, g, X, p)
        count += len(X)
        k = int(gap.argmax())
        if gap[k] > best:
            best, witness = float(gap[k]), X[k]
    if count == 0:
        raise ValueError("sup_distance: expected at least one point, got none.")
    return Distance(best, "exhaustive", count, error=ROUNDING * best, witness=witness)


def lp_distance(
    f: Callable[[Any], Any],
    g: Callable[[Any], Any],
    *,
    n: int,
    d: int,
    p: float = 2,
    domain: tuple[float, float] = (0, 1),
    method: Literal["quadrature", "enclosed", "monte carlo"] = "quadrature",
    cells: int = 8,
    order: int = 3,
    lipschitz: float | None = None,
    norm: float = math.inf,
    samples: int = 100_000,
    seed: int = 0,
) -> Distance:
    """d_p(f, g) = (integral over the box of |f(X) - g(X)|_p^p dX)^(1/p), the distance of yun2020, section 3.

    Parameters
    ----------
    f, g : map arrays of shape (batch, d, n) to the same shape
    p : 1 <= p < inf
    method : "enclosed" proves what it may be off by: with every axis cut into `cells` equal pieces it takes the centres
        of the pieces, see `midpoint_error`. It needs `lipschitz`. "quadrature" estimates: the Gauss-Legendre rule with
        `order` + 1 points in each piece (let jumps fall on the pieces' edges), with its difference to `order` points.
        "monte carlo" takes `samples` uniform points.
    lipschitz, norm : L with |h(X) - h(Y)| <= L |X - Y| in the entrywise norm `norm`, for h = f - g and X, Y inside one
        piece. If g is constant there, that of f will do. It is taken at your word

    Raises
    ------
    ValueError
        p outside [1, inf), another parameter off, f(X) or g(X) of another shape than X, NaN or infinite, or more than
        50 million points.
    """
    p = require_exponent("lp_distance", p)
    if p == math.inf:
        raise ValueError("lp_distance: expected 1 <= p < inf, got inf; use sup_distance for the maximum.")
    named = {"n": n, "d": d, "cells": cells, "order": order}
    n, d, cells, order = (whole(f"lp_distance: {name}", value, 1) for name, value in named.items())
    require_ints("lp_distance", 2, samples=samples)  # one has no standard error
    require_ints("lp_distance", 0, seed=seed)
    require_room("lp_distance", 1, d, n)
    low, high = _require_wide(*require_domain("lp_distance", domain))
    unit = _root_of_volume(high - low, d * n, p)

    def size(X: np.ndarray) -> np.ndarray:
        return _difference(f, g, low + (high - low) * X, p)

    if method == "monte carlo":
        mean, spread = _monte_carlo(size, p, d, n, samples, seed)
        return Distance(mean * unit, method, samples, standard_error=spread * unit)
    if method == "enclosed":
        if lipschitz is None:
            raise ValueError('lp_distance: expected the lipschitz constant of f - g for method="enclosed", got None.')
        points = _require_points(cells, d * n)
        reach = midpoint_error(lipschitz, norm, p, d * n, (high - low) / cells)
        # Nodes are rounded, each entry by less than this.
        off = NODE_ROUNDING * max(abs(low), abs(high))
        reach += double(lipschitz, "lp_distance: lipschitz") * (d * n) ** (1 / min(p, norm)) * off
        value = _gauss_legendre(size, p, d, n, cells, 1) * unit
        return Distance(value, method, points, error=(1 + ROUNDING) * reach * unit + ROUNDING * value)
    if method != "quadrature":
        raise ValueError(f'lp_distance: expected method "quadrature", "enclosed" or "monte carlo", got {method!r}.')
    if order > MAX_ORDER:
        raise ValueError(f"lp_distance: expected order to be at most {MAX_ORDER}, got {shown(order)}; take more cells.")
    points = _require_points(cells * (order + 1), d * n)
    coarse, value = (_gauss_legendre(size, p, d, n, cells, k) * unit for k in (order, order + 1))
    return Distance(value, method, points, difference=abs(value - coarse))


def midpoint_error(lipschitz: Any, norm: float, p: float, entries: int, width: float) -> float:
    """What d_p may be off by, volume^(1/p) times this, if f - g = h is replaced by its value at the centre of its cube.

    |d_p(f, g) - |h*|_p| <= |h - h*|_p in L_p, by the triangle inequality, for h*(X) = h(c), c the centre of the cube of
    side s = `width` that X is in. There |h(X) - h(c)|_q <= L |X - c|_q, with q = `norm`. With m = `entries`:

        |A|_p <= m^max(0, 1/p - 1/q) |A|_q
        mean |X - c|_inf^p = (s/2)^p m / (m + p)
        (mean |X - c|_q^p)^(1/p) <= m^(1/q) (k + 1)^(-1/k) s/2 with k = max(p, q), for q < inf

    since |A|_q <= m^(1/q - 1/k) |A|_k, means of k-th powers bound those of p-th, and |t| < s/2 has the mean
    (s/2)^k/(k + 1) of |t|^k.
    """
    q = require_exponent("lp_distance", norm, "norm")
    L = double(lipschitz, "lp_distance: lipschitz")
    if L < 0:
        raise ValueError(f"lp_distance: expected lipschitz >= 0, got {lipschitz!r}.")
    k = max(p, q)
    mean = (entries / (entries + p)) ** (1 / p) if q == math.inf else entries ** (1 / q) * (k + 1) ** (-1 / k)
    return L * entries ** max(0.0, 1 / p - 1 / q) * mean * width / 2


def _require_wide(low: Any, high: Any) -> tuple[float, float]:
    """The ends as floats; ValueError unless the nodes between them are far enough apart in float64."""
    if high - low < max(abs(low), abs(high)) * NARROWEST:
        raise ValueError(
            f"lp_distance: expected a domain at least 2^-20 times as wide as its ends are large, got ({shown(low)}, "
            f"{shown(high)}); shift f and g, so that it begins at 0."
        )
    return float(low), float(high)


def _root_of_volume(width: float, entries: int, p: float) -> float:
    """(width^entries)^(1/p)."""
    log = entries / p * math.log2(width)
    if abs(log) > 1000:
        raise ValueError(
            f"lp_distance: expected a box with a volume whose p-th root is from 2^-1000 to 2^1000, got 2^{log:.6g}; "
            "take another unit."
        )
    return float(width ** (entries / p))


def _require_points(on_axis: int, entries: int) -> int:
    """on_axis^entries, points of a rule; ValueError if they are too many."""
    if entries * math.log2(on_axis) > 60 or on_axis**entries > MAX_POINTS:
        bits = entries * math.log2(on_axis)
        points = f"{on_axis**entries:,}" if bits < 100 else f"more than 2^{int(bits)}"
        raise ValueError(
            f"lp_distance: the rule would take {points} points, the limit is {MAX_POINTS:,}; "
            'choose fewer cells or method="monte carlo".'
        )
    return int(on_axis**entries)


def _monte_carlo(
    size: Callable[[np.ndarray], np.ndarray], p: float, d: int, n: int, samples: int, seed: int
) -> tuple[float, float]:
    """(mean of size^p)^(1/p) over uniform points of the unit box, and its standard error."""
    if samples > MAX_POINTS or samples * d * n > MAX_DRAWN:
        raise ValueError(
            f"lp_distance: expected at most {MAX_POINTS:,} samples and {MAX_DRAWN:,} numbers in them, got "
            f"{shown(samples)} samples of {d} x {n}; choose fewer."
        )
    rng, step = np.random.default_rng(seed), min(CHUNK, max(1, CHUNK_ENTRIES // (d * n)))
    starts = progress(range(0, samples, step), "Monte Carlo")
    gaps = np.concatenate([size(rng.uniform(0, 1, (min(step, samples - start), d, n))) for start in starts])
    unit = float(unit_for_power(gaps.max(), p))
    powers = (gaps / unit) ** p
    mean, spread = float(powers.mean()), float(powers.std(ddof=1)) / math.sqrt(samples)
    # The delta method carries the standard error through the p-th root.
    error = 0.0 if mean == 0 else spread / p * mean ** (1 / p - 1)
    return mean ** (1 / p) * unit, error * unit


def _gauss_legendre(
    size: Callable[[np.ndarray], np.ndarray], p: float, d: int, n: int, cells: int, order: int
) -> float:
    """(integral of size^p over the unit box)^(1/p); powers are taken of size / unit, a unit for each chunk."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    axis = ((np.arange(cells)[:, None] + (nodes + 1) / 2) / cells).ravel()
    weight = np.tile(weights / (2 * cells), cells)
    count, parts = len(axis) ** (d * n), []
    step = min(CHUNK, max(1, CHUNK_ENTRIES // (d * n)))
    for start in progress(range(0, count, step), "quadrature"):
        index = np.arange(start, min(start + step, count))
        digits = index[:, None] // len(axis) ** np.arange(d * n) % len(axis)
        sizes = size(axis[digits].reshape(-1, d, n))
        unit = float(unit_for_power(sizes.max(), p))
        parts.append((unit, float((weight[digits].prod(axis=-1) * (sizes / unit) ** p).sum())))
    largest = max((unit for unit, part in parts if part), default=1.0)
    return math.fsum(part * (unit / largest) ** p for unit, part in parts if part) ** (1 / p) * largest


def equivariance_error(
    f: Callable[[Any], Any], X: np.ndarray, permutations: Sequence[tuple[int, ...]] | None = None
) -> Distance:
    """max |f(X P) - f(X) P| over the given sequences and permutations (all n! of them unless named).

    X has shape (batch, d, n); the differences are taken in the numbers that f returns, so that exact stays exact. The
    witness is the pair (sequence, permutation).

    Raises
    ------
    ValueError
        No sequence, no permutation, over 50,000 permutations, something else in their place, or f(X) NaN, infinite or
        of another shape than X.
    """
    _require_batch("equivariance_error", X)
    n = X.shape[-1]
    if permutations is None and (n > 20 or math.factorial(n) > MAX_PERMUTATIONS):
        raise ValueError(
            f"equivariance_error: all permutations of n = {n} tokens are over {MAX_PERMUTATIONS:,}; name those to try: "
            "a swap and a rotation generate all of them."
        )
    every = itertools.permutations(range(n))
    tried = require_permutations("equivariance_error", every if permutations is None else permutations, n)
    if not tried:
        raise ValueError("equivariance_error: expected at least one permutation, got none.")

    fX = _numbers_of(f, X, "f")
    best, witness = -math.inf, None
    for permutation in tried:
        columns = list(permutation)
        largest = entrywise_norm(_minus(_numbers_of(f, X[..., columns], "f"), fX[..., columns]), math.inf)
        k = int(largest.argmax())
        if largest[k] > best:
            best, witness = float(largest[k]), (X[k], permutation)
    return Distance(best, "exhaustive", len(X) * len(tried), error=ROUNDING * best, witness=witness)
