"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020), section H: what cheaper token mixers tell apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import EXACT
from uatlib.certificate import Check
from uatlib.checks import whole
from uatlib.contexts import Violation, find_violation
from uatlib.grids import Grid
from uatlib.layers import Layer
from uatlib.mixers import BilinearProjection, SeparableConvolution
from uatlib.model import Transformer
from uatlib.yun2020.ids import categories, column_ids

from ..damages import in_part, with_layer
from ..registry import register
from . import token_mixers
from .common import OnGrid, grid_of, require_few
from .token_mixers import receptive_field, unheard_pair

MAX_WORK = 5_000_000
"""Products that literal layers may compute in EXACT."""
LARGEST_WEIGHT = 10**9
DRAWS = 3
"""Random layers, each checked on the whole grid."""


def _require_work(id: str, grid: Grid, per_sequence: int, distinct: bool = True) -> None:
    """Refuse long runs on all sequences, or on those of `distinct` columns (the others are only sorted out)."""
    run = math.perm(grid.column_values, grid.n) if distinct else grid.size()
    work = grid.size() + run * per_sequence
    require_few(id, "exact products that the literal layers would compute", work, MAX_WORK)


def _violation(
    model: Transformer, grid: Grid, definition: Any, distinct: bool = True
) -> tuple[Violation | None, np.ndarray]:
    """What `find_violation` says of the ids u^T model(L), run in EXACT on all L of the grid, and the ids."""
    L = grid.sequences()
    if distinct:
        L = L[categories(L) == 1]
    q = column_ids(model(L, EXACT), inverse_delta=grid.inverse_delta)
    return find_violation(L, q, definition=definition), q


def _none_found(name: str, violation: Violation | None, cases: int) -> Check:
    return Check.none(name, [violation] if violation else [], _witness, cases=cases)


def _refuted(built: Any, kind: str, sense: str, definition: Any, **weights: Any) -> list[Check]:
    """The sentence that no such layer is a contextual mapping, beside one that is, and its weights."""
    violation, q = _violation(built.model, built.grid, definition)
    name = f"{kind} tried that are contextual mappings ({sense})"
    return [Check.none(name, [] if violation else [weights], cases=len(q))]


def _random(name: str, violations: list[Violation | None]) -> Check:
    """That none of some random layers violates the definition."""
    return Check.none(name, [one for one in violations if one], _witness, "sampled", len(violations))


def _witness(violation: Violation) -> dict[str, object]:
    (a, b), (q, r) = violation.sequences, violation.ids
    return {"clause": violation.clause, f"q{a}": q, f"q{b}": r}


def _largest_gap(layers: Iterable[Layer], pair: Any, tokens: tuple[int, int]) -> tuple[object, int]:
    """The largest |difference| of token tokens[0] of the one and tokens[1] of the other, over layers; their number."""
    gaps = []
    for layer in layers:
        one, other = (Transformer([layer])(L, EXACT)[:, token] for L, token in zip(pair, tokens, strict=True))
        gaps.append(max(abs(one - other)))
    return max(gaps), len(gaps)


def _filters(k: int) -> list[Layer]:
    """Convolutions x plus a linear map of the filter: equal on this basis is equal for all weights."""
    return [SeparableConvolution([[1]], [unit]) for unit in np.eye(k, dtype=int)]


# ------------------------------------------------------------------------------------------------------------- average


def _certify_average(parts: OnGrid) -> list[Check]:
    grid, model = parts
    N, n = grid.inverse_delta, grid.n
    first, second = token_mixers.same_mean_pair(n)
    # x + A mean(X) is affine in A, which is a number here: equal at A = 0 and A = 1 is equal everywhere.
    layers = [token_mixers.average_attention([[1]], [[a]]) for a in (0, 1)]
    gap, cases = _largest_gap(layers, [token_mixers.digits(ids, N, 1) for ids in (first, second)], (0, 0))
    violation, q = _violation(model, grid, "slides", distinct=False)
    return [
        Check(f"one average layer, token 1 of {first} and {second}: difference", gap, "==", 0, cases=cases),
        _none_found("token-wise powers, then one average layer: violations (slides)", violation, len(q)),
    ]


