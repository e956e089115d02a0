"""Max-affine functions, the partitions that they cut, and how far a token is from the next cell.

Source: liu2025, Definitions 3.1 and 3.2, Proposition 3.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch

from ..arithmetic.border import numbers
from ..bulk import in_bulk
from ..checks import rationals, refused
from ..layers.base import set_fields


@dataclass(frozen=True, eq=False)
class MaxAffine:
    """max_i y_i(x) with y_i(x) = a_i . x + b_i, for each token x of a sequence.

    The cell U_i is where y_i is the largest; on the borders, where several are, the one with the smallest index. (In
    the source the U_i overlap there.) Cells are convex: a power diagram, see `of_sites`.

    Parameters
    ----------
    A : (d, N), the a_i as columns
    b : (N,)

    X of shape (..., d, n) may hold Fractions (exact), floats, or be a tensor: values come out alike.

    Raises
    ------
    ValueError
        No numbers, other shapes, no component.

    Source: liu2025, Definition 3.1.
    """

    A: Any
    b: Any

    def __post_init__(self) -> None:
        A, b = numbers(self.A, "A"), numbers(self.b, "b")
        if A.ndim != 2 or 0 in A.shape:
            raise refused("A", "shape (d, N), the vectors a_i as columns", A.shape)
        if b.shape != A.shape[1:]:
            raise refused("b", f"shape {A.shape[1:]}, a number for each column of A", b.shape)
        set_fields(self, A=rationals("A", A), b=rationals("b", b))

    def __repr__(self) -> str:
        d, components = self.A.shape
        return f"MaxAffine(d={d}, components={components})"

    @classmethod
    def of_sites(cls, sites: Any, weights: Any = None) -> Self:
        """That whose cell i are the points x with the least |x - s_i|^2 - w_i: a_i = s_i, b_i = (w_i - |s_i|^2)/2.

        Any partition of this kind is one by a max-affine function and the other way round. With weights 0, the cells
        are those of the nearest site.

        Parameters
        ----------
        sites : (d, N), the s_i as columns
        weights : (N,), or None for zeros

        Raises
        ------
        ValueError
            As the class itself.
        """
        found = numbers(sites, "sites")
        if found.ndim != 2 or 0 in found.shape:
            raise refused("sites", "shape (d, N), a site in each column", found.shape)
        exact = rationals("sites", found)
        given = np.zeros(exact.shape[1], dtype=int) if weights is None else numbers(weights, "weights")
        if given.shape != exact.shape[1:]:
            raise refused("weights", f"shape {exact.shape[1:]}, a number for each site", given.shape)
        return cls(exact, (rationals("weights", given) - (exact**2).sum(axis=0)) / 2)

    def components(self, X: Any) -> Any:
        """All y_i, shape (..., d, n) to (..., N, n)."""
        return in_bulk(self._all, X, len(self.A))

    def __call__(self, X: Any) -> Any:
        """The largest y_i, shape (..., d, n) to (..., n)."""
        return self._rows(X, lambda y: y.max(axis=-2, keepdims=True))[..., 0, :]

    def partition(self, X: Any) -> Any:
        """The number of the cell of each token, from 0, shape (..., d, n) to (..., n) of ints."""
        found = self._rows(X, lambda y: (y == y.max(axis=-2, keepdims=True)).argmax(axis=-2)[..., None, :])[..., 0, :]
        return found.to(torch.int64) if isinstance(found, torch.Tensor) else np.asarray(found, dtype=np.int64)

    def indicator(self, X: Any) -> Any:
        """1 for the cell of each token and 0 for the others, shape (..., d, n) to (..., N, n) of ints.

        Source: liu2025, Definition 3.2.
        """
        cells = self.partition(X)
        if isinstance(cells, torch.Tensor):
            return torch.nn.functional.one_hot(cells, self.A.shape[1]).transpose(-1, -2)
        return (np.arange(self.A.shape[1])[:, None] == cells[..., None, :]).astype(np.int64)

    def margin(self, X: Any) -> Any:
        """How much the largest y_i exceeds the second largest, shape (..., d, n) to (..., n); infinite for N = 1.

        Where two cells meet it is 0, and no attention can tell them apart.
        """
        if self.A.shape[1] == 1:
            like = self(X)
            return torch.full_like(like, torch.inf) if isinstance(like, torch.Tensor) else np.full(like.shape, np.inf)
        return self._rows(X, lambda y: np.diff(np.sort(y, axis=-2)[..., -2:, :], axis=-2))[..., 0, :]

    def _all(self, X: np.ndarray) -> np.ndarray:
        A, b = (self.A, self.b) if X.dtype == object else (self.A.astype(float), self.b.astype(float))
        return np.asarray(A.T @ X + b[:, None])

    def _rows(self, X: Any, act: Callable[[np.ndarray], np.ndarray]) -> Any:
        return in_bulk(lambda part: act(self._all(part)), X, len(self.A))
