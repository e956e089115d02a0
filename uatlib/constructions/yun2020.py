"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): from a function to the hardmax network of Proposition 5.

The network is quantizer, contextual mapping and value map in a row, in the class T-bar^{2,1,1} of section C: hardmax
attention with at most 2 heads of size 1, feed-forward layers with one hidden unit and three-piece activations.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

import numpy as np

from ..certificate import Claim, Construction, Term
from ..contextual_mapping import layer_counts, selective_shift
from ..model import Transformer, require_size
from ..positional import encodings, positional_quantizer, positional_shift
from ..quantization import Grid, quantizer, step_function
from ..targets import Target
from ..value_lookup import ValueMap
from ..value_mapping import contexts, safe_range, value_table
from .yun2020_certify import certify, repeated_share
from .yun2020_network import Evaluation, centre_values

__all__ = ["build", "certify", "repeated_share", "terms"]

Variant = Literal["repaired", "printed"]
ROUNDING = 1e-12
"""Relative slack of bounds that are computed in floats, so that a bound which is attained is not missed."""


# ------------------------------------------------------------------------------------------------------------ the claim


def terms(target: Target, inverse_delta: int, p: float, positional: bool = False) -> list[Term]:
    """The terms of d_p(f, g) on the unit box, from the stated Lipschitz constant and bound of the target.

    Lemma 4: the modulus of f at delta/2, in the p-norm. Proposition 5: g is 0 where the cell has a repeated column,
    which costs at most the bound of |f|_p times (share of the volume)^(1/p). Theorem 3 has no such cells.
    """
    N = Grid(inverse_delta, target.n, target.d).inverse_delta
    # |A|_p <= (d n)^(1/p - 1/q) |A|_q for p < q, and |A|_p <= |A|_q for p >= q.
    factor = (1 + ROUNDING) * (target.d * target.n) ** max(0.0, 1 / p - 1 / target.norm)
    step = Term("step approximation", "Lemma 4", factor * target.modulus(0.5 / N))
    if positional:
        return [step]
    if target.bound is None:
        raise ValueError(f"{target.name}: its bound is not known; state it with Target(bound=...).")
    share = float(repeated_share(N, target.n, target.d))
    return [step, Term("repeated columns", "Proposition 5", factor * target.bound * share ** (1 / p))]


def _coarsest(target: Target, error: float, p: float, positional: bool) -> int:
    """The smallest N whose terms sum to at most `error`; every term falls as N grows."""

    def is_enough(N: int) -> bool:
        return sum(term.bound for term in terms(target, N, p, positional)) <= error

    high = 2
    while not is_enough(high):
        high *= 2
        if high > 2**60:
            raise ValueError(f"build: expected an error that floats can resolve, got {error!r}.")
    low = 1 if high == 2 else high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


# ---------------------------------------------------------------------------------------------------------- the network


