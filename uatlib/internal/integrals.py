"""The distance d_p of functions of sequences, by three rules, each with what is known of its own error."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from .. import checks
from ..arithmetic.numbers import Number, entries, fraction, real
from ..targets import applied, entrywise_norm, shaped, unit_for_power, values_of
from .mapped import mapped
from .shapes import Array

MAX_POINTS = 50_000_000
MAX_DRAWN = 2**32
"""Numbers that Monte Carlo draws."""
CHUNK = 65_536
CHUNK_ENTRIES = 2**22
ROUNDING = 2**-42
"""Relative slack for the rounding of sums, products and powers of what f and g return."""
NODE_ROUNDING = 2**-50
NARROWEST = Fraction(1, 2**20)

Function = Callable[..., Any]
"""Of a sequence, or of two."""
Method = Literal["exhaustive", "enclosed", "quadrature", "monte carlo"]
Size = tuple[int, int]
"""(d, n)"""


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


def numbers_of(f: Function, XZ: Sequence[Array], what: str, size: Size | None = None) -> np.ndarray:
    """f(X) or f(X, Z) as it comes: float64, or an object array of ints, Fractions and floats; errors as `values_of`."""
    array = shaped(XZ[0], applied(f, XZ, what), what, size)
    if array.dtype.kind == "f":
        return values_of(lambda _: array, XZ[0], what, size)
    return entries(array, f"{what}(X)", real)


def minus(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a - b: of floats a float, of anything else the exact value."""
    if a.dtype == b.dtype == np.float64:
        with np.errstate(over="ignore"):
            return np.asarray(a - b)
    return entries(a, "f(X)", fraction) - entries(b, "g(X)", fraction)


@dataclass(frozen=True)
class Gap:
    """|f - g|_p in batches of sequences, with a second sequence each or without."""

    f: Function
    g: Function
    p: float
    out: Size | None = None
    """Those of the values; None: as of X."""

    def __call__(self, XZ: Sequence[Array]) -> np.ndarray:
        with np.errstate(over="ignore"):
            f, g = (numbers_of(h, XZ, what, self.out) for h, what in ((self.f, "f"), (self.g, "g")))
            gap = entrywise_norm(minus(f, g), self.p, "f(X) - g(X)")
        if not np.isfinite(gap).all():
            hint = "expected differences that float64 holds, got a larger one; take another unit"
            raise ValueError(f"f(X) - g(X): {hint}.")
        return gap


