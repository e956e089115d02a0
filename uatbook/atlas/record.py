"""Every mixer of the atlas asked, at many sizes, depths and seeds; and what was recorded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from uatlib.checks import refused, whole
from uatlib.checks import seed as parse_seed
from uatlib.cheng2025 import check_mixer
from uatlib.cheng2025.mixer_network import parsed
from uatlib.cheng2025.pairs import FAMILIES
from uatlib.cheng2025.your_mixer import Search, Verdict

from .. import records
from .registry import MIXERS, Entry, Group, group_of, of_theta, shapes

COMMAND = "benchmarks/atlas.py"
PATH = records.FOLDER / "atlas.json"
TOKENS, ENTRIES, LAYERS, SEEDS = range(3, 9), range(1, 5), range(1, 5), range(5)
SIZES = sorted(((n, d) for n in TOKENS for d in ENTRIES), key=lambda size: (size[0] * size[1], size))
LETTERS = {"y": "yes", "n": "no", "u": "unsure"}
TRAPS = list(FAMILIES)
"""Families of pairs, by which a cell names its own."""


class Question(NamedTuple):
    """What `ask` is asked; a mixer by its code, so that a changed one is asked anew."""

    mix: Callable[..., torch.Tensor]
    weights: str
    group: Group
    causal: bool
    n: int
    d: int
    layers: int
    seed: int


class Answer(NamedTuple):
    """Of one search: verdict, the gap of the worst pair in units of rounding, its family, its sequences and tokens."""

    verdict: str
    gap: float
    family: str
    tokens: tuple[int, int]
    kinks: bool
    pair: tuple[Any, Any]


class Cell(NamedTuple):
    """A mixer at one size and depth: verdicts ("y", "n", "u") of seeds 0, 1, ..., the worst gap and its family."""

    verdicts: str
    gap: float
    family: str
    kinks: bool


class LastToken(Search):
    """The search, asked of the last token alone: what it hears is all that a causal mixer can know.

    Pairs are turned round, so that the token which many families share stands last.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.both = self.both[..., ::-1].copy()
        self.tried = [pair._replace(X=X, Y=Y) for pair, (X, Y) in zip(self.tried, self.both, strict=True)]
        self.least = np.inf  # no theta is looked for that serves all pairs

    def take(self, k: int, units: np.ndarray) -> None:
        """Other tokens are as if told apart."""
        asked = np.zeros(units.shape[1:], dtype=bool)
        asked[0, -1, -1] = True
        super().take(k, np.where(asked | np.isnan(units), units, 1e300))


def ask(question: Question) -> dict[bool, Answer]:
    """What `check_mixer` answers, at False; of a causal mixer, at True, what the same search answers of the last token.

    Deeper layers of a causal mixer are asked of the last token alone: the first one hears itself at any depth.
    """
    mix, weights, group, causal, *sizes = question
    n, d, layers = (whole(name, size, 1, 64) for name, size in zip(("n", "d", "layers"), sizes, strict=False))
    seed = parse_seed(question.seed)
    torch.set_num_threads(1)
    g, count = of_theta(mix, weights, n, d), sum(map(math.prod, shapes(weights, n, d)))
    found = {}
    if layers == 1 or not causal:
        v = check_mixer(g, parameters=count, n=n, d=d, group=group_of(group, n, d), layers=layers, seed=seed)
        found[False] = _answer(v)
    if causal:
        identity, steps = tuple(range(n)), parsed(g, count, n, d, np.random.default_rng(seed))
        found[True] = _answer(LastToken(steps * layers, n, d, [], lambda s: s == identity, seed).run())
    return found


def _answer(v: Verdict) -> Answer:
    assert v.pair is not None
    assert v.tokens is not None
    pair = (v.pair[0].tolist(), v.pair[1].tolist())
    return Answer(v.verdict, float(f"{v.gap:.3g}"), v.family, v.tokens, v.kinks, pair)


def question(entry: Entry, n: int, d: int, layers: int, seed: int) -> Question:
    """Of a mixer of the atlas."""
    return Question(entry.mix, entry.weights, entry.group, entry.causal, n, d, layers, seed)


def grid() -> Iterator[tuple[str, int, int, int, int]]:
    """Mixer, n, d, layers and seed: all mixers first, then larger sizes, then depth, then other seeds."""
    return ((name, n, d, layers, seed) for seed in SEEDS for layers in LAYERS for n, d in SIZES for name in MIXERS)


