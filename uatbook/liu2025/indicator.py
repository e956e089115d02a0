"""Liu et al. (2025): one head tells the cell of each token, and gives it the cell's value; Propositions 3.2, 3.3."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import BALL, Ball
from uatlib.arithmetic.objects import distances
from uatlib.certificate import Check
from uatlib.checks import positive, whole
from uatlib.layers import LinearSum
from uatlib.liu2025.bounds import precision
from uatlib.model import Transformer

from ..damages import Damage, changed, edited, in_a_layer, in_part, scaled, with_layer
from ..registry import register
from .max_affine import MaxAffine, indicator_attention

SHADE = Fraction(1, 10**6)
"""By how much, in relation, measured numbers may miss a bound that is attained."""
MAX_COMPONENTS = 12
TOO_SHORT = Fraction(1, 2**20)


class Attended(NamedTuple):
    """A head, its max-affine function, sequences (count, d, n) of tokens with this margin, and what is claimed.

    The first and the last of the sequences have the token 0 in front and at the end: there the first component leads
    by just the margin, and all others are equal.
    """

    model: Transformer
    f: MaxAffine
    X: np.ndarray
    R: float
    margin: Fraction
    eps: Fraction
    shapes: tuple[tuple[str, int, int], ...] = ()
    values: np.ndarray | None = None
    factor: int = 2

    def token(self, k: int, row: int, j: int) -> dict[str, Any]:
        """Token j of sequence k, whatever the entry."""
        return {"token": j + 1, "x": self.X[k, :, j]}


def fan(N: int, d: int, margin: Fraction) -> MaxAffine:
    """A roof over a fan: y_1 = margin, and y_i = c_i . x with different c_i != 0 out of a lattice."""
    return MaxAffine(np.array([(0,) * d, *_lattice(d, N - 1)], dtype=object).T, [margin, *[0] * (N - 1)])


def _lattice(d: int, count: int) -> list[tuple[int, ...]]:
    """The points of Z^d other than 0 that are nearest to it, opposite ones in turn."""
    reach = next(k for k in itertools.count(1) if (2 * k + 1) ** d > count)
    points = itertools.product(range(-reach, reach + 1), repeat=d)
    order = sorted(points, key=lambda c: (sum(map(abs, c)), [-abs(u) for u in c], [-u for u in c]))
    return order[1 : count + 1]


def _cell(f: MaxAffine, x: np.ndarray) -> tuple[int, Fraction]:
    """The first largest component at x, and its lead, by loops."""
    y = [sum((a * u for a, u in zip(column, x, strict=True)), b) for column, b in zip(f.A.T, f.b, strict=True)]
    best, second = sorted(y, reverse=True)[:2]
    return y.index(best), best - second


def _sequences(f: MaxAffine, n: int, margin: Fraction) -> np.ndarray:
    """0 and its neighbours, where they have the margin, n in a row, the first in a row again at the end."""
    d = len(f.A)
    near = [tuple(Fraction(u) for u in c) for c in _lattice(d, 2 * MAX_COMPONENTS)]
    tokens = [(Fraction(0),) * d, *(c for c in near if _cell(f, np.array(c))[1] >= margin)]
    rows = [[tokens[(k + j) % len(tokens)] for j in range(n)] for k in range(len(tokens))]
    rows.append([*rows[0][1:], rows[0][0]])
    return np.array(rows, dtype=object).transpose(0, 2, 1)


def _scaled(model: Transformer, factor: object) -> Transformer:
    found = in_a_layer(scaled("w_k", factor))(model, np.random.default_rng(0))
    assert found is not None
    return found


def _everywhere(parts: Attended) -> tuple[Fraction, str, int]:
    """For d = 1 an upper bound on the error at every token of [-2, 2] with the margin, all n alike: where, boxes.

    The literal head runs on intervals, which are halved until the error is at most eps. Where it is larger for certain,
    or an interval gets too short, that is the answer.
    """
    (_, N), n, boxes = parts.f.A.shape, parts.X.shape[-1], []
    for k in range(N):
        low, high = Fraction(-2), Fraction(2)
        for i in set(range(N)) - {k}:
            slope, rest = parts.f.A[0, k] - parts.f.A[0, i], parts.margin - parts.f.b[k] + parts.f.b[i]
            low, high = max(low, rest / slope) if slope > 0 else low, min(high, rest / slope) if slope < 0 else high
        # So short that softmax of its scores is enclosed.
        pieces = math.ceil((high - low) * Fraction(parts.R) * abs(parts.f.A).max() / 2)
        step, pieces = (high - low) / max(pieces, 1), max(pieces, 1) if low <= high else 0
        boxes += [(k, low + j * step, low + (j + 1) * step) for j in range(pieces)]
    worst, where, count = Fraction(0), "", 0
    while boxes:
        balls = np.array([Ball((low + high) / 2, (high - low) / 2) for _, low, high in boxes], dtype=object)
        shares = parts.model(np.repeat(balls[:, None, None], n, axis=2), BALL)
        rest, count = [], count + len(boxes)
        for (k, low, high), share in zip(boxes, shares, strict=True):
            # Entries of a column add up to 1; what others get is enclosed more closely than what k lacks.
            others = np.delete(share, k, axis=0)
            error = max(sum(entry.upper for entry in column) for column in others.T)
            sure = max(entry.lower for entry in others.flat)
            interval = f"x in [{float(low):.6g}, {float(high):.6g}], y_{k + 1} leads"
            if sure > parts.eps or (error > parts.eps and high - low < TOO_SHORT):
                return error, interval, count
            if error > parts.eps:
                middle = (low + high) / 2
                rest += [(k, low, middle), (k, middle, high)]
            elif error > worst:
                worst, where = error, interval
        boxes = rest
    return worst, where, count


# ------------------------------------------------------------------------------------------------------ Proposition 3.2


def _certify_indicator(parts: Attended) -> list[Check]:
    """The literal head in BALL against the indicator; and that the exact R is the least there is."""
    f, X, eps, (d, N) = parts.f, parts.X, parts.eps, parts.f.A.shape
    tokens = X.size // d
    cells = [[_cell(f, token) for token in x.T] for x in X]
    wanted = np.array([[[int(i == k) for k, _ in row] for i in range(N)] for row in cells])
    lead = min(lead for row in cells for _, lead in row)
    checks = [
        Check(f"{name}: sizes that stand side by side", one, "==", other, f"n = {X.shape[-1]}, N = {N}, d = {d}")
        for name, one, other in parts.shapes
    ]
    name = "lead of the largest y_i over the second, least, against the margin"
    checks.append(Check(name, lead, ">=", parts.margin, cases=tokens))
    exact = Fraction(precision(N, parts.margin, eps, exact=True)) / Fraction(parts.R)
    below, above = (_scaled(parts.model, exact * (1 + sign * SHADE)) for sign in (-1, 1))
    for name, model in (("", parts.model), (", at the exact R (1 + 10^-6)", above)):
        name = f"|Softmax(K^T Q) W_O - [E(X_1) ... E(X_n)]|{name}"
        off = distances(model(X, BALL), wanted)
        checks.append(Check.worst(name, off, "<=", eps, parts.token, "enclosed", tokens))
    missed = 1 - max(below(X[-1], BALL)[0, -1].upper, below(X[0], BALL)[0, 0].upper)
    checks.append(Check("at the exact R (1 - 10^-6), tokens 0", missed, ">", eps, "token 0", "enclosed", 2))
    if d == 1:
        worst, where, count = _everywhere(parts)
        name = "the same, at every token of [-2, 2] with the margin"
        checks.append(Check(name, worst, "<=", eps, where, "enclosed", count))
    return checks


def _ones(parts: Attended, places: int) -> Attended:
    """W_Q whose row of ones reaches over so many places."""

    def written(w_q: np.ndarray) -> np.ndarray:
        new, d = w_q.copy(), len(w_q) - 1
        new[d, d:], new[d, d : d + places] = 0, 1
        return new

    return _with_weight(parts, "w_q", written)


def _with_weight(parts: Attended, name: str, new: Any) -> Attended:
    return parts._replace(model=in_a_layer(changed(name, new))(parts.model, np.random.default_rng(0)))


def _last_columns(model: Transformer, rng: np.random.Generator) -> Transformer | None:
    """W_O keeps the last n columns, which no token has."""
    N, n = model.layers[-1].weights()["term0.q"].shape
    return with_layer(model, 2, LinearSum([(None, np.eye(N, n, n - N, dtype=int))])) if n < N else None


def _next_column(parts: Attended, rng: np.random.Generator) -> Attended:
    """Each component has the value of the next."""
    d = len(parts.f.A)
    return _with_weight(parts, "w_v", lambda w: np.hstack([w[:, :d], np.roll(w[:, d:], 1, axis=1)]))


@edited("X")
def _nearer(X: np.ndarray, parts: Attended, rng: np.random.Generator) -> None:
    """The first token 0 moves towards the second component, which lags by half of the margin then."""
    X[0, 0, 0] = parts.margin / 2


HEADS: dict[str, Damage] = {
    "a token near a border": _nearer,
    "twice R": in_part("model", in_a_layer(scaled("w_k", 2))),
    "no constants b": lambda parts, rng: _with_weight(parts, "w_k", lambda w: np.vstack([w[:-1], 0 * w[-1:]])),
    "a 1 missing in W_Q": lambda parts, rng: _ones(parts, parts.X.shape[-1] - 1),
    "the last columns kept": in_part("model", _last_columns),
    "values of the next component": _next_column,
}


def _sizes(N: object, d: object, n: object, margin: object, eps: object) -> tuple[int, int, int, Fraction, Fraction]:
    N = whole("N", N, 2, MAX_COMPONENTS)
    sizes = (N, whole("d", d, 1, 4), whole("n", n, 1, N))
    return *sizes, positive("margin", margin, 1), positive("eps", eps, Fraction(1, 2))


@register(
    "liu2025:prop-3-2",
    "softmax of scores that are R times the components is the indicator, up to eps off the borders",
    source="Proposition 3.2, section A.2",
    chapter="liu-partitions",
    construction=indicator_attention,
    certify=_certify_indicator,
    cases=[
        {"N": 3, "n": 1},
        {"N": 5, "d": 2, "n": 3, "eps": Fraction(1, 1000)},
        {"N": 6, "d": 3, "n": 6, "margin": Fraction(1, 2), "eps": Fraction(1, 4)},
    ],
    damages={"a quarter of R": in_part("model", in_a_layer(scaled("w_k", Fraction(1, 4)))), **HEADS},
    concerns="construction",
    erratum="""The zero block of Linear has N rows, not n. W_Q = [I_d 0 0; 0 1_{1 x n} 0]; as printed its blocks fit for
    d = 1 alone, and its row of ones reaches over the first d tokens, so that the others lose their b_i. R is at least
    (ln(N - 1) - ln eps) divided by Delta, where it is printed multiplied. (The least R is ln((N - 1)(1 - eps)/eps)
    divided by Delta.) What is left out is a part of R^{dn}, small if the domain is bounded and no two components are
    equal.""",
    alone=("shapes", "precision"),
)
def indicator(
    *,
    variant: str = "repaired",
    N: int = 2,
    d: int = 1,
    n: int = 2,
    margin: object = Fraction(1, 10),
    eps: object = Fraction(1, 100),
) -> Attended:
    """The literal head on tokens with the margin, the worst among them; printed: blocks, ones and R as they stand."""
    N, d, n, margin, eps = _sizes(N, d, n, margin, eps)
    f = fan(N, d, margin)
    R = precision(N, margin, eps)
    if variant in ("printed", "shapes alone"):
        R *= float(margin) ** 2
    made = Attended(indicator_attention(f, n, R), f, _sequences(f, n, margin), R, margin, eps)
    if variant not in ("printed", "precision alone"):
        return made
    blocks = (("rows of P X Q and of R in Linear", d + n, d + N), ("rows of I_d and of the 0 beside it in W_Q", d, 1))
    return _ones(made, d)._replace(shapes=blocks)


# ------------------------------------------------------------------------------------------------------ Proposition 3.3


def _certify_values(parts: Attended) -> list[Check]:
    """The literal head in BALL against the cells' values, and its error against what the indicator misses."""
    f, X, V, N = parts.f, parts.X, parts.values, parts.f.A.shape[1]
    assert V is not None
    tokens = X.size // len(f.A)
    cells = [[_cell(f, token)[0] for token in x.T] for x in X]
    wanted = np.array([[[V[row, k] for k in line] for row in range(len(V))] for line in cells], dtype=object)
    share = np.array([[[int(i == k) for k in line] for i in range(N)] for line in cells])
    off = distances(parts.model(X, BALL), wanted)
    head = _scaled(indicator_attention(f, X.shape[-1], 1), Fraction(parts.R))
    ratio = off / (distances(head(X, BALL), share).max() * max(abs(value) for value in V.flat))
    name = "the same over max|V| and the share that the indicator misses"
    most = parts.factor * (1 + SHADE)
    place = [int(i) for i in np.unravel_index(int(ratio.argmax()), ratio.shape)]
    return [
        Check.worst("|Attn(X) - [F(X_1) ... F(X_n)]|, largest", off, "<=", parts.eps, parts.token, "enclosed", tokens),
        Check.worst(name, ratio, "<=", most, parts.token, "enclosed", tokens),
        Check("and that is attained", ratio.max(), ">=", 2 * (1 - SHADE), parts.token(*place), "enclosed", tokens),
    ]


