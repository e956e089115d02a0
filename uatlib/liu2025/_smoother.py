"""What the attention of Theorems 4.1, 4.2 and 5.1 computes, in bulk: a smoother of values at centres.

Source: liu2025, (B.15), which is softmax_j(-R/2 |Z - v_j|^2): the factor exp(R |Z|^2/2) cancels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from ..arithmetic.border import numbers, shown
from ..checks import finite, positive, refused, sequences, whole
from ..progress import progress
from ..sizes import ConstructionTooLarge

BLOCK = 2**24
"""Weights that are held at once: 128 MiB in float64."""


def grid_centers(cells: int, half_width: Any, m: int) -> np.ndarray:
    """The centres of P^m equal cubes in [-D, D]^m, shape (P^m, m), the first coordinate running fastest; float64.

        v_k = D (2 k + 1)/P - D,  k in {0, ..., P - 1}^m

    Raises
    ------
    ValueError
        cells or m are no ints >= 1, half_width is not above 0.
    ConstructionTooLarge
        More than 2^27 numbers.

    Source: liu2025, Definition B.1, with the corners that it names moved by D/P to the centres.
    """
    P, m = whole("cells", cells, 1), whole("m", m, 1)
    D = finite("half_width", positive("half_width", half_width))
    if m * math.log2(P) + math.log2(m) > 27:
        raise ConstructionTooLarge(f"grid_centers: {shown(P)}^{shown(m)} centres; take fewer cells or a smaller m.")
    axis = D * (2 * np.arange(P) + 1 - P) / P
    grid = np.meshgrid(*[axis] * m, indexing="ij")
    return np.stack([part.ravel() for part in reversed(grid)], axis=1)


def smoother(Z: Any, centers: Any, values: Any, precision: Any) -> Any:
    """sum_j w_j(Z) V_j with w(Z) = softmax_j(-R/2 |Z - v_j|^2), the tokens of Z stacked; in blocks of 2^24 weights.

    Parameters
    ----------
    Z : (..., d, n), floats or a tensor on any device; in float32 if it is a tensor of float32, else in float64
    centers : (G, dn), the v_j, tokens stacked
    values : (G, d', n'), the V_j
    precision : R > 0

    Returns
    -------
    Shape (..., d', n'): a tensor for a tensor, NumPy's otherwise.

    Raises
    ------
    ValueError
        Shapes that do not go together, or numbers that are not finite.

    Source: liu2025, (B.15).
    """
    array = sequences("Z", Z)
    d, n = array.shape[-2:]
    v, V = numbers(centers, "centers"), numbers(values, "values")
    if v.ndim != 2 or v.shape[1] != d * n or len(v) == 0:
        raise refused("centers", f"shape (G, {d * n}), tokens stacked", v.shape)
    if V.ndim != 3 or len(V) != len(v) or 0 in V.shape:
        raise refused("values", f"shape ({len(v)}, d, n), a value for each centre", V.shape)
    R = finite("precision", positive("precision", precision))
    like = Z if isinstance(Z, torch.Tensor) and Z.is_floating_point() else torch.empty(0, dtype=torch.float64)
    if like.dtype not in (torch.float32, torch.float64):
        like = like.double()
    kind: Any = {"dtype": like.dtype, "device": like.device}
    points = torch.as_tensor(array.astype(float), **kind).transpose(-1, -2).reshape(-1, d * n)
    result = _smooth(points, torch.as_tensor(v.astype(float), **kind), torch.as_tensor(V.astype(float), **kind), R)
    result = result.reshape(*array.shape[:-2], *V.shape[1:])
    return result if isinstance(Z, torch.Tensor) else result.numpy(force=True)


def _smooth(points: torch.Tensor, v: torch.Tensor, V: torch.Tensor, R: float) -> torch.Tensor:
    """Shape (count, m) to (count, d', n')."""
    flat = V.reshape(len(V), -1)
    step = max(1, BLOCK // len(v))
    # In float64 the rounding of R (v . z - |v|^2/2) is far below 1, and torch's fused attention may be used; in
    # float32 it is not, and distances are computed as such.
    act = _by_attention if v.dtype == torch.float64 else _by_distances
    parts = [act(points[k : k + step], v, flat, R) for k in progress(range(0, len(points), step), "smoother")]
    return torch.cat(parts).reshape(-1, *V.shape[1:])


def _by_attention(z: torch.Tensor, v: torch.Tensor, flat: torch.Tensor, R: float) -> torch.Tensor:
    keys = torch.cat([v, -(v**2).sum(dim=1, keepdim=True) / 2], dim=1)
    queries = R * torch.cat([z, torch.ones_like(z[:, :1])], dim=1)
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(queries[None], keys[None], flat[None], scale=1.0)[0]


def _by_distances(z: torch.Tensor, v: torch.Tensor, flat: torch.Tensor, R: float) -> torch.Tensor:
    squares = torch.zeros(len(z), len(v), dtype=z.dtype, device=z.device)
    for i in range(z.shape[1]):
        squares += (z[:, i, None] - v[None, :, i]) ** 2
    return torch.softmax(-R / 2 * squares, dim=1) @ flat
