"""Liu, Hu, Song, Liu (2025): what floats leave of the head of Theorem 4.1; not in the text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import BALL, FLOAT32, FLOAT64, Arithmetic, distances
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, finite, positive, refused, whole
from uatlib.liu2025.bounds import parameters_for
from uatlib.liu2025.self_attention_layers import self_attention
from uatlib.liu2025.smoothing import grid_centers
from uatlib.model import Transformer

from ..damages import in_a_layer, in_part, mapped, put, scaled
from ..registry import register
from .rounding import (
    UNITS,
    columns_that_matter,
    distance_bound,
    distance_form,
    overflow_precision,
    rounding_bound,
    without_a_shift,
)

SYSTEMS: dict[str, Arithmetic] = {"float32": FLOAT32, "float64": FLOAT64}
MAX_CELLS, MAX_DIM = 4096, 4
POINTS = 24
TYPICAL = 1 / 100
"""Of B_0 R m D^2 u: at least so much is lost."""
PASSES, FAILS = 0.004, 0.002
"""Errors that one number a sequence, in float32, reaches and does not."""

Form = Callable[[np.ndarray, np.ndarray, np.ndarray, float, str], np.ndarray]


class Head(NamedTuple):
    """The smoother of f(x) = sin x, entry by entry, on [-1, 1]^m: L = B_0 = D = 1."""

    n: int
    d: int
    P: int
    R: float
    values: np.ndarray
    centers: np.ndarray

    @property
    def network(self) -> Transformer:
        """The literal one, without what is multiplied by 0."""
        return columns_that_matter(self.values, self.centers, self.n, self.d, self.R, 1)

    def points(self, count: int) -> np.ndarray:
        """Floats of 24 bits, (count, d, n)."""
        return np.random.default_rng(self.P).uniform(-1, 1, (count, self.d, self.n)).astype(np.float32).astype(float)


def head_for(error: float, n: int = 1, d: int = 1) -> Head:
    """With P and R of the product bound."""
    error = finite("error", positive("error", error))
    P, R = parameters_for(eps=error, lipschitz=1, half_width=1, dim=n * d)
    if P ** (n * d) > MAX_CELLS:
        raise refused("error", f"at most {MAX_CELLS:,} cells, for shorter sequences or a larger error", error)
    centers = grid_centers(P, 1, n * d)
    return Head(n, d, P, R, np.sin(centers).reshape(-1, n, d).swapaxes(1, 2), centers)


class Limits(NamedTuple):
    """A head, the network that is run in floats, the smoother by distances, and where exp overflows; a claim."""

    system: str
    error: float
    head: Head
    network: Transformer
    distances: Form
    overflow: tuple[float, float]
    reached: tuple[float, float] | None


def _in_floats(network: Transformer, Z: np.ndarray, system: str) -> np.ndarray:
    return np.asarray(network(Z, SYSTEMS[system], source=Z).double())


def _rows(Z: np.ndarray) -> np.ndarray:
    return Z.swapaxes(1, 2).reshape(len(Z), -1)


def _at(Z: np.ndarray, answers: np.ndarray) -> Callable[..., dict[str, Any]]:
    """The witness of an error: the sequence and what comes of it."""
    return lambda k, *entry: {"Z": Z[k], "answer": answers[k]}


def _certify(parts: Limits) -> Certificate:
    system, (n, d, P, R, V, v), head = parts.system, parts.head, parts.head
    m, (unit, _), Z = n * d, UNITS[system], head.points(POINTS)
    exact = head.network(Z, BALL, source=Z)
    floats, by_distance = _in_floats(parts.network, Z, system), parts.distances(V, v, _rows(Z), R, system)
    small = head_for(0.5, n, d)
    literal = self_attention(small.values, small.centers, n, d, small.R, 1)(Z[:2], BALL)
    gap = distances(literal, small.network(Z[:2], BALL, source=Z[:2])).max()
    lost, kept = distances(floats, exact), distances(by_distance, exact)
    most, least = rounding_bound(V, 1, R, 1, unit), distance_bound(V, 1, P, R, 1, unit)
    name, size = f"the same, against B_0 R m D^2 u = {R * m * unit:.2g}", R * m * unit
    how: tuple[Any, int] = ("enclosed", POINTS)
    worst = int(lost.max(axis=(1, 2)).argmax())
    checks = [
        Check("BALL, 4 cells a side: literal network, without products with 0", gap, "<=", 1e-12, None, "enclosed", 2),
        Check.worst(f"literal, {system}: rounding", lost, "<=", most, _at(Z, floats), *how),
        Check(name, lost.max(), ">=", TYPICAL * size, _at(Z, floats)(worst), *how),
        Check.worst(f"by distances, {system}: rounding", kept, "<=", least, _at(Z, by_distance), *how),
        *_sharp(parts, Z),
        *_overflow(parts),
        *(_reached(parts.reached, parts.distances) if parts.reached is not None else []),
    ]
    return Certificate(checks, parameters={"system": system, "error": parts.error, "n": n, "d": d, "P": P, "R": R})


def _sharp(parts: Limits, Z: np.ndarray) -> list[Check]:
    """With R so large that scores have no digits left for ln T and ln E; as real numbers both are as good as before."""
    system, error, (n, d, _, _, V, v), *_ = parts
    R = 2**8 / (UNITS[system][0] * n * d)
    sharp = _in_floats(columns_that_matter(V, v, n, d, R, 1), Z, system)
    plain = parts.distances(V, v, _rows(Z), R, system)
    far, near = (np.abs(answers - np.sin(Z)) for answers in (sharp, plain))
    how: tuple[Any, int] = ("sampled", len(Z))
    k = int(far.max(axis=(1, 2)).argmax())
    return [
        Check(f"literal, {system}, R = {R:.2g}: error", far.max(), ">", error, _at(Z, sharp)(k), *how),
        Check.worst(f"by distances, {system}, R = {R:.2g}: error", near, "<=", error, _at(Z, plain), *how),
    ]


def _overflow(parts: Limits) -> list[Check]:
    """A corner of the box, with R below the one claim and above the other."""
    system, _, (n, d, _, _, V, v), *_ = parts
    corner, checks = np.ones((1, n * d)), []
    for R, wanted in ((0.999 * parts.overflow[0], 0), (1.001 * parts.overflow[1], 1)):
        got = without_a_shift(V, v, corner, R, system)
        off = np.abs(got - distance_form(V, v, corner, R, system)).max()
        is_lost = int(not off <= rounding_bound(V, 1, R, 1, UNITS[system][0]))
        name, witness = f"exp without a shift, {system}, R = {R:.4g}: answers lost", {"Z": corner[0], "answer": got[0]}
        checks.append(Check(name, is_lost, "==", wanted, witness))
    return checks


def _reached(errors: tuple[float, float], form: Form) -> list[Check]:
    """What float32 reaches with the P and R of an error, and of half of it."""
    checks = []
    for error, relation in zip(errors, ("<=", ">"), strict=True):
        head = head_for(error)
        Z = head.points(200)
        answers = _in_floats(head.network, Z, "float32")
        off = np.abs(answers - np.sin(Z))
        name, witness = f"literal, float32, made for {error:g}: error", _at(Z, answers)(int(off.argmax()))
        checks.append(Check(name, off.max(), relation, error, witness, "sampled", 200))
    answers = form(head.values, head.centers, _rows(Z), head.R, "float32")
    name, off = f"by distances, float32, made for {error:g}: error", np.abs(answers - np.sin(Z))
    return [*checks, Check.worst(name, off, "<=", error, _at(Z, answers), "sampled", 200)]


def _coarser(V: np.ndarray, v: np.ndarray, Z: np.ndarray, R: float, system: str) -> np.ndarray:
    """By distances to centres of half as many digits."""
    return distance_form(V, v.astype(np.float16 if system == "float32" else np.float32).astype(float), Z, R, system)


def _exchanged(parts: Limits, rng: np.random.Generator) -> Limits:
    n, d, _, R, V, v = parts.head
    return parts._replace(network=columns_that_matter(-V, v, n, d, R, 1))


@register(
    "liu2025:limits",
    "values that ride on scores lose what floats round at the size of the scores; scores by distances do not",
    source="not in the text: the head of section B.1 run in floats",
    chapter="liu-self-attention",
    construction=self_attention,
    certify=_certify,
    cases=[{"system": "float64"}, {"n": 2, "error": 0.2}, {"d": 2, "error": 0.1, "system": "float64"}],
    damages={
        "ln T and ln E exchanged": _exchanged,
        "twice the values": in_part("network", in_a_layer(scaled("w_v", 2))),
        "centres of half as many digits": put(distances=_coarser),
        "exp overflows later": mapped(overflow=lambda ends: (1.1 * ends[0], ends[1])),
        "exp overflows earlier": mapped(overflow=lambda ends: (ends[0], ends[1] / 1.1)),
        "float32 reaches more": mapped(reached=lambda ends: ends and (FAILS, FAILS / 2)),
        "float32 reaches less": mapped(reached=lambda ends: ends and (2 * PASSES, PASSES)),
    },
)
def limits(*, system: str = "float32", error: float = 0.01, n: int = 1, d: int = 1) -> Limits:
    """The head for sin, entry by entry, in floats beside the same in BALL; by distances; and exp without a shift.

    The first loses up to B_0 R m D^2 u times .01 to .3, and R grows like 1/error^2: no error below about u^(1/3) is
    reached. By distances the loss does not grow with R.
    """
    system = choice("system", system, tuple(SYSTEMS))
    n, d = whole("n", n, 1, MAX_DIM), whole("d", d, 1, MAX_DIM)
    head = head_for(error, n, d)
    if head.P < 4:
        raise refused("error", "one that takes at least 4 cells a side", error)
    limit = overflow_precision(1, head.P, n * d, UNITS[system][0])
    reached = (PASSES, FAILS) if system == "float32" and n == d == 1 and math.isclose(error, 0.01) else None
    return Limits(system, error, head, head.network, distance_form, limit, reached)
