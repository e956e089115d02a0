"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020): Definition E.1 and Lemmas 8 and 10."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import torch

from uatlib.certificate import Certificate, Check
from uatlib.checks import refused, whole
from uatlib.contexts import find_violation
from uatlib.grids import Grid
from uatlib.layers import Layer
from uatlib.model import Transformer
from uatlib.yun2020.ids import categories, column_ids, context_ids, id_interval
from uatlib.yun2020.shift_layers import selective_shift, sweep_layers

from ..damages import Damage, edited, in_a_layer, in_every_layer, scaled, shifted, without_a_layer
from ..registry import register
from .common import exact_sequences, grid_of, literal_ids, require_few, require_literal

MAX_SEQUENCES = 4_000_000
"""Extended grids up to this size are checked exhaustively, larger ones by sampling."""
LITERAL_SEQUENCES = 300
"""Sequences on which the literal layers are run, where running them on all would take long."""
MAX_LITERAL = 20_000_000
"""Entries that literal layers may compute in EXACT."""
MAX_DAMAGED = 20_000
"""Sequences on which damaged layers are run, for which no shortcut is known."""


# ---------------------------------------------------------------------------------------------------- definition E.1


class Ids(NamedTuple):
    """Sequences, ids of their tokens, and what these must satisfy."""

    grid: Grid
    L: torch.Tensor
    q: np.ndarray
    definition: Literal["slides", "printed"]


def _certify_definition(parts: Ids) -> list[Check]:
    violation = find_violation(parts.L, parts.q, definition=parts.definition)
    name = f"violations of the definition ({parts.definition})"
    return [Check.none(name, [violation] if violation else [], cases=len(parts.L))]


@edited("q")
def _id_of_a_neighbour(q: np.ndarray, parts: Ids, rng: np.random.Generator) -> None:
    """One token of one sequence gets the id of the next."""
    k, j = rng.integers([len(q), parts.grid.n - 1])
    q[k, j] = q[k, j + 1]


@register(
    "yun2020:def-e1",
    "what a contextual mapping is, and that g_c is one",
    source="Definition E.1, section E.1.2",
    chapter="yun-contextual-mapping",
    construction=context_ids,
    certify=_certify_definition,
    cases=[{"inverse_delta": 2, "n": 2, "d": 1}, {"inverse_delta": 2, "n": 3, "d": 2}],
    damages={"a token has the id of its neighbour": _id_of_a_neighbour},
    concerns="definition",
    erratum="""As printed, all entries of q(L) and q(L') must differ whenever L and L' do. A permutation equivariant map
    cannot do that: it gives L and its permutation the same ids. So's slides ask it only of sequences that
    are no permutations of each other.""",
)
def definition(*, variant: str = "repaired", inverse_delta: int = 3, n: int = 2, d: int = 1) -> Ids:
    """g_c on all grid sequences of distinct columns, against the definition of the slides or the printed one."""
    grid = grid_of("yun2020:def-e1", inverse_delta, n, d, distinct=True)
    require_few("yun2020:def-e1", "sequences", grid.size(), MAX_SEQUENCES)
    L = grid.sequences()
    L = L[categories(L) == 1]
    q = context_ids(L, inverse_delta=inverse_delta)
    return Ids(grid, L, q, "slides" if variant == "repaired" else "printed")


# ----------------------------------------------------------------------------------------------------------- lemma 8


class Contextual(NamedTuple):
    """A contextual mapping, and whether its ids are those of the layers themselves, rather than of the shortcut."""

    grid: Grid
    model: Transformer
    literal: bool = False
    samples: int = 1

    def ids(self, L: Any) -> np.ndarray:
        """u^T g_c(L) in units of delta; the shortcut in int64 where the grid allows it."""
        N, n = self.grid.inverse_delta, self.grid.n
        if self.literal:
            return literal_ids(self.model, exact_sequences(L, N), N)
        ids = context_ids(L, inverse_delta=N)
        # On the extended grid ids stay below 4 D^{3n+1}.
        return ids.astype(np.int64) if 4 * self.grid.column_values ** (3 * n + 1) < 2**63 else ids


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


def _shared_ids(L: np.ndarray, ids: np.ndarray, columns: np.ndarray) -> tuple[int, object]:
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
    return int(same.sum()), {name: {"L": L[k], "ids": ids[k]} for name, k in zip(("one", "other"), rows, strict=True)}


