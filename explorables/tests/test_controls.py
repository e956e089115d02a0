"""Controls: what values become, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

from explorables import Control
from explorables.checks import shown
from explorables.controls import as_control


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 4], "slider"),
        (range(3), "slider"),
        (np.linspace(0, 1, 3), "slider"),
        ([Fraction(1, 3), 1, 1.5], "slider"),
        (["softmax", "RBF"], "menu"),
        ([True, False], "checkbox"),
    ],
)
def test_values_decide_the_kind(values, kind):
    assert Control(values).kind == kind


def test_two_values_stand_side_by_side():
    """Numbers or texts, if they are all that is offered; yes or no is a box to tick, and play needs a slider."""
    kinds = {"menu": ["a", "b"], "slider": [1, 2], "checkbox": [False, True]}
    looks = {kind: Control(values).spec("k")["kind"] for kind, values in kinds.items()}
    assert looks == {"menu": "segmented", "slider": "segmented", "checkbox": "checkbox"}
    assert Control(["a", "b", "c"]).spec("k")["kind"] == "menu"
    assert Control([1, 2], play=True).spec("k")["kind"] == "slider"
    finer = Control([1, 2], finer=[1.5])
    assert (finer.spec("k")["kind"], finer.spec("k", static=True)["kind"]) == ("slider", "segmented")


def test_numpy_values_become_pythons_own():
    assert [type(value) for value in Control(np.arange(2)).values] == [int, int]
    assert Control(np.array(["a", "b"])).texts == ["a", "b"]


def test_texts_are_short_or_as_asked():
    assert Control([0.1 + 0.2, 1.0]).texts == ["0.3", "1"]
    assert Control([Fraction(1, 3), 1]).texts == ["1/3", "1"]
    assert Control([0.5, 1], show="{:.2f}").texts == ["0.50", "1.00"]
    assert Control([2, 3], show=lambda k: "ab"[k - 2]).texts == ["a", "b"]


def test_texts_that_would_be_the_same_are_written_in_full():
    assert Control([0.1234567, 0.12345671]).texts == ["0.1234567", "0.12345671"]


def test_huge_numbers_are_numbers():
    control = Control([0.5, 10**400], finer=[10**399])
    assert control.positions == (0.5, 10**399, 10**400)


def test_the_start_is_the_value_itself():
    assert type(Control([1, 2, 3], start=2.0).start) is int
    assert Control([False, True], start=1).start is True


def test_the_first_value_is_shown_first_unless_another_is_named():
    assert Control([3, 4]).start == 3
    assert Control([3, 4], start=4).spec("n")["start"] == 1
    assert Control([True, False]).start is True
    assert Control([True, False]).spec("on")["start"] == 1  # positions of a checkbox are False, True
    assert Control([2, 4], finer=[1, 3], start=4).spec("n")["start"] == 3
    assert Control([2, 4], finer=[1, 3], start=4).spec("n", static=True)["start"] == 1


def test_a_static_page_offers_the_drawn_values_alone():
    control = Control([2, 4, 8], finer=range(2, 11), show="{} cells")
    live, static = control.spec("n"), control.spec("n", static=True)
    assert live["keys"] == [str(k) for k in range(2, 11)]
    assert static["keys"] == ["2", "4", "8"]
    assert static["texts"] == ["2 cells", "4 cells", "8 cells"]
    for values in ([1, 2, 3], [1, 2], ["a", "b"], [False, True]):
        assert Control(values).spec("n") == Control(values).spec("n", static=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": []}, "two values"),
        ({"values": [1]}, "two values"),
        ({"values": [1, 1]}, "all different"),
        ({"values": ["a", "a"]}, "all different"),
        ({"values": [2, 1]}, "increasing"),
        ({"values": [1, 1.0]}, "increasing"),
        ({"values": [1, "a"]}, "only numbers"),
        ({"values": [1, True]}, "only numbers"),
        ({"values": (0, 1, 0.1)}, r"a list of values, in increasing order, got \(0, 1, 0.1\); not \(min, max, step\)"),
        ({"values": [None, 1]}, "only numbers"),
        ({"values": [0, float("nan")]}, "finite"),
        ({"values": [0, float("inf")]}, "finite"),
        ({"values": "softmax"}, "list"),
        ({"values": 3}, "list"),
        ({"values": [1, 2], "start": 3}, "start"),
        ({"values": [1, 2], "start": 1.5, "finer": [1.5]}, r"start to be one of \[1, 2\], got 1.5"),
        ({"values": ["a", "b"], "start": "c"}, "start"),
        ({"values": ["a", "b"], "finer": ["c"]}, "finer"),
        ({"values": [1, 2], "finer": ["c"]}, "finer"),
        ({"values": [False, True], "play": True}, "play"),
        ({"values": [1, 2], "show": 3}, "show"),
        ({"values": [1, 2], "show": "{x}"}, "show to write each value, got KeyError"),
        ({"values": [1, 2], "show": "{} {}"}, "show to write each value, got IndexError"),
        ({"values": [0.5, 2], "show": "{:d}"}, "show to write each value, got ValueError"),
        ({"values": [1, 2], "label": 3}, "label"),
        ({"values": {"a", "b"}}, "list"),
        ({"values": [1, 2], "show": lambda k: k}, "text"),
    ],
)
def test_bad_controls_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Control(**arguments)


def test_errors_show_numbers_as_one_writes_them():
    given = (np.int64(7), np.timedelta64(7, "s"), np.float64(0.5), np.True_, Fraction(1, 3))
    assert [*map(shown, given)] == ["7", "a timedelta64", "0.5", "True", "1/3"]


def test_errors_name_the_argument():
    with pytest.raises(ValueError, match="kernel: values: expected numbers in increasing order, got 2 before 1"):
        as_control([2, 1], "kernel")


@pytest.mark.parametrize("values", [[1, 10**5000], [1, Fraction(10**5000)], [0, Fraction(1, 10**5000)]])
def test_numbers_of_thousands_of_digits_are_refused(values):
    with pytest.raises(ValueError, match="expected finite numbers of at most 4,000 digits"):
        Control(values)
    with pytest.raises(ValueError, match=r"expected start to be one of \[1, 2\]|expected finite"):
        Control([1, 2], start=values[1])
