"""Rank-1 transformers trained to classify tokens: whether and how fast they find what Corollary 1 says is there.

The attention layer of the text's experiment has one head of size 1, whose values and keys share a vector:

    Z + W_O (v_1^T Z) softmax[(v_1^T Z)^T (v_2^T Z)]                                              (20)

(The sentence below (20) says values and queries; the formula has the keys.) There is no layer normalization. The text
trains on CoNLL-2003, which may not be passed on: with a copy of it,

    python -m uatlib.rank_one_experiment eng.train --device cuda

trains 1, 3 and 6 layers, and a wider single one, on its tokens. Without a file the same networks learn random labels.

Source: kajitsuka2024, section 5. It names the batch size, 32, and 400 epochs; width, hidden units and optimizer
are ours.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .layers import Attention, Head
from .mixing_experiment import one_thread
from .progress import progress
from .targets import require_ints
from .token_classification import PADDING, Sequences, ceiling, load_conll, synthetic

__all__ = ["Curve", "RankOneAttention", "RankOneTransformer", "compare", "train"]

DEPTHS = (1, 3, 6)


# ------------------------------------------------------------------------------------------------------------- networks


class RankOneAttention(nn.Module):
    """Z + w_o (v_1^T Z) softmax[(v_1^T Z)^T (v_2^T Z)] for Z of shape (..., d, n). Source: kajitsuka2024, eq. (20)."""

    def __init__(self, v_1: Any, v_2: Any, w_o: Any) -> None:
        super().__init__()
        self.v_1, self.v_2, self.w_o = (nn.Parameter(torch.as_tensor(w, dtype=torch.float32)) for w in (v_1, v_2, w_o))

    def forward(self, Z: Tensor, visible: Tensor | None = None) -> Tensor:
        """The layer on Z; with `visible`, bools of shape (..., n), only those tokens are heard (appendix C)."""
        seen, asked = self.v_1 @ Z, self.v_2 @ Z
        scores = seen[..., :, None] * asked[..., None, :]
        if visible is not None:
            scores = scores.masked_fill(~visible[..., :, None], -torch.inf)
        heard = (seen[..., :, None] * scores.softmax(-2)).sum(-2)
        return Z + self.w_o[:, None] * heard[..., None, :]

    def as_attention(self) -> Attention:
        """The same layer in the form of this library: one head of size 1, with float64 weights."""
        v_1, v_2, w_o = (w.detach().cpu().double().numpy() for w in (self.v_1, self.v_2, self.w_o))
        return Attention([Head(w_q=v_2[None], w_k=v_1[None], w_v=v_1[None], w_o=w_o[:, None])])


class RankOneTransformer(nn.Module):
    """Embeddings, `layers` times rank-1 attention and a layer of ReLUs with skip connections, a linear read-out.

    Maps tokens of shape (B, n), -1 for padding, to scores of shape (B, n, classes).

    Parameters
    ----------
    vocabulary, classes : their numbers
    layers, d, hidden : depth, width, hidden units of each layer of ReLUs
    places : embeddings of so many places are learned, too; 0 for none, as in Corollary 1
    """

    def __init__(
        self,
        vocabulary: int,
        classes: int,
        *,
        layers: int,
        d: int = 32,
        hidden: int = 32,
        places: int = 0,
        seed: int = 0,
    ) -> None:
        super().__init__()
        require_ints("RankOneTransformer", 1, vocabulary=vocabulary, classes=classes, layers=layers, d=d, hidden=hidden)
        require_ints("RankOneTransformer", 0, places=places, seed=seed)
        rng = np.random.default_rng(seed)

        def draw(scale: float, *shape: int) -> nn.Parameter:
            return nn.Parameter(torch.tensor(rng.normal(0, scale, shape), dtype=torch.float32))

        self.words = draw(1, vocabulary, d)
        self.places = draw(1, places, d) if places else None
        self.attention = nn.ModuleList(
            RankOneAttention(rng.normal(0, d**-0.5, d), rng.normal(0, d**-0.5, d), rng.normal(0, 1, d))
            for _ in range(layers)
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
        Z = self.words[tokens.clamp(min=0)]
        if self.places is not None:
            Z = Z + self.places[: tokens.shape[1]]
        Z = Z.mT
        hidden = None if bool(visible.all()) else visible
        for attention, w_1, b_1, w_2, b_2 in zip(self.attention, self.w_1, self.b_1, self.w_2, self.b_2, strict=True):
            Z = attention(Z, hidden)
            Z = Z + w_2 @ torch.relu(w_1 @ Z + b_1) + b_2
        return (self.read_out @ Z).mT


# ------------------------------------------------------------------------------------------------------------- training


@dataclass(frozen=True)
class Curve:
    """How one network learned: the share of tokens it gets right after each epoch, on the data it learns from."""

    layers: int
    hidden: int
    parameters: int
    accuracies: tuple[float, ...]


def _accuracy(network: RankOneTransformer, batches: Sequence[tuple[Tensor, Tensor]]) -> float:
    with torch.no_grad():
        right = sum((network(x).argmax(-1) == y).sum() for x, y in batches)  # padding is never predicted
    return float(right) / sum(int((y != PADDING).sum()) for _, y in batches)


def train(
    data: Sequences,
    *,
    layers: int,
    d: int = 32,
    hidden: int = 32,
    epochs: int = 300,
    batch: int = 32,
    rate: float = 1e-3,
    positional: bool = False,
    seed: int = 0,
    device: Any = "cpu",
) -> Curve:
    """One network, trained by Adam with cross-entropy, `batch` sequences a step, shuffled in every epoch.

    The seed fixes weights and order, so a machine gives the same numbers every time; others may round differently.

    Raises
    ------
    ValueError
        A number is out of its range, or there is no such device.
    """
    require_ints("train", 1, epochs=epochs, batch=batch)
    if not isinstance(rate, (int, float)) or not rate > 0:
        raise ValueError(f"rate: expected a learning rate > 0, got {rate!r}.")
    places = data.tokens.shape[1] if positional else 0
    network = RankOneTransformer(
        len(data.words), len(data.classes), layers=layers, d=d, hidden=hidden, places=places, seed=seed
    )
    try:
        network.to(device)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f'device: expected "cpu", or an accelerator that is there, got {device!r} ({error}).'
        ) from None
    tokens, labels = data.tokens.to(device), data.labels.to(device)
    lengths = (data.tokens != PADDING).sum(1)
    fixed = [_cut(tokens, labels, rows, lengths) for rows in _split(torch.arange(len(tokens)), 16 * batch)]
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    generator = torch.Generator().manual_seed(seed)
    accuracies = []
    with one_thread() if str(device) == "cpu" else contextlib.nullcontext():
        for _ in progress(range(epochs), f"{layers} layers, {hidden} hidden units"):
            for rows in _split(torch.randperm(len(tokens), generator=generator), batch):
                x, y = _cut(tokens, labels, rows, lengths)
                scores = network(x)
                loss = nn.functional.cross_entropy(scores.flatten(0, 1), y.flatten(), ignore_index=PADDING)
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
            accuracies.append(_accuracy(network, fixed))
    return Curve(layers, hidden, network.trained, tuple(accuracies))


def _split(rows: Tensor, size: int) -> list[Tensor]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _cut(tokens: Tensor, labels: Tensor, rows: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Some sequences, as long as the longest of them."""
    n, index = int(lengths[rows].max()), rows.to(tokens.device)
    return tokens[index, :n], labels[index, :n]


