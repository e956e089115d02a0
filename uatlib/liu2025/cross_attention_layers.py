"""Theorem 4.2: a sum of linear maps for each of two sequences, and one head of cross-attention, with explicit weights.

Source: liu2025, section B.3.
"""

from __future__ import annotations

import numpy as np

from ..arithmetic.numbers import Number
from ..arithmetic.shown import shown
from ..checks import finite
from ..internal.shapes import Numbers
from ..layers import Attention, Head, LinearSum
from ..model import Transformer
from ..sizes import require_size
from .self_attention_layers import HINT, Columns, first_row, parse_values, riding


def cross_attention(
    values: Numbers, centers: Numbers, n: int, d: int, precision: Number, sup: Number, *, middle: Number = 0.0
) -> Transformer:
    """Z_Q and, as ``source``, Z_K to sum_ij softmax_ij(-R/2 (|Z_K - v_i|^2 + |Z_Q - v_j|^2)) V_ij, by one head.

        Linear_K(Z_K) = [I_{2dG^2}; x x],  column i d G + j d + s of x is v_i . Z_K
        Linear_Q(Z_Q) = [v_j . Z_Q 1_{1 x n}; I_n]
        W_K = [0 0 1; -(|v_i|^2 + |v_j|^2)/2 twice 0; R e_j twice 0; ln T_ij^T ln E_ij^T 0]
        W_Q = [0 R 1_{1 x n}; 0 R 1_{1 x n}; I_G 0; 0 I_n]
        W_V = [I_d ... I_d -I_d ... -I_d 0],  W_O = d B_0 I_n on tokens

    Linear_K(Z_K) has shape (2dG^2 + 1, 2dG^2), Linear_Q(Z_Q) (G + n, n); T = 1 + V/B_0 and E = 1 - V/B_0 as in
    `self_attention`. Call it ``net(Z_Q, system, source=Z_K)``.

    Parameters
    ----------
    values : (G, G, d, n), V_ij at v_i for the key and v_j for the query
    centers : (G, dn), tokens stacked; the same for both
    precision, sup : R > 0, and B_0 above every |V_ij|
    middle : c, the middle of the box, as in `self_attention`

    Raises
    ------
    ValueError
        Shapes that do not go together, B_0 not above the values.
    ConstructionTooLarge
        Naming layers, parameters and bytes.

    Source: liu2025, Theorem 4.2, with all v_i . Z_K in one row; the source's Linear_K has them in G rows, and its W_K
    one column for them.
    """
    v, V, B, R = parse_values(values, centers, n, d, precision, sup, pairs=True)
    d, n = V.shape[2:]  # ints of Python
    require_cross(len(v), n, d, 2 * d * len(v) ** 2)
    return cross_network(v, riding(V.reshape(-1, d, n), B), R, finite("middle", middle))


def cross_network(v: np.ndarray, keys: Columns, R: float, c: float) -> Transformer:
    """The matrices of `cross_attention`, for keys with values that ride or keys with values apart."""
    (d, columns), n, G = keys.told.shape, len(keys.asks), len(v)
    of_key, of_query, m = keys.cells // G, keys.cells % G, G + n
    v = v - c
    ahead = np.zeros((columns + 1, columns))
    ahead[:columns], ahead[columns] = np.eye(columns), -c * v.sum(axis=1)[of_key]
    x = v.reshape(G, n, d)[of_key]  # (columns, n, d)
    sources = LinearSum([(first_row(columns + 1, r, d, columns), x[:, :, r].T) for r in range(d)], r=ahead)
    spread = [np.outer(np.arange(n) == k, np.ones(n)) for k in range(n)]
    stacked = np.vstack([v, np.zeros((n, d * n))])
    below = np.vstack([np.repeat(-c * v.sum(axis=1)[:, None], n, axis=1), np.eye(n)])
    queries = LinearSum([(stacked[:, k * d : (k + 1) * d], spread[k]) for k in range(n)], r=below)
    squares = (v**2).sum(axis=1)
    w_k = np.zeros((m + 2, columns + 1))
    w_k[0, columns] = 1
    w_k[1, :columns] = -(squares[of_key] + squares[of_query]) / 2
    w_k[2 + of_query, np.arange(columns)] = R
    w_k[2 + G :, :columns] = keys.added
    w_q = np.zeros((m + 2, m))
    w_q[:2, G:], w_q[2 : 2 + G, :G], w_q[2 + G :, G:] = R, np.eye(G), keys.asks
    head = Head(w_q=w_q, w_k=w_k, w_v=np.hstack([keys.told, np.zeros((d, 1))]), w_o=np.eye(d))
    out = LinearSum([(None, keys.out)])
    return Transformer([queries, Attention([head], skip=False, cross=True), out], n=n, encoder=[sources])


def cross_weights(G: int, n: int, d: int, columns: int | None = None) -> int:
    """How many weights both linear sums, the head and W_O have, 2dG^2 columns unless told; Linear_K holds I."""
    columns, m = 2 * d * G * G if columns is None else columns, G + n
    keys = d * ((columns + 1) * d + n * columns) + (columns + 1) * columns
    queries = n * (m * d + n * n) + m * n
    return keys + queries + (m + 2) * m + (m + 2 + d) * (columns + 1) + d * d + n * n


def require_cross(G: int, n: int, d: int, columns: int) -> None:
    """ConstructionTooLarge if G centres take too many weights."""
    what, size = f"cross_attention(G={shown(G)}, n={n}, d={d})", cross_weights(G, n, d, columns)
    require_size(what, layers=4, arrays_per_layer=2 * max(d, n) + 4, parameters=size, hint=HINT)
