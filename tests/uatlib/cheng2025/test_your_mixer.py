"""Verdicts of `check_mixer` where the answer is known, and that each "no" comes with a pair that is alike."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import torch

from uatbook.cheng2025.mixing_terms import bias_attention, cyclic_convolution, linformer, skyformer
from uatlib.arithmetic import EXACT
from uatlib.cheng2025 import check_mixer, distinguishes, kernel, local_fooling_pairs, pattern
from uatlib.cheng2025.mixer_network import Network
from uatlib.cheng2025.mixer_parsing import of_mixer, parsed
from uatlib.cheng2025.pairs import FAMILIES, pairs
from uatlib.kernels import CONSTANT
from uatlib.layers import Attention, FeedForward, Head
from uatlib.mixers import SeparableConvolution
from uatlib.model import Transformer

RNG = np.random.default_rng(3)


def members_of(group, n):
    """All permutations of a group, or for many tokens None for all there are."""
    turns = [tuple((k + r) % n for k in range(n)) for r in range(n)]
    flips = [tuple((r - k) % n for k in range(n)) for r in range(n)]
    every = list(permutations(range(n))) if n <= 5 else None
    return {"trivial": turns[:1], "cyclic": turns, "dihedral": turns + flips, "symmetric": every}[group]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_pairs_are_of_distinct_tokens_and_different_orbits(d):
    """All families, groups, and n up to 16: tokens other than 0, no two equal, no permutation of the group between."""
    for seed in range(64):
        n, group = 1 + seed % 16, ("symmetric", "cyclic", "dihedral", "trivial")[seed // 16 % 4]
        members, families = members_of(group, n), set()
        known = members and set(members)
        inside = lambda s, known=known: known is None or s in known  # noqa: E731
        for family, X, Y in pairs(n, d, inside, np.random.default_rng(seed), zeros=True):
            x, y = ([tuple(Z[:, k].tolist()) for k in range(n)] for Z in (X, Y))
            where = (family, n, seed, x, y)
            for tokens in (x, y):
                assert [k for k in range(n) if not any(tokens[k])] == ([0] if family == "a zero token" else []), where
                assert len(set(tokens)) == n, where
            if members is None:
                assert sorted(x) != sorted(y), where
            for s in members or ():
                assert any(x[i] != y[k] for k, i in enumerate(s)), where
            families.add(family)
        needs_a_plane = {
            "turned polygons",
            "one entry changed",
            "entries exchanged",
            "a token moved across a shared one",
        }
        missing = set(FAMILIES) - families if n >= 4 else set()
        assert missing <= {"the same tokens in another order"} | (needs_a_plane if d == 1 else set()), where


KNOWN = [
    ("exp", {}, 3, 1, "yes"),
    ("rbf", {}, 4, 1, "yes"),
    ("constant", {}, 3, 2, "no"),
    ("cosh", {}, 4, 2, "no"),
    ("polynomial", {"power": 2, "offset": 1}, 4, 1, "yes"),
    ("polynomial", {"power": 2, "offset": 1}, 5, 1, "no"),
    ("elu", {}, 3, 1, "yes"),
    ("exp_plus", {"w": [1, 0.5]}, 3, 1, "yes"),
]


@pytest.mark.parametrize(("name", "parameters", "n", "layers", "verdict"), KNOWN)
def test_kernels_on_all_tokens(name, parameters, n, layers, verdict):
    k = kernel(name, **parameters)
    found = distinguishes(k, [pattern("full", n)] * layers, d=2)
    assert found.verdict == verdict
    assert found.holds == (verdict == "yes")
    if verdict == "no":
        # The pair by the formula, with weights that the search has not seen.
        (X, Y), (i, j) = found.pair, found.tokens
        assert sorted(map(tuple, X.T)) != sorted(map(tuple, Y.T))
        for seed in range(5):
            rng = np.random.default_rng(seed)
            weights = rng.normal(size=(layers, 3, 2, 2))
            outs = [mixed(Z, weights, k) for Z in (X, Y)]
            assert outs[0][:, i] == pytest.approx(outs[1][:, j], abs=1e-11)


def mixed(Z, weights, k):
    for W_Q, W_K, W_V in weights:
        new = Z.copy()
        for i in range(Z.shape[1]):
            shares = np.array([np.exp(k.log(W_Q @ Z[:, i], W_K @ Z[:, j])) for j in range(Z.shape[1])])
            new[:, i] += W_V @ Z @ shares / shares.sum()
        Z = new
    return Z


@pytest.mark.parametrize(
    ("patterns", "verdict"),
    [
        ([[{0, 1, 2}, {0, 2}, {0, 1}]], "no"),
        ([pattern("longformer", 6, window=1, global_tokens=1)] * 2, "no"),
        ([pattern("circulant", 5, window=1)] * 2, "yes"),
    ],
)
def test_patterns_are_judged_as_by_the_exact_test(patterns, verdict):
    assert distinguishes(kernel("exp"), patterns, d=2).verdict == verdict
    assert bool(local_fooling_pairs(patterns)) == (verdict == "no")


def sky(X, theta):
    return skyformer(X, *theta.reshape(3, 2, 2))


MIXERS = {
    "mean": (lambda X, t: t[0] * X.mean(-1, keepdim=True) + 0 * X, 1, 3, "symmetric", "no"),
    "convolution": (lambda X, t: cyclic_convolution(X, t), 3, 4, "cyclic", "no"),
    "skyformer": (sky, 12, 4, "symmetric", "yes"),
    "linformer": (
        lambda X, t: linformer(X, *t[:12].reshape(3, 2, 2), *t[12:].reshape(2, 4, 2)), 28, 4, "trivial", "yes",
    ),
    "bias": (lambda X, t: bias_attention(X, t[0], t[1:5].reshape(2, 2), t[5:7]), 7, 4, "symmetric", "yes"),
    "bias, cubic": (
        lambda X, t: bias_attention(X, t[0], t[1:5].reshape(2, 2), t[5:7], lambda u: u**3), 7, 5, "symmetric", "no",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXERS)
def test_mixers_of_other_kinds(name):
    g, parameters, n, group, verdict = MIXERS[name]
    assert check_mixer(g, parameters=parameters, n=n, d=2, group=group).verdict == verdict


def test_two_layers_of_convolution_reach_all_tokens():
    g = MIXERS["convolution"][0]
    assert check_mixer(g, parameters=3, n=4, d=2, group="cyclic", layers=2).verdict == "yes"


def test_a_zero_token_fools_skyformer():
    found = check_mixer(sky, parameters=12, n=4, d=2, group="symmetric", zero_tokens=True)
    assert found.verdict == "no"
    assert found["a zero token"].measured < 100


# --------------------------------------------------------------------------------------------- what users may bring


def attention(X, theta):
    Q, K, V = theta.reshape(3, len(X), len(X))
    return V @ X @ torch.softmax((K @ X).mT @ (Q @ X), dim=-2)


def parts(t):
    return t[0], t[1:5].reshape(2, 2), t[5:7]


SINGLE = torch.tensor([[1, 0.5], [-0.25, 2]])


def in_place(X, theta):
    X.mul_(2)
    theta.add_(1)
    return attention(X, theta)


def without_gradients(X, theta):
    return torch.as_tensor(attention(X, theta).detach().numpy().copy())


def hardmax(X, theta):
    Q, K, V = theta.reshape(3, 2, 2)
    scores = (K @ X).mT @ (Q @ X)
    return V @ X @ (scores == scores.amax(dim=-2, keepdim=True)).to(X.dtype)


MODULE = torch.nn.MultiheadAttention(2, 1, batch_first=True).eval()
SHAPES = {name: p.shape for name, p in MODULE.named_parameters()}


def module(X, theta):
    parts = torch.split(theta, [s.numel() for s in SHAPES.values()])
    weights = {name: part.reshape(s) for (name, s), part in zip(SHAPES.items(), parts, strict=True)}
    return torch.func.functional_call(MODULE, weights, (X.T[None],) * 3, {"need_weights": False})[0][0].T


BROUGHT = {
    "functional code": (attention, 12, "yes"),
    "in place": (in_place, 12, "yes"),
    "constants in float32, fooled": (lambda X, t: (SINGLE @ X * t[0]).mean(-1, keepdim=True).expand(2, 3), 1, "no"),
    "bfloat16 inside, fooled": (lambda X, t: (t[0] * X).bfloat16().mean(-1, keepdim=True).expand(2, 3).to(X), 1, "no"),
    "no gradients": (without_gradients, 12, "yes"),
    "no gradients, fooled": (lambda X, t: torch.as_tensor(X.numpy().mean(-1, keepdims=True)) * t[0] + 0 * X, 1, "no"),
    "attached to weights": (lambda X, t: attention(X, t) + torch.nn.Parameter(SINGLE)[0, 1], 12, "yes"),
    "whole numbers, fooled": (lambda X, t: (X.sum(dim=1, keepdim=True) * t[0]).round().long().expand(2, 3), 1, "no"),
    "open for few theta": (lambda X, t: torch.relu(t[12] - 3) * attention(X, t[:12]), 13, "yes"),
    "NaN for half of theta": (lambda X, t: attention(X, t) * torch.log(t[0]), 12, "yes"),
    "overflows in float32": (lambda X, t: 1e60 * attention(X, t), 12, "unsure"),
    "a module of torch": (module, sum(s.numel() for s in SHAPES.values()), "yes"),
    "control flow": (lambda X, t: attention(X, t) if float(t[0]) > 0 else attention(2 * X, t), 12, "yes"),
}


def with_scores(kind, weights, d=2, cast=torch.Tensor.to):
    """Attention whose scores, and what is made of them, are of another kind than X, as model hubs do."""

    def g(X, theta):
        Q, K, V = theta.reshape(3, d, d)
        return V @ X @ cast(weights(cast((K @ X).mT @ (Q @ X), kind)), kind).to(X.dtype)

    return g


def in_numpy(S, kind):
    """Rounded out of PyTorch's sight: to what NumPy has, or to the eight bits of bfloat16."""
    values = S.numpy(force=True)
    if kind == torch.bfloat16:
        bits = values.astype(np.float32).view(np.uint32)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    else:
        rounded = values.astype(str(kind).removeprefix("torch."))
    return torch.as_tensor(rounded.astype(np.float64)).to(S)


