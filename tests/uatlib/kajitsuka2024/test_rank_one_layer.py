"""The layer of Theorem 2: its numbers by their formulas, its ids in plain loops, literally and in floats."""

import math
from fractions import Fraction
from itertools import combinations, permutations

import flint
import numpy as np
import pytest

from uatbook.kajitsuka2024.hardmax_fails import hardmax_heads, hardmax_pair, small_hardmax
from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64
from uatlib.internal.layer_runs import has_rank_one
from uatlib.kajitsuka2024.certify_layer import collisions
from uatlib.kajitsuka2024.certify_network import certify
from uatlib.kajitsuka2024.directions import direction
from uatlib.kajitsuka2024.rank_one_layer import rank_one_attention, separation
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

GRID = np.array([[1, 2, 3], [2, 1, 2]])


def printed(size, d, n, r_min, r_max, eps):
    """(7), (8) and (29) as they stand; the logarithm of (8)."""
    gap, four = 2 * math.log(n) + 3, (size + 1) ** 4
    factor = 2 * math.log(n) ** 2 * eps**2 * r_min / (r_max**2 * four * gap * math.pi * d)
    exponent = -four * gap * math.pi * d * r_max**2 / (4 * eps * r_min)
    return r_max + eps / 4, (math.log(factor) + exponent) / math.log(10), four * math.pi * d / 8 * gap / (eps * r_min)


@pytest.mark.parametrize(
    ("vocabulary", "n", "sizes"),
    [
        ([1, 2, 3, 4], 2, (4, 1, 1, 4, 1)),
        ([1, 2, 3, 4, 5, 6], 4, (6, 1, 1, 6, 1)),
        ([-3, 2, Fraction(1, 2)], 2, (3, 1, 0.5, 3, 1.5)),
        (GRID, 2, (3, 2, math.sqrt(5), math.sqrt(13), math.sqrt(2))),
    ],
)
@pytest.mark.parametrize("slack", [0, Fraction(1, 1000)])
def test_the_numbers_of_theorem_2(vocabulary, n, sizes, slack):
    size, d, r_min, r_max, eps = sizes
    s = separation(vocabulary, n, slack)
    low, high = 1 - float(slack), 1 + float(slack)
    r, log10_delta, beta = printed(size, d, n, r_min * low, r_max * high, eps * low)
    assert (s.size, s.d, s.n) == (size, d, n)
    assert math.isclose(s.r, r, rel_tol=1e-12)
    assert math.isclose(s.log10_delta, log10_delta, rel_tol=1e-12)
    assert math.isclose(s.beta, beta, rel_tol=1e-12)
    assert s.beta <= s.scale <= s.beta * (1 + 1e-12)
    assert math.isclose(s.score_bound, beta * (r_max * high) ** 2, rel_tol=1e-12)
    assert s.bits >= 2 * s.score_bound / math.log(2) >= -s.log10_delta * math.log2(10) * 0.99
    assert math.isclose(s.write, eps * low / (4 * r_max * high), rel_tol=1e-12)


def ids(X, v, beta, write):
    """The columns of X + write v sum_j x_j softmax(beta x_k x)_j in plain loops, for lists of Fractions, in arb."""
    d, n = len(X), len(X[0])
    x = [sum(v[i] * X[i][k] for i in range(d)) for k in range(n)]
    result = [[None] * n for _ in range(d)]
    for k in range(n):
        scores = [beta * x[k] * x[j] for j in range(n)]
        powers = [arb(s - max(scores)).exp() for s in scores]
        heard = sum(arb(x[j]) * p for j, p in enumerate(powers)) / sum(powers)
        for i in range(d):
            result[i][k] = arb(X[i][k]) + arb(write * v[i]) * heard
    return result


def arb(q):
    q = Fraction(q)
    return flint.arb(flint.fmpq(q.numerator, q.denominator))


@pytest.mark.parametrize("head_size", [1, 2, 5])
@pytest.mark.parametrize("vocabulary", [[1, 2, 3, 4], GRID], ids=["line", "plane"])
@pytest.mark.parametrize("scale", [Fraction(-1, 7), 0.25, None], ids=str)
def test_the_layer_by_loops(vocabulary, head_size, scale):
    model = rank_one_attention(vocabulary, 2, head_size, scale)
    s = separation(vocabulary, 2, Fraction(1, 1000))
    v = direction(vocabulary).vector
    tokens = np.atleast_2d(np.array(vocabulary, dtype=object))
    (layer,) = model.layers
    assert layer.heads[0].w_q.shape == (head_size, len(tokens))
    for name, w in layer.weights().items():
        assert np.linalg.matrix_rank(w.astype(float)) == 1, name
    for a, b in permutations(range(tokens.shape[1]), 2):
        X = [[Fraction(row[a]), Fraction(row[b])] for row in tokens]
        with flint.ctx.workprec(200):
            expected = ids(X, v, s.scale if scale is None else Fraction(scale), s.write)
            values = [[float(u) for u in row] for row in expected]
        got = model(X, BALL.with_bits(200))
        for i, row in enumerate(values):
            for k, value in enumerate(row):
                assert math.isclose(float(got[i, k]), value, rel_tol=1e-14)
        assert np.allclose(model([[float(u) for u in row] for row in X], FLOAT64), values, rtol=1e-9)


