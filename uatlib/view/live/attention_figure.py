"""The first frame of the live picture of attention: the plane and the tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle

from ..figures.style import COLOURS, GREY, bare, note
from .attention_run import SAME, Run, listed
from .picture import number

MARKS = (("s", COLOURS[0]), ("^", COLOURS[1]), ("o", "black"))
"""Tokens of the first context, of the second, of both."""
WEIGHT_COLOURS = (COLOURS[2], COLOURS[3], COLOURS[4])


def draw_plane(ax: Axes, run: Run, window: tuple[tuple[float, float], tuple[float, float]]) -> None:
    """Tokens, whom the listener hears, and where the layer puts each token."""
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    ax.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    for c, context in enumerate(run.contexts):
        listener = run.tokens[context[run.at]]
        for token, weight in zip(context, run.weights[c][:, run.at], strict=True):
            style: Any = {"color": COLOURS[c], "alpha": 0.2 + 0.5 * weight}
            if weight < 0.001:
                continue
            if token == context[run.at]:
                ax.plot(
                    *listener,
                    "o",
                    markersize=17 + 6 * c,
                    markerfacecolor="none",
                    markeredgewidth=1 + 4 * weight,
                    **style,
                )
                continue
            bow = f"arc3,rad={0.28 if c else -0.28}"
            ax.add_patch(
                FancyArrowPatch(
                    run.tokens[token], listener, connectionstyle=bow, arrowstyle="->", mutation_scale=11,
                    linewidth=1 + 4 * weight, shrinkA=8, shrinkB=10, zorder=1, **style,
                )
            )  # fmt: skip
        for token, (x, y) in zip(context, run.outputs[c], strict=True):
            width = 3.2 if c == 0 and len(run.contexts) > 1 else 1.6
            alone = len(run.contexts) == 1
            ends: Any = {
                "arrowstyle": "->" if alone else "-",
                "color": COLOURS[c],
                "linewidth": width,
                "alpha": 0.55 if c == 0 else 1,
            }
            ax.annotate("", (x, y), run.tokens[token], arrowprops={**ends, "shrinkA": 0, "shrinkB": 0})
            if alone:
                continue
            tip: Any = {"markerfacecolor": "none", "markersize": 11} if c == 0 else {"markersize": 5.5}
            ax.plot(x, y, "o", color=COLOURS[c], markeredgewidth=2, zorder=3, **tip)
    for token, (x, y) in run.tokens.items():
        kinds = [c for c, context in enumerate(run.contexts) if token in context]
        marker, colour = MARKS[2 if len(kinds) == len(run.contexts) else kinds[0]]
        ax.plot(x, y, marker, color=colour, markersize=8, zorder=4)
        note(ax, token, (x, y), (0, -18), ha="center")
    for k, (key, (x, y)) in enumerate(run.vectors.items()):
        colour, square = WEIGHT_COLOURS[k % 3], x * x + y * y
        if (
            len(run.contexts) == 1 and square and run.projects(key)
        ):  # what tokens show and ask: feet on the vector's line
            ax.axline((0, 0), (x, y), color=colour, alpha=0.6, linewidth=1, linestyle=(0, (5, 4)))
            for u, v in run.tokens.values():
                share = (u * x + v * y) / square
                ax.plot((u, share * x), (v, share * y), ":", color=colour, alpha=0.6, linewidth=1)
                ax.plot(share * x, share * y, "o", color=colour, markersize=4)
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 2.2})
        length = np.hypot(x, y) or 1
        note(ax, f"${key}$", (x, y), (12 * x / length, 12 * y / length), ha="center", va="center", color=colour)
    ax.set(xlim=window[0], ylim=window[1], aspect="equal", adjustable="box", anchor="NW")
    ax.tick_params(labelsize=9)
    if found := run.apart():
        different = [token for token, gap in found.items() if not gap < SAME]
        said = f"told apart: {listed(different)}" if different else f"{listed(list(found))}: the same in both"
        ax.set_title(said, fontsize=11, loc="left", fontweight="bold", color=COLOURS[4] if different else "black")


def draw_table(ax: Axes, run: Run, c: int) -> None:
    """Weights or scores of context c: keys down, queries across."""
    context, weights = run.contexts[c], run.weights[c]
    shown = run.scores(c) if run.wants_scores else weights
    n, largest = len(context), max(float(np.abs(shown).max()), 1e-300)
    for i in range(n):
        for k in range(n):
            cell: Any = {"facecolor": COLOURS[c], "alpha": 0.5 * abs(shown[i, k]) / largest, "linewidth": 0}
            ax.add_patch(Rectangle((k, i), 1, 1, **cell))
            hidden = run.lists is not None and i not in run.lists[k]
            said = "–" if hidden else _cell(shown[i, k], run.wants_scores)
            ax.text(k + 0.5, i + 0.5, said, ha="center", va="center", fontsize=9)
    ax.add_patch(Rectangle((run.at, 0), 1, n, fill=False, edgecolor="black", linewidth=1.6))
    ax.set(xlim=(0, n), ylim=(n, 0), xticks=np.arange(n) + 0.5, yticks=np.arange(n) + 0.5)
    ax.set(xticklabels=context, yticklabels=context)
    ax.set_box_aspect(0.7)
    ax.set_anchor("N")
    ax.xaxis.tick_top()
    bare(ax)
    what = "scores" if run.wants_scores else "weights"
    title = f"{what}: {run.names[c]}" if len(run.contexts) > 1 else what
    ax.set_title(title, fontsize=10, loc="left")


def _cell(value: float, score: bool) -> str:
    """A number of the table, in four letters or so."""
    return number(value, (0 if abs(value) >= 99.95 else 1) if score else 2)
