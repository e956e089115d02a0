"""How an error shows what it got, and the numbers of any size in texts."""

from __future__ import annotations

import decimal
import reprlib
from fractions import Fraction
from numbers import Rational
from typing import TypeGuard

import numpy as np
import torch

Quotient = int | Rational | np.integer
"""What has a numerator and a denominator."""
NO_NUMBERS = (bool, np.timedelta64)
"""What passes for an integer otherwise."""
MAX_BITS = 100_000
"""Binary digits of the numerator and the denominator of a single argument."""
LONGEST = 120
"""Characters of a value, or of a name that a caller gave, in an error."""


# -------------------------------------------------------------------------------------------------------------- errors


def refused(name: str, expected: str, got: object, hint: str = "") -> ValueError:
    """The error to raise: "<name>: expected <expected>, got <got>; <hint>.", with `got` shown by `shown`."""
    return ValueError(f"{cut(name)}: expected {expected}, got {shown(got)}{hint and '; '}{hint}.")


def shown(value: object) -> str:
    """`value` in an error, always short: rationals in full up to 40 digits, foreign objects by their type alone."""
    return cut(_SHOWN.repr(value))


def cut(text: str) -> str:
    """The text, or its beginning."""
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


class _Shown(reprlib.Repr):
    """repr() that never runs the code of foreign classes, and has no numbers of thousands of digits."""

    def repr1(self, x: object, level: int) -> str:
        if is_array(x):
            kind = "a tensor" if isinstance(x, torch.Tensor) else "an array"
            return f"{kind} of {x.dtype}, shape {tuple(x.shape)}"
        if type(x) is torch.Tensor:
            return "a nested tensor"
        if isinstance(x, (bool, np.bool_)):
            return str(bool(x))
        if type(x) is int or type(x) is Fraction or (isinstance(x, np.integer) and not isinstance(x, NO_NUMBERS)):
            return _rational_text(x)
        if isinstance(x, (float, np.floating)):
            return str(float(x))
        if isinstance(x, (torch.dtype, torch.device)):
            return str(x)
        if x is None or type(x) in (str, bytes, list, tuple, dict, set, frozenset):
            return super().repr1(x, level)
        return f"the class {x.__name__}" if isinstance(x, type) else _kind(x)


_SHOWN = _Shown()
_SHOWN.maxstring = _SHOWN.maxother = 60
_SHOWN.maxlevel = 3


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _rational_text(value: Quotient) -> str:
    numerator, denominator = int(value.numerator), int(value.denominator)
    if max(abs(numerator), denominator) < 10**40:
        return str(numerator) if denominator == 1 else f"{numerator}/{denominator}"
    return scientific(value)


def scientific(value: Quotient) -> str:
    """Four digits of a rational of any size, where a float would overflow and str() stops at 4300 digits."""
    numerator, denominator = int(value.numerator), int(value.denominator)
    if max(numerator.bit_length(), denominator.bit_length()) > MAX_BITS:
        return f"about {'-' if numerator < 0 else ''}2^{numerator.bit_length() - denominator.bit_length()}"
    with decimal.localcontext(prec=20, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN):
        return f"{decimal.Decimal(numerator) / decimal.Decimal(denominator):.4g}"


# --------------------------------------------------------------------------------------------------------------- arrays


def is_plain_tensor(values: object) -> TypeGuard[torch.Tensor]:
    """Whether it is a tensor that has a shape: subclasses may do anything, and nested tensors have none."""
    is_own = type(values) in (torch.Tensor, torch.nn.Parameter)
    return is_own and isinstance(values, torch.Tensor) and not values.is_nested


def is_array(values: object) -> TypeGuard[np.ndarray | torch.Tensor]:
    """Whether it is an array or a plain tensor."""
    return isinstance(values, np.ndarray) or is_plain_tensor(values)
