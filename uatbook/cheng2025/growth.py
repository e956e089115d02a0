"""How fast kernels grow as a key is scaled, exactly; which keys dominate others, and the proof of Lemma 1 by them.

Source: cheng2025, (13), Lemmas 1 and 2 of appendix C.1; the growths: ours.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from uatlib.checks import instance, rationals, refused, shown
from uatlib.cheng2025.named_kernels import require_entries
from uatlib.internal.shapes import Numbers
from uatlib.kernels import Kernel, dot


def growth(kernel: Kernel, x: Numbers, y: Numbers) -> np.ndarray:
    """(a, b, c) with k(x, t y) of the order e^{a t^2 + b t} t^c as t tends to infinity, shape (..., 3), exact.

    So k(x, t y_1)/k(x, t y_2) tends to infinity or to 0, as the first or the second triple is the larger in the order
    of the dictionary; where they are equal it stays between two positive numbers. x != 0 is not asked for. For Laplace,
    whose b is -|y|, the second number is -|y|^2: it has the same order.

    Parameters
    ----------
    x, y : (d,) and (..., d), exact numbers

    Raises
    ------
    ValueError
        Another kernel than `kernel` gives, inexact numbers, vectors of different lengths, or not as long as the
        kernel's own.

    Source: the exponents of cheng2025, appendix C.2, with the other kernels: ours.
    """
    instance("kernel", kernel, Kernel)
    query, key = (rationals(name, value) for name, value in (("x", x), ("y", y)))
    if query.ndim != 1 or key.shape[-1:] != query.shape:
        raise refused("y", f"vectors of {query.shape[-1] if query.ndim else 1} entries, as x has", key.shape)
    require_entries(kernel, query.shape[-1])
    parts = [np.asarray(part, dtype=object) for part in kernel.grows(query, key)]
    return np.stack(np.broadcast_arrays(*parts, dot(key, key))[:3], -1)


def settles(kernel: Kernel, x: Numbers, y_1: Numbers, y_2: Numbers) -> np.ndarray:
    """Whether k(x, t y_1)/k(x, t y_2) stays between two positive numbers, so that (13) fails; booleans, (...)."""
    return np.asarray((growth(kernel, x, y_1) == growth(kernel, x, y_2)).all(axis=-1), dtype=bool)


class Peeled(NamedTuple):
    """Where the contexts of two tokens part, when keys are scaled by t.

    Attributes
    ----------
    order : all tokens, shape (d, p), the dominating first
    common : how many of the first are in both contexts
    sign : 1 if the next is in the first context, -1 if it is in the second, 0 if there is none
    """

    order: np.ndarray
    common: int
    sign: int


def peel(kernel: Kernel, x: Numbers, W_K: Numbers, A: Numbers, B: Numbers) -> Peeled:
    """The proof of Lemma 1: order the tokens of A and B by the growth of their keys, peel off what both have.

    What x hears beyond those that are peeled off, over k(next)/k(first), tends to
    next - first as t grows.

    Parameters
    ----------
    A, B : (d, r) and (d, s), distinct columns, exact
    W_K : (d, d), exact, under which no two keys grow alike

    Raises
    ------
    ValueError
        Two keys that grow alike, shapes that do not go together.

    Source: cheng2025, Lemmas 1 and 2.
    """
    W, parts = rationals("W_K", W_K, 2), [rationals(name, Z, 2) for name, Z in (("A", A), ("B", B))]
    for name, rows in (("W_K", W.T), ("W_K", W), ("B", parts[1])):
        if len(rows) != len(parts[0]):
            raise refused(name, f"{len(parts[0])} rows, and as many columns of W_K, as A has", len(rows))
    first, second = ({tuple(token) for token in Z.T} for Z in parts)
    tokens = sorted(first | second)
    found = {token: tuple(growth(kernel, x, W @ np.array(token))) for token in tokens}
    order = sorted(tokens, key=lambda token: found[token], reverse=True)
    for above, below in itertools.pairwise(order):
        if found[above] == found[below]:
            raise refused("W_K", "one under which no two keys grow alike", f"{shown(above)} and {shown(below)}")
    common = next((q for q, token in enumerate(order) if (token in first) != (token in second)), len(order))
    sign = 0 if common == len(order) else 1 if order[common] in first else -1
    return Peeled(np.array(order, dtype=object).T, common, sign)
