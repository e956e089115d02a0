"""The border of the number systems: where a number, or an array of them, is checked once and becomes Python's own.

Numbers of Python and of NumPy count the same everywhere: int, Fraction and float, `np.int64` and `np.float32`. Refused
are bool, str, Decimal, `np.longdouble` (no double holds it), NaN and infinity. A parser of one argument takes its name,
which begins the error: "<name>: expected ..., got ...; what to do." `uatlib.checks` has the parsers of other things.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from numbers import Integral, Rational

import numpy as np
import torch

from .shown import MAX_BITS, NO_NUMBERS, Quotient, is_plain_tensor, refused, scientific, shown

Number = int | Fraction | float
"""A number of Python."""
FLOAT_RANGE = 1000
"""Numbers from 2^-1000 to 2^1000 in size fit a float, and so do their sums and differences."""
FLOATS = (float, np.float32, np.float16)
"""The scalars that a double holds exactly (`np.float64` is a float)."""
MAX_NUMBERS = 2**27
"""Numbers in one array: 1 GiB of doubles."""
MAX_OBJECTS = 2**24
"""Numbers in one array of Python's own."""
READABLE = {getattr(torch, f"{kind}{bits}") for kind in ("float", "int", "uint") for bits in (16, 32, 64)}
READABLE |= {torch.bfloat16, torch.int8, torch.uint8}
"""What tensors may hold: smaller floats and quantized numbers lack most of torch's functions."""


# ---------------------------------------------------------------------------------------------------------- one number


def real(value: object) -> Number:
    """`value` as Python's own int, Fraction or float; ValueError unless it is real and finite."""
    if type(value) is int:
        return value
    if isinstance(value, FLOATS):
        if math.isfinite(value):
            return float(value)
        raise ValueError(f"expected finite numbers, got {shown(value)} (NaN or infinity); remove them before the call.")
    if isinstance(value, Rational) and not isinstance(value, NO_NUMBERS):
        return own(value)
    raise ValueError(f"expected int, Fraction or float, got {shown(value)}.")


def own(value: Quotient) -> int | Fraction:
    """A rational in Python's own ints: those of NumPy wrap around, inside a Fraction too."""
    if type(value) is int or (type(value) is Fraction and type(value.numerator) is type(value.denominator) is int):
        return value
    numerator, denominator = int(value.numerator), int(value.denominator)
    return numerator if isinstance(value, Integral) else Fraction(numerator, denominator)


def fraction(value: object) -> Fraction:
    """`real` as a Fraction; a float stands for its exact value."""
    return Fraction(real(value))


def double(value: object) -> float:
    """`real` as a float; ValueError if it is too large for one."""
    number = real(value)
    try:
        return float(number)
    except OverflowError:
        raise ValueError(f"expected a number below 2^1024 in size, got {shown(value)}.") from None


def rounded_up(value: Fraction) -> float:
    """The least float that is at least `value`."""
    near = double(value)
    return near if near >= value else math.nextafter(near, math.inf)


def log2(value: object) -> float:
    """log2 of a rational > 0 of any size, to a relative 10^-9."""
    q = fraction(value)
    shift = q.numerator.bit_length() - q.denominator.bit_length()
    return shift + math.log2(q / Fraction(2) ** shift)


# --------------------------------------------------------------------------------------------------- one named argument


def whole(name: str, value: object, least: int | None = None, most: Number | None = None, hint: str = "") -> int:
    """`value` as Python's int, from `least` to `most`; a float is refused, 2.0 too."""
    if isinstance(value, Integral) and not isinstance(value, NO_NUMBERS) and _is_within(int(value), least, most):
        return int(value)
    raise refused(name, f"an int{_span(least, most)}", value, hint)


def rational(
    name: str, value: object, least: Number | None = None, most: Number | None = None, hint: str = ""
) -> Fraction:
    """`value` as a Fraction, from `least` to `most`; a float stands for its exact value.

    At most 100,000 binary digits above and below.
    """
    try:
        number = fraction(value)
    except ValueError:
        raise refused(name, f"a finite int, Fraction or float{_span(least, most)}", value, hint) from None
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MAX_BITS:
        raise refused(name, f"at most {MAX_BITS:,} binary digits", number, hint)
    if not _is_within(number, least, most):
        raise refused(name, f"a number{_span(least, most)}", value, hint)
    return number


