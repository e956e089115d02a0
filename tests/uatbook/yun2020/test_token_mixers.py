"""Cheaper token mixers against their formulas in plain loops, torch's own layers, and the definitions."""

import copy
import pickle
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import torch

from uatbook.yun2020.token_mixers import (
    average_attention,
    average_context,
    bilinear_context,
    digits,
    receptive_field,
    same_mean_pair,
    separable_context,
    token_power,
    unheard_pair,
)
from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64
from uatlib.mixers import BilinearProjection, SeparableConvolution
from uatlib.model import Transformer
from uatlib.torch_model import from_module, to_module

from ...uatlib.yun2020.oracles import violates

SIZES = [(1, 1), (1, 4), (2, 3), (3, 5)]


def average_by_loops(X, w_v, w_o):
    d, n, m = len(X), len(X[0]), len(w_v)
    mean = [sum(Fraction(X[i][j]) for j in range(n)) / n for i in range(d)]
    value = [sum(w_v[a][i] * mean[i] for i in range(d)) for a in range(m)]
    return [[X[i][j] + sum(w_o[i][a] * value[a] for a in range(m)) for j in range(n)] for i in range(d)]


def bilinear_by_loops(X, w_o, w_p):
    d, n = len(X), len(X[0])
    mixed = [[sum(X[i][k] * w_p[k][j] for k in range(n)) for j in range(n)] for i in range(d)]
    return [[X[i][j] + sum(w_o[i][a] * mixed[a][j] for a in range(d)) for j in range(n)] for i in range(d)]


def separable_by_loops(X, w_o, w_c):
    d, n, k = len(X), len(X[0]), len(w_c[0])
    mixed = [[0] * n for _ in range(d)]
    for i, j, t in product(range(d), range(n), range(k)):
        place = j + t - (k - 1) // 2
        if 0 <= place < n:
            mixed[i][j] += w_c[i][t] * X[i][place]
    return [[X[i][j] + sum(w_o[i][a] * mixed[a][j] for a in range(d)) for j in range(n)] for i in range(d)]


def layers_and_oracles(d, n, rng):
    def draw(*shape):
        return [[Fraction(int(x), 4) for x in row] for row in rng.integers(-9, 10, shape)]

    w_o, w_v, w_m, w_p = draw(d, d), draw(2, d), draw(d, 2), draw(n, n)
    yield average_attention(w_v, w_m), lambda X: average_by_loops(X, w_v, w_m)
    yield BilinearProjection(w_o, w_p), lambda X: bilinear_by_loops(X, w_o, w_p)
    for k in (1, 2, 3, 4, 2 * n + 1):
        w_c = draw(d, k)
        yield SeparableConvolution(w_o, w_c), lambda X, w_c=w_c: separable_by_loops(X, w_o, w_c)


# -------------------------------------------------------------------------------------------------------------- layers


@pytest.mark.parametrize(("d", "n"), SIZES)
def test_layers_are_their_formulas(d, n):
    rng = np.random.default_rng(d + 10 * n)
    X = np.array([[[Fraction(int(x), 3) for x in row] for row in rows] for rows in rng.integers(-9, 10, (3, d, n))])
    for layer, oracle in layers_and_oracles(d, n, rng):
        model = Transformer([layer])
        want = [oracle(rows) for rows in X.tolist()]
        assert model(X, EXACT).tolist() == want
        floats = torch.tensor(np.array(want).astype(np.float64))
        for system, tolerance in ((FLOAT64, 1e-12), (FLOAT32, 1e-4)):
            got = model(X, system)
            assert got.dtype == system.dtype
            torch.testing.assert_close(got.double(), floats, atol=tolerance, rtol=tolerance)
        balls = model(X, BALL)
        assert all(ball.contains(exact) for ball, exact in zip(balls.flat, np.array(want).flat, strict=True))


def test_average_attention_is_softmax_of_zero_scores():
    X = torch.randn(4, 3, 5, dtype=torch.float64, generator=torch.manual_seed(0))
    w = torch.randn(2, 3, dtype=torch.float64)
    soft, hard = (Transformer([average_attention(w, w.mT, s)])(X, FLOAT64) for s in ("softmax", "hardmax"))
    torch.testing.assert_close(soft, hard)
    torch.testing.assert_close(hard, X + w.mT @ w @ X.mean(-1, keepdim=True))


