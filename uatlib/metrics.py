"""Distances between functions of sequences, each with what is known of its own error, and the equivariance error."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import torch

from . import checks
from .arithmetic.numbers import Number, entries, fraction, numbers, real
from .certificate import Check
from .grids import Grid
from .groups import generators
from .mapped import mapped
from .shapes import Array
from .targets import Target, applied, entrywise_norm, shaped, unit_for_power, values_of

__all__ = ["equivariance_error", "lp_distance", "sup_distance"]

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

Function = Callable[..., Any]
"""Of a sequence, or of two."""
Rule = Literal["quadrature", "enclosed", "monte carlo"]
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


Size = tuple[int, int]
"""(d, n)"""


def _numbers_of(f: Function, XZ: Sequence[Array], what: str, size: Size | None = None) -> np.ndarray:
    """f(X) or f(X, Z) as it comes: float64, or an object array of ints, Fractions and floats; errors as `values_of`."""
    array = shaped(XZ[0], applied(f, XZ, what), what, size)
    if array.dtype.kind == "f":
        return values_of(lambda _: array, XZ[0], what, size)
    return entries(array, f"{what}(X)", real)


def _minus(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a - b: of floats a float, of anything else the exact value."""
    if a.dtype == b.dtype == np.float64:
        with np.errstate(over="ignore"):
            return np.asarray(a - b)
    return entries(a, "f(X)", fraction) - entries(b, "g(X)", fraction)


@dataclass(frozen=True)
class _Gap:
    """|f - g|_p in batches of sequences, with a second sequence each or without."""

    f: Function
    g: Function
    p: float
    out: Size | None = None
    """Those of the values; None: as of X."""

    def __call__(self, XZ: Sequence[Array]) -> np.ndarray:
        with np.errstate(over="ignore"):
            f, g = (_numbers_of(h, XZ, what, self.out) for h, what in ((self.f, "f"), (self.g, "g")))
            gap = entrywise_norm(_minus(f, g), self.p, "f(X) - g(X)")
        if not np.isfinite(gap).all():
            hint = "expected differences that float64 holds, got a larger one; take another unit"
            raise ValueError(f"f(X) - g(X): {hint}.")
        return gap


@dataclass(frozen=True)
class _Box:
    """The same at points of the unit box, one a row, stretched to low, ..., high: the entries of X, then those of Z."""

    gap: _Gap
    low: float
    high: float
    sizes: Sequence[Size]

    @property
    def entries(self) -> int:
        return sum(d * n for d, n in self.sizes)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        U = self.low + (self.high - self.low) * rows
        ends = list(itertools.accumulate(d * n for d, n in self.sizes))
        parts = zip([0, *ends], ends, self.sizes, strict=False)
        return self.gap([U[:, start:end].reshape(-1, *size) for start, end, size in parts])


def _batch(name: str, X: object) -> Array:
    """X itself; ValueError unless it is an array or tensor of shape (batch, d, n) with numbers, not empty."""
    if not checks.is_array(X) or X.ndim != 3 or 0 in X.shape:
        raise checks.refused(name, "at least one point, in an array of shape (batch, d, n)", X)
    numbers(X, name)
    return X


