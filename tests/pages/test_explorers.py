"""The explorers of the built book: what their pages hold, and what may go wrong; test_pages.py drives each."""

import gzip
import re
import time
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from conftest import BOOK, ROOT, toc_pages
from matplotlib.figure import Figure
from page_explorers import ALL_PAGES, PAGES, boxes, explorers, field_of, live_pictures, see
from playwright.sync_api import expect
from reader import STARTED, open_page

from explorables import explore
from explorables.svg import standalone

# So many settings may say the same in picture and words, because that is what there is to see; elsewhere none do.
MOST_ALIKE = {
    "explorer-accident": 2,  # before the first id, repaired or not, nothing is looked up
    "explorer-lines": 3,  # where the sum confuses nothing, or all heads confuse the same
    "explorer-changes": 2,  # for two tokens the higher sentinel alone takes both strips
    "explorer-mirror": 4,  # without positions the running mean is refused on every grid
    "explorer-far": 6,  # no strips, with the clip band below or the positive sentinel
    "explorer-discs": 3,  # the repaired encodings
    "explorer-scaled": 2,  # for opposite keys exp and RBF have one ratio, but for a factor in the exponent
    "explorer-few-keys": 2,  # while values do not know their places, keys may
    "explorer-deaf": 2,  # a token 0 hears the mean under softmax, whatever the weights
    "explorer-layers": 3,  # when all has been heard, more layers change nothing
    "explorer-landing": 2,  # only D = N^d counts, and 4^1 is 2^2
    "explorer-pole": 2,  # what is not in L_p is not, with one sequence or two
    "explorer-answered": 2,  # what is looked up token by token is not mixed
    "explorer-bent": 9,  # bends that wait where points no longer come find nothing to bend
}
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
on_pages = pytest.mark.parametrize("page", PAGES)


def test_every_chapter_has_one(book):
    chapters = [name for name in toc_pages() if name.startswith("chapters/")]
    assert [name for name in chapters if name not in ALL_PAGES] == []
    assert toc_pages()[0] in ALL_PAGES


def test_every_one_is_either_drawn_or_live():
    for page in ALL_PAGES:
        assert sorted(boxes(page)) == sorted(e.id for e in (*explorers(page), *live_pictures(page)))
        assert len(set(boxes(page))) == len(boxes(page))


@on_pages
def test_every_stop_of_every_control_is_a_drawn_one(page):
    """A frame for each setting that the controls offer, and no two that say the same; each control moves a picture."""
    for explorer in explorers(page):
        settings = explorer.positions()
        assert len(explorer.pack["index"]) == len(settings)
        for number in (0, 1):
            kept = explorer.pack[("pictures", "texts")[number]]
            assert {entry[number] for entry in explorer.pack["index"]} == set(range(len(kept)))
        frames = Counter(map(tuple, explorer.pack["index"]))
        assert frames.most_common(1)[0][1] <= MOST_ALIKE.get(explorer.id, 1), explorer.id
        pictures = list(map(tuple, explorer.pack["pictures"]))
        assert len(set(pictures)) == len(pictures) > 1
        drawn = {at: picture for at, (picture, _) in zip(settings, explorer.pack["index"], strict=True)}
        for i, control in enumerate(explorer.controls):
            assert len(set(control["texts"])) == len(set(control["keys"])) == len(control["texts"])
            moved = [at for at in drawn if drawn[at] != drawn[*at[:i], 0, *at[i + 1 :]]]
            assert moved, f"{control['name']} changes nothing"
        assert explorer.alt.endswith(f" Now {explorer.settings(explorer.start)}.")


@pytest.mark.parametrize("page", ALL_PAGES)
def test_before_the_script_a_card_shows_how_it_starts(page):
    """A first frame and what it says, and each control at its start, which cannot be moved yet; and why."""
    for one in (*explorers(page), *live_pictures(page)):
        assert len(one.alt) > 30, "an alt text says what the picture shows"
        assert one.width > 200
        assert one.title
        assert one.text
        assert one.inert
        assert "need JavaScript" in " ".join(one.excuses)
    for explorer in explorers(page):
        assert explorer.text == explorer.frame(explorer.start)[1]
        drawn = explorer.pack["pictures"][explorer.entry(explorer.start)[0]]
        plain = [re.sub(' aria-label="[^"]*"', "", svg, count=1) for svg in explorer.first if "uat-figure" in svg]
        own = f"{explorer.id.replace('explorer', 'first', 1)}-\\d-"
        assert [re.sub(own, "u-", svg) for svg in plain] == [svg for svg in drawn if svg]
        rows = [explorer.controls[k] for k in explorer.rows]
        assert explorer.fields == [control["label"] for control in rows]
        assert explorer.shown == [control["texts"][control["start"]] for control in rows]


