"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Theorem 2 on all of R^{d x n}, at the stage of ReLUs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..arithmetic import EXACT
from ..certificate import Certificate, Check, Construction
from ..constructions import yun2020
from ..constructions.yun2020_network import Evaluation
from ..constructions.yun2020_stages import largest_gap
from ..contextual_mapping import categories, layer_counts
from ..layers import Attention, FeedForward, Layer
from ..model import Transformer
from ..quantization import Grid, clip_layer
from ..relu_pieces import Side, with_relus
from .registry import register
from .yun2020_contextual import exact_sequences, interval_checks
from .yun2020_values import build_one

FAR = (Fraction(3, 2), -1, 10**30, -(10**30))
"""Entries outside the box and its bands."""

# ----------------------------------------------------------------------------------------------------------- theorem 2


def outside_points(construction: Construction, count: int, seed: int = 0) -> np.ndarray:
    """Sequences whose last token has an entry far outside the box, while others lie in the box and its bands.

    The first is 0, ..., n - 1 in units of delta, a third of a step on, but for that entry. In the rest the first entry
    is in the band at 1, or that at 0, where the clip layer runs over all numbers between the box and the sentinel; in
    every other one such that it lands in a band of the step layers.
    """
    rng, parameters = np.random.default_rng(seed), construction.parameters
    grid = Grid(parameters["inverse_delta"], parameters["n"], parameters["d"])
    N, n, d, width = grid.inverse_delta, grid.n, grid.d, parameters["width"]
    below = -width if parameters["bands"] == "below" else 0
    sentinel = grid.positive_sentinel if parameters["variant"] == "repaired" else grid.sentinel
    X = rng.integers(0, 1000, (count, d, n)).astype(object) * Fraction(1, 1000)
    for k in range(count):
        edge = k % 8 < 6  # mostly at 1
        share = Fraction(int(rng.integers(0, 10**6)), 10**6)
        start, end = (1 + below, sentinel) if edge else (sentinel, below + width)
        landing = Fraction(int(rng.integers(1, N + 1)), N) + below + share * width
        if k % 2 and min(start, end) <= landing < max(start, end):
            share = (landing - start) / (end - start)
        X[k, 0, 0] = edge + below + share * width
        X[k, -1, -1] = FAR[k % len(FAR)]
    first = [[Fraction(j // N**i % N, N) + Fraction(1, 3 * N) for j in range(n)] for i in range(d)]
    X[0] = np.array(first, dtype=object)[:, ::-1]
    X[0, -1, -1] = FAR[0]
    return X


def _certify_theorem_2(construction: Construction, model: Transformer, grid: Grid, count: int) -> Certificate:
    N, n, d = grid.inverse_delta, grid.n, grid.d
    L = grid.sequences()
    # Off the bands on either side.
    X = exact_sequences(L, N) + Fraction(1, 2 * N)
    wrong = (model(X, EXACT) != (categories(L) == 1).numpy()[:, None, None].astype(int)).any(axis=(-2, -1))
    beside = outside_points(construction, count)
    output = model(beside, EXACT)
    nonzero = (output != 0).any(axis=(-2, -1))
    witness: Any = None
    if nonzero.any():
        k = int(nonzero.argmax())
        further = beside[[k, k]].copy()
        further[:, -1, -1] = [beside[k, -1, -1] * 10**6, beside[k, -1, -1] * 10**30]
        same = bool((model(further, EXACT) == output[k]).all())
        far = "the same" if same else "another"
        witness = (f"X = {_text(beside[k])}", f"g(X) = {_text(output[k])}", f"{far} 10^6 and 10^30 times as far")
    in_bands = outside_points(construction, 40)
    in_bands[:, -1, -1] = Fraction(1, 2 * N)
    evaluate = construction.evaluate
    assert isinstance(evaluate, Evaluation)
    gaps = abs(model(in_bands, EXACT) - evaluate(in_bands)).max()
    terms = construction.claim.terms
    sentinel = grid.positive_sentinel if construction.parameters["variant"] == "repaired" else grid.sentinel
    attention = Transformer([layer for layer in model.layers if isinstance(layer, Attention)], n=n)
    names = (
        "8.3 with this sentinel: distinct columns, some id outside [t_l, t_r]",
        "8.4: a repeated column or the sentinel, some id inside",
    )
    room = yun2020.SHARE * sum(term.bound for term in terms[:-1])
    counts = layer_counts(N, n, d, repaired=construction.parameters["variant"] == "repaired")
    k = int(wrong.argmax())
    return Certificate(
        [
            Check(
                "cells where the output is not A_L (0 for repeated columns)",
                int(wrong.sum()),
                "==",
                0,
                f"X = {_text(X[k])}" if wrong.any() else None,
                cases=len(L),
            ),
            Check(
                "outside the box and its bands, output not 0", int(nonzero.sum()), "==", 0, witness, "sampled", count
            ),
            Check(
                "|g - g-bar| in bands at 0 and 1",
                gaps,
                "<=",
                largest_gap(evaluate.value_map.table),
                None,
                "sampled",
                40,
            ),
            Check("the bands' term of d_p over R^(d x n)", terms[-1].bound, "<=", room),
            *interval_checks(grid, sentinel, attention, names),
            Check("layers", model.depth, "==", counts["total"]),
        ],
        parameters={"inverse_delta": N, "n": n, "d": d, "bands": construction.parameters["bands"]},
    )


def _text(rows: np.ndarray) -> list[list[str]]:
    return [[str(entry) for entry in row] for row in rows]


def _perturb_theorem_2(
    *, seed: int = 0, inverse_delta: int = 3, n: int = 3, d: int = 1, bands: Side = "below"
) -> Certificate:
    """The layer of a token is left out or writes twice as much, or the first row's sentinel is 0."""
    grid = Grid(inverse_delta, n, d)
    if n > grid.column_values:
        raise ValueError(f"yun2020:thm-2: expected n <= N^d, got n = {n} and N^d = {grid.column_values}.")
    construction = build_one(grid, "yun2020:thm-2", stage="relu", bands=bands)
    layers: list[Layer] = list(construction.model.layers)
    rng = np.random.default_rng(seed)
    counts = layer_counts(inverse_delta, n, d)
    # Between the layers for columns of no context and the one that adds K.
    tokens = range(len(layers) - counts["value"] + 1 + d, len(layers) - 1)
    place, damage = int(rng.choice(tokens)), seed % 3
    layer = layers[place]
    assert isinstance(layer, FeedForward)
    if damage == 0:
        del layers[place]
    elif damage == 1:
        layers[place] = FeedForward(layer.w_1, layer.b_1, layer.w_2 * 2)
    else:
        for row in range(d):
            clip = clip_layer(row, inverse_delta, n, d, sentinel=0)
            layers[row * (inverse_delta + 1)] = with_relus(clip, construction.parameters["width"], bands)
    return _certify_theorem_2(construction, Transformer(layers, n=n), grid, 40)


@register(
    "yun2020:thm-2",
    "transformers approximate permutation equivariant functions",
    source="Theorem 2, section 3 (at the stage of ReLUs)",
    chapter="yun-theorem-2",
    perturb=_perturb_theorem_2,
    erratum=(
        "d_p integrates over all of R^{d x n}, and the network of the proof need not be 0 far away: with the sentinel "
        "-N^{nd}, an entry of one token in a band of the ReLUs makes ids that lie in [t_l, t_r] beside a token outside "
        "the box, however far. At N = n = 3, d = 1 that happens with the bands [c - eps, c) of the text, for two "
        "tokens with the clip layer's band at [1, 1 + eps). On strips that run to infinity g is not 0, and d_p is "
        "infinite. On a box the theorem holds, and with a sentinel above it, D^{n+1} in units of delta, everywhere."
    ),
)
def verify_theorem_2(
    *, variant: str = "repaired", inverse_delta: int = 3, n: int = 3, d: int = 1, bands: Side = "below"
) -> Certificate:
    """The network of the step function 1 with ReLUs, run in EXACT on every cell and on points outside the box.

    That the repaired network is 0 there is proved in `constructions.yun2020_stages`; `bands` is as in `yun2020.build`.
    """
    grid = Grid(inverse_delta, n, d)
    construction = build_one(grid, "yun2020:thm-2", stage="relu", bands=bands, variant=variant)
    return _certify_theorem_2(construction, construction.model, grid, 2000)
