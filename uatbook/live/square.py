"""A network of yun2020, Theorem 2, over the unit square: f, what the network answers, the error, for any f."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from uatlib.arithmetic import FLOAT64
from uatlib.explorer.controls import Control
from uatlib.explorer.sheet import WIDE
from uatlib.model import Transformer

from ..figures.style import COLOURS, ERRORS, GREY, VALUES
from .controls import Field, Handle, Slider
from .formula import MOST, Formula
from .lowered import lowered
from .picture import LivePicture, number, stops

__all__ = ["Square"]

PRESETS = {
    "mean product": "x_1 * (x_1 + x_2) / 2",
    "maximum": "max(x_1, x_2)",
    "distance": "abs(x_1 - x_2)",
    "hill": "8 x_1 (1 - x_1) x_2 (1 - x_2) (1 + (x_1 - x_2) / 2)",
    "wave": "(1 + sin(2 pi (x_1 + 2 x_2))) / 2",
    "ripples": "(1 + cos(18 sqrt((x_1 - 0.5)^2 + (x_2 - 0.5)^2))) / 2",
}
OWN, PAINTED = "my own formula", "painted by hand"
BRUSH = ("moves the cross", "raises f", "lowers f")
PIXELS, LATTICE, LINE = 96, 101, 192
LIMIT = 10.0**6
NODES, DIGITS = 16, "0123456789abcdefghijklmnopqrstuvwxy"
BLANK = "h" * NODES**2
"""Nothing painted."""
ERROR = to_hex(ERRORS(2 / 3))


class Square(LivePicture):
    """f, a network's answer for token 1, and the error over the square of two tokens x_1, x_2, for any f of the reader.

    f_1 is a formula, perhaps with something painted on it, and f_2(x_1, x_2) = f_1(x_2, x_1). Of the network only the
    look-up changes with f.

    Parameters
    ----------
    networks : by 1/delta, a network for n = 2 tokens of d = 1 numbers, and how its look-up depends on f: the pair that
        `uatlib.yun2020.look_up.look_up` gives
    start : the 1/delta shown first; the first if not given
    preset : the name of the f shown first
    title, name : as in `LivePicture`

    Raises
    ------
    ValueError
        No such networks, fewer than two, or one that the page cannot run; a start or preset that is none of them.
    """

    picture = "square"
    size = (0.66, 416, 470)

    def __init__(
        self,
        networks: Mapping[int, tuple[Transformer, Mapping[str, Any]]],
        *,
        start: int | None = None,
        preset: str = "mean product",
        title: str = "A transformer imitates a function",
        name: str = "",
    ) -> None:
        known = dict(networks) if isinstance(networks, Mapping) else {}
        if len(known) < 2 or not all(_fits(N, pair) for N, pair in known.items()):
            raise ValueError(
                "networks: expected at least two pairs of a Transformer and its look-up for n = 2 and d = 1, by "
                f"1/delta, got {str(networks)[:60]}; make them with look_up(build(...))."
            )
        if preset not in list(PRESETS):
            raise ValueError(f"preset: expected one of {', '.join(PRESETS)}, got {str(preset)[:60]}.")
        self._networks = known
        self._last: tuple[Any, _Map] | None = None
        controls: dict[str, Any] = {
            "f": Control([*PRESETS, OWN, PAINTED], label="f", start=preset),
            "formula": Field(PRESETS[preset], "f(x₁, x₂) =", MOST),
            "N": Control(list(known), label="cells a side, 1/δ", start=start),
            "brush": Control(list(BRUSH), label="dragging on f"),
            "x1": Slider(0, 0.99, 0.3, "x₁"),
            "x2": Slider(0, 0.99, 0.8, "x₂"),
            "paint": Field("", "painted surface", NODES**2, hidden=True),
        }
        data = {
            "presets": PRESETS,
            "networks": {
                str(N): {"network": lowered(model), "weights": model.parameter_count(), **table}
                for N, (model, table) in known.items()
            },
            "values": stops(plt.get_cmap(VALUES)),
            "errors": stops(ERRORS),
            "ink": ERROR,
        }
        cross = Handle("cross, where plus and minus change f if dragging does", x="x1", y="x2")
        super().__init__(controls, [cross], data, title=title, name=name)

    def describe(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """The read-out at these values, and what the picture shows, for readers who do not see it."""
        shown = self._map(values)
        x, (f, g) = (values["x1"], values["x2"]), shown.at(values)
        states = [state[0].tolist() for state in shown.model.trace([x], FLOAT64)]
        cut, ids = states[shown.table["cut"]], states[shown.table["numbered"]]
        places = [", ".join(number(t, digits) for t in row) for row, digits in ((x, 2), (cut, 4), (ids, 3))]
        same = ": one cell for both" if cut[0] == cut[1] else ""
        lines = [f"tokens {places[0]}, cut to {places[1]}{same}, numbered {places[2]}"]
        for k in (0, 1):
            answers = f"f {number(f[k])}, transformer {number(g[k])}, error {number(abs(g[k] - f[k]))}"
            lines.append(f"token {k + 1}: {answers}")
        size = f"{len(shown.model.layers)} layers, {shown.model.parameter_count()} weights"
        worst = f"largest error off the hatched cells {number(shown.off, 3)}, on them {number(shown.on, 3)}"
        painted = f"; f is painted on, at most ±{number(shown.function.most, 3)}" if values["f"] == PAINTED else ""
        lines.append(f"{size}; over the square: d₂ ≈ {number(shown.d_2, 3)}, {worst}{painted}")
        N = shown.N
        alt = (
            f"Three squares, a point for each sequence of two tokens. First f, {_name(values)}, for token 1. Then the "
            f"transformer's answer, in {N} by {N} cells; on the hatched ones along the diagonal both tokens share a "
            f"cell. Then the error, at most {number(shown.worst, 3)}. At the cross f is {number(f[0])} and the "
            f"transformer answers {number(g[0])}. Below, both along the line x₂ = {number(x[1], 2)}."
        )
        return "\n".join(lines), alt

    def draw(self, values: Mapping[str, Any]) -> Figure:
        """The three squares, and below them f and the network along the horizontal line through the cross."""
        shown = self._map(values)
        low, high = shown.limits
        figure = plt.figure(figsize=(WIDE, 4.6))
        panels = [("$f$", shown.f, None), ("the transformer", shown.g, None), ("error", shown.error, ERRORS)]
        for k, (title, pixels, colours) in enumerate(panels):
            ax = figure.add_axes((0.065 + 0.318 * k, 0.475, 0.285, 0.432))
            ends = (low, high) if colours is None else (0, _nice(shown.worst))
            image = ax.imshow(
                pixels.T, colours, origin="lower", extent=(0, 1, 0, 1), vmin=ends[0], vmax=ends[1], interpolation="none"
            )
            ax.set_title(title, loc="center")
            ax.set(xticks=(0, 1), yticks=(0, 1) if k == 0 else (), xlabel="$x_1$")
            ax.xaxis.labelpad = -8
            ax.grid(visible=False)
            for edge in ax.spines.values():
                edge.set(visible=True, color=GREY)
            ink = "black" if colours else "#fcfcfc"  # white would be dark on a dark page
            ax.axvline(values["x1"], color=ink, linewidth=1)
            ax.axhline(values["x2"], color=ink, linewidth=1)
            ax.plot(values["x1"], values["x2"], "o", markerfacecolor="none", markeredgecolor=ink, markersize=9)
            if k == 1:
                _hatch(ax, shown.N)
        figure.axes[0].set_ylabel("$x_2$", labelpad=-2, rotation=0)
        bar = figure.colorbar(image, cax=figure.add_axes((0.701, 0.36, 0.265, 0.026)), orientation="horizontal")
        bar.set_ticks([0, _nice(shown.worst) / 2, _nice(shown.worst)])
        figure.text(0.695, 0.23, "hatched: one cell for both\ntokens, answered by 0", va="top")
        self._line(figure.add_axes((0.105, 0.125, 0.563, 0.235)), shown, values)
        return figure

    def _line(self, ax: Axes, shown: _Map, values: Mapping[str, Any]) -> None:
        x = (np.arange(LINE) + 0.5) / LINE
        along = np.full(LINE, values["x2"])
        f, g = shown.function(x, along, strict=False), shown.answers(x, along)[:, 0]
        ax.plot(x, f, color=COLOURS[0], linewidth=2)
        steps = np.flatnonzero(np.abs(np.diff(g)) > 0.02 * np.ptp(shown.limits)) + 1
        broken = np.insert(x, steps, np.nan), np.insert(g, steps, np.nan)
        ax.plot(*broken, color=COLOURS[1], linewidth=2.4, clip_on=False)
        wanted, answer = (pair[0] for pair in shown.at(values))
        ax.plot([values["x1"]] * 2, [wanted, answer], color=ERROR, linewidth=1.5)
        ax.plot(values["x1"], wanted, "o", color=COLOURS[0])
        ax.plot(values["x1"], answer, "s", color=COLOURS[1])
        ax.set(xlim=(0, 1), ylim=shown.limits, xlabel="$x_1$")
        ax.set_title(f"along $x_2 = {values['x2']:.2f}$:")
        ax.set_title("$f$", color=COLOURS[0], loc="center")
        ax.set_title("the transformer", color=COLOURS[1], loc="right")

    def _map(self, values: Mapping[str, Any]) -> _Map:
        """The network for f at these values, over the square; the last one is kept."""
        key = (values["N"], *_kind(values))
        if self._last is None or self._last[0] != key:
            try:
                self._last = key, _Map(key[0], _function(values), *self._networks[key[0]])
            except ValueError as error:
                raise ValueError(f"{self.name}: {error}") from None
        return self._last[1]


class _Map:
    """f, the network for it, and both over the square: arrays [i, j] at x_1 = (i + 1/2)/96, x_2 = (j + 1/2)/96."""

    def __init__(self, N: int, function: Any, model: Transformer, table: Mapping[str, Any]) -> None:
        self.N, self.function, self.table = N, function, table
        points = _grid((np.arange(PIXELS) + 0.5) / PIXELS)
        self.f = _checked(function, *points).reshape(PIXELS, PIXELS)
        centres = (np.array(table["contexts"]) + 0.5) / N
        answers = np.stack([_checked(function, *centres.T), _checked(function, *centres.T[::-1])], axis=-1)
        self.model = with_function(model, table, answers)
        self.g = self.answers(*points)[:, 0].reshape(PIXELS, PIXELS)
        self.error = abs(self.g - self.f)
        self.worst, self.d_2 = float(self.error.max()), math.sqrt(2 * float((self.error**2).mean()))
        cells = ((np.arange(PIXELS) + 0.5) * N / PIXELS).astype(int)
        hatched = cells[:, None] == cells
        self.off, self.on = float(self.error[~hatched].max()), float(self.error[hatched].max())
        self.limits = _limits(self.f, self.g)

    def answers(self, x_1: Any, x_2: Any) -> np.ndarray:
        """What the network answers, of shape (points, tokens)."""
        X = np.stack([np.asarray(x_1, float), np.asarray(x_2, float)], axis=-1)[:, None]
        return np.asarray(self.model(X, FLOAT64))[:, 0]

    def at(self, values: Mapping[str, Any]) -> tuple[list[float], list[float]]:
        """f and the network's answer at the cross, for both tokens."""
        x = np.array([values["x1"], values["x2"]])
        return self.function(x, x[::-1]).tolist(), self.answers(*x[:, None])[0].tolist()


