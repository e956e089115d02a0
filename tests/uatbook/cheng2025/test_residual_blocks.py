"""Residual blocks of at most d hidden units, against loops in Fractions."""

from fractions import Fraction

import numpy as np
import pytest

from uatbook.cheng2025.residual_blocks import increasing_blocks, interpolate, interpolating_blocks, staircase_points
from uatlib.arithmetic import BALL, EXACT, distances
from uatlib.cheng2025 import kernel
from uatlib.cheng2025.random_attention import draw
from uatlib.layers import FeedForward
from uatlib.model import Transformer


def run(blocks, x):
    """x + W relu(A x - b), one block after another, by loops."""
    for block in blocks:
        w = block.weights()
        hidden = [
            max(Fraction(0), sum((a * t for a, t in zip(row, x, strict=True)), Fraction(0)) + b)
            for row, b in zip(w["w_1"].tolist(), w["b_1"].tolist(), strict=True)
        ]
        x = [
            t + sum((v * h for v, h in zip(row, hidden, strict=True)), Fraction(0))
            for t, row in zip(x, w["w_2"].tolist(), strict=True)
        ]
    return x


def points(rng, count, d, values=3):
    found = {tuple(row) for row in rng.integers(0, values, (4 * count, d)).tolist()}
    return np.array([[Fraction(t, 2) for t in row] for row in sorted(found)[:count]], dtype=object)


@pytest.mark.parametrize(("count", "d"), [(1, 2), (2, 2), (6, 2), (11, 3), (9, 5)])
@pytest.mark.parametrize("eps", [Fraction(1, 10), Fraction(1, 10**9)])
def test_points_go_to_their_values(count, d, eps):
    rng = np.random.default_rng(count)
    x = points(rng, count, d)
    count = len(x)
    y = rng.integers(-2, 3, (count, d)).astype(object)
    blocks = interpolating_blocks(x, y, eps)
    assert len(blocks) == 1 + 3 * -(-count // d)
    assert all(len(block.w_1) <= d and block.b_2 is None for block in blocks)
    found = [run(blocks, row) for row in x.tolist()]
    for z, want in zip(found, y.tolist(), strict=True):
        assert z[1:] == want[1:]
        assert 0 <= z[0] - want[0] <= eps
    assert (np.array(found) == Transformer(blocks)(x.T, EXACT).T).all()


def test_values_that_differ_in_the_first_entry_are_met_exactly():
    x, y = [[0, 0], [0, 1], [1, 0]], [[5, 1], [-2, 1], [0, 1]]
    blocks = interpolating_blocks(x, y, 1)
    assert [run(blocks, [Fraction(t) for t in row]) for row in x] == y


def test_the_tiny_number_does_not_make_values_meet():
    """Values that are eps/N apart: the third would be met by the first plus 2 eps/N."""
    eps = Fraction(3)
    x, y = [[0, 0], [0, 1], [0, 2]], [[0, 4], [0, 5], [2, 6]]
    blocks = interpolating_blocks(x, y, eps)
    found = [run(blocks, [Fraction(t) for t in row]) for row in x]
    assert [row[1] for row in found] == [4, 5, 6]
    assert len({row[0] for row in found}) == 3


@pytest.mark.parametrize(
    ("x", "y", "eps", "words"),
    [
        ([[0], [1]], [[1], [0]], 1, "d >= 2"),
        ([[0, 1], [0, 1]], [[1, 1], [0, 1]], 1, "points that differ"),
        ([[0, 1]], [[1, 1], [0, 1]], 1, "as many rows"),
        ([[0, 1]], [[1, 1]], 0, "eps: expected a number > 0"),
    ],
)
def test_points_that_do_not_fit_are_refused(x, y, eps, words):
    with pytest.raises(ValueError, match=words):
        interpolating_blocks(x, y, eps)


@pytest.mark.parametrize("d", [1, 3])
def test_an_increasing_function_on_every_entry(d):
    rng = np.random.default_rng(d)
    t, v = (np.cumsum(rng.integers(1, 9, 9)).astype(object) * Fraction(1, 4) - 5 for _ in range(2))
    blocks = increasing_blocks(t, v, d)
    assert len(blocks) == len(t)
    assert all(block.w_1.shape == (d, d) and block.b_2 is None for block in blocks)
    for _ in range(30):
        x = [t[0] + (t[-1] - t[0]) * Fraction(int(k), 1000) for k in rng.integers(0, 1001, d)]
        want = []
        for u in x:
            j = max(k for k in range(len(t) - 1) if t[k] <= u)
            want.append(v[j] + (v[j + 1] - v[j]) * (u - t[j]) / (t[j + 1] - t[j]))
        assert run(blocks, x) == want


def test_a_flat_step_is_refused():
    t, v = staircase_points(2, Fraction(1, 4), 1)
    assert list(zip(t, v, strict=True))[:3] == [(-1, -1), (Fraction(-5, 8), -1), (Fraction(-1, 2), Fraction(-1, 2))]
    assert (t[-1], v[-1]) == (1, 1)
    with pytest.raises(ValueError, match="values: expected strictly ascending numbers"):
        increasing_blocks(t, v, 2)
    with pytest.raises(ValueError, match="at least two"):
        increasing_blocks([1], [1], 2)


@pytest.mark.parametrize("name", ["exp", "cauchy"])
def test_sequences_go_to_their_values_and_repeated_tokens_to_zero(name):
    rng = np.random.default_rng(0)
    X = rng.permutation(18).reshape(3, 2, 3).astype(object) * Fraction(1, 18) + Fraction(1, 36)
    X[2, :, 2] = X[2, :, 0]
    F = rng.integers(-3, 4, (3, 2, 3)).astype(object)
    mixing, _ = draw([None], 2, kernel(name), 1)
    system, eps = BALL.with_bits(512), Fraction(1, 100)
    made = interpolate(mixing, X, F, eps, system)
    Y = made.model(X, system)
    assert made.tokens == 3 + 3 + 2
    assert distances(Y[:2], F[:2]).max() <= eps / 3
    assert distances(Y[2], F[2] * 0).max() <= eps / 3
    assert distances(made.model(X[:2, :, [2, 0, 1]], system), F[:2, :, [2, 0, 1]]).max() <= eps / 3


def test_tokens_that_share_an_entry_are_told_apart_by_the_other():
    unchanged = FeedForward([[0, 0]], [0], [[0], [0]])
    X = np.array([[[1, 1], [1, 3]]], dtype=object)
    made = interpolate([unchanged], X, 3 * X, 1, EXACT)
    assert (made.tokens, made[2]) == (2, 2)


def test_mixing_that_does_not_tell_tokens_apart_is_refused():
    X = np.array([[[1, 2, 6], [1, 1, 1]], [[1, 3, 5], [1, 1, 1]]], dtype=object)
    mixing, _ = draw([None], 2, kernel("constant"), 0)
    with pytest.raises(ValueError, match="layers that tell all tokens apart, got 'two tokens that are met'"):
        interpolate(mixing, X, X, 1, EXACT)
