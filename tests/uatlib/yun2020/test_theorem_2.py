"""The network with ReLUs, and softmax: near Proposition 5 off the bands, bounded inside, 0 outside the box."""

import dataclasses
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from uatlib import yun2020
from uatlib.arithmetic import BALL, EXACT, FLOAT64
from uatlib.grids import Grid
from uatlib.layers import RELU, Attention, FeedForward
from uatlib.model import Transformer
from uatlib.targets import Target, bump, cyclic_difference, mean_product, running_mean
from uatlib.yun2020 import softmax_and_relu
from uatlib.yun2020.ids import column_ids
from uatlib.yun2020.network import SHARE

from ..oracles import case_name
from .oracles import array, network_value

CASES = [(mean_product, 2, 2, 1), (mean_product, 3, 3, 1), (bump, 5, 2, 1), (mean_product, 2, 2, 2), (bump, 2, 3, 2)]
CASES += [(mean_product, 2, 3, 1)]
ENCODED = [(running_mean, 2, 2, 1), (cyclic_difference, 3, 2, 1), (running_mean, 2, 2, 2), (running_mean, 2, 3, 1)]
WIDE = Fraction(1, 40)


def off_bands(N, n, d, side, width, inside=False, count=60):
    """Points of random cells: at both ends of what the bands leave, between them, and entries outside the box."""
    rng = np.random.default_rng(1)
    low = width if side == "above" else 0
    shifts = [
        Fraction(low),
        low + Fraction(1, 3) * (Fraction(1, N) - width),
        low + Fraction(1, N) - width - WIDE / 10**9,
    ]
    outside = [Fraction(3, 2), -1, 10**30, -(10**30), Fraction(-1, 19), 1 + WIDE]
    X = []
    for k in range(count):
        x = [Fraction(int(c), N) + shifts[rng.integers(3)] for c in rng.integers(0, N, d * n)]
        if not inside and k % 3 == 0:
            x[rng.integers(d * n)] = outside[k // 3 % 6]
        X.append(x)
    return array(X).reshape(-1, d, n)


def in_bands(N, n, d, side, width, count=24, beyond=False):
    """Points with one or two entries in bands of the quantizer; `beyond`, in those outside the box."""
    rng = np.random.default_rng(2)
    X = []
    for _ in range(count):
        x = [Fraction(int(c), 10**4) for c in rng.integers(0, 10**4, d * n)]
        for place in rng.integers(d * n, size=2):
            k = int(rng.integers(0, N + 1)) if not beyond else (0 if side == "below" else N)
            start = Fraction(k, N) - (width if side == "below" else 0)
            x[place] = start + width * Fraction(int(rng.integers(0, 1000)), 1000)
        X.append(x)
    return array(X).reshape(-1, d, n)


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize(("make", "N", "n", "d"), [*CASES, *ENCODED[:3]], ids=case_name)
def test_off_the_bands_it_is_the_network_of_proposition_5_or_theorem_3(make, N, n, d, side, variant):
    f, positional = make(n, d), make in (running_mean, cyclic_difference)
    for width in (None, WIDE):
        options = {"positional": positional, "bands": side, "variant": variant, "width": width}
        g = yun2020.build(f, inverse_delta=N, stage="relu", **options)
        assert all(layer.activation == RELU for layer in g.model.layers if isinstance(layer, FeedForward))
        X = off_bands(N, n, d, side, g.width, inside=positional)
        want = array([network_value(f, rows, N, positional=positional) for rows in X.tolist()])
        assert (g(X, EXACT) == want).all()
        assert (g.shortcut(X) == want).all()


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize(("make", "N", "n", "d"), CASES, ids=case_name)
def test_the_proven_bounds_hold_in_the_bands(make, N, n, d, side, variant):
    """Ids before the value layers, entries of the output, and (repaired) entries >= 0."""
    g = yun2020.build(make(n, d), inverse_delta=N, stage="relu", bands=side, variant=variant)
    table, grid = g.shortcut.value_map.table, Grid(N, n, d)
    largest = softmax_and_relu.largest_in_bands(grid, positional=False, repaired=variant == "repaired")
    first = d * (N + 1) + N**d + 1
    X = np.concatenate([in_bands(N, n, d, side, g.width, beyond=b) for b in (False, True)])
    Z = Transformer(g.model.layers[:first])(X, EXACT)
    assert abs(column_ids(Z, inverse_delta=N) * N).max() <= largest
    if variant == "repaired":
        assert Z.min() >= 0
    output = g(X, EXACT)
    assert abs(output).max() <= softmax_and_relu.largest_output(table, largest)
    assert abs(output - g.shortcut(X)).max() <= softmax_and_relu.largest_gap(table)
    certificate = yun2020.certify(g)
    assert certificate.holds, str(certificate)
    assert certificate["hidden"].measured == 4
    # Bands matter: not all of it is the hardmax network.
    assert (output != g.shortcut(X)).any() or n > N**d


@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 2, 1), (3, 3, 1), (2, 2, 2)])
def test_as_repaired_it_is_0_outside_the_box_and_its_bands(N, n, d, side):
    one = Target(lambda X: X * 0 + 1, n, d, group="symmetric", lipschitz=0, bound=1, name="one")
    g = yun2020.build(one, inverse_delta=N, stage="relu", bands=side, width=WIDE)
    X = in_bands(N, n, d, side, WIDE, 60)
    rng = np.random.default_rng(0)
    for k, x in enumerate(X):
        x[rng.integers(d), rng.integers(n)] = [Fraction(3, 2), -1, 10**30, 1 + WIDE, -WIDE - Fraction(1, 10**9)][k % 5]
    assert (g(X, EXACT) == 0).all()


