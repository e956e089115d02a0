"""The number systems: what they take, what they refuse, and how their results relate."""

from __future__ import annotations

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import flint
import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, INT64, Ball, Overflow, Undecided, distances
from uatlib.arithmetic.numbers import fraction, own, real, rounded_up
from uatlib.layers import Attention, FeedForward, Head, ThreePiece
from uatlib.model import Transformer

from .oracles import EXAMPLES, HALVES, SMALL, array, build, decimals, examples, run

ONE = [[1]]
SYSTEMS = [EXACT, BALL, FLOAT64, FLOAT32, INT64]
INSIDE = 2**63 - 1


def double() -> Transformer:
    """x + relu(x): twice x for x >= 0, x for x < 0."""
    return Transformer([FeedForward(ONE, [0], ONE)])


def hardmax(**weights: object) -> Transformer:
    return Transformer([Attention([Head(**{"w_q": ONE, "w_k": ONE, "w_v": ONE, "w_o": ONE, **weights})], "hardmax")])


def model_of(layers: list[dict]) -> Transformer:
    return Transformer([build(layer) for layer in layers])


def fractions_of(result: object) -> list:
    """The output of any system, as exact Fractions (balls by their midpoints)."""
    if isinstance(result, torch.Tensor):
        return array([Fraction(x) for x in result.ravel().tolist()]).reshape(result.shape).tolist()
    return np.vectorize(lambda x: x.midpoint if isinstance(x, Ball) else x, otypes=[object])(result).tolist()


# --------------------------------------------------------------------------------------------- kinds of input


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    "X",
    [
        [[3, -2]],
        ((3, -2),),
        np.array([[3, -2]]),
        np.array([[3, -2]], dtype=np.int8),
        np.array([[3, -2]], dtype=object),
        np.array([[np.int64(3), Fraction(-2)]], dtype=object),
        torch.tensor([[3, -2]]),
        torch.tensor([[3, -2]], dtype=torch.int8),
        [[Fraction(3), Fraction(-4, 2)]],
    ],
    ids=repr,
)
def test_whole_numbers_come_in_many_containers(system: object, X: object) -> None:
    assert fractions_of(double()(X, system)) == [[6, -2]]


@pytest.mark.parametrize("system", [BALL, FLOAT64, FLOAT32])
@pytest.mark.parametrize(
    "X",
    [
        [[0.5, Fraction(-3, 2)]],
        np.array([[0.5, -1.5]], dtype=np.float32),
        np.array([[0.5, -1.5]], dtype=np.float16),
        torch.tensor([[0.5, -1.5]]),
        torch.tensor([[0.5, -1.5]], dtype=torch.bfloat16),
    ],
    ids=repr,
)
def test_balls_and_floats_take_floats(system: object, X: object) -> None:
    assert fractions_of(double()(X, system)) == [[1, Fraction(-3, 2)]]


def test_big_integers_of_mixed_sign_in_lists_stay_exact() -> None:
    # NumPy turns [2**63, -1] into floats and 2**63 + 1 into 2**63.
    for big in (2**63 + 1, 2**200 + 1):
        assert double()([[big, -1]], EXACT).tolist() == [[2 * big, -1]]
        assert fractions_of(double()([[big, -1]], BALL.with_bits(256))) == [[2 * big, -1]]
    with pytest.raises(Overflow, match=r"X\[0, 0\]: 9223372036854775809 units need more than 63 bits"):
        double()([[2**63 + 1, -1]], INT64)


def test_outputs_have_the_number_type_of_the_system() -> None:
    X = [[[1, 2]], [[3, 4]]]
    exact = double()(X, EXACT)
    assert exact.shape == (2, 1, 2)
    assert {type(entry) for entry in exact.ravel()} == {Fraction}
    assert {type(entry) for entry in double()(X, BALL).ravel()} == {Ball}
    for system, dtype in ((FLOAT64, torch.float64), (FLOAT32, torch.float32), (INT64, torch.int64)):
        result = double()(X, system)
        assert result.dtype == dtype
        assert result.shape == (2, 1, 2)


