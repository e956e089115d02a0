"""Pictures of errors: how they fall, how they grow from layer to layer, what they are made of, and where they live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from .figures import BOUND, COLOURS, MARKERS, MEASURED, STYLES

__all__ = ["budget", "decay", "distant", "errors_by_layer", "pieces"]

HATCHES = ("", "///", "...", "xx")


def decay(scales: Sequence[float], errors: Sequence[float], *, mark: tuple[float, float], proved: float) -> Figure:
    """Errors of ids against the scale of the scores, on a logarithmic axis; one point marked.

    Lines show the error delta/2, from which ids may be mistaken, and the scale from which on that is proved not to be.
    """
    figure, ax = plt.subplots(figsize=(5.4, 3.3))
    figure.subplots_adjust(left=0.15, right=0.97, bottom=0.16, top=0.9)
    ax.plot(scales, errors, color=MEASURED, linewidth=1.8, label="measured")
    ax.plot(*mark, "o", color=MEASURED, markersize=9, zorder=3)
    ax.axhline(0.5, color=COLOURS[2], linestyle="-.", linewidth=1.5, label=r"$\delta/2$")
    ax.axvline(proved, color=BOUND, linestyle="--", linewidth=1.5, label="proved")
    ax.set(xlabel=r"scale $\lambda$", ylabel=r"largest error, in $\delta$", yscale="log", xlim=(0, max(scales)))
    ax.legend(fontsize=10, loc="lower right", bbox_to_anchor=(1.01, 0.97), ncols=3, columnspacing=1)
    return figure


def errors_by_layer(errors: np.ndarray, layers: Sequence[str], *, floor: float) -> Figure:
    """Errors of tokens after each layer, of shape (layers, tokens), on a logarithmic axis that ends at `floor`.

    What is smaller, zeros included, is drawn on the floor. A line shows the error delta/2.
    """
    figure, ax = plt.subplots(figsize=(5.4, 3.4))
    figure.subplots_adjust(left=0.15, right=0.97, bottom=0.13, top=0.9)
    for token, line in enumerate(np.maximum(errors, floor).T):
        style: Any = {"color": COLOURS[token], "marker": MARKERS[token], "linestyle": STYLES[token]}
        ax.plot(line, label=f"token {token + 1}", linewidth=1.5, markersize=9 - 2 * token, **style)
    ax.axhline(0.5, color=COLOURS[3], linestyle=":", linewidth=1.5)
    ax.annotate(r"$\delta/2$", (0, 0.5), (0, 3), textcoords="offset points", fontsize=9)
    ax.set(yscale="log", ylim=(floor / 3, max(10 * errors.max(), 30)), xlim=(-0.3, len(layers) - 0.7))
    ax.set_ylabel(r"error, in units of $\delta$")
    ax.set_xticks(range(len(layers)), list(layers), fontsize=10)
    ax.legend(fontsize=9, loc="lower right", bbox_to_anchor=(1.01, 0.98), ncols=len(errors.T), columnspacing=1)
    return figure


def pieces(
    t: np.ndarray, curves: Mapping[str, np.ndarray], bands: Sequence[tuple[float, float]], jumps: Sequence[float]
) -> Figure:
    """Functions of one number, the later ones thinner on the earlier ones, with bands of t shaded.

    The first curve has a gap in its line at each of `jumps`.
    """
    figure, ax = plt.subplots(figsize=(5.4, 3.0))
    figure.subplots_adjust(left=0.13, right=0.97, bottom=0.17, top=0.88)
    for k, (start, end) in enumerate(bands):
        ax.axvspan(float(start), float(end), color=COLOURS[2], alpha=0.3, linewidth=0, label=None if k else "band")
    cut = np.searchsorted(t, np.array(jumps, dtype=float))
    for k, (name, values) in enumerate(curves.items()):
        x, y = (np.insert(np.asarray(v, float), cut if k == 0 else [], np.nan) for v in (t, values))
        ax.plot(x, y, STYLES[k], color=COLOURS[k], label=name, linewidth=max(1.6, 4.0 - 2.2 * k))
    ax.set(xlabel="$t$", ylabel="output of the layer", xlim=(t[0], t[-1]))
    ax.legend(fontsize=9, loc="lower right", bbox_to_anchor=(1.01, 0.97), ncols=len(curves) + 1, columnspacing=1)
    return figure


def budget(
    x: Sequence[int],
    terms: Mapping[str, Sequence[float]],
    measured: Sequence[float] | None,
    *,
    chosen: int,
    xlabel: str,
) -> Figure:
    """Bounds of the terms of an error as bars on top of each other, one pile for each x, and the measured total."""
    figure, ax = plt.subplots(figsize=(5.6, 3.5))
    figure.subplots_adjust(left=0.12, right=0.98, bottom=0.15, top=0.8)
    place = np.arange(len(x))
    base = np.zeros(len(x))
    for k, (name, heights) in enumerate(terms.items()):
        ax.bar(
            place,
            heights,
            0.62,
            base,
            color=COLOURS[k],
            hatch=HATCHES[k],
            edgecolor="white",
            linewidth=0.5,
            label=name,
            alpha=1,
        )
        base += np.asarray(heights)
    if measured is not None:
        ax.plot(place, measured, "D", color="black", markersize=6, label="measured total", zorder=3)
    ax.annotate(
        "here",
        (place[list(x).index(chosen)], base[list(x).index(chosen)]),
        (0, 14),
        textcoords="offset points",
        ha="center",
        fontsize=10,
        arrowprops={"arrowstyle": "->"},
    )
    ax.set(xlabel=xlabel, ylabel="$d_p$", ylim=(0, 1.18 * base.max()))
    ax.set_xticks(place, [str(value) for value in x])
    ax.grid(visible=False, axis="x")
    ax.legend(fontsize=9, ncols=3, loc="lower left", bbox_to_anchor=(-0.02, 1.0), columnspacing=1)
    return figure


def distant(
    x: Sequence[float], curves: Mapping[str, Sequence[float]], *, xlabel: str, ylabel: str, linear: float = 2.0
) -> Figure:
    """Values along a ray, the axis linear up to `linear` and logarithmic beyond, as far as floats reach."""
    figure, ax = plt.subplots(figsize=(5.4, 3.2))
    figure.subplots_adjust(left=0.13, right=0.97, bottom=0.17, top=0.88)
    for k, (name, values) in enumerate(curves.items()):
        style: Any = {"color": (BOUND, MEASURED)[k % 2], "marker": MARKERS[k], "linestyle": STYLES[k]}
        ax.plot(x, values, label=name, linewidth=1.5, markersize=7 - 2 * k, **style)
    ax.set_xscale("symlog", linthresh=linear)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend(fontsize=10, loc="lower right", bbox_to_anchor=(1.01, 0.97), ncols=2)
    return figure
