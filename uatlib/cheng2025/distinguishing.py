"""Definition 3 on finitely many sequences: which tokens a map tells apart, and whether a look-up can finish the job."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic.numbers import entries, whole
from ..arithmetic.objects import ends
from ..groups import Permutation
from ..internal.shapes import Numbers
from ..layers import FeedForward


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


def two_tokens(X: np.ndarray, one: tuple[int, int], other: tuple[int, int]) -> dict[str, object]:
    """The witness of token k of sequence i and token m of sequence j: (i, k) and (j, m), from 0, shown from 1."""
    (i, k), (j, m) = one, other
    return {"X": X[i], "token": k + 1, "Y": X[j], "token of Y": m + 1}


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


def affine_image(layer: FeedForward, W: Numbers, A: Numbers, b: Numbers) -> FeedForward:
    """W h(A x - b) as a ReLU layer, for the layer h(x) = W_2 relu(W_1 x + b_1) + b_2: as many hidden units.

    Source: cheng2025, Definition 2.
    """
    W, A, b = (np.array(weight, dtype=object) for weight in (W, A, b))
    b_1 = np.zeros(len(layer.w_1), dtype=int) if layer.b_1 is None else layer.b_1
    b_2 = None if layer.b_2 is None else W @ layer.b_2
    return FeedForward(layer.w_1 @ A, b_1 - layer.w_1 @ b, W @ layer.w_2, b_2, skip=layer.skip)


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
