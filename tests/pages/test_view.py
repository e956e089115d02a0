"""The view of an explorer before a kernel that the test plays: what it asks for, when, and what it shows."""

import functools
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page

from explorables import Control, Explorer, explore
from explorables.frames import Frame
from explorables.scripts import view_module

# A model as anywidget hands it to a view. What the view asks for is kept; the test answers when it wants to.
MODEL = """([spec, card, at, first]) => {
  const listeners = {};
  const model = {
    state: { spec, card, at, first }, asked: [], saved: [],
    get: (name) => model.state[name],
    set: (name, value) => (model.state[name] = value),
    save_changes: () => model.saved.push(model.state.at),
    on: (event, listener) => (listeners[event] = listener),
    off: (event) => delete listeners[event],
    send: (message) => model.asked.push(message),
    tell: (event, value) => listeners[event]?.(value),
    listening: () => Object.keys(listeners),
  };
  window.model = model;
  window.leave = render({ model, el: document.body });
}"""

STAIRCASE = explore(N=Control(range(6), play=True), kernel=["softmax", "RBF"], title="A staircase", alt="Steps")(
    lambda N, kernel: None
)


def frame(at: list[int], **more) -> dict:
    return {"kind": "frame", "at": at, "svg": f"<svg><text>{at}</text></svg>", "text": f"frame {at}", **more}


@pytest.fixture(scope="module")
def tab(browser) -> Iterator[Page]:
    """One for all views: a new document costs a sixth of a new tab."""
    page = browser.new_page()
    yield page
    page.close()


def open_view(tab: Page, first: dict | None, at: tuple[int, int] = (0, 0), shown: Explorer = STAIRCASE) -> Page:
    tab.goto("about:blank")
    tab.set_content("<!doctype html><html lang=en><title>t</title><body></body></html>")
    tab.add_script_tag(content=view_module().replace("export default { render };", "window.render = render;"))
    return add_view(tab, first, at, shown)


def add_view(tab: Page, first: dict | None, at: tuple[int, int] = (0, 0), shown: Explorer = STAIRCASE) -> Page:
    card = shown.markup(Frame("", ""), static=False)
    tab.evaluate(MODEL, [shown.spec(), card, list(at), first])
    return tab


@pytest.fixture
def show(tab) -> Callable[..., Page]:
    return functools.partial(open_view, tab)


def asked(page: Page) -> list[list[int]]:
    return [message["at"] for message in page.evaluate("model.asked")]


def answer(page: Page, message: dict) -> None:
    page.evaluate("message => model.tell('msg:custom', message)", message)


def slide(page: Page, *positions: int) -> None:
    """Move the slider as fast as a hand does, without a pause between."""
    page.evaluate(
        """positions => {
          const field = document.querySelector(".uat-view").shadowRoot.querySelector("input[type=range]");
          for (const position of positions) { field.value = position; field.dispatchEvent(new Event("input")); }
        }""",
        list(positions),
    )


def test_the_first_frame_comes_with_the_widget(show):
    page = show(frame([0, 0]))
    assert asked(page) == []
    assert page.locator(".readout").inner_text() == "frame [0, 0]"
    picture = page.locator(".picture svg")
    assert picture.get_attribute("aria-label") == "Steps. Now N = 0, kernel = softmax."
    assert page.get_by_role("group", name="A staircase").is_visible()


def test_quick_moves_ask_for_the_newest_only(show):
    page = show(frame([0, 0]))
    slide(page, 1, 2, 3, 4, 5)
    assert asked(page) == [[1, 0]]  # one request in flight
    answer(page, frame([1, 0]))
    assert asked(page) == [[1, 0], [5, 0]]  # and then the newest wish
    assert page.locator(".readout").inner_text() == "frame [0, 0]"  # an answer that nobody waits for is not shown
    answer(page, frame([5, 0]))
    assert page.locator(".readout").inner_text() == "frame [5, 0]"
    assert page.locator("output").inner_text() == "5"
    assert page.evaluate("model.saved.at(-1)") == [5, 0]


