"""How precise attention must be, and how fine a grid: the numbers of liu2025, as printed and as they hold.

R is the factor on the scores, P the cells a side, m = d n the dimension of a sequence (2 d n for two), D half the
width of the box [-D, D]^m, L the Lipschitz constant in the sup norm, B_0 > sup |f|.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..arithmetic.numbers import Number
from ..arithmetic.shown import shown
from ..checks import choice, finite, flag, positive, refused, whole
from ..sizes import ConstructionTooLarge

MAX_CELLS = 2**53


class Precision(NamedTuple):
    """P and R."""

    P: int
    R: float


def precision(n_components: int, margin: Number, eps: Number, *, exact: bool = False) -> float:
    """The least R known to put all but eps of the softmax of N scores on the largest, which leads by `margin`.

        ln((N - 1)/eps)/margin,   or, `exact`, what N - 1 equal rivals need: ln((N - 1)(1 - eps)/eps)/margin

    0 where nothing is needed. The source has the margin as a factor in place of a divisor.

    Raises
    ------
    ValueError
        `n_components` is no int >= 1, margin not above 0, eps not between 0 and 1.

    Source: liu2025, Proposition 3.2, the line before (A.3), corrected.
    """
    rivals = whole("n_components", n_components, 1, 2**53) - 1
    gap = finite("margin", positive("margin", margin, hint="take tokens off the borders of cells"))
    share = finite("eps", positive("eps", eps))
    if share >= 1:
        raise refused("eps", "a share below 1", eps, "the softmax itself is at most 1")
    if rivals == 0:
        return 0.0
    odds = (1 - share) / share if flag("exact", exact) else 1 / share
    return max(0.0, (math.log(rivals) + math.log(odds)) / gap)


def parameters_for(
    *,
    eps: Number,
    lipschitz: Number,
    half_width: Number | None = None,
    dim: int | None = None,
    bound: str = "product",
    sup: object = None,
    balls: int | None = None,
) -> Precision:
    """P and R with which the smoother of an L-Lipschitz function is at most eps away from it, in the sup norm.

        "product"  P = ceil(2 L D/eps), R = (1 + ln(2.04 m))/h^2 with h = D/P: ours, each coordinate on its own
        "chain"    P = ceil(3 L D/eps), R = (6 L^2/eps^2) ln(6 B_0 P^m/eps): the source's proof, mended
        "cover"    P = N_x, R = (6 L^2/eps^2) ln(6 B_0 N_x/eps) for centres of N_x balls of radius eps/(3 L);
                   without B_0: (6 L^2/eps^2) max(1, ln N_x). L in the Euclidean norm of the input

    Parameters
    ----------
    eps, lipschitz : eps > 0 and L > 0
    half_width, dim : D and m, for the grids
    sup : B_0 > 0, where the bound needs it
    balls : N_x, for "cover"

    Raises
    ------
    ValueError
        A number is missing, belongs to another bound, or is off.
    ConstructionTooLarge
        More than 2^53 cells a side.

    Source: liu2025, Theorems 4.1 and 5.1, section B.1, after (B.21); section C.1.
    """
    choice("bound", bound, ("product", "chain", "cover"))
    needed = {"product": ("half_width", "dim"), "chain": ("half_width", "dim", "sup"), "cover": ("balls",)}[bound]
    given = {"half_width": half_width, "dim": dim, "sup": sup, "balls": balls}
    for name, value in given.items():
        if name in needed and value is None:
            raise refused(name, f'a number, which bound="{bound}" needs', None)
        if name not in needed and value is not None and (bound, name) != ("cover", "sup"):
            raise refused(name, f'none, as bound="{bound}" does not use it', value)
    error, slope = finite("eps", positive("eps", eps)), finite("lipschitz", positive("lipschitz", lipschitz))
    sharp = 6 * (slope / error) * (slope / error)
    height = None if sup is None else finite("sup", positive("sup", sup))
    if bound == "cover":
        count = whole("balls", balls, 1, MAX_CELLS)
        log = max(1.0, math.log(count)) if height is None else math.log(6 * count) + math.log(height) - math.log(error)
        return _held(count, sharp * max(0.0, log))
    D, m = finite("half_width", positive("half_width", half_width)), whole("dim", dim, 1, MAX_CELLS)
    P = cells_for(slope * D * (2 if bound == "product" else 3), error, "eps")
    if bound == "product":
        return _held(P, (P / D) * (P / D) * (1 + math.log(2.04 * m)))
    assert height is not None
    return _held(P, sharp * max(0.0, math.log(6) + math.log(height) - math.log(error) + m * math.log(P)))


def for_modulus(eps: float, modulus: float, half_width: float, dim: int, sup: float) -> Precision:
    """P and R for f with |f(Y) - f(Z)| <= eps/3 wherever |Y - Z| <= delta = `modulus`, in the sup norm.

        P = ceil(2 D/delta), R = 8/(3 delta^2) ln(6.2 m B_0/eps)

    Source: liu2025, before (B.21), with m in place of G, each coordinate on its own: ours.
    """
    P = cells_for(2 * half_width, modulus, "modulus")
    return _held(P, 8 / 3 / modulus / modulus * max(0.0, math.log(6.2 * dim) + math.log(sup) - math.log(eps)))


def _held(P: int, R: float) -> Precision:
    if not math.isfinite(R):
        raise ConstructionTooLarge("eps: the R that belongs to it is no float; choose a larger one.")
    return Precision(P, R)


def cells_for(width: float, error: float, name: str = "error") -> int:
    """ceil(width/error), at least 1."""
    if not width / error <= MAX_CELLS:
        raise ConstructionTooLarge(f"{name}: a grid of {shown(width / error)} cells a side; choose a larger one.")
    return max(1, math.ceil(width / error))