def layer_norm(S):
    return (S - S.mean(-2, keepdim=True)) / (S.var(-2, keepdim=True, unbiased=False) + 1e-5).sqrt()


ACTIVATIONS = {
    "layer norm": layer_norm,
    "relu": torch.relu,
    "elu": lambda S: torch.nn.functional.elu(S) + 1,
    "gelu": torch.nn.functional.gelu,
    "softmax": lambda S: torch.softmax(S, dim=-2),
    "sigmoid": torch.sigmoid,
}
LOW = (torch.float32, torch.float16, torch.bfloat16)


@pytest.mark.parametrize(("n", "d"), [(3, 1)])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_casts_within_g_turn_no_answer(name, n, d):
    """They are raised, so that all is as in float64, to the bit."""
    options, weights = {"parameters": 3 * d * d, "n": n, "d": d, "group": "symmetric"}, ACTIVATIONS[name]
    true = check_mixer(with_scores(torch.float64, weights, d), **options)
    assert not {"raised", "relative rounding"} & set(true.parameters)
    for kind in LOW:
        part = with_scores(kind, weights, d)
        whole = lambda X, t, g=part, kind=kind: g(X.to(kind), t.to(kind)).to(X.dtype)  # noqa: E731
        for g in (part, whole):
            found = check_mixer(g, **options)
            assert (found.verdict, found.gap, found.family) == (true.verdict, true.gap, true.family)
            assert str(kind).removeprefix("torch.") in found.parameters["raised"]


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_what_is_rounded_out_of_sight_is_noticed(name):
    """And what is too coarse to be judged is answered so. Of two tokens bfloat16 moves too seldom to be noticed."""
    options, weights = {"parameters": 3, "n": 3, "d": 1, "group": "symmetric"}, ACTIVATIONS[name]
    true = check_mixer(with_scores(torch.float64, weights, 1), **options)
    for kind in LOW:
        found = check_mixer(with_scores(kind, weights, 1, in_numpy), **options)
        assert "relative rounding" in found.parameters
        assert found.verdict == (true.verdict if kind == torch.float32 else "unsure")
        coarse = found.parameters.get("hint", "").startswith("not known at this precision: g rounds by")
        assert coarse == (kind != torch.float32)


