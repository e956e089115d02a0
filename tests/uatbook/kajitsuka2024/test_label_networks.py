"""Networks that recall labels: ids and answers in plain loops, counts by their formulas, floats, bad data."""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from uatbook.interpolation import interpolating_layer
from uatbook.kajitsuka2024.label_networks import memorise, positional_encoding
from uatlib import kajitsuka2024
from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, Overflow
from uatlib.kajitsuka2024.certify_network import certify
from uatlib.kajitsuka2024.memory import label_weights
from uatlib.layers import Attention
from uatlib.model import Transformer
from uatlib.sizes import ConstructionTooLarge


def drawn(size, n, count, d, seed=0):
    """`count` sequences of different tokens out of `size`, all with other sets of tokens, and labels in 1, 2, 3."""
    rng = np.random.default_rng(seed)
    tokens = rng.choice(np.arange(1, 12 * size), (size, d), replace=False)
    sets = list(itertools.combinations(range(size), n))
    rows = [rng.permutation(sets[k]) for k in rng.choice(len(sets), count, replace=False)]
    X = np.array([tokens[row].T for row in rows])
    return X, rng.integers(1, 4, X.shape)


def heard(tokens, k, beta):
    """sum_j x_j softmax(beta x_k x)_j for numbers."""
    powers = [math.exp(beta * tokens[k] * (u - tokens[0])) for u in tokens]
    return sum(u * p for u, p in zip(tokens, powers, strict=True)) / sum(powers)


def six():
    """The running example: {1, ..., 6}, n = 4, labels 1, 2, 3."""
    rows = np.array(list(itertools.combinations(range(1, 7), 4)))
    return rows, np.random.default_rng(0).integers(1, 4, rows.shape)


@pytest.mark.parametrize("seed", range(5))
def test_the_layer_interpolates(seed):
    """Against the broken line through the points, in exact arithmetic, at the points, between and beside them."""
    rng = np.random.default_rng(seed)
    Z = rng.integers(-20, 20, (7, 2)).astype(object) * Fraction(1, 3)
    answers = rng.integers(-5, 5, (7, 2)).astype(object)
    a = (Fraction(3, 5), Fraction(40, 71))
    t = [a[0] * z[0] + a[1] * z[1] for z in Z]
    assert len(set(t)) == 7
    layer = Transformer([interpolating_layer(Z, answers, a, t)])
    assert (answers == layer(Z.T, EXACT).T).all()
    nodes = sorted(zip(t, (answers - Z).tolist(), strict=True))
    for x, y in rng.integers(-40, 40, (20, 2)).tolist():
        s = a[0] * x + a[1] * y
        j = min(max(sum(u <= s for u, _ in nodes) - 1, 0), 5)
        (left, low), (right, high) = nodes[j], nodes[j + 1]
        part = max(s - left, 0) / (right - left)
        expected = [u + lo + part * (hi - lo) for u, lo, hi in zip((x, y), low, high, strict=True)]
        assert [u[0] for u in layer([[x], [y]], EXACT)] == expected


@pytest.mark.parametrize("head_size", [1, 3])
@pytest.mark.parametrize(("size", "n", "count", "d"), [(5, 2, 10, 1), (6, 3, 12, 3), (8, 4, 20, 2), (7, 6, 7, 1)])
def test_all_labels_are_recalled(size, n, count, d, head_size):
    X, Y = drawn(size, n, count, d)
    memory = memorise(X, Y, head_size)
    assert memory.ids == n * count
    assert np.allclose(memory(X, FLOAT64), Y, rtol=0, atol=1e-6)
    assert memory.errors(BALL.with_bits(memory.bits)).max() < Fraction(1, 2**40)
    assert certify(memory, system=FLOAT64).holds
    # Any order of the tokens is answered alike: the network is equivariant.
    turn = [*range(1, n), 0]
    assert np.allclose(memory(X[..., turn], FLOAT64), Y[..., turn], rtol=0, atol=1e-6)


