"""Grids of sequences, functions of sequences in bulk, quantization in closed form, and step functions on cells.

Notation of yun2020: delta = 1/N, D = N^d column values, G_delta = {0, delta, ..., 1 - delta}^{d x n}, and the extended
grid G_delta^+ whose entries may also be the sentinel -delta^{-nd} = -N^{nd}, "outside the box".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import torch

from . import checks
from .arithmetic import Overflow
from .arithmetic.numbers import Number
from .internal.progress import progress
from .internal.shapes import Numbers
from .sizes import ConstructionTooLarge
from .targets import Target, exact_values

__all__ = ["Grid", "quantize", "step_function"]

Duplicates = Literal["drop", "keep"]
"""What becomes of sequences with two tokens in one cell: they get 0, or their values."""

MAX_BITS = 100_000
"""Of N^{(n+1)d}, about the largest sentinel: what is computed on a grid has a few times as many."""


@dataclass(frozen=True)
class Grid:
    """The grid of sequences with N = `inverse_delta` steps per entry, n tokens and d entries a token.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, or n or d no int >= 1.
    ConstructionTooLarge
        N^{(n+1)d} has more than 100,000 bits.
    """

    inverse_delta: int
    n: int
    d: int

    def __post_init__(self) -> None:
        for name, least, hint in (
            ("inverse_delta", 2, "delta = 1/inverse_delta must cut [0, 1) into equal steps"),
            ("n", 1, "it is the number of tokens"),
            ("d", 1, "it is the number of entries of a token"),
        ):
            object.__setattr__(self, name, checks.whole(name, getattr(self, name), least, hint=hint))
        if (bits := (self.n + 1) * self.d * self.inverse_delta.bit_length()) > MAX_BITS:
            raise ConstructionTooLarge(
                f"{self}: numbers of this grid take up to {checks.shown(bits)} bits, the limit is {MAX_BITS:,}; choose "
                "a coarser grid (smaller inverse_delta), shorter sequences or fewer dimensions."
            )

    def __str__(self) -> str:
        return ", ".join(f"{name}={checks.shown(value)}" for name, value in vars(self).items())

    @property
    def delta(self) -> Fraction:
        """The width of a cell, 1/N."""
        return Fraction(1, self.inverse_delta)

    @property
    def column_values(self) -> int:
        """D = N^d, the number of different tokens on the grid."""
        return self.inverse_delta**self.d

    @property
    def sentinel(self) -> int:
        """-N^{nd}: what entries outside [0, 1) are mapped to."""
        return -(self.inverse_delta ** (self.n * self.d))

    @property
    def sentinel_units(self) -> int:
        """The sentinel in units of delta, -N^{nd+1}."""
        return self.sentinel * self.inverse_delta

    def size(self, *, extended: bool = False) -> int:
        """Number of sequences: N^{dn}, or (N + 1)^{dn} on the extended grid; ValueError beyond ten million bits."""
        return int((self.inverse_delta + checks.flag("extended", extended)) ** (self.d * self.n))

    def sequences(self, start: int = 0, stop: int | None = None, *, extended: bool = False) -> torch.Tensor:
        """The grid sequences number `start` to `stop` in units of delta, int64, shape (stop - start, d, n).

        ValueError unless 0 <= start <= stop and there is room for them, Overflow if the sentinel needs over 63 bits.

        Entries count in base N (or N + 1, the last digit standing for the sentinel), first entry fastest.
        """
        size = self.size(extended=extended)
        stop = size if stop is None else min(checks.whole("stop", stop, 0), size)
        start = checks.whole("start", start, 0, min(stop, 2**63), "the sequences end at stop")
        checks.room("stop", stop - start, self.d, self.n)
        if extended and self.sentinel_units <= -(2**63):
            shown = checks.shown(self.sentinel_units)
            raise Overflow(f"extended: the sentinel, {shown} units, needs more than 63 bits; choose a smaller grid.")
        index = torch.arange(start, stop)
        base = self.inverse_delta + extended
        digits = torch.empty((self.d * self.n, len(index)), dtype=torch.int64)
        for row in digits:
            row.copy_(index % base)
            index //= base
        if extended:
            digits[digits == self.inverse_delta] = self.sentinel_units
        return digits.T.reshape(-1, self.d, self.n)

    def columns(self, ids: np.ndarray) -> np.ndarray:
        """Tokens from their column ids, the first entry the last digit in base N: (..., n) to (..., d, n)."""
        return np.stack([ids // self.inverse_delta**i % self.inverse_delta for i in range(self.d)], axis=-2)

    def chunks(self, size: int = 2**17, *, extended: bool = False) -> Iterator[torch.Tensor]:
        """All sequences, in tensors of at most `size` of them; ValueError as `sequences`."""
        size = checks.whole("size", size, 1, hint="it is the number of sequences in a chunk")
        for start in range(0, self.size(extended=extended), size):
            yield self.sequences(start, start + size, extended=extended)


def grid_tokens(inverse_delta: int, d: int, first: Fraction) -> np.ndarray:
    """The tokens with entries first + k/N, as columns, shape (d, N^d), Fractions, the first entry slowest."""
    levels = np.array([first + Fraction(k, inverse_delta) for k in range(inverse_delta)], dtype=object)
    return levels[np.indices((inverse_delta,) * d).reshape(d, -1)]


def repeated_share(inverse_delta: int, n: int, d: int) -> Fraction:
    """The volume of the cells with a repeated column, as a share of the box: 1 - prod_{i < n} (1 - i/D).

    Proposition 5 calls it O(delta^d); it is at most C(n, 2) delta^d. Source: yun2020, section E.1.4.

    Raises
    ------
    ValueError, ConstructionTooLarge
        As `Grid`.
    """
    grid = Grid(inverse_delta, n, d)
    return 1 - Fraction(math.perm(grid.column_values, grid.n), grid.column_values**grid.n)


# ---------------------------------------------------------------------------------------------------------- in bulk

CHUNK = 2**15
"""Sequences evaluated at once: their columns stay in a core's cache."""


