"""The first frame of the film: tokens as lines over the layers, and the error against the scale."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..figures.style import BOUND, COLOURS, GREY, MARKERS, MEASURED, note
from .film_run import NOISE, SEEN, Run, landing, say, ten

KNEE, STEPS, LINEAR = 30, 60, (0.14, 0.5)
"""Where the axis of scales turns logarithmic; steps of its curve; the part of the film's axis that is linear."""


def _height(run: Run) -> Callable[[float], float]:
    """From numbers to heights from 0 to 1: linear in the box and a little beyond, logarithmic outside."""
    low, high, reach, (bottom, top) = -0.3 * run.N, 1.3 * run.N, run.case.reach, LINEAR

    def height(value: float) -> float:
        if value < low:
            return bottom * (1 - math.log(value / low) / math.log(reach / -low))
        if value > high:
            return top + (1 - top) * math.log(value / high) / math.log(reach / high)
        return bottom + (top - bottom) * (value - low) / (high - low)

    return lambda value: min(1, max(0, height(value)))


def draw_film(ax: Axes, run: Run, low_high: tuple[float, float]) -> None:
    """Tokens as lines over the layers; they are dragged between `low_high` at the input."""
    N, last, height, (low, high) = run.N, run.N + 2, _height(run), run.interval
    hands = [0.2 * (k - (run.n - 1) / 2) for k in range(run.n)]
    end = last + 1.1
    powers = [10.0**k for k in range(1, 12) if 2.5 * N <= 10**k <= run.case.reach]
    marks = [*range(N + 1), *powers, *(-t for t in powers[1::2])]
    names = ["input", "cut" if run.cut else "not cut", *(f"shift {k}" for k in range(N)), "lift"]
    ax.set_yticks([height(t) for t in marks], [_power(t) for t in marks])
    ax.set_xticks(range(last + 1), names)
    ax.set(ylim=(0, 1), xlim=(-0.5, end))
    ax.set_title(r"token, in units of $\delta$")
    ax.grid(visible=False, axis="x")
    ax.fill_between((last - 0.45, end), height(low), height(high), color=COLOURS[2], alpha=0.2, linewidth=0)
    note(ax, "proper ids", (last - 0.45, height(high)), (-4, -8), ha="right", color=COLOURS[2])
    lines, exact = ([_spread(state, height) for state in path] for path in (run.shown, run.hard))
    labels = _apart(lines[-1], _ranked(run.ids), 0.055)
    word = run.verdict()[0]
    for k in range(run.n):
        x = [hands[k], *range(1, last + 1)]
        if run.scale is not None:
            ax.plot(x, [state[k] for state in exact], color=GREY, linewidth=1)
        ax.plot([hands[k]] * 2, [height(t * N) for t in low_high], color=GREY, linewidth=0.8)
        ax.plot(x, [state[k] for state in lines], color=COLOURS[k], linewidth=2)
        ax.plot(hands[k], lines[0][k], MARKERS[k], color=COLOURS[k], markersize=10)
        colour = COLOURS[k] if low <= run.ids[k] <= high else GREY
        ax.plot(last, lines[-1][k], MARKERS[k], color=colour, markersize=7)
        note(ax, say(run.ids[k]), (last, labels[k]), (10, -4), color=colour)
    for i in range(2, last):
        jumped = [k for k in _ranked(run.shown[i]) if abs(run.shown[i][k] - run.shown[i - 1][k]) >= SEEN]
        window: Any = {"color": MEASURED, "alpha": 0.4 if run.caught(i - 2) else 0.16, "linewidth": 0}
        ax.fill_between((i - 1, i), height(i - 2.5), height(i - 1.5), **window)
        for above, k in zip((None, *jumped), jumped, strict=False):
            ax.plot(i, lines[i][k], MARKERS[k], color=COLOURS[k], markersize=6)
            if above is None or lines[i][above] - lines[i][k] > 0.04:
                note(ax, landing(run.shown[i][k]), (i, lines[i][k]), (0, 6), ha="center")
    colour = {"proper": COLOURS[2], "right": COLOURS[2], "given up": GREY}.get(word, BOUND)
    ax.set_title(word, loc="right", color=colour)


def draw_errors(ax: Axes, run: Run, most: float) -> None:
    """The largest error of an id against the scale, up to `most`."""

    def along(scale: float) -> float:
        return math.log1p(scale / KNEE) / math.log1p(most / KNEE)

    scales = [KNEE * math.expm1(k / STEPS * math.log1p(most / KNEE)) for k in range(STEPS + 1)]
    proved = along(run.case.proved)
    ax.plot([along(scale) for scale in scales], np.maximum(run.errors(scales), NOISE), color=MEASURED, linewidth=1.8)
    ax.axhline(0.5, color=COLOURS[2], linestyle="-.", linewidth=1.3)
    ax.axvline(proved, color=BOUND, linestyle="--", linewidth=1.5)
    note(ax, "half a step", (0, 0.5), (4, -11), color=COLOURS[2])
    note(ax, "proved", (proved, 1), (4, -9), xycoords=("data", "axes fraction"), color=BOUND)
    ax.plot(along(run.scale or 0), max(run.error(run.ids), NOISE), "o", markersize=10, color=MEASURED)
    marks = [t for t in (10, 30, 100, 300, 1000) if t < most]
    ax.set_xticks([along(t) for t in (0, *marks)], ["mean", *map(str, marks)])
    ax.set(yscale="log", ylim=(NOISE, 3000 * run.case.reach), xlim=(0, 1), yticks=(1e-4, 1, 1e4))
    ax.set_title(r"largest error of an id, in units of $\delta$, against $\lambda$")


def _ranked(state: Sequence[float]) -> list[int]:
    """The tokens of a state, the largest first."""
    return sorted(range(len(state)), key=lambda k: -state[k])


def _spread(state: Sequence[float], height: Callable[[float], float]) -> list[float]:
    """Heights of a state's tokens; those on top of each other a little apart."""
    heights, order = [height(t) for t in state], _ranked(state)
    same = [[i for i in order if abs(heights[i] - h) < 0.003] for h in heights]
    return [h - 0.008 * (same[k].index(k) - (len(same[k]) - 1) / 2) for k, h in enumerate(heights)]


def _apart(heights: Sequence[float], order: Sequence[int], least: float) -> list[float]:
    """Heights of labels, from the top in this order, at least so far apart, as near to what they name as may be."""
    span, middle = least * (len(order) - 1), sum(heights) / len(heights)
    if heights[order[0]] - heights[order[-1]] < span:
        top = max(span, min(middle + span / 2, 1 - least))
        return [top - least * order.index(k) for k in range(len(heights))]
    placed: dict[int, float] = {}
    for above, k in zip((None, *order), order, strict=False):
        placed[k] = heights[k] if above is None else min(heights[k], placed[above] - least)
    return [placed[k] for k in range(len(heights))]


def _power(value: float) -> str:
    sign = "\N{MINUS SIGN}" if value < 0 else ""
    return sign + (f"{abs(value):.0f}" if abs(value) < 1e4 else ten(round(math.log10(abs(value)))))
