"""The way through the built book: Next follows the path, the staircase says where one is, the atlas has doors."""

import re

import pytest
import yaml
from bs4 import BeautifulSoup
from conftest import ROOT
from reader import PHONE

from uatbook.atlas import MIXERS
from uatbook.atlas.page import anchor

PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
PAGES = [page for part in PARTS for page in part["chapters"]]
CHAPTERS = {
    page["file"]: [trip["file"] for trip in page.get("sections", ())]
    for page in PAGES
    if page["file"].startswith("chapters/") and page["file"] != "chapters/writing-explorers"
}
PATH = [*CHAPTERS]
DOORS = ("index", "tour", "chapters/cheng-your-mixer", "chapters/conclusion")


def test_next_leads_through_all_chapters(desk, site):
    tab = desk.open(f"{site}{PATH[0]}.html")
    for page in PATH[1:]:
        tab.locator(".uat-way .uat-next.uat-main").click()
        tab.wait_for_url(f"{site}{page}.html")
    assert desk.complaints == []


def test_a_side_trip_leads_back_and_a_chapter_to_all_of_its_own(book):
    for number, (page, trips) in enumerate(CHAPTERS.items(), start=1):
        text = (book / f"{page}.html").read_text(encoding="utf-8")
        way = text[text.index('<nav class="uat-way"') :].partition("</nav>")[0]
        small = way.partition('class="uat-way-on"')[0]
        assert [f"chapters/{file}" for file in re.findall(r'<li><a href="([\w-]+)\.html"', small)] == trips
        assert "prev-next-area" not in text
        for trip in trips:
            text = (book / f"{trip}.html").read_text(encoding="utf-8")
            back = re.search(r'class="uat-prev uat-main" rel="prev" href="([\w-]+)\.html"><small>(.*?)</small>', text)
            assert back is not None
            assert back.groups() == (page.removeprefix("chapters/"), f"Back to chapter {number}")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_stairs_are_wide_enough_to_press_and_lead_to_their_chapters(desk, site, width):
    tab = desk.open(f"{site}{PATH[2]}.html")
    tab.set_viewport_size({"width": width, "height": 800})
    nav = tab.get_by_role("navigation", name=f"Chapter 3 of {len(PATH)}")
    links = nav.get_by_role("link").all()
    assert [link.get_attribute("href") for link in links] == [
        "#" if page == PATH[2] else f"{page.removeprefix('chapters/')}.html" for page in PATH
    ]
    boxes = [link.bounding_box() for link in links]
    assert all(box["width"] >= 24 and box["height"] >= 24 for box in boxes)
    assert boxes[-1]["x"] + boxes[-1]["width"] <= width
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert nav.locator('[aria-current="page"]').count() == 1
    links[3].focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url(f"{site}{PATH[3]}.html")


def test_all_pages_have_the_same_head(desk, bare, site):
    for page in ("index", "tour", PATH[1], "library/atlas", "search"):
        for reader in (desk, bare):
            head = reader.open(f"{site}{page}.html").locator(".bd-header-article")
            box = head.bounding_box()
            assert (box["x"], box["y"], box["width"]) == (0, 0, 1280)
            assert box["height"] <= 50
            assert head.locator(".uat-brand:visible").inner_text() == "Transformers as Universal Approximators"
            assert head.locator(".uat-place-mark:visible").count() == (page != "search")
            assert head.get_by_role("button", name="Search").count() == (reader is desk)
        assert desk.complaints == bare.complaints == []


@pytest.mark.parametrize("page", ["index", "tour"])
def test_what_is_read_like_a_film_has_no_lists_beside_it_but_in_a_drawer(desk, site, page):
    tab = desk.open(f"{site}{page}.html")
    menu, button = tab.locator(".bd-docs-nav"), tab.locator(".primary-toggle")
    assert not menu.is_visible()
    assert not tab.locator(".bd-sidebar-secondary").is_visible()
    button.focus()
    tab.keyboard.press("Enter")
    menu.locator("a:focus").wait_for()
    tab.keyboard.press("Escape")
    menu.wait_for(state="hidden")
    assert button.evaluate("(button) => button === document.activeElement")


def test_a_chapter_opens_with_its_number_and_its_question(desk, site):
    asked = 0
    for number, page in enumerate(PATH, start=1):
        tab = desk.open(f"{site}{page}.html")
        assert tab.locator(".uat-stairs").get_attribute("data-number") == str(number)
        question = tab.locator(".uat-question")
        asked += question.count()
        for one in question.all():
            assert one.inner_text().strip().endswith("?")
            assert one.bounding_box()["y"] < 500
    assert asked >= len(PATH) - 1


def test_links_of_the_path_are_large_enough_to_press(phone, site):
    tab = phone.open(f"{site}index.html")
    tab.evaluate("document.documentElement.dataset.whole = ''")
    boxes = [link.bounding_box() for link in tab.locator(".uat-path > ol > li > p a, .uat-path summary").all()]
    assert len(boxes) > len(PATH)
    assert min(box["height"] for box in boxes) >= 24


