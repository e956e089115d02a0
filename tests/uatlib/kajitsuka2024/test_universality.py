"""The network of Proposition 1 against the step function in loops, its ids in loops, its support, its claim."""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from uatlib import kajitsuka2024
from uatlib.arithmetic import BALL, FLOAT32, FLOAT64, Overflow, distances
from uatlib.grids import grid_tokens
from uatlib.kajitsuka2024.certify_network import certify
from uatlib.kajitsuka2024.network import build
from uatlib.kajitsuka2024.relu_steps import ReluSum, token_layer
from uatlib.kajitsuka2024.two_layers import reading_vector
from uatlib.model import Transformer
from uatlib.sizes import ConstructionTooLarge
from uatlib.targets import Target, bump, mean_product, running_mean

from ..oracles import case_name

F = Fraction
CASES = [(mean_product, 3, 2, 1, "keep"), (mean_product, 3, 3, 1, "drop"), (bump, 4, 2, 1, "drop")]
CASES += [(mean_product, 2, 2, 2, "keep"), (mean_product, 2, 3, 2, "drop"), (bump, 2, 4, 1, "keep")]


def value(f, X, D, duplicates):
    """f at the upper corner of the cell, 0 outside the box and, if dropped, where two tokens share a cell; loops."""
    if any(z < 0 or z > 1 for row in X for z in row):
        return [[F(0)] * len(X[0]) for _ in X]
    L = [[F(min(math.floor(z * D), D - 1) + 1, D) for z in row] for row in X]
    columns = list(zip(*L, strict=True))
    if duplicates == "drop" and len(set(columns)) < len(columns):
        return [[F(0)] * len(X[0]) for _ in X]
    return f(np.array(L, dtype=object)).tolist()


def off_bands(D, n, d, width, count, seed=0):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, D, (count, d, n)).astype(object)
    part = rng.integers(0, 1000, cells.shape).astype(object)
    part[::4] = 0
    X = cells * F(1, D) + width + part * ((F(1, D) - width) / 1000)
    X[1, 0, 0] = F(1)
    X[2, 0, -1] = F(-1, 2)
    X[3, -1, 0] = F(10**6)
    return X


@pytest.mark.parametrize(("make", "D", "n", "d", "duplicates"), CASES, ids=case_name)
def test_layers_and_bulk_equal_the_step_function(make, D, n, d, duplicates):
    f = make(n, d)
    g = build(f, inverse_delta=D, duplicates=duplicates)
    X = off_bands(D, n, d, g.width, 24)
    want = np.array([value(f, x, D, duplicates) for x in X.tolist()], dtype=object)
    assert (g.shortcut(X) == want).all()
    assert distances(g(X, BALL.with_bits(g.bits + 128)), want).max() < F(1, 2**40)
    assert np.abs(g(X.astype(float), FLOAT64).numpy() - want.astype(float)).max() < 1e-6
    assert np.allclose(g.shortcut(X.astype(float)), want.astype(float))


def test_the_layers_by_loops():
    """In floats, at any input, bands and outside too: rounding and penalty, softmax, hats at ids."""
    f, D, n, d, beta, w = mean_product(2, 2), 2, 2, 2, -2, 1 / 16
    g = build(f, inverse_delta=D, duplicates="keep", width=F(1, 16), scale=beta)
    # Tokens 1/2 and 1 in both rows: norms up to sqrt 2, a distance of 1/2, each with a thousandth of slack.
    write = 0.999 / 2 / (4 * 1.001 * math.sqrt(2))
    # v, which reads a token as a number in base D, is (sin a, cos a) for tan a = 1/D, by a tan a/2 of 20 binary digits.
    half = round(2**20 * math.tan(math.atan(1 / D) / 2)) / 2**20
    v = [2 * half / (1 + half**2), (1 - half**2) / (1 + half**2)]
    P = math.ceil(n / write) + n

    def step(z):
        return min(max(z / w, 0), 1)

    def first(token):
        away = sum(-P * (step(z - 1) + step(-z)) for z in token)
        return [sum(step(z - t / D) / D for t in range(D)) - step(z - 1) + away for z in token]

    def heard(x, all_x):
        top = max(beta * x * u for u in all_x)
        powers = [math.exp(beta * x * u - top) for u in all_x]
        return sum(u * p for u, p in zip(all_x, powers, strict=True)) / sum(powers)

    def reading(token):
        return sum(a * u for a, u in zip(v, token, strict=True))

    table = []
    grid = [tuple((t + 1) / D for t in cell) for cell in itertools.product(range(D), repeat=d)]
    for a, b in itertools.product(grid, repeat=2):
        x = [reading(a), reading(b)]
        table.append((x[0] + write * heard(x[0], x), f(np.array([a, b]).T)[:, 0]))
    # The least power of two that keeps hats off each other, and off what is heard outside the box.
    ids = sorted(c for c, _ in table)
    apart = min(ids[0] - write * sum(v), *(b - a for a, b in itertools.pairwise(ids)))
    R = 2 ** math.ceil(math.log2(2 / apart))
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(100):
        X = rng.choice([rng.uniform(-0.1, 1.1), 0.03, 0.52, rng.uniform(0.1, 0.9)], (d, n))
        tokens = [first(column) for column in X.T.tolist()]
        x = [reading(token) for token in tokens]
        for k in range(n):
            h = x[k] + write * heard(x[k], x)
            want = sum((max(0, 1 - R * abs(h - c)) * y for c, y in table), np.zeros(d))
            got = g(X, FLOAT64)[:, k].numpy()
            assert np.allclose(got, want, rtol=0, atol=1e-8)
            seen += bool(np.abs(want).max() > 1e-3)
    assert seen > 10


