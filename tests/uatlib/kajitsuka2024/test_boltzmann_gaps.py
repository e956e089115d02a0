"""Gaps of the Boltzmann operator against decimals of thousands of digits, and the lower bounds on them."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from uatbook.kajitsuka2024.boltzmann_gaps import is_separated, log_gap, log_one_entry_bound, log_pair_bound
from uatlib.arithmetic import BALL, EXACT, Undecided
from uatlib.kajitsuka2024.boltzmann_operator import boltz

from ..oracles import EXAMPLES

ENTRIES = st.fractions(-300, 300, max_denominator=8)
VECTORS = st.lists(ENTRIES, min_size=1, max_size=5)


def decimal_gap(a, b, digits):
    with localcontext(prec=digits) as context:
        context.Emin, context.Emax = -(10**8), 10**8
        values = []
        for vector in (a, b):
            d = [Decimal(x.numerator) / Decimal(x.denominator) for x in map(Fraction, vector)]
            powers = [(x - max(d)).exp() for x in d]
            values.append(sum(x * p for x, p in zip(d, powers, strict=True)) / sum(powers))
        gap = abs(values[0] - values[1])
        return float(gap.ln()) if gap > Decimal(10) ** (20 - digits) else -math.inf


@EXAMPLES
@given(VECTORS, VECTORS)
def test_the_gap_is_that_of_many_digits(a, b):
    expected = decimal_gap(a, b, 700)
    enclosed = log_gap(a, b, BALL)
    assume(expected > -1300 or enclosed == -math.inf)
    if expected == -math.inf:
        assert enclosed == -math.inf
        return
    assert math.isclose(enclosed, expected, rel_tol=1e-12, abs_tol=1e-12)
    assert enclosed.radius < Fraction(1, 10**20)
    assert math.isclose(log_gap(a, b), expected, rel_tol=1e-9, abs_tol=1e-9)


def test_at_the_scale_of_theorem_2():
    """Tokens 1 to 4 and the scale 1079: query 4, contexts {1, 4} and {2, 4}."""
    a, b = [4 * 1079, 16 * 1079], [8 * 1079, 16 * 1079]
    with flint.ctx.workprec(60_000):
        values = []
        for u, v in (a, b):
            p, q = flint.arb(u - 17264).exp(), flint.arb(v - 17264).exp()
            values.append((u * p + v * q) / (p + q))
        expected = float(abs(values[0] - values[1]).log())
    assert -9000 < expected < -8000
    assert math.isclose(log_gap(a, b), expected, rel_tol=1e-14)
    assert math.isclose(log_gap(a, b, BALL), expected, rel_tol=1e-14)
    assert boltz(a) == boltz(b)


def test_equal_values_and_cancelling_terms():
    assert log_gap(np.array([1.0, 2]), np.array([2, 1])) == -math.inf
    assert log_gap([1, 2], [2, 1], BALL) == -math.inf
    assert log_gap([1, 1, 2, 2], [1, 2]) == -math.inf
    assert log_gap([3], [3, 3, 3], BALL) == -math.inf
    # a falls first and rises then, so its value comes back near (0, -1.2784...) and (0, -10).
    a, b = [0, Fraction(-1, 10**9)], [0, Fraction(0)]
    assert math.isclose(log_gap(a, b), math.log(0.5e-9), rel_tol=1e-6)
    # A float collision of n = 2: x / (1 + e^x) takes one value at x = 1 and at another place.
    low, high = 1.2784645, 20.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle / (1 + math.exp(middle)) > 1 / (1 + math.e) else (low, middle)
    with pytest.raises(Undecided, match="use BALL"):
        log_gap([0, -1], [0, -low])
    assert -50 < float(log_gap([0, -1], [0, -low], BALL)) < -30


@EXAMPLES
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=4), st.lists(st.integers(-4, 4), min_size=1, max_size=4))
def test_rational_vectors_collide_only_in_equal_proportions(a, b):
    same = set(a) == set(b) and all(a.count(x) * len(b) == b.count(x) * len(a) for x in a)
    assert (log_gap(a, b, BALL) == -math.inf) == same


# --------------------------------------------------------------------------------------------------------------- bounds


def separated(draw, n, delta):
    """Two decreasing vectors of values of one row with steps beyond delta."""
    steps = draw(st.lists(st.fractions(Fraction(1, 1000), 6, max_denominator=1000), min_size=2 * n, max_size=2 * n))
    row = list(itertools.accumulate(delta + s for s in steps))
    pick = st.lists(st.sampled_from(row), min_size=n, max_size=n, unique=True)
    return sorted(draw(pick), reverse=True), sorted(draw(pick), reverse=True)


@EXAMPLES
@given(st.data(), st.integers(2, 6))
def test_lemma_7_by_its_formula(data, n):
    a, b = separated(data.draw, n, Fraction(2 * math.log(n) + 3) + Fraction(1, 10**9))
    assume(a != b)
    k = next(i for i in range(n) if a[i] != b[i])
    bound = 2 * math.log(math.log(n)) - float(max(a[0], b[0]) - min(a[k], b[k]))
    assert math.isclose(log_pair_bound(a, b), bound, rel_tol=1e-13)
    assert math.isclose(log_pair_bound(b[::-1], a), bound, rel_tol=1e-13)
    assert is_separated([a, b], 2 * math.log(n) + 3)
    assert log_gap(a, b, BALL) > bound


@EXAMPLES
@given(st.data(), st.integers(2, 6), st.integers(1, 6), st.integers(1, 6))
def test_masked_pairs(data, n, p, q):
    """Visible parts of n tokens, of lengths p and q, prefixes among them."""
    delta = Fraction(2 * math.log(n) + 3) + Fraction(1, 10**9)
    a, b = separated(data.draw, n, delta)
    a, b = a[: min(p, n)], (a if data.draw(st.booleans()) else b)[: min(q, n)]
    assume(a != b)
    assert log_gap(a, b, BALL) > log_pair_bound(a, b, n=n)


def test_the_prefix_case_by_hand():
    assert math.isclose(log_pair_bound([30, 20, 3], [30, 20], delta=9), math.log(4.5) - 27)
    assert math.isclose(log_pair_bound([20, 30], [30, 3, 20]), math.log(math.log(3) + 1.5) - 27)
    # The first formula would have said nothing: its exponent is -inf.
    assert log_gap([30, 20, 3], [30, 20]) > math.log(4.5) - 27


@EXAMPLES
@given(
    st.lists(st.fractions(-9, 0, max_denominator=50), min_size=1, max_size=5),
    st.fractions(Fraction(1, 100), 5, max_denominator=100),
    st.fractions(Fraction(1, 100), 5, max_denominator=100),
)
def test_lemma_6_by_its_formula(common, beyond, step):
    n = len(common) + 1
    delta = Fraction(math.log(n) + 3) + Fraction(1, 10**6)
    x = max(common) - delta - beyond
    y = x - step
    with localcontext(prec=60):
        d = [Decimal(v.numerator) / Decimal(v.denominator) for v in [*common, y]]
        share = float(d[-1].exp() / sum(v.exp() for v in d))
    bound = math.log(float(step) * (float(delta + step) - math.log(n) - 1) * share)
    assert math.isclose(log_one_entry_bound(common, x, y, delta), bound, rel_tol=1e-9, abs_tol=1e-9)
    assert log_gap([*common, x], [*common, y], BALL) > bound
    assert boltz([*common, y], system=BALL) > boltz([*common, x], system=BALL)


def test_is_separated():
    assert is_separated([[20, 10], [10, 0]], 9)
    assert not is_separated([[20, 10], [10, 0]], 10)
    assert not is_separated([[20, 10], [10.5, 0]], 9)
    assert not is_separated([[20, 20], [10, 0]], 9)


LEAST = Fraction(1, 2**1074)
SMALL = Fraction(math.exp(-500)) * 500


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0, -744.4], [Fraction(1, 10**400), -745.1]),
        ([0], [3 * LEAST / 2]),
        ([0], [5 * LEAST]),
        ([0, -740], [0, -743.5]),
        ([0, -500], [Fraction(1, 2**730), -500.5]),
        *(([0, -500], [SMALL * (Fraction(k, 7 * 10**11) - 1), Fraction(-3000)]) for k in range(-4, 5)),
    ],
    ids=str,
)
def test_floats_promise_six_digits_or_are_undecided(a, b):
    """Near the smallest floats, where e^x has few digits; with a step of 10^-220 the large terms cancel to nothing.

    Last, a has its gap to b at e^{-500}: b's first entry is moved until it almost makes up for that.
    """
    enclosed = log_gap(a, b, BALL)
    try:
        got = log_gap(a, b)
    except Undecided:
        got = float(enclosed)
    assert abs(got - float(enclosed)) < 1e-6
    assert decimal_gap(a, b, 900) == pytest.approx(float(enclosed), abs=1e-9)
    with pytest.raises(Undecided, match="near the smallest floats; use BALL"):
        log_gap([0], [LEAST])


def test_steps_below_every_float_have_a_bound():
    tiny = Fraction(1, 10**400)
    bound = log_one_entry_bound([0], -10 - tiny, -10 - 2 * tiny, 5)
    expected = -400 * math.log(10) + math.log(5 - math.log(2) - 1) - 10
    assert math.isclose(bound, expected, rel_tol=1e-6)


# --------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: log_gap([10**400], [1]), r"a\[0\]: expected at most 2\^1000"),
        (lambda: log_gap(range(2000), range(1, 2001)), "product of at most 250,000"),
        (lambda: log_one_entry_bound([10**400], 1, 0, 5), r"common\[0\]: expected at most"),
        (lambda: log_one_entry_bound([0], -9, -10, 10**400), "delta.*expected at most"),
        (lambda: log_pair_bound([0, -10], [0], delta=10**400), r"delta: expected 0 or a size from 2\^-1000"),
        (lambda: log_pair_bound([0, -10], [0], delta=0), "delta: expected a number > 0"),
        (lambda: log_pair_bound([0, 0], [0, 0, 0]), "no entry occurs twice"),
        (lambda: is_separated([3], 4), "vector of numbers"),
        (lambda: log_gap([], [1, 2]), "^a"),
        (lambda: log_gap([1], [2], EXACT), "expected FLOAT64 or BALL"),
        (lambda: log_pair_bound([1], [2]), "n: expected an int >= 2"),
        (lambda: log_pair_bound([1, 2], [2, 1]), "twice the same entries"),
        (lambda: log_one_entry_bound([0], -3, -5, 4), "expected max"),
        (lambda: log_one_entry_bound([0], -5, -5, 4), "expected max"),
        (lambda: log_one_entry_bound([0], -9, -10, 3.5), "expected max"),
    ],
)
def test_bad_numbers_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
