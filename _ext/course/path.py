"""The path through the book: the chapters of the table of contents are its pages, the pages below them its side trips.

``{side-trip}`` says on a side trip why one would go there; ``{path}`` lists all of them. Neither is in any library: it
is a word of this book on its own table of contents.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from _ext.course.reading import KEY as READING
from _ext.course.reading import minutes, rounded
from _ext.text.words import ALL
from _ext.text.words import KEY as STEP

UNNUMBERED = "Reference"
KEY, PLACE = "uat_side_trip", "uat-path-place"


def parts(env: BuildEnvironment) -> dict[str, dict[str, list[str]]]:
    """By caption, the pages of each part, with the pages below each."""
    toc: Any = getattr(env, "external_site_map", None)
    found: dict[str, dict[str, list[str]]] = {}
    for part in toc.root.subtrees if toc else ():
        below = {str(page): [str(page) for tree in toc[page].subtrees for page in tree.items] for page in part.items}
        found[str(part.caption)] = below
    return found


def chapters(env: BuildEnvironment) -> dict[str, int]:
    """The number of each page of the path: of the chapters in all parts but the one called Reference."""
    pages = [page for caption, part in parts(env).items() if caption != UNNUMBERED for page in part]
    pages = [page for page in pages if page.startswith("chapters/")]
    return {page: number for number, page in enumerate(pages, start=1)}


def start_of(env: BuildEnvironment, page: str) -> str | None:
    """The page from which one makes this side trip."""
    return next((chapter for part in parts(env).values() for chapter, below in part.items() if page in below), None)


def part_of(env: BuildEnvironment, page: str) -> str:
    """The caption above a page in the table of contents; the page before all others stands under the first."""
    found = parts(env)
    captions = [caption for caption, part in found.items() if page in part or start_of(env, page) in part]
    return (captions or list(found) or [""])[0]


class SideTrip(SphinxDirective):
    """``side-trip``: why one would leave the path for this page, in a line below its title."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Keep it for the list of the path."""
        text = " ".join(self.content)
        self.env.metadata[self.env.docname][KEY] = text
        paragraph = nodes.paragraph(text, classes=["uat-side-trip"])
        paragraph += self.parse_inline(text)[0]
        return [paragraph]


class Path(SphinxDirective):
    """``path``: a row a chapter with its minutes, by parts; its side trips, and why one would go, are folded."""

    def run(self) -> list[nodes.Node]:
        """Leave a place: what stands there is known when all pages are read."""
        return [nodes.container("", classes=[PLACE])]


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the list in its place."""
    for place in [node for node in doctree.findall(nodes.container) if PLACE in node["classes"]]:
        numbers, path = chapters(app.env), nodes.container("", classes=["uat-path"])
        for caption, part in parts(app.env).items():
            if found := [page for page in part if page in numbers]:
                rows = nodes.enumerated_list("", enumtype="arabic", start=numbers[found[0]])
                rows += [_row(app, docname, page, part[page]) for page in found]
                path += [nodes.paragraph("", caption, classes=["uat-path-part"]), rows]
        hours = sum(_minutes(app.env, page) for page in numbers) / 60
        said = f"The path takes {hours:.0f} hours to read, its pictures included; proofs and exercises come on top."
        place.replace_self([path, nodes.paragraph(said, said)])


def _row(app: Sphinx, docname: str, chapter: str, trips: list[str]) -> nodes.list_item:
    took = f"{_minutes(app.env, chapter)} min"
    minutes_of = nodes.inline(took, took, classes=["uat-minutes"])
    said = nodes.paragraph("", "", _link(app, docname, chapter), nodes.Text(" "), minutes_of)
    item = nodes.list_item("", said, classes=[f"uat-stair-{app.env.metadata[chapter].get(STEP, ALL)}"])
    if trips:
        count = f"+{len(trips)} side trip{'s' * (len(trips) > 1)}"
        listed = nodes.bullet_list("", *(nodes.list_item("", _line(app, docname, trip)) for trip in trips))
        fold = f"<details><summary>{count}</summary>", "</details>"
        item += [nodes.raw("", fold[0], format="html"), listed, nodes.raw("", fold[1], format="html")]
    return item


def _line(app: Sphinx, docname: str, page: str) -> nodes.paragraph:
    why = app.env.metadata[page].get(KEY, "")
    said = nodes.Text(f", {_minutes(app.env, page)} min. {why}".rstrip())
    return nodes.paragraph("", "", _link(app, docname, page), said)


def _link(app: Sphinx, docname: str, page: str) -> nodes.reference:
    address = app.builder.get_relative_uri(docname, page)
    return nodes.reference("", app.env.titles[page].astext(), refuri=address, internal=True)


def _minutes(env: BuildEnvironment, page: str) -> int:
    return rounded(minutes(env.metadata[page][READING])[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("side-trip", SideTrip)
    app.add_directive("path", Path)
    app.connect("doctree-resolved", fill)
    return {"env_version": 1}
