"""The ids of the contextual mapping in closed form: one number for every token in its context.

Units: on the grid every quantity is a multiple of delta = 1/N, so sequences and ids are integers "in units of delta".
The column id of a token L_j is u^T L_j with u = (1, N, ..., N^{d-1}); on the grid it runs over 0, ..., D - 1, D = N^d.
"""

from __future__ import annotations

import contextlib
from numbers import Rational
from typing import Any

import numpy as np
import torch

from ..arithmetic import Overflow
from ..arithmetic.base import entries, numbers, real, real_tensor
from ..grids import Grid
from ..progress import progress
from ._sizes import require_size

CHUNK = 2**15
"""Sequences evaluated at once in bulk: their columns stay in a core's cache."""


# ------------------------------------------------------------------------------------------- Lemma 8, layer by layer


def column_vector(inverse_delta: int, d: int) -> list[int]:
    """u = (1, N, ..., N^{d-1}): u^T L_j reads column j as one number."""
    grid = Grid(inverse_delta, 1, d)
    N, d = grid.inverse_delta, grid.d
    bits = d * N.bit_length()
    # d weights of up to so many bits.
    require_size("column_vector", layers=1, arrays_per_layer=1, parameters=d * (1 + bits // 128), longest_bits=bits)
    return [N**i for i in range(d)]


# -------------------------------------------------------------------------------------------------------------- bulk


def column_ids(L: Any, *, inverse_delta: int) -> Any:
    """u^T L for sequences L of any numbers, shape (..., d, n) to (..., n).

    Whole numbers are added in int64 where a bound on this very input fits, beyond in Python integers, so exactly. So
    are Fractions. Floats are added, and rounded, in float64, but float32 in its own numbers.

    Raises
    ------
    ValueError
        L has no such shape, or holds no numbers.
    Overflow
        L is a tensor, and the ids might need more than 63 bits, or exceed its floats.
    """
    is_tensor = isinstance(L, torch.Tensor)
    array: Any = real_tensor(L, "L") if is_tensor else numbers(L, "L")
    if array.ndim < 2 or 0 in array.shape[-2:]:
        raise ValueError(f"L: expected shape (..., d, n), not empty, got {tuple(array.shape)}.")
    u = column_vector(inverse_delta, array.shape[-2])
    is_float = array.is_floating_point() if is_tensor else array.dtype.kind == "f"
    if is_float and array.dtype.itemsize < 4:
        array = array.double() if is_tensor else array.astype(np.float64)
    elif array.dtype == object:
        array = entries(array, "L", real)
    elif not is_float:
        largest = 0 if 0 in array.shape else max(int(array.max()), -int(array.min()))
        bits = (sum(u) * max(largest, 1)).bit_length()
        if bits > 63 and is_tensor:
            raise Overflow(f"column_ids: ids may need {bits} bits and have 63; use a NumPy array.")
        array = array.long() if is_tensor else array.astype(object if bits > 63 else np.int64)
    ids = _read(array, u)
    if is_float and not (torch if is_tensor else np).isfinite(ids).all():
        raise Overflow(f"column_ids: an id exceeds {array.dtype}, or L is not finite; use Fractions.")
    return ids


def _read(L: Any, u: list[int]) -> Any:
    return sum(L[..., i, :] * u_i for i, u_i in enumerate(u))


def context_ids(L: Any, *, inverse_delta: int, global_shift: bool = True, positional: bool = False) -> np.ndarray:
    """u^T g_c(L) in units of delta, for any number of extended grid sequences at once, without running the layers.

    Parameters
    ----------
    L : integers in units of delta, shape (..., d, n); entries 0, ..., N - 1 or the sentinel -N^{nd+1}
    global_shift : False for the ids after the selective shifts, before the last layer
    positional : the ids of Theorem 3, u^T g_c(L + E) with `positional_shift` as g_c: j N is added here to the entries
        of column j = 0, ..., n - 1 of L. There is no sentinel then.

    Returns
    -------
    Object array of Python int, shape (..., n). Computed in int64 where a bound on the ids of this very input
    fits, and in Python integers beyond; either way exact.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, L is no array of shape (..., d, n) of integers, or leaves the extended grid.
    """
    array = _integers(L)
    grid = Grid(inverse_delta, array.shape[-1], array.shape[-2])
    if array.dtype == np.int64:
        with contextlib.suppress(Overflow):
            ids = context_ids_int64(
                torch.from_numpy(array),
                inverse_delta=inverse_delta,
                global_shift=global_shift,
                positional=positional,
            )
            return ids.numpy().astype(object)
    whole_numbers = array.astype(object)
    _require_on_grid(whole_numbers, grid, positional)
    factor = global_factor(grid, positional) if global_shift else 0
    columns: Any = _read(whole_numbers, column_vector(grid.inverse_delta, grid.d))
    if positional:
        columns = columns + np.array(column_starts(grid.inverse_delta, grid.n, grid.d), dtype=object)
        return np.asarray(_sweep_sorted(columns, grid, factor, np.where, np.stack, positional=True))
    order = np.argsort(columns, axis=-1, kind="stable")
    ascending = np.take_along_axis(columns, order, axis=-1)
    result = np.empty_like(columns)
    np.put_along_axis(result, order, _sweep_sorted(ascending, grid, factor, np.where, np.stack), axis=-1)
    return np.asarray(result)


def context_ids_int64(
    L: torch.Tensor, *, inverse_delta: int, global_shift: bool = True, positional: bool = False
) -> torch.Tensor:
    """`context_ids` on an int64 tensor of any device: the fast path, shape (..., d, n) to (..., n).

    Raises
    ------
    ValueError
        As `context_ids`.
    Overflow
        The ids of these sequences might need more than 63 bits.
    """
    if not isinstance(L, torch.Tensor) or L.dtype != torch.int64 or L.ndim < 2 or 0 in L.shape:
        got = f"{L.dtype} of shape {tuple(L.shape)}" if isinstance(L, torch.Tensor) else type(L).__name__
        raise ValueError(f"L: expected an int64 tensor of shape (..., d, n), not empty, got {got}.")
    grid = Grid(inverse_delta, L.shape[-1], L.shape[-2])
    factor = global_factor(grid, positional) if global_shift else 0
    # The factors must fit by themselves: a tensor of zeros times 2^63 is no tensor.
    if (largest := max(factor, grid.column_values)) >= 2**63:
        raise _overflow(grid, largest)
    u, flat = column_vector(grid.inverse_delta, grid.d), L.reshape(-1, grid.d, grid.n)
    result = torch.empty((len(flat), grid.n), dtype=torch.int64, device=L.device)
    for start in progress(range(0, len(flat), CHUNK), "context ids"):
        chunk = flat[start : start + CHUNK]
        _require_on_grid(chunk, grid, positional)
        _require_63_bits(chunk, grid, factor, positional)
        columns = _read(chunk, u)
        if positional:
            columns += torch.tensor(column_starts(grid.inverse_delta, grid.n, grid.d), device=L.device)
            result[start : start + CHUNK] = _sweep_sorted(
                columns, grid, factor, torch.where, torch.stack, positional=True
            )
            continue
        ascending, order = torch.sort(columns, dim=-1)
        swept = _sweep_sorted(ascending, grid, factor, torch.where, torch.stack)
        result[start : start + CHUNK].scatter_(-1, order, swept)
    return result.reshape(*L.shape[:-2], grid.n)


def column_starts(inverse_delta: int, n: int, d: int) -> list[int]:
    """s_1, ..., s_n in units of delta: the column id of E_j = (j - 1) 1_d, j N (1 + N + ... + N^{d-1}) for j from 0.

    With E added, column j of a grid sequence has an id in s_j, ..., s_j + D - 1. Source: yun2020, section G.2.
    """
    step = int(inverse_delta) * sum(column_vector(inverse_delta, d))
    return [j * step for j in range(n)]


def global_factor(grid: Grid, positional: bool) -> int:
    """F, by which the last layer multiplies the largest id: D^{n+1}, in Theorem 3 n N D^{n+1}."""
    return grid.column_values ** (grid.n + 1) * (grid.n * grid.inverse_delta if positional else 1)


def _sweep_sorted(ascending: Any, grid: Grid, factor: int, where: Any, stack: Any, *, positional: bool = False) -> Any:
    """The ids of columns whose column ids (..., n) ascend: the recursion of yun2020, sections E.3.1 to E.3.3.

    The sweep reaches the ids 0, ..., D - 1 from below. Each that occurs is lifted by D (max - min) of the ids
    as they are then, equal ones together; it becomes the new maximum, at least D, and is not met again.
    Negative ids (columns with a sentinel) are never lifted, so the smallest stays the minimum.
    """
    D, n = grid.column_values, grid.n
    columns = [ascending[..., j] for j in range(n)]
    lowest, top = columns[0], columns[-1]
    swept: list[Any] = []
    for j, current in enumerate(columns):
        # Columns below `current` have left the bottom, unless they are negative.
        minimum = where(lowest < 0, lowest, current)
        lifted = current + D * (top - minimum)
        if j > 0:
            lifted = where(current == columns[j - 1], swept[-1], lifted)
        swept.append(where(current < 0, current, lifted))
        top = where(current < 0, top, swept[-1])
    if positional and n == 2 and grid.d == 1:
        # (1 - delta, 1), and no other sequence, goes to 2 - delta at its first lift, which the sweep has yet to reach.
        again = swept[0] == 2 * D - 1
        swept[0] = where(again, swept[0] + D * (top - swept[0]), swept[0])
        top = where(again, swept[0], top)
    if factor:
        up, down = factor * top, factor * lowest
        # An id is 0 only if all are: then every score ties, and the mean of zeros is added.
        swept = [where(s > 0, s + up, where(s < 0, s + down, s)) for s in swept]
    return stack(swept, -1)


def _require_63_bits(L: torch.Tensor, grid: Grid, factor: int, positional: bool) -> None:
    """Bound every number of `_sweep_sorted` in Python integers, from the largest and smallest entries at hand."""
    D, n = grid.column_values, grid.n
    u = column_vector(grid.inverse_delta, grid.d)
    smallest, largest = L.amin(0).T.tolist(), L.amax(0).T.tolist()
    low = min(sum(u_i * min(entry, 0) for u_i, entry in zip(u, column, strict=True)) for column in smallest)
    starts = column_starts(grid.inverse_delta, n, grid.d) if positional else [0] * n
    high = max(
        start + sum(u_i * max(entry, 0) for u_i, entry in zip(u, column, strict=True))
        for start, column in zip(starts, largest, strict=True)
    )
    # With a negative column at most n - 1 columns are lifted; without one, n columns and the minimum is >= 0.
    bounds = []
    for depth, lifts in ((-low, n - 1 if low < 0 else 0), (0, n)):
        top = high
        for _ in range(lifts):
            top = high + D * (top + depth)
        bounds.append((factor + 1) * max(top, depth))
    if max(bounds) >= 2**63:
        raise _overflow(grid, max(bounds))


def _overflow(grid: Grid, bound: int) -> Overflow:
    return Overflow(
        f"int64: ids at inverse_delta={grid.inverse_delta}, n={grid.n}, d={grid.d} may need {bound.bit_length()} "
        "bits and have 63; use context_ids, which goes on in Python integers."
    )


def _integers(L: Any) -> np.ndarray:
    """L as an array of int64, or of Python int where an entry needs more."""
    if isinstance(L, torch.Tensor):
        L = L.detach().cpu().numpy()
    try:
        array = L if isinstance(L, np.ndarray) else np.array(L, dtype=object)
    except ValueError:
        array = np.empty(0)  # lists of unequal lengths
    if array.dtype.kind == "O" and all(_is_whole(entry) for entry in array.flat):
        array = np.asarray(np.frompyfunc(int, 1, 1)(array), dtype=object)
    elif array.dtype.kind not in "iu":
        array = np.empty(0)
    if array.ndim < 2 or 0 in array.shape:
        raise ValueError(
            f"L: expected integers in units of delta, shape (..., d, n), got {type(L).__name__} {L!r:.80}; "
            "multiply grid values by inverse_delta."
        )
    small = array.dtype.kind == "i" or all(-(2**63) <= entry < 2**63 for entry in array.flat)
    return array.astype(np.int64 if small else object)


def _is_whole(entry: Any) -> bool:
    return isinstance(entry, Rational) and not isinstance(entry, bool) and entry.denominator == 1


def _require_on_grid(L: Any, grid: Grid, positional: bool) -> None:
    N, sentinel = grid.inverse_delta, grid.sentinel_units
    # A sentinel beyond int64 cannot occur in a tensor, and torch refuses to compare with it.
    bad = (L < 0) | (L >= N)
    if not positional and (sentinel >= -(2**63) or not isinstance(L, torch.Tensor)):
        bad &= sentinel != L
    if bool(bad.any()):
        sequence = L[bad.any(-1).any(-1)].reshape(-1, grid.d, grid.n)[0].tolist()
        if positional:
            raise ValueError(
                f"L: expected entries 0, ..., {N - 1} in units of delta, got the sequence {sequence}; "
                "positional=True adds the encodings itself, and Theorem 3 has no sentinel."
            )
        raise ValueError(
            f"L: expected entries 0, ..., {N - 1} or the sentinel {sentinel} (-N^(nd+1)) in units of delta, "
            f"got the sequence {sequence}; quantize it first, and multiply by inverse_delta."
        )


# ------------------------------------------------------------------------------------------------ what it must satisfy


def id_interval(inverse_delta: int, n: int, d: int) -> tuple[int, int]:
    """(t_l, t_r) in units of delta: D^{2n} (D - 1) and D^{2n+1} (D - 1). Source: yun2020, section E.3.1."""
    grid = Grid(inverse_delta, n, d)
    D, n = grid.column_values, grid.n
    return D ** (2 * n) * (D - 1), D ** (2 * n + 1) * (D - 1)


def categories(L: torch.Tensor) -> torch.Tensor:
    """1, 2 or 3 for each sequence of integers (..., d, n): distinct columns, repeated columns, some sentinel.

    Source: yun2020, section E.3.
    """
    columns = L.mT
    same = (columns.unsqueeze(-2) == columns.unsqueeze(-3)).all(-1)
    repeated = same.sum((-2, -1)) > L.shape[-1]
    return torch.where((L < 0).any(-1).any(-1), 3, torch.where(repeated, 2, 1))
