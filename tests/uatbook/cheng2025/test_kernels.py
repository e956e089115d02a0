"""What the statements on kernels rest on, by plain loops: shares, hyperplanes, limits, the depth of a pair."""

import itertools
import math

import numpy as np
import pytest

from uatbook import statements
from uatbook.cheng2025 import kernel_samples
from uatbook.cheng2025.growth import growth, settles
from uatlib.arithmetic import BALL, FLOAT64
from uatlib.cheng2025 import kernel
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

FAILS = statements.get("cheng2025:kernels-that-fail")
LISTED = statements.get("cheng2025:kernels")


def test_only_the_first_layer_is_fooled_by_turned_squares():
    """So the title speaks of one layer; of two, here is one that is not."""
    X, Y = map(np.array, kernel_samples.PAIRS["squares"][:2])
    rng = np.random.default_rng(0)
    layers = [
        Attention(
            [Head(*rng.integers(-2, 3, size=(3, 2, 2)), np.eye(2, dtype=int))],
            kernel=kernel_samples.example("polynomial"),
        )
        for _ in range(2)
    ]
    for depth in (1, 2):
        first, second = (Transformer(layers[:depth])(Z, BALL)[:, 0] for Z in (X, Y))
        apart = max(abs(float(a) - float(b)) for a, b in zip(first, second, strict=True))
        assert (apart > 1e-3) == (depth == 2)


@pytest.mark.parametrize("degrees", [20, 90, 150])
def test_the_share_at_which_a_sum_of_two_exponentials_settles_is_an_angle(degrees):
    k, x, theta = kernel_samples.example("exp_plus"), [1, 1], math.radians(degrees)
    y = [np.array([1000, 0]), np.array([round(1000 * math.cos(theta)), round(1000 * math.sin(theta))])]
    W = np.random.default_rng(0).normal(size=(2000, 2, 2))
    W = np.round(1e6 * W).astype(int).astype(object)
    share = settles(k, x, W @ y[0].astype(object), W @ y[1].astype(object)).mean()
    assert share == pytest.approx((math.pi - theta) / (2 * math.pi), abs=0.03)


def test_each_line_of_the_appendix_fails_as_printed():
    failed = [check.name.split(":")[0] for check in LISTED.verify(variant="printed").failures]
    assert failed == ["(61)", "keys for which (62) is 0 for every W_K", "(65)"]


def test_the_least_gap_is_that_of_all_pairs():
    built = statements.get("cheng2025:cor-1").build(n=3)
    ids = [tuple(map(float, token)) for out in built.model(built.X, BALL) for token in out.T]
    least = min(max(abs(u - v) for u, v in zip(a, b, strict=True)) for a, b in itertools.combinations(ids, 2))
    gap, _, pairs, alike = kernel_samples.least_gap(built.model, built.X)
    assert alike == 0
    assert gap == pytest.approx(least, abs=1e-12)
    assert gap < least
    assert pairs == math.comb(56 * 3, 2)
    assert len({frozenset(map(tuple, Z.T)) for Z in built.X}) == math.comb(8, 3)


def test_tokens_that_floats_do_not_tell_apart_are_not_alike_for_that(monkeypatch):
    """Least distance below 1e-22, in balls. Without values each of 8 tokens is the same in its 21 contexts."""
    monkeypatch.setattr("uatbook.cheng2025.kernels.example", lambda name, d: kernel("rbf", gamma=3))
    built = statements.get("cheng2025:cor-1").build(n=3)
    gap, _, _, alike = kernel_samples.least_gap(built.model, built.X)
    assert 0 < gap < 1e-17
    assert alike == 0
    lost = kernel_samples.reweighted(w_v=kernel_samples.nothing)(built, np.random.default_rng(0))
    assert kernel_samples.least_gap(lost.model, lost.X)[::3] == (0, 8 * math.comb(21, 2))


