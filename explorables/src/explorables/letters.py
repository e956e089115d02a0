"""Letters of matplotlib's SVG in the fonts of the page: words in its text font, formulas in those of KaTeX.

matplotlib puts every letter of a formula at a place of its own, as wide as its own fonts are. Here a formula becomes
one flowing line around the same middle, so that whatever font a reader has sets it well. matplotlib's Computer Modern,
which measures the formulas, and KaTeX's fonts are the same letters, under other numbers.
"""

from __future__ import annotations

import functools
import itertools
import re
import string
from typing import Any, NamedTuple
from xml.etree import ElementTree

__all__ = ["page_letters"]

SVG = "{http://www.w3.org/2000/svg}"
FILL = re.compile(r"fill:\s*(?!#010101|#fefefe|#ffffff)(#[0-9a-fA-F]{6})")
FAMILY = re.compile(r"font-family:\s*([^;]+);?\s*")
SIZE = re.compile(r"font-size:\s*([\d.]+)px;?\s*")
TEXT_FONT = "DejaVu Sans"
# What stands in for KaTeX's fonts where there is no page of the book around.
ROMAN = 'font-family: KaTeX_Main, "Latin Modern Math", "Times New Roman", serif'
FAMILIES = {"cmmi10": f"font-style: italic; {ROMAN.replace('Main', 'Math')}", "cmr10": ROMAN, "cmsy10": ROMAN}


LARGER = 1.12
"""Formulas beside words: KaTeX's letters are smaller than those of other fonts of the same size."""


class _Letter(NamedTuple):
    x: float
    y: float
    size: float
    larger: float
    look: str
    """CSS besides the size."""
    letter: str
    end: float
    """Where matplotlib's letter ends."""


def page_letters(root: ElementTree.Element) -> None:
    """Set all text of a picture in the fonts of the page."""
    root.set("font-family", "sans-serif")
    for group in root.iter(f"{SVG}g"):
        text = group.find(f"{SVG}text")
        if text is not None:
            _ink(group)
            if len(text):
                _flow(group, text)
    for text in root.iter(f"{SVG}text"):
        _ink(text)
    for element in root.iter():
        style = element.get("style", "")
        if f"'{TEXT_FONT}'" in style:
            element.set("style", FAMILY.sub("", style).rstrip("; "))


def _ink(element: ElementTree.Element) -> None:
    """Letters in a colour take a quarter of the page's ink, and can be read in light and dark: `inked` of draw.js."""
    if style := element.get("style"):
        element.set("style", _inked(style))


def _inked(style: str) -> str:
    return FILL.sub(r"fill: color-mix(in srgb, \1 75%, currentColor)", style)


def _flow(group: ElementTree.Element, text: ElementTree.Element) -> None:
    """A formula as one line; where letters stand above each other, each at its place."""
    found = {span: letter for span in text if (letter := _letter(span))}
    letters = sorted(found.values())
    stacked = any(b.x < a.end - 0.2 * a.size for a, b in itertools.pairwise(letters))
    if stacked or len(found) < len(text) or group.find(f"{SVG}rect") is not None:
        for span, letter in found.items():
            span.text = letter.letter
            span.set("style", _style(letter.look, letter.size))
        return
    for old in list(text):
        text.remove(old)
    middle = max(letter.end for letter in letters) / 2
    text.attrib.update({"x": f"{middle:.2f}", "y": f"{letters[0].y:.2f}", "style": "text-anchor: middle"})
    end, level, span, look = 0.0, letters[0].y, text, ("", 0.0)
    for letter in letters:
        size = letter.size * letter.larger
        gap = letter.x - end
        if span is text or (letter.look, size) != look or abs(gap) > 0.3 or letter.y != level:
            span = ElementTree.SubElement(text, f"{SVG}tspan", style=_style(letter.look, size))
            shifts = {"dx": gap, "dy": letter.y - level}
            span.attrib.update({name: f"{by:.2f}" for name, by in shifts.items() if abs(by) > 0.02})
            span.text = ""
        span.text = f"{span.text}{letter.letter}"
        end, level, look = letter.end, letter.y, (letter.look, size)


def _style(look: str, size: float) -> str:
    return f"font-size: {size:.4g}px; {look}".rstrip("; ")


def _letter(span: ElementTree.Element) -> _Letter | None:
    """A letter of a formula; None if no font of the page has it."""
    style = span.get("style", "")
    family, size = FAMILY.search(style), SIZE.search(style)
    if family is None or size is None or not span.text or "x" not in span.attrib:
        return None
    font, points = family[1].split(",")[0].strip("'\" "), float(size[1])
    if is_text := font == TEXT_FONT:
        sign, look = span.text, _inked(SIZE.sub("", FAMILY.sub("", style))).strip("; ")
    elif font in FAMILIES and (font, span.text) in _signs():
        sign, look = _signs()[font, span.text], FAMILIES[font]
    else:
        return None
    x, end = float(span.get("x", "0")), points * _width(font, span.text)
    return _Letter(x, float(span.get("y", "0")), points, 1 if is_text else LARGER, look, sign, x + end)


@functools.cache
def _width(font: str, letter: str) -> float:
    """How wide matplotlib's letter is, at size 1."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    face: Any = get_font(findfont(FontProperties(family=[font])))
    face.set_size(100, 72)
    return float(face.load_char(ord(letter)).linearHoriAdvance) / 65536 / 100


@functools.cache
def _signs() -> dict[tuple[str, str], str]:
    """What the letters of Computer Modern are; empty if matplotlib keeps its tables elsewhere."""
    try:
        from matplotlib._mathtext_data import latex_to_bakoma, tex2uni
    except ImportError:
        return {}
    signs = {("cmr10", chr(k)): chr(k) for k in range(33, 127)}
    # In the other font what is no letter in ASCII is none here: omega has the place of "!".
    signs |= {("cmmi10", letter): letter for letter in string.ascii_letters}
    for command, (font, code) in latex_to_bakoma.items():
        name = command.lstrip("\\")
        if len(name) == 1:
            signs[font, chr(code)] = name
        elif name in tex2uni:
            signs.setdefault((font, chr(code)), chr(tex2uni[name]))
    return signs
