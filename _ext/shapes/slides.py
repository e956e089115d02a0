"""A deck of slides for each chapter, made of what the chapter has: ``{slides}`chapters/start` `` is a link to it.

The question it opens with, the picture that it asks a prediction of, the claim, what breaks, an exercise. The note for
whoever speaks is the fold that answers the prediction. A deck is one page, a slide a screen: it scrolls, prints and
opens from a folder without a script; assets/slides.js adds the keys.
"""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from _ext.course.path import chapters, start_of
from _ext.head.share import description, tags, title_of
from explorables.sphinx.explorers import KEY as EXPLORERS
from explorables.sphinx.explorers import STYLE, script_for
from uatlib.internal import writing

FOLDER = "slides"
CLAIMS = ("theorem", "proposition", "corollary", "lemma", "definition")
"""Kinds of statements, the one that a deck would rather show first."""
BREAKS = re.compile(
    r"\b(breaks?|wrong|fails?|hypothesis|not (?:necessary|enough)|the no ends|none of this)\b", re.IGNORECASE
)
HEADING = re.compile(r"(</?)h[1-6]\b")
HREF = re.compile(r'(<a\b[^>]*?\bhref=")(?!https?:|mailto:)([^"#]*)#?([^"]*)"')
LINK = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)
SHEETS = (
    "styles/theme.css",
    "styles/bootstrap.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "proof.css",
    "exercise.css",
    "katex/katex.min.css",
    STYLE,
    "style.css",
    "face.css",
    "slides.css",
)
PAGE = """<!DOCTYPE html>
<html lang="en" data-content_root="../" data-theme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{tags}<title>{title}</title>
<link rel="icon" href="../_static/logo.svg">
<script src="../_static/steady.js"></script>
<script src="../_static/slides.js"></script>
{sheets}
<script defer src="../_static/{explorer}"></script>
</head>
<body class="uat-slides">
<main class="bd-article">
{slides}
</main>
</body>
</html>
"""


class Link(SphinxRole):
    """``slides``: a link to the deck of a chapter."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Lead there from the page that is read."""
        address = f"{'../' * self.env.docname.count('/')}{FOLDER}/{PurePosixPath(self.text).name}.html"
        return [nodes.reference("", "slides", refuri=address, internal=True)], []


def slides(app: Sphinx, page: str, doctree: nodes.document) -> Iterator[tuple[str, list[nodes.Node], list[nodes.Node]]]:
    """Of each slide its heading, what it shows, and the note."""
    whole = next(doctree.findall(nodes.section))
    yield app.env.titles[page].astext(), _text(whole)[:1], []

    answers = [node for node in doctree.findall(nodes.admonition) if "answer" in node["classes"]]
    for note in [*answers, None]:
        if picture := _picture(doctree, note):
            yield "What do you see?", _asked(picture), [note] if note else []
            break
    sections = [node for node in doctree.findall(nodes.section) if isinstance(node[0], nodes.title)]
    boxes = [node for node in doctree.findall(nodes.Element) if "proof" in node.get("classes", ()) and _kind(node)]
    known = [node for node in sections if node[0].astext().startswith("What we know")]
    if boxes:
        box = min(boxes, key=lambda box: CLAIMS.index(_kind(box)))
        yield "The definition" if _kind(box) == "definition" else "The claim", [box], []
    elif known:
        yield known[0][0].astext(), _text(known[0])[:1], []
    exercises = [node for node in doctree.findall(nodes.Element) if "exercise" in node.get("classes", ())]
    broken = [node for node in exercises if "Break" in node.astext()[:40]]
    breaking = [node for node in sections if BREAKS.search(node[0].astext()) and (boxes or node not in known)]
    if broken:
        yield "Break it", broken[:1], []
    elif breaking:
        yield breaking[0][0].astext(), _text(breaking[0])[:2], []
    rest = [node for node in exercises if node not in broken[:1]]
    for exercise in sorted(rest, key=lambda node: "level-1" not in node["classes"])[:1]:
        yield "Your turn", [exercise], []


