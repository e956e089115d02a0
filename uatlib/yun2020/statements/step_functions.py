"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Claim 1 and Lemmas 4 and 7."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ...arithmetic import BALL, EXACT
from ...arithmetic.base import is_int
from ...cells import distance_on_cells
from ...certificate import Certificate, Check
from ...grids import Grid, step_function
from ...layers import Attention, FeedForward, Head
from ...model import Transformer
from ...registry import register_by_seed as register
from ...targets import Target, bump, entrywise_norm, mean_product, require_ints, require_room
from .._quantizer import quantizer

# ----------------------------------------------------------------------------------------------------------- claim 1


MAX_PERMUTED = 7
MAX_ENTRIES = 20_000_000


def _random_block(rng: np.random.Generator, d: int, normalization: str) -> Transformer:
    """A block with two heads of size 2 and three hidden units, with small random rational weights."""

    def weights(*shape: int) -> np.ndarray:
        return np.asarray(np.frompyfunc(lambda k: Fraction(int(k), 4), 1, 1)(rng.integers(-8, 9, shape)))

    heads = [
        Head(weights(2, d), weights(2, d), weights(2, d), weights(d, 2), b_q=weights(2), b_k=weights(2))
        for _ in range(2)
    ]
    return Transformer(
        [Attention(heads, normalization), FeedForward(weights(3, d), weights(3), weights(d, 3), weights(d))]
    )


def _certify_equivariance(n: int, d: int, samples: int, seed: int, encodings: np.ndarray) -> Certificate:
    rng = np.random.default_rng(seed)
    X = np.frompyfunc(lambda k: Fraction(int(k), 3), 1, 1)(rng.integers(-9, 10, (samples, d, n)))
    permutations = list(itertools.permutations(range(n)))
    checks = []
    for normalization, system, bound in (("hardmax", EXACT, 0), ("softmax", BALL, Fraction(1, 2**64))):
        block = _random_block(rng, d, normalization)
        fX = block(X + encodings, system)
        worst, witness = Fraction(-1), None
        for permutation in permutations:
            gaps = _gaps(block(X[..., permutation] + encodings, system), fX[..., permutation])
            k = int(np.argmax(gaps))
            if gaps[k] > worst:
                worst, witness = gaps[k], (X[k].tolist(), permutation)
        checks.append(
            Check(
                f"|f(XP) - f(X)P|, {normalization} block in {system.name}",
                worst,
                "<=",
                bound,
                witness if worst > bound else None,
                "sampled",
                samples * len(permutations),
            )
        )
    return Certificate(checks, parameters={"n": n, "d": d, "samples": samples})


def _gaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """For each sequence an upper bound on the largest |a_ij - b_ij| (its value, where the entries are exact)."""

    def gap(x: Any, y: Any) -> Any:
        if isinstance(x, Fraction):
            return abs(x - y)
        return max(x.upper - y.lower, y.upper - x.lower)

    return np.asarray(np.frompyfunc(gap, 2, 1)(a, b).reshape(len(a), -1).max(axis=1))


def _require_tokens(n: int, d: int, samples: int) -> None:
    require_ints("yun2020:claim-1", 1, d=d, samples=samples)
    if not is_int(n, 2) or n > MAX_PERMUTED:
        raise ValueError(
            "yun2020:claim-1: expected n to be an int from 2 (one token has nothing to permute with) to "
            f"{MAX_PERMUTED} (all n! permutations are tried), got {n!r}."
        )


def _perturb_claim_1(*, seed: int = 0, n: int = 3, d: int = 2, samples: int = 5) -> Certificate:
    """Position j gets the encoding (j + 1)(seed + 1) before the block: the tokens are no longer treated alike."""
    _require_tokens(n, d, samples)
    return _certify_equivariance(n, d, samples, seed, np.arange(1, n + 1, dtype=object) * (seed + 1))


@register(
    "yun2020:claim-1",
    "a transformer block is permutation equivariant",
    source="Claim 1, section B",
    chapter="ground",
    perturb=_perturb_claim_1,
)
def verify_claim_1(*, n: int = 3, d: int = 2, samples: int = 5) -> Certificate:
    """f(X P) = f(X) P for random blocks, random X and all n! permutations; exact, and enclosed for softmax."""
    _require_tokens(n, d, samples)
    return _certify_equivariance(n, d, samples, 0, np.zeros(n, dtype=object))


