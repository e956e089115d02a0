"""Steps, penalties and bumps: the cases of the text at and between breakpoints, and its formulas as printed."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from uatlib.arithmetic import EXACT, FLOAT64
from uatlib.kajitsuka2024.relu_steps import ReluSum, bump, penalty, quantizer, token_layer
from uatlib.model import Transformer

F = Fraction


def relu(t):
    return max(F(0), t)


def points(D, w):
    """Ends and inside of every band and every cell, and far outside."""
    edges = [e for t in range(D + 1) for e in (F(t, D), F(t, D) + w)] + [-w, F(-7), F(10**6)]
    edges = sorted(set(edges))
    return edges + [(a + 2 * b) / 3 for a, b in itertools.pairwise(edges)]


@pytest.mark.parametrize(("D", "w"), [(2, F(1, 4)), (3, F(1, 100)), (7, F(1, 15))])
def test_the_quantizer_and_its_bands(D, w):
    """(57): (t + 1)/D in a cell, linear in its band [t/D, t/D + w), 0 outside, by cases."""
    q = quantizer(D, w)
    assert len(q) == 2 * D + 2
    for z in points(D, w):
        t = math.floor(z * D)
        if z < 0 or z >= 1 + w:
            expected = F(0)
        elif z < 1:
            expected = F(t, D) + min(1, (z - F(t, D)) / w) * F(1, D)
        else:
            expected = 1 - (z - 1) / w
        assert q(z) == expected, z
    assert q(1) == 1


@pytest.mark.parametrize("D", [2, 5])
def test_the_printed_sums_by_their_letters(D):
    """(58), (59), (67) in loops; what they do is not what is claimed."""
    w = F(1, 3 * D)
    for z in points(D, w):
        total = sum((relu(z / w - t / (w * D)) - relu(z / w - 1 - t / (w * D))) / D for t in range(1, D + 1))
        total -= relu(z / w - 1 / w) - relu(z / w - 1 - 1 / w)
        assert quantizer(D, w, printed=True)(z) == total
        total = relu((z - 1) / w) - relu((z - 1) / w - 1) - relu(-z / w) - relu(-z / w - 1)
        assert penalty(w, printed=True)(z) == total
        R, L, f = F(5), F(1, D), F(3)
        total = f * (relu(R * (z - L) - 1) - relu(R * (z - L)) + relu(R * (z - L) + 1))
        assert bump(L, R, height=f, printed=True)(z) == total
    assert quantizer(D, w, printed=True)(F(1, 2 * D)) == 0
    assert (penalty(w, printed=True)(2), penalty(w, printed=True)(-1)) == (1, -2 * 3 * D + 1)
    assert bump(0, 1, printed=True)(10**6) == 10**6


@pytest.mark.parametrize("height", [1, F(7, 2)])
def test_the_penalty_is_0_in_the_interval(height):
    w = F(1, 8)
    f = penalty(w, height=height)
    for z in points(3, w):
        expected = height * -min(1, max(0, (z - 1) / w, -z / w))
        assert f(z) == expected, z


def test_a_penalty_without_bounds_is_the_same_up_to_its_height_and_falls_on():
    w = F(1, 8)
    step, endless = (penalty(w, height=35, bounded=bounded) for bounded in (True, False))
    assert (len(step), len(endless)) == (4, 2)
    for z in points(3, w):
        assert endless(z) == 35 * min(0, z / w, (1 - z) / w)
        assert endless(z) <= step(z)
        assert not -w <= z <= 1 + w or endless(z) == step(z)
    assert (step(1e20), endless(1e20)) == (-35, -35 * 8e20)
    # A layer in floats rounds on the way: the two terms of a bracket are the same number.
    lossy, steady = (Transformer([token_layer([(f, [1], [1])], 1)])([[1e20]], FLOAT64).item() for f in (step, endless))
    assert (lossy, steady) == (0, -35 * 8e20)


@pytest.mark.parametrize(("c", "R", "height"), [(0, 1, 1), (F(1, 3), 10, F(-2, 7)), (-4, F(1, 9), 5)])
def test_a_bump_is_a_hat(c, R, height):
    f = bump(c, R, height=height)
    for z in [c, c + F(1, R), c - F(1, R), c + F(2, R), c - 10**6, c + F(1, 3 * R), c - F(1, 7 * R)]:
        assert f(z) == height * max(0, 1 - abs(z - c) * R)


def test_sums_take_numbers_and_arrays():
    f = bump(F(1, 2), 2) + penalty(1) * 3
    assert isinstance(f, ReluSum)
    assert len(f) == 7
    assert f(F(1, 2)) == 1
    assert isinstance(f(3), Fraction)
    z = np.linspace(-2, 3, 41)
    assert np.allclose(f(z), [float(f(F(u))) for u in z.tolist()], rtol=0, atol=1e-14)
    whole = np.array([[F(1, 2), 3], [-4, 0]], dtype=object)
    assert f(whole).tolist() == [[f(u) for u in row] for row in whole]
    assert isinstance(f(0.5), float)


@pytest.mark.parametrize(
    ("f", "z", "value"),
    [
        (quantizer(4, F(1, 10**30)), 0.3, 0.5),
        (quantizer(4, 1e-17), 0.3, 0.5),
        (quantizer(100, 1e-12), 1.0, 1.0),
        (quantizer(4, F(1, 16)), 1e308, 0.0),
        (quantizer(4, F(1, 16)), -1e308, 0.0),
        (penalty(F(1, 10**30)), 1.5, -1.0),
        (penalty(F(1, 16), height=3), 1e308, -3.0),
        (bump(10**400, 1), 0.3, 0.0),
        (bump(F(1, 3), 10**30), 1 / 3, 0.0),
    ],
)
def test_floats_are_rounded_at_the_end_only(f, z, value):
    """Narrow bands and large numbers, where terms in float64 cancel."""
    assert f(z) == value
    assert isinstance(f(z), float)
    assert f(F(z)) == sum(w * relu(a * F(z) + b) for a, b, w in zip(f.slopes, f.biases, f.weights, strict=True))


def test_floats_beside_large_ints_and_values_beyond_floats():
    assert quantizer(4, F(1, 16))([10**400, 0.1]).tolist() == [0, 0.25]
    assert penalty(F(1, 8), bounded=False)(10**400) == 8 - 8 * 10**400
    with pytest.raises(ValueError, match=r"values: expected a number below 2\^1024"):
        penalty(F(1, 8), bounded=False)(1e308)


def test_a_sum_with_slopes_of_all_signs_by_its_terms():
    f = ReluSum(*(tuple(map(F, row)) for row in ((2, -3, 0, 0, -1, 5), (1, 1, 7, -7, 4, 0), (3, -2, 1, 5, 4, -6))))
    for z in range(-30, 31):
        terms = zip(f.slopes, f.biases, f.weights, strict=True)
        assert f(F(z, 6)) == sum(w * relu(a * F(z, 6) + b) for a, b, w in terms)


def test_the_layer_has_no_skip_connection():
    f, g = bump(1, 2), quantizer(2, F(1, 8))
    layer = Transformer([token_layer([(f, (3, F(-1, 2)), (1, 0)), (g, (0, 1), (F(1, 3), -2))], 2)])
    for x, y in [(F(1, 3), F(1, 5)), (F(-(10**9)), F(3, 4)), (F(2, 5), F(1, 2)), (F(1, 2), F(1))]:
        read = f(3 * x - y / 2)
        assert layer([[x], [y]], EXACT).ravel().tolist() == [read + g(y) / 3, -2 * g(y)]
    want = [float(f(0.9)) + float(g(0.6)) / 3, -2 * float(g(0.6))]
    assert np.allclose(layer([[0.4], [0.6]], FLOAT64).ravel(), want)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: quantizer(1, F(1, 8)), "granularity: expected an int from 2 to 100,000, got 1"),
        (lambda: quantizer(10**6, F(1, 10**7)), "granularity: expected an int from 2 to 100,000, got 1000000"),
        (lambda: quantizer(2, 0), "width: expected a number > 0"),
        (lambda: quantizer(2, F(1, 3)), "half a cell"),
        (lambda: penalty(-1), "width: expected a number > 0"),
        (lambda: penalty(1, height=0), "height: expected a number > 0"),
        (lambda: penalty(1, bounded=False, printed=True), "bounded: expected True with printed=True"),
        (lambda: bump(0, 0), "steepness: expected a number > 0"),
        (lambda: ReluSum((1,), (0, 1), (1,)), "as many slopes as biases and weights"),
    ],
)
def test_bad_numbers_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_sums_of_ints_and_floats_are_exact():
    """The kink -b/a is taken of Fractions: as a float it would be rounded to 2^53."""
    z = 2**53 + Fraction(1, 2)
    assert ReluSum((1,), (-(2**53 + 1),), (1,))(z) == 0
    assert ReluSum((1,), (-(2**53 - 1),), (1,))(z) == Fraction(3, 2)
    assert ReluSum((0.1,), (0,), (np.uint8(200),))(Fraction(np.uint8(200), 7)) == Fraction(0.1) * 200 * Fraction(200, 7)
