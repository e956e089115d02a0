"""The picture that returns through the book: cut, tell apart, look up, and which layers do each of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..sources import SOURCES, STEPS
from .style import COLOURS, GREY, MARKERS, bare, canvas, note

CELLS, HERE = 4, (1, 2)
ANSWERS = (0.45, 0.8, 0.3, 0.62)


def schematic(source: str, lit: str | Sequence[str] = STEPS, hears: Any = None) -> Figure:
    """The three steps of a proof of this source, those that a page is about in colour.

    `hears` is a square matrix: entry (i, j) says whether token j hears token i; without one all tokens hear all.
    """
    text = SOURCES[source]
    wanted = {lit} if isinstance(lit, str) else set(lit)
    if unknown := wanted - set(STEPS):
        raise ValueError(f"schematic: expected lit among {STEPS}, got {sorted(unknown)}.")
    heard = np.ones((3, 3), bool) if hears is None else np.asarray(hears, bool)
    figure, axes = canvas(1.0, left=0.1, right=0.1, bottom=0.55, top=0.65, blocks=3, across=(3, 3), gap=(0.25, 0))
    glyphs: tuple[Callable[[Axes, str], None], ...] = (_cells, lambda ax, colour: _mixing(ax, colour, heard), _table)
    for k, (ax, step, layers) in enumerate(zip(axes, STEPS, text.steps, strict=True)):
        on = step in wanted
        ax.set(xlim=(0, 1), ylim=(0, 1), xticks=(), yticks=(), aspect="equal", anchor="C")
        bare(ax)
        glyphs[k](ax, COLOURS[k] if on else GREY)
        weight = "bold" if on else "normal"
        note(ax, f"{k + 1}  {step}", (0.5, 1), (0, 7), xycoords="axes fraction", ha="center", weight=weight)
        note(ax, layers, (0.5, 0), (0, -6), xycoords="axes fraction", ha="center", va="top")
    for ax, following in itertools.pairwise(axes):
        ends: Any = {"xycoords": following.transAxes, "textcoords": ax.transAxes}
        ax.annotate("", (-0.07, 0.5), (1.07, 0.5), **ends, arrowprops={"arrowstyle": "->", "color": GREY})
    note(axes[0], f"{text.authors}: {text.proof}", (0, 1), (0, 28), xycoords="axes fraction")
    return figure


def _cells(ax: Axes, colour: str) -> None:
    """A square of cells, the one of a sequence filled."""
    edges = np.linspace(0.05, 0.95, CELLS + 1)
    side = edges[1] - edges[0]
    ax.add_patch(Rectangle((edges[HERE[0]], edges[HERE[1]]), side, side, color=colour, alpha=0.35, lw=0))
    ax.vlines(edges, edges[0], edges[-1], color=colour, linewidth=1)
    ax.hlines(edges, edges[0], edges[-1], color=colour, linewidth=1)
    x, y = (edges[k] + share * side for k, share in zip(HERE, (0.65, 0.35), strict=True))
    ax.plot(x, y, "o", color=colour, markersize=5)


def _mixing(ax: Axes, colour: str, heard: np.ndarray) -> None:
    """Tokens before and after, a line to each from those that it hears; afterwards no two look alike."""
    places = np.linspace(0.1, 0.9, len(heard))
    for i, j in np.argwhere(heard):
        ax.plot([places[i], places[j]], [0.14, 0.86], color=colour, linewidth=1, alpha=0.55)
    for k, x in enumerate(places):
        ax.plot(x, 0.1, "o", color=colour, markersize=7)
        ax.plot(x, 0.9, MARKERS[k % len(MARKERS)], color=colour, markersize=8)


def _table(ax: Axes, colour: str) -> None:
    """Numbers on the left, the answer to each on the right."""
    for k, answer in enumerate(ANSWERS):
        y = 0.86 - 0.24 * k
        ax.plot(0.1, y, MARKERS[k], color=colour, markersize=6)
        ax.annotate("", (0.4, y), (0.18, y), arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 1})
        ax.add_patch(Rectangle((0.45, y - 0.07), 0.5 * answer, 0.14, color=colour, alpha=0.8, lw=0))
