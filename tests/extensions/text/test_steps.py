"""What a student is told after each line of a proof."""

import pytest

from _ext.text.lines import Told, apart, line_html, once, same_but_for_names, turn
from _ext.text.steps import title_node


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("forall x : R, 0 <= x", "forall y : R, 0 <= y", True),
        ("exists (e : nat) (A : 'M_e), P A", "exists (e0 : nat) (A0 : 'M_e0), P A0", True),
        ("forall x y : R, x <= y", "forall x y : R, y <= x", False),
        ("0 <= x", "0 <= y", False),
        ("forall x, x <= a", "forall x, x <= x", False),
    ],
)
def test_goals_that_differ_in_names_alone_are_the_same(one, other, same):
    assert same_but_for_names(one, other) == same


def test_a_name_is_a_link_once_in_a_fold():
    assert [once({"softmax": "#word"}.get)(name) for name in ("softmax", "sum")] == ["#word", None]
    place = once({"softmax": "#word"}.get)
    assert [place("softmax"), place("softmax")] == ["#word", None]


def test_a_line_says_what_it_did_to_the_number_of_goals():
    assert "Two things" in turn(1, 2)
    assert "Three things" in turn(2, 4)
    assert "That is shown" in turn(2, 1)
    assert turn(2, 2) == ""


def test_what_has_been_told_is_not_told_again_but_a_goal_that_comes_back_is_written_out():
    told = Told()
    lines = [["a.", ["h : 0 < x"], "A", 1], ["b.", ["h : 0 < x"], "B", 2], ["c.", [], "A", 1], ["d.", [], None, 0]]
    first, second, third, last = (line_html(line, lambda _: None, told, "yun2020/lemma_10.v") for line in lines)
    assert "<li>" in first
    assert "<li>" not in second
    assert "To show, as before</strong> <i>A</i>" in third
    assert "Done." in last


@pytest.mark.parametrize(
    ("said", "rest", "facts"),
    [
        ("1. A width. [w]: it is small. [nets]: for each w, e.g. 1, a net. Then on.", "1. A width. Then on.",
         {"w": "it is small.", "nets": "for each w, e.g. 1, a net."}),
        ("2. By [rest], in [0, 1].", "2. By [rest], in [0, 1].", {}),
        ("3. [good]: off the bands it is near [f X]; and so on", "3. Off the bands it is near [f X]; and so on",
         {"good": "off the bands it is near [f X]; and so on"}),
        ("2. A promise, [good]: it is near. [any]: or 0.", "2. A promise, [good]: it is near.",
         {"good": "it is near.", "any": "or 0."}),
    ],
)  # fmt: skip
def test_what_a_step_says_of_a_fact_is_taken_out_of_its_sentence(said, rest, facts):
    assert apart(said) == (rest, facts)


def lines_of(*steps):
    """What is shown of the last line of steps, each of which says facts in English, and has lines."""
    told = Told("steps-a", frozenset({"rest", "w"}))
    for facts, lines in steps:
        told.begin(facts)
        *_, shown = [line_html(line, lambda _: None, told, "yun2020/lemma_10.v") for line in lines]
    return shown


NEW = ["have rest := a.", ["rest : forall x : R, 0 <= x -> x <= f x + g x + h x + k x + l x + m x"], "A", 1]


def test_a_fact_said_in_english_has_it_at_its_entry_and_where_a_later_step_calls_it():
    first = lines_of(({"rest": "for every bound."}, [NEW]))
    assert '<li id="steps-a-rest"><details><summary><strong>New</strong> <code>rest</code>: for every bound.<' in first
    again = ["apply: rest.", [], "B", 1]
    assert "By" not in lines_of(({"rest": "for every bound."}, [NEW, again]))
    later = lines_of(({"rest": "for every bound."}, [NEW]), ({}, [again]))
    assert '<a href="#steps-a-rest"><code>rest</code></a>: for every bound.' in later
    assert "By" not in lines_of(({"rest": "for every bound."}, [NEW]), ({}, [again, again]))


def test_another_fact_of_the_same_name_is_not_said_to_be_the_first():
    other = ["have rest := b.", ["rest : 0 < w"], "A", 1]
    told = lines_of(({"rest": "for every bound."}, [NEW]), ({}, [other]), ({}, [["apply: rest.", [], "B", 1]]))
    assert "for every bound" not in told


def test_a_line_says_in_english_what_the_lemma_says_that_it_calls():
    shown = lines_of(({}, [["apply: reach_le.", [], "A", 1]]))
    assert '<p class="by"><strong>By</strong> <a href="lemmas-yun2020.html#lemma-lemma-10-reach-le">' in shown


def test_a_letter_with_an_index_is_one_in_a_heading():
    assert str(title_node("Theorem 2, in the distance d_p")) == (
        "<title>Theorem 2, in the distance <emphasis>d</emphasis><subscript>p</subscript></title>"
    )