def in_bulk(
    values: Callable[[np.ndarray], np.ndarray], X: Numbers, d: int | None = None, n: int | None = None, label: str = ""
) -> Any:
    """`values` of any X of shape (..., d, n), where it is written for arrays of shape (count, d, n) of one kind.

    ====================================  ============================  ==================================
    X                                     what `values` gets            what comes out
    ====================================  ============================  ==================================
    ints and Fractions, in a list or an   Fractions, in an object       an object array of Fractions
    array                                 array
    an array of floats                    float64                       float64
    floats beside ints and Fractions      Fractions: each float stands  float64, every number rounded once
                                          for its exact value
    a tensor                              as an array of its numbers    a tensor of its dtype and device,
                                                                        of float64 if X holds ints
    ====================================  ============================  ==================================

    Raises ValueError unless X is such and not empty, Overflow if a value does not fit the floats.
    """
    array = checks.sequences("X", X, d, n)
    is_float = array.dtype.kind == "f"
    is_mixed = array.dtype.kind == "O" and any(type(t) is float for t in array.flat)
    source = np.asarray(array, dtype=np.float64) if is_float else checks.rationals("X", array)
    flat = source.reshape(-1, *array.shape[-2:])
    starts = range(0, len(flat), CHUNK)
    try:
        parts = [values(flat[k : k + CHUNK]) for k in (progress(starts, label) if label else starts)]
        result = np.concatenate(parts).reshape(*array.shape[:-2], *parts[0].shape[1:])
        if is_float or is_mixed or isinstance(X, torch.Tensor):
            result = result.astype(np.float64, copy=False)
    except OverflowError:
        raise Overflow("X: expected values that floats hold, got a larger one; use Fractions.") from None
    return _tensor_like(X, result) if isinstance(X, torch.Tensor) else result


def _tensor_like(X: torch.Tensor, result: np.ndarray) -> torch.Tensor:
    tensor = torch.from_numpy(result).to(X.device, X.dtype if X.is_floating_point() else torch.float64)
    if not bool(torch.isfinite(tensor).all()):
        raise Overflow(f"X: expected values that {X.dtype} holds, got {np.abs(result).max():.3g}; use Fractions.")
    return tensor


# ------------------------------------------------------------------------------------------------------- closed form


def quantize(X: Numbers, *, inverse_delta: int) -> Any:
    """What `quantizer` computes, entry by entry, in closed form: floor(t N)/N on [0, 1), else -N^{nd}.

    Parameters
    ----------
    X : shape (..., d, n). An object array (or nested lists) of int and Fraction gives Fractions, exactly; a float array
        gives float64 and a tensor a tensor of its dtype, where the cell is that of the float's exact value.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, X has no shape (..., d, n), or holds NaN, infinity or no numbers.
    Overflow
        The sentinel does not fit the floats of X.
    """
    N = checks.whole("inverse_delta", inverse_delta, 2, hint="delta = 1/inverse_delta must cut [0, 1) into equal steps")

    def values(X: np.ndarray) -> np.ndarray:
        X, cell, inside = _cells(X, N)
        return np.where(inside, cell / N, _like(X, Grid(N, X.shape[-1], X.shape[-2]).sentinel))

    return in_bulk(values, X)


