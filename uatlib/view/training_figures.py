"""Pictures of training: learning curves, what one head hears, weights rounded, ids of words on their lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from .figures import BOUND, COLOURS, MARKERS, MEASURED, STYLES

__all__ = ["learning", "listening", "looks", "rounding", "word_lines"]

GREY = "#808080"
PLAIN = {"markerfacecolor": "none", "markeredgewidth": 1.6}


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


def learning(
    curves: Mapping[str, Sequence[Sequence[float]]],
    *,
    looks: Mapping[str, Mapping[str, Any]],
    ylabel: str = "tokens answered right",
) -> Figure:
    """Accuracies after each epoch, networks by name: the mean of its runs, all of one length, and, thin, each run."""
    figure, ax = plt.subplots(figsize=(5.4, 4.2))
    figure.subplots_adjust(left=0.13, right=0.97, bottom=0.12, top=0.77)
    for k, (name, runs) in enumerate(curves.items()):
        style: Any = looks[name]
        epochs = np.arange(1, len(runs[0]) + 1)
        for accuracies in runs:
            ax.plot(epochs, accuracies, color=style["color"], linewidth=0.6, alpha=0.35)
        every: Any = {"markevery": (20 + 12 * k, 100), "markersize": 6.5}
        ax.plot(epochs, np.mean(runs, axis=0), linewidth=2, label=name, **style, **every)
    ax.axhline(1, color="black", linewidth=0.8)
    ax.set(xlabel="epoch", ylabel=ylabel, ylim=(0.25, 1.04), xlim=(0, None))
    ax.legend(
        fontsize=10.5, ncols=3, loc="lower center", bbox_to_anchor=(0.45, 0.99), handlelength=2.6, columnspacing=1.1
    )
    return figure


def listening(
    points: np.ndarray,
    vectors: tuple[np.ndarray, np.ndarray],
    curve: tuple[np.ndarray, np.ndarray],
    places: tuple[Sequence[float], Sequence[float]],
) -> Figure:
    """Tokens in the plane with v_1 and v_2; beside them what each hears, against what it asks, and a curve.

    `points` has shape (2, n); arrows show directions only. `curve` and `places` are pairs (what is asked, what is
    heard); both axes have the range of what the curve is asked.
    """
    figure, (plane, ax) = plt.subplots(1, 2, figsize=(5.4, 2.9), width_ratios=(1, 1.1))
    figure.subplots_adjust(left=0.08, right=0.985, bottom=0.16, top=0.97, wspace=0.24)
    for k, (name, v) in enumerate(zip(("$v_1$", "$v_2$"), vectors, strict=True)):
        style: Any = {"color": COLOURS[1 + k], "arrowstyle": "-|>", "linewidth": 2, "linestyle": STYLES[k]}
        along = v / np.linalg.norm(v)
        plane.annotate("", 1.6 * along, (0, 0), arrowprops=style)
        plane.annotate(name, 2.05 * along, fontsize=13, ha="center", va="center")
    ax.plot(*curve, color=GREY, linewidth=1.6, zorder=1)
    rank = np.argsort(np.argsort(places[0]))
    for k, (token, asked, heard) in enumerate(zip(points.T, *places, strict=True)):
        for axes, at in ((plane, token), (ax, (asked, heard))):
            axes.plot(*at, MARKERS[k], color=COLOURS[0], markersize=9)
        plane.annotate(str(k + 1), token, (7, 5), textcoords="offset points", fontsize=11)
        # Neighbours on the curve have their numbers on different sides of it.
        beside = (-9, 8) if rank[k] % 2 else (4, -16)
        ax.annotate(str(k + 1), (asked, heard), beside, textcoords="offset points", fontsize=11)
    plane.set(xlim=(-3.1, 3.1), ylim=(-3.1, 3.1), aspect="equal", xticks=(-2, 0, 2), yticks=(-2, 0, 2))
    ends = curve[0][0], curve[0][-1]
    ax.set(xlim=ends, ylim=ends, xlabel="asks", xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    ax.set_ylabel("hears", labelpad=-4)
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
    figure, (above, below) = plt.subplots(2, 1, figsize=(5.6, 4.6), height_ratios=(1, 1.9))
    figure.subplots_adjust(left=0.12, right=0.97, bottom=0.115, top=0.97, hspace=0.42)
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
    below.plot(bits, y[list(x).index(bits)], "o", color="black", markersize=12, **PLAIN)
    below.set(xlabel="significant bits of every weight", ylabel="answered right", ylim=(0.2, 1.05))
    below.legend(fontsize=11, loc="lower right")
    return figure


def word_lines(rows: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]], classes: int) -> Figure:
    """What a word hears in each of its contexts, a row a word, by label; with a cross where the answer is wrong.

    A row is (heard, labels, wrong), each with one entry a context; every row is stretched to the same length.
    """
    figure, ax = plt.subplots(figsize=(5.8, 4.9))
    figure.subplots_adjust(left=0.1, right=0.98, bottom=0.1, top=0.92)
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
