"""What somebody hands in who has not thought about it: zeros, one answer for all, one list twice, nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..answers import Field

__all__ = ["lazy_answers"]

LISTS = ("wholes", "table", "pattern")


def lazy_answers(fields: Sequence[Field], right: Sequence[Any]) -> Iterator[list[Any]]:
    """Answers, a value a field; of `right` only how long its lists are, and the first of its lists, for all."""
    for option in range(max((len(part.options) for part in fields if part.kind == "choice"), default=1)):
        for k in (0, 1):
            yield [_same(part, value, option, k) for part, value in zip(fields, right, strict=True)]
        kinds = [part.kind for part in fields if part.kind in LISTS]
        if len(kinds) > 1 and len({*kinds}) == 1:
            pairs = [*zip(fields, right, strict=True)]
            twice = next(value for part, value in pairs if part.kind in LISTS)
            yield [twice if part.kind in LISTS else _same(part, value, option, 0) for part, value in pairs]


def _same(part: Field, right: Any, option: int, k: int) -> Any:
    """Nothing but k; of choices one and the same."""
    if part.kind == "choice":
        return part.options[min(option, len(part.options) - 1)]
    if part.kind == "order":
        return [*range(1, len(part.options) + 1)]
    if part.kind == "subset":
        return [part.least or 1] * k
    least = max(k, part.least or 0)
    k = least if part.most is None else min(least, part.most)
    if part.kind == "pattern":
        return [[*range(part.rows or 1)] if k else [i] for i in range(part.rows or 1)]
    if part.kind == "table":
        return [[k] * (part.columns or 1)] * (part.rows or 1)
    return [k] * len(right) if part.kind in ("wholes", "numbers") else k
