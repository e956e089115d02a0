"""An exercise on networks that do not listen."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import number, wholes
from .exercise import exercise


def least_square(n: int) -> Fraction:
    """The integral of x^2 times the variance of the mean of the others, for all tokens; squares integrate to 1/3."""
    variance = Fraction(n - 1, n * n) * (Fraction(1, 3) - Fraction(1, 4))
    return n * variance * Fraction(1, 3)


@exercise(
    "ex-universality-deaf",
    about=["kajitsuka2024:prop-1"],
    asks="f(X)_k is x_k times the mean of {n} tokens, on the unit box. A network of feed-forward layers alone gives "
    "each token x_k one answer, whatever the others are. Which is the best answer to a token 1? And if all answers are "
    "the best, what is the square of the distance from f in d_2?",
    hands_in=[number("answer"), number("square")],
    varies={"n": [3, 2, 4, 5, 6]},
    rubric={
        "answer": "Not {given}. For x_k = 1 the best single answer is the mean of f over all that the others may be.",
        "square": "Not {given}. For a fixed x_k what is left is x_k^2 times the variance of the mean. Integrate over "
        "x_k, and add up all {n} tokens.",
    },
    wrong={
        "as if alone": (
            lambda n: (1, least_square(n)),
            "That is f if all tokens are 1. The others may be anything: their mean is 1/2.",
        ),
        "all at 1/2": (lambda n: (Fraction(1, 2), least_square(n)), "answer"),
        "the distance": (
            lambda n: (best(n), f"sqrt({least_square(n)})"),
            "That is the distance. Its square is asked for.",
        ),
        "one token": (
            lambda n: (best(n), least_square(n) / n),
            "That is what one token is off. All {n} count.",
        ),
        "nothing": (lambda n: (best(n), 0), "square"),
        "without x": (lambda n: (best(n), 3 * least_square(n)), "square"),
    },
    hint="The variance of a uniform number on [0, 1] is 1/12; that of the mean of n tokens, one of them fixed, is (n "
    "- 1) / (12 n^2).",
    why="No feed-forward network comes nearer, however wide: what is missing is the one layer of attention.",
)
def universality_deaf(n: int) -> tuple[Fraction, Fraction]:
    """By the two means."""
    return best(n), least_square(n)


def best(n: int) -> Fraction:
    """At 1: the mean of 1 and n - 1 tokens of mean 1/2."""
    return (1 + (n - 1) * Fraction(1, 2)) / n


Levels = Sequence[int]


def confused(levels: Levels) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Twos of levels, which may be one level twice, with the same sum."""
    twos = [*itertools.combinations_with_replacement(sorted(set(levels)), 2)]
    return [(a, b) for a, b in itertools.combinations(twos, 2) if sum(a) == sum(b)]


def least_levels(least: int) -> list[int]:
    """The first five without such twos, by their largest."""
    for most in itertools.count(least + 4):
        for row in itertools.combinations(range(least, most), 4):
            if not confused([*row, most]):
                return [*row, most]
    raise AssertionError


@exercise(
    "ex-universality-levels",
    about=["kajitsuka2024:prop-1"],
    asks="beta = 0: a token hears the mean of three tokens, itself and two others, equal ones among them or not. So "
    "let the first block send five cells to five whole numbers, {least} or larger, such that any two others of a token "
    "can be told from what it hears. How small can the largest of the five be? Name five such levels.",
    hands_in=wholes("levels", 5, 0, 10_000),
    varies={"least": [0, 1, 2, 5, 10]},
    rubric={
        "levels": "Five different whole numbers, {least} or larger.",
        "told apart": "The two others {one} and {other} have the same sum, {sum}.",
        "small": "They are told apart, and the largest, {given}, can be smaller.",
    },
    reference=least_levels,
    wrong={
        "equally spaced": (lambda least: [least + k for k in range(5)], "told apart"),
        "two different others": (lambda least: [least + k for k in (0, 1, 2, 4, 7)], "told apart"),
        "powers of two": (lambda least: [least + k for k in (0, 1, 3, 7, 15)], "small"),
        "one at a time": (lambda least: [least + k for k in (0, 1, 3, 7, 12)], "small"),
        "two cells alike": (lambda least: [least + k for k in (0, 1, 3, 7, 7)], "levels"),
    },
    entry=("levels",),
    hint="Two sums are equal exactly if two differences are: a + d = b + c means d - c = b - a. How many differences "
    "have five levels, and can these be 1, 2, 3, ... without a gap?",
    why="Ten differences must all be different, and a span of ten has no room for them: eleven is the least. With such "
    "levels the mean of three tokens tells all, and the head need not be sharp.",
)
def universality_levels(levels: Levels, least: int) -> Iterable[Check]:
    """All twos of others; and the least largest level, by trying all."""
    proper = len(set(levels)) == 5 and min(levels) >= least
    pairs = confused(levels)
    yield Check.none("levels", [] if proper else [{}])
    told = [{"one": a, "other": b, "sum": sum(a)} for a, b in pairs]
    yield Check.none("told apart", [] if proper and not told else told[:1] if proper else [{}])
    good = proper and not told
    fits = good and max(levels) == max(least_levels(least))
    yield Check.none("small", [] if fits else [{"given": max(levels)} if good else {}])
