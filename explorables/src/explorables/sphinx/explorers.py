"""Explorers in the book: one script for those of a page, a gallery page, and what each costs to carry.

An explorer's HTML works in any page, so it carries the script that moves it and the style sheet of its first frame. In
the book these become a file each.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from pygments.lexers import JavascriptLexer
from pygments.token import Comment, Whitespace
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from ..live.picture import WITHOUT_NODE
from ..scripts import live_page_script, needed, page_script, page_style
from ..svg import standalone

logger = logging.getLogger(__name__)
KEY, STYLE = "uat_explorers", "uat-explorer.css"
PAGE_FILES = re.compile(r'<(script|style) class="uat-page-\1">.*?</\1>', re.DOTALL)
BOX = re.compile(
    r'<div class="uat-explorer" id="(?P<id>[^"]+)" (?:data-live="(?P<live>\w+)"|'
    r'data-combinations="(?P<combinations>\d+)" data-pictures="(?P<pictures>\d+)")>'
)
IMAGE = re.compile(r'<svg\b[^>]*class="uat-figure".*?</svg>', re.DOTALL)
SPEC = re.compile(r'(<script type="application/json" class="uat-spec">)([^<]*)(</script>)')
PLACE = "uat-gallery-place"
PICTURE_SIZE = re.compile(r'width="([\d.]+)pt" height="([\d.]+)pt"')
ALT = re.compile(r'aria-label="([^"]*)"')
INKS = {"light": ("#222832", "#ffffff"), "dark": ("#ced6dd", "#121212")}
"""Ink and paper of the pages, if their theme is left as it is."""
CARD = 220, 180
"""Points that a picture has in a card of the gallery."""
PACK = re.compile(r'(<script type="application/gzip" class="uat-pack")>([^<]+)</script>')
LONG = 4_000
"""Signs of an explorer's data that stand in its page; more become a file."""
SHORT = 600
"""Signs of an entry that stands there as well: colours, say, which are wanted before the file has come."""

EARLY = """{
  const boxes = location.hash.includes("?") ? location.hash.slice(1).split(";").map((part) => part.split("?")[0]) : [];
  const faded = boxes.map((id) => `#${CSS.escape(id)}`), sheet = document.createElement("style");
  try {
    if (localStorage.getItem("uat-mine")) faded.push(".own");
  } catch {}
  sheet.id = "uat-early";
  sheet.textContent = `:is(${faded}) .picture { opacity: .1; animation: uat-late 0s 6s forwards; }
    @keyframes uat-late { to { opacity: 1; } }`;
  if (faded.length) document.head.append(sheet);
}"""
"""First frames that an address, or what the reader has made, replaces: nobody sees them before page.js knows of it.

Where it does not come, they are shown after all.
"""


class GalleryDirective(SphinxDirective):
    """``explorer-gallery``: every explorer of the book, with its first picture, in reading order, below their goals.

    A line of its content, ``chapter/name: question``, is what the gallery asks about an explorer.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Leave a place for the gallery."""
        questions = dict(line.split(": ", 1) for line in self.content if line.strip())
        return [nodes.container("", classes=[PLACE], questions=questions)]


def explorers(env: BuildEnvironment) -> dict[str, list[dict[str, Any]]]:
    """Return the explorers of each page, by the page's name."""
    return {page: said[KEY] for page, said in env.metadata.items() if KEY in said}


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
        images, spec, data = IMAGE.findall(source), SPEC.search(source), PACK.search(source)
        if spec is None or not ((data and images) or box["live"]):
            raise ValueError(f"{box['id']}: the HTML of an explorer has changed; mend explorables.sphinx")
        if not images:
            logger.warning("%s: %s", box["id"], WITHOUT_NODE, location=app.env.docname)
        said = json.loads(spec[2])
        kilobytes = len((data or spec)[2]) / 1000
        image = max(images, key=shown, default="")  # of those for a desk and for a phone
        listed = bool(image) and said.get("listed", True)
        entry = {**box.groupdict(), "image": image, "kilobytes": kilobytes, "listed": listed}
        entry |= {key: said[key] for key in ("title", "controls")}
        entry["goals"] = {goal_key(said["name"], goal["name"]): goal["asks"] for goal in said.get("goals", ())}
        app.env.metadata[app.env.docname].setdefault(KEY, []).append(entry)
        lean = PAGE_FILES.sub("", source).replace(box[0], f'<div class="uat-explorer" id="{box["id"]}">')
        node.children = [nodes.Text(lean)]
        node.rawsource = lean