# ----------------------------------------------------------------------------------------------------------- lemma 4

TARGETS: dict[str, Callable[[int, int], Target]] = {"mean_product": mean_product, "bump": bump}


def _target(name: str | Target, n: int, d: int) -> Target:
    if isinstance(name, Target):
        return name
    if name not in TARGETS:
        raise ValueError(f"yun2020:lem-4: expected target out of {', '.join(TARGETS)} or a Target, got {name!r}.")
    return TARGETS[name](n, d)


def _certify_step_function(
    target: Target, inverse_delta: int, f_bar: Callable[[np.ndarray], np.ndarray], p: float
) -> Certificate:
    n, d, delta = target.n, target.d, 1 / inverse_delta
    # |A|_p <= (dn)^(1/p) |A|_inf turns a sup-norm modulus into one for the p-norm.
    factor = (d * n) ** (1 / p) if target.norm == math.inf else 1.0
    bound = factor * target.modulus(delta / 2)
    require_room("yun2020:lem-4", 5 * 20_000, d, n)  # with what is computed from them
    centres = (Grid(inverse_delta, n, d).sequences(0, 4096).double().numpy() + 0.5) * delta
    X = np.concatenate([centres, np.random.default_rng(0).uniform(0, 1, (20_000, d, n))])
    gap = entrywise_norm(target(X) - f_bar(X), p)
    k = int(gap.argmax())
    grid, steep = Grid(inverse_delta, n, d), target.lipschitz
    distance = distance_on_cells(
        f"d_{p:g}(f, f-bar)", target, f_bar, grid, p, bound, steep, target.norm, samples=50_000, seed=0
    )
    values = f_bar(X)
    rounding = 1e-12 * (1 + float(np.abs(values).max()))
    symmetry = []
    for P in target.generators():
        gaps = np.abs(f_bar(X[..., list(P)]) - values[..., list(P)]).max(axis=(-2, -1))
        worst = int(gaps.argmax())
        name = f"|f-bar(XP) - f-bar(X)P|, P = {P}"
        witness = X[worst].tolist() if gaps[worst] > rounding else None
        symmetry.append(Check(name, float(gaps[worst]), "<=", rounding, witness, "sampled", len(X)))
    return Certificate(
        [
            Check(f"sup |f - f-bar|_{p:g}", float(gap[k]), "<=", bound, X[k].tolist(), "sampled", len(X)),
            distance,
            *symmetry,
        ],
        parameters={"inverse_delta": inverse_delta, "n": n, "d": d, "p": p, "target": target.name},
    )


def _perturb_lemma_4(
    *,
    seed: int = 0,
    inverse_delta: int = 4,
    n: int = 2,
    d: int = 1,
    p: float = 2,
    target: str | Target = "bump",
) -> Certificate:
    """One cell gets another value."""
    goal = _target(target, n, d)
    f_bar = step_function(goal, inverse_delta=inverse_delta)
    cell = np.random.default_rng(seed).integers(inverse_delta, size=(goal.d, goal.n))
    jump = 10 * (1 + goal.modulus(1.0))

    def damaged(X: np.ndarray) -> np.ndarray:
        hit = (np.floor(X * inverse_delta) == cell).all(axis=(-2, -1), keepdims=True)
        return f_bar(X) + np.where(hit, jump, 0.0)

    # The damaged cell's centre is among the points that are looked at: no sampling can miss it.
    centre = (cell + 0.5) / inverse_delta
    certificate = _certify_step_function(goal, inverse_delta, damaged, p)
    gap = float(entrywise_norm(goal(centre) - damaged(centre), p))
    sup = Check("sup |f - f-bar| at the damaged cell", gap, "<=", certificate.checks[0].bound, centre.tolist())
    return Certificate([*certificate.checks, sup], parameters=certificate.parameters)


@register(
    "yun2020:lem-4",
    "continuous functions are near step functions",
    source="Lemma 4, section D",
    chapter="yun-quantization",
    perturb=_perturb_lemma_4,
)
def verify_lemma_4(
    *, inverse_delta: int = 4, n: int = 2, d: int = 1, p: float = 2, target: str | Target = "bump"
) -> Certificate:
    """The step function stays within the modulus of f at delta/2 and keeps the symmetry of f."""
    goal = _target(target, n, d)
    f_bar = step_function(goal, inverse_delta=inverse_delta)
    return _certify_step_function(goal, inverse_delta, f_bar, p)


