"""Finding things in the built book: search by name and from a folder, numbers of chapters, rights, one width."""

import os
import re
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import expect

from _ext.head.about import ABOUT

ROOT = Path(__file__).resolve().parents[2]

DONE = "document.querySelector('.search-summary')?.innerText.startsWith('Search finished')"
WITH_SNIPPETS = (
    "[...document.querySelectorAll('ul.search li')].slice(0, 5).every((li) => li.querySelector('p.context'))"
)


def search(reader, address, words):
    tab = reader.open(f"{address}search.html?q={words.replace(' ', '+')}")
    tab.wait_for_function(DONE)
    tab.wait_for_function(WITH_SNIPPETS)
    return [
        (item.locator("a").get_attribute("href"), item.locator("p.context").inner_text())
        for item in tab.locator("ul.search > li").all()[:5]
    ]


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("Lemma 8", "chapters/yun-contextual-mapping.html"),
        ("corollary 4.1.1", "chapters/liu-self-attention.html"),
        ("Definition 3.2", "library/statements.html"),
        ("XCiT", "library/atlas.html"),
    ],
)
def test_the_name_of_a_statement_finds_its_page_first(desk, site, words, page):
    (first, snippet), *_ = search(desk, site, words)
    assert first.partition("#")[0] == page
    assert first.partition("#")[2]
    assert snippet
    assert desk.complaints == []


def test_search_in_a_folder_shows_each_formula_once_and_complains_of_nothing(folder, site, book):
    found = search(folder, f"{book.as_uri()}/", "selective shift")
    assert folder.complaints == []
    assert (
        "library/glossary.html#term-selective-shift" in [address for address, _ in found] or "glossary" in found[0][0]
    )
    assert any("yun-contextual-mapping" in address for address, _ in found[:3])
    text = " ".join(snippet for _, snippet in found)
    assert "shift" in text
    assert re.findall(r"(\\[a-z]+|\b(\w{2,4})\2\2)", text) == []


def test_the_glass_stands_beside_what_is_typed(desk, site):
    tab = desk.open(f"{site}search.html?q=Lemma")
    for form in tab.locator("form.bd-search").all():
        if form.is_visible():
            glass = form.locator("i").bounding_box()
            field = form.locator("input")
            padding = float(field.evaluate("field => getComputedStyle(field).paddingLeft").removesuffix("px"))
            assert field.bounding_box()["x"] + padding >= glass["x"] + glass["width"]


def test_the_path_has_numbers_in_the_menu_and_below_titles_and_side_trips_say_where_they_start(book):
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    path = [chapter for part in toc["parts"] if part["caption"] != "Reference" for chapter in part["chapters"]]
    path = [chapter for chapter in path if chapter["file"].startswith("chapters/")]
    times = r" \u00b7 \d+ min to read, [\d\u00bd]+ h to work through \u00b7 \d+ exercises?"
    numbers = [str(k) for k in range(1, len(path) + 1)]
    for number, chapter in enumerate(path, start=1):
        text = (book / f"{chapter['file']}.html").read_text(encoding="utf-8")
        (line,) = re.findall(r'<p class="uat-facts">(.*?)</p>', text)
        assert re.fullmatch(f"Chapter {number} of {len(path)}{times}", line)
        assert re.findall(r'<span class="uat-number">(\d+)</span>', text) == numbers
        assert re.search(rf'href="#"><span class="uat-number">{number}</span>', text)
        for trip in chapter.get("sections", ()):
            text = (book / f"{trip['file']}.html").read_text(encoding="utf-8")
            (line,) = re.findall(r'<p class="uat-facts">(.*?)</p>', text)
            assert re.fullmatch(f"Side trip from chapter {number}{times}", line)
            assert re.search(r'</p>\s*<p class="uat-side-trip">Go if [^<]', text)
    for page in ("library/statements", "library/glossary"):
        text = (book / f"{page}.html").read_text(encoding="utf-8")
        assert "uat-facts" not in text
        assert re.findall(r'<span class="uat-number">(\d+)</span>', text) == numbers


def test_no_formula_is_left_as_it_was_typed(book, page_name):
    page = (book / f"{page_name}.html").read_text(encoding="utf-8")
    article = page[page.index("<article") : page.index("</article>")]
    text = re.sub(r"<(script|style|pre|code|annotation)\b.*?</\1>|<[^>]+>", "", article, flags=re.DOTALL)
    assert re.findall(r".*\$.*", text) == []


def test_a_page_has_one_width_a_description_and_its_rights(book, page_name):
    text = (book / f"{page_name}.html").read_text(encoding="utf-8")
    assert text.count('name="viewport"') == 1
    (said,) = re.findall(r'<meta name="description" content="([^"]*)"', text) or [""]
    assert 30 < len(said) <= 200 or not page_name.startswith("chapters/")
    links = re.findall(r'href="([^"]*_static/about/[^"]*)"', text)
    assert {link.rpartition("/")[2] for link in links} == set(ABOUT.values())
    assert all((book / page_name).parent.joinpath(link).resolve().is_file() for link in links)


def test_links_to_a_repository_stand_where_one_is_known(book):
    text = (book / "chapters/ground.html").read_text(encoding="utf-8")
    known = os.environ.get("GITHUB_REPOSITORY")
    buttons = len(re.findall(r"source-(?:repository|file|edit|issues)-button", text))
    launched = [host in text for host in ("mybinder.org", "colab.research.google.com")]
    assert (buttons, launched) == ((4, [True] * 2) if known else (0, [False] * 2))
    assert '"../library/ways.html"' in text
    assert "_sources/chapters/ground.ipynb" in text


def test_the_contents_mark_a_section_within_a_section(desk, site):
    tab = desk.open(f"{site}library/more-liu.html")
    inner = tab.locator(".bd-toc-nav li li a").first
    expect(inner).to_be_hidden()
    tab.evaluate("hash => { location.hash = hash; }", inner.get_attribute("href"))
    expect(inner).to_have_attribute("aria-current", "true")
    tab.evaluate("document.querySelector('#pst-secondary-sidebar-checkbox').checked = true")  # a picture folds it
    expect(inner).to_be_visible()
    assert tab.locator(".bd-toc-nav [aria-current]").count() == 1
