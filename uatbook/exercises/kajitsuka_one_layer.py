"""Exercises on one layer of softmax: separated tokens, directions for keys and queries, where listeners are deaf."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from uatlib.certificate import Check

from ..answers import table, wholes
from .exercise import exercise

Point = Sequence[Any]
LATTICE = [(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]


def square(x: Point, y: Point = (0, 0)) -> Any:
    """The squared distance."""
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


@exercise(
    "ex-one-layer-separated",
    about=["kajitsuka2024:def-1"],
    asks="Tokens in the plane. Name three, a column each, which together with {case[0]} are tokenwise "
    "({case[1]}, {case[2]}, {case[3]})-separated.",
    hands_in=table("tokens", 2, 3, "entry", "token"),
    varies={"case": [((3, 0), 2, 6, 4), ((0, 4), 3, 7, 5), ((-5, 0), 3, 8, 6), ((4, 0), 2, 6, 4), ((0, -3), 2, 6, 4)]},
    rubric={
        "norms": "The norm of {token} does not lie strictly between {case[1]} and {case[2]}.",
        "apart": "{one} and {other} are not more than {case[3]} apart.",
    },
    reference=lambda case: quarter_turns(case[0], case[2]),
    wrong={
        "round the square": (lambda case: [list(row) for row in zip(*corners(case[0]), strict=True)], "apart"),
        "too long": (lambda case: [[9, 0, -9], [9, -9, 0]], "norms"),
        "on the axis": (lambda case: [[0, 1, -1], [0, 0, 0]], "norms"),
    },
    hint="Four tokens at the corners of a square around 0 are farthest from each other. How long may they be, and how "
    "far away is the given one from its neighbours?",
    why="Separation bounds how many tokens there can be: that is where the size of the vocabulary enters the gap.",
)
def one_layer_separated(tokens: Sequence[Point], case: tuple[Point, int, int, int]) -> Iterable[Check]:
    """Norms strictly between the two, all pairs more than the third number apart, in squares."""
    given, low, high, eps = case
    columns = [*zip(*tokens, strict=True)]
    odd = [{"token": x} for x in columns if not low**2 < square(x) < high**2]
    everybody = [tuple(given), *columns]
    near = [{"one": x, "other": y} for x, y in itertools.combinations(everybody, 2) if square(x, y) <= eps**2]
    yield Check.none("norms", odd, cases=3)
    yield Check.none("apart", near, cases=6)


def quarter_turns(given: Point, high: int) -> list[list[Fraction]]:
    """Three tokens a little shorter than allowed, turned by quarters from the given one."""
    length = Fraction(max(map(abs, given)))
    x, y = (Fraction(a) / length * (high - Fraction(1, 4)) for a in given)
    return [[-y, -x, y], [x, -y, -x]]


def corners(given: Point) -> list[Point]:
    """The same tokens, as long as the given one."""
    x, y = given
    return [(-y, x), (-x, -y), (x, y)]


def least_share(v: Point) -> tuple[Fraction, Point, Point]:
    """The square of the least share of a distance that v keeps, between the nine tokens and 0; and for which two."""
    shares = [
        (Fraction((v[0] * (x - a) + v[1] * (y - b)) ** 2, square((x, y), (a, b)) * square(v)), (x, y), (a, b))
        for (x, y), (a, b) in itertools.combinations([*LATTICE, (0, 0)], 2)
    ]
    return min(shares, key=lambda found: found[0])


@exercise(
    "ex-one-layer-direction",
    about=["kajitsuka2024:lem-2"],
    asks="The nine tokens (1, 1), (1, 2), ..., (3, 3), and 0. Name a direction, two whole numbers, along which the "
    "shadows of any two of these ten points are more than {share} times as far apart as the points.",
    hands_in=wholes("direction", 2, -99, 99),
    varies={"share": ["0.2", "0.19", "0.21", "0.22"]},
    rubric={
        "a direction": "(0, 0) is no direction.",
        "shadows": "Of the distance of {one} and {other} it leaves {left}.",
    },
    reference=lambda share: (17, 4),
    wrong={
        "an axis": ((1, 0), "shadows"),
        "the diagonal": ((1, 1), "shadows"),
        "no two alike": ((3, -1), "shadows"),
        "nothing": ((0, 0), "a direction"),
    },
    hint="Draw all differences of two of the points from one place. A good direction is perpendicular to the middle of "
    "a wide gap between them.",
    why="One direction keeps all ten points apart, so one number can stand for each token.",
)
def one_layer_direction(v: list[int], share: str) -> Iterable[Check]:
    """All pairs, in exact squares."""
    proper = any(v)
    yield Check.none("a direction", [] if proper else [{}])
    found, one, other = least_share(v) if proper else (Fraction(0), (0, 0), (0, 0))
    told = {"one": one, "other": other, "left": f"{float(found) ** 0.5:.3g}"} if proper else {}
    yield Check.none("shadows", [] if found > Fraction(share) ** 2 else [told], cases=45)


def shadows(v: Point) -> list[int]:
    """Where the nine tokens fall."""
    return [v[0] * x + v[1] * y for x, y in LATTICE]


def twice(v: Point) -> list[Point]:
    """The first two of the nine tokens that fall on one number."""
    marks = shadows(v)
    pairs = itertools.combinations(range(9), 2)
    return next(([LATTICE[a], LATTICE[b]] for a, b in pairs if marks[a] == marks[b]), [])


@exercise(
    "ex-one-layer-two-vectors",
    about=["kajitsuka2024:lem-3"],
    asks="Lemma 3 reads keys and queries along one vector. Name two for the nine tokens (1, 1), (1, 2), ..., (3, 3), "
    "two whole numbers each from -{most} to {most}: the first good for keys and bad for queries, the second bad for "
    "keys and good for queries.",
    hands_in=[wholes("first", 2), wholes("second", 2)],
    varies={"most": [9, 5, 6, 7, 8]},
    rubric={
        "directions": "Two directions, not (0, 0), with whole numbers from -{most} to {most}.",
        "good for keys": "Along {v} the tokens {one} and {other} are one key.",
        "bad for queries": "Along {v} no token falls on 0. So every listener still has scores that differ.",
        "bad for keys": "Along {v} all nine tokens have different keys.",
        "good for queries": "Along {v} the token {token} falls on 0: as a listener it scores all alike.",
    },
    reference=lambda most: ((3, -1), (1, 0)),
    wrong={
        "exchanged": (((1, 0), (3, -1)), "good for keys"),
        "good for both": (((4, 1), (1, 0)), "bad for queries"),
        "bad for both": (((3, -1), (1, -1)), "good for queries"),
        "good twice": (((3, -1), (4, 1)), "bad for keys"),
        "none": (((0, 0), (1, 0)), "directions"),
    },
    entry=("directions",),
    hint="Keys must differ, queries must not be 0. Perpendicular to a token is bad for queries; perpendicular to a "
    "difference of two tokens is bad for keys.",
    why="Keys must differ and queries must not vanish: two demands, and one vector v has to meet both.",
)
def one_layer_two_vectors(first: list[int], second: list[int], most: int) -> Iterable[Check]:
    """Keys differ, or two agree; queries are not 0, or one is."""
    fits = all(any(v) and max(map(abs, v)) <= most for v in (first, second))
    pairs, zeros = (
        [twice(v) for v in (first, second)],
        [[x for x in LATTICE if dot(v, x) == 0] for v in (first, second)],
    )
    yield Check.none("directions", [] if fits else [{}])
    told = {"v": tuple(first), "one": pairs[0][0], "other": pairs[0][1]} if fits and pairs[0] else {}
    yield Check.none("good for keys", [] if fits and not pairs[0] else [told])
    yield Check.none("bad for queries", [] if fits and zeros[0] else [{"v": tuple(first)} if fits else {}])
    yield Check.none("bad for keys", [] if fits and pairs[1] else [{"v": tuple(second)} if fits else {}])
    token = {"v": tuple(second), "token": zeros[1][0]} if fits and zeros[1] else {}
    yield Check.none("good for queries", [] if fits and not zeros[1] else [token])


def dot(v: Point, x: Point) -> int:
    """Where x falls along v."""
    return int(v[0] * x[0] + v[1] * x[1])


def hears(context: Iterable[int]) -> Fraction:
    """What a listener with the weights 2^x hears."""
    weights = {x: Fraction(2) ** x for x in context}
    return sum((w * x for x, w in weights.items()), Fraction(0)) / sum(weights.values())


@exercise(
    "ex-one-layer-dips",
    about=["kajitsuka2024:practical-scale"],
    asks="The sharpness is such that the listener {case[0]} gives the token x the weight 2^x. Name two different "
    "contexts of two tokens out of 1 to {case[1]}, {case[0]} in both, in which it hears the same.",
    hands_in=[wholes("first", 2, 1, 20), wholes("second", 2, 1, 20)],
    varies={"case": [(4, 6), (5, 7), (6, 9), (7, 8), (8, 11)]},
    rubric={
        "contexts": "Two different contexts of two different tokens out of 1 to {case[1]}, with {case[0]} in both.",
        "the same": "In {A} it hears {one}, in {B} it hears {other}.",
    },
    reference=lambda case: ((case[0] - 1, case[0]), (case[0] - 3, case[0])),
    wrong={
        "neighbours": (lambda case: ((case[0] - 1, case[0]), (case[0] - 2, case[0])), "the same"),
        "one on each side": (lambda case: ((case[0] - 1, case[0]), (case[0], case[0] + 1)), "the same"),
        "one context in two orders": (lambda case: ((case[0] - 1, case[0]), (case[0], case[0] - 1)), "contexts"),
    },
    entry=("contexts",),
    hint="Divide by the listener's own weight: a token p below it pulls down by p to 2^p + 1. For which two p is that "
    "the same share?",
    why="So a token can be deceived at one sharpness, and the theorem must choose its own with care.",
)
def one_layer_dips(first: list[int], second: list[int], case: tuple[int, int]) -> Iterable[Check]:
    """Exactly: p/(1 + 2^p) is the same for p = 1 and p = 3."""
    t, most = case
    sets = [set(row) for row in (first, second)]
    proper = sets[0] != sets[1] and all(len(row) == 2 and t in row and max(row) <= most for row in sets)
    one, other = (hears(row) for row in sets)
    yield Check.none("contexts", [] if proper else [{}])
    told = {"A": tuple(first), "B": tuple(second), "one": one, "other": other} if proper else {}
    yield Check.none("the same", [] if proper and one == other else [told])


def dips(tokens: Iterable[int]) -> set[tuple[Fraction, int]]:
    """What tells where each dip is: of two gaps p < q below a listener t their ratio, and t p.

    The listener hears the same in both contexts where p (1 + e^(b t q)) = q (1 + e^(b t p)), once for b > 0.
    """
    rows = sorted(tokens)
    return {
        (Fraction(t - low, t - high), t * (t - high))
        for k, t in enumerate(rows)
        for low, high in itertools.combinations(rows[:k], 2)
    }


@exercise(
    "ex-one-layer-search",
    about=["kajitsuka2024:practical-scale"],
    asks="A dip is a sharpness beta > 0 at which some token hears the same in two contexts of two. The tokens 1, 2, "
    "3, 4 have four dips. Name four different whole numbers from 1 to {most} that have only {few}.",
    hands_in=wholes("tokens", 4, 1, 1000),
    varies={"most": [100, 90, 80, 120], "few": [3]},
    rubric={
        "tokens": "Four different whole numbers from 1 to {most}.",
        "dips": "The tokens {tokens} have {count} dips: the largest makes three of them, and the next one a fourth.",
    },
    reference=lambda most, few: few_dips(most),
    wrong={
        "in equal steps": ([10, 20, 30, 40], "dips"),
        "powers of two": ([1, 2, 4, 8], "dips"),
        "far apart": ([1, 5, 25, 80], "dips"),
        "too large": (lambda most, few: [2 * t for t in few_dips(most)], "tokens"),
        "one twice": ([1, 2, 3, 3], "tokens"),
    },
    entry=("tokens",),
    hint="Put s = beta t p, where t is the listener and p < q are the gaps below it. Then the equation of a dip has s "
    "and q/p in it and nothing else. So when do the dips of two listeners fall together?",
    why="A dip is settled by the ratio of two gaps and by the listener times a gap. Tokens can be chosen so that two "
    "dips are one; three are always left, those of the largest.",
)
def one_layer_search(tokens: list[int], most: int, few: int) -> Iterable[Check]:
    """Dips that have the same ratio and the same product are one."""
    proper = len(set(tokens)) == 4 and max(tokens) <= most
    count = len(dips(tokens)) if proper else few + 1
    yield Check.none("tokens", [] if proper else [{}])
    told = {"tokens": tuple(sorted(tokens)), "count": count} if proper else {}
    yield Check.none("dips", [] if count <= few else [told])


def few_dips(most: int) -> list[int]:
    """From the two largest, b < c: two gaps below c in the ratio of those below b, as much smaller as c is larger."""
    for c in range(4, most + 1):
        for b in range(1, c):
            a = b - Fraction(c * (c - b), b)
            least = b - c * (c - a) / b
            if least >= 1 and least.denominator == a.denominator == 1:
                return [int(least), int(a), b, c]
    raise ValueError(f"most: expected one for which there are such tokens, got {most}.")
