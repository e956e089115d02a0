"""What every number system offers, and the one border where input is checked and becomes an array."""

from __future__ import annotations

import contextlib
import decimal
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any, Self

import numpy as np
import torch

Native = Any
"""An array in a number system's own representation; only the system that made it may read it."""


FUNCTIONS = ("relu", "exp", "log", "sqrt", "sin", "cos", "tanh", "cosh", "atan")


class Undecided(ArithmeticError):
    """Two enclosures overlap, so which number is larger cannot be told at this precision."""


class Overflow(ValueError):
    """A number, or a number that an operation could produce, does not fit the number system."""


class Arithmetic:
    """A number system. Users pass one to a model; subclasses implement the operations of the forward pass."""

    name: str

    def __repr__(self) -> str:
        return self.name

    def context(self) -> AbstractContextManager[Any]:
        """What must be in force while native numbers are computed (the working precision of balls)."""
        return contextlib.nullcontext()

    def beside(self, X: Any) -> Self:
        """This system on the device of X, if X is a tensor and no device was named."""
        return self

    def array(self, values: Any, what: str = "X") -> Native:
        """`values` in this system; `what` names them in the errors (`ValueError`: not numbers, NaN, too large)."""
        raise NotImplementedError

    def weight(self, values: Any, what: str, *, has_unit: bool) -> Native:
        """A model's weight in this system. Biases and breakpoints carry the unit of X, factors do not."""
        return self.array(values, what)

    def index(self, values: np.ndarray) -> Native:
        """Booleans or places in the form by which arrays of this system are indexed: masks, for instance."""
        return values

    def output(self, native: Native) -> Any:
        """What the user gets: Fractions (EXACT), Balls (BALL) or a tensor."""
        raise NotImplementedError

    def matmul(self, a: Native, b: Native) -> Native:
        """Matrix product over the last two axes."""
        raise NotImplementedError

    def transpose(self, a: Native) -> Native:
        """Exchange the last two axes."""
        raise NotImplementedError

    def join(self, parts: Sequence[Native]) -> Native:
        """The arrays side by side, along the last axis."""
        raise NotImplementedError

    def add(self, a: Native, b: Native) -> Native:
        """Sum, with broadcasting."""
        raise NotImplementedError

    def multiply(self, a: Native, b: Native) -> Native:
        """Product entry by entry, with broadcasting."""
        raise NotImplementedError

    def relu(self, t: Native) -> Native:
        """max(t, 0)."""
        raise NotImplementedError

    def piecewise(self, t: Native, breakpoints: Native, slopes: Native, intercepts: Native) -> Native:
        """slopes[k] t + intercepts[k], where k counts the breakpoints c (ascending) with c <= t."""
        raise NotImplementedError

    def largest(self, scores: Native, visible: Native = None) -> Native:
        """1 where an entry is the largest of its column or ties with it, 0 elsewhere; entries not `visible` are out."""
        raise NotImplementedError

    def average(self, values: Native, weights: Native) -> Native:
        """The average of the columns of `values`, weighted by each column of `weights`: values @ weights over its sum.

        Divided after summing, so that ties of hardmax are exact.
        """
        raise NotImplementedError

    def exponentials(self, t: Native, visible: Native = None, axis: int = -1) -> tuple[Native, Native]:
        """(m, e^{t - m}) along `axis`, with m of length 1 there and near the maximum; 0 where not `visible`."""
        raise self._irrational("exp")

    def log_sum(self, t: Native) -> Native:
        """log of the sum over the last axis, for positive sums of entries >= 0."""
        raise self._irrational("log")

    def function(self, name: str, t: Native) -> Native:
        """The function that is named (one of `FUNCTIONS`) of every entry; all but relu in BALL and floats only."""
        if name not in FUNCTIONS:
            raise ValueError(f"expected a function out of {', '.join(FUNCTIONS)}, got {name!r}.")
        return self.relu(t) if name == "relu" else self._transcendental(name, t)

    def _transcendental(self, name: str, t: Native) -> Native:
        raise self._irrational(name)

    def softmax_mix(self, values: Native, scores: Native, visible: Native = None) -> Native:
        """values @ softmax(scores), softmax down the columns, over `visible` entries only if that is given."""
        return self.average(values, self.exponentials(scores, visible, axis=-2)[1])

    def hardmax_mix(self, values: Native, scores: Native, visible: Native = None) -> Native:
        """values @ hardmax(scores), down the columns; k tied entries get weight 1/k. `visible` as in `largest`."""
        return self.average(values, self.largest(scores, visible))

    def _irrational(self, function: str) -> ValueError:
        return ValueError(
            f"{self.name} cannot run {function}{' (so no softmax)' if function == 'exp' else ''}: of a rational it is "
            "not rational. Use BALL for certified enclosures, FLOAT64 for speed, or hardmax attention."
        )


