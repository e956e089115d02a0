"""What to ask of attention: Theorem 1, and what it needs."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from uatlib.arithmetic import BALL, EXACT, FLOAT64
from uatlib.certificate import Certificate, Check
from uatlib.checks import refused, whole
from uatlib.cheng2025.certify_network import Network
from uatlib.cheng2025.network import build
from uatlib.groups import elements
from uatlib.layers import FeedForward
from uatlib.model import Transformer
from uatlib.targets import exact_values, mean_product, running_mean

from ..damages import in_part, mapped, put, replaced, with_layer
from ..registry import register
from .distinguishing import (
    Samples,
    answers_at,
    attention,
    conflict_check,
    distance_checks,
    in_balls,
    products,
    told_apart,
)

TINY = Fraction(1, 2**40)
"""By how much sequences are moved, where a map is to be continuous."""


# ------------------------------------------------------------------------------------------------------------ Theorem 1


class Theorem(NamedTuple):
    """The sequences of the grid with a mixer, and the network in which this mixer stands, if there is one."""

    samples: Samples
    network: Network | None


def _certify_theorem_1(parts: Theorem) -> Certificate:
    """The hypotheses on the grid, what a look-up needs on it and beside it, and the error of the network."""
    separation, moved, X = parts.samples.separation(), parts.samples.separation(TINY), parts.samples.X
    _, d, n = X.shape
    zeros = [{"X": x} for x in X if any(not any(token) for token in x.T)]
    checks = [
        Check.none("sequences of the grid with a token 0", zeros, cases=len(X)),
        *distance_checks(parts.samples, separation),
        conflict_check("on the grid: answers of tokens that are not told apart, largest difference", separation),
        conflict_check("the same 2^-40 beside the grid", moved),
    ]
    if parts.network is not None:
        checks += _at_work(parts.network)
    return Certificate(checks, parameters={"n": n, "d": d, "N": len(X)})


@cache
def _at_work(network: Network) -> list[Check]:
    """That the look-up interpolates, and the error."""
    checks = network.certify(literal=8).checks
    return [c for c in checks if c.name.startswith("d_2(f, g), ") or c.name.endswith("(38)")]


def _only_there(X: np.ndarray, mix: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """The mixer at these sequences, and none at others."""
    known = {tuple(x.flat) for x in X}
    return lambda Y: np.where([[[tuple(y.flat) in known]] for y in Y], mix(Y), Y)


def _corners(parts: Samples, rng: np.random.Generator) -> Samples | None:
    """Corners of cells on [-1, 1], at four cells a side: two sequences with the token 0 and the same mean."""
    if parts.X.shape[2] < 3:
        return None
    u, v, o = [Fraction(1, 2), 0], [Fraction(1, 2), Fraction(1, 2)], [0, 0]
    X = np.array([np.array([o, w, [-a for a in w]], dtype=object).T for w in (u, v)])
    return parts._replace(X=X, answers=answers_at(X))


@register(
    "cheng2025:thm-1",
    "with a nonlinear affine-invariant H and token distinguishability, transformers have the G-UAP",
    source="Theorem 1, section B.1",
    chapter="cheng-condition",
    construction=build,
    certify=_certify_theorem_1,
    cases=[{"n": 3}],
    damages={
        "no mixing": in_part("samples", put(mix=lambda X: X)),
        "corners of cells": in_part("samples", _corners),
        "a function that is not equivariant": in_part(
            "samples",
            lambda parts, rng: parts._replace(answers=exact_values(running_mean(parts.X.shape[2], 2), parts.X)),
        ),
        "other attention behind the same look-up": mapped(
            network=lambda g: replaced(g, model=with_layer(g.model, 1, *attention(2).layers))
        ),
    },
    concerns="hypothesis",
    erratum="""Mixers must be G-equivariant, or the group trivial: proof of Proposition 1 takes it from functions of
    the family, and a mixer that forgets the order of tokens satisfies both conditions. And they must be continuous, as
    F-bar is in (43): mixing at finitely many sequences, and nowhere else, satisfies both conditions, too.""",
    alone=("equivariance", "continuity"),
)
def theorem(*, variant: str = "repaired", n: int = 2, inverse_delta: int = 2) -> Theorem:
    """All sequences of distinct tokens of the shifted grid, and the network; printed: a mixer with neither property."""
    n, N = whole("n", n, 2, 3), whole("inverse_delta", inverse_delta, 2, 3)
    if N**2 > 4 and n > 2:
        raise refused("inverse_delta", "2 where n = 3", N)
    network = build(mean_product(n, 2), inverse_delta=N)
    kept = on_grid(n, N, in_balls(Transformer(network.model.attentions())))
    if variant in ("printed", "continuity alone"):
        kept = kept._replace(mix=lambda Y: products(Y, [Fraction(1, k + 2) for k in range(n)]))
    if variant in ("printed", "equivariance alone"):
        kept = kept._replace(mix=_only_there(kept.X, kept.mix))
    return Theorem(kept, network if variant == "repaired" else None)


def on_grid(n: int, N: int, mix: Callable[[np.ndarray], np.ndarray]) -> Samples:
    """All sequences of distinct tokens of two entries, centres of N cells a side."""
    tokens = list(itertools.product([Fraction(2 * k + 1, 2 * N) for k in range(N)], repeat=2))
    X = np.array([np.array(row, dtype=object).T for row in itertools.permutations(tokens, n)])
    return Samples(X, elements("symmetric", n), mix, answers_at(X))


# -------------------------------------------------------------------------------------------- d >= 2, and the zero map

NEAR = Fraction(1, 20)


class Needed(NamedTuple):
    """Steps x + h(x) on numbers, small and large, mixing that leaves one number a token, and last layers behind it."""

    small: list[list[FeedForward]]
    large: FeedForward
    samples: Samples
    last: list[FeedForward]


def _certify_needed(parts: Needed) -> Certificate:
    x = np.arange(-64, 65).astype(object)[None] * Fraction(1, 16)
    slopes = [np.diff(Transformer(blocks)(x, EXACT)[0]).min() * 16 for blocks in parts.small]
    steps = len(parts.small[0])
    low, high = Transformer([parts.large])([[0, 1]], EXACT)[0]
    separation = parts.samples.separation()
    flat = max(abs(z.midpoint) + z.radius for z in parts.samples.mix(parts.samples.X)[:, 1].flat)
    shares = [_share_near(h) for h in parts.last]
    bound = 3 * 2 * NEAR * 2**0.5  # strips that are no longer than the diagonal
    checks = [
        Check.worst("d = 1, steps of Lipschitz constant 1/2: least slope of all together", slopes, ">=",
                    Fraction(1, 2) ** steps, lambda k: {"network": k + 1}, "sampled"),
        Check("d = 1, one larger step: f(1) - f(0)", high - low, "<", 0, {"f(0)": low, "f(1)": high}),
        Check("no zero map: second entries after mixing, largest", flat, "==", 0, "mixing", "enclosed"),
        *distance_checks(parts.samples, separation),
        Check.worst("share of the square within 1/20 of answers", shares, "<=", bound,
                    lambda k: {"last layer": k + 1, "hidden units": len(parts.last[k].w_1)}, "sampled"),
    ]  # fmt: skip
    return Certificate(checks, parameters={"steps": steps})


def _share_near(last: FeedForward) -> float:
    """How much of the unit square is near x + h(x) for tokens x = (t, 0)."""
    t = np.array([-99, *np.sort(-last.b_1.astype(float)), 99])
    corners = Transformer([last])(np.stack([t, 0 * t]), FLOAT64).numpy().T
    points = np.stack(np.meshgrid(*[(np.arange(60) + 0.5) / 60] * 2), -1).reshape(-1, 1, 2)
    start, step = corners[:-1], np.diff(corners, axis=0)
    along = np.clip(((points - start) * step).sum(-1) / np.maximum((step**2).sum(-1), 1e-30), 0, 1)
    apart = np.linalg.norm(points - start - along[..., None] * step, axis=-1).min(axis=1)
    return float((apart <= float(NEAR)).mean())


def _last_layer(corners: np.ndarray) -> FeedForward:
    """The layer that sends (t, 0) along a level line to the first corner at t = 0, and to the k-th at t = k - 1."""
    slopes = np.vstack([[[1, 0]], np.diff(corners, axis=0)])
    bends = np.diff(slopes, axis=0).T
    w_1 = np.array([[1.0, 0.0]] * bends.shape[1])
    return FeedForward(w_1, -np.arange(bends.shape[1], dtype=float), bends, corners[0].astype(float))


def _one_number(model: Transformer) -> Callable[[np.ndarray], np.ndarray]:
    """Mixing, after which a token is (x_1 + x_2/3, 0)."""
    line = np.array([[1, Fraction(1, 3)], [0, 0]], dtype=object)
    return lambda X: Transformer([*model.layers, FeedForward(np.vstack([line[:1], -line[:1]]), None,
                                                            [[1, -1], [0, 0]], skip=False)])(X, BALL)  # fmt: skip


@register(
    "cheng2025:thm-1-needs",
    "on a line small steps keep the order of tokens; without the zero map the last layer has to do all",
    source='before Theorem 1, "we assume that d >= 2 and the zero map is in G"',
    chapter="cheng-condition",
    construction=told_apart,
    certify=_certify_needed,
    cases=[{"steps": 12}, {"n": 3}],
    damages={
        "steps of twice the size": mapped(
            small=lambda networks: [[FeedForward(h.w_1, h.b_1, 4 * h.w_2) for h in blocks] for blocks in networks]
        ),
        "the larger step halved": mapped(large=lambda h: FeedForward(h.w_1, h.b_1, Fraction(1, 4) * h.w_2)),
        "tokens kept whole": in_part("samples", put(mix=in_balls(attention(2)))),
        "a wide last layer": put(last=[_last_layer(np.array([(k % 2, k / 24) for k in range(25)]))]),
    },
)
def needed(*, steps: int = 8, n: int = 2) -> Needed:
    """Networks of small steps on numbers, a large step, mixing onto a line, last layers of two units behind it."""
    steps, rng = whole("steps", steps, 1, 64), np.random.default_rng(0)
    drawn = zip(rng.choice([-1, 1], (20 * steps, 2)), rng.integers(-30, 31, 20 * steps), strict=True)
    steep = [FeedForward([[side]], [Fraction(int(b), 16)], [[Fraction(int(s), 2)]]) for (side, s), b in drawn]
    last = [_last_layer(corners) for corners in rng.random((50, 3, 2))]
    one = on_grid(whole("n", n, 2, 3), 2, _one_number(attention(2)))
    return Needed([steep[k::20] for k in range(20)], FeedForward([[1]], [0], [[-3]]), one, last)
