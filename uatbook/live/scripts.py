"""The scripts of live pictures, joined: a module for anywidget, a plain script for a page."""

from __future__ import annotations

import functools
from pathlib import Path

from uatlib.explorer import scripts

__all__ = ["live_module", "page_script"]

HERE = Path(__file__).parent
FRAME = ("draw.js", "maps.js", "formula.js", "network.js", "live.js")


@functools.cache
def live_script() -> str:
    """The frame of live pictures, and the pictures, whose own names stay their own."""
    pictures = sorted(path.name for path in (HERE / "pictures").glob("*.js"))
    own = "".join(f"{{\n{scripts.read(name, folder=HERE / 'pictures')}}}\n" for name in pictures)
    return scripts.read(*FRAME, folder=HERE) + own


@functools.cache
def live_module() -> str:
    """The view of live pictures as a JavaScript module, with its style sheet: what anywidget loads."""
    return f"{scripts.card_script()}{live_script()}\nexport default {{ render: renderLive }};\n"


@functools.cache
def page_script() -> str:
    """The views of explorers and of live pictures, and what answers them in a static page, as a plain script."""
    return scripts.page_script(live_script())
