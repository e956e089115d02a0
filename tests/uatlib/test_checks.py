"""The parsers of arguments: what each takes, what it gives, and the words of its refusals."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from uatlib import checks
from uatlib.checks import shown


class Shy:
    """An object whose repr raises, and that is no number."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


ENDLESS: list = []
ENDLESS.append(ENDLESS)
HUGE = 10**5000
FOREIGN = [None, "1", b"1", Shy(), Shy, ENDLESS, {}, (), [1], Decimal(1), 1j, True, np.True_, math.nan, math.inf]
FOREIGN += [np.array(1), torch.tensor(1), np.longdouble(1), object(), iter([1]), np.float32("inf")]

NUMBERS = {
    "whole": lambda value: checks.whole("size", value, 1, 10),
    "rational": lambda value: checks.rational("size", value),
    "positive": lambda value: checks.positive("size", value),
    "finite": lambda value: checks.finite("size", value),
    "exponent": lambda value: checks.exponent("size", value, sup=False),
    "seed": lambda value: checks.seed(value, "size"),
}


@pytest.mark.parametrize("value", FOREIGN, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("parse", NUMBERS.values(), ids=NUMBERS)
def test_what_is_no_number_is_refused_with_its_name(parse, value):
    with pytest.raises(ValueError, match=r"^size: expected .*, got ") as caught:
        parse(value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint8, np.uint64])
def test_whole_numbers_of_numpy_are_whole_numbers(kind):
    for parse in NUMBERS.values():
        assert parse(kind(3)) == 3
    assert type(checks.whole("size", kind(3), 1)) is int
    assert type(checks.rational("size", kind(3)).numerator) is int


@pytest.mark.parametrize("value", [2.0, np.float64(2), Fraction(2), 0, 11, -HUGE, HUGE], ids=shown)
def test_whole_refuses_floats_fractions_and_what_is_out_of_its_range(value):
    with pytest.raises(ValueError, match=r"^size: expected an int from 1 to 10, got .*; it is the size\.$") as caught:
        checks.whole("size", value, 1, 10, "it is the size")
    assert len(str(caught.value)) < 150


def test_floats_stand_for_their_exact_values():
    tenth = Fraction(3602879701896397, 36028797018963968)
    assert checks.rational("u", 0.1) == tenth
    assert checks.rationals("u", [[0.1, 1]], ndim=2).tolist() == [[tenth, 1]]
    half = checks.rational("u", np.float32(0.5), 0, 1)
    assert (type(half), half) == (Fraction, Fraction(1, 2))
    assert checks.rational("u", Fraction(np.uint8(200), np.uint8(100))) * 200 == 400


def test_rationals_have_bounds_and_a_length():
    for value in (-1, Fraction(3, 2), HUGE**100):
        with pytest.raises(ValueError, match=r"^u: expected .*, got "):
            checks.rational("u", value, 0, 1)
    for value in (0, -1, Fraction(3, 2), Fraction(1, 2 ** (10**6))):
        with pytest.raises(ValueError, match=r"^u: expected .*, got "):
            checks.positive("u", value, most=1)
    assert checks.positive("u", 1, most=1) == 1


def test_finite_is_what_floats_hold():
    assert checks.finite("u", Fraction(1, 3)) == 1 / 3
    assert checks.finite("u", 0, 0) == 0
    for value in (2**1001, Fraction(1, 2**1001), 5e-324):
        with pytest.raises(ValueError, match=r"which floats hold, got .*; take another unit"):
            checks.finite("u", value)
    with pytest.raises(ValueError, match=r"^u: expected a number >= 0, got -1"):
        checks.finite("u", -1, 0)


def test_the_sup_norm_is_an_exponent_where_it_is_asked_for():
    assert checks.exponent("p", math.inf) == checks.exponent("p", np.float32("inf")) == math.inf
    assert checks.exponent("p", Fraction(3, 2), sup=False) == 1.5
    for value in (0, 0.5, -math.inf, math.nan, 10**400):
        with pytest.raises(ValueError, match=r"^p: expected 1 <= p <= inf, got "):
            checks.exponent("p", value)


def test_a_choice_is_one_of_its_options():
    assert checks.choice("mode", "b", ("a", "b")) == "b"
    for value in ("c", None, ["a"], Shy(), np.array(["a", "b"])):
        with pytest.raises(ValueError, match=r'^mode: expected "a" or "b", got '):
            checks.choice("mode", value, ("a", "b"))
    with pytest.raises(ValueError, match=r"^mode: expected 1, 2 or None, got True"):
        checks.choice("mode", True, (1, 2, None))


