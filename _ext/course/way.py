"""Where a page stands on the path, as a staircase of a stair a chapter, and the ways on at its foot.

The theme's buttons follow the table of contents, side trips and all, so that whoever presses Next leaves the path. Here
chapters lead to chapters, side trips back to theirs, and all other pages to their neighbours in the table of contents.
"""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from _ext.course.path import chapters, parts, start_of
from _ext.text.words import ALL, STEPS
from _ext.text.words import KEY as STEP

HEADER = "uat-place.html"
HEADING = "<h1>"
TOUR = "tour"
"""It and the front page have the screen for themselves, without lists beside them."""
WIDE, LOW, RISE, FLOOR = 28, 54, 50, 62
"""Of a drawing: how wide a stair is, how low the first lies, by how much the last is higher; where the ground is."""


def order(env: BuildEnvironment) -> list[str]:
    """The front page, and all others in the order of the table of contents, without side trips."""
    return [str(env.config.root_doc), *(page for part in parts(env).values() for page in part)]


def neighbours(env: BuildEnvironment, page: str) -> tuple[str | None, str | None]:
    """The pages before and behind one; of a side trip its chapter, and what follows that."""
    pages = order(env)
    if start := start_of(env, page):
        return start, neighbours(env, start)[1]
    if page not in pages:
        return None, None
    at = pages.index(page)
    return (pages[at - 1] if at else None), (pages[at + 1] if at + 1 < len(pages) else None)


def heights(count: int) -> list[float]:
    """Of stairs that follow a curve as those of the logo do: the middle of each lies on it."""
    return [round(LOW - RISE * _curve((k + 0.5) / count), 1) for k in range(count)]


def _curve(t: float) -> float:
    return (2 * t + t * t * (3 - 2 * t)) / 3


def drawing(steps: Sequence[str], at: int, trip: bool) -> str:
    """A stair for each of `steps`, in its colour, climbed up to number `at`; a side trip branches off it.

    A chapter about all three steps has a stair of three layers. At 0 nothing is climbed.
    """
    tops = heights(len(steps))
    stairs = "".join(_drawn(WIDE * k, top, steps[k], at - k - 1) for k, top in enumerate(tops))
    x, top = WIDE * (at - 0.5), tops[at - 1]
    mark = f'<circle cx="{x:g}" cy="{top - 7:g}" r="6"/>' * bool(at)
    if trip:
        mark = f'<circle class="off" cx="{x + 17:g}" cy="{top - 14:g}" r="5"/>'
        mark = f'<path class="branch" d="M{x:g} {top - 1:g}l13 -9"/>{mark}'
    size = f"-2 -10 {WIDE * len(steps) + 4} {FLOOR + 10}"
    return f'<svg viewBox="{size}" aria-hidden="true" focusable="false">{stairs}{mark}</svg>'


def _drawn(x: float, top: float, step: str, behind: int) -> str:
    """One stair: of one colour, or of three."""
    where = "" if behind < 0 else " here" if behind == 0 else " climbed"
    layers = [step] if step in STEPS else [*STEPS]
    cuts = [FLOOR + (top - FLOOR) * k / len(layers) for k in range(len(layers) + 1)]
    return "".join(
        f'<path class="stair {layer}{where}" d="M{x + 1:g} {low:.4g}V{high:.4g}h{WIDE - 2}V{low:.4g}Z"/>'
        for layer, low, high in zip(layers, cuts, cuts[1:], strict=False)
    )


def said(count: int, at: int, trip: bool) -> str:
    """The same in words."""
    return f"Side trip from chapter {at} of {count}" if trip else f"Chapter {at} of {count}"


