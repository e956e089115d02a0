"""What a browser refuses or lacks costs one feature: all others of a page work as they do elsewhere."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Page, Route
from reader import IDLE, STARTED
from rounds import FULL

PAGES = {
    "index.html": "",
    "chapters/start.html": "",
    "chapters/yun-cheaper-mixers.html": "",
    "search.html": "q=softmax",
    "library/atlas.html": "",
    "library/ways.html": "",
    "slides/start.html": "",
}
"""One of each kind, and what it is asked."""
TRIED = [*PAGES] if FULL else [*PAGES][:3]
THROWS = 'get() { throw new DOMException("refused", "SecurityError"); }'
STORES = "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name,"
REFUSED = {
    "": "",
    "storage": f"{STORES} {{ {THROWS}, configurable: true }});",
    "no storage": f"{STORES} {{ value: null, configurable: true }});",
    "room": "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };",
    "addresses": "History.prototype.replaceState = () => { throw new DOMException('no', 'SecurityError'); };",
    "fonts": "",  # which no script refuses: no file of a font comes
    "sheets": "Object.defineProperty(ShadowRoot.prototype, 'adoptedStyleSheets',"
    " { set() { throw new TypeError('no'); } });",
    **{
        name: f"delete window.{name}; window.{name} = undefined;"
        for name in (
            "IntersectionObserver",
            "ResizeObserver",
            "matchMedia",
            "requestIdleCallback",
            "DecompressionStream",
            "ClipboardEvent",
        )
    },
    "clipboard, fonts": "for (const [of, name] of [[Navigator, 'clipboard'], [Document, 'fonts']])"
    " Object.defineProperty(of.prototype, name, { value: undefined });",
}
"""What a page is without, by a name that its address has in it, so that one tab does for all."""
WITHOUT = f"""{{
  const without = new URLSearchParams(location.search).get("without") ?? "";
  const refuse = {{ {", ".join(f'"{name}": () => {{ {script} }}' for name, script in REFUSED.items())} }};
  refuse[without]();
}}"""

# What somebody does with a page, and what comes of it.
USED = """async () => {
  const all = (selector) => [...document.querySelectorAll(selector)], root = document.documentElement;
  const soon = () => new Promise((done) => setTimeout(done, 60));
  const found = {};
  root.dataset.whole = ""; // sections that are not laid out yet have boxes that do not scroll
  found.folds = all(".toggle-hidden").length;
  found.open = all(".toggle:not(.toggle-hidden)").length;
  all(".toggle-button").slice(0, 1).forEach((button) => button.click());
  found.unfolded = all(".toggle-hidden").length;
  const [theme] = all(".theme-switch-button"), mode = root.dataset.mode;
  theme?.click();
  found.theme = theme ? mode !== root.dataset.mode && ["light", "dark"].includes(root.dataset.theme) : null;
  found.coloured = ["light", "dark"].includes(root.dataset.theme);
  const opened = (button) => (button.click(), button.nextElementSibling.matches(".show"));
  found.menus = all("[data-bs-toggle=dropdown]").map(opened);
  for (const name of ["primary", "secondary"]) {
    all(`.${name}-toggle`).slice(0, 1).forEach((button) => button.click());
    found[name] = document.getElementById(`pst-${name}-sidebar-checkbox`)?.checked;
  }
  all(".search-button__button").slice(0, 1).forEach((button) => button.click());
  found.search = document.activeElement?.matches("input[type=search]");
  const faces = ["900 1em 'Font Awesome 6 Free'", "400 1em 'Font Awesome 6 Brands'"];
  const icons = faces.map((face) => document.fonts?.load(face));
  if (icons[0]) found.icons = (await Promise.allSettled(icons)).map(({ value }) => value?.length > 0);
  found.windows = all("a[target=_blank][href$='.html']:not([href*=':'])").length;
  found.copies = all(".copybtn").length;
  found.pages = all(".search li").length;
  found.forms = [];
  for (const form of all(".uat-check form")) {
    form.querySelector("button:not([aria-pressed])").click();
    found.forms.push(Boolean(form.querySelector("[role=status]").textContent));
  }
  found.list = all(".uat-solved-list button").length;
  found.atlas = [];
  for (const choice of all(".uat-atlas select")) {
    choice.selectedIndex = 1;
    choice.dispatchEvent(new Event("input", { bubbles: true }));
    found.atlas.push(all(".uat-atlas tbody tr:not([hidden])").length);
  }
  const scrolls = all("pre, .uat-scroll"), stops = (box) => box.tabIndex === 0;
  // Letters of code come when code is laid out, and are wider than those before; what watches sizes speaks late.
  await soon();
  await document.fonts?.ready;
  const late = () => scrolls.some((box) => stops(box) !== box.scrollWidth > box.clientWidth + 1);
  for (let k = 0; k < 100 && late(); k++) await soon();
  found.boxes = !late(); // a keyboard stops at what scrolls, and at nothing else; how many do, the letters decide
  found.pictures = [];
  for (const host of all(".uat-explorer .uat-view")) {
    const { shadowRoot } = host, before = host.dataset.at;
    const field = shadowRoot.querySelector("input[type=range], select");
    const menu = field.localName === "select", step = Number(field.step || 1);
    const [now, last] = (menu ? [field.selectedIndex, field.length - 1] : [field.value, field.max]).map(Number);
    field.value = now < last ? now + step : now - step;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    for (let k = 0; k < 40 && host.dataset.at === before; k += 1) await soon();
    const { borderRadius } = getComputedStyle(shadowRoot.querySelector(".explorer"));
    found.pictures.push([host.dataset.at !== before, borderRadius]);
  }
  return found;
}"""
SETTLED = """() => !document.getElementById("search-results")
  || /found/.test(document.querySelector(".search-summary")?.textContent)"""


class Visitor:
    """A tab whose pages are without what their address says, and errors of their scripts."""

    def __init__(self, browser: Browser) -> None:
        self.tab: Page = browser.new_page(viewport={"width": 900, "height": 700})
        self.tab.add_init_script(WITHOUT)
        self.tab.route("**/*.woff2", self.font)
        self.errors: list[str] = []
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))

    def font(self, route: Route) -> None:
        """Hand out a file, unless the page that asks is without fonts."""
        route.abort() if self.tab.url.endswith("without=fonts") else route.fallback()

    def seek(self, place: Page | Frame) -> list[str]:
        """The titles of the pages that a search finds, from the field of this one."""
        field = place.locator("form.bd-search input >> visible=true").first
        field.fill("hardmax")
        field.press("Enter")
        place.wait_for_url("**/search.html?q=hardmax")
        place.wait_for_function(SETTLED)
        return place.locator(".search li > a").all_inner_texts()

    def use(self, address: str, frame: bool = False) -> dict[str, Any]:
        """Open a page, itself or in a frame that refuses, and do all that one can do there."""
        self.errors.clear()
        place: Page | Frame = self.tab
        if frame:
            body = f'<iframe sandbox="allow-scripts" width="880" height="680" src="{address}"></iframe>'
            self.tab.route("**/framed", lambda route: route.fulfill(body=body, content_type="text/html"))
            self.tab.goto(f"{address.split('?')[0]}/framed")
            place = self.tab.frames[1]
            place.wait_for_function("() => location.protocol === 'http:' && document.readyState === 'complete'")
        else:
            self.tab.goto("about:blank")  # so that its address is the new one's when fonts are asked for
            self.tab.goto(address, wait_until="load")
        place.wait_for_function(STARTED)
        place.wait_for_function(SETTLED)
        if place.evaluate("Boolean(window.requestIdleCallback)"):
            place.evaluate(IDLE)
        found: dict[str, Any] = place.evaluate(USED)
        return found


@pytest.fixture(scope="module")
def visitor(browser: Browser) -> Iterator[Visitor]:
    one = Visitor(browser)
    yield one
    one.tab.close()


@pytest.mark.parametrize("page", TRIED)
def test_what_is_refused_costs_itself_alone(visitor, site, page):
    asked = PAGES[page]
    usual = visitor.use(f"{site}{page}?{asked}")
    assert visitor.errors == []
    assert usual["theme"] in {True, None}
    assert all(
        [
            usual["coloured"],
            usual["boxes"],
            *usual["menus"],
            *usual["forms"],
            *(moved for moved, _ in usual["pictures"]),
        ]
    )
    searches = visitor.tab.locator("form.bd-search").count() > 0
    sought = visitor.seek(visitor.tab) if searches else []
    visitor.use(f"{site}{page}?{asked}")
    packed = visitor.tab.locator("script.uat-pack").count()
    for name in REFUSED:
        found = visitor.use(f"{site}{page}?{asked}&without={name}")
        if name == "DecompressionStream":  # which pictures that are packed cannot do without
            assert visitor.tab.locator(".uat-explorer > [role=alert]").count() == packed
            assert len(found.pop("pictures")) == len(usual["pictures"]) - packed
        if "fonts" in name:  # letters have other widths, or nobody says when they come
            found.pop("boxes")
        assert (name, visitor.errors) == (name, [])
        assert (name, found) == (name, {key: usual[key] for key in found})
    framed = visitor.use(f"{site}{page}?{asked}", frame=True)
    assert visitor.errors == []
    assert framed.pop("windows") == 0  # the frame allows none
    assert framed == {key: usual[key] for key in framed}
    assert not searches or visitor.seek(visitor.tab.frames[1]) == sought != []


def test_the_pages_have_all_that_is_used(visitor, site):
    """Of each thing that a reader uses some page has one."""
    found = [visitor.use(f"{site}{page}?{asked}") for page, asked in PAGES.items()]
    assert {key for one in found for key, value in one.items() if value} == {*found[0]} - {"open", "windows"}
