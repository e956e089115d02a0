"""Theorem 4.2: a sum of linear maps for each of two sequences, and one head of cross-attention, with explicit weights.

Source: liu2025, section B.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arithmetic.border import shown
from ..layers import Attention, Head, LinearSum
from ..model import Transformer
from ..sizes import require_size
from ._self_attention import HINT, first_row, parse_values


def cross_attention(values: Any, centers: Any, n: int, d: int, precision: Any, sup: Any) -> Transformer:
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
    G, half = len(v), d * len(v) ** 2
    columns, m = 2 * half, G + n
    require_cross(G, n, d)
    ahead = np.zeros((columns + 1, columns))
    ahead[:columns] = np.eye(columns)
    dots = np.tile(np.repeat(v.reshape(G, n, d), d * G, axis=0), (2, 1, 1))  # (2dG^2, n, d), the key's centre
    keys = LinearSum([(first_row(columns + 1, r, d, columns), dots[:, :, r].T) for r in range(d)], r=ahead)
    spread = [np.outer(np.arange(n) == k, np.ones(n)) for k in range(n)]
    stacked = np.vstack([v, np.zeros((n, d * n))])
    below = np.vstack([np.zeros((G, n)), np.eye(n)])
    queries = LinearSum([(stacked[:, k * d : (k + 1) * d], spread[k]) for k in range(n)], r=below)
    squares = (v**2).sum(axis=1)
    which = np.tile(np.repeat(np.arange(G), d), 2 * G)  # the query's centre of each column
    w_k = np.zeros((m + 2, columns + 1))
    w_k[0, columns] = 1
    w_k[1, :columns] = -(np.tile(np.repeat(squares, d * G), 2) + squares[which]) / 2
    w_k[2 + which, np.arange(columns)] = R
    w_k[2 + G :, :columns] = np.concatenate([np.log1p(V / B), np.log1p(-V / B)]).reshape(columns, n).T
    w_q = np.zeros((m + 2, m))
    w_q[:2, G:], w_q[2:] = R, np.eye(m)
    eyes = np.tile(np.eye(d), G * G)
    head = Head(w_q=w_q, w_k=w_k, w_v=np.hstack([eyes, -eyes, np.zeros((d, 1))]), w_o=np.eye(d))
    out = LinearSum([(None, d * B * np.eye(n))])
    return Transformer([queries, Attention([head], skip=False, cross=True), out], n=n, encoder=[keys])


def cross_weights(G: int, n: int, d: int) -> int:
    """How many weights both linear sums, the head and W_O have: of order G^4, since Linear_K holds I_{2dG^2}."""
    columns, m = 2 * d * G * G, G + n
    keys = d * ((columns + 1) * d + n * columns) + (columns + 1) * columns
    queries = n * (m * d + n * n) + m * n
    return keys + queries + (m + 2) * m + (m + 2 + d) * (columns + 1) + d * d + n * n


def require_cross(G: int, n: int, d: int) -> None:
    """ConstructionTooLarge if G centres take too many weights."""
    what, size = f"cross_attention(G={shown(G)}, n={n}, d={d})", cross_weights(G, n, d)
    require_size(what, layers=4, arrays_per_layer=2 * max(d, n) + 4, parameters=size, hint=HINT)
