"""The first frame of the live picture of attention: the plane and the tables."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.transforms import ScaledTranslation

from ..figures.style import COLOURS, GREY, bare, hollow, note
from .attention_run import Run, listed, trimmed
from .picture import number

MARKS = (("s", COLOURS[0]), ("^", COLOURS[1]), ("o", "black"))
"""Tokens of the first context, of the second, of both."""
WEIGHT_COLOURS = (COLOURS[2], COLOURS[3], COLOURS[4])


PARTS = {"w_k": "key", "w_q": "query", "w_v": "value", "w_o": "output"}


def draw_plane(ax: Axes, run: Run, window: tuple[tuple[float, float], tuple[float, float]]) -> None:
    """Tokens, whom the listener hears, and where the layer puts each token."""
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    ax.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    ax.set(xlim=window[0], ylim=window[1], aspect="equal", adjustable="box", anchor="NW")
    for c in range(len(run.contexts)):
        _draw_hearing(ax, run, c)
        _draw_outputs(ax, run, c, window)
    for token, (x, y) in run.tokens.items():
        kinds = [c for c, context in enumerate(run.contexts) if token in context]
        marker, colour = MARKS[2 if len(kinds) == len(run.contexts) else kinds[0]]
        filler = all(run.is_filler(run.contexts[c].index(token)) for c in kinds)
        ax.plot(x, y, marker, color=GREY if filler else colour, markersize=8, zorder=4)
        note(ax, given(token, filler), (x, y), (0, -18), ha="center", color=GREY if filler else "black")
    for k, (key, (x, y)) in enumerate(run.vectors.items()):
        colour = WEIGHT_COLOURS[k % 3]
        if len(run.contexts) == 1 and run.projects(key):
            _draw_feet(ax, run, key, colour)
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 2.2})
        length = np.hypot(x, y) or 1
        aside = (-11 * y / length, 11 * x / length)  # not on its line
        note(ax, f"${key}$", (x, y), aside, ha="center", va="center", color=colour)
    if len(run.contexts) == 1:
        _draw_roles(ax, run)
    else:
        _draw_head(ax, run)


def _draw_hearing(ax: Axes, run: Run, c: int) -> None:
    """Arrows to the listener from those that it hears; a loop is itself."""
    context = run.contexts[c]
    listener = run.tokens[context[run.at]]
    for token, weight in zip(context, run.weights[c][:, run.at], strict=True):
        if weight < 0.001:
            continue
        side = 1 if c else -1
        style: Any = {
            "color": COLOURS[c], "alpha": 0.2 + 0.5 * weight, "linewidth": 1 + 4 * weight, "arrowstyle": "->",
            "mutation_scale": 11, "zorder": 1,
        }  # fmt: skip
        if run.tokens[token] == listener:
            beside = ScaledTranslation(10 * side / 72, 12 / 72, _inches(ax))
            ring = hollow(1 + 4 * weight, color=COLOURS[c], alpha=style["alpha"], markersize=13)
            ax.plot(*listener, "o", transform=ax.transData + beside, zorder=1, **ring)
            continue
        bow = f"arc3,rad={0.28 * side}"
        ax.add_patch(FancyArrowPatch(run.tokens[token], listener, connectionstyle=bow, shrinkA=8, shrinkB=10, **style))


def _inches(ax: Axes) -> Any:
    figure = ax.figure
    assert figure is not None
    return figure.dpi_scale_trans


def _draw_outputs(ax: Axes, run: Run, c: int, window: tuple[tuple[float, float], tuple[float, float]]) -> None:
    """From each token to where the layer puts it; at the border where that is outside."""
    alone = len(run.contexts) == 1
    for k, (token, to) in enumerate(zip(run.contexts[c], run.outputs[c], strict=True)):
        ink = GREY if run.is_filler(k) else COLOURS[c]
        width = 3.2 if c == 0 and not alone else 1.6
        (x, y), outside = _inside(run.tokens[token], to, window)
        ends: Any = {"arrowstyle": "->" if alone or outside else "-", "color": ink, "linewidth": width}
        ends |= {"alpha": 0.55 if c == 0 else 1, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (x, y), run.tokens[token], arrowprops=ends)
        if outside:
            note(ax, "outside", (x, y), (0, -12), ha="center", color=ink)
        elif not alone:
            tip: Any = {"markerfacecolor": "none", "markersize": 11} if c == 0 else {"markersize": 5.5}
            ax.plot(x, y, "o", color=ink, markeredgewidth=2, zorder=3, **tip)


def _inside(start: Any, end: Any, window: Any) -> tuple[np.ndarray, bool]:
    """The end of a way, or where it leaves the window; whether it does."""
    step = np.subtract(end, start)
    shares = [
        (high - a) / d if a + d > high else (low - a) / d if a + d < low else 1
        for a, d, (low, high) in zip(start, step, window, strict=True)
    ]
    share = max(0.0, min(shares))
    return (np.add(start, share * step), True) if share < 1 else (np.asarray(end), False)


def _draw_feet(ax: Axes, run: Run, key: str, colour: str) -> None:
    """What tokens show and ask: their feet on the vector's line, that of the listener by name."""
    x, y = run.vectors[key]
    if not (square := x * x + y * y):
        return
    ax.axline((0, 0), (x, y), color=colour, alpha=0.8, linewidth=1, linestyle=(0, (5, 4)))
    for token, (u, v) in run.tokens.items():
        if token not in run.contexts[0]:
            continue
        value = u * x + v * y
        share, mine = value / square, token == run.contexts[0][run.at]
        ax.plot((u, share * x), (v, share * y), ":", color=colour, alpha=0.8, linewidth=1.6 if mine else 1)
        ax.plot(share * x, share * y, "o", color=colour, markersize=7 if mine else 5)
        if mine:
            part = next(PARTS[name] for name in run.roles[key] if name in ("w_k", "w_q"))
            note(ax, f"{part} {trimmed(value, 2)}", (share * x, share * y), (0, -13), ha="center", color=colour)


