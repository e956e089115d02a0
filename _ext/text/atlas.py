"""The script of the atlas's table, on the page that has it."""

from typing import Any

from sphinx.application import Sphinx

SCRIPT = "atlas.js"


def load(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Load it where the table is."""
    if 'class="uat-atlas"' in context.get("body", ""):
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("html-page-context", load)
