"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Lemma 9 and Proposition 5."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib import grids, targets, yun2020
from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.grids import Grid
from uatlib.layers import FeedForward
from uatlib.model import Transformer
from uatlib.yun2020.certify_network import Network
from uatlib.yun2020.cost import layer_counts
from uatlib.yun2020.ids import categories, column_ids, context_ids
from uatlib.yun2020.output_layers import ValueTable, contexts, value_table
from uatlib.yun2020.shift_layers import selective_shift
from uatlib.yun2020.value_lookup import ValueMap

from ..damages import Damage, in_a_layer, in_part, replaced, scaled, with_layer, without_a_layer
from ..registry import register
from .common import exact_sequences, grid_of, require_literal, shifted_by_steps

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


class Values(NamedTuple):
    """A value map: what it is made of, and its layers."""

    table: ValueTable
    model: Transformer

    @property
    def grid(self) -> Grid:
        """That of the table."""
        return self.table.grid


def certify_values(parts: Values) -> list[Check]:
    """The layers, and the lookup in bulk, on g_c of the whole extended grid."""
    table, model = parts
    grid = table.grid
    N, n, d = grid.inverse_delta, grid.n, grid.d
    L = grid.sequences(extended=True)
    rows = L.numpy()
    Z = selective_shift(inverse_delta=N, n=n, d=d)(exact_sequences(L, N), EXACT)
    output, expected = model(Z, EXACT), expected_outputs(table, rows)
    wrong = (output != expected).any(axis=(-2, -1))
    distinct = (categories(L) == 1).numpy()
    lookup = ValueMap(table).at_ids(context_ids(L, inverse_delta=N), exact=True)
    differing = (lookup != output).any(axis=(-2, -1))
    # The first in the order of their columns is shown.
    order = np.array(sorted(range(len(rows)), key=lambda k: rows[k].T.tolist()))

    def witness(k: int) -> dict[str, object]:
        return {"L": rows[order[k]] * grid.delta, "output": output[order[k]], "A_L": expected[order[k]]}

    def count(name: str, bad: np.ndarray, among: np.ndarray) -> Check:
        return Check.none(name, (bad & among)[order], witness, cases=int(among.sum()))

    plus = "" if table.lift is None else " + 1"
    layers = layer_counts(N, n, d, repaired=table.lift is not None)["value"]
    hidden = max(layer.w_1.shape[0] for layer in model.layers if isinstance(layer, FeedForward))
    return [
        count("distinct columns, output not A_L", wrong, distinct),
        count("other sequences, output not 0", wrong, ~distinct),
        Check.none("lookup in bulk against the literal layers: differing", differing[order], witness),
        Check(f"feed-forward layers, 1 + d + n C(N^d, n){plus}", model.depth, "==", layers),
        Check("hidden units r", hidden, "==", 1),
    ]


@register(
    "yun2020:lem-9",
    "feed-forward layers map ids to outputs",
    source="Lemma 9, section E.4",
    chapter="yun-value-mapping",
    construction=value_table,
    certify=certify_values,
    cases=[{"inverse_delta": 3, "n": 2, "d": 1}, {"inverse_delta": 2, "n": 2, "d": 2}],
    damages={
        "a layer left out": in_part("model", without_a_layer),
        "a layer writes half": in_part("model", in_a_layer(scaled("w_2", Fraction(1, 2)))),
        "a token is looked for one step too far": shifted_by_steps("b_1", -1),
    },
    concerns="construction",
    erratum="""A layer maps the column of one id to its output, and then the output may lie in the window of a later
    layer, which maps it again: at N = 2, n = 2, d = 1 the context (0, 1/2) has ids 13 and 13.5, and A = (13.5, 1.5)
    comes out as (1.5, 1.5). Map to A - K 1_d with K so large that no window is met, and add K in one more layer. (And
    1_n in the first layer is 1_d.)""",
)
def lemma_9(*, variant: str = "repaired", inverse_delta: int = 2, n: int = 2, d: int = 1) -> Values:
    """The literal layers in EXACT on g_c of the whole extended grid, with outputs that aim at windows.

    Output j of a context is the id of its token j + 1, the last one 3/2: see `next_window`.
    """
    grid = grid_of("yun2020:lem-9", inverse_delta, n, d, distinct=True)
    N, n, d = grid.inverse_delta, grid.n, grid.d
    layers = layer_counts(N, n, d)["value"] + grid.column_values + 1
    require_literal("yun2020:lem-9", grid.size(extended=True) * d * n * layers)
    table = value_table(next_window(grid), inverse_delta=N, n=n, d=d, repaired=variant == "repaired")
    return Values(table, table.model())


# ------------------------------------------------------------------------------------------------------- proposition 5


class One(NamedTuple):
    """The network of the step function 1, and the constant in the bound on the cells it loses."""

    construction: Network
    constant: int


