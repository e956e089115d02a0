"""The book's three words in the colours of their steps: ``{cut}`cut` ``, ``{tell}`tell apart` ``, ``{look}`look up` ``.

A colour alone says nothing to those who do not see it, so the words are bold as well; in notebooks they are only bold.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

STEPS = ("cut", "tell", "look")


class Word(SphinxRole):
    """A word of a step."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The word, with the class of its step."""
        return [nodes.strong(self.text, self.text, classes=["uat-step", f"uat-{self.name}"])], []


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    for step in STEPS:
        app.add_role(step, Word())
    return {"parallel_read_safe": True}
