"""One function at many settings, one after the other or spread over an executor, and kept on disk if that is wanted.

Results are the same either way. Threads help where NumPy or torch compute; EXACT and BALL are Python, for which
processes are the thing: then the function and the settings are pickled, which lambdas and inner functions cannot be.
An executor of dask, `client.get_executor()`, has the workers of a cluster, and takes those, too.
"""

from __future__ import annotations

import hashlib
import pickle
import time
import traceback
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from uatlib import checks
from uatlib.arithmetic.shown import shown
from uatlib.internal import writing
from uatlib.internal.mapped import room
from uatlib.internal.progress import progress

from .fingerprints import Fingerprints

S = TypeVar("S")
R = TypeVar("R")

MOST_SETTINGS, TASK_SECONDS, TASK_BYTES = 256, 0.05, 2**20
"""A task has several settings where they are quick: at most so many, for about so long, about so large."""
EARLY = 10_000
"""So many results wait in memory for one before them. Of those that are on disk more do, there."""
ASK_SECONDS = 5
FAULTS = 100
"""After so many settings at which f raised, no other is begun."""
NAMED = 10
"""So many settings without a result are named beside the first."""


def sweep(
    f: Callable[[S], R],
    settings: Iterable[S],
    *,
    executor: Executor | None = None,
    cache: str | Path | None = None,
    label: str = "",
    total: int | None = None,
) -> Generator[R, None, None]:
    """f(setting) for each of `settings`, in their order, with a bar if there is a `label`.

    The settings are made in this thread, some ahead of the results, so that random ones are the same on every
    executor. What a search leaves over is not computed: `next(found for found in sweep(f, settings) if found)`.

    An executor always has some tasks for each of its workers: one slow setting does not hold the others up, until
    10,000 results wait for it. Quick settings go together, for about 50 ms of work, so that a cluster is worth it.

    Parameters
    ----------
    cache : a folder, made if there is none, in which each result is kept as soon as it is there. What is in it is not
        computed again, so that a sweep that was killed goes on. Results are found by the content of f (the helpers and
        constants of your modules that it reads, too), of the setting, and of `uatlib`: a change of any of them
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
    if not isinstance(settings, Iterable) or isinstance(settings, Mapping):
        hint = "list the settings, as [{'n': 3}, {'n': 4}]" if isinstance(settings, Mapping) else ""
        raise checks.refused("settings", "an iterable, one setting after the other", settings, hint)
    checks.text("label", label)
    folder = None if cache is None else _Folder(checks.path("cache", cache), f)
    return _Sweep(f, iter(settings), executor, folder).run(label, total)


# ---------------------------------------------------------------------------------------------------- where f is called


Outcome = tuple[Any, Exception | None]
"""What f gave, or raised."""


def _work(
    f: Callable[[Any], Any], settings: list[Any], seconds: float, pickled: bool, once: str = ""
) -> tuple[list[Outcome], float]:
    """Outcomes of the first of these settings, at least of one, until the time or the room is over; and the seconds.

    `once` makes a call unlike all others: dask takes equal calls for one, and would answer with an error of before.
    """
    outcomes: list[Outcome] = []
    start, room = time.perf_counter(), TASK_BYTES
    for setting in settings:
        try:
            value = f(setting)
            if pickled:
                value = _pickled(value)
                room -= len(value)
            outcomes.append((value, None))
        except Exception as error:
            outcomes.append((None, _portable(error) if pickled else error))
        if time.perf_counter() - start > seconds or room < 0:
            break
    return outcomes, time.perf_counter() - start


def _pickled(value: object) -> bytes:
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # what classes raise where they are taken apart
        hint = "return arrays, numbers and objects of the classes of a module"
        raise checks.refused("f", f"results that can be pickled ({error})", value, hint) from None


def _portable(error: Exception) -> Exception:
    """The error with its traceback as a note; one that pickle cannot carry becomes a RuntimeError."""
    text = "".join(traceback.format_exception(error)).rstrip()
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # the class is asked again what to make of its arguments
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(f"Where it was computed:\n{text}")
    return error


# --------------------------------------------------------------------------------------------------------- what is kept


class _Folder:
    """Results by content: FOLDER/ab/<key>.pkl has the digest of its key and a pickle, then the pickle."""

    def __init__(self, path: Path, f: Callable[..., Any]) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise checks.refused("cache", f"a folder that can be made ({error.strerror})", str(path)) from None
        self.path = path
        self.prints = Fingerprints()
        self.function = self.prints.of_function(f)
        self.open, self.count = True, 0

    def key(self, setting: object) -> bytes:
        return hashlib.sha256(self.function + self.prints.digest("settings", setting)).digest()

    def file(self, key: bytes) -> Path:
        return self.path / key[:1].hex() / f"{key.hex()}.pkl"

    def find(self, key: bytes) -> tuple[Any] | None:
        """The result, or None; a file that is damaged, or another's, is as good as none, and named in a warning."""
        path = self.file(key)
        try:
            content = path.read_bytes()
            digest, pickled = content[:32], content[32:]
            if hashlib.sha256(key + pickled).digest() != digest:
                raise ValueError("its content is not what was written for this setting")
            return (pickle.loads(pickled),)
        except FileNotFoundError:
            return None
        except Exception as error:  # of the disk, or of a class that has moved
            warnings.warn(f"{path} cannot be used ({error}); it is computed again.", RuntimeWarning, stacklevel=2)
            return None

    def keep(self, key: bytes, pickled: bytes) -> bool:
        """Whether it could be written; where the disk or the folder does not take it, nothing more is."""
        if not self.open:
            return False
        path = self.file(key)
        try:
            path.parent.mkdir(exist_ok=True)
            writing.write(path, hashlib.sha256(key + pickled).digest() + pickled, sync=False)
            self.count += 1
            return True
        except (FileExistsError, IsADirectoryError, NotADirectoryError):
            return False  # something else is in this one place, and `find` has said so
        except OSError as error:
            self.open = False
            text = f"{self.path}: from here on results are not kept ({error}); the {self.count:,} before are."
            warnings.warn(text, RuntimeWarning, stacklevel=2)
            return False


