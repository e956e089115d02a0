"""How far a smoother is from a Lipschitz function at most, on all of a set: boxes, divided until each is good enough.

Ours. On a box of centre c and half width r, with s_j the scores at c, Delta_j = v_j - v* for the nearest centre v*:

    |f(Z) - g(Z)| <= |f(c) - g(c)| + L r + S r
    S = R max_k sum_j w_j |V_jk - V'_k| (|v_j - v'|_1 + M),   M = sum_j w_j |v_j - v'|_1

since the derivative of g_k is R times the covariance of V_k and v. Anywhere in the box the weight of v_j is at most
w_j = e^{s_j + R r |Delta_j|_1} / sum_l e^{s_l - R r |Delta_l|_1}; V', v' are the averages at c.

Only centres near a box are looked at. The others weigh e^-44 each at most, anywhere in it, and move g by 2 max |V|
times what all of them weigh.

Rounding is counted: k operations on numbers of one sign are off by the share 2 k u, u = 2^-53. The exponents are R/2
times differences of squares, after m + 6 operations on numbers up to E, the largest that matters; so powers are off by
the share (m + 6) E u, and weights, quotients of sums of K of them, by theta = 4 u ((m + 6) E + K + 16). That is added
to g, times max |V|, to v', times max |v - c|, and to the whole as a share. Boxes are wider by what their ends round.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..internal.progress import progress
from ..sizes import in_chunks

DEPTH = 7
"""How often a box is halved."""
WORK = 2**27
"""Boxes times centres that are looked at."""
NEEDED = 64
"""Divisions of a box that usually do; where there is no room for so many, nothing is enclosed."""
BLOCK, HELD = 2**20, 2**22
"""Boxes times centres that are computed at once, and boxes that are held at once."""
ENOUGH = 0.8
FAR = 44
UNIT = 2.0**-53
LEAST = -745
"""e to less than this is 0 in floats."""


class Enclosed(NamedTuple):
    """The error lies in [lower, upper]; where it is at least the one, and around which centre at most the other.

    And the steepest rise of f from the centre of a box to that of a part of it, as a share of what it may be, where.
    """

    lower: float
    lower_at: np.ndarray
    upper: float
    upper_at: np.ndarray
    boxes: int
    steepest: float
    steep: tuple[np.ndarray, np.ndarray]


class TooMany(NamedTuple):
    """Why nothing was enclosed."""

    why: str


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
) -> Enclosed | TooMany:
    """max |f - g|_inf over all boxes, from both sides; the worst are divided as long as there is room.

    Parameters
    ----------
    f : at points (k, m), its values (k, rows), finite
    centers, values, precision : of g, shapes (G, m) and (G, rows)
    boxes, half : the centres of boxes, (k, m), and half their width
    rise : a bound on |f(Z) - f(c)| for Z at most r from c in the sup norm, from r
    error : what is claimed; boxes with a bound up to 0.8 of it are not divided, and none once a point is off by more
    inside : whether a box of centre c and half width r meets the set, from (k, m) and r; None: all do
    """
    if len(boxes) * len(centers) > WORK:
        return TooMany(f"{len(boxes):,} boxes beside {len(centers):,} centres; the limit is {WORK:,} pairs")
    m, ends = boxes.shape[1], 16 * UNIT * (np.abs(boxes).max() + half)
    near = _near(boxes, half + ends, centers, precision)
    K = near.shape[1]
    if len(boxes) * K * NEEDED > WORK:
        return TooMany(f"{len(boxes):,} boxes with {K:,} centres near; the limit is {WORK // NEEDED:,} pairs")
    rest = 2 * np.abs(values).max() * len(centers) * np.exp(-FAR) if len(centers) > K else 0.0
    owners, budget, count = np.arange(len(boxes)), WORK, 0
    lower, lower_at, upper, upper_at = 0.0, boxes[0], 0.0, boxes[0]
    steepest, steep, before = 0.0, (boxes[0], boxes[0]), (boxes[:0], values[:0])
    for depth in progress(range(DEPTH + 1), "boxes"):
        if inside is not None:
            kept = inside(boxes, half + ends)
            boxes, owners = boxes[kept], owners[kept]
            before = (before[0][kept], before[1][kept]) if depth else before
        if len(boxes) == 0:
            break
        heights, r = f(boxes), half + ends
        found = [
            _bounds(heights[k], centers[near[owners[k]]], values[near[owners[k]]], precision, boxes[k], r, rise(r))
            for k in in_chunks(len(boxes), K, BLOCK)
        ]
        least, bounds = (np.concatenate(part) for part in zip(*found, strict=True))
        bounds = np.where(np.isnan(bounds), np.inf, bounds) + rest
        least = np.where(inside(boxes, 0.0), least - rest, 0.0) if inside is not None else least - rest
        budget, count = budget - len(boxes) * K, count + len(boxes)
        if depth:
            shares = np.abs(heights - before[1]).max(axis=1) / max(rise(r), 1e-300)
            if shares.max() > steepest:
                steepest, steep = float(shares.max()), (before[0][shares.argmax()], boxes[shares.argmax()])
        if least.max() > lower:
            lower, lower_at = float(least.max()), boxes[least.argmax()]
        bad, room = ~(bounds <= ENOUGH * error), min(budget // K, HELD) // 2**m
        if depth == DEPTH or lower > error:
            room = 0
        if bad.sum() > room:  # the worst go on
            bad[np.argsort(-bounds, kind="stable")[room:]] = False
        done = np.where(bad, -np.inf, bounds)
        if done.max() > upper:
            upper, upper_at = float(done.max()), boxes[done.argmax()]
        half /= 2
        shifts = np.array(list(itertools.product((-half, half), repeat=m)))
        before = (np.repeat(boxes[bad], len(shifts), axis=0), np.repeat(heights[bad], len(shifts), axis=0))
        owners = np.repeat(owners[bad], len(shifts))
        boxes = (boxes[bad][:, None] + shifts).reshape(-1, m)
    return Enclosed(lower, lower_at, upper, upper_at, count, steepest, steep)


def _near(c: np.ndarray, r: float, v: np.ndarray, R: float) -> np.ndarray:
    """For each box the indices of K centres, all among them that anywhere in it weigh more than e^-44, (count, K)."""
    parts = in_chunks(len(c), len(v), BLOCK)

    def most(part: slice) -> np.ndarray:
        _, s, reach = _scores(c[part, None] - v, R, r)
        return np.asarray(s + reach)

    K = max(int((most(part) >= -FAR - 1).sum(axis=1).max()) for part in parts)
    if len(v) == K:
        return np.tile(np.arange(K), (len(c), 1))
    return np.concatenate([np.argpartition(-most(part), K, axis=1)[:, :K] for part in parts])


def _scores(gaps: np.ndarray, R: float, r: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Least square of a distance, scores less the largest, and by how much they may rise or fall beside it."""
    squares = (gaps**2).sum(axis=2)
    nearest = squares.argmin(axis=1)
    least = squares.min(axis=1, keepdims=True)
    ahead = gaps - np.take_along_axis(gaps, nearest[:, None, None], axis=1)
    return least, -R / 2 * (squares - least), R * r * np.abs(ahead).sum(axis=2)


