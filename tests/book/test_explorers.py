"""The explorers of the built book, each driven through each value of each control, as a reader would."""

import base64
import gzip
import html
import itertools
import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import BOOK, toc_pages
from matplotlib.figure import Figure
from playwright.sync_api import Page
from reader import open_page

from uatlib.view import explore
from uatlib.view.explorer.svg import standalone

BOX = re.compile(
    r'<div class="uat-explorer" id="(?P<id>[^"]+)">'
    r'<div class="uat-first"><p><strong>(?P<heading>[^<]*)</strong></p>'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<src>[^"]*)"><p[^>]*>(?P<text>[^<]*)</p><p>[^<]*</p></div>'
    r'<script type="application/json" class="uat-spec">(?P<spec>.*?)</script>'
    r'<script type="application/gzip" class="uat-pack">(?P<pack>.*?)</script></div>',
    re.DOTALL,
)
# What an explorer shows at a setting; is its SVG, less what the view adds, the one of the data?
# Both are compared as the browser reads them. One call for all of it: there are thousands.
LOOK = """async ([id, at, svg]) => {
  const host = () => document.getElementById(id)?.querySelector(".uat-view");
  for (let k = 0; k < 1000 && host()?.dataset.at !== at; k += 1) await new Promise((done) => setTimeout(done, 5));
  const root = host().shadowRoot;
  const shown = root.querySelector(".picture svg").cloneNode(true);
  for (const name of ["aria-label", "aria-describedby"]) shown.removeAttribute(name);
  const expected = document.createElement("div");
  expected.innerHTML = svg;
  return {
    at: root.host.dataset.at,
    same: shown.isEqualNode(expected.firstElementChild),
    text: root.querySelector(".readout").textContent,
    note: root.querySelector(".note").textContent,
    said: [...root.querySelectorAll("input[type=range]")].map((field) => field.getAttribute("aria-valuetext")),
    beside: [...root.querySelectorAll("output")].map((output) => output.textContent),
  };
}"""


class PageExplorer:
    """An explorer as the file of its page holds it."""

    def __init__(self, match: re.Match) -> None:
        self.id = match["id"]
        self.heading, self.alt, self.text = (html.unescape(match[part]) for part in ("heading", "alt", "text"))
        self.controls = json.loads(match["spec"])["controls"]
        self.pack = json.loads(gzip.decompress(base64.b64decode(match["pack"])))
        self.start = [control["start"] for control in self.controls]

    def frame(self, at: list[int]) -> tuple[str, str]:
        """The picture and the read-out that belong to these positions."""
        picture, text = self.pack["index"][self.positions().index(tuple(at))]
        return self.pack["pictures"][picture], self.pack["texts"][text]

    def positions(self) -> list[tuple[int, ...]]:
        """Every setting that the controls offer, the last control running fastest."""
        return list(itertools.product(*(range(len(control["texts"])) for control in self.controls)))


def explorers(page_name: str) -> list[PageExplorer]:
    return [PageExplorer(match) for match in BOX.finditer((BOOK / f"{page_name}.html").read_text(encoding="utf-8"))]


def pages() -> list[str]:
    """Pages with an explorer; none before the book is built, which test_every_chapter_has_one then reports."""
    return [name for name in toc_pages() if (BOOK / f"{name}.html").exists() and explorers(name)]


PAGES = pages()

# So many settings may say the same in picture and words, because that is what there is to see; elsewhere none do.
MOST_ALIKE = {
    "explorer-find": 2,  # hardmax asks only for the sign of its scale
    "explorer-accident": 2,  # before the first id, repaired or not, nothing is looked up
    "explorer-far": 6,  # no strips, with the clip band below or the positive sentinel
    "explorer-sweep": 2,  # in the box column ids are all that counts, in one dimension or two
    "explorer-discs": 3,  # the repaired encodings
    "explorer-earshot": 2,  # at the ends of the row two filters may reach equally far
}
on_pages = pytest.mark.parametrize("page", PAGES)


def see(page: Page, explorer: PageExplorer, at: list[int]) -> None:
    """Assert that picture, read-out and controls are those of these positions."""
    svg, text = explorer.frame(at)
    places = list(zip(explorer.controls, at, strict=True))
    values = [control["texts"][k] for control, k in places if control["kind"] == "slider"]
    assert page.evaluate(LOOK, [explorer.id, ",".join(map(str, at)), svg]) == {
        "at": ",".join(map(str, at)),
        "same": True,
        "text": text,
        "note": "",
        "said": values,
        "beside": values,
    }


def field_of(page: Page, explorer: PageExplorer, control: dict):
    return page.locator(f"#{explorer.id}").get_by_label(control["label"], exact=True)


def test_every_chapter_has_one(book):
    chapters = [name for name in toc_pages() if name.startswith("chapters/")]
    assert [name for name in chapters if name not in PAGES] == []


@pytest.mark.parametrize("scheme", ["http", "file"])
@on_pages
def test_every_value_by_keyboard(browser, book, site, page, scheme):
    base = site if scheme == "http" else book.as_uri() + "/"
    tab, complaints = open_page(browser, f"{base}{page}.html")
    for explorer in explorers(page):
        see(tab, explorer, explorer.start)
        for i, control in enumerate(explorer.controls):
            at, field = list(explorer.start), field_of(tab, explorer, control)
            field.focus()
            if control["kind"] == "checkbox":
                steps = [(1 - at[i], "Space"), (at[i], "Space")]
            else:
                last = len(control["texts"]) - 1
                steps = [(0, "Home"), *((k, "ArrowRight") for k in range(1, last + 1)), (last, "End"), (0, "Home")]
            for k, key in steps:
                field.press(key)
                at[i] = k
                see(tab, explorer, at)
            tab.locator(f"#{explorer.id}").get_by_role("button", name="Reset").press("Enter")
            see(tab, explorer, explorer.start)
    tab.close()
    assert complaints == []


@on_pages
def test_every_value_by_mouse(browser, site, page):
    tab, complaints = open_page(browser, f"{site}{page}.html")
    for explorer in explorers(page):
        for i, control in enumerate(explorer.controls):
            at, field = list(explorer.start), field_of(tab, explorer, control)
            for k in (*range(len(control["texts"])), at[i]):
                if control["kind"] == "slider":
                    field.scroll_into_view_if_needed()
                    box, thumb = field.bounding_box(), 16
                    share = k / (len(control["texts"]) - 1)
                    x = box["x"] + thumb / 2 + share * (box["width"] - thumb)
                    tab.mouse.click(x, box["y"] + box["height"] / 2)
                elif control["kind"] == "checkbox":
                    field.set_checked(bool(k))
                else:
                    field.select_option(str(k))
                at[i] = k
                see(tab, explorer, at)
    tab.close()
    assert complaints == []


@on_pages
def test_every_stop_of_every_control_is_a_drawn_one(page):
    """A frame for each setting that the controls offer, none for another, and no two settings that say the same."""
    for explorer in explorers(page):
        settings = explorer.positions()
        assert len(explorer.pack["index"]) == len(settings)
        for number in (0, 1):
            kept = explorer.pack[("pictures", "texts")[number]]
            assert {entry[number] for entry in explorer.pack["index"]} == set(range(len(kept)))
        frames = Counter(map(tuple, explorer.pack["index"]))
        assert frames.most_common(1)[0][1] <= MOST_ALIKE.get(explorer.id, 1), explorer.id
        for control in explorer.controls:
            assert len(set(control["texts"])) == len(set(control["keys"])) == len(control["texts"])
            assert control["texts"][control["start"]] in explorer.heading


@on_pages
def test_pictures_differ_where_they_should(page):
    for explorer in explorers(page):
        pictures = explorer.pack["pictures"]
        assert len(set(pictures)) == len(pictures) > 1
        combinations = dict(zip(explorer.positions(), explorer.pack["index"], strict=True))
        for i, control in enumerate(explorer.controls):
            others = {at: (*at[:i], 0, *at[i + 1 :]) for at in combinations}
            differ = [at for at, other in others.items() if combinations[at][0] != combinations[other][0]]
            assert differ, f"{control['name']} changes nothing"


@on_pages
def test_the_first_frame_without_javascript(browser, site, page):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(f"{site}{page}.html")
    for explorer in explorers(page):
        box = tab.locator(f"#{explorer.id}")
        image = box.locator("img")
        assert image.is_visible()
        assert image.bounding_box()["width"] > 200
        assert image.get_attribute("alt") == explorer.alt
        assert len(explorer.alt) > 30, "an alt text says what the picture shows"
        assert explorer.text == explorer.frame(explorer.start)[1]
        assert box.get_by_text(explorer.text).is_visible()
        for control in explorer.controls:
            assert (
                f"{control['label']} = {control['texts'][control['start']]}"
                in box.get_by_text(explorer.heading).inner_text()
            )
        assert box.get_by_text("need JavaScript").is_visible()
    context.close()


@on_pages
def test_an_address_opens_a_setting_and_follows_the_controls(browser, site, page):
    first = explorers(page)[0]
    control = first.controls[0]
    last = len(control["texts"]) - 1
    k = last if control["start"] != last else 0
    at = [k, *first.start[1:]]
    tab, complaints = open_page(
        browser, f"{site}{page}.html#{first.id}?{control['name']}={control['keys'][k]}&nonsense=1"
    )
    see(tab, first, at)
    box = tab.locator(f"#{first.id}")
    assert 0 <= box.bounding_box()["y"] < tab.viewport_size["height"]
    link = box.get_by_role("link", name="Link to this setting").get_attribute("href")
    box.get_by_role("button", name="Reset").click()
    see(tab, first, first.start)
    tab.wait_for_function("location.hash === ''")
    tab.evaluate("link => { location.hash = link; }", link)
    see(tab, first, at)
    for other in explorers(page)[1:]:
        see(tab, other, other.start)
    field_of(tab, first, first.controls[0]).press("Home" if k else "End")
    moved = "0" if k else str(len(control["texts"]) - 1)
    if int(moved) != control["start"]:
        tab.wait_for_function(
            "key => decodeURIComponent(location.hash).includes(key)",
            arg=f"{control['name']}={control['keys'][int(moved)]}",
        )
    tab.close()
    assert complaints == []


def test_malformed_addresses_change_nothing(browser, site):
    page, first = PAGES[0], explorers(PAGES[0])[0]
    for fragment in (
        f"{first.id}?",
        f"{first.id}",
        f"{first.id}?%E0%A4%A",
        ";;?=",
        "%",
    ):
        tab, complaints = open_page(browser, f"{site}{page}.html#{fragment}")
        see(tab, first, first.start)
        tab.close()
        assert complaints == []


def test_an_address_with_an_unknown_value_says_so(browser, site):
    page, first = PAGES[0], explorers(PAGES[0])[0]
    name = first.controls[0]["name"]
    tab, _ = open_page(browser, f"{site}{page}.html#{first.id}?{name}=never")
    note = tab.locator(f"#{first.id} .note")
    assert "never, which this picture does not have" in note.inner_text()
    field_of(tab, first, first.controls[0]).press("End")
    assert note.inner_text() == ""
    tab.locator(f"#{first.id}").get_by_role("button", name="Reset").click()
    assert note.inner_text() == ""  # the setting that it opened with is no longer what the address asked for
    tab.close()


def test_two_of_one_name_and_names_of_any_language_have_their_own_addresses(browser, tmp_path):
    def größe(n):
        """A dot."""
        figure = Figure()
        figure.subplots().plot([n], [n], "o")
        return figure, f"n is {n}"

    page = explore(n=[1, 2, 3])(größe).to_html()
    box = page[page.index("<div class=") : page.index("</body>")]
    (tmp_path / "two.html").write_text(page.replace("</body>", f"{box}</body>"), encoding="ascii")
    address = (tmp_path / "two.html").as_uri()
    tab, complaints = open_page(browser, address)
    sliders = tab.get_by_label("n", exact=True)
    assert sliders.count() == 2
    sliders.nth(1).press("End")
    link = tab.get_by_role("link", name="Link to this setting").nth(1).get_attribute("href")
    tab.close()
    tab, more = open_page(browser, address + link)
    assert tab.locator(".readout").all_inner_texts() == ["n is 1", "n is 3"]
    tab.close()
    assert complaints == more == []


def test_play_runs_to_the_end_and_pauses(browser, site):
    found = [(page, e, i) for page in PAGES for e in explorers(page) for i, c in enumerate(e.controls) if c["play"]]
    assert found
    page, explorer, i = min(found, key=lambda row: len(row[1].controls[row[2]]["texts"]))
    tab, complaints = open_page(browser, f"{site}{page}.html")
    button = tab.locator(f"#{explorer.id} .play")
    at, last = list(explorer.start), len(explorer.controls[i]["texts"]) - 1
    button.click()
    assert button.inner_text() == "Pause"
    at[i] += 1
    see(tab, explorer, at)
    button.click()
    assert button.inner_text() == "Play"
    tab.wait_for_timeout(1200)
    see(tab, explorer, at)
    button.click()
    at[i] = last
    tab.wait_for_timeout(900 * (last - explorer.start[i]))
    see(tab, explorer, at)
    tab.wait_for_function("button => button.innerText === 'Play'", arg=button.element_handle())
    button.click()  # from the end it starts again
    at[i] = 0
    see(tab, explorer, at)
    tab.close()
    assert complaints == []


def test_readers_who_want_no_motion_step_instead(browser, site):
    page, explorer, i = next(
        (p, e, i) for p in PAGES for e in explorers(p) for i, c in enumerate(e.controls) if c["play"]
    )
    tab, _ = open_page(browser, f"{site}{page}.html", reduced_motion="reduce")
    button, at = tab.locator(f"#{explorer.id} .play"), list(explorer.start)
    assert button.inner_text() == "Next"
    button.click()
    at[i] += 1
    see(tab, explorer, at)
    tab.wait_for_timeout(1200)
    see(tab, explorer, at)
    tab.close()


def test_a_picture_can_be_saved(browser, site):
    page, explorer = PAGES[0], explorers(PAGES[0])[0]
    tab, _ = open_page(browser, f"{site}{page}.html", accept_downloads=True)
    with tab.expect_download() as download:
        tab.locator(f"#{explorer.id}").get_by_role("button", name="Download this picture").click()
    svg = Path(download.value.path()).read_text(encoding="utf-8")
    picture, text = explorer.frame(explorer.start)
    root = ElementTree.fromstring(svg)
    assert root[0].tag.endswith("title")
    assert explorer.heading in root[0].text
    assert text in root[0].text
    root.remove(root[0])
    assert ElementTree.tostring(root) == ElementTree.tostring(ElementTree.fromstring(standalone(picture)))
    name = download.value.suggested_filename
    assert name.endswith(".svg")
    assert all(control["name"] in name for control in explorer.controls)
    tab.close()


# ------------------------------------------------------------------------------------------------ who cannot see or aim


@on_pages
def test_targets_are_large_and_focus_is_visible_on_a_phone(browser, site, page):
    tab, _ = open_page(browser, f"{site}{page}.html", viewport={"width": 360, "height": 740}, has_touch=True)
    for explorer in explorers(page):
        box = tab.locator(f"#{explorer.id}")
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
        targets = box.locator("input, select, button, .actions a")
        for target in targets.all():
            size = target.bounding_box()
            assert min(size["width"], size["height"]) >= 24
            assert size["x"] + size["width"] <= 360
            target.focus()
        box.locator("input, select").first.focus()
        tab.keyboard.press("Tab")
        focused = "box.querySelector('.uat-view').shadowRoot.activeElement"
        outline = box.evaluate(f"box => getComputedStyle({focused}).outlineStyle")
        assert outline == "solid"
    tab.close()


# ---------------------------------------------------------------------------------------------------- what may go wrong


def test_a_strict_security_policy_is_no_obstacle(browser, site):
    tab = browser.new_page()
    violations = []

    def with_policy(route):
        answer = route.fetch()
        policy = {"content-security-policy": "script-src 'self'"}  # no eval, and not even a script within the page
        route.fulfill(response=answer, headers={**answer.headers, **policy})

    tab.route("**/*.html", with_policy)
    tab.on("console", lambda m: violations.append(m.text) if "uat-explorer" in m.text else None)
    tab.goto(f"{site}{PAGES[0]}.html")
    explorer = explorers(PAGES[0])[0]
    see(tab, explorer, explorer.start)
    field_of(tab, explorer, explorer.controls[0]).press("End")
    see(tab, explorer, [len(explorer.controls[0]["texts"]) - 1, *explorer.start[1:]])
    tab.close()
    assert violations == []


def broken_copy(route, page: str, damage) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=damage(answer.text()))


