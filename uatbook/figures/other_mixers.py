"""Pictures of mixing without attention's table: pulls on a token, sums over two sets of tokens, bends in the plane.

And of blocks that take tokens of the plane to their answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from .style import COLOURS, GREY, MARKERS, STYLES, axis_names, bare, canvas, hollow, line_names, note


def pulls(panels: Sequence[tuple[str, Sequence[str], np.ndarray, np.ndarray]], reach: float) -> Figure:
    """Tokens of the plane, and what the first of them hears: panels (title, names, tokens (n, 2), pulls (n, 2)).

    Thin arrows from the listener, which is ringed, are the pulls of the tokens in their colours; the thick one is their
    sum. The plane goes from -reach to reach.
    """
    figure, axes = canvas(2.9, squares=True, left=0.2, bottom=0.2, blocks=len(panels), across=(2, 2))
    for ax, (title, names, tokens, arrows) in zip(np.atleast_1d(axes), panels, strict=True):
        here = tokens[0]
        ax.axhline(0, color=GREY, linewidth=0.6)
        ax.axvline(0, color=GREY, linewidth=0.6)
        for k, (name, token, arrow) in enumerate(zip(names, tokens, arrows, strict=True)):
            colour = COLOURS[k % len(COLOURS)]
            ax.plot(*token, MARKERS[k % len(MARKERS)], color=colour, markersize=7, zorder=3)
            _arrow(ax, here, here + arrow, color=colour, linewidth=1.6)
            away = (token - here) / np.hypot(*(token - here)) if k else _free(np.vstack([tokens[1:] - here, arrows]))
            note(ax, name, token, tuple(15 * away), ha="center", va="center")
        ax.plot(*here, "o", color="black", markersize=12, zorder=4, **hollow(1.4))
        _arrow(ax, here, here + arrows.sum(axis=0), color="black", linewidth=2.6)
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=(), yticks=())
        ax.set_title(title)
        bare(ax)
    return figure


def _free(taken: np.ndarray) -> np.ndarray:
    """Of eight directions beside the axes, that which is farthest from these vectors."""
    turns = np.pi * (np.arange(8) / 4 + 1 / 8)
    directions = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    far = taken[np.hypot(*taken.T) > 0.05]
    return directions[(directions @ (far / np.hypot(*far.T)[:, None]).T).max(axis=1).argmin()]


def _arrow(ax: Axes, start: np.ndarray, end: np.ndarray, **look: object) -> None:
    if np.hypot(*(end - start)) > 0.02:
        arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, **look}
        ax.annotate("", tuple(end), tuple(start), arrowprops=arrow, annotation_clip=False, zorder=5)


def hummed(
    tokens: Mapping[str, Sequence[float]], b: np.ndarray, sums: Mapping[str, np.ndarray], difference: np.ndarray
) -> Figure:
    """Two sets of tokens on a line, one row each; below them a sum over each as a function of b, and their difference.

    `sums` has the names of `tokens`. The difference has a scale of its own.
    """
    figure, (line, above, below) = canvas([0.55, 1.3, 0.9], gap=(0, 0.42), sharex=True, bottom=0.45)
    for k, places in enumerate(tokens.values()):
        line.plot(places, [-k] * len(places), MARKERS[k], color=COLOURS[k], markersize=8)
    line.set(ylim=(-1.5, 0.5), yticks=())
    line.set_yticks([-k for k in range(len(tokens))], list(tokens))
    bare(line)
    line.tick_params(labelbottom=False)
    drawn = {
        name: above.plot(b, values, STYLES[k], color=COLOURS[k], linewidth=(3, 1.8)[k])[0]
        for k, (name, values) in enumerate(sums.items())
    }
    (apart,) = below.plot(b, difference, color="black", linewidth=1.8)
    below.axhline(0, color=GREY, linewidth=0.8)
    low, high = (min(v.min() for v in sums.values()), max(v.max() for v in sums.values()))
    above.set(xlim=(b[0], b[-1]), ylim=(low - 0.08 * (high - low), high + 0.08 * (high - low)))
    most = max(1e-9, float(np.abs(difference).max()))
    below.set(ylim=(-1.25 * most, 1.25 * most), yticks=(0,) if most < 1e-6 else (-most, 0, most))
    below.set_yticklabels(["0"] if most < 1e-6 else [f"{t:.2g}" for t in (-most, 0, most)])
    axis_names(above, "", "sum")
    axis_names(below, "$b$", "difference")
    line_names(above, drawn)
    line_names(below, {"X − Y": apart})
    return figure


def bends(
    centres: np.ndarray, told: Sequence[bool], lines: Sequence[tuple[np.ndarray, float]], names: Sequence[str]
) -> Figure:
    """Clusters of the plane, of shape (count, 2): full discs where a layer tells their pair apart, rings where not.

    `lines` are (w, b), drawn dashed where w . x = b; two that coincide share the dashes.
    """
    figure, ax = canvas(3.0, squares=True, left=0.2, bottom=0.1, top=0.1)
    for k, (w, b) in enumerate(lines):
        foot, along = w * b / (w @ w), np.array([-w[1], w[0]]) / np.hypot(*w)
        ends = np.array([foot - 3 * along, foot + 3 * along])
        ax.plot(*ends.T, linestyle=(4 * k, (4, 4)), color=COLOURS[1 + k], linewidth=1.8)
    for centre, is_told, name in zip(centres, told, names, strict=True):
        face = COLOURS[0] if is_told else "none"
        ax.add_patch(Circle(tuple(centre), 0.09, facecolor=face, edgecolor=COLOURS[0], linewidth=1.8, zorder=3))
        ax.text(*(1.27 * centre), name, ha="center", va="center")
    ax.set(xlim=(-1.45, 1.45), ylim=(-1.45, 1.45), xticks=(), yticks=())
    bare(ax)
    return figure


def on_the_way(tokens: np.ndarray, answers: np.ndarray) -> Figure:
    """Tokens of the plane, (count, 2), as full marks, joined to their answers, hollow marks of the same kind."""
    figure, ax = canvas(3.0, squares=True, left=0.4, bottom=0.5, top=0.3)
    for k, (here, there) in enumerate(zip(tokens, answers, strict=True)):
        colour, marker = COLOURS[k % len(COLOURS)], MARKERS[k % len(MARKERS)]
        ax.plot(*zip(here, there, strict=True), "-", color=colour, linewidth=0.9)
        ax.plot(*there, marker, color=colour, markersize=13, **hollow(1.4))
        # Smaller ones come last, so that tokens in one place are seen to be several.
        ax.plot(*here, marker, color=colour, markersize=9 - k, zorder=3 + k)
    ax.margins(0.14)
    axis_names(ax, "first entry", "second")
    return figure
