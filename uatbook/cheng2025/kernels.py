"""Cheng et al. (2025): which kernels may stand in place of exp; Lemmas 1 and 2, Corollary 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import BALL, Ball
from uatlib.arithmetic.objects import ends
from uatlib.certificate import Certificate, Check
from uatlib.cheng2025.named_kernels import kernel
from uatlib.kernels import CONSTANT, Kernel
from uatlib.model import Transformer

from ..damages import mapped, put
from ..registry import register
from . import kernel_samples as shared
from .growth import Peeled, growth, peel
from .kernel_samples import HALF, example, holding, points, weights
from .mixing_terms import attention_weights

# -------------------------------------------------------------------------------------------------------------- Lemma 2


class Ordered(NamedTuple):
    """Keys W_K x_i, most dominating first, for the query x."""

    name: str
    kernel: Kernel
    x: np.ndarray
    W: np.ndarray
    order: np.ndarray


def _logs(k: Kernel, x: object, keys: object, bits: int) -> np.ndarray:
    """log k(x, y) for the columns y of keys, enclosed."""
    system = BALL.with_bits(bits)
    with system.context():
        scores = k.scores(system.array(keys), system.array(np.asarray(x, dtype=object)[:, None]), system)
        return np.asarray(system.output(scores))[:, 0]


def _short(ball: Ball) -> tuple[Fraction, Fraction]:
    """Its ends, rounded outwards to 64 binary places."""
    return Fraction(math.floor(ball.lower * 2**64), 2**64), Fraction(math.ceil(ball.upper * 2**64), 2**64)


def _lead(k: Kernel, x: Any, W: Any, order: np.ndarray, t: Any, bits: int = 512) -> tuple[Fraction, Fraction, int]:
    """Ends of the least log k(x, t W x_i)/k(x, t W x_{i+1}), and its i."""
    logs = [_short(value) for value in _logs(k, x, t * W @ order, bits)]
    leads = [(a[0] - b[1], a[1] - b[0]) for a, b in itertools.pairwise(logs)]
    i = min(range(len(leads)), key=lambda i: leads[i])
    return *leads[i], i


def _certify_order(parts: Ordered) -> Certificate:
    d, p = parts.order.shape
    grown = [tuple(row) for row in growth(parts.kernel, parts.x, (parts.W @ parts.order).T)]
    alike = [pair for pair in itertools.combinations(range(p), 2) if grown[pair[0]] == grown[pair[1]]]
    others = weights(d, 50, 7, 10**6)
    ties = [
        {"W_K": W}
        for W in others
        if len({tuple(row) for row in growth(parts.kernel, parts.x, (W @ parts.order).T)}) < p
    ]
    (near, _, i), (far, _, _) = (_lead(parts.kernel, parts.x, parts.W, parts.order, t) for t in (2**20, 2**30))

    def keys(pair: Any) -> dict[str, Any]:
        return {"keys": parts.order[:, list(pair)].T}

    pair = keys((i, i + 1))
    checks = [
        Check.none("pairs of keys that grow alike", alike, keys, cases=math.comb(p, 2)),
        Check("least log k(x, t W_K x_i)/k(x, t W_K x_{i+1}) at t = 2^20", near, ">", 0, pair, "enclosed", p - 1),
        Check("the same at t = 2^30, over it", far / near if near else 0, ">=", 1000, pair, "enclosed", p - 1),
        Check.none("other W_K at which two keys grow alike", ties, None, "sampled", len(others)),
    ]
    return Certificate(checks, parameters={"kernel": parts.name, "p": p, "d": d})


def _query_zero(parts: Ordered, rng: np.random.Generator) -> Ordered | None:
    """Where all depends on x . y: the others see the keys without it."""
    return parts._replace(x=0 * parts.x) if parts.name in ("exp", "rbf", "poly_times") else None


@register(
    "cheng2025:lem-2",
    "for almost every W_K the keys have an order in which each dominates the next, as they are scaled",
    source="Lemma 2 (auxiliary lemma), appendix C.1",
    chapter="cheng-kernels",
    construction=growth,
    certify=_certify_order,
    cases=[{"kernel": name, "n": 3 + k, "d": 1 + k % 3} for k, name in enumerate(holding())],
    damages={
        "a query 0": _query_zero,
        "W_K forgets an entry": mapped(W=lambda W: np.hstack([W[:, :-1], 0 * W[:, -1:]])),
        "two keys exchanged": mapped(order=lambda keys: keys[:, [1, 0, *range(2, keys.shape[1])]]),
        "the order reversed": mapped(order=lambda keys: keys[:, ::-1]),
        "a kernel even in y": put(kernel=kernel("cosh")),
    },
)
def ordered(*, kernel: str = "exp", n: int = 6, d: int = 2) -> Ordered:
    """2 n points next to 0, opposite ones among them, in the order of their keys' growth."""
    name, n, d = shared.sizes(kernel, n, d, 2)
    k, tokens, W = example(name, d), points(2 * n, d), weights(d, 1, 0)[0]
    x = np.array([Fraction(1, i + 1) for i in range(d)], dtype=object)
    return Ordered(name, k, x, W, peel(k, x, W, tokens, tokens).order)


