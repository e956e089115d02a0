"""Make the search find statements by name, and show of each page a text in which every formula stands once.

The theme's search asks for a page to cut a snippet from it: half a megabyte a page, in which each formula stands three
times, and which a browser does not give out from a folder. Here the texts of all pages are one script, which the search
page loads. assets/search.js puts it to use.
"""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from uat_references import places

TEXTS = "uat-search-texts.js"
DROPPED = re.compile(
    r'<(script|style|svg|button|noscript)\b.*?</\1>|<span class="katex-mathml">.*?</math></span>'
    r'|<a class="headerlink".*?</a>',
    re.DOTALL,
)
ANCHOR = re.compile(r'<(?:section|div|dt|span|p)\b[^>]*? id="([^"]+)"[^>]*>')
INNER = re.compile(r"</?(?:span|a|em|strong|b|i|code|sub|sup|small|var)\b[^>]*>")
TAG = re.compile(r"<[^>]*>")
MARK = re.compile("\x00([^\x00]*)\x00")
INDEX = re.compile(r"^Search\.setIndex\((.*)\)$", re.DOTALL)


def page_text(html: str) -> tuple[str, dict[str, int]]:
    """What a page says, and where in it its anchors are."""
    marked = ANCHOR.sub(lambda found: f" \x00{found[1]}\x00", DROPPED.sub(" ", html))
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


def keep(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Keep the text of a page; load the script on the page of the search."""
    if pagename == "search":
        app.add_js_file("search.js", loading_method=None)
    if pagename in app.env.found_docs and app.builder.format == "html" and "body" in context:
        file = _folder(app) / f"{pagename}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(page_text(context["body"]), ensure_ascii=False), encoding="utf-8")


def with_statements(index: dict[str, Any], found: dict[tuple[str, str], tuple[str, str]]) -> dict[str, Any]:
    """The index of the search, in which the names of statements are titles, and titles have no brackets around them."""
    files = {name: number for number, name in enumerate(index["docnames"])}
    titles: dict[str, list[list[Any]]] = {}
    for title, where in index["alltitles"].items():
        bare = re.fullmatch(r"\s*\((.*)\)\s*", title)
        titles.setdefault(bare[1] if bare else title, []).extend(where)
    for (_, name), (page, anchor) in found.items():
        if page in files and [files[page], anchor] not in titles.setdefault(name, []):
            titles[name].append([files[page], anchor])
    return {**index, "alltitles": {title: titles[title] for title in sorted(titles)}}


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Write the texts and the index."""
    if exception is not None or app.builder.format != "html":
        return
    out, texts = Path(app.outdir), {}
    for page in sorted(app.env.found_docs):
        file = _folder(app) / f"{page}.json"
        if file.exists():
            texts[page] = json.loads(file.read_text(encoding="utf-8"))
    script = f"uatSearchTexts({json.dumps(texts, ensure_ascii=False, separators=(',', ':'))});\n"
    (out / "_static" / TEXTS).write_text(script, encoding="utf-8")
    index = out / "searchindex.js"
    if found := INDEX.match(index.read_text(encoding="utf-8")):
        data = with_statements(json.loads(found[1]), places(app.env))
        index.write_text(f"Search.setIndex({json.dumps(data, separators=(',', ':'))})", encoding="utf-8")


def _folder(app: Sphinx) -> Path:
    return Path(app.outdir).parent / "texts"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; after the line below the title is written."""
    app.connect("html-page-context", keep, priority=950)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
