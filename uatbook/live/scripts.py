"""The scripts of live pictures, joined: a module for anywidget, a plain script for a page."""

from __future__ import annotations

import functools
from pathlib import Path

from explorables import scripts

__all__ = ["live_files", "live_module", "page_script"]

HERE = Path(__file__).parent
FRAME = ("draw.js", "maps.js", "formula.js", "network.js", "live.js")


def live_files() -> list[Path]:
    """The frame of live pictures, and the pictures."""
    return [*(HERE / name for name in FRAME), *sorted((HERE / "pictures").glob("*.js"))]


@functools.cache
def live_script() -> str:
    """The same as one script."""
    return "".join(path.read_text(encoding="utf-8") for path in live_files())


@functools.cache
def live_module() -> str:
    """The view of live pictures as a JavaScript module, with its style sheet: what anywidget loads."""
    return f"{scripts.card_script()}{live_script()}\nexport default {{ render: renderLive }};\n"


@functools.cache
def page_script() -> str:
    """The views of explorers and of live pictures, and what answers them in a static page, as a plain script."""
    return scripts.page_script(live_script())
