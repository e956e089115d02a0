"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): from a function to the networks of Theorems 2 and 3.

The network is quantizer, contextual mapping and value map in a row. At the stage "hardmax" it is in T-bar^{2,1,1} of
section C: hardmax attention with at most 2 heads of size 1, feed-forward layers with one hidden unit and three-piece
activations. At the stage "relu" each of those is four ReLUs, at the stage "softmax" every hardmax is a softmax as well,
so that the network is in T^{2,1,4} (Lemma 6), or, with positional encodings, that of Theorem 3 in T_P^{2,1,4}.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from ..build_checks import coarsest, require_build, require_equivariance
from ..cells import repeated_share
from ..certificate import Claim, Construction, Term
from ..grids import Grid, step_function
from ..model import Transformer
from ..targets import Target
from ._four_relus import Side, require_width
from ._quantizer import quantizer
from ._selective_shift import selective_shift
from ._sizes import require_size
from ._softmax_scale import softmax_scale, with_softmax_layers
from ._value_layers import ValueTable, contexts, safe_range, value_table
from .costs import layer_counts, parameter_counts
from .evaluation import Evaluation, centre_values
from .positional import encodings, positional_quantizer, positional_shift
from .stages import (
    ball_bits,
    band_term,
    band_width,
    largest_gap,
    largest_in_bands,
    require_outside_bands,
    softmax_drift,
    softmax_term,
    softmax_tolerance,
    with_relu_layers,
)
from .value_lookup import ValueMap

Variant = Literal["repaired", "printed"]
Stage = Literal["hardmax", "relu", "softmax"]
SHARE = 1 / 16
"""What bands and softmax may add to the other terms, as a share of them, or take of the error that is asked for."""
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


def coarsest_grid(target: Target, error: float, p: float = 2, positional: bool = False) -> int:
    """The smallest N = 1/delta whose `terms` sum to at most `error`; every term falls as N grows.

    This is the grid of ``build(target, error=error, p=p, positional=positional)`` at the stage "hardmax", also where
    that network would be too large to build.

    Raises
    ------
    ValueError
        target is no `Target` of n >= 2 tokens, its Lipschitz constant or bound is not stated, 1 <= p < inf fails, or
        the error is not finite and positive, or too small for floats.
    """
    require_build(target, p, "repaired", None, error, "inverse_delta")
    return coarsest(lambda N: sum(term.bound for term in terms(target, N, p, positional)), error)


# ---------------------------------------------------------------------------------------------------------- the network


def build(
    target: Target,
    *,
    inverse_delta: int | None = None,
    error: float | None = None,
    p: float = 2,
    stage: Stage = "hardmax",
    positional: bool = False,
    variant: Variant = "repaired",
    bands: Side = "below",
    width: Fraction | None = None,
) -> Construction:
    """The network that approximates `target` on the unit box, with its claim.

    Parameters
    ----------
    target : a `Target` on [0, 1]^(d x n) with n >= 2, its Lipschitz constant and (unless `positional`) its bound stated
    inverse_delta, error : the grid, or the d_p error that the grid must be fine enough for; give one
    p : 1 <= p < inf
    stage : "hardmax", the network of Proposition 5; "relu", with four ReLUs for each three-piece activation; or
        "softmax", which has softmax too. `evaluate` gives the first one's values in bulk. Outside the bands of the
        quantizer the second has the same, and in the box the third up to parameters["tolerance"] * delta in the first
        row; it runs in BALL.with_bits(parameters["bits"]) (and as many more as X has before the point), and in floats
        while they resolve bands and ids.
    positional : Theorem 3, for targets that are not permutation equivariant
    variant : "repaired", or "printed" with the sentinel -N^{nd} and the value map of the text; after the stage
        "hardmax" its outputs must also keep clear of the bands of later windows
    bands : at each threshold k delta of the quantizer the ReLUs have a band, [k delta - width, k delta) "below", as
        printed, or [k delta, k delta + width) "above"
    width : of those bands, at most delta/4; chosen so that they matter little unless given

    Raises
    ------
    ValueError
        A parameter is off; the target is not equivariant and `positional` is False (an input is shown); its outputs
        are mapped again by the printed value map (a context is shown), or come into a band of it.
    ConstructionTooLarge
        The network would not fit; nothing is allocated and the target is not evaluated on the grid.
    """
    require_build(target, p, variant, inverse_delta, error, "inverse_delta")
    _require_stage(stage, bands, width)
    if not positional:
        hint = "Theorem 2 approximates permutation equivariant functions; for others take positional=True."
        require_equivariance(target, hint)
    if inverse_delta is None:
        assert error is not None
        inverse_delta = coarsest_grid(target, error * (1 if stage == "hardmax" else 1 - SHARE), p, positional)
    step_function(target, inverse_delta=inverse_delta)  # refuses a target on another box
    grid = Grid(inverse_delta, target.n, target.d)
    N, n, d = grid.inverse_delta, grid.n, grid.d
    hidden = 1 if stage == "hardmax" else 4
    is_repaired = variant == "repaired"
    layers = layer_counts(N, n, d, positional=positional, repaired=is_repaired)["total"]
    parameters = parameter_counts(N, n, d, positional, is_repaired, relus=hidden > 1)["total"]
    require_size(f"build(inverse_delta={N}, n={n}, d={d})", layers=layers, arrays_per_layer=8, parameters=parameters)
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
    promised = terms(target, N, p, positional)
    notes = {"target": target.name, "inverse_delta": N, "n": n, "d": d, "stage": stage, "variant": variant}
    if stage == "hardmax":
        model = Transformer([layer for part in (*parts, table.model()) for layer in part.layers], n=n)
    else:
        so_far = sum(term.bound for term in promised)
        room = error - so_far if error is not None else SHARE * (so_far or 1)
        model, more, chosen = _with_relus(parts, table, p, room, bands, width, stage)
        promised += more
        notes |= chosen
    claim = Claim(
        promised,
        p=p,
        domain=(0, 1),
        layers=layers,
        width=d,
        heads=2,
        head_size=1,
        hidden=hidden,
        parameters=parameters,
    )
    E = encodings(n, d) if positional else None
    return Construction(target, model, claim, Evaluation(value_map, positional), notes, E)


