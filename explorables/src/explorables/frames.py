"""Frames of an explorer: drawing one, and packing all of them into a page."""

from __future__ import annotations

import base64
import gzip
import io
import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .controls import Control
from .desk import own_desk
from .progress import progress
from .sheet import NARROW, WIDE, sheet_of
from .svg import SVG_STYLE, page_svg
from .typeset import typeset

__all__ = [
    "Frame",
    "FrameStore",
    "Margins",
    "Pack",
    "combinations",
    "draw",
    "pack",
    "require_few",
    "split_drawings",
    "two_drawings",
]

# Glyphs of formulas (roots, sums, large brackets) that no browser's font has at matplotlib's places.
FONTS_OF_FORMULAS = (b"DejaVu Sans Display", b"STIXSize", b"cmex10")
NARROW_MARK = "narrow "
EDGE = 0.04
"""Inches that stay free at the edge of a figure."""
LEAST = 0.2
"""Of a figure's width and height are for its axes, whatever their labels want."""


@dataclass(frozen=True)
class Frame:
    """One picture, as SVG for a page, what it says in words, and the same as a bitmap where that was asked for.

    `narrow` is the picture laid out for a phone; empty where the figure has no `Sheet`. `reached` says of each goal of
    the explorer whether it is.
    """

    svg: str
    text: str
    png: bytes = b""
    narrow: str = ""
    reached: tuple[bool, ...] = ()

    @property
    def said(self) -> str:
        """The words as a reader sees them."""
        return typeset(self.text)

    @property
    def drawings(self) -> list[str]:
        """The picture for a desk and, if it has one, that for a phone."""
        return [self.svg, self.narrow] if self.narrow else [self.svg]


@dataclass(frozen=True)
class Pack:
    """All frames of an explorer for a static page, in base64 of gzip of JSON.

    The JSON holds the different pictures (`wide`, then as many `narrow`) and `texts` once each, and as `index` for
    every combination of drawn values, the last control running fastest, the numbers of its picture, of its text, and of
    the goals that are reached.
    """

    data: str
    combinations: int
    pictures: int


def _call(function: Callable[..., object], values: Mapping[str, object]) -> tuple[object, str | None]:
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


