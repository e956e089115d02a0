"""What of "Ask about your own mixer" judges itself beside its traps: who hears by distance alone is fooled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import table
from .exercise import exercise

CENTRED = [(1, 2), (2, 1), (-1, 3), (0, 2), (3, -1)]
Plane = Sequence[Sequence[Fraction]]


def around(p: tuple[int, int], rows: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Tokens at these places from p, a column each."""
    return [[p[0] + u for u, _ in rows], [p[1] + v for _, v in rows]]


@exercise(
    "ex-cheng-circle",
    about=["cheng2025:mixer-check"],
    asks="The token p = {p} hears its sequence by distance: the mean of all tokens x with the weights phi(|x - p|), "
    "for a positive function phi that may be any. Name three others for p, and three more, none of them among the "
    "first three, with which p hears the same for every phi.",
    hands_in=[table("X", 2, 3, "entry", "token"), table("Y", 2, 3, "entry", "token")],
    varies={"p": CENTRED},
    rubric={
        "others": "Take three different tokens in each, none of them p, and none of them in both.",
        "circles": "At the squared distance {square} from p there are {one} tokens of X and {other} of Y. A phi can "
        "count those alone.",
        "sums": "Those at the squared distance {square} from p add up to {one} in X and to {other} in Y. A phi can "
        "listen to those alone.",
    },
    reference=lambda p: (
        around(p, [(-5, 0), (3, 4), (0, -5)]),
        around(p, [(-3, -4), (5, 0), (-4, 3)]),
    ),
    wrong={
        "a diameter is turned": (
            lambda p: (around(p, [(3, 4), (-3, -4), (0, 1)]), around(p, [(5, 0), (-5, 0), (0, 1)])),
            "others",
        ),
        "all reflected at p": (
            lambda p: (around(p, [(3, 4), (4, 3), (0, 5)]), around(p, [(-3, -4), (-4, -3), (0, -5)])),
            "sums",
        ),
        "the same mean": (
            lambda p: (around(p, [(1, 0), (-1, 0), (0, 3)]), around(p, [(0, 1), (1, 1), (-1, 1)])),
            "circles",
        ),
        "p itself": (
            lambda p: (around(p, [(0, 0), (1, 0), (-1, 0)]), around(p, [(0, 1), (0, -1), (0, 2)])),
            "others",
        ),
    },
    hint="Look at one circle around p at a time. All six lie on one, and both threes have one sum. What does a "
    "reflection do that leaves this sum where it is?",
    entry=("others",),
    why="Mirrored in the line from p through their sum, the three keep their distances and their sum. What hears by "
    "distance alone does not see that they have turned over.",
)
def cheng_circle(X: Plane, Y: Plane, p: tuple[int, int]) -> Iterable[Check]:
    """Circle by circle: how many tokens of each lie on it, and what they add up to."""
    here, there = ([(a - p[0], b - p[1]) for a, b in zip(*Z, strict=True)] for Z in (X, Y))
    proper = len({*here, *there, (0, 0)}) == 7
    yield Check.none("others", [] if proper else [{}])
    counts, sums = [], []
    for square in sorted({a * a + b * b for a, b in [*here, *there]}):
        one, other = ([t for t in Z if t[0] ** 2 + t[1] ** 2 == square] for Z in (here, there))
        if len(one) != len(other):
            counts.append({"square": square, "one": len(one), "other": len(other)})
        totals = [tuple(sum((t[k] for t in Z), Fraction(len(Z) * p[k])) for k in (0, 1)) for Z in (one, other)]
        if totals[0] != totals[1]:
            sums.append({"square": square, "one": totals[0], "other": totals[1]})
    yield Check.none("circles", counts if proper else [{}])
    yield Check.none("sums", sums if proper and not counts else [] if proper and not sums else [{}])
