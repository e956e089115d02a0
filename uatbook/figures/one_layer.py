"""Sums of ReLUs, as a network with one layer of attention has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from .style import COLOURS, GREY, STYLES, axis_names, canvas, line_names, note


def relu_sums(
    z: np.ndarray, curves: Mapping[str, np.ndarray], bands: Sequence[tuple[float, float]], limits: tuple[float, float]
) -> Figure:
    """Functions of one number, the later ones thinner on the earlier ones; bands of z and the unit interval are shaded.

    What leaves the `limits` of the vertical axis leaves the picture, with its name beside where it does.
    """
    figure, ax = canvas(2.6)
    ax.axvspan(0, 1, color=GREY, alpha=0.12, linewidth=0)
    for start, end in bands:
        ax.axvspan(float(start), float(end), color=COLOURS[2], alpha=0.35, linewidth=0)
    top = {"xycoords": ("data", "axes fraction")}
    edges = [0.0, *sorted(float(end) for band in bands for end in band if 0 < end < 1), 1.0]
    middles = {round(b - a, 6): (a + b) / 2 for a, b in sorted(pairwise(edges), key=lambda gap: -abs(sum(gap) - 1))}
    note(ax, "box", (middles[max(middles)], 1), (0, -10), ha="center", **top)
    note(ax, "bands", (min(float(start) for start, _ in bands), 1), (-4, -10), ha="right", **top)
    lines = {
        name: ax.plot(z, values, STYLES[k], color=COLOURS[k], linewidth=max(1.8, 3.2 - 1.4 * k))[0]
        for k, (name, values) in enumerate(curves.items())
    }
    ax.set(xlim=(z[0], z[-1]), ylim=limits)
    axis_names(ax, "$z$", "sum of ReLUs")
    gone = {name for name, values in curves.items() if not limits[0] <= values[-1] <= limits[1]}
    for name in gone:
        last = np.flatnonzero((limits[0] <= curves[name]) & (curves[name] <= limits[1]))[-1]
        edge = limits[0] if curves[name][-1] < limits[0] else limits[1]
        note(ax, name, (z[last + 1], edge), (8, 6 if edge == limits[0] else -12))
    line_names(ax, {name: line for name, line in lines.items() if name not in gone})
    return figure
