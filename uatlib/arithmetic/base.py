"""What every number system offers, and how input becomes an array."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Self

import numpy as np
import torch

Native = Any
"""An array in a number system's own representation; only the system that made it may read it."""


class Undecided(ArithmeticError):
    """Two enclosures overlap, so which number is larger cannot be told at this precision."""


class Overflow(ValueError):
    """A number, or a number that an operation could produce, does not fit the number system."""


class Arithmetic:
    """A number system. Users pass one to a model; subclasses implement the operations of the forward pass."""

    name: str

    def __repr__(self) -> str:
        return self.name

    def context(self) -> AbstractContextManager[Any]:
        """What must be in force while native numbers are computed (the working precision of balls)."""
        return contextlib.nullcontext()

    def beside(self, X: Any) -> Self:
        """This system on the device of X, if X is a tensor and no device was named."""
        return self

    def array(self, values: Any, what: str = "X") -> Native:
        """`values` in this system; `what` names them in the errors (`ValueError`: not numbers, NaN, too large)."""
        raise NotImplementedError

    def weight(self, values: Any, what: str, *, has_unit: bool) -> Native:
        """A model's weight in this system. Biases and breakpoints carry the unit of X, factors do not."""
        return self.array(values, what)

    def output(self, native: Native) -> Any:
        """What the user gets: Fractions (EXACT), Balls (BALL) or a tensor."""
        raise NotImplementedError

    def matmul(self, a: Native, b: Native) -> Native:
        """Matrix product over the last two axes."""
        raise NotImplementedError

    def transpose(self, a: Native) -> Native:
        """Exchange the last two axes."""
        raise NotImplementedError

    def add(self, a: Native, b: Native) -> Native:
        """Sum, with broadcasting."""
        raise NotImplementedError

    def relu(self, t: Native) -> Native:
        """max(t, 0)."""
        raise NotImplementedError

    def piecewise(self, t: Native, breakpoints: Native, slopes: Native, intercepts: Native) -> Native:
        """slopes[k] t + intercepts[k], where k counts the breakpoints c (ascending) with c <= t."""
        raise NotImplementedError

    def softmax_mix(self, values: Native, scores: Native) -> Native:
        """values @ softmax(scores), softmax down the columns."""
        raise NotImplementedError

    def hardmax_mix(self, values: Native, scores: Native) -> Native:
        """values @ hardmax(scores), down the columns; k tied entries get weight 1/k, divided after summing."""
        raise NotImplementedError


def numbers(values: Any, what: str, *, dtype: Any = None) -> np.ndarray:
    """`values` as a NumPy array of numbers, whatever they came in."""
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu().numpy()
    # A list goes through dtype=object first: NumPy would turn large ints of mixed sign into floats.
    try:
        source = values if isinstance(values, np.ndarray) else np.array(values, dtype=dtype)
    except ValueError:
        raise ValueError(f"{what}: expected a rectangular array of numbers, got lists of unequal lengths.") from None
    if source.dtype.kind not in "iufO":
        raise ValueError(f"{what}: expected an array of numbers, got an array of {source.dtype}.")
    return source


def entries(values: Any, what: str, make: Callable[[Any], Any]) -> np.ndarray:
    """An object array of `make(entry)`; an error names the entry's place."""
    source = numbers(values, what, dtype=object)
    result = np.empty(source.size, dtype=object)
    for k, entry in enumerate(source.ravel().tolist()):
        try:
            result[k] = make(entry)
        except ValueError as error:
            place = ", ".join(str(int(i)) for i in np.unravel_index(k, source.shape))
            raise type(error)(f"{what}[{place}]: {error}") from None
    return result.reshape(source.shape)
