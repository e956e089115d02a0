"""Exercises on how long the table is."""

from __future__ import annotations

import functools
import itertools

from ...answers import subset, whole, wholes
from ..exercise import exercise


@functools.cache
def entries(D: int, n: int) -> int:
    """A token with its context: n times the sets of n out of D."""
    return sum(len(context) for context in itertools.combinations(range(D), n))


@functools.cache
def longest(D: int) -> list[int]:
    """The n with most entries."""
    found = {n: entries(D, n) for n in range(2, D + 1)}
    return [n for n, count in found.items() if count == max(found.values())]


@exercise(
    "ex-cost-longer",
    about=["yun2020:lem-9"],
    asks="D = {D} cells, tokens of one number. How many entries has the table for n = 2 tokens, for D - 1, for D and "
    "for D + 1? And for which n is it longest?",
    hands_in=[wholes("entries", 4), subset("longest")],
    varies={"D": [12, 8, 9, 10, 11]},
    rubric={
        "entries": "Not {given}. An entry is a token with its context: n times the number of sets of n cells.",
        "longest": "Not {given}. Sets of half of the cells are the most, and each has n tokens. Try around the middle.",
    },
    wrong={
        "contexts": (
            lambda D: ([entries(D, 2) // 2, D, 1, 0], longest(D)),
            "That is how many contexts there are. Each token of a context has an entry of its own.",
        ),
        "sequences": (
            lambda D: ([D * D, D ** (D - 1), D**D, D ** (D + 1)], longest(D)),
            "Those are all sequences. The table knows contexts only, and those with a token twice are given up.",
        ),
        "as long as it goes": (lambda D: ([entries(D, n) for n in (2, D - 1, D, D + 1)], [D]), "longest"),
    },
    hint="Write n (D over n) as D (D - 1 over n - 1). Which n - 1 is in the middle?",
    why="Longer sequences do not always take a longer table: it grows to the middle, and shrinks behind it.",
)
def cost_longer(D: int) -> tuple[list[int], list[int]]:
    """Context by context."""
    return [entries(D, n) for n in (2, D - 1, D, D + 1)], longest(D)


@functools.cache
def kept(D: int, n: int) -> int:
    """Entries where tokens may repeat: the different tokens of each multiset."""
    return sum(len(set(context)) for context in itertools.combinations_with_replacement(range(D), n))


@exercise(
    "ex-cost-diagonal",
    about=["yun2020:prop-5"],
    asks="{case[0]} cells and {case[1]} tokens of one number. How many entries has the table, if sequences with "
    "repeated tokens are given up? How many would it have, if they were kept, a context then being a multiset? And "
    "how many contexts does the sweep not tell apart from (0, 1), (0, 1, 1) and the like: how many multisets of "
    "{case[1]} tokens are made of 0 and 1, both of them?",
    hands_in=[whole("given up"), whole("kept"), whole("alike")],
    varies={"case": [(4, 3), (5, 3), (4, 4), (6, 3), (5, 4)]},
    rubric={
        "given up": "Not {given}. A token and a set of different tokens that holds it.",
        "kept": "Not {given}. A token, and beside it any others that make a sequence of {case[1]}, in whatever order.",
        "alike": "Not {given}. How many of the {case[1]} tokens may be 0, if at least one is 0 and one is 1?",
    },
    wrong={
        "all sequences": (
            lambda case: (entries(*case), case[0] ** case[1], case[1] - 1),
            "Those are all sequences. Their order does not matter: a context with repetitions is a multiset.",
        ),
        "multisets": (
            lambda case: (
                entries(*case),
                sum(1 for _ in itertools.combinations_with_replacement(range(case[0]), case[1])),
                case[1] - 1,
            ),
            "Those are the multisets. Each of its different tokens has an entry.",
        ),
        "one": (lambda case: (entries(*case), kept(*case), 1), "alike"),
    },
    hint="An entry is a token with all that stands beside it. Maximum and minimum do not see how often a token occurs.",
    why="To keep repeated tokens takes a longer table, and a sweep that hears how often a token comes.",
)
def cost_diagonal(case: tuple[int, int]) -> tuple[int, int, int]:
    """One by one."""
    D, n = case
    rows = itertools.combinations_with_replacement(range(D), n)
    return entries(D, n), kept(D, n), sum(1 for row in rows if set(row) == {0, 1})
