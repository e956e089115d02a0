"""What live pictures are made of, parsed: numbers from anywhere, or refused in words."""

from __future__ import annotations

import numpy as np

from uatlib.arithmetic.numbers import doubles
from uatlib.checks import cut, finite

__all__ = ["entry", "is_real", "parsed"]


def is_real(value: object) -> bool:
    """Whether it is a number that floats hold."""
    try:
        finite("number", value)
    except ValueError:
        return False
    return True


def parsed(values: object) -> np.ndarray:
    """Numbers of a list or an array, none of them NaN or infinite; of all else an empty array with no axes to fit."""
    try:
        return doubles("values", values)
    except ValueError:
        return np.empty((0,) * 9)


def entry(name: str, key: object) -> str:
    """What an error calls it: short, whatever the key."""
    return cut(f"{name}[{key!r}]")
