"""Kajitsuka, Sato (2024): what Corollaries 1 and 2 claim of a network that recalls labels, beside what is measured."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..arithmetic import BALL, Arithmetic
from ..arithmetic.base import scientific, shown
from ..certificate import Certificate, Check
from ..layers import Attention, FeedForward
from ..memorisation import Memory, label_weights
from ..rank_one_attention import has_rank_one

__all__ = ["certify_memory"]

TOLERANCE = Fraction(1, 2**40)


def certify_memory(memory: Memory, *, system: Arithmetic | None = None) -> Certificate:
    """Corollary 1 or 2 for a network: every label in BALL, and the weights, counted on the network itself.

    Parameters
    ----------
    system : a float system in which answers must be nearer than 1/2 to their labels, too; None for none

    Raises
    ------
    ValueError
        No such memory, or no number system.
    """
    if not isinstance(memory, Memory):
        raise ValueError(f"certify: expected the Memory that memorise returns, got {memory!r}.")
    attention, memory_layer = memory.model.layers
    assert isinstance(attention, Attention)
    assert isinstance(memory_layer, FeedForward)
    size, d, n = memory.sequences.shape
    units, s = len(memory_layer.w_1), len(attention.heads[0].w_q)
    matrices = {**attention.weights(), "w_1": memory_layer.w_1}
    crooked = [name for name, w in matrices.items() if not has_rank_one(w)]
    checks = [
        _label_check(memory, BALL.with_bits(memory.bits), "<=", TOLERANCE),
        Check("weights that are not of rank 1: four of attention and W_1", len(crooked), "==", 0, crooked or None),
        Check("hidden units, against the tokens n N", units, "<=", n * size),
        # Four pairs of vectors, the reading, and per unit a kink and an output; the output bias.
        Check(
            "weights, shared, against 4 (s + d) + d (2 n N + d)",
            4 * (s + d) + d + units * (d + 1) + d,
            "<=",
            label_weights(size, n, d, s),
        ),
    ]
    if system is not None:
        checks.insert(1, _label_check(memory, system, "<", Fraction(1, 2)))
    return Certificate(checks, parameters={"N": size, "d": d, "n": n, "head_size": s, "bits": memory.bits})


def _label_check(memory: Memory, system: Arithmetic, relation: str, bound: Fraction) -> Check:
    errors = memory.errors(system)
    i, row, k = (int(u) for u in np.unravel_index(int(errors.argmax()), errors.shape))
    X, answer = memory.sequences[i], _text(memory.labels[i, row, k])
    witness = (
        f"X = {[[_text(u) for u in line] for line in X]}, token {k}, row {row}: label {answer}, "
        f"off by {scientific(errors[i, row, k])}"
    )
    is_ball = system.name == "BALL"
    name = f"|answer - label| in {system.name}, largest"
    return Check(
        name, errors[i, row, k], relation, bound, witness, "enclosed" if is_ball else "exhaustive", errors.size
    )


def _text(value: Any) -> str:
    text = shown(value)
    return text if len(text) < 12 else scientific(value)
