"""What the construction of yun2020 claims, beside what is measured."""

from __future__ import annotations

import itertools
from concurrent.futures import Executor
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from .. import layer_runs
from ..arithmetic import BALL, EXACT, Arithmetic
from ..certificate import Certificate, Check, Construction
from ..checks import choice, instance, refused
from ..checks import executor as an_executor
from ..grids import Grid, repeated_share, step_function
from ..layers import RELU, Attention, ThreePiece
from ..metrics import distance_on_cells
from ..targets import Target, entrywise_norm
from . import cost, evaluation, ids
from .network import STAGES
from .softmax_and_relu import largest_gap, share_in_bands, softmax_drift

MAX_COUNTED = 4_000_000
"""Grid sequences that are counted one by one."""
ROUNDED = Fraction(1, 2**40)
"""What an enclosure may add to an entry that softmax does not touch."""
FAR_BITS = 64
"""More bits of enclosures outside the box."""


def certify(
    construction: Construction,
    *,
    literal: int = 30,
    samples: int = 200_000,
    seed: int = 0,
    executor: Executor | None = None,
) -> Certificate:
    """Measure every term of the claim and d_p itself, and run the literal layers.

    f-bar is the step function of Lemma 4, g the literal layers with the encodings, and g-bar the same network with
    hardmax and three-piece activations, whose values `evaluate` gives in bulk. Distances by quadrature are those of
    g-bar. What g adds is measured on sequences on which it is run: in EXACT, with softmax in BALL. They come within
    2^-20 delta of the edges of cells: a threshold that is off by less may not be seen.

    Parameters
    ----------
    construction : what `build` returned
    literal : the layers are run on at least so many sequences off the bands, as many inside the bands, and some outside
        the box. All cells are among them, without positional encodings up to the order of tokens, where that takes no
        more than a few seconds; the check says which
    samples : Monte Carlo points, where quadrature with nodes in every cell would take over half a million
    executor : runs the layers, and evaluates functions, piece by piece, with the same result; without one they come
        one after the other. Literal layers need processes, and then a function that can be pickled

    Raises
    ------
    ValueError
        No such construction, or parameters or terms that are not those of its network; literal is no int in
        [1, 10,000], samples none in [2, 50,000,000], seed none >= 0; executor is none, or cannot pickle the function.
    """
    layer_runs.require_run(1, literal, samples, seed)
    grid = _grid(construction)
    claim, parameters = construction.claim, construction.parameters
    target = instance("target", construction.target, Target)
    executor, N = an_executor(executor, target), grid.inverse_delta
    f_bar = step_function(target, inverse_delta=N)
    measured = partial(
        distance_on_cells, target=target, inverse_delta=N, p=claim.p, samples=samples, seed=seed, executor=executor
    )
    norm = f"d_{claim.p:g}"
    network, off, in_bands = _network(construction, grid, literal, seed, executor)
    checks = [*network, measured(f"{norm}(f, f-bar), Lemma 4", target, f_bar, claim["step"].bound)]
    if not _is_positional(construction):
        bound = claim["repeated"].bound
        if grid.size() <= MAX_COUNTED:
            count = sum(int((ids.categories(L) == 2).sum()) for L in grid.chunks())
            share = repeated_share(N, grid.n, grid.d)
            name = "share of cells with a repeated column, Proposition 5"
            checks.append(Check(name, Fraction(count, grid.size()), "==", share, cases=grid.size()))
        checks.append(measured(f"{norm}(f-bar, g-bar), Proposition 5", f_bar, construction.evaluate, bound))
    apart = measured(f"{norm}(f, g-bar)", target, construction.evaluate, claim.error)
    total = apart.measured + off + in_bands
    name = f"{norm}(f, g), estimated: {norm}(f, g-bar) at most, plus {norm}(g-bar, g) at samples"
    checks += [apart, Check(name, total, "<=", claim.error, None, "sampled", apart.cases)]
    how = "repaired" if parameters["variant"] == "repaired" else "as printed"
    return Certificate(checks, f"Network g after yun2020, {how}, and g-bar, in bulk with hardmax", parameters)


