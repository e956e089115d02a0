"""Kajitsuka, Sato (2024): the least spacing of entries that the Boltzmann operator keeps apart. Ours, on Lemma 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ...arithmetic import Ball, Undecided
from ...arithmetic.base import exact, real, shown
from ...certificate import Certificate, Check
from ...registry import register_by_seed as register
from ..boltzmann import boltz
from ..spacing import collision, least_spacing, log_spacing_bound
from .boltzmann import FINE, Vector, _require_length, _text
from .gaps import _rows, enclosed_gap

HAIR = Fraction(1, 10**9)
"""How far above the least spacing all pairs are compared, and how far below it two vectors collide."""
ROUNDING = 1e-12
"""Of logarithms of bounds, which are floats; the bound is attained."""
LIMITS = (Fraction(1, 10**9), 100)
LONGEST = 5


def _first_is_larger(a: Vector, b: Vector) -> bool:
    """What the proposition says of boltz(a) > boltz(b), from the first place where they differ."""
    for i, (u, v) in enumerate(itertools.zip_longest(a, b, fillvalue=-math.inf)):
        if u != v:
            return (u > v) == (i == 0)
    raise AssertionError("equal rows")


def _pair_checks(
    n: int, levels: int, spacing: Fraction, seen: Callable[[Vector], Vector], factor: float
) -> list[Check]:
    """All pairs of rows, of which the operator sees `seen(row)`; the bound is taken `factor` times as large."""
    rows = _rows("least-spacing", n, levels, shorter=True, step=spacing)
    values = {row: boltz(seen(row), system=FINE) for row in rows}
    wrong, witness, cases = 0, None, 0
    is_bounded = spacing > least_spacing(n).upper
    closest: tuple[float, Any] | None = None
    for a, b in itertools.combinations(rows, 2):
        cases += 1
        pair = (f"a = {_text(a)}", f"b = {_text(b)}")
        one, other = (a, b) if _first_is_larger(a, b) else (b, a)
        try:
            is_decided = seen(one) != seen(other) and bool(values[one] > values[other])
        except Undecided:
            raise ValueError(
                f"kajitsuka2024:least-spacing: {FINE.bits} bits do not tell {pair[0]} and {pair[1]} apart; choose a "
                "smaller spacing or fewer levels."
            ) from None
        if not is_decided:
            wrong += 1
            witness = witness or pair
        if is_bounded:
            bound = log_spacing_bound(a, b, spacing, n) + math.log(factor)
            over = float(enclosed_gap(seen(a), seen(b))) - bound
            if closest is None or over < closest[0]:
                closest = (over, pair)
    checks = [Check("pairs whose first difference does not decide", wrong, "==", 0, witness, "enclosed", cases)]
    if closest:
        name = "log |difference| - log of its bound, least; 0 where the bound is attained"
        checks.append(Check(name, closest[0], ">=", -ROUNDING, closest[1], "enclosed", cases))
    return checks


def _signed(a: tuple[int, ...], b: tuple[int, ...], spacing: Fraction) -> Ball:
    """boltz(-s b) - boltz(-s a), enclosed: where a has the larger second entry it is positive from s_n on."""
    one, other = (boltz([-spacing * i for i in row], system=FINE) for row in (a, b))
    middle, reach = other.midpoint - one.midpoint, one.radius + other.radius
    return Ball(middle, reach)


def _collision_checks(longest: int, shift: Fraction) -> list[Check]:
    """Of each length two vectors whose order changes between s_n - 10^-9 and s_n + 10^-9: there they collide."""
    lengths = range(2, longest + 1)
    pairs = {n: collision(n)[:2] for n in lengths}
    below = [(_signed(*pairs[n], least_spacing(n).lower + shift - HAIR), n) for n in lengths]
    above = [(_signed(*pairs[n], least_spacing(n).upper + shift + HAIR), n) for n in lengths]

    def check(sign: str, value: Ball, n: int, relation: str) -> Check:
        name = (
            f"boltz(b) - boltz(a) at s_n {sign} 10^-9, {'largest' if sign == '-' else 'least'} for n = 2 to {longest}"
        )
        a, b = pairs[n]
        return Check(name, value, relation, 0, (f"a = -s {a}", f"b = -s {b}"), "enclosed", len(lengths))

    return [
        check("-", *max(below, key=lambda pair: pair[0].upper), "<"),
        check("+", *min(above, key=lambda pair: pair[0].lower), ">"),
    ]


def _certify(
    n: int,
    levels: int,
    spacing: Fraction,
    seen: Callable[[Vector], Vector] = tuple,
    *,
    factor: float = 1.0,
    shift: Fraction = Fraction(0),
) -> Certificate:
    if not LIMITS[0] <= spacing <= LIMITS[1]:
        raise ValueError(
            f"kajitsuka2024:least-spacing: expected a spacing > 0 from {LIMITS[0]} to {LIMITS[1]}, got "
            f"{shown(spacing)}."
        )
    checks = [*_pair_checks(n, levels, spacing, seen, factor), *_collision_checks(max(n, LONGEST), shift)]
    return Certificate(checks, parameters={"n": n, "levels": levels, "spacing": float(spacing)})


def _just_above(n: int) -> Fraction:
    _require_length("least-spacing", n)
    return least_spacing(n).upper + HAIR


def _perturb(*, seed: int = 0, n: int = 3, levels: int = 7) -> Certificate:
    """Entries too close, hardmax, an operator that skips the smallest entry, a larger bound, a spacing moved."""
    spacing, rng = _just_above(n), np.random.default_rng(seed)
    damage = seed % 5
    if damage == 0:
        return _certify(n, levels, spacing - Fraction(int(rng.integers(1, 9)), 100))
    if damage == 1:
        return _certify(n, levels, spacing, factor=1 + float(rng.uniform(1e-6, 1)))
    if damage == 2:
        return _certify(n, levels, spacing, shift=int(rng.choice([-1, 1])) * Fraction(int(rng.integers(3, 99)), 10**9))
    return _certify(n, levels, spacing, (lambda row: row[:1]) if damage == 3 else (lambda row: row[:-1] or row))


@register(
    "kajitsuka2024:least-spacing",
    "up to n entries are told apart if they are more than s_n apart, and no smaller number will do",
    source="ours, on Lemmas 1 and 7",
    chapter="kajitsuka-boltzmann",
    perturb=_perturb,
)
def verify_least_spacing(*, n: int = 3, levels: int = 7, spacing: Any = None) -> Certificate:
    """All pairs of vectors of 1 to n multiples of the spacing; for n = 2, ..., 5 a collision next to s_n.

    Without a spacing it is 10^-9 above s_n. A smaller one shows pairs whose first difference does not decide.
    """
    return _certify(n, levels, _just_above(n) if spacing is None else Fraction(exact(real(spacing))))
