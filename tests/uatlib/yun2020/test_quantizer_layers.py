"""Quantization (yun2020, Lemma 7), grids and step functions (Lemma 4), against loops over the statement."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from uatlib.arithmetic import EXACT, FLOAT32, FLOAT64, INT64, Overflow
from uatlib.grids import Grid, StepFunction, quantize, step_function
from uatlib.layers import FeedForward, ThreePiece
from uatlib.model import Transformer
from uatlib.sizes import ConstructionTooLarge
from uatlib.targets import Target, bump, cyclic_difference, mean_product, running_mean
from uatlib.yun2020.quantizer_layers import clip_layer, quantizer, row_layers, step_layer

from . import oracles as oracle
from .oracles import array, printed_quantize_entry, quantize_entry, quantize_sequence

TINY = Fraction(1, 10**40)
SIZES = [(2, 1, 1), (2, 2, 1), (3, 2, 1), (2, 3, 1), (4, 2, 1), (5, 1, 2), (3, 2, 2), (2, 4, 1), (2, 2, 3)]
fixed = settings(derandomize=True, deadline=None)


def edges(N):
    """Numbers in, at and just outside every cell, on both sides of 0 and 1, and huge ones."""
    at = [Fraction(k, N) for k in range(-2, N + 3)]
    beside = [t + s for t in at for s in (-TINY, TINY, Fraction(1, 2 * N), Fraction(1, 7 * N))]
    return [*at, *beside, Fraction(10**60), Fraction(-(10**60)), Fraction(10**60) + TINY]


def filled(values, n, d):
    """Sequences (m, d, n) in which every value stands at every place once or more."""
    values = list(values)
    flat = [[values[(i + 5 * j) % len(values)] for j in range(d * n)] for i in range(len(values))]
    return array(flat).reshape(-1, d, n)


def expected_sequences(X, N):
    return array([quantize_sequence(rows.tolist(), N) for rows in X])


rationals = st.one_of(st.fractions(min_value=-1, max_value=2, max_denominator=10**6), st.fractions(), st.integers())


# ---------------------------------------------------------------------------------------- literal layers


@pytest.mark.parametrize(("N", "n", "d"), SIZES)
def test_layers_and_closed_form_equal_the_statement_at_all_edges(N, n, d):
    X = filled(edges(N), n, d)
    want = expected_sequences(X, N)
    literal = quantizer(inverse_delta=N, n=n, d=d)(X, EXACT)
    closed = quantize(X, inverse_delta=N)
    assert literal.shape == closed.shape == X.shape
    assert (literal == want).all()
    assert (closed == want).all()
    assert {type(t) for t in literal.flat} | {type(t) for t in closed.flat} == {Fraction}


@fixed
@given(st.data())
def test_layers_and_closed_form_equal_the_statement_on_rationals(data):
    N, n, d = data.draw(st.integers(2, 12)), data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    X = array([[data.draw(rationals) for _ in range(n)] for _ in range(d)])
    want = array(quantize_sequence(X.tolist(), N))
    assert (quantizer(inverse_delta=N, n=n, d=d)(X, EXACT) == want).all()
    assert (quantize(X, inverse_delta=N) == want).all()
    assert (quantize(X.tolist(), inverse_delta=N) == want).all()


@pytest.mark.parametrize(("N", "n", "d"), SIZES)
def test_lemma_7_counts(N, n, d):
    model = quantizer(inverse_delta=N, n=n, d=d)
    assert isinstance(model, Transformer)
    assert len(model.layers) == model.depth == d * (N + 1)
    assert (model.width, model.n) == (d, n)
    assert model.parameter_count() == d * (N + 1) * (2 * d + 1)
    for layer in model.layers:
        assert isinstance(layer, FeedForward)
        assert layer.w_1.shape == (1, d)
        assert isinstance(layer.activation, ThreePiece)
        assert 0 in layer.activation.slopes
        assert np.count_nonzero(layer.w_1) == np.count_nonzero(layer.w_2) == 1


@pytest.mark.parametrize(("N", "n", "d"), [(3, 2, 1), (5, 2, 1), (4, 1, 2)])
def test_int64_in_half_steps_equals_exact(N, n, d):
    half = Fraction(1, 2 * N)
    units = filled(range(-3, 2 * N + 4), n, d)
    model = quantizer(inverse_delta=N, n=n, d=d)
    got = model(torch.tensor(units.astype(np.int64)), INT64.in_units_of(half))
    assert got.dtype == torch.int64
    assert (got.numpy() == model(units * half, EXACT) / half).all()


@pytest.mark.parametrize("system", [FLOAT64, FLOAT32])
def test_dyadic_steps_are_exact_in_floats(system):
    X = filled([Fraction(k, 64) for k in range(-64, 129)], 2, 1)
    model = quantizer(inverse_delta=8, n=2, d=1)
    assert (model(X, system).numpy() == expected_sequences(X, 8)).all()


# ---------------------------------------------------------------------------------------- as printed


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 1, 2), (5, 2, 1)])
def test_printed_variant_does_what_the_page_says(N, n, d):
    X = filled(edges(N), n, d)
    model = quantizer(inverse_delta=N, n=n, d=d, variant="printed")
    want = [printed_quantize_entry(Fraction(t), N, n, d) for t in X.flat]
    assert model(X, EXACT).ravel().tolist() == want
    assert want != [quantize_entry(Fraction(t), N, n, d) for t in X.flat]


# ---------------------------------------------------------------------------------------- floats


def cell_of(x, N):
    """The k with k/N <= x < (k + 1)/N for the exact value of x, or None outside [0, 1)."""
    k = math.floor(Fraction(float(x)) * N)
    return k if 0 <= k < N else None


def nearest(k, N, sentinel):
    return float(sentinel) if k is None else float(Fraction(k, N))


def near_an_edge(N):
    """Floats at most four steps of nextafter away from a k/N."""

    def step(k, steps):
        x = k / N
        for _ in range(abs(steps)):
            x = math.nextafter(x, math.copysign(math.inf, steps))
        return x

    return st.builds(step, st.integers(-1, N + 1), st.integers(-4, 4))


STEPS = [2, 3, 5, 6, 7, 10, 49, 1000, 3**20, 10**15 + 37]


@settings(fixed, max_examples=200)
@given(st.data())
def test_float64_falls_in_the_cell_of_its_exact_value(data):
    N = data.draw(st.sampled_from(STEPS))
    floats = near_an_edge(N) | st.floats(0, 1) | st.floats(-1e200, 1e200)
    entries = [data.draw(floats) for _ in range(2)]
    want = [nearest(cell_of(x, N), N, -(N**2)) for x in entries]
    for X in (np.array([entries]), [entries], torch.tensor([entries], dtype=torch.float64)):
        assert quantize(X, inverse_delta=N).tolist() == [want]


@fixed
@given(st.data())
def test_float32_falls_in_the_cell_of_its_exact_value(data):
    N = data.draw(st.sampled_from([2, 3, 5, 6, 7, 10, 49, 1000]))
    k, steps = data.draw(st.integers(0, N)), data.draw(st.integers(-3, 3))
    x = np.float32(k / N)
    for _ in range(abs(steps)):
        x = np.nextafter(x, np.float32(math.copysign(math.inf, steps)))
    want = nearest(cell_of(x, N), N, -N)
    assert quantize(np.array([[x]]), inverse_delta=N).tolist() == [[want]]
    tensor = quantize(torch.tensor([[float(x)]], dtype=torch.float32), inverse_delta=N)
    assert tensor.dtype == torch.float32
    assert tensor.tolist() == [[float(np.float32(want))]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("x", [1e308, -1e308, math.nextafter(math.inf, 0), -0.25, 1.0, 5e-324, -5e-324, -0.0])
def test_extreme_floats_need_no_warning(x):
    want = 0.0 if 0 <= x < 1 else -100.0
    assert quantize(np.array([[x, 0.5]]), inverse_delta=10).tolist() == [[want, 0.5]]
    assert quantize(torch.tensor([[x, 0.5]], dtype=torch.float64), inverse_delta=10).tolist() == [[want, 0.5]]


@pytest.mark.parametrize("N", [2**53 + 1, 10**17 + 3, 3**40])
def test_steps_finer_than_floats(N):
    """The exact cell is still what counts when N itself is no float64."""
    starts = [k / N for k in (1, 2, 583, 10**6, N // 3, N // 2, N - 1)]
    floats = [x for t in starts for x in (math.nextafter(t, 0), t, math.nextafter(t, 1))]
    want = [nearest(cell_of(x, N), N, -N) for x in floats]
    assert quantize(np.array(floats)[:, None, None], inverse_delta=N).ravel().tolist() == want


def test_tensors_keep_their_dtype_and_leave_the_graph():
    X = torch.tensor([[0.3, 0.9]], dtype=torch.float32, requires_grad=True)
    got = quantize(X, inverse_delta=4)
    assert got.dtype == torch.float32
    assert not got.requires_grad
    assert got.tolist() == [[0.25, 0.75]]
    whole = quantize(torch.tensor([[0, 1, -1]]), inverse_delta=4)
    assert whole.dtype == torch.float64
    assert whole.tolist() == [[0, -64, -64]]


# ---------------------------------------------------------------------------------------- grids


@pytest.mark.parametrize(("N", "n", "d"), [(2, 1, 1), (3, 2, 1), (2, 2, 2), (4, 3, 1), (2, 1, 3)])
@pytest.mark.parametrize("extended", [False, True])
def test_sequences_are_all_grid_points_once_in_counting_order(N, n, d, extended):
    made = Grid(N, n, d)
    values = [*range(N), -(N ** (n * d + 1))] if extended else list(range(N))
    want = [flat[::-1] for flat in product(values, repeat=n * d)]  # first entry fastest
    got = made.sequences(extended=extended)
    assert got.dtype == torch.int64
    assert got.shape == (made.size(extended=extended), d, n) == (len(want), d, n)
    assert [tuple(rows) for rows in got.reshape(len(want), -1).tolist()] == want
    assert made.sequences(1, 3, extended=extended).tolist() == got[1:3].tolist()


@pytest.mark.parametrize("size", [1, 5, 81, 1000])
def test_chunks_join_to_all_sequences(size):
    chunks = list(Grid(3, 2, 2).chunks(size))
    assert torch.cat(chunks).tolist() == Grid(3, 2, 2).sequences().tolist()
    assert [len(c) for c in chunks[:-1]] == [size] * (len(chunks) - 1)
    assert 1 <= len(chunks[-1]) <= size
    assert len(torch.cat(list(Grid(3, 2, 2).chunks(size, extended=True)))) == 256


def test_grid_numbers():
    made = Grid(3, 2, 2)
    assert (made.delta, made.column_values, made.sentinel, made.sentinel_units) == (
        Fraction(1, 3),
        9,
        -81,
        -243,
    )
    assert (made.size(), made.size(extended=True)) == (81, 256)
    assert Grid(10, 30, 2).size() == 10**60


def test_sentinel_that_needs_more_than_63_bits_is_refused():
    with pytest.raises(Overflow, match="63 bits"):
        Grid(2, 63, 1).sequences(0, 1, extended=True)
    assert Grid(2, 61, 1).sequences(2, 3, extended=True)[0, 0, 0] == -(2**62)


# ---------------------------------------------------------------------------------------- step functions


TARGETS = [
    mean_product(2),
    mean_product(2, 2),
    bump(2),
    bump(3),
    bump(2, 2),
    cyclic_difference(3),
    running_mean(3),
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda f: f"{f.name}-{f.n}-{f.d}")
@pytest.mark.parametrize("N", [2, 3, 5])
def test_step_functions_take_the_value_at_the_centre_of_the_cell(target, N):
    rng = np.random.default_rng(0)
    f_bar = step_function(target, inverse_delta=N)
    for _ in range(30):
        k = rng.integers(0, N, (target.d, target.n))
        centre = array([[Fraction(2 * int(i) + 1, 2 * N) for i in row] for row in k])
        corner = array([[Fraction(int(i), N) for i in row] for row in k])
        last = corner + Fraction(1, N) - TINY
        want = target(centre)
        for X in (centre, corner, last):
            got = f_bar(X)
            assert (got == want).all()
            assert all(isinstance(value, (int, Fraction)) for value in got.flat)


def test_step_functions_vanish_if_any_entry_is_outside():
    f_bar = step_function(Target(lambda X: X * 0 + 1, 2, 1, lipschitz=0, bound=1), inverse_delta=2)
    for outside in (-TINY, Fraction(1), Fraction(7)):
        assert f_bar(array([[outside, Fraction(1, 2)]])).tolist() == [[0, 0]]
        assert f_bar(array([[Fraction(1, 2), outside]])).tolist() == [[0, 0]]
    assert f_bar(array([[0, 1 - TINY]])).tolist() == [[1, 1]]
    batch = f_bar(np.array([[[0.2, 0.4]], [[0.2, 1.0]]]))
    assert batch.tolist() == [[[1, 1]], [[0, 0]]]


def test_step_functions_of_floats_equal_those_of_fractions():
    X = np.random.default_rng(3).uniform(-0.2, 1.2, (300, 1, 2))
    f_bar = step_function(mean_product(2), inverse_delta=5)
    exact = f_bar(np.frompyfunc(Fraction, 1, 1)(X))
    assert (exact != 0).any()
    assert (exact == 0).any()
    assert np.abs(f_bar(X) - exact.astype(float)).max() < 1e-15


def test_step_function_needs_the_unit_box():
    stretched = Target(lambda X: X, 2, 1, domain=(0, 2))
    with pytest.raises(ValueError, match=r"^target: expected one on \[0, 1\].* got the domain \(0, 2\)"):
        step_function(stretched, inverse_delta=4)
    with pytest.raises(ValueError, match=r"^X: expected shape .*got \(1, 3\)"):
        step_function(mean_product(2), inverse_delta=4)(np.zeros((1, 3)))
    assert isinstance(step_function(mean_product(2), inverse_delta=4), StepFunction)


# ---------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("X", [[0], np.zeros((2, 0)), np.zeros((0, 1, 2)), torch.zeros(2)])
def test_quantize_wants_sequences(X):
    with pytest.raises(ValueError, match=r"expected shape .* got "):
        quantize(X, inverse_delta=2)


@pytest.mark.parametrize("bad", [[[math.nan, 0.5]], np.array([[math.inf, 0.5]]), torch.tensor([[-math.inf]])])
def test_quantize_refuses_nan_and_infinity(bad):
    with pytest.raises(ValueError, match=r"expected finite numbers, got .*(NaN or infinity)"):
        quantize(bad, inverse_delta=2)


def test_sentinel_that_no_float_holds_is_refused():
    with pytest.raises(Overflow, match=r"values that floats hold.*; use Fractions"):
        quantize(np.full((1, 400), -1.0), inverse_delta=10)
    with pytest.raises(Overflow, match=r"values that torch\.float32 holds"):
        quantize(torch.full((1, 40), -1.0), inverse_delta=10)
    assert quantize(array([[-1] * 400]), inverse_delta=10)[0, 0] == -(10**400)


@pytest.mark.parametrize(
    "size",
    [
        {"inverse_delta": 10**9, "n": 2, "d": 1},
        {"inverse_delta": 2, "n": 2, "d": 10**4},
        {"inverse_delta": 2, "n": 1, "d": 1800},
        {"inverse_delta": 100_000, "n": 1000, "d": 1},
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_at_once(size):
    refusal = oracle.refused_at_once(quantizer, size)
    assert isinstance(refusal, ConstructionTooLarge)
    text = str(refusal)
    N, n, d = size["inverse_delta"], size["n"], size["d"]
    assert text.startswith(f"quantizer(inverse_delta={N}, n={n}, d={d}) has ")
    layers, parameters = d * (N + 1), d * (N + 1) * (2 * d + 1)
    for number, noun in ((layers, "layers"), (parameters, "parameters")):
        assert number >= 10**15 or f"{number:,} {noun}" in text
    assert "bytes" in text


def test_lists_that_mix_floats_with_huge_numbers():
    assert quantize([[10**400, 0.5, Fraction(1, 3)]], inverse_delta=2).tolist() == [[-8.0, 0.5, 0.0]]
    with pytest.raises(ValueError, match="finite"):
        quantize([[10**400, float("nan")]], inverse_delta=2)


@pytest.mark.parametrize("sentinel", [-7, 1, 10**30])
@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 1, 2)])
def test_another_sentinel_outside_the_box(N, n, d, sentinel):
    points = [Fraction(k, 3 * N) for k in range(-3, 3 * N + 4)] + [Fraction(10**9)]
    X = np.array([points[k:] + points[:k] for k in range(d * n)], dtype=object).T.reshape(-1, d, n)
    got = quantizer(inverse_delta=N, n=n, d=d, sentinel=sentinel)(X, EXACT)
    want = [oracle.quantize_entry(t, N, n, d) for t in X.flat]
    assert got.ravel().tolist() == [sentinel if value < 0 else value for value in want]


# ------------------------------------------------------------------------------------------------ at the door


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: step_function(Target(np.sin, 1, 1, (0, 2)), inverse_delta=4), r"domain \(0, 2\)"),
        (lambda: quantizer(inverse_delta=2, n=2, d=1, sentinel=0), "^sentinel: expected None or an int outside"),
        (lambda: quantizer(inverse_delta=2, n=2, d=1, sentinel=2.0), "^sentinel: expected "),
        (lambda: step_layer(2, 1, 2, 2), "row: expected an int from 0 to 1, got 2"),
        (lambda: clip_layer(9, 2, 2, 2), "row: expected an int from 0 to 1, got 9"),
        (lambda: row_layers(0, 10**9, 2, 2), "row_layers.* has 2,000,000,002 layers"),
        (lambda: Grid(2**70, 1, 1).sequences(5, 3), "^start: expected an int from 0 to"),
        (lambda: Grid(2**70, 1, 1).sequences(-2, 2), "^start: expected an int from 0 to"),
        (lambda: next(Grid(2, 1, 1).chunks(0)), "expected an int >= 1"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("lipschitz", [1, Fraction(1, 3), 0.1, 2.7, 9])
def test_the_error_bound_is_not_below_the_modulus(lipschitz):
    """L delta/2 exactly, in the sup norm; the least float at least that. In the 2-norm times sqrt(d n)."""
    for N in range(2, 60):
        target = Target(lambda X: 0 * X, 3, 1, lipschitz=lipschitz)
        exact = Fraction(lipschitz) / (2 * N)
        bound = step_function(target, inverse_delta=N).error_bound()
        assert Fraction(math.nextafter(bound, 0)) < exact <= Fraction(bound)
        two = Target(lambda X: 0 * X, 3, 1, lipschitz=lipschitz, norm=2)
        assert Fraction(step_function(two, inverse_delta=N).error_bound()) ** 2 >= exact**2 * 3
