"""Patterns: who hears whom, as lists, for sequences that are too long for a mask of n^2 entries.

Attention under a pattern takes queries in blocks, each with the keys that some query of the block hears, and a mask
inside the block. Where every token hears k others that costs O(n k) time and memory, and a token that hears all costs
one row of n scores. It runs in every number system. Source: cheng2025, section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from .arithmetic import Arithmetic
from .arithmetic.base import N
from .checks import refused, whole
from .internal.files import Saved, Settings
from .internal.shapes import Keys, Mask, Queries, Values
from .masks import MAX_LENGTH

__all__ = ["Pattern"]

MAX_HEARD = 2**24
"""Pairs of a token and one that it hears."""
WIDTHS = (1, 8, 64)
"""Queries that a block may have."""
COLUMN = 32
"""What it costs to fetch a key, in scores."""
CHUNK = 2**22
"""Numbers that are in use at once, beside input and output."""


class _Block(NamedTuple):
    """b blocks of w queries and u keys: places of shape (b, w) and (b, u), and booleans of shape (b, u, w)."""

    queries: np.ndarray
    keys: np.ndarray
    visible: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Pattern(Saved):
    """Token j hears the tokens in ``neighbours[j]`` (0-based), itself only if it is there.

    Parameters
    ----------
    neighbours : for each token those that it hears: n sets, lists, tuples, ranges or arrays of ints
    keys : how many tokens there are to be heard; None: n

    Raises
    ------
    ValueError
        No tokens, one that hears nobody (its softmax is 0/0) or what is no token, more than 2^24 pairs.
    """

    neighbours: Sequence[Any]
    keys: int | None = None

    kind: ClassVar[str] = "pattern"

    def __post_init__(self) -> None:
        if not isinstance(self.neighbours, (list, tuple)) or not self.neighbours:
            raise refused("neighbours", "for each token a list of those that it hears", self.neighbours)
        keys = len(self.neighbours) if self.keys is None else whole("keys", self.keys, 1, MAX_HEARD)
        pairs = sum(_length(given, token, keys) for token, given in enumerate(self.neighbours))
        if pairs > MAX_HEARD:
            raise ValueError(f"neighbours: expected at most {MAX_HEARD:,} pairs of tokens, got {pairs:,}; take a mask.")
        lists = tuple(_tokens(given, token, keys) for token, given in enumerate(self.neighbours))
        object.__setattr__(self, "neighbours", lists)
        object.__setattr__(self, "keys", keys)

    @property
    def shape(self) -> tuple[int, int]:
        """(keys, n), the shape of the mask."""
        return self.keys or 0, len(self.neighbours)

    def mask(self) -> Mask:
        """mask[i, j]: token j hears token i, shape (keys, n). ValueError for more than 32,768 tokens."""
        if max(self.shape) > MAX_LENGTH:
            raise ValueError(f"Pattern.mask: expected at most {MAX_LENGTH:,} tokens, got {max(self.shape):,}.")
        result = np.zeros(self.shape, dtype=bool)
        for token, heard in enumerate(self.neighbours):
            result[heard, token] = True
        return result

    def gather(self) -> tuple[np.ndarray, np.ndarray]:
        """(index, visible) of shape (k, n), k the length of the longest list: token j hears index[i, j] if visible."""
        sizes = self._lengths()
        visible = np.arange(sizes.max())[:, None] < sizes
        index = np.zeros(visible.shape, dtype=np.int64)
        index.T[visible.T] = np.concatenate(self.neighbours)
        return index, visible

    def settings(self) -> Settings:
        """The lists one after the other, with their lengths."""
        return {"keys": self.keys, "heard": np.concatenate(self.neighbours), "lengths": self._lengths()}

    @classmethod
    def from_settings(cls, weights: Settings, settings: Settings) -> Self:
        ends = np.cumsum(settings["lengths"].astype(np.int64))
        return cls(np.split(settings["heard"].astype(np.int64), ends)[:-1], settings["keys"])

    def __repr__(self) -> str:
        keys, n = self.shape
        of = "" if keys == n else f" of {keys}"
        return f"Pattern(n={n}, up to {self._lengths().max()}{of} heard)"

    def _lengths(self) -> np.ndarray:
        return np.array([len(heard) for heard in self.neighbours])

    # ---------------------------------------------------------------------------------------------------------- blocks

    @cached_property
    def blocks(self) -> list[_Block]:
        """Every query once, in blocks of similar size: tokens with lists of like length and place stand together."""
        sizes = self._lengths()
        middle = np.array([heard[len(heard) // 2] for heard in self.neighbours])
        length = np.frexp(sizes)[1]  # those that hear many, together
        order = np.lexsort((middle, length))
        blocks: list[_Block] = []
        for queries in np.split(order, np.flatnonzero(np.diff(length[order])) + 1):
            unions = (_Unions([self.neighbours[j] for j in queries], width, self.shape[0]) for width in WIDTHS)
            blocks += min(unions, key=lambda union: union.cost).blocks(queries)
        return blocks

    def lower(self, system: Arithmetic[N]) -> dict[str, N]:
        """The blocks in the form by which arrays of `system` are indexed."""
        named = {
            f"block{i}.{name}": part for i, block in enumerate(self.blocks) for name, part in block._asdict().items()
        }
        asked = np.concatenate([block.queries.ravel() for block in self.blocks])
        places = np.empty(self.shape[1], dtype=np.int64)
        places[asked] = np.arange(asked.size)
        return {name: system.index(part) for name, part in (named | {"places": places}).items()}


class _Unions:
    """Lists taken `width` at a time, each such block with all keys that are heard in it."""

    def __init__(self, lists: Sequence[np.ndarray], width: int, keys: int) -> None:
        self.width, self.keys = width, keys
        self.query = np.repeat(np.arange(len(lists)), [len(heard) for heard in lists])
        codes = self.query // width * keys + np.concatenate(lists)
        self.codes, self.place = np.unique(codes, return_inverse=True)
        self.sizes = np.bincount(self.codes // keys)
        self.cost = int(self.sizes.sum()) * (width + COLUMN)

    def blocks(self, queries: np.ndarray) -> list[_Block]:
        """The blocks, those of like size filled up to one shape."""
        count, width = len(self.sizes), self.width
        asked = np.append(queries, np.repeat(queries[-1:], count * width - len(queries))).reshape(count, width)
        starts = np.cumsum(self.sizes) - self.sizes
        owner, where = self.codes // self.keys, np.arange(len(self.codes))
        length, blocks = np.frexp(self.sizes)[1], []
        for bits in np.unique(length):
            chosen = length == bits
            row = np.cumsum(chosen) - 1
            keys = np.zeros((int(chosen.sum()), int(self.sizes[chosen].max())), dtype=np.int64)
            visible = np.zeros((*keys.shape, width), dtype=bool)
            mine = chosen[owner]
            keys[row[owner[mine]], (where - starts[owner])[mine]] = self.codes[mine] % self.keys
            block = self.query // width
            pairs = chosen[block]
            visible[row[block[pairs]], (self.place - starts[block])[pairs], (self.query % width)[pairs]] = True
            if chosen[-1] and (rest := len(queries) % width):
                visible[-1, :, rest:] = visible[-1, :, rest - 1 : rest]  # the last query, repeated
            blocks.append(_Block(asked[chosen], keys, visible))
        return blocks


def _refused(given: object, token: int, keys: int) -> ValueError:
    return refused("neighbours", f"token {token} to hear at least one token out of 0, ..., {keys - 1}", given)


def _length(given: Any, token: int, keys: int) -> int:
    """How many tokens a list names; ValueError unless it is a list of that kind."""
    is_list = isinstance(given, (list, tuple, set, frozenset, range))
    if is_list or (isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "iu"):
        with suppress(OverflowError):
            return len(given)
    raise _refused(given, token, keys)


def _tokens(given: Any, token: int, keys: int) -> np.ndarray:
    """The list of a token, sorted, as read-only int64."""
    are_ints = isinstance(given, (range, np.ndarray)) or all(
        type(i) is int or (isinstance(i, np.integer) and not isinstance(i, np.timedelta64)) for i in given
    )
    if not are_ints or not len(given) or min(given) < 0 or max(given) >= keys:
        raise _refused(given, token, keys)
    found = np.unique(np.array([*given], dtype=np.int64))
    found.flags.writeable = False
    return found


Hear = Callable[[Values[N], Keys[N], Queries[N], N], Values[N]]


def hear_in_blocks(
    hear: Hear[N],
    values: Values[N],
    keys: Keys[N],
    queries: Queries[N],
    lowered: Mapping[str, N],
    system: Arithmetic[N],
) -> N:
    """`hear(values, keys, queries, visible)` for each block that `Pattern.lower` gave, in the order of the queries."""
    parts = []
    for i in range(sum(name.endswith(".visible") for name in lowered)):
        asked, heard, visible = (lowered[f"block{i}.{name}"] for name in _Block._fields)
        rows, columns = sum(part.shape[-2] for part in (values, keys, queries)), sum(visible.shape[-2:])
        batch = max(int(np.prod(part.shape[:-2])) for part in (values, queries))
        step = max(1, CHUNK // (batch * (rows * columns + int(np.prod(visible.shape[-2:])))))
        for k in range(0, len(asked), step):
            here = slice(k, k + step)
            v, z = _columns(values, heard[here]), _columns(keys, heard[here])
            block = hear(v, z, _columns(queries, asked[here]), visible[here])
            parts.append(block.swapaxes(-3, -2).reshape(*block.shape[:-3], block.shape[-2], -1))
    return system.join(parts)[..., lowered["places"]]


def _columns(X: N, index: N) -> N:
    """The columns of X at places (b, w), shape (..., b, rows, w)."""
    return X[..., index].swapaxes(-3, -2)
