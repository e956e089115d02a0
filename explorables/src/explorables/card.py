"""What a reader moves, whoever draws it: the same in a notebook, in a static page, and as a first frame elsewhere."""

from __future__ import annotations

import base64
import html
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from . import first
from .checks import cut, mapping
from .frames import Frame
from .progress import static_page
from .scripts import page_script, page_style
from .svg import standalone

__all__ = ["Card"]


class Card(ABC):
    """A picture with controls. `frame` gives it as SVG, `widget` as an ipywidget, `to_html` as a static page."""

    name: str
    title: str
    alt: str
    controls: Mapping[str, Any]
    height = ""
    """CSS for the height that the view gives the picture, where that is not the picture's own."""
    folded: Sequence[str] = ()
    """Controls in a fold below the picture; an address, or words, that move one open it."""
    away: Sequence[str] = ()
    """Controls that mean nothing at the start, so that the view hides them."""
    choices: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """Menus that offer less at the start, or in other words: {control: {key: text}}."""
    states: Sequence[str] = ()
    """What the view says at the start of each goal of the spec."""
    _widget: Any = None

    @abstractmethod
    def frame(self, /, **values: object) -> Frame:
        """The picture and the read-out at these values."""

    @abstractmethod
    def spec(self, *, static: bool = False) -> dict[str, Any]:
        """What the view needs to know, as JSON."""

    @abstractmethod
    def values_at(self, at: object) -> dict[str, object]:
        """The values at these positions; ValueError if they are none of this picture."""

    @abstractmethod
    def make_widget(self) -> Any:
        """A new ipywidget."""

    @abstractmethod
    def _pack(self) -> tuple[str, str, tuple[str, str]]:
        """What a static page says of the picture, as attributes; what it holds besides; and room for all frames."""

    @abstractmethod
    def shown(self) -> str:
        """What the first frame shows, for readers who do not see it."""

    @property
    def start(self) -> dict[str, Any]:
        """The values shown first."""
        return {name: control.start for name, control in self.controls.items()}

    def positions(self, values: Mapping[str, Any]) -> list[Any]:
        """Where these values stand in their controls; controls that are not named stand at their start."""
        given = mapping("values", values)
        if unknown := sorted(set(given) - set(self.controls)):
            expected = f"controls out of {', '.join(self.controls)}"
            raise ValueError(f"{self.name} values: expected {expected}, got {cut(', '.join(unknown))}.")
        at = []
        for name, control in self.controls.items():
            try:
                at.append(control.position(given.get(name, control.start)))
            except ValueError as error:
                raise ValueError(f"{self.name} {name}: {error}") from None
        return at

    def _heading(self) -> str:
        return self.title

    def _fold(self, **more: str) -> dict[str, Any]:
        """What the view needs to know of the fold, if there is one."""
        return {"fold": {"controls": list(self.folded), **more}} if self.folded or more else {}

    # ------------------------------------------------------------------------------------------------------ a page

    def _first(self) -> str:
        """The first frame and its read-out, for pages of which nothing is known but that they show HTML."""
        frame = self.frame()
        data = base64.b64encode(standalone(frame.svg).encode()).decode()
        image = f'<img alt="{html.escape(self.shown())}" src="data:image/svg+xml;base64,{data}">' if data else ""
        asked = [goal["asks"] for goal in self.spec().get("goals", ())]
        goals = "".join(f"<p><strong>Goal:</strong> {html.escape(asks)}</p>" for asks in asked)
        return (
            f'<div class="uat-first"><p><strong>{html.escape(self._heading())}</strong></p>{image}'
            f'<p style="white-space: pre-line">{html.escape(frame.said)}</p>'
            f"{goals}<p>The controls of this picture need a running notebook.</p></div>"
        )

    def markup(self, frame: Frame, room: tuple[str, str] = ("", ""), *, static: bool) -> str:
        """The card with this frame in it."""
        alt = self.shown()
        drawings = [first.named(svg, f"first-{self.name}-{k}", alt) for k, svg in enumerate(frame.drawings) if svg]
        more: Any = {name: getattr(self, name) for name in ("height", "away", "choices", "states")}
        more["tools"] = getattr(frame, "tools", ())
        return first.card(self.spec(static=static), drawings, frame.said, room=room, **more)

    def _before_script(self, room: tuple[str, str] = ("", "")) -> str:
        """The first frame in the card that its script lets move."""
        return f'<div class="uat-first">{self.markup(self.frame(), room, static=True)}</div>'

    def _page_script(self) -> str:
        """What moves the card in a page of its own."""
        return page_script()

    def _spec_script(self) -> str:
        """The spec as JSON that cannot end the script element it stands in."""
        return json.dumps(self.spec(static=True), separators=(",", ":")).replace("<", "\\u003c")

    def _html(self, *, static: bool) -> str:
        if not static:
            return self._first()
        attributes, more, room = self._pack()
        return (
            f'<style class="uat-page-style">{page_style()}</style>'  # first, or what is drawn before it comes moves
            f'<div class="uat-explorer" id="explorer-{self.name}" {attributes}>{self._before_script(room)}'
            f'<script type="application/json" class="uat-spec">{self._spec_script()}</script>{more}</div>'
            f'<script class="uat-page-script">{self._page_script()}</script>'
        )

    def to_html(self) -> str:
        """A page of its own, in ASCII, that works from a folder, without a kernel and without a network."""
        dark = "color-scheme: light dark; --uat-paper: Canvas; --uat-line: #808080"
        page = (
            f'<!doctype html><html lang="en" style="{dark}"><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width"><title>{html.escape(self.title)}</title>'
            f'<body style="max-width: 46rem; margin: 1rem auto; font-family: system-ui, sans-serif">'
            f"{self._html(static=True)}</body></html>"
        )
        return page.encode("ascii", "xmlcharrefreplace").decode()

    # -------------------------------------------------------------------------------------------------- a notebook

    @property
    def widget(self) -> Any:
        """The ipywidget; its trait `values` holds the current values, can be observed and set."""
        if self._widget is None or self._widget.comm is None:  # not made yet, or closed
            self._widget = self.make_widget()
        return self._widget

    def _repr_mimebundle_(self, **kwargs: object) -> tuple[dict[str, object], dict[str, object]]:
        """The widget, and the first frame for all who show no widget.

        A notebook that a program runs (nbconvert, papermill) would keep the widget's state without the kernel behind
        it, and prefer that to the picture: there the first frame stands alone. `widget` is the widget everywhere.
        """
        static, live = static_page(), not static_page() and _attended()
        if live and self._failed():
            # The widget shows the error in its place, and can be moved on from there.
            bundle: tuple[dict[str, object], dict[str, object]] = self.widget._repr_mimebundle_()
            return bundle
        page = self._html(static=static)  # first, since it may bring the frames
        data: dict[str, object] = {
            "text/plain": f"{self.title}: {self.frame().said}",
            "text/html": page,
        }
        if png := self.frame().png:
            data["image/png"] = base64.b64encode(png).decode()
        if live:
            view, metadata = self.widget._repr_mimebundle_()
            return {**view, **data}, metadata
        return data, {}

    def _failed(self) -> bool:
        """Whether the first frame raises, and the widget says so."""
        return False

    def _show(self) -> None:
        try:
            from IPython import get_ipython
            from IPython.display import display
        except ImportError:
            return
        # A shell without a kernel is a terminal, or matplotlib's helper in a plain program.
        if hasattr(get_ipython(), "kernel"):
            # Given the object itself, display would swallow what drawing it raises.
            data, metadata = self._repr_mimebundle_()
            display(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]


def _attended() -> bool:
    """Whether somebody may be there to move a control: a program that runs a notebook says that nobody can be asked."""
    try:
        from IPython import get_ipython
    except ImportError:
        return True
    parent: dict[str, Any] = getattr(getattr(get_ipython(), "kernel", None), "get_parent", dict)()
    return bool(parent.get("content", {}).get("allow_stdin", True))
