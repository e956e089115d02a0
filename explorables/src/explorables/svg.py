"""SVG of matplotlib, made fit for a page: black is the page's ink, white its paper, numbers are short.

Black becomes the text colour and white the variable --uat-paper; every other colour stays. A picture that needs fixed
black or white says #010101 or #fefefe. Ids are renumbered, so that pictures on a page cannot collide and two builds
give the same bytes. Pictures come from the code that the page shows, so nothing guards against what they could do.
"""

from __future__ import annotations

import base64
import io
import re
import struct
import zlib
from typing import Any
from xml.etree import ElementTree

import numpy as np

from .letters import page_letters

__all__ = ["SVG_STYLE", "page_svg", "standalone"]

SVG_STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "uatlib"}
"""Settings of matplotlib: text stays text (searchable, small), and ids do not change between builds."""

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
STRIPPED = (f"{{{SVG}}}metadata", f"{{{SVG}}}style")
INK, PAPER = "currentColor", "var(--uat-paper)"
ATTRIBUTE = re.compile(r'(?<=[ ;"])((?:fill|stroke|color|stop-color)(?:: ?|="))(currentColor|var\(--uat-paper\))')
MIXED = re.compile(r"color-mix\(in srgb, (#\w+) (\d+)%, currentColor\)")
COLOURS = {**dict.fromkeys(("#000000", "#000", "black"), INK), **dict.fromkeys(("#ffffff", "#fff", "white"), PAPER)}
COLOUR = re.compile(r"(?<=[:\s])(#000000|#000|black|#ffffff|#fff|white)(?=\s*(?:;|$))")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e[-+]?\d+)?")
# Two decimals of a point are invisible. A matrix multiplies, so transforms keep their digits.
COORDINATES = ("d", "x", "y", "points", "width", "height")

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

MAX_DEPTH = 100

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def _shorten(coordinates: str) -> str:
    return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), coordinates)


def _is_shallow(root: ElementTree.Element) -> bool:
    level = [root]
    for _ in range(MAX_DEPTH):
        level = [child for element in level for child in element]
    return not level


def _parse(svg: str) -> ElementTree.Element:
    try:
        root = ElementTree.fromstring(svg)
        if not _is_shallow(root):
            raise ValueError(f"a picture: expected elements at most {MAX_DEPTH} deep, got more; ungroup it.")
    except ElementTree.ParseError as error:
        if found := CONTROL.search(svg):
            raise ValueError(
                f"a picture: expected text that can be shown, got the control character {found[0]!r} in a title or "
                "label; take it out."
            ) from None
        raise ValueError(f"a picture: expected SVG that is well-formed XML, got {error}.") from None
    if root.tag != f"{{{SVG}}}svg":
        raise ValueError(f"a picture: expected an svg element, got {root.tag!r}.")
    return root


def _strip(root: ElementTree.Element) -> None:
    """Take out metadata, which holds a date, and style sheets, whose rules would reach the whole page."""
    for element in root.iter():
        for child in [child for child in element if child.tag in STRIPPED]:
            element.remove(child)
        for name, value in element.attrib.items():
            if name.endswith("href") and value.startswith("data:image/png"):
                element.attrib[name] = _palette(value)


def _palette(picture: str) -> str:
    """The same bitmap as numbers of its colours, from dark to light, if these are few: a tenth of the size."""
    from PIL import Image

    image = Image.open(io.BytesIO(base64.b64decode(picture.partition(",")[2]))).convert("RGBA")
    colours, numbers = np.unique(np.asarray(image).reshape(-1, 4), axis=0, return_inverse=True)
    if len(colours) > 256:
        return picture
    # Neighbours of a colour map get neighbouring numbers, which PNG writes as small differences.
    light = 255 + (colours[:, :3] @ (0.3, 0.6, 0.1) - 255) * colours[:, 3] / 255
    order = np.argsort(light, kind="stable")
    greys = np.argsort(order).astype(np.uint8)[numbers.reshape(image.size[::-1])]
    Image.fromarray(greys).save(file := io.BytesIO(), "PNG", optimize=True)
    png, palette = file.getvalue(), colours[order]
    # As greys it is filtered, which Pillow does not do with a palette; so that comes afterwards.
    head = _chunk(b"IHDR", png[16:25] + b"\3" + png[26:29])
    table = _chunk(b"PLTE", palette[:, :3].tobytes()) + _chunk(b"tRNS", palette[:, 3].tobytes())
    smaller = f"data:image/png;base64,{base64.b64encode(png[:8] + head + table + png[33:]).decode()}"
    return min(picture, smaller, key=len)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def page_svg(svg: str, *, prefix: str = "u", alt: str = "") -> str:
    """`svg` as an element for an HTML page: ids start with `prefix`, and `alt`, if given, says what it shows.

    Raises
    ------
    ValueError
        No SVG, or one with a character that XML does not know.
    """
    root = _parse(svg)
    page_letters(root)
    _strip(root)
    used: dict[str, str] = {}

    def rename(name: str) -> str:
        return used.setdefault(name, f"{prefix}-{len(used)}")

    for element in root.iter():
        for key, value in element.attrib.items():
            if "url(#" in value:
                element.attrib[key] = REFERENCE.sub(lambda match: f"url(#{rename(match[1])})", value)
        for key in ("style", "fill", "stroke"):
            if key in element.attrib:
                value = element.attrib[key]
                recoloured = COLOUR.sub(lambda match: COLOURS[match[1]], value)
                element.attrib[key] = recoloured if key == "style" else COLOURS.get(value, value)
        for key in COORDINATES:
            if key in element.attrib and element is not root:
                element.attrib[key] = _shorten(element.attrib[key])
        for href in (f"{{{XLINK}}}href", "href"):
            target = element.get(href, "")
            if target.startswith("#") and element.tag != f"{{{SVG}}}a":
                element.set(href, "#" + rename(target[1:]))
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name in used:
            element.set("id", used[name])
    # What the removed style sheet said of all lines; and spaces within text are kept.
    lines = {"stroke-linejoin": "round", "stroke-linecap": "butt", "style": "white-space: pre"}
    root.attrib.update({"class": "uat-figure", "role": "img", "fill": INK, **lines})
    if alt:
        root.set("aria-label", alt)
    return re.sub(r">\s*\n\s*<", "><", ElementTree.tostring(root, encoding="unicode"))


def standalone(picture: str, ink: str = "#000", paper: str = "#fff") -> str:
    """A picture of `page_svg` as a file of its own, in these colours (#rgb or #rrggbb), which any program shows."""
    fixed = ATTRIBUTE.sub(lambda match: match[1] + (ink if match[2] == INK else paper), picture)
    return MIXED.sub(lambda match: _mixed(match[1], int(match[2]), ink), fixed)


def _mixed(colour: str, percent: int, ink: str) -> str:
    """What CSS calls color-mix, in a notation that every program knows."""
    pair = (bytes.fromhex(one[1:] if len(one) > 4 else "".join(2 * sign for sign in one[1:])) for one in (colour, ink))
    parts = (int((a * percent + b * (100 - percent)) / 100 + 0.5) for a, b in zip(*pair, strict=True))
    return f"#{bytes(parts).hex()}"
