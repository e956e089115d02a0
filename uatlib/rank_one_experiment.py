"""Rank-1 transformers trained to classify tokens: whether and how fast they find what Corollary 1 says is there.

The attention layer of the text's experiment has one head of size 1, whose values and keys share a vector:

    Z + W_O (v_1^T Z) softmax[(v_1^T Z)^T (v_2^T Z)]                                              (20)

(The sentence below (20) says values and queries; the formula has the keys.) There is no layer normalization. The text
trains on CoNLL-2003, which may not be passed on: with a copy of it,

    python -m uatlib.rank_one_experiment eng.train --device cuda

trains 1, 3 and 6 layers on its tokens, and two controls of one layer: with more hidden units, and with more heads.
Without a file the same networks learn random labels. `recalling_network` is the network of Corollary 1 in the same
form, so that it can be trained further.

Source: kajitsuka2024, section 5. It names the batch size, 32, and 400 epochs; width, hidden units, optimizer and
controls are ours.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .arithmetic.base import shown
from .arithmetic.tensors import usable_device
from .layers import Attention, FeedForward, Head
from .memorisation import Memory
from .mixing_experiment import one_thread
from .progress import progress
from .targets import require_ints
from .token_classification import PADDING, Sequences, ceiling, load_conll, require_sequences, synthetic

__all__ = [
    "Curve",
    "RankOneAttention",
    "RankOneTransformer",
    "compare",
    "fit",
    "predict",
    "recalling_network",
    "rounded",
    "train",
]

DEPTHS = (1, 3, 6)
MAX_WEIGHTS = 100_000_000
MAX_RATE = 1000
"""Adam moves every weight by about the rate in a step; weights are near 1."""


# ------------------------------------------------------------------------------------------------------------- networks


class RankOneAttention(nn.Module):
    """Z + w_o (v_1^T Z) softmax[(v_1^T Z)^T (v_2^T Z)] for Z of shape (..., d, n); with several heads their sum.

    Parameters
    ----------
    v_1, v_2, w_o : shape (d,), or (heads, d); the text has one head

    Raises
    ------
    ValueError
        The three are not of one such shape.

    Source: kajitsuka2024, eq. (20).
    """

    def __init__(self, v_1: Any, v_2: Any, w_o: Any) -> None:
        super().__init__()
        shapes = [np.shape(w) for w in (v_1, v_2, w_o)]
        if len(set(shapes)) > 1 or len(shapes[0]) not in (1, 2) or 0 in shapes[0]:
            got = ", ".join(map(str, shapes))
            raise ValueError(f"RankOneAttention: expected one shape (d,) or (heads, d) for all three, got {got}.")
        self.v_1, self.v_2, self.w_o = (
            nn.Parameter(torch.tensor(np.atleast_2d(w), dtype=torch.float32)) for w in (v_1, v_2, w_o)
        )

    def forward(self, Z: Tensor, visible: Tensor | None = None) -> Tensor:
        """The layer on Z; with `visible`, bools of shape (..., n), only those tokens are heard (appendix C)."""
        return Z + self.w_o.mT @ self.heard(Z, visible)

    def heard(self, Z: Tensor, visible: Tensor | None = None) -> Tensor:
        """(v_1^T Z) softmax[(v_1^T Z)^T (v_2^T Z)]: one number for each head and token, shape (..., heads, n)."""
        seen, asked = self.v_1 @ Z, self.v_2 @ Z
        scores = seen[..., :, None] * asked[..., None, :]
        if visible is not None:
            scores = scores.masked_fill(~visible[..., None, :, None], -torch.inf)
        return (seen[..., :, None] * scores.softmax(-2)).sum(-2)

    def as_attention(self) -> Attention:
        """The same layer in the form of this library: heads of size 1, with float64 weights."""
        rows = zip(*(w.detach().cpu().double().numpy() for w in (self.v_1, self.v_2, self.w_o)), strict=True)
        return Attention(
            [Head(w_q=v_2[None], w_k=v_1[None], w_v=v_1[None], w_o=w_o[:, None]) for v_1, v_2, w_o in rows]
        )


class RankOneTransformer(nn.Module):
    """Embeddings, `layers` times rank-1 attention and a layer of ReLUs with skip connections, a linear read-out.

    Maps tokens of shape (B, n), -1 for padding, to scores of shape (B, n, classes).

    Parameters
    ----------
    vocabulary, classes : their numbers
    layers, heads : depth, and the heads of each layer of attention: 1 in the text
    d, hidden : width, and the hidden units of each layer of ReLUs
    places : embeddings of so many places are learned, too; 0 for none, as in Corollary 1
    hearing : only the first so many layers have attention, the others are ReLUs alone; None for all

    Raises
    ------
    ValueError
        A number is no int of at least 1 (places, hearing, seed: 0), more layers would hear than there are, or there
        would be more than 100,000,000 weights. When it is called: a sequence is padding only.
    """

    def __init__(
        self,
        vocabulary: int,
        classes: int,
        *,
        layers: int,
        heads: int = 1,
        d: int = 32,
        hidden: int = 32,
        places: int = 0,
        hearing: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        _require_sizes(vocabulary, classes, layers=layers, heads=heads, d=d, hidden=hidden, places=places)
        hearing = layers if hearing is None else hearing
        require_ints("RankOneTransformer", 0, hearing=hearing, seed=seed)
        if hearing > layers:
            raise ValueError(f"RankOneTransformer: expected at most {layers} hearing layers, got hearing = {hearing}.")
        rng = np.random.default_rng(seed)

        def draw(scale: float, *shape: int) -> nn.Parameter:
            return nn.Parameter(torch.tensor(rng.normal(0, scale, shape), dtype=torch.float32))

        self.words = draw(1, vocabulary, d)
        self.places = draw(1, places, d) if places else None
        self.attention = nn.ModuleList(
            RankOneAttention(*(rng.normal(0, scale, (heads, d)) for scale in (d**-0.5, d**-0.5, 1)))
            for _ in range(hearing)
        )
        self.w_1 = nn.ParameterList(draw(d**-0.5, hidden, d) for _ in range(layers))
        self.b_1 = nn.ParameterList(nn.Parameter(torch.zeros(hidden, 1)) for _ in range(layers))
        self.w_2 = nn.ParameterList(draw(hidden**-0.5, d, hidden) for _ in range(layers))
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


def _require_sizes(
    vocabulary: int, classes: int, *, layers: int, d: int, hidden: int, heads: int = 1, places: int = 0
) -> None:
    """The errors of `RankOneTransformer`."""
    sizes = {"vocabulary": vocabulary, "classes": classes, "layers": layers, "heads": heads, "d": d, "hidden": hidden}
    require_ints("RankOneTransformer", 1, **sizes)
    require_ints("RankOneTransformer", 0, places=places)
    weights = (vocabulary + places + classes) * d + layers * (3 * heads * d + (2 * d + 1) * hidden + d)
    if weights > MAX_WEIGHTS:
        raise ValueError(
            f"RankOneTransformer: expected at most {MAX_WEIGHTS:,} weights, got {shown(weights)}; choose a smaller "
            "width, or fewer hidden units, heads or layers."
        )


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
    require_ints("recalling_network", 1, vocabulary=vocabulary, classes=classes)
    if isinstance(gain, bool) or not isinstance(gain, (int, float)) or not gain > 0:
        raise ValueError(f"recalling_network: expected gain to be a number > 0, got {gain!r}.")
    attention, layer = memory.model.layers
    if memory.encodings is not None or memory.sequences.shape[1] != 1:
        raise ValueError("recalling_network: expected a memory with d = 1 and without encodings; build one with them.")
    for name, values, known in (
        ("tokens", memory.sequences, range(1, vocabulary + 1)),
        ("labels", memory.labels, range(classes)),
    ):
        if strangers := set(values.ravel()) - {*known}:
            expected = f"{known[0]}, ..., {known[-1]}"
            raise ValueError(f"recalling_network: expected {name} out of {expected}, got {min(strangers)}.")
    if not (
        isinstance(attention, Attention) and isinstance(layer, FeedForward) and attention.normalization == "softmax"
    ):
        raise ValueError("recalling_network: expected a layer of softmax attention and one of ReLUs.")
    network = RankOneTransformer(vocabulary, classes, layers=1, d=2, hidden=len(layer.w_1)).to(dtype)
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
    require_ints("rounded", 1, bits=bits)
    other = copy.deepcopy(network)
    with torch.no_grad():
        for weight in other.parameters():
            mantissa, exponent = torch.frexp(weight)  # 1/2 <= |mantissa| < 1
            weight.copy_(torch.ldexp((mantissa * 2.0**bits).round() / 2.0**bits, exponent))
    return other


# ------------------------------------------------------------------------------------------------------------- training


@dataclass(frozen=True)
class Curve:
    """How one network learned: the share of tokens it gets right after each epoch, on the data it learns from."""

    layers: int
    heads: int
    hidden: int
    parameters: int
    accuracies: tuple[float, ...]
    network: RankOneTransformer = field(compare=False, repr=False)
    hearing: int

    @property
    def name(self) -> str:
        """Such as "1 layer, 6 heads, 32 hidden units"; a single head, and hearing in all layers, is not named."""
        heads = f", {self.heads} heads" if self.heads > 1 else ""
        hearing = f", {self.hearing} hearing" if self.hearing < self.layers else ""
        return f"{self.layers} layer{'s' * (self.layers > 1)}{hearing}{heads}, {self.hidden} hidden units"


def predict(network: RankOneTransformer, data: Sequences) -> Tensor:
    """The class of largest score for every token, shape (N, n); -1 for padding."""
    device = network.words.device
    with torch.no_grad():
        answers = torch.cat([network(rows.to(device)).argmax(-1).cpu() for rows in _split(data.tokens, 512)])
    return answers.where(data.tokens != PADDING, PADDING)


def _accuracy(network: RankOneTransformer, batches: Sequence[tuple[Tensor, Tensor]]) -> float:
    """NaN if a score is not finite: the argmax would be a class all the same."""
    right: Any = 0
    finite: Any = True
    with torch.no_grad():
        for x, y in batches:
            scores = network(x)
            right = right + (scores.argmax(-1) == y).sum()  # padding is never predicted
            finite = finite & scores.isfinite().all()
    return float(right) / sum(int((y != PADDING).sum()) for _, y in batches) if bool(finite) else math.nan


def train(
    data: Sequences,
    *,
    layers: int,
    heads: int = 1,
    d: int = 32,
    hidden: int = 32,
    hearing: int | None = None,
    positional: bool = False,
    seed: int = 0,
    device: Any = "cpu",
    **options: Any,
) -> Curve:
    """A network with random weights, trained by `fit`, to which other options go.

    The seed fixes weights and order, so a machine gives the same numbers every time; others may round differently.

    Raises
    ------
    ValueError
        `data` are no `Sequences`, or as `RankOneTransformer` and `fit`.
    """
    require_sequences("train", data)
    places = data.tokens.shape[1] if positional else 0
    network = RankOneTransformer(
        len(data.words),
        len(data.classes),
        layers=layers,
        heads=heads,
        d=d,
        hidden=hidden,
        places=places,
        hearing=hearing,
        seed=seed,
    )
    accuracies = fit(network, data, seed=seed, device=device, **options)
    return Curve(layers, heads, hidden, network.trained, accuracies, network, layers if hearing is None else hearing)


def fit(
    network: RankOneTransformer,
    data: Sequences,
    *,
    epochs: int = 300,
    batch: int = 32,
    rate: float = 1e-3,
    seed: int = 0,
    device: Any = "cpu",
) -> tuple[float, ...]:
    """Train the network in place, by Adam with cross-entropy, `batch` sequences a step, shuffled in every epoch.

    Returns the share of tokens that it gets right after each epoch.

    Raises
    ------
    ValueError
        A number is out of its range, there is no such device, `data` are no `Sequences` or have more words, classes or
        places than the network, or the training diverges: a score is infinite or NaN after an epoch.
    """
    require_sequences("fit", data)
    device = _settings(epochs, batch, rate, seed, device)
    for what, got, most in (
        ("words", len(data.words), len(network.words)),
        ("classes", len(data.classes), len(network.read_out)),
        ("places", data.tokens.shape[1], data.tokens.shape[1] if network.places is None else len(network.places)),
    ):
        if got > most:
            raise ValueError(f"fit: expected at most {most} {what}, as the network has, got data with {got}.")
    network.to(device)
    tokens, labels = data.tokens.to(device), data.labels.to(device)
    lengths = (data.tokens != PADDING).sum(1)
    fixed = [_cut(tokens, labels, rows, lengths) for rows in _split(torch.arange(len(tokens)), 16 * batch)]
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    generator = torch.Generator().manual_seed(seed)
    accuracies = []
    with one_thread() if device.type == "cpu" else contextlib.nullcontext():
        for epoch in progress(range(epochs), f"{len(network.w_1)} layers, {network.trained:,} weights"):
            for rows in _split(torch.randperm(len(tokens), generator=generator), batch):
                x, y = _cut(tokens, labels, rows, lengths)
                scores = network(x)
                loss = nn.functional.cross_entropy(scores.flatten(0, 1), y.flatten(), ignore_index=PADDING)
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
            accuracies.append(_accuracy(network, fixed))
            if math.isnan(accuracies[-1]):
                raise ValueError(
                    f"fit: the training diverged, in epoch {epoch + 1}: scores are no finite numbers; take a rate "
                    f"smaller than {rate!r}."
                )
    return tuple(accuracies)


def _settings(epochs: Any, batch: Any, rate: Any, seed: Any, device: Any) -> torch.device:
    """The device; ValueError if it is not there or a setting of `fit` is out of its range."""
    require_ints("fit", 1, epochs=epochs, batch=batch)
    require_ints("fit", 0, seed=seed)
    if seed >= 2**64:
        raise ValueError(f"fit: expected seed to be below 2^64, got {shown(seed)}.")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 < rate <= MAX_RATE:
        raise ValueError(f"rate: expected a learning rate > 0, at most {MAX_RATE:g}, got {shown(rate)}.")
    return usable_device(device)


def _split(rows: Tensor, size: int) -> list[Tensor]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _cut(tokens: Tensor, labels: Tensor, rows: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Some sequences, as long as the longest of them."""
    n, index = int(lengths[rows].max()), rows.to(tokens.device)
    return tokens[index, :n], labels[index, :n]


