"""Pictures of token mixers: who hears whom, means as points of balance, digits as beads, accuracies with ceilings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .style import COLOURS, GREY, MARKERS, bare, canvas, hollow, note, row_name


def mixing_weights(panels: Sequence[tuple[str, np.ndarray]]) -> Figure:
    """Matrices of shape (n, n) as squares: entry (i, j), row i from the top, is what token j hears of token i.

    The area of a square is the size of the entry, the largest of its panel filling its place; negative entries are
    hollow. Three panels a row.
    """
    rows = -(-len(panels) // 3)
    height = 1.95 * rows + 0.35
    sides = (0.08, 0.99, 0.4 / height, 1 - 0.3 / height)
    figure, axes = canvas((5.6, height), sides, grid=(rows, 3), space=(0.15, 0.25))
    for ax, (title, weights) in zip(axes.flat, panels, strict=False):
        n = len(weights)
        largest = np.abs(weights).max()
        for (i, j), weight in np.ndenumerate(weights):
            if weight == 0:
                continue
            side = 0.9 * float(np.sqrt(abs(weight) / largest))
            style: Any = {"facecolor": COLOURS[0]} if weight > 0 else {"fill": False}
            corner = (j - side / 2, i - side / 2)
            ax.add_patch(Rectangle(corner, side, side, edgecolor=COLOURS[0], linewidth=1, **style))
        ax.set(xlim=(-0.6, n - 0.4), ylim=(n - 0.4, -0.6), xticks=(), yticks=(), aspect="equal")
        ax.set_title(title, fontsize=10)
        for spine in ax.spines.values():
            spine.set(visible=True, color=GREY)
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    for ax in axes[:, 0]:
        ax.set_ylabel("heard", fontsize=10)
    for ax in axes[-1]:
        ax.set_xlabel("hearing", fontsize=10)
    return figure


def balance(
    sequences: Mapping[str, Sequence[int]], outputs: Mapping[str, float], values: int, limits: tuple[float, float]
) -> Figure:
    """Sequences of numbers 0, ..., values - 1 as weights on a beam, propped at the mean; below, numbers on one line.

    `outputs` has the names of `sequences`; `limits` are the ends of the lower line. Equal tokens are stacked.
    """
    rows = len(sequences) + 1
    figure, axes = canvas((5.2, 1.1 * rows + 0.25), (0.17, 0.97, 0.15, 0.99), rows=rows, space=(None, 0.55))
    for k, (ax, (name, tokens)) in enumerate(zip(axes, sequences.items(), strict=False)):
        ax.plot([-0.3, values - 0.7], [0, 0], color=GREY, linewidth=2.5, zorder=1)
        for place, token in enumerate(tokens):
            height = 0.24 + 0.42 * list(tokens[:place]).count(token)
            ax.plot(token, height, MARKERS[k], color=COLOURS[k], markersize=9)
        mean = float(np.mean(tokens))
        ax.plot(mean, -0.3, "^", color="black", markersize=11)
        note(ax, f"mean {mean:.4g}", (mean, -0.3), (10, -4), fontsize=10)
        ax.set(xlim=(-0.6, values - 0.4), ylim=(-0.65, 1.15), yticks=(), xticks=range(values))
        row_name(ax, name)
        bare(ax)
    below = axes[-1]
    below.axhline(0, color=GREY, linewidth=1)
    for k, (name, output) in enumerate(outputs.items()):
        ring = hollow() if k else {}
        below.plot(output, 0, MARKERS[k], color=COLOURS[k], markersize=8 + 5 * k, label=name, **ring)
    below.set(xlim=limits, ylim=(-1, 1), yticks=(), xlabel="token 0 after the layer")
    row_name(below, "output")
    bare(below)
    return figure


def abacus(beads: Sequence[int], digits: Sequence[int], base: int) -> Figure:
    """Beads on wires worth base^0, base^1, ..., as they were put there, and after base of them became one on the next.

    Wires stand like digits, the smallest to the right. Beads that came from another wire are hollow; of those that were
    put on a wire as many stay as can.
    """
    wires, top = len(digits), max(*beads, *digits, base - 1) + 0.6
    figure, axes = canvas((5.2, 2.9), (0.02, 0.98, 0.2, 0.9), grid=(1, 2), sharey=True, space=(0.08, None))
    put = [*beads, *[0] * (wires - len(beads))]
    for ax, title, counts in zip(axes[0], ("one bead a token", "after carrying"), (put, digits), strict=True):
        ax.vlines(range(wires), -0.5, top, color=GREY, linewidth=1)
        ax.axhline(base - 0.5, color=COLOURS[1], linestyle="--", linewidth=1.2)
        ax.axhline(-0.5, color=GREY, linewidth=2.5)
        for wire, count in enumerate(counts):
            stayed = min(count, put[wire])
            ax.plot([wire] * stayed, range(stayed), "o", color=COLOURS[0], markersize=13)
            carried = range(stayed, count)
            ax.plot([wire] * len(carried), carried, "o", color=COLOURS[0], markersize=12, **hollow())
        ax.set(xlim=(wires - 0.4, -0.6), ylim=(-0.7, top), yticks=())
        names = [f"{base**wire}\n×{count}" for wire, count in enumerate(counts)]
        ax.set_xticks(range(wires), names, fontsize=10)
        ax.set_title(title, fontsize=10)
        bare(ax)
    return figure


def hearing(
    n: int, reach: tuple[int, int], fields: Sequence[range], token: int, rows: Sequence[Sequence[int]]
) -> Figure:
    """Which of n tokens reach `token` of the last layer; a token hears `reach` tokens to the left and to the right.

    fields[l] are those that count after l layers; the last is the token alone. The input stands at height 0 and the
    last layer at 4. Below the places stand one or two sequences of n numbers each, `rows`, with the places boxed at
    which they differ.
    """
    layers = len(fields) - 1
    # The same height for every depth, so that frames do not jump.
    heights = [4 * layer / layers for layer in range(layers + 1)]
    figure, ax = canvas((5.4, 3.8), (0.16, 0.99, 0.02, 0.98))
    lines = [
        [(a, heights[layer]), (b, heights[layer + 1])]
        for layer in range(layers)
        for b in fields[layer + 1]
        for a in range(max(0, b - reach[0]), min(n, b + reach[1] + 1))
    ]
    ax.add_collection(LineCollection(lines, colors=COLOURS[0], linewidths=0.8, alpha=0.6, zorder=1))
    for layer, field in enumerate(fields):
        others = [j for j in range(n) if j not in field]
        ax.plot(others, [heights[layer]] * len(others), "o", markersize=8, color=GREY, markerfacecolor="none")
        ax.plot(list(field), [heights[layer]] * len(field), "o", markersize=8, color=COLOURS[0])
    ax.plot(token, heights[-1], "o", markersize=14, color=COLOURS[1], **hollow())
    for j in range(n):
        ax.text(j, -0.55, str(j), ha="center", va="center", fontsize=11.5, fontstyle="italic")
    levels = [-1.15 - 0.55 * k for k in range(len(rows))]
    for level, row in zip(levels, rows, strict=True):
        for j, number in enumerate(row):
            ax.text(j, level, str(number), ha="center", va="center", fontsize=12.5)
    for j in range(n):
        if len({row[j] for row in rows}) > 1:
            low, height = levels[-1] - 0.27, levels[0] - levels[-1] + 0.54
            box = Rectangle((j - 0.32, low), 0.64, height, fill=False, edgecolor=COLOURS[1], linewidth=1.6)
            ax.add_patch(box)
    ax.set(xlim=(-0.6, n - 0.4), ylim=(levels[-1] - 0.4, 4.4), xticks=())
    names = ["input", *(f"layer {k + 1}" for k in range(layers)), "place", "one", "other"]
    ticks = [*heights, -0.55, *levels]
    ax.set_yticks(ticks, names[: len(ticks)], fontsize=11.5)
    bare(ax)
    return figure


def accuracies(
    tasks: Sequence[str], measured: Mapping[str, Sequence[float]], ceilings: Mapping[str, Sequence[float]]
) -> Figure:
    """Bars from one half, a group for each task and one bar for each mixer, with its ceiling as a black line.

    Where a bar is too low to be seen, 1/2 is written.
    """
    figure, ax = canvas((6.2, 3.5), (0.1, 0.99, 0.1, 0.81))
    width = 0.8 / len(measured)
    hatches = (None, "///", "...", "xxx")
    for k, (mixer, values) in enumerate(measured.items()):
        places = np.arange(len(tasks)) + (k - (len(measured) - 1) / 2) * width
        heights = np.asarray(values) - 0.5
        style: Any = {"color": COLOURS[k], "hatch": hatches[k % 4], "edgecolor": "white", "linewidth": 0.5}
        ax.bar(places, heights, 0.9 * width, bottom=0.5, label=mixer, **style)
        half = 0.45 * width
        strokes = ax.hlines(ceilings[mixer], places - half, places + half, color="black", linewidth=2)
        for place, height in zip(places, heights, strict=True):
            if height < 0.01:
                note(ax, "½", (place, 0.5), (0, 5), ha="center", fontsize=12)
    strokes.set_label("ceiling")
    ax.set(ylim=(0.47, 1.04), ylabel="tokens answered right")
    ax.set_xticks(range(len(tasks)), list(tasks))
    ax.grid(visible=False, axis="x")
    entries = sorted(zip(*ax.get_legend_handles_labels(), strict=True), key=lambda entry: entry[1] == "ceiling")
    handles, names = zip(*entries, strict=True)
    above: Any = {"loc": "lower center", "bbox_to_anchor": (0.45, 1)}
    ax.legend(handles, names, ncols=3, fontsize=10.5, columnspacing=1.2, **above)
    return figure
