"""Calls of public names with wrong arguments: what is put in their places, and how an answer is judged.

A call starts from a valid one of `public_names.EXAMPLES`; one argument, or two or three, are replaced by something of
another kind, or by something near. The answer must be a value or a refusal: a `ValueError` that says what was expected
and names an argument, in at most 600 characters, or an exception that the docstring names. All else is a fault: another
exception, a warning, more than 5 s of the processor, more than 2 GiB.
"""

from __future__ import annotations

import inspect
import itertools
import math
import re
import resource
import signal
import warnings
from collections import UserDict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import torch

from uatlib.arithmetic import BALL, EXACT, FLOAT64, INT64, Ball, Undecided
from uatlib.arithmetic.shown import shown
from uatlib.grids import Grid
from uatlib.layers import Attention, FeedForward, Head, ThreePiece
from uatlib.masks import causal
from uatlib.model import Transformer
from uatlib.targets import mean_product

SECONDS, BYTES, LONGEST = 5, 2 * 2**30, 600


@dataclass
class Example:
    """A valid call: the function and its arguments by name. `allowed`: exceptions that its docstring documents."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    parameters: dict[str, inspect.Parameter] = field(repr=False)

    def call(self, arguments: dict[str, Any]) -> Any:
        """The function with these arguments, each in its place; what it yields is used up."""
        given, named = [], {}
        for name, value in arguments.items():
            kind = self.parameters[name].kind if name in self.parameters else inspect.Parameter.KEYWORD_ONLY
            if kind is inspect.Parameter.VAR_POSITIONAL:
                given.extend(value if isinstance(value, tuple) else (value,))
            elif kind is inspect.Parameter.KEYWORD_ONLY:
                named[name] = value
            else:
                given.append(value)
        result = self.function(*given, **named)
        return list(itertools.islice(result, 10**4)) if isinstance(result, Iterator) else result

    @property
    def documented(self) -> tuple[type[BaseException], ...]:
        """Exceptions, besides ValueError, that the docstring names."""
        text = f"{inspect.getdoc(self.function)} {inspect.getdoc(getattr(self.function, '__self__', None))}"
        return tuple(kind for kind in (Undecided, KeyError, OSError) if kind.__name__ in text)


def example(function: Callable[..., Any], *given: Any, **named: Any) -> Example:
    """The call ``function(*given, **named)``, with the defaults filled in."""
    signature = inspect.signature(function)
    bound = signature.bind(*given, **named)
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            arguments |= arguments.pop(name)
    return Example(function, arguments, dict(signature.parameters))


# ----------------------------------------------------------------------------------------------------- what is put in


class Shy:
    """An object whose repr raises."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Short(int):
    """A subclass of int with a long repr."""

    def __repr__(self) -> str:
        return "x" * 10**6


class Untrue:
    """An object without a truth value, a length or an equal."""

    def _raise(self, *_: Any) -> Any:
        raise RuntimeError("no")

    __repr__ = __len__ = __bool__ = __eq__ = __hash__ = _raise


class Plain(torch.Tensor):
    """A subclass of tensors that does all that they do."""


