"""The exercises of the page *When floats are not enough*."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np

from ...answers import choice, whole
from ..exercise import exercise
from .contextual_mapping import ids


def layers(N: int, n: int, d: int) -> int:
    """Rounding, telling apart and the look-up, which has n entries a context, 1 + d layers before, one after."""
    D = N**d
    return d * (N + 1) + (D + 1) + (n * math.comb(D, n) + 1 + d + 1)


def fit(N: int, n: int, d: int) -> str:
    """Whether a float64 holds every id of the contexts; d only counts as D = N^d values of a token."""
    contexts = itertools.combinations(range(N**d), n)
    return "yes" if all(int(float(z)) == z for context in contexts for z in ids(context, N**d)) else "no"


@exercise(
    "ex-precision-byte",
    about=["yun2020:precision"],
    asks="n = {case[1]} tokens in d = {case[2]} dimensions, N = {case[0]}. How many contexts of different tokens are "
    "there? How many layers has the network of the three steps? And does a float64 hold all ids?",
    hands_in=[whole("contexts"), whole("layers"), choice("all fit", "yes", "no")],
    varies={"case": [(2, 8, 3), (2, 7, 3), (2, 6, 3), (3, 8, 2)]},
    rubric={
        "contexts": "Not {given}: a context is a set of n different tokens out of N^d.",
        "layers": "Not {given}: d (N + 1) to round, N^d + 1 to tell apart, then the look-up.",
        "all fit": "Compute the ids. A number of 54 bits fits if it is even, and so on.",
    },
    wrong={
        "none fits": (
            lambda case: (math.comb(case[0] ** case[2], case[1]), layers(*case), "yes" if fit(*case) == "no" else "no"),
            "all fit",
        ),
        "orders counted": (
            lambda case: (math.perm(case[0] ** case[2], case[1]), layers(*case), fit(*case)),
            "Orders of the same tokens are one context.",
        ),
        "no entry a token": (
            lambda case: (
                math.comb(case[0] ** case[2], case[1]),
                layers(*case) - (case[1] - 1) * math.comb(case[0] ** case[2], case[1]),
                fit(*case),
            ),
            "The look-up has an entry for each token of a context.",
        ),
    },
    hint="The ids take about (2n + 2) d log2(N) bits: where that comes close to 53, compute them.",
    why="Whether floats hold the ids is settled by their last bits, and not by their length alone.",
)
def precision_byte(case: tuple[int, int, int]) -> tuple[int, int, str]:
    """The contexts, the layers, and whether all ids are floats."""
    return math.comb(case[0] ** case[2], case[1]), layers(*case), fit(*case)


def in_half(context: tuple[int, ...], D: int) -> list[float]:
    """The ids of ascending tokens by the layers, every operation rounded to half precision."""
    z, kind = [np.float16(t) for t in context], np.float16
    for c in range(D):
        up = [max(z) if t > c - 0.5 else min(z) for t in z]
        down = [max(z) if t > c + 0.5 else min(z) for t in z]
        z = [t + kind(D) * a - kind(D) * b for t, a, b in zip(z, up, down, strict=True)]
    return [float(t + kind(D ** (len(z) + 1)) * max(z)) for t in z]


@functools.cache
def first_wrong(n: int) -> int:
    """The first grid on which some id in half precision is wrong."""
    with np.errstate(over="ignore", invalid="ignore"):
        return next(
            D
            for D in range(n, 20)
            if any(in_half(row, D) != ids(row, D) for row in itertools.combinations(range(D), n))
        )


@functools.cache
def first_long(n: int) -> int:
    """The first grid with an id of more than 11 bits."""
    return next(
        D
        for D in range(n, 20)
        if any(number.bit_length() > 11 for row in itertools.combinations(range(D), n) for number in ids(row, D))
    )


EVEN, SMALL, LUCK = "they are even", "they have 11 bits", "rounding errors cancel"


@exercise(
    "ex-precision-half",
    about=["yun2020:precision"],
    asks="Half precision keeps 11 bits. On which grid, D cells, is an id of {n} tokens first longer than that? On "
    "which do the rescaled layers first give a wrong id in half precision? And three tokens on D = 3: their ids have "
    "12 bits, and yet all are right. Why?",
    hands_in=[whole("longer"), whole("wrong"), choice("D = 3", EVEN, SMALL, LUCK)],
    varies={"n": [3, 2]},
    rubric={
        "longer": "Not {given}. Write the ids of the largest tokens: how many bits has the longest?",
        "wrong": "Not {given}. A number of 12 bits is still a float, if it ends in a zero. Is there one that does not?",
        "D = 3": "The only context is 0, 1, 2. Compute its three ids.",
    },
    wrong={
        "bits decide": (lambda n: (first_long(n), 3, SMALL), "wrong"),
        "where numbers end": (lambda n: (first_long(n), 5, EVEN), "wrong"),
        "errors cancel": (lambda n: (first_long(n), first_wrong(n), LUCK), "D = 3"),
        "as many bits as cells": (lambda n: (11, first_wrong(n), EVEN), "longer"),
    },
    hint="The id of the largest token is about D^(2 n) (D - 1)... compute it for D = 3 and 4.",
    why="Floats lose the last bits: an even id may be longer than they are.",
)
def precision_half(n: int) -> tuple[int, int, str]:
    """By running the layers in floats of 16 bits."""
    three = ids((0, 1, 2), 3)
    return first_long(n), first_wrong(n), EVEN if not any(number % 2 for number in three) else LUCK
