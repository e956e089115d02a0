"""Definition 3 on finitely many sequences: which tokens a map tells apart, and whether a look-up can finish the job."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import BALL
from uatlib.arithmetic.numbers import entries
from uatlib.arithmetic.objects import ends
from uatlib.certificate import Certificate, Check
from uatlib.checks import refused, whole
from uatlib.cheng2025.certify_network import two_tokens
from uatlib.groups import Permutation, elements
from uatlib.kernels import CONSTANT, DOT, Kernel
from uatlib.layers import Attention, FeedForward, Head
from uatlib.model import Transformer
from uatlib.targets import exact_values, mean_product

from ..damages import edited, mapped, put
from ..registry import register


class Told(NamedTuple):
    """What `told_apart` finds: numbers, each with the tokens where it is attained, and how many pairs were compared.

    Attributes
    ----------
    across, within : the least distance of two tokens of sequences of different orbits, and of one sequence; at most 0
        where enclosures overlap
    conflict : the largest difference of the answers of two tokens, of any sequences, that are not told apart
    """

    across: tuple[Fraction, dict[str, object] | None]
    within: tuple[Fraction, dict[str, object] | None]
    conflict: tuple[Fraction, dict[str, object] | None]
    pairs: int


def told_apart(X: np.ndarray, Z: np.ndarray, members: list[Permutation], answers: np.ndarray) -> Told:
    """The distances of Definition 3, in the largest entry, for sequences X mapped to Z by token mixing.

    Parameters
    ----------
    X, Z : (N, d, n), exact; Z also balls
    members : all permutations of the group
    answers : (N, d, n), what a token-wise map is to make of the tokens of Z

    Source: cheng2025, Definition 3. That a conflict is what stands in the way of (25) is ours.
    """
    orbits = [min(tuple(map(tuple, x.T[list(p)])) for p in members) for x in X]
    low, high = (np.vectorize(lambda z, end=end: ends(z)[end], otypes=[object])(Z) for end in (0, 1))
    tokens = list(np.ndindex(len(Z), Z.shape[2]))
    none: tuple[Fraction, dict[str, object] | None] = (Fraction(10**9), None)
    across, within, conflict = none, none, (Fraction(0), none[1])
    for (i, k), (j, m) in itertools.combinations(tokens, 2):
        one, two = (i, slice(None), k), (j, slice(None), m)
        gap = max(max(low[one] - high[two]), max(low[two] - high[one]))
        if i == j and gap < within[0]:
            within = gap, two_tokens(X, (i, k), (j, m))
        if i != j and orbits[i] != orbits[j] and gap < across[0]:
            across = gap, two_tokens(X, (i, k), (j, m))
        if gap <= 0 and (wrong := max(abs(answers[one] - answers[two]))) > conflict[0]:
            conflict = wrong, two_tokens(X, (i, k), (j, m))
    return Told(across, within, conflict, len(tokens) * (len(tokens) - 1) // 2)


def products(X: np.ndarray, t: Any) -> np.ndarray:
    """Token k becomes prod_j (1 + t_k x_j), tokens of two entries multiplied as complex numbers; t (n,), exact.

    A polynomial in t_k whose roots are the tokens: it knows which tokens there are, and nothing of their order. Ours.
    """
    out = np.empty(X.shape, dtype=object)
    for k, scale in enumerate(t):
        re, im = X[..., 0, 0] * 0 + 1, X[..., 0, 0] * 0
        for j in range(X.shape[-1]):
            a, b = 1 + scale * X[..., 0, j], scale * X[..., 1, j]
            re, im = re * a - im * b, re * b + im * a
        out[..., :, k], out[..., 1, k] = re[..., None], im
    return out


def lattice(size: int, d: int) -> np.ndarray:
    """The first points of {1, 2, ...}^d, nearest to 0 first, as columns."""
    side = next(k for k in itertools.count(2) if k**d >= size)
    points = sorted(itertools.product(range(1, side + 1), repeat=d), key=lambda p: (max(p), p))
    return np.array(points[:size], dtype=object).T


def spread_sums(tokens: np.ndarray) -> FeedForward:
    """A ReLU layer by which sums of different tokens tell which ones they are: first entries become 2^j, j = 0, 1, ...

    Tokens, the columns of an array of whole numbers (d, M), are numbered by u . x with u = (1, B, B^2, ...), and the
    layer adds the broken line through their powers. Ours.
    """
    tokens = entries(tokens, "tokens", partial(whole, "tokens"))
    B = int(abs(tokens).max()) * 2 + 1
    u = np.array([B**i for i in range(len(tokens))], dtype=object)
    order = np.argsort(u @ tokens)
    places = (u @ tokens)[order]
    values = [Fraction(2**j - int(x)) for j, x in enumerate(tokens[0, order])]
    slopes = [(b - a) / int(q - p) for a, b, p, q in zip(values, values[1:], places, places[1:], strict=False)]
    bends = np.diff([Fraction(0), *slopes])
    w_2 = np.zeros((len(tokens), len(bends)), dtype=object)
    w_2[0] = bends
    b_2 = np.array([values[0], *[0] * (len(tokens) - 1)], dtype=object)
    return FeedForward(np.array([u] * len(bends)), -places[:-1], w_2, b_2)


EQUAL_POWERS = {
    2: ((0, 3), (1, 2)),
    3: ((0, 4, 5), (1, 2, 6)),
    4: ((0, 4, 7, 11), (1, 2, 9, 10)),
    5: ((0, 4, 8, 16, 17), (1, 2, 10, 14, 18)),
    6: ((0, 5, 6, 16, 17, 22), (1, 2, 10, 12, 20, 21)),
}
"""m numbers and m others with equal sums of the powers 1, ..., m - 1 (Prouhet, Tarry, Escott)."""


def equal_power_pair(n: int, d: int = 1) -> np.ndarray:
    """Two sequences (2, d, n) on a line: token 0 is shared, the others have equal sums of the powers 1, ..., n - 2."""
    line = np.array([Fraction(1, 1 + r) for r in range(d)], dtype=object)[:, None]
    rows = [[-1, *(1 + t for t in others)] for others in EQUAL_POWERS[n - 1]]
    return np.array([line * np.array([[Fraction(t, 8) for t in row]], dtype=object) for row in rows])


# --------------------------------------------------------------------------------------------------------- Definition 3


class Samples(NamedTuple):
    """Sequences X (N, d, n), the permutations of the group, token mixing, and the answers for which it is to do.

    Tokens of different orbits are compared, and those of one sequence, unless `across_alone`, as in (45).
    """

    X: np.ndarray
    members: list[Permutation]
    mix: Callable[[np.ndarray], np.ndarray]
    answers: np.ndarray
    across_alone: bool = False

    def separation(self, moved: object = 0) -> Told:
        """What the images tell, all entries larger by `moved`."""
        return told_apart(self.X, self.mix(self.X + moved), self.members, self.answers)


def attention(d: int, kernel: Kernel = DOT) -> Transformer:
    """One head of attention with fixed rational weights."""
    w_q, w_k, w_v = np.random.default_rng(1).integers(-40, 41, (3, d, d)).astype(object) * Fraction(1, 64)
    return Transformer([Attention([Head(w_q, w_k, w_v, np.eye(d, dtype=int))], kernel=kernel)])


def in_balls(model: Transformer) -> Callable[[np.ndarray], np.ndarray]:
    """The model, run in enclosures."""
    return lambda X: model(X, BALL)


def distance_checks(parts: Samples, separation: Told) -> list[Check]:
    """That tokens are apart after mixing, by at least so much."""
    kinds = {"different orbits": separation.across, "one sequence": separation.within}
    checks = [
        Check(f"tokens of {kind} after mixing, least distance", gap, ">", 0, where, "enclosed", separation.pairs)
        for kind, (gap, where) in kinds.items()
    ]
    return checks[:1] if parts.across_alone else checks


def conflict_check(name: str, separation: Told) -> Check:
    """That tokens which are not told apart have the same answers."""
    return Check(name, separation.conflict[0], "==", 0, separation.conflict[1], cases=separation.pairs)


def _certify_definition_3(parts: Samples) -> Certificate:
    pairs = [(x, j, k) for x in parts.X for j in range(x.shape[1]) for k in range(j)]
    apart = [max(abs(x[:, j] - x[:, k])) for x, j, k in pairs]
    separation = parts.separation()
    checks = [
        Check.worst("tokens of one X, least distance", apart, ">", 0, lambda k: {"X": pairs[k][0]}),
        *distance_checks(parts, separation),
        conflict_check("answers of tokens that are not told apart, largest difference", separation),
    ]
    _, d, n = parts.X.shape
    return Certificate(checks, parameters={"n": n, "d": d, "N": len(parts.X)})


def _zero_tokens(parts: Samples, rng: np.random.Generator) -> Samples | None:
    """Two sequences (0, u, -u, ...) and (0, v, -v, ...): a query 0 hears the mean."""
    X = parts.X.copy()
    if X.shape[2] < 3:
        return None
    X[1] = X[0]
    X[0, :, 0] = X[1, :, 0] = 0
    X[0, :, 2], X[1, :, 1], X[1, :, 2] = -X[0, :, 1], 2 * X[0, :, 1], -2 * X[0, :, 1]
    return parts._replace(X=X, answers=answers_at(X))


def answers_at(X: np.ndarray) -> np.ndarray:
    """Those of the function x_k times the mean."""
    return exact_values(mean_product(X.shape[2], X.shape[1]), X)


@edited("X")
def _token_twice(X: np.ndarray, parts: Samples, rng: np.random.Generator) -> None:
    i, (j, k) = int(rng.integers(len(X))), rng.choice(X.shape[2], 2, replace=False)
    X[i, :, j] = X[i, :, k]


def _averages(parts: Samples, rng: np.random.Generator) -> Samples | None:
    d, n = parts.X.shape[1:]
    return parts._replace(mix=in_balls(attention(d, CONSTANT))) if n > 2 else None


@register(
    "cheng2025:def-3",
    "one layer of softmax attention can distinguish the tokens of a finite set",
    source="Definition 3",
    chapter="cheng-condition",
    construction=told_apart,
    certify=_certify_definition_3,
    cases=[{"n": 2, "size": 5}, {"n": 3, "size": 5, "d": 3}],
    damages={
        "no mixing": put(mix=lambda X: X),
        "averages": _averages,
        "a token 0": _zero_tokens,
        "a token twice": _token_twice,
        "orders taken for different": mapped(members=lambda members: members[:1]),
    },
    concerns="proof",
    erratum="""The definition asks that the tokens of g(X_i) and g(X_j), 2n of them, are all distinct for X_i and X_j of
    different orbits, and Proposition 1 uses that. (45), in the proof of Theorem 2, has it fail only where a token of
    one sequence is a token of the other. A map that sends all tokens of X to one, which only depends on X, passes (45),
    and no token-wise map can give its tokens different answers. (Theorem 2 does not suffer: with the zero map in the
    family, almost all parameters keep the tokens of a sequence apart. Of sequences of one orbit alone the definition
    asks nothing.)""",
)
def samples(*, variant: object = "repaired", n: int = 3, size: int = 6, d: int = 2) -> Samples:
    """All n of some points of a lattice, each in two orders; printed: (45), and all tokens become one product."""
    n, size, d = whole("n", n, 2, 4), whole("size", size, 3, 8), whole("d", d, 2, 3)
    if n >= size:
        raise refused("n", f"n < size = {size}", n)
    points = lattice(size, d)
    X = np.array([points[:, list(row)] for row in itertools.combinations(range(size), n)])
    X = np.concatenate([X, X[:3, :, ::-1]])
    if variant == "printed":
        return Samples(X, elements("symmetric", n), lambda Y: products(Y, [Fraction(1, 7)] * n), answers_at(X), True)
    return Samples(X, elements("symmetric", n), in_balls(attention(d)), answers_at(X))
