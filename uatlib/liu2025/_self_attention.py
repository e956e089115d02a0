"""Theorem 4.1: a sum of linear maps and one head of self-attention, with explicit weights.

Source: liu2025, section B.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arithmetic.border import doubles, numbers, shown
from ..checks import finite, positive, refused, whole
from ..layers import Attention, Head, LinearSum
from ..model import Transformer
from ..sizes import require_size


def self_attention(values: Any, centers: Any, n: int, d: int, precision: Any, sup: Any) -> Transformer:
    """Z of shape (d, n) to sum_j softmax_j(-R/2 |Z - v_j|^2) V_j, by one head, weights in float64.

        Linear(Z) = [x x; I_{2dG}],  x = [v_0 . Z 1_{1 x d}, ..., v_{G-1} . Z 1_{1 x d}]
        W_K = [1 0 0; 0 -|v_j|^2/2 -|v_j|^2/2; 0 ln T_j^T ln E_j^T]
        W_Q = [0 R 1_{1 x n} 0; 0 R 1_{1 x n} 0; 0 I_n 0]
        W_V = [0 I_d ... I_d -I_d ... -I_d],  W_O = d B_0 [I_n; 0] on tokens

    with Linear(Z) of shape (2dG + 1, 2dG), T_j = 1 + V_j/B_0 and E_j = 1 - V_j/B_0. Values ride on the scores
    as ln T and ln E: T + E = 2 keeps the sum of a column free of them, and T - E = 2 V/B_0.

    Parameters
    ----------
    values : (G, d, n), the V_j
    centers : (G, dn), the v_j, tokens stacked
    precision : R > 0
    sup : B_0, above every |V_j|: at B_0 = |V_j| a logarithm is that of 0

    Raises
    ------
    ValueError
        Shapes that do not go together, B_0 not above the values, fewer than n/(2d) centres.
    ConstructionTooLarge
        Naming layers, parameters and bytes. `smoother` gives the same map in bulk.

    Source: liu2025, Theorem 4.1, with the columns of Linear in the place that (B.5) says, and B_0 > sup |f|.
    """
    v, V, B, R = parse_values(values, centers, n, d, precision, sup)
    d, n = V.shape[1:]  # ints of Python
    G, columns = len(v), 2 * d * len(v)
    if columns < n:
        raise refused("centers", f"at least {-(-n // (2 * d))}, as Linear has 2dG columns and n are needed", G)
    require_self(G, n, d)
    ahead = np.zeros((columns + 1, columns))
    ahead[1:] = np.eye(columns)
    dots = np.tile(np.repeat(v.reshape(G, n, d), d, axis=0), (2, 1, 1))  # (2dG, n, d)
    embed = LinearSum([(first_row(columns + 1, r, d), dots[:, :, r].T) for r in range(d)], r=ahead)
    w_k = np.zeros((n + 2, columns + 1))
    w_k[0, 0] = 1
    w_k[1, 1:] = np.tile(np.repeat(-(v**2).sum(axis=1) / 2, d), 2)
    w_k[2:, 1:] = np.concatenate([np.log1p(V / B), np.log1p(-V / B)]).reshape(columns, n).T
    w_q = np.zeros((n + 2, columns + 1))
    w_q[:2, 1 : n + 1], w_q[2:, 1 : n + 1] = R, np.eye(n)
    w_v = np.hstack([np.zeros((d, 1)), np.tile(np.eye(d), G), -np.tile(np.eye(d), G)])
    head = Head(w_q=w_q, w_k=w_k, w_v=w_v, w_o=np.eye(d))
    return Transformer([embed, Attention([head], skip=False), LinearSum([(None, d * B * np.eye(columns, n))])], n=n)


HINT = 'Choose a larger error or fewer cells, or form="smoother", the same map with few weights.'


def self_weights(G: int, n: int, d: int) -> int:
    """How many weights Linear, the head and W_O have: quadratic in G, since Linear holds I_{2dG}."""
    columns = 2 * d * G
    linear = d * ((columns + 1) * d + n * columns) + (columns + 1) * columns
    return linear + (2 * (n + 2) + d) * (columns + 1) + d * d + n * columns


def require_self(G: int, n: int, d: int) -> None:
    """ConstructionTooLarge if G centres take too many weights."""
    what, size = f"self_attention(G={shown(G)}, n={n}, d={d})", self_weights(G, n, d)
    require_size(what, layers=3, arrays_per_layer=2 * d + 4, parameters=size, hint=HINT)


def first_row(rows: int, column: int, columns: int, row: int = 0) -> np.ndarray:
    """A matrix of zeros with one 1."""
    matrix = np.zeros((rows, columns))
    matrix[row, column] = 1
    return matrix


def parse_values(
    values: Any, centers: Any, n: Any, d: Any, precision: Any, sup: Any, pairs: bool = False
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Centres (G, dn), values (G, d, n), or (G, G, d, n) for pairs, B_0 and R."""
    n, d = whole("n", n, 1), whole("d", d, 1)
    v, V = numbers(centers, "centers"), numbers(values, "values")
    if v.ndim != 2 or v.shape[1] != d * n or len(v) == 0:
        raise refused("centers", f"shape (G, {shown(d * n)}), tokens stacked", v.shape)
    expected = (*(len(v),) * (2 if pairs else 1), d, n)
    if V.shape != expected:
        raise refused("values", f"shape {expected}", V.shape)
    V, v = doubles("values", V), doubles("centers", v)
    R, B = (finite(name, positive(name, value)) for name, value in (("precision", precision), ("sup", sup)))
    if not np.abs(V).max() < B:
        raise refused("sup", f"a number above every |value|, here {np.abs(V).max():g}", sup, "ln(1 - 1) is not finite")
    return v, V, B, R