def _with_relus(
    parts: tuple[Transformer, Transformer],
    table: ValueTable,
    p: float,
    room: float,
    bands: Side,
    width: Fraction | None,
    stage: Stage,
) -> tuple[Transformer, list[Term], dict[str, Any]]:
    """The network with ReLUs, what that adds to d_p (at most `room` unless the width is given), and what was chosen.

    As repaired, the layer that makes columns of no context negative takes more than any entry can be, bands or not: so
    the network is 0 wherever an entry is outside [0, 1] and its bands (see `stages`).
    """
    (first, shift), grid, positional = parts, table.grid, table.largest is None
    tolerance, drift = Fraction(0), 0
    if stage == "softmax":
        tolerance, drift = softmax_tolerance(grid, p, room / 2), softmax_drift(grid, positional=positional)
    require_outside_bands(table, tolerance)
    gap = largest_gap(table, drift)
    if not positional and table.lift is not None:
        largest = largest_in_bands(grid, positional=False, repaired=True, drift=drift)
        table = dataclasses.replace(table, largest=largest)
    if width is None:
        width = band_width(grid, p, gap, room / 2 if stage == "softmax" else room)
    elif width > grid.delta / 4:
        raise ValueError(f"build: expected bands of width at most delta/4 = {grid.delta / 4}, got {width}.")
    added = [Term("ReLU bands", "Lemma 6", band_term(grid, width, p, gap, positional=positional))]
    chosen: dict[str, Any] = {"bands": bands, "width": width}
    if stage == "softmax":
        scale = softmax_scale(grid.inverse_delta, grid.n, grid.d, tolerance, positional=positional)
        shift = with_softmax_layers(shift, scale)
        added.append(Term("softmax", "Lemma 6", softmax_term(grid, p, tolerance)))
        chosen |= {"tolerance": tolerance, "scale": scale}
    model = Transformer(with_relu_layers(first, shift, table, width, bands), n=grid.n)
    if stage == "softmax":
        chosen["bits"] = ball_bits(model, gap)
    return model, added, chosen


def _require_stage(stage: Any, bands: Any, width: Any) -> None:
    if stage not in get_args(Stage):
        raise ValueError(f"build: expected a stage out of {', '.join(get_args(Stage))}, got {stage!r}.")
    if bands not in ("below", "above"):
        raise ValueError(f'build: expected bands "below" or "above", got {bands!r}.')
    if width is None:
        return
    require_width("build", width)
    if stage == "hardmax":
        raise ValueError(
            f'build: expected a width of bands after the stage "hardmax" only, got {width!r}; it has no bands.'
        )


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
