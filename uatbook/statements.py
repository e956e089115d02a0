"""The statements of the book by id: `get("yun2020:lem-8").verify(inverse_delta=3, n=2, d=1)`.

A source registers its own when its folder is imported. That happens when one of them is asked for, so
that whoever runs a statement of one source does not depend on the code of the others.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from functools import partial
from importlib import import_module
from pathlib import Path

from uatlib.certificate import Certificate
from uatlib.checks import text

from . import registry
from .fingerprints import text_digest
from .registry import Statement
from .sources import SOURCES, TEXTS
from .sweeps import sweep

__all__ = ["all", "get", "verify"]


def all() -> list[Statement]:
    """All statements, in the order of the book."""
    for source in SOURCES:
        import_module(f".{source}", __package__)
    keys = list(TEXTS)
    return sorted(registry.all(), key=lambda statement: keys.index(statement.id.partition(":")[0]))


def get(id: str) -> Statement:
    """The statement of that id; KeyError with the known ids if there is none, ValueError if it is no string."""
    id = text("id", id)
    for key, source in SOURCES.items():
        if id.partition(":")[0] in source.keys:
            import_module(f".{key}", __package__)
    found = next((statement for statement in registry.all() if statement.id == id), None)
    if found is None:
        raise KeyError(f"no statement {id!r}; there are: {', '.join(statement.id for statement in all())}")
    return found


def verify(
    ids: Iterable[str], *, executor: Executor | None = None, cache: str | Path | None = None
) -> Iterator[Certificate]:
    """`verify` of each of these statements at its defaults, in their order.

    `executor` and `cache` as for `uatbook.sweeps.sweep`; what is kept counts as long as no line of book or library
    changes. Errors as there, and KeyError as `get`.
    """
    return sweep(partial(_verified, text_digest(Path(__file__).parent)), ids, executor=executor, cache=cache)


def _verified(book: bytes, id: str) -> Certificate:
    """With the digest of the book in the place of what `get` leads to: a registry, which grows while one imports."""
    from .statements import get as found_when_run

    return found_when_run(id).verify()