def test_what_is_made_of_low_floats_is_raised_with_them():
    """Lists, buffers, new tensors, constants beside X. A g that is another one in other floats stays as it is."""
    half = torch.tensor([[1, 0.5], [-0.25, 2]], dtype=torch.float16)

    def g(X, theta):
        Q, K, V = theta.reshape(3, 2, 2)
        buffer = torch.zeros(2, 3, dtype=torch.float16)
        buffer[:] = V @ X
        both = torch.cat([buffer, torch.stack([half[0, 0] * X[0], X[1].type(torch.bfloat16)])])
        scores = (K @ X).mT @ torch.nn.functional.linear((Q @ X).mT.to(dtype=torch.float16), half).mT.to(X)
        return (both[:2] + both[2:]) @ torch.softmax(scores, dim=0, dtype=torch.float32).to(X.dtype)

    def exact(X, theta):
        Q, K, V = theta.reshape(3, 2, 2)
        return (V @ X + X) @ torch.softmax((K @ X).mT @ (half.double() @ Q @ X), dim=0)

    (step,) = parsed(g, 12, 3, 2, np.random.default_rng(0))
    assert step.low == ("bfloat16", "float16", "float32")
    X, theta = torch.as_tensor(RNG.normal(size=(2, 3))), torch.as_tensor(RNG.normal(size=12))
    torch.testing.assert_close(step.run(X, theta), X + exact(X, theta), rtol=0, atol=1e-14)
    for other in (
        lambda X, theta: X * theta[0].half().view(torch.int16),  # no float of more bits has these
        lambda X, theta: X * (theta[0] + (theta.half().dtype == torch.float16)),  # quite another
    ):
        assert parsed(other, 1, 3, 2, np.random.default_rng(0))[0].low == ()


