"""Value mapping (yun2020, Lemma 9), literal and by lookup, against loops over section E.4."""

import pickle
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import uatlib.yun2020.value_lookup
from uatlib.arithmetic import EXACT, Overflow
from uatlib.grids import Grid
from uatlib.layers import FeedForward, ThreePiece
from uatlib.model import Transformer
from uatlib.yun2020.ids import context_ids, id_interval, positive_sentinel
from uatlib.yun2020.output_layers import (
    contexts,
    largest_entry,
    safe_range,
    token_layer,
    value_layers,
    value_table,
)
from uatlib.yun2020.positional_layers import encodings, positional_shift
from uatlib.yun2020.shift_layers import selective_shift
from uatlib.yun2020.value_lookup import ValueMap

from . import oracles as oracle
from .oracles import array, grid, ids_in_units, in_real_units, increasing_contexts, value_of

SMALL = [(2, 2, 1), (3, 2, 1), (3, 3, 1), (4, 3, 1), (2, 4, 1), (2, 2, 2), (2, 3, 2)]
"""(2, 4, 1) has more tokens than column values, so no context at all."""
fixed = settings(derandomize=True, deadline=None)


@cache
def images(N, n, d):
    """g_c(L) for all of the extended grid, in real units, by the loops."""
    L = grid(N, n, d, extended=True)
    return L, array([oracle.selective_shift(in_real_units(rows, N).tolist(), N) for rows in L])


@cache
def largest(N, n, d):
    return oracle.largest_entry(N, n, d)


def plain(L):
    """Outputs that tell every token of every context apart."""
    return [[Fraction(7 * row[0] - 3 * s + sum(row), 5) for s in row] for row in L]


def adversarial(N, n, d, seed):
    """Outputs that fall into the windows of other layers, at their ends too, and into the image of g_c."""
    rng = np.random.default_rng(seed)
    table = {}
    targets = increasing_contexts(N, n, d)
    columns = [
        [row[j] for row in oracle.selective_shift(in_real_units(L, N).tolist(), N)] for L in targets for j in range(n)
    ]
    # In units of delta, relative to the id: -1/2 is in its window, 1/2 is not.
    offsets = [Fraction(0), Fraction(-1, 2), Fraction(1, 2), Fraction(2, 5), Fraction(-3, 4), Fraction(1)]
    for L in targets:
        A = [[Fraction(int(t), 4) for t in rng.integers(-9, 10, n)] for _ in range(d)]
        for j in range(n):
            if rng.random() < 0.8:
                column = columns[rng.integers(len(columns))]
                for i in range(d):
                    A[i][j] = column[i] + (offsets[rng.integers(len(offsets))] / N if i == 0 else 0)
        table[str(L)] = A
    return lambda L: table[str(np.asarray(L).tolist())]


def both(outputs, N, n, d, repaired):
    table = value_table(outputs, inverse_delta=N, n=n, d=d, repaired=repaired)
    return table.model(), ValueMap(table)


# ---------------------------------------------------------------------------------------- the statement


@pytest.mark.parametrize(("N", "n", "d"), SMALL)
@pytest.mark.parametrize("seed", range(3))
def test_repaired_layers_map_every_context_to_its_output_and_the_rest_to_zero(N, n, d, seed):
    outputs = adversarial(N, n, d, seed) if seed else plain
    L, Z = images(N, n, d)
    model, value_map = both(outputs, N, n, d, True)
    want = array([value_of(rows, outputs) for rows in L])
    assert (model(Z, EXACT) == want).all()
    assert (value_map(Z) == want).all()
    assert (value_map.at_ids(context_ids(array(L), inverse_delta=N), exact=True) == want).all()


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 2, 1), (3, 3, 1), (2, 2, 2)])
@pytest.mark.parametrize("seed", range(4))
def test_printed_layers_equal_the_displays_of_section_e_4(N, n, d, seed):
    outputs = adversarial(N, n, d, seed) if seed else plain
    L, Z = images(N, n, d)
    model, value_map = both(outputs, N, n, d, False)
    want = array([oracle.value_layers_one_by_one(rows.tolist(), N, outputs, largest(N, n, d), n) for rows in Z])
    assert (model(Z, EXACT) == want).all()
    assert (value_map(Z) == want).all()
    assert (value_map.at_ids(context_ids(array(L), inverse_delta=N), exact=True) == want).all()


