"""Token mixers trained side by side on small synthetic tasks. Not the text's experiment: that trains BERT for days.

Section H.3 and Table 1 of yun2020 compare self-attention, average attention, bilinear projection and separable
convolution in 12-layer language models. Here one mixer and one feed-forward layer learn four questions about
sequences of 15 tokens, each made to need one thing of the mixer; the numbers say nothing of language.

A token has a key (each key stands once in a sequence, in random order) and a random bit. The label of token j is

    mean      whether most of the bits are 1
    near      the bit of the token before it (of the last token, for the first)
    far       the bit of the token seven places on, round the end
    lookup    the bit of the token whose key follows its own, wherever that stands

`benchmarks/trained_mixers.py` wrote trained-mixers.json: every mixer at several learning rates. `recorded` reads
that file; `summary` gives the reported seeds of each mixer at its best rate, which other seeds picked.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from uatlib import model, torch_model
from uatlib.checks import choice, finite, listed, positive, refused, whole
from uatlib.checks import seed as a_seed
from uatlib.layers import Attention, FeedForward, Head, Layer
from uatlib.mixers import BilinearProjection, SeparableConvolution

from .. import records, training
from ..sweeps import sweep
from .token_mixers import average_attention, receptive_field

MIXERS = ("attention", "average", "bilinear", "convolution")
TASKS = ("mean", "near", "far", "lookup")
N, WIDTH, HIDDEN, FILTER = 15, 16, 32, 3
"""Tokens (and keys), d (also the size of the one head), hidden units beside attention, k."""
MAX_SIZE = 1_000_000
MAX_STEPS = 100_000
MAX_RATE = 10
PATH = records.FOLDER / "trained-mixers.json"


@dataclass(frozen=True)
class Result:
    """How often one trained mixer is right on fresh sequences, counted by tokens."""

    mixer: str
    task: str
    seed: int
    accuracy: float
    parameters: int
    """Trained weights, embedding and read-out included."""


def sample(task: str, size: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """`size` sequences of symbols 2 key + bit and the labels of their tokens, both int64 of shape (size, 15).

    Raises
    ------
    ValueError
        Another task, or size is no int from 1 to a million.
    """
    task, size = choice("task", task, TASKS), whole("size", size, 1, MAX_SIZE)
    keys = rng.permuted(np.tile(np.arange(N), (size, 1)), axis=1)
    bits = rng.integers(0, 2, (size, N))
    if task == "mean":
        labels = np.repeat(bits.sum(axis=1, keepdims=True) > N // 2, N, axis=1)
    elif task == "lookup":
        labels = np.take_along_axis(np.take_along_axis(bits, np.argsort(keys, axis=1), 1), (keys + 1) % N, 1)
    else:
        labels = np.roll(bits, 1 if task == "near" else -(N // 2), axis=1)
    return torch.from_numpy(2 * keys + bits), torch.from_numpy(labels.astype(np.int64))


# ------------------------------------------------------------------------------------------------------------- ceilings


def ceiling(mixer: str, task: str, n: int = N) -> Fraction:
    """The largest expected accuracy of a network that learns of other tokens by one layer of this mixer, for n tokens.

    Such a network answers token j by a function of what the mixer lets it hear:

        attention, bilinear    all tokens with their places: 1 (nothing is out of hearing)
        average                itself, its place, and the sum of the others' embeddings: which symbols there are, since
                               the places always add up to the same
        convolution            itself and its neighbours, k = 3

    The best such function guesses the label that is more likely, given what was heard. This bounds what can be known;
    whether a few dozen hidden units (32 beside attention, more beside the others) can make use of it is another matter.

    Raises
    ------
    ValueError
        Another mixer or task, or n is no odd int from 5 to 999.
    """
    mixer, task = choice("mixer", mixer, MIXERS), choice("task", task, TASKS)
    if (n := whole("n", n, 5, 999)) % 2 == 0:
        raise refused("n", "an odd int", n, "only then bits have a majority, and far is not near")
    if mixer in ("attention", "bilinear"):
        return Fraction(1)
    if mixer == "average":
        return Fraction(1) if task in ("mean", "lookup") else _one_of(n - 1)
    fields = [receptive_field(FILTER, 1, j, n) for j in range(n)]
    if task == "mean":
        return sum((_majority(n, len(field)) for field in fields), Fraction(0)) / n
    if task == "lookup":
        # The token with the next key is any of the others.
        heard = sum((Fraction(len(field) - 1, n - 1) for field in fields), Fraction(0)) / n
    else:
        shift = -1 if task == "near" else n // 2
        heard = Fraction(sum((j + shift) % n in field for j, field in enumerate(fields)), n)
    return (1 + heard) / 2


def _one_of(m: int) -> Fraction:
    """How often one of m fair bits, no one knows which, is the more frequent one of them."""
    return Fraction(sum(math.comb(m, ones) * max(ones, m - ones) for ones in range(m + 1)), m * 2**m)


def _majority(n: int, heard: int) -> Fraction:
    """How often the best guess at the majority of n fair bits is right, `heard` of them being known."""
    rest, right = n - heard, 0
    for ones in range(heard + 1):
        most = sum(math.comb(rest, more) for more in range(rest + 1) if ones + more > n // 2)
        right += math.comb(heard, ones) * max(most, 2**rest - most)
    return Fraction(right, 2**n)


# ------------------------------------------------------------------------------------------------------------ networks


def _layers(mixer: str, rng: np.random.Generator) -> list[Layer]:
    """The mixer and a feed-forward layer, with about the same number of trained weights for every mixer."""
    d = WIDTH

    def draw(rows: int, columns: int) -> np.ndarray:
        return rng.normal(0, columns**-0.5, (rows, columns))

    weights = {"attention": 4 * d * d, "average": 2 * d * d, "bilinear": d * d + N * N, "convolution": d * (d + FILTER)}
    # What a mixer saves beside attention goes into hidden units, of 2d + 1 weights each.
    hidden = HIDDEN + round((weights["attention"] - weights[mixer]) / (2 * d + 1))
    if mixer == "attention":
        # Scores begin about as large as 1, so that softmax is not yet hardmax.
        layer: Layer = Attention([Head(draw(d, d) / (2 * d**0.5), draw(d, d), draw(d, d), draw(d, d))])
    elif mixer == "average":
        layer = average_attention(draw(d, d), draw(d, d), "softmax")
    elif mixer == "bilinear":
        layer = BilinearProjection(draw(d, d), draw(N, N))
    else:
        layer = SeparableConvolution(draw(d, d), draw(d, FILTER))
    return [layer, FeedForward(draw(hidden, d), np.zeros(hidden), draw(d, hidden), np.zeros(d))]


class MixerNetwork(nn.Module):
    """Embeddings of symbols and places, the layers of this library, trained, and a linear read-out of two scores.

    Maps int64 symbols of shape (B, 15) to scores of shape (B, 15, 2). Embedding and read-out are of the same size for
    all mixers.
    """

    def __init__(self, mixer: str, seed: int = 0) -> None:
        super().__init__()
        mixer, rng = choice("mixer", mixer, MIXERS), np.random.default_rng(a_seed(seed))

        def parameter(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.tensor(rng.normal(0, 1, shape), dtype=torch.float32))

        self.symbols, self.places = parameter(2 * N, WIDTH), parameter(WIDTH, N)
        self.read_out = nn.Parameter(parameter(2, WIDTH).detach() * WIDTH**-0.5)
        self.layers = torch_model.to_module(model.Transformer(_layers(mixer, rng), n=N), torch.float32, rounded=True)
        if mixer == "average":
            # Zero scores are what makes it the average.
            for name, weight in self.layers.named_parameters():
                weight.requires_grad_(not name.endswith(("w_q", "w_k")))

    @property
    def trained(self) -> int:
        """Weights that are trained, embedding and read-out included."""
        return sum(p.numel() for p in self.parameters() if p.requires_grad)

    def forward(self, symbols: Tensor) -> Tensor:
        """The scores of the labels 0 and 1 for every token."""
        X = self.layers(self.symbols[symbols].mT + self.places)
        return (self.read_out @ X).mT


def fit(mixer: str, task: str, *, seed: int = 0, steps: int = 500, batch: int = 64, rate: float = 1e-2) -> MixerNetwork:
    """One network, trained by Adam on fresh sequences in every step. On the CPU.

    The learning rate falls from `rate` to a twentieth of it, in a straight line. The seed fixes weights and data, so a
    machine gives the same numbers every time; others may round differently.

    Raises
    ------
    ValueError
        Another mixer or task, seed no int >= 0, steps no int from 1 to 100,000, batch none from 1 to a million, or
        rate no number above 0 and at most 10.
    """
    task, steps = choice("task", task, TASKS), whole("steps", steps, 1, MAX_STEPS)
    rate = float(positive("rate", finite("rate", rate), MAX_RATE, "it is a learning rate"))
    network = MixerNetwork(mixer, seed)
    rng = np.random.default_rng([seed, 1])
    optimizer = torch.optim.Adam([p for p in network.parameters() if p.requires_grad], lr=rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, steps)
    with training.one_thread():
        for _ in range(steps):
            symbols, labels = sample(task, batch, rng)
            loss = nn.functional.cross_entropy(network(symbols).flatten(0, 1), labels.flatten())
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return network


def accuracy(network: MixerNetwork, task: str, *, seed: int = 0) -> float:
    """How often the network is right on 2000 sequences that `fit` with this seed has not seen, counted by tokens.

    Raises
    ------
    ValueError
        Another task, or seed no int >= 0.
    """
    symbols, labels = sample(task, 2000, np.random.default_rng([a_seed(seed), 2]))
    with training.one_thread(), torch.no_grad():
        right = network(symbols).argmax(-1) == labels
    return float(right.double().mean())


def train(mixer: str, task: str, *, seed: int = 0, steps: int = 500, batch: int = 64, rate: float = 1e-2) -> Result:
    """`fit`, then `accuracy`. Errors as `fit`."""
    network = fit(mixer, task, seed=seed, steps=steps, batch=batch, rate=rate)
    return Result(mixer, task, seed, accuracy(network, task, seed=seed), network.trained)


def compare(
    *,
    mixers: Sequence[str] = MIXERS,
    tasks: Sequence[str] = TASKS,
    seeds: Sequence[int] = (0,),
    steps: int = 500,
    executor: Executor | None = None,
    cache: str | Path | None = None,
) -> list[Result]:
    """`train` for every task, mixer and seed, in this order, one after the other or by an executor's processes.

    With `cache`, a folder, each is kept and not trained again. Errors as `train`, and another executor or folder,
    before anything is trained.
    """
    mixers = [choice("mixer", mixer, MIXERS) for mixer in listed("mixers", mixers)]
    tasks = [choice("task", task, TASKS) for task in listed("tasks", tasks)]
    runs = [(mixer, task, seed) for task in tasks for mixer in mixers for seed in map(a_seed, listed("seeds", seeds))]
    steps = whole("steps", steps, 1, MAX_STEPS)
    trained = sweep(partial(_trained, steps), runs, executor=executor, cache=cache, label="training", total=len(runs))
    return list(trained)


def _trained(steps: int, run: tuple[str, str, int]) -> Result:
    mixer, task, seed = run
    return train(mixer, task, seed=seed, steps=steps)


# ------------------------------------------------------------------------------------------------------- recorded runs


def recorded(path: Path = PATH) -> dict[str, object]:
    """The record. ValueError if there is no such file: it lies in the repository, not in the package."""
    return records.read(path, "benchmarks/trained_mixers.py")


def best_rate(runs: Iterable[Mapping[str, Any]], mixer: str, task: str, steps: int) -> float:
    """The rate with the largest mean accuracy of the choosing seeds; of equal ones the smallest."""
    here = (mixer, task, steps, "choosing")
    found: dict[float, list[float]] = {}
    for run in runs:
        if (run["mixer"], run["task"], run["steps"], run["seeds"]) == here:
            found.setdefault(run["rate"], []).append(run["accuracy"])
    return min(found, key=lambda rate: (-statistics.fmean(found[rate]), rate))


@dataclass(frozen=True)
class Arm:
    """One mixer on one task in a record: its best rate, and what the reported seeds reached with it, in their order."""

    mixer: str
    task: str
    steps: int
    rate: float
    accuracies: tuple[float, ...]

    @property
    def median(self) -> float:
        """Of the accuracies."""
        return statistics.median(self.accuracies)


def summary(record: Mapping[str, Any], steps: int) -> dict[tuple[str, str], Arm]:
    """The reported runs of a record with so many steps, by task and mixer. Empty if it has none."""
    arms = {}
    at = {(run["task"], run["mixer"]) for run in record["runs"] if (run["steps"], run["seeds"]) == (steps, "reported")}
    for task, mixer in sorted(at, key=lambda pair: (TASKS.index(pair[0]), MIXERS.index(pair[1]))):
        rate = best_rate(record["runs"], mixer, task, steps)
        here = (mixer, task, steps, "reported", rate)
        names = ("mixer", "task", "steps", "seeds", "rate")
        found = [run for run in record["runs"] if tuple(run[name] for name in names) == here]
        accuracies = tuple(run["accuracy"] for run in sorted(found, key=lambda run: run["seed"]))
        arms[task, mixer] = Arm(mixer, task, steps, rate, accuracies)
    return arms