def test_ids_by_loops():
    """The kinks of the running example are the ids x + heard / 24 (eps / (4 r_max), up to its slack)."""
    X, Y = six()
    memory = memorise(X, Y, scale=-0.0525)
    write = kajitsuka2024.separation(range(1, 7), 4, Fraction(1, 1000)).write
    ids = sorted(x + float(write) * heard(row, k, -0.0525) for row in X.tolist() for k, x in enumerate(row))
    kinks = -memory.model.layers[1].b_1.astype(float)
    assert np.allclose(kinks, ids[:-1], rtol=1e-12)
    assert math.isclose(float(memory.gap), min(b - a for a, b in itertools.pairwise(ids)), rel_tol=1e-9)
    assert math.isclose(write, 1 / 24, rel_tol=3e-3)


def test_repeated_sequences_share_ids():
    X, Y = drawn(5, 3, 4, 2)
    order = [2, 0, 1]
    memory = memorise(np.concatenate([X, X[:2][..., order]]), np.concatenate([Y, Y[:2][..., order]]))
    assert memory.ids == 12
    assert memory.errors().max() < 1e-6


@pytest.mark.parametrize(("N", "n", "d", "s"), [(1, 2, 1, 1), (15, 4, 1, 1), (30, 5, 4, 3), (7, 2, 16, 2)])
def test_weights_are_counted(N, n, d, s):
    """Four matrices of rank 1 (s + d numbers each); per output 2 n N + d."""
    assert label_weights(N, n, d, s) == 4 * s + 4 * d + 2 * n * N * d + d * d


@pytest.mark.parametrize("arguments", [(-1, 2, 3), (1, 0, 1), (1, 2, 0), (1, 2, 3, 0)])
def test_bad_counts_are_refused(arguments):
    with pytest.raises(ValueError, match=r"(size|n|d|head_size): expected an int >= 1"):
        label_weights(*arguments)


def test_fewer_weights_will_do_than_the_text_says():
    X, Y = drawn(8, 4, 20, 3)
    memory = memorise(X, Y, 2)
    reading, kinks, outputs, bias = 3, 79, 3 * 79, 3
    assert memory.weights()["shared"] == 4 * (2 + 3) + reading + kinks + outputs + bias
    assert memory.weights()["printed"] == 4 * (2 + 3) + 3 * (2 * 4 * 20 + 3)
    assert memory.weights()["stored"] == sum(w.size for layer in memory.model.layers for w in layer.weights().values())
    # For d = 1 and as many ids as tokens the bound is nearly met.
    X, Y = six()
    assert memorise(X, Y).weights()["printed"] - memorise(X, Y).weights()["shared"] == 1


def test_small_scales_run_in_floats_and_large_ones_do_not():
    X, Y = six()
    memory = memorise(X, Y, scale=-0.0525)
    assert 1e-14 < memory.errors(FLOAT64).max() < 1e-11
    assert 1e-4 < memory.errors(FLOAT32).max() < 1e-2
    large = memorise(X, Y, scale=4)
    assert large.errors(FLOAT64).max() > 1e6
    with pytest.raises(Overflow, match="exceeds the largest FLOAT32"):
        large.errors(FLOAT32)
    assert certify(large).holds
    certificate = certify(large, system=FLOAT64)
    assert [check.name for check in certificate.failures] == ["|answer - label| in FLOAT64, largest"]
    assert "token" in certificate.failures[0].witness
    assert memorise(X, Y).gap > memory.gap


def test_at_the_scale_of_the_theorem():
    X = np.array(list(itertools.combinations(range(1, 5), 2)))
    memory = memorise(X, np.arange(12).reshape(6, 2) % 5, scale="literal")
    assert memory.scale == kajitsuka2024.separation(range(1, 5), 2, Fraction(1, 1000)).scale
    assert memory.bits > 50_000
    assert certify(memory).holds
    with pytest.raises(Overflow):
        memory.errors(FLOAT64)


def test_with_positional_encodings_all_sequences_are_recalled():
    X = np.array(list(itertools.product([1, 2, 3], repeat=4)))
    Y = np.random.default_rng(1).integers(1, 5, X.shape)
    memory = memorise(X, Y, encodings=positional_encoding(4, 4, 1))
    assert memory.ids == 4 * 3**4
    assert certify(memory).holds
    assert (memory.encodings == [[16, 32, 48, 64]]).all()
    flipped = memory(X[:, None, ::-1], BALL.with_bits(memory.bits))[:, 0, ::-1].astype(float)
    assert not np.allclose(flipped, Y)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("n", [2, 3, 7])
