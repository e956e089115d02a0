"""Processes that run side by side, and end with whoever started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def pool(processes: int) -> Iterator[Executor | None]:
    """An executor of so many processes; None for one, which is this one. They are spawned, as torch has threads.

    After an exception or Ctrl-C nothing is waited for.
    """
    if processes == 1:
        yield None
        return
    executor = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _begin)
    # Ctrl-C reaches all processes of a terminal. These inherit that it is blocked, and so stay silent.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for _ in range(processes):
            executor.submit(os.getpid)  # starts one
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield executor
        executor.shutdown()
    except BaseException:
        # First what waits, then what runs, and then the thread that sees to both.
        executor.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        for thread in threading.enumerate():
            if not thread.daemon and thread is not threading.current_thread():
                thread.join()
        raise


def _begin() -> None:
    """In each process: no bars, one thread, and an end when whoever started it is killed."""
    os.environ["UATLIB_TERMINAL"] = os.devnull
    import torch

    torch.set_num_threads(1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
