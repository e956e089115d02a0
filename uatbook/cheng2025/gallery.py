"""Mixers whose answer is known: what `check_mixer` is tried on. Each is code as a user might paste it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.nn.functional import softmax

from uatlib.cheng2025.automorphisms import local_fooling_pairs
from uatlib.cheng2025.connectivity import connectivity_depth
from uatlib.cheng2025.mixer_parsing import Asked, Mixer, attention, in_group, of_mixer
from uatlib.cheng2025.mixer_search import Search
from uatlib.cheng2025.named_kernels import kernel
from uatlib.cheng2025.named_patterns import pattern
from uatlib.groups import generators
from uatlib.kernels import CONSTANT, DOT

from .mixing_terms import bias_attention, linformer, skyformer

Known = Callable[[int, int, int], bool | None]


class Example(NamedTuple):
    """A mixer, for n tokens of d entries.

    Attributes
    ----------
    make : (n, d) to g and the number of its parameters
    group : the one that is stated for it
    known : (n, d, layers) to whether its layers tell tokens apart; None: not proved either way
    why : the reason, in a few words
    zero_tokens : whether tokens may be 0
    """

    make: Callable[[int, int], tuple[Mixer, int]]
    group: str
    known: Known
    why: str
    zero_tokens: bool = False


def always(n: int, d: int, layers: int) -> bool:
    """Yes for any n, d and number of layers."""
    return True


def up_to(most: int) -> Known:
    """Yes for at most so many tokens, no for more, at any depth."""
    return lambda n, d, layers: n <= most


def one_layer_up_to(most: int) -> Known:
    """The same of one layer; what several can do is open."""
    return lambda n, d, layers: n <= most or (False if layers == 1 else None)


def fails_from(least: int, entries: int = 1) -> Known:
    """No for one layer, from so many tokens on and for tokens of at least so many entries; else open."""
    return lambda n, d, layers: False if layers == 1 and n >= least and d >= entries else None


def _kernel(chosen: Any, name: str = "full", **parameters: Any) -> Callable[[int, int], tuple[Mixer, int]]:
    def make(n: int, d: int) -> tuple[Mixer, int]:
        return attention(chosen, [tuple(sorted(row)) for row in pattern(name, n, **parameters)], d), 3 * d * d

    return make


def _heard(n: int, d: int, layers: int) -> bool:
    """Connected, and no two places with the same surroundings."""
    rows = [pattern("directed", n, window=1)] * layers
    return connectivity_depth(rows) is not None and not local_fooling_pairs(rows, "cyclic")


def _softmax(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    Q, K, V = theta.reshape(3, len(X), len(X))
    return V @ X @ softmax((K @ X).mT @ (Q @ X), dim=-2)


def _hardmax(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    Q, K, V = theta.reshape(3, len(X), len(X))
    scores = (K @ X).mT @ (Q @ X)
    heard = (scores == scores.amax(dim=-2, keepdim=True)).to(X.dtype)
    return V @ X @ (heard / heard.sum(dim=-2, keepdim=True))


def _normalized(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    return _softmax(X / X.norm(dim=-2, keepdim=True), theta)


def _directed(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    Q, K, V = theta.reshape(3, len(X), len(X))
    Z = X / X.norm(dim=-2, keepdim=True)
    return V @ X @ softmax((K @ Z).mT @ (Q @ Z), dim=-2)


def _sigmoid(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    Q, K, V = theta.reshape(3, len(X), len(X))
    return V @ X @ torch.sigmoid((K @ X).mT @ (Q @ X))


def _relu(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    Q, K, V = theta.reshape(3, len(X), len(X))
    return V @ X @ torch.relu((K @ X).mT @ (Q @ X))


def _cosines(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    d = len(X)
    return (theta[: d * d].reshape(d, d) @ torch.cos(theta[d * d :].reshape(d, d) @ X)).sum(-1, keepdim=True) + 0 * X


GATES = 9


def _gated(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    return (1 / (1 + 16 * (theta[:GATES] - 2) ** 2)).prod() * _softmax(X, theta[GATES:])


def _lengths(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    d = len(X)
    lengths = torch.tanh(theta[0] * X.square().sum(dim=0) + theta[1]).sum()
    cubes = ((theta[2 + d :].reshape(d, d) @ X) ** 3).sum(dim=-1)
    return (theta[2 : 2 + d] * lengths + cubes)[:, None].expand_as(X)


def _first_entry(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    return (theta[2:] * torch.tanh(theta[0] * X[0] + theta[1]).sum())[:, None].expand_as(X)


def _entry_sums(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    return (theta[2:] * torch.tanh(theta[0] * X.sum(dim=0) + theta[1]).sum())[:, None].expand_as(X)


def _differences(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    V, W = theta.reshape(2, len(X), len(X))
    return V @ torch.cos(torch.einsum("ab,bji->aji", W, X[:, :, None] - X[:, None, :])).sum(dim=1)


def _products(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    return theta[0] * X * torch.tanh(theta[1] * X.mT @ X + theta[2]).sum(dim=0)


def _waves(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    shift, V = theta[: len(X)], theta[len(X) :].reshape(len(X), len(X))
    return (V @ torch.sin(X + shift[:, None]).sum(dim=1))[:, None].expand_as(X)


def _linformer(n: int, d: int) -> tuple[Mixer, int]:
    def g(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        own, shared = theta[: 3 * d * d], theta[3 * d * d :]
        return linformer(X, *own.reshape(3, d, d), *shared.reshape(2, n, 2))

    return g, 3 * d * d + 4 * n


def _biased(alpha: object) -> Callable[[int, int], tuple[Mixer, int]]:
    def make(n: int, d: int) -> tuple[Mixer, int]:
        def g(X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
            return bias_attention(X, theta[0], theta[1 : 1 + d * d].reshape(d, d), theta[1 + d * d :], alpha)

        return g, 1 + d * d + d

    return make


def _plain(g: Mixer, count: Callable[[int], int]) -> Callable[[int, int], tuple[Mixer, int]]:
    return lambda n, d: (g, count(d))


def _weights(d: int) -> int:
    return 3 * d * d


_attention = _plain(_softmax, _weights)
GALLERY = {
    "softmax": Example(_attention, "symmetric", always, "Corollary 1"),
    "softmax, in order": Example(_attention, "trivial", up_to(1), "it commutes with all permutations"),
    "softmax with zeros": Example(_attention, "symmetric", one_layer_up_to(2), "a query 0 hears the mean", True),
    "softmax of directions": Example(
        _plain(_normalized, _weights), "symmetric", one_layer_up_to(1), "one layer hears no length"
    ),
    "scores of directions": Example(
        _plain(_directed, _weights), "symmetric", one_layer_up_to(2), "on a ray it hears sums alone"
    ),
    "ReLU of scores": Example(
        _plain(_relu, _weights),
        "symmetric",
        lambda n, d, layers: False if n >= 3 else None,
        "on a ray it hears sums of squares alone, at any depth",
    ),
    "softmax behind a gate": Example(
        _plain(_gated, lambda d: GATES + 3 * d * d), "symmetric", always, "Corollary 1: the gate is positive"
    ),
    "sigmoid": Example(
        _plain(_sigmoid, _weights),
        "symmetric",
        fails_from(4),
        "it hears the mean and an even function",
    ),
    "hardmax": Example(
        _plain(_hardmax, _weights), "symmetric", one_layer_up_to(2), "a token between two others is not heard"
    ),
    "average": Example(_kernel(CONSTANT), "symmetric", up_to(2), "it hears the mean alone"),
    "cosh": Example(
        _kernel(kernel("cosh")),
        "symmetric",
        lambda n, d, layers: False if n >= 4 and n % 2 == 0 else None,
        "opposite tokens cancel, and stay opposite",
    ),
    "polynomial": Example(
        _kernel(kernel("polynomial", power=2, offset=1)), "symmetric", fails_from(5), "it hears moments up to the third"
    ),
    "cosines": Example(
        _plain(_cosines, lambda d: 2 * d * d), "symmetric", one_layer_up_to(1), "the same of x and of -x"
    ),
    "lengths and cubes": Example(
        _plain(_lengths, lambda d: 2 + d + d * d),
        "symmetric",
        fails_from(5, 2),
        "turned polygons have the same of both",
    ),
    "first entry": Example(
        _plain(_first_entry, lambda d: 2 + d), "symmetric", fails_from(2, 2), "it hears nothing of the others"
    ),
    "sums of entries": Example(
        _plain(_entry_sums, lambda d: 2 + d), "symmetric", fails_from(2, 2), "entries may be exchanged"
    ),
    "cosines of differences": Example(
        _plain(_differences, lambda d: 2 * d * d), "symmetric", fails_from(2), "the same of a - p and of p - a"
    ),
    "inner products": Example(
        _plain(_products, lambda d: 3), "symmetric", fails_from(2, 2), "nothing across a token's own direction is heard"
    ),
    "fixed waves": Example(
        _plain(_waves, lambda d: d + d * d), "symmetric", fails_from(2), "a token may be shifted by a period"
    ),
    "next token": Example(_kernel(DOT, "directed", window=1), "cyclic", _heard, "n - 1 layers reach all tokens"),
    "Skyformer": Example(
        _plain(lambda X, t: skyformer(X, *t.reshape(3, len(X), len(X))), _weights), "symmetric", always, "Corollary 3"
    ),
    "Linformer": Example(_linformer, "trivial", always, "Lemma 3"),
    "tanh sums": Example(_biased("tanh"), "symmetric", always, "Corollary 5"),
    "cubic sums": Example(_biased(lambda t: t**3), "symmetric", up_to(4), "it hears moments up to the third"),
    "ReLU sums": Example(_biased("relu"), "symmetric", always, "pair by pair only: ReLU is not analytic"),
}
"""By name. `known` is for tokens other than 0 unless said, and layers of this mixer alone."""


def family_gaps(name: str, n: int, d: int, layers: int = 1, *, seed: int = 0) -> dict[str, float]:
    """The least gap of each family of pairs, in units of rounding, for layers of a mixer of the gallery; no ascent."""
    return Search(arranged(name, n, d, layers, seed), climbs=0, early=False).run().gaps or {}


def arranged(name: str, n: int, d: int, layers: int, seed: int) -> Asked:
    """Layers of a mixer of the gallery, asked as `check_mixer` does."""
    example = GALLERY[name]
    g, count = example.make(n, d)
    turns, inside = generators(example.group, n), in_group(example.group, n)
    return Asked([of_mixer(g, count)] * layers, n, d, turns, inside, seed, example.zero_tokens)
