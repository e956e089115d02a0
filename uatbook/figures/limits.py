"""Pictures of what floats can reach: errors beside those that were asked for, and answers that rounding makes noisy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, GREY, axis_names, canvas, hollow, line_names, look

EDGE = 3
"""Errors beyond so many times the one that was asked for are drawn at the edge."""


def reached(asked: Sequence[float], errors: Mapping[str, Sequence[float]]) -> Figure:
    """Measured errors against those that were asked for, which fall to the right, both axes logarithmic.

    On the dashed line both are equal; a ring is around what lies above it.
    """
    figure, ax = canvas(2.9)
    aim = np.asarray(asked, dtype=float)
    lines = {}
    for k, (name, values) in enumerate(errors.items()):
        (lines[name],) = ax.plot(aim, values, linewidth=1.5, markersize=4, **look(k))
        missed = np.asarray(values) > aim
        ax.plot(aim[missed], np.asarray(values)[missed], "o", color=BOUND, markersize=11, **hollow(1.6))
    (lines["as asked"],) = ax.plot(aim, aim, color=GREY, linestyle="--", linewidth=1.4, zorder=1)
    ax.set(xscale="log", yscale="log", xlim=(1.15 * aim.max(), aim.min() / 1.15))
    axis_names(ax, "error asked for", "measured")
    line_names(ax, lines)
    return figure


def noise(x: np.ndarray, target: np.ndarray, answer: np.ndarray, asked: float) -> Figure:
    """A function of one number with the answer for it, and below their difference, in units of the error asked for.

    In the band the answer is as good as asked; crosses at the edge are differences that are off the picture, or NaN.
    """
    figure, (above, below) = canvas([1.5, 1.2], gap=(0.3, 0.45), sharex=True)
    lines = {}
    (lines["target"],) = above.plot(x, target, color=GREY, linewidth=4, alpha=0.6)
    low, high = target.min(), target.max()
    reach = (low - 0.2 * (high - low), high + 0.2 * (high - low))
    shown = np.clip(np.nan_to_num(answer, nan=reach[1]), *reach)
    (lines["answer"],) = above.plot(x, shown, color=COLOURS[0], linewidth=1.2)
    above.set(ylim=reach)
    off = (answer - target) / asked
    far = ~(np.abs(off) <= EDGE)
    below.axhspan(-1, 1, color=COLOURS[2], alpha=0.25, linewidth=0)
    below.plot(x[~far], off[~far], ".", color=COLOURS[0], markersize=4)
    edge = np.where(off[far] < 0, -EDGE, EDGE)
    below.plot(x[far], edge, "x", color=BOUND, markersize=5, clip_on=False)
    below.set(ylim=(-EDGE, EDGE), xlim=(x[0], x[-1]), yticks=(-EDGE, -1, 1, EDGE))
    axis_names(below, "$x$", r"difference / $\varepsilon$")
    line_names(above, lines)
    return figure
