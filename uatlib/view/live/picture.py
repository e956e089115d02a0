"""What live pictures have in common: a card whose view computes its pictures itself, from numbers handed in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from ..explorer.card import Card
from ..explorer.controls import Control
from ..explorer.frames import Frame, draw
from ..figures.style import COLOURS, STYLE
from .controls import Field, Handle, Slider

__all__ = ["LivePicture", "number"]


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
    size: ClassVar[tuple[float, int, int]] = (0.6, 300, 420)
    """The picture is size[0] times as high as wide, but size[1] pixels at least and size[2] at most."""

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
                raise ValueError(f"{self.picture}: expected {option} to be a text, got {text!r}.")
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
            raise ValueError(f"{self.name}: expected {len(self.controls)} positions, got {at!r}.")
        try:
            return {name: control.value_at(i) for i, (name, control) in zip(at, self.controls.items(), strict=True)}
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    def spec(self, *, static: bool = False) -> dict[str, Any]:
        """What the view needs to know, as JSON: see the head of live.js."""
        return {
            "name": self.name,
            "title": self.title,
            "picture": self.picture,
            "size": self.size,
            "colours": COLOURS,
            "controls": [control.spec(name) for name, control in self.controls.items()],
            "handles": [handle.spec() for handle in self.handles],
            "data": self.data,
        }

    @property
    def reserve(self) -> str:  # type: ignore[override]
        """The height of the card: the picture's, and about that of words and controls, wide or narrow."""
        ratio, low, high = self.size
        moved = {name for handle in self.handles for name in (handle.x, handle.y)}
        fields = [c for name, c in self.controls.items() if name not in moved and not getattr(c, "hidden", False)]
        texts = sum(isinstance(control, Field) for control in fields)
        lines = self.frame().text.split("\n")

        def rest(base: int, fields_a_row: int, letters: int) -> int:
            rows = 2 * texts + -(-(len(fields) - texts) // fields_a_row)
            return base + 36 * rows + 22 * sum(-(-len(line) // letters) for line in lines)

        wide, narrow = rest(101, 3, 85), rest(130, 2, 46)
        return (
            f"calc(clamp({low}px, {ratio} * (100cqw - 34px), {high}px) + {wide}px + "
            f"clamp(0px, 100 * (27rem - 100cqw), {max(0, narrow - wide)}px))"
        )

    def _pack(self) -> tuple[str, str]:
        return f'data-live="{self.picture}"', ""

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
    text = f"{abs(value):.{digits}f}"
    return ("\N{MINUS SIGN}" if value < 0 and float(text) else "") + text
