"""Pictures of what the construction of yun2020 costs: layers, bits, and what floats make of an id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .style import BOUND, COLOURS, GREY, axis_names, canvas, hollow, line_names, look, marks, note


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
) -> Figure:
    """Named curves (x, y), each with its colour and marker, on axes that are logarithmic unless said otherwise.

    Those named in `formulas` are drawn without markers, dotted, in the colour of the curve before them, and are not
    named in the picture if the name begins with "_". `levels` are named horizontal lines, `chosen` a vertical one;
    `invert` lets x grow to the left.
    """
    figure, ax = canvas(2.6)
    plain, drawn, named = set(formulas), -1, {}
    for name, (x, y) in series.items():
        drawn += name not in plain
        style = look(max(drawn, 0))
        if name in plain:
            style = {"color": style["color"], "linestyle": ":"}
        (line,) = ax.plot(x, y, linewidth=2 if name in plain else 1.5, markersize=5, **style)
        if name[0] != "_":
            named[name] = line
    for name, level in (levels or {}).items():
        named[name] = ax.axhline(level, color=GREY, linewidth=1.2, linestyle="--")
    if chosen is not None:
        ax.axvline(chosen, color=GREY, linewidth=6, alpha=0.3)
    ax.set(xscale=xscale, yscale=yscale)
    ax.margins(x=0.02)
    axis_names(ax, xlabel, ylabel)
    if len(xticks):
        _marks(ax, xticks)
    if ylim is not None:
        ax.set_ylim(*ylim)
    if invert:
        ax.invert_xaxis()
    line_names(ax, named)
    return figure


def _marks(ax: Axes, ticks: Sequence[float]) -> None:
    """Marks at these places; of many every second is named where there is little room."""
    names = [f"{tick:g}" for tick in ticks]
    marks(ax, ticks, names, [name if k % 2 == 0 or len(names) < 6 else "" for k, name in enumerate(names)])


def float_line(spacing: float, offset: float, got: float, reach: float) -> Figure:
    """The number line around an exact id, which is the origin: floats `spacing` apart as ticks, and what came out.

    All in units of delta. `offset` is the exact id modulo `spacing`, so floats stand at the multiples of `spacing` less
    `offset`; `got` is the result less the exact id, `reach` half the width of the picture. Less than 1/2 from the id,
    which is shaded, a result is nearer to it than to any other whole number.
    """
    figure, ax = canvas(1.3, left=0.85, top=0.1)
    ax.axvspan(-0.5, 0.5, color=COLOURS[2], alpha=0.35, linewidth=0)
    ax.axhline(0, color="black", linewidth=1)
    if reach <= 12:
        whole = np.arange(-np.floor(reach), np.floor(reach) + 1)
        ax.plot(whole, np.full(len(whole), 0.0), "|", color=GREY, markersize=9)
    if reach / spacing <= 35:
        floats = np.arange(np.ceil((offset - reach) / spacing), np.floor((offset + reach) / spacing) + 1)
        size = 9 if len(floats) <= 25 else 5
        ax.plot(floats * spacing - offset, 0 * floats - 0.6, "^", color=COLOURS[0], markersize=size)
    else:
        ax.axhspan(-0.68, -0.52, color=COLOURS[0], linewidth=0)
        note(ax, "too dense to draw", (-reach, -0.68), (4, -11))
    ax.plot(0, 0.6, "v", color=COLOURS[2], markersize=11)
    ax.plot(got, 0, "o", color=BOUND, markersize=13, **hollow(2.2))
    ax.set(xlim=(-reach, reach), ylim=(-1.1, 1))
    ax.set_yticks((0.6, 0, -0.6), ("exact id", "what the\nlayers give", "floats"))
    power = int(np.log10(reach)) if reach >= 1e4 else 0
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x / 10**power:g}".replace("-", "−"))
    unit = rf"$10^{{{power}}}\,\delta$" if power else r"$\delta$"
    ax.set_xlabel(f"distance from the exact id, in {unit}")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False)
    return figure
