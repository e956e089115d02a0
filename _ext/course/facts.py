"""Say under each title which chapter of the book it is, or where the side trip starts, and how long it takes.

Pages of the path are numbered through, in the order of _toc.yml. Sphinx could number them, but would then number
sections, exercises and statements after them: a Theorem 3.1 of this book beside that of a source.
"""

import re
from collections.abc import Callable
from typing import Any

from sphinx.application import Sphinx

from _ext.course.path import UNNUMBERED, chapters, start_of
from _ext.course.reading import KEY, minutes, rounded

HALF = "\N{VULGAR FRACTION ONE HALF}"
TITLE = re.compile(r"</h1>")
FOLD = re.compile(r"(>)((?:(?!</?a\b).)*)(</a>\s*<details[^>]*>)<summary>.*?</summary>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
REFERENCE = re.compile(
    rf'(<p [^>]*><span class="caption-text">{UNNUMBERED}</span></p>)\s*(<ul class="([^"]*)">.*?</ul>)', re.DOTALL
)
OPENING = re.compile(r'(<p class="uat-facts">.*?\n<p>)(.*?)(?=</p>)', re.DOTALL)
"""From the facts to the end of the first paragraph."""
SENTENCE = re.compile(r"(?:[^.?!<]|<[^>]*>|[.](?! ))+[.?!]+ ?")
ENTRY = re.compile(r'(<li class="toctree-l1[^>]*>\s*<a class="[^"]*" href=")([^"]*)(">)')


def facts(number: int | None, start: int | None, read: dict[str, Any], count: int) -> str:
    """The line below the title, for a page of the path with its number, or a side trip with that of its start."""
    reading, working = minutes(read)
    said = [f"Chapter {number} of {count}"] if number else [f"Side trip from chapter {start}"] if start else []
    said.append(f"{rounded(reading)} min to read")
    if working > reading:
        halves = max(1, round(working / 30))
        said[-1] += f", {halves // 2 or ''}{HALF * (halves % 2)} h to work through"
    if exercises := sum(read["exercises"].values()):
        said.append(f"{exercises} exercise{'s' * (exercises > 1)}")
    return " \N{MIDDLE DOT} ".join(said)


def numbered(menu: str, numbers: dict[str, int]) -> str:
    """The table of contents with the numbers of the chapters, `numbers` by address.

    Side trips and the part called Reference are folded, but those that the page belongs to. The theme's buttons have no
    name, and an icon that the book's font lacks.
    """

    def entry(link: re.Match[str]) -> str:
        number = numbers.get(link[2])
        return link[0] + (f'<span class="uat-number">{number}</span> ' if number else "")

    def trips(found: re.Match[str]) -> str:
        label = f"Side trips from {TAG.sub('', found[2]).strip()}"
        toggle = f'<summary aria-label="{label}"><span class="toctree-toggle"></span></summary>'
        return "".join(found.groups()) + toggle

    def part(found: re.Match[str]) -> str:
        is_open = " open" * ("current" in found[3].split())
        return f'<details class="uat-part"{is_open}><summary>{found[1]}</summary>{found[2]}</details>'

    return REFERENCE.sub(part, ENTRY.sub(entry, FOLD.sub(trips, menu)))


def _open(text: str) -> bool:
    """Whether an element begins in it or ends, and not both."""
    return text.count("<") != 2 * text.count("</")


def opened(body: str) -> str:
    """A page whose first paragraph has its question, the longest one, as a line of its own."""

    def shown(found: re.Match[str]) -> str:
        text = found[2]
        asked = [one for one in SENTENCE.finditer(text) if one[0].rstrip().endswith("?")]
        asked = [one for one in asked if not any(_open(part) for part in (text[: one.start()], one[0]))]
        if not asked:
            return found[0]
        start, end = max(asked, key=lambda one: len(one[0])).span()
        return f'{found[1]}{text[:start]}<span class="uat-question">{text[start:end]}</span>{text[end:]}'

    return OPENING.sub(shown, body, count=1)


def tell(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Write the line, and the numbers beside the titles in the menu."""
    found = chapters(app.env)
    start = found.get(start_of(app.env, pagename) or "")
    read = app.env.metadata[pagename].get(KEY) if pagename in app.env.found_docs else None
    if read and (pagename in found or start) and "body" in context:
        line = f'</h1>\n<p class="uat-facts">{facts(found.get(pagename), start, read, len(found))}</p>'
        context["body"] = TITLE.sub(line, context["body"], count=1)
        context["body"] = opened(context["body"])
    menu: Callable[..., Any] | None = context.get("generate_toctree_html")
    if menu is not None:
        address = app.builder.get_relative_uri
        numbers = {("#" if page == pagename else address(pagename, page)): n for page, n in found.items()}
        context["generate_toctree_html"] = lambda *a, **options: numbered(str(menu(*a, **options)), numbers)


def setup(app: Sphinx) -> None:
    """Register with Sphinx; after the theme has made its menu."""
    app.connect("html-page-context", tell, priority=900)
