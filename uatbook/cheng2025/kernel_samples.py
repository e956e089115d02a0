"""What statements about kernels share: examples by name, points, layers, contexts and the gaps between them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from uatlib.arithmetic import BALL, FLOAT64
from uatlib.checks import choice, whole
from uatlib.cheng2025.certify_network import two_tokens
from uatlib.cheng2025.named_kernels import Performer
from uatlib.kernels import OPPOSED, Kernel, Settled
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from ..damages import Damage, replaced

HALF = Fraction(1, 2)
OPPOSITE = ((1, HALF), (-1, -HALF), (-HALF, 1), (HALF, -1))


@dataclass(frozen=True, eq=False)
class Antithetic(Performer):
    """Performer with omega and -omega, for which (13) fails."""

    settled: ClassVar[Settled | None] = Settled(OPPOSED, Fraction(1))
    fooled_by: ClassVar[tuple[str, ...]] = ("zero",)

    @classmethod
    def example(cls, d: int = 2) -> Self:
        return cls(OPPOSITE)


def kernels() -> dict[str, type[Kernel]]:
    """All by name: those that satisfy (13), in the order of section 4.1, then the others, and last what pairs fool."""
    named: dict[str, type[Kernel]] = {each.name: each for each in Kernel.named()} | {"antithetic": Antithetic}
    return dict(sorted(named.items(), key=lambda item: (item[1].settled is not None, paired(item[1]) is not None)))


def paired(kernel: type[Kernel]) -> str | None:
    """The family of `PAIRS` that fools it first."""
    return next((family for family in kernel.fooled_by if family in PAIRS), None)


def holding() -> list[str]:
    """Those that satisfy (13)."""
    return [name for name, kernel in kernels().items() if kernel.settled is None]


def example(name: str, d: int = 2) -> Kernel:
    """The kernel of that name, with parameters of its choice."""
    return kernels()[name].example(d)


CROSS = np.array([[1, 0, -1, 0], [0, 1, 0, -1]], dtype=object)
TURNED = np.array([[3, -4, -3, 4], [4, 3, -4, -3]], dtype=object) * Fraction(1, 5)
BESIDE = np.array([[HALF], [Fraction(1, 4)]], dtype=object)


class Pair(NamedTuple):
    """Contexts of their first token, of which degrees their moments agree, and through how many layers they fool."""

    X: np.ndarray
    Y: np.ndarray
    degrees: tuple[int, ...]
    layers: int


PAIRS = {
    "squares": Pair(np.hstack([BESIDE, CROSS]), np.hstack([BESIDE, TURNED]), (0, 1, 2, 3), 1),
    "two pairs": Pair(CROSS[:, [0, 2, 1, 3]], np.hstack([CROSS[:, [0, 2]], TURNED[:, [0, 2]]]), (1, 3, 5, 7), 3),
    "pair": Pair(np.hstack([BESIDE, CROSS[:, [0, 2]]]), np.hstack([BESIDE, CROSS[:, [1, 3]]]), (0, 1), 3),
}
"""Of families of contexts that fool kernels, without the token 0, one each."""


def points(count: int, d: int) -> np.ndarray:
    """The points of Z^d nearest to 0, without 0, opposite ones side by side; shape (d, count)."""
    reach = next(k for k in itertools.count(1) if (2 * k + 1) ** d > count)
    lattice = itertools.product(range(-reach, reach + 1), repeat=d)
    order = sorted(lattice, key=lambda c: (sum(map(abs, c)), [-abs(u) for u in c], [-u for u in c]))
    return np.array(order[1 : count + 1], dtype=object).T


def weights(d: int, count: int, seed: int, size: int = 1000) -> np.ndarray:
    """d x d matrices of whole numbers below `size`, shape (count, d, d)."""
    return np.random.default_rng(seed).integers(1 - size, size, size=(count, d, d)).astype(object)


def sizes(name: object, n: object, d: object, least: int) -> tuple[str, int, int]:
    """The kernel's name, n and d, parsed."""
    return choice("kernel", name, holding()), whole("n", n, least, 8), whole("d", d, 1, 3)


def one_layer(k: Kernel, W_K: Any, W_V: Any = None, W_Q: Any = None) -> Transformer:
    """A head of this kernel alone; matrices not given are the identity."""
    one = np.eye(len(W_K), dtype=int)
    w_q, w_v = (one if W is None else W for W in (W_Q, W_V))
    return Transformer([Attention([Head(w_q, W_K, w_v, one)], kernel=k)])


def contexts(vocabulary: np.ndarray, n: int) -> np.ndarray:
    """All sets of n columns of `vocabulary`, shape (count, d, n)."""
    return np.array([vocabulary[:, list(c)] for c in itertools.combinations(range(vocabulary.shape[1]), n)])


def least_gap(model: Transformer, X: np.ndarray) -> tuple[float, dict[str, Any], int, int]:
    """A lower bound on the distance (largest entry) of any two tokens of all outputs; which; pairs, those it is 0 for.

    Balls are taken as floats, whose errors and radii are taken off; where nothing is left, the distance of the balls.
    """
    out = model(X, BALL)
    ids = out.transpose(0, 2, 1).reshape(-1, X.shape[1])
    middles = ids.astype(float)
    error = max(float(ball.radius) for ball in ids.flat) + 2.0**-50 * (1 + abs(middles).max())
    gaps = np.full((len(ids),) * 2, np.inf)
    for k in range(1, len(ids)):
        gaps[k, :k] = abs(middles[k] - middles[:k]).max(axis=1) - 2 * error
    for k, j in np.argwhere(gaps <= 0):
        pairs = zip(ids[k], ids[j], strict=True)
        gaps[k, j] = max(0.0, *(float(max(a.lower - b.upper, b.lower - a.upper)) for a, b in pairs))
    places = (divmod(int(k), X.shape[-1]) for k in np.unravel_index(int(gaps.argmin()), gaps.shape))
    return float(gaps.min()), two_tokens(X, *places), len(ids) * (len(ids) - 1) // 2, int((gaps == 0).sum())


def quarters(d: int, seed: int) -> list[np.ndarray]:
    """W_Q, W_K and W_V of odd quarters."""
    drawn = 2 * np.random.default_rng(seed).integers(-4, 4, size=(3, d, d)) + 1
    return [W.astype(object) * Fraction(1, 4) for W in drawn]


def reweighted(**factors: Callable[[int], np.ndarray]) -> Damage:
    """The layer with weights times these, from the right."""

    def damaged(parts: Any, rng: np.random.Generator) -> Any:
        layer = parts.model.layers[0]
        head = layer.heads[0]
        d = head.w_k.shape[1]
        new = {name: getattr(head, name) @ factor(d) for name, factor in factors.items()}
        return replaced(parts, model=Transformer([replaced(layer, heads=[replaced(head, **new)])]))

    return damaged


def nothing(d: int) -> np.ndarray:
    """The matrix 0."""
    return np.zeros((d, d), dtype=int)


def best(k: Kernel, X: np.ndarray) -> Transformer:
    """Out of five layers the one with the largest gap in floats."""

    def gap(model: Transformer) -> float:
        ids = model(X.astype(float), FLOAT64).numpy().transpose(0, 2, 1).reshape(-1, X.shape[1])
        far = abs(ids[:, None] - ids).max(axis=2)
        np.fill_diagonal(far, np.inf)
        return float(far.min())

    layers = (quarters(X.shape[1], seed) for seed in range(5))
    return max((one_layer(k, W_K, W_V, W_Q) for W_Q, W_K, W_V in layers), key=gap)