def test_adversarial_outputs_are_adversarial():
    """Without hits, and without repeated hits, the tests above would show nothing."""
    hits = [
        ValueMap(value_table(adversarial(N, n, d, seed), inverse_delta=N, n=n, d=d, repaired=False)).hit_again
        for N, n, d in [(3, 2, 1), (3, 3, 1), (4, 3, 1), (2, 2, 2), (2, 3, 2)]
        for seed in range(1, 8)
    ]
    assert sum((h >= 0).sum() for h in hits) > 30
    assert sum((h[h[h >= 0]] >= 0).sum() for h in hits) > 5


@fixed
@given(st.data())
def test_lookup_equals_layers_off_the_image(data):
    """Any rationals: near ids, near t_l and t_r, negative, in columns with several rows."""
    N, n, d = data.draw(st.sampled_from([(2, 2, 1), (3, 2, 1), (2, 2, 2), (3, 3, 1)]))
    seed, repaired = data.draw(st.integers(0, 5)), data.draw(st.booleans())
    model, value_map = both(adversarial(N, n, d, seed), N, n, d, repaired)
    ids = [int(i) for i in value_map.table.ids.flat]
    near = st.sampled_from([*ids, *id_interval(N, n, d), 0, -1, 1]).map(lambda t: Fraction(t, N))
    wiggle = st.sampled_from([0, Fraction(1, 2 * N), Fraction(-1, 2 * N), Fraction(1, 7), Fraction(-1, 3)])
    rest = st.fractions(-2, 2, max_denominator=6)
    m = data.draw(st.integers(1, 3))
    columns = []
    for _ in range(m):
        lower = [data.draw(rest) for _ in range(d - 1)]
        u_lower = sum(N ** (i + 1) * t for i, t in enumerate(lower))
        columns.append([data.draw(near) + data.draw(wiggle) - u_lower, *lower])
    Z = array(columns).T
    assert value_map(Z).tolist() == Transformer(model.layers)(Z, EXACT).tolist()


# ---------------------------------------------------------------------------------------- the layers


@pytest.mark.parametrize(("N", "n", "d"), SMALL)
@pytest.mark.parametrize("repaired", [False, True])
def test_lemma_9_counts(N, n, d, repaired):
    model = value_layers(plain, inverse_delta=N, n=n, d=d, repaired=repaired)
    tokens = n * len(increasing_contexts(N, n, d))
    assert len(model.layers) == 1 + d + tokens + repaired
    assert (model.width, model.n) == (d, n)
    for layer in model.layers:
        assert isinstance(layer, FeedForward)
        assert isinstance(layer.activation, ThreePiece)
        assert layer.w_1.shape == (1, d)
    assert model.layers[0].w_2.tolist() == [[-(largest(N, n, d) + 1)]] * d
    # W_1 and W_2 everywhere, a bias in the layer of each token.
    assert model.parameter_count() == len(model.layers) * 2 * d + tokens


@pytest.mark.parametrize(("N", "n", "d"), [*SMALL, (5, 2, 1), (2, 5, 1), (2, 2, 3), (3, 2, 2)])
def test_largest_entry_over_the_extended_grid(N, n, d):
    L = array(grid(N, n, d, extended=True))
    ids = context_ids(L, inverse_delta=N)
    first = ids - sum((N**i * L[:, i] for i in range(1, d)), 0 * ids)
    assert largest_entry(N, n, d) == max(first.max(), L.max())
    if (N, n, d) in SMALL:
        assert Fraction(largest_entry(N, n, d), N) == largest(N, n, d)