def _certify_lemma_8(parts: Contextual) -> Certificate:
    """The properties 8.1 to 8.4 of the ids, and the literal layers beside the shortcut."""
    grid, model, _, samples = parts
    N, D = grid.inverse_delta, grid.column_values
    rng = np.random.default_rng(0)
    size = grid.size(extended=True)
    method: Any = "exhaustive" if size <= MAX_SEQUENCES else "sampled"
    chunks = grid.chunks(extended=True) if method == "exhaustive" else [_random_sequences(grid, samples, rng)]
    t_l, t_r = id_interval(N, grid.n, grid.d)
    kept: list[tuple[np.ndarray, ...]] = []
    strays: list[dict[str, object]] = []
    for L in chunks:
        ids, first = parts.ids(L), (categories(L) == 1).numpy()
        in_interval = (ids >= t_l) & (ids <= t_r)
        stray = ~first & in_interval.any(axis=-1)
        strays += [{"L": row, "ids": own} for row, own in zip(L[stray], ids[stray], strict=True)]
        columns = column_ids(L[first], inverse_delta=N).numpy()
        order = np.argsort(columns, axis=-1)
        displayed = displayed_ids(np.take_along_axis(columns, order, -1).astype(ids.dtype), D)
        differs = (np.take_along_axis(ids[first], order, -1) != displayed).any(axis=-1)
        kept.append((L[first].numpy(), ids[first], columns, differs, ~in_interval[first].all(axis=-1)))
    L_1, ids_1, columns, differs, outside = (np.concatenate(rows) for rows in zip(*kept, strict=True))
    shared, pair = _shared_ids(L_1, ids_1, columns)
    ascending = np.sort(ids_1, axis=-1)

    def none(name: str, bad: np.ndarray) -> Check:
        return Check.none(name, bad, lambda k: {"L": L_1[k], "ids": ids_1[k]}, method)

    name = "8.4 other sequences, some id inside [t_l, t_r]"
    others = (size if method == "exhaustive" else samples) - len(L_1)
    checks = [
        none("8.1 sequences with repeated ids", (ascending[:, 1:] == ascending[:, :-1]).any(axis=-1)),
        Check("8.2 ids shared by different contexts", shared, "==", 0, pair, method, len(L_1)),
        none("8.3 distinct columns, some id outside [t_l, t_r]", outside),
        Check.none(name, strays, None, method, others),
        none("ids that differ from the display of E.3.1", differs),
        _literal_check(grid, model, rng),
        Check("hardmax attention layers, N^d + 1", model.depth, "==", D + 1),
    ]
    return Certificate(checks, parameters=vars(grid))


def _literal_check(grid: Grid, model: Transformer, rng: np.random.Generator) -> Check:
    """The layers on all sequences where that is quick, else on some; the ids in bulk are what they must give."""
    is_quick = grid.size(extended=True) <= LITERAL_SEQUENCES
    L = grid.sequences(extended=True) if is_quick else _random_sequences(grid, LITERAL_SEQUENCES, rng)
    ids = literal_ids(model, exact_sequences(L, grid.inverse_delta), grid.inverse_delta)
    wrong = (ids != context_ids(L, inverse_delta=grid.inverse_delta)).any(axis=-1)
    method: Any = "exhaustive" if is_quick else "sampled"
    name = "literal layers against the recursion: differing"
    return Check.none(name, wrong, lambda k: {"L": L[k], "ids": ids[k]}, method)


def _random_sequences(grid: Grid, count: int, rng: np.random.Generator) -> torch.Tensor:
    """Grid sequences, of which one half has about one sentinel each."""
    L = rng.integers(0, grid.inverse_delta, (count, grid.d, grid.n))
    hit = rng.random(L.shape) < 1 / (grid.d * grid.n)
    hit[::2] = False
    return torch.from_numpy(np.where(hit, grid.sentinel_units, L))


def _by_layers(damage: Damage) -> Damage:
    """The damage of the layers, which are then run on the whole extended grid."""

    def damaged(parts: Contextual, rng: np.random.Generator) -> Contextual:
        size = parts.grid.size(extended=True)
        require_few("yun2020:lem-8", "sequences of the extended grid to run damaged layers on", size, MAX_DAMAGED)
        return parts._replace(model=damage(parts.model, rng), literal=True)

    return damaged


def _reads_too_far(layer: Any) -> Layer | None:
    """A shift of the sweep acts on the next column id. The steps between ids are the distance of the two biases."""
    heads = layer.heads
    return shifted("b_q", heads[1].b_q - heads[0].b_q)(layer) if len(heads) > 1 else None


def _shifts_down(layer: Any) -> Layer | None:
    """After the sweep no id lies between 0 and one step: not the threshold, but the sign of the last layer matters."""
    return scaled("w_o", -1)(layer) if len(layer.heads) == 1 else None