def sup_distance(
    f: Function,
    g: Function,
    points: Array | Iterable[Array],
    p: float = math.inf,
    *,
    source: Array | Iterable[Array] | None = None,
    n_out: int | None = None,
    d_out: int | None = None,
    executor: Executor | None = None,
) -> Distance:
    """max over the given points of |f(X) - g(X)| in the entrywise p-norm, with the point where it is attained.

    Parameters
    ----------
    points : an array or tensor of shape (batch, d, n), or an iterable of such
    source : second sequences of shape (batch, d', n'), one beside each point, in as many batches: then it is
        |f(X, Z) - g(X, Z)|, and the witness is (X, Z)
    n_out, d_out : sizes of the values, as of X if None
    executor : evaluates the batches; without one they come one after the other

    Raises
    ------
    ValueError
        No points, or of another shape; as many second sequences as points are not there; f(X) or g(X) of another shape
        than (batch, d_out, n_out), NaN or infinite; p outside [1, inf]; no executor.
    """
    gap = _Gap(checks.function("f", f), checks.function("g", g), checks.exponent("p", p), _out(n_out, d_out))
    batches = [_batches("points", points), *([] if source is None else [_batches("source", source)])]
    executor = checks.executor(executor)
    pairs, kept = itertools.tee(_beside(batches))
    best, witness, count = -math.inf, None, 0
    for found, XZ in zip(mapped(gap, pairs, executor=executor), kept, strict=True):
        count += len(found)
        k = int(found.argmax())
        if found[k] > best:
            best, witness = float(found[k]), XZ[0][k] if source is None else tuple(U[k] for U in XZ)
    if count == 0:
        raise ValueError("points: expected at least one point, got none.")
    return Distance(best, "exhaustive", count, error=ROUNDING * best, witness=witness)


def _batches(name: str, values: object) -> Iterator[Array]:
    """One batch, or several, each checked as it comes."""
    if not isinstance(values, (np.ndarray, torch.Tensor, list, tuple, Iterator)):
        raise checks.refused(name, "an array of shape (batch, d, n), or several", values)
    several = [values] if isinstance(values, (np.ndarray, torch.Tensor)) else values
    return (_batch(name, X) for X in several)


def _beside(batches: Sequence[Iterator[Array]]) -> Iterator[tuple[Array, ...]]:
    """The batches of X, each with that of Z if there are such; ValueError unless they go together."""
    for XZ in itertools.zip_longest(*batches, fillvalue=np.empty(0)):
        if len({len(U) for U in XZ}) > 1:
            points, got = map(len, XZ)
            raise ValueError(f"source: expected a second sequence for each of {points} points, got {got}.")
        yield XZ


def _out(n_out: object, d_out: object) -> Size | None:
    """(d_out, n_out), or None."""
    return _together(d_out=d_out, n_out=n_out)


def _together(**sizes: object) -> Size | None:
    """Two sizes >= 1, or None where both are; ValueError where one is."""
    (first, a), (second, b) = sizes.items()
    if (a is None) != (b is None):
        raise ValueError(f"{first}: expected {first} and {second} together, got one of them.")
    return None if a is None else (checks.whole(first, a, 1), checks.whole(second, b, 1))


