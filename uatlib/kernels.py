"""Kernels: how much a query hears of a key.

Attention with the kernel k gives query j the average of the values, weighted by k(key i, query j).

    `DOT`         exp(x . y)              softmax attention
    `RBF(gamma)`  exp(-gamma |x - y|^2)
    `CONSTANT`    1                       the average of all keys; rational, so that it runs in EXACT

Keys and queries are the columns of arrays of shape (..., m, k) and (..., m, n). Source: cheng2025, eq. (12).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import torch

from .arithmetic import FLOAT64, Arithmetic
from .arithmetic.base import N
from .arithmetic.numbers import Number, finite_numbers, numbers
from .checks import positive, refused
from .internal.files import Saved, Settings
from .internal.shapes import Keys, Numbers, Queries, Scores, Values, Visible

__all__ = ["CONSTANT", "DOT", "RBF", "Kernel"]


def _vectors(name: str, value: object) -> np.ndarray:
    """Vectors along the last axis, as floats."""
    found = finite_numbers(name, numbers(value, name)).astype(float)
    if found.ndim == 0 or 0 in found.shape:
        raise refused(name, "vectors along the last axis", found.shape)
    return found


FUSED = 2**20
"""Scores from which on torch's fused softmax attention is faster than the layer's own lines."""
Powers = tuple[N | None, Scores[N]]
Growth = tuple[Any, Any, Any]


class Settled(NamedTuple):
    """Two keys y, and the share, at least, of the matrices W with entries 1, 2, -1, -2 that make the ratio settle."""

    keys: tuple[tuple[int, ...], tuple[int, ...]]
    share: Fraction


ACROSS, OPPOSED = ((1, 0), (0, 1)), ((1, 0), (-1, 0))


class Kernel(Saved):
    """A kernel k >= 0. Subclasses are frozen data (numbers and arrays, which files hold) and give the `weights`.

    One that has a name says more of itself, which the statements of the book and the tests go through.

    Attributes
    ----------
    name : by which `cheng2025.kernel` gives it, or ""; files have it with hyphens, unless it has a `kind`
    settled : where k(x, t W y_1)/k(x, t W y_2) stays between two positive numbers for all t, so that the limit
        condition (13) of cheng2025 fails; None: it holds, for almost all parameters
    fooled_by : which contexts of a token x it takes for alike: "zero", those of x = 0 that are symmetric; "mean", of
        equal means; "pair", (x, a, -a) and (x, b, -b); "two pairs", (x, -x, a, -a) and (x, -x, b, -b); "squares" and
        "hexagons", regular ones and the same turned
    rooted : whether the second number of `grows` is minus the square of the exponent, which is no rational number
    """

    name: ClassVar[str] = ""
    settled: ClassVar[Settled | None] = None
    fooled_by: ClassVar[tuple[str, ...]] = ()
    rooted: ClassVar[bool] = False

    def __init_subclass__(cls, **options: object) -> None:
        if "name" in cls.__dict__ and "kind" not in cls.__dict__:
            cls.kind = cls.name.replace("_", "-")
        super().__init_subclass__(**options)

    @classmethod
    def named(cls) -> Iterator[type[Kernel]]:
        """The kernels that have a name of their own, in the order in which they are defined."""
        for each in cls.__subclasses__():
            if "name" in each.__dict__:
                yield each
            yield from each.named()

    @classmethod
    def example(cls, d: int = 2) -> Self:
        """One with mild parameters, for tokens of d entries, at most 3."""
        return cls()

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        """(a, b, c) with k(x, t y) of the order e^{a t^2 + b t} t^c, for vectors along the last axis; see `growth`."""
        raise refused("kernel", "one of those that `cheng2025.kernel` gives", self)

    def weights(
        self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N], visible: Visible[N] = None
    ) -> Powers[N]:
        """(shift, powers) with k(key i, query j) = e^{shift_j} powers_ij, and 0 where not `visible`.

        powers are (..., k, n), shift (..., 1, n) or None for 0: what `Arithmetic.exponentials` gives, so that nothing
        overflows.
        """
        raise NotImplementedError

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        """Numbers in the order of k down each column, for hardmax: k itself here, log k in a `LogKernel`."""
        return self.weights(keys, queries, system)[1]

    def mix(
        self, values: Values[N], keys: Keys[N], queries: Queries[N], system: Arithmetic[N], visible: Visible[N] = None
    ) -> Values[N]:
        """values @ powers over their sum down the columns, shape (..., v, n)."""
        return system.average(values, self.weights(keys, queries, system, visible)[1])

    def log(self, x: Numbers, y: Numbers) -> Any:
        """log k(x, y) for vectors along the last axis, (..., d) and (..., d) to (...); in float64."""
        system = FLOAT64.beside(x).beside(y)
        pair = [system.array(_vectors(name, value), name) for name, value in (("x", x), ("y", y))]
        if pair[0].shape[-1] != pair[1].shape[-1]:
            raise refused("y", f"vectors of {pair[0].shape[-1]} entries, as x has", tuple(pair[1].shape))
        queries, keys = (part[..., None] for part in torch.broadcast_tensors(*pair))  # type: ignore[no-untyped-call]
        found = self._log(keys, queries, system)[..., 0, 0].expand(keys.shape[:-2])
        return found if isinstance(x, torch.Tensor) or isinstance(y, torch.Tensor) else found.numpy(force=True)

    def _log(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        shift, powers = self.weights(keys, queries, system)
        logs = system.function("log", powers)
        return logs if shift is None else system.add(logs, shift)

    def __eq__(self, other: object) -> bool:
        """Whether `other` is of this kind and has equal fields, arrays entry by entry: a loaded kernel is the saved."""
        if not isinstance(other, Kernel) or type(other) is not type(self):
            return NotImplemented
        theirs = other._fields()
        return all(np.array_equal(value, theirs[name]) for name, value in self._fields().items())

    def __hash__(self) -> int:
        arrays = {name: np.asarray(value) for name, value in self._fields().items()}
        return hash((type(self), *((name, a.shape, *a.ravel().tolist()) for name, a in arrays.items())))

    def _fields(self) -> dict[str, Any]:
        return self.settings() if is_dataclass(self) else vars(self)

    def settings(self) -> Settings:
        """The fields of the kernel."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


