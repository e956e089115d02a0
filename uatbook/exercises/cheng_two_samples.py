"""What of "Two at a time" judges itself beside the samples that all share: weights, all of them bad."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import numbers
from .exercise import exercise

WEIGHTS = [(1, 6), (2, 7), (3, 8), (4, 9), (5, 10)]


def on_a_parabola(case: tuple[int, int]) -> tuple[list[Fraction], list[Fraction]]:
    """Tokens t^2 that hear -t: t^2 - w t is the same for s and t where s + t = w."""
    at = [Fraction(case[0] - 1, 2) + t for t in (0, 1, 2, 4)]
    return [t * t for t in at], [-t for t in at]


@exercise(
    "ex-samples-six",
    about=["cheng2025:thm-2"],
    asks="Four tokens x_1, ..., x_4, all different, hear the numbers h_1, ..., h_4 and become x_k + w h_k. Choose all "
    "eight such that none of the {count} whole numbers w from {case[0]} to {case[1]} keeps the four apart.",
    hands_in=[numbers("x", 4), numbers("h", 4)],
    varies={"case": WEIGHTS, "count": [6]},
    rubric={
        "tokens": "Two of your tokens are the same number, {x}, before anything is heard.",
        "none is good": "At w = {w} they become {outputs}: four different numbers.",
    },
    reference=lambda case, count: on_a_parabola(case),
    wrong={
        "equal steps": (lambda case, count: ([0, 1, 4, 9], [0, -1, -2, -3]), "none is good"),
        "all meet at once": (lambda case, count: ([0, 1, 2, 3], [0, -1, -2, -3]), "none is good"),
        "all alike": (([0, 0, 0, 0], [1, 1, 1, 1]), "tokens"),
        "nothing is heard": (([1, 2, 3, 4], [0, 0, 0, 0]), "none is good"),
    },
    hint="Two tokens meet at one w at most, so each of the six twos must take a w of its own. Draw (h_k, x_k) in the "
    "plane: w is a slope, up to its sign. On which curve are slopes of chords easy?",
    why="Each two has at most one bad weight, and six twos use up six. Every weight between these whole numbers is "
    "good: bad weights can be crowded, but they stay few.",
)
def samples_six(x: Sequence[Fraction], h: Sequence[Fraction], case: tuple[int, int], count: int) -> Iterable[Check]:
    """One w after the other."""
    twice = [{"x": a} for a, b in itertools.combinations(x, 2) if a == b]
    yield Check.none("tokens", twice, cases=6)
    good = []
    for w in range(case[0], case[1] + 1):
        outputs = [a + w * b for a, b in zip(x, h, strict=True)]
        if len(set(outputs)) == 4:
            good.append({"w": w, "outputs": tuple(outputs)})
    yield Check.none("none is good", good or ([{}] if twice else []), cases=count)