def test_malformed_addresses_change_nothing(desk, site):
    page, first = PAGES[0], explorers(PAGES[0])[0]
    for fragment in (f"{first.id}?", first.id, f"{first.id}?%E0%A4%A", ";;?=", "%"):
        see(desk.open(f"{site}{page}.html#{fragment}"), first, first.start)
        assert desk.complaints == []


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
    link = tab.get_by_role("link", name="Link to this setting", include_hidden=True).nth(1).get_attribute("href")
    tab.close()
    tab, more = open_page(browser, address + link)
    assert tab.locator(".readout").all_inner_texts() == ["n is 1", "n is 3"]
    tab.close()
    assert complaints == more == []


def test_play_runs_to_the_end_and_pauses(browser, site):
    found = [(page, e, i) for page in PAGES for e in explorers(page) for i, c in enumerate(e.controls) if c["play"]]
    found = [(page, e, i) for page, e, i in found if len(e.controls[i]["texts"]) > e.start[i] + 3]  # time to pause
    assert found
    page, explorer, i = min(found, key=lambda row: len(row[1].controls[row[2]]["texts"]))
    tab, complaints = open_page(browser, f"{site}{page}.html")
    button = tab.locator(f"#{explorer.id} .play")
    at, last = list(explorer.start), len(explorer.controls[i]["texts"]) - 1
    see(tab, explorer, at)
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
    box = tab.locator(f"#{explorer.id}")
    box.get_by_text("Save, link").click()
    with tab.expect_download() as download:
        box.get_by_role("button", name="Download this picture").click()
    svg = Path(download.value.path()).read_text(encoding="utf-8")
    picture, text = explorer.frame(explorer.start)
    root = ElementTree.fromstring(svg)
    assert root[0].tag.endswith("title")
    assert root[0].text.startswith(f"{explorer.title}: {explorer.settings(explorer.start)}.")
    assert text in root[0].text
    root.remove(root[0])
    assert ElementTree.tostring(root) == ElementTree.tostring(ElementTree.fromstring(standalone(picture)))
    name = download.value.suggested_filename
    assert name.endswith(".svg")
    assert all(control["name"] in name for control in explorer.controls)
    tab.close()


# ---------------------------------------------------------------------------------------------------- what may go wrong


def test_a_strict_security_policy_is_no_obstacle(browser, site):
    tab = browser.new_page(strict=True)
    violations = []

    def with_policy(route):
        answer = route.fetch()
        policy = {"content-security-policy": "script-src 'self'"}  # no eval, and not even a script within the page
        route.fulfill(response=answer, headers={**answer.headers, **policy})

    tab.route("**/*.html", with_policy)
    tab.on("console", lambda m: violations.append(m.text) if "uat-explorer" in m.text else None)
    tab.goto(f"{site}{PAGES[0]}.html")
    tab.wait_for_function(STARTED)
    explorer = explorers(PAGES[0])[0]
    see(tab, explorer, explorer.start)
    field_of(tab, explorer, explorer.controls[0]).press("End")
    see(tab, explorer, [len(explorer.controls[0]["texts"]) - 1, *explorer.start[1:]])
    tab.close()
    assert violations == []


def test_one_broken_explorer_leaves_the_others_alone(browser, site):
    page = next(name for name in PAGES if len(explorers(name)) > 1)
    broken, whole = explorers(page)[:2]

    text = (BOOK / f"{page}.html").read_text(encoding="utf-8")
    name = re.search(r'class="uat-pack" data-name="(\w+)"', text[text.index(f'id="{broken.id}"') :])[1]

    def damage(route) -> None:
        answer = route.fetch()
        body = answer.text()
        route.fulfill(response=answer, body=body[:60] + "AAAA" + body[64:])

    tab = browser.new_page()
    tab.route(f"**/_static/explorers/{name}.js", damage)
    tab.goto(f"{site}{page}.html")
    tab.wait_for_function(STARTED)
    see(tab, whole, whole.start)
    box = tab.locator(f"#{broken.id}")
    box.get_by_role("alert").wait_for()
    assert "This picture cannot be moved." in box.get_by_role("alert").inner_text()
    assert box.locator(".uat-first svg.uat-figure:visible").count() == 1
    tab.close()


