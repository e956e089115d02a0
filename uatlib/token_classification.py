"""Labelled sequences of tokens: random ones, and column files as of CoNLL-2003; the best that can be known of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .targets import require_ints

__all__ = ["PADDING", "Sequences", "ceiling", "load_conll", "synthetic"]

PADDING = -1


@dataclass(frozen=True, eq=False)
class Sequences:
    """Labelled sequences of tokens.

    Attributes
    ----------
    tokens, labels : int64, shape (N, n); -1 fills up shorter sequences
    words, classes : what the numbers stand for
    """

    tokens: Tensor
    labels: Tensor
    words: tuple[str, ...]
    classes: tuple[str, ...]


def synthetic(size: int = 32, n: int = 6, vocabulary: int = 20, classes: int = 3, *, seed: int = 0) -> Sequences:
    """`size` sequences of n different tokens each, in random order, every token with a random label.

    No two sequences have the same tokens, so the labels are consistent, as Corollary 1 asks.

    Raises
    ------
    ValueError
        A number is no int >= 1 (n, classes: >= 2), the seed no int >= 0, or there are fewer sets of n tokens than
        sequences.
    """
    require_ints("synthetic", 1, size=size, vocabulary=vocabulary)
    require_ints("synthetic", 2, n=n, classes=classes)
    require_ints("synthetic", 0, seed=seed)
    rng = np.random.default_rng(seed)
    rows: dict[tuple[int, ...], np.ndarray] = {}
    for _ in range(1000 * size if n <= vocabulary else 0):
        row = rng.permutation(vocabulary)[:n]
        rows.setdefault(tuple(sorted(row.tolist())), row)
        if len(rows) == size:
            break
    else:
        raise ValueError(
            f"synthetic: expected {size} different sets of {n} out of {vocabulary} tokens, got {len(rows)}; take a "
            "larger vocabulary or fewer sequences."
        )
    labels = rng.integers(0, classes, (size, n))
    names = (tuple(f"{kind}{k}" for k in range(count)) for kind, count in (("token ", vocabulary), ("class ", classes)))
    return Sequences(torch.from_numpy(np.stack([*rows.values()])), torch.from_numpy(labels), *names)


def load_conll(path: str | Path, *, sentences: int | None = None) -> Sequences:
    """Sentences of a column file as of CoNLL-2003: a token a line, its word first and its label last.

    Empty lines part sentences, lines that begin with -DOCSTART- are left out. Columns are parted by blanks.

    Parameters
    ----------
    sentences : take the first so many only

    Raises
    ------
    ValueError
        There is no such file, it is not UTF-8, a line has one column only (it is shown), or there is no sentence;
        sentences is no int >= 1.
    """
    if sentences is not None:
        require_ints("load_conll", 1, sentences=sentences)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: expected a column file in UTF-8, could not read it ({error}).") from None
    found: list[list[tuple[str, str]]] = [[]]
    for number, line in enumerate(text.split("\n"), 1):
        columns = line.split()
        if not columns or columns[0] == "-DOCSTART-":
            if found[-1]:
                found.append([])
            if sentences is not None and len(found) > sentences:
                break
            continue
        if len(columns) < 2:
            raise ValueError(f"{path}, line {number}: expected a word and a label, in columns, got {line!r}.")
        found[-1].append((columns[0], columns[-1]))
    rows = [row for row in found if row][:sentences]
    if not rows:
        raise ValueError(f"{path}: expected at least one sentence, a token a line, got none.")
    words = tuple(sorted({word for row in rows for word, _ in row}))
    classes = tuple(sorted({label for row in rows for _, label in row}))
    word_at, class_at = ({name: k for k, name in enumerate(names)} for names in (words, classes))
    shape = (len(rows), max(len(row) for row in rows))
    tokens, labels = torch.full(shape, PADDING), torch.full(shape, PADDING)
    for i, row in enumerate(rows):
        tokens[i, : len(row)] = torch.tensor([word_at[word] for word, _ in row])
        labels[i, : len(row)] = torch.tensor([class_at[label] for _, label in row])
    return Sequences(tokens, labels, words, classes)


def ceiling(data: Sequences, positional: bool = False) -> float:
    """The largest accuracy of a network that knows of a token: its word, which words are around it, how often each.

    With `positional` also where all stand. Where the same is labelled in several ways the most frequent is right most
    often.
    """
    answers: dict[Any, Counter[int]] = {}
    for tokens, labels in zip(data.tokens.tolist(), data.labels.tolist(), strict=True):
        row = [token for token in tokens if token != PADDING]
        context = tuple(row if positional else sorted(row))
        for k, token in enumerate(row):
            answers.setdefault((context, k if positional else token), Counter())[labels[k]] += 1
    return sum(max(count.values()) for count in answers.values()) / sum(sum(c.values()) for c in answers.values())
