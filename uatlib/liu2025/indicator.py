"""Attention whose scores are a max-affine function: the indicator of its partition, and values put on its cells.

Source: liu2025, Propositions 3.2 and 3.3, sections A.2 and A.3, with shapes that fit for all n, N and d.
"""

from __future__ import annotations

import numpy as np

from ..arithmetic.numbers import Number
from ..checks import instance, positive, rationals, refused, whole
from ..layers import Attention, Head, LinearSum
from ..model import Transformer
from ..shapes import Numbers
from ..sizes import require_size
from .partitions import MaxAffine

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
