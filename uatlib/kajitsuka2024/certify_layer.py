"""Kajitsuka, Sato (2024): what Theorem 2 claims of a layer of attention, beside what is measured; under masks too."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .. import masks
from ..arithmetic import BALL, FLOAT64, Arithmetic, Ball, Undecided
from ..arithmetic.numbers import Number
from ..certificate import Certificate, Check
from ..checks import instance, refused, whole
from ..internal import layer_runs
from ..internal.layer_runs import is_standard
from ..internal.shapes import Numbers
from ..layers import Attention
from ..model import Transformer
from ..patterns import Pattern
from .certified_margins import ContextSet
from .directions import tokens_of
from .rank_one_layer import Separation, separation

TITLE = "Layer after Kajitsuka and Sato (2024)"
MAX_BITS = 200_000
"""Working precision at which `certify` still runs the layer."""
MAX_COLUMNS = 20_000
"""Columns of sequences that are run; under masks every order of the tokens counts."""
SLACK = Fraction(1, 1000)

Id = tuple[int, frozenset[int]]
Ids = dict[Id, list[Any]]
"""Token and set of tokens that it sees: the ids that it gets, each of shape (d,); tokens are counted from 0."""


def visible_ids(
    model: Transformer, vocabulary: Numbers, n: int, system: Arithmetic = FLOAT64, mask: object = None
) -> Ids:
    """The ids that a layer gives to each token with each set of tokens that it may see, in `system`.

    All sequences of n different tokens are run. Without a mask the layer is permutation equivariant, so every set of
    tokens is run in one order. Under a mask every order is run, and a pair of token and set may occur several times. A
    column that does not see itself is padding and is left out.

    Parameters
    ----------
    vocabulary : tokens as columns, shape (d, V), or (V,) for d = 1
    mask : what the columns are taken to see, shape (n, n), or (masks, n, n) for several masks one after another;
        without it the mask of the model's first layer that has one

    Raises
    ------
    ValueError
        No such model; as `tokens_of`, `contexts` and `masks.require_mask`; the mask has more axes or is not for n
        tokens; more than 20,000 columns, which is said before any sequence is made.

    Source: kajitsuka2024, Definition 2; masks as in appendix C.
    """
    instance("model", model, Transformer)
    instance("system", system, Arithmetic, "take FLOAT64 or BALL")
    tokens = tokens_of(vocabulary)
    size = tokens.shape[1]
    if model.width != len(tokens):
        raise ValueError(f"vocabulary: expected tokens of the model's {model.width} entries, got {len(tokens)}.")
    own = (x.mask for x in model.layers if isinstance(x, Attention) and x.mask is not None)
    lowered = (own_mask.mask() if isinstance(own_mask, Pattern) else own_mask for own_mask in own)
    heard: np.ndarray | None = next(lowered, None) if mask is None else masks.require_mask(mask)
    told = ContextSet(size, n, masked=heard is not None)
    n = told.n
    if heard is not None and (heard.ndim > 3 or heard.shape[-2:] != (n, n)):
        raise ValueError(f"mask: expected a mask of shape ({n}, {n}) or (masks, {n}, {n}), got {heard.shape}.")
    seen = [[tuple(range(n))] * n] if heard is None else [masks.visible_keys(one) for one in heard.reshape(-1, n, n)]
    columns = (math.comb(size, n) if heard is None else math.perm(size, n)) * n * len(seen)
    if columns > MAX_COLUMNS:
        got = f"{columns:,} columns of sequences, the limit is {MAX_COLUMNS:,}"
        raise ValueError(f"vocabulary: expected fewer tokens or shorter sequences, got {got}.")
    rows = told.rows() if heard is None else list(itertools.permutations(range(size), n))
    X = np.stack([tokens[:, list(row)] for row in rows])[:, None]
    X = np.broadcast_to(X, (len(rows), len(seen), *X.shape[2:]))
    Z = model(X if heard is None or heard.ndim == 3 else X[:, 0], system).reshape(X.shape)
    ids: Ids = {}
    for (i, row), (b, columns_see) in itertools.product(enumerate(rows), enumerate(seen)):
        for k, keys in enumerate(columns_see):
            if k in keys:
                ids.setdefault((row[k], frozenset(row[j] for j in keys)), []).append(Z[i, b, :, k])
    return ids


def _same_token_pairs(ids: Ids) -> list[tuple[Id, Id]]:
    """Pairs of one token with two sets of tokens that it sees."""
    by_token: dict[int, list[Id]] = {}
    for key in ids:
        by_token.setdefault(key[0], []).append(key)
    return [pair for keys in by_token.values() for pair in itertools.combinations(keys, 2)]


def collisions(model: Transformer, vocabulary: Numbers, n: int, system: Arithmetic = FLOAT64) -> tuple[int, int]:
    """How many pairs of one token in two contexts get the same id from the layer in a float system, and of how many.

    A context is what the token sees: all n tokens, or under a mask some of them.

    Raises
    ------
    ValueError
        As `visible_ids`; the system is BALL, in which equality is undecided.

    Source: kajitsuka2024, Definition 2, and Theorem 1 for hardmax.
    """
    if getattr(system, "name", None) == "BALL":
        raise refused("system", "a float system or EXACT, in which equality is decided", system, "certify takes BALL")
    ids = visible_ids(model, vocabulary, n, system)
    values = {key: {tuple(z.tolist()) for z in found} for key, found in ids.items()}
    pairs = _same_token_pairs(ids)
    return sum(bool(values[a] & values[b]) for a, b in pairs), len(pairs)


def _square(difference: Any) -> Ball:
    """The sum of squares of native balls, rounded to the bits of BALL after the difference, which keeps its size."""
    square: Any = BALL.output(np.asarray((difference * difference).sum(), dtype=object))
    return square[()]


def _log10_root(square: Ball) -> float:
    """log10 of the root of a square; -inf if it may be 0."""
    if not square.lower > 0:
        return -math.inf
    with BALL.context():
        return float(BALL.output(BALL.log_sum(BALL.array([square])))[()]) / math.log(100)


def certify_layer(
    model: Transformer,
    vocabulary: Numbers,
    n: int,
    *,
    slack: Number = SLACK,
    spacing: Number | None = None,
    mask: object = None,
) -> Certificate:
    """Theorem 2 for a layer on all sequences of n different tokens, run in BALL with the bits that its delta needs.

    Under a mask the same is claimed with the same delta: two ids of one token are apart if the token sees different
    sets. (Under some masks no token sees two sets; then there is no such claim.) Lemma 7 does not say that of a and its
    beginning (a_1, ..., a_k). The book proves it for the scale (29); for another spacing
    `spacing.log_spacing_bound` says it at once.

    Parameters
    ----------
    slack, spacing : those of `separation`, which says what is promised
    mask : what the columns are taken to see, as `visible_ids`

    Raises
    ------
    ValueError
        As `separation` and `visible_ids`; more than 200,000 bits would be needed, which is said before anything runs.
    """
    instance("model", model, Transformer)
    n = whole("n", n, 2)
    promised = separation(vocabulary, n, slack, spacing=spacing)
    if promised.bits > MAX_BITS:
        needs = f"the delta of Theorem 2 needs {promised.bits:,} bits here, the limit is {MAX_BITS:,}"
        hint = "take a spacing like 3/2, or a scale of practical_scale"
        raise ValueError(f"vocabulary: expected fewer or shorter tokens: {needs}; {hint}.")
    class_checks = _class_checks(model)
    parameters: dict[str, object] = {"V": promised.size, "d": promised.d, "n": n, "bits": promised.bits}
    if spacing is not None:
        parameters["spacing"] = spacing
    if mask is None and any(getattr(layer, "mask", None) is not None for layer in model.layers):
        parameters["mask"] = "its own"
    try:
        found = visible_ids(model, vocabulary, n, BALL.with_bits(promised.bits), mask)
    except Undecided:
        if all(check.holds for check in class_checks):
            raise
        return Certificate(class_checks, TITLE, parameters)
    return Certificate([*_id_checks(found, promised), *class_checks], TITLE, parameters)


def _id_checks(found: Ids, promised: Separation) -> list[Check]:
    """The norms of all ids, and the distances of any two, against those of Theorem 2."""
    pairs = _same_token_pairs(found)
    different = [(a, b) for a, b in itertools.product(found, repeat=2) if a[0] < b[0]]
    with BALL.context():
        all_ids = {key: [BALL.array(z) for z in ids] for key, ids in found.items()}
        ids = {key: columns[0] for key, columns in all_ids.items()}
        norms = [(_square(column), key) for key, columns in all_ids.items() for column in columns]
        gaps = [_square(ids[a] - ids[b]) for a, b in pairs]
        others = [_square(ids[a] - ids[b]) for a, b in different]
        again = [(key, _square(z - ids[key])) for key, columns in all_ids.items() for z in columns[1:]]
    changed = [key for key, square in again if square.lower > 0]
    largest, (far, context) = max(norms, key=lambda pair: pair[0].upper)
    nearest = min(range(len(others)), key=lambda p: others[p].lower)
    (one, _), (other, _) = different[nearest]
    name, where = "||id||^2, largest, against r^2 of (7)", f"token {far + 1} in the context {_told(context)}"
    checks = [Check(name, largest.upper, "<", promised.r**2, where, "enclosed", len(norms))]
    name, where = "||difference of ids||^2, two tokens, against (eps/2)^2 of (28)", f"tokens {one + 1} and {other + 1}"
    checks.append(Check(name, others[nearest].lower, ">", promised.eps**2 / 4, where, "enclosed", len(others)))
    if pairs:
        least = min(range(len(pairs)), key=lambda p: gaps[p].lower)
        (token, here), (_, there) = pairs[least]
        name = "log10 ||difference of ids||, one token in two contexts, against delta of (8)"
        witness = f"token {token + 1} in the contexts {_told(here)} and {_told(there)}"
        gap = _log10_root(gaps[least])
        checks.insert(1, Check(name, gap, ">", promised.log10_delta, witness, "enclosed", len(pairs)))
    if again:
        name = "one token that sees one set, in two sequences: different ids"
        text = f"token {changed[0][0] + 1} that sees {_told(changed[0][1])}" if changed else None
        checks.append(Check(name, len(changed), "==", 0, text, "enclosed", len(again)))
    return checks


def _class_checks(model: Transformer) -> list[Check]:
    """One layer of one head of softmax, whose weights have rank 1."""
    names = layer_runs.crooked(model.layers)
    fits = [type(x) is Attention and is_standard(x, masked=True) and x.normalization == "softmax" for x in model.layers]
    unfit = [repr(layer) for layer, fit in zip(model.layers, fits, strict=True) if not fit]
    heads = max((len(layer.heads) for layer in model.layers if isinstance(layer, Attention)), default=0)
    return [
        Check("layers", len(model.layers), "==", 1),
        Check("layers that are no softmax attention", len(unfit), "==", 0, unfit or None, cases=len(model.layers)),
        Check("heads", heads, "==", 1),
        Check("weights that are not of rank 1, biases among them", len(names), "==", 0, names or None, cases=4),
    ]


def _told(tokens: Sequence[int] | frozenset[int]) -> list[int]:
    return [t + 1 for t in sorted(tokens)]
