"""The two feed-forward layers of the network: the staircase (36), and a memory with a bump at every id.

Layers of this library have a skip connection. Two ReLUs an entry take it away: z - relu(z) + relu(-z) = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..checks import rationals
from ..internal.shapes import Numbers
from ..layers import FeedForward


def _without_skip(
    rows: Sequence[object], biases: Sequence[object], outputs: Sequence[object], b_2: object, d: int
) -> FeedForward:
    """x -> b_2 + sum over units of outputs relu(rows . x + biases), the skip connection taken away."""
    unit = np.eye(d, dtype=int)
    w_1 = [*rows, *unit, *-unit]
    w_2 = np.array([*outputs, *-unit, *unit], dtype=object).T
    return FeedForward(w_1, [*biases, *[0] * (2 * d)], w_2, b_2)


def staircase(inverse_delta: int, d: int, ramp: Fraction, first: Fraction) -> FeedForward:
    """(36) on each entry: first + k delta on [k delta, (k + 1 - ramp) delta], from there linearly to the next level.

    delta = 1/N, k = 0, ..., N - 1, ramp = 1 - alpha; below 0 and above 1 it goes on as at 0 and at 1. Slope 1/ramp in
    the ramps. 2 d N hidden units. With first = delta/2 levels are the centres of cells, with 0 the corners of (32).
    """
    N, unit = inverse_delta, np.eye(d, dtype=int)
    delta = Fraction(1, N)
    rows, biases, outputs = [], [], []
    for i in range(d):
        for k in range(1, N):
            for start, sign in ((k - ramp, 1), (k, -1)):
                rows.append(unit[i])
                biases.append(-start * delta)
                outputs.append(sign * unit[i] * (1 / ramp))
    return _without_skip(rows, biases, outputs, [first] * d, d)


class Nodes(NamedTuple):
    """Where the bumps of a memory stand along u, ascending, how wide they are on either side, and how high.

    centres, left, right : (count,) Fractions, the widths powers of 2; heights : (count, d)
    """

    centres: np.ndarray
    left: np.ndarray
    right: np.ndarray
    heights: np.ndarray


def memory(nodes: Nodes, u: Numbers) -> FeedForward:
    """x -> the sum of bumps at u . x: height y on [t - l, t + r], 0 outside (t - 2 l, t + 2 r), linear between.

    Bumps do not overlap, so that no output leaves the box spanned by 0 and the heights. 4 units a bump, and 2 d.
    """
    kinks = [(-2, 1), (-1, -1), (1, -1), (2, 1)]
    direction = rationals("u", u, 1)
    biases, outputs = [], []
    for t, left, right, y in zip(*nodes, strict=True):
        for place, sign in kinks:
            width = left if place < 0 else right
            biases.append(-(t + place * width))
            outputs.append(y * (sign / width))
    d = len(direction)
    return _without_skip([direction] * len(biases), biases, outputs, None, d)
