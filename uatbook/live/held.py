"""Which weights of a network hold the function, whatever proof it comes from: found by building it for others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from uatlib.certificate import Construction
from uatlib.checks import called, function, instance, listed, mapping, refused, whole
from uatlib.targets import Target

from .lowered import lowered
from .parsers import entry as named

__all__ = ["Build", "builders", "grids", "held", "measured"]

Build = Callable[[Target, int], Construction]
WAVES = [(3.1416, 1.7321, 0.2236), (1.2599, 2.9155, 1.1447), (2.2795, -1.9319, 0.7071)]
ROUNDING = Fraction(1, 10**6)
"""What floats may be off, where weights are floats."""


MOST = 64
"""Cells a side."""


def builders(proofs: Mapping[str, Build]) -> dict[str, Build]:
    """The same, with errors that name the one that is off; ValueError if there is none."""
    builds = {key: _building(named("proofs", key), build) for key, build in mapping("proofs", proofs).items()}
    if not builds:
        raise refused("proofs", "functions that build a network, by name", proofs)
    return builds


def _building(name: str, build: object) -> Build:
    builds = function(name, build)
    return lambda f, N: instance(name, called(name, builds, f, N), Construction, "of which the page runs the layers")


def grids(sizes: Sequence[int]) -> list[int]:
    """Cells a side, on a slider or a menu; ValueError where nothing moves."""
    offered = [whole("sizes", N, 2, MOST) for N in listed("sizes", sizes)]
    if len(offered) < 2 or offered != sorted({*offered}):
        raise refused("sizes", "two or more whole numbers, in increasing order", sizes)
    return offered


def _wave(a: float, b: float, c: float, shift: int = 0) -> Target:
    """Values between `shift` and `shift` + 1, no two of them alike on a grid; stated as of `mean_product`."""

    def function(X: Any) -> np.ndarray:
        x = np.asarray(X, dtype=np.float64)
        return shift + 0.5 + 0.4 * np.sin(a * x + b * x[..., ::-1] + c)

    return Target(function, 2, 1, group="symmetric", lipschitz=2, bound=1)


def held(build: Build, N: int) -> tuple[Construction, dict[str, Any]]:
    """A network of `build` for N cells a side, n = 2 and d = 1, and how its weights depend on the function f.

    A weight that does is w = base + c f_1(a, b) + k K, with a point (a, b) of the grid, a centre or an upper corner of
    a cell, and K = max(1, ceil(max f) + 1) over the points that are asked for, by which the deepest network lifts what
    it has answered. The network is built for three functions with values in (0, 1), and for one of them minus 1: of two
    differences between the first three the ratio says which point it is, and the fourth says k.

    Returns
    -------
    The network, and {"points": [[a, b], ...], "layers": [[number, name, base, [[entry, point, c], ...],
    [[entry, k], ...]], ...]} with the weights of each array in one row; a point is a number of the list.

    Raises
    ------
    ValueError
        A weight that is no such sum: the network depends on f in another way.
    """
    functions = [*(_wave(*wave) for wave in WAVES), _wave(*WAVES[0], shift=-1)]
    built = [build(f, N) for f in functions]
    steps = [(k + 0.5) / N for k in range(N)], [(k + 1) / N for k in range(N)]
    points = [(a, b) for axis in steps for a in axis for b in axis]
    one, two, three = (_exact(f(np.array(points)[:, None, :])[:, 0, 0]) for f in functions[:3])
    second, third = one - two, one - three
    ratios = (third / second).astype(float)
    layers: list[list[Any]] = []
    for number, alike in enumerate(zip(*(g.model.layers for g in built), strict=True)):
        for name in alike[0].weights():
            w, u, v, lower = (np.ravel(layer.weights()[name]) for layer in alike)
            entries, lifts, changed = [], [], np.flatnonzero((w != u) | (w != lower)).tolist()
            base = [float(weight) for weight in w]
            for entry in changed:
                at, other, another, below = (Fraction(row[entry]) for row in (w, u, v, lower))
                point, c = 0, Fraction(0)
                if at != other:
                    point = int(abs(ratios - float((at - another) / (at - other))).argmin())
                    c = (at - other) / second[point]
                    if abs((at - another) - c * third[point]) > ROUNDING * abs(c * third[point]):
                        raise ValueError(f"{name} of layer {number}: expected c f(a, b) + k K, got another function.")
                    entries.append([entry, point, float(c)])
                if abs(k := at - below - c) > ROUNDING * abs(c):
                    lifts.append([entry, float(k)])
                base[entry] = float(at - c * one[point] - 2 * (k if lifts and lifts[-1][0] == entry else 0))
            if changed:
                layers.append([number, name, base, entries, lifts])
    used = sorted({point for *_, entries, _ in layers for _, point, _ in entries})
    place = {point: k for k, point in enumerate(used)}
    for layer in layers:
        layer[3] = [[entry, place[point], c] for entry, point, c in layer[3]]
    return built[0], {"points": [list(points[point]) for point in used], "layers": layers}


def measured(build: Build, N: int) -> tuple[Construction, dict[str, Any]]:
    """A network as in `held`, and what the page needs to measure what it makes of any f over the square."""
    g, table = held(build, N)
    middles = (np.arange(N)[:, None, None] + np.full((1, 2), 0.5)) / N
    found = {"network": lowered(g.model), "weights": g.model.parameter_count(), "held": table}
    return g, {**found, "given up": not np.any(np.asarray(g.shortcut(middles)))}


def _exact(row: np.ndarray) -> np.ndarray:
    return np.asarray(np.frompyfunc(Fraction, 1, 1)(row))
