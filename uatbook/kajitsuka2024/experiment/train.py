"""Rank-1 transformers trained to classify tokens: whether and how fast they find what Corollary 1 says is there.

The text trains the networks of `networks` on CoNLL-2003, which may not be passed on: with a copy of it,

    python -m uatbook.kajitsuka2024.experiment eng.train --device cuda

trains 1, 3 and 6 layers on its tokens, and two controls of one layer: with more hidden units, and with more heads.
Without a file the same networks learn random labels.

Source: kajitsuka2024, section 5. It names the batch size, 32, and 400 epochs; width, hidden units, optimizer and
controls are ours.
"""

from __future__ import annotations

import argparse
import contextlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from uatlib import checks
from uatlib.arithmetic.tensors import usable_device
from uatlib.checks import finite, flag, instance, listed, positive, whole
from uatlib.internal.progress import progress

from ... import training
from .networks import RankOneTransformer, Sizes
from .token_classification import PADDING, Sequences, ceiling, load_conll, sequences_of, synthetic

DEPTHS = (1, 3, 6)
MAX_RATE = 1000
"""Adam moves every weight by about the rate in a step; weights are near 1."""


@dataclass(frozen=True)
class Curve:
    """How one network learned: the share of tokens it gets right after each epoch, on the data it learns from."""

    sizes: Sizes
    parameters: int
    accuracies: tuple[float, ...]
    network: RankOneTransformer = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        """Such as "1 layer, 6 heads, 32 hidden units"; what the text has, such as a single head, is not named."""
        s = self.sizes
        parts = [f"{s.layers} layer{'s' * (s.layers > 1)}"]
        parts += [f"{s.hearing} hearing"] * (s.hearing < s.layers) + [f"{s.heads} heads"] * (s.heads > 1)
        parts += [f"{s.numbers} numbers heard"] * (s.numbers != s.heads) + ["own keys"] * (not s.tied)
        return ", ".join([*parts, f"{s.hidden} hidden units"])


def predict(network: RankOneTransformer, data: Sequences) -> Tensor:
    """The class of largest score for every token, shape (N, n); -1 for padding.

    Raises
    ------
    ValueError
        The network is none, or knows fewer words, classes or places than the data have.
    """
    require_fit(network, data)
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


def train(data: Sequences, sizes: Sizes, *, positional: bool = False, seed: int = 0, **options: Any) -> Curve:
    """A network with random weights, trained by `fit`, which takes the other options.

    The seed fixes weights and order, so a machine gives the same numbers every time; others may round differently. It
    is not the seed of the data. With `positional` embeddings of places are learned, too.

    Raises
    ------
    ValueError
        `data` are no `Sequences`, or as `RankOneTransformer` and `fit`.
    """
    words, classes, n = len(sequences_of(data).words), len(data.classes), data.tokens.shape[1]
    network = RankOneTransformer(words, classes, sizes, places=n * flag("positional", positional), seed=seed)
    accuracies = fit(network, data, seed=seed, **options)
    return Curve(sizes, network.trained, accuracies, network)


def fit(
    network: RankOneTransformer,
    data: Sequences,
    *,
    epochs: int = 300,
    batch: int = 32,
    rate: float = 1e-3,
    seed: int = 0,
    device: object = "cpu",
) -> tuple[float, ...]:
    """Train the network in place, by Adam with cross-entropy, `batch` sequences a step, shuffled in every epoch.

    Returns the share of tokens that it gets right after each epoch.

    Raises
    ------
    ValueError
        A number is out of its range, there is no such device, `data` are no `Sequences` or have more words, classes or
        places than the network, or the training diverges: a score is infinite or NaN after an epoch.
    """
    require_fit(network, data)
    epochs, batch, rate = whole("epochs", epochs, 1), whole("batch", batch, 1), rate_of(rate)
    seed, device = checks.seed(seed), usable_device(device)
    network.to(device)
    tokens, labels = data.tokens.to(device), data.labels.to(device)
    lengths = (data.tokens != PADDING).sum(1)
    fixed = [_cut(tokens, labels, rows, lengths) for rows in _split(torch.arange(len(tokens)), 16 * batch)]
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    generator = torch.Generator().manual_seed(seed)
    accuracies = []
    with training.one_thread() if device.type == "cpu" else contextlib.nullcontext():
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
                diverged = f"the training diverged, in epoch {epoch + 1}: scores are no finite numbers"
                raise ValueError(f"fit: {diverged}; take a rate smaller than {rate!r}.")
    return tuple(accuracies)


