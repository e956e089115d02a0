"""Formulas, code and pictures keep their direction and their words in a page that is turned round or translated."""

import lxml.html
import pytest
from reader import STARTED

# Where the glyphs of formulas and of pictures stand, from the first of each; and of sliders where a key leads.
# Fonts are asked for when letters are laid out, so they are not "ready" before.
PLACED = """async () => {
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  await document.fonts.ready;
  const lefts = (island, parts) => {
    const places = [...parts].map((part) => part.getBoundingClientRect().left);
    return places.map((place) => Math.round(place - places[0])).join(" "); // one text is sooner here than a list
  };
  const shadows = [...document.querySelectorAll(".uat-view")].map((host) => host.shadowRoot);
  const formulas = [...document.querySelectorAll(".uat-display .katex-html, .uat-tie > .katex > .katex-html")];
  const pictures = [document, ...shadows].flatMap((root) => [...root.querySelectorAll("svg")]);
  return [
    ...formulas.map((one) => lefts(one, one.querySelectorAll(".mord, .mrel, .mbin, .mopen, .mclose"))),
    ...pictures.map((one) => lefts(one, one.querySelectorAll("text, tspan"))),
    ...[...document.querySelectorAll("pre, code")].map((one) => getComputedStyle(one).direction),
    ...shadows.flatMap((root) => [...root.querySelectorAll("input")].map((one) => getComputedStyle(one).direction)),
  ];
}"""

# What a translator does: every run of text that it may change becomes another, attributes stay.
TRANSLATED = """() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), runs = [];
  while (walk.nextNode()) runs.push(walk.currentNode);
  const kept = "script, style, [translate=no]";
  const free = runs.filter(({ data, parentElement: at }) => data.trim() && !at.closest(kept));
  for (const run of free) run.data = `\\u00ab${run.data.trim().split("").reverse().join("")}\\u00bb`;
  return [free.length, free.filter(({ parentElement: at }) => at.closest(".katex, code, svg:not(button svg)")).length];
}"""


DRAWN = "self::svg[not(ancestor::button)]"
FORMULA = "contains(concat(' ', @class, ' '), ' katex ')"
KEPT = "ancestor-or-self::*[@translate='no' or self::script or self::style]"


def test_islands_run_from_left_to_right_and_are_not_translated(desk, site, tried_page):
    tab = desk.open(f"{site}{tried_page}.html")
    tab.evaluate(PLACED)  # which lays out what is folded, and asks for its fonts
    before = tab.evaluate(PLACED)
    tab.evaluate("document.documentElement.dir = 'rtl'")
    after = tab.evaluate(PLACED)
    assert [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]] == []
    translated, islands = tab.evaluate(TRANSLATED)
    assert translated > 0
    assert islands == 0


def test_islands_are_marked_as_not_to_be_translated(book, page_name):
    """On the page itself; what scripts add is seen where they are tried."""
    page = lxml.html.fromstring((book / f"{page_name}.html").read_bytes())
    free = page.xpath(f"//body//*[self::code or {DRAWN} or {FORMULA}][not({KEPT})]")
    assert [text for one in free for text in one.xpath(f".//text()[normalize-space()][not({KEPT})]")] == []


def test_a_translated_page_forgets_and_filters(desk, site):
    tab = desk.open(f"{site}library/ways.html")
    tab.evaluate("localStorage.setItem('uat-progress', '{\"goal-a\": \"now\"}')")
    tab.reload()
    forget = tab.locator(".uat-solved-list button").nth(2)
    for _ in range(2):
        tab.evaluate(TRANSLATED)
        forget.click()
    assert tab.evaluate("localStorage.getItem('uat-progress')") == "{}"
    tab = desk.open(f"{site}library/atlas.html")
    shown = """() => [...document.querySelectorAll(".uat-atlas select")].map((choice) =>
      [...choice.options].map((_, k) => {
        choice.selectedIndex = k;
        choice.dispatchEvent(new Event("input", { bubbles: true }));
        const count = document.querySelectorAll(".uat-atlas tbody tr:not([hidden])").length;
        choice.selectedIndex = 0;
        return count;
      }))"""
    usual = tab.evaluate(shown)
    tab.evaluate(TRANSLATED)
    assert tab.evaluate(shown) == usual
    assert all(count for choice in usual for count in choice)


@pytest.mark.parametrize(
    "encoded", ["%3FN%3D16", "%3FN%3D16%26proof%3DLiu%20et%20al.", "%3Fproof%3DLiu%2520et%2520al.%26N%3D16"]
)
def test_an_address_is_read_where_a_program_has_encoded_it(desk, site, encoded):
    tab = desk.open(f"{site}index.html#explorer-square{encoded}")
    tab.wait_for_function(STARTED)
    cells = tab.get_by_role("slider", name="cells a side", include_hidden=True)  # in a fold
    assert cells.get_attribute("aria-valuetext") == "16"
    assert not tab.locator("#explorer-square .note").inner_text()


COPIED = """() => {
  const paragraphs = [...document.querySelectorAll("article p")], bare = (text) => text.replace(/\\s+/g, "");
  return paragraphs.filter((p) => p.querySelector(".katex") && p.offsetHeight).map((p) => {
    getSelection().selectAllChildren(p);
    const clipboardData = new DataTransfer();
    document.dispatchEvent(new ClipboardEvent("copy", { clipboardData, cancelable: true }));
    const once = p.cloneNode(true);
    once.querySelectorAll(".headerlink").forEach((link) => link.remove());
    for (const formula of once.querySelectorAll(".katex")) {
      formula.replaceWith(`$${formula.querySelector("annotation").textContent}$`);
    }
    return [bare(clipboardData.getData("text/plain")).replace(/#$/, ""), bare(once.textContent)];
  });
}"""


def test_copied_text_has_each_formula_once(desk, site):
    copied = desk.open(f"{site}chapters/start.html").evaluate(COPIED)
    assert len(copied) > 10
    assert [pair for pair in copied if pair[0] != pair[1]] == []
