"""Kajitsuka, Sato (2024): what Proposition 1 claims of a network, beside what is measured."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal, overload

import numpy as np

from .. import grids, targets
from ..arithmetic import BALL, Arithmetic, numbers
from ..certificate import Certificate, Check, Construction
from ..checks import executor as an_executor
from ..checks import instance, refused
from ..grids import StepFunction, grid_tokens, repeated_share
from ..internal import layer_runs
from ..layers import RELU, Attention, FeedForward
from ..metrics import distance_on_cells
from ..model import Transformer
from .certified_margins import contexts
from .certify_layer import certify_layer
from .memory import Memory
from .two_layers import root

FAR = (Fraction(1, 10**6), Fraction(1, 3), 1, 10**3, 10**9)
"""How far outside the box and its bands entries are tried."""
FAR_BITS = 256
"""More bits there, and twice those of the width: readings are 10^9 times those of bands, scores their products, and
enclosures do not cancel."""


Variant = Literal["repaired", "printed"]


@dataclass(frozen=True, eq=False, repr=False)
class Network(Construction):
    """What `build` returns.

    Attributes
    ----------
    variant : that of `build`
    scale : beta < 0 of the attention layer
    width : of the bands of the quantizer
    bits : BALL.with_bits(bits) runs the layers
    """

    shortcut: StepFunction
    variant: Variant
    scale: Fraction
    width: Fraction
    bits: int

    @property
    def grid(self) -> grids.Grid:
        """The grid of sequences."""
        return grids.Grid(self.shortcut.inverse_delta, self.target.n, self.target.d)

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was built with and what was chosen, as it is printed."""
        D, n, d = vars(self.grid).values()
        shown = {"target": self.target.name, "granularity": D, "n": n, "d": d, "duplicates": self.shortcut.duplicates}
        return shown | {"variant": self.variant, "scale": self.scale, "width": self.width, "bits": self.bits}

    def certify(
        self, *, literal: int = 36, samples: int = 200_000, seed: int = 0, executor: Executor | None = None
    ) -> Certificate:
        """Measure every term of the claim and d_p itself, and run the layers in BALL beside the bulk evaluation.

        Parameters
        ----------
        literal : sequences on which the layers are run, off the bands (every cell where there are no more), in the
            bands and outside the box
        samples : Monte Carlo points, where quadrature with nodes in every cell would take over half a million
        executor : runs the layers, and evaluates functions, piece by piece, with the same result; without one they come
            one after the other. Literal layers need processes, and then a function that can be pickled

        Raises
        ------
        ValueError
            A claim without its terms; literal is no int in [2, 10,000], samples none in [2, 50,000,000], seed none
            >= 0; executor is none, or cannot pickle the function.
        """
        literal, samples, seed = layer_runs.run_size(2, literal, samples, seed)
        claim, target, bulk = self.claim, self.target, self.shortcut
        drops = bulk.duplicates == "drop"
        layer_runs.require_terms(claim, "step", "bands", "rounded", *(["repeated"] if drops else []))
        executor = an_executor(executor, target)
        D, n, d, p = bulk.inverse_delta, target.n, target.d, claim.p
        norm, step = f"d_{p:g}", replace(bulk, duplicates="keep")
        measured = partial(
            distance_on_cells, target=target, inverse_delta=D, p=p, samples=samples, seed=seed, executor=executor
        )
        checks = network_checks(self, literal=literal, seed=seed, executor=executor)
        *_, inside, outside, bands = checks
        checks.append(measured(f"{norm}(f, f-bar) in the box, (55)", target, step, claim["step"].bound))
        if drops:
            share = float(repeated_share(D, n, d))
            name = f"{norm}(f-bar, g-bar), cells with a token twice, {share:.3g} of the box, (70)"
            checks.append(measured(name, step, bulk, claim["repeated"].bound))
        apart = measured(f"{norm}(f, g-bar) in the box", target, bulk, claim.error)
        # Outside the box nothing bounds the volume on which a network may differ from 0.
        off = (d * n) ** (1 / p) * float(layer_runs.as_floats(inside.measured))
        total = apart.measured + bands.measured + off if outside.holds else math.inf
        name = f"{norm}(f, g) on R^(d n), estimated: {norm}(f, g-bar) at most, plus {norm}(g-bar, g) at samples"
        checks += [apart, Check(name, total, "<=", claim.error, None, "sampled", apart.cases)]
        how = "repaired" if self.variant == "repaired" else "as printed"
        title = f"Network g after Kajitsuka and Sato (2024), {how}, and g-bar, in bulk"
        return Certificate(checks, title, self.parameters)


def network_checks(
    construction: Network, *, literal: int = 36, seed: int = 0, executor: Executor | None = None
) -> list[Check]:
    """The checks of `certify` that look at the layers, the last three in the cells, outside the box and in the bands.

    The others measure the function and g-bar.
    """
    claim, target = construction.claim, construction.target
    rounded = claim["rounded"].bound / (target.d * target.n) ** (1 / claim.p)
    sizes = _size_checks(construction)
    return [
        *sizes,
        *([_id_check(construction)] if all(check.holds for check in sizes) else []),
        _cell_check(construction, rounded, literal, seed, executor),
        _outside_check(construction, rounded, literal, seed, executor),
        _band_check(construction, literal, seed, executor),
    ]


