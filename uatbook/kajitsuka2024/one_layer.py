"""Kajitsuka, Sato (2024): one layer of attention; Lemmas 2 and 3, Theorems 1 and 2."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import EXACT
from uatlib.certificate import Certificate, Check
from uatlib.checks import instance, positive, whole
from uatlib.contexts import find_violation
from uatlib.kajitsuka2024.certified_margins import contexts
from uatlib.kajitsuka2024.directions import Direction, direction
from uatlib.kajitsuka2024.rank_one_layer import head_size_of, rank_one_attention, separation
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from ..damages import Damage, mapped
from ..registry import register
from .common import OF_LAYERS, SLACK, Layer, lattice, length
from .hardmax_fails import hardmax_heads, hardmax_pair, small_hardmax

CHAPTER = "kajitsuka-one-layer"
DRAWS = 1000
MAX_DELTA = 10**6

# ------------------------------------------------------------------------------------------------------- Lemmas 2 and 3


def direction_odds(size: int) -> float:
    """1 - 2 (N - 1) / (pi N): a lower bound on the odds that a random unit vector meets Lemma 2 on N = `size` points.

    The density of v^T u, for a unit vector u, is at most sqrt(d / (2 pi)) for d >= 3, so |v^T u| < t has a
    probability of at most t sqrt(2d / pi); this bound holds for d = 2 too. With t = sqrt(8 / (pi d)) / N^2
    it is 4 / (pi N^2), for each of N (N - 1) / 2 differences. For d = 1 every unit vector meets it.

    Raises
    ------
    ValueError
        size is no int >= 2.

    Source: kajitsuka2024, Lemma 2; the proof is that of Lemma 13 in the work it cites, in our words.
    """
    size = whole("size", size, 2)
    return 1 - 2 / math.pi * ((size - 1) / size)


class Seen(NamedTuple):
    """Tokens as columns, the vector that they are seen along, and how it was found."""

    tokens: np.ndarray
    vector: Sequence[Fraction]
    choice: Direction


def _certify_lemma_2(parts: Seen) -> Certificate:
    tokens, v, choice = parts
    d, size = tokens.shape
    points = [*enumerate(tokens.T, 1), ("0", np.zeros(d, dtype=int))]
    ratios = [
        (Fraction(sum(v * (x - y)) ** 2) / sum((x - y) ** 2), {"tokens": (one, other), "v": v})
        for (one, x), (other, y) in itertools.combinations(points, 2)
    ]
    (square, nearest), norm = min(ratios, key=lambda pair: pair[0]), sum(u * u for u in v)
    ratio, constant = math.sqrt(square), math.sqrt(8 / (math.pi * d)) / (size + 1) ** 2
    witness = None if ratio >= constant else nearest
    name = "draws that meet Lemma 2, against the odds that a union bound gives"
    odds = 1.0 if d == 1 else direction_odds(size + 1)
    checks = [
        Check("||v||^2", norm, "==", 1, None if norm == 1 else {"v": v}),
        Check("|v^T (x - x')| / ||x - x'||, least", ratio, ">=", constant, witness, cases=len(ratios)),
        Check(name, choice.successes / choice.draws, ">=", odds, None, "sampled", choice.draws),
    ]
    return Certificate(checks, parameters={"V": size, "d": d})


def _along_an_axis(parts: Any, rng: np.random.Generator) -> Any:
    """The vector of a coordinate, along which tokens of a lattice coincide."""
    d = len(parts.vector)
    return parts._replace(vector=np.eye(d, dtype=int)[rng.integers(d)].astype(object)) if d > 1 else None


def _times(factor: Fraction) -> Damage:
    return mapped(vector=lambda v: np.array(v, dtype=object) * factor)


@register(
    "kajitsuka2024:lem-2",
    "a random unit vector keeps tokens apart",
    source="Lemma 2, section B.1",
    chapter=CHAPTER,
    construction=direction,
    certify=_certify_lemma_2,
    cases=[{"size": 3, "d": 1}, {"size": 9, "d": 4}],
    damages={
        "along an axis": _along_an_axis,
        "a vector too short": _times(Fraction(9, 10)),
        "a vector too long": _times(Fraction(11, 10)),
    },
)
def direction_of_a_lattice(*, size: int = 5, d: int = 2) -> Seen:
    """The best of 1000 random directions, which is rational, on points of a lattice; how many draws would have done."""
    tokens = lattice(size, d)
    best = direction(tokens, draws=DRAWS)
    return Seen(tokens, best.vector, best)


class Scores(NamedTuple):
    """Tokens, and the vectors of W_K = u v^T and W_Q = u' v^T that are to keep scores delta apart."""

    tokens: np.ndarray
    vector: Sequence[Fraction]
    u: Sequence[Fraction]
    u_q: Sequence[Fraction]
    delta: Fraction


