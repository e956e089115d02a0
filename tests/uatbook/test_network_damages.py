"""Random damages of networks, and pairs of them: `certify` sees each that does harm.

A damage is seen if a check of the certificate fails, not if it raises. One that is not is judged by another evaluation:
the damaged layers beside the whole ones, on more points with other seeds. UAT_DAMAGES is the number for each network.
"""

import contextlib
import itertools
import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from uatbook.damages import NETWORK, replaced, scaled, with_layer
from uatbook.kajitsuka2024.label_networks import memorise
from uatlib import cheng2025, kajitsuka2024, liu2025, yun2020
from uatlib.arithmetic import BALL, EXACT, Undecided, distances
from uatlib.cheng2025 import certify_network as cheng2025_certify
from uatlib.kajitsuka2024 import certify_network as kajitsuka2024_certify
from uatlib.liu2025 import certify_network as liu2025_certify
from uatlib.model import Transformer
from uatlib.targets import Target, bump, cyclic_difference, mean_product, running_mean
from uatlib.yun2020 import certify_network as yun2020_certify

SEEDS = range(int(os.environ.get("UAT_DAMAGES", "10")))
KINDS = ["a weight"] * 3 + [kind for kind in NETWORK if kind != "keys alike"]
"""Three in thirteen are weights. With all keys alike a kernel may be a constant already: in pairs alone."""


def damaged(model, rng, kinds=KINDS):
    """The kind and the model: the first damage that is there, and leaves layers that fit."""
    while True:
        kind, of_encoder = kinds[rng.integers(len(kinds))], model.encoder and rng.integers(3) == 0
        with contextlib.suppress(ValueError):
            other = NETWORK[kind](Transformer(model.encoder) if of_encoder else model, rng)
            if other is not None and of_encoder:
                return kind, Transformer(model.layers, n=model.n, encoder=other.layers)
            if other is not None:
                return kind, other


class Case(NamedTuple):
    """A construction, its checks that look at the layers, and whether a damaged one is wrong inside its set."""

    built: Any
    checks: Callable[[Any], Any]
    is_wrong: Callable[[Any], bool]

    @property
    def model(self):
        return getattr(self.built, "model", self.built)

    def put(self, model):
        """The construction with another network."""
        return model if isinstance(self.built, Transformer) else replaced(self.built, model=model)


def case(certifier, built, X, allowed, system, **source):
    """Wrong where it is off the whole network at X."""
    whole = built(X, system, **source)

    def is_wrong(other):
        return bool(distances(other(X, system, **source), whole).max() > allowed)

    return Case(built, certifier.network_checks, is_wrong)


def dense(grid, below=Fraction(0), above=Fraction(0)):
    """Every cell in every order, six times: at its edges, beside them, or inside; `below`, `above` are left free."""
    rng, (N, n, d) = np.random.default_rng(10**6), vars(grid).values()
    L = np.array(list(itertools.product(range(N), repeat=d * n)), dtype=object).reshape(-1, d, n)
    if len(L) > 300:
        L = L[rng.choice(len(L), 300, replace=False)]
    L = np.concatenate([L] * 6)
    near = Fraction(1, 10**9)
    part = rng.integers(0, 10**6, L.shape).astype(object) * Fraction(1, 10**6)
    part = np.where(rng.random(L.shape) < 0.3, near, part)
    part = np.where(rng.random(L.shape) < 0.3, 1 - near, part)
    part = np.where(rng.random(L.shape) < 0.2, Fraction(0), part)
    return np.asarray(L * Fraction(1, N) + below + part * (Fraction(1, N) - below - above))


def of_yun(target, **options):
    """A network of yun2020, off the bands; both may be off the hardmax network by the tolerance."""
    built = yun2020.build(target, **options)
    free = (built.width, Fraction(0)) if built.bands == "above" else (Fraction(0), built.width)
    system = BALL.with_bits(built.bits) if built.stage == "softmax" else EXACT
    return case(yun2020_certify, built, dense(built.grid, *free), 2 * built.tolerance * built.grid.delta, system)


