"""Statements that the text names: whose they are, and when nobody can tell."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "_ext"))

from uat_references import KEY, mentions, places, source_of  # noqa: E402

YUN, KAJ, LIU, CHENG = "yun2020", "kajitsuka2024", "liu2025", "cheng2025"


def said(text, own):
    return [(source, name) for _, _, source, name in mentions(text, own)]


@pytest.mark.parametrize(
    ("text", "own", "found"),
    [
        # Alone: the source of the page.
        ("By Lemma 8 the ids differ.", YUN, [(YUN, "Lemma 8")]),
        ("Lemmas 2 and 3 of the paper", KAJ, [(KAJ, "Lemma 2"), (KAJ, "Lemma 3")]),
        ("Lemmas 1, 2 and 3 hold", CHENG, [(CHENG, "Lemma 1"), (CHENG, "Lemma 2"), (CHENG, "Lemma 3")]),
        ("Corollary 4.1.1 and Definition 3.1.", LIU, [(LIU, "Corollary 4.1.1"), (LIU, "Definition 3.1")]),
        ("The proof of Definition E.1's second part", YUN, [(YUN, "Definition E.1")]),
        ("Theorem 4.1.", LIU, [(LIU, "Theorem 4.1")]),
        ("So Theorem 2 holds.", YUN, [(YUN, "Theorem 2")]),
        ("In 2020 Theorem 2 was new.", YUN, [(YUN, "Theorem 2")]),
        # A source beside it.
        ("Theorem 2 of Yun et al. [2020] is deep.", KAJ, [(YUN, "Theorem 2")]),
        ("Theorem 2 of Yun et al. is deep.", "", [(YUN, "Theorem 2")]),
        ("Theorem 2 (Kajitsuka and Sato, 2024)", YUN, [(KAJ, "Theorem 2")]),
        ("Kajitsuka and Sato's Theorem 2", YUN, [(KAJ, "Theorem 2")]),
        ("Cheng et al. [2025], Theorem 1", LIU, [(CHENG, "Theorem 1")]),
        ("Liu et al. 2025, Proposition 3.2, says", CHENG, [(LIU, "Proposition 3.2")]),
        # Nobody can tell.
        ("Theorem 2 holds.", "", []),
        ("Yun et al. need many layers. Here Theorem 2 needs one.", KAJ, []),
        ("Their Theorem 2", YUN, []),
        ("Lemma 13 of Park et al. [2021]", KAJ, []),
        ("Theorem 1 of Vardi says so", KAJ, []),
        ("Lemma 8 in the slides", YUN, [("so2020slides", "Lemma 8")]),  # which the book has nowhere: no link
        ("the slides' Lemma 3", YUN, []),
        ("Theorem 2 of the first part", CHENG, []),
        ("Lemmas 4 to 7", KAJ, []),
        ("Lemma 8-like", YUN, []),
        ("Theorem of choice, Lemma x", YUN, []),
    ],
)
def test_whose_statement_is_named(text, own, found):
    assert said(text, own) == found


def test_of_two_numbers_each_is_a_link():
    text = "see Lemmas 2 and 3."
    assert [text[start:end] for start, end, _, _ in mentions(text, KAJ)] == ["Lemmas 2", "3"]


@pytest.mark.parametrize(
    ("page", "source"),
    [
        ("chapters/yun-softmax", YUN),
        ("library/more-kajitsuka", KAJ),
        ("library/kajitsuka2024", KAJ),
        ("chapters/start", ""),
        ("library/errata", ""),
    ],
)
def test_a_page_belongs_to_a_source(page, source):
    assert source_of(page) == source


def test_a_statement_is_where_its_chapter_has_its_box_else_in_the_index():
    boxes = {
        "chapters/start": [(YUN, "Theorem 2", "thm-first")],
        "chapters/yun-theorem-2": [(YUN, "Theorem 2", "thm-2"), (YUN, "Theorem 2", "again")],
        "library/statements": [],
    }
    env = SimpleNamespace(found_docs=set(boxes), metadata={page: {KEY: found} for page, found in boxes.items()})
    found = places(env)
    assert found[YUN, "Theorem 2"] == ("chapters/yun-theorem-2", "thm-2")
    assert found[YUN, "Lemma 8"] == ("library/statements", "yun2020-lem-8")
    env.found_docs = {"chapters/start"}
    assert places(env) == {(YUN, "Theorem 2"): ("chapters/start", "thm-first")}
