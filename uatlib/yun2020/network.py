"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): from a function to the networks of Theorems 2 and 3.

The network is quantizer, contextual mapping and value map in a row. At the stage "hardmax" it is in T-bar^{2,1,1} of
section C: hardmax attention with at most 2 heads of size 1, feed-forward layers with one hidden unit and three-piece
activations. At the stage "relu" each of those is four ReLUs, at the stage "softmax" every hardmax is a softmax as well,
so that the network is in T^{2,1,4} (Lemma 6), or, with positional encodings, that of Theorem 3 in T_P^{2,1,4}.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..certificate import Claim, Term
from ..checks import choice, either, exponent, finite, flag, instance, positive, refused
from ..grids import Grid
from ..internal.building import claim_sizes, coarsest, parse_build, require_equivariance, step_terms
from ..layers.base import set_fields
from ..model import Transformer
from ..targets import Target
from . import cost, evaluation, softmax_and_relu
from .certify_network import STAGES, Network, Stage
from .ids import positive_sentinel
from .output_layers import ValueTable, contexts, safe_range, value_table
from .positional_layers import positional_quantizer, positional_shift
from .quantizer_layers import VARIANTS, Variant, quantizer
from .relus import Side
from .shift_layers import selective_shift
from .softmax_layers import softmax_scale, with_softmax_layers
from .value_lookup import ValueMap

SHARE = 1 / 16
"""What bands and softmax may add to the other terms, as a share of them, or take of the error that is asked for."""
NO_SUP = "Theorems 2 and 3 are of L_p: on cells with repeated columns, and in bands, the network is far from f"


# ------------------------------------------------------------------------------------------------------------ the claim


def terms(target: Target, inverse_delta: int, p: float, positional: bool = False) -> list[Term]:
    """The terms of d_p(f, g) on the unit box, from the stated Lipschitz constant and bound of the target.

    Lemma 4: the modulus of f at delta/2, in the p-norm. Proposition 5: g is 0 where the cell has a repeated column,
    which costs at most the bound of |f|_p times (share of the volume)^(1/p). Theorem 3 has no such cells.

    Raises
    ------
    ValueError
        target is no `Target`, its Lipschitz constant or (unless `positional`) its bound is not stated, inverse_delta is
        no int >= 2, or 1 <= p < inf fails.
    """
    f, p = instance("target", target, Target), exponent("p", p, sup=False, hint=NO_SUP)
    N = Grid(inverse_delta, f.n, f.d).inverse_delta
    half = 1 / finite("inverse_delta", 2 * N)
    names = ("step approximation", "Lemma 4"), ("repeated columns", "Proposition 5")
    return step_terms(f, p, half, names, None if flag("positional", positional) else N)


def coarsest_grid(target: Target, error: float, p: float = 2, positional: bool = False) -> int:
    """The smallest N = 1/delta whose `terms` sum to at most `error`; every term falls as N grows.

    This is the grid of ``build(target, error=error, p=p, positional=positional)`` at the stage "hardmax", also where
    that network would be too large to build.

    Raises
    ------
    ValueError
        target is no `Target` of n >= 2 tokens on the unit box, its Lipschitz constant or bound is not stated,
        1 <= p < inf fails, or the error is not finite and positive, or too small for floats.
    """
    either(inverse_delta=None, error=error)
    parsed, p = parse_build(target, error, p, NO_SUP)
    return coarsest(lambda N: sum(term.bound for term in terms(target, N, p, positional)), parsed or 0.0)


# ---------------------------------------------------------------------------------------------------------- the network