def of_kajitsuka(target, **options):
    """A network of Proposition 1."""
    built = kajitsuka2024.build(target, **options)
    X, system = dense(built.grid, built.width), BALL.with_bits(built.bits)
    return case(kajitsuka2024_certify, built, X, Fraction(2 * built.claim["rounded"].bound), system)


def of_cheng(target, **options):
    """A network of Theorem 1, off the ramps."""
    built = cheng2025.build(target, **options)
    X, system = dense(built.grid, above=built.ramp * built.grid.delta), BALL.with_bits(built.bits)
    return case(cheng2025_certify, built, X, Fraction(2 * built.claim["interpolation"].bound), system)


def of_liu(target, **options):
    """A network of Theorem 4.1, 4.2 or 5.1."""
    built = liu2025.build(target, **options)
    Z = liu2025_certify._points(built, 60, np.random.default_rng(10**6))
    X = np.ascontiguousarray(Z.reshape(len(Z), -1, target.d).swapaxes(1, 2))
    source = {"source": X[..., : target.n]} if built.model.cross else {}
    X = X[..., target.n :] if source else X
    return case(liu2025_certify, built, X, Fraction(2 * built.claim["rounding"].bound), BALL, **source)


def of_memory(n=3, size=5):
    """A network of Corollary 1; wrong where an answer is."""
    rows = list(itertools.combinations(range(1, size + 1), n))
    built = memorise(np.array(rows), np.random.default_rng(0).integers(1, 5, (len(rows), n)))
    system, tolerance = BALL.with_bits(2 * built.bits), Fraction(1, 2**40)
    checks = lambda memory: kajitsuka2024.certify(memory).checks  # noqa: E731
    return Case(built, checks, lambda other: bool(other.errors(system).max() > tolerance))


def of_layer(vocabulary=(1, 2, 3), n=2):
    """A layer of Theorem 2; wrong where ids are too large or too near, by loops."""
    built = kajitsuka2024.rank_one_attention(vocabulary, n, slack=Fraction(1, 1000))
    said = kajitsuka2024.separation(vocabulary, n, Fraction(1, 1000))
    system = BALL.with_bits(2 * said.bits)

    def is_wrong(other):
        ids = []
        for row in itertools.permutations(vocabulary, n):
            for t, z in zip(row, other([list(row)], system)[0], strict=True):
                ids.append((t, frozenset(row), z.midpoint))
        for (s, a, y), (t, b, z) in itertools.combinations(ids, 2):
            if s != t and abs(y - z) <= said.eps / 2:
                return True
            # delta is more than 10^(log10 delta), rounded up here.
            if s == t and a != b and abs(y - z) <= Fraction(1, 10 ** int(-said.log10_delta)):
                return True
        return any(abs(z) >= said.r for _, _, z in ids)

    def checks(other):
        # All tokens see all; without that a layer is certified under its own mask, if it has one.
        mask = np.ones((n, n), dtype=bool)
        return kajitsuka2024.certify(other, vocabulary, n, slack=Fraction(1, 1000), mask=mask).checks

    return Case(built, checks, is_wrong)


PRODUCT = Target(lambda Z, source: Z * source, 1, 1, lipschitz=2, n_source=1, d_source=1)
RING = [cheng2025.pattern("directed", 3, window=1)] * 3

