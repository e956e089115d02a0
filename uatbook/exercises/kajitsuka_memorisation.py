"""An exercise on marks for places."""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction

from ..answers import number, whole
from .exercise import exercise


@exercise(
    "ex-memory-marks",
    about=["kajitsuka2024:cor-2"],
    asks="Tokens are numbers, shorter than 1, and two different ones are more than {eps} apart. The token at place k "
    "gets the mark E_k = c k. Which is the least c with which different sums x + E_k are sure to be more than {eps} "
    "apart, for {n} places? Which is it if all tokens lie between 1/2 and 1? And below which number do all sums stay "
    "with the first of these c?",
    hands_in=[number("c"), number("c for 1/2 to 1"), number("sums below")],
    varies={"eps": [Fraction(1, 2), Fraction(1, 4), Fraction(1, 3), Fraction(2, 5)], "n": [3, 4, 5]},
    rubric={
        "c": "Not {given}. Two neighbouring places are c apart. How far can tokens come towards each other from the "
        "two?",
        "c for 1/2 to 1": "Not {given}. What counts is not how long tokens are, but how far they lie from each other.",
        "sums below": "Not {given}. Which place has the largest mark, and which token makes it larger still?",
    },
    wrong={
        "as printed": (
            lambda eps, n: (2, 1, 2 * n + 1),
            "At c = 2 a token near 1 and one near -1 at the next place nearly meet: marks must leave room for {eps} "
            "between them, too.",
        ),
        "as the proof takes them": (
            lambda eps, n: (4, 4, 4 * n + 1),
            "4 is on the safe side, and leaves a gap of 2. Here a gap of {eps} is enough.",
        ),
        "norms alone": (lambda eps, n: (2 + eps, 2 + eps, n * (2 + eps) + 1), "c for 1/2 to 1"),
        "one token only": (lambda eps, n: (1 + eps, Fraction(1, 2) + eps, n * (1 + eps) + 1), "c"),
    },
    hint="Draw two neighbouring places as intervals: all that a token there can be, with its mark added.",
    why="Only the spread of the tokens counts: where they lie on one side, marks may stand closer.",
)
def memory_marks(eps: Fraction, n: int) -> tuple[Fraction, Fraction, Fraction]:
    """From the ends of the intervals: (-1, 1) or (1/2, 1), moved by c."""
    one, other = (high - low + eps for low, high in ((-1, 1), (Fraction(1, 2), 1)))
    return one, other, n * one + 1


@functools.cache
def crowded(V: int) -> tuple[Fraction, int, Fraction]:
    """The interval of the ids of the token V, how many lie in it, and what their least gap is below."""
    interval = Fraction(V - 1, 4 * V)
    count = sum(V in row for row in itertools.combinations(range(1, V + 1), 4))
    return interval, count, interval / (count - 1)


@exercise(
    "ex-memory-crowd",
    about=["kajitsuka2024:cor-1"],
    asks="Tokens 1 to V, with V = {V}, and all contexts of four; the head writes back less than 1/(4V) of what is "
    "heard, which is a number from 1 to V. In an interval of which length do all ids of the token V lie? How many are "
    "there? And which bound does that give for the least gap of two of them?",
    hands_in=[number("length"), whole("ids"), number("gap")],
    varies={"V": [6, 7, 8, 9, 10]},
    rubric={
        "length": "Not {given}. What is heard varies between 1 and {V}: by how much does what is written back vary?",
        "ids": "Not {given}. The token {V} is given: which others may stand beside it?",
        "gap": "Not {given}. So many points cut the interval into one piece less.",
    },
    wrong={
        "all of it": (
            lambda V: (Fraction(1, 4), *crowded(V)[1:]),
            "What is heard is at least 1, not 0: only the difference of the two ends counts.",
        ),
        "all contexts": (
            lambda V: (crowded(V)[0], math.comb(V, 4), crowded(V)[2]),
            "Those are all contexts. How many of them hold the token {V}?",
        ),
        "as many pieces as points": (lambda V: (*crowded(V)[:2], crowded(V)[0] / crowded(V)[1]), "gap"),
    },
    hint="An average of numbers from 1 to V lies there, too. The least gap is at most the mean of all gaps.",
    why="Ids of one token crowd in a short interval, so the least gap falls with the number of contexts.",
)
def memory_crowd(V: int) -> tuple[Fraction, int, Fraction]:
    """Context by context."""
    return crowded(V)