@register(
    "yun2020:lem-8",
    "hardmax attention computes a contextual mapping",
    source="Lemma 8, section E.3",
    chapter="yun-contextual-mapping",
    construction=selective_shift,
    certify=_certify_lemma_8,
    cases=[{"inverse_delta": 2, "n": 2, "d": 2}, {"inverse_delta": 4, "n": 3, "d": 1}],
    damages={
        "a layer left out": _by_layers(without_a_layer),
        "a layer shifts twice as far": _by_layers(in_a_layer(scaled("w_o", 2))),
        "a layer shifts the next column id": _by_layers(in_a_layer(_reads_too_far)),
        "the last layer shifts down": _by_layers(in_a_layer(_shifts_down)),
    },
)
def lemma_8(*, inverse_delta: int = 3, n: int = 2, d: int = 1, samples: int = 200_000) -> Contextual:
    """Properties 8.1 to 8.4 on the whole extended grid (a sample where it has over four million sequences).

    The bulk ids are checked against the display of section E.3.1 and against the literal layers run in EXACT.
    """
    grid = grid_of("yun2020:lem-8", inverse_delta, n, d)
    samples = whole("samples", samples, 1, MAX_SEQUENCES)
    if grid.sentinel_units <= -(2**63):
        raise refused("yun2020:lem-8", "a sentinel N^(nd+1) below 2^63", -grid.sentinel_units, "choose a smaller grid")
    run = min(grid.size(extended=True), LITERAL_SEQUENCES) * grid.d * grid.n * (grid.column_values + 1)
    require_literal("yun2020:lem-8", run, MAX_LITERAL)
    return Contextual(grid, selective_shift(inverse_delta=inverse_delta, n=n, d=d), samples=samples)


# ---------------------------------------------------------------------------------------------------------- lemma 10


class Swept(NamedTuple):
    """Increasing column ids, and the largest id of each such sequence after the sweep."""

    grid: Grid
    tuples: np.ndarray
    last: np.ndarray


def _certify_lemma_10(parts: Swept) -> list[Check]:
    grid, tuples, last = parts
    n, D = grid.n, grid.column_values
    values, counts = np.unique(last, return_counts=True)
    twice = {"two of": tuples[last == values[counts.argmax()]][:2]} if counts.max() > 1 else None
    least, most, cases = D ** (n - 1) * (D - 1), D**n * (D - 1) - (D - 1) ** 2, len(tuples)
    return [
        Check.worst("smallest l~_n", last, ">=", least, lambda k: {"ids": tuples[k]}),
        Check.worst("largest l~_n", last, "<=", most, lambda k: {"ids": tuples[k]}),
        Check("different values of l~_n", len(values), "==", cases, twice, cases=cases),
    ]


def _shifts(factor: Any) -> Damage:
    """The literal layers of the sweep with shifts of `factor` times D."""

    def damaged(parts: Swept, rng: np.random.Generator) -> Swept:
        grid, tuples, _ = parts
        require_few("yun2020:lem-10", "sequences to run damaged layers on", len(tuples), MAX_DAMAGED)
        N, share = grid.inverse_delta, Fraction(factor(grid.column_values))
        model = in_every_layer(scaled("w_o", share))(Transformer(sweep_layers(N, grid.d), n=grid.n), rng)
        ids = literal_ids(model, exact_sequences(grid.columns(tuples), N), N)
        return parts._replace(last=ids.max(axis=-1))

    return damaged


@register(
    "yun2020:lem-10",
    "bounds on the largest id after the sweep, and that it tells contexts apart",
    source="Lemma 10, section E.3.4",
    chapter="yun-contextual-mapping",
    construction=context_ids,
    certify=_certify_lemma_10,
    cases=[{"inverse_delta": 2, "n": 2, "d": 1}, {"inverse_delta": 3, "n": 4, "d": 2}],
    damages={
        "no shifts": _shifts(lambda D: 0),
        "shifts of 1 in place of D": _shifts(lambda D: Fraction(1, D)),
        "shifts of 2 D in place of D": _shifts(lambda D: 2),
    },
)
def lemma_10(*, inverse_delta: int = 3, n: int = 2, d: int = 1) -> Swept:
    """D^{n-1} (D - 1) <= l~_n <= D^n (D - 1) - (D - 1)^2 in units of delta, one value for each context; exhaustive."""
    grid = grid_of("yun2020:lem-10", inverse_delta, n, d, distinct=True)
    count = math.comb(grid.column_values, grid.n)
    require_few("yun2020:lem-10", "increasing tuples", count, MAX_SEQUENCES)
    tuples = np.array(list(itertools.combinations(range(grid.column_values), grid.n)), dtype=np.int64)
    ids = context_ids(grid.columns(tuples), inverse_delta=grid.inverse_delta, global_shift=False)
    return Swept(grid, tuples, ids.max(axis=-1))
