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
from uatlib.liu2025.rounding import (
    UNITS,
    columns_that_matter,
    distance_bound,
    distance_form,
    overflow_precision,
    rounding_bound,
    without_a_shift,
)
from uatlib.liu2025.self_attention_layers import self_attention
from uatlib.liu2025.smoothing import grid_centers
from uatlib.model import Transformer

from ..damages import in_a_layer, in_part, scaled
from ..registry import register

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


def _worst(errors: np.ndarray, Z: np.ndarray, got: np.ndarray) -> tuple[Any, str]:
    """The largest error, and where it is."""
    k = int(np.argmax([float(e) for e in errors.reshape(len(Z), -1).max(axis=1)]))
    return errors.reshape(len(Z), -1)[k].max(), f"Z = {Z[k].tolist()}: {got[k].tolist()}"


def _certify(parts: Limits) -> Certificate:
    system, error, (n, d, P, R, V, v), *_ = parts
    head, m, (unit, _) = parts.head, n * d, UNITS[system]
    Z = head.points(POINTS)
    exact = head.network(Z, BALL, source=Z)
    floats, by_distance = _in_floats(parts.network, Z, system), parts.distances(V, v, _rows(Z), R, system)
    lost, where = _worst(distances(floats, exact), Z, floats)
    kept, there = _worst(distances(by_distance, exact), Z, by_distance)
    small = head_for(0.5, n, d)
    literal = self_attention(small.values, small.centers, n, d, small.R, 1)(Z[:2], BALL)
    gap = distances(literal, small.network(Z[:2], BALL, source=Z[:2])).max()
    size = R * m * unit
    checks = [
        Check("BALL, 4 cells a side: literal network, without products with 0", gap, "<=", 1e-12, None, "enclosed", 2),
        Check(f"literal, {system}: rounding", lost, "<=", rounding_bound(V, 1, R, 1, unit), where, "enclosed", POINTS),
        Check(f"the same, against B_0 R m D^2 u = {size:.2g}", lost, ">=", TYPICAL * size, where, "enclosed", POINTS),
        Check(
            f"by distances, {system}: rounding",
            kept,
            "<=",
            distance_bound(V, 1, P, R, 1, unit),
            there,
            "enclosed",
            POINTS,
        ),
        *_sharp(parts, Z),
        *_overflow(parts),
    ]
    if parts.reached is not None:
        checks += _reached(parts.reached, parts.distances)
    shown = {"system": system, "error": error, "n": n, "d": d, "P": P, "R": R}
    return Certificate(checks, parameters=shown)


def _sharp(parts: Limits, Z: np.ndarray) -> list[Check]:
    """With R so large that scores have no digits left for ln T and ln E; as real numbers both are as good as before."""
    system, error, (n, d, _, _, V, v), *_ = parts
    R = 2**8 / (UNITS[system][0] * n * d)
    sharp = _in_floats(columns_that_matter(V, v, n, d, R, 1), Z, system)
    plain = parts.distances(V, v, _rows(Z), R, system)
    (far, where), (near, there) = (_worst(np.abs(got - np.sin(Z)), Z, got) for got in (sharp, plain))
    return [
        Check(f"literal, {system}, R = {R:.2g}: error", far, ">", error, where, "sampled", len(Z)),
        Check(f"by distances, {system}, R = {R:.2g}: error", near, "<=", error, there, "sampled", len(Z)),
    ]


def _overflow(parts: Limits) -> list[Check]:
    """A corner of the box, with R below the one claim and above the other."""
    system, _, (n, d, _, _, V, v), *_ = parts
    corner, checks = np.ones((1, n * d)), []
    for R, wanted in ((0.999 * parts.overflow[0], 0), (1.001 * parts.overflow[1], 1)):
        got = without_a_shift(V, v, corner, R, system)
        off = np.abs(got - distance_form(V, v, corner, R, system)).max()
        told = f"Z = {corner[0].tolist()}: {got.ravel().tolist()}"
        is_lost = int(not off <= rounding_bound(V, 1, R, 1, UNITS[system][0]))
        checks.append(Check(f"exp without a shift, {system}, R = {R:.4g}: answers lost", is_lost, "==", wanted, told))
    return checks


def _reached(errors: tuple[float, float], form: Form) -> list[Check]:
    """What float32 reaches with the P and R of an error, and of half of it."""
    checks = []
    for error, relation in zip(errors, ("<=", ">"), strict=True):
        head = head_for(error)
        Z = head.points(200)
        got = _in_floats(head.network, Z, "float32")
        found, where = _worst(np.abs(got - np.sin(Z)), Z, got)
        checks.append(
            Check(f"literal, float32, made for {error:g}: error", found, relation, error, where, "sampled", 200)
        )
    got = form(head.values, head.centers, _rows(Z), head.R, "float32")
    found, where = _worst(np.abs(got - np.sin(Z)), Z, got)
    return [
        *checks,
        Check(f"by distances, float32, made for {error:g}: error", found, "<=", error, where, "sampled", 200),
    ]


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
        "centres of half as many digits": lambda parts, rng: parts._replace(distances=_coarser),
        "exp overflows later": lambda parts, rng: parts._replace(overflow=(1.1 * parts.overflow[0], parts.overflow[1])),
        "exp overflows earlier": lambda parts, rng: parts._replace(
            overflow=(parts.overflow[0], parts.overflow[1] / 1.1)
        ),
        "float32 reaches more": lambda parts, rng: parts.reached and parts._replace(reached=(FAILS, FAILS / 2)),
        "float32 reaches less": lambda parts, rng: parts.reached and parts._replace(reached=(2 * PASSES, PASSES)),
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
