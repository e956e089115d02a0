"""Positional encodings: the layers of yun2020, Theorem 3, which tell every grid sequence from every other.

X + E has column j = 0, ..., n - 1 in [j, j + 1)^d, so that column ids increase along the sequence, whatever it is.
"""

from __future__ import annotations

import numpy as np

from ..grids import Grid
from ..layers import Attention
from ..model import Transformer
from ._quantizer import Variant, step_layer
from ._selective_shift import psi, selective_shift_layer
from ._sizes import require_size
from .ids import column_starts, global_factor


def encodings(n: int, d: int) -> np.ndarray:
    """E of shape (d, n) with E_ij = j for j = 0, ..., n - 1, Python ints. Source: yun2020, section G."""
    grid = Grid(2, n, d)
    return np.array([list(range(grid.n))] * grid.d, dtype=object)


def positional_quantizer(*, inverse_delta: int, n: int, d: int, variant: Variant = "repaired") -> Transformer:
    """Quantizes X + E: every entry in [k delta, (k + 1) delta) becomes k delta, k = 0, ..., n N - 1; d n N layers.

    Entries outside [0, n) stay: Theorem 3 has a compact domain and no sentinel. Source: yun2020, section G.1; see
    `quantization.step_layer` for `variant`, the slip of Lemma 7 is here too.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, n or d no int >= 1, or another variant is asked for.
    ConstructionTooLarge
        More layers, parameters or bytes than fit; nothing is allocated.
    """
    grid = Grid(inverse_delta, n, d)
    if variant not in ("repaired", "printed"):
        raise ValueError(f'positional_quantizer: expected variant "repaired" or "printed", got {variant!r}.')
    N, n, d = grid.inverse_delta, grid.n, grid.d
    layers = d * n * N
    require_size(
        f"positional_quantizer(inverse_delta={N}, n={n}, d={d})",
        layers=layers,
        arrays_per_layer=5,
        parameters=layers * (2 * d + 1),
    )
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
    bits, D = d * N.bit_length(), grid.column_values_to_refuse
    require_size(
        f"positional_shift(inverse_delta={N}, n={n}, d={d})",
        layers=n * D + 1,
        arrays_per_layer=10,
        parameters=2 * n * D * (4 * d + 1) + 4 * d + 1,
        longest_bits=(n + 2) * bits + n.bit_length(),
    )
    sweep = [selective_shift_layer(s + c, N, d) for s in column_starts(N, n, d) for c in range(D)]
    last = psi(0, global_factor(grid, positional=True), N, d)
    return Transformer([*sweep, Attention([last], "hardmax")], n=n)
