"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Definition E.1 and Lemmas 8 and 10."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from ...arithmetic import EXACT
from ...certificate import Certificate, Check
from ...contexts import find_violation
from ...grids import Grid
from ...layers import Attention, Head
from ...model import Transformer
from ...registry import register_by_seed as register
from ...targets import require_ints
from .._selective_shift import selective_shift
from ..ids import categories, column_ids, column_vector, context_ids, id_interval

MAX_SEQUENCES = 4_000_000
"""Extended grids up to this size are checked exhaustively, larger ones by sampling."""
LITERAL_SEQUENCES = 300
"""Sequences on which the literal layers are run, where running them on all would take long."""


def exact_sequences(L: torch.Tensor | np.ndarray, inverse_delta: int) -> np.ndarray:
    """Sequences of integers in units of delta as real numbers: an object array of Fractions."""
    return np.asarray(np.frompyfunc(lambda k: Fraction(int(k), inverse_delta), 1, 1)(np.asarray(L).astype(object)))


def literal_ids(model: Transformer, X: np.ndarray, inverse_delta: int) -> np.ndarray:
    """u^T model(X) in units of delta, by running the layers in EXACT."""
    u = np.array(column_vector(inverse_delta, X.shape[-2]), dtype=object)[:, None]
    return np.asarray((u * model(X, EXACT)).sum(axis=-2) * inverse_delta)


def interval_checks(grid: Grid, sentinel: Any, model: Transformer, names: tuple[str, str]) -> list[Check]:
    """Properties 8.3 and 8.4 with any sentinel: sequences of distinct columns of the grid have ids in [t_l, t_r].

    Those with a repeated column or a sentinel have none there. On the whole extended grid, literally in EXACT.
    """
    N, n, d = grid.inverse_delta, grid.n, grid.d
    values = [Fraction(k, N) for k in range(N)] + [Fraction(sentinel)]
    X = np.array(list(itertools.product(values, repeat=d * n)), dtype=object).reshape(-1, d, n)
    ids = literal_ids(model, X, N)
    t_l, t_r = id_interval(N, n, d)
    inside = (ids >= t_l) & (ids <= t_r)
    on_grid = np.array([sentinel not in x and len({tuple(c) for c in x.T.tolist()}) == n for x in X])
    checks = []
    for name, bad, among in (
        (names[0], ~inside.all(axis=-1) & on_grid, on_grid),
        (names[1], inside.any(axis=-1) & ~on_grid, ~on_grid),
    ):
        k = int(bad.argmax())
        witness = (X[k].tolist(), [str(i) for i in ids[k]]) if bad.any() else None
        checks.append(Check(name, int(bad.sum()), "==", 0, witness, cases=int(among.sum())))
    return checks


def _distinct_sequences(grid: Grid) -> torch.Tensor:
    if grid.size() > MAX_SEQUENCES:
        raise ValueError(
            f"the grid has {grid.size():,} sequences, the limit for an exhaustive check is {MAX_SEQUENCES:,}; "
            "choose a coarser grid."
        )
    L = grid.sequences()
    return L[categories(L) == 1]


def _require_context(grid: Grid, id: str) -> None:
    if grid.n < 2:
        raise ValueError(f"{id}: expected n >= 2, got {grid.n}; a lone token has no context.")


def _certify_definition(grid: Grid, q: np.ndarray, L: torch.Tensor, definition: Any) -> Certificate:
    violation = find_violation(L, q, definition=definition)
    return Certificate(
        [
            Check(
                f"violations of the definition ({definition})",
                int(violation is not None),
                "==",
                0,
                None if violation is None else str(violation),
                "exhaustive",
                len(L),
            )
        ],
        parameters={"inverse_delta": grid.inverse_delta, "n": grid.n, "d": grid.d},
    )


def _perturb_definition(*, seed: int = 0, inverse_delta: int = 3, n: int = 2, d: int = 1) -> Certificate:
    """One token of one sequence gets the id of its neighbour."""
    grid = Grid(inverse_delta, n, d)
    _require_context(grid, "yun2020:def-e1")
    L = _distinct_sequences(grid)
    if len(L) == 0:
        raise ValueError(f"yun2020:def-e1: expected n <= N^d, got n = {n}, N^d = {grid.column_values}.")
    q = context_ids(L, inverse_delta=inverse_delta)
    k, j = np.random.default_rng(seed).integers([len(L), n - 1])
    q[k, j] = q[k, j + 1]
    return _certify_definition(grid, q, L, "slides")


