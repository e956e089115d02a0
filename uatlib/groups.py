"""Groups of permutations of tokens, by generators: f(X P) = f(X) P for all P of a group if for those that generate it.

A permutation is a tuple p of 0, ..., n - 1; column j of X P is column p[j] of X, that is X[..., p].
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeVar

from .checks import permutations, refused, whole

__all__ = ["elements", "orbits"]

MAX_ELEMENTS = 50_000
MAX_TOKENS, MAX_ENTRIES = 1_000_000, 10_000_000

Permutation = tuple[int, ...]
T = TypeVar("T")


def generators(group: object, n: int, what: str = "group") -> list[Permutation]:
    """Permutations of n tokens that generate the group, without the identity.

    Parameters
    ----------
    group : "symmetric", "cyclic", "dihedral", "trivial", or a list of permutations

    Raises
    ------
    ValueError
        Another name, what is no permutation of 0, ..., n - 1, or n no int from 1 to a million.
    """
    identity = tuple(range(whole("n", n, 1, MAX_TOKENS)))
    rotation, reflection = identity[1:] + identity[:1], identity[::-1]
    named = {
        "symmetric": [(1, 0, *identity[2:]) if n > 1 else identity, rotation],
        "cyclic": [rotation],
        "dihedral": [rotation, reflection],
        "trivial": [],
    }
    if isinstance(group, str) and group not in named:
        raise refused(what, f"one of {', '.join(named)}, or a list of permutations", group)
    found = named[group] if isinstance(group, str) else permutations(what, group, n)
    return [p for p in dict.fromkeys(found) if p != identity]


def elements(group: object, n: int) -> list[Permutation]:
    """All permutations of the group, the identity first, nearer products of generators before farther ones.

    Raises
    ------
    ValueError
        As `generators`, or there are more than 50,000: take the generators.
    """
    n = whole("n", n, 1, MAX_TOKENS)
    steps, most = generators(group, n), min(MAX_ELEMENTS, MAX_ENTRIES // n)
    found = list(
        itertools.islice(_reached(tuple(range(n)), lambda p: [tuple(p[i] for i in g) for g in steps]), most + 1)
    )
    if len(found) > most:
        expected = f"at most {MAX_ELEMENTS:,} permutations with {MAX_ENTRIES:,} numbers"
        raise refused("group", expected, group, "test on its generators")
    return found


def orbits(group: object, n: int) -> list[tuple[int, ...]]:
    """The tokens that the group carries into each other: sorted tuples, by their least. Errors as `generators`."""
    steps, left, found = generators(group, n), dict.fromkeys(range(n)), []
    while left:
        orbit = list(_reached(next(iter(left)), lambda i: [p[i] for p in steps]))
        found.append(tuple(sorted(orbit)))
        for token in orbit:
            del left[token]
    return found


def _reached(start: T, steps: Callable[[T], list[T]]) -> Iterator[T]:
    """Where steps lead, the nearer first. Those of permutations need no inverses, which are their powers."""
    found, waiting = {start}, deque([start])
    while waiting:
        yield (here := waiting.popleft())
        new = [there for there in dict.fromkeys(steps(here)) if there not in found]
        found.update(new)
        waiting.extend(new)
