"""Put the SVG figures of code cells into the page itself, in the colours of the page.

A picture in an <img> cannot follow the page's light or dark theme; see uatlib/explorer/svg.py for what changes. A
figure that is drawn for desks and for phones becomes two pictures, of which the style sheet shows one.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from uatlib.explorer.frames import split_drawings
from uatlib.explorer.svg import page_svg

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
                if not image.get("alt", "").strip():
                    logger.warning("a figure without alt text; give its cell mystnb: image: alt", location=image)
                drawings = [svg for svg in split_drawings(path.read_text(encoding="utf-8")) if svg]
                html = "".join(
                    page_svg(svg, prefix=f"uat-figure-{number}{letter}", alt=image.get("alt", ""))
                    for letter, svg in zip("wn", drawings, strict=False)
                )
                html = f'<div class="uat-drawings">{html}</div>' if len(drawings) > 1 else html
                image.replace_self(nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_post_transform(InlineFigures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
