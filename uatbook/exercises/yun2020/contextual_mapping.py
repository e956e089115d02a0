"""The exercises of the page *Telling contexts apart*."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Sequence

from uatlib.certificate import Check

from ...answers import choice, function, wholes
from ..exercise import exercise


def ids(context: Sequence[int], N: int) -> list[int]:
    """The ids of ascending, different tokens of one dimension, in units of delta."""
    landed: list[int] = []
    for token in context:
        landed.append(token + N * ((landed[-1] if landed else context[-1]) - token))
    return [number + N ** (len(context) + 1) * landed[-1] for number in landed]


def some_ids(N: int, n: int, first: str) -> list[tuple[int, int, int]]:
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


def listed(first: str) -> Callable[[int, int, int], list[int]]:
    """The same, with this one first."""
    return tokens_of if first == "smallest" else lambda number, N, n: tokens_of(number, N, n)[::-1]


@exercise(
    "ex-context-invert",
    asks="Write `tokens_of(number, N, n)`: the tokens of the sequence of n different tokens out of 0 to N - 1 that has "
    "this id, in units of delta = 1/N, {first} first, for d = 1. It is tried on ids with N = {N} and n = {n}.",
    hands_in=function("tokens_of", "number, N, n", wholes("tokens")),
    varies={"N": [6, 7, 8, 9, 11], "n": [3, 4], "first": ["smallest", "largest", "largest", "largest"]},
    inputs=some_ids,
    rubric={
        "tokens": "The id {id} stands for other tokens than {given}.",
        "order": "The tokens of {id} are the right ones: list the {first} first.",
    },
    reference=lambda N, n, first: listed(first),
    wrong={
        "constant": (lambda number, N, n: list(range(n)), "tokens"),
        "the other way round": (
            lambda N, n, first: listed("largest" if first == "smallest" else "smallest"),
            "order",
        ),
        "lift by remainder": (
            lambda N, n, first: lambda number, N, n: listed(first)(number % N ** (n + 1) * N ** (n + 1), N, n),
            "A remainder takes the largest landing place away, and keeps this token's. The lift is a multiple of N^(n "
            "+ 1): divide.",
        ),
    },
    hint="The quotient of the id by N^(n + 1) is the last landing place. Its last digit is the largest token.",
)
def context_invert(
    calls: Iterable[tuple[Sequence[int], list[int] | None]], N: int, n: int, first: str
) -> Iterable[Check]:
    """The right tokens, in their order."""
    told = [(number, given, listed(first)(number, N, n)) for (number, *_), given in calls]
    other = [{"id": number, "given": given} for number, given, right in told if sorted(given or []) != sorted(right)]
    order = [{"id": number} for number, given, right in told if given != right]
    yield Check.none("tokens", other, cases=len(told))
    yield Check.none("order", [{}] if other else order, cases=len(told))


def ids_of(X: Sequence[int], N: int) -> list[int]:
    """The ids of different tokens in any order, in theirs."""
    numbers = dict(zip(sorted(X), ids(sorted(X), N), strict=True))
    return [numbers[x] for x in X]


@exercise(
    "ex-context-predict",
    asks="What are the ids of the sequence {X}, in units of delta = 1/{N}, on the grid with N = {N}, for d = 1? One "
    "number for each token, in the order of the sequence.",
    hands_in=wholes("ids", 3),
    varies={"X": [(2, 0, 1), (1, 2, 0), (0, 2, 1), (2, 1, 0)], "N": [3, 4, 5]},
    rubric={"ids": "{given} are not the ids. Sort, let each land, then lift all by the last landing place."},
    wrong={
        "no lift": (
            lambda X, N: [number % N**4 for number in ids_of(X, N)],
            "These are the landing places. The lift is missing: it adds N^(n + 1) times the last of them to each.",
        ),
        "sorted": (
            lambda X, N: ids(sorted(X), N),
            "The numbers are right, their places are not: an id stands where its token stands.",
        ),
        "lift by N^3": (
            lambda X, N: [z % N**4 + N**3 * (max(ids_of(X, N)) // N**4) for z in ids_of(X, N)],
            "The lift has the factor N^(n + 1), and n is 3.",
        ),
    },
    hint="Sort the tokens first. The first one sees the range of all three.",
)
def context_predict(X: tuple[int, ...], N: int) -> list[int]:
    """The ids in the order of the sequence."""
    return ids_of(X, N)


def backwards(first: int, last: int, N: int) -> list[int]:
    """The ids of two tokens, first < last, where the larger one jumps first."""
    high = last + N * (last - first)
    low = first + N * (high - first)
    return [z + N**3 * max(low, high) for z in (low, high)]


@exercise(
    "ex-context-order",
    asks="Let the sweep take the values in decreasing order, for n = 2 and d = 1 on the grid with N = {N}. Which of "
    "the four properties (1: ids within a sequence differ; 2: ids of different contexts differ; 3: ids of proper "
    "contexts lie between t_l and t_r; 4: the others lie outside) fails? For which sequence (two tokens, the smaller "
    "first), and what are its ids, in units of delta?",
    hands_in=[choice("property", "1", "2", "3", "4"), wholes("sequence", 2), wholes("ids", 2)],
    varies={"N": [3, 4, 5]},
    rubric={
        "property": "Not property {given}. Write down the ids of all sequences of two different tokens.",
        "sequence": "The ids of {given} stay where they belong, or it is no sequence of two different tokens, the "
        "smaller first.",
        "ids": "{given} are not the ids of this sequence, smaller token first.",
    },
    reference=lambda N: ("3", (0, N - 1), backwards(0, N - 1, N)),
    wrong={
        "property 1": (lambda N: ("1", (0, N - 1), backwards(0, N - 1, N)), "property"),
        "a harmless sequence": (lambda N: ("3", (0, 1), backwards(0, 1, N)), "sequence"),
        "increasing order": (lambda N: ("3", (0, N - 1), ids((0, N - 1), N)), "ids"),
    },
    hint="Which token waits at the bottom when the larger one jumps first?",
)
def context_order(property: str, sequence: list[int], numbers: list[int], N: int) -> Iterable[Check]:
    """Property 3, at a sequence whose ids leave [t_l, t_r] = [N^4 (N - 1), N^5 (N - 1)]."""
    proper = 0 <= sequence[0] < sequence[1] < N
    right = backwards(sequence[0], sequence[1], N) if proper else []
    beyond = [z for z in right if not N**4 * (N - 1) <= z <= N**5 * (N - 1)]
    yield Check.none("property", [] if property == "3" else [{"given": property}])
    yield Check.none("sequence", [] if beyond else [{"given": tuple(sequence)}])
    yield Check.none("ids", [] if numbers == right else [{"given": tuple(numbers)}])