def test_one_broken_explorer_leaves_the_others_alone(browser, site):
    page = next(name for name in PAGES if len(explorers(name)) > 1)
    broken, whole = explorers(page)[:2]

    def damage(text: str) -> str:
        start = text.index("uat-pack", text.index(f'id="{broken.id}"'))
        return text[: start + 40] + "AAAA" + text[start + 44 :]

    tab = browser.new_page()
    tab.route(f"**/{page}.html", lambda route: broken_copy(route, page, damage))
    tab.goto(f"{site}{page}.html")
    see(tab, whole, whole.start)
    box = tab.locator(f"#{broken.id}")
    box.get_by_role("alert").wait_for()
    assert "This picture cannot be moved." in box.get_by_role("alert").inner_text()
    assert box.locator("img").is_visible()
    tab.close()


def test_an_old_browser_sees_the_first_frame_and_why(browser, site):
    tab = browser.new_page()
    tab.add_init_script("delete window.DecompressionStream")
    tab.goto(f"{site}{PAGES[0]}.html")
    box = tab.locator(f"#{explorers(PAGES[0])[0].id}")
    box.get_by_role("alert").wait_for()
    assert "lacks DecompressionStream" in box.get_by_role("alert").inner_text()
    assert box.locator("img").is_visible()
    tab.close()


