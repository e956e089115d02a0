"""The text of a page as a reader reads it: what stands open in its paragraphs, and what is link, code or heading."""

from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes

APART = (
    nodes.reference, nodes.literal, nodes.literal_block, nodes.math_block, nodes.raw, nodes.image, nodes.title,
    nodes.rubric, nodes.caption, nodes.table, nodes.comment, nodes.Invisible, nodes.citation, nodes.footnote,
    addnodes.pending_xref, addnodes.glossary,
)  # fmt: skip
"""No running text: nothing in it becomes a link."""
AT_WORK = {"exercise_node", "exercise_enumerable_node", "exercise_unenumerable_node", "solution_node"}
FOLDED = {"dropdown", "toggle", "sd-dropdown"}
OUTPUT = {"cell", "admonition-title"}


def folded(node: nodes.Element) -> bool:
    """Whether it is a fold, an exercise or a solution."""
    names = {type(node).__name__, str(node.get("design_component", ""))}
    return bool(names & (AT_WORK | FOLDED | {"dropdown_main"}) or FOLDED & set(node.get("classes", ())))


def pieces(node: nodes.Node, *, folds: bool) -> Iterator[nodes.Node]:
    """Texts and formulas of the running text, in the order of the page; `folds`: those that stand folded, too."""
    if isinstance(node, (nodes.Text, nodes.math)):
        yield node
    elif isinstance(node, nodes.Element):
        if isinstance(node, APART) or OUTPUT & set(node.get("classes", ())) or (not folds and folded(node)):
            return
        if "sd-card" in node.get("classes", ()) and not folded(node):
            return  # a card, which is a link as a whole
        for child in node.children:
            yield from pieces(child, folds=folds)


def join_texts(document: nodes.document) -> None:
    """Make one text of texts side by side: MyST makes one of each line of the source."""
    for node in document.findall(nodes.TextElement):
        joined: list[nodes.Node] = []
        for child in node.children:
            if joined and isinstance(child, nodes.Text) and isinstance(joined[-1], nodes.Text):
                joined[-1] = nodes.Text(str(joined[-1]) + str(child))
            else:
                joined.append(child)
        if len(joined) < len(node.children):
            node.children = []
            node.extend(joined)
