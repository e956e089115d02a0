"""What a contextual mapping must satisfy, as printed and as in the slides, and the first pair that violates it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from . import checks

__all__ = ["Violation", "find_violation"]


@dataclass(frozen=True)
class Violation:
    """Two tokens that a contextual mapping must tell apart and that got the same id."""

    clause: int
    sequences: tuple[tuple[Any, ...], tuple[Any, ...]]
    ids: tuple[tuple[Any, ...], tuple[Any, ...]]

    def __str__(self) -> str:
        (a, b), (q, r) = self.sequences, self.ids
        return f"clause {self.clause}: q{a} = {q} and q{b} = {r}"


def find_violation(
    sequences: Iterable[Any], ids: Iterable[Any], *, definition: Literal["slides", "printed"] = "slides"
) -> Violation | None:
    """The first pair that shows that L -> ids is no contextual mapping on these sequences, or None if it is one.

    Parameters
    ----------
    sequences : sequences L, each an array of shape (d, n); ids : for each the n numbers q(L)
    definition : "slides" (so2020slides): different columns of L have different ids; all ids of L and L' differ
        unless L' is a permutation of L. "printed" (yun2020, Definition E.1): the n ids of L are distinct; all
        ids of L and L' differ unless L' = L.

    Raises
    ------
    ValueError
        Another definition, as many ids as sequences or tokens are not there, or an id is NaN.
    """
    checks.choice("definition", definition, ("slides", "printed"))
    owner: dict[Any, tuple[Any, ...]] = {}
    for L, q in zip(sequences, ids, strict=True):
        columns = tuple(tuple(c) if len(c) > 1 else c[0] for c in np.asarray(L).T.tolist())
        row = tuple(np.asarray(q).tolist())
        if any(value != value for value in row):
            raise checks.refused("ids", "numbers", row, f"they are those of {columns}")
        context = tuple(sorted(columns)) if definition == "slides" else columns
        seen: dict[Any, Any] = {}
        for column, value in zip(columns, row, strict=True):
            if value in seen and (definition == "printed" or seen[value] != column):
                return Violation(1, (columns, columns), (row, row))
            seen[value] = column
        for value in row:
            other = owner.setdefault(value, (context, columns, row))
            if other[0] != context:
                return Violation(2, (other[1], columns), (other[2], row))
    return None