def positive(name: str, value: object, most: Number | None = None, hint: str = "") -> Fraction:
    """`rational`, above 0 and at most `most`."""
    number = rational(name, value, hint=hint)
    if number <= 0 or not _is_within(number, None, most):
        raise refused(name, "a number > 0" + ("" if most is None else f" and <= {shown(most)}"), value, hint)
    return number


def finite(name: str, value: object, least: Number | None = None, most: Number | None = None, hint: str = "") -> float:
    """`rational` as a float: 0, or from 2^-1000 to 2^1000 in size, so that floats hold it."""
    number = rational(name, value, least, most, hint)
    if number and abs(log2(abs(number))) > FLOAT_RANGE:
        expected = f"0 or a size from 2^-{FLOAT_RANGE} to 2^{FLOAT_RANGE}, which floats hold"
        raise refused(name, expected, value, hint or "take another unit")
    return float(number)


def _is_within(number: Number, least: Number | None, most: Number | None) -> bool:
    return (least is None or least <= number) and (most is None or number <= most)


def _span(least: Number | None, most: Number | None) -> str:
    def short(end: Number | None) -> str:
        return "" if end is None else f"{end:,}" if -(10**40) < end < 10**40 else scientific(Fraction(end))

    low, high = short(least), short(most)
    if low and high:
        return f" from {low} to {high}"
    return f" >= {low}" if low else f" <= {high}" if high else ""


def real_tensor(values: torch.Tensor, what: str) -> torch.Tensor:
    """`values` itself; ValueError unless it is a dense tensor of real numbers, not too large."""
    if dense_tensor(values, what).dtype not in READABLE:
        got = f"a tensor of {values.dtype}; convert it with .dequantize() or .to(torch.float64)"
        raise ValueError(f"{what}: expected a tensor of real numbers, got {got}.")
    return values


def dense_tensor(values: torch.Tensor, what: str) -> torch.Tensor:
    """`values` itself; ValueError unless it is a plain tensor that holds each entry, not too large."""
    if not is_plain_tensor(values):
        hint = "take a torch.Tensor itself, with .as_subclass(torch.Tensor), or one of a nested tensor's parts"
        raise refused(what, "a plain tensor", values, hint)
    if values.layout != torch.strided or values.is_meta:
        got = f"a tensor of {values.dtype}, {values.layout}{' without numbers' if values.is_meta else ''}"
        raise ValueError(f"{what}: expected a dense tensor of real numbers, got {got}; convert it with .to_dense().")
    _require_room(what, values)
    return values


def _require_room(what: str, values: np.ndarray | torch.Tensor, most: int = MAX_NUMBERS) -> None:
    if math.prod(values.shape) > most:
        raise refused(what, f"at most {most:,} numbers at once", values, "take them in parts")


