"""Progress bars for long work, silent where their text would stay in a page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["progress"]

T = TypeVar("T")


def progress(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """`items`, with a bar once a second has passed. The book's build sets UATLIB_STATIC_PAGE, which hides it."""
    from tqdm.auto import tqdm  # imported late: its notebook part is slow

    quiet = bool(os.environ.get("UATLIB_STATIC_PAGE"))
    yield from tqdm(items, desc=label, total=total, delay=1, leave=False, disable=quiet)