def network_checks(construction: Construction, *, literal: int = 30, seed: int = 0) -> list[Check]:
    """The checks of `certify` that look at the layers; the others measure the function and g-bar."""
    return _network(construction, _grid(construction), literal, seed)[0]


def _grid(construction: Any) -> Grid:
    """The grid of a construction; ValueError unless `build` can have made it, whose notes and terms are all there."""
    if type(construction) is not Construction or not isinstance(construction.evaluate, evaluation.Evaluation):
        raise refused("construction", "the Construction that build returns", construction)
    grid, notes = construction.evaluate.grid, construction.parameters
    layer_runs.require_notes(construction, ["stage", "variant"], [])
    stage = STAGES.index(choice("parameters stage", notes["stage"], STAGES))
    terms = [["step"] if _is_positional(construction) else ["step", "repeated"], ["ReLU"], ["softmax"]]
    names = [[], ["bands", "width"], ["tolerance", "bits"]]
    needed, promised = (list(itertools.chain(*lists[: stage + 1])) for lists in (names, terms))
    layer_runs.require_notes(construction, needed, promised, **vars(grid))
    return grid


def _is_positional(construction: Construction) -> bool:
    return bool(construction.evaluate.positional)  # type: ignore[attr-defined]


def _network(
    construction: Construction, grid: Grid, literal: int, seed: int, executor: Executor | None = None
) -> tuple[list[Check], float, float]:
    """The checks of the layers; d_p(g-bar, g) off the bands, if it is at most the largest seen; and from the bands."""
    stage, claim = construction.parameters["stage"], construction.claim
    checks = _size_checks(construction, grid)
    inside, off = _inside_check(construction, grid, literal, seed, executor)
    checks.append(inside)
    if not _is_positional(construction):
        checks.append(_outside_check(construction, grid, seed, executor))
    if stage == "hardmax":
        return checks, off, 0.0
    in_bands, added = _band_checks(construction, grid, literal, seed, executor)
    if stage == "softmax":
        name = f"d_{claim.p:g}(g-bar, g) off the bands, Lemma 6: the largest gap"
        checks.append(Check(name, off, "<=", claim["softmax"].bound, None, "sampled", inside.cases))
    return [*checks, in_bands, added], off, float(added.measured)


def _size_checks(construction: Construction, grid: Grid) -> list[Check]:
    model, parameters = construction.model, construction.parameters
    repaired = parameters["variant"] == "repaired"
    positional = _is_positional(construction)
    counts = cost.layer_counts(grid.inverse_delta, grid.n, grid.d, positional=positional, repaired=repaired)
    kind = "softmax" if parameters["stage"] == "softmax" else "hardmax"
    attention = [layer for layer in model.layers if isinstance(layer, Attention) and layer.normalization == kind]
    activation = ThreePiece if parameters["stage"] == "hardmax" else RELU
    return [
        *layer_runs.class_checks(construction, kind, activation, (0, 1)),
        Check(f"{kind} attention layers, by Lemmas 7 to 9", len(attention), "==", counts["attention"]),
        Check("layers in all, by Lemmas 7 to 9", len(model.layers), "==", counts["total"]),
    ]


# ----------------------------------------------------------------------------------------------- the layers themselves


def _system(construction: Construction, more_bits: int = 0) -> Arithmetic:
    if construction.parameters["stage"] != "softmax":
        return EXACT
    return BALL.with_bits(construction.parameters["bits"] + more_bits)


def _differing(
    construction: Construction, X: np.ndarray, name: str, executor: Executor | None, more_bits: int = 0
) -> tuple[Check, np.ndarray]:
    """How many sequences get another output than that of g-bar, up to the tolerance of softmax; and |g - g-bar|."""
    parameters = construction.parameters
    system = _system(construction, more_bits)
    off = layer_runs.gaps(construction, X, system, executor)
    allowed = np.full((len(off[0]), 1), ROUNDED if parameters["stage"] == "softmax" else Fraction(0), dtype=object)
    allowed[0] = parameters.get("tolerance", 0) * Fraction(1, parameters["inverse_delta"])
    differ = (off > allowed).any(axis=(-2, -1))
    witness = layer_runs.text(X[int(differ.argmax())]) if differ.any() else None
    name = f"literal layers in {system.name}, {name}: sequences off g-bar"
    return Check(name, int(differ.sum()), "==", 0, witness, "sampled", len(X)), off