def test_an_old_browser_sees_the_first_frame_and_why(browser, site):
    tab = browser.new_page()
    tab.add_init_script("delete window.DecompressionStream")
    tab.goto(f"{site}{PAGES[0]}.html")
    tab.wait_for_function(STARTED)
    box = tab.locator(f"#{explorers(PAGES[0])[0].id}")
    box.get_by_role("alert").wait_for()
    assert "lacks DecompressionStream" in box.get_by_role("alert").inner_text()
    assert box.locator(".uat-first svg.uat-figure:visible").count() == 1
    tab.close()


# ------------------------------------------------------------------------------------------------------ gallery, report


def test_the_gallery_lists_every_explorer_and_leads_to_it(browser, site):
    tab, complaints = open_page(browser, f"{site}explorers.html")
    entries = tab.locator(".uat-gallery a")
    found = [entry.get_attribute("href") for entry in entries.all()]
    small = {(page, one.id) for page in ALL_PAGES for one in live_pictures(page) if not one.spec["listed"]}
    listed = [(page, box) for page in ALL_PAGES for box in boxes(page) if (page, box) not in small]
    assert len(small) > 13
    assert found == [f"{page}.html#{box}" for page, box in listed]
    assert tab.locator("article h2").all_inner_texts() == ["Games", *(part["caption"] for part in TOC["parts"])]
    assert tab.locator("article h3 a").evaluate_all("all => all.map((a) => a.getAttribute('href'))") == [
        f"{page}.html" for page in dict(listed)
    ]
    questions = entries.all_inner_texts()
    assert len(set(questions)) == len(found)
    assert all(question.endswith("?") for question in questions)
    assert all(image.get_attribute("alt") for image in tab.locator(".uat-gallery img").all())
    last = explorers(PAGES[-1])[-1]
    assert complaints == []
    tab.locator(f".uat-gallery a[href$='#{last.id}']").click()
    tab.wait_for_url(f"**/{PAGES[-1]}.html*")
    see(tab, last, last.start)
    tab.close()
    # Thumbnails that were on their way when the reader left do not come.
    assert [complaint for complaint in complaints if "/_static/gallery/" not in complaint] == []


def test_the_gallery_begins_with_the_games_and_counts_those_that_are_won(desk, site):
    """Each goal of each picture, by the sentence and the name that the picture itself has."""
    tab = desk.open(f"{site}explorers.html")
    tab.evaluate("localStorage.clear()")
    tab.reload()
    rows, score = tab.locator(".uat-games li"), tab.locator(".uat-score")
    asked = [(f"{page}.html#{one.id}", one.id.removeprefix("explorer-"), goal["name"], goal["asks"])
             for page in ALL_PAGES for one in live_pictures(page) for goal in one.spec["goals"]]  # fmt: skip
    links = tab.locator(".uat-games a").evaluate_all("all => all.map((a) => [a.getAttribute('href'), a.textContent])")
    assert [[href, asks] for href, _, _, asks in asked] == [
        row for row in links if row[0] in dict.fromkeys(a[0] for a in asked)
    ]
    assert 20 < len(asked) < rows.count() == len(links)  # explorers have goals, too
    expect(score).to_have_text(f"Goals won: 0 of {rows.count()}.")
    href, box, name, _ = asked[2]
    key = re.sub(r"\W+", "-", f"goal-{box}-{name}")
    tab.evaluate(
        "key => localStorage.setItem('uat-progress', JSON.stringify({ [key]: 'now', 'ex-other': 'now' }))", key
    )
    tab.reload()
    expect(score).to_have_text(f"Goals won: 1 of {rows.count()}.")
    expect(tab.locator(".uat-games .uat-won a")).to_have_attribute("href", href)
    expect(tab.locator(".uat-games").get_by_role("img", name="won")).to_have_count(1)


THEMES_OWN = re.compile(r"currentColor|var\(--uat-paper\)|color-mix\([^()]*\)")
# What the page's own style sheets make of a colour: red, green, blue.
PAINTED = """colours => {
  const { style } = document.querySelector("article").appendChild(document.createElement("i"));
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  return colours.map((colour) => {
    style.color = colour.replace("currentColor", getComputedStyle(document.querySelector("article")).color);
    pen.fillStyle = getComputedStyle(document.querySelector("article > i")).color;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  });
}"""


