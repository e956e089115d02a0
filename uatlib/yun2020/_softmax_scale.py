"""Softmax in place of hardmax: how large scores must be for contextual mappings to survive (yun2020, sections F, G)."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Rational
from typing import Any

from ..arithmetic.base import exact
from ..grids import Grid
from ..layers import Attention
from ..model import Transformer
from .ids import global_factor


def least_gap(grid: Grid, positional: bool) -> int:
    """X: different ids of a grid sequence are never less than X delta apart; 1, in Theorem 3 1 + N + ... + N^{d-1}."""
    return (grid.column_values - 1) // (grid.inverse_delta - 1) if positional else 1


def softmax_scale(
    inverse_delta: int, n: int, d: int, tolerance: Any = Fraction(1, 2), *, positional: bool = False
) -> int:
    """A factor for the scores of `selective_shift` with which softmax gets every id right to tolerance * delta.

        lambda = ceil( delta^{-2} 2/(1 - 2E)^2 ln(5 (n - 1) D^{2n+3} / tolerance) ),   E = tolerance / D^{n+1}

    On every grid sequence, also of repeated columns or with the sentinel -N^{nd}, the ids u^T Z_j after the layers with
    softmax of lambda times the scores differ from those with hardmax by at most tolerance * delta. `positional`, for
    `positional_shift` and all L + E,

        lambda = ceil( delta^{-2} 2/((1 - 2E)(X - 2E)) ln(5 (n - 1) X F D^{n+2} / tolerance) ),   E = tolerance / F

    with F = n N D^{n+1} for D^{n+1}, what the last layer multiplies with, and X = 1 + N + ... + N^{d-1} for 1, the
    least gap between ids. Source: yun2020, section F, says that a large lambda is enough; the proofs are ours. In units
    of delta, where ids are integers and scores count with beta = lambda delta^2:

    1. One head. Let the ids be right to e <= E, and equal ones equal. Two ids differ by 0 or at least 1 - 2E. If the
       query is g >= 1/2 - E above its threshold, softmax gives the largest id less at most
       sum x e^{-beta g x} <= (n - 1)(1 - 2E) e^{-beta (1 - 2E)^2 / 2} <= eta := tolerance / (5 D^{2n+3}),
       x being the gaps to the largest id, since x e^{-c x} falls for x >= 1/c; below its threshold likewise the least.
    2. One selective shift, D (psi(b) - psi(b')). A column that it is not meant for, at least 1/2 - E from b and b' on
       the same side of both, moves by at most D eta =: a, as both heads are in [max - eta, max], or [min, min + eta].
       One that it is meant for has the least id s and goes to s + D (max - s), up to 2a: the error of s counts D - 1
       times, that of max D times.
    3. The sweep lifts the different columns l_1 < ... < l_k, k <= n, one by one; each becomes the maximum. When l_j is
       lifted its own error is at most l_j a; the maximum's is at most m_{j-1} + (l_j - l_{j-1} - 1) a (l_1 a at first).
       So m_1 <= (2D - 1)(D - 2) a + 2a <= 2 D^2 a, and m_j <= D m_{j-1} + (D - 1)^2 a + D (D - 2) a + 2a
       <= D m_{j-1} + 2 D^2 a, hence m_k <= 2 D^2 a (D^n - 1)/(D - 1) <= 4 D^{n+1} a. With at most D a of drift
       afterwards no error exceeds 4.25 D^{n+1} a = 4.25 D^{n+2} eta < E, which was supposed in 1. (k = 1: all columns
       are equal, softmax is exact. With sentinels the least id is negative and never lifted, its error at most l_j a:
       m_1 <= (2D + 1)(D - 1) a + 2a and m_j <= D m_{j-1} + (2 D^2 - 2D + 1) a; the rest is the same.)
    4. The last layer adds D^{n+1} times the largest id; every id is then at least D - E, far above the threshold 0. The
       error is at most 4.25 D^{n+2} eta (1 + D^{n+1}) + D^{n+1} eta <= 4.85 D^{2n+3} eta < tolerance. (Negative ids,
       at most -1 + E, get as much of the least.)

    With positional encodings:

    5. All ids are different, at first by X at least, as s_{j+1} - s_j = X + D - 1; and a lift leaves the old maximum
       (D - 1)(max - s) >= X behind. So X - 2E stands in 1. for the gap, and eta := tolerance / (5 F D^{n+2}). A column
       k levels above that of a layer it is not meant for moves by at most e^{-beta (k - 1)(X - 2E)} a. The levels met
       between two lifts of it are different and below it: it moves by at most 1.01 a through all of them.
    6. Every column is lifted and becomes the maximum. With m_j the error of the j-th from then on, what it moves
       included, m_1 <= (2D - 1) 1.01 a + 2a + 1.01 a <= 3.02 D a, and m_j <= D m_{j-1} + (D - 1) 1.01 a + 2a + 1.01 a
       <= D m_{j-1} + 2.01 D a, hence m_n <= 3.02 D^n a + 2.01 D^n a/(D - 1) <= 5.03 D^n a <= 2.52 D^{n+1} a.
    7. What is lifted is above all levels, since l~_1 - (s_n + D - 1) >= (D - 1)(s_n - D), but for n = 2, d = 1 and
       L = (1 - delta, 0), where it is 0: there one column is met at the levels D - 1 and 2D - 1, the other at D. The
       errors are then at most r_1 = (2D - 1) 1.01 a + 2a, at the next layer r_2 = D r_1 + (D - 1) 1.01 a + 2a, and at
       last D (r_2 + 1.01 a) + (D - 1)(r_1 + 1.01 a) + 2a <= 4.53 D^3 a. So none exceeds 4.53 D^{n+2} eta < E.
    8. In 4. the last layer has F >= 32 for D^{n+1}: the error is at most 4.53 D^{n+2} eta (1 + F) + F eta
       <= 4.74 F D^{n+2} eta < tolerance.

    Parameters
    ----------
    tolerance : at most 1/2, where nearest multiples of delta still tell the ids apart

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, n no int >= 2, d no int >= 1, or the tolerance no rational in (0, 1/2].
    """
    grid = Grid(inverse_delta, n, d)
    if grid.n < 2:
        raise ValueError(f"softmax_scale: expected n >= 2, got {n}; softmax of a single token is exact.")
    rational = isinstance(tolerance, Rational) and not isinstance(tolerance, bool)
    if not rational or not 0 < exact(tolerance) <= Fraction(1, 2):
        raise ValueError(f"softmax_scale: expected a tolerance in (0, 1/2], an int or Fraction, got {tolerance!r}.")
    D, n = grid.column_values, grid.n
    X, F = least_gap(grid, positional), global_factor(grid, positional)
    tolerance = exact(tolerance)
    largest = 5 * (n - 1) * X * F * D ** (n + 2) / tolerance
    # A logarithm of Python integers is right to some ulp; the last factor is more than that.
    log = Fraction((math.log(largest.numerator) - math.log(largest.denominator)) * (1 + 1e-12))
    twice_e = 2 * tolerance / F
    return math.ceil(grid.inverse_delta**2 * 2 / ((1 - twice_e) * (X - twice_e)) * log)


def with_softmax_layers(shift: Transformer, scale: Any) -> Transformer:
    """`shift` with every hardmax replaced by softmax of `scale` times the scores."""
    return Transformer(
        [layer.with_softmax(scale) if isinstance(layer, Attention) else layer for layer in shift.layers], n=shift.n
    )
