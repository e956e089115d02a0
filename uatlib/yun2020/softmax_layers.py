"""Softmax in place of hardmax: how large scores must be for contextual mappings to survive (yun2020, sections F, G)."""

from __future__ import annotations

import math
from fractions import Fraction

from ..arithmetic.numbers import Number
from ..checks import flag, instance, number, positive
from ..grids import Grid
from ..layers import Attention
from ..model import Transformer
from .ids import context_grid, global_factor, ones_id

HALF = Fraction(1, 2)


def least_gap(grid: Grid, positional: bool) -> int:
    """X: different ids of a grid sequence are never less than X delta apart; 1, in Theorem 3 1 + N + ... + N^{d-1}."""
    return ones_id(grid) if positional else 1


def softmax_scale(inverse_delta: int, n: int, d: int, tolerance: Number = HALF, *, positional: bool = False) -> int:
    """A factor for the scores of `selective_shift` with which softmax gets every id right to tolerance * delta.

        lambda = ceil(delta^{-2} 2/(1 - 2E)^2 ln(5 (n - 1) D^{2n+3} / tolerance)),   E = tolerance / D^{n+1}

    On every grid sequence, also of repeated columns or with the sentinel -N^{nd}, the ids u^T Z_j after the layers with
    softmax of lambda times the scores differ from those with hardmax by at most tolerance * delta. `positional`, for
    `positional_shift` and all L + E,

        lambda = ceil(delta^{-2} 2/((1 - 2E)(X - 2E)) ln(5 (n - 1) X F D^{n+2} / tolerance)),   E = tolerance / F

    with F = n N D^{n+1} for D^{n+1}, what the last layer multiplies with, and X = 1 + N + ... + N^{d-1} for 1, the
    least gap between ids. Source: yun2020, section F, says that a large lambda is enough; the proofs are ours, in
    the book.

    Parameters
    ----------
    tolerance : at most 1/2, where nearest multiples of delta still tell the ids apart

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, n no int >= 2, d no int >= 1, or the tolerance no number in (0, 1/2].
    ConstructionTooLarge
        As `Grid`.
    """
    grid = context_grid(inverse_delta, n, d)
    D, n, tolerance = grid.column_values, grid.n, positive("tolerance", tolerance, HALF)
    X, F = least_gap(grid, flag("positional", positional)), global_factor(grid, positional)
    largest = 5 * (n - 1) * X * F * D ** (n + 2) / tolerance
    # A logarithm of Python integers is right to some ulp; the last factor is more than that.
    log = Fraction((math.log(largest.numerator) - math.log(largest.denominator)) * (1 + 1e-12))
    twice_e = 2 * tolerance / F
    return math.ceil(grid.inverse_delta**2 * 2 / ((1 - twice_e) * (X - twice_e)) * log)


def with_softmax_layers(shift: Transformer, scale: Number) -> Transformer:
    """`shift` with every hardmax replaced by softmax of `scale` times the scores; ValueError unless it is a model."""
    instance("shift", shift, Transformer)
    scale = number("scale", scale)
    return Transformer(
        [layer.with_softmax(scale) if isinstance(layer, Attention) else layer for layer in shift.layers], n=shift.n
    )
