"""Pictures of kernels: ratios of two keys as they are scaled, gaps over random weights, contexts that turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .style import (
    BOUND,
    COLOURS,
    GREY,
    MEASURED,
    axis_names,
    bare,
    canvas,
    hollow,
    line_names,
    look,
    marks_key,
    room_at_left,
)


def ratios(t: np.ndarray, digits: np.ndarray, settled: Sequence[bool], reach: float) -> Figure:
    """Decimal logarithms of ratios, shape (curves, points), over t; those that settle in another colour, dashed.

    What leaves -reach to reach runs along the edge.
    """
    figure, ax = canvas(2.6, left=0.5)
    ax.axhline(0, color=GREY, linewidth=1)
    lines: dict[str, Any] = {}
    for row, still in zip(digits, settled, strict=True):
        style: Any = {"color": BOUND, "linestyle": "--"} if still else {"color": MEASURED}
        (lines["settles" if still else "0 or ∞"],) = ax.plot(t, np.clip(row, -reach, reach), linewidth=1.6, **style)
    ax.set(xscale="log", xlim=(t[0], t[-1]), ylim=(-1.08 * reach, 1.08 * reach))
    ticks = np.arange(-reach, reach + 1, reach / 2)
    ax.set_yticks(ticks, [_power(int(k)) for k in ticks])
    axis_names(ax, "$t$", "ratio")
    line_names(ax, lines)
    return figure


def gap_rows(rows: Mapping[str, np.ndarray], limits: tuple[float, float], nothing: float) -> Figure:
    """Numbers on a logarithmic axis, a row of dots for each name; all below `nothing` is one ring, at 0.

    What lies beyond the limits stands at them.
    """
    figure, ax = canvas(0.24 * len(rows) + 0.1)
    low, high = limits
    zero = low / 10
    for k, values in enumerate(rows.values()):
        seen = values[values >= nothing]
        ax.plot(np.clip(seen, low, high), np.full(len(seen), k), "o", color=MEASURED, alpha=0.7, markersize=4, mew=0)
        if len(seen) < len(values):
            ax.plot(zero, k, "o", color=BOUND, markersize=9, **hollow(2))
    ax.set(xscale="log", xlim=(zero / 3, 2 * high), ylim=(len(rows) - 0.4, -0.6))
    ax.set_yticks(range(len(rows)), list(rows))
    powers = range(round(np.log10(low)) + 2, int(np.log10(high)) + 1, 2)
    ax.set_xticks([zero, *(10.0**k for k in powers)], ["0", *map(_power, powers)])
    ax.minorticks_off()
    ax.tick_params(axis="y", length=0)
    axis_names(ax, "gap of the two outputs")
    room_at_left(ax, rows)
    return figure


def turning(
    shared: np.ndarray,
    contexts: Mapping[str, np.ndarray],
    angles: np.ndarray,
    curves: Mapping[str, np.ndarray],
    at: float,
    limits: tuple[float, float],
) -> Figure:
    """Contexts in the plane, (2, m) beside one shared token, and curves over the angle, logarithmic, one marked."""
    figure, (plane, ax) = canvas(2.5, left=0.5, blocks=2, across=(2, 1), gap=(0.5, 0.3))
    _plane(plane, shared, contexts)
    lines = {}
    for k, (name, values) in enumerate(curves.items()):
        style = {**look(k), "marker": ""}
        (lines[name],) = ax.plot(angles, np.clip(values, *limits), linewidth=1.8, **style)
        mark = np.clip(np.interp(at, angles, values), *limits)
        ax.plot(at, mark, "o", color=COLOURS[k], markersize=7, clip_on=False, zorder=4)
    ax.axvline(at, color=GREY, linewidth=1)
    ax.set(yscale="log", xlim=(angles[0], angles[-1]), ylim=limits)
    ax.set_xticks(angles[:: (len(angles) - 1) // 2], [f"{angle:.3g}°" for angle in angles[:: (len(angles) - 1) // 2]])
    powers = range(int(np.log10(limits[0])), int(np.log10(limits[1])) + 1, 4)
    ax.set_yticks([10.0**k for k in powers], ["0", *map(_power, powers[1:])])
    ax.minorticks_off()
    axis_names(ax, "angle", "gap")
    line_names(ax, lines)
    return figure


def _plane(ax: Axes, shared: np.ndarray, contexts: Mapping[str, np.ndarray]) -> None:
    turn = np.linspace(0, 2 * np.pi, 100)
    ax.plot(np.cos(turn), np.sin(turn), color=GREY, linewidth=0.8)
    styles: list[Any] = [{"marker": "s", "color": COLOURS[0], "markersize": 8}]
    styles.append({"marker": "D", "color": COLOURS[1], "markersize": 9, **hollow(2)})
    names: dict[str, Line2D] = {}
    for (name, tokens), style in zip(contexts.items(), styles, strict=True):
        closed = np.column_stack([tokens, tokens[:, 0]])
        ax.plot(*closed, color=style["color"], linewidth=1, alpha=0.5)
        (names[name],) = ax.plot(*tokens, linestyle="", **style)
    (names["both"],) = ax.plot(*shared, "o", color="black", markersize=8)
    ax.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), xticks=(), yticks=())
    ax.set_aspect("equal", adjustable="box")
    bare(ax)
    marks_key(ax, names)


def _power(k: int) -> str:
    """10^k in the letters of other marks."""
    return rf"$\mathdefault{{10^{{{k}}}}}$" if k else "1"
