"""What the construction of yun2020 claims, beside what is measured."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ..arithmetic import BALL, EXACT, distances
from ..certificate import Certificate, Check, Construction
from ..contextual_mapping import categories, layer_counts
from ..layers import Attention, FeedForward
from ..metrics import Distance, lp_distance
from ..quantization import Grid, step_function
from ..targets import Target, require_ints
from .yun2020_stages import largest_gap, share_in_bands, softmax_drift

__all__ = ["certify", "distance_on_cells", "repeated_share"]

MAX_POINTS = 500_000
"""Points of a quadrature; beyond, distances are estimated by Monte Carlo."""
MAX_COUNTED = 4_000_000
"""Grid sequences that are counted one by one."""


def repeated_share(inverse_delta: int, n: int, d: int) -> Fraction:
    """The volume of the cells with a repeated column, as a share of the box: 1 - prod_{i < n} (1 - i/D).

    Proposition 5 calls it O(delta^d); it is at most C(n, 2) delta^d. Source: yun2020, section E.1.4.
    """
    grid = Grid(inverse_delta, n, d)
    product = Fraction(1)
    for i in range(min(grid.n, grid.column_values + 1)):
        product *= 1 - Fraction(i, grid.column_values)
    return 1 - product


def certify(construction: Construction, *, literal: int = 30, samples: int = 200_000, seed: int = 0) -> Certificate:
    """Measure every term of the claim and d_p itself, and run the literal layers in EXACT beside the bulk evaluation.

    Parameters
    ----------
    construction : what `build` returned
    literal : sequences on which the layers are run, every cell in turn where the grid has no more
    samples : Monte Carlo points, where quadrature with nodes in every cell would take over half a million

    Raises
    ------
    ValueError
        literal is no int >= 1 or samples no int >= 2.
    """
    require_ints("certify", 1, literal=literal)
    require_ints("certify", 2, samples=samples)
    target, claim, parameters = construction.target, construction.claim, construction.parameters
    grid = Grid(parameters["inverse_delta"], parameters["n"], parameters["d"])
    positional = construction.encodings is not None
    f_bar = step_function(target, inverse_delta=grid.inverse_delta)  # type: ignore[arg-type]

    def measured(name: str, f: Callable[..., Any], g: Callable[..., Any], bound: float, flat: bool = False) -> Check:
        assert isinstance(target, Target)
        steep = 0 if flat else target.lipschitz
        return distance_on_cells(name, f, g, grid, claim.p, bound, steep, target.norm, samples, seed)

    norm = f"d_{claim.p:g}"
    checks = [*_size_checks(construction, grid, positional), _literal_check(construction, grid, literal, seed)]
    checks.append(measured(f"{norm}(f, f-bar), Lemma 4", target, f_bar, claim["step"].bound))
    if not positional:
        bound = claim["repeated"].bound
        if grid.size() <= MAX_COUNTED:
            count = sum(int((categories(L) == 2).sum()) for L in grid.chunks())
            share = repeated_share(grid.inverse_delta, grid.n, grid.d)
            name = "share of cells with a repeated column, Proposition 5"
            checks.append(Check(name, Fraction(count, grid.size()), "==", share, cases=grid.size()))
        checks.append(measured(f"{norm}(f-bar, g), Proposition 5", f_bar, construction.evaluate, bound, flat=True))
    if parameters["stage"] == "hardmax":
        checks.append(measured(f"{norm}(f, g)", target, construction.evaluate, claim.error))
        return Certificate(checks, "Network of yun2020", parameters)
    in_bands, added = _band_checks(construction, grid, literal, seed)
    apart = measured(f"{norm}(f, g-bar)", target, construction.evaluate, claim.error)
    total = apart.measured + added.measured
    if parameters["stage"] == "softmax":
        gap = float(_gaps(construction, _points(construction, grid, literal, seed)).max())
        name = f"{norm}(g-bar, g) off the bands, Lemma 6"
        bound = claim["softmax"].bound
        checks.append(Check(name, grid.n ** (1 / claim.p) * gap, "<=", bound, None, "sampled", literal))
        total += checks[-1].measured
    checks += [in_bands, added, Check(f"{norm}(f, g)", total, "<=", claim.error, None, "sampled", apart.cases)]
    return Certificate(checks, "Network of yun2020", parameters)


def _size_checks(construction: Construction, grid: Grid, positional: bool) -> list[Check]:
    model, claim = construction.model, construction.claim
    repaired = construction.parameters["variant"] == "repaired"
    counts = layer_counts(grid.inverse_delta, grid.n, grid.d, positional=positional, repaired=repaired)
    attention = [layer for layer in model.layers if isinstance(layer, Attention)]
    hidden = max(layer.w_1.shape[0] for layer in model.layers if isinstance(layer, FeedForward))
    sizes = {head.w_q.shape[0] for layer in attention for head in layer.heads}
    return [
        Check("layers, by Lemmas 7 to 9", len(model.layers), "==", counts["total"]),
        Check(f"{attention[0].normalization} attention layers", len(attention), "==", counts["attention"]),
        Check("heads h", max(len(layer.heads) for layer in attention), "<=", claim.heads),
        Check("head size m", max(sizes), "<=", claim.head_size),
        Check("hidden units r", hidden, "<=", claim.hidden),
        Check("parameters", model.parameter_count(), "==", claim.parameters),
    ]


def _points(construction: Construction, grid: Grid, literal: int, seed: int) -> np.ndarray:
    """Off the bands: cells, their corners, and points outside the box."""
    rng = np.random.default_rng(seed)
    N = grid.inverse_delta
    L = grid.sequences().numpy() if grid.size() <= literal else rng.integers(0, N, (literal, grid.d, grid.n))
    inside = rng.integers(0, 1000, L.shape)
    inside[::3] = 0
    width = construction.parameters.get("width", 0)
    start = width if construction.parameters.get("bands") == "above" else 0
    # Points of [start, start + delta - width) in each cell: all of it but the band.
    X = L.astype(object) * grid.delta + start + inside.astype(object) * (grid.delta - width) / Fraction(1000)
    if construction.encodings is None:
        beside = X[:5].copy()
        beside[:, rng.integers(grid.d), rng.integers(grid.n)] += rng.choice([-2, 1, 7])
        X = np.concatenate([X, beside])
    return np.asarray(X)


def _gaps(construction: Construction, X: np.ndarray) -> np.ndarray:
    """|g - g-bar| as Fractions, exact; or, with softmax, an upper bound from enclosures."""
    if construction.parameters["stage"] != "softmax":
        return np.asarray(abs(construction(X, EXACT) - construction.evaluate(X)))
    balls = construction(X, BALL.with_bits(construction.parameters["bits"]))
    return distances(balls, construction.evaluate(X))


def _literal_check(construction: Construction, grid: Grid, literal: int, seed: int) -> Check:
    """The layers in EXACT (softmax: in BALL) against the bulk evaluation, off the bands."""
    X = _points(construction, grid, literal, seed)
    differ = (_gaps(construction, X) > construction.parameters.get("tolerance", 0) * grid.delta).any(axis=(-2, -1))
    witness = [[str(t) for t in row] for row in X[int(differ.argmax())]] if differ.any() else None
    system = "BALL" if construction.parameters["stage"] == "softmax" else "EXACT"
    name = f"literal layers in {system} against the bulk evaluation: differing"
    return Check(name, int(differ.sum()), "==", 0, witness, "sampled", len(X))


def _band_checks(construction: Construction, grid: Grid, literal: int, seed: int) -> tuple[Check, Check]:
    """g - g-bar at random points with one entry in a band of the quantizer; and what it adds to d_p in the box."""
    rng, claim, parameters = np.random.default_rng(seed), construction.claim, construction.parameters
    N, width = grid.inverse_delta, parameters["width"]
    X = rng.integers(0, 10**6, (literal, grid.d, grid.n)).astype(object) * Fraction(1, 10**6)
    threshold = rng.integers(1, N + 1, literal).astype(object) * grid.delta - width
    if parameters["bands"] == "above":
        threshold -= grid.delta - width
    place = (np.arange(literal), rng.integers(grid.d, size=literal), rng.integers(grid.n, size=literal))
    X[place] = threshold + rng.integers(1, 1000, literal).astype(object) * (width / 1000)
    gaps = _gaps(construction, X)
    is_encoded = construction.encodings is not None
    drift = softmax_drift(grid, positional=is_encoded) if parameters["stage"] == "softmax" else 0
    bound = largest_gap(construction.evaluate.value_map.table, drift)  # type: ignore[attr-defined]
    worst = gaps.max(axis=(-2, -1))
    witness = [[str(t) for t in row] for row in X[int(worst.argmax())]]
    mean = float((gaps.astype(np.float64) ** claim.p).sum(axis=(-2, -1)).mean())
    inside = float(share_in_bands(grid, width, positional=True))
    name = f"d_{claim.p:g}(g-bar, g) from the bands, Lemma 6"
    return (
        Check("|g - g-bar| in the bands", worst.max(), "<=", bound, witness, "sampled", literal),
        Check(name, (inside * mean) ** (1 / claim.p), "<=", claim["ReLU"].bound, None, "sampled", literal),
    )


NODES = 30_000
"""Points of an enclosure that has more than one in a cell."""


def distance_on_cells(
    name: str,
    f: Callable[..., Any],
    g: Callable[..., Any],
    grid: Grid,
    p: float,
    bound: float,
    lipschitz: Any,
    norm: float,
    samples: int,
    seed: int,
) -> Check:
    """d_p(f, g) <= bound: the most that it can be, enclosed; or, where the grid is large, an estimate by Monte Carlo.

    `lipschitz` is that of f - g inside a cell, in the entrywise `norm`. Where it is 0 one node a cell will do.
    """
    found: Distance
    n, d, N = grid.n, grid.d, grid.inverse_delta
    if grid.size() <= MAX_POINTS:
        cells = N * max(1, int(NODES ** (1 / (d * n)) / N) if lipschitz else 1)
        found = lp_distance(f, g, n=n, d=d, p=p, method="enclosed", cells=cells, lipschitz=lipschitz, norm=norm)
        assert found.error is not None
        return Check(f"{name} at most", found.value + found.error, "<=", bound, None, "enclosed", found.points)
    found = lp_distance(f, g, n=n, d=d, p=p, method="monte carlo", samples=samples, seed=seed)
    assert found.standard_error is not None
    measured = found.value + 3 * found.standard_error
    return Check(f"{name} + 3 standard errors", measured, "<=", bound, None, "sampled", found.points)
