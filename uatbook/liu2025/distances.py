"""Liu et al. (2025), (B.21) and (B.46): how far apart near and far centres are, and in which norm."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.certificate import Check
from uatlib.checks import whole
from uatlib.liu2025 import smoother

from ..damages import edited, mapped
from ..registry import register

PARTS, DELTA = 16, 34
"""Places are whole numbers, in units of 1/(16 P) with D = 1: cells are 32 long, and delta = 34, as P > 2D/delta."""
EPS, SUP = Fraction(1, 2), 1
MAX_CENTERS, SAMPLES = 4096, 100


class Parted(NamedTuple):
    """Centres by their places on each of m axes, the smoother's R and, by centre, what it averages: unit vectors."""

    cells: int
    m: int
    axis: np.ndarray
    precision: float
    values: np.ndarray
    euclidean: bool = False


def _precision(G: int, P: int) -> float:
    """R = 8 ln(6 B_0 G/eps)/(3 delta^2)."""
    return 8 * math.log(6 * SUP * G / EPS) / (3 * (DELTA / (PARTS * P)) ** 2)


def _certify(parts: Parted) -> list[Check]:
    P, m = parts.cells, parts.m
    v = np.array(list(itertools.product(parts.axis.tolist(), repeat=m)))
    ends = np.arange(-PARTS * P, PARTS * P + 1)  # where anything turns on an axis is among these
    scattered = np.random.default_rng(0).integers(-PARTS * P, PARTS * P + 1, (SAMPLES, m))
    Z = np.concatenate([np.tile(ends[:, None], m), scattered])
    steps = (Z[:, None] - v) ** 2
    squares = steps.sum(axis=2)
    own, rows = squares.argmin(axis=1), np.arange(len(Z))
    lengths, norm = (squares, "Euclidean") if parts.euclidean else (steps.max(axis=2), "sup")
    far = lengths > DELTA**2
    far[rows, own] = False  # j_m is on its own
    near = lengths[rows, own]
    apart = np.where(far, squares - squares[rows, own][:, None], np.iinfo(squares.dtype).max)
    w = smoother(Z[:, :, None] / (PARTS * P), v / (PARTS * P), parts.values, parts.precision)[:, 0]
    ratio = np.where(far, w, 0).max(axis=1) / np.maximum(w[rows, own], np.finfo(float).tiny)
    added = 2 * SUP * np.where(far, w, 0).sum(axis=1)

    def at(k: int) -> dict[str, Any]:
        return {"Z": [Fraction(int(z), PARTS * P) for z in Z[k]]}

    share = float(EPS / (6 * SUP * P**m)) * (1 + 1e-9)
    here = f"(B.21): |v_m - Z|^2, v_m the nearest, in the {norm} norm, over (delta/2)^2"
    there = f"least |v_j - Z|_2^2 - |v_m - Z|_2^2, v_j beyond delta in the {norm} norm, over 3 delta^2/4"
    how: Any = "sampled" if parts.euclidean else "exhaustive"
    least = apart.min(axis=1).astype(object) * Fraction(4, 3 * DELTA**2)
    return [
        Check.worst(here, near.astype(object) * Fraction(4, DELTA**2), "<=", 1, at, cases=len(ends)),
        Check.worst(there, least, ">", 1, at, how, len(ends)),
        Check.worst("such a centre's weight, over that of the nearest", ratio, "<=", share, at, "sampled"),
        Check.worst("(B.21): what they add", added, "<=", float(EPS / 3), at, "sampled"),
    ]


@edited("axis")
def _moved(axis: np.ndarray, parts: Parted, rng: np.random.Generator) -> None:
    """The first place two thirds of a cell on."""
    axis[0] += 21


@register(
    "liu2025:eq-b21",
    "a centre beyond delta in the sup norm has less than exp(-3 R delta^2/8) times the weight of the nearest",
    source="(B.21), section B.1, and (B.46), section B.3",
    chapter="liu-self-attention",
    construction=smoother,
    certify=_certify,
    cases=[{"cells": 5, "n": 1}, {"cells": 4, "n": 2}, {"cells": 3, "n": 2, "d": 2}],
    damages={
        "centres as printed": mapped(axis=lambda axis: axis - PARTS),
        "a centre moved": _moved,
        "R too small by 4": mapped(precision=lambda R: R / 4),
        "weights of the centre before": mapped(values=lambda V: np.roll(V, 1, axis=0)),
    },
    concerns="proof",
    erratum="""The line takes |v_m - Z|_2^2 <= (delta/2)^2 for the nearest centre v_m, but what was shown is that no
    entry of v_m - Z exceeds delta/2. At a corner of a cell the square is dn (D/P)^2: with P > 2D/delta it may exceed
    (delta/2)^2 from dn = 2 on, comes as near to delta^2 as you like for dn = 4, and may exceed it from dn = 5 on, where
    all centres around the corner are then beyond delta in the Euclidean norm and weigh the same. In the sup norm it
    holds: the one entry that exceeds delta makes a difference of at least delta^2 - (delta/2)^2, the others none below
    0. The same line is (B.46), for pairs.""",
)
def far_centres(*, variant: str = "repaired", cells: int = 3, n: int = 5, d: int = 1) -> Parted:
    """The centres of P^dn cells with delta = 17/8 D/P; printed: near and far in the Euclidean norm."""
    P, n, d = whole("cells", cells, 2, 64), whole("n", n, 1, 8), whole("d", d, 1, 8)
    G = whole("cells^(n d)", P ** (n * d), 2, MAX_CENTERS)
    axis = PARTS * (2 * np.arange(P) + 1 - P)
    values = np.eye(G)[:, None]
    return Parted(P, n * d, axis, _precision(G, P), values, variant == "printed")
