"""Which numbers of a network of Theorem 2 hold the function: those of the look-up, and no others."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import numpy as np

from ..checks import instance, refused
from ..layers import FeedForward
from ..model import Transformer
from .certify_network import Network


def look_up(built: Network) -> tuple[Transformer, dict[str, object]]:
    """The network of `build(...)` for d = 1, as repaired, and how its look-up depends on the function.

    Let A be the answer to token j of context c, and K = max(1, ceil(max A) + 1) with the largest of all answers. Then
    layer `first` + n c + j has W_2 = (A - K - column[n c + j]) `token`, and the last layer W_2 = K `last["w_2"]` and
    b_2 = K `last["b_2"]`. Nothing else in the network depends on f, not even M. Source: yun2020, Lemma 9 (section E.4).

    Returns
    -------
    The network, and {"contexts": grid sequences in units of delta, one row for each c, "columns": g_c(L)_j, "first",
    "token", "last", "cut" and "numbered": after how many layers tokens are on the grid, and have their ids}.

    Raises
    ------
    ValueError
        Tokens of more than one number, positional encodings, or the printed value map.
    """
    table = instance("built", built, Network).shortcut.value_map.table
    if table.grid.d != 1 or table.lift is None or table.largest is None:
        raise refused("built", 'a network of Theorem 2 with d = 1 and variant="repaired"', built)
    N, layers = table.grid.inverse_delta, cast("tuple[FeedForward, ...]", built.model.layers)
    first = len(layers) - 1 - table.ids.size
    columns, last = table.columns[:, 0], layers[-1]
    return built.model, {
        "cut": N + 1,
        "numbered": first - 2,
        "first": first,
        "contexts": table.sequences[:, 0].tolist(),
        "columns": [float(column) for column in columns],
        "token": _floats(layers[first].w_2 / table.steps[0, 0]),
        "last": {"w_2": _floats(last.w_2 / Fraction(table.lift)), "b_2": _floats(last.b_2 / Fraction(table.lift))},
    }


def _floats(array: np.ndarray) -> list[float]:
    return [float(entry) for entry in array.flat]
