"""Pictures of the Boltzmann operator: one small entry, gaps of two values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, GREY, MEASURED, STYLES, axis_names, canvas, line_names, note

FLOOR, MIDWAY = -7.3, -5.2
"""Decimal logarithms: the lower edge, and where a line that leaves the picture below has its name."""


def small_entry(t: np.ndarray, values: np.ndarray, thresholds: Mapping[str, float]) -> Figure:
    """The operator on (0, -t) against t, beside the maximum 0; above them what holds from each threshold on."""
    figure, ax = canvas(2.5)
    depth = -float(values.min())
    for k, (name, start) in enumerate(reversed([*thresholds.items()])):
        level = (0.14 + 0.19 * k) * depth
        style = {"color": COLOURS[1 + k % 4], "linestyle": STYLES[k % 4], "linewidth": 1.5}
        ax.plot([start, start, t[-1]], [-1.07 * depth, level, level], **style)
        note(ax, name, (start, level), (4, 4))
    line = ax.axhline(0, color=GREY, linewidth=1.5)
    (curve,) = ax.plot(t, values, color=MEASURED, linewidth=2)
    ax.set(xlim=(t[0], t[-1]), ylim=(-1.07 * depth, (0.14 + 0.19 * len(thresholds)) * depth))
    ax.set_yticks([tick for tick in ax.get_yticks() if -1.07 * depth <= tick <= 0])
    axis_names(ax, "distance $t$ of the small entry", "value at $(0, -t)$")
    line_names(ax, {"max": line, "boltz": curve})
    return figure


def gaps(
    spacings: np.ndarray,
    log_gaps: Sequence[float],
    bounds: Mapping[str, tuple[float, Sequence[float]]],
    mark: tuple[float, float],
    collision: float,
) -> Figure:
    """Gaps of two values, given as natural logarithms, against the spacing of the entries, and bounds on them.

    Each of `bounds` is a spacing from which on it is proved, and its logarithms: dashed there, dotted before. The
    spacing at which the values agree is a vertical line.
    """
    figure, ax = canvas(2.6)
    (line,) = ax.plot(spacings, np.asarray(log_gaps) / np.log(10), color=MEASURED, linewidth=1.8)
    lines = {"gap": line}
    for (name, (start, logs)), colour, style in zip(bounds.items(), (BOUND, COLOURS[3]), ("--", "-."), strict=False):
        proved, digits = spacings >= start, np.asarray(logs) / np.log(10)
        ax.plot(spacings[~proved], digits[~proved], ":", color=colour, linewidth=1.5)
        (line,) = ax.plot(spacings[proved], digits[proved], style, color=colour, linewidth=1.8)
        if digits[-1] < FLOOR:
            there = int(np.argmax(digits < MIDWAY))
            note(ax, name, (spacings[there], MIDWAY), (-6, -2), ha="right", va="top")
        else:
            lines[name] = line
    ax.axvline(collision, color=COLOURS[2], linestyle=STYLES[1], linewidth=1.4)
    note(ax, "collision", (collision, FLOOR), (4, 4))
    ax.plot(mark[0], max(mark[1] / np.log(10), FLOOR + 0.3), "o", color=MEASURED, markersize=8, zorder=3)
    ticks = range(-7, 1)
    ax.set_yticks(ticks, [f"$10^{{{k}}}$" for k in ticks])
    ax.set(ylim=(FLOOR, 0.3), xlim=(spacings[0], spacings[-1]))
    axis_names(ax, "spacing $s$", "distance of the two values")
    line_names(ax, lines)
    return figure
