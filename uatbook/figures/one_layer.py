"""Pictures of a network with one layer of attention: sums of ReLUs, and bumps at ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .style import COLOURS, GREY, STYLES, axis_names, canvas, line_names, note


def relu_sums(
    z: np.ndarray, curves: Mapping[str, np.ndarray], bands: Sequence[tuple[float, float]], limits: tuple[float, float]
) -> Figure:
    """Functions of one number, the later ones thinner on the earlier ones; bands of z and the unit interval are shaded.

    What leaves the `limits` of the vertical axis leaves the picture.
    """
    figure, ax = canvas(2.6)
    ax.axvspan(0, 1, color=GREY, alpha=0.12, linewidth=0)
    for start, end in bands:
        ax.axvspan(float(start), float(end), color=COLOURS[2], alpha=0.35, linewidth=0)
    top = {"xycoords": ("data", "axes fraction")}
    note(ax, "box", (0.5, 1), (0, -10), ha="center", **top)
    note(ax, "bands", (min(float(start) for start, _ in bands), 1), (-4, -10), ha="right", **top)
    lines = {
        name: ax.plot(z, values, STYLES[k], color=COLOURS[k], linewidth=max(1.8, 3.2 - 1.4 * k))[0]
        for k, (name, values) in enumerate(curves.items())
    }
    ax.set(xlim=(z[0], z[-1]), ylim=limits)
    axis_names(ax, "$z$", "sum of ReLUs")
    line_names(ax, lines)
    return figure


def hats(rows: Mapping[str, Mapping[str, tuple[float, float]]], radius: float, *, xlabel: str, ylabel: str) -> Figure:
    """Bumps, a panel for each row: `rows[row][name]` is (centre, height) of a triangle of half width `radius`.

    Names stand over the tips, `ylabel` and the row's name above each axis.
    """
    figure, axes = canvas([0.75] * len(rows), gap=(0.3, 0.4), sharex=True, sharey=True)
    tops = [top for hats_ in rows.values() for _, top in hats_.values()]
    for ax, (row, row_hats) in zip(axes, rows.items(), strict=True):
        ax.axhline(0, color=GREY, linewidth=1)
        for name, (centre, top) in row_hats.items():
            ax.fill([centre - radius, centre, centre + radius], [0, top, 0], color=COLOURS[0], linewidth=0)
            note(ax, name, (centre, top), (0, 2), ha="center")
        ax.set_ylim(min(0.0, *tops), 1.45 * max(tops))
        axis_names(ax, xlabel, f"{ylabel}, {row}")
    axes[-1].locator_params(axis="x", nbins=6)
    return figure