def test_systems_print_their_names() -> None:
    assert [repr(s) for s in (EXACT, FLOAT64, FLOAT32, INT64)] == ["EXACT", "FLOAT64", "FLOAT32", "INT64"]
    assert "BALL" in repr(BALL)
    assert "256" in repr(BALL.with_bits(256))
    assert repr(INT64.in_units_of(Fraction(1, 4))) == "INT64.in_units_of(1/4)"
    assert repr(FLOAT64.on("cpu")) == 'FLOAT64.on("cpu")'
    assert double()(torch.ones(1, 2), FLOAT64.on("cpu")).device == torch.device("cpu")


def test_floats_keep_gradients() -> None:
    X = torch.tensor([[2.0, -1.0]], requires_grad=True)
    double()(X, FLOAT32).sum().backward()
    assert X.grad is not None
    assert X.grad.tolist() == [[2.0, 1.0]]


# ---------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    "X",
    [
        [[math.nan, 1]],
        np.array([[-math.inf, 1]]),
        torch.tensor([[math.nan, 1]]),
        [["1", "2"]],
        "12",
        [[True, False]],
        [[1j, 1]],
        torch.tensor([[1j, 1]]),
        [[True, 2]],
        array([[Decimal("0.5")]]),
        np.ma.masked_array([[1.0, 2.0]], [[0, 1]]),
        np.ones((1, 2), dtype=np.longdouble),
        torch.ones(1, 2, device="meta"),
        None,
        [[1], [1, 2]],
        [[[1], 2]],
    ],
)
def test_what_is_no_array_of_finite_numbers_is_refused(system: object, X: object) -> None:
    with pytest.raises(ValueError, match=r"^X"):
        double()(X, system)


