"""The network of Theorem 1, against the statement in loops."""

import dataclasses
import itertools
from fractions import Fraction

import numpy as np
import pytest

from uatlib.arithmetic import BALL, EXACT, FLOAT64, distances
from uatlib.cheng2025 import build, certify, connectivity_depth, kernel, pattern
from uatlib.cheng2025.certify_network import network_checks
from uatlib.cheng2025.grid_layers import Nodes, memory, staircase
from uatlib.cheng2025.grid_sequences import grid_sequences, symmetry_of, token_count
from uatlib.cheng2025.network import Unresolved, terms
from uatlib.groups import elements
from uatlib.model import Transformer
from uatlib.sizes import ConstructionTooLarge
from uatlib.targets import Target, bump, cyclic_difference, mean_product, running_mean

RING = {
    n: {"cyclic": pattern("directed", n, window=1), "dihedral": pattern("circulant", n, window=1)} for n in (3, 4, 5)
}


def neighbours(n, d=1):
    """x_k times the mean of its neighbours on a ring."""
    return Target(_neighbours, n, d, group="dihedral", lipschitz=2, bound=1, name="neighbours")


def _neighbours(X):
    n = X.shape[-1]
    return X * (X[..., [*range(1, n), 0]] + X[..., [n - 1, *range(n - 1)]]) / 2


def by_the_first(n):
    """x_k times x_0."""
    return Target(lambda X: X * X[..., :1], n, 1, group=[(0, *range(n)[:0:-1])], lipschitz=2, bound=1)


FOOLED = [{0, 1, 2}, {0, 2}, {0, 1}]
"""Connected in one layer, where token 2 hears alike what tokens 0 and 1 are."""


def layers(n, group, more=1):
    return [RING[n][group]] * (connectivity_depth([RING[n][group]] * n) + more)


# ------------------------------------------------------------------------------------------------ sequences of the grid


@pytest.mark.parametrize(
    ("patterns", "group"),
    [
        ([pattern("full", 3)], "symmetric"),
        ([RING[4]["cyclic"]], "cyclic"),
        ([RING[5]["dihedral"]], "dihedral"),
        ([pattern("sliding_window", 4, window=1)], [(3, 2, 1, 0)]),
        ([[{0, 1}, {1, 2}, {2}]], "trivial"),
    ],
)
@pytest.mark.parametrize("size", [2, 4])
def test_one_sequence_of_each_orbit_by_loops(patterns, group, size):
    n = len(patterns[0])
    symmetry = symmetry_of(patterns, n)
    own = elements(group, n)
    assert symmetry.order == len(own)
    found = grid_sequences(size, symmetry, repeats=True)
    orbits = {}
    for row in itertools.product(range(size), repeat=n):
        orbits.setdefault(min(tuple(row[i] for i in p) for p in own), []).append(row)
    kept = [tuple(row) for row in found.rows.tolist()]
    assert sorted(min(tuple(row[i] for i in p) for p in own) for row in kept) == sorted(orbits)
    for row, counted in zip(kept, found.counted.tolist(), strict=True):
        keeps = [p for p in own if tuple(row[i] for i in p) == row]
        assert counted == [all(p[j] >= j for p in keeps) for j in range(n)]
    general = grid_sequences(size, symmetry, repeats=False)
    assert (general.wanted.all(axis=1) == [len(set(row)) == n for row in kept]).all()
    assert token_count(size, symmetry, repeats=False) == general.wanted.sum()
    assert token_count(size, symmetry, repeats=True) == found.wanted.sum() == found.counted.sum()


# --------------------------------------------------------------------------------------------------------------- layers


