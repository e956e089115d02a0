"""yun2020, Lemmas 7 to 10 in plain loops over Fractions, and bad input; no construction of uatlib is used."""

import time
import tracemalloc
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

NO_STEPS = [1, 0, -3, 2.0, 2.5, True, "3", None, Fraction(3), np.float64(3), np.bool_(True)]
"""What is no 1/delta."""
NO_COUNT = [0, -1, 1.0, True, "2", None]
"""What is no n and no d."""
GRID = {"inverse_delta": 2, "n": 2, "d": 1}
NO_GRIDS = [{**GRID, "inverse_delta": N} for N in NO_STEPS]
NO_GRIDS += [{**GRID, name: count} for name in ("n", "d") for count in NO_COUNT]
HUGE_GRIDS = [{**GRID, name: 10**power} for name in ("n", "d") for power in (5, 9, 30)]
HUGE_GRIDS += [{**GRID, "inverse_delta": 2**60_000}, {"inverse_delta": 10**30, "n": 10**5, "d": 10**5}]
"""Their numbers have millions of digits."""


def refused_at_once(construction, size):
    """The ValueError that refuses a construction of this size: within half a second of the processor and one MiB."""
    tracemalloc.start()
    try:
        start = time.process_time()
        with pytest.raises(ValueError, match="the limit is") as caught:
            construction(**size)
        assert time.process_time() - start < 0.5
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
    return caught.value


def array(rows):
    """An object array of nested lists, whatever they hold."""
    return np.array(rows, dtype=object)


def in_real_units(L, N):
    """Sequences in units of delta, as Fractions."""
    return np.frompyfunc(lambda entry: Fraction(int(entry), N), 1, 1)(array(L))


def grid(N, n, d, extended=False):
    """All grid sequences in units of delta, as lists of rows."""
    values = [*range(N), -(N ** (n * d + 1))] if extended else range(N)
    return [[list(flat[i * n : (i + 1) * n]) for i in range(d)] for flat in product(values, repeat=d * n)]


# ---------------------------------------------------------------------------------------- Lemma 7


def quantize_entry(t, N, n, d):
    """g_q^ent(t): k delta if k delta <= t < (k + 1) delta for a k = 0, ..., N - 1, else -delta^{-nd}."""
    delta = Fraction(1, N)
    for k in range(N):
        if k * delta <= t < (k + 1) * delta:
            return k * delta
    return -((1 / delta) ** (n * d))


def quantize_sequence(rows, N):
    """g_q, entry by entry."""
    return [[quantize_entry(Fraction(t), N, len(rows[0]), len(rows)) for t in row] for row in rows]


def printed_quantize_entry(t, N, n, d):
    """Section E.2 at its word: k runs over 0, delta, ..., 1 - delta and the bias is k delta."""
    delta = Fraction(1, N)
    if t < 0 or t >= 1:
        t = t + (-t - (1 / delta) ** (n * d))
    for step in range(N):
        k = step * delta
        s = t - k * delta
        if 0 <= s < delta:
            t = t - s
    return t


# ---------------------------------------------------------------------------------------- Lemma 8


def column_ids(rows, N):
    """u^T Z with u = (1, N, ..., N^{d-1})."""
    return [sum(N**i * rows[i][j] for i in range(len(rows))) for j in range(len(rows[0]))]


def selective_shift(rows, N, global_shift=True):
    """g_c on the extended grid by the cases of section E.3; entries in real units."""
    delta, d, n = Fraction(1, N), len(rows), len(rows[0])
    D = N**d
    Z = [list(row) for row in rows]
    for step in range(D):
        ids = column_ids(Z, N)
        for j in range(n):
            if step * delta - delta / 2 < ids[j] < step * delta + delta / 2:
                Z[0][j] += D * (max(ids) - min(ids))
    if global_shift:
        ids = column_ids(Z, N)
        for j in range(n):
            if ids[j] > 0:
                Z[0][j] += D ** (n + 1) * max(ids)
            elif ids[j] < 0:
                Z[0][j] += D ** (n + 1) * min(ids)
            else:
                Z[0][j] += D ** (n + 1) * sum(ids) / Fraction(n)
    return Z


def psi_row(ids, b):
    """First row of psi(Z; b): max where u^T Z_j > b, min where u^T Z_j < b, the mean where all tie."""
    mean = sum(ids) / Fraction(len(ids))
    return [max(ids) if s > b else min(ids) if s < b else mean for s in ids]


