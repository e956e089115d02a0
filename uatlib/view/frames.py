"""Frames of an explorer: drawing one, and packing all of them into a page."""

from __future__ import annotations

import base64
import gzip
import io
import itertools
import json
import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..progress import progress
from .controls import Control
from .svg import SVG_STYLE, page_svg

__all__ = ["Frame", "FrameStore", "Pack", "draw", "pack", "require_few", "static_page"]

# Glyphs of formulas (roots, sums, large brackets) that no browser's font has at matplotlib's places.
FONTS_OF_FORMULAS = (b"DejaVu Sans Display", b"STIXSize", b"cmex10")


@dataclass(frozen=True)
class Frame:
    """One picture, as SVG for a page, what it says in words, and the same as a bitmap where that was asked for."""

    svg: str
    text: str
    png: bytes = b""


@dataclass(frozen=True)
class Pack:
    """All frames of an explorer for a static page, in base64 of gzip of JSON.

    The JSON holds the different pictures and texts once each, and for every combination of drawn values, the last
    control running fastest, the number of its picture and of its text.
    """

    data: str
    combinations: int
    pictures: int
    seconds: float  # of the processor


def _call(function: Callable[..., Any], values: Mapping[str, Any]) -> tuple[Any, str | None]:
    """The figure and the text that a function returns, or ValueError if it returns something else."""
    from matplotlib.figure import Figure

    result = function(**values)
    figure, text = result if isinstance(result, tuple) and len(result) == 2 else (result, None)
    if not isinstance(figure, Figure) or not (text is None or isinstance(text, str)):
        raise ValueError(
            f"{_name(function)}: expected a matplotlib figure, or a pair (figure, text), "
            f"got {_describe(result)}; end the function with `return figure`."
        )
    return figure, text


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "the function")


def _describe(result: Any) -> str:
    if isinstance(result, tuple):
        return f"({', '.join(type(part).__name__ for part in result)})"
    return "None" if result is None else type(result).__name__


def _save(figure: Any, kind: str, style: Any = SVG_STYLE) -> bytes:
    import matplotlib

    buffer = io.BytesIO()
    # A tight box would change size from frame to frame, and triples the file.
    with matplotlib.rc_context({**style, "savefig.bbox": None}):
        figure.savefig(buffer, format=kind, dpi=150 if kind == "png" else None)
    return buffer.getvalue()


def _svg(figure: Any) -> bytes:
    svg = _save(figure, "svg")
    if any(font in svg for font in FONTS_OF_FORMULAS):
        return _save(figure, "svg", {**SVG_STYLE, "svg.fonttype": "path"})
    return svg


def draw(
    function: Callable[..., Any], values: Mapping[str, Any], default_text: str = "", *, bitmap: bool = False
) -> Frame:
    """The frame of `function` at these values, from one call; `bitmap` asks for the PNG too.

    Every figure that the function opened is closed, and its plt.show() does nothing, so that none shows twice.

    Raises
    ------
    ValueError
        The function returns neither a figure nor (figure, text). Its own exceptions pass through.
    """
    import matplotlib.pyplot as plt

    before, show = set(plt.get_fignums()), plt.show
    plt.show = lambda *args, **kwargs: None
    try:
        figure, text = _call(function, values)
        svg = page_svg(_svg(figure).decode())
        return Frame(svg, default_text if text is None else text, _save(figure, "png") if bitmap else b"")
    finally:
        plt.show = show
        for number in set(plt.get_fignums()) - before:
            plt.close(number)


class FrameStore:
    """Frames of all explorers of a kernel, so that none is drawn twice while there is room; the oldest go first."""

    def __init__(self, characters: int) -> None:
        self.room, self.taken = characters, 0
        self._frames: dict[Any, Frame] = {}

    def get(self, key: Any) -> Frame | None:
        """The frame of this key, or None."""
        return self._frames.get(key)

    def put(self, key: Any, frame: Frame) -> None:
        """Keep a frame, and let old ones go until it fits."""
        if (old := self._frames.pop(key, None)) is not None:
            self.taken -= len(old.svg)
        self._frames[key] = frame
        self.taken += len(frame.svg)
        while self.taken > self.room and len(self._frames) > 1:
            self.taken -= len(self._frames.pop(next(iter(self._frames))).svg)


def _count(controls: Mapping[str, Control]) -> int:
    return math.prod(len(control.values) for control in controls.values())


def require_few(controls: Mapping[str, Control], label: str, combinations: int) -> None:
    """Refuse more combinations of drawn values than a page may hold; the control that multiplies most is named."""
    if (count := _count(controls)) > combinations:
        raise ValueError(
            f"{label}: expected at most {combinations} combinations for a page, got {count:,}; {_advice(controls)}"
        )


def pack(
    controls: Mapping[str, Control], frame: Callable[..., Frame], label: str, *, kilobytes: int, beside: int = 0
) -> Pack:
    """Draw every combination of drawn values and pack what differs; `beside` are bytes that the page carries already.

    Raises
    ------
    ValueError
        More kilobytes than the budget allows; the control that multiplies most is named.
    """
    count, begin = _count(controls), time.process_time()
    pictures: dict[str, int] = {}
    texts: dict[str, int] = {}
    index = []
    choices = itertools.product(*(control.values for control in controls.values()))
    for choice in progress(choices, label, total=count):
        values = dict(zip(controls, choice, strict=True))
        try:
            drawn = frame(**values)
        except Exception as error:
            error.add_note(f"{label}: raised while the page was drawn, at {values}")
            raise
        index.append(
            [pictures.setdefault(drawn.svg, len(pictures)), texts.setdefault(drawn.text, len(texts))],
        )
    content = json.dumps({"pictures": list(pictures), "texts": list(texts), "index": index}, separators=(",", ":"))
    data = base64.b64encode(gzip.compress(content.encode(), 9, mtime=0)).decode()
    if (size := len(data) + beside) > 1000 * kilobytes:
        raise ValueError(
            f"{label}: expected at most {kilobytes} kB of pictures for a page, "
            f"got {size / 1000:,.0f} kB in {len(pictures)} pictures; {_advice(controls)}"
        )
    return Pack(data, count, len(pictures), time.process_time() - begin)


def _advice(controls: Mapping[str, Control]) -> str:
    name, control = max(controls.items(), key=lambda item: len(item[1].values))
    return f"{name!r} multiplies most, with {len(control.values)} values: give it fewer, or move some to finer=."


def static_page() -> bool:
    """Whether the code runs while static pages are built, which have no kernel to ask later."""
    return bool(os.environ.get("UATLIB_STATIC_PAGE"))
