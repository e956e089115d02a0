"""One set of weights for all sequences: gaps and layers beside plain loops."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from uatbook.cheng2025.mixing_terms import attention_weights
from uatbook.cheng2025.shared_weights import enclosed, least_gap, recalling, separating_layers
from uatlib.arithmetic import BALL, FLOAT64
from uatlib.cheng2025 import kernel, pattern
from uatlib.cheng2025.random_attention import attention_layers, random_weights

TOKENS = np.array([[Fraction(u, 4) for u in row] for row in ((3, -2, 5, 1), (1, 4, -3, -1))], dtype=object)
SETS = np.stack([TOKENS[:, list(c)] for c in itertools.combinations(range(4), 3)])


@pytest.mark.parametrize("shape", [(1, 1, 2), (7, 1, 3), (5, 2, 4), (20, 3, 2)])
def test_the_least_gap_is_that_of_all_pairs(shape):
    for seed in range(5):
        tokens = np.random.default_rng(seed).integers(-20, 21, shape) / 8
        N, d, n = shape
        points = [(i, k) for i in range(N) for k in range(n)]
        apart = {
            (p, q): max(abs(tokens[p[0], r, p[1]] - tokens[q[0], r, q[1]]) for r in range(d))
            for p, q in itertools.combinations(points, 2)
        }
        gap, *at = least_gap(tokens)
        assert gap == min(apart.values())
        assert apart[tuple(at)] == gap


def test_layers_are_the_formula():
    rng = np.random.default_rng(0)
    weights, row = random_weights(2, 2, rng), pattern("sliding_window", 3, window=1)
    assert all(Fraction(1, 2) <= abs(w) <= 2 and (32 * w).denominator == 1 for w in weights.flat)
    X = SETS[0].astype(float)
    expected = X.copy()
    for W_Q, W_K, W_V in weights.astype(float):
        before = expected.copy()
        for i in range(3):
            scores = {j: math.exp(float((W_Q @ before[:, i]) @ (W_K @ before[:, j]))) for j in row[i]}
            for r in range(2):
                heard = sum(share * float(W_V[r] @ before[:, j]) for j, share in scores.items())
                expected[r, i] += heard / sum(scores.values())
    found = np.asarray(attention_layers(weights, kernel("exp"), [row, row])(X, FLOAT64))
    assert np.allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["exp", "rbf", "cauchy", "elu", "laplace"])
def test_random_weights_tell_all_apart(name):
    found = separating_layers(SETS, kernel(name))
    assert found.gap > 0
    floats = np.asarray(found.model(SETS, FLOAT64))
    assert abs(float(found.gap) - least_gap(floats)[0]) < 1e-9
    assert found.gap <= enclosed(found.model, SETS[:2]).gap


def test_two_orders_of_one_sequence_are_refused():
    with pytest.raises(ValueError, match="different orbits"):
        separating_layers(np.stack([SETS[0], SETS[0][:, [1, 0, 2]]]))


def test_labels_are_recalled():
    labels = np.random.default_rng(0).integers(-9, 10, SETS.shape).astype(object)
    model = recalling(separating_layers(SETS), labels)
    assert len(model.layers) == 2
    answers = np.asarray(model(SETS, BALL.with_bits(512)))
    assert all(
        abs(ball.midpoint - label) + ball.radius < 1e-30 for ball, label in zip(answers.flat, labels.flat, strict=True)
    )


@pytest.mark.parametrize("name", ["exp", "rbf", "cauchy"])
def test_weights_of_float32_tensors_are_of_float32(name):
    X = torch.as_tensor(SETS.astype(np.float64))
    W = torch.eye(2, dtype=torch.float64)
    exact, rough = (
        attention_weights(X.to(kind), W.to(kind), W.to(kind), kernel(name)) for kind in (X.dtype, torch.float32)
    )
    assert rough.dtype == torch.float32
    assert torch.allclose(rough.double(), exact, atol=1e-5)
