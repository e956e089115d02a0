"""Cheng et al. (2025), section 4.4.1: attention with bias; Corollary 5, and what it needs."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import EXACT
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, whole
from uatlib.checks import seed as parse_seed
from uatlib.cheng2025.automorphisms import Permutation, automorphism_group, local_fooling_pairs
from uatlib.cheng2025.certify_network import two_tokens
from uatlib.cheng2025.connectivity import connectivity_depth
from uatlib.cheng2025.named_patterns import pattern as pattern_of
from uatlib.mixers import BiasAttention
from uatlib.model import Transformer
from uatlib.patterns import Pattern

from ..damages import Damage, edited, in_a_layer, in_every_layer, in_part, mapped, put, without_a_layer
from ..registry import register
from .distinguishing import equal_power_pair, lattice, spread_sums
from .told_apart import FINE, SHIFT, ends, gaps, numbers, sequences, symmetry


class Biased(NamedTuple):
    """Layers of bias attention with one pattern, its automorphisms (None: all), sequences, and what may be used."""

    model: Transformer
    group: list[Permutation]
    X: np.ndarray
    most: int


HEARD: dict[str, Callable[[int], list[set[int]]]] = {
    "full": lambda n: pattern_of("full", n),
    "window": lambda n: pattern_of("sliding_window", n, window=1),
    "others": lambda n: [set(range(n)) - ({i} if i else set()) for i in range(n)],
}
"""All; the neighbours; token 0 hears all and the others all but themselves."""


def _certify_biased(parts: Biased) -> Certificate:
    model, group, X, most = parts
    checks = [
        *gaps("random weights", model, X, group),
        symmetry("automorphisms", model, X[:1], group),
        Check("layers used, m + 1 at most, if m connect all tokens", len(model.layers), "<=", most, {"m": most - 1}),
    ]
    alphas = ", ".join(dict.fromkeys(repr(layer).split("(")[1].split(",")[0] for layer in model.layers))
    return Certificate(checks, parameters={"n": X.shape[-1], "d": X.shape[1], "alpha": alphas})


def _bias_layers(layers: int, d: int, alpha: Any, heard: Any, rng: np.random.Generator) -> Transformer:
    draw = (numbers(rng, d + 1, d) for _ in range(layers))
    return Transformer([BiasAttention(1, w[:d], w[d], alpha, heard) for w in draw])


def _with(layer: Any, **changes: Any) -> Any:
    return replace(layer, **changes)


def _in_every_layer(name: str, new: Callable[[Any], object]) -> Damage:
    """Every layer with another value of this field."""
    return in_part("model", in_every_layer(lambda layer: _with(layer, **{name: new(layer)})))


def _linear(parts: Biased, rng: np.random.Generator) -> Any:
    """alpha(t) = t. Where tokens hear few others, who they are tells more than what they say."""
    few = min(len(heard) for heard in parts.model.layers[0].pattern.neighbours) < parts.X.shape[-1] - 1  # type: ignore[attr-defined]
    return None if few else _in_every_layer("alpha", lambda layer: 1)(parts, rng)


def _deaf(layer: BiasAttention) -> Pattern:
    """Nobody but itself hears the last token."""
    n = layer.pattern.shape[0]
    return Pattern([set(heard.tolist()) - ({n - 1} - {i}) or {i} for i, heard in enumerate(layer.pattern.neighbours)])


@register(
    "cheng2025:cor-5",
    "attention with bias tells sequences apart up to the pattern's symmetry, for analytic alpha that is no polynomial",
    source="Corollary 5 and (21), sections 4.4.1 and C.4.3",
    chapter="cheng-other-mixers",
    construction=BiasAttention,
    certify=_certify_biased,
    cases=[
        {"pattern": "others", "n": 3},
        {"pattern": "window", "n": 4, "d": 1},
        {"alpha": "sin", "n": 5, "d": 3},
        {"alpha": "exp", "n": 3},
    ],
    damages={
        "alpha(t) = t": _linear,
        "a layer left out": in_part("model", without_a_layer),
        "a layer too many": lambda parts, rng: put(model=Transformer([*parts.model.layers] * (parts.most + 1)))(
            parts, rng
        ),
        "a is 0": _in_every_layer("a", lambda layer: 0),
        "W is 0": _in_every_layer("w", lambda layer: 0 * layer.w),
        "nobody hears the last token": _in_every_layer("pattern", _deaf),
    },
    concerns="statement",
    erratum="""The corollary takes any alpha of polynomial growth. A constant is one, and then no token hears what
    another says: its output depends on its own value and its place. And as in Corollary 2 the connectivity depth may be
    one layer too few, whatever feed-forward layers stand between. The proof, by Theorem 2, speaks of mixing layers
    alone. There alpha must be no polynomial, as it says, and analytic: sums of t^k, k <= n - 2, agree for some
    sequences, and one layer of ReLU serves each two, but not all. Those are lines of the proof: behind feed-forward
    layers that spread tokens every continuous alpha tells sets apart, unless it is constant. It may grow as it likes.
    In (21) W is a row and b a number; appendix C.4.3 has sizes that fit, (d, d) and (d,). (And (21) has [X]_i within
    Atten, to which (1) adds it once more, so that no weights give the zero map.)""",
    alone=("alpha", "layers"),
)
def corollary_5(
    *, variant: str = "repaired", pattern: str = "full", n: int = 4, d: int = 2, alpha: object = "tanh", seed: int = 0
) -> Biased:
    """Random weights and all b; printed: a constant alpha, and as many layers as connect the pattern."""
    n, d = whole("n", n, 3, 6), whole("d", d, 1, 6)
    heard = HEARD[choice("pattern", pattern, list(HEARD))](n)
    alpha = choice("alpha", alpha, ("tanh", "sin", "sigmoid", "gelu", "exp"))
    depth = connectivity_depth([heard] * n)
    assert depth is not None
    most, layers = depth + 1, depth
    if variant in ("repaired", "layers alone"):
        layers += bool(local_fooling_pairs([heard] * depth))
    if variant in ("printed", "layers alone"):
        alpha = 0
    rng = np.random.default_rng(parse_seed(seed))
    X = sequences(n, d, rng)
    return Biased(_bias_layers(layers, d, alpha, Pattern(heard), rng), automorphism_group(heard), X, most)


class Powers(NamedTuple):
    """Models of bias attention with alpha(t) = t^k, two sequences that share token 0, and one model with t^{n - 1}.

    And whole tokens (d, M), with models that spread them before they mix.
    """

    models: list[Transformer]
    pair: np.ndarray
    higher: Transformer
    degree: int
    tokens: np.ndarray
    behind: list[Transformer]


def _power_sums(numbers: Sequence[Any], top: int) -> tuple[Any, ...]:
    return tuple(sum(t**k for t in numbers) for k in range(1, top + 1))


def _certify_powers(parts: Powers) -> Certificate:
    (X, Y), n, k = parts.pair, parts.pair.shape[-1], parts.degree
    off = [abs(a - b).max() for a, b in (model(parts.pair, EXACT)[..., 0] for model in parts.models)]
    one, other = parts.higher(parts.pair, EXACT)[..., 0]
    where = {"X": X, "Y": Y}
    sums = [_power_sums(x[0, 1:].tolist(), k) for x in (X, Y)]
    sets = itertools.combinations_with_replacement(range(n + 2), n - 1)
    met = Counter(_power_sums(others, n - 1) for others in sets)
    apart = max(abs(a - b) for a, b in zip(*sums, strict=True))
    twice = sum(count - 1 for count in met.values())
    name = f"{n - 1} numbers out of 0, ..., {n + 1}: two sets with equal sums of the powers 1, ..., {n - 1}"
    rows = np.array([parts.tokens[:, list(row)] for row in itertools.combinations(range(parts.tokens.shape[1]), n)])
    merged = []
    for model in parts.behind:
        places: dict[tuple[object, ...], tuple[int, int]] = {}
        for j, z in enumerate(model(rows, EXACT)):
            for i, token in enumerate(map(tuple, z.T)):
                merged += [two_tokens(rows, places[token], (j, i))] if token in places else []
                places[token] = (j, i)
    spread = f"behind a layer that spreads tokens, t^{k} and ReLU: tokens of all sets that meet"
    checks = [
        Check(f"sums of the powers 1, ..., {k} of the others: largest difference", apart, "==", 0, where, cases=k),
        Check(f"t^{k}, up to three layers: token 0 of X and of Y", max(off), "==", 0, where, cases=len(off)),
        Check(f"t^{n - 1}, one layer: token 0 of X and of Y", abs(one - other).max(), ">", 0, where),
        Check(name, twice, "==", 0, {"sums": max(met, key=lambda sums: met[sums])}, cases=met.total()),
        Check.none(spread, merged, cases=len(parts.behind) * len(rows) * n),
    ]
    return Certificate(checks, parameters={"n": n, "d": len(X), "degree": k})


@edited("pair")
def _moved(pair: np.ndarray, parts: Powers, rng: np.random.Generator) -> None:
    pair[1, :, 1] += Fraction(1, 8)


def _one_deaf(parts: Powers, rng: np.random.Generator) -> Powers:
    n = parts.pair.shape[-1]
    heard = Pattern([range(n - 1), *[range(n)] * (n - 1)])
    models = [Transformer([_with(layer, pattern=heard) for layer in model.layers]) for model in parts.models]
    return parts._replace(models=models)


@register(
    "cheng2025:bias-powers",
    "bias attention with a power up to n - 2 is fooled at every depth, unless a feed-forward layer spreads the tokens",
    source="ours; beside Corollary 5",
    chapter="cheng-other-mixers",
    construction=BiasAttention,
    certify=_certify_powers,
    cases=[{"n": 3}, {"n": 6, "d": 1}, {"n": 5, "degree": 2}],
    damages={
        "a token moved": _moved,
        "token 0 does not hear the last": _one_deaf,
        "a power more in the first model": lambda parts, rng: parts._replace(models=[parts.higher, *parts.models[1:]]),
        "no power more where one is needed": lambda parts, rng: parts._replace(higher=parts.models[0]),
        "tokens that are not spread": mapped(behind=lambda models: [Transformer(model.layers[1:]) for model in models]),
    },
)
def powers(*, n: int = 4, degree: object = None, d: int = 2, seed: int = 0) -> Powers:
    """Tokens on a line; one to three layers with random weights in EXACT. None: the degree n - 2."""
    n, d, rng = whole("n", n, 3, 7), whole("d", d, 1, 6), np.random.default_rng(parse_seed(seed))
    k = n - 2 if degree is None else whole("degree", degree, 1, n - 2)
    models = [_bias_layers(layers, d, k, None, rng) for layers in (1, 1, 1, 2, 3)]
    tokens, eye = lattice(max(8, n + 2), d), np.eye(d, dtype=int)
    # First entries become 2^j; less than 1/2 is added to them, so that different tokens stay apart.
    a = Fraction(1, 2 ** (k * tokens.shape[1] + 1))
    first = spread_sums(tokens)
    behind = [Transformer([first, BiasAttention(a, eye, [0] * d, alpha)]) for alpha in (k, "relu")]
    return Powers(models, equal_power_pair(n, d), _bias_layers(1, d, n - 1, None, rng), k, tokens, behind)


class Clusters(NamedTuple):
    """Centres p (count, 2), offsets u of (p, p + u, p - u), of two such sequences for each p, and a smooth layer."""

    centres: np.ndarray
    offsets: np.ndarray
    smooth: Transformer

    def pairs(self) -> np.ndarray:
        """Shape (count, 2, 2, 3): clusters, X or Y, entries, tokens."""
        return np.array([[np.transpose([p, p + u, p - u]) for u in self.offsets] for p in self.centres])

    def bent(self, lines: Sequence[tuple[int, int]]) -> Transformer:
        """One ReLU layer whose row r bends along the line through the two centres `lines[r]`."""
        across = [self.centres[j] - self.centres[i] for i, j in lines]
        W = np.array([(-v, u) for u, v in across])
        return Transformer(
            [BiasAttention(1, W, [w @ self.centres[i] for w, (i, _) in zip(W, lines, strict=True)], "relu")]
        )

    def told(self, model: Transformer) -> list[bool]:
        """For each cluster whether the model tells its shared token apart, in EXACT."""
        return [bool((a != b).any()) for a, b in model(self.pairs(), EXACT)[..., 0]]


ON_A_CIRCLE = {
    5: ((0, 25), (24, 7), (15, -20), (-15, -20), (-24, 7)),
    6: ((0, 25), (20, 15), (20, -15), (0, -25), (-20, -15), (-20, 15)),
    7: ((0, 25), (20, 15), (24, -7), (7, -24), (-7, -24), (-24, -7), (-20, 15)),
}


def _certify_clusters(parts: Clusters) -> Certificate:
    centres, count = parts.centres, len(parts.centres)
    radius2 = max((u * u).sum() for u in parts.offsets)
    heights = {}
    for trio in itertools.combinations(range(count), 3):
        a, b, c = centres[list(trio)]
        area2 = ((b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0]) ** 2
        heights[trio] = area2 / max(((x - y) ** 2).sum() for x, y in ((a, b), (a, c), (b, c)))
    lowest = min(heights, key=lambda trio: heights[trio])
    lines = list(itertools.combinations(range(count), 2))
    apart = {both: sum(parts.told(parts.bent(both))) for both in itertools.combinations(lines, 2)}
    best = max(apart, key=lambda both: apart[both])
    low, high = ends(parts.smooth(parts.pairs(), FINE)[..., 0])
    units = np.maximum(low[:, 0] - high[:, 1], low[:, 1] - high[:, 0]).max(axis=1)
    distances = [Fraction(max(0, u), 2**SHIFT) for u in units]
    name = "no line meets three: least height of a triangle of centres over a cluster's diameter, squared"
    bent = "one ReLU layer, both rows bent through two centres: clusters told apart, at most"
    smooth = "one smooth layer: least distance of the shared token, over all clusters"
    checks = [
        Check(name, heights[lowest] / (4 * radius2), ">", 1, {"clusters": lowest}, cases=len(heights)),
        Check(bent, apart[best], "==", 4, {"lines through": best}, cases=len(apart)),
        Check.worst(smooth, distances, ">", 0, lambda k: {"cluster": k}, "enclosed"),
    ]
    return Certificate(checks, parameters={"clusters": count, "n": 3, "d": 2})


@edited("centres")
def _in_line(centres: np.ndarray, parts: Clusters, rng: np.random.Generator) -> None:
    """A cluster moves to the middle of two others."""
    centres[2] = (centres[0] + centres[1]) / 2


@register(
    "cheng2025:bias-relu",
    "one layer of bias attention with ReLU tells at most four small clusters in the plane apart, one with gelu all",
    source="ours; beside Corollary 5 and Theorem 2",
    chapter="cheng-other-mixers",
    construction=BiasAttention,
    certify=_certify_clusters,
    cases=[{"clusters": 6}, {"clusters": 7, "seed": 1}],
    damages={
        "clusters a hundred times wider": mapped(offsets=lambda u: 100 * u),
        "a cluster in line with two others": _in_line,
        "ReLU in the smooth layer": in_part("smooth", in_a_layer(lambda layer: _with(layer, alpha="relu"))),
    },
)
def clusters(*, clusters: int = 5, seed: int = 0) -> Clusters:
    """Pairs around points of the unit circle, with equal means; the smooth layer is gelu with random weights."""
    count, rng = whole("clusters", clusters, 5, 7), np.random.default_rng(parse_seed(seed))
    centres = np.array([[Fraction(t, 25) for t in p] for p in ON_A_CIRCLE[count]], dtype=object)
    offsets = np.array([[Fraction(t, 128) for t in u] for u in ((4, 2), (2, 1))], dtype=object)
    return Clusters(centres, offsets, _bias_layers(1, 2, "gelu", None, rng))
