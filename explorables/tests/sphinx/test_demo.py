"""The demo book: built by Jupyter Book, read from its folder in a browser, without a network and without a kernel."""

import functools
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from explorables.sphinx.explorers import apart

DEMO = Path(__file__).resolve().parents[2] / "demo"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built pages; a warning is an error."""
    folder = tmp_path_factory.mktemp("book") / "demo"
    shutil.copytree(DEMO, folder)
    command = [Path(sys.executable).with_name("jupyter-book"), "build", ".", "--warningiserror"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "_build" / "html"


THREAD = ThreadPoolExecutor(1)


def alone(test: Callable[..., None]) -> Callable[..., None]:
    """Playwright keeps to the thread that began it, and other tests may have begun one in the main thread."""

    @functools.wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        THREAD.submit(test, *args, **kwargs).result()

    return run


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    """A page of a browser, which keeps what its scripts complain of."""
    playwright = THREAD.submit(sync_playwright().start).result()
    options = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox"]}
    browser = THREAD.submit(playwright.chromium.launch, **options).result()
    yield THREAD.submit(browser.new_page).result()
    THREAD.submit(browser.close).result()
    THREAD.submit(playwright.stop).result()


@alone
def test_a_slider_moves_a_picture_that_was_drawn_before(book, tab):
    tab.goto(f"{(book / 'wave.html').as_uri()}")
    readout = tab.locator(".uat-view .readout")
    expect(readout).to_have_text("1 periods a second")
    before = tab.locator(".uat-view .picture").inner_html()
    tab.locator("input[type=range]").press("ArrowRight")
    expect(readout).to_have_text("2 periods a second")
    assert tab.locator(".uat-view .picture").inner_html() != before


@alone
def test_an_address_that_somebody_typed_is_meant_as_numbers(book, tab):
    tab.goto("about:blank")
    tab.goto(f"{(book / 'wave.html').as_uri()}#explorer-wave?frequency=3.0&kind=square")
    expect(tab.locator(".uat-view .readout")).to_have_text("3 periods a second")
    tab.goto("about:blank")
    tab.goto(f"{(book / 'wave.html').as_uri()}#explorer-wave?frequency=3.5")
    expect(tab.locator(".uat-view .note")).to_contain_text("frequency = 3.5, which this picture does not have")


@alone
def test_the_page_computes_a_live_picture(book, tab):
    tab.goto(f"{(book / 'tangent.html').as_uri()}")
    readout = tab.locator(".uat-view .readout")
    expect(readout).to_have_text("slope 2.00 at x = 1.00")
    tab.locator("input[type=range]").press("ArrowLeft")
    expect(readout).to_have_text("slope 1.98 at x = 0.99")


@alone
def test_a_goal_says_what_is_missing_and_then_what_is_gained(book, tab):
    tab.goto((book / "tangent.html").as_uri())
    state = tab.locator(".uat-view .state")
    expect(state).to_have_text("Not yet: the tangent still rises or falls")
    tab.locator("input[type=range]").fill("0")
    expect(state).to_have_text("Won: the slope is 0")
    tab.locator("input[type=range]").fill("1")
    expect(state).to_have_text("Won before; now: the tangent still rises or falls")
    tab.evaluate("localStorage.clear()")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("five square waves", "5 periods a second"),
        ("three of them", "3 periods a second"),
        ("the parabola where it is flat", "slope 0.00 at x = 0.00"),
    ],
)
@alone
def test_words_move_pictures_of_other_pages(book, tab, words, said):
    tab.goto(f"{(book / 'words.html').as_uri()}")
    tab.get_by_text(words).click()
    expect(tab.locator(".uat-view .readout")).to_have_text(said)


FIGURE = ".cell_output:has(> svg.uat-figure)"
GROUND = "getComputedStyle(document.body).backgroundColor"
COLOURS = """box => {
  const style = getComputedStyle(box), marks = [...box.querySelectorAll('svg *')].map(mark => getComputedStyle(mark));
  const behind = [];
  const above = el => el.parentElement ?? el.getRootNode().host;
  for (let el = box; el; el = above(el)) behind.push(getComputedStyle(el).backgroundColor);
  const grounds = behind.filter(colour => colour !== 'rgba(0, 0, 0, 0)');
  return { ink: style.color, ground: grounds[0], whites: marks.flatMap(({ fill, stroke }) => [fill, stroke]) };
}"""


def luminance(colour: str) -> float:
    """As WCAG 2 defines it, of a colour rgb(r, g, b)."""
    parts = [int(part) / 255 for part in re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour).groups()]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def looks_like_its_page(tab: Page, picture: str) -> None:
    """The card stands on the ground of its page, white of the picture is that ground, and ink can be read on it."""
    page, found = tab.evaluate(GROUND), tab.locator(picture).evaluate(COLOURS)
    assert found["ground"] == page
    assert page in found["whites"]
    assert found["ink"] in found["whites"]
    dark, light = sorted(map(luminance, (found["ink"], page)))
    assert (light + 0.05) / (dark + 0.05) >= 7


@pytest.mark.parametrize("way", ["the system", "the button of the theme"])
@pytest.mark.parametrize("name", ["wave", "tangent"])
@alone
def test_in_the_dark_a_picture_follows_the_page(book, tab, name, way):
    tab.emulate_media(color_scheme="dark" if way == "the system" else "light")
    tab.goto((book / f"{name}.html").as_uri())
    if way != "the system":
        while tab.evaluate("document.documentElement.dataset.mode") != "dark":
            tab.locator("button.theme-switch-button").first.click()
    assert luminance(tab.evaluate(GROUND)) < 0.1
    expect(tab.locator(".uat-view .readout")).not_to_be_empty()
    looks_like_its_page(tab, ".uat-view .explorer")
    if name == "wave":
        looks_like_its_page(tab, FIGURE)
    tab.evaluate("localStorage.clear()")
    tab.emulate_media(color_scheme="light")


@pytest.mark.parametrize("name", ["wave", "tangent"])
@alone
def test_without_scripts_a_picture_follows_the_page(book, tab, name):
    still = tab.context.browser.new_context(java_script_enabled=False).new_page()
    still.goto((book / f"{name}.html").as_uri())
    assert luminance(still.evaluate(GROUND)) > 0.9
    looks_like_its_page(still, ".uat-first .explorer")
    if name == "wave":
        looks_like_its_page(still, FIGURE)
    still.close()


@pytest.mark.parametrize("name", ["wave", "tangent"])
@alone
def test_paper_is_white_whatever_the_screen_is(book, tab, name):
    tab.emulate_media(color_scheme="dark")
    tab.goto((book / f"{name}.html").as_uri())
    expect(tab.locator(".uat-view .readout")).not_to_be_empty()
    tab.emulate_media(media="print")
    found = tab.locator(".uat-view .explorer").evaluate(COLOURS)
    tab.emulate_media(media="screen", color_scheme="light")
    assert "rgb(255, 255, 255)" in found["whites"]
    assert luminance(found["ink"]) < 0.05


def test_a_page_loads_the_scripts_of_its_own_pictures(book):
    loaded = {name: re.findall(r"uat-explorer[-\w]*\.js", (book / f"{name}.html").read_text()) for name in PAGES}
    assert loaded == {"wave": ["uat-explorer.js"], "tangent": ["uat-explorer-tangent.js"], "words": []}
    code = (book / "_static" / "uat-explorer-tangent.js").read_text()
    assert "PICTURES.tangent = " in code
    assert "// " not in code, "expected no comments"


def test_the_documents_have_the_code_that_is_tried_here():
    told = (DEMO.parent / "docs" / "book.md").read_text()
    cell = re.search(r"```{code-cell} ipython3\n(.*?```)", (DEMO / "tangent.md").read_text(), re.DOTALL)[1]
    assert f"```js\n{(DEMO / 'tangent.js').read_text()}```" in told
    assert f"```python\n{cell}" in told


PAGES = ("wave", "tangent", "words")


def test_long_data_of_explorers_become_files(tmp_path):
    spec = {"name": "square", "data": {"weights": list(range(2000)), "colours": ["#123456"]}}
    live = f'<script type="application/json" class="uat-spec">{json.dumps(spec)}</script>'
    packs = [f'<script type="application/gzip" class="uat-pack">{text}</script>' for text in ("x" * 5000, "short")]
    page = apart(live + "".join(packs), tmp_path)
    assert packs[1] in page
    assert len(page) < 750
    assert '"data":{"colours":["#123456"]}' in page  # what is short is wanted before the file has come
    held = {}
    for file in tmp_path.iterdir():
        name, data = re.fullmatch(r'uatHeld\["(\w+)"\]\((.*)\);\n', file.read_text()).groups()
        assert name == file.stem
        held[name] = json.loads(data)
    assert [held[name] for name in re.findall(r'data-name="(\w+)"', page)] == [
        json.dumps(spec["data"], separators=(",", ":")),
        "x" * 5000,
    ]
    assert apart(page, tmp_path) == page
