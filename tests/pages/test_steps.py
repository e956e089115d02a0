"""Step by step: each theorem of the table is there, to be read without a script, and marked where it is stated."""

import gzip
import re

import pytest
from bs4 import BeautifulSoup
from bs4.element import Tag

from uatbook import machine_checked, statements
from uatbook.sources import SOURCES

ROWS = machine_checked.theorems()
WHOLE = {"proved in part": "proved", "refuted in part": "refuted as printed"}
RAW = re.compile(
    r"\b(?:forall|exists|oo|seq|perm_mx|codom|xpred0|predT|ffun|fun)\b|\\[a-z]+_|%:|%[gOR]\b|'[A-Z]|->|<=|/\\|\*m|=i\b"
    r"|\{\||\^[~+-]|__|\w[tT]ype\b"
)
OWN = {
    "lem-domain", "lem-mask-prefix", "prop-boltz-concave", "prop-cheng-almost", "prop-cheng-average",
    "prop-cheng-ring-layers", "prop-cheng-skyformer", "prop-cost-bits", "prop-cover-error", "prop-keyhole",
    "prop-longest-id", "prop-mask-first", "prop-mask-rational", "prop-one-scale", "prop-rank-one-optimum",
    "prop-rational-scales", "prop-scale", "prop-two-components",
}  # fmt: skip
"""Boxes of results that no statement is: their proofs are in the page."""


@pytest.fixture(scope="module")
def parsed(book):
    """Pages as trees, by their place."""
    found = {}

    def tree(page):
        if page not in found:
            text = (book / f"{page}.html").read_text(encoding="utf-8")
            found[page] = BeautifulSoup(text, "html.parser")
        return found[page]

    return tree


def page_of(row):
    """Its page: that of a text in the same folder is that of the paper."""
    key = row.statement.partition(":")[0]
    return f"library/steps-{'yun2020' if key == 'so2020slides' else key}"


def anchor(row):
    return f"steps-{row.name}".replace("_", "-")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.statement} {row.name}")
def test_a_theorem_of_the_table_stands_on_its_page_with_its_state_and_an_english_step_before_each_fold(parsed, row):
    there = parsed(page_of(row)).find(id=anchor(row))
    assert machine_checked.STATES[row.state] in there.select_one(".uat-mark").get_text()
    assert there.select_one(".uat-formal > p").get_text().strip()
    if any((other.statement, other.state) == (row.statement, WHOLE.get(row.state)) for other in ROWS):
        whole = there.find("a", string="the whole statement")  # which has the lines
        assert parsed(page_of(row)).find(id=whole["href"].removeprefix("#")).select("div.uat-steps > details pre")
        return
    own = [fold for fold in there.select("div.uat-steps > details") if not fold.get("id")]
    assert own
    for fold in own:
        assert re.search(r"[a-z]{2,}", fold.summary.get_text())
        assert fold.select("pre")
    assert "Done." in own[-1].get_text()


@pytest.mark.parametrize("source", SOURCES)
def test_steps_ask_for_no_script_and_set_their_formulas(parsed, source):
    for part in parsed(f"library/steps-{source}").select(".uat-steps"):
        assert part.select("script, button, input, [style], [onclick], img, iframe") == []
        assert all(fold.find(True).name == "summary" for fold in part.select("details"))
        shown = [tag.get_text() for tag in part.select(".uat-formal, .goal, .term, details > ul")]
        assert [text for text in shown if RAW.search(re.sub(r"⟨.*?⟩", "", text))] == []


@pytest.mark.parametrize("source", SOURCES)
def test_steps_of_a_source_weigh_at_most_40_kb_packed(parsed, source):
    shown = "".join(map(str, parsed(f"library/steps-{source}").select(".uat-steps")))
    assert len(gzip.compress(shown.encode())) <= 40_000


@pytest.mark.parametrize("source", SOURCES)
def test_a_link_of_a_step_leads_somewhere(parsed, source):
    page = f"library/steps-{source}"
    for link in parsed(page).select(".uat-steps a[href]"):
        path, _, target = link["href"].partition("#")
        if not path.startswith("http") and target:
            assert parsed(f"library/{path.removesuffix('.html')}" if path else page).find(id=target), link["href"]


def boxes(book, parsed):
    """Each box of a theorem: its label, and its marks as words and addresses."""
    for file in sorted(book.glob("*/*.html")):
        page = f"{file.parent.name}/{file.stem}"
        if 'class="proof ' not in file.read_text(encoding="utf-8"):
            continue
        for box in parsed(page).select("div.proof:is(.theorem, .lemma, .corollary, .proposition)"):
            yield box, [(link.get_text().strip(), link["href"]) for link in box.select(".uat-marks a")]


def test_marks_of_a_box_say_what_the_table_says_of_where_they_lead(book, parsed):
    """Refuted where the box is the printed text; else what is proved, or that sizes were checked, comes first."""
    by_anchor = {(page_of(row).removeprefix("library/"), anchor(row)): row for row in ROWS}
    unmarked, marked = set(), set()
    for box, marks in boxes(book, parsed):
        assert isinstance(box, Tag)
        if not marks:
            unmarked.add(box["id"])
        for words, href in marks:
            page, _, target = href.rpartition("/")[2].partition("#")
            state = words.split(maxsplit=1)[1]
            if page == "statements.html":
                assert state == "checked at sizes"
                assert parsed("library/statements").find(id=target)
                rows = machine_checked.of(target.replace("-", ":", 1))
                assert not [row for row in rows if row.state.startswith("proved")]
            else:
                row = by_anchor[page.removesuffix(".html"), target]
                assert state == machine_checked.STATES[row.state]
                marked.add(row.statement)
    assert unmarked == OWN
    # What has a number has a box, but for what the chapters only speak of.
    numbered = {row.statement for row in ROWS if re.search(r":(thm|lem|prop|cor|claim)-\d", row.statement)}
    assert numbered - marked == set()
    assert statements.get("liu2025:thm-4-1").id in marked
