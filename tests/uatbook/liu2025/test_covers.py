"""Covers of clouds, and the worst error of a smoother over them, in plain loops."""

import itertools
import math

import numpy as np
import pytest

from uatbook.liu2025.covers import cover, cover_error
from uatlib import liu2025
from uatlib.sizes import ConstructionTooLarge


def distance(a, b):
    return math.sqrt(sum((s - t) ** 2 for s, t in zip(a, b, strict=True)))


@pytest.mark.parametrize(("d", "n", "radius"), [(1, 1, 0.1), (1, 2, 0.3), (2, 3, 1.1), (3, 1, 5)])
def test_each_point_is_in_a_ball_and_no_ball_is_idle(d, n, radius):
    X = np.random.default_rng(d + n).uniform(-1, 1, (80, d, n))
    rows = [[X[k, r, i] for i in range(n) for r in range(d)] for k in range(80)]  # tokens stacked
    v = cover(X, radius).tolist()
    assert all(min(distance(row, centre) for centre in v) <= radius for row in rows)
    assert all(centre in rows for centre in v)
    assert v[0] == rows[0]
    assert all(distance(a, b) > radius for a, b in itertools.combinations(v, 2))
    # The next centre is farthest from those before it.
    for k in range(1, len(v)):
        away = [min(distance(row, centre) for centre in v[:k]) for row in rows]
        assert rows.index(v[k]) == away.index(max(away))


def test_a_cover_by_hand():
    line = np.array([0, 1, 2, 3, 10.0])[:, None, None]
    assert cover(line, 1).tolist() == [[0], [10], [3]]
    assert cover(line, 3).tolist() == [[0], [10]]
    assert cover(line, 10).tolist() == [[0]]
    assert len(cover((line - 5) * 3e307, 1e300)) == 5
    assert cover([[[2, 5], [3, 7]]], 1).tolist() == [[2, 3, 5, 7]]


@pytest.mark.parametrize(
    ("points", "radius", "words"),
    [
        ([[[1.0]]], 0, "^radius: expected"),
        ([[[1.0]]], math.inf, "^radius: expected"),
        ([1.0, 2.0], 1, r"^points: expected shape \(\.\.\., d, n\)"),
        ([[[math.nan]]], 1, r"^points\[0, 0, 0\]: expected finite"),
    ],
)
def test_bad_clouds_are_refused(points, radius, words):
    with pytest.raises(ValueError, match=words):
        cover(points, radius)


def test_too_much_work_is_refused(monkeypatch):
    monkeypatch.setattr("uatbook.liu2025.covers.MAX_WORK", 100)
    with pytest.raises(ConstructionTooLarge, match="over 6 balls; choose a larger radius"):
        cover(np.arange(20.0)[:, None, None], 0.1)


def mean_distance(ts, R):
    """sum_j w_j t_j for centres at these distances."""
    powers = [math.exp(-R / 2 * (t * t - ts[0] * ts[0])) for t in ts]
    return sum(p * t for p, t in zip(powers, ts, strict=True)) / sum(powers)


@pytest.mark.parametrize(("N", "R"), [(2, 0.3), (2, 40.0), (7, 1.0), (50, 6.0), (10_000, 30.0)])
def test_no_cover_misses_by_more(N, R):
    r = 0.7
    best = 0.0
    for t in np.linspace(r, 12, 20_000):  # one centre at r, all others at t
        rivals = (N - 1) * math.exp(-R / 2 * (t * t - r * r))
        best = max(best, (r + rivals * t) / (1 + rivals))
    assert cover_error(r, N, R) == pytest.approx(best, rel=1e-4)
    assert cover_error(r, N, R) >= best * (1 - 1e-12)
    rng = np.random.default_rng(N)
    for _ in range(200):
        ts = [r * rng.uniform(), *(rng.exponential(2 / math.sqrt(R), min(N, 60) - 1))]
        assert mean_distance(ts, R) <= cover_error(r, N, R) <= math.sqrt(r * r + 2 / R * math.log(N))


def test_one_ball_misses_by_its_radius_and_floats_do_not_overflow():
    assert cover_error(0.5, 1, 3) == 0.5
    assert cover_error(1, 5, 1e300) == pytest.approx(1)
    assert cover_error(1e-9, 10**15, 1e-3) < 300
    assert cover_error(1e200, 5, 1e-300) == pytest.approx(1e200)


@pytest.mark.parametrize("N", [1, 2, 3, 40, 10**6])
@pytest.mark.parametrize("sup", [None, 1, 30])
def test_both_rules_for_R_leave_two_thirds(N, sup):
    """Of the error asked for, for every f and every N balls; (9/4) (L/eps)^2 ln N would be enough for all of it."""
    eps, L = 0.3, 2.5
    R = liu2025.parameters_for(eps=eps, lipschitz=L, bound="cover", balls=N, sup=sup).R
    assert L * cover_error(eps / (3 * L), N, R) <= 2 / 3 * eps * (1 + 1e-12)
    if N > 1:
        assert L * cover_error(eps / (3 * L), N, 9 / 4 * (L / eps) ** 2 * math.log(N)) <= eps