class Hollow(torch.Tensor):
    """A subclass of tensors without numbers, that does nothing."""

    @staticmethod
    def __new__(cls, shape: tuple[int, ...]) -> Hollow:
        return torch.Tensor._make_wrapper_subclass(cls, shape)  # type: ignore[attr-defined]

    @classmethod
    def __torch_dispatch__(cls, f: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError(str(f))


class Liar(Mapping):
    """A mapping that has other names than it says."""

    def __getitem__(self, name: str) -> Any:
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return itertools.cycle(["a", "n", "source"])

    def __len__(self) -> int:
        return 0


class Endless(list):
    """A list that says other things than it holds, without end."""

    def __iter__(self) -> Iterator[int]:
        return itertools.repeat(0)


class Row:
    """What NumPy takes for a sequence; there is no end of it."""

    def __getitem__(self, place: int) -> int:
        return 0

    def __len__(self) -> int:
        return 10**12


def nested(layout: Any = torch.strided) -> torch.Tensor:
    """Two tensors of different sizes in one."""
    return torch.nested.nested_tensor([torch.ones(1, 2), torch.ones(2, 2)], layout=layout)


def endless(times: int) -> list:
    """A list that holds itself."""
    inner: list = []
    inner.extend([inner] * times)
    return inner


def structured() -> np.ndarray:
    """An array of records."""
    return np.zeros(2, dtype=[("a", int), ("b", float)])


NUMBERS: list[Any] = [0, 1, -1, 2, 3, 7, 64, 1000, 10**6, 10**9, 10**30, -(10**30), 10**400, 10**5000, 2**31, 2**63]
NUMBERS += [math.nan, math.inf, -math.inf, 1e308, -1e308, 1e200, 1e-320, -0.0, 0.5, 2.0, -2.5, True, False, np.True_]
NUMBERS += [np.int8(-128), np.int8(3), np.uint8(200), np.int64(2), np.int64(-1), np.uint64(2**63), np.float16(2)]
NUMBERS += [np.float32(2.5), np.float64("nan"), np.longdouble("0.1"), Fraction(1, 3), Fraction(-7, 2), Fraction(2)]
NUMBERS += [Fraction(1, 10**400), Fraction(10**400), Decimal("0.1"), Decimal("NaN"), 1j, np.complex128(1j), Short(3)]
NUMBERS += [Fraction(np.uint8(200), np.uint8(255)), np.datetime64("2020-01-01"), np.timedelta64(1, "s")]

THINGS: list[Callable[[], Any]] = [
    lambda: None, lambda: "", lambda: "a", lambda: "x" * 10**6, lambda: "\x00", lambda: "1", lambda: b"x",
    object, Shy, lambda: Shy, lambda: int, lambda: math, lambda: ValueError("x"), lambda: ..., lambda: NotImplemented,
    lambda: (lambda: None), lambda: (lambda X: X), lambda: (lambda X: None), lambda: (lambda X: "a"),
    lambda: (lambda X: X[0]), lambda: (lambda X: X * math.nan), lambda: (lambda X: [X]), lambda: (lambda X: X > 0),
    lambda: (lambda X: X * 10**400), lambda: len, lambda: np.sin,
    lambda: iter([]), lambda: iter([1]), lambda: (x for x in ([[1]],)), itertools.count, lambda: itertools.repeat([0]),
    lambda: range(3), lambda: range(10**12), dict, lambda: {1: 2}, lambda: {"a": None}, set, lambda: {1}, lambda: [],
    tuple, lambda: [[]], lambda: [[[]]], lambda: [None], lambda: ["a"], lambda: [1, "a"], lambda: [1], lambda: [0, 1],
    lambda: (1, 0), lambda: [[1], [1, 2]], lambda: [[1, 2]], lambda: [[0, 1], [1, 0]], lambda: [True], lambda: [[1.5]],
    lambda: [math.nan], lambda: [[10**400]], lambda: [Fraction(1, 2)], lambda: [Decimal(1)], lambda: [Shy()],
    lambda: endless(1), lambda: endless(20), lambda: [0] * 1000, lambda: [[0] * 300] * 300,
    lambda: np.array([]), lambda: np.zeros((0, 3)), lambda: np.zeros((2, 0)), lambda: np.array(1.5), lambda: np.eye(2),
    lambda: np.eye(3, dtype=int), lambda: -np.eye(2, dtype=np.int8), lambda: np.full((1, 2), math.nan),
    lambda: np.full((1, 2), -math.inf), lambda: np.array([["a"]]), lambda: np.array([[None]], dtype=object),
    lambda: np.array([[True, False]]), lambda: np.ones((1, 2), dtype=bool), lambda: np.zeros((1, 2), dtype=np.uint8),
    lambda: np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]), lambda: np.asmatrix(np.eye(2)),
    lambda: np.ones((1, 2), dtype=np.longdouble), lambda: np.ones((1, 2), dtype=complex), structured,
    lambda: np.broadcast_to(0, (10**6, 10**6)), lambda: np.broadcast_to(0.5, (10**9, 1, 2)),
    lambda: np.array([[Fraction(1, 3), 0.5]]), lambda: np.array([[Ball(1), 2]], dtype=object),
    lambda: np.full((1, 2), 1e308), lambda: np.zeros((1,) * 20), lambda: np.ones((1, 2)), lambda: np.ones((2, 2)),
    lambda: torch.zeros(0), lambda: torch.tensor(1), lambda: torch.eye(2), lambda: torch.ones(1, 2),
    lambda: torch.eye(2).to_sparse(), lambda: torch.ones(1, 2, dtype=torch.bool), lambda: torch.ones(1, 2).long(),
    lambda: torch.ones(1, 2, dtype=torch.complex64), lambda: torch.ones(1, 2, requires_grad=True),
    lambda: torch.ones(1, 2, dtype=torch.bfloat16), lambda: torch.ones(1, 2, device="meta"),
    lambda: torch.full((1, 2), math.nan), lambda: torch.zeros(1).expand(10**6, 10**6), lambda: torch.float64,
    lambda: torch.ones(1, 2, dtype=torch.uint8), lambda: torch.nn.Linear(1, 1), lambda: np.random.default_rng(0),
    lambda: EXACT, lambda: BALL, lambda: FLOAT64, lambda: INT64, lambda: BALL.with_bits(16), lambda: Ball(1),
    lambda: Ball(0, 1), lambda: Grid(2, 2, 1), lambda: mean_product(2), lambda: Path("nowhere"), lambda: causal(2),
    lambda: Head([[1]], [[1]], [[1]], [[1]]), lambda: FeedForward([[1]], [0], [[1]]),
    lambda: ThreePiece((0, 1), (0, 1, 0), (0, 0, 0)), lambda: Transformer([FeedForward([[1]], [0], [[1]])]),
    lambda: Attention([Head([[1]], [[1]], [[1]], [[1]])], "hardmax"),
    Endless, lambda: UserDict({0: "a"}),
    Untrue, lambda: [Untrue()], Liar, Row, lambda: [Row()], lambda: deque([[1, 2]]), lambda: memoryview(WIDE),
    lambda: {"n": Untrue()}, lambda: {"x" * 10**5: 1}, lambda: ["x" * 10**5] * 3, lambda: "x" * 10**5,
    lambda: nested(), lambda: nested(torch.jagged), lambda: [nested()], lambda: torch.nn.Parameter(nested()),
    lambda: torch.ones(1, 2).as_subclass(Plain), lambda: Hollow((1, 2)), lambda: [Hollow((1, 2))],
    lambda: torch.nn.UninitializedParameter(), lambda: torch.nn.Parameter(torch.ones(1, 2)),
    lambda: torch.ones(1, 2).to(torch.float8_e4m3fn), lambda: torch.ones(1, 2).to(torch.float8_e5m2),
    lambda: torch.quantize_per_tensor(torch.ones(1, 2), 0.1, 0, torch.qint8), lambda: torch.eye(2).to_sparse_csr(),
    lambda: torch.ones(1, 2).to_mkldnn(), lambda: torch.ones(1, 2).half(), lambda: torch.ones(1, 2).to(torch.uint16),
    lambda: torch.ones(2, 2, dtype=torch.int64, device="meta"), lambda: torch.zeros((), dtype=torch.int64),
    lambda: torch.zeros(1, dtype=torch.uint8).expand(10**9, 1, 1000), lambda: torch.ones(2)[None, None].mH,
    lambda: [WIDE], lambda: (WIDE, 1), lambda: [[0.5] * 10**4] * 10**4, lambda: [range(10**7)] * 10,
    lambda: np.broadcast_to(0.5, (1, 10**12)), lambda: np.broadcast_to(True, (10**6, 10**6)),
    lambda: np.broadcast_to(np.array(Fraction(1, 2), dtype=object), (10**6, 10**6)), lambda: range(2**62),
    lambda: np.broadcast_to("a", 10**12),
    lambda: itertools.repeat(WIDE), lambda: itertools.cycle("ab"), lambda: (i for i in itertools.count()),
    lambda: 2**10**6, lambda: -(2**10**6), lambda: [2**10**6], lambda: Fraction(1, 3**10**5),
    lambda: "/dev/zero", lambda: Path("/dev/zero"), lambda: "/dev/full", lambda: "\ud800", lambda: "/" + "a" * 9000,
]  # fmt: skip
WIDE = np.broadcast_to(0, (10**6, 10**6))


