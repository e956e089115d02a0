"""Kajitsuka, Sato (2024): the least spacing of entries that the Boltzmann operator keeps apart. Ours, on Lemma 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ..arithmetic import Undecided
from ..arithmetic.base import exact, real, shown
from ..boltzmann import boltz
from ..boltzmann_spacing import LEAST_SPACING, collision, log_spacing_bound
from ..certificate import Certificate, Check
from .kajitsuka2024 import FINE, Vector, _text
from .kajitsuka2024_gaps import _rows, enclosed_gap
from .registry import register

LONG = 12
"""Entries of the vectors whose collision comes close to the least spacing."""

SPACING = Fraction(4, 3)
"""A little more than log(2 + sqrt 3)."""

LIMITS = (Fraction(1, 10**9), 100)


def _first_is_larger(a: Vector, b: Vector) -> bool:
    """What the proposition says of boltz(a) > boltz(b), from the first place where they differ."""
    for i, (u, v) in enumerate(itertools.zip_longest(a, b, fillvalue=-math.inf)):
        if u != v:
            return (u > v) == (i == 0)
    raise AssertionError("equal rows")


def _certify(n: int, levels: int, spacing: Fraction, seen: Callable[[Vector], Vector] = tuple) -> Certificate:
    """All pairs of rows, of which the operator sees `seen(row)`."""
    if not LIMITS[0] <= spacing <= LIMITS[1]:
        raise ValueError(
            f"kajitsuka2024:least-spacing: expected a spacing > 0 from {LIMITS[0]} to {LIMITS[1]}, got "
            f"{shown(spacing)}."
        )
    rows = _rows("least-spacing", n, levels, shorter=True, step=spacing)
    values = {row: boltz(seen(row), system=FINE) for row in rows}
    wrong, witness, cases = 0, None, 0
    closest: tuple[float, Any, float, Any] | None = None
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
        if spacing >= LEAST_SPACING:
            measured, bound = enclosed_gap(seen(a), seen(b)), log_spacing_bound(a, b, spacing)
            if closest is None or float(measured) - bound < closest[0]:
                closest = (float(measured) - bound, measured, bound, pair)
    checks = [Check("pairs whose first difference does not decide", wrong, "==", 0, witness, "enclosed", cases)]
    if closest:
        checks.append(Check("log |difference|, next to its bound", *closest[1:2], ">", *closest[2:], "enclosed", cases))
    meet = collision(LONG).spacing
    name = f"log(2 + sqrt 3), less the spacing at which vectors of {LONG} entries collide"
    checks.append(Check(name, LEAST_SPACING - meet, "<=", 1e-4, None, "sampled"))
    return Certificate(checks, parameters={"n": n, "levels": levels, "spacing": float(spacing)})


def _perturb(*, seed: int = 0, n: int = 3, levels: int = 7) -> Certificate:
    """Entries that are too close, or hardmax, or an operator that leaves out the smallest entry."""
    rng = np.random.default_rng(seed)
    damage = int(rng.integers(3))
    if damage == 0:
        return _certify(n, levels, Fraction(int(rng.integers(3, 9)), 10))
    return _certify(n, levels, SPACING, (lambda row: row[:1]) if damage == 1 else (lambda row: row[:-1] or row))


@register(
    "kajitsuka2024:least-spacing",
    "entries at least log(2 + sqrt 3) apart have different Boltzmann values, however many they are",
    source="ours, on Lemmas 1 and 7",
    chapter="kajitsuka-boltzmann",
    perturb=_perturb,
)
def verify_least_spacing(*, n: int = 3, levels: int = 7, spacing: Any = SPACING) -> Certificate:
    """All pairs of vectors of 1 to n multiples of the spacing, which may be too small; and a collision just below."""
    return _certify(n, levels, Fraction(exact(real(spacing))))
