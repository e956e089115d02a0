"""The Boltzmann operator under the reader's hand: entries, value, signs of the derivatives, spacing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from uatlib.explorer.controls import Control
from uatlib.explorer.sheet import WIDE

from ..figures.style import COLOURS, GREY, MARKERS
from .controls import Handle, Slider
from .picture import LivePicture, number

__all__ = ["Boltzmann"]

LEFT, RIGHT, MOST = -6.0, 1.0, 5


class Boltzmann(LivePicture):
    """Entries on a line, which the reader drags, their value boltz = sum_i a_i p_i, and the value against one of them.

    Parameters
    ----------
    entries : those shown first, two to five numbers from -6 to 1; a menu offers fewer of them
    thresholds : by property of boltz ("falls"), by the number n of entries from 2 on: T as printed and the least T such
        that it has the property in a_i wherever a_i < max a - T
    spacing : by n, the distance of entries from which on values tell them apart
    start : how many of the entries are shown first; all if not given
    title, name : as in `LivePicture`

    Raises
    ------
    ValueError
        Entries that are none, no three numbers for some number of entries, another start than two to all of them.
    """

    picture = "boltzmann"
    size = (0.56, 330, 430)

    def __init__(
        self,
        entries: Sequence[float],
        thresholds: Mapping[str, Mapping[int, Sequence[float]]],
        spacing: Mapping[int, float],
        *,
        start: int | None = None,
        title: str = "Entries and their soft maximum",
        name: str = "",
    ) -> None:
        row = list(entries) if isinstance(entries, Iterable) and not isinstance(entries, str) else []
        if not 2 <= len(row) <= MOST or not all(_fits(entry) for entry in row):
            raise ValueError(
                f"entries: expected two to {MOST} numbers from {LEFT:g} to {RIGHT:g}, got {str(entries)[:60]}."
            )
        counts = [str(n) for n in range(2, len(row) + 1)]
        if start is not None and (not isinstance(start, int) or str(start) not in counts):
            raise ValueError(f"start: expected None or a number of entries out of {', '.join(counts)}, got {start!r}.")
        shown = len(row) if start is None else start
        data: dict[str, Any] = {
            "thresholds": {
                what: _by_count(f"thresholds[{what!r}]", known, counts, 2)
                for what, known in _mapping("thresholds", thresholds).items()
            },
            "spacing": {n: found[0] for n, found in _by_count("spacing", spacing, counts, 1).items()},
        }
        names, whats = [f"a{i + 1}" for i in range(len(row))], list(data["thresholds"])
        controls: dict[str, Any] = {
            "n": Control(counts, start=str(shown), label="entries") if len(counts) > 1 else None,
            "along": Control(names, start=names[shown - 1], label="curve against"),
            "what": Control(whats, label="left of the lines boltz") if len(whats) > 1 else None,
            **{name: Slider(LEFT, RIGHT, float(entry), "value") for name, entry in zip(names, row, strict=True)},
        }
        controls = {name: control for name, control in controls.items() if control is not None}
        handles = [Handle(f"entry {name}", x=name) for name in names]
        super().__init__(controls, handles, data, title=title, name=name)

    def describe(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """The read-out at these values, and what the picture shows, for readers who do not see it."""
        a, k = _shown(values)
        value, first, second = (found.tolist() for found in _soft(a))
        names, numbers = [f"a{i + 1}" for i in range(len(a))], ", ".join(number(entry, 2) for entry in a)
        signs = [
            f"{name} {number(slope)} ({'falls' if slope < 0 else 'rises'}{', concave' if bend < 0 else ''})"
            for name, slope, bend in zip(names, first, second, strict=True)
        ]
        gap, least = min(v - u for u, v in pairwise(sorted(a))), self.data["spacing"][str(len(a))]
        near = "less than" if gap < least else "at least"
        far = f"least distance {number(gap, 2)}, {near} {number(least)}, from which on values never collide"
        pulling = ", ".join(name for name, slope in zip(names, first, strict=True) if slope < 0) or "none"
        lowest = _lowest(a, k)
        least, printed = reversed(self._lines(values, a, k))
        found = f"against {names[k]}: lowest at {number(lowest, 3)}; lines at {number(least, 3)} (least T), "
        found += f"{number(printed, 3)} (printed T)"
        return f"boltz({numbers}) = {number(value)}\nderivatives: {', '.join(signs)}\n{found}\n{far}", (
            f"Entries {numbers} on a line, their soft maximum {number(value)}, and those more than one below it, which "
            f"pull it down: {pulling}. Above, the value against {names[k]}: lowest at {number(lowest, 3)}, rising "
            "from there on."
        )

    def _lines(self, values: Mapping[str, Any], a: Sequence[float], k: int) -> list[float]:
        """max - T of the other entries: with T as printed, and with the least."""
        thresholds = self.data["thresholds"][values.get("what", next(iter(self.data["thresholds"])))]
        return [max(entry for i, entry in enumerate(a) if i != k) - T for T in thresholds[str(len(a))]]

    def draw(self, values: Mapping[str, Any]) -> Figure:
        """The curve above, the line of entries below, over the same axis."""
        a, k = _shown(values)
        value, first, _ = _soft(a)
        figure, (upper, lower) = plt.subplots(2, 1, figsize=(WIDE, 4.2), sharex=True, height_ratios=(2.2, 1))
        figure.subplots_adjust(left=0.08, right=0.98, bottom=0.12, top=0.92, hspace=0.06)
        t, curve, slope, bend = _against(a, k)
        for falls in (False, True):
            for concave in (False, True):
                kind = ((slope < 0) == falls) & ((bend < 0) == concave)
                kind[1:] |= kind[:-1] & ~kind[1:]  # parts meet
                style: Any = {"color": COLOURS[int(falls)], "linewidth": 3 if concave else 1.6}
                upper.plot(t, np.where(kind, curve, np.nan), **style)
        looks = (("printed", "--", "right"), ("least", "-", "left"))
        for place, (name, dash, side) in zip(self._lines(values, a, k), looks, strict=True):
            upper.axvline(place, color="black", linestyle=dash, linewidth=1.2)
            upper.annotate(
                name, (place, 0.93), (-4 if side == "right" else 4, 0), xycoords=("data", "axes fraction"), ha=side,
                textcoords="offset points",
            )  # fmt: skip
        upper.set_title(f"value against $a_{k + 1}$")
        upper.plot(a[k], value, MARKERS[k], color=COLOURS[k], markersize=9)
        lower.axvspan(LEFT, value - 1, color=COLOURS[1], alpha=0.16, linewidth=0)
        lower.text(LEFT + 0.06, 1.15, "more than one below")
        lower.axvline(value, color=COLOURS[2], linewidth=2.2)
        lower.annotate("boltz", (value, 1.15), (5, 0), textcoords="offset points")
        for i, entry in enumerate(a):
            up = -1 if first[i] < 0 else 1
            length = up * (0.5 + 0.4 * min(1, abs(first[i])))
            arrow = {"arrowstyle": "->", "color": COLOURS[0 if up > 0 else 1], "linewidth": 1.8}
            lower.annotate("", (entry, length), (entry, 0), arrowprops=arrow)
            lower.plot(entry, 0, MARKERS[i], color=COLOURS[i], markersize=9)
            lower.annotate(f"$a_{i + 1}$", (entry, 0), (0, -18 * up - 4), textcoords="offset points", ha="center")
        lower.axhline(0, color=GREY, linewidth=0.5, zorder=0)
        lower.set(ylim=(-1.5, 1.5), yticks=(), xlim=(LEFT, RIGHT), xlabel="entry")
        return figure


def _fits(entry: Any) -> bool:
    return isinstance(entry, Real) and not isinstance(entry, bool) and LEFT <= float(entry) <= RIGHT


def _mapping(name: str, value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{name}: expected numbers by name, got {str(value)[:60]}.")
    return value


def _by_count(name: str, known: Any, counts: Sequence[str], width: int) -> dict[str, list[float]]:
    """`width` positive numbers for each number of entries, or ValueError."""
    found = {n: np.ravel(np.asarray(_mapping(name, known).get(int(n), ()))).tolist() for n in counts}
    for n, row in found.items():
        if len(row) != width or not all(isinstance(T, Real) and 0 < float(T) < np.inf for T in row):
            raise ValueError(f"{name}: expected {width} positive numbers for {n} entries, got {str(row)[:60]}.")
    return {n: [float(T) for T in row] for n, row in found.items()}


def _shown(values: Mapping[str, Any]) -> tuple[list[float], int]:
    """The entries at these values, and the one that the curve is against."""
    row = [value for name, value in values.items() if name[0] == "a" and name[1:].isdigit()]
    a = row[: int(values.get("n", len(row)))]
    return a, min(len(a), int(values["along"][1:])) - 1


def _soft(a: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """boltz(a), its derivatives p_i c_i, and p_i (1 + (1 - 2 p_i) c_i), along the last axis of a."""
    a = np.asarray(a, float)
    top = a.max(-1, keepdims=True)
    p = np.exp(a - top)
    p /= p.sum(-1, keepdims=True)
    value = top + (p * (a - top)).sum(-1, keepdims=True)
    c = 1 + a - value
    return value[..., 0], p * c, p * (1 + (1 - 2 * p) * c)


def _lowest(a: Sequence[float], k: int) -> float:
    """Where boltz is lowest against entry k, between LEFT and RIGHT: it falls before and rises after."""
    low, high = LEFT, RIGHT
    for _ in range(50):
        middle = (low + high) / 2
        slope = _soft([middle if i == k else entry for i, entry in enumerate(a)])[1][k]
        low, high = (middle, high) if slope < 0 else (low, middle)
    return low


def _against(a: Sequence[float], k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Values of entry k, those of boltz, its first and second derivative."""
    t = np.linspace(LEFT, RIGHT, 241)
    value, first, second = _soft(np.where(np.arange(len(a)) == k, t[:, None], np.asarray(a, float)))
    return t, value, first[:, k], second[:, k]
