"""Pictures that return through the book: functions over the square, curves, bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .style import (
    BOUND,
    COLOURS,
    ERRORS,
    MARKERS,
    VALUES,
    axis_names,
    canvas,
    colour_key,
    heat,
    holds_unit_box,
    line_names,
    look,
    note,
)


def squares(
    panels: Sequence[tuple[str, np.ndarray]],
    label: str,
    limits: tuple[float, float] | None = None,
    *,
    errors: tuple[np.ndarray | Mapping[str, np.ndarray], str, tuple[float, float]] | None = None,
    ends: tuple[float, float] = (0, 1),
    last: str = "error",
    palette: Any = VALUES,
) -> Figure:
    """Functions of two scalar tokens as pictures over the square: x_1 to the right, x_2 upwards, one colour scale.

    Each panel is (title, values), values[i, j] in the i-th of m equal parts of the interval `ends` for x_1, and in the
    j-th for x_2; NaN, what a construction gives up, is drawn grey. The last panel, in other colours, may be `errors`:
    values, their label and limits; its title is `last`, or of several, by title, each is a panel. Panels that are all
    errors take the `palette` ERRORS. In a square larger on all sides the unit box is outlined.
    """
    low, high = limits or (min(np.nanmin(v) for _, v in panels), max(np.nanmax(v) for _, v in panels))
    maps = {} if errors is None else errors[0] if isinstance(errors[0], Mapping) else {last: errors[0]}
    blocks = len(panels) + len(maps)
    largest, across = (3.2, 2.5, 2.1)[min(blocks, 3) - 1], (min(blocks, 2),) * 2
    figure, axes = canvas(largest, squares=True, left=0.35, bottom=0.35, blocks=blocks, across=across, sharey=True)
    axes = np.atleast_1d(axes)
    for ax, (title, values) in zip(axes, panels, strict=False):
        image = heat(ax, title, values, (low, high), ends, palette)
    colour_key(figure, image, label)
    if errors is not None:
        for ax, (title, values) in zip(axes[len(panels) :], maps.items(), strict=True):
            image = heat(ax, title, values, errors[2], ends, ERRORS)
        colour_key(figure, image, errors[1])
    for ax in axes:
        ax.xaxis.labelpad = ax.yaxis.labelpad = -6
        ax.set_xlabel("$x_1$")
        if holds_unit_box(ends):
            ax.add_patch(Rectangle((0, 0), 1, 1, fill=False, edgecolor=COLOURS[1], linewidth=1.6, linestyle="--"))
    axes[0].set_ylabel("$x_2$", rotation=0)
    return figure


def graphs(
    x: np.ndarray, curves: Mapping[str, np.ndarray], *, xlabel: str, ylabel: str, xscale: str = "linear"
) -> Figure:
    """Curves over one axis, each with its own colour and line style, named at their ends."""
    figure, ax = canvas(2.4)
    lines = {
        name: ax.plot(x, y, linewidth=1.8, **{**look(k), "marker": ""})[0] for k, (name, y) in enumerate(curves.items())
    }
    ax.set(xscale=xscale, xlim=(x[0], x[-1]))
    axis_names(ax, xlabel, ylabel)
    line_names(ax, lines)
    return figure


def convergence(
    x: Sequence[float], series: Mapping[str, Sequence[float]], *, xlabel: str, ylabel: str, bound: str | None = None
) -> Figure:
    """Measured quantities against x, both axes logarithmic; the one named `bound` is drawn as the proved bound.

    Values that span less than two decades have marks at 1, 2 and 5 times powers of ten around them, in plain decimals.
    """
    figure, ax = canvas(2.6, left=0.5)
    lines = {}
    for k, name in enumerate([name for name in series if name != bound]):
        style = {"marker": MARKERS[k], "color": COLOURS[0] if k == 0 else COLOURS[k + 1], "clip_on": False}
        (lines[name],) = ax.plot(x, series[name], linewidth=1.5, **style)
    if bound is not None:
        (lines[bound],) = ax.plot(x, series[bound], "--", color=BOUND, linewidth=1.5)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=10)
    ax.set_xticks(list(x), [f"{value:g}" for value in x])
    ax.set_xlim(x[0], x[-1])
    ax.minorticks_off()
    axis_names(ax, xlabel, ylabel)
    values = np.concatenate([np.asarray(y, dtype=float) for y in series.values()])
    if values.max() < 100 * values.min():
        marks = [m * 10.0**k for k in range(-300, 300) for m in (1, 2, 5)]
        first = max(k for k, mark in enumerate(marks) if mark <= values.min())
        last = min(k for k, mark in enumerate(marks) if mark >= values.max())
        shown = marks[first : last + 1]
        ax.set_yticks(shown, [f"{mark:g}" for mark in shown])
        ax.set_ylim(0.94 * shown[0], 1.06 * shown[-1])
    line_names(ax, lines)
    return figure


def weights(scores: Sequence[float], soft: Sequence[float], hard: Sequence[float]) -> Figure:
    """The attention weights of tokens with these scores, softmax over hardmax, as pairs of lying bars."""
    figure, ax = canvas(2.3, left=0.95, right=0.5)
    place = np.arange(len(scores))
    for k, (name, widths) in enumerate({"softmax": soft, "hardmax": hard}.items()):
        rows = place + 0.38 * k - 0.19
        ax.barh(rows, widths, 0.36, color=COLOURS[k], label=name, linewidth=0)
        for y, width in zip(rows, widths, strict=True):
            text = f"{width:.3f}" if 0.0005 <= width < 1 else f"{width:.0f}"
            note(ax, text, (width, y), (4, 0), va="center")
    ax.set(xlim=(0, 1), ylim=(len(scores) - 0.45, -0.55))
    ax.set_yticks(place, [f"token {k + 1}\nscore {score:g}" for k, score in enumerate(scores)])
    axis_names(ax, "attention weight")
    ax.grid(visible=False, axis="y")
    # A bar of 0 has no place for its name.
    ax.legend(ncols=2, loc="lower left", bbox_to_anchor=(0, 1), borderpad=0, borderaxespad=0.4, handlelength=1)
    return figure
