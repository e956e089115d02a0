"""The contextual mapping of yun2020, Lemma 8, as literal layers of hardmax attention.

On the grid every quantity is a multiple of delta = 1/N, and the id of a token L_j is u^T L_j with u = (1, N, ...,
N^{d-1}). What the layers compute is in closed form in `ids`.
"""

from __future__ import annotations

from fractions import Fraction

from ..arithmetic.numbers import real
from ..checks import whole
from ..grids import Grid
from ..layers import Attention, Head
from ..model import Transformer
from . import cost, ids


def psi(b_q: int | Fraction, scale: int, inverse_delta: int, d: int) -> Head:
    """The head scale e_1 u^T Z hardmax[(u^T Z)^T (u^T Z - b_q 1^T)], of size 1.

    A column with u^T Z_j > b_q gets scale max_k u^T Z_k added to its first
    entry, one with u^T Z_j < b_q gets scale min_k u^T Z_k.
    Source: yun2020, section E.3.
    """
    u = [ids.column_vector(inverse_delta, d)]
    e_1 = [[scale]] + [[0]] * (d - 1)
    return Head(w_q=u, w_k=u, w_v=u, w_o=e_1, b_q=[-real(b_q)])


def selective_shift_layer(column_id: int, inverse_delta: int, d: int) -> Attention:
    """D (psi(.; b) - psi(.; b')), b, b' half a step below, above `column_id`.

    Columns with that id (in units of delta) have D (max - min of all ids) added
    to their first entry, the others stay. Source: yun2020, section E.3.
    """
    grid, half = Grid(inverse_delta, 1, d), Fraction(1, 2)
    N, D, c = grid.inverse_delta, grid.column_values, whole("column_id", column_id, 0)
    below = psi((c - half) / N, D, N, d)
    above = psi((c + half) / N, -D, N, d)
    return Attention([below, above], "hardmax")


def global_shift_layer(inverse_delta: int, n: int, d: int) -> Attention:
    """D^{n+1} psi(.; 0).

    Columns with positive id are lifted by D^{n+1} times the largest id, those
    with negative id by the smallest. Source: yun2020, section E.3.
    """
    grid = Grid(inverse_delta, n, d)
    scale = grid.column_values ** (grid.n + 1)
    return Attention([psi(0, scale, inverse_delta, d)], "hardmax")


def sweep_layers(inverse_delta: int, d: int) -> list[Attention]:
    """One selective shift for every column id, in increasing order."""
    grid = Grid(inverse_delta, 1, d)
    cost.require_fits("attention", "sweep_layers", grid, arrays=10)
    return [selective_shift_layer(column_id, inverse_delta, d) for column_id in range(grid.column_values)]


def selective_shift(*, inverse_delta: int, n: int, d: int) -> Transformer:
    """The contextual mapping g_c: D = N^d selective shifts, one for each column id in increasing order, and one global.

    All layers are hardmax attention of head size 1, with two heads (one in the last). For a sequence of distinct grid
    columns with ids l_1 < ... < l_n the result has u^T g_c(L)_j = l~_j + D^{n+1} l~_n, where l~_1 = l_1 + D (l_n - l_1)
    and l~_j = l_j + D (l~_{j-1} - l_j). Source: yun2020, Lemma 8 (proof in section E.3).

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, or n or d no int >= 1.
    ConstructionTooLarge
        More layers, parameters or bytes than fit; nothing is allocated.
    """
    grid = Grid(inverse_delta, n, d)
    N, n, d = grid.inverse_delta, grid.n, grid.d
    cost.require_fits("attention", "selective_shift", grid, arrays=10, bits=(n + 1) * d * N.bit_length())
    return Transformer([*sweep_layers(N, d), global_shift_layer(N, n, d)], n=n)