@pytest.mark.parametrize("first", [Fraction(0), Fraction(1, 6)])
def test_the_staircase_is_36_on_every_entry(first):
    N, ramp = 3, Fraction(1, 5)
    delta = Fraction(1, N)
    layer = Transformer([staircase(N, 2, ramp, first)])
    points = [Fraction(k, 60) for k in range(-30, 91)]

    def by_hand(x):
        i = min(max(x // delta, 0), N - 1)
        into = x - i * delta - (1 - ramp) * delta
        return first + i * delta + (into / ramp if i < N - 1 and into > 0 else 0)

    X = np.array([points, points[::-1]], dtype=object)
    want = [[by_hand(x) for x in row] for row in X.tolist()]
    assert layer(X, EXACT).tolist() == want
    assert layer.layers[0].w_1.shape == (2 * 2 * N, 2)


def test_the_memory_is_a_sum_of_bumps():
    fractions = [[Fraction(t) for t in row] for row in ([-1, 0, 2], [1, Fraction(1, 4), 1], [Fraction(1, 4), 1, 2])]
    heights = np.array([[3, 1], [-2, 5], [Fraction(1, 2), 0]], dtype=object)
    u = [Fraction(1, 2), Fraction(2)]
    layer = Transformer([memory(Nodes(*(np.array(row, dtype=object) for row in fractions), heights), u)])

    def by_hand(t, k):
        total = Fraction(0)
        for c, left, right, y in zip(*fractions, heights[:, k], strict=True):
            width = left if t < c else right
            total += y * min(Fraction(1), max(Fraction(0), 2 - abs(t - c) / width))
        return total

    X = np.array(
        [[Fraction(k, 7), Fraction(j, 5)] for k in range(-20, 40, 3) for j in range(-9, 15, 2)], dtype=object
    ).T
    want = [[by_hand(u[0] * a + u[1] * b, k) for a, b in X.T] for k in (0, 1)]
    assert layer(X, EXACT).tolist() == want


# -------------------------------------------------------------------------------------------------------------- network

OMEGA = [[Fraction(1)], [Fraction(-1, 2)], [Fraction(3, 4)]]
CASES = {
    "exp": (mean_product(3), {"inverse_delta": 4}),
    "rbf": (bump(2), {"inverse_delta": 5, "kernel": kernel("rbf", gamma=2)}),
    "performer": (mean_product(3), {"inverse_delta": 3, "kernel": kernel("performer", omega=OMEGA)}),
    "exp_sum": (mean_product(2), {"inverse_delta": 4, "kernel": kernel("exp_sum", w=[1])}),
    "constant, n = 2": (mean_product(2), {"inverse_delta": 3, "kernel": kernel("constant")}),
    "d = 2": (mean_product(2, 2), {"inverse_delta": 3, "seed": 3}),
    "d = 2, rbf, keep": (mean_product(2, 2), {"inverse_delta": 2, "kernel": kernel("rbf"), "duplicates": "keep"}),
    "keep": (mean_product(3), {"inverse_delta": 3, "duplicates": "keep"}),
    "two layers": (mean_product(3), {"inverse_delta": 3, "patterns": [pattern("full", 3)] * 2}),
    "dihedral": (neighbours(4), {"inverse_delta": 4, "patterns": layers(4, "dihedral")}),
    "dihedral, n = 5, keep": (
        neighbours(5),
        {"inverse_delta": 2, "patterns": layers(5, "dihedral"), "duplicates": "keep"},
    ),
    "cyclic": (cyclic_difference(3), {"inverse_delta": 3, "patterns": layers(3, "cyclic")}),
    "cyclic, d = 2": (cyclic_difference(3, 2), {"inverse_delta": 2, "patterns": layers(3, "cyclic")}),
    "printed, n = 2": (mean_product(2), {"inverse_delta": 4, "variant": "printed"}),
}


def network_value(f, X, N, drop=True, corners=False):
    """f at the level of the cell of each entry, 0 for a cell with a token twice: the claim, by loops."""
    cells = [[min(max(x * N // 1, 0), N - 1) for x in row] for row in X]
    first = Fraction(0) if corners else Fraction(1, 2 * N)
    levels = np.array([[Fraction(k, N) + first for k in row] for row in cells], dtype=object)
    columns = list(zip(*cells, strict=True))
    return f.function(levels) * (0 if drop and len(set(columns)) < len(columns) else 1)


def flat_points(f, g, count, seed=0):
    """Random points off the ramps, some at the edges of flat parts, the first half with different cells if may be."""
    rng = np.random.default_rng(seed)
    N, found = g.grid.inverse_delta, []
    while len(found) < count:
        cells = rng.integers(0, N, (f.d, f.n))
        if len(found) < count // 2 and N**f.d >= f.n and len({tuple(c) for c in cells.T}) < f.n:
            continue
        part = rng.choice(np.array([Fraction(0), Fraction(1), Fraction(1, 3)], dtype=object), (f.d, f.n))
        found.append((cells + part * (1 - g.ramp)) * Fraction(1, N))
    return np.array(found, dtype=object)


@pytest.mark.parametrize("name", CASES)
def test_layers_and_bulk_are_the_values_of_the_cells(name):
    f, options = CASES[name]
    g = build(f, **options)
    N = g.grid.inverse_delta
    X = flat_points(f, g, 8)
    drop, corners = g.shortcut.duplicates == "drop", g.variant == "printed"
    want = np.array([network_value(f, x, N, drop, corners) for x in X])
    assert np.count_nonzero(want)
    assert (g.shortcut(X) == want).all()
    assert distances(g(X, BALL.with_bits(g.bits)), want).max() < Fraction(1, 2**60)
    assert g.system == "float64"
    inside = np.where(X * N % 1 == 0, X + Fraction(1, 10**9), X).astype(float)
    assert np.abs(g(inside, FLOAT64).numpy() - want.astype(float)).max() < 1e-9


@pytest.mark.parametrize("name", ["d = 2, rbf, keep", "dihedral", "printed, n = 2"])
def test_what_it_claims_holds(name):
    f, options = CASES[name]
    g = build(f, **options)
    certificate = certify(g, literal=6, samples=2000)
    assert certificate.holds, str(certificate)
    drawn = np.random.default_rng(0).uniform(size=(4000, f.d, f.n))
    squares = ((g(drawn, FLOAT64).numpy() - f(drawn)) ** 2).sum(axis=(-2, -1))
    assert (squares.mean() + 3 * squares.std() / 4000**0.5) ** 0.5 <= g.claim.error
    assert {term.source for term in g.claim.terms} == {"(34)", "(41)", "(38)"} | (
        {"(39)"} if "keep" not in name else set()
    )


def test_outside_the_box_it_goes_on_as_at_the_border():
    g = build(mean_product(2), inverse_delta=3)
    X = np.array([[[Fraction(-7), Fraction(1, 2)]], [[Fraction(1, 9), Fraction(10**6)]]], dtype=object)
    want = g.shortcut(np.array([[[Fraction(0), Fraction(1, 2)]], [[Fraction(1, 9), Fraction(1)]]], dtype=object))
    assert (g.shortcut(X) == want).all()
    assert distances(g(X, BALL.with_bits(256)), want).max() < Fraction(1, 2**60)


@pytest.mark.parametrize("p", [1, 2, 5])
def test_an_error_takes_the_coarsest_grid_and_ramps_that_fit(p):
    f = bump(2)
    g = build(f, error=2.5, p=p, duplicates="keep")
    N = g.grid.inverse_delta
    assert g.claim.error <= 2.5
    room = 2.5 * (1 - 1 / 16)
    assert sum(term.bound for term in terms(f, N, p, "keep")) <= room
    assert N == 2 or sum(term.bound for term in terms(f, N - 1, p, "keep")) > room
    # 2 |f|_p on the share of the volume where some entry is in a ramp.
    flat = (1 - float(g.ramp) * (N - 1) / N) ** 2
    assert g.claim["ramps"].bound == pytest.approx(2 * 2 ** (1 / p) * (1 - flat) ** (1 / p), rel=1e-6)


def test_the_ramps_are_wide_where_nothing_else_costs():
    one = Target(lambda X: X * 0 + 1, 2, 1, group="symmetric", lipschitz=0, bound=1, name="one")
    g = build(one, inverse_delta=2, duplicates="keep")
    assert g.claim.error == pytest.approx(g.claim["ramps"].bound, rel=1e-6)
    assert 1 / 64 < g.claim.error <= 1 / 16
    with pytest.raises(ConstructionTooLarge, match=r"ramps of 2.-1000 cells are still too wide in d_1000"):
        build(mean_product(2), inverse_delta=2, p=1000)


def test_repeated_tokens_cost_delta_to_the_d_over_p():
    """The exponent of (39): for the constant 1 the term is attained, and N^(d/p) times it is nearly constant."""
    one = Target(lambda X: X * 0 + 1, 2, 1, group="symmetric", lipschitz=0, bound=1, name="one")
    for p in (1, 2, 3):
        measured = [certify(build(one, inverse_delta=N, p=p), literal=2, samples=2)[f"d_{p}(f-bar"] for N in (2, 8)]
        for check, N in zip(measured, (2, 8), strict=True):
            assert check.measured == pytest.approx((2 / N) ** (1 / p), rel=1e-6)
            assert check.holds


# -------------------------------------------------------------------------------------------------------------- refused


def test_corners_have_a_zero_token_and_are_not_told_apart():
    with pytest.raises(
        Unresolved, match=r"the separation [\d.e-]+ of 30 tokens .* between token 0 of \[\['0', "
    ) as refused:
        build(mean_product(3), inverse_delta=5, variant="printed")
    assert refused.value.separation < 1e-15
    sums = {sum(Fraction(t) for t in text.split("'")[1::2]) for text in refused.value.pair.split(" and ")}
    assert len(sums) == 1
    assert build(mean_product(3), inverse_delta=5).separation > 1e-6


def test_a_kernel_that_hears_the_mean_alone_is_refused():
    with pytest.raises(Unresolved, match="take another seed, kernel or patterns, or a coarser grid"):
        build(mean_product(3), inverse_delta=4, kernel=kernel("constant"))


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        (
            mean_product(3),
            {"patterns": [pattern("causal", 3)]},
            "enough layers to connect all tokens, got 1",
        ),
        (
            mean_product(4),
            {"patterns": [pattern("circulant", 4, window=0)] * 3},
            "enough layers to connect all tokens, got 3",
        ),
        (
            by_the_first(3),
            {"patterns": [FOOLED]},
            "where token 2 of X hears what token 2 of Y hears, .* s = .1, 0, 2",
        ),
        (running_mean(3), {}, r"violated at X = .*common automorphisms"),
        (cyclic_difference(4), {"patterns": layers(4, "dihedral")}, r"violated at X = .*common automorphisms"),
        (mean_product(3), {"patterns": [pattern("full", 4)]}, "patterns of 3 tokens"),
        (mean_product(3), {"patterns": []}, "a list of patterns"),
        (mean_product(3), {"ramp": Fraction(2, 3)}, "ramp: expected a number > 0 and <= 1/2"),
        (
            mean_product(3),
            {"ramp": Fraction(1, 2), "inverse_delta": None, "error": 2},
            "ramp: expected ramps that add at",
        ),
        (mean_product(3), {"inverse_delta": 2}, "every sequence of 3 out of 2 tokens repeats one"),
        (dataclasses.replace(mean_product(3), bound=None), {"duplicates": "keep"}, "its bound is not known"),
    ],
)
def test_what_is_off_is_refused(target, options, words):
    with pytest.raises(ValueError, match=words):
        build(target, **{"inverse_delta": 4, **options})


@pytest.mark.parametrize("patterns", [None, layers(3, "cyclic")], ids=["symmetric", "cyclic"])
def test_networks_of_too_many_tokens_are_refused(patterns):
    with pytest.raises(ConstructionTooLarge, match="tokens to tell apart; the limits are 32,768"):
        build(mean_product(3), inverse_delta=45, patterns=patterns)


# ------------------------------------------------------------------------------------------------------------ certified


@pytest.fixture(scope="module")
def built():
    return build(mean_product(2), inverse_delta=4)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"kernel": kernel("rbf")}, "layers that are neither attention of this kernel"),
        ({"group": "C_2"}, "groups of the patterns (18) other than C_2"),
        ({"separation": 1.0}, "least distance of two ids"),
    ],
)
def test_other_choices_than_those_of_the_network_are_seen(built, chosen, words):
    other = dataclasses.replace(built, **chosen)
    assert any(check.name.startswith(words) for check in network_checks(other, literal=2) if not check.holds)


def test_a_network_that_floats_do_not_resolve_says_so_and_is_enclosed():
    """Ramps of 2^-60 cells: floats do not see them."""
    g = build(mean_product(2), inverse_delta=2, ramp=Fraction(1, 2**60))
    assert g.system == "ball"
    certificate = certify(g, literal=4, samples=2)
    assert certificate.holds, str(certificate)
    assert not any("layers in float64" in check.name for check in certificate.checks)


def test_many_tokens_are_resolved():
    """Ids are like random numbers: the least distance of M of them is about their spread over M^2."""
    g = build(mean_product(2), inverse_delta=32, duplicates="keep")
    M = g.tokens
    assert M == 32**2
    assert 1e-2 / M**2 < g.separation < 1e2 / M**2
    X = flat_points(mean_product(2), g, 200)
    inside = np.where(X * 32 % 1 == 0, X + Fraction(1, 10**9), X).astype(float)
    off = np.abs(g(inside, FLOAT64).numpy() - g.shortcut(X).astype(float))
    assert off.max() < 1e-8
