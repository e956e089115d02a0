"""Checks and certificates: what holds, by how much, and how it is shown."""

from __future__ import annotations

import itertools
import math
import operator
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uatlib.arithmetic import Ball
from uatlib.certificate import Certificate, Check

from .oracles import EXAMPLES

COMPARE = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "==": operator.eq}
THIRD = Fraction(1, 3)


@pytest.mark.parametrize("relation", COMPARE)
@pytest.mark.parametrize(
    ("measured", "bound"),
    [
        *itertools.product([1, 2, 3], [2]),
        *itertools.product([THIRD, Fraction(1, 2), 1], [Fraction(1, 2)]),
        *itertools.product([0.5, 1.0, 1.5], [1]),
        (1 / 3, THIRD),
        (10**400, 10**400 + 1),
        (np.float64(2), 3),
        (np.int64(3), 3),
        (-math.inf, 0),
        (math.inf, math.inf),
        (True, 1),
    ],
)
def test_a_check_holds_if_the_relation_does(measured: object, relation: str, bound: object) -> None:
    assert Check("c", measured, relation, bound).holds is bool(COMPARE[relation](measured, bound))


@EXAMPLES
@given(st.fractions(), st.sampled_from(sorted(COMPARE)), st.fractions())
def test_slack_is_exact_and_its_sign_tells(measured: Fraction, relation: str, bound: Fraction) -> None:
    check = Check("c", measured, relation, bound)
    expected = {"<": bound - measured, ">": measured - bound, "=": -abs(measured - bound)}[relation[0]]
    assert check.slack == expected
    assert isinstance(check.slack, Fraction)
    strict = relation in "<>"
    assert check.holds is (check.slack > 0 if strict else check.slack >= 0)


def test_slack_worked_by_hand() -> None:
    assert Check("c", 3, "<=", 5).slack == 2
    assert Check("c", 3, ">=", 5).slack == -2
    assert Check("c", 3, "==", 5).slack == -2
    assert Check("c", 0.25, "<", 1).slack == 0.75
    assert Check("c", 10**400, "<=", 10**400 + 1).slack == 1


WIDE = Ball(1, Fraction(1, 2))  # [1/2, 3/2], a little wider


@pytest.mark.parametrize(
    ("measured", "relation", "bound", "holds"),
    [
        (WIDE, "<=", 2, True),
        (WIDE, "<", Fraction(7, 4), True),
        (WIDE, "<=", 1, False),  # undecided
        (WIDE, ">=", 1, False),  # undecided
        (WIDE, "<", 1.25, False),  # undecided
        (WIDE, ">", 0, True),
        (WIDE, ">=", 2, False),
        (0, "<", WIDE, True),
        (1, "<=", WIDE, False),  # undecided
        (2, ">", WIDE, True),
        (Ball(0, 1), "<", Ball(3, 1), True),
        (Ball(0, 1), "<=", Ball(1, 1), False),  # undecided
        (Ball(1), "<=", 1, True),
        (Ball(1), "<", 1, False),
        (Ball(1), "==", 1, True),
        (1, "==", Ball(1), True),
        (Ball(1), "==", Ball(1), True),
        (Ball(1), "==", 2, False),
        (WIDE, "==", 1, False),  # undecided
        (WIDE, "==", WIDE, False),  # undecided
    ],
)
def test_balls_hold_only_if_decided(measured: object, relation: str, bound: object, holds: bool) -> None:
    assert Check("c", measured, relation, bound).holds is holds


def test_the_slack_of_balls_is_the_least_that_they_allow() -> None:
    assert Check("c", WIDE, "<=", 2).slack == 2 - WIDE.upper
    assert Check("c", WIDE, ">=", 0).slack == WIDE.lower
    assert Check("c", Ball(0, 1), "<", Ball(5, 1)).slack == Ball(5, 1).lower - Ball(0, 1).upper
    assert Check("c", WIDE, "==", 1).slack == -max(WIDE.upper - 1, 1 - WIDE.lower)
    assert Check("c", WIDE, "==", 10).slack == -(10 - WIDE.lower)


