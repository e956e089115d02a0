"""Functions with three linear pieces as four ReLUs: equal outside narrow bands at the jumps (yun2020, section F)."""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any, Literal, NamedTuple

import numpy as np

from ..arithmetic.base import exact, own
from ..layers import RELU, FeedForward, ThreePiece

Side = Literal["below", "above"]


class FourRelus(NamedTuple):
    """phi~(t) = constant + sum_k jumps[k] ReLU(signs[k] (t - kinks[k])), k = 0, ..., 3, with kinks in order."""

    signs: tuple[int, ...]
    kinks: tuple[Fraction, ...]
    jumps: tuple[Fraction, ...]
    constant: Fraction

    def __call__(self, t: Any) -> Any:
        """phi~(t) for an int or a Fraction."""
        terms = zip(self.signs, self.kinks, self.jumps, strict=True)
        return self.constant + sum(jump * max(0, sign * (t - kink)) for sign, kink, jump in terms)


def require_width(what: str, width: Any) -> Fraction:
    """`width` as a Fraction; ValueError that begins with `what` unless it is an int or Fraction > 0."""
    if isinstance(width, bool) or not isinstance(width, Rational) or width <= 0:
        raise ValueError(f"{what}: expected the width of a band to be an int or Fraction > 0, got {width!r}.")
    return Fraction(own(width))


def _edges(phi: ThreePiece, width: Any, side: Side | tuple[Side, Side]) -> list[tuple[Fraction, Fraction]]:
    """The ends of the band at each breakpoint."""
    eps = require_width("four_relus", width)
    sides = (side, side) if isinstance(side, str) else tuple(side)
    if len(sides) != 2 or any(one not in ("below", "above") for one in sides):
        raise ValueError(f'four_relus: expected the side "below" or "above", or a pair of them, got {side!r}.')
    starts = [exact(c) - (eps if one == "below" else 0) for c, one in zip(phi.breakpoints, sides, strict=True)]
    if starts[0] + eps > starts[1]:
        room = "eps <= c_2 - c_1" if sides[0] == sides[1] else "2 eps <= c_2 - c_1"
        raise ValueError(
            f"four_relus: expected bands that do not overlap, {room}, got eps = {eps} and breakpoints "
            f"{', '.join(str(c) for c in phi.breakpoints)}; choose narrower bands."
        )
    return [(start, start + eps) for start in starts]


def four_relus(phi: ThreePiece, width: Any, side: Side | tuple[Side, Side] = "below") -> FourRelus:
    """Four ReLUs that equal phi but for a band of width eps at each breakpoint c.

    The band is [c - eps, c) on the side "below", as printed, and [c, c + eps) "above". In a band phi~ is linear between
    the values of the two pieces at its ends, so it equals phi there too where phi is continuous at c.

    The printed formula has its constant piece first. In general the ReLUs of kinks to the right of the constant piece
    look right and those to its left look left, so that all four vanish on it. A kink's slope changes by `jumps` either
    way. Source: yun2020, proof of Lemma 6 in section F; the condition on eps is not stated there.

    Parameters
    ----------
    phi : its numbers may be floats, which stand for their exact values
    width : eps, an int or Fraction > 0
    side : one for both breakpoints, or a pair

    Raises
    ------
    ValueError
        The bands overlap (one side: eps > c_2 - c_1), eps is no positive rational, or another side is asked for.
    """
    edges = _edges(phi, width, side)
    slopes, intercepts = [exact(a) for a in phi.slopes], [exact(b) for b in phi.intercepts]
    constant = slopes.index(0)
    jumps: list[Fraction] = []
    for k, (start, end) in enumerate(edges):
        left, right = slopes[k] * start + intercepts[k], slopes[k + 1] * end + intercepts[k + 1]
        steep = (right - left) / (end - start)
        jumps += [steep - slopes[k], slopes[k + 1] - steep]
    signs = tuple(-1 if k < 2 * constant else 1 for k in range(4))
    return FourRelus(signs, tuple(kink for edge in edges for kink in edge), tuple(jumps), intercepts[constant])


def bands(phi: ThreePiece, width: Any, side: Side | tuple[Side, Side] = "below") -> list[tuple[Fraction, Fraction]]:
    """The bands [start, end) of `four_relus` at the breakpoints where phi jumps; elsewhere phi~ = phi."""
    edges = _edges(phi, width, side)

    def value(piece: int, t: Any) -> Any:
        return exact(phi.slopes[piece]) * t + exact(phi.intercepts[piece])

    c = [exact(t) for t in phi.breakpoints]
    return [edge for k, edge in enumerate(edges) if value(k, c[k]) != value(k + 1, c[k])]


def with_relus(layer: FeedForward, width: Any, side: Side | tuple[Side, Side] = "below") -> FeedForward:
    """`layer` with each hidden unit of a three-piece activation replaced by four with ReLU; see `four_relus`.

    Raises
    ------
    ValueError
        The activation has no three pieces, or as `four_relus`.
    """
    if not isinstance(layer, FeedForward) or not isinstance(layer.activation, ThreePiece):
        raise ValueError(f"with_relus: expected a FeedForward layer with a three-piece activation, got {layer!r}.")
    phi = four_relus(layer.activation, width, side)
    signs, kinks = np.array(phi.signs, dtype=object), np.array(phi.kinks, dtype=object)
    jumps = np.array(phi.jumps, dtype=object)
    r, d = layer.w_1.shape
    b_1 = np.zeros(r, dtype=object) if layer.b_1 is None else layer.b_1
    b_2 = layer.b_2
    if phi.constant != 0:
        b_2 = (layer.w_2 * phi.constant).sum(axis=1) + (0 if b_2 is None else b_2)
    # Unit h becomes the units 4 h, ..., 4 h + 3.
    return FeedForward(
        (layer.w_1[:, None, :] * signs[:, None]).reshape(4 * r, d),
        (signs * (b_1[:, None] - kinks)).ravel(),
        (layer.w_2[:, :, None] * jumps).reshape(d, 4 * r),
        b_2,
        activation=RELU,
    )
