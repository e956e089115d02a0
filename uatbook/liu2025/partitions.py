"""Liu et al. (2025): max-affine functions, the cells into which they cut space, their indicator."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, whole
from uatlib.liu2025.partitions import MaxAffine

from ..damages import Damage, replaced
from ..registry import register

Cells = Callable[[MaxAffine, np.ndarray], np.ndarray]
"""Points (d, count) to booleans (N, count): whether a point is in a cell."""


class Cut(NamedTuple):
    """A max-affine function and what it is to be: sites, weights and exact points, borders among them."""

    f: Any
    cells: Cells
    sites: np.ndarray
    weights: np.ndarray
    points: np.ndarray

    def certificate(self, *checks: Check) -> Certificate:
        """The checks, with these parameters."""
        d, N = self.sites.shape
        return Certificate(checks, parameters={"N": N, "d": d})

    def scores(self, x: Any) -> list[Fraction]:
        """s_i . x + b_i by loops, with b_i = (w_i - |s_i|^2 + |s_1|^2)/2: that of the first is 0 for w_1 = 0."""
        found = []
        for s, w in zip(self.sites.T, self.weights, strict=True):
            b = Fraction(w - sum(u * u for u in s) + sum(u * u for u in self.sites[:, 0]), 2)
            found.append(sum((u * v for u, v in zip(s, x, strict=True)), b))
        return found


def smallest(f: MaxAffine, X: np.ndarray) -> np.ndarray:
    """The cells as they hold: each point where the first of its largest y_i is."""
    return f.indicator(X).astype(bool)


def _overlapping(f: MaxAffine, X: np.ndarray) -> np.ndarray:
    """The cells as printed: U_i = {x : MaxAff(x) = y_i(x)}."""
    return np.asarray(f.components(X) == f(X))


def cut(N: Any, d: Any, cells: Cells = smallest) -> Cut:
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
    return lambda parts, rng: replaced(parts, f=MaxAffine(*change(parts.f.A, parts.f.b)))


def _with_cells(cells: Callable[[Cut], Cells]) -> Damage:
    return lambda parts, rng: replaced(parts, cells=cells(parts))


def _lifted(parts: Cut, rng: np.random.Generator) -> Cut:
    b = parts.f.b.copy()
    b[int(rng.integers(len(b)))] += 3
    return replaced(parts, f=MaxAffine(parts.f.A, b))


LEFT_OUT = _with_function(lambda A, b: (A[:, :-1], b[:-1]))
LOWEST = _with_function(lambda A, b: (-A, -b))

# ------------------------------------------------------------------------------------------------------ Definition 3.1


def _certify_function(parts: Cut) -> Certificate:
    """Values against the largest of the components, by loops; and that the function is convex."""
    X = parts.points
    values, largest = parts.f(X), [max(parts.scores(x)) for x in X.T]
    off, at = max((abs(value - best), k) for k, (value, best) in enumerate(zip(values, largest, strict=True)))
    pairs = list(itertools.combinations(range(X.shape[1]), 2))[:: max(1, X.shape[1] // 8)]
    i, j = np.array(pairs).T
    bend = parts.f((X[:, i] + X[:, j]) / 2) - (values[i] + values[j]) / 2
    worst = int(bend.argmax())
    return parts.certificate(
        Check(
            "|MaxAff(x) - max_i (a_i . x + b_i)| on the grid, largest",
            off,
            "==",
            0,
            _point(X[:, at]),
            cases=len(values),
        ),
        Check(
            "convex: value halfway minus the mean of the ends, largest",
            bend[worst],
            "<=",
            0,
            f"between {_point(X[:, i[worst]])} and {_point(X[:, j[worst]])}",
            "sampled",
            len(pairs),
        ),
    )


def _point(x: Any) -> str:
    return f"x = ({', '.join(map(str, x))})"


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
        "the smallest": lambda parts, rng: replaced(parts, f=lambda X: -MaxAffine(-parts.f.A, -parts.f.b)(X)),
        "an intercept lifted": _lifted,
    },
)
def function(*, N: int = 3, d: int = 1) -> Cut:
    """Its values on a grid, borders included, exactly."""
    return cut(N, d)


# ------------------------------------------------------------------------------------------------------ Definition 3.2


def _certify_indicator(parts: Cut) -> Certificate:
    """The entries of E(x) and where the 1 stands, at every point, by loops."""
    found = parts.cells(parts.f, parts.points)
    at = max(range(found.shape[1]), key=lambda k: abs(int(found[:, k].sum()) - 1))
    wrong = [k for k, x in enumerate(parts.points.T) if not found[_first(parts.scores(x)), k]]
    told = [f"{_point(parts.points[:, k])}, E(x) = {found[:, k].astype(int).tolist()}" for k in (at, *wrong[:1])]
    count = found.shape[1]
    return parts.certificate(
        Check("ones in E(x) on the grid, farthest from 1", int(found[:, at].sum()), "==", 1, told[0], cases=count),
        Check("points of the grid without a 1 at the first largest y_i(x)", len(wrong), "==", 0, told[-1], cases=count),
    )


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
        "the last of the largest": _with_cells(lambda parts: _last),
        "borders in no cell": _with_cells(lambda parts: _open),
        "the lowest": LOWEST,
        "an intercept lifted": _lifted,
    },
    concerns="sentence",
    erratum="""Where several components are the largest, argmax is no single index. The sentence after the definition
    puts a 1 at each of them, and E(x) is one-hot no longer. Take the smallest index.""",
)
def indicator(*, variant: Any = "repaired", N: int = 2, d: int = 1) -> Cut:
    """E(x) on a grid, borders included; printed: 1 at each index that attains the maximum."""
    return cut(N, d, _overlapping if variant == "printed" else smallest)


def _last(f: MaxAffine, X: np.ndarray) -> np.ndarray:
    y = _overlapping(f, X)
    return np.asarray(np.arange(len(y))[:, None] == len(y) - 1 - y[::-1].argmax(axis=0))


def _open(f: MaxAffine, X: np.ndarray) -> np.ndarray:
    y = _overlapping(f, X)
    return np.asarray(y & (y.sum(axis=0) == 1))


# ------------------------------------------------------------------------------------------------------ Proposition 3.1


def _certify_partition(parts: Cut) -> Certificate:
    """Cells that hold each point; whether points between two of a cell are in it; the power diagram, by loops."""
    f, X = parts.f, parts.points
    inside = parts.cells(f, X)
    counts = inside.sum(axis=0)
    checks = [
        Check(
            f"cells that hold a point of the grid, {word}",
            int(counts[k]),
            relation,
            1,
            f"{_point(X[:, k])} in U_{', U_'.join(str(i + 1) for i in np.flatnonzero(inside[:, k])) or 'none'}",
            cases=len(counts),
        )
        for word, relation, k in (("least", ">=", int(counts.argmin())), ("most", "<=", int(counts.argmax())))
    ]
    pairs = np.array(list(itertools.combinations(range(X.shape[1]), 2))[:: max(1, X.shape[1] // 8)]).T
    both = inside[:, pairs[0]] & inside[:, pairs[1]]
    middles = (X[:, pairs[0]] + X[:, pairs[1]]) / 2
    gone = np.argwhere(both & ~parts.cells(f, middles))
    where = f"{_point(middles[:, gone[0, 1]])}, between two points of U_{gone[0, 0] + 1}" if len(gone) else None
    name = "convex: points halfway between two of a cell, on the grid, that are not in it"
    checks.append(Check(name, len(gone), "==", 0, where, "sampled", int(both.sum())))
    own = [a @ a + 2 * b for a, b in zip(f.A.T, f.b, strict=True)]
    for name, sites, weights in (
        (
            "points of the grid not in the cell of the least |x - s_i|^2 - w_i, the first of them",
            parts.sites,
            parts.weights,
        ),
        ("the same for the sites a_i and weights |a_i|^2 + 2 b_i", f.A, own),
    ):
        wrong = [k for k, x in enumerate(X.T) if not _is_least(inside[:, k], x, sites, weights)]
        where = _point(X[:, wrong[0]]) if wrong else None
        checks.append(Check(name, len(wrong), "==", 0, where, cases=X.shape[1]))
    return parts.certificate(*checks)


def _is_least(inside: np.ndarray, x: np.ndarray, sites: np.ndarray, weights: Any) -> bool:
    powers = []
    for s, w in zip(sites.T, weights, strict=True):
        powers.append(sum((u - v) ** 2 for u, v in zip(x, s, strict=True)) - w)
    return len(powers) == len(inside) and bool(inside[powers.index(min(powers))])


def _moved_point(parts: Cut) -> Cells:
    """The last site counts to the first cell: that has a point far from the others."""
    far = parts.sites[:, -1:]

    def cells(f: MaxAffine, X: np.ndarray) -> np.ndarray:
        inside = smallest(f, X)
        there = np.equal(X, far).all(axis=0)
        inside[:, there] = np.arange(len(inside))[:, None] == 0
        return inside

    return cells


def _heavier(parts: Cut, rng: np.random.Generator) -> Cut:
    weights = parts.weights.copy()
    weights[int(rng.integers(len(weights)))] += 3
    return replaced(parts, weights=weights)


@register(
    "liu2025:prop-3-1",
    "the cells of a max-affine function, borders given to the smallest index, are a partition into convex sets",
    source="Proposition 3.1, section A.1",
    chapter="liu-partitions",
    construction=MaxAffine.partition,
    certify=_certify_partition,
    cases=[{"N": 5}, {"N": 4, "d": 2}, {"N": 7, "d": 2}, {"N": 5, "d": 3}],
    damages={
        "borders in no cell": _with_cells(lambda parts: _open),
        "the last of the largest": _with_cells(lambda parts: _last),
        "a point in a cell far away": _with_cells(_moved_point),
        "the lowest": LOWEST,
        "a component left out": LEFT_OUT,
        "a site heavier": _heavier,
    },
    concerns="definition",
    erratum="""The U_i cover the space, but they overlap where several y_i are the largest, as y = x and y = -x are at
    0; the text says so, and leaves the borders out. Give each border to the smallest index, and nothing need be left
    out. (On a connected domain that two cells share, borders cannot be avoided.)""",
)
def partition(*, variant: Any = "repaired", N: int = 2, d: int = 1) -> Cut:
    """The cells on a grid, borders included, against those of sites and weights; printed: the U_i."""
    choice("variant", variant, ("repaired", "printed"))
    return cut(N, d, _overlapping if variant == "printed" else smallest)
