"""Functions for sweeps in other processes, which leave a file for each call."""

from __future__ import annotations

import os
import signal
import threading
import time
import uuid
from collections import Counter
from pathlib import Path


def touch(folder: Path, k: object) -> None:
    (folder / f"{k}-{uuid.uuid4().hex}").touch()


def calls(folder: Path) -> Counter[int]:
    """How often each setting was computed."""
    return Counter(int(path.name.partition("-")[0]) for path in folder.iterdir())


def square(folder: Path, k: int) -> int:
    touch(folder, k)
    return k * k


def slow_square(folder: Path, k: int) -> int:
    time.sleep(0.01)
    return square(folder, k)


def fails_at_500(folder: Path, k: int) -> int:
    if k == 500:
        raise ZeroDivisionError("five hundred")
    return square(folder, k)


def first_waits(folder: Path, last: int, k: int) -> int:
    """Number 0 is done when the last one is, or never."""
    if k == last:
        touch(folder, k)
    until = time.monotonic() + 60
    while k == 0 and not calls(folder)[last]:
        assert time.monotonic() < until, "number 0 held the last one up"
        time.sleep(0.01)
    return k


def dies_once(folder: Path, k: int) -> int:
    """At number 50 the process is killed, the first time."""
    if k == 50 and not (folder / "50-killed").exists():
        touch(folder, "50")
        (folder / "50-killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return slow_square(folder, k)


def kills_at_7(armed: Path, k: int) -> int:
    if k == 7 and armed.exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return k


class Stubborn(Exception):
    """Pickle writes it and cannot read it."""

    def __init__(self, k: int, why: str) -> None:
        super().__init__(f"{k}: {why}")


def stubborn_at_3(k: int) -> int:
    if k == 3:
        raise Stubborn(k, "no")
    return k


def locks_at_3(k: int) -> object:
    return threading.Lock() if k == 3 else k