# -------------------------------------------------------------------------------------------------------------- a sweep


def _at_once(work: Callable[..., Any], *given: Any) -> Future[Any]:
    """As `submit` of an executor, where there is none."""
    future: Future[Any] = Future()
    future.set_result(work(*given))
    return future


Task = list[tuple[Hashable, Any]]
"""Keys and settings."""


class _Sweep(Generic[S, R]):
    """Settings number 0, ..., turn - 1 are yielded, others up to `begun` - 1 begun.

    A task is `flying` with the executor or to be done again, in `todo`; `numbers` has those of its settings by their
    keys, equal ones together. What is finished before its turn is in `early`, by its key where it is on disk alone, or
    in `faults`, with its setting in short.
    """

    def __init__(
        self, f: Callable[[S], R], settings: Iterator[S], executor: Executor | None, folder: _Folder | None
    ) -> None:
        self.f, self.settings, self.folder = f, settings, folder
        self.executor, self.submit = executor, executor.submit if executor else _at_once
        self.pickled = bool(folder) or not (executor is None or isinstance(executor, ThreadPoolExecutor))
        self.most_settings = MOST_SETTINGS if executor else 1
        self.turn, self.begun, self.size, self.ended = 0, 0, 1, False
        self.flying: dict[Future[Any], Task] = {}
        self.landed: SimpleQueue[Future[Any]] = SimpleQueue()
        self.todo: deque[Task] = deque()
        self.numbers: dict[Hashable, list[int]] = {}
        self.early: dict[int, Any] = {}
        self.faults: dict[int, tuple[Exception, str]] = {}

    @property
    def keeps(self) -> bool:
        return self.folder is not None and self.folder.open

    def run(self, label: str, total: int | None) -> Generator[R, None, None]:
        """Results in their order; the bar counts in that in which they come."""
        finished = self._finished()
        with closing(progress(finished, label, total) if label else finished) as one_more:
            try:
                for _ in one_more:
                    while self.turn in self.early:
                        yield self._next()
                    if self.turn in self.faults and not self.keeps:
                        break
                if self.turn in self.faults:
                    raise self._told(*self.faults[self.turn])
            finally:
                for future in [*self.flying]:
                    if not future.cancel() and future.done() and self.keeps:
                        self._land(future)

    # What comes out

    def _next(self) -> R:
        found = self.early.pop(self.turn)
        if isinstance(found, bytes) and self.folder:
            path, found = self.folder.file(found), self.folder.find(found)
            if found is None:
                raise OSError(f"{path}: expected the result that was here, got none; run again, which computes it.")
        self.turn += 1
        result: R = found[0]
        return result

    def _told(self, error: Exception, setting: str) -> Exception:
        """With a note that names the setting."""
        more = [of for number, (_, of) in sorted(self.faults.items()) if number != self.turn]
        named = ", ".join([*more[:NAMED], "..."] if len(more) > NAMED else more)
        others = f", nor have {len(more):,} others ({named})" if more else ""
        folder = self.folder
        kept = f"; {folder.count:,} are kept in {folder.path}, run again for the others" if folder else ""
        error.add_note(f"sweep: {setting}, setting number {self.turn:,} from 0, has no result{others}{kept}.")
        return error

    # What goes in

    def _finished(self) -> Generator[None, None, None]:
        """Something for each setting that is finished, in the order in which they are."""
        while True:
            has_room = len(self.flying) < room(self.executor)
            if has_room and self.todo:
                self._submit(self.todo.popleft())
            elif has_room and not self.ended and (self.keeps or len(self.early) < EARLY):
                yield from [None] * self._draw()
            elif self.flying:
                yield from [None] * self._land(self._wait())
            else:
                return
            while not self.landed.empty():
                yield from [None] * self._land(self.landed.get())

    def _draw(self) -> int:
        """Begin a task; how many of its settings are on disk."""
        task: Task = []
        found, room = 0, TASK_BYTES
        for _ in range(self.size):
            try:
                setting = next(self.settings)
                key: Any = self.folder.key(setting) if self.folder else self.begun
            except StopIteration:
                self.ended = True
                break
            except Exception as error:  # of the settings' own, which is raised at its turn
                self.ended, self.faults[self.begun] = True, (error, "what comes next")
                break
            if key in self.numbers:
                self.numbers[key].append(self.begun)
            elif self.folder and (there := self.folder.find(key)):
                self.folder.count += 1
                found += 1
                self._arrived(self.begun, there, key)
            else:
                self.numbers[key] = [self.begun]
                task.append((key, setting))
                room -= _bytes(setting)
            self.begun += 1
            if room < 0:
                break
        if task:
            self._submit(task)
        return found

    def _submit(self, task: Task) -> None:
        settings = [setting for _, setting in task]
        try:
            future = self.submit(_work, self.f, settings, 2 * TASK_SECONDS, self.pickled, uuid.uuid4().hex)
        except Exception as error:  # it was shut down, is broken, or cannot send a setting
            future = Future()
            future.set_exception(error)
        self.flying[future] = task
        future.add_done_callback(self.landed.put)

    def _wait(self) -> Future[Any]:
        """The next task that lands. Of some, dask's executor never says that its client has closed."""
        while True:
            try:
                return self.landed.get(timeout=ASK_SECONDS)
            except Empty:
                if getattr(getattr(self.executor, "_client", None), "status", "") == "closed":
                    for future in [*self.flying]:
                        future.cancel()

    def _land(self, future: Future[Any]) -> int:
        """Keep all that a task brought; how many settings are finished with it."""
        task = self.flying.pop(future, [])
        outcomes: list[Outcome]
        try:
            outcomes, seconds = future.result()
        except Exception as error:
            self.size = 1  # nobody knows which of its settings ended it
            outcomes = [(None, error)] if len(task) == 1 else []
        else:
            fitting = TASK_SECONDS * len(outcomes) / max(seconds, 1e-9)
            self.size = int(min(2 * self.size, self.most_settings, max(1, fitting)))
        left = task[len(outcomes) :]
        self.todo.extendleft(left[k : k + self.size] for k in reversed(range(0, len(left), self.size)))
        return sum(self._outcome(*item, *outcome) for item, outcome in zip(task, outcomes, strict=False))

    def _outcome(self, key: Any, setting: S, value: Any, error: Exception | None) -> int:
        """Keep it for this setting and equal ones; how many these are."""
        kept = False
        if self.pickled and error is None:
            try:
                value, pickled = pickle.loads(value), value
                kept = self.folder is not None and self.folder.keep(key, pickled)
            except Exception as trouble:  # its class cannot be had here
                error = trouble
        numbers = self.numbers.pop(key)
        for number in numbers:
            if error:
                self.faults[number] = error, shown(setting)
            else:
                self._arrived(number, (value,), key if kept else None)
        if len(self.faults) >= (FAULTS if self.folder else 1):
            self.ended = True
        return len(numbers)

    def _arrived(self, number: int, found: tuple[R], key: bytes | None) -> None:
        self.early[number] = found if key is None or len(self.early) < EARLY else key


def _bytes(value: Any) -> int:
    """Of arrays and tensors, as far as one sees them at once."""
    return sum(map(_bytes, value)) if type(value) is tuple else getattr(value, "nbytes", 0)
