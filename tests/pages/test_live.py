"""Explorers with a kernel behind them: a chapter in JupyterLab, in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import PATIENCE, ROOT, jupyter_lab, notebook, run_all, wrong
from live_pages import by_mouse
from playwright.sync_api import Page, expect

FRAGILE = """\
import matplotlib.pyplot as plt

@explore(height=Control([1, 2, 3], finer=[1.5]), title="A fragile picture")
def fragile(height):
    "A bar."
    if height == 2:
        raise ValueError("expected another height, got 2")
    figure, ax = plt.subplots()
    ax.bar([0], [height])
    return figure, f"height {height}"
"""


LAST = """\
shuffle.widget.values = {"kind": "hardmax"}
fragile.widget.values = {"height": 3}
fragile.widget.at
"""


LIVE = """\
from ipywidgets import Label
from uatbook import live

picture = live.Boltzmann((0, -2), {"falls": {2: (1.7, 1.3)}}, {2: 0.9}, goals={"twin": "Find another entry."})
told = Label()
picture.widget.observe(lambda change: setattr(told, "value", f"told {change['new']['a2']}"), "values")
picture.widget.values = {"a2": -3}
display(told)
picture
"""


# Each kind of live picture, and above it what Python says of it at the values that the kernel was told.
EACH = f"""\
import sys
sys.path[:0] = {[str(Path(__file__).parent), str(ROOT)]}
import live_pages

def show(picture):
    told = Label()
    picture.widget.observe(lambda _: setattr(told, "value", picture.frame(**picture.widget.values).text), "values")
    display(told, picture)

show(live_pages.boltzmann(title="Four entries"))
for name in ("film", "film with softmax", "square", "attention"):
    show(live_pages.PICTURES[name]())
