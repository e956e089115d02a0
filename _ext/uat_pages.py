"""Mend the finished pages where theme and extensions leave a fault that no option removes."""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

# What to replace, and by what.
FAULTS = [
    # 1.5 MB of script for icons that the theme's style sheet and fonts draw as well.
    (re.compile(r'<script src="[^"]*/fontawesome/[^"]*"></script>\n?'), ""),
    # The state of ipywidgets, with ids drawn at random, for a script of theirs that these pages do without.
    (re.compile(r'<script type="application/vnd.jupyter.widget-state\+json">.*?</script>\n?', re.DOTALL), ""),
    # Fonts asked for ahead of time, in a way that browsers refuse for a page opened from a folder.
    (re.compile(r'<link rel="preload" as="font"[^>]*/>\n?'), ""),
    # One id for every statement or exercise of a page, and the label of an unnumbered one a second time.
    (re.compile(r' id="(?:proof|exercise|solution)(?:-content)?"'), ""),
    (re.compile(r'(<p class="admonition-title") id="[^"]*"'), r"\1"),
    # A role that the accessibility standard has withdrawn, within a list.
    (re.compile(r' role="doc-biblioentry"'), ' role="listitem"'),
    # A checksum that only a second build knows, because these files are copied late: builds must be equal.
    (re.compile(r"/((?:mystnb\.\w+|proof|exercise)\.css)\?v=\w+"), r"/\1"),
]


def mend(app: Sphinx, exception: Exception | None) -> None:
    """Mend every page."""
    if exception is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = old = page.read_text(encoding="utf-8")
        for fault, mended in FAULTS:
            text = fault.sub(mended, text)
        if text != old:
            page.write_text(text, encoding="utf-8")
    for script in Path(app.outdir).glob("_static/vendor/fontawesome/*/js/*"):
        script.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("build-finished", mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
