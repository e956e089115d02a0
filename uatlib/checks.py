"""One parser for each kind of input.

An argument is parsed once, at the public door, into a type that is trusted inside. A parser takes the argument's name
and its value and returns the parsed value, or raises `ValueError`: "<name>: expected ..., got ...; what to do."
Numbers of NumPy count as Python's; bool is never a number.

    whole(name, value, least, most)      int            positive(name, value, most)    Fraction > 0
    rational(name, value, least, most)   Fraction       rationals(name, values, ndim)  object array of Fractions
    finite(name, value, least, most)     float          exponent(name, p, sup=True)    float p, 1 <= p <= inf
    number(name, value, least, most)     as it came     array(name, X, d, n)           array or tensor, as it came
    choice(name, value, options)         one of them    flag(name, value)              bool
    instance(name, value, type, hint)    the object     items(name, values, type)      tuple of such objects
    sequences(name, X, d, n)             array          function(name, f)              callable
    domain(name, value)                  (low, high)    permutations(name, values, n)  list of tuples
    seed(value)                          int            text(name, value)              str
    mapping(name, value)                 Mapping        path(name, value)              Path
    executor(value, *what)               Executor, or None
    called(name, f, *given)              f(*given)

They return nothing: `room(name, count, d, n)` refuses more numbers than one array holds, before any is made;
`either(first=..., second=...)` refuses none and both, `installed(extra, *modules)` what is not there.
`refused(name, expected, got, hint)` is the error for what only one function asks. Give `most` wherever the size of a
result grows with the argument.
"""

# mypy: implicit-reexport
from __future__ import annotations

import itertools
import math
import os
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from inspect import Parameter
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from .arithmetic.numbers import (  # noqa: F401
    FLOATS,
    MAX_NUMBERS,
    Number,
    double,
    entries,
    finite,
    finite_numbers,
    numbers,
    own,
    positive,
    rational,
    rationals,
    real,
    real_tensor,
    require_plain,
    whole,
)
from .arithmetic.shown import cut, is_array, is_plain_tensor, refused, shown  # noqa: F401

T = TypeVar("T")

MAX_ITEMS = 1_000_000
MAX_TEXT = 10_000


def installed(extra: str, *modules: str) -> None:
    """ModuleNotFoundError with the line that installs them, unless these modules are there."""
    for module in modules:
        if find_spec(module) is None:
            hint = f'pip install "uatlib[{extra}]", from where uatlib came'
            raise ModuleNotFoundError(f"expected {module}, which this part needs; {hint}.", name=module)


def choice(name: str, value: object, options: Sequence[T], hint: str = "") -> T:
    """The option that `value` is: same type, or strings, and equal."""
    for option in options:
        if type(option) is type(value) and option == value:
            return option
    *most, last = [f'"{o}"' if isinstance(o, str) else str(o) for o in options]
    expected = f"{', '.join(most)} or {last}" if most else last
    raise refused(name, expected if len(expected) <= 500 else f"{expected[:497]}...", value, hint)


def require_parameters(of: str, known: Iterable[Parameter], given: Mapping[str, object]) -> None:
    """ValueError unless those `given` are known, and none is missing that has no default."""
    names = {p.name: p.default is p.empty for p in known}
    wrong = [*sorted({*given} - {*names}), *(name for name in names if names[name] and name not in given)]
    if wrong:
        expected, got = (", ".join(part) or "none" for part in (names, sorted(given)))
        raise ValueError(f'{wrong[0]}: expected for "{of}" the parameters {expected}, got {got}.')


def flag(name: str, value: object, hint: str = "") -> bool:
    """A bool, NumPy's included."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise refused(name, "True or False", value, hint)


def text(name: str, value: object, hint: str = "") -> str:
    """A string of at most 10,000 characters."""
    if isinstance(value, str) and len(value) <= MAX_TEXT:
        return str(value)
    raise refused(name, f"a string of at most {MAX_TEXT:,} characters", value, hint)


def path(name: str, value: object) -> Path:
    """The path of a file."""
    if isinstance(value, (str, Path)) and 0 < len(str(value)) < MAX_TEXT and "\0" not in str(value):
        with suppress(UnicodeError):
            os.fsencode(value)
            return Path(value)
    raise refused(name, "the path of a file", value)


def mapping(name: str, value: object) -> dict[str, Any]:
    """A mapping whose keys are strings, at most a million of them, as a dict of its own."""
    if isinstance(value, Mapping):
        names = listed(name, value)
        if all(isinstance(key, str) for key in names):
            return {key: value[key] for key in names}
    raise refused(name, "a mapping from names to values", value)


def seed(value: object, name: str = "seed") -> int:
    """The seed of a random generator, an int from 0 to 2^63 - 1."""
    return whole(name, value, 0, 2**63 - 1)


def executor(value: object, *what: object) -> Executor | None:
    """What evaluates pieces of long work side by side, or None; one of processes only where `what` can be pickled."""
    if value is None:
        return None
    parsed = instance("executor", value, Executor, "take a ThreadPoolExecutor, or client.get_executor() of dask")
    if isinstance(parsed, ProcessPoolExecutor):
        try:
            pickle.dumps(what)
        except Exception as error:
            expected = f"a ThreadPoolExecutor, as not all that processes need can be pickled ({error})"
            raise refused(
                "executor", expected, value, "functions of a module can, lambdas and inner ones not"
            ) from None
    return parsed


def instance(name: str, value: object, kind: type[T], hint: str = "") -> T:
    """An object of the library, of the class `kind` or a subclass."""
    if isinstance(value, kind):
        return value
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    raise refused(name, f"{article} {kind.__name__}", value, hint)


def items(name: str, values: object, kind: type[T], hint: str = "", least: int = 1) -> tuple[T, ...]:
    """Objects of the class `kind`, from `least` to a million, in a list, a tuple or another iterable."""
    expected = f"a sequence of {kind.__name__}"
    found = listed(name, values, expected, hint)
    for item in found:
        if not isinstance(item, kind):
            raise refused(name, expected, item, hint)
    if len(found) < least:
        raise refused(name, f"at least one {kind.__name__}", values, hint)
    return tuple(found)


def listed(name: str, values: object, expected: str = "a sequence", hint: str = "", most: int = MAX_ITEMS) -> list[Any]:
    """What an iterable (no string) holds, at most a million things; of an array its rows."""
    if isinstance(values, np.ndarray):
        require_plain(values, name)
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes, memoryview, torch.Tensor)):
        raise refused(name, expected, values, hint)
    try:
        found = list(itertools.islice(values, most + 1))
    except TypeError:  # an array without axes
        raise refused(name, expected, values, hint) from None
    if len(found) > most:
        raise refused(name, f"at most {most:,} things", values, hint)
    return found


def function(name: str, f: object) -> Callable[..., Any]:
    """Something to be called; no class."""
    if callable(f) and not isinstance(f, type):
        return f
    raise refused(name, "a function", f)


def called(name: str, f: Callable[..., T], *given: object) -> T:
    """f(*given); ValueError where f does not take that.

    An error from within is the caller's own; one of the call itself, also where NumPy's code or Python's is called, has
    no step of its own in the traceback.
    """
    try:
        return f(*given)
    except Exception as error:
        if error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise
        said = f"it raised {type(error).__name__}: {str(error)[:200]}"
        raise refused(name, f"a function of {shown(given)}", f, said) from None


def number(name: str, value: object, least: Number | None = None, most: Number | None = None, hint: str = "") -> Number:
    """A number that floats hold, as Python's own int, Fraction or float."""
    finite(name, value, least, most, hint)
    return real(value)


