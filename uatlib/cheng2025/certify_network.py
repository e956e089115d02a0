"""Cheng, Lin, Shen, Li (2025): what `build` claims of a network, beside what is measured."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np
import torch

from .. import grids, targets
from ..arithmetic import BALL, FLOAT64, Undecided, distances
from ..certificate import Certificate, Check, Construction
from ..checks import executor as an_executor
from ..checks import refused
from ..grids import StepFunction, grid_tokens, repeated_share
from ..internal import layer_runs
from ..internal.measured import Method
from ..kernels import Kernel
from ..layers import RELU, Attention, FeedForward, LinearSum
from ..metrics import distance_on_cells
from ..model import Transformer
from ..patterns import Pattern
from .grid_sequences import GridSequences, Symmetry, grid_sequences, symmetry_of
from .named_patterns import neighbour_lists
from .random_attention import ids_of, separation

POINTS = 2000
"""Sequences on which layers are run in float64."""
WORK = 2**31
NUMBERS = 2**24
"""Of the hidden layer, at once."""
SLACK = 2.0**-20
TOLERANCE = Fraction(1, 2**40)
"""What the layers may be off at grid sequences, as a share of the largest value: two roundings of the values."""
FLOATS = 2.0**-16
"""What layers in float64 may be off at grid sequences, as a share of the largest value, to be called resolved."""
System = Literal["float64", "ball"]
Variant = Literal["repaired", "printed"]


@dataclass(frozen=True, eq=False, repr=False)
class Network(Construction):
    """What `build` returns.

    Attributes
    ----------
    kernel, variant, seed, ramp : those of `build`
    attention_layers, group : how many layers of attention there are, and the name of the group (18) of their patterns
    tokens, separation : how many ids have a bump, and the least distance of two
    system, bits : "float64" where that resolves the network, else "ball"; and BALL.with_bits(bits) runs the layers
    """

    shortcut: StepFunction
    kernel: Kernel
    attention_layers: int
    group: str
    variant: Variant
    seed: int
    ramp: Fraction
    tokens: int
    separation: float
    system: System
    bits: int

    @property
    def grid(self) -> grids.Grid:
        """The grid of sequences."""
        return grids.Grid(self.shortcut.inverse_delta, self.target.n, self.target.d)

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was built with and what was chosen, as it is printed."""
        bulk, grid = self.shortcut, vars(self.grid)
        shown = {"target": self.target.name, **grid, "kernel": self.kernel, "layers": self.attention_layers}
        shown |= {"group": self.group, "duplicates": bulk.duplicates, "variant": self.variant, "seed": self.seed}
        shown |= {"ramp": self.ramp, "tokens": self.tokens, "separation": self.separation}
        return shown | {"system": self.system, "bits": self.bits}

    def certify(
        construction, *, literal: int = 36, samples: int = 200_000, seed: int = 0, executor: Executor | None = None
    ) -> Certificate:
        """Measure every term of the claim and d_p itself; run the layers beside the bulk evaluation; compare all ids.

        Parameters
        ----------
        construction : what `build` returned
        literal : sequences on which the layers are run in BALL: in the flat parts of cells, at and beside their edges;
            in float64, if that resolves the network, all grid sequences are run, and 2,000 more points
        samples : Monte Carlo points, where quadrature with nodes in every cell would take over half a million
        executor : evaluates functions, and runs the layers in BALL, piece by piece, with the same result; without one
            they come one after the other

        Raises
        ------
        ValueError
            No such construction, or a claim without its terms; literal is no int in [2, 10,000], samples none in
            [2, 50,000,000], seed none >= 0; executor is none, or cannot pickle the function.
        """
        if not isinstance(construction, Network):
            raise refused("construction", "what cheng2025.build returns", construction)
        literal, samples, seed = layer_runs.run_size(2, literal, samples, seed)
        claim, target, bulk = construction.claim, construction.target, construction.shortcut
        drops = bulk.duplicates == "drop"
        layer_runs.require_terms(claim, "step", "ramps", "interpolation", *(["repeated"] if drops else []))
        executor, N, p = an_executor(executor, target), bulk.inverse_delta, claim.p
        norm, step = f"d_{p:g}", replace(bulk, duplicates="keep")
        measured = partial(
            distance_on_cells, target=target, inverse_delta=N, p=p, samples=samples, seed=seed, executor=executor
        )
        checks = network_checks(construction, literal=literal, seed=seed, executor=executor)
        checks.append(measured(f"{norm}(f, f-bar), f-bar constant on cells, (34)", target, step, claim["step"].bound))
        if drops:
            share = float(repeated_share(N, target.n, target.d))
            name = f"{norm}(f-bar, g-bar), cells with a token twice, {share:.3g} of the box, (39)"
            checks.append(measured(name, step, bulk, claim["repeated"].bound))
        ramps = _ramp_check(construction, literal, seed)
        apart = measured(f"{norm}(f, g-bar)", target, bulk, claim.error)
        total = apart.measured + ramps.measured + claim["interpolation"].bound
        name = f"{norm}(f, g), estimated: {norm}(f, g-bar) at most, plus {norm}(g-bar, g) at samples"
        checks += [ramps, apart, Check(name, total, "<=", claim.error, None, "sampled", apart.cases)]
        how = "with centres as tokens" if construction.variant == "repaired" else "with corners as tokens, as printed"
        title = f"Network g after Cheng et al. (2025), {how}, and g-bar, in bulk"
        return Certificate(checks, title, construction.parameters)