def foreign(rng: np.random.Generator) -> Any:
    """Anything."""
    return NUMBERS[rng.integers(len(NUMBERS))] if rng.random() < 0.4 else THINGS[rng.integers(len(THINGS))]()


def near(value: Any, rng: np.random.Generator) -> Any:
    """Something like `value`: another type or size, a shape or an entry that is off."""
    if isinstance(value, bool) or value is None:
        return foreign(rng)
    if isinstance(value, (int, float, Fraction)):
        return _near_number(value, rng)
    if isinstance(value, str):
        return ["", value.upper(), value + " ", value.encode(), [value], np.str_(value)][rng.integers(6)]
    if isinstance(value, (list, tuple)):
        return _near_list(value, rng)
    if isinstance(value, (np.ndarray, torch.Tensor)):
        return _near_array(np.asarray(value), rng)
    return [[value], None, type(value), lambda *_: value][rng.integers(4)]


def _near_number(value: Any, rng: np.random.Generator) -> Any:
    small = int(value) if -128 <= value < 127 and math.isfinite(value) else 3
    others = [
        value + 1,
        value - 1,
        -value,
        2 * value,
        0,
        str(value),
        [value],
        Fraction(value) if math.isfinite(value) else 1,
    ]
    others += [np.int8(small), np.int64(small), np.uint8(abs(small)), np.float32(small)]
    others += [float(small), 100 * value]
    others += [np.array(value), torch.tensor(float(value)), Decimal(small), complex(small), bool(small), value * 10**12]
    return others[rng.integers(len(others))]