@pytest.mark.parametrize("kind", [0, 1])
def test_layers_train_copy_report_and_save(kind, tmp_path):
    layer = [BilinearProjection([[1]], np.eye(3)), SeparableConvolution([[1]], [[1, 0, 2]])][kind]
    model = Transformer([layer])
    module = to_module(model, torch.float64)
    X = torch.ones(2, 1, 3, dtype=torch.float64)
    module(X).sum().backward()
    assert all(p.grad is not None and bool(p.grad.any()) for p in module.parameters())
    again = from_module(module)
    torch.testing.assert_close(again(X, FLOAT64), model(X, FLOAT64))
    for twin in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert repr(twin) == repr(layer)
        assert {k: v.tolist() for k, v in twin.weights().items()} == {k: v.tolist() for k, v in layer.weights().items()}
    assert layer.parameter_count() == [10, 4][kind]
    assert layer.acts
    assert not layer.with_weights({**layer.weights(), "w_o": [[0]]}).acts
    with pytest.raises(ValueError, match="read-only"):
        layer.w_o[0, 0] = 2
    model.save(tmp_path / "model.json")
    loaded = Transformer.load(tmp_path / "model.json").layers[0]
    assert repr(loaded) == repr(layer)
    assert {k: v.tolist() for k, v in loaded.weights().items()} == {k: v.tolist() for k, v in layer.weights().items()}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BilinearProjection([[1, 2]], [[1]]), r"w_o: expected shape \(1, 1\)"),
        (lambda: BilinearProjection([[1]], [[1, 2]]), r"w_p: expected shape \(1, 1\)"),
        (lambda: SeparableConvolution([[1]], [[1], [2]]), r"w_c: expected shape \(1, 1\)"),
        (lambda: SeparableConvolution([[1]], [1, 2]), "2 axes"),
        (lambda: SeparableConvolution([[float("nan")]], [[1]]), "finite"),
        (lambda: BilinearProjection(None, [[1]]), "w_o"),
        (lambda: average_attention([[1, 2]], [[1]]), "d_out = d_in = 2 for the skip"),
        (lambda: average_attention([[1]], [[1]], "mean"), "softmax"),
    ],
)
def test_bad_weights_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_bilinear_projection_takes_one_length_only():
    with pytest.raises(
        ValueError,
        match=r"expected shape \(\.\.\., 1, 3\).*BilinearProjection\(n=3, d=1\) fixes the length: give it 3 tok",
    ):
        Transformer([BilinearProjection([[1]], np.eye(3, dtype=int))])([[1, 2]], EXACT)


# ------------------------------------------------------------------------------------------------- what they tell apart


def ids_of(model, N, n, d, distinct=True):
    """(sequence of shape (d, n), ids u^T model(L)) for all of the grid, or those of distinct columns; plain loops."""
    for entries in product(range(N), repeat=d * n):
        rows = [list(entries[i * n : (i + 1) * n]) for i in range(d)]
        if distinct and len(set(zip(*rows, strict=True))) < n:
            continue
        out = model(rows, EXACT)
        yield rows, [sum(N**i * out[i, j] for i in range(d)) for j in range(n)]


def first_violation(model, N, n, d, definition, distinct=True):
    known = list(ids_of(model, N, n, d, distinct))
    for (L, q), (M, r) in product(known, known):
        if violates(L, q, M, r, definition):
            return L, M
    return None


GRIDS = [(3, 2, 1), (4, 3, 1), (3, 3, 1), (2, 2, 2)]


@pytest.mark.parametrize(("N", "n", "d"), GRIDS)
def test_a_bilinear_projection_meets_the_printed_definition(N, n, d):
    model = bilinear_context(inverse_delta=N, n=n, d=d)
    assert first_violation(model, N, n, d, "printed") is None
    D = N**d
    for rows, q in ids_of(model, N, n, d):
        column = [sum(N**i * rows[i][j] for i in range(d)) for j in range(n)]
        for j in range(n):
            rest, places = int(q[j]), []
            for _ in range(n + 1):
                rest, digit = divmod(rest, D)
                places.append(digit)
            assert rest == 0
            assert places == [column[j], *column]


@pytest.mark.parametrize(("N", "n", "d"), GRIDS)
def test_a_wide_convolution_meets_the_definition_of_the_slides_only(N, n, d):
    model = separable_context(inverse_delta=N, n=n, d=d)
    assert first_violation(model, N, n, d, "slides") is None
    L, M = first_violation(model, N, n, d, "printed")
    assert sorted(zip(*L, strict=True)) == sorted(zip(*M, strict=True))


@pytest.mark.parametrize(("N", "n", "d"), [(3, 2, 1), (4, 3, 1), (2, 4, 1), (2, 2, 2)])
def test_powers_then_the_mean_meet_the_definition_of_the_slides(N, n, d):
    """On the whole grid, repeated columns included; ids are the first entries."""
    model = average_context(inverse_delta=N, n=n, d=d)
    known = []
    for rows, _ in ids_of(model, N, n, d, distinct=False):
        out = model(rows, EXACT)
        known.append((rows, out[0].tolist()))
        assert out[1:].tolist() == rows[1:]
    assert not any(violates(L, q, M, r, "slides") for (L, q), (M, r) in product(known, known))


