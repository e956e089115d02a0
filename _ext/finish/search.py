"""Make the search find statements and mixers by name, and show of each page a text in which every formula stands once.

The theme's search asks for a page to cut a snippet from it: half a megabyte a page, in which each formula stands three
times, and which a browser does not give out from a folder. Here the texts of all pages are one script, which the search
page loads. assets/search.js puts it to use.
"""

import functools
import json
import re
from html import escape, unescape
from pathlib import Path
from typing import Any, TextIO
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.search.en import SearchEnglish

from uatbook import statements
from uatbook.headings import KINDS, statement_name
from uatlib.internal import writing

TEXTS, KEY = "uat-search-texts.js", "uat_boxes"
INDEX = "library/statements"
MIXERS = "uat_mixers"
NAME = re.compile(rf"(?:^\W*|20\d\d, )((?:{'|'.join(KINDS.values())}) (?:[A-Z]\.)?\d+(?:\.\d+)*)")
"""What a source calls a statement, at the head of a box's title or behind the year of the source."""
DROPPED = re.compile(
    r'<(script|style|svg|button|noscript)\b.*?</\1>|<details class="[^"]*\babove-input\b.*?</details>'
    r'|<a class="headerlink".*?</a>',
    re.DOTALL,
)
FORMULA = re.compile(r'<span class="katex-mathml">(<math.*?</math>)</span><span class="katex-html"', re.DOTALL)
ROW = re.compile(r'<tr id="(mixer-[^"]+)"[^>]*><th[^>]*><details[^>]*><summary>([^<]*) <small>')
SPAN = re.compile("<(/?)span")
ANCHOR = re.compile(r'<(?:section|div|dt|span|p|tr)\b[^>]*? id="([^"]+)"[^>]*>')
INNER = re.compile(r"</?(?:span|a|em|strong|b|i|code|sub|sup|small|var)\b[^>]*>")
TAG = re.compile(r"<[^>]*>")
MARK = re.compile("\x00([^\x00]*)\x00")
SIGNS = {"mfrac": "/", "msub": "_", "munder": "_", "msup": "^", "mover": "^"}
ACCENTS = {"^": "\u0302", "~": "\u0303", "\u02c9": "\u0304", "\u2192": "\u20d7"}


def in_line(node: ElementTree.Element) -> str:
    """A formula in MathML as a line of text: 1/2, x_i^2, (a + b)/c."""
    kind = node.tag.partition("}")[2]
    if kind == "annotation":
        return ""
    parts = [in_line(child) for child in node]
    for at, child in enumerate(node):
        if at and child.tag.endswith("mfrac") and parts[at - 1][-1:].isdigit():
            parts[at] = f" {parts[at]}"
    short = [part if re.fullmatch(r"[^\W_]*|[^\w\s]", part) else f"({part})" for part in parts]
    if kind == "mover" and parts[1] in ACCENTS:
        return short[0] + ACCENTS[parts[1]]
    space = " " * (kind.startswith("munder") or (bool(parts) and parts[0] in {"\u2211", "\u220f", "\u222b"}))
    if kind in SIGNS:
        return (short if kind == "mfrac" else parts)[0] + SIGNS[kind] + short[1] + space
    if kind in ("msubsup", "munderover"):
        return f"{parts[0]}_{short[1]}^{short[2]}{space}"
    if kind == "msqrt":
        return "\u221a" + short[0] if len(short) == 1 else f"\u221a({''.join(parts)})"
    line = (" " if kind in ("mtr", "mtable") else "").join(parts)
    return (node.text or "").strip().replace("\u2061", " ") + line


def in_lines(html: str) -> str:
    """A page with each formula as one line of text in place of KaTeX's two."""
    pieces, last = [], 0
    for found in FORMULA.finditer(html):
        depth, end = 1, found.end()
        while depth:
            span = SPAN.search(html, end)
            assert span is not None, "KaTeX closes its spans"
            depth, end = depth - 1 if span[1] else depth + 1, span.end()
        pieces += [html[last : found.start()], escape(in_line(ElementTree.fromstring(found[1])))]
        last = html.index(">", end) + 1
    return "".join([*pieces, html[last:]])


def page_text(html: str) -> tuple[str, dict[str, int]]:
    """What a page says, and where in it its anchors are."""
    marked = ANCHOR.sub(lambda found: f" \x00{found[1]}\x00", DROPPED.sub(" ", in_lines(html)))
    bare = unescape(TAG.sub(" ", INNER.sub("", marked))).replace("\u200b", "").replace("#\x00", "\x00")
    text, at = "", {}
    bare = re.sub(r"\s+", " ", bare)
    last = 0
    for mark in MARK.finditer(bare):
        text = f"{text}{bare[last : mark.start()]}".rstrip()
        text += " " * bool(text)
        at[mark[1]] = len(text)
        last = mark.end()
        while bare[last : last + 1] == " ":
            last += 1
    return text + bare[last:].rstrip(), at


