"""Link statements that the text names, "Lemma 8" or "Theorem 2 of Yun et al.", to where the book has them.

A name alone belongs to the source of the page's own part. A source that stands beside it, "Theorem 2 of Yun et al.",
decides otherwise. Where a paragraph speaks of another source, or of the slides, and the name stands alone, nobody can
tell, and there is no link; nor where the page itself links the same name to another part.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from uat_prose import join_texts, pieces

from uatbook import statements
from uatbook.headings import statement_name

KEY = "uat_statements"
INDEX = "library/statements"
SOURCES = {"yun": "yun2020", "kajitsuka": "kajitsuka2024", "liu": "liu2025", "cheng": "cheng2025"}
"""The first word of a page's name, and its source."""
AUTHORS = {
    r"Yun et al\.?|Yun, Bhojanapalli, Rawat, Reddi and Kumar|Yun": "yun2020",
    r"Kajitsuka and Sato|Kajitsuka": "kajitsuka2024",
    r"Liu, Hu, Song and Liu|Liu et al\.?|Liu": "liu2025",
    r"Cheng, Lin, Shen and Li|Cheng et al\.?|Cheng": "cheng2025",
    r"the slides|So's slides|So \(2020\)|So \[2020\]|slides of So": "so2020slides",
    # Any other author with a year; none of their statements is in the book.
    r"(?!In\b|By\b|Of\b|From\b|Since\b)[A-Z]\w+(?: et al\.?| and [A-Z]\w+)?,? [\[(]?(?:19|20)\d\d[\])]?": "",
}
WHO = re.compile("|".join(f"(?P<a{k}>\\b(?:{pattern}))" for k, pattern in enumerate(AUTHORS)))
YEAR = r"(?:,? ?[\[(]?\d{4}[a-z]?[\])]?)?"
KINDS = {"Theorem": "Theorems", "Lemma": "Lemmas", "Corollary": "Corollaries", "Proposition": "Propositions",
         "Definition": "Definitions", "Claim": "Claims"}  # fmt: skip
NUMBER = r"(?:[A-Z]\.)?\d+(?:\.\d+)*"
NAMED = re.compile(
    rf"\b(?P<kind>{'|'.join([*KINDS, *KINDS.values()])})\s+(?P<number>{NUMBER})"
    rf"(?P<more>(?:(?:,\s+|\s+and\s+|,\s+and\s+|\s+to\s+|\s+or\s+){NUMBER})*)(?![\w-])"
)
TITLE = re.compile(rf"\b({'|'.join(KINDS)}) ({NUMBER})")
MINE = re.compile(r"(?:of|in|from|by)\s+(?:the|this|their) (?:paper|text)|of the text")


def source_of(page: str) -> str:
    """The source that a page is about, by its name; nothing where it is about none or all."""
    stem = Path(page).name.removeprefix("more-")
    return SOURCES.get(re.split("[-.0-9]", stem)[0], "")


def statement_of(id: str) -> tuple[str, str] | None:
    """("yun2020", "Lemma 8") for yun2020:lem-8; None for what bears no number."""
    source, _, label = id.partition(":")
    name = statement_name(f":{label}")
    return (source, name) if name else None


def named_sources(text: str) -> list[tuple[int, int, str]]:
    """The sources that a text names: from, to, key."""
    keys = list(AUTHORS.values())
    return [(m.start(), m.end(), keys[int(str(m.lastgroup)[1:])]) for m in WHO.finditer(text)]


def source_in(text: str, start: int, end: int, own: str) -> str | None:
    """Whose statement the words from start to end of a paragraph name; None where that cannot be told."""
    after, before = text[end:], text[:start]
    sources = named_sources(text)
    for first, last, key in sources:
        between = text[end:first] if first >= end else None
        if between is not None and re.fullmatch(r"(?:,? ?(?:of|in|from|by) (?:the )?|\s*[\[(,]\s*)", between):
            return key or None
        link = text[last:start] if last <= start else None
        if link is not None and re.fullmatch(rf"{YEAR}(?:'s|’s|,|:)?\s*", link):
            return key or None
    if re.match(r"\s+(?:of|in|from|by)\s+(?:[A-Z]|the (?:first|second|third|fourth|last|other|next) part)", after):
        return None
    if re.search(r"\b[Tt]heir\s+$|\bits\s+$|\bthe slides", before[-40:]):
        return None
    others = {key for _, _, key in sources} - {own}
    return own if own and not others else None


def mentions(text: str, own: str) -> list[tuple[int, int, str, str]]:
    """What a paragraph names: from, to, source, name; "Lemmas 2 and 3" are two, the second its number alone."""
    found = []
    for match in NAMED.finditer(text):
        kind = next(kind for kind, many in KINDS.items() if match["kind"] in (kind, many))
        if " to " in match["more"]:
            continue  # a range, of which both ends would be links and what is between none
        source = source_in(text, match.start(), match.end(), own)
        if source is None:
            continue
        found.append((match.start(), match.end("number"), source, f"{kind} {match['number']}"))
        for number in re.finditer(NUMBER, match["more"]):
            at = match.start("more")
            found.append((at + number.start(), at + number.end(), source, f"{kind} {number[0]}"))
    return found


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """Note the boxes of a page that state what a source numbers."""
    page, boxes = app.env.docname, []
    for node in doctree.findall(nodes.Element):
        if "proof" in node.get("classes", ()) and node.get("label") and node.get("title"):
            title = node["title"]
            sources = [key for _, _, key in named_sources(title) if key]
            name = TITLE.search(title)
            source = sources[0] if sources else source_of(page)
            if name and source and not re.search(r"\bunder\b|\bafter\b(?! Park)", title):
                boxes.append((source, f"{name[1]} {name[2]}", node["ids"][0]))
    app.env.metadata[page][KEY] = boxes


