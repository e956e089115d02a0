"""Where number systems end for the ids of Yun et al. (2020), section E.3, by running the layers; not in the text."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import torch

from uatlib.arithmetic import EXACT, FLOAT32, FLOAT64, Overflow
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, whole
from uatlib.model import Transformer
from uatlib.yun2020.cost import Domain
from uatlib.yun2020.ids import context_ids, context_ids_int64

from ..damages import Damage, mapped, with_layer
from ..registry import register
from .float_limits import WrongId, first_beyond_bits, selective_shift_in_units, wrong_id

ID = "yun2020:precision"
SYSTEMS = {"float32": (FLOAT32, 24), "float64": (FLOAT64, 53)}
MAX_TOKENS = 6
MAX_WORK = 5_000_000
"""Sequences times layers on the grids before the first wrong id; beyond, only the last of them are run, or none."""
EXACT_SEQUENCES = 40

Network = Callable[[int, int], Transformer]


def _ascending(inverse_delta: int, n: int) -> np.ndarray:
    """0, ..., n - 2 and every larger token, the largest where there are many: (B, 1, n). One has the longest id."""
    tops = range(n - 1, inverse_delta)[-EXACT_SEQUENCES:]
    return np.array([[(*range(n - 1), top)] for top in tops], dtype=object).reshape(-1, 1, n)


def _longest(inverse_delta: int, n: int, domain: Domain) -> np.ndarray:
    """The sequence with the longest id: 0, ..., n - 2, N - 1, and a sentinel below the largest tokens. Shape (1, n)."""
    if domain == "grid":
        return np.array([[*range(n - 1), inverse_delta - 1]], dtype=object)
    return np.array([[-(inverse_delta ** (n + 1)), *range(inverse_delta - n + 1, inverse_delta)]], dtype=object)


def _grids_before(first: int, n: int) -> range:
    """The grids with n different tokens before `first`, the finest first, as many as `MAX_WORK` allows."""
    grids = range(first - 1, n - 1, -1)
    work = itertools.accumulate(math.comb(N, n) * (N + 1) for N in grids)
    return grids[: sum(1 for _ in itertools.takewhile(lambda total: total <= MAX_WORK, work))]


def _float_checks(system: str, n: int, first: int, network: Network) -> list[Check]:
    floats, digits = SYSTEMS[system]
    checks = []
    if before := _grids_before(first, n):
        wrong = [fault for N in before if (fault := wrong_id(floats, N, n, network=network)) is not None]
        cases = sum(math.comb(N, n) for N in before)
        method: Any = "exhaustive" if len(before) == first - n else "sampled"
        name = f"{system}, layers in units of delta: grids before {first} with an id wrong by delta/2 or more"
        checks.append(Check.none(name, wrong, _witness, method, cases))
    if first > n:
        before_first = _ascending(first - 1, n)
        longest = _longest_of(before_first, context_ids(before_first, inverse_delta=first - 1))
        checks.append(Check(f"bits of the longest id at 1/delta = {first - 1}", longest[0], "<=", digits, longest[1]))
    fault = wrong_id(floats, first, n, network=network)
    error = Fraction(0) if fault is None else fault.error
    name = f"{system}, layers in units of delta: error of the first wrong id at 1/delta = {first}"
    witness = f"all ids of 1/delta = {first} are right" if fault is None else _witness(fault)
    checks.append(Check(name, error, ">=", Fraction(1, 2), witness))
    if len(L := _ascending(first, n)):
        exact, got = context_ids(L, inverse_delta=first), network(first, n)(L, EXACT)[:, 0]
        name = f"the same layers in EXACT at 1/delta = {first}: ids that differ from the recursion"

        def differing(k: int, j: int) -> dict[str, object]:
            return {"tokens": L[k, 0], "token": j, "id": got[k, j], "recursion": exact[k, j]}

        checks.append(Check.none(name, exact != got, differing, "sampled"))
        bits, of = _longest_of(L, exact)
        checks.append(Check(f"bits of the longest id at 1/delta = {first}", bits, ">", digits, of))
    return checks


def _longest_of(L: np.ndarray, ids: np.ndarray) -> tuple[int, dict[str, object]]:
    """The bits of the longest id, with its tokens."""
    k, j = max(np.ndindex(ids.shape), key=lambda place: abs(ids[place]))
    return int(ids[k, j]).bit_length(), {"tokens": L[k, 0], "id": int(ids[k, j])}


def _witness(fault: WrongId) -> dict[str, object]:
    """1/delta, the tokens, their ids, and what floats make of them, which are whole numbers, too."""
    ids, floats = (tuple(int(u) for u in row) for row in (fault.exact, fault.got))
    return {"1/delta": fault.inverse_delta, "tokens": fault.sequence, "ids": ids, "floats": floats}


def _int64_checks(n: int, domain: Domain, first: int) -> list[Check]:
    """The longest id by the literal layers in EXACT, and whether int64 has it, refuses it or gets it wrong."""
    where = "grid" if domain == "grid" else "extended grid"
    checks: list[Check] = []
    faults: list[dict[str, object]] = []
    for N, relation in ((first - 1, "<="), (first, ">")):
        L = _longest(N, n, domain)
        ids = [int(i) for i in selective_shift_in_units(N, n)(L, EXACT)[0]]
        bits = max(abs(i) for i in ids).bit_length()
        case = {"1/delta": N, "tokens": L[0], "ids": tuple(ids)}
        checks.append(Check(f"{where}, 1/delta = {N}: bits of the longest id", bits, relation, 63, case))
        try:
            got = context_ids_int64(torch.tensor(L.tolist()), inverse_delta=N).tolist()
            faults += [{**case, "int64": tuple(got)}] if got != ids or first == N else []
        except Overflow:
            faults += [{**case, "int64": "refused"}] if first != N else []
    name = f"int64, {where}: ids not as the layers' before, or not refused at {first}"
    return [*checks, Check.none(name, faults)]


class Claimed(NamedTuple):
    """The first grid on which ids outgrow the float, those on which they outgrow int64, and the layers."""

    system: str
    n: int
    first: int
    int64: dict[Domain, int]
    network: Network = selective_shift_in_units


def _certify_precision(parts: Claimed) -> Certificate:
    system, n, first, int64, network = parts
    checks = _float_checks(system, n, first, network)
    for domain, limit in int64.items():
        checks += _int64_checks(n, domain, limit)
    shown = {"first wrong": first, "int64 from": int64["grid"], "with sentinels from": int64["extended"]}
    return Certificate(checks, parameters={"n": n, "system": system, **shown})


def _without_a_shift(parts: Claimed, rng: np.random.Generator) -> Claimed:
    """One of the first n - 1 shifts is left out on every grid."""
    place = int(rng.integers(parts.n - 1))
    return parts._replace(network=lambda N, n: with_layer(selective_shift_in_units(N, n), place))


def _limit(step: int, domain: Domain | None = None) -> Damage:
    """The first grid that is wrong in floats, or overflows on that domain, is claimed so much finer."""
    if domain is None:
        return mapped(first=lambda first: first + step)
    return mapped(int64=lambda limits: {**limits, domain: limits[domain] + step})


SYSTEM_LIMITS: dict[str, Domain | None] = {
    "floats wrong": None,
    "int64 full": "grid",
    "int64 with sentinels full": "extended",
}


@register(
    ID,
    "the first grid on which floats give a wrong id, and int64 overflows",
    source="not in the text: the layers of section E.3, d = 1, run in floats and whole numbers",
    chapter="yun-precision",
    construction=selective_shift_in_units,
    certify=_certify_precision,
    cases=[{"n": 5}, {"n": 6, "system": "float64"}],
    damages={
        "a shift left out": _without_a_shift,
        **{
            f"{what} one grid {when}": _limit(step, domain)
            for what, domain in SYSTEM_LIMITS.items()
            for when, step in (("later", 1), ("earlier", -1))
        },
    },
)
def precision(*, n: int = 3, system: str = "float32") -> Claimed:
    """Ids of the layers in units of delta, d = 1: the first wrong in floats, the first too long for int64.

    In float32 (float64) all are right while the longest has 24 (53) bits; on the first grid where it has more one is
    wrong by delta/2 or more. int64 holds 63 bits, also with a sentinel. All sequences of increasing tokens.
    """
    system, n = choice("system", system, tuple(SYSTEMS)), whole("n", n, 2, MAX_TOKENS)
    # With fewer values n tokens do not differ.
    first = max(n, first_beyond_bits(n, SYSTEMS[system][1]))
    int64: dict[Domain, int] = {"grid": first_beyond_bits(n), "extended": first_beyond_bits(n, domain="extended")}
    return Claimed(system, n, first, int64)
