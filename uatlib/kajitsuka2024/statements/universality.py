"""Kajitsuka, Sato (2024): ReLUs, one layer of softmax attention and ReLUs approximate functions; Proposition 1."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np

from ... import kajitsuka2024
from ...arithmetic.base import is_int, shown
from ...cells import repeated_share
from ...certificate import Certificate, Check, Construction
from ...layers import Attention, FeedForward
from ...model import Transformer
from ...registry import register_by_seed as register
from ...targets import bump

MAX_LENGTH = 64


def _build(granularity: int, n: int, d: int, p: float, duplicates: Any, scale: Any) -> Construction:
    for name, value, least in (("n", n, 2), ("d", d, 1)):
        if not is_int(value, least) or value > MAX_LENGTH:
            raise ValueError(
                f"kajitsuka2024:prop-1: expected {name} to be an int, {least} <= {name} <= {MAX_LENGTH}, got "
                f"{shown(value)}."
            )
    if duplicates == "drop" and is_int(granularity, 2) and (granularity - 1) ** d < n:
        raise ValueError(
            f"kajitsuka2024:prop-1: expected n <= (D - 1)^d with duplicates dropped, got D = {granularity}, n = {n}; "
            "the function is 0 at all corners that are left."
        )
    return kajitsuka2024.build(bump(n, d), granularity=granularity, p=p, duplicates=duplicates, scale=scale)


def _perturb_proposition_1(
    *,
    seed: int = 0,
    granularity: int = 4,
    n: int = 2,
    d: int = 1,
    p: float = 1,
    duplicates: Any = "keep",
    scale: Any = "practical",
) -> Certificate:
    """The printed quantizer, more of what attention hears, bumps that are too wide, or too low."""
    built = _build(granularity, n, d, p, duplicates, scale)
    first, attention, second = built.model.layers
    assert isinstance(attention, Attention)
    assert isinstance(second, FeedForward)
    rng = np.random.default_rng(seed)
    damage = seed % 4
    if damage == 0:
        first = kajitsuka2024.first_layer(granularity, d, built.parameters["width"], printed=True)
    elif damage == 1:
        weights = attention.weights()
        factor = 1 + Fraction(int(rng.integers(1, 9)), 8)
        attention = attention.with_weights({**weights, "head0.w_o": weights["head0.w_o"] * factor})
    else:
        factor = Fraction(int(rng.integers(1, 8)), 32 if damage == 2 else 8)
        hats = len(second.w_1) - 2 * d
        w_1, b_1, w_2 = second.w_1.copy(), second.b_1.copy(), second.w_2.copy()
        if damage == 3:
            w_2[:, :hats] *= factor
        else:
            # relu(R (z - c) + k) for k = -1, 0, 1 in turn: only R (z - c) shrinks.
            k = np.resize([-1, 0, 1], hats)
            w_1[:hats] *= factor
            b_1[:hats] = (b_1[:hats] - k) * factor + k
        second = FeedForward(w_1, b_1, w_2)
    return kajitsuka2024.certify(dataclasses.replace(built, model=Transformer([first, attention, second], n=n)))


def _formula_checks(D: int, n: int, d: int) -> list[Check]:
    """(58)-(60), (64)-(70), as printed, at points where they are not what is claimed, or do not give it."""
    width = Fraction(1, 8 * D)
    steps = kajitsuka2024.quantizer(D, width, printed=True)
    penalty = kajitsuka2024.penalty(width, printed=True)
    middles = [Fraction(2 * t + 1, 2 * D) for t in range(D)]
    wrong = [t for t, z in enumerate(middles) if steps(z) != Fraction(t + 1, D)]
    away = [(z, penalty(z)) for z in (Fraction(2), Fraction(-1)) if penalty(z) != -1]
    half, far = Fraction(1, 2), Fraction(2)
    # A map of single tokens gives the first column of (1/2, 1/2) and of (1/2, 2) the same.
    there = kajitsuka2024.penalty(width)(far)
    hat = kajitsuka2024.bump(0, 1, printed=True)
    outside = hat(Fraction(10))
    # A printed bump around 1/2 adds up what all tokens give; with -2 in the middle it would, too.
    moved = [sum(kajitsuka2024.bump(half, 2)(z) for z in row) for row in ((half, half), (half, far))]
    lowest = kajitsuka2024.bump(half, 2, height=-1)(half)
    share = repeated_share(D, n, d)
    volume = share * D ** (d * n) * Fraction(1, D**d)
    return [
        Check(
            "(58): cells that do not get (t + 1)/D", len(wrong), "==", 0, f"cell {wrong[0]} gets {steps(middles[0])}"
        ),
        Check("(59): of -1 and 2, those without the penalty -1", len(away), "==", 0, _shown(away), cases=2),
        Check(
            "(60): change of token 1 when token 2 goes from 1/2 to 2",
            abs(there),
            "==",
            0,
            f"{_shown([(half, half), (half, far)])}: the first column gets {there} more; no map of single tokens does",
        ),
        Check("(67): a bump of scale 1, at distance 10", outside, "==", 0, f"{outside} there; the middle takes -2"),
        Check(
            "(67): change of the answer to token 1 when token 2 goes from 1/2 to 2",
            abs(moved[0] - moved[1]),
            "==",
            0,
            f"a bump of scale 2 around 1/2, d = 1, times d n: {moved[0]} for (1/2, 1/2) and {moved[1]} for (1/2, 2)",
        ),
        Check(
            "proof of (65): the bound of (64), dn/(4D), against 1/(4D)",
            Fraction(d * n, 4 * D),
            "<=",
            Fraction(1, 4 * D),
            "(65) does not follow from (64)",
        ),
        Check("after (68): 0 <= F_2, where f(L) = -1, which (52) allows", lowest, ">=", 0, f"F_2 is {lowest} there"),
        Check(
            "before (70): share of the box with a token twice, by the volume D^-d of the text",
            volume,
            "==",
            share,
            f"their share of the box is {share}: a cell has the volume D^-(d n)",
        ),
    ]


def _shown(pairs: Any) -> str:
    return ", ".join(f"({a}, {b})" for a, b in pairs)


@register(
    "kajitsuka2024:prop-1",
    "ReLUs, one layer of softmax attention and ReLUs approximate permutation equivariant functions",
    source="Proposition 1, section A.5",
    chapter="kajitsuka-universality",
    perturb=_perturb_proposition_1,
    concerns="construction",
    erratum=(
        "In (58) the sum runs over t = 0, ..., D - 1. In (59) the first bracket is subtracted, and so is the last term "
        "within the second (which does no harm). (60) adds the penalties of all tokens, which no feed-forward layer "
        "can: a token's own will do if it is large, since attention of a negative scale passes it on; then the network "
        "is 0 outside the box. In (67) the middle takes -2, and bumps stand at the context ids, not at L, token by "
        "token. In the proof (65) does not follow from (64), F_2 may be negative by (52), and a cell has the volume "
        "D^-(d n). (Cells of (54) overlap in a set of measure 0.)"
    ),
)
def verify_proposition_1(
    *,
    variant: str = "repaired",
    granularity: int = 4,
    n: int = 2,
    d: int = 1,
    p: float = 1,
    duplicates: Any = "keep",
    scale: Any = "practical",
) -> Certificate:
    """The network for a bump, each term of its claim, and d_p; printed: each formula, then the network."""
    built = _build(granularity, n, d, p, duplicates, scale)
    if variant == "repaired":
        return kajitsuka2024.certify(built)
    printed = kajitsuka2024.build(
        bump(n, d), granularity=granularity, p=p, duplicates=duplicates, scale=scale, variant="printed"
    )
    certificate = kajitsuka2024.certify(printed)
    return Certificate(
        [*_formula_checks(granularity, n, d), *certificate.checks], certificate.title, certificate.parameters
    )