def _equal_powers(model: Transformer, rng: np.random.Generator) -> Transformer:
    """Two tokens get the same power: unit 0 reads the entry itself, unit j + 1 bends at j."""
    power = model.layers[0].weights()
    w_2, n = power["w_2"].copy(), model.n or 1
    token = int(rng.integers(w_2.shape[1] - 1))
    # These two undo the step from `token` to the next.
    step = (n + 1) ** token * n
    w_2[0, token + 1] -= step
    if token + 2 < w_2.shape[1]:
        w_2[0, token + 2] += step
    return with_layer(model, 0, model.layers[0].with_weights({**power, "w_2": w_2}))


@register(
    "yun2020:sec-h-average",
    "averaging alone does not tell contexts apart; after a token-wise map it does",
    source="section H.4 and the remark after Definition E.1",
    chapter="yun-cheaper-mixers",
    construction=token_mixers.average_context,
    certify=_certify_average,
    cases=[{"inverse_delta": 5, "n": 3}, {"inverse_delta": 7, "n": 4}],
    damages={
        "the powers left out": in_part("model", lambda model, rng: with_layer(model, 0)),
        "two tokens have the same power": in_part("model", _equal_powers),
        "the average left out": in_part("model", lambda model, rng: with_layer(model, 1)),
    },
)
def average(*, inverse_delta: int = 6, n: int = 3) -> OnGrid:
    """Two sequences that agree at a token for every weight; and x -> (n + 1)^x before the mean, on all sequences."""
    grid = grid_of("yun2020:sec-h-average", inverse_delta, n)
    if grid.n < 3 or grid.inverse_delta < grid.n + 2:
        raise ValueError(
            f"yun2020:sec-h-average: expected n >= 3 and inverse_delta >= n + 2, got n = {n} and {inverse_delta}; "
            "fewer tokens are told by one of them and their mean."
        )
    _require_work("yun2020:sec-h-average", grid, n * (2 * inverse_delta + n), distinct=False)
    return OnGrid(grid, token_mixers.average_context(inverse_delta=inverse_delta, n=n, d=1))


# -------------------------------------------------------------------------------------------------- bilinear projection


def _certify_bilinear(parts: OnGrid) -> list[Check]:
    grid, model = parts
    violation, q = _violation(model, grid, "printed")
    draws = np.random.default_rng(0).integers(-LARGEST_WEIGHT, LARGEST_WEIGHT, (DRAWS, grid.n, grid.n))
    results = [_violation(_projection(w_p, grid.d), grid, "printed")[0] for w_p in draws]
    return [
        _none_found("W_P of powers of N^d: violations of Definition E.1 as printed", violation, len(q)),
        Check("its largest id, of (n + 1) digits in base N^d", q.max(), "<", grid.column_values ** (grid.n + 1)),
        _random("random W_P with a violation of Definition E.1 as printed", results),
    ]


def _no_bilinear(inverse_delta: int, n: int, d: int) -> list[Check]:
    built = bilinear(inverse_delta=inverse_delta, n=n, d=d)
    w_p = built.model.layers[0].weights()["w_p"]
    return _refuted(built, "bilinear projections", "Definition E.1", "printed", W_P=w_p)


def _projection(w_p: object, d: int) -> Transformer:
    return Transformer([BilinearProjection(np.eye(d, dtype=int), w_p)])


def _heard_alike(parts: OnGrid, rng: np.random.Generator) -> OnGrid:
    """Two tokens are heard with the same weights, so that they can be exchanged unheard."""
    w_p, rows = parts.model.layers[0].weights()["w_p"], np.arange(parts.grid.n)
    i, j = rng.choice(parts.grid.n, 2, replace=False)
    rows[i] = j
    return parts._replace(model=_projection(w_p[rows], parts.grid.d))


