"""Definition 4: within how many layers every token has heard, by way of others, of every token."""

from __future__ import annotations

import numpy as np

from .named_patterns import parse_patterns


def connectivity_depth(patterns: object) -> int | None:
    """The least m such that the first m patterns connect all tokens; None if the list does not.

    Token i has heard of j within m layers if A_{r_k} ... A_{r_1}(i, j) > 0 for some r_1 < ... < r_k <= m, (17): in the
    order in which the layers are applied, each of which a token may sit out (the skip connection). 0 for one token.

    Parameters
    ----------
    patterns : one a layer, each a list of n sets as `pattern` gives, or a `Pattern`; the list is not repeated

    Raises
    ------
    ValueError
        No list of patterns of the same tokens.

    Source: cheng2025, Definition 4.
    """
    rows = parse_patterns("patterns", patterns)
    n = len(rows[0])
    words = -(-n // 64)
    reach = np.zeros((n, words), dtype=np.uint64)
    reach[np.arange(n), np.arange(n) // 64] = np.uint64(1) << (np.arange(n) % 64).astype(np.uint64)
    full = np.bitwise_or.reduce(reach, axis=0)
    runs: dict[int, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {}
    for depth, pattern in enumerate(rows):
        if (reach == full).all():
            return depth
        if id(pattern) not in runs:
            runs[id(pattern)] = _runs(pattern)
        new = reach.copy()
        table: dict[int, np.ndarray] = {0: reach}
        for tokens, starts, ends in runs[id(pattern)]:
            # All of a stretch of tokens at once: the bits of 2^k of them from each, k = 0, 1, ...
            k = int(ends[0] - starts[0]).bit_length() - 1
            for level in range(1, k + 1):
                if level not in table:
                    below, step = table[level - 1], 1 << (level - 1)
                    table[level] = below.copy()
                    table[level][:-step] |= below[step:]
            new[tokens] |= table[k][starts] | table[k][ends - (1 << k)]
        reach = new
    return len(rows) if (reach == full).all() else None


def _runs(pattern: tuple[tuple[int, ...], ...]) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Stretches of consecutive tokens that a token attends to: (tokens, starts, ends), of one power of two each.

    No token stands twice in one group, so that a group can be written at once.
    """
    groups: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for token, row in enumerate(pattern):
        start, count = None, 0
        for place, j in enumerate(row):
            start = j if start is None else start
            if place + 1 == len(row) or row[place + 1] != j + 1:
                groups.setdefault(((j + 1 - start).bit_length(), count), []).append((token, start, j + 1))
                start, count = None, count + 1
    return [tuple(np.array(column) for column in zip(*group, strict=True)) for group in groups.values()]  # type: ignore[misc]