@register(
    "liu2025:prop-3-3",
    "one head gives each token the value of its cell, up to eps off the borders",
    source="Proposition 3.3, section A.3",
    chapter="liu-partitions",
    construction=indicator_attention,
    certify=_certify_values,
    cases=[{"N": 3, "n": 1}, {"N": 5, "d": 2, "n": 3, "eps": Fraction(1, 1000)}, {"N": 6, "d": 3, "n": 6}],
    damages={"nine tenths of R": in_part("model", in_a_layer(scaled("w_k", Fraction(9, 10)))), **HEADS},
    concerns="proof",
    erratum="""The last line bounds the error by max|V| eps_0, where eps_0 is what the indicator misses. What it gives
    too little to its own cell it gives to others, and so the error is up to osc(V) eps_0, with osc(V) the largest
    difference of two values in a row. That is at most 2 max|V| eps_0, and the 2 is attained by V = (v, -v).""",
)
def reassigned(
    *,
    variant: str = "repaired",
    N: int = 2,
    d: int = 1,
    n: int = 2,
    margin: object = Fraction(1, 10),
    eps: object = Fraction(1, 100),
) -> Attended:
    """The literal head for values 2 and -2, and others in a second row; printed: with eps_0 = eps/max|V|."""
    N, d, n, margin, eps = _sizes(N, d, n, margin, eps)
    f = fan(N, d, margin)
    V = np.array([[2] + [-2] * (N - 1), [Fraction(k * k % N, N) for k in range(N)]], dtype=object)
    highest, spread = max(abs(value) for value in V.flat), max(max(row) - min(row) for row in V)
    printed = variant == "printed"
    R = precision(N, margin, eps / (highest if printed else spread), exact=True) * (1 + 1e-9)
    model = indicator_attention(f, n, R, values=V)
    return Attended(model, f, _sequences(f, n, margin), R, margin, eps, values=V, factor=1 if printed else 2)
