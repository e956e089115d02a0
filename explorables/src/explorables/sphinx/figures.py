"""Put the SVG figures of code cells into the page itself, in the colours of the page, numbered and with a caption.

A picture in an <img> cannot follow the page's light or dark theme; see `explorables.svg` for what changes. A figure
that is drawn for desks and for phones becomes two pictures, of which the style sheet shows one. The caption is the
paragraph in italics behind a cell, which every notebook shows; without one an explorer says what it shows.
"""

import json
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from ..frames import split_drawings
from ..svg import page_svg
from .explorers import SPEC

logger = logging.getLogger(__name__)


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
                if self.config.explorables_captions and not image.get("alt", "").strip():
                    logger.warning("a figure without alt text; give its cell mystnb: image: alt", location=image)
                drawings = [svg for svg in split_drawings(path.read_text(encoding="utf-8")) if svg]
                html = "".join(
                    page_svg(svg, prefix=f"uat-figure-{number}{letter}", alt=image.get("alt", ""))
                    for letter, svg in zip("wn", drawings, strict=False)
                )
                html = f'<div class="uat-drawings">{html}</div>' if len(drawings) > 1 else html
                image.replace_self(nodes.raw("", html, format="html"))


class Captions(SphinxPostTransform):
    """Number the pictures of cells, as 3.2 in the third chapter, and put what the text says of them below."""

    default_priority = 9  # after `InlineFigures`
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Make a figure of the last picture of each cell and the paragraph in italics that follows."""
        if not self.config.explorables_captions:
            return
        of = self.config.explorables_chapter
        chapter = of(self.env, self.env.docname) if of else None
        for number, (cell, picture) in enumerate(list(_pictures(self.document)), start=1):
            caption = nodes.caption()
            if (behind := _behind(cell)) is not None:
                caption += behind.children[0].children
                behind.parent.remove(behind)
            elif spec := SPEC.search(picture.astext()):
                said = json.loads(spec[2])
                caption += nodes.Text(said.get("alt") or said["caption"])
            else:
                logger.warning("a figure without a caption; write one in italics below its cell", location=cell)
            if self.env.docname != self.config.root_doc:
                name = f"Figure {chapter}.{number}." if chapter else f"Figure {number}."
                caption[:0] = [nodes.inline("", name, classes=["caption-number"]), nodes.Text(" ")]
            figure = nodes.figure("", classes=["uat-captioned"], ids=[f"figure-{number}"])
            picture.replace_self(figure)
            figure += [picture, caption]


def _pictures(document: nodes.document) -> Iterator[tuple[nodes.Element, nodes.raw]]:
    """The cells of a page that end in a picture, each with it."""
    for cell in document.findall(nodes.container):
        if cell.get("nb_element") == "cell_code":
            found = [raw for raw in cell.findall(nodes.raw) if 'class="uat-figure"' in raw.astext()]
            yield from [(cell, found[-1])] if found else []


def _behind(cell: nodes.Element) -> nodes.Element | None:
    """The paragraph behind a cell, if it is in italics from end to end."""
    after = cell.parent.children[cell.parent.index(cell) + 1 :]
    quiet = list(takewhile(lambda node: isinstance(node, nodes.comment | nodes.target), after))
    for node in after[len(quiet) : len(quiet) + 1]:
        if isinstance(node, nodes.paragraph) and [type(child) for child in node.children] == [nodes.emphasis]:
            return node
    return None


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_post_transform(InlineFigures)
    app.add_post_transform(Captions)