def test_frames_that_are_there_are_not_asked_for_again(show):
    page = show(frame([0, 0]))
    slide(page, 1)
    answer(page, frame([1, 0]))
    slide(page, 0, 1, 0)
    assert asked(page) == [[1, 0]]
    assert page.locator(".readout").inner_text() == "frame [0, 0]"
    slide(page, 2, 1)  # while a request is in flight, an old frame is shown at once, and the late answer is kept
    assert page.locator(".readout").inner_text() == "frame [1, 0]"
    answer(page, frame([2, 0]))
    assert page.locator(".readout").inner_text() == "frame [1, 0]"
    slide(page, 2)
    assert asked(page) == [[1, 0], [2, 0]]
    assert page.locator(".readout").inner_text() == "frame [2, 0]"


def test_long_work_is_announced_and_moves_nothing(show):
    page = show(frame([0, 0]))
    group = page.get_by_role("group", name="A staircase")
    before = group.bounding_box()
    for others in ((1,), (0, 2)):  # 1 is asked, 0 is there, 2 has to wait
        slide(page, *others)
        assert group.get_attribute("aria-busy") == "true"
        page.get_by_text("computing …").wait_for()
        assert group.bounding_box() == before
    for k in (1, 2):
        answer(page, frame([k, 0]))
    assert group.get_attribute("aria-busy") is None
    assert not page.get_by_text("computing …").is_visible()


def test_an_exception_stands_in_the_picture_s_place_and_is_survived(show):
    page = show(frame([0, 0]))
    slide(page, 1)
    answer(page, {"kind": "frame", "at": [1, 0], "error": "ValueError: <b>no</b>", "traceback": "File x, line 1"})
    alert = page.get_by_role("alert")
    assert "ValueError: <b>no</b>" in alert.inner_text()  # text, not HTML
    assert not page.get_by_text("File x").is_visible()
    page.get_by_text("Traceback").click()
    assert page.get_by_text("File x").is_visible()
    assert not page.locator(".picture svg").is_visible()
    assert page.get_by_role("button", name="Download this picture", include_hidden=True).is_disabled()
    slide(page, 2)
    answer(page, frame([2, 0]))
    assert page.locator(".readout").inner_text() == "frame [2, 0]"
    assert alert.inner_text() == ""
    slide(page, 1)  # an error may be gone the next time, so it is asked again
    assert asked(page) == [[1, 0], [2, 0], [1, 0]]


def test_an_exception_in_the_first_frame_is_shown_when_it_comes_again(show):
    failed = {"kind": "frame", "at": [0, 0], "error": "RuntimeError: never", "traceback": ""}
    page = show(failed)
    assert asked(page) == [[0, 0]]
    answer(page, failed)
    assert "RuntimeError: never" in page.get_by_role("alert").inner_text()
    assert page.get_by_text("Traceback").count() == 0


def test_python_moves_the_controls(show):
    page = show(frame([0, 0]))
    page.evaluate("model.set('at', [3, 1]); model.tell('change:at');")
    assert page.locator("input[type=range]").input_value() == "3"
    assert page.get_by_role("radio", name="RBF").is_checked()
    assert asked(page) == [[3, 1]]
    page.evaluate("model.tell('change:at')")
    assert asked(page) == [[3, 1]]


def test_an_old_setting_comes_back_with_the_notebook(show):
    page = show(frame([0, 0]), at=(4, 1))
    assert page.locator("input[type=range]").input_value() == "4"
    assert asked(page) == [[4, 1]]
    answer(page, frame([4, 1]))
    assert page.locator(".readout").inner_text() == "frame [4, 1]"


