"""Pictures of a network with one layer of attention: sums of ReLUs, bumps at ids, and the plane around the box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .general import COLOURS, GREY, STYLES


def relu_sums(
    z: np.ndarray, curves: Mapping[str, np.ndarray], bands: Sequence[tuple[float, float]], limits: tuple[float, float]
) -> Figure:
    """Functions of one number, the later ones thinner on the earlier ones; bands of z and the unit interval are shaded.

    What leaves the `limits` of the vertical axis leaves the picture.
    """
    figure, ax = plt.subplots(figsize=(5.4, 3.3))
    figure.subplots_adjust(left=0.12, right=0.98, bottom=0.15, top=0.89)
    ax.axvspan(0, 1, color=GREY, alpha=0.12, linewidth=0, label="box")
    for k, (start, end) in enumerate(bands):
        ax.axvspan(float(start), float(end), color=COLOURS[2], alpha=0.35, linewidth=0, label=None if k else "bands")
    for k, (name, values) in enumerate(curves.items()):
        ax.plot(z, values, STYLES[k], color=COLOURS[k], label=name, linewidth=max(1.8, 3.2 - 1.4 * k))
    ax.set(xlabel="$z$", ylabel="sum of ReLUs", xlim=(z[0], z[-1]), ylim=limits)
    ax.legend(fontsize=10, loc="lower right", bbox_to_anchor=(1.01, 0.97), ncols=len(curves) + 2, columnspacing=1)
    return figure


def hats(rows: Mapping[str, Mapping[str, tuple[float, float]]], radius: float, *, xlabel: str, ylabel: str) -> Figure:
    """Bumps, a panel for each row: `rows[row][name]` is (centre, height) of a triangle of half width `radius`.

    Names stand over the tips, `ylabel` above the first axis.
    """
    height = 0.95 * len(rows) + 1.0
    figure, axes = plt.subplots(len(rows), 1, figsize=(5.6, height), sharex=True, sharey=True, squeeze=False)
    figure.subplots_adjust(left=0.23, right=0.97, bottom=0.55 / height, top=1 - 0.35 / height, hspace=0.12)
    tops = [top for hats_ in rows.values() for _, top in hats_.values()]
    for ax, (row, row_hats) in zip(axes[:, 0], rows.items(), strict=True):
        ax.axhline(0, color=GREY, linewidth=1)
        for name, (centre, top) in row_hats.items():
            ax.fill([centre - radius, centre, centre + radius], [0, top, 0], color=COLOURS[0], linewidth=0)
            ax.annotate(name, (centre, top), (0, 2), textcoords="offset points", ha="center", fontsize=9)
        ax.set_ylim(min(0.0, *tops), 1.45 * max(tops))
        ax.set_ylabel(row, rotation=0, ha="right", va="center", fontsize=10)
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
    figure, axes = plt.subplots(1, len(panels), figsize=(width, height), sharey=True, squeeze=False)
    figure.subplots_adjust(left=0.55 / width, right=1 - 1.0 / width, bottom=bottom, top=top, wspace=0.12)
    for ax, (title, values) in zip(axes[0], panels, strict=True):
        image = ax.imshow(
            values.T,
            origin="lower",
            extent=(*extent, *extent),
            vmin=limits[0],
            vmax=limits[1],
            interpolation="none",
            cmap="viridis",
        )
        ax.add_patch(Rectangle((0, 0), 1, 1, fill=False, edgecolor=COLOURS[1], linewidth=1.4, linestyle="--"))
        ax.set(xticks=(0, 1), yticks=(0, 1), xlabel="$x_1$")
        ax.set_title(title, fontsize=11)
        ax.grid(visible=False)
    axes[0, 0].set_ylabel("$x_2$")
    bar = figure.add_axes((1 - 0.88 / width, bottom, 0.13 / width, top - bottom))
    figure.colorbar(image, cax=bar, label=label)
    return figure
