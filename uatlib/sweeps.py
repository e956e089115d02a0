"""One function at many settings, one after the other or spread over an executor.

Results are the same either way. Threads help where NumPy or torch compute; EXACT and BALL are Python, for which
processes are the thing: then the function and the settings are pickled, which lambdas and inner functions cannot be.
"""

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

    Raises
    ------
    ValueError
        f cannot be called, settings are no iterable, label is no text; executor is neither None nor one, or one of
        processes and f cannot be pickled.
    """
    executor = checks.executor(executor, checks.function("f", f))
    if not isinstance(settings, Iterable):
        raise checks.refused("settings", "an iterable", settings)
    checks.text("label", label)
    results = map(f, settings) if executor is None else _ahead(f, iter(settings), executor)
    return progress(results, label, total) if label else results


def _ahead(f: Callable[[S], R], settings: Iterator[S], executor: Executor) -> Iterator[R]:
    while window := list(itertools.islice(settings, AHEAD)):
        yield from executor.map(f, window)