def test_the_place_stays_in_the_head_of_the_page_and_leads_to_the_path(phone, site):
    tab = phone.open(f"{site}{PATH[4]}.html")
    mark = tab.get_by_role("link", name=f"5/{len(PATH)}: Chapter 5 of {len(PATH)}")
    tab.evaluate("scrollTo(0, 3000)")
    tab.wait_for_function("scrollY > 2000")
    box = mark.bounding_box()
    assert 0 <= box["y"] < 60
    assert mark.inner_text().strip() == f"5/{len(PATH)}"
    mark.click()
    tab.wait_for_url("**/index.html#the-path")
    assert tab.locator("#the-path").count() == 1


def test_the_atlas_stands_where_readers_pass(book):
    for page in DOORS:
        text = (book / f"{page}.html").read_text(encoding="utf-8")
        door = text[text.index("uat-door") :]
        link = re.search(r'href="([^"]*library/|\.\./library/)atlas\.html">Softmax attention and (\d+) ', door)
        assert link is not None
        assert int(link[2]) + 1 == len(MIXERS)
        named = re.findall(r'atlas\.html#(mixer-[\w-]+)"', text)
        assert named
        assert set(named) <= {anchor(name) for name in MIXERS}


def test_the_front_page_ends_with_the_path_and_the_map_of_the_sources_lies_with_the_sources(book):
    front = BeautifulSoup((book / "index.html").read_text(encoding="utf-8"), "html.parser")
    headings = front.select("article h2")
    assert headings[-1].get_text(strip=True).startswith("The path")
    door = front.select_one(".uat-door")
    assert [heading in door.find_all_next("h2") for heading in headings[-2:]] == [False, True]  # between the two
    sources = BeautifulSoup((book / "references.html").read_text(encoding="utf-8"), "html.parser")
    assert sources.select_one("#map-of-sources table") or sources.select_one("#a-map-of-the-sources table")
    assert front.select("article a[href='references.html#map-of-sources']")


@pytest.mark.parametrize("way", ["no script", "script", "folder"])
def test_a_door_takes_a_few_letters_to_the_atlas(bare, desk, folder, site, book, way):
    reader = {"no script": bare, "script": desk, "folder": folder}[way]
    tab = reader.open((book / "index.html").as_uri() if way == "folder" else f"{site}index.html")
    field = tab.get_by_label("A few letters of its name")
    field.fill("MAMBA")
    field.press("Enter")
    tab.wait_for_url("**/library/atlas.html?q=MAMBA")
    if way == "no script":
        assert tab.locator(".uat-atlas tbody tr").count() == len(MIXERS)
        return
    tab.locator(".uat-find li a").first.wait_for()
    expected = [name for name in MIXERS if "mamba" in name.lower()]
    found = tab.locator(".uat-find li a > span").all_inner_texts()
    assert sorted(found) == sorted(expected)
    assert reader.complaints == []


def test_the_front_page_draws_a_pair_that_leads_to_its_row_with_no_script_at_all(bare, folder, book):
    for reader in (bare, folder):
        tab = reader.open((book / "index.html").as_uri())
        figure = tab.locator(".uat-door-row figure")
        assert figure.locator("svg[aria-label^='X:']").count() == 1
        at = figure.bounding_box()
        tab.mouse.wheel(0, at["y"] - 200)
        figure.locator("svg").click(force=True)  # the link lies over all of the row
        tab.wait_for_url("**/library/atlas.html#mixer-linear-self-attention")


HEADS = """table => [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1).map((cell) => {
  const head = cell.querySelector(".uat-head"), { left, width } = cell.getBoundingClientRect();
  return [head.textContent, head.checkVisibility(), Math.round(left), width];
}))"""


@pytest.mark.parametrize("width", [390, 320])
def test_on_a_phone_the_map_of_the_sources_is_cards_with_a_head_on_each_cell(phone, site, width):
    phone.show("light", {"width": width, "height": 844})
    tab = phone.open(f"{site}references.html")
    table = tab.locator("table.uat-cards")
    heads = [head.text_content().strip() for head in table.locator("thead th").all()[1:]]
    rows = table.evaluate(HEADS)
    assert (len(heads), len(rows)) == (4, 7)
    for row in rows:
        assert [head for head, *_ in row] == heads
        assert all(shown for _, shown, *_ in row)
        assert len({left for *_, left, _ in row}) == 1  # one below the other
        assert min(wide for *_, wide in row) > 0.8 * width
    assert table.evaluate("table => table.scrollWidth <= innerWidth")
    phone.show("light", PHONE)


def test_on_a_desk_the_heads_stand_in_the_first_row_alone(desk, site):
    tab = desk.open(f"{site}references.html")
    rows = tab.locator("table.uat-cards").evaluate(HEADS)
    assert not any(shown for row in rows for _, shown, *_ in row)