# ------------------------------------------------------------------------------------------------------ gallery, report


def test_the_gallery_lists_every_explorer_and_leads_to_it(browser, site):
    tab, complaints = open_page(browser, f"{site}explorers.html")
    entries = tab.locator(".uat-gallery a")
    found = [entry.get_attribute("href") for entry in entries.all()]
    assert found == [f"{page}.html#{explorer.id}" for page in PAGES for explorer in explorers(page)]
    assert all(image.get_attribute("alt") for image in tab.locator(".uat-gallery img").all())
    last = explorers(PAGES[-1])[-1]
    entries.last.click()
    tab.wait_for_url(f"**/{PAGES[-1]}.html*")
    see(tab, last, last.start)
    tab.close()
    assert complaints == []


def test_the_build_reports_what_explorers_cost(book):
    lines = (book.parent / "explorers.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines[1:-1]]
    found = [(f"{Path(page).name}:", e.id.removeprefix("explorer-"), e) for page in PAGES for e in explorers(page)]
    assert [row[:2] for row in rows] == [[page, name] for page, name, _ in found]
    for row, (_, _, explorer) in zip(rows, found, strict=True):
        assert int(row[2]) == len(explorer.pack["index"]) <= 400
        assert int(row[3]) == len(explorer.pack["pictures"])
        assert float(row[5]) > 0
    # Seconds of the processor, so that other work on the machine does not count: eight minutes, on two cores four.
    seconds = Counter()
    for row in rows:
        seconds[row[0]] += float(row[5])
    assert max(seconds.values()) < 240
    assert seconds.total() < 480


def test_no_page_carries_the_script_twice(book):
    for page in PAGES:
        text = (book / f"{page}.html").read_text(encoding="utf-8")
        assert text.count("uat-explorer.js") == 1
        assert "attachShadow" not in text
        assert "data-seconds" not in text
        assert "widget-state" not in text
