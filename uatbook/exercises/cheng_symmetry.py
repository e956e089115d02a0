"""Exercises on patterns and filters with a symmetry."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import numbers, whole
from .cheng2025 import automorphisms
from .exercise import exercise


@functools.cache
def kept(n: int, w: int) -> int:
    """The permutations that keep the ring of n with windows of w on either side, by trying all."""
    return automorphisms([sorted({(i + k) % n for k in range(-w, w + 1)}) for i in range(n)])


@exercise(
    "ex-cheng-ring",
    about=["cheng2025:cor-4"],
    asks="{n} tokens on a ring, and each hears w on either side. By how many permutations is the pattern kept for w = "
    "1, for w = 2 and for w = 3?",
    hands_in=[whole(f"w = {w}") for w in (1, 2, 3)],
    varies={"n": [6, 5, 7]},
    rubric={
        "w = 1": "Not {given}. What keeps neighbours neighbours? The ring can be turned, and turned over.",
        "w = 2": "Not {given}. Ask whom a token does not hear, and what may be done to those.",
        "w = 3": "Not {given}. Does anybody still not hear anybody?",
    },
    wrong={
        "turned only": (lambda n: (n, kept(n, 2), kept(n, 3)), "w = 1"),
        "always a ring": (
            lambda n: (2 * n,) * 3,
            "The corollary has a limit for w, for a reason: once windows are so wide that few or none are left "
            "unheard, the pattern forgets that it was a ring.",
        ),
        "the wider, the fewer": (lambda n: (2 * n, 1, 1), "w = 2"),
    },
    hint="A permutation keeps the pattern if and only if it keeps who does not hear whom. For a wide window that is "
    "the simpler picture.",
    why="A pattern and its complement have the same symmetries, and the smaller picture is the one to look at.",
)
def cheng_ring(n: int) -> tuple[int, int, int]:
    """All permutations are tried."""
    return kept(n, 1), kept(n, 2), kept(n, 3)


@exercise(
    "ex-cheng-even-filter",
    about=["cheng2025:convolution"],
    asks="Five tokens of one number on a ring; layers X + psi * X with filters that are the same to both sides. Name "
    "two sequences, both with {first} in place 0, which every number of such layers sends to the same in place 0, "
    "although they are no rotation or reflection of each other.",
    hands_in=[numbers("X", 5), numbers("Y", 5)],
    varies={"first": [9, 0, 5, -1, 7]},
    rubric={
        "place 0": "Both begin with {first}.",
        "no symmetry": "Y is a rotation or a reflection of X: layers with this symmetry must treat them alike.",
        "alike": "The tokens at distance {distance} from place 0 add up to {one} in X and to {other} in Y: a filter "
        "hears that.",
    },
    reference=lambda first: ([first, 1, 2, 3, 4], [first, -1, 7, -2, 6]),
    wrong={
        "turned over": (lambda first: ([first, 1, 2, 3, 4], [first, 4, 3, 2, 1]), "no symmetry"),
        "one exchanged": (lambda first: ([first, 1, 2, 3, 4], [first, 2, 1, 3, 4]), "alike"),
        "turned": (lambda first: ([first, 1, 2, 3, 4], [4, first, 1, 2, 3]), "place 0"),
    },
    entry=("place 0", "no symmetry"),
    hint="What place 0 hears is made of x_0, of x_1 + x_4 and of x_2 + x_3. Change the numbers and keep these.",
    why="So even filters hear less than their symmetry group forgives, and the group alone does not tell what a "
    "mixer can do.",
)
def even_filter(X: list[Fraction], Y: list[Fraction], first: int) -> Iterable[Check]:
    """The three sums; and all ten moves of the ring."""
    begins = X[0] == Y[0] == first
    yield Check.none("place 0", [] if begins else [{}])
    moves = [[(s * k + by) % 5 for k in range(5)] for s in (1, -1) for by in range(5)]
    turned = any([X[j] for j in move] == list(Y) for move in moves)
    yield Check.none("no symmetry", [{}] if turned else [])
    odd = [
        {"distance": k, "one": X[k] + X[5 - k], "other": Y[k] + Y[5 - k]}
        for k in (1, 2)
        if X[k] + X[5 - k] != Y[k] + Y[5 - k]
    ]
    yield Check.none("alike", odd or ([] if begins and not turned else [{}]), cases=2)
