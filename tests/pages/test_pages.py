"""What a reader meets: every page of the book, in a real browser and as files."""

import functools
import gzip
import io
import json
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import lxml.html
import matplotlib.image
import nbformat
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from conftest import tried
from jupyter_cache import get_cache
from page_explorers import PageExplorer, PageLive, boxes, explorers, field_of, live_pictures, see, unfold
from playwright.sync_api import Page, expect
from reader import CHECKS, PHONE, SHEET, Reader

from _ext.running.runs import solutions

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "_build" / "jupyter_execute"

ACCENTED = "chapters/yun-contextual-mapping"
SURROUNDED = ("index", "404", "chapters/yun-contextual-mapping", "library/statements", "library/atlas", "references")

# All that axe asks, on trial or not, but for conformance of the highest level; and not that what a keyboard scrolls, as
# it asks itself, be a widget.
KINDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"]
ASKED_ELSEWHERE = ("focus-order-semantics", "color-contrast", "link-in-text-block", "hidden-content")
"""Contrast of texts is measured by `dim`, at 4.5 for all sizes; axe is asked for that of what stands around them. What
it asks of links takes as long as all else together, and they are underlined. Hidden content it can but name."""
LONG = ("target-size",)
"""Takes as long as all others; what one touches in a picture is measured on a phone."""

# What axe asks about colours, and about the logo of the theme; its other questions have one answer in both themes,
# as the same elements are visible.
COLOUR_RULES = ("color-contrast", "link-in-text-block", "image-alt", "image-redundant-alt")

TEXT = "contrasts('article :not(svg *, script, style, noscript)')"
PICTURES, EXPLORERS = "pictureContrasts()", "explorerContrasts()"

HEAVY = 900_000
"""Bytes, as a server sends them, of a page with all that it loads: a reader must wait for them, but for the fonts of
text, 200,000 of these, only once a visit."""
LOADED = """() => {
  const shown = [...document.images].filter((image) => image.checkVisibility()).map((image) => image.src);
  const asked = performance.getEntriesByType("resource").map((entry) => entry.name);
  return [location.href, ...shown, ...asked].map((address) => new URL(address).pathname);
}"""

# Where each element stands that a link may lead to, and the pictures.
# Fonts are asked for when letters are laid out, so they are not "ready" before.
PLACES = """async () => {
  scrollTo({ top: 0, behavior: "instant" }); // a picture that stays in view stands elsewhere further down
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  await document.fonts.ready;
  return Object.fromEntries([...document.querySelectorAll("article [id], .uat-explorer ~ *")]
  .filter((e) => !e.closest("svg, .katex, .uat-first, .toggle-hidden, .cell_input") && e.getClientRects().length)
  .map((e, k) => [e.id || k, e.getBoundingClientRect().top + scrollY]));
}"""
SCRIPT = "**/uat-explorer*.js*"
# What a finger touches in an explorer, and where it ends.
TARGETS = """box => [...box.querySelector(".uat-view").shadowRoot
  .querySelectorAll("input, select, button, summary, .actions a")]
  .filter((target) => target.checkVisibility())
  .map((target) => [target.outerHTML.slice(0, 60), target.getBoundingClientRect()])
  .map(([source, { width, height, right }]) => ({ source, width, height, right }))"""


class Anchors:
    """Ids, link targets and headings of a page."""

    def __init__(self, path: Path) -> None:
        page = lxml.html.fromstring(path.read_bytes())
        self.ids: list[str] = page.xpath("//@id[. != '']")  # in order, and maybe twice
        self.links: list[str] = page.xpath("//a/@href | //link/@href | //img/@src | //script/@src")
        self.titles = len(page.xpath("//article//h1"))  # the theme repeats the title outside, for printing


anchors = functools.cache(Anchors)