@pytest.mark.parametrize("relation", COMPARE)
@pytest.mark.parametrize("nan", [math.nan, np.float64("nan")])
def test_nan_never_holds(relation: str, nan: float) -> None:
    for measured, bound in ((nan, 1), (1, nan), (nan, nan), (nan, math.inf), (nan, THIRD)):
        check = Check("c", measured, relation, bound)
        assert check.holds is False
        assert str(check).startswith("FAILS")
        assert "fails" in Certificate([check])._repr_html_()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"relation": "!="}, "expected a relation out of <=, <, >=, >, ==, got '!='"),
        ({"relation": "=<"}, "got '=<'"),
        ({"method": "guessed"}, "expected a method out of exhaustive, enclosed, sampled, got 'guessed'"),
        ({"cases": -1}, "expected cases to be an int >= 0, got -1"),
        ({"cases": 1.0}, r"got 1\.0"),
    ],
)
def test_wrong_checks_are_refused(wrong: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Check(**{"name": "c", "measured": 1, "relation": "<=", "bound": 2, **wrong})


# ----------------------------------------------------------------------------------------------- certificates

GOOD = Check("ids are distinct: collisions", 0, "==", 0, cases=1234)
BAD = Check("error below eps", 0.75, "<=", 0.5, witness=[Fraction(1, 2), 3], method="sampled", cases=10)


def test_a_certificate_holds_if_every_check_does() -> None:
    for checks in itertools.product([GOOD, BAD], repeat=3):
        certificate = Certificate(checks)
        assert certificate.holds is (BAD not in checks)
        assert certificate.failures == tuple(c for c in checks if c is BAD)
    undecided = Check("c", WIDE, "<=", 1, method="enclosed")
    assert not Certificate([GOOD, undecided]).holds


def test_a_certificate_of_nothing_is_refused() -> None:
    for empty in ([], (), iter([])):
        with pytest.raises(ValueError, match="at least one check; a certificate of nothing would always hold"):
            Certificate(empty)


def test_checks_are_found_by_the_start_of_their_name() -> None:
    certificate = Certificate([GOOD, BAD])
    assert certificate["error"] is BAD
    assert certificate["ids"] is GOOD
    with pytest.raises(KeyError, match="no check starts with 'below'; there are: ids are distinct"):
        certificate["below"]


def test_a_certificate_keeps_its_own_checks() -> None:
    checks = [GOOD]
    certificate = Certificate(checks)
    checks.append(BAD)
    assert certificate.holds
    with pytest.raises(AttributeError):
        certificate.checks = (BAD,)
    with pytest.raises(AttributeError):
        GOOD.measured = 1


def test_the_text_names_values_verdict_cases_and_witness() -> None:
    text = str(Certificate([GOOD, BAD], title="Lemma 7", parameters={"n": 3, "delta": THIRD}))
    heading, good, bad, witness = text.split("\n")
    assert heading == "Lemma 7 (n = 3, delta = 1/3): FAILS"
    assert good.startswith("  holds  ids are distinct: collisions: 0 == 0  [")
    assert "1,234" in good
    assert bad.startswith("  FAILS  error below eps: 0.75 <= 0.5  [sampled")
    assert witness.strip() == "witness: [1/2, 3]"
    assert str(Certificate([GOOD])).startswith("Certificate: holds\n")
    assert "enclosed" in str(Check("c", 1, "<=", 2, method="enclosed"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-1234567, "-1,234,567"),
        (10**12 - 1, "999,999,999,999"),
        (123456 * 10**20, "1.235e+25"),
        (-(10**400), "-1.000e+400"),
        (10**6000, "1.000e+6000"),
        (Fraction(6, 2), "3"),
        (Fraction(-22, 7), "-22/7"),
        (Fraction(1, 3 * 10**15), "3.333e-16"),
        (Fraction(10**400, 3), "3.333e+399"),
        (1 / 3, "0.3333"),
        (1e300, "1e+300"),
        (math.inf, "inf"),
        (np.float64(0.5), "0.5"),
        (np.int64(1234), "1,234"),
        (np.array([[1, 2]]), "[[1, 2]]"),
        (([1], "a", None), "([1], a, None)"),
        (True, "True"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_numbers_of_any_size_are_shown_shortly(value: object, text: str) -> None:
    text_of = str(Certificate([GOOD], title="T", parameters={"value": value}))
    assert text_of.split("\n")[0] == f"T (value = {text}): holds"


def test_the_html_escapes_what_it_shows() -> None:
    nasty = "<script>alert('&')</script>"
    bad = Check(nasty, 2, "<", 1, witness=nasty)
    page = Certificate([GOOD, bad], title=nasty, parameters={nasty: nasty})._repr_html_()
    assert "<script>" not in page
    assert page.count("&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;") == 5
    assert page.count("<tr>") == 3
    assert (page.count("\u2713 holds"), page.count("\u2717 fails")) == (1, 1)


def test_the_html_shows_measured_bound_slack_and_witness() -> None:
    checks = [Check("c", THIRD, "<=", 1), Check("worse", 2, "<", Fraction(1, 7), witness=(5, 6))]
    page = Certificate(checks)._repr_html_()
    rows = [re.sub(r"<[^>]*>", " ", row).split() for row in page.split("<tr>")[2:]]
    for row, shown in zip(rows, ("c 1/3 1 2/3", "worse 2 1/7 -13/7 (5, 6)"), strict=True):
        assert set(shown.split()) <= set(row)


# -------------------------------------------------------------------------------------------------- the edges


def test_nan_and_infinity_beside_a_ball() -> None:
    for measured, bound, holds in ((math.nan, WIDE, False), (WIDE, math.nan, False), (WIDE, math.inf, True)):
        check = Check("c", measured, "<=", bound)
        assert check.holds is holds
        assert Certificate([check])._repr_html_()


def test_a_float_beside_a_large_rational() -> None:
    check = Check("c", 1.5, "<=", Fraction(10**400))
    assert check.holds
    assert check.slack > 0
    assert "holds" in Certificate([check])._repr_html_()


def test_rationals_of_any_length_are_shown() -> None:
    check = Check("c", Fraction(1, 3**20_000), "<=", Fraction(2, 3**20_000))
    assert "e-9543" in str(check)
    assert "e-9543" in repr(check)
    assert "e-9543" in repr(Certificate([check]))
    assert "e-9543" in Certificate([check])._repr_html_()


@pytest.mark.parametrize("value", ["1", None, 1j, np.array([1, 2])], ids=str)
def test_a_check_of_no_number_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="Check: expected"):
        Check("c", value, "<=", 2)


def test_a_certificate_of_other_things_is_refused() -> None:
    with pytest.raises(ValueError, match="Certificate: expected"):
        Certificate([1])


def test_witnesses_of_any_length_are_shown() -> None:
    for witness in ({"id": 10**5000}, {10**5000}, [[10**5000]], Fraction(1, 10**5000)):
        certificate = Certificate([Check("c", 2, "<=", 1, witness=witness)])
        assert "witness" in str(certificate)
        assert "witness" in certificate._repr_html_()


def test_floats_and_infinities_beside_rationals_compare_exactly() -> None:
    assert Check("c", 5e-324, ">", Fraction(1, 10**400)).slack > 0
    assert not Check("c", np.float32(0.1), "<=", 0.1).holds
    assert Check("c", 10**400, "<=", math.inf).slack == math.inf
    assert Check("c", np.int64(2**62), ">=", np.int64(-(2**62))).slack == 2**63
