"""The exercises of the page *Telling contexts apart*."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Iterable, Sequence

from uatlib.certificate import Check

from ...answers import choice, function, whole, wholes
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
    about=["yun2020:lem-8", "so2020slides:one-dimension"],
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
    why="Three numbers that no other sequence of this grid has: from here on a look-up is enough.",
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
    about=["yun2020:def-e1"],
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
    why="So the sweep must rise: in falling order ids leave the interval that is theirs.",
)
def context_order(property: str, sequence: list[int], numbers: list[int], N: int) -> Iterable[Check]:
    """Property 3, at a sequence whose ids leave [t_l, t_r] = [N^4 (N - 1), N^5 (N - 1)]."""
    proper = 0 <= sequence[0] < sequence[1] < N
    right = backwards(sequence[0], sequence[1], N) if proper else []
    beyond = [z for z in right if not N**4 * (N - 1) <= z <= N**5 * (N - 1)]
    yield Check.none("property", [] if property == "3" else [{"given": property}])
    yield Check.none("sequence", [] if beyond else [{"given": tuple(sequence)}])
    yield Check.none("ids", [] if numbers == right else [{"given": tuple(numbers)}])


@functools.cache
def closest(N: int, n: int) -> int:
    """The least gap between two ids of contexts of different tokens."""
    found = sorted(number for context in itertools.combinations(range(N), n) for number in ids(context, N))
    return min(b - a for a, b in itertools.pairwise(found))


@exercise(
    "ex-context-gap",
    about=["yun2020:lem-10"],
    asks="d = 1 and N = {case[0]}. Name a context of {case[1]} different tokens, two of whose ids are as close to each "
    "other as ids of proper contexts ever come. How many units of delta are they apart?",
    hands_in=[wholes("context", least=0), whole("gap")],
    varies={"case": [(5, 3), (6, 3), (7, 3), (5, 4), (6, 4)]},
    rubric={
        "context": "{case[1]} different tokens from 0 on, below {case[0]}.",
        "closest": "The closest ids of {context} are {apart} units apart, and another context has closer ones. Which "
        "tokens does the first jump depend on?",
        "gap": "Not {given}. The first token sees the range of the context, the second where the first has landed.",
    },
    reference=lambda case: (range(case[1]), closest(*case)),
    wrong={
        "as wide as can be": (
            lambda case: ([*range(case[1] - 1), case[0] - 1], closest(*case)),
            "closest",
        ),
        "one step": (lambda case: (range(case[1]), 1), "gap"),
        "one jump": (
            lambda case: (range(case[1]), case[0] * (case[1] - 1)),
            "That is the first token's jump. The second waits one unit above where it stood, and jumps by N times what "
            "it then sees.",
        ),
        "a token twice": (lambda case: ([0] * case[1], closest(*case)), "context"),
    },
    entry=("context",),
    hint="Within a context the gaps grow from token to token, so look at the first two. All depends on the range.",
    why="The least gap is what a look-up must resolve, and it comes from the narrowest context.",
)
def context_gap(context: list[int], gap: int, case: tuple[int, int]) -> Iterable[Check]:
    """All contexts are tried; any that attains the least gap will do."""
    N, n = case
    proper = len(context) == len(set(context)) == n and max(context) < N
    least, row = closest(N, n), sorted(ids(sorted(context), N)) if proper else []
    apart = min((b - a for a, b in itertools.pairwise(row)), default=None)
    yield Check.none("context", [] if proper else [{}])
    yield Check.none("closest", [] if apart == least else [{"context": tuple(context), "apart": apart}])
    yield Check.none("gap", [] if gap == least else [{"given": gap}])


def beside_a_sentinel(D: int, S: int, b: int) -> int:
    """The id of the token b beside -S, in units: its one jump, and the lift."""
    landed = b + D * (b + S)
    return landed + D**3 * landed


@functools.cache
def deep_enough(D: int, S: int) -> bool:
    """Whether no token beside the sentinel -S gets an id that a proper context could have."""
    return not any(D**4 * (D - 1) <= beside_a_sentinel(D, S, b) <= D**5 * (D - 1) for b in range(D))


@exercise(
    "ex-context-sentinel",
    about=["so2020slides:sentinel"],
    asks="Two tokens, d = 1, N = {D}; one of them is outside the box, and stands at -S units. Ids of proper contexts "
    "lie from t_l = N^4 (N - 1) to t_r = N^5 (N - 1) units. From which whole S on does no token b of the box get an "
    "id in there? With S less by 1, which b does, and what is its id?",
    hands_in=[whole("S"), whole("b"), whole("id")],
    varies={"D": [4, 3, 5, 6, 7]},
    rubric={
        "S": "Not {given}. Nobody calls the sentinel, so it stays the smallest. How far does the token 0 jump, and "
        "where does the lift take it?",
        "b": "Not {given}. Which token beside the sentinel lands lowest?",
        "id": "Not {given}. It lands at b + N (b + S), and the lift adds N^3 times the largest number.",
    },
    wrong={
        "one step below the box": (
            lambda D: (1, 0, beside_a_sentinel(D, 0, 0)),
            "At 1 unit below the box the range seen is hardly more than that of a proper context: the id looks like "
            "one. Put it beyond t_r.",
        ),
        "the last token": (
            lambda D: (D * (D - 1), D - 1, beside_a_sentinel(D, D * (D - 1) - 1, D - 1)),
            "b",
        ),
        "without the lift": (lambda D: (D * (D - 1), 0, D * (D * (D - 1) - 1)), "id"),
        "as deep as the network puts it": (
            lambda D: (D**3, 0, beside_a_sentinel(D, D**3 - 1, 0)),
            "So deep the network puts it, which is more than is needed here. Where does the token 0 land, for a "
            "smaller S?",
        ),
    },
    hint="Follow the pair (-S, 0) through its one jump and the lift: N S, then (N^3 + 1) N S. Compare with t_r.",
    why="So the sentinel must lie this far out: any nearer, and the neighbour of a stranger passes for a proper token.",
)
def context_sentinel(D: int) -> tuple[int, int, int]:
    """The first S from which on all are outside, and who is inside before."""
    least = max(S for S in range(1, D**3) if not deep_enough(D, S)) + 1
    inside = [b for b in range(D) if beside_a_sentinel(D, least - 1, b) <= D**5 * (D - 1)]
    (b,) = inside
    return least, b, beside_a_sentinel(D, least - 1, b)
