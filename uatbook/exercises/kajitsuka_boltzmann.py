"""Exercises on the Boltzmann operator: what heads hear, where it bends, what decides between two vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import choice, number, numbers, order, wholes
from .exercise import exercise
from .kajitsuka2024 import boltz


def heard(tokens: Sequence[int], listener: int, base: int) -> Fraction:
    """What this token hears, if e^beta is the base: the weight of x is base^(listener x)."""
    weights = [Fraction(base) ** (listener * x) for x in tokens]
    return sum((w * x for w, x in zip(weights, tokens, strict=True)), Fraction(0)) / sum(weights)


@exercise(
    "ex-boltz-heard",
    about=["kajitsuka2024:def-3"],
    asks="A head whose queries, keys and values are the tokens, times a sharpness beta with e^beta = {case[0]}. What "
    "do the three tokens of {case[1]} hear, as fractions? And what is boltz of the scores that the last of them gives, "
    "as a multiple of beta?",
    hands_in=[numbers("heard", 3), number("multiple")],
    varies={"case": [(2, (0, 1, 2)), (3, (0, 1, 2)), (2, (0, 1, 3)), (2, (0, 2, 3)), (3, (0, 1, 3))]},
    rubric={
        "heard": "Not {given}. A listener x gives the token y the score beta x y, that is the weight {case[0]}^(x y). "
        "Who asks with 0?",
        "multiple": "Not {given}. The scores of the last listener are beta x times the tokens: what is their soft "
        "maximum, if that of the tokens is what it hears?",
    },
    wrong={
        "all hear alike": (
            lambda case: ([heard(case[1], 1, case[0])] * 3, case[1][-1] * heard(case[1], case[1][-1], case[0])),
            "Those are the weights of a listener 1. Each listener multiplies the scores by itself: 0 hears the plain "
            "mean, a larger token listens more sharply.",
        ),
        "hardmax": (
            lambda case: ([case[1][-1]] * 3, case[1][-1] ** 2),
            "That is hardmax. Softmax gives every token some weight, and a listener 0 gives all the same.",
        ),
        "not scaled back": (
            lambda case: (
                [heard(case[1], x, case[0]) for x in case[1]],
                heard(case[1], case[1][-1], case[0]),
            ),
            "multiple",
        ),
    },
    hint="Write down the weights of each listener: powers of e^beta. A soft maximum is their mean of what they weigh.",
    why="What a listener hears is the soft maximum of its scores, divided by beta and its own token.",
)
def boltz_heard(case: tuple[int, tuple[int, ...]]) -> tuple[list[Fraction], Fraction]:
    """Listener by listener; scores and what they weigh are multiples of the tokens."""
    base, tokens = case
    last = tokens[-1]
    return [heard(tokens, x, base) for x in tokens], last * heard(tokens, last, base)


PAIRS = [
    ((0, -6, -20), (0, -8, -9)),
    ((0, -7, -16), (0, -7, -14)),
    ((-1, -12, -13), (0, -12, -13)),
    ((0, -10, -11), (0, -9, -30)),
]
"""Spaced by more than the lemma asks or not: what the first difference says, holds."""
OTHERS = [
    ((0, -9, -10), (0, -7, -25)),
    ((0, -8, -13), (0, -8, -20)),
    ((2, -5, -9), (1, -5, -9)),
    ((0, -12, -13), (0, -10, -40)),
]
FIRST, SECOND = "the first", "the second"


def larger(pair: Sequence[Sequence[int]]) -> str:
    """Which of two vectors has the larger value."""
    return FIRST if boltz([*map(float, pair[0])]) > boltz([*map(float, pair[1])]) else SECOND


def spelled(pairs: Sequence[Sequence[Sequence[int]]]) -> str:
    """The pairs, by letter."""
    return "; ".join(f"{name}) {a} or {b}" for name, (a, b) in zip("ABCD", map(tuple, pairs), strict=True))


def by(rule: Callable[[Sequence[int]], float]) -> Callable[..., tuple[str, ...]]:
    """A wrong answer: the larger is the one with the larger `rule`."""
    return lambda case: tuple(FIRST if rule(a) > rule(b) else SECOND for a, b in case[0])


@exercise(
    "ex-boltz-first",
    about=["kajitsuka2024:lem-7"],
    asks="Which of two vectors has the larger soft maximum? {case[1]}. No computation is needed: who decides, and in "
    "which direction?",
    hands_in=[choice(name, FIRST, SECOND) for name in "ABCD"],
    varies={"case": [(PAIRS, spelled(PAIRS)), (OTHERS, spelled(OTHERS))]},
    rubric={
        "A": "They first differ in the second entry. A low entry hardly counts, and what hardly counts hardly pulls "
        "down.",
        "B": "They differ in the last entry only. Does an entry far below the largest lift the value, or pull it down?",
        "C": "They differ in the largest entry, which has nearly all the weight.",
        "D": "The third entries differ by much, but the second ones have thousands of times their weight.",
    },
    wrong={
        "the larger sum": (
            by(sum),
            "That is the order of the sums. Entries far below the largest have exponentially little weight: of the "
            "first that differ, the lower one pulls down less.",
        ),
        "as in a dictionary": (
            by(lambda row: sum(x * 100.0**-k for k, x in enumerate(row))),
            "The first difference decides, yes. But below the largest entry it does so the other way round: a higher "
            "entry has more weight, and pulls down more.",
        ),
        "the largest, too": (
            lambda case: tuple(larger(pair if k != 2 else pair[::-1]) for k, pair in enumerate(case[0])),
            "C",
        ),
    },
    hint="Go from the largest entry down to the first in which the two differ. All that comes later weighs too little.",
    why="The first entry that differs decides: soft maxima order such vectors as a dictionary orders words.",
)
def boltz_first(case: tuple[Sequence[Sequence[Sequence[int]]], str]) -> tuple[str, ...]:
    """By the formula."""
    return tuple(larger(pair) for pair in case[0])


def bend(others: Sequence[float], t: float) -> float:
    """The second derivative of boltz in its last entry, from p (1 + (1 - 2 p) c)."""
    a = [*others, t]
    p = math.exp(t - max(a)) / sum(math.exp(x - max(a)) for x in a)
    return p * (1 + (1 - 2 * p) * (1 + t - boltz(a)))


def straight(others: Sequence[float]) -> float:
    """Where the bend changes its sign, below the largest."""
    low, high = -20.0, 0.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if bend(others, middle) < 0 else (low, middle)
    return low


@exercise(
    "ex-boltz-concave",
    about=["kajitsuka2024:lem-5"],
    asks="The last entry t of {case} rises from far below. Below which t does Lemma 5 promise that boltz is concave in "
    "it? And below which t is it, in truth? Two decimals each.",
    hands_in=[number("promised", Fraction(1, 100)), number("in truth", Fraction(1, 100))],
    varies={"case": ["(0, t)", "(0, 0, t)", "(0, -1, t)", "(0, -2, t)", "(0, -1, -1, t)"]},
    rubric={
        "promised": "Not {given}. n is the number of entries, and the largest is 0.",
        "in truth": "Not {given}. The second derivative is p (1 + (1 - 2 p) (1 + t - boltz)): it is 0 where "
        "(1 - 2 p) (boltz - t - 1) = 1.",
    },
    wrong={
        "where it falls": (
            lambda case: (-math.log(len(case.split(","))) - 1, straight(entries(case))),
            "That is Lemma 4's: below it boltz falls as t rises. To be concave takes 2 more.",
        ),
        "no slack": (
            lambda case: (-math.log(len(case.split(","))) - 3, -math.log(len(case.split(","))) - 3),
            "in truth",
        ),
        "two below the value": (lambda case: (-math.log(len(case.split(","))) - 3, -2), "in truth"),
    },
    hint="The largest is 0, so boltz is between -log n and 0. Bisect: the bend is negative far below, positive at 0.",
    why="The lemma promises less than holds, but its bound needs no search, and that is what the proof can use.",
)
def boltz_concave(case: str) -> tuple[float, float]:
    """The lemma's formula, and bisection."""
    others = entries(case)
    return -math.log(len(others) + 1) - 3, straight(others)


