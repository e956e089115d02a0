"""Arrays in, matplotlib figure out: the house style and the pictures that return through the book.

Colours keep a contrast of 3 : 1 on white and on the dark page, and differ for colour-blind readers; lines and markers
differ in shape as well. Black and white follow the page's theme when the book is built.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..explorer.svg import SVG_STYLE

GREY = "#808080"
COLOURS = ("#3b7fc4", "#d1661f", "#2e8b6f", "#9a6fc0", "#c2557f", GREY)
MARKERS = ("o", "s", "^", "D", "v", "P")
MEASURED, BOUND = COLOURS[0], COLOURS[1]
STYLES = ("-", "--", "-.", ":")

STYLE: Any = {
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "figure.figsize": (5.6, 3.4),
    "figure.subplot.bottom": 0.17,
    "figure.subplot.right": 0.97,
    "figure.subplot.top": 0.92,
    "font.size": 11,
    "grid.alpha": 0.25,
    "grid.color": GREY,
    "image.cmap": "viridis",
    "legend.frameon": False,
    "savefig.facecolor": "white",
    **SVG_STYLE,
}


def use() -> None:
    """Apply the house style, and show figures of this notebook as SVG."""
    plt.rcParams.update(STYLE)
    try:
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    set_matplotlib_formats("svg", bbox_inches=None)  # type: ignore[no-untyped-call]


def bare(ax: Axes) -> None:
    """Leave only what is drawn: no grid, ticks or frame."""
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def squares(panels: Sequence[tuple[str, np.ndarray]], label: str, limits: tuple[float, float] | None = None) -> Figure:
    """Functions of two scalar tokens as pictures over the square: x_1 to the right, x_2 upwards, one colour scale.

    Each panel is (title, values) with values[i, j] at x_1 = (i + 1/2)/m, x_2 = (j + 1/2)/m; NaN is drawn grey. Four
    panels stand two by two, and three have larger letters, so that they stay legible on a phone.
    """
    low, high = limits or (min(np.nanmin(v) for _, v in panels), max(np.nanmax(v) for _, v in panels))
    columns, size = 2 if len(panels) == 4 else len(panels), 14 if len(panels) == 3 else 11
    rows, side = len(panels) // columns, min(1.9, 4.8 / columns)
    width, height = (side + 0.14) * columns + 1.4, (side + 0.62) * rows + 0.15
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), sharex=True, sharey=True, squeeze=False)
    figure.subplots_adjust(
        left=0.5 / width, right=1 - 1.0 / width, bottom=0.45 / height, top=1 - 0.3 / height, wspace=0.14, hspace=0.3
    )
    palette = plt.get_cmap().with_extremes(bad=GREY)
    for ax, (title, values) in zip(axes.flat, panels, strict=True):
        image = ax.imshow(
            values.T, palette, origin="lower", extent=(0, 1, 0, 1), vmin=low, vmax=high, interpolation="none"
        )
        ax.set(xticks=(0, 1), yticks=(0, 1))
        ax.tick_params(labelsize=size)
        ax.set_title(title, fontsize=size)
        ax.xaxis.labelpad = ax.yaxis.labelpad = -6
        ax.grid(visible=False)
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
    figure, axes = plt.subplots(1, 2, figsize=(5.6, 2.5))
    figure.subplots_adjust(left=0.06, right=0.89, bottom=0.17, top=0.88, wspace=0.35)
    for ax, (title, values, (low, high)) in zip(axes, panels, strict=True):
        image = ax.imshow(values.T, origin="lower", extent=(0, 1, 0, 1), vmin=low, vmax=high, interpolation="none")
        ax.set(xticks=(0, 1), yticks=(0, 1), xlabel="$x_1$", ylabel="$x_2$")
        ax.set_title(title, fontsize=11)
        ax.xaxis.labelpad = ax.yaxis.labelpad = -6
        ax.grid(visible=False)
        figure.colorbar(image, ax=ax, fraction=0.046, pad=0.04)
    return figure


def graphs(
    x: np.ndarray, curves: Mapping[str, np.ndarray], *, xlabel: str, ylabel: str, xscale: str = "linear"
) -> Figure:
    """Curves over one axis, each with its own colour and line style, named in a legend."""
    figure, ax = plt.subplots(figsize=(6.2, 3.0))
    figure.subplots_adjust(left=0.11, right=0.98, bottom=0.17, top=0.96)
    for k, (name, y) in enumerate(curves.items()):
        ax.plot(x, y, STYLES[k % len(STYLES)], color=COLOURS[k % len(COLOURS)], label=name, linewidth=1.8)
    ax.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale)
    ax.legend()
    return figure


def staircase_film(t: np.ndarray, states: Sequence[np.ndarray], titles: Sequence[str], sentinel: float) -> Figure:
    """A scalar map after each layer, one frame a layer: above the values near [0, 1], below those at the sentinel."""
    count = len(states)
    width = 6.5 if count > 3 else 1.6 * count + 0.6
    figure, axes = plt.subplots(
        2, count, figsize=(width, 2.9), sharex=True, sharey="row", height_ratios=(5, 1), squeeze=False
    )
    figure.subplots_adjust(left=0.62 / width, right=0.99, bottom=0.16, top=0.88, wspace=0.08, hspace=0.12)
    for k, (state, title) in enumerate(zip(states, titles, strict=True)):
        _staircase(axes[:, k], t, state, sentinel)
        axes[0, k].set_title(title, fontsize=9)
    axes[0, 0].set_ylabel("value")
    return figure


def staircase(
    t: np.ndarray, state: np.ndarray, sentinel: float, *, mark: tuple[float, float], cell: tuple[float, float] | None
) -> Figure:
    """A scalar map after some layer, with one input and its value marked, and the cell shaded that the layer rounds."""
    figure, axes = plt.subplots(2, 1, figsize=(5.2, 3.6), sharex=True, height_ratios=(5, 1))
    figure.subplots_adjust(left=0.13, right=0.98, bottom=0.14, top=0.97, hspace=0.12)
    _staircase(axes, t, state, sentinel)
    for ax in axes:
        if cell is not None:
            ax.axvspan(*cell, color=COLOURS[2], alpha=0.3, linewidth=0)
        ax.plot(*mark, "o", color=COLOURS[1], markersize=9, zorder=3)
        ax.axvline(mark[0], color=COLOURS[1], linestyle=":", linewidth=1.2)
    axes[0].set_ylabel("value")
    return figure


def _staircase(axes: Iterable[Axes], t: np.ndarray, state: np.ndarray, sentinel: float) -> None:
    """The map on two axes that share t: the upper one for [0, 1] and near it, the lower one for the sentinel."""
    upper, lower = axes
    # A line through a jump would claim values that the map does not take; between jumps the map rises by at most t.
    jumps = np.flatnonzero(np.abs(np.diff(state)) > 2 * np.diff(t)) + 1
    x, y = np.insert(np.asarray(t, float), jumps, np.nan), np.insert(np.asarray(state, float), jumps, np.nan)
    for ax in axes:
        ax.plot(x, y, color=COLOURS[0], linewidth=2.2)
        ax.axvspan(0, 1, color=GREY, alpha=0.12, linewidth=0)
    upper.set_ylim(-0.45, 1.45)
    upper.spines["bottom"].set_visible(False)
    upper.tick_params(bottom=False)
    lower.set(ylim=(sentinel - 0.6, sentinel + 0.6), yticks=(sentinel,), xlabel="$t$")


def weights(scores: Sequence[float], soft: Sequence[float], hard: Sequence[float]) -> Figure:
    """The attention weights of tokens with these scores, softmax beside hardmax, as pairs of bars."""
    figure, ax = plt.subplots(figsize=(5.2, 3.0))
    figure.subplots_adjust(left=0.12, right=0.98, bottom=0.17, top=0.96)
    place = np.arange(len(scores))
    for shift, heights, name, colour, hatch in (
        (-0.2, soft, "softmax", COLOURS[0], None),
        (0.2, hard, "hardmax", COLOURS[1], "///"),
    ):
        ax.bar(place + shift, heights, 0.38, color=colour, label=name, hatch=hatch, edgecolor="white", linewidth=0.5)
        for x, height in zip(place + shift, heights, strict=True):
            text = f"{height:.3f}" if 0.0005 <= height < 1 else f"{height:.0f}"
            ax.annotate(text, (x, height), (0, 3), textcoords="offset points", ha="center", fontsize=10)
    ax.set(ylim=(0, 1.2), ylabel="attention weight")
    ax.set_xticks(place, [f"token {k + 1}\nscore {score:g}" for k, score in enumerate(scores)])
    ax.grid(visible=False, axis="x")
    ax.legend(loc="upper right", ncols=2, fontsize=10)
    return figure


def windows(
    states: np.ndarray,
    layers: Sequence[str],
    window: tuple[float, float] | None,
    wanted: Sequence[float],
    upper: tuple[float, float],
    lower: tuple[float, float],
) -> Figure:
    """Tokens as lines over the layers that have run, states of shape (at most layers, tokens), and a window shaded.

    Token 1 is a ring, so that it shows around another; crosses at the right say where the tokens should end. The
    vertical axis is cut into the ranges `upper` and `lower`.
    """
    figure, axes = plt.subplots(2, 1, figsize=(5.2, 4.1), sharex=True, height_ratios=(1, 1))
    figure.subplots_adjust(left=0.14, right=0.98, bottom=0.09, top=0.92, hspace=0.1)
    for ax, limits in zip(axes, (upper, lower), strict=True):
        if window is not None:
            ax.axhspan(*window, color=COLOURS[2], alpha=0.4, linewidth=0)
        for token, line in enumerate(states.T):
            style: Any = {"color": COLOURS[token], "marker": MARKERS[token], "linestyle": STYLES[token]}
            ring: Any = {"markersize": 12, "markerfacecolor": "none", "markeredgewidth": 2, "zorder": 3}
            ax.plot(line, label=f"token {token + 1}", linewidth=1.6, **style, **(ring if token == 0 else {}))
        for token, value in enumerate(wanted):
            ax.plot(len(layers) - 1, float(value), "x", color=COLOURS[token], markersize=9, markeredgewidth=2)
        ax.set(xlim=(-0.3, len(layers) - 0.7), ylim=limits)
    axes[0].spines["bottom"].set_visible(False)
    axes[0].tick_params(bottom=False)
    axes[0].set_ylabel("number of the token")
    axes[1].set_xticks(range(len(layers)), list(layers), fontsize=10)
    axes[0].legend(loc="lower right", bbox_to_anchor=(1, 0.98), ncols=2, fontsize=10)
    return figure


def bars(heights: Mapping[int, int], chosen: int, *, xlabel: str, ylabel: str) -> Figure:
    """One bar for each whole number, on a logarithmic axis, the chosen one in another colour and hatched."""
    figure, ax = plt.subplots(figsize=(5.2, 3.0))
    figure.subplots_adjust(left=0.15, right=0.98, bottom=0.18, top=0.96)
    bars = ax.bar(list(heights), list(heights.values()), color=COLOURS[0])
    bars[list(heights).index(chosen)].set(color=COLOURS[1], hatch="//", edgecolor="white")
    ax.set(xlabel=xlabel, ylabel=ylabel, yscale="log", ylim=(1, 3e5), xticks=list(heights))
    ax.grid(visible=False, axis="x")
    return figure


def convergence(
    x: Sequence[float], series: Mapping[str, Sequence[float]], *, xlabel: str, ylabel: str, bound: str | None = None
) -> Figure:
    """Measured quantities against x, both axes logarithmic; the one named `bound` is drawn as the proved bound.

    Values that span less than two decades have marks at 1, 2 and 5 times powers of ten around them, in plain decimals.
    """
    figure, ax = plt.subplots(figsize=(5.2, 3.2))
    figure.subplots_adjust(left=0.14, right=0.97, bottom=0.16, top=0.96)
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


def film(
    films: Sequence[tuple[str, np.ndarray]],
    layers: Sequence[str],
    *,
    ylabel: str,
    linear: float = 10.0,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """Tokens as dots moving layer by layer: one panel a sequence, states of shape (at most layers + 1, tokens).

    The vertical axis is linear up to `linear` and logarithmic beyond; jumps before the last layer carry their value.
    It spans the states, or `limits`, the smallest and largest that a whole run of frames will show.
    """
    width = 5.2 if len(films) == 1 else 1.6 * len(films) + 0.65
    lowest, highest = limits or (f([f(states) for _, states in films]) for f in (np.min, np.max))
    left = (0.9 if lowest < 0 else 0.62) / width
    figure, axes = plt.subplots(1, len(films), figsize=(width, 3.2), sharey=True, squeeze=False)
    figure.subplots_adjust(left=left, right=0.99, bottom=0.22, top=0.91, wspace=0.08)
    for ax, (title, states) in zip(axes[0], films, strict=True):
        for token in range(states.shape[1]):
            ax.plot(
                states[:, token],
                STYLES[token % len(STYLES)],
                marker=MARKERS[token % len(MARKERS)],
                color=COLOURS[token % len(COLOURS)],
                label=f"token {token + 1}",
                linewidth=1.4,
                markersize=5,
            )
            # The last layer lifts all, too far to be read off.
            jumps = np.flatnonzero(np.diff(states[: len(layers) - 1, token])) + 1
            for step in jumps:
                ax.annotate(
                    f"{states[step, token]:g}",
                    (step, states[step, token]),
                    xytext=(0, 5),
                    textcoords="offset points",
                    ha="center",
                    fontsize=9,
                )
        ax.set_xticks(range(len(layers)), list(layers), rotation=60, fontsize=10)
        ax.set_xlim(-0.3, len(layers) - 0.7)
        ax.set_title(title, fontsize=10, loc="left" if len(films) == 1 else "center")
    axes[0, 0].set_yscale("symlog", linthresh=linear)
    axes[0, 0].set_ylim(-0.1 * linear if lowest >= 0 else 3 * lowest, 3 * max(highest, linear))
    axes[0, 0].set_ylabel(ylabel)
    if len(films) == 1:
        axes[0, 0].legend(fontsize=9, loc="lower right", bbox_to_anchor=(1.01, 0.98), ncols=4, columnspacing=1)
    else:
        axes[0, 0].legend(fontsize=8, loc="upper left")
    return figure


def id_lines(
    groups: Mapping[str, np.ndarray], interval: tuple[float, float], *, linear: float, xlabel: str = "id"
) -> Figure:
    """Ids as marks on a line, one row a group, with the interval [t_l, t_r] shaded; the axis is symlog."""
    height = 0.45 * len(groups) + 1.0
    figure, ax = plt.subplots(figsize=(5.6, height))
    figure.subplots_adjust(left=0.29, right=0.98, bottom=0.62 / height, top=1 - 0.3 / height)
    ax.axvspan(*interval, color=COLOURS[1], alpha=0.2, linewidth=0)
    ax.annotate(
        "$[t_l, t_r]$", (interval[0], 1), xycoords=("data", "axes fraction"), xytext=(2, 3), textcoords="offset points"
    )
    for row, (_, ids) in enumerate(reversed(list(groups.items()))):
        ax.plot(ids, np.full(len(ids), row), "|", color=COLOURS[row % len(COLOURS)], markersize=13, markeredgewidth=1.2)
    ax.set_yticks(range(len(groups)), list(groups)[::-1])
    ax.set_ylim(-0.6, len(groups) - 0.4)
    ax.set_xscale("symlog", linthresh=linear)
    ends = [f(f(ids) for ids in groups.values()) for f in (min, max)]
    ax.set_xlim(3 * min(ends[0], 0) - 0.2 * linear, 3 * max(ends[1], 0) + 0.2 * linear)
    ax.tick_params(axis="x", labelsize=9)
    ax.set_xlabel(xlabel)
    return figure
