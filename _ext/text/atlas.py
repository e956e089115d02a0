"""Doors to the atlas of mixers: a card that says how many it has, words that lead to one; the script of its table.

``{atlas-door}`` stands where a reader has a use for the atlas, and says in its own words which; with ``:mixer: XCiT``
it shows the pair that fools this one. ``{mixer}`XCiT` `` leads to the row of a mixer. No library knows either: both
count and name what `uatbook.atlas` has.
"""

from html import escape
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.typing import OptionSpec

SCRIPT, PAGE = "atlas.js", "library/atlas"
ASKED = "q"
"""What the address of the page calls the letters that a door was given; atlas.js knows it, too."""


def title() -> str:
    """What a door says first."""
    from uatbook.atlas import MIXERS

    return f"Softmax attention and {len(MIXERS) - 1} replacements: is yours fooled?"


def asking(address: str) -> str:
    """A field for its name, which leads to the page with the letters that were typed, also where no scripts run."""
    return (
        f'<form class="uat-door-form" action="{escape(address)}"><label>A few letters of its name <input type="search" '
        f'name="{ASKED}" placeholder="Mamba, RetNet, linear attention" autocomplete="off" spellcheck="false"></label> '
        "<button>Look it up</button></form>"
    )


def row(name: str, address: str) -> str:
    """A mixer of the chart, and the pair that fools it; ValueError where the atlas has none."""
    from uatbook.atlas.record import recorded
    from uatbook.atlas.shown import fooled

    return fooled(recorded(), name, address)


class Door(SphinxDirective):
    """``atlas-door``: what a reader takes away from the atlas at this place."""

    has_content = True
    option_spec: ClassVar[OptionSpec] = {"mixer": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """A box with a link for its title, and the row of a mixer below."""
        address = self.env.app.builder.get_relative_uri(self.env.docname, PAGE)
        heading = nodes.paragraph(
            "", "", nodes.reference("", title(), refuri=address, internal=True), classes=["uat-door-title"]
        )
        box = nodes.container("", heading, nodes.raw("", asking(address), format="html"), classes=["uat-door"])
        if name := self.options.get("mixer"):
            try:
                box += nodes.raw("", row(name, address), format="html")
            except ValueError as error:
                raise self.error(str(error)) from None
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


class Mixer(SphinxRole):
    """``mixer``: a mixer by its name, or as `` words <name>``."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """A link to its row; a name that the atlas lacks is an error."""
        from uatbook.atlas import MIXERS
        from uatbook.atlas.page import anchor

        words, _, name = self.text.rstrip(">").rpartition("<")
        words, name = (words.strip(), name.strip())
        if name not in MIXERS:
            said = self.inliner.reporter.error(f"mixer: expected one of the atlas, got {name}", line=self.lineno)
            return [], [said]
        address = f"{self.env.app.builder.get_relative_uri(self.env.docname, PAGE)}#{anchor(name)}"
        return [nodes.reference("", words or name, refuri=address, internal=True)], []


def load(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Load the script where the table is."""
    if 'class="uat-atlas"' in context.get("body", ""):
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_directive("atlas-door", Door)
    app.add_role("mixer", Mixer())
    app.connect("html-page-context", load)
