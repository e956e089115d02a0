"""The strip below a title: the network of the chapter's proof, in colour what the chapter is about.

The staircase says where one is on the path, the strip where in the network; on a desk they stand side by side. Pressed,
it says what each part is, how large, and which chapter builds it: a fold, which needs no script.
"""

import re
from collections.abc import Callable
from html import escape
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from _ext.pictures.network import CLASSES, drawing, together
from _ext.text.words import ALL, NETWORK
from _ext.text.words import KEY as STEP
from uatbook.sources import SOURCES, STEPS
from uatbook.strip import BUILDS, BUILT, CELLS, WHOLE, Network, network

FACTS = re.compile(r'<p class="uat-facts">.*?</p>')
Link = Callable[[str], str]


def strip(found: Network, step: str, link: Link) -> str:
    """Of one network, for a chapter about `step`, cut, tell, look, or all; `link` leads to a chapter by its name."""
    lit = [one for one in STEPS if step in (CLASSES[one], ALL)]
    count, several = found.layers_of(lit), f"{found.layers} layers"
    here = f"all {several}" if len(lit) == len(STEPS) else f"{count} of {several}"
    rows = [
        (CLASSES[part.step], part.step, f"{part.said}. Built in {link(chapter)}")
        for part, chapter in zip(found.parts, BUILT[found.source], strict=True)
    ]
    about = (
        f"{escape(SOURCES[found.source].cited)}: the network for two tokens and {CELLS} cells a side, "
        f"{found.weights} weights. The numbers are two tokens on their way."
    )
    return _fold(drawing(found, lit), here, about, rows)


def strip_of_all(link: Link) -> str:
    """All networks, for the chapter that compares them."""
    networks = [network(source) for source in BUILDS]
    rows = [
        (
            "",
            escape(SOURCES[one.source].cited),
            f"{one.layers} layers, {one.weights} weights. Built in {link(WHOLE[one.source])}",
        )
        for one in networks
    ]
    about = (
        f"Each for two tokens and {CELLS} cells a side: dots are hidden units, or cells; what is crossed mixes tokens."
    )
    return _fold(together(networks), "all four networks", about, rows)


def _fold(picture: str, here: str, about: str, rows: list[tuple[str, str, str]]) -> str:
    listed = "".join(f'<li><b class="uat-{kind}">{name}</b>: {said}</li>' for kind, name, said in rows)
    return (
        f'<details class="uat-strip"><summary>{picture}<span>You are here: {here}</span></summary>'
        f"<div><p>{about}</p><ul>{listed}</ul></div></details>"
    )


def build(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Have all networks before pages are written by processes of their own: torch hangs in what is forked from it."""
    asked = {metadata[NETWORK] for metadata in env.metadata.values() if NETWORK in metadata}
    for source in BUILDS if ALL in asked else asked:
        network(source)
    return []


def lay(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Put the strip below the title of a page that asks for it."""
    asked = app.env.metadata[pagename] if pagename in app.env.found_docs else {}
    if NETWORK not in asked or "body" not in context:
        return

    def link(chapter: str) -> str:
        page = f"chapters/{chapter}"
        if page == pagename or page not in app.env.titles:
            return "this chapter" if page == pagename else "another chapter"  # of a book of which one page is built
        address = escape(app.builder.get_relative_uri(pagename, page), quote=True)
        return f'<a href="{address}">{escape(app.env.titles[page].astext())}</a>'

    source = asked[NETWORK]
    drawn = strip_of_all(link) if source == ALL else strip(network(source), asked.get(STEP, ALL), link)
    context["body"] = FACTS.sub(lambda facts: f"{facts[0]}\n{drawn}", context["body"], count=1)


def setup(app: Sphinx) -> None:
    """Register with Sphinx: behind the search, for which the strip is no text of the page."""
    app.connect("env-updated", build)
    app.connect("html-page-context", lay, priority=976)
