"""One PDF of the whole book, made of its built pages: `make pdf`, or `make pdf SOLUTIONS=no`.

    python -m _ext.shapes.pdf _build/html _build/book.pdf [--without-solutions]

A browser joins the pages to one document (pdf.js), styles it with the book's own print styles and a few more
(pdf.css), and prints it. It prints once to learn on which page each place is, writes these numbers behind the
references, and prints again until no place moves.
"""

import argparse
import io
import sys
from pathlib import Path

import pikepdf
from playwright.sync_api import Page, Route, sync_playwright

import uatlib
from uatlib.internal import writing

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ORIGIN = "http://book.localhost/"
"""Nothing listens there: the browser's requests are answered from the folder."""
EMPTY = '<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8"></head><body></body></html>'
PRINTS = 6
"""A number more or less in a line rarely moves a page, and less so each time: two or three do."""


def serve(page: Page, book: Path) -> None:
    """Answer what a page asks for with files of the built book, and nothing else."""

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(ORIGIN).partition("?")[0]
        if name == "":
            route.fulfill(body=EMPTY, content_type="text/html")
        elif route.request.url.startswith(ORIGIN) and (book / name).is_file():
            route.fulfill(path=book / name)
        else:
            route.abort()

    page.route("**/*", answer)


def places(pdf: bytes) -> dict[str, int]:
    """The page, from 1, of each place of a PDF that a link of it leads to."""
    with pikepdf.open(io.BytesIO(pdf)) as read:
        numbers = {page.obj.objgen: number for number, page in enumerate(read.pages, 1)}
        return {name.removeprefix("/"): numbers[there[0].objgen] for name, there in read.Root.get("/Dests", {}).items()}


def small(pdf: bytes) -> bytes:
    """The same PDF, less than half as long: a browser writes its tags out, one by one."""
    written = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as read:
        read.save(written, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
    return written.getvalue()


def printed(page: Page, book: Path, solutions: bool) -> bytes:
    """Join the pages of the book in a tab, and print them until the numbers of pages are right."""
    serve(page, book)
    page.set_default_timeout(0)
    page.goto(ORIGIN)
    page.add_script_tag(path=HERE / "pdf.js")
    style = (HERE / "pdf.css").read_text(encoding="utf-8")
    page.evaluate(
        "options => join(options)",
        {"version": uatlib.__version__, "wanted": solutions, "style": style},
    )
    written: dict[str, int] = {}
    for turn in range(PRINTS):
        whole = turn > 0  # the first print is for the numbers alone
        pdf = page.pdf(prefer_css_page_size=True, print_background=True, tagged=whole, outline=whole)
        found = places(pdf)
        if found == written:
            return small(pdf)
        page.evaluate("pages => number(pages)", found)
        written = found
    raise RuntimeError(f"after {PRINTS} prints, places still move from page to page")


def main() -> None:
    """Print the book of a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", type=Path, help="the folder of the built book")
    parser.add_argument("pdf", type=Path, help="the file that is written")
    parser.add_argument("--without-solutions", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests" / "pages"))
    import browser as chromium  # type: ignore[import-not-found]

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.ARGUMENTS)
        pdf = printed(browser.new_page(), options.book, not options.without_solutions)
        browser.close()
    writing.write(options.pdf, pdf)


if __name__ == "__main__":
    main()
