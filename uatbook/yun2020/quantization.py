"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Claim 1 and Lemmas 4 and 7."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import BALL, EXACT, Arithmetic, distances
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, exponent, room, whole
from uatlib.grids import Grid, step_function
from uatlib.layers import Attention, FeedForward, Head
from uatlib.metrics import distance_on_cells
from uatlib.model import Transformer
from uatlib.targets import Target, bump, entrywise_norm, mean_product
from uatlib.yun2020.quantizer_layers import Variant, quantizer

from ..damages import in_a_layer, in_part, mapped, scaled
from ..registry import register
from .common import OnGrid, exact_sequences, grid_of, require_few, require_literal, shifted_by_steps

# ----------------------------------------------------------------------------------------------------------- claim 1


MAX_PERMUTED = 7
MAX_ENTRIES = 10_000_000


class Blocks(NamedTuple):
    """Blocks, each with the number system that runs it and the bound on what it may lose there; and sequences."""

    blocks: list[tuple[Transformer, Arithmetic, Any]]
    X: np.ndarray
    encodings: np.ndarray


def _random_block(rng: np.random.Generator, d: int, normalization: str) -> Transformer:
    """A block with two heads of size 2 and three hidden units, with small random rational weights."""

    def weights(*shape: int) -> np.ndarray:
        return exact_sequences(rng.integers(-8, 9, shape), 4)

    def head() -> Head:
        return Head(weights(2, d), weights(2, d), weights(2, d), weights(d, 2), b_q=weights(2), b_k=weights(2))

    attention = Attention([head(), head()], normalization)
    return Transformer([attention, FeedForward(weights(3, d), weights(3), weights(d, 3), weights(d))])


def _certify_equivariance(parts: Blocks) -> list[Check]:
    X, E = parts.X, parts.encodings
    permutations = list(itertools.permutations(range(X.shape[2])))
    checks = []
    for block, system, bound in parts.blocks:
        fX = block(X + E, system)
        gaps = np.array([distances(block(X[..., P] + E, system), fX[..., P]).max(axis=(-2, -1)) for P in permutations])
        name = f"|f(XP) - f(X)P|, {'hardmax' if system is EXACT else 'softmax'} block in {system.name}"
        checks.append(Check.worst(name, gaps, "<=", bound, lambda p, k: {"X": X[k], "P": permutations[p]}, "sampled"))
    return checks


@register(
    "yun2020:claim-1",
    "a transformer block is permutation equivariant",
    source="Claim 1, section B",
    chapter="ground",
    construction=Transformer,
    certify=_certify_equivariance,
    cases=[{"n": 2, "d": 1}, {"n": 4, "d": 3, "samples": 2}],
    damages={"tokens are told their positions": mapped(encodings=lambda E: np.arange(1, len(E) + 1, dtype=object))},
)
def claim_1(*, n: int = 3, d: int = 2, samples: int = 5) -> Blocks:
    """f(X P) = f(X) P for random blocks, random X and all n! permutations; exact, and enclosed for softmax."""
    id = "yun2020:claim-1"
    n = whole("n", n, 2, MAX_PERMUTED, "one token has nothing to permute with, and all n! permutations are tried")
    d, samples = whole("d", d, 1), whole("samples", samples, 1)
    require_few(id, "exact entries that the blocks would compute", samples * math.factorial(n) * d * n, MAX_ENTRIES)
    rng = np.random.default_rng(0)
    X = exact_sequences(rng.integers(-9, 10, (samples, d, n)), 3)
    hard, soft = _random_block(rng, d, "hardmax"), _random_block(rng, d, "softmax")
    return Blocks([(hard, EXACT, 0), (soft, BALL, Fraction(1, 2**64))], X, np.zeros(n, dtype=object))


# ----------------------------------------------------------------------------------------------------------- lemma 4

TARGETS: dict[str, Callable[[int, int], Target]] = {"mean_product": mean_product, "bump": bump}
SAMPLES = 20_000


class Steps(NamedTuple):
    """A function, a step function for it, and points at which the two are compared, beside those of the grid."""

    target: Target
    f_bar: Callable[[np.ndarray], np.ndarray]
    grid: Grid
    p: float
    points: np.ndarray


def _certify_step_function(parts: Steps) -> Certificate:
    target, f_bar, grid, p, points = parts
    # |A|_p <= (dn)^(1/p) |A|_inf turns a sup-norm modulus into one for the p-norm.
    factor = (grid.d * grid.n) ** (1 / p) if target.norm == math.inf else 1.0
    bound = factor * target.modulus(1 / grid.inverse_delta / 2)
    centres = (grid.sequences(0, 4096).double().numpy() + 0.5) * (1 / grid.inverse_delta)
    X = np.concatenate([centres, points])
    values = f_bar(X)
    gap = entrywise_norm(target(X) - values, p)
    options: dict[str, Any] = {"target": target, "inverse_delta": grid.inverse_delta, "p": p}
    checks = [
        Check.worst(f"sup |f - f-bar|_{p:g}", gap, "<=", bound, lambda k: {"X": X[k]}, "sampled"),
        distance_on_cells(f"d_{p:g}(f, f-bar)", target, f_bar, bound, **options, samples=50_000, seed=0),
    ]
    rounding = 1e-12 * (1 + float(np.abs(values).max()))
    for P in target.generators():
        gaps = np.abs(f_bar(X[..., list(P)]) - values[..., list(P)]).max(axis=(-2, -1))
        name = f"|f-bar(XP) - f-bar(X)P|, P = {P}"
        checks.append(Check.worst(name, gaps, "<=", rounding, lambda k: {"X": X[k]}, "sampled"))
    return Certificate(checks, parameters={**vars(grid), "p": p, "target": target.name})


