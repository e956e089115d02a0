"""Liu et al. (2025): sums of linear maps and one head of self-attention approximate functions; Theorem 4.1."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...arithmetic import FLOAT64
from ...certificate import Certificate, Check, Construction
from ...checks import finite, positive, whole
from ...damages import Change, Damage, changed, hardened, in_a_layer, in_part, replaced, scaled, with_layer
from ...model import Transformer
from ...registry import register
from ...targets import Target
from .. import build, certify, grid_centers, smoother
from .. import self_attention as head_on

ROUNDING = 1 + 2.0**-40
"""Centres are floats."""
REPAIRS = ("centres", "index", "B_0")
MAX_SIZE = 4


class Built(NamedTuple):
    """The network of Theorem 4.1 for the ridge, whose B_0, and what of its text was not mended."""

    net: Construction
    sup: float
    printed: tuple[str, ...] = ()
    text: bool = False


def ridge(n: int, d: int) -> Target:
    """f(Z)_i = 1/2 - |c_i . Z| on [-1, 1]^(d x n): L = 1, and |f| is largest at 0.

    The c_i are the turns of (1, 2, ..., dn), divided by their sum.
    """
    return Target(partial(_ridge, n, d), n, d, domain=(-1, 1), lipschitz=1, bound=0.5, name="ridge")


def _ridge(n: int, d: int, Z: Any) -> Any:
    Z, m = np.asarray(Z, dtype=float), d * n
    turns = np.stack([np.roll(np.arange(1.0, m + 1), k) for k in range(m)], axis=1) / (m * (m + 1) / 2)
    z = np.swapaxes(Z, -1, -2).reshape(*Z.shape[:-2], m)
    return _tokens(0.5 - np.abs(z @ turns), n, d)


def _tokens(v: np.ndarray, n: int, d: int) -> np.ndarray:
    """Stacked tokens (..., dn) to (..., d, n)."""
    return np.swapaxes(v.reshape(*v.shape[:-1], n, d), -1, -2)


def _certify(built: Built) -> Certificate:
    net, notes = built.net, built.net.parameters
    own = [_reach(net), _logarithms(built), _places(net), *_too_few(net.target, notes)]
    made = certify(net)
    text = _proof(notes) if built.text else []
    named = {key: notes[key] for key in ("n", "d", "eps", "bound", "P", "R")}
    return Certificate([*own, *text, *made.checks], parameters=named)


def _reach(net: Construction) -> Check:
    """Centres are a product, so the largest distance is that on an axis: at its ends, or between two."""
    P, v = net.parameters["P"], np.unique(net.evaluate.centers[:, 0])
    at = np.concatenate([[-1, 1], (v[1:] + v[:-1]) / 2])
    away = np.abs(at[:, None] - v).min(axis=1)
    where = f"{at[away.argmax()]:.4g} on each axis, centres from {v[0]:.4g} to {v[-1]:.4g}"
    return Check("(B.16): farthest from all centres", away.max(), "<=", ROUNDING / P, where, cases=len(at))


def _logarithms(built: Built) -> Check:
    """ln T and ln E must be finite."""
    V = np.abs(built.net.evaluate.values)
    k = int(V.max(axis=(1, 2)).argmax())
    where = f"f = {V[k].max():g} = B_0 at the centre {built.net.evaluate.centers[k].tolist()}: ln 0"
    return Check("(B.1), (B.2): least entry of T and E at the centres", 1 - V.max() / built.sup, ">", 0, where)


def _places(net: Construction) -> Check:
    """The first row of Linear(Z), at one Z, entry by entry."""
    n, d, v = net.parameters["n"], net.parameters["d"], net.evaluate.centers
    z = np.random.default_rng(0).uniform(-1, 1, d * n)
    row = np.asarray(Transformer(net.model.layers[:1], n=n)(_tokens(z, n, d), FLOAT64))[0]
    wanted = [sum(a * b for a, b in zip(center, z, strict=True)) for center in v for _ in range(d)] * 2
    wrong = [k for k, (a, b) in enumerate(zip(row, wanted, strict=True)) if abs(a - b) > 1e-12]
    where = f"column {wrong[0] + 1} has {row[wrong[0]]:.4g}, v . Z = {wanted[wrong[0]]:.4g}" if wrong else None
    return Check("(B.5): columns of Linear without their v . Z", len(wrong), "==", 0, where, cases=len(row))


def _too_few(f: Target, notes: Any) -> list[Check]:
    """P >= LD/eps is necessary: L times the distance to the centres is 0 at all of them, and L D/P in a corner.

    Other P^m centres do no better: cubes of half-width r around them cover the box, of volume (2D)^m, only if
    (2r)^m P^m >= (2D)^m. So some point is D/P away.
    """
    P, n, d = math.ceil(1 / notes["eps"]) - 1, f.n, f.d
    if P < 1:
        return []
    v = grid_centers(P, 1, d * n)
    corner = np.ones((d, n))
    away = np.abs(1 - v).max(axis=1).min()
    got = head_on(np.zeros((len(v), d, n)), v, n, d, notes["R"], 1)(corner, FLOAT64)
    name = f"with {P} < L D/eps cells an axis: error for L times the distance to the centres"
    return [Check(name, float(np.abs(np.asarray(got) - away).max()), ">", notes["eps"] * (1 - 1e-9))]


def _proof(notes: Any) -> list[Check]:
    """Lines of the proof of the source, each at the numbers of the case, with L = D = 1 and B_0 = 1/2."""
    eps, m, B = notes["eps"], notes["n"] * notes["d"], 0.5
    delta = eps / 3
    P = math.floor(2 / delta) + 1
    T, E = 1 + 0.25 / B, 1 - 0.25 / B
    log = math.log(1.5 * B * eps) + m * math.log(P)
    far, log_flat = math.sqrt(2 * delta), math.log(1.5 / 4 * (6 * 4 / 2 + 1) / 8)
    scores = np.array([[0.0, 1.0], [0.0, 0.0]])
    by_rows = (np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)).sum(axis=0)
    plain = Target(_quarter, 1, 1, domain=(-1, 1), lipschitz=0.25, bound=0.25)
    slow = grid_centers(13, 1, 1)
    flat = abs(float(smoother([[1.0]], slow, plain(_tokens(slow, 1, 1)), 1)[0, 0]) - 0.25)
    at = f"Z = v_0, and v_j at the distance {far:.3g} from it: Aff_0 - Aff_j = {delta:.3g}"
    less = f"R above 8/(3 delta^2) ln(3/2 B_0 G eps) = {8 * 36 / 3 * log_flat:.3g} may be 1; Z = 1"
    return [
        Check("proof, (B.4): E - T at f = 1/4", E - T, "==", 2 * 0.25 / B, "T - E has this value"),
        Check("proof, before (B.6): a score at Z = 0, |v| = 1, R = 1, of +|v|^2/2", 0.5, "==", -0.5, "W_K has minus"),
        Check("proof, (B.12): a column of softmax with sums of rows, scores (0, 0; 1, 0)", by_rows[0], "==", 1.0,
              "sums run down the columns"),
        Check("proof, (B.19): distance of a centre of J_0", far, "<=", delta, at),
        Check("proof, (B.21): 2 B_0 G exp(-3 R delta^2/8) at its R", 2 * B * P**m * math.exp(-log), "<=", eps / 3,
              "ln(6 B_0 G/eps) in its R gives this"),
        Check("proof, (B.21): error for f = Z/4, eps = 1/8 with P = 13, R = 1", flat, "<=", 1 / 8, less),
    ]  # fmt: skip
