"""The value map of yun2020, Lemma 9, in bulk: ids looked up in a sorted table in place of thousands of layers."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import torch

from ..arithmetic import Overflow
from ..arithmetic.numbers import entries, numbers, real
from ..checks import instance, refused, sequences
from ..grids import CHUNK
from ..internal.progress import progress
from ..internal.shapes import Numbers
from .ids import column_vector, id_interval
from .output_layers import HALF, ValueTable, by_token, exact_number


class ValueMap:
    """The value map of `value_layers`, evaluated by looking ids up in a table: ``ValueMap(value_table(...))``.

    ``value_map(Z)`` equals the layers on every exact Z, and ``value_map.at_ids(context_ids(L, ...))`` gives the same
    for whole batches of grid sequences, extended or not, without computing Z = g_c(L).

    Attributes
    ----------
    table : the `ValueTable`
    hit_again : for each token layer the number of the later one whose window its mapped column meets, or -1
    """

    def __init__(self, table: ValueTable) -> None:
        self.table, self.grid = instance("table", table, ValueTable, "make it with value_table"), table.grid
        # One row for each token layer, in the order of the layers.
        columns, self._steps = table.columns, table.steps
        ids = table.ids.ravel()
        self._layer = np.argsort(ids, kind="stable")
        self._sorted = ids[self._layer]
        if len(ids) and self._sorted[-1] < 2**63:
            self._sorted = self._sorted.astype(np.int64)
        # The first layer that maps a column g_c(L)_j is that of its id.
        mapped, own = columns + self._steps, np.arange(len(ids))
        self.hit_again = self._hits(mapped, own)
        again = self.hit_again >= 0
        mapped[again] = self._follow(mapped[again], own[again])
        # What becomes of g_c(L) once all layers have passed; the row -1 is that of columns of no context.
        self._mapped = np.concatenate([self._last(mapped), np.full((1, self.grid.d), Fraction(0))])

    def __call__(self, Z: Numbers) -> np.ndarray:
        """The layers applied to Z of shape (..., d, n), any int and Fraction, as an array of Fractions."""
        d = self.grid.d
        array = entries(sequences("Z", Z, d), "Z", exact_number)
        columns = by_token(array)
        if self.table.largest is not None:
            t_l, t_r = id_interval(self.grid.inverse_delta, self.grid.n, d)
            t = self._units(columns)
            outside = (t < t_l) | (t >= t_r + HALF)
            columns[outside] -= self.table.largest * self.grid.delta + 1
            columns[columns < 0] = Fraction(0)
        mapped = self._last(self._follow(columns, np.full(len(columns), -1)))
        return np.swapaxes(mapped.reshape(*array.shape[:-2], -1, d), -1, -2)

    def at_ids(self, ids: Any, *, exact: bool = False) -> Any:
        """The columns that the layers make of g_c(L), from the ids u^T g_c(L) in units of delta.

        Parameters
        ----------
        ids : shape (..., n): an int64 tensor of any device, an array of ints, or one of Python ints of any size
        exact : return Fractions

        Returns
        -------
        Shape (..., d, n): float64, in a tensor for a tensor; or an object array of Fractions. Columns whose id is
        outside [t_l, t_r] are 0 (with positional encodings every column is of a context).

        Raises
        ------
        ValueError
            ids hold no integers, or one (in [t_l, t_r]) that no token of the grid has.
        Overflow
            An output does not fit float64.
        """
        is_tensor = isinstance(ids, torch.Tensor)
        array = numbers(ids, "ids")
        if array.dtype.kind == "O":
            array = entries(array, "ids", real)
        is_whole = array.dtype.kind in "iu" or all(type(i) is int for i in array.flat)
        if not is_whole or array.ndim < 1 or (is_tensor and ids.dtype != torch.int64):
            raise refused("ids", "integers of shape (..., n), in an int64 tensor or an array", ids)
        # NumPy would compare uint64 with int64 in floats.
        columns = self._columns(array.astype(np.int64 if array.dtype.kind == "i" else object), exact)
        return torch.from_numpy(columns).to(ids.device) if is_tensor and not exact else columns

    def _columns(self, ids: np.ndarray, exact: bool) -> np.ndarray:
        table = self._mapped if exact else self._as_floats
        flat = ids.reshape(-1, ids.shape[-1])
        result = np.empty((len(flat), self.grid.d, ids.shape[-1]), dtype=table.dtype)
        for start in progress(range(0, len(flat), CHUNK), "value map"):
            chunk = flat[start : start + CHUNK]
            layer = self._layer_of(chunk)
            self._require_known(chunk, layer)
            result[start : start + CHUNK] = np.swapaxes(table[layer], -1, -2)
        return result.reshape(*ids.shape[:-1], self.grid.d, ids.shape[-1])

    @cached_property
    def _as_floats(self) -> np.ndarray:
        try:
            return self._mapped.astype(np.float64)
        except OverflowError:
            raise Overflow("at_ids: an output exceeds the largest float64; take exact=True.") from None

    def _require_known(self, ids: np.ndarray, layer: np.ndarray) -> None:
        """ValueError if an id is of no token, but could be one, since it is in [t_l, t_r]."""
        lost, where = layer < 0, "belongs to no token; take them from context_ids with the same grid"
        if self.table.largest is None:
            where += " and positional=True"
        else:
            t_l, t_r = id_interval(self.grid.inverse_delta, self.grid.n, self.grid.d)
            lost, where = lost & (ids >= t_l) & (ids <= t_r), f"lies in [t_l, t_r] = [{t_l}, {t_r}] and {where}"
        if lost.any():
            raise ValueError(f"ids: expected ids of grid sequences, got {int(ids[lost][0])}, which {where}.")

    def _layer_of(self, ids: np.ndarray) -> np.ndarray:
        """The token layer whose window an id in units of delta is in, -1 for none."""
        if len(self._sorted) == 0:
            return np.full(ids.shape, -1)
        slot = np.minimum(np.searchsorted(self._sorted, ids), len(self._sorted) - 1)
        return np.where(self._sorted[slot] == ids, self._layer[slot], -1)

    def _units(self, columns: np.ndarray) -> np.ndarray:
        """u^T Z in units of delta, for columns in rows."""
        N = self.grid.inverse_delta
        return np.asarray(columns @ np.array([u * N for u in column_vector(N, self.grid.d)], dtype=object))

    def _hits(self, columns: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """The layer after number `reached` whose window each column is in, -1 for none."""
        # Ids differ by at least delta, so that windows are disjoint and floor(t + 1/2) names the only candidate.
        nearest = np.asarray(np.frompyfunc(lambda t: math.floor(t + HALF), 1, 1)(self._units(columns)), dtype=object)
        layer = self._layer_of(nearest)
        return np.where(layer > reached, layer, -1)

    def _follow(self, columns: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """Columns (in rows) after the token layers: each meets only the layers, ever later, whose windows it is in."""
        columns, active = columns.copy(), np.arange(len(columns))
        while len(active):
            layer = self._hits(columns[active], reached[active])
            hit = layer >= 0
            active = active[hit]
            columns[active] += self._steps[layer[hit]]
            reached[active] = layer[hit]
        return columns

    def _last(self, columns: np.ndarray) -> np.ndarray:
        if self.table.lift is not None:
            columns[self._units(columns) < -HALF * self.grid.inverse_delta] += self.table.lift
        return columns
