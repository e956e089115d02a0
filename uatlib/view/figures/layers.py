"""Pictures of what layers do one after the other: a scalar map, tokens, the ids that they end with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .style import COLOURS, GREY, canvas, hollow, look, note, over


def staircase_film(t: np.ndarray, states: Sequence[np.ndarray], titles: Sequence[str], sentinel: float) -> Figure:
    """A scalar map after each layer, one frame a layer: above the values near [0, 1], below those at the sentinel."""
    count = len(states)
    width = 6.5 if count > 3 else 1.6 * count + 0.6
    shared: Any = {"sharex": True, "sharey": "row", "height_ratios": (5, 1), "space": (0.08, 0.12)}
    figure, axes = canvas((width, 2.9), (0.62 / width, 0.99, 0.16, 0.88), grid=(2, count), **shared)
    for k, (state, title) in enumerate(zip(states, titles, strict=True)):
        _staircase(axes[:, k], t, state, sentinel)
        axes[0, k].set_title(title, fontsize=9)
    axes[0, 0].set_ylabel("value")
    return figure


def staircase(
    t: np.ndarray, state: np.ndarray, sentinel: float, *, mark: tuple[float, float], cell: tuple[float, float] | None
) -> Figure:
    """A scalar map after some layer, with one input and its value marked, and the cell shaded that the layer rounds."""
    shared: Any = {"sharex": True, "height_ratios": (5, 1), "space": (None, 0.12)}
    figure, axes = canvas((5.2, 3.6), (0.13, 0.98, 0.14, 0.97), rows=2, **shared)
    _staircase(axes, t, state, sentinel)
    for ax in axes:
        if cell is not None:
            ax.axvspan(*cell, color=COLOURS[2], alpha=0.3, linewidth=0)
        ax.plot(*mark, "o", color=COLOURS[1], markersize=9, zorder=3)
        ax.axvline(mark[0], color=COLOURS[1], linestyle=":", linewidth=1.2)
    axes[0].set_ylabel("value")
    return figure


def _staircase(axes: Iterable[Axes], t: np.ndarray, state: np.ndarray, sentinel: float) -> None:
    """The map on two axes that share t: the upper one for [0, 1] and near it, the lower one for the sentinel."""
    upper, lower = axes
    # A line through a jump would claim values that the map does not take; between jumps the map rises by at most t.
    jumps = np.flatnonzero(np.abs(np.diff(state)) > 2 * np.diff(t)) + 1
    x, y = np.insert(np.asarray(t, float), jumps, np.nan), np.insert(np.asarray(state, float), jumps, np.nan)
    for ax in axes:
        ax.plot(x, y, color=COLOURS[0], linewidth=2.2)
        ax.axvspan(0, 1, color=GREY, alpha=0.12, linewidth=0)
    upper.set_ylim(-0.45, 1.45)
    upper.spines["bottom"].set_visible(False)
    upper.tick_params(bottom=False)
    lower.set(ylim=(sentinel - 0.6, sentinel + 0.6), yticks=(sentinel,), xlabel="$t$")


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
    vertical axis is cut into the ranges `upper` and `lower`.
    """
    figure, axes = canvas((5.2, 4.1), (0.14, 0.98, 0.09, 0.92), rows=2, sharex=True, space=(None, 0.1))
    for ax, limits in zip(axes, (upper, lower), strict=True):
        if window is not None:
            ax.axhspan(*window, color=COLOURS[2], alpha=0.4, linewidth=0)
        for token, line in enumerate(states.T):
            ring = hollow(markersize=12, zorder=3) if token == 0 else {}
            ax.plot(line, label=f"token {token + 1}", linewidth=1.6, **look(token), **ring)
        for token, value in enumerate(wanted):
            ax.plot(len(layers) - 1, float(value), "x", color=COLOURS[token], markersize=9, markeredgewidth=2)
        ax.set(xlim=(-0.3, len(layers) - 0.7), ylim=limits)
    axes[0].spines["bottom"].set_visible(False)
    axes[0].tick_params(bottom=False)
    axes[0].set_ylabel("number of the token")
    axes[1].set_xticks(range(len(layers)), list(layers), fontsize=10)
    axes[0].legend(loc="lower right", bbox_to_anchor=(1, 0.98), ncols=2, fontsize=10)
    return figure


