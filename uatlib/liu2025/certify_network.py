"""What `build` claims of a network, beside what is measured."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from fractions import Fraction
from typing import Any, get_args

import numpy as np

from ..arithmetic import BALL, FLOAT64, Ball, Undecided, distances
from ..certificate import Certificate, Check, Construction
from ..checks import choice, finite, instance, positive, refused, whole
from ..checks import executor as an_executor
from ..kernels import DOT, RBF
from ..layer_runs import require_notes, require_run, size_checks
from ..layers import Attention, LinearSum
from ..metrics import lp_distance, sup_distance
from ..model import Transformer
from ..patterns import Pattern
from ..sizes import in_chunks
from ..targets import Target
from .enclosure import BLOCK, DEPTH, WORK, TooMany, enclosed_error
from .network import Form, Smoothed, at_points, moved, sup_lipschitz
from .settled import nodes, off_from_smoother

IN_BALLS = 200_000
"""Numbers that the head hears of a sequence up to which the layers are run in BALL, beyond in FLOAT64."""
BATCH, DRAWN = 4096, 2**20
"""Samples that are compared at once, and that are drawn at once."""
ROUNDING = 1e-9
"""Of values that f returns: its rise is compared with room for so much."""
THEOREM = {"self": "4.1", "cross": "4.2", "cover": "5.1"}


def certify(
    construction: Construction,
    *,
    literal: int = 8,
    samples: int = 20_000,
    seed: int = 0,
    executor: Executor | None = None,
) -> Certificate:
    """Sizes, the layers beside `evaluate`, and the error: sampled, and enclosed on the whole set where dn is small.

    Parameters
    ----------
    construction : what `build` returned
    literal : sequences on which the layers are run, in BALL while the head hears at most 200,000 numbers of each
    samples : points at which f and g are compared; half of them as far from a centre as its cell reaches
    executor : evaluates f and g, batch by batch; without one they come one after the other

    With one or two numbers in the input (dn, or 2dn for pairs) the error is enclosed, from the Lipschitz constant of f
    or its modulus. If that ends below eps, d_inf(f, g) <= eps is proved on the whole set, with the values that f
    returned in floats; if a point is off by more, it fails. With many cells neither may follow: then this check is
    undecided, and its witness says why.

    Raises
    ------
    ValueError
        f is not finite at a point that is looked at. No such construction; literal is no int in [2, 10,000], samples
        none in [2, 50,000,000], seed none >= 0; executor is none, or cannot pickle the function.

    Source: liu2025, Theorems 4.1, 4.2 and 5.1.
    """
    if type(construction) is not Construction or not isinstance(construction.evaluate, Smoothed):
        raise refused("construction", "what liu2025.build returns", construction)
    require_run(2, literal, samples, seed)
    kind = ["radius"] if construction.parameters.get("kind") == "cover" else []
    require_notes(construction, ["kind", "form", "n", "d", "P", "R", "sup", "eps", *kind], ["smoother", "rounding"])
    _require_parsed(construction.parameters)
    executor = an_executor(executor, instance("target", construction.target, Target))
    rng = np.random.default_rng(seed)
    checks = _network(construction, literal, rng)
    sampled = _sampled_check(construction, samples, rng, executor)
    checks.append(sampled)
    if construction.evaluate.centers.shape[1] <= 2:
        checks += _enclosed_checks(construction, sampled)
    if construction.claim.p < math.inf:
        checks.append(_distance_check(construction, samples, seed, executor))
    else:
        claimed = construction.claim.error * (1 + ROUNDING)
        checks.append(
            Check("eps of these checks, against the error claimed", construction.parameters["eps"], "<=", claimed)
        )
    title = f"Network g after liu2025, Theorem {THEOREM[construction.parameters['kind']]}, and g-bar, in bulk"
    return Certificate(checks, title, construction.parameters)


def _require_parsed(notes: Mapping[str, Any]) -> None:
    """ValueError unless the parameters of a construction are of the kinds that `build` gives."""
    for name, options in (("kind", tuple(THEOREM)), ("form", get_args(Form))):
        choice(f"construction {name}", notes[name], options)
    for name in ("n", "d", "P"):
        whole(f"construction {name}", notes[name], 1)
    for name in ("R", "sup", "eps", *(name for name in ("radius", "modulus") if name in notes)):
        finite(f"construction {name}", positive(f"construction {name}", notes[name]))


def network_checks(construction: Construction, *, literal: int = 8, seed: int = 0) -> list[Check]:
    """The checks of `certify` that look at the layers; the others measure the function and g-bar."""
    return _network(construction, literal, np.random.default_rng(seed))


def _network(construction: Construction, literal: int, rng: np.random.Generator) -> list[Check]:
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


def _size_checks(construction: Construction) -> list[Check]:
    model, claim, notes = construction.model, construction.claim, construction.parameters
    layers = [*model.encoder, *model.layers]
    kinds = [type(layer) for layer in layers]
    expected = [LinearSum] * (2 if notes["kind"] == "cross" else 1) + [Attention, LinearSum]
    heads = [head for layer in model.attentions() for head in layer.heads]
    others = int(kinds != expected or type(model) is not Transformer)
    foreign = [repr(layer) for layer in model.attentions() if not _is_own(layer, notes)]
    count, what = model.parameter_count(), "parameters"
    if notes["kind"] == "cover" and notes["form"] == "literal":
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


def _is_own(layer: Attention, notes: Mapping[str, Any]) -> bool:
    """Whether softmax of the kernel of this form is taken of the columns that it hears."""
    is_smoother = notes["form"] == "smoother"
    kernel = RBF(notes["R"] / 2) if is_smoother else DOT
    heard = Pattern if is_smoother and notes["kind"] != "cross" else type(None)
    return layer.normalization == "softmax" and layer.kernel == kernel and isinstance(layer.mask, heard)


def _points(construction: Construction, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points (count, m) of the set that the claim is about: anywhere, and as far from a centre as its cell reaches."""
    notes, v = construction.parameters, instance("evaluate", construction.evaluate, Smoothed).centers
    low, high = (float(end) for end in construction.claim.domain)
    near, even = v[rng.integers(len(v), size=count)], np.arange(count)[:, None] % 2 == 0
    if notes["kind"] == "cover":
        ahead = rng.normal(size=near.shape)
        length = notes["radius"] * np.where(even, rng.random((count, 1)) ** (1 / near.shape[1]), 1.0)
        points = near + ahead * length / np.linalg.norm(ahead, axis=1, keepdims=True)
        return np.where(((points >= low) & (points <= high)).all(axis=1, keepdims=True), points, near)
    corners = near + (high - low) / (2 * notes["P"]) * rng.choice([-1.0, 1.0], near.shape)
    return np.where(even, rng.uniform(low, high, near.shape), np.clip(corners, low, high))


