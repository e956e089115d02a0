"""The one function that writes files."""

from __future__ import annotations

import hashlib
import os
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 10
"""Seconds for which a writer waits for another one of the same file."""


def write(path: str | Path, content: str | bytes, encoding: str = "utf-8", *, sync: bool = True) -> None:
    """Write a file whole or not at all: at any time, after a power cut too, it is the old one or the new.

    The content goes into a hidden file beside it, which then takes its place and its mode; of a link, what it names is
    replaced. A writer who is killed leaves the hidden file, and the next one of the same file removes it. Lines end as
    `content` has them. Pipes and devices, which nothing can replace, are written to.

    Parameters
    ----------
    sync
        Whether to wait for the disk, which takes about a millisecond. Without it a power cut, but nothing else, may
        leave part of the new file: enough for what is made again where it is damaged.

    Raises
    ------
    OSError
        It cannot be written, is read-only, or a folder. The old file is as it was, and nothing else is left.
    """
    data = content.encode(encoding) if isinstance(content, str) else content
    file = os.path.realpath(path)
    try:
        mode = _mode(file)
        if mode is not None and not stat.S_ISREG(mode):
            with open(file, "wb") as stream:
                stream.write(data)
            return
        with _hidden(file) as (part, opened):
            with open(opened, "wb") as stream:
                stream.write(data)
                stream.flush()
                if sync:
                    os.fsync(stream.fileno())
            if mode is not None:
                os.chmod(part, stat.S_IMODE(mode))
            os.replace(part, file)
    except OSError as error:  # named after the file, where nobody has asked for the part
        raise type(error)(error.errno, error.strerror, str(path)) from None


def _mode(file: str) -> int | None:
    """Of what is there, or None; OSError where `open` would raise it, as for a file that is read-only."""
    try:
        mode = os.stat(file).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        os.close(os.open(file, os.O_WRONLY))
    return mode


@contextmanager
def _hidden(file: str) -> Iterator[tuple[str, str | int]]:
    """A hidden file beside it, which nobody else writes, and what opens it; an error removes it.

    All writers of a file use one name for it, under a lock that ends with them: what lies there without one was left by
    a writer who was killed. Where there are no locks, or somebody holds one for long, the name is one of a kind.
    """
    folder, name = os.path.split(file)
    part = os.path.join(folder, f".{hashlib.sha256(os.fsencode(name)).hexdigest()[:32]}.part")
    lock = None
    with suppress(OSError):
        lock = _locked(part)
    if lock is None:
        part = os.path.join(folder, f".{uuid.uuid4().hex}.part")
    try:
        yield part, part if lock is None else os.dup(lock)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
    finally:
        if lock is not None:
            os.close(lock)


def _locked(part: str) -> int | None:
    """A new file of this name, open under a lock, in the place of one that was left; None after `PATIENCE`.

    OSError where none can be made or locked.
    """
    until = time.monotonic() + PATIENCE
    while fcntl is not None and time.monotonic() < until:
        is_new = True
        try:
            lock = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            is_new = False
            try:
                lock = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            except FileNotFoundError:  # it has just taken its place
                continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), os.stat(part)):
                if is_new:
                    return lock
                os.unlink(part)
        except (BlockingIOError, FileNotFoundError):  # somebody is at work, or was quicker
            time.sleep(0.001)
        except BaseException:
            os.close(lock)
            if is_new:
                os.unlink(part)
            raise
        os.close(lock)
    return None
