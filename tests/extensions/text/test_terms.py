"""First uses of terms link to the glossary: what counts as a use, and what the glossary's source must be."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes

from _ext.text.prose import pieces
from _ext.text.terms import Term, Uses, plural, terms, tip, uat_term, visit_term

ROOT = Path(__file__).resolve().parents[3]
GLOSSARY = (ROOT / "library" / "glossary.md").read_text(encoding="utf-8")
KNOWN = (
    Term("head", ("head", "heads"), ("other",)),
    Term("head size", ("head size",)),
    Term("query and key", ("query", "keys")),
    Term("scale", (r"scale $\beta$", "temperature")),
    Term("distance $d_p$", ("$d_p$",)),
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("one head of size one", ["head"]),
        ("Heads have a\nhead  size, a head", ["Heads", "head  size"]),
        ("the head size alone", ["head size"]),
        ("head-on, overhead, heading", []),
        ("keys, then a query", ["keys"]),
        ("HEADS of state", []),
        ("a scale, and the Temperature", ["Temperature"]),
    ],
)
def test_a_use_of_a_term(text, found):
    assert [text[start:end] for start, end, _ in Uses(KNOWN, "chapters/page").found(text)] == found


def test_a_term_links_once_and_not_where_it_means_something_else():
    uses = Uses(KNOWN, "chapters/page")
    assert len(uses.found("a head")) == 1
    assert uses.found("a head") == []
    assert Uses(KNOWN, "chapters/other").found("a head") == []


def test_a_form_may_end_in_a_formula_or_be_one():
    assert Uses(KNOWN, "p").formula("with a scale ", r"\beta") == ("scale", 6)
    assert Uses(KNOWN, "p").formula("with a scale of ", r"\beta") is None
    assert Uses(KNOWN, "p").formula("whatever ", "d_p") == ("distance $d_p$", 0)


def test_running_text_is_what_stands_in_open_paragraphs():
    page = nodes.section("", nodes.title("", "a heading"))
    page += nodes.paragraph("", "", nodes.Text("yes "), nodes.literal("", "no"), nodes.reference("", "no"))
    page += nodes.container("", nodes.paragraph("", "no"), classes=["cell"])
    fold = nodes.admonition("", nodes.title("", "no"), nodes.paragraph("", "folded"), classes=["dropdown"])
    page += nodes.bullet_list("", nodes.list_item("", nodes.paragraph("", "and yes")))
    page += nodes.container("", nodes.paragraph("", "no"), classes=["sd-card"])
    page += fold
    assert [piece.astext() for piece in pieces(page, folds=False)] == ["yes ", "and yes"]
    assert [piece.astext() for piece in pieces(page, folds=True)] == ["yes ", "and yes", "folded"]


def test_plurals():
    assert [plural(word) for word in ("head", "query", "witness", "box")] == ["heads", "queries", "witnesses", "boxes"]


def test_a_tip_is_plain_text():
    said = nodes.paragraph("", "", nodes.Text("Width "), nodes.math("", r"\delta = 1/N"), nodes.Text("."))
    assert tip(said) == "Width δ = 1/N."


def test_the_glossary_names_chapters_that_are_there_and_each_form_once():
    found = terms(GLOSSARY)
    chapters = {path.stem for path in (ROOT / "chapters").glob("*.md")}
    assert {page for term in found for page in term.but} <= chapters
    forms = [form.lower() for term in found for form in term.forms]
    assert len(forms) == len(set(forms))
    assert len({term.name for term in found}) == len(found) > 60
    assert [term.name for term in found] == sorted((term.name for term in found), key=str.lower)


def test_a_link_that_shows_a_formula_alone_has_the_name_of_its_term():
    def opened(*shown: nodes.Node) -> str:
        page = SimpleNamespace(body=[])
        visit_term(page, uat_term("", "", *shown, refuri="#d", tip="How far.", named="distance d_p"))
        return page.body[0]

    label = 'aria-label="distance d_p"'
    assert label in opened(nodes.math("", "d_p"), nodes.Text(" "))
    assert label not in opened(nodes.Text("distance "), nodes.math("", "d_p"))
