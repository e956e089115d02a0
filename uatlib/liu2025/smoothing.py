"""What the attention of Theorems 4.1, 4.2 and 5.1 computes, in bulk: a smoother of values at centres.

Source: liu2025, (B.15), which is softmax_j(-R/2 |Z - v_j|^2): the factor exp(R |Z|^2/2) cancels.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import torch
from torch.nn.functional import pad, scaled_dot_product_attention

from ..arithmetic.numbers import Number, doubles, numbers
from ..arithmetic.shown import shown
from ..checks import finite, positive, refused, sequences, whole
from ..internal.progress import progress
from ..internal.shapes import Numbers
from ..sizes import ConstructionTooLarge

BLOCK, BLOCK_ELSEWHERE = 2**22, 2**26
"""Weights that are held at once, in memory and on another device: 32 and 512 MiB in float64, two or three times."""
FUSED = 2**29
"""Weights that fused attention, which holds none, makes in a call: a few seconds."""
ROUNDING = 1e-9
"""Of scores: where R |v|^2 rounds to less, torch's attention takes R (v . z - |v|^2/2); else distances are taken."""


def grid_centers(cells: int, half_width: Number, m: int) -> np.ndarray:
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
    P, m = whole("cells", cells, 1), whole("m", m, 1, 4096)
    D = finite("half_width", positive("half_width", half_width))
    if m * math.log2(P) + math.log2(m) > 27:
        raise ConstructionTooLarge(f"grid_centers: {shown(P)}^{shown(m)} centres; take fewer cells or a smaller m.")
    axis = D * (2 * np.arange(P) + 1 - P) / P
    return np.stack([np.tile(np.repeat(axis, P**i), P ** (m - 1 - i)) for i in range(m)], axis=1)


def smoother(Z: Numbers, centers: Numbers, values: Numbers, precision: Number) -> Any:
    """sum_j w_j(Z) V_j with w(Z) = softmax_j(-R/2 |Z - v_j|^2), the tokens of Z stacked; in blocks, both ways.

    Parameters
    ----------
    Z : (..., d, n), floats or a tensor on any device
    centers : (G, dn), the v_j, tokens stacked
    values : (G, d', n'), the V_j
    precision : R > 0

    Returns
    -------
    Shape (..., d', n'): a tensor for a tensor, NumPy's otherwise; float32 for a tensor of float32, else float64. In
    between it is float64: scores R v . z of float32 would be off by up to R |v| |z|/2^24, and weights by that share.

    Raises
    ------
    ValueError
        Shapes that do not go together, or numbers that are not finite, or no longer so when R times their squares is
        taken.

    Source: liu2025, (B.15).
    """
    z, shape = _points("Z", Z)
    v, V = numbers(centers, "centers"), numbers(values, "values")
    if v.ndim != 2 or v.shape[1] != z.shape[1] or len(v) == 0:
        raise refused("centers", f"shape (G, {z.shape[1]}), tokens stacked", v.shape)
    if V.ndim != 3 or len(V) != len(v) or 0 in V.shape:
        raise refused("values", f"shape ({len(v)}, d, n), a value for each centre", V.shape)
    R = finite("precision", positive("precision", precision))
    points, flat = _tensor("centers", v, z), _tensor("values", V, z).reshape(len(v), -1)
    reach, wide = _reach(R, z, points), torch.float32 if z.device.type == "mps" else torch.float64  # Apple's has none
    act = _by_attention if torch.finfo(wide).eps * R * reach <= ROUNDING else _by_distances
    found = act(z.to(wide), points.to(wide), flat.to(wide), R).to(z.dtype)
    return _like(Z, found.reshape(*shape, *V.shape[1:]))


