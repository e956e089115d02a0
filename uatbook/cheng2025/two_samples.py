"""Cheng et al. (2025): who can tell each two sequences apart can tell all apart, and remember; Theorem 2."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import BALL, FLOAT64
from uatlib.arithmetic.objects import distances
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, refused, whole
from uatlib.cheng2025.automorphisms import automorphism_generators
from uatlib.cheng2025.certify_network import two_tokens
from uatlib.cheng2025.named_kernels import kernel as kernel_by_name
from uatlib.cheng2025.named_patterns import Neighbours
from uatlib.cheng2025.named_patterns import pattern as pattern_by_name
from uatlib.cheng2025.pairs import pairs
from uatlib.cheng2025.random_attention import attention_layers, random_weights
from uatlib.groups import elements
from uatlib.kernels import Kernel
from uatlib.model import Transformer

from ..damages import changed, edited, hardened, in_a_layer, in_every_layer, in_part, scaled, without_a_layer
from ..registry import register
from .keyhole import heard, keyhole
from .shared_weights import BITS, enclosed, least_gap, recalling, separating_layers

CHAPTER = "cheng-two-samples"
MAX_SEQUENCES = 200
SIXTEENTH = 16
SAMPLES = 10
TOLERANCE = Fraction(1, 2**40)

KERNELS: Mapping[str, Callable[[int], Kernel]] = {
    "exp": lambda d: kernel_by_name("exp"),
    "rbf": lambda d: kernel_by_name("rbf"),
    "performer": lambda d: kernel_by_name("performer", omega=[[1] + [2] * (d - 1), [-1] * d, [2] + [-1] * (d - 1)]),
    "exp_sum": lambda d: kernel_by_name("exp_sum", w=[1] * d),
    "poly_times": lambda d: kernel_by_name("poly_times", polynomial=[1, 1], base=kernel_by_name("exp")),
    "cauchy": lambda d: kernel_by_name("cauchy"),
}
PATTERNS: Mapping[str, Mapping[str, int]] = {"full": {}, "sliding_window": {"window": 1}, "directed": {"window": 1}}


def _vocabulary(size: int, d: int) -> np.ndarray:
    """Different tokens other than 0, multiples of 1/16, shape (d, size)."""
    drawn = np.rint(SIXTEENTH * np.random.default_rng(size).normal(size=(4 * size, d)))
    columns = [column for column in dict.fromkeys(map(tuple, drawn.tolist())) if any(column)][:size]
    return np.array([[Fraction(int(u), SIXTEENTH) for u in column] for column in columns], dtype=object).T


def _group(row: Neighbours) -> list[tuple[int, ...]]:
    n = len(row)
    return elements([list(p) for p in automorphism_generators([row]).generators] or "trivial", n)


def sequences_of(size: int, n: int, d: int, row: Neighbours) -> np.ndarray:
    """All sequences of n out of `size` tokens, one of each orbit under the automorphisms of the pattern: (N, d, n)."""
    members = _group(row)
    orders = {min(tuple(order[i] for i in p) for p in members) for order in itertools.permutations(range(size), n)}
    if len(orders) > MAX_SEQUENCES:
        raise refused("size", f"at most {MAX_SEQUENCES} sequences", len(orders), "take fewer tokens")
    tokens = _vocabulary(size, d)
    return np.stack([tokens[:, list(order)] for order in sorted(orders)])


# ------------------------------------------------------------------------------------------------------------ Theorem 2


class Samples(NamedTuple):
    """Sequences of different orbits, weights for each two of them, and weights for all of them."""

    X: np.ndarray
    own: Mapping[tuple[int, int], Transformer]
    model: Transformer
    kernel: Kernel
    row: Neighbours
    named: Mapping[str, Any]


def _certify_samples(parts: Samples) -> Certificate:
    X, N, (d, n) = parts.X, len(parts.X), parts.X.shape[1:]
    layers = len(parts.model.layers)
    worst = [(enclosed(model, X[list(pair)]).gap, pair) for pair, model in parts.own.items()]
    lost = [{"sequences": pair} for gap, pair in worst if not gap > 0]
    joint = enclosed(parts.model, X)
    rng = np.random.default_rng(1)
    drawn = [
        attention_layers(random_weights(layers, d, rng), parts.kernel, [parts.row] * layers) for _ in range(SAMPLES)
    ]
    low = min(enclosed(model, X).gap for model in drawn)
    pairs_of_tokens = N * n * (N * n - 1) // 2
    name = "one set of weights for all: least distance of two tokens"
    checks = [
        Check.none("pairs that weights of their own do not tell apart", lost, None, "enclosed", len(worst)),
        Check(name, joint.gap, ">", 0, two_tokens(X, *joint.at), "enclosed", pairs_of_tokens),
        Check("the same for the worst of some random weights", low, ">", 0, None, "sampled", SAMPLES),
    ]
    return Certificate(checks, parameters=parts.named)


def _same_orbit(parts: Samples, rng: np.random.Generator) -> Samples | None:
    """The last sequence becomes the first in another order of the group."""
    members = _group(parts.row)[1:]
    if not members:
        return None
    X = parts.X.copy()
    X[-1] = X[0][:, list(members[int(rng.integers(len(members)))])]
    return parts._replace(X=X)


def _own_without_values(parts: Samples, rng: np.random.Generator) -> Samples:
    """Of one pair that shares a token the weights W_V of a layer are 0."""
    sharing = [pair for pair in parts.own if set(map(tuple, parts.X[pair[0]].T)) & set(map(tuple, parts.X[pair[1]].T))]
    pair = sharing[int(rng.integers(len(sharing)))]
    mute = in_every_layer(scaled("w_v", 0))(parts.own[pair], rng)
    return parts._replace(own={**parts.own, pair: mute})


def _on_a_curve(parts: Samples, rng: np.random.Generator) -> Samples | None:
    """W_V times the number at which a token of the first sequence meets one of the last, up to 2^-1024."""
    if parts.X.shape[1] > 1 or len(parts.model.layers) > 1:
        return None
    ends = parts.X[[0, -1]]
    balls = np.asarray(parts.model(ends, BALL.with_bits(1024)))[:, 0]
    x, y = (np.array([ball.midpoint for ball in line]) for line in balls)
    k, m = next((k, m) for k, m in np.ndindex(len(x), len(y)) if ends[0, 0, k] != ends[1, 0, m])
    start = ends[1, 0, m] - ends[0, 0, k]
    factor = start / (start - (y[m] - x[k]))
    return parts._replace(model=in_a_layer(scaled("w_v", factor))(parts.model, rng))


def _printed_theorem(*, n: int = 3, d: int = 2, size: int = 5) -> list[Check]:
    """The keyhole: linear in theta for each X, and two layers for each pair, but `size` layers for `size` sequences."""
    n, d, size = whole("n", n, 2, 5), whole("d", d, 1, 3), whole("size", size, 3, 12)
    places = [4 * (k + 1) for k in range(n - 1 + size)]
    X = np.array([[[Fraction(0)] * n] * d] * size, dtype=object)
    for i in range(size):
        X[i, 0] = [Fraction(u) for u in (*places[: n - 1], places[n - 1 + i])]

    def vector(u: object) -> list[Any]:
        return [u, *[0] * (d - 1)]

    def looks(at: list[int]) -> list[tuple[list[Any], list[Any]]]:
        """Layers that shift the hole to the last tokens of these sequences in turn, and move what they hear."""
        stops = [0, *(X[i, 0, -1] for i in at)]
        shifts = [vector(a - b) for a, b in itertools.pairwise(stops)] + [vector(0)]
        return list(zip(shifts, [vector(Fraction(k, 4 * size)) for k in range(len(shifts))], strict=True))

    two = list(itertools.combinations(range(size), 2))
    lost = [pair for pair in two if least_gap(keyhole(X[list(pair)], looks([pair[0]])))[0] == 0]
    # No more can be heard at once than are nearer than the hole's width to one of them.
    last = X[:, 0, -1]
    most = max(sum(abs(a - b) < 2 for b in last) for a in last)
    rng = np.random.default_rng(0)
    bent = [_second_difference(rng, n, d) for _ in range(SAMPLES)]
    others = list(pairs(n, d, lambda s: True, rng))
    fooled = [pair.family for pair in others if not _looked_apart(pair.X, pair.Y, rng)]
    witness = {"shared": X[0, 0, :-1], "own tokens": last, "in the hole": most}
    final = least_gap(keyhole(X, looks(list(range(size - 1)))))[0]
    name = "two layers, all of them: own tokens heard at once, most; all but one must be"
    return [
        Check("g is linear in theta: second differences, largest", max(bent), "==", 0, None, "sampled", SAMPLES),
        Check.none("two layers: pairs of many kinds not told apart", fooled, None, "sampled", len(others)),
        Check.none("two layers: pairs of these sequences not told apart", lost, cases=len(two)),
        Check("heard in the first layer, by any of them", max(heard(X)), "==", 0, cases=size),
        Check(name, most, ">=", size - 1, witness),
        Check(f"{size} layers, all of them: least distance of two tokens", final, ">", 0),
    ]


def _second_difference(rng: np.random.Generator, n: int, d: int) -> Fraction:
    """|f(theta + v) - 2 f(theta) + f(theta - v)| for one layer of the keyhole, exactly."""

    def drawn(*shape: int) -> np.ndarray:
        return np.frompyfunc(lambda u: Fraction(int(u), SIXTEENTH), 1, 1)(rng.integers(-32, 33, shape))

    X, theta, step = drawn(d, n), drawn(2, d), drawn(2, d)
    low, middle, high = (keyhole(X, [tuple(theta + k * step)]) for k in (-1, 0, 1))
    return abs(high - 2 * middle + low).max()


def _looked_apart(X: np.ndarray, Y: np.ndarray, rng: np.random.Generator) -> bool:
    """Whether two layers of the keyhole tell two sequences apart, with the hole at a token of either."""
    still = np.zeros(len(X))
    for token in (*X.T, *Y.T):
        theta = [(-token, still), (still, rng.normal(size=len(X)))]
        if least_gap(keyhole(np.stack([X, Y]), theta))[0] > 1e-9:
            return True
    return False


@register(
    "cheng2025:thm-2",
    "if each two sequences can be told apart, one set of weights tells all apart",
    source="Theorem 2, section B.2",
    chapter=CHAPTER,
    construction=separating_layers,
    certify=_certify_samples,
    cases=[
        {"kernel": "rbf", "n": 3, "d": 1},
        {"kernel": "cauchy", "n": 2, "d": 1},
        {"kernel": "performer", "n": 4, "d": 3},
        {"pattern": "sliding_window", "layers": 2, "size": 4},
    ],
    damages={
        "no values in a layer": in_part("model", in_a_layer(scaled("w_v", 0))),
        "hardmax": in_part("model", in_every_layer(hardened)),
        "a layer left out": in_part("model", without_a_layer),
        "two sequences of one orbit": _same_orbit,
        "weights on a curve where two tokens meet": _on_a_curve,
        "a pair without weights of its own": _own_without_values,
    },
    printed=_printed_theorem,
    concerns="hypothesis",
    erratum="""The text asks that g(X; theta) be analytic in theta for each fixed X. The proof needs that for m layers:
    (Id + g_m) ... (Id + g_1) has to be analytic in theta_1, ..., theta_m. For m = 1 that is the same. For m >= 2 the
    first layer's output goes into the second, so that g has to be analytic in (X, theta) jointly. Otherwise the number
    of layers can depend on the data set: with a mixer that is linear in theta, two layers tell each two sequences
    apart, but N sequences need N layers.""",
)
def samples(
    *,
    kernel: str = "exp",
    n: int = 3,
    d: int = 2,
    size: int = 5,
    pattern: str = "full",
    layers: int = 1,
    seed: int = 0,
) -> Samples:
    """All sequences of n out of `size` tokens, one of each orbit; printed: `size` sequences and the keyhole."""
    k, n, d = _kernel(kernel, d), whole("n", n, 2, 6), whole("d", d, 1, 4)
    row = pattern_by_name(choice("pattern", pattern, list(PATTERNS)), n, **PATTERNS[pattern])
    layers, seed = whole("layers", layers, 1, 6), whole("seed", seed, 0)
    X = sequences_of(whole("size", size, n + 1, 12), n, d, row)
    rng = np.random.default_rng(seed + 1)
    # Weights for two sequences are the first that come; those for all are the best of some.
    own = {
        pair: attention_layers(random_weights(layers, d, rng), k, [row] * layers)
        for pair in itertools.combinations(range(len(X)), 2)
    }
    named = {"kernel": kernel, "n": n, "d": d, "sequences": len(X), "pattern": pattern, "layers": layers}
    return Samples(X, own, separating_layers(X, k, [row] * layers, seed=seed).model, k, row, named)


def _kernel(name: object, d: object) -> Kernel:
    return KERNELS[choice("kernel", name, list(KERNELS))](whole("d", d, 1, 4))


# --------------------------------------------------------------------------------------------------------- memorisation


class Recalled(NamedTuple):
    """A layer of attention and one of ReLUs, sequences and labels of shape (N, d, n)."""

    model: Transformer
    X: np.ndarray
    Y: np.ndarray
    named: Mapping[str, Any]


def _certify_recalled(parts: Recalled) -> Certificate:
    X, Y = parts.X, parts.Y
    N, n = len(X), X.shape[-1]
    errors = distances(parts.model(X, BALL.with_bits(BITS)), Y)
    in_floats = abs(np.asarray(parts.model(X, FLOAT64)) - Y.astype(float))

    def witness(i: int, r: int, k: int) -> dict[str, object]:
        return {"sequence": i, "token": k, "entry": r, "label": Y[i, r, k]}

    hidden = parts.model.layers[-1].weights()["w_1"].shape[0]
    checks = [
        Check.worst("|answer - label|, largest", errors, "<=", TOLERANCE, witness, "enclosed"),
        Check.worst("the same in float64", in_floats, "<", Fraction(1, 2), witness),
        Check("layers of attention", len(parts.model.layers) - 1, "==", 1),
        Check("hidden units: one for each token but one", hidden, "==", N * n - 1),
    ]
    return Certificate(checks, parameters=parts.named)


@edited("Y")
def _other_label(Y: np.ndarray, parts: Recalled, rng: np.random.Generator) -> None:
    Y[tuple(rng.integers(Y.shape))] += 1


def _bent(w_2: np.ndarray) -> np.ndarray:
    """The largest bend is 1 % too large."""
    return np.where(abs(w_2) == abs(w_2).max(), w_2 * Fraction(101, 100), w_2)


@register(
    "cheng2025:memorisation",
    "one layer of attention with a kernel that tells pairs apart, and one of ReLUs, recall any labels",
    source="remark after Theorem 2, and section 4.1",
    chapter=CHAPTER,
    construction=recalling,
    certify=_certify_recalled,
    cases=[{"kernel": name} for name in KERNELS if name != "exp"] + [{"n": 2, "d": 1, "size": 6, "classes": 9}],
    damages={
        "hardmax": in_part("model", in_a_layer(hardened)),
        "more written by attention": in_part("model", in_a_layer(scaled("w_o", Fraction(9, 8)))),
        "a bend of the answers off": in_part("model", in_a_layer(changed("w_2", _bent))),
        "another label": _other_label,
    },
)
def recalled(
    *, kernel: str = "exp", n: int = 3, d: int = 2, size: int = 5, classes: int = 3, seed: int = 0
) -> Recalled:
    """Random labels for every token of all sequences of n out of `size` tokens."""
    k, n, d = _kernel(kernel, d), whole("n", n, 2, 6), whole("d", d, 1, 4)
    X = sequences_of(whole("size", size, n + 1, 12), n, d, pattern_by_name("full", n))
    rng = np.random.default_rng(whole("seed", seed, 0))
    Y = rng.integers(1, whole("classes", classes, 2, 1000) + 1, X.shape).astype(object)
    model = recalling(separating_layers(X, k, seed=seed), Y)
    named = {"kernel": kernel, "n": n, "d": d, "sequences": len(X), "labels": Y.size}
    return Recalled(model, X, Y, named)