def _size_checks(construction: Network) -> list[Check]:
    model = construction.model
    kinds = [type(layer) for layer in model.layers]
    wrong = int(kinds != [FeedForward, Attention, FeedForward])
    attention = [layer for layer in model.layers if isinstance(layer, Attention)]
    names = layer_runs.crooked(attention)
    return [
        *layer_runs.class_checks(model, construction.claim, "softmax", RELU, (-math.inf, math.inf)),
        Check("other orders than ReLUs, attention, ReLUs", wrong, "==", 0, repr(model) if wrong else None),
        Check("weights of attention that are not of rank 1", len(names), "==", 0, names or None, cases=4),
    ]


def _id_check(construction: Network) -> Check:
    """The least distance of two ids, run through the attention layer, against the width of a bump."""
    target = construction.target
    _, attention, second = construction.model.layers
    tokens = grid_tokens(D := construction.shortcut.inverse_delta, target.d, Fraction(1, D))
    rows = contexts(tokens.shape[1], target.n, repeats=True)
    system = BALL.with_bits(construction.bits)
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


def _shown(row: Sequence[int], names: Sequence[object]) -> str:
    return f"({', '.join(str(names[t]) for t in row)})"


# --------------------------------------------------------------------------------------------------------------- points


def _gap_check(
    construction: Network, X: np.ndarray, name: str, bound: float, executor: Executor | None, more_bits: int = 0
) -> Check:
    """The largest |g - g-bar| at X, enclosed, with the sequence."""
    system = BALL.with_bits(construction.bits + more_bits)
    worst = layer_runs.gaps(construction, X, system, executor).max(axis=(-2, -1))
    k = int(worst.argmax())
    return Check(name, worst[k], "<=", bound, {"X": X[k]}, "sampled", len(X))


def _cell_check(construction: Network, bound: float, literal: int, seed: int, executor: Executor | None) -> Check:
    """g against g-bar in the cells, off their bands."""
    grid, width = construction.grid, construction.width
    L, part, words = layer_runs.points_in_cells(construction, grid, literal, seed, construction.bits)
    # The last cell is closed.
    part[(part == 1) & (grid.inverse_delta - 1 > L)] = 1 - layer_runs.TINY**2
    X = L.astype(object) * grid.delta + width + part * (grid.delta - width)
    return _gap_check(construction, X, f"|g - g-bar| in the cells, off the bands, {words}", bound, executor)


def _outside_check(construction: Network, bound: float, literal: int, seed: int, executor: Executor | None) -> Check:
    """One token or more outside the box and its bands, near and far; the others anywhere, in bands too."""
    rng, width = np.random.default_rng(seed), construction.width
    D, n, d = vars(construction.grid).values()
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


def _band_check(construction: Network, literal: int, seed: int, executor: Executor | None) -> Check:
    """What g - g-bar adds to d_p, from sequences with one entry in a band inside the box, or in one beside it."""
    rng, p, grid, width = np.random.default_rng(seed), construction.claim.p, construction.grid, construction.width
    D, n, d = vars(grid).values()
    total = 0.0
    for beside in (False, True):
        starts = [-width, Fraction(1)] if beside else [Fraction(t, D) for t in range(D)]
        X = layer_runs.points_in_bands(grid, starts, width, literal, rng)
        off = layer_runs.as_floats(layer_runs.gaps(construction, X, BALL.with_bits(construction.bits), executor))
        volume = (1 + 2 * width) ** (d * n) - 1 if beside else 1 - (1 - D * width) ** (d * n)
        # All gaps are one matrix: the norm is the p-th root of the sum of their powers.
        norm = float(targets.entrywise_norm(off.reshape(1, -1), p))
        total += norm * (1 / literal) ** (1 / p) * root(volume, p)
    name = f"d_{p:g}(g-bar, g) from the bands, (69), and rounding"
    bound = construction.claim["bands"].bound + construction.claim["rounded"].bound
    return Check(name, total, "<=", bound, None, "sampled", 2 * literal)


# ------------------------------------------------------------------------------------------------------------- one door


@overload
def certify(
    built: Transformer, vocabulary: object, n: int, *, slack: object = ..., spacing: object = ..., mask: object = ...
) -> Certificate: ...
@overload
def certify(built: Memory, *, system: Arithmetic | None = ...) -> Certificate: ...
@overload
def certify(
    built: Network, *, literal: int = ..., samples: int = ..., seed: int = ..., executor: Executor | None = ...
) -> Certificate: ...
def certify(built: Any, *arguments: Any, **options: Any) -> Certificate:
    """What is claimed of a layer, a memory or a network of this source, beside what is measured.

        `certify(layer, vocabulary, n, slack=1/1000, spacing=None, mask=None)`    a layer of Theorem 2
        `certify(memory, system=None)`                                           what `memorise` returns
        `certify(construction, literal=36, samples=200_000, seed=0, executor=None)`    what `build` returns

    The parameters are those of `certify_layer`, `Memory.certify` and `Network.certify`.

    Raises
    ------
    ValueError
        Something else, or as those.

    Source: kajitsuka2024, Theorem 2, Corollaries 1 and 2, Proposition 1.
    """
    if not isinstance(built, Transformer | Memory | Network):
        raise refused("built", "a Transformer with its vocabulary and n, a Memory or a Construction", built)
    measure = partial(certify_layer, built) if isinstance(built, Transformer) else built.certify
    try:
        inspect.signature(measure).bind(*arguments, **options)
    except TypeError as error:
        raise refused("built", f"what is certified with other arguments ({str(error)[:200]})", built) from None
    return measure(*arguments, **options)
