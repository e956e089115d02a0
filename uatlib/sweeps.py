"""One function at many settings, one after the other or spread over an executor."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from typing import TypeVar

from . import checks
from .progress import progress

S = TypeVar("S")
R = TypeVar("R")

AHEAD = 32
"""Settings that an executor is given at once, so that a search may stop early."""


def sweep(
    f: Callable[[S], R],
    settings: Iterable[S],
    *,
    executor: Executor | None = None,
    label: str = "",
    total: int | None = None,
) -> Iterator[R]:
    """f(setting) for each of `settings`, in their order, with a bar if there is a `label`.

    The settings are made in this thread, a few ahead of the results, so that random ones are the same on every
    executor. What a search leaves over is not computed: `next(found for found in sweep(f, settings) if found)`.
    """
    if executor is not None:
        checks.instance("executor", executor, Executor, "take a ThreadPoolExecutor, for instance")
    results = map(f, settings) if executor is None else _ahead(f, iter(settings), executor)
    return progress(results, label, total) if label else results


def _ahead(f: Callable[[S], R], settings: Iterator[S], executor: Executor) -> Iterator[R]:
    while window := list(itertools.islice(settings, AHEAD)):
        yield from executor.map(f, window)
