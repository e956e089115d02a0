"""A limit of time for code that a reader writes into a page."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["within"]


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """TimeoutError in what runs for longer, `while True` too, so that a kernel is free again.

    One call of compiled code is not cut short, and the limit needs Unix and the main thread, where kernels run cells;
    elsewhere there is none.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise TimeoutError(f"took more than {seconds:g} seconds. Does your loop end?")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
