"""Pictures of small domains in the plane: the balls that cover them, and what is answered on them and beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.path import Path
from matplotlib.transforms import AffineDeltaTransform

from .style import COLOURS, CUT, ERRORS, canvas, colour_key, heat

Balls = tuple[np.ndarray, float]
"""Centres, of shape (N, 2), and a radius."""


def cells_and_balls(path: np.ndarray, corners: np.ndarray, side: float, balls: Balls, titles: Sequence[str]) -> Figure:
    """A domain in the square [-1, 1]^2 under a grid of cells, and under balls.

    `path` are the points of the domain in order, of shape (k, 2); `corners` are the lower
    left ones of the cells that it meets, which are filled, and `side` is theirs.
    """
    figure, (left, right) = canvas(3.0, squares=True, left=0.35, bottom=0.35, blocks=2, across=(2, 1))
    lines = np.arange(-1, 1 + side / 2, side)
    for draw in (left.vlines, left.hlines):
        draw(lines, -1, 1, colors="black", linewidth=0.4, alpha=0.5)
    filled = [Rectangle((float(x), float(y)), side, side) for x, y in corners]
    left.add_collection(PatchCollection(filled, facecolor=CUT, alpha=0.45, linewidth=0))
    _balls(right, balls)
    for ax, title in zip((left, right), titles, strict=True):
        _plane(ax, title, path)
    left.set_ylabel("$x_2$", rotation=0)
    return figure


def small_domain(
    path: np.ndarray,
    balls: Balls,
    answer: np.ndarray,
    errors: np.ndarray,
    *,
    limits: tuple[float, float],
    top: float,
    reach: float,
    unit: str,
) -> Figure:
    """Balls over a domain, the answer over the square [-reach, reach]^2, and errors in colours up to `top`.

    answer[i, j] and errors[i, j] belong to the i-th of m equal parts for x_1 and the j-th for x_2; where an error is
    NaN nothing is drawn. `unit` is the one of errors. In `path`, of shape (k, 2), NaN separates what is no line: dots.
    """
    figure, axes = canvas(2.5, squares=True, left=0.35, bottom=0.35, blocks=3, across=(3, 2), sharey=True)
    _balls(axes[0], balls)
    colour_key(figure, heat(axes[1], "", answer, limits, (-reach, reach)), "answer of token 1")
    image = heat(axes[2], "", errors, (0, top), (-reach, reach), ERRORS)
    image.set_cmap(image.get_cmap().with_extremes(bad="#ffffff00"))
    colour_key(figure, image, f"error, in {unit}")
    for ax, title in zip(axes, (f"{len(balls[0])} balls", "the network", "its error"), strict=True):
        _plane(ax, title, path, reach)
    axes[0].set_ylabel("$x_2$", rotation=0)
    return figure


def _balls(ax: Axes, balls: Balls) -> None:
    centers, radius = balls
    # One path for all of them: pages stay small.
    circle = PathCollection(
        [Path.circle((0, 0), radius)], offsets=centers, offset_transform=ax.transData, linewidth=0.8
    )
    scaled: Any = ax.transData
    circle.set(transform=AffineDeltaTransform(scaled), facecolor=COLOURS[0] + "30", edgecolor=COLOURS[0])
    ax.add_collection(circle)


def _plane(ax: Axes, title: str, path: np.ndarray, reach: float = 1.2) -> None:
    ax.plot(*path.T, color="black", linewidth=1, marker="o" if np.isnan(path).any() else "", markersize=3)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=(-1, 1), yticks=(-1, 1), aspect="equal")
    ax.set_title(title)
    ax.grid(visible=False)
    ax.xaxis.labelpad = ax.yaxis.labelpad = -6
    ax.set_xlabel("$x_1$")