def entries(case: str) -> list[float]:
    """The numbers before t."""
    return [float(x) for x in case.strip("()").split(",")[:-1]]


Move = tuple[int, int]
MOVES: list[Move] = [(-8, -9), (-5, -6), (-6, -9), (-5, -15)]
NAMED = [f"{name}: from {a} to {b}" for name, (a, b) in zip("ABCD", MOVES, strict=True)]


def lifted(move: Move) -> float:
    """By how much boltz rises."""
    return boltz([0.0, float(move[1])]) - boltz([0.0, float(move[0])])


@exercise(
    "ex-boltz-deeper",
    about=["kajitsuka2024:lem-6"],
    asks="Beside 0, the smaller entry of two falls, and each time boltz rises. Order the four falls by how much, the "
    "smallest rise first.",
    hands_in=order("moves", *NAMED),
    rubric={
        "moves": "Not in this order. What an entry takes away is its depth times its weight e^t: where does it start?"
    },
    wrong={
        "by the length of the fall": (
            lambda: sorted(range(1, 5), key=lambda k: (MOVES[k - 1][0] - MOVES[k - 1][1], k)),
            "You went by how far the entry falls. But from far below there is nothing left to gain: what counts first "
            "is the weight with which it starts.",
        ),
        "the other way round": (
            lambda: sorted(range(1, 5), key=lambda k: -lifted(MOVES[k - 1])),
            "That is the largest rise first.",
        ),
        "by where it ends": (
            lambda: sorted(range(1, 5), key=lambda k: (-MOVES[k - 1][1], k)),
            "moves",
        ),
    },
    hint="The entry t takes about |t| e^t away from 0. Compare what it takes before with what it takes after.",
    why="What an entry takes away is its depth times its weight, and far below the weight decides.",
)
def boltz_deeper() -> list[int]:
    """By the formula."""
    return sorted(range(1, 5), key=lambda k: lifted(MOVES[k - 1]))


