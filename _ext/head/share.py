"""What a page says to who links to it: its title, a description, its address, the card of its part.

Tags that need an address are left out where the book has none. sphinxext-opengraph does a part of this, with texts and
cards of its own, where a description is here said once.
"""

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from _ext.head.cards import FOLDER, card_of
from _ext.head.cite import citation
from _ext.text.prose import pieces
from uatbook.cards import CARDS, HEIGHT, WIDTH

LONGEST = 155


def short_name(app: Sphinx) -> str:
    """The book's name without what it says of itself after the colon."""
    return str(app.config.html_title).partition(":")[0]


def title_of(app: Sphinx, page: str, heading: str) -> str:
    """The title of a page: its heading and the book, and of the front page the book alone."""
    return str(app.config.html_title) if page == app.config.root_doc else f"{heading} \N{MIDDLE DOT} {short_name(app)}"


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


def address(app: Sphinx, page: str) -> str:
    """Where a page lies online; "" where the book has no address."""
    home = str(app.config.uat_home)
    return f"{home}{page}.html" if home and page != app.config.root_doc else home


def tags(app: Sphinx, page: str, heading: str, said: str, of: str = "") -> str:
    """The tags of a page with its heading and description; `of` is the page of the book that it belongs to."""
    front = page == app.config.root_doc
    found = {
        "description": said,
        "og:title": title_of(app, page, heading) if front else heading,
        "og:description": said or citation(Path(app.srcdir)).abstract,
        "og:type": "website" if front else "article",
        "og:site_name": short_name(app),
        "og:url": address(app, page),
        "twitter:card": "summary",
    }
    card = card_of(app.env, of or page)
    if found["og:url"] and card:
        found |= {
            "og:image": f"{app.config.uat_home}_static/{FOLDER}/{card}.png",
            "og:image:alt": CARDS[card].alt,
            "og:image:type": "image/png",
            "og:image:width": str(WIDTH),
            "og:image:height": str(HEIGHT),
            "twitter:card": "summary_large_image",
        }
    for name in ("title", "description", "image", "image:alt"):
        found[f"twitter:{name}"] = found.get(f"og:{name}", "")
    there = f'<link rel="canonical" href="{escape(found["og:url"])}" />\n' if found["og:url"] else ""
    return there + "".join(
        f'<meta {"property" if name.startswith("og:") else "name"}="{name}" content="{escape(value)}" />\n'
        for name, value in found.items()
        if value
    )


def tell(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Add to a page what it says of itself."""
    known = app.env.titles.get(pagename)
    heading = known.astext() if known else str(context.get("title") or pagename.capitalize())
    said = description(doctree) if doctree is not None else ""
    # The page of the search puts its own name before the title.
    context["title"] = short_name(app) if pagename == "search" else escape(title_of(app, pagename, heading))
    context["docstitle"] = ""  # which the theme would add once more
    context["metatags"] = context.get("metatags", "") + tags(app, pagename, heading, said)


def setup(app: Sphinx) -> None:
    """Register with Sphinx; late, when nobody needs the bare title any more."""
    app.connect("html-page-context", tell, priority=960)
