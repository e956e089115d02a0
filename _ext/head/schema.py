"""What a page is in the words of schema.org, for search engines: the book, a chapter of it, a page to look things up.

Authors, licence, version and what else is said of the book come from CITATION.cff, the papers from the bibliography.
"""

import functools
import json
from pathlib import Path
from typing import Any

from pybtex.database import parse_file
from sphinx.application import Sphinx

from _ext.course.path import chapters, start_of
from _ext.course.reading import KEY as READING
from _ext.course.reading import minutes, rounded
from _ext.head.cards import card_of
from _ext.head.cite import citation
from _ext.head.share import address, description
from uatbook.sources import SOURCES, TEXTS

TEXT_LICENCE, CODE_LICENCES = "https://creativecommons.org/licenses/by/4.0/", "https://spdx.org/licenses/"


def book(app: Sphinx, *, whole: bool) -> dict[str, Any]:
    """The book: what every page says of it, or the `whole`."""
    cited = citation(Path(app.srcdir))
    said: dict[str, Any] = {
        "@type": ["Book", "LearningResource"],
        "name": cited.title,
        "url": address(app, app.config.root_doc),
        "author": [{"@type": kind, "name": name} for name, kind in cited.names],
        "license": [TEXT_LICENCE, f"{CODE_LICENCES}{cited.licence}"],
        "version": cited.version,
        "inLanguage": app.config.language,
        "isAccessibleForFree": True,
    }
    if whole:
        said |= {
            "description": cited.abstract,
            "keywords": list(cited.keywords),
            "identifier": f"https://doi.org/{cited.doi}" if cited.doi else "",
            "bookFormat": "https://schema.org/EBook",
            "learningResourceType": "textbook",
            "citation": papers(app, ""),
        }
    return _known(said)


def page_of(app: Sphinx, page: str, said: str) -> dict[str, Any]:
    """A page of the book, with its description: a chapter or side trip of the path, or what stands outside of it."""
    numbers, read = chapters(app.env), app.env.metadata[page].get(READING)
    whole = book(app, whole=False)
    found: dict[str, Any] = {
        "@type": "LearningResource",
        "name": app.env.titles[page].astext(),
        "description": said,
        "url": address(app, page),
        **{name: whole[name] for name in ("author", "license", "inLanguage", "isAccessibleForFree")},
        "isPartOf": whole,
    }
    if page in numbers or start_of(app.env, page) in numbers:
        found |= {
            "@type": ["Chapter", "LearningResource"],
            "position": numbers.get(page),
            "timeRequired": f"PT{rounded(minutes(read)[0])}M" if read else "",
            "citation": papers(app, card_of(app.env, page) or ""),
        }
    return _known(found)


def papers(app: Sphinx, prefix: str) -> list[dict[str, Any]]:
    """The sources of a part; of a part on none of its own, all."""
    own = [source for source in SOURCES.values() if prefix and source.key.startswith(prefix)]
    entries = _bibliography(Path(app.srcdir, app.config.bibtex_bibfiles[0]))
    return [_paper(key, entries[key]) for source in own or SOURCES.values() for key in source.keys]


@functools.cache
def _bibliography(path: Path) -> Any:
    return parse_file(str(path)).entries


def _paper(key: str, entry: Any) -> dict[str, Any]:
    people = [(*one.first_names, *one.middle_names, *one.last_names) for one in entry.persons["author"]]
    return {
        "@type": "ScholarlyArticle" if TEXTS[key].kind == "paper" else "CreativeWork",
        "name": entry.fields["title"],
        "author": [{"@type": "Person", "name": " ".join(names)} for names in people],
        "datePublished": entry.fields["year"],
    }


def _known(said: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if value not in (None, "")}


def tell(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Add it to a page: data, which no browser runs."""
    if pagename in app.env.found_docs and doctree is not None:
        front = pagename == app.config.root_doc
        found = book(app, whole=True) if front else page_of(app, pagename, description(doctree))
        shown = json.dumps({"@context": "https://schema.org", **found}, ensure_ascii=False).replace("<", "\\u003c")
        context["metatags"] += f'<script type="application/ld+json">{shown}</script>\n'


def setup(app: Sphinx) -> None:
    """Register with Sphinx, behind the other tags."""
    app.connect("html-page-context", tell, priority=970)