def with_function(model: Transformer, table: Mapping[str, Any], answers: np.ndarray) -> Transformer:
    """The network whose look-up holds these answers, of shape (contexts, 2)."""
    lift = max(1, math.ceil(answers.max()) + 1)
    layers = list(model.layers)
    for k, answer in enumerate(answers.ravel()):
        step = answer - (lift + table["columns"][k])
        layers[table["first"] + k] = _changed(layers[table["first"] + k], w_2=[[step * t for t in table["token"]]])
    w_2, b_2 = (table["last"][name] for name in ("w_2", "b_2"))
    layers[-1] = _changed(layers[-1], w_2=[[lift * t for t in w_2]], b_2=[lift * t for t in b_2])
    return Transformer(layers, n=2)


def _changed(layer: Any, **weights: Any) -> Any:
    return layer.with_weights({**layer.weights(), **weights})


@dataclass(frozen=True)
class _Painted:
    """A formula and what is painted on it: heights at (k + 1/2)/16, between them in straight lines, times `most`."""

    base: Formula
    heights: np.ndarray
    most: float

    def __call__(self, x_1: Any, x_2: Any, *, strict: bool = True) -> np.ndarray:
        (i, s), (j, t) = (self._place(x) for x in (x_1, x_2))
        h = self.heights
        added: np.ndarray = (1 - s) * ((1 - t) * h[i, j] + t * h[i, j + 1]) + s * (
            (1 - t) * h[i + 1, j] + t * h[i + 1, j + 1]
        )
        return self.base(x_1, x_2, strict=strict) + self.most * added

    @staticmethod
    def _place(x: Any) -> tuple[np.ndarray, np.ndarray]:
        u = np.clip(np.asarray(x, float) * NODES - 0.5, 0, NODES - 1)
        i = np.minimum(np.floor(u), NODES - 2).astype(int)
        return i, u - i


