"""Contextual mapping (yun2020, Lemmas 8 and 10), literal and in bulk, against loops over the paper."""

import math
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from uatlib.arithmetic import EXACT, FLOAT64, INT64, Overflow
from uatlib.checks import shown
from uatlib.contexts import find_violation
from uatlib.layers import Attention
from uatlib.model import Transformer
from uatlib.yun2020.ids import categories, column_ids, column_vector, context_ids, context_ids_int64, id_interval
from uatlib.yun2020.shift_layers import selective_shift

from . import oracles as oracle
from .oracles import array, category, grid, ids_in_units, in_real_units, sequence, swept_by_formula, violates

LITERAL = [(2, 1, 1), (5, 1, 1), (2, 2, 1), (5, 2, 1), (3, 3, 1), (2, 3, 1), (2, 4, 1), (4, 4, 1)]
LITERAL += [(2, 1, 2), (3, 2, 2), (2, 3, 2), (2, 1, 3), (2, 2, 3)]
BULK = [*LITERAL, (7, 3, 1), (5, 4, 1), (3, 3, 2), (3, 5, 1), (2, 4, 2), (3, 2, 3), (2, 3, 3)]
PAIRS = [(2, 2, 1), (5, 2, 1), (4, 3, 1), (5, 4, 1), (2, 2, 2), (2, 3, 2), (3, 2, 2), (2, 2, 3)]
fixed = settings(derandomize=True, deadline=None)


@st.composite
def sequences(draw, N, n, d, sentinels=True):
    """Extended grid sequences whose columns repeat often."""
    entries = st.integers(0, N - 1) | st.sampled_from([0, N - 1])
    if sentinels:
        entries |= st.just(-(N ** (n * d + 1)))
    pool = draw(st.lists(st.lists(entries, min_size=d, max_size=d), min_size=1, max_size=n))
    columns = [draw(st.sampled_from(pool)) for _ in range(n)]
    return [[column[i] for column in columns] for i in range(d)]


# ---------------------------------------------------------------------------------------- the oracles


# ---------------------------------------------------------------------------------------- literal layers


@pytest.mark.parametrize(("N", "n", "d"), LITERAL)
def test_layers_equal_the_statement_on_all_extended_grid_points(N, n, d):
    L = grid(N, n, d, extended=True)
    X = in_real_units(L, N)
    got = selective_shift(inverse_delta=N, n=n, d=d)(X, EXACT)
    assert got.shape == (len(L), d, n)
    assert (got == array([oracle.selective_shift(rows, N) for rows in X.tolist()])).all()
    u = column_vector(N, d)
    assert (np.matmul(array(u), got) * N == context_ids(array(L), inverse_delta=N)).all()


half_steps = st.builds(Fraction, st.integers(-9, 9), st.sampled_from([1, 2, 4, 6, 12]))


@fixed
@given(st.data())
def test_layers_off_the_grid_and_on_ties(data):
    """Ids at l + delta/2 tie all scores of a head, which then adds the mean."""
    N, n, d = data.draw(st.sampled_from([(2, 2, 1), (2, 3, 1), (3, 2, 1), (3, 4, 1), (2, 3, 2)]))
    rows = [[data.draw(half_steps) for _ in range(n)] for _ in range(d)]
    got = selective_shift(inverse_delta=N, n=n, d=d)(array(rows), EXACT)
    assert got.tolist() == oracle.heads_one_by_one(rows, N)


@pytest.mark.parametrize(("N", "n", "d"), [(2, 1, 1), (3, 2, 1), (2, 3, 2), (4, 2, 2), (3, 2, 3)])
def test_lemma_8_counts(N, n, d):
    model = selective_shift(inverse_delta=N, n=n, d=d)
    D = N**d
    assert isinstance(model, Transformer)
    assert len(model.layers) == model.depth == D + 1
    assert (model.width, model.n) == (d, n)
    assert [len(layer.heads) for layer in model.layers] == [2] * D + [1]
    for layer in model.layers:
        assert isinstance(layer, Attention)
        assert layer.normalization == "hardmax"
        assert {head.w_q.shape for head in layer.heads} == {(1, d)}
    assert model.parameter_count() == (2 * D + 1) * (4 * d + 1)


