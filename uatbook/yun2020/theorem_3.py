"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Theorem 3."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from uatlib import yun2020
from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.grids import Grid
from uatlib.model import Transformer
from uatlib.targets import running_mean
from uatlib.yun2020.certify_network import Network
from uatlib.yun2020.cost import layer_counts
from uatlib.yun2020.evaluation import centre_values
from uatlib.yun2020.ids import context_ids
from uatlib.yun2020.output_layers import value_table
from uatlib.yun2020.positional_layers import encodings, positional_quantizer, positional_shift
from uatlib.yun2020.quantizer_layers import Variant
from uatlib.yun2020.softmax_layers import with_softmax_layers

from ..damages import OUTPUT, in_a_layer, in_part, replaced, scaled
from ..registry import register
from .common import exact_sequences, grid_of, literal_ids, require_literal


class Positional(NamedTuple):
    """The parts of the network for `running_mean`, which is not equivariant; and it with softmax and ReLU, or None."""

    grid: Grid
    quantizer: Transformer
    shift: Transformer
    values: Transformer
    soft: Network | None


def _certify_theorem_3(parts: Positional) -> list[Check]:
    grid, quantizer, shift, values, soft = parts
    N, n, d = grid.inverse_delta, grid.n, grid.d
    L = grid.sequences()
    corners = exact_sequences(L, N) + encodings(n, d)
    encoded = corners + Fraction(1, 3 * N)
    cells = quantizer(encoded, EXACT)
    ids = literal_ids(shift, corners, N)
    _, counts = np.unique(ids.astype(object).ravel(), return_counts=True)
    output = values(shift(cells, EXACT), EXACT)
    softened: list[Check] = []
    if soft is not None:
        measured = soft.certify(literal=16, samples=2000)
        softened = [measured[name] for name in ("literal", "d_2(f, g)", "layers that", "heads h", "hidden units r")]

    def count(name: str, got: np.ndarray, expected: np.ndarray) -> Check:
        differ = (got != expected).any(axis=(-2, -1))
        return Check.none(name, differ, lambda k: {"X + E": encoded[k], "result": got[k]})

    layers = sum(len(part.layers) for part in (quantizer, shift, values))
    recursion = context_ids(L, inverse_delta=N, positional=True)
    return [
        count("sequences not quantized to their cell", cells, corners),
        Check.none("ids that belong to more than one token", counts > 1),
        count("literal ids against the recursion: differing", ids[:, None], recursion[:, None]),
        count("cells where the output is not f at the centre", output, centre_values(running_mean(n, d), L.numpy(), N)),
        Check("layers", layers, "==", layer_counts(N, n, d, positional=True)["total"]),
        *softened,
    ]


def _cold(parts: Positional, rng: np.random.Generator) -> Positional | None:
    """The scores of the network with softmax are a third as large."""
    if parts.soft is None:
        return None
    model = with_softmax_layers(parts.soft.model, Fraction(1, 3))
    return parts._replace(soft=replaced(parts.soft, model=model))


_DOUBLED = in_a_layer(scaled(OUTPUT, 2))


@register(
    "yun2020:thm-3",
    "positional encodings make every sequence a context of its own",
    source="Theorem 3, section G",
    chapter="yun-theorem-3",
    construction=positional_shift,
    certify=_certify_theorem_3,
    cases=[{"inverse_delta": 3, "n": 2, "d": 1}, {"inverse_delta": 2, "n": 2, "d": 2}],
    damages={
        "a layer of the quantizer writes twice as much": in_part("quantizer", _DOUBLED),
        "a layer of the contextual mapping writes twice as much": in_part("shift", _DOUBLED),
        "a layer of the value map writes twice as much": in_part("values", _DOUBLED),
        "scores a third as large": _cold,
    },
    concerns="construction",
    erratum="""In G.1 k runs over 0, delta, ..., n - delta while the bias is k delta: the slip of Lemma 7. Let k run
    over 0, ..., n/delta - 1. (And for d = 1, n = 2 the sweep meets the first column of (1 - delta, 1) twice, so that
    its ids do not increase; they are distinct all the same.)""",
)
def theorem_3(*, variant: Variant = "repaired", inverse_delta: int = 2, n: int = 2, d: int = 1) -> Positional:
    """The literal layers in EXACT on a point of every cell, for a function that depends on positions; softmax in BALL.

    With softmax and ReLU the network must keep within its tolerance of the hardmax one off the bands. Printed: the
    literal layers alone, since the softmax network is built of the repaired ones.
    """
    grid = grid_of("yun2020:thm-3", inverse_delta, n, d)
    N, n, d = grid.inverse_delta, grid.n, grid.d
    layers = layer_counts(N, n, d, positional=True)["total"]
    require_literal("yun2020:thm-3", grid.size() * d * n * layers)
    f = running_mean(n, d)
    table = value_table(centre_values(f, grid.sequences().numpy(), N), inverse_delta=N, n=n, d=d, positional=True)
    soft = yun2020.build(f, inverse_delta=N, stage="softmax", positional=True) if variant == "repaired" else None
    first = positional_quantizer(**vars(grid), variant=variant)
    return Positional(grid, first, positional_shift(**vars(grid)), table.model(), soft)
