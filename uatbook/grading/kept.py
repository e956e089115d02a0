"""What is done is kept as it is done: a line of JSON a submission, so that a run which was ended goes on from there."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from pathlib import Path
from threading import Lock
from typing import Any

import uatlib
from uatlib.checks import refused


class Kept:
    """A file of lines, {"begun": key, "name": text} and {"done": key, "found": data}; `key` is that of the work.

    A line is on the disk before the next begins; half of one, of a run that was ended, is passed over. ValueError if
    another run writes into the file.
    """

    def __init__(self, path: Path) -> None:
        self._file, self._lock = path.open("a+b"), Lock()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise refused("out", "a table that no other run is writing now", str(path)) from None
        self._file.seek(0)
        lines = self._file.read().split(b"\n")
        self._done: dict[str, Any] = {}
        begun: dict[str, str] = {}
        for line in lines:
            try:
                said = json.loads(line)
                if "begun" in said:
                    begun[said["begun"]] = str(said["name"])
                else:
                    self._done[said["done"]] = said["found"]
            except (ValueError, TypeError, KeyError):
                continue
        if lines[-1]:
            self._file.write(b"\n")
        self.died = [name for key, name in begun.items() if key not in self._done]
        """The names of what was begun, and not done."""

    def get(self, key: str) -> Any:
        """What came of it, or None."""
        return self._done.get(key)

    def begin(self, key: str, name: str) -> None:
        """Say what is worked on."""
        self._write({"begun": key, "name": name})

    def done(self, key: str, found: Any) -> None:
        """Keep what came of it."""
        self._done[key] = found
        self._write({"done": key, "found": found})

    def _write(self, line: dict[str, Any]) -> None:
        with self._lock:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let other runs write."""
        self._file.close()


def key(work: object) -> str:
    """The same for the same work, by the same version of the library."""
    return hashlib.sha256(json.dumps([uatlib.__version__, work], sort_keys=True).encode()).hexdigest()
