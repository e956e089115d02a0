"""Kajitsuka, Sato (2024): what Proposition 1 claims of a network, beside what is measured."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from .. import grids, layer_runs, targets
from ..arithmetic import BALL, numbers
from ..certificate import Certificate, Check, Construction
from ..checks import executor as an_executor
from ..checks import instance, refused
from ..grids import StepFunction, grid_tokens, repeated_share
from ..layers import RELU, Attention, FeedForward
from ..metrics import distance_on_cells
from ..model import Transformer
from .certified_margins import contexts
from .two_layers import root

FAR = (Fraction(1, 10**6), Fraction(1, 3), 1, 10**3, 10**9)
"""How far outside the box and its bands entries are tried."""
FAR_BITS = 256
"""More bits there, and twice those of the width: readings are 10^9 times those of bands, scores their products, and
enclosures do not cancel."""


def certify_network(
    construction: Construction,
    *,
    literal: int = 36,
    samples: int = 200_000,
    seed: int = 0,
    executor: Executor | None = None,
) -> Certificate:
    """Measure every term of the claim and d_p itself, and run the layers in BALL beside the bulk evaluation.

    Parameters
    ----------
    construction : what `build` returned
    literal : sequences on which the layers are run, off the bands (every cell where there are no more), in the bands
        and outside the box
    samples : Monte Carlo points, where quadrature with nodes in every cell would take over half a million
    executor : runs the layers, and evaluates functions, piece by piece, with the same result; without one they come
        one after the other. Literal layers need processes, and then a function that can be pickled

    Raises
    ------
    ValueError
        No such construction; literal is no int in [2, 10,000], samples none in [2, 50,000,000], seed none >= 0;
        executor is none, or cannot pickle the function.
    """
    if type(construction) is not Construction or not isinstance(construction.evaluate, StepFunction):
        raise refused("construction", "what kajitsuka2024.build returns", construction)
    layer_runs.require_run(2, literal, samples, seed)
    bulk = construction.evaluate
    terms = ["step", "bands", "rounded", *(["repeated"] if bulk.duplicates == "drop" else [])]
    own = {"granularity": bulk.inverse_delta, "n": bulk.target.n, "d": bulk.target.d, "duplicates": bulk.duplicates}
    layer_runs.require_notes(construction, ["variant", "width", "bits"], terms, **own)
    claim, notes = construction.claim, construction.parameters
    target = instance("target", construction.target, targets.Target)
    executor = an_executor(executor, target)
    D, n, d, p = notes["granularity"], notes["n"], notes["d"], claim.p
    norm, step = f"d_{p:g}", replace(bulk, duplicates="keep")
    measured = partial(
        distance_on_cells, target=target, inverse_delta=D, p=p, samples=samples, seed=seed, executor=executor
    )
    checks, cells_check, outside, bands = _network(construction, literal, seed, executor)
    checks.append(measured(f"{norm}(f, f-bar) in the box, (55)", target, step, claim["step"].bound))
    if notes["duplicates"] == "drop":
        bound = claim["repeated"].bound
        name = f"{norm}(f-bar, g-bar), cells with a token twice, {float(repeated_share(D, n, d)):.3g} of the box, (70)"
        checks.append(measured(name, step, bulk, bound))
    apart = measured(f"{norm}(f, g-bar) in the box", target, bulk, claim.error)
    # Outside the box nothing bounds the volume on which a network may differ from 0.
    off = (d * n) ** (1 / p) * float(layer_runs.as_floats(cells_check.measured))
    total = apart.measured + bands.measured + off if outside.holds else math.inf
    name = f"{norm}(f, g) on R^(d n), estimated: {norm}(f, g-bar) at most, plus {norm}(g-bar, g) at samples"
    checks += [apart, Check(name, total, "<=", claim.error, None, "sampled", apart.cases)]
    how = "repaired" if notes["variant"] == "repaired" else "as printed"
    return Certificate(checks, f"Network g after kajitsuka2024, {how}, and g-bar, in bulk", notes)


def network_checks(construction: Construction, *, literal: int = 36, seed: int = 0) -> list[Check]:
    """The checks of `certify_network` that look at the layers; the others measure the function and g-bar."""
    return _network(construction, literal, seed)[0]


def _network(
    construction: Construction, literal: int, seed: int, executor: Executor | None = None
) -> tuple[list[Check], Check, Check, Check]:
    """All checks of the layers, and those in the cells, outside the box and in the bands."""
    claim, notes = construction.claim, construction.parameters
    rounded = claim["rounded"].bound / (notes["d"] * notes["n"]) ** (1 / claim.p)
    inside = _cell_check(construction, rounded, literal, seed, executor)
    outside = _outside_check(construction, rounded, literal, seed, executor)
    bands = _band_check(construction, literal, seed, executor)
    sizes = _size_checks(construction)
    ids = [_id_check(construction)] if all(check.holds for check in sizes) else []
    return [*sizes, *ids, inside, outside, bands], inside, outside, bands


def _size_checks(construction: Construction) -> list[Check]:
    model = construction.model
    kinds = [type(layer) for layer in model.layers]
    wrong = int(kinds != [FeedForward, Attention, FeedForward])
    attention = [layer for layer in model.layers if isinstance(layer, Attention)]
    names = layer_runs.crooked(attention)
    return [
        *layer_runs.class_checks(construction, "softmax", RELU, (-math.inf, math.inf)),
        Check("other orders than ReLUs, attention, ReLUs", wrong, "==", 0, repr(model) if wrong else None),
        Check("weights of attention that are not of rank 1", len(names), "==", 0, names or None, cases=4),
    ]


def _id_check(construction: Construction) -> Check:
    """The least distance of two ids, run through the attention layer, against the width of a bump."""
    notes = construction.parameters
    _, attention, second = construction.model.layers
    tokens = grid_tokens(D := notes["granularity"], notes["d"], Fraction(1, D))
    rows = contexts(tokens.shape[1], notes["n"], repeats=True)
    system = BALL.with_bits(notes["bits"])
    Z = Transformer([attention])(np.stack([tokens[:, list(row)] for row in rows]), system)
    names = [str(column[0]) if len(column) == 1 else _shown(range(len(column)), column) for column in tokens.T]
    # Rows of W_1 are R v; the readings R v^T z are apart by 2 or more where bumps are apart.
    scaled = instance("layer", second, FeedForward).w_1[0]
    ids = []
    for row, z in zip(rows, Z, strict=True):
        for t in dict.fromkeys(row):
            column = z[:, row.index(t)]
            middle = sum(a * ball.midpoint for a, ball in zip(scaled, column, strict=True))
            reach = sum(abs(a) * ball.radius for a, ball in zip(scaled, column, strict=True))
            ids.append((middle - reach, middle + reach, row, t))
    ids.sort()
    gaps = [
        (b[0] - a[1], f"{names[a[3]]} in {_shown(a[2], names)} and {names[b[3]]} in {_shown(b[2], names)}")
        for a, b in itertools.pairwise(ids)
    ]
    gap, witness = min(gaps)
    return Check("least distance of two ids, in half widths of a bump", gap, ">=", 2, witness, "enclosed", len(ids))


def _shown(row: Sequence[int], names: Sequence[Any]) -> str:
    return f"({', '.join(str(names[t]) for t in row)})"


# --------------------------------------------------------------------------------------------------------------- points


def _gap_check(
    construction: Construction, X: np.ndarray, name: str, bound: float, executor: Executor | None, more_bits: int = 0
) -> Check:
    """The largest |g - g-bar| at X, enclosed, with the sequence."""
    system = BALL.with_bits(construction.parameters["bits"] + more_bits)
    worst = layer_runs.gaps(construction, X, system, executor).max(axis=(-2, -1))
    k = int(worst.argmax())
    witness = f"X = {layer_runs.text(X[k])}: off by {float(layer_runs.as_floats(worst[k])):.4g}"
    return Check(name, worst[k], "<=", bound, witness, "sampled", len(X))


def _cell_check(construction: Construction, bound: float, literal: int, seed: int, executor: Executor | None) -> Check:
    """g against g-bar in the cells, off their bands."""
    notes = construction.parameters
    D, width = notes["granularity"], notes["width"]
    L, part, words = layer_runs.points_in_cells(construction, grids.Grid(D, notes["n"], notes["d"]), literal, seed)
    # The last cell is closed.
    part[(part == 1) & (L < D - 1)] = 1 - layer_runs.TINY**2
    X = L.astype(object) * Fraction(1, D) + width + part * (Fraction(1, D) - width)
    return _gap_check(construction, X, f"|g - g-bar| in the cells, off the bands, {words}", bound, executor)


def _outside_check(
    construction: Construction, bound: float, literal: int, seed: int, executor: Executor | None
) -> Check:
    """One token or more outside the box and its bands, near and far; the others anywhere, in bands too."""
    rng, notes = np.random.default_rng(seed), construction.parameters
    D, n, d, width = notes["granularity"], notes["n"], notes["d"], notes["width"]
    shape = (4 * literal, d, n)
    X = rng.integers(0, 10**6 + 1, shape).astype(object) * Fraction(1, 10**6)
    starts = [Fraction(t, D) for t in range(D + 1)] + [-width]
    ramp = rng.choice(np.array(starts, dtype=object), shape) + rng.integers(0, 33, shape).astype(object) * (width / 32)
    X = np.where(rng.random(shape) < 0.5, ramp, X)
    far = rng.choice(np.array(FAR, dtype=object), shape)
    away = np.where(rng.random(shape) < 0.5, 1 + width + far, -width - far)
    out = rng.random(shape) < 0.2
    out[np.arange(len(X)), rng.integers(d, size=len(X)), rng.integers(n, size=len(X))] = True
    X = np.where(out, away, X)
    bits = FAR_BITS + 2 * math.ceil(-numbers.log2(width))
    return _gap_check(construction, X, "|g| with an entry outside the box and its bands", bound, executor, bits)


def _band_check(construction: Construction, literal: int, seed: int, executor: Executor | None) -> Check:
    """What g - g-bar adds to d_p, from sequences with one entry in a band inside the box, or in one beside it."""
    rng, notes, p = np.random.default_rng(seed), construction.parameters, construction.claim.p
    D, n, d, width = notes["granularity"], notes["n"], notes["d"], notes["width"]
    total = 0.0
    for beside in (False, True):
        starts = [-width, Fraction(1)] if beside else [Fraction(t, D) for t in range(D)]
        X = layer_runs.points_in_bands(grids.Grid(D, n, d), starts, width, literal, rng)
        off = layer_runs.as_floats(layer_runs.gaps(construction, X, BALL.with_bits(notes["bits"]), executor))
        volume = (1 + 2 * width) ** (d * n) - 1 if beside else 1 - (1 - D * width) ** (d * n)
        # All gaps are one matrix: the norm is the p-th root of the sum of their powers.
        norm = float(targets.entrywise_norm(off.reshape(1, -1), p))
        total += norm * (1 / literal) ** (1 / p) * root(volume, p)
    name = f"d_{p:g}(g-bar, g) from the bands, (69), and rounding"
    bound = construction.claim["bands"].bound + construction.claim["rounded"].bound
    return Check(name, total, "<=", bound, None, "sampled", 2 * literal)
