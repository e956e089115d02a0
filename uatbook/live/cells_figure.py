"""The first frame of the live picture of cells: the plane, and the same along a line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from ..figures.style import COLOURS, VALUES, axis_names, canvas, note
from .cells_run import INDICATOR, SURE, Run
from .picture import number

if TYPE_CHECKING:
    from .cells import Cells

D = 3.0
FILLS = (*COLOURS[:5], "#a68a2a", "#2f93ad", "#807060")
FADE = 0.65
"""Opacity of the colours of cells."""
PIXELS, LATTICE, LINE = 96, 121, 241


def draw_cells(shown: Cells, run: Run) -> Figure:
    """The plane at the left, the line through the probe at the right."""
    figure, (plane, line) = canvas(
        2.9, left=0.3, right=0.1, bottom=0.45, top=0.3, blocks=2, across=(2, 1), gap=(0.5, 0), squares=True
    )
    _draw_plane(plane, shown, run)
    _draw_line(line, shown, run)
    return figure


def _draw_plane(ax: Axes, shown: Cells, run: Run) -> None:
    middles = (2 * np.arange(PIXELS) + 1 - PIXELS) * D / PIXELS
    points = np.stack([np.tile(middles, PIXELS), np.repeat(middles, PIXELS)])  # x_1 runs fastest
    where: Any = {"origin": "lower", "extent": (-D, D, -D, D), "interpolation": "none"}
    if run.kind == INDICATOR:
        mixed = run.answers(points, INDICATOR).T @ [to_rgb(colour) for colour in FILLS[: run.N]]
        colours = np.hstack([mixed.clip(0, 1), np.full((len(mixed), 1), FADE)])
        ax.imshow(colours.reshape(PIXELS, PIXELS, 4), **where)
    else:
        low, high = shown.limits[run.kind]
        ax.imshow(run.head(points).reshape(PIXELS, PIXELS), VALUES, vmin=low, vmax=high, **where)
    axis = np.linspace(-D, D, LATTICE)
    y = run.components(np.stack([np.tile(axis, LATTICE), np.repeat(axis, LATTICE)]))
    core = math.log((run.N - 1) / SURE) / run.R
    for i in range(run.N):
        ahead = (y[i] - np.delete(y, i, axis=0).max(axis=0)).reshape(LATTICE, LATTICE)
        for level, style in ((0, "solid"), (core, "dashed")):
            if ahead.min() < level < ahead.max():
                ax.contour(axis, axis, ahead, [level], colors="black", linewidths=1.2, linestyles=style)
        x = run.sites[:, i]
        ax.plot(*x, "o", color=FILLS[i], markeredgecolor="black", markersize=8)
        note(ax, f"$s_{i + 1}$", tuple(x), (7, 5))
        if run.weights[i] > 0:
            edge: Any = {"fill": False, "edgecolor": "black", "linestyle": "dotted", "linewidth": 0.8}
            ax.add_patch(Circle((x[0], x[1]), math.sqrt(run.weights[i]), **edge))
    px, py = run.probe
    for draw, at in ((ax.axhline, py), (ax.axvline, px)):
        draw(at, color="black", linewidth=0.8)
    ax.plot(px, py, "o", markerfacecolor="none", markeredgecolor="black", markersize=11)
    ax.set(xlim=(-D, D), ylim=(-D, D))
    ax.set_title("dashed: 0.99 for sure", loc="right")
    axis_names(ax, "$x_1$", "$x_2$")
    ax.grid(visible=False)


def _draw_line(ax: Axes, shown: Cells, run: Run) -> None:
    """Along the horizontal line through the probe: the attention to each cell, or the answer and what it shall be."""
    t = np.linspace(-D, D, LINE)
    points = np.stack([t, np.full(LINE, run.probe[1])])
    ax.axvline(run.probe[0], color="black", linewidth=0.8)
    if run.kind == INDICATOR:
        for i, row in enumerate(run.answers(points, INDICATOR)):
            ax.plot(t, row, color=FILLS[i], linewidth=2)
            if row.max() > 0.4:
                middle = float((row**4 * t).sum() / (row**4).sum())
                note(ax, f"$s_{i + 1}$", (middle, 1), (0, -14), ha="center", color=FILLS[i])
        what = "attention"
    else:
        cell = run.components(points).argmax(axis=0)
        wanted = run.on_cells(points)[cell, np.arange(LINE)]
        steps = np.flatnonzero(np.diff(cell)) + 1
        ax.plot(t, run.head(points), color=COLOURS[1], linewidth=3)
        ax.plot(np.insert(t, steps, np.nan), np.insert(wanted, steps, np.nan), color="black", linewidth=1.4)
        what = "the head"
        ax.set_title("wanted", loc="right")
    low, high = shown.limits[run.kind]
    ax.set(xlim=(-D, D), ylim=(low - 0.03 * (high - low), high + 0.03 * (high - low)))
    along = f"{what} along $x_2 = {number(run.probe[1], 2)}$".replace("\N{MINUS SIGN}", "-")
    ax.set_title(along, color="black" if run.kind == INDICATOR else COLOURS[1])
    axis_names(ax, "$x_1$")