@pytest.mark.parametrize("page", DOORS)
def test_a_door_opens_the_card_of_the_mixer_that_it_names(desk, site, page):
    tab = desk.open(f"{site}{page}.html")
    link = tab.locator(".uat-door a[href*='#mixer-']").first
    row = link.get_attribute("href").partition("#")[2]
    link.click()
    tab.wait_for_url(f"**/atlas.html#{row}")
    tab.locator("[role=dialog] figure svg").wait_for()
    assert tab.locator(f".uat-chart a[href='#{row}'][aria-describedby]").count() == 1


def test_an_address_opens_the_row_of_a_mixer_even_where_it_was_filtered_out(desk, site):
    name = "RetNet, no output gate"
    tab = desk.open(f"{site}library/atlas.html#{anchor(name, 'row')}")
    row = tab.locator(f"#{anchor(name)}")
    row.locator("details[open]").wait_for()
    tab.wait_for_function(
        "(id) => { const box = document.getElementById(id).getBoundingClientRect();"
        " return box.top > 0 && box.bottom < innerHeight; }",
        arg=anchor(name),
    )
    link = row.get_by_role("link", name="Link to this mixer")
    assert link.get_attribute("href") == f"#{anchor(name)}"
    tab.locator(".uat-atlas").get_by_label("name").fill("softmax")
    assert not row.is_visible()
    tab.evaluate("location.hash = '#row-xcit'")
    tab.locator("#mixer-xcit details[open]").wait_for()
    assert row.is_visible()
    assert desk.complaints == []


def test_without_a_script_an_address_of_a_mixer_is_there(bare, site):
    tab = bare.open(f"{site}library/atlas.html#mixer-xcit")
    assert tab.locator("tr:target").get_attribute("id") == "mixer-xcit"
    for name in MIXERS:
        assert tab.locator(f"#{anchor(name)}").count() == 1


def test_words_of_steps_have_colours_of_their_own_on_both_grounds(desk, site):
    tab = desk.open(f"{site}chapters/start.html")
    seen = set()
    for theme in ("light", "dark"):
        tab.evaluate("(theme) => Object.assign(document.documentElement.dataset, { theme, mode: theme })", theme)
        for step in ("cut", "tell", "look"):
            word = tab.locator(f"strong.uat-{step}").first
            assert int(word.evaluate("(word) => getComputedStyle(word).fontWeight")) >= 600
            seen.add(word.evaluate("(word) => getComputedStyle(word).color"))
    assert len(seen) == 6


def test_the_front_page_has_a_row_a_chapter_and_folds_its_side_trips(bare, site):
    tab = bare.open(f"{site}index.html")
    rows = tab.locator(".uat-path > ol > li")
    assert [row.get_attribute("href") for row in rows.locator("> p a").all()] == [f"{page}.html" for page in PATH]
    starts = [int(part.get_attribute("start") or 1) for part in tab.locator(".uat-path > ol").all()]
    counts = [part.locator("> li").count() for part in tab.locator(".uat-path > ol").all()]
    assert starts == [1 + sum(counts[:k]) for k in range(len(counts))]
    for row, trips in zip(rows.all(), CHAPTERS.values(), strict=True):
        assert re.fullmatch(r"\d+ min", row.locator(".uat-minutes").inner_text())
        links = row.locator("li a")
        assert [link.get_attribute("href") for link in links.all()] == [f"{trip}.html" for trip in trips]
        if trips:
            assert not links.first.is_visible()
            assert row.locator("summary").inner_text().startswith(f"+{len(trips)} side trip")
    fold = tab.locator(".uat-path summary").first
    fold.focus()
    tab.keyboard.press("Enter")
    assert tab.locator(".uat-path details[open] li a").first.is_visible()


def test_on_a_phone_the_head_has_three_things_and_the_drawer_the_rest(phone, site):
    tab = phone.open(f"{site}{PATH[1]}.html")
    head = tab.locator(".bd-header-article")
    shown = [one for one in head.locator("button, a").all() if one.is_visible()]
    assert len(shown) == 3
    box = tab.locator(".uat-tools")
    menu = head.locator(".primary-toggle")
    menu.click()
    for name in ("Run this page", "Download this page", "light/dark"):
        box.get_by_role("button", name=name).wait_for()
    box.get_by_role("button", name="Download this page").click()
    box.locator(".dropdown-download-buttons .dropdown-item").first.wait_for()
    tab.keyboard.press("Escape")  # closes the menu alone, or the drawer where it has none
    menu.evaluate("() => { document.querySelector('#pst-primary-sidebar-checkbox').checked = true; }")
    box.locator(".secondary-toggle").click()
    assert tab.locator("#pst-secondary-sidebar-checkbox").is_checked()
    assert not tab.locator("#pst-primary-sidebar-checkbox").is_checked()
    tab.locator(".bd-sidebar-secondary a:focus").wait_for()
    tab.keyboard.press("Escape")
    assert menu.evaluate("(menu) => menu === document.activeElement")
    assert phone.complaints == []