@register(
    "yun2020:def-e1",
    "what a contextual mapping is, and that g_c is one",
    source="Definition E.1, section E.1.2",
    chapter="yun-contextual-mapping",
    perturb=_perturb_definition,
    concerns="definition",
    erratum=(
        "As printed, all entries of q(L) and q(L') must differ whenever L and L' do. A permutation equivariant map "
        "cannot do that: it gives L and its permutation the same ids. The slides (so2020slides) ask it only of "
        "sequences that are no permutations of each other."
    ),
)
def verify_definition(*, variant: str = "repaired", inverse_delta: int = 3, n: int = 2, d: int = 1) -> Certificate:
    """g_c on all grid sequences of distinct columns, against the definition of the slides or the printed one."""
    grid = Grid(inverse_delta, n, d)
    _require_context(grid, "yun2020:def-e1")
    L = _distinct_sequences(grid)
    q = context_ids(L, inverse_delta=inverse_delta)
    return _certify_definition(grid, q, L, "slides" if variant == "repaired" else "printed")


class _Tally:
    """Violations of one property over many chunks: how many, among how many, and the first."""

    def __init__(self) -> None:
        self.count, self.cases, self.witness = 0, 0, None

    def add(self, bad: np.ndarray, L: torch.Tensor, ids: np.ndarray) -> None:
        self.cases += len(L)
        self.count += int(bad.sum())
        if self.witness is None and bad.any():
            k = int(bad.argmax())
            self.witness = (L[k].tolist(), ids[k].tolist())  # type: ignore[assignment]

    def check(self, name: str, method: Any) -> Check:
        return Check(name, self.count, "==", 0, self.witness, method, self.cases)


def displayed_ids(columns: np.ndarray, D: int) -> np.ndarray:
    """The ids of Category 1 as displayed in section E.3.1, for ascending column ids l_1 < ... < l_n in each row.

    l~_j = l_j + sum_{k=1}^{j-1} D^k (l_{j-k} - l_{j-k+1}) + D^j (l_n - l_1), and then l~_j + D^{n+1} l~_n.
    """
    n = columns.shape[-1]
    swept = np.empty_like(columns)
    for j in range(1, n + 1):
        swept[:, j - 1] = columns[:, j - 1] + D**j * (columns[:, n - 1] - columns[:, 0])
        for k in range(1, j):
            swept[:, j - 1] += D**k * (columns[:, j - k - 1] - columns[:, j - k])
    return np.asarray(swept + D ** (n + 1) * swept[:, -1:])


def _shared_ids(L: np.ndarray, ids: np.ndarray, columns: np.ndarray) -> tuple[int, Any]:
    """Property 8.2: ids that occur in sequences which are no permutations of each other, and the first such pair."""
    context = np.unique(np.sort(columns, axis=-1), axis=0, return_inverse=True)[1].ravel()
    owner = np.repeat(context, ids.shape[-1])
    flat = ids.ravel()
    order = np.lexsort((owner, flat)) if flat.dtype != object else np.argsort(flat, kind="stable")
    same = (flat[order][1:] == flat[order][:-1]) & (owner[order][1:] != owner[order][:-1])
    if not same.any():
        return 0, None
    first = int(same.argmax())
    rows = order[[first, first + 1]] // ids.shape[-1]
    return int(same.sum()), tuple((L[k].tolist(), ids[k].tolist()) for k in rows)


