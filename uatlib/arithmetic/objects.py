"""EXACT and BALL: NumPy object arrays of python-flint numbers, which never leave this module."""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from numbers import Rational, Real
from typing import Any, Generic, TypeVar

import flint
import numpy as np
from numpy import ndarray

from .base import Arithmetic, Undecided
from .numbers import FLOATS, Number, entries, fraction, rational, real, whole
from .shown import NO_NUMBERS, refused, shown


class Ball:
    """A real number known to lie in the closed interval ``[lower, upper]``, whose ends are exact Fractions.

    ``Ball(midpoint, radius)`` encloses that interval; `BALL` returns its results as balls and takes them as input.
    A comparison, == included, with a ball or with an exact number is certain or raises `Undecided`.
    """

    __slots__ = ("_arb",)

    def __init__(self, midpoint: Number | Ball, radius: Number | Ball = 0) -> None:
        with BALL.context():
            middle, reach = _end("midpoint", midpoint), _end("radius", radius)
            if not reach >= 0:
                raise refused("radius", "a number >= 0", radius)
            self._arb = flint.arb(middle, reach)

    @classmethod
    def _of(cls, arb: flint.arb) -> Ball:
        ball = object.__new__(cls)
        ball._arb = arb
        return ball

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (part.man_exp() for part in (self._arb.mid(), self._arb.rad()))
        return _ball, tuple((int(mantissa), int(exponent)) for mantissa, exponent in parts)

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

    def contains(self, value: Number | Ball) -> bool:
        """Whether `value` (int, Fraction, float or Ball) lies in the interval; decided exactly; else ValueError."""
        low, high = ends(value if isinstance(value, (Ball, float)) else rational("value", value))
        return bool(self.lower <= low and high <= self.upper)

    def __lt__(self, other: object) -> bool:
        return _ends_less(self, other) if isinstance(other, (Ball, Real)) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return _ends_less(other, self) if isinstance(other, (Ball, Real)) else NotImplemented

    def __le__(self, other: object) -> bool:
        return not self > other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Ball, Real)):
            return NotImplemented
        (low, high), (other_low, other_high) = ends(self), ends(other)
        if high < other_low or other_high < low:
            return False
        if low == high == other_low == other_high:
            return True
        raise _overlap()

    __hash__ = None  # type: ignore[assignment]  # equality may be undecided

    def __float__(self) -> float:
        return float(self._arb.mid())

    def __repr__(self) -> str:
        return str(self._arb.str(15))


MAX_BITS = 10_000_000
_PRECISION = threading.RLock()


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """`bits` of precision for python-flint, whose setting is one for the whole process: one thread at a time."""
    with _PRECISION, flint.ctx.workprec(bits):
        yield


def _ball(*parts: tuple[int, int]) -> Ball:
    return Ball._of(flint.arb(*parts))


def _dyadic(point: flint.arb) -> Fraction:
    mantissa, exponent = point.man_exp()
    return int(mantissa) * Fraction(2) ** int(exponent)


Interval = tuple[Fraction | float, Fraction | float]


def ends(value: object) -> Interval:
    """The ends of a ball, or a number or truth value twice: Fractions, where infinity and NaN stay floats."""
    if isinstance(value, Ball):
        return value.lower, value.upper
    if isinstance(value, FLOATS) and not math.isfinite(value):
        return float(value), float(value)
    return (fraction(int(value) if isinstance(value, bool) else value),) * 2


def distances(enclosures: object, values: object) -> ndarray:
    """Upper bounds on |a - b|, entry by entry, as Fractions; balls or exact numbers on either side.

    ValueError for something else, or where the shapes do not go together.
    """

    def farthest(a: Interval, b: Interval) -> Fraction:
        (low, high), (other_low, other_high) = a, b
        return Fraction(max(high - other_low, other_high - low))

    sides = [
        entries(side, name, lambda u: ends(u if isinstance(u, Ball) else real(u)))
        for name, side in (("enclosures", enclosures), ("values", values))
    ]
    try:
        return np.asarray(np.frompyfunc(farthest, 2, 1)(*sides), dtype=object)
    except ValueError:
        shapes = " and ".join(str(side.shape) for side in sides)
        raise ValueError(f"values: expected a shape that goes with that of enclosures, got {shapes}.") from None