def test_at_its_scale_the_layer_holds_and_floats_see_hardmax():
    model = rank_one_attention([1, 2, 3, 4], 2)
    certificate = certify(model, [1, 2, 3, 4], 2)
    assert certificate.holds
    assert round(certificate["log10"].measured) == -3749
    assert collisions(model, [1, 2, 3, 4], 2) == collisions(model, [1, 2, 3, 4], 2, FLOAT32) == (4, 12)
    hard = Transformer([Attention(model.layers[0].heads, "hardmax")], n=2)
    X = [[[a, b]] for a, b in permutations([1, 2, 3, 4], 2)]
    assert np.allclose(model(X, FLOAT64), hard(X, FLOAT64), rtol=0, atol=1e-15)
    assert not certify(hard, [1, 2, 3, 4], 2).holds


def test_the_gap_of_the_certificate_by_the_formula_of_the_operator():
    """log10 of W_O's factor times |boltz(a) - boltz(b)| / (beta x_k), at 50,000 bits, for the worst pair."""
    s = separation([1, 2, 3, 4], 2, Fraction(1, 1000))
    worst = []
    with flint.ctx.workprec(60_000):
        for t in range(1, 5):
            others = [u for u in range(1, 5) if u != t]
            heard = {u: ids([[Fraction(t), Fraction(u)]], [1], s.scale, s.write)[0][0] for u in others}
            worst += [abs(heard[a] - heard[b]) for a, b in combinations(others, 2)]
        expected = float(min(worst, key=lambda u: float(u.log())).log() / arb(10).log())
    assert math.isclose(certify(rank_one_attention([1, 2, 3, 4], 2), [1, 2, 3, 4], 2)["log10"].measured, expected)


@pytest.mark.parametrize("vocabulary", [[1, 2, 3], GRID, [-1, 1, 3]], ids=["line", "plane", "signs"])
def test_certificates_hold_and_see_damage(vocabulary):
    n = 2
    model = rank_one_attention(vocabulary, n, 2)
    assert certify(model, vocabulary, n).holds
    (layer,) = model.layers
    weights = layer.weights()
    w_v = weights["head0.w_v"].copy()
    w_v[0] = w_v[0] + [k + 1 for k in range(w_v.shape[1])]
    crooked = Transformer([layer.with_weights({**weights, "head0.w_v": w_v})], n=n)
    assert (certify(crooked, vocabulary, n)["weights"].measured == 1) == (w_v.shape[1] > 1)
    large = Transformer([layer.with_weights({**weights, "head0.w_o": weights["head0.w_o"] * 50})], n=n)
    assert not certify(large, vocabulary, n)["||id||^2"].holds


def test_what_is_no_layer_of_theorem_2_is_seen():
    """Three heads, a second layer, biases, hardmax."""
    model = rank_one_attention([1, 2, 3], 2)
    (layer,) = model.layers
    (head,) = layer.heads
    idle = Head(head.w_q, head.w_k, head.w_v, head.w_o * 0)
    tall = Attention([Head([[1], [1]], [[1], [1]], [[1], [1]], [[0, 0]])])
    for layers, name in (
        ([Attention([head, idle, idle])], "heads"),
        ([layer, tall], "layers"),
        ([Attention([head], b_o=[0])], "weights that are not of rank 1"),
        ([Attention([Head(head.w_q, head.w_k, head.w_v, head.w_o, b_q=[0])])], "weights that are not of rank 1"),
        ([Attention([head], "hardmax")], "layers that are no softmax attention"),
    ):
        assert not certify(Transformer(layers, n=2), [1, 2, 3], 2)[name].holds


