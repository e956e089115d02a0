"""Positional encodings: the layers of yun2020, Theorem 3, which tell every grid sequence from every other.

X + E has column j = 0, ..., n - 1 in [j, j + 1)^d, so that column ids increase along the sequence, whatever it is.
"""

from __future__ import annotations

import numpy as np

from ..grids import Grid
from ..layers import Attention
from ..model import Transformer
from . import cost, ids
from .quantizer_layers import Variant, step_layer
from .shift_layers import psi, selective_shift_layer


def encodings(n: int, d: int) -> np.ndarray:
    """E of shape (d, n) with E_ij = j for j = 0, ..., n - 1, Python ints. Source: yun2020, section G.

    Raises
    ------
    ValueError
        n or d is no int >= 1.
    ConstructionTooLarge
        As `Grid`.
    """
    grid = Grid(2, n, d)
    return np.array([list(range(grid.n))] * grid.d, dtype=object)


def positional_quantizer(*, inverse_delta: int, n: int, d: int, variant: Variant = "repaired") -> Transformer:
    """Quantizes X + E: every entry in [k delta, (k + 1) delta) becomes k delta, k = 0, ..., n N - 1; d n N layers.

    Entries outside [0, n) stay: Theorem 3 has a compact domain and no sentinel. Source: yun2020, section G.1; see
    `step_layer` for `variant`, the slip of Lemma 7 is here too.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, n or d no int >= 1, or another variant is asked for.
    ConstructionTooLarge
        More layers, parameters or bytes than fit; nothing is allocated.
    """
    grid = Grid(inverse_delta, n, d)
    N, n, d = grid.inverse_delta, grid.n, grid.d
    cost.require_fits("quantization", "positional_quantizer", grid, arrays=5, positional=True)
    return Transformer([step_layer(row, k, N, d, variant) for row in range(d) for k in range(n * N)], n=n)


def positional_shift(*, inverse_delta: int, n: int, d: int) -> Transformer:
    """The contextual mapping g_c of Theorem 3: n D selective shifts and n N D^{n+1} psi(.; 0).

    The shifts are those for the column ids s_j, ..., s_j + D - 1 of each column j, in increasing order. For a grid
    sequence L the ids are u^T g_c(L + E)_j = l~_j + n N D^{n+1} max_k l~_k in units of delta, all different from those
    of every other L. Source: yun2020, section G.2.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, or n or d no int >= 1.
    ConstructionTooLarge
        More layers, parameters or bytes than fit; nothing is allocated.
    """
    grid = Grid(inverse_delta, n, d)
    N, n, d = grid.inverse_delta, grid.n, grid.d
    bits = (n + 2) * d * N.bit_length() + n.bit_length()
    cost.require_fits("attention", "positional_shift", grid, arrays=10, bits=bits, positional=True)
    sweep = [selective_shift_layer(s + c, N, d) for s in ids.column_starts(N, n, d) for c in range(grid.column_values)]
    last = psi(0, ids.global_factor(grid, positional=True), N, d)
    return Transformer([*sweep, Attention([last], "hardmax")], n=n)
