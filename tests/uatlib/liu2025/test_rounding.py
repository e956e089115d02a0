"""The head of Theorem 4.1 in floats: the same operations as the literal one, and what may be lost."""

import itertools
import math

import numpy as np
import pytest

from uatbook.liu2025.rounding import (
    UNITS,
    columns_that_matter,
    distance_bound,
    distance_form,
    overflow_precision,
    rounding_bound,
    without_a_shift,
)
from uatlib.arithmetic import BALL, FLOAT32, FLOAT64, distances
from uatlib.liu2025 import grid_centers, parameters_for, self_attention
from uatlib.liu2025.self_attention_layers import apart, self_network

SYSTEMS = {"float32": FLOAT32, "float64": FLOAT64}


def setting(d, n, P, seed=0):
    rng = np.random.default_rng([d, n, P, seed])
    v = grid_centers(P, 1, d * n)
    V = rng.uniform(-0.9, 0.9, (len(v), d, n))
    return v, V, rng.uniform(-1, 1, (6, d, n)).astype(np.float32).astype(float)


def rows(Z):
    return Z.swapaxes(1, 2).reshape(len(Z), -1)


@pytest.mark.parametrize(("d", "n", "P"), [(1, 1, 6), (2, 1, 3), (1, 2, 3), (2, 2, 2), (1, 3, 2)])
def test_it_is_the_literal_network(d, n, P):
    v, V, Z = setting(d, n, P)
    literal = {"literal": self_attention(V, v, n, d, 5, 1), "values": self_network(v, apart(V), 5.0, 0.0)}
    for form, net in literal.items():
        few = columns_that_matter(V, v, n, d, 5, 1, form=form)
        assert few.parameter_count() < net.parameter_count()
        assert float(distances(few(Z, BALL, source=Z), net(Z, BALL)).max()) < 1e-30
        # In floats, too, but for the order of sums.
        for system, (unit, _) in ((SYSTEMS[name], UNITS[name]) for name in UNITS):
            assert np.abs(np.asarray((few(Z, system, source=Z) - net(Z, system)).double())).max() < 200 * unit


@pytest.mark.parametrize("system", UNITS)
@pytest.mark.parametrize(("d", "n", "P"), [(1, 1, 4), (1, 1, 60), (1, 2, 6), (2, 2, 2)])
@pytest.mark.parametrize("sharper", [1, 100])
def test_bounds_of_rounding(system, d, n, P, sharper):
    """Any values, also near B_0, any R above that of the product bound."""
    (unit, _), m = UNITS[system], d * n
    R = sharper * (1 + math.log(2.04 * m)) * P**2
    for seed, sup in itertools.product(range(3), (0.9000001, 1.0, 50.0)):
        v, V, Z = setting(d, n, P, seed)
        net = columns_that_matter(V, v, n, d, R, sup)
        exact, floats = net(Z, BALL, source=Z), np.asarray(net(Z, SYSTEMS[system], source=Z).double())
        assert float(distances(floats, exact).max()) <= rounding_bound(V, 1, R, sup, unit)
        by_distance = distance_form(V, v, rows(Z), R, system)
        assert float(distances(by_distance, exact).max()) <= distance_bound(V, 1, P, R, 0.9, unit)


@pytest.mark.parametrize("system", UNITS)
@pytest.mark.parametrize(("d", "n", "P"), [(1, 1, 5), (1, 2, 4), (2, 2, 2)])
def test_where_exp_overflows(system, d, n, P):
    v, V, _ = setting(d, n, P)
    low, high = overflow_precision(1, P, d * n, UNITS[system][0])
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=d * n)))
    largest = max(math.fsum(a * b - a * a / 2 for a, b in zip(c, z, strict=True)) for c in v for z in corners)
    top = np.finfo(np.float32 if system == "float32" else float).max
    assert high * largest == pytest.approx(math.log(top), rel=1e-6)
    assert low * largest == pytest.approx(math.log(top / len(v)), rel=1e-6)
    kept = without_a_shift(V, v, corners, 0.999 * low, system)
    assert kept == pytest.approx(distance_form(V, v, corners, 0.999 * low, system), abs=1e-4)
    assert np.isnan(without_a_shift(V, v, corners, 1.001 * high, system)).any()


def test_the_loss_is_in_the_values_that_ride():
    """In float32 half of .004 is out of reach of the literal head, but not of a head with its values in W_V."""
    P, R = parameters_for(eps=0.002, lipschitz=1, half_width=1, dim=1)
    v = grid_centers(P, 1, 1)
    V, Z = np.sin(v)[:, :, None], np.linspace(-1, 1, 101).astype(np.float32).astype(float)[:, None, None]
    nets = [columns_that_matter(V, v, 1, 1, R, 1, form=form) for form in ("literal", "values")]
    errors = [np.abs(np.asarray(net(Z, FLOAT32, source=Z).double()) - np.sin(Z)).max() for net in nets]
    assert errors[0] > 0.002 > 2 * errors[1]
