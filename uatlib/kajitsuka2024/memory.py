"""A network that recalls labels, and what Corollaries 1 and 2 claim of it, beside what is measured."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..arithmetic import BALL, FLOAT64, Arithmetic, Ball, distances
from ..certificate import Certificate, Check
from ..checks import instance, rationals, refused, require_shape, whole
from ..internal.layer_runs import crooked, has_rank_one, is_standard
from ..internal.measured import Method
from ..layers import RELU, Attention, FeedForward
from ..model import Transformer

TOLERANCE = Fraction(1, 2**40)


@dataclass(frozen=True, eq=False)
class Memory:
    """A network that recalls labels.

    Attributes
    ----------
    model : the attention layer and the feed-forward layer, with exact weights
    sequences, labels : Fractions, shape (N, d, n); columns are tokens, and the labels of tokens
    encodings : the matrix E of shape (d, n) that is added to every sequence, or None
    head_size : s
    scale : beta of the attention layer
    reading : the vector a
    ids : how many different ids there are, m
    gap : the least distance of two ids along the reading, enclosed
    bits : the working precision at which ids were told apart
    """

    model: Transformer
    sequences: np.ndarray
    labels: np.ndarray
    encodings: np.ndarray | None
    head_size: int
    scale: Fraction
    reading: tuple[Fraction, ...]
    ids: int
    gap: Ball
    bits: int

    def __call__(self, X: object, system: Arithmetic) -> Any:
        """The network's answers to X of shape (..., d, n), plus the encodings if there are any, in `system`.

        Encodings are added exactly, so X is then of ints, Fractions or floats.

        Raises
        ------
        ValueError
            X is no such array, of another shape, or as `Transformer`.
        """
        return self.model(encoded(X, self.encodings), system)

    def errors(self, system: Arithmetic = FLOAT64) -> np.ndarray:
        """|answer - label| for every sequence and entry, shape (N, d, n): Fractions; upper bounds if in BALL."""
        answers = self(self.sequences, system)
        if not isinstance(answers, np.ndarray):
            answers = answers.cpu().double().numpy().astype(object)
        return distances(answers, self.labels)

    def weights(self) -> dict[str, int]:
        """Weights of the network: "printed", the bound of Corollary 1; "shared", what this one needs; "stored".

        Needed are the factors of four matrices of rank 1, the reading, m - 1 kinks, (m - 1) d output weights and d
        biases. Stored are all entries of the matrices.
        """
        N, d, n = self.sequences.shape
        attention = 4 * (self.head_size + d)
        return {
            "printed": label_weights(N, n, d, self.head_size),
            "shared": attention + d + (self.ids - 1) * (d + 1) + d,
            "stored": self.model.parameter_count(),
        }

    def certify(self, *, system: Arithmetic | None = None) -> Certificate:
        """Corollary 1 or 2 for a network: every label in BALL, and the weights, counted on the network itself.

        Parameters
        ----------
        system : a float system in which answers must be nearer than 1/2 to their labels, too; None for none

        Raises
        ------
        ValueError
            No number system.
        """
        if system is not None and not isinstance(system, type(FLOAT64)):
            raise refused("system", "FLOAT64, FLOAT32 or None", system)
        size, d, n = self.sequences.shape
        claimed = {"N": size, "d": d, "n": n, "head_size": self.head_size, "bits": self.bits}
        layers = self.model.layers
        wrong = int([type(layer) for layer in layers] != [Attention, FeedForward])
        order = Check(
            "layers out of order (attention, then ReLUs)", wrong, "==", 0, repr(self.model) if wrong else None
        )
        if wrong:
            return Certificate([order], parameters=claimed)
        attention, relus = instance("layer", layers[0], Attention), instance("layer", layers[1], FeedForward)
        units, s = len(relus.w_1), len(attention.heads[0].w_q)
        names = [*crooked([attention]), *([] if has_rank_one(relus.w_1) else ["w_1"])]
        others = [] if attention.normalization == "softmax" and is_standard(attention) else [repr(attention)]
        others += [] if relus.activation == RELU and is_standard(relus) else [repr(relus)]
        neither = "layers that are neither softmax attention without a mask nor ReLU layers"
        # Four pairs of vectors, the reading, and per unit a kink and an output; the output bias.
        shared = 4 * (s + d) + d + units * (d + 1) + d
        checks = [
            *([_label_check(self, BALL.with_bits(self.bits), "<=", TOLERANCE)] if not others else []),
            *([_label_check(self, system, "<", Fraction(1, 2))] if not others and system is not None else []),
            order,
            Check(neither, len(others), "==", 0, others[0] if others else None, cases=2),
            Check("heads", len(attention.heads), "==", 1),
            Check("head size s", s, "==", self.head_size),
            Check(
                "weights that are not of rank 1: four of attention and W_1", len(names), "==", 0, names or None, cases=5
            ),
            Check("hidden units, one for each id but the first", units, "==", self.ids - 1),
            Check("hidden units, against the tokens n N", units, "<=", n * size),
            Check("weights, shared, against 4 (s + d) + d (2 n N + d)", shared, "<=", label_weights(size, n, d, s)),
        ]
        return Certificate(checks, parameters=claimed)


def label_weights(size: int, n: int, d: int, head_size: int = 1) -> int:
    """4 (s + d) + d (2 n N + d): weights that are enough for N labelled sequences.

    Raises
    ------
    ValueError
        One of them is no int >= 1.

    Source: kajitsuka2024, Corollary 1.
    """
    size, n, d, s = whole("size", size, 1), whole("n", n, 1), whole("d", d, 1), whole("head_size", head_size, 1)
    return 4 * (s + d) + d * (2 * n * size + d)


def encoded(X: object, E: np.ndarray | None) -> Any:
    """X + E; X where there is no E."""
    if E is None:
        return X
    array = rationals("X", X)
    require_shape(array, *E.shape)
    return array + E


def _label_check(memory: Memory, system: Arithmetic, relation: str, bound: Fraction) -> Check:
    errors = memory.errors(system)
    i, row, k = (int(u) for u in np.unravel_index(int(errors.argmax()), errors.shape))
    off, name = errors[i, row, k], f"|answer - label| in {system.name}, largest"
    witness = {"X": memory.sequences[i], "token": k + 1, "row": row + 1, "label": memory.labels[i, row, k]}
    method: Method = "enclosed" if system.name == "BALL" else "exhaustive"
    return Check(name, off, relation, bound, witness, method, errors.size)
