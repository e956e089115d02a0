"""What experiments share that train networks."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import torch

_LOCK = threading.Lock()
_before: list[int] = []
"""How many threads torch had, once for each training that runs."""


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Sums in one order, whatever the number of cores; and small matrices are no work for many.

    Several may train side by side: the last to end gives torch its threads back.
    """
    with _LOCK:
        _before.append(_before[0] if _before else torch.get_num_threads())
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _LOCK:
            threads = _before.pop()
            if not _before:
                torch.set_num_threads(threads)
