"""Kajitsuka, Sato (2024): one layer of attention; Lemmas 2 and 3, Theorems 1 and 2, scales that floats can run."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ... import kajitsuka2024
from ...arithmetic import EXACT, FLOAT64, Ball
from ...arithmetic.base import is_int, shown, sized
from ...certificate import Certificate, Check
from ...contexts import find_violation
from ...layers import Attention, Head
from ...model import Transformer
from ...registry import register_by_seed as register
from ..directions import direction_odds, direction_ratio
from ..hardmax import hardmax_heads, hardmax_pair, small_hardmax
from ..rank_one import head_size_of
from .boltzmann import _require_length
from .definitions import MAX_SIZE, SLACK, lattice

CHAPTER = "kajitsuka-one-layer"
DRAWS = 1000
MAX_DELTA = 10**6

# ------------------------------------------------------------------------------------------------------- Lemmas 2 and 3


def _certify_lemma_2(tokens: np.ndarray, vector: Sequence[Fraction], found: Any) -> Certificate:
    d, size = tokens.shape
    pairs = math.comb(size + 1, 2)
    name = "draws that meet Lemma 2, against the odds that a union bound gives"
    odds = 1.0 if d == 1 else direction_odds(size + 1)
    return Certificate(
        [
            Check("||v||^2", sum(v * v for v in vector), "==", 1),
            Check(
                "|v^T (x - x')| / ||x - x'||, least",
                direction_ratio(tokens, tuple(vector)),
                ">=",
                found.constant,
                cases=pairs,
            ),
            Check(name, found.successes / found.draws, ">=", odds, None, "sampled", found.draws),
        ],
        parameters={"V": size, "d": d},
    )


def _perturb_lemma_2(*, seed: int = 0, size: int = 5, d: int = 2) -> Certificate:
    """The vector of a coordinate, along which tokens of a lattice coincide, or one that is too long or too short."""
    tokens = lattice("lem-2", size, d, 3)
    rng = np.random.default_rng(seed)
    found = kajitsuka2024.direction(tokens, draws=DRAWS)
    vector = [u * Fraction(int(rng.choice([9, 11])), 10) for u in found.vector]
    if d > 1 and seed % 2:
        vector = _axis(rng, d)
    return _certify_lemma_2(tokens, vector, found)


def _axis(rng: np.random.Generator, d: int) -> list[Fraction]:
    axis = int(rng.integers(d))
    return [Fraction(int(i == axis)) for i in range(d)]


@register(
    "kajitsuka2024:lem-2",
    "a random unit vector keeps tokens apart",
    source="Lemma 2, section B.1",
    chapter=CHAPTER,
    perturb=_perturb_lemma_2,
)
def verify_lemma_2(*, size: int = 5, d: int = 2) -> Certificate:
    """The best of 1000 random directions, which is rational, on points of a lattice; how many draws would have done."""
    tokens = lattice("lem-2", size, d, 3)
    found = kajitsuka2024.direction(tokens, draws=DRAWS)
    return _certify_lemma_2(tokens, found.vector, found)


def _lemma_3_parts(
    size: int, d: int, head_size: int, delta: Any
) -> tuple[np.ndarray, list[Fraction], list[Fraction], list[Fraction], Fraction]:
    """Tokens, v, u, u' and delta, with u^T u' at most 2^-40 of it above (73)."""
    tokens = lattice("lem-3", size, d, 3)
    s = head_size_of(head_size)
    wanted = sized(delta)
    if not 0 < wanted <= MAX_DELTA:
        raise ValueError(f"kajitsuka2024:lem-3: expected 0 < delta <= {MAX_DELTA:,}, got {shown(delta)}.")
    bounds = kajitsuka2024.separation(tokens, 2, SLACK)
    scale = Fraction((size + 1) ** 4 * d) * Fraction(math.pi) / 8 * wanted / (bounds.eps * bounds.r_min)
    scale *= 1 + Fraction(1, 2**41)
    vector = kajitsuka2024.direction(tokens, draws=DRAWS).vector
    return tokens, list(vector), [Fraction(1)] * s, [scale / s] * s, wanted


def _certify_lemma_3(
    tokens: np.ndarray, v: Sequence[Fraction], u: Sequence[Fraction], u_q: Sequence[Fraction], delta: Fraction
) -> Certificate:
    """(74) by the matrices W_K = u v^T and W_Q = u' v^T themselves, for every listener, and (75)."""
    d, size = tokens.shape
    w_k, w_q = (np.outer(np.array(w, dtype=object), np.array(v, dtype=object)) for w in (u, u_q))
    scores = (w_k @ tokens).T @ (w_q @ tokens)
    gaps = [
        (abs(scores[a, c] - scores[b, c]), f"tokens {a + 1} and {b + 1}, listener {c + 1}")
        for a, b in itertools.combinations(range(size), 2)
        for c in range(size)
    ]
    gap, witness = min(gaps)
    shares = [sum(v * x) ** 2 / sum(x * x) for x in tokens.T]
    least = 8 / (math.pi * d) / (size + 1) ** 4
    return Certificate(
        [
            Check("(74) |difference of scores|, least, against delta", gap, ">", delta, witness, cases=len(gaps)),
            Check("(75) |v^T x|^2 / ||x||^2, least", min(shares), ">=", least, cases=size),
            Check("(75) |v^T x|^2 / ||x||^2, largest", max(shares), "<=", 1, cases=size),
        ],
        parameters={"V": size, "d": d, "head_size": len(u), "delta": float(delta)},
    )