def compare(
    data: Sequences | None = None, *, depths: Sequence[int] = DEPTHS, wider: int = 6, hidden: int = 32, **options: Any
) -> list[Curve]:
    """`train` for each depth, and for one layer with `wider` times the hidden units; 0 for none.

    Errors as `train`, before anything is trained.
    """
    require_ints("compare", 0, wider=wider)
    require_ints("compare", 1, hidden=hidden, **{f"depths[{k}]": depth for k, depth in enumerate(depths)})
    chosen = synthetic() if data is None else data
    sizes = _sizes(depths, hidden, wider)
    return [train(chosen, layers=layers, hidden=units, **options) for layers, units in sizes]


def _sizes(depths: Sequence[int], hidden: int, wider: int) -> list[tuple[int, int]]:
    return [(depth, hidden) for depth in depths] + ([(1, wider * hidden)] if wider else [])


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: train on a column file, or on random labels, and print the accuracies."""
    parser = argparse.ArgumentParser(
        prog="python -m uatlib.rank_one_experiment",
        description="Train rank-1 transformers of 1, 3 and 6 layers, and a wider one of 1, to classify tokens.",
    )
    parser.add_argument("file", nargs="?", help="column file as of CoNLL-2003; without one, random labels")
    parser.add_argument("--sentences", type=int, help="take the first so many only")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, mps")
    parser.add_argument("--epochs", type=int, default=400)
    parser.add_argument("--width", type=int, default=128, help="d (random labels: 32)")
    parser.add_argument("--hidden", type=int, default=512, help="hidden units (random labels: 32)")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam")
    parser.add_argument("--wider", type=int, default=6, help="hidden units of the control, in times; 0 for none")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    try:
        data = load_conll(chosen.file, sentences=chosen.sentences) if chosen.file else synthetic(seed=chosen.seed)
        # Words recur in a sentence, so that places matter.
        positional = chosen.file is not None
        d, hidden = (chosen.width, chosen.hidden) if chosen.file else (32, 32)
        count = int((data.tokens != PADDING).sum())
        print(
            f"{len(data.tokens):,} sequences, {count:,} tokens, {len(data.words):,} words, {len(data.classes)} classes"
        )
        print(f"best possible accuracy: {ceiling(data, positional):.4f}")
        for depth, units in _sizes(DEPTHS, hidden, chosen.wider):
            curve = train(
                data,
                layers=depth,
                d=d,
                hidden=units,
                epochs=chosen.epochs,
                rate=chosen.rate,
                positional=positional,
                seed=chosen.seed,
                device=chosen.device,
            )
            name = f"{depth} layer{'s' * (depth > 1)}, {units} hidden units, {curve.parameters:,} weights"
            shown = {round(k * chosen.epochs / 4) for k in range(1, 5)} - {0}
            print(f"{name}: " + ", ".join(f"{curve.accuracies[k - 1]:.4f} after {k}" for k in sorted(shown)))
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
