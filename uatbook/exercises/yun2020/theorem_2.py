"""The exercises of the page *The whole network*."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from uatlib.certificate import Check

from ...answers import function, number, numbers, whole
from ..exercise import exercise


def budget(error: str, aside: int, lookup: bool = True) -> int:
    """The least N with sqrt(2)/N + sqrt(2/N) <= error less its sixteenth."""
    allowed = float(error) * (1 - Fraction(aside, 16))
    return next(N for N in range(2, 100_000) if math.sqrt(2) / N * lookup + math.sqrt(2 / N) <= allowed)


@exercise(
    "ex-theorem-2-budget",
    about=["yun2020:thm-2"],
    asks="The mean product of two tokens, p = 2: the terms of the error are a/N and a/sqrt(N) with a = sqrt(2), and a "
    "sixteenth of the error is set aside for ramps and softmax. How many cells a side does `build` choose for the "
    "error {error}?",
    hands_in=whole("N"),
    varies={"error": ["0.25", "0.2", "0.3", "0.35", "0.15", "0.4"]},
    rubric={"N": "Not {given}. Put s = 1/sqrt(N): the condition is one on s^2 + s."},
    wrong={
        "nothing set aside": (
            lambda error: budget(error, 0),
            "A sixteenth of the error is set aside: what remains is 15/16 of it.",
        ),
        "one term": (lambda error: budget(error, 1, lookup=False), "Both terms count, not the larger one alone."),
        "rounded down": (
            lambda error: budget(error, 1) - 1,
            "One cell fewer, and the terms are above what is allowed: round up.",
        ),
    },
    hint="Solve s^2 + s = (15/16) * {error} / sqrt(2) for s, then N = 1/s^2, rounded up.",
    why="Most of the error stays with repeated tokens, whose term falls with the root of N only.",
)
def theorem_2_budget(error: str) -> int:
    """The least number of cells a side."""
    return budget(error, 1)


def looked_at() -> list[list[float]]:
    """Three tokens at multiples of 1/4; and 30 drawn sequences in all orders, and the corners, with others beside them.

    These lie a 64th away in each place: what is tame on multiples of 1/4 alone is seen.
    """
    rng = random.Random(17)
    lattice = [*itertools.product(range(0, 65, 16), repeat=3)]
    drawn = [tuple(rng.randint(1, 63) for _ in range(3)) for _ in range(30)]
    off = [X for Y in drawn for X in [*itertools.permutations(Y), *beside(Y)]]
    corners = [X for Y in itertools.product((0, 64), repeat=3) for X in beside(Y)]
    return [[k / 64 for k in X] for X in dict.fromkeys([*lattice, *off, *corners])]


def beside(X: Sequence[int]) -> list[tuple[int, ...]]:
    """One up or one down in each place, within the box."""
    moved = (tuple(k + by for k, by in zip(X, step, strict=True)) for step in itertools.product((-1, 1), repeat=3))
    return [Y for Y in moved if min(Y) >= 0 and max(Y) <= 64]


SEQUENCES = looked_at()
"""Which the judge looks at."""


def gap(x: float, y: float, z: float) -> list[float]:
    """The largest minus each."""
    return [max(x, y, z) - t for t in (x, y, z)]


OTHERS = ", and no multiple of the largest minus each, which this book takes"


def own(besides: str) -> Callable[[float, float, float], list[float]]:
    """The book's function, or each minus the smallest where that one is not meant."""
    return (lambda x, y, z: [t - min(x, y, z) for t in (x, y, z)]) if besides else gap


