"""The book's three words in the colours of their steps, and which step a page or a section is about.

``{cut}`cut` ``, ``{tell}`tell apart` `` and ``{look}`look up` `` are words; a colour alone says nothing to those who do
not see it, so they are bold as well, and only that in notebooks. ```` ```{about} tell ```` below a title says what the
page is about, with all of its sections down to what we know now, below a heading what that section is about.
With the option `:network: yun2020`, or `all`, a page has a strip of that proof's network (`_ext/course/strip.py`).
"""

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.typing import OptionSpec

from uatbook.sources import SOURCES

STEPS = ("cut", "tell", "look")
ALL = "all"
KEY, NETWORK, LAST = "uat_step", "uat_network", "What we know"
"""Of a page, in the environment's metadata, its step and whose network it speaks of; how the first section begins that
looks back on the page."""


class Word(SphinxRole):
    """A word of a step."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The word, with the class of its step."""
        return [nodes.strong(self.text, self.text, classes=["uat-step", f"uat-{self.name}"])], []


class subject(nodes.Invisible, nodes.Element):  # type: ignore[misc]
    """Stands where a page or a section says what it is about, until the page is read."""


class About(SphinxDirective):
    """``about``: cut, tell, look, or all of them."""

    required_arguments = 1
    option_spec: ClassVar[OptionSpec] = {"network": lambda source: directives.choice(source, (*SOURCES, ALL))}

    def run(self) -> list[nodes.Node]:
        """Leave a mark."""
        step = self.arguments[0]
        if step not in (*STEPS, ALL):
            raise self.error(f"expected one of {', '.join((*STEPS, ALL))}, got {step}")
        if "network" in self.options:
            self.env.metadata[self.env.docname][NETWORK] = self.options["network"]
        return [subject(step=step)]


def settle(app: Sphinx, doctree: nodes.document) -> None:
    """Give sections the classes of their steps, and the page's to those that say nothing."""
    pages = [node for node in doctree.children if isinstance(node, nodes.section)]
    of_page: str | None = None
    for mark in list(doctree.findall(subject)):
        section = mark.parent
        if section in pages:
            app.env.metadata[app.env.docname][KEY] = of_page = mark["step"]
        else:
            section["uat_about"] = mark["step"]
        section.remove(mark)
    for section in (child for page in pages for child in page.children if isinstance(child, nodes.section)):
        if section[0].astext().startswith(LAST):
            break
        step = section.get("uat_about", of_page)
        if step in STEPS:
            section["classes"].append(f"uat-about-{step}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    for step in STEPS:
        app.add_role(step, Word())
    app.add_directive("about", About)
    app.connect("doctree-read", settle)
    return {"parallel_read_safe": True, "env_version": 2}