def test_encodings_keep_tokens_apart(n, d):
    """Norms and distances of x + E_k by loops, for tokens of norm just below r_max in all directions +-e_i, +-ones."""
    r_max, size = 5, 4.999
    units = [*np.eye(d), *-np.eye(d), np.ones(d) / d**0.5, -np.ones(d) / d**0.5]
    E = positional_encoding(r_max, n, d).astype(float)
    P = positional_encoding(r_max, n, d, printed=True).astype(float)
    norms, distances = [], {"repaired": [], "printed": []}
    for k, m in itertools.product(range(n), repeat=2):
        for u, w in itertools.product(units, repeat=2):
            norms.append(math.dist(size * u + E[:, k], np.zeros(d)))
            if k != m:
                distances["repaired"].append(math.dist(size * u + E[:, k], size * w + E[:, m]))
                distances["printed"].append(math.dist(size * u + P[:, k], size * w + P[:, m]))
    assert 3 * r_max < min(norms)
    assert max(norms) < (4 * n + 1) * r_max
    assert min(distances["repaired"]) > 2 * r_max
    assert math.isclose(min(distances["printed"]), 2 * r_max * d**0.5 - 2 * size)
    longest = math.dist(size * np.ones(d) / d**0.5 + P[:, -1], np.zeros(d))
    assert (longest > (2 * n + 1) * r_max) == (d > 1)


def test_damage_is_seen():
    X, Y = six()
    memory = memorise(X, Y)
    attention, layer = memory.model.layers
    hard, warm = Attention(attention.heads, "hardmax"), attention.with_softmax(Fraction(1001, 1000))
    for damaged, name in (
        (hard, "layers that are neither softmax attention without a mask nor ReLU layers"),
        (warm, "|answer - label| in BALL, largest"),
    ):
        other = dataclasses.replace(memory, model=Transformer([damaged, layer], n=4))
        assert [check.name for check in certify(other).failures] == [name]
    assert all(check.witness is None for check in certify(memory).checks if check.name.startswith("layers"))
    w_1 = layer.w_1.copy()
    w_1[0] *= 2
    assert w_1.shape == (59, 1)
    other = dataclasses.replace(
        memory, model=Transformer([attention, layer.with_weights(layer.weights() | {"w_1": w_1})])
    )
    assert not certify(other).holds


def test_inconsistent_labels_show_both_sequences():
    with pytest.raises(
        ValueError, match=r"got \(1, 2, 3\) with labels \(5, 6, 7\) and \(3, 1, 2\) with labels"
    ) as error:
        memorise([[1, 2, 3], [3, 1, 2]], [[5, 6, 7], [7, 5, 8]])
    assert "(2) is labelled (6) and (8)" in str(error.value)
    # With encodings they are two sequences.
    assert memorise([[1, 2, 3], [3, 1, 2]], [[5, 6, 7], [7, 5, 8]], encodings=positional_encoding(4, 3, 1)).ids == 6
    with pytest.raises(ValueError, match="consistent labels"):
        memorise([[1, 1], [1, 1]], [[5, 6], [6, 6]], encodings=positional_encoding(4, 2, 1))


