"""The one function that writes files."""

from __future__ import annotations

import os
import stat
import uuid
from contextlib import suppress
from pathlib import Path


def write(path: str | Path, content: str | bytes, encoding: str = "utf-8", *, sync: bool = True) -> None:
    """Write a file whole or not at all: at any time, after a power cut too, it is the old one or the new.

    The content goes into a hidden file beside it, which then takes its place and its mode; of a link, what it names is
    replaced. Lines end as `content` has them. Pipes and devices, which nothing can replace, are written to.

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
    part = os.path.join(os.path.dirname(file), f".{uuid.uuid4().hex}.part")
    try:
        mode = _mode(file)
        if mode is not None and not stat.S_ISREG(mode):
            with open(file, "wb") as stream:
                stream.write(data)
            return
        try:
            with open(part, "xb") as stream:
                stream.write(data)
                stream.flush()
                if sync:
                    os.fsync(stream.fileno())
            if mode is not None:
                os.chmod(part, stat.S_IMODE(mode))
            os.replace(part, file)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise
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
