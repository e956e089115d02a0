"""Liu, Hu, Song, Liu (2025): one head of cross-attention approximates functions of two sequences; Theorem 4.2."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import FLOAT64
from uatlib.certificate import Certificate, Check
from uatlib.checks import whole
from uatlib.layers import Attention, Head, LinearSum
from uatlib.liu2025 import build, cross_attention, grid_centers, smoother
from uatlib.liu2025.certify_network import Network
from uatlib.liu2025.network import rounding
from uatlib.liu2025.self_attention_layers import first_row
from uatlib.model import Transformer
from uatlib.sizes import in_chunks
from uatlib.targets import Target

from ..damages import Damage, replaced
from ..registry import register

CHANGES = ("one row", "column index")
SAMPLES = 40


class Pair(NamedTuple):
    """The network of Theorem 4.2, and Linear_K on its own, whose shape may not fit the head's."""

    built: Network
    keys: LinearSum
    printed: bool = False


def lead(n: int, d: int) -> Target:
    """f(Z_K, Z_Q)_rk = max(0, by how much entry r of query k exceeds that of all keys)/2; on [-1, 1], L = B = 1.

    Keys and queries play different parts in it, and all tokens of the keys matter.
    """
    return Target(_lead, n, d, (-1, 1), lipschitz=1, bound=1, name="lead", n_source=n, d_source=d)


def _lead(*sequences: Any) -> Any:
    queries, keys = sequences
    return np.maximum(0, queries - keys.max(axis=-1, keepdims=True)) / 2


def linear_k(centers: np.ndarray, n: int, d: int, *, one_row: bool = True, column_index: bool = True) -> LinearSum:
    """Linear_K, from its formula: v_j . Z_K into row 2dG^2 + 1, columns jdG + s + 1 and dG^2 more, s < dG, under I.

    As printed it is row 2dG^2 + j + 1, and columns j + s + 1.
    """
    G, half = len(centers), d * len(centers) ** 2
    into = np.zeros((G, 2 * half))
    for j in range(G):
        start = j * d * G if column_index else j
        into[j, start : start + d * G] = into[j, half + start : half + start + d * G] = 1
    tokens = centers.reshape(G, n, d)
    rows = 2 * half + (1 if one_row else G)
    ahead = np.eye(rows, 2 * half)
    if one_row:
        return LinearSum([(first_row(rows, r, d, 2 * half), tokens[:, :, r].T @ into) for r in range(d)], r=ahead)
    places = [(j, r) for j in range(G) for r in range(d)]
    terms = [(first_row(rows, r, d, 2 * half + j), np.outer(tokens[j, :, r], into[j])) for j, r in places]
    return LinearSum(terms, r=ahead)


def _head(pair: Pair) -> Head:
    return pair.built.model.attentions()[0].heads[0]


