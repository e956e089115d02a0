"""Kajitsuka, Sato (2024): the least spacing of entries that the Boltzmann operator keeps apart. Ours, on Lemma 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

from uatlib.arithmetic import Ball, Undecided
from uatlib.arithmetic.numbers import Number
from uatlib.certificate import Certificate, Check
from uatlib.checks import positive, rational, whole
from uatlib.internal.number_text import witness_text
from uatlib.kajitsuka2024 import boltzmann_operator
from uatlib.kajitsuka2024.boltzmann_operator import boltz, vector_of
from uatlib.kajitsuka2024.boltzmann_spacing import least_spacing, spacing_constant

from ..damages import put
from ..registry import register
from .boltzmann import sign_change
from .common import FINE, Vector, enclosed_gap, length, pairs_of

HAIR = Fraction(1, 10**9)
"""How far above the least spacing all pairs are compared, and how far below it two vectors collide."""
ROUNDING = 1e-12
"""Of logarithms of bounds, which are floats; the bound is attained."""
MAX_SPACING = 100
LONGEST = 5
MAX_LENGTH = 100_000
"""Entries of a vector that `collision` makes."""


NEAR = 160
"""Up to here exponents of q = e^{-s} count in `collision`."""


def log_spacing_bound(a: Sequence[Number], b: Sequence[Number], spacing: Number, n: int | None = None) -> float:
    """log( kappa_n(s) e^{-(a_1 - a_{k+1})} ), a lower bound on `log_gap` for vectors with entries s or more apart.

    a and b, of at most n entries (without n: of any number), are taken in decreasing order. No entry occurs twice in
    one of them; different entries, in one of them or in both, are at least s >= s_n apart, see `least_spacing`. They
    agree in the first k entries, and then a_{k+1} > b_{k+1}, or b has no more; else exchange them. Then

        k = 0: boltz(a) - boltz(b) > kappa_n(s),    k > 0: boltz(b) - boltz(a) >= kappa_n(s) e^{-(a_1 - a_{k+1})}

    with kappa_n(s) of `spacing_constant`. For s > s_n their values are different, and their first difference decides
    which is larger. Equality is attained: a = (0, -s) and b = -s (0, 2, 3, ..., n). Without n it is approached.

    Raises
    ------
    ValueError
        a or b is no vector of numbers of at most 2^1000 in size, or has more than n entries; they hold the same
        entries, some are closer than the spacing; the spacing or n is as in `spacing_constant`.

    Source: ours, on kajitsuka2024, Lemmas 1 and 7.
    """
    step = rational("spacing", spacing)
    constant = spacing_constant(step, n)
    one, other = (sorted(vector_of(v, name), reverse=True) for v, name in ((a, "a"), (b, "b")))
    if n is not None and max(len(one), len(other)) > n:
        raise ValueError(f"a: expected at most n = {n} entries, got {len(one)} and {len(other)}.")
    for row in (one, other, sorted({*one, *other}, reverse=True)):
        for u, v in pairwise(row):
            if u - v < step:
                got = f"{float(u):g} and {float(v):g}"
                raise ValueError(f"a: expected entries {float(step):g} or more apart, got {got}.")
    k = next((i for i, (u, v) in enumerate(zip(one, other, strict=False)) if u != v), min(len(one), len(other)))
    if len(one) == len(other) == k:
        raise ValueError("b: expected vectors that differ, got twice the same entries.")
    upper = max((row for row in (one, other) if len(row) > k), key=lambda row: row[k])
    return (math.log(constant) if constant else -math.inf) - float(upper[0] - upper[k])


class Collision(NamedTuple):
    """Two vectors -spacing * a and -spacing * b of the same Boltzmann value; a and b are whole numbers from 0 up."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    spacing: float


def collision(n: int, far: int = 64) -> Collision:
    """Vectors of n different multiples of a spacing s with the same Boltzmann value: n values need not be apart at s.

    a = (0, 1, far, ..., far + n - 3) and b = (0, 2, 3, ..., n). With q = e^{-s} the values agree where the polynomial
    sum_{i in a, j in b} (i - j) q^{i + j} is 0: for small s the many entries of b weigh more, for large s the second
    entry of a does. As `far` grows, s grows to s_n, see `least_spacing`; for n = 2 it is s_n.

    Raises
    ------
    ValueError
        n is no int in [2, 100,000], or far no int > n.

    Source: ours, on kajitsuka2024, Lemma 1.
    """
    n = boltzmann_operator.length(n, most=MAX_LENGTH)
    far = whole("far", far, n + 1)
    a, b = (0, 1, *range(far, far + n - 2)), (0, *range(2, n + 1))
    # For s >= 1/2 the terms of farther entries are below the rounding of the others, 10^-16.
    near_a, near_b = ([i for i in row if i <= NEAR] for row in (a, b))

    def second_entry_wins(s: float) -> float:
        return math.fsum((i - j) * math.exp(-s * (i + j)) for i, j in product(near_a, near_b) if i + j <= NEAR)

    return Collision(a, b, sign_change(second_entry_wins, 0.5, 3.0))


class Spaced(NamedTuple):
    """Multiples of a spacing, of which the operator sees `seen(row)`; a factor of the bound, and a shift of s_n."""

    n: int
    levels: int
    rows: list[Vector]
    spacing: Fraction
    seen: Callable[[Vector], Vector] = tuple
    factor: float = 1.0
    shift: Fraction = Fraction(0)


