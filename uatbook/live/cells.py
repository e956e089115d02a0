"""Cells of the plane under the reader's hand, and a head of attention that tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from explorables.controls import Control
from explorables.goals import Goal
from explorables.live import Handle, Slider, stops
from uatlib.checks import called, function, listed, mapping, refused, shown, whole
from uatlib.model import Transformer

from ..figures.style import COLOURS, VALUES
from .lowered import lowered
from .parsers import entry, is_real, parsed
from .picture import LivePicture

__all__ = ["Cells"]

Network = Callable[[np.ndarray, np.ndarray, float, Any], Transformer]

MOST, WEIGHT, D = 8, 4.0, 3.0
INDICATOR = "indicator"
FILLS = (*COLOURS[:5], "#a68a2a", "#9a6fc0", "#2e8b6f")
STEPS = (1, 1.3, 1.8, 2.4, 3.2, 4.2, 5.6, 7.5)
PRECISIONS = (*(round(t / 10, 2) for t in STEPS), *STEPS, *(round(t * p) for p in (10, 100) for t in STEPS), 1000)
"""Eight to a power of ten."""


class Cells(LivePicture):
    """The plane in cells, x in that of the largest s_i . x + (w_i - |s_i|^2)/2, and a head whose softmax tells which.

    The reader drags sites s_i and a probe, sets how many sites there are, their weights w_i and the sharpness R, and
    chooses what the head has for values: the indicator of its cell, or other rows of numbers on the cells.
    With the goal "triangle" R is raised to 100 as soon as a hand has made cell 1 that triangle.

    Parameters
    ----------
    network : from sites (2, N), weights (N,), R and values (k, N), or None for the indicator, a linear sum, one head
        with W_K = R [0 s_i; 0 (w_i - |s_i|^2)/2] and a linear sum, of outputs (k, n), or (N, n)
    sites : (2, N), those shown first, 3 to 8, from -3 to 3 in hundredths; a menu offers fewer of them
    values : by name, rows of numbers for all sites: one (constants), or three (slopes and intercept of an affine
        function on each cell, which the picture evaluates)
    weights : (N,), from -4 to 4 in tenths; zeros if not given
    precision : the R shown first, one out of `PRECISIONS`
    probe : where the cross stands first
    start : how many sites are shown first; all if not given
    wanted : (N, 4), for each site a rectangle: left, bottom, right, top. All sites are shown then, and points of a
        grid, each in the colour of its rectangle; a ring is around those in the cell of another site
    sides : the grids that are offered, by the number of points a side, each point within one rectangle
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        Numbers of other shapes or beyond these ends; networks of other layers or weights, or that the page cannot run.
    """

    picture = "cells"
    caption = "The plane in cells, one for each site, and what the head says of the probe."
    size = (0.58, 380, 400, 560)

    def __init__(
        self,
        network: Network,
        sites: object,
        values: Mapping[str, object],
        *,
        weights: object = None,
        precision: float = 10,
        probe: Sequence[float] = (0, 0),
        start: int | None = None,
        wanted: object = None,
        sides: Sequence[int] = (5, 9),
        title: str = "Cells, and a head that tells them apart",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        places = _numbers("sites", sites, (2, None), D, 2)
        most = places.shape[1]
        if not 3 <= most <= MOST:
            raise ValueError(f"sites: expected 3 to {MOST} of them, got {most}.")
        pushed = _numbers("weights", np.zeros(most) if weights is None else weights, (most,), WEIGHT, 1)
        cross = _numbers("probe", probe, (2,), D, 2)
        rows = mapping("values", values)
        if INDICATOR in rows:
            raise refused("values", f"rows of numbers by name, none of it {INDICATOR}", values)
        self.network = function("network", network)
        self.values = {key: _rows(entry("values", key), given, most) for key, given in rows.items()}
        if not is_real(precision) or precision not in PRECISIONS:
            raise refused("precision", f"one of {', '.join(map(str, PRECISIONS))}", precision)
        first = most if start is None else whole("start", start, 2, most)
        numbered, names = range(1, most + 1), [f"s{i}" for i in range(1, most + 1)]
        grids = [whole("sides", k, 2, 20) for k in listed("sides", sides)]
        boxes = None if wanted is None else _boxes(wanted, most, grids)
        offered = list(range(2, most + 1)) if boxes is None else [most]
        controls: dict[str, Any] = {
            "N": Control([str(N) for N in offered], start=str(first), label="cells") if boxes is None else None,
            "side": None if boxes is None else Control([str(k) for k in grids], label="points a side"),
            **({"values": Control([INDICATOR, *self.values], label="values")} if self.values else {}),
            "site": Control(names, label="weight of site"),
            **{f"w{i}": Slider(-WEIGHT, WEIGHT, float(pushed[i - 1]), f"w{i}", 1) for i in numbered},
            "R": Control(PRECISIONS, start=precision, label="sharpness R"),
        }
        controls = {name: control for name, control in controls.items() if control is not None}
        self.folded = [name for name in controls if name not in ("N", "R" if boxes is None else "side")]
        handles = []
        for x, y, label, at in (*((f"x{i}", f"y{i}", f"site s{i}", places[:, i - 1]) for i in numbered),
                                ("px", "py", "probe", cross)):  # fmt: skip
            controls |= {x: Slider(-D, D, float(at[0]), "first entry"), y: Slider(-D, D, float(at[1]), "second entry")}
            handles.append(Handle(label, x, y))
        data = {
            "networks": {
                kind: {str(N): lowered(self.model(kind, places[:, :N], pushed[:N], 1.0)) for N in offered}
                for kind in (INDICATOR, *self.values)
            },
            "values": self.values,
            "limits": {INDICATOR: (0.0, 1.0), **{key: _ends(rows) for key, rows in self.values.items()}},
            "fills": FILLS[:most],
            "stops": stops(VALUES),
            **({} if boxes is None else {"wanted": boxes}),
        }
        super().__init__(controls, handles, data, title=title, name=name, goals=goals)

    def model(self, kind: str, sites: np.ndarray, weights: np.ndarray, precision: float) -> Transformer:
        """The network of this kind; ValueError if the page would make another one of it."""
        N = len(weights)
        rows = None if kind == INDICATOR else np.array(self.values[kind])[:, :N]
        found = called("network", self.network, sites, weights, precision, rows)
        _require(
            f"network for {N} sites, {kind}", found, N if rows is None else len(rows), _keys(sites, weights, precision)
        )
        return found


# ---------------------------------------------------------------------------------------------------------- arguments


def _keys(sites: np.ndarray, weights: np.ndarray, precision: float) -> np.ndarray:
    """R [s_i; (w_i - |s_i|^2)/2], shape (3, N): what the reader changes of the head's w_k."""
    return precision * np.vstack([sites, (weights - (sites**2).sum(axis=0)) / 2])