@pytest.mark.parametrize(
    ("sequences", "labels", "options", "words"),
    [
        ([[1, 2, 1]], [[1, 1, 2]], {}, r"without repeated tokens, got \(1, 2, 1\); add positional encodings"),
        ([[1, 2]], [[1, 2, 3]], {}, r"shape \(1, 1, 2\), got labels of \(1, 1, 3\)"),
        ([[0, 2]], [[1, 2]], {}, "other than 0"),
        ([[1], [2]], [[1], [2]], {}, "n >= 2 tokens, got n = 1"),
        ([1, 2], [1, 2], {}, r"expected shape \(N, d, n\)"),
        *(([[1, 2]], [[1, 2]], {"head_size": s}, "head_size: expected an int") for s in (0, 10**5)),
        ([[1, 2]], [[1, 2]], {"scale": 0}, "other than 0"),
        ([[1, 2]], [[1, 2]], {"scale": 10**400}, '"practical", "literal" or a number'),
        ([[1e-200, 2e-200], [1e-200, 3e-200]], [[1, 5], [7, 8]], {}, "which floats hold"),
        ([[5e-324, 1], [5e-324, 2]], [[1, 5], [7, 8]], {}, r"sequences\[0, 0\]: expected 0 or a size from 2"),
        ([[1, 2]], [[10**5000, 2]], {}, r"labels\[0, 0\]: expected 0 or a size"),
        ([[1, 2]], [[1, 2]], {"scale": "best"}, 'scale: expected "practical", "literal" or a number'),
        ([[1, 2]], [[1, 2]], {"encodings": [[1, 2, 3]]}, r"shape \(d, n\) = \(1, 2\)"),
        ([list(range(1, 8))], [[1] * 7], {"scale": "literal"}, "the limit is 200,000"),
        ([[1, 2], [1, 3]], [[1, 2], [1, 3]], {"scale": -(10**6)}, "200,000 binary digits do not tell apart"),
    ],
)
def test_bad_data_are_refused(sequences, labels, options, words):
    with pytest.raises(ValueError, match=words):
        memorise(sequences, labels, **options)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1, 10**5, 10**5), "1,000,000 entries"),
        ((0, 2, 1), "r_max: expected a number > 0"),
        ((1, 0, 1), "n: expected an int >= 1"),
        ((1, 2, 0), "d: expected an int >= 1"),
    ],
)
def test_bad_encodings_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        positional_encoding(*arguments)


@pytest.mark.parametrize(
    ("sequences", "labels"),
    [
        ([[10**40, 2 * 10**40], [10**40, 3 * 10**40]], [[1, 5], [7, 8]]),
        ([[1, 2], [1, 3]], [[10**40, 5], [7, 8]]),
        ([[1, 2], [1, 3]], [[-(10**250), 5], [7, 1e-250]]),
        ([[1e-100, 2e-100], [1e-100, 3e-100]], [[1, 5], [7, 8]]),
    ],
)
def test_labels_and_tokens_of_any_size_are_recalled(sequences, labels):
    memory = memorise(sequences, labels)
    answers = memory([[row] for row in sequences], BALL.with_bits(memory.bits))
    for row, found in zip(labels, answers, strict=True):
        for label, ball in zip(row, found[0], strict=True):
            assert abs(ball.midpoint - Fraction(label)) + ball.radius < Fraction(1, 2**40)
    assert certify(memory).holds
    assert memory.errors().shape == (2, 1, 2)


def test_large_memories_fit():
    """6000 tokens: neither their 18 million pairs nor their contexts are all held at once."""
    X = np.arange(1, 6001).reshape(3000, 2)
    assert memorise(X, X[:, ::-1]).ids == 6000


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([1, 2, 3], r"shape \(..., 1, 3\)"),
        (np.ones((2, 3, 1)), r"shape \(..., 1, 3\)"),
        ([[1, None, 3]], "got None"),
        ([[1, math.inf, 3]], "finite"),
    ],
)
def test_memories_with_encodings_take_sequences_only(X, words):
    memory = memorise([[1, 2, 3]], [[4, 5, 6]], encodings=positional_encoding(5, 3, 1))
    with pytest.raises(ValueError, match=words):
        memory(X, FLOAT64)
    with_gradient = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    for good in ([[1, 2, 3]], np.array([[1, 2, 3]]), with_gradient, [[[1, 2, 3]]]):
        assert np.allclose(memory(good, FLOAT64), [4, 5, 6])


def test_encodings_are_added_exactly():
    """0.1 + 2^60 in floats is 2^60."""
    E = positional_encoding(2**58, 2, 1)
    memory = memorise([[0.1, 0.7]], [[4, 5]], encodings=E)
    assert memory.errors(BALL.with_bits(memory.bits)).max() < Fraction(1, 2**40)
    answer = memory([[0.1, 0.7]], BALL.with_bits(memory.bits))
    assert abs(answer[0, 0].midpoint - 4) < Fraction(1, 2**40)


def test_too_many_ids_are_refused_first():
    X = np.arange(1, 30_001).reshape(-1, 3)
    with pytest.raises(ConstructionTooLarge, match="30,000 ids"):
        memorise(X, X)
