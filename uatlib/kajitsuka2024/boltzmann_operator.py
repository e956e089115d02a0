"""The Boltzmann operator boltz(a) = sum_i a_i softmax(a)_i: its derivatives, and where they have a sign.

A head of attention whose keys, queries and values are one number for each token lets token k hear the Boltzmann
operator of its scores, up to a factor. A vector a runs along the last axis: shape (..., n), all leading axes are a
batch. (The scores of a layer stand in columns: pass their transpose.) Every function runs in FLOAT64, FLOAT32 and BALL.

Source: kajitsuka2024, Definition 3 and section B.2. The exact thresholds and their proofs are ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
import torch

from ..arithmetic import BALL, FLOAT32, FLOAT64, Arithmetic, Ball
from ..arithmetic.numbers import FLOAT_RANGE, entries, fraction, numbers
from ..checks import flag, instance, shown, whole
from ..internal.shapes import Numbers
from ..masks import booleans

MAX_HESSIAN = 10_000_000

# ---------------------------------------------------------------------------------------- the operator, its derivatives


def boltz(a: Numbers, mask: object = None, *, system: Arithmetic | None = None) -> Any:
    """sum_i a_i p_i with p = softmax(a), computed as m + sum_i (a_i - m) p_i with m = max_i a_i: no overflow.

    Parameters
    ----------
    a : numbers, shape (..., n)
    mask : booleans of a shape that broadcasts to that of a, True for visible entries; the others are left out. (In the
        source they get -inf added, and eq. (133) then has 0 times -inf, which floats call NaN.)
    system : FLOAT64, FLOAT32 or BALL. Without it: BALL for balls, FLOAT32 for float32, else FLOAT64

    Returns
    -------
    Shape (...): a tensor for a tensor, balls in BALL, and NumPy otherwise.

    Raises
    ------
    ValueError
        `a` is no array of finite numbers, the mask is not of booleans, does not fit or hides a whole vector, the system
        is none or has no exp, or its device is not there.

    Source: kajitsuka2024, Definition 3; masks as in appendix C.
    """
    return _evaluate(lambda s: s.shift + (s.above * s.p).sum(-1), a, mask, system)


def gradient(a: Numbers, mask: object = None, *, system: Arithmetic | None = None) -> Any:
    """p_i (1 + a_i - boltz(a)), shape (..., n) to (..., n); 0 at masked entries. Its entries sum to 1.

    Parameters, errors as `boltz`. Source: kajitsuka2024, Lemma 4, with log p_i + S(p) = a_i - boltz(a).
    """
    return _evaluate(lambda s: s.p * s.slopes(), a, mask, system)


def second_derivative(a: Numbers, mask: object = None, *, system: Arithmetic | None = None) -> Any:
    """p_i ((1 - 2 p_i) c_i + 1) with c_i = 1 + a_i - boltz(a), the diagonal of `hessian`: shape (..., n).

    Parameters, errors as `boltz`. Source: kajitsuka2024, eq. (97).
    """
    return _evaluate(lambda s: s.p * ((1 - 2 * s.p) * s.slopes() + 1), a, mask, system)


def hessian(a: Numbers, mask: object = None, *, system: Arithmetic | None = None) -> Any:
    """[i = j] p_i (c_i + 1) - p_i p_j (c_i + c_j) with c_i = 1 + a_i - boltz(a): shape (..., n) to (..., n, n).

    Its rows sum to 0, its diagonal is `second_derivative`. Parameters, errors as `boltz`, and ValueError for more than
    10,000,000 entries. Source: ours, by one more derivative of kajitsuka2024, Lemma 4.
    """

    def value(s: _Softmax) -> Any:
        p, c, n = s.p, s.slopes(), s.p.shape[-1]
        if math.prod(p.shape) * n > MAX_HESSIAN:
            raise ValueError(f"a: expected at most {MAX_HESSIAN:,} entries of the Hessian, got shape {tuple(p.shape)}.")
        unit = torch.eye(n, dtype=p.dtype, device=p.device) if isinstance(p, torch.Tensor) else np.eye(n, dtype=int)
        products = p[..., :, None] * p[..., None, :]
        return unit * (p * (c + 1))[..., None] - products * (c[..., :, None] + c[..., None, :])

    return _evaluate(value, a, mask, system)


def log_partition(a: Numbers, mask: object = None, *, system: Arithmetic | None = None) -> Any:
    """L(a) = log sum_i e^{a_i}, shape (..., n) to (...). As `boltz`. Source: kajitsuka2024, eq. (81)."""
    return _evaluate(lambda s: s.shift + s.log_sum, a, mask, system)


def entropy(a: Numbers, mask: object = None, *, system: Arithmetic | None = None) -> Any:
    """S(p) = -sum_i p_i log p_i of p = softmax(a), shape (..., n) to (...): L(a) - boltz(a), by eq. (85).

    Computed of a - max a, where both are sums of numbers of one sign: right to rounding even near 0. As `boltz`.
    Source: kajitsuka2024, eq. (82).
    """
    return _evaluate(lambda s: s.log_sum - (s.above * s.p).sum(-1), a, mask, system)


class _Softmax(NamedTuple):
    """A vector a in native numbers: its shift m, a - m, p = softmax(a), 0 where it is masked, and log sum e^{a - m}."""

    shift: Any
    above: Any
    p: Any
    log_sum: Any

    def slopes(self) -> Any:
        """c_i = 1 + a_i - boltz(a)."""
        return 1 + self.above - (self.above * self.p).sum(axis=-1, keepdims=True)


def _evaluate(value: Callable[[_Softmax], object], a: object, mask: object, system: Arithmetic | None) -> Any:
    """`value` of the parts of a, as a tensor for a tensor, as balls in BALL, and NumPy's otherwise."""
    known = _system_of(a) if system is None else instance("system", system, Arithmetic, "take FLOAT64 or BALL")
    system = known.beside(a)
    with system.context():
        t = system.array(a, "a")
        if t.ndim < 1 or 0 in t.shape:
            raise ValueError(f"a: expected shape (..., n), not empty, got {tuple(t.shape)}.")
        shift, powers = system.exponentials(t, None if mask is None else _visible(mask, tuple(t.shape)))
        # The weights of the others are 0 in either system, and 0 times a finite entry is 0.
        p = powers / powers.sum(axis=-1, keepdims=True)
        result = value(_Softmax(shift[..., 0], t - shift, p, system.log_sum(powers)))
        if isinstance(t, torch.Tensor):
            tensor = system.output(result)
            return tensor if isinstance(a, torch.Tensor) else tensor.numpy(force=True)[()]
        return system.output(np.asarray(result, dtype=object))[()]


