"""Liu et al. (2025): max-affine functions, the cells into which they cut space, their indicator."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.certificate import Check
from uatlib.checks import choice, whole

from ..damages import Damage, edited, mapped, put, replaced
from ..registry import register
from .max_affine import MaxAffine

Cells = Callable[[MaxAffine, np.ndarray], np.ndarray]
"""Points (d, count) to booleans (N, count): whether a point is in a cell."""


class Cut(NamedTuple):
    """A max-affine function and what it is to be: sites, weights and exact points, borders among them."""

    f: Any
    cells: Cells
    sites: np.ndarray
    weights: np.ndarray
    points: np.ndarray

    def scores(self, x: Any) -> list[Fraction]:
        """s_i . x + b_i by loops, with b_i = (w_i - |s_i|^2 + |s_1|^2)/2: that of the first is 0 for w_1 = 0."""
        scores = []
        for s, w in zip(self.sites.T, self.weights, strict=True):
            b = Fraction(w - sum(u * u for u in s) + sum(u * u for u in self.sites[:, 0]), 2)
            scores.append(sum((u * v for u, v in zip(s, x, strict=True)), b))
        return scores


def smallest(f: MaxAffine, X: np.ndarray) -> np.ndarray:
    """The cells as they hold: each point where the first of its largest y_i is."""
    return f.indicator(X).astype(bool)


def _overlapping(f: MaxAffine, X: np.ndarray) -> np.ndarray:
    """The cells as printed: U_i = {x : MaxAff(x) = y_i(x)}."""
    return np.asarray(f.components(X) == f(X))


def _last(f: MaxAffine, X: np.ndarray) -> np.ndarray:
    y = _overlapping(f, X)
    return np.asarray(np.arange(len(y))[:, None] == len(y) - 1 - y[::-1].argmax(axis=0))


def _open(f: MaxAffine, X: np.ndarray) -> np.ndarray:
    y = _overlapping(f, X)
    return np.asarray(y & (y.sum(axis=0) == 1))


def cut(N: object, d: object, cells: Cells = smallest) -> Cut:
    """Sites 2 apart from their neighbours on a line, a square or a cube, weights 0 and 1, points on a grid around.

    For two on the line y_1 = x and y_2 = -x.
    """
    N, d = whole("N", N, 2, 12), whole("d", d, 1, 3)
    side = next(k for k in itertools.count(2) if k**d >= N)
    places = [side - 1 - 2 * k for k in range(side)]
    sites = np.array(list(itertools.islice(itertools.product(places, repeat=d), N)), dtype=object).T
    weights = np.array([k // 2 % 2 for k in range(N)], dtype=object)
    plain = MaxAffine.of_sites(sites, weights)
    steps = [Fraction(k, 2) for k in range(-2 * side, 2 * side + 1)][:: 1 if d == 1 else 2]
    points = np.array(list(itertools.product(steps, repeat=d)), dtype=object).T
    return Cut(MaxAffine(plain.A, plain.b - plain.b[0]), cells, sites, weights, points)


def _with_function(change: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]) -> Damage:
    return mapped(f=lambda f: MaxAffine(*change(f.A, f.b)))


def _lifted(parts: Cut, rng: np.random.Generator) -> Cut:
    b = parts.f.b.copy()
    b[int(rng.integers(len(b)))] += 3
    return replaced(parts, f=MaxAffine(parts.f.A, b))


LEFT_OUT = _with_function(lambda A, b: (A[:, :-1], b[:-1]))
LOWEST = _with_function(lambda A, b: (-A, -b))

# ------------------------------------------------------------------------------------------------------ Definition 3.1


def _certify_function(parts: Cut) -> list[Check]:
    """Values against the largest of the components, by loops; and that the function is convex."""
    X = parts.points
    values = parts.f(X)
    off = np.array([abs(value - max(parts.scores(x))) for value, x in zip(values, X.T, strict=True)])
    i, j = _pairs(X)
    bend = parts.f((X[:, i] + X[:, j]) / 2) - (values[i] + values[j]) / 2
    name = "convex: value halfway minus the mean of the ends, largest"
    return [
        Check.worst("|MaxAff(x) - max_i (a_i . x + b_i)| on the grid, largest", off, "==", 0, lambda k: {"x": X[:, k]}),
        Check.worst(name, bend, "<=", 0, lambda k: {"x": X[:, i[k]], "y": X[:, j[k]]}, "sampled"),
    ]


def _pairs(X: np.ndarray) -> np.ndarray:
    """Places of some pairs of points, shape (2, count)."""
    count = X.shape[1]
    return np.array(list(itertools.combinations(range(count), 2))[:: max(1, count // 8)]).T


@register(
    "liu2025:def-3-1",
    "a max-affine function is the largest of its affine components, and convex",
    source="Definition 3.1",
    chapter="liu-partitions",
    construction=MaxAffine,
    certify=_certify_function,
    cases=[{"N": 5}, {"N": 4, "d": 2}, {"N": 5, "d": 3}],
    damages={
        "a component left out": LEFT_OUT,
        "the smallest": mapped(f=lambda f: lambda X: -MaxAffine(-f.A, -f.b)(X)),
        "an intercept lifted": _lifted,
    },
)
def function(*, N: int = 3, d: int = 1) -> Cut:
    """Its values on a grid, borders included, exactly."""
    return cut(N, d)


# ------------------------------------------------------------------------------------------------------ Definition 3.2


def _certify_indicator(parts: Cut) -> list[Check]:
    """The entries of E(x) and where the 1 stands, at every point, by loops."""
    E, X = parts.cells(parts.f, parts.points), parts.points
    missed = np.array([not E[_first(parts.scores(x)), k] for k, x in enumerate(X.T)])

    def witness(k: int) -> dict[str, object]:
        return {"x": X[:, k], "E(x)": E[:, k].astype(int)}

    return [
        Check.worst("ones in E(x) on the grid, farthest from 1", E.sum(axis=0), "==", 1, witness),
        Check.none("points of the grid without a 1 at the first largest y_i(x)", missed, witness),
    ]


def _first(scores: list[Fraction]) -> int:
    return scores.index(max(scores))


@register(
    "liu2025:def-3-2",
    "the indicator has one 1, for the first of the largest components",
    source="Definition 3.2",
    chapter="liu-partitions",
    construction=MaxAffine.indicator,
    certify=_certify_indicator,
    cases=[{"N": 5}, {"N": 4, "d": 2}, {"N": 5, "d": 3}],
    damages={
        "the last of the largest": put(cells=_last),
        "borders in no cell": put(cells=_open),
        "the lowest": LOWEST,
        "an intercept lifted": _lifted,
    },
    concerns="sentence",
    erratum="""Where several components are the largest, argmax is no single index. The sentence after the definition
    puts a 1 at each of them, and E(x) is one-hot no longer. Take the smallest index.""",
)
def indicator(*, variant: str = "repaired", N: int = 2, d: int = 1) -> Cut:
    """E(x) on a grid, borders included; printed: 1 at each index that attains the maximum."""
    return cut(N, d, _overlapping if variant == "printed" else smallest)


# ------------------------------------------------------------------------------------------------------ Proposition 3.1


def _certify_partition(parts: Cut) -> list[Check]:
    """Cells that hold each point; whether points between two of a cell are in it; the power diagram, by loops.

    Two diagrams that differ by less than the grid are told apart by the borders of their cells, which are exact.
    """
    f, X = parts.f, parts.points
    inside = parts.cells(f, X)
    counts = inside.sum(axis=0)
    i, j = _pairs(X)
    middles, both = (X[:, i] + X[:, j]) / 2, inside[:, i] & inside[:, j]
    lost = both & ~parts.cells(f, middles)

    def cells(k: int) -> dict[str, object]:
        return {"x": X[:, k], "cells": np.flatnonzero(inside[:, k]) + 1}

    def between(cell: int, k: int) -> dict[str, object]:
        return {"x": middles[:, k], "between two points of cell": cell + 1}

    def not_least(sites: np.ndarray, weights: object) -> np.ndarray:
        return np.array([not _is_least(inside[:, k], x, sites, weights) for k, x in enumerate(X.T)])

    name = "points of the grid not in the cell of the least |x - s_i|^2 - w_i, the first of them"
    ours = not_least(f.A, [a @ a + 2 * b for a, b in zip(f.A.T, f.b, strict=True)])
    return [
        Check.worst("cells that hold a point of the grid, least", counts, ">=", 1, cells),
        Check.worst("cells that hold a point of the grid, most", counts, "<=", 1, cells),
        Check.none(
            "convex: points halfway between two of a cell, on the grid, that are not in it",
            *(lost, between, "sampled", int(both.sum())),
        ),
        Check.none(name, not_least(parts.sites, parts.weights), lambda k: {"x": X[:, k]}),
        Check.none("the same for the sites a_i and weights |a_i|^2 + 2 b_i", ours, lambda k: {"x": X[:, k]}),
        Check.none(
            "pairs of cells whose border is not that of the sites and weights, exactly",
            *_other_borders(f, parts.sites, parts.weights),
        ),
    ]


def _other_borders(f: MaxAffine, sites: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, Callable]:
    """For each two sites, whether y_i >= y_j is another half-space than |x - s_i|^2 - w_i <= |x - s_j|^2 - w_j."""
    ours = [[*a, b] for a, b in zip(f.A.T, f.b, strict=True)]
    theirs = [[*(2 * u for u in s), w - s @ s] for s, w in zip(sites.T, weights, strict=True)]
    between = list(itertools.combinations(range(len(theirs)), 2))

    def differ(i: int, j: int) -> bool:
        if j >= len(ours):
            return True
        y, power = ([u - v for u, v in zip(rows[i], rows[j], strict=True)] for rows in (ours, theirs))
        parallel = all(a * q == b * p for (a, p), (b, q) in itertools.combinations(zip(y, power, strict=True), 2))
        return not (parallel and sum(a * p for a, p in zip(y, power, strict=True)) > 0)

    return np.array([differ(*pair) for pair in between]), lambda k: {"cells": tuple(1 + i for i in between[k])}


def _is_least(inside: np.ndarray, x: np.ndarray, sites: np.ndarray, weights: Any) -> bool:
    powers = []
    for s, w in zip(sites.T, weights, strict=True):
        powers.append(sum((u - v) ** 2 for u, v in zip(x, s, strict=True)) - w)
    return len(powers) == len(inside) and bool(inside[powers.index(min(powers))])


def _moved_point(parts: Cut, rng: np.random.Generator) -> Cut:
    """The last site counts to the first cell: that has a point far from the others."""
    far = parts.sites[:, -1:]

    def cells(f: MaxAffine, X: np.ndarray) -> np.ndarray:
        inside = smallest(f, X)
        there = np.equal(X, far).all(axis=0)
        inside[:, there] = np.arange(len(inside))[:, None] == 0
        return inside

    return replaced(parts, cells=cells)


@edited("weights")
def _heavier(weights: np.ndarray, parts: Cut, rng: np.random.Generator) -> None:
    weights[int(rng.integers(len(weights)))] += 3


@register(
    "liu2025:prop-3-1",
    "the cells of a max-affine function, borders given to the smallest index, are a partition into convex sets",
    source="Proposition 3.1, section A.1",
    chapter="liu-partitions",
    construction=MaxAffine.partition,
    certify=_certify_partition,
    cases=[{"N": 5}, {"N": 4, "d": 2}, {"N": 7, "d": 2}, {"N": 5, "d": 3}],
    damages={
        "borders in no cell": put(cells=_open),
        "the last of the largest": put(cells=_last),
        "a point in a cell far away": _moved_point,
        "the lowest": LOWEST,
        "a component left out": LEFT_OUT,
        "a site heavier": _heavier,
    },
    concerns="definition",
    erratum="""The U_i cover the space, but they overlap where several y_i are the largest, as y = x and y = -x are at
    0; the text says so, and leaves the borders out. Give each border to the smallest index, and nothing need be left
    out. (On a connected domain that two cells share, borders cannot be avoided.)""",
)
def partition(*, variant: str = "repaired", N: int = 2, d: int = 1) -> Cut:
    """The cells on a grid, borders included, against those of sites and weights; printed: the U_i."""
    choice("variant", variant, ("repaired", "printed"))
    return cut(N, d, _overlapping if variant == "printed" else smallest)
