"""A picture and the words that move it become a group, within which the picture stays in view; see `assets/site.js`.

On narrow screens its drawing stays from the cell of an explorer to the last block of the section that has a link of
``{move}`` to it, or to the next picture. At a desk it stands beside these words, the paragraphs that lead to it
(`uat-lead`) and those that follow (`uat-more`).
"""

import re
from itertools import takewhile
from typing import Any, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

BOX = re.compile(r'<div class="uat-explorer" id="([^"]+)"')


class Stays(SphinxPostTransform):
    """Put each explorer and what speaks of it into one container, for HTML only."""

    default_priority = 990  # when all that looks at what stands beside a cell is done
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Leave alone a picture that no words below it move; one tagged `beside` has its section, up to a door."""
        cells = {cell: found for cell in self.document.findall(nodes.container) if (found := _explorers(cell))}
        names: list[str] = []
        for cell, found in cells.items():
            names += found
            times = names.count(found[-1])  # of two with one name, the second has an address of its own
            name = found[-1] + (f"-{times}" if times > 1 else "")
            section, at = cell.parent, cell.parent.index(cell)
            words = list(takewhile(lambda node: not _ends(node) and node not in cells, section[at + 1 :]))
            beside = ["uat-beside"] if "tag_beside" in cell["classes"] else []
            while words and not beside and not _moves(words[-1], name):
                words.pop()
            if not words:
                continue
            end = at + 1 + len(words)
            lead = [] if beside else list(takewhile(_is_plain, reversed(section[:at])))[::-1]
            more = [] if beside else list(takewhile(_is_plain, section[end:]))
            told = {"uat-lead": lead, "uat-words": words, "uat-more": more}
            before, during, after = (
                [nodes.container("", *blocks, classes=sorted({"uat-words", name}))] if blocks else []
                for name, blocks in told.items()
            )
            group = nodes.container("", *before, cell, *during, *after, classes=["uat-stay", *beside])
            section[at - len(lead) : end + len(more)] = [group]


def _explorers(cell: nodes.Element) -> list[str]:
    """The ids of the explorers that a cell puts out."""
    if cell.get("nb_element") != "cell_code":
        return []
    return [id for raw in cell.findall(nodes.raw) for id in BOX.findall(raw.astext())]


def _ends(block: nodes.Node) -> bool:
    """Whether it is of something else: a section, or the way to another page."""
    return isinstance(block, nodes.section) or "uat-door" in cast(nodes.Element, block).get("classes", ())


def _is_plain(block: nodes.Node) -> bool:
    """Whether a block can be read in a narrow column: a paragraph, a list, a formula, or a prediction asked for."""
    if isinstance(block, nodes.raw):
        return 'class="uat-guess' in block.astext()
    plain = isinstance(
        block, nodes.paragraph | nodes.bullet_list | nodes.enumerated_list | nodes.math_block | nodes.target
    )
    return plain and not cast(nodes.Element, block)["classes"]


def _moves(block: nodes.Node, name: str) -> bool:
    """Whether words of this block move the explorer."""
    links = [link for link in block.findall(nodes.reference) if "uat-move" in link["classes"]]
    return any(link["refuri"].startswith(f"#{name}?") for link in links)


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_post_transform(Stays)
