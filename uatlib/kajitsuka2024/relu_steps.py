"""Sums of ReLUs of one variable: steps that round down to a grid, a penalty outside the unit interval, bumps.

A sum sum_k w_k relu(a_k z + b_k) is one hidden layer. A step at c has its ramp in [c, c + width), where the sum is
between the values on both sides; elsewhere it is the step, exactly.

Source: kajitsuka2024, eq. (56)-(59), (67)-(68), with the slips of the text we read as `printed`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..arithmetic.numbers import FLOATS, Number, double, entries, numbers
from ..checks import flag, positive, rational, rationals, whole
from ..layers import FeedForward

MAX_STEPS = 100_000


@dataclass(frozen=True)
class ReluSum:
    """z -> sum_k weights[k] relu(slopes[k] z + biases[k]), all rational; floats stand for their exact values."""

    slopes: tuple[Fraction, ...]
    biases: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        for name in ("slopes", "biases", "weights"):
            object.__setattr__(self, name, tuple(rationals(name, getattr(self, name)).tolist()))
        if not len(self.slopes) == len(self.biases) == len(self.weights):
            got = f"{len(self.slopes)}, {len(self.biases)} and {len(self.weights)}"
            raise ValueError(f"ReluSum: expected as many slopes as biases and weights, got {got}.")

    def __call__(self, z: object) -> Any:
        """The values at numbers z, of the same shape: Fractions for ints and Fractions, float64 if there are floats.

        All are computed exactly; with floats they are rounded at the end. (A layer in floats rounds on the way.)

        Raises
        ------
        ValueError
            z holds something else, NaN or infinity; or it holds floats, and a value exceeds them.
        """
        array = numbers(z, "z")
        is_float = array.dtype.kind == "f" or any(isinstance(u, FLOATS) for u in array.flat)
        values = np.asarray(np.frompyfunc(self._value, 1, 1)(rationals("z", array)), dtype=object)
        return (entries(values, "values", double).astype(np.float64) if is_float else values)[()]

    def _value(self, z: Fraction) -> Fraction:
        kinks, lines = self._pieces
        slope, constant = lines[bisect_right(kinks, z)]
        return slope * z + constant

    @cached_property
    def _pieces(self) -> tuple[list[Fraction], list[tuple[Fraction, Fraction]]]:
        """The kinks, ascending, and slope and constant before the first of them and after each."""
        slope = constant = Fraction(0)
        turns = []
        for a, b, w in zip(self.slopes, self.biases, self.weights, strict=True):
            # A falling ReLU is there from the start and ends at its kink.
            if a < 0:
                slope, constant = slope + w * a, constant + w * b
            elif a == 0:
                constant += w * max(b, Fraction(0))
            if a:
                turns.append((-b / a, w * abs(a), w * b * (1 if a > 0 else -1)))
        turns.sort()
        lines = [(slope, constant)]
        for _, rise, shift in turns:
            lines.append((lines[-1][0] + rise, lines[-1][1] + shift))
        return [kink for kink, _, _ in turns], lines

    def __add__(self, other: ReluSum) -> ReluSum:
        return _joined([self, other])

    def __mul__(self, factor: object) -> ReluSum:
        return ReluSum(self.slopes, self.biases, tuple(w * rational("factor", factor) for w in self.weights))

    def __len__(self) -> int:
        return len(self.weights)


def _joined(sums: Sequence[ReluSum]) -> ReluSum:
    """The sum of several."""
    return ReluSum(*(tuple(u for f in sums for u in getattr(f, name)) for name in ("slopes", "biases", "weights")))


def _ramp(slope: Fraction, start: Fraction, minus: int = -1) -> ReluSum:
    """relu(slope (z - start)) - relu(slope (z - start) - 1): 0, then 1 past a ramp. Printed, minus is once +1."""
    b = -slope * start
    return ReluSum((slope, slope), (b, b - 1), (Fraction(1), Fraction(minus)))


def quantizer(granularity: int, width: Number, *, printed: bool = False) -> ReluSum:
    """(t + 1)/D on [t/D + width, (t + 1)/D) for t = 0, ..., D - 1; 0 below 0 and from 1 + width on. D = granularity.

        sum_{t = 0}^{D - 1} step(z - t/D) / D - step(z - 1),  step(z) = relu(z/width) - relu(z/width - 1)

    As printed in (58) the sum has t = 1, ..., D, so that a cell gets t/D: the first one 0, as all that is outside.

    Raises
    ------
    ValueError
        granularity is no int in [2, 100,000], or the width is not in (0, 1/(2 D)].

    Source: kajitsuka2024, eq. (57)-(58).
    """
    D = whole("granularity", granularity, 2, MAX_STEPS)
    band, first = band_width(width, D), int(flag("printed", printed))
    steps = [_ramp(1 / band, Fraction(t, D)) * Fraction(1, D) for t in range(first, D + first)]
    return _joined([_ramp(1 / band, Fraction(1)) * -1, *steps])


def band_width(width: Number, granularity: int) -> Fraction:
    """The width of the bands of a quantizer, in (0, 1/(2 D)]."""
    return positive("width", width, Fraction(1, 2 * granularity), "1/(2 D) is half a cell")


def penalty(width: Number, *, height: Number = 1, bounded: bool = True, printed: bool = False) -> ReluSum:
    """-height below -width and from 1 + width on, 0 on [0, 1].

        -[s((z - 1)/width) - s((z - 1)/width - 1)] - [s(-z/width) - s(-z/width - 1)],  s = relu, for height 1

    A layer in floats loses a bracket once |z|/width nears 2^53, for float32 2^24: its two terms are then the same
    number. Without `bounded` the second term of each is left out: two ReLUs, which are equal to these on
    [-width, 1 + width], at most -height outside, and fall without end. Nothing is left to cancel.

    As printed in (59) the first bracket is added, and the second lacks its own: + 1 beyond 1, and below 0 it falls
    without end.

    Raises
    ------
    ValueError
        width or height is no number > 0, or the printed one shall not be bounded.

    Source: kajitsuka2024, eq. (59); without `bounded` ours.
    """
    slope, size = 1 / positive("width", width), positive("height", height)
    bounded = flag("bounded", bounded)
    if flag("printed", printed) and not bounded:
        raise ValueError("bounded: expected True with printed=True, got False; (59) is as it is.")
    right, left = _ramp(slope, Fraction(1)), _ramp(-slope, Fraction(0))
    if not bounded:
        return ReluSum((slope, -slope), (-slope, Fraction(0)), (-size, -size))
    if printed:
        return (right + _ramp(-slope, Fraction(0), minus=1) * -1) * size
    return (right + left) * -size


def bump(centre: Number, steepness: Number, *, height: Number = 1, printed: bool = False) -> ReluSum:
    """A hat: height at the centre c, 0 at distance 1/R and beyond, linear between. R = steepness.

        s(R (z - c) - 1) - 2 s(R (z - c)) + s(R (z - c) + 1),  s = relu, for height 1

    As printed in (67)-(68) the coefficient of the middle is -1: the sum rises without end.

    Raises
    ------
    ValueError
        The steepness is no number > 0.

    Source: kajitsuka2024, eq. (67)-(68).
    """
    R, size = positive("steepness", steepness), rational("height", height)
    b = -R * rational("centre", centre)
    return ReluSum((R, R, R), (b - 1, b, b + 1), (size, size * (-1 if flag("printed", printed) else -2), size))


def token_layer(parts: Sequence[tuple[ReluSum, Iterable[Any], Iterable[Any]]], d: int) -> FeedForward:
    """The layer z -> sum over parts (f, a, y) of f(a^T z) y, without a skip connection.

    The layers of this library have one. Two ReLUs an entry take it away: z - relu(z) + relu(-z) = 0.

    Parameters
    ----------
    parts : functions of one variable, each with a direction a to read a token z along and an output y, of length d
    """
    slopes = [[s * u for u in a] for f, a, _ in parts for s in f.slopes]
    biases = [b for f, _, _ in parts for b in f.biases]
    outputs = [[w * u for u in y] for f, _, y in parts for w in f.weights]
    for i in range(d):
        for sign in (1, -1):
            slopes.append([Fraction(sign * (k == i)) for k in range(d)])
            biases.append(Fraction(0))
            outputs.append([Fraction(-sign * (k == i)) for k in range(d)])
    return FeedForward(slopes, biases, np.array(outputs, dtype=object).T)