def faults_by_axe(
    tab: Page, rules: tuple[str, ...] = (), beside: str = ".katex-html, .highlight span", whole: bool = True
) -> list[tuple[str, str, str]]:
    """What axe, which looks into explorers too, finds on the open page.

    Only by some rules, and `beside` some elements: screen readers skip the drawn half of each formula and read its
    MathML, and the words of code differ in colour alone. Without the `whole`, drawings, formulas and what takes LONG
    are let be.
    """
    left_out = () if rules else ASKED_ELSEWHERE if whole else (*ASKED_ELSEWHERE, *LONG)
    asked_for = {"runOnly": list(rules) or KINDS, "rules": {name: {"enabled": False} for name in left_out}}
    options = {"resultTypes": ["violations"], "preload": False, **asked_for}
    if not tab.evaluate("!!window.axe"):
        tab.evaluate(AXE_SCRIPT)
    tab.evaluate("scrollTo(0, 0)")  # elsewhere the bar at the top lies on something, whatever that is
    run = "abridged(beside, whole, () => axe.run(document, options))"
    asked = f"([beside, whole, options]) => {{ {CHECKS}; return {run}; }}"
    found = tab.evaluate(asked, [beside, whole, options])["violations"]
    return [(fault["id"], node["target"][-1], node["html"][:120]) for fault in found for node in fault["nodes"]]


def dim(reader: Reader, *kinds: str) -> list:
    """The texts of these kinds with too little contrast."""
    rows = ", ".join(f"...{kind}" for kind in kinds)
    answer = reader.ask(f"dim([{rows}])")
    assert answer["measured"], "no text was measured"
    return answer["faults"]


def seen(found: dict[str, list]) -> None:
    """Fail with all that was found, each under its name."""
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_page_at_a_desk(desk, book, site, page_name):
    """From an address; in the dark, in light, and on paper. What does not depend on colour is asked once.

    Where scripts are tried, by mouse and in forced colours, too.
    """
    address, thorough = f"{site}{page_name}.html", page_name in tried()
    desk.show("dark")
    stood = places_without_explorers(desk, address, page_name) if thorough else {}
    tab, found = desk.open(address + (fragment(page_name) if thorough else "")), {}
    assert tab.get_attribute("html", "data-theme") == "dark"
    if thorough:
        if explorers(page_name):
            an_address_opens_a_setting_and_a_mouse_moves_it(tab, page_name)
            desk.settle()  # what the mouse has left fades
        found["moved when the script came"] = shifted(stood, tab)
        found["words that move nothing"] = desk.ask("deafWords()")  # some of them open folds
    assert (desk.ask(f"{EXPLORERS}.length") > 10) == bool(explorers(page_name) + live_pictures(page_name))
    desk.ask("paused()")
    found["dim in the dark"] = dim(desk, TEXT, PICTURES, EXPLORERS)
    in_the_dark = desk.ask("visible()")

    desk.show("light")
    assert tab.get_attribute("html", "data-theme") == "light"
    assert desk.ask("visible()") == in_the_dark
    found["dim in the light"] = dim(desk, TEXT, PICTURES, EXPLORERS)
    found["by axe"] = faults_by_axe(tab, whole=thorough)
    if thorough:
        found["dim beside the article"] = faults_by_axe(tab, ("color-contrast",), beside="article")
    found["pictures without a text"] = desk.ask("undescribed()")
    found["links like their text"] = desk.ask("plainLinks()")
    found["long lines"] = desk.ask("longLines()")
    found["heavy"] = too_heavy(tab, book)

    if thorough:
        desk.show("light", forced="active")
        found["dim in forced colours"] = dim(desk, TEXT, PICTURES, EXPLORERS)

    desk.show("dark", SHEET, media="print")  # with the certificates and proofs that were left closed
    found["dim on paper"] = dim(desk, TEXT, PICTURES, EXPLORERS)
    found["lost on paper"] = desk.ask("lostOnPaper()")
    found["dark grounds on paper"] = [level for level in desk.ask("grounds()") if level < 0.7]
    found["complaints"] = list(desk.complaints)
    desk.rest()  # the next page is no sheet of paper
    seen(found)


