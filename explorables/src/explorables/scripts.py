"""The scripts of the cards, joined: a module for anywidget, a plain script for a page."""

from __future__ import annotations

import functools
import json
from pathlib import Path

__all__ = ["page_script", "page_style", "read", "view_module"]

HERE = Path(__file__).parent


def read(*names: str, folder: Path = HERE) -> str:
    """These files of a folder, one after the other."""
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


@functools.cache
def card_script() -> str:
    """The style sheet, and what all cards are made of."""
    return f"const STYLE = {json.dumps(read('explorer.css'))};\n{read('card.js')}"


@functools.cache
def page_style() -> str:
    """The style sheet for what stands in a page before its script runs, outside of a shadow root."""
    return f".uat-first {{\n{read('explorer.css').replace(':host', '&')}}}\n"


@functools.cache
def view_module() -> str:
    """The view of an explorer as a JavaScript module, with its style sheet: what anywidget loads."""
    return f"{card_script()}{read('explorer.js')}\nexport default {{ render }};\n"


@functools.cache
def page_script(more: str = "") -> str:
    """The view and what answers it in a static page, as a plain script: browsers load no modules from a folder.

    `more` are the scripts of other cards, which page.js finds as `renderLive`; without them it leaves theirs alone.
    """
    return f'(() => {{\n"use strict";\n{card_script()}{read("explorer.js")}{more}{read("page.js")}}})();\n'