def _perturb_lemma_3(*, seed: int = 0, size: int = 5, d: int = 2, head_size: int = 2, delta: Any = 5) -> Certificate:
    """A vector of a coordinate, the scale without (|V| + 1)^4 d, or keys and queries at right angles."""
    tokens, v, u, u_q, delta = _lemma_3_parts(size, d, head_size, delta)
    rng = np.random.default_rng(seed)
    damage = seed % 3
    if damage == 0 and d > 1:
        v = _axis(rng, d)
    elif damage == 1 and head_size > 1:
        u_q = [u_q[0], -u_q[0], *[Fraction(0)] * (head_size - 2)]
    else:
        # A least distance eps and a least norm r_min then leave at most pi delta / 8 of a score difference.
        u_q = [w / ((size + 1) ** 4 * d) for w in u_q]
    return _certify_lemma_3(tokens, v, u, u_q, delta)


@register(
    "kajitsuka2024:lem-3",
    "keys and queries along one vector keep scores apart",
    source="Lemma 3, eq. (73)-(75)",
    chapter=CHAPTER,
    perturb=_perturb_lemma_3,
)
def verify_lemma_3(*, size: int = 5, d: int = 2, head_size: int = 2, delta: Any = 5) -> Certificate:
    """All scores of the two matrices for points of a lattice, exactly: two keys and a listener at a time."""
    return _certify_lemma_3(*_lemma_3_parts(size, d, head_size, delta))


# ------------------------------------------------------------------------------------------------------------ Theorem 1


def _shared_gap(layer: Attention, one: Sequence[int], other: Sequence[int]) -> tuple[Fraction, str]:
    """The largest |difference| of outputs for a token that both sequences have; tokens are t (1, ..., 1)."""
    d = layer.heads[0].w_q.shape[1]
    Z = [Transformer([layer])([[*row]] * d, EXACT) for row in (one, other)]
    worst, witness = Fraction(-1), ""
    for t in sorted(set(one) & set(other)):
        columns = [z[:, row.index(t)] for z, row in zip(Z, (one, other), strict=True)]
        if (gap := max(abs(columns[0] - columns[1]))) > worst:
            worst = gap
            witness = f"token {t}: {columns[0][0]} in {tuple(one)} and {columns[1][0]} in {tuple(other)}"
    return worst, witness


def _random_layer(rng: np.random.Generator) -> Attention:
    """Three heads of size 2 on tokens of 2 entries, with whole weights."""
    weights = rng.integers(-3, 4, (3, 4, 2, 2)).tolist()
    return Attention([Head(*four) for four in weights], "hardmax")


def _small_violations(n: int, layer: Attention) -> Check:
    rows = [np.array([row]) + 1 for row in kajitsuka2024.contexts(6, n)]
    ids = [Transformer([layer])(row, EXACT)[0] for row in rows]
    found = find_violation(rows, ids)
    name = f"{n} tokens: violations of Definition 2 by {len(layer.heads)} head{'s' * (n > 2)} of hardmax"
    return Check(name, int(found is not None), "==", 0, None if found is None else str(found), cases=len(rows))


def _certify_theorem_1(pair: Sequence[Sequence[int]], layers: dict[int, Attention], heads: Attention) -> Certificate:
    alone = [_shared_gap(hardmax_heads({sign: 1}), *pair) for sign in (1, 0, -1)]
    rng = np.random.default_rng(0)
    drawn = [_shared_gap(layer, *pair) for layer in (heads, *(_random_layer(rng) for _ in range(60)))]
    (gap, witness), (drawn_gap, drawn_witness) = max(alone), max(drawn)
    return Certificate(
        [
            Check("shared tokens, the three kinds of head: largest difference", gap, "==", 0, witness, cases=3),
            Check(
                "shared tokens, layers of many heads: largest difference",
                drawn_gap,
                "==",
                0,
                drawn_witness,
                "sampled",
                len(drawn),
            ),
            *(_small_violations(n, layer) for n, layer in layers.items()),
        ],
        parameters={"n": len(pair[0])},
    )