@dataclass(frozen=True)
class Between:
    """Two functions of sequences with entries from low to high, and of a second one beside it or without.

    Called with points of the unit box, one a row, the entries of X and then those of Z, it gives |f - g|_p at these
    points, stretched to the domain.

    Attributes
    ----------
    source, out : (d, n) of the second sequence, and of the values; None: there is none, and as of X
    """

    f: Function
    g: Function
    n: int
    d: int
    p: float
    domain: tuple[float, float] = (0, 1)
    source: Size | None = None
    out: Size | None = None

    def __post_init__(self) -> None:
        n, d = checks.whole("n", self.n, 1), checks.whole("d", self.d, 1)
        for name, size in (("n", (d, n)), ("n_source", self.source), ("n_out", self.out)):
            checks.room(name, 1, *(size or (1, 1)))
        p = checks.exponent("p", self.p, sup=False, hint="use sup_distance for the maximum")
        f, g = checks.function("f", self.f), checks.function("g", self.g)
        for name, value in {
            "f": f,
            "g": g,
            "n": n,
            "d": d,
            "p": p,
            "domain": _wide(*checks.domain("domain", self.domain)),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def sizes(self) -> list[Size]:
        """Of each sequence."""
        return [(self.d, self.n), *([self.source] if self.source else [])]

    @property
    def entries(self) -> int:
        """Of all sequences."""
        return sum(d * n for d, n in self.sizes)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        low, high = self.domain
        U = low + (high - low) * rows
        ends = list(itertools.accumulate(d * n for d, n in self.sizes))
        parts = zip([0, *ends], ends, self.sizes, strict=False)
        return Gap(self.f, self.g, self.p, self.out)([U[:, start:end].reshape(-1, *size) for start, end, size in parts])

    @property
    def unit(self) -> float:
        """The p-th root of the volume."""
        return _root_of_volume(self.domain[1] - self.domain[0], self.entries, self.p)


def enclosed(between: Between, cells: int, lipschitz: float, norm: float, executor: Executor | None = None) -> Distance:
    """d_p from the centres of `cells` pieces an axis, with what it may be off by, see `midpoint_error`."""
    (low, high), p, entries = between.domain, between.p, between.entries
    unit, outputs = between.unit, math.prod(between.out or (between.d, between.n))
    points = _points(cells, entries)
    # Nodes are rounded, each entry by less than this.
    stretch = outputs ** max(0.0, 1 / p - 1 / norm) * entries ** (1 / norm)
    off = lipschitz * stretch * NODE_ROUNDING * max(abs(low), abs(high))
    reach = midpoint_error(lipschitz, norm, p, entries, (high - low) / cells, outputs) + off
    value = _gauss_legendre(between, cells, 1, executor) * unit
    return Distance(value, "enclosed", points, error=(1 + ROUNDING) * reach * unit + ROUNDING * value)


def quadrature(between: Between, cells: int, order: int, executor: Executor | None = None) -> Distance:
    """d_p by the Gauss-Legendre rule with `order` + 1 points in each piece, and its difference to `order` points."""
    unit, points = between.unit, _points(cells * (order + 1), between.entries)
    coarse, value = (_gauss_legendre(between, cells, k, executor) * unit for k in (order, order + 1))
    return Distance(value, "quadrature", points, difference=abs(value - coarse))


def monte_carlo(between: Between, samples: int, seed: int, executor: Executor | None = None) -> Distance:
    """d_p from uniform points, with its standard error."""
    unit, p, entries = between.unit, between.p, between.entries
    if samples * entries > MAX_DRAWN:
        got = f"{samples:,} of {' and '.join(f'{d} x {n}' for d, n in between.sizes)}"
        raise checks.refused("samples", f"at most {MAX_DRAWN:,} numbers in them", got, "choose fewer")
    rng, step = np.random.default_rng(seed), min(CHUNK, max(1, CHUNK_ENTRIES // entries))
    counts = (min(step, samples - start) for start in range(0, samples, step))
    drawn = (rng.uniform(0, 1, (count, entries)) for count in counts)
    parts = mapped(between, drawn, executor=executor, label="Monte Carlo", total=-(-samples // step))
    gaps = np.concatenate(list(parts))
    scale = float(unit_for_power(gaps.max(), p))
    powers = (gaps / scale) ** p
    mean, spread = float(powers.mean()), float(powers.std(ddof=1)) / math.sqrt(samples)
    # The delta method carries the standard error through the p-th root.
    error = 0.0 if mean == 0 else spread / p * mean ** (1 / p - 1)
    return Distance(mean ** (1 / p) * scale * unit, "monte carlo", samples, standard_error=error * scale * unit)


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


def _gauss_legendre(between: Between, cells: int, order: int, executor: Executor | None) -> float:
    """(integral of |f - g|^p over the unit box)^(1/p); powers are taken of |f - g| / unit, a unit for each chunk."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    axis = ((np.arange(cells)[:, None] + (nodes + 1) / 2) / cells).ravel()
    weight = np.tile(weights / (2 * cells), cells)
    count, step = len(axis) ** between.entries, min(CHUNK, max(1, CHUNK_ENTRIES // between.entries))
    part = partial(_part_of_rule, between, axis, weight, min(step, count))
    starts = range(0, count, step)
    parts = list(mapped(part, starts, executor=executor, label="quadrature", total=len(starts)))
    largest = max((unit for unit, total in parts if total), default=1.0)
    return (
        math.fsum(total * (unit / largest) ** between.p for unit, total in parts if total) ** (1 / between.p) * largest
    )


def _part_of_rule(between: Between, axis: np.ndarray, weight: np.ndarray, step: int, start: int) -> tuple[float, float]:
    """A unit, and the weighted sum of (|f - g| / unit)^p over the nodes from number `start` on."""
    index = np.arange(start, min(start + step, len(axis) ** between.entries))
    digits = index[:, None] // len(axis) ** np.arange(between.entries) % len(axis)
    sizes = between(axis[digits])
    unit = float(unit_for_power(sizes.max(), between.p))
    return unit, float((weight[digits].prod(axis=-1) * (sizes / unit) ** between.p).sum())
