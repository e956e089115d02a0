"""An exercise on formula (20) and the sentence below it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import choice, number, whole, wholes
from .exercise import exercise


@exercise(
    "ex-rank-one-two",
    about=["kajitsuka2024:exp-5"],
    asks="Tokens (s, 1) with v_1 = (1, 0) and v_2 = (0, 1). By the sentence the keys are all 1, by formula (20) they "
    "are the numbers s. Name two contexts, three different whole numbers s each from {case[0]} to {case[1]}, and a "
    "token of both which the formula tells apart in the two, and the sentence does not.",
    hands_in=[wholes("first", 3), wholes("second", 3), whole("token")],
    varies={"case": [(0, 9), (1, 10), (2, 9), (3, 12), (-4, 5)]},
    rubric={
        "contexts": "Two different contexts of three different whole numbers from {case[0]} to {case[1]}.",
        "shared": "The token {token} is not in both.",
        "sentence": "With equal keys a token hears the plain mean: {one} in the first, {other} in the second.",
    },
    reference=lambda case: ([case[0], case[0] + 1, case[0] + 5], [case[0], case[0] + 2, case[0] + 4], case[0]),
    wrong={
        "the same ends": (
            lambda case: ([case[0], case[0] + 1, case[0] + 5], [case[0], case[0] + 2, case[0] + 5], case[0]),
            "sentence",
        ),
        "no common token": (
            lambda case: ([case[0], case[0] + 4, case[0] + 5], [case[0] + 1, case[0] + 2, case[0] + 6], case[0]),
            "shared",
        ),
        "one in another order": (
            lambda case: ([case[0], case[0] + 1, case[0] + 5], [case[0] + 5, case[0], case[0] + 1], case[0]),
            "contexts",
        ),
    },
    entry=("contexts", "shared"),
    hint="If all keys are equal, the listener hears the mean. The formula weighs by e^s: when do two different sets "
    "with one mean still sound alike to it?",
    why="The sentence and the formula disagree on these two: only one of them tells the contexts apart, and it is "
    "the formula.",
)
def rank_one_two(first: list[int], second: list[int], token: int, case: tuple[int, int]) -> Iterable[Check]:
    """Equal sums; by the formula different sets of whole numbers never sound alike, as e is transcendental."""
    sets = [set(row) for row in (first, second)]
    proper = sets[0] != sets[1] and all(len(row) == 3 and case[0] <= min(row) and max(row) <= case[1] for row in sets)
    yield Check.none("contexts", [] if proper else [{}])
    shared = token in sets[0] & sets[1]
    yield Check.none("shared", [] if shared else [{"token": token}])
    one, other = (Fraction(sum(row), len(row)) for row in (first, second))
    yield Check.none("sentence", [] if proper and one == other else [{"one": one, "other": other} if proper else {}])


def first_step(g: Fraction, eps: Fraction) -> Fraction:
    """Adam's first step, as a share of the rate, with m and v from 0."""
    m, v = Fraction(1, 10) * g, Fraction(1, 1000) * g**2
    root = abs(g)
    assert v / Fraction(1, 1000) == root**2
    return (m / Fraction(1, 10)) / (root + eps)


SCALES = ["it stays about the same", "it grows a thousandfold", "it grows by the root of a thousand"]


@exercise(
    "ex-rank-one-adam",
    about=["kajitsuka2024:exp-5"],
    asks="Adam's first step, as a share of the rate, with epsilon = 10^{power}: how large is it for a weight with the "
    "gradient g = 10^{power}? And for one with g = 100 times that? The whole loss, with gradients far above epsilon, "
    "is multiplied by 1000: what becomes of the first step?",
    hands_in=[number("g = epsilon"), number("100 times"), choice("loss", *SCALES)],
    varies={"power": [-8, -6, -7, -9, -10]},
    rubric={
        "g = epsilon": "Not {given}. Put t = 1 into the formulas: m-hat is g, and v-hat is g squared.",
        "100 times": "Not {given}. The step is g / (|g| + epsilon).",
        "loss": "g stands above and below the line.",
    },
    wrong={
        "as gradient descent": (
            lambda power: (Fraction(10) ** power, Fraction(10) ** (power + 2), SCALES[1]),
            "That is plain gradient descent, whose step is the gradient. Adam divides by the root of its square.",
        ),
        "without the corrections": (
            lambda power: (Fraction(1, 10), Fraction(1, 10), SCALES[0]),
            "You left out the corrections: m-hat is m / (1 - 0.9), which is g again, and v-hat is g squared.",
        ),
        "no epsilon": (lambda power: (1, 1, SCALES[0]), "g = epsilon"),
    },
    hint="In the first step m = 0.1 g and v = 0.001 g^2, and the corrections take both factors back.",
    why="Adam's first step forgets how large a gradient is, unless it is near epsilon.",
)
def rank_one_adam(power: int) -> tuple[Fraction, Fraction, str]:
    """By the formulas."""
    eps = Fraction(10) ** power
    before, after = (first_step(10**9 * eps * by, eps) for by in (1, 1000))
    return first_step(eps, eps), first_step(100 * eps, eps), SCALES[0] if after / before < 1.01 else SCALES[1]