def _points(pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Sequences of keys and of queries, shape (samples, d, n)."""
    notes = pair.built.parameters
    Z = np.random.default_rng(0).uniform(-1, 1, (2, SAMPLES, notes["d"], notes["n"]))
    return Z[0], Z[1]


def _stacked(Z: np.ndarray) -> np.ndarray:
    return np.swapaxes(Z, -1, -2).reshape(*Z.shape[:-2], -1)


def _certify(pair: Pair) -> Certificate:
    notes = pair.built.parameters
    first = _printed_lines(notes) if pair.printed else []
    rows, columns = int(pair.keys.d_out or 0), _head(pair).w_k.shape[1]
    what = f"G = {notes['G']}: {rows} rows for {columns} columns"
    checks = [Check("rows of Linear_K(Z_K), for the columns of W_K", rows, "==", columns, what), _key_check(pair)]
    if rows == columns:
        model = Transformer(pair.built.model.layers, notes["n"], encoder=[pair.keys])
        checks += [_score_check(pair), _sum_check(pair, model)]
        checks += replaced(pair.built, model=model).certify().checks
    return Certificate([*first, *checks], parameters={name: notes[name] for name in ("eps", "n", "d", "P", "R", "G")})


def _key_check(pair: Pair) -> Check:
    """(B.28): below I, column idG + jd + s of both halves holds v_i . Z_K, and nothing else."""
    notes, (Z_K, _) = pair.built.parameters, _points(pair)
    d, G = notes["d"], notes["G"]
    columns = 2 * d * G * G
    v = grid_centers(notes["P"], 1, notes["n"] * d)
    x = Transformer([pair.keys])(Z_K[:1], FLOAT64).numpy()[0, columns:].sum(axis=0)
    wanted = v[np.arange(columns) % (d * G * G) // (d * G)] @ _stacked(Z_K[0])
    name = "(B.28): columns of Linear_K(Z_K) without v_i . Z_K"
    return Check.none(name, abs(x - wanted) > 2**-40, lambda c: {"column": c, "holds": x[c], "v_i . Z_K": wanted[c]})


def _eta(notes: Any) -> tuple[float, float]:
    """What rounding may change of a score, and of the output."""
    m, R, columns = 2 * notes["n"] * notes["d"], notes["R"], 2 * notes["d"] * notes["G"] ** 2
    return R * (m + 4) * m * 2.0**-50, rounding(R, m, 1, 1, notes["sup"], columns, notes["sup"])


def _score_check(pair: Pair) -> Check:
    """K^T Q is R (Aff_i of the keys + Aff_j of the queries), and ln T or ln E of f(v_i, v_j)."""
    notes, (Z_K, Z_Q) = pair.built.parameters, _points(pair)
    n, d, G, R, B = (notes[name] for name in ("n", "d", "G", "R", "sup"))
    v, head = grid_centers(notes["P"], 1, n * d), _head(pair)
    keys = np.asarray(head.w_k, dtype=float) @ Transformer([pair.keys])(Z_K[:1], FLOAT64).numpy()[0]
    queries = np.asarray(head.w_q, dtype=float) @ Transformer(pair.built.model.layers[:1])(Z_Q[:1], FLOAT64).numpy()[0]
    scores = (keys.T @ queries).reshape(2, G, G, d, n)
    affine = [R * (v @ _stacked(Z[0]) - (v**2).sum(axis=1) / 2) for Z in (Z_K, Z_Q)]
    f = _values(pair.built.target, v, n, d)
    expected = np.log(np.stack([1 + f / B, 1 - f / B])) + (affine[0][:, None] + affine[1])[:, :, None, None]
    name = "(B.38): scores, off from R (Aff_i(Z_K) + Aff_j(Z_Q)) + ln T_ij or ln E_ij by"

    def witness(_: int, i: int, j: int, *entry: int) -> dict[str, object]:
        return {"i": i, "j": j, "entry": entry}

    return Check.worst(name, np.abs(scores - expected), "<=", _eta(notes)[0], witness)


def _values(f: Callable[..., object], v: np.ndarray, n: int, d: int) -> np.ndarray:
    """f(v_i, v_j), the key's centre first, shape (G, G, d, n)."""
    Z = v.reshape(-1, n, d).swapaxes(1, 2)
    return np.array([[f(query, key) for query in Z] for key in Z])


def _sum_check(pair: Pair, model: Transformer) -> Check:
    """The layers beside the sum over (i, j)."""
    notes, (Z_K, Z_Q) = pair.built.parameters, _points(pair)
    n, d, R = notes["n"], notes["d"], notes["R"]
    v = grid_centers(notes["P"], 1, n * d)
    parts = in_chunks(SAMPLES, (2 * d * notes["G"] ** 2) ** 2)
    answers = np.concatenate([model(Z_Q[part], FLOAT64, source=Z_K[part]).numpy() for part in parts])
    near = [np.exp(-R / 2 * ((_stacked(Z)[:, None] - v) ** 2).sum(axis=-1)) for Z in (Z_K, Z_Q)]
    p, q = (w / w.sum(axis=1, keepdims=True) for w in near)
    expected = np.einsum("ai,aj,ijrk->ark", p, q, _values(pair.built.target, v, n, d))
    off = np.abs(answers - expected).max(axis=(-2, -1))
    name = "(B.39), f for f/B_0: network, off from sum_ij p_i(Z_K) q_j(Z_Q) f(v_i, v_j) by"
    return Check.worst(name, off, "<=", _eta(notes)[1], lambda k: {"Z_K": Z_K[k], "Z_Q": Z_Q[k]}, "sampled")


def _printed_lines(notes: Any) -> list[Check]:
    """Lines of section B.3 as printed, at numbers where they are not what the next line uses."""
    P, n, d, G, R, B = (notes[name] for name in ("P", "n", "d", "G", "R", "sup"))
    v = grid_centers(P, 1, n * d)
    f = _values(lead(n, d), v, n, d)
    extra = (R**2 - R) * float(v[-1].sum())
    shifted = np.abs(f + f[:, :1] - 2 * f) / B  # T(v_i, v_j) - E(v_i, v_0), and 2 f(v_i, v_j)/B_0
    i, j = (int(at) for at in np.unravel_index(shifted.argmax(), shifted.shape)[:2])
    before = sum(i == 0 or j == 0 for i in range(G) for j in range(G))
    half = smoother(np.ones((1, 2)), np.ones((1, 2)), np.ones((1, 1, 1)) / 2, R).item()
    with np.errstate(divide="ignore"):
        infinite = int(np.isneginf(np.log1p(-np.ones((G, G)))).sum())
    both, delta, eps = np.hstack([np.repeat(v, G, axis=0), np.tile(v, (G, 1))]), 2 / P, 1 / (3 * B * G)
    far = np.abs(both + 1).max(axis=1) > delta
    sharp = 8 * math.log(3 / 2 * B * G * eps) / (3 * delta**2)
    scores = -sharp / 2 * ((both + 1) ** 2).sum(axis=1)
    powers = np.exp(scores - scores.max())
    share = float(powers[far].sum() / powers.sum())
    reach = float(np.abs(1 - (v - 1 / P)).max(axis=1).min())
    added, ones = 2 * B * share, int(np.ones(2 * d * G**2).sum())
    off, distant = float(shifted.max()), int(far.sum())
    rows = [
        ("proof, (B.32): its exponent less that of (B.38)", extra, "==", 0, f"Z_Q = 1, v_{G - 1}: W_1 holds R already"),
        ("proof, after (B.32): sum of 2d G^2 ones", ones, "==", 2 * d * G, "the text has 2dG"),
        ("proof, before (B.37): T_ij - E_{i0}, off from 2f/B_0", off, "==", 0, {"i": i, "j": j}),
        ("proof, (B.39): terms with an index -1", before, "==", 0, "f(v_{i-1}, v_{j-1}) where i = 0 or j = 0"),
        ("proof, (B.39) for f = 1 and B_0 = 2", half, "==", 1, "each value is divided by B_0"),
        ("W_E for f = 1 = B_0: ln 0", infinite, "==", 0, "a bound of |f| that it attains"),
        ("proof, (B.46): pairs in E_1, all entries -1", distant, "<=", G, f"farther than delta = {delta:.4g}"),
        (f"proof, (B.46) for eps = {eps:.3g}: what they add", added, "<=", eps / 3, f"the printed R is {sharp:.4g}"),
        ("proof, before (B.43): from Z = 1 to the nearest v", reach, "<=", 1 / P, "the last corner is at 1 - 2D/P"),
    ]
    return [Check(*row) for row in rows]


def _in_head(change: Callable[[dict[str, np.ndarray], Any], None]) -> Damage:
    """A change of copies of W_K and W_Q."""

    def damaged(pair: Pair, rng: np.random.Generator) -> Pair:
        model, head = pair.built.model, _head(pair)
        weights = {name: np.array(getattr(head, name), dtype=float) for name in ("w_q", "w_k", "w_v", "w_o")}
        change(weights, pair.built.parameters)
        layers = [model.layers[0], Attention([Head(**weights)], skip=False, cross=True), model.layers[2]]
        model = Transformer(layers, model.n, encoder=model.encoder)
        return pair._replace(built=replaced(pair.built, model=model))

    return damaged


def _exchanged(weights: dict[str, np.ndarray], notes: Any) -> None:
    """f(v_j, v_i) in the place of f(v_i, v_j)."""
    n, d, G = notes["n"], notes["d"], notes["G"]
    table = weights["w_k"][-n:, :-1].reshape(n, 2, G, G, d)
    weights["w_k"][-n:, :-1] = table.swapaxes(2, 3).reshape(n, -1)


def _cell_before(weights: dict[str, np.ndarray], notes: Any) -> None:
    """f(v_{i-1}, v_{j-1}) in that place, as (B.39) has it."""
    n, d, G = notes["n"], notes["d"], notes["G"]
    table = weights["w_k"][-n:, :-1].reshape(n, 2, G, G, d)
    weights["w_k"][-n:, :-1] = np.roll(table, (1, 1), (2, 3)).reshape(n, -1)


def _one_index(weights: dict[str, np.ndarray], notes: Any) -> None:
    """The query's centre is the key's: column (i, j) has v_i . Z_Q."""
    n, d, G, R = (notes[name] for name in ("n", "d", "G", "R"))
    columns = np.arange(2 * d * G * G)
    weights["w_k"][2:-n, :-1] = 0
    weights["w_k"][2 + columns % (d * G * G) // (d * G), columns] = R


def _no_squares(weights: dict[str, np.ndarray], notes: object) -> None:
    weights["w_k"][1] = 0


def _deaf(weights: dict[str, np.ndarray], notes: Any) -> None:
    """Nothing of Z_Q reaches a score."""
    weights["w_k"][2 : -notes["n"]] = 0


def _same_sign(weights: dict[str, np.ndarray], notes: Any) -> None:
    """ln T in the place of ln E."""
    n, half = notes["n"], (weights["w_k"].shape[1] - 1) // 2
    weights["w_k"][-n:, half:-1] = weights["w_k"][-n:, :half]


def _doubled(pair: Pair, rng: np.random.Generator) -> Pair:
    """W_O = 2 d B_0 I_n."""
    model, notes = pair.built.model, pair.built.parameters
    layers = [*model.layers[:2], LinearSum([(None, 2 * notes["d"] * notes["sup"] * np.eye(notes["n"]))])]
    return pair._replace(built=replaced(pair.built, model=Transformer(layers, model.n, encoder=model.encoder)))


def _index_as_printed(pair: Pair, rng: np.random.Generator) -> Pair:
    notes = pair.built.parameters
    v = grid_centers(notes["P"], 1, notes["n"] * notes["d"])
    return pair._replace(keys=linear_k(v, notes["n"], notes["d"], column_index=False))


@register(
    "liu2025:thm-4-2",
    "a sum of linear maps for each of two sequences and one head of cross-attention approximate continuous functions",
    source="Theorem 4.2, section B.3",
    chapter="liu-cross-attention",
    construction=cross_attention,
    certify=_certify,
    cases=[{"cells": 5}, {"cells": 3}, {"cells": 2, "n": 2}, {"cells": 2, "d": 2}],
    damages={
        "the column index as printed": _index_as_printed,
        "key and query exchanged": _in_head(_exchanged),
        "values of the cell before": _in_head(_cell_before),
        "one index for both": _in_head(_one_index),
        "no squares of centres": _in_head(_no_squares),
        "no query in the scores": _in_head(_deaf),
        "ln T twice": _in_head(_same_sign),
        "output doubled": _doubled,
    },
    concerns="construction",
    alone=CHANGES,
    erratum="""Linear_K puts the v_j . Z_K into G rows, where (B.28) has one and W_K one column for
    them, and into columns j + s + 1, which overlap, where (B.28) has j d G + s + 1. B_0 must exceed sup |f|, else a
    logarithm is that of 0. The v_k are corners, from which a point may be 2D/P, not D/P, away: centres are D/P further
    on. (Zero blocks of W_Q are G x n and n x G.) In the proof: W_1 holds R already, so that the R before W_1^T
    X_Q, in (B.32) and after it, is one too many; the displays before (B.38) lack R, |v_j|^2/2 and an exponential;
    columns of ones add up to 2 d G^2; before (B.37) it is E(v_i, v_j); in (B.39) and before it f/B_0 is f, and i -
    1, j - 1 are i, j; E_1 has up to G^2 pairs, split off by distance in the sup norm (see (B.21)), so that R is at
    least 8 ln(6 B_0 G^2/eps)/(3 delta^2). Section 2 has one D and one N for both inputs, and W_V with D rows; the two
    have 2 d G^2 + 1 and G + n rows, and W_V has d.""",
)
def head_of_both(*, variant: str = "repaired", cells: int = 4, n: int = 1, d: int = 1) -> Pair:
    """The network with these cells a side, beside its formulas, its error; printed: each line, then the network."""
    P, n, d = whole("cells", cells, 2, 64), whole("n", n, 1, 64), whole("d", d, 1, 64)
    built = build(lead(n, d), inverse_delta=Fraction(P, 2), kind="cross")
    made = CHANGES if variant == "repaired" else [change for change in CHANGES if variant == f"{change} alone"]
    keys = linear_k(grid_centers(P, 1, n * d), n, d, **{name.replace(" ", "_"): name in made for name in CHANGES})
    return Pair(built, keys, variant == "printed")