@pytest.mark.parametrize("page", SURROUNDED)
def test_the_dark_around_a_page(desk, site, page):
    """What stands around articles: all pages have the same rules."""
    desk.show("dark")
    tab = desk.open(f"{site}{page}.html")
    beside = faults_by_axe(tab, COLOUR_RULES, beside="article")  # whose colours are measured
    desk.rest()
    seen({"beside the article": beside})


def test_page_on_a_phone_from_a_folder(phone, book, page_name):
    """It fits in its width; nothing moves when the script of explorers comes, and keys move them."""
    address = (book / f"{page_name}.html").as_uri()
    stood = places_without_explorers(phone, address, page_name)
    # The page waits for its script: that it comes by itself is seen at a desk.
    tab, found = phone.open(address) if not stood else phone.begin(SCRIPT), {}
    found["moved when the script came"] = shifted(stood, tab)
    for name in boxes(page_name):
        box = tab.locator(f"#{name}")
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
        fold = box.locator("details.rare > summary")
        fold.click()
        box.evaluate("box => box.scrollIntoView({ behavior: 'instant' })")  # below, it has shrunk
        targets = box.evaluate(TARGETS)
        assert len(targets) >= 5  # a control, two buttons below the picture, and two in the one that opens
        fold.click()
        found[f"hard to touch in {name}"] = [
            target
            for target in targets
            if min(target["width"], target["height"]) < 24 or target["right"] > PHONE["width"]
        ]
        box.locator("input, select").first.focus()
        tab.keyboard.press("Tab")
        focused = "box.querySelector('.uat-view').shadowRoot.activeElement"
        assert box.evaluate(f"box => getComputedStyle({focused}).outlineStyle") == "solid"
    for explorer in explorers(page_name):
        (every_value_by_keyboard if page_name in tried() else each_control_to_its_end)(tab, explorer)
    for live in live_pictures(page_name):
        every_handle_by_keyboard(tab, live)
    tab.evaluate("document.querySelectorAll('button.toggle-button').forEach(button => button.click())")
    found["wide"] = phone.ask("overflow()")
    found["cut"] = phone.ask("cutCertificates()")
    seen({**found, "complaints": list(phone.complaints)})


def places_without_explorers(reader: Reader, address: str, page: str) -> dict[str, float]:
    """Where the elements of a page with explorers stand before their script comes."""
    if not boxes(page):
        return {}
    reader.tab.route(SCRIPT, lambda route: route.fulfill(body="", content_type="text/javascript"))
    reader.open(address, started=False)
    places = reader.tab.evaluate(PLACES)
    reader.tab.unroute(SCRIPT)
    assert {*boxes(page)} <= {*places}
    return places


def shifted(stood: dict[str, float], tab: Page) -> list[tuple[str, float, float | None]]:
    """What stood elsewhere before the script came."""
    stands = tab.evaluate(PLACES)
    return [(name, y, stands.get(name)) for name, y in stood.items() if abs(stands.get(name, -1) - y) > 1]


@functools.cache
def weight(file: Path) -> int:
    """Bytes of a file, packed; what does not get smaller (fonts, bitmaps) as it is."""
    content = file.read_bytes()
    return min(len(content), len(gzip.compress(content, 9)))


def too_heavy(tab: Page, book: Path) -> list[tuple[int, str]]:
    """The heaviest files that a page loads, if all of them are too heavy; also what comes when it is scrolled to."""
    files = {book / unquote(path).lstrip("/") for path in tab.evaluate(LOADED)}
    assert len(files) > 5  # the page, scripts, style sheets, fonts
    weights = sorted(((weight(file), file.name) for file in files), reverse=True)
    return weights[:5] if sum(size for size, _ in weights) > HEAVY else []


FADE = """async (box) => {
  box.getAnimations().forEach((animation) => animation.play()); // those of a page that was opened are at their end
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const style = getComputedStyle(box);
  return [box.scrollWidth > box.clientWidth + 1, box.tabIndex, style.maskImage, style.getPropertyValue("--uat-fade")];
}"""


