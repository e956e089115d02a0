"""On the built pages: the first use of each term links to its entry, and its tip shows."""

import functools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from _ext.finish.search import in_lines
from _ext.text.terms import Uses, terms

ROOT = Path(__file__).resolve().parents[2]

APART = {"h1", "h2", "h3", "h4", "h5", "pre", "code", "table", "details", "figcaption", "script", "svg"}
APART_BY_CLASS = {
    *("math", "cell", "exercise", "solution", "dropdown", "toggle", "admonition-title", "headerlink", "rubric"),
    *("footnote", "uat-facts", "uat-guess", "uat-check-line", "uat-check", "sd-card"),
}
LONG = re.compile(r"<(svg|script)\b.*?</\1>", re.DOTALL)
GLOSSARY = (ROOT / "library" / "glossary.md").read_text(encoding="utf-8")


def article(path: Path) -> lxml.html.HtmlElement:
    """The text of a page."""
    text = LONG.sub("", in_lines(path.read_text(encoding="utf-8")))
    (page,) = lxml.html.fromstring(text).iter("article")
    return page


def running(part: lxml.html.HtmlElement, link: lxml.html.HtmlElement | None = None) -> Iterator[tuple[str, Any]]:
    """The running text of a part, each piece with the link in which it stands."""
    link = part if part.tag == "a" else link
    yield part.text or "", link
    for child in part.iterchildren(tag=lxml.etree.Element):
        apart = child.tag in APART or not APART_BY_CLASS.isdisjoint(child.classes)
        if not apart or (link is not None and "uat-term" in link.classes):
            yield from running(child, link)
        yield child.tail or "", link


@functools.cache
def entries(glossary: Path) -> set[str]:
    """The ids of its entries."""
    return {*lxml.html.fromstring(glossary.read_bytes()).xpath("//dt/@id")}


def test_the_first_use_of_a_term_links(book, page_name):
    if not page_name.startswith("chapters/"):
        assert "uat-term" not in (book / f"{page_name}.html").read_text(encoding="utf-8")
        return
    page, known = article(book / f"{page_name}.html"), terms(GLOSSARY)
    uses, ids = Uses(known, page_name), entries(book / "library/glossary.html")
    linked: Counter[str] = Counter()
    last = None
    for text, link in running(page):
        if link is not None and "uat-term" in link.classes:
            address, _, place = link.get("href").partition("#")
            assert (address, place in ids) == ("../library/glossary.html", True)
            linked[place] += link is not last
            last = link
            assert link.get("data-tip") == link.get("aria-description")
            assert not set("$\\{}") & set(link.get("data-tip"))
            said = uses.pattern.fullmatch(text)
            if said:
                uses.first(uses.words[" ".join(said[0].lower().split())])
        elif link is None:
            # Whatever is used here was linked before.
            assert [text[start:end] for start, end, _ in uses.found(text)] == [], text
    assert linked
    assert set(linked.values()) == {1}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_tip_shows_for_the_keyboard_within_the_page(desk, phone, site, scheme):
    for reader in (desk, phone):
        reader.show(scheme, reader.size)
        tab = reader.open(f"{site}chapters/yun-theorem-2.html")
        wide = tab.evaluate("document.documentElement.scrollWidth")
        for term in tab.locator("a.uat-term").all()[:6]:
            shown = "link => getComputedStyle(link, '::after').content"
            assert term.evaluate(shown) == "none"
            tab.keyboard.press("Tab")  # so that what follows counts as the keyboard's
            term.focus()
            assert term.get_attribute("data-tip") in term.evaluate(shown) or "attr" in term.evaluate(shown)
            assert tab.evaluate("document.documentElement.scrollWidth") == wide
            tab.keyboard.press("Escape")
            assert term.evaluate(shown) == "none"
        tab.emulate_media(media="print")
        assert tab.locator("a.uat-term").first.evaluate("link => getComputedStyle(link).textDecorationLine") == "none"
        tab.emulate_media(media="screen")
        reader.rest()


def test_a_finger_opens_the_tip_and_follows_when_it_comes_again(phone, site):
    tab = phone.open(f"{site}chapters/yun-theorem-2.html")
    term, other = tab.locator("a.uat-term").all()[:2]
    shown = "link => getComputedStyle(link, '::after').content !== 'none'"
    for link in (term, other):
        link.tap()
        assert link.evaluate(shown)
        assert tab.url.endswith("yun-theorem-2.html")
    assert not term.evaluate(f"link => link.matches(':hover') || ({shown})(link)")
    tab.locator(".bd-article h1").tap()
    assert tab.locator(".uat-open").count() == 0
    term.tap()
    term.tap()
    tab.wait_for_url("**/glossary.html#*")