@register(
    "yun2020:sec-h-bproj",
    "a bilinear projection is a contextual mapping",
    source="sections H.1 and H.3, eq. (5)",
    chapter="yun-cheaper-mixers",
    construction=token_mixers.bilinear_context,
    certify=_certify_bilinear,
    cases=[{"inverse_delta": 3, "n": 3, "d": 1}, {"inverse_delta": 2, "n": 3, "d": 2}],
    damages={"two tokens are heard alike": _heard_alike},
    printed=_no_bilinear,
    concerns="sentence",
    erratum="""H.3 says that bilinear projections do not implement contextual mappings (cf. Definition E.1); H.1 grants
    a random W_P pairs of sequences, with high probability. The definition asks neither for equivariance nor for weights
    that depend on the input, and it asks it of a finite set only: W_P with the powers of N^d as rows satisfies it on
    all grid sequences of distinct columns, and so does almost every W_P. Attention does not, as printed, being
    permutation equivariant.""",
)
def bilinear(*, inverse_delta: int = 4, n: int = 3, d: int = 1) -> OnGrid:
    """The explicit W_P, and random ones, run in EXACT on all sequences of distinct columns."""
    grid = grid_of("yun2020:sec-h-bproj", inverse_delta, n, d, distinct=True)
    N, n, d = grid.inverse_delta, grid.n, grid.d
    _require_work("yun2020:sec-h-bproj", grid, (DRAWS + 1) * (d * n * n + d * d * n))
    return OnGrid(grid, token_mixers.bilinear_context(inverse_delta=N, n=n, d=d))


# ---------------------------------------------------------------------------------------------------------- convolution


