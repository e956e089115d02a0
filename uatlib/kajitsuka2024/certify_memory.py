"""Kajitsuka, Sato (2024): what Corollaries 1 and 2 claim of a network that recalls labels, beside what is measured."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..arithmetic import BALL, FLOAT64, Arithmetic
from ..arithmetic.numbers import scientific
from ..certificate import Certificate, Check
from ..checks import instance, refused, shown
from ..layer_runs import crooked, has_rank_one
from ..layers import RELU, Attention, FeedForward
from ..layers.standard import is_standard
from .memorisation import Memory, label_weights

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
    instance("memory", memory, Memory, "memorise returns one")
    if system is not None and not isinstance(system, type(FLOAT64)):
        raise refused("system", "FLOAT64, FLOAT32 or None", system)
    size, d, n = memory.sequences.shape
    claimed = {"N": size, "d": d, "n": n, "head_size": memory.head_size, "bits": memory.bits}
    layers = memory.model.layers
    wrong = int([type(layer) for layer in layers] != [Attention, FeedForward])
    order = Check("layers out of order (attention, then ReLUs)", wrong, "==", 0, repr(memory.model) if wrong else None)
    if wrong:
        return Certificate([order], parameters=claimed)
    attention, memory_layer = instance("layer", layers[0], Attention), instance("layer", layers[1], FeedForward)
    units, s = len(memory_layer.w_1), len(attention.heads[0].w_q)
    names = [*crooked([attention]), *([] if has_rank_one(memory_layer.w_1) else ["w_1"])]
    others = [] if attention.normalization == "softmax" and is_standard(attention) else [repr(attention)]
    others += [] if memory_layer.activation == RELU and is_standard(memory_layer) else [repr(memory_layer)]
    neither = "layers that are neither softmax attention without a mask nor ReLU layers"
    # Four pairs of vectors, the reading, and per unit a kink and an output; the output bias.
    shared = 4 * (s + d) + d + units * (d + 1) + d
    checks = [
        *([_label_check(memory, BALL.with_bits(memory.bits), "<=", TOLERANCE)] if not others else []),
        *([_label_check(memory, system, "<", Fraction(1, 2))] if not others and system is not None else []),
        order,
        Check(neither, len(others), "==", 0, others[0] if others else None, cases=2),
        Check("heads", len(attention.heads), "==", 1),
        Check("head size s", s, "==", memory.head_size),
        Check("weights that are not of rank 1: four of attention and W_1", len(names), "==", 0, names or None, cases=5),
        Check("hidden units, one for each id but the first", units, "==", memory.ids - 1),
        Check("hidden units, against the tokens n N", units, "<=", n * size),
        Check("weights, shared, against 4 (s + d) + d (2 n N + d)", shared, "<=", label_weights(size, n, d, s)),
    ]
    return Certificate(checks, parameters=claimed)


def _label_check(memory: Memory, system: Arithmetic, relation: str, bound: Fraction) -> Check:
    errors = memory.errors(system)
    i, row, k = (int(u) for u in np.unravel_index(int(errors.argmax()), errors.shape))
    X, answer = memory.sequences[i], _text(memory.labels[i, row, k])
    off, name = errors[i, row, k], f"|answer - label| in {system.name}, largest"
    where = f"X = {[[_text(u) for u in line] for line in X]}, token {k}, row {row}: label {answer}"
    method: Any = "enclosed" if system.name == "BALL" else "exhaustive"
    return Check(name, off, relation, bound, f"{where}, off by {scientific(off)}", method, errors.size)


def _text(value: Any) -> str:
    text = shown(value)
    return text if len(text) < 12 else scientific(value)
