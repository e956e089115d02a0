"""Every mixer of the atlas asked, at many sizes, depths and seeds; and what was recorded."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from uatlib.checks import refused, whole
from uatlib.checks import seed as parse_seed
from uatlib.cheng2025 import check_mixer
from uatlib.cheng2025.mixer_network import SCALES, Network
from uatlib.cheng2025.mixer_parsing import Asked, in_group, of_mixer, parsed, scale_of
from uatlib.cheng2025.mixer_search import Search, Verdict
from uatlib.cheng2025.pairs import FAMILIES, of_family

from .. import records
from .registry import BIASED, MIXERS, Entry, Group, group_of, of_theta, shapes

COMMAND = "benchmarks/atlas.py"
PATH = records.FOLDER / "atlas.json"
TOKENS, ENTRIES, LAYERS, SEEDS = range(3, 9), range(1, 5), range(1, 5), range(5)
SIZES = sorted(((n, d) for n in TOKENS for d in ENTRIES), key=lambda size: (size[0] * size[1], size))
LETTERS = {"y": "yes", "n": "no", "u": "unsure"}
TRAPS = list(FAMILIES)
"""Families of pairs, by which a cell names its own."""
ALIKE, CLEAR = 12, 1e-6
"""Parameters at which the pairs of a new family are looked at, and the relative gap that clearly tells tokens apart."""


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
        found[True] = _answer(LastToken(Asked(steps * layers, n, d, [], lambda s: s == identity, seed)).run())
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
    """Mixer, n, d, layers and seed: all mixers first, then larger sizes, then depth, then other seeds.

    Last, tokens of two entries at one seed: mixers that are proved to be fooled there, with biases.
    """
    for seed in SEEDS:
        yield from ((name, n, d, layers, seed) for layers in LAYERS for n, d in SIZES for name in MIXERS)
    for name, entry in MIXERS.items():
        for layers, n in itertools.product((min(LAYERS), max(LAYERS)), TOKENS[:4]):
            if entry.with_biases() and entry.known("no", n, 2, layers, entry.causal):
                yield name + BIASED, n, 2, layers, 0


def entry_of(name: str) -> Entry:
    """A mixer of the atlas, or the same with biases."""
    biased = MIXERS[name.removesuffix(BIASED)].with_biases() if name.endswith(BIASED) else MIXERS[name]
    if biased is None:
        raise KeyError(f"{name!r}: of this mixer no projection is marked that could have one")
    return biased


def alike(entry: Entry, n: int, d: int, layers: int, families: Collection[str]) -> list[int]:
    """Seeds whose pairs of these families a few random parameters leave alike, at two tokens that are asked about.

    All other pairs are as they were, so a family that is new can turn the answers of these seeds alone to "no".
    """
    inside = in_group("trivial" if entry.causal else group_of(entry.group, n, d), n)
    net = Network([of_mixer(entry.g(n, d), entry.parameters(n, d))] * layers)
    drawn = np.random.default_rng(0)
    theta = scale_of(d) * np.resize(SCALES, ALIKE)[:, None] * drawn.normal(size=(ALIKE, net.count))
    seeds, both = [], []
    for seed, name in itertools.product(SEEDS, families):
        for pair in of_family(name, n, d, inside, np.random.default_rng(seed)):
            seeds.append(seed)
            both.append([Z[:, ::-1] if entry.causal else Z for Z in pair])
    if not both:
        return []
    tiled = np.repeat(np.array(both).reshape(-1, d, n), ALIKE, axis=0)
    values = net(tiled, np.tile(theta, (2 * len(both), 1))).reshape(len(both), 2, ALIKE, d, n)
    F, G = values[:, 0], values[:, 1]
    with np.errstate(invalid="ignore"):
        gaps = [np.abs(A[..., :, None] - B[..., None, :]).max(axis=2) for A, B in ((F, G), (F, F), (G, G))]
        gaps[1:] = [gap + np.where(np.eye(n), np.inf, 0) for gap in gaps[1:]]
        asked = gaps[0][None, ..., -1:, -1:] if entry.causal else np.stack(gaps)
        asked = asked / (1 + np.abs(values).max(axis=(1, 3, 4))[None, ..., None, None])
    least = np.nan_to_num(asked, nan=0, posinf=1).max(axis=2).min(axis=(0, 2, 3))
    return [seed for seed in SEEDS if any(gap < CLEAR for gap, own in zip(least, seeds, strict=True) if own == seed)]


class Atlas:
    """What is recorded: `cells` by (mixer, layers, last) and (n, d), and the smallest pair of each "no"."""

    def __init__(self) -> None:
        self.header: dict[str, Any] = {}
        self.cells: dict[tuple[str, int, bool], dict[tuple[int, int], Cell]] = {}
        self.pairs: dict[tuple[str, int, bool], dict[str, Any]] = {}

    def add(self, name: str, n: int, d: int, layers: int, last: bool, answer: Answer, seed: int | None = None) -> None:
        """The next seed of a cell, or what one that was asked before says now."""
        row = self.cells.setdefault((name, layers, last), {})
        old = row.get((n, d), Cell("", np.inf, "", False))
        worst = Cell("", answer.gap, answer.family, False) if not answer.gap >= old.gap else old
        at = len(old.verdicts) if seed is None else seed
        verdicts = old.verdicts[:at] + answer.verdict[0] + old.verdicts[at + 1 :]
        row[n, d] = Cell(verdicts, worst.gap, worst.family, old.kinks or answer.kinks)
        if answer.verdict == "no" and (name, layers, last) not in self.pairs:
            X, Y = answer.pair
            self.pairs[name, layers, last] = {"n": n, "d": d, "tokens": list(answer.tokens), "X": X, "Y": Y}

    def row(self, name: str, layers: int, last: bool) -> dict[tuple[int, int], Cell]:
        """By (n, d), none where nobody asked; KeyError for a mixer that neither atlas nor record has."""
        if (name, layers, last) not in self.cells:
            name = entry_of(name).name
        return self.cells.get((name, layers, last), {})

    def seeds(self, name: str, n: int, d: int, layers: int) -> int:
        """How many are recorded."""
        found = self.row(name, layers, entry_of(name).causal).get((n, d))
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
