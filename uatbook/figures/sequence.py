"""Pictures of sequences: tokens in their places, how far they jump, and the line of the numbers they end with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .style import COLOURS, GREY, MARKERS, TELL, axis_names, bare, canvas, hollow, note, room_at_left


def places(
    order: Sequence[int],
    before: Sequence[float],
    after: Sequence[float],
    expected: Sequence[float],
    limits: tuple[float, float],
) -> Figure:
    """Tokens in their places, as they go in and as they come out; rings where they are `expected` to come out.

    order[j] is the number of the token in place j, counted from 0; each token keeps its colour and marker.
    """
    figure, axes = canvas((1.2, 1.2), bottom=0.3, sharex=True, gap=(0, 0.35))
    for ax, values, name in zip(axes, (before, after), ("in", "out"), strict=True):
        ax.axhline(0, color=GREY, linewidth=1)
        for place, (token, value) in enumerate(zip(order, values, strict=True)):
            ax.plot([place, place], [0, value], color=COLOURS[token], linewidth=1.5, zorder=1)
            ax.plot(place, value, MARKERS[token], color=COLOURS[token], markersize=9)
            note(ax, f"token {token + 1}", (place, value), (12, -3))
        ax.set_ylim(limits)
        axis_names(ax, y=name)
        ax.tick_params(length=0)
        ax.grid(visible=False, axis="x")
    axes[1].plot(range(len(order)), expected, "o", color="black", markersize=17, **hollow(1.6))
    axes[1].set_xticks(range(len(order)), [f"place {j + 1}" for j in range(len(order))])
    axes[1].set_xlim(-0.35, len(order) - 0.25)
    return figure


def jumps(states: np.ndarray, names: Sequence[str], *, linear: float, limit: float) -> Figure:
    """Tokens on number lines: row k shows states[k], of shape (tokens,), and as arrows the way to states[k + 1].

    A bar below a line spans all its tokens. `names` stand beside the arrows' rows; the last row has none. The axis is
    linear up to `linear`, logarithmic beyond, and ends at `limit`.
    """
    rows = len(states)
    figure, ax = canvas(0.72 * rows, right=0.4, top=0.05)
    for row, tokens in enumerate(states):
        ax.axhline(-row, color=GREY, linewidth=1, zorder=0)
        for token, value in enumerate(tokens):
            ax.plot(value, -row, MARKERS[token], color=COLOURS[token], markersize=9, zorder=3)
        if row + 1 == rows:
            break
        ax.plot([min(tokens), max(tokens)], [-row - 0.2] * 2, "|-", color="black", linewidth=1.2, markersize=7)
        for token, (start, end) in enumerate(zip(tokens.tolist(), states[row + 1].tolist(), strict=True)):
            if start == end:
                continue
            bow: Any = {"arrowstyle": "->", "color": COLOURS[token], "linewidth": 1.8}
            ax.annotate("", (end, -row - 1), (start, -row), arrowprops=bow | {"shrinkA": 4, "shrinkB": 5})
            # It lands beyond all others: above the line at its right there is room.
            note(ax, f"{end:g}", (end, -row - 1), (6, 4))
    ax.set_xscale("symlog", linthresh=linear)
    ax.set(xlim=(-0.12 * linear, limit), ylim=(0.4 - rows, 0.4))
    ticks = [tick for tick in (0, 3, 10, 100, 1000) if tick < limit]
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.minorticks_off()
    ax.set_yticks([-row - 0.5 for row in range(rows - 1)], list(names))
    ax.set_xlabel(r"token, in units of $\delta$")
    bare(ax)
    room_at_left(ax, names)
    return figure


def id_rows(
    rows: Mapping[str, Sequence[tuple[float, int]]],
    rings: Mapping[str, Sequence[float]],
    *,
    xlabel: str,
    interval: tuple[float, float] | None = None,
    linear: float | None = None,
    limits: tuple[float, float] | None = None,
    room: int = 0,
) -> Figure:
    """The line of ids: a row of ticks for each name, each (id, colour by number), and rings around some of them.

    `interval`, named [t_l, t_r], is shaded; with `linear` the axis is linear up to there and logarithmic beyond. There
    is room for as many rows as `room`, so that figures of one explorer are equally high.
    """
    most = max(len(rows), room)
    figure, ax = canvas(0.38 * most, top=0.1 if interval is None else 0.3)
    if interval is not None:
        ax.axvspan(*interval, color=TELL, alpha=0.3, linewidth=0)
        note(ax, "$[t_l, t_r]$", (interval[0], 1), (0, 4), xycoords=("data", "axes fraction"))
    for row, (name, ids) in enumerate(rows.items()):
        for colour in sorted({k for _, k in ids}):
            at = [x for x, k in ids if k == colour]
            style: Any = {"color": COLOURS[colour % len(COLOURS)], "markersize": 14, "markeredgewidth": 1.8}
            ax.plot(at, [-row] * len(at), "|", **style)
        ringed = rings.get(name, ())
        ax.plot(ringed, [-row] * len(ringed), "o", color=COLOURS[1], markersize=15, **hollow())
    if linear is None:
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    else:
        ax.set_xscale("symlog", linthresh=linear)
        # Every second power of ten: more do not fit on a phone.
        ends = limits or ax.get_xlim()
        powers = [10.0**k for k in range(2, 300, 2) if 10.0**k <= max(-ends[0], ends[1])]
        ax.set_xticks([x for x in (*(-p for p in reversed(powers)), 0, *powers) if ends[0] <= x <= ends[1]])
        ax.minorticks_off()
    if limits is not None:
        ax.set_xlim(*limits)
    ax.set_yticks([-row for row in range(len(rows))], list(rows))
    ax.set_ylim(0.4 - most, 0.6)
    ax.set_xlabel(xlabel)
    ax.grid(visible=False, axis="x")
    room_at_left(ax, rows)
    return figure
