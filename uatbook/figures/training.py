"""Pictures of training: when networks had learned, weights rounded, ids of words on their lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from .style import (
    BOUND,
    COLOURS,
    GREY,
    MARKERS,
    MEASURED,
    STYLES,
    axis_names,
    canvas,
    hollow,
    line_names,
    marks_key,
)

SHORT = 11
"""Letters of a line."""


def looks(groups: Sequence[Sequence[str]]) -> dict[str, dict[str, Any]]:
    """Line properties by name, for all pictures of a page: a colour for each group, line style and marker within it."""
    return {
        name: {
            "color": COLOURS[k % len(COLOURS)],
            "linestyle": STYLES[j % len(STYLES)],
            "marker": MARKERS[(k + 2 * j) % len(MARKERS)],
        }
        for k, group in enumerate(groups)
        for j, name in enumerate(group)
    }


def arrivals(epochs: Mapping[str, Sequence[float]], *, last: int, looks: Mapping[str, Mapping[str, Any]]) -> Figure:
    """When each run arrived, a row a network, with the median as a bar; on the right those that never did (inf)."""
    figure, ax = canvas(0.29 * len(epochs) + 0.1, left=1.4, top=0.1)
    low = min(min(runs) for runs in epochs.values())
    never = 2.4 * last
    for row, (name, runs) in enumerate(epochs.items(), 1):
        x = np.minimum(np.sort(runs), never)
        # Neighbours above each other, so that equal ones are seen.
        y = row + 0.2 * (np.arange(len(x)) % 3 - 1)
        ax.plot(x, y, **{**looks[name], "linestyle": "none"}, markersize=5, alpha=0.7)
        middle = min(float(np.median(runs)), never)
        ax.plot([middle, middle], [row - 0.38, row + 0.38], color="black", linewidth=2)
    ax.axvline(last, color=GREY, linewidth=0.8)
    ax.set(xscale="log", xlim=(low / 1.15, 1.15 * never), ylim=(len(epochs) + 0.6, 0.4), xlabel="epoch")
    ticks = [t for t in (25, 50, 100, 200, 400) if low / 1.15 <= t <= last]
    ax.set_xticks([*ticks, never], [*map(str, ticks), "never"])
    ax.minorticks_off()
    ax.set_yticks(range(1, len(epochs) + 1), list(epochs))
    ax.grid(visible=False, axis="y")
    return figure


def rounding(
    wrong: np.ndarray,
    curves: Mapping[str, tuple[Sequence[int], Sequence[float]]],
    chosen: str,
    bits: int,
    looks: Mapping[str, Mapping[str, Any]],
) -> Figure:
    """Above all tokens, a column for each sequence, crosses where the answer is wrong; below accuracy against bits.

    `wrong` has shape (N, n); `curves` are (bits, accuracies) by name, of which one is chosen, at one number of bits.
    """
    figure, (above, below) = canvas((0.95, 1.6), gap=(0, 0.75))
    # An image, and one line for all crosses, since as many marks as there are tokens would make a heavy picture.
    tint: Any = {"cmap": ListedColormap([MEASURED, "none"]), "alpha": 0.4, "vmin": 0, "vmax": 1}
    above.imshow(wrong.T, extent=(0.5, len(wrong) + 0.5, wrong.shape[1] + 0.5, 0.5), aspect="auto", **tint)
    above.plot(*_crosses(*np.nonzero(wrong)), color=BOUND, linewidth=1.3)
    N, n = wrong.shape
    above.set(xlim=(0.5, N + 0.5), ylim=(n + 0.5, 0.5), yticks=range(1, n + 1))
    axis_names(above, "sequence", "token")
    above.grid(visible=False)
    lines = {}
    for name, (x, y) in curves.items():
        width = 2.6 if name == chosen else 1.0
        (lines[name],) = below.plot(x, y, linewidth=width, markersize=5, clip_on=False, label=name, **looks[name])
    x, y = curves[chosen]
    below.plot(bits, y[list(x).index(bits)], "o", color="black", markersize=12, **hollow(1.6))
    below.set(xlim=(0, max(x)), ylim=(0.2, 1.05))
    axis_names(below, "significant bits of every weight", "answered right")
    # In two lines, so that the sequences above have room on a phone.
    line_names(below, {fill(name, SHORT): line for name, line in lines.items()})
    return figure


def _crosses(columns: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The strokes of crosses around the middles of these cells, as one line with breaks."""
    reach = 0.3 * np.array([-1, 1, np.nan, -1, 1, np.nan])
    return (columns[:, None] + 1 + reach).ravel(), (rows[:, None] + 1 + reach * [1, 1, 1, -1, -1, 1]).ravel()


def word_lines(rows: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]], classes: int) -> Figure:
    """What a word hears in each of its contexts, a row a word, by label; with a cross where the answer is wrong.

    A row is (heard, labels, wrong), each with one entry a context; every row is stretched to the same length.
    """
    figure, ax = canvas(3.5, left=0.4, bottom=0.4)
    key = {}
    for row, (heard, labels, wrong) in enumerate(rows):
        span = heard.max() - heard.min()
        x = (heard - heard.min()) / (span if span > 0 else 1)
        ax.axhline(row + 1, color=GREY, linewidth=0.6, zorder=0)
        # Under the labels, so that both are seen.
        crosses: Any = {"color": "black", "markersize": 11, "markeredgewidth": 1.6, "zorder": 1}
        (key["wrong"],) = ax.plot(x[wrong], [row + 1] * wrong.sum(), "x", **crosses)
        for label in range(classes):
            here = labels == label
            style: Any = {"color": COLOURS[label], "markersize": 6, "alpha": 0.85}
            (key[str(label)],) = ax.plot(x[here], [row + 1] * here.sum(), MARKERS[label], **style)
    ax.set(ylim=(len(rows) + 0.7, 0.3), xticks=(0, 1), yticks=range(1, len(rows) + 1, 3))
    ax.set_xticklabels(["least", "most"])
    axis_names(ax, "what it hears", "word")
    ax.xaxis.labelpad = -8
    ax.grid(visible=False)
    marks_key(ax, {"label 0" if name == "0" else name: line for name, line in key.items()})
    return figure
