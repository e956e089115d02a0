"""The live form of an explorer: an ipywidget whose kernel draws the frames that its view asks for."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from .explorer import Explorer, view_module

__all__ = ["ExplorerWidget"]


class ExplorerWidget(anywidget.AnyWidget):
    """An explorer with a kernel behind it.

    `values` maps the name of each control to its value; observe it to follow the reader, set it to move the controls.
    """

    _esm = view_module()
    spec = traitlets.Dict().tag(sync=True)
    at = traitlets.List(traitlets.Int()).tag(sync=True)
    first = traitlets.Dict().tag(sync=True)
    values = traitlets.Dict()

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        at = explorer.positions({})
        super().__init__(spec=explorer.spec(), at=at, first=explorer.answer(at), values=explorer.start)
        self.on_msg(self._draw)

    def _draw(self, _: Any, content: Any, buffers: Any) -> None:
        if isinstance(content, dict) and content.get("kind") == "draw":
            self.send(self._explorer.answer(content.get("at")))

    @traitlets.validate("values")
    def _complete(self, proposal: Any) -> dict[str, Any]:
        """Fill in what is not named, and refuse what no control holds."""
        return self._explorer.values_at(self._explorer.positions({**self.values, **proposal["value"]}))

    @traitlets.validate("at")
    def _exists(self, proposal: Any) -> list[int]:
        """Refuse positions that no control has."""
        self._explorer.values_at(proposal["value"])
        at: list[int] = proposal["value"]
        return at

    @traitlets.observe("values")
    def _move(self, change: Any) -> None:
        self.at = self._explorer.positions(change["new"])

    @traitlets.observe("at")
    def _moved(self, change: Any) -> None:
        self.values = self._explorer.values_at(change["new"])
