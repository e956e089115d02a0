"""Exercises on masks: a hidden token that is heard, sequences whose length is hidden."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import number, whole, wholes
from .exercise import exercise


def falls(V: int, P: int) -> list[tuple[Fraction, int, int]]:
    """For each listener and hidden token, from which sharpness on the hidden one has the larger score; least first."""
    pairs = [(t, u) for t in range(1, V + 1) for u in range(1, V + 1) if t * (u - t) > 0]
    return sorted((Fraction(P, t * (u - t)), t, u) for t, u in pairs)


@exercise(
    "ex-masks-finite",
    about=["kajitsuka2024:app-c-layer"],
    asks="A program hides keys by adding -{P} to their scores, not minus infinity. Tokens are 1 to {V}, and a "
    "listener t gives the token u the score beta t u; two of them stand in a sequence, each hidden from the other. "
    "Beyond which beta > 0 does a token give the hidden one more than half of its weight? Which token falls first, "
    "and which one does it then hear?",
    hands_in=[number("beta"), whole("listener"), whole("hidden")],
    varies={"V": [4, 6, 8], "P": [100, 50, 80]},
    rubric={
        "beta": "Not {given}. The listener t gives itself beta t^2, the hidden u beta t u - {P}. Solve for beta, and "
        "take the pair that falls first.",
        "listener": "Not {given}: for it t (u - t) is not the largest.",
        "hidden": "Not {given}. Among the hidden ones, who has the largest score?",
    },
    wrong={
        "the largest difference": (
            lambda V, P: (Fraction(P, V - 1), 1, V),
            "1 and {V} differ most, but a listener multiplies the scores: 1 listens least sharply of all.",
        ),
        "the loudest": (lambda V, P: (falls(V, P)[0][0], V - 1, V), "listener"),
        "to nothing": (lambda V, P: (Fraction(P, V * V), V, V), "beta"),
    },
    hint="Compare the score of the token for itself with that of the hidden one. For which two is the difference t u - "
    "t^2 largest?",
    why="So -100 is not minus infinity: at some sharpness a hidden token is heard all the same.",
)
def masks_finite(V: int, P: int) -> tuple[Fraction, int, int]:
    """The first pair of all."""
    return falls(V, P)[0]


@exercise(
    "ex-masks-repeats",
    about=["kajitsuka2024:app-c"],
    asks="Repetitions can hide the length. Name a sequence of {case[0]} tokens and one of {case[1]}, of whole numbers, "
    "at least two different ones, in which equal tokens hear the same from every head, whatever its weights.",
    hands_in=[wholes("first"), wholes("second")],
    varies={"case": [(4, 6), (3, 6), (6, 9), (6, 10), (4, 10)]},
    rubric={
        "lengths": "The first has {one} tokens, the second {other}: {case[0]} and {case[1]} are asked for.",
        "not all equal": "With equal tokens only, nothing is heard but that token. Take two different ones, or more.",
        "alike": "Token {token} makes up {one} of the first sequence and {other} of the second. A head that listens to "
        "it hears that.",
    },
    reference=lambda case: in_proportion(case),
    wrong={
        "one more": (lambda case: ([1] * (case[0] - 1) + [2], [1] * (case[1] - 1) + [2]), "alike"),
        "one token": (lambda case: ([1] * case[0], [1] * case[1]), "not all equal"),
        "the length stays": (lambda case: ([1, 2], [1, 2]), "lengths"),
        "the same set": (
            lambda case: ([*range(1, case[0] + 1)], [1] * (case[1] - case[0]) + [*range(1, case[0] + 1)]),
            "alike",
        ),
    },
    entry=("lengths", "not all equal"),
    hint="A head weighs each copy alike. Multiply all numbers of copies by one factor: what becomes of the shares?",
    why="Shares do not tell lengths: a network without positions cannot count.",
)
def masks_repeats(first: list[int], second: list[int], case: tuple[int, int]) -> Iterable[Check]:
    """The same proportions; by rational sharpness nothing else is alike."""
    fits = (len(first), len(second)) == case
    yield Check.none("lengths", [] if fits else [{"one": len(first), "other": len(second)}])
    kinds = sorted({*first, *second})
    yield Check.none("not all equal", [] if len(kinds) > 1 else [{}])
    shares = [(t, *(Fraction(row.count(t), max(len(row), 1)) for row in (first, second))) for t in kinds]
    odd = [{"token": t, "one": a, "other": b} for t, a, b in shares if a != b]
    yield Check.none("alike", odd if odd or fits else [{}])


def in_proportion(case: tuple[int, int]) -> tuple[list[int], list[int]]:
    """One token in the smallest proportion that both lengths allow."""
    ones = [n // math.gcd(*case) for n in case]
    first, second = ([1] * k + [2] * (n - k) for k, n in zip(ones, case, strict=True))
    return first, second