def exponent(name: str, p: object, sup: bool = True, hint: str = "") -> float:
    """p of a norm as a float, 1 <= p <= inf; p = inf, the sup norm, only where `sup`."""
    if sup and isinstance(p, FLOATS) and p == math.inf:
        return math.inf
    try:
        return finite(name, p, 1)
    except ValueError:
        raise refused(name, f"1 <= p {'<=' if sup else '<'} inf", p, hint) from None


def domain(name: str, value: object) -> tuple[Number, Number]:
    """(low, high) in numbers of Python, low < high, both of moderate size."""
    ends = value.tolist() if isinstance(value, np.ndarray) and value.shape == (2,) else value
    if not isinstance(ends, (list, tuple)) or len(ends) != 2:
        raise refused(name, "(low, high) with low < high, both finite", value)
    low, high = (number(name, end) for end in ends)
    if not low < high:
        raise refused(name, "(low, high) with low < high", (low, high))
    return low, high


def either(**given: object) -> None:
    """Exactly one of the two named values is there, the other None."""
    (first, a), (second, b) = given.items()
    if (a is None) == (b is None):
        raise ValueError(f"{first}: expected either {first} or {second}, got {'none' if a is None else 'both'}.")


def room(name: str, count: int, d: int, n: int, most: int = MAX_NUMBERS) -> None:
    """`count` sequences of shape (d, n) have few enough numbers, by default for one array."""
    if count * d * n > most:
        got = f"{shown(count)} sequences of {shown(d)} x {shown(n)}; choose fewer or smaller ones"
        raise ValueError(f"{name}: expected at most {most:,} numbers at once, got {got}.")


TRANSPOSE = "transpose it if its rows are tokens"


def require_shape(
    X: np.ndarray | torch.Tensor, d: int | None, n: int | None, what: str = "X", hint: str = TRANSPOSE
) -> None:
    """ValueError unless X has shape (..., d, n), where None is any, and is not empty."""
    shape = tuple(X.shape)
    if X.ndim < 2 or 0 in shape or (d or shape[-2], n or shape[-1]) != shape[-2:]:
        expected = f"shape (..., {d or 'd'}, {n or 'n'}) with columns as tokens, not empty"
        raise refused(what, expected, shape, hint)


def sequences(name: str, X: object, d: int | None = None, n: int | None = None) -> np.ndarray:
    """X as an array of shape (..., d, n), not empty, in ints, finite floats, or objects int, Fraction and float."""
    array = numbers(X, name)
    require_shape(array, d, n, name)
    return finite_numbers(name, array)


def array(name: str, X: object, d: int, n: int) -> np.ndarray | torch.Tensor:
    """X itself, an array or a tensor of shape (..., d, n) with numbers in it; beside floats all must fit a float."""
    if not is_array(X) or tuple(X.shape[-2:]) != (d, n):
        raise refused(name, f"an array or tensor of shape (..., {d}, {n}) with columns as tokens", X)
    if isinstance(X, torch.Tensor):
        return real_tensor(X, name)
    if numbers(X, name).dtype == object:
        parsed = entries(X, name, real)
        if any(type(entry) is float for entry in parsed.flat):
            entries(X, name, double)
    return X


def permutations(name: str, values: object, n: int) -> list[tuple[int, ...]]:
    """Permutations of 0, ..., n - 1; an empty list of them, too."""
    expected = f"permutations of 0, ..., {n - 1}"
    found = []
    for value in listed(name, values, f"a list of {expected}"):
        images = numbers(value, name).tolist() if isinstance(value, (np.ndarray, torch.Tensor)) else value
        if not isinstance(images, (list, tuple)) or len(images) != n:
            raise refused(name, expected, value)
        found.append(tuple(whole(name, image, 0, n - 1) for image in images))
        if len(set(found[-1])) != n:
            raise refused(name, expected, value)
    return found
