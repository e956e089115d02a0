"""An exercise on networks that do not listen."""

from __future__ import annotations

from fractions import Fraction

from ..answers import number
from .exercise import exercise


def least_square(n: int) -> Fraction:
    """The integral of x^2 times the variance of the mean of the others, for all tokens; squares integrate to 1/3."""
    variance = Fraction(n - 1, n * n) * (Fraction(1, 3) - Fraction(1, 4))
    return n * variance * Fraction(1, 3)


@exercise(
    "ex-universality-deaf",
    about=["kajitsuka2024:prop-1"],
    asks="f(X)_k is x_k times the mean of {n} tokens, on the unit box. A network of feed-forward layers alone gives "
    "each token h(x_k). What is the best h(1)? And what is the square of its distance from f in d_2, for the best h?",
    hands_in=[number("h"), number("square")],
    varies={"n": [3, 2, 4, 5, 6]},
    rubric={
        "h": "Not {given}. For x_k = 1 the best single answer is the mean of f over all that the others may be.",
        "square": "Not {given}. For a fixed x_k what is left is x_k^2 times the variance of the mean. Integrate over "
        "x_k, and add up all {n} tokens.",
    },
    wrong={
        "as if alone": (
            lambda n: (1, least_square(n)),
            "That is f if all tokens are 1. The others may be anything: their mean is 1/2.",
        ),
        "all at 1/2": (lambda n: (Fraction(1, 2), least_square(n)), "h"),
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
