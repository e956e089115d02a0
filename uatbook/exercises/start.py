"""The exercises of the page *A network in three steps*."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import choice, number, whole, wholes
from .exercise import exercise


@exercise(
    "ex-start-diagonal",
    asks="Three tokens, each in one of N = {N} cells of width 1/N. What fraction of all sequences has two or more "
    "tokens in one cell: about 1/N, 2/N or 3/N? And exactly?",
    hands_in=[choice("order", "1/N", "2/N", "3/N"), number("fraction")],
    varies={"N": [8, 5, 6, 7, 9, 10, 11, 12]},
    rubric={
        "order": "How many pairs of tokens are there, and how often does a pair share a cell?",
        "fraction": "{given} is not the fraction. Count what is kept: the second token avoids one cell of {N}, the "
        "third two.",
    },
    wrong={
        "overlaps twice": (
            lambda N: ("3/N", Fraction(3, N)),
            "Three pairs share a cell with chance 1/N each, but where all three tokens agree you count the cell three "
            "times.",
        ),
        "two tokens": (
            lambda N: ("1/N", Fraction(1, N)),
            "That is what two tokens lose. With three there are three pairs.",
        ),
        "what is kept": (lambda N: ("3/N", 1 - Fraction(3 * N - 2, N * N)), "That is the fraction that is kept."),
    },
    hint="What is kept has three tokens in three different cells: N (N - 1) (N - 2) boxes out of N^3.",
    why="So what the first network gives up shrinks like the width of a cell, and never to nothing.",
)
def diagonal(N: int) -> tuple[str, Fraction]:
    """What is lost."""
    return "3/N", Fraction(3 * N - 2, N * N)


def swept(context: Iterable[int], N: int) -> dict[int, int]:
    """What each token carries after the sweep, without the last layer: l + N times the range when its turn comes."""
    numbers = {token: token for token in context}
    for token in sorted(numbers):
        numbers[token] += N * (max(numbers.values()) - min(numbers.values()))
    return numbers


def same_ends(N: int, least: int, token: int) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Two contexts with the same smallest and the same largest token."""
    return (least, least + 1, N - 1), (least, least + 2, N - 1), token


@exercise(
    "ex-start-break",
    about=["yun2020:lem-8"],
    asks="Leave out the last layer, the one that lifts all. Name two contexts of three different tokens out of "
    "{case[1]} to N - 1, with N = {case[0]}, and a token of both that gets the same number in both.",
    hands_in=[wholes("first", 3), wholes("second", 3), whole("token")],
    varies={"case": [(4, 0), (5, 1), (6, 1), (6, 2), (7, 2), (7, 3)]},
    rubric={
        "contexts": "Take two different sets of three different tokens out of {case[1]} to N - 1, and a token of both.",
        "same number": "Token {token} gets {one} in the first context and {other} in the second. The token that is "
        "lifted first sees only the largest and the smallest: keep both.",
    },
    reference=lambda case: same_ends(case[0], case[1], case[1]),
    wrong={
        "another largest token": (
            lambda case: ([case[1] + k for k in (0, 1, 2)], [case[1] + k for k in (0, 1, 3)], case[1]),
            "same number",
        ),
        "a token lifted later": (lambda case: same_ends(case[0], case[1], case[0] - 1), "same number"),
        "one context in two orders": (
            lambda case: ([case[1] + k for k in (0, 1, 3)], [case[1] + k for k in (3, 1, 0)], case[1]),
            "contexts",
        ),
    },
    hint="Look for two contexts with the same largest and the same smallest token.",
    why="Largest and smallest alone do not name a context: the last layer has to.",
)
def no_lift(first: list[int], second: list[int], token: int, case: tuple[int, int]) -> Iterable[Check]:
    """A token that cannot tell two contexts apart."""
    N, least = case
    both = [set(first), set(second)]
    proper = both[0] != both[1] and all(len(c) == 3 and c <= set(range(least, N)) and token in c for c in both)
    one, other = (swept(c, N).get(token, -1) if proper else -1 for c in both)
    yield Check.none("contexts", [] if proper else [{}])
    told = {"token": token, "one": one, "other": other} if proper else {}
    yield Check.none("same number", [] if proper and one == other else [told])


def least_factor(N: int) -> int:
    """Tried one by one: with which factor all contexts of three end with another largest number."""
    contexts = [*itertools.combinations(range(N), 3)]
    tops = ((c, {max(swept(row, c).values()) for row in contexts}) for c in itertools.count(1))
    return next(c for c, found in tops if len(found) == len(contexts))


