"""The saw of `coarse_grids_fail` (proofs/liu2025/coarse_grids.v), drawn for P cells on a line with its proof in it."""

from __future__ import annotations

from fractions import Fraction
from html import escape

__all__ = ["ALT", "picture", "saw"]

P, H, L = 4, Fraction(1), Fraction(3, 2)
"""Cells on the line, half the width of one, and how steep the saw is."""
UNIT, LEFT, BASE = 36, 46, 104
"""Pixels a unit, where the line begins, and where 0 lies."""
ALT = (
    f"The line from minus P h to P h, cut into {P} cells of the width 2 h. Above it the saw: 0 at the middle of each "
    f"cell, where a dot lies, and L h high at both ends of each. A thick flat line at 0 is what the head says. In the "
    f"corner, at minus P h, a red line leads from the head's 0 up to the saw: the error, L h."
)


def middle(k: int) -> Fraction:
    """The middle of cell k."""
    return (2 * k + 1 - P) * H


def saw(u: Fraction) -> Fraction:
    """L times the distance to the nearest middle."""
    return L * min(abs(u - middle(k)) for k in range(P))


def _x(u: Fraction) -> float:
    return float(LEFT + (u + P * H) * UNIT)


def _y(value: Fraction) -> float:
    return float(BASE - value * UNIT)


def _step(number: int, x: float, y: float) -> str:
    """The number of the step of the proof that speaks of this."""
    return f'<circle class="step" cx="{x:g}" cy="{y:g}" r="9"/><text x="{x:g}" y="{y + 4:g}">{number}</text>'


def picture() -> str:
    """The saw, the head's answer, and the error in the corner; as the picture shows them, numbered by the steps."""
    bends = [t * H for t in range(-P, P + 1)]  # between these it is straight
    corner, wall = bends[0], bends[-1]
    left, right, top, low = _x(corner), _x(wall), _y(L * H), BASE + 22
    wide = f"{left - 4:g} {right + 4:g}".split()
    parts = [
        *(f'<path class="cell" d="M{_x(end):g} {BASE - 6}v12"/>' for end in bends[::2]),
        f'<path class="head" d="M{wide[0]} {BASE}H{wide[1]}"/>',
        f'<polyline class="saw" points="{" ".join(f"{_x(u):g},{_y(saw(u)):g}" for u in bends)}"/>',
        f'<path class="gap" d="M{left:g} {BASE}V{top:g}"/>',
        *(f'<circle class="centre" cx="{_x(middle(k)):g}" cy="{BASE}" r="4.5"/>' for k in range(P)),
        _step(3, left - 34, (BASE + top) / 2 - 4),
        f'<text x="{left - 15:g}" y="{(BASE + top) / 2:g}">L h</text>',
        f'<text x="{left - 12:g}" y="{BASE + 4}">0</text>',
        _step(1, left - 24, low - 4),
        f'<text x="{left:g}" y="{low}">−P h</text><text x="{right:g}" y="{low}">P h</text>',
        f'<path class="cell" d="M{_x(bends[2]) + 3:g} {low - 4}H{_x(bends[4]) - 3:g}"/>',
        f'<text x="{_x(bends[3]):g}" y="{low + 11}">a cell, 2 h wide</text>',
        _step(2, _x(bends[5]) - 8, low - 4),
        f'<text class="name" x="{_x(bends[5]) + 5:g}" y="{low}">the head: 0</text>',
        f'<text x="{_x(bends[4]):g}" y="{top - 10:g}">the saw</text>',
        f'<text x="{(left + right) / 2:g}" y="{low + 32}">the coordinate that the saw looks at</text>',
    ]
    return (
        f'<div class="uat-thin uat-saw"><svg viewBox="0 0 {right + 24:g} {low + 40}" role="img" '
        f'aria-label="{escape(ALT)}">{"".join(parts)}</svg></div>'
    )
