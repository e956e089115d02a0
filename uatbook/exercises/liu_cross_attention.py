"""An exercise on one index for two sequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import number, numbers
from .exercise import exercise


@exercise(
    "ex-cross-sum",
    about=["liu2025:thm-4-2"],
    asks="With one index for key and query the answer depends on z_K + z_Q alone. Name two pairs (z_K, z_Q), numbers "
    "from -1 to 1, which prove that no such network comes closer than {case[2]} to f = {case[1]}. And which constant "
    "is as good?",
    hands_in=[numbers("first", 2), numbers("second", 2), number("constant")],
    varies={
        "case": [
            (1, "1 - |z_Q - z_K|/2", "1/2"),
            (2, "2 - |z_Q - z_K|", "1"),
            (4, "4 - 2 |z_Q - z_K|", "2"),
            (6, "6 - 3 |z_Q - z_K|", "3"),
        ]
    },
    rubric={
        "in the square": "All four numbers lie between -1 and 1.",
        "one answer": "The sums are {one} and {other}: such a network may answer differently.",
        "far apart": "f is {one} and {other} there. One answer for both can be within {half} of them.",
        "constant": "Not {given}. How small does f become on the square, and how large?",
    },
    reference=lambda case: ((0, 0), (1, -1), Fraction(case[0], 2)),
    wrong={
        "another sum": (lambda case: ((1, 1), (1, -1), Fraction(case[0], 2)), "one answer"),
        "not far enough": (lambda case: ((0, 0), ("1/2", "-1/2"), Fraction(case[0], 2)), "far apart"),
        "exchanged": (lambda case: ((1, 0), (0, 1), Fraction(case[0], 2)), "far apart"),
        "the smallest value": (lambda case: ((0, 0), (1, -1), 0), "constant"),
    },
    entry=("in the square",),
    hint="f is largest where both are equal, and smallest where they are as far apart as can be. Which such pairs have "
    "one sum?",
    why="One index for both hears the sum alone, and the sum does not know how near two tokens are.",
)
def cross_sum(
    first: Sequence[Fraction], second: Sequence[Fraction], constant: Fraction, case: tuple[int, str, str]
) -> Iterable[Check]:
    """Equal sums, and values as far apart as f goes."""
    height, inside = case[0], all(-1 <= x <= 1 for x in (*first, *second))
    one, other = (height * (1 - abs(q - k) / 2) for k, q in (first, second))
    yield Check.none("in the square", [] if inside else [{}])
    sums = [k + q for k, q in (first, second)]
    yield Check.none("one answer", [] if sums[0] == sums[1] else [{"one": sums[0], "other": sums[1]}])
    gap = abs(one - other)
    told = {"one": one, "other": other, "half": gap / 2}
    yield Check.none("far apart", [] if inside and sums[0] == sums[1] and gap == height else [told])
    yield Check.none("constant", [] if 2 * constant == height else [{"given": constant}])