def _certify_lemma_3(parts: Scores) -> Certificate:
    """(74) by the two matrices themselves, for every listener, and (75)."""
    tokens, v, u, u_q, delta = parts
    d, size = tokens.shape
    w_k, w_q = (np.outer(np.array(w, dtype=object), np.array(v, dtype=object)) for w in (u, u_q))
    scores = (w_k @ tokens).T @ (w_q @ tokens)
    cases = [(a, b, c) for a, b in itertools.combinations(range(size), 2) for c in range(size)]
    gaps = [abs(scores[a, c] - scores[b, c]) for a, b, c in cases]

    def witness(k: int) -> dict[str, object]:
        a, b, c = cases[k]
        return {"tokens": (a + 1, b + 1), "listener": c + 1}

    shares = [Fraction(sum(v * x) ** 2) / sum(x * x) for x in tokens.T]
    least = 8 / (math.pi * d) / (size + 1) ** 4
    checks = [
        Check.worst("(74) |difference of scores|, least, against delta", gaps, ">", delta, witness),
        Check.worst("(75) |v^T x|^2 / ||x||^2, least", shares, ">=", least),
        Check.worst("(75) |v^T x|^2 / ||x||^2, largest", shares, "<=", 1),
    ]
    return Certificate(checks, parameters={"V": size, "d": d, "head_size": len(u), "delta": float(delta)})


def _at_right_angles(parts: Scores, rng: np.random.Generator) -> Scores | None:
    w, *others = parts.u_q
    return parts._replace(u_q=[w, -w, *[Fraction(0)] * (len(others) - 1)]) if others else None


def _small_scale(parts: Scores, rng: np.random.Generator) -> Scores:
    """Without (|V| + 1)^4 d a least distance eps and a least norm r_min leave at most pi delta / 8 of a difference."""
    d, size = parts.tokens.shape
    return parts._replace(u_q=[w / ((size + 1) ** 4 * d) for w in parts.u_q])


@register(
    "kajitsuka2024:lem-3",
    "keys and queries along one vector keep scores apart",
    source="Lemma 3, eq. (73)-(75)",
    chapter=CHAPTER,
    construction=rank_one_attention,
    certify=_certify_lemma_3,
    cases=[{"size": 3, "d": 1, "head_size": 1}, {"size": 9, "d": 4, "head_size": 3, "delta": Fraction(1, 7)}],
    damages={
        "along an axis": _along_an_axis,
        "keys and queries at right angles": _at_right_angles,
        "a scale without (|V| + 1)^4 d": _small_scale,
    },
)
def scores_of_a_lattice(*, size: int = 5, d: int = 2, head_size: int = 2, delta: Any = 5) -> Scores:
    """All scores of the two matrices for points of a lattice, exactly: two keys and a listener at a time.

    u^T u' is at most 2^-40 of it above (73).
    """
    s, wanted = head_size_of(head_size), positive("delta", delta, MAX_DELTA)
    seen = direction_of_a_lattice(size=size, d=d)
    bounds = separation(seen.tokens, 2, SLACK)
    scale = Fraction((size + 1) ** 4 * d) * Fraction(math.pi) / 8 * wanted / (bounds.eps * bounds.r_min)
    scale *= 1 + Fraction(1, 2**41)
    return Scores(seen.tokens, list(seen.vector), [Fraction(1)] * s, [scale / s] * s, wanted)


# ------------------------------------------------------------------------------------------------------------ Theorem 1

