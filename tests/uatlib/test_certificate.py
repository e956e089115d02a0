"""Checks and certificates: what holds, by how much, and how it is shown."""

from __future__ import annotations

import html
import itertools
import math
import operator
import re
from fractions import Fraction
from typing import Any

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


WIDE = Ball(1, Fraction(1, 2))  # [1/2, 3/2], a little wider


@pytest.mark.parametrize(
    ("measured", "relation", "bound", "verdict"),
    [
        (WIDE, "<=", 2, "holds"),
        (WIDE, "<", Fraction(7, 4), "holds"),
        (WIDE, "<=", 1, "undecided"),
        (WIDE, ">=", 1, "undecided"),
        (WIDE, "<", 1.25, "undecided"),
        (WIDE, ">", 0, "holds"),
        (WIDE, ">=", 2, "fails"),
        (WIDE, "<=", Fraction(1, 4), "fails"),
        (0, "<", WIDE, "holds"),
        (1, "<=", WIDE, "undecided"),
        (2, ">", WIDE, "holds"),
        (Ball(0, 1), "<", Ball(3, 1), "holds"),
        (Ball(0, 1), "<=", Ball(1, 1), "undecided"),
        (Ball(1), "<=", 1, "holds"),
        (Ball(1), "<", 1, "fails"),
        (Ball(1), "==", 1, "holds"),
        (1, "==", Ball(1), "holds"),
        (Ball(1), "==", Ball(1), "holds"),
        (Ball(1), "==", 2, "fails"),
        (WIDE, "==", 1, "undecided"),
        (WIDE, "==", 3, "fails"),
        (WIDE, "==", WIDE, "undecided"),
    ],
)
def test_balls_hold_or_fail_only_if_decided(measured: object, relation: str, bound: object, verdict: str) -> None:
    check = Check("c", measured, relation, bound, witness="w")
    assert check.outcome == verdict
    assert check.holds is (verdict == "holds")
    assert str(check).startswith({"holds": "holds", "fails": "FAILS", "undecided": "undecided"}[verdict])
    assert ("witness: w" in str(check)) == (verdict != "holds")
    assert f'class="{verdict}"' in Certificate([check])._repr_html_()


@pytest.mark.parametrize(
    ("values", "relation", "bound", "place"),
    [
        ([3, 1, 2], "<=", 2, 0),
        ([3, 1, 2], ">", 2, 1),
        ([3, 1, 2], "==", 2.0, 0),
        ([2, 2, 4], "==", 3, 0),
        ([Fraction(1, 3), Fraction(2, 3)], "<", 1, 1),
        ([Ball(1), WIDE, Ball(2)], "<", 3, 2),
        ([Ball(1), WIDE, Ball(2)], ">=", 0, 1),
        ([Ball(1), WIDE], "==", Ball(1), 1),
        ([1.0, float("nan"), 5.0], "<=", 2, 1),
        ([1.0, float("nan"), -5.0], ">=", 2, 1),
        ([1.0, float("-inf"), 5.0], "==", 2, 1),
        ([True, False], "<", 1, 0),
    ],
)
def test_the_worst_of_many_values_is_checked(values: list[Any], relation: str, bound: Any, place: int) -> None:
    """In a list, and where they are numbers in an array of floats; the case is the one at that place."""
    check = Check.worst("c", values, relation, bound, lambda k: {"k": k}, "sampled")
    assert (check.measured is values[place], check.witness, check.cases) == (True, {"k": place}, len(values))
    assert check.method == "sampled"
    assert Check.worst("c", values, relation, bound, range(9)[: len(values)]).witness == place
    assert Check.worst("c", values, relation, bound, cases=9).cases == 9
    if not isinstance(values[0], Ball):
        grid = np.array(values + values, dtype=float).reshape(2, -1)
        check = Check.worst("c", grid, relation, bound, lambda i, k: (i, k))
        assert (type(check.measured), check.witness, check.cases) == (float, (0, place), 2 * len(values))
        exact = np.array(values + values, dtype=object).reshape(2, -1)
        assert Check.worst("c", exact, relation, bound, lambda i, k: (i, k)).witness == (0, place)