def test_the_gallery_follows_the_theme_and_loads_what_is_seen(browser, site, book):
    """In each theme the picture of the page, in the colours that the style sheet gives it there."""
    found = {}
    for scheme in ("light", "dark"):
        tab, asked = browser.new_page(color_scheme=scheme), []
        tab.on("request", lambda request, asked=asked: asked.append(request.url.removeprefix(site)))
        tab.goto(f"{site}explorers.html")
        shown = tab.locator(".uat-gallery img:visible")
        names = [Path(image.get_attribute("src")) for image in shown.all()]
        assert all(name.stem.endswith(f"-{scheme}") for name in names)
        assert len(names) == tab.locator(".uat-gallery li").count()
        tab.wait_for_function("image => image.complete && image.naturalWidth > 100", arg=shown.first.element_handle())
        loaded = [name for name in asked if "_static/gallery/" in name]
        assert 0 < len(loaded) < len(names) / 2
        assert all(name.endswith(f"-{scheme}.svg") for name in loaded)
        files = [book / "explorers.html", *(book / name for name in loaded)]
        assert sum(len(gzip.compress(file.read_bytes())) for file in files) < 100_000
        found[scheme] = [(book / name).read_text(encoding="utf-8") for name in names]
        links = [link.get_attribute("href").split(".html#") for link in tab.locator(".uat-gallery a").all()]
        pictures = [next(e for e in (*explorers(page), *live_pictures(page)) if e.id == box) for page, box in links]
        colours = sorted({colour for one in pictures for svg in one.first for colour in THEMES_OWN.findall(svg)})
        painted = dict(zip(colours, tab.evaluate(PAINTED, colours), strict=True))
        for one, file in zip(pictures, found[scheme], strict=True):
            assert any(is_painted(svg, file, painted) for svg in one.first), f"{one.id}, {scheme}"
        tab.close()
    assert all(light != dark for light, dark in zip(found["light"], found["dark"], strict=True))


def is_painted(picture: str, file: str, painted: dict[str, list[int]]) -> bool:
    """Whether a file holds this picture of a page, each colour as painted, to a rounding."""
    found = re.fullmatch("#([0-9a-f]{6})".join(map(re.escape, THEMES_OWN.split(picture))), file)
    given = [[*bytes.fromhex(colour)] for colour in found.groups()] if found else []
    wanted = [painted[colour] for colour in THEMES_OWN.findall(picture)]
    return found is not None and np.allclose(given, wanted, rtol=0, atol=1)


def test_the_build_reports_what_explorers_cost(book):
    lines = (book.parent / "explorers.txt").read_text(encoding="utf-8").splitlines()
    all_rows = [line.split() for line in lines[1:-1]]
    assert [tuple(row[:2]) for row in all_rows] == [
        (f"{Path(page).name}:", box.removeprefix("explorer-")) for page in ALL_PAGES for box in boxes(page)
    ]
    live = {e.id.removeprefix("explorer-") for page in ALL_PAGES for e in live_pictures(page)}
    assert {row[1] for row in all_rows if row[2:4] == ["any", "live"]} == live
    rows = [row for row in all_rows if row[2:4] != ["any", "live"]]
    found = [(f"{Path(page).name}:", e.id.removeprefix("explorer-"), e) for page in PAGES for e in explorers(page)]
    assert [row[:2] for row in rows] == [[page, name] for page, name, _ in found]
    for row, (_, _, explorer) in zip(rows, found, strict=True):
        assert int(row[2]) == len(explorer.pack["index"]) <= 400
        assert int(row[3]) == len(explorer.pack["pictures"])


def test_the_build_reports_what_chapters_cost(book):
    """Fifteen minutes of a processor that squares four million numbers in 0.22 s; on slower ones more."""
    report = (book.parent / "report.txt").read_text(encoding="utf-8")
    ((chapters, seconds),) = re.findall(r"^(\d+) chapters +([\d.]+) s$", report, re.MULTILINE)
    written = [(ROOT / f"{page}.md").read_text(encoding="utf-8") for page in toc_pages()]
    assert int(chapters) == sum("{code-cell} " in text for text in written)
    assert 0 < float(seconds) < 4000 * min(squaring() for _ in range(3))


def squaring() -> float:
    """Seconds of the processor, as those of the report: what a second is worth differs from machine to machine."""
    start = time.process_time()
    assert sum(k * k for k in range(4 * 10**6)) > 0
    return time.process_time() - start


def test_no_page_carries_the_script_twice(book):
    for page in ALL_PAGES:
        text = (book / f"{page}.html").read_text(encoding="utf-8")
        assert len(re.findall(r"uat-explorer[-\w]*\.js", text)) == 1
        assert "attachShadow" not in text
        assert "data-seconds" not in text
        assert "widget-state" not in text
