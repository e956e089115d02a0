"""Each page lives under its own security policy, and lets nobody in."""

import base64
import hashlib
import re

import pytest
from conftest import toc_pages, tried
from page_explorers import boxes
from reader import STARTED

OTHERS = ("search", "slides/start")
PAGES = [*toc_pages(), *OTHERS]
SCRIPTS = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL)
VIEWS = "() => document.querySelectorAll('.uat-view').length"


@pytest.fixture(scope="module")
def strict(browser):
    tab = browser.new_page(strict=True)
    tab.complaints = []
    tab.on("console", lambda m: tab.complaints.append(m.text) if m.type == "error" else None)
    tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
    yield tab
    tab.close()


@pytest.mark.parametrize("page", PAGES)
def test_a_policy_says_what_it_should_and_knows_each_script(book, page):
    text = (book / f"{page}.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'self'"
    assert re.fullmatch(r"'self'( 'sha256-[\w+/=]{44}')*", rules["script-src"])
    within = [code for said, code in SCRIPTS.findall(text) if not re.search(r'\bsrc="|type="application/', said)]
    assert bool(within) == ("slides" not in page)
    sums = [base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() for code in within]
    assert [code[:80] for code, sum_ in zip(within, sums, strict=True) if sum_ not in rules["script-src"]] == []
    assert not re.search(r'<[^>]* on[a-z]+="|href="javascript:', SCRIPTS.sub("", text))


@pytest.mark.parametrize("page", [*tried(), *OTHERS])
def test_a_page_needs_nothing_that_its_policy_refuses(strict, site, page):
    """Formulas, folds, forms and explorers do their work."""
    strict.complaints.clear()
    strict.goto(f"{site}{page}.html", wait_until="load")
    strict.wait_for_function(STARTED)
    assert strict.evaluate(VIEWS) == len(boxes(page))
    assert strict.evaluate("() => document.documentElement.dataset.mode") == ("auto" if "slides" not in page else None)
    assert strict.complaints == []


@pytest.mark.parametrize("way", ["script", "handler", "outside"])
def test_what_somebody_slips_in_does_not_run(browser, site, way):
    evil = {
        "script": "<script>window.evil = 1</script>",
        "handler": "<img src='x' onerror='window.evil = 1'>",
        "outside": "<script src='data:text/javascript,window.evil=1'></script>",
    }[way]
    tab = browser.new_page(strict=True)

    def slip(route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("</article>", f"{evil}</article>", 1))

    tab.route("**/start.html", slip)
    tab.goto(f"{site}chapters/start.html")
    assert tab.locator("article").inner_html().count("evil") == 1
    tab.wait_for_timeout(300)
    assert tab.evaluate("() => window.evil") is None
    tab.close()