@exercise(
    "ex-theorem-2-own",
    asks="A function of your own, of three tokens in one dimension: write `f(x, y, z)`, which gives three numbers. "
    "What do you know of it? Name a Lipschitz constant of it in the maximum norm and a bound of its values. It must be "
    "permutation equivariant, and not nearly constant{besides}. (The judge looks at some 500 sequences in the box; "
    "your network's certificate looks at more.)",
    hands_in=[function("f", "x, y, z", numbers("values", 3)), number("lipschitz"), number("bound")],
    varies={"besides": ["", OTHERS]},
    inputs=lambda besides: SEQUENCES,
    rubric={
        "not constant": "Each answer is nearly the same everywhere, or a multiple of one that is not meant. Take a "
        "function that a network has to work for.",
        "equivariant": "f{X} = {given}, but f{Y} = {other}: the answers do not move with the tokens.",
        "lipschitz": "From {X} to {Y} no token moves by more than {step}, and an answer by {change}: {given} is too "
        "small.",
        "bound": "f{X} = {given}, which is beyond your bound.",
        "sharp": "{what} = {given} is more than four times what this function needs: the network would pay for it.",
    },
    reference=lambda besides: (own(besides), 2, 1),
    wrong={
        "lipschitz 1": (lambda besides: (own(besides), 1, 1), "lipschitz"),
        "not equivariant": ((lambda x, y, z: [x, x, x], 1, 1), "equivariant"),
        "a constant for all": (lambda besides: (own(besides), 1000, 1), "sharp"),
        "bound of one token": ((lambda x, y, z: [x + y + z] * 3, 3, 1), "bound"),
        "a slope between the quarters": ((lambda x, y, z: [x * y * z] * 3, Fraction(12, 5), 1), "lipschitz"),
        "nothing": ((lambda x, y, z: [0, 0, 0], 1, 1), "not constant"),
    },
    entry=("not constant",),
    hint="How much can the largest of three numbers change when none of them moves by more than t?",
)
def theorem_2_own(
    calls: Sequence[tuple[Sequence[float], list[Fraction] | None]], lipschitz: Fraction, bound: Fraction, besides: str
) -> Iterable[Check]:
    """What is claimed of f, on the table of its values."""
    values = {tuple(map(Fraction, X)): Y for X, Y in calls if Y is not None}
    spread = max((max(Y) - min(Y) for Y in zip(*values.values(), strict=True)), default=Fraction(0))
    scale = values.get((Fraction(1), Fraction(0), Fraction(0)), [Fraction(0)] * 3)[1]
    book = besides and all(
        abs(y - scale * Fraction(z)) < Fraction(1, 10**6)
        for X, Y in values.items()
        for y, z in zip(Y, gap(*map(float, X)), strict=True)
    )
    constant = spread < Fraction(1, 100) or book
    fails: list[dict[str, Any]] = [{}] if len(values) < len(calls) or constant else []
    yield Check.none("not constant", [{}] if constant else [], cases=len(values))
    slack = Fraction(1, 10**9)
    moved = [*fails]
    for X, Y in values.items():
        for order in itertools.permutations(range(3)):
            there = tuple(X[i] for i in order)
            other = values.get(there)
            if other is not None and any(abs(other[j] - Y[i]) > slack for j, i in enumerate(order)):
                moved.append({"X": X, "Y": there, "given": tuple(Y), "other": tuple(other)})
    yield Check.none("equivariant", moved, cases=6 * len(values))
    steep, slope = [*fails], Fraction(0)
    lattice = [X for X in values if all(4 % x.denominator == 0 for x in X)]
    pairs = [*itertools.combinations(lattice, 2), *((X, V) for X in values for V in neighbours(X) if V in values)]
    for X, V in pairs:
        Y, W = values[X], values[V]
        step = max(abs(a - b) for a, b in zip(X, V, strict=True))
        change = max(abs(a - b) for a, b in zip(Y, W, strict=True))
        slope = max(slope, change / step)
        if change > lipschitz * step + slack:
            steep.append({"X": X, "Y": V, "step": step, "change": change, "given": lipschitz})
    yield Check.none("lipschitz", steep, cases=len(pairs))
    high = fails + [{"X": X, "given": tuple(Y)} for X, Y in values.items() if max(map(abs, Y)) > bound + slack]
    yield Check.none("bound", high, cases=len(values))
    needed = {
        "lipschitz": (lipschitz, slope),
        "bound": (bound, max((abs(y) for Y in values.values() for y in Y), default=0)),
    }
    loose = [{"what": what, "given": given} for what, (given, least) in needed.items() if given > 4 * least + slack]
    yield Check.none("sharp", fails or loose, cases=2)


def neighbours(X: Sequence[Fraction]) -> list[tuple[Fraction, ...]]:
    """A 64th away in each place."""
    return [tuple(x + by for x, by in zip(X, step, strict=True)) for step in BESIDE]


BESIDE = [*itertools.product((Fraction(-1, 64), Fraction(1, 64)), repeat=3)]