def test_the_bound_on_outputs_adds_up_the_layers():
    """The entries before the value layers, then |W_2| of each layer with a step, and of the last."""
    rows = Target(lambda X: X * [[1], [3]], 2, 2, group="symmetric", lipschitz=3, bound=3, name="rows of two sizes")
    for variant in ("repaired", "printed"):
        g = yun2020.build(rows, inverse_delta=2, variant=variant)
        table = g.shortcut.value_map.table
        layers = list(table.model().layers)[1 + 2 :]
        steps = sum(max(abs(entry) for entry in layer.w_2.flat) for layer in layers)
        below = 0 if variant == "repaired" else 2**4 * 3
        assert softmax_and_relu.largest_output(table, 1000) == 500 + steps + below


def share_by_counting(N, width, entries, positional):
    """Inclusion and exclusion over one entry: the length of bands and of what is left, then products."""
    free = sum(Fraction(1, N) - width for _ in range(N))
    whole = 1 if positional else 1 + width
    return sum(
        math.prod((free if is_free else whole - free) for is_free in choice)
        for choice in product([True, False], repeat=entries)
        if not all(choice)
    )


@pytest.mark.parametrize("positional", [False, True])
def test_the_share_in_bands(positional):
    for N, n, d, width in ((2, 2, 1, Fraction(1, 8)), (5, 3, 1, Fraction(1, 100)), (3, 2, 2, Fraction(1, 13))):
        got = softmax_and_relu.share_in_bands(Grid(N, n, d), width, positional=positional)
        assert got == share_by_counting(N, width, n * d, positional)


@pytest.mark.parametrize("p", [1, 2, 3.7])
def test_the_width_keeps_its_term(p):
    for N, n, d, gap, term in ((2, 2, 1, 7, 0.1), (30, 5, 2, 10**400, 1e-3), (3, 2, 1, Fraction(1, 3), 50)):
        grid = Grid(N, n, d)
        width = softmax_and_relu.band_width(grid, p, Fraction(gap), term)
        assert 0 < width <= grid.delta / 4
        bound = softmax_and_relu.band_term(grid, width, p, Fraction(gap), positional=False)
        assert bound <= term
        q = math.ceil(p)
        if p == q:  # an exact comparison
            exact = softmax_and_relu.share_in_bands(grid, width, positional=False) * n * d * Fraction(gap) ** q
            assert exact <= Fraction(bound) ** q <= exact * (1 + Fraction(1, 10**6))


def test_targets_that_are_0_get_bands_all_the_same():
    zero = Target(lambda X: X * 0, 2, 1, group="symmetric", lipschitz=0, bound=0, name="zero")
    assert 0 < yun2020.build(zero, inverse_delta=2, stage="relu").claim.error <= SHARE


