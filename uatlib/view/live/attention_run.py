"""What one head of attention makes of contexts, in numbers and in words: for the first frame of its live picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arithmetic import FLOAT64
from ...model import Transformer
from .picture import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .attention import Attention

POSITIONS = ("first", "second", "third", "fourth", "fifth")
SAME = 1e-9
"""Outputs that are nearer than this count as the same: sums of floats that differ by rounding."""


class Run:
    """What the layer makes of the contexts at some values."""

    def __init__(self, shown: Attention, values: Mapping[str, Any]) -> None:
        example = values.get("example", next(iter(shown.examples)))
        network = values.get("network", next(iter(shown.networks)))
        mask = values.get("mask", next(iter(shown.masks)))
        self.lists = shown.data["heard"][mask]
        self.position, self.wants_scores = values["listener"], values["scores"]
        self.tokens = {
            token: (values[f"x{k}"], values[f"y{k}"]) for (of, token), k in shown.places.items() if of == example
        }
        self.vectors = {key: (values[f"u{k}"], values[f"v{k}"]) for k, key in enumerate(shown.vectors, 1)}
        self.names, self.contexts = list(shown.examples[example]), [list(c) for c in shown.examples[example].values()]
        self.at = min(POSITIONS.index(self.position), len(self.contexts[0]) - 1)
        layer: Any = shown.networks[network].layers[0]
        self.hard = layer.normalization == "hardmax"
        # Hardmax does not ask for a factor, which would only round the scores.
        self.factor = 1 if self.hard else values.get("scale", 1)
        weights: dict[str, np.ndarray] = {}
        self.roles = {key: names[network] for key, (names, _) in shown.vectors.items()}
        for key, names in self.roles.items():
            for name in names:
                weights[name] = np.reshape(self.vectors[key], (2, 1) if name == "w_o" else (1, 2))
        head = replace(layer.heads[0], **weights)
        X = np.array([[self.tokens[token] for token in context] for context in self.contexts], float).swapaxes(1, 2)
        self.keys, self.queries, self.values = (_floats(w) @ X for w in (head.w_k, head.w_q, head.w_v))
        root = np.sqrt(self.factor)
        scaled = head if self.factor == 1 else replace(head, w_q=root * _floats(head.w_q), w_k=root * _floats(head.w_k))
        layer = replace(layer, heads=[scaled], mask=shown.masks[mask])
        self.outputs = Transformer([layer])(X, FLOAT64).numpy().swapaxes(1, 2)
        self.weights = _weights(layer, X)
        self.kernel = layer.kernel

    def projects(self, key: str) -> bool:
        """Whether this vector makes keys or queries."""
        return not {"w_k", "w_q"}.isdisjoint(self.roles[key])

    def scores(self, c: int) -> np.ndarray:
        """Of context c, times the factor; keys down, queries across."""
        if self.kernel.kind == "constant":
            return np.zeros_like(self.weights[c])
        native = (FLOAT64.array(part[c], "scores") for part in (self.keys, self.queries))
        found: np.ndarray = self.factor * self.kernel.scores(*native, FLOAT64).numpy()
        return found

    def heard(self, c: int) -> str:
        """Whom the listener hears in context c, and where it goes; ties of hardmax."""
        context, column = self.contexts[c], self.weights[c][:, self.at]
        parts = ", ".join(f"{token} ({number(w, 3)})" for token, w in zip(context, column, strict=True))
        if len(self.values[c]) == 1:
            parts += f": {number(float(self.values[c][0] @ column))},"
        text = f"{context[self.at]} hears {parts} and goes to {point(self.outputs[c][self.at])}"
        tied = [token for token, w in zip(context, column, strict=True) if w > 0]
        if self.hard and len(tied) > 1:
            text += f"; {listed(tied)} tie: hardmax takes the mean"
        return f"{self.names[c]}: {text}" if len(self.contexts) > 1 else text

    def apart(self) -> dict[str, float]:
        """For each token of both contexts the distance of what the layer makes of it."""
        if len(self.contexts) == 1:
            return {}
        one, two = self.contexts
        shared = [token for token in one if token in two]
        return {t: _distance(self.outputs[0][one.index(t)], self.outputs[1][two.index(t)]) for t in shared}

    def verdict(self) -> str:
        """Shared tokens that are told apart; in one context the two outputs that are nearest."""
        if len(self.contexts) == 1:
            pairs = combinations(zip(self.contexts[0], self.outputs[0], strict=True), 2)
            gap, one, two = min(((_distance(u, v), s, t) for (s, u), (t, v) in pairs), key=lambda found: found[0])
            return (
                f"least distance of two outputs: {number(gap)} ({one} and {two}{', a collision' if gap < SAME else ''})"
            )
        found = self.apart()
        different = [f"{token} (by {number(gap)})" for token, gap in found.items() if not gap < SAME]
        same = [token for token, gap in found.items() if gap < SAME]
        told = f"told apart: {', '.join(different)}" if different else "no shared token is told apart"
        return f"{told}; the same in both: {listed(same)}" if same else told


def _weights(layer: Any, X: np.ndarray) -> np.ndarray:
    """The weights of the layer, keys down and queries across: found as what tokens hear of one-hot values."""
    count, n = len(X), X.shape[2]
    (head,) = layer.heads
    zeros = np.zeros((len(head.w_q), n))
    probe = replace(
        head, w_q=np.hstack([_floats(head.w_q), zeros]), w_k=np.hstack([_floats(head.w_k), zeros]),
        w_v=np.hstack([np.zeros((n, 2)), np.eye(n)]), w_o=np.eye(n),
    )  # fmt: skip
    told = np.concatenate([X, np.broadcast_to(np.eye(n), (count, n, n))], axis=1)
    found: np.ndarray = Transformer([replace(layer, heads=[probe], skip=False)])(told, FLOAT64).numpy()
    return found


def _floats(weight: Any) -> np.ndarray:
    return np.asarray(weight, float)


def _distance(one: np.ndarray, two: np.ndarray) -> float:
    return float(np.hypot(*(one - two)))


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return ", ".join(names[:-1]) + f"{' and ' if names[1:] else ''}{names[-1]}"


def point(place: Any, digits: int = 4) -> str:
    """A place in the plane."""
    return f"({', '.join(number(float(entry), digits) for entry in place)})"