ALL_KINDS = {0: Fraction(1, 16), 1: Fraction(1, 3), -1: Fraction(-2, 5)}


def _perturb_theorem_1(*, seed: int = 0, n: int = 4) -> Certificate:
    """An inner token is another one, or a head of the layers for short sequences is left out."""
    _require_length("thm-1", n, 4)
    one, other = hardmax_pair(n)
    rng = np.random.default_rng(seed)
    layers = {m: small_hardmax(m, 6) for m in (2, 3)}
    damage = seed % 3
    if damage == 0:
        layers[3] = Attention(layers[3].heads[1:], "hardmax")
    elif damage == 1:
        layers[2] = hardmax_heads({int(rng.choice([-1, 1])): Fraction(1, 13)})
    else:
        inner = [list(one), list(other)]
        inner[rng.integers(2)][1] += 1 if rng.integers(2) else 2
        one, other = (tuple(row) for row in inner)
    return _certify_theorem_1((one, other), layers, hardmax_heads(ALL_KINDS))


@register(
    "kajitsuka2024:thm-1",
    "one layer of hardmax attention is no contextual mapping",
    source="Theorem 1, section A.1",
    chapter="kajitsuka-hardmax-fails",
    perturb=_perturb_theorem_1,
    concerns="proof",
    erratum=(
        "The proof's pair (1, 2, 4), (1, 3, 4) is told apart by a head whose scores all tie, which hears the mean. "
        "(1, 2, 5, 6) and (1, 3, 4, 6) have the same mean too, and no head tells 1 or 6 apart. For two or three "
        "numbers other than 0 a layer of one or three heads is a contextual mapping. (The token 0 hears the mean "
        "only, so (0, 1, 4) and (0, 2, 3) are not told apart unless queries have a bias.)"
    ),
)
def verify_theorem_1(*, variant: str = "repaired", n: int = 4) -> Certificate:
    """Every kind of head on the pair, exactly; contextual mappings for n = 2 and 3. Printed: the pair of the proof."""
    if variant == "printed":
        gap, witness = _shared_gap(hardmax_heads({0: Fraction(1, 16)}), (1, 2, 4), (1, 3, 4))
        name = "(1, 2, 4) and (1, 3, 4), a head whose scores tie: largest difference at a shared token"
        return Certificate([Check(name, gap, "==", 0, witness)], parameters={"n": 3})
    _require_length("thm-1", n, 4)
    layers = {m: small_hardmax(m, 6) for m in (2, 3)}
    return _certify_theorem_1(hardmax_pair(n), layers, hardmax_heads(ALL_KINDS))


# ------------------------------------------------------------------------------------------------------------ Theorem 2


def _perturb_theorem_2(*, seed: int = 0, size: int = 4, d: int = 1, n: int = 2, head_size: int = 1) -> Certificate:
    """Hardmax instead of softmax, a weight of another rank, no output, or one that is too large."""
    tokens = lattice("thm-2", size, d, 3)
    (layer,) = kajitsuka2024.rank_one_attention(tokens, n, head_size).layers
    assert isinstance(layer, Attention)
    rng = np.random.default_rng(seed)
    weights = layer.weights()
    damage = seed % 3
    if damage == 0:
        damaged = Attention(layer.heads, "hardmax")
    else:
        factor = 0 if damage == 1 else int(rng.integers(20, 90))
        damaged = layer.with_weights({**weights, "head0.w_o": weights["head0.w_o"] * factor})
    return kajitsuka2024.certify(Transformer([damaged], n=n), tokens, n, slack=SLACK)