@pytest.mark.parametrize("p", [1, 3.5])
@pytest.mark.parametrize(("make", "D", "n", "d", "duplicates"), CASES[:4], ids=case_name)
def test_the_certificate_holds(make, D, n, d, duplicates, p):
    g = build(make(n, d), inverse_delta=D, duplicates=duplicates, p=p)
    certificate = certify(g)
    assert certificate.holds, str(certificate)
    # d_p(f, g) in the box by Monte Carlo on the literal layers, in floats.
    X = np.random.default_rng(0).uniform(size=(500, d, n))
    powers = (np.abs(g(X, FLOAT64).numpy() - g.target(X)) ** p).sum(axis=(-2, -1))
    assert (powers.mean() + 3 * powers.std() / 500**0.5) ** (1 / p) <= g.claim.error
    assert g.claim.domain == (-math.inf, math.inf)


def test_at_the_scale_of_the_theorem():
    g = build(mean_product(2), inverse_delta=3, duplicates="keep", scale="literal")
    assert g.scale == -kajitsuka2024.separation([F(1, 3), F(2, 3), 1], 2, F(1, 1000)).scale
    assert g.bits > 10_000
    assert certify(g, literal=9).holds
    with pytest.raises(Overflow):
        g(np.array([[0.2, 0.5]]), FLOAT64)


@pytest.mark.parametrize("error", [2.0, 0.5])
def test_an_error_is_met(error):
    g = build(mean_product(2), error=error)
    assert g.claim.error <= error
    coarser = g.grid.inverse_delta - 1
    assert sum(t.bound for t in build(mean_product(2), inverse_delta=coarser).claim.terms[:2]) > error * 15 / 16
    assert certify(g).holds


def test_support_is_compact_where_a_small_penalty_lets_strips_run_to_infinity():
    """Token 1 sweeps over its bands, token 2 is as far out as one likes."""
    f = mean_product(2)
    g = build(f, inverse_delta=3, duplicates="keep", width=F(1, 30))
    sweep = [F(k, 900) for k in range(-60, 1000)]
    for far in (F(-1), F(2), F(10**9)):
        X = np.array([[[z, far]] for z in sweep], dtype=object)
        assert not g(X, FLOAT64).numpy().any()
        some = X[::10]
        assert distances(g(some, BALL.with_bits(384)), some * 0).max() < F(1, 2**40)
    small = dataclasses.replace(
        g,
        model=Transformer([kajitsuka2024.two_layers.first_layer(3, 1, F(1, 30)), *g.model.layers[1:]]),
    )
    X = np.array([[[z, F(10**9)]] for z in sweep], dtype=object)
    assert np.abs(small(X, FLOAT64).numpy()).max() > 0.01
    certificate = certify(small)
    assert not certificate["|g| with an entry outside"].holds
    assert certificate["d_2(f, g)"].measured == math.inf


@pytest.mark.parametrize(("system", "largest"), [(FLOAT64, 140), (FLOAT32, 11)], ids=["float64", "float32"])
@pytest.mark.parametrize(("D", "n", "d"), [(4, 2, 1), (16, 2, 1), (3, 3, 1), (2, 2, 2)])
def test_floats_say_0_outside_until_they_overflow(D, n, d, system, largest):
    """Some entries beyond the box and its bands by up to 10^largest, on either side; the others anywhere near it."""
    g = build(bump(n, d), inverse_delta=D, duplicates="keep")
    rng = np.random.default_rng(0)
    shape = (1000, d, n)
    away = float(g.width) * 1.001 + 10 ** rng.uniform(-4, largest, shape)
    out = rng.random(shape) < 0.3
    out[np.arange(1000), rng.integers(d, size=1000), rng.integers(n, size=1000)] = True
    X = np.where(out, np.where(rng.random(shape) < 0.5, 1 + away, -away), rng.uniform(-0.1, 1.1, shape))
    assert not g(X, system).numpy().any()
    with pytest.raises(Overflow):
        g(np.where(out, X * (1e100 if system is FLOAT64 else 1e24), X), system)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_grid_is_read_without_collisions(d):
    tokens, v = grid_tokens(3, d, Fraction(1, 3)), reading_vector(3, d)
    assert tokens.shape == (d, 3**d)
    assert sum(u * u for u in v) == 1
    assert min(v) > 0
    assert len({sum(a * u for a, u in zip(v, token, strict=True)) for token in tokens.T}) == 3**d


