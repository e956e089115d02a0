"""Pictures of the Boltzmann operator: one small entry, gaps of two values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, MEASURED, STYLES, canvas, over


def small_entry(t: np.ndarray, values: np.ndarray, thresholds: Mapping[str, float]) -> Figure:
    """The operator on (0, -t) against t, beside the maximum 0; thresholds as vertical lines, named in the legend."""
    figure, ax = canvas((5.6, 3.3), (0.14, 0.97, 0.16, 0.97))
    ax.plot(t, values, color=MEASURED, linewidth=2, label="boltz(0, −t)")
    ax.axhline(0, color=COLOURS[5], linewidth=1.5, label="max(0, −t)")
    for k, (name, threshold) in enumerate(thresholds.items()):
        ax.axvline(threshold, linestyle=STYLES[k % 4], color=COLOURS[1 + k // 2], linewidth=1.5, label=name)
    ax.set(xlabel="distance $t$ of the small entry", ylabel="value", xlim=(t[0], t[-1]))
    ax.legend(fontsize=9, loc="lower right")
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
    figure, ax = canvas((5.6, 3.6), (0.16, 0.97, 0.15, 0.88))
    ax.plot(spacings, np.asarray(log_gaps) / np.log(10), color=MEASURED, linewidth=1.8, label="gap")
    for (name, (start, logs)), colour, style in zip(bounds.items(), (BOUND, COLOURS[3]), ("--", "-."), strict=False):
        proved, digits = spacings >= start, np.asarray(logs) / np.log(10)
        ax.plot(spacings[~proved], digits[~proved], ":", color=colour, linewidth=1.5)
        ax.plot(spacings[proved], digits[proved], style, color=colour, linewidth=1.8, label=name)
    ax.axvline(collision, color=COLOURS[2], linestyle=STYLES[1], linewidth=1.4, label="collision")
    ax.plot(mark[0], max(mark[1] / np.log(10), -7), "o", color=MEASURED, markersize=8, zorder=3)
    ticks = range(-7, 1)
    ax.set_yticks(ticks, [f"$10^{{{k}}}$" for k in ticks])
    ax.set(ylim=(-7.3, 0.3), xlim=(spacings[0], spacings[-1]))
    ax.set(xlabel="spacing $s$", ylabel="distance of the two values")
    over(ax, 4, 9, at=(1.02, 0.98))
    return figure