def heads_one_by_one(rows, N):
    """g_c on any rational input: Z + D (psi(Z; b) - psi(Z; b')), then Z + D^{n+1} psi(Z; 0)."""
    delta, D, n = Fraction(1, N), N ** len(rows), len(rows[0])
    Z = [list(row) for row in rows]
    for step in range(D):
        ids = column_ids(Z, N)
        below, above = psi_row(ids, step * delta - delta / 2), psi_row(ids, step * delta + delta / 2)
        Z[0] = [z + D * (a - b) for z, a, b in zip(Z[0], below, above, strict=True)]
    lift = psi_row(column_ids(Z, N), 0)
    Z[0] = [z + D ** (n + 1) * a for z, a in zip(Z[0], lift, strict=True)]
    return Z


def ids_in_units(rows, N, global_shift=True):
    """u^T g_c(L) in units of delta for any D: the sweep skips the l at which no column stands."""
    D, n = N ** len(rows), len(rows[0])
    ids = column_ids(rows, N)
    assert all(type(s) is int for s in ids)
    reached = 0
    while waiting := [s for s in ids if reached <= s < D]:
        reached, lift = min(waiting), D * (max(ids) - min(ids))
        ids = [s + lift if s == reached else s for s in ids]
        reached += 1
    if global_shift:
        up, down = D ** (n + 1) * max(ids), D ** (n + 1) * min(ids)
        ids = [s + up if s > 0 else s + down if s < 0 else s for s in ids]
    return ids


def swept_by_formula(ids, D):
    """l~_1, ..., l~_n of ascending distinct l_1 < ... < l_n, by the display of section E.3.1."""
    n = len(ids)
    l = dict(enumerate(ids, start=1))  # noqa: E741
    return [
        l[j] + sum(D**k * (l[j - k] - l[j - k + 1]) for k in range(1, j)) + D**j * (l[n] - l[1])
        for j in range(1, n + 1)
    ]


def category(rows):
    """1: distinct columns; 2: a column twice; 3: some entry is the sentinel."""
    if any(entry < 0 for row in rows for entry in row):
        return 3
    columns = list(zip(*rows, strict=True))
    return 1 if len(set(columns)) == len(columns) else 2


def violates(L, q, M, r, definition):
    """The clause that the sequences L, M with ids q, r break, or None: every pair of tokens is compared."""
    n = len(q)
    columns, others = list(zip(*L, strict=True)), list(zip(*M, strict=True))
    for ids, tokens in ((q, columns), (r, others)):
        for i in range(n):
            for j in range(i):
                if ids[i] == ids[j] and (definition == "printed" or tokens[i] != tokens[j]):
                    return 1
    apart = columns != others if definition == "printed" else sorted(columns) != sorted(others)
    if apart and any(a == b for a in q for b in r):
        return 2
    return None


# ---------------------------------------------------------------------------------------- Lemma 9


