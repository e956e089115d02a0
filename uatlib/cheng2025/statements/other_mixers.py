"""Cheng et al. (2025), section 4.3: Linformer, Skyformer, attention with bias; Lemma 3, Corollaries 3 and 5."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...arithmetic import BALL, EXACT
from ...arithmetic.objects import distances, ends
from ...certificate import Certificate, Check
from ...checks import choice, whole
from ...checks import seed as parse_seed
from ...damages import Damage, changed, in_a_layer, in_every_layer, in_part, scaled, without_a_layer
from ...kernels import RBF, Kernel
from ...layers import Attention, Head
from ...mixers import BiasAttention, CyclicConvolution
from ...model import Transformer
from ...patterns import Pattern
from ...registry import register
from ..connectivity import connectivity_depth
from ..kernel_families import kernel as kernel_of
from ..mixing import linformer, skyformer
from ..sparsity import pattern as pattern_of
from ..symmetry import Permutation, automorphism_group, local_fooling_pairs

FINE, SHIFT = BALL.with_bits(320), 300
SAME = Fraction(1, 2**200)
"""Enclosures of one number are this near at least."""
EQUAL_POWERS = {
    2: ((0, 3), (1, 2)),
    3: ((0, 4, 5), (1, 2, 6)),
    4: ((0, 4, 7, 11), (1, 2, 9, 10)),
    5: ((0, 4, 8, 16, 17), (1, 2, 10, 14, 18)),
    6: ((0, 5, 6, 16, 17, 22), (1, 2, 10, 12, 20, 21)),
}
"""m numbers and m others with equal sums of the powers 1, ..., m - 1 (Prouhet, Tarry, Escott)."""


def _numbers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Eighths that are not 0."""
    drawn = rng.integers(1, 13, shape) * rng.choice((-1, 1), shape)
    return np.vectorize(lambda u: Fraction(int(u), 8), otypes=[object])(drawn)


def _apart(rng: np.random.Generator, d: int) -> np.ndarray:
    """Two tokens, no multiples of 1/16 as others are, neither the other nor its opposite."""
    return np.array([_numbers(rng, d) + Fraction(1, 32), _numbers(rng, d) + Fraction(1, 64)])


def equal_power_pair(n: int, d: int = 1) -> np.ndarray:
    """Two sequences (2, d, n) on a line: token 0 is shared, the others have equal sums of the powers 1, ..., n - 2."""
    line = np.array([Fraction(1, 1 + r) for r in range(d)], dtype=object)[:, None]
    rows = [[-1, *(1 + t for t in others)] for others in EQUAL_POWERS[n - 1]]
    return np.array([line * np.array([[Fraction(t, 8) for t in row]], dtype=object) for row in rows])


