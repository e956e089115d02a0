"""The Boltzmann operator against decimals in loops, derivatives as difference quotients, thresholds that are sharp."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from uatbook.kajitsuka2024.boltzmann import concavity_threshold, worst_curvature
from uatbook.kajitsuka2024.boltzmann_gaps import log_separation_bound, separation_bound
from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, Ball
from uatlib.kajitsuka2024 import boltzmann_operator
from uatlib.kajitsuka2024.boltzmann_operator import (
    boltz,
    entropy,
    gradient,
    hessian,
    log_partition,
    monotone_threshold,
)

from ..oracles import EXAMPLES

FINE = BALL.with_bits(400)
ENTRIES = st.fractions(-40, 40, max_denominator=64)
VECTORS = st.lists(ENTRIES, min_size=1, max_size=6)
LENGTHS = [2, 3, 4, 7, 50, 1000]


def decimals(a):
    return [Decimal(Fraction(x).numerator) / Decimal(Fraction(x).denominator) for x in a]


def softmax(a):
    powers = [x.exp() for x in a]
    return [power / sum(powers) for power in powers]


def operator(a):
    return sum(x * p for x, p in zip(a, softmax(a), strict=True))


def near(value, expected, digits=50):
    return abs(Decimal(value.numerator) / Decimal(value.denominator) - expected) < Decimal(10) ** -digits


@pytest.fixture(autouse=True)
def precise():
    with localcontext(prec=120):
        yield


# ---------------------------------------------------------------------------------------------------------- by the sums


@EXAMPLES
@given(VECTORS)
def test_the_operator_is_the_mean_weighted_by_softmax(a):
    with localcontext(prec=120):
        d = decimals(a)
        p = softmax(d)
        assert near(boltz(a, system=FINE).midpoint, operator(d))
        assert near(entropy(a, system=FINE).midpoint, -sum(x * x.ln() for x in p))
        assert near(log_partition(a, system=FINE).midpoint, sum(x.exp() for x in d).ln())
        for function in (boltz, entropy, log_partition):
            assert function(a, system=FINE).radius < Fraction(1, 10**60)
            assert math.isclose(function(a), function(a, system=FINE), rel_tol=1e-12, abs_tol=1e-12)
            assert function(a, system=BALL).contains(function(a, system=FINE))


@EXAMPLES
@given(st.lists(ENTRIES, min_size=1, max_size=5))
def test_derivatives_are_difference_quotients(a):
    """Central quotients with h = 10^-30 are right to h^2 times a third or fourth derivative, which is below 10^4."""
    with localcontext(prec=120):
        d, h, n = decimals(a), Decimal(10) ** -30, len(a)

        def moved(i, j=0, by_i=0, by_j=0):
            return operator([x + (h * by_i if k == i else 0) + (h * by_j if k == j else 0) for k, x in enumerate(d)])

        slope, bend, diagonal = (f(a, system=FINE) for f in (gradient, hessian, boltzmann_operator.second_derivative))
        for i in range(n):
            assert near(slope[i].midpoint, (moved(i, i, 1) - moved(i, i, -1)) / (2 * h))
            for j in range(n):
                corners = moved(i, j, 1, 1) - moved(i, j, 1, -1) - moved(i, j, -1, 1) + moved(i, j, -1, -1)
                assert near(bend[i, j].midpoint, corners / (4 * h * h), 40)
                assert i != j or near(diagonal[i].midpoint, corners / (4 * h * h), 40)


def test_huge_entries():
    assert boltz([1e300, 1e300, -1e300]) == 1e300
    assert boltz([-1e300, 0]) == 0
    assert boltz([10**9, 0], system=BALL).contains(10**9)
    assert (gradient([1e8, 0]) == [1, 0]).all()
    assert log_partition([1e4, 1e4]) == 1e4 + math.log(2)
    assert entropy([0, -100]) == pytest.approx(101 * math.exp(-100), rel=1e-14)
    assert entropy([7e5, 7e5 - 600]) == pytest.approx(601 * math.exp(-600), rel=1e-14)


def test_batches_kinds_and_devices():
    a = np.linspace(-2, 3, 24).reshape(2, 3, 4)
    rows = [[boltz(a[i, j]) for j in range(3)] for i in range(2)]
    assert np.allclose(boltz(a), rows, rtol=1e-15)
    assert boltz(a).shape == (2, 3)
    assert boltzmann_operator.second_derivative(a).shape == (2, 3, 4)
    assert hessian(a).shape == (2, 3, 4, 4)
    assert boltz(a.astype(np.float32)).dtype == np.float32
    assert boltz(torch.tensor(a)).dtype == torch.float64
    assert boltz(torch.tensor(a).float()).dtype == torch.float32
    assert boltz(torch.tensor([[1, 2]])).dtype == torch.float64
    assert boltz(a, system=FLOAT32).dtype == np.float32
    assert isinstance(boltz([1, 2]), float)
    assert isinstance(boltz([Ball(1), 2]), Ball)
    balls = boltz(a.tolist(), system=BALL)
    assert balls.shape == (2, 3)
    assert all(
        ball.contains(value) or abs(float(ball) - value) < 1e-15
        for ball, value in zip(balls.flat, boltz(a).flat, strict=True)
    )


# ---------------------------------------------------------------------------------------------------------------- masks


@EXAMPLES
@given(st.lists(st.tuples(ENTRIES, st.booleans()), min_size=1, max_size=6).filter(lambda a: any(m for _, m in a)))
def test_masked_entries_are_left_out(pairs):
    a, mask = [x for x, _ in pairs], [m for _, m in pairs]
    seen = [x for x, m in pairs if m]
    for system in (FLOAT64, BALL):
        for function in (boltz, entropy, log_partition):
            got, expected = function(a, mask, system=system), function(seen, system=system)
            assert math.isclose(float(got), float(expected), rel_tol=1e-13, abs_tol=1e-13)
        for function in (gradient, boltzmann_operator.second_derivative):
            got = function(a, mask, system=system)
            assert all(float(x) == 0 for x, m in zip(got, mask, strict=True) if not m)
            kept = [float(x) for x, m in zip(got, mask, strict=True) if m]
            assert np.allclose(kept, [float(x) for x in function(seen, system=system)], rtol=1e-12, atol=1e-13)


def test_a_mask_broadcasts_and_huge_masked_entries_do_not_matter():
    a = np.array([[0.0, 1, 1e300], [2, 3, -1e300]])
    mask = np.array([True, True, False])
    assert np.allclose(boltz(a, mask), boltz(a[:, :2]))
    assert torch.allclose(boltz(torch.tensor(a), torch.tensor(mask)), torch.tensor(boltz(a[:, :2])))
    causal = np.tril(np.ones((3, 3), dtype=bool))
    assert np.allclose(boltz([1.0, 2, 4], causal[0]), 1)
    scores = np.tile([1.0, 2, 4], (3, 1))
    assert np.allclose(boltz(scores, causal), [1, boltz([1, 2]), boltz([1, 2, 4])])
    t = torch.tensor([0.0, 1, 5e8], dtype=torch.float64, requires_grad=True)
    boltz(t, mask).backward()
    assert torch.allclose(t.grad, gradient(t.detach(), torch.tensor(mask)), rtol=1e-10, atol=1e-12)
    assert t.grad[2] == 0


# ----------------------------------------------------------------------------------------------------------- thresholds


def slope_sign(a, i):
    value = gradient(a, system=FINE)[i]
    return 1 if value > 0 else -1


def bend_sign(a, i):
    value = boltzmann_operator.second_derivative(a, system=FINE)[i]
    return 1 if value > 0 else -1


@pytest.mark.parametrize("n", LENGTHS)
def test_thresholds_are_printed_and_smaller_when_exact(n):
    assert monotone_threshold(n) == math.log(n) + 1
    assert concavity_threshold(n) == math.log(n) + 3
    assert monotone_threshold(n, exact=True) < monotone_threshold(n)
    assert monotone_threshold(n, exact=True) < concavity_threshold(n, exact=True) < concavity_threshold(n)


@pytest.mark.parametrize("n", LENGTHS)
def test_the_monotone_threshold_is_sharp(n):
    T = Fraction(monotone_threshold(n, exact=True))
    hair = Fraction(1, 10**12)
    assert slope_sign([0] + [-(T - hair)] * (n - 1), 1) > 0
    assert slope_sign([0] + [-(T + hair)] * (n - 1), 1) < 0


@pytest.mark.parametrize("n", LENGTHS[:5])
def test_the_concavity_threshold_is_sharp(n):
    T = Fraction(concavity_threshold(n, exact=True))
    hair = Fraction(1, 10**12)
    x = Fraction(worst_curvature(float(T), n)[1])
    assert bend_sign([0, -(T - hair)] + [x] * (n - 2), 1) > 0
    assert bend_sign([0, -(T + hair)] + [x] * (n - 2), 1) < 0
    # Where the printed threshold begins, the bend is negative with a margin.
    assert bend_sign([0, -Fraction(concavity_threshold(n))] + [x] * (n - 2), 1) < 0


ABOVE = st.lists(st.floats(-30, 0), min_size=0, max_size=8)


@EXAMPLES
@given(ABOVE, st.floats(1e-6, 20))
def test_beyond_the_exact_thresholds_the_signs_hold_whatever_the_others_are(others, beyond):
    n = len(others) + 2
    assert slope_sign([0, *others, -(monotone_threshold(n, exact=True) + beyond)], -1) < 0
    assert bend_sign([0, *others, -(concavity_threshold(n, exact=True) + beyond)], -1) < 0


def test_the_worst_curvature_is_the_largest_over_x():
    for n, t in itertools.product((3, 10, 1000), (2.0, 3.0, 8.0)):
        value, x = worst_curvature(t, n)
        E = math.exp(-t)
        for other in [*np.linspace(-3 * t, 0, 200), *np.linspace(x - 0.1, x + 0.1, 201)]:
            s = (n - 2) * math.exp(other)
            assert 1 - t + E + (1 - t - other) * s + (1 + E + s) ** 2 / (1 - E + s) <= value + 1e-9
        assert -t < x < 1 - t


# ------------------------------------------------------------------------------------------------------------ the bound


def test_the_separation_bound():
    assert math.isclose(separation_bound(3, 2), math.log(3) ** 2 * math.exp(-4), rel_tol=1e-15)
    assert separation_bound(2, 1e5) == 0
    assert math.isclose(log_separation_bound(2, 1e5), 2 * math.log(math.log(2)) - 2e5)


# --------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (monotone_threshold, (1,), "n: expected an int >= 2"),
        (separation_bound, (1, 1), "n: expected an int >= 2"),
        (separation_bound, (2, 0), "r: expected a "),
        (lambda system: boltz([1, 2], system=system), (EXACT,), "cannot run exp"),
        (EXACT.log_sum, ([1, 2],), "cannot run log"),
        (hessian, (np.zeros(30_000),), r"^a: expected at most 10,000,000 entries"),
        (hessian, (np.zeros((100, 1000)),), r"^a: expected at most 10,000,000 entries"),
    ],
)
def test_bad_arguments_are_refused(function, arguments, words):
    with pytest.raises(ValueError, match=words):
        function(*arguments)


@pytest.mark.parametrize(
    ("a", "mask", "words"),
    [
        ([], None, "not empty"),
        (3.0, None, "expected shape"),
        ([1, math.nan], None, "finite"),
        ([1, 2], [True, True, True], "broadcasts"),
        ([1, 2], [1, 0], "booleans"),
        ([1, 2], [False, False], "visible entry in every vector"),
        ([[1, 2], [3, 4]], [[True, True], [False, False]], r"got none in \[1\]"),
    ],
)
def test_bad_input_is_refused(a, mask, words):
    for system in (None, FLOAT64, BALL):
        with pytest.raises(ValueError, match=words):
            boltz(a, mask, system=system)
