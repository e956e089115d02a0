"""network.js, in node, against FLOAT64 and EXACT: layers of pictures, constructions, ties, overflow, refusals."""

from __future__ import annotations

import gzip
import math
import re
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
from uatlib.kernels import RBF, Kernel
from uatlib.layers import Attention, FeedForward, Head, Layer, ThreePiece
from uatlib.masks import causal
from uatlib.model import Transformer
from uatlib.patterns import Pattern
from uatlib.targets import mean_product

from ...uatlib.random_layers import CROSS, LAYERS, RESIZING, WITHOUT_EXP, D, N, floats, halves
from ...uatlib.rounding import carried
from ..page_network import SCRIPT, Network, Reader, Refused, node

OTHERS = {
    "none": "expected softmax or hardmax, which pages can run, got none",
    "constant none": "expected softmax or hardmax, which pages can run, got none",
    "projected": "expected heads without E and F, which pages can run, got projected keys or values",
    "cross": "expected attention of one sequence to itself, which pages can run, got one that hears a second sequence",
    "bilinear": "expected layers of the kinds attention, feed-forward, linear-sum, which pages can run, got Bilinear",
    **dict.fromkeys(("convolution", "even convolution", "wide convolution"), "got SeparableConvolution"),
    **dict.fromkeys(("bias", "cyclic convolution"), "expected layers of the kinds attention, feed-forward, linear-sum"),
    **{
        f"{how} {name}": f"expected kernels of the kinds dot, rbf, constant, cosh, polynomial, .* got {kind}"
        for how in ("softmax", "hardmax")
        for name, kind in (
            *(("performer", "Performer"), ("exp-sum", "ExpSum"), ("exp-plus", "ExpPlus"), ("poly-times", "PolyTimes")),
            *(("elu", "Elu"), ("laplace", "Laplace"), ("cauchy", "Cauchy"), ("cosine", "Cosine")),
        )
    },
}
"""Layers that no picture shows, by how their names begin, and why they are refused."""


def reason(name: str) -> str | None:
    """Why pages do not run this layer of `random_layers`; None if they do."""
    return next((why for start, why in OTHERS.items() if re.match(rf"{start}(?![\w-])", name)), None)


SHOWN = {name: make for name, make in LAYERS.items() if reason(name) is None}
NEAR = 1e-12
"""Of the largest value on the way."""


@pytest.fixture(scope="module")
def read() -> Iterator[Reader]:
    with node() as reader:
        yield reader


def flat(states: Any) -> list[np.ndarray]:
    """States of the library, each as rows of numbers, a row a sequence."""
    return [np.asarray(state).reshape(len(state), -1) for state in states]


def require_near(net: Network, model: Transformer, X: np.ndarray) -> None:
    ours, theirs = net.trace(X), flat(model.trace(X, FLOAT64))
    assert [state.shape for state in ours] == [state.shape for state in theirs]
    largest = max(abs(state).max() for state in theirs)
    assert max(abs(a - b).max() for a, b in zip(ours, theirs, strict=True)) <= NEAR * largest
    assert np.array_equal(net(X), ours[-1])


def sequences(rng: np.random.Generator, d: int = D, n: int = N, count: int = 9) -> np.ndarray:
    return rng.normal(0, 1, (count, d, n))


# ------------------------------------------------------------------------------------------------- every kind of layer


@pytest.mark.parametrize("name", [*SHOWN, *RESIZING])
def test_a_layer_is_near_float64(read: Reader, name: str) -> None:
    rng = np.random.default_rng(1)
    model = Transformer([(LAYERS | RESIZING)[name](floats(rng))])
    require_near(read(model), model, sequences(rng))


@pytest.mark.parametrize("name", [name for name in WITHOUT_EXP if name in SHOWN])
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
    one, other = (Transformer([LAYERS[name](floats(rng)) for _ in range(3)]) for name in ("softmax dot", "softmax rbf"))
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


