"""How far a smoother is from a Lipschitz function at most, on all of a set: boxes, divided until each is good enough.

Ours. On a box of centre c and half width r, with s_j the scores at c, Delta_j = v_j - v* for the nearest centre v*:

    |f(Z) - g(Z)| <= |f(c) - g(c)| + L r + S r
    S = R max_k sum_j w_j |V_jk - V'_k| (|v_j - v'|_1 + M),   M = sum_j w_j |v_j - v'|_1

since the derivative of g_k is R times the covariance of V_k and v. Anywhere in the box the weight of v_j is at most
w_j = e^{s_j + R r |Delta_j|_1} / sum_l e^{s_l - R r |Delta_l|_1}; V', v' are the averages at c.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..progress import progress

DEPTH = 7
"""How often a box is halved."""
WORK = 2**27
"""Boxes times centres."""
NEEDED = 64
"""Boxes a centre that usually do; where there is no room for so many, nothing is enclosed."""
BLOCK = 2**21
ROUNDING = 1 + 1e-9


class Enclosed(NamedTuple):
    """A bound of the error on all boxes, at which box it is attained, and how many boxes were looked at.

    And the steepest rise of f from the centre of a box to that of a part of it, as a share of what it may be, where.
    """

    error: float
    witness: np.ndarray
    boxes: int
    steepest: float
    steep: tuple[np.ndarray, np.ndarray]


def enclosed_error(
    f: Callable[[np.ndarray], np.ndarray],
    centers: np.ndarray,
    values: np.ndarray,
    precision: float,
    boxes: np.ndarray,
    half: float,
    rise: Callable[[float], float],
    error: float,
    inside: Callable[[np.ndarray, float], np.ndarray] | None = None,
) -> Enclosed | None:
    """max |f - g|_inf over all boxes, proved; None if that takes too many boxes.

    Parameters
    ----------
    f : at points (k, m), its values (k, rows)
    centers, values, precision : of g, shapes (G, m) and (G, rows)
    boxes, half : the centres of boxes, (k, m), and half their width
    rise : a bound on |f(Z) - f(c)| for Z at most r from c in the sup norm, from r
    error : boxes with a bound up to it are not divided
    inside : whether a box of centre c and half width r meets the set, from (k, m) and r; None: all do
    """
    if len(boxes) * len(centers) * NEEDED > WORK:
        return None
    count, worst, witness, budget = 0, 0.0, boxes[0], WORK
    steepest, steep, before, rose = 0.0, (boxes[0], boxes[0]), None, np.empty((0, values.shape[1]))
    for depth in progress(range(DEPTH + 1), "boxes"):
        if inside is not None:
            kept = inside(boxes, half)
            boxes, rose = boxes[kept], rose[kept] if before is not None else rose
            before = None if before is None else before[kept]
        if len(boxes) == 0:
            break
        budget -= len(boxes) * len(centers)
        step = max(1, BLOCK // len(centers))
        parts = [boxes[k : k + step] for k in range(0, len(boxes), step)]
        heights = f(boxes)
        f_of = [heights[k : k + step] for k in range(0, len(boxes), step)]
        found = [_bounds(y, centers, values, precision, part, half, rise) for y, part in zip(f_of, parts, strict=True)]
        bounds = np.concatenate(found)
        count += len(boxes)
        if before is not None:
            shares = np.abs(heights - rose).max(axis=1) / max(rise(half), 1e-300)
            if shares.max() > steepest:
                steepest, steep = float(shares.max()), (before[shares.argmax()], boxes[shares.argmax()])
        bad = bounds > error
        if depth == DEPTH or bad.sum() * 2 ** boxes.shape[1] * len(centers) > budget:
            bad[:] = False
        done = np.where(bad, -np.inf, bounds)
        if done.max() > worst:
            worst, witness = float(done.max()), boxes[done.argmax()]
        half /= 2
        shifts = np.array(list(itertools.product((-half, half), repeat=boxes.shape[1])))
        before, rose = (np.repeat(part[bad], len(shifts), axis=0) for part in (boxes, heights))
        boxes = (boxes[bad][:, None] + shifts).reshape(-1, boxes.shape[1])
    return Enclosed(worst, witness, count, steepest, steep)


def _bounds(
    y: np.ndarray,
    v: np.ndarray,
    V: np.ndarray,
    R: float,
    c: np.ndarray,
    r: float,
    rise: Callable[[float], float],
) -> np.ndarray:
    """For each box of centre c, where f is y, a bound of the error in it, without the rounding of f and g there."""
    squares = ((c[:, None] - v) ** 2).sum(axis=2)
    nearest = squares.argmin(axis=1)
    s = -R / 2 * (squares - squares.min(axis=1, keepdims=True))
    reach = R * r * np.abs(v - v[nearest][:, None]).sum(axis=2)
    w = np.exp(s)
    w /= w.sum(axis=1, keepdims=True)
    g, mean = w @ V, w @ v
    most = np.minimum(1.0, np.exp(np.minimum(s + reach, 700)) / np.exp(s - reach).sum(axis=1, keepdims=True))
    away = np.abs(v - mean[:, None]).sum(axis=2)
    along = most * (away + (most * away).sum(axis=1, keepdims=True))
    slope = R * np.stack([(along * np.abs(V[:, k] - g[:, k, None])).sum(axis=1) for k in range(V.shape[1])])
    gap = np.abs(y - g).max(axis=1)
    return np.asarray((gap + rise(r) + slope.max(axis=0) * r) * ROUNDING)
