"""What every `build` asks of its arguments, and the grid for an error."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from . import checks
from .targets import Target


def require_build(target: Any, p: Any, variant: Any, grid: Any, error: Any, name: str) -> None:
    """ValueError unless target, p and variant are fit and one of grid (its `name`) and error is given."""
    checks.instance("target", target, Target, "wrap a function with targets.Target")
    checks.exponent("p", p, sup=False, hint="d_p is a distance for those p only")
    checks.choice("variant", variant, ("repaired", "printed"))
    checks.either(**{name: grid, "error": error})
    if error is not None:
        checks.finite("error", checks.positive("error", error))
    if target.n < 2:
        raise ValueError("target: expected one of n >= 2 tokens, got n = 1; a lone token has no context.")


def require_equivariance(target: Target, hint: str) -> None:
    """ValueError with an input at which the target is not permutation equivariant, if one is found."""
    try:
        dataclasses.replace(target, group="symmetric")
    except ValueError as violated:
        raise ValueError(f"{violated} {hint}") from None


def coarsest(total: Callable[[int], float], error: float) -> int:
    """The smallest N >= 2 with total(N) <= error, for a total that falls as N grows."""
    high = 2
    while total(high) > error:
        high *= 2
        if high > 2**60:
            raise ValueError(f"error: expected one that floats can resolve, got {checks.shown(error)}.")
    return bisect_left(range(high + 1), True, lo=2, key=lambda N: total(N) <= error)