def film(
    films: Sequence[tuple[str, np.ndarray]],
    layers: Sequence[str],
    *,
    ylabel: str,
    linear: float = 10.0,
    limits: tuple[float, float] | None = None,
    interval: tuple[float, float] | None = None,
) -> Figure:
    """Tokens as dots moving layer by layer: one panel a sequence, states of shape (at most layers + 1, tokens).

    The vertical axis is linear up to `linear` and logarithmic beyond; jumps before the last layer carry their value.
    It spans the states, or `limits`, the smallest and largest that a whole run of frames will show; `interval`, the
    one that final numbers should lie in, is shaded.
    """
    width = 5.2 if len(films) == 1 else 1.6 * len(films) + 0.65
    lowest, highest = limits or (f([f(states) for _, states in films]) for f in (np.min, np.max))
    left = (0.9 if lowest < 0 else 0.62) / width
    across: Any = {"grid": (1, len(films)), "sharey": True, "space": (0.08, None)}
    figure, axes = canvas((width, 3.2), (left, 0.99, 0.22, 0.91), **across)
    for ax, (title, states) in zip(axes[0], films, strict=True):
        if interval is not None:
            ax.axhspan(*interval, color=COLOURS[2], alpha=0.3, linewidth=0, label="$[t_l, t_r]$")
        for token in range(states.shape[1]):
            line = states[:, token]
            ax.plot(line, label=f"token {token + 1}", linewidth=1.4, markersize=5, **look(token))
            # The last layer lifts all, too far to be read off.
            for step in np.flatnonzero(np.diff(line[: len(layers) - 1])) + 1:
                note(ax, f"{line[step]:g}", (step, line[step]), (0, 5), ha="center", fontsize=9)
        ax.set_xticks(range(len(layers)), list(layers), rotation=60, fontsize=10)
        ax.set_xlim(-0.3, len(layers) - 0.7)
        ax.set_title(title, fontsize=10, loc="left" if len(films) == 1 else "center")
    axes[0, 0].set_yscale("symlog", linthresh=linear)
    axes[0, 0].set_ylim(-0.1 * linear if lowest >= 0 else 3 * lowest, 3 * max(highest, linear))
    axes[0, 0].set_ylabel(ylabel)
    if len(films) == 1:
        over(axes[0, 0], 4, 9, at=(1.01, 0.98))
    else:
        axes[0, 0].legend(fontsize=8, loc="upper left")
    return figure


def id_lines(
    groups: Mapping[str, np.ndarray], interval: tuple[float, float], *, linear: float, xlabel: str = "id"
) -> Figure:
    """Ids as marks on a line, one row a group, with the interval [t_l, t_r] shaded; the axis is symlog."""
    height = 0.45 * len(groups) + 1.0
    figure, ax = canvas((5.6, height), (0.29, 0.98, 0.62 / height, 1 - 0.3 / height))
    ax.axvspan(*interval, color=COLOURS[1], alpha=0.2, linewidth=0)
    note(ax, "$[t_l, t_r]$", (interval[0], 1), (2, 3), xycoords=("data", "axes fraction"))
    for row, ids in enumerate(reversed(list(groups.values()))):
        ax.plot(ids, np.full(len(ids), row), "|", color=COLOURS[row % len(COLOURS)], markersize=13, markeredgewidth=1.2)
    ax.set_yticks(range(len(groups)), list(groups)[::-1])
    ax.set_ylim(-0.6, len(groups) - 0.4)
    ax.set_xscale("symlog", linthresh=linear)
    ends = [f(f(ids) for ids in groups.values()) for f in (min, max)]
    ax.set_xlim(3 * min(ends[0], 0) - 0.2 * linear, 3 * max(ends[1], 0) + 0.2 * linear)
    ax.tick_params(axis="x", labelsize=9)
    ax.set_xlabel(xlabel)
    return figure
