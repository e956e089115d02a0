"""Small domains: balls that cover a cloud of sequences, and how wrong the smoother over their centres can be.

Source: liu2025, Theorem 5.1 and section C.1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arithmetic.border import finite_numbers
from ..checks import finite, positive, sequences, whole
from ..sizes import ConstructionTooLarge
from .bounds import MAX_CELLS

MAX_WORK = 2**34
"""Coordinates compared: half a minute."""


def cover(points: Any, radius: Any) -> np.ndarray:
    """Centres, some of the points, so that each point lies in a closed ball of that radius around one of them; float64.

    Farthest first: the next centre is the point farthest from those before, the first centre the first point. Centres
    are more than `radius` apart, so no cover by balls of half the radius has fewer.

    Parameters
    ----------
    points : (..., d, n), sequences
    radius : above 0, in the Euclidean norm of all entries

    Returns
    -------
    Shape (G, dn), tokens stacked, in the order in which they were chosen.

    Raises
    ------
    ValueError
        points are no sequences of finite numbers, or radius is not above 0.
    ConstructionTooLarge
        More than 2^34 coordinates to compare.

    Source: Gonzalez's farthest-first traversal, for the balls that liu2025, Theorem 5.1, takes as given.
    """
    array = finite_numbers("points", sequences("points", points).astype(float))
    reach = finite("radius", positive("radius", radius)) ** 2
    d, n = array.shape[-2:]
    cloud = np.swapaxes(array, -1, -2).reshape(-1, d * n)
    chosen, squares = [0], ((cloud - cloud[0]) ** 2).sum(axis=1)
    while squares[farthest := int(squares.argmax())] > reach:
        chosen.append(farthest)
        if len(chosen) * cloud.size > MAX_WORK:
            raise ConstructionTooLarge(f"cover: over {len(chosen):,} balls; choose a larger radius or fewer points.")
        squares = np.minimum(squares, ((cloud - cloud[farthest]) ** 2).sum(axis=1))
    return cloud[chosen]


def cover_error(radius: Any, balls: int, precision: Any) -> float:
    """The largest error of a smoother of a function with L = 1, where one of its centres is within `radius`.

        sup |sum_j w_j(Z) f(v_j) - f(Z)|, w(Z) = softmax_j(-R/2 |Z - v_j|^2), min_j |Z - v_j| <= r

    over all f, all N centres and all Z: the e > r with (e - r) e^{-R r^2/2} = (N - 1) max_t (t - e) e^{-R t^2/2}. It
    is attained by f(Z') = |Z' - Z|, one centre at the distance r from Z and all others at t, for N > 3 in dimension
    two or more. At most sqrt(r^2 + (2/R) ln N). Errors grow with L: that of L f is L times as large.

    Parameters
    ----------
    radius, precision : r > 0 and R > 0
    balls : N

    Raises
    ------
    ValueError
        A number is off.

    Source: ours, for liu2025, Theorem 5.1.
    """
    r, R = (finite(name, positive(name, value)) for name, value in (("radius", radius), ("precision", precision)))
    rivals = whole("balls", balls, 1, MAX_CELLS) - 1
    low, high = r, math.sqrt(r * r + 2 / R * math.log(rivals + 1))
    if rivals == 0:
        return r
    while low < (middle := (low + high) / 2) < high:
        t = rival_distance(middle, R)
        # max_t (t - e) e^{-R t^2/2} against (e - r) e^{-R r^2/2}, by logarithms: neither vanishes.
        gain = math.log(rivals * (t - middle)) - R / 2 * (t * t - r * r)
        low, high = (middle, high) if gain > math.log(middle - r) else (low, middle)
    return high


def rival_distance(error: float, R: float) -> float:
    """The t at which (t - e) e^{-R t^2/2} is largest."""
    return (error + math.sqrt(error * error + 4 / R)) / 2
