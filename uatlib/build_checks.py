"""What every `build` asks of its arguments, and the grid for an error."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from . import checks
from .targets import Target


def parse_build(target: Any, error: Any, p: Any, why: str) -> tuple[float | None, float]:
    """(error, p), parsed; ValueError unless the target has n >= 2 tokens and the unit box, and p < inf (`why`)."""
    if checks.instance("target", target, Target, "wrap a function with targets.Target").n < 2:
        raise ValueError("target: expected one of n >= 2 tokens, got n = 1; a lone token has no context.")
    if tuple(target.domain) != (0, 1):
        hint = "rescale it, e.g. g(X) = f(low + (high - low) X)"
        raise ValueError(f"target: expected one on [0, 1]^(d x n), got the domain {target.domain}; {hint}.")
    error = error if error is None else checks.finite("error", checks.positive("error", error))
    return error, checks.exponent("p", p, sup=False, hint=why)


def claim_sizes(target: Target) -> dict[str, Any]:
    """The sizes of input and output that the claim of a network for the target states."""
    return {"n_in": target.n, "d_in": target.d, "n_out": target.n_out, "d_out": target.d_out}


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
