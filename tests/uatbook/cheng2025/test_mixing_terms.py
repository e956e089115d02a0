"""Mixing terms of cheng2025 in plain loops."""

import math

import numpy as np
import pytest
import torch

from uatbook.cheng2025.mixing_terms import attention_weights, bias_attention, cyclic_convolution, linformer, skyformer
from uatlib.cheng2025 import kernel, pattern

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 5))
Q, K, V = (RNG.normal(size=(3, 3)) for _ in range(3))
E, F = (RNG.normal(size=(5, 2)) for _ in range(2))
NEAR = pattern("sliding_window", 5, window=1)


def close(found, expected):
    assert np.abs(np.asarray(found) - expected).max() < 1e-12


@pytest.mark.parametrize("near", [None, NEAR])
@pytest.mark.parametrize("name", ["exp", "rbf", "elu"])
def test_attention_weights(near, name):
    k = kernel(name)
    found = attention_weights(X, Q, K, k, near)
    expected = np.zeros((2, 5, 5))
    for s in range(2):
        for i in range(5):
            heard = range(5) if near is None else near[i]
            powers = {j: math.exp(k.log(Q @ X[s, :, i], K @ X[s, :, j])) for j in heard}
            for j, power in powers.items():
                expected[s, j, i] = power / sum(powers.values())
    close(found, expected)
    assert attention_weights(X, Q, K, kernel("constant")).shape == (2, 5, 5)


def test_linformer():
    expected = np.zeros((2, 3, 5))
    for s in range(2):
        keys, values = K @ X[s] @ E, V @ X[s] @ F
        for i in range(5):
            powers = [math.exp(keys[:, a] @ (Q @ X[s, :, i])) for a in range(2)]
            expected[s, :, i] = sum(p * values[:, a] for a, p in enumerate(powers)) / sum(powers)
    close(linformer(X, Q, K, V, E, F), expected)


def test_skyformer():
    expected = np.zeros((2, 3, 5))
    for s in range(2):
        for i in range(5):
            for j in range(5):
                apart = Q @ X[s, :, i] - K @ X[s, :, j]
                expected[s, :, i] += math.exp(-(apart @ apart) / 2) * (V @ X[s, :, j])
    close(skyformer(X, Q, K, V), expected)


@pytest.mark.parametrize("near", [None, NEAR])
def test_bias_attention(near):
    b = RNG.normal(size=3)
    expected = np.zeros((2, 3, 5))
    for s in range(2):
        for i in range(5):
            for j in range(5) if near is None else near[i]:
                expected[s, :, i] += 0.5 * np.tanh(Q @ X[s, :, j] - b)
    close(bias_attention(X, 0.5, Q, b, "tanh", near), expected)
    close(bias_attention(X, 0.5, Q, b, lambda t: t.tanh(), near), expected)


def test_tensors_keep_their_kind_and_gradients():
    Z = torch.tensor(X, dtype=torch.float32)
    weight = torch.tensor(Q, dtype=torch.float32, requires_grad=True)
    found = skyformer(Z, weight, K, V)
    assert found.dtype == torch.float32
    found.sum().backward()
    assert weight.grad.abs().sum() > 0
    assert np.abs(found.detach().numpy() - skyformer(X, Q, K, V)).max() < 1e-4


WRONG = [
    (lambda: attention_weights(X, Q[:, :2], K), r"W_Q: expected shape \(m, 3\)"),
    (lambda: attention_weights(X, Q, K[:2]), r"W_K: expected shape \(3, 3\)"),
    (lambda: attention_weights(X, Q, K, "exp"), "kernel: expected a Kernel"),
    (lambda: attention_weights(X, Q, K, pattern=[{0}] * 4), "pattern: expected a pattern of 5 tokens among themselves"),
    (
        lambda: attention_weights(X, Q, K, pattern=[{0}, set(), {0}, {0}, {0}]),
        "pattern: expected token 1 to hear at least one",
    ),
    (lambda: attention_weights([1, 2], Q, K), "X: expected shape"),
    (lambda: attention_weights([[math.nan]], [[1]], [[1]]), r"X\[0, 0\]: expected finite"),
    (lambda: linformer(X, Q, K, V, E[:4], F), r"E: expected shape \(5, k\)"),
    (lambda: skyformer(X, Q, K, [[1]]), r"W_V: expected shape \(m, 3\)"),
    (lambda: bias_attention(X, [1], Q, 0), "a: expected a number"),
    (lambda: bias_attention(X, 1, Q, [1, 2]), r"b: expected a number or shape \(3,\)"),
    (lambda: bias_attention(X, 1, Q, 0, "swish"), "alpha: expected one of relu"),
    (lambda: bias_attention(X, 1, Q, 0, lambda z: z.tolist()), "alpha: expected a function of tensors"),
    (lambda: cyclic_convolution(X, []), "psi: expected"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_what_they_refuse(case):
    call, message = WRONG[case]
    with pytest.raises(ValueError, match="^" + message):
        call()


@pytest.mark.parametrize("batch", [(), (2,)])
def test_softmax_attention_of_many_tokens_is_torchs_and_the_same(batch):
    from uatlib.arithmetic import FLOAT64
    from uatlib.kernels import DOT, FUSED

    n = math.isqrt(FUSED)
    values, keys, queries = (torch.tensor(RNG.normal(size=(*batch, rows, n))) for rows in (2, 3, 3))
    scores = keys.mT @ queries
    expected = values @ torch.softmax(scores, dim=-2)
    close(DOT.mix(values, keys, queries, FLOAT64), expected.numpy())
    assert (DOT.mix(values[..., :5], keys[..., :5], queries, FLOAT64)).shape == (*batch, 2, n)
