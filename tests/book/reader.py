"""A reader's browser: opens pages, listens to their complaints, asks them questions."""

from pathlib import Path

from playwright.sync_api import Browser, Page

CHECKS = (Path(__file__).parent / "page_checks.js").read_text(encoding="utf-8")


def open_page(browser: Browser, address: str, **options) -> tuple[Page, list[str]]:
    """Open a page, and return it with the complaints it makes on the way."""
    page = browser.new_page(**options)
    complaints: list[str] = []
    inside = address[: address.index("/chapters/") + 1] if "/chapters/" in address else address.rsplit("/", 1)[0]

    def see_request(request) -> None:
        if not request.url.startswith((inside, "data:", "blob:")):
            complaints.append(f"asks for {request.url}")

    page.on("request", see_request)
    page.on("requestfailed", lambda request: complaints.append(f"does not get {request.url}"))
    page.on("console", lambda m: complaints.append(f"console: {m.text}") if m.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(f"script error: {error}"))
    page.goto(address, wait_until="load")
    page.wait_for_timeout(300)
    # Colours that are still on their way to the theme's are neither: transitions end at once.
    page.evaluate("document.getAnimations().forEach((animation) => animation.finish())")
    return page, complaints


def ask(page: Page, question: str):
    """Answer a question of page_checks.js about an open page."""
    return page.evaluate(f"(() => {{ {CHECKS}; return {question}; }})()")