def lp_distance(
    f: Function,
    g: Function,
    *,
    n: int,
    d: int,
    p: float = 2,
    domain: tuple[float, float] = (0, 1),
    method: Rule = "quadrature",
    cells: int = 8,
    order: int = 3,
    lipschitz: float | None = None,
    norm: float = math.inf,
    samples: int = 100_000,
    seed: int = 0,
    n_source: int | None = None,
    d_source: int | None = None,
    n_out: int | None = None,
    d_out: int | None = None,
    executor: Executor | None = None,
) -> Distance:
    """d_p(f, g) = (integral over the box of |f(X) - g(X)|_p^p dX)^(1/p), the distance of yun2020, section 3.

    Parameters
    ----------
    f, g : map arrays of shape (batch, d, n) to (batch, d_out, n_out), by default the same
    p : 1 <= p < inf
    method : "enclosed" proves what it may be off by: with every axis cut into `cells` equal pieces it takes the centres
        of the pieces, see `midpoint_error`. It needs `lipschitz`. "quadrature" estimates: the Gauss-Legendre rule with
        `order` + 1 points in each piece (let jumps fall on the pieces' edges), with its difference to `order` points.
        `"monte carlo"` takes `samples` uniform points.
    lipschitz, norm : L with |h(X) - h(Y)| <= L |X - Y| in the entrywise norm `norm`, for h = f - g and X, Y inside one
        piece. If g is constant there, that of f will do. It is taken at your word
    n_source, d_source : sizes of a second sequence Z, as for cross-attention: then f(X, Z) and g(X, Z) are compared,
        the integral is over the box of both, and L is of both together
    executor : evaluates the pieces, e.g. a `ThreadPoolExecutor`; without one they come one after the other

    Raises
    ------
    ValueError
        p outside [1, inf), another parameter off, f(X) or g(X) of another shape, NaN or infinite, or more than
        50 million points.
    """
    f, g = checks.function("f", f), checks.function("g", g)
    p = checks.exponent("p", p, sup=False, hint="use sup_distance for the maximum")
    n, d, cells = (checks.whole(name, value, 1) for name, value in (("n", n), ("d", d), ("cells", cells)))
    order = checks.whole("order", order, 1, MAX_ORDER, "take more cells for a finer rule")
    samples = checks.whole("samples", samples, 2, MAX_POINTS)  # one sample has no standard error
    seed = checks.seed(seed)
    method, q = checks.choice("method", method, get_args(Rule)), checks.exponent("norm", norm)
    L = 0.0
    if lipschitz is not None or method == "enclosed":
        L = checks.finite("lipschitz", lipschitz, 0, hint='method="enclosed" needs the constant of f - g')
    second, out, executor = (
        _together(d_source=d_source, n_source=n_source),
        _out(n_out, d_out),
        checks.executor(executor),
    )
    for name, shape in (("n", (d, n)), ("n_source", second), ("n_out", out)):
        checks.room(name, 1, *(shape or (1, 1)))
    low, high = _wide(*checks.domain("domain", domain))
    size = _Box(_Gap(f, g, p, out), low, high, [(d, n), *([second] if second else [])])
    unit, outputs = _root_of_volume(high - low, size.entries, p), math.prod(out or (d, n))
    if method == "monte carlo":
        mean, spread = _monte_carlo(size, p, samples, seed, executor)
        return Distance(mean * unit, method, samples, standard_error=spread * unit)
    if method == "enclosed":
        points = _points(cells, size.entries)
        # Nodes are rounded, each entry by less than this.
        stretch = outputs ** max(0.0, 1 / p - 1 / q) * size.entries ** (1 / q)
        off = L * stretch * NODE_ROUNDING * max(abs(low), abs(high))
        reach = midpoint_error(L, q, p, size.entries, (high - low) / cells, outputs) + off
        value = _gauss_legendre(size, p, cells, 1, executor) * unit
        return Distance(value, method, points, error=(1 + ROUNDING) * reach * unit + ROUNDING * value)
    points = _points(cells * (order + 1), size.entries)
    coarse, value = (_gauss_legendre(size, p, cells, k, executor) * unit for k in (order, order + 1))
    return Distance(value, method, points, difference=abs(value - coarse))


def midpoint_error(L: float, q: float, p: float, entries: int, width: float, outputs: int | None = None) -> float:
    """What d_p may be off by, volume^(1/p) times this, if f - g = h is replaced by its value at the centre of its cube.

    |d_p(f, g) - |h*|_p| <= |h - h*|_p in L_p, by the triangle inequality, for h*(X) = h(c), c the centre of the cube of
    side s = `width` that X is in. There |h(X) - h(c)|_q <= L |X - c|_q. With m = `entries` of X, and of its values
    unless they have another number of them, `outputs`:

        |A|_p <= m^max(0, 1/p - 1/q) |A|_q
        mean |X - c|_inf^p = (s/2)^p m / (m + p)
        (mean |X - c|_q^p)^(1/p) <= m^(1/q) (k + 1)^(-1/k) s/2 with k = max(p, q), for q < inf

    since |A|_q <= m^(1/q - 1/k) |A|_k, means of k-th powers bound those of p-th, and |t| < s/2 has the mean
    (s/2)^k/(k + 1) of |t|^k.
    """
    k = max(p, q)
    mean = (entries / (entries + p)) ** (1 / p) if q == math.inf else entries ** (1 / q) * (k + 1) ** (-1 / k)
    return L * (outputs or entries) ** max(0.0, 1 / p - 1 / q) * mean * width / 2