# -------------------------------------------------------------------------------------------------------------- Lemma 1


class Parted(NamedTuple):
    """Contexts A and B of the token x with their peeling and the limit of their gap; the layer with keys t W_K."""

    name: str
    kernel: Kernel
    x: np.ndarray
    W: np.ndarray
    t: Fraction
    model: Transformer
    pairs: tuple[tuple[str, np.ndarray, np.ndarray, Peeled, np.ndarray], ...]


LEAD = 10
"""The t that is taken makes each key at least e^10 times as strong as the next."""


def _pairs(x: np.ndarray, order: np.ndarray, n: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Contexts of x that share their q first tokens, for each q; one token more; opposite tokens."""
    rest = order[:, (order != x[:, None]).any(axis=0)]

    def context(*columns: Any) -> np.ndarray:
        return np.column_stack([x, rest[:, list(columns)]])

    for q in range(n - 1):
        yield f"{q} shared", context(*range(q), *range(q, n - 1)), context(*range(q), *range(q + 1, n))
    yield "one token more", context(*range(n - 1)), context(*range(n - 2))
    halves = [token for token in rest.T if tuple(token) > (0,) * len(x) and (token != -x).any()]
    if n >= 4 and len(halves) > 1:
        a, b = halves[:2]
        yield "opposite", np.column_stack([x, -x, a, -a]), np.column_stack([x, -x, b, -b])


def _limit(A: np.ndarray, B: np.ndarray, peeled: Peeled) -> np.ndarray:
    """Of (what x hears in A less what it hears in B) k(first)/k(next), as keys are scaled."""
    if peeled.common:
        return np.asarray(peeled.sign * (peeled.order[:, peeled.common] - peeled.order[:, 0]))
    first, second = (next(token for token in peeled.order.T if (token == Z.T).all(axis=1).any()) for Z in (A, B))
    return np.asarray(first - second)


def _scaled_gap(parts: Parted, A: Any, B: Any, peeled: Any, limit: Any) -> tuple[Fraction, Fraction]:
    """The literal outputs of x: |(A's - B's) k(first)/k(next) - limit| over its bound, and the bound over |limit|.

    If each key is at most s times as strong as the one before, the bound is 4 s/(1 - s) times the largest difference
    of entries: what is left out adds at most s/(1 - s) of it, in four places.
    """
    keys = parts.t * parts.W @ peeled.order
    logs = [_short(value) for value in _logs(parts.kernel, parts.x, keys, 512)]
    s = Fraction(math.exp(-float(min(a[0] - b[1] for a, b in itertools.pairwise(logs))))) * (1 + Fraction(1, 2**40))
    bound = 4 * s / (1 - s) * max(max(row) - min(row) for row in peeled.order) if s < 1 else Fraction(2) ** 60
    system = BALL.with_bits(256 + int(2 * abs(logs[0][1] - logs[-1][0])))
    values = [parts.model(Z, system)[:, 0] for Z in (A, B)]
    strength = _logs(parts.kernel, parts.x, keys[:, [0, peeled.common]], system.bits)
    with system.context():
        (a, b), (first, following) = (system.array(np.array(u)) for u in (values, strength))
        gap = system.output(system.function("exp", np.array([first - following])) * (a - b))
    off = max(max(abs(u - goal) for u in ends(value)) for value, goal in zip(gap, limit, strict=True))
    return min(off / bound, Fraction(10) ** 30), bound / max(abs(u) for u in limit)


def _certify_parted(parts: Parted) -> Certificate:
    off, sure = zip(*(_scaled_gap(parts, A, B, *rest) for _, A, B, *rest in parts.pairs), strict=True)
    name = "what x gets in A less what in B, over k(next)/k(first), less its limit; over 4 s/(1 - s) |x_i - x_j|"
    bound = "that bound over the limit, so that the outputs differ"

    def witness(k: int) -> dict[str, object]:
        name, A, B, *_ = parts.pairs[k]
        return {"pair": name, "A": A, "B": B}

    checks = [
        Check.worst(name, off, "<=", 1, witness, "enclosed"),
        Check.worst(bound, sure, "<", 1, witness, "enclosed"),
    ]
    return Certificate(checks, parameters={"kernel": parts.name, "d": len(parts.x), "t": parts.t})


def _without_first(parts: Parted, rng: np.random.Generator) -> Parted:
    """B lacks the token that dominates it, apart from x."""

    def less(B: np.ndarray, order: np.ndarray) -> np.ndarray:
        lost = next(token for token in order.T if (token != parts.x).any() and (token == B.T).all(axis=1).any())
        return B[:, (lost[:, None] != B).any(axis=0)]

    pairs = ((name, A, less(B, peeled.order), peeled, limit) for name, A, B, peeled, limit in parts.pairs)
    return parts._replace(pairs=tuple(pairs))


@register(
    "cheng2025:lem-1",
    "a token whose output is the same in two contexts for all weights has the same context in both",
    source="Lemma 1, appendix C.1",
    chapter="cheng-kernels",
    construction=peel,
    certify=_certify_parted,
    cases=[{"kernel": name, "n": 5 - k % 3, "d": 1 + k % 3} for k, name in enumerate(holding())],
    damages={
        "keys not scaled": lambda parts, rng: _run_by(parts._replace(t=0), parts.kernel),
        "half of the values": lambda parts, rng: _run_by(parts, parts.kernel, HALF),
        "keys turned round": lambda parts, rng: _run_by(parts, parts.kernel, keys=-1),
        "the average in place of the kernel": lambda parts, rng: _run_by(parts, CONSTANT),
        "a token of B left out": _without_first,
        "the contexts exchanged": mapped(pairs=lambda pairs: tuple((m, B, A, *rest) for m, A, B, *rest in pairs)),
    },
)
def parted(*, kernel: str = "exp", n: int = 4, d: int = 2) -> Parted:
    """Contexts of n of the points next to 0, and t twice as large until keys are far apart."""
    name, n, d = shared.sizes(kernel, n, d, 3)
    k, tokens, W = example(name, d), points(2 * n, d), weights(d, 1, 1)[0]
    x = tokens[:, 0]
    order = peel(k, x, W, tokens, tokens).order
    contexts = [(what, A, B, peel(k, x, W, A, B)) for what, A, B in _pairs(x, order, n)]
    pairs = tuple((what, A, B, peeled, _limit(A, B, peeled)) for what, A, B, peeled in contexts)
    t = next(t for t in (Fraction(2) ** i for i in range(-20, 60)) if _lead(k, x, W, order, t)[0] > LEAD)
    return Parted(name, k, x, W, t, shared.one_layer(k, t * W), pairs)


def _run_by(parts: Parted, k: Kernel, values: object = 1, keys: int = 1) -> Parted:
    one = np.eye(len(parts.x), dtype=object)
    return parts._replace(model=shared.one_layer(k, keys * parts.t * parts.W, values * one))


# ---------------------------------------------------------------------------------------------------------- Corollary 1


class Contexts(NamedTuple):
    """A layer, and all contexts of n tokens out of a vocabulary; (count, d, n)."""

    model: Transformer
    X: np.ndarray


def _certify_contexts(parts: Contexts) -> list[Check]:
    gap, where, pairs, alike = shared.least_gap(parts.model, parts.X)
    name = "least distance of two tokens after one layer, over all contexts"
    return [
        Check(name, gap, ">", 0, where, "enclosed", pairs),
        Check("pairs of them that are alike", alike, "==", 0, where if alike else None, "enclosed", pairs),
    ]


def _all_but_last(d: int) -> np.ndarray:
    return np.diag([*[1] * (d - 1), 0])


@register(
    "cheng2025:cor-1",
    "one layer of attention with a kernel as in (13) tells apart all tokens of all contexts without a zero token",
    source="Corollary 1, section 4.1; its proof in appendix C.1",
    chapter="cheng-kernels",
    construction=attention_weights,
    certify=_certify_contexts,
    cases=[{"kernel": name, "n": 2 + k % 4, "d": 1 + k % 2} for k, name in enumerate(holding())],
    damages={
        "no keys": lambda parts, rng: (
            shared.reweighted(w_k=shared.nothing)(parts, rng) if parts.X.shape[-1] > 2 else None
        ),
        "no values": shared.reweighted(w_v=shared.nothing),
        "an entry forgotten": lambda parts, rng: (
            shared.reweighted(w_k=_all_but_last, w_v=_all_but_last)(parts, rng) if parts.X.shape[1] > 1 else None
        ),
        "a context twice": mapped(X=lambda X: np.concatenate([X, X[:1]])),
    },
    concerns="sentence",
    erratum="""The text says that the corollary ensures token distinguishability. It does for nonzero tokens alone, as
    its proof says: with a kernel of x . y a query 0 weighs all keys alike, and with one of |x - y| it weighs u and -u
    alike, so (0, u, -u) and (0, v, -v) give the token 0 the same, whatever the weights. What the corollary concludes
    stands, in L_p: sequences with a zero token have measure zero, and the corners at which the proof of Theorem 1
    interpolates can be moved off them. (In the proof of Lemma 1, below (53), a_r = b_r is a_r = b_s.)""",
)
def told_apart(*, variant: str = "repaired", kernel: str = "exp", n: int = 3, d: int = 2) -> Contexts:
    """All contexts of n out of the 8 points next to 0, and the best of five layers; printed: 0 among them."""
    name, n, d = shared.sizes(kernel, n, d, 2)
    vocabulary = points(8, d)
    if variant == "printed":
        vocabulary = np.column_stack([np.zeros(d, dtype=int), vocabulary]).astype(object)
    X = shared.contexts(vocabulary, n)
    return Contexts(shared.best(example(name, d), X), X)
