"""The atlas: a name is found at once, a press opens its card, on a phone a sheet, with an address and a way back."""

import pytest
from reader import PHONE, Reader

from uatbook.atlas import MIXERS
from uatbook.atlas.also import ALSO, OTHERS
from uatbook.atlas.page import anchor

PAGE = "library/atlas.html"
FOCUS = "document.activeElement.hash ?? document.activeElement.className"
HERE = "decodeURIComponent(location.hash)"
LENGTH = "history.length"
UNDER = """(link) => {
  const box = link.getBoundingClientRect();
  return document.elementFromPoint(box.left + 4, box.top + box.height / 2)?.closest("a") === link;
}"""


def chart(tab, name):
    return tab.locator(f".uat-chart li a[href='#{anchor(name)}']")


def card_of(tab):
    return tab.locator(".uat-atlas-card:not([hidden])")


def sheet_of(tab):
    return tab.get_by_role("dialog")


def upper(link):
    link.evaluate("(link) => scrollBy({ top: link.getBoundingClientRect().top - 120, behavior: 'instant' })")


def opened_by_finger(tab, name):
    link = chart(tab, name)
    upper(link)
    link.tap()
    sheet_of(tab).wait_for()
    return link


def test_the_focus_shows_a_pair_enter_opens_it_and_escape_leads_back(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    assert tab.locator("figure:has(.uat-chart).uat-wide").count() == 0
    link = chart(tab, "ReLU")
    chart(tab, "sigmoid").focus()
    tab.keyboard.press("Tab")
    card = card_of(tab)
    said = card.inner_text()
    assert said.startswith("ReLU Wortsman et al. 2023")
    for words in ("Proved: fooled from n = 3 on.", "1 + 64 = 16 + 49", "their sum of squares kept", "up to 4 layers"):
        assert words in said
    assert card.locator("figure svg").get_attribute("aria-label").startswith("X: 2, 1, 8; Y: 2, 4, 7.")
    assert link.get_attribute("aria-describedby") == card.get_attribute("id")
    tab.keyboard.press("Escape")
    assert card.count() == 0
    assert tab.evaluate(HERE) == ""
    tab.keyboard.press("Enter")
    assert sheet_of(tab).get_attribute("aria-label").startswith("ReLU")
    assert tab.evaluate(HERE) == "#mixer-relu"
    assert tab.evaluate("document.activeElement.role") == "dialog"
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.ariaLabel") == "Close"
    tab.keyboard.press("Escape")
    tab.wait_for_function("location.hash === ''")
    assert card.count() == 0
    assert tab.evaluate(FOCUS) == "#mixer-relu"
    tab.go_forward()
    sheet_of(tab).wait_for()
    assert desk.complaints == []


def test_the_card_comes_with_the_mouse_stays_under_it_and_within_the_screen(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    for name in ("softmax", "XCiT", "mLSTM (xLSTM)", "Elman network"):
        link = chart(tab, name)
        link.hover()
        card, wide = card_of(tab), tab.viewport_size["width"]
        box = card.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= wide
        assert card.evaluate("""(card) => {
          const { left, top, width } = card.getBoundingClientRect();
          return [4, width - 4].every((x) => card.contains(document.elementFromPoint(left + x, Math.max(top, 70) + 4)));
        }""")
        card.hover(position={"x": 30, "y": box["height"] / 2})
        assert card.inner_text().startswith(name)
    assert "The least difference" in card.inner_text()
    link.evaluate(
        "(link) => scrollBy({ top: link.getBoundingClientRect().bottom - innerHeight + 40, behavior: 'instant' })"
    )
    tab.mouse.move(5, 5)
    link.hover()
    box = card.bounding_box()
    assert 0 <= box["y"] < box["y"] + box["height"] <= tab.viewport_size["height"]
    tab.mouse.move(5, 5)
    assert card_of(tab).count() == 0


def test_a_card_that_was_pressed_stays_until_a_press_beside_it(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    chart(tab, "XCiT").hover()
    assert sheet_of(tab).count() == 0
    chart(tab, "XCiT").click()
    tab.mouse.move(5, 5)
    chart(tab, "XCiT").evaluate("(link) => link.closest('ul').dispatchEvent(new PointerEvent('pointerover'))")
    assert sheet_of(tab).is_visible()
    tab.locator(".uat-count").click()
    assert sheet_of(tab).count() == 0
    tab.wait_for_function("location.hash === ''")
    assert desk.complaints == []


@pytest.fixture
def young(browser):
    """A phone whose tab is new: a history counts no further than to fifty."""
    reader = Reader(browser, viewport=PHONE, has_touch=True)
    yield reader
    reader.tab.close()


@pytest.mark.parametrize("way", ["back", "cross", "escape", "beside"])
def test_a_sheet_is_closed_by_back_and_opens_with_forward(young, site, way):
    tab = young.open(f"{site}{PAGE}")
    before = tab.evaluate(LENGTH)
    link = opened_by_finger(tab, "CommNet")
    box, size = sheet_of(tab).bounding_box(), tab.viewport_size
    assert (box["x"], box["width"], round(box["y"] + box["height"])) == (0, size["width"], size["height"])
    assert link.evaluate(UNDER)
    cross = sheet_of(tab).get_by_role("button", name="Close")
    assert min(cross.bounding_box()[side] for side in ("width", "height")) >= 44
    opened_by_finger(tab, "Deep Sets, sum")  # another in its place: no second step
    opened_by_finger(tab, "CommNet")
    assert tab.evaluate(LENGTH) == before + 1
    if way == "back":
        tab.go_back()
    elif way == "cross":
        cross.tap()
    elif way == "escape":
        tab.keyboard.press("Escape")
    else:
        tab.locator(".uat-chart b").first.evaluate("(name) => name.click()")
    tab.wait_for_function("location.hash === ''")
    assert sheet_of(tab).count() == card_of(tab).count() == 0
    assert tab.evaluate(FOCUS) == "#mixer-commnet"
    assert link.evaluate(UNDER)
    tab.go_forward()
    sheet_of(tab).wait_for()
    assert tab.evaluate(HERE) == "#mixer-commnet"
    assert sheet_of(tab).get_attribute("aria-label").startswith("CommNet")
    assert tab.evaluate(LENGTH) == before + 1
    assert young.complaints == []


def test_a_row_that_a_sheet_would_hide_comes_above_it(phone, site):
    tab = phone.open(f"{site}{PAGE}")
    link = chart(tab, "SimA")
    link.evaluate(
        "(link) => scrollBy({ top: link.getBoundingClientRect().bottom - innerHeight + 5, behavior: 'instant' })"
    )
    link.tap()
    sheet_of(tab).wait_for()
    assert link.evaluate(UNDER)


@pytest.mark.parametrize("kind", ["desk", "phone", "folder"])
def test_an_address_opens_the_card_in_sight_with_its_filter(request, site, book, kind):
    reader = request.getfixturevalue(kind)
    root = f"{book.as_uri()}/" if kind == "folder" else site
    tab = reader.open(f"{root}{PAGE}#mixer-linear-self-attention?family=linear+time")
    sheet = sheet_of(tab)
    sheet.wait_for()
    assert sheet.get_attribute("aria-label").startswith("linear self-attention")
    assert chart(tab, "linear self-attention").evaluate(UNDER)
    assert sheet.evaluate("(card) => card.getBoundingClientRect().bottom <= innerHeight")
    assert tab.locator(".uat-atlas").get_by_label("family").input_value() == "linear time"
    sheet.get_by_role("button", name="Close").click()
    assert sheet.count() == 0
    assert tab.evaluate(HERE) == "#atlas?family=linear+time"
    chart(tab, "XCiT").click()
    assert tab.evaluate(HERE) == "#mixer-xcit?family=linear+time"
    tab.go_back()
    tab.wait_for_function("location.hash.startsWith('#atlas')")
    assert sheet.count() == 0
    assert chart(tab, "XCiT").evaluate(UNDER)  # not the table, which the address of a filter shows
    assert reader.complaints == []


def test_a_plain_address_stays_at_the_chart_while_the_page_grows(phone, site):
    tab = phone.open(f"{site}{PAGE}#mixer-xcit")
    tab.wait_for_timeout(1200)  # for a second the page is led to what its address names
    assert sheet_of(tab).is_visible()
    assert chart(tab, "XCiT").evaluate(UNDER)


def test_from_the_sheet_one_press_leads_to_the_row_and_back(phone, site):
    tab = phone.open(f"{site}{PAGE}")
    opened_by_finger(tab, "XCiT")
    sheet_of(tab).get_by_role("link", name="Its row in the table").tap()
    tab.locator("#row-xcit[open] figure").wait_for()
    assert sheet_of(tab).count() == 0
    tab.wait_for_function("document.activeElement.parentElement.id === 'row-xcit'")
    assert tab.evaluate("document.activeElement.getBoundingClientRect().top < innerHeight")
    tab.go_back()
    sheet_of(tab).wait_for()
    assert tab.evaluate(HERE) == "#mixer-xcit"
    assert chart(tab, "XCiT").evaluate(UNDER)
    tab.go_back()
    tab.wait_for_function("location.hash === ''")
    assert sheet_of(tab).count() == 0
    assert phone.complaints == []


def test_from_the_card_one_press_leads_to_the_chapter_and_back(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    chart(tab, "Linformer").hover()
    card_of(tab).get_by_role("link", name="Lemma 3").click()
    tab.wait_for_url("**/chapters/cheng-other-mixers.html")
    tab.go_back()
    sheet_of(tab).wait_for()
    assert sheet_of(tab).get_attribute("aria-label").startswith("Linformer")


def test_the_address_of_what_is_open_is_copied(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    tab.evaluate("""Object.defineProperty(navigator, 'clipboard', { configurable: true,
      value: { writeText: (text) => { window.copied = text; return Promise.resolve(); } } })""")
    chart(tab, "XCiT").click()
    sheet_of(tab).get_by_role("button", name="Copy this link").click()
    sheet_of(tab).get_by_text("Copied.").wait_for()
    assert tab.evaluate("copied") == f"{site}{PAGE}#mixer-xcit"


@pytest.mark.parametrize("name", ["pushState", "replaceState", "localStorage"])
def test_what_is_refused_costs_the_address_alone(phone, site, name):
    tab = phone.open(f"{site}{PAGE}")
    tab.evaluate(
        """(name) => {
      const refuse = () => { throw new DOMException("no", "SecurityError"); };
      if (name === "localStorage") Object.defineProperty(window, name, { get: refuse, configurable: true });
      else History.prototype[name] = refuse;
    }""",
        name,
    )
    link = opened_by_finger(tab, "XCiT")
    sheet_of(tab).get_by_role("button", name="Close").tap()
    assert sheet_of(tab).count() == 0
    assert tab.evaluate(FOCUS) == "#mixer-xcit"
    link.tap()
    sheet_of(tab).wait_for()


def test_a_name_is_found_on_the_first_screen_by_the_keyboard(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    field = tab.get_by_role("searchbox", name="Is yours fooled?")
    field.fill("mamba")
    finder, names = tab.locator(".uat-find"), [name for name in MIXERS if "mamba" in name.lower()]
    found = finder.locator("li a > span").all_inner_texts()
    assert {*names[:6]} >= {*found[: len(names)]}
    assert found
    said = int(finder.get_by_role("status").inner_text().split()[0])
    assert said >= len(names)
    field.press("ArrowDown")
    first = tab.evaluate(FOCUS)
    tab.keyboard.press("ArrowUp")
    tab.keyboard.press("Enter")
    assert tab.evaluate(FOCUS) == first
    tab.keyboard.press("Enter")
    assert tab.evaluate(HERE) == first
    assert sheet_of(tab).is_visible()
    tab.keyboard.press("Escape")
    tab.wait_for_function("location.hash === ''")
    assert tab.evaluate(FOCUS) == first
    field.fill("qwerty")
    finder.get_by_role("link", name="Ask about yours").click()
    assert tab.evaluate(HERE) == "#try-yours"
    assert desk.complaints == []
    finder.get_by_role("link", name="Type its kernel").click()
    tab.wait_for_url("**/cheng-your-mixer.html#explorer-box*")


def test_enter_opens_the_one_that_matches_and_of_several_none(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    field, answers = tab.get_by_role("searchbox", name="Is yours fooled?"), tab.locator(".uat-find li a")
    field.fill("linear attention")
    field.press("Enter")
    several = answers.count()
    assert several > 1
    assert sheet_of(tab).count() == 0
    assert answers.first.evaluate("(link) => link === document.activeElement")
    tab.keyboard.press("Enter")
    assert sheet_of(tab).is_visible()
    assert answers.count() == several
    tab.keyboard.press("Escape")
    field.fill("XCiT")
    assert answers.count() == 1
    field.press("Enter")
    assert tab.evaluate(HERE) == "#mixer-xcit"
    assert desk.complaints == []


def test_it_is_found_by_what_else_it_is_called(desk, site):
    """By its short name, in one word or two, by the models that have it; by no letters in the middle of a word."""
    asked = {"GQA": "grouped-query", "mamba2": "Mamba-2", "flash attention": "softmax", "Attention": "softmax",
             "SWA": "sliding window", "nyström": "Nystromformer", "Katharopoulos": "linear, elu + 1",
             "gated linear attention": "GLA, no output gate", "llama 3": "grouped-query", "Llama": "RoPE"}  # fmt: skip
    assert {*ALSO} <= {*MIXERS}
    tab = desk.open(f"{site}{PAGE}")
    field, answers = tab.get_by_role("searchbox", name="Is yours fooled?"), tab.locator(".uat-find li a > span")
    first = {}
    for words in asked:
        field.fill(words)
        first[words] = answers.first.inner_text()
    assert first == asked
    field.fill("swan")  # Vaswani
    assert answers.count() == 0


def test_the_question_is_on_the_first_screen_of_a_phone_and_a_finger_answers_it(phone, site):
    tab = phone.open(f"{site}{PAGE}")
    field = tab.get_by_role("searchbox", name="Is yours fooled?")
    box = field.bounding_box()
    assert box["y"] + box["height"] < tab.viewport_size["height"]
    assert box["height"] >= 44
    field.fill("retnet")
    answer = tab.locator(".uat-find li a").first
    assert answer.bounding_box()["height"] >= 44
    assert "fooled" in answer.inner_text()
    answer.tap()
    sheet_of(tab).wait_for()
    assert sheet_of(tab).get_attribute("aria-label").startswith("RetNet")
    tab.go_back()
    tab.wait_for_function("document.activeElement.hash === '#mixer-retnet-no-output-gate' && scrollY === 0")
    assert phone.complaints == []


def test_an_answer_keeps_its_place_and_the_sheet_lies_over_it(young, site):
    """Not the row of the chart, thousands of pixels below; Back, and Forward again, stay there as well."""
    young.show("light", {"width": 390, "height": 844})
    tab = young.open(f"{site}{PAGE}")
    tab.get_by_role("searchbox", name="Is yours fooled?").fill("XCiT")
    answer = tab.locator(".uat-find li a")
    before = answer.bounding_box()["y"]
    answer.tap()
    sheet_of(tab).wait_for()
    size = tab.viewport_size
    for _ in range(2):
        box = sheet_of(tab).bounding_box()
        assert round(box["y"] + box["height"]) == size["height"]
        tab.wait_for_function(UNDER, arg=answer.element_handle())  # after the browser has scrolled
        assert abs(answer.bounding_box()["y"] - before) < 1 or answer.bounding_box()["y"] < before
        assert tab.evaluate("scrollY") < 400
        tab.go_back()
        tab.wait_for_function("location.hash === ''")
        assert sheet_of(tab).count() == 0
        assert answer.evaluate(UNDER)
        tab.go_forward()
        sheet_of(tab).wait_for()
    assert young.complaints == []


def test_at_a_desk_the_card_of_an_answer_opens_beside_it(desk, site):
    tab = desk.open(f"{site}{PAGE}")
    field = tab.get_by_role("searchbox", name="Is yours fooled?")
    field.fill("XCiT")
    field.press("Enter")
    card = sheet_of(tab).bounding_box()
    answer = tab.locator(".uat-find li a").bounding_box()
    assert abs(card["y"] - answer["y"] - answer["height"]) < 2  # above it is the question
    assert card["height"] > 300
    assert card["y"] + card["height"] <= tab.viewport_size["height"] + 1
    scrolled = tab.evaluate("scrollY")
    tab.keyboard.press("Escape")
    assert tab.evaluate("document.activeElement.id") == "uat-find"  # where Enter was pressed
    tab.go_forward()
    sheet_of(tab).wait_for()
    assert field.bounding_box()["y"] >= 60  # below the head of the page: the card takes no more than that
    assert tab.evaluate("scrollY") == scrolled
    field.fill("XCi")  # another question: the card goes
    assert sheet_of(tab).count() == 0
    assert desk.complaints == []


@pytest.mark.parametrize(
    ("asked", "said", "first"),
    [
        ("mla", "2 of", "MLA, no positions"),
        ("Transformer-XL", "1 of", "Transformer-XL"),
        ("nsa", "NSA, not asked yet: It adds up", "sliding window"),
        ("llama", "Llama, not asked yet: Causal softmax with RoPE", "RoPE"),
        ("Perceiver", "Perceiver, not asked yet: A few latents", "Set Transformer, ISAB"),
        ("ring attention", "ring attention: Softmax attention whose blocks", "softmax"),
        ("paged", "PagedAttention: Softmax attention", "softmax"),
        ("MoE", "mixture of experts, not asked yet: It replaces", None),
        ("softmax off by one", "1 of", "softmax with a sink"),
    ],
)
def test_a_known_name_is_answered_though_it_is_no_row(desk, site, asked, said, first):
    tab = desk.open(f"{site}{PAGE}")
    finder = tab.locator(".uat-find")
    tab.get_by_role("searchbox", name="Is yours fooled?").fill(asked)
    assert finder.get_by_role("status").inner_text().startswith(said)
    names = finder.locator("li a > span").all_inner_texts()
    assert (names[0] if names else None) == first
    assert len(names) <= 2 or {*names} == {*OTHERS["Llama"].near}
    if "asked yet" in said:
        assert finder.get_by_role("link", name="ask about yours").is_visible()
    assert desk.complaints == []


def test_a_card_has_the_pair_what_it_means_and_how_sure_it_is(phone, site):
    tab = phone.open(f"{site}{PAGE}")
    opened_by_finger(tab, "grouped-query")
    said = sheet_of(tab).inner_text()
    assert "as Llama 3" in said
    for part in (
        "Proved: tells all apart.",
        "No pair was found.",
        "What it means.",
        "How sure? Told apart: proved.",
        "Why?",
    ):
        assert part in said
    tab.go_back()
    opened_by_finger(tab, "RetNet, no output gate")
    said = sheet_of(tab)
    assert said.locator("figure svg[aria-label^='X:']").is_visible()
    assert "Fooled: proved." in said.inner_text()
    assert "γ" in said.inner_text()
    assert "gamma" not in said.inner_text()


def test_what_is_proved_and_what_is_searched_differ_without_colours(desk, site):
    """In words beside the bars, and full or open, also where the system chooses the colours."""
    desk.show("dark", forced="active")
    tab = desk.open(f"{site}{PAGE}")
    looks = """link => [...link.querySelectorAll("svg path")].map((path) => {
      const { fill, stroke } = getComputedStyle(path);
      return [fill === "none", stroke];
    })"""
    proved, searched = (chart(tab, name) for name in ("softmax", "Mamba, selective scan"))
    [[hollow, ink]] = proved.evaluate(looks)
    [[empty, line]] = searched.evaluate(looks)
    assert (hollow, empty) == (False, True)
    assert ink == line == tab.evaluate("getComputedStyle(document.body).color")
    assert proved.locator("small").inner_text() == "proved: tells all apart"
    assert searched.locator("small").inner_text() == "no pair found up to n = 8"
    assert tab.locator(".uat-key").inner_text().split("\n") != [""]


def test_without_a_script_nothing_waits_for_one(bare, site):
    tab = bare.open(f"{site}{PAGE}")
    assert tab.locator(".uat-find").evaluate("(place) => place.getBoundingClientRect().height") == 0
    tab = bare.open(f"{site}{PAGE}#row-xcit")
    assert tab.locator("details:target").get_attribute("id") == "row-xcit"
