"""EXACT and BALL: NumPy object arrays of python-flint numbers, which never leave this module."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any

import flint
import numpy as np

from .base import Arithmetic, Undecided, entries


class Ball:
    """A real number known to lie in the closed interval ``[lower, upper]``, whose ends are exact Fractions.

    ``Ball(midpoint, radius)`` encloses that interval; `BALL` returns its results as balls and takes them as input.
    A comparison, with a ball or with an exact number, is certain or raises `Undecided`.
    """

    __slots__ = ("_arb",)

    def __init__(self, midpoint: Any, radius: Any = 0) -> None:
        with BALL.context():
            self._arb = flint.arb(_to_arb(midpoint), _to_arb(radius))

    @classmethod
    def _of(cls, arb: flint.arb) -> Ball:
        ball = object.__new__(cls)
        ball._arb = arb
        return ball

    @property
    def midpoint(self) -> Fraction:
        """Centre of the interval."""
        return _dyadic(self._arb.mid())

    @property
    def radius(self) -> Fraction:
        """Half the width of the interval."""
        return _dyadic(self._arb.rad())

    @property
    def lower(self) -> Fraction:
        """Left end of the interval."""
        return self.midpoint - self.radius

    @property
    def upper(self) -> Fraction:
        """Right end of the interval."""
        return self.midpoint + self.radius

    def contains(self, value: Any) -> bool:
        """Whether `value` (int, Fraction, float or Ball) lies in the interval; decided exactly."""
        low, high = _ends(value)
        return self.lower <= low and high <= self.upper

    def __lt__(self, other: Any) -> bool:
        return _ends_less(_ends(self), _ends(other))

    def __gt__(self, other: Any) -> bool:
        return _ends_less(_ends(other), _ends(self))

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __float__(self) -> float:
        return float(self._arb.mid())

    def __repr__(self) -> str:
        return str(self._arb.str(15))


def _dyadic(point: flint.arb) -> Fraction:
    mantissa, exponent = point.man_exp()
    return int(mantissa) * Fraction(2) ** int(exponent)


def _ends(value: Any) -> tuple[Fraction, Fraction]:
    return (value.lower, value.upper) if isinstance(value, Ball) else (Fraction(value), Fraction(value))


def _ends_less(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction]) -> bool:
    if a[1] < b[0]:
        return True
    if a[0] >= b[1]:
        return False
    raise Undecided("Two enclosures overlap, so their order is not decided; use more bits: BALL.with_bits(256).")


def _arb_less(a: flint.arb, b: flint.arb) -> bool:
    # One object is one enclosure of one number, which is not less than itself.
    if a is b or a >= b:
        return False
    if a < b:
        return True
    raise Undecided(
        f"two numbers near {a.str(5, radius=False)} overlap at {flint.ctx.prec} bits (their difference is within "
        f"{(a - b).str(3)}), so their order is not decided; use BALL.with_bits({2 * flint.ctx.prec}), or EXACT "
        "where the numbers are rational."
    )


def _arb_equal(a: flint.arb, b: flint.arb) -> bool:
    if a is b or (a.is_exact() and b.is_exact()):
        return bool(a is b or a == b)
    return not (_arb_less(a, b) or _arb_less(b, a))


def _to_arb(value: Any) -> flint.arb:
    if isinstance(value, Ball):
        return value._arb
    if isinstance(value, Rational) and not isinstance(value, bool):
        return flint.arb(_fmpq(int(value.numerator), int(value.denominator)))
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise ValueError(f"BALL takes finite numbers, got {value}.")
        return flint.arb(float(value))
    raise ValueError(f"BALL takes int, Fraction, float or Ball, got {type(value).__name__} {value!r}.")


def _to_fmpq(value: Any) -> flint.fmpq:
    if isinstance(value, Rational) and not isinstance(value, bool):
        return _fmpq(int(value.numerator), int(value.denominator))
    if not isinstance(value, (float, np.floating)):
        raise ValueError(f"EXACT takes int and Fraction, got {type(value).__name__} {value!r}.")
    if not math.isfinite(value):
        raise ValueError(f"EXACT takes int and Fraction, got {value}; give a finite rational.")
    exact = Fraction(float(value))
    near = exact.limit_denominator(1000)
    hint = f", or Fraction({near.numerator}, {near.denominator}) if you meant that" if near != exact else ""
    raise ValueError(
        f"EXACT takes int and Fraction, got the float {value!s}, which stands for exactly {exact}; "
        f"pass Fraction({value!s}) to mean that number{hint}."
    )


@lru_cache(maxsize=4096)
def _fmpq(numerator: int, denominator: int) -> flint.fmpq:
    return flint.fmpq(numerator, denominator)


class _Objects(Arithmetic):
    """Operations shared by EXACT and BALL: NumPy object arrays whose entries know how to add and multiply."""

    _less: Callable[[Any, Any], bool]
    _equal: Callable[[Any, Any], bool]

    def matmul(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.matmul(a, b)

    def transpose(self, a: np.ndarray) -> np.ndarray:
        return np.swapaxes(a, -1, -2)

    def add(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.add(a, b)

    def piecewise(
        self, t: np.ndarray, breakpoints: np.ndarray, slopes: np.ndarray, intercepts: np.ndarray
    ) -> np.ndarray:
        def value(entry: Any) -> Any:
            piece = sum(not self._less(entry, c) for c in breakpoints)
            return slopes[piece] * entry + intercepts[piece]

        return np.asarray(np.frompyfunc(value, 1, 1)(t))

    def hardmax_mix(self, values: np.ndarray, scores: np.ndarray) -> np.ndarray:
        larger = np.frompyfunc(lambda a, b: b if self._less(a, b) else a, 2, 1)
        top = larger.reduce(scores, axis=-2, keepdims=True)
        chosen = np.frompyfunc(lambda a, b: int(self._equal(a, b)), 2, 1)(scores, top)
        return np.asarray(np.matmul(values, chosen) / chosen.sum(axis=-2, keepdims=True))


class _Exact(_Objects):
    name = "EXACT"
    _less = staticmethod(operator.lt)
    _equal = staticmethod(operator.eq)

    def array(self, values: Any, what: str = "X") -> np.ndarray:
        return entries(values, what, _to_fmpq)

    def output(self, native: np.ndarray) -> np.ndarray:
        return np.asarray(np.frompyfunc(lambda q: Fraction(int(q.p), int(q.q)), 1, 1)(native))

    def relu(self, t: np.ndarray) -> np.ndarray:
        zero = flint.fmpq(0)
        return np.asarray(np.frompyfunc(lambda q: q if q > 0 else zero, 1, 1)(t))

    def softmax_mix(self, values: np.ndarray, scores: np.ndarray) -> np.ndarray:
        raise ValueError(
            "EXACT cannot run softmax: exp of a rational is not rational. Use BALL for certified enclosures, "
            "FLOAT64 for speed, or a model with hardmax attention."
        )


@dataclass(frozen=True, repr=False)
class _Balls(_Objects):
    bits: int = 128
    name: str = field(default="BALL", init=False)
    _less = staticmethod(_arb_less)
    _equal = staticmethod(_arb_equal)

    def __post_init__(self) -> None:
        if not isinstance(self.bits, int) or self.bits < 2:
            raise ValueError(f"BALL.with_bits: expected a whole number of bits >= 2, got {self.bits!r}.")

    def __repr__(self) -> str:
        return f"BALL.with_bits({self.bits})"

    def with_bits(self, bits: int) -> _Balls:
        """The same system with `bits` bits of working precision."""
        return replace(self, bits=bits)

    def context(self) -> AbstractContextManager[Any]:
        return flint.ctx.workprec(self.bits)

    def array(self, values: Any, what: str = "X") -> np.ndarray:
        return entries(values, what, _to_arb)

    def output(self, native: np.ndarray) -> np.ndarray:
        return np.asarray(np.frompyfunc(Ball._of, 1, 1)(native))

    def relu(self, t: np.ndarray) -> np.ndarray:
        # ReLU is continuous, so its range over a ball can be enclosed without deciding the sign.
        return np.asarray(np.frompyfunc(lambda ball: ball.nonnegative_part(), 1, 1)(t))

    def softmax_mix(self, values: np.ndarray, scores: np.ndarray) -> np.ndarray:
        weights = np.frompyfunc(lambda ball: ball.exp(), 1, 1)(scores)
        return np.asarray(np.matmul(values, weights) / weights.sum(axis=-2, keepdims=True))


EXACT = _Exact()
BALL = _Balls()
