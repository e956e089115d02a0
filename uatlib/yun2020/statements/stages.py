"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Theorem 2 on all of R^{d x n}, at the stage of ReLUs."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from ...arithmetic import EXACT
from ...certificate import Certificate, Check, Construction
from ...grids import Grid
from ...layers import Attention, FeedForward, Layer
from ...model import Transformer
from ...registry import register_by_seed as register
from .._four_relus import Side, with_relus
from .._quantizer import clip_layer, quantizer
from .._selective_shift import selective_shift
from .._value_layers import largest_entry
from ..costs import layer_counts
from ..evaluation import Evaluation
from ..ids import categories
from ..network import SHARE
from ..stages import largest_gap, largest_in_bands, with_relu_layers
from .contextual import exact_sequences, interval_checks
from .values import build_one

FAR = (Fraction(3, 2), -1, 10**30, -(10**30))
"""Entries outside the box and its bands."""
Bands = Literal["below", "above", "clip"]
"""Where the bands of the quantizer lie; "clip": above 1 that of the clip layer, and below all others."""

# ----------------------------------------------------------------------------------------------------------- theorem 2


def _sides(bands: Bands) -> tuple[Side, Side, Side]:
    """The side of the bands of the clip layer at 0 and at 1, and of those of the step layers."""
    return ("below", "above", "below") if bands == "clip" else (bands, bands, bands)


def network(
    grid: Grid, variant: str = "repaired", bands: Bands = "below", width: Fraction | None = None
) -> Construction:
    """The network of the step function 1 with ReLUs, and parameters["sentinel"].

    `variant` "printed" has the sentinel -N^{nd} and as M the largest entry of g_c(L) on the extended grid; "repaired"
    the positive sentinel and an M above all values that tokens can reach in bands. Of these two changes "sentinel
    alone" makes the first, with the text's rule for M, and "M alone" the second. The change of Lemma 9, which adds K,
    goes with the sentinel; with the outputs 0 and 1 no later layer sees a mapped token without it either.
    """
    if bands not in get_args(Bands):
        raise ValueError(f'yun2020:thm-2: expected bands "below", "above" or "clip", got {bands!r}.')
    N, n, d = grid.inverse_delta, grid.n, grid.d
    positive = variant in ("repaired", "sentinel alone")
    low, high, steps = _sides(bands)
    made = build_one(
        grid, "yun2020:thm-2", stage="relu", bands=steps, variant="repaired" if positive else "printed", width=width
    )
    evaluate, eps = made.evaluate, made.parameters["width"]
    assert isinstance(evaluate, Evaluation)
    table, sentinel = evaluate.value_map.table, grid.positive_sentinel if positive else grid.sentinel
    if variant in ("repaired", "M alone"):
        largest = largest_in_bands(grid, positional=False, repaired=positive)
    else:
        largest = largest_entry(N, n, d, "positive" if positive else "negative")
    layers = with_relu_layers(
        quantizer(inverse_delta=N, n=n, d=d, sentinel=sentinel),
        selective_shift(inverse_delta=N, n=n, d=d),
        dataclasses.replace(table, largest=largest),
        eps,
        steps,
    )
    for row in range(d):
        layers[row * (N + 1)] = with_relus(clip_layer(row, N, n, d, sentinel), eps, (low, high))
    parameters = {**made.parameters, "variant": variant, "bands": bands, "sentinel": sentinel}
    return dataclasses.replace(made, model=Transformer(layers, n=n), parameters=parameters)


