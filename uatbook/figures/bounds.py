"""Pictures of what is measured beside what is claimed: ranges within claimed ends, quotients above 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, MEASURED, axis_names, canvas, line_names, room_at_left

RANGES = (MEASURED, COLOURS[2])


def ranges(
    rows: Mapping[str, Sequence[tuple[float, float]]],
    claimed: Mapping[str, tuple[float, float]],
    points: Mapping[str, Sequence[float]],
    *,
    height: float,
    xlabel: str,
    ylabel: str = "",
    limits: tuple[float, float],
) -> Figure:
    """Ranges of one number in rows, in two colours by turns, between dashed marks at the ends that are claimed.

    `points[name]` are single values in a row, drawn on its ranges; the first row is at the bottom.
    """
    figure, ax = canvas(height)
    for y, (name, spans) in enumerate(rows.items()):
        for k, (low, high) in enumerate(spans):
            # A range may be a single value.
            ax.plot([low, high], [y, y], color=RANGES[k % 2], linewidth=6, solid_capstyle="round", alpha=0.75)
        ax.plot(points.get(name, ()), [y] * len(points.get(name, ())), "o", color="black", markersize=3.5, zorder=3)
        ax.vlines(claimed[name], y - 0.5, y + 0.5, color=BOUND, linestyle="--", linewidth=1.6)
    ax.set(ylim=(-0.6, len(rows) - 0.4), xlim=limits)
    ax.set_yticks(range(len(rows)), list(rows))
    ax.grid(visible=False, axis="y")
    axis_names(ax, xlabel, ylabel)
    room_at_left(ax, rows)
    return figure


def quotients(
    x: np.ndarray,
    curves: Mapping[str, np.ndarray],
    mark: tuple[float, float] | None,
    *,
    xlabel: str,
    ylabel: str,
    limits: tuple[float, float],
    logarithmic: bool = False,
) -> Figure:
    """Measured quantities in units of their bound, which is the dashed line at 1; the first curve may have a mark."""
    figure, ax = canvas(2.6)
    lines = {}
    for k, (name, values) in enumerate(curves.items()):
        style = {"color": MEASURED, "linewidth": 2.2} if k == 0 else {"color": COLOURS[1 + k], "linewidth": 1.3}
        (lines[name],) = ax.plot(x, values, **style)
    lines["bound"] = ax.axhline(1, color=BOUND, linestyle="--", linewidth=1.6)
    if mark is not None:
        ax.plot(*mark, "o", color=MEASURED, markersize=8, zorder=3, clip_on=False)
    ax.set(xlim=(x[0], x[-1]), ylim=limits, yscale="log" if logarithmic else "linear")
    ax.minorticks_off()
    axis_names(ax, xlabel, ylabel)
    line_names(ax, lines)
    return figure