def _near_list(value: Any, rng: np.random.Generator) -> Any:
    items = list(value)
    kind = rng.integers(9)
    if not items or kind == 0:
        return [[], None, [items]][rng.integers(3)]
    place = int(rng.integers(len(items)))
    if kind <= 3:
        items[place] = near(items[place], rng) if rng.random() < 0.5 else foreign(rng)
    elif kind == 4:
        items.append(items[0])
    elif kind == 5:
        items.pop(place)
    elif kind == 6:
        return iter(items)
    elif kind == 7:
        return np.array([*items, None], dtype=object)[:-1]
    return tuple(items) if isinstance(value, list) else items


def _near_array(value: np.ndarray, rng: np.random.Generator) -> Any:
    array = value.copy()
    kind = int(rng.integers(16)) if array.ndim else 5
    with np.errstate(all="ignore"):
        if kind == 0:
            return array.T
        if kind == 1:
            return array[:0]
        if kind == 2:
            return array[..., :0]
        if kind == 3:
            return array[None]
        if kind == 4:
            return array[0] if array.ndim else array
        if kind == 5:
            return array.tolist()
        if array.dtype.kind not in "iufb" and kind in (6, 9, 11, 12):
            return array[..., ::-1]
        if kind == 6:
            return torch.tensor(array.astype(float)).to_sparse()
        if kind == 7:
            return np.ma.masked_array(array, mask=np.ones(array.shape, dtype=bool))
        if kind == 8 and array.dtype.kind in "iuf":
            return array.astype(
                [np.int8, np.uint8, np.float16, np.float64, np.longdouble, bool, complex][rng.integers(7)]
            )
        if kind == 9:
            return torch.tensor(array.astype(float), requires_grad=True)
        if kind == 10:
            return np.concatenate([array, array], axis=-1) if array.ndim else array
        if kind == 11:
            return array.astype(float) * 1e300
        if kind == 12:
            return torch.tensor(array.astype(float)).to(torch.bfloat16)
        holes = array.astype(object)
        if holes.size:
            hole = foreign(rng) if kind < 15 else [math.nan, 10**400, -1][rng.integers(3)]
            is_many = isinstance(hole, (list, tuple, np.ndarray, torch.Tensor))
            holes.reshape(-1)[int(rng.integers(holes.size))] = None if is_many else hole
        return holes