# ------------------------------------------------------------------------------------------------------ the border

FLOAT_RANGE = 1000
"""Numbers from 2^-1000 to 2^1000 in size fit a float, and so do their sums and differences."""
FLOATS = (float, np.float32, np.float16)
"""The scalars that a double holds exactly (`np.float64` is a float)."""


def real(value: Any) -> Any:
    """`value` as Python's own int, Fraction or float; ValueError unless it is real and finite (bool, str, Decimal)."""
    if type(value) in (int, Fraction):
        return own(value)
    if isinstance(value, FLOATS):
        if math.isfinite(value):
            return float(value)
        raise ValueError(f"expected finite numbers, got {value} (NaN or infinity); remove them before the call.")
    if isinstance(value, Rational) and not isinstance(value, bool):
        return own(value)
    raise ValueError(f"expected int, Fraction or float, got {type(value).__name__} {value!r}.")


def own(value: Any) -> int | Fraction:
    """A rational in Python's own ints: those of NumPy wrap around, inside a Fraction too."""
    if type(value) is int or (type(value) is Fraction and type(value.numerator) is type(value.denominator) is int):
        return value
    numerator, denominator = int(value.numerator), int(value.denominator)
    return numerator if isinstance(value, Integral) else Fraction(numerator, denominator)


def exact(value: Any) -> Any:
    """A real number as a Fraction of Python ints; infinity and NaN stay floats."""
    if isinstance(value, Rational):
        number = own(value)
        return number if type(number) is Fraction else Fraction(number)
    return Fraction(*value.as_integer_ratio()) if math.isfinite(value) else float(value)


def double(value: Any, what: str = "") -> float:
    """A real number as a float; ValueError, with the name `what`, if it is none or too large for one."""
    try:
        return float(real(value))
    except OverflowError:
        reason = f"expected a number below 2^1024 in size, got {shown(value)}."
    except ValueError as error:
        reason = str(error)
    raise ValueError(f"{what}: {reason}" if what else reason)


def rounded_up(value: Fraction) -> float:
    """The least float that is at least `value`."""
    near = double(value)
    return near if near >= value else math.nextafter(near, math.inf)


def is_int(value: Any, least: int) -> bool:
    """Whether `value` is an int, no bool, and at least `least`."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def whole(value: Any, name: str, least: int, hint: str = "") -> int:
    """`value` as Python's int; ValueError, with its name, unless it is an int of Python or NumPy, at least `least`."""
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    got = shown(value) if isinstance(value, int) else repr(value)
    raise ValueError(f"{name}: expected an int >= {least}, got {got}{hint and '; '}{hint}.")


def scientific(value: Any) -> str:
    """Four digits of a rational of any size, where a float would overflow and str() stops at 4300 digits."""
    with decimal.localcontext(prec=20, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN):
        return f"{decimal.Decimal(int(value.numerator)) / decimal.Decimal(int(value.denominator)):.4g}"


