"""Cheng et al. (2025): which kernels may stand in place of exp; Lemmas 1 and 2, Corollary 1, lists of kernels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...arithmetic import BALL, EXACT, FLOAT64, Ball, distances
from ...arithmetic.objects import ends
from ...certificate import Certificate, Check
from ...checks import choice, whole
from ...damages import Damage, replaced
from ...kernels import CONSTANT, Kernel
from ...layers import Attention, Head
from ...model import Transformer
from ...registry import register
from ..growth import Peeled, growth, peel, settles
from ..kernel_families import kernel
from ..mixing import attention_weights

HALF = Fraction(1, 2)
OMEGA = ((1, HALF, -1), (-1, 2, HALF), (Fraction(1, 4), -1, 1))
OPPOSITE = ((1, HALF), (-1, -HALF), (-HALF, 1), (HALF, -1))
HOLDING = ("exp", "rbf", "performer", "exp_sum", "poly_times")
"""Kernels that satisfy (13), in the order of section 4.1."""


def example(name: str, d: int = 2) -> Kernel:
    """The kernel of that name, with parameters of our choice; "antithetic" is Performer with omega and -omega."""
    made: dict[str, dict[str, Any]] = {
        "rbf": {"gamma": HALF},
        "performer": {"omega": [row[:d] for row in OMEGA]},
        "exp_sum": {"w": (1, -HALF, 2)[:d]},
        "exp_plus": {"w": (1, -HALF, 2)[:d]},
        "poly_times": {"polynomial": (1, 0, 1), "base": kernel("exp")},
        "polynomial": {"power": 2, "offset": 1},
        "cosine": {"offset": d + 1},
    }
    if name == "antithetic":
        return kernel("performer", omega=OPPOSITE)
    return kernel(name, **made.get(name, {}))


def _points(count: int, d: int) -> np.ndarray:
    """The points of Z^d nearest to 0, without 0, opposite ones side by side; shape (d, count)."""
    reach = next(k for k in itertools.count(1) if (2 * k + 1) ** d > count)
    lattice = itertools.product(range(-reach, reach + 1), repeat=d)
    order = sorted(lattice, key=lambda c: (sum(map(abs, c)), [-abs(u) for u in c], [-u for u in c]))
    return np.array(order[1 : count + 1], dtype=object).T


def _weights(d: int, count: int, seed: int, size: int = 1000) -> np.ndarray:
    """d x d matrices of whole numbers below `size`, shape (count, d, d)."""
    return np.random.default_rng(seed).integers(1 - size, size, size=(count, d, d)).astype(object)


def _text(tokens: Any) -> str:
    """Columns, as (1, 0) (2, 1)."""
    return " ".join(f"({', '.join(map(str, token))})" for token in np.asarray(tokens, dtype=object).T)


def _sizes(name: Any, n: Any, d: Any, least: int) -> tuple[str, int, int]:
    return choice("kernel", name, HOLDING), whole("n", n, least, 8), whole("d", d, 1, 3)


# -------------------------------------------------------------------------------------------------------------- Lemma 2


class Ordered(NamedTuple):
    """Keys W_K x_i, most dominating first, for the query x."""

    name: str
    kernel: Kernel
    x: np.ndarray
    W: np.ndarray
    order: np.ndarray


def _logs(k: Kernel, x: Any, keys: Any, bits: int) -> np.ndarray:
    """log k(x, y) for the columns y of keys, enclosed."""
    system = BALL.with_bits(bits)
    with system.context():
        scores = k.scores(system.array(keys), system.array(np.asarray(x, dtype=object)[:, None]), system)
        return np.asarray(system.output(scores))[:, 0]


def _short(ball: Ball) -> tuple[Fraction, Fraction]:
    """Its ends, rounded outwards to 64 binary places."""
    return Fraction(math.floor(ball.lower * 2**64), 2**64), Fraction(math.ceil(ball.upper * 2**64), 2**64)


def _lead(k: Kernel, x: Any, W: Any, order: np.ndarray, t: Any, bits: int = 512) -> tuple[Fraction, Fraction, int]:
    """Ends of the least log k(x, t W x_i)/k(x, t W x_{i+1}), and its i."""
    logs = [_short(value) for value in _logs(k, x, t * W @ order, bits)]
    leads = [(a[0] - b[1], a[1] - b[0]) for a, b in itertools.pairwise(logs)]
    i = min(range(len(leads)), key=lambda i: leads[i])
    return *leads[i], i


def _certify_order(parts: Ordered) -> Certificate:
    d, p = parts.order.shape
    grown = [tuple(row) for row in growth(parts.kernel, parts.x, (parts.W @ parts.order).T)]
    alike = [pair for pair in itertools.combinations(range(p), 2) if grown[pair[0]] == grown[pair[1]]]
    others = _weights(d, 50, 7, 10**6)
    ties = [W for W in others if len({tuple(row) for row in growth(parts.kernel, parts.x, (W @ parts.order).T)}) < p]
    (near, _, i), (far, _, _) = (_lead(parts.kernel, parts.x, parts.W, parts.order, t) for t in (2**20, 2**30))
    pair = _text(parts.order[:, [i, i + 1]])
    return Certificate(
        [
            Check(
                "pairs of keys that grow alike",
                len(alike),
                "==",
                0,
                _text(parts.order[:, list(alike[0])]) if alike else None,
                cases=math.comb(p, 2),
            ),
            Check("least log k(x, t W_K x_i)/k(x, t W_K x_{i+1}) at t = 2^20", near, ">", 0, pair, "enclosed", p - 1),
            Check("the same at t = 2^30, over it", far / near if near else 0, ">=", 1000, pair, "enclosed", p - 1),
            Check(
                "other W_K at which two keys grow alike",
                len(ties),
                "==",
                0,
                [*map(_text, ties), None][0],
                "sampled",
                len(others),
            ),
        ],
        parameters={"kernel": parts.name, "p": p, "d": d},
    )


def _query_zero(parts: Ordered, rng: np.random.Generator) -> Ordered | None:
    """Where all depends on x . y: the others see the keys without it."""
    return parts._replace(x=0 * parts.x) if parts.name in ("exp", "rbf", "poly_times") else None


@register(
    "cheng2025:lem-2",
    "for almost every W_K the keys have an order in which each dominates the next, as they are scaled",
    source="Lemma 2 (auxiliary lemma), appendix C.1",
    chapter="cheng-kernels",
    construction=growth,
    certify=_certify_order,
    cases=[{"kernel": name, "n": 3 + k, "d": 1 + k % 3} for k, name in enumerate(HOLDING)],
    damages={
        "a query 0": _query_zero,
        "W_K forgets an entry": lambda parts, rng: parts._replace(W=_forgetful(parts.W)),
        "two keys exchanged": lambda parts, rng: parts._replace(
            order=parts.order[:, [1, 0, *range(2, parts.order.shape[1])]]
        ),
        "the order reversed": lambda parts, rng: parts._replace(order=parts.order[:, ::-1]),
        "a kernel even in y": lambda parts, rng: parts._replace(kernel=kernel("cosh")),
    },
)
def ordered(*, kernel: Any = "exp", n: Any = 6, d: Any = 2) -> Ordered:
    """2 n points next to 0, opposite ones among them, in the order of their keys' growth."""
    name, n, d = _sizes(kernel, n, d, 2)
    k, tokens, W = example(name, d), _points(2 * n, d), _weights(d, 1, 0)[0]
    x = np.array([Fraction(1, i + 1) for i in range(d)], dtype=object)
    return Ordered(name, k, x, W, peel(k, x, W, tokens, tokens).order)


