"""A reader's browser: a tab that opens page after page, listens to their complaints, and is asked questions."""

from pathlib import Path

from playwright.sync_api import Browser, Page

CHECKS = (Path(__file__).parent / "page_checks.js").read_text(encoding="utf-8")
DESK = {"width": 1280, "height": 720}
PHONE = {"width": 320, "height": 640}
SHEET = {"width": 680, "height": 960}
STARTED = """() => [...document.querySelectorAll(".uat-explorer")].filter((box) => {
  box.dispatchEvent(new Event("pointerenter")); // one that is far away waits for somebody
  return !(box.querySelector(".uat-view")?.hasAttribute("data-at") || box.querySelector(":scope > [role=alert]"));
}).length === 0"""
THEMED = "scheme => [undefined, scheme].includes(document.documentElement.dataset.theme)"
IDLE = "new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done, { timeout: 300 })))"
AGAIN = """(name) => {
  const script = document.createElement("script");
  script.src = document.querySelector(`script[src*="${name}"]`).src;
  document.head.append(script);
}"""
STANDS = """async () => {
  for (let still = 0, last = -1; still < 30; last = scrollY) {
    await new Promise(requestAnimationFrame);
    still = scrollY === last && scrollY > 0 ? still + 1 : 0;
  }
}"""
"""The theme scrolls smoothly: until the page has stood still for half a second, and not at its top."""
ARRIVED = "document.getAnimations().forEach((animation) => animation.finish())"


class Reader:
    """A tab, and what the page that is open in it complains about."""

    def __init__(self, browser: Browser, **options) -> None:
        self.tab: Page = browser.new_page(**options)
        self.scripts: bool = options.get("java_script_enabled", True)
        self.size: dict[str, int] = options.get("viewport", DESK)
        self.complaints: list[str] = []
        self.inside = ""
        self.tab.on("request", self._see_request)
        self.tab.on("requestfailed", self._see_failure)
        self.tab.on("console", lambda m: self.complaints.append(f"console: {m.text}") if m.type == "error" else None)
        self.tab.on("pageerror", lambda error: self.complaints.append(f"script error: {error}"))

    def _see_request(self, request) -> None:
        if not request.url.startswith((self.inside, "data:", "blob:")):
            self.complaints.append(f"asks for {request.url}")

    def _see_failure(self, request) -> None:
        if request.failure != "net::ERR_ABORTED":  # what a page still waits for when its reader goes on is no fault
            self.complaints.append(f"does not get {request.url}")

    def open(self, address: str, started: bool = True) -> Page:
        """Leave the page, with its complaints, and open another; its pictures may be without their script."""
        self.leave()  # an address that differs from the last in its end alone would load nothing
        self.complaints.clear()
        folder = next((name for name in ("/chapters/", "/library/", "/slides/") if name in address), None)
        self.inside = address[: address.index(folder) + 1] if folder else address.rsplit("/", 1)[0]
        self.tab.goto(address, wait_until="load")
        if self.scripts and started:
            self.tab.wait_for_function(STARTED)
        self.settle()
        return self.tab

    def begin(self, script: str) -> Page:
        """Let a script of the open page run that it has been without."""
        self.tab.evaluate(AGAIN, script.strip("*").partition("*")[0])
        self.tab.wait_for_function(STARTED)
        self.settle()
        return self.tab

    def show(self, scheme: str, size: dict[str, int] = DESK, media: str = "screen", forced: str = "none") -> None:
        """Show what is open, or will be, in another light."""
        self.tab.set_viewport_size(size)
        self.tab.emulate_media(color_scheme=scheme, media=media, forced_colors=forced)
        if self.scripts:
            self.tab.wait_for_function(THEMED, arg=scheme)
        self.settle()

    def forget(self) -> None:
        """Forget the function that a square has kept: cards offer it to who comes next."""
        self.tab.evaluate("() => { try { localStorage.removeItem('uat-mine'); } catch { /* no page is open */ } }")

    def leave(self) -> None:
        """Close the page: what is shown in another light is laid out anew."""
        if self.tab.url != "about:blank":
            self.tab.goto("about:blank")

    def rest(self) -> None:
        """Leave the page, and forget the size and the light in which it was shown."""
        self.leave()
        self.tab.set_viewport_size(self.size)
        self.tab.emulate_media(color_scheme="light", media="screen", forced_colors="none")

    def settle(self) -> None:
        """Let scripts end. Colours that are on their way to the theme's are neither: transitions end at once."""
        if self.scripts:
            self.tab.evaluate(IDLE)
        self.tab.evaluate(ARRIVED)

    def ask(self, question: str):
        """Answer a question of page_checks.js about the open page."""
        return self.tab.evaluate(f"(() => {{ {CHECKS}; return {question}; }})()")


def open_page(browser: Browser, address: str, **options) -> tuple[Page, list[str]]:
    """Open a page in a tab of its own, and return it with the complaints it makes on the way."""
    reader = Reader(browser, **options)
    return reader.open(address), reader.complaints
