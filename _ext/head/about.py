"""What the foot of a page says of the book: rights, citation, version; and links to the repository and to run a page.

The theme has the buttons of the repository; those that launch a page are our own, as the theme's would launch the same
branch that its buttons edit. Where the address is unknown there are none, but the page that says how to run others.
Licence and citation are files of the book, always there.
"""

import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.config import Config

import uatlib
from _ext.course.editions import edition
from _ext.head.cite import citation, fold
from _ext.head.place import Place, place
from _ext.shapes.notebooks import has_notebook

ABOUT = {"LICENSE": "license-code.txt", "LICENSE-text": "license-text.txt", "CITATION.cff": "citation.txt"}
"""What is copied into the book, and its name there, with which a browser shows it."""
BUTTONS = ("use_repository_button", "use_source_button", "use_edit_page_button", "use_issues_button")
WAYS = "library/ways"
"""The page that says how to run the others."""
PAGES = {"library/news": "What is new", "library/accessibility": "Accessibility"}
"""To which a foot leads, where the book has them."""


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


def built(there: Place | None) -> str:
    """Which version it is: the library's, and the commit, if that is online and no release."""
    said = f"Version {uatlib.__version__}"
    if there is None or there.version == f"v{uatlib.__version__}":
        return f"{said}."
    short = there.version[:7] if re.fullmatch("[0-9a-f]+", there.version) else there.version
    linked = f'<a href="{there.url}/tree/{there.version}">{short}</a>' if edition() != "students" else short
    return f"{said}, built from {linked}."


def about(up: str, pages: dict[str, str], there: Place | None) -> str:
    """The line on rights and version of a page `up` below the book, with links to `pages`."""
    licence, text = (f"{up}_static/about/{ABOUT[name]}" for name in ("LICENSE", "LICENSE-text"))
    links = "".join(f' <a href="{up}{page}.html">{name}</a>.' for page, name in pages.items())
    return (
        f'<p class="uat-about">Text and pictures: <a href="{text}">CC BY 4.0</a>. '
        f'Code: <a href="{licence}">BSD 3-Clause</a>. {built(there)}{links}</p>'
    )


def tell(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Write the foot of a page."""
    root, up = Path(app.srcdir), "../" * pagename.count("/")
    pages = {page: name for page, name in PAGES.items() if page in app.env.found_docs}
    cite = fold(citation(root), f"{up}_static/about/{ABOUT['CITATION.cff']}", app.config.uat_home)
    context["theme_extra_footer"] = about(up, pages, place(root)) + cite


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


def setup(app: Sphinx) -> None:
    """Register with Sphinx; early, before the theme reads its options."""
    app.connect("config-inited", choose, priority=100)
    app.connect("write-started", copy)
    app.connect("html-page-context", tell)
    app.connect("html-page-context", launch)
