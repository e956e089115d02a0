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
    "from -1 to 1, which prove that no such network comes closer to f = {height} (1 - |z_Q - z_K| / 2) than "
    "{height}/2. And which constant is as good?",
    hands_in=[numbers("first", 2), numbers("second", 2), number("constant")],
    varies={"height": [1, 2, 3, 4, 5]},
    rubric={
        "in the square": "All four numbers lie between -1 and 1.",
        "one answer": "The sums are {one} and {other}: such a network may answer differently.",
        "far apart": "f is {one} and {other} there. One answer for both can be within {half} of them.",
        "constant": "Not {given}. How small does f become on the square, and how large?",
    },
    reference=lambda height: ((0, 0), (1, -1), Fraction(height, 2)),
    wrong={
        "another sum": (lambda height: ((1, 1), (1, -1), Fraction(height, 2)), "one answer"),
        "not far enough": (lambda height: ((0, 0), ("1/2", "-1/2"), Fraction(height, 2)), "far apart"),
        "exchanged": (lambda height: ((1, 0), (0, 1), Fraction(height, 2)), "far apart"),
        "the smallest value": (lambda height: ((0, 0), (1, -1), 0), "constant"),
    },
    entry=("in the square",),
    hint="f is largest where both are equal, and smallest where they are as far apart as can be. Which such pairs have "
    "one sum?",
)
def cross_sum(
    first: Sequence[Fraction], second: Sequence[Fraction], constant: Fraction, height: int
) -> Iterable[Check]:
    """Equal sums, and values as far apart as f goes."""
    inside = all(-1 <= x <= 1 for x in (*first, *second))
    one, other = (height * (1 - abs(q - k) / 2) for k, q in (first, second))
    yield Check.none("in the square", [] if inside else [{}])
    sums = [k + q for k, q in (first, second)]
    yield Check.none("one answer", [] if sums[0] == sums[1] else [{"one": sums[0], "other": sums[1]}])
    gap = abs(one - other)
    told = {"one": one, "other": other, "half": gap / 2}
    yield Check.none("far apart", [] if inside and sums[0] == sums[1] and gap == height else [told])
    yield Check.none("constant", [] if 2 * constant == height else [{"given": constant}])
