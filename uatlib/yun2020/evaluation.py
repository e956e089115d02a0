"""The network of yun2020, Proposition 5, in bulk: cell, id, output."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import torch

from .. import bulk, grids
from ..arithmetic import Overflow
from ..targets import Target, exact_values
from .ids import context_ids, context_ids_int64
from .value_lookup import ValueMap


def centre_values(target: Target, sequences: np.ndarray, inverse_delta: int) -> np.ndarray:
    """f at the centres of cells, as Fractions: exact where f takes Fractions, else the exact values of its floats."""
    return exact_values(target, (sequences.astype(object) * 2 + 1) * Fraction(1, 2 * inverse_delta))


class Evaluation:
    """The network of Proposition 5 in bulk: cell, ids by recursion, output by lookup; ``Network.shortcut``."""

    def __init__(self, value_map: ValueMap, positional: bool) -> None:
        self.value_map, self.grid, self.positional = value_map, value_map.grid, positional

    def __call__(self, X: Any) -> Any:
        """The network's values at X of shape (..., d, n), as exact arithmetic would give them.

        An array of ints and Fractions gives Fractions. Floats stand for their exact values and give float64, a tensor
        one of its dtype (of ints: float64): every output is the exact one, rounded once.

        Raises
        ------
        ValueError
            X has another shape, holds NaN or infinity, or (with positional encodings) leaves [0, 1).
        """
        return bulk.in_bulk(self._values, X, self.grid.d, self.grid.n, "network")

    def _values(self, X: np.ndarray) -> Any:
        is_exact = X.dtype.kind == "O"
        N = self.grid.inverse_delta
        cells = grids.quantize(X, inverse_delta=N)
        outside = (cells < 0).any(axis=(-2, -1))
        if self.positional and outside.any():
            got = f"got {X[outside][0].tolist()}; rescale it."
            raise ValueError(f"X: expected entries in [0, 1), the domain of Theorem 3, {got}")
        # A sequence outside the box gets ids outside [t_l, t_r], so 0, whatever its sentinel; so does one of zeros.
        L = np.where(outside[:, None, None], 0, cells * N if is_exact else np.rint(cells * N))
        try:
            whole = torch.from_numpy(L.astype(np.int64))
            ids: Any = context_ids_int64(whole, inverse_delta=N, positional=self.positional)
        except (Overflow, OverflowError):
            whole_numbers = L if is_exact else L.astype(np.int64)
            ids = context_ids(whole_numbers, inverse_delta=N, positional=self.positional)
        return self.value_map.at_ids(ids, exact=is_exact)
