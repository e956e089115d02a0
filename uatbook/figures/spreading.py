"""Pictures of sparse attention: who has heard of whom, what reaches a token, who hears whom on a circle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .style import BOUND, COLOURS, GREY, MARKERS, VALUES, bare, canvas, colour_key, hollow, row_name


def reach(panels: Sequence[tuple[str, np.ndarray]], top: int) -> Figure:
    """Grids of who has heard of whom: entry [i, j], in column i and row j from the top, is the layer when i has of j.

    0: before all layers; NaN (not yet) stays empty. Colours are 0, ..., top.
    """
    sides: Any = {"across": (4, 2), "gap": (0.2, 0.3), "sharex": True, "sharey": True}
    figure, axes = canvas(1.45, squares=True, left=0.65, right=0.1, bottom=0.45, blocks=len(panels), **sides)
    colours = ListedColormap(plt.get_cmap(VALUES)(np.linspace(0.2, 0.93, top + 1)))
    for ax, (title, after) in zip(np.atleast_1d(axes), panels, strict=True):
        image = ax.imshow(after.T, colours, vmin=-0.5, vmax=top + 0.5, interpolation="none")
        ends = (0, len(after) - 1)
        ax.set(xticks=ends, yticks=ends, xlabel="hearing")
        ax.tick_params(length=2)
        ax.grid(visible=False)
        row_name(ax, "heard")
        ax.set_title(title)
        for spine in ax.spines.values():
            spine.set(visible=True, color=GREY)
    bar = colour_key(figure, image, "in layer")
    bar.set_ticks(range(top + 1) if top < 9 else range(0, top + 1, 2))
    return figure


def what_reaches(patterns: Sequence[Sequence[Any]], token: int, rows: Mapping[str, Sequence[str]]) -> Figure:
    """Layer by layer upwards, what reaches `token` of the last: tokens stand in columns, lines are who hears whom.

    Blue is what reaches it, grey what does not; dotted lines are the skip connections. Below their
    places stand sequences by name, n texts each, with the places boxed at which they differ.
    """
    n, m = len(patterns[0]), len(patterns)
    height = 4.0 / m
    counted: list[set[int]] = [{token}]
    for N in reversed(patterns):
        counted.insert(0, {j for i in counted[0] for j in {i, *N[i]}})
    figure, ax = canvas(2.9, left=0.95, right=0.05, bottom=0.05, top=0.05)
    for r, N in enumerate(patterns, start=1):
        for i in range(n):
            on = i in counted[r]
            style: Any = {"colors": COLOURS[0] if on else GREY, "alpha": 0.9, "zorder": 1 + on}
            heard = [[(j, (r - 1) * height), (i, r * height)] for j in N[i] if j != i]
            ax.add_collection(LineCollection(heard, linewidths=1.8 if on else 1.2, **style))
            own = [[(i, (r - 1) * height), (i, r * height)]]
            kind = "-" if i in N[i] else ":"
            ax.add_collection(LineCollection(own, linewidths=1.8 if on else 1.2, linestyles=kind, **style))
    for r, inside in enumerate(counted):
        others = sorted(set(range(n)) - inside)
        places = sorted(inside)
        ax.plot(others, [r * height] * len(others), "o", color=GREY, markersize=9, markerfacecolor="white", zorder=4)
        ax.plot(places, [r * height] * len(places), "o", color=COLOURS[0], markersize=9, zorder=4)
    ax.plot(token, m * height, "o", markersize=15, color="black", zorder=5, **hollow(1.4))
    for j in range(n):
        ax.text(j, -0.6, str(j), ha="center", va="center", fontstyle="italic")
    levels = [-1.2 - 0.6 * k for k in range(len(rows))]
    for level, texts in zip(levels, rows.values(), strict=True):
        for j, text in enumerate(texts):
            ax.text(j, level, text, ha="center", va="center")
    for j in range(n):
        if len({texts[j] for texts in rows.values()}) > 1:
            corner = (j - 0.3, levels[-1] - 0.28)
            tall = levels[0] - levels[-1] + 0.56
            ax.add_patch(Rectangle(corner, 0.6, tall, fill=False, edgecolor=BOUND, linewidth=1.6))
    ax.set(xlim=(-0.6, n - 0.4), ylim=(min([-0.6, *levels]) - 0.4, 4.5), xticks=())
    names = ["input", *(f"layer {r}" for r in range(1, m + 1)), "place", *rows]
    ax.set_yticks([*(r * height for r in range(m + 1)), -0.6, *levels], names)
    bare(ax)
    return figure


def circles(panels: Sequence[tuple[str, Sequence[Any], Sequence[Sequence[int]]]], most: int = 30) -> Figure:
    """Patterns on circles: (title, pattern, groups of marked tokens); arrows lead from a token to those that hear it.

    Loops, a token that hears itself, are not drawn; where two hear each other there is a line without heads. Marked
    tokens are orange squares, those of a group with its number outside. Of over `most` lines only those at squares
    are drawn.
    """
    figure, axes = canvas(2.3, squares=True, left=0.1, right=0.1, bottom=0.1, blocks=len(panels), across=(3, 1))
    for ax, (title, N, groups) in zip(np.atleast_1d(axes), panels, strict=True):
        n, marked = len(N), {i: k for k, group in enumerate(groups, start=1) for i in group}
        turns = np.pi / 2 - 2 * np.pi * np.arange(n) / n
        at = np.stack([np.cos(turns), np.sin(turns)], axis=1)
        size = 9 if n < 20 else 6
        pairs = [(j, i, i in N[j]) for i, row in enumerate(N) for j in set(row) - {i} if i not in N[j] or j < i]
        if len(pairs) > most:
            pairs = [pair for pair in pairs if pair[0] in marked or pair[1] in marked]
        ax.add_collection(LineCollection([(at[j], at[i]) for j, i, _ in pairs], colors=GREY, linewidths=0.9))
        heads = [_head(at[j], at[i], 0.012 * size) for j, i, mutual in pairs if not mutual]
        ax.add_collection(PolyCollection(heads, facecolors=GREY, edgecolors="none", zorder=3))
        plain = sorted(set(range(n)) - set(marked))
        ax.plot(*at[plain].T, MARKERS[0], color=COLOURS[0], markersize=size, zorder=4)
        ax.plot(*at[list(marked)].T, MARKERS[1], color=BOUND, markersize=size + 1, zorder=4)
        for i, k in marked.items():
            ax.text(*(1.2 * at[i]), str(k), ha="center", va="center")
        ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), xticks=(), yticks=())
        ax.set_title(title)
        bare(ax)
    return figure


def _head(start: np.ndarray, end: np.ndarray, away: float) -> np.ndarray:
    """The corners of an arrow's head that stops short of its end."""
    along = (end - start) / np.hypot(*(end - start))
    tip, across = end - away * along, np.array([-along[1], along[0]])
    return np.array([tip, tip - 0.11 * along + 0.045 * across, tip - 0.11 * along - 0.045 * across])
