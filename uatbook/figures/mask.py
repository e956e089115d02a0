"""Pictures of masks: who may hear whom in a sequence, with which weight, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .style import COLOURS, GREY, bare, canvas, note

BELOW = -27
"""Points below a grid where stands what is heard."""


@dataclass(frozen=True)
class Hearing:
    """One grid of `hearing_grids`.

    Attributes
    ----------
    title : above the grid
    tokens : what stands at each place, n texts
    visible : the mask, shape (n, n), keys down and queries across
    weights : how much a query hears of a key, shape (n, n)
    heard : what each query hears, n texts
    """

    title: str
    tokens: Sequence[str]
    visible: np.ndarray
    weights: np.ndarray
    heard: Sequence[str]


def hearing_grids(panels: Sequence[Hearing]) -> Figure:
    """Up to three grids side by side: the column of a token shows whom it hears, the area of a square the weight.

    Hidden keys are hatched. Below each column stands what is heard.
    """
    sides: Any = {"left": 0.5, "right": 0.05, "bottom": 0.5, "gap": (0.3, 0)}
    figure, axes = canvas(2.2, squares=True, blocks=len(panels), across=(3, 2), **sides)
    for ax, panel in zip(np.atleast_1d(axes), panels, strict=True):
        _grid(ax, panel)
    aside: Any = {"xycoords": "axes fraction", "ha": "right"}
    first = np.atleast_1d(axes)[0]
    note(first, "heard", (0, 1), (-3, 6), **aside)
    note(first, "hears", (0, 0), (-3, BELOW), va="center", **aside)
    return figure


def _grid(ax: Axes, panel: Hearing) -> None:
    n = len(panel.tokens)
    for i in range(n):
        for j in range(n):
            place = (j - 0.5, i - 0.5)
            if not panel.visible[i, j]:
                hatch: Any = {"facecolor": "none", "edgecolor": GREY, "hatch": "////", "linewidth": 0}
                ax.add_patch(Rectangle(place, 1, 1, alpha=0.7, **hatch))
            elif (weight := float(panel.weights[i, j])) > 0:
                edge = 0.92 * weight**0.5
                corner = (j - edge / 2, i - edge / 2)
                ax.add_patch(Rectangle(corner, edge, edge, facecolor=COLOURS[0], linewidth=0))
    for line in range(n + 1):
        ax.axhline(line - 0.5, color=GREY, linewidth=0.7)
        ax.axvline(line - 0.5, color=GREY, linewidth=0.7)
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
    ax.set_xticks(range(n), list(panel.tokens))
    ax.set_yticks(range(n), list(panel.tokens))
    for j, text in enumerate(panel.heard):
        under: Any = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "center"}
        note(ax, text, (j, 0), (0, BELOW), **under)
    ax.set_title(panel.title, loc="center", pad=5)
    bare(ax)