def test_flags_texts_and_functions():
    assert checks.flag("on", np.True_) is True
    assert checks.text("id", "x") == "x"
    assert checks.function("f", abs) is abs
    for parse in (checks.flag, checks.text, checks.function):
        for value in (1, None, Shy(), Shy):
            with pytest.raises(ValueError, match=r"^name: expected .*, got "):
                parse("name", value)
    with pytest.raises(ValueError, match="expected a string"):
        checks.text("id", "x" * 10**6)


def test_objects_are_named_by_their_class():
    assert checks.instance("u", Fraction(1), Fraction) == 1
    assert checks.items("u", iter([1, 2]), int) == (1, 2)
    with pytest.raises(ValueError, match=r"^u: expected a Fraction, got a Shy; make one\.$"):
        checks.instance("u", Shy(), Fraction, "make one")
    for value in (None, 3, "ab", [Shy()], [], itertools.count(), np.array(1), torch.tensor(1)):
        with pytest.raises(ValueError, match=r"^u: expected .*, got "):
            checks.items("u", value, str)


def test_a_domain_has_two_ends():
    assert checks.domain("domain", [0, Fraction(1, 2)]) == (0, Fraction(1, 2))
    low, high = checks.domain("domain", np.array([-100, 100], dtype=np.int8))
    assert high - low == 200
    for value in (None, (0,), (1, 0), (0, math.nan), (0, 10**400), (0, True), "01", {0: 1, 1: 2}, np.eye(2), Shy()):
        with pytest.raises(ValueError, match=r"^domain: expected .*, got "):
            checks.domain("domain", value)


def test_either_of_two_is_given():
    checks.either(error=None, width=1)
    for error, width, words in ((None, None, "none"), (1, 2, "both")):
        with pytest.raises(ValueError, match=f"^error: expected either error or width, got {words}"):
            checks.either(error=error, width=width)


def test_room_is_refused_before_it_is_taken():
    checks.room("X", 10, 2, 3)
    for count in (2**27, 10**30, HUGE):
        with pytest.raises(ValueError, match=r"^X: expected at most 134,217,728 numbers at once, got .* of 1 x 2"):
            checks.room("X", count, 1, 2)


@pytest.mark.parametrize("X", [[[1, 2]], np.ones((3, 1, 2)), torch.ones(1, 2), np.array([[Fraction(1, 2), 0.5]])])
def test_sequences_are_arrays_of_numbers(X):
    array = checks.sequences("X", X, 1, 2)
    assert array.shape == np.shape(X)
    assert array.tolist() == (X if isinstance(X, list) else X.tolist())


@pytest.mark.parametrize(
    "X",
    [
        *FOREIGN,
        [[1], [1, 2]],
        [[1, math.nan]],
        np.array([[1, math.inf]]),
        np.zeros((1, 0)),
        np.zeros((2, 1)),
        [[True, False]],
        np.ma.masked_array([[1, 2]], mask=[[True, False]]),
        [np.ma.masked_array([1, 2], mask=[True, False])],
        torch.eye(2).to_sparse(),
        np.array([[1j, 2]]),
        [["1", "2"]],
        [ENDLESS, ENDLESS],
        np.broadcast_to(0, (10**6, 10**6, 1, 2)),
        torch.zeros(1).expand(10**6, 10**6, 1, 2),
        [[1, Shy()]],
    ],
    ids=lambda X: type(X).__name__,
)
def test_what_is_no_batch_of_sequences_is_refused(X):
    with pytest.raises(ValueError, match=r"^X(\[\d, \d\])?: expected .*, got ") as caught:
        checks.sequences("X", X, 1, 2)
    assert len(str(caught.value)) < 300


def test_a_list_that_holds_itself_many_times_is_refused_at_once():
    endless: list = []
    endless.extend([endless] * 20)
    with pytest.raises(ValueError, match="nested without end"):
        checks.sequences("X", endless)


def test_permutations_are_lists_of_places():
    assert checks.permutations("P", [[1, 0], np.array([0, 1]), (0, np.int64(1))], 2) == [(1, 0), (0, 1), (0, 1)]
    assert checks.permutations("P", [], 2) == []
    for value in (None, "01", [0, 1], [[0, 0]], [[0]], [[0, 2]], [[0, 1.0]], [[True, False]], [None], [Shy()]):
        with pytest.raises(ValueError, match=r"^P: expected .*, got "):
            checks.permutations("P", value, 2)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (np.int64(3), "3"),
        (Fraction(3, 2), "3/2"),
        (HUGE, "1.000e+5000"),
        (2 ** (10**7), "about 2^10000000"),
        ("a", "'a'"),
        (None, "None"),
        (Shy(), "a Shy"),
        (Shy, "the class Shy"),
        (ENDLESS, "[[[[...]]]]"),
        (np.zeros((2, 3)), "an array of float64, shape (2, 3)"),
        (torch.zeros(2), "a tensor of torch.float32, shape (2,)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_came_is_shown_in_short(value, text):
    assert checks.shown(value) == text