def build(
    target: Target,
    *,
    error: float | None = None,
    p: float = 2,
    inverse_delta: int | None = None,
    stage: Stage = "hardmax",
    positional: bool = False,
    variant: Variant = "repaired",
    bands: Side = "below",
    width: Fraction | None = None,
) -> Network:
    """The network that approximates `target` on the unit box, with its claim.

    Parameters
    ----------
    target : a `Target` on [0, 1]^(d x n) with n >= 2, its Lipschitz constant and (unless `positional`) its bound stated
    error, inverse_delta : the d_p error that the grid must be fine enough for, or N = 1/delta itself, the steps of the
        grid in a unit; give one
    p : 1 <= p < inf; the theorems are of L_p, and p = inf is refused
    stage : "hardmax", the network of Proposition 5; "relu", with four ReLUs for each three-piece activation; or
        "softmax", which has softmax too. `shortcut` gives the first one's values in bulk. Outside the bands of the
        quantizer the second has the same, and in the box the third up to `tolerance` * delta in the first row; it runs
        in `BALL.with_bits(bits)`, the `bits` of the network (and as many more as X has before the point), and in floats
        while they resolve bands and ids.
    positional : Theorem 3, for targets that are not permutation equivariant
    variant : "repaired", or "printed" with the sentinel -N^{nd} and the value map of the text; after the stage
        "hardmax" its outputs must also keep clear of the bands of later windows
    bands : at each threshold k delta of the quantizer the ReLUs have a band, [k delta - width, k delta) "below", as
        printed, or [k delta, k delta + width) "above"
    width : of those bands, > 0 and at most delta/4; chosen so that they matter little unless given

    Raises
    ------
    ValueError
        A parameter is off; the target is not equivariant and `positional` is False (an input is shown); its outputs
        are mapped again by the printed value map (a context is shown), or come into a band of it.
    ConstructionTooLarge
        The network would not fit; nothing is allocated and the target is not evaluated on the grid.
    """
    order = _Order(target, error, p, inverse_delta, stage, positional, variant, bands, width)
    grid, hidden = order.grid, 1 if order.stage == "hardmax" else 4
    kind = {**vars(grid), "positional": order.positional, "repaired": order.repaired}
    size: dict[str, Any] = {
        "layers": cost.layer_counts(**kind)["total"],
        "parameters": cost.parameter_counts(**kind, relus=hidden > 1)["total"],
    }
    cost.require_size(f"build({grid})", arrays_per_layer=8, **size)
    outputs = evaluation.centre_values(target, contexts(**kind), grid.inverse_delta)
    table = value_table(outputs, **kind, sentinel="positive" if order.repaired else "negative")
    value_map = ValueMap(table)
    _require_safe(value_map)
    promised = terms(target, grid.inverse_delta, order.p, order.positional)
    chosen = _Chosen()
    if order.stage == "hardmax":
        parts = (*_first_parts(order), table.model())
        model = Transformer([layer for part in parts for layer in part.layers], n=grid.n)
    else:
        model, added, chosen = _with_relus(order, table, sum(term.bound for term in promised))
        promised = [*promised, *added]
    size |= claim_sizes(target)
    claim = Claim(promised, p=order.p, domain=(0, 1), width=grid.d, heads=2, head_size=1, hidden=hidden, **size)
    shortcut = evaluation.Evaluation(value_map, order.positional)
    return Network(target, model, claim, shortcut, order.stage, order.variant, order.bands, *chosen)


@dataclass(frozen=True)
class _Order:
    """What `build` was asked for, with the grid for an error."""

    target: Target
    error: float | None
    p: float
    inverse_delta: Any
    stage: Stage
    positional: bool
    variant: Variant
    bands: Side
    width: Fraction | None
    grid: Grid = field(init=False)

    def __post_init__(self) -> None:
        either(inverse_delta=self.inverse_delta, error=self.error)
        error, p = parse_build(self.target, self.error, self.p, NO_SUP)
        choice("variant", self.variant, VARIANTS)
        choice("bands", self.bands, ("below", "above"))
        if choice("stage", self.stage, STAGES) == "hardmax" and self.width is not None:
            raise refused("width", 'a width of bands after the stage "hardmax" only', self.width, "it has no bands")
        if not flag("positional", self.positional):
            hint = "Theorem 2 approximates permutation equivariant functions; for others take positional=True."
            require_equivariance(self.target, hint)
        N = self.inverse_delta
        if error is not None:
            room = error if self.stage == "hardmax" else error * (1 - SHARE)
            N = coarsest_grid(self.target, room, p, self.positional)
        grid = Grid(N, self.target.n, self.target.d)
        width = self.width
        if width is not None:
            width = positive("width", width, grid.delta / 4, "bands are at most a quarter of a cell")
        set_fields(self, error=error, p=p, grid=grid, width=width)

    @property
    def repaired(self) -> bool:
        """Whether it is the repaired network."""
        return self.variant == "repaired"


