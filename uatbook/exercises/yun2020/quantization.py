"""The exercises of the page *Cutting the box into cells*."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.layers import FeedForward, Layer, ThreePiece
from uatlib.model import Transformer

from ...answers import choice, function, network, number, whole
from ..exercise import exercise


@exercise(
    "ex-quant-count",
    about=["yun2020:lem-7"],
    asks="How many layers has `quantizer(inverse_delta={N}, n={n}, d={d})`? What is its sentinel? And how many "
    "parameters has each layer?",
    hands_in=[whole("layers"), whole("sentinel"), whole("parameters")],
    varies={"N": [10, 4, 5, 8], "n": [7, 2, 3, 5], "d": [3, 2, 4, 5]},
    rubric={
        "layers": "{given} is not the number of layers. Count them for one row, then for all.",
        "sentinel": "{given} is not the sentinel. It lies far below all that the box holds.",
        "parameters": "{given} is not it. One hidden unit reads every row, writes every row, and has a bias.",
    },
    wrong={
        "the clip layers": (
            lambda N, n, d: (d * N, -(N ** (n * d)), 2 * d + 1),
            "The clip layers are missing: each row has one before its {N} cell layers.",
        ),
        "the exponent": (lambda N, n, d: (d * (N + 1), -(N**n), 2 * d + 1), "sentinel"),
        "one weight": (lambda N, n, d: (d * (N + 1), -(N ** (n * d)), d + 1), "parameters"),
    },
    hint="Each of the d rows has its own clip layer and its own cell layers. The sentinel's exponent is the number of "
    "entries of a sequence.",
    why="Layers grow with rows and cells; the length of the sequence is paid for by the sentinel alone.",
)
def quant_count(N: int, n: int, d: int) -> tuple[int, int, int]:
    """d (N + 1) layers, -N^(nd), and w_1, w_2 and a bias."""
    return d * (N + 1), -(N ** (n * d)), d + 1 + d


def promised(share: float) -> Callable[..., int]:
    """The least N with (dn)^(1/p) lipschitz / (2 N) <= error / share."""
    return lambda lipschitz, n, d, p, error: math.ceil(share / 2 * (d * n) ** (1 / p) * lipschitz / error)


SETTINGS = [
    (2, 2, 1, 2, 0.5),
    (1, 3, 1, 2, 0.3),
    (0.7, 2, 2, 1, 0.4),
    (5, 1, 3, 3, 0.21),
    (2, 4, 2, 2.5, 0.11),
    (1, 1, 1, 1, 0.7),
    (1, 1, 1, 1, 0.75),
    (1, 1, 1, 1, 0.5),
]
"""Lipschitz constants, n, d, p and errors; the last bounds are met with equality, by numbers that floats hold."""


@exercise(
    "ex-quant-given-error",
    asks="Write `cells_for(lipschitz, n, d, p, error)`: the least N for which Lemma 4's bound promises an error of at "
    "most error / {share} in d_p, for a function with this Lipschitz constant in the maximum norm.",
    hands_in=function("cells_for", "lipschitz, n, d, p, error", whole("N", least=1)),
    varies={"share": [3, 4, 5, 6, 8]},
    inputs=lambda share: SETTINGS,
    rubric={
        "enough": "cells_for{call} = {given} is too few: the bound is then above error / {share}.",
        "no more": "cells_for{call} = {given} is more than needed: {least} cells a side keep the bound.",
    },
    reference=lambda share: promised(share),
    wrong={
        "the norm's factor": (
            lambda share: lambda lipschitz, n, d, p, error: math.ceil(share * lipschitz / error / 2),
            "The factor (dn)^(1/p) is missing: all dn entries may be off at once.",
        ),
        "a whole cell": (
            lambda share: promised(2 * share),
            "Within a cell no entry is farther from the centre than half a cell.",
        ),
        "all of the error": (lambda share: promised(1), "enough"),
        "one more, always": (
            lambda share: (
                lambda lipschitz, n, d, p, error: math.floor(share * (d * n) ** (1 / p) * lipschitz / error / 2) + 1
            ),
            "no more",
        ),
        "rounded to the nearest": (
            lambda share: lambda *setting: promised(share)(*setting) - 1 or 1,
            "enough",
        ),
    },
    hint="Write Lemma 4's bound with N for 1/delta, and solve for N. Cells are whole.",
)
def quant_given_error(calls: Iterable[tuple[Sequence[float], int | None]], share: int) -> Iterable[Check]:
    """The bound holds, and for no smaller N."""
    rows = [(tuple(call), given, promised(share)(*call)) for call, given in calls]
    yield Check.none("enough", [{"call": c, "given": g} for c, g, N in rows if g is None or g < N], cases=len(rows))
    more = [{"call": c, "given": g, "least": N} for c, g, N in rows if g is None or g > N]
    more = more or [{} for _, g, N in rows if g is None or g < N]  # too few is no merit
    yield Check.none("no more", more, cases=len(rows))


def unit(*pieces: Sequence[object]) -> FeedForward:
    """t plus a function of three straight pieces."""
    return FeedForward([[1]], [0], [[1]], activation=ThreePiece(*pieces))  # type: ignore[arg-type]


def rounded(t: Fraction, N: int, k: int) -> Fraction:
    """The left edge of its cell; outside of the box -k N."""
    return Fraction(math.floor(t * N), N) if 0 <= t < 1 else Fraction(-k * N)


def clip(far: int) -> FeedForward:
    """Outside of [0, 1) to -far."""
    return unit((0, 1), (-1, 0, -1), (-far, 0, -far))


def by_pairs(N: int, k: int) -> Transformer:
    """Two cells a layer, the highest first; what is done waits below 0."""
    edges = [Fraction(k, N) for k in range(N)]
    park = [unit((a, b), (0, -1, -1), (0, a - 1, b - 1)) for a, b in zip(edges[-2::-2], edges[::-2], strict=True)]
    return Transformer([clip(k * N), *park, unit((-1, 0), (0, 0, 0), (0, 1, 1))])


def one_by_one(N: int, k: int) -> Transformer:
    """The page's own way, one cell a layer."""
    edges = [Fraction(k, N) for k in range(N)]
    cell = [unit((a, a + Fraction(1, N)), (0, -1, 0), (0, a, 0)) for a in edges]
    return Transformer([clip(k * N), *cell])


