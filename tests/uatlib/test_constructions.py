"""Networks with claims: yun2020, Proposition 5 and Theorem 3 at the hardmax stage, against the statement in loops."""

import dataclasses
import functools
import math
from fractions import Fraction
from importlib import import_module
from itertools import product
from pkgutil import iter_modules

import numpy as np
import pytest
import torch

import uatlib
from uatlib import yun2020
from uatlib.arithmetic import BALL, EXACT, FLOAT64, distances
from uatlib.certificate import Claim, Term
from uatlib.grids import repeated_share
from uatlib.layers import Attention, FeedForward, ThreePiece
from uatlib.metrics import lp_distance
from uatlib.model import Transformer
from uatlib.sizes import ConstructionTooLarge
from uatlib.targets import Target, bump, cyclic_difference, entrywise_norm, mean_product, running_mean
from uatlib.yun2020.certify_network import network_checks
from uatlib.yun2020.cost import layer_counts

from .oracles import case_name
from .yun2020.oracles import array, network_value

CASES = [(mean_product, 2, 2, 1), (mean_product, 3, 3, 1), (bump, 5, 2, 1), (mean_product, 2, 2, 2), (bump, 2, 3, 2)]
CASES += [(mean_product, 2, 3, 1)]
"""The last one has more tokens than columns, so the network is 0."""
MODULES = {name: import_module(f"uatlib.{name}") for _, name, _ in iter_modules(uatlib.__path__)}
SOURCES = {name: module for name, module in MODULES.items() if hasattr(module, "build") and hasattr(module, "__path__")}
"""A package that has `build` has the one protocol."""
ENCODED = [(running_mean, 2, 2, 1), (cyclic_difference, 3, 2, 1), (running_mean, 2, 3, 1), (running_mean, 2, 2, 2)]


def one(n, d=1):
    return Target(lambda X: X * 0 + 1, n, d, group="symmetric", lipschitz=0, bound=1, name="one")


def points(N, n, d, inside=False):
    """Every cell, at its corner or off it; and, unless `inside`, entries outside the box and on its far side."""
    rng = np.random.default_rng(0)
    shift = [Fraction(0), Fraction(1, 3 * N), Fraction(999, 1000 * N)]
    X = []
    for cells in product(range(N), repeat=d * n):
        X.append([Fraction(k, N) + shift[rng.integers(3)] for k in cells])
    if not inside:
        for value in (1, -1, Fraction(-1, 10**9), Fraction(7, 2), -(N ** (n * d)), 10**9):
            for row in [X[k] for k in rng.integers(len(X), size=3)]:
                X.append([*row[:-1], value])
        X.append([Fraction(2)] * (d * n))
    return array(X).reshape(-1, d, n)


@functools.cache
def network(source):
    return SOURCES[source].build(mean_product(2), error=2, p=2)


@pytest.mark.parametrize("source", SOURCES)
def test_every_construction_keeps_its_claim(source):
    """One protocol: a target, an error and p."""
    construction = network(source)
    assert construction.claim.error <= 2
    assert construction.claim.p == 2
    # Beside the corners of cells, where there may be bands. Those of two sources are claimed on the box alone.
    X = points(3, 2, 1, inside=source in ("liu2025", "cheng2025")) + Fraction(1, 10)
    # Far outside the box numbers are large, and what cancels there takes more digits than the network asks for.
    system = EXACT if source == "yun2020" else BALL.with_bits(512)
    assert distances(construction(X, system), construction.shortcut(X)).max() < Fraction(1, 2**40)
    assert construction.claim.layers == len(construction.model.layers)
    # d_2(f, g) of the claim, by Monte Carlo on the literal layers in floats.
    drawn = np.random.default_rng(0).uniform(size=(4000, 1, 2))
    squares = ((construction(drawn, FLOAT64).numpy() - mean_product(2)(drawn)) ** 2).sum(axis=(-2, -1))
    assert squares.mean() ** 0.5 > 0.05
    assert (squares.mean() + 3 * squares.std() / 4000**0.5) ** 0.5 <= construction.claim.error
    assert all(term.source for term in construction.claim.terms)


FEW = {"literal": 2, "samples": 100}


