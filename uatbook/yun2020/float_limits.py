"""Where floats end: the first grid at which a float gives a wrong id, the first at which two ids fall together.

One entry a token (d = 1, so D = N), in units of delta: ids and weights are whole numbers and halves, exact in floats
until they are long. What fails is the length of the ids, about (2n + 2) log2 D bits. Results for d > 1 depend on D too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import numpy as np
import torch

from uatlib.arithmetic import Arithmetic
from uatlib.checks import refused, shown, whole
from uatlib.internal.mapped import mapped
from uatlib.layers import Attention
from uatlib.model import Transformer
from uatlib.yun2020.cost import Domain, bits_needed
from uatlib.yun2020.ids import context_grid, context_ids
from uatlib.yun2020.shift_layers import psi

DIGITS = {torch.float32: 24, torch.float64: 53}
"""Whole numbers of up to so many bits are exact."""
MAX_ID_BITS = 4096
FIRST_CHUNK, CHUNK = 2**9, 2**14
MAX_WORK = 100_000_000
"""Tokens times layers at one grid, where a wrong id ends the run."""
MAX_SEARCHED = 6_000_000
"""The same where all are run, at one grid or one after another: a few seconds."""
MAX_GRID = 1_000_000

T = TypeVar("T")


@dataclass(frozen=True)
class WrongId:
    """A sequence whose ids, run in floats, miss the exact ones by half a unit or more. All in units of delta."""

    inverse_delta: int
    sequence: tuple[int, ...]
    exact: tuple[int, ...]
    got: tuple[float, ...]

    @property
    def error(self) -> Fraction:
        """The largest |got - exact|."""
        return max(abs(Fraction(g) - e) for g, e in zip(self.got, self.exact, strict=True))


@dataclass(frozen=True)
class Collision:
    """Two tokens, (sequence, place) each, of different contexts or places, that floats give the same id."""

    inverse_delta: int
    tokens: tuple[tuple[tuple[int, ...], int], tuple[tuple[int, ...], int]]
    id: float


def selective_shift_in_units(inverse_delta: int, n: int) -> Transformer:
    """The layers of `selective_shift` for d = 1 in units of delta: of N Z they make N times what those make of Z.

    D layers with the thresholds l - 1/2, l + 1/2 for l = 0, ..., D - 1, and the global shift: all weights are whole
    numbers and halves. Source: yun2020, section E.3.
    """
    D, half = inverse_delta, Fraction(1, 2)
    sweep = [Attention([psi(c - half, D, D, 1), psi(c + half, -D, D, 1)], "hardmax") for c in range(D)]
    return Transformer([*sweep, Attention([psi(0, D ** (n + 1), D, 1)], "hardmax")], n=n)


def first_beyond_bits(n: int, bits: int = 63, *, d: int = 1, domain: Domain = "grid") -> int:
    """The smallest N = 1/delta >= 2 at which some id has more than `bits` bits: 63 for int64, 24 and 53 for floats.

    Raises
    ------
    ValueError
        n, bits or d is no int >= 1, bits is above 4,096, or another domain is asked for.
    ConstructionTooLarge
        As `Grid`, of the grid that is looked for.
    """
    bits, fits, beyond = whole("bits", bits, 1, MAX_ID_BITS), 1, 2
    while bits_needed(beyond, n, d, domain) <= bits:
        fits, beyond = beyond, 2 * beyond
    while beyond - fits > 1:  # `bisect` counts to 2^63 only
        N = (fits + beyond) // 2
        fits, beyond = (N, beyond) if bits_needed(N, n, d, domain) <= bits else (fits, N)
    return beyond


def wrong_id(
    system: Arithmetic, inverse_delta: int, n: int, *, network: Callable[[int, int], Transformer] | None = None
) -> WrongId | None:
    """The first of all sequences of increasing tokens with a wrong id at this grid, by running the layers; or None.

    (Other orders of the same tokens are permutations of these.) `network(inverse_delta, n)` gives the layers, in units
    of delta; `selective_shift_in_units` if it is not given.

    Raises
    ------
    ValueError
        The system is neither FLOAT32 nor FLOAT64, inverse_delta no int >= 2, n no int >= 2, or there are too many
        sequences to run.
    """
    for L, exact, got in _runs(system, inverse_delta, n, network or selective_shift_in_units):
        # Python compares an int with a float exactly.
        for k in np.flatnonzero((got.astype(object) != exact).any(axis=-1)):
            found = WrongId(inverse_delta, *(tuple(row[k].tolist()) for row in (L, exact, got)))
            if found.error >= Fraction(1, 2):
                return found
    return None


def first_wrong_id(
    system: Arithmetic, n: int, *, largest: int = 1000, executor: Executor | None = None
) -> WrongId | None:
    """`wrong_id` at the smallest inverse_delta where there is one, or None if there is none up to `largest`.

    The search begins where ids outgrow the floats (`first_beyond_bits`): before that every id is exact. Sums and
    products of ids with weights are, being whole numbers within 24 or 53 bits, and scores, which are rounded, keep
    their order, since the ids that they compare before the last shift have less than half as many bits. Parameters and
    errors as `first_collision`.
    """
    return _first(wrong_id, system, n, largest, MAX_WORK, executor)


def collision(system: Arithmetic, inverse_delta: int, n: int) -> Collision | None:
    """Two tokens with one id among all sequences of increasing tokens at this grid, or None. Errors as `wrong_id`."""
    owners: list[tuple[int, ...]] = []
    ids: list[np.ndarray] = []
    for L, _, got in _runs(system, inverse_delta, n, selective_shift_in_units, MAX_SEARCHED):
        owners += [tuple(row) for row in L.tolist()]
        ids.append(got)
    flat = np.concatenate(ids).ravel() if ids else np.empty(0)
    order = np.argsort(flat, kind="stable")
    same = np.flatnonzero(np.diff(flat[order]) == 0)
    if len(same) == 0:
        return None
    pair = sorted(int(order[same[0] + step]) for step in (0, 1))
    one, other = ((owners[k // n], k % n) for k in pair)
    return Collision(inverse_delta, (one, other), float(flat[pair[0]]))


def first_collision(
    system: Arithmetic, n: int, *, largest: int = 1000, executor: Executor | None = None
) -> Collision | None:
    """`collision` at the smallest inverse_delta where there is one, or None if there is none up to `largest`.

    Parameters
    ----------
    executor : runs several grids side by side, of threads or processes

    Raises
    ------
    ValueError
        As `wrong_id`; largest is no int >= 2, executor none; the grids together have too many sequences to run.
    """
    return _first(collision, system, n, largest, MAX_SEARCHED, executor)


def _first(
    search: Callable[..., T | None], system: Arithmetic, n: int, largest: int, most: int, executor: Executor | None
) -> T | None:
    """What `search` finds at the first grid where it finds something, from where ids outgrow the system.

    At that grid it may cost `most`; those before, which are run to the end, MAX_SEARCHED together.
    """
    start = max(whole("n", n, 2), first_beyond_bits(n, _digits(system)))
    largest = whole("largest", largest, 2, MAX_GRID, "it is the last 1/delta to try")
    grids = range(start, largest + 1)
    before = itertools.accumulate((_work(N, n) for N in grids), initial=0)
    paid = itertools.takewhile(lambda work: work <= MAX_SEARCHED, before)
    few = [N for N, _ in zip(grids, paid, strict=False) if _work(N, n) <= most]
    found = mapped(partial(_at, search, system, n), few, executor=executor, label="grids", total=len(few))
    if (first := next(filter(None, found), None)) is None and len(few) < len(grids):
        _require_few(n, grids[: len(few)], MAX_SEARCHED)
        _require_few(n, [grids[len(few)]], most)
    return first


def _at(search: Callable[..., object], system: Arithmetic, n: int, inverse_delta: int) -> Any:
    return search(system, inverse_delta, n)


def _work(inverse_delta: int, n: int) -> int:
    """Tokens of all sequences of increasing ones, times layers."""
    return n * math.comb(inverse_delta, n) * (inverse_delta + 1)


def _require_few(n: int, grids: Sequence[int], most: int) -> None:
    work = sum(_work(N, n) for N in grids)
    if work > most:
        raise ValueError(
            f"inverse_delta={grids[-1]}, n={n}: expected at most {most:,} tokens times layers, got {shown(work)}; "
            "choose a coarser grid, or a smaller largest one."
        )


def _digits(system: Arithmetic) -> int:
    dtype: Any = getattr(system, "dtype", None)
    if dtype not in DIGITS:
        got = getattr(system, "name", system)
        raise refused("system", "FLOAT32 or FLOAT64", got, "no other rounds to so many bits")
    return DIGITS[dtype]


def _runs(
    system: Arithmetic, inverse_delta: int, n: int, network: Callable[[int, int], Transformer], most: int = MAX_WORK
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Sequences of increasing tokens (B, n) with their exact ids and those of the layers in `system`, in chunks."""
    _digits(system)
    grid = context_grid(inverse_delta, n, 1)
    _require_few(grid.n, [grid.inverse_delta], most)
    contexts = itertools.combinations(range(inverse_delta), n)
    if inverse_delta < n:
        return
    model = network(inverse_delta, n).lower(system)
    # The longest ids belong to (0, 1, ..., n - 2, top), which come first: a small first chunk often is enough.
    chunk = FIRST_CHUNK
    while rows := list(itertools.islice(contexts, chunk)):
        chunk = min(2 * chunk, CHUNK)
        L = np.array(rows)
        exact = context_ids(L[:, None, :], inverse_delta=inverse_delta)
        yield L, exact, model(torch.tensor(L[:, None, :]))[:, 0, :].cpu().double().numpy()
