"""The tour: each marked word moves the picture beside it, which stays in view, and nothing else."""

import re

import pytest
from conftest import ROOT

WORDS = re.findall(r"\{move\}`[^`<]+<([\w-]+)\?", (ROOT / "tour.md").read_text(encoding="utf-8"))
SEEN = """(name) => {
  const card = document.getElementById(`explorer-${name}`) ?? document.getElementById(name);
  const drawing = card.querySelector(".uat-view").shadowRoot.querySelector(".stage, .pictures").getBoundingClientRect();
  const head = document.querySelector(".bd-header-article").getBoundingClientRect().bottom;
  const hidden = Math.max(0, head - drawing.top) / drawing.height;
  return [hidden, Math.min(drawing.bottom, innerHeight) - Math.max(drawing.top, head)];
}"""


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=["phone", "desk"])
def test_a_marked_word_moves_the_picture_in_view_and_leaves_the_page_where_it_is(phone, site, size):
    tab = phone.open(f"{site}tour.html")
    tab.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    links = tab.locator("a.uat-move")
    assert links.count() == len(WORDS) > 18
    for at, name in enumerate(WORDS):
        link = links.nth(at)
        link.evaluate("(link) => scrollTo(0, link.getBoundingClientRect().top + scrollY - innerHeight * 0.7)")
        tab.wait_for_timeout(100)
        before = link.bounding_box()["y"]
        link.click()
        tab.wait_for_timeout(400)
        assert abs(link.bounding_box()["y"] - before) < 5, name
        hidden, shown = tab.evaluate(SEEN, name)
        assert hidden < 0.1, (name, hidden)  # by the header, of the drawing's height
        assert shown > 190, (name, shown)
    assert tab.url.startswith(f"{site}tour.html")
    assert phone.complaints == []


def test_no_word_of_the_tour_leads_away_but_those_at_its_end(book):
    text = (book / "tour.html").read_text(encoding="utf-8")
    moves = re.findall(r'<a class="uat-move[^"]*" href="([^"]*)"', text)
    assert len(moves) == len(WORDS)
    assert all(address.startswith("#") for address in moves)


def test_on_paper_and_without_a_script_the_pictures_stand_in_the_text(bare, site):
    tab = bare.open(f"{site}tour.html")
    assert tab.locator(".tag_beside svg").count() >= len(set(WORDS))
    tab.emulate_media(media="print")
    places = tab.locator(".tag_beside").evaluate_all("(cells) => cells.map((cell) => getComputedStyle(cell).position)")
    assert set(places) == {"static"}
