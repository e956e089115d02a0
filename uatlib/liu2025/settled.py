"""That the layers are the smoother, for all inputs: what enters the softmax are polynomials, which few points settle.

Scores are of degree 2 in X, what is averaged is of degree 1, and all after it is linear. So where they agree with
R (v_j . X - |v_j|^2/2) (+ ln T_j or ln E_j, or M) and with the values at 0, +-e_i and e_i + e_j, they agree everywhere.
Ours.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arithmetic import FLOAT64
from ..layers import Attention, LinearSum
from ..model import Transformer
from ..patterns import Pattern
from ..sizes import in_chunks
from .compact import block, first, stacked
from .self_attention_layers import MORE

if TYPE_CHECKING:
    from .evaluation import Form, Smoothed


def nodes(m: int) -> np.ndarray:
    """Points of [-1, 1]^m, (k, m), at which polynomials of degree 2 that agree are the same."""
    unit = np.eye(m)
    pairs = [unit[i] + unit[j] for i, j in itertools.combinations(range(m), 2)]
    return np.concatenate([np.zeros((1, m)), unit, -unit, np.array(pairs).reshape(-1, m)])


def lebesgue(m: int) -> int:
    """A polynomial of degree 2 that is at most 1 at `nodes` is at most 1 + 2 m^2 in [-1, 1]^m. Ours.

    Lagrange's polynomials are z_i z_j at e_i + e_j, z_i (z_i + 1)/2 - sum_{j != i} z_i z_j at e_i, z_i (z_i - 1)/2 at
    -e_i and 1 - sum z_i^2 + sum_{i < j} z_i z_j at 0. There are m (m - 1)/2, m, m and 1 of them, at most 1, m, 1 and
    1 + m (m - 1)/2 in size.
    """
    return 1 + 2 * m * m


def off_from_smoother(
    model: Transformer,
    X: np.ndarray,
    source: np.ndarray | None,
    flat: np.ndarray,
    bulk: Smoothed,
    form: Form,
    sup: float,
    moved: float,
    numbers: int,
) -> float:
    """How far the layers are from the smoother at most, anywhere in the box of the nodes X; infinite in another form.

    Where scores are off by t and the averaged values by s, the network is by (e^{2t} - 1) `moved` + s |W_O|, and by
    what W_O is off, times the largest value.

    Parameters
    ----------
    X, source, flat : the nodes as sequences, and as points (k, m)
    form, sup : those of the network
    moved : how far a value is from the mean of all
    numbers : how many the head hears of a node; few nodes are held at once
    """
    v, values, R = bulk.centers - bulk.middle, bulk.values, bulk.precision
    G, m = v.shape
    front, attention, out = model.layers
    if not isinstance(attention, Attention) or not isinstance(out, LinearSum) or len(attention.heads) != 1:
        return math.inf
    head, columns = attention.heads[0], front.n_out
    if columns is None:
        return math.inf
    if form == "smoother" and not model.cross:
        keys = attention.mask.neighbours[0] if isinstance(attention.mask, Pattern) else []
        if not np.array_equal(np.sort(keys), np.arange(1, G + 1)):
            return math.inf
    wanted = _head(form, values, sup, columns, model.cross)
    system = FLOAT64.on("cpu")
    w_q, w_k, w_v = (system.array(w.astype(float)) for w in (head.w_q, head.w_k, head.w_o @ head.w_v))
    ahead, encoder = Transformer([front]), None if source is None else Transformer(model.encoder)
    gaps, away = [0.0], [0.0]
    for part in in_chunks(len(X), numbers):
        H = ahead(X[part], system)
        S = H if encoder is None or source is None else encoder(source[part], system)
        if (H.shape[-2], S.shape[-2]) != (w_q.shape[1], w_k.shape[1]):
            return math.inf
        scores = attention.kernel.scores(w_k @ S, w_q @ H[..., : wanted.queries], system).numpy()[:, wanted.skipped :]
        averaged = (w_v @ S).numpy()[:, :, wanted.skipped :]
        by_cell = R * ((flat[part] - bulk.middle) @ v.T - (v**2).sum(axis=1) / 2)
        score = by_cell[:, wanted.cells, None] + wanted.added
        if scores.shape[:2] != score.shape[:2] or averaged.shape[1:] != wanted.averages.shape:
            return math.inf
        gap = scores - score
        gap -= gap[:, :1]
        gaps.append(np.abs(gap).max())
        away.append(np.abs(averaged - wanted.averages).max())
    after = wanted.after
    pairs = list(zip(out.terms, after, strict=False)) if len(out.terms) == len(after) and out.r is None else []
    matrices = [_apart(a, b) for term, right in pairs for a, b in zip(term, right, strict=True)] or [math.inf]
    largest = max(np.abs(b).sum(axis=0).max() for _, b in after)
    off = lebesgue(m) * np.max(away) * largest + np.abs(wanted.averages).max() * sum(matrices)
    return float(moved * math.expm1(min(700.0, 2 * lebesgue(m) * np.max(gaps))) + off)


class _Head(NamedTuple):
    """What a form has in its head and behind it.

    skipped, queries : keys before those of cells, and columns that are read after the head
    cells, added, averages : of each key the cell, what its score has beside that of the cell, and what is averaged
    after : the matrices of the last layer, None for the identity
    """

    skipped: int
    queries: int
    cells: np.ndarray
    added: np.ndarray | float
    averages: np.ndarray
    after: list[tuple[np.ndarray | None, np.ndarray]]


def _head(form: Form, values: np.ndarray, sup: float, columns: int, cross: bool) -> _Head:
    G, d, n = values.shape
    if form == "smoother":
        after = [(block(d * n, d, k).T, first(n, columns, k).T) for k in range(n)]
        # Without a source the first column is the query.
        return _Head(0 if cross else 1, 1, np.arange(G), 0.0, stacked(values).T, [*after])
    if form == "literal":
        shares = values / sup
        added = np.concatenate([np.log1p(shares), np.log1p(-shares)]).reshape(-1, n)
        averages = np.hstack([np.tile(np.eye(d), G), -np.tile(np.eye(d), G)])
        w_o, cells = d * sup * np.eye(n), np.tile(np.repeat(np.arange(G), d), 2)
    else:
        added, averages = MORE * np.tile(np.eye(n), (G, 1)), np.concatenate(list(values), axis=1)
        louder = np.exp(MORE * np.eye(n))
        w_o, cells = np.linalg.inv(louder / louder.sum(axis=0)), np.repeat(np.arange(G), n)
    return _Head(0, n, cells, added, averages, [(None, np.vstack([w_o, np.zeros((columns - n, n))]))])


def _apart(a: np.ndarray | None, b: np.ndarray | None) -> float:
    """The sum of the differences of two matrices, None for the identity."""
    if a is None or b is None:
        return 0.0 if a is b else math.inf
    return float(np.abs(a.astype(float) - b).sum()) if a.shape == b.shape else math.inf


def gamma(count: float, unit: float) -> float:
    """k u/(1 - k u): how far k roundings can take a number, as a share of it; infinite where k u >= 1."""
    return count * unit / (1 - count * unit) if count * unit < 1 else math.inf
