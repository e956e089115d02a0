"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Theorem 2 on all of R^{d x n}, at the stage of ReLUs."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Literal, NamedTuple, get_args

import numpy as np

from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.checks import choice
from uatlib.grids import Grid
from uatlib.layers import Attention
from uatlib.model import Transformer
from uatlib.yun2020 import cost, ids
from uatlib.yun2020.certify_network import Network
from uatlib.yun2020.network import SHARE
from uatlib.yun2020.output_layers import largest_entry
from uatlib.yun2020.quantizer_layers import clip_layer, quantizer
from uatlib.yun2020.relus import Side, with_relus
from uatlib.yun2020.shift_layers import selective_shift
from uatlib.yun2020.softmax_and_relu import largest_gap, largest_in_bands, with_relu_layers

from ..damages import Damage, in_part, replaced, with_layer
from ..registry import register
from .common import exact_sequences, interval_checks
from .value_mapping import TOKEN_DAMAGES, build_one, cells_check

FAR = (Fraction(3, 2), -1, 10**30, -(10**30))
"""Entries outside the box and its bands."""
Bands = Literal["below", "above", "clip"]
"""Where the bands of the quantizer lie; "clip": above 1 that of the clip layer, and below all others."""

# ----------------------------------------------------------------------------------------------------------- theorem 2


def _sides(bands: Bands) -> tuple[Side, Side, Side]:
    """The side of the bands of the clip layer at 0 and at 1, and of those of the step layers."""
    return ("below", "above", "below") if bands == "clip" else (bands, bands, bands)


class Far(NamedTuple):
    """A network of the step function 1, what stands outside the box, where bands lie, and how many points are run."""

    construction: Network
    variant: str
    bands: Bands
    sentinel: int
    points: int = 2000

    @property
    def model(self) -> Transformer:
        """The layers."""
        return self.construction.model


def network(grid: Grid, variant: str = "repaired", bands: Bands = "below", width: Fraction | None = None) -> Far:
    """The network of the step function 1 with ReLUs.

    `variant` "printed" has the sentinel -N^{nd} and as M the largest entry of g_c(L) on the extended grid; "repaired"
    the positive sentinel and an M above all values that tokens can reach in bands. Of these two changes "sentinel
    alone" makes the first, with the text's rule for M, and "M alone" the second. The change of Lemma 9, which adds K,
    goes with the sentinel; with the outputs 0 and 1 no later layer sees a mapped token without it either.
    """
    bands = choice("bands", bands, get_args(Bands))
    N, n, d = grid.inverse_delta, grid.n, grid.d
    positive = variant in ("repaired", "sentinel alone")
    low, high, steps = _sides(bands)
    form = "repaired" if positive else "printed"
    made = build_one("yun2020:thm-2", N, n, d, stage="relu", bands=steps, variant=form, width=width)
    table, sentinel = made.shortcut.value_map.table, ids.positive_sentinel(grid) if positive else grid.sentinel
    if variant in ("repaired", "M alone"):
        largest = largest_in_bands(grid, positional=False, repaired=positive)
    else:
        largest = largest_entry(N, n, d, "positive" if positive else "negative")
    first, table = quantizer(**vars(grid), sentinel=sentinel), dataclasses.replace(table, largest=largest)
    layers = with_relu_layers(first, selective_shift(**vars(grid)), table, made.width, steps)
    for row in range(d):
        layers[row * (N + 1)] = with_relus(clip_layer(row, N, n, d, sentinel), made.width, (low, high))
    return Far(replaced(made, model=Transformer(layers, n=n)), variant, bands, sentinel)


