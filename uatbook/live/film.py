"""A film of tokens: dragged at the input, their values after each layer of a literal network, ids at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from uatlib.explorer.controls import Control
from uatlib.model import Transformer

from ..figures.style import canvas
from .controls import Handle, Slider
from .film_figure import draw_errors, draw_film
from .film_run import Case, Run, interval_text, listed, tiny
from .lowered import lowered
from .picture import LivePicture, number

__all__ = ["Film"]

LOW, HIGH, MOST = -0.25, 1.25, 4
SAID = ("interval", "proved", "reach")
"""What the page is told of each network."""
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
        self.cases = {}
        for grid in grids:
            quantizer, shifts = _parts(grid, networks[grid])
            interval = _entry("intervals", "two increasing numbers", intervals, grid, _is_interval)
            proved = 0 if scales is None else _entry("scales", "a positive number", scales, grid, _is_positive)
            self.cases[grid] = Case(*grid, quantizer, shifts, (float(interval[0]), float(interval[1])), float(proved))
        self.first, count = start, max(n for _, n in grids)
        row = list(tokens) if isinstance(tokens, (Sequence, np.ndarray)) and not isinstance(tokens, str) else []
        if len(row) != count or not all(_is_real(t) and LOW <= t <= HIGH for t in row):
            raise ValueError(f"tokens: expected {count} numbers from {LOW:g} to {HIGH:g}, got {str(tokens)[:60]}.")
        controls: dict[str, Any] = {}
        for i, (side, label) in enumerate((("N", "1/δ"), ("n", "tokens"))):
            if len(values := sorted({grid[i] for grid in grids})) > 1:
                controls[side] = Control([str(k) for k in values], start=str(start[i]), label=label)
        handles = [Handle(f"token {k + 1}", y=f"t{k + 1}") for k in range(count)]
        if scales is not None:
            most = 100 * math.ceil(max(case.proved for case in self.cases.values()) / 50)
            controls["scale"] = Slider(0, most, round(self.cases[start].proved), "scale λ", digits=0)
            handles.append(Handle("softmax", x="scale"))
        else:
            controls["cut"] = Control([False, True], start=True, label="quantize first")
        controls |= {f"t{k + 1}": Slider(LOW, HIGH, float(t), "value") for k, t in enumerate(row)}
        self.size = (0.66, 420, 460) if scales is None else (0.9, 560, 620)
        cases = {f"{case.N},{case.n}": case for case in self.cases.values()}
        data: dict[str, Any] = {what: {key: getattr(case, what) for key, case in cases.items()} for what in SAID}
        data["networks"] = {f"{N},{n}": lowered(networks[N, n]) for N, n in grids}
        super().__init__(controls, handles, {"first": start, **data}, title=title, name=name)

    def _run(self, values: Mapping[str, Any]) -> Run:
        N, n = (int(values.get(side, k)) for side, k in zip(("N", "n"), self.first, strict=True))
        tokens = [values[f"t{k + 1}"] for k in range(n)]
        return Run(self.cases[N, n], tokens, cut=values.get("cut", True), scale=values.get("scale"))

    def describe(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """The read-out at these values, and what the picture shows, for readers who do not see it."""
        run = self._run(values)
        word, more = run.verdict()
        cells, ids, exact = map(listed, (run.hard[1], run.ids, run.exact))
        first = f"{'cut to' if run.cut else 'not cut:'} {cells}"
        if run.scale is None:
            text = f"{first}; {run.jumps()}\nids {ids}; {word}: {more}"
        else:
            errors = ", ".join(tiny(abs(a - b)) for a, b in zip(run.ids, run.exact, strict=True))
            text = (
                f"{first}; λ = {run.scale:.0f}, proved {run.case.proved:.0f}\nids {ids}, with hardmax {exact}\n"
                f"off by {errors}; {word}: {more}"
            )
        alt = (
            f"{run.n} tokens as lines over {run.N + 3} columns: dragged to "
            f"{', '.join(number(t, 2) for t in run.tokens)}, {first}, then {run.jumps()}; lifted to the ids {ids}. The "
            f"interval of proper ids, {interval_text(run.interval)}, is shaded: {run.place()} it."
        )
        if run.scale is not None:
            alt += (
                f" Thin lines: hardmax. Below, the largest error against λ, at the handle {tiny(run.error(run.ids))}."
            )
        return text, alt

    def draw(self, values: Mapping[str, Any]) -> Figure:
        """The film; with softmax, below it, the largest error of an id against the scale."""
        run = self._run(values)
        if run.scale is None:
            figure, film = canvas(4, left=0.55, bottom=0.35)
        else:
            figure, (film, below) = canvas((3.9, 1.2), left=0.55, bottom=0.35, gap=(0, 0.7))
            draw_errors(below, run, self.controls["scale"].high)
        draw_film(film, run, (LOW, HIGH))
        return figure


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
