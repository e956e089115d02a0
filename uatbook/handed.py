"""What is handed in, as plain data, which can tell nothing untrue: numbers, texts, lists.

It runs beside the code of a submission, so it imports no judge, and only what the submission itself has imported.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Rational
from pathlib import Path
from typing import Any, Protocol

MOST_TEXT = 100_000
"""Signs of a list, and entries of what a function returns."""

FLOATS = {"float64": 2.0**-50, "float32": 2.0**-21, "float16": 2.0**-10, "bfloat16": 2.0**-8}
"""By how much of itself a float may be off: some last places, or one where there are so few digits."""


MOST_DEEP = 32
"""Lists and objects within each other."""


def shallow(value: Any) -> bool:
    """Whether lists and objects of JSON lie at most MOST_DEEP within each other: Python gives up on deep ones."""
    level = [value]
    for _ in range(MOST_DEEP):
        parts = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, (dict, list))]
        level = list(itertools.chain.from_iterable(parts))
        if not level:
            return True
    return False


class Part(Protocol):
    """Of a `Field`, what is known where the code of a submission runs."""

    @property
    def kind(self) -> str:
        """What it is."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def tensors(self) -> bool:
        """Whether a function takes tensors for lists."""


def lists(value: Any) -> Any:
    """What NumPy and torch hold, as Python's lists and numbers; what is too large or cannot be read, as it is.

    A float of fewer digits than Python's says so: {"float32": 0.5}.
    """
    with contextlib.suppress(Exception):  # of a foreign class
        kind = str(value.dtype).removeprefix("torch.")
        found = value.tolist() if math.prod(value.shape) <= MOST_TEXT else value
        return _marked(found, kind) if kind in FLOATS and kind != "float64" else found
    return value


def _marked(value: Any, kind: str) -> Any:
    return [_marked(entry, kind) for entry in value] if isinstance(value, list) else {kind: value}


def plain(value: Any) -> Any:
    """Data of JSON alone: rationals as texts "p/q", arrays as lists; of other objects the name of their class."""
    model = sys.modules.get("uatlib.model")
    if model and isinstance(value, model.Transformer):
        with tempfile.TemporaryDirectory() as folder:
            value.save(file := Path(folder, "handed in"))
            return {"transformer": file.read_text(encoding="utf-8")}
    value = lists(value)
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Rational):
        return f"{value.numerator}/{value.denominator}" if value.denominator != 1 else int(value.numerator)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, Iterable):
        entries = list(itertools.islice(value, MOST_TEXT + 1))
        if len(entries) > MOST_TEXT:
            raise ValueError(f"what is handed in: expected at most {MOST_TEXT:,} entries, got more.")
        return [plain(entry) for entry in entries]
    return f"<{type(value).__name__}>"


def handed_in(fields: Sequence[Part], answer: Any, calls: Sequence[Sequence[Any]]) -> list[Any]:
    """An answer as plain data, an entry a field; a network as it is.

    Of a function its outcomes on the calls: {"value": ...}, or {"problem": ...} where it gives none. Several fields are
    handed in in their order, or by name. ValueError if there are more or fewer, or there is no function.
    """
    values = [answer]
    if len(fields) > 1:
        names = [part.name for part in fields]
        if isinstance(answer, Mapping) and {*answer} == {*names}:
            answer = [answer[name] for name in names]
        if not isinstance(answer, (list, tuple)) or len(answer) != len(fields):
            raise ValueError(f"answer: expected {len(fields)} things: {', '.join(names)}, got {_shown(answer)}.")
        values = list(answer)
    found = []
    for part, value in zip(fields, values, strict=True):
        if part.kind == "function":
            if not callable(value) or isinstance(value, type):
                raise ValueError(f"{part.name}: expected a function, got {_shown(value)}.")
            value = [_outcome(value, call, part.tensors) for call in calls]
        found.append(value)
    return found


def _shown(value: Any) -> str:
    with contextlib.suppress(Exception):  # of a foreign class
        text = repr(value)
        return text if len(text) <= 100 else f"{text[:100]} ..."
    return f"a {type(value).__name__}"


def _outcome(answer: Callable[..., Any], call: Sequence[Any], tensors: bool) -> dict[str, Any]:
    try:
        given = [_tensor(x) if tensors and isinstance(x, list) else x for x in call]
        return {"value": plain(answer(*given))}
    except TimeoutError:  # of whoever waits: the next call would take as long
        raise
    except Exception as error:
        return {"problem": f"{type(error).__name__}: {error}"[:300]}


def _tensor(values: list[Any]) -> Any:
    import torch

    return torch.tensor(values, dtype=torch.float64)
