"""Max-affine functions, the partitions that they cut, and attention whose scores they are.

Source: liu2025, Definitions 3.1 and 3.2, Propositions 3.1 to 3.3, sections A.2 and A.3, with shapes that fit for all
n, N and d.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import torch

from uatlib.arithmetic.numbers import Number, numbers
from uatlib.checks import instance, listed, positive, rationals, refused, shown, whole
from uatlib.grids import in_bulk
from uatlib.internal.shapes import Numbers, Weight
from uatlib.layers import Attention, Head, LinearSum
from uatlib.layers.base import set_fields
from uatlib.model import Transformer
from uatlib.sizes import ConstructionTooLarge, require_size

from .separation import Obstruction, separate

__all__ = ["MaxAffine", "indicator_attention"]

MAX_ENTRIES = 2**22
"""Of the vectors that `of_cells` compares."""


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

    A: Weight
    b: Weight

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
    def of_sites(cls, sites: Numbers, weights: object = None) -> Self:
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

    @classmethod
    def of_breakpoints(cls, breakpoints: object) -> Self:
        """On a line, that with the cells x <= t_1, t_1 < x <= t_2, ..., x > t_{N-1}: slopes 0, 1, ..., N - 1.

            y_i - y_{i-1} = x - t_i

        Parameters
        ----------
        breakpoints : (N - 1,), the t_i, increasing

        Raises
        ------
        ValueError
            No numbers, or not increasing.
        """
        t = rationals("breakpoints", breakpoints, 1)
        if any(one >= next_ for one, next_ in pairwise(t)):
            raise refused("breakpoints", "increasing numbers", breakpoints, "a border twice leaves an empty cell")
        return cls([range(len(t) + 1)], [0, *(-t.cumsum())])

    @classmethod
    def of_cells(cls, points: Numbers, labels: Numbers, components: int | None = None) -> Self:
        """One that has each of these points in the cell of its label, and there the margin 1 or more.

        The least margin at the points is 1, exactly, so `precision(N, 1, eps)` fits; of all (A, b) with margins >= 1 it
        is nearly that of least norm, when the points are centred and scaled. Found in floats, checked exactly.

        Parameters
        ----------
        points : (d, count), as columns
        labels : (count,), ints from 0
        components : N; by default the largest label + 1. Cells without a point are allowed

        Raises
        ------
        ValueError
            No max-affine function has these cells, naming points for which that is proved; or points of different cells
            are so near that floats do not decide; or shapes and labels are off.
        ConstructionTooLarge
            Too many points and components.
        """
        array = numbers(points, "points")
        if array.ndim != 2 or 0 in array.shape:
            raise refused("points", "shape (d, count), a point in each column", array.shape)
        cells = listed("labels", labels)
        if len(cells) != array.shape[1]:
            raise refused("labels", f"{array.shape[1]} of them, one for each point", len(cells))
        named = [whole("labels", label, 0, MAX_ENTRIES) for label in cells]
        N = max(named) + 1 if components is None else whole("components", components, max(named) + 1, MAX_ENTRIES)
        d, count = array.shape
        if count * (N - 1) * (d + 1) * N > MAX_ENTRIES:
            raise ConstructionTooLarge(
                f"of_cells: {count} points and labels of {shown(N)} components; take fewer of either."
            )
        exact = rationals("points", array)
        if N == 1:
            return cls(np.zeros((d, 1), dtype=int), [0])
        weights = separate(exact, named, N)
        if not isinstance(weights, np.ndarray):
            raise _no_cells(weights, named)
        f = cls(weights[:-1], weights[-1])
        margin = f.margin(exact).min()
        return cls(f.A / margin, f.b / margin)

    def components(self, X: Numbers) -> Any:
        """All y_i, shape (..., d, n) to (..., N, n)."""
        return in_bulk(self._all, X, len(self.A))

    def __call__(self, X: Numbers) -> Any:
        """The largest y_i, shape (..., d, n) to (..., n)."""
        return self._rows(X, lambda y: y.max(axis=-2, keepdims=True))[..., 0, :]

    def partition(self, X: Numbers) -> Any:
        """The number of the cell of each token, from 0, shape (..., d, n) to (..., n) of ints."""
        found = self._rows(X, lambda y: (y == y.max(axis=-2, keepdims=True)).argmax(axis=-2)[..., None, :])[..., 0, :]
        return found.to(torch.int64) if isinstance(found, torch.Tensor) else np.asarray(found, dtype=np.int64)

    def indicator(self, X: Numbers) -> Any:
        """1 for the cell of each token and 0 for the others, shape (..., d, n) to (..., N, n) of ints.

        Source: liu2025, Definition 3.2.
        """
        cells = self.partition(X)
        if isinstance(cells, torch.Tensor):
            return torch.nn.functional.one_hot(cells, self.A.shape[1]).transpose(-1, -2)
        return (np.arange(self.A.shape[1])[:, None] == cells[..., None, :]).astype(np.int64)

    def margin(self, X: Numbers) -> Any:
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

    def _rows(self, X: Numbers, act: Callable[[np.ndarray], np.ndarray]) -> Any:
        return in_bulk(lambda part: act(self._all(part)), X, len(self.A))


def _no_cells(why: list[Obstruction] | None, labels: list[int]) -> ValueError:
    if why is None:
        return ValueError(
            "points: expected cells that floats tell apart, got points so near the borders of others that neither a "
            "max-affine function was found nor a proof that there is none; move or drop points at the borders."
        )
    columns = sorted({part.column for part in why})
    named = ", ".join(f"{column} (cell {labels[column]})" for column in columns[:12])
    rest = f" and {len(columns) - 12} more" if len(columns) > 12 else ""
    return ValueError(
        f"labels: expected the cells of a max-affine function, got columns {named}{rest}, which no max-affine function "
        "puts into these cells; cells must be convex, and in the plane or higher fit together as a power diagram."
    )


# --------------------------------------------------------------------------------------------- attention

HINT = "Take fewer components."


def indicator_attention(
    max_affine: MaxAffine, n: int, precision: Number, *, values: Numbers | None = None
) -> Transformer:
    """Linear, one head, and a choice of columns: X of shape (d, n) to the softmax of R y_i(x_j), shape (N, n).

        Linear(X) = [X 0; I_n 0; 0 I_{N-n}]            (d + N, N)
        W_K = R [0 a_1 ... a_N; 0 b_1 ... b_N]         W_K Linear(X) = R [a_1 ... a_N; b_1 ... b_N]
        W_Q = [I_d 0 0; 0 1_{1 x n} 0]                 W_Q Linear(X) = [X 0; 1_{1 x n} 0]
        W_V = [0 I_N]                                  W_O = [I_n; 0] on tokens

    Off the borders of cells this is the indicator, up to (N - 1) e^{-R margin}. With `values` V of shape (k, N) it is
    W_V = [0 V], and the output, of shape (k, n), nearly the value of each token's cell: off by at most max |V_i - V_j|
    times as much.

    Parameters
    ----------
    max_affine : N components, at least n
    n : how many tokens
    precision : R > 0; see `precision`

    Raises
    ------
    ValueError
        Fewer components than tokens, as the layer needs a column for each; R not above 0; values of another shape.
    ConstructionTooLarge
        Naming layers, parameters and bytes.

    Source: liu2025, Propositions 3.2 and 3.3. There W_Q and Linear have shapes that fit for N = n and d = 1 alone.
    """
    d, N = instance("max_affine", max_affine, MaxAffine).A.shape
    n, R = whole("n", n, 1), positive("precision", precision)
    if n > N:
        raise refused("n", f"at most {N}, the number of components", n, "add components that are never the largest")
    V = None if values is None else rationals("values", values)
    if V is not None and (V.ndim != 2 or V.shape[1] != N or len(V) == 0):
        raise refused("values", f"shape (k, {N}), a column for each component", V.shape)
    k, width = N if V is None else len(V), d + N
    size = (2 * (d + 1) + k) * width + k * k + width * (d + N) + 2 * n * N
    require_size(f"indicator_attention(N={N}, n={n})", layers=3, arrays_per_layer=6, parameters=size, hint=HINT)
    embed = LinearSum([(_ones(width, d), _ones(n, N))], r=_ones(width, N, -d))
    w_k = np.zeros((d + 1, width), dtype=object)
    w_k[:d, d:], w_k[d, d:] = R * max_affine.A, R * max_affine.b
    w_q = _ones(d + 1, width)
    w_q[d, d : d + n] = 1
    w_v = np.hstack([np.zeros((k, d), dtype=int), _ones(N, N) if V is None else V])
    head = Head(w_q=w_q, w_k=w_k, w_v=w_v, w_o=_ones(k, k))
    return Transformer([embed, Attention([head], skip=False), LinearSum([(None, _ones(N, n))])], n=n)


def _ones(rows: int, columns: int, k: int = 0) -> np.ndarray:
    """Ones on the k-th diagonal."""
    return np.eye(rows, columns, k, dtype=int)
