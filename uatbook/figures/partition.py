"""Pictures of max-affine partitions: lines and the cells below them, cells of the plane, what a head makes of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from .style import COLOURS, GREY, MARKERS, MEASURED, STYLES, axis_names, bare, canvas, line_names, note

TINT = 0.5
"""How dense the colour of a cell is."""


def _colour(k: int) -> str:
    return COLOURS[k % len(COLOURS)]


def _runs(owner: np.ndarray) -> list[tuple[int, int, int]]:
    """(cell, first, after the last) of each stretch of equal numbers."""
    cuts = [0, *(np.flatnonzero(np.diff(owner)) + 1).tolist(), len(owner)]
    return [(int(owner[a]), a, b) for a, b in itertools.pairwise(cuts)]


def _strip(ax: Axes, x: np.ndarray, owner: np.ndarray) -> None:
    """The cells of a line as a coloured band, numbered from 1 where there is room."""
    step = x[1] - x[0]
    for cell, a, b in _runs(owner):
        left, right = max(x[0], x[a] - step / 2), min(x[-1], x[b - 1] + step / 2)
        ax.add_patch(Rectangle((left, 0), right - left, 1, facecolor=_colour(cell), alpha=TINT, linewidth=0))
        if right - left > 0.07 * (x[-1] - x[0]):
            ax.text((left + right) / 2, 0.5, str(cell + 1), ha="center", va="center")
    ax.set(xlim=(x[0], x[-1]), ylim=(0, 1), yticks=())
    bare(ax)


def _lines(ax: Axes, x: np.ndarray, lines: Mapping[str, np.ndarray], owner: np.ndarray) -> dict[str, Line2D]:
    """Lines, and the highest of them bold, in the colour of its owner."""
    drawn = {
        name: ax.plot(x, y, STYLES[k % 4], color=_colour(k), linewidth=1.4)[0]
        for k, (name, y) in enumerate(lines.items())
    }
    values = list(lines.values())
    for cell, a, b in _runs(owner):
        end = min(b + 1, len(x))
        ax.plot(x[a:end], values[cell][a:end], color=_colour(cell), linewidth=4, solid_capstyle="butt")
    return drawn


def envelope(x: np.ndarray, lines: Mapping[str, np.ndarray], owner: np.ndarray, limits: tuple[float, float]) -> Figure:
    """Lines over an axis, the highest bold, and below them the cells: `owner` numbers the highest line at each x."""
    figure, (above, below) = canvas((2.3, 0.32), gap=(0, 0.1), sharex=True)
    drawn = _lines(above, x, lines, owner)
    above.set(xlim=(x[0], x[-1]), ylim=limits)
    _strip(below, x, owner)
    axis_names(above, "", "score")
    axis_names(below, "$x$")
    line_names(above, drawn)
    return figure


def plane_cells(
    panels: Sequence[tuple[str, np.ndarray, np.ndarray | None]],
    ends: tuple[float, float],
    points: tuple[np.ndarray, Sequence[int]] | None = None,
) -> Figure:
    """Cells of a square of the plane: panels (title, owner, sites), owner[i, j] the cell at the i-th x_1 and j-th x_2.

    Sites of shape (2, N) are numbered from 1, or, where they are None, the cells at their middles. Labelled points, of
    shape (2, count), are in the last panel, without other numbers.
    """
    figure, axes = canvas(
        2.7, squares=True, left=0.35, bottom=0.35, blocks=len(panels), across=(3, 2 if len(panels) > 1 else 1)
    )
    palette = np.array([to_rgb(colour) for colour in COLOURS])
    panes = np.atleast_1d(axes)
    for ax, (title, owner, sites) in zip(panes, panels, strict=True):
        shade = np.concatenate([palette[owner.T % len(COLOURS)], np.full((*owner.T.shape, 1), TINT)], axis=-1)
        ax.imshow(shade, origin="lower", extent=(*ends, *ends), interpolation="none")
        if sites is not None:
            for k, (u, v) in enumerate(sites.T):
                ax.plot(u, v, MARKERS[0], color="black", markersize=4)
                note(ax, str(k + 1), (u, v), (5, 3))
        elif points is None or ax is not panes[-1]:
            for k in np.unique(owner):
                middle = ends[0] + (ends[1] - ends[0]) * (np.argwhere(owner == k).mean(axis=0) + 0.5) / owner.shape
                ax.text(*middle, str(k + 1), ha="center", va="center")
        ax.set(xlim=ends, ylim=ends, xticks=ends, yticks=ends)
        ax.set_title(title)
        ax.xaxis.labelpad = ax.yaxis.labelpad = -6
        ax.set_xlabel("$x_1$")
        ax.set_ylabel("$x_2$", rotation=0)
        ax.grid(visible=False)
    if points is not None:
        for k in sorted(set(points[1])):
            here = points[0][:, [label == k for label in points[1]]]
            ax.plot(*here, MARKERS[k % len(MARKERS)], color=_colour(k), markersize=5, markeredgecolor="black")
    return figure


def lead_lines(
    owner: np.ndarray, ends: tuple[float, float], lines: Sequence[tuple[tuple[int, int], np.ndarray, np.ndarray]]
) -> Figure:
    """Cells of a square as in `plane_cells`, and lines ((i, j), outer, inner), as many as one point is in the end.

    The outer point is of cell j, the inner of cell i: the lead of y_i over y_j grows along the line, which goes on as
    far again as the two are apart. Beside it stands what follows there, i > j.
    """
    figure = plane_cells([("", owner, None)], ends)
    (ax, *_) = figure.axes
    for (i, j), outer, inner in lines:
        step = inner - outer
        ax.plot(*np.array([outer, inner]).T, color="black", linewidth=1.2)
        for cell, point in ((i, inner), (j, outer)):
            ax.plot(*point, MARKERS[cell % len(MARKERS)], color=_colour(cell), markersize=6, markeredgecolor="black")
        ax.annotate(
            "",
            tuple(inner + step),
            tuple(inner),
            arrowprops={"arrowstyle": "->", "linestyle": "--", "shrinkA": 3, "shrinkB": 8},
        )
        u, v = inner + 0.62 * step + 0.36 * np.array([-step[1], step[0]])
        ax.text(u, v, f"{i + 1} > {j + 1}", ha="center", va="center")
    return figure


def melting(
    x: np.ndarray,
    owner: np.ndarray,
    weights: np.ndarray,
    values: Mapping[str, np.ndarray] | None = None,
    *,
    lost: Sequence[tuple[float, float]] = (),
) -> Figure:
    """What a head attends to, weights of shape (N, m) over x, above the cells; and with `values` what it returns.

    The first of `values` is what is wanted. Intervals `lost` are shaded: there the margin is too small.
    """
    rows = (1.5, 0.3) if values is None else (1.5, 0.3, 1.3)
    figure, axes = canvas(rows, gap=(0, 0.34), sharex=True)
    above, strip = axes[:2]
    for k, row in enumerate(weights):
        above.plot(x, row, color=_colour(k), linewidth=2)
    above.set(xlim=(x[0], x[-1]), ylim=(-0.03, 1.03), yticks=(0, 0.5, 1))
    axis_names(above, "", "weight")
    _strip(strip, x, owner)
    spans = [above]
    if values is not None:
        below = axes[2]
        drawn = {
            name: below.plot(x, y, STYLES[1 - k], color=(GREY, MEASURED)[k], linewidth=(3, 2)[k])[0]
            for k, (name, y) in enumerate(values.items())
        }
        below.set_xlim(x[0], x[-1])
        axis_names(below, "", "value")
        line_names(below, drawn)
        spans.append(below)
    for ax in spans:
        for start, end in lost:
            ax.axvspan(start, end, color=GREY, alpha=0.3, linewidth=0)
    axis_names(axes[-1], "$x$")
    return figure


def attended(x: np.ndarray, lines: np.ndarray, owner: np.ndarray, tokens: np.ndarray, weights: np.ndarray) -> Figure:
    """Lines (N, m) with tokens on the highest, and beside them the attention matrix (N, N) in areas of squares.

    Columns after that of the last token are grey: W_O drops them.
    """
    figure, (left, right) = canvas(2.5, left=0.45, blocks=2, across=(2, 1), gap=(0.55, 0), squares=True)
    _lines(left, x, {str(k): row for k, row in enumerate(lines)}, owner)
    top = lines.max(axis=0)
    for j, token in enumerate(tokens):
        height = float(np.interp(token, x, top))
        left.plot(token, height, "o", color="black", markersize=7, zorder=3)
        note(left, str(j + 1), (token, height), (0, 6), ha="center")
    low, high = float(top.min()), float(top.max())
    left.set(xlim=(x[0], x[-1]), ylim=(low - 0.4 * (high - low), high))
    axis_names(left, "token $x_j$", "score")
    N, n = len(weights), len(tokens)
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            side = 0.92 * float(weight) ** 0.5
            colour = _colour(i) if j < n else GREY
            right.add_patch(
                Rectangle((j - side / 2, i - side / 2), side, side, color=colour, alpha=1 if j < n else 0.4)
            )
    right.axvline(n - 0.5, color="black", linewidth=1.2)
    right.set(xlim=(-0.6, N - 0.4), ylim=(N - 0.4, -0.6))
    right.set_xticks(range(N), [str(j + 1) for j in range(N)])
    right.set_yticks(range(N), [str(i + 1) for i in range(N)])
    axis_names(right, "column", "component")
    bare(right)
    return figure
