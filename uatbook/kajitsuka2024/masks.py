"""Kajitsuka, Sato (2024), appendix C: the Boltzmann operator and the layer of Theorem 2 under masks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch

from uatlib.arithmetic import EXACT
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, whole
from uatlib.kajitsuka2024 import rank_one_layer
from uatlib.kajitsuka2024.boltzmann_operator import boltz
from uatlib.masks import causal, padding

from ..damages import Damage, in_a_layer, in_part
from ..registry import register
from . import boltzmann_gaps
from .common import BLIND, OF_LAYERS, Layer, Pairs, lattice, pairs_of

CHAPTER = "kajitsuka-masks"


# ---------------------------------------------------------------------------------------------- the operator, eq. (133)


def _certify_masked(pairs: Pairs) -> list[Check]:
    row = [float(u) for u in pairs.rows[-1]]
    off = abs(float(boltz([*row, 1e9], [True] * len(row) + [False])) - float(boltz(row)))
    name = "log |difference| of visible parts, next to its bound"
    return [
        pairs.nearest(name, lambda a, b: boltzmann_gaps.log_pair_bound(a, b, n=pairs.n)),
        Check("what a masked entry of 10^9 changes", off, "<=", 0.0),
    ]


def _printed_masked(*, n: int = 3, levels: int = 5) -> list[Check]:
    """(133) and Lemma 7's bound as they stand."""
    pairs = pairs_of(n, levels, shorter=True)
    rows = pairs.rows
    a = torch.tensor([float(u) for u in rows[-1]] + [0.0], dtype=torch.float64)
    c = torch.tensor([0.0] * len(rows[-1]) + [-torch.inf], dtype=torch.float64)
    p = torch.softmax(a + c, dim=0)
    beginning, row = rows[0], next(row for row in rows if len(row) == 2 and row[0] == rows[0][0])
    bound = math.log(pairs.n) ** 2 * math.exp(-(float(row[0]) + math.inf))
    values, name = (float((a + c) @ p), float(a @ p)), "(a + c)^T softmax(a + c) of (133), in float64"
    of_beginnings = "(log n)^2 e^{-(a_1 - b_{k+1})}, the bound (117), where b is the beginning of a and b_{k+1} = -inf"
    return [
        Check(name, values[0], "==", values[1], {"a": a, "c": c}, "sampled"),
        Check(of_beginnings, bound, ">", 0, {"a": row, "b": beginning}),
    ]


@register(
    "kajitsuka2024:app-c",
    "masked vectors: different visible parts have different Boltzmann values",
    source="appendix C, eq. (133)",
    chapter=CHAPTER,
    construction=boltz,
    certify=_certify_masked,
    cases=[{"n": 2, "levels": 3}, {"n": 4, "levels": 5}],
    damages=BLIND,
    printed=_printed_masked,
    concerns="proof",
    erratum="""The mask -inf times the weight 0 of (133) is NaN in floating point: leave the masked entries out. Where
    the visible entries of one vector begin those of the other, the bound of Lemma 7 has b_{k+1} = -inf and is 0;
    (delta/2) e^{-(a_1 - a_{k+1})} holds there.""",
)
def visible_parts(*, n: int = 3, levels: int = 5) -> Pairs:
    """All pairs of visible parts of 1 to n levels, prefixes too; printed: (133) and Lemma 7's bound as they stand."""
    return pairs_of(n, levels, shorter=True)


# ----------------------------------------------------------------------------------------------- the layer of Theorem 2


class Masked(NamedTuple):
    """The layer of Theorem 2 under a mask of that name."""

    layer: Layer
    name: str


def _certify_layer(parts: Masked) -> Certificate:
    made = parts.layer.certificate()
    return Certificate(made.checks, parameters={"mask": parts.name} | {**made.parameters, "mask": parts.name})


def _printed_layer(*, size: int = 4, d: int = 1, n: int = 2) -> list[Check]:
    """Definition 2 at the first token of two sequences, under the causal mask."""
    layer = masked_layer(size=size, d=d, n=n).layer
    n = whole("n", n, 2, size - 1, hint="the other sequence has one more token")
    one, other = list(range(n)), [0, *range(2, n + 1)]
    # Of a single visible key softmax and hardmax are both 1, and hardmax is exact.
    alone = OF_LAYERS["hardmax"](layer, np.random.default_rng(0)).model
    Z = alone(np.stack([layer.tokens[:, row] for row in (one, other)]), EXACT)
    gap = max(abs(Z[0, :, 0] - Z[1, :, 0]))
    witness = {"one": tuple(t + 1 for t in one), "other": tuple(t + 1 for t in other)}
    name = "|difference of ids|, causal mask, token 1 of two sequences with different sets of tokens"
    return [Check(name, gap, ">", 0, witness)]


def _with_a_key(shown: bool) -> Damage:
    """A key is shown, or hidden, that is not a column's own, to a column that sees itself."""

    def damaged(parts: Masked, rng: np.random.Generator) -> Masked | None:
        visible = np.array(parts.layer.mask)
        own = np.diagonal(visible, axis1=-2, axis2=-1)[..., None, :]
        places = np.argwhere((visible != shown) & own & ~np.eye(visible.shape[-1], dtype=bool))
        if not len(places):
            return None
        visible[tuple(rng.choice(places))] = shown
        masked = in_part("model", in_a_layer(lambda layer: layer.with_mask(visible)))
        return parts._replace(layer=masked(parts.layer, rng))

    return damaged


@register(
    "kajitsuka2024:app-c-layer",
    "under a mask one head of rank 1 tells apart what its tokens see",
    source="appendix C, with Theorem 2",
    chapter=CHAPTER,
    construction=rank_one_layer.rank_one_attention,
    certify=_certify_layer,
    cases=[{"size": 3, "d": 2, "mask": "padding"}, {"size": 4, "n": 3}],
    damages={
        "a key shown": _with_a_key(True),
        "a key hidden": _with_a_key(False),
        **{name: in_part("layer", damage) for name, damage in OF_LAYERS.items()},
    },
    printed=_printed_layer,
    concerns="definition",
    erratum="""Definition 2 compares the whole vocabularies of two sequences. Under a causal mask the first token hears
    only itself, so (x, y) and (x, z) give it the same value, whatever the weights. What holds, with the same r and
    delta, is that ids differ wherever the token differs or the set of tokens that it sees.""",
)
def masked_layer(*, size: int = 4, d: int = 1, n: int = 2, mask: str = "causal") -> Masked:
    """The layer at the scale of (29), on every sequence and order, causal or with padding of every length.

    Printed: Definition 2 at the first token of two sequences, under the causal mask.
    """
    tokens = lattice(size, d)
    n = whole("n", n, 2, tokens.shape[1])
    name = choice("mask", mask, ("causal", "padding"))
    visible = causal(n) if name == "causal" else padding(list(range(1, n + 1)), n)
    return Masked(Layer(rank_one_layer.rank_one_attention(tokens, n, mask=visible), tokens, n, visible), name)
