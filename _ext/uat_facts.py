"""Say under each title which chapter of the book it is, how long it takes to read, and how many exercises it has.

Chapters are numbered through, in the order of _toc.yml; the first page and those of the part "Reference" have no
number. Sphinx could number them, but would then number sections, exercises and statements after them: a Theorem 3.1 of
this book beside that of a source.
"""

import re
from collections.abc import Callable
from math import ceil
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from uat_reading import KEY

UNNUMBERED = "Reference"
WORDS, LINES = 200, 15
"""What a reader reads in a minute, of text and of code."""
TITLE = re.compile(r"</h1>")
ENTRY = re.compile(r'(<li class="toctree-l1[^>]*>\s*<a class="[^"]*" href=")([^"]*)(">)')


def chapters(env: BuildEnvironment) -> dict[str, int]:
    """The number of each chapter."""
    toc: Any = getattr(env, "external_site_map", None)
    parts = toc.root.subtrees if toc else []
    pages = [str(page) for part in parts if part.caption not in (UNNUMBERED, None) for page in part.items]
    return {page: number for number, page in enumerate(pages, start=1)}


def minutes(words: int, code_lines: int) -> int:
    """How long a page takes."""
    return max(1, ceil(words / WORDS + code_lines / LINES))


def facts(number: int | None, read: dict[str, Any]) -> str:
    """The line below the title."""
    time, exercises = minutes(read["words"], read["code_lines"]), read["exercises"]
    said = [f"Chapter {number}"] if number else []
    said.append(f"{time} minute{'s' * (time > 1)}")
    if exercises:
        said.append(f"{exercises} exercise{'s' * (exercises > 1)}")
    return " \N{MIDDLE DOT} ".join(said)


def numbered(menu: str, numbers: dict[str, int]) -> str:
    """The table of contents with the numbers of the chapters; `numbers` by address."""

    def entry(link: re.Match[str]) -> str:
        number = numbers.get(link[2])
        return link[0] + (f'<span class="uat-number">{number}</span> ' if number else "")

    return ENTRY.sub(entry, menu)


def tell(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Write the line, and the numbers beside the titles in the menu."""
    found = chapters(app.env)
    read = app.env.metadata[pagename].get(KEY) if pagename in app.env.found_docs else None
    if read and pagename in found and "body" in context:
        line = f'</h1>\n<p class="uat-facts">{facts(found[pagename], read)}</p>'
        context["body"] = TITLE.sub(line, context["body"], count=1)
    menu: Callable[..., Any] | None = context.get("generate_toctree_html")
    if menu is not None:
        address = app.builder.get_relative_uri
        numbers = {("#" if page == pagename else address(pagename, page)): n for page, n in found.items()}
        context["generate_toctree_html"] = lambda *a, **options: numbered(str(menu(*a, **options)), numbers)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; after the theme has made its menu."""
    app.connect("html-page-context", tell, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
