"""Kajitsuka, Sato (2024): one attention layer as a contextual mapping, literally and at scales that floats can run.

What is built on it: `memorise` (Corollaries 1 and 2) and `build` (Proposition 1). `certify` takes each of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np

from ..arithmetic import BALL, FLOAT64, Arithmetic, Ball
from ..arithmetic.base import is_int
from ..attention_margin import PracticalScale, certified_margin, contexts, margins, practical_scale
from ..certificate import Certificate, Check, Construction
from ..layers import Attention, Head
from ..memorisation import Memory, label_weights, memorise, positional_encoding
from ..model import Transformer
from ..rank_one_attention import Separation, has_rank_one, rank_one_attention, separation
from ..relu_steps import bump, penalty, quantizer
from ..token_projection import Direction, direction, direction_odds, projections, tokens_of
from .kajitsuka2024_certify import certify_network
from .kajitsuka2024_memory import certify_memory
from .kajitsuka2024_network import first_layer, second_layer
from .kajitsuka2024_universality import build

__all__ = [
    "Direction",
    "Memory",
    "PracticalScale",
    "Separation",
    "build",
    "bump",
    "certified_margin",
    "certify",
    "certify_layer",
    "certify_memory",
    "certify_network",
    "collisions",
    "contexts",
    "direction",
    "direction_odds",
    "first_layer",
    "hardmax_heads",
    "hardmax_pair",
    "label_weights",
    "margins",
    "memorise",
    "penalty",
    "positional_encoding",
    "practical_scale",
    "projections",
    "quantizer",
    "rank_one_attention",
    "second_layer",
    "separation",
    "small_hardmax",
]

MAX_BITS = 200_000
"""Working precision at which `certify` still runs the layer."""


# --------------------------------------------------------------------------------------------------- Theorem 1: hardmax


def hardmax_pair(n: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Sequences of numbers whose shared tokens no layer of hardmax attention tells apart: (1, 2, 5, 6), (1, 3, 4, 6).

    For n > 4 both go on with 7, ..., n + 2. For tokens that are multiples of one vector, a head weighs the tokens by
    their scores kappa x_k x_j: it takes the mean of the largest x_j, of the smallest, or of all if the scores tie. All
    three are equal for the pair.

    Raises
    ------
    ValueError
        n is no int >= 4: for fewer tokens a layer can be a contextual mapping, see `small_hardmax`.

    Source: kajitsuka2024, Theorem 1, whose proof has (1, 2, 4) and (1, 3, 4); their means differ. The pair is ours.
    """
    if not is_int(n, 4):
        raise ValueError(f"hardmax_pair: expected n to be an int >= 4, got {n!r}; shorter sequences are told apart.")
    rest = tuple(range(7, n + 3))
    return (1, 2, 5, 6, *rest), (1, 3, 4, 6, *rest)


def hardmax_heads(writes: dict[int, Any]) -> Attention:
    """Hardmax attention on numbers: for each sign of the scores' factor kappa = 1, 0, -1 a head that writes so much.

    On positive tokens the head of 1 hears the maximum, that of -1 the minimum, that of 0 the mean.
    """
    return Attention([Head([[sign]], [[1]], [[1]], [[write]]) for sign, write in writes.items()], "hardmax")


def small_hardmax(n: int, size: int) -> Attention:
    """A hardmax layer that is a contextual mapping for n = 2 or 3 different tokens out of 1, ..., size.

    n = 2: one head of the mean. n = 3: heads of the mean, the maximum and the minimum, which together say which three
    tokens there are. They are written as digits in a base M > n size: x + n mean / M + max / M^2 + min / M^3.

    Raises
    ------
    ValueError
        n is neither 2 nor 3, or size is no int > n.

    Source: ours; it shows that kajitsuka2024, Theorem 1, needs n >= 4.
    """
    if n not in (2, 3) or not is_int(size, n + 1):
        raise ValueError(f"small_hardmax: expected n = 2 or 3 and an int size > n, got n = {n!r} and size = {size!r}.")
    M = n * size + 1
    mean = {0: Fraction(n, M)}
    return hardmax_heads(mean if n == 2 else {**mean, 1: Fraction(1, M**2), -1: Fraction(1, M**3)})


# --------------------------------------------------------------------------------------------------- Theorem 2: softmax


def _runs(model: Transformer, vocabulary: Any, n: int, system: Arithmetic) -> tuple[list[tuple[int, ...]], Any]:
    """All contexts without repeats, each in one order, and the outputs, shape (contexts, d, n)."""
    tokens = tokens_of(vocabulary)
    rows = contexts(tokens.shape[1], n)
    X = np.stack([tokens[:, list(row)] for row in rows])
    return rows, model(X, system)


def _same_token_pairs(rows: Sequence[tuple[int, ...]]) -> list[tuple[int, int, int, int]]:
    """(i, k, j, l): contexts i < j that have one token in common, at k and at l."""
    return [
        (i, a.index(t), j, b.index(t))
        for (i, a), (j, b) in itertools.combinations(enumerate(rows), 2)
        for t in a
        if t in b
    ]


