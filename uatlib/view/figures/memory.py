"""Pictures of networks that recall labels: a broken line and its bends, answers in floats, tokens around encodings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle

from .style import BOUND, COLOURS, GREY, MARKERS, MEASURED, STYLES, canvas, hollow, over

FLOOR, TOP = 1e-17, 1e5


def broken_line(
    x: np.ndarray, total: np.ndarray, parts: Mapping[str, np.ndarray], points: tuple[Sequence[float], Sequence[float]]
) -> Figure:
    """A function of one number as a thick line through given points, and the parts that it is the sum of, thin."""
    figure, ax = canvas((5.2, 3.4), (0.16, 0.97, 0.15, 0.97))
    for k, (name, values) in enumerate(parts.items()):
        ax.plot(x, values, STYLES[1 + k % 3], color=COLOURS[1 + k], linewidth=1.4, label=name)
    ax.plot(x, total, color=COLOURS[0], linewidth=2.4, label="sum")
    ax.plot(*points, "o", color=COLOURS[0], markersize=9, zorder=3)
    ax.set(xlabel="id $z$", ylabel="answer", xlim=(x[0], x[-1]))
    ax.legend(fontsize=10, loc="lower left")
    return figure


def recall(tokens: np.ndarray, ids: np.ndarray, labels: np.ndarray, answers: np.ndarray, token: int) -> Figure:
    """Above the broken line near one token; below the errors of all tokens; arrays of one shape, an entry a token.

    Above, rings are the labels over the ids and crosses the answers, those off the picture at its edge. Below there is
    a mark for each id, token by token in the order of ids, at |answer - label| on a logarithmic axis; those of 1/2 and
    more, where the nearest label is another one, are crosses above the dashed line.
    """
    split: Any = {"rows": 2, "height_ratios": (1, 1.1), "space": (None, 0.45)}
    figure, (above, below) = canvas((5.4, 5.0), (0.15, 0.94, 0.105, 0.93), **split)
    order = np.lexsort((ids.ravel(), tokens.ravel()))
    x, z, y, got = (np.asarray(u, dtype=float).ravel()[order] for u in (tokens, ids, labels, answers))
    here = x == token
    low, high = y.min() - 0.6, y.max() + 0.6
    above.plot(z[here], y[here], color=MEASURED, linewidth=1.5, zorder=1)
    above.plot(z[here], y[here], "o", markersize=11, label="label", **hollow(1.6, markeredgecolor=MEASURED))
    shown = np.clip(np.nan_to_num(got, nan=high), low, high)
    above.plot(z[here], shown[here], "x", color="black", markersize=7, label="answer", clip_on=False)
    above.set(ylim=(low, high), yticks=np.unique(y), xlabel=f"id of the token {token}", ylabel="label")
    above.ticklabel_format(axis="x", useOffset=False)
    above.locator_params(axis="x", nbins=4)
    over(above, 2, 9, at=(1.02, 0.96))
    errors = np.nan_to_num(np.abs(got - y), nan=TOP, posinf=TOP)
    wrong = errors >= 0.5
    inside = np.concatenate([np.linspace(-0.32, 0.32, int(count)) for count in np.unique(x, return_counts=True)[1]])
    heights = np.clip(errors, FLOOR, TOP)
    below.plot((x + inside)[~wrong], heights[~wrong], "o", color=MEASURED, markersize=4)
    below.plot((x + inside)[wrong], heights[wrong], "x", color=BOUND, markersize=8, markeredgewidth=2)
    below.axhline(0.5, color=BOUND, linestyle="--", linewidth=1.6)
    below.set(yscale="log", ylim=(FLOOR / 3, 3 * TOP), xlabel="token", ylabel="|answer − label|")
    below.set_xticks(np.unique(x))
    below.set_yticks([1e-16, 1e-12, 1e-8, 1e-4, 1, 1e4])
    below.minorticks_off()
    below.grid(visible=False, axis="x")
    return figure


def conditioning(
    gaps: Sequence[float], errors: Mapping[str, Sequence[float]], rules: Mapping[str, float], *, rule: str
) -> Figure:
    """Largest errors against the least distance of two ids, both axes logarithmic, one kind of marks a number system.

    `rules[name]` is c in the rule of thumb error = c / gap for that system, a line; `rule` names the lines. The dashed
    line at 1/2 is where labels are mistaken.
    """
    figure, ax = canvas((5.4, 3.7), (0.15, 0.97, 0.15, 0.88))
    ends = np.array([min(gaps), max(gaps)])
    places = (0, 2)
    for k, (name, values) in zip(places, errors.items(), strict=False):
        ax.plot(gaps, values, MARKERS[k], color=COLOURS[k], markersize=5, label=name)
        ax.plot(ends, rules[name] / ends, ":", color=COLOURS[k], linewidth=1.8, label=f"{rule}, {name}")
    ax.axhline(0.5, color=BOUND, linestyle="--", linewidth=1.6)
    ax.set(xscale="log", yscale="log", xlabel="least distance of two ids", ylabel="largest error")
    ax.minorticks_off()
    over(ax, 2, 9, at=(1.02, 0.98))
    return figure


def encodings(
    centres: Sequence[float],
    size: float,
    bounds: tuple[float, float],
    *,
    flat: bool,
    bad: tuple[bool, bool],
    reach: float,
) -> Figure:
    """Tokens of norm up to 1 around the encodings of places, which lie on a line through 0.

    Two dots a place are the tokens of norm `size` along the line. The arcs are the circles around 0 on which norms are
    to be bounded. `flat`: tokens are numbers, so there are only segments and no discs. `bad` says whether the nearest
    tokens of different places, which are joined, are too near, and whether the last token is too long.
    """
    figure, ax = canvas((5.4, 2.2), (0.02, 0.98, 0.25, 0.95))
    for k, centre in enumerate(centres):
        if flat:
            ax.plot([centre - 1, centre + 1], [0, 0], color=COLOURS[k], linewidth=9, alpha=0.35, solid_capstyle="butt")
        else:
            ax.add_patch(Circle((centre, 0), 1, facecolor=COLOURS[k], alpha=0.3, edgecolor="none"))
            ax.add_patch(Circle((centre, 0), 1, fill=False, edgecolor=COLOURS[k], linewidth=1.2))
        ax.plot([centre - size, centre + size], [0, 0], MARKERS[k], color=COLOURS[k], markersize=6, zorder=3)
        ax.annotate(f"place {k + 1}", (centre, 1.4 if k % 2 == 0 else -1.4), ha="center", va="center", fontsize=10)
    near = [centres[0] + size, centres[1] - size]
    ax.plot(near, [0, 0], "s", markersize=13, color=BOUND if bad[0] else GREY, **hollow())
    for bound, style in zip(bounds, ("--", "-"), strict=True):
        ends = np.degrees(np.arcsin(min(1.0, 1.05 / bound)))
        ax.add_patch(Arc((0, 0), 2 * bound, 2 * bound, theta1=-ends, theta2=ends, linestyle=style, linewidth=1.6))
    if bad[1]:
        end = centres[-1] + size
        ax.plot(end, 0, "x", color=BOUND, markersize=13, markeredgewidth=2.5, zorder=4)
    ax.plot(0, 0, "+", color="black", markersize=10)
    ax.set(xlim=(-0.6, reach), ylim=(-1.7, 1.7), aspect="equal", yticks=())
    ax.set_xlabel(r"along the encodings, in units of $r_{\max}$")
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return figure
