"""Pictures of networks that recall labels: a broken line and its bends, answers in floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .style import BOUND, COLOURS, LOOK, MARKERS, MEASURED, STYLES, axis_names, canvas, hollow, line_names

FLOOR, TOP = 1e-17, 1e5


def broken_line(
    x: np.ndarray, total: np.ndarray, parts: Mapping[str, np.ndarray], points: tuple[Sequence[float], Sequence[float]]
) -> Figure:
    """A function of one number as a thick line through given points, and the parts that it is the sum of, thin."""
    figure, ax = canvas(2.5)
    lines = {}
    for k, (name, values) in enumerate(parts.items()):
        (lines[name],) = ax.plot(x, values, STYLES[1 + k % 3], color=COLOURS[1 + k], linewidth=1.4, label=name)
    (lines["sum"],) = ax.plot(x, total, color=LOOK, linewidth=2.4, label="sum")
    ax.plot(*points, "o", color=LOOK, markersize=8, zorder=3)
    ax.set_xlim(x[0], x[-1])
    axis_names(ax, "id $z$", "answer")
    line_names(ax, lines)
    return figure


def recall(tokens: np.ndarray, ids: np.ndarray, labels: np.ndarray, answers: np.ndarray, token: int) -> Figure:
    """The broken line near one token, and the errors of all tokens; arrays of one shape, an entry a token.

    On the line rings are the labels over the ids and crosses the answers, those off the picture at its edge. Beside it
    there is a mark for each id, token by token in the order of ids, at |answer - label| on a logarithmic axis; those of
    1/2 and more, where the nearest label is another one, are crosses above the dashed line.
    """
    figure, (line, below) = canvas(2.1, blocks=2, across=(2, 1), gap=(0.65, 0))
    order = np.lexsort((ids.ravel(), tokens.ravel()))
    x, z, y, got = (np.asarray(u, dtype=float).ravel()[order] for u in (tokens, ids, labels, answers))
    here = x == token
    low, high = y.min() - 0.6, y.max() + 0.6
    line.plot(z[here], y[here], color=LOOK, linewidth=1.5, zorder=1)
    line.plot(z[here], y[here], "o", markersize=11, **hollow(1.6, markeredgecolor=LOOK))
    shown = np.clip(np.nan_to_num(got, nan=high), low, high)
    line.plot(z[here], shown[here], "x", color="black", markersize=7, clip_on=False)
    line.set(ylim=(low, high), yticks=np.unique(y))
    line.ticklabel_format(axis="x", useOffset=False)
    line.locator_params(axis="x", nbins=4)
    axis_names(line, f"id of the token {token}", r"label $\circ$ and answer $\times$")
    errors = np.nan_to_num(np.abs(got - y), nan=TOP, posinf=TOP)
    wrong = errors >= 0.5
    inside = np.concatenate([np.linspace(-0.32, 0.32, int(count)) for count in np.unique(x, return_counts=True)[1]])
    heights = np.clip(errors, FLOOR, TOP)
    below.plot((x + inside)[~wrong], heights[~wrong], "o", color=MEASURED, markersize=4)
    below.plot((x + inside)[wrong], heights[wrong], "x", color=BOUND, markersize=6, markeredgewidth=1.6)
    half = below.axhline(0.5, color=BOUND, linestyle="--", linewidth=1.6)
    below.set(yscale="log", ylim=(FLOOR / 3, 3 * TOP))
    below.set_xticks(np.unique(x))
    below.set_yticks([1e-16, 1e-12, 1e-8, 1e-4, 1, 1e4])
    below.minorticks_off()
    below.grid(visible=False, axis="x")
    axis_names(below, "token", "|answer − label|")
    line_names(below, {"1/2": half})
    return figure


def conditioning(
    gaps: Sequence[float], errors: Mapping[str, Sequence[float]], rules: Mapping[str, float], *, rule: str
) -> Figure:
    """Largest errors against the least distance of two ids, both axes logarithmic, one kind of marks a number system.

    `rules[name]` is c in the rule of thumb error = c / gap for that system, a line; `rule` names the lines. The dashed
    line at 1/2 is where labels are mistaken.
    """
    figure, ax = canvas(2.6)
    ends = np.array([min(gaps), max(gaps)])
    half = ax.axhline(0.5, color=BOUND, linestyle="--", linewidth=1.6)
    lines = {"1/2": half}
    for k, (name, values) in zip((0, 2), errors.items(), strict=False):
        ax.plot(gaps, values, MARKERS[k], color=COLOURS[k], markersize=5, clip_on=False, label=name)
        named = f"{name}:\n{rule}"
        (lines[named],) = ax.plot(ends, rules[name] / ends, ":", color=COLOURS[k], linewidth=1.8, label=named)
    ax.set(xscale="log", yscale="log", xlim=(ends[0] / 3, ends[1]))
    ax.minorticks_off()
    axis_names(ax, "least distance between two ids", "largest error")
    line_names(ax, lines)
    return figure