@pytest.mark.parametrize(
    "weights",
    [
        lambda S: (3 * S).floor().remainder(2),
        torch.relu,
        lambda S: torch.sin(30 * S),
        lambda S: 1 / S,
        lambda S: torch.softmax(torch.where(S.topk(2, dim=-2).values[-1:] > S, -torch.inf, S), dim=-2),
        lambda S: 1e12 * torch.sigmoid(S),
    ],
    ids=["hash", "relu", "waves", "poles", "top two", "huge"],
)
def test_jumps_kinks_and_steep_parts_are_no_rounding(weights):
    """All of it in float64; where jumps are many they look like noise, but are larger."""
    for n, d in ((4, 2), (8, 4)):
        net = Network([of_mixer(with_scores(torch.float64, weights, d), 3 * d * d)])
        net.measure_resolution(d, n, np.random.default_rng(0))
        assert net.resolution == 0


@pytest.mark.parametrize("name", BROUGHT)
def test_mixers_that_users_bring(name):
    g, parameters, verdict = BROUGHT[name]
    assert check_mixer(g, parameters=parameters, n=3, d=2, group="symmetric").verdict == verdict


def squares(X):
    return (X[:, :, None] - X[:, None]).square().sum(dim=0)


BLIND = {
    "one entry changed": {
        "a split of channels": (
            lambda X, t: (t[2:4] * torch.tanh(t[0] * X[0] + t[1]).sum())[:, None].expand_as(X), 4, 3,
        ),
        "keys and values of one channel": (
            lambda X, t: t[4:, None] * X[:1] @ torch.softmax(X[:1].mT @ t[None, :2] @ X * t[2], dim=0), 6, 4,
        ),
    },
    "entries exchanged": {
        "a direction": (lambda X, t: torch.tanh(t[0] * X.sum(0) + t[1]).sum().expand(2, 3), 2, 3),
    },
    "a token turned about a shared one": {
        "distances": (lambda X, t: X * torch.tanh(t[0] * squares(X) + t[1]).sum(0) * t[2], 3, 3),
    },
    "a token moved across a shared one": {
        "inner products": (lambda X, t: X * torch.tanh(t[0] * X.mT @ X + t[1]).sum(0) * t[2], 3, 3),
        "lengths and inner products": (
            lambda X, t: X * torch.tanh(t[0] * X.mT @ X + t[1] * X.square().sum(0)[:, None]).sum(0) * t[2], 3, 3,
        ),
    },
    "a token shifted by a period": {
        "frequencies": (lambda X, t: torch.sin(X + t[4:6, None]).sum(1, keepdim=True).expand(2, 3), 6, 3),
    },
}  # fmt: skip