# ---------------------------------------------------------------------------------------- number systems


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 3, 1), (5, 2, 1), (2, 4, 1), (3, 2, 2), (2, 2, 3)])
def test_int64_in_half_steps_equals_exact(N, n, d):
    L = torch.tensor(grid(N, n, d, extended=True))
    half = Fraction(1, 2 * N)
    model = selective_shift(inverse_delta=N, n=n, d=d)
    got = model(2 * L, INT64.in_units_of(half))
    assert got.dtype == torch.int64
    assert (got.numpy() * half == model(in_real_units(L.tolist(), N), EXACT)).all()
    assert column_ids(got, inverse_delta=N).tolist() == (2 * context_ids(L, inverse_delta=N)).tolist()


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (4, 3, 1), (8, 2, 1), (2, 3, 2), (2, 4, 1)])
def test_float64_is_exact_on_small_dyadic_grids(N, n, d):
    X = in_real_units(grid(N, n, d, extended=True), N)
    model = selective_shift(inverse_delta=N, n=n, d=d)
    assert (model(X, FLOAT64).numpy() == model(X, EXACT)).all()


# D, per n, from which on some id of a sequence with distinct columns is off by delta/2.


# ---------------------------------------------------------------------------------------- in bulk


@pytest.mark.parametrize(("N", "n", "d"), BULK)
@pytest.mark.parametrize("global_shift", [False, True])
def test_context_ids_equal_the_statement_on_all_extended_grid_points(N, n, d, global_shift):
    L = grid(N, n, d, extended=True)
    want = array([ids_in_units(rows, N, global_shift) for rows in L])
    got = context_ids(array(L), inverse_delta=N, global_shift=global_shift)
    assert got.shape == (len(L), n)
    assert got.dtype == object
    assert {type(s) for s in got.flat} == {int}
    assert (got == want).all()


@fixed
@given(st.data())
def test_context_ids_equal_the_statement_on_larger_sizes(data):
    """Sizes on both sides of int64, permuted columns, repeated columns and sentinels."""
    N, n, d = data.draw(st.integers(2, 40)), data.draw(st.integers(1, 9)), data.draw(st.integers(1, 4))
    L = [data.draw(sequences(N, n, d)) for _ in range(data.draw(st.integers(1, 3)))]
    shift = data.draw(st.booleans())
    want = [ids_in_units(rows, N, shift) for rows in L]
    assert context_ids(L, inverse_delta=N, global_shift=shift).tolist() == want
    assert context_ids(L[0], inverse_delta=N, global_shift=shift).tolist() == want[0]


@fixed
@given(st.data())
def test_closed_formula_of_category_1_at_large_sizes(data):
    N, n, d = data.draw(st.sampled_from([(1000, 6, 3), (10, 9, 2), (2, 5, 70), (10**20, 3, 1), (64, 3, 2)]))
    D = N**d
    ids = sorted(data.draw(st.sets(st.integers(0, D - 1), min_size=n, max_size=n)))
    order = data.draw(st.permutations(range(n)))
    swept = swept_by_formula(ids, D)
    lifted = [s + D ** (n + 1) * swept[-1] for s in swept]
    L = sequence([ids[j] for j in order], N, d)
    assert context_ids(L, inverse_delta=N, global_shift=False).tolist() == [swept[j] for j in order]
    assert context_ids(L, inverse_delta=N).tolist() == [lifted[j] for j in order]


@pytest.mark.parametrize("N", [2**31, 2**62, 2**63 - 1, 2**63, 2**64, 10**30])
def test_steps_as_fine_as_int64_and_finer(N):
    for L in ([[0, 1]], [[1, 0]], [[1, 1]], [[0, 0]]):
        assert context_ids(L, inverse_delta=N).tolist() == ids_in_units(L, N)
    for L in ([[N - 1, 0]], [[-(N**3), N - 1]]):
        assert context_ids(L, inverse_delta=N).tolist() == ids_in_units(L, N)


def test_more_than_one_chunk():
    """40,000 sequences are evaluated in several passes; the odd one out sits in the last."""
    rng = np.random.default_rng(0)
    L = rng.integers(0, 5, (40_000, 2, 3))
    L[-1] = -(5**7)
    got = context_ids(L, inverse_delta=5)
    for k in [0, 1, 32767, 32768, 39_998, 39_999]:
        assert got[k].tolist() == ids_in_units(L[k].tolist(), 5)
    cut = context_ids(L[32_760:32_780], inverse_delta=5)
    assert (got[32_760:32_780] == cut).all()


