"""Token distinguishability is sufficient, not necessary: averages, and a feed-forward layer before them."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from uatlib.arithmetic import BALL, EXACT, distances
from uatlib.certificate import Certificate, Check
from uatlib.checks import whole
from uatlib.cheng2025.certify_network import two_tokens
from uatlib.groups import elements
from uatlib.kernels import CONSTANT, DOT, Kernel
from uatlib.layers import Attention, FeedForward, Head
from uatlib.model import Transformer

from ..damages import put
from ..registry import register
from .distinguishing import lattice, spread_sums, told_apart

# ------------------------------------------------------------------------------------------ sufficient, not necessary


class Averages(NamedTuple):
    """Layers of average attention, the feed-forward layer before one of them, and all n of some tokens."""

    tokens: np.ndarray
    n: int
    between: FeedForward
    average: Transformer
    kernel: Kernel = CONSTANT


def _equal_means(n: int) -> np.ndarray:
    """(-k, 0, k, 3, ...) with second entries 1/2, k = 1, 2."""
    return np.array([[[k * (j - 1) if j < 3 else j for j in range(n)], [Fraction(1, 2)] * n] for k in (1, 2)])


def _certify_averages(parts: Averages) -> Certificate:
    """Two sequences with one mean and one token in common; then all sets, with a feed-forward layer before."""
    tokens, n = parts.tokens, parts.n
    d, pair = len(tokens), _equal_means(n)
    rng = np.random.default_rng(0)
    drawn = [Fraction(1, 4) * rng.integers(-3, 4, (6, 2, 2)).astype(object) for _ in range(5)]
    eye = np.eye(2, dtype=int)
    gaps = []
    for weights, depth in itertools.product(drawn, range(1, 7)):
        layers = [Attention([Head(eye, eye, eye, w)], kernel=parts.kernel) for w in weights[:depth]]
        out = Transformer(layers)(pair, EXACT if parts.kernel is CONSTANT else BALL)
        gaps.append((distances(out[0, :, 1], out[1, :, 1]).max(), depth))
    alike, depth = max(gaps, key=lambda pair: pair[0])
    rows = np.array([tokens[:, list(row)] for row in itertools.combinations(range(tokens.shape[1]), n)])
    mixed = Transformer([parts.between, *parts.average.layers])(rows, EXACT)
    separation = told_apart(rows, mixed, elements("symmetric", n), 0 * rows)
    (across, at_across), (within, at_within) = separation.across, separation.within
    where = {**two_tokens(pair, (0, 1), (1, 1)), "layers": depth}
    checks = [
        Check("averages alone, token in common: largest difference", alike, "==", 0, where, "sampled", len(gaps)),
        Check("a feed-forward layer first: different sets, least distance", across, ">", 0, at_across),
        Check("the same, tokens of one sequence", within, ">", 0, at_within, cases=separation.pairs),
    ]
    return Certificate(checks, parameters={"n": n, "d": d, "tokens": tokens.shape[1]})


def _constant_for_ever(*, n: int = 3) -> list[Check]:
    """What no averages tell apart, behind x + relu(x_1) e_1 and one average."""
    pair, eye = _equal_means(whole("n", n, 3, 4)), np.eye(2, dtype=int)
    bend = FeedForward([[1, 0]], [0], [[1], [0]])
    one, other = Transformer([bend, Attention([Head(eye, eye, eye, eye)], kernel=CONSTANT)])(pair, EXACT)[..., 1]
    name = "x + relu(x_1) e_1, then averages: difference of the token that averages alone never tell apart"
    return [Check(name, abs(one - other).max(), "==", 0, two_tokens(pair, (0, 1), (1, 1)))]


def _without_bend(parts: Averages, rng: np.random.Generator) -> Averages:
    """The layer adds nothing."""
    h = parts.between
    return parts._replace(between=FeedForward(h.w_1, h.b_1, 0 * h.w_2, 0 * h.b_2))


@register(
    "cheng2025:not-necessary",
    "averages do not distinguish tokens at any depth, and do behind a feed-forward layer",
    source="after Definition 3",
    chapter="cheng-condition",
    construction=spread_sums,
    certify=_certify_averages,
    cases=[{"n": 4}, {"size": 8, "d": 3}],
    damages={
        "softmax in place of averages": put(kernel=DOT),
        "a feed-forward layer that does nothing": _without_bend,
        "no averages": lambda parts, rng: parts._replace(average=Transformer([parts.between])),
    },
    printed=_constant_for_ever,
    concerns="sentence",
    erratum="""Where all mixing layers give token i the same for all X of a set, every transformer is said to do so.
    That leaves out the feed-forward layers between: token 2 of (-1, 0, 1) and (-2, 0, 2), with second entries 1/2, is
    the same after any number of averages, and is not if a ReLU layer comes first.""",
)
def averages(*, n: int = 3, size: int = 6, d: int = 2) -> Averages:
    """Layers X + A mean(X) of random A, up to six, and one behind the layer that makes all sums of tokens differ."""
    n, size, d = whole("n", n, 3, 4), whole("size", size, 5, 9), whole("d", d, 2, 3)
    tokens, eye = lattice(size, d), np.eye(d, dtype=int)
    # Less than 1/2 is added to the powers, so that different tokens stay apart.
    average = Transformer([Attention([Head(eye, eye, eye, Fraction(1, 2**size) * eye)], kernel=CONSTANT)])
    return Averages(tokens, n, spread_sums(tokens), average)
