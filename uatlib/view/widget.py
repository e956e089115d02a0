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
        super().__init__(spec=explorer.spec, at=at, first=explorer.answer(at), values=explorer.start)
        self.on_msg(self._draw)

    def _draw(self, _: Any, content: Any, buffers: Any) -> None:
        if content.get("kind") == "draw":
            self.send(self._explorer.answer(content["at"]))

    @traitlets.validate("values")
    def _complete(self, proposal: Any) -> dict[str, Any]:
        """Fill in what is not named, and refuse what no control holds."""
        values = {**self.values, **proposal["value"]}
        self._explorer.positions(values)
        return values

    @traitlets.observe("values")
    def _move(self, change: Any) -> None:
        self.at = self._explorer.positions(change["new"])

    @traitlets.observe("at")
    def _moved(self, change: Any) -> None:
        controls = self._explorer.controls.items()
        self.values = {name: control.positions[i] for i, (name, control) in zip(change["new"], controls, strict=True)}