@exercise(
    "ex-theorem-2-halve",
    about=["yun2020:prop-5"],
    asks="What repeated tokens cost falls like delta^(d/p), by Proposition 5. You want a {m}th of it. By what factor "
    "does the number N of cells a side grow for d = 1 and p = 2, for d = 1 and p = 1, and for d = 2 and p = 2? And "
    "that of all cells, N^(dn), for n = 2, d = 1 and p = 2?",
    hands_in=[whole("side, p = 2"), whole("side, p = 1"), whole("side, d = 2"), whole("all cells")],
    varies={"m": [4, 5, 6, 7, 10]},
    rubric={
        "side, p = 2": "Not {given}. The cost falls like the root of delta.",
        "side, p = 1": "Not {given}. The cost falls like delta itself.",
        "side, d = 2": "Not {given}. The exponent is d/p: what is it here?",
        "all cells": "Not {given}. Each of the n d entries has so many times as many cells.",
    },
    wrong={
        "like delta": (
            lambda m: (m, m, m, m * m),
            "That would be so if the cost always fell like delta. For d = 1 and p = 2 it falls like its root.",
        ),
        "the exponent turned over": (
            lambda m: (m * m, m, m**4, m**4),
            "More entries make equal tokens rarer: with d the cost falls faster, not slower.",
        ),
        "a side alone": (
            lambda m: (m * m, m, m, m * m),
            "That many times as many cells a side. A sequence has two entries.",
        ),
        "the square for all": (lambda m: (m * m, m * m, m * m, m**4), "side, p = 1"),
    },
    hint="Solve (1/N)^(d/p) = c for N: a factor m below in the cost is a factor m^(p/d) above in N.",
    why="The smaller d/p, the more cells the same gain costs.",
)
def theorem_2_halve(m: int) -> tuple[int, int, int, int]:
    """The least whole factor t with t^(d/p) >= m, found by trying."""
    first, second, third = (next(t for t in range(1, m**3) if t**d >= m**p) for d, p in ((1, 2), (1, 1), (2, 2)))
    return first, second, third, first ** (2 * 1)


POLE = Fraction(-1, 8)


@exercise(
    "ex-theorem-2-rate",
    about=["yun2020:prop-5"],
    asks="A network is 0 where two tokens share a cell of width delta, and f elsewhere. Its distance from f in d_{p} "
    "tends to 0 like a power of delta. Which power? For two numbers and |x_1 - x_2| (near); for two numbers and |x_1 - "
    "x_2| to the power -1/8 (pole); for two tokens of two entries and their distance |x_1 - x_2| (plane); for three "
    "numbers and (x_1 - x_2)(x_2 - x_3)(x_3 - x_1) (product).",
    hands_in=[number("near"), number("pole"), number("plane"), number("product")],
    varies={"p": [2, 3, 4, 5]},
    rubric={
        "near": "Not {given}. Count twice: how much volume is lost, and how large is f there?",
        "pole": "Not {given}. Near the diagonal this f is large. Integrate its p-th power over |x_1 - x_2| < delta.",
        "plane": "Not {given}. How likely do two tokens share a cell if each has two entries?",
        "product": "Not {given}. Look at sequences in which two of the three share a cell: which factors are small?",
    },
    wrong={
        "volume alone": (
            lambda p: (Fraction(1, p), Fraction(1, p), Fraction(2, p), Fraction(1, p)),
            "Those are the powers for an f that is neither small nor large on the diagonal. Look at f there.",
        ),
        "all factors are small": (
            lambda p: (*rates(p)[:3], 3 + Fraction(1, p)),
            "Three tokens in one cell are rare. Mostly two share one, and the third is far away: which factors are "
            "small then?",
        ),
        "no root": (
            lambda p: (*(p * rate for rate in rates(p)),),
            "That is the power of the integral. The distance is its root of order {p}.",
        ),
        "a line for the plane": (lambda p: (*rates(p)[:2], rates(p)[0], rates(p)[3]), "plane"),
    },
    hint="The p-th power of the distance is an integral over what is lost: volume times a typical f, to the power p. "
    "Then take the root.",
    why="The exponent d/p of Proposition 5 is for functions that do not vanish on the diagonal. Where f is small "
    "there, the diagonal is cheap.",
)
def theorem_2_rate(p: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Volume times values, and the root."""
    return rates(p)


def rates(p: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Of (volume, f): (delta, delta), (delta, delta^(-1/8)), (delta^2, delta), (delta, delta)."""
    near, pole, plane, product = (Fraction(volume, p) + f for volume, f in ((1, 1), (1, POLE), (2, 1), (1, 1)))
    return near, pole, plane, product