def test_certificates_see_damage_and_bounds_that_are_too_small():
    g = yun2020.build(mean_product(2), inverse_delta=3, stage="relu")
    layers = list(g.model.layers)
    for k in (1, 3, 8, 13, 16):
        layer = layers[k]
        half = FeedForward(layer.w_1, layer.b_1, layer.w_2 / Fraction(2), layer.b_2)
        damaged = dataclasses.replace(g, model=Transformer([*layers[:k], half, *layers[k + 1 :]], n=2))
        assert not yun2020.certify(damaged)["literal"].holds
    small = dataclasses.replace(g.claim, terms=[*g.claim.terms[:2], dataclasses.replace(g.claim.terms[2], bound=1e-9)])
    assert [c.name[:9] for c in yun2020.certify(dataclasses.replace(g, claim=small)).failures] == ["d_2(g-bar"]
    wide = yun2020.build(mean_product(2), inverse_delta=3, stage="relu", width=Fraction(1, 12))
    assert yun2020.certify(wide)["literal"].holds
    for wrong in ({"bands": "above"}, {"width": Fraction(1, 24)}):
        other = dataclasses.replace(wide, **wrong)
        assert not yun2020.certify(other)["literal"].holds


def test_outputs_in_the_band_of_a_window_are_refused_as_printed():
    """u^T A = 13 - 5/16 is 3/8 below the window of the id 13 in real units 1/2: in [13 - 3/8, 13 - 1/4) at N = 2."""
    low = Fraction(13) - Fraction(5, 16)
    f = Target(lambda X: X * 0 + low, 2, 1, group="symmetric", lipschitz=0, bound=13, name="near")
    assert yun2020.build(f, inverse_delta=2, variant="printed")
    with pytest.raises(ValueError, match=r"no later value layer sees in its band, got a column with u\^T A = 203/16"):
        yun2020.build(f, inverse_delta=2, variant="printed", stage="relu")
    g = yun2020.build(f, inverse_delta=2, stage="relu")
    assert set(g([[Fraction(1, 8), Fraction(5, 8)]], EXACT).flat) == {low}


# ---------------------------------------------------------------------------------------------------------- softmax


def enclosed(g, X):
    # 10^30 has 100 bits before the point.
    return g(X, BALL.with_bits(g.bits + 128))


def farthest(balls, values):
    return np.frompyfunc(lambda ball, value: max(ball.upper - value, value - ball.lower), 2, 1)(balls, values)


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize("width", [None, WIDE], ids=str)
@pytest.mark.parametrize(("make", "N", "n", "d"), [*CASES[:2], CASES[3], CASES[5], *ENCODED], ids=case_name)
def test_with_softmax_the_first_row_is_right_to_the_tolerance(make, N, n, d, side, width, variant):
    """In the box and outside: as printed, with the sentinel -N^{nd}, the same scale serves."""
    f, positional = make(n, d), make in (running_mean, cyclic_difference)
    options = {"positional": positional, "variant": variant, "bands": side, "width": width}
    g = yun2020.build(f, inverse_delta=N, stage="softmax", **options)
    X = off_bands(N, n, d, side, g.width, inside=positional, count=18)
    gaps = farthest(enclosed(g, X), array([network_value(f, rows, N, positional=positional) for rows in X.tolist()]))
    assert gaps[:, 0].max() <= g.tolerance / N
    # Elsewhere, outside the box and where columns repeat, there is no error but that of enclosing.
    assert gaps[:, 1:].max(initial=0) <= Fraction(1, 10**9)
    if not positional:
        zero = [not any(any(row) for row in network_value(lambda C: C, rows, N)) for rows in X.tolist()]
        assert any(zero)
        assert gaps[zero].max() <= Fraction(1, 10**9)


@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 3, 1), (2, 2, 2)])
def test_with_softmax_it_is_0_outside_the_box_and_its_bands_and_bounded_inside(N, n, d, side):
    g = yun2020.build(mean_product(n, d), inverse_delta=N, stage="softmax", bands=side, width=WIDE)
    table, drift = g.shortcut.value_map.table, softmax_and_relu.softmax_drift(Grid(N, n, d))
    X = np.concatenate([in_bands(N, n, d, side, WIDE, beyond=beyond) for beyond in (False, True)])
    Z = Transformer(g.model.layers[: d * (N + 1) + N**d + 1])(X, BALL.with_bits(g.bits))
    ids = sum(N**i * np.frompyfunc(lambda ball: ball.upper, 1, 1)(Z[:, i]) for i in range(d)) * N
    largest = softmax_and_relu.largest_in_bands(Grid(N, n, d), positional=False, repaired=True, drift=drift)
    assert ids.max() <= largest
    assert min(ball.upper for ball in Z.flat) >= 0
    assert farthest(enclosed(g, X), g.shortcut(X)).max() <= softmax_and_relu.largest_gap(table, drift)
    rng = np.random.default_rng(0)
    for k, x in enumerate(X):
        x[rng.integers(d), rng.integers(n)] = [Fraction(3, 2), -1, 10**30, 1 + WIDE, -WIDE - Fraction(1, 10**9)][k % 5]
    assert farthest(enclosed(g, X), X * 0).max() <= Fraction(1, 10**9)