def test_what_is_wider_than_a_phone_fades_until_its_end(phone, site):
    tab = phone.open(f"{site}chapters/liu-cross-attention.html")
    tab.locator(".uat-scroll.uat-wide").first.wait_for()
    kinds = set()
    for box in tab.locator(".uat-scroll").all():
        box.scroll_into_view_if_needed()
        wide, stop, mask, fade = box.evaluate(FADE)
        kinds.add(wide)
        assert (stop, mask != "none", fade != "0px") == ((0, True, True) if wide else (-1, False, False))
        box.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
        assert box.evaluate(FADE)[3] == "0px"
    assert kinds == {True, False}


def test_page_without_javascript(bare, site, tried_page):
    """It follows the system's colours, and shows the first frame of each explorer and live picture."""
    bare.show("light")
    tab = bare.open(f"{site}{tried_page}.html")
    assert tab.get_attribute("html", "data-theme") == "auto"
    found = {"dim in the light": dim(bare, TEXT, PICTURES)}
    found["dark grounds in the light"] = [level for level in bare.ask("grounds()") if level < 0.7]
    bare.show("dark")
    found["dim in the dark"] = dim(bare, TEXT, PICTURES)
    found["bright grounds in the dark"] = [level for level in bare.ask("grounds()") if level > 0.2]
    for one in (*explorers(tried_page), *live_pictures(tried_page)):
        box = tab.locator(f"#{one.id}")
        image = box.locator("svg.uat-figure:visible")
        assert image.bounding_box()["width"] > 200
        assert image.get_attribute("aria-label") == one.alt
        assert "need JavaScript" in box.locator("noscript p:visible").inner_text()
        box.locator("details").evaluate_all("(folds) => folds.forEach((fold) => (fold.open = true))")
        for words in (one.title, one.text):
            assert box.get_by_text(words).first.is_visible()
        for row in box.locator(".control").all():
            assert row.locator("input, select").first.evaluate("field => !!field.closest('[inert]')")
    seen(found)


def told(box) -> tuple[str | None, str]:
    """Alt text and read-out of a live picture: together they tell of all that a handle moves."""
    return box.locator(".stage svg").get_attribute("aria-label"), box.locator(".readout").text_content()


def every_value_by_keyboard(tab: Page, explorer: PageExplorer) -> None:
    """Of every control; none changes the height of the card."""
    unfold(tab, explorer)
    heights = {see(tab, explorer, explorer.start)}
    for i, control in enumerate(explorer.controls):
        at, last = list(explorer.start), len(control["texts"]) - 1
        if control["kind"] == "checkbox":
            steps = [(1 - at[i], "Space"), (at[i], "Space")]
        elif control["kind"] == "segmented":  # round and round
            first, second = ((at[i] + k) % (last + 1) for k in (1, 2))
            steps = [(first, "ArrowRight"), (second, "ArrowDown"), (first, "ArrowLeft"), (at[i], "ArrowUp")]
        else:
            steps = [(0, "Home"), *((k, "ArrowRight") for k in range(1, last + 1)), (last, "End"), (0, "Home")]
        field_of(tab, explorer, control).focus()
        for k, key in steps:
            tab.keyboard.press(key)
            at[i] = k
            heights.add(see(tab, explorer, at))
        tab.locator(f"#{explorer.id}").get_by_role("button", name="Reset").press("Enter")
        see(tab, explorer, explorer.start)
    heights |= each_control_to_its_end(tab, explorer)
    assert max(heights) - min(heights) < 1, explorer.id


def each_control_to_its_end(tab: Page, explorer: PageExplorer) -> set[float]:
    """One beside the others, by keyboard; none changes the height of the card."""
    unfold(tab, explorer)
    at, heights = list(explorer.start), {see(tab, explorer, explorer.start)}
    for i, control in enumerate(explorer.controls):
        last = len(control["texts"]) - 1
        key, k = {"checkbox": ("Space", 1 - at[i]), "segmented": ("ArrowRight", (at[i] + 1) % (last + 1))}.get(
            control["kind"], ("End", last)
        )
        field_of(tab, explorer, control).focus()
        tab.keyboard.press(key)
        at[i] = k
        heights.add(see(tab, explorer, at))
    assert max(heights) - min(heights) < 1, explorer.id
    return heights


