"""The Boltzmann operator against decimals in loops, derivatives as difference quotients, thresholds that are sharp."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import flint
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, INT64, Ball
from uatlib.kajitsuka2024 import boltzmann
from uatlib.kajitsuka2024.boltzmann import (
    boltz,
    concavity_threshold,
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

        slope, bend, diagonal = (f(a, system=FINE) for f in (gradient, hessian, boltzmann.second_derivative))
        for i in range(n):
            assert near(slope[i].midpoint, (moved(i, i, 1) - moved(i, i, -1)) / (2 * h))
            for j in range(n):
                corners = moved(i, j, 1, 1) - moved(i, j, 1, -1) - moved(i, j, -1, 1) + moved(i, j, -1, -1)
                assert near(bend[i, j].midpoint, corners / (4 * h * h), 40)
                assert i != j or near(diagonal[i].midpoint, corners / (4 * h * h), 40)


@EXAMPLES
@given(VECTORS)
def test_the_gradient_is_the_one_of_the_source_and_of_torch(a):
    """p_i (1 + log p_i + S(p)), eq. (83); it sums to 1, and rows of the Hessian to 0."""
    with localcontext(prec=120):
        p = softmax(decimals(a))
        S = -sum(x * x.ln() for x in p)
        for value, x in zip(gradient(a, system=FINE), p, strict=True):
            assert near(value.midpoint, x * (1 + x.ln() + S))
    t = torch.tensor([float(x) for x in a], dtype=torch.float64, requires_grad=True)
    boltz(t).backward()
    assert torch.allclose(t.grad, gradient(t.detach()), rtol=1e-10, atol=1e-12)
    assert abs(gradient(a).sum() - 1) < 1e-12
    assert abs(hessian(a).sum(-1)).max() < 1e-10


def test_by_hand():
    """(0, log 2) has the weights 1/3 and 2/3."""
    log2 = math.log(2)
    assert math.isclose(boltz([0, log2]), 2 / 3 * log2)
    assert np.allclose(gradient([0, log2]), [(1 - 2 / 3 * log2) / 3, 2 / 3 * (1 + log2 / 3)], rtol=1e-15)
    assert boltz([5]) == 5
    assert gradient([5]) == 1
    assert math.isclose(entropy([0, log2]), math.log(3) - 2 / 3 * log2)
    assert math.isclose(log_partition([0, log2]), math.log(3))
    assert hessian([5]) == boltzmann.second_derivative([5]) == 0


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
    assert boltzmann.second_derivative(a).shape == (2, 3, 4)
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
        for function in (gradient, boltzmann.second_derivative):
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
    assert torch.isfinite(t.grad).all()
    assert t.grad[2] == 0


# ----------------------------------------------------------------------------------------------------------- thresholds


def slope_sign(a, i):
    value = gradient(a, system=FINE)[i]
    return 1 if value > 0 else -1


def bend_sign(a, i):
    value = boltzmann.second_derivative(a, system=FINE)[i]
    return 1 if value > 0 else -1


@pytest.mark.parametrize("n", LENGTHS)
def test_thresholds_are_printed_and_smaller_when_exact(n):
    assert monotone_threshold(n) == math.log(n) + 1
    assert concavity_threshold(n) == math.log(n) + 3
    assert monotone_threshold(n, exact=True) < monotone_threshold(n)
    assert monotone_threshold(n, exact=True) < concavity_threshold(n, exact=True) < concavity_threshold(n)


def test_thresholds_of_two_entries():
    assert round(monotone_threshold(2, exact=True), 4) == 1.2785
    assert round(concavity_threshold(2, exact=True), 4) == 2.3994
    # n = 2: the derivative vanishes where t - 1 = e^{-t}.
    t = monotone_threshold(2, exact=True)
    assert math.isclose(t - 1, math.exp(-t), rel_tol=1e-14)


@pytest.mark.parametrize("n", [*LENGTHS, 10**9])
def test_the_exact_monotone_threshold_is_the_lambert_function(n):
    """W(x) e^{W(x)} = x for x = (n - 1)/e, by bisection in decimals of 50 digits."""
    with localcontext(prec=50):
        x = Decimal(n - 1) / Decimal(1).exp()
        low, high = Decimal(0), Decimal(100)
        for _ in range(150):
            middle = (low + high) / 2
            low, high = (middle, high) if middle * middle.exp() < x else (low, middle)
        assert monotone_threshold(n, exact=True) == float(1 + low)


@pytest.mark.parametrize("n", LENGTHS[:5])
def test_the_monotone_threshold_is_sharp(n):
    T = Fraction(monotone_threshold(n, exact=True))
    hair = Fraction(1, 10**12)
    assert slope_sign([0] + [-(T - hair)] * (n - 1), 1) > 0
    assert slope_sign([0] + [-(T + hair)] * (n - 1), 1) < 0


@pytest.mark.parametrize("n", LENGTHS[:5])
def test_the_concavity_threshold_is_sharp(n):
    T = Fraction(concavity_threshold(n, exact=True))
    hair = Fraction(1, 10**12)
    x = Fraction(boltzmann.worst_curvature(float(T), n)[1])
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


@pytest.mark.parametrize("n", [3, 4, 6])
def test_no_entries_of_a_lattice_bend_the_operator_up_beyond_the_threshold(n):
    """All choices of the others from a lattice, which contains values near the worst; and at least one does before."""
    T = concavity_threshold(n, exact=True)
    worst = boltzmann.worst_curvature(T, n)[1]
    levels = sorted({worst, worst - 0.1, worst + 0.1, 0.0, -T, *np.linspace(-8, 0, 6).tolist()})
    rows = np.array([[0, *x] for x in itertools.combinations_with_replacement(levels, n - 2)])

    def bends(t):
        return boltzmann.second_derivative(np.column_stack([rows, np.full(len(rows), -t)]))[:, -1]

    assert (bends(T + 1e-7) < 0).all()
    assert (bends(T - 1e-7) > 0).any()


def certainly_negative(low, high, t, m, depth=0):
    """Whether J(t, x) < 0 for all x of [low, high], by interval arithmetic on halved intervals; y = e^x is at hand."""
    middle, radius = (low + high) / 2, (high - low) / 2
    x = flint.arb(middle, radius)
    E = (-t).exp()
    centre = flint.arb(middle)

    def J(x):
        s = m * x.exp()
        return 1 - t + E + (1 - t - x) * s + (1 + E + s) ** 2 / (1 - E + s)

    # The mean value form: J(x) lies in J(centre) + J'(x) (x - centre).
    s = m * x.exp()
    slope = s * (1 - t - x - (2 * E / (1 - E + s)) ** 2)
    if J(x) < 0 or J(centre) + slope * (x - centre) < 0:
        return True
    if depth > 40:
        return False
    return certainly_negative(low, middle, t, m, depth + 1) and certainly_negative(middle, high, t, m, depth + 1)


@pytest.mark.parametrize("n", [3, 5, 20, 300])
def test_the_concavity_threshold_by_intervals(n):
    """A proof for this n: just above T the form is negative for every x from -60 to 0; further down s < 10^-23."""
    with flint.ctx.workprec(100):
        T = concavity_threshold(n, exact=True)
        assert certainly_negative(-60.0, 0.0, flint.arb(T + 1e-6), n - 2)
        assert not certainly_negative(-60.0, 0.0, flint.arb(T - 1e-6), n - 2)
        # For x < -60, J - J(s = 0) <= (1 - t - x) s + s (1 + 2E / (1 - E))^2 and J(s = 0) is far below 0.
        t = T + 1e-6
        E = math.exp(-t)
        assert 1 - t + E + (1 + E) ** 2 / (1 - E) + (n - 2) * math.exp(-60) * (60 + 4) < -1e-3


def test_the_worst_curvature_is_the_largest_over_x():
    for n, t in itertools.product((3, 10, 1000), (2.0, 3.0, 8.0)):
        value, x = boltzmann.worst_curvature(t, n)
        E = math.exp(-t)
        for other in np.linspace(-3 * t, 0, 200):
            s = (n - 2) * math.exp(other)
            assert 1 - t + E + (1 - t - other) * s + (1 + E + s) ** 2 / (1 - E + s) <= value + 1e-9
        assert -t < x < 1 - t


# ------------------------------------------------------------------------------------------------------------ the bound


def test_the_separation_bound():
    assert math.isclose(boltzmann.separation_bound(3, 2), math.log(3) ** 2 * math.exp(-4), rel_tol=1e-15)
    assert boltzmann.separation_bound(2, 1e5) == 0
    assert math.isclose(boltzmann.log_separation_bound(2, 1e5), 2 * math.log(math.log(2)) - 2e5)


# --------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "function",
    [monotone_threshold, concavity_threshold, lambda n: boltzmann.separation_bound(n, 1)],
    ids=["monotone", "concavity", "separation"],
)
@pytest.mark.parametrize("n", [1, 0, -3, 2.0, True, None, "3"], ids=repr)
def test_lengths_are_checked(function, n):
    with pytest.raises(ValueError, match="n: expected an int >= 2"):
        function(n)


@pytest.mark.parametrize("r", [0, -1, math.inf, math.nan, 10**400, None, "3", [1], 1j, True], ids=repr)
def test_the_radius_is_checked(r):
    with pytest.raises(ValueError, match="r: expected a "):
        boltzmann.separation_bound(2, r)


@pytest.mark.parametrize(
    ("a", "mask", "words"),
    [
        ([], None, "not empty"),
        (3.0, None, "expected shape"),
        ([1, math.nan], None, "finite"),
        ([1, math.inf], None, "finite"),
        (["1"], None, "a.0.: .*'1'"),
        ([[1, 2], [3]], None, "a.0.: .*[1, 2]"),
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


def test_other_systems_devices_and_sizes_are_refused():
    for system in ("FLOAT64", 64, torch.float64):
        with pytest.raises(ValueError, match="system: expected an Arithmetic"):
            boltz([1, 2], system=system)
    with pytest.raises(ValueError, match=r"^a: expected a dense tensor .* without numbers"):
        boltz(torch.zeros(3, device="meta"))


@pytest.mark.parametrize("system", [EXACT, INT64], ids=repr)
def test_rational_systems_have_no_exp(system):
    with pytest.raises(ValueError, match="cannot run exp"):
        boltz([1, 2], system=system)
    with pytest.raises(ValueError, match="cannot run log"):
        system.log_sum(system.array([1, 2]))


def test_a_hessian_that_does_not_fit_is_refused():
    for a in (np.zeros(30_000), np.zeros((100, 1000))):
        with pytest.raises(ValueError, match=r"^a: expected at most 10,000,000 entries"):
            hessian(a)
