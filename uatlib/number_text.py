"""Numbers, and lists of them, as short plain text."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from .arithmetic import Ball
from .arithmetic.numbers import scientific


def short_text(value: Any) -> str:
    """A short text: whole numbers in full up to 12 digits, rationals as p/q where short, the rest to 4 digits."""
    if isinstance(value, (bool, str)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**12 else scientific(value)
    if isinstance(value, Fraction):
        return _fraction_text(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Ball):
        is_wide = value.radius * 1000 > abs(value.midpoint)
        return f"[{float(value.lower):.4g}, {float(value.upper):.4g}]" if is_wide else repr(value)
    if hasattr(value, "tolist"):
        return short_text(value.tolist())
    if isinstance(value, (list, tuple)):
        inner = ", ".join(short_text(entry) for entry in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, Mapping):
        return ", ".join(f"{short_text(key)}: {short_text(entry)}" for key, entry in value.items())
    try:
        return str(value)
    except ValueError:  # an int within has more than the 4300 digits that str() takes
        return f"a {type(value).__name__} too long to show"


def _fraction_text(value: Fraction) -> str:
    if value.denominator == 1:
        return short_text(value.numerator)
    if max(abs(value.numerator), value.denominator) < 10**12 and len(str(value)) <= 12:
        return str(value)
    return f"{float(value):.4g}" if 10**-300 < abs(value) < 10**300 else scientific(value)