def _fits(N: Any, pair: Any) -> bool:
    if not isinstance(N, int) or isinstance(N, bool) or not isinstance(pair, tuple) or len(pair) != 2:
        return False
    model, table = pair
    return isinstance(model, Transformer) and model.d_in == 1 and isinstance(table, Mapping) and "columns" in table


def _kind(values: Mapping[str, Any]) -> tuple[str, str]:
    """The formula, and what is painted on it: "" if f is the formula itself."""
    paint = (values["paint"] or BLANK) if values["f"] == PAINTED else ""
    return PRESETS.get(values["f"], values["formula"]), paint


def _name(values: Mapping[str, Any]) -> str:
    formula, paint = _kind(values)
    return f"{formula}, painted on" if paint else formula


def _function(values: Mapping[str, Any]) -> Any:
    """f_1 as a function of arrays."""
    formula, paint = _kind(values)
    base = Formula(formula)
    _checked(base, *_grid(np.arange(LATTICE) / (LATTICE - 1)))
    shown = _checked(base, *_grid((np.arange(PIXELS) + 0.5) / PIXELS))
    if not paint:
        return base
    if not re.fullmatch(f"[{DIGITS}]{{{NODES**2}}}", paint):
        raise ValueError(f"paint: expected {NODES**2} of the letters 0-9, a-y, got {paint[:20]}...")
    levels = np.array([DIGITS.index(letter) for letter in paint]).reshape(NODES, NODES)
    low, high = _limits(shown)
    return _Painted(base, levels / (len(DIGITS) // 2) - 1, high - low)


def _grid(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All points of the square with these coordinates, x_2 running fastest."""
    return np.repeat(axis, len(axis)), np.tile(axis, len(axis))


def _checked(function: Any, x_1: np.ndarray, x_2: np.ndarray) -> np.ndarray:
    values: np.ndarray = function(x_1, x_2)
    beyond = np.flatnonzero(np.abs(values) > LIMIT)
    if len(beyond):
        k = beyond[0]
        raise ValueError(
            f"beyond \N{PLUS-MINUS SIGN}10\u2076 at x\u2081 = {x_1[k]:.2f}, x\u2082 = {x_2[k]:.2f}: "
            "in double precision the look-up holds no more."
        )
    return values


def _nice(value: float) -> float:
    """The least of 1, 1.5, 2, 3, 5 or 10 times a power of ten that is not below; at least 10^-9."""
    power = 10.0 ** math.floor(math.log10(max(value, 1e-9)))
    return next(m * power for m in (1, 1.5, 2, 3, 5, 10) if m * power >= value * (1 - 1e-9))


def _limits(*values: np.ndarray) -> tuple[float, float]:
    """The ends of a scale that holds zero and these values."""
    low, high = (float(end([0, *(end(array) for array in values)])) for end in (np.min, np.max))
    return -_nice(-low) if low < 0 else 0.0, _nice(high) if high > 0 else (0.0 if low < 0 else 1.0)


def _hatch(ax: Axes, N: int) -> None:
    """Cells of a repeated token."""
    for k in range(N):
        cell: Any = {"fill": False, "edgecolor": GREY, "linewidth": 0, "hatch": "////"}
        ax.add_patch(Rectangle((k / N, k / N), 1 / N, 1 / N, **cell))
