"""Grids of sequences, quantization in closed form, and step functions on them.

Notation of yun2020: delta = 1/N, D = N^d column values, G_delta = {0, delta, ..., 1 - delta}^{d x n}, and the extended
grid G_delta^+ whose entries may also be the sentinel -delta^{-nd} = -N^{nd}, "outside the box".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from . import checks
from .arithmetic import Overflow
from .bulk import in_bulk
from .sizes import ConstructionTooLarge
from .targets import Target, exact_values

__all__ = ["Grid", "quantize", "step_function"]

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
    def ones(self) -> int:
        """1 + N + ... + N^{d-1} = (D - 1)/(N - 1): the column id of a token whose entries are all delta, in units."""
        return (self.column_values - 1) // (self.inverse_delta - 1)

    @property
    def sentinel(self) -> int:
        """-N^{nd}: what entries outside [0, 1) are mapped to."""
        return -(self.inverse_delta ** (self.n * self.d))

    @property
    def positive_sentinel(self) -> int:
        """N^{(n+1)d-1}, D^{n+1} in units of delta: a sentinel above the box, which keeps all column ids >= 0.

        A sequence that holds it gets only ids of at least D^{2n+2} > t_r units from the contextual mapping, since the
        last layer adds D^{n+1} times the largest id, itself at least D^{n+1}, to every one.
        """
        return self.inverse_delta ** ((self.n + 1) * self.d - 1)

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

    def chunks(self, size: int = 2**17, *, extended: bool = False) -> Iterator[torch.Tensor]:
        """All sequences, in tensors of at most `size` of them; ValueError as `sequences`."""
        size = checks.whole("size", size, 1, hint="it is the number of sequences in a chunk")
        for start in range(0, self.size(extended=extended), size):
            yield self.sequences(start, start + size, extended=extended)


# ------------------------------------------------------------------------------------------------------- closed form


def quantize(X: Any, *, inverse_delta: int) -> Any:
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


def _like(X: np.ndarray, value: Any) -> Any:
    """A number in the kind of X, float64 or Fraction."""
    return float(value) if X.dtype.kind == "f" else Fraction(value)


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
    """The function that is f(C_L) on each cell S_L = prod [L_ij, L_ij + delta), C_L its centre, and 0 outside [0, 1).

    Source: yun2020, section D. Exact on Fractions where f is. Raises ValueError as `step_function`.
    """

    target: Target
    inverse_delta: int

    def __post_init__(self) -> None:
        target = checks.instance("target", self.target, Target)
        target.require_unit_box()
        object.__setattr__(self, "inverse_delta", Grid(self.inverse_delta, target.n, target.d).inverse_delta)

    def __call__(self, X: Any) -> Any:
        """Values for X of shape (..., d, n); ValueError for another X. Numbers in and out as in `quantize`."""

        def values(X: np.ndarray) -> np.ndarray:
            X, cell, inside = _cells(X, self.inverse_delta)
            within, half = inside.all(axis=(-2, -1), keepdims=True), _like(X, Fraction(1, 2 * self.inverse_delta))
            centres = np.where(within, cell / self.inverse_delta, 0) + half
            f = self.target.function(centres) if X.dtype.kind == "f" else exact_values(self.target, centres)
            return np.where(within, f, _like(X, 0))

        return in_bulk(values, X, self.target.d, self.target.n)

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
