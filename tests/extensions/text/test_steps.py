"""What a student is told after each line of a proof."""

import pytest

from _ext.text.steps import Told, line_html, once, same_but_for_names, turn


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
    first, second, third, last = (line_html(line, lambda _: None, told) for line in lines)
    assert "<li>" in first
    assert "<li>" not in second
    assert "To show, as before</strong> <i>A</i>" in third
    assert "Done." in last