def _sequences(construction: Construction, Z: np.ndarray) -> np.ndarray:
    """Points as sequences of shape (d, n), or (d, 2n) of pairs, the keys first."""
    d = construction.parameters["d"]
    return np.ascontiguousarray(Z.reshape(len(Z), -1, d).swapaxes(1, 2))


def _named(construction: Construction, X: np.ndarray) -> str:
    """A sequence, or a pair of them, as a witness."""
    n = construction.parameters["n"]
    if construction.parameters["kind"] != "cross":
        return f"X = {X.tolist()}"
    return f"Z_K = {X[:, :n].tolist()}, Z_Q = {X[:, n:].tolist()}"


def _literal_check(construction: Construction, Z: np.ndarray) -> Check:
    """The layers beside `evaluate`; infinite where they cannot be run."""
    model, n = construction.model, construction.parameters["n"]
    X = _sequences(construction, Z)
    Z_Q, given = (X[..., n:], {"source": X[..., :n]}) if model.cross else (X, {})
    heard = _heard(model)
    in_balls = heard <= IN_BALLS
    try:
        values = construction.evaluate(Z_Q, *given.values())
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


def _settled_check(construction: Construction) -> Check:
    """g = g-bar for all X, up to the claimed rounding, by scores and values at points that settle them."""
    model, notes = construction.model, construction.parameters
    evaluate = instance("evaluate", construction.evaluate, Smoothed)
    m, (low, high) = evaluate.centers.shape[1], (float(end) for end in construction.claim.domain)
    flat = (low + high) / 2 + (high - low) / 2 * nodes(m)
    X = _sequences(construction, flat)
    Z_Q, source = (X[..., notes["n"] :], X[..., : notes["n"]]) if model.cross else (X, None)
    try:
        off = off_from_smoother(model, Z_Q, source, flat, evaluate, notes, moved(notes), _heard(model))
    except ValueError:
        off = math.inf
    name = "|g - g-bar|_inf for all inputs, from scores and values of the head at points that settle them: at most"
    return Check(name, off, "<=", construction.claim["rounding"].bound, None, "exhaustive", len(X))


def _flat(construction: Construction) -> Any:
    """f at points (k, m), its values stacked, (k, dn)."""
    target = instance("target", construction.target, Target)
    return lambda Z: at_points(target, _sequences(construction, Z)).swapaxes(1, 2).reshape(len(Z), -1)


