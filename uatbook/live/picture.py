"""What live pictures have in common: a card whose view computes its pictures itself, from numbers handed in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, ClassVar

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from uatlib.checks import shown
from uatlib.explorer.card import Card
from uatlib.explorer.controls import Control
from uatlib.explorer.frames import Frame, draw

from ..figures.style import COLOURS, STYLE
from .controls import Field, Handle, Slider
from .scripts import page_script

__all__ = ["LivePicture", "fixed", "number", "stops"]

EXACTLY = Context(prec=400, rounding=ROUND_HALF_UP)

NARROW_STAGE = 540
"""Pixels; live.js knows it, too."""


class LivePicture(Card):
    """A picture that the page computes as the reader moves it; in a notebook, the value of a cell shows it.

    A kind of picture is a subclass: `picture` names its script, pictures/<picture>.js; `describe` and `draw` give what
    the script shows at given values, for the first frame, which print, GitHub and readers without JavaScript get.

    Parameters
    ----------
    controls : by name, `Slider`, `Field`, or `Control` for menus and checkboxes
    handles : what can be held in the picture
    data : the numbers that the script needs, as JSON
    title, name : the heading, and the name in the address of a setting
    """

    picture: ClassVar[str]
    size: tuple[float, int, int, int] | tuple[float, int, int] = (0.6, 300, 420)
    """The picture is size[0] times as high as wide, but size[1] pixels at least and size[2] at most.

    A fourth number is its height where it is narrower than `NARROW_STAGE` pixels.
    """

    def __init__(
        self,
        controls: Mapping[str, Control | Slider | Field],
        handles: Sequence[Handle] = (),
        data: Mapping[str, Any] | None = None,
        *,
        title: str,
        name: str = "",
    ) -> None:
        for option, text in (("title", title), ("name", name)):
            if not isinstance(text, str):
                raise ValueError(f"{self.picture}: expected {option} to be a text, got {shown(text)}.")
        self.controls, self.handles, self.data = dict(controls), tuple(handles), dict(data or {})
        self.title, self.name = title, name or self.picture
        # What drawing raises is raised here: IPython swallows what a display raises.
        self._frame = self._drawn(self.start)
        self.alt = self.describe(self.start)[1]

    @abstractmethod
    def describe(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """The read-out at these values, and what the picture shows, for readers who do not see it."""

    @abstractmethod
    def draw(self, values: Mapping[str, Any]) -> Figure:
        """The picture at these values."""

    def __repr__(self) -> str:
        return f"<live picture {self.name}: {', '.join(self.controls)}>"

    def _drawn(self, values: Mapping[str, Any]) -> Frame:
        def styled() -> tuple[Figure, str]:
            plt.rcParams.update(STYLE)
            return self.draw(values), self.describe(values)[0]

        return draw(styled, {}, bitmap=True)

    def frame(self, /, **values: Any) -> Frame:
        """The picture and the read-out at these values, drawn here; at the start values once."""
        at = self.positions(values)
        return self._frame if at == self.positions({}) else self._drawn(self.values_at(at))

    def values_at(self, at: Any) -> dict[str, Any]:
        """The values at these positions; ValueError if they are none of this picture."""
        if not isinstance(at, list) or len(at) != len(self.controls):
            raise ValueError(f"{self.name}: expected {len(self.controls)} positions, got {shown(at)}.")
        try:
            return {name: control.value_at(i) for i, (name, control) in zip(at, self.controls.items(), strict=True)}
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    def spec(self, *, static: bool = False) -> dict[str, Any]:
        """What the view needs to know, as JSON: see the head of live.js."""
        held = {name: handle.label for handle in self.handles for name in (handle.x, handle.y)}
        controls = [control.spec(name) for name, control in self.controls.items()]
        for control in controls:  # a slider in the picture is named after what it moves
            if control["name"] in held:
                control["label"] = f"{held[control['name']]}, {control['label']}"
        return {
            "name": self.name,
            "title": self.title,
            "picture": self.picture,
            "size": self.size,
            "colours": COLOURS,
            "controls": controls,
            "handles": [handle.spec() for handle in self.handles],
            "data": self.data,
        }

    @property
    def height(self) -> str:  # type: ignore[override]
        """Of the picture, as live.js has it."""
        ratio, low, high, *stacked = self.size
        height = f"clamp({low}px, {100 * ratio:g}cqw, {high}px)"
        for narrow in stacked:  # one is 0 where the other stands
            edge = f"{NARROW_STAGE - 0.5}px"
            wide = f"min({height}, max(0px, 10000 * (100cqw - {edge})))"
            height = f"max({wide}, clamp(0px, 10000 * ({edge} - 100cqw), {narrow}px))"
        return height

    def _page_script(self) -> str:
        return page_script()

    def shown(self) -> str:
        """What the first frame shows."""
        return self.alt

    def _pack(self) -> tuple[str, str, tuple[str, str]]:
        return f'data-live="{self.picture}"', "", ("", "")

    def make_widget(self) -> Any:
        """A new ipywidget, with a trait `values`."""
        from .widget import LiveWidget

        return LiveWidget(self)


def number(value: float, digits: int = 4) -> str:
    """A number as the read-outs write it: a true minus, never "-0"; overflow by name."""
    if value != value:
        return "undefined"
    if abs(value) == float("inf"):
        return "overflow" if value > 0 else "\N{MINUS SIGN}overflow"
    text = fixed(abs(value), digits)
    return ("\N{MINUS SIGN}" if value < 0 and float(text) else "") + text


def fixed(value: float, digits: int) -> str:
    """A finite number >= 0 with so many decimals, ties go up, as the page's toFixed has it."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), context=EXACTLY))


def stops(palette: Any) -> list[str]:
    """Colours of a map, from its least value to its largest."""
    return [to_hex(colour, keep_alpha=True) for colour in palette(np.linspace(0, 1, 33))]