def test_every_form_of_input_gives_the_same_ids():
    L = [[[2, 0], [1, 1]], [[0, 0], [-(3**5), 2]]]
    want = [ids_in_units(rows, 3) for rows in L]
    forms = [
        L,
        array(L),
        np.array(L),
        np.array(L, dtype=np.int32),
        torch.tensor(L),
        torch.tensor(L, dtype=torch.int16),
    ]
    forms += [np.array(L, dtype=">i8"), np.asfortranarray(L), np.array(L)[::-1][::-1], array(L) * Fraction(1)]
    for form in forms:
        assert context_ids(form, inverse_delta=3).tolist() == want
    frozen = np.array(L)
    frozen.flags.writeable = False
    assert context_ids(frozen, inverse_delta=3).tolist() == want
    assert frozen.tolist() == L
    assert context_ids(np.array(L)[:, None, None], inverse_delta=3).shape == (2, 1, 1, 2)
    assert context_ids(np.array(L[0], dtype=np.uint64), inverse_delta=3).tolist() == want[0]


# ---------------------------------------------------------------------------------------- 63 bits


INSIDE, EXTENDED = {2: 1449, 3: 235, 4: 79, 5: 39, 6: 23}, {2: 512, 3: 79, 4: 29, 5: 16, 6: 10}


