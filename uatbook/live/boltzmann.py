"""The Boltzmann operator under the reader's hand: entries, value, signs of the derivatives, spacing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from explorables.controls import Control
from explorables.goals import Goal
from explorables.live import Handle, Slider
from uatlib.checks import mapping, refused, whole

from .parsers import entry, parsed
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
        given = parsed(entries)
        if given.ndim != 1 or not 2 <= len(given) <= MOST or not ((given >= LEFT) & (given <= RIGHT)).all():
            raise refused("entries", f"two to {MOST} numbers from {LEFT:g} to {RIGHT:g}", entries)
        row = given.tolist()
        counts = [str(n) for n in range(2, len(row) + 1)]
        first = len(row) if start is None else whole("start", start, 2, len(row))
        data: dict[str, Any] = {
            "thresholds": {
                what: _by_count(entry("thresholds", what), known, counts, 2)
                for what, known in ({} if thresholds is None else _named("thresholds", thresholds)).items()
            },
            "spacing": {}
            if spacing is None
            else {n: found[0] for n, found in _by_count("spacing", spacing, counts, 1).items()},
        }
        names, whats = [f"a{i + 1}" for i in range(len(row))], list(data["thresholds"])
        controls: dict[str, Any] = {
            "n": Control(counts, start=str(first), label="entries") if len(counts) > 1 else None,
            "along": Control(names, start=names[first - 1], label="curve against"),
            "what": Control(whats, label="left of the lines boltz") if len(whats) > 1 else None,
            **{name: Slider(LEFT, RIGHT, t, "value") for name, t in zip(names, row, strict=True)},
        }
        controls = {name: control for name, control in controls.items() if control is not None}
        handles = [Handle(f"entry {name}", x=name) for name in names]
        super().__init__(controls, handles, data, title=title, name=name, goals=goals)


def _named(name: str, value: object) -> dict[str, Any]:
    found = mapping(name, value)
    if not found:
        raise refused(name, "numbers by name", value)
    return found


def _by_count(name: str, known: object, counts: Sequence[str], width: int) -> dict[str, list[float]]:
    """`width` positive numbers for each number of entries, or ValueError."""
    if not isinstance(known, Mapping):
        raise refused(name, "numbers by the number of entries", known)
    found = {n: parsed(known.get(int(n))).ravel().tolist() for n in counts}
    for n, row in found.items():
        if len(row) != width or min(row) <= 0:
            raise refused(name, f"{width} positive numbers for {n} entries", known.get(int(n)))
    return found