class CodeBelow(SphinxPostTransform):
    """Fold the code of each explorer below its picture, with that of the hidden cells before it that say nothing."""

    default_priority = 198  # before myst-nb folds what is tagged so
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Move the sources into one bar, which is named after the picture."""
        for cell in [node for node in self.document.findall(nodes.container) if node.get("nb_element") == "cell_code"]:
            specs = [SPEC.search(raw.astext()) for raw in cell.findall(nodes.raw)]
            titles = [json.loads(spec[2])["title"] for spec in specs if spec]
            if titles:
                bar = "Code of " + " and ".join(
                    f"\N{LEFT DOUBLE QUOTATION MARK}{t}\N{RIGHT DOUBLE QUOTATION MARK}" for t in titles
                )
                fold = HideCodeCellNode(prompt_show=bar, prompt_hide=bar, classes=["above-input", "uat-code"])
                sources = [cell.pop(0)]
                while (before := cell.parent[cell.parent.index(cell) - 1]) is not cell and _prepares(before):
                    sources[:0] = before.children
                    before.parent.remove(before)
                fold.extend(sources)
                cell.append(fold)
                cell["hide_mode"] = None


def _prepares(node: nodes.Node) -> bool:
    """Whether it is a cell whose code is folded and that puts out nothing."""
    hidden = isinstance(node, nodes.container) and node.get("hide_mode") == "input"
    return hidden and [child.get("nb_element") for child in node.children] == ["cell_code_source"]


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the gallery in its place: part, chapter, and each of its pictures with a question."""
    part_of = app.config.explorables_part
    for node in [node for node in doctree.findall(nodes.container) if PLACE in node["classes"]]:
        questions, html, part = dict(node["questions"]), games(app, docname), ""
        for page in reading_order(app.env):
            if (new := part_of(app.env, page) if part_of else "") != part:
                part = new
                html += f"<h2>{escape(part)}</h2>"
            address = app.builder.get_relative_uri(docname, page)
            items = ""
            for entry in explorers(app.env)[page]:
                if not entry["listed"]:
                    continue
                name = f"{Path(page).name}/{entry['id'].removeprefix('explorer-')}"
                if (question := questions.pop(name, None)) is None:
                    logger.warning("the gallery has no question for %s", name, location=docname)
                items += (
                    f"<li>{thumbnails(app, name.replace('/', '-'), entry['image'], docname)}"
                    f'<a href="{address}#{entry["id"]}">{escape(question or entry["title"])}</a></li>'
                )
            if items:
                html += f'<h3><a href="{address}">{escape(app.env.titles[page].astext())}</a></h3>'
                html += f'<ul class="uat-gallery">{items}</ul>'
        for name in questions:
            logger.warning("the gallery asks about %s, which no page shows", name, location=docname)
        node.replace_self(nodes.raw("", html, format="html"))


def goal_key(picture: str, goal: str) -> str:
    """By which the browser remembers that it was reached; card.js knows it, too."""
    return re.sub(r"\W+", "-", f"goal-{picture}-{goal}", flags=re.ASCII)


def games(app: Sphinx, docname: str) -> str:
    """What pictures ask for, a line each with a tick, and how many of them this reader has won."""
    rows, keys = "", []
    for page in reading_order(app.env):
        address, title = app.builder.get_relative_uri(docname, page), escape(app.env.titles[page].astext())
        for entry in explorers(app.env)[page]:
            for key, asks in entry["goals"].items():
                keys.append(key)
                link = f'<a href="{address}#{entry["id"]}">{escape(asks)}</a>'
                rows += f'<li data-goal="{key}"><span class="uat-tick"></span>{link} <small>{title}</small></li>'
    if not rows:
        return ""
    score = f'<p class="uat-score" data-goals="{" ".join(keys)}">Goals to win: {len(keys)}.</p>'
    return f'<h2 id="games">Games</h2>{score}<ul class="uat-games">{rows}</ul>'


def shown(picture: str) -> float:
    """By how much a picture shrinks in a card of the gallery."""
    size = PICTURE_SIZE.search(picture)
    return min(room / float(length) for room, length in zip(CARD, size.groups(), strict=True)) if size else 0


def thumbnails(app: Sphinx, name: str, picture: str, docname: str) -> str:
    """A picture as files in the colours of both themes, of which a reader loads the one that is shown."""
    size = PICTURE_SIZE.search(picture)
    alt = ALT.search(picture)
    if size is None or alt is None:
        raise ValueError(f"{name}: the pictures of explorers have changed; mend explorables.sphinx")
    folder = Path(app.outdir, "_static", "gallery")
    folder.mkdir(parents=True, exist_ok=True)
    up = "../" * docname.count("/")
    html = ""
    for theme, colours in app.config.explorables_inks.items():
        file = folder / f"{name}-{theme}.svg"
        file.write_text(standalone(picture, *colours), encoding="utf-8")
        width, height = (round(float(length) * 4 / 3) for length in size.groups())
        html += (
            f'<img class="only-{theme}" loading="lazy" src="{up}_static/gallery/{file.name}" alt="{alt[1]}" '
            f'width="{width}" height="{height}">'
        )
    return html


