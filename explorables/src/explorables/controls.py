"""What a reader can move: a named list of values, shown as a slider, a menu or a checkbox."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from numbers import Rational, Real
from typing import Any, Literal

import numpy as np

from .checks import cut, listed, own, refused, shown
from .typeset import typeset

__all__ = ["Control", "as_control"]

Kind = Literal["slider", "menu", "checkbox"]
MOST = 10_000
"""Values of a control."""
MOST_DIGITS = 4000
"""Of a number, which Python writes."""


@dataclass(frozen=True)
class Control:
    """Values that one argument of an explorer's function may take.

    Numbers, in increasing order, make a slider; texts a menu; False and True a checkbox. Where only two numbers or
    texts are offered, both stand side by side.

    Parameters
    ----------
    values : at least two different values, all of one kind
    label : what stands beside the control; the argument's name if not given
    start : the one of `values` shown first; the first if not given
    finer : more numbers, which exist only where a kernel runs; a static page offers `values` alone
    play : whether a button plays through the values; at most one control of an explorer has it
    show : how a value is written: a function to text, or a format such as "{:.2f}"
    beside : whether all values stand side by side, however many they are
    hidden : whether it stands nowhere, as a live picture itself has a place for it

    Raises
    ------
    ValueError
        Values of several kinds, fewer than two, repeated, not increasing or not finite; start or finer that do not fit.
    """

    values: Any
    label: str = ""
    start: Any = None
    finer: Any = ()
    play: bool = False
    show: Callable[[Any], str] | str | None = None
    beside: bool = False
    hidden: bool = False

    def __post_init__(self) -> None:
        if self.label is not None and not isinstance(self.label, str):
            raise ValueError(f"Control: expected label to be a text, got a {type(self.label).__name__}.")
        for name, given in (("play", self.play), ("beside", self.beside), ("hidden", self.hidden)):
            if not isinstance(given, bool):
                raise ValueError(f"Control: expected {name} to be True or False, got a {type(given).__name__}.")
        values = _plain("values", self.values)
        kind = _kind(values)
        three = kind == "slider" and isinstance(self.values, tuple) and len(values) == 3
        if three and not all(a < b for a, b in pairwise(self.values)):
            raise refused("values", "a list of values, in increasing order", self.values, "not (min, max, step)")
        if len(set(map(str, values))) < len(values) or len(values) < 2:
            raise ValueError(
                f"Control: expected at least two values, all different, got {_short(values)}; "
                "a single value belongs into the function."
            )
        start = values[0]
        if kind == "checkbox":
            values = (False, True)
        if kind == "slider":
            _require_increasing(values)
        finer = _plain("finer", self.finer)
        if finer and (kind != "slider" or _kind(finer) != "slider"):
            raise ValueError(f"Control: expected finer values only for numbers, got {_short(finer)} for a {kind}.")
        if kind != "slider" and self.play:
            raise ValueError(f"Control: expected play only for numbers, got it for a {kind}; give the values numbers.")
        for name, value in (("values", values), ("finer", finer), ("label", self.label or "")):
            object.__setattr__(self, name, value)
        if self.start is not None:
            (start,) = _plain("start", [self.start])
        if not isinstance(start, (Real, str)) or start not in values:
            raise ValueError(f"Control: expected start to be one of {_short(values)}, got {_text(self.start)}.")
        # 2.0 becomes the 2 among the values.
        object.__setattr__(self, "start", values[values.index(start)])
        if self.show is not None and not callable(self.show) and not isinstance(self.show, str):
            raise ValueError(
                f'Control: expected show to be a function or a format like "{{:.2f}}", got {_text(self.show)}.'
            )
        try:
            texts = self.texts
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise ValueError(
                f"Control: expected show to write each value, got {cut(f'{type(error).__name__}: {error}')}; "
                'a format has one place, like "{:.2f}".'
            ) from None
        if unwritten := [text for text in texts if not isinstance(text, str)]:
            raise ValueError(f"Control: expected show to return a text, got {shown(unwritten[0])}.")

    @property
    def kind(self) -> Kind:
        """What the control looks like where it offers more than two values."""
        return _kind(self.values)

    @property
    def positions(self) -> tuple[Any, ...]:
        """All values in the order of the control, the finer ones among them."""
        if not self.finer:
            return self.values
        return tuple(sorted({*self.values, *self.finer}))

    @property
    def texts(self) -> list[str]:
        """How each position is written."""
        if callable(self.show):
            return [self.show(value) for value in self.positions]
        if isinstance(self.show, str):
            return [self.show.format(value) for value in self.positions]
        short = [f"{value:g}" if isinstance(value, float) else str(value) for value in self.positions]
        full = short if len(set(short)) == len(short) else [str(value) for value in self.positions]
        return full if self.kind == "menu" else [typeset(text) for text in full]

    def position(self, value: object) -> int:
        """Where a value stands among the positions, or ValueError."""
        found = _own(value)
        # An array beside each position is no single truth value.
        if not isinstance(found, (Real, str)) or found not in self.positions:
            raise ValueError(f"expected one of {_short(self.positions)}, got {shown(value)}.")
        return self.positions.index(found)

    def value_at(self, position: object) -> Any:
        """The value at a position, or ValueError."""
        if not isinstance(position, int) or not 0 <= position < len(self.positions):
            raise ValueError(f"expected a position below {len(self.positions)}, got {shown(position)}.")
        return self.positions[position]

    def _beside(self, count: int) -> bool:
        return (count == 2 or self.beside) and not (self.kind == "checkbox" or self.play)

    def spec(self, name: str, *, static: bool = False) -> dict[str, Any]:
        """What the view needs to know, as JSON; in a static page only of the values that it holds pictures of."""
        written = dict(zip(self.positions, self.texts, strict=True))
        offered = self.values if static else self.positions
        return {
            "name": name,
            "label": self.label or name,
            "kind": "hidden" if self.hidden else "segmented" if self._beside(len(offered)) else self.kind,
            "texts": [written[value] for value in offered],
            "keys": [str(value) for value in offered],
            "start": offered.index(self.start),
            "play": self.play,
        }


def as_control(values: object, name: str) -> Control:
    """`values` as a control; errors name the argument."""
    try:
        return values if isinstance(values, Control) else Control(values)
    except ValueError as error:
        raise ValueError(f"explore: {name}: {error}") from None


def _plain(what: str, values: object) -> tuple[object, ...]:
    """A tuple of Python's own values, so that NumPy's neither print as np.int64(2) nor overflow in the function."""
    # A set has another order in every run.
    if isinstance(values, (set, frozenset)):
        raise refused(what, "a list of values", values)
    return tuple(map(_own, listed(what, values, "a list of values", most=MOST)))


def _own(value: object) -> Any:
    """A number or text as Python's own."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):
        return str(value)
    return own(value) if isinstance(value, Rational) and not isinstance(value, bool) else value


