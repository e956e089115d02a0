"""Linear_K and the lines of section B.3 beside plain loops over (i, j), and the head in PyTorch's own layer."""

import itertools
import math

import numpy as np
import pytest
import torch

from uatbook import statements
from uatbook.liu2025.cross_attention import lead, linear_k
from uatlib.arithmetic import FLOAT64
from uatlib.liu2025 import cross_attention, grid_centers
from uatlib.model import Transformer
from uatlib.torch_model import MultiheadAttentionLayer

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


def scores_of(pair, Z_K, Z_Q):
    head = pair.built.model.attentions()[0].heads[0]
    keys = Transformer([pair.keys])(Z_K, FLOAT64).numpy()
    queries = Transformer(pair.built.model.layers[:1])(Z_Q, FLOAT64).numpy()
    return (np.asarray(head.w_k, float) @ keys).T @ (np.asarray(head.w_q, float) @ queries)


@pytest.mark.parametrize(("d", "n", "P"), SIZES)
def test_a_score_adds_the_affine_functions_of_both(d, n, P):
    pair = statements.get("liu2025:thm-4-2").build(cells=P, n=n, d=d)
    notes, rng = pair.built.parameters, np.random.default_rng(6)
    R, B, G = notes["R"], notes["sup"], notes["G"]
    v, (Z_K, Z_Q) = grid_centers(P, 1, d * n), rng.uniform(-1, 1, (2, d, n))
    found = scores_of(pair, Z_K, Z_Q)
    for i, j, r, k in itertools.product(range(G), range(G), range(d), range(n)):
        affine = dot(v[i], Z_K) - sum(v[i] ** 2) / 2 + dot(v[j], Z_Q) - sum(v[j] ** 2) / 2
        tokens = [[[row[t * d + s] for t in range(n)] for s in range(d)] for row in (v[i], v[j])]
        value = max(0, tokens[1][r][k] - max(tokens[0][r])) / 2
        at = i * d * G + j * d + r
        assert found[at, k] == pytest.approx(R * affine + math.log1p(value / B), abs=1e-10)
        assert found[d * G * G + at, k] == pytest.approx(R * affine + math.log1p(-value / B), abs=1e-10)


def damaged(name, **sizes):
    statement = statements.get("liu2025:thm-4-2")
    return statement.damages[name](statement.build(**sizes), np.random.default_rng(0))


def test_with_one_index_the_head_hears_the_sum_alone():
    model = damaged("one index for both", cells=4).built.model
    answers = [model([[[z]]], FLOAT64, source=[[[s - z]]]).item() for s in (0.5, -0.25) for z in (0.5, 0, -0.5)]
    assert answers[:3] == pytest.approx([answers[0]] * 3, abs=1e-12)
    assert answers[3:] == pytest.approx([answers[3]] * 3, abs=1e-12)
    assert abs(answers[0] - answers[3]) > 0.01


@pytest.mark.parametrize(("d", "n", "P"), SIZES)
def test_values_that_are_exchanged_or_moved_are_those(d, n, P):
    """The damages are what their names say: networks of other tables."""
    notes = statements.get("liu2025:thm-4-2").build(cells=P, n=n, d=d).built.parameters
    v, rng = grid_centers(P, 1, d * n), np.random.default_rng(7)
    Z = v.reshape(-1, n, d).swapaxes(1, 2)
    V = np.array([[lead(n, d)(query, key) for query in Z] for key in Z])
    Z_K, Z_Q = rng.uniform(-1, 1, (2, 4, d, n))
    tables = {"key and query exchanged": V.swapaxes(0, 1), "values of the cell before": np.roll(V, (1, 1), (0, 1))}
    for name, table in tables.items():
        other = cross_attention(table, v, n, d, notes["R"], notes["sup"])(Z_Q, FLOAT64, source=Z_K)
        found = damaged(name, cells=P, n=n, d=d).built.model(Z_Q, FLOAT64, source=Z_K)
        assert found.numpy() == pytest.approx(other.numpy(), abs=1e-10)


@pytest.mark.parametrize(("d", "n", "P"), SIZES)
def test_the_head_runs_in_torch(d, n, P):
    v, rng = grid_centers(P, 1, d * n), np.random.default_rng(8)
    V, (Z_K, Z_Q) = rng.uniform(-1, 1, (len(v), len(v), d, n)), torch.tensor(rng.uniform(-1, 1, (2, 3, d, n)))
    net = cross_attention(V, v, n, d, 5, 1.01)
    layer = MultiheadAttentionLayer(net.layers[1], torch.float64)
    queries, keys = net.layers[0], net.encoder[0]
    heard = layer(Transformer([queries])(Z_Q, FLOAT64), Transformer([keys])(Z_K, FLOAT64))
    answers = Transformer([net.layers[2]])(heard, FLOAT64)
    assert answers.detach().numpy() == pytest.approx(net(Z_Q, FLOAT64, source=Z_K).numpy(), abs=1e-10)


def test_printed_precision_is_negative_where_much_is_asked_for():
    """It has the logarithm of eps in place of that of 1/eps."""
    for sizes in ({}, {"cells": 16}, {"cells": 2, "n": 3}):
        made = statements.get("liu2025:thm-4-2").verify(variant="printed", **sizes)
        assert "the printed R is -" in made["proof, (B.46) for"].witness
        assert made["proof, (B.46) for"].measured > 10 * made["proof, (B.46) for"].bound
