"""Controls of live pictures beside those of explorers: any number of an interval, any text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..checks import finite, shown

__all__ = ["Field", "Handle", "Slider"]


@dataclass(frozen=True)
class Slider:
    """A number of [low, high], in steps; `digits` decimals and the unit say it."""

    low: float
    high: float
    start: float
    label: str
    digits: int = 2
    unit: str = ""

    def position(self, value: object) -> float:
        """The number, rounded to a step, or ValueError."""
        try:
            number = finite("number", value)
        except ValueError:
            number = float("nan")
        if not self.low <= number <= self.high:
            raise ValueError(f"expected a number from {self.low:g} to {self.high:g}, got {shown(value)}.")
        return round(number, self.digits)

    value_at = position

    def spec(self, name: str, *, static: bool = False) -> dict[str, Any]:
        """What the view needs to know, as JSON."""
        found = {"name": name, "label": self.label, "kind": "slider", "min": self.low, "max": self.high}
        return {**found, "step": 10**-self.digits, "digits": self.digits, "unit": self.unit, "start": self.start}


@dataclass(frozen=True)
class Field:
    """A text of at most `most` characters; hidden, it is what the reader paints."""

    start: str
    label: str
    most: int = 200
    hidden: bool = False

    def position(self, value: object) -> str:
        """The text, or ValueError."""
        if not isinstance(value, str) or len(value) > self.most:
            raise ValueError(f"expected a text of at most {self.most} characters, got {shown(value)}.")
        return value

    value_at = position

    def spec(self, name: str, *, static: bool = False) -> dict[str, Any]:
        """What the view needs to know, as JSON."""
        kind = "hidden" if self.hidden else "text"
        return {"name": name, "label": self.label, "kind": kind, "most": self.most, "start": self.start}


@dataclass(frozen=True)
class Handle:
    """What can be held in the picture: names of the sliders that it moves, None where it stays on a line."""

    label: str
    x: str | None = None
    y: str | None = None

    def spec(self) -> dict[str, Any]:
        """What the view needs to know, as JSON."""
        return {"label": self.label, "x": self.x, "y": self.y}
