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
def test_the_page_computes_a_live_picture(book, tab):
    tab.goto(f"{(book / 'tangent.html').as_uri()}")
    readout = tab.locator(".uat-view .readout")
    expect(readout).to_have_text("slope 2.00 at x = 1.00")
    tab.locator("input[type=range]").press("ArrowLeft")
    expect(readout).to_have_text("slope 1.98 at x = 0.99")


@pytest.mark.parametrize(
    ("words", "said"),
    [("five square waves", "5 periods a second"), ("the parabola where it is flat", "slope 0.00 at x = 0.00")],
)
@alone
def test_words_move_pictures_of_other_pages(book, tab, words, said):
    tab.goto(f"{(book / 'words.html').as_uri()}")
    tab.get_by_text(words).click()
    expect(tab.locator(".uat-view .readout")).to_have_text(said)


def test_a_page_loads_the_scripts_of_its_own_pictures(book):
    loaded = {name: re.findall(r"uat-explorer[-\w]*\.js", (book / f"{name}.html").read_text()) for name in PAGES}
    assert loaded == {"wave": ["uat-explorer.js"], "tangent": ["uat-explorer-tangent.js"], "words": []}
    code = (book / "_static" / "uat-explorer-tangent.js").read_text()
    assert "PICTURES.tangent = " in code
    assert "// " not in code, "expected no comments"


PAGES = ("wave", "tangent", "words")


def test_long_data_of_explorers_become_files(tmp_path):
    spec = {"name": "square", "data": list(range(2000))}
    live = f'<script type="application/json" class="uat-spec">{json.dumps(spec)}</script>'
    packs = [f'<script type="application/gzip" class="uat-pack">{text}</script>' for text in ("x" * 5000, "short")]
    page = apart(live + "".join(packs), tmp_path)
    assert packs[1] in page
    assert len(page) < 700
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
