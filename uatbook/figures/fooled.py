"""Pictures of pairs of sequences that a mixer takes for each other, and of the search for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .style import (
    BOUND,
    COLOURS,
    GREY,
    MARKERS,
    MEASURED,
    at_widths,
    axis_names,
    canvas,
    hollow,
    line_names,
    marks,
    marks_key,
    note,
    room_at_left,
)

LEAST, MOST = 1e-2, 1e17
NOTHING, ROW = 1e-18, 1e-19
"""Relative gaps below the one count as 0 and stand in a row of their own, at the other."""


def fooled_pair(
    X: np.ndarray, Y: np.ndarray, tokens: tuple[int, int], gaps: Mapping[str, np.ndarray], noise: np.ndarray
) -> Figure:
    """A pair of sequences of shape (2, n) as points, and the gap of two tokens at several parameters beside rounding.

    Discs are tokens of X, squares those of Y, black discs tokens of both; token i of X and j of Y have a ring, the
    origin is a cross. `gaps`, by name, and `noise` are relative; what is 0 has a row of its own at the foot.
    """
    figure, (plane, ax) = canvas(2.5, left=0.55, blocks=2, across=(2, 1), gap=(0.75, 0.4))
    _plane(plane, X, Y, tokens)
    k = 1 + np.arange(len(noise))
    lines = {}
    for colour, marker, (name, gap) in zip((MEASURED, COLOURS[2]), ("o", "^"), gaps.items(), strict=False):
        lines[name] = ax.semilogy(k, np.where(gap < NOTHING, ROW, gap), marker, color=colour, markersize=4)[0]
    lines["rounding"] = ax.semilogy(
        k, np.where(noise < NOTHING, ROW, noise), "_", color=BOUND, markersize=6, markeredgewidth=2
    )[0]
    ax.set(xlim=(0.2, len(k) + 0.8), ylim=(ROW / 30, 30), xticks=())
    ax.set_yticks(
        [ROW, *(10.0**power for power in range(-16, 1, 4))], ["0", *(f"$10^{{{k}}}$" for k in range(-16, 1, 4))]
    )
    ax.minorticks_off()
    ax.set_title("gap of the two, at random parameters")
    line_names(ax, lines)
    return figure


def searched_pair(
    X: np.ndarray, Y: np.ndarray, tokens: tuple[int, int], gaps: Mapping[str, float], ends: tuple[float, float]
) -> Figure:
    """The hardest pair as points, as in `fooled_pair`, and below a bar for each family of pairs: its least gap.

    A bar is full where the two are alike, and open where the search found nothing that fools.

    `gaps`, by the family's name, are in units of rounding, NaN where there is no pair and no bar; `ends` are the gaps
    at which two tokens count as alike and as told apart.
    """
    families = {name: gap for name, gap in gaps.items() if not np.isnan(gap)}
    values = np.array(list(families.values()))
    figure, (plane, ax) = canvas((2, 0.19 * len(values)), gap=(0.45, 0.68))
    _plane(plane, X, Y, tokens)
    # Full is what the pair drawn shows; what only a search has seen is open.
    full, edges = zip(*((BOUND, BOUND) if gap <= ends[0] else ("none", MEASURED) for gap in values), strict=True)
    ax.barh(range(len(values)), np.maximum(values, 2 * LEAST), 0.8, left=LEAST, color=full, edgecolor=edges)
    names = [ax.text(0, row, name, va="center") for row, name in enumerate(families)]
    lines = [ax.axvline(end, color=GREY, linestyle="--", linewidth=1.6, zorder=3) for end in ends]
    between = np.arange(len(values) + 1) - 0.5
    dashes = [ax.vlines(end + 0 * between, between - 0.15, between + 0.15, color=GREY, linewidth=1.6) for end in ends]

    def place(is_narrow: bool) -> None:
        for name, gap in zip(names, values, strict=True):  # none on a full bar
            name.set_x((max(4 * LEAST, 2 * gap) if gap <= ends[0] else 4 * LEAST) if is_narrow else 2 * max(ends))
        for line in lines:
            line.set_visible(not is_narrow)
        for dash in dashes:  # where names lie on both lines, these show between bars alone
            dash.set_visible(is_narrow)

    at_widths(ax, place)
    ax.set_ylim(len(values) - 0.4, -0.6)
    _gap_axis(ax, ends, -0.6)
    axis_names(ax, "least gap of each family, in units of rounding")
    return figure


def hardest_pair(
    X: np.ndarray, Y: np.ndarray, tokens: tuple[int, int], gaps: Mapping[str, float], ends: tuple[float, float]
) -> Figure:
    """As `searched_pair`, but with all families on one line, in words: a tick for each, a disc at the least."""
    values = np.array(list(gaps.values()))
    values = np.maximum(values[~np.isnan(values)], 2 * LEAST)
    figure, (plane, ax) = canvas((1.8, 0.35), gap=(0.45, 0.5))
    _plane(plane, X, Y, tokens)
    for end in ends:
        ax.axvline(end, color=GREY, linestyle="--", linewidth=1.6)
    ax.plot(values, 0 * values, "|", color=GREY, markersize=16, markeredgewidth=1.6)
    least = values.min()
    ax.plot(least, 0, "o", color=BOUND if least <= ends[0] else MEASURED, markersize=9, zorder=3)
    ax.set_ylim(-1, 1)
    _gap_axis(ax, ends, 1)
    ax.set_xticks([1, MOST], ["a rounding apart", "worlds apart"])
    for label, side in zip(ax.get_xticklabels(), ("left", "right"), strict=True):
        label.set_horizontalalignment(side)
    axis_names(ax, "how far apart the two of each trap come out")
    plane.set(xticks=(), yticks=())
    return figure


def _gap_axis(ax: Axes, ends: tuple[float, float], top: float) -> None:
    """Gaps in units of rounding, as powers of ten; above `top` stands on which side of which end what is said."""
    ax.set(xscale="log", xlim=(LEAST, MOST), yticks=())
    ax.set_xticks([1, *ends, 1e8, 1e12, 1e16])
    ax.minorticks_off()
    for end, side, verdict in zip(ends, ("right", "left"), ("alike", "told apart, in this search"), strict=True):
        note(ax, verdict, (end, top), (0, 3), ha=side, va="bottom")


def unmasked(fooling: Mapping[str, Sequence[bool]]) -> Figure:
    """A table of discs: rows are mixers, columns families of pairs that fool them; one alone in its row has a ring."""
    names, table = list(fooling), np.array(list(fooling.values()))
    figure, ax = canvas(0.24 * len(names), bottom=0.45, top=0.1)
    i, j = np.nonzero(table)
    ax.plot(j + 1, i, "o", color=COLOURS[0], markersize=5)
    alone = table[i].sum(axis=1) == 1
    ax.plot(j[alone] + 1, i[alone], "o", color=COLOURS[1], markersize=10, clip_on=False, **hollow(1.6))
    ax.set(xlim=(0.4, table.shape[1] + 0.6), ylim=(len(names) - 0.4, -0.6), xlabel="family of pairs")
    columns = range(1, table.shape[1] + 1)
    marks(ax, columns, [str(k) for k in columns], [str(k) if k % 2 else "" for k in columns])
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    room_at_left(ax, names)
    return figure


def _plane(ax: Axes, X: np.ndarray, Y: np.ndarray, tokens: tuple[int, int]) -> None:
    shared = (np.abs(X[:, :, None] - Y[:, None, :]) < 1e-9).all(axis=0)
    key = {}
    for Z, other, k, name in ((X, shared.any(axis=1), 0, "one"), (Y, shared.any(axis=0), 1, "the other")):
        (both,) = ax.plot(*Z[:, other], MARKERS[0], color="black", markersize=6)
        style = {} if k == 0 else hollow()
        (key[name],) = ax.plot(*Z[:, ~other], MARKERS[k], color=COLOURS[k], markersize=8, zorder=3 + k, **style)
    for Z, token in ((X, tokens[0]), (Y, tokens[1])):
        ax.plot(*Z[:, token], "o", color=GREY, markersize=16, zorder=2, **hollow(1.4))
    ax.plot(0, 0, "+", color=GREY, markersize=10, zorder=1)
    ax.margins(0.2)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("ring: whose two outputs are compared")
    marks_key(ax, key | ({"in both": both} if shared.any() else {}))
