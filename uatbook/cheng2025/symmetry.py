"""Cheng et al. (2025): attention and convolution with the symmetry of a ring; Corollary 4, (22), (23) and (89)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from uatlib.certificate import Certificate, Check
from uatlib.checks import whole
from uatlib.cheng2025.automorphisms import automorphism_generators, local_fooling_pairs
from uatlib.cheng2025.connectivity import connectivity_depth
from uatlib.cheng2025.named_patterns import pattern
from uatlib.groups import elements

from ..damages import Damage, mapped, put
from ..registry import register
from .mixing_terms import attention_weights, cyclic_convolution

Permutation = tuple[int, ...]
ALL_ORDERS = 8
"""Up to so many tokens all orders are looked at."""
SAMPLED, DRAWS = 100, 3
ROUNDING, TOLD = 1e-12, 1e-9
"""What numbers of size 1 may be off after a few layers in float64, and what is more than that."""


def _orders(n: int, group: set[Permutation], most: int) -> Iterator[Permutation]:
    """Orders outside the group: all for n <= most, else rotations and reflections first, then some at random."""
    rng = np.random.default_rng(0)
    some = (tuple(rng.permutation(n).tolist()) for _ in range(SAMPLED))
    every = itertools.permutations(range(n)) if n <= most else itertools.chain(elements("dihedral", n), some)
    return (s for s in every if s not in group)


def _gap(
    F: Callable[[np.ndarray], np.ndarray], X: np.ndarray, orders: list[Permutation]
) -> tuple[float, dict[str, object]]:
    """The least difference of a token of F(X) and one of F(X P), the largest entry counting, and where it is."""
    of, others = F(X), F(X[:, np.array(orders)].swapaxes(0, 1))
    gaps = np.abs(of[:, :, None] - others[..., None, :]).max(axis=-3)
    order, i, j = np.unravel_index(int(gaps.argmin()), gaps.shape)
    return float(gaps.min()), {"token of X": int(i), "P": orders[order], "token of X P": int(j)}


def _off(F: Callable[[np.ndarray], np.ndarray], X: np.ndarray, group: Sequence[Permutation]) -> list[float]:
    """The largest |F(X P) - F(X) P| for each P."""
    return [float(np.abs(F(X[:, list(s)]) - F(X)[:, list(s)]).max()) for s in group]


# ------------------------------------------------------------------------------------------------------ (22) and (89)


class Ring(NamedTuple):
    """A pattern, the layers that have it, and what is claimed: the group, and how many layers it takes."""

    rows: list[set[int]]
    layers: int
    group: str
    claimed: int

    def network(self, draw: int) -> Callable[[np.ndarray], np.ndarray]:
        """Softmax attention with the pattern on X of shape (..., 2, n), at weights of this draw."""
        weights = np.random.default_rng(draw).normal(size=(self.layers, 3, 2, 2))

        def F(X: np.ndarray) -> np.ndarray:
            for W_Q, W_K, W_V in weights:
                X = X + W_V @ X @ attention_weights(X, W_Q, W_K, pattern=self.rows)
            return X

        return F


def _certify_ring(parts: Ring) -> Certificate:
    """The group by a graph library and by its definition, the layers by (17) and by views, and a network that runs."""
    rows, n = parts.rows, len(parts.rows)
    group, kept = elements(parts.group, n), automorphism_generators(rows)
    members = set(group)
    lost = [s for s in group if not _kept(rows, s)]
    if n <= ALL_ORDERS:
        tried, others = math.factorial(n), [s for s in _all_kept(rows) if s not in members]
        name = f"of all {n}! permutations, those outside the group that keep the pattern"
    else:
        tried, others = len(kept.generators), [s for s in kept.generators if s not in members]
        name = "permutations that generate all that keep the pattern, those outside the group"
    depth = connectivity_depth([rows] * n)
    X = np.random.default_rng(0).normal(size=(2, n))
    orders = list(_orders(n, members, 6))
    gap, where = max((_gap(parts.network(draw), X, orders) for draw in range(DRAWS)), key=lambda pair: pair[0])
    checks = [
        Check("permutations that keep the pattern", kept.order, "==", len(group), {"generators": kept.generators}),
        Check.none("rotations and reflections of the group that do not", lost, cases=len(group)),
        Check.none(name, others, cases=tried),
        Check("layers until each token has heard of all", depth or math.inf, "==", parts.claimed, "counted by hops"),
    ]
    if kept.order == len(group):  # else others are no news
        fooled = local_fooling_pairs([rows] * parts.layers, group=group)
        count, name = math.inf if fooled is None else len(fooled), f"views in {parts.layers} layers that agree"
        witness = "tokens that are not heard" if fooled is None else next(iter(fooled), None)
        cases = n * math.factorial(n)
        checks.append(Check(f"{name} for an order outside the group", count, "==", 0, witness, cases=cases))
    name, off = "softmax, random weights: |F(X P) - F(X) P| in the group", _off(parts.network(0), X, group)
    checks += [
        Check.worst(name, off, "<=", ROUNDING, lambda k: {"P": group[k]}, "sampled"),
        Check("and outside, least gap of tokens at the best", gap, ">=", TOLD, where, "sampled", len(orders) * n * n),
    ]
    return Certificate(checks, parameters={"n": n, "layers": parts.layers})


def _kept(rows: list[set[int]], s: Permutation) -> bool:
    """(15) as it stands."""
    tokens = range(len(rows))
    return all((j in rows[i]) == (s[j] in rows[s[i]]) for i in tokens for j in tokens)


def _all_kept(rows: list[set[int]]) -> list[Permutation]:
    """All permutations with (15)."""
    n = len(rows)
    hears = np.array([[j in row for j in range(n)] for row in rows])
    orders = np.array(list(itertools.permutations(range(n))))
    keeps = (hears[orders[:, :, None], orders[:, None]] == hears).all(axis=(1, 2))
    return [tuple(s) for s in orders[keeps].tolist()]


def _changed(change: Callable[[list[set[int]]], Any]) -> Damage:
    """A damage of the pattern alone; None where it changes nothing."""

    def damaged(parts: Ring, rng: np.random.Generator) -> Ring | None:
        rows = change([set(row) for row in parts.rows])
        return None if rows is None or rows == parts.rows else parts._replace(rows=rows)

    return damaged


def _one_more(rows: list[set[int]]) -> list[set[int]]:
    rows[0].add(next(j for j in range(len(rows)) if j not in rows[0]))
    return rows


def _traded(rows: list[set[int]]) -> list[set[int]]:
    """The names 0 and 1 trade places: another ring, with a group of the same size."""
    name = {0: 1, 1: 0}
    return [{name.get(j, j) for j in rows[name.get(i, i)]} for i in range(len(rows))]


def _beyond(rows: list[set[int]]) -> list[set[int]] | None:
    """As many on either side, or on the other side too, as there are, where these are few enough to list."""
    n = len(rows)
    return pattern("circulant", n, window=(n - 1) // 2) if n <= ALL_ORDERS else None


DAMAGES: dict[str, Damage] = {
    "a token that hears one more": _changed(_one_more),
    "one layer too few": mapped(layers=lambda m: m - 1),
    "the widest window": _changed(_beyond),
}


def _ring(kind: str, n: int, window: int, group: str, reach: int) -> Ring:
    layers = -(-reach // max(window, 1))
    return Ring(pattern(kind, n, window=window), layers, group, layers)


@register(
    "cheng2025:cor-4",
    "attention to w tokens on either side of a ring has the symmetry of the ring and no more",
    source="Corollary 4, (22), section C.4.4",
    chapter="cheng-symmetry",
    construction=automorphism_generators,
    certify=_certify_ring,
    cases=[{"n": 5}, {"n": 7, "w": 2}, {"n": 8, "w": 2}, {"n": 12, "w": 2}],
    damages={
        **DAMAGES,
        "names trade places": _changed(_traded),
        "one side alone": _changed(lambda rows: pattern("directed", len(rows), window=len(rows[0]) // 2)),
    },
    concerns="hypothesis",
    erratum="""The bound w <= floor((n - 1)/2) - 1 stands without w >= 1: w = 0 fits it, tokens hear themselves alone,
    and all of S_n keeps that. (It leaves no w for n = 3 and 4, where w = 1 does.) In the proof the permutation that
    keeps token 1 is called the reflection (1, n)(2, n - 1)..., which moves 1; its end has the right one, (2, n)(3, n -
    1)... The number of layers is that of Corollary 2, which in general takes one too few; here it is right.""",
)
def circulant(*, variant: str = "repaired", n: int = 6, w: int = 1) -> Ring:
    """(22) in as many layers as connect the ring; printed: the window 0, which the paper allows."""
    n = whole("n", n, 5, 12)
    w = whole("w", w, 1, (n - 1) // 2 - 1) if variant == "repaired" else 0
    return _ring("circulant", n, w, "dihedral", n // 2)


@register(
    "cheng2025:directed",
    "attention to the next w tokens of a ring, up to n - 2 of them, has its rotations and no other symmetry",
    source="(89), section C.4.4",
    chapter="cheng-symmetry",
    construction=automorphism_generators,
    certify=_certify_ring,
    cases=[{"n": 3}, {"n": 5, "w": 3}, {"n": 6, "w": 4}, {"n": 8, "w": 3}, {"n": 12, "w": 5}],
    damages={
        **DAMAGES,
        "both sides": _changed(lambda rows: pattern("circulant", len(rows), window=1) if len(rows) < 9 else None),
        "one token hears backwards": _changed(
            lambda rows: [{-j % len(rows) for j in rows[0]}, *rows[1:]] if len(rows[0]) < len(rows) - 1 else None
        ),
    },
    concerns="hypothesis",
    erratum="""The bound w <= floor((n - 1)/2) - 1 stands without w >= 1, and w = 0 has the group S_n. From above it is
    smaller than needed: all w up to n - 2 have the group C_n, but not by the same approach where w = n - 2, as then all
    pairs of tokens share as many.""",
)
def directed(*, variant: str = "repaired", n: int = 6, w: int = 1) -> Ring:
    """(89) in as many layers as connect the ring; printed: the window 0, which the paper allows."""
    n = whole("n", n, 3, 12)
    w = whole("w", w, 1, n - 2) if variant == "repaired" else 0
    return _ring("directed", n, w, "cyclic", n - 1)


# ---------------------------------------------------------------------------------------------------------------- (23)


class Filters(NamedTuple):
    """Weights psi of shape (layers, l + 1), whole numbers, and what a layer adds to X with one row of them."""

    psi: np.ndarray
    mix: Callable[[np.ndarray, np.ndarray], np.ndarray]
    n: int

    def network(self, X: np.ndarray) -> np.ndarray:
        """X + psi * X, layer by layer; exact, as whole numbers stay below 2^53."""
        for weights in self.psi:
            X = X + self.mix(X, weights)
        return X


def _certify_filters(parts: Filters) -> Certificate:
    """Rotations, other orders, and tokens changed one by one; and that a layer less is deaf to one."""
    n, (layers, count) = parts.n, parts.psi.shape
    rotations, rng = elements("cyclic", n), np.random.default_rng(0)
    X = rng.permutation(np.arange(-n, n)).reshape(2, n).astype(float)
    orders = list(_orders(n, set(rotations), 6))
    gap, where = _gap(parts.network, X, orders)
    news = np.abs(parts.network(X + 1.0 * np.eye(n)[:, None]) - parts.network(X)).max(axis=-2)
    fewer = rng.integers(1, 4, (SAMPLED, layers - 1, count))
    last = np.eye(n)[None, n - 1]
    heard = max(abs(parts._replace(psi=psi).network(last)[0, 0]) for psi in fewer)
    depth = connectivity_depth([_heard(parts)] * n) or math.inf
    off, name = _off(parts.network, X, rotations), "tokens that do not notice a change of one"
    checks = [
        Check.worst("|F(X P) - F(X) P| over all rotations", off, "==", 0, lambda k: {"P": rotations[k]}),
        Check("in other orders, least gap of two tokens", gap, ">=", 1, where, cases=len(orders) * n * n),
        Check.none(name, news == 0, lambda k, i: {"token": i, "changed": k}),
        Check("layers until each token has heard of all", depth, "==", layers, "counted by hops"),
        Check("in one layer less, what 0 hears of n - 1", heard, "==", 0, "weights at random", "sampled", SAMPLED),
    ]
    return Certificate(checks, parameters={"n": n, "l": count - 1, "layers": layers})


def _heard(parts: Filters) -> list[set[int]]:
    """Whom each token hears in one layer of positive weights, seen by what the unit sequences become."""
    after = parts.mix(np.eye(parts.n)[:, None], np.ones(parts.psi.shape[1]))[:, 0]
    return [{i, *np.flatnonzero(after[:, i]).tolist()} for i in range(parts.n)]


def _as_printed(X: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """(23) as it stands, [psi * X]_i = sum_j psi_j x_{(l + j) mod n}: the same for all i."""
    n, reach = X.shape[-1], len(psi) - 1
    return sum(weight * X[..., (reach + j) % n, None] for j, weight in enumerate(psi)) + 0 * X


def _open(X: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """The ring is cut: zeros follow the last token."""
    long = np.concatenate([X, np.zeros((*X.shape[:-1], len(psi)))], axis=-1)
    return cyclic_convolution(long, psi)[..., : X.shape[-1]]


def _same_backwards(parts: Filters, rng: np.random.Generator) -> Filters:
    """1 + psi_0, psi_1, ..., psi_l reads the same backwards."""
    whole_rows = parts.psi + np.eye(parts.psi.shape[1], dtype=int)[0]
    halves = np.maximum(whole_rows, whole_rows[:, ::-1])
    return parts._replace(psi=halves - np.eye(parts.psi.shape[1], dtype=int)[0])


def _shorter(parts: Filters, rng: np.random.Generator) -> Filters | None:
    """One token less is heard, where the layers need it."""
    layers, count = parts.psi.shape
    psi = parts.psi * (np.arange(count) < count - 1)
    return parts._replace(psi=psi) if layers * (count - 2) < parts.n - 1 else None


@register(
    "cheng2025:convolution",
    "convolutions over the next l tokens of a ring have its rotations and no other symmetry",
    source="(23), section C.4.4",
    chapter="cheng-symmetry",
    construction=cyclic_convolution,
    certify=_certify_filters,
    cases=[{"n": 3}, {"n": 5, "l": 3}, {"n": 6, "l": 5}, {"n": 8, "l": 3}, {"n": 12, "l": 1}],
    damages={
        "the ring is cut": put(mix=_open),
        "one layer too few": mapped(psi=lambda psi: psi[:-1] if len(psi) > 1 else None),
        "weights that read the same backwards": _same_backwards,
        "the last weight is 0": _shorter,
    },
    concerns="statement",
    erratum="""The index of [X] is (i + j) mod n. As printed it does not hold i, so that all tokens get the same sum,
    and rotations do not commute with it. In (90) the right side is of Y, and (94) ends with j = n - 1.""",
)
def convolution(*, variant: str = "repaired", n: int = 6, l: int = 2) -> Filters:  # noqa: E741
    """(23) in (n - 1)/l layers, rounded up, psi at random and so small that all stays exact; printed: as it stands."""
    n = whole("n", n, 3, 12)
    reach = whole("l", l, 1, n - 1)
    layers = -(-(n - 1) // reach)
    most = min(99, int((2**50 / n) ** (1 / layers)) // (reach + 1) - 1)
    psi = np.random.default_rng(2).integers(1, most, (layers, reach + 1))
    return Filters(psi, cyclic_convolution if variant == "repaired" else _as_printed, n)
