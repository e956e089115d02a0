"""Theorem 4.1: a sum of linear maps and one head of self-attention, with explicit weights.

Source: liu2025, section B.1. There values ride on the scores; `apart` keeps them in W_V instead, ours.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arithmetic.numbers import Number, doubles, numbers
from ..arithmetic.shown import shown
from ..checks import finite, positive, refused, whole
from ..internal.shapes import Numbers
from ..layers import Attention, Head, LinearSum
from ..model import Transformer
from ..sizes import require_size


class Columns(NamedTuple):
    """What keys are made of, column by column, and what becomes of them.

    cells : the cell that each belongs to, (columns,)
    added, asks : what is added to its score, rows of W_K, (n, columns), and in column k how listener k weighs these
    told : what it tells, as columns of W_V, (d, columns)
    out : what the n answers are multiplied with, (n, n)
    """

    cells: np.ndarray
    added: np.ndarray
    asks: np.ndarray
    told: np.ndarray
    out: np.ndarray


def riding(V: np.ndarray, B: float) -> Columns:
    """2d columns a cell: ln T and ln E on the scores, T = 1 + V/B_0 and E = 1 - V/B_0, of values (G, d, n).

    T + E = 2 keeps the sum of a column free of values, and T - E = 2 V/B_0.
    """
    G, d, n = V.shape
    logs = np.concatenate([np.log1p(V / B), np.log1p(-V / B)]).reshape(2 * d * G, n).T
    signs = np.hstack([np.tile(np.eye(d), G), -np.tile(np.eye(d), G)])
    return Columns(np.tile(np.repeat(np.arange(G), d), 2), logs, np.eye(n), signs, d * B * np.eye(n))


MORE = 40.0
"""M: e^40 is beyond 2^53, so what a float64 holds is the value of one's own token."""


def apart(V: np.ndarray, M: float = MORE) -> Columns:
    """n columns a cell, of the values V_1, ..., V_n of its tokens: listener k hears the k-th e^M times as loud, M > 0.

    So it hears g(Z) C with C = (1 1^T + a I)/(a + n), a = e^M - 1, and C^-1 = I + (n I - 1 1^T)/a. Ours.
    """
    G, d, n = V.shape
    told = V.transpose(1, 0, 2).reshape(d, n * G)
    out = np.eye(n) + (n * np.eye(n) - 1) / math.expm1(M)
    return Columns(np.repeat(np.arange(G), n), np.tile(np.eye(n), G), M * np.eye(n), told, out)


def self_attention(
    values: Numbers, centers: Numbers, n: int, d: int, precision: Number, sup: Number, *, middle: Number = 0.0
) -> Transformer:
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
    middle : c, the middle of the box where that is not 0: Linear takes Z - c and v_j - c for Z and v_j

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
    if 2 * d * len(v) < n:
        raise refused("centers", f"at least {-(-n // (2 * d))}, as Linear has 2dG columns and n are needed", len(v))
    require_self(len(v), n, d, 2 * d * len(v))
    return self_network(v, riding(V, B), R, finite("middle", middle))


def self_network(v: np.ndarray, keys: Columns, R: float, c: float) -> Transformer:
    """The matrices of `self_attention`, for keys with values that ride or keys with values apart."""
    (d, columns), n = keys.told.shape, len(keys.asks)
    v = v - c
    x = v.reshape(-1, n, d)[keys.cells]  # (columns, n, d)
    ahead = np.zeros((columns + 1, columns))
    ahead[0], ahead[1:] = -c * v.sum(axis=1)[keys.cells], np.eye(columns)
    embed = LinearSum([(first_row(columns + 1, r, d), x[:, :, r].T) for r in range(d)], r=ahead)
    w_k = np.zeros((n + 2, columns + 1))
    w_k[0, 0] = 1
    w_k[1, 1:] = -(v**2).sum(axis=1)[keys.cells] / 2
    w_k[2:, 1:] = keys.added
    w_q = np.zeros((n + 2, columns + 1))
    w_q[:2, 1 : n + 1], w_q[2:, 1 : n + 1] = R, keys.asks
    w_v = np.hstack([np.zeros((d, 1)), keys.told])
    head = Head(w_q=w_q, w_k=w_k, w_v=w_v, w_o=np.eye(d))
    w_o = np.vstack([keys.out, np.zeros((columns - n, n))])
    return Transformer([embed, Attention([head], skip=False), LinearSum([(None, w_o)])], n=n)


HINT = 'Choose a larger error or fewer cells (inverse_delta), or form="smoother", the same map with few weights.'


def self_weights(G: int, n: int, d: int, columns: int | None = None) -> int:
    """How many weights Linear, the head and W_O have, 2dG columns unless told: quadratic, as Linear holds I."""
    G, n, d = whole("G", G, 1), whole("n", n, 1), whole("d", d, 1)
    columns = 2 * d * G if columns is None else whole("columns", columns, 1)
    linear = d * ((columns + 1) * d + n * columns) + (columns + 1) * columns
    return linear + (2 * (n + 2) + d) * (columns + 1) + d * d + n * columns


def require_self(G: int, n: int, d: int, columns: int) -> None:
    """ConstructionTooLarge if G centres take too many weights."""
    what, size = f"self_attention(G={shown(G)}, n={n}, d={d})", self_weights(G, n, d, columns)
    require_size(what, layers=3, arrays_per_layer=2 * d + 4, parameters=size, hint=HINT)


def first_row(rows: int, column: int, columns: int, row: int = 0) -> np.ndarray:
    """A matrix of zeros with one 1."""
    matrix = np.zeros((rows, columns))
    matrix[row, column] = 1
    return matrix


def parse_values(
    values: Numbers, centers: Numbers, n: int, d: int, precision: Number, sup: Number, pairs: bool = False
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
