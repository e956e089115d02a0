"""Pictures that return through the book: functions over the square, curves, bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, MARKERS, STYLES, canvas, heat, note


def squares(panels: Sequence[tuple[str, np.ndarray]], label: str, limits: tuple[float, float] | None = None) -> Figure:
    """Functions of two scalar tokens as pictures over the square: x_1 to the right, x_2 upwards, one colour scale.

    Each panel is (title, values) with values[i, j] at x_1 = (i + 1/2)/m, x_2 = (j + 1/2)/m; NaN is drawn grey. Four
    panels stand two by two, and three have larger letters, so that they stay legible on a phone.
    """
    low, high = limits or (min(np.nanmin(v) for _, v in panels), max(np.nanmax(v) for _, v in panels))
    columns, size = 2 if len(panels) == 4 else len(panels), 14 if len(panels) == 3 else 11
    rows, side = len(panels) // columns, min(1.9, 4.8 / columns)
    width, height = (side + 0.14) * columns + 1.4, (side + 0.62) * rows + 0.15
    sides = (0.5 / width, 1 - 1.0 / width, 0.45 / height, 1 - 0.3 / height)
    figure, axes = canvas((width, height), sides, grid=(rows, columns), space=(0.14, 0.3), sharex=True, sharey=True)
    for ax, (title, values) in zip(axes.flat, panels, strict=True):
        image = heat(ax, title, values, (low, high), size=size)
        ax.tick_params(labelsize=size)
        ax.xaxis.labelpad = ax.yaxis.labelpad = -6
    for ax in axes[-1]:
        ax.set_xlabel("$x_1$", fontsize=size)
    for ax in axes[:, 0]:
        ax.set_ylabel("$x_2$", fontsize=size)
    bar = figure.add_axes((1 - 0.88 / width, 0.45 / height, 0.13 / width, 1 - 0.75 / height))
    figure.colorbar(image, cax=bar).set_label(label, size=size)
    bar.tick_params(labelsize=size)
    return figure


def pair(panels: Sequence[tuple[str, np.ndarray, tuple[float, float]]]) -> Figure:
    """Two functions over the square, as in `squares`, each (title, values, limits) with a scale of its own."""
    figure, axes = canvas((5.6, 2.5), (0.06, 0.89, 0.17, 0.88), grid=(1, 2), space=(0.35, None))
    for ax, (title, values, limits) in zip(axes[0], panels, strict=True):
        figure.colorbar(heat(ax, title, values, limits), ax=ax, fraction=0.046, pad=0.04)
        ax.set(xlabel="$x_1$", ylabel="$x_2$")
        ax.xaxis.labelpad = ax.yaxis.labelpad = -6
    return figure


def graphs(
    x: np.ndarray, curves: Mapping[str, np.ndarray], *, xlabel: str, ylabel: str, xscale: str = "linear"
) -> Figure:
    """Curves over one axis, each with its own colour and line style, named in a legend."""
    figure, ax = canvas((6.2, 3.0), (0.11, 0.98, 0.17, 0.96))
    for k, (name, y) in enumerate(curves.items()):
        ax.plot(x, y, STYLES[k % len(STYLES)], color=COLOURS[k % len(COLOURS)], label=name, linewidth=1.8)
    ax.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale)
    ax.legend()
    return figure


def convergence(
    x: Sequence[float], series: Mapping[str, Sequence[float]], *, xlabel: str, ylabel: str, bound: str | None = None
) -> Figure:
    """Measured quantities against x, both axes logarithmic; the one named `bound` is drawn as the proved bound.

    Values that span less than two decades have marks at 1, 2 and 5 times powers of ten around them, in plain decimals.
    """
    figure, ax = canvas((5.2, 3.2), (0.14, 0.97, 0.16, 0.96))
    measured = [name for name in series if name != bound]
    for k, name in enumerate(measured):
        colour = COLOURS[0] if k == 0 else COLOURS[k + 1]
        ax.plot(x, series[name], marker=MARKERS[k], color=colour, label=name, linewidth=1.5)
    if bound is not None:
        ax.plot(x, series[bound], "--", color=BOUND, label=bound, linewidth=1.5)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=10)
    ax.set_xticks(list(x), [f"{value:g}" for value in x])
    ax.minorticks_off()
    values = np.concatenate([np.asarray(y, dtype=float) for y in series.values()])
    if values.max() < 100 * values.min():
        marks = [m * 10.0**k for k in range(-300, 300) for m in (1, 2, 5)]
        first = max(k for k, mark in enumerate(marks) if mark <= values.min())
        last = min(k for k, mark in enumerate(marks) if mark >= values.max())
        shown = marks[first : last + 1]
        ax.set_yticks(shown, [f"{mark:g}" for mark in shown])
        ax.set_ylim(0.94 * shown[0], 1.06 * shown[-1])
    ax.legend()
    return figure


def weights(scores: Sequence[float], soft: Sequence[float], hard: Sequence[float]) -> Figure:
    """The attention weights of tokens with these scores, softmax beside hardmax, as pairs of bars."""
    figure, ax = canvas((5.2, 3.0), (0.12, 0.98, 0.17, 0.96))
    place = np.arange(len(scores))
    for shift, heights, name, colour, hatch in (
        (-0.2, soft, "softmax", COLOURS[0], None),
        (0.2, hard, "hardmax", COLOURS[1], "///"),
    ):
        ax.bar(place + shift, heights, 0.38, color=colour, label=name, hatch=hatch, edgecolor="white", linewidth=0.5)
        for x, height in zip(place + shift, heights, strict=True):
            text = f"{height:.3f}" if 0.0005 <= height < 1 else f"{height:.0f}"
            note(ax, text, (x, height), (0, 3), ha="center", fontsize=10)
    ax.set(ylim=(0, 1.2), ylabel="attention weight")
    ax.set_xticks(place, [f"token {k + 1}\nscore {score:g}" for k, score in enumerate(scores)])
    ax.grid(visible=False, axis="x")
    ax.legend(loc="upper right", ncols=2, fontsize=10)
    return figure


def bars(heights: Mapping[int, int], chosen: int, *, xlabel: str, ylabel: str) -> Figure:
    """One bar for each whole number, on a logarithmic axis, the chosen one in another colour and hatched."""
    figure, ax = canvas((5.2, 3.0), (0.15, 0.98, 0.18, 0.96))
    bars = ax.bar(list(heights), list(heights.values()), color=COLOURS[0])
    bars[list(heights).index(chosen)].set(color=COLOURS[1], hatch="//", edgecolor="white")
    ax.set(xlabel=xlabel, ylabel=ylabel, yscale="log", ylim=(1, 3e5), xticks=list(heights))
    ax.grid(visible=False, axis="x")
    return figure
