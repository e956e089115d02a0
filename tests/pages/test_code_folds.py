"""Code of the text: a line on a phone that opens, and all of it where there is room, on paper, and without a script."""

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

PAGE, SHOWN = "chapters/yun-contextual-mapping.html", "details.uat-shown"
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
    if (entry.sources.some(({ node }) => node?.parentElement?.closest(".bd-article"))) sum += entry.value;
  }))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 500);
})"""


def test_each_page_folds_the_code_of_its_text_and_says_what_it_does(book):
    folded = 0
    for file in sorted((book / "chapters").glob("*.html")):
        page = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
        for code in page.select(".bd-article section > div.cell > .cell_input"):
            assert code is None, (file.name, "code that a phone cannot fold")
        for fold in page.select(SHOWN):
            code = fold.select_one(".cell_input pre").get_text().strip().splitlines()
            lines = f", {len(code)} line{'s' * (len(code) > 1)}"
            assert not fold.has_attr("open")
            assert all(p.get_text().startswith("Code: ") for p in fold.select("summary p")), file.name
            assert all(p.get_text().endswith(lines) for p in fold.select("summary p")), file.name
            folded += 1
    assert folded > 80


def test_on_a_phone_it_opens_under_a_finger_and_stays_open_on_the_way_back(phone, site):
    tab = phone.open(f"{site}{PAGE}")
    fold = tab.locator(SHOWN).first
    expect(fold.locator("pre")).not_to_be_visible()
    assert fold.locator("summary").bounding_box()["height"] >= 40
    fold.locator("summary").tap()
    expect(fold.locator("pre")).to_be_visible()
    link = tab.locator(".uat-way .uat-next.uat-main")
    link.tap()
    tab.wait_for_url(lambda address: PAGE not in address)
    tab.go_back(wait_until="load")
    expect(tab.locator(SHOWN).first.locator("pre")).to_be_visible()
    expect(tab.locator(SHOWN).nth(1).locator("pre")).not_to_be_visible()
    expect(link).to_be_in_viewport()
    assert phone.complaints == []


def test_an_address_within_folded_code_opens_it(phone, site):
    tab = phone.open(f"{site}{PAGE}")
    tab.locator(f"{SHOWN} .cell_input").first.evaluate("(code) => { code.id = 'within'; location.hash = '#within'; }")
    expect(tab.locator(f"{SHOWN} pre").first).to_be_in_viewport()


def test_nothing_of_the_text_moves_while_the_page_loads(phone, site):
    tab = phone.open(f"{site}{PAGE}")
    assert tab.evaluate(SHIFTS) == 0


@pytest.mark.parametrize("width", [500, 1280])
def test_where_there_is_room_code_stands_open_without_a_line(desk, site, width):
    tab = desk.open(f"{site}{PAGE}")
    tab.set_viewport_size({"width": width, "height": 800})
    for fold in tab.locator(SHOWN).all():
        expect(fold.locator("pre")).to_be_visible()
        expect(fold.locator("summary")).not_to_be_visible()
        assert fold.locator("pre").bounding_box()["height"] > 20
    desk.rest()


def test_without_a_script_it_opens_by_key_and_on_paper_it_is_open(bare, site):
    tab = bare.open(f"{site}{PAGE}")
    tab.set_viewport_size({"width": 390, "height": 844})
    fold = tab.locator(SHOWN).first
    expect(fold.locator("pre")).not_to_be_visible()
    tab.emulate_media(media="print")
    expect(fold.locator("pre")).to_be_visible()
    expect(fold.locator("summary")).not_to_be_visible()
    tab.emulate_media(media="screen")
    fold.locator("summary").focus()
    tab.keyboard.press("Enter")
    expect(fold.locator("pre")).to_be_visible()
    bare.rest()
