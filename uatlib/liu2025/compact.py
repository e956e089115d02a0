"""The smoother as a network of few weights: one head with the kernel exp(-R/2 |x - y|^2), its keys the centres.

It is the map of Theorems 4.1, 4.2 and 5.1 with O(dn G) weights in place of O((dG)^2). Ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kernels import RBF
from ..layers import Attention, Head, LinearSum
from ..model import Transformer
from ..patterns import Pattern

Shape = tuple[int, int]


def compact_self(values: np.ndarray, centers: np.ndarray, precision: float, c: float) -> Transformer:
    """Z to sum_j softmax_j(-R/2 |Z - v_j|^2) V_j: the first column holds Z, stacked, and hears all others.

    Linear(Z) = [Z - c, v_1 - c ... v_G - c; 0 V_1 ... V_G],  W_Q = W_K = [I 0],  W_V = [0 I], c the middle of the box
    """
    G, d, n = values.shape
    m = d * n
    r = np.zeros((2 * m, G + 1))
    r[:m, 0], r[:m, 1:], r[m:, 1:] = -c, centers.T - c, stacked(values).T
    embed = LinearSum([(block(2 * m, d, k), first(n, G + 1, k)) for k in range(n)], r=r)
    hears = Pattern([range(1, G + 1), *([k] for k in range(1, G + 1))])
    attention = Attention([_head(m)], mask=hears, kernel=RBF(precision / 2), skip=False)
    out = LinearSum([(block(m, d, k).T, first(n, G + 1, k).T) for k in range(n)])
    return Transformer([embed, attention, out], n=n)


def compact_cross(values: np.ndarray, centers: np.ndarray, precision: float, c: float) -> Transformer:
    """The same for pairs: a query [0; Z_Q - c] and for each pair the key [Z_K - v_i; v_j - c] with the value V_ij."""
    G, _, d, n = values.shape
    m = d * n
    r = np.zeros((3 * m, G * G))
    r[:m], r[m : 2 * m] = -np.repeat(centers, G, axis=0).T, np.tile(centers - c, (G, 1)).T
    r[2 * m :] = stacked(values.reshape(-1, d, n)).T
    everywhere = np.ones((1, G * G))
    keys = LinearSum([(block(3 * m, d, k), first(n, 1, k) @ everywhere) for k in range(n)], r=r)
    asked = [(np.vstack([np.zeros((m, d)), block(m, d, k)]), first(n, 1, k)) for k in range(n)]
    queries = LinearSum(asked, r=np.repeat([[0.0], [-c]], m, axis=0))
    attention = Attention([_head(m, pairs=True)], kernel=RBF(precision / 2), skip=False, cross=True)
    out = LinearSum([(block(m, d, k).T, first(n, 1, k).T) for k in range(n)])
    return Transformer([queries, attention, out], n=n, encoder=[keys])


def compact_weights(G: int, n: int, d: int, pairs: bool) -> int:
    """How many weights they have."""
    m = d * n
    if pairs:
        linear = n * (3 * m * d + n * G * G) + 3 * m * G * G + n * (2 * m * d + n) + 2 * m
        return linear + (2 * m) * (2 * m) + 2 * m * 3 * m + m * 3 * m + m * m + n * (d * m + n)
    return n * (2 * m * d + n * (G + 1)) + 2 * m * (G + 1) + 3 * m * 2 * m + m * m + n * (d * m + (G + 1) * n)


def stacked(Z: np.ndarray) -> np.ndarray:
    """Tokens one below the other, shape (..., d, n) to (..., dn)."""
    return np.swapaxes(Z, -1, -2).reshape(*Z.shape[:-2], -1)


def block(rows: int, d: int, k: int) -> np.ndarray:
    """The identity of d rows at the place of token k, shape (rows, d)."""
    return np.eye(rows, d, -k * d)


def first(n: int, columns: int, k: int) -> np.ndarray:
    """Token k to the first column, shape (n, columns)."""
    matrix = np.zeros((n, columns))
    matrix[k, 0] = 1
    return matrix


def _head(m: int, pairs: bool = False) -> Head:
    parts: Sequence[np.ndarray] = [np.eye(m), np.zeros((m, m))]
    if not pairs:
        return Head(w_q=np.hstack(parts), w_k=np.hstack(parts), w_v=np.hstack(parts[::-1]), w_o=np.eye(m))
    both = np.hstack([np.eye(2 * m), np.zeros((2 * m, m))])
    value = np.hstack([np.zeros((m, 2 * m)), np.eye(m)])
    return Head(w_q=np.eye(2 * m), w_k=both, w_v=value, w_o=np.eye(m))
