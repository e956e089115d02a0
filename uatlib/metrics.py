"""Distances between functions of sequences, each with what is known of its own error, and the equivariance error."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Literal, get_args

import numpy as np
import torch

from . import checks
from .arithmetic.numbers import numbers
from .certificate import Check
from .grids import Grid
from .groups import generators
from .internal.integrals import (
    MAX_POINTS,
    ROUNDING,
    Between,
    Distance,
    Function,
    Gap,
    Size,
    enclosed,
    minus,
    monte_carlo,
    numbers_of,
    quadrature,
)
from .internal.mapped import mapped
from .internal.shapes import Array
from .targets import Target, entrywise_norm

__all__ = ["equivariance_error", "lp_distance", "sup_distance"]

MAX_ORDER = 100
MAX_PERMUTATIONS = 50_000

Rule = Literal["quadrature", "enclosed", "monte carlo"]


def _batch(name: str, X: object) -> Array:
    """X itself; ValueError unless it is an array or tensor of shape (batch, d, n) with numbers, not empty."""
    if not checks.is_array(X) or X.ndim != 3 or 0 in X.shape:
        raise checks.refused(name, "at least one point, in an array of shape (batch, d, n)", X)
    numbers(X, name)
    return X


def sup_distance(
    f: Function,
    g: Function,
    points: Array | Iterable[Array],
    p: float = math.inf,
    *,
    source: Array | Iterable[Array] | None = None,
    n_out: int | None = None,
    d_out: int | None = None,
    executor: Executor | None = None,
) -> Distance:
    """max over the given points of |f(X) - g(X)| in the entrywise p-norm, with the point where it is attained.

    Parameters
    ----------
    points : an array or tensor of shape (batch, d, n), or an iterable of such
    source : second sequences of shape (batch, d', n'), one beside each point, in as many batches: then it is
        |f(X, Z) - g(X, Z)|, and the witness is (X, Z)
    n_out, d_out : sizes of the values, as of X if None
    executor : evaluates the batches; without one they come one after the other

    Raises
    ------
    ValueError
        No points, or of another shape; as many second sequences as points are not there; f(X) or g(X) of another shape
        than (batch, d_out, n_out), NaN or infinite; p outside [1, inf]; no executor.
    """
    gap = Gap(checks.function("f", f), checks.function("g", g), checks.exponent("p", p), _out(n_out, d_out))
    batches = [_batches("points", points), *([] if source is None else [_batches("source", source)])]
    executor = checks.executor(executor)
    pairs, kept = itertools.tee(_beside(batches))
    best, witness, count = -math.inf, None, 0
    for found, XZ in zip(mapped(gap, pairs, executor=executor), kept, strict=True):
        count += len(found)
        k = int(found.argmax())
        if found[k] > best:
            best, witness = float(found[k]), XZ[0][k] if source is None else tuple(U[k] for U in XZ)
    if count == 0:
        raise ValueError("points: expected at least one point, got none.")
    return Distance(best, "exhaustive", count, error=ROUNDING * best, witness=witness)


def _batches(name: str, values: object) -> Iterator[Array]:
    """One batch, or several, each checked as it comes."""
    if not isinstance(values, (np.ndarray, torch.Tensor, list, tuple, Iterator)):
        raise checks.refused(name, "an array of shape (batch, d, n), or several", values)
    several = [values] if isinstance(values, (np.ndarray, torch.Tensor)) else values
    return (_batch(name, X) for X in several)


def _beside(batches: Sequence[Iterator[Array]]) -> Iterator[tuple[Array, ...]]:
    """The batches of X, each with that of Z if there are such; ValueError unless they go together."""
    for XZ in itertools.zip_longest(*batches, fillvalue=np.empty(0)):
        if len({len(U) for U in XZ}) > 1:
            points, got = map(len, XZ)
            raise ValueError(f"source: expected a second sequence for each of {points} points, got {got}.")
        yield XZ


def _out(n_out: object, d_out: object) -> Size | None:
    """(d_out, n_out), or None."""
    return _together(d_out=d_out, n_out=n_out)


def _together(**sizes: object) -> Size | None:
    """Two sizes >= 1, or None where both are; ValueError where one is."""
    (first, a), (second, b) = sizes.items()
    if (a is None) != (b is None):
        raise ValueError(f"{first}: expected {first} and {second} together, got one of them.")
    return None if a is None else (checks.whole(first, a, 1), checks.whole(second, b, 1))


def lp_distance(
    f: Function,
    g: Function,
    *,
    n: int,
    d: int,
    p: float = 2,
    domain: tuple[float, float] = (0, 1),
    method: Rule = "quadrature",
    cells: int = 8,
    order: int = 3,
    lipschitz: float | None = None,
    norm: float = math.inf,
    samples: int = 100_000,
    seed: int = 0,
    n_source: int | None = None,
    d_source: int | None = None,
    n_out: int | None = None,
    d_out: int | None = None,
    executor: Executor | None = None,
) -> Distance:
    """d_p(f, g) = (integral over the box of |f(X) - g(X)|_p^p dX)^(1/p), the distance of yun2020, section 3.

    Parameters
    ----------
    f, g : map arrays of shape (batch, d, n) to (batch, d_out, n_out), by default the same
    p : 1 <= p < inf
    method : "enclosed" proves what it may be off by: with every axis cut into `cells` equal pieces it takes the centres
        of the pieces, see `midpoint_error`. It needs `lipschitz`. "quadrature" estimates: the Gauss-Legendre rule with
        `order` + 1 points in each piece (let jumps fall on the pieces' edges), with its difference to `order` points.
        `"monte carlo"` takes `samples` uniform points.
    lipschitz, norm : L with |h(X) - h(Y)| <= L |X - Y| in the entrywise norm `norm`, for h = f - g and X, Y inside one
        piece. If g is constant there, that of f will do. It is taken at your word
    n_source, d_source : sizes of a second sequence Z, as for cross-attention: then f(X, Z) and g(X, Z) are compared,
        the integral is over the box of both, and L is of both together
    executor : evaluates the pieces, e.g. a `ThreadPoolExecutor`; without one they come one after the other

    Raises
    ------
    ValueError
        p outside [1, inf), another parameter off, f(X) or g(X) of another shape, NaN or infinite, or more than
        50 million points.
    """
    between = Between(f, g, n, d, p, domain, _together(d_source=d_source, n_source=n_source), _out(n_out, d_out))
    cells = checks.whole("cells", cells, 1)
    order = checks.whole("order", order, 1, MAX_ORDER, "take more cells for a finer rule")
    samples, seed = checks.whole("samples", samples, 2, MAX_POINTS), checks.seed(seed)  # one has no standard error
    method, q = checks.choice("method", method, get_args(Rule)), checks.exponent("norm", norm)
    L = 0.0
    if lipschitz is not None or method == "enclosed":
        L = checks.finite("lipschitz", lipschitz, 0, hint='method="enclosed" needs the constant of f - g')
    executor = checks.executor(executor)
    if method == "monte carlo":
        return monte_carlo(between, samples, seed, executor)
    if method == "enclosed":
        return enclosed(between, cells, L, q, executor)
    return quadrature(between, cells, order, executor)


def equivariance_error(
    f: Function,
    X: np.ndarray,
    permutations: str | Sequence[tuple[int, ...]] = "symmetric",
    *,
    executor: Executor | None = None,
) -> Distance:
    """max |f(X P) - f(X) P| over the given sequences and permutations.

    X has shape (batch, d, n); the differences are taken in the numbers that f returns, so that exact stays exact. The
    witness is the pair (sequence, permutation).

    Parameters
    ----------
    permutations : a list of them, or the name of a group (`groups.generators`), of which the generators are tried. If
        they change nothing, no permutation of the group does; if they do, others may change more
    executor : tries the permutations; without one they come one after the other

    Raises
    ------
    ValueError
        No sequence, no permutation, over 50,000 permutations, something else in their place, or f(X) NaN, infinite or
        of another shape than X; no executor.
    """
    f, n = checks.function("f", f), _batch("X", X).shape[-1]
    if isinstance(permutations, str):
        tried = generators(permutations, n, "permutations") or [tuple(range(n))]
    else:
        tried = checks.permutations("permutations", permutations, n)
    if not 1 <= len(tried) <= MAX_PERMUTATIONS:
        raise ValueError(f"permutations: expected from 1 to {MAX_PERMUTATIONS:,} permutations, got {len(tried)}.")
    executor = checks.executor(executor)
    change = partial(_change, f, X, numbers_of(f, [X], "f"))
    best, witness = -math.inf, None
    for permutation, largest in zip(tried, mapped(change, tried, executor=executor), strict=True):
        k = int(largest.argmax())
        if largest[k] > best:
            best, witness = float(largest[k]), (X[k], permutation)
    return Distance(best, "exhaustive", len(X) * len(tried), error=ROUNDING * best, witness=witness)


def _change(f: Function, X: Array, fX: np.ndarray, permutation: Sequence[int]) -> np.ndarray:
    """max |f(X P) - f(X) P| for each sequence."""
    columns = list(permutation)
    return entrywise_norm(minus(numbers_of(f, [X[..., columns]], "f"), fX[..., columns]), math.inf)


# ------------------------------------------------------------------------------------------------------------- on cells

MAX_QUADRATURE = 500_000
"""Cells of a quadrature; beyond, distances are estimated by Monte Carlo."""
NODES = 30_000
"""Points of an enclosure that has more than one in a cell."""


def distance_on_cells(
    name: str,
    f: Function,
    g: Function,
    bound: float,
    *,
    target: Target,
    inverse_delta: int,
    p: float,
    samples: int,
    seed: int,
    executor: Executor | None = None,
) -> Check:
    """d_p(f, g) <= bound: the most that it can be, enclosed; or, where the grid is large, an estimate by Monte Carlo.

    Inside a cell f and g are constant, or f is the target and g constant. Where both are one node a cell will do.
    """
    n, d, N = target.n, target.d, inverse_delta
    steep = target.lipschitz if f is target else 0
    between = Between(f, g, n, d, p)
    if Grid(N, n, d).size() <= MAX_QUADRATURE:
        cells = N * max(1, int(NODES ** (1 / (d * n)) / N) if steep else 1)
        lipschitz = checks.finite("lipschitz", steep, 0)
        found = enclosed(between, cells, lipschitz, target.norm, executor)
        assert found.error is not None
        return Check(f"{name} at most", found.value + found.error, "<=", bound, None, "enclosed", found.points)
    return estimated_check(name, monte_carlo(between, samples, seed, executor), bound)


def estimated_check(name: str, found: Distance, bound: float) -> Check:
    """An estimate by Monte Carlo, with three standard errors, is at most the bound."""
    measured = found.value + 3 * (found.standard_error or 0)
    return Check(f"{name} + 3 standard errors", measured, "<=", bound, None, "sampled", found.points)