def without_parking(N: int, k: int) -> Transformer:
    """Two cells a layer, the upper one with all that lies above it."""
    edges = [Fraction(k, N) for k in range(N)]
    pairs = zip(edges[-2::-2], edges[::-2], strict=True)
    return Transformer([clip(k * N), *(unit((a, b), (0, -1, -1), (0, a, b)) for a, b in pairs)])


@exercise(
    "ex-quant-pieces",
    asks="Write `by_pairs(N)`: a Transformer of feed-forward layers on one scalar token, each with one hidden unit and "
    "a `ThreePiece` activation, that rounds [0, 1) to N cells and takes all else to {case[1]}, as Lemma 7 "
    "does{case[2]}, in fewer than N + 1 layers for even N from 6 on. Its numbers are exact, as "
    "`Fraction(1, N)`. It is tried for even N up to 20.",
    hands_in=function("by_pairs", "N", network("the network")),
    varies={"case": [(1, "-N", ""), *((k, f"-{k}N", f" with -{k}N for its -N") for k in (2, 3, 4, 5))]},
    inputs=lambda case: [(N,) for N in range(2, 21, 2)],
    rubric={
        "pieces": "For N = {N} layer {layer} is not t plus a function of three straight pieces.",
        "rounds": "For N = {N} the number {t} becomes {given}.",
        "fewer layers": "For N = {N} there are {layers} layers. A cell layer uses one flat piece, and two are allowed.",
    },
    reference=lambda case: lambda N: by_pairs(N, case[0]),
    wrong={
        "one cell a layer": (lambda case: lambda N: one_by_one(N, case[0]), "fewer layers"),
        "what is done is moved again": (lambda case: lambda N: without_parking(N, case[0]), "rounds"),
        "below -1": (lambda case: lambda N: Transformer(by_pairs(N, case[0]).layers[1:]), "rounds"),
        "not shifted back": (lambda case: lambda N: Transformer(by_pairs(N, case[0]).layers[:-1]), "rounds"),
    },
    entry=("pieces", "fewer layers"),
    hint="A piece that has no end can serve the upper of two cells. Where can numbers wait that are done?",
)
def quant_pieces(
    calls: Iterable[tuple[Sequence[int], Transformer | None]], case: tuple[int, str, str]
) -> Iterable[Check]:
    """Lemma 7's map on sevenths of cells, from -9 to 14 cells' worth around the box."""
    made = [(N, model.layers) for (N,), model in calls if model is not None]
    odd = [{"N": N, "layer": k} for N, layers in made for k, layer in enumerate(layers, 1) if not single(layer)]
    yield Check.none("pieces", odd or ([] if len(made) == 10 else [{}]), cases=len(made))
    bad: list[dict[str, object]] = [{}] if odd or len(made) < 10 else []
    for N, layers in made if not bad else []:
        t = [Fraction(k, 7 * N) for k in range(-9 * N, 14 * N)]
        given = Transformer(layers)([[[x]] for x in t], EXACT).ravel().tolist()
        bad += [{"N": N, "t": x, "given": y} for x, y in zip(t, given, strict=True) if y != rounded(x, N, case[0])][:1]
    yield Check.none("rounds", bad, cases=len(made))
    long = [{"N": N, "layers": len(layers)} for N, layers in made if N > 4 and len(layers) >= N + 1]
    # Few layers are no merit of what does not round.
    yield Check.none("fewer layers", long or ([{}] if bad else []), cases=len(made))