def outside_points(construction: Construction, count: int, seed: int = 0) -> np.ndarray:
    """Sequences whose last token has an entry far outside the box, while others lie in the box and its bands.

    The first is 0, ..., n - 1 in units of delta, a third of a step on, but for that entry. In the rest the first entry
    is in the clip layer's band at 1, or at 0, where that layer runs over all numbers between the box and the sentinel,
    or in the band of a step layer; in every other one of the former it is such that it lands in a step layer's band.
    """
    rng, parameters = np.random.default_rng(seed), construction.parameters
    grid = Grid(parameters["inverse_delta"], parameters["n"], parameters["d"])
    N, n, d, width, sentinel = grid.inverse_delta, grid.n, grid.d, parameters["width"], parameters["sentinel"]
    at_0, at_1, at_steps = (-width if side == "below" else 0 for side in _sides(parameters["bands"]))
    X = rng.integers(0, 1000, (count, d, n)).astype(object) * Fraction(1, 1000)
    for k in range(count):
        share = Fraction(int(rng.integers(0, 10**6)), 10**6)
        step = Fraction(int(rng.integers(1, N + 1)), N) + at_steps
        X[k, -1, -1] = FAR[k % len(FAR)]
        if k % 8 > 5:
            X[k, 0, 0] = step + share * width
            continue
        edge = k % 8 < 5  # mostly at 1
        start, end = (1 + at_1, sentinel) if edge else (sentinel, at_0 + width)
        landing = step + share * width
        if k % 2 and min(start, end) <= landing < max(start, end):
            share = (landing - start) / (end - start)
        X[k, 0, 0] = (1 + at_1 if edge else at_0) + share * width
    first = [[Fraction(j // N**i % N, N) + Fraction(1, 3 * N) for j in range(n)] for i in range(d)]
    X[0] = np.array(first, dtype=object)[:, ::-1]
    X[0, -1, -1] = FAR[0]
    return X


def _certify_theorem_2(construction: Construction, grid: Grid, count: int) -> Certificate:
    N, n, d = grid.inverse_delta, grid.n, grid.d
    model, variant = construction.model, construction.parameters["variant"]
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
    attention = Transformer([layer for layer in model.layers if isinstance(layer, Attention)], n=n)
    names = (
        "8.3 with this sentinel: distinct columns, some id outside [t_l, t_r]",
        "8.4: a repeated column or the sentinel, some id inside",
    )
    room = SHARE * sum(term.bound for term in terms[:-1])
    # Only both changes together bound g outside.
    where = "R^(d x n)" if variant == "repaired" else "the box"
    counts = layer_counts(N, n, d, repaired=variant in ("repaired", "sentinel alone"))
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
            Check(f"the bands' term of d_p over {where}", terms[-1].bound, "<=", room),
            *interval_checks(grid, construction.parameters["sentinel"], attention, names),
            Check("layers", model.depth, "==", counts["total"]),
        ],
        parameters={"inverse_delta": N, "n": n, "d": d, "bands": construction.parameters["bands"]},
    )


def _text(rows: np.ndarray) -> list[list[str]]:
    return [[str(entry) for entry in row] for row in rows]


def _perturb_theorem_2(
    *, seed: int = 0, inverse_delta: int = 3, n: int = 3, d: int = 1, bands: Bands = "below"
) -> Certificate:
    """The layer of a token is left out or writes twice as much, or the first row's sentinel is 0."""
    grid = Grid(inverse_delta, n, d)
    if n > grid.column_values:
        raise ValueError(f"yun2020:thm-2: expected n <= N^d, got n = {n} and N^d = {grid.column_values}.")
    construction = network(grid, bands=bands)
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
            layers[row * (inverse_delta + 1)] = with_relus(clip, construction.parameters["width"], _sides(bands)[:2])
    return _certify_theorem_2(dataclasses.replace(construction, model=Transformer(layers, n=n)), grid, 40)


@register(
    "yun2020:thm-2",
    "transformers approximate permutation equivariant functions",
    source="Theorem 2, section 3 (at the stage of ReLUs)",
    chapter="yun-theorem-2",
    perturb=_perturb_theorem_2,
    concerns="construction",
    alone=("sentinel", "M"),
    erratum=(
        "d_p integrates over all of R^{d x n}, and the network of the proof need not be 0 far away. With the "
        "sentinel -N^{nd}, beside a token outside the box, however far, an entry in a band of the ReLUs can lift an id "
        "past M + 1, so that the look-up leaves something positive (N = n = 3, d = 1, the bands [c - eps, c) of the "
        "text), or leave an id in [t_l, t_r] (N = n = 2, the clip layer's band at [1, 1 + eps); with softmax the bands "
        "of the text, too). On strips that run to infinity that network is not 0, and its d_p is infinite; on a box it "
        "does what it should. The theorem holds, with two changes of the network: a "
        "sentinel above the box, D^{n+1} in units of delta, and an M of the value map above every value that a token "
        "can reach in bands, not on the grid alone. Neither change is enough by itself."
    ),
)
def verify_theorem_2(
    *, variant: str = "repaired", inverse_delta: int = 3, n: int = 3, d: int = 1, bands: Bands = "below"
) -> Certificate:
    """The network of the step function 1 with ReLUs, run in EXACT on every cell and on points outside the box.

    That the repaired network is 0 there is proved in `yun2020.stages`. `variant` is as in `network`, and
    `bands` as in `yun2020.build`, or "clip": above 1 that of the clip layer, and below all others.
    """
    grid = Grid(inverse_delta, n, d)
    return _certify_theorem_2(network(grid, variant, bands), grid, 2000)