@pytest.mark.parametrize("source", SOURCES)
def test_every_number_of_a_claim_is_compared(source):
    g, certify = network(source), SOURCES[source].certify
    assert certify(g, **FEW).holds
    names = ["layers", "width", "heads", "head_size", "hidden", "parameters", "n_in", "d_in", "n_out", "d_out"]
    right = {name: getattr(g.claim, name) for name in names if name != "hidden" or source != "liu2025"}
    wrong = dataclasses.replace(g.claim, **{name: value + 1 for name, value in right.items()})
    failures = certify(dataclasses.replace(g, claim=wrong), **FEW).failures
    assert sorted((check.measured, check.bound) for check in failures) == sorted((n, n + 1) for n in right.values())
    wide = dataclasses.replace(g.claim, domain=(0, 5))
    assert not certify(dataclasses.replace(g, claim=wide), **FEW).holds
    with pytest.raises(ValueError, match=r"^domain: expected \(low, high\)"):
        dataclasses.replace(g.claim, domain=(0, 1, 5))


@pytest.mark.parametrize("source", SOURCES)
def test_a_claim_that_is_too_good_fails(source):
    """Term by term, but those of rounding, which are far above what is lost."""
    g = network(source)
    terms = [term for term in g.claim.terms if term.key not in ("rounded", "rounding", "interpolation")]
    assert len(terms) > (source != "liu2025")
    for small in terms:
        less = [dataclasses.replace(t, bound=t.bound / 40) if t is small else t for t in g.claim.terms]
        claim = dataclasses.replace(g.claim, terms=less)
        (check,) = SOURCES[source].certify(dataclasses.replace(g, claim=claim), **FEW).failures
        assert small.source in check.name or source == "liu2025"


@pytest.mark.parametrize("source", SOURCES)
def test_certify_is_a_method_too_and_takes_what_build_returns(source):
    g, certify = network(source), SOURCES[source].certify
    options = {"literal": 3, "samples": 60, "seed": 5}
    assert str(g.certify(**options)) == str(certify(g, **options))
    for wrong in (None, g.model, 5):
        with pytest.raises(ValueError, match=r"expected (what|a Transformer with its vocabulary and n)"):
            certify(wrong)
    for wrong, words in (
        *(({"literal": k}, "literal: expected an int from [12] to 10,000, got ") for k in (0, 10_001)),
        *(({"samples": k}, "samples: expected an int from 2 to 50,000,000, got ") for k in (1, 10**9)),
        ({"seed": -1}, "seed: expected an int"),
    ):
        with pytest.raises(ValueError, match=words):
            g.certify(**wrong)
    if source != "yun2020":
        with pytest.raises(ValueError, match="literal: expected an int from 2"):
            g.certify(literal=1)


@pytest.mark.parametrize("source", SOURCES)
def test_values_in_bulk_come_as_they_are_asked_for(source):
    """Of lists, of one sequence, of many, of tensors of their own kind."""
    g = network(source).shortcut
    X = np.random.default_rng(0).uniform(0, 1, (12, 1, 2)).round(3)
    want = g(X)
    assert want.dtype == np.float64
    assert np.count_nonzero(want)
    assert (g(X.reshape(3, 4, 1, 2)) == want.reshape(3, 4, 1, 2)).all()
    assert (g(X[7]) == want[7]).all()
    assert np.allclose(g(X.tolist()).astype(float), want, rtol=0, atol=1e-15)
    tensor = g(torch.from_numpy(X))
    assert isinstance(tensor, torch.Tensor)
    assert (tensor.numpy() == want).all()
    single = torch.from_numpy(X).float()
    rounded = g(single.double().numpy()).astype(np.float32)
    assert np.allclose(g(single).numpy(), rounded, rtol=0, atol=1e-5 if source == "liu2025" else 0)
    assert g(torch.tensor([[0, 1]])).dtype == torch.float64
    for wrong in ([0, 1], [[0, 1, 2]], [[[0], [1]]], [], [[]]):
        with pytest.raises(ValueError, match=r"X: expected shape \(\.\.\., 1, 2\) .*, not empty, got"):
            g(wrong)
    with pytest.raises(ValueError, match="NaN or infinity"):
        g(np.array([[0, math.nan]]))