def sized(value: Any) -> Fraction:
    """A number as a Fraction; ValueError unless it is 0 or from 2^-1000 to 2^1000 in size."""
    number = Fraction(exact(real(value)))
    if number and abs(log2(abs(number))) > FLOAT_RANGE:
        raise ValueError(
            f"expected 0 or a size from 2^-{FLOAT_RANGE} to 2^{FLOAT_RANGE}, which floats hold, got "
            f"{scientific(number)}; take another unit."
        )
    return number


def as_float(value: Any, what: str) -> float:
    """`sized`, rounded; an error begins with `what`."""
    try:
        return float(sized(value))
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def log2(value: Any) -> float:
    """log2 of a rational > 0 of any size, to a relative 10^-9."""
    q = exact(value)
    shift = q.numerator.bit_length() - q.denominator.bit_length()
    return shift + math.log2(q / Fraction(2) ** shift)


def shown(value: Any) -> str:
    """`value` in an error: rationals in full up to 40 digits, else to four."""
    if not isinstance(value, Rational):
        return repr(value)
    return str(value) if max(abs(int(value.numerator)), int(value.denominator)) < 10**40 else scientific(value)


def real_tensor(values: torch.Tensor, what: str) -> torch.Tensor:
    """`values` itself; ValueError if it is sparse, complex or of bools."""
    if values.layout != torch.strided or values.is_complex() or values.dtype == torch.bool:
        raise ValueError(
            f"{what}: expected a dense tensor of real numbers, got a tensor of {values.dtype}, {values.layout}; "
            "convert it with .to_dense() or .to(torch.float64)."
        )
    return values


def _require_unmasked(values: Any, what: str, depth: int = 4) -> None:
    """ValueError if there is a masked array in the list (of lists), whose holes NumPy would fill."""
    for value in values:
        if isinstance(value, np.ma.MaskedArray):
            raise ValueError(f"{what}: expected numbers, got a masked array; fill its holes with .filled().")
        if depth and isinstance(value, (list, tuple)):
            _require_unmasked(value, what, depth - 1)


def numbers(values: Any, what: str) -> np.ndarray:
    """`values` as a NumPy array of numbers, whatever they came in; object arrays are checked by `entries`."""
    if isinstance(values, torch.Tensor):
        dense = real_tensor(values, what)
        # Doubles hold every float of torch, and NumPy has no bfloat16.
        return (dense.double() if dense.is_floating_point() else dense).numpy(force=True)
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{what}: expected numbers, got a masked array; fill its holes with .filled().")
    if isinstance(values, (list, tuple)):
        _require_unmasked(values, what)
    # A list goes through dtype=object first: NumPy would turn large ints of mixed sign into floats.
    try:
        source = np.asarray(values) if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    except (ValueError, RuntimeError):
        raise ValueError(
            f"{what}: expected a rectangular array of numbers, got lists of unequal lengths or of tensors; "
            "pad the lists, or stack the tensors."
        ) from None
    # Doubles do not hold every longdouble.
    if source.dtype.kind not in "iufO" or (source.dtype.kind == "f" and source.itemsize > 8):
        raise ValueError(f"{what}: expected real numbers, got an array of {source.dtype}; convert it with astype.")
    return source


def floats(values: Any, what: str) -> np.ndarray:
    """`values` in float64, where an array of floats may hold infinity and NaN; errors as `numbers`, or too large."""
    array = numbers(values, what)
    return np.asarray((entries(array, what, double) if array.dtype.kind == "O" else array).astype(np.float64))


def entries(values: Any, what: str, make: Callable[[Any], Any]) -> np.ndarray:
    """An object array of `make(entry)`; an error names the entry's place."""
    source = numbers(values, what)
    result = np.empty(source.size, dtype=object)
    for k, entry in enumerate(source.ravel().tolist()):
        try:
            result[k] = make(entry)
        except ValueError as error:
            place = [int(i) for i in np.unravel_index(k, source.shape)]
            raise type(error)(f"{what}{place or ''}: {error}") from None
    return result.reshape(source.shape)
