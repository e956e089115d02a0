"""Cheng et al. (2025), section 4.3: Linformer and Skyformer; Lemma 3 and Corollary 3."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic.objects import distances
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, whole
from uatlib.checks import seed as parse_seed
from uatlib.cheng2025.named_kernels import kernel as kernel_of
from uatlib.kernels import RBF, Kernel
from uatlib.layers import Attention, Head
from uatlib.mixers import CyclicConvolution
from uatlib.model import Transformer

from ..damages import Damage, changed, edited, in_a_layer, in_part, scaled
from ..registry import register
from .mixing_terms import linformer, skyformer
from .told_apart import FINE, SAME, apart, gaps, numbers, sequences, symmetry


class Projected(NamedTuple):
    """One layer of Linformer, and sequences (count, d, n)."""

    model: Transformer
    X: np.ndarray


def _linformer(n: int, d: int, keys: int, kernel: Kernel, rng: np.random.Generator) -> Transformer:
    w_q, w_k, w_v = numbers(rng, 3, d, d)
    e, f = numbers(rng, 2, n, keys)
    head = Head(w_q, w_k, w_v, np.eye(d, dtype=int), w_e=e, w_f=f)
    return Transformer([Attention([head], kernel=kernel)])


def _certify_linformer(parts: Projected) -> Certificate:
    """Random weights on all sequences; and the step of the proof, all columns of F the r-th of the identity."""
    model, X = parts
    layer = model.attentions()[0]
    (head,), n = layer.heads, X.shape[-1]
    off = []
    for r in range(n):
        chosen = np.zeros_like(head.w_f)
        chosen[r] = 1
        out = Transformer([replace(layer, heads=[replace(head, w_f=chosen)])])(X, FINE)
        off.append(distances(out, X + head.w_o @ head.w_v @ X[..., r : r + 1]).max())
    name = "all columns of F are e_r: largest distance from X + W_V x_r"
    checks = [
        *gaps("random weights", model, X, [tuple(range(n))]),
        Check.worst(name, off, "<=", SAME, lambda r: {"r": r}, "enclosed", n * len(X)),
    ]
    return Certificate(checks, parameters={"n": n, "d": X.shape[1], "keys": head.w_f.shape[1]})


def _unseen(layer: object) -> Any:
    """E and F have a row of zeros for the last token."""

    def cut(w: np.ndarray) -> np.ndarray:
        return np.vstack([w[:-1], 0 * w[-1:]])

    return changed(("w_e", "w_f"), cut)(layer)


@edited("X")
def _repeated(X: np.ndarray, parts: object, rng: np.random.Generator) -> None:
    """The first sequence has its first token twice."""
    X[0, :, 1] = X[0, :, 0]


ONES = in_a_layer(changed("w_f", lambda w: np.ones_like(w)))
LINFORMER: dict[str, Damage] = {
    "F counts all tokens alike": in_part("model", ONES),
    "E and F do not see the last token": in_part("model", in_a_layer(_unseen)),
    "W_V is 0": in_part("model", in_a_layer(scaled("w_v", 0))),
    "a token twice in a sequence": _repeated,
}


def _projected(n: object, d: object, keys: object, seed: object, kernel: str) -> Projected:
    n, d = whole("n", n, 2, 6), whole("d", d, 1, 6)
    keys, rng = whole("keys", keys, 1, n), np.random.default_rng(parse_seed(seed))
    return Projected(_linformer(n, d, keys, kernel_of(kernel), rng), sequences(n, d, rng))


@register(
    "cheng2025:lem-3",
    "one layer of Linformer tells the tokens of any two sequences apart, and of one, in every order",
    source="Lemma 3, section C.4.1",
    chapter="cheng-other-mixers",
    construction=linformer,
    certify=_certify_linformer,
    cases=[{"keys": 1}, {"n": 4, "keys": 4, "d": 1}, {"n": 5, "d": 3, "seed": 1}],
    damages=LINFORMER,
)
def lemma_3(*, n: int = 3, d: int = 2, keys: int = 2, seed: int = 0) -> Projected:
    """Linformer with random weights, on sequences in all orders, with changed tokens, and on pairs that fool others."""
    return _projected(n, d, keys, seed, "exp")


KERNELS = ("exp", "rbf", "constant", "elu", "laplace", "cauchy", "cosh")


@register(
    "cheng2025:kernel-linformer",
    "one layer of Linformer with another kernel for softmax does so too, be it one without the limit condition",
    source="section C.4.1, last paragraph",
    chapter="cheng-other-mixers",
    construction=linformer,
    certify=_certify_linformer,
    cases=[{"kernel": name} for name in KERNELS if name != "rbf"],
    damages=LINFORMER,
)
def kernel_linformer(*, kernel: str = "rbf", n: int = 3, d: int = 2, keys: int = 2, seed: int = 0) -> Projected:
    """The same with a kernel by name; those without parameters."""
    return _projected(n, d, keys, seed, choice("kernel", kernel, KERNELS))


class Both(NamedTuple):
    """A layer of Linformer, one of Skyformer, sequences, and which of their tokens are compared under S_n."""

    linformer: Transformer
    skyformer: Transformer
    X: np.ndarray
    counted: np.ndarray


def _certify_both(parts: Both) -> list[Check]:
    X, n = parts.X, parts.X.shape[-1]
    turns = [(1, 0, *range(2, n)), (*range(1, n), 0)]
    return [
        *gaps("Linformer", parts.linformer, X, [tuple(range(n))]),
        *gaps("Skyformer, up to order", parts.skyformer, X, None, parts.counted),
        symmetry("Skyformer", parts.skyformer, X[:2], turns),
    ]


def _with_cosh(layer: Any) -> Any:
    return replace(layer, kernel=kernel_of("cosh"))


@register(
    "cheng2025:cor-3",
    "Linformer tells all sequences apart, Skyformer all up to order, at tokens other than 0",
    source="Corollary 3, sections 4.3 and C.4.2",
    chapter="cheng-other-mixers",
    construction=skyformer,
    certify=_certify_both,
    cases=[{"n": 4, "d": 1}, {"n": 5, "d": 3, "seed": 1}],
    damages={
        "keys are all 0": in_part("skyformer", in_a_layer(scaled("w_k", 0))),
        "queries are all 0": in_part("skyformer", in_a_layer(scaled("w_q", 0))),
        "values are all 0": in_part("skyformer", in_a_layer(scaled("w_v", 0))),
        "cosh in place of the Gaussian": in_part("skyformer", in_a_layer(_with_cosh)),
        "F counts all tokens alike": in_part("linformer", ONES),
        "a token hears who comes next": in_part(
            "skyformer", lambda model, rng: Transformer([CyclicConvolution([0, Fraction(1, 8)]), *model.layers])
        ),
    },
    concerns="proof",
    erratum="""The proof verifies Definition 3 for Skyformer with the argument for the RBF kernel, which needs tokens
    other than 0. The sequences (0, u, -u) and (0, v, -v), with the same tokens behind, are in general position, and the
    token 0 has the same output in both for all weights: its query is 0, so u and -u weigh alike and cancel. A token
    that is not 0 has no such twin, whatever stands beside it. The universal approximation property holds, since
    the step functions of Theorem 1 can be placed on a grid without zero tokens. (Linformer's Lemma 3 is proved by
    Lemma 1, which has no zero tokens either, but there is a proof without it. (77) and (81) have X within Atten, to
    which (1) adds it once more, so that no weights give the zero map; (19) and (20) have not.)""",
)
def corollary_3(*, variant: str = "repaired", n: int = 3, d: int = 2, seed: int = 0) -> Both:
    """Random weights, with a pair of sequences that hold 0 among the others; printed: the token 0 counts as well."""
    n, d, rng = whole("n", n, 3, 6), whole("d", d, 1, 6), np.random.default_rng(parse_seed(seed))
    w_q, w_k, w_v = numbers(rng, 3, d, d)
    layer = Attention([Head(w_q, w_k, w_v, np.eye(d, dtype=int))], "none", kernel=RBF(Fraction(1, 2)))
    X = sequences(n, d, rng)
    X = np.concatenate([X, zero_pair(X[0], *apart(rng, d))])
    counted = (X != 0).any(axis=1) if variant == "repaired" else np.ones(X[:, 0].shape, dtype=bool)
    return Both(_linformer(n, d, 2, kernel_of("exp"), rng), Transformer([layer]), X, counted)


def zero_pair(x: np.ndarray, u: Any, v: Any) -> np.ndarray:
    """(0, u, -u, ...) and (0, v, -v, ...) with the other tokens of x, shape (2, d, n)."""
    pair = np.array([x, x])
    pair[:, :, 0] = 0
    pair[0, :, 1:3], pair[1, :, 1:3] = np.transpose([u, -u]), np.transpose([v, -v])
    return pair
