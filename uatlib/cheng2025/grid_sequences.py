"""Sequences of grid tokens, one of each orbit under a group of permutations, and how many tokens they have.

Tokens are numbered 0, ..., D - 1; a sequence is a row of n numbers. Column j of X P is column p[j] of X. Tokens i and j
of one sequence are alike if some P of the group with X P = X carries one to the other.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from ..checks import shown
from ..groups import elements
from ..sizes import ConstructionTooLarge
from .automorphisms import Permutation, automorphism_generators

MAX_SEQUENCES = 2**20
MAX_TOKENS = 2**15
"""Of all orbits: four hidden units each, made in some seconds."""


class Symmetry(NamedTuple):
    """A group of permutations of n tokens, by generators; its elements, or None where it is all of S_n."""

    n: int
    generators: list[Permutation]
    order: int
    elements: list[Permutation] | None

    @property
    def name(self) -> str:
        """S_n, C_n, D_n, or its order."""
        if self.elements is None:
            return f"S_{self.n}"
        named = ((f"{name[0].upper()}_{self.n}", elements(name, self.n)) for name in ("cyclic", "dihedral"))
        found = (name for name, known in named if set(known) == set(self.elements))
        return next(found, f"a group of {self.order} permutations" if self.order > 1 else "{Id}")


def symmetry_of(patterns: object, n: int) -> Symmetry:
    """The common automorphisms of the patterns, (18); ValueError if they are more than can be listed, but not S_n."""
    found = automorphism_generators(patterns)
    listed = None if found.order == math.factorial(n) else elements(found.generators, n)
    return Symmetry(n, found.generators, found.order, listed)


def token_count(size: int, symmetry: Symmetry, repeats: bool) -> int:
    """Tokens of all orbits of sequences of n out of `size` tokens, those that are alike once.

    Without `repeats` of sequences in general position, whose orbits have |G| elements: n perm(size, n)/|G|. With them,
    by Burnside's lemma, (1/|G|) sum over P of (fixed points of P) size^(cycles of P), which for S_n is
    size C(size + n - 2, n - 1).
    """
    n = symmetry.n
    if not repeats:
        return n * math.perm(size, n) // symmetry.order
    if symmetry.elements is None:
        return size * math.comb(size + n - 2, n - 1)
    fixed = sum(sum(p[i] == i for i in range(n)) * size ** _cycles(p) for p in symmetry.elements)
    return fixed // symmetry.order


def sequence_count(size: int, symmetry: Symmetry) -> int:
    """Sequences that are looked at: multisets for S_n, else all size^n, of which one of each orbit is kept."""
    n = symmetry.n
    return math.comb(size + n - 1, n) if symmetry.elements is None else size**n


def require_sequences(what: str, size: int, symmetry: Symmetry) -> None:
    """Refuse more than can be looked at, before any is made."""
    count, n = sequence_count(size, symmetry), symmetry.n
    kept = count if symmetry.elements is None else count // symmetry.order
    if count > MAX_SEQUENCES or kept * n > MAX_TOKENS:
        many = f"about {kept * n:,}" if kept < 10**15 else f"more than 10^{int(math.log10(kept))}"
        raise ConstructionTooLarge(
            f"{what}: {shown(size)} tokens on the grid make sequences with {many} tokens to tell apart; the limits "
            f"are {MAX_TOKENS:,} of them and {MAX_SEQUENCES:,} sequences. Choose a coarser grid or shorter sequences."
        )


class GridSequences(NamedTuple):
    """One sequence of each orbit, (count, n); of alike tokens the first, booleans; those that get a value, booleans."""

    rows: np.ndarray
    counted: np.ndarray
    wanted: np.ndarray


def grid_sequences(size: int, symmetry: Symmetry, repeats: bool) -> GridSequences:
    """All orbits of sequences of n out of `size` tokens; with `repeats` also those not in general position count."""
    rows = _orbit_rows(size, symmetry)
    counted = _alike(rows, symmetry) == np.arange(symmetry.n)
    return GridSequences(rows, counted, counted & (in_general_position(rows)[:, None] | repeats))


def in_general_position(rows: np.ndarray) -> np.ndarray:
    """Which sequences have n different tokens."""
    return np.asarray((np.diff(np.sort(rows, axis=1), axis=1) > 0).all(axis=1))


def _orbit_rows(size: int, symmetry: Symmetry) -> np.ndarray:
    n = symmetry.n
    if symmetry.elements is None:
        flat = itertools.chain.from_iterable(itertools.combinations_with_replacement(range(size), n))
        return np.fromiter(flat, dtype=np.int64).reshape(-1, n)
    weights = size ** np.arange(n)[::-1]
    codes = np.arange(size**n)
    rows = codes[:, None] // weights % size
    least = np.ones(len(rows), dtype=bool)
    for p in symmetry.elements:
        least &= codes <= rows[:, p] @ weights
    return np.asarray(rows[least])


def _alike(rows: np.ndarray, symmetry: Symmetry) -> np.ndarray:
    """For each token of each sequence the first that is alike, shape (count, n)."""
    n = symmetry.n
    first = np.tile(np.arange(n), (len(rows), 1))
    if symmetry.elements is None:
        for j in range(1, n):
            same = rows[:, j] == rows[:, j - 1]
            first[same, j] = first[same, j - 1]
        return first
    for p in symmetry.elements:
        fixed = (rows[:, p] == rows).all(axis=1)
        first[fixed] = np.minimum(first[fixed], p)
    return first


def _cycles(p: Permutation) -> int:
    left, count = set(range(len(p))), 0
    while left:
        count += 1
        here = next(iter(left))
        while here in left:
            left.remove(here)
            here = p[here]
    return count
