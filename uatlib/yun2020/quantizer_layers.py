"""The literal quantization of sequences by feed-forward layers, entry by entry.

Notation: delta = 1/N; an entry outside [0, 1) becomes the sentinel, which is -N^{nd} in the text.
Source: yun2020, Lemma 7, section E.2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np

from ..checks import choice, refused, whole
from ..grids import Grid
from ..layers import FeedForward, ThreePiece
from ..model import Transformer
from .cost import require_fits

Variant = Literal["repaired", "printed"]
VARIANTS: tuple[Variant, ...] = ("repaired", "printed")


# ------------------------------------------------------------------------------------------- Lemma 7, layer by layer


def _on_row(row: int, d: int, shift: int | Fraction, activation: ThreePiece) -> FeedForward:
    """Z + e_row phi(e_row^T Z - shift): one hidden unit that reads and writes one row."""
    unit = np.zeros(d, dtype=object)
    unit[row] = 1
    return FeedForward(unit[None, :], [-shift], unit[:, None], activation=activation)


def clip_layer(row: int, inverse_delta: int, n: int, d: int, sentinel: int | None = None) -> FeedForward:
    """Sends entries of `row` outside [0, 1) to the sentinel.

    phi(t) = -t - N^{nd} if t < 0 or t >= 1, else 0; or with another sentinel.
    Source: yun2020, section E.2, first display.
    """
    grid = Grid(inverse_delta, n, d)
    sentinel = grid.sentinel if sentinel is None else sentinel
    phi = ThreePiece((0, 1), (-1, 0, -1), (sentinel, 0, sentinel))
    return _on_row(whole("row", row, 0, grid.d - 1), grid.d, 0, phi)


def step_layer(row: int, k: int, inverse_delta: int, d: int, variant: Variant = "repaired") -> FeedForward:
    """Sends entries of `row` in [k delta, (k + 1) delta) to k delta.

    phi(s) = -s on [0, delta), else 0, applied to s = t - k delta.
    Source: yun2020, section E.2, second display. There the bias is "k delta"
    and k runs over 0, delta, ..., 1 - delta; taken at its word (`variant`
    "printed") the cell begins at k delta^2.
    """
    grid = Grid(inverse_delta, 1, d)
    start = whole("k", k, 0) * (grid.delta if choice("variant", variant, VARIANTS) == "repaired" else grid.delta**2)
    phi = ThreePiece((0, grid.delta), (0, -1, 0), (0, 0, 0))
    return _on_row(whole("row", row, 0, grid.d - 1), grid.d, start, phi)


def row_layers(
    row: int, inverse_delta: int, n: int, d: int, variant: Variant = "repaired", sentinel: int | None = None
) -> list[FeedForward]:
    """The layers that quantize one row: clip, then one step layer per cell."""
    require_fits("quantization", "row_layers", Grid(inverse_delta, n, d), arrays=3)
    clip = clip_layer(row, inverse_delta, n, d, sentinel)
    return [clip, *(step_layer(row, k, inverse_delta, d, variant) for k in range(inverse_delta))]


def quantizer(
    *, inverse_delta: int, n: int, d: int, variant: Variant = "repaired", sentinel: int | None = None
) -> Transformer:
    """The quantization map g_q as d (N + 1) feed-forward layers with one hidden unit each.

    Every entry t of X becomes k delta if k delta <= t < (k + 1) delta for some k = 0, ..., N - 1, and the sentinel
    -N^{nd}, or another sentinel outside [0, 1), otherwise. Source: yun2020, Lemma 7 (proof in section E.2); see
    `step_layer` for `variant`.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, n or d no int >= 1, the sentinel no int or 0, or another variant is asked for.
    ConstructionTooLarge
        More layers, parameters or bytes than fit; nothing is allocated.
    """
    grid = Grid(inverse_delta, n, d)
    N, n, d = grid.inverse_delta, grid.n, grid.d
    require_fits("quantization", "quantizer", grid, arrays=3, bits=n * d * N.bit_length())
    if sentinel is not None and whole("sentinel", sentinel) == 0:
        raise refused("sentinel", "None or an int outside [0, 1)", sentinel)
    return Transformer([layer for row in range(d) for layer in row_layers(row, N, n, d, variant, sentinel)], n=n)
