"""Pictures of a network with one layer of attention: sums of ReLUs, bumps at ids, and the plane around the box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .style import COLOURS, GREY, STYLES, canvas, heat, note, over, row_name


def relu_sums(
    z: np.ndarray, curves: Mapping[str, np.ndarray], bands: Sequence[tuple[float, float]], limits: tuple[float, float]
) -> Figure:
    """Functions of one number, the later ones thinner on the earlier ones; bands of z and the unit interval are shaded.

    What leaves the `limits` of the vertical axis leaves the picture.
    """
    figure, ax = canvas((5.4, 3.3), (0.12, 0.98, 0.15, 0.89))
    ax.axvspan(0, 1, color=GREY, alpha=0.12, linewidth=0, label="box")
    for k, (start, end) in enumerate(bands):
        ax.axvspan(float(start), float(end), color=COLOURS[2], alpha=0.35, linewidth=0, label=None if k else "bands")
    for k, (name, values) in enumerate(curves.items()):
        ax.plot(z, values, STYLES[k], color=COLOURS[k], label=name, linewidth=max(1.8, 3.2 - 1.4 * k))
    ax.set(xlabel="$z$", ylabel="sum of ReLUs", xlim=(z[0], z[-1]), ylim=limits)
    over(ax, len(curves) + 2)
    return figure


def hats(rows: Mapping[str, Mapping[str, tuple[float, float]]], radius: float, *, xlabel: str, ylabel: str) -> Figure:
    """Bumps, a panel for each row: `rows[row][name]` is (centre, height) of a triangle of half width `radius`.

    Names stand over the tips, `ylabel` above the first axis.
    """
    height = 0.95 * len(rows) + 1.0
    shared: Any = {"grid": (len(rows), 1), "sharex": True, "sharey": True, "space": (None, 0.12)}
    figure, axes = canvas((5.6, height), (0.23, 0.97, 0.55 / height, 1 - 0.35 / height), **shared)
    tops = [top for hats_ in rows.values() for _, top in hats_.values()]
    for ax, (row, row_hats) in zip(axes[:, 0], rows.items(), strict=True):
        ax.axhline(0, color=GREY, linewidth=1)
        for name, (centre, top) in row_hats.items():
            ax.fill([centre - radius, centre, centre + radius], [0, top, 0], color=COLOURS[0], linewidth=0)
            note(ax, name, (centre, top), (0, 2), ha="center", fontsize=9)
        ax.set_ylim(min(0.0, *tops), 1.45 * max(tops))
        row_name(ax, row)
        ax.yaxis.set_label_coords(-0.09, 0.5)
    axes[0, 0].set_title(ylabel, fontsize=10, loc="left")
    axes[-1, 0].set_xlabel(xlabel)
    axes[-1, 0].locator_params(axis="x", nbins=6)
    return figure


def plane(
    panels: Sequence[tuple[str, np.ndarray]], label: str, limits: tuple[float, float], extent: tuple[float, float]
) -> Figure:
    """Functions of two scalar tokens on a square around the unit box, which is outlined; one colour scale.

    Each panel is (title, values), values[i, j] at the i-th of equal parts of the interval `extent` for x_1, at the j-th
    for x_2.
    """
    side = 3.0 if len(panels) == 1 else 2.0
    width, height = (side + 0.15) * len(panels) + 1.4, side + 0.8
    bottom, top = 0.5 / height, 1 - 0.3 / height
    across: Any = {"grid": (1, len(panels)), "sharey": True, "space": (0.12, None)}
    figure, axes = canvas((width, height), (0.55 / width, 1 - 1.0 / width, bottom, top), **across)
    for ax, (title, values) in zip(axes[0], panels, strict=True):
        image = heat(ax, title, values, limits, extent)
        ax.add_patch(Rectangle((0, 0), 1, 1, fill=False, edgecolor=COLOURS[1], linewidth=1.4, linestyle="--"))
        ax.set_xlabel("$x_1$")
    axes[0, 0].set_ylabel("$x_2$")
    bar = figure.add_axes((1 - 0.88 / width, bottom, 0.13 / width, top - bottom))
    figure.colorbar(image, cax=bar, label=label)
    return figure
