"""Live pictures of this book: in its colours, with its scripts."""

from __future__ import annotations

from pathlib import Path

from explorables import live

from ..figures.style import COLOURS, ERROR, STEPS

__all__ = ["FILES", "LivePicture"]

HERE = Path(__file__).parent
FILES = (HERE / "network.js", HERE / "functions.js", *sorted((HERE / "pictures").glob("*.js")))
"""What runs models, what readers' functions are, and the script of each kind of picture."""


class LivePicture(live.LivePicture):
    """A live picture in the colours of this book; the parameters are those of `explorables.live.LivePicture`."""

    files = FILES
    colours = (*COLOURS, *STEPS, ERROR)
