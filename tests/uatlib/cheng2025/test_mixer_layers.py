"""Linformer, Skyformer, bias attention, cyclic convolution as layers: loops, terms without the skip, files, devices."""

import math
from fractions import Fraction

import numpy as np
import pytest

from uatbook.cheng2025.mixing_terms import attention_weights, bias_attention, cyclic_convolution, linformer, skyformer
from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, INT64
from uatlib.arithmetic.objects import distances
from uatlib.cheng2025 import kernel, pattern
from uatlib.kernels import RBF
from uatlib.layers import Attention, Head
from uatlib.mixers import ALPHAS, BiasAttention, CyclicConvolution
from uatlib.model import Transformer
from uatlib.patterns import Pattern

D, N, K = 3, 5, 2
RNG = np.random.default_rng(0)


def eighths(*shape):
    """Exact numbers that floats hold."""
    return np.vectorize(lambda u: Fraction(int(u), 8), otypes=[object])(RNG.integers(-9, 10, shape))


X = eighths(2, 4, D, N)
Q, W_K, V, ONE = eighths(D, D), eighths(D, D), eighths(D, D), np.eye(D, dtype=int)
E, F, B, PSI = eighths(N, K), eighths(N, K), eighths(D), eighths(3)
NEAR = pattern("sliding_window", N, window=1)
A = Fraction(-3, 4)

TERMS = {
    "linformer": (
        Attention([Head(Q, W_K, V, ONE, w_e=E, w_f=F)]),
        lambda Z: linformer(Z, Q, W_K, V, E, F),
    ),
    "skyformer": (
        Attention([Head(Q, W_K, V, ONE)], "none", kernel=RBF(Fraction(1, 2))),
        lambda Z: skyformer(Z, Q, W_K, V),
    ),
    "weights": (
        Attention([Head(Q, W_K, V, ONE)], kernel=kernel("cauchy"), mask=Pattern(NEAR)),
        lambda Z: (
            np.array(V, float) @ np.asarray(Z, float) @ np.asarray(attention_weights(Z, Q, W_K, kernel("cauchy"), NEAR))
        ),
    ),
    **{
        f"bias, {alpha}": (BiasAttention(A, Q, B, alpha), lambda Z, alpha=alpha: bias_attention(Z, A, Q, B, alpha))
        for alpha in (*ALPHAS, 1, 3)
    },
    "bias, near": (BiasAttention(A, Q, B, pattern=Pattern(NEAR)), lambda Z: bias_attention(Z, A, Q, B, pattern=NEAR)),
    "cyclic": (CyclicConvolution(PSI), lambda Z: cyclic_convolution(Z, PSI)),
}


@pytest.mark.parametrize("name", TERMS)
def test_a_layer_is_the_sequence_plus_its_mixing_term(name):
    layer, term = TERMS[name]
    for system, near in ((FLOAT64, 1e-13), (FLOAT32, 1e-4)):
        found = Transformer([layer])(X, system).double().numpy() - X.astype(float)
        want = np.asarray(term(X))
        assert found.shape == want.shape == X.shape
        assert np.abs(found - want).max() < near * np.abs(want).max()


@pytest.mark.parametrize("name", TERMS)
def test_balls_enclose_the_term(name):
    layer, term = TERMS[name]
    found = Transformer([layer])(X[0, :2], BALL)
    assert max(ball.radius for ball in found.flat) < Fraction(1, 2**90)
    want = np.asarray(term(X[0, :2])) + X[0, :2].astype(float)
    assert float(distances(found, want).max()) < 1e-12 * np.abs(want).max()


# ------------------------------------------------------------------------------------------------------- in plain loops

BY_HAND = {
    "relu": lambda t: max(t, 0),
    "tanh": math.tanh,
    "exp": math.exp,
    "sin": math.sin,
    "sigmoid": lambda t: 1 / (1 + math.exp(-t)),
    "gelu": lambda t: t * (1 + math.erf(t / math.sqrt(2))) / 2,
    0: lambda t: 1,
    1: lambda t: t,
    2: lambda t: t * t,
    5: lambda t: t**5,
}


