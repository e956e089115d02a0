"""Progress bars for long work, silent where their text would stay in a page."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

__all__ = ["progress"]

T = TypeVar("T")


def progress(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """`items`, with a bar once a second has passed.

    The book's build sets UATLIB_STATIC_PAGE, which keeps the bar out of the page; it goes to the terminal that
    UATLIB_TERMINAL names, if there is one.
    """
    with contextlib.ExitStack() as stack:
        bar: Any = {"desc": label, "total": total, "delay": 1, "leave": False}
        if os.environ.get("UATLIB_STATIC_PAGE"):
            terminal = os.environ.get("UATLIB_TERMINAL")
            try:
                bar["file"] = stack.enter_context(open(terminal or os.devnull, "w"))
            except OSError:
                terminal = None
            from tqdm import tqdm

            bar["disable"] = not terminal
        else:
            from tqdm.auto import tqdm  # imported late: its notebook part is slow
        yield from tqdm(items, **bar)