@pytest.mark.parametrize("source", SOURCES)
def test_every_construction_takes_the_sup_norm_or_refuses_it_and_two_grids(source):
    build = SOURCES[source].build
    if source == "liu2025":
        assert build(mean_product(2), error=2, p=math.inf).claim.p == math.inf
    else:
        with pytest.raises(ValueError, match=r"^p: expected 1 <= p < inf, got inf; .*(bands|cells)"):
            build(mean_product(2), error=2, p=math.inf)
    for wrong in ({}, {"error": None}):
        with pytest.raises(ValueError, match=r"expected either .* or error, got none"):
            build(mean_product(2), **wrong)
    with pytest.raises(ValueError, match=r"^target: expected a Target"):
        build(None, error=2)


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize(("make", "N", "n", "d"), CASES, ids=case_name)
def test_layers_and_bulk_equal_proposition_5(make, N, n, d, variant):
    f = make(n, d)
    g = yun2020.build(f, inverse_delta=N, variant=variant)
    X = points(N, n, d)
    want = array([network_value(f, rows, N) for rows in X.tolist()])
    assert (g.shortcut(X) == want).all()
    assert {type(t) for t in g.shortcut(X).flat} == {Fraction}
    some = slice(None) if len(X) < 100 else slice(None, None, len(X) // 40)
    assert (g(X[some], EXACT) == want[some]).all()
    assert (g(X[-19:], EXACT) == want[-19:]).all()


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize(("make", "N", "n", "d"), ENCODED, ids=case_name)
def test_layers_and_bulk_equal_theorem_3(make, N, n, d, variant):
    f = make(n, d)
    g = yun2020.build(f, inverse_delta=N, positional=True, variant=variant)
    X = points(N, n, d, inside=True)
    want = array([network_value(f, rows, N, positional=True) for rows in X.tolist()])
    assert (g.shortcut(X) == want).all()
    assert (g(X, EXACT) == want).all()
    assert g(X.tolist(), EXACT).tolist() == want.tolist()
    if N == 2:  # dyadic, so floats stand for what they are
        floats = X.astype(np.float64) // 0.5 / 2
        gap = g(torch.tensor(floats), FLOAT64).numpy() - g.shortcut(floats)
        largest = max(g.shortcut.value_map.table.ids.flat)
        assert np.abs(gap).max() <= math.ulp(float(largest))


REFUSED = [
    ({"inverse_delta": 2, "error": 1}, "either inverse_delta or error, got both"),
    ({"inverse_delta": 1}, "inverse_delta: expected an int >= 2"),
    *(({"inverse_delta": 2, "p": p}, "^p: expected 1 <= p < inf, got") for p in (0.5, math.inf)),
    *(({"error": error}, "error: expected|resolve|limits|bytes") for error in (0, -1, math.nan, 1e-300)),
    ({"target": mean_product(1), "inverse_delta": 2}, "n >= 2 tokens"),
    *(
        ({"target": dataclasses.replace(mean_product(2), **stated), "inverse_delta": 2}, words)
        for stated, words in (
            ({"lipschitz": None}, "^lipschitz: expected .* not known"),
            ({"bound": None}, "bound is not known"),
            ({"domain": (0, 2), "bound": 4, "lipschitz": 8}, "domain"),
        )
    ),
    ({"target": running_mean(3), "inverse_delta": 4}, r"violated at X = \[\["),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_what_no_grid_takes_is_refused_by_those_who_build_on_one(arguments, words):
    for source in {*SOURCES} - {"liu2025"}:
        with pytest.raises(ValueError, match=words):
            SOURCES[source].build(**{"target": mean_product(2), **arguments})


def test_the_sentinel_follows_the_variant():
    """Outside the box, after the quantizer: -N^{nd} as printed, D^{n+1} units above zero as repaired."""
    for variant, sentinel in (("printed", -(3**2)), ("repaired", 3**2)):
        g = yun2020.build(mean_product(2), inverse_delta=3, variant=variant)
        quantized = Transformer(g.model.layers[:4])([[Fraction(7, 2), Fraction(1, 2)]], EXACT)
        assert quantized.tolist() == [[sentinel, Fraction(1, 3)]]


def test_outputs_of_any_size_are_right_as_repaired_and_refused_as_printed():
    """f = 54 X sends (0, 1/2) at N = 2 to (13.5, 40.5); 13.5 is the id of the second token."""
    f = Target(lambda X: 54 * X, 2, 1, group="symmetric", lipschitz=54, bound=54, name="steep")
    with pytest.raises(ValueError, match=r"a later layer maps again; u\^T A outside \[51/4, 55/4\) is safe"):
        yun2020.build(f, inverse_delta=2, variant="printed")
    X = points(2, 2, 1)
    assert (yun2020.build(f, inverse_delta=2)(X, EXACT) == array([network_value(f, x, 2) for x in X.tolist()])).all()


# ---------------------------------------------------------------------------------------- numbers and forms


def test_floats_stand_for_their_exact_values():
    """Edges k/N and their neighbours where k/N is no float; at N = 49 the float 1/49 times 49 is below 1."""
    for N in (3, 10, 49):
        f = mean_product(2)
        g = yun2020.build(f, inverse_delta=N)
        edges = [t for k in range(N + 1) for t in (math.nextafter(k / N, -1), k / N, math.nextafter(k / N, 2))]
        X = np.array([[a, b] for a in edges for b in (0.05, 0.55, edges[4])])[:, None, :]
        exact = array([network_value(f, [[Fraction(t) for t in row] for row in x], N) for x in X.tolist()])
        assert (g.shortcut(X) == exact.astype(np.float64)).all()


def test_float64_layers_are_right_to_the_precision_of_the_ids():
    g = yun2020.build(mean_product(3), inverse_delta=8)
    X = np.random.default_rng(0).uniform(-0.1, 1.1, (500, 1, 3))
    largest = float(max(g.shortcut.value_map.table.ids.flat)) / 8
    assert np.abs(g(X, FLOAT64).numpy() - g.shortcut(X)).max() <= math.ulp(largest)


def test_ids_beyond_int64():
    f = mean_product(10)
    g = yun2020.build(f, inverse_delta=11)
    assert max(g.shortcut.value_map.table.ids.flat) >= 2**63
    rng = np.random.default_rng(0)
    X = array([[Fraction(int(k), 11) for k in rng.permutation(11)[:10]] for _ in range(3)])[:, None, :]
    want = array([network_value(f, x, 11) for x in X.tolist()])
    assert (g.shortcut(X) == want).all()
    assert np.abs(g.shortcut(X.astype(np.float64) + 1e-3) - want.astype(np.float64)).max() <= 1e-15
    assert (g(X[:1], EXACT) == want[:1]).all()


def test_targets_without_an_exact_form_get_the_exact_values_of_their_floats():
    f = Target(lambda X: np.sin(X), 2, 1, group="symmetric", lipschitz=1, bound=1, name="sine")
    g = yun2020.build(f, inverse_delta=4)
    X = points(4, 2, 1)
    want = [network_value(lambda C: array([[Fraction(math.sin(t)) for t in C[0]]]), rows, 4) for rows in X.tolist()]
    close = np.abs(g.shortcut(X).astype(np.float64) - array(want).astype(np.float64))
    assert close.max() <= 2e-16
    assert (g(X, EXACT) == g.shortcut(X)).all()


# ---------------------------------------------------------------------------------------- the claim


@pytest.mark.parametrize(("N", "n", "d"), [(4, 3, 1), (2, 2, 1), (3, 2, 2), (2, 3, 1), (2, 1, 1), (5, 4, 1)])
def test_share_of_repeated_columns_by_counting(N, n, d):
    columns = list(product(range(N), repeat=d))
    repeated = sum(len(set(L)) < n for L in product(columns, repeat=n))
    assert repeated_share(N, n, d) == Fraction(repeated, N ** (d * n))
    assert repeated_share(N, n, d) <= Fraction(math.comb(n, 2), N**d)


@pytest.mark.parametrize("p", [1, 2, 3.5])
@pytest.mark.parametrize(
    ("make", "N", "n", "d"), [(one, 4, 3, 1), (mean_product, 3, 2, 2), (bump, 4, 2, 1)], ids=case_name
)
def test_distance_of_step_function_and_network_is_a_finite_sum(make, N, n, d, p):
    """(sum over cells with a repeated column of |A_L|_p^p / N^{dn})^{1/p}, and at most its term of the claim."""
    f = make(n, d)
    g = yun2020.build(f, inverse_delta=N, p=p)
    total = 0.0
    for cells in product(range(N), repeat=d * n):
        L = np.array(cells).reshape(d, n)
        if len({tuple(c) for c in L.T.tolist()}) < n:
            total += (np.abs(f((L + 0.5) / N)) ** p).sum() / N ** (d * n)
    check = yun2020.certify(g)[f"d_{p:g}(f-bar, g-bar)"]
    assert check.measured == pytest.approx(total ** (1 / p), rel=1e-9)
    assert check.bound == g.claim["repeated"].bound
    if make is one:
        # Attained by the constant 1, whose p-norm is 3^(1/p): 5/8 of the volume. Its step function is itself.
        assert check.bound == pytest.approx((3 * 5 / 8) ** (1 / p), rel=1e-9)
        assert check.measured == pytest.approx(check.bound, rel=1e-9)
        if p == 2:
            assert yun2020.certify(g)["d_2(f, g"].measured == pytest.approx(check.bound, rel=1e-6)
    assert check.holds


@pytest.mark.parametrize("q", [1, 2, 3, math.inf])
@pytest.mark.parametrize("p", [1, 2, 7])
def test_bounds_are_carried_to_the_norm_that_is_asked_for(p, q):
    """The terms bound |A|_p for matrices with |A|_q <= 1, and some matrix attains them."""
    f = Target(lambda X: X * 0, 2, 2, group="symmetric", lipschitz=0, bound=1, norm=q)
    factor = yun2020.terms(f, 2, p)[1].bound / float(repeated_share(2, 2, 2)) ** (1 / p)
    spike, flat = np.zeros((2, 2)), np.ones((2, 2))
    spike[0, 0] = 1
    sizes = [float(entrywise_norm(A, p) / entrywise_norm(A, q)) for A in (spike, flat)]
    assert factor == pytest.approx(max(sizes), rel=1e-9)
    rng = np.random.default_rng(0)
    A = rng.normal(size=(1000, 2, 2))
    assert (entrywise_norm(A, p) / entrywise_norm(A, q)).max() <= factor


def test_the_step_term_is_the_modulus_at_half_a_step():
    """f = X differs from its step function by delta/2 at a corner of the cell, in each of the two entries."""
    f = Target(lambda X: X * 1, 2, 1, group="symmetric", lipschitz=1, bound=1, name="identity")
    for p in (1, 2, 3):
        corner = entrywise_norm(np.full((1, 2), 0.125), p)
        assert yun2020.terms(f, 4, p)[0].bound == pytest.approx(float(corner), rel=1e-9)


@pytest.mark.parametrize(("n", "d", "p"), [(2, 1, 2), (3, 1, 1), (3, 2, 2), (2, 2, 3)])
@pytest.mark.parametrize("error", [2.0, 0.8, 0.3])
@pytest.mark.parametrize("positional", [False, True])
def test_the_coarsest_grid_by_trying_all(n, d, p, error, positional):
    """mean_product: L = 2 and B = 1 in the sup norm, (d n)^(1/p) times that in the p-norm; by places none repeats."""
    N, size = 2, (d * n) ** (1 / p)
    while True:
        distinct = 1.0
        for i in range(0 if positional else n):
            distinct *= 1 - i / N**d
        if size * (2 * 0.5 / N + max(0, 1 - distinct) ** (1 / p)) <= error:
            break
        N += 1
    assert yun2020.coarsest_grid(mean_product(n, d), error, p, positional) == N
    if (n, d, error) == (2, 1, 0.8):
        built = yun2020.build(mean_product(n, d), error=error, p=p, positional=positional)
        assert (built.grid.inverse_delta, built.claim.error <= error) == (N, True)


def test_the_claim_counts_the_network():
    """Closed formulas, against layers and entries counted one after another."""
    for stage, positional, variant in product(("hardmax", "relu", "softmax"), (False, True), ("repaired", "printed")):
        f = (running_mean if positional else mean_product)(2, 2)
        g = yun2020.build(f, inverse_delta=2, stage=stage, positional=positional, variant=variant)
        assert g.claim.layers == len(g.model.layers)
        assert g.claim.parameters == sum(w.size for layer in g.model.layers for w in layer.weights().values())
        assert (g.encodings is not None) == positional
        if stage == "hardmax":
            counts = layer_counts(2, 2, 2, positional=positional, repaired=variant == "repaired")
            assert g.claim.layers == counts["total"]
            assert [term.source for term in g.claim.terms] == ["Lemma 4", "Proposition 5"][: 2 - positional]
            assert (g.claim.heads, g.claim.head_size, g.claim.hidden, g.claim.width) == (2, 1, 1, 2)
    shown = repr(yun2020.build(mean_product(2), inverse_delta=2))
    assert shown.startswith("Construction(target=mean_product, inverse_delta=2, n=2, d=1, stage=hardmax, ")
    assert shown.endswith(": d_2 <= 1.707, 11 layers)")


def test_a_claim_knows_its_terms():
    terms = [Term("step", "cells", "Lemma 4", 0.5), Term("bands", "cells", "Lemma 6", 0.25)]
    claim = Claim(terms, 2, (0, 1), 1, 1, 1, 1, 1, 1)
    assert (claim["step"].bound, claim["bands"].source, claim.error) == (0.5, "Lemma 6", 0.75)
    for wrong in ("cells", "st"):
        with pytest.raises(KeyError, match=f"no term '{wrong}'; there are: step, bands"):
            claim[wrong]
    with pytest.raises(ValueError, match="terms: expected a key of its own for each, got 'step, step'"):
        Claim([terms[0], terms[0]], 2, (0, 1), 1, 1, 1, 1, 1, 1)
    with pytest.raises(ValueError, match="expected a sequence of Term"):
        Claim([1], 2, (0, 1), 1, 1, 1, 1, 1, 1)


# ---------------------------------------------------------------------------------------- certificates


@pytest.mark.parametrize(("make", "N", "n", "d"), CASES, ids=case_name)
def test_certificates_hold(make, N, n, d):
    certificate = yun2020.certify(yun2020.build(make(n, d), inverse_delta=N))
    assert certificate.holds, str(certificate)
    assert certificate["share"].measured == repeated_share(N, n, d)


def test_distances_are_enclosed_where_the_grid_is_small(built):
    """At most the value at the centres of small cells and what the Lipschitz constant allows; else three sigma."""
    f, g = built.target, built.shortcut
    N = built.grid.inverse_delta
    rule = lp_distance(f, g, n=2, d=1, cells=N, order=30)
    check = yun2020.certify(built)["d_2(f, g-bar)"]
    assert check.method == "enclosed"
    assert rule.value + rule.difference < check.measured < 1.1 * rule.value
    far = yun2020.build(mean_product(8), inverse_delta=8)
    drawn = lp_distance(far.target, far.shortcut, n=8, d=1, method="monte carlo", samples=500, seed=3)
    check = yun2020.certify(far, literal=1, samples=500, seed=3)["d_2(f, g)"]
    assert check.method == "sampled"
    assert check.cases == 500
    assert check.measured == pytest.approx(drawn.value + 3 * drawn.standard_error, rel=1e-12)


@pytest.fixture(scope="module")
def built():
    return yun2020.build(mean_product(2), inverse_delta=3)


class Cheat(Transformer):
    """Layers that do nothing, and the values of another map."""

    def __call__(self, X, system):
        return yun2020.build(mean_product(2), inverse_delta=3).shortcut(X)


def test_only_the_layers_of_a_transformer_are_certified(built):
    idle = [layer.with_weights({name: w * 0 for name, w in layer.weights().items()}) for layer in built.model.layers]
    cheat = dataclasses.replace(built, model=Cheat(idle, n=2))
    assert "the model is a Cheat" in [check.witness for check in yun2020.certify(cheat).failures]


@pytest.mark.parametrize(("stage", "missing"), [("relu", "term bands"), ("softmax", "terms bands, softmax")])
def test_a_network_of_another_stage_is_refused(built, stage, missing):
    with pytest.raises(ValueError, match=f"claim: expected one with the {missing}, got 'step, repeated'"):
        yun2020.certify(dataclasses.replace(built, stage=stage))


def test_forged_claims_do_not_hold(built):
    short = dataclasses.replace(built.claim, terms=built.claim.terms[:1])
    with pytest.raises(ValueError, match="claim: expected one with the term repeated"):
        yun2020.certify(dataclasses.replace(built, claim=short))


@pytest.mark.parametrize("stage", ["hardmax", "relu", "softmax"])
def test_the_stage_is_read_off_the_layers(stage):
    g = yun2020.build(mean_product(2), inverse_delta=2, stage=stage)
    for k, layer in enumerate(g.model.layers):
        if isinstance(layer, Attention):
            other = Attention(layer.heads, "hardmax" if stage == "softmax" else "softmax")
        else:
            other = FeedForward(layer.w_1, layer.b_1, layer.w_2, layer.b_2)
            if stage != "hardmax":
                other = FeedForward(
                    layer.w_1, layer.b_1, layer.w_2, layer.b_2, ThreePiece((0, 1), (0, 1, 1), (0, 0, 0))
                )
        layers = [*g.model.layers[:k], other, *g.model.layers[k + 1 :]]
        check = next(
            c for c in network_checks(dataclasses.replace(g, model=Transformer(layers, n=2))) if "layers that" in c.name
        )
        assert check.measured == 1
        assert f"layer {k}: {other!r}" == check.witness


def test_wrong_values_fail(built):
    more = dataclasses.replace(mean_product(2), function=lambda X: mean_product(2)(X) + 3, bound=4)
    wrong = dataclasses.replace(built, shortcut=yun2020.build(more, inverse_delta=3).shortcut)
    assert {c.name[:10] for c in yun2020.certify(wrong).failures} >= {"literal la", "d_2(f-bar,", "d_2(f, g),"}


# ---------------------------------------------------------------------------------------- bad input


def test_targets_that_are_not_equivariant_are_refused_with_an_input():
    with pytest.raises(ValueError, match=r"violated at X = \[\[.*take positional=True"):
        yun2020.build(running_mean(3), inverse_delta=2)
    with pytest.raises(ValueError, match=r"violated at X = \[\[.*take positional=True"):
        yun2020.build(cyclic_difference(3), inverse_delta=2)
    # One that is, and does not say so, is taken.
    assert yun2020.build(dataclasses.replace(mean_product(2), group="trivial"), inverse_delta=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"width": Fraction(1, 9)}, "it has no bands"),
        ({"stage": "relu", "width": Fraction(1, 7)}, "width: expected a number > 0 and <= 1/8, got 1/7"),
    ],
)
def test_bad_bands_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        yun2020.build(mean_product(2), inverse_delta=2, **arguments)


@pytest.mark.parametrize("size", [{"inverse_delta": 1000}, {"error": 1e-4}], ids=str)
@pytest.mark.parametrize("source", SOURCES)
def test_networks_that_would_not_fit_are_refused_before_the_target_is_evaluated(source, size):
    calls = []

    def function(X):
        calls.append(X.dtype)
        return X * X.sum(-1)[..., None] / 3

    f = Target(function, 3, 1, group="symmetric", lipschitz=4, bound=1)
    before = len(calls)
    with pytest.raises(ConstructionTooLarge, match=r"the limits? (is|are)"):
        SOURCES[source].build(f, **size)
    assert len(calls) - before <= 20  # the check of equivariance, on floats
    assert object not in calls


def test_the_domain_of_theorem_3_ends_at_1():
    encoded = yun2020.build(running_mean(2), inverse_delta=2, positional=True)
    with pytest.raises(
        ValueError, match=r"expected entries in \[0, 1\), the domain of Theorem 3, got \[\[0.5, 1.0\]\]"
    ):
        encoded.shortcut(np.array([[[0.5, 0.5]], [[0.5, 1.0]]]))
