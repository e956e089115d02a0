"""Pictures of what the construction of yun2020 costs: layers, bits, and what floats make of an id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, GREY, STYLES, canvas, hollow, look, note


def curves(
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    xlabel: str,
    ylabel: str,
    xscale: str = "log",
    yscale: str = "log",
    formulas: Iterable[str] = (),
    levels: Mapping[str, float] | None = None,
    chosen: float | None = None,
    xticks: Sequence[float] = (),
    ylim: tuple[float, float] | None = None,
    invert: bool = False,
    legend: Literal["best", "upper left", "above"] = "best",
) -> Figure:
    """Named curves (x, y), each with its colour and marker, on axes that are logarithmic unless said otherwise.

    Those named in `formulas` are drawn without markers, dotted, in the colour of the curve before them, and stay out
    of the legend if the name begins with "_". `levels` are named horizontal lines, `chosen` a vertical one; `invert`
    lets x grow to the left; `legend` is the corner of the legend, or "above" the axes, where curves fill all corners.
    """
    figure, ax = canvas((5.2, 3.6), (0.15, 0.97, 0.15, 0.97))
    bare, drawn = set(formulas), -1
    for name, (x, y) in series.items():
        drawn += name not in bare
        style = look(max(drawn, 0))
        if name in bare:
            ax.plot(x, y, ":", color=style["color"], label=name, linewidth=2)
        else:
            ax.plot(x, y, label=name, linewidth=1.5, markersize=5, **style)
    for name, level in (levels or {}).items():
        ax.axhline(level, color=GREY, linewidth=1.2, linestyle="--")
        _name_level(ax, name, level, 0.01, "left")
    if chosen is not None:
        ax.axvline(chosen, color=GREY, linewidth=6, alpha=0.3)
    ax.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale, yscale=yscale)
    if len(xticks):
        ax.set_xticks(list(xticks), [f"{tick:g}" for tick in xticks])
        ax.minorticks_off()
    if ylim is not None:
        ax.set_ylim(*ylim)
    if invert:
        ax.invert_xaxis()
    place: Any = {"loc": legend}
    if legend == "above":
        figure.subplots_adjust(top=0.78)
        place = {"loc": "lower center", "bbox_to_anchor": (0.45, 1), "ncols": 2}
    ax.legend(fontsize=10, handlelength=3, **place)
    return figure


def capacity(
    x: Sequence[int], bits: Sequence[int], capacities: Mapping[str, int], system: str, last: int | None
) -> Figure:
    """Bits that ids need at 1/delta = x, and the bits that number systems hold; what fits `system` is shaded.

    `last` is the largest x that fits, or None where no x >= 2 does.
    """
    figure, ax = canvas((5.4, 3.5), (0.12, 0.97, 0.15, 0.96))
    top = 1.35 * max(capacities.values())
    ax.axhspan(0, capacities[system], color=COLOURS[2], alpha=0.2, linewidth=0)
    for k, (name, level) in enumerate(capacities.items()):
        ax.axhline(level, color=GREY, linewidth=2.2 if name == system else 1, linestyle=STYLES[k])
        _name_level(ax, f"{name}: {level}", level, 0.99, "right")
    ax.plot(x, bits, marker="o", markersize=5, color=COLOURS[0], linewidth=1.5)
    if last is not None and last in x:
        ax.plot(last, bits[list(x).index(last)], "o", color=BOUND, markersize=13, **hollow(1.6))
    ax.set(xlabel=r"$N = 1/\delta$", ylabel="bits of the largest id", ylim=(0, top), xscale="log")
    ticks = [2, 4, 10, 30, 100, 300, 1000, 3000]
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.set_xlim(1.8, 3200)
    ax.minorticks_off()
    return figure


def float_line(spacing: float, offset: float, got: float, reach: float) -> Figure:
    """The number line around an exact id, which is the origin: floats `spacing` apart as ticks, and what came out.

    All in units of delta. `offset` is the exact id modulo `spacing`, so floats stand at the multiples of `spacing` less
    `offset`; `got` is the result less the exact id, `reach` half the width of the picture. Less than 1/2 from the id,
    which is shaded, a result is nearer to it than to any other whole number.
    """
    figure, ax = canvas((5.2, 2.2), (0.03, 0.97, 0.27, 0.97))
    ax.axvspan(-0.5, 0.5, 0, 0.7, color=COLOURS[2], alpha=0.35, linewidth=0)
    ax.axhline(0, color="black", linewidth=1)
    if reach <= 12:
        whole = np.arange(-np.floor(reach), np.floor(reach) + 1)
        ax.plot(whole, np.full(len(whole), 0.0), "|", color=GREY, markersize=9)
    if reach / spacing <= 35:
        floats = np.arange(np.ceil((offset - reach) / spacing), np.floor((offset + reach) / spacing) + 1)
        size = 9 if len(floats) <= 25 else 5
        ax.plot(floats * spacing - offset, 0 * floats - 0.45, "^", color=COLOURS[0], markersize=size, label="floats")
    else:
        ax.axhspan(-0.52, -0.38, color=COLOURS[0], linewidth=0, label="floats, too dense to draw")
    ax.plot(0, 0.45, "v", color=COLOURS[2], markersize=11, label="exact id")
    ax.plot(got, 0, "o", color=BOUND, markersize=13, label="what the layers give", **hollow(2.2))
    ax.set(xlim=(-reach, reach), ylim=(-0.9, 1.5), yticks=())
    ax.set_xlabel(r"distance from the exact id, in units of $\delta$")
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    ax.legend(loc="upper center", ncols=3, fontsize=9.5, handletextpad=0.3, columnspacing=1.2)
    return figure


def _name_level(ax: Axes, name: str, level: float, x: float, side: str) -> None:
    """The name of a horizontal line, just above it, on a ground of its own over grid and curves."""
    text = note(ax, name, (x, level), (0, 4), xycoords=("axes fraction", "data"), ha=side, fontsize=9, zorder=3.5)
    text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1})