def single(layer: Layer) -> bool:
    """Whether it is t plus three straight pieces of t."""
    return (
        isinstance(layer, FeedForward)
        and isinstance(layer.activation, ThreePiece)
        and layer.skip
        and layer.w_1.shape == (1, 1)
    )


RESPECTS, BREAKS = "respects the order", "breaks it"
Point = Callable[[Sequence[int]], list[Fraction]]
POINTS: dict[str, Point] = {
    "A": lambda cells: [Fraction(k) for k in cells],
    "B": lambda cells: [k + Fraction(j, 2) for j, k in enumerate(cells)],
    "C": lambda cells: [k + Fraction(k % 2, 2) for k in cells],
    "D": lambda cells: [k + Fraction(1, 2 + max(cells)) for k in cells],
}
"""A point of each cell of two tokens, in units of delta."""


def respects(point: Point, N: int) -> bool:
    """Whether the point of the exchanged cell is the exchanged point, for all cells of two tokens."""
    return all(point(cells[::-1]) == point(cells)[::-1] for cells in itertools.product(range(N), repeat=2))


def farthest(at: Fraction) -> Fraction:
    """How far the points of [0, 1) come from this one."""
    return max(at, 1 - at)


@exercise(
    "ex-quant-representative",
    about=["yun2020:lem-4"],
    asks="Lemma 4 freezes f at the centre of each cell. Take another point of the cell (k_1, k_2) of two tokens, in "
    "units of delta: A) its lower corner; B) (k_1, k_2 + 1/2); C) each token at its lower end if its k is even, in its "
    "middle if it is odd; D) (k_1 + t, k_2 + t) with t = 1/(2 + the larger k). Does the step function still respect "
    "the order of the tokens? And what is the bound on the error with the lower corner, if the centre promises {eps}?",
    hands_in=[*(choice(name, RESPECTS, BREAKS) for name in "ABCD"), number("error")],
    varies={"eps": [Fraction(1, 6), Fraction(1, 8), Fraction(3, 10), Fraction(2, 7), Fraction(1, 5)]},
    rubric={
        "A": "Every entry is moved by the same. Exchange the tokens: is the new corner the old one, exchanged?",
        "B": "Take a cell with k_1 = k_2: its tokens are alike, and are they frozen at the same number?",
        "C": "It depends on the token's own cell, not on its place. Exchange k_1 and k_2 and see.",
        "D": "The larger of k_1 and k_2 does not change if they are exchanged.",
        "error": "Not {given}. How far is a point of the cell from its centre, at most, and how far from its corner?",
    },
    wrong={
        "only the centre": (
            lambda eps: (BREAKS,) * 4 + (2 * eps,),
            "A",
        ),
        "places do not matter": (lambda eps: (RESPECTS,) * 4 + (2 * eps,), "B"),
        "no change": (lambda eps: (RESPECTS, BREAKS, RESPECTS, RESPECTS, eps), "error"),
        "the same for all": (lambda eps: (RESPECTS, BREAKS, BREAKS, BREAKS, 2 * eps), "C"),
    },
    hint="The proof needs that the point of the exchanged cell is the exchanged point. Which choices look at the place "
    "of a token?",
    why="Only a look at the place of a token breaks the order; all else costs twice the distance at most.",
)
def quant_representative(eps: Fraction) -> tuple[str, str, str, str, Fraction]:
    """By trying all cells, and by the two distances."""
    kept = [RESPECTS if respects(point, 5) else BREAKS for point in POINTS.values()]
    a, b, c, d = kept
    return a, b, c, d, eps * farthest(Fraction(0)) / farthest(Fraction(1, 2))
