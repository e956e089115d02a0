"""The cells of a grid: how many have a repeated column, and the distance of two functions cell by cell."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from fractions import Fraction
from typing import Any

from .certificate import Check
from .grids import Grid
from .metrics import lp_distance
from .targets import Target

MAX_POINTS = 500_000
"""Points of a quadrature; beyond, distances are estimated by Monte Carlo."""


def repeated_share(inverse_delta: int, n: int, d: int) -> Fraction:
    """The volume of the cells with a repeated column, as a share of the box: 1 - prod_{i < n} (1 - i/D).

    Proposition 5 calls it O(delta^d); it is at most C(n, 2) delta^d. Source: yun2020, section E.1.4.

    Raises
    ------
    ValueError, ConstructionTooLarge
        As `Grid`.
    """
    grid = Grid(inverse_delta, n, d)
    return 1 - Fraction(math.perm(grid.column_values, grid.n), grid.column_values**grid.n)


NODES = 30_000
"""Points of an enclosure that has more than one in a cell."""


def distance_on_cells(
    name: str,
    f: Any,
    g: Any,
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
    if Grid(N, n, d).size() <= MAX_POINTS:
        cells = N * max(1, int(NODES ** (1 / (d * n)) / N) if steep else 1)
        proved: dict[str, Any] = {"method": "enclosed", "cells": cells, "lipschitz": steep, "norm": target.norm}
        found = lp_distance(f, g, n=n, d=d, p=p, executor=executor, **proved)
        assert found.error is not None
        return Check(f"{name} at most", found.value + found.error, "<=", bound, None, "enclosed", found.points)
    found = lp_distance(f, g, n=n, d=d, p=p, method="monte carlo", samples=samples, seed=seed, executor=executor)
    assert found.standard_error is not None
    measured = found.value + 3 * found.standard_error
    return Check(f"{name} + 3 standard errors", measured, "<=", bound, None, "sampled", found.points)
