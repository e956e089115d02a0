"""Kajitsuka, Sato (2024): the Boltzmann operator and its derivatives; Definition 3, Lemmas 4 and 5."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from uatlib.certificate import Check
from uatlib.checks import flag
from uatlib.kajitsuka2024 import boltzmann_operator
from uatlib.kajitsuka2024.boltzmann_operator import (
    boltz,
    gradient,
    monotone_threshold,
    second_derivative,
)
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from ..damages import Damage, in_a_layer, replaced, scaled
from ..registry import register
from .common import FINE, Vector, drawn, length

CHAPTER = "kajitsuka-boltzmann"
STEP = Fraction(1, 2**120)
HAIR = Fraction(1, 10**9)


# --------------------------------------------------------------------------------------------------------- Definition 3


def _certify_definition_3(model: Transformer) -> list[Check]:
    X = [x for x in drawn(length(model.n)) if all(x)]
    off = []
    for x, row in zip(X, model([[x] for x in X], FINE)[:, 0], strict=True):
        values = boltz([[u * v for v in x] for u in x], system=FINE)
        for u, output, value in zip(x, row, values, strict=True):
            off.append(abs((output.midpoint - u) * u - value.midpoint) + output.radius * abs(u) + value.radius)
    errors = np.reshape(np.array(off, dtype=object), (len(X), -1))
    name = "|x_k (output of token k - x_k) - boltz(x_k X)|"
    return [Check.worst(name, errors, "<=", STEP, lambda i, k: {"X": X[i], "token": k}, "enclosed")]


@register(
    "kajitsuka2024:def-3",
    "a head whose queries, keys and values are the token itself hears the Boltzmann operator",
    source="Definition 3, eq. (12)-(13)",
    chapter=CHAPTER,
    construction=boltz,
    certify=_certify_definition_3,
    cases=[{"n": 2}, {"n": 7}],
    damages={
        f"{name} = {factor}": in_a_layer(scaled(name.lower(), factor))
        for name, factor in (("W_Q", 2), ("W_K", 3), ("W_V", 2), ("W_O", 3))
    },
)
def head(*, n: int = 3) -> Transformer:
    """The layer X + X softmax(X^T X) for d = 1, which is held against boltz(x_k X) / x_k on random sequences."""
    return Transformer([Attention([Head([[1]], [[1]], [[1]], [[1]])])], n=length(n))


# ------------------------------------------------------------------------------------------------------- Lemmas 4 and 5

Derivative = Callable[[Any], Any]
"""Of vectors of shape (..., n), each with 0 as its largest entry where that matters."""


def sign_change(rises: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that changes from negative to positive once in [low, high] does, to the last bit or so."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if rises(middle) > 0 else (middle, high)
    return high


def concavity_threshold(n: int, exact: bool = False) -> float:
    """A T such that boltz(a) is concave in a_i wherever a_i < max a - T: log n + 3, or the least such T.

    The least T is the t with max_x J(t, x) = 0, for E = e^{-t}, s = (n - 2) e^x, w = 1 - E + s,

        J(t, x) = 1 - t + E + (1 - t - x) s + (w + 2E)^2 / w;

    for n = 2, where s = 0, it is 2.3993572805... The book has the proof.

    Raises
    ------
    ValueError
        n is no int >= 2.

    Source: kajitsuka2024, Lemma 5 (log n + 3); the least T is ours.
    """
    n = boltzmann_operator.length(n)
    if not flag("exact", exact):
        return math.log(n) + 3
    # Where the first derivative may vanish the second is positive.
    low = max(2.0, monotone_threshold(n, exact=True))
    return sign_change(lambda t: -worst_curvature(t, n)[0], low, math.log(n) + 3)


def worst_curvature(t: float, n: int) -> tuple[float, float]:
    """max_x J(t, x) of `concavity_threshold` for t >= 2, and the x of the n - 2 entries where it is attained.

    Where the maximum of a is 0, a_i = -t and all others are x, the second derivative by a_i has the sign of J(t, x).
    """
    E = math.exp(-t)

    def others(x: float) -> float:
        return math.exp(math.log(n - 2) + x) if n > 2 else 0.0

    def fall(x: float) -> float:
        return x + t - 1 + (2 * E / (1 - E + others(x))) ** 2

    x = sign_change(fall, -t, 1 - t)
    s = others(x)
    return 1 - t + E + (1 - t - x) * s + (1 + E + s) * ((1 + E + s) / (1 - E + s)), x


class Falls(NamedTuple):
    """A derivative by each entry that is negative for entries far below the largest, from a threshold on."""

    n: int
    formula: str
    below: Derivative
    derivative: Derivative
    what: str
    printed: float
    least: float
    worst: float


def _certify(parts: Falls) -> list[Check]:
    T, x = Fraction(parts.least), (Fraction(parts.worst),) * (parts.n - 2)
    others = [x, *(a[:-2] for a in drawn(parts.n))]
    before = parts.derivative((0, *x, HAIR - T))[-1]
    return [
        _quotient_check(parts),
        _sign_check(parts, f"at the printed threshold {parts.printed:.4f}", others, Fraction(parts.printed)),
        _sign_check(parts, f"beyond the least threshold {parts.least:.4f}", others, T + HAIR),
        Check(f"{parts.what} 10^-9 before it, in the worst case", before, ">", 0, {"a_1 - a_n": float(T)}, "enclosed"),
    ]


def _quotient_check(parts: Falls) -> Check:
    """The derivative against central difference quotients, whose error is STEP^2 times a third derivative."""
    vectors, off = drawn(parts.n), []
    steps = STEP * np.eye(parts.n, dtype=int).astype(object)
    for a in vectors:
        values = zip(parts.derivative(a), parts.below(a + steps), parts.below(a - steps), strict=True)
        for value, above, below in values:
            quotient = (above.midpoint - below.midpoint) / (2 * STEP)
            rounding = (above.radius + below.radius) / (2 * STEP)
            off.append(max(value.upper - quotient, quotient - value.lower) + rounding)
    errors = np.reshape(np.array(off, dtype=object), (len(vectors), -1))
    return Check.worst(parts.formula, errors, "<=", STEP, lambda k, i: {"a": vectors[k], "i": i}, "enclosed")


def _sign_check(parts: Falls, where: str, others: Sequence[Vector], beyond: Fraction) -> Check:
    """The largest derivative by the last entry, `beyond` below the maximum 0."""
    vectors = [(0, *rest, -beyond) for rest in others]
    values, name = parts.derivative(vectors)[:, -1], f"{parts.what} {where}, largest"
    return Check.worst(name, values, "<", 0, lambda k: {"a": vectors[k]}, "enclosed")


def _moved(name: str, least: float, most: float) -> Damage:
    """A threshold that is a random share of the least one too small or too large."""
    return lambda parts, rng: replaced(parts, **{name: parts.least * (1 + float(rng.uniform(least, most)))})


def _elsewhere(parts: Falls, rng: np.random.Generator) -> Falls:
    factor = 1 + Fraction(float(rng.uniform(0.01, 0.2)))
    return parts._replace(derivative=lambda a: parts.derivative(factor * np.array(a, dtype=object)))


DAMAGES: Mapping[str, Damage] = {
    "taken elsewhere": _elsewhere,
    "the printed threshold too small": _moved("printed", -0.2, -0.01),
    "the least threshold too small": _moved("least", -0.2, -0.01),
    "the least threshold too large": _moved("least", 0.01, 0.2),
}


_value, _slope, _bend = (partial(f, system=FINE) for f in (boltz, gradient, second_derivative))
FALLS: dict[str, Any] = {"chapter": CHAPTER, "certify": _certify, "cases": [{"n": 2}, {"n": 6}], "damages": DAMAGES}


@register(
    "kajitsuka2024:lem-4",
    "the Boltzmann operator falls in entries that are far below the largest",
    source="Lemma 4, eq. (83)-(84)",
    construction=monotone_threshold,
    **FALLS,
)
def falling(*, n: int = 3) -> Falls:
    """The derivative as a difference quotient; its sign at the printed threshold and on both sides of the least."""
    printed, least = (monotone_threshold(length(n), exact) for exact in (False, True))
    formula = "|p_i (1 + a_i - boltz) - difference quotient|"
    return Falls(length(n), formula, _value, _slope, "derivative", printed, least, worst=-least)


@register(
    "kajitsuka2024:lem-5",
    "the Boltzmann operator is concave in entries that are farther below the largest",
    source="Lemma 5, eq. (94)-(97)",
    construction=concavity_threshold,
    **FALLS,
)
def concave(*, n: int = 3) -> Falls:
    """The second derivative as a difference quotient; its sign at the printed threshold and around the least."""
    printed, least = (concavity_threshold(length(n), exact) for exact in (False, True))
    formula = "|eq. (97) - difference quotient of the derivative|"
    worst = worst_curvature(least, length(n))[1]
    return Falls(length(n), formula, lambda X: _slope(X).diagonal(), _bend, "second derivative", printed, least, worst)