def grid_smoother(
    Z: Numbers, cells: int, half_width: float, values: Numbers, precision: float, *, middle: float = 0.0
) -> Any:
    """`smoother` with the centres of a grid: a weight is a product of one for each coordinate, so sums go axis by axis.

    Where `smoother` takes P^m exponentials a point, m = dn, this takes P m, and a product of matrices, half of the axes
    in one, in place of the sum. The box is around `middle`. Values as `grid_centers` counts the cells: (P^m, d', n').
    For pairs put the tokens of Z_Q before those of Z_K, and values[i, j], i the key, in one row.
    """
    z, shape = _points("Z", Z)
    P, m = cells, z.shape[1]
    V = _tensor("values", numbers(values, "values"), z)
    axis = torch.as_tensor(middle + grid_centers(P, half_width, 1).ravel(), dtype=z.dtype, device=z.device)
    _reach(precision, z, axis.expand(m, -1).T)
    ahead = (m + 1) // 2
    flat = V.reshape(P**ahead, -1)
    rows = max(1, BLOCK // max(flat.shape))
    parts = []
    for k in progress(range(0, len(z), rows), "smoother"):
        shares = torch.softmax(-precision / 2 * (z[k : k + rows, :, None] - axis) ** 2, dim=2)  # (rows, m, P)
        slow, fast = _all_products(shares[:, m - ahead :]), _all_products(shares[:, : m - ahead])
        rest = (slow @ flat).reshape(len(slow), fast.shape[1], -1)
        parts.append(torch.bmm(fast[:, None], rest)[:, 0])
    return _like(Z, torch.cat(parts).reshape(*shape, *V.shape[1:]))


def _points(name: str, Z: object) -> tuple[torch.Tensor, tuple[int, ...]]:
    """Tokens stacked, shape (count, dn), as they are computed with, and the shape of the batch."""
    array = sequences(name, Z)
    is_single = isinstance(Z, torch.Tensor) and Z.dtype == torch.float32
    like = torch.empty(
        0,
        dtype=torch.float32 if is_single else torch.float64,
        device=Z.device if isinstance(Z, torch.Tensor) else None,
    )
    return _tensor(name, array.swapaxes(-1, -2).reshape(-1, array.shape[-2] * array.shape[-1]), like), array.shape[:-2]


def _reach(R: float, *points: torch.Tensor) -> float:
    """The largest square of the norm of a point; ValueError where floats do not hold R times distances squared."""
    reach = max(float((part**2).sum(dim=1).max()) for part in points)
    if not max(1.0, R) * 8 * reach <= torch.finfo(points[0].dtype).max:
        raise refused("precision", f"a number whose product with |Z|^2 and |v|^2 {points[0].dtype} holds", R)
    return reach


def _tensor(name: str, array: np.ndarray, like: torch.Tensor) -> torch.Tensor:
    tensor = torch.as_tensor(doubles(name, array), dtype=like.dtype, device=like.device)
    if not bool(torch.isfinite(tensor).all()):
        raise refused(name, f"numbers that {like.dtype} holds", array)
    return tensor


def _like(Z: object, result: torch.Tensor) -> Any:
    return result if isinstance(Z, torch.Tensor) else result.numpy(force=True)


def _by_attention(z: torch.Tensor, v: torch.Tensor, flat: torch.Tensor, R: float) -> torch.Tensor:
    """With scores R (v . z - |v|^2/2), by torch's attention; where it is fused no block of weights is held at all."""
    keys = torch.cat([v, -(v**2).sum(dim=1, keepdim=True) / 2], dim=1)
    queries = R * torch.cat([z, torch.ones_like(z[:, :1])], dim=1)
    # The fused form on a CPU asks for four axes and for one width of all three.
    width = max(keys.shape[1], flat.shape[1])
    q, k, V = (pad(part, (0, width - part.shape[1]))[None, None] for part in (queries, keys, flat))
    fused = z.device.type == "cpu"
    rows = max(256, FUSED // len(v)) if fused else max(1, BLOCK_ELSEWHERE // len(v))
    parts = [
        scaled_dot_product_attention(q[:, :, i : i + rows], k, V, scale=1.0)[0, 0]
        for i in progress(range(0, len(z), rows), "smoother")
    ]
    return torch.cat(parts)[:, : flat.shape[1]]


def _by_distances(z: torch.Tensor, v: torch.Tensor, flat: torch.Tensor, R: float) -> torch.Tensor:
    """With scores -R/2 |z - v|^2; sums over blocks of centres are kept as multiples of exp of the largest so far."""
    rows = max(min(64, len(z)), BLOCK // len(v))
    columns = BLOCK // rows
    sums: list[torch.Tensor] = []
    for i, j in progress(list(product(range(0, len(z), rows), range(0, len(v), columns))), "smoother"):
        scores = _scores(z[i : i + rows], v[j : j + columns], R)
        top = scores.amax(dim=1, keepdim=True)
        if j == 0:
            highest, total = top, torch.zeros_like(top)
            sums.append(torch.zeros(len(top), flat.shape[1], dtype=z.dtype, device=z.device))
        new = torch.maximum(highest, top)
        kept, weights = torch.exp(highest - new), scores.sub_(new).exp_()
        total = total * kept + weights.sum(dim=1, keepdim=True)
        sums[-1] = sums[-1] * kept + weights @ flat[j : j + columns]
        highest = new
        if j + columns >= len(v):
            sums[-1] /= total
    return torch.cat(sums)


def _all_products(shares: torch.Tensor) -> torch.Tensor:
    """(count, axes, P) to (count, P^axes): a weight of each axis, that of the first axis running fastest."""
    found = shares.new_ones(len(shares), 1)
    for i in range(shares.shape[1]):
        found = (shares[:, i, :, None] * found[:, None]).flatten(1)
    return found


def _scores(z: torch.Tensor, v: torch.Tensor, R: float) -> torch.Tensor:
    """-R/2 |z - v|^2, by differences, shape (points, centres)."""
    scores = torch.zeros(len(z), len(v), dtype=z.dtype, device=z.device)
    for i in range(z.shape[1]):
        gaps = z[:, i, None] - v[None, :, i]
        scores.addcmul_(gaps, gaps, value=-R / 2)
    return scores