@pytest.mark.parametrize(("family", "name"), [(family, name) for family in BLIND for name in BLIND[family]])
def test_designs_that_do_not_hear_all_of_a_token(family, name):
    g, parameters, n = BLIND[family][name]
    found = check_mixer(g, parameters=parameters, n=n, d=2, group="symmetric")
    assert (found.verdict, found.family) == ("no", family)


def overflowing(X, t):
    Q, K, V = t.reshape(3, len(X), len(X))
    E = torch.exp((K @ X).mT @ (Q @ X) + 90)
    return V @ X @ (E / E.sum(0))


@pytest.mark.parametrize(
    ("g", "d", "kind"),
    [
        (overflowing, 2, torch.float32),
        (lambda X, t: 1e60 * attention(X, t), 2, torch.float32),
        (lambda X, t: attention(torch.log(X), t), 1, torch.float64),
    ],
)
def test_what_is_not_finite_is_not_seen(g, d, kind):
    """Neither alike nor apart; the hint names an X where g is not finite, in float32 or at all."""
    found = check_mixer(g, parameters=3 * d * d, n=2, d=d, group="symmetric")
    hint = found.parameters["hint"]
    assert (found.verdict, "in float32" in hint) == ("unsure", kind == torch.float32)
    X = torch.tensor(eval(hint.split("X = ")[1].split(" with")[0]), dtype=kind)
    assert not torch.isfinite(g(X, torch.ones(3 * d * d, dtype=kind))).all()


@pytest.mark.parametrize(
    ("g", "parameters", "kinks"),
    [
        (attention, 12, False),
        (hardmax, 12, True),
        (lambda X, t: bias_attention(X, *parts(t), "relu"), 7, True),
        (lambda X, t: attention(X, t * 20), 12, True),  # analytic, and as steep as a jump
        (lambda X, t: torch.relu(t[12] - 30) * attention(X, t[:12]), 13, False),  # a kink where nobody looks
    ],
)
def test_kinks_and_what_is_as_steep_are_noted(g, parameters, kinks):
    found = check_mixer(g, parameters=parameters, n=3, d=2, group="symmetric")
    assert found.kinks == kinks
    assert ("one was seen, or something as steep" in str(found)) == kinks


def test_hardmax_does_not_hear_a_token_between_two_others():
    found = check_mixer(hardmax, parameters=12, n=5, d=2, group="symmetric")
    assert (found.verdict, found.gaps["one token between two others moved"]) == ("no", 0)


