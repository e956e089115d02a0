"""An exercise on what a contextual mapping is, by Kajitsuka and Sato's definition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from uatlib.certificate import Check

from ..answers import table
from .exercise import exercise

SEQUENCES = [((1, 2), (2, 1), (1, 3)), ((4, 5), (5, 6), (6, 5)), ((2, 3), (3, 4), (3, 2)), ((1, 5), (5, 1), (2, 5))]


def must_differ(sequences: Sequence[Sequence[int]], one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether Definition 2 wants the ids at these places, sequence and token, apart."""
    (i, k), (j, m) = one, other
    return set(sequences[i]) != set(sequences[j]) or sequences[i][k] != sequences[j][m]


def in_order(sequences: Sequence[Sequence[int]], r: int, gap: int) -> list[list[int]]:
    """Ids as far down as they go, one for each token with its set."""
    kinds = list(dict.fromkeys((t, frozenset(row)) for row in sequences for t in row))
    return [[1 - r + (gap + 1) * kinds.index((t, frozenset(row))) for t in row] for row in sequences]


@exercise(
    "ex-hardmax-ids",
    about=["kajitsuka2024:def-2"],
    asks="Three sequences, {case[0]}, {case[1]} and {case[2]}. Give each token an id, a number, a row for each "
    "sequence, so that this is an (r, gamma)-contextual mapping with r = {r} and gamma = 3.",
    hands_in=table("ids", 3, 2, "sequence", "token"),
    varies={"case": SEQUENCES, "r": [7]},
    rubric={
        "short": "The id {id} is not shorter than r = {r}.",
        "apart": "Token {x} of {X} has the id {one} and token {y} of {Y} the id {other}. The definition wants them "
        "more than 3 apart: it asks whether tokens differ, or their sets.",
    },
    reference=lambda case, r: in_order(case, r, 3),
    wrong={
        "six ids": ([[-6, -4], [-2, 0], [2, 4]], "apart"),
        "wide": (lambda case, r: in_order(case, 11, 5), "short"),
        "by token alone": (
            lambda case, r: [[4 * sorted({*sum(case, ())}).index(t) - 6 for t in row] for row in case],
            "apart",
        ),
    },
    hint="From -6 to 6 there is room for four ids that are more than 3 apart. Which tokens may share one? A context is "
    "a set.",
    why="A context is a set: orders may share their ids, and that leaves room for the others.",
)
def hardmax_ids(ids: Sequence[Sequence[Fraction]], case: Sequence[Sequence[int]], r: int) -> Iterable[Check]:
    """The two conditions of the definition, for all pairs."""
    places = [(i, k) for i in range(3) for k in range(2)]
    long = [{"id": ids[i][k]} for i, k in places if abs(ids[i][k]) >= r]
    near = [
        {
            "x": case[one[0]][one[1]],
            "X": tuple(case[one[0]]),
            "one": ids[one[0]][one[1]],
            "y": case[other[0]][other[1]],
            "Y": tuple(case[other[0]]),
            "other": ids[other[0]][other[1]],
        }
        for a, one in enumerate(places)
        for other in places[a + 1 :]
        if must_differ(case, one, other) and abs(ids[one[0]][one[1]] - ids[other[0]][other[1]]) <= 3
    ]
    yield Check.none("short", long, cases=6)
    yield Check.none("apart", near, cases=15)
