"""Steps of the proofs and solutions on the pages of Liu et al., at random places."""

import math

import numpy as np
import pytest

from uatbook.liu2025.experiment import steps
from uatlib.liu2025 import MaxAffine, cover_error, grid_centers, smoother
from uatlib.liu2025.bounds import for_modulus
from uatlib.liu2025.separation import nearest_to_zero


def test_the_nearest_point_meets_every_demand_and_with_the_smallest_keys():
    vectors = np.random.default_rng(0).normal(size=(40, 6)) + 2 * np.eye(6)[0]
    w, _, _ = nearest_to_zero(vectors)
    assert (vectors @ w).min() >= w @ w * (1 - 1e-9)
    assert (vectors @ (w / (w @ w))).min() == pytest.approx(1)


@pytest.mark.parametrize(("d", "N"), [(1, 3), (2, 5), (3, 4)])
def test_few_tokens_have_a_small_margin(d, N):
    rng = np.random.default_rng(d)
    A, b, x = rng.normal(size=(d, N)), rng.normal(size=N) / 4, rng.uniform(0, 1, (d, 20_000))
    margin = MaxAffine(A, b).margin(x)
    rate = sum(2 / abs(A[:, i] - A[:, j]).max() for j in range(N) for i in range(j))
    for least in (0.001, 0.01, 0.1):
        assert (margin < least).mean() <= least * rate + 0.005


def test_random_centres_are_within_155_hundredths_of_half_a_width():
    """With R h^2 = 1 + ln(2.04 m), the first two terms and the sum of the proof included."""
    rng = np.random.default_rng(0)
    for m, P in ((1, 9), (2, 5), (3, 4)):
        v, h, rho = grid_centers(P, 1, m), 1 / P, 1 + math.log(2.04 * m)
        Z = np.concatenate([rng.uniform(-1, 1, (400, m)), np.clip(v + rng.choice([-h, h], v.shape), -1, 1)])
        away = abs(Z[:, None] - v)
        w = np.exp(-rho / (2 * h * h) * (away**2).sum(axis=2))
        assert ((w * away.max(axis=2)).sum(axis=1) / w.sum(axis=1)).max() <= 1.55 * h


def root(Z):
    """sqrt(|Z_1|), continuous and no Lipschitz function: |root(Y) - root(Z)| <= sqrt(|Y - Z|)."""
    return abs(Z[:, :1]) ** 0.5


@pytest.mark.parametrize(("m", "eps"), [(1, 1.5), (1, 0.6), (2, 1.5), (2, 0.9)])
def test_a_modulus_keeps_the_weights_beyond_it_small_and_the_smoother_within_77_hundredths(m, eps):
    """With delta = eps^2/9, in each step of the proof: the far weights, those of one side, the error."""
    delta = (eps / 3) ** 2
    P, R = for_modulus(eps, delta, half_width=1, dim=m, sup=1)
    v, rng = grid_centers(P, 1, m), np.random.default_rng(m)
    Z = np.concatenate([rng.uniform(-1, 1, (300, m)), v[:: max(1, len(v) // 50)], np.zeros((1, m))])
    away = abs(Z[:, None] - v)
    w = np.exp(-R / 2 * ((away**2).sum(axis=2) - (away**2).sum(axis=2).min(axis=1, keepdims=True)))
    w /= w.sum(axis=1, keepdims=True)
    far = (w * (away.max(axis=2) > delta)).sum(axis=1).max()
    assert far <= 4 / 3 * eps / 6.2 * (1 + 1e-9)
    answer = smoother(Z[:, None], v, root(v)[:, None], R)[:, 0]
    assert abs(answer - root(Z)).max() <= 0.77 * eps
    assert (w * abs(root(v)[:, 0] - root(Z))).sum(axis=1).max() <= eps / 3 + 2 * far


def test_opposite_corners_never_both_have_more_than_a_quarter():
    rng = np.random.default_rng(0)
    p, q = (rng.dirichlet([0.3] * 4, 5000) for _ in range(2))
    w = p[:, :, None] * q[:, None]
    both = np.minimum(w[:, :, :, None, None], w[:, None, None])
    i, j, k, other = np.indices((4, 4, 4, 4))
    assert both[:, (i != k) & (j != other)].max() <= 0.25 + 1e-12


def test_the_most_harmful_cover_is_attained():
    for N, R, r in ((5, 20.0, 0.2), (50, 60.0, 0.3), (1000, 5.0, 0.1)):
        t = np.linspace(r, 6, 60_001)
        near, far = math.exp(-R / 2 * r * r), (N - 1) * np.exp(-R / 2 * t * t)
        assert ((r * near + t * far) / (near + far)).max() == pytest.approx(cover_error(r, N, R), rel=1e-6)


def test_the_product_with_the_mean_is_as_steep_as_the_exercise_says():
    rng = np.random.default_rng(0)
    for n in (2, 4, 8, 12):
        Z = np.concatenate([rng.uniform(-1, 1, (500, n)), np.ones((1, n))])
        gradients = Z[:, 0, None] / n + np.eye(n)[0] * Z.mean(axis=1, keepdims=True)
        steep = np.linalg.norm(gradients, axis=1)
        assert steep.max() == pytest.approx(math.sqrt(1 + 3 / n))
    assert [math.sqrt(n + 3) / 4 < 1 for n in (12, 13)] == [True, False]
    assert [math.sqrt(n) / 2 < 1 for n in (3, 4)] == [True, False]


def test_repeated_centres_change_no_mean():
    v, V = np.random.default_rng(0).normal(size=(2, 5, 1))
    Z = np.array([[[0.3]], [[-1.2]]])
    twice = smoother(Z, np.tile(v, (2, 1)), np.tile(V[:, None], (2, 1, 1)), 3)
    assert twice == pytest.approx(smoother(Z, v, V[:, None], 3))


def test_a_head_without_kinks_follows_what_it_likes():
    c, x = 1.05, np.linspace(-1, 1, 401)
    u, wanted = np.exp(x - c), np.sin(3 * x) + abs(x)
    q = np.polynomial.Polynomial.fit(u, wanted / (1 - u), 30)
    missed = abs(q(u) * (1 - u) - wanted).max()
    assert missed <= abs(q(u) - wanted / (1 - u)).max() < 0.1
    N = 200
    assert abs(q(u) * (1 - u) / (1 - u**N) - wanted).max() <= missed + 1e-3
    slopes = np.arange(30)
    assert steps.kinks(MaxAffine(slopes[None], -slopes * c)) == []
