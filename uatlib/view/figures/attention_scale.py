"""Pictures of two experiments: noisy images, norms against noise with their spread, kinks of a learned head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .style import BOUND, GREY, MEASURED, axis_names, canvas, colour_key, hollow, line_names, look


def images(panels: Sequence[tuple[str, np.ndarray]], label: str) -> Figure:
    """Images of shape (rows, columns) beside each other, in one colour scale that is named `label`."""
    low, high = (end([end(values) for _, values in panels]) for end in (np.min, np.max))
    figure, axes = canvas(1.35, squares=True, left=0.1, right=0.1, bottom=0.1, blocks=len(panels), across=(4, 2))
    for ax, (title, values) in zip(np.atleast_1d(axes), panels, strict=True):
        image = ax.imshow(values, vmin=low, vmax=high, interpolation="none")
        ax.set(xticks=(), yticks=())
        ax.set_title(title)
        ax.grid(visible=False)
    colour_key(figure, image, label)
    return figure


def bands(x: Sequence[float], panels: Mapping[str, Mapping[str, np.ndarray]], *, xlabel: str) -> Figure:
    """Several runs against x, a panel below the other: medians as lines, and bands from the least run to the largest.

    `panels[panel][name]` has shape (x, runs). All heights begin at 0.
    """
    figure, axes = canvas([1.7] * len(panels), gap=(0.3, 0.45), sharex=True)
    for ax, (panel, curves) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        lines = {}
        for k, (name, runs) in enumerate(curves.items()):
            style = {**look(k), "marker": ""}
            ax.fill_between(x, runs.min(axis=1), runs.max(axis=1), color=style["color"], alpha=0.15, linewidth=0)
            (lines[name],) = ax.plot(x, np.median(runs, axis=1), linewidth=1.8, **style)
        ax.set(xlim=(x[0], x[-1]), ylim=(0, None))
        axis_names(ax, xlabel if ax is np.atleast_1d(axes)[-1] else "", panel)
        line_names(ax, lines)
    return figure


def learned_steps(
    x: np.ndarray,
    target: np.ndarray,
    learned: np.ndarray,
    components: np.ndarray,
    kinks: Sequence[float],
    steps: Sequence[float],
    limits: tuple[float, float],
) -> Figure:
    """Above a step function and what was learned; below components (N, points) with their maximum and its kinks.

    Steps are dashed upright lines, through both; kinks rings. `limits` are those of the values above.
    """
    figure, (above, below) = canvas((1.35, 1.35), left=0.45, gap=(0.3, 0.5), sharex=True)
    for ax in (above, below):
        for step in steps:
            ax.axvline(step, color=GREY, linestyle="--", linewidth=1)
    (wanted,) = above.plot(x, target, color=BOUND, linewidth=1.8)
    (found,) = above.plot(x, np.clip(learned, *limits), color=MEASURED, linewidth=1.8)
    above.set(xlim=(x[0], x[-1]), ylim=limits)
    axis_names(above, "", "value")
    line_names(above, {"target": wanted, "head": found})
    top = components.max(axis=0)
    reach = float(np.ptp(top)) or float(np.ptp(components))
    for component in components:
        below.plot(x, component, color=GREY, linewidth=0.9)
    (largest,) = below.plot(x, top, color=MEASURED, linewidth=2.2)
    below.plot(kinks, np.interp(kinks, x, top), "o", color=BOUND, markersize=9, **hollow())
    below.set(ylim=(top.min() - 0.35 * reach, top.max() + 0.12 * reach))
    below.locator_params(axis="y", nbins=4)
    axis_names(below, "$x$", "scores $a_i x + b_i$")
    line_names(below, {"largest": largest})
    return figure
