"""The built book, a server for it, and a browser; and which visits to its pages need not be made again."""

import ast
import functools
import hashlib
import http.server
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
import browser as chromium
import rounds
from reader import PHONE, Reader

HERE = Path(__file__).parent
ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "_build" / "html"
VISITED = ROOT / "_build" / "visited"
"""An empty file for each visit to a page that passed, named by all that it depends on."""
READERS = {"desk", "phone", "bare", "folder"}
LOADED = re.compile(r"""(?:\b(?:href|src)="|url\(["']?)([^"':#?)]+\.(?:js|css|svg|png|woff2))""")
HELD = re.compile(r'class="uat-(?:pack|data)" data-name="(\w+)"')


@functools.cache
def toc_pages() -> tuple[str, ...]:
    """Return every page that _toc.yml names, in reading order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [chapter for part in toc["parts"] for chapter in part["chapters"]]
    return (toc["root"], *(page["file"] for chapter in chapters for page in (chapter, *chapter.get("sections", ()))))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `page_name` once for each page, for `tried_page` once for each on which scripts are."""
    if "page_name" in metafunc.fixturenames:
        metafunc.parametrize("page_name", toc_pages())
    if "tried_page" in metafunc.fixturenames:
        metafunc.parametrize("tried_page", tried())


def tried() -> tuple[str, ...]:
    """The pages on which what scripts do is tried in this round."""
    return rounds.tried(BOOK, toc_pages())


def imported(module: Path) -> set[Path]:
    """A module of the tests of pages with those that it imports, and these."""
    found, todo = set(), {module}
    while todo:
        path = todo.pop()
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            todo |= {file for name in names if name and (file := HERE / f"{name}.py").exists()} - found
    return found


@functools.cache
def code(module: Path) -> bytes:
    """A module of tests with all of their folder that it imports, and the programs that it looks with."""
    paths = [
        *imported(module),
        *imported(HERE / "conftest.py"),
        HERE / "page_checks.js",
        *ROOT.glob("requirements*.txt"),
    ]
    program = chromium.find()
    texts = [path.read_bytes() for path in sorted({*paths})]
    return b"".join(texts) + (repr(os.stat(program)).encode() if program else b"")


@functools.cache
def loaded(file: Path) -> bytes:
    """The sum of a file with the scripts, styles, fonts, data and pictures that it names."""
    content = file.read_bytes()
    if file.suffix not in {".html", ".css"}:
        return hashlib.sha256(content).digest()
    text = content.decode()
    named = {(file.parent / link).resolve() for link in LOADED.findall(text)}
    named |= {BOOK / "_static" / "explorers" / f"{name}.js" for name in HELD.findall(text)}
    return hashlib.sha256(content + b"".join(loaded(one) for one in sorted(named) if one.exists())).digest()


def visit(item: pytest.Item) -> Path | None:
    """The file of a visit to a page; None if the test is none."""
    asked = {*getattr(item, "fixturenames", ())}
    if not READERS & asked or not (named := {"page_name", "tried_page"} & asked):
        return None
    (name,) = (item.callspec.params[one] for one in named)
    if not (page := BOOK / f"{name}.html").exists():
        return None
    way = f"{item.name} {name in tried()}"  # on a page where scripts are tried, it is a longer visit
    return VISITED / hashlib.sha256(way.encode() + code(item.path) + loaded(page)).hexdigest()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the visits that passed on the same page with the same scripts and tests; with CI set, make all."""
    if os.environ.get("CI"):
        return
    made = [item for item in items if (path := visit(item)) and path.exists()]
    if made:
        config.hook.pytest_deselected(items=made)
        items[:] = [item for item in items if item not in {*made}]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Remember a visit that passes."""
    yield
    if path := visit(item):
        path.parent.mkdir(exist_ok=True)
        path.touch()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serve files without a line for each."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def book() -> Path:
    if not (BOOK / "index.html").exists():
        pytest.fail("the book is not built: run `make book` first", pytrace=False)
    return BOOK


@contextmanager
def served() -> Iterator[str]:
    """The address of the book on a local server."""
    handler = functools.partial(QuietHandler, directory=str(BOOK))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def site(book: Path) -> Iterator[str]:
    with served() as address:
        yield address


WHOLE = """addEventListener("DOMContentLoaded", () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("article section { content-visibility: visible !important }");
  document.adoptedStyleSheets.push(sheet);
})"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if chromium.find() is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(chromium.MISSING)
    with launched() as instance:
        yield instance


@contextmanager
def launched() -> Iterator[Browser]:
    """The browser; without one an error that says how to get it."""
    path = chromium.find()
    if path is None:
        raise RuntimeError(chromium.MISSING)
    with sync_playwright() as playwright:
        instance = playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
        plain = instance.new_page

        def new_page(**options) -> Page:
            """A tab in which a test may wait for a condition, and see what is far below; `strict` has neither."""
            if options.pop("strict", False):
                return plain(**options)
            tab = plain(bypass_csp=True, **options)
            tab.add_init_script(WHOLE)
            return tab

        instance.new_page = new_page
        yield instance
        instance.close()


@pytest.fixture(scope="session")
def desk(browser: Browser) -> Reader:
    """A reader at a desk, for one page after another: a tab costs as much as a page."""
    return Reader(browser)


@pytest.fixture(scope="session")
def folder(browser: Browser) -> Reader:
    """The same, for pages opened from a folder: the browser gives them a process of their own."""
    return Reader(browser)


@pytest.fixture(scope="session")
def phone(browser: Browser) -> Reader:
    return Reader(browser, viewport=PHONE, has_touch=True)


@pytest.fixture(scope="session")
def bare(browser: Browser) -> Reader:
    """A reader without JavaScript."""
    return Reader(browser, java_script_enabled=False)


@pytest.fixture(autouse=True)
def _forgetful(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test sees what another has painted, nor in the size, the light or on the paper that it has left."""
    names = {"desk", "folder", "phone", "bare"} & {*request.fixturenames}
    readers = [request.getfixturevalue(name) for name in names]
    yield
    for reader in readers:
        reader.forget()
        reader.tab.set_viewport_size(reader.size)
        reader.tab.emulate_media(media="screen", forced_colors="none", reduced_motion="no-preference")
