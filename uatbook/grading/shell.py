"""Cells run as in a notebook: by IPython itself, without its screen, its history and the network.

A shell of IPython starts in a fiftieth of a second. It knows magics, commands of the system, `await` at the top,
and what a notebook remembers (`_`, `In`, `Out`).
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable
from typing import Any

from IPython.core import async_helpers
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

UNTYPED: Any = InteractiveShell
LOOPS: Any = async_helpers
INSTALLS = ("pip", "conda", "mamba", "micromamba", "uv")
"""Magics that would wait for a network in vain."""
SETS = ("matplotlib", "config", "load_ext", "reload_ext", "autoreload")
"""Those that set how a notebook shows things, or add to it: where they fail, the rest of a cell is none the worse."""
TURNS = 100
"""Of the loop between two cells: what waits for nothing comes to its end."""
ONCE = re.compile(r"\s*-[nr]\s*\d+")


class Shell:
    """A notebook's kernel; `left_out` is told of what it would do, and is not done."""

    def __init__(self, left_out: Callable[[str], None]) -> None:
        _Shell.left_out = staticmethod(left_out)
        self._loop = LOOPS.get_asyncio_loop()  # one for all cells
        asyncio.set_event_loop(self._loop)
        asyncio.run = _beside(asyncio.run)
        self._shell: Any = _Shell(config=Config({"HistoryManager": {"enabled": False}}))
        self.names: dict[str, Any] = self._shell.user_ns

    def run(self, source: str) -> None:
        """Run a cell, and raise what it raises."""
        self._shell.raised = None
        self._loop.run_until_complete(self._cell(source))
        if isinstance(self._shell.raised, SyntaxError):
            self._shell.raised.filename = None  # which says nothing to a student
        if self._shell.raised is not None:
            raise self._shell.raised

    async def _cell(self, source: str) -> None:
        """As ipykernel runs it: within the loop, which goes on with tasks that are left when the cell has ended."""
        try:
            made, failed = self._shell.transform_cell(source), None
        except Exception:
            made, failed = source, sys.exc_info()
        said = {"transformed_cell": made, "preprocessing_exc_tuple": failed}
        if self._shell.should_run_async(source, **said):
            await self._shell.run_cell_async(source, store_history=True, **said)
        else:
            self._shell.run_cell(source, store_history=True)
        for _ in range(TURNS):
            await asyncio.sleep(0)


class _Shell(UNTYPED):  # type: ignore[misc]
    left_out: Callable[[str], None]
    raised: Any = None
    system = UNTYPED.system_raw

    def init_hooks(self) -> None:
        super().init_hooks()
        self.set_hook("show_in_pager", lambda *parts, **options: None, 0)

    def showtraceback(self, exc_tuple: Any = None, *parts: Any, **options: Any) -> None:
        self.raised = self.raised or (exc_tuple or sys.exc_info())[1]

    showsyntaxerror = showindentationerror = showtraceback

    def enable_gui(self, gui: Any = None) -> None:
        """There is no window to wait for."""

    def ask_exit(self) -> None:
        """Cells below `exit()` run, too."""

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        line = _once(magic_name, line)
        if self._left("%", magic_name, "line"):
            return None
        try:
            return super().run_line_magic(magic_name, line, _stack_depth + 1)
        except (UsageError, ImportError) as error:
            if magic_name not in SETS:
                raise
            self.left_out(f"%{magic_name} was left out ({str(error)[:100]})")
            return None

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        if self._left("%%", magic_name, "cell"):
            return None
        return super().run_cell_magic(magic_name, _once(magic_name, line), cell)

    def _left(self, sign: str, name: str, kind: str) -> bool:
        """Whether a magic is left out, and say so."""
        if name in INSTALLS:
            why = "nothing can be installed here"
        elif self.find_magic(name, kind) is None:
            why = "it is none of IPython's own"
        else:
            return False
        self.left_out(f"{sign}{name}{' and all below it' * (kind == 'cell')} was left out: {why}")
        return True


def _beside(run: Callable[..., Any]) -> Callable[..., Any]:
    """`asyncio.run` for programs, which is refused where a loop runs, as it does in a notebook."""

    def beside(*parts: Any, **options: Any) -> Any:
        outer = asyncio._get_running_loop()
        asyncio._set_running_loop(None)
        try:
            return run(*parts, **options)
        finally:
            asyncio._set_running_loop(outer)

    return beside


def _once(name: str, line: str) -> str:
    """Time a statement once: it binds no name, however often."""
    return f"-n1 -r1 {ONCE.sub('', line)}" if name == "timeit" else line
