"""Encodings that lift equivariant networks to all functions: Definition 1."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import FLOAT64
from uatlib.certificate import Check
from uatlib.checks import choice, refused, whole
from uatlib.cheng2025.certify_network import Network
from uatlib.cheng2025.network import build
from uatlib.groups import elements, generators
from uatlib.targets import Target, exact_values, running_mean

from ..damages import mapped, replaced, with_layer
from ..registry import register
from . import encodings

QUARTER_E = encodings.spread_encodings(2, 1, (0, Fraction(1, 4)), Fraction(1, 2))
GROUPS = ("symmetric", "dihedral", "cyclic")
MAX_SEQUENCES = 2_000


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
