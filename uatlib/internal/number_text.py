"""Numbers, and lists of them, as short plain text."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..arithmetic import Ball
from ..arithmetic.shown import scientific

WITNESS = 20
"""Signs of a number that is written exactly in a witness."""


def witness_text(value: Any) -> str:
    """A case of a check, as data, in a line: dicts as X = [[0, 1/2]], v = (1, 0), token = 3; exact numbers exactly."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {witness_text(entry)}" for name, entry in value.items())
    if getattr(value, "ndim", 0) == 1:
        value = tuple(value.tolist())
    return short_text(value, WITNESS)


def short_text(value: object, longest: int = 12) -> str:
    """A short text: whole numbers in full up to `longest` digits, rationals as p/q where short, the rest to 4 digits.

    With `longest` over 12 other numbers have 6 digits, and whole numbers no commas.
    """
    digits = 4 if longest <= 12 else 6
    if isinstance(value, (bool, str)):
        return str(value)
    if isinstance(value, int):
        return scientific(value) if abs(value) >= 10**longest else f"{value:,}" if longest <= 12 else str(value)
    if isinstance(value, Fraction) and value.denominator == 1:
        return short_text(value.numerator, longest)
    if isinstance(value, Fraction):
        if max(abs(value.numerator), value.denominator) < 10**longest and len(str(value)) <= longest:
            return str(value)
        return f"{float(value):.{digits}g}" if 10**-300 < abs(value) < 10**300 else scientific(value)
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if isinstance(value, Ball):
        is_wide = value.radius * 1000 > abs(value.midpoint)
        return f"[{float(value.lower):.4g}, {float(value.upper):.4g}]" if is_wide else repr(value)
    if hasattr(value, "tolist"):
        return short_text(value.tolist(), longest)
    if isinstance(value, (list, tuple)):
        inner = ", ".join(short_text(entry, longest) for entry in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, Mapping):
        return ", ".join(f"{short_text(key)}: {short_text(entry, longest)}" for key, entry in value.items())
    try:
        return str(value)
    except ValueError:  # an int within has more than the 4300 digits that str() takes
        return f"a {type(value).__name__} too long to show"
