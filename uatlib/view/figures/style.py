"""The house style of pictures: colours, markers, axes, and what many pictures draw alike.

Colours keep a contrast of 3 : 1 on white and on the dark page, and differ for colour-blind readers; lines and markers
differ in shape as well. Black and white follow the page's theme when the book is built.
"""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..explorer.svg import SVG_STYLE

GREY = "#808080"
COLOURS = ("#3b7fc4", "#d1661f", "#2e8b6f", "#9a6fc0", "#c2557f", GREY)
MARKERS = ("o", "s", "^", "D", "v", "P")
MEASURED, BOUND = COLOURS[0], COLOURS[1]
STYLES = ("-", "--", "-.", ":")

STYLE: Any = {
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "figure.figsize": (5.6, 3.4),
    "figure.subplot.bottom": 0.17,
    "figure.subplot.right": 0.97,
    "figure.subplot.top": 0.92,
    "font.size": 11,
    "grid.alpha": 0.25,
    "grid.color": GREY,
    "image.cmap": "viridis",
    "legend.frameon": False,
    "savefig.facecolor": "white",
    **SVG_STYLE,
}


def use() -> None:
    """Apply the house style, and show figures of this notebook as SVG."""
    plt.rcParams.update(STYLE)
    try:
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    set_matplotlib_formats("svg", bbox_inches=None)  # type: ignore[no-untyped-call]


def bare(ax: Axes) -> None:
    """Leave only what is drawn: no grid, ticks or frame."""
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def canvas(
    size: tuple[float, float],
    sides: tuple[float, float, float, float],
    *,
    rows: int = 1,
    grid: tuple[int, int] | None = None,
    space: tuple[float | None, float | None] = (None, None),
    **options: Any,
) -> tuple[Figure, Any]:
    """A figure of `size` inches and its axes: one, `rows` of them, or an array for a `grid` of rows and columns.

    `sides` are left, right, bottom and top, as shares of the figure; `space` is that between columns and between rows.
    """
    figure, axes = plt.subplots(*(grid or (rows, 1)), figsize=size, squeeze=grid is None, **options)
    left, right, bottom, top = sides
    figure.subplots_adjust(left, bottom, right, top, *space)
    return figure, axes


def over(ax: Axes, columns: int, size: float = 10, at: tuple[float, float] = (1.01, 0.97), **more: Any) -> None:
    """A legend above the axes, at the right."""
    ax.legend(fontsize=size, ncols=columns, loc="lower right", bbox_to_anchor=at, columnspacing=1, **more)


def note(ax: Axes, text: str, at: Any, shift: tuple[float, float], **style: Any) -> Any:
    """A text `shift` points beside a place."""
    return ax.annotate(text, at, shift, textcoords="offset points", **style)


def row_name(ax: Axes, name: str, size: float = 10) -> None:
    """A name at the left of axes that are a row."""
    ax.set_ylabel(name, rotation=0, ha="right", va="center", fontsize=size)


def hollow(width: float = 2, **more: Any) -> dict[str, Any]:
    """Properties of a marker that is only its edge."""
    return {"markerfacecolor": "none", "markeredgewidth": width, **more}


def look(k: int) -> dict[str, Any]:
    """Colour, marker and line of the k-th of several, which return after the last."""
    return {
        "color": COLOURS[k % len(COLOURS)],
        "marker": MARKERS[k % len(MARKERS)],
        "linestyle": STYLES[k % len(STYLES)],
    }


def heat(
    ax: Axes,
    title: str,
    values: np.ndarray,
    limits: tuple[float, float],
    ends: tuple[float, float] = (0, 1),
    size: float = 11,
) -> Any:
    """A function of two scalar tokens over a square: x_1 to the right, x_2 upwards; NaN is drawn grey."""
    palette = plt.get_cmap().with_extremes(bad=GREY)
    where: Any = {"origin": "lower", "extent": (*ends, *ends), "interpolation": "none"}
    ax.set(xticks=(0, 1), yticks=(0, 1))
    ax.set_title(title, fontsize=size)
    ax.grid(visible=False)
    return ax.imshow(values.T, palette, vmin=limits[0], vmax=limits[1], **where)