def require_plain(values: object, what: str) -> None:
    """ValueError if it is a masked array, whose holes NumPy would fill, or a list that has one, itself, or too much.

    NumPy writes out whatever a list has: one row many times, arrays of one repeated number, ranges.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{what}: expected numbers, got a masked array; fill its holes with .filled().")
    if not isinstance(values, np.ndarray) and _count(values, what, {}) > MAX_OBJECTS:
        raise refused(what, f"at most {MAX_OBJECTS:,} numbers at once", values, "take them in parts")


def _count(values: object, what: str, known: dict[int, int | None], depth: int = 0) -> int:
    """How many numbers NumPy would write out; some number over the limit if there are more.

    `known` are the counts of lists by their ids, so that one that stands many times is read once; None inside of it.
    """
    if isinstance(values, np.ndarray):
        require_plain(values, what)
    if isinstance(values, torch.Tensor):
        dense_tensor(values, what)
    if isinstance(values, (np.ndarray, torch.Tensor, memoryview)):
        return math.prod(values.shape or ())
    if isinstance(values, range):
        return MAX_OBJECTS + 1 if values[MAX_OBJECTS:] else len(values)
    if not isinstance(values, (list, tuple)):
        return _one(values, what)
    if type(values).__iter__ not in (list.__iter__, tuple.__iter__):
        raise _no_numbers(values, what)  # NumPy would follow an iterator of its own, without end
    if {int, float, Fraction}.issuperset(map(type, values)):
        known[id(values)] = len(values)
        return len(values)
    if depth > 9:
        raise _endless(what)
    total = 0
    known[id(values)] = None
    for value in values:
        count = known[id(value)] if id(value) in known else _count(value, what, known, depth + 1)
        if count is None:
            raise _endless(what)
        total += count
        if total > MAX_OBJECTS:
            break
    known[id(values)] = total
    return total


def _one(value: object, what: str) -> int:
    """1; ValueError for mappings and other sequences, which may have any length, or none."""
    if isinstance(value, (str, bytes, np.generic)) or not hasattr(type(value), "__getitem__"):
        return 1
    if hasattr(type(value), "__array__"):
        return 1
    raise _no_numbers(value, what)


def _no_numbers(value: object, what: str) -> ValueError:
    return refused(what, "numbers in lists, tuples, arrays or tensors", value)


def _endless(what: str) -> ValueError:
    return ValueError(f"{what}: expected numbers, got lists that are nested without end.")


def numbers(values: object, what: str) -> np.ndarray:
    """`values` as a NumPy array of numbers, whatever they came in; object arrays are checked by `entries`."""
    if isinstance(values, torch.Tensor):
        dense = real_tensor(values, what).cpu()
        # Doubles hold every float of torch, and NumPy has no bfloat16; some devices have no doubles.
        return (dense.double() if dense.is_floating_point() else dense).numpy(force=True)
    require_plain(values, what)
    # A list goes through dtype=object first: NumPy would turn large ints of mixed sign into floats.
    try:
        source = np.asarray(values) if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    except (ValueError, RuntimeError):
        raise ValueError(
            f"{what}: expected a rectangular array of numbers, got lists of unequal lengths or of tensors; "
            "pad the lists, or stack the tensors."
        ) from None
    except Exception:  # of a foreign class
        raise refused(what, "an array of numbers", values) from None
    # Doubles do not hold every longdouble.
    if source.dtype.kind not in "iufO" or (source.dtype.kind == "f" and source.itemsize > 8):
        raise ValueError(f"{what}: expected real numbers, got an array of {source.dtype}; convert it with astype.")
    _require_room(what, source)
    return source


def finite_numbers(name: str, values: object) -> np.ndarray:
    """`numbers`, none of them NaN or infinite; those of an object array as Python's own int, Fraction and float."""
    array = numbers(values, name)
    if array.dtype.kind == "O":
        return _each(array, name, real)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise not_finite(name)
    return array


def doubles(name: str, values: object) -> np.ndarray:
    """`finite_numbers` in float64, each rounded once; those too large for it are refused."""
    array = numbers(values, name)
    return (_each(array, name, double) if array.dtype.kind == "O" else finite_numbers(name, array)).astype(np.float64)


def not_finite(name: str) -> ValueError:
    """The error for NaN and infinity."""
    return ValueError(f"{name}: expected finite numbers, got NaN or infinity; remove them before the call.")


def floats(values: object, what: str) -> np.ndarray:
    """`values` in float64, where an array of floats may hold infinity and NaN; errors as `numbers`, or too large."""
    array = numbers(values, what)
    return np.asarray((entries(array, what, double) if array.dtype.kind == "O" else array).astype(np.float64))


def rationals(name: str, values: object, ndim: int | None = None) -> np.ndarray:
    """`values` as an object array of Fractions with `ndim` axes, not empty; floats stand for their exact values."""
    array = entries(values, name, fraction)
    if ndim is not None and (array.ndim != ndim or 0 in array.shape):
        axes = "1 axis" if ndim == 1 else f"{ndim} axes"
        raise ValueError(f"{name}: expected a non-empty array with {axes}, got shape {array.shape}.")
    return array


def entries(values: object, what: str, make: Callable[[object], object]) -> np.ndarray:
    """An object array of `make(entry)`; an error names the entry's place."""
    return _each(numbers(values, what), what, make)


def _each(source: np.ndarray, what: str, make: Callable[[object], object]) -> np.ndarray:
    """The same of what `numbers` returned."""
    _require_room(what, source, MAX_OBJECTS)
    result = np.empty(source.size, dtype=object)
    for k, entry in enumerate(source.ravel().tolist()):
        try:
            result[k] = make(entry)
        except ValueError as error:
            place = [int(i) for i in np.unravel_index(k, source.shape)]
            raise type(error)(f"{what}{place or ''}: {error}") from None
    return result.reshape(source.shape)
