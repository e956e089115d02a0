"""One function at many items, one after the other or side by side on an executor, with the same results.

Threads help where NumPy or torch compute; EXACT and BALL are Python, for which processes are the thing: then the
function and the items are pickled, which lambdas and inner functions cannot be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from .. import checks
from .progress import progress

S = TypeVar("S")
R = TypeVar("R")

TASKS, TASKS_A_WORKER = 32, 4
"""At least so many tasks are with an executor at any time; one that has more workers gets so many for each."""


def mapped(
    f: Callable[[S], R],
    items: Iterable[S],
    *,
    executor: Executor | None = None,
    label: str = "",
    total: int | None = None,
) -> Iterator[R]:
    """f(item) for each of `items`, in their order, with a bar if there is a `label`.

    The items are made in this thread, some ahead of the results: so random ones are the same on every executor, and as
    many as one likes need little room. What f raises comes at its turn. What a search leaves over is not computed.

    Raises
    ------
    ValueError
        No executor, or one of processes and f cannot be pickled.
    """
    executor = checks.executor(executor, f)
    found = map(f, items) if executor is None else _ahead(executor, f, items)
    return progress(found, label, total) if label else found


def _ahead(executor: Executor, f: Callable[[S], R], items: Iterable[S]) -> Iterator[R]:
    flying: deque[Future[R]] = deque()
    most = room(executor)
    try:
        for item in items:
            flying.append(executor.submit(f, item))
            if len(flying) == most:
                yield flying.popleft().result()
        while flying:
            yield flying.popleft().result()
    finally:
        for future in flying:
            future.cancel()


def room(executor: object) -> int:
    """How many tasks an executor should have; dask's asks its client, which is told every few seconds of workers."""
    dask: Any = getattr(getattr(executor, "_client", None), "_scheduler_identity", {})
    workers: int = dask.get("total_threads") or getattr(executor, "_max_workers", 1)
    return max(TASKS, TASKS_A_WORKER * workers)