def _certify_lemma_8(
    grid: Grid, ids_of: Callable[[torch.Tensor], np.ndarray], model: Transformer, samples: int
) -> Certificate:
    """The properties 8.1 to 8.4 for the ids that `ids_of` gives, and the literal `model` beside its definition."""
    N, n, d = grid.inverse_delta, grid.n, grid.d
    rng = np.random.default_rng(0)
    exhaustive = grid.size(extended=True) <= MAX_SEQUENCES
    method = "exhaustive" if exhaustive else "sampled"
    chunks = grid.chunks(extended=True) if exhaustive else [_random_sequences(grid, samples, rng)]
    t_l, t_r = id_interval(N, n, d)
    distinct, inside, outside, displayed = _Tally(), _Tally(), _Tally(), _Tally()
    kept: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for L in chunks:
        ids, kind = ids_of(L), categories(L).numpy()
        first, rest = kind == 1, kind != 1
        in_interval = (ids >= t_l) & (ids <= t_r)
        L_1, ids_1 = L[first], ids[first]
        ascending = np.sort(ids_1, axis=-1)
        columns = column_ids(L_1, inverse_delta=N).numpy()
        order = np.argsort(columns, axis=-1)
        expected = displayed_ids(np.take_along_axis(columns, order, -1).astype(ids.dtype), grid.column_values)
        distinct.add((ascending[:, 1:] == ascending[:, :-1]).any(axis=-1), L_1, ids_1)
        displayed.add((np.take_along_axis(ids_1, order, -1) != expected).any(axis=-1), L_1, ids_1)
        inside.add(~in_interval[first].all(axis=-1), L_1, ids_1)
        outside.add(in_interval[rest].any(axis=-1), L[rest], ids[rest])
        kept.append((L_1.numpy(), ids_1, columns))
    shared, pair = _shared_ids(*(np.concatenate(parts) for parts in zip(*kept, strict=True)))
    # The literal layers, on all sequences where that is quick, else on some; the bulk ids are what they must give.
    size = grid.size(extended=True)
    few = size <= LITERAL_SEQUENCES
    sample = grid.sequences(extended=True) if few else _random_sequences(grid, LITERAL_SEQUENCES, rng)
    by_layers = literal_ids(model, exact_sequences(sample, N), N)
    literal = _Tally()
    literal.add((by_layers != context_ids(sample, inverse_delta=N)).any(axis=-1), sample, by_layers)
    return Certificate(
        [
            distinct.check("8.1 sequences with repeated ids", method),
            Check("8.2 ids shared by different contexts", shared, "==", 0, pair, method, distinct.cases),  # type: ignore[arg-type]
            inside.check("8.3 distinct columns, some id outside [t_l, t_r]", method),
            outside.check("8.4 other sequences, some id inside [t_l, t_r]", method),
            displayed.check("ids that differ from the display of E.3.1", method),
            literal.check("literal layers against the recursion: differing", "exhaustive" if few else "sampled"),
            Check("hardmax attention layers, N^d + 1", model.depth, "==", grid.column_values + 1),
        ],
        parameters={"inverse_delta": N, "n": n, "d": d},
    )


def _random_sequences(grid: Grid, count: int, rng: np.random.Generator) -> torch.Tensor:
    """Grid sequences, of which one half has about one sentinel each."""
    L = rng.integers(0, grid.inverse_delta, (count, grid.d, grid.n))
    hit = rng.random(L.shape) < 1 / (grid.d * grid.n)
    hit[::2] = False
    return torch.from_numpy(np.where(hit, grid.sentinel_units, L))


def damaged_shift(grid: Grid, seed: int) -> tuple[Transformer, str]:
    """The network of Lemma 8 with one layer left out, too strong, or reading one column id too far, and what it is."""
    model = selective_shift(inverse_delta=grid.inverse_delta, n=grid.n, d=grid.d)
    layers: list[Any] = list(model.layers)
    rng = np.random.default_rng(seed)
    place, damage = int(rng.integers(len(layers))), seed % 3
    if damage == 0:
        del layers[place]
        return Transformer(layers, n=grid.n), f"layer {place} left out"
    what = "doubled" if damage == 1 else "reads one column id too far"
    heads = [
        Head(h.w_q, h.w_k, h.w_v, h.w_o * (2 if damage == 1 else 1), b_q=h.b_q - (grid.delta if damage == 2 else 0))
        for h in layers[place].heads
    ]
    if damage == 2 and place == len(layers) - 1:
        # After the sweep no id lies between 0 and one step, so moving this layer's threshold would change nothing.
        heads = [Head(h.w_q, h.w_k, h.w_v, -h.w_o, b_q=h.b_q) for h in layers[place].heads]
        what = "shifts down"
    layers[place] = Attention(heads, "hardmax")
    return Transformer(layers, n=grid.n), f"layer {place} {what}"


def _perturb_lemma_8(*, seed: int = 0, inverse_delta: int = 3, n: int = 2, d: int = 1) -> Certificate:
    """One layer of the network is left out, too strong, or reads the wrong column id."""
    grid = Grid(inverse_delta, n, d)
    _require_context(grid, "yun2020:lem-8")
    if grid.size(extended=True) > 20_000:
        raise ValueError(
            f"yun2020:lem-8: the damaged layers are run on the whole extended grid, {grid.size(extended=True):,} "
            "sequences; choose one of at most 20,000."
        )
    model, damage = damaged_shift(grid, seed)

    def ids_of(L: torch.Tensor) -> np.ndarray:
        return literal_ids(model, exact_sequences(L, inverse_delta), inverse_delta)

    certificate = _certify_lemma_8(grid, ids_of, model, 0)
    return Certificate(certificate.checks, parameters={**certificate.parameters, "damage": damage})


