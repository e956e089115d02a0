"""Exercises on cells: who is found, how sharply, what stands at a border, how many cells a checkerboard takes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from uatlib.certificate import Check

from ..answers import number, numbers, table
from .exercise import exercise

Row = Sequence[Any]


def scores(slopes: Row, offsets: Row, x: Any) -> list[Any]:
    """The components at x."""
    return [a * x + b for a, b in zip(slopes, offsets, strict=True)]


def indicator(values: Row) -> list[int]:
    """The unit vector of the first of the largest."""
    return [int(k == values.index(max(values))) for k in range(len(values))]


def limit(values: Row) -> list[Fraction]:
    """What softmax tends to as the scores are multiplied: the largest share alike."""
    return [Fraction(x == max(values), values.count(max(values))) for x in values]


def transposed(columns: Sequence[Row]) -> list[list[Any]]:
    """Rows for columns."""
    return [list(row) for row in zip(*columns, strict=True)]


@exercise(
    "ex-indicator-ties",
    about=["liu2025:def-3-2"],
    asks="Three components, {case[3]}, and the tokens {case[2]}. Write down the indicator E, a column for each token. "
    "And what do the weights of the head tend to, for the same tokens, as R grows?",
    hands_in=[table(name, 3, 4, "component", "token") for name in ("indicator", "head")],
    varies={
        "case": [
            ((-1, 0, 1), (0, 1, 0), (-2, -1, 1, 3), "-x, 1 and x"),
            ((1, 0, -1), (0, 2, 0), (-2, 0, 2, 5), "x, 2 and -x"),
            ((-1, 0, 1), (1, 2, 0), (-4, -1, 2, 0), "1 - x, 2 and x"),
            ((0, 1, -1), (1, -1, -1), (2, -2, 0, 4), "1, x - 1 and -x - 1"),
        ]
    },
    rubric={
        "indicator": "That is not E. Each column has one 1, for the smallest index whose component is largest there.",
        "head": "The head does not know the rule for ties. What does softmax give two equal scores?",
    },
    wrong={
        "ties shared": (
            lambda case: (weights(case, limit), weights(case, limit)),
            "Softmax shares. The indicator does not: a token on a border belongs to the cell with the smaller index.",
        ),
        "ties settled": (lambda case: (weights(case, indicator), weights(case, indicator)), "head"),
        "the last of the largest": (
            lambda case: (weights(case, lambda row: indicator(row[::-1])[::-1]), weights(case, limit)),
            "You gave ties to the last of the largest. Definition 3.2 takes the smallest index.",
        ),
    },
    hint="Compute the three components at each token. Where are two of them equal and largest?",
    why="E and the head differ on borders only, and there no sharpness helps.",
)
def indicator_ties(case: tuple[Row, Row, Row, str]) -> tuple[list[list[Any]], list[list[Any]]]:
    """Column by column."""
    return weights(case, indicator), weights(case, limit)


def weights(case: tuple[Row, Row, Row, str], rule: Any) -> list[list[Any]]:
    """A column for each token."""
    slopes, offsets, tokens, _ = case
    return transposed([rule(scores(slopes, offsets, x)) for x in tokens])


HALF, TENTH = Fraction(1, 2), Fraction(1, 100)


def sharpness(N: int, margin: Fraction, eps: Fraction) -> float:
    """The R of Proposition 3.2."""
    return float(1 / margin) * math.log((N - 1) * (1 - eps) / eps)


@exercise(
    "ex-indicator-sharp",
    about=["liu2025:prop-3-2"],
    asks="N = {N} components and tokens with a margin of {margin}. Which R finds their cells up to 1/100? By how much "
    "more must R be for an error a hundred times smaller, 1/10000? Whole numbers are near enough. And by which factor "
    "must R grow for half the margin?",
    hands_in=[number("R", HALF), number("more", HALF), number("factor")],
    varies={"N": [3, 4, 5, 9], "margin": [Fraction(1, 10), Fraction(1, 5), Fraction(1, 20), Fraction(1, 8)]},
    rubric={
        "R": "Not {given}. The best of the others is behind by R times the margin, and there are N - 1 of them.",
        "more": "Not {given}. It is the logarithm that a hundred goes into.",
        "factor": "Not {given}. Only the product of sharpness and margin counts.",
    },
    wrong={
        "a hundred times": (
            lambda N, margin: (sharpness(N, margin, TENTH), 99 * sharpness(N, margin, TENTH), 2),
            "That is a hundred times R. The weight of the others falls exponentially: each factor costs the same "
            "number of steps, however small the error is already.",
        ),
        "one rival": (
            lambda N, margin: (sharpness(2, margin, TENTH), more(N, margin), 2),
            "That is enough for one rival. Here all of the {N} but one are rivals, and may be just behind.",
        ),
        "margins squared": (lambda N, margin: (sharpness(N, margin, TENTH), more(N, margin), 4), "factor"),
    },
    hint="All rivals at the margin: the right one has the share 1 / (1 + (N - 1) e^(-R margin)).",
    why="Each digit costs the same sharpness, and half the margin costs all of it again.",
)
def indicator_sharp(N: int, margin: Fraction) -> tuple[float, float, int]:
    """By the formula."""
    return sharpness(N, margin, TENTH), more(N, margin), 2


def more(N: int, margin: Fraction) -> float:
    """What a hundredth of the error takes."""
    return sharpness(N, margin, TENTH / 100) - sharpness(N, margin, TENTH)


@exercise(
    "ex-indicator-half",
    about=["liu2025:prop-3-3"],
    asks="Three cells with the values {values} meet in one point. What does the head of Proposition 3.3 answer there, "
    "for large R? How far is that from the value of the worst of the three cells? And how far off is the best "
    "continuous map, at the least, near that point?",
    hands_in=[number("answer"), number("off"), number("at best")],
    varies={"values": [(0, 1, 5), (2, 3, 10), (0, 6, 9), (-1, 1, 6), (1, 2, 12)]},
    rubric={
        "answer": "Not {given}. All three scores are equal there: which weights does softmax give?",
        "off": "Not {given}. Points of each of the three cells are as near as you like, and keep the cell's value.",
        "at best": "Not {given}. A continuous map has nearly one answer for all three cells. Which one is best?",
    },
    wrong={
        "the middle": (
            lambda values: (Fraction(min(values) + max(values), 2),) + (halved(values),) * 2,
            "That would be best. The head does not aim: it gives the mean of all three.",
        ),
        "half of the head's": (lambda values: (mean(values), worst(values), worst(values) / 2), "at best"),
        "the nearest": (
            lambda values: (mean(values), min(abs(v - mean(values)) for v in values), halved(values)),
            "off",
        ),
    },
    hint="Equal scores share the weight. The best one answer for a smallest and a largest value lies halfway.",
    why="A jump costs any head half of itself: that is why the next page follows functions that do not jump.",
)
def indicator_half(values: tuple[int, ...]) -> tuple[Fraction, Fraction, Fraction]:
    """The mean of three, its farthest value, and half of the span."""
    return mean(values), worst(values), halved(values)


def mean(values: Row) -> Fraction:
    """Of all."""
    return Fraction(sum(values), len(values))


def worst(values: Row) -> Fraction:
    """How far the mean is from the farthest."""
    return max(abs(v - mean(values)) for v in values)


def halved(values: Row) -> Fraction:
    """Half of the span."""
    return Fraction(max(values) - min(values), 2)


@exercise(
    "ex-indicator-twins",
    about=["liu2025:prop-3-2"],
    asks="Name three components a x + b for which the head never finds the cell of the token {x}: however large R is, "
    "that cell has at most half of the weight. Yet there is another cell, and within one unit of {x} nobody is in it.",
    hands_in=[numbers("slopes", 3), numbers("offsets", 3)],
    varies={"x": [3, 2, 5, -3, -2]},
    rubric={
        "one cell": "One unit left of {x}, at {x} and one unit right of it the cells are those of the components "
        "{cells}.",
        "another cell": "The three run parallel, so that one cell is all of the line: far from which other one is {x}?",
        "never found": "At {x} component {first} leads by {margin}. With R large enough it has nearly all the weight.",
    },
    reference=lambda x: ((x, x, -x), (0, 0, 0)),
    wrong={
        "a border": (lambda x: ((1, -1, 0), (-x, x, -99)), "one cell"),
        "close behind": (lambda x: ((x, x, -x), (0, "-1/1000000", 0)), "never found"),
        "three cells": (lambda x: ((-1, 0, 1), (0, abs(x) - 2, 0)), "never found"),
        "one cell alone": (lambda x: ((x, x, x), (0, 0, 0)), "another cell"),
    },
    entry=("one cell", "another cell"),
    hint="A component that is behind by anything, however little, loses in the end. Which one is never behind?",
    why="A twin leaves no margin anywhere in its cell, so Assumption 3.1 leaves all of it out.",
)
def indicator_twins(slopes: Row, offsets: Row, x: int) -> Iterable[Check]:
    """The cell at both ends and in the middle, by the smallest index; and who ties."""
    rows = [scores(slopes, offsets, x + by) for by in (-1, 0, 1)]
    cells = [row.index(max(row)) + 1 for row in rows]
    yield Check.none("one cell", [] if len(set(cells)) == 1 else [{"cells": tuple(cells)}])
    another = len(set(slopes)) > 1
    yield Check.none("another cell", [] if another else [{}])
    top, second, _ = sorted(rows[1], reverse=True)
    told = {} if top == second else {"first": cells[1], "margin": top - second}
    yield Check.none("never found", [] if top == second and another else [told])


CORNERS = [(0, 0), (1, 1), (0, 1), (1, 0)]


@exercise(
    "ex-partition-xor",
    about=["liu2025:def-3-1"],
    asks="Four tokens at the corners (0, 0), (1, 1), (0, 1) and (1, 0) of a square with sides of {side}; opposite "
    "corners belong together. Two components are not enough, three are. Name their slopes, a row each, their offsets, "
    "and a value for each cell, so that opposite corners get the same value and neighbours different ones.",
    hands_in=[table("slopes", 3, 2, "component", "entry"), numbers("offsets", 3), numbers("values", 3)],
    varies={"side": [1, 2, 3, 4, 5]},
    rubric={
        "no ties": "The corner {corner} is on a border: components {one} and {other} are equal there.",
        "opposite": "The corners {one} and {other} are opposite, and get {given}.",
        "neighbours": "All four corners get {given}.",
    },
    reference=lambda side: ([[1, 1], [-1, -1], [0, 0]], [Fraction(-3 * side, 2), Fraction(side, 2), 0], [5, 5, -5]),
    wrong={
        "two in truth": (
            lambda side: ([[1, 0], [0, 1], [-9, -9]], [0, 0, -9 * side], [5, 5, -5]),
            "no ties",
        ),
        "one for all": (lambda side: ([[0, 0], [0, 0], [1, 1]], [0, -1, -9 * side], [1, 2, 3]), "neighbours"),
        "left and right": (
            lambda side: ([[1, 0], [-1, 0], [0, 0]], [0, side, -side], [1, 2, 3]),
            "opposite",
        ),
    },
    entry=("no ties",),
    hint="A cell is convex: which corners can share one? And may two cells carry the same value?",
    why="Cells are convex and values are not: with one value on two cells a head does what no single cut can.",
)
def partition_xor(slopes: Sequence[Row], offsets: Row, values: Row, side: int) -> Iterable[Check]:
    """The cell of each corner, and its value."""
    corners = [(side * u, side * v) for u, v in CORNERS]
    rows = [[a[0] * u + a[1] * v + b for a, b in zip(slopes, offsets, strict=True)] for u, v in corners]
    tied = [
        (corner, [k + 1 for k, y in enumerate(row) if y == max(row)]) for corner, row in zip(corners, rows, strict=True)
    ]
    bad = [{"corner": corner, "one": who[0], "other": who[1]} for corner, who in tied if len(who) > 1]
    yield Check.none("no ties", bad, cases=4)
    got = [values[row.index(max(row))] for row in rows]
    pairs = [(corners[a], corners[b], (got[a], got[b])) for a, b in ((0, 1), (2, 3))]
    split = [{"one": one, "other": other, "given": given} for one, other, given in pairs if given[0] != given[1]]
    yield Check.none("opposite", split if split or not bad else [{}], cases=2)
    alike = [{"given": got[0]}] if not split and got[0] == got[2] else []
    yield Check.none("neighbours", alike if alike or not (bad or split) else [{}])


RAYS = [((-1, -2), (4, -1), 6), ((-2, -1), (3, -1), 4), ((-1, -3), (5, -2), 5), ((-3, -2), (4, -2), 8)]


def sloping(factors: Sequence[Fraction], x: Fraction, y: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """The three scores outside the triangle: left of it, below it, beyond its long side."""
    left, below, beyond = factors
    return -left * x, -below * y, beyond * (x + y - 1)


def third_border(case: tuple[tuple[int, int], tuple[int, int], int]) -> tuple[Fraction, list[Fraction]]:
    """Where it is at the given height; and the factors, with 1 below."""
    (u, v), (s, t), height = case
    left, below, beyond = Fraction(v, u), Fraction(1), Fraction(-t, s + t - 1)
    return -beyond * (height - 1) / (left + beyond), [left, below, beyond]


@exercise(
    "ex-partition-ray",
    about=["liu2025:def-3-1"],
    asks="The first cell is the triangle (0, 0), (1, 0), (0, 1), and y_1 = 0. The others are y_2 = -a x_1 on its left, "
    "y_3 = -b x_2 below it and y_4 = c (x_1 + x_2 - 1) beyond its long side. From each corner runs a border: that of 2 "
    "and 3 from (0, 0) through {case[0]}, that of 3 and 4 from (1, 0) through {case[1]}. What is x_1 where the third "
    "border, from (0, 1), comes to x_2 = {case[2]}? And which a, b, c make these borders?",
    hands_in=[number("x_1"), numbers("factors", 3)],
    varies={"case": RAYS},
    rubric={
        "x_1": "Not {given}. Three scores that are equal in twos are all equal. Where are these three?",
        "rising": "All three must rise away from the triangle: a, b and c are larger than 0.",
        "first border": "At {case[0]} the scores of 2 and 3 are {one} and {other}.",
        "second border": "At {case[1]} the scores of 3 and 4 are {one} and {other}.",
    },
    reference=third_border,
    wrong={
        "straight up": (lambda case: (0, third_border(case)[1]), "x_1"),
        "away from the middle": (
            lambda case: (Fraction(1 - case[2], 2), third_border(case)[1]),
            "That is the line from the middle of the triangle through the corner. Nothing says that the borders come "
            "from the middle.",
        ),
        "all alike": (lambda case: (third_border(case)[0], [1, 1, 1]), "first border"),
        "falling": (lambda case: (third_border(case)[0], [-f for f in third_border(case)[1]]), "rising"),
    },
    hint="Prolong the two borders into the triangle until they meet. There y_2 = y_3 and y_3 = y_4. What does that say "
    "of y_2 and y_4?",
    why="The lines of the three borders meet in one point. Turn one of them a little: all cells are still convex, "
    "and yet no four affine scores have them.",
)
def partition_ray(
    at: Fraction, factors: Sequence[Fraction], case: tuple[tuple[int, int], tuple[int, int], int]
) -> Iterable[Check]:
    """The third border from the right factors; equal scores on the two borders that are given."""
    yield Check.none("x_1", [] if at == third_border(case)[0] else [{"given": at}])
    rising = min(factors) > 0
    yield Check.none("rising", [] if rising else [{}])
    for k, (name, (u, v)) in enumerate(zip(("first border", "second border"), case[:2], strict=True)):
        scores = sloping(factors, Fraction(u), Fraction(v))
        one, other = scores[k : k + 2]
        yield Check.none(name, [] if rising and one == other else [{"one": one, "other": other} if rising else {}])