BUILT = {f"{s.id} {k}": (s.build, case) for s in statements.all() for k, case in enumerate(({}, *s.cases))} | {
    f"build of {name}": (import_module(f"uatlib.{name}").build, {"target": mean_product(2), "error": 2, "p": 2})
    for name in statements.SOURCES
}


def test_constructions_of_what_pages_run_are_near_float64(read: Reader) -> None:
    counted, refused = 0, []
    for build, parameters in BUILT.values():
        for model in models(build(**parameters)):
            try:
                net = read(model)
            except ValueError as error:
                refused.append(str(error))
            else:
                require_near(net, model, inputs(model))
                counted += 1
    assert counted > 40
    reasons = r"layer \d+ \(\S+\): .*take a drawn picture\.|model: expected at most 65,536 weights"
    assert all(re.match(reasons, why) for why in refused)


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
    head = read(Transformer([Attention([RANK])])).attend(0, X)[0]
    assert head["weights"][1, :, 0].tolist() == pytest.approx([tiny / (1 + tiny)] * 2, rel=1e-14, abs=5e-324)


def test_hidden_keys_tie_with_nobody(read: Reader) -> None:
    net = read(Transformer([Attention([RANK], "hardmax", mask=causal(3))]))
    head = net.attend(0, [[[1, 2, 2]]])[0]
    assert head["weights"][..., 0].tolist() == [[1, 0, 0], [0, 1, 1 / 2], [0, 0, 1 / 2]]


# --------------------------------------------------------------------------------------------- what attention pictures


LOGS = {
    "dot": lambda x, y, k: x @ y,
    "rbf": lambda x, y, k: -float(k.gamma) * ((x - y) ** 2).sum(),
    "constant": lambda x, y, k: 0,
    "cosh": lambda x, y, k: math.log(math.cosh(x @ y)),
    "polynomial": lambda x, y, k: math.log((1 + x @ y) ** k.power + float(k.offset)),
}
"""log k(x, y) of a query and a key, by the formulas of the text."""


def by_formula(layer: Attention, head: Head, X: np.ndarray) -> dict[str, np.ndarray]:
    """Scores, weights and values of a head for one sequence, key by key."""

    def affine(letter: str, tokens: np.ndarray) -> np.ndarray:
        w, b = getattr(head, f"w_{letter}"), getattr(head, f"b_{letter}")
        return w @ tokens + (0 if b is None else b[:, None])

    queries, keys, values = (affine(letter, X) for letter in "qkv")
    scores, mask = np.zeros((keys.shape[1], queries.shape[1])), layer.mask
    for i, j in np.ndindex(scores.shape):
        scores[i, j] = LOGS[layer.kernel.kind](queries[:, j], keys[:, i], layer.kernel)
    seen = 1 if mask is None else mask.mask() if isinstance(mask, Pattern) else mask
    powers = np.exp(scores) * seen
    if layer.normalization == "hardmax":
        powers = np.where(powers > powers.max(axis=0) * (1 - 1e-9), 1.0, 0.0)
    return {
        "scores": scores,
        "weights": powers / powers.sum(axis=0),
        "values": values,
    }


ATTENTIONS = {
    name: make for name, make in SHOWN.items() if isinstance(make(floats(np.random.default_rng(0))), Attention)
}


