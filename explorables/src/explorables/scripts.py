"""The scripts of the cards, joined: a module for anywidget, a plain script for a page."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["FRAME", "live_module", "live_page_script", "needed", "page_script", "page_style", "view_module"]

HERE = Path(__file__).parent
FRAME = tuple(HERE / "live" / name for name in ("draw.js", "maps.js", "formula.js", "share.js", "ahead.js", "live.js"))
"""What live pictures are drawn with, and their card."""
LIVE = re.compile(r"/\* live: \*/.*?/\* :live \*/", re.DOTALL)
REMARK = re.compile(r"^[ \t]*(?://[^\n]*|/\*.*?\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)
"""Lines of a script that are for who reads it here."""
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
PICTURE = re.compile(r"^PICTURES\.(\w+)(?:\.\w+)? = ", re.MULTILINE)


def read(*files: str | Path) -> str:
    """These files, one after the other; scripts without their remarks."""
    texts = ((HERE / file).read_text(encoding="utf-8") for file in files)
    return "".join(
        REMARK.sub("", text) if str(file).endswith(".js") else text for file, text in zip(files, texts, strict=True)
    )


def style(*, live: bool) -> str:
    """The style sheet without its comments, and without what live pictures alone need."""
    sheet = read("explorer.css")
    return COMMENT.sub("", sheet if live else LIVE.sub("", sheet))


@functools.cache
def card_script(*, live: bool) -> str:
    """The style sheet, and what all cards are made of."""
    return f"const STYLE = {json.dumps(style(live=live))};\n{read('card.js')}"


@functools.cache
def page_style() -> str:
    """The style sheet for what stands in a page before its script runs, outside of a shadow root."""
    return f".uat-first {{\n{style(live=True).replace(':host', '&')}}}\n"


@functools.cache
def view_module() -> str:
    """The view of an explorer as a JavaScript module, with its style sheet: what anywidget loads."""
    return f"{card_script(live=False)}{read('explorer.js')}\nexport default {{ render }};\n"


@functools.cache
def live_module(files: tuple[Path, ...]) -> str:
    """The view of live pictures as a JavaScript module, with the scripts of the pictures: what anywidget loads."""
    return f"{card_script(live=True)}{read(*FRAME, *files)}\nexport default {{ render: renderLive }};\n"


@functools.cache
def page_script(more: str = "") -> str:
    """The view and what answers it in a static page, as a plain script: browsers load no modules from a folder.

    `more` are the scripts of other cards, which page.js finds as `renderLive`; without them it leaves theirs alone.
    """
    return (
        f'(() => {{\n"use strict";\n{card_script(live=bool(more))}{read("explorer.js")}{more}{read("page.js")}}})();\n'
    )


@functools.cache
def live_page_script(files: tuple[Path, ...]) -> str:
    """The same with live pictures, whose scripts these are."""
    return page_script(read(*FRAME, *files))


def needed(files: Sequence[Path], pictures: Iterable[str]) -> tuple[Path, ...]:
    """Of these scripts those of the pictures with these names, and what no picture is but all may use."""
    named = {file: set(PICTURE.findall(file.read_text(encoding="utf-8"))) for file in files}
    wanted = set(pictures)
    if lacking := wanted - set().union(*named.values()):
        raise ValueError(
            f"scripts: expected those of the live pictures {', '.join(sorted(lacking))}, got none; a class names its "
            "script in `files`, a book in `explorables_scripts`."
        )
    return tuple(file for file, names in named.items() if not names or names & wanted)
