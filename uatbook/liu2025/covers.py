"""Small domains: balls that cover a cloud of sequences, and how wrong the smoother over their centres can be.

Source: liu2025, Theorem 5.1 and section C.1.
"""

from __future__ import annotations

import math

import numpy as np

from uatlib.arithmetic.numbers import Number, floats
from uatlib.checks import finite, positive, sequences, whole
from uatlib.internal.shapes import Numbers
from uatlib.liu2025.bounds import MAX_CELLS
from uatlib.sizes import ConstructionTooLarge

__all__ = ["cover", "cover_error"]

MAX_WORK = 2**34
"""Coordinates compared: half a minute."""


def cover(points: Numbers, radius: Number) -> np.ndarray:
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
    array = floats(sequences("points", points), "points")
    reach = finite("radius", positive("radius", radius))
    cloud = np.swapaxes(array, -1, -2).reshape(-1, array.shape[-1] * array.shape[-2])
    chosen = [0]
    with np.errstate(over="ignore"):  # infinite is far enough
        away = _squares(cloud, 0, reach)
        while away[farthest := int(away.argmax())] > 1:
            chosen.append(farthest)
            if len(chosen) * cloud.size > MAX_WORK:
                raise ConstructionTooLarge(
                    f"cover: over {len(chosen):,} balls; choose a larger radius or fewer points."
                )
            away = np.minimum(away, _squares(cloud, farthest, reach))
    return cloud[chosen]


def _squares(cloud: np.ndarray, place: int, unit: float) -> np.ndarray:
    """Squared distances of all points from one of them, in units."""
    return np.asarray((((cloud - cloud[place]) / unit) ** 2).sum(axis=1))


def cover_error(radius: Number, balls: int, precision: Number) -> float:
    """The largest error of a smoother of a function with L = 1, where one of its centres is within `radius`.

        sup |sum_j w_j(Z) f(v_j) - f(Z)|, w(Z) = softmax_j(-R/2 |Z - v_j|^2), min_j |Z - v_j| <= r

    over all f, all N centres and all Z: the e > r with (e - r) e^{-R r^2/2} = (N - 1) max_t (t - e) e^{-R t^2/2}. It
    is attained by f(Z') = |Z' - Z|, one centre at the distance r from Z and all others at t, for N > 3 in dimension
    two or more. At most sqrt(r^2 + (2/R) ln N). For another L it is L times as large.

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
    if rivals == 0:
        return r
    low, high = r, math.hypot(r, math.sqrt(2 / R * math.log(rivals + 1)))
    while low < (middle := (low + high) / 2) < high:
        t, lead = farther(middle, R)
        # max_t (t - e) e^{-R t^2/2} against (e - r) e^{-R r^2/2}, by logarithms: the powers may vanish.
        gain = math.log(rivals) + lead - R / 2 * (t - r) * (t + r)
        low, high = (middle, high) if gain > math.log(middle - r) else (low, middle)
    return high


def farther(error: float, R: float) -> tuple[float, float]:
    """The t > e at which (t - e) e^{-R t^2/2} is largest, and ln(t - e)."""
    root = math.hypot(error, 2 / math.sqrt(R))
    return (error + root) / 2, math.log(2) - math.log(R) - math.log(error + root)
