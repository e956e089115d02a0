"""Liu et al. (2025): sums of linear maps and one head of self-attention approximate functions; Theorem 4.1."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import FLOAT64
from uatlib.certificate import Certificate, Check
from uatlib.checks import finite, positive, whole
from uatlib.liu2025 import build, grid_centers, self_attention, smoother
from uatlib.liu2025.certify_network import Network
from uatlib.model import Transformer
from uatlib.targets import Target

from ..damages import Damage, hardened, in_a_layer, in_part, replaced, with_layer
from ..registry import register

REPAIRS = ("index", "B_0")
MAX_SIZE = 4
SAMPLES = 4000


class Built(NamedTuple):
    """The network of Theorem 4.1 for the ridge, its B_0, how far its v_j may be, and whether to read the proof, too."""

    net: Network
    sup: float
    reach: int = 1
    text: bool = False


def ridge(n: int, d: int) -> Target:
    """f(Z)_i = 1/2 - |c_i . Z| on [-1, 1]^(d x n): L = 1, and |f| is largest at 0.

    The c_i are the turns of (1, 2, ..., dn), divided by their sum.
    """
    return Target(partial(_ridge, n, d), n, d, domain=(-1, 1), lipschitz=1, bound=0.5, name="ridge")


def _ridge(n: int, d: int, Z: object) -> Any:
    Z, m = np.asarray(Z, dtype=float), d * n
    turns = np.stack([np.roll(np.arange(1.0, m + 1), k) for k in range(m)], axis=1) / (m * (m + 1) / 2)
    z = np.swapaxes(Z, -1, -2).reshape(*Z.shape[:-2], m)
    return _tokens(0.5 - np.abs(z @ turns), n, d)


def _tokens(v: np.ndarray, n: int, d: int) -> np.ndarray:
    """Stacked tokens (..., dn) to (..., d, n)."""
    return np.swapaxes(v.reshape(*v.shape[:-1], n, d), -1, -2)


def _certify(built: Built) -> Certificate:
    net = built.net
    checks = [_reach(net, built.reach), _logarithms(built), _places(net), _at_centres(net), *_too_few(net)]
    checks += [*(_proof(net) if built.text else []), *net.certify(samples=SAMPLES).checks]
    named = {key: net.parameters[key] for key in ("n", "d", "eps", "bound", "P", "R")}
    return Certificate(checks, parameters=named)


def _reach(net: Network, reach: int) -> Check:
    """Centres are a product, so the largest distance is that on an axis: at its ends, or between two.

    (B.17) needs less than delta, and P > 2D/delta: corners, from which a point may be 2D/P away, will do.
    """
    P, v = net.cells, np.unique(net.shortcut.centers[:, 0])
    at = np.concatenate([[-1, 1], (v[1:] + v[:-1]) / 2])
    away = np.abs(at[:, None] - v).min(axis=1)
    name = "(B.16): farthest from all centres, in D/P" if reach == 1 else "(B.17): farthest from all v_j, in D/P"
    return Check.worst(name, (P * away).round(9), "<=", reach, lambda k: {"on each axis": at[k], "centres": v[[0, -1]]})


def _logarithms(built: Built) -> Check:
    """ln T and ln E must be finite."""
    V = np.abs(built.net.shortcut.values)
    k = int(V.max(axis=(1, 2)).argmax())
    witness = {"centre": built.net.shortcut.centers[k], "|f|": V.max(), "B_0": built.sup}
    return Check("(B.1), (B.2): least entry of T and E at the centres", 1 - V.max() / built.sup, ">", 0, witness)


def _places(net: Network) -> Check:
    """The first row of Linear(Z), at one Z, entry by entry."""
    n, d, v = net.target.n, net.target.d, net.shortcut.centers
    z = np.random.default_rng(0).uniform(-1, 1, d * n)
    row = np.asarray(Transformer(net.model.layers[:1], n=n)(_tokens(z, n, d), FLOAT64))[0]
    wanted = [sum(a * b for a, b in zip(center, z, strict=True)) for center in v for _ in range(d)] * 2
    wrong = np.array([abs(a - b) > 1e-12 for a, b in zip(row, wanted, strict=True)])
    name = "(B.5): columns of Linear without their v . Z"
    return Check.none(name, wrong, lambda k: {"column": k + 1, "holds": row[k], "v . Z": wanted[k]})


def _at_centres(net: Network) -> Check:
    """Where each value counts most: the layers, and the sum (B.15) in plain numbers."""
    v, V, R = net.shortcut.centers, net.shortcut.values, net.precision
    got = np.asarray(net.model(_tokens(v, net.target.n, net.target.d), FLOAT64))
    off = []
    for z, answer in zip(v, got, strict=True):
        shares = np.exp(-R / 2 * ((z - v) ** 2).sum(axis=1))
        wanted = sum(share * value for share, value in zip(shares, V, strict=True)) / shares.sum()
        off.append(np.abs(answer - wanted).max())
    bound = net.claim["rounding"].bound
    return Check.worst("(B.15) at each centre: the layers off by", off, "<=", bound, lambda k: {"Z": v[k]})


def _too_few(net: Network) -> list[Check]:
    """P >= LD/eps is necessary: L times the distance to the centres is 0 at all of them, and L D/P in a corner."""
    P, n, d = math.ceil(1 / net.eps) - 1, net.target.n, net.target.d
    if 2 * d * P ** (d * n) < n:
        return []  # Linear is too narrow
    v = grid_centers(P, 1, d * n)
    corner = np.ones((d, n))
    away = np.abs(1 - v).max(axis=1).min()
    got = self_attention(np.zeros((len(v), d, n)), v, n, d, net.precision, 1)(corner, FLOAT64)
    name = f"with {P} < L D/eps cells a side: error for L times the distance to the centres"
    return [Check(name, float(np.abs(np.asarray(got) - away).max()), ">", net.eps)]


def _proof(net: Network) -> list[Check]:
    """Lines of the text as they stand, of this network, and of f = Z/4; L = D = 1, B_0 = 1/2, delta = eps/3."""
    n, v, V, B = net.target.n, net.shortcut.centers, net.shortcut.values, 0.5
    eps, delta = net.eps, net.eps / 3
    P = math.floor(2 / delta) + 1
    G, axis = P ** v.shape[1], grid_centers(P, 1, 1)
    Z, weights = _tokens(v[-1], n, net.target.d), net.model.layers[1].weights()
    linear = np.asarray(Transformer(net.model.layers[:1], n=n)(Z, FLOAT64))
    K, Q = (weights[f"head0.w_{name}"].astype(float) @ linear for name in "kq")
    scores = K.T @ Q
    by_rows = np.exp(scores - scores.max(axis=1, keepdims=True))
    share = (by_rows / by_rows.sum(axis=1, keepdims=True))[:, 0].sum()
    f, away = float(V[0].max()), axis[:, 0] - axis[0, 0]
    far = float(away[away**2 / 2 <= delta].max())
    kept = 2 * B * G * math.exp(-math.log(1.5 * B * G * eps))
    slope, few, small = 0.25, 13, 0.125
    least = 8 / 3 * (3 * slope / small) ** 2 * math.log(1.5 * slope * few * small)
    at = grid_centers(few, 1, 1)
    flat = slope - float(smoother([[1]], at, slope * at[..., None], 1)[0, 0])
    beside = f"P = {P}, Z = v_1 on one axis: Aff is smaller by {far**2 / 2:.3g} there"
    loose = f"for f = Z/4, P = {few} any R > {least:.3g} would do, so R = 1; Z = 1"
    here = f"at v_1 = {v[0].tolist()}"
    W_V, rows_of_linear, squares = weights["head0.w_v"], len(linear), (v[0] ** 2).sum() / 2
    reach = _reach(net, 1)
    rows = [
        ("section 2: rows of W_V", len(W_V), "==", rows_of_linear, "as many as Linear(Z) has; (B.13) has d"),
        ("(B.4): E - T", (1 - f / B) - (1 + f / B), "==", 2 * f / B, f"{here}: T - E is 2 f/B_0"),
        ("before (B.6): middle column of K^T, first entry", K[1, 0], "==", squares, f"{here}: minus, as in W_K"),
        ("(B.12): sum of a column, divided by sums of rows", share, "==", 1, f"Z = {v[-1].tolist()}: those of columns"),
        ("(B.16): farthest from all v_j, in D/P", reach.measured, "<=", 1, reach.witness),
        ("(B.19): how far a centre of J_0 is", far, "<=", delta, beside),
        ("(B.21): 2 B_0 G exp(-3 R delta^2/8) at its R", kept, "<=", eps / 3, "ln(6 B_0 G/eps) is needed"),
        (f"(B.21): error at eps = {small:g} with its R", flat, "<=", small, loose),
    ]
    return [Check(f"proof, {name}", a, relation, b, why) for name, a, relation, b, why in rows]


def _weight(place: int, name: str, change: Callable[[np.ndarray], np.ndarray]) -> Damage:
    """Of one weight of the layer at this place."""

    def damaged(model: Transformer, rng: np.random.Generator) -> Transformer:
        return _with(model, place, **{name: change(model.layers[place].weights()[name].astype(float))})

    return _in_model(damaged)


def _in_model(damage: Damage) -> Damage:
    return in_part("net", in_part("model", damage))


def _with(model: Transformer, place: int, **weights: np.ndarray) -> Transformer:
    layer = model.layers[place]
    return with_layer(model, place, layer.with_weights({**layer.weights(), **weights}))


def _rows(first: int, last: int | None, factor: float) -> Callable[[np.ndarray], np.ndarray]:
    """These rows times a factor."""

    def change(w: np.ndarray) -> np.ndarray:
        w[first:last] *= factor
        return w

    return change


def _values(change: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Damage:
    """Of ln T and ln E in W_K, shape (n, 2, G, d), to be put where centres with the least and the largest f differ."""

    def damaged(net: Network, rng: np.random.Generator) -> Network:
        w = net.model.layers[1].weights()["head0.w_k"].astype(float)
        V = net.shortcut.values
        logs = w[2:, 1:].reshape(V.shape[2], 2, *V.shape[:2])
        ends = np.array([V[:, 0, 0].argmin(), V[:, 0, 0].argmax()])
        w[2:, 1:] = change(logs, ends).reshape(len(logs), -1)
        return replaced(net, model=_with(net.model, 1, **{"head0.w_k": w}))

    return in_part("net", damaged)


def _swapped(logs: np.ndarray, ends: np.ndarray) -> np.ndarray:
    logs[:, :, ends] = logs[:, :, ends[::-1]]
    return logs


def _lost(logs: np.ndarray, ends: np.ndarray) -> np.ndarray:
    logs[:, :, ends] = 0
    return logs


def _corners(built: Built) -> Network:
    """The network with the centres as printed: D/P lower on each axis."""
    net, n, d = built.net, built.net.target.n, built.net.target.d
    v = net.shortcut.centers - 1 / net.cells
    V = net.target(_tokens(v, n, d))
    model = self_attention(V, v, n, d, net.precision, net.sup)
    return replaced(net, model=model, shortcut=replaced(net.shortcut, centers=v, values=V))


def _index(model: Transformer, rng: np.random.Generator) -> Transformer | None:
    """Linear with v_j . Z in the columns j + s + 1, s < d, in place of jd + s + 1; the same for d = 1."""
    weights = model.layers[0].weights()
    d = weights["term0.p"].shape[1]
    if d == 1:
        return None
    moved = {}
    for r in range(d):
        own = weights[f"term{r}.q"].astype(float)
        G = own.shape[1] // (2 * d)
        placed = np.zeros_like(own)
        for side in (0, d * G):
            for j in range(G):
                placed[:, side + j : side + j + d] += own[:, [side + j * d]]
        moved[f"term{r}.q"] = placed
    return _with(model, 0, **moved)


def _twice(built: Built, rng: np.random.Generator) -> Built | None:
    """Twice the value at a centre, where B_0 leaves room for the largest."""
    net = built.net
    V = net.shortcut.values.copy()
    room = np.abs(V).max(axis=(1, 2))
    j = int(np.where(2 * room < net.sup, room, 0).argmax())
    if not 0 < 2 * room[j] < net.sup:
        return None
    V[j] *= 2
    model = self_attention(V, net.shortcut.centers, net.target.n, net.target.d, net.precision, net.sup)
    return built._replace(net=replaced(net, model=model))


@register(
    "liu2025:thm-4-1",
    "sums of linear maps and one head of self-attention approximate continuous functions in the sup norm",
    source="Theorem 4.1, section B.1",
    chapter="liu-self-attention",
    construction=self_attention,
    certify=_certify,
    cases=[
        {"n": 1, "d": 2, "eps": 0.5},
        {"n": 1, "eps": 0.125, "bound": "chain"},
        {"n": 3, "eps": 0.75},
        {"n": 1, "eps": 0.3},
        {"n": 1, "eps": 0.75, "bound": "modulus"},
    ],
    damages={
        "centres as printed": lambda built, rng: built._replace(net=_corners(built)),
        "columns of Linear as printed": _in_model(_index),
        "+|v|^2/2 in W_K": _weight(1, "head0.w_k", _rows(1, 2, -1)),
        "R too small by 4": _weight(1, "head0.w_q", _rows(0, 2, 0.25)),
        "E - T in place of T - E": _weight(1, "head0.w_v", _rows(0, None, -1)),
        "twice B_0 in W_O": _weight(2, "term0.q", _rows(0, None, 2)),
        "a value doubled": _twice,
        "two values lost": _values(_lost),
        "two values swapped": _values(_swapped),
        "hardmax": _in_model(in_a_layer(hardened)),
    },
    alone=REPAIRS,
    concerns="construction",
    erratum="""The columns of Linear are j d + s + 1, not j + s + 1, and B_0 must exceed |f| at all
    centres, or a logarithm is that of 0. With these two it works. The centres of Definition B.1, (2 D k - D P)/P, are
    corners of the cells, the centres are D/P higher: a slip that doubles the distance to the nearest one, and makes
    the line "at most D/P" false, and nothing else if P is twice as large. Of the proof: E - T is -2f/B_0 in (B.4) (W_V
    takes T - E); |v|^2/2 enters K^T, before (B.6), with a minus; the denominators of softmax in (B.12) are sums of
    columns; after (B.16) g is P, and the nearest v_j has no neighbour beyond the edge of the box; f is wanted at
    centres outside U, so extend it first; the distance of v_j from Z in the sup norm must tell J_0 and J_1 apart, not
    the gap of Aff (see (B.21) below, too); R takes ln(6 B_0 G/eps), not ln(3/2 B_0 G eps). W_V has d rows, not the D of
    section 2, and n is at most 2 d G.""",
)
def head(*, variant: object = "repaired", n: int = 2, d: int = 1, eps: Any = 0.5, bound: Any = None) -> Built:
    """The literal network for the ridge; printed: with the v_j, the columns of Linear and B_0 of the text.

    `bound` is "product" unless given, and for the text, which keeps its corners, the paper's own, "chain".
    """
    n, d = (whole(name, value, 1, MAX_SIZE) for name, value in (("n", n), ("d", d)))
    eps = finite("eps", positive("eps", eps))
    bound = ("product" if variant == "repaired" else "chain") if bound is None else bound
    modulus = eps / 3 if bound == "modulus" else None
    net = build(ridge(n, d), error=eps, bound=bound, modulus=modulus)
    if variant == "repaired":
        return Built(net, net.sup)
    built = Built(net, 0.5, reach=2, text=variant == "printed")
    built = built._replace(net=_corners(built))
    if variant != "index alone":
        model = _index(built.net.model, np.random.default_rng(0)) or built.net.model
        built = built._replace(net=replaced(built.net, model=model))
    return built if variant != "B_0 alone" else built._replace(sup=net.sup)
