"""Pictures of errors: how they fall, how they grow from layer to layer, what they are made of, and where they live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, MEASURED, STYLES, canvas, look, note, over

HATCHES = ("", "//", "\\\\", "xx")


def decay(scales: Sequence[float], errors: Sequence[float], *, mark: tuple[float, float], proved: float) -> Figure:
    """Errors of ids against the scale of the scores, on a logarithmic axis; one point marked.

    Lines show the error delta/2, from which ids may be mistaken, and the scale from which on that is proved not to be.
    """
    figure, ax = canvas((5.2, 3.3), (0.15, 0.97, 0.16, 0.9))
    ax.plot(scales, errors, color=MEASURED, linewidth=1.8, label="measured")
    ax.plot(*mark, "o", color=MEASURED, markersize=9, zorder=3)
    ax.axhline(0.5, color=COLOURS[2], linestyle="-.", linewidth=1.5, label=r"$\delta/2$")
    ax.axvline(proved, color=BOUND, linestyle="--", linewidth=1.5, label="proved")
    ax.set(xlabel=r"scale $\lambda$", ylabel=r"largest error, in $\delta$", yscale="log", xlim=(0, max(scales)))
    over(ax, 3)
    return figure


def errors_by_layer(errors: np.ndarray, layers: Sequence[str], *, limits: tuple[float, float]) -> Figure:
    """Errors of tokens after each layer, of shape (layers, tokens), on a logarithmic axis between `limits`.

    What is smaller, zeros included, is drawn on the lower one. A line shows the error delta/2.
    """
    floor, top = limits
    figure, ax = canvas((5.2, 3.4), (0.15, 0.97, 0.13, 0.9))
    for token, line in enumerate(np.maximum(errors, floor).T):
        ax.plot(line, label=f"token {token + 1}", linewidth=1.5, markersize=9 - 2 * token, **look(token))
    ax.axhline(0.5, color=COLOURS[3], linestyle=":", linewidth=1.5)
    note(ax, r"$\delta/2$", (0, 0.5), (0, 3), fontsize=10)
    ax.set(yscale="log", ylim=(floor / 3, top), xlim=(-0.3, len(layers) - 0.7))
    ax.set_ylabel(r"error, in units of $\delta$")
    ax.set_xticks(range(len(layers)), list(layers), fontsize=10)
    over(ax, len(errors.T), at=(1.01, 0.98))
    return figure


def pieces(
    t: np.ndarray, curves: Mapping[str, np.ndarray], bands: Sequence[tuple[float, float]], jumps: Sequence[float]
) -> Figure:
    """Functions of one number, the later ones thinner on the earlier ones, with bands of t shaded.

    The first curve has a gap in its line at each of `jumps`.
    """
    figure, ax = canvas((5.2, 3.0), (0.13, 0.97, 0.17, 0.88))
    for k, (start, end) in enumerate(bands):
        ax.axvspan(float(start), float(end), color=COLOURS[2], alpha=0.3, linewidth=0, label=None if k else "band")
    cut = np.searchsorted(t, np.array(jumps, dtype=float))
    for k, (name, values) in enumerate(curves.items()):
        x, y = (np.insert(np.asarray(v, float), cut if k == 0 else [], np.nan) for v in (t, values))
        ax.plot(x, y, STYLES[k], color=COLOURS[k], label=name, linewidth=max(1.6, 4.0 - 2.2 * k))
    ax.set(xlabel="$t$", ylabel="output of the layer", xlim=(t[0], t[-1]))
    over(ax, len(curves) + 1)
    return figure


def budget(
    x: Sequence[int], terms: Mapping[str, Sequence[float]], measured: Sequence[float], zero: float, p: float
) -> Figure:
    """Bounds on the terms of d_p as bars on top of each other, one pile for each 1/delta, beside the estimated total.

    A line shows the error `zero` of the function 0.
    """
    figure, ax = canvas((5.4, 3.7), (0.12, 0.98, 0.15, 0.78))
    place, base = np.arange(len(x)), np.zeros(len(x))
    for k, (name, heights) in enumerate(terms.items()):
        style: Any = {"color": COLOURS[k], "hatch": HATCHES[k], "edgecolor": "white", "linewidth": 0.5}
        ax.bar(place, heights, 0.62, base, label=name, **style)
        base += np.asarray(heights)
    ax.plot(place, measured, "D", color="black", markersize=7, label="estimated total", zorder=3)
    ax.axhline(zero, color="black", linestyle=":", linewidth=1.8, label="answering 0", zorder=3)
    ax.set(xlabel=r"$1/\delta$", ylabel=f"$d_{{{p:g}}}$", ylim=(0, 1.05 * base.max()))
    ax.set_xticks(place, [str(value) for value in x])
    ax.grid(visible=False, axis="x")
    ax.legend(fontsize=10, ncols=2, loc="lower left", bbox_to_anchor=(-0.05, 0.99), columnspacing=1, labelspacing=0.2)
    return figure


def strip(
    places: Sequence[Any], distances: Sequence[str], values: np.ndarray, limit: float, band: tuple[float, float]
) -> Figure:
    """The answer for token 1 where x_2 is far outside the box: values[k] over x_1 for each distance x_2.

    One colour scale, from 0 to `limit`; dashed lines bound the band of x_1 in which a layer is no step.
    """
    figure, ax = canvas((5.4, 2.9), (0.15, 0.99, 0.24, 0.95))
    extent = (float(places[0]), float(places[-1]), -0.5, len(distances) - 0.5)
    where: Any = {"aspect": "auto", "origin": "lower", "extent": extent, "interpolation": "none"}
    image = ax.imshow(values, vmin=0, vmax=limit, **where)
    ax.set_yticks(range(len(distances)), list(distances))
    for end in band:
        ax.axvline(end, color="#fefefe", linestyle="--", linewidth=1.4)
    ax.set(xlabel=r"$x_1$ (dashed: $1 - \varepsilon$ and $1$)", ylabel="$x_2$")
    ax.grid(visible=False)
    figure.colorbar(image, ax=ax, label="answer for token 1", pad=0.03)
    return figure