def _draw_roles(ax: Axes, run: Run) -> None:
    """What each vector is for, above the plane."""
    for k, (key, names) in enumerate(run.roles.items()):
        said = f"${key}$ {', '.join(PARTS[name] for name in names)}"
        ax.text(k / 3, 1.02, said, transform=ax.transAxes, color=WEIGHT_COLOURS[k % 3])


def _draw_head(ax: Axes, run: Run) -> None:
    """Above the plane: what is found, and the contexts in their order: the listener framed, hidden tokens grey."""
    shared = run.shared()
    different = [one.token for one in shared if one.differs]
    surely = all(one.surely for one in shared)
    same = f"{listed([one.token for one in shared])}: " if shared else "no token to compare"
    same += ("the same in both" if surely else "the same, as far as floats tell") if shared else ""
    ax.set_title(
        f"told apart: {listed(different)}" if different else same, fontsize=9, fontweight="bold", pad=22, loc="left"
    )
    at = 0.0
    for c, context in enumerate(run.contexts):
        ax.plot(at + 0.015, 1.045, MARKS[c][0], color=MARKS[c][1], transform=ax.transAxes, clip_on=False, markersize=6)
        at += 0.045
        if not all(token in run.names[c] for token in context):
            ax.text(at, 1.03, run.names[c], transform=ax.transAxes)
            at += 0.03 + 0.018 * len(run.names[c])
        seen = run.sees(c, run.at)
        for k, token in enumerate(context):
            ink = GREY if token not in seen or run.is_filler(k) else "black"
            frame: Any = {"bbox": {"boxstyle": "round,pad=0.25", "fill": False}} if k == run.at else {}
            said = given(token, run.is_filler(k))
            ax.text(at + 0.02, 1.03, said, transform=ax.transAxes, ha="center", color=ink, **frame)
            at += 0.035 + 0.02 * (len(token) - 1)
        at += 0.03


def given(token: str, filler: bool) -> str:
    """A token's name as it is drawn: a letter with a small number is mathematics, a filler stands in brackets."""
    name = re.sub("^([a-z])([₀-₉])$", lambda found: f"${found[1]}_{int(unicodedata.digit(found[2]))}$", token)
    return f"({name})" if filler else name


def draw_table(ax: Axes, run: Run, c: int) -> None:
    """Weights or scores of context c: keys down, queries across; the darker the more is heard."""
    context, weights = run.contexts[c], run.weights[c]
    shown = run.scores(c) if run.wants_scores else weights
    n = len(context)
    for i in range(n):
        for k in range(n):
            ink = GREY if run.is_filler(k) else COLOURS[c]
            hidden = run.lists is not None and i not in run.lists[k]
            if not hidden:
                cell: Any = {"facecolor": ink, "alpha": 0.55 * weights[i, k], "linewidth": 0}
                ax.add_patch(Rectangle((k, i), 1, 1, **cell))
            said = "–" if hidden else _cell(shown[i, k], run.wants_scores)
            ax.text(k + 0.5, i + 0.5, said, ha="center", va="center", fontsize=9)
    ax.add_patch(Rectangle((run.at, 0), 1, n, fill=False, edgecolor="black", linewidth=1.6))
    ax.set(xlim=(0, n), ylim=(n, 0), xticks=np.arange(n) + 0.5, yticks=np.arange(n) + 0.5)
    names = [given(token, run.is_filler(k)) for k, token in enumerate(context)]
    ax.set(xticklabels=names, yticklabels=names)
    ax.set_box_aspect(0.7)
    ax.set_anchor("N")
    ax.xaxis.tick_top()
    bare(ax)
    what = "scores" if run.wants_scores else "weights"
    title = f"{what}: {run.names[c]}" if len(run.contexts) > 1 else what
    ax.set_title(title, fontsize=9, loc="left")


def _cell(value: float, score: bool) -> str:
    """A number of the table, in four letters or so; what is heard a little is not 0."""
    if score:
        return number(value, 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2)
    return "<.01" if 0 < value < 0.005 else number(value, 2)