ALL_KINDS = {0: Fraction(1, 16), 1: Fraction(1, 3), -1: Fraction(-2, 5)}
SMALL = 6
"""Tokens 1, ..., 6 for layers that are contextual mappings of 2 or 3 of them."""


class Pair(NamedTuple):
    """Two sequences whose shared tokens no head is to tell apart, and layers for 2 and 3 tokens."""

    one: Sequence[int]
    other: Sequence[int]
    small: Mapping[int, Attention]


def _shared_gap(layer: Attention, one: Sequence[int], other: Sequence[int]) -> tuple[Fraction, dict[str, object]]:
    """The largest |difference| of outputs for a token that both sequences have; tokens are t (1, ..., 1)."""
    model, gaps = Transformer([layer]), []
    Z = [model([[*row]] * layer.heads[0].w_q.shape[1], EXACT) for row in (one, other)]
    for t in sorted(set(one) & set(other)):
        a, b = (z[:, row.index(t)] for z, row in zip(Z, (one, other), strict=True))
        gaps.append((max(abs(a - b)), {"token": t, f"in {tuple(one)}": a[0], f"in {tuple(other)}": b[0]}))
    return max(gaps, key=lambda pair: pair[0])


def _small_violations(n: int, layer: Attention) -> Check:
    rows = [np.array([row]) + 1 for row in contexts(SMALL, n)]
    ids = [Transformer([layer])(row, EXACT)[0] for row in rows]
    violation = find_violation(rows, ids)
    name = f"{n} tokens: violations of Definition 2 by {len(layer.heads)} head{'s' * (n > 2)} of hardmax"
    return Check.none(name, [violation] if violation else [], cases=len(rows))


def _certify_theorem_1(parts: Pair) -> list[Check]:
    pair = parts.one, parts.other
    alone = [_shared_gap(hardmax_heads({sign: 1}), *pair) for sign in (1, 0, -1)]
    # Three heads of size 2 on tokens of 2 entries, with whole weights.
    weights = np.random.default_rng(0).integers(-3, 4, (60, 3, 4, 2, 2)).tolist()
    layers = [hardmax_heads(ALL_KINDS), *(Attention([Head(*four) for four in heads], "hardmax") for heads in weights)]
    drawn = [_shared_gap(layer, *pair) for layer in layers]
    (gaps, cases), (drawn_gaps, drawn_cases) = zip(*alone, strict=True), zip(*drawn, strict=True)
    name = "shared tokens, layers of many heads: largest difference"
    return [
        Check.worst("shared tokens, the three kinds of head: largest difference", gaps, "==", 0, cases),
        Check.worst(name, drawn_gaps, "==", 0, drawn_cases, "sampled"),
        *(_small_violations(n, layer) for n, layer in parts.small.items()),
    ]


def _another_inner_token(parts: Pair, rng: np.random.Generator) -> Pair:
    """The second token of one of the sequences is 1 or 2 larger."""
    rows = [list(parts.one), list(parts.other)]
    rows[rng.integers(2)][1] += int(rng.integers(1, 3))
    return parts._replace(one=tuple(rows[0]), other=tuple(rows[1]))


def _with_small(n: int, heads: dict[int, Fraction]) -> Damage:
    return mapped(small=lambda layers: {**layers, n: hardmax_heads(heads)})


def _printed_theorem_1() -> Certificate:
    """The pair of the proof."""
    gap, witness = _shared_gap(hardmax_heads({0: Fraction(1, 16)}), (1, 2, 4), (1, 3, 4))
    name = "(1, 2, 4) and (1, 3, 4), a head whose scores tie: largest difference at a shared token"
    return Certificate([Check(name, gap, "==", 0, witness)], parameters={"n": 3})