def reading_order(env: BuildEnvironment) -> list[str]:
    """Return the pages that hold explorers, as the table of contents lists them."""
    toc = [str(name) for name in getattr(env, "external_site_map", {}) or []]
    return sorted(explorers(env), key=lambda name: (toc.index(name) if name in toc else len(toc), name))


def live_pictures(entries: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The kinds of live pictures among these explorers."""
    return tuple(sorted({entry["live"] for entry in entries} - {None}))


def script_of(pictures: Iterable[str]) -> str:
    """The file that moves explorers, and live pictures of these kinds: no page loads those of others."""
    return f"{'-'.join(['uat-explorer', *pictures])}.js"


def script_for(env: BuildEnvironment, page: str) -> str:
    """The file that a page with explorers loads."""
    return script_of(live_pictures(explorers(env)[page]))


def set_apart(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the long data of explorers into files, which the page asks for when all is drawn."""
    if app.builder.format == "html" and docname in explorers(app.env):
        folder = Path(app.outdir, "_static", "explorers")
        folder.mkdir(parents=True, exist_ok=True)
        for node in doctree.findall(nodes.raw):
            if 'class="uat-spec"' in node.astext():
                node.children = [nodes.Text(apart(node.astext(), folder))]


def apart(html: str, folder: Path) -> str:
    """An explorer without its long data, each of which becomes a file of `folder`."""

    def file(data: str) -> str:
        name = hashlib.sha256(data.encode()).hexdigest()[:16]
        (folder / f"{name}.js").write_text(f'uatHeld["{name}"]({json.dumps(data)});\n', encoding="utf-8")
        return f'data-name="{name}"'

    def pack(found: re.Match[str]) -> str:
        return f"{found[1]} {file(found[2])}></script>" if len(found[2]) > LONG else found[0]

    def spec(found: re.Match[str]) -> str:
        said = json.loads(found[2]) if len(found[2]) > LONG else {}
        if "data" not in said:
            return found[0]
        data = file(json.dumps(said["data"], separators=(",", ":"), ensure_ascii=False))
        said["data"] = {key: value for key, value in said["data"].items() if len(json.dumps(value)) < SHORT}
        rest = json.dumps(said, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
        return f'{found[1]}{rest}{found[3]}<script type="application/json" class="uat-data" {data}></script>'

    return SPEC.sub(spec, PACK.sub(pack, html))


def load_files(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Load script and style sheet on the pages that hold an explorer, and the sheet where a figure follows the page."""
    has_explorers = pagename in explorers(app.env)
    if has_explorers:
        app.add_js_file(script_for(app.env, pagename), loading_method="defer")
        context["metatags"] = f"<script>{EARLY}</script>\n{context.get('metatags', '')}"
    if has_explorers or (doctree and any('class="uat-figure"' in raw.astext() for raw in doctree.findall(nodes.raw))):
        app.add_css_file(STYLE)


def write_files(app: Sphinx, builder: Builder) -> None:
    """Write scripts, without their comments, and style sheet before the pages, which carry their checksums."""
    if app.builder.format == "html":
        folder = Path(app.outdir, "_static")
        folder.mkdir(parents=True, exist_ok=True)
        files = [Path(app.srcdir, file) for file in app.config.explorables_scripts]
        for pictures in {live_pictures(entries) for entries in explorers(app.env).values()}:
            code = live_page_script(needed(files, pictures)) if pictures else page_script()
            (folder / script_of(pictures)).write_text(without_comments(code), encoding="utf-8")
        book = Path(__file__).with_name("book.css").read_text(encoding="utf-8")
        (folder / STYLE).write_text(page_style() + book, encoding="utf-8")


def without_comments(code: str) -> str:
    """A script without comments, but those of licences (`/*!`), and without indentation; texts stay to the letter."""
    kept = []
    for kind, part in JavascriptLexer(stripnl=False, ensurenl=False).get_tokens(code):
        if (kind in Comment and not part.startswith("/*!")) or (kind in Whitespace and not part.strip()):
            part = "\n" if "\n" in part else "" if part.startswith("//") else " "
        kept.append(part)
    return "".join(kept)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("explorer-gallery", GalleryDirective)
    app.add_post_transform(CodeBelow)
    app.connect("write-started", write_files)
    app.connect("doctree-read", collect)
    app.connect("doctree-resolved", fill)
    app.connect("doctree-resolved", set_apart)
    app.connect("html-page-context", load_files)
    return {"parallel_read_safe": False, "env_version": 2}