def _like(X: np.ndarray, value: Number) -> np.ndarray:
    """A number in the kind of X, float64 or Fraction."""
    return np.array(float(value) if X.dtype.kind == "f" else Fraction(value), dtype=X.dtype)


def _cells(X: np.ndarray, N: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X, in Fractions if N is no float; floor(X N) where X is in [0, 1), 0 elsewhere; and where that is."""
    X = X if N <= 2**53 else checks.rationals("X", X)
    inside = (X >= 0) & (X < 1)
    if X.dtype.kind == "O":
        return X, np.asarray(np.frompyfunc(lambda t: Fraction(t * N // 1), 1, 1)(np.where(inside, X, 0))), inside
    product = np.where(inside, X, 0) * float(N)
    cell = np.floor(product)
    # The product is rounded, which matters only where it lands on a whole number: there the cell is found exactly.
    for place in zip(*np.nonzero(inside & (cell == product)), strict=True):
        cell[place] = Fraction(float(X[place])) * N // 1
    return X, cell, inside


# ---------------------------------------------------------------------------------------------------- step functions


@dataclass(frozen=True)
class StepFunction:
    """The function that is f(X_L) on each cell S_L = prod [L_ij, L_ij + delta), with X_L = L + offset delta.

    Source: yun2020, section D. Exact on Fractions where f is. Raises ValueError as `step_function`.

    Parameters
    ----------
    offset : in units of delta; with 1/2 X_L is the centre of its cell, with 0 and 1 its lower and upper corner
    beyond : what is outside [0, 1)^{d x n}: "zero" gives 0; "closed" too, but 1 belongs to the last cell; "border"
        gives entries beyond the box the cells at its border
    duplicates : "drop" gives 0 where two tokens are in one cell, "keep" the value
    """

    target: Target
    inverse_delta: int
    offset: Fraction = Fraction(1, 2)
    beyond: Literal["zero", "closed", "border"] = "zero"
    duplicates: Duplicates = "keep"

    def __post_init__(self) -> None:
        target = checks.instance("target", self.target, Target)
        target.require_unit_box()
        object.__setattr__(self, "inverse_delta", Grid(self.inverse_delta, target.n, target.d).inverse_delta)

    def __call__(self, X: Numbers) -> Any:
        """Values for X of shape (..., d, n); ValueError for another X. Numbers in and out as in `in_bulk`."""
        return in_bulk(self._values, X, self.target.d, self.target.n)

    def _values(self, X: np.ndarray) -> np.ndarray:
        N, zero = self.inverse_delta, _like(X, 0)
        if self.beyond == "border":
            X = np.where(X < 0, zero, X)
        if self.beyond != "zero":
            is_last = X >= 1 if self.beyond == "border" else X == 1
            X = np.where(is_last, _like(X, 1 - Fraction(1, 2 * N)), X)
        X, cell, inside = _cells(X, N)
        points = cell / N + _like(X, self.first)
        f = self.target.function(points) if X.dtype.kind == "f" else exact_values(self.target, points)
        is_zero = np.asarray(~inside.all(axis=(-2, -1)))
        if self.duplicates == "drop":
            ids = np.sort(np.tensordot(N ** np.arange(self.target.d), cell.astype(np.int64), (0, 1)), axis=-1)
            is_zero |= (ids[:, 1:] == ids[:, :-1]).any(axis=-1)
        return np.where(is_zero[:, None, None], zero, f)

    @property
    def first(self) -> Fraction:
        """The lowest level, the entries of X_0."""
        return self.offset / self.inverse_delta

    def error_bound(self) -> float:
        """The modulus of f at delta/2: no point of a cell is farther than that from its centre, in any entry."""
        return self.target.modulus(Fraction(1, 2 * self.inverse_delta))


def step_function(target: Target, *, inverse_delta: int) -> StepFunction:
    """The step function of Lemma 4 for `target`, whose domain must be the unit box.

    If |f(X) - f(Y)|_p <= w whenever all entries of X - Y are at most delta/2, then d_p(f, step function) <= w on the
    box, and the step function has the symmetries of f. Source: yun2020, Lemma 4 and section D.

    Raises
    ------
    ValueError
        target is no `Target`, or on another box; inverse_delta is no int >= 2.
    """
    return StepFunction(target, inverse_delta)
