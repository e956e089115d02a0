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

from .arithmetic import Overflow
from .arithmetic.base import FLOATS, entries, exact, numbers, real, shown, whole
from .model import ConstructionTooLarge
from .targets import Target, require_room

__all__ = ["Grid", "StepFunction", "quantize", "step_function"]

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
            object.__setattr__(self, name, whole(name, getattr(self, name), least, hint=hint))
        bits = (self.n + 1) * self.d * self.inverse_delta.bit_length()
        if bits > MAX_BITS:
            raise ConstructionTooLarge(
                f"inverse_delta={shown(self.inverse_delta)}, n={shown(self.n)}, d={shown(self.d)}: numbers of this "
                f"grid take up to {shown(bits)} bits, the limit is {MAX_BITS:,}; choose a coarser grid (smaller "
                "inverse_delta), shorter sequences or fewer dimensions."
            )

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
        """Number of sequences: N^{dn}, or (N + 1)^{dn} on the extended grid."""
        return (self.inverse_delta + extended) ** (self.d * self.n)

    def sequences(self, start: int = 0, stop: int | None = None, *, extended: bool = False) -> torch.Tensor:
        """The grid sequences number `start` to `stop` in units of delta, int64, shape (stop - start, d, n).

        Entries count in base N (or N + 1, the last digit standing for the sentinel), first entry fastest.
        """
        size = self.size(extended=extended)
        stop = size if stop is None else min(stop, size)
        if not 0 <= start <= stop < 2**63:
            raise ValueError(f"sequences: expected 0 <= start <= stop < 2^63 of {size:,}, got {start} and {stop}.")
        require_room("sequences", stop - start, self.d, self.n)
        if extended and self.sentinel_units <= -(2**63):
            raise Overflow(f"the sentinel {self.sentinel_units} units needs more than 63 bits; choose a smaller grid.")
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
        """All sequences, in tensors of at most `size` of them."""
        size = whole("size", size, 1, hint="it is the number of sequences in a chunk")
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
    source = numbers(X, "X")
    floats = source.dtype.kind == "f" or any(isinstance(t, FLOATS) for t in source.flat)
    if source.ndim < 2 or 0 in source.shape:
        raise ValueError(f"X: expected shape (..., d, n), not empty, got {source.shape}.")
    grid = Grid(inverse_delta, source.shape[-1], source.shape[-2])
    if floats and -grid.sentinel >= 2**1023:
        raise Overflow(f"the sentinel -{grid.inverse_delta}^{grid.n * grid.d} does not fit float64; use Fractions.")
    if isinstance(X, torch.Tensor):
        result = _quantize_floats(source.astype(np.float64), grid)
        tensor = torch.tensor(result).to(X.device, X.dtype if X.is_floating_point() else torch.float64)
        if not bool(torch.isfinite(tensor).all()):
            raise Overflow(f"the sentinel {result.min():.3g} does not fit {X.dtype}; use float64 or Fractions.")
        return tensor
    if floats:
        # A list may mix floats with numbers that no float holds; then each float stands for its exact value.
        return _quantize_floats(source, grid) if source.dtype.kind == "f" else _quantize_mixed(source, grid)
    return _quantize_exactly(source, grid)


def _quantize_mixed(X: np.ndarray, grid: Grid) -> np.ndarray:
    return _quantize_exactly(X, grid).astype(np.float64)


def _quantize_floats(X: np.ndarray, grid: Grid) -> np.ndarray:
    if not np.isfinite(X).all():
        raise ValueError("X: expected finite numbers, got NaN or infinity; remove them before the call.")
    N = grid.inverse_delta
    X = X.astype(np.float64)
    if N > 2**53:
        # Such an N is no float itself.
        return _quantize_mixed(X.astype(object), grid)
    inside = (X >= 0) & (X < 1)
    product = np.where(inside, X, 0) * float(N)
    cell = np.floor(product)
    # The product is rounded, which matters only where it lands on a whole number: there the cell is found exactly.
    for place in zip(*np.nonzero(inside & (cell == product)), strict=True):
        cell[place] = Fraction(float(X[place])) * N // 1
    return np.where(inside, cell / N, float(grid.sentinel))


def _quantize_exactly(X: np.ndarray, grid: Grid) -> np.ndarray:
    N, sentinel = grid.inverse_delta, Fraction(grid.sentinel)

    def value(t: Any) -> Fraction:
        number = exact(real(t))
        return Fraction(number * N // 1, N) if 0 <= number < 1 else sentinel

    return entries(X, "X", value)


# ---------------------------------------------------------------------------------------------------- step functions


@dataclass(frozen=True)
class StepFunction:
    """The function that is f(C_L) on each cell S_L = prod [L_ij, L_ij + delta), C_L its centre, and 0 outside [0, 1).

    Source: yun2020, section D. Exact on Fractions where f is. Raises ValueError as `step_function`.
    """

    target: Target
    inverse_delta: int

    def __post_init__(self) -> None:
        if not isinstance(self.target, Target):
            raise ValueError(f"step_function: expected a Target, got {self.target!r}.")
        if self.target.domain != (0, 1):
            raise ValueError(
                f"step_function: expected a target on [0, 1]^(d x n), got the domain {self.target.domain}; "
                "rescale it, e.g. g(X) = f(low + (high - low) X)."
            )
        grid = Grid(self.inverse_delta, self.target.n, self.target.d)
        object.__setattr__(self, "inverse_delta", grid.inverse_delta)

    def __call__(self, X: Any) -> Any:
        """Values for X of shape (..., d, n)."""
        L = quantize(numbers(X, "X"), inverse_delta=self.inverse_delta)
        outside = (L < 0).any(axis=(-2, -1), keepdims=True)
        half: Any = Fraction(1, 2 * self.inverse_delta)
        if L.dtype.kind == "f":
            half = float(half)
        return np.where(outside, 0, self.target(np.where(outside, half, L + half)))

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