Row = Sequence[int]


def gap_at(one: Row, other: Row, s: float) -> float:
    """Which of two sets of multiples of -s has the larger value, as a sign: sum (i - j) q^(i + j)."""
    return sum((i - j) * math.exp(-s * (i + j)) for i in one for j in other)


def last_meeting(one: Row, other: Row) -> float | None:
    """The largest spacing of at least 1/2 at which the two have one value."""
    for k in range(400, 50, -1):
        high, low = k / 100, (k - 1) / 100
        if gap_at(one, other, low) * gap_at(one, other, high) < 0:
            rises = gap_at(one, other, low) < 0
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if (gap_at(one, other, middle) < 0) == rises else (low, middle)
            return low
    return None


@exercise(
    "ex-boltz-search",
    about=["kajitsuka2024:least-spacing"],
    asks="Entries are multiples of -s: -s times three different whole numbers from 0 to {most}. Name two such sets "
    "whose soft maxima agree at a spacing s, as large as you can: beyond {beyond}.",
    hands_in=[wholes("first", 3, 0, 12), wholes("second", 3, 0, 12)],
    varies={"most": [9], "beyond": [Fraction(6, 5)]},
    rubric={
        "two sets": "Two different sets of three different numbers, from 0 to {most}.",
        "meet": "Their values agree at no spacing of 1/2 or more: one always stays above the other.",
        "far out": "They agree at s = {spacing}, and at no larger spacing.",
    },
    reference=lambda most, beyond: ((0, 1, most), (0, 2, 3)),
    wrong={
        "moved along": (((0, 1, 2), (1, 2, 3)), "meet"),
        "nearly": (((0, 1, 4), (0, 2, 3)), "far out"),
        "the same": (((0, 1, 9), (9, 1, 0)), "two sets"),
    },
    entry=("two sets",),
    hint="Near the top the sets should differ early: one has a 1 where the other has a 2. Which last entries help the "
    "one with the 1 least, and the other most?",
    why="Where two sets meet no look can part them: that is what a least spacing has to exclude.",
)
def boltz_search(first: list[int], second: list[int], most: int, beyond: Fraction) -> Iterable[Check]:
    """The last change of sign of the gap."""
    sets = [sorted(set(row)) for row in (first, second)]
    proper = sets[0] != sets[1] and all(len(row) == 3 and row[-1] <= most for row in sets)
    found = last_meeting(*sets) if proper else None
    yield Check.none("two sets", [] if proper else [{}])
    yield Check.none("meet", [] if found is not None else [{} if proper else {"spacing": None}])
    told = {"spacing": f"{found:.4g}"} if found is not None else {}
    yield Check.none("far out", [] if found is not None and found > beyond else [told])