def _ends_less(a: object, b: object) -> bool:
    (low, high), (other_low, other_high) = ends(a), ends(b)
    if high < other_low:
        return True
    if low >= other_high:
        return False
    raise _overlap()


def _overlap() -> Undecided:
    return Undecided("Two enclosures overlap, so their order is not decided; use more bits: BALL.with_bits(256).")


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


def _end(name: str, value: object) -> flint.arb:
    try:
        return _to_arb(value)
    except ValueError:
        raise refused(name, "a finite int, Fraction, float or Ball", value) from None


def _to_arb(value: object) -> flint.arb:
    if isinstance(value, Ball):
        return value._arb
    if isinstance(value, FLOATS) and math.isfinite(value):
        return flint.arb(float(value))
    if isinstance(value, Rational) and not isinstance(value, NO_NUMBERS):
        return flint.arb(_to_fmpq(value))
    raise ValueError(f"BALL takes finite int, Fraction, float or Ball, got {shown(value)}.")


def _to_fmpq(value: object) -> flint.fmpq:
    if isinstance(value, Rational) and not isinstance(value, NO_NUMBERS):
        return _fmpq(int(value.numerator), int(value.denominator))
    if not isinstance(value, FLOATS) or not math.isfinite(value):
        raise ValueError(f"EXACT takes int and Fraction, got {shown(value)}.")
    stands_for = fraction(value)
    near = stands_for.limit_denominator(1000)
    hint = f", or Fraction({near.numerator}, {near.denominator}) if you meant that" if near != stands_for else ""
    raise ValueError(
        f"EXACT takes int and Fraction, got the float {value!s}, which stands for exactly {stands_for}; "
        f"pass Fraction({value!s}) to mean that number{hint}."
    )


@lru_cache(maxsize=4096)
def _fmpq(numerator: int, denominator: int) -> flint.fmpq:
    return flint.fmpq(numerator, denominator)


E = TypeVar("E", flint.fmpq, flint.arb)


class _Objects(Arithmetic[ndarray], Generic[E]):
    """Operations shared by EXACT and BALL: NumPy object arrays whose entries know how to add and multiply."""

    _make: Callable[[object], E]
    """A number as an entry."""
    _less: Callable[[E, E], bool]
    _equal: Callable[[E, E], bool]
    _larger: np.ufunc
    """The one of two entries that can be the largest, undecided or not."""

    def array(self, values: object, what: str = "X") -> ndarray:
        return entries(values, what, self._make)

    def index(self, values: ndarray) -> ndarray:
        return values

    def join(self, parts: Sequence[ndarray]) -> ndarray:
        return np.concatenate(parts, axis=-1)

    def piecewise(self, t: ndarray, breakpoints: ndarray, slopes: ndarray, intercepts: ndarray) -> ndarray:
        # Lists and a plain loop: most of the time of a network in EXACT is spent here.
        less, cuts = self._less, breakpoints.tolist()
        pieces = list(zip(slopes.tolist(), intercepts.tolist(), strict=True))

        def value(entry: E) -> E:
            k = 0
            for cut in cuts:
                k += not less(entry, cut)
            slope, intercept = pieces[k]
            return slope * entry + intercept

        return np.asarray(np.frompyfunc(value, 1, 1)(t))

    def largest(self, scores: ndarray, visible: ndarray | None = None) -> ndarray:
        larger = self._larger
        if visible is not None:
            # Hidden entries are None: they are compared with nothing.
            scores = _choose(visible, scores, None)
            larger = np.frompyfunc(lambda a, b: a if b is None else b if a is None else self._larger(a, b), 2, 1)
        # Every entry is compared with one that no other exceeds for certain, so losers may overlap each other.
        top = larger.reduce(scores, axis=-2, keepdims=True)
        chosen = np.frompyfunc(lambda a, b: int(a is not None and self._equal(a, b)), 2, 1)(scores, top)
        return np.asarray(chosen)

    def average(self, values: ndarray, weights: ndarray) -> ndarray:
        return np.asarray(np.matmul(values, weights) / weights.sum(axis=-2, keepdims=True))


