"""How far apart numbers must be for the Boltzmann operator to tell their sets apart: exactly s_n for up to n numbers.

s_n grows from log(1 + sqrt 2) = 0.881 for n = 2 to log(2 + sqrt 3) = 1.317. Lemma 1 of kajitsuka2024 asks for more than
2 log n + 3. The book has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

import flint
import numpy as np

from ..arithmetic import BALL, Ball, numbers
from ..arithmetic.numbers import Number
from ..checks import rational, shown, whole
from .boltzmann_gaps import vector_of
from .boltzmann_operator import length, sign_change

MAX_LENGTH = 100_000
"""Entries of a vector that `collision` makes."""
NEAR = 160
"""Up to here exponents of q = e^{-s} count in `collision`."""
LEAST_SPACING = math.nextafter(math.log(2 + math.sqrt(3)), 2)
"""1.3169..., a float just above log(2 + sqrt 3): entries so far apart never collide, in vectors of any lengths."""
BITS = 256
WIDTH = Fraction(1, 2**100)


def _excess(q: Any, n: int | None) -> Any:
    """1 - 4q + q^2 + (n + 1) q^n - (n - 1) q^{n + 2}: positive for 0 < q < e^{-s_n}, negative from there to 1.

    It is (1 - q)^2 times 1 - sum_{j < n} q^j - (1 + q) sum_{j < n} j q^j, sums from j = 1 on. Without n: its limit.
    """
    limit = 1 - 4 * q + q * q
    return limit if n is None else limit + (n + 1) * q**n - (n - 1) * q ** (n + 2)


def least_spacing(n: int | None = None) -> Ball:
    """s_n, enclosed: entries farther apart never collide in vectors of at most n of them. Without n the limit s.

    e^{-s_n} is the root q in (0, 1) of

        1 - sum_{j = 1}^{n - 1} q^j - (1 + q) sum_{j = 1}^{n - 1} j q^j = 0,

    so s_n = 0.88137, 1.21350, 1.28752, ... for n = 2, 3, 4, ..., and the limit is log(2 + sqrt 3) = 1.31696. For every
    smaller spacing there are two different vectors of n entries with the same value, see `collision`.

    Raises
    ------
    ValueError
        n is no int >= 2.

    Source: ours, on kajitsuka2024, Lemmas 1 and 7.
    """
    n = None if n is None else length(n)
    low, high = Fraction(1, 4), Fraction(1, 2)
    with flint.ctx.workprec(BITS):
        while high - low > WIDTH:
            middle = (low + high) / 2
            excess = _excess(_arb(middle), n)
            if not (excess > 0 or excess < 0):
                break
            low, high = (middle, high) if excess > 0 else (low, middle)
        logarithm = -flint.arb(_arb((low + high) / 2), _arb((high - low) / 2)).log()
    enclosed: Any = BALL.output(np.asarray(logarithm, dtype=object))
    return enclosed[()]


def spacing_constant(spacing: Number, n: int | None = None) -> float:
    """kappa_n(s), where q = e^{-s}: the best constant in `log_spacing_bound`.

        s (1 - 4q + q^2 + (n + 1) q^n - (n - 1) q^{n + 2}) / ((1 - q^2)(1 - q + q^2 - q^{n + 1}))

    Without n its limit s (1 - 4q + q^2) / ((1 - q)(1 + q^3)). It is 0 at the least spacing and about s for large s.

    Raises
    ------
    ValueError
        The spacing is no number, below `least_spacing(n)`, or too large for a float; n is no int >= 2.
    """
    n = None if n is None else length(n)
    with flint.ctx.workprec(BITS):
        s = _arb(rational("spacing", spacing, -(2**numbers.FLOAT_RANGE), 2**numbers.FLOAT_RANGE))
        q = (-s).exp()
        excess = _excess(q, n)
        if not s > 0 or excess < 0:
            least = float(least_spacing(n))
            limit = "log(2 + sqrt 3)" if n is None else f"the least spacing for n = {shown(n)},"
            raise ValueError(f"spacing: expected a number of at least {limit} = {least:.6f}, got {shown(spacing)}.")
        return float(max(s * excess / ((1 - q * q) * (1 - q + q * q - (0 if n is None else q ** (n + 1)))), 0))


def _arb(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


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
    n = length(n, most=MAX_LENGTH)
    far = whole("far", far, n + 1)
    a, b = (0, 1, *range(far, far + n - 2)), (0, *range(2, n + 1))
    # For s >= 1/2 the terms of farther entries are below the rounding of the others, 10^-16.
    near_a, near_b = ([i for i in row if i <= NEAR] for row in (a, b))

    def second_entry_wins(s: float) -> float:
        return math.fsum((i - j) * math.exp(-s * (i + j)) for i, j in product(near_a, near_b) if i + j <= NEAR)

    return Collision(a, b, sign_change(second_entry_wins, 0.5, 3.0))
