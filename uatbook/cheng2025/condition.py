"""What to ask of attention: Definitions 1 to 3 and Theorem 1."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import BALL, EXACT, FLOAT64, distances
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, refused, whole
from uatlib.cheng2025.certify_network import Network
from uatlib.cheng2025.distinguishing import Told, affine_image, lattice, products, spread_sums, told_apart, two_tokens
from uatlib.cheng2025.network import build
from uatlib.groups import Permutation, elements, generators
from uatlib.kernels import CONSTANT, DOT, Kernel
from uatlib.layers import Attention, FeedForward, Head
from uatlib.model import Transformer
from uatlib.targets import Target, exact_values, mean_product, running_mean

from ..damages import edited, in_part, mapped, put, replaced, with_layer
from ..registry import register
from . import encodings

QUARTER_E = encodings.spread_encodings(2, 1, (0, Fraction(1, 4)), Fraction(1, 2))
GROUPS = ("symmetric", "dihedral", "cyclic")
MAX_SEQUENCES = 2_000
TINY = Fraction(1, 2**40)
"""By how much sequences are moved, where a map is to be continuous."""


def _largest(name: str, values: np.ndarray, X: np.ndarray, **more: object) -> Check:
    """The largest of |values| of shape (N, ...), which is to be 0, with its sequence."""
    sizes = abs(values).reshape(len(values), -1).max(axis=1)
    return Check.worst(name, sizes, "==", 0, lambda k: {**more, "X": X[k]})


# --------------------------------------------------------------------------------------------------------- Definition 1


class Lift(NamedTuple):
    """F, the encodings E, the group, F~ with a bound on its steepness, and a network for F~ on another scale."""

    target: Target
    E: np.ndarray
    group: str
    function: Callable[[np.ndarray], np.ndarray]
    steep: Any
    network: Network | None = None


def _certify_definition_1(parts: Lift) -> list[Check]:
    """All sequences with entries 0, 1/2 and 1; those of F~ also between the boxes, at the ends of its pieces."""
    f, E, lift = parts.target, parts.E, parts.function
    n, d = f.n, f.d
    levels = [Fraction(k, 2) for k in range(3)]
    X = np.array(list(itertools.product(levels, repeat=n * d)), dtype=object).reshape(-1, d, n)
    wanted = exact_values(f, X)
    room = encodings.room_between(E, f.domain)
    rng = np.random.default_rng(0)
    steps: Any = rng.integers(-4, 5, X.shape).astype(object) * (Fraction(1, 8) if room <= 0 else room / 8)
    Z = np.concatenate([X + E, X + E + steps])
    values = lift(Z)
    name, moves = "|F~(Z P) - F~(Z) P|, largest", generators(parts.group, n)
    crooked = max(
        (_largest(name, lift(Z[..., list(p)]) - values[..., list(p)], Z, P=tuple(p)) for p in moves),
        key=lambda check: check.measured,
    )
    near: Any = rng.choice([-1, 1], Z.shape).astype(object) * Fraction(1, 64)
    rise = abs(lift(Z + near) - values).max(axis=(1, 2)) * 64
    swap = generators(parts.group, n)[0]
    alone = exact_values(f, X[..., list(swap)]) - wanted[..., list(swap)]
    apart = _largest("without E: half of |F(X P) - F(X) P|, largest", alone / 2, X)
    return [
        Check("boxes of two positions, least distance", room, ">", 0, {"E": E}, cases=n * (n - 1) // 2),
        _largest("|F~(X + E) - F(X)|, largest", lift(X + E) - wanted, X),
        replaced(crooked, cases=len(Z) * len(moves)),
        Check.worst("steepness of F~, largest", rise, "<=", parts.steep, lambda k: {"Z": Z[k]}, "sampled"),
        replaced(apart, relation=">"),
        *([_lifted_network(parts.network)] if parts.network is not None else []),
    ]


def _lifted_network(g: Network) -> Check:
    """The layers for F~ at X + E, X in [0, 1/4]^2: no cell has a token twice, so only the cells are left."""
    N = g.shortcut.inverse_delta
    places = (np.arange(N) + 0.5) / (4 * N)
    X = np.array(np.meshgrid(places, places, indexing="ij")).reshape(2, -1).T[:, None]
    off = abs(g(X + QUARTER_E.astype(float), FLOAT64).numpy() - running_mean(2)(X)).max(axis=(1, 2))
    name = f"layers for F~ at X + E, {N} cells a side: distance from F(X), largest"
    bound = g.target.modulus(Fraction(1, 2 * N))
    return Check.worst(name, off, "<=", bound, lambda k: {"X": X[k]}, "sampled")


def _pieces(parts: Lift, E: np.ndarray, reach: object) -> Lift:
    """The formula with other encodings, or with another reach."""
    members = elements(parts.group, parts.target.n)
    return parts._replace(E=E, function=lambda Z: encodings.sum_of_pieces(parts.target, E, members, reach, Z))


def _two_positions_alike(parts: Lift, rng: np.random.Generator) -> Lift:
    E = parts.E.copy()
    j, k = rng.choice(parts.target.n, 2, replace=False)
    E[:, j] = E[:, k]
    return _pieces(parts, E, Fraction(1, 2))


@register(
    "cheng2025:def-1",
    "encodings X + E lift the G-universal approximation property to all functions",
    source="Definition 1 and (9)",
    chapter="cheng-condition",
    construction=encodings.lifted,
    certify=_certify_definition_1,
    cases=[
        {"n": 3, "group": "dihedral"},
        {"n": 3, "gap": Fraction(1, 4)},
        {"n": 2, "d": 2},
        {"n": 4, "group": "cyclic", "gap": 3},
    ],
    damages={
        "boxes that overlap": lambda parts, rng: _pieces(parts, parts.E / 4, Fraction(1, 2)),
        "two positions alike": _two_positions_alike,
        "answers in the order of the boxes": mapped(
            function=lambda F: lambda Z: F(np.take_along_axis(Z, np.argsort(Z[:, :1], axis=2), axis=2))
        ),
        "a network without its attention": mapped(network=lambda g: g and replaced(g, model=with_layer(g.model, 1))),
        "pieces with steep edges": lambda parts, rng: _pieces(parts, parts.E, Fraction(1, 1000)),
    },
)
def lift(*, n: int = 2, d: int = 1, group: Any = "symmetric", gap: Any = 1) -> Lift:
    """The running mean, which is not equivariant, lifted to an equivariant F~ with F~(X + E) = F(X)."""
    n, d, group = whole("n", n, 2, 4), whole("d", d, 1, 2), choice("group", group, GROUPS)
    if 3 ** (n * d) > MAX_SEQUENCES:
        raise refused("d", f"at most {MAX_SEQUENCES:,} sequences of entries 0, 1/2, 1", 3 ** (n * d))
    f = running_mean(n, d)
    E = encodings.spread_encodings(n, d, f.domain, gap)
    lifted = encodings.lifted(f, E, group)
    return Lift(f, E, group, lifted.function, lifted.lipschitz, quarter() if (n, d) == (2, 1) else None)


def quarter(inverse_delta: int = 16) -> Network:
    """The network for the running mean of two numbers on [0, 1/4], lifted by E = (0, 3/4), on [0, 1]."""
    f = Target(running_mean(2).function, 2, 1, (0, 0.25), lipschitz=1, bound=0.25)
    return build(encodings.lifted(f, QUARTER_E), inverse_delta=inverse_delta)


# --------------------------------------------------------------------------------------------------------- Definition 2


class Image(NamedTuple):
    """Layers h of a family and W h(A . - b), which is to be one of them, and a Lipschitz constant of each h."""

    layers: list[FeedForward]
    maps: list[tuple[np.ndarray, np.ndarray, np.ndarray]]
    images: list[FeedForward]
    constants: list[int]


def _certify_definition_2(parts: Image) -> Certificate:
    """Each layer and its image at all points of {-2, ..., 2}^d, exactly."""
    d = parts.layers[0].d_in or 1
    points = np.array(list(itertools.product(range(-2, 3), repeat=d)), dtype=object).T
    wrong, bends, steep = [], [], []
    for h, (W, A, b), image, constant in zip(parts.layers, parts.maps, parts.images, parts.constants, strict=True):
        run = Transformer([h])
        values = run(points, EXACT)
        apart = Transformer([image])(points, EXACT) - W @ run(A @ points - b[:, None], EXACT)
        wrong.append(abs(apart).max())
        steps = np.ones((d, 1), dtype=object)
        bends.append(abs(run(points + steps, EXACT) + run(points - steps, EXACT) - 2 * values).max())
        rise = abs(run(points + steps, EXACT) - values).max(axis=0)
        steep.append(rise - constant)

    def which(k: int) -> dict[str, Any]:
        return dict(zip("WAb", parts.maps[k], strict=True))

    more = max(len(i.w_1) - len(h.w_1) for h, i in zip(parts.layers, parts.images, strict=True))
    cases = len(parts.layers) * points.shape[1]
    checks = [
        Check.worst("|W h(A x - b) - h'(x)|, h' of the family, largest", wrong, "==", 0, which, cases=cases),
        Check("hidden units of h' more than of h", more, "==", 0, "the widest", cases=len(parts.layers)),
        Check("|h(x + u) + h(x - u) - 2 h(x)|, u = (1, ..., 1), largest", max(bends), ">", 0, "all h", cases=cases),
        Check.worst(
            "rise of h from x to x + u less its constant", np.array(steep), "<=", 0, lambda h, k: {"x": points[:, k]}
        ),
    ]
    return Certificate(checks, parameters={"d": d, "hidden": len(parts.layers[0].w_1), "layers": len(parts.layers)})


def _image_of(change: Callable[[FeedForward, Any, Any, Any], FeedForward]) -> Any:
    """Another image of each layer."""

    def damaged(parts: Image, rng: np.random.Generator) -> Image:
        images = [change(h, *maps) for h, maps in zip(parts.layers, parts.maps, strict=True)]
        return parts._replace(images=images)

    return damaged


def _without_bias(parts: Image, rng: np.random.Generator) -> Image:
    """The family of layers without biases, as many models have them: W h(A x - b) would need one."""
    layers = [FeedForward(h.w_1, None, h.w_2, skip=False) for h in parts.layers]
    maps = zip(layers, parts.maps, strict=True)
    images = [FeedForward(affine_image(h, *m).w_1, None, affine_image(h, *m).w_2, skip=False) for h, m in maps]
    return parts._replace(layers=layers, images=images)


def _straight(parts: Image, rng: np.random.Generator) -> Image:
    """No unit bends near the points."""
    layers = [FeedForward(h.w_1, h.b_1 + 10**6, h.w_2, h.b_2, skip=False) for h in parts.layers]
    return parts._replace(layers=layers, images=[affine_image(h, *m) for h, m in zip(layers, parts.maps, strict=True)])


@register(
    "cheng2025:def-2",
    "ReLU layers with biases, of any fixed width, are nonlinear and affine-invariant",
    source="Definition 2",
    chapter="cheng-condition",
    construction=affine_image,
    certify=_certify_definition_2,
    cases=[{"d": 1, "hidden": 1}, {"d": 3, "hidden": 4}],
    damages={
        "b added": _image_of(lambda h, W, A, b: affine_image(h, W, A, -b)),
        "W and A exchanged": _image_of(lambda h, W, A, b: affine_image(h, A, W, b)),
        "no biases": _without_bias,
        "no bends": _straight,
        "a constant too small": mapped(constants=lambda constants: [0] * len(constants)),
        "a unit more": _image_of(
            lambda h, W, A, b: affine_image(
                FeedForward(
                    np.vstack([h.w_1, h.w_1[:1]]), [*h.b_1, 0], np.hstack([h.w_2, 0 * h.w_2[:, :1]]), h.b_2, skip=False
                ),
                *(W, A, b),
            )
        ),
    },
)
def family(*, d: int = 2, hidden: int = 2) -> Image:
    """Layers with random whole weights, W and A singular ones among them."""
    d, r, rng = whole("d", d, 1, 4), whole("hidden", hidden, 1, 8), np.random.default_rng(0)

    def drawn(*shape: int) -> np.ndarray:
        return rng.choice([-3, -2, -1, 1, 2, 3], shape).astype(object)

    layers = [FeedForward(drawn(r, d), drawn(r), drawn(d, r), drawn(d), skip=False) for _ in range(8)]
    maps = [(drawn(d, d), drawn(d, d) if k else np.ones((d, d), dtype=object), drawn(d)) for k in range(8)]
    constants = [int((abs(h.w_2) @ abs(h.w_1)).sum(axis=1).max()) for h in layers]
    return Image(layers, maps, [affine_image(h, *m) for h, m in zip(layers, maps, strict=True)], constants)


# --------------------------------------------------------------------------------------------------------- Definition 3


class Samples(NamedTuple):
    """Sequences X (N, d, n), the permutations of the group, token mixing, and the answers for which it is to do.

    Tokens of different orbits are compared, and those of one sequence, unless `across_alone`, as in (45).
    """

    X: np.ndarray
    members: list[Permutation]
    mix: Callable[[np.ndarray], np.ndarray]
    answers: np.ndarray
    across_alone: bool = False

    def separation(self, moved: object = 0) -> Told:
        """What the images tell, all entries larger by `moved`."""
        return told_apart(self.X, self.mix(self.X + moved), self.members, self.answers)


def attention(d: int, kernel: Kernel = DOT) -> Transformer:
    """One head of attention with fixed rational weights."""
    w_q, w_k, w_v = np.random.default_rng(1).integers(-40, 41, (3, d, d)).astype(object) * Fraction(1, 64)
    return Transformer([Attention([Head(w_q, w_k, w_v, np.eye(d, dtype=int))], kernel=kernel)])


def _mixed(model: Transformer) -> Callable[[np.ndarray], np.ndarray]:
    return lambda X: model(X, BALL)


def _distance_checks(parts: Samples, separation: Told) -> list[Check]:
    kinds = {"different orbits": separation.across, "one sequence": separation.within}
    checks = [
        Check(f"tokens of {kind} after mixing, least distance", gap, ">", 0, where, "enclosed", separation.pairs)
        for kind, (gap, where) in kinds.items()
    ]
    return checks[:1] if parts.across_alone else checks


def _conflict(name: str, separation: Told) -> Check:
    return Check(name, separation.conflict[0], "==", 0, separation.conflict[1], cases=separation.pairs)


def _certify_definition_3(parts: Samples) -> Certificate:
    pairs = [(x, j, k) for x in parts.X for j in range(x.shape[1]) for k in range(j)]
    apart = [max(abs(x[:, j] - x[:, k])) for x, j, k in pairs]
    separation = parts.separation()
    checks = [
        Check.worst("tokens of one X, least distance", apart, ">", 0, lambda k: {"X": pairs[k][0]}),
        *_distance_checks(parts, separation),
        _conflict("answers of tokens that are not told apart, largest difference", separation),
    ]
    _, d, n = parts.X.shape
    return Certificate(checks, parameters={"n": n, "d": d, "N": len(parts.X)})


def _zero_tokens(parts: Samples, rng: np.random.Generator) -> Samples | None:
    """Two sequences (0, u, -u, ...) and (0, v, -v, ...): a query 0 hears the mean."""
    X = parts.X.copy()
    if X.shape[2] < 3:
        return None
    X[1] = X[0]
    X[0, :, 0] = X[1, :, 0] = 0
    X[0, :, 2], X[1, :, 1], X[1, :, 2] = -X[0, :, 1], 2 * X[0, :, 1], -2 * X[0, :, 1]
    return parts._replace(X=X, answers=_answers(X))


def _answers(X: np.ndarray) -> np.ndarray:
    return exact_values(mean_product(X.shape[2], X.shape[1]), X)


@edited("X")
def _token_twice(X: np.ndarray, parts: Samples, rng: np.random.Generator) -> None:
    i, (j, k) = int(rng.integers(len(X))), rng.choice(X.shape[2], 2, replace=False)
    X[i, :, j] = X[i, :, k]


def _averages(parts: Samples, rng: np.random.Generator) -> Samples | None:
    d, n = parts.X.shape[1:]
    return parts._replace(mix=_mixed(attention(d, CONSTANT))) if n > 2 else None


@register(
    "cheng2025:def-3",
    "one layer of softmax attention can distinguish the tokens of a finite set",
    source="Definition 3",
    chapter="cheng-condition",
    construction=told_apart,
    certify=_certify_definition_3,
    cases=[{"n": 2, "size": 5}, {"n": 3, "size": 5, "d": 3}],
    damages={
        "no mixing": put(mix=lambda X: X),
        "averages": _averages,
        "a token 0": _zero_tokens,
        "a token twice": _token_twice,
        "orders taken for different": mapped(members=lambda members: members[:1]),
    },
    concerns="proof",
    erratum="""The definition asks that the tokens of g(X_i) and g(X_j), 2n of them, are all distinct for X_i and X_j of
    different orbits, and Proposition 1 uses that. (45), in the proof of Theorem 2, has it fail only where a token of
    one sequence is a token of the other. A map that sends all tokens of X to one, which only depends on X, passes (45),
    and no token-wise map can give its tokens different answers. (Theorem 2 does not suffer: with the zero map in the
    family, almost all parameters keep the tokens of a sequence apart. Of sequences of one orbit alone the definition
    asks nothing.)""",
)
def samples(*, variant: object = "repaired", n: int = 3, size: int = 6, d: int = 2) -> Samples:
    """All n of some points of a lattice, each in two orders; printed: (45), and all tokens become one product."""
    n, size, d = whole("n", n, 2, 4), whole("size", size, 3, 8), whole("d", d, 2, 3)
    if n >= size:
        raise refused("n", f"n < size = {size}", n)
    points = lattice(size, d)
    X = np.array([points[:, list(row)] for row in itertools.combinations(range(size), n)])
    X = np.concatenate([X, X[:3, :, ::-1]])
    if variant == "printed":
        return Samples(X, elements("symmetric", n), lambda Y: products(Y, [Fraction(1, 7)] * n), _answers(X), True)
    return Samples(X, elements("symmetric", n), _mixed(attention(d)), _answers(X))


# ------------------------------------------------------------------------------------------ sufficient, not necessary


class Averages(NamedTuple):
    """Layers of average attention, the feed-forward layer before one of them, and all n of some tokens."""

    tokens: np.ndarray
    n: int
    between: FeedForward
    average: Transformer
    kernel: Kernel = CONSTANT


def _equal_means(n: int) -> np.ndarray:
    """(-k, 0, k, 3, ...) with second entries 1/2, k = 1, 2."""
    return np.array([[[k * (j - 1) if j < 3 else j for j in range(n)], [Fraction(1, 2)] * n] for k in (1, 2)])


def _certify_averages(parts: Averages) -> Certificate:
    """Two sequences with one mean and one token in common; then all sets, with a feed-forward layer before."""
    tokens, n = parts.tokens, parts.n
    d, pair = len(tokens), _equal_means(n)
    rng = np.random.default_rng(0)
    drawn = [Fraction(1, 4) * rng.integers(-3, 4, (6, 2, 2)).astype(object) for _ in range(5)]
    eye = np.eye(2, dtype=int)
    gaps = []
    for weights, depth in itertools.product(drawn, range(1, 7)):
        layers = [Attention([Head(eye, eye, eye, w)], kernel=parts.kernel) for w in weights[:depth]]
        out = Transformer(layers)(pair, EXACT if parts.kernel is CONSTANT else BALL)
        gaps.append((distances(out[0, :, 1], out[1, :, 1]).max(), depth))
    alike, depth = max(gaps, key=lambda pair: pair[0])
    rows = np.array([tokens[:, list(row)] for row in itertools.combinations(range(tokens.shape[1]), n)])
    mixed = Transformer([parts.between, *parts.average.layers])(rows, EXACT)
    separation = told_apart(rows, mixed, elements("symmetric", n), 0 * rows)
    (across, at_across), (within, at_within) = separation.across, separation.within
    where = {**two_tokens(pair, (0, 1), (1, 1)), "layers": depth}
    checks = [
        Check("averages alone, token in common: largest difference", alike, "==", 0, where, "sampled", len(gaps)),
        Check("a feed-forward layer first: different sets, least distance", across, ">", 0, at_across),
        Check("the same, tokens of one sequence", within, ">", 0, at_within, cases=separation.pairs),
    ]
    return Certificate(checks, parameters={"n": n, "d": d, "tokens": tokens.shape[1]})


def _constant_for_ever(*, n: int = 3) -> list[Check]:
    """What no averages tell apart, behind x + relu(x_1) e_1 and one average."""
    pair, eye = _equal_means(whole("n", n, 3, 4)), np.eye(2, dtype=int)
    bend = FeedForward([[1, 0]], [0], [[1], [0]])
    one, other = Transformer([bend, Attention([Head(eye, eye, eye, eye)], kernel=CONSTANT)])(pair, EXACT)[..., 1]
    name = "x + relu(x_1) e_1, then averages: difference of the token that averages alone never tell apart"
    return [Check(name, abs(one - other).max(), "==", 0, two_tokens(pair, (0, 1), (1, 1)))]


def _without_bend(parts: Averages, rng: np.random.Generator) -> Averages:
    """The layer adds nothing."""
    h = parts.between
    return parts._replace(between=FeedForward(h.w_1, h.b_1, 0 * h.w_2, 0 * h.b_2))


@register(
    "cheng2025:not-necessary",
    "averages do not distinguish tokens at any depth, and do behind a feed-forward layer",
    source="after Definition 3",
    chapter="cheng-condition",
    construction=spread_sums,
    certify=_certify_averages,
    cases=[{"n": 4}, {"size": 8, "d": 3}],
    damages={
        "softmax in place of averages": put(kernel=DOT),
        "a feed-forward layer that does nothing": _without_bend,
        "no averages": lambda parts, rng: parts._replace(average=Transformer([parts.between])),
    },
    printed=_constant_for_ever,
    concerns="sentence",
    erratum="""Where all mixing layers give token i the same for all X of a set, every transformer is said to do so.
    That leaves out the feed-forward layers between: token 2 of (-1, 0, 1) and (-2, 0, 2), with second entries 1/2, is
    the same after any number of averages, and is not if a ReLU layer comes first.""",
)
def averages(*, n: int = 3, size: int = 6, d: int = 2) -> Averages:
    """Layers X + A mean(X) of random A, up to six, and one behind the layer that makes all sums of tokens differ."""
    n, size, d = whole("n", n, 3, 4), whole("size", size, 5, 9), whole("d", d, 2, 3)
    tokens, eye = lattice(size, d), np.eye(d, dtype=int)
    # Less than 1/2 is added to the powers, so that different tokens stay apart.
    average = Transformer([Attention([Head(eye, eye, eye, Fraction(1, 2**size) * eye)], kernel=CONSTANT)])
    return Averages(tokens, n, spread_sums(tokens), average)


# ------------------------------------------------------------------------------------------------------------ Theorem 1


class Theorem(NamedTuple):
    """The sequences of the grid with a mixer, and the network in which this mixer stands, if there is one."""

    samples: Samples
    network: Network | None


def _certify_theorem_1(parts: Theorem) -> Certificate:
    """The hypotheses on the grid, what a look-up needs on it and beside it, and the error of the network."""
    separation, moved, X = parts.samples.separation(), parts.samples.separation(TINY), parts.samples.X
    _, d, n = X.shape
    zeros = [{"X": x} for x in X if any(not any(token) for token in x.T)]
    checks = [
        Check.none("sequences of the grid with a token 0", zeros, cases=len(X)),
        *_distance_checks(parts.samples, separation),
        _conflict("on the grid: answers of tokens that are not told apart, largest difference", separation),
        _conflict("the same 2^-40 beside the grid", moved),
    ]
    if parts.network is not None:
        checks += _at_work(parts.network)
    return Certificate(checks, parameters={"n": n, "d": d, "N": len(X)})


@cache
def _at_work(network: Network) -> list[Check]:
    """That the look-up interpolates, and the error."""
    checks = network.certify(literal=8).checks
    return [c for c in checks if c.name.startswith("d_2(f, g), ") or c.name.endswith("(38)")]


def _only_there(X: np.ndarray, mix: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """The mixer at these sequences, and none at others."""
    known = {tuple(x.flat) for x in X}
    return lambda Y: np.where([[[tuple(y.flat) in known]] for y in Y], mix(Y), Y)


def _corners(parts: Samples, rng: np.random.Generator) -> Samples | None:
    """Corners of cells on [-1, 1], at four cells a side: two sequences with the token 0 and the same mean."""
    if parts.X.shape[2] < 3:
        return None
    u, v, o = [Fraction(1, 2), 0], [Fraction(1, 2), Fraction(1, 2)], [0, 0]
    X = np.array([np.array([o, w, [-a for a in w]], dtype=object).T for w in (u, v)])
    return parts._replace(X=X, answers=_answers(X))


@register(
    "cheng2025:thm-1",
    "with a nonlinear affine-invariant H and token distinguishability, transformers have the G-UAP",
    source="Theorem 1, section B.1",
    chapter="cheng-condition",
    construction=build,
    certify=_certify_theorem_1,
    cases=[{"n": 3}],
    damages={
        "no mixing": in_part("samples", put(mix=lambda X: X)),
        "corners of cells": in_part("samples", _corners),
        "a function that is not equivariant": in_part(
            "samples",
            lambda parts, rng: parts._replace(answers=exact_values(running_mean(parts.X.shape[2], 2), parts.X)),
        ),
        "other attention behind the same look-up": mapped(
            network=lambda g: replaced(g, model=with_layer(g.model, 1, *attention(2).layers))
        ),
    },
    concerns="hypothesis",
    erratum="""Mixers must be G-equivariant, or the group trivial: proof of Proposition 1 takes it from functions of
    the family, and a mixer that forgets the order of tokens satisfies both conditions. And they must be continuous, as
    F-bar is in (43): mixing at finitely many sequences, and nowhere else, satisfies both conditions, too.""",
    alone=("equivariance", "continuity"),
)
def theorem(*, variant: str = "repaired", n: int = 2, inverse_delta: int = 2) -> Theorem:
    """All sequences of distinct tokens of the shifted grid, and the network; printed: a mixer with neither property."""
    n, N = whole("n", n, 2, 3), whole("inverse_delta", inverse_delta, 2, 3)
    if N**2 > 4 and n > 2:
        raise refused("inverse_delta", "2 where n = 3", N)
    network = build(mean_product(n, 2), inverse_delta=N)
    kept = on_grid(n, N, _mixed(Transformer(network.model.attentions())))
    if variant in ("printed", "continuity alone"):
        kept = kept._replace(mix=lambda Y: products(Y, [Fraction(1, k + 2) for k in range(n)]))
    if variant in ("printed", "equivariance alone"):
        kept = kept._replace(mix=_only_there(kept.X, kept.mix))
    return Theorem(kept, network if variant == "repaired" else None)


def on_grid(n: int, N: int, mix: Callable[[np.ndarray], np.ndarray]) -> Samples:
    """All sequences of distinct tokens of two entries, centres of N cells a side."""
    tokens = list(itertools.product([Fraction(2 * k + 1, 2 * N) for k in range(N)], repeat=2))
    X = np.array([np.array(row, dtype=object).T for row in itertools.permutations(tokens, n)])
    return Samples(X, elements("symmetric", n), mix, _answers(X))


# -------------------------------------------------------------------------------------------- d >= 2, and the zero map

NEAR = Fraction(1, 20)


class Needed(NamedTuple):
    """Steps x + h(x) on numbers, small and large, mixing that leaves one number a token, and last layers behind it."""

    small: list[list[FeedForward]]
    large: FeedForward
    samples: Samples
    last: list[FeedForward]


def _certify_needed(parts: Needed) -> Certificate:
    x = np.arange(-64, 65).astype(object)[None] * Fraction(1, 16)
    slopes = [np.diff(Transformer(blocks)(x, EXACT)[0]).min() * 16 for blocks in parts.small]
    steps = len(parts.small[0])
    low, high = Transformer([parts.large])([[0, 1]], EXACT)[0]
    separation = parts.samples.separation()
    flat = max(abs(z.midpoint) + z.radius for z in parts.samples.mix(parts.samples.X)[:, 1].flat)
    shares = [_share_near(h) for h in parts.last]
    bound = 3 * 2 * NEAR * 2**0.5  # strips that are no longer than the diagonal
    checks = [
        Check.worst("d = 1, steps of Lipschitz constant 1/2: least slope of all together", slopes, ">=",
                    Fraction(1, 2) ** steps, lambda k: {"network": k + 1}, "sampled"),
        Check("d = 1, one larger step: f(1) - f(0)", high - low, "<", 0, {"f(0)": low, "f(1)": high}),
        Check("no zero map: second entries after mixing, largest", flat, "==", 0, "mixing", "enclosed"),
        *_distance_checks(parts.samples, separation),
        Check.worst("share of the square within 1/20 of answers", shares, "<=", bound,
                    lambda k: {"last layer": k + 1, "hidden units": len(parts.last[k].w_1)}, "sampled"),
    ]  # fmt: skip
    return Certificate(checks, parameters={"steps": steps})


def _share_near(last: FeedForward) -> float:
    """How much of the unit square is near x + h(x) for tokens x = (t, 0)."""
    t = np.array([-99, *np.sort(-last.b_1.astype(float)), 99])
    corners = Transformer([last])(np.stack([t, 0 * t]), FLOAT64).numpy().T
    points = np.stack(np.meshgrid(*[(np.arange(60) + 0.5) / 60] * 2), -1).reshape(-1, 1, 2)
    start, step = corners[:-1], np.diff(corners, axis=0)
    along = np.clip(((points - start) * step).sum(-1) / np.maximum((step**2).sum(-1), 1e-30), 0, 1)
    apart = np.linalg.norm(points - start - along[..., None] * step, axis=-1).min(axis=1)
    return float((apart <= float(NEAR)).mean())


def _last_layer(corners: np.ndarray) -> FeedForward:
    """The layer that sends (t, 0) along a level line to the first corner at t = 0, and to the k-th at t = k - 1."""
    slopes = np.vstack([[[1, 0]], np.diff(corners, axis=0)])
    bends = np.diff(slopes, axis=0).T
    w_1 = np.array([[1.0, 0.0]] * bends.shape[1])
    return FeedForward(w_1, -np.arange(bends.shape[1], dtype=float), bends, corners[0].astype(float))


def _one_number(model: Transformer) -> Callable[[np.ndarray], np.ndarray]:
    """Mixing, after which a token is (x_1 + x_2/3, 0)."""
    line = np.array([[1, Fraction(1, 3)], [0, 0]], dtype=object)
    return lambda X: Transformer([*model.layers, FeedForward(np.vstack([line[:1], -line[:1]]), None,
                                                            [[1, -1], [0, 0]], skip=False)])(X, BALL)  # fmt: skip


@register(
    "cheng2025:thm-1-needs",
    "on a line small steps keep the order of tokens; without the zero map the last layer has to do all",
    source='before Theorem 1, "we assume that d >= 2 and the zero map is in G"',
    chapter="cheng-condition",
    construction=told_apart,
    certify=_certify_needed,
    cases=[{"steps": 12}, {"n": 3}],
    damages={
        "steps of twice the size": mapped(
            small=lambda networks: [[FeedForward(h.w_1, h.b_1, 4 * h.w_2) for h in blocks] for blocks in networks]
        ),
        "the larger step halved": mapped(large=lambda h: FeedForward(h.w_1, h.b_1, Fraction(1, 4) * h.w_2)),
        "tokens kept whole": in_part("samples", put(mix=_mixed(attention(2)))),
        "a wide last layer": put(last=[_last_layer(np.array([(k % 2, k / 24) for k in range(25)]))]),
    },
)
def needed(*, steps: int = 8, n: int = 2) -> Needed:
    """Networks of small steps on numbers, a large step, mixing onto a line, last layers of two units behind it."""
    steps, rng = whole("steps", steps, 1, 64), np.random.default_rng(0)
    drawn = zip(rng.choice([-1, 1], (20 * steps, 2)), rng.integers(-30, 31, 20 * steps), strict=True)
    steep = [FeedForward([[side]], [Fraction(int(b), 16)], [[Fraction(int(s), 2)]]) for (side, s), b in drawn]
    last = [_last_layer(corners) for corners in rng.random((50, 3, 2))]
    one = on_grid(whole("n", n, 2, 3), 2, _one_number(attention(2)))
    return Needed([steep[k::20] for k in range(20)], FeedForward([[1]], [0], [[-3]]), one, last)