CASES = {
    "yun2020 hardmax N=3 n=2": lambda: of_yun(mean_product(2), inverse_delta=3),
    "yun2020 hardmax N=2 n=2 d=2": lambda: of_yun(bump(2, 2), inverse_delta=2),
    "yun2020 hardmax N=4 n=3": lambda: of_yun(mean_product(3), inverse_delta=4),
    "yun2020 hardmax N=6 n=3": lambda: of_yun(mean_product(3), inverse_delta=6),
    "yun2020 hardmax N=3 n=2 printed": lambda: of_yun(mean_product(2), inverse_delta=3, variant="printed"),
    "yun2020 relu N=3 n=2": lambda: of_yun(mean_product(2), inverse_delta=3, stage="relu"),
    "yun2020 relu N=3 n=2 above": lambda: of_yun(mean_product(2), inverse_delta=3, stage="relu", bands="above"),
    "yun2020 softmax N=3 n=2": lambda: of_yun(mean_product(2), inverse_delta=3, stage="softmax"),
    "yun2020 hardmax with positions": lambda: of_yun(running_mean(2), inverse_delta=3, positional=True),
    "yun2020 softmax with positions": lambda: of_yun(
        running_mean(2), inverse_delta=2, positional=True, stage="softmax"
    ),
    "kajitsuka2024 network D=4 n=2": lambda: of_kajitsuka(mean_product(2), inverse_delta=4),
    "kajitsuka2024 network D=3 n=3 keep": lambda: of_kajitsuka(mean_product(3), inverse_delta=3, duplicates="keep"),
    "kajitsuka2024 memory": of_memory,
    "kajitsuka2024 layer": of_layer,
    "cheng2025 network N=4 n=2": lambda: of_cheng(mean_product(2), inverse_delta=4),
    "cheng2025 network N=3 n=3 cyclic": lambda: of_cheng(cyclic_difference(3), inverse_delta=3, patterns=RING),
    "liu2025 self-attention": lambda: of_liu(mean_product(2), inverse_delta=2),
    "liu2025 self-attention, smoother": lambda: of_liu(mean_product(2), error=2.0, form="smoother"),
    "liu2025 cross-attention": lambda: of_liu(PRODUCT, error=1.5, kind="cross"),
    "liu2025 cross-attention, smoother": lambda: of_liu(PRODUCT, error=1.5, kind="cross", form="smoother"),
    "liu2025 cover": lambda: of_liu(mean_product(2), error=0.5, kind="cover", centers=[[0.5, 0.5], [0.5, 1]]),
}


def outcome(case, model):
    """Whether the damaged network is seen, refused, harmless, or survives."""
    built = case.put(model)
    try:
        if any(check.outcome == "fails" for check in case.checks(built)):
            return "seen"
    except ValueError as refusal:
        # Anything else is what a reader would see as a traceback: it counts as not seen.
        return "refused" if "expected" in str(refusal) else f"raw: {refusal}"
    try:
        return "survives" if case.is_wrong(built) else "harmless"
    except (Undecided, ValueError):
        return "survives"


@pytest.mark.parametrize("name", CASES)
def test_what_does_harm_is_seen(name):
    case = CASES[name]()
    assert all(check.holds for check in case.checks(case.built))
    results = []
    for seed in SEEDS:
        kind, model = damaged(case.model, np.random.default_rng(seed))
        results.append((seed, kind, outcome(case, model)))
    # A pair, with all keys alike among its kinds.
    rng = np.random.default_rng(0)
    kind, model = damaged(case.model, rng, [*KINDS, "keys alike"])
    again, model = damaged(model, rng, [*KINDS, "keys alike"])
    results.append((0, f"{kind}, {again}", outcome(case, model)))
    assert [result for result in results if result[-1] not in ("seen", "refused", "harmless")] == []
    assert sum(result[-1] == "seen" for result in results) >= 3
    # The judge of what is harmless knows a network that is wrong, and one that is right.
    assert not case.is_wrong(case.built)
    last = len(case.model.layers) - 1
    louder = scaled(("w_2", "b_2", "w_o", "p", "q"), 400)(case.model.layers[last])
    assert case.is_wrong(case.put(with_layer(case.model, last, louder)))


@pytest.mark.parametrize("kind", NETWORK)
def test_every_kind_is_seen_in_some_network(kind):
    """At the first seed at which it leaves layers that fit, in one of three networks."""
    for name in ("yun2020 hardmax N=3 n=2", "kajitsuka2024 network D=4 n=2", "cheng2025 network N=4 n=2"):
        case = CASES[name]()
        for seed in range(4):
            if outcome(case, damaged(case.model, np.random.default_rng(seed), [kind])[1]) == "seen":
                return
    pytest.fail(f"{kind} is never seen")
