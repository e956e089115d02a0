"""The scripts of the pictures, joined: a module for anywidget, a plain script for a page."""

from __future__ import annotations

import functools
import json
from pathlib import Path

__all__ = ["live_module", "page_script", "page_style", "view_module"]

HERE = Path(__file__).parent
LIVE = ("draw.js", "maps.js", "formula.js", "network.js", "live.js")


def _read(*names: str) -> str:
    return "".join((HERE / name).read_text(encoding="utf-8") for name in names if (HERE / name).exists())


def _base() -> str:
    """The style sheet, and what all cards are made of."""
    return f"const STYLE = {json.dumps(_read('explorer.css'))};\n{_read('card.js')}"


def _live() -> str:
    """The frame of live pictures, and the pictures, whose own names stay their own."""
    pictures = sorted(path.name for path in (HERE / "pictures").glob("*.js"))
    return _read(*LIVE) + "".join(f"{{\n{_read(f'pictures/{name}')}}}\n" for name in pictures)


@functools.cache
def page_style() -> str:
    """The style sheet for what stands in a page before its script runs, outside of a shadow root."""
    return f".uat-first {{\n{_read('explorer.css').replace(':host', '&')}}}\n"


@functools.cache
def view_module() -> str:
    """The view of an explorer as a JavaScript module, with its style sheet: what anywidget loads."""
    return f"{_base()}{_read('explorer.js')}\nexport default {{ render }};\n"


@functools.cache
def live_module() -> str:
    """The view of live pictures, likewise."""
    return f"{_base()}{_live()}\nexport default {{ render: renderLive }};\n"


@functools.cache
def page_script(*, live: bool = True) -> str:
    """The views and what answers them in a static page, as a plain script: browsers load no modules from a folder.

    Without `live` it leaves out the live pictures, which are most of it, and leaves theirs on the page to others.
    """
    more = _live() if live else ""
    return f'(() => {{\n"use strict";\n{_base()}{_read("explorer.js")}{more}{_read("page.js")}}})();\n'