def build(
    target: Target,
    *,
    inverse_delta: int | None = None,
    error: float | None = None,
    p: float = 2,
    stage: Literal["hardmax"] = "hardmax",
    positional: bool = False,
    variant: Variant = "repaired",
) -> Construction:
    """The network that approximates `target` on the unit box, with its claim.

    Parameters
    ----------
    target : a `Target` on [0, 1]^(d x n) with n >= 2, its Lipschitz constant and (unless `positional`) its bound stated
    inverse_delta, error : the grid, or the d_p error that the grid must be fine enough for; give one
    p : 1 <= p < inf
    stage : "hardmax", the network of Proposition 5, exact
    positional : Theorem 3, for targets that are not permutation equivariant
    variant : "repaired", or "printed" with the sentinel -N^{nd} and the value map of the text

    Raises
    ------
    ValueError
        A parameter is off; the target is not equivariant and `positional` is False (an input is shown); its outputs
        are mapped again by the printed value map (a context is shown).
    ConstructionTooLarge
        The network would not fit; nothing is allocated and the target is not evaluated on the grid.
    """
    _require(target, p, stage, variant, inverse_delta, error)
    if not positional:
        _require_equivariance(target)
    if inverse_delta is None:
        assert error is not None
        inverse_delta = _coarsest(target, float(error), p, positional)
    step_function(target, inverse_delta=inverse_delta)  # refuses a target on another box
    grid = Grid(inverse_delta, target.n, target.d)
    N, n, d = grid.inverse_delta, grid.n, grid.d
    layers = layer_counts(N, n, d, positional=positional, repaired=variant == "repaired")["total"]
    require_size(
        f"build(inverse_delta={N}, n={n}, d={d})", layers=layers, arrays_per_layer=8, parameters=layers * (2 * d + 1)
    )
    table = value_table(
        centre_values(target, contexts(N, n, d, repaired=variant == "repaired", positional=positional), N),
        inverse_delta=N,
        n=n,
        d=d,
        repaired=variant == "repaired",
        positional=positional,
        sentinel="positive" if variant == "repaired" else "negative",
    )
    value_map = ValueMap(table)
    _require_safe(value_map)
    if positional:
        parts = (positional_quantizer(inverse_delta=N, n=n, d=d), positional_shift(inverse_delta=N, n=n, d=d))
    else:
        sentinel = grid.positive_sentinel if variant == "repaired" else grid.sentinel
        parts = (quantizer(inverse_delta=N, n=n, d=d, sentinel=sentinel), selective_shift(inverse_delta=N, n=n, d=d))
    model = Transformer([layer for part in (*parts, table.model()) for layer in part.layers], n=n)
    claim = Claim(
        terms(target, N, p, positional),
        p=p,
        domain=(0, 1),
        layers=layers,
        width=d,
        heads=2,
        head_size=1,
        hidden=1,
        parameters=model.parameter_count(),
    )
    parameters = {"target": target.name, "inverse_delta": N, "n": n, "d": d, "stage": stage, "variant": variant}
    E = encodings(n, d) if positional else None
    return Construction(target, model, claim, Evaluation(value_map, positional), parameters, E)


def _require(target: Any, p: Any, stage: Any, variant: Any, inverse_delta: Any, error: Any) -> None:
    if not isinstance(target, Target):
        raise ValueError(f"build: expected a Target, got {type(target).__name__}; wrap it with targets.Target.")
    if not isinstance(p, (int, float)) or not 1 <= p < math.inf:
        raise ValueError(f"build: expected 1 <= p < inf, got {p!r}; d_p is a distance for those p only.")
    if stage != "hardmax":
        raise ValueError(f'build: expected the stage "hardmax", got {stage!r}.')
    if variant not in ("repaired", "printed"):
        raise ValueError(f'build: expected variant "repaired" or "printed", got {variant!r}.')
    if (inverse_delta is None) == (error is None):
        raise ValueError(
            "build: expected either inverse_delta or error, got " + ("none." if error is None else "both.")
        )
    if error is not None and not (isinstance(error, (int, float)) and 0 < error < math.inf):
        raise ValueError(f"build: expected a finite error > 0, got {error!r}.")
    if target.n < 2:
        raise ValueError("build: expected a target of n >= 2 tokens, got n = 1; a lone token has no context.")


def _require_equivariance(target: Target) -> None:
    try:
        dataclasses.replace(target, group="symmetric")
    except ValueError as violated:
        raise ValueError(
            f"{violated} Theorem 2 approximates permutation equivariant functions; for others take positional=True."
        ) from None


def _require_safe(value_map: ValueMap) -> None:
    """Refuse outputs that the printed map maps again; none of the repaired map's are."""
    again = np.flatnonzero(value_map.hit_again >= 0)
    if not len(again):
        return
    table, grid = value_map.table, value_map.grid
    context, token = divmod(int(again[0]), grid.n)
    hint, output = "", [[str(t) for t in row] for row in table.outputs[context]]
    if table.largest is not None:
        low, high = safe_range(grid.inverse_delta, grid.n, grid.d)
        hint = f"u^T A outside [{low}, {high}) is safe; "
    raise ValueError(
        f"build: expected outputs that the printed value map leaves alone, got {output} at "
        f"the context {table.sequences[context].tolist()}, whose column {token} a later layer maps again; {hint}"
        'rescale the target, or take variant="repaired".'
    )
