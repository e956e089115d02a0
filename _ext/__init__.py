"""What the builder lacks: one extension of Sphinx, in folders by what they serve.

A folder's docstring says what lives there. Modules without a `setup` of their own serve the others, or are programs:
`python -m _ext.shapes.pdf`.
"""

from typing import Any

from sphinx.application import Sphinx

MODULES = {
    "running": ("runs", "report", "measured"),
    "course": ("editions", "reading", "path", "facts", "way", "strip", "exercises", "checks", "teaching", "marking"),
    "text": ("maths", "terms", "notes", "sections", "api", "atlas", "marks", "steps", "tables", "words", "code"),
    "pictures": ("book", "stay"),
    "head": ("about", "cite", "news", "cards", "share", "schema", "site"),
    "shapes": ("notebooks", "slides"),
    "finish": ("search", "pages", "bundle"),
}
"""In the order in which a build comes to need them, for who reads. Sphinx needs none: what has to come early or late
says so, and why, by the priority of its transform or event."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up each module as an extension of its own: one that says nothing may be read and written in parallel."""
    for folder, names in MODULES.items():
        for name in (f"{__name__}.{folder}.{name}" for name in names):
            app.setup_extension(name)
            if app.extensions[name].parallel_read_safe is None:
                app.extensions[name].parallel_read_safe = True
    return {"parallel_read_safe": True}