class _Exact(_Objects[flint.fmpq]):
    name = "EXACT"
    _make = staticmethod(_to_fmpq)
    _less = staticmethod(operator.lt)
    _equal = staticmethod(operator.eq)
    _larger = np.frompyfunc(lambda a, b: b if a < b else a, 2, 1)

    def output(self, native: ndarray) -> ndarray:
        return np.asarray(np.frompyfunc(lambda q: Fraction(int(q.p), int(q.q)), 1, 1)(native))

    def relu(self, t: ndarray) -> ndarray:
        zero = flint.fmpq(0)
        return np.asarray(np.frompyfunc(lambda q: q if q > 0 else zero, 1, 1)(t))


@dataclass(frozen=True, repr=False)
class _Balls(_Objects[flint.arb]):
    bits: int = 128
    name: str = field(default="BALL", init=False)
    _make = staticmethod(_to_arb)
    _less = staticmethod(_arb_less)
    _equal = staticmethod(_arb_equal)
    _larger = np.frompyfunc(lambda a, b: b if a.lower() < b.lower() else a, 2, 1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", whole("bits", self.bits, 2, MAX_BITS))

    def __repr__(self) -> str:
        return f"BALL.with_bits({self.bits})"

    def with_bits(self, bits: int) -> _Balls:
        """The same system with `bits` bits of working precision."""
        return replace(self, bits=bits)

    def context(self) -> AbstractContextManager[None]:
        return working_precision(self.bits)

    def output(self, native: ndarray) -> ndarray:
        if not all(ball.is_finite() for ball in native.flat):
            raise Undecided(
                f"an output has no finite enclosure at {self.bits} bits, since softmax divides by a ball that contains "
                f"0; use BALL.with_bits({2 * self.bits}), or input balls of smaller radius."
            )
        return np.asarray(np.frompyfunc(Ball._of, 1, 1)(native))

    def relu(self, t: ndarray) -> ndarray:
        # ReLU is continuous, so its range over a ball can be enclosed without deciding the sign.
        return np.asarray(np.frompyfunc(lambda ball: ball.nonnegative_part(), 1, 1)(t))

    def exponentials(self, t: ndarray, visible: ndarray | None = None, axis: int = -1) -> tuple[ndarray, ndarray]:
        # Softmax does not feel a shift; this one keeps exp finite and tight.
        middles = np.frompyfunc(lambda ball: ball.mid(), 1, 1)(t)
        if visible is not None:
            middles = _choose(visible, middles, flint.arb("-inf"))
        shift = np.asarray(middles.max(axis=axis, keepdims=True))
        powers = self._transcendental("exp", t - shift)
        return shift, powers if visible is None else _choose(visible, powers, flint.arb(0))

    def log_sum(self, t: ndarray) -> ndarray:
        return self._transcendental("log", t.sum(axis=-1))

    def _transcendental(self, name: str, t: ndarray) -> ndarray:
        value = _exp if name == "exp" else operator.methodcaller(name)
        return np.asarray(np.frompyfunc(value, 1, 1)(t), dtype=object)


def _choose(where: ndarray, entries: ndarray, other: flint.arb | None) -> ndarray:
    return np.asarray(np.frompyfunc(lambda here, entry: entry if here else other, 2, 1)(where, entries))


def _exp(ball: flint.arb) -> flint.arb:
    # Far down, the enclosure of 0 <= exp < 2^-10^6 stands in: exponents of exp itself outgrow any Fraction.
    return flint.arb(0, flint.arb(2) ** -(10**6)) if ball < -(10**6) else ball.exp()


EXACT = _Exact()
BALL = _Balls()
