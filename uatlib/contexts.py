"""What a contextual mapping must satisfy, as printed and as in the slides, and the first pair that violates it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from . import checks
from .internal.shapes import Numbers

__all__ = ["find_violation"]


Row = tuple[object, ...]
"""One entry, or one column, for each token."""


@dataclass(frozen=True)
class Violation:
    """Two tokens that a contextual mapping must tell apart and that got the same id."""

    clause: int
    sequences: tuple[Row, Row]
    ids: tuple[Row, Row]

    def __str__(self) -> str:
        (a, b), (q, r) = self.sequences, self.ids
        return f"clause {self.clause}: q{a} = {q} and q{b} = {r}"


def find_violation(
    sequences: Iterable[Numbers], ids: Iterable[Numbers], *, definition: Literal["slides", "printed"] = "slides"
) -> Violation | None:
    """The first pair that shows that L -> ids is no contextual mapping on these sequences, or None if it is one.

    Parameters
    ----------
    sequences : sequences L, each an array of shape (d, n)
    ids : for each the n numbers q(L)
    definition : "slides" (so2020slides): different columns of L have different ids; all ids of L and L' differ
        unless L' is a permutation of L. "printed" (yun2020, Definition E.1): the n ids of L are distinct; all
        ids of L and L' differ unless L' = L.

    Raises
    ------
    ValueError
        Another definition, other things in the place of sequences or ids, NaN, or not as many ids as columns.
    """
    checks.choice("definition", definition, ("slides", "printed"))
    owner: dict[object, tuple[object, Row, Row]] = {}
    for L, q in itertools.zip_longest(_arrays("sequences", sequences, 2), _arrays("ids", ids, 1)):
        if L is None or q is None:
            raise ValueError("ids: expected as many rows of ids as sequences, got more of the one than of the other.")
        columns = tuple(tuple(c) if len(c) > 1 else c[0] for c in L.T.tolist())
        row = tuple(q.tolist())
        if len(row) != len(columns) or any(value != value for value in row):
            raise ValueError(
                f"ids: expected a number for each column, got {checks.shown(row)} for {checks.shown(columns)}."
            )
        context = tuple(sorted(columns)) if definition == "slides" else columns
        seen: dict[object, object] = {}
        for column, value in zip(columns, row, strict=True):
            if value in seen and (definition == "printed" or seen[value] != column):
                return Violation(1, (columns, columns), (row, row))
            seen[value] = column
        for value in row:
            other = owner.setdefault(value, (context, columns, row))
            if other[0] != context:
                return Violation(2, (other[1], columns), (other[2], row))
    return None


def _arrays(name: str, values: object, ndim: int) -> Iterator[np.ndarray]:
    """The items of an array, a tensor or an iterable as arrays of numbers with `ndim` axes."""
    if isinstance(values, (np.ndarray, torch.Tensor)):
        values = checks.numbers(values, name)
    if not isinstance(values, Iterable) or (isinstance(values, np.ndarray) and values.ndim == 0):
        raise checks.refused(name, f"a sequence of arrays with {ndim} axes", values)
    for value in values:
        array = checks.numbers(value, name)
        if array.ndim != ndim or 0 in array.shape:
            raise checks.refused(name, f"arrays of numbers with {ndim} axes", value)
        yield checks.entries(array, name, checks.real) if array.dtype.kind == "O" else array
