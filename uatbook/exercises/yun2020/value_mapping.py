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
from .contextual_mapping import ids


@exercise(
    "ex-value-count",
    about=["yun2020:lem-9"],
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
    why="Each token of each context has a layer of its own, and few of them touch a given token.",
)
def value_count(N: int, n: int, d: int) -> tuple[int, int]:
    """One entry a token of each set of n different columns, 1 + d layers before, one after."""
    contexts = sum(1 for _ in itertools.combinations(range(N**d), n))
    return 1 + d + n * contexts + 1, 2


def of_two(name: str, N: int, first: int, last: int) -> tuple[int, str, Fraction, Fraction]:
    """A context of two tokens, k / N, and its ids."""
    low, high = (Fraction(number, N) for number in ids((first, last), N))
    return N, name, low, high


def looked_up(pair: tuple[Fraction, ...], answers: tuple[Fraction, Fraction], order: tuple[int, int]) -> list[Fraction]:
    """What becomes of the two ids where the entries stand in this order: each moves all that stand at its id."""
    numbers = list(pair)
    for entry in order:
        numbers = [answers[entry] if z == pair[entry] else z for z in numbers]
    return numbers


@exercise(
    "ex-value-order",
    about=["yun2020:lem-9"],
    asks="N = {case[0]}, n = 2, d = 1: {case[1]} has the ids {case[2]} and {case[3]}, and the unrepaired look-up an "
    "entry for each. Name two answers, of {case[2]} and of {case[3]}, that come out wrong whichever of the two entries "
    "stands first.",
    hands_in=[number("answer of the smaller id"), number("answer of the larger id")],
    varies={
        "case": [
            of_two("the only context", 2, 0, 1),
            of_two("the context of 0 and 1/3", 3, 0, 1),
            of_two("the context of 0 and 2/3", 3, 0, 2),
            of_two("the context of 1/3 and 2/3", 3, 1, 2),
            of_two("the context of 1/4 and 3/4", 4, 1, 3),
            of_two("the context of 0 and 3/4", 4, 0, 3),
        ]
    },
    rubric={
        "smaller first": "With the entry of {case[2]} first both tokens get what they should: the answer of {case[2]} "
        "must be an id that a later entry waits for.",
        "larger first": "With the entry of {case[3]} first both tokens get what they should: the answer of {case[3]} "
        "must be an id that a later entry waits for.",
    },
    reference=lambda case: (case[3], case[2]),
    wrong={
        "fails in one order": (lambda case: (case[3], Fraction(3, 4)), "larger first"),
        "fails in the other": (lambda case: (Fraction(1, 4), case[2]), "smaller first"),
        "each its own id": (lambda case: (case[2], case[3]), "smaller first"),
    },
    hint="What if each answer is the id of the other token?",
    why="So no order of the entries saves the printed look-up: answers must be kept away from ids.",
)
def value_order(first: Fraction, second: Fraction, case: tuple[int, str, Fraction, Fraction]) -> Iterable[Check]:
    """Wrong in both orders."""
    for name, order in (("smaller first", (0, 1)), ("larger first", (1, 0))):
        right = looked_up(case[2:], (first, second), order) == [first, second]
        yield Check.none(name, [{"order": order}] if right else [])


def ranks(answers: list[list[Fraction]]) -> Transformer:
    """The whole network for N = 4, n = 3, d = 1, with these answers of the tokens in increasing order."""
    cut, tell = (make(inverse_delta=4, n=3, d=1) for make in (quantizer, selective_shift))
    table = value_layers(lambda L: answers, inverse_delta=4, n=3, d=1)
    return Transformer([*cut.layers, *tell.layers, *table.layers])


THIRDS = [Fraction(k, 3) for k in range(3)]


@exercise(
    "ex-value-count-distinct",
    asks="Build the whole hardmax network, rounding, telling apart and looking up, that gives each token "
    "{case[0]}, for N = 4, n = 3, d = 1, and 0 to all where two share a cell: `rank`, a Transformer.",
    hands_in=network("rank"),
    varies={
        "case": [
            ("the rank of its value (0, 1/3 or 2/3)", THIRDS),
            ("1, 1/2 or 0, the larger the value, the less", [Fraction(2 - k, 2) for k in range(3)]),
            ("1/4, 1/2 or 3/4, the larger the value, the more", [Fraction(1 + k, 4) for k in range(3)]),
            ("2/3, 0 or 1/3, by the rank of its value", [THIRDS[2], THIRDS[0], THIRDS[1]]),
            ("1/2, 1 or 1/4, by the rank of its value", [Fraction(1, 2), Fraction(1), Fraction(1, 4)]),
        ]
    },
    rubric={
        "ranks": "At X = {X} the answers are {given}. Each token gets {case[0]}, wherever it stands.",
        "shared cells": "At X = {X}, where two tokens share a cell, the answers are {given} and not 0.",
    },
    reference=lambda case: ranks([case[1]]),
    wrong={
        "from the largest": (lambda case: ranks([case[1][::-1]]), "ranks"),
        "a little more": (lambda case: ranks([[x + Fraction(1, 6) for x in case[1]]]), "ranks"),
        "no look-up": (lambda case: Transformer(ranks([case[1]]).layers[:9]), "ranks"),
        "no rounding": (lambda case: Transformer(ranks([case[1]]).layers[5:]), "ranks"),
    },
    hint="With the tokens in increasing order the answers are the same for every context.",
)
def value_count_distinct(model: Transformer, case: tuple[str, list[Fraction]]) -> Iterable[Check]:
    """A place for each token in four cells, at three depths of the cell."""
    bad: dict[str, list[dict[str, object]]] = {"ranks": [], "shared cells": []}
    cases = dict.fromkeys(bad, 0)
    for cells in itertools.product(range(4), repeat=3):
        X = [Fraction(10 * cell + 2 + 3 * j, 40) for j, cell in enumerate(cells)]
        given = model([X], EXACT)[0].tolist()
        proper = len(set(cells)) == 3
        right = [case[1][sorted(cells).index(cell)] for cell in cells] if proper else [0, 0, 0]
        kind = "ranks" if proper else "shared cells"
        cases[kind] += 1
        near = len(given) == 3 and all(abs(a - b) < Fraction(1, 10**9) for a, b in zip(given, right, strict=True))
        bad[kind] += [] if near else [{"X": tuple(X), "given": tuple(given)}]
    if len(bad["ranks"]) == cases["ranks"]:  # 0 where cells are shared is no merit of what answers nothing
        bad["shared cells"] = bad["shared cells"] or [{}]
    for name, found in bad.items():
        yield Check.none(name, found, cases=cases[name])
