"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Theorem 3."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np

from ... import yun2020
from ...arithmetic import EXACT
from ...certificate import Certificate, Check, Construction
from ...grids import Grid
from ...layers import Attention, FeedForward
from ...model import Transformer
from ...registry import register_by_seed as register
from ...targets import running_mean
from .._quantizer import Variant
from .._softmax_scale import with_softmax_layers
from .._value_layers import ValueTable, value_table
from ..costs import layer_counts
from ..evaluation import centre_values
from ..ids import context_ids
from ..positional import encodings, positional_quantizer, positional_shift
from .contextual import exact_sequences, literal_ids

MAX_LITERAL = 3_000_000
"""Entries that literal layers may compute in EXACT."""


def _parts(grid: Grid, variant: Variant = "repaired") -> tuple[Transformer, Transformer, ValueTable]:
    """Quantizer, contextual mapping and value table of the network for `running_mean`, which is not equivariant."""
    N, n, d = grid.inverse_delta, grid.n, grid.d
    if n < 2:
        raise ValueError(f"yun2020:thm-3: expected n >= 2, got {n}; a lone token has no position.")
    layers = layer_counts(N, n, d, positional=True)["total"]
    if (work := grid.size() * d * n * layers) > MAX_LITERAL:
        raise ValueError(
            f"yun2020:thm-3: the literal layers would compute about {work:,} exact entries, the limit is "
            f"{MAX_LITERAL:,}; choose a coarser grid, shorter sequences or fewer dimensions."
        )
    A = centre_values(running_mean(n, d), grid.sequences().numpy(), N)
    return (
        positional_quantizer(inverse_delta=N, n=n, d=d, variant=variant),
        positional_shift(inverse_delta=N, n=n, d=d),
        value_table(A, inverse_delta=N, n=n, d=d, positional=True),
    )


def _soft(grid: Grid) -> Construction:
    """The network for `running_mean` with softmax and ReLU."""
    f = running_mean(grid.n, grid.d)
    return yun2020.build(f, inverse_delta=grid.inverse_delta, stage="softmax", positional=True)


def _certify_theorem_3(
    quantizer: Transformer, shift: Transformer, values: Transformer, soft: Construction | None, grid: Grid
) -> Certificate:
    N, n, d = grid.inverse_delta, grid.n, grid.d
    L = grid.sequences()
    X = exact_sequences(L, N) + Fraction(1, 3 * N)
    encoded = X + encodings(n, d)
    corners = exact_sequences(L, N) + encodings(n, d)
    cells = quantizer(encoded, EXACT)
    missed = (cells != corners).any(axis=(-2, -1))
    ids = literal_ids(shift, corners, N)
    known, counts = np.unique(ids.astype(object).ravel(), return_counts=True)
    bulk = (ids != context_ids(L, inverse_delta=N, positional=True)).any(axis=-1)
    output = values(shift(cells, EXACT), EXACT)
    wrong = (output != centre_values(running_mean(n, d), L.numpy(), N)).any(axis=(-2, -1))
    layers = sum(len(part.layers) for part in (quantizer, shift, values))
    total = layer_counts(N, n, d, positional=True)["total"]
    softened: list[Check] = []
    if soft is not None:
        measured = yun2020.certify(soft, literal=16, samples=2000)
        softened = [measured[name] for name in ("literal", "d_2(f, g)", "layers that", "heads h", "hidden units r")]

    def count(name: str, bad: np.ndarray, got: np.ndarray) -> Check:
        k = int(bad.argmax())
        witness = tuple(f"{what} = {_text(rows[k])}" for what, rows in (("X + E", encoded), ("result", got)))
        return Check(name, int(bad.sum()), "==", 0, witness if bad.any() else None, cases=len(L))

    return Certificate(
        [
            count("sequences not quantized to their cell", missed, cells),
            Check("ids that belong to more than one token", int((counts > 1).sum()), "==", 0, cases=int(known.size)),
            count("literal ids against the recursion: differing", bulk, ids[:, None]),
            count("cells where the output is not f at the centre", wrong, output),
            Check("layers", layers, "==", total),
            *softened,
        ],
        parameters={"inverse_delta": N, "n": n, "d": d},
    )


def _text(rows: np.ndarray) -> list[list[str]]:
    return [[str(entry) for entry in row] for row in rows]


def _perturb_theorem_3(*, seed: int = 0, inverse_delta: int = 2, n: int = 2, d: int = 1) -> Certificate:
    """A layer of the quantizer, contextual mapping or value map writes twice as much, or scores shrink to a third."""
    grid = Grid(inverse_delta, n, d)
    quantizer, shift, table = _parts(grid)
    parts: list[list[Any]] = [list(part.layers) for part in (quantizer, shift, table.model())]
    rng = np.random.default_rng(seed)
    soft, damage = _soft(grid), seed % 4
    if damage == 3:
        cold = dataclasses.replace(soft, model=with_softmax_layers(soft.model, Fraction(1, 3)))
        return _certify_theorem_3(quantizer, shift, table.model(), cold, grid)
    part = parts[damage]
    place = int(rng.integers(len(part)))
    layer = part[place]
    if isinstance(layer, FeedForward):
        part[place] = FeedForward(layer.w_1, layer.b_1, layer.w_2 * 2, activation=layer.activation)
    else:
        doubled = {name: w * 2 if name.endswith("w_o") else w for name, w in layer.weights().items()}
        part[place] = Attention.from_settings(doubled, {"normalization": "hardmax"})
    damaged = [Transformer(layers, n=n) for layers in parts]
    return _certify_theorem_3(damaged[0], damaged[1], damaged[2], soft, grid)


@register(
    "yun2020:thm-3",
    "positional encodings make every sequence a context of its own",
    source="Theorem 3, section G",
    chapter="yun-theorem-3",
    perturb=_perturb_theorem_3,
    concerns="construction",
    erratum=(
        "In G.1 k runs over 0, delta, ..., n - delta while the bias is k delta: the slip of Lemma 7. Let k run over "
        "0, ..., n/delta - 1. (And for d = 1, n = 2 the sweep meets the first column of (1 - delta, 1) twice, so that "
        "its ids do not increase; they are distinct all the same.)"
    ),
)
def verify_theorem_3(*, variant: str = "repaired", inverse_delta: int = 2, n: int = 2, d: int = 1) -> Certificate:
    """The literal layers in EXACT on a point of every cell, for a function that depends on positions; softmax in BALL.

    With softmax and ReLU the network must keep within its tolerance of the hardmax one off the bands. Printed: the
    literal layers alone, since the softmax network is built of the repaired ones.
    """
    grid = Grid(inverse_delta, n, d)
    quantizer, shift, table = _parts(grid, variant)  # type: ignore[arg-type]
    return _certify_theorem_3(quantizer, shift, table.model(), _soft(grid) if variant == "repaired" else None, grid)