def _wide(low: Number, high: Number) -> tuple[float, float]:
    """The ends as floats; ValueError unless the nodes between them are far enough apart in float64."""
    if Fraction(high) - Fraction(low) < max(abs(Fraction(low)), abs(Fraction(high))) * NARROWEST:
        hint = "shift f and g, so that it begins at 0"
        raise checks.refused("domain", "one at least 2^-20 times as wide as its ends are large", (low, high), hint)
    return float(low), float(high)


def _root_of_volume(width: float, entries: int, p: float) -> float:
    """(width^entries)^(1/p)."""
    log = entries / p * math.log2(width)
    if abs(log) > 1000:
        expected = "a box with a volume whose p-th root is from 2^-1000 to 2^1000"
        raise ValueError(f"domain: expected {expected}, got 2^{log:.6g}; take another unit.")
    return float(width ** (entries / p))


def _points(on_axis: int, entries: int) -> int:
    """on_axis^entries, points of a rule; ValueError if they are too many."""
    bits = entries * math.log2(on_axis)
    if bits > 60 or on_axis**entries > MAX_POINTS:
        points = f"{on_axis**entries:,}" if bits < 100 else f"more than 2^{int(bits)}"
        expected, hint = f"at most {MAX_POINTS:,} points of the rule", 'choose fewer cells, or method="monte carlo"'
        raise ValueError(f"cells: expected {expected}, got {points}; {hint}.")
    return int(on_axis**entries)


