"""What the construction of yun2020 claims, beside what is measured."""

from __future__ import annotations

import itertools
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from ..arithmetic import BALL, EXACT, Arithmetic
from ..certificate import Certificate, Check, Construction
from ..checks import executor as an_executor
from ..checks import refused
from ..grids import Grid, repeated_share, step_function
from ..internal import layer_runs
from ..layers import RELU, Attention, ThreePiece
from ..metrics import distance_on_cells
from ..targets import entrywise_norm
from . import cost, ids
from .evaluation import Evaluation
from .positional_layers import encodings
from .quantizer_layers import Variant
from .relus import Side
from .softmax_and_relu import largest_gap, share_in_bands, softmax_drift

Stage = Literal["hardmax", "relu", "softmax"]
STAGES: tuple[Stage, ...] = ("hardmax", "relu", "softmax")
MAX_COUNTED = 4_000_000
"""Grid sequences that are counted one by one."""
ROUNDED = Fraction(1, 2**40)
"""What an enclosure may add to an entry that softmax does not touch."""
FAR_BITS = 64
"""More bits of enclosures outside the box."""


@dataclass(frozen=True, eq=False, repr=False)
class Network(Construction):
    """What `build` returns.

    Attributes
    ----------
    stage, variant, bands : those of `build`
    width : of the bands of the quantizer; 0 at the stage "hardmax"
    tolerance, scale, bits : with softmax the first row is off by `tolerance` * delta at most, off the bands; scores are
        multiplied with `scale`; and BALL.with_bits(bits) runs the layers. 0 at the other stages
    """

    shortcut: Evaluation
    stage: Stage
    variant: Variant
    bands: Side
    width: Fraction = Fraction(0)
    tolerance: Fraction = Fraction(0)
    scale: int = 0
    bits: int = 0

    @property
    def grid(self) -> Grid:
        """The grid of sequences."""
        return self.shortcut.grid

    @property
    def positional(self) -> bool:
        """Whether it has the positional encodings of Theorem 3."""
        return self.shortcut.positional

    @property
    def encodings(self) -> np.ndarray | None:
        """E of shape (d, n), with positional encodings."""
        return encodings(self.grid.n, self.grid.d) if self.positional else None

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was built with and what was chosen, as it is printed."""
        shown = {"target": self.target.name, **vars(self.grid), "stage": self.stage, "variant": self.variant}
        if self.stage != "hardmax":
            shown |= {"bands": self.bands, "width": self.width}
        if self.stage == "softmax":
            shown |= {"tolerance": self.tolerance, "scale": self.scale, "bits": self.bits}
        return shown

    def certify(
        construction, *, literal: int = 30, samples: int = 200_000, seed: int = 0, executor: Executor | None = None
    ) -> Certificate:
        """Measure every term of the claim and d_p itself, and run the literal layers.

        f-bar is the step function of Lemma 4, g the literal layers with the encodings, and g-bar the same network with
        hardmax and three-piece activations, whose values `shortcut` gives in bulk. Distances by quadrature are those of
        g-bar. What g adds is measured on sequences on which it is run: in EXACT, with softmax in BALL. They come within
        2^-20 delta of the edges of cells: a threshold that is off by less may not be seen.

        Parameters
        ----------
        construction : what `build` returned
        literal : the layers are run on at least so many sequences off the bands, as many inside the bands, and some
            outside the box. All cells are among them, without positional encodings up to the order of tokens, where
            that takes no more than a few seconds; the check says which
        samples : Monte Carlo points, where quadrature with nodes in every cell would take over half a million
        executor : runs the layers, and evaluates functions, piece by piece, with the same result; without one they come
            one after the other. Literal layers need processes, and then a function that can be pickled

        Raises
        ------
        ValueError
            No such construction, or a claim without its terms; literal is no int in [1, 10,000], samples none in
            [2, 50,000,000], seed none >= 0; executor is none, or cannot pickle the function.
        """
        if not isinstance(construction, Network):
            raise refused("construction", "what yun2020.build returns", construction)
        literal, samples, seed = layer_runs.run_size(1, literal, samples, seed)
        claim, target, grid = construction.claim, construction.target, construction.grid
        terms = ["step", *([] if construction.positional else ["repeated"]), "bands", "softmax"]
        layer_runs.require_terms(claim, *terms[: len(terms) - 2 + STAGES.index(construction.stage)])
        executor, N = an_executor(executor, target), grid.inverse_delta
        f_bar = step_function(target, inverse_delta=N)
        measured = partial(
            distance_on_cells, target=target, inverse_delta=N, p=claim.p, samples=samples, seed=seed, executor=executor
        )
        norm = f"d_{claim.p:g}"
        network, off, in_bands = _network(construction, literal, seed, executor)
        checks = [*network, measured(f"{norm}(f, f-bar), Lemma 4", target, f_bar, claim["step"].bound)]
        if not construction.positional:
            bound = claim["repeated"].bound
            if grid.size() <= MAX_COUNTED:
                count = sum(int((ids.categories(L) == 2).sum()) for L in grid.chunks())
                share = repeated_share(N, grid.n, grid.d)
                name = "share of cells with a repeated column, Proposition 5"
                checks.append(Check(name, Fraction(count, grid.size()), "==", share, cases=grid.size()))
            checks.append(measured(f"{norm}(f-bar, g-bar), Proposition 5", f_bar, construction.shortcut, bound))
        apart = measured(f"{norm}(f, g-bar)", target, construction.shortcut, claim.error)
        total = apart.measured + off + in_bands
        name = f"{norm}(f, g), estimated: {norm}(f, g-bar) at most, plus {norm}(g-bar, g) at samples"
        checks += [apart, Check(name, total, "<=", claim.error, None, "sampled", apart.cases)]
        how = "repaired" if construction.variant == "repaired" else "as printed"
        return Certificate(
            checks,
            f"Network g after Yun et al. (2020), {how}, and g-bar, in bulk with hardmax",
            construction.parameters,
        )


certify = Network.certify


def network_checks(construction: Network, *, literal: int = 30, seed: int = 0) -> list[Check]:
    """The checks of `certify` that look at the layers; the others measure the function and g-bar."""
    return _network(construction, literal, seed)[0]


def _network(
    construction: Network, literal: int, seed: int, executor: Executor | None = None
) -> tuple[list[Check], float, float]:
    """The checks of the layers; d_p(g-bar, g) off the bands, if it is at most the largest seen; and from the bands."""
    stage, claim = construction.stage, construction.claim
    checks = _size_checks(construction)
    inside, off = _inside_check(construction, literal, seed, executor)
    checks.append(inside)
    if not construction.positional:
        checks.append(_outside_check(construction, seed, executor))
    if stage == "hardmax":
        return checks, off, 0.0
    in_bands, added = _band_checks(construction, literal, seed, executor)
    if stage == "softmax":
        name = f"d_{claim.p:g}(g-bar, g) off the bands, Lemma 6: the largest gap"
        checks.append(Check(name, off, "<=", claim["softmax"].bound, None, "sampled", inside.cases))
    return [*checks, in_bands, added], off, float(added.measured)


def _size_checks(construction: Network) -> list[Check]:
    model, stage, repaired = construction.model, construction.stage, construction.variant == "repaired"
    counts = cost.layer_counts(**vars(construction.grid), positional=construction.positional, repaired=repaired)
    kind = "softmax" if stage == "softmax" else "hardmax"
    attention = [layer for layer in model.layers if isinstance(layer, Attention) and layer.normalization == kind]
    activation = ThreePiece if stage == "hardmax" else RELU
    return [
        *layer_runs.class_checks(model, construction.claim, kind, activation, (0, 1)),
        Check(f"{kind} attention layers, by Lemmas 7 to 9", len(attention), "==", counts["attention"]),
        Check("layers in all, by Lemmas 7 to 9", len(model.layers), "==", counts["total"]),
    ]


# ----------------------------------------------------------------------------------------------- the layers themselves


def _system(construction: Network, more_bits: int = 0) -> Arithmetic:
    return BALL.with_bits(construction.bits + more_bits) if construction.stage == "softmax" else EXACT


def _differing(
    construction: Network, X: np.ndarray, name: str, executor: Executor | None, more_bits: int = 0
) -> tuple[Check, np.ndarray]:
    """How many sequences get another output than that of g-bar, up to the tolerance of softmax; and |g - g-bar|."""
    system = _system(construction, more_bits)
    off = layer_runs.gaps(construction, X, system, executor)
    allowed = np.full((len(off[0]), 1), ROUNDED if construction.stage == "softmax" else Fraction(0), dtype=object)
    allowed[0] = construction.tolerance * construction.grid.delta
    differ = (off > allowed).any(axis=(-2, -1))
    witness = {"X": X[int(differ.argmax())]} if differ.any() else None
    name = f"literal layers in {system.name}, {name}: sequences off g-bar"
    return Check(name, int(differ.sum()), "==", 0, witness, "sampled", len(X)), off


def _inside_check(construction: Network, literal: int, seed: int, executor: Executor | None) -> tuple[Check, float]:
    """g against g-bar in the cells, off their bands; and the largest |g - g-bar|_p that was seen."""
    grid, width, is_above = construction.grid, construction.width, construction.bands == "above"
    L, part, words = layer_runs.points_in_cells(
        construction, grid, literal, seed, construction.bits, ordered=construction.positional
    )
    start, room = width if is_above else 0, grid.delta - width
    if width == 0 or is_above:
        # Cells are open above; and at a band that begins there the network is still right.
        part[part == 1] = 1 - layer_runs.TINY**2
    X = L.astype(object) * grid.delta + start + part * room
    check, off = _differing(construction, X, words, executor)
    return check, float(entrywise_norm(layer_runs.as_floats(off), construction.claim.p).max())


def _outside_check(construction: Network, seed: int, executor: Executor | None) -> Check:
    """g against g-bar with one entry outside the box and its bands, in every row, near and far; and with all.

    Up to eight times, half of them with different columns: at a repeated one the output is 0 in any case.
    """
    rng, grid, width = np.random.default_rng(seed), construction.grid, construction.width
    below, above = (0, width) if construction.bands == "above" else (width, 0)
    near = -below - layer_runs.TINY, 1 + above, 1 + above + layer_runs.TINY
    away = [near[0], Fraction(-1, 3), -2, -(10**9), *near[1:], Fraction(4, 3), 7, 10**9]
    places = list(itertools.product(range(grid.d), away))
    most = layer_runs.most_sequences(construction, len(places), construction.bits)
    places *= min(8, most // len(places))
    X = layer_runs.draw(grid, len(places) + len(away), rng).astype(object)
    X = (X + Fraction(1, 2)) * grid.delta
    for k, (row, t) in enumerate(places):
        X[k, row, rng.integers(grid.n)] = Fraction(t)
    X[-len(away) :] = rng.choice(np.array(away, dtype=object), X[-len(away) :].shape)
    return _differing(construction, X, "an entry outside the box", executor, FAR_BITS)[0]


def _band_checks(construction: Network, literal: int, seed: int, executor: Executor | None) -> tuple[Check, Check]:
    """g - g-bar at random points with one entry in a band of the quantizer; and what it adds to d_p in the box."""
    rng, claim, grid, width = np.random.default_rng(seed), construction.claim, construction.grid, construction.width
    first = 0 if construction.bands == "above" else grid.delta - width
    starts = [k * grid.delta + first for k in range(grid.inverse_delta)]
    X = layer_runs.points_in_bands(grid, starts, width, literal, rng)
    off = layer_runs.gaps(construction, X, _system(construction), executor)
    drift = softmax_drift(grid, positional=construction.positional) if construction.stage == "softmax" else 0
    bound = largest_gap(construction.shortcut.value_map.table, drift)
    worst = off.max(axis=(-2, -1))
    witness = {"X": X[int(worst.argmax())]}
    mean = float((layer_runs.as_floats(off) ** claim.p).sum(axis=(-2, -1)).mean())
    inside = float(share_in_bands(grid, width, positional=True))
    name = f"d_{claim.p:g}(g-bar, g) from the bands, Lemma 6"
    return (
        Check("|g - g-bar| in the bands", worst.max(), "<=", bound, witness, "sampled", literal),
        Check(name, (inside * mean) ** (1 / claim.p), "<=", claim["bands"].bound, None, "sampled", literal),
    )
