"""The Boltzmann operator under the reader's hand: entries, value, signs of the derivatives, spacing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from uatlib.explorer.controls import Control
from uatlib.explorer.goals import Goal

from .controls import Handle, Slider
from .picture import LivePicture

__all__ = ["Boltzmann"]

LEFT, RIGHT, MOST = -6.0, 1.0, 5


class Boltzmann(LivePicture):
    """Entries on a line, which the reader drags, their value boltz = sum_i a_i p_i, and the value against one of them.

    Parameters
    ----------
    entries : those shown first, two to five numbers from -6 to 1; a menu offers fewer of them
    thresholds : by property of boltz ("falls"), by the number n of entries from 2 on: T as printed and the least T such
        that it has the property in a_i wherever a_i < max a - T; None: no lines, nor where boltz is concave
    spacing : by n, the distance of entries from which on values tell them apart; None: the picture is silent about it
    start : how many of the entries are shown first; all if not given
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        Entries that are none, no three numbers for some number of entries, another start than two to all of them.
    """

    picture = "boltzmann"
    caption = "Entries on a line, their soft maximum, and how it moves with one of them."
    size = (0.56, 330, 430)

    def __init__(
        self,
        entries: Sequence[float],
        thresholds: Mapping[str, Mapping[int, Sequence[float]]] | None = None,
        spacing: Mapping[int, float] | None = None,
        *,
        start: int | None = None,
        title: str = "Entries and their soft maximum",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
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
                for what, known in ({} if thresholds is None else _mapping("thresholds", thresholds)).items()
            },
            "spacing": {}
            if spacing is None
            else {n: found[0] for n, found in _by_count("spacing", spacing, counts, 1).items()},
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
        super().__init__(controls, handles, data, title=title, name=name, goals=goals)


def _fits(entry: object) -> bool:
    return isinstance(entry, Real) and not isinstance(entry, bool) and LEFT <= float(entry) <= RIGHT


def _mapping(name: str, value: object) -> Mapping[object, object]:
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{name}: expected numbers by name, got {str(value)[:60]}.")
    return value


def _by_count(name: str, known: object, counts: Sequence[str], width: int) -> dict[str, list[float]]:
    """`width` positive numbers for each number of entries, or ValueError."""
    found = {n: np.ravel(np.asarray(_mapping(name, known).get(int(n), ()))).tolist() for n in counts}
    for n, row in found.items():
        if len(row) != width or not all(isinstance(T, Real) and 0 < float(T) < np.inf for T in row):
            raise ValueError(f"{name}: expected {width} positive numbers for {n} entries, got {str(row)[:60]}.")
    return {n: [float(T) for T in row] for n, row in found.items()}
