"""Exercises on kernels: which key wins, which kernel settles, and when one layer is enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from ..answers import choice, number
from .exercise import exercise

SETTLES = "the ratio settles"
FIRST, SECOND = "the first wins", "the second wins"
LOGS: dict[str, Callable[[float, float], float]] = {
    "A": lambda x, y: x * y,
    "B": lambda x, y: -((x - y) ** 2) / 2,
    "C": lambda x, y: -(x + y),
    "D": lambda x, y: -math.log(1 + (x - y) ** 2),
    "E": lambda x, y: max(-x, -y) + math.log1p(math.exp(-abs(x - y))),
}
"""The logarithms of five kernels of numbers."""


def winner(log: Callable[[float, float], float], keys: Sequence[int]) -> str:
    """Whose key has a ratio that goes to infinity, at t = 100 and 10,000, or neither."""
    gaps = [log(1.0, t * keys[0]) - log(1.0, t * keys[1]) for t in (1e2, 1e4)]
    if abs(gaps[1]) < 20:
        return SETTLES
    return FIRST if gaps[1] > 0 else SECOND


@exercise(
    "ex-cheng-kernel-winner",
    about=["cheng2025:kernels"],
    asks="Tokens are numbers, the query is x = 1, and the keys {keys[0]} t and {keys[1]} t grow with t. Which of the "
    "two gets all of the weight in the end, or does the ratio settle? A) exp(x y). B) exp(-(x - y)^2/2), RBF. C) "
    "exp(-(x + y)). D) 1/(1 + (x - y)^2), Cauchy. E) exp(-x) + exp(-y).",
    hands_in=[choice(name, FIRST, SECOND, SETTLES) for name in "ABCDE"],
    varies={"keys": [(2, 3), (-2, 3), (3, -2), (-3, -2), (3, 2)]},
    rubric={
        "A": "The exponents are {keys[0]} t and {keys[1]} t.",
        "B": "For large t the exponents are about -({keys[0]} t)^2/2 and -({keys[1]} t)^2/2: which key is nearer to "
        "the query?",
        "C": "The query cancels in the ratio. What is left is exp(-y): a larger key is weaker here.",
        "D": "Both go to 0, like 1/t^2. What does their ratio do?",
        "E": "The term of the query does not depend on t. Does the other one stay below it, or outgrow it?",
    },
    wrong={
        "the larger key": (
            lambda keys: (FIRST if keys[0] > keys[1] else SECOND,) * 5,
            "That is exp(x y). Other kernels ask how near a key is, or which way it points.",
        ),
        "all decide": (
            lambda keys: tuple(w if w != SETTLES else FIRST for w in (winner(log, keys) for log in LOGS.values())),
            "D",
        ),
        "none decides": (lambda keys: (SETTLES,) * 5, "A"),
    },
    hint="Compare the exponents at a large t. Two weights that both fall like 1/t^2 keep their ratio.",
    why="Only where the ratio goes to 0 or to infinity can some weights let one token drown all others, which "
    "Corollary 1 needs.",
)
def kernel_winner(keys: tuple[int, int]) -> tuple[str, ...]:
    """At two large t."""
    return tuple(winner(log, keys) for log in LOGS.values())


@exercise(
    "ex-cheng-kernel-angle",
    about=["cheng2025:kernels-that-fail"],
    asks="W_K has independent Gaussian entries. With which probability does exp(w x) + exp(w y) settle, for keys whose "
    "directions are {angle} degrees apart? For a key and its double? And for opposite keys?",
    hands_in=[number("apart"), number("double"), number("opposite")],
    varies={"angle": [60, 45, 90, 120, 30]},
    rubric={
        "apart": "Not {given}. It settles if both products with w are negative. On a circle: where do the two half "
        "circles of directions overlap?",
        "double": "Not {given}. A key and its double point in one direction.",
        "opposite": "Not {given}. Of opposite keys one product is positive, unless it is 0.",
    },
    wrong={
        "the angle itself": (
            lambda angle: (Fraction(angle, 360), 0, Fraction(1, 2)),
            "That is the arc on which one product is negative and the other positive, on one side. It settles where "
            "both are negative: 180 - {angle} degrees.",
        ),
        "independent": (
            lambda angle: (Fraction(1, 4), Fraction(1, 2), 0) if angle != 90 else (Fraction(1, 8), Fraction(1, 2), 0),
            "apart",
        ),
        "half of the circle": (lambda angle: (Fraction(180 - angle, 180), 1, 0), "apart"),
    },
    hint="The direction of W_K^T w is uniform. Each key makes an obtuse angle with one half of all directions.",
    why="So some weights let one key win and others decide nothing, and the angle alone says how many.",
)
def kernel_angle(angle: int) -> tuple[Fraction, Fraction, Fraction]:
    """Counted direction by direction, a twelfth of a degree at a time."""
    return settling(angle), settling(0), settling(180)


def settling(angle: int) -> Fraction:
    """The share of directions that make an obtuse angle with both of two that are so many degrees apart."""
    found = [(2 * k + 1) / 8 for k in range(1440)]
    obtuse = [all(90 < (v - turn) % 360 < 270 for turn in (0, angle)) for v in found]
    return Fraction(sum(obtuse), len(obtuse))


TOLD, ZERO, WEAK, SAME = (
    "told apart, by the proof of Corollary 1",
    "a token is 0",
    "the kernel settles",
    "they are the same tokens",
)
CASES = [
    [
        ("exp", (1, 2, 6), (1, 3, 5)),
        ("exp", (0, 1, -1), (0, 2, -2)),
        ("cosh", (1, 2, 6), (1, 3, 5)),
        ("RBF", (1, 2, 6), (6, 1, 2)),
    ],
    [
        ("cosh", (2, 1, 5), (2, 3, 4)),
        ("RBF", (2, 3, 7), (2, 4, 6)),
        ("exp", (3, 1, 2), (2, 3, 1)),
        ("RBF", (0, 3, -3), (0, 1, -1)),
    ],
]


def verdict(kernel: str, X: Sequence[int], Y: Sequence[int]) -> str:
    """Which hypothesis of the corollary fails, in the order in which one asks."""
    if sorted(X) == sorted(Y):
        return SAME
    return ZERO if 0 in (*X, *Y) else WEAK if kernel == "cosh" else TOLD


@exercise(
    "ex-cheng-kernel-covers",
    about=["cheng2025:cor-1"],
    asks="Does one layer with some weights tell the shared tokens of the two sequences apart, by Corollary 1, and if "
    "not, why? A) {case[0][0]}, {case[0][1]} and {case[0][2]}. B) {case[1][0]}, {case[1][1]} and {case[1][2]}. "
    "C) {case[2][0]}, {case[2][1]} and {case[2][2]}. D) {case[3][0]}, {case[3][1]} and {case[3][2]}.",
    hands_in=[choice(name, TOLD, ZERO, WEAK, SAME) for name in "ABCD"],
    varies={"case": CASES},
    rubric={
        "A": "Ask in turn: are the sets different, is no token 0, does the kernel of a growing key decide?",
        "B": "Ask in turn: are the sets different, is no token 0, does the kernel of a growing key decide?",
        "C": "Ask in turn: are the sets different, is no token 0, does the kernel of a growing key decide?",
        "D": "Ask in turn: are the sets different, is no token 0, does the kernel of a growing key decide?",
    },
    wrong={
        "all told apart": (
            lambda case: (TOLD,) * 4,
            "No layer without places tells orders apart; cosh weighs a key and its opposite alike; and a token 0 asks "
            "nothing: all its scores are equal, whatever the weights.",
        ),
        "cosh grows": (
            lambda case: tuple(TOLD if kind == WEAK else kind for kind in (verdict(*row) for row in case)),
            "cosh grows like exp, but for opposite keys the ratio is 1 for every W_K: condition (13) fails, and the "
            "corollary says nothing.",
        ),
        "zero is a token": (
            lambda case: tuple(TOLD if kind == ZERO else kind for kind in (verdict(*row) for row in case)),
            "By the kernel, a query 0 gives a key and its opposite the same weight. So it hears 0 in both, whatever "
            "W_K is: the corollary leaves the token 0 out.",
        ),
    },
    hint="The corollary is about sequences that differ up to order, tokens other than 0, and kernels with (13).",
    why="The corollary promises the first alone; where it is silent, another proof may still speak.",
)
def kernel_covers(case: Sequence[tuple[str, Sequence[int], Sequence[int]]]) -> tuple[str, ...]:
    """Case by case."""
    return tuple(verdict(*row) for row in case)