def test_play_waits_for_each_frame(show):
    page = show(frame([0, 0]))
    page.get_by_role("button", name="Play N").click()
    page.wait_for_timeout(1500)
    assert asked(page) == [[1, 0]]
    answer(page, frame([1, 0]))
    page.wait_for_function("model.asked.length === 2")
    assert asked(page)[-1] == [2, 0]
    page.wait_for_timeout(1200)
    assert page.locator(".heard").inner_text() == ""  # a screen reader would be flooded
    slide(page, 4)  # a hand on the control stops it
    assert page.get_by_role("button", name="Play N").is_visible()
    answer(page, frame([2, 0]))
    answer(page, frame([4, 0]))
    page.wait_for_timeout(1200)
    assert page.locator(".heard").inner_text() == "frame [4, 0]"


def test_play_stops_at_an_exception(show):
    page = show(frame([0, 0]))
    page.get_by_role("button", name="Play N").click()
    answer(page, {"kind": "frame", "at": [1, 0], "error": "ValueError: no", "traceback": ""})
    assert page.get_by_role("button", name="Play N").is_visible()
    page.wait_for_timeout(1200)
    assert asked(page) == [[1, 0]]


def test_a_notebook_offers_no_link_and_leaves_the_address_alone(show):
    page = show(frame([0, 0]))
    assert page.get_by_role("link").count() == 0
    before = page.url
    slide(page, 1)
    page.wait_for_timeout(500)
    assert page.url == before


def test_a_view_that_is_closed_listens_no_more(show):
    page = show(frame([0, 0]))
    assert sorted(page.evaluate("model.listening()")) == ["change:at", "msg:custom"]
    page.evaluate("leave()")
    assert page.evaluate("model.listening()") == []


def test_pictures_cannot_run_scripts(show):
    page = show(frame([0, 0], svg="<svg><script>window.ran = 1</script></svg>"))
    assert page.evaluate("window.ran") is None


def test_ids_of_two_explorers_do_not_collide(show):
    page = show(frame([0, 0], svg='<svg><path id="u-0" class="a"/></svg>'))
    add_view(page, frame([0, 0], svg='<svg><path id="u-0" class="b"/></svg>'))
    classes = page.evaluate(
        "[...document.querySelectorAll('.uat-view')].map(v => v.shadowRoot.getElementById('u-0').getAttribute('class'))"
    )
    assert classes == ["a", "b"]
    assert page.evaluate("document.getElementById('u-0')") is None


def test_a_request_whose_answer_is_lost_is_made_again(browser):
    page = open_view(browser.new_page(), frame([0, 0]))
    page.clock.install()  # for good
    slide(page, 1)
    slide(page, 2)
    assert asked(page) == [[1, 0]]
    page.clock.fast_forward(11_000)
    page.get_by_text("If the kernel was stopped or restarted, run the cell again.").wait_for()
    slide(page, 3)
    assert asked(page) == [[1, 0], [3, 0]]
    answer(page, frame([3, 0]))
    assert page.locator(".readout").inner_text() == "frame [3, 0]"
    page.close()


def test_reset_does_not_wait_for_a_lost_answer(show):
    page = show(frame([0, 0]), at=(1, 0))
    page.get_by_role("button", name="Reset").click()
    assert page.locator(".readout").inner_text() == "frame [0, 0]"
    slide(page, 2)
    assert asked(page) == [[1, 0], [2, 0]]


def test_nothing_can_be_saved_before_there_is_a_picture(show):
    page = show(None)
    assert page.get_by_role("button", name="Download this picture", include_hidden=True).is_disabled()
    answer(page, frame([0, 0]))
    assert page.get_by_role("button", name="Download this picture", include_hidden=True).is_enabled()


@pytest.mark.parametrize("width", [390, 1000])
def test_long_words_stay_inside(tab, width):
    long = "a text with many words " * 8
    explorer = explore(N=Control([1, 2], label=long, show=lambda k: long), menu=[long, "b"], title=long)(
        lambda N, menu: None
    )
    usual = tab.viewport_size
    tab.set_viewport_size({"width": width, "height": 700})
    open_view(tab, frame([0, 0]), shown=explorer)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.set_viewport_size(usual)
