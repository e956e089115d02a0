"""The pages of all statements and all errata: nothing is left out, and what they say of a run is so."""

import re
from fractions import Fraction
from html import unescape
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from _ext.running.runs import runs
from uatbook import overview, statements
from uatbook.headings import statement_name
from uatlib.arithmetic import Ball
from uatlib.certificate import Certificate, Check
from uatlib.internal.formula_html import GREEK

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pages(book):
    """For both pages the HTML of each statement by its anchor, in order."""
    found = {}
    for page in ("statements", "errata"):
        soup = BeautifulSoup((book / "library" / f"{page}.html").read_text(encoding="utf-8"), "html.parser")
        parts = soup.select("div.uat-statement")
        found[page] = {part["id"]: str(part) for part in parts}
        assert len(found[page]) == len(parts)
    return found


def shown(html):
    return unescape(re.sub("<[^>]*>", "", html))


def test_all_statements_and_all_errata_are_there_once_and_in_order(pages):
    everything = statements.all()
    assert list(pages["statements"]) == [s.id.replace(":", "-") for s in everything]
    assert list(pages["errata"]) == [s.id.replace(":", "-") for s in everything if s.erratum]


def test_the_index_says_that_all_hold_and_where_they_stand(pages):
    for anchor, part in pages["statements"].items():
        s = statements.get(anchor.replace("-", ":", 1))
        assert f'<a href="../chapters/{s.chapter}.html">' in part
        assert (ROOT / "chapters" / f"{s.chapter}.md").exists()
        assert (f'href="errata.html#{anchor}"' in part) == bool(s.erratum)
        assert 'class="holds"' in part
        assert 'class="fails"' not in part


def test_each_erratum_shows_the_runs_that_fail_and_the_one_that_holds(pages):
    told = {}
    for anchor, part in pages["errata"].items():
        s = statements.get(anchor.replace("-", ":", 1))
        verdicts = re.findall(r'<summary><b class="(\w+)"', part)
        assert verdicts == ["fails"] * (len(s.variants) - 1) + ["holds"]
        earlier = told.setdefault(s.erratum, s)
        if earlier is not s:  # told once, and named
            assert f"as for {statement_name(earlier.id)}." in shown(part)
            continue
        first = [word for word in re.findall(r"[A-Za-z]{4,}", s.erratum)[:9] if word not in GREEK]
        assert all(word in shown(part) for word in first)
    assert len(told) < len(pages["errata"])  # some are shared


def test_as_text_a_page_has_a_line_a_statement(monkeypatch):
    few = [statements.get(id) for id in ("yun2020:lem-8", "yun2020:lem-9")]
    monkeypatch.setattr(overview, "_of", lambda source: few)
    assert repr(overview.index("yun2020")) == "yun2020:lem-8: holds\nyun2020:lem-9: holds"


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


def test_what_one_page_verifies_and_the_other_reads_hangs_on_the_same_modules():
    """A module that only a run loads would be missing where the certificate was there: an edit would not reach it."""
    loaded = [set(runs(ROOT)[f"library/{page}"]["modules"]) for page in ("statements", "errata")]
    assert loaded[0] == loaded[1]
