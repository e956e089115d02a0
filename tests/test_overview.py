"""The pages of all statements and all errata: nothing is left out, and what they say of a run is so."""

import re
from fractions import Fraction
from html import unescape
from pathlib import Path

import pytest

from uatlib import overview, statements
from uatlib.arithmetic import Ball
from uatlib.certificate import Certificate, Check
from uatlib.formula_html import GREEK

ROOT = Path(__file__).resolve().parents[1]
PAGES = [(ROOT / "library" / f"{name}.md").read_text(encoding="utf-8") for name in ("statements", "errata")]


@pytest.fixture(scope="module")
def pages():
    """HTML by kind and source, as the two chapters ask for it."""
    calls = re.findall(r'^overview\.(\w+)\("(\w+)"\)$', "".join(PAGES), re.MULTILINE)
    return {(kind, source): getattr(overview, kind)(source) for kind, source in calls}


def sections(page):
    """The part of each statement by its anchor."""
    starts = [*re.finditer(r'<div class="uat-statement" id="([\w-]+)">', page.html)]
    ends = [start.start() for start in starts[1:]] + [None]
    return {start[1]: page.html[start.start() : end] for start, end in zip(starts, ends, strict=True)}


def shown(html):
    return unescape(re.sub("<[^>]*>", "", html))


def test_all_statements_and_all_errata_are_there_once_and_in_order(pages):
    everything = statements.all()
    found = {"index": [], "errata": []}
    for (kind, _), page in pages.items():
        found[kind] += sections(page)
    assert found["index"] == [s.id.replace(":", "-") for s in everything]
    assert found["errata"] == [s.id.replace(":", "-") for s in everything if s.erratum]


def test_the_index_says_that_all_hold_and_where_they_stand(pages):
    for (kind, _), page in pages.items():
        if kind == "index":
            assert "FAILS" not in repr(page)
            for anchor, part in sections(page).items():
                s = statements.get(anchor.replace("-", ":", 1))
                assert f'<a href="../chapters/{s.chapter}.html">' in part
                assert (ROOT / "chapters" / f"{s.chapter}.md").exists()
                assert (f'href="errata.html#{anchor}"' in part) == bool(s.erratum)
                assert 'class="holds"' in part
                assert 'class="fails"' not in part


def test_each_erratum_shows_the_runs_that_fail_and_the_one_that_holds(pages):
    for (kind, _), page in pages.items():
        if kind == "errata":
            for anchor, part in sections(page).items():
                s = statements.get(anchor.replace("-", ":", 1))
                verdicts = re.findall(r'<summary><b class="(\w+)"', part)
                assert verdicts == ["fails"] * (len(s.variants) - 1) + ["holds"]
                first = [word for word in re.findall(r"[A-Za-z]{4,}", s.erratum)[:9] if word not in GREEK]
                assert all(word in shown(part) for word in first)


def test_the_closest_check_is_the_one_with_the_least_room():
    checks = [
        Check("far", 1, "<=", 2),
        Check("near", Fraction(97, 100), "<", 1),
        Check("from above", 5, ">=", 5),
        Check("equal", 3, "==", 3),
        Check("nothing is allowed", 0, "<=", 0),
        Check("a ball", Ball(Fraction(1, 2)), "<=", Ball(1)),
    ]
    said = shown(overview._closest(Certificate(checks)))
    assert said == " Closest: near, 97 % of what is allowed."
    assert overview._closest(Certificate([checks[0], *checks[2:]])) == ""


def test_another_source_is_refused():
    for act in (overview.index, overview.errata):
        with pytest.raises(ValueError, match=r"^source: expected"):
            act("so2020slides")
