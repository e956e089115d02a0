"""Exercises that judge themselves: an answer is told at once whether it is right, and if not, why.

    from uatbook.exercises import check, get

    print(get("ex-context-invert").question())
    check("ex-context-invert", tokens_of)

Each is data: what is asked, what is handed in, a judge with a check a line of the rubric, a right answer, wrong ones
with what they are told, and numbers that change with a seed. `start`, `yun2020` and so on hold them, by part of the
book; `uatbook.answers` says what can be handed in.

Where it is answered by data, its page judges it, without Python. An exercise with one right answer has no more to do.
The judge of another has a twin in `judges.js`, with the same lines, which gets what is handed in, the parameters and
the right answer; `pages` says what else both languages share. tests/uatbook/test_exercise_pages.py holds them together,
to the letter.
"""

from . import (  # noqa: F401
    cheng2025,
    cheng_condition,
    cheng_kernels,
    cheng_other_mixers,
    cheng_sparse,
    cheng_symmetry,
    cheng_two_samples,
    cheng_your_mixer,
    conclusion,
    finish,
    ground,
    kajitsuka2024,
    kajitsuka_boltzmann,
    kajitsuka_hardmax_fails,
    kajitsuka_masks,
    kajitsuka_memorisation,
    kajitsuka_one_layer,
    kajitsuka_rank_1,
    kajitsuka_universality,
    liu2025,
    liu_cross_attention,
    liu_partitions,
    liu_self_attention,
    liu_small_domains,
    start,
    yun2020,
)
from .door import check, get
from .exercise import EXERCISES, RUNS, Exercise, Feedback

__all__ = ["EXERCISES", "RUNS", "Exercise", "Feedback", "check", "get"]
