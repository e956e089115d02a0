"""A film of tokens: dragged at the input, their values after each layer of a literal network, ids at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from numbers import Real
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...arithmetic import FLOAT64
from ...model import Transformer
from ..explorer.controls import Control
from ..figures.style import BOUND, COLOURS, GREY, MARKERS, MEASURED
from .controls import Handle, Slider
from .lowered import lowered
from .picture import LivePicture, number

__all__ = ["Film"]

LOW, HIGH, MOST = -0.25, 1.25, 4
NOISE, SEEN = 1e-6, 0.05
"""What rounding may do to a number; the least jump that is told."""
KNEE, STEPS, LINEAR = 30, 60, (0.14, 0.5)
"""Where the axis of scales turns logarithmic; steps of its curve; the part of the film's axis that is linear."""
Grid = tuple[int, int]


class Film(LivePicture):
    """Tokens (d = 1) as lines over the layers of a contextual mapping: quantizer, a shift for each level, one lift.

    The reader drags the tokens at the input. With `scales` all attention is softmax, whose scale is a handle too, and
    thin lines show hardmax; without, a checkbox leaves the quantizer out.

    Parameters
    ----------
    networks : by (1/delta, n) a network for n tokens of d = 1: feed-forward layers that quantize, then 1/delta + 1 of
        hardmax attention, a shift for each level and the lift; for all pairs of some 1/delta and some n from 2 to 4
    intervals : for the same pairs the interval of proper ids, in units of delta
    scales : for the same pairs a factor of the scores that is proved to keep ids right; None: hardmax
    start : the pair shown first
    tokens : those shown first, numbers from -1/4 to 5/4, as many as the largest n
    title, name : as in `LivePicture`

    Raises
    ------
    ValueError
        Pairs that are missing or none; networks of other layers, or of some that the page cannot run; intervals, scales
        or tokens that do not fit.
    Overflow
        A network whose numbers exceed float64.
    """

    picture = "film"

    def __init__(
        self,
        networks: Mapping[Grid, Transformer],
        intervals: Mapping[Grid, tuple[float, float]],
        scales: Mapping[Grid, float] | None = None,
        *,
        start: Grid,
        tokens: Sequence[float],
        title: str = "Drag the tokens",
        name: str = "",
    ) -> None:
        grids = _pairs(networks, start)
        self.networks = {grid: _parts(grid, networks[grid]) for grid in grids}
        self.intervals = {
            grid: _entry("intervals", "two increasing numbers", intervals, grid, _is_interval) for grid in grids
        }
        self.scales = {} if scales is None else {
            grid: _entry("scales", "a positive number", scales, grid, _is_positive) for grid in grids
        }  # fmt: skip
        self.reach = {grid: _reach(grid, *parts) for grid, parts in self.networks.items()}
        self.first, count = start, max(n for _, n in grids)
        row = list(tokens) if isinstance(tokens, (Sequence, np.ndarray)) and not isinstance(tokens, str) else []
        if len(row) != count or not all(_is_real(t) and LOW <= t <= HIGH for t in row):
            raise ValueError(f"tokens: expected {count} numbers from {LOW:g} to {HIGH:g}, got {str(tokens)[:60]}.")
        controls: dict[str, Any] = {}
        for i, (side, label) in enumerate((("N", "1/δ"), ("n", "tokens"))):
            if len(values := sorted({grid[i] for grid in grids})) > 1:
                controls[side] = Control([str(k) for k in values], start=str(start[i]), label=label)
        handles = [Handle(f"token {k + 1}", y=f"t{k + 1}") for k in range(count)]
        if self.scales:
            most = 100 * math.ceil(max(self.scales.values()) / 50)
            controls["scale"] = Slider(0, most, round(self.scales[start]), "scale λ", digits=0)
            handles.append(Handle("softmax", x="scale"))
        else:
            controls["cut"] = Control([False, True], start=True, label="quantize first")
        controls |= {f"t{k + 1}": Slider(LOW, HIGH, float(t), "value") for k, t in enumerate(row)}
        self.size = (0.9, 560, 620) if self.scales else (0.66, 420, 460)
        shared = {
            "networks": {grid: lowered(networks[grid]) for grid in grids},
            "intervals": self.intervals,
            "scales": self.scales,
            "reach": self.reach,
        }
        data = {what: {f"{N},{n}": part for (N, n), part in by.items()} for what, by in shared.items()}
        super().__init__(controls, handles, {"first": start, **data}, title=title, name=name)

    def describe(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """The read-out at these values, and what the picture shows, for readers who do not see it."""
        run = _Run(self, values)
        word, more = run.verdict()
        cells, ids = (_listed(state) for state in (run.hard[1], run.ids))
        first = f"{'cut to' if run.cut else 'not cut:'} {cells}"
        if run.scale is None:
            text = f"{first}; {run.jumps()}\nids {ids}; {word}: {more}"
        else:
            errors = ", ".join(_tiny(abs(a - b)) for a, b in zip(run.ids, run.exact, strict=True))
            text = (
                f"{first}; λ = {run.scale:.0f}, proved {run.proved:.0f}\nids {ids}, with hardmax {_listed(run.exact)}\n"
                f"off by {errors}; {word}: {more}"
            )
        alt = (
            f"{run.n} tokens as lines over {run.N + 3} columns: dragged to "
            f"{', '.join(number(t, 2) for t in run.tokens)}, {first}, then {run.jumps()}; lifted to the ids {ids}. The "
            f"interval of proper ids, {_interval(run.interval)}, is shaded: they lie {run.place()} it."
        )
        if run.scale is not None:
            alt += (
                f" Thin lines: hardmax. Below, the largest error against λ, at the handle {_tiny(run.error(run.ids))}."
            )
        return text, alt

    def draw(self, values: Mapping[str, Any]) -> Figure:
        """The film; with softmax, below it, the largest error of an id against the scale."""
        run = _Run(self, values)
        if run.scale is None:
            figure, film = plt.subplots(figsize=(7.2, 4.6))
            figure.subplots_adjust(left=0.09, right=0.98, bottom=0.08, top=0.93)
        else:
            figure, (film, below) = plt.subplots(2, 1, figsize=(7.2, 6.2), height_ratios=(3, 1))
            figure.subplots_adjust(left=0.09, right=0.98, bottom=0.07, top=0.95, hspace=0.3)
            _draw_errors(below, run)
        _draw_film(film, run)
        return figure


class _Run:
    """What the network makes of the tokens at some values, in units of delta."""

    def __init__(self, film: Film, values: Mapping[str, Any]) -> None:
        self.N, self.n = (int(values.get(side, k)) for side, k in zip(("N", "n"), film.first, strict=True))
        self.quantizer, self.shifts = film.networks[self.N, self.n]
        self.interval, self.reach = film.intervals[self.N, self.n], film.reach[self.N, self.n]
        self.scale, self.cut = values.get("scale"), values.get("cut", True)
        self.proved, self.most = film.scales.get((self.N, self.n), 1), getattr(film.controls.get("scale"), "high", 1)
        self.tokens = [values[f"t{k + 1}"] for k in range(self.n)]
        X = np.array([self.tokens])
        self.X = self.quantizer(X, FLOAT64) if self.cut else X
        self.hard = self._states(self.shifts)
        self.shown = self.hard if self.scale is None else self._states(self._softened(self.scale))
        self.exact, self.ids = self.hard[-1], self.shown[-1]

    def _softened(self, scale: float) -> Transformer:
        return Transformer([layer.with_softmax(scale) for layer in self.shifts.attentions()], n=self.n)

    def _states(self, shifts: Transformer) -> list[list[float]]:
        """The tokens, what they are cut to, and the states after each layer of attention."""
        path = [np.asarray(state)[0] * self.N for state in shifts.trace(self.X, FLOAT64)]
        return [[t * self.N for t in self.tokens], *(state.tolist() for state in path)]

    def jumps(self) -> str:
        """Whom each shift moved, and where to."""
        told = []
        for k in range(self.N):
            pairs = zip(self.shown[k + 1], self.shown[k + 2], strict=True)
            if moved := [f"{_landing(a)} → {_landing(b)}" for a, b in pairs if abs(b - a) >= SEEN]:
                told.append(f"shift {k}: {', '.join(moved)}")
        return "; ".join(told) or "no shift moves anything"

    def place(self) -> str:
        """Where the ids lie, beside the interval of proper ones."""
        low, high = self.interval
        if all(low <= t <= high for t in self.ids):
            return "in"
        return "below" if max(self.ids) < low else "above" if min(self.ids) > high else "not all in"

    def verdict(self) -> tuple[str, str]:
        """What becomes of the ids, in a word and in more."""
        if self.scale is not None:
            return self._reading()
        found = f"{'two are equal' if _alike(self.ids) else 'all different'}, {self.place()} {_interval(self.interval)}"
        if self.place() != "in":
            return "given up", found
        return (
            ("proper", found) if all(map(_is_whole, self.ids)) else ("off the grid", f"{found}, but no whole numbers")
        )

    def _reading(self) -> tuple[str, str]:
        """Whose id each of them is nearest to."""
        low, high = self.interval
        if _alike(self.exact) or not all(low <= t <= high for t in self.exact):
            inside = sum(low <= t <= high for t in self.ids)
            return "given up", (f"but {inside} INSIDE " if inside else "outside ") + _interval(self.interval)
        names = self._proper()
        for t, own in zip(self.ids, self.exact, strict=True):
            near, level, levels = min(names, key=lambda name: abs(name[0] - t))
            if abs(near - own) > NOISE:
                return "WRONG", f"{_say(t)} is read as {_say(near)}, the {level} of {{{', '.join(map(str, levels))}}}"
        if self.error(self.ids) < 0.5:
            return "right", "all within half a step"
        return "too far", "nearest to their own, but beyond half a step"

    def _proper(self) -> list[tuple[float, int, tuple[int, ...]]]:
        """All proper ids of the grid, each with its level and the levels of its context."""
        found = []
        for levels in combinations(range(self.N), self.n):
            ids = np.asarray(self.shifts(np.array([levels]) / self.N, FLOAT64))[0] * self.N
            found += [(float(t), level, levels) for t, level in zip(ids, levels, strict=True)]
        return found

    def error(self, ids: Sequence[float]) -> float:
        """The largest distance to the ids with hardmax."""
        return max(abs(a - b) for a, b in zip(ids, self.exact, strict=True))

    def curve(self) -> tuple[list[float], list[float]]:
        """Scales, evenly along their axis, and the largest error of an id at each."""
        scales = [KNEE * math.expm1(k / STEPS * math.log1p(self.most / KNEE)) for k in range(STEPS + 1)]
        return scales, [self.error(self._states(self._softened(scale))[-1]) for scale in scales]


# ------------------------------------------------------------------------------------------------------------ drawing


def _height(run: _Run) -> Callable[[float], float]:
    """From numbers to heights from 0 to 1: linear in the box and a little beyond, logarithmic outside."""
    low, high, reach, (bottom, top) = -0.3 * run.N, 1.3 * run.N, run.reach, LINEAR

    def height(value: float) -> float:
        if value < low:
            return bottom * (1 - math.log(value / low) / math.log(reach / -low))
        if value > high:
            return top + (1 - top) * math.log(value / high) / math.log(reach / high)
        return bottom + (top - bottom) * (value - low) / (high - low)

    return lambda value: min(1, max(0, height(value)))


def _draw_film(ax: Axes, run: _Run) -> None:
    N, last, height, (low, high) = run.N, run.N + 2, _height(run), run.interval
    hands = [0.2 * (k - (run.n - 1) / 2) for k in range(run.n)]
    end = last + 1.1
    powers = [10.0**k for k in range(1, 12) if 2.5 * N <= 10**k <= run.reach]
    marks = [*range(N + 1), *powers, *(-t for t in powers[1::2])]
    names = ["input", "cut" if run.cut else "not cut", *(f"shift {k}" for k in range(N)), "lift"]
    ax.set_yticks([height(t) for t in marks], [_power(t) for t in marks], fontsize=9)
    ax.set_xticks(range(last + 1), names, fontsize=10)
    ax.set(ylim=(0, 1), xlim=(-0.5, end))
    ax.set_title(r"token, in units of $\delta$", loc="left", fontsize=11)
    ax.grid(visible=False, axis="x")
    ax.fill_between((last - 0.45, end), height(low), height(high), color=COLOURS[2], alpha=0.2, linewidth=0)
    ax.annotate("proper ids", (last - 0.45, height(high)), (-4, -8), textcoords="offset points", ha="right",
                fontsize=10, color=COLOURS[2])  # fmt: skip
    lines, exact = ([_spread(state, height) for state in path] for path in (run.shown, run.hard))
    labels = _apart(lines[-1], _ranked(run.ids), 0.055)
    style: Any = {"textcoords": "offset points", "fontsize": 10}
    word = run.verdict()[0]
    for k in range(run.n):
        x = [hands[k], *range(1, last + 1)]
        if run.scale is not None:
            ax.plot(x, [state[k] for state in exact], color=GREY, linewidth=1)
        ax.plot([hands[k]] * 2, [height(LOW * N), height(HIGH * N)], color=GREY, linewidth=0.8)
        ax.plot(x, [state[k] for state in lines], color=COLOURS[k], linewidth=2)
        ax.plot(hands[k], lines[0][k], MARKERS[k], color=COLOURS[k], markersize=10)
        colour = COLOURS[k] if low <= run.ids[k] <= high else GREY
        ax.plot(last, lines[-1][k], MARKERS[k], color=colour, markersize=7)
        ax.annotate(_say(run.ids[k]), (last, labels[k]), (10, -4), color=colour, **style)
    for i in range(2, last):
        jumped = [k for k in _ranked(run.shown[i]) if abs(run.shown[i][k] - run.shown[i - 1][k]) >= SEEN]
        window: Any = {"color": MEASURED, "alpha": 0.4 if jumped else 0.16, "linewidth": 0}
        ax.fill_between((i - 1, i), height(i - 2.5), height(i - 1.5), **window)
        for above, k in zip((None, *jumped), jumped, strict=False):
            ax.plot(i, lines[i][k], MARKERS[k], color=COLOURS[k], markersize=6)
            if above is None or lines[i][above] - lines[i][k] > 0.04:
                ax.annotate(_landing(run.shown[i][k]), (i, lines[i][k]), (0, 6), ha="center", **style)
    colour = {"proper": COLOURS[2], "right": COLOURS[2], "given up": GREY}.get(word, BOUND)
    ax.set_title(word, loc="right", fontsize=11, color=colour)


def _draw_errors(ax: Axes, run: _Run) -> None:
    def along(scale: float) -> float:
        return math.log1p(scale / KNEE) / math.log1p(run.most / KNEE)

    scales, errors = run.curve()
    ax.plot([along(scale) for scale in scales], np.maximum(errors, NOISE), color=MEASURED, linewidth=1.8)
    ax.axhline(0.5, color=COLOURS[2], linestyle="-.", linewidth=1.3)
    ax.axvline(along(run.proved), color=BOUND, linestyle="--", linewidth=1.5)
    style: Any = {"textcoords": "offset points", "fontsize": 10}
    ax.annotate("half a step", (1, 0.5), (-4, 3), ha="right", **style)
    ax.annotate("proved", (along(run.proved), 0), (-4, 5), ha="right", xycoords=("data", "axes fraction"), **style)
    ax.plot(along(run.scale or 0), max(run.error(run.ids), NOISE), "o", markersize=10, color=MEASURED)
    marks = [t for t in (10, 30, 100, 300, 1000) if t < run.most]
    ax.set_xticks([along(t) for t in (0, *marks)], ["mean", *map(str, marks)], fontsize=9)
    ax.set(yscale="log", ylim=(NOISE, 3000 * run.reach), xlim=(0, 1), yticks=(1e-4, 1, 1e4))
    ax.set_title(r"largest error of an id, in units of $\delta$, against $\lambda$", loc="left", fontsize=11)


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


# -------------------------------------------------------------------------------------------------------------- words


def _say(value: float) -> str:
    """A number of the film, its thousands apart: whole where it is but for rounding."""
    if not math.isfinite(value):
        return number(value)
    text = f"{abs(value):,.{0 if _is_whole(value) else 2}f}"
    return ("\N{MINUS SIGN}" if value < 0 and text.strip("0.") else "") + text


def _landing(value: float) -> str:
    """The same in fewer digits."""
    return _say(round(value) if math.isfinite(value) and abs(value - round(value)) < 0.005 else value)


def _listed(state: Sequence[float]) -> str:
    return " ".join(map(_say, state))


def _interval(ends: Sequence[float]) -> str:
    return f"[{_say(ends[0])}, {_say(ends[1])}]"


def _tiny(error: float) -> str:
    """An error, a small one in one digit; what may be rounding is not told."""
    if not math.isfinite(error) or error >= 0.01:
        return _say(math.floor(error + 0.5) if 100 <= error < math.inf else error)
    if error < NOISE:
        return f"less than {_ten(-6)}"
    digit, power = f"{error:.0e}".split("e")
    return f"{digit}·{_ten(int(power))}"


def _power(value: float) -> str:
    sign = "\N{MINUS SIGN}" if value < 0 else ""
    return sign + (f"{abs(value):.0f}" if abs(value) < 1e4 else _ten(round(math.log10(abs(value)))))


def _ten(power: int) -> str:
    return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _is_whole(value: float) -> bool:
    return math.isfinite(value) and abs(value - round(value)) < NOISE


def _alike(ids: Sequence[float]) -> bool:
    return any(abs(a - b) < NOISE for a, b in combinations(ids, 2))


# ---------------------------------------------------------------------------------------------------------- arguments


def _pairs(networks: Any, start: Any) -> list[Grid]:
    """All pairs of the sides that occur."""
    keys = list(networks) if isinstance(networks, Mapping) else []
    if not keys or not all(map(_is_grid, keys)):
        raise ValueError(
            f"networks: expected networks by pairs (1/delta, n), both from 2, n to {MOST}, got {str(keys)[:60]}."
        )
    grids = list(product(*(sorted({key[i] for key in keys}) for i in (0, 1))))
    if missing := [grid for grid in grids if grid not in networks]:
        raise ValueError(f"networks: expected one for each 1/delta with each n, got none for {missing[0]}.")
    if start not in grids:
        raise ValueError(f"start: expected one of {str(grids)[1:-1]}, got {start!r}.")
    return grids


def _parts(grid: Grid, network: Any) -> tuple[Transformer, Transformer]:
    """The quantizer and the shifts."""
    N, n = grid
    kinds = [layer.kind for layer in network.layers] if isinstance(network, Transformer) else []
    cuts = len(kinds) - N - 1
    if cuts < 1 or kinds != ["feed-forward"] * cuts + ["attention"] * (N + 1) or network.d_in != 1:
        expected = f"a Transformer for d = 1 of feed-forward layers and {N + 1} of attention"
        raise ValueError(f"networks: expected for {grid} {expected}, got {repr(network)[:80]}.")
    return Transformer(network.layers[:cuts], n=n), Transformer(network.layers[cuts:], n=n)


def _reach(grid: Grid, quantizer: Transformer, shifts: Transformer) -> float:
    """The largest number of the film up or down: that of one token outside the box and the others high up in it."""
    N, n = grid
    X = np.array([[-1, *(max(N - k, 0) / N for k in range(1, n))]])
    return N * float(np.abs(np.asarray(shifts(quantizer(X, FLOAT64), FLOAT64))).max())


def _entry(name: str, expected: str, given: Any, grid: Grid, fits: Callable[[Any], bool]) -> Any:
    found = given.get(grid) if isinstance(given, Mapping) else None
    if not fits(found):
        raise ValueError(f"{name}: expected {expected} for {grid}, got {found!r}.")
    return found


def _is_grid(key: Any) -> bool:
    whole = isinstance(key, tuple) and len(key) == 2 and all(isinstance(k, int) and k >= 2 for k in key)
    return whole and key[1] <= MOST


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_positive(value: Any) -> bool:
    return _is_real(value) and value > 0


def _is_interval(ends: Any) -> bool:
    return isinstance(ends, tuple) and len(ends) == 2 and all(map(_is_real, ends)) and ends[0] < ends[1]
