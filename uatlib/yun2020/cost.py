"""What the construction of yun2020 costs, in closed form: layers, weights, and the bits that an id takes."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

from .. import sizes
from ..checks import choice, flag
from ..grids import Grid
from .ids import ones_id

Domain = Literal["grid", "extended"]
COARSER = (
    "Choose a coarser grid (smaller inverse_delta), shorter sequences (smaller n) or fewer dimensions (smaller d)."
)
require_size = partial(sizes.require_size, hint=COARSER)


def layer_counts(inverse_delta: int, n: int, d: int, positional: bool = False, repaired: bool = True) -> dict[str, int]:
    """Layers of the hardmax network: "quantization", "attention", "value" and their sum "total".

        Theorem 2:  d (N + 1),  D + 1,    1 + d + n C(D, n)
        Theorem 3:  d n N,      n D + 1,  n D^n                 (`positional`)

    and one value layer more if `repaired`. Source: yun2020, Lemmas 7 to 9 and sections G.1 to G.3.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, n or d no int >= 1, or positional or repaired no bool.
    ConstructionTooLarge
        As `Grid`.
    """
    grid = Grid(inverse_delta, n, d)
    N, n, d, D = grid.inverse_delta, grid.n, grid.d, grid.column_values
    if flag("positional", positional):
        counts = {"quantization": d * n * N, "attention": n * D + 1, "value": n * D**n}
    else:
        counts = {"quantization": d * (N + 1), "attention": D + 1, "value": 1 + d + n * math.comb(D, n)}
    counts["value"] += flag("repaired", repaired)
    return {**counts, "total": sum(counts.values())}


def parameter_counts(
    inverse_delta: int, n: int, d: int, positional: bool = False, repaired: bool = True, relus: bool = False
) -> dict[str, int]:
    """Weights and biases of the hardmax network, by the parts of `layer_counts`, zeros included.

    A feed-forward layer has one hidden unit: 2 d weights, and a bias where it has a threshold of its own (all but the
    1 + d or 2 + d layers of the value map that mark columns of no context and give answers back; with `positional`, all
    but the last). A head has 4 d weights and a query bias, a selective shift two heads, the global shift one. Source:
    yun2020, section 3.2, which says O(d) for each layer.

    With `relus` a feed-forward layer has four units, each with a bias: 8 d + 4. The layers that mark columns of no
    context and that give answers back are constant far out, where ReLUs look away, and have d output biases, too.

    Raises
    ------
    ValueError, ConstructionTooLarge
        As `layer_counts`.
    """
    layers = layer_counts(inverse_delta, n, d, positional, repaired)
    unit = 8 * d + 4 if flag("relus", relus) else 2 * d + 1
    plain = d * (bool(repaired) + (not positional)) if relus else -bool(repaired) - (0 if positional else 1 + d)
    counts = {
        "quantization": layers["quantization"] * unit,
        "attention": (2 * layers["attention"] - 1) * (4 * d + 1),
        "value": layers["value"] * unit + plain,
    }
    return {**counts, "total": sum(counts.values())}


def require_fits(part: str, what: str, grid: Grid, *, arrays: int, bits: int = 64, **options: bool) -> None:
    """Refuse the layers of a part that would not fit, in the name of the function that builds it."""
    layers, parameters = (counts(**vars(grid), **options)[part] for counts in (layer_counts, parameter_counts))
    require_size(f"{what}({grid})", layers=layers, arrays_per_layer=arrays, parameters=parameters, longest_bits=bits)


def flattened_counts(inverse_delta: int, n: int, d: int) -> dict[str, int]:
    """The "layers" and "parameters" of a residual network that takes X as one long vector and looks f up by cubes.

    A rival to the networks above, made by their technique: n d numbers are one token, so that every cube has an id of
    its own, u^T L with u = (1, N, ..., N^{nd-1}), and nothing need be told apart. On [0, 1)^{nd} it has

        d n N layers that quantize,  N^{nd} table layers, one a cube,  and 1 that gives answers back

    of one hidden unit and three-piece activation each: 2 n d weights, and a bias in all but the last. Source: yun2020,
    section 3.2, which compares with O((1/delta)^{dn}) layers of O(d n) parameters in the proof of linjegelka2018. The
    constants here are those of this network.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, or n or d no int >= 1.
    ConstructionTooLarge
        As `Grid`.
    """
    grid = Grid(inverse_delta, n, d)
    N, entries = grid.inverse_delta, grid.n * grid.d
    layers = entries * N + N**entries + 1
    return {"layers": layers, "parameters": layers * (2 * entries + 1) - 1}


def largest_id(inverse_delta: int, n: int, d: int, domain: Domain = "grid") -> int:
    """max |u^T g_c(L)_j| in units of delta over the tokens of all sequences of the grid, or of the extended grid.

    Every step of the sweep adds D times a range of ids, so it is largest where the first id is smallest, most columns
    are lifted, and each is as large as it can be; see the comments for the sequence. Source: yun2020, section E.3.

    Raises
    ------
    ValueError
        inverse_delta is no int >= 2, n or d no int >= 1, or another domain is asked for.
    ConstructionTooLarge
        As `Grid`.
    """
    grid = Grid(inverse_delta, n, d)
    n, D = grid.n, grid.column_values
    if choice("domain", domain, ("grid", "extended")) == "extended":
        # The lowest column has the sentinel in every entry.
        depth = -grid.sentinel_units * ones_id(grid)
        # All other columns are lifted from below it, D - k, ..., D - 1 in turn; if n = 1 there are none.
        k = min(n - 1, D)
        powers = (D ** (k + 1) - D) // (D - 1)
        weighted = (k * D ** (k + 1) - (k + 1) * D**k + 1) // (D - 1) ** 2
        swept = powers - weighted + D**k * (D - 1) + depth * powers if k else depth
    else:
        # The columns 0, 1, ..., k - 2, D - 1: a column counts negatively in l~_k unless it is the last.
        k = min(n, D)
        ones = (D**k - D**2) // (D - 1) if k > 1 else 0
        swept = D - 1 - D * (D + 1 - k) - ones + D**k * (D - 1) if k > 1 else D - 1
    return swept * (D ** (n + 1) + 1)


def bits_needed(inverse_delta: int, n: int, d: int, domain: Domain = "grid") -> int:
    """Bits of the largest |id| in units of delta; float64 holds 53 and int64 63. Errors as `largest_id`."""
    return largest_id(inverse_delta, n, d, domain).bit_length()
