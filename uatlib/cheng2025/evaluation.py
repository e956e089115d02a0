"""The network of cheng2025, Theorem 1, in bulk, off its ramps: f at the level of each cell."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from .. import bulk, grids
from ..targets import Target, exact_values
from .grid_sequences import in_general_position

Duplicates = Literal["drop", "keep"]


def grid_tokens(inverse_delta: int, d: int, first: Fraction) -> np.ndarray:
    """The tokens with entries first + k/N, as columns, shape (d, N^d), Fractions, the first entry slowest."""
    levels = np.array([first + Fraction(k, inverse_delta) for k in range(inverse_delta)], dtype=object)
    return levels[np.indices((inverse_delta,) * d).reshape(d, -1)]


@dataclass(frozen=True)
class GridValues:
    """f at the level of each cell, all entries beyond the box as at its border; 0 for cells with a token twice.

    So it is off the ramps; in a ramp it is the value of the cell before. With duplicates "keep" no cell is 0.
    """

    target: Target
    inverse_delta: int
    duplicates: Duplicates
    first: Fraction

    def __call__(self, X: Any) -> Any:
        """Values at X of shape (..., d, n), of the kinds of `bulk.in_bulk`; ValueError for another X."""
        return bulk.in_bulk(self._values, X, self.target.d, self.target.n)

    def _values(self, X: np.ndarray) -> np.ndarray:
        is_float, N = X.dtype.kind == "f", self.inverse_delta
        first, last, zero = (np.array(t, dtype=X.dtype) for t in (self.first, 1 - Fraction(1, 2 * N), Fraction(0)))
        corners = grids.quantize(np.where(X < 0, zero, np.where(X >= 1, last, X)), inverse_delta=N)
        found = self.target.function(corners + first) if is_float else exact_values(self.target, corners + first)
        if self.duplicates == "drop":
            cells = np.rint((corners * N).astype(np.float64)).astype(np.int64)
            columns = np.tensordot(N ** np.arange(self.target.d)[::-1], cells, (0, 1))
            found = np.where(in_general_position(columns)[:, None, None], found, zero)
        return np.asarray(found)
