"""Kernels, each of which says how it grows, where the limit condition (13) fails and what fools it; and all by name.

Attention with the kernel k gives token i the average of W_V x_j, weighted by k(W_Q x_i, W_K x_j). A kernel here is a
`LogKernel` of the core, so that it runs in BALL and floats, batched, on any device, and is saved with its layer.

Source: cheng2025, section 4.1 and appendix C.2.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np

from ..arithmetic import Arithmetic
from ..arithmetic.base import N
from ..arithmetic.numbers import Number, numbers
from ..checks import choice, instance, positive, rationals, refused, require_parameters, whole
from ..internal.shapes import Keys, Queries, Scores, Weight
from ..kernels import ACROSS, DOT, OPPOSED, RBF, Growth, Kernel, LogKernel, Settled, dot
from ..layers.base import set_fields

OMEGA = ((1, Fraction(1, 2), -1), (-1, 2, Fraction(1, 2)), (Fraction(1, 4), -1, 1))


@dataclass(frozen=True, eq=False)
class Performer(LogKernel):
    """phi(x) . phi(y) with phi(x) = e^{-|x|^2/2} (e^{omega_1 . x}, ..., e^{omega_r . x}), (14).

    omega has shape (r, d).
    """

    omega: Weight
    name: ClassVar[str] = "performer"

    def __post_init__(self) -> None:
        set_fields(self, omega=rationals("omega", numbers(self.omega, "omega"), 2))

    @classmethod
    def example(cls, d: int = 2) -> Self:
        return cls([row[:d] for row in OMEGA])

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return -dot(y, y) / 2, _largest([dot(omega, y) for omega in self.omega]), 0

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        require_entries(self, keys.shape[-2])
        y, x = (_exponents(self.omega, part, system) for part in (keys, queries))
        return _log_sum(y[..., :, None, :] + x[..., None, :, :], system)


@dataclass(frozen=True, eq=False)
class ExpSum(LogKernel):
    """exp(w . (x + y)), section 4.1."""

    w: Weight
    name: ClassVar[str] = "exp_sum"

    def __post_init__(self) -> None:
        set_fields(self, w=rationals("w", numbers(self.w, "w"), 1))

    @classmethod
    def example(cls, d: int = 2) -> Self:
        return cls((1, Fraction(-1, 2), 2)[:d])

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return 0, dot(self.w, y), 0

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        require_entries(self, keys.shape[-2])
        y, x = (_along(self.w, part, system) for part in (keys, queries))
        return system.add(y.mT, x)


@dataclass(frozen=True, eq=False)
class PolyTimes(LogKernel):
    """p(|x - y|^2) k(x, y), p = c_0 + c_1 s + c_2 s^2 + ... with c_0 > 0 and no c below 0; k another kernel."""

    polynomial: Weight
    base: LogKernel
    name: ClassVar[str] = "poly_times"
    fooled_by: ClassVar[tuple[str, ...]] = ("zero",)

    def __post_init__(self) -> None:
        c = rationals("polynomial", numbers(self.polynomial, "polynomial"), 1)
        if len(c) == 0 or not c[0] > 0 or any(u < 0 for u in c):
            raise refused("polynomial", "coefficients of powers of |x - y|^2, the first > 0, none < 0", self.polynomial)
        set_fields(self, polynomial=c, base=instance("base", self.base, LogKernel))

    @classmethod
    def example(cls, d: int = 2) -> Self:
        return cls((1, 0, 1), DOT)

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        a, b, c = self.base.grows(x, y)
        return a, b, c + 2 * (len(self.polynomial) - 1) * np.sign(dot(y, y))

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        s = _squared_distance(keys, queries, system)
        p = 0 * s
        for c in self.polynomial[::-1]:
            p = p * s + system.constant(c, keys)
        return system.function("log", p) + self.base.scores(keys, queries, system)


@dataclass(frozen=True, eq=False)
class ExpPlus(LogKernel):
    """exp(w . x) + exp(w . y), the title of an item of appendix C.2 that is about `ExpSum`."""

    w: Weight
    name: ClassVar[str] = "exp_plus"
    settled: ClassVar[Settled | None] = Settled(ACROSS, Fraction(1, 4))

    def __post_init__(self) -> None:
        set_fields(self, w=rationals("w", numbers(self.w, "w"), 1))

    @classmethod
    def example(cls, d: int = 2) -> Self:
        return cls((1, Fraction(-1, 2), 2)[:d])

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return 0, _largest([dot(self.w, y), 0 * dot(y, y)]), 0

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        require_entries(self, keys.shape[-2])
        y, x = (_along(self.w, part, system) for part in (keys, queries))
        zero = 0 * (y.mT + x)
        return _log_sum(_stack([y.mT + zero, x + zero], system), system)


@dataclass(frozen=True, eq=False)
class Elu(LogKernel):
    """phi(x) . phi(y) with phi = elu + 1, entry by entry: 1 + t for t >= 0, e^t below."""

    name: ClassVar[str] = "elu"
    settled: ClassVar[Settled | None] = Settled(ACROSS, Fraction(9, 16))

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return 0, -_largest([-y.max(axis=-1), 0 * dot(y, y)]), np.sign(y.max(axis=-1)) > 0

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        y, x = (self._log_features(part, system).mT for part in (keys, queries))
        return _log_sum(y[..., :, None, :] + x[..., None, :, :], system)

    @staticmethod
    def _log_features(t: N, system: Arithmetic[N]) -> N:
        return system.function("log", 1 + system.relu(t)) - system.relu(-t)


@dataclass(frozen=True, eq=False)
class Laplace(LogKernel):
    """exp(-|x - y|_2)."""

    name: ClassVar[str] = "laplace"
    settled: ClassVar[Settled | None] = Settled(OPPOSED, Fraction(1))
    fooled_by: ClassVar[tuple[str, ...]] = ("zero",)
    rooted: ClassVar[bool] = True

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return 0, -dot(y, y), 0

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        return -system.function("sqrt", system.relu(_squared_distance(keys, queries, system)))


@dataclass(frozen=True, eq=False)
class Cauchy(LogKernel):
    """1/(1 + |x - y|^2)."""

    name: ClassVar[str] = "cauchy"
    settled: ClassVar[Settled | None] = Settled(ACROSS, Fraction(1))
    fooled_by: ClassVar[tuple[str, ...]] = ("zero",)

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return 0, 0, -2 * np.sign(dot(y, y))

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        return -system.function("log", 1 + system.relu(_squared_distance(keys, queries, system)))


@dataclass(frozen=True, eq=False)
class Cosine(LogKernel):
    """offset + sum_c cos(x_c - y_c), positive for an offset above d, which is asked for when it is used."""

    offset: Number
    name: ClassVar[str] = "cosine"
    settled: ClassVar[Settled | None] = Settled(ACROSS, Fraction(1))
    fooled_by: ClassVar[tuple[str, ...]] = ("zero",)

    def __post_init__(self) -> None:
        set_fields(self, offset=positive("offset", self.offset))

    @classmethod
    def example(cls, d: int = 2) -> Self:
        return cls(d + 1)

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return 0, 0, 0

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        d = keys.shape[-2]
        if not self.offset > d:
            raise refused("offset", f"one above the head size {d}, so that the kernel is positive", self.offset)
        cosines, sines = (system.function(name, keys).mT @ system.function(name, queries) for name in ("cos", "sin"))
        return system.function("log", cosines + sines + system.constant(self.offset, keys))


@dataclass(frozen=True, eq=False)
class Polynomial(LogKernel):
    """(1 + x . y)^power + offset, the power even and offset > 0, so that it is positive."""

    power: int
    offset: Number
    name: ClassVar[str] = "polynomial"
    settled: ClassVar[Settled | None] = Settled(ACROSS, Fraction(1))
    fooled_by: ClassVar[tuple[str, ...]] = ("squares", "hexagons", "zero")

    def __post_init__(self) -> None:
        power = whole("power", self.power, 2, 16)
        if power % 2:
            raise refused("power", "an even one, so that the kernel is positive", power)
        set_fields(self, power=power, offset=positive("offset", self.offset))

    @classmethod
    def example(cls, d: int = 2) -> Self:
        return cls(2, 1)

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return 0, 0, self.power * np.sign(dot(x, y) ** 2)

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        square = (1 + keys.mT @ queries) ** 2
        return system.function("log", square ** (self.power // 2) + system.constant(self.offset, keys))


@dataclass(frozen=True, eq=False)
class Cosh(LogKernel):
    """cosh(x . y), the same for y and -y."""

    name: ClassVar[str] = "cosh"
    settled: ClassVar[Settled | None] = Settled(OPPOSED, Fraction(1))
    fooled_by: ClassVar[tuple[str, ...]] = ("two pairs", "zero")

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return 0, abs(dot(x, y)), 0

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        t = keys.mT @ queries
        return _log_sum(_stack([t, -t], system), system) - system.function("log", system.constant(2, keys))


# ------------------------------------------------------------------------------------------------------------- by name


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
    makers: dict[str, Callable[..., Kernel]] = {each.name: each for each in Kernel.named()}
    makers["rbf"] = lambda gamma=1: RBF(gamma)  # a default here alone: a file without its gamma is damaged
    make = makers[choice("name", name, list(makers))]
    require_parameters(name, inspect.signature(make).parameters.values(), parameters)
    return make(**parameters)


def require_entries(kernel: Kernel, d: int) -> None:
    """ValueError unless the kernel's own vectors, omega or w, if it has some, or its base's, are of d entries."""
    if isinstance(kernel, PolyTimes):
        require_entries(kernel.base, d)
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


def _largest(parts: Sequence[Any]) -> Any:
    return reduce(np.maximum, parts)
