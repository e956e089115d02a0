"""Sequences on which a certificate runs the literal layers, so that each of them acts, and what they must give there.

A broken network gets a certificate that fails, whatever is broken. Checks of its form come first: layers, heads,
kernels, sizes. What reads layers of that form is asked only where all these hold; what runs the layers measures
infinity where they cannot be run. Only a claim without the terms that are measured is refused (`require_terms`).

Attention without a mask and feed-forward layers are permutation equivariant. So one order of the tokens of each cell
shows what a network without positional encodings does on all of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..arithmetic import Arithmetic, Undecided, distances
from ..arithmetic.numbers import Number
from ..certificate import Check, Claim, Construction
from ..grids import Grid
from ..kernels import DOT
from ..layers import Attention, FeedForward, Layer
from ..model import Transformer
from .integrals import MAX_POINTS
from .mapped import mapped

WORK = 3_000_000
"""Weights that act on tokens, all layers and sequences together: about three seconds in EXACT."""
MAX_LITERAL = 10_000
ALL_ORDERS = 40
"""Up to so many cells are run with their tokens in every order."""
TINY = Fraction(1, 2**20)
"""How near to an edge, in units of delta: a threshold that is off by less is not seen."""
ROUNDS = 6
PIECES = 16
"""In which an executor gets the sequences: each lowers the weights again."""


def is_standard(layer: object, masked: bool = False) -> bool:
    """Whether it is Attention or FeedForward as in yun2020, eq. (1)-(2), of any normalization and activation.

    That is no subclass, with its skip connection, and attention with DOT, without second sequence, token projections
    and, unless `masked`, mask.
    """
    if type(layer) is not Attention:
        return type(layer) is FeedForward and layer.skip
    own = layer.skip and not layer.cross and layer.kernel == DOT and all(head.w_e is None for head in layer.heads)
    return own and (masked or layer.mask is None)


class Sample(NamedTuple):
    """Grid sequences L of shape (count, d, n) in units of delta, and in words which of them all these are."""

    L: np.ndarray
    words: str


def run_size(least: int, literal: object, samples: object, seed: object) -> tuple[int, int, int]:
    """All three in Python's ints, `literal` from `least` on, if a certificate can run on so many sequences."""
    of_layers = checks.whole("literal", literal, least, MAX_LITERAL)
    return of_layers, checks.whole("samples", samples, 2, MAX_POINTS), checks.seed(seed)


def require_terms(claim: Claim, *keys: str) -> None:
    """ValueError unless the claim has terms of these keys."""
    known = [term.key for term in claim.terms]
    if missing := [key for key in keys if key not in known]:
        raise checks.refused(
            "claim", f"one with the term{'s' * (len(missing) > 1)} {', '.join(missing)}", ", ".join(known)
        )


