"""Two controls stand above a picture, the others in a fold below it, which nobody has to know of to see what is set."""

import re

import pytest
from bs4 import BeautifulSoup
from live_pages import STILL
from playwright.sync_api import expect

from explorables.live.picture import node
from page_explorers import ALL_PAGES, explorers, live_pictures, page_text
from uatbook.live.picture import FILES

BULK = re.compile(r"<svg\b.*?</svg>|<script\b.*?</script>", re.DOTALL)
CARD = "chapters/ground.html", "#explorer-shuffle"
MOVED = """async ([word, still]) => {
  const link = [...document.querySelectorAll('a.uat-move[href^="#explorer-shuffle"]')].find((a) => a.textContent === word);
  link.closest(".admonition.toggle-hidden")?.querySelector(".toggle-button").click();
  link.scrollIntoView({ block: "center", behavior: "instant" });
  await still();
  const before = link.getBoundingClientRect().top;
  link.click();
  await still();
  await new Promise((done) => setTimeout(done, 400));
  return link.getBoundingClientRect().top - before;
}""".replace("[word, still]", "word").replace("still()", f"({STILL})()")


def test_no_page_shows_more_than_two_controls_above_a_picture(book):
    """Rows of controls that are shown when the page opens, on pages and slides; the others are named by their fold."""
    cards = 0
    for file in sorted(book.rglob("*.html")):
        text = file.read_text(encoding="utf-8")
        if 'class="uat-explorer"' not in text:
            continue
        for card in BeautifulSoup(BULK.sub("", text), "html.parser").select(".uat-explorer .explorer"):
            title = card.select_one(".title").text
            above = card.select(":scope > .controls > .control:not([hidden]) .name")
            assert len(above) <= 2, (file.name, title, [name.text for name in above])
            for fold in card.select(".more"):
                assert re.fullmatch(r"More: \S.*|The bill in words", fold.summary.text), (file.name, title)
                assert fold.parent is card
                words = card.select_one(".words")
                assert not fold.has_attr("open")
                assert words.parent is fold or fold.find_previous_sibling(class_="words") is words
            cards += 1
    assert cards > 80


@pytest.mark.parametrize("page", ALL_PAGES)
def test_nor_does_a_choice_bring_more(page):
    """Of the menus above a live picture each choice is tried; a formula is typed in a field that its own choice brings."""
    for spec in (picture.spec for picture in live_pictures(page)):
        held = {handle[axis] for handle in spec["handles"] for axis in ("x", "y")}
        folded = spec.get("fold", {"controls": ()})["controls"]
        typed = {"hidden"} if spec["name"].startswith("slides") or "formula" not in str(spec["controls"]) else {"hidden", "text"}
        rows = [c for c in spec["controls"] if c["kind"] not in typed and c["name"] not in {*held, *folded}]
        start = [control["start"] for control in spec["controls"]]
        for menu in (row for row in rows if row.get("keys")):
            for k in range(len(menu["keys"])):
                at = [k if control is menu else old for control, old in zip(spec["controls"], start, strict=True)]
                hidden = node(FILES).ask({"spec": spec, "at": at, "widths": [650]}).get("hide", ())
                assert len([row for row in rows if row["name"] not in hidden]) <= 2, (spec["title"], menu["name"], k)


def test_a_control_in_the_fold_says_its_name_and_is_one_of_the_picture():
    folded = [spec["controls"] for page in ALL_PAGES for spec in specs(page)]
    assert len(folded) > 25
    for page in ALL_PAGES:
        text = page_text(page)
        for spec in specs(page):
            names = {control["name"]: control for control in spec["controls"]}
            for name in spec["fold"]["controls"]:
                assert name in names
                assert "summary" in spec["fold"] or f'id="first-{spec["name"]}-{name}-word"' in text


def specs(page):
    """The specs of the page that have a fold."""
    import json

    found = re.findall(r'<script type="application/json" class="uat-spec">([^<]*)</script>', page_text(page))
    return [spec for spec in map(json.loads, found) if "fold" in spec]