def test_base_two_is_enough_among_distinct_tokens_and_not_beyond():
    model = average_context(inverse_delta=6, n=3, d=1, base=2)
    assert first_violation(model, 6, 3, 1, "slides") is None
    L, M = [[0, 0, 2, 3]], [[1, 1, 1, 3]]
    for base, agree in ((2, True), (5, False)):
        model = average_context(inverse_delta=4, n=4, d=1, base=base)
        assert (model(L, EXACT)[0, 3] == model(M, EXACT)[0, 3]) == agree


def test_the_mean_alone_is_fooled_for_every_weight():
    pairs = [((0, 1, 5), (0, 2, 4)), *(same_mean_pair(n) for n in (3, 4, 6))]
    for a, b in pairs:
        assert sum(a) == sum(b)
        assert a[0] == b[0]
        assert sorted(a) != sorted(b)
        assert len(set(a)) == len(set(b)) == len(a) == len(b)
        for weight in (0, 1, Fraction(-7, 3), 10**20):
            model = Transformer([average_attention([[1]], [[weight]])])
            assert model([a], EXACT)[0, 0] == model([b], EXACT)[0, 0]
        N = max(max(a), max(b)) + 1
        told = average_context(inverse_delta=N, n=len(a), d=1, base=2)
        assert not set(told([a], EXACT).flat) & set(told([b], EXACT).flat)
    assert same_mean_pair(3) == ((0, 1, 4), (0, 2, 3))


@pytest.mark.parametrize(("N", "n"), [(4, 2), (3, 3), (4, 3), (5, 3), (5, 4), (6, 4)])
def test_when_a_token_and_the_mean_tell_the_others(N, n):
    """Among distinct tokens of the grid just if n <= 2 or N <= n + 1."""
    seen = {}
    fooled = False
    for L in permutations(range(N), n):
        fooled |= seen.setdefault((L[0], sum(L)), set(L)) != set(L)
    assert fooled == (n >= 3 and n + 2 <= N)


@pytest.mark.parametrize(("N", "d", "base"), [(2, 1, 2), (6, 1, 2), (3, 2, 4), (2, 3, 7)])
def test_token_power_at_every_token(N, d, base):
    layer = token_power(N, d, base)
    model = Transformer([layer])
    assert layer.w_1.shape == (N**d, d)
    for token in product(range(N), repeat=d):
        got = model([[entry] for entry in token], EXACT)[:, 0].tolist()
        assert got == [base ** sum(N**i * x for i, x in enumerate(token)), *token[1:]]


# -------------------------------------------------------------------------------------------------------------- hearing


@pytest.mark.parametrize(("k", "layers", "n"), list(product([1, 2, 3, 4, 5], [0, 1, 2, 3], [1, 4, 6])))
def test_receptive_field_is_what_a_change_reaches(k, layers, n):
    model = [Transformer([SeparableConvolution([[1]], [[1] * k])] * layers)] if layers else []
    for token in range(n):
        heard = []
        for other in range(n):
            X = [[int(j == other) for j in range(n)]]
            out = model[0](X, EXACT) if model else np.array(X)
            if out[0, token] != 0:
                heard.append(other)
        assert heard == list(receptive_field(k, layers, token, n))


@pytest.mark.parametrize(("k", "layers", "n"), list(product([1, 2, 3, 4], [1, 2], [2, 4, 7])))
def test_unheard_pairs_differ_only_where_nothing_is_heard(k, layers, n):
    for token in range(n):
        pair = unheard_pair(k, layers, token, n)
        heard = receptive_field(k, layers, token, n)
        assert (pair is None) == (len(heard) == n)
        if pair is not None:
            a, b = pair
            assert len(set(a)) == len(set(b)) == n
            assert max(a + b) == n
            assert set(a) != set(b)
            assert [j for j in range(n) if a[j] != b[j]] == [max(set(range(n)) - set(heard))]


# ------------------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: same_mean_pair(2), "n: expected an int from 3 to 1,000,000, got 2; two tokens"),
        (lambda: token_power(2, 1, 1), "base: expected an int >= 2, got 1"),
        (lambda: receptive_field(0, 1, 0, 3), "k: expected an int >= 1, got 0"),
        (lambda: receptive_field(3, -1, 0, 3), "layers: expected an int >= 0, got -1"),
        (lambda: receptive_field(3, 1, 3, 3), "token: expected an int from 0 to 2, got 3"),
        (lambda: unheard_pair(3, 1, 0, 10**9), "n: expected an int from 1 to 1,000,000, got 1000000000"),
        (lambda: same_mean_pair(10**9), "n: expected an int from 3 to 1,000,000"),
        (lambda: average_context(inverse_delta=3, n=2, d=1, base=2.5), "base: expected an int >= 2, got 2.5"),
        (lambda: token_power(10, 3, 2**20), r"N\^d - 1|limit"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_digits_are_columns():
    assert digits((5, 0, 7), 2, 3) == [[1, 0, 1], [0, 0, 1], [1, 0, 1]]
