"""Kernels, second sequences, token projections and layers of other sizes, against the formulas in plain loops."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, INT64
from uatlib.kernels import CONSTANT, DOT, RBF, Kernel
from uatlib.layers import Attention, FeedForward, Head, LinearSum
from uatlib.model import Transformer
from uatlib.torch_model import MultiheadAttentionLayer, from_module, from_multihead_attention, to_module

from .oracles import decimals


def whole(rng, *shape):
    return rng.integers(-2, 3, shape).tolist()


def times(A, B):
    return [[sum(a * B[k][j] for k, a in enumerate(row)) for j in range(len(B[0]))] for row in A]


def affine(w, X, b):
    return [[entry + (b[i] if b else 0) for entry in row] for i, row in enumerate(times(w, X))]


def column(X, j):
    return [row[j] for row in X]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def squared(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


def exp(t):
    return t.exp() if isinstance(t, Decimal) else math.exp(t)


KERNELS = {
    "dot": (DOT, lambda x, y: exp(dot(x, y))),
    "rbf": (RBF(Fraction(3, 4)), lambda x, y: exp(-dot([type(x[0])(3)], [squared(x, y)]) / 4)),
    "constant": (CONSTANT, lambda x, y: x[0] * 0 + 1),
}


def by_loops(*args, **options):
    """Attention as its formula says, for numbers of one kind; decimals with 60 digits."""
    with decimal.localcontext(prec=60):
        return attention_by_loops(*args, **options)


def attention_by_loops(X, Z, heads, b_o, kernel, normalization, skip, mask=None):
    result = [list(row) if skip else [0] * len(row) for row in X]
    if not skip:
        result = [[0] * len(X[0]) for _ in heads[0]["w_o"]]
    for head in heads:
        q = affine(head["w_q"], X, head.get("b_q"))
        k = affine(head["w_k"], times(Z, head["w_e"]) if "w_e" in head else Z, head.get("b_k"))
        v = affine(head["w_v"], times(Z, head["w_f"]) if "w_f" in head else Z, head.get("b_v"))
        for j in range(len(X[0])):
            seen = [i for i in range(len(k[0])) if mask is None or mask[i][j]]
            weights = [kernel(column(k, i), column(q, j)) for i in seen]
            if normalization == "hardmax":
                weights = [Fraction(int(w == max(weights))) for w in weights]
            total = 1 if normalization == "none" else sum(weights)
            heard = [sum(w * row[i] for w, i in zip(weights, seen, strict=True)) / total for row in v]
            for row, weight in enumerate(head["w_o"]):
                result[row][j] += dot(weight, heard)
    return [[entry + (b_o[i] if b_o else 0) for entry in row] for i, row in enumerate(result)]


def example(seed, *, d=2, d_source=2, d_out=2, n=3, n_source=4, project=None):
    """Two heads with whole weights, sizes m = 1, 2 and v = 2, 1; X, Z, b_o."""
    rng = np.random.default_rng(seed)
    heads = []
    for m, v in ((1, 2), (2, 1)):
        head = {"w_q": whole(rng, m, d), "w_k": whole(rng, m, d_source), "w_v": whole(rng, v, d_source)}
        head |= {"w_o": whole(rng, d_out, v), "b_q": whole(rng, m), "b_v": whole(rng, v)}
        if project:
            head |= {"w_e": whole(rng, n_source, project), "w_f": whole(rng, n_source, project)}
        heads.append(head)
    return heads, whole(rng, d_out), whole(rng, d, n), whole(rng, d_source, n_source)


def visible(seed, n=3):
    """A mask with columns of all kinds."""
    rng = np.random.default_rng(seed)
    mask = rng.random((n, n)) < 0.5
    mask[rng.integers(n, size=n), np.arange(n)] = True
    return mask.tolist()


def close(result, expected, tolerance=1e-12):
    values = np.array(expected, dtype=float)
    assert np.abs(np.array(result.tolist(), dtype=float) - values).max() <= tolerance * (1 + np.abs(values).max())


# ------------------------------------------------------------------------------------------------------------- kernels


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("normalization", ["softmax", "none"])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_kernel_attention_is_its_formula(name, normalization, masked, seed):
    heads, b_o, X, _ = example(seed)
    mask = visible(seed) if masked else None
    kernel, formula = KERNELS[name]
    layer = Attention([Head(**head) for head in heads], normalization, b_o, mask, kernel=kernel)
    args = decimals(X), decimals(X), decimals(heads), decimals(b_o)
    expected = by_loops(*args, formula, normalization, True, mask)
    assert all(isinstance(entry, Decimal) for row in expected for entry in row)
    model = Transformer([layer])
    close(model(X, FLOAT64), expected)
    close(model(X, FLOAT32), expected, 1e-5)
    balls = model(X, BALL)
    for ball, value in zip(balls.flat, np.ravel(np.array(expected, dtype=object)), strict=True):
        assert abs(ball.midpoint - Fraction(value)) <= ball.radius + Fraction(1, 10**20)
    batch = torch.tensor([X, X], dtype=torch.float64)
    close(model(batch, FLOAT64)[1], expected)


@pytest.mark.parametrize("name", ["dot", "rbf"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_hardmax_ranks_by_the_kernel(name, skip, seed, masked):
    heads, b_o, X, _ = example(seed)
    mask = visible(seed) if masked else None
    kernel = KERNELS[name][0]
    rank = dot if name == "dot" else lambda x, y: -squared(x, y)
    expected = by_loops(X, X, heads, b_o, rank, "hardmax", skip, mask)
    model = Transformer([Attention([Head(**head) for head in heads], "hardmax", b_o, mask, kernel=kernel, skip=skip)])
    assert model(X, EXACT).tolist() == expected
    assert all(ball.contains(q) for ball, q in zip(model(X, BALL).flat, np.ravel(expected), strict=True))
    if name == "dot" and all(q.denominator == 1 for q in np.ravel(expected)):
        assert model(X, INT64).tolist() == expected
    close(model(X, FLOAT64), expected)


@pytest.mark.parametrize("normalization", ["softmax", "hardmax", "none"])
def test_the_constant_kernel_is_rational(normalization):
    heads, b_o, X, _ = example(5)
    mask = [[i <= j for j in range(3)] for i in range(3)]
    expected = by_loops(X, X, heads, b_o, lambda x, y: Fraction(1), normalization, True, mask)
    model = Transformer([Attention([Head(**h) for h in heads], normalization, b_o, mask, kernel=CONSTANT)])
    assert model(X, EXACT).tolist() == expected
    units = INT64.in_units_of(Fraction(1, 6))
    assert model([[6 * u for u in row] for row in X], units).tolist() == [[6 * u for u in row] for row in expected]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_softmax_has_the_bits_of_torch(dtype):
    rng = torch.Generator().manual_seed(1)
    X = torch.randn(3, 4, 50, generator=rng, dtype=dtype)
    q, k, v, o = (torch.randn(4, 4, generator=rng, dtype=dtype) for _ in range(4))
    layer = Attention([Head(q, k, v, o)])
    expected = X + o @ (v @ X @ torch.softmax((k @ X).mT @ (q @ X), dim=-2))
    assert torch.equal(Transformer([layer])(X, FLOAT64 if dtype == torch.float64 else FLOAT32), expected)


class Softmax(Kernel):
    """exp(x . y) by the contract of kernels alone."""

    def weights(self, keys, queries, system, visible=None):
        return system.exponentials(system.matmul(keys.mT, queries), visible, axis=-2)


@pytest.mark.parametrize("system", [FLOAT64, BALL], ids=repr)
def test_the_contract_of_kernels_gives_softmax(system):
    heads, b_o, X, _ = example(2)
    mask = [[i <= j for j in range(3)] for i in range(3)]
    ours, contract = (
        Transformer([Attention([Head(**h) for h in heads], "softmax", b_o, mask, kernel=kernel)])(X, system)
        for kernel in (DOT, Softmax())
    )
    close(ours.astype(float) if system is BALL else ours, contract.tolist(), 1e-14)
    with pytest.raises(ValueError, match="EXACT cannot run exp"):
        Transformer([Attention([Head(**heads[0])], kernel=Softmax())])(X, EXACT)


def test_far_kernels_neither_overflow_nor_vanish():
    head = Head([[1]], [[1]], [[1]], [[1]])
    X = torch.tensor([[0.0, 1000.0, 1001.0]], dtype=torch.float64)
    near = Transformer([Attention([head], kernel=RBF(1), skip=False)])(X, FLOAT64)[0]
    share = 1 / (1 + math.exp(-1))
    assert torch.allclose(near, torch.tensor([0, 1000 + 1 - share, 1000 + share], dtype=torch.float64), rtol=1e-12)
    none = Transformer([Attention([head], "none", kernel=RBF(1), skip=False)])(X, FLOAT64)[0]
    assert torch.allclose(none[0], torch.tensor(0.0, dtype=torch.float64))
    assert math.isclose(none[1], 1000 + 1001 * math.exp(-1), rel_tol=1e-9)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "sin", "cos", "tanh", "cosh", "atan", "relu"])
def test_functions_of_every_entry(name):
    values = [0.25, 1.5]
    expected = [max(t, 0) if name == "relu" else getattr(math, name)(t) for t in values]
    close(FLOAT64.function(name, FLOAT64.array(values)), expected, 1e-15)
    with BALL.context():
        close(BALL.output(BALL.function(name, BALL.array(values))).astype(float), expected, 1e-15)
    if name == "relu":
        assert EXACT.output(EXACT.function(name, EXACT.array([-1, 2]))).tolist() == [0, 2]
    else:
        with pytest.raises(ValueError, match=f"EXACT cannot run {name}"):
            EXACT.function(name, EXACT.array([1]))
    with pytest.raises(ValueError, match=r"expected a function out of relu, exp, .*, got 'gelu'"):
        FLOAT64.function("gelu", FLOAT64.array(values))


# ------------------------------------------------------------------------------------------------- second sequences


@pytest.mark.parametrize("normalization", ["softmax", "hardmax"])
@pytest.mark.parametrize("seed", range(4))
def test_cross_attention_is_its_formula(normalization, seed):
    heads, b_o, X, Z = example(seed, d=2, d_source=3, d_out=2)
    mask = [[i != j for j in range(3)] for i in range(4)]
    layer = Attention([Head(**head) for head in heads], normalization, b_o, mask, cross=True)
    model = Transformer([layer])
    assert (layer.d_in, layer.d_source, layer.d_out, layer.n_in, layer.n_source) == (2, 3, 2, 3, 4)
    assert (model.d_source, model.n_source) == (3, 4)
    if normalization == "hardmax":
        expected = by_loops(X, Z, heads, b_o, dot, "hardmax", True, mask)
        assert model(X, EXACT, source=Z).tolist() == expected
    else:
        args = decimals(X), decimals(Z), decimals(heads), decimals(b_o)
        expected = by_loops(*args, KERNELS["dot"][1], "softmax", True, mask)
    close(model(X, FLOAT64, source=Z), expected)
    assert list(model.trace(X, FLOAT64, source=Z))[-1].tolist() == model(X, FLOAT64, source=Z).tolist()
    close(model(X, BALL, source=Z).astype(float), expected)
    # A batch of first sequences beside one second sequence, and the contrary.
    many = model(torch.tensor([X] * 3, dtype=torch.float64), FLOAT64, source=torch.tensor(Z, dtype=torch.float64))
    close(many[2], expected)
    many = model(torch.tensor(X, dtype=torch.float64), FLOAT64, source=torch.tensor([Z] * 3, dtype=torch.float64))
    close(many[2], expected)


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_token_projections_are_their_formula(cross, seed):
    heads, b_o, X, Z = example(seed, n=4, n_source=4, project=2)
    source = Z if cross else X
    layer = Attention([Head(**head) for head in heads], "hardmax", b_o, cross=cross)
    assert (layer.n_in, layer.n_source) == (None if cross else 4, 4)
    given = {"source": Z} if cross else {}
    expected = by_loops(X, source, heads, b_o, dot, "hardmax", True)
    assert Transformer([layer])(X, EXACT, **given).tolist() == expected
    soft = by_loops(decimals(X), decimals(source), decimals(heads), decimals(b_o), KERNELS["dot"][1], "softmax", True)
    close(Transformer([layer.with_softmax(1)])(X, FLOAT64, **given), soft)
    assert layer.parameter_count() == sum(np.size(w) for head in heads for w in head.values()) + 2


def test_an_encoder_prepares_the_second_sequence():
    heads, b_o, X, _ = example(1, d=2, d_source=3)
    P, Q = [[1, 0], [0, 2], [1, 1]], [[1, 0, 0, 1], [0, 1, 1, 0]]
    into = [[3, 1], [1, 0]]
    layer = Attention([Head(**head) for head in heads], "hardmax", b_o, cross=True)
    itself = Attention([Head([[1, 0]], [[0, 1]], [[1, 1]], [[1], [0]])], "hardmax")
    model = Transformer([itself, layer, FeedForward([[1, 0]], [0], [[0], [1]])], encoder=[LinearSum([(P, Q)])])
    assert (model.d_source, model.n_source, model.width) == (2, 2, 3)
    heard = times(times(P, into), Q)
    first = by_loops(
        X, X, [{"w_q": [[1, 0]], "w_k": [[0, 1]], "w_v": [[1, 1]], "w_o": [[1], [0]]}], None, dot, "hardmax", 1
    )
    second = by_loops(first, heard, heads, b_o, dot, "hardmax", True)
    expected = [second[0], [b + max(a, 0) for a, b in zip(*second, strict=True)]]
    assert model(X, EXACT, source=into).tolist() == expected
    assert model.depth == 4
    assert model.attentions() == (itself, layer)
    assert model.feed_forwards() == model.layers[2:]
    assert "encoder: LinearSum(terms=1, d=2 to 3, n=2 to 4)" in repr(model)
    assert repr(LinearSum([(np.eye(2), None)])) == "LinearSum(terms=1, d=2 to 2, any n)"
    assert repr(LinearSum([(None, np.eye(2))])) == "LinearSum(terms=1, any d, n=2 to 2)"
    assert model.parameter_count() == 6 + 8 + 8 + layer.parameter_count() + 5


def test_cross_attention_is_that_of_torch():
    torch.manual_seed(0)
    attention = torch.nn.MultiheadAttention(6, 2, batch_first=True, dtype=torch.float64)
    query, memory = torch.randn(5, 3, 6, dtype=torch.float64), torch.randn(5, 4, 6, dtype=torch.float64)
    hidden = torch.tensor([[True, False, False, False]] * 2 + [[False] * 4])
    layer = from_multihead_attention(attention, ~hidden.mT, cross=True)
    expected = query + attention(query, memory, memory, attn_mask=hidden)[0]
    model = Transformer([layer])
    assert torch.allclose(model(query.mT, FLOAT64, source=memory.mT).mT, expected, atol=1e-12)
    back = MultiheadAttentionLayer(layer, torch.float64)
    assert torch.allclose(back(query.mT, memory.mT).mT, expected, atol=1e-12)
    assert torch.allclose(back(query[0].mT, memory.mT).mT, model(query[0].mT, FLOAT64, source=memory.mT).mT, atol=1e-12)


@pytest.mark.parametrize("skip", [False, True])
def test_torch_runs_layers_of_other_sizes(skip):
    heads, b_o, X, Z = example(3, d=2, d_source=3, d_out=2 if skip else 5)
    layer = Attention([Head(**head) for head in heads], b_o=b_o, cross=True, skip=skip)
    X, Z = (torch.tensor(values, dtype=torch.float64) for values in (X, Z))
    expected = Transformer([layer])(X, FLOAT64, source=Z)
    assert expected.shape == (layer.d_out, 3)
    assert torch.allclose(MultiheadAttentionLayer(layer, torch.float64)(X, Z), expected, atol=1e-12)
    for wrong in (Attention(layer.heads, kernel=RBF(1), cross=True, skip=False),):
        with pytest.raises(ValueError, match="no other kernel nor token projections"):
            MultiheadAttentionLayer(wrong)


def test_modules_take_a_second_sequence_and_train():
    heads, b_o, X, Z = example(4, d=2, d_source=3, project=2)
    layer = Attention([Head(**head) for head in heads], b_o=b_o, cross=True, kernel=RBF(0.5))
    model = Transformer([layer], encoder=[LinearSum([(np.eye(3), np.eye(4))], np.ones((3, 4)))])
    module = to_module(model, torch.float64)
    x, z = (torch.tensor(values, dtype=torch.float64) for values in (X, Z))
    assert torch.equal(module(x, z), model(x, FLOAT64, source=z))
    assert sum(p.numel() for p in module.parameters()) == model.parameter_count()
    module(x, z).square().sum().backward()
    assert all(p.grad is not None and bool(torch.isfinite(p.grad).all()) for p in module.parameters())
    assert bool(module.encoder[0].b_r.grad.any())
    with torch.no_grad():
        module.encoder[0].b_r += 1
    again = from_module(module)
    assert again.encoder[0].r.tolist() == (model.encoder[0].r + 1).tolist()
    assert torch.allclose(again(x, FLOAT64, source=z), module(x, z).detach(), atol=1e-13)
    with pytest.raises(ValueError, match=r"^source: expected a tensor of torch\.float64"):
        module(x, z.float())
    with pytest.raises(ValueError, match="source: expected a second sequence"):
        module(x)


HEAD = Head([[1]], [[1]], [[1]], [[1]])
CROSS = Attention([HEAD], cross=True)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Transformer([CROSS])([[1, 2]], FLOAT64), "source: expected a second sequence.*got None"),
        (
            lambda: Transformer([Attention([HEAD])])([[1]], FLOAT64, source=[[1]]),
            "source: expected None, since no layer",
        ),
        (lambda: Transformer([CROSS])([[1]], FLOAT64, source=[[1], [2]]), r"source: expected shape \(\.\.\., 1, n\)"),
        (
            lambda: Transformer([CROSS])(np.ones((2, 1, 3)), FLOAT64, source=np.ones((4, 1, 3))),
            r"source: expected leading axes that go with those of X, got \(4,\) beside \(2,\)",
        ),
        (lambda: Transformer([Attention([HEAD])], encoder=[CROSS]), "cross=True that listens to the encoder, got none"),
        (lambda: Transformer([CROSS], encoder=[LinearSum([([[1], [1]], None)])]), "d_in = 2, .* got 1 in layer 0"),
        (lambda: Attention([Head([[1]], [[1, 2]], [[1, 2]], [[1]])]), "second sequence need cross=True"),
        (lambda: Attention([Head([[1]], [[1]], [[1]], [[1], [2]])]), "d_out = d_in = 1 for the skip .*skip=False"),
        (lambda: FeedForward([[1]], [0], [[1], [2]]), "FeedForward skip: expected d_out = d_in = 1 .*skip=False"),
        (lambda: Head([[1]], [[1]], [[1]], [[1]], w_e=[[1]]), "w_e and w_f together"),
        (lambda: Head([[1]], [[1]], [[1]], [[1]], w_e=[[1]], w_f=[[1, 2]]), r"Head w_f: expected shape \(1, 1\)"),
        (lambda: Attention([HEAD], kernel="rbf"), "Attention kernel: expected a Kernel, got 'rbf'; take kernels.DOT"),
        (lambda: Attention([HEAD], mask=np.ones((2, 3), bool)), "3 keys down and any queries across"),
        *((lambda gamma=gamma: RBF(gamma), "RBF gamma: expected") for gamma in (0, math.inf)),
        (lambda: LinearSum([([[1]], [[1]], [[1]])]), "at least one pair"),
        (lambda: LinearSum([([[1]], [[1]]), ([[1], [2]], [[1]])]), "P of one shape in all terms"),
        (lambda: LinearSum([([[1]], None), (None, [[1]])]), "P of one shape in all terms"),
        (lambda: LinearSum([([[1]], [[1]])], [[1, 2]]), r"LinearSum r: expected shape \(1, 1\), got \(1, 2\)"),
        (
            lambda: Transformer([LinearSum([(None, [[1], [2]])])])([[1, 2, 3]], EXACT),
            r"expected shape \(\.\.\., d, 2\)",
        ),
        (lambda: Transformer([LinearSum([(None, [[1], [2]])])], n=3), "n_in = 3, which comes before, got 2 in layer 0"),
        (lambda: Transformer([LinearSum([([[1], [2]], None)]), Attention([HEAD])]), "d_in = 2, .* got 1 in layer 1"),
    ],
)
def test_what_does_not_go_together_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# ---------------------------------------------------------------------------------------------------------- LinearSum


def linear_by_loops(X, terms, r):
    d_out, n_out = np.shape(r)
    result = [list(row) for row in r]
    for P, Q in terms:
        for i in range(d_out):
            for j in range(n_out):
                result[i][j] += sum(P[i][a] * X[a][b] * Q[b][j] for a in range(len(X)) for b in range(len(X[0])))
    return result


@pytest.mark.parametrize("seed", range(4))
def test_linear_sums_are_their_formula_in_every_system(seed):
    rng = np.random.default_rng(seed)
    d_in, d_out, n_in, n_out = rng.integers(1, 4, 4)

    def draw(*shape):
        return [[Fraction(int(x), 4) for x in row] for row in rng.integers(-9, 10, shape)]

    terms, r, X = [(draw(d_out, d_in), draw(n_in, n_out)) for _ in range(3)], draw(d_out, n_out), draw(d_in, n_in)
    model = Transformer([LinearSum(terms, r)])
    expected = linear_by_loops(X, terms, r)
    assert model(X, EXACT).tolist() == expected
    assert all(ball.contains(q) for ball, q in zip(model(X, BALL).flat, np.ravel(expected), strict=True))
    assert (model.d_in, model.d_out, model.n_in, model.n_out) == (d_in, d_out, n_in, n_out)
    for system, tolerance in ((FLOAT64, 1e-14), (FLOAT32, 1e-5)):
        close(model(X, system), expected, tolerance)
    assert model(np.array([X, X]), EXACT)[1].tolist() == expected
    whole_terms = [([[4 * u for u in row] for row in P], [[4 * u for u in row] for row in Q]) for P, Q in terms]
    counts = Transformer([LinearSum(whole_terms, r)])(
        [[4 * u for u in row] for row in X], INT64.in_units_of(Fraction(1, 4))
    )
    assert counts.tolist() == [[4 * u for u in row] for row in linear_by_loops(X, whole_terms, r)]


def test_linear_sums_have_identities():
    X = [[1, 2, 3], [4, 5, 6]]
    last = [[0], [0], [1]]
    assert Transformer([LinearSum([(None, last)])])(X, EXACT).tolist() == [[3], [6]]
    assert Transformer([LinearSum([([[1, 1]], None)])])(X, EXACT).tolist() == [[5, 7, 9]]
    shifted = LinearSum([(None, None)], [[1, 1, 1], [0, 0, 0]])
    assert (shifted.d_in, shifted.d_out, shifted.n_in, shifted.n_out) == (2, 2, 3, 3)
    assert Transformer([shifted])(X, EXACT).tolist() == [[2, 3, 4], [4, 5, 6]]
    free = Transformer([LinearSum([(None, None), (None, None)])])
    assert free(X, EXACT).tolist() == [[2, 4, 6], [8, 10, 12]]
    assert (free.d_in, free.width) == (None, 1)


def test_a_feed_forward_layer_without_skip():
    layer = FeedForward([[1, -1]], [0], [[1], [2], [0]], [0, 0, 5], skip=False)
    model = Transformer([layer])
    assert model([[3, 1], [1, 3]], EXACT).tolist() == [[2, 0], [4, 0], [5, 5]]
    assert (layer.d_in, layer.d_out, layer.acts) == (2, 3, True)
    assert repr(layer) == "FeedForward(relu, r=1, d=2 to 3, no skip)"
