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

__all__ = ["Frame", "Pack", "draw", "pack", "png"]


@dataclass(frozen=True)
class Frame:
    """One picture, as SVG for a page, and what it says in words."""

    svg: str
    text: str


@dataclass(frozen=True)
class Pack:
    """All frames of an explorer for a static page, in base64 of gzip of JSON.

    The JSON holds the different pictures and texts once each, and for every combination of drawn values, the last
    control running fastest, the number of its picture and of its text.
    """

    data: str
    combinations: int
    pictures: int
    seconds: float


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


def _save(figure: Any, kind: str) -> bytes:
    import matplotlib

    buffer = io.BytesIO()
    with matplotlib.rc_context(SVG_STYLE):
        # A tight box would change size from frame to frame, and triples the file.
        figure.savefig(buffer, format=kind, bbox_inches=None, dpi=150 if kind == "png" else None)
    return buffer.getvalue()


def _drawn(function: Callable[..., Any], values: Mapping[str, Any], kind: str) -> tuple[bytes, str | None]:
    """Call the function and save its figure; every figure that it opened is closed, so that none shows twice."""
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    try:
        figure, text = _call(function, values)
        return _save(figure, kind), text
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)


def draw(function: Callable[..., Any], values: Mapping[str, Any], default_text: str = "") -> Frame:
    """The frame of `function` at these values.

    Raises
    ------
    ValueError
        The function returns neither a figure nor (figure, text). Its own exceptions pass through.
    """
    svg, text = _drawn(function, values, "svg")
    return Frame(page_svg(svg.decode()), default_text if text is None else text)


def png(function: Callable[..., Any], values: Mapping[str, Any]) -> bytes:
    """The picture at these values as a bitmap, for readers that show no SVG."""
    return _drawn(function, values, "png")[0]


def pack(
    controls: Mapping[str, Control],
    frame: Callable[..., Frame],
    label: str,
    *,
    combinations: int = 400,
    kilobytes: int = 300,
) -> Pack:
    """Draw every combination of drawn values and pack what differs.

    Raises
    ------
    ValueError
        More combinations or more kilobytes than the budget allows; the control that multiplies most is named. The
        number of combinations is refused before anything is drawn.
    """
    count = math.prod(len(control.values) for control in controls.values())
    if count > combinations:
        raise ValueError(
            f"{label}: expected at most {combinations} combinations for a page, got {count:,}; {_advice(controls)}"
        )
    begin = time.perf_counter()
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
    if len(data) > 1000 * kilobytes:
        raise ValueError(
            f"{label}: expected at most {kilobytes} kB of compressed pictures for a page, "
            f"got {len(data) / 1000:,.0f} kB in {len(pictures)} pictures; {_advice(controls)}"
        )
    return Pack(data, count, len(pictures), time.perf_counter() - begin)


def _advice(controls: Mapping[str, Control]) -> str:
    name, control = max(controls.items(), key=lambda item: len(item[1].values))
    return f"{name!r} multiplies most, with {len(control.values)} values: give it fewer, or move some to finer=."


def static_page() -> bool:
    """Whether the code runs while static pages are built, which have no kernel to ask later."""
    return bool(os.environ.get("UATLIB_STATIC_PAGE"))