class _Chosen(NamedTuple):
    """What `build` chose for a network with ReLUs and softmax: the fields of `Network` of these names."""

    width: Fraction = Fraction(0)
    tolerance: Fraction = Fraction(0)
    scale: int = 0
    bits: int = 0


def _first_parts(order: _Order) -> tuple[Transformer, Transformer]:
    """Quantizer and contextual mapping."""
    grid = vars(order.grid)
    if order.positional:
        return positional_quantizer(**grid), positional_shift(**grid)
    sentinel = positive_sentinel(order.grid) if order.repaired else order.grid.sentinel
    return quantizer(**grid, sentinel=sentinel), selective_shift(**grid)


def _with_relus(order: _Order, table: ValueTable, so_far: float) -> tuple[Transformer, list[Term], _Chosen]:
    """The network with ReLUs, what that adds to the terms `so_far` of d_p, and what was chosen.

    It adds at most what is left of the error, or a share, unless the width is given. As repaired, the layer that makes
    columns of no context negative takes more than any entry can be, bands or not: so the network is 0 wherever an entry
    is outside [0, 1] and its bands.
    """
    grid, p, positional, width = order.grid, order.p, order.positional, order.width
    room = order.error - so_far if order.error is not None else SHARE * (so_far or 1)
    tolerance, drift, scale = Fraction(0), 0, 0
    if is_soft := order.stage == "softmax":
        room /= 2
        tolerance, drift = (
            softmax_and_relu.softmax_tolerance(grid, p, room),
            softmax_and_relu.softmax_drift(grid, positional=positional),
        )
    softmax_and_relu.require_outside_bands(table, tolerance)
    gap = softmax_and_relu.largest_gap(table, drift)
    if not positional and order.repaired:
        largest = softmax_and_relu.largest_in_bands(grid, positional=False, repaired=True, drift=drift)
        table = dataclasses.replace(table, largest=largest)
    width = width or softmax_and_relu.band_width(grid, p, gap, room)
    first, shift = _first_parts(order)
    in_bands = softmax_and_relu.band_term(grid, width, p, gap, positional=positional)
    added = [Term("bands", "ReLU bands", "Lemma 6", in_bands)]
    if is_soft:
        scale = softmax_scale(**vars(grid), tolerance=tolerance, positional=positional)
        shift = with_softmax_layers(shift, scale)
        added.append(Term("softmax", "softmax", "Lemma 6", softmax_and_relu.softmax_term(grid, p, tolerance)))
    model = Transformer(softmax_and_relu.with_relu_layers(first, shift, table, width, order.bands), n=grid.n)
    bits = softmax_and_relu.ball_bits(model, gap) if is_soft else 0
    return model, added, _Chosen(width, tolerance, scale, bits)


def _require_safe(value_map: ValueMap) -> None:
    """Refuse outputs that the printed map maps again; none of the repaired map's are."""
    again = np.flatnonzero(value_map.hit_again >= 0)
    if not len(again):
        return
    table, grid = value_map.table, value_map.grid
    context, token = divmod(int(again[0]), grid.n)
    hint, output = "", [[str(t) for t in row] for row in table.outputs[context]]
    if table.largest is not None:
        low, high = safe_range(**vars(grid))
        hint = f"u^T A outside [{low}, {high}) is safe; "
    raise ValueError(
        f"target: expected outputs that the printed value map leaves alone, got {output} at "
        f"the context {table.sequences[context].tolist()}, whose column {token} a later layer maps again; {hint}"
        'rescale the target, or take variant="repaired".'
    )