def bias_by_loops(x, alpha, heard):
    out = [list(row) for row in x]
    for r in range(D):
        for i in range(N):
            for j in heard[i]:
                out[r][i] += A * alpha(sum(Q[r][c] * x[c][j] for c in range(D)) - B[r])
    return out


@pytest.mark.parametrize("near", [None, NEAR])
@pytest.mark.parametrize("alpha", BY_HAND)
def test_bias_attention_is_its_formula(alpha, near):
    layer = BiasAttention(A, Q, B, alpha, None if near is None else Pattern(near))
    heard = [range(N)] * N if near is None else near
    want = [bias_by_loops(x, BY_HAND[alpha], heard) for x in X[0].tolist()]
    if alpha == "relu" or isinstance(alpha, int):
        assert Transformer([layer])(X[0], EXACT).tolist() == want
    floats = np.array(want, dtype=float)
    found = Transformer([layer])(X[0], FLOAT64).numpy()
    assert np.abs(found - floats).max() < 1e-13 * np.abs(floats).max()


@pytest.mark.parametrize("length", [1, 3, 5, 8])
def test_the_cyclic_convolution_is_its_formula(length):
    psi = eighths(length)
    want = X[0].copy()
    for i in range(N):
        for j in range(length):
            want[:, :, i] += psi[j] * X[0][:, :, (i + j) % N]
    assert Transformer([CyclicConvolution(psi)])(X[0], EXACT).tolist() == want.tolist()


def test_whole_numbers_run_in_int64_and_halves_in_units():
    Z = [[1, -2, 3, 0], [5, 1, -1, 2]]
    for layer in (BiasAttention(2, [[1, -1], [0, 3]], [1, -2], "relu"), CyclicConvolution([1, -2, 3])):
        model = Transformer([layer])
        exact = model(Z, EXACT)
        assert model(Z, INT64).tolist() == exact.tolist()
        halves = INT64.in_units_of(Fraction(1, 2))
        assert (model((2 * np.array(Z)).tolist(), halves).numpy() / 2 == exact.astype(float)).all()
    square = Transformer([BiasAttention(2, [[1, -1], [0, 3]], [1, -2], 2)])
    assert square(Z, INT64).tolist() == square(Z, EXACT).tolist()
    with pytest.raises(ValueError, match=r"^alpha: expected a function of t that counts units"):
        square(Z, INT64.in_units_of(Fraction(1, 2)))


def test_what_acts_and_what_fits():
    assert not BiasAttention(0, Q, B).acts
    assert BiasAttention(1, Q, B).acts
    assert not CyclicConvolution([0, 0]).acts
    layer = BiasAttention(1, Q, B, 2, Pattern(NEAR))
    assert (layer.d_in, layer.n_in, layer.parameter_count()) == (D, N, 1 + D * D + D)
    assert CyclicConvolution([1, 2]).n_in is None
    assert repr(layer) == "BiasAttention(t^2, d=3, Pattern(n=5, up to 3 heard))"


WRONG = [
    (lambda: BiasAttention([1], Q, B), "BiasAttention a: expected a non-empty array with 0 axes"),
    (lambda: BiasAttention(1, Q[:2], B), r"BiasAttention w: expected shape \(2, 2\)"),
    (lambda: BiasAttention(1, Q, B[:2]), r"BiasAttention b: expected shape \(3,\)"),
    (lambda: BiasAttention(1, Q, B, "swish"), "alpha: expected one of relu, tanh, .* or k for t\\^k"),
    (lambda: bias_attention(X, 1, Q, B, 0.5), "alpha: expected one of relu"),
    (lambda: BiasAttention(1, Q, B, pattern=NEAR), "BiasAttention pattern: expected a Pattern"),
    (lambda: BiasAttention(1, Q, B, pattern=Pattern([[0]], 2)), "BiasAttention pattern: expected one of as many keys"),
    (lambda: CyclicConvolution([]), "CyclicConvolution psi: expected a non-empty array"),
    (lambda: Transformer([BiasAttention(1, Q, B)])(X, EXACT), "EXACT cannot run tanh"),
    (lambda: Transformer([BiasAttention(1, Q, B, pattern=Pattern(NEAR))])(X[..., :4], FLOAT64), "X: expected shape"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_what_they_refuse(case):
    call, message = WRONG[case]
    with pytest.raises(ValueError, match="^" + message):
        call()
