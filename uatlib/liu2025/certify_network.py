"""What `build` claims of a network, beside what is measured."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from ..arithmetic import BALL, FLOAT64, Ball, Undecided, distances
from ..certificate import Certificate, Check, Construction
from ..checks import executor as an_executor
from ..checks import refused
from ..internal.integrals import Between, monte_carlo
from ..internal.layer_runs import require_terms, run_size, size_checks
from ..internal.number_text import witness_text
from ..kernels import DOT, RBF
from ..layers import Attention, LinearSum
from ..metrics import estimated_check, sup_distance
from ..model import Transformer
from ..patterns import Pattern
from ..sizes import in_chunks
from .enclosure import BLOCK, DEPTH, WORK, TooMany, enclosed_error
from .evaluation import Form, Smoothed, at_points, moved, sup_lipschitz
from .settled import nodes, off_from_smoother

IN_BALLS = 200_000
"""Numbers that the head hears of a sequence up to which the layers are run in BALL, beyond in FLOAT64."""
BATCH, DRAWN = 4096, 2**20
"""Samples that are compared at once, and that are drawn at once."""
ROUNDING = 1e-9
"""Of values that f returns: its rise is compared with room for so much."""
Kind = Literal["self", "cross", "cover"]
Bound = Literal["product", "chain", "modulus", "cover"]
THEOREM: dict[Kind, str] = {"self": "4.1", "cross": "4.2", "cover": "5.1"}


@dataclass(frozen=True, eq=False, repr=False)
class Network(Construction):
    """What `build` returns.

    Attributes
    ----------
    kind, bound, form : those of `build`; the bound is "cover" for this kind
    cells, count : P, the cells a side, and G, the number of centres of one sequence; P = 1 for covers
    sup : B_0, above all values
    eps : the error in the sup norm
    modulus, radius : that of `build`, and how far from the nearest centre of a cover the error holds; else None
    """

    shortcut: Smoothed
    kind: Kind
    bound: Bound
    form: Form
    cells: int
    count: int
    sup: float
    eps: float
    modulus: float | None = None
    radius: float | None = None

    @property
    def sup_error(self) -> float | None:
        """The same as `eps` where that is an error on the whole box."""
        return None if self.kind == "cover" else self.eps

    @property
    def precision(self) -> float:
        """R, the factor on the scores."""
        return self.shortcut.precision

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was built with and what was chosen, as it is printed."""
        shown: dict[str, object] = {"target": self.target.name, "kind": self.kind, "bound": self.bound}
        shown |= {
            "form": self.form,
            "n": self.target.n,
            "d": self.target.d,
            "P": self.cells,
            "R": self.precision,
            "G": self.count,
        }
        shown |= {"sup": self.sup, "eps": self.eps, "modulus": self.modulus, "radius": self.radius}
        return {name: value for name, value in shown.items() if value is not None}

    def certify(
        construction, *, literal: int = 8, samples: int = 20_000, seed: int = 0, executor: Executor | None = None
    ) -> Certificate:
        """Sizes, the layers beside `shortcut`, and the error: sampled, and enclosed on the whole set where dn is small.

        Parameters
        ----------
        construction : what `build` returned
        literal : sequences on which the layers are run, in BALL while the head hears at most 200,000 numbers of each
        samples : points at which f and g are compared; half of them as far from a centre as its cell reaches
        executor : evaluates f and g, batch by batch; without one they come one after the other

        With one or two numbers in the input (dn, or 2dn for pairs) the error is enclosed, from the Lipschitz constant
        of f or its modulus. If that ends below eps, d_inf(f, g) <= eps is proved on the whole set, with the values that
        f returned in floats; if a point is off by more, it fails. With many cells neither may follow: then this check
        is undecided, and its witness says why.

        Raises
        ------
        ValueError
            f is not finite at a point that is looked at. No such construction, or a claim without its terms; literal is
            no int in [2, 10,000], samples none in [2, 50,000,000], seed none >= 0; executor is none, or cannot pickle
            the function.

        Source: liu2025, Theorems 4.1, 4.2 and 5.1.
        """
        if not isinstance(construction, Network):
            raise refused("construction", "what liu2025.build returns", construction)
        literal, samples, seed = run_size(2, literal, samples, seed)
        require_terms(construction.claim, "smoother", "rounding")
        executor = an_executor(executor, construction.target)
        rng = np.random.default_rng(seed)
        checks = network_checks(construction, literal=literal, rng=rng)
        sampled = _sampled_check(construction, samples, rng, executor)
        checks.append(sampled)
        if construction.shortcut.centers.shape[1] <= 2:
            checks += _enclosed_checks(construction, sampled)
        if construction.claim.p < math.inf:
            checks.append(_distance_check(construction, samples, seed, executor))
        else:
            claimed = construction.claim.error * (1 + ROUNDING)
            checks.append(Check("eps of these checks, against the error claimed", construction.eps, "<=", claimed))
        title = f"Network g after Liu et al. (2025), Theorem {THEOREM[construction.kind]}, and g-bar, in bulk"
        return Certificate(checks, title, construction.parameters)


