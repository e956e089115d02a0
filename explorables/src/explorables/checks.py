"""Parsers of arguments: each takes a name and a value, and returns Python's own value or raises `ValueError`.

The error says "<name>: expected ..., got ...; what to do." Numbers of NumPy count as Python's; bool is never a number.
"""

from __future__ import annotations

import itertools
import math
import reprlib
from collections.abc import Iterable, Mapping
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

import numpy as np

__all__ = ["cut", "finite", "flag", "listed", "mapping", "own", "refused", "shown", "text", "whole"]

LONGEST = 120
"""Characters of a value, or of a name that a caller gave, in an error."""
MAX_TEXT, MAX_ITEMS = 10_000, 1_000_000
WRITTEN = 130
"""Binary digits of a number that an error has in full: Python writes no number of thousands."""
FLOAT_RANGE = 1000
"""Numbers from 2^-1000 to 2^1000 in size fit a float, and so do their sums and differences."""
NO_NUMBERS = (bool, np.timedelta64)
"""What passes for an integer otherwise."""


def refused(name: str, expected: str, got: object, hint: str = "") -> ValueError:
    """The error to raise: "<name>: expected <expected>, got <got>; <hint>.", with `got` shown by `shown`."""
    return ValueError(f"{cut(name)}: expected {expected}, got {shown(got)}{hint and '; '}{hint}.")


def cut(text: str) -> str:
    """The text, or its beginning."""
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def shown(value: object) -> str:
    """`value` in an error, always short, foreign objects by their type alone."""
    return cut(_SHOWN.repr(value))


class _Shown(reprlib.Repr):
    """repr() that never runs the code of foreign classes, and has no numbers of thousands of digits."""

    def repr1(self, x: object, level: int) -> str:
        if isinstance(x, np.ndarray):
            return f"an array of {x.dtype}, shape {x.shape}"
        if isinstance(x, (bool, np.bool_)):
            return str(bool(x))
        if type(x) in (int, Fraction) or (isinstance(x, np.integer) and not isinstance(x, np.timedelta64)):
            return _written(own(x))
        if isinstance(x, (float, np.floating)):
            return str(float(x))
        if x is None or type(x) in (str, bytes, list, tuple, dict, set, frozenset):
            return super().repr1(x, level)
        return f"the class {x.__name__}" if isinstance(x, type) else _kind(x)


_SHOWN = _Shown()
_SHOWN.maxstring = _SHOWN.maxother = 60
_SHOWN.maxlevel = 3


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _written(value: int | Fraction) -> str:
    above, below = value.numerator.bit_length(), value.denominator.bit_length()
    return str(value) if max(above, below) <= WRITTEN else f"about {'-' if value < 0 else ''}2^{above - below}"


def own(value: Any) -> int | Fraction:
    """A rational in Python's own ints: those of NumPy wrap around, inside a Fraction too."""
    numerator, denominator = int(value.numerator), int(value.denominator)
    return numerator if isinstance(value, Integral) else Fraction(numerator, denominator)


def whole(name: str, value: object, least: int, hint: str = "") -> int:
    """`value` as Python's int, at least `least`; a float is refused, 2.0 too."""
    if isinstance(value, Integral) and not isinstance(value, NO_NUMBERS) and int(value) >= least:
        return int(value)
    raise refused(name, f"an int >= {least}", value, hint)


def finite(name: str, value: object) -> float:
    """`value` as a float: an int, Fraction or float, 0 or from 2^-1000 to 2^1000 in size."""
    if isinstance(value, (float, np.float32, np.float16)):
        number: Any = Fraction(float(value)) if math.isfinite(value) else None
    else:
        number = own(value) if isinstance(value, Rational) and not isinstance(value, NO_NUMBERS) else None
    if number is None:
        raise refused(name, "a finite int, Fraction or float", value)
    if abs(number.numerator.bit_length() - number.denominator.bit_length()) > FLOAT_RANGE and number:
        expected = f"0 or a size from 2^-{FLOAT_RANGE} to 2^{FLOAT_RANGE}, which floats hold"
        raise refused(name, expected, value, "take another unit")
    return float(number)


def flag(name: str, value: object, hint: str = "") -> bool:
    """A bool, NumPy's included."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise refused(name, "True or False", value, hint)


def text(name: str, value: object, hint: str = "") -> str:
    """A string of at most 10,000 characters."""
    if isinstance(value, str) and len(value) <= MAX_TEXT:
        return str(value)
    raise refused(name, f"a string of at most {MAX_TEXT:,} characters", value, hint)


def mapping(name: str, value: object) -> dict[str, Any]:
    """A mapping whose keys are strings, at most a million of them, as a dict of its own."""
    if isinstance(value, Mapping):
        names = listed(name, value)
        if all(isinstance(key, str) for key in names):
            return {key: value[key] for key in names}
    raise refused(name, "a mapping from names to values", value)


def listed(name: str, values: object, expected: str = "a sequence", most: int = MAX_ITEMS) -> list[Any]:
    """What an iterable (no string) holds, at most a million things; of an array its rows."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name}: expected {expected}, got a masked array; fill its holes with .filled().")
    foreign = hasattr(type(values), "__dlpack__") and not isinstance(values, np.ndarray)
    if foreign or not isinstance(values, Iterable) or isinstance(values, (str, bytes, memoryview)):
        raise refused(name, expected, values, "a tensor has .tolist()" if foreign else "")
    try:
        found = list(itertools.islice(values, most + 1))
    except TypeError:  # an array without axes
        raise refused(name, expected, values) from None
    if len(found) > most:
        raise refused(name, f"at most {most:,} things", values)
    return found
