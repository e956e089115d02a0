"""What a notebook does with a cell that is more than Python: magics, commands of the system, `await`.

IPython turns the cell into Python, which asks `get_ipython()` for the rest. That is no shell here, but a few lines: a
whole one takes a second to start, and keeps a history.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import subprocess
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT as AWAIT
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

SHELLS = {"bash": "bash", "sh": "sh", "system": "sh", "sx": "sh", "!": "sh"}
SHOWS = ("html", "HTML", "javascript", "js", "latex", "markdown", "svg", "SVG")
RUNS = ("time", "prun", "capture", "memit", "mprun", "lprun", "debug")
"""Magics that run their body, and do something beside."""
QUIET = ("timeit", "matplotlib", "pip", "conda", "config", "load_ext", "reload_ext", "autoreload", "pinfo", "pinfo2")
"""Those that bind no name; what they do else nobody sees here."""


def _python(source: str) -> str:
    manager: Any = TransformerManager
    return str(manager().transform_cell(source))


class Shell:
    """The names of a notebook, and what `get_ipython()` is asked for; `left_out` tells of what is not done."""

    def __init__(self, left_out: Callable[[str], None]) -> None:
        self._left_out, self._loop = left_out, asyncio.new_event_loop()
        self.user_ns: dict[str, Any] = {
            "__name__": "__main__",
            "display": lambda *things, **options: None,
            "get_ipython": lambda: self,
            "In": [""],
            "Out": {},
            "_": "",
        }

    def run(self, source: str, name: str) -> None:
        """Run a cell."""
        code = compile(_python(source), name, "exec", AWAIT, dont_inherit=True)
        value = eval(code, self.user_ns)
        if inspect.iscoroutine(value):
            self._loop.run_until_complete(value)

    def run_cell_magic(self, name: str, line: str, cell: str) -> Any:
        """What stands below %%name."""
        if name == "writefile":
            Path(line.split()[-1]).write_text(cell, encoding="utf-8")
        elif name in SHELLS:
            return subprocess.run([SHELLS[name], "-c", cell], check=False).returncode
        elif name in RUNS:
            self.run(cell, "cell")
            words = [word for word in line.split() if word.isidentifier()]
            if name == "capture" and words:
                self.user_ns[words[-1]] = SimpleNamespace(stdout="", stderr="", outputs=[], show=lambda: None)
        elif name not in QUIET:
            self._left_out(f"what stands below %%{name} was left out" + " and shows nothing here" * (name in SHOWS))
        return None

    def run_line_magic(self, name: str, line: str, _stack_depth: int = 1) -> Any:
        """What stands behind %name."""
        if name in ("time", "prun"):
            with contextlib.suppress(SyntaxError):
                return eval(compile(line, name, "eval"), self.user_ns)
            self.run(line, name)
        elif name in SHELLS:
            return self.getoutput(line)
        elif name == "cd":
            os.chdir(line.strip() or ".")
        elif name not in QUIET:
            self._left_out(f"%{name} was left out")
        return None

    def system(self, command: str) -> int:
        """!command."""
        return subprocess.run(command, shell=True, check=False).returncode

    def getoutput(self, command: str) -> list[str]:
        """The lines of name = !command."""
        return subprocess.run(command, shell=True, check=False, stdout=subprocess.PIPE, text=True).stdout.splitlines()