class LogKernel(Kernel):
    """A kernel that is given by `scores`, which are log k: its average is softmax."""

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        """log k(key i, query j), shape (..., k, n)."""
        raise NotImplementedError

    def weights(
        self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N], visible: Visible[N] = None
    ) -> Powers[N]:
        return system.exponentials(self.scores(keys, queries, system), visible, axis=-2)

    def _log(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        return self.scores(keys, queries, system)

    def mix(
        self, values: Values[N], keys: Keys[N], queries: Queries[N], system: Arithmetic[N], visible: Visible[N] = None
    ) -> Values[N]:
        return system.softmax_mix(values, self.scores(keys, queries, system), visible)


@dataclass(frozen=True, eq=False)
class Dot(LogKernel):
    """exp(x . y). Floats go, from 2^20 scores without a mask on, through torch's `scaled_dot_product_attention`."""

    kind: ClassVar[str] = "dot"
    name: ClassVar[str] = "exp"
    fooled_by: ClassVar[tuple[str, ...]] = ("zero",)

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return 0, dot(x, y), 0

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        return system.matmul(keys.mT, queries)

    def mix(
        self, values: Values[N], keys: Keys[N], queries: Queries[N], system: Arithmetic[N], visible: Visible[N] = None
    ) -> Values[N]:
        if visible is not None or not isinstance(queries, torch.Tensor) or not queries.is_floating_point():
            return super().mix(values, keys, queries, system, visible)
        alike = values.shape[:-2] == keys.shape[:-2] == queries.shape[:-2]
        if not alike or keys.shape[-1] * queries.shape[-1] < FUSED:
            return super().mix(values, keys, queries, system)
        # Tokens as rows, contiguous: torch takes twice as long otherwise.
        q, k, v = (part.mT.reshape(-1, 1, *part.mT.shape[-2:]).contiguous() for part in (queries, keys, values))
        heard = torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=1.0)
        return heard.reshape(*queries.shape[:-2], *heard.shape[-2:]).mT


@dataclass(frozen=True, eq=False)
class RBF(LogKernel):
    """exp(-gamma |x - y|^2); ValueError unless gamma > 0. Computed as gamma (2 x . y - |x|^2 - |y|^2)."""

    gamma: Number
    name: ClassVar[str] = "rbf"
    fooled_by: ClassVar[tuple[str, ...]] = ("zero",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive("RBF gamma", self.gamma))

    @classmethod
    def example(cls, d: int = 2) -> Self:
        return cls(Fraction(1, 2))

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return -self.gamma * dot(y, y), 2 * self.gamma * dot(x, y), 0

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        ones = system.constant(np.ones((1, keys.shape[-2]), dtype=int), keys)
        minus, twice = (system.constant([[factor * self.gamma]], keys, "RBF gamma") for factor in (-1, 2))
        x, y = (system.multiply(minus, system.matmul(ones, system.multiply(t, t))) for t in (keys, queries))
        dots = system.multiply(twice, system.matmul(keys.mT, queries))
        return system.add(system.add(dots, x.mT), y)


@dataclass(frozen=True, eq=False)
class Constant(Kernel):
    name: ClassVar[str] = "constant"
    settled: ClassVar[Settled | None] = Settled(ACROSS, Fraction(1))
    fooled_by: ClassVar[tuple[str, ...]] = ("pair", "mean", "zero", "two pairs", "squares", "hexagons")

    def grows(self, x: np.ndarray, y: np.ndarray) -> Growth:
        return 0, 0, 0

    def weights(
        self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N], visible: Visible[N] = None
    ) -> Powers[N]:
        return None, system.largest(self.scores(keys, queries, system), visible)  # all tie: 1 where visible

    def scores(self, keys: Keys[N], queries: Queries[N], system: Arithmetic[N]) -> Scores[N]:
        return system.constant(np.zeros((keys.shape[-1], queries.shape[-1]), dtype=int), keys)


def dot(x: np.ndarray, y: np.ndarray) -> Any:
    """x . y along the last axis."""
    return (x * y).sum(axis=-1)


DOT = Dot()
CONSTANT = Constant()