def _kind(values: tuple[object, ...]) -> Kind:
    if values and all(isinstance(value, str) for value in values):
        return "menu"
    if values and all(isinstance(value, bool) for value in values):
        return "checkbox"
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in values):
        if all(map(_can_be_written, values)):
            return "slider"
        raise ValueError(f"values: expected finite numbers of at most {MOST_DIGITS:,} digits, got {_short(values)}.")
    raise ValueError(f"values: expected only numbers, only texts or only booleans, got {_short(values)}.")


def _can_be_written(value: Any) -> bool:
    if isinstance(value, Rational):
        return abs(value.numerator) < 10**MOST_DIGITS and value.denominator < 10**MOST_DIGITS
    return math.isfinite(value)


def _require_increasing(values: tuple[Any, ...]) -> None:
    for before, after in pairwise(values):
        if not before < after:
            raise ValueError(
                f"values: expected numbers in increasing order, got {shown(before)} before {shown(after)}."
            )


def _text(value: object) -> str:
    """A value in an error: numbers and texts as they are, other things by their class."""
    if type(value) not in (int, float, bool, str, Fraction, type(None)):
        return f"a {type(value).__name__}"
    return repr(value)[:40] if isinstance(value, str) else shown(value)


def _short(values: tuple[object, ...]) -> str:
    shown = ", ".join(map(_text, values[:8]))
    return f"[{shown}{', ...' if len(values) > 8 else ''}]"
