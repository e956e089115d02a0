"""The atlas: its table sorts and filters by the keyboard alone, and has addresses; whole without a script."""

import inspect
import re
from collections import Counter

import pytest

from uatbook.atlas import MIXERS, page
from uatbook.atlas.page import anchor
from uatbook.atlas.record import recorded

PAGE = "library/atlas.html"
VISIBLE = ".uat-atlas tbody tr:not([hidden])"


def columns(tab, k):
    """What stands in column k; of names without their papers."""
    return [row.locator("th, td").nth(k).inner_text().partition("\n")[0] for row in tab.locator(VISIBLE).all()]


def test_without_a_script_the_table_is_there(bare, site):
    tab = bare.open(f"{site}{PAGE}")
    assert columns(tab, 0) == list(MIXERS)
    assert tab.locator(".uat-atlas :is(input, select, button)").count() == 0


KINDS = Counter(page.kind(cells) for cells in page.by_name(recorded()).values())
COUNTED = "[...document.querySelectorAll('.uat-chart li a:not(.uat-out)')].length"


def test_names_and_choices_filter_and_the_address_keeps_them(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    table, count = tab.locator(".uat-atlas"), len(MIXERS)
    status, everything = table.get_by_role("status"), table.get_by_role("button", name="Show all")
    assert status.inner_text() == f"{count} of {count} mixers"
    assert not everything.is_visible()
    table.get_by_label("name").focus()
    tab.keyboard.type("MAMBA")
    found = columns(tab, 0)
    assert found
    assert set(found) == {name for name in MIXERS if "mamba" in name.lower()}
    assert status.inner_text() == f"{len(found)} of {count} mixers"
    assert tab.evaluate(COUNTED) == len(found)
    assert tab.evaluate("location.hash") == "#atlas?name=MAMBA"
    table.get_by_label("name").fill(" 2021 kim ")
    assert columns(tab, 0)
    assert all(re.search(r"(?s)kim.*2021", row.inner_text().lower()) for row in tab.locator(VISIBLE).all())
    table.get_by_label("name").fill("")
    table.get_by_label("family").select_option("sets")
    table.get_by_label("verdict").select_option("fooled in part")
    assert set(columns(tab, 1)) == {"sets"}
    some = columns(tab, 0)
    assert some == ["Deep Sets, sum", "CommNet"]
    tab.reload()
    tab.wait_for_function("document.querySelector('.uat-atlas button:not([hidden])')")
    assert columns(tab, 0) == some
    assert table.get_by_label("family").input_value() == "sets"
    everything.focus()
    tab.keyboard.press("Enter")
    assert status.inner_text() == f"{count} of {count} mixers"
    assert tab.evaluate("location.href") == f"{site}{PAGE}"
    assert desk.complaints == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_of_the_first_sentence_leads_to_those_that_it_counts(desk, site, kind):
    tab = desk.open(f"{site}{PAGE}")
    link = tab.locator(f".uat-count + p a[href$='={kind}']")
    assert int(link.inner_text().split()[0]) == KINDS[kind] == tab.locator(f".uat-atlas tr[data-is={kind}]").count()
    link.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_function("document.activeElement.localName === 'select'")
    assert tab.locator(VISIBLE).count() == KINDS[kind]
    assert tab.evaluate("document.querySelector('.uat-atlas').getBoundingClientRect().top < innerHeight")


def test_an_address_of_a_filter_is_read_whatever_it_says(folder, book):
    for words, count in (
        ("%3Fverdict%3Dfooled", KINDS["fooled"]),
        ("?verdict=nothing&family=none&size=3", len(MIXERS)),
    ):
        tab = folder.open(f"{(book / PAGE).as_uri()}#atlas{words}")
        tab.wait_for_function(f"{COUNTED} === {count}")
        assert folder.complaints == []


def test_headings_sort_up_and_down(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    heading = tab.locator(".uat-atlas thead th").first
    for direction in ("ascending", "descending"):
        heading.get_by_role("button").focus()
        tab.keyboard.press("Enter")
        assert heading.get_attribute("aria-sort") == direction
        assert tab.locator(".uat-atlas [aria-sort]").count() == 1
        names = columns(tab, 0)
        assert sorted(names) == sorted(MIXERS)
        simple = [name.lower() for name in names if re.fullmatch(r"[A-Za-z]+", name)]
        assert simple == sorted(simple, reverse=direction == "descending")
    tab.locator(".uat-atlas thead th").nth(1).get_by_role("button").click()
    assert heading.get_attribute("aria-sort") is None


def test_the_script_is_loaded_here_alone(book):
    for path in (book / PAGE, book / "library/cluster.html"):
        assert ("atlas.js" in path.read_text(encoding="utf-8")) == (path == book / PAGE)


def test_a_name_opens_its_formula_and_its_address_can_be_copied(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    row = tab.locator("#mixer-talking-heads")
    formula = row.locator("details p").first
    assert not formula.is_visible()
    row.locator("summary").focus()
    tab.keyboard.press("Enter")
    assert inspect.getdoc(MIXERS["talking heads"].mix).endswith("both linear.")
    assert formula.inner_text().endswith("both linear.")
    assert row.get_by_role("link", name="Link to this mixer").get_attribute("href") == "#mixer-talking-heads"
    tab.evaluate("""Object.defineProperty(navigator, 'clipboard', { configurable: true,
      value: { writeText: (text) => { window.copied = text; return Promise.resolve(); } } })""")
    button = row.get_by_role("button", name="Copy this link")
    button.click()
    row.get_by_text("Copied.").wait_for()
    assert tab.evaluate("copied") == f"{site}{PAGE}#mixer-talking-heads"
    tab.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    button.click()
    row.get_by_text(f"{site}{PAGE}#mixer-talking-heads").wait_for()


def test_every_row_has_a_drawing_and_the_chart_leads_to_it_without_a_script(bare, site):
    tab = bare.open(f"{site}{PAGE}")
    assert tab.locator(".uat-atlas tbody figure > svg[aria-label]").count() == len(MIXERS)
    links = tab.locator(".uat-chart li a").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
    assert sorted(links) == sorted(f"#{anchor(name)}" for name in MIXERS)
    tab.locator(".uat-chart li a[href='#mixer-xcit']").click()
    assert tab.locator("tr:target").get_attribute("id") == "mixer-xcit"


def test_on_a_phone_a_row_is_a_name_and_squares_and_opens_to_all_of_it(phone, site):
    tab = phone.open(f"{site}{PAGE}#row-softmax")
    tab.locator("#mixer-softmax details[open]").wait_for()
    row = tab.locator("#mixer-xcit")
    squares = row.locator(".uat-verdict")
    assert {(box["width"], box["height"]) for box in (one.bounding_box() for one in squares.all())} == {(18, 18)}
    assert squares.count() == 4
    ground, closed = "e => getComputedStyle(e).background", ".uat-atlas tr:not(:has([open]))"
    places = [closed, *(f"{closed} > .uat-{kind}" for kind in ("yes", "no", "part"))]
    assert len({tab.locator(place).last.evaluate(ground) for place in places}) == 4
    assert row.bounding_box()["height"] < 70
    assert not row.locator("td").last.is_visible()
    row.locator("summary").click()
    assert all(cell.is_visible() for cell in row.locator("td").all())
    assert squares.first.bounding_box()["width"] > 200
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert phone.complaints == []


def test_the_chart_is_the_first_thing_to_see(book):
    text = (book / PAGE).read_text(encoding="utf-8")
    text = text.partition("<article")[2]
    assert text.index("uat-count") < text.index("uat-chart") < text.index("<h2")


def test_below_the_chart_comes_the_table_and_what_is_long_is_folded(bare, site):
    """One thing to do: look up yours, see its pair. No print-outs of the search stand between."""
    tab = bare.open(f"{site}{PAGE}")
    headings = [heading.inner_text().rstrip("#").strip() for heading in tab.locator("article h2").all()]
    assert headings[:2] == ["The table", "What a verdict is worth"]
    assert tab.locator("article section#what-a-verdict-is-worth pre:visible").count() == 0
    log = tab.locator(".uat-log")
    assert log.get_attribute("open") is None
    log.locator("summary").click()
    assert "told apart" in log.locator("li").nth(1).inner_text()
    others = tab.locator(".uat-others")
    others.locator("summary").click()
    others.get_by_role("link", name="Set Transformer, ISAB").first.click()
    assert tab.locator("tr:target").get_attribute("id") == "mixer-set-transformer-isab"
