"""Pictures of tokens in their contexts: whom a head hears, what each token hears, how far apart a scale keeps that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, GREY, MEASURED, bare, canvas, hollow, note

TICK = 13


def temperature(
    contexts: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    scales: np.ndarray,
    difference: np.ndarray,
    mark: float,
    *,
    xlabel: str,
) -> Figure:
    """Two contexts at one scale as rows of tokens; below their difference against the scale, this one marked.

    Each entry of `contexts` is (tokens, weights), the weights of a row add up to 1. A token is a ring, filled by a disc
    whose area is its weight; a triangle props each row at the weighted mean: what the head hears. `difference` is what
    is heard in the first context minus what is heard in the second.
    """
    height = 0.95 * len(contexts) + 2.75
    split: Any = {"rows": 2, "height_ratios": (0.95 * len(contexts), 1.85), "space": (None, 0.24)}
    figure, (above, below) = canvas((5.4, height), (0.19, 0.97, 0.55 / height, 0.99), **split)
    _rows(above, contexts)
    first, second = (float(np.dot(*map(np.asarray, row))) for row in contexts.values())
    below.axhline(0, color=GREY, linewidth=1.4)
    below.axvline(mark, color=GREY, linestyle=":", linewidth=1.4)
    below.plot(scales, difference, color=COLOURS[2], linewidth=1.8)
    below.plot(mark, first - second, "o", color=COLOURS[2], markersize=8)
    below.set(xlabel=xlabel, ylabel="difference", xlim=(scales[0], scales[-1]))
    return figure


def _rows(ax: Axes, contexts: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> None:
    for k, (tokens, weights) in enumerate(contexts.values()):
        x, p = np.asarray(tokens, dtype=float), np.asarray(weights, dtype=float)
        ax.axhline(-k, color=GREY, linewidth=1, zorder=1)
        ring = hollow(1.4, markerfacecolor="white", markeredgecolor=COLOURS[k])
        ax.plot(x, np.full(len(x), -k), "o", markersize=8, zorder=2, **ring)
        ax.scatter(x, np.full(len(x), -k), s=400 * p, color=COLOURS[k], linewidths=0, zorder=3)
        mean = float(x @ p)
        ax.plot(mean, -k - 0.38, "^", color="black", markersize=9)
        note(ax, f"{mean:.4g}", (mean, -k - 0.38), (8, -4), fontsize=10)
    values = [x for tokens, _ in contexts.values() for x in tokens]
    ax.set(xlim=(min(values) - 0.6, max(values) + 0.9), ylim=(0.55 - len(contexts), 0.45))
    ax.set_xticks(sorted({round(float(x)) for x in values}))
    ax.set_yticks([-k for k in range(len(contexts))], list(contexts), fontsize=10)
    bare(ax)


def heard_lines(rows: Mapping[str, Mapping[str, float]], glow: Mapping[str, Iterable[float]], *, xlabel: str) -> Figure:
    """The line of ids, one row a token: for each context a tick where it is heard, coloured by context.

    `rows[token][context]` is what the token hears there; the values `glow[token]` get a ring: collisions. Up to six
    contexts are named in a legend.
    """
    named = len({context for heard in rows.values() for context in heard}) <= len(COLOURS)
    height = 0.36 * len(rows) + (1.3 if named else 0.75)
    figure, ax = canvas((5.6, height), (0.19, 0.97, 0.55 / height, 1 - (0.6 if named else 0.05) / height))
    _lines(ax, rows, glow, xlabel)
    return figure


def _lines(ax: Axes, rows: Mapping[str, Mapping[str, float]], glow: Mapping[str, Iterable[float]], xlabel: str) -> None:
    names = list(dict.fromkeys(context for heard in rows.values() for context in heard))
    for k, name in enumerate(names):
        at = [(heard[name], -place) for place, heard in enumerate(rows.values()) if name in heard]
        x, y = zip(*at, strict=True)
        label = name if len(names) <= len(COLOURS) else None
        ax.plot(x, y, "|", color=COLOURS[k % len(COLOURS)], markersize=TICK, markeredgewidth=2, label=label)
    for place, token in enumerate(rows):
        collided = list(glow.get(token, ()))
        ax.plot(collided, [-place] * len(collided), "o", markersize=15, **hollow(markeredgecolor=COLOURS[1]))
    ax.set_yticks([-place for place in range(len(rows))], list(rows), fontsize=10)
    ax.set(ylim=(0.4 - len(rows), 0.6), xlabel=xlabel)
    ax.margins(x=0.05)
    ax.grid(visible=False, axis="x")
    if len(names) <= len(COLOURS):
        where: Any = {"loc": "lower left", "bbox_to_anchor": (-0.2, 0.98), "ncols": min(3, len(names))}
        ax.legend(fontsize=9, columnspacing=0.9, handletextpad=0.2, **where)


def margin_and_lines(
    scales: np.ndarray,
    margins: np.ndarray,
    mark: tuple[float, float],
    rows: Mapping[str, Mapping[str, float]],
    glow: Mapping[str, Iterable[float]],
    *,
    floor: float,
) -> Figure:
    """Above the margin against the scale on a logarithmic axis, one scale marked; below `heard_lines` at that scale.

    Margins below `floor` are drawn on it.
    """
    height = 0.3 * len(rows) + 3.4
    split: Any = {"rows": 2, "height_ratios": (2.0, 0.3 * len(rows) + 0.1), "space": (None, 0.75 / (height / 3))}
    figure, (above, below) = canvas((5.6, height), (0.15, 0.97, 0.5 / height, 1 - 0.1 / height), **split)
    above.plot(scales, np.maximum(margins, floor), color=MEASURED, linewidth=1.5)
    above.plot(mark[0], max(mark[1], floor), "o", color=BOUND, markersize=8, zorder=3)
    above.axvline(mark[0], color=BOUND, linestyle=":", linewidth=1.2)
    above.set(yscale="log", ylim=(floor / 2, 1), xlim=(scales[0], scales[-1]), ylabel="margin")
    above.set_xlabel(r"scale $\beta$", labelpad=1)
    above.minorticks_off()
    _lines(below, rows, glow, "what the token hears")
    if (legend := below.get_legend()) is not None:
        legend.remove()
    return figure


def shadows(points: np.ndarray, vector: Sequence[float], nearest: tuple[int, int] | None) -> Figure:
    """Tokens in the plane, points of shape (2, V), a line through 0 along the unit vector, and their feet on it.

    0 is a cross, a point as well; the two points `nearest`, by number with V for 0, whose feet are relatively
    nearest, are boxed and joined.
    """
    figure, ax = canvas((4.6, 4.1), (0.11, 0.98, 0.13, 0.98))
    v = np.asarray(vector, dtype=float)
    all_points = np.column_stack([points.astype(float), np.zeros(2)])
    feet = v[:, None] * (v @ all_points)
    norms = np.linalg.norm(all_points, axis=0)
    # The foot of x on any line through 0 lies on the circle with the diameter from 0 to x.
    low, high = ((all_points - norms) / 2).min(axis=1) - 0.3, ((all_points + norms) / 2).max(axis=1) + 0.3
    ax.axline((0, 0), (v[0], v[1]), color=GREY, linewidth=1.5)
    for point, foot in zip(all_points.T, feet.T, strict=True):
        ax.plot([point[0], foot[0]], [point[1], foot[1]], ":", color=GREY, linewidth=1)
    ax.plot(*all_points[:, :-1], "o", color=COLOURS[0], markersize=8, label="tokens")
    ax.plot(0, 0, "x", color=COLOURS[0], markersize=9, markeredgewidth=2, label="0")
    ax.plot(*feet, "D", color=COLOURS[1], markersize=5, label="feet")
    if nearest is not None:
        pair = all_points[:, list(nearest)]
        ax.plot(*pair, "s-", color=COLOURS[1], markersize=14, linewidth=1.5, **hollow())
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xlabel="entry 1", ylabel="entry 2")
    ax.legend(fontsize=9, loc="lower right")
    return figure