certify = Network.certify


def network_checks(
    construction: Network, *, literal: int = 36, seed: int = 0, executor: Executor | None = None
) -> list[Check]:
    """The checks of `certify` that look at the layers; the others measure the function and g-bar."""
    sizes = _size_checks(construction)
    if not all(check.holds for check in sizes):
        return [*sizes, _flat_check(construction, literal, seed, executor)]
    symmetry = _symmetry(construction.model, construction.target.n)
    grid = _Grid(construction, symmetry)
    return [
        *sizes,
        *grid.id_checks(literal, seed),
        *grid.interpolation_checks(seed),
        _flat_check(construction, literal, seed, executor),
        *_float_checks(construction, seed),
        _equivariance_check(construction, symmetry, literal, seed),
    ]


def _symmetry(model: Transformer, n: int) -> Symmetry:
    """The common automorphisms of the patterns that its layers of attention have."""
    return symmetry_of(neighbour_lists([layer.mask for layer in model.attentions()], n), n)


def _size_checks(construction: Network) -> list[Check]:
    model, n = construction.model, construction.target.n

    def is_own(layer: Attention) -> bool:
        heard = layer.mask is None or (isinstance(layer.mask, Pattern) and layer.mask.shape == (n, n))
        whole = layer.skip and not layer.cross and all(head.w_e is None for head in layer.heads)
        return bool(heard and whole and layer.kernel == construction.kernel)

    kinds = [type(layer) for layer in model.layers]
    wrong = int(kinds != [FeedForward, *[Attention] * construction.attention_layers, FeedForward])
    sizes = layer_runs.class_checks(
        model, construction.claim, "softmax", RELU, (0, 1), ("attention of this kernel", is_own)
    )
    order = Check("other orders than ReLUs, attention, ReLUs", wrong, "==", 0, repr(model) if wrong else None)
    if wrong or sizes[1].measured:
        return [*sizes, order]
    group = _symmetry(model, n).name
    name = f"groups of the patterns (18) other than {construction.group}"
    return [*sizes, order, Check(name, int(group != construction.group), "==", 0, group)]


# ---------------------------------------------------------------------------------------------------------- on the grid


