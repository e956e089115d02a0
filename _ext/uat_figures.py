"""Put the SVG figures of code cells into the page itself, in the colours of the page.

A picture in an <img> cannot follow the page's light or dark theme. Inlined, black becomes the text colour
("ink") and white the background ("paper"); every other colour stays. A figure that needs fixed black or white
says #010101 or #fefefe. Ids are renumbered, so that figures on a page cannot collide and two builds give the
same bytes.
"""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
COLOURS = {
    "#000000": "currentColor", "#000": "currentColor", "black": "currentColor",
    "#ffffff": "var(--uat-paper)", "#fff": "var(--uat-paper)", "white": "var(--uat-paper)",
}  # fmt: skip
COLOUR = re.compile(r"(?<=[:\s])(#000000|#000|black|#ffffff|#fff|white)(?=\s*(?:;|$))")
REFERENCE = re.compile(r"url\(#([^)]+)\)")

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def recolour(style: str) -> str:
    """Replace black by the ink and white by the paper in a style attribute."""
    return COLOUR.sub(lambda match: COLOURS[match[1]], style)


def inline(svg: str, prefix: str, alt: str) -> str:
    """Return `svg` as an element for an HTML page, with ids that start with `prefix`."""
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in {
                f"{{{SVG}}}metadata",
                f"{{{SVG}}}style",
            }:  # a date; rules that would reach the page
                parent.remove(child)
    used: dict[str, str] = {}

    def rename(name: str) -> str:
        return used.setdefault(name, f"{prefix}-{len(used)}")

    for element in root.iter():
        for key in ("style", "fill", "stroke", "clip-path", "mask"):
            if key in element.attrib:
                value = REFERENCE.sub(lambda match: f"url(#{rename(match[1])})", element.attrib[key])
                element.attrib[key] = recolour(value) if key == "style" else COLOURS.get(value, value)
        target = element.get(f"{{{XLINK}}}href", "")
        if target.startswith("#"):
            element.set(f"{{{XLINK}}}href", "#" + rename(target[1:]))
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name in used:
            element.set("id", used[name])
    root.attrib.update({"class": "uat-figure", "role": "img", "fill": "currentColor"})
    if alt:
        root.set("aria-label", alt)
    return re.sub(r">\s*\n\s*<", "><", ElementTree.tostring(root, encoding="unicode"))


class InlineFigures(SphinxPostTransform):
    """Replace the SVG images of cell outputs, for HTML only."""

    default_priority = 8  # after glued figures are in place, before Sphinx collects pictures
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Inline each picture of the page, numbered from 1."""
        images = [image for image in self.document.findall(nodes.image) if "jupyter_execute" in image["uri"]]
        for number, image in enumerate(images, start=1):
            path = Path(self.env.srcdir) / image["uri"]
            if path.suffix == ".svg":
                html = inline(path.read_text(encoding="utf-8"), f"uat-figure-{number}", image.get("alt", ""))
                image.replace_self(nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_post_transform(InlineFigures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