def _sampled_check(
    construction: Construction, samples: int, rng: np.random.Generator, executor: Executor | None
) -> Check:
    """In batches, which are drawn as they are needed."""
    n, is_pair = construction.parameters["n"], construction.parameters["kind"] == "cross"

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
    found = sup_distance(construction.target, construction.evaluate, queries, **given, executor=executor)
    witness = _named(construction, np.concatenate(found.witness[::-1], axis=-1) if given else found.witness)
    bound = construction.parameters["eps"]
    return Check("d_inf(f, g-bar), at samples", found.value, "<=", bound, witness, "sampled", found.points)


def _enclosed_checks(construction: Construction, sampled: Check) -> list[Check]:
    """d_inf(f, g) on the whole set, rounding included, from both sides, and what it relies on."""
    notes, evaluate = construction.parameters, instance("evaluate", construction.evaluate, Smoothed)
    target, v = instance("target", construction.target, Target), evaluate.centers
    low, high = (float(end) for end in construction.claim.domain)
    m, radius, inside = v.shape[1], notes.get("radius"), None
    if radius is None:
        half = (high - low) / (2 * notes["P"])
        axis = low + half * (2 * np.arange(notes["P"]) + 1)
        boxes = np.stack(np.meshgrid(*[axis] * m, indexing="ij"), axis=-1).reshape(-1, m)
    else:
        # Squares around the balls; where they leave the box, f is taken at the nearest point inside.
        half, boxes = radius, v

        def inside(c: np.ndarray, r: float) -> np.ndarray:
            gaps = (np.maximum(0, np.abs(c[part, None] - v) - r) for part in in_chunks(len(c), len(v), BLOCK))
            nearest = np.concatenate([np.zeros(0), *(np.sqrt(gap**2 @ np.ones(m)).min(axis=1) for gap in gaps)])
            return (nearest <= radius) & (np.abs(c - (low + high) / 2) <= (high - low) / 2 + r).all(axis=1)

    flat = _flat(construction)
    values = evaluate.values.swapaxes(1, 2).reshape(len(v), -1)
    delta, eps = notes.get("modulus"), notes["eps"]
    lipschitz = 0.0 if delta else sup_lipschitz(target)

    def rise(r: float) -> float:
        return lipschitz * r if delta is None else eps / 3 * math.ceil(r / delta)

    found = enclosed_error(
        lambda c: flat(np.clip(c, low, high)), v, values, evaluate.precision, boxes, half, rise, eps, inside
    )
    name, off = "d_inf(f, g-bar) on the whole set, and rounding", construction.claim["rounding"].bound
    most = rise(high - low)  # all values are so near to one another
    if isinstance(found, TooMany):
        measured = _between(sampled.measured - off, most + off)
        return [Check(name, measured, "<=", eps, f"not enclosed: {found.why}", "enclosed", 0)]
    upper, lower = min(found.upper, most) + off, found.lower - off
    at, around = (_named(construction, _sequences(construction, c[None])[0]) for c in (found.lower_at, found.upper_at))
    where = f"at least at {at}; at most around {around}"
    if lower <= eps < upper:
        limits = f"{WORK:,} pairs of a box and a centre, or {DEPTH} halvings"
        where = f"undecided after {found.boxes:,} boxes: the limit is {limits}; {where}"
    rose = "steepest rise of f between centres of boxes, as a share of what is stated"
    two = " to ".join(_named(construction, _sequences(construction, c[None])[0]) for c in found.steep)
    return [
        Check(rose, found.steepest, "<=", 1 + ROUNDING, f"from {two}", "sampled", found.boxes),
        Check(name, _between(lower, upper), "<=", eps, where, "enclosed", found.boxes),
    ]


def _between(low: float, high: float) -> Ball:
    """As an enclosure; where f is steeper than stated `low` may be the larger, and is right."""
    high = max(low, high)
    return Ball((Fraction(low) + Fraction(high)) / 2, (Fraction(high) - Fraction(low)) / 2)


def _distance_check(construction: Construction, samples: int, seed: int, executor: Executor | None) -> Check:
    """d_p(f, g-bar) for p < inf, estimated, with three standard errors."""
    claim, notes = construction.claim, construction.parameters
    sizes: dict[str, Any] = {"n": notes["n"], "d": notes["d"], "domain": claim.domain, "p": claim.p}
    if notes["kind"] == "cross":
        sizes |= {"n_source": notes["n"], "d_source": notes["d"]}
    run: dict[str, Any] = {"method": "monte carlo", "samples": samples, "seed": seed, "executor": executor}
    found = lp_distance(construction.target, construction.evaluate, **sizes, **run)
    measured = found.value + 3 * (found.standard_error or 0)
    name = f"d_{claim.p:g}(f, g-bar) + 3 standard errors"
    return Check(name, measured, "<=", claim.error, None, "sampled", found.points)