def test_the_bits_are_refused_before_anything_runs():
    model = rank_one_attention(range(1, 7), 4)
    with pytest.raises(ValueError, match="needs 567,697 bits here, the limit is 200,000"):
        certify(model, range(1, 7), 4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rank_one_attention([1, 2], 1), "n: expected an int >= 2"),
        (lambda: rank_one_attention([1, 2], 2, 10**7), "head_size: expected an int from 1 to 1,000"),
        (lambda: rank_one_attention([1, 2], 2, 1, 0), "scale: expected a number other than 0"),
        (lambda: rank_one_attention(GRID, 2, vector=[1, 2]), "norm 1 exactly"),
        (lambda: rank_one_attention([[1, 2], [3, 5]], 2, vector=[0.6, 0.8]), "norm 1 exactly"),
        (lambda: rank_one_attention(GRID, 2, vector=[0, 1]), "different for all tokens"),
        (lambda: rank_one_attention(GRID, 2, vector=[1]), "vector: expected 2 entries"),
        (lambda: separation([1, 2], 2, -1), "slack: expected a number"),
        (lambda: separation([1, 2], 2, 1), "slack: expected a number"),
        (lambda: separation([1e-200, 2e-200], 2), "the scale of Theorem 2 .* which floats hold, got "),
        (lambda: separation([1, 2, 3], 2, 1 - Fraction(1, 10**400)), "scale of Theorem 2"),
        (lambda: separation([1, 2, 3], 2, spacing=1e308), "spacing"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_numbers_of_theorem_2_scale_with_the_tokens():
    """beta is in units of 1 / length^2; scores have none."""
    one, large = separation([1, 2, 5], 3), separation([10**150, 2 * 10**150, 5 * 10**150], 3)
    assert math.isclose(one.beta, large.beta * 1e300, rel_tol=1e-12)
    assert math.isclose(one.score_bound, large.score_bound, rel_tol=1e-12)
    assert math.isclose(one.log10_delta + 150, large.log10_delta, rel_tol=1e-9)
    assert separation(np.arange(1, 3000), 2).eps == 1


@pytest.mark.parametrize(
    ("w", "answer"),
    [
        (np.array([[2**32, 0], [0, 2**32]]), False),
        (np.array([[16, 0], [0, 16]], dtype=np.int8), False),
        (np.array([[1e-200, 0], [0, 1e-200]]), False),
        (np.array([[1 + 2**-52, 1], [1, 1 - 2**-53]]), False),
        ([[0, 2, 4], [0, 0, 0], [0, 3, 6]], True),
        ([[0, 2, 4], [1, 3, 6]], False),
        (np.array([[2.0**600, 2.0**-600], [2.0**-10, 2.0**-1210 * 2**600]]), False),
        (np.zeros((2, 2)), False),
    ],
)
def test_the_rank_is_exact(w, answer):
    assert has_rank_one(w) is answer
    with pytest.raises(ValueError, match="w: expected a non-empty array with 2 axes"):
        has_rank_one([1, 2])


# -------------------------------------------------------------------------------------------------------------- hardmax


def test_the_pairs_of_theorem_1_by_hand():
    """A head whose scores tie: 1 + (7/3)/16 and 1 + (8/3)/16; and the repaired pair under each kind of head."""
    tie = Transformer([hardmax_heads({0: Fraction(1, 16)})])
    assert tie([[1, 2, 4]], EXACT)[0, 0] == Fraction(55, 48)
    assert tie([[1, 3, 4]], EXACT)[0, 0] == Fraction(7, 6)
    for n in (4, 5, 9):
        one, other = hardmax_pair(n)
        assert len({*one}) == len({*other}) == n
        assert (min(one), max(one), sum(one)) == (min(other), max(other), sum(other))
        assert set(one) ^ set(other) == {2, 5, 3, 4}
        for sign in (-1, 0, 1):
            outputs = [Transformer([hardmax_heads({sign: 1})])([row], EXACT)[0].tolist() for row in (one, other)]
            for t in set(one) & set(other):
                assert outputs[0][one.index(t)] == outputs[1][other.index(t)]


@pytest.mark.parametrize(("n", "size"), [(2, 3), (2, 9), (3, 4), (3, 8)])
def test_two_or_three_numbers_are_told_apart_by_hardmax(n, size):
    model = Transformer([small_hardmax(n, size)])
    seen = {}
    for row in combinations(range(1, size + 1), n):
        for t, value in zip(row, model([row], EXACT)[0].tolist(), strict=True):
            assert value not in seen, (row, t, seen[value])
            seen[value] = (row, t)


def test_collisions_are_counted_of_a_model_in_floats():
    with pytest.raises(ValueError, match="model: expected a Transformer, got None"):
        collisions(None, [1, 2, 3], 2)
    with pytest.raises(ValueError, match="system: expected a float system or EXACT"):
        collisions(rank_one_attention([1, 2, 3], 2, scale=1), [1, 2, 3], 2, BALL)


def test_bad_hardmax_sizes_are_refused():
    for n in (3, 10**9):
        with pytest.raises(ValueError, match="n: expected an int from 4 to 1,000,000"):
            hardmax_pair(n)
    for n, size in ((4, 9), (3, 3)):
        with pytest.raises(ValueError, match=r"(n|size): expected an int"):
            small_hardmax(n, size)