def _sequences(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """(count, d, n): one in several orders, with one token changed, and pairs that fool some mixers."""
    base = _numbers(rng, d, n)
    while len({tuple(token) for token in base.T}) < n:
        base = _numbers(rng, d, n)
    turns = (range(n), [1, 0, *range(2, n)], [*range(1, n), 0], range(n)[::-1])
    orders = itertools.permutations(range(n)) if n <= 4 else dict.fromkeys(map(tuple, turns))
    found = [base[:, order] for order in orders]
    for j in range(n):
        found.append(base.copy())
        found[-1][:, j] += Fraction(1, 16)
    if n >= 3:
        for u in _apart(rng, d):
            found.append(base.copy())
            found[-1][:, 1], found[-1][:, 2] = u, -u
        found += list(equal_power_pair(n, d))
    return np.array(found)


def _orbit(x: np.ndarray, group: Sequence[Permutation] | None) -> tuple[Any, ...]:
    """What sequences of one orbit share; None is the group of all permutations."""
    tokens = [tuple(token) for token in x.T]
    everything = group is None or len(group) == math.factorial(len(tokens))
    return tuple(sorted(tokens)) if everything else min(tuple(tokens[i] for i in s) for s in group or ())


def _gaps(name: str, model: Transformer, X: np.ndarray, group: Any, counted: np.ndarray | None = None) -> list[Check]:
    """Two checks: tokens of sequences of different orbits, and those of one sequence, have some distance.

    counted : which tokens of shape (count, n) are compared; None: all
    """
    count, d, n = X.shape
    low, high = _ends(model(X, FINE).swapaxes(1, 2).reshape(-1, d))
    orbits = [_orbit(x, group) for x in X]
    places = range(count * n) if counted is None else np.flatnonzero(counted.ravel()).tolist()
    checks = []
    for what, is_one in (("different sequences", False), ("one sequence", True)):
        pairs = [
            (p, q)
            for p, q in itertools.combinations(places, 2)
            if (p // n == q // n if is_one else orbits[p // n] != orbits[q // n])
        ]
        one, other = np.array(pairs).T
        gaps = np.maximum(low[one] - high[other], low[other] - high[one]).max(axis=1)
        k = int(gaps.argmin())
        where = " and ".join(f"token {p % n} of {_text(X[p // n])}" for p in pairs[k])
        least = Fraction(max(0, gaps[k]), 2**SHIFT)
        label = f"{name}: least distance of tokens of {what}"
        checks.append(Check(label, least, ">", 0, where, "enclosed", len(pairs)))
    return checks


def _ends(balls: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends, as whole multiples of 2^-SHIFT: whole numbers are compared fast."""
    pairs = np.frompyfunc(ends, 1, 1)(balls)
    low = np.frompyfunc(lambda pair: math.floor(pair[0] * 2**SHIFT), 1, 1)(pairs)
    return low, np.frompyfunc(lambda pair: math.ceil(pair[1] * 2**SHIFT), 1, 1)(pairs)


def _text(x: np.ndarray) -> str:
    return "[" + ", ".join("(" + ", ".join(str(u) for u in token) + ")" for token in x.T) + "]"


def _symmetry(name: str, model: Transformer, X: np.ndarray, steps: Sequence[Permutation]) -> Check:
    """That the layers commute with these permutations."""
    out, worst, where = model(X, FINE), Fraction(-1), ""
    for s in map(list, steps):
        off = distances(model(X[..., s], FINE), out[..., s]).max()
        worst, where = (off, f"permutation {tuple(s)}") if off > worst else (worst, where)
    return Check(f"{name}: |g(X P) - g(X) P|, largest", worst, "<=", SAME, where, "enclosed", len(steps) * len(X))


# ----------------------------------------------------------------------------------------------------------- Linformer


class Projected(NamedTuple):
    """One layer of Linformer, and sequences (count, d, n)."""

    model: Transformer
    X: np.ndarray


def _linformer(n: int, d: int, keys: int, kernel: Kernel, rng: np.random.Generator) -> Transformer:
    w_q, w_k, w_v = _numbers(rng, 3, d, d)
    e, f = _numbers(rng, 2, n, keys)
    head = Head(w_q, w_k, w_v, np.eye(d, dtype=int), w_e=e, w_f=f)
    return Transformer([Attention([head], kernel=kernel)])


def _certify_linformer(parts: Projected) -> Certificate:
    """Random weights on all sequences; and the step of the proof, F = e_r 1^T."""
    model, X = parts
    layer = model.attentions()[0]
    (head,), n = layer.heads, X.shape[-1]
    worst, where = Fraction(-1), ""
    for r in range(n):
        chosen = np.zeros_like(head.w_f)
        chosen[r] = 1
        out = Transformer([replace(layer, heads=[replace(head, w_f=chosen)])])(X, FINE)
        off = distances(out, X + head.w_o @ head.w_v @ X[..., r : r + 1]).max()
        worst, where = (off, f"r = {r}") if off > worst else (worst, where)
    name = "F = e_r 1^T: largest distance from X + W_V x_r"
    checks = [
        *_gaps("random weights", model, X, [tuple(range(n))]),
        Check(name, worst, "<=", SAME, where, "enclosed", n * len(X)),
    ]
    return Certificate(checks, parameters={"n": n, "d": X.shape[1], "keys": head.w_f.shape[1]})


def _unseen(layer: Any) -> Any:
    """E and F have a row of zeros for the last token."""

    def cut(w: np.ndarray) -> np.ndarray:
        return np.vstack([w[:-1], 0 * w[-1:]])

    return changed(("w_e", "w_f"), cut)(layer)


def _repeated(parts: Any, rng: np.random.Generator) -> Any:
    """The first sequence has its first token twice."""
    X = parts.X.copy()
    X[0, :, 1] = X[0, :, 0]
    return parts._replace(X=X)


ONES = in_a_layer(changed("w_f", lambda w: np.ones_like(w)))
LINFORMER: dict[str, Damage] = {
    "F counts all tokens alike": in_part("model", ONES),
    "E and F do not see the last token": in_part("model", in_a_layer(_unseen)),
    "W_V is 0": in_part("model", in_a_layer(scaled("w_v", 0))),
    "a token twice in a sequence": _repeated,
}


def _projected(n: Any, d: Any, keys: Any, seed: Any, kernel: str) -> Projected:
    n, d = whole("n", n, 2, 6), whole("d", d, 1, 6)
    keys, rng = whole("keys", keys, 1, n), np.random.default_rng(parse_seed(seed))
    return Projected(_linformer(n, d, keys, kernel_of(kernel), rng), _sequences(n, d, rng))


@register(
    "cheng2025:lem-3",
    "one layer of Linformer tells the tokens of any two sequences apart, in every order",
    source="Lemma 3, section C.4.1",
    chapter="cheng-other-mixers",
    construction=linformer,
    certify=_certify_linformer,
    cases=[{"keys": 1}, {"n": 4, "keys": 4, "d": 1}, {"n": 5, "d": 3, "seed": 1}],
    damages=LINFORMER,
)
def lemma_3(*, n: Any = 3, d: Any = 2, keys: Any = 2, seed: Any = 0) -> Projected:
    """Linformer with random weights, on sequences in all orders, with changed tokens, and on pairs that fool others."""
    return _projected(n, d, keys, seed, "exp")


KERNELS = ("exp", "rbf", "constant", "elu", "laplace", "cauchy", "cosh")


@register(
    "cheng2025:kernel-linformer",
    "a Linformer with any of our kernels in place of softmax does, those that violate (13) included",
    source="section C.4.1, last paragraph",
    chapter="cheng-other-mixers",
    construction=linformer,
    certify=_certify_linformer,
    cases=[{"kernel": name} for name in KERNELS if name != "rbf"],
    damages=LINFORMER,
)
def kernel_linformer(*, kernel: Any = "rbf", n: Any = 3, d: Any = 2, keys: Any = 2, seed: Any = 0) -> Projected:
    """The same with a kernel by name; those without parameters."""
    return _projected(n, d, keys, seed, choice("kernel", kernel, KERNELS))


# --------------------------------------------------------------------------------------------------------- Corollary 3


class Both(NamedTuple):
    """A layer of Linformer, one of Skyformer, sequences, and which of their tokens are compared under S_n."""

    linformer: Transformer
    skyformer: Transformer
    X: np.ndarray
    counted: np.ndarray


def _certify_both(parts: Both) -> Certificate:
    X, n = parts.X, parts.X.shape[-1]
    turns = [(1, 0, *range(2, n)), (*range(1, n), 0)]
    checks = [
        *_gaps("Linformer", parts.linformer, X, [tuple(range(n))]),
        *_gaps("Skyformer, up to order", parts.skyformer, X, None, parts.counted),
        _symmetry("Skyformer", parts.skyformer, X[:2], turns),
    ]
    return Certificate(checks, parameters={"n": n, "d": X.shape[1]})


@register(
    "cheng2025:cor-3",
    "Linformer tells all sequences apart, Skyformer all up to order, at tokens other than 0",
    source="Corollary 3, sections 4.3 and C.4.2",
    chapter="cheng-other-mixers",
    construction=skyformer,
    certify=_certify_both,
    cases=[{"n": 4, "d": 1}, {"n": 5, "d": 3, "seed": 1}],
    damages={
        "keys are all 0": in_part("skyformer", in_a_layer(scaled("w_k", 0))),
        "queries are all 0": in_part("skyformer", in_a_layer(scaled("w_q", 0))),
        "values are all 0": in_part("skyformer", in_a_layer(scaled("w_v", 0))),
        "cosh in place of the Gaussian": in_part(
            "skyformer", in_a_layer(lambda layer: _with(layer, kernel=kernel_of("cosh")))
        ),
        "F counts all tokens alike": in_part("linformer", ONES),
        "a token hears who comes next": in_part(
            "skyformer", lambda model, rng: Transformer([CyclicConvolution([0, Fraction(1, 8)]), *model.layers])
        ),
    },
    concerns="proof",
    erratum="""The proof verifies Definition 3 for Skyformer with the argument for the RBF kernel, which needs tokens
    other than 0. The sequences (0, u, -u) and (0, v, -v), with the same tokens behind, are in general position, and the
    token 0 has the same output in both for all weights: its query is 0, so u and -u weigh alike and cancel. A token
    that is not 0 has no such twin, whatever stands beside it. The universal approximation property holds, since
    the step functions of Theorem 1 can be placed on a grid without zero tokens.""",
)
def corollary_3(*, variant: Any = "repaired", n: Any = 3, d: Any = 2, seed: Any = 0) -> Both:
    """Random weights, with a pair of sequences that hold 0 among the others; printed: the token 0 counts as well."""
    n, d, rng = whole("n", n, 3, 6), whole("d", d, 1, 6), np.random.default_rng(parse_seed(seed))
    w_q, w_k, w_v = _numbers(rng, 3, d, d)
    layer = Attention([Head(w_q, w_k, w_v, np.eye(d, dtype=int))], "none", kernel=RBF(Fraction(1, 2)))
    X = _sequences(n, d, rng)
    X = np.concatenate([X, zero_pair(X[0], *_apart(rng, d))])
    counted = (X != 0).any(axis=1) if variant == "repaired" else np.ones(X[:, 0].shape, dtype=bool)
    return Both(_linformer(n, d, 2, kernel_of("exp"), rng), Transformer([layer]), X, counted)


def zero_pair(x: np.ndarray, u: Any, v: Any) -> np.ndarray:
    """(0, u, -u, ...) and (0, v, -v, ...) with the other tokens of x, shape (2, d, n)."""
    pair = np.array([x, x])
    pair[:, :, 0] = 0
    pair[0, :, 1:3], pair[1, :, 1:3] = np.transpose([u, -u]), np.transpose([v, -v])
    return pair


# --------------------------------------------------------------------------------------------------------- Corollary 5


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
        *_gaps("random weights", model, X, group),
        _symmetry("automorphisms", model, X[:1], group),
        Check("layers", len(model.layers), "<=", most, "connectivity depth + 1"),
    ]
    alphas = ", ".join(sorted({str(layer.alpha) for layer in model.layers if isinstance(layer, BiasAttention)}))
    return Certificate(checks, parameters={"n": X.shape[-1], "d": X.shape[1], "alpha": alphas})


def _bias_layers(layers: int, d: int, alpha: Any, heard: Any, rng: np.random.Generator) -> Transformer:
    draw = (_numbers(rng, d + 1, d) for _ in range(layers))
    return Transformer([BiasAttention(1, w[:d], w[d], alpha, heard) for w in draw])


def _with(layer: Any, **changes: Any) -> Any:
    return replace(layer, **changes)


def _in_every_layer(name: str, new: Callable[[Any], Any]) -> Damage:
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
    cases=[{"pattern": "others", "n": 3}, {"pattern": "window", "n": 4, "d": 1}, {"alpha": "sin", "n": 5, "d": 3}],
    damages={
        "alpha(t) = t": _linear,
        "a layer left out": in_part("model", without_a_layer),
        "a layer too many": lambda parts, rng: parts._replace(
            model=Transformer([*parts.model.layers] * (parts.most + 1))
        ),
        "a is 0": _in_every_layer("a", lambda layer: 0),
        "W is 0": _in_every_layer("w", lambda layer: 0 * layer.w),
        "nobody hears the last token": _in_every_layer("pattern", _deaf),
    },
    concerns="hypothesis",
    erratum="""The corollary takes an alpha of polynomial growth. Polynomials are among them, and for alpha(t) = t^k
    with k <= n - 2 tokens on a line with equal sums of the powers 1, ..., k are never told apart; the proof says that
    alpha is none. The reduction to two sequences, Theorem 2, needs an analytic alpha: with ReLU each pair has weights
    of its own, but one layer has none for all pairs. And as in Corollary 2 the connectivity depth may be one layer too
    few. In (21) W is a row and b a number; appendix C.4.3 has sizes that fit, (d, d) and (d,).""",
    alone=("alpha", "layers"),
)
def corollary_5(
    *, variant: Any = "repaired", pattern: Any = "full", n: Any = 4, d: Any = 2, alpha: Any = "tanh", seed: Any = 0
) -> Biased:
    """Random weights and all b; printed: alpha(t) = t^{n - 2}, and as many layers as connect the pattern."""
    n, d = whole("n", n, 3, 6), whole("d", d, 1, 6)
    heard = HEARD[choice("pattern", pattern, list(HEARD))](n)
    alpha = choice("alpha", alpha, ("tanh", "sin", "sigmoid"))
    depth = connectivity_depth([heard] * n)
    assert depth is not None
    most, layers = depth + 1, depth
    if variant in ("repaired", "layers alone"):
        layers += bool(local_fooling_pairs([heard] * depth))
    if variant in ("printed", "layers alone"):
        alpha = n - 2
    rng = np.random.default_rng(parse_seed(seed))
    X = _sequences(n, d, rng)
    return Biased(_bias_layers(layers, d, alpha, Pattern(heard), rng), automorphism_group(heard), X, most)


# ------------------------------------------------------------------------------------------------- ours: polynomials


class Powers(NamedTuple):
    """Models of bias attention with alpha(t) = t^k, two sequences that share token 0, and one model with t^{n - 1}."""

    models: list[Transformer]
    pair: np.ndarray
    higher: Transformer
    degree: int


def _power_sums(numbers: Sequence[Any], top: int) -> tuple[Any, ...]:
    return tuple(sum(t**k for t in numbers) for k in range(1, top + 1))


def _certify_powers(parts: Powers) -> Certificate:
    (X, Y), n, k = parts.pair, parts.pair.shape[-1], parts.degree
    gaps = [abs(a - b).max() for a, b in (model(parts.pair, EXACT)[..., 0] for model in parts.models)]
    one, other = parts.higher(parts.pair, EXACT)[..., 0]
    where = f"{_text(X)} and {_text(Y)}"
    sums = [_power_sums(x[0, 1:].tolist(), k) for x in (X, Y)]
    sets = itertools.combinations_with_replacement(range(n + 2), n - 1)
    met = Counter(_power_sums(others, n - 1) for others in sets)
    return Certificate(
        [
            Check(
                f"sums of the powers 1, ..., {k} of the other tokens: largest difference",
                max(abs(a - b) for a, b in zip(*sums, strict=True)),
                "==",
                0,
                where,
                cases=k,
            ),
            Check(f"t^{k}, up to three layers: token 0 of X and of Y", max(gaps), "==", 0, where, cases=len(gaps)),
            Check(f"t^{n - 1}, one layer: token 0 of X and of Y", abs(one - other).max(), ">", 0, where),
            Check(
                f"sets of {n - 1} numbers out of 0, ..., {n + 1}: shared sums of the powers 1, ..., {n - 1}",
                sum(count - 1 for count in met.values()),
                "==",
                0,
                max(met, key=lambda sums: met[sums]),
                cases=met.total(),
            ),
        ],
        parameters={"n": n, "d": len(X), "degree": k},
    )


def _moved(parts: Powers, rng: np.random.Generator) -> Powers:
    pair = parts.pair.copy()
    pair[1, :, 1] += Fraction(1, 8)
    return parts._replace(pair=pair)


def _one_deaf(parts: Powers, rng: np.random.Generator) -> Powers:
    n = parts.pair.shape[-1]
    heard = Pattern([range(n - 1), *[range(n)] * (n - 1)])
    models = [Transformer([_with(layer, pattern=heard) for layer in model.layers]) for model in parts.models]
    return parts._replace(models=models)


@register(
    "cheng2025:bias-powers",
    "attention with bias and alpha(t) = t^k is fooled at every depth if k <= n - 2, and not if k = n - 1",
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
    },
)
def powers(*, n: Any = 4, degree: Any = None, d: Any = 2, seed: Any = 0) -> Powers:
    """Tokens on a line; one to three layers with random weights in EXACT. None: the degree n - 2."""
    n, d, rng = whole("n", n, 3, 7), whole("d", d, 1, 6), np.random.default_rng(parse_seed(seed))
    k = n - 2 if degree is None else whole("degree", degree, 1, n - 2)
    models = [_bias_layers(layers, d, k, None, rng) for layers in (1, 1, 1, 2, 3)]
    return Powers(models, equal_power_pair(n, d), _bias_layers(1, d, n - 1, None, rng), k)


# ------------------------------------------------------------------------------------------------------- ours: ReLU


class Clusters(NamedTuple):
    """Centres (count, 2), the offsets u and v of pairs (p, p + u, p - u) and (p, p + v, p - v), and a smooth layer."""

    centres: np.ndarray
    offsets: np.ndarray
    smooth: Transformer

    def pairs(self) -> np.ndarray:
        """Shape (count, 2, 2, 3): clusters, X or Y, entries, tokens."""
        return np.array([[np.transpose([p, p + u, p - u]) for u in self.offsets] for p in self.centres])


ON_A_CIRCLE = {
    5: ((0, 25), (24, 7), (15, -20), (-15, -20), (-24, 7)),
    6: ((0, 25), (20, 15), (20, -15), (0, -25), (-20, -15), (-20, 15)),
    7: ((0, 25), (20, 15), (24, -7), (7, -24), (-7, -24), (-24, -7), (-20, 15)),
}


def kinked(centres: np.ndarray, pairs: Sequence[tuple[int, int]]) -> Transformer:
    """One ReLU layer, d = 2, whose row r bends along the line through the two centres `pairs[r]`."""
    rows, shifts = [], []
    for i, j in pairs:
        across = centres[j] - centres[i]
        rows.append([-across[1], across[0]])
        shifts.append(rows[-1] @ centres[i])
    return Transformer([BiasAttention(1, rows, shifts, "relu")])


def _told(model: Transformer, parts: Clusters) -> list[Fraction]:
    """For each cluster the distance of the outputs of its shared token."""
    out = model(parts.pairs(), EXACT)[..., 0]
    return [abs(a - b).max() for a, b in out]


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
    told = {both: sum(g > 0 for g in _told(kinked(centres, both), parts)) for both in itertools.combinations(lines, 2)}
    best = max(told, key=lambda both: told[both])
    low, high = _ends(parts.smooth(parts.pairs(), FINE)[..., 0])
    gaps = np.maximum(low[:, 0] - high[:, 1], low[:, 1] - high[:, 0]).max(axis=1)
    worst = int(gaps.argmin())
    return Certificate(
        [
            Check(
                "least height of a triangle of centres over twice the radius, squared",
                heights[lowest] / (4 * radius2),
                ">",
                1,
                f"clusters {lowest}",
                cases=len(heights),
            ),
            Check(
                "one ReLU layer, both rows bent through two centres: clusters told apart, at most",
                told[best],
                "==",
                4,
                f"lines through {best}",
                cases=len(told),
            ),
            Check(
                "one smooth layer: least distance of the shared token, over all clusters",
                Fraction(max(0, gaps[worst]), 2**SHIFT),
                ">",
                0,
                f"cluster {worst}",
                "enclosed",
                count,
            ),
        ],
        parameters={"clusters": count, "n": 3, "d": 2},
    )


def _wider(parts: Clusters, rng: np.random.Generator) -> Clusters:
    return parts._replace(offsets=100 * parts.offsets)


def _in_line(parts: Clusters, rng: np.random.Generator) -> Clusters:
    """A cluster moves to the middle of two others."""
    centres = parts.centres.copy()
    centres[2] = (centres[0] + centres[1]) / 2
    return parts._replace(centres=centres)


@register(
    "cheng2025:bias-relu",
    "one layer of bias attention with ReLU tells at most four small clusters in the plane apart, one with tanh all",
    source="ours; beside Corollary 5 and Theorem 2",
    chapter="cheng-other-mixers",
    construction=BiasAttention,
    certify=_certify_clusters,
    cases=[{"clusters": 6}, {"clusters": 7, "seed": 1}],
    damages={
        "clusters a hundred times wider": _wider,
        "a cluster in line with two others": _in_line,
        "ReLU in the smooth layer": in_part("smooth", in_a_layer(lambda layer: _with(layer, alpha="relu"))),
    },
)
def clusters(*, clusters: Any = 5, seed: Any = 0) -> Clusters:
    """Pairs around points of the unit circle, with equal means; the smooth layer is tanh with random weights."""
    count, rng = whole("clusters", clusters, 5, 7), np.random.default_rng(parse_seed(seed))
    centres = np.array([[Fraction(t, 25) for t in p] for p in ON_A_CIRCLE[count]], dtype=object)
    offsets = np.array([[Fraction(t, 128) for t in u] for u in ((2, 1), (0, 1))], dtype=object)
    return Clusters(centres, offsets, _bias_layers(1, 2, "tanh", None, rng))
