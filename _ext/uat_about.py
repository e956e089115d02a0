"""What a page says of itself and of the book: a description, rights, citation, links to the repository and to run it.

The theme has the buttons of the repository; those that launch a page are our own, as the theme's would launch the same
branch that its buttons edit. Where the address is unknown there are none, but the page that says how to run others.
Licence and citation are files of the book, always there.
"""

import re
import shutil
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.config import Config
from uat_notebooks import has_notebook
from uat_place import place
from uat_prose import pieces

ABOUT = {"LICENSE": "license-code.txt", "LICENSE-text": "license-text.txt", "CITATION.cff": "citation.txt"}
"""What is copied into the book, and its name there, with which a browser shows it."""
BUTTONS = ("use_repository_button", "use_source_button", "use_edit_page_button", "use_issues_button")
WAYS = "library/ways"
"""The page that says how to run the others."""
ACCESSIBILITY = "library/accessibility"
LONGEST = 155


def choose(app: Sphinx, config: Config) -> None:
    """Tell the theme where the repository is, if this machine knows."""
    if there := place(Path(app.srcdir)):
        repository = {"repository_url": there.url, "repository_branch": "main", "path_to_docs": ""}
        config.html_theme_options |= {**repository, **dict.fromkeys(BUTTONS, True)}


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


def launch(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the menu of ways to run a page, before the theme adds its own."""
    if pagename not in app.env.found_docs or not has_notebook(Path(app.env.doc2path(pagename))):
        return
    ways = []
    if there := place(Path(app.srcdir)):
        ways += [
            ("Binder", "Run this page on Binder", "_static/images/logo_binder.svg", there.binder(pagename)),
            ("Colab", "Run this page on Colab", "_static/images/logo_colab.png", there.colab(pagename)),
        ]
    if WAYS in app.env.found_docs:
        ways += [("Ways to run", "Ways to run this book", "fas fa-circle-info", context["pathto"](WAYS))]
    buttons = [
        {"type": "link", "text": text, "tooltip": tooltip, "icon": icon, "url": url}
        for text, tooltip, icon, url in ways
    ]
    if buttons:
        group = {"type": "group", "tooltip": "Run this page", "icon": "fas fa-rocket", "label": "launch-buttons"}
        context["header_buttons"].append({**group, "buttons": buttons})


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; early, before the theme reads its options."""
    app.connect("config-inited", choose, priority=100)
    app.connect("write-started", copy)
    app.connect("html-page-context", tell)
    app.connect("html-page-context", launch)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