def compare(
    data: Sequences | None = None,
    *,
    depths: Iterable[int] = DEPTHS,
    wider: int = 6,
    heads: int = 6,
    hidden: int = 32,
    **options: Any,
) -> list[Curve]:
    """`train` for each depth, for one layer with `wider` times the hidden units, and for one with `heads` heads.

    0 leaves out the wider layer, or that with more heads. Errors as `train`, before anything is trained.
    """
    require_ints("compare", 0, wider=wider, heads=heads)
    if not isinstance(depths, Iterable):
        raise ValueError(f"compare: expected depths to be a list of ints, got {depths!r}.")
    depths = tuple(depths)
    require_ints("compare", 1, hidden=hidden, **{f"depths[{k}]": depth for k, depth in enumerate(depths)})
    chosen = synthetic() if data is None else data
    return [train(chosen, **size, **options) for size in _sizes(depths, hidden, wider, heads)]


def _sizes(depths: Iterable[int], hidden: int, wider: int, heads: int) -> list[dict[str, Any]]:
    sizes: list[dict[str, Any]] = [{"layers": depth, "hidden": hidden} for depth in depths]
    if wider:
        sizes.append({"layers": 1, "hidden": wider * hidden})
    if heads:
        sizes.append({"layers": 1, "heads": heads, "hidden": hidden})
    return sizes


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: train on a column file, or on random labels, and print the accuracies."""
    parser = argparse.ArgumentParser(
        prog="python -m uatlib.rank_one_experiment",
        description=(
            "Train rank-1 transformers of 1, 3 and 6 layers to classify tokens, and of 1 layer with more hidden units "
            "and with more heads."
        ),
    )
    parser.add_argument("file", nargs="?", help="column file as of CoNLL-2003; without one, random labels")
    parser.add_argument("--sentences", type=int, help="take the first so many only")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, mps")
    parser.add_argument("--epochs", type=int, default=400)
    parser.add_argument("--width", type=int, default=128, help="d (random labels: 32)")
    parser.add_argument("--hidden", type=int, default=512, help="hidden units (random labels: 32)")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam")
    parser.add_argument("--wider", type=int, default=6, help="hidden units of one control, in times; 0 for none")
    parser.add_argument("--heads", type=int, default=6, help="heads of the other control; 0 for none")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    try:
        # Words recur in a sentence, so that places matter.
        positional = chosen.file is not None
        d, hidden = (chosen.width, chosen.hidden) if chosen.file else (32, 32)
        # All that can be said before a long file is read.
        _settings(chosen.epochs, 1, chosen.rate, chosen.seed, chosen.device)
        require_ints("main", 0, wider=chosen.wider, heads=chosen.heads)
        for sizes in _sizes(DEPTHS, hidden, chosen.wider, chosen.heads):
            _require_sizes(1, 1, d=d, **sizes)
        data = load_conll(chosen.file, sentences=chosen.sentences) if chosen.file else synthetic(seed=chosen.seed)
        count = int((data.tokens != PADDING).sum())
        print(
            f"{len(data.tokens):,} sequences, {count:,} tokens, {len(data.words):,} words, {len(data.classes)} classes"
        )
        print(f"best possible accuracy: {ceiling(data, positional):.4f}")
        for sizes in _sizes(DEPTHS, hidden, chosen.wider, chosen.heads):
            curve = train(
                data,
                **sizes,
                d=d,
                epochs=chosen.epochs,
                rate=chosen.rate,
                positional=positional,
                seed=chosen.seed,
                device=chosen.device,
            )
            shown = {round(k * chosen.epochs / 4) for k in range(1, 5)} - {0}
            print(f"{curve.name}: {curve.parameters:,} weights")
            print("  right after", ", ".join(f"{k}: {curve.accuracies[k - 1]:.4f}" for k in sorted(shown)))
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
