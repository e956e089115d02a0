"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Lemma 9 and Proposition 5."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from ... import yun2020
from ...arithmetic import EXACT
from ...cells import repeated_share
from ...certificate import Certificate, Check, Construction
from ...grids import Grid
from ...layers import FeedForward
from ...model import Transformer
from ...registry import register_by_seed as register
from ...targets import Target
from .._selective_shift import selective_shift
from .._value_layers import ValueTable, contexts, value_table
from ..costs import layer_counts
from ..ids import categories, column_ids, context_ids
from ..value_lookup import ValueMap
from .contextual import exact_sequences

MAX_LITERAL = 3_000_000
"""Entries that literal layers may compute in EXACT."""

# ------------------------------------------------------------------------------------------------------------- lemma 9


def next_window(grid: Grid) -> np.ndarray:
    """Outputs for all contexts that aim at windows: token j goes to the id of token j + 1, the last one to 3/2.

    At N = 2, n = 2, d = 1 the only context (0, 1/2) has ids 13 and 13.5, and its output is (13.5, 1.5).
    """
    ids = context_ids(contexts(grid.inverse_delta, grid.n, grid.d), inverse_delta=grid.inverse_delta)
    outputs = np.full((len(ids), grid.d, grid.n), Fraction(0), dtype=object)
    outputs[:, 0, :-1] = ids[:, 1:] * grid.delta
    outputs[:, 0, -1] = Fraction(3, 2)
    return outputs


def _table(grid: Grid, repaired: bool) -> ValueTable:
    N, n, d = grid.inverse_delta, grid.n, grid.d
    if n < 2 or n > grid.column_values:
        raise ValueError(
            f"yun2020:lem-9: expected 2 <= n <= N^d, got n = {n} and N^d = {grid.column_values}; a lone token has no "
            "context, and with more tokens than columns none is distinct."
        )
    layers = layer_counts(N, n, d)["value"] + grid.column_values + 1
    if (work := grid.size(extended=True) * d * n * layers) > MAX_LITERAL:
        raise ValueError(
            f"yun2020:lem-9: the literal layers would compute about {work:,} exact entries, the limit is "
            f"{MAX_LITERAL:,}; choose a coarser grid, shorter sequences or fewer dimensions."
        )
    return value_table(next_window(grid), inverse_delta=N, n=n, d=d, repaired=repaired)


def expected_outputs(table: ValueTable, L: np.ndarray) -> np.ndarray:
    """A_L for each of the sequences L: that of the context with the same columns, in the order of L; else 0."""
    known = {_key(context): A for context, A in zip(table.sequences, table.outputs, strict=True)}
    result = np.full(L.shape, Fraction(0), dtype=object)
    for k, rows in enumerate(L):
        order = np.argsort(column_ids(rows, inverse_delta=table.grid.inverse_delta))
        A = known.get(_key(rows[:, order]))
        if A is not None:
            result[k][:, order] = A
    return result


def _key(rows: np.ndarray) -> tuple[int, ...]:
    return tuple(rows.ravel().tolist())


def _certify_lemma_9(table: ValueTable, model: Transformer) -> Certificate:
    grid = table.grid
    N, n, d = grid.inverse_delta, grid.n, grid.d
    L = grid.sequences(extended=True)
    rows = L.numpy()
    Z = selective_shift(inverse_delta=N, n=n, d=d)(exact_sequences(L, N), EXACT)
    output, expected = model(Z, EXACT), expected_outputs(table, rows)
    wrong = (output != expected).any(axis=(-2, -1))
    distinct = (categories(L) == 1).numpy()
    lookup = ValueMap(table).at_ids(context_ids(L, inverse_delta=N), exact=True)
    checks = []
    for name, among, bad in (
        ("distinct columns, output not A_L", distinct, wrong),
        ("other sequences, output not 0", ~distinct, wrong),
        ("lookup in bulk against the literal layers: differing", wrong | True, (lookup != output).any(axis=(-2, -1))),
    ):
        found = np.flatnonzero(bad & among).tolist()
        k = min(found, key=lambda k: rows[k].T.tolist(), default=0)
        witness = tuple(
            f"{what} = {[[str(t) for t in row] for row in matrix]}"
            for what, matrix in (("L", rows[k] * grid.delta), ("output", output[k]), ("A_L", expected[k]))
        )
        checks.append(Check(name, len(found), "==", 0, witness if found else None, cases=int(among.sum())))
    layers = layer_counts(N, n, d, repaired=table.lift is not None)["value"]
    hidden = max(layer.w_1.shape[0] for layer in model.layers if isinstance(layer, FeedForward))
    plus = "" if table.lift is None else " + 1"
    checks.append(Check(f"feed-forward layers, 1 + d + n C(N^d, n){plus}", model.depth, "==", layers))
    checks.append(Check("hidden units r", hidden, "==", 1))
    return Certificate(checks, parameters={"inverse_delta": N, "n": n, "d": d})