def test_equal_sums_on_a_ray_fool_scores_of_directions_and_not_of_lifted_tokens():
    """Also the pair by hand, (a, u, 4u) and (a, 2u, 3u)."""

    def scored(X, Z, theta):
        Q, K = theta[4:].reshape(2, len(Z), len(Z))
        Z = Z / Z.norm(dim=-2, keepdim=True)
        return theta[:4].reshape(2, 2) @ X @ torch.softmax((K @ Z).mT @ (Q @ Z), dim=-2)

    flat = lambda X, t: scored(X, X, t)  # noqa: E731
    lifted = lambda X, t: scored(X, torch.cat([X, torch.ones_like(X[:1])]), t)  # noqa: E731
    found = check_mixer(flat, parameters=12, n=3, d=2, group="symmetric")
    assert (found.verdict, found.family) == ("no", "two tokens on one ray, equal sum")
    assert check_mixer(lifted, parameters=22, n=3, d=2, group="symmetric").verdict == "yes"
    a, u = torch.tensor([[1.0, 0.5], [-1, 2]], dtype=torch.float64)
    for theta in torch.tensor(RNG.normal(size=(5, 12))):
        heard = [flat(torch.stack([a, s * u, t * u], dim=1), theta)[:, 0] for s, t in ((1, 4), (2, 3))]
        assert torch.allclose(*heard, atol=1e-14)


@pytest.mark.parametrize("n", [3, 4, 7])
@pytest.mark.parametrize("offset", [0, 1e-3])
def test_equal_squares_on_a_ray_fool_kernels_that_are_linear_along_it(n, offset):
    """ReLU of scores; and Performer's ReLU features with their 0.001, of four tokens on, where sums agree as well."""

    def g(X, theta):
        Q, K, V = theta[:12].reshape(3, 2, 2)
        if not offset:
            return V @ X @ torch.relu((K @ X).mT @ (Q @ X))
        q, k = (torch.relu(theta[12:].reshape(4, 2) @ W @ X) + offset for W in (Q, K))
        return V @ X @ (k.mT @ q / (k.sum(dim=-1, keepdim=True).mT @ q))

    found = check_mixer(g, parameters=20, n=n, d=2, group="symmetric")
    assert found.gaps["tokens on one ray, equal squares"] < 100 or (n, offset) == (3, 1e-3)
    assert found.verdict == "no" or (n, offset) == (3, 1e-3)


def test_a_family_that_came_later_leaves_the_draws_of_the_others_as_they_were(monkeypatch):
    later = "tokens on one ray, equal squares"
    for n, d in ((3, 1), (5, 2), (8, 4)):
        first, second = (FAMILIES[later](n, d, lambda s: True, np.random.default_rng(seed)) for seed in (0, 1))
        assert not np.array_equal(next(first), next(second))
        both = []
        for families in (FAMILIES, {name: draw for name, draw in FAMILIES.items() if name != later}):
            monkeypatch.setattr("uatlib.cheng2025.pairs.FAMILIES", families)
            rng = np.random.default_rng(n)
            found = [pair for pair in pairs(n, d, lambda s: True, rng) if pair.family != later]
            both.append([(pair.family, pair.X.tolist(), pair.Y.tolist()) for pair in found] + [rng.normal()])
        assert both[0] == both[1]


def test_a_mixer_that_is_0_nearly_everywhere_gets_a_hint():
    shut = lambda X, t: torch.exp(-(t[12:] - 3).square().sum()) * attention(X, t[:12])  # noqa: E731
    found = check_mixer(shut, parameters=20, n=3, d=2, group="symmetric")
    assert "shift them" in found.parameters["hint"]
    mean = lambda X, t: t[0] * X.mean(-1, keepdim=True) + 0 * X  # noqa: E731
    assert "hint" not in check_mixer(mean, parameters=1, n=3, d=2, group="symmetric").parameters


@pytest.mark.parametrize(
    ("bound", "value", "note", "words"),
    [("CALLS", 0, "ascents", "stopped after 0 calls"), ("SEEN", 1000, "hint", "too few parameters")],
)
def test_no_needs_an_ascent_and_enough_parameters(monkeypatch, bound, value, note, words):
    monkeypatch.setattr(f"uatlib.cheng2025.mixer_search.{bound}", value)
    found = check_mixer(lambda X, t: t[0] * X.mean(-1, keepdim=True) + 0 * X, parameters=1, n=3, d=2, group="symmetric")
    assert found.verdict == "unsure"
    assert words in found.parameters[note]


