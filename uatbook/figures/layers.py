"""Pictures of what layers do one after the other: a scalar map, tokens that move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .style import COLOURS, CUT, GREY, TELL, at_widths, axis_names, bare, canvas, hollow, line_names, look, marks, note


def staircase_film(t: np.ndarray, states: Sequence[np.ndarray], titles: Sequence[str], sentinel: float) -> Figure:
    """A scalar map after each layer, one frame a layer: above the values near [0, 1], below those at the sentinel."""
    shared: Any = {"sharex": True, "sharey": "row", "gap": (0.18, 0.12), "across": (5, 3)}
    figure, axes = canvas((1.4, 0.3), left=0.45, blocks=len(states), **shared)
    for k, (state, title) in enumerate(zip(states, titles, strict=True)):
        _staircase(axes[:, k], t, state, sentinel)
        axes[1, k].set_xticks((0, 1))
        _name_inside(axes[0, k], title)
    return figure


def staircase(
    t: np.ndarray, state: np.ndarray, sentinel: float, *, mark: tuple[float, float], cell: tuple[float, float] | None
) -> Figure:
    """A scalar map after some layer, with one input and its value marked, and the cell shaded that the layer rounds."""
    figure, axes = canvas((2.2, 0.35), sharex=True, gap=(0, 0.12))
    _staircase(axes, t, state, sentinel)
    for ax in axes:
        if cell is not None:
            ax.axvspan(*cell, color=CUT, alpha=0.3, linewidth=0)
        ax.plot(*mark, "o", color=COLOURS[1], markersize=9, zorder=3)
        ax.axvline(mark[0], color=COLOURS[1], linestyle=":", linewidth=1.2)
    return figure


def _staircase(axes: Iterable[Axes], t: np.ndarray, state: np.ndarray, sentinel: float) -> None:
    """The map on two axes that share t: the upper one for [0, 1] and near it, the lower one for the sentinel."""
    upper, lower = axes
    # A line through a jump would claim values that the map does not take; between jumps the map rises by at most t.
    jumps = np.flatnonzero(np.abs(np.diff(state)) > 2 * np.diff(t)) + 1
    x, y = np.insert(np.asarray(t, float), jumps, np.nan), np.insert(np.asarray(state, float), jumps, np.nan)
    for ax in (upper, lower):
        ax.plot(x, y, color=COLOURS[0], linewidth=2.2)
        ax.axvspan(0, 1, color=GREY, alpha=0.12, linewidth=0)
    upper.set(ylim=(-0.45, 1.45), yticks=(0, 0.5, 1))
    lower.set(ylim=(sentinel - 0.6, sentinel + 0.6), yticks=(sentinel,))
    _cut(upper)
    axis_names(upper, y="value")
    axis_names(lower, "$t$")


def _cut(upper: Axes) -> None:
    """The axis goes on below, after a gap."""
    upper.spines["bottom"].set_visible(False)
    upper.tick_params(bottom=False)


def _name_inside(ax: Axes, name: str) -> None:
    """The name of a panel, in its upper left corner."""
    note(ax, name, (0, 1), (5, -2), xycoords="axes fraction", va="top")


def windows(
    states: np.ndarray,
    layers: Sequence[str],
    window: tuple[float, float] | None,
    wanted: Sequence[float],
    upper: tuple[float, float],
    lower: tuple[float, float],
) -> Figure:
    """Tokens as lines over the layers that have run, states of shape (at most layers, tokens), and a window shaded.

    Token 1 is a ring, so that it shows around another; crosses at the right say where the tokens should end. The
    vertical axis is cut into the ranges `upper` and `lower`; the tokens, named there, start in the upper one.
    """
    figure, axes = canvas((1.5, 1.3), bottom=0.45, sharex=True, gap=(0, 0.12))
    for ax, limits in zip(axes, (upper, lower), strict=True):
        if window is not None:
            ax.axhspan(*window, color=TELL, alpha=0.4, linewidth=0)
        for token, line in enumerate(states.T):
            ring = hollow(markersize=12, zorder=3) if token == 0 else {}
            ax.plot(line, linewidth=1.6, **look(token), **ring)
        for token, value in enumerate(wanted):
            ax.plot(len(layers) - 1, float(value), "x", color=COLOURS[token], markersize=9, markeredgewidth=2)
        ax.set(xlim=(-0.3, len(layers) - 0.7), ylim=limits)
    for token, value in enumerate(states[0]):
        note(axes[0], f"token {token + 1}", (0, value), (-6, 9))
    _cut(axes[0])
    axis_names(axes[0], y="number of the token")
    marks(axes[1], range(len(layers)), layers, ["\n" * (k % 2) + name for k, name in enumerate(layers)])
    return figure


def film(
    films: Sequence[tuple[str, np.ndarray]],
    layers: Sequence[str],
    *,
    ylabel: str,
    xlabel: str = "after the shift of level",
    linear: float = 10.0,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """Tokens as dots moving layer by layer: one panel a sequence, states of shape (at most layers + 1, tokens).

    The vertical axis is linear up to `linear` and logarithmic beyond; jumps before the last layer carry their value.
    It spans the states, or `limits`, the smallest and largest that a whole run of frames will show.
    """
    lowest, highest = limits or (f([f(states) for _, states in films]) for f in (np.min, np.max))
    high = 1.45 if len(films) > 1 else 2.3
    figure, axes = canvas(high, blocks=len(films), across=(3, 1), sharex=True, sharey=True)
    panels = np.atleast_1d(axes)
    panels[0].set_yscale("symlog", linthresh=linear)
    panels[0].set_ylim(-0.1 * linear if lowest >= 0 else 3 * lowest, 3 * max(highest, linear))
    panels[0].set_yticks((0, *linear * 10.0 ** np.arange(1 + int(np.log10(max(highest / linear, 1))))))
    panels[0].minorticks_off()
    panels[0].set_xlim(-0.3, len(layers) - 0.9)
    panels[0].set_xticks(range(len(layers)), list(layers))
    for ax, (title, states) in zip(panels, films, strict=True):
        lines = {}
        for token, line in enumerate(states.T):
            (lines[f"token {token + 1}"],) = ax.plot(line, linewidth=1.4, markersize=5, **look(token))
            # Who jumps lands above all others: at the left of the landing place there is room.
            for step in np.flatnonzero(np.diff(line[: len(layers) - 1])) + 1:
                note(ax, f"{line[step]:g}", (step, line[step]), (-2, 3), ha="right")
        _name_inside(ax, title)
        axis_names(ax, xlabel, ylabel)
        line_names(ax, lines)
    _names_once(list(panels), len(lines))
    return figure


def _names_once(panels: Sequence[Axes], count: int) -> None:
    """Side by side only the last panel keeps the names of its lines, its last `count` texts."""

    def show(narrow: bool) -> None:
        for ax in panels[:-1]:
            for text in ax.texts[-count:]:
                text.set_visible(narrow)

    at_widths(panels[-1], show)


def shapes(products: Mapping[str, Sequence[tuple[str, str]]], sizes: Mapping[str, int]) -> Figure:
    """Products of matrices in their proportions, a panel each: a matrix is a name and its two letters, rows, columns.

    `sizes` says how long a side with this letter is drawn. The n columns that belong to tokens have their colours.
    """
    gap = 1.6
    widths = {title: sum(sizes[sides[1]] + gap for _, sides in line) for title, line in products.items()}
    tall = max(sizes[sides[0]] for line in products.values() for _, sides in line)
    figure, axes = canvas(1.5, left=0.1, right=0.1, bottom=0.25, top=0.6, blocks=len(products), across=(2, 1))
    for ax, (title, line) in zip(np.atleast_1d(axes), products.items(), strict=True):
        ax.set(xlim=(-gap / 2, max(widths.values()) - gap / 2), ylim=(0, tall), xticks=(), yticks=(), aspect="equal")
        bare(ax)
        note(ax, title, (0, 1), (0, 26), xycoords="axes fraction")
        x = 0.0
        for name, sides in line:
            rows, columns = sides[0], sides[1]
            _matrix(ax, x, (tall - sizes[rows]) / 2, (sizes[rows], sizes[columns]), columns == "n")
            middle = x + sizes[columns] / 2
            note(ax, name, (middle, (tall + sizes[rows]) / 2), (0, 5), ha="center")
            note(ax, rf"${rows} \times {columns}$", (middle, (tall - sizes[rows]) / 2), (0, -5), ha="center", va="top")
            x += sizes[columns] + gap
    return figure


def _matrix(ax: Axes, x: float, y: float, size: tuple[int, int], of_tokens: bool) -> None:
    """A matrix as squares, its columns in the colours of tokens or all grey."""
    for column in range(size[1]):
        colour = COLOURS[column] if of_tokens else GREY
        for row in range(size[0]):
            ax.add_patch(Rectangle((x + column, y + row), 1, 1, fc=colour, alpha=0.35, lw=0))
            ax.add_patch(Rectangle((x + column, y + row), 1, 1, fill=False, ec=colour, lw=1))