@pytest.mark.parametrize("name", ATTENTIONS)
def test_what_a_picture_of_attention_shows_is_the_formula(read: Reader, name: str) -> None:
    rng = np.random.default_rng(8)
    first, layer = LAYERS["ReLU"](floats(rng)), ATTENTIONS[name](floats(rng))
    X = sequences(rng)
    shown = read(Transformer([first, layer])).attend(1, X)
    states = Transformer([first])(X, FLOAT64).numpy()
    assert len(shown) == len(layer.heads)
    for k, state in enumerate(states):
        for head, found in zip(layer.heads, shown, strict=True):
            expected = by_formula(layer, head, state)
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
    ("layers", "x", "overflows"),
    [
        ([GROW], 1, False),
        ([GROW, GROW], 1, True),
        ([GROW, SQUARE], 1, True),  # scores of 1e400
        ([GROW, Attention([RANK]), GROW, GROW], 1, True),
        ([SQUARE, GROW], 1e200, True),
        ([Attention([Head([[1e200]], [[1]], [[1]], [[1]])], "hardmax"), GROW], 1e150, True),
        ([GROW, FeedForward([[-1e200]], None, [[1]], skip=False)], 1, False),  # ReLU(-inf) = 0, which is right
    ],
)
def test_what_overflows_in_float64_is_not_finite_and_spoils_no_other_sequence(
    read: Reader, layers: list[Layer], x: float, overflows: bool
) -> None:
    model, net = Transformer(layers), read(Transformer(layers))
    X = np.array([[[0.0, 1e-300]]] * 700 + [[[x, x]]] + [[[0.0, 1e-300]]])
    found = net(X)
    if overflows:
        assert not np.isfinite(found[700]).all()
        assert np.isfinite(found[[0, 699, 701]]).all()
        with pytest.raises(Overflow):
            model(X, FLOAT64)
    else:
        assert np.array_equal(found, flat([model(X, FLOAT64)])[0])


def test_a_hidden_sum_of_infinities_is_an_overflow(read: Reader) -> None:
    model = Transformer([FeedForward([[1e300, -1e300]], None, [[1], [1]])])
    X = np.full((1, 2, 1), 1e300)
    assert not np.isfinite(read(model)(X)).all()
    with pytest.raises(Overflow):
        model(X, FLOAT64)


# ------------------------------------------------------------------------------------------------------------ refusals


class Own(FeedForward):
    """The class of a reader, which may do anything."""


class OwnHead(Head):
    """Likewise."""


class OwnKernel(Kernel):
    """Likewise."""


RELU_LAYER = FeedForward([[1]], [0], [[1]])
PLAIN = Head([[1]], [[1]], [[1]], [[1]])


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (Own([[1]], [0], [[1]]), r"layer 1 \(Own\): expected layers of the kinds attention, .*, got Own"),
        (Attention([OwnHead(*[[[1]]] * 4)]), r"layer 1 \(attention\): expected heads of the kinds head, .*OwnHead"),
        (Attention([PLAIN], kernel=OwnKernel()), r"layer 1 \(attention\): expected kernels of the kinds dot, rbf, con"),
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


@pytest.mark.parametrize("name", [name for name in LAYERS | CROSS if reason(name)])
def test_a_layer_that_no_picture_shows_is_refused_by_name(name: str) -> None:
    layer = (LAYERS | CROSS)[name](floats(np.random.default_rng(13)))
    with pytest.raises(ValueError, match=rf"^layer 0 \(\S+\): .*{reason(name)}.*; take a drawn picture\.$"):
        lowered(Transformer([layer]))


@pytest.mark.parametrize("given", [None, RELU_LAYER, type("Mine", (Transformer,), {})([RELU_LAYER])])
def test_only_transformers_are_lowered(given: Any) -> None:
    with pytest.raises(ValueError, match=r"^model: expected a Transformer itself, got"):
        lowered(given)


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
            "layer 1 (recurrent): expected attention, feed-forward, linear-sum, got recurrent.",
        ),
        (spec(kind="constructor"), "layer 1 (constructor): expected attention"),
        (
            spec(kernel={"kind": "arc"}),
            "layer 1 (attention): expected dot, constant, rbf, cosh, polynomial, got arc.",
        ),
        (spec(normalization="sparsemax"), "layer 1 (attention): expected softmax, hardmax, got sparsemax."),
        (spec(activation="tanh"), "layer 1 (attention): expected relu, three-piece, got tanh."),
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
    for call, message in (
        (
            lambda: net(np.zeros((3, 1, 3))),
            r"^X: expected shape \(1, 2, batch\), got 9 numbers for n = 3, batch = 3\.$",
        ),
        (lambda: net(np.zeros((3, 2, 2))), r"^X: expected shape \(1, 2, batch\), got 12 numbers"),
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
    assert len(gzip.compress(SCRIPT.read_bytes(), 9)) < 7100