def _perturb_lemma_9(*, seed: int = 0, inverse_delta: int = 2, n: int = 2, d: int = 1) -> Certificate:
    """One layer is left out, writes half as much, or (that of a token) looks one step too far."""
    table = _table(Grid(inverse_delta, n, d), True)
    layers: list[Any] = list(table.model().layers)
    rng = np.random.default_rng(seed)
    place, damage = int(rng.integers(len(layers))), seed % 3
    layer = layers[place]
    if damage == 0:
        del layers[place]
    elif damage == 1 or layer.b_1 is None:
        layers[place] = FeedForward(layer.w_1, layer.b_1, layer.w_2 / Fraction(2), activation=layer.activation)
    else:
        layers[place] = FeedForward(layer.w_1, layer.b_1 - table.grid.delta, layer.w_2, activation=layer.activation)
    return _certify_lemma_9(table, Transformer(layers, n=n))


@register(
    "yun2020:lem-9",
    "feed-forward layers map ids to outputs",
    source="Lemma 9, section E.4",
    chapter="yun-value-mapping",
    perturb=_perturb_lemma_9,
    concerns="construction",
    erratum=(
        "A layer maps the column of one id to its output, and then the output may lie in the window of a later layer, "
        "which maps it again: at N = 2, n = 2, d = 1 the context (0, 1/2) has ids 13 and 13.5, and A = (13.5, 1.5) "
        "comes out as (1.5, 1.5). Map to A - K 1_d with K so large that no window is met, and add K in one more layer. "
        "(And 1_n in the first layer is 1_d.)"
    ),
)
def verify_lemma_9(*, variant: str = "repaired", inverse_delta: int = 2, n: int = 2, d: int = 1) -> Certificate:
    """The literal layers in EXACT on g_c of the whole extended grid, with outputs that aim at windows.

    Output j of a context is the id of its token j + 1, the last one 3/2: see `next_window`.
    """
    table = _table(Grid(inverse_delta, n, d), variant == "repaired")
    return _certify_lemma_9(table, table.model())


# ------------------------------------------------------------------------------------------------------- proposition 5


def build_one(grid: Grid, id: str = "yun2020:prop-5", **stage: Any) -> Construction:
    """The network of the step function that is 1 on the box: it is 1 where columns are distinct, else 0."""
    N, n, d = grid.inverse_delta, grid.n, grid.d
    if n < 2:
        raise ValueError(f"{id}: expected n >= 2, got {n}; a lone token has no context.")
    layers = layer_counts(N, n, d)["total"]
    if (work := grid.size() * d * n * layers) > MAX_LITERAL:
        raise ValueError(
            f"{id}: the literal layers would compute about {work:,} exact entries, the limit is "
            f"{MAX_LITERAL:,}; choose a coarser grid, shorter sequences or fewer dimensions."
        )
    one = Target(lambda X: X * 0 + 1, n, d, group="symmetric", lipschitz=0, bound=1, name="one")
    return yun2020.build(one, inverse_delta=N, **stage)