def constant(v):
    """f = v, with the Lipschitz constant 0."""

    def f(X):
        return X * 0 + (F(v) if X.dtype == object else v)

    return Target(f, 2, 1, group="symmetric", lipschitz=0, bound=v, name="constant")


@pytest.mark.parametrize(("v", "p"), [(1e-9, 40), (0.4, 1000), (1e-8, 60), (1e200, 3), (0.5, 1)])
def test_bands_are_counted_where_powers_underflow(v, p):
    """At the middle of a first band g is 0 at one token; so d_p(f, g) is at least v (share of those bands)^(1/p)."""
    g = build(constant(v), inverse_delta=3, p=p, duplicates="keep", width=F(1, 6))
    X = np.array([[F(1, 12), F(1, 2)]], dtype=object)
    values = g(X, BALL.with_bits(g.bits))[0]
    assert max(abs(u.midpoint) for u in values) < F(v) / 2**30
    # |f - g|_p^p = 2 v^p there; inside and beside the box bands have these volumes.
    inside, beside = 1 - F(1, 2) ** 2, F(4, 3) ** 2 - 1
    want = v * 2 ** (1 / p) * (2 * float(inside) ** (1 / p) + float(beside) ** (1 / p))
    assert math.isclose(g.claim["bands"].bound, want, rel_tol=1e-9)
    certificate = certify(g, samples=2000)
    assert certificate.holds
    found = certificate[f"d_{p:g}(g-bar, g) from the bands"].measured
    assert 0.1 * v < found <= g.claim["bands"].bound + g.claim["rounded"].bound
    # A claim without the bands is false.
    terms = [dataclasses.replace(t, bound=0.0) if t.key == "bands" else t for t in g.claim.terms]
    assert not certify(dataclasses.replace(g, claim=dataclasses.replace(g.claim, terms=terms)), samples=2000).holds


@pytest.mark.parametrize(
    "options", [{"p": 30}, {"p": 50}, {"p": 300}, {"width": 1e-30}, {"width": F(1, 10**400)}], ids=str
)
def test_the_bits_resolve_the_bands(options):
    g = build(bump(2), inverse_delta=3, **options)
    assert certify(g, literal=18).holds
    steepness = g.model.layers[2].w_1.max()
    assert 2 ** (g.bits - 64) >= steepness / g.width
    if "p" in options:
        assert 0 < g.claim["bands"].bound <= (g.claim["step"].bound + g.claim["repeated"].bound) / 16
        wider = build(bump(2), inverse_delta=3, p=options["p"], width=2 * g.width)
        assert wider.claim["bands"].bound > (g.claim["step"].bound + g.claim["repeated"].bound) / 16


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize(("make", "D", "n", "d", "duplicates"), CASES, ids=case_name)
def test_the_claim_counts_the_network(make, D, n, d, duplicates, variant):
    """Claimed by formulas; here units and entries of the layers, and ids by loops."""
    g = build(make(n, d), inverse_delta=D, duplicates=duplicates, variant=variant, head_size=3)
    first, _, second = g.model.layers
    tokens = list(itertools.product(range(D), repeat=d))
    rows = itertools.combinations_with_replacement(tokens, n)
    ids = sum(len(set(row)) for row in rows if duplicates == "keep" or len(set(row)) == n)
    assert len(second.w_1) == 3 * ids * (d if variant == "printed" else 1) + 2 * d
    assert g.claim.hidden == max(len(first.w_1), len(second.w_1))
    assert g.claim.parameters == sum(w.size for layer in g.model.layers for w in layer.weights().values())
    assert (g.claim.layers, g.claim.width, g.claim.heads, g.claim.head_size) == (3, d, 1, 3)


