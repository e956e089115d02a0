"""The ids of the contextual mapping in closed form: one number for every token in its context.

Units: on the grid every quantity is a multiple of delta = 1/N, so sequences and ids are integers "in units of delta".
The column id of a token L_j is u^T L_j with u = (1, N, ..., N^{d-1}); on the grid it runs over 0, ..., D - 1, D = N^d.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ..arithmetic import Overflow
from ..arithmetic.numbers import entries, numbers, real, real_tensor
from ..checks import flag, is_plain_tensor, refused, shown, whole
from ..grids import CHUNK, Grid
from ..internal.progress import progress
from ..internal.shapes import Numbers

# ------------------------------------------------------------------------------------------- Lemma 8, layer by layer


def column_vector(inverse_delta: int, d: int) -> list[int]:
    """u = (1, N, ..., N^{d-1}): u^T L_j reads column j as one number."""
    grid = Grid(inverse_delta, 1, d)
    return [grid.inverse_delta**i for i in range(grid.d)]


def context_grid(inverse_delta: int, n: int, d: int) -> Grid:
    """The grid of a network that needs contexts, so n >= 2."""
    return Grid(inverse_delta, whole("n", n, 2, hint="a lone token has no context, and Lemma 8 fails for it"), d)


def ones_id(grid: Grid) -> int:
    """u^T 1_d = 1 + N + ... + N^{d-1}: the column id of a token whose entries are all delta, in units."""
    return sum(column_vector(grid.inverse_delta, grid.d))


def positive_sentinel(grid: Grid) -> int:
    """N^{(n+1)d-1}, D^{n+1} in units of delta: a sentinel above the box, which keeps all column ids >= 0.

    A sequence that holds it gets only ids of at least D^{2n+2} > t_r units from the contextual mapping, since the
    last layer adds D^{n+1} times the largest id, itself at least D^{n+1}, to every one.
    """
    return grid.inverse_delta ** ((grid.n + 1) * grid.d - 1)


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


def context_ids(L: Numbers, *, inverse_delta: int, global_shift: bool = True, positional: bool = False) -> np.ndarray:
    """u^T g_c(L) in units of delta, for any number of extended grid sequences at once, without running the layers.

    Source: yun2020, sections E.3 and G.2.

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
    ConstructionTooLarge
        As `Grid`.
    """
    array = _integers(L)
    grid = Grid(inverse_delta, array.shape[-1], array.shape[-2])
    if array.dtype == np.int64:
        options: dict[str, Any] = {"global_shift": global_shift, "positional": positional}
        with contextlib.suppress(Overflow):
            ids = context_ids_int64(torch.from_numpy(array), inverse_delta=grid.inverse_delta, **options)
            return ids.numpy(force=True).astype(object)
    is_positional, factor = _options(grid, global_shift, positional)
    _require_on_grid(array, grid, is_positional)
    return np.asarray(_ids(array.astype(object), grid, factor, is_positional))


def context_ids_int64(
    L: torch.Tensor, *, inverse_delta: int, global_shift: bool = True, positional: bool = False
) -> torch.Tensor:
    """`context_ids` on an int64 tensor of any device: the fast path, shape (..., d, n) to (..., n).

    Raises
    ------
    ValueError, ConstructionTooLarge
        As `context_ids`.
    Overflow
        The ids of these sequences might need more than 63 bits.
    """
    if not is_plain_tensor(L) or real_tensor(L, "L").dtype != torch.int64 or L.ndim < 2 or 0 in L.shape:
        raise refused("L", "an int64 tensor of shape (..., d, n), not empty", L)
    grid = Grid(inverse_delta, L.shape[-1], L.shape[-2])
    is_positional, factor = _options(grid, global_shift, positional)
    # The factors must fit by themselves: a tensor of zeros times 2^63 is no tensor.
    _require_63_bits(grid, max(factor, grid.column_values))
    flat = L.reshape(-1, grid.d, grid.n)
    result = torch.empty((len(flat), grid.n), dtype=torch.int64, device=L.device)
    for start in progress(range(0, len(flat), CHUNK), "context ids"):
        chunk = flat[start : start + CHUNK]
        _require_on_grid(chunk, grid, is_positional)
        _require_63_bits(grid, _largest_met(chunk, grid, factor, is_positional))
        result[start : start + CHUNK] = _ids(chunk, grid, factor, is_positional)
    return result.reshape(*L.shape[:-2], grid.n)


def column_starts(inverse_delta: int, n: int, d: int) -> list[int]:
    """s_1, ..., s_n in units of delta: the column id of E_j = (j - 1) 1_d, j N (1 + N + ... + N^{d-1}) for j from 0.

    With E added, column j of a grid sequence has an id in s_j, ..., s_j + D - 1. Source: yun2020, section G.2.
    """
    grid = Grid(inverse_delta, n, d)
    return [j * grid.inverse_delta * ones_id(grid) for j in range(grid.n)]


def global_factor(grid: Grid, positional: bool) -> int:
    """F, by which the last layer multiplies the largest id: D^{n+1}, in Theorem 3 n N D^{n+1}."""
    return grid.column_values ** (grid.n + 1) * (grid.n * grid.inverse_delta if positional else 1)


def _options(grid: Grid, global_shift: object, positional: object) -> tuple[bool, int]:
    """Whether there are positions, and the factor of the last layer, 0 without one."""
    is_positional = flag("positional", positional)
    return is_positional, global_factor(grid, is_positional) if flag("global_shift", global_shift) else 0


def _ids(L: Any, grid: Grid, factor: int, positional: bool) -> Any:
    """The ids of sequences (..., d, n) in a tensor or an array, whose numbers must hold all that is met on the way."""
    N, n, d = grid.inverse_delta, grid.n, grid.d
    columns = _read(L, column_vector(N, d))
    if positional:
        starts = column_starts(N, n, d)
        is_tensor = isinstance(L, torch.Tensor)
        columns = columns + (torch.tensor(starts, device=L.device) if is_tensor else np.array(starts, dtype=object))
    # (1 - delta, 1), and no other sequence, goes to 2 - delta at its first lift, which the sweep has yet to reach.
    met_again = 2 * grid.column_values - 1 if positional and (n, d) == (2, 1) else None
    return _in_order(columns, lambda ascending: _sweep(ascending, grid.column_values, factor, met_again))


def _in_order(columns: Any, sweep: Callable[[Any], Any]) -> Any:
    """`sweep` of the columns in ascending order, put back into theirs."""
    if isinstance(columns, torch.Tensor):
        ascending, order = torch.sort(columns, dim=-1)
        return torch.empty_like(columns).scatter_(-1, order, sweep(ascending))
    places, result = np.argsort(columns, axis=-1, kind="stable"), np.empty_like(columns)
    np.put_along_axis(result, places, sweep(np.take_along_axis(columns, places, axis=-1)), axis=-1)
    return result


def _sweep(ascending: Any, D: int, factor: int, met_again: int | None) -> Any:
    """The ids of columns whose column ids (..., n) ascend: the recursion of yun2020, sections E.3.1 to E.3.3.

    The sweep reaches the ids 0, ..., D - 1 from below. Each that occurs is lifted by D (max - min) of the ids
    as they are then, equal ones together; it becomes the new maximum, at least D, and is not met again, unless
    it is `met_again`. Negative ids (columns with a sentinel) are never lifted, so the smallest stays the minimum.
    """
    where, stack = (torch.where, torch.stack) if isinstance(ascending, torch.Tensor) else (np.where, np.stack)
    columns = [ascending[..., j] for j in range(ascending.shape[-1])]
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
    if met_again is not None:
        again = swept[0] == met_again
        swept[0] = where(again, swept[0] + D * (top - swept[0]), swept[0])
        top = where(again, swept[0], top)
    if factor:
        up, down = factor * top, factor * lowest
        # An id is 0 only if all are: then every score ties, and the mean of zeros is added.
        swept = [where(s > 0, s + up, where(s < 0, s + down, s)) for s in swept]
    return stack(swept, -1)


def _largest_met(L: torch.Tensor, grid: Grid, factor: int, positional: bool) -> int:
    """A bound on every number of `_sweep`, in Python integers, from the largest and smallest entries at hand."""
    N, n, d = grid.inverse_delta, grid.n, grid.d
    u, starts = column_vector(N, d), column_starts(N, n, d) if positional else [0] * n

    def extreme(columns: list[list[int]], sign: int) -> list[int]:
        return [sum(u_i * max(sign * entry, 0) for u_i, entry in zip(u, c, strict=True)) for c in columns]

    below = max(extreme(L.amin(0).T.tolist(), -1))
    high = max(start + above for start, above in zip(starts, extreme(L.amax(0).T.tolist(), 1), strict=True))
    bounds = []
    # With a negative column at most n - 1 columns are lifted; without one, n columns and the minimum is >= 0.
    for depth, lifts in ((below, n - 1 if below else 0), (0, n)):
        top = high
        for _ in range(lifts):
            top = high + grid.column_values * (top + depth)
        bounds.append((factor + 1) * max(top, depth))
    return max(bounds)


def _require_63_bits(grid: Grid, largest: int) -> None:
    if largest >= 2**63:
        raise Overflow(
            f"int64: ids at {grid} may need {largest.bit_length()} bits and have 63; use context_ids, which goes on "
            "in Python integers."
        )


def _integers(L: object) -> np.ndarray:
    """L as an array of int64, or of Python int where an entry needs more."""
    array = numbers(L, "L")
    if array.dtype.kind == "O":
        array = entries(array, "L", real)
    whole = array.dtype.kind in "iu" or all(not isinstance(t, float) and t.denominator == 1 for t in array.flat)
    if not whole or array.ndim < 2 or 0 in array.shape:
        expected = "integers in units of delta, shape (..., d, n), not empty"
        raise refused("L", expected, L, "multiply grid values by inverse_delta")
    small = array.dtype.kind == "i" or all(-(2**63) <= entry < 2**63 for entry in array.flat)
    return array.astype(np.int64) if small else np.asarray(np.frompyfunc(int, 1, 1)(array), dtype=object)


def _require_on_grid(L: Any, grid: Grid, positional: bool) -> None:
    N, sentinel = grid.inverse_delta, grid.sentinel_units
    # A sentinel beyond int64 cannot occur in a tensor, and torch refuses to compare with it.
    bad = (L < 0) | (L >= N)
    if not positional and (sentinel >= -(2**63) or not isinstance(L, torch.Tensor)):
        bad &= sentinel != L
    if not bool(bad.any()):
        return
    sequence = L[bad.any(-1).any(-1)].reshape(-1, grid.d, grid.n)[0].tolist()
    also, hint = f" or the sentinel {shown(sentinel)} (-N^(nd+1))", "quantize it first, and multiply by inverse_delta"
    if positional:
        also, hint = "", "positional=True adds the encodings itself, and Theorem 3 has no sentinel"
    expected = f"entries 0, ..., {N - 1}{also} in units of delta"
    raise ValueError(f"L: expected {expected}, got the sequence {sequence}; {hint}.")


# ------------------------------------------------------------------------------------------------ what it must satisfy


def id_interval(inverse_delta: int, n: int, d: int) -> tuple[int, int]:
    """(t_l, t_r) in units of delta: D^{2n} (D - 1) and D^{2n+1} (D - 1). Source: yun2020, section E.3.1."""
    grid = Grid(inverse_delta, n, d)
    D, n = grid.column_values, grid.n
    return D ** (2 * n) * (D - 1), D ** (2 * n + 1) * (D - 1)


def categories(L: torch.Tensor) -> torch.Tensor:
    """1, 2 or 3 for each sequence of integers (..., d, n): distinct columns, repeated columns, some sentinel.

    ValueError for anything but a tensor of integers. Source: yun2020, section E.3.
    """
    if not is_plain_tensor(L) or real_tensor(L, "L").is_floating_point() or L.ndim < 2 or 0 in L.shape:
        raise refused("L", "a tensor of integers of shape (..., d, n), not empty", L)
    columns = L.mT
    same = (columns.unsqueeze(-2) == columns.unsqueeze(-3)).all(-1)
    repeated = same.sum((-2, -1)) > L.shape[-1]
    return torch.where((L < 0).any(-1).any(-1), 3, torch.where(repeated, 2, 1))
