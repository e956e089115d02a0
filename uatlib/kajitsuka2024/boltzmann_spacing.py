"""How far apart numbers must be for the Boltzmann operator to tell their sets apart: exactly s_n for up to n numbers.

s_n grows from log(1 + sqrt 2) = 0.881 for n = 2 to log(2 + sqrt 3) = 1.317. Lemma 1 of kajitsuka2024 asks for more than
2 log n + 3. The book has the proofs.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from ..arithmetic import BALL, Ball, numbers
from ..arithmetic.numbers import Number
from ..checks import rational, shown
from .boltzmann_operator import length

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
