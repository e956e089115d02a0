"""Kajitsuka, Sato (2024): ReLUs, one layer of softmax attention and ReLUs approximate functions; Proposition 1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, refused, whole
from uatlib.grids import repeated_share
from uatlib.kajitsuka2024.certify_network import Network
from uatlib.kajitsuka2024.network import build
from uatlib.kajitsuka2024.relu_steps import bump, penalty, quantizer
from uatlib.kajitsuka2024.two_layers import first_layer
from uatlib.targets import bump as target_bump

from ..damages import Damage, in_a_layer, in_part, replaced, scaled, with_layer
from ..registry import register
from .common import MAX_LENGTH, length

MAX_GRANULARITY = 10**6


def _printed_quantizer(built: Network, rng: np.random.Generator) -> Network:
    first = first_layer(built.shortcut.inverse_delta, built.target.d, built.width, printed=True)
    return replaced(built, model=with_layer(built.model, 0, first))


def _bumps(width: Fraction, height: Fraction) -> Damage:
    """The bumps of the last layer, narrower and higher by these factors; the last 2 d of its ReLUs are no bumps.

    For relu(R (z - c) + k) with k = -1, 0, 1 in turn: only R (z - c) grows.
    """

    def damaged(built: Network, rng: np.random.Generator) -> Network:
        weights = {name: w.copy() for name, w in built.model.layers[2].weights().items()}
        hats = slice(len(weights["b_1"]) - 2 * built.target.d)
        k = np.resize([-1, 0, 1], hats.stop)
        weights["w_1"][hats] *= width
        weights["b_1"][hats] = (weights["b_1"][hats] - k) * width + k
        weights["w_2"][:, hats] *= height
        return replaced(built, model=with_layer(built.model, 2, built.model.layers[2].with_weights(weights)))

    return damaged


def _formula_checks(inverse_delta: int, n: int, d: int) -> list[Check]:
    """(58)-(60), (64)-(70), as printed, at points where they are not what is claimed, or do not give it."""
    D = inverse_delta
    width, half, far = Fraction(1, 8 * D), Fraction(1, 2), Fraction(2)
    steps, away = quantizer(D, width, printed=True), penalty(width, printed=True)
    middles = [Fraction(2 * t + 1, 2 * D) for t in range(D)]
    wrong = [{"cell": t, "gets": steps(z)} for t, z in enumerate(middles) if steps(z) != Fraction(t + 1, D)]
    kept = [(z, away(z)) for z in (far, Fraction(-1)) if away(z) != -1]
    # A map of single tokens gives the first column of (1/2, 1/2) and of (1/2, 2) the same.
    there = penalty(width)(far)
    more = f"(1/2, 1/2), (1/2, 2): the first column gets {there} more; no map of single tokens does"
    outside = bump(0, 1, printed=True)(Fraction(10))
    # A printed bump around 1/2 adds up what all tokens give; with -2 in the middle it would, too.
    moved = [sum(bump(half, 2)(z) for z in row) for row in ((half, half), (half, far))]
    name = "(67): change of the answer to token 1"
    sums = f"a bump of scale 2 around 1/2, d = 1, times d n: {moved[0]} for (1/2, 1/2) and {moved[1]} for (1/2, 2)"
    bounds = "proof of (65): the bound of (64), dn/(4D), against 1/(4D)"
    # Penalties that add up to -m leave entries in [-m, 1 - m] and norms of at most m sqrt(d), to which (63) adds.
    highest = max(1 - m + Fraction(m, 4 * D) for m in range(1, d * n + 1))
    lowest = bump(half, 2, height=-1)(half)
    share = repeated_share(D, n, d)
    volume = share * D ** (d * n) * Fraction(1, D**d)
    by_volume = "before (70): share of the box with a token twice, by the volume D^-d of the text"
    true = f"their share of the box is {share}: a cell has the volume D^(-d n)"
    return [
        Check.none("(58): cells that do not get (t + 1)/D", wrong),
        Check("(59): of -1 and 2, those without the penalty -1", len(kept), "==", 0, dict(kept), cases=2),
        Check("(60): change of token 1 when token 2 goes from 1/2 to 2", abs(there), "==", 0, more),
        Check("(67): a bump of scale 1, at distance 10", outside, "==", 0, f"{outside} there; the middle takes -2"),
        Check(f"{name} when token 2 goes from 1/2 to 2", abs(moved[0] - moved[1]), "==", 0, sums),
        Check(bounds, Fraction(d * n, 4 * D), "<=", Fraction(1, 4 * D), "(65) does not follow from (64)"),
        Check("(65) from (63): the bound of an entry, against 1/(4D)", highest, "<=", Fraction(1, 4 * D)),
        Check("after (68): 0 <= F_2, where f(L) = -1, which (52) allows", lowest, ">=", 0, f"F_2 is {lowest} there"),
        Check(by_volume, volume, "==", share, true),
    ]


def _certify(built: Network) -> Certificate:
    made = built.certify()
    first = _formula_checks(**vars(built.grid)) if built.variant == "printed" else []
    return Certificate([*first, *made.checks], made.title, made.parameters)


@register(
    "kajitsuka2024:prop-1",
    "ReLUs, one layer of softmax attention and ReLUs approximate permutation equivariant functions",
    source="Proposition 1, section A.5",
    chapter="kajitsuka-universality",
    construction=build,
    certify=_certify,
    cases=[
        {"granularity": 5, "n": 3, "duplicates": "drop"},
        {"granularity": 3, "d": 2, "p": 2},
        {"granularity": 2, "n": 3},
    ],
    damages={
        "the quantizer as printed": _printed_quantizer,
        "more written by attention": in_part("model", in_a_layer(scaled("w_o", Fraction(9, 8)))),
        "bumps too wide": _bumps(Fraction(7, 32), Fraction(1)),
        "bumps too low": _bumps(Fraction(1), Fraction(7, 8)),
    },
    concerns="construction",
    erratum="""In (58) the sum runs over t = 0, ..., D - 1. In (59) the first bracket is subtracted, and so is the last
    term within the second (which does no harm). (60) adds the penalties of all tokens, which no feed-forward layer can:
    a token's own will do if it is large, since attention of a negative scale passes it on; then the network is 0
    outside the box. In (67) the middle takes -2, and bumps stand at the context ids, not at L, token by token. In the
    proof (65) does not follow from (64), but from (63), F_2 may be negative by (52), and a cell has the volume
    D^(-d n). (Cells of (54) overlap in a set of measure 0.)""",
)
def network(
    *,
    variant: Any = "repaired",
    granularity: int = 4,
    n: int = 2,
    d: int = 1,
    p: float = 1,
    duplicates: Any = "keep",
    scale: Any = "practical",
) -> Network:
    """The network for a bump, each term of its claim, and d_p; printed: each formula, then the network."""
    D, n, d = whole("granularity", granularity, 2, MAX_GRANULARITY), length(n), whole("d", d, 1, MAX_LENGTH)
    if choice("duplicates", duplicates, ("drop", "keep")) == "drop" and (D - 1) ** d < n:
        hint = f"with D = {D} and duplicates dropped the function is 0 at all corners that are left"
        raise refused("n", "n <= (D - 1)^d", n, hint)
    return build(target_bump(n, d), inverse_delta=D, p=p, duplicates=duplicates, scale=scale, variant=variant)