@register(
    "kajitsuka2024:thm-1",
    "one layer of hardmax attention is no contextual mapping",
    source="Theorem 1, section A.1",
    chapter="kajitsuka-hardmax-fails",
    construction=hardmax_pair,
    certify=_certify_theorem_1,
    cases=[{"n": 5}, {"n": 8}],
    damages={
        "another inner token": _another_inner_token,
        "three tokens without the mean": _with_small(3, {1: Fraction(1, 19**2), -1: Fraction(1, 19**3)}),
        "two tokens with the largest": _with_small(2, {1: Fraction(1, 13)}),
        "two tokens with the smallest": _with_small(2, {-1: Fraction(1, 13)}),
    },
    printed=_printed_theorem_1,
    concerns="proof",
    erratum="""The proof's pair (1, 2, 4), (1, 3, 4) is told apart by a head whose scores all tie, which hears the mean.
    (1, 2, 5, 6) and (1, 3, 4, 6) have the same mean too, and no head tells 1 or 6 apart. For two or three numbers other
    than 0 a layer of one or three heads is a contextual mapping. (The token 0 hears the mean only, so (0, 1, 4) and (0,
    2, 3) are not told apart unless queries have a bias.)""",
)
def pair(*, n: int = 4) -> Pair:
    """Every kind of head on the pair, exactly; contextual mappings for n = 2 and 3. Printed: the pair of the proof."""
    return Pair(*hardmax_pair(length(n, 4)), {m: small_hardmax(m, SMALL) for m in (2, 3)})


# ------------------------------------------------------------------------------------------------------------ Theorem 2


def _printed_theorem_2(*, size: int = 4, d: int = 1, n: int = 2) -> list[Check]:
    """(6) to the letter; (43) against (14); (42) and (45), both times (V + 1)^4 pi d (2 log n + 3) e^{2r}."""
    tokens = lattice(size, d)
    promised = separation(tokens, length(n), SLACK)
    head = instance("layer", rank_one_attention(tokens, n).layers[0], Attention).heads[0]
    simplified = 2 * promised.eps**2 * promised.r_min / promised.r_max**2
    before = promised.write / promised.r_max
    name, ratio = "(45) times (V + 1)^4 pi d delta / delta', against (42)", float(simplified / before)
    edge, scores = 2 * math.log(n) + 3, (head.w_k @ tokens).T @ (head.w_q @ tokens)
    apart = min(float(min(abs(one - other))) for one, other in itertools.combinations(scores, 2))
    rows, pairs = contexts(tokens.shape[1], n), [*itertools.product(range(n), repeat=2)]
    literal = [row for row in rows if all(row[j] != row[k] for j, k in pairs)]
    return [
        Check("sequences that meet (6) for all k and l, k = l among them", len(literal), ">", 0, f"out of {len(rows)}"),
        Check(name, simplified, "==", before, f"(45) is (42) times {ratio:.6g} = 8 eps r_min"),
        Check("(14), for the delta of (43), which is 2 log n + 3", edge, ">", edge, "(43) takes equality"),
        Check("(30): least distance of two scores, against this delta", apart, ">", edge),
    ]


@register(
    "kajitsuka2024:thm-2",
    "one head of softmax attention with weights of rank 1 is a contextual mapping",
    source="Theorem 2, section A.2",
    chapter=CHAPTER,
    construction=rank_one_attention,
    certify=Layer.certificate,
    cases=[{"size": 3, "d": 2, "head_size": 3}, {"size": 3, "d": 1}],
    damages=OF_LAYERS,
    printed=_printed_theorem_2,
    concerns="proof",
    erratum="""(6) asks of all k and l that the tokens at k and l differ. No sequence does so at k = l, and k != l is
    meant. (42) lacks the factor 8 eps r_min that (41) gives it, so (45), which is right, is not what it simplifies
    to. Lemma 1 asks for delta > 2 log n + 3, (14), and the proof takes delta = 2 log n + 3, (43). That is enough: by
    (30) finitely many scores are farther apart than this, so some larger delta will do, too. (The theorem holds;
    Corollary 1 quotes its delta in (47) without the factor 2 eps log n.)""",
)
def layer(*, size: int = 4, d: int = 1, n: int = 2, head_size: int = 1) -> Layer:
    """The layer at the scale of (29), on every context, with as many bits as (8) asks for; printed: (42) and (45)."""
    tokens = lattice(size, d)
    n = whole("n", n, 2, tokens.shape[1] - 1)
    return Layer(rank_one_attention(tokens, n, head_size), tokens, n)
