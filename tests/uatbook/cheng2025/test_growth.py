"""How fast kernels grow, against their logarithms in floats; the proof of Lemma 1, against plain loops."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from uatbook.cheng2025.growth import growth, peel, settles
from uatlib.cheng2025 import kernel
from uatlib.kernels import DOT, Kernel

HALF = Fraction(1, 2)
KERNELS = {each.name: each.example() for each in Kernel.named()} | {
    "fourth power": kernel("polynomial", power=4, offset=1),
    "two more powers": kernel("poly_times", polynomial=[1, 0, 2], base=kernel("rbf")),
}
VECTORS = [np.array(v, dtype=object) for v in itertools.product((-2, 0, 1, 3), (-2, 0, 2))]
X = np.array([1, HALF], dtype=object)


def log(k, y, t):
    return float(k.log(X.astype(float), t * y.astype(float)))


@pytest.mark.parametrize("name", KERNELS)
def test_what_the_growth_leaves_of_the_logarithm_does_not_move(name):
    """log k(x, t y) = a t^2 + b t + c log t + O(1); of a rooted one b is the root of the second number, below 0."""
    k = KERNELS[name]
    for y in VECTORS:
        a, b, c = map(float, growth(k, X, y))
        rate = -math.sqrt(-b) if k.rooted else b
        rest = [log(k, y, t) - a * t * t - rate * t - c * math.log(t) for t in (2.0**14, 2.0**17)]
        moved = (rest[1] - rest[0]) / math.log(8)
        assert abs(moved) < (1 if name == "cosine" else 5e-4), f"at {y} the exponent of t is {moved:+.2f} off {c}"


@pytest.mark.parametrize("name", KERNELS)
def test_the_larger_growth_wins_and_equal_ones_settle(name):
    k = KERNELS[name]
    found = growth(k, X, np.array(VECTORS))
    assert found.shape == (12, 3)
    for (y, g), (z, h) in itertools.combinations(zip(VECTORS, map(tuple, found), strict=True), 2):
        ratios = [log(k, y, t) - log(k, z, t) for t in (2.0**10, 2.0**17)]
        if g == h:
            assert max(map(abs, ratios)) < 12
            assert settles(k, X, y, z)
        else:
            assert (ratios[1] > 0) == (g > h)
            assert abs(ratios[1]) > abs(ratios[0]) + 4  # log 2^7 is 4.9, the slowest
            assert not settles(k, X, y, z)


@pytest.mark.parametrize("name", ["exp", "rbf", "performer", "poly_times"])
def test_peel_orders_by_the_kernel_and_stops_where_the_contexts_part(name):
    k, W = KERNELS[name], np.array([[3, -1], [1, 4]])
    tokens = [(1, 2), (-1, 1), (2, -3), (0, 1), (1, 0)]
    for A, B in itertools.combinations([c for r in (1, 3) for c in itertools.combinations(tokens, r)], 2):
        found = peel(k, X, W, np.array(A).T, np.array(B).T)
        logs = {y: log(k, W @ np.array(y), 2.0**10) for y in {*A, *B}}
        order = sorted(logs, key=lambda y: -logs[y])
        assert [tuple(map(int, y)) for y in found.order.T] == order
        common = 0
        while order[common] in A and order[common] in B:
            common += 1
        assert found.common == common
        assert found.sign == (1 if order[common] in A else -1)
    assert peel(k, X, W, np.array(tokens).T, np.array(tokens[::-1]).T)[1:] == (5, 0)


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"^W_K: expected one under which no two keys grow alike"):
        peel(DOT, X, [[0, 0], [0, 0]], [[1], [2]], [[3], [4]])
    with pytest.raises(ValueError, match=r"^W_K: expected 2 rows"):
        peel(DOT, X, [[1, 0, 0], [0, 1, 0]], [[1], [2]], [[3], [4]])
    with pytest.raises(ValueError, match=r"^B: expected 2 rows"):
        peel(DOT, X, [[1, 0], [0, 1]], [[1], [2]], [[3]])
    with pytest.raises(ValueError, match=r"^y: expected vectors of 2 entries, as x has"):
        growth(DOT, X, [1, 2, 3])

    class Other(Kernel):
        pass

    with pytest.raises(ValueError, match=r"^kernel: expected one of those that"):
        growth(Other(), X, [1, 2])
    with pytest.raises(ValueError, match=r"^kernel: expected a Kernel"):
        growth("exp", X, [1, 2])
