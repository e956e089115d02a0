"""The mixer that listens through a hole, beside plain loops, and what its layers cannot."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from uatbook.cheng2025.keyhole import bell, hat, heard, keyhole
from uatbook.cheng2025.shared_weights import least_gap

THREE = np.array([[[4, 8]], [[4, 12]], [[4, 16]]])


def loops(X, theta):
    rows = [list(row) for row in X]
    for s, w in theta:
        total = 0
        for j in range(len(rows[0])):
            total += max(0, 1 - max(abs(row[j]) for row in rows))
        rows = [[u + s[r] + w[r] * total for u in row] for r, row in enumerate(rows)]
    return rows


def test_layers_are_the_formula():
    rng = np.random.default_rng(0)
    for d, n in ((1, 2), (2, 3)):
        X = np.frompyfunc(lambda u: Fraction(int(u), 8), 1, 1)(rng.integers(-12, 13, (d, n)))
        theta = [tuple(map(tuple, rng.integers(-2, 3, (2, d)).tolist())) for _ in range(3)]
        assert keyhole(X, theta).tolist() == loops(X, theta)


def test_batches_agree_with_single_sequences():
    X = np.random.default_rng(0).normal(size=(5, 2, 3))
    theta = [((0.5, 0.0), (1.0, -1.0)), ((0.0, 0.25), (0.5, 2.0))]
    for hole in (hat, bell):
        assert np.allclose(keyhole(X, theta, hole), [keyhole(x, theta, hole) for x in X])


def test_no_two_layers_tell_three_apart_but_three_layers_do():
    """Whatever s is, two of the three hear the same; on the line, all stretches between the bends of what they hear."""
    assert heard(THREE).tolist() == [0, 0, 0]
    bends = sorted({Fraction(t - token) for token in THREE.flat for t in (-1, 0, 1)})
    stops = [bends[0] - 1, *bends, bends[-1] + 1]
    for low, high in itertools.pairwise(stops):
        ends = [heard(THREE + at) for at in (low, high)]
        assert any(all(values[i] == values[j] for values in ends) for i, j in itertools.combinations(range(3), 2))
    shift, w = [(-12,), (-4,), (0,)], [(0,), (Fraction(1, 4),), (Fraction(1, 8),)]
    assert least_gap(keyhole(THREE, list(zip(shift, w, strict=True))))[0] > 0


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (1, 2)])
def test_two_layers_tell_two_apart(pair):
    at = -int(THREE[pair[0], 0, 1])
    assert least_gap(keyhole(THREE[list(pair)], [((at,), (0,)), ((0,), (Fraction(1, 4),))]))[0] > 0


def test_with_a_bell_two_layers_are_enough_for_three():
    apart = [least_gap(keyhole(THREE / 4, [((s,), (0.3,)), ((0.0,), (1.7,))], bell))[0] for s in (-2.3, -3.1)]
    assert min(apart) > 1e-4