@pytest.mark.parametrize(
    ("n", "D", "extended"),
    [*((*pair, False) for pair in INSIDE.items()), *((*pair, True) for pair in EXTENDED.items())],
)
def test_ids_outgrow_int64(n, D, extended):
    """Well below the D at which an id passes 2^63 there is an answer; from it on, a refusal."""

    def corner(N):
        return [[-(N ** (n + 1)), *range(N - n + 1, N)] if extended else [*range(n - 1), N - 1]]

    assert max(map(abs, ids_in_units(corner(D), D))) >= 2**63
    assert extended or max(ids_in_units(corner(D - 1), D - 1)) < 2**63
    with pytest.raises(Overflow, match=r"may need \d+ bits and have 63"):
        context_ids_int64(torch.tensor([corner(D)]), inverse_delta=D)
    assert context_ids(corner(D), inverse_delta=D).tolist() == ids_in_units(corner(D), D)
    for N in (max(n, D * 3 // 4), D - (2 if extended else 5)):
        got = context_ids_int64(torch.tensor([corner(N)]), inverse_delta=N)
        assert got.tolist() == [ids_in_units(corner(N), N)]


def may_refuse(L, N):
    """Whether a rough bound, four times n lifts by D of the largest span of ids at hand, needs 62 bits."""
    n, D = len(L[0][0]), N ** len(L[0])
    span = max(D, -min(s for rows in L for s in oracle.column_ids(rows, N)))
    return 4 * D ** (2 * n + 1) * span >= 2**62


@settings(fixed, max_examples=200)
@given(st.data())
def test_int64_is_right_or_refuses(data):
    n, d = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 3))
    edge = math.ceil(2 ** (63 / (d * (2 * n + 2)))) + 1
    N = data.draw(st.integers(2, max(3, edge)) | st.integers(max(2, edge // 2), 2 * edge))
    shift = data.draw(st.booleans())
    fits = N ** (n * d + 1) < 2**63
    L = [data.draw(sequences(N, n, d, sentinels=fits)) for _ in range(2)]
    want = [ids_in_units(rows, N, shift) for rows in L]
    try:
        got = context_ids_int64(torch.tensor(L), inverse_delta=N, global_shift=shift)
    except Overflow:
        assert may_refuse(L, N)
        return
    assert got.dtype == torch.int64
    assert got.tolist() == want


# ---------------------------------------------------------------------------------------- Lemmas 8 and 10


@pytest.mark.parametrize(("N", "n", "d"), PAIRS)
def test_properties_8_1_to_8_4(N, n, d):
    D = N**d
    t_l, t_r = id_interval(N, n, d)
    real = Fraction(1, N) ** (-2 * n * d + 1) * (D - 1), Fraction(1, N) ** (-(2 * n + 1) * d + 1) * (D - 1)
    assert (Fraction(t_l, N), Fraction(t_r, N)) == real
    L = grid(N, n, d, extended=True)
    ids = context_ids(array(L), inverse_delta=N).tolist()
    kinds = [category(rows) for rows in L]
    owner = {}
    for rows, row, kind in zip(L, ids, kinds, strict=True):
        if kind == 1:
            assert len(set(row)) == n
            assert all(t_l <= s <= t_r for s in row)
            context = tuple(sorted(zip(*rows, strict=True)))
            assert all(owner.setdefault(s, context) == context for s in row)
        else:
            assert all(s < t_l or s > t_r for s in row)
    proper = [k for k, kind in enumerate(kinds) if kind == 1]
    assert find_violation([L[k] for k in proper], [ids[k] for k in proper]) is None
    assert len(proper) == math.perm(D, n)


@pytest.mark.parametrize(("N", "n", "d"), [(2, 1, 1), (2, 3, 1), (3, 2, 1), (2, 2, 2), (2, 1, 3)])
def test_categories(N, n, d):
    L = grid(N, n, d, extended=True)
    want = [category(rows) for rows in L]
    assert categories(torch.tensor(L)).tolist() == want
    assert categories(torch.tensor(L[-1])).tolist() == want[-1]
    if (N, n, d) == (2, 2, 2):
        assert Counter(want) == {1: 12, 2: 4, 3: 65}


def test_column_ids_are_a_bijection():
    L = torch.tensor(grid(3, 1, 3))
    assert sorted(column_ids(L, inverse_delta=3).ravel().tolist()) == list(range(27))
    assert column_vector(3, 3) == [1, 3, 9]
    assert column_ids(torch.tensor([[2, 1], [0, 2]]), inverse_delta=3).tolist() == [2, 7]


# ---------------------------------------------------------------------------------------- find_violation


@pytest.mark.parametrize("definition", ["slides", "printed"])
@fixed
@given(data=st.data())
def test_find_violation_equals_all_pairs(definition, data):
    n, d = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 2))
    entry = st.integers(0, 1)
    rows = st.lists(st.lists(entry, min_size=n, max_size=n), min_size=d, max_size=d)
    L = data.draw(st.lists(rows, min_size=1, max_size=6))
    spread = data.draw(st.sampled_from([3, 12, 200]))
    q = [[data.draw(st.integers(0, spread)) for _ in range(n)] for _ in L]
    m = range(len(L))
    broken = any(violates(L[i], q[i], L[j], q[j], definition) for i in m for j in range(i + 1))
    found = find_violation([array(rows) for rows in L], q, definition=definition)
    assert (found is not None) == broken
    if found:
        (a, b), (r, s) = found.sequences, found.ids
        rows_of = [
            [list(row) for row in zip(*(c if isinstance(c, tuple) else (c,) for c in x), strict=True)] for x in (a, b)
        ]
        assert violates(rows_of[0], r, rows_of[1], s, definition) == found.clause
        assert (rows_of[0], list(r)) in [(L[i], q[i]) for i in m]
        assert (rows_of[1], list(s)) in [(L[i], q[i]) for i in m]


def test_a_violation_shows_both_sequences():
    found = find_violation([[[0, 1]], [[1, 0]]], [[26, 27], [27, 26]], definition="printed")
    assert str(found) == "clause 2: q(0, 1) = (26, 27) and q(1, 0) = (27, 26)"


def test_find_violation_checks_its_input():
    with pytest.raises(ValueError, match=r"definition: expected .* got 'other'"):
        find_violation([[[0, 1]]], [[0, 1]], definition="other")
    with pytest.raises(ValueError, match=r"^ids: expected as many rows of ids as sequences"):
        find_violation([[[0, 1]], [[1, 0]]], [[0, 1]])
    with pytest.raises(ValueError, match=r"^ids: expected a number for each column"):
        find_violation([[[0, 1]]], [[0, 1, 2]])
    with pytest.raises(ValueError, match="expected"):
        find_violation([[[0, 1]]], [[math.nan, 1.0]])


# ---------------------------------------------------------------------------------------- bad input


NOT_WHOLE = [[[0.0, 1.0]], torch.tensor([[0.0, 1.0]]), [[Fraction(1, 3), 0]], [[True, False]], [[1, 2], [0]]]
NO_SEQUENCES = [0, [0, 1], np.zeros((1, 0), dtype=int), np.zeros((0, 1, 2), dtype=int)]


@pytest.mark.parametrize("L", [*NOT_WHOLE, *NO_SEQUENCES], ids=str)
def test_context_ids_want_whole_numbers_in_sequences(L):
    with pytest.raises(ValueError, match=r"^L.*: expected (integers in units of delta|.*numbers|int, Fraction)"):
        context_ids(L, inverse_delta=3)


OFF_GRID = [
    [[0, 3]],
    [[-1, 0]],
    [[-26, 0]],
    [[-9, 0]],  # the sentinel in real units
    [[2**63, 0]],
    [[-(10**30), 0]],
    np.array([[2**64 - 27, 0]], dtype=np.uint64),  # -27 if it wrapped around
    torch.tensor([[2**64 - 27, 0]], dtype=torch.uint64),
    np.array([[256 - 27, 0]], dtype=np.uint8),
]


@pytest.mark.parametrize("L", OFF_GRID, ids=str)
def test_context_ids_refuse_what_is_off_the_grid(L):
    with pytest.raises(
        ValueError, match=r"expected entries 0, \.\.\., 2 or the sentinel -27 .* got the sequence"
    ) as caught:
        context_ids(L, inverse_delta=3)
    rows = L if isinstance(L, list) else L.tolist()
    assert f"got the sequence {rows};" in str(caught.value)
    assert not isinstance(caught.value, Overflow)


def test_one_bad_entry_in_a_batch_is_found_and_shown():
    L = np.zeros((40_000, 1, 2), dtype=np.int64)
    L[39_999, 0, 1] = 3
    with pytest.raises(ValueError, match=r"got the sequence \[\[0, 3\]\]"):
        context_ids(L, inverse_delta=3)
    with pytest.raises(ValueError, match=r"got the sequence \[\[0, 3\]\]"):
        context_ids_int64(torch.from_numpy(L), inverse_delta=3)


@pytest.mark.parametrize("N", [10, 40])
def test_wrong_sentinels_are_refused_beyond_int64_too(N):
    n, d = 10, 3
    sentinel = -(N ** (n * d + 1))
    good = array([[0] * n, [sentinel] + [1] * (n - 1), [N - 1] * n])
    assert context_ids(good, inverse_delta=N).tolist() == ids_in_units(good.tolist(), N)
    for wrong in (sentinel + 1, sentinel - 1, sentinel // N, -1, N):
        bad = good.copy()
        bad[1, 0] = wrong
        with pytest.raises(ValueError, match=re.escape(f"sentinel {shown(sentinel)} ")):
            context_ids(bad, inverse_delta=N)


@pytest.mark.parametrize(
    "L",
    [
        np.zeros((1, 2), dtype=int),
        torch.zeros((1, 2), dtype=torch.int32),
        torch.zeros(2, dtype=torch.int64),
        torch.zeros((0, 1, 2), dtype=torch.int64),
    ],
    ids=str,
)
def test_context_ids_int64_wants_an_int64_tensor(L):
    with pytest.raises(ValueError, match=r"expected an int64 tensor of shape \(\.\.\., d, n\), not empty, got "):
        context_ids_int64(L, inverse_delta=3)


# ------------------------------------------------------------------------------------------------ at the door


def test_ids_of_columns_are_exact_or_refused():
    L = np.array([[0], [0], [0], [999_999]])
    want = [999_999 * 10**18]
    for kind in (np.int64, np.int32, np.uint32, object):
        assert column_ids(L.astype(kind), inverse_delta=10**6).tolist() == want
    assert column_ids(L.tolist(), inverse_delta=10**6).tolist() == want
    assert column_ids(torch.tensor(L)[:3], inverse_delta=10**6).tolist() == [0]
    with pytest.raises(Overflow, match="ids may need 80 bits and have 63"):
        column_ids(torch.tensor(L), inverse_delta=10**6)
    small = torch.tensor([[60_000.0], [60_000.0]])
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        half = small.to(dtype)
        rounding = 1e-7 if dtype == torch.float32 else 0
        want = float(half[0, 0]) * (10**6 + 1)
        assert column_ids(half, inverse_delta=10**6).tolist() == [pytest.approx(want, rel=rounding)]
    with pytest.raises(Overflow, match=r"exceeds torch\.float32"):
        column_ids(torch.full((2, 1), 1e38), inverse_delta=1000)
    with pytest.raises(Overflow, match="exceeds float64"):
        column_ids(np.array([[1.0], [math.inf]]), inverse_delta=1000)
    assert column_ids([[Fraction(np.int8(100), 3)], [1]], inverse_delta=9).tolist() == [Fraction(127, 3)]
    for L in ([1, 2], [[True]], np.ones((2, 1), dtype=complex), torch.ones(2, 1, dtype=torch.bool)):
        with pytest.raises(ValueError, match="expected"):
            column_ids(L, inverse_delta=3)
