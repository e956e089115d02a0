"""Pictures of functions of a pair of numbers, a key and a query, and of the table of a head that hears both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .style import COLOURS, ERRORS, GREY, bare, canvas, colour_key, heat

BAR = 0.36
"""The longest bar at the side of a table, in halves of its side."""


def pair_squares(
    panels: Sequence[tuple[str, np.ndarray]],
    label: str,
    limits: tuple[float, float],
    *,
    errors: tuple[np.ndarray, str, tuple[float, float]] | None = None,
) -> Figure:
    """Functions of a pair of numbers in [-1, 1]: the key to the right, the query upwards, one colour scale.

    Each panel is (title, values), values[i, j] in the i-th of m equal parts for the key and in the j-th for the query;
    the last one, in other colours, may be `errors`: values, their label and limits.
    """
    blocks = len(panels) + (errors is not None)
    figure, axes = canvas(2.5, squares=True, left=0.45, bottom=0.35, blocks=blocks, across=(blocks, 2), sharey=True)
    axes = np.atleast_1d(axes)
    for ax, (title, values) in zip(axes, panels, strict=False):
        image = heat(ax, title, values, limits, (-1, 1))
    colour_key(figure, image, label)
    if errors is not None:
        colour_key(figure, heat(axes[-1], "error", errors[0], errors[2], (-1, 1), ERRORS), errors[1])
    for ax in axes:
        _names(ax)
    return figure


def heard_tables(tables: Sequence[tuple[str, np.ndarray]], point: tuple[float, float]) -> Figure:
    """Tables of weights for one pair, a cross: a cell for each pair of centres, key to the right, query upwards.

    Each is (title, weights), weights[i, j] for centre i of the key and j of the query; colours go to the largest of
    each table.
    """
    figure, axes = canvas(2.5, squares=True, left=0.45, bottom=0.35, blocks=len(tables), across=(3, 2), sharey=True)
    axes = np.atleast_1d(axes)
    for ax, (title, weights) in zip(axes, tables, strict=True):
        image = heat(ax, title, weights / weights.max(), (0, 1), (-1, 1), ERRORS)
        _mark(ax, point)
        _lines(ax, len(weights))
        _names(ax)
    colour_key(figure, image, "weight / largest")
    return figure


def look_up(
    rows: np.ndarray, columns: np.ndarray, values: np.ndarray, point: tuple[float, float], limits: tuple[float, float]
) -> Figure:
    """A table of values beside that of the weights which are put on them, with the weights of its two sides as bars.

    rows[i] is the weight of centre i of the key, columns[j] that of centre j of the query; the pair is a cross.
    """
    figure, (said, heard) = canvas(2.9, squares=True, left=0.45, bottom=0.35, blocks=2, across=(2, 2), sharey=True)
    weights = np.outer(rows, columns)
    colour_key(figure, heat(said, "what they say", values, limits, (-1, 1)), "value")
    image = heat(heard, "who is heard", weights / weights.max(), (0, 1), (-1, 1), ERRORS)
    colour_key(figure, image, "weight / largest")
    for ax in (said, heard):
        _mark(ax, point)
        _lines(ax, len(rows))
        _names(ax)
    width = 2 / len(rows)
    middles = -1 + width * (np.arange(len(rows)) + 0.5)
    heard.bar(middles, BAR * rows / rows.max(), 0.9 * width, 1.06, color=COLOURS[0], linewidth=0)
    heard.barh(middles, BAR * columns / columns.max(), 0.9 * width, 1.06, color=COLOURS[0], linewidth=0)
    for ax in (said, heard):
        ax.set(xlim=(-1, 1.08 + BAR), ylim=(-1, 1.08 + BAR))
        bare(ax)
        ax.tick_params(pad=6)  # without ticks the marks at the corner would touch
    return figure


def _names(ax: Axes) -> None:
    """Marks at the ends, and between them the names of the axes."""
    ax.set(xticks=(-1, 1), yticks=(-1, 1))
    ax.set_xlabel("key", ha="center")
    ax.xaxis.set_label_coords(0, -0.03, ax.get_xaxis_transform())
    ax.set_ylabel("query", rotation=0, ha="right", va="center")
    ax.yaxis.set_label_coords(-0.03, 0, ax.get_yaxis_transform())


def _mark(ax: Axes, point: tuple[float, float]) -> None:
    ax.plot(*point, "+", color="white", markersize=13, markeredgewidth=4)
    ax.plot(*point, "+", color="black", markersize=12, markeredgewidth=1.8)


def _lines(ax: Axes, cells: int) -> None:
    """The borders of cells."""
    for lines in (ax.hlines, ax.vlines):
        lines(np.linspace(-1, 1, cells + 1)[1:-1], -1, 1, color=GREY, linewidth=0.5, alpha=0.6)