def _inside_check(
    construction: Construction, grid: Grid, literal: int, seed: int, executor: Executor | None
) -> tuple[Check, float]:
    """g against g-bar in the cells, off their bands; and the largest |g - g-bar|_p that was seen."""
    parameters = construction.parameters
    L, part, words = layer_runs.points_in_cells(construction, grid, literal, seed, ordered=_is_positional(construction))
    width = parameters.get("width", Fraction(0))
    start = width if parameters.get("bands") == "above" else 0
    room = grid.delta - width
    if width == 0 or parameters["bands"] == "above":
        # Cells are open above; and at a band that begins there the network is still right.
        part[part == 1] = 1 - layer_runs.TINY**2
    X = L.astype(object) * grid.delta + start + part * room
    check, off = _differing(construction, X, words, executor)
    return check, float(entrywise_norm(layer_runs.as_floats(off), construction.claim.p).max())


def _outside_check(construction: Construction, grid: Grid, seed: int, executor: Executor | None) -> Check:
    """g against g-bar with one entry outside the box and its bands, in every row, near and far; and with all.

    Up to eight times, half of them with different columns: at a repeated one the output is 0 in any case.
    """
    rng, parameters = np.random.default_rng(seed), construction.parameters
    width = parameters.get("width", Fraction(0))
    below, above = (width, 0) if parameters.get("bands") != "above" else (0, width)
    near = -below - layer_runs.TINY, 1 + above, 1 + above + layer_runs.TINY
    away = [near[0], Fraction(-1, 3), -2, -(10**9), *near[1:], Fraction(4, 3), 7, 10**9]
    places = list(itertools.product(range(grid.d), away))
    most = layer_runs.most_sequences(construction, len(places), parameters.get("bits", 0))
    places *= min(8, most // len(places))
    X = layer_runs.draw(grid, len(places) + len(away), rng).astype(object)
    X = (X + Fraction(1, 2)) * grid.delta
    for k, (row, t) in enumerate(places):
        X[k, row, rng.integers(grid.n)] = Fraction(t)
    X[-len(away) :] = rng.choice(np.array(away, dtype=object), X[-len(away) :].shape)
    return _differing(construction, X, "an entry outside the box", executor, FAR_BITS)[0]


def _band_checks(
    construction: Construction, grid: Grid, literal: int, seed: int, executor: Executor | None
) -> tuple[Check, Check]:
    """g - g-bar at random points with one entry in a band of the quantizer; and what it adds to d_p in the box."""
    rng, claim, parameters = np.random.default_rng(seed), construction.claim, construction.parameters
    width, first = parameters["width"], 0 if parameters["bands"] == "above" else grid.delta - parameters["width"]
    starts = [k * grid.delta + first for k in range(grid.inverse_delta)]
    X = layer_runs.points_in_bands(grid, starts, width, literal, rng)
    off = layer_runs.gaps(construction, X, _system(construction), executor)
    drift = softmax_drift(grid, positional=_is_positional(construction)) if parameters["stage"] == "softmax" else 0
    bound = largest_gap(construction.evaluate.value_map.table, drift)  # type: ignore[attr-defined]
    worst = off.max(axis=(-2, -1))
    witness = layer_runs.text(X[int(worst.argmax())])
    mean = float((layer_runs.as_floats(off) ** claim.p).sum(axis=(-2, -1)).mean())
    inside = float(share_in_bands(grid, width, positional=True))
    name = f"d_{claim.p:g}(g-bar, g) from the bands, Lemma 6"
    return (
        Check("|g - g-bar| in the bands", worst.max(), "<=", bound, witness, "sampled", literal),
        Check(name, (inside * mean) ** (1 / claim.p), "<=", claim["ReLU"].bound, None, "sampled", literal),
    )
