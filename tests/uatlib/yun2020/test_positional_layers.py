"""Positional encodings (yun2020, Theorem 3, section G), literal and in bulk, against loops over the text."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from uatlib.arithmetic import EXACT, Overflow
from uatlib.yun2020.ids import column_starts, column_vector, context_ids, context_ids_int64
from uatlib.yun2020.positional_layers import encodings, positional_quantizer, positional_shift

from . import oracles as oracle
from .oracles import array, encoded, grid, in_real_units

SIZES = [(2, 1, 1), (3, 1, 2), (2, 2, 1), (3, 2, 1), (5, 2, 1), (2, 3, 1), (3, 3, 1), (2, 4, 1), (2, 2, 2), (3, 2, 2)]
SIZES += [(2, 3, 2), (2, 2, 3)]
fixed = settings(derandomize=True, deadline=None)


def ids_by_cases(L, N, global_shift=True):
    """u^T g_c(L + E) in units of delta."""
    Z = oracle.positional_shift(encoded(in_real_units(L, N).tolist()), N, global_shift)
    return [int(s * N) for s in oracle.column_ids(Z, N)]


@pytest.mark.parametrize(("N", "n", "d"), SIZES)
def test_layers_and_bulk_equal_the_text_on_the_whole_grid(N, n, d):
    L = grid(N, n, d)
    X = in_real_units(L, N) + encodings(n, d)
    got = positional_shift(inverse_delta=N, n=n, d=d)(X, EXACT)
    assert (got == array([oracle.positional_shift(rows, N) for rows in X.tolist()])).all()
    want = array([ids_by_cases(rows, N) for rows in L])
    assert (np.matmul(array(column_vector(N, d)), got) * N == want).all()
    ids = context_ids(array(L), inverse_delta=N, positional=True)
    assert ids.dtype == object
    assert {type(s) for s in ids.flat} == {int}
    assert (ids == want).all()
    assert (context_ids_int64(torch.tensor(L), inverse_delta=N, positional=True).numpy() == want).all()
    swept = array([ids_by_cases(rows, N, global_shift=False) for rows in L])
    assert (context_ids(array(L), inverse_delta=N, positional=True, global_shift=False) == swept).all()


@pytest.mark.parametrize(("N", "n", "d"), SIZES)
def test_counts_and_forms(N, n, d):
    shift, cut = positional_shift(inverse_delta=N, n=n, d=d), positional_quantizer(inverse_delta=N, n=n, d=d)
    D = N**d
    assert [len(layer.heads) for layer in shift.layers] == [2] * (n * D) + [1]
    assert shift.parameter_count() == (2 * n * D + 1) * (4 * d + 1)
    assert len(cut.layers) == d * n * N
    assert cut.parameter_count() == d * n * N * (2 * d + 1)
    assert {model.n for model in (shift, cut)} == {n}
    assert {model.width for model in (shift, cut)} == {d}
    assert shift.layers[-1].heads[0].w_o[0, 0] == n * Fraction(1, N) ** (-(n + 1) * d - 1)
    assert encodings(n, d).tolist() == encoded([[0] * n] * d)
    assert column_starts(N, n, d) == [N * s for s in oracle.column_ids(encodings(n, d).tolist(), N)]


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 2, 2), (5, 1, 1), (2, 3, 1)])
@pytest.mark.parametrize("variant", ["repaired", "printed"])
def test_quantizer_entry_by_entry(N, n, d, variant):
    tiny = Fraction(1, 10**6)
    points = [Fraction(k, 4 * N) + shift for k in range(-2, 4 * n * N + 2) for shift in (-tiny, 0, tiny)]
    rows = array([points[k:] + points[:k] for k in range(d * n)]).T.reshape(-1, d, n)
    got = positional_quantizer(inverse_delta=N, n=n, d=d, variant=variant)(rows, EXACT)
    want = [oracle.positional_quantize_entry(t, N, n) for t in rows.flat]
    assert (got.ravel().tolist() == want) == (variant == "repaired")


def test_the_printed_quantizer_has_the_slip_of_lemma_7():
    """At N = 2 the cells of k = 1 begin at 1/4."""
    got = positional_quantizer(inverse_delta=2, n=1, d=1, variant="printed")([[Fraction(1, 2)]], EXACT)
    assert got.tolist() == [[Fraction(1, 4)]]


@settings(fixed, max_examples=150)
@given(st.data())
def test_bulk_ids_at_larger_sizes(data):
    """On both sides of int64; the loops skip the levels at which no column stands."""
    N, n, d = data.draw(st.integers(2, 30)), data.draw(st.integers(1, 7)), data.draw(st.integers(1, 3))
    entries = st.integers(0, N - 1) | st.sampled_from([0, N - 1])
    L = [[data.draw(entries) for _ in range(n)] for _ in range(d)]
    starts, D = column_starts(N, n, d), N**d
    ids = [s + start for s, start in zip(oracle.column_ids(L, N), starts, strict=True)]
    reached = 0
    while waiting := [s for s in ids if s >= reached and any(start <= s < start + D for start in starts)]:
        reached, lift = min(waiting), D * (max(ids) - min(ids))
        ids = [s + lift if s == reached else s for s in ids]
        reached += 1
    want = [s + n * N * D ** (n + 1) * max(ids) for s in ids]
    assert context_ids(L, inverse_delta=N, positional=True).tolist() == want
    assert len(set(want)) == n


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_int64_is_right_or_refuses(n):
    """Refusals begin within a factor of 16 of the bits: where 16 times l~_n's bound n D^{n+1}, lifted, needs 63."""
    edge = math.ceil(2 ** (63 / (2 * n + 3)))
    outcomes = set()
    for N in {max(2, edge * k // 20) for k in range(4, 40)}:
        for L in ([[N - 1] * n], [[0] * (n - 1) + [N - 1]], [[N - 1] + [0] * (n - 1)], [[0] * n]):
            want = context_ids(array(L), inverse_delta=N, positional=True).tolist()
            try:
                got = context_ids_int64(torch.tensor([L]), inverse_delta=N, positional=True)
            except Overflow:
                outcomes.add("refused")
                assert 16 * n**2 * N ** (2 * n + 3) >= 2**63
            else:
                outcomes.add("right")
                assert got.tolist() == [want]
    assert outcomes == {"refused", "right"}


def test_many_sequences_at_once():
    rng = np.random.default_rng(0)
    L = rng.integers(0, 4, (40_000, 2, 3))
    got = context_ids(L, inverse_delta=4, positional=True)
    for k in [0, 32767, 32768, 39_999]:
        assert got[k].tolist() == ids_by_cases(L[k].tolist(), 4)
    assert context_ids(L[:6].reshape(2, 3, 2, 3), inverse_delta=4, positional=True).shape == (2, 3, 3)


@pytest.mark.parametrize("L", [[[0, 3]], [[-1, 0]], [[-27, 0]], [[0, 10**30]]], ids=str)
def test_encodings_are_added_and_sentinels_refused(L):
    with pytest.raises(ValueError, match=r"expected entries 0, \.\.\., 2 .* positional=True adds the encodings itself"):
        context_ids(L, inverse_delta=3, positional=True)


@pytest.mark.parametrize("size", [(0, 1), (1, 2.5), (10**5, 10**4)], ids=str)
def test_sizes_of_encodings(size):
    with pytest.raises(ValueError, match=r"^[nd]: expected an int >= 1|the limit is"):
        encodings(*size)