def _monte_carlo(size: _Box, p: float, samples: int, seed: int, executor: Executor | None) -> tuple[float, float]:
    """(mean of size^p)^(1/p) over uniform points of the unit box, and its standard error."""
    if samples * size.entries > MAX_DRAWN:
        got = f"{samples:,} of {' and '.join(f'{d} x {n}' for d, n in size.sizes)}"
        raise checks.refused("samples", f"at most {MAX_DRAWN:,} numbers in them", got, "choose fewer")
    rng, step = np.random.default_rng(seed), min(CHUNK, max(1, CHUNK_ENTRIES // size.entries))
    counts = (min(step, samples - start) for start in range(0, samples, step))
    drawn = (rng.uniform(0, 1, (count, size.entries)) for count in counts)
    parts = mapped(size, drawn, executor=executor, label="Monte Carlo", total=-(-samples // step))
    gaps = np.concatenate(list(parts))
    unit = float(unit_for_power(gaps.max(), p))
    powers = (gaps / unit) ** p
    mean, spread = float(powers.mean()), float(powers.std(ddof=1)) / math.sqrt(samples)
    # The delta method carries the standard error through the p-th root.
    error = 0.0 if mean == 0 else spread / p * mean ** (1 / p - 1)
    return mean ** (1 / p) * unit, error * unit


def _gauss_legendre(size: _Box, p: float, cells: int, order: int, executor: Executor | None) -> float:
    """(integral of size^p over the unit box)^(1/p); powers are taken of size / unit, a unit for each chunk."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    axis = ((np.arange(cells)[:, None] + (nodes + 1) / 2) / cells).ravel()
    weight = np.tile(weights / (2 * cells), cells)
    count, step = len(axis) ** size.entries, min(CHUNK, max(1, CHUNK_ENTRIES // size.entries))
    part = partial(_part_of_rule, size, p, axis, weight, min(step, count))
    starts = range(0, count, step)
    parts = list(mapped(part, starts, executor=executor, label="quadrature", total=len(starts)))
    largest = max((unit for unit, total in parts if total), default=1.0)
    return math.fsum(total * (unit / largest) ** p for unit, total in parts if total) ** (1 / p) * largest


def _part_of_rule(
    size: _Box, p: float, axis: np.ndarray, weight: np.ndarray, step: int, start: int
) -> tuple[float, float]:
    """A unit, and the weighted sum of (size / unit)^p over the nodes from number `start` on."""
    index = np.arange(start, min(start + step, len(axis) ** size.entries))
    digits = index[:, None] // len(axis) ** np.arange(size.entries) % len(axis)
    sizes = size(axis[digits])
    unit = float(unit_for_power(sizes.max(), p))
    return unit, float((weight[digits].prod(axis=-1) * (sizes / unit) ** p).sum())


def equivariance_error(
    f: Function,
    X: np.ndarray,
    permutations: str | Sequence[tuple[int, ...]] = "symmetric",
    *,
    executor: Executor | None = None,
) -> Distance:
    """max |f(X P) - f(X) P| over the given sequences and permutations.

    X has shape (batch, d, n); the differences are taken in the numbers that f returns, so that exact stays exact. The
    witness is the pair (sequence, permutation).

    Parameters
    ----------
    permutations : a list of them, or the name of a group (`groups.generators`), of which the generators are tried. If
        they change nothing, no permutation of the group does; if they do, others may change more
    executor : tries the permutations; without one they come one after the other

    Raises
    ------
    ValueError
        No sequence, no permutation, over 50,000 permutations, something else in their place, or f(X) NaN, infinite or
        of another shape than X; no executor.
    """
    f, n = checks.function("f", f), _batch("X", X).shape[-1]
    if isinstance(permutations, str):
        tried = generators(permutations, n, "permutations") or [tuple(range(n))]
    else:
        tried = checks.permutations("permutations", permutations, n)
    if not 1 <= len(tried) <= MAX_PERMUTATIONS:
        raise ValueError(f"permutations: expected from 1 to {MAX_PERMUTATIONS:,} permutations, got {len(tried)}.")
    executor = checks.executor(executor)
    change = partial(_change, f, X, _numbers_of(f, [X], "f"))
    best, witness = -math.inf, None
    for permutation, largest in zip(tried, mapped(change, tried, executor=executor), strict=True):
        k = int(largest.argmax())
        if largest[k] > best:
            best, witness = float(largest[k]), (X[k], permutation)
    return Distance(best, "exhaustive", len(X) * len(tried), error=ROUNDING * best, witness=witness)


def _change(f: Function, X: Array, fX: np.ndarray, permutation: Sequence[int]) -> np.ndarray:
    """max |f(X P) - f(X) P| for each sequence."""
    columns = list(permutation)
    return entrywise_norm(_minus(_numbers_of(f, [X[..., columns]], "f"), fX[..., columns]), math.inf)


# ------------------------------------------------------------------------------------------------------------- on cells

MAX_QUADRATURE = 500_000
"""Cells of a quadrature; beyond, distances are estimated by Monte Carlo."""
NODES = 30_000
"""Points of an enclosure that has more than one in a cell."""


def distance_on_cells(
    name: str,
    f: Function,
    g: Function,
    bound: float,
    *,
    target: Target,
    inverse_delta: int,
    p: float,
    samples: int,
    seed: int,
    executor: Executor | None = None,
) -> Check:
    """d_p(f, g) <= bound: the most that it can be, enclosed; or, where the grid is large, an estimate by Monte Carlo.

    Inside a cell f and g are constant, or f is the target and g constant. Where both are one node a cell will do.
    """
    n, d, N = target.n, target.d, inverse_delta
    steep = target.lipschitz if f is target else 0
    if Grid(N, n, d).size() <= MAX_QUADRATURE:
        cells = N * max(1, int(NODES ** (1 / (d * n)) / N) if steep else 1)
        proved: dict[str, Any] = {"method": "enclosed", "cells": cells, "lipschitz": steep, "norm": target.norm}
        found = lp_distance(f, g, n=n, d=d, p=p, executor=executor, **proved)
        assert found.error is not None
        return Check(f"{name} at most", found.value + found.error, "<=", bound, None, "enclosed", found.points)
    found = lp_distance(f, g, n=n, d=d, p=p, method="monte carlo", samples=samples, seed=seed, executor=executor)
    assert found.standard_error is not None
    measured = found.value + 3 * found.standard_error
    return Check(f"{name} + 3 standard errors", measured, "<=", bound, None, "sampled", found.points)
