"""What every `build` asks of its arguments, and the grid for an error."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from .. import checks
from ..certificate import Term
from ..grids import repeated_share
from ..targets import Target

ROUNDING = 1e-12
"""Relative slack of bounds that are computed in floats, so that a bound which is attained is not missed."""


def parse_build(target: Any, error: object, p: object, why: str) -> tuple[float | None, float]:
    """(error, p), parsed; ValueError unless the target has n >= 2 tokens and the unit box, and p < inf (`why`)."""
    if checks.instance("target", target, Target, "wrap a function with targets.Target").n < 2:
        raise ValueError("target: expected one of n >= 2 tokens, got n = 1; a lone token has no context.")
    target.require_unit_box()
    error = error if error is None else checks.finite("error", checks.positive("error", error))
    return error, checks.exponent("p", p, sup=False, hint=why)


class OnGrid:
    """What an order for a network on a grid says of it: a base of the sources' own."""

    target: Target
    inverse_delta: int

    @property
    def n(self) -> int:
        """Tokens."""
        return self.target.n

    @property
    def d(self) -> int:
        """Entries of a token."""
        return self.target.d

    @property
    def name(self) -> str:
        """For errors."""
        return f"build(inverse_delta={checks.shown(self.inverse_delta)}, n={self.n}, d={self.d})"


def claim_sizes(target: Target) -> dict[str, Any]:
    """The sizes of input and output that the claim of a network for the target states."""
    return {"n_in": target.n, "d_in": target.d, "n_out": target.n_out, "d_out": target.d_out}


def require_equivariance(target: Target, hint: str) -> None:
    """ValueError with an input at which the target is not permutation equivariant, if one is found."""
    try:
        dataclasses.replace(target, group="symmetric")
    except ValueError as violated:
        raise ValueError(f"{violated} {hint}") from None


def step_terms(f: Target, p: float, reach: float, names: Sequence[tuple[str, str]], cells: int | None) -> list[Term]:
    """What a step function and cells with a repeated column, N = `cells` an axis, cost in d_p; None: they cost nothing.

    The modulus of f at `reach` in the p-norm; the bound of |f|_p times (share of the volume)^(1/p). `names` are those
    of the two terms, with their sources. As |A|_p <= (d n)^(1/p - 1/q) |A|_q for p < q, and |A|_p <= |A|_q for p >= q.
    """
    factor = (1 + ROUNDING) * (f.d * f.n) ** max(0.0, 1 / p - 1 / f.norm)
    steps = Term("step", *names[0], factor * f.modulus(reach))
    if cells is None:
        return [steps]
    if f.bound is None:
        raise ValueError(f"{f.name}: its bound is not known; state it with Target(bound=...).")
    return [steps, Term("repeated", *names[1], factor * f.bound * float(repeated_share(cells, f.n, f.d)) ** (1 / p))]


def coarsest(total: Callable[[int], float], error: float) -> int:
    """The smallest N >= 2 with total(N) <= error, for a total that falls as N grows."""
    high = 2
    while total(high) > error:
        high *= 2
        if high > 2**60:
            raise ValueError(f"error: expected one that floats can resolve, got {checks.shown(error)}.")
    return bisect_left(range(high + 1), True, lo=2, key=lambda N: total(N) <= error)