def _name(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", "the function")


def _describe(result: object) -> str:
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


def _svg(figure: object) -> str:
    svg = _save(figure, "svg")
    if any(font in svg for font in FONTS_OF_FORMULAS):
        svg = _save(figure, "svg", {**SVG_STYLE, "svg.fonttype": "path"})
    return svg.decode()


def _narrow(figure: Any) -> str:
    """The figure laid out for a phone, as SVG; it is wide again afterwards."""
    if (sheet := sheet_of(figure)) is None:
        return ""
    sheet.fit(NARROW)
    try:
        return _svg(figure)
    finally:
        sheet.fit(WIDE)


def two_drawings(figure: object) -> str:
    """A figure as SVG, and in a comment behind it the same for a phone: what `split_drawings` takes apart."""
    wide, narrow = _svg(figure), _narrow(figure)
    return f"{wide}<!-- {NARROW_MARK}{base64.b64encode(narrow.encode()).decode()} -->" if narrow else wide


def split_drawings(svg: str) -> tuple[str, str]:
    """The two SVG texts of `two_drawings`; the second is empty if there is one alone."""
    wide, _, rest = svg.partition(f"<!-- {NARROW_MARK}")
    return wide, base64.b64decode(rest.removesuffix(" -->")).decode()


class Margins:
    """Room at the sides of figures for labels that would be cut off; that of the start values says how much.

    Axes would jump if each figure had its own. A figure with a `Sheet`, with a layout engine or with margins that its
    author set stays as it is.
    """

    _sides: dict[str, float] | None = None

    def fit(self, figure: Any, *, first: bool) -> None:
        """Move the sides of the axes inwards, as far as the labels of the first figure asked for it."""
        import matplotlib

        settings: Any = matplotlib.rcParams
        default = {side: settings[f"figure.subplot.{side}"] for side in ("left", "right", "bottom", "top")}
        own = any(getattr(figure.subplotpars, side) != default[side] for side in default)
        if own or figure.get_layout_engine() is not None or sheet_of(figure) is not None:
            return
        if first:
            self._sides = default
            for _ in range(3):  # axes that are smaller may have other labels
                if (wanted := _sides(figure, self._sides)) == self._sides:
                    break
                figure.subplots_adjust(**wanted)
                self._sides = wanted
        elif self._sides not in (None, default):
            figure.subplots_adjust(**self._sides)


def _sides(figure: Any, now: dict[str, float]) -> dict[str, float]:
    """Where the axes of the figure may end, so that their labels do not end outside; as now, if there is no room."""
    boxes = [ax.get_tightbbox(for_layout_only=True) for ax in figure.axes if ax.get_visible() and ax.get_in_layout()]
    found = dict(now)
    if boxes := [box for box in boxes if box is not None]:
        width, height = figure.bbox.width, figure.bbox.height
        x, y = (EDGE * figure.dpi / length for length in (width, height))
        found["left"] += max(0, x - min(box.x0 for box in boxes) / width)
        found["bottom"] += max(0, y - min(box.y0 for box in boxes) / height)
        found["right"] -= max(0, max(box.x1 for box in boxes) / width - 1 + x)
        found["top"] -= max(0, max(box.y1 for box in boxes) / height - 1 + y)
    fits = found["right"] - found["left"] > LEAST and found["top"] - found["bottom"] > LEAST
    return found if fits else now


def draw(
    function: Callable[..., object],
    values: Mapping[str, object],
    default_text: str = "",
    *,
    first: bool = False,
    margins: Margins | None = None,
) -> Frame:
    """The frame of `function` at these values, from one call; the `first` has a PNG too and sets `margins`.

    The function neither sees nor changes what is open or set: its figures are closed, the reader's stay as they are,
    rcParams come back, and its plt.show() does nothing, so that no picture shows twice.

    Raises
    ------
    ValueError
        The function returns neither a figure nor (figure, text), or a figure that no SVG can hold. Its own exceptions
        pass through.
    """
    with own_desk():
        figure, text = _call(function, values)
        (margins or Margins()).fit(figure, first=first)
        wide, narrow = page_svg(_svg(figure)), _narrow(figure)
        png = _save(figure, "png") if first else b""
        return Frame(wide, default_text if text is None else text, png, narrow and page_svg(narrow))


class FrameStore:
    """Frames of all explorers of a kernel, so that none is drawn twice while there is room; the oldest go first."""

    def __init__(self, characters: int) -> None:
        self.room, self.taken = characters, 0
        self._frames: dict[object, Frame] = {}

    def get(self, key: object) -> Frame | None:
        """The frame of this key, or None."""
        return self._frames.get(key)

    def put(self, key: object, frame: Frame) -> None:
        """Keep a frame, and let old ones go until it fits."""
        if (old := self._frames.pop(key, None)) is not None:
            self.taken -= len(old.svg) + len(old.narrow)
        self._frames[key] = frame
        self.taken += len(frame.svg) + len(frame.narrow)
        while self.taken > self.room and len(self._frames) > 1:
            oldest = self._frames.pop(next(iter(self._frames)))
            self.taken -= len(oldest.svg) + len(oldest.narrow)


def _count(controls: Mapping[str, Control]) -> int:
    return math.prod(len(control.values) for control in controls.values())


def combinations(controls: Mapping[str, Control]) -> Iterator[dict[str, Any]]:
    """Every choice of drawn values, the last control running fastest."""
    for choice in itertools.product(*(control.values for control in controls.values())):
        yield dict(zip(controls, choice, strict=True))


def require_few(controls: Mapping[str, Control], label: str, combinations: int) -> None:
    """Refuse more combinations of drawn values than a page may hold; the control that multiplies most is named."""
    if (count := _count(controls)) > combinations:
        raise ValueError(
            f"{label}: expected at most {combinations} combinations for a page, got {count:,}; {_advice(controls)}"
        )


def pack(
    controls: Mapping[str, Control], frame: Callable[..., Frame], label: str, *, room: int, kilobytes: int
) -> Pack:
    """Draw every combination of drawn values and pack what differs into at most `room` characters.

    `kilobytes` is the budget that left this room, for the message.

    Raises
    ------
    ValueError
        No room for the pictures, said as soon as it is known; the control that multiplies most is named.
    """
    count = _count(controls)
    pictures: dict[tuple[str, str], int] = {}
    texts: dict[str, int] = {}
    index = []
    packed = io.BytesIO()

    def require_room(done: int) -> None:
        # Base64 writes three bytes as four characters; what is compressed already stays as it is.
        if (excess := 4 * packed.tell() / 3 - room) > 0:
            raise ValueError(
                f"{label}: expected at most {kilobytes} kB for a page, got {kilobytes + excess / 1000:,.0f} kB "
                f"in {done} of {count} combinations; {_advice(controls)}"
            )

    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream:
        for done, values in enumerate(progress(combinations(controls), label, total=count), start=1):
            try:
                drawn = frame(**values)
            except Exception as error:
                error.add_note(f"{label}: raised while the page was drawn, at {values}")
                raise
            both = (drawn.svg, drawn.narrow)
            if both not in pictures:
                stream.write(("," if pictures else '{"wide":[').encode() + json.dumps(drawn.svg).encode())
                require_room(done)
            number = pictures.setdefault(both, len(pictures))
            reached = (i for i, is_reached in enumerate(drawn.reached) if is_reached)
            index.append([number, texts.setdefault(drawn.said, len(texts)), *reached])
        # Behind all wide ones: between them, gzip would not see that one picture is much as the one before.
        narrow = [narrow for _, narrow in pictures]
        rest = json.dumps({"narrow": narrow, "texts": list(texts), "index": index}, separators=(",", ":"))
        stream.write(f"],{rest[1:]}".encode())
    require_room(count)
    return Pack(base64.b64encode(packed.getvalue()).decode(), count, len(pictures))


def _advice(controls: Mapping[str, Control]) -> str:
    name, control = max(controls.items(), key=lambda item: len(item[1].values))
    return f"{name!r} multiplies most, with {len(control.values)} values: give it fewer, or move some to finer=."
