"""The layers: worked examples, the formula in plain loops, and what the constructors refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, INT64
from uatlib.layers import Attention, FeedForward, Head, Layer, ThreePiece
from uatlib.model import Transformer

from .oracles import EXAMPLES, HALVES, array, build, decimals, examples, run

ONE = [[1]]


def head(**changes: object) -> Head:
    return Head(**{"w_q": ONE, "w_k": ONE, "w_v": ONE, "w_o": ONE, **changes})


def apply(layer: Layer, X: object) -> list:
    return Transformer([layer])(X, EXACT).tolist()


# --------------------------------------------------------------------------------------------- worked by hand


@pytest.mark.parametrize(("t", "phi"), [(-9, 0), (-1, 4), (0, 5), (Fraction(1, 2), Fraction(11, 2)), (1, 9), (2, 9)])
def test_three_piece_takes_the_right_piece_at_its_breakpoints(t: object, phi: object) -> None:
    activation = ThreePiece((-1, 1), (0, 1, 0), (0, 5, 9))
    layer = FeedForward(ONE, [0], ONE, None, activation)
    assert apply(layer, [[t]]) == [[t + phi]]
    assert Transformer([layer])([[float(t)]], FLOAT64).item() == t + phi
    assert Transformer([layer])([[t]], BALL)[0, 0].contains(t + phi)


def test_equal_breakpoints_leave_out_the_middle_piece() -> None:
    layer = FeedForward(ONE, [0], ONE, None, ThreePiece((0, 0), (0, 1, 0), (0, 77, 1)))
    assert apply(layer, [[-1, 0, 1]]) == [[-1, 1, 2]]


# ------------------------------------------------------------------------------------------------ the formula


@EXAMPLES
@given(examples())
def test_exact_equals_the_formula(example: tuple) -> None:
    layers, X = example
    assert Transformer([build(layer) for layer in layers])(X, EXACT).tolist() == run(layers, X)


@EXAMPLES
@given(examples(HALVES, "softmax"))
def test_softmax_floats_are_near_the_formula(example: tuple) -> None:
    layers, X = example
    model = Transformer([build(layer) for layer in layers])
    reference = np.array(run(layers, decimals(X)), dtype=np.float64)
    # Scores up to S magnify a rounding error by about S in each attention layer.
    size = 1 + np.abs(reference).max()
    assert np.abs(model(X, FLOAT64).numpy() - reference).max() < 1e-9 * size**2
    if len(layers) == 1:
        assert np.abs(model(X, FLOAT32).numpy() - reference).max() < 2e-3 * size


@EXAMPLES
@given(examples(HALVES, depth=2))
def test_hardmax_floats_are_near_the_formula(example: tuple) -> None:
    layers, X = example
    model = Transformer([build(layer) for layer in layers])
    if len(layers) == 2 and layers[1]["phi"] is not None and len(X[0]) == 3:
        return  # a third is rounded and may land on the other side of a breakpoint
    reference = np.array(run(layers, X), dtype=np.float64)
    assert np.allclose(model(X, FLOAT64).numpy(), reference, rtol=1e-12, atol=1e-11)
    assert np.allclose(model(X, FLOAT32).numpy(), reference, rtol=1e-4, atol=1e-3)


@settings(EXAMPLES, max_examples=20)
@given(examples(), st.integers(1, 3))
def test_a_batch_is_each_sequence_on_its_own(example: tuple, copies: int) -> None:
    layers, X = example
    model = Transformer([build(layer) for layer in layers])
    batch = [[[entry + k for entry in row] for row in X] for k in range(copies)]
    result = model(np.stack([array(batch), array(batch)]), EXACT)
    assert result.shape == (2, copies, len(X), len(X[0]))
    assert result[1].tolist() == [run(layers, one) for one in batch]


def test_a_batch_of_masks_is_each_mask_on_its_own() -> None:
    masks = np.random.default_rng(0).random((2, 3, 4, 4)) < 0.5
    masks |= np.eye(4, dtype=bool)
    X = np.random.default_rng(1).integers(-3, 4, (2, 3, 1, 4))
    result = Transformer([Attention([head()], "hardmax", mask=masks)])(X, EXACT)
    for place in np.ndindex(2, 3):
        alone = Attention([head()], "hardmax", mask=masks[place])
        assert result[place].tolist() == apply(alone, X[place])


@EXAMPLES
@given(examples(HALVES, depth=1), st.integers(1, 5))
def test_with_softmax_scales_the_scores(example: tuple, scale: int) -> None:
    (layer,), X = example
    scaled = build(layer).with_softmax(scale)
    assert scaled.normalization == "softmax"
    heads = [
        {k: (np.array(v, dtype=object) * scale).tolist() if k in ("w_q", "b_q") else v for k, v in h.items()}
        for h in layer["heads"]
    ]
    reference = run([layer | {"heads": heads, "normalization": "softmax"}], decimals(X))
    balls = Transformer([scaled])(X, BALL)
    for ball, value in zip(balls.ravel(), array(reference).ravel(), strict=True):
        assert abs(ball.midpoint - Fraction(value)) <= ball.radius + Fraction(1, 10**50)


# ------------------------------------------------------------------------------------------ weights and names


@settings(EXAMPLES, max_examples=20)
@given(examples(depth=2))
def test_weights_name_every_number_once(example: tuple) -> None:
    for layer in example[0]:
        built = build(layer)
        again = built.with_weights(built.weights())
        assert {k: v.tolist() for k, v in again.weights().items()} == {
            k: v.tolist() for k, v in built.weights().items()
        }
        if "heads" in layer:
            given_ = [value for h in layer["heads"] for value in h.values()] + [layer["b_o"]]
        else:
            given_ = [layer[name] for name in ("w_1", "b_1", "w_2", "b_2")]
        numbers = [entry for value in given_ if value is not None for entry in np.ravel(array(value))]
        assert built.parameter_count() == len(numbers)
        assert built.parameter_count(nonzero=True) == sum(entry != 0 for entry in numbers)


def test_attention_names_its_weights_by_head() -> None:
    layer = Attention([head(b_q=[3]), head()], "hardmax", [4])
    assert list(layer.weights()) == [
        *(f"head0.{name}" for name in ("w_q", "w_k", "w_v", "w_o", "b_q")),
        *(f"head1.{name}" for name in ("w_q", "w_k", "w_v", "w_o")),
        "b_o",
    ]
    assert layer.weights()["head0.b_q"].tolist() == [3]


@pytest.mark.parametrize(
    ("layer", "acts"),
    [
        (Attention([head()]), True),
        (Attention([head(w_o=[[0]])]), False),
        (Attention([head(w_o=[[0]]), head()]), True),
        (Attention([head(w_o=[[0]])], b_o=[0]), False),
        (Attention([head(w_o=[[0]])], b_o=[Fraction(1, 2)]), True),
        (FeedForward(ONE, [1], ONE), True),
        (FeedForward(ONE, [1], [[0]]), False),
        (FeedForward(ONE, [1], [[0]], [0]), False),
        (FeedForward(ONE, [1], [[0.0]], [0.5]), True),
    ],
)
def test_a_layer_acts_unless_its_output_weights_are_zero(layer: Layer, acts: bool) -> None:
    assert layer.acts is acts


def test_weights_are_exact_or_float64_and_read_only() -> None:
    source = np.array([[1.5, 2]])
    layer = FeedForward(source, [Fraction(4, 2)], [[1], [Fraction(1, 3)]])
    source[0, 0] = 99
    assert layer.w_1.dtype == np.float64
    assert layer.w_1.tolist() == [[1.5, 2]]
    assert [type(entry) for entry in layer.b_1] == [int]
    assert layer.w_2.tolist() == [[1], [Fraction(1, 3)]]
    for name, array_ in layer.weights().items():
        with pytest.raises(ValueError, match="read-only"):
            array_[...] = 0
        with pytest.raises(AttributeError):
            setattr(layer, name, array_)


def test_three_piece_reads_back_and_compares() -> None:
    activation = ThreePiece([0, Fraction(2, 2)], np.array([0, 1, 0]), (0, 0.5, 0))
    assert activation.breakpoints == (0, 1)
    assert activation.slopes == (0, 1, 0)
    assert activation == ThreePiece((0, 1), (0, 1, 0), (0, 0.5, 0))
    assert str(activation) == "three-piece"


def test_reprs_name_kind_and_sizes() -> None:
    layer = Attention([Head([[1, 0]], [[1, 0]], [[1, 0]], [[1], [0]])] * 2, "hardmax")
    assert repr(layer) == "Attention(hardmax, heads=2, head size=1, d=2)"
    assert repr(layer.heads[0]) == "Head(d=2, m=1)"
    assert repr(FeedForward([[1]] * 3, [0] * 3, [[1] * 3])) == "FeedForward(relu, r=3, d=1)"


# -------------------------------------------------------------------------------------------- what is refused


def feed(**wrong: object) -> FeedForward:
    return FeedForward(**{"w_1": ONE, "b_1": [0], "w_2": ONE, **wrong})


WIDE = {"w_q": [[1, 0]], "w_k": [[1, 0]], "w_v": [[1, 0]], "w_o": [[1], [0]]}
REFUSED = [
    *(
        (
            r"FeedForward w_1(\[0, \d\])?: expected (int, Fraction or float|.*numbers)",
            lambda row=row: feed(w_1=[row]),
        )
        for k, values in enumerate([[math.nan, True], ["3", 10**400]])
        for row in ([*[1.0] * k, value] for value in values)
    ),
    (r"ThreePiece slopes\[1\]: expected", lambda: ThreePiece((0, 1), (0, math.nan, 0), (0, 0, 0))),
    *(
        ("FeedForward w_1: expected real numbers, got an array of", lambda kind=kind: feed(w_1=np.zeros((1, 1), kind)))
        for kind in (bool, complex)
    ),
    *((r"FeedForward w_1.*: expected", lambda w=w: feed(w_1=w)) for w in ([], [1], [[[1]]], [[1], [1, 2]])),
    ("FeedForward b_1: expected shape", lambda: feed(b_1=[0, 1])),
    ("FeedForward b_2: expected shape", lambda: feed(b_2=[0, 1])),
    ("FeedForward w_2: expected shape", lambda: feed(w_2=[[1, 1]])),
    ("FeedForward w_2: expected shape", lambda: feed(w_1=[[1], [1]], b_1=[0, 0])),
    ("activation: expected \"relu\" or a ThreePiece, got 'gelu'", lambda: feed(activation="gelu")),
    *(
        (r"Head [wb]_[qkvo]: expected", lambda wrong={name: value}: Head(**WIDE | wrong))
        for name, value in [
            ("w_q", [[1, 0], [0, 1]]),
            ("w_k", [[1]]),
            ("w_v", [[1, 2, 3]]),
            ("w_o", [[1, 2]]),
            ("b_q", [1, 2]),
            ("b_k", [[1]]),
            ("b_v", []),
        ]
    ),
    ("at least one Head, got", lambda: Attention([])),
    (
        r"heads of one size \(d, d', d_out\), got \[\(1, 1, 1\), \(2, 2, 2\)\]",
        lambda: Attention([head(), Head(**WIDE)]),
    ),
    (r"Attention normalization: expected .*, got 'sparsemax'", lambda: Attention([head()], "sparsemax")),
    (r"Attention b_o: expected shape \(2,\), got \(1,\)", lambda: Attention([Head(**WIDE)], b_o=[1])),
    ("breakpoints: expected 2 numbers, got 1", lambda: ThreePiece((0,), (0, 1, 0), (0, 0, 0))),
    ("slopes: expected 3 numbers, got 2", lambda: ThreePiece((0, 1), (0, 1), (0, 0, 0))),
    ("intercepts: expected 3 numbers, got 4", lambda: ThreePiece((0, 1), (0, 1, 0), (0,) * 4)),
    ("expected c_1 <= c_2", lambda: ThreePiece((1, 0), (0, 1, 0), (0, 0, 0))),
    ("expected a constant piece", lambda: ThreePiece((0, 1), (1, 2, 3), (0, 0, 0))),
    *(
        ("with_softmax scale", lambda scale=scale: Attention([head()]).with_softmax(scale))
        for scale in (math.nan, True)
    ),
]


@pytest.mark.parametrize(("words", "make"), REFUSED)
def test_what_is_no_layer_is_refused(words: str, make: Callable) -> None:
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("system", [EXACT, INT64])
def test_softmax_is_refused_where_it_is_not_exact(system: object) -> None:
    with pytest.raises(ValueError, match="cannot run exp"):
        Transformer([Attention([head()])])([[1]], system)


@pytest.mark.parametrize("system", [EXACT, INT64])
def test_float_weights_are_refused_with_layer_and_name(system: object) -> None:
    with pytest.raises(ValueError, match=r"layer 0, w_1\[0, 0\]: .*0\.5"):
        Transformer([FeedForward([[0.5]], [0], ONE)]).lower(system)


# -------------------------------------------------------------------------------------------------- the edges


def test_weights_may_be_tensors_and_an_inner_bias_may_be_absent() -> None:
    assert apply(FeedForward(ONE, None, ONE), [[1, -2]]) == [[2, -2]]
    assert FeedForward(torch.tensor([[1.5]], requires_grad=True), [0], ONE).w_1.tolist() == [[1.5]]
    assert FeedForward(torch.tensor([[2]]), [0], ONE).w_1.tolist() == [[2]]
