"""Rank-1 transformers as modules of PyTorch: the networks of kajitsuka2024, section 5, and Corollary 1's among them.

The attention layer of the text's experiment has one head of size 1, whose values and keys share a vector:

    Z + W_O (v_1^T Z) softmax[(v_1^T Z)^T (v_2^T Z)]                                              (20)

(The sentence below (20) says values and queries; the formula has the keys.) There is no layer normalization.
`train` trains such networks.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from uatlib.arithmetic.tensors import hide
from uatlib.checks import finite, flag, instance, positive, refused, whole
from uatlib.kajitsuka2024.memory import Memory
from uatlib.layers import Attention, FeedForward

from .token_classification import PADDING

MAX_WEIGHTS = 100_000_000
MAX_BRANCHES = 1000


def _parameter(values: object) -> nn.Parameter:
    return nn.Parameter(torch.tensor(values, dtype=torch.float32))


class RankOneAttention(nn.Module):
    """Z + w_o (v_1^T Z) softmax[(v_1^T Z)^T (v_2^T Z)] for Z of shape (..., d, n); with several heads their sum.

    Three variants, which the text does not have, part what several heads bring. Heads may have several values each, of
    which the first is the key: many numbers heard by one pattern. Several heads may add up what they hear before w_o:
    many patterns for one number. And keys may have weights of their own.

    Parameters
    ----------
    v_1 : values, shape (d,), or (rows, d); v_1[k] belongs to head k // (rows / heads)
    v_2 : what is asked, shape (d,), or (heads, d)
    w_o : where what is heard goes, shape (d,), or (numbers, d)
    keys : shaped as v_2; None for those of v_1, as in (20)

    Raises
    ------
    ValueError
        They are not of such shapes: rows is the larger of heads and numbers, and a multiple of the other.

    Source: kajitsuka2024, eq. (20), which has heads = numbers = 1.
    """

    def __init__(self, v_1: Any, v_2: Any, w_o: Any, keys: Any = None) -> None:
        super().__init__()
        shapes = [np.shape(w) for w in (v_1, v_2, w_o)]
        rows, heads, numbers = (shape[0] if len(shape) == 2 else 1 for shape in shapes)
        is_one_shape = len({(len(shape), shape[-1:]) for shape in shapes}) == 1 and len(shapes[0]) in (1, 2)
        is_one_shape = is_one_shape and 0 not in shapes[0] + shapes[1] + shapes[2]
        if not is_one_shape or rows != max(heads, numbers) or rows % min(heads, numbers):
            raise ValueError(
                "v_1: expected one shape (d,) or (heads, d) for v_1, v_2 and w_o; or (rows, d), (heads, d) and "
                "(numbers, d), where rows is the larger of heads and numbers and a multiple of the other; got "
                f"{', '.join(map(str, shapes))}."
            )
        if keys is not None and np.shape(keys) != shapes[1]:
            raise ValueError(f"keys: expected one shape for keys and v_2, got {np.shape(keys)} and {shapes[1]}.")
        self.v_1, self.v_2, self.w_o = (_parameter(np.atleast_2d(w)) for w in (v_1, v_2, w_o))
        self.keys = None if keys is None else _parameter(np.atleast_2d(keys))

    def forward(self, Z: Tensor, visible: Tensor | None = None) -> Tensor:
        """The layer on Z; with `visible`, bools of shape (..., n), only those tokens are heard (appendix C)."""
        return Z + self.w_o.mT @ self.heard(Z, visible)

    def heard(self, Z: Tensor, visible: Tensor | None = None) -> Tensor:
        """(v_1^T Z) softmax[(v_1^T Z)^T (v_2^T Z)]: the numbers that each token hears, shape (..., numbers, n)."""
        heads, numbers = len(self.v_2), len(self.w_o)
        seen = (self.v_1 @ Z).unflatten(-2, (heads, -1))  # type: ignore[no-untyped-call]  # (..., heads, values, n)
        keys = seen[..., 0, :] if self.keys is None else self.keys @ Z
        scores = keys[..., :, None] * (self.v_2 @ Z)[..., None, :]
        scores = hide(scores, None if visible is None else visible[..., None, :, None])
        return (seen @ scores.softmax(-2)).flatten(-3, -2).unflatten(-2, (numbers, -1)).sum(-2)


@dataclass(frozen=True)
class Sizes:
    """How large a rank-1 transformer is, and what its layers hear.

    Parameters
    ----------
    layers, heads : depth, and the heads of each layer of attention: 1 in the text
    numbers : how many numbers a layer of attention hears; None for one a head, otherwise as in `RankOneAttention`
    tied : whether keys share the weights of values, as in the text
    d, hidden : width, and the hidden units of each layer of ReLUs
    hearing : only the first so many layers have attention, the others are ReLUs alone; None for all
    branches : how large w_o and w_2 begin, what attention and ReLUs add to the skip connection; below 1 for depth

    Raises
    ------
    ValueError
        A number is no int of at least 1 (hearing: from 0 to layers), neither of heads and numbers is a multiple of the
        other, tied is no bool, or branches no number from 0 to 1000.
    """

    layers: int
    heads: int = 1
    numbers: Any = None
    tied: bool = True
    d: int = 32
    hidden: int = 32
    hearing: Any = None
    branches: float = 1.0

    def __post_init__(self) -> None:
        parsed: dict[str, Any] = {
            name: whole(name, getattr(self, name), 1) for name in ("layers", "heads", "d", "hidden")
        }
        parsed["numbers"] = parsed["heads"] if self.numbers is None else whole("numbers", self.numbers, 1)
        parsed["hearing"] = whole("hearing", self.layers if self.hearing is None else self.hearing, 0, parsed["layers"])
        parsed |= {"tied": flag("tied", self.tied), "branches": finite("branches", self.branches, 0, MAX_BRANCHES)}
        self.__dict__.update(parsed)
        if max(self.heads, self.numbers) % min(self.heads, self.numbers):
            raise refused("numbers", f"a multiple or a divisor of heads = {self.heads}", self.numbers)

    def weights(self, vocabulary: int, classes: int, places: int = 0) -> int:
        """Trained weights, if all layers hear; ValueError for more than 100,000,000."""
        rows = max(self.heads, self.numbers) + self.heads + self.numbers + (0 if self.tied else self.heads)
        layer = rows * self.d + (2 * self.d + 1) * self.hidden + self.d
        weights = (vocabulary + places + classes) * self.d + self.layers * layer
        if weights > MAX_WEIGHTS:
            hint = "choose a smaller width, or fewer hidden units, heads or layers"
            raise refused("sizes", f"at most {MAX_WEIGHTS:,} weights", weights, hint)
        return weights


class RankOneTransformer(nn.Module):
    """Embeddings, `layers` times rank-1 attention and a layer of ReLUs with skip connections, a linear read-out.

    Maps tokens of shape (B, n), -1 for padding, to scores of shape (B, n, classes).

    Parameters
    ----------
    vocabulary, classes : their numbers
    sizes : depth, width and the rest
    places : embeddings of so many places are learned, too; 0 for none, as in Corollary 1
    seed : of the random weights

    Raises
    ------
    ValueError
        vocabulary or classes is no int of at least 1, places or seed none of at least 0, sizes are no `Sizes`, or there
        would be more than 100,000,000 weights. When it is called: a sequence is padding only.

    Source: kajitsuka2024, section 5, eq. (20).
    """

    def __init__(self, vocabulary: int, classes: int, sizes: Sizes, *, places: int = 0, seed: int = 0) -> None:
        super().__init__()
        vocabulary, classes = whole("vocabulary", vocabulary, 1), whole("classes", classes, 1)
        places, seed = whole("places", places, 0), whole("seed", seed, 0)
        self.sizes = instance("sizes", sizes, Sizes)
        sizes.weights(vocabulary, classes, places)
        d, hidden, heads, layers, branches = sizes.d, sizes.hidden, sizes.heads, sizes.layers, sizes.branches
        rng = np.random.default_rng(seed)

        def draw(scale: float, *shape: int) -> nn.Parameter:
            return _parameter(rng.normal(0, scale, shape))

        self.words = draw(1, vocabulary, d)
        self.places = draw(1, places, d) if places else None
        rows = ((d**-0.5, max(heads, sizes.numbers)), (d**-0.5, heads), (branches, sizes.numbers), (d**-0.5, heads))
        self.attention = nn.ModuleList(
            RankOneAttention(*(rng.normal(0, scale, (count, d)) for scale, count in rows[: 3 if sizes.tied else 4]))
            for _ in range(sizes.hearing)
        )
        self.w_1 = nn.ParameterList(draw(d**-0.5, hidden, d) for _ in range(layers))
        self.b_1 = nn.ParameterList(nn.Parameter(torch.zeros(hidden, 1)) for _ in range(layers))
        self.w_2 = nn.ParameterList(draw(branches * hidden**-0.5, d, hidden) for _ in range(layers))
        self.b_2 = nn.ParameterList(nn.Parameter(torch.zeros(d, 1)) for _ in range(layers))
        self.read_out = draw(d**-0.5, classes, d)

    @property
    def trained(self) -> int:
        """Trained weights."""
        return sum(p.numel() for p in self.parameters())

    def forward(self, tokens: Tensor) -> Tensor:
        """Scores of the classes for every token."""
        visible = tokens != PADDING
        hidden = None if bool(visible.all()) else visible
        if hidden is not None and not bool(hidden.any(-1).all()):
            raise ValueError("RankOneTransformer: expected a token in every sequence, got one of padding only.")
        Z = self.embedded(tokens)
        for k, (w_1, b_1, w_2, b_2) in enumerate(zip(self.w_1, self.b_1, self.w_2, self.b_2, strict=True)):
            if k < len(self.attention):
                Z = self.attention[k](Z, hidden)
            Z = Z + w_2 @ torch.relu(w_1 @ Z + b_1) + b_2
        return (self.read_out @ Z).mT

    def embedded(self, tokens: Tensor) -> Tensor:
        """What the first layer gets, shape (B, d, n)."""
        Z = self.words[tokens.clamp(min=0)]
        return (Z if self.places is None else Z + self.places[: tokens.shape[1]]).mT


def recalling_network(
    memory: Memory, *, vocabulary: int, classes: int, gain: float = 1.0, dtype: Any = torch.float32
) -> RankOneTransformer:
    """The network of Corollary 1 as a rank-1 transformer of one layer, with d = 2.

    Word k is embedded as (k + 1, 1), a token and a constant; the first coordinate goes through the layers of `memory`,
    whose answer is y. Class c gets the score gain (c y - c^2 / 2), so the largest is that of the class nearest to y.

    Parameters
    ----------
    memory : of tokens 1, ..., vocabulary (d = 1) with labels 0, ..., classes - 1, without encodings
    gain : makes scores larger, and the loss smaller, but changes no answer
    dtype : of the weights, to which those of `memory` are rounded

    Raises
    ------
    ValueError
        The memory has other tokens or labels, encodings, or d > 1; gain is no number > 0.
    """
    vocabulary, classes = whole("vocabulary", vocabulary, 1), whole("classes", classes, 1)
    gain = float(positive("gain", finite("gain", gain)))
    attention, layer = instance("memory", memory, Memory, "memorise returns one").model.layers
    if memory.encodings is not None or memory.sequences.shape[1] != 1:
        raise ValueError("memory: expected one with d = 1 and without encodings; build one with them.")
    ranges = (("tokens", memory.sequences, 1, vocabulary), ("labels", memory.labels, 0, classes - 1))
    for name, values, low, high in ranges:
        if strangers := [u for u in values.flat if u.denominator != 1 or not low <= u <= high]:
            raise ValueError(f"memory: expected {name} out of {low}, ..., {high}, got {min(strangers)}.")
    soft = getattr(attention, "normalization", "") == "softmax"
    if not (soft and isinstance(attention, Attention) and isinstance(layer, FeedForward)):
        raise ValueError("memory: expected a layer of softmax attention and one of ReLUs.")
    network = RankOneTransformer(vocabulary, classes, Sizes(1, d=2, hidden=len(layer.w_1))).to(dtype)
    head = attention.heads[0]

    def fill(parameter: Any, *columns: Any) -> None:
        numbers = [[float(Fraction(u)) for u in column] for column in columns]
        parameter.copy_(torch.tensor(numbers, dtype=torch.float64).mT)

    with torch.no_grad():
        fill(network.words, range(1, vocabulary + 1), [1] * vocabulary)
        (first,) = network.attention
        fill(first.v_1, [1], [0])
        fill(first.v_2, [(head.w_k.T @ head.w_q)[0, 0]], [0])
        fill(first.w_o, [(head.w_o @ head.w_v)[0, 0]], [0])
        fill(network.w_1[0], layer.w_1[:, 0], [0] * len(layer.w_1))
        fill(network.b_1[0], layer.b_1)
        fill(network.w_2[0], *([u, 0] for u in layer.w_2[0]))
        fill(network.b_2[0], [layer.b_2[0], 0])
        slopes = [gain * c for c in range(classes)]
        fill(network.read_out, slopes, [-c * slope / 2 for c, slope in enumerate(slopes)])
    return network


def rounded(network: RankOneTransformer, bits: int) -> RankOneTransformer:
    """A copy with all weights rounded to so many significant binary digits; float32 has 24, float64 has 53."""
    bits, other = whole("bits", bits, 1), copy.deepcopy(network)
    with torch.no_grad():
        for weight in other.parameters():
            mantissa, exponent = torch.frexp(weight)  # 1/2 <= |mantissa| < 1
            weight.copy_(torch.ldexp((mantissa * 2.0**bits).round() / 2.0**bits, exponent))
    return other
