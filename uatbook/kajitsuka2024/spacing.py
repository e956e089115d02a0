"""Kajitsuka, Sato (2024): the least spacing of entries that the Boltzmann operator keeps apart. Ours, on Lemma 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from uatlib.arithmetic import Ball, Undecided
from uatlib.certificate import Certificate, Check
from uatlib.checks import positive
from uatlib.internal.number_text import witness_text
from uatlib.kajitsuka2024.boltzmann_operator import boltz
from uatlib.kajitsuka2024.boltzmann_spacing import collision, least_spacing, log_spacing_bound

from ..damages import put
from ..registry import register
from .common import FINE, Vector, enclosed_gap, length, pairs_of

HAIR = Fraction(1, 10**9)
"""How far above the least spacing all pairs are compared, and how far below it two vectors collide."""
ROUNDING = 1e-12
"""Of logarithms of bounds, which are floats; the bound is attained."""
MAX_SPACING = 100
LONGEST = 5


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
