"""Pictures of what tokens of different sequences hear, and of how near they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .style import (
    BOUND,
    COLOURS,
    GREY,
    MEASURED,
    axis_names,
    canvas,
    line_names,
    look,
    note,
)


def through_holes(
    x: np.ndarray,
    panels: Sequence[tuple[str, Mapping[str, np.ndarray], float | None]],
    peaks: Mapping[float, str],
    *,
    xlabel: str,
) -> Figure:
    """What sequences hear, a curve each, against the place of a hole; panels are (title, curves, floor).

    Heights are logarithmic, and what is below the `floor`, 0 included, is drawn on it; with the floor None they are
    linear. `peaks` are names of places on the x axis, where curves are 1: first all, then each alone, in its colour.
    """
    figure, axes = canvas(2.2, left=0.55, bottom=0.45, blocks=len(panels), across=(2, 1), gap=(0.65, 0.3))
    for ax, (title, curves, floor) in zip(axes, panels, strict=True):
        for k, y in enumerate(curves.values()):
            shown = y if floor is None else np.maximum(y, floor)
            ax.plot(x, shown, linewidth=1.8, **{**look(k), "marker": ""})
        ax.set(xlim=(x[0], x[-1]), xticks=list(peaks))
        if floor is None:
            ax.set(ylim=(-0.05, 1.25), yticks=(0, 1))
        else:
            ax.set(yscale="log", ylim=(floor / 1e3, 1e20), yticks=(1, floor ** (1 / 3), floor ** (2 / 3), floor))
        ax.minorticks_off()
        axis_names(ax, xlabel)
        ax.set_title(title)
        for k, (place, name) in enumerate(peaks.items()):
            note(ax, name, (place, 1), (0, 4), ha="center", color=look(k - 1)["color"] if k else "black")
    return figure


def least_gaps(
    sizes: Sequence[int], gaps: np.ndarray, slope: float, levels: Mapping[str, float], *, floor: float, name: str
) -> Figure:
    """Least gaps against the number of sequences, both logarithmic: a thin line for each draw, and their median.

    gaps[k, i] belongs to the k-th draw and the i-th size; what is below the `floor`, 0 included, is drawn on it. The
    dotted line through the first median falls with `slope`, and is named. `levels` are named horizontal lines.
    """
    figure, ax = canvas(2.8, left=0.55)
    x, shown = np.asarray(sizes, dtype=float), np.maximum(gaps, floor)
    ax.plot(x, shown.T, color=GREY, linewidth=0.7, alpha=0.8, clip_on=False)
    middle = np.median(shown, axis=0)
    lines = dict(zip(("median",), ax.plot(x, middle, "o-", color=MEASURED, markersize=4, clip_on=False), strict=True))
    (lines[name],) = ax.plot(x, np.maximum(middle[0] * (x / x[0]) ** slope, floor), ":", color=COLOURS[2], linewidth=2)
    for level, height in levels.items():
        lines[level] = ax.axhline(height, color=BOUND, linestyle="--", linewidth=1.3)
    ax.set(xscale="log", yscale="log", xlim=(x[0], x[-1]), ylim=(floor, 3))
    ax.set_xticks(x, [f"{size}" for size in sizes])
    ax.minorticks_off()
    axis_names(ax, "sequences", "least gap")
    line_names(ax, lines)
    return figure
