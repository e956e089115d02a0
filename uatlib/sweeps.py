"""One function at many settings, one after the other or spread over an executor, and kept on disk if that is wanted.

Results are the same either way. Threads help where NumPy or torch compute; EXACT and BALL are Python, for which
processes are the thing: then the function and the settings are pickled, which lambdas and inner functions cannot be.
An executor of dask, `client.get_executor()`, has the workers of a cluster, and takes those, too.
"""

from __future__ import annotations

import errno
import hashlib
import itertools
import math
import os
import pickle
import sys
import time
import traceback
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

import numpy as np
import torch

from . import checks
from .arithmetic.numbers import shown
from .fingerprints import Fingerprints
from .progress import progress

S = TypeVar("S")
R = TypeVar("R")

TASKS, TASKS_A_WORKER = 32, 4
"""At least so many tasks are with an executor at any time; one that has more workers gets so many for each."""
MOST_SETTINGS = 256
"""In one task, which has several only where they are quick."""
TASK_SECONDS, TASK_BYTES = 0.05, 2**20
"""About so long a task of several settings takes, or longer where many workers hand in theirs; and so large it is."""
HAND_IN_SECONDS = 0.005
"""What a task costs the sweep on a cluster: with so many workers that these add up to more, tasks are longer."""
EARLY, EARLY_ON_DISK = 10_000, 2 * MOST_SETTINGS
"""So many results wait in memory for one before them; of those that are on disk so many, and any number there."""
FAULTS = 100
"""After so many settings at which f raised, no other is begun."""
ASK_SECONDS = 5
"""A cluster may grow, or end."""
LEFT_OVER_SECONDS = 86_400


def sweep(
    f: Callable[[S], R],
    settings: Iterable[S],
    *,
    executor: Executor | None = None,
    cache: str | Path | None = None,
    label: str = "",
    total: int | None = None,
) -> Iterator[R]:
    """f(setting) for each of `settings`, in their order, with a bar if there is a `label`.

    The settings are made in this thread, some ahead of the results, so that random ones are the same on every
    executor. What a search leaves over is not computed: `next(found for found in sweep(f, settings) if found)`.

    An executor always has some tasks for each of its workers: one slow setting does not hold the others up, until
    10,000 results wait for it. Quick settings go together, for about 50 ms of work, so that a cluster is worth it.

    Parameters
    ----------
    cache : a folder, made if there is none, in which each result is kept as soon as it is there. What is in it is not
        computed again, so that a sweep that was killed goes on. Results are found by the content of f (the helpers and
        constants of your modules that it reads, too), of the setting, and of this library: a change of any of them
        computes anew. They are pickled, so read no folder in which strangers write. A damaged file is computed again,
        with a warning; where none can be written any more, a warning says so, and the sweep goes on without.

    Raises
    ------
    ValueError
        f cannot be called, settings are no iterable, label is no text; executor is neither None nor one, or one of
        processes and f cannot be pickled; cache is no folder and cannot become one, or f, or a setting, has something
        without content in it, such as a lock.
    Exception
        What f raised, at its turn, with a note that names the setting; where there are several, the first. With a cache
        all other settings are computed and kept before (up to 100 faults), so these must come to an end. So it is where
        the executor dies, but for what it has not computed.
    """
    executor = checks.executor(executor, checks.function("f", f))
    if not isinstance(settings, Iterable):
        raise checks.refused("settings", "an iterable", settings)
    checks.text("label", label)
    folder = None if cache is None else _Folder(checks.path("cache", cache), f)
    return _Sweep(f, iter(settings), executor, folder).run(label, total)


# ---------------------------------------------------------------------------------------------------- where f is called


Outcome = tuple[Any, Exception | None]
"""What f gave, or raised. From another process the result comes as pickle writes it."""


def _work(
    f: Callable[[Any], Any], settings: tuple[Any, ...], seconds: float, afar: bool
) -> tuple[list[Outcome], float]:
    """Outcomes of the first of these settings, at least of one, until the time or the room is over; and the seconds."""
    outcomes: list[Outcome] = []
    start, size = time.perf_counter(), 0
    for setting in settings:
        try:
            value = f(setting)
            if afar:
                value = _pickled(value)
            outcomes.append((value, None))
            size += _bytes(value)
        except Exception as error:
            outcomes.append((None, _portable(error) if afar else error))
        if time.perf_counter() - start > seconds or size > TASK_BYTES:
            break
    return outcomes, time.perf_counter() - start


