"""What the statements of yun2020 share: grids that can be run, exact sequences, and checks that count."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import torch

from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.checks import shown
from uatlib.grids import Grid
from uatlib.model import Transformer
from uatlib.yun2020.cost import COARSER
from uatlib.yun2020.ids import column_vector, id_interval

from ..damages import Damage, in_a_layer, in_part, shifted

MAX_BITS = 10_000
"""Grids of more than 2^10,000 sequences are refused before any of their sizes is computed."""
MAX_LITERAL = 3_000_000
"""Entries that literal layers may compute in EXACT."""


class OnGrid(NamedTuple):
    """A network that is run on sequences of a grid."""

    grid: Grid
    model: Transformer


def grid_of(id: str, inverse_delta: Any, n: Any, d: Any = 1, *, least: int = 2, distinct: bool = False) -> Grid:
    """The grid; ValueError unless it has at least so many tokens, and, if `distinct`, at most N^d of them."""
    grid = Grid(inverse_delta, n, d)
    require_few(id, "bits a sequence", grid.n * grid.d * grid.inverse_delta.bit_length(), MAX_BITS)
    if grid.n < least:
        raise ValueError(f"{id}: expected n >= {least}, got {n}; a lone token has no context.")
    if distinct and grid.n > grid.column_values:
        got = f"n = {n} and N^d = {shown(grid.column_values)}"
        raise ValueError(f"{id}: expected n <= N^d, got {got}; no sequence has distinct columns.")
    return grid


def require_few(id: str, what: str, count: int, most: int) -> None:
    """ValueError that begins with `id` if there are more than `most` of what would be computed."""
    if count > most:
        about = f"{count:,}" if count < 10**15 else shown(count)
        raise ValueError(f"{id}: expected at most {most:,} {what} (the limit), got {about}. {COARSER}")


def require_literal(id: str, entries: int, most: int = MAX_LITERAL) -> None:
    """ValueError if literal layers would compute too many entries in EXACT."""
    require_few(id, "exact entries that the literal layers would compute", entries, most)


def exact_sequences(L: torch.Tensor | np.ndarray, inverse_delta: int) -> np.ndarray:
    """Sequences of integers in units of delta as real numbers: an object array of Fractions."""
    return np.asarray(np.frompyfunc(lambda k: Fraction(int(k), inverse_delta), 1, 1)(np.asarray(L).astype(object)))


def literal_ids(model: Transformer, X: np.ndarray, inverse_delta: int) -> np.ndarray:
    """u^T model(X) in units of delta, by running the layers in EXACT."""
    u = np.array(column_vector(inverse_delta, X.shape[-2]), dtype=object)[:, None]
    return np.asarray((u * model(X, EXACT)).sum(axis=-2) * inverse_delta)


def shifted_by_steps(names: str, steps: object) -> Damage:
    """The weights of one layer whose names end so, plus so many steps of the grid; for what has `model` and `grid`."""
    return lambda parts, rng: in_part("model", in_a_layer(shifted(names, steps * parts.grid.delta)))(parts, rng)


def interval_checks(grid: Grid, sentinel: Any, model: Transformer, names: tuple[str, str]) -> list[Check]:
    """Properties 8.3 and 8.4 with any sentinel: sequences of distinct columns of the grid have ids in [t_l, t_r].

    Those with a repeated column or a sentinel have none there. On the whole extended grid, literally in EXACT.
    """
    N, n, d = grid.inverse_delta, grid.n, grid.d
    values = [Fraction(k, N) for k in range(N)] + [Fraction(sentinel)]
    X = np.array(list(itertools.product(values, repeat=d * n)), dtype=object).reshape(-1, d, n)
    ids = literal_ids(model, X, N)
    t_l, t_r = id_interval(N, n, d)
    inside = (ids >= t_l) & (ids <= t_r)
    real = np.array([sentinel not in x and len({tuple(c) for c in x.T.tolist()}) == n for x in X])

    def witness(k: int) -> dict[str, object]:
        return {"L": X[k], "ids": ids[k]}

    return [
        Check.none(names[0], real & ~inside.all(axis=-1), witness, cases=int(real.sum())),
        Check.none(names[1], ~real & inside.any(axis=-1), witness, cases=int((~real).sum())),
    ]
