"""Pictures of training: when networks had learned, weights rounded, ids of words on their lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, GREY, MARKERS, MEASURED, STYLES, canvas, hollow


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
    height = 0.36 * len(epochs) + 1.0
    figure, ax = canvas((5.8, height), (0.31, 0.97, 0.62 / height, 0.98))
    low = min(min(runs) for runs in epochs.values())
    never = 1.7 * last
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
    split: Any = {"rows": 2, "height_ratios": (1, 1.9), "space": (None, 0.42)}
    figure, (above, below) = canvas((5.6, 4.6), (0.12, 0.97, 0.115, 0.97), **split)
    # An image, since as many marks as there are tokens would make a heavy picture.
    tint: Any = {"cmap": ListedColormap([MEASURED, "none"]), "alpha": 0.4, "vmin": 0, "vmax": 1}
    above.imshow(wrong.T, extent=(0.5, len(wrong) + 0.5, wrong.shape[1] + 0.5, 0.5), aspect="auto", **tint)
    columns, places = np.nonzero(wrong)
    above.plot(columns + 1, places + 1, "x", color=BOUND, markersize=6, markeredgewidth=2)
    N, n = wrong.shape
    above.set(xlim=(0.5, N + 0.5), ylim=(n + 0.5, 0.5), yticks=range(1, n + 1), ylabel="token", xlabel="sequence")
    above.grid(visible=False)
    for name, (x, y) in curves.items():
        below.plot(x, y, linewidth=2.6 if name == chosen else 1.0, markersize=5, label=name, **looks[name])
    x, y = curves[chosen]
    below.plot(bits, y[list(x).index(bits)], "o", color="black", markersize=12, **hollow(1.6))
    below.set(xlabel="significant bits of every weight", ylabel="answered right", ylim=(0.2, 1.05))
    below.legend(fontsize=11, loc="lower right")
    return figure


def word_lines(rows: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]], classes: int) -> Figure:
    """What a word hears in each of its contexts, a row a word, by label; with a cross where the answer is wrong.

    A row is (heard, labels, wrong), each with one entry a context; every row is stretched to the same length.
    """
    figure, ax = canvas((5.8, 4.9), (0.1, 0.98, 0.1, 0.92))
    for row, (heard, labels, wrong) in enumerate(rows):
        span = heard.max() - heard.min()
        x = (heard - heard.min()) / (span if span > 0 else 1)
        ax.axhline(row + 1, color=GREY, linewidth=0.6, zorder=0)
        # Under the labels, so that both are seen.
        crosses: Any = {"color": "black", "markersize": 12, "markeredgewidth": 1.6, "zorder": 1}
        ax.plot(x[wrong], [row + 1] * wrong.sum(), "x", label=None if row else "wrong", **crosses)
        for label in range(classes):
            here = labels == label
            style: Any = {"color": COLOURS[label], "label": f"label {label}" if row == 0 else None}
            ax.plot(x[here], [row + 1] * here.sum(), MARKERS[label], markersize=6.5, alpha=0.85, **style)
    ax.set(ylim=(len(rows) + 0.7, 0.3), xticks=(0, 1), yticks=range(1, len(rows) + 1, 3), ylabel="word")
    ax.set_xticklabels(["least", "most"])
    ax.set_xlabel("what it hears", labelpad=-8)
    ax.grid(visible=False)
    ax.legend(fontsize=10.5, ncols=classes + 1, loc="lower center", bbox_to_anchor=(0.48, 0.985), columnspacing=1)
    return figure
