"""The network of each proof in its parts: what the strip at the top of a chapter draws, read off the network itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, groupby
from typing import Any

import numpy as np

from uatlib.arithmetic import FLOAT64
from uatlib.checks import choice, refused
from uatlib.model import Transformer
from uatlib.targets import mean_product

from .live.proofs import PROOFS
from .sources import SOURCES, STEPS

CELLS = 4
SEQUENCE = (0.3, 0.8)
"""Cells a side, and the two tokens: with both the X-ray of one sequence starts, too."""
BUILDS = dict(zip(SOURCES, PROOFS.values(), strict=False))  # a source may come without a network
"""By source; both are in the book's order."""
BUILT = {
    "yun2020": ("yun-quantization", "yun-contextual-mapping", "yun-value-mapping"),
    "kajitsuka2024": ("kajitsuka-universality", "kajitsuka-one-layer", "kajitsuka-universality"),
    "liu2025": ("liu-partitions", "liu-partitions", "liu-self-attention"),
    "cheng2025": ("cheng-condition", "cheng-condition", "cheng-condition"),
}
"""The chapter that builds what does each of `STEPS`."""
WHOLE = {
    "yun2020": "yun-theorem-2",
    "kajitsuka2024": "kajitsuka-universality",
    "liu2025": "liu-self-attention",
    "cheng2025": "cheng-condition",
}
"""The chapter that puts all of it together."""
INSTEAD = {"cheng2025": "any mixer, here "}
"""Where a network may have another layer in the middle."""


@dataclass(frozen=True)
class Part:
    """What does one step.

    Attributes
    ----------
    step : of `STEPS`
    kind : "feed-forward" or "attention", layers of this kind; of one head "keys", "softmax" or "values"
    sizes : hidden units or heads, a number a layer; of one head how many cells it tells apart
    said : the same in words
    tokens : what the two tokens are behind it; None within a head
    """

    step: str
    kind: str
    sizes: tuple[int, ...]
    said: str
    tokens: tuple[float, float] | None


@dataclass(frozen=True)
class Network:
    """The network of a proof for `mean_product(2)`: its parts in their order, sizes, and what it answers to `SEQUENCE`.

    Attributes
    ----------
    source : a key of `SOURCES`
    parts : one for each of `STEPS`
    layers, weights : how many there are in all
    answer : to the two tokens
    shares : where one head does it all, the weight of each cell for the token that asks
    """

    source: str
    parts: tuple[Part, ...]
    layers: int
    weights: int
    answer: tuple[float, float]
    shares: tuple[float, ...] = ()

    def layers_of(self, steps: Sequence[str]) -> int:
        """In how many layers these steps are done."""
        if self.shares:
            return 1
        return sum(len(part.sizes) for part in self.parts if part.step in steps)


@cache
def network(source: str) -> Network:
    """The network of a proof.

    Raises
    ------
    ValueError
        No source of the book.
    """
    build = BUILDS[choice("source", source, list(BUILDS))]
    return read(source, build(mean_product(2), CELLS).model)


def read(source: str, model: Transformer) -> Network:
    """What a model consists of: feed-forward, attention, feed-forward; or one head of attention between linear maps.

    Raises
    ------
    ValueError
        Layers in another order.
    """
    runs = [list(run) for _, run in groupby(model.layers, key=lambda layer: layer.kind)]
    states = [np.asarray(state) for state in model.trace(np.array([SEQUENCE]), FLOAT64)]
    answer = _pair(states[-1])
    kinds, shares = [run[0].kind for run in runs], tuple[float, ...]()
    if kinds == ["feed-forward", "attention", "feed-forward"]:
        ends = accumulate(len(run) for run in runs)
        parts = [
            _layers(source, step, run, _pair(states[end])) for step, run, end in zip(STEPS, runs, ends, strict=True)
        ]
    elif [len(run) for run in runs] == [1, 1, 1] and kinds == ["linear-sum", "attention", "linear-sum"]:
        shares = _shares(runs[1][0], states[1])
        parts = [*_head(len(shares))]
    else:
        raise refused("model", "feed-forward, attention, feed-forward layers, or a head between linear maps", kinds)
    return Network(source, tuple(parts), len(model.layers), model.parameter_count(), answer, shares)


def _layers(source: str, step: str, run: Sequence[Any], tokens: tuple[float, float]) -> Part:
    kind, instead = run[0].kind, ""
    if kind == "attention":
        instead = INSTEAD.get(source, "")
        sizes = tuple(len(layer.heads) for layer in run)
        what = f"{_count(sum(sizes), 'head')} of {run[0].normalization}"
    else:
        sizes = tuple(len(layer.b_1) for layer in run)
        least, most = min(sizes), max(sizes)
        what = f"{most if least == most else f'{least} to {most}'} hidden units{' each' * (len(run) > 1)}"
    return Part(step, kind, sizes, f"{instead}{_count(len(run), f'{kind} layer')}, {what}", tokens)


def _head(cells: int) -> Iterator[Part]:
    """What one head does: its scores, its softmax, its values."""
    said = (f"the scores of {cells} keys, one a cell", "its softmax: which cell is near", f"{cells} values, one a cell")
    for step, kind, words in zip(STEPS, ("keys", "softmax", "values"), said, strict=True):
        yield Part(step, kind, (cells,), words, None)


def _shares(layer: Any, state: np.ndarray) -> tuple[float, ...]:
    """How much each key weighs for the token that hears the most."""
    [head] = layer.heads
    query, keys = max(enumerate(layer.mask.neighbours), key=lambda pair: len(pair[1]))
    system = FLOAT64
    heard, asked = (system.array(np.asarray(w, float) @ state, "tokens") for w in (head.w_k, head.w_q))
    weights = np.asarray(layer.kernel.weights(heard[:, list(keys)], asked[:, [query]], system)[1])[:, 0]
    return tuple((weights / weights.sum()).tolist())


def _pair(state: np.ndarray) -> tuple[float, float]:
    one, two = state.ravel().tolist()
    return one, two


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
