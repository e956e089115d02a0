"""A film of tokens: dragged at the input, their values after each layer of a literal network, ids at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from explorables.controls import Control
from explorables.goals import Goal
from explorables.live import Handle, Slider
from uatlib.arithmetic import FLOAT64
from uatlib.checks import listed, refused
from uatlib.model import Transformer

from .lowered import lowered
from .parsers import is_real, parsed
from .picture import LivePicture

__all__ = ["Film"]

LOW, HIGH, MOST = -0.25, 1.25, 4
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
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        Pairs that are missing or none; networks of other layers, or of some that the page cannot run; intervals, scales
        or tokens that do not fit.
    Overflow
        A network whose numbers exceed float64.
    """

    picture = "film"
    caption = "Each token is a line, from layer to layer; at the end stand their ids."

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
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        grids = _pairs(networks, start)
        data: dict[str, Any] = {"first": start, "interval": {}, "proved": {}, "reach": {}, "networks": {}}
        for grid in grids:
            network, key = networks[grid], "{},{}".format(*grid)
            reach = _reach(grid, *_parts(grid, network))
            low, high = _entry("intervals", "two increasing numbers", intervals, grid, _is_interval)
            proved = 0 if scales is None else _entry("scales", "a positive number", scales, grid, _is_positive)
            data["interval"][key], data["proved"][key] = (float(low), float(high)), float(proved)
            data["reach"][key], data["networks"][key] = reach, lowered(network)
        count = max(n for _, n in grids)
        row = parsed(tokens)
        if row.shape != (count,) or not ((row >= LOW) & (row <= HIGH)).all():
            raise refused("tokens", f"{count} numbers from {LOW:g} to {HIGH:g}", tokens)
        controls: dict[str, Any] = {}
        for i, (side, label) in enumerate((("N", "1/δ"), ("n", "tokens"))):
            if len(values := sorted({grid[i] for grid in grids})) > 1:
                controls[side] = Control([str(k) for k in values], start=str(start[i]), label=label)
        handles = [Handle(f"token {k + 1}", y=f"t{k + 1}") for k in range(count)]
        if scales is not None:
            most = 100 * math.ceil(max(data["proved"].values()) / 50)
            controls["scale"] = Slider(0, most, round(data["proved"]["{},{}".format(*start)]), "sharpness λ", digits=0)
            handles.append(Handle("softmax", x="scale"))
        else:
            controls["cut"] = Control([False, True], start=True, label="quantize first")
            self.folded = [name for name in controls if name == "N"]
        controls |= {f"t{k + 1}": Slider(LOW, HIGH, t, "value") for k, t in enumerate(row.tolist())}
        self.size = (0.66, 420, 460, 330) if scales is None else (0.9, 560, 620)
        super().__init__(controls, handles, data, title=title, name=name, goals=goals)


# ---------------------------------------------------------------------------------------------------------- arguments


def _pairs(networks: Any, start: object) -> list[Grid]:
    """All pairs of the sides that occur."""
    keys = listed("networks", networks) if isinstance(networks, Mapping) else []
    if not keys or not all(map(_is_grid, keys)):
        raise refused("networks", f"networks by pairs (1/delta, n), both from 2, n to {MOST}", keys)
    grids = list(product(*(sorted({key[i] for key in keys}) for i in (0, 1))))
    if missing := [grid for grid in grids if grid not in networks]:
        raise ValueError(f"networks: expected one for each 1/delta with each n, got none for {missing[0]}.")
    if not _is_grid(start) or start not in grids:
        raise refused("start", f"one of {str(grids)[1:-1]}", start)
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
    """The largest number up or down, in units of delta: of one token outside the box and the others high up in it."""
    N, n = grid
    X = np.array([[-1, *(max(N - k, 0) / N for k in range(1, n))]])
    return float(N * np.abs(np.asarray(shifts(quantizer(X, FLOAT64), FLOAT64))).max())


def _entry(name: str, expected: str, given: object, grid: Grid, fits: Callable[[Any], bool]) -> Any:
    found = given.get(grid) if isinstance(given, Mapping) else None
    if not fits(found):
        raise refused(name, f"{expected} for {grid}", found)
    return found


def _is_grid(key: Any) -> bool:
    whole = isinstance(key, tuple) and len(key) == 2 and all(isinstance(k, int) and k >= 2 for k in key)
    return whole and key[1] <= MOST


def _is_positive(value: Any) -> bool:
    return is_real(value) and value > 0


def _is_interval(ends: object) -> bool:
    return isinstance(ends, tuple) and len(ends) == 2 and all(map(is_real, ends)) and ends[0] < ends[1]