def spoiled(arguments: dict[str, Any], rng: np.random.Generator) -> tuple[dict[str, Any], list[str]]:
    """The arguments with one to three of them replaced, and which."""
    count = min(len(arguments), int(rng.choice([1, 1, 1, 1, 2, 2, 3])))
    names = [list(arguments)[i] for i in rng.choice(len(arguments), count, replace=False)]
    replaced = dict(arguments)
    for name in names:
        replaced[name] = near(arguments[name], rng) if rng.random() < 0.5 else foreign(rng)
    return replaced, names


# --------------------------------------------------------------------------------------------------------- the judge


class TooSlow(BaseException):
    """A call took more than its time."""


@contextmanager
def limits() -> Iterator[None]:
    """5 s of the processor and 2 GiB beyond what is taken; TooSlow and MemoryError beyond."""

    def stop(*_: Any) -> None:
        raise TooSlow

    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    old = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGPROF, stop)
    resource.setrlimit(resource.RLIMIT_AS, (taken + BYTES, old[1]))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, old)


def _is_of_a_given_function(error: BaseException) -> bool:
    """Whether a function that the caller gave raised it: that is the caller's own error."""
    place, mine = error.__traceback__, None
    while place is not None:
        place, mine = place.tb_next, place.tb_frame.f_code
    return mine is not None and mine.co_filename == __file__ and mine.co_name == "<lambda>"


def fault(error: BaseException | None, case: Example, spoiled_names: list[str]) -> str:
    """What is wrong with this outcome; nothing if the text is empty."""
    if error is None or isinstance(error, case.documented) or _is_of_a_given_function(error):
        return ""
    if isinstance(error, TooSlow):
        return "over 5 s"
    if isinstance(error, MemoryError) or "allocate memory" in str(error):
        return "over 2 GiB"
    if not isinstance(error, ValueError) or isinstance(error, UnicodeError):
        return f"raw {type(error).__name__}"
    text = str(error)
    if type(error) is ValueError and not re.search(r"expected|\btakes\b|cannot run", text):
        return "a ValueError without what was expected"
    if len(text) > LONGEST:
        return "a message that is too long"
    singular = [name.removesuffix("s") for name in spoiled_names]
    if any(re.search(rf"(?<![A-Za-z_]){re.escape(name)}s?(?![A-Za-z_])", text) for name in singular):
        return ""
    if any(str(value) in text for value in (EXACT, BALL, FLOAT64, INT64)):
        return ""
    # What has a name is called by it.
    called = case.arguments.get("name")
    others = "|".join(map(re.escape, [*case.arguments, *([called] if isinstance(called, str) and called else [])]))
    return "" if re.match(rf"([\w.]+:? )?(expected )?({others})(\W|$)", text) else "a message that names no argument"


def attempt(case: Example, arguments: dict[str, Any], names: list[str]) -> tuple[str, str]:
    """The fault of a call, or nothing, and what came: the refusal, or that there was none."""
    error: BaseException | None = None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with warnings.catch_warnings(), limits():
            warnings.simplefilter("error")
            # A function of floats that overflows says so, and gives infinity.
            warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)
            warnings.filterwarnings("ignore", "invalid value encountered", RuntimeWarning)
            case.call(arguments)
    except (Exception, TooSlow) as caught:
        error = caught
    came = "a value" if error is None else f"{type(error).__name__}: {str(error)[:300]}"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
    # What ran out of memory may be refused in the end, in good words.
    hidden = "over 1 GiB for a refusal" if isinstance(error, ValueError) and grown > 2**20 else ""
    return fault(error, replace(case, arguments=arguments), names) or hidden, came


def described(value: Any) -> str:
    """A value in a report."""
    return f"{type(value).__name__} {shown(value)}"


def try_once(name: str, make: Callable[[], Example], seed: int) -> tuple[str, str, str]:
    """Call number `seed` of a public name: its fault, what came, and what was put in."""
    rng = np.random.default_rng([seed, *name.encode()])
    case = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments, names = spoiled(case.arguments, rng)
    wrong, came = attempt(case, arguments, names)
    return wrong, came, ", ".join(f"{key} = {described(arguments[key])}" for key in names)