@pytest.mark.parametrize(("N", "n", "d"), [*SMALL, (5, 2, 1), (2, 5, 1), (3, 2, 2), (2, 2, 3)])
def test_a_positive_sentinel(N, n, d):
    """Its M, and ids above t_r for all sequences that hold it, on the whole extended grid."""
    sentinel = positive_sentinel(Grid(N, n, d))
    assert Fraction(sentinel * N) == (N**d) ** (n + 1)
    L = array(grid(N, n, d, extended=True)) / Fraction(N)
    L[L < 0] = Fraction(sentinel)
    Z = selective_shift(inverse_delta=N, n=n, d=d)(L, EXACT)
    ids = N * sum(N**i * Z[:, i] for i in range(d))
    _, t_r = id_interval(N, n, d)
    outside = (L >= 1).any(axis=(-2, -1))
    assert (ids[outside] > t_r).all()
    assert Fraction(largest_entry(N, n, d, "positive"), N) == Z.max()
    A = value_layers(plain, inverse_delta=N, n=n, d=d, sentinel="positive")
    assert A.layers[0].w_2[0, 0] == -(Z.max() + 1)
    assert (A(Z[outside][-40:], EXACT) == 0).all()


@pytest.mark.parametrize("repaired", [False, True])
@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 2, 1), (2, 3, 1), (2, 2, 2)])
def test_with_encodings_every_sequence_is_a_context(N, n, d, repaired):
    """Section G.3: n D^n layers in the order of the grid, one more if repaired; outputs may aim at windows then."""
    L = Grid(N, n, d).sequences().numpy()
    ids = context_ids(L, inverse_delta=N, positional=True)
    outputs = np.full(L.shape, Fraction(1, 3), dtype=object) * (1 + L.astype(object))
    if repaired:
        outputs[:, 0] = np.roll(ids, 1) / Fraction(N)
    table = value_table(outputs, inverse_delta=N, n=n, d=d, repaired=repaired, positional=True)
    assert table.sequences.tolist() == L.tolist()
    model, value_map = table.model(), ValueMap(table)
    assert len(model.layers) == n * N ** (d * n) + repaired
    Z = positional_shift(inverse_delta=N, n=n, d=d)(L / Fraction(N) + encodings(n, d), EXACT)
    assert (model(Z, EXACT) == outputs).all()
    assert (value_map(Z) == outputs).all()
    assert (value_map.at_ids(ids, exact=True) == outputs).all()
    assert (value_map.at_ids(torch.from_numpy(ids.astype(np.int64))).numpy() == outputs.astype(float)).all()
    with pytest.raises(
        ValueError, match=r"got -5, which belongs to no token; take them from context_ids .*positional=True"
    ):
        value_map.at_ids([[-5] * n])


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (5, 3, 1), (2, 3, 2), (3, 2, 2)])
def test_contexts_are_all_increasing_tuples(N, n, d):
    assert contexts(N, n, d).tolist() == increasing_contexts(N, n, d)
    assert contexts(N, n, d).dtype == np.int64


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("N", "n", "d"), [(3, 2, 1), (2, 2, 2), (2, 2, 3)])
def test_the_lift_is_the_least_that_clears_all_windows(N, n, d, seed):
    outputs = adversarial(N, n, d, seed) if seed else plain
    table = value_table(outputs, inverse_delta=N, n=n, d=d)
    u = [N**i for i in range(d)]
    sums = [sum(a * b for a, b in zip(u, column, strict=True)) for A in table.outputs for column in A.T.tolist()]
    assert max(sums) - table.lift * sum(u) <= -1
    assert table.lift == 1 or max(sums) - (table.lift - 1) * sum(u) > -1
    assert (ValueMap(table).hit_again == -1).all()
    assert value_table(outputs, inverse_delta=N, n=n, d=d, repaired=False).lift is None


def test_outputs_far_below_zero_need_no_large_lift():
    table = value_table(lambda L: L * 0 - 10**9, inverse_delta=3, n=2, d=1)
    assert table.lift == 1
    L, Z = images(3, 2, 1)
    assert (table.model()(Z, EXACT) == array([value_of(rows, lambda M: array(M) * 0 - 10**9) for rows in L])).all()


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (5, 2, 1), (4, 3, 1), (6, 4, 1), (2, 3, 2), (3, 2, 2)])
def test_safe_range_spans_all_windows(N, n, d):
    ids = [s for L in increasing_contexts(N, n, d) for s in ids_in_units(L, N)]
    low, high = safe_range(N, n, d)
    assert (low, high) == (Fraction(2 * min(ids) - 1, 2 * N), Fraction(2 * max(ids) + 1, 2 * N))


# ---------------------------------------------------------------------------------------- in bulk


