"""Functions of sequences to approximate, each with the properties that a theorem asks of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NoReturn

import numpy as np

from . import checks
from .arithmetic.base import N
from .arithmetic.numbers import floats, fraction, numbers, rationals, rounded_up
from .groups import generators
from .internal.shapes import Array, Numbers

__all__ = ["Target", "bump", "cyclic_difference", "mean_product", "running_mean"]

TOLERANCE = 1e-9
"""Relative slack for rounding when a stated property is compared with float64 samples."""
SAMPLES = 200
MAX_SAMPLED = 2**23
"""Numbers in all samples together, at which a target is tested in seconds."""


def entrywise_norm(A: Numbers, p: float, what: str = "A") -> np.ndarray:
    """(sum_ij |A_ij|^p)^(1/p) over the last two axes, max |A_ij| for p = inf: the norm of yun2020, section 1.2."""
    p, size = checks.exponent("p", p), np.abs(floats(A, what))
    if size.ndim < 2 or 0 in size.shape[-2:]:
        raise ValueError(f"entrywise_norm: expected shape (..., d, n), not empty, got {size.shape}.")
    largest = size.max(axis=(-2, -1), keepdims=True)
    if p == math.inf:
        return np.asarray(largest[..., 0, 0])
    unit = unit_for_power(largest, p)
    return np.asarray(((size / unit) ** p).sum(axis=(-2, -1)) ** (1 / p) * unit[..., 0, 0])


def unit_for_power(largest: np.ndarray | float, p: float) -> np.ndarray:
    """A unit in which p-th powers of sizes up to `largest` neither overflow nor all vanish; 1 for 0, infinity, NaN.

    For p <= 64 it is a power of two, by which floats divide exactly, else `largest` itself.
    """
    found = np.ldexp(1.0, np.clip(np.frexp(largest)[1], -1000, 1000)) if p <= 64 else largest
    return np.where(np.isfinite(largest) & (np.asarray(largest) > 0), found, 1.0)


def shaped(X: Array, values: Numbers, what: str, size: tuple[int, int] | None = None) -> np.ndarray:
    """`values`, what a function gave for X, as an array of numbers; ValueError unless of the shape of X or `size`."""
    array = numbers(values, f"{what}(X)")
    expected = tuple(X.shape) if size is None else (*X.shape[:-2], *size)
    if array.shape != expected:
        raise ValueError(
            f"{what}: expected values of the shape {expected}{'' if size else ' of X'}, got {array.shape}; {WRAPPED}."
        )
    return array


def values_of(f: Callable[..., object], X: Array, what: str = "f", size: tuple[int, int] | None = None) -> np.ndarray:
    """f(X) in float64; ValueError that begins with `what` unless real, finite, and of the shape of X or of `size`."""
    values = floats(shaped(X, applied(f, [X], what), what, size), f"{what}(X)")
    if not np.isfinite(values).all():
        k = np.unravel_index(int(np.isfinite(values).argmin()), values.shape)[:-2]
        violated(what, "finite values", X[k], f"f(X) = {_text(values[k])}")
    return values


def applied(f: Callable[..., object], XZ: Sequence[Array], what: str) -> Any:
    """f(X) or f(X, Z); ValueError that begins with `what` where f does not take arrays, as a module of torch."""
    try:
        return f(*XZ)
    except (TypeError, RuntimeError, ValueError, LookupError) as error:
        if isinstance(error, LookupError) and error.__traceback__ and error.__traceback__.tb_next:
            raise  # from within f
        of_one = _takes_one(f, XZ)
        if isinstance(error, ValueError) and not of_one:
            raise  # it says what it wants
        given, kind = f"an array of {XZ[0].dtype} of shape {tuple(XZ[0].shape)}", type(error).__name__
        said = f"{str(error)[:500].removesuffix('.')}{f'; {WRAPPED}' if of_one else ''}"
        raise ValueError(f"{what}: expected a function of {given}, but it raised {kind}: {said}.") from error


WRAPPED = 'a function of one sequence is wrapped by np.vectorize(f, signature="(d,n)->(d,n)")'


def _takes_one(f: Callable[..., object], XZ: Sequence[Array]) -> bool:
    """Whether f, which failed on a batch, runs on the first sequence of it."""
    try:
        f(*(U[0] for U in XZ))
    except Exception:
        return False
    return len(XZ) == 1


def violated(name: str, stated: str, X: Array, got: str) -> NoReturn:
    """ValueError: the function `name` does not have the property that is stated, as X shows."""
    raise ValueError(f"{name}: expected {stated}; violated at X = {_text(X)}, where {got}.")


def _text(X: Array) -> str:
    """The entries if they are few, for an error."""
    return text if math.prod(X.shape) <= 100 and len(text := str(X.tolist())) <= 250 else checks.shown(X)


def exact_values(target: Target, X: np.ndarray) -> np.ndarray:
    """f at exact points, as Fractions: exact where f takes Fractions, else the exact values of its floats.

    Parameters
    ----------
    X : Fractions of shape (..., d, n)
    """
    if len(X) == 0:
        return X
    X = rationals("X", X)
    try:
        values = target.function(X)
    except (AttributeError, TypeError):  # a function such as np.sin, which has no exact form
        values = target.function(X.astype(np.float64))
    return np.asarray(np.frompyfunc(fraction, 1, 1)(numbers(values, target.name)))


@dataclass(frozen=True)
class Target:
    """A function f from R^{d x n} to R^{d_out x n_out} on a box, with its stated properties.

    Parameters
    ----------
    function : maps an array of shape (..., d, n) to (..., d_out, n_out), each leading index on its own. Written with
        + - * / and sums it also takes Fractions and tensors. One that takes a single sequence is wrapped by
        ``np.vectorize(f, signature="(d,n)->(d,n)")``. With a source, function(X, Z) for Z of its shape
    n, d : sequence length and embedding dimension
    n_out, d_out : those of the values, as of the input if None
    n_source, d_source : those of a second sequence, as for cross-attention; None for none
    domain : (low, high), the box [low, high]^{d x n} of X, and of Z
    group : the permutations P of tokens with f(X P) = f(X) P: "symmetric", "cyclic", "dihedral", "trivial", or a list
        of generators, each the tuple (P's image of 0, ..., n - 1). Z stays as it is
    lipschitz : L with |f(X) - f(Y)| <= L |X - Y| on the box, or None; with a source, of both sequences together
    bound : B with |f(X)| <= B on the box, or None
    norm : p >= 1 or inf, the entrywise norm in which `lipschitz` and `bound` are meant

    Raises
    ------
    ValueError
        A parameter is off, or one of 200 sampled inputs violates a stated property; the input is shown.
    """

    function: Callable[[Any], Any]
    n: int
    d: int
    domain: tuple[float, float] = (0, 1)
    group: str | Sequence[tuple[int, ...]] = "trivial"
    lipschitz: float | None = None
    bound: float | None = None
    norm: float = math.inf
    name: str = "f"
    _: KW_ONLY
    n_out: int | None = None
    d_out: int | None = None
    n_source: int | None = None
    d_source: int | None = None

    def __post_init__(self) -> None:
        parsed: dict[str, Any] = {
            "function": checks.function("function", self.function),
            "n": (n := checks.whole("n", self.n, 1)),
            "d": (d := checks.whole("d", self.d, 1)),
            "domain": checks.domain("domain", self.domain),
            "norm": checks.exponent("norm", self.norm),
            "name": checks.text("name", self.name),
        }
        for name, default in {"n_out": n, "d_out": d, "n_source": None, "d_source": None}.items():
            value = getattr(self, name)
            parsed[name] = default if value is None else checks.whole(name, value, 1)
        for rows, columns in (("d", "n"), ("d_out", "n_out"), ("d_source", "n_source")):
            if (parsed[rows] is None) != (parsed[columns] is None):
                raise ValueError(f"{rows}: expected {rows} and {columns} together, got one of them.")
            checks.room(columns, SAMPLES, parsed[rows] or 1, parsed[columns] or 1, MAX_SAMPLED)
        for name in ("lipschitz", "bound"):
            value = getattr(self, name)
            parsed[name] = None if value is None else checks.number(name, value, 0)
        if not isinstance(self.group, str):
            parsed["group"] = checks.permutations("group", self.group, n)
        if generators(self.group, n) and parsed["n_out"] != n:
            raise checks.refused("group", '"trivial" where f gives another number of tokens', self.group)
        for name, value in parsed.items():
            object.__setattr__(self, name, value)
        self.check()

    def __call__(self, X: Numbers, source: Numbers | None = None) -> Any:
        """f(X), or f(X, source), for X of shape (..., d, n); ValueError for another shape, or where are no numbers."""
        sizes, given = self._inputs(), [X] if source is None else [X, source]
        if len(sizes) != len(given):
            raise checks.refused("source", "a second sequence" if self.d_source else "None", source)
        named = zip(("X", "source"), given, sizes, strict=False)
        return self.function(*(checks.array(name, values, *size) for name, values, size in named))

    def generators(self) -> list[tuple[int, ...]]:
        """Permutations that generate the group; column j of X P is column generator[j] of X."""
        return generators(self.group, self.n)

    def require_unit_box(self) -> None:
        """ValueError unless the domain is [0, 1]."""
        if self.domain != (0, 1):
            hint = "rescale it, e.g. g(X) = f(low + (high - low) X)"
            got = f"the domain {checks.shown(self.domain)}"
            raise ValueError(f"target: expected one on [0, 1]^(d x n), got {got}; {hint}.")

    def modulus(self, h: float | Fraction) -> float:
        """A bound on |f(X) - f(Y)| in `norm` over all X, Y of the box with max_ij |X_ij - Y_ij| <= h.

        It is L h m^(1/p), rounded up, with m = d n entries, those of a second sequence added: the entrywise p-norm of
        X - Y is at most m^(1/p) times the largest entry.
        ValueError unless the Lipschitz constant L is known and h is a number >= 0.
        """
        width = Fraction(checks.number("h", h, 0))
        if self.lipschitz is None:
            expected = f"the Lipschitz constant of {self.name}"
            raise checks.refused("lipschitz", expected, None, "it is not known; state it with Target(lipschitz=...)")
        entries = sum(rows * columns for rows, columns in self._inputs())
        # A power of floats is rounded by far less than 2^-48.
        root = {math.inf: 1, 1: entries}.get(self.norm) or entries ** (1 / self.norm) * (1 + 2**-48)
        return rounded_up(fraction(self.lipschitz) * width * Fraction(root))

    def check(self, samples: int = SAMPLES, seed: int = 0) -> None:
        """Test the stated properties on random inputs; ValueError with the input where one fails."""
        samples, seed = checks.whole("samples", samples, 1), checks.seed(seed)
        for rows, columns in (*self._inputs(), self._size()):
            checks.room("samples", samples, rows, columns, MAX_SAMPLED)
        rng = np.random.default_rng(seed)
        low, high = self.domain
        XZ = [rng.uniform(float(low), float(high), (samples, *size)) for size in self._inputs()]
        # Half of the partners lie close by, where a steep function shows.
        reach = (high - low) * np.where(np.arange(samples) % 2, 1e-3, 1.0)[:, None, None]
        YW = [np.clip(U + rng.uniform(-1, 1, U.shape) * reach, low, high) for U in XZ]
        fX, fY = self._values(*XZ), self._values(*YW)
        scale = 1 + np.abs(fX).max()
        alone = self._values(*(U[0] for U in XZ))
        if np.abs(alone - fX[0]).max() > TOLERANCE * scale:
            got = f"{_text(alone)} alone and {_text(fX[0])} in a batch"
            self._violated("each sequence of a batch on its own", XZ, 0, got)
        for permutation in self.generators():
            moved = self._values(XZ[0][..., permutation], *XZ[1:])
            k, is_off = _worst(np.abs(moved - fX[..., permutation]).max(axis=(-2, -1)), scale)
            if is_off:
                got = f"f(X P) = {_text(moved[k])} and f(X) P = {_text(fX[k][:, permutation])}"
                self._violated(f"f(X P) = f(X) P for the permutation {permutation}", XZ, k, got)
        if self.bound is not None:
            size = entrywise_norm(fX, self.norm)
            k, is_off = _worst(size - self.bound, scale)
            if is_off:
                self._violated(f"|f(X)| <= {self.bound} in the {self.norm}-norm", XZ, k, f"|f(X)| = {size[k]}")
        if self.lipschitz is not None:
            rise = entrywise_norm(fX - fY, self.norm)
            steps = [(U - V).reshape(samples, 1, -1) for U, V in zip(XZ, YW, strict=True)]
            k, is_off = _worst(rise - self.lipschitz * entrywise_norm(np.concatenate(steps, axis=-1), self.norm), scale)
            if is_off:
                got = f"|f(X) - f(Y)| = {rise[k]} for Y = {_text(YW[0][k])}{_beside(YW, k)}"
                self._violated(f"|f(X) - f(Y)| <= {self.lipschitz} |X - Y| in the {self.norm}-norm", XZ, k, got)

    def _inputs(self) -> list[tuple[int, int]]:
        """The sizes (d, n) of X, and of the second sequence if there is one."""
        second = [] if self.d_source is None or self.n_source is None else [(self.d_source, self.n_source)]
        return [(self.d, self.n), *second]

    def _size(self) -> tuple[int, int]:
        return self.d_out or self.d, self.n_out or self.n

    def _values(self, X: np.ndarray, *second: np.ndarray) -> np.ndarray:
        return values_of(lambda U: self.function(U, *second), X, self.name or "function", self._size())

    def _violated(self, stated: str, XZ: Sequence[np.ndarray], k: int, got: str) -> NoReturn:
        violated(self.name or "function", stated, XZ[0][k], f"{got}{_beside(XZ, k, '; X')}")


def _worst(excess: np.ndarray, scale: float) -> tuple[int, bool]:
    """Where what should be at most 0 is largest, and whether it is more than rounding there."""
    k = int(excess.argmax())
    return k, bool(excess[k] > TOLERANCE * scale)


def _beside(XZ: Sequence[np.ndarray], k: int, what: str = "") -> str:
    return "".join(f"{what} beside the source {_text(Z[k])}" for Z in XZ[1:])


def mean_product(n: int, d: int = 1) -> Target:
    """f(X)_k = x_k times the mean of all tokens, entry by entry: symmetric, L = 2 and B = 1 in the sup norm.

    Raises ValueError as `Target` for n and d, as the other three do.
    """
    n, d = checks.whole("n", n, 1), checks.whole("d", d, 1)
    return Target(partial(_mean_product, n), n, d, group="symmetric", lipschitz=2, bound=1, name="mean_product")


def bump(n: int, d: int = 1) -> Target:
    """f(X)_k = w(X) (1 + x_k - mean) / 2 with w the product of 4 z (1 - z) over all entries z of X.

    Symmetric, continuous with compact support once set to 0 outside the box: a member of the class of yun2020,
    Theorem 2. L = 4 d n + 1 and B = 1 in the sup norm. Errors as `mean_product`.
    """
    n, d = checks.whole("n", n, 1), checks.whole("d", d, 1)
    return Target(partial(_bump, n, d), n, d, group="symmetric", lipschitz=4 * d * n + 1, bound=1, name="bump")


def running_mean(n: int, d: int = 1) -> Target:
    """f(X)_k = mean of x_1, ..., x_k: depends on positions, so it is no permutation-equivariant map. L = B = 1.

    Errors as `mean_product`.
    """
    n, d = checks.whole("n", n, 1), checks.whole("d", d, 1)
    return Target(partial(_running_mean, n), n, d, group="trivial", lipschitz=1, bound=1, name="running_mean")


def cyclic_difference(n: int, d: int = 1) -> Target:
    """f(X)_k = x_k - x_{k+1}, indices modulo n: equivariant under rotations only. L = 2, B = 1 in the sup norm.

    Errors as `mean_product`.
    """
    n, d = checks.whole("n", n, 1), checks.whole("d", d, 1)
    return Target(partial(_cyclic_difference, n), n, d, group="cyclic", lipschitz=2, bound=1, name="cyclic_difference")


# Functions of the module, as only those can be pickled.


def _mean_product(n: int, X: N) -> N:
    return X * (X.sum(-1)[..., None] / n)


def _bump(n: int, d: int, X: N) -> N:
    w = X[..., :1, :1] * 0 + 1
    for i in range(d):
        for j in range(n):
            z = X[..., i : i + 1, j : j + 1]
            w = w * 4 * z * (1 - z)
    return w * (1 + X - X.sum(-1)[..., None] / n) / 2


def _running_mean(n: int, X: N) -> N:
    result = X / 1  # a copy, of floats where X holds integers
    total = X[..., :1].sum(-1)  # in integers of 64 bits where those of X are shorter
    for k in range(1, n):
        total = total + X[..., k]
        result[..., k] = total / (k + 1)
    return result


def _cyclic_difference(n: int, X: N) -> N:
    return X - X[..., [*range(1, n), 0]]
