"""Set asides in the margin: a sentence of its own in brackets, in the running text, stands beside its line.

Where there is no margin, on phones and on paper, it stands in its brackets (see assets/style.css). The source is plain
text, so every notebook shows it.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

BRACKET = re.compile(r"((?:^|(?<=[.!?:]\s))\((?=[A-Z]|$)|(?<=[.!?])\)(?=\s|$))")


class MarginNotes(SphinxPostTransform):
    """Gather each sentence in brackets, with what it has of formulas and links, in one element."""

    default_priority = 9
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Look through the paragraphs of the text, and not of its boxes."""
        for paragraph in list(self.document.findall(nodes.paragraph)):
            section = paragraph.parent
            if isinstance(section, nodes.section) and isinstance(section.parent, nodes.section | nodes.document):
                parts = [part for child in paragraph.children for part in _parts(child)]
                paragraph.clear()
                paragraph.extend(_gathered(parts))


def _parts(child: nodes.Node) -> list[nodes.Node]:
    """A piece of a paragraph; text is cut at its brackets."""
    if not isinstance(child, nodes.Text):
        return [child]
    return [nodes.Text(part) for part in BRACKET.split(child.astext()) if part]


def _gathered(parts: list[nodes.Node]) -> list[nodes.Node]:
    """The pieces, with those between two brackets in one; a bracket that is not closed stays."""
    found: list[nodes.Node] = []
    open_at = None
    for part in parts:
        found.append(part)
        if part == "(" and open_at is None:
            open_at = len(found)
        elif part == ")" and open_at is not None:
            found[open_at - 1 :] = [nodes.inline("", "", *found[open_at:-1], classes=["uat-note"])]
            open_at = None
    return found


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_post_transform(MarginNotes)
