"""What of the site no source has: 404.html, where no page is; sitemap.xml, a list of all pages; an empty .nojekyll.

GitHub shows the former at every address below the book that leads nowhere, of whatever depth, so that its links have
the book's address. Without an address they start where it lies, and there is no list. Where a host has Jekyll write
what is put on it, .nojekyll keeps it from leaving out `_static`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from sphinx.application import Sphinx

from _ext.finish.pages import rewrite
from _ext.head.share import address
from uatlib.internal import writing

LOST, NO_JEKYLL = "404", ".nojekyll"
NEAR = re.compile(r'((?:href|src|action|data-content_root)=")(?:\./)?(?![#/]|\w+:)')
"""The beginning of an address that starts where the page lies."""
WAYS_ON = {
    "index": "The front page, with a picture that moves and the path through the book",
    "tour": "A tour in nine pictures",
    "library/statements": "All statements, by name and number",
    "library/glossary": "The words of the book",
}
BODY = """<section>
<h1>Nothing stands here</h1>
<p>The page may have moved, or its address has a slip in it. Look for its title or a word of it:</p>
<form class="uat-lost" action="search.html">
<input class="form-control" type="search" name="q" aria-label="Search this book">
<button class="btn" type="submit">Search</button>
</form>
<p>Or begin again:</p>
<ul>{ways}</ul>
</section>
"""


def lost(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The page that stands where none is."""
    ways = [
        f'<li><a href="{page}.html">{said}</a></li>' for page, said in WAYS_ON.items() if page in app.env.found_docs
    ]
    yield LOST, {"title": "Nothing stands here", "body": BODY.format(ways="".join(ways))}, "page.html"


def tell(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Say that no search engine is to list it."""
    if pagename == LOST:
        context["metatags"] += '<meta name="robots" content="noindex" />\n'


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Write the list of all pages, and let 404.html find its files from anywhere."""
    if exception is not None or app.builder.format != "html":
        return
    Path(app.outdir, NO_JEKYLL).touch()
    if not app.config.uat_home:
        return
    home = urlsplit(app.config.uat_home).path
    rewrite(Path(app.outdir, f"{LOST}.html"), lambda text: NEAR.sub(rf"\1{home}", text))
    decks = [f"slides/{path.stem}" for path in Path(app.outdir, "slides").glob("*.html")]
    places = [f"<url><loc>{escape(address(app, page))}</loc></url>\n" for page in sorted([*app.env.found_docs, *decks])]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    writing.write(Path(app.outdir, "sitemap.xml"), f"{head}{''.join(places)}</urlset>\n")


def setup(app: Sphinx) -> None:
    """Register with Sphinx, behind the other tags, and when pages have all their links."""
    app.connect("html-collect-pages", lost)
    app.connect("html-page-context", tell, priority=970)
    app.connect("build-finished", finish, priority=960)
