"""`check`: an answer to an exercise, judged at once in a notebook."""

from __future__ import annotations

import dataclasses
import difflib
from collections import Counter
from typing import Any

from uatlib import checks

from ..timed import within
from .exercise import EXERCISES, Exercise, Feedback

NEAREST = 3
"""Labels that a wrong one is told."""
TRIES = 3
"""Wrong answers after which the hint is said."""
TIME = 20
"""Seconds for what an answer does when it is tried."""
_wrong: Counter[str] = Counter()


def get(label: str) -> Exercise:
    """The exercise of this label, with "ex-" or without; ValueError if none judges itself, with the nearest names."""
    checks.text("label", label)
    for name in (label, f"ex-{label}"):
        if name in EXERCISES:
            return EXERCISES[name]
    short = {name.removeprefix("ex-"): name for name in EXERCISES}
    bare = label.removeprefix("ex-")
    begins = [name for name in short if bare and name.startswith(bare.partition("-")[0])]
    near = difflib.get_close_matches(bare, short, NEAREST, 0) if len(bare) < 100 else [*short]
    near = [*dict.fromkeys([*begins, *near])][:NEAREST]
    raise checks.refused(
        "label", f"an exercise that judges itself, such as {', '.join(short[name] for name in near)}", label
    )


def check(label: str, answer: Any = ..., *, seed: str = "") -> Feedback:
    """Judge an answer: what holds of it, what does not and why, and after three tries a hint; never the solution.

    Without an answer it says what is asked. One that is nothing of the kind, or takes longer than 20 s, is told so.

    Parameters
    ----------
    label : of the exercise, as in the book: "context-invert"
    answer : what it asks for, a value, several in a tuple or by name in a dict, a function, a network;
        `get(label).question()` says what
    seed : "course:student", for other numbers than those of the book

    ValueError if the label is none.
    """
    asked = get(label)
    checks.text("seed", seed)
    if answer is ...:
        return asked.unread(asked.question(seed))
    try:
        with within(TIME):
            said = asked.judged(asked.collect(answer, seed), seed)
    except (ValueError, TimeoutError, RecursionError) as error:
        said = asked.unread(str(error))
    if said.verdict == "right":
        _wrong.pop(asked.label, None)
        return said
    _wrong[asked.label] += 1
    failing = [line.name for line in said.certificate.checks if not line.holds]
    return said if _wrong[asked.label] < TRIES else dataclasses.replace(said, hint=asked.hinted(failing, seed))