def every_handle_by_keyboard(tab: Page, live: PageLive) -> None:
    """Each tells something else after a step."""
    box = tab.locator(f"#{live.id}")
    assert box.locator(".readout").text_content() == live.text  # also in a fold
    for field in box.locator(".handle:visible input").all():
        before = told(box)
        field.press("ArrowRight" if field.input_value() != field.get_attribute("max") else "ArrowLeft")
        for _ in range(500):  # a painted square has 10 s: machines that build are busy
            if told(box) != before:
                break
            tab.wait_for_timeout(20)
        assert told(box) != before
    box.get_by_role("button", name="Reset").press("Enter")
    expect(box.locator(".readout")).to_have_text(live.text)


def another_setting(page: str) -> tuple[PageExplorer, int, int]:
    """The first explorer of a page, its first control above the picture, and a position where that does not start."""
    first = explorers(page)[0]
    i = first.rows[0]
    last = len(first.controls[i]["texts"]) - 1
    return first, i, last if first.start[i] != last else 0


def fragment(page: str) -> str:
    """The end of an address that opens the first explorer, if there is one, at another setting."""
    if not explorers(page):
        return ""
    first, i, k = another_setting(page)
    return f"#{first.id}?{first.controls[i]['name']}={first.controls[i]['keys'][k]}&nonsense=1"


def an_address_opens_a_setting_and_a_mouse_moves_it(tab: Page, page: str) -> None:
    """The page was opened with `fragment`; at the end all stands as it starts."""
    first, i, k = another_setting(page)
    control, at = first.controls[i], [*first.start[:i], k, *first.start[i + 1 :]]
    see(tab, first, at)
    box = tab.locator(f"#{first.id}")
    assert 0 <= box.bounding_box()["y"] < tab.viewport_size["height"]
    link = box.get_by_role("link", name="Link to this setting", include_hidden=True).get_attribute("href")
    box.get_by_role("button", name="Reset").press("Enter")  # it may be behind the words that move the picture
    see(tab, first, first.start)
    tab.wait_for_function("location.hash === ''")
    tab.evaluate("link => { location.hash = link; }", link)
    see(tab, first, at)
    for other in explorers(page)[1:]:
        see(tab, other, other.start)
    field_of(tab, first, control).press("Home" if k else "End")
    moved = 0 if k else len(control["texts"]) - 1
    if moved != control["start"]:
        key = f"{control['name']}={control['keys'][moved]}"
        tab.wait_for_function("key => decodeURIComponent(location.hash).includes(key)", arg=key)
    box.get_by_role("button", name="Reset").press("Enter")
    for explorer in explorers(page):
        click_through(tab, explorer)
    tab.locator(".uat-explorer .more").evaluate_all("(folds) => folds.forEach((fold) => (fold.open = false))")
    tab.mouse.move(0, 0)
    tab.evaluate("document.activeElement.blur()")


UNCOVERED = "([id, x, y]) => document.getElementById(id).contains(document.elementFromPoint(x, y))"