def test_floats_and_tensors_and_lists_agree():
    N, n, d = 3, 2, 2
    value_map = ValueMap(value_table(plain, inverse_delta=N, n=n, d=d))
    L = array(grid(N, n, d))
    ids = context_ids(L, inverse_delta=N)
    exact = value_map.at_ids(ids, exact=True)
    assert {type(t) for t in exact.flat} == {Fraction}
    assert exact.shape == L.shape
    floats = exact.astype(np.float64)
    whole = ids.astype(np.int64)
    for form in (ids, whole, ids.tolist(), whole.astype(np.uint64), whole.astype(np.int32)):
        got = value_map.at_ids(form)
        assert got.dtype == np.float64
        assert (got == floats).all()
    tensor = value_map.at_ids(torch.from_numpy(whole))
    assert tensor.dtype == torch.float64
    assert (tensor.numpy() == floats).all()
    assert (value_map.at_ids(torch.from_numpy(whole), exact=True) == exact).all()
    assert value_map.at_ids(whole.reshape(9, 9, n)).shape == (9, 9, d, n)
    assert value_map.at_ids(torch.from_numpy(whole[5])).shape == (d, n)
    transposed = torch.from_numpy(np.ascontiguousarray(whole.T)).T
    assert (value_map.at_ids(transposed).numpy() == floats).all()


def test_more_than_one_chunk(monkeypatch):
    N, n, d = 3, 3, 1
    value_map = ValueMap(value_table(plain, inverse_delta=N, n=n, d=d))
    ids = context_ids(array(grid(N, n, d)), inverse_delta=N)
    whole = value_map.at_ids(ids)
    monkeypatch.setattr(uatlib.yun2020.value_lookup, "CHUNK", 4)
    assert (value_map.at_ids(ids) == whole).all()
    assert (value_map.at_ids(torch.from_numpy(ids.astype(np.int64))).numpy() == whole).all()


@pytest.mark.parametrize(("N", "n", "d"), [(2, 15, 4), (10, 9, 1), (11, 9, 1)])
def test_ids_beyond_int64(N, n, d):
    """Few contexts, long ids: Python integers take over, exactly."""
    model, value_map = both(plain, N, n, d, True)
    ids = value_map.table.ids
    assert max(ids.flat) >= 2**63
    rng = np.random.default_rng(0)
    picked = rng.choice(len(ids), 3)
    orders = [rng.permutation(n) for _ in picked]
    L = array(value_map.table.sequences[picked].tolist())
    L = np.stack([rows[:, order] for rows, order in zip(L, orders, strict=True)])
    doubled = L.copy()
    doubled[..., 1] = doubled[..., 0]
    outside = L.copy()
    outside[:, 0, 0] = -(N ** (n * d + 1))
    L = np.concatenate([L, doubled, outside])
    want = array([value_of(rows, plain) for rows in L.tolist()])
    assert (value_map.at_ids(context_ids(L, inverse_delta=N), exact=True) == want).all()
    Z = selective_shift(inverse_delta=N, n=n, d=d)(L / Fraction(N), EXACT)
    assert (value_map(Z) == want).all()
    assert (model(Z[[0, 4, 8]], EXACT) == want[[0, 4, 8]]).all()
    # No id of a context fits a tensor, so all of these are outside.
    assert value_map.at_ids(torch.tensor([[0] * n, [2**62] * n])).abs().max() == 0


# ---------------------------------------------------------------------------------------- bad input


def test_values_may_be_given_as_an_array():
    A = [plain(L) for L in increasing_contexts(3, 2, 1)]
    one = value_layers(A, inverse_delta=3, n=2, d=1)
    other = value_layers(plain, inverse_delta=3, n=2, d=1)
    _, Z = images(3, 2, 1)
    assert (one(Z, EXACT) == other(Z, EXACT)).all()
    with pytest.raises(ValueError, match=r"outputs: expected shape \(3, 1, 2\), got \(2, 1, 2\)"):
        value_layers(A[:2], inverse_delta=3, n=2, d=1)