def rate_of(value: object) -> float:
    """A learning rate."""
    return float(positive("rate", finite("rate", value), MAX_RATE, "it is a learning rate"))


def require_fit(network: Any, data: Any) -> None:
    """ValueError unless the data have no more words, classes or places than the network."""
    instance("network", network, RankOneTransformer)
    n = sequences_of(data).tokens.shape[1]
    for what, got, most in (
        ("words", len(data.words), len(network.words)),
        ("classes", len(data.classes), len(network.read_out)),
        ("places", n, n if network.places is None else len(network.places)),
    ):
        if got > most:
            raise ValueError(f"data: expected at most {most} {what}, as the network has, got {got}.")


def _split(rows: Tensor, size: int) -> list[Tensor]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _cut(tokens: Tensor, labels: Tensor, rows: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Some sequences, as long as the longest of them."""
    n, index = int(lengths[rows].max()), rows.to(tokens.device)
    return tokens[index, :n], labels[index, :n]


def compared(
    depths: Iterable[int] = DEPTHS, *, wider: int = 6, heads: int = 6, hidden: int = 32, d: int = 32
) -> list[Sizes]:
    """Each depth, one layer with `wider` times the hidden units, and one with `heads` heads; 0 leaves either out."""
    hidden, wider, heads = whole("hidden", hidden, 1), whole("wider", wider, 0), whole("heads", heads, 0)
    sizes = [Sizes(depth, hidden=hidden, d=d) for depth in listed("depths", depths, "a list of ints")]
    sizes += [Sizes(1, hidden=wider * hidden, d=d)] if wider else []
    return sizes + ([Sizes(1, heads=heads, hidden=hidden, d=d)] if heads else [])


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: train on a column file, or on random labels, and print the accuracies."""
    what = "of 1, 3 and 6 layers to classify tokens, and of 1 layer with more hidden units and with more heads"
    parser = argparse.ArgumentParser("python -m uatbook.kajitsuka2024.experiment")
    parser.description = f"Train rank-1 transformers {what}."
    parser.add_argument("file", nargs="?", help="column file as of CoNLL-2003; without one, random labels")
    parser.add_argument("--sentences", type=int, help="take the first so many only")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, mps")
    parser.add_argument("--epochs", type=int, default=400)
    parser.add_argument("--width", type=int, default=128, help="d (random labels: 32)")
    parser.add_argument("--hidden", type=int, default=512, help="hidden units (random labels: 32)")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam")
    parser.add_argument("--wider", type=int, default=6, help="hidden units of one control, in times; 0 for none")
    parser.add_argument("--heads", type=int, default=6, help="heads of the other control; 0 for none")
    parser.add_argument("--seed", type=int, default=0, help="of the weights")
    parser.add_argument("--data-seed", type=int, default=0, help="of random labels")
    chosen = parser.parse_args(arguments)
    try:
        # Words recur in a sentence, so that places matter.
        positional = chosen.file is not None
        d, hidden = (chosen.width, chosen.hidden) if positional else (32, 32)
        # All that can be said before a long file is read.
        options: dict[str, Any] = {"epochs": whole("epochs", chosen.epochs, 1), "rate": rate_of(chosen.rate)}
        options |= {"seed": checks.seed(chosen.seed), "device": usable_device(chosen.device)}
        sizes_of_all = compared(wider=chosen.wider, heads=chosen.heads, hidden=hidden, d=d)
        for sizes in sizes_of_all:
            sizes.weights(1, 1)
        data = load_conll(chosen.file, sentences=chosen.sentences) if chosen.file else synthetic(seed=chosen.data_seed)
        count = int((data.tokens != PADDING).sum())
        words = f"{len(data.words):,} words, {len(data.classes)} classes"
        print(f"{len(data.tokens):,} sequences, {count:,} tokens, {words}")
        print(f"best possible accuracy: {ceiling(data, positional):.4f}")
        for sizes in sizes_of_all:
            curve = train(data, sizes, positional=positional, **options)
            shown = {round(k * chosen.epochs / 4) for k in range(1, 5)} - {0}
            print(f"{curve.name}: {curve.parameters:,} weights")
            print("  right after", ", ".join(f"{k}: {curve.accuracies[k - 1]:.4f}" for k in sorted(shown)))
    except ValueError as error:
        parser.error(str(error))
