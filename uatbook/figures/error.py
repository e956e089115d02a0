"""Pictures of errors: how they fall, how they grow from layer to layer, what they are made of, and where they live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .style import (
    BOUND,
    COLOURS,
    ERROR,
    ERRORS,
    GREY,
    STYLES,
    axis_names,
    canvas,
    colour_key,
    line_names,
    look,
    note,
    room_at_right,
)


def decay(
    scales: Sequence[float],
    errors: Sequence[float],
    *,
    mark: tuple[float, float],
    proved: float,
    limits: tuple[float, float],
) -> Figure:
    """Errors of ids against the scale of the scores, on a logarithmic axis between `limits`; one point marked.

    Lines show the error delta/2, from which ids may be mistaken, and the scale from which on that is proved not to be.
    """
    figure, ax = canvas(2.5)
    (curve,) = ax.plot(scales, errors, color=ERROR, linewidth=1.8)
    ax.plot(*mark, "o", color=ERROR, markersize=9, zorder=3)
    level = ax.axhline(0.5, color=GREY, linestyle="-.", linewidth=1.5)
    ax.axvline(proved, color=BOUND, linestyle="--", linewidth=1.5)
    ax.set(yscale="log", ylim=limits, xlim=(0, max(scales)))
    axis_names(ax, r"sharpness $\lambda$", r"largest error, in $\delta$")
    note(ax, "proved", (proved, 1), (4, -9), xycoords=("data", "axes fraction"))
    line_names(ax, {"measured": curve, r"$\delta/2$": level})
    return figure


def errors_by_layer(errors: np.ndarray, layers: Sequence[str], *, limits: tuple[float, float]) -> Figure:
    """Errors of tokens after each layer, of shape (layers, tokens), on a logarithmic axis between `limits`.

    What is smaller, zeros included, is drawn on the lower one. A line shows the error delta/2.
    """
    floor, top = limits
    figure, ax = canvas(2.7, bottom=0.45)
    lines = {}
    for token, line in enumerate(np.maximum(errors, floor).T):
        style = {"linewidth": 1.5, "markersize": 9 - 2 * token, "clip_on": False, **look(token)}
        (lines[f"token {token + 1}"],) = ax.plot(line, **style)
    lines[r"$\delta/2$"] = ax.axhline(0.5, color=GREY, linestyle=":", linewidth=1.5)
    ax.set(yscale="log", ylim=(floor / 3, top), xlim=(-0.2, len(layers) - 1))
    axis_names(ax, y=r"error, in units of $\delta$")
    ax.set_xticks(range(len(layers)), [name.replace(" ", "\n") for name in layers])
    line_names(ax, lines)
    return figure


def pieces(
    t: np.ndarray, curves: Mapping[str, np.ndarray], bands: Sequence[tuple[float, float]], jumps: Sequence[float]
) -> Figure:
    """Functions of one number, the later ones thinner on the earlier ones, with bands of t shaded.

    The first curve has a gap in its line at each of `jumps`.
    """
    figure, ax = canvas(2.5)
    for start, end in bands:
        ax.axvspan(float(start), float(end), color=COLOURS[2], alpha=0.3, linewidth=0)
        middle = ((start + end) / 2, 1)
        note(ax, "band", middle, (0, -10), xycoords=("data", "axes fraction"), ha="center")
    cut = np.searchsorted(t, np.array(jumps, dtype=float))
    lines = {}
    for k, (name, values) in enumerate(curves.items()):
        x, y = (np.insert(np.asarray(v, float), cut if k == 0 else [], np.nan) for v in (t, values))
        (lines[name],) = ax.plot(x, y, STYLES[k], color=COLOURS[k], linewidth=max(1.6, 4.0 - 2.2 * k))
    low, high = ax.get_ylim()
    ax.set(xlim=(t[0], t[-1]), ylim=(low, high + 0.1 * (high - low)))
    axis_names(ax, "$t$", "output of the layer")
    line_names(ax, lines)
    return figure


def budget(
    x: Sequence[int], terms: Mapping[str, Sequence[float]], measured: Sequence[float], zero: float, p: float
) -> Figure:
    """Bounds on the terms of d_p as bars on top of each other, one pile for each 1/delta, beside the estimated total.

    A line shows the error `zero` of the function 0.
    """
    figure, ax = canvas(2.9, left=0.45)
    place, base = np.arange(len(x)), np.zeros(len(x))
    for k, (name, heights) in enumerate(terms.items()):
        ax.bar(place, heights, 0.62, base, color=COLOURS[k], label=name.replace(" ", "\n"), linewidth=0)
        base += np.asarray(heights)
    ax.plot(place, measured, "D", color="black", markeredgecolor="white", label="estimated\ntotal", zorder=3)
    ax.axhline(zero, color="black", linestyle=":", linewidth=1.8, label="answering 0", zorder=3)
    ax.set(ylim=(0, 1.05 * base.max()), xlim=(-0.5, len(x) - 0.5))
    axis_names(ax, r"$1/\delta$", f"$d_{{{p:g}}}$")
    ax.set_xticks(place, [str(value) for value in x])
    ax.grid(visible=False, axis="x")
    # Most piles are too low for a name at each of their parts; the list has the order of the pile.
    known = dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
    names = [*(name.replace(" ", "\n") for name in reversed(list(terms))), "estimated\ntotal", "answering 0"]
    sides: Any = {"handlelength": 1, "handletextpad": 0.5, "borderpad": 0, "borderaxespad": 0.4}
    ax.legend([known[name] for name in names], names, bbox_to_anchor=(1, 1), loc="upper left", **sides)
    room_at_right(ax, names)
    return figure


def strip(
    places: Sequence[Any], distances: Sequence[str], values: np.ndarray, limit: float, band: tuple[float, float]
) -> Figure:
    """The answer for token 1 where x_2 is far outside the box: values[k] over x_1 for each distance x_2.

    0 would be right, so the colours are those of errors, on one scale up to `limit`; dashed lines bound the band of
    x_1, from 1 - epsilon to 1, in which a layer is no step.
    """
    figure, ax = canvas(1.7)
    extent = (float(places[0]), float(places[-1]), -0.5, len(distances) - 0.5)
    where: Any = {"aspect": "auto", "origin": "lower", "extent": extent, "interpolation": "none"}
    image = ax.imshow(values, ERRORS, vmin=0, vmax=limit, **where)
    ax.set_yticks(range(len(distances)), list(distances))
    for end, name in zip(band, (r"$1 - \varepsilon$", "1"), strict=True):
        ax.axvline(end, color="black", linestyle="--", linewidth=1.2)
        note(ax, name, (end, 1), (0, 3), xycoords=("data", "axes fraction"), ha="center")
    axis_names(ax, "$x_1$", "$x_2$")
    ax.locator_params(axis="x", nbins=5, steps=(1, 2, 5, 10))
    ax.grid(visible=False)
    colour_key(figure, image, "answer for token 1")
    return figure