def outside_points(parts: Far, count: int, seed: int = 0) -> np.ndarray:
    """Sequences whose last token has an entry far outside the box, while others lie in the box and its bands.

    The first is 0, ..., n - 1 in units of delta, a third of a step on, but for that entry. In the rest the first entry
    is in the clip layer's band at 1, or at 0, where that layer runs over all numbers between the box and the sentinel,
    or in the band of a step layer; in every other one of the former it is such that it lands in a step layer's band.
    """
    rng, construction, sentinel = np.random.default_rng(seed), parts.construction, parts.sentinel
    (N, n, d), width = vars(construction.grid).values(), construction.width
    at_0, at_1, at_steps = (-width if side == "below" else 0 for side in _sides(parts.bands))
    X = rng.integers(0, 1000, (count, d, n)).astype(object) * Fraction(1, 1000)
    for k in range(count):
        share = Fraction(int(rng.integers(0, 10**6)), 10**6)
        step = Fraction(int(rng.integers(1, N + 1)), N) + at_steps
        X[k, -1, -1] = FAR[k % len(FAR)]
        if k % 8 > 5:
            X[k, 0, 0] = step + share * width
            continue
        edge = k % 8 < 5  # mostly at 1
        start, end = (1 + at_1, sentinel) if edge else (sentinel, at_0 + width)
        landing = step + share * width
        if k % 2 and min(start, end) <= landing < max(start, end):
            share = (landing - start) / (end - start)
        X[k, 0, 0] = (1 + at_1 if edge else at_0) + share * width
    first = [[Fraction(j // N**i % N, N) + Fraction(1, 3 * N) for j in range(n)] for i in range(d)]
    X[0] = np.array(first, dtype=object)[:, ::-1]
    X[0, -1, -1] = FAR[0]
    return X


def _certify_theorem_2(parts: Far) -> list[Check]:
    construction, variant = parts.construction, parts.variant
    grid, model = construction.grid, construction.model
    N, n, d = grid.inverse_delta, grid.n, grid.d
    L = grid.sequences()
    # Off the bands on either side.
    X = exact_sequences(L, N) + Fraction(1, 2 * N)
    beside = outside_points(parts, parts.points)
    output = model(beside, EXACT)

    def witness(k: int) -> dict[str, object]:
        further = beside[[k, k]].copy()
        further[:, -1, -1] = [beside[k, -1, -1] * 10**6, beside[k, -1, -1] * 10**30]
        far = "the same" if (model(further, EXACT) == output[k]).all() else "another"
        return {"X": beside[k], "g(X)": output[k], "10^6 and 10^30 times as far": far}

    in_bands = outside_points(parts, 40)
    in_bands[:, -1, -1] = Fraction(1, 2 * N)
    gaps = abs(model(in_bands, EXACT) - construction.shortcut(in_bands)).max()
    most = largest_gap(construction.shortcut.value_map.table)
    *others, bands = construction.claim.terms
    # Only both changes together bound g outside.
    where = "R^(d x n)" if variant == "repaired" else "the box"
    attention = Transformer([layer for layer in model.layers if isinstance(layer, Attention)], n=n)
    names = (
        "8.3 with this sentinel: distinct columns, some id outside [t_l, t_r]",
        "8.4: a repeated column or the sentinel, some id inside",
    )
    counts = cost.layer_counts(N, n, d, repaired=variant in ("repaired", "sentinel alone"))
    nonzero = (output != 0).any(axis=(-2, -1))
    room = SHARE * sum(term.bound for term in others)
    return [
        cells_check(model(X, EXACT), (ids.categories(L) == 1).numpy(), lambda k: {"X": X[k]}),
        Check.none("outside the box and its bands, output not 0", nonzero, witness, "sampled"),
        Check("|g - g-bar| in bands at 0 and 1", gaps, "<=", most, None, "sampled", 40),
        Check(f"the bands' term of d_p over {where}", bands.bound, "<=", room),
        *interval_checks(grid, parts.sentinel, attention, names),
        Check("layers", model.depth, "==", counts["total"]),
    ]


def _at_few_points(damage: Damage) -> Damage:
    """The damage, looked at in few points outside the box: every one that is bad shows it."""
    return lambda parts, rng: damage(parts._replace(points=40), rng)


def _box_marked_by_0(parts: Far, rng: np.random.Generator) -> Far | None:
    """What lies outside the box becomes 0 in place of the sentinel."""
    construction = parts.construction
    grid, model = construction.grid, construction.model
    for row in range(grid.d):
        clip = clip_layer(row, grid.inverse_delta, grid.n, grid.d, sentinel=0)
        sides = _sides(parts.bands)[:2]
        model = with_layer(model, row * (grid.inverse_delta + 1), with_relus(clip, construction.width, sides))
    return parts._replace(construction=replaced(construction, model=model))


@register(
    "yun2020:thm-2",
    "transformers approximate permutation equivariant functions",
    source="Theorem 2, section 3 (at the stage of ReLUs)",
    chapter="yun-theorem-2",
    construction=with_relu_layers,
    certify=_certify_theorem_2,
    cases=[
        {"inverse_delta": 2, "n": 2, "bands": "above"},
        {"inverse_delta": 2, "n": 2, "bands": "clip"},
        {"inverse_delta": 2, "n": 2, "d": 2},
    ],
    damages={
        **{name: _at_few_points(in_part("construction", damage)) for name, damage in TOKEN_DAMAGES.items()},
        "entries outside the box become 0": _at_few_points(_box_marked_by_0),
    },
    concerns="construction",
    alone=("sentinel", "M"),
    erratum="""d_p integrates over all of R^{d x n}, and the network of the proof need not be 0 far away. With the
    sentinel -N^{nd}, beside a token outside the box, however far, an entry in a band of the ReLUs can lift an id past M
    + 1, so that the look-up leaves something positive (N = n = 3, d = 1, the bands [c - eps, c) of the text), or leave
    an id in [t_l, t_r] (N = n = 2, the clip layer's band at [1, 1 + eps); with softmax the bands of the text, too). On
    strips that run to infinity that network is not 0, and its d_p is infinite; on a box it does what it should. The
    theorem holds, with two changes of the network: a sentinel above the box, D^{n+1} in units of delta, and an M of the
    value map above every value that a token can reach in bands, not on the grid alone. Neither change is enough by
    itself.""",
)
def theorem_2(
    *, variant: str = "repaired", inverse_delta: int = 3, n: int = 3, d: int = 1, bands: Bands = "below"
) -> Far:
    """The network of the step function 1 with ReLUs, run in EXACT on every cell and on points outside the box.

    That the repaired network is 0 there is proved in the chapter on Theorem 2. `variant` is as in `network`, and
    `bands` as in `yun2020.build`, or "clip": above 1 that of the clip layer, and below all others.
    """
    return network(Grid(inverse_delta, n, d), variant, bands)
