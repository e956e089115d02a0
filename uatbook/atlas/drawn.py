"""Drawings of the atlas, as SVG: the pair that fools a mixer, or how near a search came; bars of the chart.

Colours stand in the drawings, so that notebooks have them, too; the style sheet sets type.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from uatlib.cheng2025.mixer_search import FOOLED, TOLD
from uatlib.internal.formula_html import MINUS

from ..figures.style import BOUND, COLOURS, MEASURED

SHAPES = (
    "m-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0z",
    "m-6-6h12v12h-12z",
    "m0-8l8 14h-16z",
    "m0-8l8 8-8 8-8-8z",
    "m0 8l8-14h-16z",
    "m-2.5-7.5h5v5h5v5h-5v5h-5v-5h-5v-5h5z",
)
"""Tokens, as the markers of figures: disc, square, triangle, diamond, triangle upside down, cross."""
STEP, LINE, LABEL = 54, 15, 22
"""Units of a drawing: a token, a line of numbers, the name of a sequence."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
MOST = 16
"""Powers of ten that a gauge has room for: a float64 has no more digits."""
Token = tuple[float, ...]


def tokens(X: np.ndarray) -> list[Token]:
    """Columns, as they can be compared: pairs of proofs have rounding in their last digits."""
    return [tuple(column) for column in (np.round(np.asarray(X, dtype=float), 9) + 0.0).T.tolist()]


def opposite(token: Token) -> Token:
    """The token turned about 0."""
    return tuple(-entry + 0.0 for entry in token)


def change(X: np.ndarray, Y: np.ndarray) -> str:
    """What makes Y of X, in words."""
    left, new = tokens(X), []
    for token in tokens(Y):
        left.remove(token) if token in left else new.append(token)
    if not new:
        return "the same tokens in another order"
    if len(new) == 1:
        return f"one token {'turned to its opposite' if new[0] == opposite(left[0]) else 'changed'}"
    a, b = np.array(left), np.array(new)
    powers = {"sum": 1, "sum of squares": 2}
    kept = [f", their {name} kept" for name, k in powers.items() if np.allclose((a**k).sum(0), (b**k).sum(0))]
    return f"{NUMBERS[len(new)]} tokens changed" + "".join(kept[:1])