@register(
    "yun2020:lem-8",
    "hardmax attention computes a contextual mapping",
    source="Lemma 8, section E.3",
    chapter="yun-contextual-mapping",
    perturb=_perturb_lemma_8,
)
def verify_lemma_8(*, inverse_delta: int = 3, n: int = 2, d: int = 1, samples: int = 200_000) -> Certificate:
    """Properties 8.1 to 8.4 on the whole extended grid (a sample where it has over four million sequences).

    The bulk ids are checked against the display of section E.3.1 and against the literal layers run in EXACT.
    """
    grid = Grid(inverse_delta, n, d)
    _require_context(grid, "yun2020:lem-8")
    require_ints("yun2020:lem-8", 1, samples=samples)
    if grid.sentinel_units <= -(2**63):
        raise ValueError(
            f"yun2020:lem-8: expected a sentinel N^(nd+1) below 2^63, got {grid.inverse_delta}^{grid.n * grid.d + 1}; "
            "choose a coarser grid, shorter sequences or fewer dimensions."
        )
    model = selective_shift(inverse_delta=inverse_delta, n=n, d=d)

    def ids_of(L: torch.Tensor) -> np.ndarray:
        ids = context_ids(L, inverse_delta=inverse_delta)
        return ids.astype(np.int64) if _fits_int64(grid) else ids

    return _certify_lemma_8(grid, ids_of, model, samples)


def _fits_int64(grid: Grid) -> bool:
    # On the extended grid ids stay below 4 D^{3n+1}.
    return 4 * grid.column_values ** (3 * grid.n + 1) < 2**63


def _certify_lemma_10(grid: Grid, model: Transformer | None) -> Certificate:
    N, n, d, D = grid.inverse_delta, grid.n, grid.d, grid.column_values
    if math.comb(D, n) > MAX_SEQUENCES:
        raise ValueError(
            f"yun2020:lem-10: {math.comb(D, n):,} increasing tuples, the limit is {MAX_SEQUENCES:,}; "
            "choose a coarser grid."
        )
    if n > D:
        raise ValueError(
            f"yun2020:lem-10: expected n <= N^d, got n = {n} and N^d = {D}; no sequence has distinct columns."
        )
    tuples = np.array(list(itertools.combinations(range(D), n)), dtype=np.int64)
    L = np.stack([tuples // N**i % N for i in range(d)], axis=-2)
    if model is None:
        ids = context_ids(L, inverse_delta=N, global_shift=False)
    else:
        ids = literal_ids(model, exact_sequences(L, N), N)
    last = ids.max(axis=-1)
    low, high = int(last.argmin()), int(last.argmax())
    values, counts = np.unique(last, return_counts=True)
    twice = tuples[last == values[counts.argmax()]][:2].tolist() if counts.max() > 1 else None
    return Certificate(
        [
            Check("smallest l~_n", last[low], ">=", D ** (n - 1) * (D - 1), tuples[low].tolist(), cases=len(tuples)),
            Check(
                "largest l~_n",
                last[high],
                "<=",
                D**n * (D - 1) - (D - 1) ** 2,
                tuples[high].tolist(),
                cases=len(tuples),
            ),
            Check("different values of l~_n", len(values), "==", len(tuples), twice, cases=len(tuples)),
        ],
        parameters={"inverse_delta": N, "n": n, "d": d},
    )


def _perturb_lemma_10(*, seed: int = 0, inverse_delta: int = 3, n: int = 2, d: int = 1) -> Certificate:
    """The shifts are scaled by 0, 1 or 2 D in place of D."""
    grid = Grid(inverse_delta, n, d)
    _require_context(grid, "yun2020:lem-10")
    factor = (Fraction(0), Fraction(1, grid.column_values), Fraction(2))[seed % 3]
    sweep = selective_shift(inverse_delta=inverse_delta, n=n, d=d).layers[:-1]
    scaled = [
        Attention([Head(h.w_q, h.w_k, h.w_v, h.w_o * factor, b_q=h.b_q) for h in layer.heads], "hardmax")
        for layer in sweep
        if isinstance(layer, Attention)
    ]
    return _certify_lemma_10(grid, Transformer(scaled, n=n))


@register(
    "yun2020:lem-10",
    "bounds on the largest id after the sweep, and that it tells contexts apart",
    source="Lemma 10, section E.3.4",
    chapter="yun-contextual-mapping",
    perturb=_perturb_lemma_10,
)
def verify_lemma_10(*, inverse_delta: int = 3, n: int = 2, d: int = 1) -> Certificate:
    """D^{n-1} (D - 1) <= l~_n <= D^n (D - 1) - (D - 1)^2 in units of delta, one value for each context; exhaustive."""
    grid = Grid(inverse_delta, n, d)
    _require_context(grid, "yun2020:lem-10")
    return _certify_lemma_10(grid, None)