def places(env: BuildEnvironment) -> dict[tuple[str, str], tuple[str, str]]:
    """Page and anchor of each numbered statement: its box, first that of its chapter, else its entry in the index."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    homes = {}
    for statement in statements.all():
        if key := statement_of(statement.id):
            homes[key] = f"chapters/{statement.chapter}"
            if INDEX in env.found_docs:
                found[key] = (INDEX, statement.id.replace(":", "-"))
    boxed = set()
    for page in sorted(env.found_docs):
        for source, name, label in env.metadata[page].get(KEY, ()):
            key = (source, name)
            if key not in boxed or (homes.get(key) == page and found[key][0] != page):
                found[key] = (page, label)
                boxed.add(key)
    return found


class LinkStatements(SphinxPostTransform):
    """Link the first mention of a statement in each section."""

    default_priority = 870  # after references are resolved, and before terms, which find the texts joined
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Look through the paragraphs of the page."""
        page = self.env.docname
        own = source_of(page)
        join_texts(self.document)
        if not hasattr(self.app, "uat_places"):
            vars(self.app)["uat_places"] = places(self.env)
        known: dict[tuple[str, str], tuple[str, str]] = vars(self.app)["uat_places"]
        elsewhere = self._elsewhere(own)
        linked: set[tuple[int, str, str]] = set()
        for block in self._blocks():
            texts = list(pieces(block, folds=True))
            whole, starts = flat(block, texts)
            for start, end, source, name in mentions(whole, own):
                piece = next((p for p, at in starts if at <= start and end <= at + len(p.astext())), None)
                place = known.get((source, name))
                section = _section(block)
                if not isinstance(piece, nodes.Text) or place is None or (id(section), source, name) in linked:
                    continue
                if (source == own and name in elsewhere) or _inside(block, place, page):
                    continue
                linked.add((id(section), source, name))
                self._link(piece, start, end, starts, place)

    def _blocks(self) -> list[nodes.Element]:
        """Paragraphs and the like, of which running text is the child."""
        return [node for node in self.document.findall(nodes.TextElement) if isinstance(node, nodes.paragraph)]

    def _elsewhere(self, own: str) -> set[str]:
        """Names that the page itself links to another part."""
        found = set()
        for link in self.document.findall(nodes.reference):
            target = link.get("refuri", "").partition("#")[0].removesuffix(".html")
            if target and source_of(target) not in ("", own):
                found |= {f"{name[1]} {name[2]}" for name in TITLE.finditer(link.astext())}
        return found

    def _link(
        self, piece: nodes.Text, start: int, end: int, starts: list[tuple[nodes.Node, int]], place: tuple[str, str]
    ) -> None:
        at = next(at for p, at in starts if p is piece)
        text, parent = str(piece), piece.parent
        page, label = place
        here = page == self.env.docname
        address = f"#{label}" if here else f"{self.app.builder.get_relative_uri(self.env.docname, page)}#{label}"
        said = text[start - at : end - at]
        link = nodes.reference("", said, internal=True, refuri=address, classes=["uat-statement-link"])
        head, tail = nodes.Text(text[: start - at]), nodes.Text(text[end - at :])
        where = next(k for k, child in enumerate(parent.children) if child is piece)
        parent[where : where + 1] = [part for part in (head, link, tail) if part.astext()]
        # What is left of the text stands for it from now on.
        number = next(k for k, (p, _) in enumerate(starts) if p is piece)
        starts[number : number + 1] = [(head, at), (tail, end)]


def flat(block: nodes.Element, texts: list[nodes.Node]) -> tuple[str, list[tuple[nodes.Node, int]]]:
    """The whole text of a paragraph, and where its pieces of running text begin in it."""
    whole, starts, running = "", [], {id(text) for text in texts}
    for node in block.findall(nodes.Text):
        if id(node) in running:
            starts.append((node, len(whole)))
        whole += str(node)
    return whole.replace("\n", " "), starts


def _section(node: nodes.Node | None) -> nodes.Node | None:
    while node is not None and not (isinstance(node, nodes.section) and "proof-content" not in node.get("ids", ())):
        node = node.parent
    return node


def _inside(node: nodes.Node | None, place: tuple[str, str], page: str) -> bool:
    """Whether it stands in the box that a link from here would lead to."""
    while node is not None:
        if isinstance(node, nodes.Element) and place[0] == page and place[1] in node.get("ids", ()):
            return True
        node = node.parent
    return False


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("doctree-read", collect)
    app.add_post_transform(LinkStatements)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
