"""The exercises of the page *Any function, with positions*."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ...answers import choice, numbers, subset, whole
from ..exercise import exercise


@exercise(
    "ex-theorem-3-close",
    about=["yun2020:thm-3"],
    asks="Positions too close: E = (0, {step}), two tokens of one dimension. Name a sequence on the grid with delta = "
    "{step} within [0, 1) for which every transformer gives both tokens the same answer.",
    hands_in=numbers("sequence", 2),
    varies={"step": [Fraction(1, 2), Fraction(1, 3), Fraction(1, 4), Fraction(1, 5)]},
    rubric={
        "on the grid": "{given} is not on the grid: multiples of delta from 0 on, below 1.",
        "equal tokens": "With E added this becomes {sum}: two different tokens, which may get different answers.",
    },
    reference=lambda step: (step, 0),
    wrong={
        "the other order": (lambda step: (0, step), "equal tokens"),
        "equal before": ((0, 0), "equal tokens"),
        "off the grid": (lambda step: (step * 3 / 2, step / 2), "on the grid"),
    },
    hint="Equal tokens get equal answers. For which sequence does adding E make two tokens equal?",
    why="Positions nearer than the box is wide can be undone by tokens.",
)
def theorem_3_close(sequence: list[Fraction], step: Fraction) -> Iterable[Check]:
    """X + E has two equal tokens."""
    fits = all(0 <= x < 1 and (x / step).denominator == 1 for x in sequence)
    total = (sequence[0], sequence[1] + step)
    yield Check.none("on the grid", [] if fits else [{"given": tuple(sequence)}])
    yield Check.none("equal tokens", [] if total[0] == total[1] else [{"sum": total}])


def ids_with(kept: Iterable[int], N: int, first: int) -> list[Fraction]:
    """What the tokens of (first, 0) + (0, N) carry, in units of 1/N, after the shifts at these levels and the lift."""
    Z = [first, N]
    for level in sorted(kept):
        Z = [z + N * (max(Z) - min(Z)) if z == level else z for z in Z]
    # A token at 0 has no scores that differ: it hears the mean.
    return [z + 2 * N**4 * (Fraction(sum(Z), 2) if z == 0 else Fraction(max(Z))) for z in Z]


@exercise(
    "ex-theorem-3-shift",
    about=["yun2020:thm-3"],
    asks="The last token of every sequence is 0. n = 2, d = 1, N = {N}: with positions the tokens stand on the levels "
    "0 to 2N - 1 (in units of 1/N), the second one always on N. Which shifts of levels must stay, so that the ids of "
    "all tokens in all sequences differ? Name as few levels as you can.",
    hands_in=subset("levels", 0, 20),
    varies={"N": [3, 4, 5, 6]},
    rubric={
        "different ids": "With the tokens {first}/N and {second}/N in front, an id occurs twice: {id}.",
        "levels without tokens": "No token ever stands on level {level}.",
        "as few as possible": "There are {given} shifts, and the ids differ with fewer. Whom does the last token see "
        "when it jumps?",
    },
    reference=lambda N: [N],
    wrong={
        "all": (lambda N: range(2 * N), "levels without tokens"),
        "a shift of place 1 left out": (lambda N: range(2, N), "different ids"),
        "none": (lambda N: [], "different ids"),
        "all of place 1": (lambda N: range(N), "as few as possible"),
    },
    hint="Which levels does no token ever stand on? And which single jump tells both tokens all there is to know?",
    why="Most shifts are idle: on a level where no token stands nobody jumps.",
)
def theorem_3_shift(levels: list[int], N: int) -> Iterable[Check]:
    """All ids differ, and no smaller set of levels keeps them apart."""
    found: dict[Fraction, int] = {}
    twice = []
    for first in range(N):
        for number in ids_with(levels, N, first):
            if number in found:
                twice.append({"first": found[number], "second": first, "id": number})
            found[number] = first
    yield Check.none("different ids", twice, cases=2 * N)
    idle = [{"level": level} for level in levels if level > N]
    yield Check.none("levels without tokens", idle if levels else [{}])
    few = len(levels) <= fewest(N)
    yield Check.none("as few as possible", [] if few and not twice else [{} if few else {"given": len(levels)}])


def fewest(N: int) -> int:
    """The fewest levels with which all ids differ, by trying."""
    for size in range(N + 2):
        for kept in itertools.combinations(range(N + 1), size):
            numbers = [z for first in range(N) for z in ids_with(kept, N, first)]
            if len(set(numbers)) == len(numbers):
                return size
    return N + 1


def apart(c: int, n: int) -> bool:
    """Whether the unit squares at c (sin j, cos j), j < n, do not meet."""
    at = [(c * math.sin(j), c * math.cos(j)) for j in range(n)]
    return all(max(abs(a - b) for a, b in zip(x, y, strict=True)) >= 1 for x, y in itertools.combinations(at, 2))


def smallest(n: int) -> int:
    """The least whole c for n places."""
    return next(c for c in range(1, 999) if apart(c, n))


@exercise(
    "ex-theorem-3-learned",
    about=["yun2020:thm-3"],
    asks="Tokens have two entries in [0, 1), and E_j = c (sin j, cos j) for the places j = 0, ..., n - 1. What is the "
    "least whole c with which no column of one place can be a column of another, for n = 2? And for n = {n}? Is there "
    "a c that serves every n?",
    hands_in=[whole("two"), whole("n"), choice("every n", "yes", "no")],
    varies={"n": [4, 5, 6, 7, 8]},
    rubric={
        "two": "Not {given}. The squares E_j + [0, 1)^2 must not meet: in some entry the two are at least 1 apart. "
        "For j = 0 and 1 the entries differ by 0.841 c and 0.460 c.",
        "n": "Not {given}. Which two of the angles 0, 1, 2, ... come closest to each other on the circle, and are "
        "their squares still apart?",
        "every n": "On a circle of one size there is room for so many squares only.",
    },
    wrong={
        "a unit apart in length": (lambda n: (2, 1, "no"), "n"),
        "one circle for all": (lambda n: (2, smallest(n), "yes"), "every n"),
        "just a unit": (lambda n: (1, smallest(n), "no"), "two"),
    },
    hint="Two squares of side 1 do not meet if their corners differ by 1 or more in one of the entries.",
    why="No circle of one size serves all lengths: its places come too close.",
)
def theorem_3_learned(n: int) -> tuple[int, int, str]:
    """Pair by pair; and on a circle of any size some places come as close as one likes."""
    return smallest(2), smallest(n), "no" if not apart(99, 5000) else "yes"


AGAIN, EXCHANGED, OTHER, ZERO = (
    "the same two answers, in the same order",
    "the same two answers, exchanged",
    "the answers of f to the exchanged tokens",
    "0, since no such column belongs to its place",
)


@exercise(
    "ex-theorem-3-mirror",
    about=["yun2020:thm-3"],
    asks="g is the network with positions for f. You exchange the two columns of the sum X + E, after the positions "
    "have been added. What does the rest of the network answer?",
    hands_in=choice("answer", OTHER, EXCHANGED, ZERO, AGAIN),
    rubric={"answer": "Not that."},
    wrong={
        "as if the tokens were exchanged": (
            OTHER,
            "That would need the tokens exchanged before E is added. Here each token keeps the mark of its place.",
        ),
        "the place is the column": (
            ZERO,
            "The network never asks in which column a token stands. It reads the place off the token itself.",
        ),
        "nothing happens": (
            AGAIN,
            "What stands in the first column is now the second token with its mark: it gets the answer that it always "
            "gets.",
        ),
    },
    hint="Without E the network is equivariant. What does it know of the order of the columns?",
    why="Behind E everything is equivariant: exchange the columns, and the answers are exchanged. The place of a "
    "token is part of its number.",
)
def theorem_3_mirror() -> str:
    """An equivariant map of marked tokens, on two of them: each is given its own number, whatever its column."""
    marked = [(3, 0), (8, 1)]
    straight, there = (network_of(columns) for columns in (marked, marked[::-1]))
    return EXCHANGED if there == straight[::-1] else AGAIN


def network_of(columns: Sequence[tuple[int, int]]) -> list[int]:
    """Any map of each column, which is a token with its place."""
    return [10 * place + token for token, place in columns]
