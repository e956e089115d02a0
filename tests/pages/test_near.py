"""Pictures begin when the reader comes near, by finger, keyboard, address or word; until then they stand still."""

import pytest

FAR = "explorer-yours"
BEGUN = """() => Object.fromEntries([...document.querySelectorAll(".uat-explorer")].map((box) =>
  [box.id, Boolean(box.querySelector(".uat-view")?.hasAttribute("data-at"))]))"""
HEIGHTS = "() => [...document.querySelectorAll('.uat-explorer')].map((box) => box.offsetHeight)"
ONE = "(id) => Boolean(document.getElementById(id).querySelector('.uat-view')?.hasAttribute('data-at'))"
SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value;
  }).observe({ type: "layout-shift", buffered: true });
}"""
COME = "(id) => document.getElementById(id).scrollIntoView({ behavior: 'instant', block: 'start' })"
SCREENS = "(id) => document.getElementById(id).getBoundingClientRect().top / innerHeight"
CELLS = """(id) => {
  const { shadowRoot } = document.getElementById(id).querySelector(".uat-view") ?? {};
  return [...(shadowRoot?.querySelectorAll("[type=radio]") ?? [])].findIndex((size) => size.checked);
}"""


@pytest.fixture
def tour(phone, site):
    """The tour on a phone, its pictures still waiting."""
    tab = phone.open(f"{site}tour.html", started=False)
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.wait_for_function(ONE, arg="explorer-imitate")
    tab.wait_for_timeout(1500)
    return tab


def test_a_picture_waits_until_the_reader_comes_near_and_moves_nothing_when_it_begins(phone, tour):
    begun = tour.evaluate(BEGUN)
    assert begun["explorer-imitate"]
    assert not begun[FAR]
    assert tour.locator(f"#{FAR} .actions a").get_attribute("href") == f"#{FAR}?"
    assert 0 < sum(begun.values()) < len(begun) / 2
    tour.evaluate(SHIFTS)
    before = tour.evaluate(HEIGHTS)
    for name in begun:
        tour.evaluate(COME, name)
        tour.wait_for_function(ONE, arg=name)
    assert tour.evaluate(HEIGHTS) == pytest.approx(before, abs=1)
    assert tour.evaluate("shifted") < 0.005
    assert phone.complaints == []


def test_it_begins_before_it_is_seen(tour):
    tour.evaluate("() => { document.documentElement.dataset.whole = ''; }")  # all is laid out
    away = f"([id, screens]) => scrollBy({{ top: (({SCREENS})(id) - screens) * innerHeight, behavior: 'instant' }})"
    tour.evaluate(away, [FAR, 3])
    tour.wait_for_timeout(1000)
    assert tour.evaluate(SCREENS, FAR) > 2.5
    assert not tour.evaluate(ONE, FAR)
    tour.evaluate(away, [FAR, 1.5])
    tour.wait_for_function(ONE, arg=FAR)
    assert tour.evaluate(SCREENS, FAR) > 1.3


def test_a_keyboard_reaches_one_that_waits_and_what_has_the_focus_keeps_it(tour):
    assert not tour.evaluate(ONE, FAR)
    tour.locator(f"#{FAR} input[type=text]").evaluate("(field) => field.focus({ preventScroll: true })")
    tour.wait_for_function(ONE, arg=FAR)
    tour.keyboard.press("End")
    tour.keyboard.type(" + x_2")
    field = "(id) => document.getElementById(id).querySelector('.uat-view').shadowRoot.activeElement?.value"
    assert tour.evaluate(field, FAR).endswith(" + x_2")


@pytest.mark.parametrize("how", ["word", "address"])
def test_what_is_asked_of_one_that_waits_it_shows(tour, how):
    assert not tour.evaluate(ONE, FAR)
    if how == "word":
        tour.evaluate("(id) => document.querySelector(`a.uat-move[href='#${id}?&N=4']`).click()", FAR)
    else:
        tour.evaluate("(id) => { location.hash = `${id}?N=4`; }", FAR)
    tour.wait_for_function(f"(id) => ({CELLS})(id) === 0", arg=FAR)
    tour.wait_for_timeout(300)
    assert -0.5 < tour.evaluate(SCREENS, FAR) < 0.9
