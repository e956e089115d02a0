"""Verdicts of `check_mixer` where the answer is known, and that each "no" comes with a pair that is alike."""

import numpy as np
import pytest
import torch

from uatlib.cheng2025 import (
    bias_attention,
    check_mixer,
    cyclic_convolution,
    distinguishes,
    kernel,
    linformer,
    local_fooling_pairs,
    pattern,
    skyformer,
)

KNOWN = [
    ("exp", {}, 3, 1, "yes"),
    ("rbf", {}, 4, 1, "yes"),
    ("constant", {}, 3, 2, "no"),
    ("cosh", {}, 4, 2, "no"),
    ("polynomial", {"power": 2, "offset": 1}, 4, 1, "yes"),
    ("polynomial", {"power": 2, "offset": 1}, 5, 1, "no"),
    ("elu", {}, 3, 1, "yes"),
    ("exp_plus", {"w": [1, 0.5]}, 3, 1, "yes"),
]


@pytest.mark.parametrize(("name", "parameters", "n", "layers", "verdict"), KNOWN)
def test_kernels_on_all_tokens(name, parameters, n, layers, verdict):
    k = kernel(name, **parameters)
    found = distinguishes(k, [pattern("full", n)] * layers, d=2)
    assert found.verdict == verdict
    assert found.holds == (verdict == "yes")
    if verdict == "no":
        # The pair by the formula, with weights that the search has not seen.
        (X, Y), (i, j) = found.pair, found.tokens
        assert sorted(map(tuple, X.T)) != sorted(map(tuple, Y.T))
        for seed in range(5):
            rng = np.random.default_rng(seed)
            weights = rng.normal(size=(layers, 3, 2, 2))
            outs = [mixed(Z, weights, k) for Z in (X, Y)]
            assert outs[0][:, i] == pytest.approx(outs[1][:, j], abs=1e-11)


def mixed(Z, weights, k):
    for W_Q, W_K, W_V in weights:
        new = Z.copy()
        for i in range(Z.shape[1]):
            shares = np.array([np.exp(k.log(W_Q @ Z[:, i], W_K @ Z[:, j])) for j in range(Z.shape[1])])
            new[:, i] += W_V @ Z @ shares / shares.sum()
        Z = new
    return Z


@pytest.mark.parametrize(
    ("patterns", "verdict"),
    [
        ([[{0, 1, 2}, {0, 2}, {0, 1}]], "no"),
        ([pattern("longformer", 6, window=1, global_tokens=1)] * 2, "no"),
        ([pattern("circulant", 5, window=1)] * 2, "yes"),
    ],
)
def test_patterns_are_judged_as_by_the_exact_test(patterns, verdict):
    assert distinguishes(kernel("exp"), patterns, d=2).verdict == verdict
    assert bool(local_fooling_pairs(patterns)) == (verdict == "no")


def sky(X, theta):
    return skyformer(X, *theta.reshape(3, 2, 2))


MIXERS = {
    "mean": (lambda X, t: t[0] * X.mean(-1, keepdim=True) + 0 * X, 1, 3, "symmetric", "no"),
    "convolution": (lambda X, t: cyclic_convolution(X, t), 3, 4, "cyclic", "no"),
    "skyformer": (sky, 12, 4, "symmetric", "yes"),
    "linformer": (
        lambda X, t: linformer(X, *t[:12].reshape(3, 2, 2), *t[12:].reshape(2, 4, 2)), 28, 4, "trivial", "yes",
    ),
    "bias": (lambda X, t: bias_attention(X, t[0], t[1:5].reshape(2, 2), t[5:7]), 7, 4, "symmetric", "yes"),
    "bias, cubic": (
        lambda X, t: bias_attention(X, t[0], t[1:5].reshape(2, 2), t[5:7], lambda u: u**3), 7, 5, "symmetric", "no",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXERS)
def test_mixers_of_other_kinds(name):
    g, parameters, n, group, verdict = MIXERS[name]
    assert check_mixer(g, parameters=parameters, n=n, d=2, group=group).verdict == verdict


def test_two_layers_of_convolution_reach_all_tokens():
    g = MIXERS["convolution"][0]
    assert check_mixer(g, parameters=3, n=4, d=2, group="cyclic", layers=2).verdict == "yes"


def test_a_zero_token_fools_skyformer():
    found = check_mixer(sky, parameters=12, n=4, d=2, group="symmetric", zero_tokens=True)
    assert found.verdict == "no"
    assert found["a zero token"].measured < 100


WRONG = [
    ({"g": lambda X, t: X[:, :1]}, r"g: expected values of shape \(2, 3\), got \(2, 1\)"),
    ({"g": lambda X, t: X * torch.nan}, "g: expected finite values"),
    ({"g": lambda X, t: X @ t}, r"g: expected a function of tensors X of shape \(2, 3\)"),
    ({"g": lambda X, t: X * torch.arange(3)}, "group: expected one under which g is equivariant"),
    ({"g": 3}, "g: expected a function"),
    ({"parameters": 0}, "parameters: expected an int from 1"),
    ({"layers": 0}, "layers: expected"),
    ({"group": "ring"}, "group: expected one of symmetric"),
    ({"n": 1.5}, "n: expected"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_what_it_refuses(changes, message):
    with pytest.raises(ValueError, match="^" + message):
        check_mixer(**{"g": lambda X, t: 0 * X + t[0], "parameters": 1, "n": 3, "d": 2, "group": "symmetric"} | changes)