"""


ALIKE = """texts => {
  const [told, shown] = texts.map((element) => element.innerText.replace(/\\s+/g, " ").trim());
  return told === shown;
}"""


@pytest.fixture(scope="module")
def tab(browser, tmp_path_factory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("lab")
    name = notebook(folder, "ground", LIVE, EACH, FRAGILE, LAST)
    expect.set_options(timeout=PATIENCE)  # a kernel answers when it has drawn, on a machine that does other things too
    with jupyter_lab(folder) as address:
        page = run_all(browser, address, name)
        yield page
        page.close()
    expect.set_options(timeout=5000)  # as it is by itself


def explorer(tab: Page, title: str):
    return tab.locator(".uat-view").filter(has=tab.get_by_role("group", name=title))


def test_the_chapter_runs_without_an_error(tab):
    assert wrong(tab) == []


def test_a_control_moves_the_picture(tab):
    box = explorer(tab, "How sharp is sharp enough?")
    said, picture = box.locator(".readout").inner_text(), box.locator(".picture").inner_html()
    factor = box.get_by_label("sharpness λ", exact=True)
    assert factor.get_attribute("aria-valuetext") == "1"
    factor.press("ArrowRight")
    expect(box.locator("output").first).to_have_text("2")
    expect(box.locator(".readout")).not_to_have_text(said)
    assert box.locator(".picture").inner_html() != picture
    factor.press("ArrowLeft")
    expect(box.locator(".readout")).to_have_text(said)
    assert box.locator(".picture").inner_html() == picture


def test_dragging_ends_where_the_hand_ends(tab):
    box = explorer(tab, "How sharp is sharp enough?")
    field = box.get_by_label("gap", exact=True)
    width = field.bounding_box()["width"]
    field.hover(position={"x": width / 2, "y": 9})  # which waits until the field stands still
    tab.mouse.down()
    for k in range(1, 13):
        field.hover(position={"x": width / 2 + k / 12 * (width / 2 - 2), "y": 9})
    tab.mouse.up()
    expect(field).to_have_attribute("aria-valuetext", "0.4")
    expect(box.locator(".picture").get_by_text("score 0.6", exact=True)).to_be_visible()  # 1 - 0.4


def test_an_exception_is_shown_and_survived(tab):
    box = explorer(tab, "A fragile picture")
    height = box.get_by_label("height", exact=True)
    height.press("Home")
    expect(box.locator(".readout")).to_have_text("height 1")
    height.press("ArrowRight")
    expect(box.locator(".readout")).to_have_text("height 1.5")  # a finer value, drawn on demand
    height.press("ArrowRight")
    alert = box.get_by_role("alert")
    expect(alert).to_contain_text("ValueError: expected another height, got 2")
    alert.locator("summary").click()
    expect(alert.locator("pre")).to_contain_text(re.compile(r"line \d+, in fragile"))
    height.press("ArrowRight")
    expect(box.locator(".readout")).to_have_text("height 3")
    expect(alert).to_have_text("")


def test_python_set_the_control(tab):
    # The notebook's last cell set the value and shows the position.
    output = tab.locator(".jp-Notebook .jp-CodeCell").last.locator(".jp-OutputArea-output")
    expect(output.last).to_have_text("[3]")


def test_python_opens_the_fold_of_what_it_sets(tab):
    box = explorer(tab, "Answers move with their tokens")
    expect(box.get_by_role("radio", name="hardmax")).to_be_checked()
    assert box.get_by_role("radio", name="hardmax").is_visible()


def test_a_live_picture_and_the_kernel_follow_each_other(tab):
    box = explorer(tab, "Entries and their soft maximum")
    expect(box.locator(".readout")).to_contain_text("boltz(0.00, \N{MINUS SIGN}3.00)")  # as the cell has set it
    by_mouse(tab, box.locator(".handle").nth(1), 120)
    expect(box.locator(".readout")).not_to_contain_text("\N{MINUS SIGN}3.00")
    value = box.get_by_label("entry a2, value").input_value()
    assert -3 < float(value) < 0
    expect(tab.locator(".widget-label").first).to_have_text(f"told {float(value)}")
    box.get_by_label("entry a2, value").press("ArrowRight")  # arrows are the picture's, not the notebook's
    expect(tab.locator(".widget-label").first).to_have_text(f"told {round(float(value) + 0.01, 2)}")
    expect(box.locator(".goal")).to_have_text("Goal: Find another entry.")
    expect(box.locator(".state")).to_contain_text("Not yet")
    box.get_by_label("entry a2, value").fill("-1.6")
    expect(box.locator(".state")).to_contain_text("Won: beside 0")


@pytest.mark.parametrize(
    ("k", "title", "label", "way"),
    [
        (1, "Four entries", "entry a3", (70, 0)),
        (2, "Drag the tokens", "token 2", (0, -60)),
        (3, "Drag the tokens", "softmax", (-200, 0)),
        (4, "A transformer imitates a function", "cross", (30, 25)),
        (5, "Who hears whom", "token 6", (60, -50)),
    ],
)
def test_each_live_picture_is_dragged_and_the_kernel_says_the_same(tab, k, title, label, way):
    told = tab.locator(".widget-label").nth(k)
    box = explorer(tab, title).nth(1 if k == 3 else 0)
    before = box.locator(".readout").inner_text()
    by_mouse(tab, box.locator(".handle").filter(has=tab.get_by_label(f"{label}, ", exact=False)).first, *way)
    readout = box.locator(".readout")
    expect(readout).not_to_have_text(before)
    # A picture that is drawn in less detail under the hand is drawn once more, and the kernel says what that shows.
    both = [told.element_handle(), readout.element_handle()]
    tab.wait_for_function(ALIKE, arg=both, timeout=PATIENCE)
    assert box.locator(".failure").inner_text() == ""


def test_the_view_follows_the_theme(tab):
    box = explorer(tab, "A fragile picture")
    tab.evaluate("jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    tab.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    ink = box.locator(".picture svg text").first.evaluate("text => getComputedStyle(text).fill")
    levels = [float(level) for level in re.findall(r"[\d.]+", ink)[:3]]
    assert min(levels) > 150, "text in the picture is light on the dark ground"