REFUSED = [
    *((lambda bad=bad: FLOAT64.on(bad), "^device: expected") for bad in ("no such device", "cuda:99", "meta", None)),
    *(
        (lambda bad=bad: BALL.with_bits(bad), "^bits: expected an int from 2 to 10,000,000, got")
        for bad in (1, 64.0, 10**9)
    ),
    *((lambda bad=bad: INT64.in_units_of(bad), "^unit: expected .* got") for bad in (0, -1, 0.5, True)),
    *((lambda bad=bad: Ball(bad), "expected .* got|BALL takes") for bad in (math.nan, -math.inf, True, "1", None)),
    *((lambda bad=bad: Ball(0, bad), "radius") for bad in (-1, math.inf)),
    *((lambda bad=bad: real(bad), "expected") for bad in (True, "1", None, 1j, np.longdouble(1), math.nan)),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_systems_and_balls_of_no_sense_are_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("shape", [(2,), (2, 3), (4, 1), (0, 2, 2)])
def test_wrong_shapes_are_refused_with_expected_and_got(system: object, shape: tuple) -> None:
    model = Transformer([FeedForward([[1, 0]], [0], [[1], [0]])], n=2)
    message = r"X: expected shape \(\.\.\., 2, 2\) .* got " + str(shape).replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(ValueError, match=message):
        model(np.ones(shape, dtype=int), system)


def test_exact_names_the_exact_value_and_the_place_of_a_float() -> None:
    message = (
        r"EXACT takes int and Fraction, got the float 0\.1, which stands for exactly "
        r"3602879701896397/36028797018963968; .*Fraction\(1, 10\)"
    )
    with pytest.raises(ValueError, match=r"X\[0, 1\]: " + message):
        double()([[1, 0.1]], EXACT)
    for X in (np.array([[0.1, 1]]), torch.tensor([[0.1, 1]], dtype=torch.float64)):
        with pytest.raises(ValueError, match=r"X\[0, 0\]: " + message):
            double()(X, EXACT)
    with pytest.raises(ValueError, match=r"X\[1, 0, 0\]: .*0\.5, which stands for exactly 1/2; pass Fraction\(0\.5\)"):
        double()([[[1]], [[0.5]]], EXACT)


def test_numbers_too_large_for_a_float_are_refused() -> None:
    for X in ([[1e39]], np.array([[-1e39]]), torch.tensor([[1e39]], dtype=torch.float64), [[10**39]]):
        with pytest.raises(Overflow, match=r"X: a number exceeds the largest FLOAT32, 3\.4e\+38"):
            double()(X, FLOAT32)
        assert double()(X, FLOAT64).isfinite().all()
    for X in ([[10**400]], [[-(10**400), 0.5]], [[Fraction(10**400, 3)]]):
        with pytest.raises(Overflow, match=r"X: a number exceeds the largest FLOAT64"):
            double()(X, FLOAT64)
    with pytest.raises(Overflow, match=r"layer 0, w_1: a number exceeds the largest FLOAT32"):
        Transformer([FeedForward([[10**39]], [0], ONE)]).lower(FLOAT32)
    assert issubclass(Overflow, ValueError)


# ------------------------------------------------------------------------------------------------------- BALL


def test_ball_shows_its_interval() -> None:
    ball = Ball(Fraction(1, 2), Fraction(1, 4))
    assert ball.midpoint == Fraction(1, 2)
    assert Fraction(1, 4) <= ball.radius <= Fraction(1, 4) + Fraction(1, 10**6)
    assert (ball.lower, ball.upper) == (ball.midpoint - ball.radius, ball.midpoint + ball.radius)
    assert float(ball) == 0.5
    assert "0." in repr(ball)


@EXAMPLES
@given(st.fractions(), st.fractions(min_value=0))
def test_a_ball_encloses_what_was_asked_for(midpoint: Fraction, radius: Fraction) -> None:
    ball = Ball(midpoint, radius)
    assert ball.lower <= midpoint - radius
    assert midpoint + radius <= ball.upper
    for value in (midpoint - radius, midpoint, midpoint + radius, Ball(midpoint)):
        assert ball.contains(value) or isinstance(value, Ball)
    size = 1 + abs(midpoint) + radius
    assert not ball.contains(midpoint + 2 * radius + size)
    assert ball.upper - midpoint - radius < size * Fraction(1, 2**25)


def test_containment_of_balls_and_floats() -> None:
    ball = Ball(0, 1)
    assert ball.contains(Ball(0, Fraction(1, 2)))
    assert ball.contains(-0.5)
    assert not ball.contains(Ball(1, Fraction(1, 2)))
    assert not ball.contains(1.5)
    assert not ball.contains(math.inf)


ORDERS = [
    (Ball(0, 1), 3, True),
    (3, Ball(0, 1), False),
    (Ball(0, 1), Ball(4, 1), True),
    (Ball(0), Fraction(1, 3), True),
    (0.5, Ball(1, Fraction(1, 4)), True),
]


@pytest.mark.parametrize(("a", "b", "less"), ORDERS)
def test_disjoint_enclosures_compare(a: object, b: object, less: bool) -> None:
    assert [a < b, a <= b, a > b, a >= b] == [less, less, not less, not less]


def test_overlapping_enclosures_do_not_compare() -> None:
    for a, b in ((Ball(0, 1), Ball(1, 1)), (Ball(0, 1), Fraction(1, 2)), (0, Ball(0, 1))):
        for compare in (
            lambda a, b: a < b,
            lambda a, b: a > b,
            lambda a, b: a <= b,
            lambda a, b: a >= b,
        ):
            with pytest.raises(Undecided, match="overlap"):
                compare(a, b)


def test_distances_are_upper_bounds_that_enclosures_allow() -> None:
    balls = np.array([Ball(1, Fraction(1, 4)), Ball(0), Ball(-2, 1)], dtype=object)
    # A ball keeps its radius to 30 bits, rounded up.
    values = np.array([2, 0, Fraction(1, 2)], dtype=object)
    for got, least in zip(distances(balls, values), (Fraction(5, 4), 0, Fraction(7, 2)), strict=True):
        assert least <= got <= least + Fraction(1, 10**8)
    for got, least in zip(distances(balls, balls), (Fraction(1, 2), 0, 2), strict=True):
        assert least <= got <= least + Fraction(1, 10**8)
    assert distances(np.array([Fraction(1, 3)], dtype=object), Fraction(1, 2)).tolist() == [Fraction(1, 6)]


def test_exact_balls_compare_at_equality() -> None:
    assert Ball(1) <= 1
    assert Ball(1) >= 1
    assert not Ball(1) < 1
    assert not Ball(1) > Ball(1)
    assert Ball(1) == 1
    assert Ball(1) != 2
    with pytest.raises(Undecided):
        _ = Ball(0, 1) == Ball(0, 1)
    assert -math.inf < Ball(1) < math.inf


@EXAMPLES
@given(examples())
def test_balls_enclose_the_exact_value(example: tuple) -> None:
    layers, X = example
    try:
        balls = model_of(layers)(X, BALL)
    except Undecided:
        assume(False)
    for ball, value in zip(balls.ravel(), array(run(layers, X)).ravel(), strict=True):
        assert ball.contains(value)
        assert ball.radius <= Fraction(1, 2**60) * (1 + abs(value))


@EXAMPLES
@given(examples(HALVES, depth=2), st.integers(1, 12), st.data())
def test_wide_balls_enclose_every_point_or_refuse(example: tuple, log_radius: int, data: st.DataObject) -> None:
    layers, X = example
    radius = Fraction(1, 2**log_radius)
    try:
        balls = model_of(layers)([[Ball(entry, radius) for entry in row] for row in X], BALL)
    except Undecided:
        return
    for _ in range(4):
        point = [[entry + radius * data.draw(st.sampled_from([-1, -1, 0, 1, 1])) for entry in row] for row in X]
        for ball, value in zip(balls.ravel(), array(run(layers, point)).ravel(), strict=True):
            assert ball.contains(value)


@EXAMPLES
@given(examples(HALVES, "softmax"))
def test_balls_enclose_softmax(example: tuple) -> None:
    layers, X = example
    reference = array(run(layers, decimals(X))).ravel()
    slip = Fraction(1, 10**45)  # the reference has 60 digits
    for system, width in ((BALL, Fraction(1, 10**20)), (BALL.with_bits(512), Fraction(1, 10**44))):
        for ball, value in zip(model_of(layers)(X, system).ravel(), reference, strict=True):
            exact = Fraction(value)
            size = 1 + abs(exact)
            assert ball.lower - slip * size <= exact <= ball.upper + slip * size
            assert ball.radius < width * size


def test_more_bits_tighten() -> None:
    model = Transformer([Attention([Head(ONE, ONE, ONE, ONE)])])
    X = [[1, Fraction(1, 3), 2]]
    radii = [model(X, BALL.with_bits(bits))[0, 0].radius for bits in (64, 128, 256, 512)]
    for coarse, fine in pairwise(radii):
        assert 0 < fine < coarse / 2**50
    assert model(X, BALL)[0, 0].radius == radii[1]


def test_more_bits_decide_what_fewer_could_not() -> None:
    # Keys 1/3 and 1/3 + 2^-150 are the same at 128 bits; the value of the larger key is 9.
    model = Transformer([Attention([Head([[0, 0]], [[1, 0]], [[0, 1]], [[0], [1]], b_q=[1])], "hardmax")])
    X = [[Fraction(1, 3), Fraction(1, 3) + Fraction(1, 2**150)], [5, 9]]
    with pytest.raises(Undecided, match=r"not decided; use BALL\.with_bits\(256\)"):
        model(X, BALL)
    result = model(X, BALL.with_bits(256))
    assert [entry.midpoint for entry in result[1]] == [14, 18]
    assert model(X, EXACT)[1].tolist() == [14, 18]


def test_hardmax_of_nearly_tied_balls_is_undecided() -> None:
    tiny = Fraction(1, 2**30)
    with pytest.raises(Undecided, match="overlap"):
        hardmax()([[Ball(1, tiny), Ball(1, tiny)]], BALL)
    with pytest.raises(Undecided, match="overlap"):  # a true tie that is known only to 128 bits
        hardmax()([[Fraction(1, 3), Fraction(1, 3)]], BALL)
    decided = hardmax()([[Ball(1, tiny), Ball(2, tiny)]], BALL)
    assert decided[0, 0].contains(3)
    assert hardmax()([[1, 1]], BALL)[0, 1].contains(2)  # exact ties are decided


def test_a_threshold_inside_a_ball_is_undecided() -> None:
    step = Transformer([FeedForward(ONE, [0], ONE, None, ThreePiece((0, 1), (0, 0, 0), (0, 5, 7)))])
    for inside in (Ball(0, Fraction(1, 8)), Ball(1, Fraction(1, 8))):
        with pytest.raises(Undecided, match="overlap"):
            step([[inside]], BALL)
    assert step([[0]], BALL)[0, 0].midpoint == 5
    assert step([[Ball(Fraction(1, 2), Fraction(1, 8))]], BALL)[0, 0].contains(Fraction(11, 2))


def test_relu_needs_no_decision() -> None:
    result = double()([[Ball(0, 1)]], BALL)[0, 0]
    assert result.contains(2)
    assert result.contains(-1)
    assert Ball(0, 3).contains(result)


def test_the_working_precision_is_restored() -> None:
    import flint

    before = flint.ctx.prec
    for _ in Transformer([*double().layers] * 3).trace([[1]], BALL.with_bits(300)):
        assert flint.ctx.prec == before
    with pytest.raises(Undecided):
        hardmax()([[Ball(1, 1), Ball(1, 1)]], BALL.with_bits(300))
    assert flint.ctx.prec == before


# ------------------------------------------------------------------------------------------------------ INT64


@EXAMPLES
@given(examples(SMALL, depth=2), st.sampled_from([1, 2, 3, 6, 12]))
def test_int64_equals_exact_in_units(example: tuple, parts: int) -> None:
    layers, X = example
    unit = Fraction(1, parts)
    model = model_of(layers)
    exact = run(layers, [[entry * unit for entry in row] for row in X])
    refusal = ""
    try:
        counts = model(X, INT64.in_units_of(unit)).tolist()
    except ValueError as error:
        refusal = str(error)
    else:
        assert [[count * unit for count in row] for row in counts] == exact
    # The average of tied tokens may be no whole number of units; nothing else is refused.
    assert not refusal or ("no whole multiple of the unit" in refusal and len(X[0]) > 1)


@EXAMPLES
@given(
    examples(SMALL, depth=2) | examples(SMALL, depth=1),
    st.sampled_from([60, 59, 57, 53, 31, 29, 20]),
    st.integers(-1, 1),
)
def test_int64_equals_exact_whenever_it_returns(example: tuple, bits: int, near: int) -> None:
    layers, X = example
    X = [[(2 * entry + 1) * 2**bits + near * (i + j) for j, entry in enumerate(row)] for i, row in enumerate(X)]
    if bits > 40:  # scores would overflow
        layers = [feed for feed in layers if "phi" in feed] or [
            {"w_1": [[1] * len(X)], "b_1": [near], "w_2": [[-1]] * len(X), "b_2": None, "phi": None}
        ]
    try:
        counts = model_of(layers)(X, INT64)
    except ValueError:
        return
    assert counts.tolist() == run(layers, X)


ROOT = math.isqrt(INSIDE)  # ROOT^2 < 2^63 < (ROOT + 1)^2
TOP = 2**62
ZERO = {"w_q": [[0]], "w_k": [[0]]}
EDGES = [
    # name, model, last X that fits, first X that could need 64 bits
    ("residual sum", double(), [[TOP - 1]], [[TOP]]),
    ("matrix product", Transformer([FeedForward([[-2]], [0], ONE)]), [[TOP - 1]], [[TOP]]),
    (
        "inner sum",
        Transformer([FeedForward([[-1, -1]], [0], [[1], [0]])]),
        [[TOP - 1], [TOP]],
        [[TOP], [TOP]],
    ),
    ("bias", Transformer([FeedForward([[-1]], [-TOP], ONE)]), [[TOP - 1]], [[TOP]]),
    ("scores", hardmax(), [[ROOT]], [[ROOT + 1]]),
    ("negative scores", hardmax(w_k=[[-1]]), [[-ROOT]], [[-ROOT - 1]]),
    ("tied values", hardmax(**ZERO, w_o=[[0]]), [[TOP - 1, TOP - 1]], [[TOP, TOP]]),
    (
        "three-piece product",
        Transformer([FeedForward(ONE, [0], ONE, None, ThreePiece((0, 1), (2, 0, 0), (0, 0, 0)))]),
        [[TOP - 1]],
        [[TOP]],
    ),
    (
        "three-piece intercept",
        Transformer([FeedForward(ONE, [0], [[0]], None, ThreePiece((0, 1), (0, 0, 1), (0, 0, TOP)))]),
        [[TOP - 1]],
        [[TOP]],
    ),
]


@pytest.mark.parametrize(("model", "fits", "too_large"), [edge[1:] for edge in EDGES], ids=[e[0] for e in EDGES])
def test_int64_refuses_from_2_to_the_63_on(model: Transformer, fits: list, too_large: list) -> None:
    assert model(fits, INT64).tolist() == model(fits, EXACT).tolist()
    with pytest.raises(Overflow, match=r"INT64: a .* could need 64 bits and has 63; use EXACT"):
        model(too_large, INT64)


def test_int64_inputs_fit_63_bits() -> None:
    still = Transformer([FeedForward([[0]], [0], [[0]])])
    for edge in (INSIDE, -INSIDE):
        assert still([[edge]], INT64).tolist() == [[edge]]
        with pytest.raises(Overflow, match="units need more than 63 bits"):
            still([[edge + (1 if edge > 0 else -1)]], INT64)
    wide = torch.tensor([[2**64 - 1]], dtype=torch.uint64)
    for X in (torch.tensor([[-(2**63)]]), np.array([[2**63]], dtype=np.uint64), wide, [[10**5000]]):
        with pytest.raises(Overflow):
            still(X, INT64)


@pytest.mark.parametrize(
    "X", [[[0.0]], [[1.5]], np.array([[2.0]]), torch.tensor([[2.0]]), [[Fraction(1, 2)]]], ids=repr
)
def test_int64_refuses_inputs_that_are_no_whole_numbers(X: object) -> None:
    with pytest.raises(ValueError, match="INT64 takes whole numbers of units, got"):
        double()(X, INT64)


def test_int64_refuses_weights_that_are_not_whole() -> None:
    half = Fraction(1, 2)
    with pytest.raises(ValueError, match=r"layer 0, w_1\[0, 0\]: INT64 takes whole factors as weights, got 1/2"):
        Transformer([FeedForward([[half]], [0], ONE)]).lower(INT64)
    with pytest.raises(ValueError, match=r"layer 0, b_1\[0\]: INT64 takes multiples of the unit 1 as weights, got 1/2"):
        Transformer([FeedForward(ONE, [half], ONE)]).lower(INT64)
    step = Transformer([FeedForward(ONE, [0], ONE, None, ThreePiece((half, 1), (0, 0, 0), (0, 1, 0)))])
    with pytest.raises(ValueError, match=r"layer 0, breakpoints\[0\]: .* multiples of the unit 1/3 .* 1/2"):
        step.lower(INT64.in_units_of(Fraction(1, 3)))
    with pytest.raises(Overflow, match=r"layer 0, b_1\[0\]"):
        Transformer([FeedForward(ONE, [2**62], ONE)]).lower(INT64.in_units_of(half))


def test_int64_refuses_an_average_that_is_not_whole() -> None:
    model = hardmax(**ZERO)
    assert model([[1, 3]], INT64).tolist() == [[3, 5]]
    assert model([[-1, -3]], INT64).tolist() == [[-3, -5]]
    for X in ([[1, 2]], [[-1, 0]], [[[1, 3]], [[0, 1]]]):
        with pytest.raises(ValueError, match="hardmax averages tied tokens to no whole multiple of the unit 1"):
            model(X, INT64)
    assert model([[2, 4]], INT64.in_units_of(Fraction(1, 2))).tolist() == [[5, 7]]


# -------------------------------------------------------------------------------------------------- the edges


def test_hardmax_is_decided_when_only_the_losers_overlap() -> None:
    small = Ball(1, Fraction(1, 2))
    result = hardmax(w_q=[[0]], b_q=[1])([[small, small, 100]], BALL)
    assert result[0, 2].contains(200)


@pytest.mark.parametrize("system", [FLOAT64, FLOAT32])
def test_floats_that_overflow_inside_a_model_are_refused(system: object) -> None:
    steep = Transformer([FeedForward([[10**20]], [0], ONE)] * 20)
    for model, X in ((steep, [[1]]), (hardmax(w_q=[[10**30]], w_k=[[10**30]]), [[10**30, 10**30 + 1]])):
        model = Transformer([*model.layers, *steep.layers[:1]])
        if system is FLOAT64:
            X = [[entry * 10**250 for entry in row] for row in X]
        with pytest.raises(Overflow, match="a number inside the model"):
            model(X, system)


def test_softmax_far_apart_is_decided() -> None:
    result = Transformer([Attention([Head(ONE, ONE, ONE, ONE)])])([[10**12, 1]], BALL)
    assert result[0, 0].contains(2 * 10**12)
    assert result[0, 1].contains(10**12 + 1)
    assert all(ball.radius < 1 for ball in result.ravel())


def test_a_softmax_without_a_finite_enclosure_is_undecided() -> None:
    with pytest.raises(Undecided, match=r"no finite enclosure at 128 bits, .*BALL\.with_bits\(256\)"):
        Transformer([Attention([Head(ONE, ONE, ONE, ONE)])])([[Ball(0, 1000), 1]], BALL)


def test_balls_and_what_is_no_number() -> None:
    assert Ball(1) != "1"
    assert Ball(1) is not None
    with pytest.raises(TypeError):
        _ = Ball(1) < "2"
    with pytest.raises(TypeError, match="unhashable"):
        hash(Ball(1))
    with pytest.raises(Undecided):
        _ = Ball(1) < math.nan


# ----------------------------------------------------------------------------------------- one precision a thread


def test_threads_get_the_precision_they_asked_for_and_leave_it_as_found() -> None:
    """python-flint has one precision for the whole process; eight threads switch as often as they can."""
    model = Transformer([Attention([Head([[3]], [[1]], [[1]], [[1]])]), FeedForward([[1]], [0], [[1]])])
    found = flint.ctx.prec

    def radii(bits: int) -> list[Fraction]:
        return [ball.radius for ball in model([[1, 2, 5]], BALL.with_bits(bits)).flat]

    sizes = [64, 128, 512, 2048]
    want = {bits: radii(bits) for bits in sizes}
    assert len({tuple(row) for row in want.values()}) == len(sizes)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            got = list(threads.map(radii, sizes * 40))
    finally:
        sys.setswitchinterval(switch)
    assert got == [want[bits] for bits in sizes * 40]
    assert flint.ctx.prec == found


# ------------------------------------------------------------------------------------- the numbers that come in


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int64])
def test_numbers_of_numpy_become_those_of_python(kind: Any) -> None:
    for value in (kind(100), Fraction(kind(100), 3), Fraction(kind(1), kind(100)), Fraction(kind(100), kind(127))):
        for parse in (real, fraction, own):
            number = parse(value)
            assert number == Fraction(int(value.numerator), int(value.denominator))
            assert type(number.numerator) is type(number.denominator) is int
            # NumPy's own would have wrapped around.
            assert number * 1000 == 1000 * Fraction(int(value.numerator), int(value.denominator))


@given(st.fractions(-100, 100, max_denominator=100))
def test_rounding_up_gives_the_least_float_above(value: Fraction) -> None:
    up = rounded_up(value / 7)
    assert Fraction(math.nextafter(up, -math.inf)) < value / 7 <= Fraction(up)