def strips(X: np.ndarray, Y: np.ndarray, alike: tuple[int, int]) -> str:
    """Two sequences of shape (d, n), one below the other, token `alike[0]` of X and `alike[1]` of Y ringed.

    Equal tokens have one look; an opposite has that of the other, hollow.
    """
    looks: dict[Token, tuple[int, bool]] = {}
    for token in [*tokens(X), *tokens(Y)]:
        if token not in looks:
            turned = looks.get(opposite(token))
            kinds = {kind for kind, _ in looks.values()}
            looks[token] = (turned[0], not turned[1]) if turned else (len(kinds), False)
    d, n = np.shape(X)
    digits = _digits([*looks])
    height = 34 + LINE * d
    at = [(LABEL + STEP * (k + 0.5), 18 + (height + 12) * row) for row, k in enumerate(alike)]
    (x, above), (y, below) = at
    parts = [f'<path d="M{x:g} {above + 16 + LINE * d:g}L{y:g} {below - 13:g}" stroke="currentColor"/>']
    ring = 'r="12" fill="none" stroke="currentColor" stroke-width="1.5"'
    parts += [f'<circle cx="{u:g}" cy="{v:g}" {ring}/>' for u, v in at]
    for row, (name, Z) in enumerate((("X", X), ("Y", Y))):
        middle = 18 + (height + 12) * row
        parts.append(f'<text y="{middle + 5}" font-style="italic">{name}</text>')
        for k, token in enumerate(tokens(Z)):
            (kind, hollow), u = looks[token], LABEL + STEP * (k + 0.5)
            colour = COLOURS[(kind + kind // len(SHAPES)) % len(COLOURS)]
            ink = f'fill="{"none" if hollow else colour}" stroke="{colour}" stroke-width="2"'
            parts.append(f'<path d="M{u:g} {middle}{SHAPES[kind % len(SHAPES)]}" {ink}/>')
            for line, entry in enumerate(token, start=1):
                number = _number(entry, digits)
                parts.append(f'<text x="{u:g}" y="{middle + 13 + LINE * line}" text-anchor="middle">{number}</text>')
    said = "; ".join(
        f"{name}: {', '.join(' '.join(_number(entry, digits) for entry in token) for token in tokens(Z))}"
        for name, Z in (("X", X), ("Y", Y))
    )
    said += f". Alike: token {alike[0] + 1} of X and token {alike[1] + 1} of Y."
    return _svg(LABEL + STEP * n, 2 * height + 12, said, parts)


def _digits(looks: Sequence[Token]) -> int:
    """So many that different tokens are written differently."""
    return next(k for k in range(1, 10) if len({tuple(np.round(token, k)) for token in looks}) == len(looks))


def _number(entry: float, digits: int) -> str:
    return f"{round(entry, digits) + 0.0:.{digits}f}".rstrip("0").rstrip(".").replace("-", MINUS)


def gauge(gap: float) -> str:
    """A gap in units of rounding on a line of powers of ten, whose ends mean fooled and told apart."""
    left, right, y = 8.0, 332.0, 22

    def place(value: float) -> float:
        return round(left + (right - left) * min(max(math.log10(max(value, 1)), 0), MOST) / MOST, 1)

    low, high, x = place(FOOLED), place(TOLD), place(gap)
    parts = [
        f'<path d="M{left:g} {y}H{low:g}" stroke="{BOUND}" stroke-width="3"/>',
        f'<path d="M{high:g} {y}H{right:g}" stroke="{MEASURED}" stroke-width="7"/>',
        f'<path d="M{x:g} {y - 6}l6-11h-12z" fill="currentColor"/>',
        f'<text x="{left:g}" y="{y + 20}">fooled</text>',
        f'<text x="{right:g}" y="{y + 20}" text-anchor="end">told apart</text>',
    ]
    return _svg(340, 48, f"A line of gaps: {power(gap)} lies where sequences are told apart.", parts)


def power(value: float) -> str:
    """Two digits and a power of ten."""
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits} x 10^{int(exponent)}"


class Share(NamedTuple):
    """Of all sizes: told apart by a proof, by the search alone; fooled by a proof, by the search alone."""

    proved: float = 0
    searched: float = 0
    fooled: float = 0
    seen: float = 0


def bars(depths: Sequence[Share], said: str) -> str:
    """For each depth a bar: told apart is thick, fooled is thin; what is proved is full, what was searched is open."""
    paths = [""] * 4
    for k, share in enumerate(depths):
        x = 25.0 * k
        for kind, part in enumerate(share):
            wide, high, inset = round(22 * part, 1), (8, 2)[kind // 2], 0.6 * (kind % 2)
            if part:
                across = max(wide - 2 * inset, 0.4)
                paths[kind] += f"M{x + inset:g} {6 - high / 2 + inset:g}h{across:g}v{high - 2 * inset:g}h-{across:g}z"
            x = round(x + wide, 1)
    looks = [
        look.format(colour)
        for colour in (MEASURED, BOUND)
        for look in ('fill="{}"', 'fill="none" stroke="{}" stroke-width="1.2"')
    ]
    parts = [f'<path d="{d}" {look}/>' for d, look in zip(paths, looks, strict=True) if d]
    return _svg(25 * len(depths) - 3, 12, said, parts)


def _svg(width: float, height: float, said: str, parts: list[str]) -> str:
    told = f'role="img" aria-label="{said}"' if said else 'aria-hidden="true"'  # words beside it say the same
    return (
        f'<svg width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" fill="currentColor" '
        f"{told}>{''.join(parts)}</svg>"
    )
