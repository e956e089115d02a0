"""From a function to the network of Theorem 4.1, 4.2 or 5.1, with its claim."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic.numbers import doubles, fraction
from ..arithmetic.shown import shown
from ..certificate import Claim, Term
from ..checks import choice, either, exponent, finite, instance, numbers, positive, refused
from ..internal.building import claim_sizes
from ..internal.number_text import short_text
from ..sizes import ConstructionTooLarge
from ..targets import Target
from .bounds import Precision, cells_for, for_modulus, parameters_for
from .certify_network import Bound, Kind, Network
from .compact import compact_cross, compact_self, compact_weights
from .cross_attention_layers import cross_network, cross_weights, require_cross
from .evaluation import Form, Smoothed, at_points, finite_values, moved, sup_lipschitz
from .self_attention_layers import MORE, apart, require_self, riding, self_network, self_weights
from .settled import gamma, lebesgue
from .smoothing import grid_centers

UNIT = 2.0**-53
SHARE = 2.0**-8
"""What rounding may take of the error that is asked for.

The bounds leave more: "product" needs 1.55 L h of 2 L h, "chain" and "cover" two thirds of eps ("chain" as what is far
weighs less than the nearest centre, at which f is off by a third only), "modulus" 0.81, 0.77 where eps < 2 B_0.
"""
ABOVE = 2.0**-20
"""How far B_0 is above the values, as a share."""
MAX_CENTERS = 2**22
MAX_COMPACT = 2**27
"""Weights of form="smoother", 1 GiB: whoever builds or runs it holds several times as much."""
LEAST = 2.0**-500
"""R where any does."""
LARGEST = 2.0**1000
SAMPLES = 500
PROVED = {"product": "ours, for Theorem", "chain": "proof of Theorem", "modulus": "ours, for Theorem"}
FACTOR = {"product": 2, "chain": 3}
WHOLE = Fraction(1, 10**9)
"""What the number of cells a side may be off a whole number, where a float says it."""


def build(
    target: Target,
    *,
    error: object = None,
    inverse_delta: object = None,
    p: object = math.inf,
    kind: Kind = "self",
    bound: Bound | None = None,
    modulus: object = None,
    centers: object = None,
    form: Form = "literal",
) -> Network:
    """The network g of one attention layer with d_p(f, g) <= `error`, on the whole box of the target.

        g(Z) = sum_j softmax_j(-R/2 |Z - v_j|^2) f(v_j),   v_j the P^m centres of a grid, or those given

    Not here, though the theorems allow them: covers of pairs, and boxes with sides of different lengths. Two sequences
    of different lengths Theorem 4.2 does not have.

    Parameters
    ----------
    target : f, its values of the size of its input, on any box [low, high]; D is half its width
    error, inverse_delta : the error, or 1/delta, the cells in a unit, which makes P = (high - low)/delta >= 1 cells a
        side, a whole number (then the error is what they give: 2 L D/P, 3 L D/P); give one
    p : inf is the sup norm; for p < inf, d_p over the box
    kind : "self", Theorem 4.1; "cross", Theorem 4.2, for a target f(Z_Q, Z_K) of the query sequence and, as its
        source, the keys', of the same size (the theorem, and `shortcut.centers`, have the keys first); "cover",
        Theorem 5.1, for `centers`
    bound : where P and R come from, see `parameters_for`: "product" (the default) or "chain", from the Lipschitz
        constant; "modulus": from `modulus`
    modulus : delta > 0 with |f(Y) - f(Z)| <= error/3 wherever |Y - Z| <= delta, in the sup norm
    centers : (N_x, dn), tokens stacked, for "cover": then d_inf(f, g) <= error wherever the nearest is at most
        error/(3 L) away in the Euclidean norm
    form : the same map by other matrices. "literal", those of the proof, where values ride on the scores; "values",
        a head with f(v_j) in W_V, n keys a centre, and W_O = [C^-1; 0], see `apart`; "smoother", one with the kernel
        exp(-R/2 |x - y|^2), which has O(dn G) weights. `shortcut` takes many sequences at once

    Raises
    ------
    ValueError
        A parameter is off or missing; values that are not finite, with the point; centres outside the box; a target
        without Lipschitz constant or modulus, or one that a sample shows to be wrong; an error so small beside the box
        or the values that rounding in float64 may take more than 2^-8 of it.
    ConstructionTooLarge
        Naming layers, parameters and bytes; form="smoother" takes up to 2^22 centres and 2^27 weights.

    Source: liu2025, Theorems 4.1, 4.2 and 5.1, sections B.1, B.3 and C.1.
    """
    order = _Order.parse(target, error, inverse_delta, p, kind, bound, modulus)
    choice("form", form, ("literal", "values", "smoother"))
    found, v = _grid(order, centers, form)
    V = _values(order, v)
    B = _sup(order, V)
    R = max(found.R, LEAST) if found.R >= 0 else _grid_precision(order, found.P, B)
    n, d, pairs, G = target.n, target.d, kind == "cross", len(v)
    flat = V.reshape(-1, d, n)
    both = np.hstack([np.repeat(v, G, axis=0), np.tile(v, (G, 1))]) if pairs else v
    claim = _claim(order, form, G, R, B)
    if form == "smoother":
        model = (compact_cross if pairs else compact_self)(V, v, R, order.middle)
    else:
        keys = riding(flat, B) if form == "literal" else apart(flat)
        model = (cross_network if pairs else self_network)(v, keys, R, order.middle)
    shortcut = Smoothed(both, flat, R, pairs, order.middle)
    radius = order.eps / (3 * _euclidean(order)) if kind == "cover" else None
    return Network(
        target, model, claim, shortcut, kind, order.bound, form, found.P, G, B, order.eps, order.modulus, radius
    )


class _Order(NamedTuple):
    """What was asked for: the error in the sup norm, the cells a side, m numbers, the middle and half the width.

    The cells are None where they follow from the error, the modulus where none was given.
    """

    target: Target
    eps: float
    cells: int | None
    p: float
    kind: Kind
    bound: Bound
    modulus: float | None
    m: int
    middle: float
    half_width: float

    @classmethod
    def parse(
        cls, target: object, error: object, inverse_delta: object, p: object, kind: Kind, bound: Any, modulus: object
    ) -> _Order:
        """The arguments of `build`, parsed, but for the centres."""
        f = instance("target", target, Target, "wrap a function with targets.Target")
        choice("kind", kind, ("self", "cross", "cover"))
        p, own = exponent("p", p), "cover" if kind == "cover" else "product"
        bound = own if bound is None else choice("bound", bound, ("product", "chain", "modulus"))
        _require_given("modulus", modulus, bound == "modulus", 'bound="modulus"')
        if kind == "cover" and (bound != own or inverse_delta is not None or p != math.inf):
            raise ValueError(
                'kind: expected "cover" with an error, p = inf and no bound or inverse_delta; its grid is `centers`.'
            )
        if (f.d_out, f.n_out) != (f.d, f.n):
            raise refused("target", f"values of the size of X, {(f.d, f.n)}", (f.d_out, f.n_out))
        second = (f.d_source, f.n_source)
        if second != ((f.d, f.n) if kind == "cross" else (None, None)):
            expected = "a second sequence of the size of X" if kind == "cross" else "no second sequence"
            raise refused("target", expected, second, 'kind="cross" takes two')
        low, high = (float(end) for end in f.domain)
        m, D = f.d * f.n * (2 if kind == "cross" else 1), (high - low) / 2
        either(inverse_delta=inverse_delta, error=error)
        if bound != "modulus" and f.lipschitz is None:
            hint = 'state it with Target(lipschitz=...), or take bound="modulus"'
            raise refused("target", "one with a Lipschitz constant", f.name, hint)
        root, cells = _size_of_one(D, m, f.d * f.n, p), None
        if inverse_delta is not None:
            if bound == "modulus":
                raise refused("inverse_delta", 'none with bound="modulus"; give the error', inverse_delta)
            cells = _cells_a_side(inverse_delta, f)
            eps = FACTOR[bound] * sup_lipschitz(f) * D / cells
            if f.lipschitz == 0:
                raise refused(
                    "inverse_delta", "none for L = 0, as it gives the error 0", inverse_delta, "give an error"
                )
        else:
            eps = finite("error", positive("error", error)) / root
        if not 0 < eps < math.inf:
            name, given = ("error", error) if inverse_delta is None else ("inverse_delta", inverse_delta)
            raise refused(name, "an error that floats resolve on this box", given, f"it is {eps:g} in the sup norm")
        delta = None if modulus is None else finite("modulus", positive("modulus", modulus))
        return cls(f, eps, cells, p, kind, bound, delta, m, (low + high) / 2, D)


def _require_given(name: str, value: object, wanted: bool, why: str) -> None:
    if (value is None) == wanted:
        raise refused(name, f"some, which {why} needs" if wanted else f"none, as only {why} takes them", value)


def _cells_a_side(inverse_delta: object, f: Target) -> int:
    """P = (high - low)/delta."""
    low, high = (fraction(end) for end in f.domain)
    count = fraction(finite("inverse_delta", positive("inverse_delta", inverse_delta))) * (high - low)
    if abs(count - round(count)) > WHOLE * count or not 1 <= count <= 2**53:
        expected = f"a number that makes a whole number of cells, from 1 to 2^53, of the side {shown(high - low)}"
        raise refused("inverse_delta", expected, inverse_delta)
    return round(count)


def _grid(order: _Order, centers: object, form: Form) -> tuple[Precision, np.ndarray]:
    """P and R, if the latter needs no bound of f (else -1), and the centres; refused before they are made."""
    f, D, pairs, cells = order.target, order.half_width, order.kind == "cross", order.cells
    one = f.d * f.n
    _require_given("centers", centers, order.kind == "cover", 'kind="cover"')
    if order.kind == "cover":
        v = numbers(centers, "centers")
        if v.ndim != 2 or v.shape[1] != one or len(v) == 0:
            raise refused("centers", f"shape (N_x, {one}), tokens stacked", v.shape)
        v = doubles("centers", v)
        off = np.abs(v - order.middle).max(axis=1) > D
        if off.any():
            raise refused("centers", f"centres in the box {f.domain}", v[off.argmax()].tolist(), f"row {off.argmax()}")
        found = parameters_for(eps=order.eps, lipschitz=_euclidean(order), bound="cover", balls=len(v))
    else:
        if order.modulus is not None:
            P = cells_for(2 * D, order.modulus, "modulus")
            _require_modulus(order, order.modulus)
        else:
            P = cells or cells_for(FACTOR[order.bound] * sup_lipschitz(f) * D, order.eps)
        if form == "literal" and P == 1 and order.kind == "self" and 2 * f.d < f.n:
            if cells:
                one_cell = shown(1 / (2 * fraction(D)))
                expected = f"more than {one_cell}, one cell, as n = {f.n} of 2dG columns listen, G = P^(dn)"
                raise refused("inverse_delta", expected, one_cell, 'or take form="values" or form="smoother"')
            P = 2  # 2d 2^(dn) > n; and a finer grid is no worse
        found = Precision(int(P), -1.0)
        count = order.m if form == "smoother" else one
        if count * math.log2(found.P) > math.log2(MAX_CENTERS):
            size = f"{shown(found.P)}^{count} centres"
            hint = "a smaller inverse_delta" if cells else "a larger error"
            raise ConstructionTooLarge(f"build: {size}; the limit is {MAX_CENTERS:,}. Choose {hint}.")
    G = found.P if order.kind == "cover" else found.P**one
    if form == "smoother":
        if (weights := compact_weights(G, f.n, f.d, pairs)) > MAX_COMPACT:
            coarser = "a smaller inverse_delta" if cells else "a larger error"
            hint = "fewer centres" if order.kind == "cover" else coarser
            raise ConstructionTooLarge(f"build: {shown(weights)} weights; the limit is {MAX_COMPACT:,}. Choose {hint}.")
    else:
        (require_cross if pairs else require_self)(G, f.n, f.d, columns_of(G, f.n, f.d, form, pairs))
    return found, v if order.kind == "cover" else grid_centers(found.P, D, one) + order.middle


def columns_of(G: int, n: int, d: int, form: str, pairs: bool) -> int:
    """How many keys there are."""
    return {"literal": 2 * d, "values": n, "smoother": 1}[form] * G * (G if pairs else 1)


def _grid_precision(order: _Order, P: int, sup: float) -> float:
    D, m = order.half_width, order.m
    square = (P / D) * (P / D)
    if not math.isfinite(square):
        raise refused("target", "a box that is not so narrow", order.target.domain, "rescale it")
    if order.modulus is not None:
        return for_modulus(order.eps, order.modulus, D, m, sup).R or square
    if order.bound == "product":
        return square * (1 + math.log(2.04 * m))
    # R is 0 where eps >= 2 B_0; then any does.
    L = sup_lipschitz(order.target) or order.eps / (3 * D)
    return parameters_for(eps=order.eps, lipschitz=L, half_width=D, dim=m, bound="chain", sup=sup).R or square


def _size_of_one(half_width: float, m: int, entries: int, p: float) -> float:
    """The L_p norm of the function 1 of that many entries on [-D, D]^m; 1 for p = inf."""
    if abs(m * math.log2(2 * half_width)) > 900 * p:
        raise ConstructionTooLarge(f"build: a box of volume {shown(2 * half_width)}^{m}; take another unit or p = inf.")
    return float((2 * half_width) ** (m / p) * entries ** (1 / p))


def _euclidean(order: _Order) -> float:
    """L > 0 with |f(Y) - f(Z)|_inf <= L |Y - Z|_2, rounded up."""
    f, entries = order.target, order.m
    steep = float(f.lipschitz or 0) * entries ** max(0.0, 1 / f.norm - 1 / 2) * (1 + 2.0**-48)
    return steep or order.eps / (6 * order.half_width * math.sqrt(entries))


def _values(order: _Order, v: np.ndarray) -> np.ndarray:
    """f at the centres, shape (G, d, n); of pairs (G, G, d, n), the centre of the keys first."""
    f, G = order.target, len(v)
    Z = np.ascontiguousarray(v.reshape(G, f.n, f.d).swapaxes(1, 2))
    XZ = [np.tile(Z, (G, 1, 1)), np.repeat(Z, G, axis=0)] if order.kind == "cross" else [Z]
    found = finite_values(f, XZ)
    return found.reshape(G, G, f.d, f.n) if order.kind == "cross" else found


def _sup(order: _Order, V: np.ndarray) -> float:
    """B_0 > sup |f|: the bound that is stated, or what f can reach from its values at the centres."""
    f, largest = order.target, float(np.abs(V).max())
    top = max(largest, float(f.bound)) if f.bound is not None else largest + order.eps
    if top > LARGEST:
        raise refused("target", "values up to 2^1000 in size", top, "take another unit")
    return top * (1 + ABOVE) if top > 0 else 1.0


def _require_modulus(order: _Order, delta: float) -> None:
    """ValueError with two inputs at which f moves by more than eps/3 on the way, if a sample shows such."""
    f, rng = order.target, np.random.default_rng(0)
    shape = (SAMPLES, f.d, f.n * (2 if order.kind == "cross" else 1))
    low, high = (float(end) for end in f.domain)
    Y = rng.uniform(low, high, shape)
    Z = np.clip(Y + rng.choice([-delta, delta], shape), low, high)
    fY, fZ = (at_points(f, U) for U in (Y, Z))
    moved = np.abs(fY - fZ).max(axis=(-2, -1))
    k = int(moved.argmax())
    if moved[k] > order.eps / 3 * (1 + 1e-9):
        expected = f"a delta within which f moves by at most error/3 = {order.eps / 3:.6g}"
        two = " and ".join(short_text(U[k]) for U in (Y, Z))
        raise refused("modulus", expected, delta, f"it moves by {moved[k]:.6g} between {two}")


def rounding(
    R: float, m: int, half_width: float, far: float, sup: float, columns: int, moved: float, more: float = 0.0
) -> float:
    """What rounding of weights and of sums in float64 changes of the output at most, in a box within [-far, far]^m.

    Scores are sums of m products and four terms, of the size R m D far together (and M). Those of the layers and of
    `shortcut` are off by 4 eta in all at most, eta = (m + 4) (R m D far + M) u, and where a certificate looks at nodes
    it concludes `lebesgue` times as much. A score off by t changes a weight by the share e^{2t} - 1, and the output by
    that times `moved`. Sums cost 8 gamma_{columns + 16} B_0. Ours.
    """
    eta = (m + 4) * (R * m * half_width * far + more) * UNIT
    return moved * math.expm1(min(700.0, 8 * lebesgue(m) * eta)) + 8 * sup * gamma(columns + 16, UNIT)


def _claim(order: _Order, form: Form, G: int, R: float, B: float) -> Claim:
    """By formulas."""
    f, p, m, pairs, D = order.target, order.p, order.m, order.kind == "cross", order.half_width
    n, d = f.n, f.d
    volume, columns = _size_of_one(D, m, d * n, p), columns_of(G, n, d, form, pairs)
    more = MORE if form == "values" else 0.0
    off = rounding(R, m, D, abs(order.middle) + D, B, columns, moved(form, order.eps, B, n), more)
    if off > SHARE * order.eps:
        hint = f"rounding alone may change the output by {off:.3g}"
        if form == "literal":
            hint += ', less with form="values" or form="smoother", where values do not ride on scores'
        if abs(order.middle) > D:
            hint += ", less in a box around 0"
        raise refused("error", "one that weights in float64 resolve", order.eps, hint)
    theorem = {"self": "4.1", "cross": "4.2", "cover": "5.1"}[order.kind]
    source = f"{PROVED.get(order.bound, 'proof of Theorem')} {theorem}"
    terms = [
        Term("smoother", "smoother", source, (order.eps - off) * volume),
        Term("rounding", "rounding", "ours", off * volume),
    ]
    if form == "smoother":
        size, width, head = compact_weights(G, n, d, pairs), (3 if pairs else 2) * d * n, m
    elif pairs:
        size, width, head = cross_weights(G, n, d, columns), max(columns + 1, G + n), G + n + 2
    else:
        size, width, head = self_weights(G, n, d, columns), columns + 1, n + 2
    if order.kind == "cover" and form == "literal":
        size = 3 * d * n * G + 2 * d * G + n
    more_sizes = {"n_source": f.n_source, "d_source": f.d_source} if pairs else {}
    layers = 4 if pairs else 3
    return Claim(terms, p, f.domain, layers, max(d, width), 1, head, 0, size, **claim_sizes(f), **more_sizes)