@pytest.mark.parametrize(
    ("g", "group", "wider"),
    [
        (attention, "trivial", "symmetric"),
        (attention, "cyclic", "symmetric"),
        (lambda X, t: torch.tanh(t[0] * X + t[1] * X.roll(1, 1) + t[2] * X.roll(2, 1) ** 2), "trivial", "cyclic"),
        (lambda X, t: (t[0] * X).cumsum(1), "trivial", None),  # its own places are blind, no symmetry is missing
    ],
)
def test_a_group_that_is_too_small_is_noticed(g, group, wider):
    found = check_mixer(g, parameters=12, n=4, d=2, group=group)
    assert (found.verdict, found.family) == ("no", "the same tokens in another order")
    hint = found.parameters.get("hint", "")
    assert f'group="{wider}"' in hint if wider else not hint
    if wider:
        assert "g is equivariant under" in hint


def test_a_group_is_given_by_permutations_too():
    rotations = [(1, 2, 3, 0)]
    g = lambda X, t: cyclic_convolution(X, t)  # noqa: E731
    for group in ("cyclic", rotations):
        assert check_mixer(g, parameters=4, n=4, d=2, group=group).verdict == "yes"
    assert check_mixer(g, parameters=4, n=4, d=2, group="trivial").verdict == "no"
    with pytest.raises(ValueError, match=r'off by .* for \(1, 0, 2, 3\).*; at X = .*what fits there is "cyclic"'):
        check_mixer(g, parameters=4, n=4, d=2, group=[(1, 0, 2, 3)])


ONE = [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("layer", "layers", "verdict"),
    [
        (Attention([Head(ONE, ONE, ONE, ONE)], kernel=CONSTANT), 2, "no"),
        (Attention([Head(ONE, ONE, ONE, ONE)], "hardmax"), 1, "no"),
        (Attention([Head(ONE, ONE, ONE, ONE)]), 1, "yes"),
        (Transformer([SeparableConvolution(ONE, [[1, 1, 1], [1, 1, 1]])]), 1, "no"),
    ],
)
def test_layers_of_this_library_and_exact_arithmetic(layer, layers, verdict):
    """The pair, in EXACT with weights that the search has not seen: the two tokens are the same fraction."""
    group = "trivial" if isinstance(layer, Transformer) else "symmetric"
    found = check_mixer(layer, n=4, d=2, group=group, layers=layers)
    assert found.verdict == verdict
    if verdict == "no":
        name = "the same in EXACT: rational parameters at which the two tokens differ"
        assert found[name].measured == 0
        model, rng = Transformer([*(layer.layers if isinstance(layer, Transformer) else [layer])] * layers), RNG
        drawn = Transformer(
            [
                one.with_weights({name: rng.integers(-9, 10, w.shape) for name, w in one.weights().items()})
                for one in model.layers
            ]
        )
        F, G = (drawn([[Fraction(t) for t in row] for row in Z.tolist()], EXACT) for Z in found.pair)
        i, j = found.tokens
        assert list(F[:, i]) == list(G[:, j])


def test_a_feed_forward_layer_between_averages_is_seen():
    """Average attention fails at every depth; with ReLUs before it, it need not."""
    average = Attention([Head(ONE, ONE, ONE, ONE)], kernel=CONSTANT)
    relu = FeedForward([[1, 0], [0, 1], [1, 1]], [0, 1, 1], [[1, 0, 1], [0, 1, 1]], [0, 0])
    assert check_mixer(Transformer([average, average]), n=3, d=2, group="symmetric").verdict == "no"
    assert check_mixer(Transformer([relu, average]), n=3, d=2, group="symmetric").family != "equal means"


def test_the_joint_parameters_tell_all_pairs_apart():
    found = check_mixer(attention, parameters=12, n=3, d=2, group="symmetric")
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(2, 2, 3))
    Y[:, 0] = X[:, 0]
    F, G = ((Z + attention(torch.tensor(Z), torch.tensor(found.theta)).numpy()) for Z in (X, Y))
    gaps = np.abs(F[:, :, None] - G[:, None, :]).max(axis=0)
    assert gaps.min() > 1e-9
    assert min(found.gaps.values()) == found.gap > 1e4
    assert len(set(found.gaps.values())) == len(found.gaps) > 2, "each family has a worst pair of its own"


