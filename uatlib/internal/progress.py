"""Progress bars for long work, silent where their text would stay in a page."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Iterable, Sized
from contextlib import AbstractContextManager
from typing import IO, TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], label: str, total: int | None = None) -> Generator[T, None, None]:
    """`items`, with a bar once a second has passed.

    It goes to the file that UATLIB_TERMINAL names, where that is set: the book's build keeps it out of the pages so.
    """
    with _terminal() as terminal:
        if terminal is not None and terminal.name == os.devnull:
            yield from items
            return
        if terminal is None:
            from tqdm.auto import tqdm  # imported late: its notebook part is slow
        else:
            from tqdm import tqdm
        if total is None and isinstance(items, Sized):
            total = len(items)
        bar = tqdm(total=total, desc=label, delay=1, leave=False, file=terminal)
        try:
            for item in items:
                yield item
                bar.update()
        finally:  # a loop that is left early is done as well: in a notebook its bar would stay, red
            bar.total = bar.n
            bar.close()


def _terminal() -> AbstractContextManager[IO[str] | None]:
    """Where bars go: None for where they always go; where a file is named that cannot be written, nowhere."""
    name = os.environ.get("UATLIB_TERMINAL")
    if not name:
        return contextlib.nullcontext()
    try:
        return open(name, "w")
    except OSError:
        return open(os.devnull, "w")
