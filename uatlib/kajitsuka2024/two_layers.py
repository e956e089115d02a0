"""The network of Proposition 1: its parts, and the ids at which it has bumps.

The tokens of the grid are {1/D, ..., 1}^d. They are read along v, a unit vector near (1, D, ..., D^(d-1)) times a
number, whose entries are positive and which tells all tokens apart. The attention layer has a scale beta < 0, so that a
token with a positive reading listens most to the smallest readings.

Compact support. For a penalty P >= n/w + n, w = ||W_O u''||, the network is 0 wherever an entry is outside
[-width, 1 + width], however far; the book has the proof. (Ours: the text adds the penalties of all
tokens, which no feed-forward layer can.)

What is proved of readings there are upper bounds, so the penalty may fall without end. Then floats say 0 there too,
until numbers overflow, which is refused: what they round off a reading is small beside it.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .. import sizes
from ..arithmetic import BALL, Undecided, numbers
from ..arithmetic.numbers import Number
from ..checks import rationals, shown, whole
from ..internal.shapes import Numbers
from ..layers import FeedForward
from ..model import Transformer
from .certified_margins import contexts
from .directions import rational_unit
from .relu_steps import bump, penalty, quantizer, token_layer

MAX_WORK = 10**7
"""Exponentials of the attention layer times their bits, when ids are enclosed."""
MAX_BITS = 200_000
GUARD = 64


def reading_vector(granularity: int, d: int) -> tuple[Fraction, ...]:
    """A rational unit vector with positive entries near a multiple of (1, D, ..., D^(d-1))."""
    if d == 1:
        return (Fraction(1),)
    powers = np.array([float(granularity) ** i for i in range(d)])
    return rational_unit(powers / np.linalg.norm(powers))


def context_count(size: int, n: int) -> int:
    """Multisets of n of `size` tokens."""
    return math.comb(size + n - 1, n)


def require_contexts(what: str, size: int, n: int, bits: int) -> None:
    """Refuse more than can be enclosed, before anything is built."""
    count = context_count(size, n)
    if bits > MAX_BITS or count * n * n * bits > MAX_WORK:
        contexts = f"{count:,}" if count * n * n * bits < 10**18 else "more than 10^12"
        raise sizes.ConstructionTooLarge(
            f"{what}: {size:,} tokens in {contexts} contexts, whose ids need {bits:,} bits; the limits are "
            f"{MAX_BITS:,} bits and {MAX_WORK:,} bits of exponentials, n^2 a context. Choose a coarser grid, shorter "
            'sequences or scale="practical".'
        )


def root(volume: Fraction, p: float) -> float:
    """volume^(1/p), where the volume may be far below all floats."""
    return float(volume) ** (1 / p) if volume > Fraction(1, 2**900) else 2 ** (numbers.log2(volume) / p)


# ------------------------------------------------------------------------------------------------------------------ ids


@dataclass(frozen=True, eq=False)
class Ids:
    """Ids of all tokens in all multisets of n, read along v.

    Attributes
    ----------
    keys : (row, token) for every token of every multiset, once
    centres : their ids up to `radius`, Fractions
    gap : no two ids are nearer
    bits : the precision that showed it
    """

    keys: list[tuple[tuple[int, ...], int]]
    centres: list[Fraction]
    radius: Fraction
    gap: Fraction
    bits: int


def find_ids(what: str, attention: Transformer, tokens: np.ndarray, v: Sequence[Number], n: int, bits: int) -> Ids:
    """The ids, with as many bits as tell them apart; ConstructionTooLarge if that is too many."""
    rows = contexts(tokens.shape[1], n, repeats=True)
    X = np.stack([tokens[:, list(row)] for row in rows])
    keys = [(row, t) for row in rows for t in dict.fromkeys(row)]
    while True:
        require_contexts(what, tokens.shape[1], n, bits)
        with contextlib.suppress(Undecided):
            Z = attention(X, BALL.with_bits(bits))
            columns = [Z[i, :, row.index(t)] for i, row in enumerate(rows) for t in dict.fromkeys(row)]
            centres = [sum(a * ball.midpoint for a, ball in zip(v, column, strict=True)) for column in columns]
            radius = sum(v) * max(ball.radius for ball in Z.flat)
            gap = min(b - a for a, b in itertools.pairwise(sorted(centres))) - 2 * radius
            if gap > radius * 2**GUARD:
                return Ids(keys, centres, radius, gap, bits)
        bits *= 2


# --------------------------------------------------------------------------------------------------------------- layers


def first_layer(
    granularity: int, d: int, width: Fraction, height: Number = 1, *, bounded: bool = True, printed: bool = False
) -> FeedForward:
    """Quantizer and penalty: row i of a token z becomes quant(z_i) + sum over its own rows t of penalty(z_t).

    In (60) the penalties of all tokens are added to each, which is no map of single tokens. `printed` takes (58) and
    (59) as they stand, with the sum over the token's own rows. `height` and `bounded` are those of `penalty`.

    Raises
    ------
    ValueError
        As `quantizer` and `penalty`; d is no int >= 1.
    ConstructionTooLarge
        The layer would not fit.

    Source: kajitsuka2024, eq. (58)-(60).
    """
    D, d = whole("granularity", granularity, 2), whole("d", d, 1)
    hint = "Choose a smaller granularity or fewer dimensions."
    sizes.require_size(
        f"first_layer(d={shown(d)})", layers=1, arrays_per_layer=4, parameters=d * (2 * D + 8) * (2 * d + 1), hint=hint
    )
    unit = np.eye(d, dtype=int).tolist()
    steps = quantizer(D, width, printed=printed)
    away = penalty(width, height=height, bounded=bounded, printed=printed)
    return token_layer([(f, e, y) for e in unit for f, y in ((steps, e), (away, [1] * d))], d)


def second_layer(
    centres: Numbers, heights: Numbers, steepness: Fraction, v: Numbers, *, tokens: np.ndarray | None = None
) -> FeedForward:
    """Bumps at ids, read along v: z becomes sum_j bump(v^T z - c_j) y_j.

    Parameters
    ----------
    centres, heights : c_j, shape (ids,), and y_j, shape (ids, d)
    tokens : with them the layer is (67)-(68) as printed, read token by token: bumps with -1 in the middle at the
        entries of the token x_j whose id is c_j, shape (d, ids), each with 1/d of the height

    Raises
    ------
    ValueError
        Those are no numbers of such shapes, or the steepness is no number > 0.

    Source: kajitsuka2024, eq. (67)-(68).
    """
    centres, heights, v = rationals("centres", centres, 1), rationals("heights", heights, 2), rationals("v", v, 1)
    d = len(v)
    if heights.shape != (len(centres), d):
        raise ValueError(f"heights: expected shape {(len(centres), d)}, d for each centre, got {heights.shape}.")
    if tokens is None:
        return token_layer([(bump(c, steepness), v, y) for c, y in zip(centres, heights, strict=True)], d)
    share, unit = Fraction(1, d), np.eye(d, dtype=int).tolist()
    pairs = [(x, y) for x, y in zip(rationals("tokens", tokens, 2).T, heights, strict=True)]
    parts = [(bump(x[i], steepness, height=share, printed=True), unit[i], y) for x, y in pairs for i in range(d)]
    return token_layer(parts, d)
