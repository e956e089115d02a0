"""The network of Theorem 1, built for functions with several symmetries."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from uatlib import targets
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, whole
from uatlib.cheng2025.certify_network import Network
from uatlib.cheng2025.connectivity import connectivity_depth
from uatlib.cheng2025.named_kernels import kernel as kernel_named
from uatlib.cheng2025.named_patterns import pattern
from uatlib.cheng2025.network import Unresolved, build

from ..damages import (
    changed,
    hardened,
    in_a_layer,
    in_part,
    scaled,
    shifted,
    without_a_layer,
)
from ..registry import register
from .interpolation import CHAPTER, KERNELS, MAX_LENGTH, at

# ---------------------------------------------------------------------------------------------------------- the network


def _beside(X: Any) -> Any:
    """f(X)_k = x_k times the mean of its two neighbours on a ring."""
    n = X.shape[-1]
    return X * (X[..., [*range(1, n), 0]] + X[..., [n - 1, *range(n - 1)]]) / 2


def _target(group: str, n: int, d: int) -> targets.Target:
    if group == "dihedral":
        return targets.Target(_beside, n, d, group=group, lipschitz=2, bound=1, name="neighbours")
    return (targets.cyclic_difference if group == "cyclic" else targets.mean_product)(n, d)


def _patterns(group: str, n: int) -> Any:
    if group == "symmetric":
        return None
    ring = pattern("circulant" if group == "dihedral" else "directed", n, window=1)
    return [ring] * ((connectivity_depth([ring] * n) or n) + 1)


def _certify_build(built: Network) -> Certificate:
    return built.certify(literal=6, samples=2000)


def _built(variant: Any, inverse_delta: Any, n: Any, d: Any, kernel: Any, group: Any, duplicates: Any) -> Network:
    choice("group", group, ("symmetric", "dihedral", "cyclic"))
    n, d = whole("n", n, 2, MAX_LENGTH), whole("d", d, 1, MAX_LENGTH)
    chosen, target = kernel_named(choice("kernel", kernel, KERNELS)), _target(group, n, d)
    options = {"kernel": chosen, "patterns": _patterns(group, n), "duplicates": duplicates, "variant": variant}
    return build(target, inverse_delta=inverse_delta, **options)


def _corners(*, inverse_delta: int, n: int, d: int, kernel: str, group: str, duplicates: str) -> Certificate:
    """The network on the corners of (32)."""
    try:
        return _certify_build(_built("printed", inverse_delta, n, d, kernel, group, duplicates))
    except Unresolved as refusal:
        name = "least distance of two tokens after attention, at best of 8 draws"
        parameters = {"inverse_delta": inverse_delta, "n": n, "d": d, "kernel": kernel, "group": group}
        return Certificate([Check(name, refusal.separation, ">", 2.0**-40, refusal.pair)], parameters=parameters)


def _next_bump(w: np.ndarray) -> np.ndarray:
    """Each bump has the height of the one before; the last 2 d units are no bumps."""
    bumps = w.shape[1] - 2 * len(w)
    new = w.copy()
    new[:, :bumps] = np.roll(w[:, :bumps], 4, axis=1)
    return new


@register(
    "cheng2025:build",
    "the network of Theorem 1: rounding, attention with random weights, and a memory, with its error in d_p",
    source="Theorem 1, section B.1; Corollaries 1, 2 and 4",
    chapter=CHAPTER,
    construction=build,
    certify=_certify_build,
    cases=[
        {"inverse_delta": 3, "n": 2, "d": 2, "kernel": "rbf"},
        {"inverse_delta": 4, "n": 4, "group": "dihedral"},
        {"inverse_delta": 4, "n": 4, "group": "cyclic", "kernel": "cauchy"},
    ],
    damages={
        "a layer left out": in_part("model", without_a_layer),
        "attention that hears more": in_part("model", in_a_layer(scaled("w_v", Fraction(9, 8)))),
        "hardmax": in_part("model", in_a_layer(hardened)),
        "bumps of others": at(-1, changed("w_2", _next_bump)),
        "bumps too high": at(-1, scaled("w_2", Fraction(9, 8))),
        "steps elsewhere": at(0, shifted("b_1", Fraction(1, 50))),
    },
    printed=_corners,
    concerns="proof",
    erratum="""Corollary 1 is said to follow by the same argument as Theorem 1, whose grid (32) has its tokens at the
    corners of cells, 0 among them. That will do for Theorem 1, where all tokens are told apart. In Corollary 1 tokens
    that are 0 are not: 0 gives softmax no scores, hears the mean, and is the same in (0, u, v) and (0, u', v') wherever
    u + v = u' + v'. With the centres of cells no token of the unit box is 0. (In the proof of Theorem 1 step 2 applies
    Proposition 1, not 3; the exponent in (39) is d/p; (42) and (43) bound one difference, that of F-bar o H and
    F-bar o h.)""",
)
def network(
    *,
    inverse_delta: int = 5,
    n: int = 3,
    d: int = 1,
    kernel: str = "exp",
    group: str = "symmetric",
    duplicates: object = "drop",
) -> Network:
    """The network for a function with just the symmetry of the group; printed: with corners as tokens."""
    return _built("repaired", inverse_delta, n, d, kernel, group, duplicates)