def test_a_g_with_the_skip_inside_is_warned_of():
    with pytest.warns(UserWarning, match=r"g\(X, 0\) = X; the layer adds X itself"):
        check_mixer(lambda X, t: X + attention(X, t), parameters=12, n=3, d=2, group="symmetric")


WRONG = [
    ({"g": lambda X, t: X[:, :1]}, r"g: expected values of shape \(2, 3\), got \(2, 1\)"),
    ({"g": lambda X, t: X * torch.nan}, "g: expected finite values"),
    (
        {"g": lambda X, t: t[0] * X.mean(dim=1, keepdim=True) + 1e-5 * torch.arange(3)},
        r"group: .*off by .* units of rounding for \(1, 0, 2\).*at X = \[\[.*\]\]; what fits there is \"trivial\"",
    ),
    ({"g": lambda X, t: X @ t}, r"g: expected a function of tensors X of shape \(2, 3\)"),
    ({"g": lambda X, t: X * torch.arange(3)}, "group: expected one under which g is equivariant"),
    ({"parameters": 0}, "parameters: expected an int from 1"),
    ({"layers": 0}, "layers: expected"),
    ({"group": "ring"}, "group: expected one of symmetric"),
    ({"g": lambda X: X}, "g: expected a function of X and theta"),
    ({"g": lambda X, t: torch.nn.functional.dropout(X, 0.5)}, "g: expected the same values for the same X and theta"),
    ({"g": lambda X, t: X * 1j}, r"g: expected values of shape \(2, 3\), got 'complex ones'"),
    ({"g": Attention([Head([[1]], [[1]], [[1]], [[1]])])}, "g: expected layers that take 3 tokens of 2 entries"),
    ({"g": Attention([Head(ONE, ONE, ONE, ONE)]), "parameters": 5}, "parameters: expected None for layers"),
    ({"parameters": None}, r"parameters: expected how many .* sum\(p.numel\(\) for p in module.parameters\(\)\)"),
    ({"g": torch.nn.Linear(2, 2), "parameters": None}, "g: expected a function .*torch.func.functional_call"),
    ({"parameters": 50_000, "layers": 3}, "parameters: expected at most 100,000 in all layers, got '150,000'"),
    ({"group": [(0, 0, 1)]}, "group"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_what_it_refuses(changes, message):
    with pytest.raises(ValueError, match="^" + message):
        check_mixer(**{"g": lambda X, t: 0 * X + t[0], "parameters": 1, "n": 3, "d": 2, "group": "symmetric"} | changes)


@pytest.mark.parametrize("n", [4, 5])
def test_a_division_by_a_sum_that_is_zero_is_no_answer(n):
    """Weights s^3 over their sum: for p, -p, a, -a, and a regular pentagon, the sum is 0, and what floats leave of it
    is neither a collision nor a difference."""
    rng = np.random.default_rng(0)
    p, a, *queries = ([Fraction(int(t), 8) for t in rng.integers(-30, 30, 2)] for _ in range(8))
    for query in queries:
        total = Fraction(0)
        for key in (p, [-t for t in p], a, [-t for t in a]):
            score = Fraction(0)
            for left, right in zip(key, query, strict=True):
                score += left * right
            total += score**3
        assert total == 0
    corners = [2 * math.pi * k / 5 for k in range(5)]
    assert all(abs(sum(math.cos(turn - corner) ** 3 for corner in corners)) < 1e-14 for turn in (0.1, 1.0, 2.5))

    def g(X, theta):
        W_Q, W_K, W_V = theta.reshape(3, 2, 2)
        weights = ((W_K @ X).mT @ (W_Q @ X)) ** 3
        return W_V @ X @ (weights / weights.sum(dim=0))

    found = check_mixer(g, parameters=12, n=n, d=2, group="symmetric")
    assert found.verdict == "unsure"
    assert math.isnan(found.gap)
    assert "no digit in float32" in found.parameters["hint"] or "infinite" in found.parameters["hint"]
