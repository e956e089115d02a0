"""Functions with three linear pieces as four ReLUs: equal outside narrow bands at the jumps (yun2020, section F)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from ..arithmetic.numbers import Number, fraction
from ..checks import choice, instance, positive, shown
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


def _edges(phi: ThreePiece, width: object, side: object) -> list[tuple[Fraction, Fraction]]:
    """The ends of the band at each breakpoint."""
    eps, breakpoints = positive("width", width), instance("phi", phi, ThreePiece).breakpoints
    sides = side if isinstance(side, tuple) and len(side) == 2 else (side, side)
    below = [choice("side", one, ("below", "above"), "or a pair of them") == "below" for one in sides]
    starts = [fraction(c) - eps * is_below for c, is_below in zip(breakpoints, below, strict=True)]
    if starts[0] + eps > starts[1]:
        room = "eps <= c_2 - c_1" if below[0] == below[1] else "2 eps <= c_2 - c_1"
        raise ValueError(
            f"width: expected bands that do not overlap, {room}, got eps = {shown(eps)} and breakpoints "
            f"{', '.join(map(shown, breakpoints))}; choose narrower bands."
        )
    return [(start, start + eps) for start in starts]


def four_relus(phi: ThreePiece, width: Number, side: Side | tuple[Side, Side] = "below") -> FourRelus:
    """Four ReLUs that equal phi but for a band of width eps at each breakpoint c.

    The band is [c - eps, c) on the side "below", as printed, and [c, c + eps) "above". In a band phi~ is linear between
    the values of the two pieces at its ends, so it equals phi there too where phi is continuous at c.

    The printed formula has its constant piece first. In general the ReLUs of kinks to the right of the constant piece
    look right and those to its left look left, so that all four vanish on it. A kink's slope changes by `jumps` either
    way. Source: yun2020, proof of Lemma 6 in section F; the condition on eps is not stated there.

    Parameters
    ----------
    phi : its numbers may be floats, which stand for their exact values
    width : eps > 0
    side : one for both breakpoints, or a pair

    Raises
    ------
    ValueError
        The bands overlap (one side: eps > c_2 - c_1), eps is no number > 0, or another side is asked for.
    """
    edges = _edges(phi, width, side)
    slopes, intercepts = [fraction(a) for a in phi.slopes], [fraction(b) for b in phi.intercepts]
    constant = slopes.index(Fraction(0))
    jumps: list[Fraction] = []
    for k, (start, end) in enumerate(edges):
        left, right = slopes[k] * start + intercepts[k], slopes[k + 1] * end + intercepts[k + 1]
        steep = (right - left) / (end - start)
        jumps += [steep - slopes[k], slopes[k + 1] - steep]
    signs = tuple(-1 if k < 2 * constant else 1 for k in range(4))
    return FourRelus(signs, tuple(kink for edge in edges for kink in edge), tuple(jumps), intercepts[constant])


def bands(phi: ThreePiece, width: Number, side: Side | tuple[Side, Side] = "below") -> list[tuple[Fraction, Fraction]]:
    """The bands [start, end) of `four_relus` at the breakpoints where phi jumps; elsewhere phi~ = phi."""
    edges = _edges(phi, width, side)

    def value(piece: int, t: Number) -> Any:
        return fraction(phi.slopes[piece]) * fraction(t) + fraction(phi.intercepts[piece])

    return [
        edge for k, (edge, c) in enumerate(zip(edges, phi.breakpoints, strict=True)) if value(k, c) != value(k + 1, c)
    ]


def with_relus(layer: FeedForward, width: Number, side: Side | tuple[Side, Side] = "below") -> FeedForward:
    """`layer` with each hidden unit of a three-piece activation replaced by four with ReLU; see `four_relus`.

    Raises
    ------
    ValueError
        The activation has no three pieces, or as `four_relus`.
    """
    activation = instance("layer", layer, FeedForward).activation
    phi = four_relus(instance("activation", activation, ThreePiece), width, side)
    signs, kinks, jumps = (np.array(part, dtype=object) for part in (phi.signs, phi.kinks, phi.jumps))
    r, d = layer.w_1.shape
    b_1 = np.zeros(r, dtype=object) if layer.b_1 is None else layer.b_1
    b_2 = layer.b_2
    if phi.constant != 0:
        b_2 = (layer.w_2 * phi.constant).sum(axis=1) + (0 if b_2 is None else b_2)
    # Unit h becomes the units 4 h, ..., 4 h + 3.
    w_1, biases = (layer.w_1[:, None, :] * signs[:, None]).reshape(4 * r, d), signs * (b_1[:, None] - kinks)
    w_2 = (layer.w_2[:, :, None] * jumps).reshape(d, 4 * r)
    return FeedForward(w_1, biases.ravel(), w_2, b_2, activation=RELU)
