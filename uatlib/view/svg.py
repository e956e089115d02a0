"""SVG of matplotlib, made fit for a page: black is the page's ink, white its paper, numbers are short.

Black becomes the text colour and white the variable --uat-paper; every other colour stays. A picture that needs fixed
black or white says #010101 or #fefefe. Ids are renumbered, so that pictures on a page cannot collide and two builds
give the same bytes.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

__all__ = ["SVG_STYLE", "page_svg", "standalone"]

SVG_STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "uatlib"}
"""Settings of matplotlib: text stays text (searchable, small), and ids do not change between builds."""

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
INK, PAPER = "currentColor", "var(--uat-paper)"
ATTRIBUTE = re.compile(r'(?<=[ ;"])((?:fill|stroke|color|stop-color)(?:: ?|="))(currentColor|var\(--uat-paper\))')
COLOURS = {**dict.fromkeys(("#000000", "#000", "black"), INK), **dict.fromkeys(("#ffffff", "#fff", "white"), PAPER)}
COLOUR = re.compile(r"(?<=[:\s])(#000000|#000|black|#ffffff|#fff|white)(?=\s*(?:;|$))")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e[-+]?\d+)?")
# Two decimals of a point are invisible. A matrix multiplies, so transforms keep their digits.
COORDINATES = ("d", "x", "y", "points", "width", "height")

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def _shorten(coordinates: str) -> str:
    return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), coordinates)


def page_svg(svg: str, *, prefix: str = "u", alt: str = "") -> str:
    """`svg` as an element for an HTML page: ids start with `prefix`, and `alt`, if given, says what it shows."""
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            # Metadata holds a date; rules of a style sheet would reach the whole page.
            if child.tag in {f"{{{SVG}}}metadata", f"{{{SVG}}}style"}:
                parent.remove(child)
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
        target = element.get(f"{{{XLINK}}}href", "")
        if target.startswith("#") and element.tag == f"{{{SVG}}}use":
            element.set(f"{{{XLINK}}}href", "#" + rename(target[1:]))
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


def standalone(picture: str) -> str:
    """A picture of `page_svg` as a file of its own, black on white."""
    return ATTRIBUTE.sub(lambda match: match[1] + ("#000" if match[2] == INK else "#fff"), picture)
