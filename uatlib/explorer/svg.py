"""SVG of matplotlib, made fit for a page: black is the page's ink, white its paper, numbers are short.

Black becomes the text colour and white the variable --uat-paper; every other colour stays. A picture that needs fixed
black or white says #010101 or #fefefe. Ids are renumbered, so that pictures on a page cannot collide and two builds
give the same bytes. Nothing in a picture can act: what is not on the lists below, of all that matplotlib draws with,
is left out.
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
INK, PAPER = "currentColor", "var(--uat-paper)"
ATTRIBUTE = re.compile(r'(?<=[ ;"])((?:fill|stroke|color|stop-color)(?:: ?|="))(currentColor|var\(--uat-paper\))')
COLOURS = {**dict.fromkeys(("#000000", "#000", "black"), INK), **dict.fromkeys(("#ffffff", "#fff", "white"), PAPER)}
COLOUR = re.compile(r"(?<=[:\s])(#000000|#000|black|#ffffff|#fff|white)(?=\s*(?:;|$))")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e[-+]?\d+)?")
# Two decimals of a point are invisible. A matrix multiplies, so transforms keep their digits.
COORDINATES = ("d", "x", "y", "points", "width", "height")

ELEMENTS = """
svg g a defs use symbol title desc path rect circle ellipse line polyline polygon text tspan image pattern clipPath
mask linearGradient radialGradient stop filter feComposite feColorMatrix feGaussianBlur feOffset feFlood feBlend
feMerge feMergeNode
"""
STYLES = """
fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linejoin stroke-linecap stroke-miterlimit
stroke-dasharray stroke-dashoffset opacity color stop-color stop-opacity clip-path clip-rule mask filter font
font-family font-size font-style font-variant font-weight font-stretch text-anchor dominant-baseline baseline-shift
letter-spacing word-spacing white-space visibility display paint-order vector-effect image-rendering shape-rendering
text-rendering color-interpolation color-interpolation-filters flood-color flood-opacity mix-blend-mode isolation
transform -inkscape-stroke
"""
ATTRIBUTES = """
id style version viewBox preserveAspectRatio d x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy width height points offset
rotate textLength lengthAdjust gradientUnits gradientTransform spreadMethod patternUnits patternContentUnits
patternTransform clipPathUnits maskUnits maskContentUnits filterUnits primitiveUnits in in2 result operator k1 k2 k3 k4
type values stdDeviation mode href {http://www.w3.org/1999/xlink}href {http://www.w3.org/XML/1998/namespace}space
"""
# What a value may call, besides a part of the picture itself. A backslash could hide another name.
CALLS = "rgb rgba hsl hsla color-mix var matrix translate translateX translateY scale rotate skewX skewY"
CALL = re.compile(r"([\w-]*)\s*\(")
PICTURE = re.compile(r"data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=\s]*")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

MAY_STAND = frozenset(f"{{{SVG}}}{name}" for name in ELEMENTS.split())
MAY_STYLE, MAY_CALL = frozenset(STYLES.split()), frozenset(CALLS.split())
MAY_SAY = MAY_STYLE.union(ATTRIBUTES.split())

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


def _clean(element: ElementTree.Element) -> None:
    """Leave only what draws: elements and attributes of the lists, addresses within the picture, bitmaps in it."""
    for child in list(element):
        # Metadata, which holds a date, and style sheets, whose rules would reach the whole page, are on no list.
        if child.tag in MAY_STAND:
            _clean(child)
        else:
            element.remove(child)
    for name, value in list(element.attrib.items()):
        if name == "style":
            element.attrib[name] = _clean_style(value)
        elif name.endswith("href"):
            inside = value.startswith("#") or (element.tag == f"{{{SVG}}}image" and PICTURE.fullmatch(value))
            if not inside or name not in MAY_SAY:
                del element.attrib[name]
            elif value.startswith("data:image/png"):
                element.attrib[name] = _palette(value)
        elif name not in MAY_SAY or not (name == "id" or _stays_inside(value)):
            del element.attrib[name]


def _clean_style(style: str) -> str:
    declarations = style.split(";")
    if all(_harmless(declaration) for declaration in declarations):
        return style  # to the byte
    return ";".join(filter(_harmless, declarations))


def _harmless(declaration: str) -> bool:
    name, _, value = declaration.partition(":")
    return not declaration.strip() or (name.strip() in MAY_STYLE and _stays_inside(value))


def _stays_inside(value: str) -> bool:
    calls = CALL.findall(REFERENCE.sub("", value))
    return "\\" not in value and all(call in MAY_CALL for call in calls)


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
    _clean(root)
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
    """A picture of `page_svg` as a file of its own, in these colours."""
    fixed = ATTRIBUTE.sub(lambda match: match[1] + (ink if match[2] == INK else paper), picture)
    return fixed.replace(f"%, {INK})", f"%, {ink})")  # what letters in a colour are mixed with