def one_change_left_out(g, change):
    """The repaired network for D = 4, n = 2, d = 1 with one printed formula, built from its ReLUs, put back."""
    D, w, P = g.grid.inverse_delta, g.width, 35
    first, attention, second = g.model.layers
    steps = [(F(t, D) + w * k, s) for t in range(D) for k, s in ((0, F(1, D)), (1, F(-1, D)))]
    if change == "(58)":
        steps = [(F(t, D) + w * k, s) for t in range(1, D + 1) for k, s in ((0, F(1, D)), (1, F(-1, D)))]
    steps += [(F(1), F(-1)), (1 + w, F(1))]
    # relu((z - c)/w) for c above, relu((c - z)/w) for c below.
    above = [(F(1), P if change == "(59) sign" else -P), (1 + w, -P if change == "(59) sign" else P)]
    below = [(F(0), -P), (-w, -P if change == "(59) second term" else P)]
    size = 1 if change == "(60) height" else P
    terms = [(1 / w, -c / w, s) for c, s in steps]
    terms += [(1 / w, -c / w, F(s * size, P)) for c, s in above] + [(-1 / w, c / w, F(s * size, P)) for c, s in below]
    first = token_layer([(ReluSum(*(tuple(map(F, row)) for row in zip(*terms, strict=True))), [1], [1])], 1)
    if change in ("(67) middle", "(67) place"):
        levels = [F(t, D) for t in range(1, D + 1)]
        pairs = np.array([[[a, b]] for a in levels for b in levels], dtype=object)
        ids = Transformer([attention])(pairs, BALL.with_bits(256))[:, 0, 0]
        middle = -1 if change == "(67) middle" else -2
        R, terms = second.w_1[0, 0], []
        for pair, ball in zip(pairs[:, 0], ids, strict=True):
            c = pair[0] if change == "(67) place" else ball.midpoint
            height = g.target(np.array([pair]))[0, 0]
            terms += [(R, k - R * c, height * s) for k, s in ((-1, 1), (0, middle), (1, 1))]
        second = token_layer([(ReluSum(*(tuple(map(F, row)) for row in zip(*terms, strict=True))), [1], [1])], 1)
    claim = dataclasses.replace(
        g.claim,
        hidden=max(len(first.w_1), len(second.w_1)),
        parameters=Transformer([first, attention, second]).parameter_count(),
    )
    return dataclasses.replace(g, model=Transformer([first, attention, second], n=2), claim=claim)


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (None, []),
        ("(58)", ["in the cells"]),
        ("(59) sign", ["outside the box"]),
        ("(59) second term", []),
        ("(60) height", ["outside the box"]),
        ("(67) middle", ["in the cells"]),
        ("(67) place", ["in the cells"]),
    ],
)
def test_each_printed_formula_put_back_alone(change, broken):
    """The second term of (59) alone does no harm: the penalty is then less than -P, without end."""
    g = build(bump(2), inverse_delta=4, duplicates="keep")
    certificate = certify(one_change_left_out(g, change), literal=200)
    names = [check.name for check in certificate.failures]
    assert certificate.holds == (not broken), str(certificate)
    assert all(any(word in name for name in names) for word in broken)


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        (mean_product(2), {"inverse_delta": 2, "p": 1e300}, "too wide in d_1e.300"),
        (mean_product(2), {"inverse_delta": 10**5000}, r"inverse_delta=1.000e\+5000.*limits"),
        (mean_product(2), {"inverse_delta": 2, "scale": 1}, "scale: expected .* a number < 0"),
        (mean_product(2), {"inverse_delta": 2, "width": F(1, 3)}, "half a cell"),
        # Said before the 5000 contexts are enclosed.
        *((mean_product(2), {"inverse_delta": 100, "width": w}, "width: expected") for w in (1, 0)),
        *((mean_product(2), {"inverse_delta": 100, "head_size": s}, "head_size") for s in (0, 10**5)),
        (mean_product(3), {"inverse_delta": 2}, "every sequence of 3 out of 2 tokens repeats one"),
        (running_mean(2), {"inverse_delta": 2}, "violated at X = .*Proposition 1 approximates"),
    ],
)
def test_bad_arguments_are_refused(target, options, words):
    with pytest.raises(ValueError, match=words):
        build(target, **options)


@pytest.mark.parametrize(
    ("n", "d", "D", "scale", "words"),
    [
        (4, 1, 30, "practical", "30 tokens in 40,920 contexts"),
        (2, 10, 10, "practical", "10,000,000,000 tokens in more than 10.12 contexts"),
        (40, 40, 10**6, "practical", "limits"),
        (2, 1, 6, "literal", "need 431,379 bits"),
    ],
)
def test_networks_that_do_not_fit_are_refused_first(n, d, D, scale, words):
    f = mean_product(n, d)
    with pytest.raises(ConstructionTooLarge, match=words):
        build(f, inverse_delta=D, duplicates="keep", scale=scale)
