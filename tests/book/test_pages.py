"""What a reader meets: every page of the book, in a real browser and as files."""

import io
import json
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import matplotlib.image
import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from jupyter_cache import get_cache
from reader import ask, open_page

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "_build" / "jupyter_execute"
sys.path.insert(0, str(ROOT / "_ext"))
from uat_rebuild import notebook_cache  # noqa: E402

PHONE = {"width": 360, "height": 740}
SHEET = {"width": 680, "height": 960}
ACCENTED = "chapters/yun-contextual-mapping"

# Faults of the theme's own controls, which no chapter can mend: rule -> the only elements that may break it.
THEME_FAULTS = {
    # Icon buttons carry a spoken name that differs from the visible word.
    "label-content-name-mismatch": "button:not(.toggle-button)",
    # Header, skip link and table of contents lie outside the landmarks.
    "region": ".bd-header, .bd-header-article, .bd-sidebar-primary, .bd-sidebar-secondary, .skip-link, "
    "#pst-skip-link, .search-button__wrapper, .prev-next-footer, #pst-back-to-top, .header-article__inner",
}

TEXT = "contrasts('article :is(p, li, a, b, i, small, span, pre, code, td, th, caption, summary, h1, h2, h3)')"


class Anchors(HTMLParser):
    """Collect ids, link targets, headings and pictures of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.inside = False
        self.titles = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.inside = (self.inside or tag == "article") and tag != "footer"
        self.titles += tag == "h1" and self.inside  # the theme repeats the title outside, for printing
        if named.get("id"):
            self.ids.append(named["id"])
        if tag in {"a", "link"} and named.get("href"):
            self.links.append(named["href"])
        if tag in {"img", "script"} and named.get("src"):
            self.links.append(named["src"])


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_page_is_quiet_and_asks_nothing_outside(browser, book, site, page_name, scheme):
    base = site if scheme == "http" else book.as_uri() + "/"
    page, complaints = open_page(browser, f"{base}{page_name}.html")
    page.close()
    assert not complaints


def test_page_fits_a_phone(browser, site, page_name):
    page, _ = open_page(browser, f"{site}{page_name}.html", viewport=PHONE)
    page.evaluate("document.querySelectorAll('button.toggle-button').forEach(button => button.click())")
    wide = ask(page, "overflow()")
    cut = ask(page, "cutCertificates()")
    page.close()
    assert wide == []
    assert cut == []


def test_every_picture_is_described(browser, site, page_name):
    page, _ = open_page(browser, f"{site}{page_name}.html")
    silent = ask(page, "undescribed()")
    page.close()
    assert silent == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_is_accessible(browser, book, site, page_name, theme):
    """By axe, which looks into explorers too, and by the contrast of every text, in pictures as well."""
    page, _ = open_page(browser, f"{site}{page_name}.html", color_scheme=theme)
    # Screen readers skip this half of each formula and read its MathML; its contrast is measured below.
    skipped = {"exclude": [[".katex-html"]]}
    violations = Axe().run(page, context=skipped, options={"resultTypes": ["violations"]}).response["violations"]
    faults = []
    for violation in violations:
        allowed = THEME_FAULTS.get(violation["id"])
        for node in violation["nodes"]:
            selector = node["target"][-1]
            # What lies in a shadow root has a path of selectors, and is not the theme's.
            in_theme = (
                allowed
                and isinstance(selector, str)
                and page.evaluate("([s, a]) => !!document.querySelector(s)?.closest(a)", [selector, allowed])
            )
            if not in_theme:
                faults.append((violation["id"], selector, node["html"][:120]))
    text = ask(page, TEXT)
    pictures = ask(page, "explorerContrasts()")
    page.close()
    assert not faults
    assert text
    assert [row for row in (*text, *pictures) if row[0] < 4.5] == []
    assert (len(pictures) > 10) == ('class="uat-explorer"' in (book / f"{page_name}.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_follows_the_system_without_javascript(browser, site, page_name, scheme):
    page, _ = open_page(browser, f"{site}{page_name}.html", color_scheme=scheme, java_script_enabled=False)
    theme = page.get_attribute("html", "data-theme")
    text, (darkest, brightest) = ask(page, f"[...{TEXT}, ...pictureContrasts()]"), ask(page, "grounds()")
    page.close()
    assert theme == "auto"
    assert text
    assert [row for row in text if row[0] < 4.5] == []
    assert darkest > 0.7 if scheme == "light" else brightest < 0.2


def test_page_prints_in_light_colours_and_whole(browser, site, page_name):
    """At the width of a sheet, from the dark theme, with the certificates and proofs that were left closed."""
    page, _ = open_page(browser, f"{site}{page_name}.html", color_scheme="dark", viewport=SHEET)
    assert page.get_attribute("html", "data-theme") == "dark"
    page.emulate_media(media="print")
    page.evaluate("document.getAnimations().forEach((animation) => animation.finish())")
    text = ask(page, f"[...{TEXT}, ...pictureContrasts(), ...explorerContrasts()]")
    (darkest, _), lost = ask(page, "grounds()"), ask(page, "lostOnPaper()")
    page.close()
    assert text
    assert [row for row in text if row[0] < 4.5] == []
    assert darkest > 0.7
    assert lost == []


def test_page_keeps_its_text_in_forced_colours(browser, site, page_name):
    page, _ = open_page(browser, f"{site}{page_name}.html", forced_colors="active")
    text = ask(page, f"[...{TEXT}, ...pictureContrasts(), ...explorerContrasts()]")
    page.close()
    assert text
    assert [row for row in text if row[0] < 4.5] == []


def test_accents_do_not_erase_their_letters_in_forced_colours(browser, site):
    """The same formula has the same ink: a ground painted behind the accent would cover the letter."""
    inks = []
    for forced in ("none", "active"):
        page, _ = open_page(browser, f"{site}{ACCENTED}.html", forced_colors=forced, color_scheme="light")
        page.locator("html").evaluate("(html) => (html.dataset.theme = 'light')")
        letters = page.locator("article p .katex-html .accent")
        assert letters.count() >= 3
        inks.append([ink(letters.nth(k).screenshot()) for k in range(3)])
        page.close()
    for normal, forced in zip(*inks, strict=True):
        assert normal > 10
        # Black has more ink than the page's dark grey; half of the letter would be much less.
        assert 0.95 * normal < forced < 1.4 * normal


def ink(png: bytes) -> float:
    """How many black pixels a picture would fill."""
    return float((1 - matplotlib.image.imread(io.BytesIO(png), format="png")[..., :3].mean(axis=-1)).sum())


def test_page_has_one_title_and_unique_ids(book, page_name):
    page = Anchors(book / f"{page_name}.html")
    assert page.titles == 1
    assert [name for name, times in Counter(page.ids).items() if times > 1] == []


def test_links_resolve(book, page_name):
    here = book / f"{page_name}.html"
    broken = []
    for link in sorted(set(Anchors(here).links)):
        address, fragment = urldefrag(link)
        if urlsplit(address).scheme:
            continue
        target = (here.parent / unquote(urlsplit(address).path)).resolve() if address else here
        reached = target.exists() and (not fragment or unquote(fragment) in Anchors(target).ids)
        if not reached:
            broken.append(link)
    assert broken == []


def test_notebook_ran_cleanly(book, page_name):
    path = NOTEBOOKS / f"{page_name}.ipynb"
    if not path.exists():
        assert "{code-cell}" not in (ROOT / f"{page_name}.md").read_text(encoding="utf-8")
        return
    source = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    _, notebook = get_cache(notebook_cache(ROOT, page_name)).merge_match_into_notebook(source)
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        wrong = [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
        assert not wrong, cell.source
        if "figure" in cell.metadata.get("tags", []):
            kinds = json.dumps([list(o.get("data", {})) for o in outputs])
            assert "image/" in kinds or "text/html" in kinds, f"no picture from: {cell.source}"
        shown = ["uat-explorer" in o.get("data", {}).get("text/html", "") for o in outputs]
        assert any(shown) == ("explorer" in cell.metadata.get("tags", [])), f"explorer or not? {cell.source}"
