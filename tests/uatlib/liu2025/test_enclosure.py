"""Enclosures of the error on a whole set beside dense samples, and what a certificate says where they do not do."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from uatlib.liu2025 import build, certify, enclosure
from uatlib.liu2025.enclosure import TooMany, enclosed_error
from uatlib.liu2025.settled import lebesgue, nodes
from uatlib.targets import Target

from .oracles import smoothed

WHOLE = "d_inf(f, g-bar) on the whole set"


def nearness(**more):
    """1 - |q - k|/2 of a query and a key."""
    sizes = {"n_source": 1, "d_source": 1}
    return Target(lambda q, k: 1 - abs(q - k) / 2, 1, 1, domain=(-1, 1), lipschitz=1, bound=1, **sizes, **more)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_never_below_a_dense_sample(seed):
    """Centres anywhere, kinks anywhere, a set of boxes anywhere, also far from 0; few centres near a box, or all."""
    rng = np.random.default_rng(seed)
    m, G, scale = 1 + seed % 2, int(rng.integers(1, 40)), 10.0 ** rng.integers(-2, 3)
    middle, R = rng.choice([0.0, 1e3 * scale]), 10.0 ** rng.uniform(-1, 4) / scale**2
    v = middle + scale * rng.uniform(-1, 1, (G, m))
    kinks, slopes = middle + scale * rng.uniform(-1, 1, (3, m)), rng.uniform(-1, 1, 3)

    def f(z):
        away = np.abs(z[:, None] - kinks).max(axis=2)
        return (away @ slopes / np.abs(slopes).sum())[:, None] + 7

    V = f(v) + scale * rng.uniform(-0.1, 0.1, (G, 1))
    half = scale / 4
    boxes = middle + half * np.array(list(itertools.product((-3, -1, 1, 3), repeat=m)))
    found = enclosed_error(f, v, V, R, boxes, half, lambda r: r, 0.2 * scale)
    Z = boxes[rng.integers(len(boxes), size=300)] + rng.uniform(-half, half, (300, m))
    errors = [abs(smoothed(z, v, V[:, 0], R) - y) for z, y in zip(Z, f(Z)[:, 0], strict=True)]
    at = abs(smoothed(found.lower_at, v, V[:, 0], R) - f(found.lower_at[None])[0, 0])
    assert max(errors) <= found.upper
    assert found.lower <= at <= found.lower * (1 + 1e-6) + 1e-9 * scale


def test_many_cells_are_enclosed():
    """Where only centres near a box are looked at, ten times as many fit."""
    made = certify(build(nearness(), inverse_delta=19, kind="cross", form="smoother"), literal=2, samples=100)
    assert made.holds
    assert made[WHOLE].method == "enclosed"
    assert made[WHOLE].measured.upper < made[WHOLE].bound


def test_boxes_that_run_out_refute_nothing(monkeypatch):
    """The network is right; the bound is not yet good enough when the work ends. The worst boxes come first."""
    built = build(nearness(), inverse_delta=4, kind="cross", form="smoother")
    uppers = []
    for work in (12_000, 60_000, 10**6):
        monkeypatch.setattr(enclosure, "WORK", work)
        monkeypatch.setattr(enclosure, "NEEDED", 1)
        made = certify(built, literal=2, samples=100)
        assert not made.failures
        uppers.append(made[WHOLE].measured.upper)
        if work < 10**6:
            assert made.outcome == made[WHOLE].outcome == "undecided"
            assert "undecided after" in made[WHOLE].witness
            assert made[WHOLE].measured.lower <= 0.125  # what is seen, which alone may fail
    assert made.holds
    assert uppers == sorted(uppers, reverse=True)
    monkeypatch.setattr(enclosure, "WORK", 100)
    made = certify(built, literal=2, samples=100)
    assert made.outcome == made[WHOLE].outcome == "undecided"
    assert made[WHOLE].witness == "not enclosed: 64 boxes beside 64 centres; the limit is 100 pairs"


def test_a_point_that_is_visited_does_refute():
    """Cells in another order: far off, at the centres of boxes, too."""
    built = build(nearness(), inverse_delta=4, kind="cross", form="smoother")
    turned = dataclasses.replace(built.shortcut, values=np.roll(built.shortcut.values, 32, axis=0))
    check = certify(dataclasses.replace(built, shortcut=turned), literal=2, samples=100)[WHOLE]
    assert check.outcome == "fails"
    assert check.witness.startswith("at least at Z_K = [[")
    assert ", Z_Q = [[" in check.witness


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_where_it_is_seen(wrong):
    """At the centre of a box, where no sample falls and no value is taken."""
    f = Target(lambda X: np.where(X == 0.125, wrong, X), 1, 1, (-1, 1), lipschitz=1, bound=1)
    built = build(f, inverse_delta=2)
    with pytest.raises(ValueError, match=r"target: expected finite values, got \[\[.*\]\]; at X = \[\[0.125\]\]"):
        certify(built, samples=100)
    root = Target(lambda X: X, 1, 1, (-1, 1), bound=1)
    object.__setattr__(root, "function", lambda X: np.where(X < -0.9, wrong, X))
    with pytest.raises(ValueError, match="target: expected finite values"):
        build(root, error=1, bound="modulus", modulus=0.3)


def test_a_bound_that_is_nan_is_no_bound():
    found = enclosed_error(
        lambda c: c, np.zeros((1, 1)), np.zeros((1, 1)), 1.0, np.zeros((1, 1)), 1.0, lambda r: math.nan, 1.0
    )
    assert not isinstance(found, TooMany)
    assert found.upper == math.inf


@pytest.mark.parametrize("m", range(1, 9))
def test_lagranges_polynomials_at_the_nodes(m):
    """They are 1 at their own node and 0 at the others, and their absolute values sum to at most 1 + 2 m^2."""
    Z = nodes(m)
    powers = [(), *[(i,) for i in range(m)], *itertools.combinations_with_replacement(range(m), 2)]

    def monomials(z):
        return [math.prod(z[i] for i in power) for power in powers]

    lagrange = np.linalg.inv(np.array([monomials(z) for z in Z]))  # column k: the polynomial that is 1 at node k
    corners = [(-1,) * k + (1,) * (m - k) for k in range(m + 1)]  # up to the order
    inner = np.random.default_rng(m).uniform(-1, 1, (200, m))
    sums = [sum(abs(np.array(monomials(z)) @ lagrange)) for z in [*corners, *inner]]
    assert sums[m] == pytest.approx(2 * m * m - 2 * m + 1)  # at (-1, ..., -1); above (1 + m)^2 from m = 5 on
    assert max(sums) <= lebesgue(m)
