"""Explorers in the book: one script for all of them, a gallery page, and what each costs to carry.

An explorer's HTML works in any page, so it carries the script that moves it. In the book that script becomes one file.
"""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from uatlib.view.explorer.scripts import page_script

logger = logging.getLogger(__name__)
SCRIPT = "uat-explorer.js"
PAGE_SCRIPT = re.compile(r'<script class="uat-page-script">.*?</script>', re.DOTALL)
BOX = re.compile(
    r'<div class="uat-explorer" id="(?P<id>[^"]+)" (?:data-live="(?P<live>\w+)"|'
    r'data-combinations="(?P<combinations>\d+)" data-pictures="(?P<pictures>\d+)")(?P<style>[^>]*)>'
)
IMAGE = re.compile(r"<img [^>]+>")
SPEC = re.compile(r'<script type="application/json" class="uat-spec">(.*?)</script>', re.DOTALL)
PLACE = "uat-gallery-place"
PACK = re.compile(r'<script type="application/gzip" class="uat-pack">([^<]*)</script>')


class GalleryDirective(SphinxDirective):
    """``explorer-gallery``: every explorer of the book, with its first picture, in reading order."""

    def run(self) -> list[nodes.Node]:
        """Leave a place for the gallery, and remember where."""
        galleries(self.env).add(self.env.docname)
        return [nodes.container("", classes=[PLACE])]


def explorers(env: BuildEnvironment) -> dict[str, list[dict[str, Any]]]:
    """Return the explorers of each page, by the page's name."""
    found: dict[str, list[dict[str, Any]]] = vars(env).setdefault("uat_explorers", {})
    return found


def galleries(env: BuildEnvironment) -> set[str]:
    """Return the pages that hold a gallery."""
    found: set[str] = vars(env).setdefault("uat_galleries", set())
    return found


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Drop what a page held before it is read again."""
    explorers(env).pop(docname, None)
    galleries(env).discard(docname)


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """Take script and numbers out of each explorer of a page that was read, and keep what the gallery needs."""
    for node in doctree.findall(nodes.Element):
        # IPython reports what a display raises, and goes on as if nothing had happened.
        if "traceback" in node.get("classes", []):
            logger.warning("a cell's output is an error: %s", node.astext()[-300:], location=app.env.docname)
    for node in doctree.findall(nodes.raw):
        box = BOX.search(node.astext()) if node.get("format") == "html" else None
        if box is None:
            continue
        source = node.astext()
        image, spec, data = IMAGE.search(source), SPEC.search(source), PACK.search(source)
        if image is None or spec is None or not (data or box["live"]):
            raise ValueError(f"{box['id']}: the HTML of an explorer has changed; mend _ext/uat_explorers.py")
        title = json.loads(spec[1])["title"]
        kilobytes = len((data or spec)[1]) / 1000
        entry = {**box.groupdict(), "title": title, "image": image[0], "kilobytes": kilobytes}
        explorers(app.env).setdefault(app.env.docname, []).append(entry)
        lean = PAGE_SCRIPT.sub("", source).replace(box[0], f'<div class="uat-explorer" id="{box["id"]}"{box["style"]}>')
        node.children = [nodes.Text(lean)]
        node.rawsource = lean


def outdated_galleries(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Name the gallery pages, to be written again with every build that read a page."""
    return sorted(galleries(env) & env.found_docs)


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the gallery in its place."""
    for node in [node for node in doctree.findall(nodes.container) if PLACE in node["classes"]]:
        items = []
        for page in reading_order(app.env):
            chapter = escape(app.env.titles[page].astext())
            for entry in explorers(app.env)[page]:
                address = f"{app.builder.get_relative_uri(docname, page)}#{entry['id']}"
                items.append(
                    f'<li>{entry["image"]}<a href="{address}">{escape(entry["title"])}</a><span>{chapter}</span></li>'
                )
        html = f'<ul class="uat-gallery">{"".join(items)}</ul>'
        node.replace_self(nodes.raw("", html, format="html"))


def reading_order(env: BuildEnvironment) -> list[str]:
    """Return the pages that hold explorers, as the table of contents lists them."""
    toc = [str(name) for name in getattr(env, "external_site_map", {}) or []]
    return sorted(explorers(env), key=lambda name: (toc.index(name) if name in toc else len(toc), name))


def load_script(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Load the script on the pages that hold an explorer."""
    if explorers(app.env).get(pagename):
        app.add_js_file(SCRIPT, loading_method="defer")


def write_script(app: Sphinx) -> None:
    """Write the script before the pages, which carry its checksum."""
    if app.builder.format == "html":
        folder = Path(app.outdir, "_static")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SCRIPT).write_text(page_script(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("explorer-gallery", GalleryDirective)
    app.connect("builder-inited", write_script)
    app.connect("env-purge-doc", forget)
    app.connect("doctree-read", collect)
    app.connect("env-updated", outdated_galleries)
    app.connect("doctree-resolved", fill)
    app.connect("html-page-context", load_script)
    return {"parallel_read_safe": False, "parallel_write_safe": True, "env_version": 1}
