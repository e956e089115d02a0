"""The exercises of the page *Cheaper than attention*."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ...answers import numbers, whole, wholes
from ..exercise import exercise


def confused(weights: Sequence[Fraction], N: int) -> dict[str, object]:
    """Two contexts of three tokens below N in which some tokens get one number, or nothing."""
    own, first, second = weights
    found: dict[Fraction, tuple[int, tuple[int, ...]]] = {}
    for L in itertools.combinations_with_replacement(range(N), 3):
        for x in sorted(set(L)):
            number = own * x + first * sum(L) + second * sum(t * t for t in L)
            if number in found and found[number] != (x, L):
                other, K = found[number]
                return {"x": x, "L": L, "y": other, "K": K, "number": number}
            found[number] = x, L
    return {}


@exercise(
    "ex-mixers-squares",
    about=["yun2020:sec-h-average"],
    asks="Three tokens out of 0 to N - 1, with N = {N}. A token x gets the number `a x + b s + c q`, "
    "with s the sum of all tokens and q that of their squares. Choose a, b and c so that this number tells it its own "
    "value and all three tokens, up to order.",
    hands_in=numbers("a, b, c", 3),
    varies={"N": [8, 17, 18, 19, 20]},
    rubric={
        "own token": "The own token must be heard: with a = 0 all tokens of a sequence get the same number.",
        "no two confused": "Token {x} of {L} and token {y} of {K} both get {number}.",
    },
    reference=lambda N: (1, N, 3 * N * N),
    wrong={
        "no own token": (lambda N: (0, 1, 3 * N), "own token"),
        "too small": ((1, 2, 3), "no two confused"),
        "sums alone": (lambda N: (1, N, 0), "no two confused"),
    },
    hint="Write them as digits of one number: the token is below N, and the sum below 3N.",
    why="Two sums beside the own token name three tokens: a cheap mixer can know its context.",
)
def mixers_squares(weights: list[Fraction], N: int) -> Iterable[Check]:
    """All sequences of three, none confused."""
    pair = confused(weights, N)
    yield Check.none("own token", [{}] if weights[0] == 0 else [])
    yield Check.none("no two confused", [pair] if pair else [], cases=N**3)


def total(tokens: Iterable[int], base: int) -> int:
    """What the average tells: the sum of the powers."""
    return sum(base**x for x in tokens)


@exercise(
    "ex-mixers-base",
    about=["yun2020:sec-h-average"],
    asks="n = {n} tokens out of 0, 1, 2; a token is told its own value and the sum of b^x over all, in "
    "the base b. Which is the smallest base, from 2 on, that tells all contexts apart? And name two sequences that the "
    "next smaller one confuses.",
    hands_in=[whole("base", 2, 20), wholes("first", least=0, most=2), wholes("second", least=0, most=2)],
    varies={"n": [5, 6, 7, 8]},
    rubric={
        "base": "{given} is not it. In which base do two sequences with a common token first have the same sum?",
        "different contexts": "Two sequences of {n} tokens each, not the same tokens in another order.",
        "equal sums": "In base {base} their sums are {one} and {other}.",
        "a common token": "They share no token. Each token knows its own value, so that it cannot take one for the "
        "other.",
    },
    reference=lambda n: (n - 1, [0] * (n - 1) + [2], [0] + [1] * (n - 1)),
    wrong={
        "not the smallest": (lambda n: (n + 1, [0] * (n - 1) + [2], [0] + [1] * (n - 1)), "base"),
        "no common token": (lambda n: (n - 1, [0] * n, [1] * n), "equal sums"),
        "one order and another": (lambda n: (n - 1, [0] * (n - 1) + [2], [2] + [0] * (n - 1)), "different contexts"),
    },
    entry=("different contexts", "a common token"),
    hint="Trade beads: which two piles on neighbouring wires are worth the same?",
    why="The base n + 1 makes digits of the counts; a smaller one is enough, because a token knows itself.",
)
def mixers_base(base: int, first: list[int], second: list[int], n: int) -> Iterable[Check]:
    """n - 1, and a pair that n - 2 confuses."""
    least = next(b for b in range(2, n + 2) if not any(confusions(b, n)))
    below = least - 1
    one, other = total(first, below), total(second, below)
    proper = len(first) == len(second) == n and sorted(first) != sorted(second)
    yield Check.none("base", [] if base == least else [{"given": base}])
    yield Check.none("different contexts", [] if proper else [{"first": tuple(first)}])
    # The sums would tell the base to whoever has not found it.
    told = {"base": below, "one": one, "other": other} if proper and base == least else {}
    yield Check.none("equal sums", [] if proper and one == other else [told])
    yield Check.none("a common token", [] if set(first) & set(second) else [{"first": tuple(first)}])


def confusions(base: int, n: int) -> Iterable[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Pairs of contexts of n tokens with a common token and equal sums."""
    contexts = itertools.combinations_with_replacement(range(3), n)
    for one, other in itertools.combinations(contexts, 2):
        if set(one) & set(other) and total(one, base) == total(other, base):
            yield one, other


