"""Each page lives under its own security policy, and lets nobody in."""

import re

import pytest
from conftest import toc_pages
from page_explorers import boxes

PAGES = [*toc_pages(), "search", "slides/start"]
STARTED = "() => document.querySelectorAll('.uat-view').length"


@pytest.fixture(scope="module")
def strict(browser):
    tab = browser.new_page(strict=True)
    tab.complaints = []
    tab.on("console", lambda m: tab.complaints.append(m.text) if m.type == "error" else None)
    tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
    yield tab
    tab.close()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_needs_nothing_that_its_policy_refuses(strict, site, book, page):
    """Formulas, folds, forms and explorers do their work; and the policy says what it should."""
    text = (book / f"{page}.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'self'"
    assert re.fullmatch(r"'self'( 'sha256-[\w+/=]{44}')*", rules["script-src"])
    assert not re.search(
        r'<[^>]* on[a-z]+="|href="javascript:', re.sub(r"<script\b.*?</script>", "", text, flags=re.DOTALL)
    )
    strict.complaints.clear()
    strict.goto(f"{site}{page}.html", wait_until="load")
    expected = len(boxes(page))
    for _ in range(100):
        if strict.evaluate(STARTED) >= expected:
            break
        strict.wait_for_timeout(50)
    assert strict.evaluate(STARTED) == expected
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
