"""Value mapping: from the id of a token in its context to its output, by feed-forward layers (yun2020, Lemma 9).

Units: ids and grid sequences are integers in units of delta = 1/N, outputs and the weights of layers are real numbers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

from ..arithmetic.numbers import entries, real
from ..checks import choice, refused, whole
from ..grids import Grid
from ..internal.progress import progress
from ..internal.shapes import Numbers
from ..layers import FeedForward, Layer, ThreePiece
from ..layers.base import copies
from ..model import Transformer
from ..targets import applied
from .cost import largest_id, require_fits
from .ids import column_vector, context_grid, context_ids, id_interval, ones_id
from .positional_layers import encodings

HALF = Fraction(1, 2)
Sentinel = Literal["negative", "positive"]
Outputs = Callable[[np.ndarray], Numbers] | Numbers
"""A_L for each context L: a function of L, or all in one array."""


# ------------------------------------------------------------------------------------------- Lemma 9, layer by layer


def largest_entry(inverse_delta: int, n: int, d: int, sentinel: Sentinel = "negative") -> int:
    """M in units of delta: the largest entry of g_c(L) over the whole extended grid.

    It stands in the first row of the column with the largest id, (1 - delta, ..., 1 - delta) before the sweep; what the
    other rows of it add to the id is N + ... + N^{d-1} times 1 - delta. Source: yun2020, section E.4.

    With `positive_sentinel` the largest id comes from one column full of it and the column ids 0, 1, 2, ...
    """
    grid = context_grid(inverse_delta, n, d)
    N, n, D = grid.inverse_delta, grid.n, grid.column_values
    if choice("sentinel", sentinel, ("negative", "positive")) == "negative":
        return largest_id(N, n, d, "extended") - (D - N)
    top, last = D ** (n + 1) * ones_id(grid), min(n - 1, D) - 1
    for column in range(last + 1):
        top = column + D * (top - column)
    return top * (D ** (n + 1) + 1) - (last - last % N)


def outside_layer(inverse_delta: int, n: int, d: int, largest: int | None = None) -> FeedForward:
    """Z - (M + 1) 1_d phi(u^T Z), phi(t) = 0 if t is in [t_l, t_r], else 1: columns of no context become negative.

    `largest` is M in units of delta, `largest_entry` unless given. Ids are multiples of delta, so [t_l, t_r + delta/2)
    holds the same ones.
    Source: yun2020, section E.4, first display (1_n there is 1_d).
    """
    N = Grid(inverse_delta, n, d).inverse_delta
    t_l, t_r = id_interval(N, n, d)
    phi = ThreePiece((Fraction(t_l, N), (t_r + HALF) / N), (0, 0, 0), (1, 0, 1))
    shift = -Fraction(largest_entry(N, n, d) if largest is None else whole("largest", largest, 0), N) - 1
    return FeedForward([column_vector(N, d)], None, [[shift]] * d, activation=phi)


def zero_layer(row: int, d: int) -> FeedForward:
    """Z + e_row phi(e_row^T Z), phi(t) = -t if t < 0, else 0. Source: yun2020, section E.4, second display."""
    unit = [int(i == row) for i in range(d)]
    # The second breakpoint is idle; it is there because four ReLUs need room between the two.
    phi = ThreePiece((0, 1), (-1, 0, 0), (0, 0, 0))
    return FeedForward([unit], None, [[entry] for entry in unit], activation=phi)


def token_layer(token_id: int, step: Any, inverse_delta: int, d: int) -> FeedForward:
    """Z + step phi(u^T Z - id), phi = 1 on [-delta/2, delta/2), else 0; `step` has d entries.

    With step = A - g_c(L)_j and the id of that column it is turned into A, and every column with another id is left as
    it is. Source: yun2020, section E.4, third display.
    """
    u, N = column_vector(inverse_delta, d), int(inverse_delta)
    bias = Fraction(-whole("token_id", token_id, 0), N)
    return FeedForward([u], [bias], [[entry] for entry in step], activation=window(N))


@lru_cache(maxsize=1)
def window(inverse_delta: int) -> ThreePiece:
    """1 on [-delta/2, delta/2), else 0: the activation of thousands of layers."""
    return ThreePiece((-HALF / inverse_delta, HALF / inverse_delta), (0, 0, 0), (0, 1, 0))


def return_layer(lift: int, inverse_delta: int, d: int) -> FeedForward:
    """Z + K 1_d phi(u^T Z), phi(t) = 1 if t < -1/2, else 0: the last layer of the repaired map, with K = `lift`."""
    phi = ThreePiece((-HALF, 0), (0, 0, 0), (1, 0, 0))
    return FeedForward([column_vector(inverse_delta, d)], None, [[lift]] * d, activation=phi)


def contexts(inverse_delta: int, n: int, d: int, *, repaired: bool = True, positional: bool = False) -> np.ndarray:
    """One grid sequence for every set of n columns, shape (C(D, n), d, n), int64 in units of delta.

    Its columns stand in increasing order of their column ids, the sequences in lexicographic order of those.
    `positional`: all D^n sequences, in the order of `Grid.sequences`. Refused with `ConstructionTooLarge` where the
    value map, `repaired` or not, would be.
    """
    grid = Grid(inverse_delta, n, d)
    N, n, d = grid.inverse_delta, grid.n, grid.d
    bits = (3 * n + 3) * d * N.bit_length()
    # The arrays of a layer hold its id or its column in full.
    arrays = 8 + bits // 1000
    require_fits("value", "value_layers", grid, arrays=arrays, bits=bits, positional=positional, repaired=repaired)
    if positional:
        return grid.sequences().numpy(force=True)
    tuples = list(itertools.combinations(range(grid.column_values), n))
    columns = np.array(tuples, dtype=np.int64).reshape(-1, n)
    return grid.columns(columns)


@dataclass(frozen=True, eq=False)
class ValueTable:
    """What the value map is made of, one entry for each token of each context; made by `value_table`.

    Attributes
    ----------
    sequences : the contexts, int64 in units of delta, shape (C(D, n), d, n)
    ids : u^T g_c(L) in units of delta, Python ints, shape (C(D, n), n)
    outputs : A_L, Fractions, shape (C(D, n), d, n)
    lift : K of the repaired map, or None as printed
    largest : M in units of delta, or None with positional encodings, where every sequence is a context
    """

    grid: Grid
    sequences: np.ndarray
    ids: np.ndarray
    outputs: np.ndarray
    lift: int | None
    largest: int | None

    @cached_property
    def columns(self) -> np.ndarray:
        """g_c(L)_j as Fractions, one row for each token: the id less what the lower rows add to it, and those rows."""
        whole = self.sequences.astype(object)
        if self.largest is None:
            whole += encodings(self.grid.n, self.grid.d) * self.grid.inverse_delta
        below = sum((whole[:, i] * self.grid.inverse_delta**i for i in range(1, self.grid.d)), 0 * self.ids)
        whole[:, 0] = self.ids - below
        return by_token(whole * self.grid.delta)

    @cached_property
    def steps(self) -> np.ndarray:
        """What the layer of each token adds, one row for each: A_L - g_c(L), repaired A_L - K 1_d - g_c(L)."""
        return by_token(self.outputs) - (self.lift or 0) - self.columns

    def model(self) -> Transformer:
        """The layers of `value_layers`."""
        N, n, d = self.grid.inverse_delta, self.grid.n, self.grid.d
        layers: list[Layer] = []
        if self.largest is not None:
            layers += [outside_layer(N, n, d, self.largest), *(zero_layer(row, d) for row in range(d))]
        if len(self.steps):
            first = token_layer(self.ids.flat[0], self.steps[0], N, d)
            layers += copies(first, b_1=self.ids.reshape(-1, 1) * Fraction(-1, N), w_2=self.steps[..., None])
        if self.lift is not None:
            layers.append(return_layer(self.lift, N, d))
        return Transformer(layers, n=n)


def by_token(array: np.ndarray) -> np.ndarray:
    """(..., d, n) to one row of d entries for each token."""
    return np.swapaxes(array, -1, -2).reshape(-1, array.shape[-2])


def value_table(
    outputs: Outputs, *, repaired: bool = True, positional: bool = False, sentinel: Sentinel = "negative", **size: int
) -> ValueTable:
    """The data of `value_layers`; parameters and errors as there."""
    grid = context_grid(**size)
    sequences = contexts(**vars(grid), repaired=repaired, positional=positional)
    largest = None if positional else largest_entry(**vars(grid), sentinel=sentinel)
    A = _all_outputs(outputs, sequences)
    ids = np.empty((0, grid.n), dtype=object)
    if len(sequences):
        ids = context_ids(sequences, inverse_delta=grid.inverse_delta, positional=positional)
    return ValueTable(grid, sequences, ids, A, _lift(by_token(A), grid) if repaired else None, largest)


def value_layers(
    outputs: Outputs,
    *,
    inverse_delta: int,
    n: int,
    d: int,
    repaired: bool = True,
    positional: bool = False,
    sentinel: Sentinel = "negative",
) -> Transformer:
    """The value map g_v: feed-forward layers with r = 1 that turn g_c(L) into A_L, and columns of no context into 0.

    In this order: one layer that makes columns negative whose id is outside [t_l, t_r], d layers that set negative
    entries to 0, and n C(D, n) layers that map one token of one context each (see `contexts`). As printed, a mapped
    column can fall into the window of a later layer. `repaired`, tokens are mapped to A_L - K 1_d, below all
    windows, and one more layer adds K. Source: yun2020, Lemma 9 (proof in section E.4).

    Parameters
    ----------
    outputs : A_L as a function of L, called once for each context with an array of Python ints in units of delta,
        shape (d, n); or the array of all its values, shape (C(D, n), d, n) in the order of `contexts`. Values are int
        or Fraction.
    positional : for Theorem 3 and g_c(L + E), where every sequence is a context: n D^n layers, and none for columns of
        no context (section G.3)
    sentinel : "negative", the text's, or "positive", `positive_sentinel`; M depends on it

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, n no int >= 2, d no int >= 1; an output has another shape or is a float.
    ConstructionTooLarge
        More layers, parameters or bytes than fit; nothing is allocated and `outputs` is not called.
    """
    size = {"inverse_delta": inverse_delta, "n": n, "d": d}
    return value_table(outputs, **size, repaired=repaired, positional=positional, sentinel=sentinel).model()


def safe_range(inverse_delta: int, n: int, d: int) -> tuple[Fraction, Fraction]:
    """(low, high): a mapped column with u^T A < low or u^T A >= high meets no window of the printed value map.

    They are the ends of the lowest and the highest window: delta/2 below the smallest id and above the largest.
    Entries |A_ij| < low (N - 1)/(N^d - 1) are always safe.
    """
    grid = context_grid(inverse_delta, n, d)
    N, D = grid.inverse_delta, grid.column_values
    if grid.n > D:
        raise refused("n", f"at most N^d = {D} tokens", grid.n, "no sequence has distinct columns")
    # l~_1 and l~_n grow with l_n - l_1, and l~_n falls with the columns between.
    near = [[[s // N**i % N for s in range(grid.n)] for i in range(grid.d)]]
    far = [[[s // N**i % N for s in (*range(grid.n - 1), D - 1)] for i in range(grid.d)]]
    smallest, largest = context_ids(near, inverse_delta=N).min(), context_ids(far, inverse_delta=N).max()
    return (smallest - HALF) / N, (largest + HALF) / N


def _lift(values: np.ndarray, grid: Grid) -> int:
    """The least K >= 1 with u^T (A - K 1_d) <= -1 for all columns A of outputs, given in rows: below all windows."""
    u = np.array(column_vector(grid.inverse_delta, grid.d), dtype=object)
    largest = max((values * u).sum(axis=-1), default=Fraction(0))
    return max(1, math.ceil((largest + 1) / ones_id(grid)))


def exact_number(value: object) -> Fraction:
    """An int or Fraction as a Fraction."""
    if isinstance(number := real(value), float):
        raise ValueError(f"expected int or Fraction, got the float {number}; pass Fraction({number}) to mean it.")
    return Fraction(number)


def _all_outputs(outputs: object, sequences: np.ndarray) -> np.ndarray:
    """A_L for every context, as Fractions of shape (C, d, n)."""
    if not callable(outputs) or isinstance(outputs, type):
        return _exactly("outputs", outputs, sequences.shape)
    result = np.empty(sequences.shape, dtype=object)
    for k, L in enumerate(progress(sequences.astype(object), "outputs", total=len(sequences))):
        result[k] = _exactly(f"outputs({L.tolist()})", applied(outputs, [L], "outputs"), L.shape)
    return result


def _exactly(what: str, values: object, shape: tuple[int, ...]) -> np.ndarray:
    array = entries(values, what, exact_number)
    if array.shape != shape:
        raise ValueError(f"{what}: expected shape {shape}, got {array.shape}.")
    return array
