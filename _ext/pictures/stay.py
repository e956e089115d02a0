"""A picture and the words that move it become a group, within which the picture stays in view; see `assets/site.js`.

The group begins with the cell of an explorer, and ends with the last block of the section that has a link of
``{move}`` to it. Where another picture comes before, the group ends there.
"""

import re
from itertools import takewhile
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

BOX = re.compile(r'<div class="uat-explorer" id="([^"]+)"')


class Stays(SphinxPostTransform):
    """Put each explorer and what speaks of it into one container, for HTML only."""

    default_priority = 990  # when all that looks at what stands beside a cell is done
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Leave alone a picture that no words below it move; one tagged `beside` has the rest of its section."""
        cells = {cell: found for cell in self.document.findall(nodes.container) if (found := _explorers(cell))}
        names: list[str] = []
        for cell, found in cells.items():
            names += found
            times = names.count(found[-1])  # of two with one name, the second has an address of its own
            name = found[-1] + (f"-{times}" if times > 1 else "")
            section, at = cell.parent, cell.parent.index(cell)
            words = list(
                takewhile(lambda node: not isinstance(node, nodes.section) and node not in cells, section[at + 1 :])
            )
            beside = ["uat-beside"] if "tag_beside" in cell["classes"] else []
            while words and not beside and not _moves(words[-1], name):
                words.pop()
            if words:
                told = nodes.container("", *words, classes=["uat-words"])
                section[at : at + 1 + len(words)] = [nodes.container("", cell, told, classes=["uat-stay", *beside])]


def _explorers(cell: nodes.Element) -> list[str]:
    """The ids of the explorers that a cell puts out."""
    if cell.get("nb_element") != "cell_code":
        return []
    return [id for raw in cell.findall(nodes.raw) for id in BOX.findall(raw.astext())]


def _moves(block: nodes.Node, name: str) -> bool:
    """Whether words of this block move the explorer."""
    links = [link for link in block.findall(nodes.reference) if "uat-move" in link["classes"]]
    return any(link["refuri"].startswith(f"#{name}?") for link in links)


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_post_transform(Stays)
