"""Tables of words that are cards on a phone: each row under its name, and in it each cell under the head of its column.

A table asks for it by the class ``uat-cards``; the style sheet shows the heads in the cells where it lays out cards.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

CARDS, HEAD = "uat-cards", "uat-head"


class Heads(SphinxPostTransform):
    """Write the head of its column into each cell, but for the first column, which names the rows."""

    default_priority = 500
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Of all tables of a page that ask for it."""
        for table in self.document.findall(nodes.table):
            if CARDS not in table["classes"]:
                continue
            first, *rows = table.findall(nodes.row)
            names = [entry.astext() for entry in first]
            for row in rows:
                for name, entry in list(zip(names, row, strict=True))[1:]:
                    entry.insert(0, nodes.inline("", name, classes=[HEAD]))


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_post_transform(Heads)
