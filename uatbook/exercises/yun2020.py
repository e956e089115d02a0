"""The exercises of Yun et al.'s part."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence

from uatlib.certificate import Check

from ..answers import function, wholes
from .exercise import exercise


def ids(context: Sequence[int], N: int) -> list[int]:
    """The ids of ascending, different tokens of one dimension, in units of delta."""
    landed: list[int] = []
    for token in context:
        landed.append(token + N * ((landed[-1] if landed else context[-1]) - token))
    return [number + N ** (len(context) + 1) * landed[-1] for number in landed]


def some_ids(N: int, n: int) -> list[tuple[int, int, int]]:
    """40 ids, each with its grid and the number of tokens."""
    contexts = list(itertools.combinations(range(N), n))
    chosen = random.Random(N).sample(contexts, min(40, len(contexts)))
    return [(number, N, n) for k, context in enumerate(chosen) for number in [ids(context, N)[k % n]]]


def tokens_of(number: int, N: int, n: int) -> list[int]:
    """The tokens of the sequence that has this id, smallest first."""
    landed, found = number // N ** (n + 1), list[int]()
    for _ in range(n):
        found.append(landed % N)
        landed = (landed - found[-1]) // N + found[-1]
    return found[::-1]


@exercise(
    "ex-context-invert",
    asks="Write tokens_of(number, N, n): the tokens of the sequence of n different tokens out of 0 to N - 1 that has "
    "this id, smallest first, for d = 1. It is tried on ids with N = {N} and n = {n}.",
    hands_in=function("tokens_of", "number, N, n", wholes("tokens")),
    varies={"N": [6, 7, 8, 9, 11], "n": [3, 4]},
    inputs=some_ids,
    rubric={
        "tokens": "The id {id} stands for other tokens than {given}.",
        "order": "The tokens of {id} are the right ones: list the smallest first.",
    },
    reference=lambda N, n: tokens_of,
    wrong={
        "constant": (lambda number, N, n: list(range(n)), "tokens"),
        "unsorted": (lambda number, N, n: tokens_of(number, N, n)[::-1], "order"),
        "lift by remainder": (
            lambda number, N, n: tokens_of(number % N ** (n + 1) * N ** (n + 1), N, n),
            "A remainder takes the largest landing place away, and keeps this token's. The lift is a multiple of "
            "N^(n + 1): divide.",
        ),
    },
    hint="The quotient of the id by N^(n + 1) is the last landing place. Its last digit is the largest token.",
)
def context_invert(calls: Iterable[tuple[Sequence[int], list[int] | None]], N: int, n: int) -> Iterable[Check]:
    """The right tokens, in their order."""
    told = [(number, given, tokens_of(number, N, n)) for (number, *_), given in calls]
    other = [{"id": number, "given": given} for number, given, right in told if sorted(given or []) != right]
    order = [{"id": number, "given": given} for number, given, right in told if given != right]
    yield Check.none("tokens", other, cases=len(told))
    yield Check.none("order", order, cases=len(told))
