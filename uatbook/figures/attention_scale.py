"""Pictures of two experiments: noisy images, norms against noise with their spread, kinks of a learned head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .style import BOUND, GREY, MEASURED, axis_names, canvas, hollow, line_names, look


def images(panels: Sequence[tuple[str, np.ndarray]]) -> Figure:
    """Images of shape (rows, columns) beside each other, each from black to white, its own ends in its title."""
    figure, axes = canvas(
        1.35, squares=True, left=0.1, right=0.1, bottom=0.1, top=0.5, blocks=len(panels), across=(4, 2)
    )
    for ax, (title, values) in zip(np.atleast_1d(axes), panels, strict=True):
        ax.imshow(values, cmap="gray", interpolation="none")
        ax.set(xticks=(), yticks=())
        low, high = (f"{value:.1f}".replace("-", "\N{MINUS SIGN}") for value in (values.min(), values.max()))
        ax.set_title(f"{title}\n{low} to {high}")
        ax.grid(visible=False)
    return figure


def bands(x: Sequence[float], panels: Mapping[str, Mapping[str, np.ndarray]], *, xlabel: str) -> Figure:
    """Several runs against x, a row for each panel and a column for each name: medians, in bands from least to largest.

    `panels[panel][name]` has shape (x, runs); the names are those of the first panel. All heights begin at 0 and are
    one in a row; a dashed line is at the first median.
    """
    names = list(next(iter(panels.values())))
    figure, axes = canvas(
        [1.15] * len(panels), left=0.4, top=0.5, blocks=len(names), across=(4, 2), gap=(0.3, 0.35), sharex=True
    )
    upper, *_, lower = [*panels, *panels]
    for row, (panel, curves) in zip(np.reshape(axes, (len(panels), len(names))), panels.items(), strict=True):
        for k, (ax, name) in enumerate(zip(row, names, strict=True)):
            runs, color = curves[name], look(k)["color"]
            middle = np.median(runs, axis=1)
            ax.axhline(middle[0], color=GREY, linestyle="--", linewidth=1)
            ax.fill_between(x, runs.min(axis=1), runs.max(axis=1), color=color, alpha=0.25, linewidth=0)
            ax.plot(x, middle, color=color, linewidth=1.8)
            ax.set(xlim=(x[0], x[-1]), ylim=(0, 1.05 * max(each.max() for each in curves.values())))
            ax.locator_params("x", nbins=4)
            ax.locator_params("y", nbins=4, integer=True)
            axis_names(ax, xlabel if panel == lower else "", f"{name}\n{panel}" if panel == upper else panel)
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