def collisions(model: Transformer, vocabulary: Any, n: int, system: Arithmetic = FLOAT64) -> tuple[int, int]:
    """How many pairs of one token in two contexts get the same id from the layer in a float system, and of how many.

    Raises
    ------
    ValueError
        As `tokens_of` and `contexts`.
    """
    rows, Z = _runs(model, vocabulary, n, system)
    pairs = _same_token_pairs(rows)
    return sum(bool((Z[i, :, k] == Z[j, :, m]).all()) for i, k, j, m in pairs), len(pairs)


def _square(difference: Any) -> Ball:
    """The sum of squares of native balls, rounded to the bits of BALL after the difference, which keeps its size."""
    square: Any = BALL.output(np.asarray((difference * difference).sum(), dtype=object))
    return square[()]


def _log10_root(square: Ball) -> float:
    """log10 of the root of a square; -inf if it may be 0."""
    if not square.lower > 0:
        return -math.inf
    with BALL.context():
        return float(BALL.output(BALL.log_sum(BALL.array([square])))[()]) / math.log(100)


@singledispatch
def certify(built: Any, *arguments: Any, **options: Any) -> Certificate:
    """What is claimed of a layer, a memory or a network of this module, beside what is measured.

    `certify_layer(model, vocabulary, n, slack=..., spacing=...)` for a layer of Theorem 2, `certify_memory(memory,
    system=...)` for what `memorise` returns, `certify_network(construction, literal=..., samples=...)` for what `build`
    returns.

    Raises
    ------
    ValueError
        Something else, or as those.
    """
    raise ValueError(
        f"certify: expected a Transformer with its vocabulary and n, a Memory or a Construction, got {built!r}."
    )


def certify_layer(
    model: Transformer, vocabulary: Any, n: int, *, slack: Any = Fraction(1, 1000), spacing: Any = None
) -> Certificate:
    """Theorem 2 for a layer on all sequences of n different tokens, run in BALL with the bits that its delta needs.

    The layer is permutation equivariant, so every set of tokens is run in one order. `slack` and `spacing` are those of
    `separation`, which says what is promised.

    Raises
    ------
    ValueError
        As `separation` and `contexts`; more than 200,000 bits would be needed, which is said before anything runs.
    """
    promised = separation(vocabulary, n, slack, spacing=spacing)
    if promised.bits > MAX_BITS:
        raise ValueError(
            f"certify: the delta of Theorem 2 needs {promised.bits:,} bits here, the limit is {MAX_BITS:,}; take "
            "a spacing like 3/2, fewer or shorter tokens, or a scale of practical_scale."
        )
    rows, Z = _runs(model, vocabulary, n, BALL.with_bits(promised.bits))
    pairs = _same_token_pairs(rows)
    different = [
        (i, k, j, m)
        for (i, a), (j, b) in itertools.product(enumerate(rows), repeat=2)
        for k, m in itertools.product(range(n), repeat=2)
        if a[k] < b[m]
    ]
    with BALL.context():
        ids = BALL.array(Z)
        norms = [_square(ids[i, :, k]) for i in range(len(rows)) for k in range(n)]
        gaps = [_square(ids[i, :, k] - ids[j, :, m]) for i, k, j, m in pairs]
        others = [_square(ids[i, :, k] - ids[j, :, m]) for i, k, j, m in different]
    least = min(range(len(pairs)), key=lambda p: gaps[p].lower)
    i, k, j, _ = pairs[least]
    layer = model.layers[0]
    crooked = [name for name, w in layer.weights().items() if not has_rank_one(w)]
    witness = f"token {rows[i][k] + 1} in the contexts {[t + 1 for t in rows[i]]} and {[t + 1 for t in rows[j]]}"
    return Certificate(
        [
            Check(
                "||id||^2, largest, against r^2 of (7)",
                max(u.upper for u in norms),
                "<",
                promised.r**2,
                None,
                "enclosed",
                len(norms),
            ),
            Check(
                "log10 ||difference of ids||, one token in two contexts, against delta of (8)",
                _log10_root(gaps[least]),
                ">",
                promised.log10_delta,
                witness,
                "enclosed",
                len(pairs),
            ),
            Check(
                "||difference of ids||^2, two tokens, against (eps/2)^2 of (28)",
                min(u.lower for u in others),
                ">",
                promised.eps**2 / 4,
                None,
                "enclosed",
                len(others),
            ),
            Check("weights that are not of rank 1", len(crooked), "==", 0, crooked or None, cases=4),
        ],
        "Layer of kajitsuka2024",
        {"V": promised.size, "d": promised.d, "n": n, "bits": promised.bits},
    )


certify.register(Transformer, certify_layer)
certify.register(Memory, certify_memory)
certify.register(Construction, certify_network)
