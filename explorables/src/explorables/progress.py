"""A bar for pictures that take long to draw."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from typing import TypeVar

T = TypeVar("T")


def static_page() -> bool:
    """Whether the code runs while static pages are built, which have no kernel to ask later."""
    return bool(os.environ.get("EXPLORABLES_STATIC"))


def progress(items: Iterable[T], label: str, total: int) -> Generator[T, None, None]:
    """`items`, with a bar once a second has passed; with none where its text would stay in a page."""
    if static_page():
        yield from items
        return
    from tqdm.auto import tqdm  # imported late: its notebook part is slow

    bar = tqdm(total=total, desc=label, delay=1, leave=False)
    try:
        for item in items:
            yield item
            bar.update()
    finally:  # a loop that is left early is done as well: in a notebook its bar would stay, red
        bar.total = bar.n
        bar.close()
