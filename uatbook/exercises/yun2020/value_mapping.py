"""The exercises of the page *Looking answers up*."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction

from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.model import Transformer
from uatlib.yun2020 import quantizer, selective_shift, value_layers

from ...answers import network, number, whole
from ..exercise import exercise


@exercise(
    "ex-value-count",
    asks="How many layers has the repaired look-up for N = {N}, n = {n}, d = {d}? And how many of them change a given "
    "token of a real context?",
    hands_in=[whole("layers"), whole("changing")],
    varies={"N": [3, 2, 4], "n": [2, 3], "d": [2]},
    rubric={
        "layers": "{given} is not the number of layers: one for each token of each context, and what stands before "
        "and after.",
        "changing": "{given} is not it. Which layers move this token, and which move all?",
    },
    wrong={
        "an entry a context": (
            lambda N, n, d: (math.comb(N**d, n) + 1 + d + 1, 2),
            "The dictionary has an entry for each token of a context, not one for the context.",
        ),
        "the entry alone": (lambda N, n, d: (n * math.comb(N**d, n) + 1 + d + 1, 1), "changing"),
        "the table alone": (lambda N, n, d: (n * math.comb(N**d, n), 2), "layers"),
    },
    hint="There are D = N^d different tokens. Beside the table stand 1 + d layers before it and one after it.",
)
def value_count(N: int, n: int, d: int) -> tuple[int, int]:
    """One entry a token of each set of n different columns, 1 + d layers before, one after."""
    contexts = sum(1 for _ in itertools.combinations(range(N**d), n))
    return 1 + d + n * contexts + 1, 2


IDS = (Fraction(13), Fraction(27, 2))
"""Of the only context for N = 2, n = 2, d = 1."""


def looked_up(answers: tuple[Fraction, Fraction], order: tuple[int, int]) -> list[Fraction]:
    """What becomes of the two ids where the entries stand in this order: each moves all that stand at its id."""
    numbers = list(IDS)
    for entry in order:
        numbers = [answers[entry] if z == IDS[entry] else z for z in numbers]
    return numbers


@exercise(
    "ex-value-order",
    asks="N = 2, n = 2, d = 1: the only context has the ids 13 and 27/2, and the unrepaired look-up an entry for "
    "each. Name two answers, of 13 and of 27/2, that come out wrong whichever entry stands first.",
    hands_in=[number("answer of 13"), number("answer of 27/2")],
    rubric={
        "13 first": "With the entry of 13 first both tokens get what they should: the answer of 13 must be an id that "
        "a later entry waits for.",
        "27/2 first": "With the entry of 27/2 first both tokens get what they should: the answer of 27/2 must be an "
        "id that a later entry waits for.",
    },
    reference=lambda: (Fraction(27, 2), 13),
    wrong={
        "fails in one order": ((Fraction(27, 2), Fraction(3, 4)), "27/2 first"),
        "fails in the other": ((Fraction(1, 4), 13), "13 first"),
        "each its own id": ((13, Fraction(27, 2)), "13 first"),
    },
    hint="What if each answer is the id of the other token?",
)
def value_order(first: Fraction, second: Fraction) -> Iterable[Check]:
    """Wrong in both orders."""
    for name, order in (("13 first", (0, 1)), ("27/2 first", (1, 0))):
        right = looked_up((first, second), order) == [first, second]
        yield Check.none(name, [{"order": order}] if right else [])


def ranks(answers: list[list[Fraction]]) -> Transformer:
    """The whole network for N = 4, n = 3, d = 1, with these answers of the tokens in increasing order."""
    cut, tell = (make(inverse_delta=4, n=3, d=1) for make in (quantizer, selective_shift))
    table = value_layers(lambda L: answers, inverse_delta=4, n=3, d=1)
    return Transformer([*cut.layers, *tell.layers, *table.layers])


THIRDS = [Fraction(k, 3) for k in range(3)]


@exercise(
    "ex-value-count-distinct",
    asks="Build the whole hardmax network, rounding, telling apart and looking up, that gives each token the rank of "
    "its value (0, 1/3 or 2/3), for N = 4, n = 3, d = 1, and 0 to all where two share a cell: `rank`, a Transformer.",
    hands_in=network("rank"),
    rubric={
        "ranks": "At X = {X} the answers are {given}. Each token gets the rank of its value, wherever it stands.",
        "shared cells": "At X = {X}, where two tokens share a cell, the answers are {given} and not 0.",
    },
    reference=lambda: ranks([THIRDS]),
    wrong={
        "from the largest": (ranks([THIRDS[::-1]]), "ranks"),
        "thirds of one": (ranks([[Fraction(k, 2) for k in range(3)]]), "ranks"),
        "no look-up": (Transformer(ranks([THIRDS]).layers[:9]), "ranks"),
        "no rounding": (Transformer(ranks([THIRDS]).layers[5:]), "ranks"),
    },
    hint="With the tokens in increasing order the answers are the same for every context.",
)
def value_count_distinct(model: Transformer) -> Iterable[Check]:
    """A place for each token in four cells, at three depths of the cell."""
    bad: dict[str, list[dict[str, object]]] = {"ranks": [], "shared cells": []}
    cases = dict.fromkeys(bad, 0)
    for cells in itertools.product(range(4), repeat=3):
        X = [Fraction(10 * cell + 2 + 3 * j, 40) for j, cell in enumerate(cells)]
        given = model([X], EXACT)[0].tolist()
        proper = len(set(cells)) == 3
        right = [Fraction(sorted(cells).index(cell), 3) for cell in cells] if proper else [0, 0, 0]
        kind = "ranks" if proper else "shared cells"
        cases[kind] += 1
        near = len(given) == 3 and all(abs(a - b) < Fraction(1, 10**9) for a, b in zip(given, right, strict=True))
        bad[kind] += [] if near else [{"X": tuple(X), "given": tuple(given)}]
    for name, found in bad.items():
        yield Check.none(name, found, cases=cases[name])