def _covering(k: int, n: int) -> int:
    """Layers after which every token hears all."""
    return math.ceil((n - 1) / ((k - 1) // 2))


def _stack(rng: np.random.Generator, k: int, layers: int) -> Transformer:
    filters = rng.integers(-LARGEST_WEIGHT, LARGEST_WEIGHT, (layers, 1, k))
    return Transformer([SeparableConvolution([[1]], w_c) for w_c in filters])


def _unheard_gaps(k: int, n: int, rng: np.random.Generator) -> Iterator[tuple[object, object]]:
    """For every token and depth with an unheard pair: the difference at the token, for random stacks, and the case."""
    for layers, token, _ in itertools.product(range(1, _covering(k, n)), range(n), range(DRAWS)):
        if (pair := unheard_pair(k, layers, token, n)) is not None:
            stack = _stack(rng, k, layers)
            one, other = (stack([list(L)], EXACT)[0, token] for L in pair)
            yield abs(one - other), {"L": pair[0], "L'": pair[1], "token": token + 1, "layers": layers}


def _wrong_reach(k: int, n: int) -> np.ndarray:
    """For stacks of filters of ones and their tokens: whether one hears others than `receptive_field` says."""
    wrong = []
    for layers in range(1, _covering(k, n) + 1):
        model = Transformer([SeparableConvolution([[1]], [[1] * k])] * layers)
        heard = model(np.eye(n, dtype=int)[:, None, :], EXACT)[:, 0, :]
        for token in range(n):
            wrong.append(np.flatnonzero(heard[:, token]).tolist() != list(receptive_field(k, layers, token, n)))
    return np.array(wrong)


class Wide(NamedTuple):
    """The wide layer on a grid, and the width k of narrow filters."""

    grid: Grid
    model: Transformer
    k: int


def _certify_separable(parts: Wide) -> list[Check]:
    grid, wide, k = parts
    n = grid.n
    violation, q = _violation(wide, grid, "slides")
    # The last token that does not hear the end; where all do, the end does not hear token 0.
    token = max((j for j in range(n) if n - 1 not in receptive_field(k, 1, j, n)), default=n - 1)
    pair: Any = unheard_pair(k, 1, token, n)
    gap, units = _largest_gap(_filters(k), [[list(L)] for L in pair], (token, token))
    moved = ((*range(1, n), 0), tuple(range(n)))
    moved_gap, moved_units = _largest_gap(_filters(2 * n - 1), [[list(L)] for L in moved], (0, 1))
    rng = np.random.default_rng(0)
    gaps, unheard = zip(*_unheard_gaps(k, n, rng), strict=True)
    stacks = [_violation(_stack(rng, k, _covering(k, n)), grid, "printed")[0] for _ in range(DRAWS)]
    name = "stacks, tokens that differ for what they do not hear: largest difference"
    return [
        Check(f"one layer, token {token + 1} of {pair[0]} and {pair[1]}: difference", gap, "==", 0, cases=units),
        Check.worst(name, gaps, "==", 0, unheard, "sampled"),
        Check.none("tokens whose hearing differs from the formula: number", _wrong_reach(k, n)),
        _none_found(f"one layer, k = 2n - 1 = {2 * n - 1}: violations (slides)", violation, len(q)),
        Check(f"but token 1 of {moved[0]} and 2 of {moved[1]}: difference", moved_gap, "==", 0, cases=moved_units),
        _random(f"random stacks of {_covering(k, n)} layers with a violation of Definition E.1 as printed", stacks),
    ]


def _no_convolution(inverse_delta: int, n: int, k: int) -> list[Check]:
    built = separable(inverse_delta=inverse_delta, n=n, k=k)
    w_c = built.model.layers[0].weights()["w_c"]
    return _refuted(built, "convolutions", "slides", "slides", k=2 * n - 1, W_C=w_c)


def _deaf(parts: Wide, rng: np.random.Generator) -> Wide:
    """The wide filter has a 0 where some token stands for some other."""
    layer, n = parts.model.layers[0], parts.grid.n
    offset = int(rng.integers(1, n)) * int(rng.choice([-1, 1]))
    w_c = layer.weights()["w_c"].copy()
    w_c[0, n - 1 + offset] = 0
    return parts._replace(model=with_layer(parts.model, 0, layer.with_weights({**layer.weights(), "w_c": w_c})))


@register(
    "yun2020:sec-h-sepconv",
    "convolutions tell contexts apart once every token hears all",
    source="sections H.2 and H.3, eq. (6)",
    chapter="yun-cheaper-mixers",
    construction=token_mixers.separable_context,
    certify=_certify_separable,
    cases=[{"inverse_delta": 6, "n": 5, "k": 5}, {"inverse_delta": 4, "n": 3, "k": 4}],
    damages={"the wide filter has a 0": _deaf},
    printed=_no_convolution,
    concerns="sentence",
    erratum="""H.3 says that convolutions do not implement contextual mappings (cf. Definition E.1). While a filter, or
    a stack, is so narrow that a token does not hear another, they do not. But one layer with k = 2n - 1 and powers of
    N^d as weights is one in the sense in which attention is (the slides' definition), and stacks of narrow ones with
    random weights are, even as the definition is printed. (The text of H.2 allows both.)""",
)
def separable(*, inverse_delta: int = 5, n: int = 4, k: int = 3) -> Wide:
    """Counterexamples for all weights, receptive fields measured, a wide layer and deep stacks on the whole grid."""
    id = "yun2020:sec-h-sepconv"
    grid = grid_of(id, inverse_delta, n)
    N, n = grid.inverse_delta, grid.n
    if not 3 <= n < N:
        raise ValueError(f"{id}: expected 3 <= n < inverse_delta, got n = {n} and {N}.")
    k = whole("k", k, 3, 2 * n - 2, "a wider filter hears all")
    _require_work(id, grid, (2 * n + DRAWS * _covering(k, n) * k) * n * n)
    return Wide(grid, token_mixers.separable_context(inverse_delta=N, n=n, d=1), k)
