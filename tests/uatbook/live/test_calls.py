"""Called values move tokens as the layers do, in any order; how few calls suffice is found by trying the layers."""

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest

from uatbook.live import Calls
from uatlib.arithmetic import EXACT
from uatlib.model import Transformer
from uatlib.yun2020.shift_layers import selective_shift_layer

from .drawn import elements

PICTURE = Calls(5, 3, goals={"apart": "Make all ten ids differ."})
ROWS = [*itertools.combinations(range(5), 3)]


def ids_by_layers(calls: tuple[int, ...], D: int = 5, rows=ROWS) -> list[int]:
    """The largest number of each sequence, in units of delta, after one literal layer a call."""
    layers = [selective_shift_layer(value, D, 1) for value in calls]
    X = [[[Fraction(t, D) for t in row]] for row in rows]
    Z = Transformer(layers, n=len(rows[0]))(X, EXACT) if layers else X
    return [int(D * max(z[0])) for z in Z]


def ids_drawn(picture: Calls, calls: tuple[int, ...]) -> list[int]:
    said = [one["said"] for one in elements(picture, "text", calls=" ".join(map(str, calls))) if "font-weight" in one]
    return [int(text.removeprefix("= ")) for text in said]


def test_ids_are_those_of_one_layer_a_call():
    rng = np.random.default_rng(0)
    drawn = [(), (0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (1, 1), (0, 9), *(tuple(rng.integers(0, 12, 6)) for _ in range(6))]
    for calls in drawn:
        expected = ids_by_layers(calls)
        assert ids_drawn(PICTURE, calls) == expected
        frame = PICTURE.frame(calls=", ".join(map(str, calls)))
        assert [int(id) for id in re.findall(r"id (\d+)", frame.alt)] == expected
        differ = len({*expected})
        assert (f"all {differ} ids differ" if differ == 10 else f"{differ} different ids for 10") in frame.text
        for pair in re.findall(r"(\d \d \d) and (\d \d \d) share", frame.text):
            one, two = (ROWS.index(tuple(map(int, row.split()))) for row in pair)
            assert one != two
            assert expected[one] == expected[two]
        assert ("share" in frame.text) == (differ < 10)


def test_two_calls_are_enough_and_none_is_too_many():
    wins = [calls for calls in itertools.product(range(5), repeat=2) if len({*ids_by_layers(calls)}) == 10]
    assert wins == [(1, 3), (3, 1)]
    assert all(len({*ids_by_layers((value,))}) < 10 for value in range(5))
    for D, n in ((3, 2), (4, 2), (4, 3)):
        rows, picture = [*itertools.combinations(range(D), n)], Calls(D, n, goals={"apart": "Make all ids differ."})
        solved = False
        for k in range(4):
            for calls in itertools.product(range(D), repeat=k):
                apart = len({*ids_by_layers(calls, D, rows)}) == len(rows)
                shown = picture.frame(calls=" ".join(map(str, calls)))
                assert shown.goals[0][0] == (apart and not solved)
            solved = solved or any(
                len({*ids_by_layers(calls, D, rows)}) == len(rows) for calls in itertools.product(range(D), repeat=k)
            )


def test_the_goal_counts_the_calls():
    for calls, reached, sentence in (
        ("1 3", True, ""),
        ("3 1", True, ""),
        ("0 1 2 3 4", False, "all differ, but fewer than 5 calls can do that"),
        ("1", False, "some sequences share an id"),
    ):
        assert PICTURE.frame(calls=calls).goals == [[reached, sentence]]


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ("1 x", "expected whole numbers from 0 to 999, such as 0 4, got x"),
        ("-1", "expected whole numbers from 0 to 999, such as 0 4, got -1"),
        ("1.5", "got 1.5"),
        ("1000", "got 1000"),
        ("1 1 1 1 1 1 1 1 1", "expected at most 8 calls, got 9"),
    ],
)
def test_calls_that_are_none_are_refused(calls, message):
    for ask in (lambda: PICTURE.frame(calls=calls), lambda: Calls(5, 3, calls)):
        with pytest.raises(ValueError, match=re.escape(message)):
            ask()


@pytest.mark.parametrize(("D", "n"), [(2, 2), (7, 3), (5, 1), (5, 5), (5.0, 3), (True, 2)])
def test_numbers_that_are_none_are_refused(D, n):
    with pytest.raises(ValueError, match=r"^(D|n): expected an int from"):
        Calls(D, n)