def sequence(ids, N, d):
    """The grid sequence in units of delta with these column ids."""
    return [[s // N**i % N for s in ids] for i in range(d)]


def increasing_contexts(N, n, d):
    """The grid sequences whose columns stand in increasing order of their ids, in lexicographic order, by counting."""
    tuples = [s for s in product(range(N**d), repeat=n) if all(a < b for a, b in pairwise(s))]
    return [sequence(s, N, d) for s in tuples]


def value_of(rows, outputs):
    """A_L: that of the context with the same columns, put in their order here; 0 unless L has distinct columns."""
    d, n = len(rows), len(rows[0])
    if category(rows) != 1:
        return [[Fraction(0)] * n for _ in rows]
    # The last row counts most in a column id.
    order = sorted(range(n), key=lambda j: [rows[i][j] for i in reversed(range(d))])
    A = outputs([[rows[i][j] for j in order] for i in range(d)])
    return [[Fraction(A[i][order.index(j)]) for j in range(n)] for i in range(d)]


def largest_entry(N, n, d):
    """M of section E.4 in real units: the largest entry of g_c(L), over all of the extended grid."""
    images = (selective_shift(in_real_units(L, N).tolist(), N) for L in grid(N, n, d, extended=True))
    return max(entry for rows in images for row in rows for entry in row)


def value_layers_one_by_one(Z, N, outputs, M, n):
    """The displays of section E.4 on a column sequence Z of rationals, in real units, with M given."""
    delta, d = Fraction(1, N), len(Z)
    t_l = (1 / delta) ** (2 * n * d - 1) * ((1 / delta) ** d - 1)
    t_r = (1 / delta) ** ((2 * n + 1) * d - 1) * ((1 / delta) ** d - 1)
    Z = [list(row) for row in Z]
    columns = range(len(Z[0]))
    ids = column_ids(Z, N)
    for j in columns:
        if not t_l <= ids[j] <= t_r:
            for i in range(d):
                Z[i][j] -= M + 1
    for i in range(d):
        for j in columns:
            if Z[i][j] < 0:
                Z[i][j] = Fraction(0)
    for L in increasing_contexts(N, n, d):
        image, A = selective_shift(in_real_units(L, N).tolist(), N), outputs(L)
        for k, token_id in enumerate(column_ids(image, N)):
            for j in columns:
                if -delta / 2 <= column_ids(Z, N)[j] - token_id < delta / 2:
                    for i in range(d):
                        Z[i][j] += A[i][k] - image[i][k]
    return Z


# ---------------------------------------------------------------------------------------- Theorem 3


def encoded(rows):
    """X + E with E_ij = j - 1 for columns j = 1, ..., n."""
    return [[entry + j for j, entry in enumerate(row)] for row in rows]


def positional_quantize_entry(t, N, n):
    """k delta if k delta <= t < (k + 1) delta for a k = 0, ..., n N - 1, else t itself."""
    delta = Fraction(1, N)
    for k in range(n * N):
        if k * delta <= t < (k + 1) * delta:
            return k * delta
    return t


def positional_shift(rows, N, global_shift=True):
    """g_c of section G.2 by cases, on a grid sequence with E added, in real units."""
    delta, d, n = Fraction(1, N), len(rows), len(rows[0])
    Z = [list(row) for row in rows]
    for j in range(1, n + 1):
        s_j = (j - 1) * sum((1 / delta) ** k for k in range(d))
        for step in range(N**d):
            level, ids = s_j + step * delta, column_ids(Z, N)
            for column in range(n):
                if level - delta / 2 < ids[column] < level + delta / 2:
                    Z[0][column] += (1 / delta) ** d * (max(ids) - min(ids))
    if global_shift:
        ids, factor = column_ids(Z, N), n * (1 / delta) ** ((n + 1) * d + 1)
        Z[0] = [z + factor * (max(ids) if s > 0 else sum(ids) / n) for z, s in zip(Z[0], ids, strict=True)]
    return Z


# ---------------------------------------------------------------------------------------- Lemma 6


def soft_head(ids, query, threshold, beta):
    """sum_k id_k e^{beta (query - threshold) id_k} / sum_k e^{...}, ids in units of delta, in Decimal."""
    scores = [beta * (query - threshold) * s for s in ids]
    weights = [(score - max(scores)).exp() for score in scores]
    return sum(w * s for w, s in zip(weights, ids, strict=True)) / sum(weights)


def soft_sweep(ids, levels, D, beta):
    """For each level: it, the ids with hardmax before and after, those with softmax, and what its two heads give."""
    hard, soft = list(ids), [Decimal(s) for s in ids]
    for level in levels:
        lifted = [s + D * (max(hard) - min(hard)) if s == level else s for s in hard]
        heads = [[soft_head(soft, s, level + Decimal(side) / 2, beta) for side in (-1, 1)] for s in soft]
        moved = [s + D * (below - above) for s, (below, above) in zip(soft, heads, strict=True)]
        yield level, (hard, lifted), (soft, moved), heads
        hard, soft = lifted, moved


# ---------------------------------------------------------------------------------------- Proposition 5


def network_value(f, rows, N, positional=False):
    """f at the centre of the cell of X, where no two columns share a cell; else, and outside the box, 0."""
    rows = [[Fraction(t) for t in row] for row in rows]
    n = len(rows[0])
    cells = [[int(t * N // 1) for t in row] for row in rows]
    inside = all(0 <= t < 1 for row in rows for t in row)
    columns = list(zip(*cells, strict=True))
    if not inside or (len(set(columns)) < n and not positional):
        return [[Fraction(0)] * n for _ in rows]
    return f(array([[Fraction(2 * k + 1, 2 * N) for k in row] for row in cells])).tolist()