def _bounds(
    y: np.ndarray, v: np.ndarray, V: np.ndarray, R: float, c: np.ndarray, r: float, rise: float
) -> tuple[np.ndarray, np.ndarray]:
    """For each box of centre c, where f is y, what the error at c is at least, and what it is at most in all of it.

    Centres v, (count, K, m), and values V, (count, K, rows), are those near the box.
    """
    gaps = v - c[:, None]
    least, s, reach = _scores(gaps, R, r)
    largest = np.where(s + reach > LEAST, reach - s, 0.0).max() + R * least.max()
    theta = 4 * UNIT * ((gaps.shape[2] + 6) * largest + gaps.shape[1] + 16)
    w = np.exp(s)
    w /= w.sum(axis=1, keepdims=True)
    g, mean = (w[:, None] @ V)[:, 0], w[:, None] @ gaps
    most = np.minimum(1.0, np.exp(np.minimum(s + reach, 700)) / np.exp(s - reach).sum(axis=1, keepdims=True))
    away = np.abs(gaps - mean).sum(axis=2) + theta * np.abs(gaps).sum(axis=2).max(axis=1, keepdims=True)
    along = most * (away + (most * away).sum(axis=1, keepdims=True))
    loss = theta * np.abs(V).max(axis=(1, 2))
    slope = R * (along[:, None] @ (np.abs(V - g[:, None]) + loss[:, None, None]))[:, 0].max(axis=1)
    gap = np.abs(y - g).max(axis=1)
    return gap - loss, (gap + loss + rise + slope * r) * (1 + 4 * theta)
