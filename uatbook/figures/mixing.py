"""Pictures of token mixers: who hears whom, means as points of balance, digits as beads, accuracies with ceilings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .style import COLOURS, GREY, MARKERS, bare, canvas, hollow, note, room_at_left, row_name


def mixing_weights(panels: Sequence[tuple[str, np.ndarray]]) -> Figure:
    """Matrices of shape (n, n) as squares: entry (i, j), row i from the top, is what token j hears of token i.

    The area of a square is the size of the entry, the largest of its panel filling its place; negative entries are
    hollow.
    """
    across: Any = {"across": (4 if len(panels) == 4 else 3, 2), "gap": (0.2, 0), "sharex": True, "sharey": True}
    figure, axes = canvas(1.7, squares=True, left=0.55, right=0.1, bottom=0.25, blocks=len(panels), **across)
    for ax, (title, weights) in zip(np.atleast_1d(axes), panels, strict=True):
        n = len(weights)
        sides = 0.9 * np.sqrt(np.abs(weights) / np.abs(weights).max())
        for which, colour in ((weights > 0, COLOURS[0]), (weights < 0, "none")):
            i, j = np.nonzero(which)
            corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * sides[i, j, None, None] / 2
            squares = corners + np.stack([j, i], axis=-1)[:, None]
            ax.add_collection(PolyCollection(squares, facecolors=colour, edgecolors=COLOURS[0], linewidths=1))
        ax.set(xlim=(-0.6, n - 0.4), ylim=(n - 0.4, -0.6), xticks=(), yticks=(), xlabel="hearing")
        row_name(ax, "heard")
        ax.set_title(title)
        for spine in ax.spines.values():
            spine.set(visible=True, color=GREY)
    return figure


def balance(
    sequences: Mapping[str, Sequence[int]], outputs: Mapping[str, float], values: int, limits: tuple[float, float]
) -> Figure:
    """Sequences of numbers 0, ..., values - 1 as weights on a beam, propped at the mean; below, numbers on one line.

    `outputs` has the names of `sequences`; `limits` are the ends of the lower line. Equal tokens are stacked.
    """
    figure, axes = canvas([0.75] * (len(sequences) + 1), top=0.05, gap=(0, 0.35))
    for k, (ax, (name, tokens)) in enumerate(zip(axes, sequences.items(), strict=False)):
        ax.plot([-0.3, values - 0.7], [0, 0], color=GREY, linewidth=2.5, zorder=1)
        for place, token in enumerate(tokens):
            height = 0.24 + 0.42 * list(tokens[:place]).count(token)
            ax.plot(token, height, MARKERS[k], color=COLOURS[k], markersize=9)
        mean = float(np.mean(tokens))
        ax.plot(mean, -0.3, "^", color="black", markersize=11)
        note(ax, f"mean {mean:.4g}", (mean, -0.3), (9, -4))
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
    room_at_left(below, [*sequences, "output"])
    return figure


def abacus(beads: Sequence[int], digits: Sequence[int], base: int) -> Figure:
    """Beads on wires worth base^0, base^1, ..., as they were put there, and after base of them became one on the next.

    Wires stand like digits, the smallest to the right. Beads that came from another wire are hollow; of those that were
    put on a wire as many stay as can.
    """
    wires, top = len(digits), max(sum(beads), base - 1) + 0.6
    figure, axes = canvas(1.9, left=0.15, blocks=2, across=(2, 2))
    put = [*beads, *[0] * (wires - len(beads))]
    for ax, title, counts in zip(axes, ("one bead a token", "after carrying"), (put, digits), strict=True):
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
        ax.set_xticks(range(wires), names)
        ax.set_title(title)
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
    figure, ax = canvas(3.2, left=0.65, right=0.05, bottom=0.05, top=0.05)
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
        ax.text(j, -0.55, str(j), ha="center", va="center", fontstyle="italic")
    levels = [-1.15 - 0.55 * k for k in range(len(rows))]
    for level, row in zip(levels, rows, strict=True):
        for j, number in enumerate(row):
            ax.text(j, level, str(number), ha="center", va="center")
    for j in range(n):
        if len({row[j] for row in rows}) > 1:
            low, height = levels[-1] - 0.27, levels[0] - levels[-1] + 0.54
            box = Rectangle((j - 0.32, low), 0.64, height, fill=False, edgecolor=COLOURS[1], linewidth=1.6)
            ax.add_patch(box)
    ax.set(xlim=(-0.6, n - 0.4), ylim=(levels[-1] - 0.4, 4.4), xticks=())
    names = ["input", *(f"layer {k + 1}" for k in range(layers)), "place", "one", "other"]
    ticks = [*heights, -0.55, *levels]
    ax.set_yticks(ticks, names[: len(ticks)])
    bare(ax)
    return figure


def single_runs(runs: Mapping[str, Sequence[float]], ceilings: Mapping[str, float]) -> Figure:
    """Shares of right answers from one half to 1: a row for each mixer, a dot for each run, a line its ceiling.

    The dots of a row stand one below the other in the order of the runs, so that equal ones can be counted.
    """
    figure, ax = canvas(0.75 * len(runs), top=0.1)
    for row, (name, shares) in enumerate(runs.items()):
        places = row + np.linspace(-0.36, 0.36, len(shares))
        ax.vlines(ceilings[name], row - 0.46, row + 0.46, color="black", linewidth=1.2)
        ax.plot(shares, places, "o", color=COLOURS[row % len(COLOURS)], markersize=4.5)
    ax.set(xlim=(0.48, 1.02), xticks=(0.5, 0.625, 0.75, 0.875, 1), ylim=(len(runs) - 0.5, -0.5))
    ax.set_xticklabels(("½", "⅝", "¾", "⅞", "1"))
    ax.set_yticks(range(len(runs)), list(runs))
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("share of right answers; lines: ceilings")
    room_at_left(ax, runs)
    return figure
