"""Kajitsuka, Sato (2024): scales at which floats can run the layer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import FLOAT64, Ball
from uatlib.certificate import Certificate, Check
from uatlib.checks import whole
from uatlib.kajitsuka2024.certified_margins import PracticalScale, certified_margin, contexts, practical_scale
from uatlib.kajitsuka2024.rank_one_layer import rank_one_attention, separation
from uatlib.model import Transformer

from ..damages import Damage, hardened, in_a_layer, in_part, scaled
from ..registry import register
from .common import MAX_SIZE, SLACK
from .one_layer import CHAPTER

# ---------------------------------------------------------------------------------------------------- scales for floats


class Scaled(NamedTuple):
    """A layer for sequences of n of the tokens 1, ..., size, the scale found for it, and its margin with repeats."""

    model: Transformer
    size: int
    n: int
    best: PracticalScale
    gap: Ball


def _layer_margin(model: Transformer, tokens: Sequence[int], n: int) -> tuple[float, dict[str, object]]:
    """The least distance of the ids of one token in two contexts, in float64, and which token's."""
    rows = contexts(len(tokens), n)
    Z = model([[[tokens[t] for t in row]] for row in rows], FLOAT64)[:, 0].tolist()
    heard = [sorted(z[row.index(t)] for z, row in zip(Z, rows, strict=True) if t in row) for t in range(len(tokens))]
    gap, token, one, other = min((b - a, t, a, b) for t, ids in enumerate(heard) for a, b in itertools.pairwise(ids))
    return gap, {"token": tokens[token], "ids": (one, other)}


def _certify_scale(parts: Scaled) -> Certificate:
    model, size, n, best, gap = parts
    tokens = range(1, size + 1)
    promised = best.margin.lower * separation(tokens, n, SLACK).write * Fraction(999, 1000)
    least, witness = _layer_margin(model, tokens, n)
    sets, multisets = math.comb(size, n), math.comb(size + n - 1, n)
    name = f"least distance of the ids of one token in float64, scale {float(best.scale):.4f}, against its margin"
    checks = [
        Check(name, least, ">=", promised, witness, "exhaustive", sets),
        Check("margin, before W_O", best.margin, ">", 0, None, "enclosed", sets),
        Check("margin of all multisets at the same scale", gap, ">", 0, None, "enclosed", multisets),
    ]
    return Certificate(checks, parameters={"V": size, "n": n})


def _another_scale(factor: Callable[[np.random.Generator], Any]) -> Damage:
    def damaged(parts: Scaled, rng: np.random.Generator) -> Scaled:
        scale = parts.best.scale * factor(rng)
        return parts._replace(model=rank_one_attention(range(1, parts.size + 1), parts.n, scale=scale))

    return damaged


@register(
    "kajitsuka2024:practical-scale",
    "a small scale keeps all contexts apart in floating point",
    source="ours, for Theorem 2",
    chapter=CHAPTER,
    construction=practical_scale,
    certify=_certify_scale,
    cases=[{"size": 5, "n": 3}, {"size": 7, "n": 3}],
    damages={
        "a scale too small": _another_scale(lambda rng: Fraction(1, int(rng.integers(4, 9)))),
        "a scale far too large": _another_scale(lambda rng: 99),
        "hardmax": in_part("model", in_a_layer(hardened)),
        "half as much written": in_part("model", in_a_layer(scaled("w_o", Fraction(1, 2)))),
    },
)
def scale_for_floats(*, size: int = 6, n: int = 4) -> Scaled:
    """The best scale found in [-1, 1] for the tokens 1, ..., V: its margin, enclosed, and the layer in float64.

    For fewer or more tokens than 3 to V - 2 their mean will do.
    """
    size = whole("size", size, 5, MAX_SIZE)
    n = whole("n", n, 3, size - 2, hint="for fewer or more tokens their mean will do")
    tokens = range(1, size + 1)
    best = practical_scale(tokens, n)
    gap = certified_margin(tokens, n, best.scale, repeats=True)
    return Scaled(rank_one_attention(tokens, n, scale=best.scale), size, n, best, gap)