def _text(section: nodes.Element) -> list[nodes.Node]:
    """The paragraphs that stand open, but for the one that says why one would come here."""
    paragraphs = [node for node in section.children if isinstance(node, nodes.paragraph)]
    return [node for node in paragraphs if "uat-side-trip" not in node["classes"]]


def _kind(box: nodes.Element) -> str:
    return next((kind for kind in CLAIMS if f"{kind}_node" == type(box).__name__ or kind in box.get("classes", ())), "")


def _picture(doctree: nodes.document, note: nodes.Element | None) -> nodes.Element | None:
    """The explorer that stands next before a note; the first of the page, if there is no note."""
    found = None
    for node in doctree.findall(nodes.Element):
        if node is note:
            return found
        if isinstance(node, nodes.container) and "tag_explorer" in node.get("classes", ()):
            found = node
            if note is None:
                return found
    return None


def _asked(picture: nodes.Element) -> list[nodes.Node]:
    """A picture without its code, below the prediction that is asked for before it."""
    before: list[nodes.Node] = []
    group = picture.parent if "uat-stay" in picture.parent["classes"] else picture
    leads = group.children[: group.index(picture)] if group is not picture else []
    lead = [node for part in leads for node in part.children]
    for node in [*group.parent.children[: group.parent.index(group)], *lead]:
        if isinstance(node, nodes.paragraph) and node.astext().startswith("Predict"):
            before = [node]
    drawn = [raw for raw in picture.findall(nodes.raw) if "uat-explorer" in raw.astext()]
    return [*before, *drawn[:1]]


def fragment(app: Sphinx, page: str, found: list[nodes.Node]) -> str:
    """Nodes of a page as HTML for a page of the folder of decks. A link that moves a picture moves that of the deck."""
    folder = PurePosixPath(page).parent

    def link(found: re.Match[str]) -> str:
        _, target, anchor = found.groups()
        target = f"../{folder}/{target}" if target else "" if "?" in anchor else f"../{page}.html"
        return f'{found[1]}{target}{"#" * bool(anchor)}{anchor}"'

    html = ""
    for node in found:
        assert node.document is not None
        writer = app.builder.create_translator(node.document, app.builder)
        node.walkabout(writer)
        html += "".join(vars(writer)["body"])
    return HREF.sub(link, LINK.sub("", html))


def deck(app: Sphinx, page: str, doctree: nodes.document) -> str:
    """The deck of a page."""
    shown = []
    for number, (heading, found, note) in enumerate(slides(app, page, doctree)):
        level = "h1" if number == 0 else "h2"
        body = fragment(app, page, found)
        if note:
            said = fragment(app, page, [child for child in note[0].children if not isinstance(child, nodes.title)])
            body += f'<details class="note"><summary>Note for the speaker</summary>{said}</details>'
        shown.append(f'<section tabindex="-1"><{level}>{escape(heading)}</{level}>\n{body}\n</section>')
    last = shown.pop().removesuffix("</section>")
    shown.append(f'{last}<p class="from">From <a href="../{page}.html">the chapter</a>.</p>\n</section>')
    sheets = "\n".join(f'<link rel="stylesheet" href="../_static/{name}">' for name in SHEETS)
    heading, name = f"Slides: {app.env.titles[page].astext()}", f"{FOLDER}/{PurePosixPath(page).name}"
    own, title = tags(app, name, heading, description(doctree), page), escape(title_of(app, name, heading))
    return PAGE.format(
        tags=own, title=title, sheets=sheets, explorer=script_for(app.env, page), slides="\n".join(shown)
    )


def make(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Write the deck of a chapter when its page is written."""
    env = app.env
    path = pagename in chapters(env) or start_of(env, pagename) in chapters(env)
    if doctree is None or not path or EXPLORERS not in env.metadata[pagename] or app.builder.format != "html":
        return
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(exist_ok=True)
    name = PurePosixPath(pagename).name
    writing.write(folder.joinpath(f"{name}.html"), deck(app, pagename, doctree))


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_role("slides", Link())
    app.connect("html-page-context", make)