class Atlas:
    """What is recorded: `cells` by (mixer, layers, last) and (n, d), and the smallest pair of each "no"."""

    def __init__(self) -> None:
        self.header: dict[str, Any] = {}
        self.cells: dict[tuple[str, int, bool], dict[tuple[int, int], Cell]] = {}
        self.pairs: dict[tuple[str, int, bool], dict[str, Any]] = {}

    def add(self, name: str, n: int, d: int, layers: int, last: bool, answer: Answer) -> None:
        """The next seed of a cell."""
        row = self.cells.setdefault((name, layers, last), {})
        old = row.get((n, d), Cell("", np.inf, "", False))
        worst = Cell("", answer.gap, answer.family, False) if not answer.gap >= old.gap else old
        row[n, d] = Cell(old.verdicts + answer.verdict[0], worst.gap, worst.family, old.kinks or answer.kinks)
        if answer.verdict == "no" and (name, layers, last) not in self.pairs:
            X, Y = answer.pair
            self.pairs[name, layers, last] = {"n": n, "d": d, "tokens": list(answer.tokens), "X": X, "Y": Y}

    def row(self, name: str, layers: int, last: bool) -> dict[tuple[int, int], Cell]:
        """By (n, d), none where nobody asked; KeyError for a mixer that neither atlas nor record has."""
        if (name, layers, last) not in self.cells:
            name = MIXERS[name].name
        return self.cells.get((name, layers, last), {})

    def seeds(self, name: str, n: int, d: int, layers: int) -> int:
        """How many are recorded."""
        found = self.row(name, layers, MIXERS[name].causal).get((n, d))
        return len(found.verdicts) if found else 0

    def verdict(self, name: str, n: int, d: int, layers: int, last: bool = False) -> str | None:
        """What all seeds say, "yes" or "no"; "unsure" or "mixed" where not, None where nobody asked."""
        cell = self.row(name, layers, last).get((n, d))
        if cell is None:
            return None
        kinds = set(cell.verdicts)
        return LETTERS[kinds.pop()] if len(kinds) == 1 else "mixed"

    def settings(self) -> Iterator[tuple[str, int, int, int, bool]]:
        """All that were asked: mixer, n, d, layers, last."""
        return ((name, n, d, layers, last) for (name, layers, last), row in self.cells.items() for n, d in row)

    def counted(self, name: str, layers: int, last: bool) -> Counter[str]:
        """How many sizes have which verdict."""
        row = self.row(name, layers, last)
        return Counter(str(self.verdict(name, n, d, layers, last)) for n, d in row)

    def write(self, path: Path) -> None:
        """The file, a line for each mixer and depth."""
        rows = [
            {
                "mixer": name,
                "layers": layers,
                "last": last,
                "cells": [
                    [n, d, c.verdicts, c.gap if np.isfinite(c.gap) else None, TRAPS.index(c.family), int(c.kinks)]
                    for (n, d), c in row.items()
                ],
            }
            for (name, layers, last), row in self.cells.items()
        ]
        keys = ("mixer", "layers", "last")
        worst = [{**dict(zip(keys, key, strict=True)), **pair} for key, pair in self.pairs.items()]
        records.write(path, self.header, rows=rows, pairs=worst)


def recorded(path: Path = PATH) -> Atlas:
    """The record; ValueError if there is none, or one that is damaged."""
    found = records.read(path, COMMAND)
    try:
        return _read(found)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        hint = f"take it from the repository again, or move it away and run `python {COMMAND} --record {path}`"
        raise refused(str(path), "the record of an atlas, whole", f"{type(error).__name__}: {error}", hint) from None


def _read(found: dict[str, Any]) -> Atlas:
    atlas = Atlas()
    atlas.header = {key: value for key, value in found.items() if key not in ("rows", "pairs")}
    for row in found["rows"]:
        cells = {}
        for n, d, verdicts, gap, trap, kinks in row["cells"]:
            if not verdicts or set(verdicts) - set(LETTERS):
                raise ValueError(f"verdicts {verdicts!r} at n = {n}, d = {d} of {row['mixer']}")
            cells[n, d] = Cell(verdicts, np.nan if gap is None else gap, found["traps"][trap], bool(kinks))
        atlas.cells[row["mixer"], row["layers"], row["last"]] = cells
    for pair in found["pairs"]:
        atlas.pairs[pair.pop("mixer"), pair.pop("layers"), pair.pop("last")] = pair
    return atlas
