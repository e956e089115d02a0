"""The built book, a server for it, and a browser."""

import functools
import http.server
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
import browser as chromium
from reader import PHONE, Reader

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "_build" / "html"


def toc_pages() -> list[str]:
    """Return every page that _toc.yml names, in reading order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"])]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `page_name` once for each page."""
    if "page_name" in metafunc.fixturenames:
        metafunc.parametrize("page_name", toc_pages())


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serve files without a line for each."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def book() -> Path:
    if not (BOOK / "index.html").exists():
        pytest.fail("the book is not built: run `make book` first", pytrace=False)
    return BOOK


@pytest.fixture(scope="session")
def site(book: Path) -> Iterator[str]:
    """Return the address of the book on a local server."""
    handler = functools.partial(QuietHandler, directory=str(book))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium.find()
    if path is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(chromium.MISSING)
    with sync_playwright() as playwright:
        instance = playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
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
