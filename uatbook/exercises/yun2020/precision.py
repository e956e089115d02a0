"""The exercises of the page *When floats are not enough*."""

from __future__ import annotations

import itertools
import math

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
)
def precision_byte(case: tuple[int, int, int]) -> tuple[int, int, str]:
    """The contexts, the layers, and whether all ids are floats."""
    return math.comb(case[0] ** case[2], case[1]), layers(*case), fit(*case)