@pytest.mark.parametrize(
    ("values", "bound", "words"),
    [
        ([], 1, "values: expected at least one number"),
        (np.zeros((2, 0)), 1, "values: expected at least one number"),
        ("12", 1, "values: expected numbers or balls, got '12'"),
        ([1, "2"], 1, "values: expected an int, Fraction, float or Ball, got '2'"),
        ([1, 2], "3", "bound: expected an int, Fraction, float or Ball, got '3'"),
        (3, 1, "values: expected numbers or balls"),
    ],
)
def test_what_has_no_worst_is_refused(values: Any, bound: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Check.worst("c", values, "<=", bound)


def test_no_case_is_bad() -> None:
    """In a boolean array, by its places; or in a list of the bad cases."""
    bad = np.array([[False, False], [True, True]])
    check = Check.none("c", bad, lambda i, k: {"i": i, "k": k}, "sampled")
    assert (check.measured, check.relation, check.bound) == (2, "==", 0)
    assert (check.witness, check.method, check.cases) == ({"i": 1, "k": 0}, "sampled", 4)
    assert Check.none("c", bad & False, lambda i, k: {"i": i}).witness is None
    assert Check.none("c", bad, cases=3).cases == 3
    check = Check.none("c", ["x", "y"], cases=7)
    assert (check.measured, check.witness, check.cases) == (2, "x", 7)
    assert Check.none("c", ["x", "y"], str.upper).witness == "X"
    assert Check.none("c", []).holds
    for wrong in (np.array([1, 0]), 3, "ab"):
        with pytest.raises(ValueError, match="bad: expected a boolean array, or a list of cases"):
            Check.none("c", wrong)


def test_a_witness_is_data_and_its_text_exact() -> None:
    X = np.array([[Fraction(1, 3), Fraction(8713, 250000)]], dtype=object)
    witness = {"X": X, "v": X[0], "token": 3, "f(X)": 0.123456789, "id": 10**15 + 1, "at": (Fraction(1, 2), "all")}
    text = "X = [[1/3, 8713/250000]], v = (1/3, 8713/250000), token = 3, f(X) = 0.123457, id = 1000000000000001"
    check = Check("c", 2, "<", 1, witness)
    assert str(check).endswith(f"witness: {text}, at = (1/2, all)")
    assert check.witness["X"] is X
    # Fractions of very many digits are rounded.
    long = Fraction(10**30 + 1, 3 * 10**30)
    assert str(Check("c", 2, "<", 1, {"x": long})).endswith("witness: x = 0.333333")


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
        ({"relation": "!="}, "^relation: expected .*, got '!='"),
        ({"relation": "=<"}, "got '=<'"),
        ({"method": "guessed"}, "^method: expected .*, got 'guessed'"),
        ({"cases": -1}, "^cases: expected an int >= 0, got -1"),
        ({"cases": 1.0}, r"got 1\.0"),
        *(({"measured": wrong}, "^measured: expected") for wrong in ("1", None, 1j, np.array([1, 2]))),
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
    for bad, verdict in ((0, "undecided"), (1, "fails")):
        certificate = Certificate([GOOD, undecided, *[BAD] * bad])
        assert (certificate.holds, certificate.outcome) == (False, verdict)
        assert certificate.failures == (BAD,) * bad
        heading = "FAILS" if bad else "undecided"
        assert str(certificate).splitlines()[0].endswith(heading)
        assert ("1 of 2 checks is undecided" in certificate._repr_html_()) == (not bad)


def test_a_certificate_of_nothing_is_refused() -> None:
    for empty in ([], (), iter([])):
        with pytest.raises(ValueError, match=r"at least one Check, got .*; a certificate of nothing would always hold"):
            Certificate(empty)
    with pytest.raises(ValueError, match=r"^checks: expected"):
        Certificate([1])


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
    assert "<script" not in page
    # Name and witness in the line and in the row; title and parameter in the line and in the caption.
    assert page.count("&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;") == 4 + 6
    assert page.count('<tr role="row">') == 3
    assert (page.count("\u2713\u00a0holds"), page.count("\u2717\u00a0fails")) == (1, 1)


ROW = re.compile(r'<tr role="row">(.*?)</tr>')
POWER = re.compile(r"(\u00b7?)10<sup>(\u2212?\d+)</sup>")


def plain(page: str) -> str:
    """What the HTML says, in ASCII: powers of ten as e, and no tags."""
    powers = POWER.sub(lambda power: f"{'' if power[1] else 1}e{power[2]}", page)
    text = html.unescape(re.sub(r"<[^>]*>", "", powers))
    for sign, letters in (("\u2212", "-"), ("\u2264", "<="), ("\u2265", ">="), ("\u00a0", " ")):
        text = text.replace(sign, letters)
    return text


def summary(certificate: Certificate) -> str:
    return plain(certificate._repr_html_().split("<summary>")[1].split("</summary>")[0].replace("<br>", " / "))


def rows(certificate: Certificate) -> list[list[str]]:
    """The cells of each row: verdict, claim, measured, bound, slack, cases."""
    found = ROW.findall(certificate._repr_html_())[1:]
    return [[plain(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)] for row in found]


def numbers(cell: str) -> list[Fraction]:
    """The numbers of a cell, exactly as they are written; a power behind an interval belongs to both ends."""
    _, power, factor = cell.partition("]e")
    scale = Fraction(10) ** int(factor) if power else 1
    inside = cell.split("]")[0].lstrip("<>=[ ")
    return [Fraction(number.strip().replace(",", "")) * scale for number in inside.split(", ")]


def test_the_html_shows_measured_bound_slack_and_witness() -> None:
    checks = [Check("c", THIRD, "<=", 1), Check("worse", 2, "<", Fraction(1, 7), witness=(5, 6))]
    good, worse = rows(Certificate(checks))
    assert good == ["\u2713 holds", "c", "1/3", "<= 1", "2/3", "counted"]
    assert worse == ["\u2717 fails", "worsewitness: (5, 6)", "2", "< 1/7", "-13/7", "counted"]


@pytest.mark.parametrize(
    ("checks", "line"),
    [
        ([GOOD], "\u2713 1 check holds: exhaustive (1,234 cases)"),
        ([GOOD, GOOD], "\u2713 2 checks hold: all exhaustive (1,234 cases)"),
        (
            [GOOD, Check("m", 1, "<", 2), Check("e", 1, "<", 2, method="enclosed"), Check("x", 1, "<", 2, cases=7)],
            "\u2713 4 checks hold: 2 exhaustive (7 to 1,234 cases), 1 counted, 1 enclosed",
        ),
        ([GOOD, Check("s", 1, "<", 2, method="sampled")], "1 exhaustive (1,234 cases), 1 sampled (1 case)"),
        ([BAD], "\u2717 The check fails"),
        ([GOOD, BAD], "\u2717 1 of 2 checks fails"),
        ([BAD, GOOD, BAD], "\u2717 2 of 3 checks fail"),
    ],
)
def test_the_line_says_how_much_was_looked_at(checks: list[Check], line: str) -> None:
    assert line in summary(Certificate(checks))


def test_the_line_of_a_failure_names_the_check_and_its_witness_with_the_numbers_of_its_row() -> None:
    certificate = Certificate([Check("c", Fraction(459, 32), "<=", 0), Check("float", 0.3, "<", 1)])
    assert "measured 14.34, claimed <= 0" in summary(certificate)
    assert rows(certificate)[0][2] == "14.34"
    line = summary(Certificate([GOOD, BAD, GOOD]))
    assert line.endswith("Certificate / error below \u03b5: measured 0.75, claimed <= 0.5; witness: [1/2, 3]")


@pytest.mark.parametrize(
    ("title", "line", "caption"),
    [
        ("Network of Theorem 2", "Network of Theorem 2, N = 3", "Network of Theorem 2 (N = 3, d = 1)"),
        ("", "Certificate, N = 3", "Certificate (N = 3, d = 1)"),
    ],
)
def test_titles_are_readable(title: str, line: str, caption: str) -> None:
    certificate = Certificate([GOOD], title, {"inverse_delta": 3, "d": 1})
    assert line in summary(certificate)
    assert caption in plain(certificate._repr_html_().split("<caption>")[1].split("</caption>")[0])


# ------------------------------------------------------------------------------------------ numbers in the HTML

SIZES = st.fractions(min_value=-(10**6), max_value=10**6).map(lambda q: q * Fraction(10) ** (q.denominator % 31 - 20))


@EXAMPLES
@given(SIZES, st.fractions(min_value=0, max_value=1, max_denominator=10**9))
def test_enclosures_are_rounded_outward(midpoint: Fraction, share: Fraction) -> None:
    ball = Ball(midpoint, abs(midpoint) * share / 10**6)
    (row,) = rows(Certificate([Check("c", ball, "<", 10**40, method="enclosed")]))
    shown = numbers(row[2])
    assert shown[0] <= ball.lower
    assert ball.upper <= shown[-1]
    for end, near in ((ball.lower, shown[0]), (ball.upper, shown[-1])):
        assert abs(end - near) <= abs(end) / 1000


def test_an_enclosure_with_ends_worked_by_hand() -> None:
    ball = Ball(Fraction(-158249483, 10**18), Fraction(1, 10**18))
    (row,) = rows(Certificate([Check("c", ball, "<", 0, method="enclosed")]))
    assert row[2:4] == ["[-1.583, -1.582]e-10", "< 0"]
    (row,) = rows(Certificate([Check("c", Ball(0, Fraction(1, 3)), "<", Ball(Fraction(1, 2)), method="enclosed")]))
    assert row[2:4] == ["[-0.3334, 0.3334]", "< 0.5"]


@EXAMPLES
@given(SIZES, st.sampled_from(["<=", "<", ">=", ">"]), SIZES)
def test_numbers_are_rounded_against_the_verdict(measured: Fraction, relation: str, bound: Fraction) -> None:
    """So a row that shows its relation to hold, with slack, is right, and a failure looks no worse than it is."""
    check = Check("c", measured, relation, bound)
    (row,) = rows(Certificate([check, Check("long", Fraction(1, 1009), "<", 1)]))[:1]
    (shown,), (limit,), (slack,) = numbers(row[2]), numbers(row[3]), numbers(row[4])
    # A failure by less than twelve digits show is rounded against the claim, or it would look like none.
    is_close = abs(measured - bound) <= abs(measured) / 10**11
    if check.holds or not is_close:
        up = (relation in ("<=", "<")) is check.holds
        assert (measured <= shown) if up else (shown <= measured)
        assert (limit <= bound) if up else (bound <= limit)
    assert (slack <= check.slack) if check.holds else (check.slack <= slack)
    assert abs(shown - measured) <= abs(measured) / 1000
    # The row shows the relation to hold just where it does, unless that takes more than twelve digits.
    assert COMPARE[relation](shown, limit) is check.holds or (check.holds and is_close)


def test_a_failure_looks_no_worse_than_it_is() -> None:
    """Rounded against the claim it would read -15,028 > -15,026, whole numbers that are 2 apart."""
    checks = [Check("c", -15027.93, ">", -15026.71), Check("float", 0.5, "<", 1)]
    assert rows(Certificate(checks))[0][2:5] == ["-15,027.9", "> -15,026.8", "-1.22"]
    # By less than twelve digits show: the shown numbers fail all the same.
    least = Check("c", 1 + Fraction(1, 10**20), "<=", 1)
    assert rows(Certificate([least, checks[1]]))[0][2:4] == ["1.00000000001", "<= 1"]


@pytest.mark.parametrize(
    ("checks", "column"),
    [
        ([(Fraction(15, 8), 3), (Fraction(5, 8), 3), (2, 3)], ["15/8", "5/8", "2"]),
        ([(Fraction(15, 8), 3), (Fraction(5, 8), 0.7), (2, 3)], ["1.875", "0.625", "2"]),
        ([(Fraction(10201, 10000), 3), (Fraction(1, 8), 1)], ["1.021", "0.125"]),
        ([(0.1, 1), (1234567, 10**7), (15026.7, 10**5)], ["0.1", "1,234,567", "15,027"]),
        ([(math.inf, 1), (math.nan, 1)], ["\u221e", "nan"]),
        ([(1.23456e-7, 1), (10**15 + 1, 10**16)], ["1.235e-7", "1.001e15"]),
    ],
)
def test_numbers_of_one_kind_have_one_format(checks: list[tuple], column: list[str]) -> None:
    assert [row[2] for row in rows(Certificate([Check("c", m, "<=", b) for m, b in checks]))] == column


@pytest.mark.parametrize(
    ("check", "shown"),
    [
        (Check("c", -15026.7, ">", -15026.2), ["-15,026.7", "> -15,026.2"]),
        (Check("c", 18.0643, ">", 18.0641), ["18.0643", "> 18.0641"]),
        (Check("c", 0.12345678, "<", 0.12345679), ["0.12345678", "< 0.12345679"]),
        (Check("c", 0.12345678, "==", 0.12345679), ["0.12345678", "= 0.12345679"]),
        (Check("c", 10**9 + 1, "<=", 10**9), ["1,000,000,001", "<= 1,000,000,000"]),
    ],
    ids=str,
)
def test_more_digits_where_rounding_would_hide_the_verdict(check: Check, shown: list[str]) -> None:
    assert rows(Certificate([check, Check("float", 0.5, "<", 1)]))[0][2:4] == shown


# -------------------------------------------------------------------------------------------------- the edges


def test_nan_and_infinity_beside_a_ball() -> None:
    for measured, bound, holds in ((math.nan, WIDE, False), (WIDE, math.nan, False), (WIDE, math.inf, True)):
        check = Check("c", measured, "<=", bound)
        assert check.holds is holds
        assert Certificate([check])._repr_html_()


def test_rationals_of_any_length_are_shown() -> None:
    check = Check("c", Fraction(1, 3**20_000), "<=", Fraction(2, 3**20_000))
    assert "e-9543" in str(check)
    assert "e-9543" in repr(check)
    assert "e-9543" in repr(Certificate([check]))
    assert "10<sup>\u22129543</sup>" in Certificate([check])._repr_html_()


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