def _forgetful(W: np.ndarray) -> np.ndarray:
    new = W.copy()
    new[:, -1] = 0
    return new


# -------------------------------------------------------------------------------------------------------------- Lemma 1


class Parted(NamedTuple):
    """Contexts A and B of the token x with their peeling and the limit of their gap; the layer with keys t W_K."""

    name: str
    kernel: Kernel
    x: np.ndarray
    W: np.ndarray
    t: Fraction
    model: Transformer
    pairs: tuple[tuple[str, np.ndarray, np.ndarray, Peeled, np.ndarray], ...]


LEAD = 10
"""The t that is taken makes each key at least e^10 times as strong as the next."""


def _layer(k: Kernel, W_K: Any, W_V: Any = None, W_Q: Any = None) -> Transformer:
    one = np.eye(len(W_K), dtype=int)
    w_q, w_v = (one if W is None else W for W in (W_Q, W_V))
    return Transformer([Attention([Head(w_q, W_K, w_v, one)], kernel=k)])


def _pairs(x: np.ndarray, order: np.ndarray, n: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Contexts of x that share their q first tokens, for each q; one token more; opposite tokens."""
    rest = order[:, (order != x[:, None]).any(axis=0)]

    def context(*columns: Any) -> np.ndarray:
        return np.column_stack([x, rest[:, list(columns)]])

    for q in range(n - 1):
        yield f"{q} shared", context(*range(q), *range(q, n - 1)), context(*range(q), *range(q + 1, n))
    yield "one token more", context(*range(n - 1)), context(*range(n - 2))
    halves = [token for token in rest.T if tuple(token) > (0,) * len(x) and (token != -x).any()]
    if n >= 4 and len(halves) > 1:
        a, b = halves[:2]
        yield "opposite", np.column_stack([x, -x, a, -a]), np.column_stack([x, -x, b, -b])


def _limit(A: np.ndarray, B: np.ndarray, found: Peeled) -> np.ndarray:
    """Of (what x hears in A less what it hears in B) k(first)/k(next), as keys are scaled."""
    if found.common:
        return np.asarray(found.sign * (found.order[:, found.common] - found.order[:, 0]))
    first, second = (next(token for token in found.order.T if (token == Z.T).all(axis=1).any()) for Z in (A, B))
    return np.asarray(first - second)


def _scaled_gap(parts: Parted, A: Any, B: Any, found: Any, limit: Any) -> tuple[Fraction, Fraction]:
    """The literal outputs of x: |(A's - B's) k(first)/k(next) - limit| over its bound, and the bound over |limit|.

    If each key is at most s times as strong as the one before, the bound is 4 s/(1 - s) times the largest difference
    of entries: what is left out adds at most s/(1 - s) of it, in four places.
    """
    keys = parts.t * parts.W @ found.order
    logs = [_short(value) for value in _logs(parts.kernel, parts.x, keys, 512)]
    s = Fraction(math.exp(-float(min(a[0] - b[1] for a, b in itertools.pairwise(logs))))) * (1 + Fraction(1, 2**40))
    bound = 4 * s / (1 - s) * max(max(row) - min(row) for row in found.order) if s < 1 else Fraction(2) ** 60
    system = BALL.with_bits(256 + int(2 * abs(logs[0][1] - logs[-1][0])))
    values = [parts.model(Z, system)[:, 0] for Z in (A, B)]
    strength = _logs(parts.kernel, parts.x, keys[:, [0, found.common]], system.bits)
    with system.context():
        (a, b), (first, following) = (system.array(np.array(u)) for u in (values, strength))
        gap = system.output(system.function("exp", np.array([first - following])) * (a - b))
    off = max(max(abs(u - goal) for u in ends(value)) for value, goal in zip(gap, limit, strict=True))
    return min(off / bound, Fraction(10) ** 30), bound / max(abs(u) for u in limit)


def _certify_parted(parts: Parted) -> Certificate:
    found = [
        (*_scaled_gap(parts, A, B, *rest), f"{name}: {_text(A)} | {_text(B)}") for name, A, B, *rest in parts.pairs
    ]
    off, sure = (max(found, key=lambda row: row[k]) for k in (0, 1))
    name = "what x gets in A less what in B, over k(next)/k(first), less its limit"
    return Certificate(
        [
            Check(f"{name}; over 4 s/(1 - s) |x_i - x_j|", off[0], "<=", 1, off[2], "enclosed", len(found)),
            Check(
                "that bound over the limit, so that the outputs differ",
                sure[1],
                "<",
                1,
                sure[2],
                "enclosed",
                len(found),
            ),
        ],
        parameters={"kernel": parts.name, "d": len(parts.x), "t": parts.t},
    )


def _without_first(parts: Parted, rng: np.random.Generator) -> Parted:
    """B lacks the token that dominates it, apart from x."""

    def less(B: np.ndarray, order: np.ndarray) -> np.ndarray:
        lost = next(token for token in order.T if (token != parts.x).any() and (token == B.T).all(axis=1).any())
        return B[:, (lost[:, None] != B).any(axis=0)]

    pairs = ((name, A, less(B, found.order), found, limit) for name, A, B, found, limit in parts.pairs)
    return parts._replace(pairs=tuple(pairs))


@register(
    "cheng2025:lem-1",
    "a token whose output is the same in two contexts for all weights has the same context in both",
    source="Lemma 1, appendix C.1",
    chapter="cheng-kernels",
    construction=peel,
    certify=_certify_parted,
    cases=[{"kernel": name, "n": 5 - k % 3, "d": 1 + k % 3} for k, name in enumerate(HOLDING)],
    damages={
        "keys not scaled": lambda parts, rng: _run_by(parts._replace(t=0), parts.kernel),
        "half of the values": lambda parts, rng: _run_by(parts, parts.kernel, HALF),
        "keys turned round": lambda parts, rng: _run_by(parts, parts.kernel, keys=-1),
        "the average in place of the kernel": lambda parts, rng: _run_by(parts, CONSTANT),
        "a token of B left out": _without_first,
        "the contexts exchanged": lambda parts, rng: parts._replace(
            pairs=tuple((m, B, A, *rest) for m, A, B, *rest in parts.pairs)
        ),
    },
)
def parted(*, kernel: Any = "exp", n: Any = 4, d: Any = 2) -> Parted:
    """Contexts of n of the points next to 0, and t twice as large until keys are far apart."""
    name, n, d = _sizes(kernel, n, d, 3)
    k, tokens, W = example(name, d), _points(2 * n, d), _weights(d, 1, 1)[0]
    x = tokens[:, 0]
    order = peel(k, x, W, tokens, tokens).order
    found = [(what, A, B, peel(k, x, W, A, B)) for what, A, B in _pairs(x, order, n)]
    pairs = tuple((what, A, B, peeled, _limit(A, B, peeled)) for what, A, B, peeled in found)
    t = next(t for t in (Fraction(2) ** i for i in range(-20, 60)) if _lead(k, x, W, order, t)[0] > LEAD)
    return Parted(name, k, x, W, t, _layer(k, t * W), pairs)


def _run_by(parts: Parted, k: Kernel, values: Any = 1, keys: int = 1) -> Parted:
    one = np.eye(len(parts.x), dtype=object)
    return parts._replace(model=_layer(k, keys * parts.t * parts.W, values * one))


# ---------------------------------------------------------------------------------------------------------- Corollary 1


class Contexts(NamedTuple):
    """A layer, and all contexts of n tokens out of a vocabulary; (count, d, n)."""

    name: str
    model: Transformer
    X: np.ndarray


def _contexts(vocabulary: np.ndarray, n: int) -> np.ndarray:
    return np.array([vocabulary[:, list(c)] for c in itertools.combinations(range(vocabulary.shape[1]), n)])


def _least_gap(model: Transformer, X: np.ndarray) -> tuple[float, str, int, int]:
    """A lower bound on the distance (largest entry) of any two tokens of all outputs; which; pairs, those it is 0 for.

    Balls are taken as floats; their radii, and the errors of floats, are taken off at the end. 0 where nothing is left.
    """
    out = model(X, BALL)
    ids = out.transpose(0, 2, 1).reshape(-1, X.shape[1])
    middles = ids.astype(float)
    error = max(float(ball.radius) for ball in ids.flat) + 2.0**-50 * (1 + abs(middles).max())
    gaps = np.full((len(ids),) * 2, np.inf)
    for k in range(1, len(ids)):
        gaps[k, :k] = abs(middles[k] - middles[:k]).max(axis=1)
    places = (divmod(int(k), X.shape[-1]) for k in np.unravel_index(int(gaps.argmin()), gaps.shape))
    where = " and ".join(f"token {token + 1} of {_text(X[row])}" for row, token in places)
    alike = int((gaps <= 2 * error).sum())
    return max(0.0, float(gaps.min()) - 2 * error), where, len(ids) * (len(ids) - 1) // 2, alike


def _quarters(d: int, seed: int) -> list[np.ndarray]:
    """W_Q, W_K and W_V of odd quarters."""
    drawn = 2 * np.random.default_rng(seed).integers(-4, 4, size=(3, d, d)) + 1
    return [W.astype(object) * Fraction(1, 4) for W in drawn]


def _certify_contexts(parts: Contexts) -> Certificate:
    gap, where, pairs, alike = _least_gap(parts.model, parts.X)
    _, d, n = parts.X.shape
    name = "least distance of two tokens after one layer, over all contexts"
    return Certificate(
        [
            Check(name, gap, ">", 0, where, "enclosed", pairs),
            Check("pairs of them that are alike", alike, "==", 0, where if alike else None, "enclosed", pairs),
        ],
        parameters={"kernel": parts.name, "n": n, "d": d},
    )


def _reweighted(**factors: Callable[[int], np.ndarray]) -> Damage:
    """The layer with weights times these, from the right."""

    def damaged(parts: Any, rng: np.random.Generator) -> Any:
        layer = parts.model.layers[0]
        head = layer.heads[0]
        d = head.w_k.shape[1]
        new = {name: getattr(head, name) @ factor(d) for name, factor in factors.items()}
        return replaced(parts, model=Transformer([replaced(layer, heads=[replaced(head, **new)])]))

    return damaged


def _nothing(d: int) -> np.ndarray:
    return np.zeros((d, d), dtype=int)


def _all_but_last(d: int) -> np.ndarray:
    return np.diag([*[1] * (d - 1), 0])


@register(
    "cheng2025:cor-1",
    "one layer of attention with a kernel as in (13) tells apart all tokens of all contexts without a zero token",
    source="Corollary 1, section 4.1; its proof in appendix C.1",
    chapter="cheng-kernels",
    construction=attention_weights,
    certify=_certify_contexts,
    cases=[{"kernel": name, "n": 2 + k % 4, "d": 1 + k % 2} for k, name in enumerate(HOLDING)],
    damages={
        "no keys": lambda parts, rng: _reweighted(w_k=_nothing)(parts, rng) if parts.X.shape[-1] > 2 else None,
        "no values": _reweighted(w_v=_nothing),
        "an entry forgotten": _reweighted(w_k=_all_but_last, w_v=_all_but_last),
        "a context twice": lambda parts, rng: parts._replace(X=np.concatenate([parts.X, parts.X[:1]])),
    },
    concerns="sentence",
    erratum="""The text says that the corollary ensures token distinguishability. It does for nonzero tokens alone, as
    its proof says: with a kernel of x . y a query 0 weighs all keys alike, and with one of |x - y| it weighs u and -u
    alike, so (0, u, -u) and (0, v, -v) give the token 0 the same, whatever the weights. What the corollary concludes
    stands, in L^p: sequences with a zero token have measure zero, and the corners at which the proof of Theorem 1
    interpolates can be moved off them.""",
)
def told_apart(*, variant: Any = "repaired", kernel: Any = "exp", n: Any = 3, d: Any = 2) -> Contexts:
    """All contexts of n out of the 8 points next to 0, and the best of five layers; printed: 0 among them."""
    name, n, d = _sizes(kernel, n, d, 2)
    vocabulary = _points(8, d)
    if variant == "printed":
        vocabulary = np.column_stack([np.zeros(d, dtype=int), vocabulary]).astype(object)
    X = _contexts(vocabulary, n)
    return Contexts(name, _best(example(name, d), X), X)


def _best(k: Kernel, X: np.ndarray) -> Transformer:
    """Out of five layers the one with the largest gap in floats."""

    def gap(model: Transformer) -> float:
        ids = model(X.astype(float), FLOAT64).numpy().transpose(0, 2, 1).reshape(-1, X.shape[1])
        far = abs(ids[:, None] - ids).max(axis=2)
        np.fill_diagonal(far, np.inf)
        return float(far.min())

    layers = (_quarters(X.shape[1], seed) for seed in range(5))
    return max((_layer(k, W_K, W_V, W_Q) for W_Q, W_K, W_V in layers), key=gap)


# ------------------------------------------------------------------------------------------- Section 4.1, appendix C.2


class Listed(NamedTuple):
    """The kernels of the list, and what appendix C.2 says of two of them.

    `slope` is the factor of t x^T W_K (y_1 - y_2) in (61), `whole_exponent` whether it is asked for beside (62), and
    `second` the key of the second term of (66).
    """

    d: int
    kernels: dict[str, Kernel]
    slope: Fraction
    whole_exponent: bool
    second: int


def _keys(d: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rows = {
        "two at random": ((1, 2, -1), (3, -1, 2)),
        "opposite": ((1, 2, -1), (-1, -2, 1)),
        "of equal length": ((1, 2, -1), (2, 1, 1)),
        "one twice the other": ((1, 2, -1), (2, 4, -2)),
        "one entry shared": ((1, 2, -1), (1, -1, 3)),
    }
    return {name: (np.array(a[:d], dtype=object), np.array(b[:d], dtype=object)) for name, (a, b) in rows.items()}


def _certify_list(parts: Listed) -> Certificate:
    d, x = parts.d, np.array((1, HALF, -1)[: parts.d], dtype=object)
    drawn, checks = _weights(d, 25, 3, 10**6), []
    for name, k in parts.kernels.items():
        still = [
            f"y_1, y_2 {what}, W_K = {W.tolist()}"
            for what, (y_1, y_2) in _keys(d).items()
            for W in drawn[settles(k, x, drawn @ y_1, drawn @ y_2)]
        ]
        cases, witness = len(drawn) * len(_keys(d)), still[0] if still else None
        checks.append(Check(f"{name}: W_K at which the ratio settles", len(still), "==", 0, witness, "sampled", cases))
    return Certificate([*checks, *_appendix(parts, x, drawn)], parameters={"d": d})


def _appendix(parts: Listed, x: np.ndarray, drawn: np.ndarray) -> Iterator[Check]:
    """The exponent of (61), the equation (62), and the hyperplanes of (66)."""
    rbf, t = example("rbf"), 3
    off, where, null = Fraction(0), None, []
    for what, (y_1, y_2) in _keys(parts.d).items():
        zero = True
        for W in drawn:
            keys = t * W @ np.column_stack([y_1, y_2])
            with EXACT.context():
                score = EXACT.output(rbf.scores(EXACT.array(keys), EXACT.array(x[:, None]), EXACT))[:, 0]
            a, b = W @ y_1, W @ y_2
            squares, line = a @ a - b @ b, x @ (a - b)
            zero &= squares == 0 and (not parts.whole_exponent or line == 0)
            miss = abs(score[0] - score[1] - (-HALF * squares * t * t + parts.slope * t * line))
            if miss > off:
                off, where = miss, f"y_1, y_2 {what}, t = 3, W_K = {W.tolist()}"
        null += [what] * zero
    cases = len(drawn) * len(_keys(parts.d))
    yield Check("(61): log of the ratio less the exponent", off, "==", 0, where, "sampled", cases)
    named = "whose exponent" if parts.whole_exponent else "for which (62)"
    witness = f"y_1, y_2 {null[0]}" if null else None
    yield Check(f"keys {named} is 0 for every W_K", len(null), "==", 0, witness, "sampled", cases)
    omega = np.array([row[: parts.d] for row in OMEGA], dtype=object)
    drawn, y = _weights(parts.d, 1500, 5, 3), _keys(parts.d)["two at random"]
    one, two, second = ((drawn @ key) @ omega.T for key in (*y, y[parts.second]))
    met = one.max(axis=1) == two.max(axis=1)
    same = one[:, :, None] == second[:, None, :]
    if parts.second == 0:
        same[:, range(3), range(3)] = False  # every W_K lies in these
    outside = [f"W_K = {W.tolist()}" for W in drawn[met & ~same.any(axis=(1, 2))]]
    witness = outside[0] if outside else None
    yield Check("(65): W_K outside of the sets (66)", len(outside), "==", 0, witness, "sampled", int(met.sum()))


@register(
    "cheng2025:kernels",
    "five kernels for which the ratio of two keys tends to 0 or infinity, for almost every W_K",
    source="section 4.1 and appendix C.2, (13), (59) to (68)",
    chapter="cheng-kernels",
    construction=settles,
    certify=_certify_list,
    cases=[{"d": 3}],
    damages={
        "opposite features": lambda parts, rng: (
            _with_kernel(parts, performer=example("antithetic")) if parts.d == 2 else None
        ),
        "cosh in place of exp": lambda parts, rng: _with_kernel(parts, exp=example("cosh")),
        "Cauchy in place of RBF": lambda parts, rng: _with_kernel(parts, rbf=example("cauchy")),
        "half of the slope": lambda parts, rng: parts._replace(slope=parts.slope / 2),
        "the squares alone": lambda parts, rng: parts._replace(whole_exponent=False),
    },
    concerns="proof",
    erratum="""Appendix C.2 verifies exp(w . x) + exp(w . y), where section 4.1 names exp(w . (x + y)). That is another
    kernel, and its ratio tends to 1 wherever w . W_K y_1 and w . W_K y_2 are both negative: for Gaussian W_K with
    probability (pi - theta)/(2 pi), theta the angle between the keys. In (61) the last term is
    2 gamma t x^T W_K (y_1 - y_2): gamma is missing, and the sign is the other. (62) is 0 for every W_K if y_2 = -y_1,
    where that last term decides. (66) has y_1 twice.""",
)
def listed(*, variant: Any = "repaired", d: Any = 2) -> Listed:
    """The five kernels, and the lines of the appendix, as corrected or as printed."""
    d, printed = whole("d", d, 2, 3), variant == "printed"
    names = [("exp_plus" if printed and name == "exp_sum" else name) for name in HOLDING]
    gamma = HALF
    slope = Fraction(-2) if printed else 2 * gamma
    return Listed(d, {name: example(name, d) for name in names}, slope, not printed, 0 if printed else 1)


def _with_kernel(parts: Listed, **kernels: Kernel) -> Listed:
    return parts._replace(kernels={**parts.kernels, **kernels})


# ----------------------------------------------------------------------------------------- kernels for which (13) fails


class Failing(NamedTuple):
    """A kernel, keys at which its ratio settles for a share of W_K, a layer with contexts, and a pair that fools it."""

    name: str
    kernel: Kernel
    keys: tuple[tuple[int, ...], tuple[int, ...]]
    share: Fraction
    model: Transformer
    X: np.ndarray
    fooled: tuple[np.ndarray, np.ndarray] | None
    degrees: tuple[int, ...]
    layers: int


CROSS = np.array([[1, 0, -1, 0], [0, 1, 0, -1]], dtype=object)
TURNED = np.array([[3, -4, -3, 4], [4, 3, -4, -3]], dtype=object) * Fraction(1, 5)
BESIDE = np.array([[HALF], [Fraction(1, 4)]], dtype=object)
ACROSS, OPPOSED = ((1, 0), (0, 1)), ((1, 0), (-1, 0))
FAILING: dict[str, tuple[Any, Fraction, int]] = {
    "exp_plus": (ACROSS, Fraction(1, 4), 5),
    "elu": (ACROSS, Fraction(9, 16), 5),
    "laplace": (OPPOSED, Fraction(1), 5),
    "cauchy": (ACROSS, Fraction(1), 5),
    "cosine": (ACROSS, Fraction(1), 5),
    "antithetic": (OPPOSED, Fraction(1), 5),
    "polynomial": (ACROSS, Fraction(1), 4),
    "cosh": (OPPOSED, Fraction(1), 3),
    "constant": (ACROSS, Fraction(1), 2),
}
"""Keys at which the ratio settles, for at least which share of W_K, and how many tokens it was seen to tell apart."""
FOOLED: dict[str, tuple[np.ndarray, np.ndarray, tuple[int, ...], int]] = {
    "polynomial": (np.hstack([BESIDE, CROSS]), np.hstack([BESIDE, TURNED]), (0, 1, 2, 3), 1),
    "cosh": (CROSS[:, [0, 2, 1, 3]], np.hstack([CROSS[:, [0, 2]], TURNED[:, [0, 2]]]), (1, 3, 5, 7), 3),
    "constant": (np.hstack([BESIDE, CROSS[:, [0, 2]]]), np.hstack([BESIDE, CROSS[:, [1, 3]]]), (0, 1), 3),
}
"""Contexts of their first token that fool it, of which degrees their moments agree, and through how many layers."""
ROUNDING = Fraction(1, 2**80)


def _moment(tokens: np.ndarray, powers: tuple[int, ...]) -> Fraction:
    """The sum over tokens of the product of their entries to these powers."""
    return sum((math.prod(u**p for u, p in zip(token, powers, strict=True)) for token in tokens.T), Fraction(0))


def _certify_failing(parts: Failing) -> Certificate:
    x, entries = np.array([1, Fraction(1, 5)], dtype=object), (-2, -1, 1, 2)
    W = np.array(list(itertools.product(entries, repeat=4)), dtype=object).reshape(-1, 2, 2)
    still = settles(parts.kernel, x, *(W @ np.array(y, dtype=object) for y in parts.keys))
    share = Fraction(int(still.sum()), len(W))
    where = f"y_1, y_2 = {_text(np.array(parts.keys).T)}"
    gap, which, pairs, _ = _least_gap(parts.model, parts.X)
    n = parts.X.shape[-1]
    checks = [
        Check("share of W_K at which the ratio settles", share, ">=", parts.share, where, cases=len(W)),
        Check(
            f"least distance of two tokens after a layer, all contexts of {n}", gap, ">", 0, which, "enclosed", pairs
        ),
    ]
    if parts.fooled:
        checks += _certify_fooled(parts)
    return Certificate(checks, parameters={"kernel": parts.name})


def _certify_fooled(parts: Failing) -> Iterator[Check]:
    assert parts.fooled is not None
    both, where = np.array(parts.fooled), " | ".join(map(_text, parts.fooled))
    worst = Fraction(0)
    for seed in range(8):
        W = [_quarters(2, 100 * seed + k) for k in range(parts.layers)]
        model = Transformer([layer for q, k, v in W for layer in _layer(parts.kernel, k, v, q).layers])
        out = model(both, BALL)
        worst = max(worst, *distances(out[0, :, 0], out[1, :, 0]))
    name = f"{both.shape[-1]} tokens, {parts.layers} layer{'s' * (parts.layers > 1)}: outputs of the first differ by"
    yield Check(name, worst, "<=", ROUNDING, where, "enclosed", 8)
    powers = [(p, q - p) for q in parts.degrees for p in range(q + 1)]
    differ = [c for c in powers if _moment(both[0], c) != _moment(both[1], c)]
    degrees = ", ".join(map(str, parts.degrees))
    yield Check(f"moments of degree {degrees} that differ", len(differ), "==", 0, where, cases=len(powers))


def _moved(parts: Failing, rng: np.random.Generator) -> Failing | None:
    """The last token of the second context goes a little to the right."""
    if parts.fooled is None:
        return None
    second = parts.fooled[1].copy()
    second[0, -1] += Fraction(1, 8)
    return parts._replace(fooled=(parts.fooled[0], second))


@register(
    "cheng2025:kernels-that-fail",
    "kernels for which (13) fails: most tell contexts apart all the same, some are fooled",
    source="section 4.1, (13); the kernels and pairs are ours",
    chapter="cheng-kernels",
    construction=attention_weights,
    certify=_certify_failing,
    cases=[{"kernel": name} for name in list(FAILING)[1:]],
    damages={
        "exp in its place": lambda parts, rng: parts._replace(kernel=example("exp")),
        "no values": _reweighted(w_v=_nothing),
        "no keys": lambda parts, rng: None if parts.name == "constant" else _reweighted(w_k=_nothing)(parts, rng),
        "a token of the pair moved": _moved,
    },
)
def failing(*, kernel: Any = "exp_plus") -> Failing:
    """The kernel, contexts out of two squares and a token beside them, and the pair that fools it, if there is one."""
    name = choice("kernel", kernel, list(FAILING))
    keys, share, n = FAILING[name]
    X, k = _contexts(np.hstack([BESIDE, CROSS, TURNED]), n), example(name)
    *fooled, degrees, layers = FOOLED.get(name, ((), 0))
    return Failing(name, k, keys, share, _best(k, X), X, tuple(fooled) or None, degrees, layers)  # type: ignore[arg-type]