def _certify_proposition_5(construction: Construction, model: Transformer, grid: Grid, constant: int) -> Certificate:
    N, n, d = grid.inverse_delta, grid.n, grid.d
    L = grid.sequences()
    # One point of each cell; and the same sequences with the first entry moved out of the box.
    X = exact_sequences(L, N) + Fraction(1, 3 * N)
    beside = X[:20].copy()
    beside[:, 0, 0] += 1
    output = model(X, EXACT)
    distinct = (categories(L) == 1).numpy()
    wrong = (output != distinct[:, None, None].astype(int)).any(axis=(-2, -1))
    k = int(wrong.argmax())
    witness = ([[str(t) for t in row] for row in X[k]], [[str(t) for t in row] for row in output[k]])
    # |1 - 0|^p is 1 for every p, so the p-th power of the distance is a count of entries.
    power = Fraction(int((output == 0).sum()), grid.size())
    bulk = int((construction.evaluate(X) != output).any(axis=(-2, -1)).sum())
    size = layer_counts(N, n, d)["total"]
    where = f"N^d = {grid.column_values}, n = {n}"
    return Certificate(
        [
            Check(
                "cells where the output is not A_L (0 for repeated columns)",
                int(wrong.sum()),
                "==",
                0,
                witness if wrong.any() else None,
                cases=len(L),
            ),
            Check(
                "sequences outside the box, output not 0",
                int((model(beside, EXACT) != 0).sum()),
                "==",
                0,
                method="sampled",
                cases=len(beside),
            ),
            Check("lookup in bulk against the literal layers: differing", bulk, "==", 0, cases=len(L)),
            Check(
                "share of the box with repeated columns, 1 - prod(1 - i/N^d)",
                Fraction(int((~distinct).sum()), len(L)),
                "==",
                repeated_share(N, n, d),
                cases=len(L),
            ),
            Check(
                f"d_p(f-bar, g-bar)^p, at most {constant} B^p delta^d",
                power,
                "<=",
                constant * d * n * grid.delta**d,
                where,
                cases=len(L),
            ),
            Check("layers", model.depth, "==", size),
        ],
        parameters={"inverse_delta": N, "n": n, "d": d},
    )


def _perturb_proposition_5(*, seed: int = 0, inverse_delta: int = 4, n: int = 3, d: int = 1) -> Certificate:
    """A layer is left out, or that of a token writes twice as much."""
    grid = Grid(inverse_delta, n, d)
    if n > grid.column_values:
        raise ValueError(f"yun2020:prop-5: expected n <= N^d, got n = {n} and N^d = {grid.column_values}.")
    construction = build_one(grid)
    layers: list[Any] = list(construction.model.layers)
    rng = np.random.default_rng(seed)
    # The layers of tokens follow the contextual mapping and have a bias.
    counts = layer_counts(inverse_delta, n, d)
    first = counts["quantization"] + counts["attention"]
    tokens = [k for k in range(first, len(layers)) if layers[k].b_1 is not None]
    place = int(rng.choice(tokens))
    if seed % 2:
        del layers[place]
    else:
        layer = layers[place]
        layers[place] = FeedForward(layer.w_1, layer.b_1, layer.w_2 * 2, activation=layer.activation)
    return _certify_proposition_5(construction, Transformer(layers, n=n), grid, math.comb(n, 2))


@register(
    "yun2020:prop-5",
    "hardmax networks are near step functions",
    source="Proposition 5, section E.1.4",
    chapter="yun-theorem-2",
    perturb=_perturb_proposition_5,
    concerns="proof",
    erratum=(
        "The cells with repeated columns are called a set of measure O(delta^d), and the display bounds d_p by "
        "(B^p delta^d)^(1/p), without the constant. Their share is 1 - prod(1 - i/N^d) <= C(n, 2) delta^d: at N = 4, "
        "n = 3, d = 1 it is 5/8, not 1/4. With C(n, 2) in the display all is well."
    ),
)
def verify_proposition_5(*, variant: str = "repaired", inverse_delta: int = 4, n: int = 3, d: int = 1) -> Certificate:
    """The network of the step function 1, run layer by layer in EXACT on a point of every cell; distances are exact."""
    grid = Grid(inverse_delta, n, d)
    construction = build_one(grid)
    constant = math.comb(n, 2) if variant == "repaired" else 1
    return _certify_proposition_5(construction, construction.model, grid, constant)
