"""Whether labelled points are cells of a max-affine function: its weights, or a proof that there are none."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

ROUNDS = 5000
NEAR = 1e-12
"""Of the largest squared length: what counts as nearer, and shares that count as none."""


class Obstruction(NamedTuple):
    """`share` of y_own(x) - y_rival(x) at one point: such sum to 0 whatever the y_i, so not all can be positive."""

    column: int
    own: int
    rival: int
    share: Fraction


def separate(points: np.ndarray, labels: Sequence[int], count: int) -> np.ndarray | list[Obstruction] | None:
    """Weights (d + 1, N), the b_i last, with y_own > y_rival at all points; or why there are none; or None: undecided.

    Every point and rival make a vector v with (A, b) . v = y_own - y_rival. The point w of their convex hull that is
    nearest to 0 has w . v >= |w|^2 for all of them, and is the answer; if it is 0, its shares are the reason (Gordan).
    Found in floats, checked exactly.

    Parameters
    ----------
    points : (d, count), Fractions
    labels : of the columns, from 0 to N - 1
    """
    pairs = [(k, cell, rival) for k, cell in enumerate(labels) for rival in range(count) if rival != cell]
    middle = points.sum(axis=1, keepdims=True) / len(labels)
    size = abs(points - middle).max() or Fraction(1)
    rows = np.vstack([((points - middle) / size).astype(float), np.ones(len(labels))]).T
    vectors = np.zeros((len(pairs), count, len(rows[0])))
    for vector, (k, cell, rival) in zip(vectors, pairs, strict=True):
        vector[cell], vector[rival] = rows[k], -rows[k]
    flat = vectors.reshape(len(pairs), -1)
    w, places, shares = nearest_to_zero(flat)
    weights = np.array([[Fraction(float(u)) for u in row] for row in w.reshape(count, -1)], dtype=object).T
    weights[:-1] /= size
    weights[-1] -= middle[:, 0] @ weights[:-1]
    ones = np.full((1, len(labels)), Fraction(1), dtype=object)
    extended = np.vstack([points, ones])
    y = weights.T @ extended
    if all(y[cell, k] > y[rival, k] for k, cell, rival in pairs):
        return weights
    for near, parts in _reasons(flat, places, shares):
        chosen = [pairs[place] for place in near]
        found = _balance([_vector(extended[:, k], cell, rival, count) for k, cell, rival in chosen], parts)
        if found is not None:
            return [Obstruction(*pair, share) for pair, share in zip(chosen, found, strict=True) if share]
    return None


def _reasons(vectors: np.ndarray, places: list[int], shares: np.ndarray) -> Iterator[tuple[list[int], list[float]]]:
    """Shares with which rows nearly sum to 0, largest first: those given, then means over points around 0.

    Of points that floats have rounded the former are too few for a sum of exactly 0; the latter are many.
    """
    rng = np.random.default_rng(0)
    total = np.zeros(len(vectors))
    total[places] = shares
    for radius in (0, 1e-2, 1e-4, 1e-6):
        aside = rng.normal(size=(3, len(vectors))) @ vectors
        aside *= radius / np.maximum(np.linalg.norm(aside, axis=1, keepdims=True), NEAR)
        around = [nearest_to_zero(vectors - point) for point in (*aside, *-aside)] if radius else []
        if any(np.linalg.norm(rest) > radius / 1e3 for rest, _, _ in around):
            continue  # the hull does not reach so far around 0
        for _, places, shares in around:
            total[places] += shares
        order = np.argsort(-total, kind="stable")[: np.count_nonzero(total)]
        yield order.tolist(), total[order].tolist()


def nearest_to_zero(vectors: np.ndarray) -> tuple[np.ndarray, list[int], np.ndarray]:
    """The point of the convex hull of the rows that is nearest to 0: itself, rows that make it, and their shares.

    Source: Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11 (1976).
    """
    squares = (vectors**2).sum(axis=1)
    near = NEAR * float(squares.max())
    chosen, shares = [int(squares.argmin())], np.ones(1)
    for _ in range(ROUNDS):
        w = shares @ vectors[chosen]
        products = vectors @ w
        new = int(products.argmin())
        if products[new] >= w @ w - near or new in chosen:
            break
        chosen, shares = [*chosen, new], np.append(shares, 0.0)
        while True:
            affine = _affine_shares(vectors[chosen])
            if (affine > NEAR).all():
                shares = affine
                break
            out = affine <= NEAR
            step = min(1.0, float((shares[out] / np.maximum(shares[out] - affine[out], NEAR)).min()))
            shares = (1 - step) * shares + step * affine
            kept = shares > NEAR
            if kept.all():
                kept[np.where(out, shares, np.inf).argmin()] = False
            chosen, shares = list(itertools.compress(chosen, kept)), shares[kept] / shares[kept].sum()
    return shares @ vectors[chosen], chosen, shares


def _affine_shares(rows: np.ndarray) -> np.ndarray:
    """Shares, of any sign, of the point nearest to 0 in the affine hull of the rows."""
    k = len(rows)
    system = np.ones((k + 1, k + 1))
    system[0, 0], system[1:, 1:] = 0, rows @ rows.T
    return np.asarray(np.linalg.lstsq(system, np.eye(k + 1)[0], rcond=None)[0][1:])


def _vector(x: np.ndarray, own: int, rival: int, count: int) -> list[Fraction]:
    blocks = [[Fraction(0)] * len(x)] * count
    blocks[own], blocks[rival] = list(x), [-u for u in x]
    return [*itertools.chain(*blocks)]


def _balance(vectors: list[list[Fraction]], shares: list[float]) -> list[Fraction] | None:
    """Shares >= 0 of sum 1, near the given ones, at which the vectors sum to 0 exactly; None if such are not near."""
    rows = [list(row) for row in zip(*vectors, strict=True)]
    pivots: list[int] = []
    for column in range(len(vectors)):
        top = len(pivots)
        pivot = next((r for r in range(top, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        unit = [u / rows[pivot][column] for u in rows[pivot]]
        rows[pivot], rows[top] = rows[top], unit
        for r, row in enumerate(rows):
            if r != top and row[column]:
                rows[r] = [u - row[column] * t for u, t in zip(row, unit, strict=True)]
        pivots.append(column)
    found = [Fraction(0) if column in pivots else Fraction(share) for column, share in enumerate(shares)]
    free = [column for column in range(len(vectors)) if column not in pivots]
    for row, column in zip(rows, pivots, strict=False):
        found[column] = -sum((row[k] * found[k] for k in free), Fraction(0))
    if min(found) < 0 or not any(found):
        return None
    total = sum(found)
    return [share / total for share in found]
