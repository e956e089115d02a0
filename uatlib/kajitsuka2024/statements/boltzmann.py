"""Kajitsuka, Sato (2024): the Boltzmann operator and its derivatives; Definition 3, Lemmas 4 and 5."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from ...arithmetic import BALL, Ball
from ...arithmetic.base import is_int, shown
from ...certificate import Certificate, Check
from ...layers import Attention, Head
from ...model import Transformer
from ...registry import register_by_seed as register
from ..boltzmann import boltz, concavity_threshold, gradient, monotone_threshold, second_derivative, worst_curvature

CHAPTER = "kajitsuka-boltzmann"
SAMPLES = 40
FINE = BALL.with_bits(512)
STEP = Fraction(1, 2**120)
HAIR = Fraction(1, 10**9)

Vector = tuple[Fraction, ...]


def _vectors(n: int, seed: int = 0) -> list[Vector]:
    """Random vectors of n entries in [-6, 0], some of them equal."""
    rng = np.random.default_rng(seed)
    draws = rng.integers(-6 * 8, 1, (SAMPLES, n)).tolist()
    return [tuple(Fraction(entry, 8) for entry in draw) for draw in draws]


def _require_length(what: str, n: Any, least: int = 2, most: int = 64) -> None:
    if not is_int(n, least) or n > most:
        raise ValueError(f"kajitsuka2024:{what}: expected n to be an int, {least} <= n <= {most}, got {shown(n)}.")


def _text(vector: Iterable[Any]) -> str:
    return f"({', '.join(str(entry) if len(str(entry)) < 12 else f'{float(entry):.6g}' for entry in vector)})"


def _far(ball: Ball, value: Fraction) -> Fraction:
    return max(ball.upper - value, value - ball.lower)


# --------------------------------------------------------------------------------------------------------- Definition 3


def _certify_definition_3(layer: Attention, n: int) -> Certificate:
    X = [x for x in _vectors(n) if all(x)]
    heard = Transformer([layer])([[x] for x in X], FINE)
    worst, witness = Fraction(0), None
    for x, row in zip(X, heard[:, 0], strict=True):
        for k in range(n):
            value = boltz([x[k] * u for u in x], system=FINE)
            off = max(abs((row[k].midpoint - x[k]) * x[k] - value.midpoint), Fraction(0))
            off += row[k].radius * abs(x[k]) + value.radius
            if off > worst:
                worst, witness = off, (f"X = {_text(x)}", f"token {k}")
    name = "|x_k (output of token k - x_k) - boltz(x_k X)|"
    return Certificate([Check(name, worst, "<=", STEP, witness, "enclosed", n * len(X))], parameters={"n": n})


def _perturb_definition_3(*, seed: int = 0, n: int = 3) -> Certificate:
    """One of the four weights is another number."""
    _require_length("def-3", n)
    rng = np.random.default_rng(seed)
    weights = [1, 1, 1, 1]
    weights[rng.integers(4)] += int(rng.integers(1, 9))
    return _certify_definition_3(Attention([Head(*([[w]] for w in weights))]), n)


@register(
    "kajitsuka2024:def-3",
    "a head whose queries, keys and values are the token itself hears the Boltzmann operator",
    source="Definition 3, eq. (12)-(13)",
    chapter=CHAPTER,
    perturb=_perturb_definition_3,
)
def verify_definition_3(*, n: int = 3) -> Certificate:
    """The layer X + X softmax(X^T X) for d = 1 against boltz(x_k X) / x_k, on random sequences."""
    _require_length("def-3", n)
    return _certify_definition_3(Attention([Head([[1]], [[1]], [[1]], [[1]])]), n)


# ------------------------------------------------------------------------------------------------------- Lemmas 4 and 5

Derivative = Callable[..., Any]


def _quotient_check(name: str, below: Derivative, derivative: Derivative, n: int) -> Check:
    """`derivative` against central difference quotients of `below`, whose error is STEP^2 times a third derivative."""
    worst, witness = Fraction(0), None
    for a in _vectors(n):
        for i in range(n):
            moved = [below([u + by * (k == i) for k, u in enumerate(a)], i) for by in (STEP, -STEP)]
            quotient = (moved[0].midpoint - moved[1].midpoint) / (2 * STEP)
            off = _far(derivative(a, i), quotient) + (moved[0].radius + moved[1].radius) / (2 * STEP)
            if off > worst:
                worst, witness = off, (f"a = {_text(a)}", f"i = {i}")
    return Check(name, worst, "<=", STEP, witness, "enclosed", n * SAMPLES)


def _sign_check(name: str, derivative: Derivative, n: int, beyond: Fraction, worst: Fraction) -> Check:
    """The largest derivative by the last entry, `beyond` below the maximum 0; `worst` is a choice of others."""
    others = [(worst,) * (n - 2), *(a[:-2] for a in _vectors(n))]
    values = [(derivative((0, *rest, -beyond), n - 1), rest) for rest in others]
    value, rest = max(values, key=lambda pair: pair[0].upper)
    return Check(name, value, "<", 0, f"a = {_text((0, *rest, -beyond))}", "enclosed", len(values))


def _threshold_checks(
    derivative: Derivative, n: int, printed: float, least: float, worst: float, what: str
) -> list[Check]:
    T, x = Fraction(least), Fraction(worst)
    before = derivative((0, *(x,) * (n - 2), -(T - HAIR)), n - 1)
    return [
        _sign_check(f"{what} at the printed threshold {printed:.4f}, largest", derivative, n, Fraction(printed), x),
        _sign_check(f"{what} beyond the least threshold {least:.4f}, largest", derivative, n, T + HAIR, x),
        Check(f"{what} 10^-9 before it, in the worst case", before, ">", 0, f"a_1 - a_n = {float(T):.6f}", "enclosed"),
    ]


def _value(a: Any, i: int) -> Ball:
    return boltz(a, system=FINE)


def _slope(a: Any, i: int) -> Ball:
    return gradient(a, system=FINE)[i]


def _bend(a: Any, i: int) -> Ball:
    return second_derivative(a, system=FINE)[i]


def _certify_lemma_4(n: int, slope: Derivative, printed: float, least: float) -> Certificate:
    checks = [
        _quotient_check("|p_i (1 + a_i - boltz) - difference quotient|", _value, slope, n),
        *_threshold_checks(slope, n, printed, least, -least, "derivative"),
    ]
    return Certificate(checks, parameters={"n": n})


def _certify_lemma_5(n: int, bend: Derivative, printed: float, least: float) -> Certificate:
    worst = worst_curvature(concavity_threshold(n, exact=True), n)[1]
    checks = [
        _quotient_check("|eq. (97) - difference quotient of the derivative|", _slope, bend, n),
        *_threshold_checks(bend, n, printed, least, worst, "second derivative"),
    ]
    return Certificate(checks, parameters={"n": n})


def _damaged(
    seed: int, n: int, function: Derivative, threshold: Callable[..., float]
) -> tuple[Derivative, float, float]:
    """The derivative with a coefficient changed, or a threshold that is too small, or a least one too large."""
    rng = np.random.default_rng(seed)
    share = float(rng.uniform(0.01, 0.2))
    printed, least = threshold(n), threshold(n, exact=True)
    damage = seed % 3
    if damage == 0:
        return (lambda a, i: function([Fraction(1 + share) * u for u in a], i)), printed, least
    if damage == 1:
        return function, least * (1 - share), least
    return function, printed, least * (1 + (share if rng.integers(2) else -share))


def _perturb_lemma_4(*, seed: int = 0, n: int = 3) -> Certificate:
    """The derivative is taken elsewhere, or a threshold moved."""
    _require_length("lem-4", n)
    return _certify_lemma_4(n, *_damaged(seed, n, _slope, monotone_threshold))


def _perturb_lemma_5(*, seed: int = 0, n: int = 3) -> Certificate:
    """The second derivative is taken elsewhere, or a threshold moved."""
    _require_length("lem-5", n)
    return _certify_lemma_5(n, *_damaged(seed, n, _bend, concavity_threshold))


@register(
    "kajitsuka2024:lem-4",
    "the Boltzmann operator falls in entries that are far below the largest",
    source="Lemma 4, eq. (83)-(84)",
    chapter=CHAPTER,
    perturb=_perturb_lemma_4,
)
def verify_lemma_4(*, n: int = 3) -> Certificate:
    """The derivative as a difference quotient; its sign at the printed threshold and on both sides of the least."""
    _require_length("lem-4", n)
    return _certify_lemma_4(n, _slope, monotone_threshold(n), monotone_threshold(n, exact=True))


@register(
    "kajitsuka2024:lem-5",
    "the Boltzmann operator is concave in entries that are farther below the largest",
    source="Lemma 5, eq. (94)-(97)",
    chapter=CHAPTER,
    perturb=_perturb_lemma_5,
)
def verify_lemma_5(*, n: int = 3) -> Certificate:
    """The second derivative as a difference quotient; its sign at the printed threshold and around the least."""
    _require_length("lem-5", n)
    return _certify_lemma_5(n, _bend, concavity_threshold(n), concavity_threshold(n, exact=True))