class Ways:
    """What a page needs of the others: their titles, and where they lie from here."""

    def __init__(self, app: Sphinx, page: str) -> None:
        """Of a page of the book."""
        self.env, self.page = app.env, page
        self.numbers = chapters(app.env)
        self.start = start_of(app.env, page)
        self.at = self.numbers.get(self.start or page)
        self.builder = app.builder
        self.root = str(app.config.root_doc)

    def address(self, other: str) -> str:
        """From here."""
        return escape(self.builder.get_relative_uri(self.page, other), quote=True)

    def title(self, other: str) -> str:
        """Of a page, with its number if it has one."""
        title = escape(self.env.titles[other].astext())
        return f"Chapter {self.numbers[other]}: {title}" if other in self.numbers else title

    def stairs(self) -> str:
        """The staircase, of which each stair is a link."""
        count, trip = len(self.numbers), self.start is not None
        links = "".join(self._stair(page, number) for page, number in self.numbers.items())
        picture = drawing(self._steps(), self.at or 1, trip)
        words, step = said(count, self.at or 1, trip), self._steps()[(self.at or 1) - 1]
        number = f' data-number="{self.at}"' * (self.page in self.numbers)
        return f'<nav class="uat-stairs {step}" aria-label="{words}"{number}>{picture}<ol>{links}</ol></nav>\n'

    def _steps(self) -> list[str]:
        """What each chapter is about."""
        return [str(self.env.metadata[page].get(STEP, ALL)) for page in self.numbers]

    def _stair(self, page: str, number: int) -> str:
        here = ' aria-current="page"' if page == self.page else ' aria-current="step"' if number == self.at else ""
        title = self.title(page)
        href = "#" if page == self.page else self.address(page)
        return f'<li><a href="{href}" title="{title}" aria-label="{title}"{here}></a></li>'

    def place(self) -> str:
        """The staircase for the head of the page, which stays when the text moves: one link, to the whole path."""
        count, trip = len(self.numbers), self.start is not None
        short = f"{self.at}/{count}" if self.at else "The path"
        words = f"{short}: {said(count, self.at, trip) if self.at else f'{count} chapters'}"
        small = f"<span>{short}</span>"
        href = f"{self.address(self.root)}#the-path"
        picture = drawing(self._steps(), self.at or 0, trip)
        return f'<a class="uat-place-mark" href="{href}" title="{words}" aria-label="{words}">{picture}{small}</a>'

    def on(self) -> str:
        """The ways on: large the next chapter, or back to that of a side trip, and small its side trips."""
        before, after = neighbours(self.env, self.page)
        large = "".join(self._large(before, after))
        small = [(self.address(trip), self.title(trip)) for trip in self._trips()]
        name = "Other side trips of this chapter" if self.start else "Side trips of this chapter"
        links = "".join(f'<li><a href="{href}">{title}</a></li>' for href, title in small)
        trips = f'<div class="uat-way-trips"><p>{name}</p><ul>{links}</ul></div>' if small else ""
        return f'<nav class="uat-way" aria-label="Ways on">{trips}<div class="uat-way-on">{large}</div></nav>\n'

    def _large(self, before: str | None, after: str | None) -> Iterator[str]:
        for page, rel in ((before, "prev"), (after, "next")):
            if page is None:
                continue
            number, title = self.numbers.get(page), escape(self.env.titles[page].astext())
            if rel == "prev":
                word = f"Back to chapter {number}" if number else "Back"
            else:
                word = "Next chapter" if number else "Next"
            main = (rel == "prev") == (self.start is not None)
            kind = f'class="uat-{rel}{" uat-main" * main}"'
            yield f'<a {kind} rel="{rel}" href="{self.address(page)}"><small>{word}</small> <b>{title}</b></a>'

    def _trips(self) -> list[str]:
        below = {chapter: trips for part in parts(self.env).values() for chapter, trips in part.items()}
        return [trip for trip in below.get(self.start or self.page, []) if trip != self.page]


def brand(app: Sphinx, home: str) -> str:
    """The book's mark and name, a link to its front page."""
    stairs = "".join(
        f'<path class="stair here {step}" d="M{k * 9} 21v{-7 * k - 6}h8v{7 * k + 6}Z"/>' for k, step in enumerate(STEPS)
    )
    name = escape(app.config.html_theme_options["logo"]["text"])
    picture = f'<svg viewBox="0 0 26 21" aria-hidden="true" focusable="false">{stairs}</svg>'
    return (
        f'<a class="uat-brand" href="{escape(home, quote=True)}" aria-label="{name}">{picture}<span>{name}</span></a>'
    )


def lay(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Put the staircase above the title, name and small staircase into the head, and the ways on at the end."""
    context["theme_article_header_start"] = [*context.get("theme_article_header_start", []), HEADER]
    root = str(app.config.root_doc)
    context["uat_place"] = brand(app, "#" if pagename == root else context["pathto"](root))
    if "body" not in context or pagename not in app.env.found_docs:
        return
    ways = Ways(app, pagename)
    before, after = neighbours(app.env, pagename)
    context["uat_place"] += ways.place() if ways.numbers else ""
    if pagename in (root, TOUR):
        context["meta"] = {**(context.get("meta") or {}), "html_theme.sidebar_secondary.remove": ""}
        context["uat_place"] += '<span class="uat-alone" hidden></span>'
    if ways.at:
        context["body"] = context["body"].replace(HEADING, ways.stairs() + HEADING, 1)
    if before or after:
        context["body"] += ways.on()
        context["theme_show_prev_next"] = False
    for name, page in (("prev", before), ("next", after)):
        if page:
            context[name] = {"link": app.builder.get_relative_uri(pagename, page), "title": ways.title(page)}
        else:
            context.pop(name, None)


def find(app: Sphinx, config: Config) -> None:
    """Let the theme find what stands in its header."""
    config.templates_path.append(str(Path(__file__).parent))


def setup(app: Sphinx) -> None:
    """Register with Sphinx: behind the search, for which the ways are no text of the page."""
    app.connect("config-inited", find)
    app.connect("html-page-context", lay, priority=975)
