"""Kernels by name, and the limit condition (13) under which one layer of their attention tells tokens apart.

Attention with the kernel k gives token i the average of W_V x_j, weighted by k(W_Q x_i, W_K x_j). A kernel here is a
`LogKernel` of the core, so that it runs in BALL and floats, batched, on any device, and is saved with its layer.

Source: cheng2025, section 4.1 and appendix C.2.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..arithmetic import Arithmetic
from ..arithmetic.base import N
from ..arithmetic.numbers import Number, numbers
from ..checks import choice, instance, positive, rationals, refused, whole
from ..checks import seed as parse_seed
from ..kernels import CONSTANT, DOT, RBF, Kernel, LogKernel
from ..layers.base import set_fields
from ..shapes import Keys, Queries, Scores, Weight


@dataclass(frozen=True, eq=False)
class Performer(LogKernel):
    """phi(x) . phi(y) with phi(x) = e^{-|x|^2/2} (e^{omega_1 . x}, ..., e^{omega_r . x}), (14).

    omega has shape (r, d).
    """

    omega: Weight
    kind: ClassVar[str] = "performer"

    def __post_init__(self) -> None:
        set_fields(self, omega=rationals("omega", numbers(self.omega, "omega"), 2))

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        require_entries(self, keys.shape[-2])
        y, x = (_exponents(self.omega, part, system) for part in (keys, queries))
        return _log_sum(y[..., :, None, :] + x[..., None, :, :], system)


@dataclass(frozen=True, eq=False)
class ExpSum(LogKernel):
    """exp(w . (x + y)), section 4.1."""

    w: Weight
    kind: ClassVar[str] = "exp-sum"

    def __post_init__(self) -> None:
        set_fields(self, w=rationals("w", numbers(self.w, "w"), 1))

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        require_entries(self, keys.shape[-2])
        y, x = (_along(self.w, part, system) for part in (keys, queries))
        return system.add(y.mT, x)


@dataclass(frozen=True, eq=False)
class ExpPlus(LogKernel):
    """exp(w . x) + exp(w . y), the title of an item of appendix C.2 that is about `ExpSum`."""

    w: Weight
    kind: ClassVar[str] = "exp-plus"

    def __post_init__(self) -> None:
        set_fields(self, w=rationals("w", numbers(self.w, "w"), 1))

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        require_entries(self, keys.shape[-2])
        y, x = (_along(self.w, part, system) for part in (keys, queries))
        zero = 0 * (y.mT + x)
        return _log_sum(_stack([y.mT + zero, x + zero], system), system)


@dataclass(frozen=True, eq=False)
class PolyTimes(LogKernel):
    """p(|x - y|^2) k(x, y), p = c_0 + c_1 s + c_2 s^2 + ... with c_0 > 0 and no c below 0; k another kernel."""

    polynomial: Weight
    base: LogKernel
    kind: ClassVar[str] = "poly-times"

    def __post_init__(self) -> None:
        c = rationals("polynomial", numbers(self.polynomial, "polynomial"), 1)
        if len(c) == 0 or not c[0] > 0 or any(u < 0 for u in c):
            raise refused("polynomial", "coefficients of powers of |x - y|^2, the first > 0, none < 0", self.polynomial)
        set_fields(self, polynomial=c, base=instance("base", self.base, LogKernel))

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        s = _squared_distance(keys, queries, system)
        p = 0 * s
        for c in self.polynomial[::-1]:
            p = p * s + system.constant(c, keys)
        return system.function("log", p) + self.base.scores(keys, queries, system)


@dataclass(frozen=True, eq=False)
class Cosh(LogKernel):
    """cosh(x . y), the same for y and -y."""

    kind: ClassVar[str] = "cosh"

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        t = keys.mT @ queries
        return _log_sum(_stack([t, -t], system), system) - system.function("log", system.constant(2, keys))


@dataclass(frozen=True, eq=False)
class Elu(LogKernel):
    """phi(x) . phi(y) with phi = elu + 1, entry by entry: 1 + t for t >= 0, e^t below."""

    kind: ClassVar[str] = "elu"

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        y, x = (self._log_features(part, system).mT for part in (keys, queries))
        return _log_sum(y[..., :, None, :] + x[..., None, :, :], system)

    @staticmethod
    def _log_features(t: N, system: Arithmetic[N]) -> N:
        return system.function("log", 1 + system.relu(t)) - system.relu(-t)


@dataclass(frozen=True, eq=False)
class Laplace(LogKernel):
    """exp(-|x - y|_2)."""

    kind: ClassVar[str] = "laplace"

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        return -system.function("sqrt", system.relu(_squared_distance(keys, queries, system)))


@dataclass(frozen=True, eq=False)
class Cauchy(LogKernel):
    """1/(1 + |x - y|^2)."""

    kind: ClassVar[str] = "cauchy"

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        return -system.function("log", 1 + system.relu(_squared_distance(keys, queries, system)))


@dataclass(frozen=True, eq=False)
class Polynomial(LogKernel):
    """(1 + x . y)^power + offset, the power even and offset > 0, so that it is positive."""

    power: int
    offset: Number
    kind: ClassVar[str] = "polynomial"

    def __post_init__(self) -> None:
        power = whole("power", self.power, 2, 16)
        if power % 2:
            raise refused("power", "an even one, so that the kernel is positive", power)
        set_fields(self, power=power, offset=positive("offset", self.offset))

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        square = (1 + keys.mT @ queries) ** 2
        return system.function("log", square ** (self.power // 2) + system.constant(self.offset, keys))


@dataclass(frozen=True, eq=False)
class Cosine(LogKernel):
    """offset + sum_c cos(x_c - y_c), positive for an offset above d, which is asked for when it is used."""

    offset: Number
    kind: ClassVar[str] = "cosine"

    def __post_init__(self) -> None:
        set_fields(self, offset=positive("offset", self.offset))

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        d = keys.shape[-2]
        if not self.offset > d:
            raise refused("offset", f"one above the head size {d}, so that the kernel is positive", self.offset)
        cosines, sines = (system.function(name, keys).mT @ system.function(name, queries) for name in ("cos", "sin"))
        return system.function("log", cosines + sines + system.constant(self.offset, keys))


# ------------------------------------------------------------------------------------------------------------- by name


MAKERS: dict[str, Callable[..., Kernel]] = {
    "exp": lambda: DOT,
    "rbf": lambda gamma=1: RBF(gamma),
    "performer": Performer,
    "exp_sum": ExpSum,
    "exp_plus": ExpPlus,
    "poly_times": PolyTimes,
    "constant": lambda: CONSTANT,
    "elu": Elu,
    "laplace": Laplace,
    "cauchy": Cauchy,
    "polynomial": Polynomial,
    "cosine": Cosine,
    "cosh": Cosh,
}


def kernel(name: str, **parameters: object) -> Kernel:
    """A kernel k(x, y) by name, x the query and y the key; `.log(x, y)` is its logarithm over the last axis.

        `exp`                        exp(x . y)                                     satisfies (13)
        `rbf(gamma=1)`               exp(-gamma |x - y|^2)                          satisfies
        `performer(omega)`           sum_i exp(omega_i . (x + y) - (|x|^2 + |y|^2)/2)   satisfies, for almost all omega
        `exp_sum(w)`                 exp(w . (x + y))                               satisfies, w not 0
        `poly_times(polynomial, base)`   (c_0 + c_1 |x - y|^2 + ...) k(x, y)        satisfies if the base k does
        `exp_plus(w)`                exp(w . x) + exp(w . y)
        `constant`                   1
        `elu`                        phi(x) . phi(y), phi = elu + 1
        `laplace`                    exp(-|x - y|)
        `cauchy`                     1/(1 + |x - y|^2)
        `polynomial(power, offset)`  (1 + x . y)^power + offset, an even power, offset > 0
        `cosine(offset)`             offset + sum_c cos(x_c - y_c), offset above d
        `cosh`                       cosh(x . y)

    Raises
    ------
    ValueError
        Another name, parameters missing, off or unknown, a kernel that is not positive.

    Source: cheng2025, section 4.1, appendix C.2.
    """
    make = MAKERS[choice("name", name, list(MAKERS))]
    known = inspect.signature(make).parameters.values()
    missing = [p.name for p in known if p.default is p.empty and p.name not in parameters]
    unknown = sorted(set(parameters) - {p.name for p in known})
    if missing or unknown:
        expected = ", ".join(p.name for p in known) or "none"
        got = ", ".join(sorted(parameters)) or "none"
        raise ValueError(f'{(unknown or missing)[0]}: expected for "{name}" the parameters {expected}, got {got}.')
    return make(**parameters)


class LimitCondition(NamedTuple):
    """Whether (13) held at all that was tried, and where it did not: (x, y_1, y_2, W_K), and the ratio of k at t.

    `share` is the share of W_K with which it held, least over the pairs that were tried.
    """

    holds: bool
    witness: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None
    ratio: float
    share: float
    cases: int


FAR = 2.0**40
"""t, far enough for a linear exponent to leave powers of t behind."""
BEYOND = 2000.0
"""|log ratio| that counts as 0 or infinity: powers of t that floats hold stay below it, exponentials go beyond."""


def satisfies_limit_condition(
    kernel: object, *, d: int | None = None, pairs: int = 40, draws: int = 50, seed: int = 0
) -> LimitCondition:
    """Whether k(x, t W y_1)/k(x, t W y_2) tends to 0 or infinity for almost all W, (13); tried, not proved.

    For random x, y_1, y_2, and for those where kernels are known to fail (y_2 = -y_1, equal lengths, y_2 a multiple of
    y_1, one shared entry), with random W_K: whether the logarithm of the ratio is beyond 2,000 at t = 2^40.

    Parameters
    ----------
    kernel : a `Kernel`, or an object with ``log(x, y)`` over the last axis
    d : entries of a token; None: as many as the kernel's own vectors have, or else 3
    pairs, draws : how many x, y_1, y_2, and W_K for each

    Raises
    ------
    ValueError
        No kernel, or counts that are off; a kernel whose logarithm is not finite, or whose own vectors are not of d
        entries.

    Source: cheng2025, Corollary 1, (13).
    """
    d, pairs = whole("d", _entries(kernel) if d is None else d, 1, 64), whole("pairs", pairs, 1, 10_000)
    draws, rng = whole("draws", draws, 1, 10_000), np.random.default_rng(parse_seed(seed))
    log = getattr(kernel, "log", None)
    if not callable(log) or isinstance(kernel, type):
        raise refused("kernel", "a Kernel, or an object with log(x, y)", kernel)
    worst = LimitCondition(True, None, math.inf, 1.0, pairs * draws)
    for case in range(pairs):
        x, y = rng.normal(size=d), rng.normal(size=(2, d))
        y[1] = (y[1], -y[0], y[1] * np.linalg.norm(y[0]) / np.linalg.norm(y[1]), 2 * y[0], y[1])[case % 5]
        y[1, 0] = y[0, 0] if case % 5 == 4 and d > 1 else y[1, 0]
        W = rng.normal(size=(draws, d, d))
        keys = FAR * np.einsum("wij,pj->pwi", W, y)
        try:
            logs = np.asarray(log(np.broadcast_to(x, keys.shape), keys), dtype=float)
        except TypeError as error:
            raise refused("kernel", "a Kernel, or an object with log(x, y)", kernel, str(error)[:200]) from None
        if not np.isfinite(logs).all():
            raise refused("kernel", "a finite logarithm", float(logs[~np.isfinite(logs)][0]), f"at x = {x.tolist()}")
        ratio = logs[0] - logs[1]
        share = float((np.abs(ratio) > BEYOND).mean())
        if share < worst.share:
            k = int(np.abs(ratio).argmin())
            value = math.exp(float(np.clip(ratio[k], -700, 700)))
            worst = LimitCondition(share > 1 - ALMOST, (x, y[0], y[1], W[k]), value, share, pairs * draws)
    return worst._replace(witness=None) if worst.holds else worst


ALMOST = 0.05
"""The share of W_K that may be near the exceptional ones at a t that is not infinite."""


def _entries(kernel: object) -> int:
    """Of the kernel's own vectors, or of those of the kernel that it holds; 3 if there are none."""
    while isinstance(kernel, PolyTimes):
        kernel = kernel.base
    own = getattr(kernel, "omega", getattr(kernel, "w", None))
    return own.shape[-1] if isinstance(kernel, Kernel) and own is not None else 3