certify = Network.certify


def network_checks(construction: Network, *, literal: int = 8, rng: np.random.Generator | None = None) -> list[Check]:
    """The checks of `certify` that look at the layers; the others measure the function and g-bar."""
    rng = rng or np.random.default_rng(0)
    sizes = _size_checks(construction)
    checks = [*sizes, _literal_check(construction, _points(construction, literal, rng))]
    return [*checks, _settled_check(construction)] if all(check.holds for check in sizes) else checks


def trainable(model: Transformer) -> int:
    """Numbers that depend on f or its domain: the centres in Linear once, W_K below its first row, W_O's diagonal.

    Source: liu2025, Remark C.1.
    """
    embed, attention, out = model.layers
    assert isinstance(embed, LinearSum)
    assert isinstance(attention, Attention)
    assert isinstance(out, LinearSum)
    rows, columns = attention.heads[0].w_k.shape
    repeats = 2 * len(embed.terms)  # each centre stands in 2 d columns
    centres = sum(q.size // repeats for _, q in embed.terms)
    return centres + (rows - 1) * (columns - 1) + sum(min(q.shape) for _, q in out.terms)


def _size_checks(construction: Network) -> list[Check]:
    model, claim, kind = construction.model, construction.claim, construction.kind
    layers = [*model.encoder, *model.layers]
    kinds = [type(layer) for layer in layers]
    expected = [LinearSum] * (2 if kind == "cross" else 1) + [Attention, LinearSum]
    heads = [head for layer in model.attentions() for head in layer.heads]
    others = int(kinds != expected or type(model) is not Transformer)
    foreign = [repr(layer) for layer in model.attentions() if not _is_own(layer, construction)]
    count, what = model.parameter_count(), "parameters"
    if kind == "cover" and construction.form == "literal":
        count, what = 0 if others else trainable(model), "parameters that depend on f or its domain"
    return [
        Check(
            "other layers than linear sums around one of attention", others, "==", 0, repr(model) if others else None
        ),
        Check("attention with another kernel, mask or max", len(foreign), "==", 0, foreign[0] if foreign else None),
        Check("layers", len(layers), "==", claim.layers),
        Check("heads", len(heads), "==", claim.heads),
        Check("head size", max((len(head.w_q) for head in heads), default=0), "==", claim.head_size),
        Check("entries of a token on its way", model.width, "==", claim.width),
        *size_checks(model, claim),
        Check(what, count, "==", claim.parameters),
    ]


def _is_own(layer: Attention, construction: Network) -> bool:
    """Whether softmax of the kernel of this form is taken of the columns that it hears."""
    is_smoother = construction.form == "smoother"
    kernel = RBF(construction.precision / 2) if is_smoother else DOT
    heard = Pattern if is_smoother and construction.kind != "cross" else type(None)
    return layer.normalization == "softmax" and layer.kernel == kernel and isinstance(layer.mask, heard)


def _points(construction: Network, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points (count, m) of the set that the claim is about: anywhere, and as far from a centre as its cell reaches."""
    v, radius = construction.shortcut.centers, construction.radius
    low, high = (float(end) for end in construction.claim.domain)
    near, even = v[rng.integers(len(v), size=count)], np.arange(count)[:, None] % 2 == 0
    if radius is not None:
        ahead = rng.normal(size=near.shape)
        length = radius * np.where(even, rng.random((count, 1)) ** (1 / near.shape[1]), 1.0)
        points = near + ahead * length / np.linalg.norm(ahead, axis=1, keepdims=True)
        return np.where(((points >= low) & (points <= high)).all(axis=1, keepdims=True), points, near)
    corners = near + (high - low) / (2 * construction.cells) * rng.choice([-1.0, 1.0], near.shape)
    return np.where(even, rng.uniform(low, high, near.shape), np.clip(corners, low, high))


def _sequences(construction: Network, Z: np.ndarray) -> np.ndarray:
    """Points as sequences of shape (d, n), or (d, 2n) of pairs, the keys first."""
    return np.ascontiguousarray(Z.reshape(len(Z), -1, construction.target.d).swapaxes(1, 2))


def _named(construction: Network, X: np.ndarray) -> dict[str, np.ndarray]:
    """A sequence, or a pair of them, as a witness."""
    n = construction.target.n
    return {"Z_K": X[:, :n], "Z_Q": X[:, n:]} if construction.kind == "cross" else {"X": X}


def _literal_check(construction: Network, Z: np.ndarray) -> Check:
    """The layers beside `shortcut`; infinite where they cannot be run."""
    model, n = construction.model, construction.target.n
    X = _sequences(construction, Z)
    Z_Q, given = (X[..., n:], {"source": X[..., :n]}) if model.cross else (X, {})
    heard = _heard(model)
    in_balls = heard <= IN_BALLS
    try:
        values = construction.shortcut(Z_Q, *given.values())
        parts = []
        for part in in_chunks(len(X), heard):
            X_P, second = Z_Q[part], {name: Z[part] for name, Z in given.items()}
            found = model(X_P, BALL, **second) if in_balls else model(X_P, FLOAT64, **second).numpy(force=True)
            parts.append(distances(found, values[part]))
        off = np.concatenate(parts).max(axis=(-2, -1))
    except (Undecided, ValueError):
        off = np.full(len(X), math.inf, dtype=object)
    k = int(off.argmax())
    bound = construction.claim["rounding"].bound
    name = f"|g - g-bar|_inf at samples, the layers in {'BALL' if in_balls else 'FLOAT64'}"
    return Check(name, off[k], "<=", bound, _named(construction, X[k]), "sampled", len(X))


def _heard(model: Transformer) -> int:
    """The most numbers that a layer makes of a sequence: those that the head hears, a column for each key."""
    first = (*model.encoder, *model.layers)[0]
    return (first.d_out or 1) * (first.n_out or 1)


def _settled_check(construction: Network) -> Check:
    """g = g-bar for all X, up to the claimed rounding, by scores and values at points that settle them."""
    model, n, bulk = construction.model, construction.target.n, construction.shortcut
    m, (low, high) = bulk.centers.shape[1], (float(end) for end in construction.claim.domain)
    flat = (low + high) / 2 + (high - low) / 2 * nodes(m)
    X = _sequences(construction, flat)
    Z_Q, source = (X[..., n:], X[..., :n]) if model.cross else (X, None)
    try:
        form, sup = construction.form, construction.sup
        by = moved(form, construction.eps, sup, n)
        off = off_from_smoother(model, Z_Q, source, flat, bulk, form, sup, by, _heard(model))
    except ValueError:
        off = math.inf
    name = "|g - g-bar|_inf for all inputs, from scores and values of the head at points that settle them: at most"
    return Check(name, off, "<=", construction.claim["rounding"].bound, None, "exhaustive", len(X))


def _flat(construction: Network) -> Callable[[np.ndarray], np.ndarray]:
    """f at points (k, m), its values stacked, (k, dn)."""
    return lambda Z: at_points(construction.target, _sequences(construction, Z)).swapaxes(1, 2).reshape(len(Z), -1)


def _sampled_check(construction: Network, samples: int, rng: np.random.Generator, executor: Executor | None) -> Check:
    """In batches, which are drawn as they are needed."""
    n, is_pair = construction.target.n, construction.kind == "cross"

    def batches() -> Iterator[np.ndarray]:
        for part in in_chunks(samples, 1, DRAWN):
            Z = _points(construction, part.stop - part.start, rng)
            yield from np.array_split(_sequences(construction, Z), -(-len(Z) // BATCH))

    queries: Iterator[np.ndarray] = batches()
    given: dict[str, Any] = {}
    if is_pair:
        both, again = itertools.tee(queries)
        queries = (np.ascontiguousarray(X[..., n:]) for X in both)
        given = {"source": (np.ascontiguousarray(X[..., :n]) for X in again)}
    found = sup_distance(construction.target, construction.shortcut, queries, **given, executor=executor)
    witness = _named(construction, np.concatenate(found.witness[::-1], axis=-1) if given else found.witness)
    bound = construction.eps
    return Check("d_inf(f, g-bar), at samples", found.value, "<=", bound, witness, "sampled", found.points)


def _enclosed_checks(construction: Network, sampled: Check) -> list[Check]:
    """d_inf(f, g) on the whole set, rounding included, from both sides, and what it relies on."""
    bulk, P = construction.shortcut, construction.cells
    v = bulk.centers
    low, high = (float(end) for end in construction.claim.domain)
    m, radius, inside = v.shape[1], construction.radius, None
    if radius is None:
        half = (high - low) / (2 * P)
        axis = low + half * (2 * np.arange(P) + 1)
        boxes = np.stack(np.meshgrid(*[axis] * m, indexing="ij"), axis=-1).reshape(-1, m)
    else:
        # Squares around the balls; where they leave the box, f is taken at the nearest point inside.
        half, boxes = radius, v

        def inside(c: np.ndarray, r: float) -> np.ndarray:
            gaps = (np.maximum(0, np.abs(c[part, None] - v) - r) for part in in_chunks(len(c), len(v), BLOCK))
            nearest = np.concatenate([np.zeros(0), *(np.sqrt(gap**2 @ np.ones(m)).min(axis=1) for gap in gaps)])
            return (nearest <= radius) & (np.abs(c - (low + high) / 2) <= (high - low) / 2 + r).all(axis=1)

    flat = _flat(construction)
    values = bulk.values.swapaxes(1, 2).reshape(len(v), -1)
    delta, eps = construction.modulus, construction.eps
    lipschitz = 0.0 if delta else sup_lipschitz(construction.target)

    def rise(r: float) -> float:
        return lipschitz * r if delta is None else eps / 3 * math.ceil(r / delta)

    found = enclosed_error(
        lambda c: flat(np.clip(c, low, high)), v, values, bulk.precision, boxes, half, rise, eps, inside
    )
    name, off = "d_inf(f, g-bar) on the whole set, and rounding", construction.claim["rounding"].bound
    most = rise(high - low)  # all values are so near to one another
    if isinstance(found, TooMany):
        measured = _between(sampled.measured - off, most + off)
        return [Check(name, measured, "<=", eps, f"not enclosed: {found.why}", "enclosed", 0)]

    def text(c: np.ndarray) -> str:
        return witness_text(_named(construction, _sequences(construction, c[None])[0]))

    upper, lower = min(found.upper, most) + off, found.lower - off
    at, around = (text(c) for c in (found.lower_at, found.upper_at))
    where = f"at least at {at}; at most around {around}"
    if lower <= eps < upper:
        limits = f"{WORK:,} pairs of a box and a centre, or {DEPTH} halvings"
        where = f"undecided after {found.boxes:,} boxes: the limit is {limits}; {where}"
    rose = "steepest rise of f between centres of boxes, as a share of what is stated"
    two = " to ".join(map(text, found.steep))
    return [
        Check(rose, found.steepest, "<=", 1 + ROUNDING, f"from {two}", "sampled", found.boxes),
        Check(name, _between(lower, upper), "<=", eps, where, "enclosed", found.boxes),
    ]


def _between(low: float, high: float) -> Ball:
    """As an enclosure; where f is steeper than stated `low` may be the larger, and is right."""
    high = max(low, high)
    return Ball((Fraction(low) + Fraction(high)) / 2, (Fraction(high) - Fraction(low)) / 2)


def _distance_check(construction: Network, samples: int, seed: int, executor: Executor | None) -> Check:
    """d_p(f, g-bar) for p < inf, estimated, with three standard errors."""
    claim, n, d = construction.claim, construction.target.n, construction.target.d
    second = (d, n) if construction.kind == "cross" else None
    between = Between(construction.target, construction.shortcut, n, d, claim.p, claim.domain, second)
    name = f"d_{claim.p:g}(f, g-bar)"
    return estimated_check(name, monte_carlo(between, samples, seed, executor), claim.error)
