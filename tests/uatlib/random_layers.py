"""A layer of every kind and setting, with weights that the caller draws."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from uatlib.cheng2025.named_kernels import (
    Cauchy,
    Cosh,
    Cosine,
    Elu,
    ExpPlus,
    ExpSum,
    Laplace,
    Performer,
    Polynomial,
    PolyTimes,
)
from uatlib.kernels import CONSTANT, DOT, RBF
from uatlib.layers import Attention, FeedForward, Head, Layer, LinearSum, ThreePiece
from uatlib.masks import causal
from uatlib.mixers import BiasAttention, BilinearProjection, CyclicConvolution, SeparableConvolution
from uatlib.patterns import Pattern

D, N = 2, 4
"""Entries and tokens of the sequences that all these layers take."""
D_SOURCE, N_SOURCE = 3, 5

Numbers = Callable[..., Any]
"""From a shape to weights."""


def floats(rng: np.random.Generator) -> Numbers:
    return lambda *shape: rng.normal(0, 0.7, shape)


def halves(rng: np.random.Generator) -> Numbers:
    """Few and small, so that scores tie and no sum is rounded."""
    return lambda *shape: np.vectorize(lambda k: Fraction(int(k), 2), otypes=[object])(rng.integers(-2, 3, shape))


def head(
    numbers: Numbers, *, v: int = 3, d_out: int = D, source: int = D, projected: int = 0, biases: bool = True
) -> Head:
    m = 2
    weights = {"w_q": numbers(m, D), "w_k": numbers(m, source), "w_v": numbers(v, source), "w_o": numbers(d_out, v)}
    if biases:
        weights |= {"b_q": numbers(m), "b_k": numbers(m), "b_v": numbers(v)}
    if projected:
        weights |= {"w_e": numbers(N, projected), "w_f": numbers(N, projected)}
    return Head(**weights)


def attention(
    normalization: str = "softmax", heads: int = 2, *, b_o: bool = True, d_out: int = D, **settings: Any
) -> Any:
    """From numbers to Attention."""
    ours = {name: settings.pop(name) for name in ("source", "projected", "biases") if name in settings}

    def make(numbers: Numbers) -> Attention:
        made = [head(numbers, v=1 + i, d_out=d_out, **ours) for i in range(heads)]
        return Attention(made, normalization, numbers(d_out) if b_o else None, skip=d_out == D, **settings)

    return make


def feed_forward(*, r: int = 5, biases: bool = True, d_out: int = D, three: bool = False) -> Any:
    def make(numbers: Numbers) -> FeedForward:
        b_1, b_2 = (numbers(size) if biases else None for size in (r, d_out))
        phi = (
            ThreePiece(sorted(numbers(2).tolist()), [*numbers(2).tolist(), 0], numbers(3).tolist()) if three else "relu"
        )
        return FeedForward(numbers(r, D), b_1, numbers(d_out, r), b_2, phi, skip=d_out == D)

    return make


def bias(alpha: Any, **settings: Any) -> Any:
    return lambda numbers: BiasAttention(numbers(1)[0], numbers(D, D), numbers(D), alpha, **settings)


NORMALIZATIONS = ("softmax", "hardmax", "none")
KERNELS = {"dot": DOT, "rbf": RBF(Fraction(1, 2)), "constant": CONSTANT}
OF_CHENG = {
    "performer": Performer([[0.5, -1], [-0.25, 0.75], [1, 0.5]]),
    "exp-sum": ExpSum([Fraction(1, 2), -1]),
    "exp-plus": ExpPlus([1, Fraction(-1, 2)]),
    "poly-times": PolyTimes([1, Fraction(1, 2), 0, 2], RBF(Fraction(1, 4))),
    "poly-times dot": PolyTimes([Fraction(1, 8), 1], PolyTimes([1, 1], DOT)),
    "cosh": Cosh(),
    "elu": Elu(),
    "laplace": Laplace(),
    "cauchy": Cauchy(),
    "polynomial": Polynomial(4, Fraction(1, 8)),
    "cosine": Cosine(Fraction(5, 2)),
}
"""The kernels of cheng2025, for heads of size 2; of these, pages run "cosh" and "polynomial"."""
HEARD = Pattern([[0], [0, 1, 3], [1, 2], [0, 1, 2, 3]])

LAYERS: dict[str, Callable[[Numbers], Layer]] = {
    **{f"{name} {k}": attention(name, kernel=kernel) for name in NORMALIZATIONS for k, kernel in KERNELS.items()},
    **{f"softmax {k}": attention(kernel=kernel) for k, kernel in OF_CHENG.items()},
    **{f"hardmax {k}, causal": attention("hardmax", kernel=OF_CHENG[k], mask=causal(N)) for k in ("elu", "cauchy")},
    "none performer": attention("none", kernel=OF_CHENG["performer"]),
    **{f"{name}, causal": attention(name, mask=causal(N)) for name in NORMALIZATIONS},
    **{f"{name}, pattern": attention(name, mask=HEARD) for name in NORMALIZATIONS},
    **{f"constant {name}, causal": attention(name, mask=causal(N), kernel=CONSTANT) for name in NORMALIZATIONS},
    "one head, no biases": attention(heads=1, b_o=False, biases=False),
    "three heads": attention("hardmax", 3),
    "projected": attention(projected=3),
    "projected, hardmax, mask": attention("hardmax", projected=3, mask=np.arange(3)[:, None] <= np.arange(N)),
    **{f"bias, {alpha}": bias(alpha) for alpha in ("tanh", "exp", "sin", "sigmoid", "gelu")},
    "bias, tanh, pattern": bias("tanh", pattern=HEARD),
    "ReLU": feed_forward(),
    "ReLU, one unit": feed_forward(r=1),
    "ReLU, no biases": feed_forward(biases=False),
    "three-piece": feed_forward(three=True),
    "linear sum": lambda numbers: LinearSum([(numbers(D, D), numbers(N, N)) for _ in range(3)], numbers(D, N)),
    "tokens mixed": lambda numbers: LinearSum([(None, numbers(N, N))]),
    "entries mixed": lambda numbers: LinearSum([(numbers(D, D), None)] * 2, numbers(D, N)),
    "identities": lambda numbers: LinearSum([(None, None)] * 2, numbers(D, N)),
    "bilinear": lambda numbers: BilinearProjection(numbers(D, D), numbers(N, N)),
    "convolution": lambda numbers: SeparableConvolution(numbers(D, D), numbers(D, 3)),
    "even convolution": lambda numbers: SeparableConvolution(numbers(D, D), numbers(D, 2)),
    "wide convolution": lambda numbers: SeparableConvolution(numbers(D, D), numbers(D, 9)),
    **{f"bias, {alpha}": bias(alpha) for alpha in ("relu", 0, 1, 3)},
    "bias, square, pattern": bias(2, pattern=HEARD),
    **{
        f"cyclic convolution, {size}": lambda numbers, size=size: CyclicConvolution(numbers(size)) for size in (1, 3, 6)
    },
}
"""They give sequences of the size that they take, so that they stack."""

RESIZING: dict[str, Callable[[Numbers], Layer]] = {
    "wider attention": attention(d_out=3),
    "narrower ReLU": feed_forward(d_out=1),
    "fewer tokens": lambda numbers: LinearSum([(numbers(3, D), numbers(N, 2))] * 2, numbers(3, 2)),
    "more tokens": lambda numbers: LinearSum([(numbers(1, D), numbers(N, 6))]),
}

CROSS: dict[str, Callable[[Numbers], Layer]] = {
    "cross": attention(cross=True, source=D_SOURCE),
    "cross, hardmax": attention("hardmax", cross=True, source=D_SOURCE),
    "cross, mask": attention(cross=True, source=D_SOURCE, mask=np.arange(N_SOURCE)[:, None] >= np.arange(N)),
    "cross, Laplace": attention(cross=True, source=D_SOURCE, kernel=OF_CHENG["laplace"]),
    "cross, RBF, wider": attention(cross=True, source=D_SOURCE, kernel=KERNELS["rbf"], d_out=3),
}

WITHOUT_EXP = (
    *("hardmax dot", "hardmax rbf", "hardmax, causal", "hardmax, pattern", "three heads", "projected, hardmax, mask"),
    *(name for name in LAYERS if "constant" in name),
    *list(LAYERS)[list(LAYERS).index("ReLU") :],
)
"""Those of LAYERS that need nothing but sums, products and comparisons."""
