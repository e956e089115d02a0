"""Pictures of rings of tokens: who hears whom, which tokens look alike from one of them, signals around the ring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from .partition import TINT
from .style import COLOURS, GREY, axis_names, bare, canvas, hollow, line_names, look

REACH = 1.5


class Ring(NamedTuple):
    """Tokens on a circle, 0 at the top, the others clockwise.

    Token i hears those in rows[i]. Tokens of one kind, 0, 1, ..., have one colour, None grey; `inside` is written in.
    A circle is drawn around the `listener`; None: around none.
    """

    title: str
    rows: Sequence[AbstractSet[int]]
    kinds: Sequence[int | None]
    inside: Sequence[str]
    outside: Sequence[str]
    listener: int | None = 0


def rings(panels: Sequence[Ring]) -> Figure:
    """One ring a panel."""
    figure, axes = canvas(
        1.75, squares=True, left=0.05, right=0.05, bottom=0.05, blocks=len(panels), across=(4, 2), gap=(0.1, 0.1)
    )
    for ax, panel in zip(np.atleast_1d(axes), panels, strict=True):
        _ring(ax, panel)
    return figure


def ring(panel: Ring) -> Figure:
    """One ring, larger."""
    figure, ax = canvas(2.9, left=0.05, right=0.05, bottom=0.05)
    _ring(ax, panel)
    return figure


def ring_and_signal(panel: Ring, curves: Mapping[str, Sequence[float]], limits: tuple[float, float]) -> Figure:
    """A ring, and curves over it, one value a token, drawn once around."""
    figure, (left, right) = canvas(2.4, left=0.35, blocks=2, across=(2, 1), bottom=0.45)
    _ring(left, panel)
    n, lines = len(panel.rows), {}
    for k, (name, values) in enumerate(curves.items()):
        (lines[name],) = right.plot(range(n + 1), [*values, values[0]], linewidth=1.8, **{**look(k), "markersize": 4})
    right.set(xlim=(0, n), ylim=limits, xticks=range(0, n + 1, 3), yticks=(-1, 0, 1))
    right.set_xticklabels([str(k % n) for k in range(0, n + 1, 3)])
    axis_names(right, "token")
    line_names(right, lines)
    return figure


def _ring(ax: Axes, panel: Ring) -> None:
    n = len(panel.rows)
    turns = 2 * np.pi * np.arange(n) / n
    places = np.stack([np.sin(turns), np.cos(turns)], axis=1)
    links = [(i, j) for i, row in enumerate(panel.rows) for j in row if i != j]
    mutual = [(i, j) for i, j in links if i < j and i in panel.rows[j]]
    ax.add_collection(LineCollection([places[[i, j]] for i, j in mutual], colors=GREY, linewidths=0.9, zorder=1))
    for i, j in links:
        if i not in panel.rows[j]:
            arrow: Any = {"arrowstyle": "-|>", "color": GREY, "shrinkA": 8, "shrinkB": 8, "linewidth": 0.9}
            ax.annotate("", places[i], places[j], arrowprops=arrow, zorder=1)
    for k, (x, y) in enumerate(places):
        kind = panel.kinds[k]
        colour = GREY if kind is None else COLOURS[kind % len(COLOURS)]
        # A letter on a tint is read in both themes; the white disc hides the links.
        ax.plot(x, y, "o", markersize=14, color="white", zorder=2)
        ax.plot(x, y, "o", markersize=14, color=to_rgba(colour, TINT), markeredgecolor=colour, zorder=2)
        style: Any = {"ha": "center", "va": "center", "zorder": 4}
        ax.text(x, y, panel.inside[k], **style)
        ax.text(1.36 * x, 1.36 * y, panel.outside[k], **style)
    if panel.listener is not None:
        ax.plot(*places[panel.listener], "o", markersize=19, color=COLOURS[1], zorder=3, **hollow())
    ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), xticks=(), yticks=(), aspect="equal")
    ax.set_title(panel.title)
    bare(ax)
