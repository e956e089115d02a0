"""An exercise on formula (20) and the sentence below it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import whole, wholes
from .exercise import exercise


@exercise(
    "ex-rank-one-two",
    about=["kajitsuka2024:exp-5"],
    asks="Tokens (s, 1) with v_1 = (1, 0) and v_2 = (0, 1). By the sentence the keys are all 1, by formula (20) they "
    "are the numbers s. Name two contexts, three different whole numbers s each from {least} to {least} + 9, and a "
    "token of both which the formula tells apart in the two, and the sentence does not.",
    hands_in=[wholes("first", 3), wholes("second", 3), whole("token")],
    varies={"least": [0, 1, 2, 3, -4]},
    rubric={
        "contexts": "Two different contexts of three different whole numbers from {least} to {least} + 9.",
        "shared": "The token {token} is not in both.",
        "sentence": "With equal keys a token hears the plain mean: {one} in the first, {other} in the second.",
    },
    reference=lambda least: ([least, least + 1, least + 5], [least, least + 2, least + 4], least),
    wrong={
        "the same ends": (
            lambda least: ([least, least + 1, least + 5], [least, least + 2, least + 5], least),
            "sentence",
        ),
        "no common token": (
            lambda least: ([least, least + 4, least + 5], [least + 1, least + 2, least + 6], least),
            "shared",
        ),
        "one in another order": (
            lambda least: ([least, least + 1, least + 5], [least + 5, least, least + 1], least),
            "contexts",
        ),
    },
    entry=("contexts", "shared"),
    hint="If all keys are equal, the listener hears the mean. The formula weighs by e^s: when do two different sets "
    "with one mean still sound alike to it?",
)
def rank_one_two(first: list[int], second: list[int], token: int, least: int) -> Iterable[Check]:
    """Equal sums; by the formula different sets of whole numbers never sound alike, as e is transcendental."""
    sets = [set(row) for row in (first, second)]
    proper = sets[0] != sets[1] and all(len(row) == 3 and least <= min(row) and max(row) <= least + 9 for row in sets)
    yield Check.none("contexts", [] if proper else [{}])
    shared = token in sets[0] & sets[1]
    yield Check.none("shared", [] if shared else [{"token": token}])
    one, other = (Fraction(sum(row), len(row)) for row in (first, second))
    yield Check.none("sentence", [] if proper and one == other else [{"one": one, "other": other} if proper else {}])