@register(
    "kajitsuka2024:thm-2",
    "one head of softmax attention with weights of rank 1 is a contextual mapping",
    source="Theorem 2, section A.2",
    chapter=CHAPTER,
    perturb=_perturb_theorem_2,
    concerns="proof",
    erratum=(
        "(42) lacks the factor 8 eps r_min that (41) gives it, so (45), which is right, is not what it simplifies to. "
        "(The theorem holds; Corollary 1 quotes its delta in (47) without the factor 2 eps log n.)"
    ),
)
def verify_theorem_2(
    *, variant: str = "repaired", size: int = 4, d: int = 1, n: int = 2, head_size: int = 1
) -> Certificate:
    """The layer at the scale of (29), on every context, with as many bits as (8) asks for; printed: (42) and (45)."""
    tokens = lattice("thm-2", size, d, 3)
    if variant == "repaired":
        model = kajitsuka2024.rank_one_attention(tokens, n, head_size)
        return kajitsuka2024.certify(model, tokens, n, slack=SLACK)
    promised = kajitsuka2024.separation(tokens, n, SLACK)
    # Both are these times e^{-2r} / ((V + 1)^4 pi d (2 log n + 3)).
    simplified = 2 * promised.eps**2 * promised.r_min / promised.r_max**2
    before = promised.write / promised.r_max
    witness = f"(45) is (42) times {float(simplified / before):.6g} = 8 eps r_min"
    return Certificate(
        [Check("(45) times (V + 1)^4 pi d delta / delta', against (42)", simplified, "==", before, witness)],
        parameters={"V": size, "d": d, "n": n},
    )


# ---------------------------------------------------------------------------------------------------- scales for floats


def _layer_margin(model: Transformer, tokens: Sequence[int], n: int) -> tuple[float, str]:
    """The least distance of the ids of one token in two contexts, in float64, and which token's."""
    rows = kajitsuka2024.contexts(len(tokens), n)
    Z = model([[[tokens[t] for t in row]] for row in rows], FLOAT64)[:, 0].tolist()
    heard = [sorted(z[row.index(t)] for z, row in zip(Z, rows, strict=True) if t in row) for t in range(len(tokens))]
    gap, token, one, other = min((b - a, t, a, b) for t, ids in enumerate(heard) for a, b in itertools.pairwise(ids))
    return gap, f"token {tokens[token]} has the ids {one:.9g} and {other:.9g}"


def _certify_scale(model: Transformer, size: int, n: int, best: Any, gap: Ball) -> Certificate:
    tokens = list(range(1, size + 1))
    write = kajitsuka2024.separation(tokens, n, SLACK).write
    promised = best.margin.lower * write * Fraction(999, 1000)
    least, witness = _layer_margin(model, tokens, n)
    name = f"least distance of the ids of one token in float64, scale {float(best.scale):.4f}, against its margin"
    return Certificate(
        [
            Check(name, least, ">=", promised, witness, "exhaustive", best.contexts),
            Check("margin, before W_O", best.margin, ">", 0, None, "enclosed", best.contexts),
            Check("margin of all multisets at the same scale", gap, ">", 0, None, "enclosed"),
        ],
        parameters={"V": size, "n": n},
    )


def _scale_parts(size: int, n: int) -> tuple[list[int], Any, Ball]:
    if not is_int(size, 5) or size > MAX_SIZE or not is_int(n, 3) or n > size - 2:
        raise ValueError(
            f"kajitsuka2024:practical-scale: expected ints 5 <= size <= {MAX_SIZE} and 3 <= n <= size - 2, got "
            f"size = {size!r} and n = {n!r}; for fewer or more tokens their mean will do."
        )
    tokens = list(range(1, size + 1))
    best = kajitsuka2024.practical_scale(tokens, n)
    return tokens, best, kajitsuka2024.certified_margin(tokens, n, best.scale, repeats=True)


def _perturb_scale(*, seed: int = 0, size: int = 6, n: int = 4) -> Certificate:
    """The layer has a scale that is too small, or far too large, or hardmax, or writes less."""
    tokens, best, gap = _scale_parts(size, n)
    rng = np.random.default_rng(seed)
    damage = seed % 3
    factor = Fraction(1, int(rng.integers(4, 9))) if damage == 0 else int(rng.integers(10**4, 10**5))
    (layer,) = kajitsuka2024.rank_one_attention(tokens, n, scale=best.scale * factor).layers
    assert isinstance(layer, Attention)
    model = Transformer([Attention(layer.heads, "hardmax") if damage == 2 else layer], n=n)
    return _certify_scale(model, size, n, best, gap)


@register(
    "kajitsuka2024:practical-scale",
    "a small scale keeps all contexts apart in floating point",
    source="ours, for Theorem 2",
    chapter=CHAPTER,
    perturb=_perturb_scale,
)
def verify_scale(*, size: int = 6, n: int = 4) -> Certificate:
    """The best scale found in [-1, 1] for the tokens 1, ..., V: its margin, enclosed, and the layer in float64."""
    tokens, best, gap = _scale_parts(size, n)
    return _certify_scale(kajitsuka2024.rank_one_attention(tokens, n, scale=best.scale), size, n, best, gap)
