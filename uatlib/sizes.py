"""How large a construction may be: refused before anything is allocated."""

from __future__ import annotations

import math

__all__ = ["ConstructionTooLarge"]

MAX_LAYERS = 100_000
MAX_PARAMETERS = 8_000_000
MAX_BYTES = 4 * 2**30
MAX_BITS = 10_000_000
CHUNK = 2**22
"""Numbers that are held at once: 32 MiB in float64."""
BYTES_PER_ARRAY = 300
"""What one small read-only array of Python ints or Fractions takes in CPython, header and references included."""


class ConstructionTooLarge(ValueError):
    """A construction was asked for that would not fit; nothing was allocated."""


def require_size(
    what: str, *, layers: int, arrays_per_layer: int, parameters: int, longest_bits: int = 64, hint: str
) -> None:
    """Refuse a construction that would not fit, before it is built.

    Limits: 100,000 layers, 8 million parameters, 4 GiB, and 10 million bits for the longest weight.

    Raises
    ------
    ConstructionTooLarge
        Naming layers, parameters and bytes, with the `hint` at what to do.
    """
    size = layers * arrays_per_layer * BYTES_PER_ARRAY + parameters * 8 + longest_bits // 8
    if layers > MAX_LAYERS or parameters > MAX_PARAMETERS or size > MAX_BYTES or longest_bits > MAX_BITS:
        raise ConstructionTooLarge(
            f"{what} has {_count(layers)} layers, {_count(parameters)} parameters and needs about {_count(size)} "
            f"bytes, its longest weight {_count(longest_bits)} bits; the limit is {MAX_LAYERS:,} layers, "
            f"{MAX_PARAMETERS:,} parameters, {MAX_BYTES:,} bytes, and {MAX_BITS:,} bits a weight. {hint}"
        )


def in_chunks(count: int, each: int, most: int = CHUNK) -> list[slice]:
    """Slices of `count` things with `each` numbers, so that at most `most` numbers are held at once, or one thing."""
    step = max(1, most // each)
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"more than 10^{int((number.bit_length() - 1) * math.log10(2))}"
