"""From the hardmax network of Proposition 5 to ReLU: bands, a bound on what happens inside them, and their width.

Outside the bands of the quantizer the ReLU network equals the hardmax network; as repaired it is 0 wherever an entry of
X is outside [0, 1] and the bands at 0 and 1. With softmax the ids in the box and off the bands are right to tolerance *
delta, at most delta/4 (`softmax_scale`), and the output has that error in its first row. The value layers' own bands
have width delta/4 and lie below their thresholds, where there is no multiple of delta. As printed, and with positional
encodings, the claim is on the box only. The book has the proofs.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ..arithmetic.numbers import log2
from ..checks import refused, whole
from ..grids import Grid
from ..layers import Attention, FeedForward, Layer
from ..model import Transformer
from .ids import column_ids, column_starts, global_factor, ones_id, positive_sentinel
from .output_layers import HALF, ValueTable
from .relus import Side, with_relus
from .softmax_layers import least_gap

MAX_WIDTH_BITS = 20_000
ROUNDING = 1e-9
"""Relative slack of a bound that is computed with logarithms of numbers of some thousand bits."""


def with_relu_layers(
    quantizer: Transformer, shift: Transformer, table: ValueTable, width: Fraction, side: Side
) -> list[Layer]:
    """The three parts in a row, with four ReLUs for each three-piece activation.

    `width` and `side` are those of the quantizer's bands; the value layers' have width delta/4 and lie below.
    """

    def relus(layers: Transformer, width: Fraction, side: Side) -> list[Layer]:
        return [with_relus(layer, width, side) for layer in layers.layers if isinstance(layer, FeedForward)]

    return [*relus(quantizer, width, side), *shift.layers, *relus(table.model(), table.grid.delta / 4, "below")]


# ------------------------------------------------------------------------------------------------ bounds in the bands


def largest_in_bands(grid: Grid, *, positional: bool, repaired: bool, drift: int = 0) -> int:
    """A bound on all |u^T Z_j| after the contextual mapping, in units of delta, whatever the input.

    Holds for every X (with positional encodings: in the box), inside the bands too; where the sentinel is positive, or
    there is none, all entries of Z are >= 0, so it bounds them as well. Each of n columns is lifted once, from at most
    T to at most H + D (T + depth), H being the last level plus 1, and nothing else but `drift` raises T; the last layer
    adds F times a weighted mean. The book has the proof.
    """
    N, n, D, ones = grid.inverse_delta, grid.n, grid.column_values, ones_id(grid)
    drift = whole("drift", drift, 0)
    if positional:
        high, top, depth = column_starts(N, n, grid.d)[-1] + D, n * N * ones, 0
    elif repaired:
        high, top, depth = D, positive_sentinel(grid) * N * ones, 0
    else:
        high, top, depth = D, N * ones, -grid.sentinel_units * ones
    top = max(top, high) + drift
    for _ in range(n):
        top = high + D * (top + depth) + drift
    return (top + depth) * (1 + global_factor(grid, positional))


def largest_output(table: ValueTable, largest: int) -> Fraction:
    """A bound G on the entries of the output, for every X (with positional encodings: in the box).

    `largest` bounds |u^T Z_j| before the value layers, in units of delta: see `largest_in_bands`. The entries in the
    first row are at most delta * largest and what the other rows add to u^T Z_j; each token layer adds a multiple in
    [0, 1] of its step, the last layer K.
    """
    grid = table.grid
    # Without a lift the sentinel is negative: other rows may be, and are at least that.
    below = 0 if table.lift is not None or table.largest is None else -grid.sentinel * ones_id(grid)
    steps = sum((max(abs(entry) for entry in step) for step in table.steps), Fraction(0))
    return largest * grid.delta + below + steps + (table.lift or 0)


def softmax_drift(grid: Grid, *, positional: bool = False) -> int:
    """The `drift` of `largest_in_bands` for softmax: n X D in each of D selective shifts, n D with positions."""
    shifts = grid.column_values * (grid.n if positional else 1)
    return shifts * grid.n * least_gap(grid, positional) * grid.column_values


def largest_gap(table: ValueTable, drift: int = 0) -> Fraction:
    """A bound on the entries of g - g-bar, in the bands too, g-bar being the hardmax network."""
    positional, repaired = table.largest is None, table.lift is not None
    largest = largest_in_bands(table.grid, positional=positional, repaired=repaired, drift=drift)
    return largest_output(table, largest) + max((abs(entry) for entry in table.outputs.flat), default=Fraction(0))


def share_in_bands(grid: Grid, width: Fraction, *, positional: bool) -> Fraction:
    """The volume of the X with an entry in a band of the quantizer: (1 + eps)^{dn} - (1 - N eps)^{dn}.

    The bands of a row lie at 0, delta, ..., 1 and have width eps, N of them inside [0, 1) on either side; the other is
    outside. With positional encodings only the box counts, the volume is at most 1 - (1 - N eps)^{dn}. For the
    step layers jump at (k + 1) delta alone, the clip layer at 0 and 1.
    """
    entries = grid.d * grid.n
    return (1 + (0 if positional else width)) ** entries - (1 - grid.inverse_delta * width) ** entries


def band_term(grid: Grid, width: Fraction, p: float, gap: Fraction, *, positional: bool) -> float:
    """(share in bands)^(1/p) (d n)^(1/p) gap, where no entry of g-bar - g exceeds `gap`.

    It bounds what the bands add to d_p(g-bar, g) over the box, and as repaired over all of R^{d x n}.
    """
    volume = share_in_bands(grid, width, positional=positional) * grid.d * grid.n
    exponent = log2(volume) / p + log2(gap)
    return float(2**exponent * (1 + ROUNDING)) if exponent < 1000 else math.inf


def band_width(grid: Grid, p: float, gap: Fraction, term: float) -> Fraction:
    """A width 2^-k <= delta/4 of bands for which `band_term` is at most `term`."""
    entries = grid.d * grid.n
    # (1 + x)^m - (1 - N x)^m <= m (N + 1) x (1 + x)^m, which is less than 2 m (N + 1) x for x <= 1/(2 m).
    small = p * (log2(gap) - math.log2(term)) + math.log2(2 * entries * (grid.inverse_delta + 1) * entries)
    k = max(math.ceil(small) + 1, (4 * grid.inverse_delta).bit_length(), (2 * entries).bit_length())
    if k > MAX_WIDTH_BITS:
        hint = f"it takes 2^-{k:,}; choose a smaller p"
        raise refused("p", f"bands of width 2^-{MAX_WIDTH_BITS:,} at least", p, hint)
    return Fraction(1, 2**k)


def softmax_tolerance(grid: Grid, p: float, term: float) -> Fraction:
    """The largest tolerance 2^-k <= 1/4 for which `softmax_term` is at most `term`."""
    k = max(2, math.ceil(-math.log2(term * grid.inverse_delta) + math.log2(grid.n) / p + ROUNDING))
    return Fraction(1, 2**k)


def softmax_term(grid: Grid, p: float, tolerance: Fraction) -> float:
    """n^(1/p) tolerance delta: in the box and off the bands only the first row of g - g-bar differs from 0."""
    return float(tolerance * grid.delta) * grid.n ** (1 / p) * (1 + ROUNDING)


def ball_bits(model: Transformer, largest: Fraction) -> int:
    """Bits with which BALL encloses a network with softmax to about 2^-64, all entries inside being at most `largest`.

    An enclosure forgets that errors of several terms cancel. So a layer with ReLUs may widen a ball by the sum of all
    |W_2| |W_1|, though phi~ is flat; and a head by |W_O| |W_V| (1 + 2 n largest |score|), since the radius of a score
    stays beside the weight.
    """
    bits = 64.0
    for layer in model.layers:
        growth = 1
        if isinstance(layer, FeedForward):
            growth += (abs(layer.w_2) @ abs(layer.w_1)).sum()
        for head in layer.heads if isinstance(layer, Attention) else ():
            slope = abs(head.w_q).sum() * abs(head.w_k).sum() * largest
            growth += abs(head.w_o).sum() * abs(head.w_v).sum() * (1 + 4 * (model.n or 1) * largest * slope)
        bits += log2(growth)
    return math.ceil(bits)


def require_outside_bands(table: ValueTable, tolerance: Fraction = Fraction(0)) -> None:
    """Refuse outputs of the printed value map in the band below a window; those of the repaired map are below all.

    An output may be off by `tolerance` <= 1/4 units of delta in its first row, and neither may that come into a window.
    """
    if table.lift is not None:
        return
    N, ids = table.grid.inverse_delta, set(table.ids.flat)
    for A in column_ids(table.outputs, inverse_delta=N).flat:
        # A window is [id - 1/2, id + 1/2), its band a quarter below; outputs inside that meet it are refused before.
        near = {math.floor(A * N + Fraction(3, 4) + tolerance)}
        if tolerance > 0:
            near.add(math.floor(A * N + HALF - tolerance))
        if near & ids:
            raise ValueError(
                f"target: expected outputs that no later value layer sees in its band, got a column with u^T A = {A}; "
                'rescale the target, or take variant="repaired".'
            )