def build_one(id: str, inverse_delta: int, n: int, d: int, **stage: Any) -> Network:
    """The network of the step function that is 1 on the box: it is 1 where columns are distinct, else 0."""
    grid = grid_of(id, inverse_delta, n, d)
    layers = layer_counts(inverse_delta, n, d)["total"]
    require_literal(id, grid.size() * grid.d * grid.n * layers)
    one = targets.Target(lambda X: X * 0 + 1, grid.n, grid.d, group="symmetric", lipschitz=0, bound=1, name="one")
    return yun2020.build(one, inverse_delta=grid.inverse_delta, **stage)


def cells_check(output: np.ndarray, distinct: np.ndarray, witness: Callable[[int], object]) -> Check:
    """That the network of the function 1 is 1 in cells with `distinct` columns, and 0 elsewhere."""
    wrong = (output != distinct[:, None, None].astype(int)).any(axis=(-2, -1))
    return Check.none("cells where the output is not A_L (0 for repeated columns)", wrong, witness)


def certify_one(parts: One) -> list[Check]:
    """The layers, run on a point of every cell and beside the box."""
    construction, constant = parts
    model, grid = construction.model, construction.grid
    N, n, d = grid.inverse_delta, grid.n, grid.d
    L = grid.sequences()
    # One point of each cell; and the same sequences with the first entry moved out of the box.
    X = exact_sequences(L, N) + Fraction(1, 3 * N)
    beside = X[:20].copy()
    beside[:, 0, 0] += 1
    output, distinct, cases = model(X, EXACT), (categories(L) == 1).numpy(), len(L)
    outside = int((model(beside, EXACT) != 0).sum())
    # |1 - 0|^p is 1 for every p, so the p-th power of the distance is a count of entries.
    power = Fraction(int((output == 0).sum()), grid.size())
    bulk = (construction.shortcut(X) != output).any(axis=(-2, -1))
    share, lost = Fraction(int((~distinct).sum()), cases), grids.repeated_share(N, n, d)
    name = f"d_p(f-bar, g-bar)^p, at most {f'{constant} ' * (constant != 1)}B^p delta^d"
    where = {"N^d": grid.column_values, "n": n}
    return [
        cells_check(output, distinct, lambda k: {"X": X[k], "output": output[k]}),
        Check("sequences outside the box, output not 0", outside, "==", 0, method="sampled", cases=len(beside)),
        Check.none("lookup in bulk against the literal layers: differing", bulk),
        Check("share of the box with repeated columns, 1 - prod(1 - i/N^d)", share, "==", lost, cases=cases),
        Check(name, power, "<=", constant * d * n * grid.delta**d, where, cases=cases),
        Check("layers", model.depth, "==", layer_counts(N, n, d)["total"]),
    ]


def of_a_token(*layers: Any) -> Damage:
    """The layer of a token of a context becomes `layers`; none where no sequence has distinct columns."""

    def damaged(construction: Network, rng: np.random.Generator) -> Network | None:
        grid = construction.grid
        counts = layer_counts(grid.inverse_delta, grid.n, grid.d)
        # Between the layers for columns of no context and the one that adds K.
        tokens = range(counts["total"] - counts["value"] + 1 + grid.d, counts["total"] - 1)
        if not tokens:
            return None
        place = int(rng.choice(tokens))
        layer = construction.model.layers[place]
        new = [change(layer) for change in layers]
        return replaced(construction, model=with_layer(construction.model, place, *new))

    return damaged


TOKEN_DAMAGES = {
    "a token's layer left out": of_a_token(),
    "a token's layer writes twice as much": of_a_token(scaled("w_2", 2)),
}


@register(
    "yun2020:prop-5",
    "hardmax networks are near step functions",
    source="Proposition 5, section E.1.4",
    chapter="yun-theorem-2",
    construction=yun2020.build,
    certify=certify_one,
    cases=[{"inverse_delta": 3, "n": 2, "d": 1}, {"inverse_delta": 2, "n": 2, "d": 2}],
    damages={name: in_part("construction", damage) for name, damage in TOKEN_DAMAGES.items()},
    concerns="proof",
    erratum="""The cells with repeated columns are called a set of measure O(delta^d), and the display bounds d_p by
    (B^p delta^d)^(1/p), without the constant. Their share is 1 - prod(1 - i/N^d) <= C(n, 2) delta^d: at N = 4, n = 3, d
    = 1 it is 5/8, not 1/4. With C(n, 2) in the display all is well.""",
)
def proposition_5(*, variant: str = "repaired", inverse_delta: int = 4, n: int = 3, d: int = 1) -> One:
    """The network of the step function 1, run layer by layer in EXACT on a point of every cell; distances are exact."""
    built = build_one("yun2020:prop-5", inverse_delta, n, d)
    return One(built, math.comb(n, 2) if variant == "repaired" else 1)
