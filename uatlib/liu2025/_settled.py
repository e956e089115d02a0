"""That the layers are the smoother, for all inputs: what enters the softmax are polynomials, which few points settle.

Scores are of degree 2 in X, what is averaged is of degree 1, and all after it is linear. So where they agree with
R (v_j . X - |v_j|^2/2) (+ ln T_j or ln E_j) and with the values at 0, +-e_i and e_i + e_j, they agree everywhere. Ours.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arithmetic import FLOAT64
from ..layers import Attention, LinearSum
from ..model import Transformer
from .compact import block, first, stacked


def nodes(m: int) -> np.ndarray:
    """Points of [-1, 1]^m, (k, m), at which polynomials of degree 2 that agree are the same."""
    unit = np.eye(m)
    pairs = [unit[i] + unit[j] for i, j in itertools.combinations(range(m), 2)]
    return np.concatenate([np.zeros((1, m)), unit, -unit, np.array(pairs).reshape(-1, m)])


def off_from_smoother(
    model: Transformer,
    X: np.ndarray,
    source: np.ndarray | None,
    flat: np.ndarray,
    centers: np.ndarray,
    values: np.ndarray,
    notes: Mapping[str, Any],
) -> float:
    """The largest difference of scores (up to what all of a column share), averaged values and the matrices after it.

    Parameters
    ----------
    X, source, flat : the nodes as sequences, and as points (k, m)
    centers, values : of the smoother, (G, m) and (G, d, n)
    """
    (G, _), (_, d, n), R = centers.shape, values.shape, notes["R"]
    front, attention, out = model.layers
    if not isinstance(attention, Attention) or not isinstance(out, LinearSum) or len(attention.heads) != 1:
        return math.inf
    head = attention.heads[0]
    H = Transformer([front])(X, FLOAT64)
    S = H if source is None else Transformer(model.encoder)(source, FLOAT64)
    w_q, w_k, w_v = (FLOAT64.array(w.astype(float)) for w in (head.w_q, head.w_k, head.w_o @ head.w_v))
    asked = H[..., : n if notes["form"] == "literal" else 1]  # the columns that are read after the head
    scores = attention.kernel.scores(w_k @ S, w_q @ asked, FLOAT64).numpy()
    averaged = (w_v @ S).numpy()
    wanted = R * (flat @ centers.T - (centers**2).sum(axis=1) / 2)[:, :, None]
    if notes["form"] == "literal":
        shares = values / notes["sup"]
        logs = np.concatenate([np.log1p(shares), np.log1p(-shares)]).reshape(-1, n)
        wanted = np.tile(np.repeat(wanted, d, axis=1), (1, 2, 1)) + logs
        told = np.hstack([np.tile(np.eye(d), G), -np.tile(np.eye(d), G)])
        after: list[tuple[Any, Any]] = [(None, d * notes["sup"] * np.eye(H.shape[-1], n))]
    else:
        heard = 0 if model.cross else 1  # the first column is the query
        if not model.cross and not np.array_equal(attention.mask.mask()[:, 0], np.arange(G + 1) > 0):
            return math.inf
        scores, averaged, told = scores[:, heard:], averaged[:, :, heard:], stacked(values).T
        columns = H.shape[-1]
        after = [(block(d * n, d, k).T, first(n, columns, k).T) for k in range(n)]
    if scores.shape != (len(X), *wanted.shape[1:-1], scores.shape[2]) or averaged.shape[1:] != told.shape:
        return math.inf
    gap = scores - wanted
    gap -= gap[:, :1]
    pairs = list(zip(out.terms, after, strict=False)) if len(out.terms) == len(after) and out.r is None else []
    matrices = [_apart(a, b) for term, right in pairs for a, b in zip(term, right, strict=True)] or [math.inf]
    return float(max(np.abs(gap).max(), np.abs(averaged - told).max(), *matrices))


def _apart(a: Any, b: Any) -> float:
    """The largest difference of two matrices, None for the identity."""
    if a is None or b is None:
        return 0.0 if a is b else math.inf
    return float(np.abs(a.astype(float) - b).max()) if a.shape == b.shape else math.inf