def _numbers(name: str, given: object, shape: tuple[int | None, ...], most: float, digits: int) -> np.ndarray:
    """Numbers that sliders from -most to most can hold."""
    found = parsed(given)
    fits = found.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, found.shape, strict=True))
    if not fits or not (np.abs(found) <= most).all() or (found.round(digits) != found).any():
        sizes = ", ".join("N" if n is None else str(n) for n in shape)
        expected = f"shape ({sizes}), numbers from {-most:g} to {most:g} with at most {digits} decimals"
        raise refused(name, expected, given)
    return found


def _boxes(wanted: object, most: int, sides: Sequence[int]) -> list[list[float]]:
    """Rectangles, if each point of these grids is inside one of them."""
    boxes = _numbers("wanted", wanted, (most, 4), D, 2)
    for k in sides:
        middles = (np.arange(k) + 0.5) * 2 * D / k - D
        u, t = np.meshgrid(middles, middles)
        inside = [(left < u) & (u < right) & (low < t) & (t < top) for left, low, right, top in boxes]
        if (np.sum(inside, axis=0) != 1).any():
            raise refused("wanted", f"rectangles, one of them around each of {k} x {k} points", wanted)
    return list(boxes.tolist())


def _rows(name: str, given: Any, most: int) -> list[list[float]]:
    rows = parsed(given)
    if rows.shape not in ((1, most), (3, most)):
        raise refused(name, f"shape (1, {most}) or (3, {most}), numbers", given)
    return list(rows.tolist())


def _ends(rows: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The least and the largest that values on the plane can be."""
    array = np.array(rows)
    last, reach = array[-1], D * np.abs(array[:-1]).sum(axis=0)
    low, high = float((last - reach).min()), float((last + reach).max())
    return (low, high) if low < high else (low - 1, high + 1)


def _require(what: str, model: Any, k: int, wanted: np.ndarray) -> None:
    """ValueError unless it is a head whose W_K is this, and the page can run it."""
    kinds = [layer.kind for layer in model.layers] if isinstance(model, Transformer) else []
    if kinds == ["linear-sum", "attention", "linear-sum"] and (model.d_in, model.d_out) == (2, k):
        found = np.asarray(model.layers[1].weights()["head0.w_k"], float)
        expected = np.hstack([np.zeros((3, 2)), wanted])
        if found.shape == expected.shape and np.allclose(found, expected, rtol=1e-12, atol=1e-12):
            return
    raise ValueError(
        f"{what}: expected a Transformer for d = 2 of a linear sum, one head with W_K = R [0 s_i; 0 (w_i - |s_i|^2)/2] "
        f"and a linear sum, {k} numbers a token, got {shown(model)}."
    )