def factor_pair(N: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two contexts that one less takes for one another: the smallest token goes up by 1, the middle one down."""
    return (0, N - 2, N - 1), (1, 2, N - 1)


@exercise(
    "ex-start-factor",
    about=["yun2020:lem-8"],
    asks="N = {N}, contexts of three different tokens, without the last layer. In place of N take another whole number "
    "c: a token in its turn is lifted by c times the range. What is the least c with which different contexts always "
    "end with different largest numbers? And which two contexts end alike with one less?",
    hands_in=[whole("c", 1, 100), wholes("first", 3), wholes("second", 3)],
    varies={"N": [8, 7, 9, 10, 11]},
    rubric={
        "c": "Not {given}. Write the largest number at the end as a multiple of each token, added up: by what can two "
        "contexts differ so that it stays?",
        "contexts": "Take two different contexts of three different whole numbers from 0 on, all below {N}.",
        "end alike": "With one less than the least c their largest numbers are {one} and {other}.",
    },
    reference=lambda N: (least_factor(N), *factor_pair(N)),
    wrong={
        "as the network": (
            lambda N: (N, *factor_pair(N)),
            "With {N} it works: that is what the network takes. Something smaller works as well.",
        ),
        "as the largest token": (
            lambda N: (N - 1, *factor_pair(N)),
            "It works with the largest token as c. Something smaller works as well.",
        ),
        "half": (lambda N: (N // 2, *factor_pair(N)), "c"),
        "the same ends": (lambda N: (least_factor(N), (0, 1, N - 1), (0, 2, N - 1)), "end alike"),
        "one context twice": (lambda N: (least_factor(N), (0, 1, 2), (2, 1, 0)), "contexts"),
    },
    hint="Follow a < b < c through their lifts, in this order. Keep the largest token and move the smallest by one: "
    "how far must the middle one go so that nothing changes at the end, and is there room for that?",
    why="The lifts write a context as digits. N leaves room for any digits, and those of three different tokens are "
    "never so far apart.",
)
def start_factor(c: int, first: list[int], second: list[int], N: int) -> Iterable[Check]:
    """By trying all contexts; and two of them with one less."""
    least = least_factor(N)
    yield Check.none("c", [] if c == least else [{"given": c}])
    both = [set(first), set(second)]
    proper = both[0] != both[1] and all(len(row) == 3 and row <= set(range(N)) for row in both)
    yield Check.none("contexts", [] if proper else [{}])
    one, other = (max(swept(row, least - 1).values()) if proper else -1 for row in both)
    told = {"one": one, "other": other} if proper and c == least else {}  # it would tell c
    yield Check.none("end alike", [] if proper and one == other else [told])


Linear = tuple[tuple[int, int], tuple[int, int]]
"""Rows of a linear map of two tokens: the two answers."""


def turned(f: Linear) -> Linear:
    """Its answers to the exchanged tokens, exchanged back."""
    (a, b), (c, d) = f
    return (d, c), (b, a)


def squared(f: Linear, g: Linear) -> Fraction:
    """The square of their distance in d_2 on the unit square: the integral of (u x + v y)^2, for both answers."""
    rows = [(p - q, r - s) for (p, r), (q, s) in zip(f, g, strict=True)]
    return sum((Fraction(u * u + v * v, 3) + Fraction(u * v, 2) for u, v in rows), Fraction(0))


LINEAR: list[tuple[str, Linear]] = [
    ("(x_1, x_1)", ((1, 0), (1, 0))),
    ("(x_1, 0)", ((1, 0), (0, 0))),
    ("(x_2, 2 x_2)", ((0, 1), (0, 2))),
    ("(x_1 + x_2, 0)", ((1, 1), (0, 0))),
    ("(3 x_1, x_2)", ((3, 0), (0, 1))),
]


@exercise(
    "ex-start-symmetry",
    asks="f(x_1, x_2) = {case[0]} on the unit square; f' gives the answers of f to the exchanged tokens, exchanged "
    "back. What is the square of the distance of f and f' in d_2? And how small can that of f and an equivariant "
    "function be?",
    hands_in=[number("f and f'"), number("f and the best")],
    varies={"case": LINEAR},
    rubric={
        "f and f'": "Not {given}. Write down f' first: exchange x_1 and x_2, then the two answers. Both entries count.",
        "f and the best": "Not {given}. The best one lies halfway between f and f': what becomes of the square?",
    },
    wrong={
        "half of it": (
            lambda case: (squared(case[1], turned(case[1])), squared(case[1], turned(case[1])) / 2),
            "The distance is half as large, so its square is a quarter.",
        ),
        "nothing lost": (lambda case: (squared(case[1], turned(case[1])), 0), "f and the best"),
        "one token": (
            lambda case: (squared(case[1], turned(case[1])) / 2, squared(case[1], turned(case[1])) / 8),
            "That is the integral for one of the two tokens. The distance counts both.",
        ),
    },
    hint="The mean of f and f' is equivariant. The integral of x_1^2 over the square is 1/3, that of x_1 x_2 is 1/4.",
    why="No transformer without positions comes nearer to f than this, whatever its size.",
)
def start_symmetry(case: tuple[str, Linear]) -> tuple[Fraction, Fraction]:
    """By the integrals; f is as far from the mean of the two as f' is."""
    far = squared(case[1], turned(case[1]))
    return far, far / 4