@pytest.mark.parametrize("p", [1, 2, 3.7])
def test_the_tolerance_keeps_its_term(p):
    for N, n, term in ((2, 2, 0.01), (7, 5, 1e-9), (3, 2, 50)):
        grid = Grid(N, n, 1)
        tolerance = softmax_and_relu.softmax_tolerance(grid, p, term)
        assert 0 < tolerance <= Fraction(1, 4)
        assert n ** (1 / p) * float(tolerance) / N <= softmax_and_relu.softmax_term(grid, p, tolerance) <= term


def colder(g, share):
    """The construction with scores times `share`."""
    layers = [layer.with_softmax(share) if isinstance(layer, Attention) else layer for layer in g.model.layers]
    return dataclasses.replace(g, model=Transformer(layers))


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize(("make", "N", "n", "d"), [*CASES[:2], CASES[3], CASES[5]], ids=case_name)
def test_certificates_with_softmax_hold(make, N, n, d, variant):
    g = yun2020.build(make(n, d), inverse_delta=N, stage="softmax", variant=variant, bands="above")
    certificate = yun2020.certify(g)
    assert certificate.holds, str(certificate)
    assert g.claim.domain == (0, 1)
    assert [t.name for t in g.claim.terms[2:]] == ["ReLU bands", "softmax"]
    parts = [certificate[f"d_2(g-bar, g) {where}"].measured for where in ("from", "off")]
    hard = yun2020.certify(yun2020.build(make(n, d), inverse_delta=N))["d_2(f, g)"].measured
    assert certificate["d_2(f, g)"].measured == pytest.approx(hard + sum(parts), rel=1e-12)
    assert parts[1] > 0 or n > N**d
    grid = Grid(N, n, d)
    gap = softmax_and_relu.largest_gap(g.shortcut.value_map.table, softmax_and_relu.softmax_drift(grid))
    assert g.claim["bands"].bound == softmax_and_relu.band_term(grid, g.width, 2, gap, positional=False)
    assert sum(t.bound for t in g.claim.terms[2:]) <= SHARE * sum(t.bound for t in g.claim.terms[:2])
    failures = yun2020.certify(colder(g, Fraction(1, 4))).failures
    assert {c.name[:10] for c in failures} >= {"literal la"} or n > N**d


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize("positional", [False, True])
def test_error_chooses_grid_bands_and_scores(positional, variant):
    g = yun2020.build(mean_product(2), error=0.9, stage="softmax", positional=positional, variant=variant)
    assert g.claim.error <= 0.9
    assert (g.claim.heads, g.claim.head_size, g.claim.hidden) == (2, 1, 4)
    assert g.claim.domain == (0, 1)
    assert g.scale == yun2020.softmax_scale(g.grid.inverse_delta, 2, 1, g.tolerance, positional=positional)
    assert yun2020.certify(g).holds


def test_with_wide_bands_it_runs_in_floats():
    g = yun2020.build(mean_product(2), inverse_delta=2, stage="softmax", width=Fraction(1, 64))
    X = np.array([[[0.1, 0.6]], [[0.7, 0.3]], [[0.2, 0.3]], [[0.2, 5.0]]])
    gaps = np.abs(g(X, FLOAT64).numpy() - g.shortcut(X))
    assert gaps.max() <= float(g.tolerance) / 2
    assert g.shortcut(X).any()


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 3, 1), (2, 2, 2)])
@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize("options", [{"positional": True}, {"variant": "printed"}], ids=str)
def test_with_softmax_the_bounds_hold_in_the_bands_of_the_box(options, side, N, n, d):
    """Ids before the value layers, and what the bands do to the output."""
    positional = "positional" in options
    f = (running_mean if positional else mean_product)(n, d)
    g = yun2020.build(f, inverse_delta=N, stage="softmax", bands=side, width=WIDE, **options)
    grid = Grid(N, n, d)
    drift = softmax_and_relu.softmax_drift(grid, positional=positional)
    X = np.frompyfunc(lambda t: min(max(t, Fraction(0)), 1 - Fraction(1, 10**9)), 1, 1)(in_bands(N, n, d, side, WIDE))
    E = g.encodings if positional else 0
    attention = [k for k, layer in enumerate(g.model.layers) if isinstance(layer, Attention)]
    Z = Transformer(g.model.layers[: attention[-1] + 1])(X + E, BALL.with_bits(g.bits))
    ids = sum(N**i * np.frompyfunc(lambda ball: max(ball.upper, -ball.lower), 1, 1)(Z[:, i]) for i in range(d)) * N
    assert ids.max() <= softmax_and_relu.largest_in_bands(grid, positional=positional, repaired=positional, drift=drift)
    gaps = farthest(enclosed(g, X), g.shortcut(X))
    assert gaps.max() <= softmax_and_relu.largest_gap(g.shortcut.value_map.table, drift)
    # Bands matter: not all of it is near the hardmax network.
    assert gaps.max() > g.tolerance / N