def most_sequences(construction: Construction, least: int, bits: int = 0) -> int:
    """How many sequences the layers may be run on, at least `least`; of enclosures with many bits, fewer."""
    cost = construction.model.parameter_count() * construction.target.n * (1 + bits // 2000)
    return max(least, WORK // cost)


def cells(grid: Grid, most: int, rng: np.random.Generator, *, ordered: bool) -> Sample:
    """Cells of the grid: all, or all up to the order of tokens (unless they are `ordered`), if that is at most `most`.

    Otherwise a sixth of so many are drawn.
    """
    size, n = grid.column_values, grid.n
    if grid.size() <= min(most, math.inf if ordered else ALL_ORDERS):
        return Sample(grid.sequences().numpy(force=True), f"all {grid.size():,} cells")
    if not ordered and (total := math.comb(size + n - 1, n)) <= most:
        rows = np.array(list(itertools.combinations_with_replacement(range(size), n)))
        return Sample(grid.columns(rng.permuted(rows, axis=1)), f"all {total:,} cells up to the order of tokens")
    drawn = max(1, most // ROUNDS)
    return Sample(draw(grid, drawn, rng), f"{drawn:,} of {grid.size():,} cells")


def draw(grid: Grid, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` cells, the first half of them with n different columns, where there are as many."""
    size, n, d, N = grid.column_values, grid.n, grid.d, grid.inverse_delta
    L = rng.integers(0, N, (count, d, n))
    if n <= size <= WORK:
        rows = np.array([rng.choice(size, n, replace=False) for _ in range((count + 1) // 2)], dtype=np.int64)
        L[: len(rows)] = grid.columns(rows)
    return L


def edges_and_inside(L: np.ndarray, most: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The cells L again, and for each entry a Fraction in [0, 1], from the lower edge of its cell to the upper.

    Six rounds, or the first of them that are at most `most` sequences: entries at edges, beside them and inside in
    turn; all just above the lower edge; all just below the upper; all at the lower; all at the upper; all inside.
    """
    edges = np.array([Fraction(0), Fraction(1), TINY, 1 - TINY], dtype=object)

    def within() -> np.ndarray:
        return rng.integers(1, 1000, L.shape).astype(object) * Fraction(1, 1000)

    mixed = np.where(rng.random(L.shape) < 0.7, rng.choice(edges, L.shape), within())
    uniform = [np.full(L.shape, edge) for edge in (TINY, 1 - TINY, edges[0], edges[1])]
    rounds = [mixed, *uniform, within()][: max(1, min(ROUNDS, most // len(L)))]
    return np.concatenate([L] * len(rounds)), np.concatenate(rounds)


def points_in_cells(
    construction: Construction, grid: Grid, literal: int, seed: int, bits: int, ordered: bool = False
) -> tuple[np.ndarray, np.ndarray, str]:
    """What `edges_and_inside` gives of `literal` cells or more, and in words which cells these are."""
    rng = np.random.default_rng(seed)
    most = most_sequences(construction, literal, bits)
    L, words = cells(grid, most, rng, ordered=ordered)
    extra = rng.integers(0, grid.inverse_delta, (max(0, literal - len(L)), grid.d, grid.n))
    return *edges_and_inside(np.concatenate([L, extra]), most, rng), words


def points_in_bands(
    grid: Grid, starts: Sequence[Number], width: Fraction, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Sequences in the box but for one entry, which is in the band of that width from one of `starts`."""
    X = rng.integers(0, 10**6, (count, grid.d, grid.n)).astype(object) * Fraction(1, 10**6)
    start = rng.choice(np.array(starts, dtype=object), count)
    place = (np.arange(count), rng.integers(grid.d, size=count), rng.integers(grid.n, size=count))
    X[place] = start + rng.integers(1, 1000, count).astype(object) * (width / 1000)
    return X


def gaps(construction: Construction, X: np.ndarray, system: Arithmetic, executor: Executor | None = None) -> np.ndarray:
    """|g - g-bar| at X: g the literal layers in `system`, g-bar their values in bulk. Bounds of enclosures in BALL.

    Infinite if the layers cannot be run: the system has no softmax, no enclosure decides, or shapes do not fit.
    """
    values = construction.shortcut(X)
    encoded = X if construction.encodings is None else X + construction.encodings
    pieces = 1 if executor is None else min(len(X), PIECES)
    both = zip(*(np.array_split(array, pieces) for array in (encoded, values)), strict=True)
    try:
        return np.concatenate(list(mapped(partial(_gaps, construction.model, system), both, executor=executor)))
    except (Undecided, ValueError):
        return np.full(X.shape, math.inf, dtype=object)


def _gaps(model: Transformer, system: Arithmetic, both: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    X, values = both
    return distances(model(X, system), values)


def as_floats(values: np.ndarray) -> np.ndarray:
    """Numbers as float64, infinite where they are beyond it."""
    return np.asarray(np.frompyfunc(lambda t: float(t) if t < 2**1000 else math.inf, 1, 1)(values), dtype=np.float64)


def crooked(layers: Iterable[Layer]) -> list[str]:
    """The weights of layers of attention that are no matrices of rank 1, biases among them; all of other layers."""
    named = [(f"layer {i}: {name}", w) for i, layer in enumerate(layers) for name, w in layer.weights().items()]
    return [name for name, w in named if w.ndim != 2 or not has_rank_one(w)]


def size_checks(model: Transformer, claim: Claim) -> list[Check]:
    """The sizes of input and output that a claim states."""
    kinds = {"n": "tokens", "d": "entries of a token"}
    return [
        Check(f"{kinds[name[0]]}, {name}", getattr(model, name) or 0, "==", size)
        for name, size in claim.sizes().items()
    ]


def class_checks(
    model: Transformer,
    claim: Claim,
    normalization: str,
    activation: str | type,
    domain: tuple[float, float],
    attends: tuple[str, Callable[[Attention], bool]] | None = None,
) -> list[Check]:
    """Whether the network has the layers, heads and hidden units of its class, counted on the layers themselves.

    Parameters
    ----------
    activation : "relu", or the class of a three-piece one
    domain : what the claim must be about
    attends : which layers of attention the class has, in words, and whether one is such; None: standard ones, unmasked
    """
    attention = [layer for layer in model.layers if type(layer) is Attention]
    forward = [layer for layer in model.layers if type(layer) is FeedForward]

    def is_of_class(layer: Any) -> bool:
        if attends is not None and type(layer) is Attention:
            return layer.normalization == normalization and attends[1](layer)
        if not is_standard(layer):
            return False
        if isinstance(layer, Attention):
            return layer.normalization == normalization
        return layer.activation == activation or (isinstance(activation, type) and type(layer.activation) is activation)

    wrong = sum(a != b for a, b in itertools.zip_longest(claim.domain, domain))
    # A subclass could compute anything, whatever its layers are.
    others = [] if type(model) is Transformer else [f"the model is a {type(model).__name__}"]
    others += [f"layer {i}: {layer!r}" for i, layer in enumerate(model.layers) if not is_of_class(layer)]
    what = "ReLU" if activation == "relu" else "three-piece"
    kind = f"{normalization} attention without a mask" if attends is None else attends[0]
    foreign = f"layers that are neither {kind} nor {what} layers"
    sizes = {w.shape[0] for layer in attention for head in layer.heads for w in (head.w_q, head.w_k, head.w_v)}
    return [
        Check("layers", len(model.layers), "==", claim.layers),
        Check(foreign, len(others), "==", 0, others[0] if others else None, cases=len(model.layers)),
        Check("token width d", model.width, "==", claim.width),
        *size_checks(model, claim),
        Check("heads h", max((len(layer.heads) for layer in attention), default=0), "==", claim.heads),
        Check("head size m", max(sizes, default=0), "==", claim.head_size),
        Check("hidden units r", max((len(layer.w_1) for layer in forward), default=0), "==", claim.hidden),
        Check("parameters", model.parameter_count(), "==", claim.parameters),
        Check(f"ends of the domain other than {domain}", wrong, "==", 0, str(claim.domain) if wrong else None, cases=2),
    ]


def has_rank_one(w: object) -> bool:
    """Whether the matrix is not 0 and all its rows are multiples of one, in exact arithmetic; floats as they are.

    Raises
    ------
    ValueError
        w is no matrix of finite numbers.
    """
    matrix = checks.rationals("w", w, 2)
    rows = [row for row in matrix if any(row)]
    if not rows:
        return False
    first = rows[0]
    pivot = next(i for i, u in enumerate(first) if u)
    return all(u * first[pivot] == row[pivot] * first[i] for row in rows for i, u in enumerate(row))
