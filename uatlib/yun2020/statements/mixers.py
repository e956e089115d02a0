"""Yun, Bhojanapalli, Rawat, Reddi, Kumar (2020), section H: what cheaper token mixers tell apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from ...arithmetic import EXACT
from ...certificate import Certificate, Check
from ...contexts import Violation, find_violation
from ...grids import Grid
from ...layers import FeedForward, Layer
from ...mixers import BilinearProjection, SeparableConvolution
from ...model import Transformer
from ...registry import register_by_seed as register
from ..ids import categories, column_ids
from ..mixers import (
    average_attention,
    average_context,
    bilinear_context,
    digits,
    receptive_field,
    same_mean_pair,
    separable_context,
    unheard_pair,
)

MAX_WORK = 5_000_000
"""Products that literal layers may compute in EXACT."""
LARGEST_WEIGHT = 10**9
DRAWS = 3
"""Random layers, each checked on the whole grid."""


def _require_work(id: str, grid: Grid, per_sequence: int, distinct: bool = True) -> None:
    """Refuse long runs on all sequences, or on those of `distinct` columns (the others are only sorted out)."""
    run = math.perm(grid.column_values, grid.n) if distinct else grid.size()
    if (work := grid.size() + run * per_sequence) > MAX_WORK:
        raise ValueError(
            f"{id}: the literal layers would compute about {work:,} exact products, the limit is {MAX_WORK:,}; "
            "choose a coarser grid, shorter sequences or fewer dimensions."
        )


def _violation(
    model: Transformer, grid: Grid, definition: Any, distinct: bool = True
) -> tuple[Violation | None, np.ndarray]:
    """What `find_violation` says of the ids u^T model(L), run in EXACT on all L of the grid, and the ids."""
    L = grid.sequences()
    if distinct:
        L = L[categories(L) == 1]
    q = column_ids(model(L, EXACT), inverse_delta=grid.inverse_delta)
    return find_violation(L, q, definition=definition), q


def _none_found(name: str, found: Violation | None, cases: int) -> Check:
    return Check(name, int(found is not None), "==", 0, None if found is None else _text(found), cases=cases)


def _text(found: Violation) -> str:
    (a, b), (q, r) = found.sequences, found.ids
    return f"clause {found.clause}: q{a} = {[str(x) for x in q]} and q{b} = {[str(x) for x in r]}"


def _largest_gap(layers: Iterator[Layer], pair: Any, tokens: tuple[int, int]) -> tuple[Any, int]:
    """The largest |difference| of token tokens[0] of the one and tokens[1] of the other, over layers; their number."""
    gaps = []
    for layer in layers:
        one, other = (Transformer([layer])(L, EXACT)[:, token] for L, token in zip(pair, tokens, strict=True))
        gaps.append(max(abs(one - other)))
    return max(gaps), len(gaps)


def _units(*shape: int) -> Iterator[np.ndarray]:
    """Arrays with a single 1: a basis."""
    for place in itertools.product(*map(range, shape)):
        unit = np.zeros(shape, dtype=int)
        unit[place] = 1
        yield unit


# ------------------------------------------------------------------------------------------------------------- average


def _certify_average(model: Transformer, grid: Grid) -> Certificate:
    N, n, d = grid.inverse_delta, grid.n, grid.d
    first, second = same_mean_pair(n)
    pair = [digits(ids, N, 1) for ids in (first, second)]
    # x + A mean(X) is affine in A, which is a number here: equal at A = 0 and A = 1 is equal everywhere.
    layers: Iterator[Layer] = (average_attention([[1]], [[a]]) for a in (0, 1))
    gap, cases = _largest_gap(layers, pair, (0, 0))
    found, q = _violation(model, grid, "slides", distinct=False)
    return Certificate(
        [
            Check(f"one average layer, token 0 of {first} and {second}: difference", gap, "==", 0, cases=cases),
            _none_found("token-wise powers, then one average layer: violations (slides)", found, len(q)),
        ],
        parameters={"inverse_delta": N, "n": n, "d": d},
    )


def _average_grid(inverse_delta: int, n: int) -> Grid:
    grid = Grid(inverse_delta, n, 1)
    if n < 3 or inverse_delta < n + 2:
        raise ValueError(
            f"yun2020:sec-h-average: expected n >= 3 and inverse_delta >= n + 2, got n = {n} and {inverse_delta}; "
            "fewer tokens are told by one of them and their mean."
        )
    _require_work("yun2020:sec-h-average", grid, n * (2 * inverse_delta + n), distinct=False)
    return grid


def _perturb_average(*, seed: int = 0, inverse_delta: int = 6, n: int = 3) -> Certificate:
    """The powers are left out, two tokens get the same power, or the average is not added."""
    grid = _average_grid(inverse_delta, n)
    power, average = average_context(inverse_delta=inverse_delta, n=n, d=1).layers
    assert isinstance(power, FeedForward)
    rng = np.random.default_rng(seed)
    damage, token = seed % 3, int(rng.integers(inverse_delta - 1))
    if damage == 0:
        layers: list[Layer] = [average]
    elif damage == 1:
        # Unit 0 reads the entry itself, unit j + 1 bends at j; these two undo the step from `token` to the next.
        w_2 = power.w_2.copy()
        step = (n + 1) ** token * n
        w_2[0, token + 1] -= step
        if token + 2 < inverse_delta:
            w_2[0, token + 2] += step
        layers = [power.with_weights({**power.weights(), "w_2": w_2}), average]
    else:
        layers = [power]
    return _certify_average(Transformer(layers, n=n), grid)


@register(
    "yun2020:sec-h-average",
    "averaging alone does not tell contexts apart; after a token-wise map it does",
    source="section H.4 and the remark after Definition E.1",
    chapter="yun-cheaper-mixers",
    perturb=_perturb_average,
)
def verify_average(*, inverse_delta: int = 6, n: int = 3) -> Certificate:
    """Two sequences that agree at a token for every weight; and x -> (n + 1)^x before the mean, on all sequences."""
    grid = _average_grid(inverse_delta, n)
    return _certify_average(average_context(inverse_delta=inverse_delta, n=n, d=1), grid)


# -------------------------------------------------------------------------------------------------- bilinear projection


def _bilinear_grid(inverse_delta: int, n: int, d: int) -> Grid:
    grid = Grid(inverse_delta, n, d)
    if n < 2 or n > grid.column_values:
        raise ValueError(f"yun2020:sec-h-bproj: expected 2 <= n <= N^d, got n = {n} at N = {inverse_delta}, d = {d}.")
    _require_work("yun2020:sec-h-bproj", grid, (DRAWS + 1) * (d * n * n + d * d * n))
    return grid


def _certify_bilinear(model: Transformer, grid: Grid, variant: str) -> Certificate:
    N, n, d = grid.inverse_delta, grid.n, grid.d
    found, q = _violation(model, grid, "printed")
    cases = len(q)
    parameters = {"inverse_delta": N, "n": n, "d": d}
    if variant == "printed":
        (layer,) = model.layers
        assert isinstance(layer, BilinearProjection)
        witness = None if found else f"W_P = {layer.w_p.tolist()}"
        name = "bilinear projections tried that are contextual mappings (Definition E.1)"
        return Certificate([Check(name, int(found is None), "==", 0, witness, cases=cases)], parameters=parameters)
    rng = np.random.default_rng(0)
    draws = [rng.integers(-LARGEST_WEIGHT, LARGEST_WEIGHT, (n, n)) for _ in range(DRAWS)]
    results = [_violation(_projection(w_p, d), grid, "printed") for w_p in draws]
    bad = [_text(result) for result, _ in results if result is not None]
    return Certificate(
        [
            _none_found("W_P of powers of N^d: violations of Definition E.1 as printed", found, cases),
            Check("its largest id, of (n + 1) digits in base N^d", q.max(), "<", grid.column_values ** (n + 1)),
            Check(
                "random W_P with a violation of Definition E.1 as printed",
                len(bad),
                "==",
                0,
                bad[0] if bad else None,
                "sampled",
                DRAWS,
            ),
        ],
        parameters=parameters,
    )


def _projection(w_p: Any, d: int) -> Transformer:
    return Transformer([BilinearProjection(np.eye(d, dtype=int), w_p)])


def _perturb_bilinear(*, seed: int = 0, inverse_delta: int = 4, n: int = 3, d: int = 1) -> Certificate:
    """Two tokens are heard with the same weights, so that they can be exchanged unheard."""
    grid = _bilinear_grid(inverse_delta, n, d)
    (layer,) = bilinear_context(inverse_delta=inverse_delta, n=n, d=d).layers
    assert isinstance(layer, BilinearProjection)
    w_p = layer.w_p.copy()
    i, j = np.random.default_rng(seed).choice(n, 2, replace=False)
    w_p[i] = w_p[j]
    return _certify_bilinear(_projection(w_p, d), grid, "repaired")


@register(
    "yun2020:sec-h-bproj",
    "a bilinear projection is a contextual mapping",
    source="sections H.1 and H.3, eq. (5)",
    chapter="yun-cheaper-mixers",
    perturb=_perturb_bilinear,
    concerns="sentence",
    erratum=(
        "H.3 says that bilinear projections do not implement contextual mappings (cf. Definition E.1); H.1 grants a "
        "random W_P pairs of sequences, with high probability. The definition asks neither for equivariance nor for "
        "weights that depend on the input, and it asks it of a finite set only: W_P with the powers of N^d as rows "
        "satisfies it on all grid sequences of distinct columns, and so does almost every W_P. Attention does not, as "
        "printed, being permutation equivariant."
    ),
)
def verify_bilinear(*, variant: str = "repaired", inverse_delta: int = 4, n: int = 3, d: int = 1) -> Certificate:
    """The explicit W_P, and random ones, run in EXACT on all sequences of distinct columns."""
    grid = _bilinear_grid(inverse_delta, n, d)
    return _certify_bilinear(bilinear_context(inverse_delta=inverse_delta, n=n, d=d), grid, variant)


# ---------------------------------------------------------------------------------------------------------- convolution


def _separable_grid(inverse_delta: int, n: int, k: int) -> Grid:
    id = "yun2020:sec-h-sepconv"
    grid = Grid(inverse_delta, n, 1)
    if n < 3 or inverse_delta <= n:
        raise ValueError(f"{id}: expected 3 <= n < inverse_delta, got n = {n} and {inverse_delta}.")
    if not isinstance(k, int) or not 3 <= k < 2 * n - 1:
        raise ValueError(f"{id}: expected k to be an int, 3 <= k < 2 n - 1 = {2 * n - 1}, got {k!r}.")
    _require_work(id, grid, (2 * n + DRAWS * _covering(k, n) * k) * n * n)
    return grid


def _covering(k: int, n: int) -> int:
    """Layers after which every token hears all."""
    return math.ceil((n - 1) / ((k - 1) // 2))


def _stack(rng: np.random.Generator, k: int, layers: int) -> Transformer:
    draw = [rng.integers(-LARGEST_WEIGHT, LARGEST_WEIGHT, (1, k)) for _ in range(layers)]
    return Transformer([SeparableConvolution([[1]], w_c) for w_c in draw])


def _unheard_gaps(k: int, n: int, rng: np.random.Generator) -> Iterator[tuple[Any, Any]]:
    """For every token and depth with an unheard pair: the difference at the token, for random stacks, and the pair."""
    for layers, token, _ in itertools.product(range(1, _covering(k, n)), range(n), range(DRAWS)):
        if (pair := unheard_pair(k, layers, token, n)) is not None:
            stack = _stack(rng, k, layers)
            one, other = (stack([list(L)], EXACT)[0, token] for L in pair)
            yield abs(one - other), (pair, f"token {token}", f"{layers} layers")


def _wrong_reach(k: int, n: int) -> tuple[int, int]:
    """How often a filter of ones, stacked, hears another set of tokens than `receptive_field` says; and cases."""
    wrong, cases = 0, 0
    for layers in range(1, _covering(k, n) + 1):
        model = Transformer([SeparableConvolution([[1]], [[1] * k])] * layers)
        heard = model(np.eye(n, dtype=int)[:, None, :], EXACT)[:, 0, :]
        for token in range(n):
            wrong += np.flatnonzero(heard[:, token]).tolist() != list(receptive_field(k, layers, token, n))
            cases += 1
    return wrong, cases


def _certify_separable(wide: Transformer, grid: Grid, k: int, variant: Literal["repaired", "printed"]) -> Certificate:
    N, n = grid.inverse_delta, grid.n
    parameters = {"inverse_delta": N, "n": n, "k": k}
    found, q = _violation(wide, grid, "slides")
    cases = len(q)
    if variant == "printed":
        witness = None if found else f"k = {2 * n - 1}: W_C = {wide.layers[0].weights()['w_c'].tolist()}"
        name = "convolutions tried that are contextual mappings (slides)"
        return Certificate([Check(name, int(found is None), "==", 0, witness, cases=cases)], parameters=parameters)
    # The last token that does not hear the end; where all do, the end does not hear token 0.
    token = max((j for j in range(n) if n - 1 not in receptive_field(k, 1, j, n)), default=n - 1)
    pair: Any = unheard_pair(k, 1, token, n)
    # The layer is x plus a linear map of its filter: equal on a basis is equal for all weights.
    one_layer: Iterator[Layer] = (SeparableConvolution([[1]], w_c) for w_c in _units(1, k))
    gap, units = _largest_gap(one_layer, [[list(L)] for L in pair], (token, token))
    moved = ((*range(1, n), 0), tuple(range(n)))
    same_widths: Iterator[Layer] = (SeparableConvolution([[1]], w_c) for w_c in _units(1, 2 * n - 1))
    moved_gap, moved_units = _largest_gap(same_widths, [[list(L)] for L in moved], (0, 1))
    rng = np.random.default_rng(0)
    gaps = list(_unheard_gaps(k, n, rng))
    worst, witness = max(gaps, key=lambda case: case[0])
    wrong, reaches = _wrong_reach(k, n)
    stacks = [_violation(_stack(rng, k, _covering(k, n)), grid, "printed")[0] for _ in range(DRAWS)]
    bad = [_text(result) for result in stacks if result is not None]
    return Certificate(
        [
            Check(f"one layer, token {token} of {pair[0]} and {pair[1]}: difference", gap, "==", 0, cases=units),
            Check(
                "stacks, tokens that differ for what they do not hear: largest difference",
                worst,
                "==",
                0,
                witness if worst else None,
                "sampled",
                len(gaps),
            ),
            Check("tokens whose hearing differs from the formula: number", wrong, "==", 0, cases=reaches),
            _none_found(f"one layer, k = 2n - 1 = {2 * n - 1}: violations (slides)", found, cases),
            Check(f"but token 0 of {moved[0]} and 1 of {moved[1]}: difference", moved_gap, "==", 0, cases=moved_units),
            Check(
                f"random stacks of {_covering(k, n)} layers with a violation of Definition E.1 as printed",
                len(bad),
                "==",
                0,
                bad[0] if bad else None,
                "sampled",
                DRAWS,
            ),
        ],
        parameters=parameters,
    )


def _perturb_separable(*, seed: int = 0, inverse_delta: int = 5, n: int = 4, k: int = 3) -> Certificate:
    """The wide filter has a 0 where some token stands for some other."""
    grid = _separable_grid(inverse_delta, n, k)
    (layer,) = separable_context(inverse_delta=inverse_delta, n=n, d=1).layers
    rng = np.random.default_rng(seed)
    offset = int(rng.integers(1, n)) * int(rng.choice([-1, 1]))
    w_c = layer.weights()["w_c"].copy()
    w_c[0, n - 1 + offset] = 0
    return _certify_separable(Transformer([layer.with_weights({**layer.weights(), "w_c": w_c})]), grid, k, "repaired")


@register(
    "yun2020:sec-h-sepconv",
    "convolutions tell contexts apart once every token hears all",
    source="sections H.2 and H.3, eq. (6)",
    chapter="yun-cheaper-mixers",
    perturb=_perturb_separable,
    concerns="sentence",
    erratum=(
        "H.3 says that convolutions do not implement contextual mappings (cf. Definition E.1). While a filter, or a "
        "stack, is so narrow that a token does not hear another, they do not. But one layer with k = 2n - 1 and powers "
        "of N^d as weights is one in the sense in which attention is (the slides' definition), and stacks of narrow "
        "ones with random weights are, even as the definition is printed. (The text of H.2 allows both.)"
    ),
)
def verify_separable(*, variant: str = "repaired", inverse_delta: int = 5, n: int = 4, k: int = 3) -> Certificate:
    """Counterexamples for all weights, receptive fields measured, a wide layer and deep stacks on the whole grid."""
    grid = _separable_grid(inverse_delta, n, k)
    wide = separable_context(inverse_delta=inverse_delta, n=n, d=1)
    return _certify_separable(wide, grid, k, variant)  # type: ignore[arg-type]
