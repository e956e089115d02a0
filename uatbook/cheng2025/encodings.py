"""Encodings X + E that turn an approximator of G-equivariant functions into one of all, (9): the lift of a function."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from uatlib.arithmetic.numbers import Number
from uatlib.checks import domain as parse_domain
from uatlib.checks import instance, positive, rationals, refused, whole
from uatlib.groups import Permutation, elements
from uatlib.internal.shapes import Numbers
from uatlib.targets import Target


def spread_encodings(n: int, d: int, domain: object = (0, 1), gap: Number = 1) -> np.ndarray:
    """E of shape (d, n) with E_k = k (high - low + gap) e_1: the boxes of tokens k and k + 1 are `gap` apart.

    Raises
    ------
    ValueError
        n, d or domain is none; gap is not positive.

    Source: cheng2025, (9); the distances are ours.
    """
    n, d, (low, high) = whole("n", n, 1, 10**6), whole("d", d, 1, 10**6), parse_domain("domain", domain)
    E = rationals("encodings", np.zeros((d, n)))
    E[0] = [k * (rationals("domain", high - low).item() + positive("gap", gap)) for k in range(n)]
    return E


def room_between(E: np.ndarray, domain: tuple[Any, Any]) -> Any:
    """The least distance, in the largest entry, of the boxes of two positions: domain^d + E_j and domain^d + E_k."""
    apart = [abs(E[:, j] - E[:, k]).max() for k in range(E.shape[1]) for j in range(k)]
    return min(apart, default=E[0, 0] + 1 + domain[1] - domain[0]) - (domain[1] - domain[0])


def lifted(target: object, encodings: Numbers, group: Any = "symmetric") -> Target:
    """An equivariant F~ with F~(X + E) = F(X) for all X of the domain, whatever F is.

        F~(Z) = sum over P of the group of w(Z P) F(clip(Z P - E)) P^-1,

    w(Y) = relu(1 - 2 |Y - E - clip(Y - E)| / gap) in the largest entry, clip to the domain, and gap the room that E
    leaves between the boxes of two positions. If F is bounded by B and L-Lipschitz in the largest entry, F~ is
    (L + 2 B / gap)-Lipschitz.

    Parameters
    ----------
    target : F, a Target on one sequence with values of its shape
    encodings : E, (d, n)
    group : a name as in `Target`, or permutations; at most 50,000 elements

    Raises
    ------
    ValueError
        Encodings of another shape, or with which two positions share tokens; a group that is none, or too large.

    Source: cheng2025, (9), "making the domains of each token position distinct"; the formula is ours.
    """
    f = instance("target", target, Target)
    if f.d_source is not None or (f.d_out, f.n_out) != (f.d, f.n):
        raise refused("target", "a function of one sequence, with values of its shape", f.name)
    E = rationals("encodings", encodings, 2)
    if E.shape != (f.d, f.n):
        raise refused("encodings", f"shape ({f.d}, {f.n})", E.shape)
    gap = room_between(E, f.domain)
    if gap <= 0:
        hint = "take larger steps, as spread_encodings does"
        raise refused("encodings", "positions with disjoint boxes of tokens", f"a distance of {gap}", hint)
    steep = None if f.lipschitz is None or f.bound is None else f.lipschitz + 2 * f.bound / gap
    ends = (f.domain[0] + E.min(), f.domain[1] + E.max())
    lift = partial(sum_of_pieces, f, E, elements(group, f.n), gap / 2)
    return Target(lift, f.n, f.d, ends, group, steep, f.bound, name=f"lifted {f.name}")


def sum_of_pieces(f: Target, E: np.ndarray, members: list[Permutation], reach: Any, Z: Any) -> Any:
    """The formula of `lifted`, on floats or Fractions, with any reach in place of gap / 2."""
    (low, high), exact = f.domain, Z.dtype == object
    if not exact:
        E, reach, low, high = E.astype(float), float(reach), float(low), float(high)
    total = 0 * Z
    for p in members:
        Y = Z[..., list(p)] - E
        inside = np.minimum(np.maximum(Y, low), high)
        share = np.maximum(1 - abs(Y - inside).max(axis=(-2, -1)) / reach, 0)[..., None, None]
        total = total + share * f(inside)[..., np.argsort(p)]
    return total