def _pickled(value: object) -> bytes:
    """With cloudpickle, if it is there, where pickle does not do: it writes classes of notebooks, too."""
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        if "cloudpickle" in sys.modules:
            with suppress(Exception):
                return bytes(sys.modules["cloudpickle"].dumps(value))
        hint = "return arrays, numbers and objects of the classes of a module"
        raise checks.refused("f", f"results that can be pickled ({error})", value, hint) from None


def _portable(error: Exception) -> Exception:
    """The error with its traceback as a note; one that pickle cannot carry becomes a RuntimeError."""
    text = "".join(traceback.format_exception(error)).rstrip()
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(f"Where it was computed:\n{text}")
    return error


def _bytes(value: object) -> int:
    """Of arrays and bytes, as far as one sees them at once."""
    if isinstance(value, (tuple, list)) and len(value) < 10:
        return sum(map(_bytes, value))
    return (
        len(value) if isinstance(value, bytes) else value.nbytes if isinstance(value, (np.ndarray, torch.Tensor)) else 0
    )


# --------------------------------------------------------------------------------------------------------- what is kept


class _Folder:
    """Results by content: FOLDER/ab/<sha256>.pkl has the digest of a pickle, then the pickle."""

    def __init__(self, path: Path, f: Callable[..., Any]) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
            for part in path.glob("*.part"):  # a program that was killed leaves one
                if part.stat().st_mtime < time.time() - LEFT_OVER_SECONDS:
                    part.unlink(missing_ok=True)
        except OSError as error:
            raise checks.refused("cache", f"a folder that can be made ({error.strerror})", str(path)) from None
        self.path, self.part = path, path / f"{uuid.uuid4().hex}.part"
        self.prints = Fingerprints()
        self.function = self.prints.function_digest(f)
        self.open, self.count = True, 0

    def key(self, setting: object) -> bytes:
        return hashlib.sha256(self.function + self.prints.digest("settings", setting)).digest()

    def file(self, key: bytes) -> Path:
        return self.path / key[:1].hex() / f"{key.hex()}.pkl"

    def find(self, key: bytes) -> tuple[Any] | None:
        """The result, or None where there is none; a damaged file is as good as none, and named in a warning."""
        path = self.file(key)
        try:
            with open(path, "rb", buffering=0) as file:
                content = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            problem: object = error
        else:
            problem = "its content is not what was written"
            if hashlib.sha256(content[32:]).digest() == content[:32]:
                try:
                    return (pickle.loads(content[32:]),)
                except Exception as error:  # its class may have moved
                    problem = error
        warnings.warn(f"{path} cannot be used ({problem}); it is computed again.", RuntimeWarning, stacklevel=2)
        return None

    def again(self, key: bytes) -> tuple[Any]:
        """The result that was written or found before; OSError if it has gone since."""
        if found := self.find(key):
            return found
        text = "expected the result that was here a moment ago, got none; run again, which computes it"
        raise OSError(f"{self.file(key)}: {text}.")

    def keep(self, key: bytes, pickled: bytes) -> bool:
        """Write it, whole or not at all; False where that is not possible, from there on."""
        if not self.open:
            return False
        path = self.file(key)
        try:
            try:
                self._write(pickled)
                try:
                    os.replace(self.part, path)
                except FileNotFoundError:
                    path.parent.mkdir(exist_ok=True)
                    os.replace(self.part, path)
            except BaseException:
                with suppress(OSError):
                    self.part.unlink(missing_ok=True)
                raise
        except OSError as error:
            self.open = False
            reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else error
            text = f"{self.path}: from here on results are not kept ({reason}); the {self.count:,} before are."
            warnings.warn(text, RuntimeWarning, stacklevel=2)
            return False
        self.count += 1
        return True

    def _write(self, pickled: bytes) -> None:
        with open(self.part, "wb", buffering=0) as file:
            for piece in (hashlib.sha256(pickled).digest(), pickled):
                view = memoryview(piece)
                while len(view):
                    view = view[file.write(view) :]


# -------------------------------------------------------------------------------------------------------------- a sweep


@dataclass(slots=True)
class _Item:
    """A setting that is not finished."""

    number: int
    setting: Any
    key: bytes
    again: bool = False
    """It was in a task that ended before its turn."""
    alone: bool = False
    """So, and nobody knows which of the settings ended it."""


@dataclass(slots=True)
class _Fault:
    error: Exception
    setting: str | None
    """In short; None where the error is one of the settings' own."""


