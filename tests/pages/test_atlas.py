"""The table of the atlas: sorted and filtered by the keyboard alone; whole where there is no script."""

import inspect
import re

from uatbook.atlas import MIXERS

PAGE = "library/atlas.html"
VISIBLE = ".uat-atlas tbody tr:not([hidden])"


def columns(tab, k):
    """What stands in column k; of names without their papers."""
    return [row.locator("th, td").nth(k).inner_text().partition("\n")[0] for row in tab.locator(VISIBLE).all()]


def test_without_a_script_the_table_is_there(bare, site):
    tab = bare.open(f"{site}{PAGE}")
    assert columns(tab, 0) == list(MIXERS)
    assert tab.locator(".uat-atlas :is(input, select, button)").count() == 0


def test_words_and_choices_filter(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    table = tab.locator(".uat-atlas")
    count = len(MIXERS)
    assert table.get_by_role("status").inner_text() == f"{count} of {count} mixers"
    table.get_by_label("words").focus()
    tab.keyboard.type("MAMBA")
    found = columns(tab, 0)
    assert found
    assert all("mamba" in row.inner_text().lower() for row in tab.locator(VISIBLE).all())
    assert table.get_by_role("status").inner_text() == f"{len(found)} of {count} mixers"
    table.get_by_label("words").fill(" 2021 kim ")
    assert columns(tab, 0)
    assert all(re.search(r"(?s)kim.*2021", row.inner_text().lower()) for row in tab.locator(VISIBLE).all())
    table.get_by_label("words").fill("")
    table.get_by_label("family").select_option("sets")
    assert set(columns(tab, 1)) == {"sets"}
    table.get_by_label("1 layer").select_option("no")
    assert set(columns(tab, 3)) == {"no"}
    assert set(columns(tab, 1)) == {"sets"}
    table.get_by_label("1 layer").select_option("any")
    table.get_by_label("2 layers").select_option("yes at some sizes")
    assert {said[:8] for said in columns(tab, 4)} == {"yes at n"}
    assert desk.complaints == []


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
    for page in (book / PAGE, book / "library/cluster.html"):
        assert ("atlas.js" in page.read_text(encoding="utf-8")) == (page == book / PAGE)


def test_a_name_opens_its_formula(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    row = tab.locator(".uat-atlas tbody tr").filter(has_text="talking heads").first
    formula = row.locator("details p")
    assert not formula.is_visible()
    row.locator("summary").focus()
    tab.keyboard.press("Enter")
    assert inspect.getdoc(MIXERS["talking heads"].mix).endswith("both linear.")
    assert formula.inner_text().endswith("both linear.\nLink to this mixer")
    # What is folded is not searched: nobody sees why a row was found.
    tab.locator(".uat-atlas").get_by_label("words").fill("both linear")
    assert columns(tab, 0) == []


def test_on_a_phone_a_row_is_a_name_and_squares_and_opens_to_all_of_it(phone, site):
    tab = phone.open(f"{site}{PAGE}#mixer-softmax")
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
    assert text.index("uat-count") < text.index("uat-figure") < text.index("<h2")
