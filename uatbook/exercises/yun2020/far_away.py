"""Exercises on tokens that are outside of the box."""

from __future__ import annotations

import functools

from ...answers import whole
from ..exercise import exercise


@exercise(
    "ex-far-away-other-side",
    about=["yun2020:thm-2"],
    asks="The network of the four steps, N = n = 2, answers {answer} to token 1 although x_2 = 10^30. Now x_2 = -5. "
    "Which id does token 2 get? What is the answer to token 2? And to token 1, to the nearest whole number?",
    hands_in=[whole("id of token 2"), whole("token 2"), whole("token 1")],
    varies={"answer": [9]},
    rubric={
        "id of token 2": "Not {given}. Token 2 has become the sentinel. Whom does a negative token hear in the last "
        "layer, and 8 times what is added?",
        "token 2": "Not {given}. Does the look-up know this id?",
        "token 1": "Not {given}. Which of the steps asks how far outside x_2 is?",
    },
    wrong={
        "where it stands": (
            (-45, 0, 9),
            "That would be -5 + 8 (-5). But the first step sends all that is outside of the box to the sentinel, -8.",
        ),
        "the largest is heard": (
            (-8 + 8 * 8, 0, 9),
            "Its query is negative, so it hears the smallest, which is itself.",
        ),
        "all is well": ((-72, 0, 0), "token 1"),
        "both alike": ((-72, 9, 9), "token 2"),
    },
    hint="Go through the four steps: outside is outside. In the last layer a negative token hears the minimum.",
    why="How far outside the other token stands does not matter: only that it does.",
)
def far_away(answer: int) -> tuple[int, int, int]:
    """The sentinel, its id, which is below all real ones, and what token 1 got before."""
    sentinel = -(2**3)
    heard = min(sentinel, 0)
    number = sentinel + 2**3 * heard
    t_l, t_r = 2**4, 2**5
    return number, answer if t_l <= number <= t_r else 0, answer


def lifted(D: int, S: int) -> int:
    """The id of a token at S where nothing jumps and the largest number is S, for n = 2."""
    return S + D**3 * S


@functools.cache
def least(D: int) -> int:
    """The first S beyond t_r."""
    return next(S for S in range(1, D**5) if lifted(D, S) > D**5 * (D - 1))


@exercise(
    "ex-theorem-2-half",
    about=["yun2020:thm-2"],
    asks="n = 2, d = 1, N = D = {D}: both tokens are outside, at the positive sentinel of S units, and nothing jumps. "
    "Which id do they get for S = 2? Ids of proper contexts end at t_r = D^5 (D - 1): from which whole S on is such "
    "an id beyond it? And how many units does the proof give the sentinel?",
    hands_in=[whole("id"), whole("S"), whole("in the proof")],
    varies={"D": [2, 3, 4, 5]},
    rubric={
        "id": "Not {given}. The last layer adds D^3 times the largest number.",
        "S": "Not {given}. Solve S + D^3 S > t_r.",
        "in the proof": "Not {given}. D^(n + 1), with n = 2.",
    },
    wrong={
        "the jump alone": (
            lambda D: (2 * D**3, least(D), D**3),
            "The token itself is there, too: the layer adds to it.",
        ),
        "one less": (lambda D: (lifted(D, 2), least(D) - 1, D**3), "S"),
        "as in the proof": (
            lambda D: (lifted(D, 2), D**3, D**3),
            "So far out it lies in the proof, and that is enough. Less is enough as well.",
        ),
        "t_r itself": (lambda D: (lifted(D, 2), least(D), D**5 * (D - 1)), "in the proof"),
    },
    hint="Both ids are S + D^3 S. Compare them with t_r.",
    why="Beyond that S both are seen to be strangers, and the proof's sentinel has room to spare.",
)
def theorem_2_half(D: int) -> tuple[int, int, int]:
    """Tried one by one."""
    return lifted(D, 2), least(D), D**3
