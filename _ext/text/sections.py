"""Headings that a cell puts out become sections of the page: in its contents, with anchors, as headings of the text do.

No library does it: myst-nb keeps the outputs of a cell in containers, in which a page can have no section.
"""

import re
from html import unescape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

HEADING = re.compile(r'<h2 class="uat-section">(.*?)</h2>')


class SectionsOfOutputs(SphinxTransform):
    """Cut an output's HTML at its headings, and make a section behind the cell of each."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """In all cells of a page. Sections stand at the end of the one that has the cell."""
        for raw in [raw for raw in self.document.findall(nodes.raw) if HEADING.search(raw.astext())]:
            cell = raw
            while cell.get("nb_element") != "cell_code":
                cell = cell.parent
            _, *parts = HEADING.split(raw.astext())
            for title, html in zip(map(unescape, parts[::2]), parts[1::2], strict=True):
                section = nodes.section("", nodes.title(title, title), names=[nodes.fully_normalize_name(title)])
                output = nodes.raw("", html, format="html", classes=raw["classes"])
                section += nodes.container("", nodes.container("", output, classes=["cell_output"]), classes=["cell"])
                self.document.note_implicit_target(section, section)
                cell.parent += section
            for output in [child for child in cell if child.get("nb_element") == "cell_code_output"]:
                cell.remove(output)


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_transform(SectionsOfOutputs)