def click_through(tab: Page, explorer: PageExplorer) -> None:
    """With a mouse to both ends of each control, its middle, and back; the keyboard goes to every value."""
    for i, control in enumerate(explorer.controls):
        at, field, last = list(explorer.start), field_of(tab, explorer, control), len(control["texts"]) - 1
        for k in (0, last, last // 2, at[i]):
            if control["kind"] == "slider":
                field.evaluate("(field) => field.scrollIntoView({ block: 'center', behavior: 'instant' })")
                for _ in range(20):  # a card that stays beside its words may be taller than the window
                    if field.bounding_box()["y"] < 60:
                        tab.evaluate("scrollBy({ top: -60, behavior: 'instant' })")
                box, thumb = field.bounding_box(), 16
                x = box["x"] + thumb / 2 + k / last * (box["width"] - thumb)
                y = box["y"] + box["height"] / 2
                tab.wait_for_function(UNCOVERED, arg=[explorer.id, x, y])  # the list of contents makes room
                tab.mouse.click(x, y)
            elif control["kind"] == "checkbox":
                field.set_checked(bool(k))
            elif control["kind"] == "segmented":
                group = tab.locator(f"#{explorer.id}").get_by_label(control["label"], exact=True)
                half = group.locator("label").nth(k)
                # What is below the drawing may be behind the words that move it.
                half.evaluate("(half) => half.click()") if control["name"] in explorer.folded else half.click()
            else:
                field.select_option(str(k))
            at[i] = k
            see(tab, explorer, at)


def test_accents_do_not_erase_their_letters_in_forced_colours(desk, site):
    """The same formula has the same ink: a ground painted behind the accent would cover the letter."""
    tab, inks = desk.open(f"{site}{ACCENTED}.html"), []
    tab.evaluate("document.querySelector('article').style.zoom = 4")  # of small letters the edges are most of the ink
    for forced in ("none", "active"):
        desk.show("light", forced=forced)
        letters = tab.locator("article p .katex-html .accent")
        assert letters.count() >= 3
        inks.append([ink(letters.nth(k).screenshot()) for k in range(3)])
    for normal, forced in zip(*inks, strict=True):
        assert normal > 10
        # Black has more ink than the page's dark grey; half of the letter would be much less.
        assert 0.95 * normal < forced < 1.4 * normal


def ink(png: bytes) -> float:
    """How many black pixels a picture would fill, on its paper."""
    grey = matplotlib.image.imread(io.BytesIO(png), format="png")[..., :3].mean(axis=-1)
    return float((grey.max() - grey).sum())


def test_page_has_one_title_and_unique_ids(book, page_name):
    page = anchors(book / f"{page_name}.html")
    assert page.titles == 1
    assert [name for name, times in Counter(page.ids).items() if times > 1] == []


def test_links_resolve(book, page_name):
    here = book / f"{page_name}.html"
    broken = []
    for link in sorted(set(anchors(here).links)):
        address, fragment = urldefrag(link)
        if urlsplit(address).scheme:
            continue
        target = (here.parent / unquote(urlsplit(address).path)).resolve() if address else here
        place, *_ = unquote(fragment).split("?")  # behind it the setting of an explorer
        reached = target.exists() and (not place or place in anchors(target).ids)
        if not reached:
            broken.append(link)
    assert broken == []


def test_notebook_ran_cleanly(book, page_name):
    path = NOTEBOOKS / f"{page_name}.ipynb"
    if not path.exists():
        assert "{code-cell}" not in (ROOT / f"{page_name}.md").read_text(encoding="utf-8")
        return
    source = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    _, notebook = get_cache(ROOT / "_build" / ".jupyter_cache").merge_match_into_notebook(source)
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        wrong = [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
        assert not wrong, cell.source
        if "figure" in cell.metadata.get("tags", []):
            kinds = json.dumps([list(o.get("data", {})) for o in outputs])
            assert "image/" in kinds or "text/html" in kinds, f"no picture from: {cell.source}"
        if "solution" in cell.metadata.get("tags", []):
            continue  # no page shows what it draws
        shown = ["uat-explorer" in o.get("data", {}).get("text/html", "") for o in outputs]
        assert any(shown) == ("explorer" in cell.metadata.get("tags", [])), f"explorer or not? {cell.source}"
    # The build ran the code of the solutions after the chapter; each says at its end what is true.
    solved = [cell for cell in notebook.cells if "solution" in cell.metadata.get("tags", [])]
    assert [cell.source for cell in solved] == solutions((ROOT / f"{page_name}.md").read_text(encoding="utf-8"))
    assert solved or not page_name.startswith("chapters/")
    for cell in solved:
        assert cell.outputs, f"ends in nothing: {cell.source}"
        assert cell.outputs[-1].get("data", {}).get("text/plain") in ("True", "np.True_"), cell.source
