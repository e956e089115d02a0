"""What a page says of itself and of the book: a description, rights and citation, and links to the repository.

The theme has the buttons, and no address of its own: that of GITHUB_REPOSITORY, which GitHub's machines set, so that a
copy of the book links to itself. Elsewhere there are none. Licence and citation are files of the book, always there.
"""

import os
import re
import shutil
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.config import Config
from uat_prose import pieces

ABOUT = {"LICENSE": "license-code.txt", "LICENSE-text": "license-text.txt", "CITATION.cff": "citation.txt"}
"""What is copied into the book, and its name there, with which a browser shows it."""
BUTTONS = ("use_repository_button", "use_source_button", "use_edit_page_button", "use_issues_button")
LAUNCH = {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}
ACCESSIBILITY = "library/accessibility"
LONGEST = 155


def choose(app: Sphinx, config: Config) -> None:
    """Tell the theme where the repository is, if this machine knows."""
    if name := os.environ.get("GITHUB_REPOSITORY"):
        place = {"repository_url": f"https://github.com/{name}", "repository_branch": "main", "path_to_docs": ""}
        config.html_theme_options |= {**place, "launch_buttons": LAUNCH, **dict.fromkeys(BUTTONS, True)}


def copy(app: Sphinx, builder: Builder) -> None:
    """Put licences and citation into the book."""
    if app.builder.format == "html":
        folder = Path(app.outdir, "_static", "about")
        folder.mkdir(parents=True, exist_ok=True)
        for name, there in ABOUT.items():
            shutil.copyfile(Path(app.srcdir, name), folder / there)


def description(doctree: nodes.document) -> str:
    """The first sentences of a page, as many as a search engine shows."""
    for paragraph in doctree.findall(nodes.paragraph):
        running = list(pieces(paragraph, folds=False))
        if running and isinstance(paragraph.parent, nodes.section):
            text = re.sub(r"\s+", " ", paragraph.astext()).strip()
            if "\\" in text or "|" in text:
                continue  # a formula, which has no words
            if len(text) <= LONGEST:
                return text
            whole = text[: LONGEST + 1]
            end = max(whole.rfind(mark) for mark in (". ", "? ", "! "))
            return whole[: end + 1] if end > LONGEST // 3 else whole[: whole.rfind(" ")] + " \N{HORIZONTAL ELLIPSIS}"
    return ""


def about(up: str, statement: bool) -> str:
    """The line on rights, citation and, if there is a `statement`, accessibility, of a page `up` below the book."""
    licence, text, cite = (f"{up}_static/about/{ABOUT[name]}" for name in ("LICENSE", "LICENSE-text", "CITATION.cff"))
    return (
        f'<p class="uat-about">Text and pictures: <a href="{text}">CC BY 4.0</a>. '
        f'Code: <a href="{licence}">BSD 3-Clause</a>. <a href="{cite}">How to cite this book</a>.'
        + (f' <a href="{up}{ACCESSIBILITY}.html">Accessibility</a>.' if statement else "")
        + "</p>"
    )


def tell(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Add to a page what it says of itself."""
    context["theme_extra_footer"] = about("../" * pagename.count("/"), ACCESSIBILITY in app.env.found_docs)
    if doctree is not None and (said := description(doctree)):
        context["metatags"] = f'{context.get("metatags", "")}<meta name="description" content="{escape(said)}" />\n'


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; early, before the theme reads its options."""
    app.connect("config-inited", choose, priority=100)
    app.connect("write-started", copy)
    app.connect("html-page-context", tell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
