"""Cells, strips and bands: where a network of a proof may be wrong, for two tokens of one number each.

They are those of `proofs/`: `ends` and `in_strip` of kajitsuka2024 (proposition_1_d_p.v, proposition_1.v), `in_bands`
and `near_tokens` of yun2020 (upper_integral.v), `in_bands` of softmax_step.v. What is drawn is computed from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from html import escape

__all__ = ["PICTURES", "bands", "diagonal", "grid_ends", "nodes", "picture", "strip_ends", "strips"]

N, WIDTH, TAU = 4, Fraction(1, 16), Fraction(1, 4)
"""Cells a side, the width of bands, that of the strip along the diagonal: a cell, as in the proof of Theorem 2."""
UNIT, LOW, HIGH, LEFT = 240, Fraction(-1, 8), Fraction(5, 4), 8
"""Pixels a unit, what is shown of the line, and the margin."""
Interval = tuple[Fraction, Fraction]


def nodes(a: Fraction, b: Fraction, n: int) -> list[Fraction]:
    """The ends of cells, a + t h for t = 0, ..., n, where n cells of the width h fill [a, b)."""
    return [a + t * (b - a) / n for t in range(n + 1)]


def strips(a: Fraction, b: Fraction, n: int, w: Fraction) -> list[Interval]:
    """Kajitsuka and Sato: where an entry lies less than w beyond a node."""
    return [(node, node + w) for node in nodes(a, b, n)]


def strip_ends(a: Fraction, b: Fraction, n: int, w: Fraction) -> list[Fraction]:
    """Where the n + 2 bands end that cover these strips, and what is less than w before the box."""
    return [*(node + w for node in nodes(a, b, n)), a]


def grid_ends(n: int) -> list[Fraction]:
    """Yun et al.: bands end at the nodes k/n, k = 0, ..., n."""
    return nodes(Fraction(0), Fraction(1), n)


def bands(ends: Iterable[Fraction], w: Fraction) -> list[Interval]:
    """Where an entry lies in [e - w, e), for one of the ends e."""
    return [(end - w, end) for end in ends]


def diagonal(tau: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Where two tokens are nearer than tau, as a polygon in what is shown."""
    return [
        (LOW, LOW), (LOW + tau, LOW), (HIGH, HIGH - tau), (HIGH, HIGH), (HIGH - tau, HIGH), (LOW, LOW + tau),
    ]  # fmt: skip


def _x(t: Fraction) -> float:
    return float(LEFT + (t - LOW) * UNIT)


SIDE = float((HIGH - LOW) * UNIT)


