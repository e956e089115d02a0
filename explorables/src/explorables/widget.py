"""The live form of a card: an ipywidget, whose kernel draws the frames of an explorer that its view asks for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from .card import Card
from .frames import Frame
from .scripts import view_module

__all__ = ["CardWidget", "ExplorerWidget", "live_widget"]


class CardWidget(anywidget.AnyWidget):
    """A picture with controls, with a kernel behind it.

    `values` maps the name of each control to its value; observe it to follow the reader, set it to move the controls.
    """

    spec = traitlets.Dict().tag(sync=True)
    card = traitlets.Unicode().tag(sync=True)
    at: Any = traitlets.List().tag(sync=True)
    values = traitlets.Dict()

    def __init__(self, card: Card, **state: object) -> None:
        self._card = card
        empty = card.markup(Frame("", ""), static=False)  # drawing may raise
        super().__init__(spec=card.spec(), card=empty, at=card.positions({}), values=card.start, **state)

    @traitlets.validate("values")
    def _complete(self, proposal: Any) -> dict[str, Any]:
        """Fill in what is not named, and refuse what no control holds."""
        return self._card.values_at(self._card.positions({**self.values, **proposal["value"]}))

    @traitlets.validate("at")
    def _exists(self, proposal: Any) -> list[object]:
        """Refuse positions that no control has."""
        self._card.values_at(proposal["value"])
        at: list[Any] = proposal["value"]
        return at

    @traitlets.observe("values")
    def _move(self, change: Any) -> None:
        self.at = self._card.positions(change["new"])

    @traitlets.observe("at")
    def _moved(self, change: Any) -> None:
        self.values = self._card.values_at(change["new"])


class ExplorerWidget(CardWidget):
    """An explorer, whose frames the kernel draws."""

    _esm = view_module()
    first = traitlets.Dict().tag(sync=True)

    def __init__(self, card: Card, answer: Callable[[object], dict[str, Any]]) -> None:
        self._answer = answer
        super().__init__(card, first=answer(card.positions({})))
        self.on_msg(self._draw)

    def _draw(self, _: object, content: object, buffers: object) -> None:
        if isinstance(content, dict) and content.get("kind") == "draw":
            self.send(self._answer(content.get("at")))


@functools.cache
def live_widget(module: str) -> type[CardWidget]:
    """The class of widgets whose view is this JavaScript module, which draws by itself."""
    return type("LiveWidget", (CardWidget,), {"_esm": module})