def _certify(parts: Spaced) -> Certificate:
    checks = [*_pair_checks(parts), *_collision_checks(max(parts.n, LONGEST), parts.shift)]
    return Certificate(checks, parameters={"n": parts.n, "levels": parts.levels, "spacing": float(parts.spacing)})


def _first_is_larger(a: Vector, b: Vector) -> bool:
    """What the proposition says of boltz(a) > boltz(b), from the first place where they differ."""
    pairs = enumerate(itertools.zip_longest(a, b, fillvalue=-math.inf))
    return next((u > v) == (i == 0) for i, (u, v) in pairs if u != v)


def _pair_checks(parts: Spaced) -> list[Check]:
    """Of all pairs, which is larger; and the bound, where the spacing is above the least."""
    values = {row: boltz(parts.seen(row), system=FINE) for row in parts.rows}
    pairs = list(itertools.combinations(parts.rows, 2))
    wrong = [{"a": a, "b": b} for a, b in pairs if not _is_decided(parts, values, a, b)]
    order = Check.none("pairs whose first difference does not decide", wrong, None, "enclosed", len(pairs))
    return [order, _bound_check(parts, pairs)] if parts.spacing > least_spacing(parts.n).upper else [order]


def _is_decided(parts: Spaced, values: dict[Vector, Ball], a: Vector, b: Vector) -> bool:
    one, other = (a, b) if _first_is_larger(a, b) else (b, a)
    try:
        return parts.seen(one) != parts.seen(other) and bool(values[one] > values[other])
    except Undecided:
        pair = witness_text({"a": a, "b": b})
        hint = "choose a smaller spacing or fewer levels."
        raise ValueError(f"spacing: {FINE.bits} bits do not tell {pair} apart; {hint}") from None


def _bound_check(parts: Spaced, pairs: list[tuple[Vector, Vector]]) -> Check:
    def over(a: Vector, b: Vector) -> float:
        bound = log_spacing_bound(a, b, parts.spacing, parts.n) + math.log(parts.factor)
        return float(enclosed_gap(parts.seen(a), parts.seen(b))) - bound

    name = "log |difference| - log of its bound, least; 0 where the bound is attained"
    values = [over(a, b) for a, b in pairs]
    return Check.worst(name, values, ">=", -ROUNDING, lambda k: {"a": pairs[k][0], "b": pairs[k][1]}, "enclosed")


def _difference(a: tuple[int, ...], b: tuple[int, ...], spacing: Fraction) -> Ball:
    """boltz(-s b) - boltz(-s a), enclosed: where a has the larger second entry it is positive from s_n on."""
    one, other = (boltz([-spacing * i for i in row], system=FINE) for row in (a, b))
    return Ball(other.midpoint - one.midpoint, one.radius + other.radius)


def _collision_checks(longest: int, shift: Fraction) -> list[Check]:
    """Of each length two vectors whose order changes between s_n - 10^-9 and s_n + 10^-9: there they collide."""
    pairs = {n: collision(n)[:2] for n in range(2, longest + 1)}
    below = {n: _difference(*pair, least_spacing(n).lower + shift - HAIR) for n, pair in pairs.items()}
    above = {n: _difference(*pair, least_spacing(n).upper + shift + HAIR) for n, pair in pairs.items()}

    def check(sign: str, least: str, values: dict[int, Ball], relation: str) -> Check:
        name, cases = f"boltz(b) - boltz(a) at s_n {sign} 10^-9, {least} for n = 2 to {longest}", [*pairs.values()]
        return Check.worst(name, [*values.values()], relation, 0, lambda k: {"-a/s, -b/s": cases[k]}, "enclosed")

    return [check("-", "largest", below, "<"), check("+", "least", above, ">")]


def _shifted(sign: int) -> Any:
    return lambda parts, rng: parts._replace(shift=sign * Fraction(int(rng.integers(3, 99)), 10**9))


@register(
    "kajitsuka2024:least-spacing",
    "up to n entries are told apart if they are more than s_n apart, and no smaller number will do",
    source="ours, on Lemmas 1 and 7",
    chapter="kajitsuka-boltzmann",
    construction=least_spacing,
    certify=_certify,
    cases=[{"n": 2, "levels": 3}, {"n": 4, "levels": 6}],
    damages={
        "entries too close": lambda parts, rng: multiples(
            n=parts.n, levels=parts.levels, spacing=least_spacing(parts.n).lower - Fraction(1, 100)
        ),
        "a larger bound": lambda parts, rng: parts._replace(factor=1 + float(rng.uniform(1e-6, 1))),
        "a smaller s_n": _shifted(-1),
        "a larger s_n": _shifted(1),
        "hardmax": put(seen=lambda row: row[:1]),
        "the smallest entry left out": put(seen=lambda row: row[:-1] or row),
    },
)
def multiples(*, n: int = 3, levels: int = 7, spacing: object = None) -> Spaced:
    """All pairs of vectors of 1 to n multiples of the spacing; for n = 2, ..., 5 a collision next to s_n.

    Without a spacing it is 10^-9 above s_n. A smaller one shows pairs whose first difference does not decide.
    """
    s = least_spacing(length(n)).upper + HAIR if spacing is None else positive("spacing", spacing, MAX_SPACING)
    pairs = pairs_of(n, levels, shorter=True, step=s)
    return Spaced(pairs.n, pairs.levels, pairs.rows, s)