def _text(x: float, y: float, words: str, kind: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{f" class={kind!r}" if kind else ""}>{words}</text>'.replace("'", '"')


def _row(y: float, name: str, found: Iterable[Interval], kind: str, labels: Iterable[str]) -> Iterator[str]:
    """Intervals of the line, each with its label above."""
    yield _text(LEFT, y - 22, name, "name")
    yield f'<path class="axis" d="M{LEFT} {y:g}h{SIDE:g}"/>'
    for (low, high), label in zip(found, labels, strict=True):
        yield f'<rect class="{kind}" x="{_x(low):g}" y="{y - 6:g}" width="{float((high - low) * UNIT):g}" height="12"/>'
        yield _text(_x((low + high) / 2), y - 9, label)


def _square(
    top: float, cells: list[Fraction], found: list[Interval], ends: str, strip: Fraction | None = None
) -> Iterator[str]:
    """The square of two tokens, the second upwards, with the names of the ends of the box."""

    def y(t: Fraction) -> float:
        return float(top + (HIGH - t) * UNIT)

    yield f'<rect class="all" x="{LEFT}" y="{top:g}" width="{SIDE:g}" height="{SIDE:g}"/>'
    if strip is not None:
        yield f'<polygon class="strip" points="{" ".join(f"{_x(s):g},{y(t):g}" for s, t in diagonal(strip))}"/>'
    for low, high in found:
        wide = float((high - low) * UNIT)
        yield f'<rect class="band" x="{_x(low):g}" y="{top:g}" width="{wide:g}" height="{SIDE:g}"/>'
        yield f'<rect class="band" x="{LEFT}" y="{y(high):g}" width="{SIDE:g}" height="{wide:g}"/>'
    a, b = cells[0], cells[-1]
    for node in cells:
        yield f'<path class="cell" d="M{_x(node):g} {y(b):g}V{y(a):g}M{_x(a):g} {y(node):g}H{_x(b):g}"/>'
    for node, label in zip((a, b), ends, strict=True):
        yield _text(_x(node), top + SIDE + 16, label)
        yield _text(LEFT + SIDE + 10, y(node) + 4, label)
    yield _text(LEFT + SIDE / 2, top + SIDE + 16, "token 1")
    yield (f'<text transform="rotate(-90)" x="{-(top + SIDE / 2):g}" y="{LEFT + SIDE + 14:g}">token 2</text>')


def _kajitsuka() -> tuple[str, float, str, str]:
    a, b, top = Fraction(0), Fraction(1), 140
    cells, ends = nodes(a, b, N), strip_ends(a, b, N, WIDTH)
    parts = [
        *_row(40, f"{N + 1} strips, one beyond each node of the grid", strips(a, b, N, WIDTH), "strip",
              map(str, range(N + 1))),
        *_row(96, f"{N + 2} bands: over the strips, and one before a", bands(ends, WIDTH), "band",
              map(str, range(N + 2))),
        *_square(top, cells, bands(ends, WIDTH), "ab"),
    ]  # fmt: skip
    parts += [f'<path class="node" d="M{_x(node):g} {y}v12"/>' for node in cells for y in (34, 90)]
    parts += [_text(_x(a), 122, "a"), _text(_x(b), 122, "b")]
    alt = (
        f"Above, the line from a to b with {N} cells. {N + 1} short strips begin at the nodes and go to the right; "
        f"{N + 2} bands cover them, and one more lies before a. Below, the square of two tokens: each band is a stripe "
        f"across and one upwards, so that {N} by {N} cells are left, and what lies farther outside."
    )
    words = (
        f"Where the network may be wrong, for two tokens of one number, <i>N</i> = {N} cells a side and wide bands. "
        f"Blank: off the bands; in cells it is near <i>f</i>, and outside 0. Red: on bands, where it is bounded."
    )
    return "".join(parts), top, alt, words


def _yun() -> tuple[str, float, str, str]:
    cells, top = grid_ends(N), 20
    parts = _square(top, cells, bands(cells, WIDTH), "01", TAU)
    alt = (
        f"The square of two tokens with {N} by {N} cells. A broad strip lies along the diagonal, over all cells in "
        f"which the tokens are alike. {N + 1} narrow bands lie across and {N + 1} upwards, each just before a "
        "node of the grid."
    )
    words = (
        f"Where the network may be wrong, for two tokens of one number and <i>N</i> = {N} cells a side. Blue: the "
        "strip, where the tokens are nearer than <i>τ</i> to each other; there it is 0, or near <i>f</i>. Red: the "
        "bands, <i>w</i> wide before each node, where it is bounded. Blank: near <i>f</i> in the box, 0 far outside."
    )
    return "".join(parts), top, alt, words


PICTURES: dict[str, Callable[[], tuple[str, float, str, str]]] = {"kajitsuka2024": _kajitsuka, "yun2020": _yun}
"""What is drawn, where its square begins, what it shows, its caption."""


def picture(name: str) -> str:
    """One of `PICTURES`, with its caption."""
    drawn, top, alt, words = PICTURES[name]()
    high = top + SIDE + 22
    return (
        f'<div class="uat-thin"><svg viewBox="0 0 {LEFT + SIDE + 20:g} {high:g}" role="img" aria-label="{escape(alt)}">'
        f"{drawn}</svg><p><em>{words}</em></p></div>"
    )