def _system_of(a: object) -> Arithmetic:
    if isinstance(a, (torch.Tensor, np.ndarray)) and a.dtype != object:
        return FLOAT32 if str(a.dtype).endswith("float32") else FLOAT64
    return BALL if any(isinstance(entry, Ball) for entry in numbers(a, "a").flat) else FLOAT64


def _visible(mask: object, shape: tuple[int, ...]) -> np.ndarray:
    """The mask as booleans of that shape; ValueError if it is none, does not fit, or hides a whole vector."""
    array = booleans(mask)
    try:
        visible = np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"mask: expected a shape that broadcasts to {shape}, got {array.shape}.") from None
    if not visible.any(-1).all():
        place = [int(i) for i in np.argwhere(~visible.any(-1))[0]]
        raise ValueError(f"mask: expected a visible entry in every vector, got none in {place or 'it'}.")
    return visible.copy()


# ----------------------------------------------------------------------------------------------------------- thresholds


def monotone_threshold(n: int, exact: bool = False) -> float:
    """A T such that boltz(a) falls in a_i wherever a_i < max a - T: log n + 1, or the least such T.

    The least is T = 1 + W((n - 1)/e), with Lambert's W: W(x) e^{W(x)} = x. The book has the proof.

    Raises
    ------
    ValueError
        n is no int >= 2.

    Source: kajitsuka2024, Lemma 4 (log n + 1); the least T is ours.
    """
    n = length(n)
    if not flag("exact", exact):
        return math.log(n) + 1
    with BALL.context():
        return float(1 + (flint.arb(n - 1) / flint.arb(1).exp()).lambertw())


# ------------------------------------------------------------------------------------------------- the separation bound


def length(n: int, name: str = "n", most: int | None = None) -> int:
    """The number of tokens, at least 2."""
    return whole(name, n, 2, most, "a lone token has no context")


def vector_of(values: Numbers, name: str) -> list[Fraction]:
    """The entries as Fractions; ValueError unless they are numbers in one row, of at most 2^1000 in size."""
    array = entries(values, name, _bounded)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name}: expected a vector of numbers, not empty, got shape {array.shape}.")
    return list(array)


def _bounded(value: object) -> Fraction:
    if abs(number := fraction(value)) > 2**FLOAT_RANGE:
        raise ValueError(f"expected at most 2^{FLOAT_RANGE} in size, got {shown(number)}.")
    return number