@pytest.mark.parametrize("positional", [False, True])
def test_the_drift_bounds_all_selective_shifts_that_are_not_meant_for_an_id(positional):
    """D (psi(b) - psi(b')) of an id a whole unit away or more, with the smallest scale that is proved, added up."""
    rng = np.random.default_rng(0)
    for N, n, d in [(2, 2, 1), (3, 3, 1), (2, 2, 3)]:
        grid, D = Grid(N, n, d), N**d
        beta = yun2020.softmax_scale(N, n, d, positional=positional) / N**2
        shifts = n * D if positional else D
        for far in (1, 3, 30, D, 10 * D):
            values = rng.uniform(0, far, (200, n))
            values[:, 1] = values[:, 0] + rng.uniform(0, 4 / beta, 200)
            moves = []
            for row in values.tolist():
                for level in (row[0] - 1, row[0] + 1):
                    heads = []
                    for b in (level - 0.5, level + 0.5):
                        scores = [beta * (row[0] - b) * s for s in row]
                        weights = [math.exp(t - max(scores)) for t in scores]
                        heads.append(sum(w * s for w, s in zip(weights, row, strict=True)) / sum(weights))
                    moves.append(D * (heads[0] - heads[1]))
            assert min(moves) > -1e-9
            assert max(moves) < D * n / beta
        gap = sum(N**i for i in range(d)) if positional else 1
        assert n / beta < n * gap
        assert softmax_and_relu.softmax_drift(grid, positional=positional) == shifts * D * n * gap


@pytest.mark.parametrize(("make", "N", "n", "d"), ENCODED[:3], ids=case_name)
def test_certificates_with_softmax_and_positions_hold(make, N, n, d):
    g = yun2020.build(make(n, d), inverse_delta=N, stage="softmax", positional=True)
    certificate = yun2020.certify(g)
    assert certificate.holds, str(certificate)
    assert certificate["softmax attention"].measured == n * N**d + 1
    assert [t.name for t in g.claim.terms] == ["step approximation", "ReLU bands", "softmax"]
    assert sum(t.bound for t in g.claim.terms[1:]) <= SHARE * g.claim.terms[0].bound
    assert g.scale == yun2020.softmax_scale(N, n, d, g.tolerance, positional=True)
    failures = yun2020.certify(colder(g, Fraction(1, 3))).failures
    assert {c.name[:10] for c in failures} >= {"literal la", "d_2(g-bar,"}
    for k, layer in enumerate(g.model.layers):
        if isinstance(layer, Attention) and k % (3 * n) == 0:
            # Half of what one layer writes.
            half = layer.with_weights({name: w / 2 if "w_o" in name else w for name, w in layer.weights().items()})
            layers = [*g.model.layers[:k], half, *g.model.layers[k + 1 :]]
            damaged = dataclasses.replace(g, model=Transformer(layers, n=n))
            assert not yun2020.certify(damaged)["literal"].holds


def test_as_printed_outputs_must_keep_clear_of_windows_by_the_tolerance():
    """At N = 2 the ids are 26 and 27; the windows are [25.5, 26.5) and [26.5, 27.5), their bands a quarter below."""

    def build(A, stage):
        f = Target(lambda X: X * 0 + A / 2, 2, 1, group="symmetric", lipschitz=0, bound=20, name="near")
        return yun2020.build(f, inverse_delta=2, variant="printed", stage=stage, p=1)

    tolerance = build(Fraction(10), "softmax").tolerance
    assert tolerance == Fraction(1, 4)
    low, high, tiny = Fraction(101, 4), Fraction(55, 2), Fraction(1, 10**6)
    for A in (low - tolerance, low - tiny, high, high + tolerance - tiny):
        with pytest.raises(ValueError, match="no later value layer sees in its band"):
            build(A, "softmax")
        assert build(A, "relu")
    for A in (low - tolerance - tiny, high + tolerance):
        assert yun2020.certify(build(A, "softmax"))["literal"].holds
