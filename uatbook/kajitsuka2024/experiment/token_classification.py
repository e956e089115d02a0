"""Labelled sequences of tokens: random ones, and column files as of CoNLL-2003; the best that can be known of them."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from uatlib.checks import flag, instance, items, refused, shown, whole

PADDING = -1
MAX_NAMES, MAX_DRAWN = 1_000_000, 20_000_000
"""The most words or classes; words times sequences that `synthetic` draws, tokens of a file with its padding."""
MAX_DRAWS = 300_000
"""Sequences that `synthetic` may be expected to draw, until enough of them are different."""
FEWER = "take a larger vocabulary or fewer sequences"
MAX_LENGTH = 5000
"""Tokens of a sentence, which has so many scores squared."""


@dataclass(frozen=True, eq=False)
class Sequences:
    """Labelled sequences of tokens.

    Attributes
    ----------
    tokens, labels : int64, shape (N, n); -1 fills up shorter sequences
    words, classes : what the numbers stand for

    Raises
    ------
    ValueError
        Those are no such tensors, padding stands in different places or is all there is of a sequence, or there are
        fewer words or classes than numbers.
    """

    tokens: Tensor
    labels: Tensor
    words: tuple[str, ...]
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in ("words", "classes"):
            object.__setattr__(self, name, items(name, getattr(self, name), str))
        for name, ids, names in (("tokens", self.tokens, self.words), ("labels", self.labels, self.classes)):
            if not isinstance(ids, Tensor) or ids.dtype != torch.int64 or ids.ndim != 2 or 0 in ids.shape:
                raise refused(name, "a tensor of int64, of shape (N, n)", ids)
            low, high = int(ids.min()), int(ids.max())
            if low < PADDING or high >= len(names):
                expected = f"numbers from 0 to {len(names) - 1}, or {PADDING} for padding"
                raise ValueError(f"{name}: expected {expected}, got some from {low} to {high}.")
        here, there = self.tokens == PADDING, self.labels == PADDING
        if not torch.equal(here, there):
            got = f"shapes {tuple(here.shape)} and {tuple(there.shape)} or padding in different places"
            raise ValueError(f"labels: expected a label for every token and none else, got {got}.")
        if bool(here.all(1).any()):
            raise ValueError("tokens: expected one in every sequence, got a sequence of padding only.")


def sequences_of(data: object) -> Sequences:
    """`data`, if they are `Sequences`."""
    return instance("data", data, Sequences, "take those of `synthetic` or `load_conll`")


def synthetic(size: int = 32, n: int = 6, vocabulary: int = 20, classes: int = 3, *, seed: int = 0) -> Sequences:
    """`size` sequences of n different tokens each, in random order, every token with a random label.

    No two sequences have the same tokens, so the labels are consistent, as Corollary 1 asks.

    Raises
    ------
    ValueError
        A number is no int >= 1 (n, classes: >= 2), the seed no int >= 0, there are fewer sets of n tokens than
        sequences, or so few that more than 300,000 draws would be needed, the vocabulary or the classes exceed
        1,000,000, or size times vocabulary 20,000,000.
    """
    size, n, seed = whole("size", size, 1, MAX_DRAWN), whole("n", n, 2), whole("seed", seed, 0)
    vocabulary, classes = whole("vocabulary", vocabulary, 1, MAX_NAMES), whole("classes", classes, 2, MAX_NAMES)
    if size * vocabulary > MAX_DRAWN:
        raise refused("size", f"at most {MAX_DRAWN:,} for size times vocabulary", size * vocabulary)
    # Of 32 tokens or more there are over 20 million sets of 16.
    sets = math.comb(vocabulary, min(n, vocabulary - n, 16)) if n <= vocabulary else 0
    if sets < size:
        expected = f"at most as many sequences as there are sets of {shown(n)} out of {vocabulary} tokens, {sets}"
        raise refused("size", expected, size, FEWER)
    if (draws := sets * math.log1p(size / (sets - size + 1))) > MAX_DRAWS:
        expected = f"so many of {sets} sequences that {MAX_DRAWS:,} draws find them all different"
        raise refused("size", f"{expected}, not about {draws:,.0f} draws", size, FEWER)
    rng = np.random.default_rng(seed)
    rows: dict[tuple[int, ...], np.ndarray] = {}
    while len(rows) < size:
        row = rng.permutation(vocabulary)[:n]
        rows.setdefault(tuple(sorted(row.tolist())), row)
    labels = rng.integers(0, classes, (size, n))
    names = (tuple(f"{kind}{k}" for k in range(count)) for kind, count in (("token ", vocabulary), ("class ", classes)))
    return Sequences(torch.from_numpy(np.stack([*rows.values()])), torch.from_numpy(labels), *names)


def load_conll(path: str | Path, *, sentences: int | None = None) -> Sequences:
    """Sentences of a column file as of CoNLL-2003: a token a line, its word first and its label last.

    Empty lines part sentences, lines that begin with -DOCSTART- are left out. Columns are parted by spaces and tabs.

    Parameters
    ----------
    sentences : take the first so many only

    Raises
    ------
    ValueError
        There is no such file, it is not UTF-8, a line has one column only (it is shown), there is no sentence, or one
        of more than 5,000 tokens; more than 20,000,000 tokens when all sentences are as long as the longest; sentences
        is no int >= 1.
    """
    sentences = None if sentences is None else whole("sentences", sentences, 1)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")  # with a byte order mark, or without
    except (OSError, TypeError, ValueError) as error:
        told = path if isinstance(path, (str, Path)) else shown(path)
        raise ValueError(f"{told}: expected a column file in UTF-8, could not read it ({error}).") from None
    found: list[list[tuple[str, str]]] = [[]]
    for number, line in enumerate(text.split("\n"), 1):
        columns = re.split("[ \t]+", line.strip(" \t"))
        if columns[0] in ("", "-DOCSTART-"):
            if found[-1]:
                found.append([])
            if sentences is not None and len(found) > sentences:
                break
            continue
        if len(columns) < 2:
            raise ValueError(f"{path}, line {number}: expected a word and a label, in columns, got {line!r}.")
        found[-1].append((columns[0], columns[-1]))
        if len(found[-1]) > MAX_LENGTH:
            expected = f"sentences of at most {MAX_LENGTH:,} tokens, parted by empty lines"
            raise ValueError(f"{path}, line {number}: expected {expected}.")
    rows = [row for row in found if row][:sentences]
    if not rows:
        raise ValueError(f"{path}: expected at least one sentence, a token a line, got none.")
    longest = max(map(len, rows))
    if len(rows) * longest > MAX_DRAWN:
        got, hint = f"{len(rows):,} sentences of up to {longest:,}", "take the first of them, or part the long ones"
        raise ValueError(f"{path}: expected at most {MAX_DRAWN:,} tokens with the padding, got {got}; {hint}.")
    words = tuple(sorted({word for row in rows for word, _ in row}))
    classes = tuple(sorted({label for row in rows for _, label in row}))
    word_at, class_at = ({name: k for k, name in enumerate(names)} for names in (words, classes))
    tokens, labels = (torch.full((len(rows), longest), PADDING) for _ in range(2))
    there = torch.arange(longest) < torch.tensor([len(row) for row in rows])[:, None]
    tokens[there] = torch.tensor([word_at[word] for row in rows for word, _ in row])
    labels[there] = torch.tensor([class_at[label] for row in rows for _, label in row])
    return Sequences(tokens, labels, words, classes)


def ceiling(data: Sequences, positional: bool = False) -> float:
    """The largest accuracy of a network that knows of a token: its word, which words are around it, how often each.

    With `positional` also where all stand. Where the same is labelled in several ways the most frequent is right most
    often. ValueError if `data` are no `Sequences`.
    """
    data, positional = sequences_of(data), flag("positional", positional)
    contexts: dict[tuple[int, ...], int] = {}
    answers: dict[tuple[int, int], Counter[int]] = {}
    for tokens, labels in zip(data.tokens.tolist(), data.labels.tolist(), strict=True):
        row = [token for token in tokens if token != PADDING]
        # By a number, as a tuple would be hashed for each of its tokens.
        context = contexts.setdefault(tuple(row if positional else sorted(row)), len(contexts))
        for k, token in enumerate(row):
            answers.setdefault((context, k if positional else token), Counter())[labels[k]] += 1
    return sum(max(count.values()) for count in answers.values()) / sum(sum(c.values()) for c in answers.values())