def layers_to_hear(n: int, k: int, token: int) -> int:
    """Layers of filters of k neighbouring tokens, the middle one itself, until this token has heard of all n."""
    heard, layers = {token}, 0
    while len(heard) < n:
        heard |= {j + step for j in heard for step in range(-(k // 2), k // 2 + 1) if 0 <= j + step < n}
        layers += 1
    return layers


@exercise(
    "ex-mixers-predict",
    about=["yun2020:sec-h-sepconv"],
    asks="{case[0]} tokens, counted from 0, and filters with k = {case[1]}: a token hears itself and as many on "
    "either side. After how many layers does every token hear every other? And after how many does token {case[2]}?",
    hands_in=[whole("every token"), whole("one token")],
    varies={"case": [(12, 5, 5), (14, 5, 4), (15, 3, 6), (20, 7, 8), (23, 5, 9)]},
    rubric={
        "every token": "Not {given}. Who has the longest way, and how far does a layer reach?",
        "one token": "Not {given}. On which side of token {case[2]} do more tokens stand, and how many?",
    },
    wrong={
        "both sides at once": (
            lambda case: (-(-(case[0] - 1) // (case[1] - 1)), layers_to_hear(*case)),
            "A filter of {case[1]} hears one less than that of others, half of them on each side. From one end "
            "to the other only one half counts.",
        ),
        "as from an end": (
            lambda case: (layers_to_hear(case[0], case[1], 0), layers_to_hear(case[0], case[1], 0)),
            "one token",
        ),
        "one too many": (lambda case: (layers_to_hear(case[0], case[1], 0) + 1, layers_to_hear(*case)), "every token"),
    },
    hint="How far apart are the two ends, and by how much does each layer reach farther?",
    why="The ends wait longest: depth is the longest way over half the filter.",
)
def mixers_predict(case: tuple[int, int, int]) -> tuple[int, int]:
    """Hop by hop."""
    n, k, _ = case
    return max(layers_to_hear(n, k, token) for token in range(n)), layers_to_hear(*case)


def clash(weights: Sequence[int], D: int) -> dict[str, object]:
    """Two tokens of sequences of two different tokens that get one number, x_j + w_1 x_1 + w_2 x_2; or nothing."""
    found: dict[int, tuple[int, tuple[int, int]]] = {}
    for L in itertools.permutations(range(D), 2):
        for x in L:
            number = x + weights[0] * L[0] + weights[1] * L[1]
            if number in found:
                y, K = found[number]
                return {"x": x, "L": L, "y": y, "K": K, "number": number}
            found[number] = x, L
    return {}


@functools.cache
def best_weights(D: int) -> tuple[int, int]:
    """Of all that tell all apart, a pair whose larger one is smallest."""
    pairs = ((u, v) for top in range(1, D * D + 1) for u in range(top + 1) for v in range(top + 1) if top in (u, v))
    return next(pair for pair in pairs if not clash(pair, D))


@exercise(
    "ex-mixers-table",
    about=["yun2020:sec-h-bproj"],
    asks="Two tokens x_1, x_2, different and out of 0 to D - 1, with D = {D}. The projection with the rows (w_1, w_1) "
    "and (w_2, w_2) gives token x_j the number x_j + w_1 x_1 + w_2 x_2. Name whole numbers w_1 and w_2, 0 or more, "
    "with which all numbers of all sequences differ, those of (x_1, x_2) and of (x_2, x_1), too, the larger one as "
    "small as possible.",
    hands_in=wholes("weights", 2, 0, 400),
    varies={"D": [4, 5, 6, 7]},
    rubric={
        "all differ": "Token {x} of {L} and token {y} of {K} both get {number}.",
        "smallest": "All numbers differ, but it can be done with a smaller largest weight than {given}.",
    },
    reference=lambda D: best_weights(D),
    wrong={
        "powers": (lambda D: (D, D * D), "smallest"),
        "equal rows": (
            lambda D: (D - 1, D - 1),
            "Equal rows see the sum alone, which (x_1, x_2) and (x_2, x_1) share. The slides allow that; Definition "
            "E.1 as printed does not.",
        ),
        "base N": (lambda D: (1, D), "all differ"),
        "one row": (lambda D: (0, D * D), "all differ"),
    },
    hint="Powers need no number above D squared. Where do they leave gaps? x_1 = x_2 never happens.",
    why="Powers are proved to work, and a search finds smaller weights.",
)
def mixers_table(weights: list[int], D: int) -> Iterable[Check]:
    """All sequences, none confused; and all smaller pairs have been tried."""
    pair = clash(weights, D)
    least = max(best_weights(D))
    yield Check.none("all differ", [pair] if pair else [], cases=D * (D - 1))
    small = max(weights) <= least
    yield Check.none("smallest", [] if small and not pair else [{} if small else {"given": max(weights)}])