def require_entries(kernel: Kernel, d: int) -> None:
    """ValueError unless the kernel's own vectors, omega or w, if it has some, are of d entries."""
    for name in ("omega", "w"):
        own = getattr(kernel, name, None)
        if own is not None and own.shape[-1] != d:
            raise refused("tokens", f"as many entries as {name} of the kernel has, {own.shape[-1]}", d)


def _along(w: np.ndarray, part: N, system: Arithmetic[N]) -> N:
    """w . z for the columns z, shape (..., m, k) to (..., 1, k)."""
    return system.matmul(system.constant(w[None], part, "w"), part)


def _exponents(omega: object, part: N, system: Arithmetic[N]) -> N:
    """omega_i . z - |z|^2/2 for the columns z, shape (..., m, k) to (..., k, r)."""
    return (system.constant(omega, part, "omega") @ part - (part * part).sum(-2)[..., None, :] / 2).mT


def _squared_distance(keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> N:
    """|x - y|^2, shape (..., k, n)."""
    return -RBF(1).scores(keys, queries, system)


def _stack(parts: list[N], system: Arithmetic[N]) -> N:
    """A new last axis."""
    return system.join([part[..., None] for part in parts])


def _log_sum(t: N, system: Arithmetic[N]) -> N:
    """log sum exp over the last axis."""
    shift, powers = system.exponentials(t, axis=-1)
    return shift[..., 0] + system.log_sum(powers)
