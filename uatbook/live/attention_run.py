"""What one head of attention makes of contexts, in numbers and in words: for the first frame of its live picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from uatlib.arithmetic import FLOAT64
from uatlib.model import Transformer

from .picture import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .attention import Attention

POSITIONS = ("first", "second", "third", "fourth", "fifth")
SAME = 1e-9
"""Outputs that are nearer than this count as the same: sums of floats that differ by rounding."""


def has_factor(layer: Any) -> bool:
    """Whether a factor of keys and queries is one of scores. Hardmax does not ask for one, which would only round."""
    return layer.normalization != "hardmax" and layer.kernel.kind in ("dot", "rbf")


@dataclass(frozen=True)
class Shared:
    """A token of both contexts: how far apart its outputs are, by how much what it hears differs, whether it cannot."""

    token: str
    apart: float
    by: float
    surely: bool

    @property
    def differs(self) -> bool:
        return not self.apart < SAME


class Run:
    """What the layer makes of the contexts at some values."""

    def __init__(self, shown: Attention, values: Mapping[str, Any]) -> None:
        example = values.get("example", next(iter(shown.examples)))
        network = values.get("network", next(iter(shown.networks)))
        mask = values.get("mask", next(iter(shown.masks)))
        self.lists = shown.data["heard"][mask]
        self.wants_scores = values["scores"]
        self.tokens = {
            token: (values[f"x{k}"], values[f"y{k}"]) for (of, token), k in shown.places.items() if of == example
        }
        self.vectors = {key: (values[f"u{k}"], values[f"v{k}"]) for k, key in enumerate(shown.vectors, 1)}
        self.names, self.contexts = list(shown.examples[example]), [list(c) for c in shown.examples[example].values()]
        self.at = min(POSITIONS.index(values["listener"]), len(self.contexts[0]) - 1)
        self.position = POSITIONS[self.at]
        layer: Any = shown.networks[network].layers[0]
        self.hard = layer.normalization == "hardmax"
        self.factor = values.get("scale") if has_factor(layer) else None
        weights: dict[str, np.ndarray] = {}
        self.roles = {key: names[network] for key, (names, _) in shown.vectors.items()}
        for key, names in self.roles.items():
            for name in names:
                weights[name] = np.reshape(self.vectors[key], (2, 1) if name == "w_o" else (1, 2))
        head = replace(layer.heads[0], **weights)
        X = np.array([[self.tokens[token] for token in context] for context in self.contexts], float).swapaxes(1, 2)
        self.keys, self.queries, self.values = (_floats(w) @ X for w in (head.w_k, head.w_q, head.w_v))
        factor = 1 if self.factor is None else self.factor
        root = np.sqrt(factor)
        scaled = head if factor == 1 else replace(head, w_q=root * _floats(head.w_q), w_k=root * _floats(head.w_k))
        layer = replace(layer, heads=[scaled], mask=shown.masks[mask])
        self.outputs = Transformer([layer])(X, FLOAT64).numpy().swapaxes(1, 2)
        self.weights = _weights(layer, X)
        self.kernel = layer.kernel
        named = {name for names in self.roles.values() for name in names}
        self.line = shown.data["line"][network] and [
            next(self.vectors[key][0] for key, names in self.roles.items() if name in names) if name in named else start
            for name, start in shown.data["line"][network].items()
        ]
        self.starts = {
            token: shown.data["starts"][k]
            for (of, token), k in shown.places.items()
            if of == example and k in shown.data["starts"]
        }

    def is_filler(self, k: int) -> bool:
        """Whether position k does not see itself: padding, and nobody asks what comes out there."""
        return self.lists is not None and k not in self.lists[k]

    def projects(self, key: str) -> bool:
        """Whether this vector makes keys or queries."""
        return not {"w_k", "w_q"}.isdisjoint(self.roles[key])

    def scores(self, c: int) -> np.ndarray:
        """Of context c, times the factor; keys down, queries across."""
        if self.kernel.kind == "constant":
            return np.zeros_like(self.weights[c])
        native = (FLOAT64.array(part[c], "scores") for part in (self.keys, self.queries))
        factor = 1 if self.factor is None else self.factor
        found: np.ndarray = factor * self.kernel.scores(*native, FLOAT64).numpy()
        return found

    def sees(self, c: int, at: int) -> list[str]:
        """The tokens of context c that position `at` sees."""
        return [token for i, token in enumerate(self.contexts[c]) if self.lists is None or i in self.lists[at]]

    def hears(self, c: int, at: int) -> list[str]:
        """Those of them that have weight: with hardmax the winners alone."""
        column = dict(zip(self.contexts[c], self.weights[c][:, at], strict=True))
        return [token for token in self.sees(c, at) if column[token] > 0 or not self.hard]

    def heard(self, c: int) -> str:
        """Whom the listener hears in context c, and where it goes; ties of hardmax; who is hidden."""
        context, column = self.contexts[c], self.weights[c][:, self.at]
        listener, given = context[self.at], dict(zip(context, column, strict=True))
        heard, seen = self.hears(c, self.at), self.sees(c, self.at)
        names = {token: "itself" if token == listener else token for token in heard}
        parts = ", ".join(f"{names[t]} ({share(given[t])})" for t in heard)
        text = f"{listener}{', a filler,' if self.is_filler(self.at) else ''} hears "
        text += parts if heard[1:] else f"only {names[heard[0]]}"
        if len(self.values[c]) == 1:
            text += f", in all {trimmed(self.all_heard(c)[self.at])},"
        text += f" and goes to {point(self.outputs[c][self.at])}"
        if self.hard and heard[1:]:
            text += f"; {listed(heard)} tie: hardmax takes the mean"
        if len(seen) < len(context):
            text += f"; hidden: {', '.join(token for token in context if token not in seen)}"
        return f"{self.names[c]}: {text}" if len(self.contexts) > 1 else text

    def all_heard(self, c: int) -> list[float]:
        """The number that each token of context c hears."""
        return [float(self.values[c][0] @ column) for column in self.weights[c].T]

    def shared(self) -> list[Shared]:
        """Tokens of both contexts that are a filler in neither."""
        if len(self.contexts) == 1:
            return []
        one, two = self.contexts
        found = []
        for i, token in enumerate(one):
            if token not in two or self.is_filler(i) or self.is_filler(j := two.index(token)):
                continue
            apart = by = _distance(self.outputs[0][i], self.outputs[1][j])
            if len(self.values[0]) == 1:
                by = abs(self.all_heard(0)[i] - self.all_heard(1)[j])
            found.append(Shared(token, apart, by, self._is_told_the_same(i, j)))
        return found

    def _is_told_the_same(self, i: int, j: int) -> bool:
        """Whether positions i and j hear the same for certain: the same tokens, or with hardmax a mean."""
        if set(self.sees(0, i)) == set(self.sees(1, j)):
            return True
        one, two = self.hears(0, i), self.hears(1, j)
        sums = ([sum(round(10 * self.tokens[t][r]) for t in heard) for r in (0, 1)] for heard in (one, two))
        first, second = sums
        return self.hard and all(len(two) * a == len(one) * b for a, b in zip(first, second, strict=True))

    def verdict(self) -> str:
        """Shared tokens that are told apart; in one context what its tokens hear, and which fall together."""
        if len(self.contexts) == 1:
            return "; ".join([*self._numbers(), *self._collisions()])
        shared = self.shared()
        if not shared:
            return "no token to compare"
        different = [one for one in shared if one.differs]
        same = {
            told: [one.token for one in shared if not one.differs and one.surely == surely]
            for told, surely in (("the same in both", True), ("the same as far as floats tell", False))
        }
        what = "what it hears differs" if len(self.values[0]) == 1 else "outputs differ"
        by = ", ".join(f"{one.token} ({'' if k else f'{what} '}by {small(one.by)})" for k, one in enumerate(different))
        told = [f"told apart: {by}" if different else "no shared token is told apart"]
        return "; ".join([*told, *(f"{key}: {listed(names)}" for key, names in same.items() if names)])

    def _numbers(self) -> list[str]:
        if len(self.values[0]) > 1:
            return []
        told = zip(self.contexts[0], self.all_heard(0), strict=True)
        return [f"heard: {', '.join(f'{token} {trimmed(value)}' for token, value in told)}"]

    def _collisions(self) -> list[str]:
        """Equal tokens, and others that end at one place."""
        found = []
        for (s, u), (t, v) in combinations(zip(self.contexts[0], self.outputs[0], strict=True), 2):
            if self.tokens[s] == self.tokens[t]:
                found.append(f"{s} and {t} are equal tokens")
            elif _distance(u, v) < SAME:
                found.append(f"{s} and {t} end at one place")
        return found

    def product(self) -> str:
        """What the product of two tokens on the axis is multiplied by in a score; empty where that is not asked."""
        if self.line is None:
            return ""
        if any(self.tokens[token][1] for context in self.contexts for token in context):
            return "κ is for tokens on the axis: one is off it"
        key, query = self.line
        factors, value = f"{_factor(key)} · {_factor(query)}", key * query
        if not self.hard:
            if self.factor is None:
                return f"κ = {factors} = {trimmed(value)}"
            return f"λκ = {trimmed(self.factor)} · {factors} = {trimmed(self.factor * value, 6)}"
        found = {context[self.at]: value * self.tokens[context[self.at]][0] for context in self.contexts}
        ends = [f"{t} hears the {'largest' if v > 0 else 'smallest' if v < 0 else 'mean'}" for t, v in found.items()]
        return f"κ = {factors} = {trimmed(value)}: {', '.join(ends)}"

    def moved(self) -> str:
        """Tokens that are no longer where their names say; empty if there are none."""
        away = [f"{t} is now at {point(at)}" for t, at in self.tokens.items() if self.starts.get(t, at) != at]
        return f"names stay: {', '.join(away)}" if away else ""

    def text(self) -> str:
        """The read-out."""
        lines = [self.verdict(), self.product(), *(self.heard(c) for c in range(len(self.contexts))), self.moved()]
        return "\n".join(line for line in lines if line)


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


def trimmed(value: float, digits: int = 4) -> str:
    """A number without zeros at its end."""
    text = number(float(value), digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def small(value: float) -> str:
    """A distance; one that would be written as 0 by its size."""
    return f"{value:.0e}".replace("e-0", "e-") if 0 < value < 5e-5 else trimmed(value)


def share(weight: float) -> str:
    """A weight beside others, which is never 0 or 1."""
    text = number(float(weight), 3)
    return {"0.000": "< 0.001", "1.000": "> 0.999"}.get(text, text)


def _factor(value: float) -> str:
    return f"({trimmed(value)})" if value < 0 else trimmed(value)


def point(place: Any, digits: int = 4) -> str:
    """A place in the plane."""
    return f"({', '.join(trimmed(entry, digits) for entry in place)})"
