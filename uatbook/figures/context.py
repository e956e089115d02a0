"""Pictures of tokens in their contexts: whom a head hears, what each token hears, how far apart a scale keeps that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.transforms import Affine2D

from .style import BOUND, COLOURS, GREY, TELL, at_widths, axis_names, bare, canvas, hollow, marks_key, note

TICK, RING = 11, 14
CONTEXTS = COLOURS[:5]


def temperature(
    contexts: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    scales: np.ndarray,
    difference: np.ndarray,
    mark: float,
    *,
    xlabel: str,
) -> Figure:
    """Two contexts at one scale as rows of tokens, beside their difference against the scale, this one marked.

    Each entry of `contexts` is (tokens, weights), the weights of a row add up to 1. A token is a ring, filled by a disc
    whose area is its weight; a triangle props each row at the weighted mean: what the head hears. `difference` is what
    is heard in the first context minus what is heard in the second.
    """
    figure, (left, right) = canvas(1.9, left=0.5, blocks=2, across=(2, 1), gap=(0.6, 0))
    _rows(left, contexts)
    first, second = (float(np.dot(*map(np.asarray, row))) for row in contexts.values())
    right.axhline(0, color=GREY, linewidth=1.4)
    right.axvline(mark, color=GREY, linestyle=":", linewidth=1.4)
    right.plot(scales, difference, color=TELL, linewidth=1.8)
    right.plot(mark, first - second, "o", color=TELL, markersize=8)
    right.set(xlim=(scales[0], scales[-1]))
    axis_names(right, xlabel, "difference of what is heard")
    return figure


def _rows(ax: Axes, contexts: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> None:
    values = [x for tokens, _ in contexts.values() for x in tokens]
    ax.set(xlim=(min(values) - 0.6, max(values) + 0.6), ylim=(0.55 - len(contexts), 0.55))
    for k, (name, (tokens, weights)) in enumerate(contexts.items()):
        x, p = np.asarray(tokens, dtype=float), np.asarray(weights, dtype=float)
        ax.axhline(-k, color=GREY, linewidth=1, zorder=1)
        ring = hollow(1.4, markerfacecolor="white", markeredgecolor=COLOURS[k])
        ax.plot(x, np.full(len(x), -k), "o", markersize=8, zorder=2, **ring)
        ax.scatter(x, np.full(len(x), -k), s=300 * p, color=COLOURS[k], linewidths=0, zorder=3)
        note(ax, name, (ax.get_xlim()[0], -k), (0, 13), color=COLOURS[k])
        mean = float(x @ p)
        ax.plot(mean, -k - 0.26, "^", color="black", markersize=8)
        side: Any = ((7, -4), "left") if mean < sum(ax.get_xlim()) / 2 else ((-7, -4), "right")
        note(ax, f"{mean:.4g}", (mean, -k - 0.26), side[0], ha=side[1])
    ax.set_xticks(sorted({round(float(x)) for x in values}))
    ax.set_yticks(())
    bare(ax)


def heard_lines(
    rows: Mapping[str, Mapping[str, float]],
    glow: Mapping[str, Iterable[float]],
    *,
    xlabel: str,
    in_order: bool = False,
) -> Figure:
    """The line of ids, one row a token: for each context a tick where it is heard, coloured by context.

    `rows[token][context]` is what the token hears there; the values `glow[token]` get a ring: collisions, and over it
    a name, where `glow[token]` maps values to names. As many contexts as there are colours are named, each at its first
    tick. With `in_order` the values of a row stand in their order, equally far apart: what is crowded can be read.
    """
    if in_order:
        places = {token: {x: k for k, x in enumerate(sorted({*heard.values()}))} for token, heard in rows.items()}
        rows = {token: {name: places[token][x] for name, x in heard.items()} for token, heard in rows.items()}
        glow = {token: [places[token][x] for x in values] for token, values in glow.items()}
    named = {token: names for token, names in glow.items() if isinstance(names, Mapping)}
    figure, ax = canvas(2.9 if named else 2.3, left=0.65, top=0.35)
    rings = _lines(ax, rows, glow, xlabel)
    if in_order:
        ax.set_xticks(())
        _keep_apart(figure, ax, rings)
    for k, token in enumerate(rows):
        for x, name in named.get(token, {}).items():
            note(ax, name, (x, -k), (0, 9), ha="center")
    first = {context: (heard[context], -k) for k, heard in reversed([*enumerate(rows.values())]) for context in heard}
    if named or len(first) <= len(CONTEXTS):
        ax.margins(x=0.12)  # Names keep off the axis, on a phone, too.
    if len(first) <= len(CONTEXTS):
        for name, place in first.items():
            # In two lines, so that neighbours have room on a phone.
            note(ax, fill(name, len(name) // 2 + 1), place, (0, 8), ha="center")
    return figure


def _lines(
    ax: Axes, rows: Mapping[str, Mapping[str, float]], glow: Mapping[str, Iterable[float]], xlabel: str
) -> Line2D:
    """Draw rows of ticks; the rings."""
    names = list(dict.fromkeys(context for heard in rows.values() for context in heard))
    for k, colour in enumerate(CONTEXTS):
        here = set(names[k :: len(CONTEXTS)])
        ticks = [(x, -row) for row, heard in enumerate(rows.values()) for name, x in heard.items() if name in here]
        ax.plot(*np.reshape(ticks, (-1, 2)).T, "|", color=colour, markersize=TICK, markeredgewidth=2)
    rings = [(x, -row) for row, token in enumerate(rows) for x in glow.get(token, ())]
    (drawn,) = ax.plot(*np.reshape(rings, (-1, 2)).T, "o", markersize=RING, **hollow(markeredgecolor="black"))
    ax.set_yticks([-place for place in range(len(rows))], list(rows))
    ax.set(ylim=(0.4 - len(rows), 0.6), xlabel=xlabel)
    ax.margins(x=0.05)
    ax.grid(visible=False, axis="x")
    return drawn


def _keep_apart(figure: Figure, ax: Axes, rings: Line2D) -> None:
    """Make rings around whole numbers so narrow that each holds its own tick alone, on a phone, too."""

    def fit(_: bool) -> None:
        low, high = ax.get_xlim()
        step = 72 * ax.get_position().width * figure.get_size_inches()[0] / (high - low)
        edge = float(np.clip(step / 6, 0.8, 2))
        wide = min(1, 0.94 * (step - edge) / RING)
        rings.set_marker(MarkerStyle("o", transform=Affine2D().scale(wide, 1)))
        rings.set_markeredgewidth(edge)
        for ticks in [line for line in ax.lines if line.get_marker() == "|"]:
            ticks.set_markeredgewidth(edge)

    at_widths(ax, fit)


def margin_and_lines(
    scales: np.ndarray,
    margins: np.ndarray,
    mark: tuple[float, float],
    rows: Mapping[str, Mapping[str, float]],
    glow: Mapping[str, Iterable[float]],
    *,
    floor: float,
    heard: tuple[float, float],
) -> Figure:
    """Above the margin against the scale on a logarithmic axis, one scale marked; below `heard_lines` at that scale.

    Margins below `floor` are drawn on it; `heard` are the least and the most that may be heard.
    """
    figure, (above, below) = canvas((1.3, 1.45), left=0.65, gap=(0, 0.62))
    above.plot(scales, np.maximum(margins, floor), color=TELL, linewidth=1.5)
    above.plot(mark[0], max(mark[1], floor), "o", color=BOUND, markersize=8, zorder=3)
    above.axvline(mark[0], color=BOUND, linestyle=":", linewidth=1.2)
    above.set(yscale="log", ylim=(floor / 2, 1), xlim=(scales[0], scales[-1]))
    axis_names(above, r"sharpness $\beta$", "margin")
    above.minorticks_off()
    _lines(below, rows, glow, "what the token hears")
    room = 0.03 * (heard[1] - heard[0])
    below.set_xlim(heard[0] - room, heard[1] + room)
    return figure


def shadows(points: np.ndarray, vector: Sequence[float], nearest: tuple[int, int] | None) -> Figure:
    """Tokens in the plane, points of shape (2, V), a line through 0 along the unit vector, and their feet on it.

    0 is a cross, a point as well; the two points `nearest`, by number with V for 0, whose feet are relatively
    nearest, are boxed and joined.
    """
    figure, ax = canvas(3.2, squares=True)
    v = np.asarray(vector, dtype=float)
    all_points = np.column_stack([points.astype(float), np.zeros(2)])
    feet = v[:, None] * (v @ all_points)
    norms = np.linalg.norm(all_points, axis=0)
    # The foot of x on any line through 0 lies on the circle with the diameter from 0 to x.
    low, high = ((all_points - norms) / 2).min(axis=1), ((all_points + norms) / 2).max(axis=1)
    middle, half = (low + high) / 2, float((high - low).max()) / 2 + 0.3
    ax.axline((0, 0), (v[0], v[1]), color=GREY, linewidth=1.5)
    falls = np.stack([all_points, feet, np.full_like(feet, np.nan)], axis=-1).reshape(2, -1)
    ax.plot(*falls, ":", color=GREY, linewidth=1)
    (tokens,) = ax.plot(*all_points[:, :-1], "o", color=COLOURS[0], markersize=8)
    (zero,) = ax.plot(0, 0, "x", color=COLOURS[0], markersize=9, markeredgewidth=2)
    (shadow,) = ax.plot(*feet, "D", color=COLOURS[1], markersize=5)
    if nearest is not None:
        pair = all_points[:, list(nearest)]
        ax.plot(*pair, "s-", color=COLOURS[1], markersize=14, linewidth=1.5, **hollow())
    ax.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))
    axis_names(ax, "entry 1", "entry 2")
    marks_key(ax, {"tokens": tokens, "0": zero, "shadows": shadow})
    return figure