class _Grid:
    """All grid sequences, one of each orbit, and what the layers after the staircase do with them."""

    def __init__(self, construction: Network, symmetry: Symmetry) -> None:
        self.construction, bulk, d = construction, construction.shortcut, construction.target.d
        size = construction.grid.column_values
        self.found: GridSequences = grid_sequences(size, symmetry, bulk.duplicates == "keep")
        tokens = grid_tokens(bulk.inverse_delta, d, bulk.first)
        self.X = tokens[:, self.found.rows].transpose(1, 0, 2)
        self.memory = construction.model.layers[-1]
        self.u = np.asarray(self.memory.weights()["w_1"][0])
        self.ids = ids_of(construction.model.attentions(), self.u, self.X.astype(np.float64))

    def id_checks(self, literal: int, seed: int) -> list[Check]:
        """How far ids are apart in float64, all of them; and how far floats are from enclosures, on some."""
        gap, pair = separation(self.ids, self.found)
        count = int(self.found.counted.sum())
        promised = self.construction.separation
        n = self.construction.target.n
        apart = two_tokens(self.X, *(divmod(place, n) for place in pair))
        some = np.random.default_rng(seed).permutation(len(self.X))[:literal]
        system = BALL.with_bits(self.construction.bits)
        try:
            reading = Transformer([*self.construction.model.attentions(), LinearSum([(self.u[None], None)])])
            off = distances(reading(self.X[some], system)[:, 0], self.ids[some])
            worst, at = off.max(), int(some[off.max(axis=1).argmax()])
        except Undecided:
            worst, at = math.inf, int(some[0])
        tokens, name = len(some) * n, "|rounding of an id| in float64, beside the flat part of a bump"
        return [
            Check("least distance of two ids, in float64", gap, ">=", promised * (1 - SLACK), apart, cases=count),
            Check(name, worst, "<=", promised / 8, {"X": self.X[at]}, "sampled", tokens),
        ]

    def interpolation_checks(self, seed: int) -> list[Check]:
        """g at the grid sequences after the staircase, against f in general position, else 0; in float64."""
        if self.construction.system != "float64":
            return []
        n, r = self.construction.target.n, len(self.memory.weights()["w_1"])
        most = max(1, WORK // (n * r))
        some = np.random.default_rng(seed).permutation(len(self.X))[:most]
        Y = _run(Transformer(self.construction.model.layers[1:]), self.X[some].astype(np.float64))
        off = np.abs(Y - self.construction.shortcut(self._points(some)).astype(np.float64)).max(axis=(-2, -1))
        k = int(off.argmax())
        bound = FLOATS * _size(self.construction)
        method: Method = "exhaustive" if len(some) == len(self.X) else "sampled"
        witness = {"X": self.X[some[k]]}
        name = "|g - f| at grid sequences, layers in float64, (38)"
        return [Check(name, float(off[k]), "<=", bound, witness, method, len(off))]

    def _points(self, some: np.ndarray) -> np.ndarray:
        """In the cells, at the same place of each."""
        bulk = self.construction.shortcut
        return np.asarray(self.X[some] - bulk.first + Fraction(1, 4 * bulk.inverse_delta))


def _size(construction: Network) -> float:
    return max(1.0, float(construction.target.bound or 0))


def _run(model: Transformer, X: np.ndarray) -> np.ndarray:
    """The layers in float64, so many sequences at once that the hidden layer fits."""
    units = max(len(layer.w_1) for layer in model.feed_forwards())
    step = max(1, NUMBERS // (units * X.shape[-1]))
    lowered = model.lower(FLOAT64.on("cpu"))
    return np.concatenate([lowered(torch.from_numpy(X[k : k + step])).numpy() for k in range(0, len(X), step)])


# -------------------------------------------------------------------------------------------------------- in the layers


def _flat_points(construction: Network, L: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Points of the cells L, `part` in [0, 1] of the way through their flat parts; the last cell is flat to its end."""
    N = construction.shortcut.inverse_delta
    flat = 1 - (L < N - 1).astype(object) * construction.ramp
    return np.asarray((L.astype(object) + part * flat) * Fraction(1, N))


def _flat_check(construction: Network, literal: int, seed: int, executor: Executor | None) -> Check:
    """g against g-bar in the flat parts, enclosed."""
    grid, rng = construction.grid, np.random.default_rng(seed)
    found = layer_runs.cells(grid, literal, rng, ordered=True)
    L = np.concatenate([found.L, rng.integers(0, grid.inverse_delta, (max(0, literal - len(found.L)), grid.d, grid.n))])
    L, part = layer_runs.edges_and_inside(L, max(literal, 2 * len(L)), rng)
    X = _flat_points(construction, L, part)
    worst = layer_runs.gaps(construction, X, BALL.with_bits(construction.bits), executor).max(axis=(-2, -1))
    k = int(worst.argmax())
    name = f"|g - g-bar| in the flat parts of {found.words}"
    bound = float(TOLERANCE) * _size(construction)
    return Check(name, worst[k], "<=", bound, {"X": X[k]}, "enclosed", len(X))


def _float_checks(construction: Network, seed: int) -> list[Check]:
    """The same in float64, at more points."""
    N, rng = construction.shortcut.inverse_delta, np.random.default_rng(seed)
    if construction.system != "float64":
        return []
    L = layer_runs.draw(construction.grid, _points(construction), rng)
    edges = rng.choice([float(layer_runs.TINY), 1 - float(layer_runs.TINY)], L.shape)
    part, ramp = np.where(rng.random(L.shape) < 0.5, edges, _inside(rng, L.shape, True)), float(construction.ramp)
    X = (L + part * (1 - ramp * (N - 1 > L))) / N
    off = np.abs(_run(construction.model, X) - construction.shortcut(X)).max(axis=(-2, -1))
    k = int(off.argmax())
    bound, name = FLOATS * _size(construction), "|g - g-bar| in the flat parts, layers in float64"
    return [Check(name, float(off[k]), "<=", bound, {"X": X[k]}, "sampled", len(X))]


def _points(construction: Network) -> int:
    """How many sequences the layers are run on in float64."""
    cost = construction.model.parameter_count() * construction.target.n
    return int(max(64, min(POINTS, WORK // (16 * cost))))


def _equivariance_check(construction: Network, symmetry: Symmetry, literal: int, seed: int) -> Check:
    """g(X P) against g(X) P for P that generate (18), anywhere in the box."""
    target, rng = construction.target, np.random.default_rng(seed + 1)
    count = max(1, literal // (1 + len(symmetry.generators)))
    X = rng.integers(0, 10**6, (count, target.d, target.n)).astype(object) * Fraction(1, 10**6)
    bound, name = float(TOLERANCE) * _size(construction), f"|g(X P) - g(X) P| for P that generate {symmetry.name}"
    system, worst, witness = BALL.with_bits(construction.bits), Fraction(0), None
    try:
        lowered = construction.model.lower(system)
        Y = lowered(X)
        for p in symmetry.generators:
            off = distances(lowered(X[..., p]), Y[..., p]).max(axis=(-2, -1))
            if off.max() > worst:
                worst, witness = off.max(), {"P": p, "X": X[int(off.argmax())]}
    except Undecided:
        return Check(name, math.inf, "<=", bound, None, "enclosed", count)
    return Check(name, worst, "<=", bound, witness, "enclosed", count * len(symmetry.generators))


def _ramp_check(construction: Network, literal: int, seed: int) -> Check:
    """d_p(g-bar, g) on the ramps, by points with an entry in one, each weighed by how many entries it has there.

    A point with k of m entries in ramps, which are a share r of an axis, is drawn with the density k/(m r).
    """
    p, rng = construction.claim.p, np.random.default_rng(seed + 2)
    N, n, d = construction.shortcut.inverse_delta, construction.target.n, construction.target.d
    in_floats = construction.system == "float64"
    count = _points(construction) if in_floats else literal
    ramp = float(construction.ramp) if in_floats else construction.ramp
    X = _inside(rng, (count, d, n), in_floats)
    place = (np.arange(count), rng.integers(d, size=count), rng.integers(n, size=count))
    X[place] = (rng.integers(1, N, count) - _inside(rng, (count,), in_floats) * ramp) / N
    cells = (X * N // 1).astype(np.int64)
    inside = (cells < N - 1) & (X * N - cells > 1 - ramp)
    weight = d * n * float(ramp) * (N - 1) / N / np.maximum(1, inside.sum(axis=(-2, -1)))
    if in_floats:
        off = np.abs(_run(construction.model, X) - construction.shortcut(X))
    else:
        off = layer_runs.as_floats(layer_runs.gaps(construction, X, BALL.with_bits(construction.bits)))
    total = float((targets.entrywise_norm(off, p) ** p * weight).mean() ** (1 / p))
    bound = construction.claim["ramps"].bound + construction.claim["interpolation"].bound
    return Check(f"d_{p:g}(g-bar, g) from the ramps, (41)", total, "<=", bound, None, "sampled", count)


def _inside(rng: np.random.Generator, shape: tuple[int, ...], in_floats: bool) -> np.ndarray:
    """Random multiples of 1/1009 in (0, 1): no cell of a coarse grid has its edge there."""
    k = rng.integers(1, 1009, shape)
    return k / 1009 if in_floats else np.asarray(k.astype(object) * Fraction(1, 1009))


def two_tokens(X: np.ndarray, one: tuple[int, int], other: tuple[int, int]) -> dict[str, object]:
    """The witness of token k of sequence i and token m of sequence j: (i, k) and (j, m), from 0, shown from 1."""
    (i, k), (j, m) = one, other
    return {"X": X[i], "token": k + 1, "Y": X[j], "token of Y": m + 1}
