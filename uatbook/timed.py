"""A limit of time for code that a reader writes into a page."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["within"]


@contextmanager
def within(seconds: float, says: str = "", *, of_processor: bool = False) -> Iterator[None]:
    """TimeoutError in what runs for longer, `while True` too, so that a kernel is free again.

    `says` is its text, if it is to be another; `of_processor` counts seconds of the processor. One call of compiled
    code is not cut short, and the limit needs Unix and the main thread, where kernels run cells; elsewhere there is
    none.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    names = ("ITIMER_VIRTUAL", "SIGVTALRM") if of_processor else ("ITIMER_REAL", "SIGALRM")
    timer, alarm = (getattr(signal, name) for name in names)

    def end(*_: object) -> None:
        raise TimeoutError(says or f"took more than {seconds:g} seconds. Does your loop end?")

    before = signal.signal(alarm, end)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(alarm, before)
