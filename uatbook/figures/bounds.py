"""Pictures of what is measured beside what is claimed: ranges within claimed ends, quotients above 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, ERROR, GREY, MEASURED, at_widths, axis_names, canvas, line_names, note, room_at_left

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


def promised(kinds: Mapping[str, Mapping[str, tuple[float, float | None]]]) -> Figure:
    """For each kind of error axes, and a row for each network: its measured error, and a line at the bound, if any.

    `kinds[kind][network]` is (error, bound), the bound None where nothing is proved.
    """
    names = list(next(iter(kinds.values())))
    figure, axes = canvas(0.24 * len(names), blocks=len(kinds), across=(len(kinds), 1), gap=(0.2, 0.2))
    least = min(error for rows in kinds.values() for error, _ in rows.values())
    ticks = [mark for mark in (0.001, 0.01, 0.1, 1) if mark > least / 2]
    for k, (ax, (kind, rows)) in enumerate(zip(np.atleast_1d(axes), kinds.items(), strict=True)):
        for y, (error, bound) in enumerate(rows.values()):
            if bound is not None:
                ax.plot([error, bound], [y, y], color=GREY, linewidth=1)
                ax.plot([bound, bound], [y - 0.36, y + 0.36], color="black", linewidth=2.2)
            ax.plot(error, y, "o", color=ERROR, markersize=6, zorder=3)
        ax.set(xscale="log", xlim=(least / 2, 8), ylim=(len(names) - 0.4, -0.6), xlabel="error")
        ax.set_title(kind)
        ax.set_xticks(ticks, [f"{mark:g}" for mark in ticks])
        ax.minorticks_off()
        ax.set_yticks(range(len(names)), names)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False, axis="y")
        at_widths(ax, partial(_named, ax, k == 0))
        for y, bound in [(y, bound) for y, (_, bound) in enumerate(rows.values()) if bound is not None][:1]:
            note(ax, "proved", (bound, y), (5, 0), va="center")
    room_at_left(np.atleast_1d(axes)[0], names)
    return figure


def _named(ax: Axes, first: bool, is_narrow: bool) -> None:
    """The rows of axes have names unless those at their left have the same."""
    ax.tick_params(axis="y", labelleft=first or is_narrow)
