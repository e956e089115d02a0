"""Linear_K and the lines of section B.3 beside plain loops over (i, j), and the head in PyTorch's own layer."""

import itertools

import numpy as np
import pytest

from uatbook.liu2025.cross_attention import lead, linear_k
from uatlib.arithmetic import FLOAT64
from uatlib.liu2025 import cross_attention, grid_centers
from uatlib.model import Transformer

SIZES = [(1, 1, 3), (2, 1, 2), (1, 2, 2)]


def dot(v, Z):
    d = len(Z)
    return sum(v[k * d + r] * Z[r][k] for k in range(len(Z[0])) for r in range(d))


@pytest.mark.parametrize("one_row", [True, False])
@pytest.mark.parametrize("column_index", [True, False])
@pytest.mark.parametrize(("d", "n", "P"), SIZES)
def test_linear_k_is_its_formula(d, n, P, one_row, column_index):
    """Sums of outer products of unit vectors, counted from 1 as in the text."""
    v, Z = grid_centers(P, 1, d * n), np.random.default_rng(3).uniform(-1, 1, (d, n))
    G = len(v)
    half = d * G * G
    expected = np.zeros((2 * half + (1 if one_row else G), 2 * half))
    for c in range(1, 2 * half + 1):
        expected[c - 1, c - 1] = 1
    for j in range(G):
        for s in range(d * G):
            row = 2 * half + 1 if one_row else 2 * half + j + 1
            column = (j * d * G if column_index else j) + s + 1
            expected[row - 1, column - 1] += dot(v[j], Z)
            expected[row - 1, column + half - 1] += dot(v[j], Z)
    found = Transformer([linear_k(v, n, d, one_row=one_row, column_index=column_index)])(Z, FLOAT64).numpy()
    assert found == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(("d", "n", "P"), SIZES)
def test_the_network_has_the_repaired_linear_k(d, n, P):
    v = grid_centers(P, 1, d * n)
    net = cross_attention(np.zeros((len(v), len(v), d, n)), v, n, d, 2, 1)
    Z = np.random.default_rng(4).uniform(-1, 1, (5, d, n))
    own, formula = (Transformer([keys])(Z, FLOAT64).numpy() for keys in (net.encoder[0], linear_k(v, n, d)))
    assert own == pytest.approx(formula, abs=1e-15)


def test_lead_is_by_how_much_a_query_exceeds_all_keys():
    f, rng = lead(3, 2), np.random.default_rng(5)
    queries, keys = rng.uniform(-1, 1, (2, 2, 3))
    found = f(queries, keys)
    for r, k in itertools.product(range(2), range(3)):
        assert found[r, k] == pytest.approx(max(0, queries[r][k] - max(keys[r])) / 2)
    f.check(samples=2000, seed=1)
