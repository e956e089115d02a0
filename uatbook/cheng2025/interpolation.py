"""Cheng, Lin, Shen, Li (2025): the steps of Theorem 1, Propositions 1, 2 and 3."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib import targets
from uatlib.arithmetic import BALL, EXACT, Arithmetic, distances
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, positive, refused, whole
from uatlib.checks import seed as parse_seed
from uatlib.cheng2025.named_kernels import kernel as kernel_named
from uatlib.cheng2025.random_attention import draw
from uatlib.kernels import CONSTANT
from uatlib.layers import Attention, FeedForward, Head
from uatlib.model import Transformer

from ..damages import (
    Change,
    Damage,
    changed,
    in_a_layer,
    in_part,
    scaled,
    shifted,
    with_layer,
    without_a_layer,
)
from ..registry import register
from .residual_blocks import increasing_blocks, interpolate, interpolating_blocks, staircase_points

FINE = BALL.with_bits(768)
MAX_POINTS, MAX_LENGTH = 40, 6
CHAPTER = "cheng-condition"
KERNELS = ["exp", "rbf", "cauchy", "constant"]


def at(place: int, change: Change) -> Damage:
    """The change of the layer at this place of a model that has something of the kind."""

    def damaged(model: Transformer, rng: np.random.Generator) -> Transformer:
        layer = change(model.layers[place])
        assert layer is not None
        return with_layer(model, range(len(model.layers))[place], layer)

    return in_part("model", damaged)


def _size_checks(layers: Any, count: int, d: int) -> list[Check]:
    """Whether all layers are blocks Id + W relu(A x - b) with at most d hidden units, and there are so many."""
    others = [repr(x) for x in layers if type(x) is not FeedForward or x.activation != "relu" or x.b_2 is not None]
    widest = max(len(x.w_1) for x in layers if type(x) is FeedForward)
    return [
        Check("blocks Id + h", len(layers), "==", count),
        Check("blocks that are not x + W relu(A x - b)", len(others), "==", 0, others or None, cases=len(layers)),
        Check("hidden units of a block", widest, "<=", d, cases=len(layers)),
    ]


# -------------------------------------------------------------------------------------------------------- Proposition 3


class Points(NamedTuple):
    """Blocks, the points x and the values y (N, d) that they are to take them to, and eps."""

    model: Transformer
    x: np.ndarray
    y: np.ndarray
    eps: Fraction


def _certify_points(parts: Points) -> Certificate:
    count, d = parts.x.shape
    off = abs(parts.model(parts.x.T, EXACT).T - parts.y)
    name, others = "points off in other entries than the first", (off[:, 1:] != 0).any(axis=1)
    checks = [
        *_size_checks(parts.model.layers, 1 + 3 * math.ceil(Fraction(count, d)), d),
        Check.worst("|f(x_i) - y_i|, largest", off.max(axis=1), "<=", parts.eps, lambda k: {"x": parts.x[k]}),
        Check.none(name, others, lambda k: {"x": parts.x[k]}),
    ]
    return Certificate(checks, parameters={"N": count, "d": d, "eps": parts.eps})


def _farther(parts: Points, rng: np.random.Generator) -> Points:
    """The first entries of points with the same value, four times as far apart as eps allows."""
    return parts._replace(model=Transformer(interpolating_blocks(parts.x, parts.y, 4 * parts.eps)))


BLOCKS: dict[str, Damage] = {
    "a block left out": in_part("model", without_a_layer),
    "a block that is louder": in_part("model", in_a_layer(scaled("w_2", Fraction(9, 8)))),
    "a kink elsewhere": in_part("model", in_a_layer(shifted("b_1", Fraction(1, 3)))),
}


@register(
    "cheng2025:prop-3",
    "blocks Id + h with d hidden units take any different points to any values, up to eps",
    source="Proposition 3, section B.1",
    chapter=CHAPTER,
    construction=interpolating_blocks,
    certify=_certify_points,
    cases=[{"count": 12, "d": 3}, {"count": 9, "d": 5, "eps": Fraction(1, 10**6)}, {"count": 4, "seed": 1}],
    damages={
        **BLOCKS,
        "no shear": at(0, scaled("w_2", 0)),
        "values too far apart": _farther,
    },
)
def points(*, count: int = 7, d: int = 2, eps: object = Fraction(1, 1000), seed: int = 0) -> Points:
    """Points on a coarse lattice, so that many share an entry, and values in {-1, 0, 1}^d, many of them alike."""
    d, eps = whole("d", d, 2, MAX_LENGTH, "in one dimension the proposition is not stated"), positive("eps", eps, 1)
    count, rng = whole("count", count, 4, min(MAX_POINTS, 3**d - 1)), np.random.default_rng(parse_seed(seed))
    lattice = np.indices((3,) * d).reshape(d, -1).T
    x = rng.permutation(lattice)[:count].astype(object) * Fraction(1, 2)
    y = rng.integers(-1, 2, (count, d)).astype(object)
    return Points(Transformer(interpolating_blocks(x, y, eps)), x, y, eps)


# -------------------------------------------------------------------------------------------------------- Proposition 2


class Increasing(NamedTuple):
    """Blocks, and the kinks and values of the function that they are to be, entry by entry, up to eps."""

    model: Transformer
    points: np.ndarray
    values: np.ndarray
    eps: Fraction


def _certify_increasing(parts: Increasing) -> Certificate:
    """At all kinks and midpoints. Blocks and function are linear between kinks, so that no other point is worse."""
    t, v = (_with_midpoints(line) for line in (parts.points, parts.values))
    d = parts.model.width
    places = np.stack([np.roll(np.arange(len(t)), i) for i in range(d)])
    H = parts.model(t[places], EXACT)
    rises = np.diff(np.take_along_axis(H, np.argsort(places, axis=1), axis=1), axis=1)

    def at(i: int, k: int) -> dict[str, Any]:
        return {"entry": i + 1, "x": t[places[i, k]], "H(x)": H[i, k], "h(x)": v[places[i, k]]}

    def between(i: int, k: int) -> dict[str, object]:
        return {"entry": i + 1, "x": t[k], "x'": t[k + 1]}

    checks = [
        *_size_checks(parts.model.layers, len(parts.points), d),
        Check.worst("|H(x) - h(x)|, largest", abs(H - v[places]), "<=", parts.eps, at),
        Check.worst("H(x') - H(x) for x' > x, least", rises, ">", 0, between),
    ]
    return Certificate(checks, parameters={"kinks": len(parts.points), "d": d, "eps": parts.eps})


def _with_midpoints(line: np.ndarray) -> np.ndarray:
    longer = np.repeat(line, 2)[:-1]
    longer[1::2] = (line[1:] + line[:-1]) / 2
    return longer


def _unmoved(parts: Increasing, rng: np.random.Generator) -> Increasing:
    """Kinks at the points t, not where the blocks before have taken them."""
    first, *rest = parts.model.layers
    moved = [
        FeedForward(block.weights()["w_1"], [-t] * parts.model.width, block.weights()["w_2"])
        for t, block in zip(parts.points, rest, strict=False)
    ]
    return parts._replace(model=Transformer([first, *moved]))


@register(
    "cheng2025:prop-2",
    "blocks Id + h come as near as one likes to the staircase (36), entry by entry",
    source="Proposition 2, section B.1",
    chapter=CHAPTER,
    construction=increasing_blocks,
    certify=_certify_increasing,
    cases=[{"inverse_delta": 2, "ramp": Fraction(1, 16), "d": 1}, {"reach": 2, "d": 3, "eps": Fraction(1, 10**6)}],
    damages={
        **BLOCKS,
        "kinks that do not move": _unmoved,
        "a step that is flat": at(1, changed("w_2", lambda w: -np.eye(len(w), dtype=int))),
    },
)
def increasing(
    *, inverse_delta: int = 4, ramp: object = Fraction(1, 8), reach: int = 1, eps: object = Fraction(1, 100), d: int = 2
) -> Increasing:
    """(1 - kappa) h(x) + kappa x for the staircase h on [-reach, reach], off by kappa |x - h(x)| <= kappa delta."""
    N, d = whole("inverse_delta", inverse_delta, 1, MAX_POINTS), whole("d", d, 1, MAX_LENGTH)
    ramp, reach = positive("ramp", ramp, Fraction(1, 2)), whole("reach", reach, 1, 4)
    eps = positive("eps", eps, (1 - ramp) / (2 * N), "at most half of a step's fall behind x")
    t, v = (np.array(line, dtype=object) for line in staircase_points(N, ramp, reach))
    kappa = eps / max(abs(t - v))
    return Increasing(Transformer(increasing_blocks(t, (1 - kappa) * v + kappa * t, d)), t, v, eps)


# -------------------------------------------------------------------------------------------------------- Proposition 1


class Sequences(NamedTuple):
    """Layers of mixing and blocks, sequences X (M, d, n), the values F of each, and what is claimed.

    The first is there twice, with its tokens in another order; the last has a token twice.
    """

    model: Transformer
    X: np.ndarray
    F: np.ndarray
    eps: Fraction
    tokens: int
    separation: Fraction
    system: Arithmetic


def _certify_sequences(parts: Sequences) -> Certificate:
    X, F, eps = parts.X, parts.F, parts.eps
    n, d = X.shape[-1], X.shape[-2]
    general = np.array([len({tuple(column) for column in x.T}) == n for x in X])
    Y = parts.model(X, parts.system)
    off, size = (_norms(distances(Y, values)) for values in (F, F * 0))
    largest = float(_norms(abs(F)).max())
    own = int(general.sum())
    k, j = int(np.where(general, off, -1).argmax()), int(np.where(general, -1, size).argmax())
    blocks = [layer for layer in parts.model.layers if type(layer) is FeedForward]
    distinct = [len({tuple(column) for column in x.T}) for x in X]
    most = n * (own - 1) + sum(m for m in distinct if m < n)
    bound = n * largest + 2 * float(eps)
    checks = [
        *_size_checks(blocks, 1 + 3 * math.ceil(Fraction(parts.tokens, d)), d),
        Check("layers of mixing", len(parts.model.layers) - len(blocks), "==", 1),
        Check("tokens after mixing, one sequence of each orbit", parts.tokens, "<=", most),
        Check("distance of two of them, in general position, least", parts.separation, ">", 0),
        Check("|F^(X) - F(X)|, X in general position", off[k], "<", float(eps), {"X": X[k]}, "enclosed", own),
        Check("|F^(X)|, X with a token twice", size[j], "<", bound, {"X": X[j]}, "enclosed", len(X) - own),
    ]
    return Certificate(checks, parameters={"M": len(X), "n": n, "d": d, "eps": eps})


def _norms(off: np.ndarray) -> np.ndarray:
    """2-norms of matrices of bounds, rounded up."""
    return np.asarray(np.sqrt((off * off).sum(axis=(-2, -1)).astype(float))) * (1 + 1e-12)


@register(
    "cheng2025:prop-1",
    "mixing that tells tokens apart, and blocks, take sequences to the values of an equivariant function, up to eps",
    source="Proposition 1, section B.1",
    chapter=CHAPTER,
    construction=interpolate,
    certify=_certify_sequences,
    cases=[{"n": 3, "d": 3, "count": 3}, {"kernel": "constant"}, {"kernel": "rbf", "n": 3, "eps": Fraction(1, 1000)}],
    damages={**BLOCKS, "attention that hears more": at(0, scaled("w_v", Fraction(9, 8)))},
)
def sequences(
    *, count: int = 4, n: int = 2, d: int = 2, kernel: str = "exp", eps: Any = Fraction(1, 100), seed: int = 0
) -> Sequences:
    """F(X)_k = x_k times the mean, entry by entry, at random sequences; with kernel "constant" in exact arithmetic.

    There the sequence with a token twice is one whose token is met by one of the first, so that it does not go to 0.
    """
    count, n, d = whole("count", count, 1, 8), whole("n", n, 2, MAX_LENGTH), whole("d", d, 2, MAX_LENGTH)
    eps, rng = positive("eps", eps, 1), np.random.default_rng(parse_seed(seed))
    system = EXACT if choice("kernel", kernel, KERNELS) == "constant" else FINE
    if kernel == "constant" and n > 2:
        raise refused("n", "2 with kernel constant, which hears the mean alone", n)
    (layer,), _ = draw([None], d, kernel_named(kernel), [seed, 0])
    grid = rng.permutation(np.arange(1, 8 * count * n + 1))[: count * n * d]
    X = rng.permutation(np.resize(grid, count * n * d)).astype(object).reshape(count, d, n) * Fraction(1, 8 * count * n)
    repeated = X[:1].copy()
    repeated[..., 1] = repeated[..., 0]
    if kernel == "constant":
        share = Fraction(1, 2)
        unit = np.eye(d, dtype=int)
        layer = Attention([Head(unit, unit, unit * share, unit)], kernel=CONSTANT)
        met = (X[0, :, 0] + share * X[0].sum(axis=1) / n) / (1 + share)
        repeated = np.stack([met] * n, axis=1)[None]
    X = np.concatenate([X, repeated])
    F = targets.mean_product(n, d).function(X)
    made = interpolate([layer], X, F, eps, system)
    X, F = (np.concatenate([Z, Z[:1, :, ::-1]]) for Z in (X, F))
    return Sequences(made.model, X, F, eps, made.tokens, made.separation, system)
