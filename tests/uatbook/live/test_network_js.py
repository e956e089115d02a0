"""network.js, in node, against FLOAT64 and EXACT: layers of every kind, constructions, ties, overflow, refusals."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from uatbook import statements
from uatbook.live import lowered
from uatlib.arithmetic import EXACT, FLOAT64
from uatlib.arithmetic.base import Overflow
from uatlib.cheng2025.kernels import Performer, PolyTimes
from uatlib.files import _checksum
from uatlib.kernels import RBF, Kernel, LogKernel
from uatlib.layers import Attention, FeedForward, Head, Layer, ThreePiece
from uatlib.liu2025 import MaxAffine, cross_attention, indicator_attention, self_attention
from uatlib.masks import causal
from uatlib.model import Transformer
from uatlib.patterns import Pattern
from uatlib.targets import mean_product

from ...uatlib.random_layers import CROSS, D_SOURCE, LAYERS, N_SOURCE, RESIZING, WITHOUT_EXP, D, N, floats, halves
from ...uatlib.rounding import carried
from ..page_network import SCRIPT, Network, Reader, Refused, node

NEAR = 1e-12
"""Of the largest value on the way."""


@pytest.fixture(scope="module")
def read() -> Iterator[Reader]:
    with node() as reader:
        yield reader


def flat(states: Any) -> list[np.ndarray]:
    """States of the library, each as rows of numbers, a row a sequence."""
    return [np.asarray(state).reshape(len(state), -1) for state in states]


def require_near(net: Network, model: Transformer, X: np.ndarray, source: np.ndarray | None = None) -> None:
    ours, theirs = net.trace(X, source), flat(model.trace(X, FLOAT64, source=source))
    assert [state.shape for state in ours] == [state.shape for state in theirs]
    largest = max(abs(state).max() for state in theirs)
    assert max(abs(a - b).max() for a, b in zip(ours, theirs, strict=True)) <= NEAR * largest
    assert np.array_equal(net(X, source), ours[-1])


def sequences(rng: np.random.Generator, d: int = D, n: int = N, count: int = 9) -> np.ndarray:
    return rng.normal(0, 1, (count, d, n))


# ------------------------------------------------------------------------------------------------- every kind of layer


@pytest.mark.parametrize("name", [*LAYERS, *RESIZING])
def test_a_layer_is_near_float64(read: Reader, name: str) -> None:
    rng = np.random.default_rng(1)
    model = Transformer([(LAYERS | RESIZING)[name](floats(rng))])
    require_near(read(model), model, sequences(rng))


@pytest.mark.parametrize("name", CROSS)
def test_a_layer_that_hears_a_second_sequence_is_near_float64(read: Reader, name: str) -> None:
    rng = np.random.default_rng(2)
    model = Transformer([LAYERS["ReLU"](floats(rng)), CROSS[name](floats(rng))])
    require_near(read(model), model, sequences(rng), sequences(rng, D_SOURCE, N_SOURCE))


def test_an_encoder_reads_the_second_sequence_first(read: Reader) -> None:
    rng = np.random.default_rng(3)
    widen = FeedForward(rng.normal(size=(4, 2)), None, rng.normal(size=(D_SOURCE, 4)), skip=False)
    layers = [CROSS["cross"](floats(rng)), LAYERS["ReLU"](floats(rng)), CROSS["cross, hardmax"](floats(rng))]
    model = Transformer(layers, encoder=[LAYERS["softmax dot"](floats(rng)), widen])
    require_near(read(model), model, sequences(rng), sequences(rng, 2))


@pytest.mark.parametrize("name", WITHOUT_EXP)
def test_a_layer_with_exact_sums_has_the_bits_of_float64_and_of_exact(read: Reader, name: str) -> None:
    rng = np.random.default_rng(4)
    model = Transformer([LAYERS[name](halves(rng))])
    X = 3 * rng.integers(-2, 3, (40, D, N))  # the average of three that tie is no third
    found = read(model)(X)
    assert np.array_equal(found, flat([model(X, FLOAT64)])[0])
    exact = flat([model(X, EXACT)])[0]
    assert all(Fraction(t) == s for t, s in zip(found.flat, exact.flat, strict=True))


def test_three_pieces_meet_as_in_float64(read: Reader) -> None:
    model = Transformer([FeedForward([[1]], None, [[1]], None, ThreePiece((-1, 1), (0, 1, 0), (0, 5, 9)))])
    X = np.array([[[-9, -1, -0.5, 0, 1, 2]]])
    assert read(model)(X).tolist() == flat([model(X, FLOAT64)])[0].tolist() == [[-9, 3, 4, 5, 10, 11]]


@pytest.mark.parametrize("seed", range(12))
def test_random_networks_are_near_float64(read: Reader, seed: int) -> None:
    rng = np.random.default_rng(seed)
    makers = [name for name in LAYERS if not name.startswith("none")]  # whose powers grow beyond all bounds in a stack
    layers = [LAYERS[name](floats(rng)) for name in rng.choice(makers, 5)]
    model = Transformer([*layers, RESIZING[rng.choice(list(RESIZING))](floats(rng))])
    require_near(read(model), model, sequences(rng))


def test_a_long_batch_goes_through_in_chunks(read: Reader) -> None:
    rng = np.random.default_rng(5)
    model = Transformer([LAYERS[name](floats(rng)) for name in ("softmax rbf", "ReLU", "linear sum")])
    net, X = read(model), sequences(rng, count=1500)
    require_near(net, model, X)
    heads = net.attend(0, X)
    for k in (0, 511, 512, 1499):
        for whole, alone in zip(heads, net.attend(0, X[k : k + 1]), strict=True):
            assert all(
                np.array_equal(whole[name][..., k], alone[name][..., 0]) for name in ("scores", "weights", "values")
            )


def test_networks_do_not_write_into_each_other(read: Reader) -> None:
    rng = np.random.default_rng(6)
    one, other = (Transformer([LAYERS[name](floats(rng)) for _ in range(3)]) for name in ("softmax dot", "projected"))
    X, first, second = sequences(rng), read(one), read(other)
    before = first.trace(X)
    second.trace(2 * X)
    assert all(np.array_equal(a, b) for a, b in zip(before, first.trace(X), strict=True))


# ------------------------------------------------------------------------------------------------------- constructions


def models(found: Any, depth: int = 0) -> Iterator[Transformer]:
    """The transformers in what a statement builds."""
    if isinstance(found, Transformer):
        yield found
    elif depth < 4:
        parts = found.values() if isinstance(found, dict) else found if isinstance(found, (list, tuple)) else ()
        for part in list(getattr(found, "__dict__", {}).values()) + list(parts):
            yield from models(part, depth + 1)


def inputs(model: Transformer) -> np.ndarray:
    """Points of the box and around it, and of grids."""
    rng = np.random.default_rng(0)
    shape = (model.d_in or 1, model.n_in or 3)
    inside, far = rng.uniform(-0.2, 1.2, (25, *shape)), rng.uniform(0, 6, (10, *shape))
    return np.concatenate([inside, far, *(rng.integers(0, N, (10, *shape)) / N for N in (2, 3, 8))])


def sources(model: Transformer) -> np.ndarray | None:
    """A second sequence for each of `inputs`, where the model hears one."""
    if not model.n_source:
        return None
    X = inputs(model)
    return np.random.default_rng(1).uniform(-0.2, 1.2, (len(X), model.d_source or 1, model.n_source))


BUILT = {f"{s.id} {k}": (s.build, case) for s in statements.all() for k, case in enumerate(({}, *s.cases))} | {
    f"build of {name}": (import_module(f"uatlib.{name}").build, {"target": mean_product(2), "error": 2, "p": 2})
    for name in statements.SOURCES
}
REFUSED = {
    "kajitsuka2024:app-c-layer": "layer 0 (attention): expected one mask for all sequences",
    "liu2025:thm-5-1": "model: expected at most 65",
}
"""A mask for each sequence of a batch: no picture shows that. More weights than a page should carry."""


def test_every_construction_is_near_float64(read: Reader) -> None:
    counted, refused = 0, {}
    for name, (build, parameters) in BUILT.items():
        for model in models(build(**parameters)):
            try:
                net = read(model)
            except ValueError as error:
                refused[name.split()[0]] = str(error).split(",")[0]
            else:
                require_near(net, model, inputs(model), sources(model))
                counted += 1
    assert counted > 60
    assert refused == REFUSED


@pytest.mark.parametrize("seed", range(6))
def test_heads_that_cut_a_space_into_cells_are_near_float64(read: Reader, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, N = 1 + seed % 3, 3 + seed
    cells, R = MaxAffine.of_sites(rng.uniform(-3, 3, (d, N)), rng.uniform(-1, 1, N)), float(10 ** rng.uniform(-1, 3))
    for n in (1, N):
        for values in (None, rng.normal(size=(1, N)), rng.normal(size=(d + 1, N))):
            model = indicator_attention(cells, n, R, values=values)
            require_near(read(model), model, rng.uniform(-3, 3, (400, d, n)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("make", [self_attention, cross_attention])
def test_heads_that_smooth_values_are_near_float64(read: Reader, seed: int, make: Any) -> None:
    rng, (d, n, G) = np.random.default_rng(seed), ((1, 1, 5), (1, 2, 9), (2, 2, 6))[seed % 3]
    pairs = (G,) if make is cross_attention else ()
    values, centers = rng.uniform(-1, 1, (*pairs, G, d, n)), rng.uniform(-2, 2, (G, d * n))
    model = make(values, centers, n, d, rng.uniform(1, 30), 1.1)
    X, Z = rng.uniform(-2, 2, (2, 50, d, n))
    require_near(read(model), model, X, Z if pairs else None)


# ------------------------------------------------------------------------------------------------ scores of large scale


@pytest.mark.parametrize("scale", [1e3, 1e6, 1e9])
def test_softmax_of_large_scores_is_within_the_rounding_that_is_carried(read: Reader, scale: float) -> None:
    rng = np.random.default_rng(7)
    mild = Head(np.eye(D), np.eye(D), np.eye(D), 0.3 * np.eye(D))
    near = Head([[scale, 0]], [[1, 0]], [[0, 1]], [[0], [1]], b_q=[scale])
    layers = [Attention([mild]), Attention([near]), LAYERS["ReLU"](floats(rng))]
    model, X = Transformer(layers), sequences(rng, count=80)
    X[:, 0] = 0.7 + X[:, 0] / scale  # row 0 makes keys that nearly tie, row 1 values that do not
    difference = abs(read(model)(X) - flat([model(X, FLOAT64)])[0])
    estimate = np.array([2 * carried(layers, x).ravel() for x in X])  # either side rounds
    assert (difference <= estimate).all()
    # The estimate is needed, and no excuse: it grows with the scale, and is a thousand times too large at most.
    assert difference.max() > 1e-17 * scale
    assert estimate.max() < 1e-12 * scale
    assert (difference / estimate).max() > 1e-3


# ---------------------------------------------------------------------------------------------------------------- ties

RANK = Head([[0]], [[1]], [[1]], [[1]], b_q=[1])


@pytest.mark.parametrize(
    ("tokens", "weights"),
    [
        ([3, 1, 3, 0], [1 / 2, 0, 1 / 2, 0]),
        ([2, 2, 2, 1], [1 / 3, 1 / 3, 1 / 3, 0]),
        ([0, 0, 0, 0], [1 / 4] * 4),
        ([-1, 4, 2, 3], [0, 1, 0, 0]),
        ([1, 1 + 2**-52, 1, 1], [0, 1, 0, 0]),  # the next number is no tie
        ([1e300, 1e300, -1e300, 0], [1 / 2, 1 / 2, 0, 0]),
        ([0.0, -0.0, -1, -2], [1 / 2, 1 / 2, 0, 0]),
    ],
)
def test_ties_share_equally(read: Reader, tokens: list[float], weights: list[float]) -> None:
    model, X = Transformer([Attention([RANK], "hardmax")]), np.array([[tokens]], dtype=np.float64)
    net = read(model)
    head = net.attend(0, X)[0]
    assert head["weights"][..., 0].tolist() == np.tile(weights, (4, 1)).T.tolist()
    assert head["scores"][..., 0].tolist() == np.tile(tokens, (4, 1)).T.tolist()
    assert net(X).tolist() == flat([model(X, FLOAT64)])[0].tolist()


def test_a_tie_is_divided_after_summing(read: Reader) -> None:
    # Neither 1/3 + 1/3 + 3/3 nor 5 times 1/3 has the bits of 5/3.
    head = Head([[0, 0]], [[1, 0]], [[0, 1]], [[1], [0]], b_q=[1])
    net = read(Transformer([Attention([head], "hardmax", skip=False)]))
    assert net([[[2, 2, 2], [1, 1, 3]]])[0].tolist() == [5 / 3] * 3 + [0] * 3


@pytest.mark.parametrize("score", [-0.5, -31.0, -700.0, -744.0, -746.5, -800.0])
def test_weights_get_as_small_as_numbers_do(read: Reader, score: float) -> None:
    X, tiny = np.array([[[0.0, score]]]), math.exp(score)
    sparse, dense = (read(Transformer([Attention([RANK], name)])).attend(0, X)[0] for name in ("softmax", "none"))
    assert sparse["weights"][1, :, 0].tolist() == pytest.approx([tiny / (1 + tiny)] * 2, rel=1e-14, abs=5e-324)
    assert dense["weights"][1, :, 0].tolist() == pytest.approx([tiny] * 2, rel=1e-14, abs=5e-324)


def test_hidden_keys_tie_with_nobody(read: Reader) -> None:
    net = read(Transformer([Attention([RANK], "hardmax", mask=causal(3))]))
    head = net.attend(0, [[[1, 2, 2]]])[0]
    assert head["weights"][..., 0].tolist() == [[1, 0, 0], [0, 1, 1 / 2], [0, 0, 1 / 2]]


# --------------------------------------------------------------------------------------------- what attention pictures


LOGS = {
    "dot": lambda x, y, k: x @ y,
    "rbf": lambda x, y, k: -float(k.gamma) * ((x - y) ** 2).sum(),
    "constant": lambda x, y, k: 0,
    "performer": lambda x, y, k: math.log(
        sum(math.exp(float(w @ (x + y)) - (x @ x + y @ y) / 2) for w in k.omega.astype(float))
    ),
    "exp-sum": lambda x, y, k: k.w.astype(float) @ (x + y),
    "exp-plus": lambda x, y, k: math.log(sum(math.exp(k.w.astype(float) @ z) for z in (x, y))),
    "poly-times": lambda x, y, k: (
        math.log(sum(float(c) * ((x - y) @ (x - y)) ** power for power, c in enumerate(k.polynomial)))
        + LOGS[k.base.kind](x, y, k.base)
    ),
    "cosh": lambda x, y, k: math.log(math.cosh(x @ y)),
    "elu": lambda x, y, k: math.log(np.prod([np.where(z < 0, np.exp(z), 1 + z) for z in (x, y)], axis=0).sum()),
    "laplace": lambda x, y, k: -math.dist(x, y),
    "cauchy": lambda x, y, k: -math.log(1 + math.dist(x, y) ** 2),
    "polynomial": lambda x, y, k: math.log((1 + x @ y) ** k.power + float(k.offset)),
    "cosine": lambda x, y, k: math.log(float(k.offset) + np.cos(x - y).sum()),
}
"""log k(x, y) of a query and a key, by the formulas of the text."""


def by_formula(layer: Attention, head: Head, X: np.ndarray, Z: np.ndarray) -> dict[str, np.ndarray]:
    """Scores, weights and values of a head for one sequence, key by key."""

    def affine(letter: str, tokens: np.ndarray) -> np.ndarray:
        w, b = getattr(head, f"w_{letter}"), getattr(head, f"b_{letter}")
        return w @ tokens + (0 if b is None else b[:, None])

    e, f = (np.eye(Z.shape[1]) if w is None else w for w in (head.w_e, head.w_f))
    queries, keys, values = affine("q", X), affine("k", Z @ e), affine("v", Z @ f)
    scores, mask = np.zeros((keys.shape[1], queries.shape[1])), layer.mask
    for i, j in np.ndindex(scores.shape):
        scores[i, j] = LOGS[layer.kernel.kind](queries[:, j], keys[:, i], layer.kernel)
    seen = 1 if mask is None else mask.mask() if isinstance(mask, Pattern) else mask
    powers = np.exp(scores) * seen
    if layer.normalization == "hardmax":
        powers = np.where(powers > powers.max(axis=0) * (1 - 1e-9), 1.0, 0.0)
    return {
        "scores": scores,
        "weights": powers / (1 if layer.normalization == "none" else powers.sum(axis=0)),
        "values": values,
    }


ATTENTIONS = {
    name: make
    for name, make in (LAYERS | CROSS).items()
    if isinstance(make(floats(np.random.default_rng(0))), Attention)
}


@pytest.mark.parametrize("name", ATTENTIONS)
def test_what_a_picture_of_attention_shows_is_the_formula(read: Reader, name: str) -> None:
    rng = np.random.default_rng(8)
    first, layer = LAYERS["ReLU"](floats(rng)), ATTENTIONS[name](floats(rng))
    X, source = sequences(rng), sequences(rng, D_SOURCE, N_SOURCE) if layer.cross else None
    shown = read(Transformer([first, layer])).attend(1, X, source)
    states = Transformer([first])(X, FLOAT64).numpy()
    assert len(shown) == len(layer.heads)
    for k, state in enumerate(states):
        for head, found in zip(layer.heads, shown, strict=True):
            expected = by_formula(layer, head, state, state if source is None else source[k])
            for part, array in expected.items():
                np.testing.assert_allclose(found[part][..., k], array, rtol=1e-12, atol=1e-13)


def test_other_weights_and_other_scores_are_those_of_another_model(read: Reader) -> None:
    rng = np.random.default_rng(9)
    layers = [LAYERS[name](floats(rng)) for name in ("softmax dot", "three-piece", "hardmax rbf")]
    net, X = read(Transformer(layers)), sequences(rng)
    before = net.trace(X)

    new = layers[1].with_weights({name: rng.normal(size=w.shape) for name, w in layers[1].weights().items()})
    require_near(net.replace(1, new.weights()), Transformer([layers[0], new, layers[2]]), X)
    only = {"b_2": rng.normal(size=D)}
    partly = layers[1].with_weights({**layers[1].weights(), **only})
    require_near(net.replace(1, only), Transformer([layers[0], partly, layers[2]]), X)

    # Scores times 4 are those of four times W_Q and b_Q, to the last bit; the factors of two sliders multiply.
    hot = read(Transformer([layers[0].with_softmax(4), *layers[1:]])).trace(X)
    for scaled in (net.scaled(0, 4), net.scaled(0, 8).scaled(0, 0.5)):
        assert all(np.array_equal(a, b) for a, b in zip(scaled.trace(X), hot, strict=True))
        assert np.array_equal(scaled.attend(0, X)[1]["scores"], 4 * net.attend(0, X)[1]["scores"])
    assert np.array_equal(net.scaled(0, 8).replace(0, layers[0].weights())(X), net.scaled(0, 8)(X))
    assert all(np.array_equal(a, b) for a, b in zip(before, net.trace(X), strict=True))


def test_an_activation_with_other_numbers(read: Reader) -> None:
    rng = np.random.default_rng(10)
    layer = LAYERS["three-piece"](floats(rng))
    pieces = {"breakpoints": [-1, 0.5], "slopes": [0, 2, -1], "intercepts": [3, 1, 0.25], "w_1": layer.w_1.tolist()}
    other = FeedForward(layer.w_1, layer.b_1, layer.w_2, layer.b_2, ThreePiece(*list(pieces.values())[:3]))
    require_near(read(Transformer([layer])).replace(0, pieces), Transformer([other]), sequences(rng))


# ------------------------------------------------------------------------------------------------------------ overflow

GROW = FeedForward([[1e200]], None, [[1]], skip=False)
SQUARE = Attention([Head([[1]], [[1]], [[1]], [[1]])])


@pytest.mark.parametrize(
    ("layers", "x", "bad"),
    [
        ([GROW], 1, None),
        ([GROW, GROW], 1, 1),
        ([GROW, SQUARE], 1, 1),  # scores of 1e400
        ([GROW, Attention([RANK]), GROW, GROW], 1, 2),
        ([SQUARE, GROW], 1e200, 0),
        ([Attention([Head([[1e200]], [[1]], [[1]], [[1]])], "hardmax"), GROW], 1e150, 0),
        ([Attention([RANK], "none")], 800, 0),  # e^800
        ([GROW, FeedForward([[-1e200]], None, [[1]], skip=False)], 1, None),  # ReLU(-inf) = 0, which is right
    ],
)
def test_an_overflow_is_named_where_float64_sees_one(
    read: Reader, layers: list[Layer], x: float, bad: int | None
) -> None:
    model, net = Transformer(layers), read(Transformer(layers))
    X = np.array([[[0.0, 1e-300]]] * 700 + [[[x, x]]] + [[[0.0, 1e-300]]])
    found = net.first_bad(X)
    assert found == (None if bad is None else {"layer": bad, "sequence": 700})
    if bad is None:
        assert np.array_equal(net(X), flat([model(X, FLOAT64)])[0])
    else:
        assert not np.isfinite(net(X)[700]).all()
        assert np.isfinite(net(X)[[0, 699, 701]]).all()
        with pytest.raises(Overflow):
            model(X, FLOAT64)


def test_a_hidden_sum_of_infinities_is_an_overflow(read: Reader) -> None:
    model = Transformer([FeedForward([[1e300, -1e300]], None, [[1], [1]])])
    X = np.full((1, 2, 1), 1e300)
    assert read(model).first_bad(X) == {"layer": 0, "sequence": 0}
    with pytest.raises(Overflow):
        model(X, FLOAT64)


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf])
def test_input_that_is_no_number_is_named_as_such(read: Reader, x: float) -> None:
    assert read(Transformer([SQUARE])).first_bad([[[0, 1]], [[0, x]]]) == {"layer": -1, "sequence": 1}


# ------------------------------------------------------------------------------------------------------------ refusals


class Own(FeedForward):
    """The class of a reader, which may do anything."""


class OwnHead(Head):
    """Likewise."""


class OwnKernel(Kernel):
    """Likewise."""


class OwnLogKernel(LogKernel):
    """Likewise."""


class OwnLayer(Layer):
    """A layer that files do not know."""


RELU_LAYER = FeedForward([[1]], [0], [[1]])
PLAIN = Head([[1]], [[1]], [[1]], [[1]])


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (Own([[1]], [0], [[1]]), r"layer 1 \(Own\): expected layers of the kinds attention, .*, got Own"),
        (OwnLayer(), r"layer 1 \(OwnLayer\): expected layers of the kinds"),
        (Attention([OwnHead(*[[[1]]] * 4)]), r"layer 1 \(attention\): expected heads of the kinds head, .*OwnHead"),
        (Attention([PLAIN], kernel=OwnKernel()), r"layer 1 \(attention\): expected kernels of the kinds dot, rbf, con"),
        (
            Attention([PLAIN], kernel=PolyTimes([1], OwnLogKernel())),
            r"layer 1 \(attention\), base: expected kernels of the kinds dot, .*, got OwnLogKernel",
        ),
        (
            Attention([PLAIN], kernel=Performer(np.ones((2**16 + 1, 1), dtype=int))),
            r"layer 1 \(attention\): expected at most 65,536 numbers in omega, .* got 65,537",
        ),
        (Attention([PLAIN], mask=np.ones((3, 2, 2), bool)), r"layer 1 \(attention\): expected one mask .* \(3, 2, 2\)"),
        (Attention([PLAIN], mask=np.ones((257, 257), bool)), r"layer 1 \(attention\): .* 65,536 pairs .* got 66,049"),
        (FeedForward([[10**400]], [0], [[1]]), r"layer 1 \(feed-forward\), w_1: a number exceeds the largest FLOAT64"),
        (Attention([PLAIN], kernel=RBF(10**400)), r"layer 1 \(attention\), gamma: a number exceeds"),
        (FeedForward(np.ones((40000, 1)), None, np.ones((1, 40000))), r"model: expected at most 65,536 .* got 80,003"),
    ],
)
def test_a_layer_that_no_page_can_run_is_refused_by_name(layer: Layer, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lowered(Transformer([RELU_LAYER, layer]))


def test_an_encoder_layer_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^encoder layer 0 \(Own\): expected layers of the kinds"):
        lowered(Transformer([Attention([PLAIN], cross=True)], encoder=[Own([[1]], [0], [[1]])]))


@pytest.mark.parametrize("given", [None, RELU_LAYER, type("Mine", (Transformer,), {})([RELU_LAYER])])
def test_only_transformers_are_lowered(given: Any) -> None:
    with pytest.raises(ValueError, match=r"^model: expected a Transformer itself, got"):
        lowered(given)


def test_a_saved_model_runs_and_one_of_another_version_is_refused(read: Reader, tmp_path: Any) -> None:
    path, model = tmp_path / "model.json", Transformer([LAYERS["softmax rbf"](halves(np.random.default_rng(11)))])
    model.save(path)
    X = sequences(np.random.default_rng(12))
    assert np.array_equal(read(Transformer.load(path))(X), read(model)(X))
    data = json.loads(path.read_text()) | {"version": 5}
    data["sha256"] = _checksum({name: value for name, value in data.items() if name != "sha256"})
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=r"expected format version 1 to 4, got 5; update uatlib"):
        lowered(Transformer.load(path))


def spec(**changes: Any) -> dict[str, Any]:
    """A spec whose second layer has these entries."""
    given = lowered(Transformer([RELU_LAYER, Attention([PLAIN])]))
    given["layers"][1] |= changes
    return given


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            spec(kind="recurrent"),
            "layer 1 (recurrent): expected attention, feed-forward, linear-sum, bilinear-projection, separable-conv",
        ),
        (spec(kind="constructor"), "layer 1 (constructor): expected attention"),
        (
            spec(kernel={"kind": "arc"}),
            "layer 1 (attention): expected dot, constant, rbf, performer, exp-sum, exp-plus, p",
        ),
        (spec(normalization="sparsemax"), "layer 1 (attention): expected softmax, hardmax, none, got sparsemax."),
        (spec(activation="tanh"), "layer 1 (attention): expected relu, three-piece, got tanh."),
        (spec(alpha="swish"), "layer 1 (attention): expected relu, tanh, exp, sin, sigmoid, gelu, got swish."),
        (spec() | {"version": 2}, "readNetwork: expected a uatlib.network of version 1, got uatlib.network of ver"),
        (spec() | {"format": "onnx"}, "readNetwork: expected a uatlib.network of version 1, got onnx of version 1."),
    ],
)
def test_the_page_refuses_a_network_that_it_does_not_know(read: Reader, given: dict[str, Any], message: str) -> None:
    with pytest.raises(Refused) as error:
        read(given)
    assert str(error.value).startswith(message)


def test_the_page_refuses_sequences_of_another_shape(read: Reader) -> None:
    net = read(Transformer([Attention([PLAIN], mask=causal(2))]))
    heard = read(Transformer([Attention([PLAIN], cross=True)]))
    for call, message in (
        (
            lambda: net(np.zeros((3, 1, 3))),
            r"^X: expected shape \(1, 2, batch\), got 9 numbers for n = 3, batch = 3\.$",
        ),
        (lambda: net(np.zeros((3, 2, 2))), r"^X: expected shape \(1, 2, batch\), got 12 numbers"),
        (lambda: net(np.zeros((3, 1, 2)), np.zeros((3, 1, 2))), r"^source: expected none\.$"),
        (lambda: heard(np.zeros((3, 1, 2))), r"^source: expected a second sequence\.$"),
        (lambda: heard(np.zeros((3, 1, 2)), np.zeros((3, 2, 2))), r"^source: expected shape \(1, n, batch\), got 12"),
        (lambda: net.attend(1, np.zeros((1, 1, 2))), r"^layer 1: expected attention, got one of 1\.$"),
        (
            lambda: net.replace(0, {"w_1": [1]}),
            r"^layer 0 \(attention\), w_1: expected a name out of head0.w_q, .*, got 1 num",
        ),
        (
            lambda: net.replace(0, {"head0.w_q": [1, 2]}),
            r"^layer 0 \(attention\), head0.w_q: expected 1 finite numbers, got 2",
        ),
        (
            lambda: net.replace(0, {"head0.w_q": np.array([np.nan])}),
            r"^layer 0 \(attention\), head0.w_q: expected 1 finite numbers",
        ),
        (lambda: net.scaled(0, None), r"^layer 0 \(attention\): expected a finite factor, got null\.$"),
        (lambda: net.scaled(3, 1), r"^layer 3: expected attention"),
    ):
        with pytest.raises(Refused, match=message):
            call()


def test_the_script_is_light() -> None:
    assert len(gzip.compress(SCRIPT.read_bytes(), 9)) < 9000