class _Here(Executor):
    """Computes at once, where it is asked."""

    def submit(self, work: Any, /, *args: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*args, **more))
        return future


DEAD = (BrokenExecutor, CancelledError)
"""What comes of an executor that will compute nothing more."""
LATER, ON_DISK = b"\0", b"\1"
ENTRY = 33
"""Bytes for each setting that was begun and not yielded: whether its result is on disk alone, and its key."""


class _Sweep(Generic[S, R]):
    """Settings number 0, ..., turn - 1 are yielded, others up to `begun` - 1 begun.

    One that is begun is in one place: in the `hand` that becomes a task, `flying` with the executor, in `todo` where
    its task left it over, in `twins` behind an equal one, in `early` or `faults`, or on disk alone, as `entries` say.
    """

    def __init__(
        self, f: Callable[[S], R], settings: Iterator[S], executor: Executor | None, folder: _Folder | None
    ) -> None:
        self.f, self.settings, self.folder = f, settings, folder
        self.executor = executor or _Here()
        self.here, self.afar = executor is None, not isinstance(executor, (ThreadPoolExecutor, type(None)))
        self.workers, self.asked = 1, -math.inf
        self.turn, self.begun, self.size, self.stopped = 0, 0, 1, False
        self.hand: list[_Item] = []
        self.hand_bytes = 0
        self.flying: dict[Future[Any], list[_Item]] = {}
        self.landed: SimpleQueue[Future[Any]] = SimpleQueue()
        self.todo: deque[_Item] = deque()
        self.twins: dict[bytes, list[_Item]] = {}
        self.early: dict[int, tuple[R]] = {}
        self.faults: dict[int, _Fault] = {}
        self.entries = bytearray()

    def run(self, label: str, total: int | None) -> Iterator[R]:
        """Results in their order; the bar counts in that in which they come."""
        finished = self._finished()
        with closing(progress(finished, label, total) if label else finished) as one_more:  # type: ignore[type-var]
            try:
                for _ in one_more:
                    yield from self._ready()
                    if self.turn in self.faults and not (self.folder and self.folder.open):
                        break
                if fault := self.faults.get(self.turn):
                    raise self._told(fault)
            finally:
                for future in [*self.flying]:
                    if not future.cancel() and future.done() and self.folder:
                        self._land(future)

    # What comes out

    def _ready(self) -> Iterator[R]:
        while self.turn < self.begun:
            if self.turn in self.early:
                found = self.early.pop(self.turn)
            elif self.folder and self.entries[:1] == ON_DISK:
                found = self.folder.again(bytes(self.entries[1:ENTRY]))
            else:
                return
            if self.folder:
                del self.entries[:ENTRY]
            self.turn += 1
            yield found[0]

    def _told(self, fault: _Fault) -> Exception:
        others, folder = len(self.faults) - 1, self.folder
        if fault.setting is None:
            return fault.error
        note = f"sweep: {fault.setting}, setting number {self.turn:,}, counted from 0"
        if isinstance(fault.error, DEAD):
            note = f"{note}, is the first that the executor did not compute before it died"
        elif others:
            note = f"{note}, is the first of {others + 1:,} at which the function fails"
        else:
            note = f"{note}, is where the function fails"
        if folder:
            note += f"; {folder.count:,} results are kept in {folder.path}, and running again computes the others"
        fault.error.add_note(f"{note}.")
        return fault.error

    # What goes in

    def _finished(self) -> Iterator[None]:
        """Something for each setting that is finished, in the order in which they are."""
        while True:
            item = self._next()
            if item is None:
                self._submit()
                if not self.flying:
                    return
                yield from self._land(self._wait())
            elif item.again:
                self._take(item)
            elif self.folder and (found := self.folder.find(item.key)):
                self._submit()  # many may be found before there is another to compute
                self.folder.count += 1
                self._arrived(item, found, on_disk=True)
                yield
            elif item.key in self.twins:
                self.twins[item.key].append(item)
            else:
                if self.folder:
                    self.twins[item.key] = []
                self._take(item)
            while not self.landed.empty():
                yield from self._land(self.landed.get())

    def _next(self) -> _Item | None:
        """What is to be begun now, if anything."""
        if len(self.flying) >= self._tasks():
            return None
        if self.todo:
            return self.todo.popleft()
        if self.stopped or len(self.early) >= EARLY:
            return None
        try:
            setting = next(self.settings)
            key = self.folder.key(setting) if self.folder else b""
        except StopIteration:
            self.stopped = True
            return None
        except Exception as error:  # is raised at its turn, as if there were no executor
            self.stopped = True
            self.faults[self.begun] = _Fault(error, None)
            return None
        if self.folder:
            self.entries += LATER + key
        self.begun += 1
        return _Item(self.begun - 1, setting, key)

    def _tasks(self) -> int:
        """So many tasks may be with the executor."""
        if self.here:
            return 1
        if time.monotonic() > self.asked + ASK_SECONDS:
            self.workers, self.asked = _workers(self.executor), time.monotonic()
        return max(TASKS, TASKS_A_WORKER * self.workers)

    def _seconds(self) -> float:
        """So long a task of several settings should take."""
        return max(TASK_SECONDS, HAND_IN_SECONDS * self.workers)

    def _take(self, item: _Item) -> None:
        self.hand.append(item)
        self.hand_bytes += _bytes(item.setting)
        if item.alone or len(self.hand) >= self.size or self.hand_bytes > TASK_BYTES:
            self._submit()

    def _submit(self) -> None:
        hand, self.hand, self.hand_bytes = self.hand, [], 0
        if not hand:
            return
        settings = tuple(item.setting for item in hand)
        try:
            future = self.executor.submit(_work, self.f, settings, 2 * self._seconds(), self.afar)
        except Exception as error:  # it was shut down, or is broken
            self.stopped = True
            future = Future()
            future.set_exception(error)
        self.flying[future] = hand
        future.add_done_callback(self.landed.put)

    def _wait(self) -> Future[Any]:
        """The next task that lands. Where the scheduler is gone, dask's executor may never say so of some."""
        while True:
            try:
                return self.landed.get(timeout=ASK_SECONDS)
            except Empty:
                theirs = [getattr(future, "status", "") for future in [*getattr(self.executor, "_futures", ())]]
                if theirs.count("cancelled") >= len(self.flying):
                    self._cancel()

    def _cancel(self) -> None:
        for future in [*self.flying]:
            future.cancel()

    def _land(self, future: Future[Any]) -> Iterator[None]:
        """What a task brought is kept, all of it; then something for each setting that is finished."""
        hand = self.flying.pop(future, [])
        outcomes: list[Outcome] = []
        try:
            outcomes, seconds = future.result()
        except Exception as error:
            if dead := isinstance(error, DEAD):
                self.stopped = True
                self._cancel()
            if dead or len(hand) == 1:
                outcomes = [(None, error)] * len(hand)
            for item in hand:
                item.alone = True
        else:
            if not self.here:
                fitting = self._seconds() * len(outcomes) / max(seconds, 1e-9)
                self.size = int(min(2 * self.size, MOST_SETTINGS, max(1, fitting)))
        rest = hand[len(outcomes) :]
        for item in rest:
            item.again = True
        self.todo.extendleft(reversed(rest))
        finished = sum([self._outcome(*pair) for pair in zip(hand, outcomes, strict=False)])
        return itertools.repeat(None, finished)

    def _outcome(self, item: _Item, outcome: Outcome) -> int:
        """Keep it for this setting and for equal ones; how many these are."""
        value, error = outcome
        on_disk = False
        if error is None:
            try:
                pickled = value if self.afar else _pickled(value) if self.folder else b""
                value = pickle.loads(pickled) if self.afar else value
                on_disk = bool(self.folder and self.folder.keep(item.key, pickled))
            except Exception as trouble:
                error = trouble
        alike = [item, *self.twins.pop(item.key, ())]
        for each in alike:
            if error is None:
                self._arrived(each, (value,), on_disk)
            else:
                self.faults[each.number] = _Fault(error, shown(each.setting))
        if len(self.faults) >= (FAULTS if self.folder else 1):
            self.stopped = True
        return len(alike)

    def _arrived(self, item: _Item, found: tuple[R], on_disk: bool) -> None:
        if on_disk and len(self.early) >= EARLY_ON_DISK:
            at = ENTRY * (item.number - self.turn)
            self.entries[at : at + 1] = ON_DISK
        else:
            self.early[item.number] = found


def _workers(executor: Executor) -> int:
    """How many there are, if it says so: of the standard library, or of dask."""
    most = getattr(executor, "_max_workers", None)
    if isinstance(most, int):
        return most
    with suppress(Exception):
        return int(sum(executor._client.nthreads().values()))  # type: ignore[attr-defined]
    return 1