def _another_value(parts: Steps, rng: np.random.Generator) -> Steps:
    """A cell gets another value; its centre is among the points, so that no sampling can miss it."""
    N = parts.grid.inverse_delta
    cell = rng.integers(N, size=(parts.grid.d, parts.grid.n))
    jump = 10 * (1 + parts.target.modulus(1.0))

    def damaged(X: np.ndarray) -> np.ndarray:
        hit = (np.floor(X * N) == cell).all(axis=(-2, -1), keepdims=True)
        return parts.f_bar(X) + np.where(hit, jump, 0.0)

    return parts._replace(f_bar=damaged, points=np.concatenate([parts.points, [(cell + 0.5) / N]]))


@register(
    "yun2020:lem-4",
    "continuous functions are near step functions",
    source="Lemma 4, section D",
    chapter="yun-quantization",
    construction=step_function,
    certify=_certify_step_function,
    cases=[{"inverse_delta": 2, "n": 3, "d": 1, "p": 1}, {"inverse_delta": 5, "n": 2, "d": 2, "target": "bump"}],
    damages={"a cell has another value": _another_value},
)
def lemma_4(*, inverse_delta: int = 4, n: int = 2, d: int = 1, p: float = 2, target: str | Target = "bump") -> Steps:
    """The step function stays within the modulus of f at delta/2 and keeps the symmetry of f."""
    id = "yun2020:lem-4"
    n, d = (target.n, target.d) if isinstance(target, Target) else (n, d)
    N = whole("inverse_delta", inverse_delta, 2, 2**53, "floats tell no more cells apart")
    grid = grid_of(id, N, n, d, least=1)
    room(id, 5 * SAMPLES, grid.d, grid.n)  # with what is computed from them
    if not isinstance(target, Target):
        name = choice("target", target, tuple(TARGETS), "or give a Target")
        target = TARGETS[name](grid.n, grid.d)
    points = np.random.default_rng(0).uniform(0, 1, (SAMPLES, grid.d, grid.n))
    return Steps(target, step_function(target, inverse_delta=N), grid, exponent("p", p, sup=False), points)


# ----------------------------------------------------------------------------------------------------------- lemma 7


def quantization_points(inverse_delta: int) -> list[Fraction]:
    """Numbers where a quantizer can go wrong: every cell edge, a little beside it, inside cells, far outside."""
    N = inverse_delta
    tiny = Fraction(1, 10**6 * N)
    edges = [Fraction(k, N) + shift for k in range(N + 1) for shift in (-tiny, 0, tiny)]
    inner = [Fraction(k, N) + Fraction(j, 7 * N) for k in range(N) for j in range(1, 7)]
    far = [Fraction(sign * 10**power) for sign in (-1, 1) for power in (1, 30)]
    return edges + inner + [Fraction(3, 2), Fraction(-1, 3), *far]


def _quantized(t: Fraction, N: int, sentinel: Fraction) -> Fraction:
    """The left end of the cell that t is in, or the sentinel."""
    for k in range(N):
        if k * t.denominator <= N * t.numerator < (k + 1) * t.denominator:
            return Fraction(k, N)
    return sentinel


def _certify_quantizer(parts: OnGrid) -> list[Check]:
    grid, model = parts
    N, n, d = grid.inverse_delta, grid.n, grid.d
    points = quantization_points(N)
    # Every number stands once in every entry.
    X = np.array([points[k:] + points[:k] for k in range(d * n)], dtype=object).T.reshape(-1, d, n)
    quantized = {t: _quantized(t, N, Fraction(grid.sentinel)) for t in points}
    pairs = zip(X.flat, model(X, EXACT).flat, strict=True)
    wrong = [{"t": t, "got": got, "expected": quantized[t]} for t, got in pairs if got != quantized[t]]
    wrong.sort(key=lambda witness: len(str(witness["t"])))
    widths = max(layer.w_1.shape[0] for layer in model.layers if isinstance(layer, FeedForward))
    return [
        Check.none("entries that differ from the scalar map", wrong, None, "sampled", X.size),
        Check("feed-forward layers, d/delta + d", model.depth, "==", d * (N + 1)),
        Check("hidden units r", widths, "==", 1),
    ]


@register(
    "yun2020:lem-7",
    "feed-forward layers quantize",
    source="Lemma 7, section E.2",
    chapter="yun-quantization",
    construction=quantizer,
    certify=_certify_quantizer,
    cases=[{"inverse_delta": 2, "n": 2, "d": 1}, {"inverse_delta": 7, "n": 1, "d": 3}],
    damages={
        "a layer writes nothing": in_part("model", in_a_layer(scaled("w_2", 0))),
        "a layer reads half a step too far": shifted_by_steps("b_1", Fraction(1, 2)),
        "a layer writes half": in_part("model", in_a_layer(scaled("w_2", Fraction(1, 2)))),
    },
    concerns="construction",
    erratum="""In the layers of the proof k runs over 0, delta, ..., 1 - delta while the bias is k delta, which sends
    1/2 to 1/4 at N = 2. Let k run over 0, ..., 1/delta - 1. (And entries equal to 1 become the sentinel too: the box is
    [0, 1).)""",
)
def lemma_7(*, variant: Variant = "repaired", inverse_delta: int = 3, n: int = 2, d: int = 1) -> OnGrid:
    """The literal layers, run in EXACT, against the scalar map written as a loop over cells; and their number."""
    grid = grid_of("yun2020:lem-7", inverse_delta, n, d, least=1)
    work = len(quantization_points(2)) * grid.inverse_delta**2 * grid.d**2 * grid.n
    require_literal("yun2020:lem-7", work, MAX_ENTRIES)
    return OnGrid(grid, quantizer(inverse_delta=inverse_delta, n=n, d=d, variant=variant))