@pytest.mark.parametrize("name", kernel_samples.holding())
def test_the_limit_of_lemma_1_by_loops(name):
    """The two outputs at the t that was taken, as averages by the kernel: near the limit, scaled."""
    parts = statements.get("cheng2025:lem-1").build(kernel=name)
    for _, A, B, found, limit in parts.pairs:
        t, x = float(parts.t), parts.x.astype(float)
        logs = {tuple(y): float(parts.kernel.log(x, t * (parts.W @ y).astype(float))) for y in found.order.T}
        top = max(logs.values())

        def average(Z, logs=logs):
            best = max(logs[tuple(y)] for y in Z.T)
            shares = [math.exp(logs[tuple(y)] - best) for y in Z.T]
            return sum(s * y.astype(float) for s, y in zip(shares, Z.T, strict=True)) / sum(shares)

        lead = top - logs[tuple(found.order[:, found.common])]
        if lead < 20:  # else floats do not hold the gap
            assert math.exp(lead) * (average(A) - average(B)) == pytest.approx(limit.astype(float), abs=0.02)


def test_the_example_points_are_opposite_in_pairs():
    points = kernel_samples.points(8, 2)
    assert all((points[:, k] == -points[:, k + 1]).all() for k in (0, 2))
    assert len({tuple(token) for token in points.T}) == 8
    assert not (points == 0).all(axis=0).any()
    assert [tuple(row) for row in growth(kernel("cosh"), [1, 1], points.T)][:2] == [(0, 1, 0)] * 2


def test_wrong_parameters_are_refused():
    for id, parameters, message in [
        ("lem-1", {"kernel": "cosh"}, 'kernel: expected "exp"'),
        ("lem-1", {"n": 2}, "n: expected an int from 3 to 8"),
        ("lem-2", {"d": 4}, "d: expected an int from 1 to 3"),
        ("cor-1", {"n": 9}, "n: expected an int from 2 to 8"),
        ("kernels", {"d": 1}, "d: expected an int from 2 to 3"),
        ("kernels-that-fail", {"kernel": "exp"}, 'kernel: expected "exp_plus"'),
    ]:
        with pytest.raises(ValueError, match=message):
            statements.get(f"cheng2025:{id}").verify(**parameters)
    assert FAILS.verify().holds


def circle(m, angle):
    turn = angle + 2 * np.pi * np.arange(m) / m
    return np.array([np.cos(turn), np.sin(turn)])


@pytest.mark.parametrize("family", ["changed", "mean", "zero", "pair", "two pairs", "squares", "hexagons"])
def test_each_kernel_says_which_contexts_of_the_page_fool_it(family):
    rng = np.random.default_rng(1)
    p, a, b, c = rng.normal(size=(4, 2, 1))
    X, Y = (
        np.hstack(part)
        for part in {
            "changed": ([p, a, b], [p, a, c]),
            "mean": ([p, a, b], [p, a + c, b - c]),
            "zero": ([0 * p, a, -a], [0 * p, b, -b]),
            "pair": ([p, a, -a], [p, b, -b]),
            "two pairs": ([p, -p, a, -a], [p, -p, b, -b]),
            "squares": ([p, circle(4, 0.1)], [p, circle(4, 0.9)]),
            "hexagons": ([p, circle(6, 0.1)], [p, circle(6, 0.6)]),
        }[family]
    )
    weights = 2 * np.random.default_rng(2).normal(size=(8, 3, 2, 2))
    for each in kernel_samples.kernels().values():
        heads = [Transformer([Attention([Head(*W, np.eye(2))], kernel=each.example())]) for W in weights]
        gaps = [float(abs(head(X, FLOAT64)[:, 0] - head(Y, FLOAT64)[:, 0]).max()) for head in heads]
        fooled = max(gaps) < 1e-12
        assert fooled == (family in each.fooled_by), f"{each}: {family!r} {'fools' if fooled else 'does not fool'} it"


def test_how_many_pairs_a_zero_token_makes_alike():
    """Under exp the token 0 hears the mean: contexts (0, u, v) with equal u + v."""
    points = [c for c in itertools.product((-1, 0, 1), repeat=2) if c != (0, 0)]
    sums = [(u[0] + v[0], u[1] + v[1]) for u, v in itertools.combinations(points, 2)]
    failed = statements.get("cheng2025:cor-1").verify(variant="printed")
    assert failed["pairs of them"].measured == sum(a == b for a, b in itertools.combinations(sums, 2))
