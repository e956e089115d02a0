"""What a page is to read: words of the main text, formulas, visible code, explorers, proofs, exercises.

Main text is what stands open: no folds, exercises, solutions, code or output. A formula within a line counts as a
word, a displayed one as none.
"""

import re
from dataclasses import asdict, dataclass, field
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

FOLDED = {"dropdown", "toggle"}
HIDDEN = {"tag_hide-input", "tag_hide-cell", "tag_remove-input", "tag_remove-cell"}
PICTURES = {"tag_explorer", "tag_figure"}
UNREAD = (nodes.raw, nodes.comment, nodes.Invisible)
AT_WORK = ("exercise_node", "exercise_enumerable_node", "solution_node")
LEVEL = re.compile(r"level-(\d)")
KEY = "uat_reading"
WORDS, LINES, FORMULA, EXPLORER, PROOF_WORDS = 130, 15, 0.5, 4, 70
"""Words of text, formulas and code in a minute; minutes for a displayed formula and an explorer; words of a proof."""
LEVELS = {"1": 5, "2": 25, "3": 60}
"""Minutes for an exercise."""


@dataclass
class Reading:
    """What a reader meets on a page."""

    words: int = 0
    code_lines: int = 0
    before_picture: int | None = None
    formulas: int = 0
    explorers: int = 0
    proof_words: int = 0
    exercises: dict[str, int] = field(default_factory=dict)
    """By level, as a text; "2" where none is said."""

    def read(self, node: nodes.Node) -> None:
        """Count a node and what stands in it."""
        if isinstance(node, nodes.Text):
            self.words += sum(any(letter.isalnum() for letter in word) for word in node.split())
        if not isinstance(node, nodes.Element):
            return
        classes = set(node.get("classes", ()))
        if type(node).__name__ in AT_WORK:
            if type(node).__name__ != "solution_node":
                (level,) = LEVEL.findall(" ".join(classes)) or ["2"]
                self.exercises[level] = self.exercises.get(level, 0) + 1
        elif isinstance(node, nodes.math):
            self.words += 1
        elif "cell" in classes:
            if classes & PICTURES or any(child.get("classes") for child in node.findall(nodes.image)):
                self.picture()
            self.explorers += "tag_explorer" in classes
            if not classes & HIDDEN:
                self.code(node)
        elif isinstance(node, nodes.image):
            self.picture()
        elif isinstance(node, nodes.literal_block):
            self.code_lines += lines_of(node)
        elif isinstance(node, nodes.math_block):
            self.formulas += 1
        elif {"dropdown", "proof"} <= classes:
            self.proof_words += len(node.astext().split())
        elif not classes & FOLDED and not isinstance(node, UNREAD):
            for child in node.children:
                self.read(child)

    def picture(self) -> None:
        """Note where the first picture stands."""
        if self.before_picture is None:
            self.before_picture = self.words

    def code(self, cell: nodes.Element) -> None:
        """Count what a cell shows of its source."""
        for part in cell.children:
            if isinstance(part, nodes.Element) and "cell_input" in part.get("classes", ()):
                self.code_lines += sum(lines_of(block) for block in part.findall(nodes.literal_block))


def lines_of(block: nodes.Element) -> int:
    """Lines of code that are not empty."""
    return sum(bool(line.strip()) for line in block.astext().splitlines())


def reading(doctree: nodes.document) -> Reading:
    """Read a page."""
    found = Reading()
    found.read(doctree)
    return found


def minutes(read: dict[str, Any]) -> tuple[float, float]:
    """How long a page takes to read, with its explorers, and to work through, with its proofs and exercises."""
    text = read["words"] / WORDS + read["code_lines"] / LINES + FORMULA * read["formulas"]
    reading = text + EXPLORER * read["explorers"]
    exercises = sum(LEVELS[level] * count for level, count in read["exercises"].items())
    return reading, reading + read["proof_words"] / PROOF_WORDS + exercises


def rounded(reading: float) -> int:
    """Minutes as a reader is told them."""
    return 5 * max(1, round(reading / 5))


def note(app: Sphinx, doctree: nodes.document) -> None:
    """Keep a page's counts where parallel readers are merged."""
    app.env.metadata[app.env.docname][KEY] = asdict(reading(doctree))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("doctree-read", note)
    return {"env_version": 2}