def test_outputs_get_python_ints_that_they_may_overwrite():
    seen = []

    def outputs(L):
        assert {type(entry) for entry in L.flat} == {int}
        seen.append(L.tolist())
        L[:] = 0
        return L

    table = value_table(outputs, inverse_delta=4, n=2, d=1)
    assert seen == increasing_contexts(4, 2, 1)
    assert table.sequences.tolist() == seen


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ([[0.5, 0]], r"outputs\(\[\[0, 1\]\]\)\[0, 0\]: expected int or Fraction, got the float 0.5"),
        ([0, 0], r"outputs\(\[\[0, 1\]\]\): expected shape \(1, 2\), got \(2,\)"),
        ([[0], [0]], r"expected shape \(1, 2\), got \(2, 1\)"),
        ([[0], [0, 1]], "expected int, Fraction or float, got \\[0\\]"),
    ],
    ids=str,
)
def test_outputs_are_checked(output, words):
    with pytest.raises(ValueError, match=words):
        value_layers(lambda L: output, inverse_delta=2, n=2, d=1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: safe_range(3, 1, 1), "n: expected an int >= 2, got 1; a lone token has no context"),
        (lambda: largest_entry(3, 1, 1), "n: expected an int >= 2, got 1"),
        (lambda: value_layers(plain, inverse_delta=3, n=1, d=1), "n: expected an int >= 2, got 1"),
        (lambda: safe_range(2, 3, 1), r"n: expected at most N\^d = 2 tokens, got 3"),
        (lambda: value_layers(plain, inverse_delta=2, n=2, d=1, sentinel="high"), 'sentinel: expected "negative" or'),
        (lambda: ValueMap(None), "table: expected a ValueTable, got None; make it with value_table"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("Z", [[[0.5, 0]], [[0, 1], [0, 1]], [0, 1]], ids=repr)
def test_the_lookup_wants_exact_columns(Z):
    value_map = ValueMap(value_table(plain, inverse_delta=2, n=2, d=1))
    with pytest.raises(ValueError, match=r"^Z"):
        value_map(Z)


@pytest.mark.parametrize(
    "ids",
    [
        np.zeros((1, 2)),
        torch.zeros((1, 2), dtype=torch.int32),
        [[True, False]],
        [[Fraction(1, 2), 0]],
        5,
    ],
    ids=str,
)
def test_ids_must_be_whole(ids):
    value_map = ValueMap(value_table(plain, inverse_delta=2, n=2, d=1))
    with pytest.raises(ValueError, match=r"^ids.*: expected (integers of shape \(\.\.\., n\)|.*numbers|int, Fraction)"):
        value_map.at_ids(ids)


def test_an_id_of_no_token_is_refused():
    value_map = ValueMap(value_table(plain, inverse_delta=3, n=2, d=1))
    t_l, t_r = id_interval(3, 2, 1)
    lost = next(i for i in range(t_l, t_r) if i not in set(value_map.table.ids.flat))
    for form in ([[0, lost]], torch.tensor([[0, lost]]), np.array([[t_r, 0]])):
        with pytest.raises(ValueError, match=r"which lies in \[t_l, t_r\] = \[162, 486\] and belongs to no token"):
            value_map.at_ids(form)
    assert (value_map.at_ids([[t_l - 1, t_r + 1]]) == 0).all()


def test_outputs_beyond_float64():
    value_map = ValueMap(value_table(lambda L: L * 10**400, inverse_delta=2, n=2, d=1))
    ids = context_ids([[0, 1]], inverse_delta=2)
    with pytest.raises(Overflow, match="exceeds the largest float64; take exact=True"):
        value_map.at_ids(ids)
    assert value_map.at_ids(ids, exact=True).tolist() == [[0, 10**400]]


def test_layers_made_at_once_are_those_made_one_by_one():
    """Weights of the same types, read-only, and copied as any layer is."""
    table = value_table(plain, inverse_delta=3, n=2, d=2)
    layers = table.model().layers[3:-1]
    assert len(layers) == table.ids.size == 2 * 36
    for layer, token_id, step in zip(layers, table.ids.flat, table.steps, strict=True):
        alone = token_layer(token_id, step, 3, 2)
        for name, weight in layer.weights().items():
            assert weight.tolist() == getattr(alone, name).tolist()
            assert not weight.flags.writeable
            assert [type(entry) for entry in weight.flat] == [type(entry) for entry in getattr(alone, name).flat]
        assert (layer.d_in, layer.d_out, layer.activation) == (2, 2, alone.activation)
    assert pickle.loads(pickle.dumps(layers[5])).w_2.tolist() == layers[5].w_2.tolist()