def note(app: Sphinx, doctree: nodes.document) -> None:
    """Note the boxes of a page by what their sources call them, and let references lead to entries of the index."""
    page = app.env.docname
    boxes: dict[str, str] = {}
    for node in doctree.findall(nodes.Element):
        if "proof" in node.get("classes", ()) and (name := NAME.search(node.get("title") or "")):
            boxes.setdefault(name[1], node["ids"][0])
    app.env.metadata[page][KEY] = boxes
    rows = [row for raw in doctree.findall(nodes.raw) for row in ROW.findall(raw.astext())]
    app.env.metadata[page][MIXERS] = {unescape(name): anchor for anchor, name in rows}
    if page == INDEX:
        entries = [statement.id.replace(":", "-") for statement in statements.all()]
        standard: Any = app.env.domains["std"]
        standard.anonlabels.update({entry: (INDEX, entry) for entry in entries})


def places(env: BuildEnvironment) -> dict[tuple[str, str], tuple[str, str]]:
    """Page and anchor of each numbered statement: its box, first that of its chapter, else its entry in the index."""
    boxes = {page: env.metadata[page].get(KEY, {}) for page in sorted(env.found_docs)}
    found = {}
    for statement in statements.all():
        source, _, label = statement.id.partition(":")
        home = f"chapters/{statement.chapter}"
        if name := statement_name(statement.id):
            pages = [page for page in (home, *boxes) if name in boxes.get(page, ()) and part(page) == part(home)]
            index = [(INDEX, f"{source}-{label}")] if INDEX in boxes else []
            found[source, name] = [*((page, boxes[page][name]) for page in pages), *index][:1]
    return {key: place[0] for key, place in found.items() if place}


def mixers(env: BuildEnvironment) -> dict[tuple[str, str], tuple[str, str]]:
    """Page and anchor of each mixer of the atlas."""
    rows = {page: env.metadata[page].get(MIXERS, {}) for page in sorted(env.found_docs)}
    return {(page, name): (page, anchor) for page, found in rows.items() for name, anchor in found.items()}


def part(page: str) -> str:
    """The first word of a page's name, which says on what source it is."""
    return Path(page).name.removeprefix("more-").partition("-")[0]


def keep(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Keep the text of a page, which another process may write; load the script on the page of the search."""
    if pagename == "search":
        app.add_js_file("search.js", loading_method=None)
    if pagename in app.env.found_docs and app.builder.format == "html" and "body" in context:
        path = text_of(app, pagename)
        path.parent.mkdir(parents=True, exist_ok=True)
        writing.write(path, json.dumps(page_text(context["body"])))


def text_of(app: Sphinx, page: str) -> Path:
    """The file in which what a page says, and where its anchors are, waits for the end of the build."""
    return Path(app.doctreedir, f"{page}.text.json")


def with_statements(index: dict[str, Any], found: dict[tuple[str, str], tuple[str, str]]) -> dict[str, Any]:
    """The index of the search, in which the names of statements are titles, and titles have no brackets around them."""
    files = {name: number for number, name in enumerate(index["docnames"])}
    titles: dict[str, list[list[Any]]] = {}
    for title, where in index["alltitles"].items():
        bare = re.fullmatch(r"\s*\((.*)\)\s*", title)
        titles.setdefault(bare[1] if bare else title, []).extend(where)
    steps = {number for name, number in files.items() if name.startswith("library/steps-")}
    for (_, name), (page, anchor) in found.items():
        if name in titles:  # whoever asks for a statement wants what it says, and from there its steps
            titles[name] = [place for place in titles[name] if place[0] not in steps]
        if page in files and [files[page], anchor] not in titles.setdefault(name, []):
            titles[name].append([files[page], anchor])
    return {**index, "alltitles": {title: titles[title] for title in sorted(titles)}}


class Index:
    """How Sphinx is to write the index of the search."""

    def __init__(self, env: BuildEnvironment) -> None:
        self.env = env

    def dump(self, index: dict[str, Any], stream: TextIO) -> None:
        """Write it with the names of statements and mixers."""
        shown = json.dumps(
            with_statements(index, places(self.env) | mixers(self.env)), sort_keys=True, separators=(",", ":")
        )
        stream.write(f"Search.setIndex({shown})")


def begin(app: Sphinx) -> None:
    """Give Sphinx the index."""
    if app.builder.format == "html":
        vars(app.builder)["indexer_format"] = Index(app.env)


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Write the texts."""
    if exception is None and app.builder.format == "html":
        texts = {page: json.loads(text_of(app, page).read_bytes()) for page in sorted(app.env.found_docs)}
        said = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
        writing.write(Path(app.outdir, "_static", TEXTS), f"uatSearchTexts({said});\n")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; after the line below the title is written."""
    # A word stands on many pages, and is looked at letter by letter.
    SearchEnglish.stem = functools.cache(SearchEnglish.stem)  # type: ignore[method-assign]
    app.connect("doctree-read", note)
    app.connect("builder-inited", begin)
    app.connect("html-page-context", keep, priority=950)
    app.connect("build-finished", finish)
    return {"env_version": 1}
