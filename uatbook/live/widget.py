"""A live picture in a notebook: the same view, whose controls the kernel can follow and set."""

from __future__ import annotations

from explorables.widget import CardWidget

from .scripts import live_module

__all__ = ["LiveWidget"]


class LiveWidget(CardWidget):
    """`values` maps the name of each control to its value; observe it to follow the reader, set it to move them."""

    _esm = live_module()
