"""Heads of liu2025 beside what the statements say, in plain loops."""

import math
from fractions import Fraction

import numpy as np
import pytest

from uatbook.liu2025.max_affine import MaxAffine, indicator_attention
from uatlib.arithmetic import FLOAT64
from uatlib.liu2025 import cross_attention, grid_centers, parameters_for, precision, self_attention, smoother

from .oracles import shares, softmax, stacked


@pytest.mark.parametrize(("d", "n", "N"), [(1, 1, 1), (2, 3, 5), (3, 2, 2), (1, 4, 4)])
def test_the_head_is_the_softmax_of_the_components(d, n, N):
    rng = np.random.default_rng(d + 10 * n + 100 * N)
    A, b, X, V = rng.normal(size=(d, N)), rng.normal(size=N), rng.normal(size=(2, d, n)), rng.normal(size=(3, N))
    f = MaxAffine(A, b)
    shares = indicator_attention(f, n, 2.5)(X, FLOAT64).numpy()
    told = indicator_attention(f, n, 2.5, values=V)(X, FLOAT64).numpy()
    assert shares.shape == (2, N, n)
    for k in range(2):
        for j in range(n):
            y = [sum(A[r, i] * X[k, r, j] for r in range(d)) + b[i] for i in range(N)]
            expected = softmax([2.5 * score for score in y])
            assert shares[k, :, j] == pytest.approx(expected, abs=1e-12)
            assert told[k, :, j] == pytest.approx(V @ expected, abs=1e-12)
            assert f(X)[k, j] == pytest.approx(max(y))
            assert f.partition(X)[k, j] == y.index(max(y))
            rest = sorted(y)[-2:]
            assert f.margin(X)[k, j] == pytest.approx(rest[1] - rest[0] if N > 1 else math.inf)
            assert f.indicator(X)[k, :, j].tolist() == [int(i == y.index(max(y))) for i in range(N)]


def test_ties_go_to_the_smallest_index():
    f = MaxAffine([[1, -1, 0]], [0, 0, 0])
    assert f.partition([[0, 2, -2]]).tolist() == [0, 0, 1]
    assert f.margin([[0, Fraction(1, 3)]]).tolist() == [0, Fraction(1, 3)]


def test_cells_of_sites_are_those_of_the_least_power():
    rng = np.random.default_rng(5)
    sites, weights, X = rng.normal(size=(2, 6)), rng.uniform(size=6), rng.normal(size=(2, 40))
    powers = ((X[:, None, :] - sites[:, :, None]) ** 2).sum(axis=0) - weights[:, None]
    assert MaxAffine.of_sites(sites, weights).partition(X).tolist() == powers.argmin(axis=0).tolist()


@pytest.mark.parametrize("exact", [False, True])
def test_the_precision_suffices_and_the_printed_one_does_not(exact):
    N, eps = 5, 0.01
    for gap in (0.1, 1, 3):
        R = precision(N, gap, eps, exact=exact)
        worst = softmax([R * gap] + [0] * (N - 1))  # all rivals as near as they may be
        assert worst[0] >= 1 - eps - 1e-12
        assert (worst[0] == pytest.approx(1 - eps, abs=1e-12)) == exact
    printed = 0.1 * (math.log(1) - math.log(eps))
    assert softmax([printed * 0.1, 0])[0] < 0.52  # N = 2, margin .1


@pytest.mark.parametrize(("d", "n", "P"), [(1, 1, 4), (1, 2, 3), (2, 1, 3), (2, 2, 2)])
def test_self_attention_is_the_smoother(d, n, P):
    rng = np.random.default_rng(d + n + P)
    v = grid_centers(P, 2, d * n)
    V, Z, R = rng.uniform(-1, 1, size=(len(v), d, n)), rng.uniform(-2, 2, size=(3, d, n)), 3.7
    got = self_attention(V, v, n, d, R, 1.5)(Z, FLOAT64).numpy()
    for k, z in enumerate(Z):
        weights = shares(stacked(z), v, R)
        expected = sum(w * value for w, value in zip(weights, V, strict=True))
        assert got[k] == pytest.approx(expected, abs=1e-11)
        assert smoother(Z, v, V, R)[k] == pytest.approx(expected, abs=1e-11)


def test_the_formulas_of_all_bounds():
    P, R = parameters_for(eps=0.25, lipschitz=1, half_width=1, dim=2)
    assert (8, pytest.approx(64 * (1 + math.log(4.08)))) == (P, R)
    P, R = parameters_for(eps=0.5, lipschitz=2, half_width=1, dim=3, bound="chain", sup=4)
    assert (12, pytest.approx(6 * 16 * math.log(6 * 4 * 12**3 / 0.5))) == (P, R)
    assert parameters_for(eps=0.5, lipschitz=1, bound="cover", balls=20) == (20, pytest.approx(24 * math.log(20)))
    _, with_sup = parameters_for(eps=0.5, lipschitz=1, bound="cover", balls=20, sup=2)
    assert with_sup == pytest.approx(24 * math.log(6 * 2 * 20 / 0.5))


def test_grid_centres_are_the_middles_of_cells():
    assert grid_centers(4, 2, 1).ravel().tolist() == [-1.5, -0.5, 0.5, 1.5]
    assert grid_centers(2, 1, 2).tolist() == [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MaxAffine([1, 2], [1]), "A: expected shape"),
        (lambda: MaxAffine([[1, 2]], [1]), "b: expected shape"),
        (lambda: indicator_attention(MaxAffine([[1, 2]], [0, 0]), 3, 1), "n: expected at most 2"),
        (lambda: indicator_attention(MaxAffine([[1, 2]], [0, 0]), 2, 0), "precision: expected"),
        (lambda: precision(3, 0, 0.1), "margin: expected"),
        (lambda: precision(3, 1, 1), "eps: expected a share below 1"),
        (lambda: self_attention([[[1.0]]], [[0]], 1, 1, 1, 1), "sup: expected a number above"),
        (lambda: self_attention([[[1.0]]], [[0, 1]], 1, 1, 1, 2), "centers: expected shape"),
        (lambda: self_attention(np.ones((1, 1, 3)), np.ones((1, 3)), 3, 1, 1, 2), "centers: expected at least 2"),
        (lambda: cross_attention([[[1.0]]], [[0]], 1, 1, 1, 2), "values: expected shape"),
        (lambda: self_attention(np.zeros((9000, 1, 1)), np.ones((9000, 1)), 1, 1, 1, 2), "layers"),
        (lambda: parameters_for(eps=0, lipschitz=1, half_width=1, dim=1), "eps: expected"),
        (lambda: parameters_for(eps=1, lipschitz=1, dim=1), "half_width: expected"),
        (lambda: parameters_for(eps=1, lipschitz=1, half_width=1, dim=1, bound="chain"), "sup: expected"),
        (lambda: parameters_for(eps=1, lipschitz=1, half_width=1, dim=1, sup=1), "sup: expected none"),
        (lambda: parameters_for(eps=0.5, lipschitz=1, half_width=1e-200, dim=1), "eps: the R"),
        (lambda: parameters_for(eps=0.5, lipschitz=1e30, half_width=1, dim=1), "eps: a grid of"),
    ],
)
def test_wrong_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