# ----------------------------------------------------------------------------------------------------------- lemma 7


def quantization_points(inverse_delta: int) -> list[Fraction]:
    """Numbers where a quantizer can go wrong: every cell edge, a little beside it, inside cells, far outside."""
    N = inverse_delta
    tiny = Fraction(1, 10**6 * N)
    edges = [Fraction(k, N) + shift for k in range(N + 1) for shift in (-tiny, 0, tiny)]
    inner = [Fraction(k, N) + Fraction(j, 7 * N) for k in range(N) for j in range(1, 7)]
    far = [Fraction(sign * 10**power) for sign in (-1, 1) for power in (1, 30)]
    return edges + inner + [Fraction(3, 2), Fraction(-1, 3), *far]


def _certify_quantizer(model: Transformer, grid: Grid) -> Certificate:
    N, n, d = grid.inverse_delta, grid.n, grid.d
    points = quantization_points(N)
    # Every number stands once in every entry.
    rows = [points[k:] + points[:k] for k in range(d * n)]
    X = np.array(rows, dtype=object).T.reshape(-1, d, n)
    output = model(X, EXACT)
    wrong: list[tuple[str, str, str]] = []
    for t, got in zip(X.flat, output.flat, strict=True):
        cell = [Fraction(k, N) for k in range(N) if k <= t * N < k + 1]
        expected = cell[0] if cell else Fraction(grid.sentinel)
        if got != expected:
            wrong.append((f"t = {t}", f"got {got}", f"expected {expected}"))
    wrong.sort(key=lambda witness: len(witness[0]))
    widths = max(layer.w_1.shape[0] for layer in model.layers if isinstance(layer, FeedForward))
    first = wrong[0] if wrong else None
    return Certificate(
        [
            Check("entries that differ from the scalar map", len(wrong), "==", 0, first, "sampled", X.size),
            Check("feed-forward layers, d/delta + d", model.depth, "==", d * (N + 1)),
            Check("hidden units r", widths, "==", 1),
        ],
        parameters={"inverse_delta": N, "n": n, "d": d},
    )


def _perturb_lemma_7(*, seed: int = 0, inverse_delta: int = 3, n: int = 2, d: int = 1) -> Certificate:
    """One layer is left out, reads a shifted entry, or writes too little."""
    layers = list(quantizer(inverse_delta=inverse_delta, n=n, d=d).layers)
    rng = np.random.default_rng(seed)
    place = int(rng.integers(len(layers)))
    layer: Any = layers[place]
    damage = seed % 3
    shift = Fraction(1, 2 * inverse_delta) if damage == 1 else 0
    factor = 0 if damage == 0 else Fraction(1, 2) if damage == 2 else 1
    layers[place] = FeedForward(layer.w_1, layer.b_1 + shift, layer.w_2 * factor, activation=layer.activation)
    return _certify_quantizer(Transformer(layers, n=n), Grid(inverse_delta, n, d))


@register(
    "yun2020:lem-7",
    "feed-forward layers quantize",
    source="Lemma 7, section E.2",
    chapter="yun-quantization",
    perturb=_perturb_lemma_7,
    concerns="construction",
    erratum=(
        "In the layers of the proof k runs over 0, delta, ..., 1 - delta while the bias is k delta, which sends 1/2 to "
        "1/4 at N = 2. Let k run over 0, ..., 1/delta - 1. (And entries equal to 1 become the sentinel too: the box "
        "is [0, 1).)"
    ),
)
def verify_lemma_7(*, variant: str = "repaired", inverse_delta: int = 3, n: int = 2, d: int = 1) -> Certificate:
    """The literal layers, run in EXACT, against the scalar map written as a loop over cells; and their number."""
    grid = Grid(inverse_delta, n, d)
    work = len(quantization_points(2)) * grid.inverse_delta**2 * grid.d**2 * grid.n
    if work > MAX_ENTRIES:
        raise ValueError(
            f"yun2020:lem-7: the literal layers would compute about {work:,} exact entries, the limit is "
            f"{MAX_ENTRIES:,}; choose a coarser grid, shorter sequences or fewer dimensions."
        )
    model = quantizer(inverse_delta=inverse_delta, n=n, d=d, variant=variant)  # type: ignore[arg-type]
    return _certify_quantizer(model, grid)
