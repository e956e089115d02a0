"""A pair is heard as the library hears it, and fools whom plain loops say; which there are is found by trying all."""

from __future__ import annotations

import functools
import json
import math
import random
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from explorables.live.node import program
from uatbook.atlas.linear import linear_self_attention
from uatbook.cheng2025.gallery import GALLERY
from uatbook.live import Pair, picture
from uatlib.arithmetic import FLOAT64
from uatlib.kernels import CONSTANT
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from .drawn import elements, points

SCRIPT = (Path(picture.__file__).parent / "pictures" / "pair.js").read_text(encoding="utf-8")
MIXERS = ("mean", "linear", "hardmax", "sigmoid", "softmax")
PICTURE = Pair(goals={"mean": "Fool it.", "two": "Fool two.", "four": "Fool four."})
QUERIES = [-2.5, -1, -0.3, 0.0, 0.05, 0.7, 1, 3]
Row = Sequence[int]


def heard(name: str, row: Row, q: Fraction | float) -> Any:
    """What a token with the query q hears, in plain loops; without rounding where fractions can say it."""
    if name == "linear":
        return sum((q * t) * t for t in row)
    if name == "sigmoid":
        return sum(t / (1 + math.exp(-q * t)) for t in row)
    weights: list[Any] = [1 for _ in row]
    if name == "hardmax":
        weights = [int(q * t == max(q * s for s in row)) for t in row]
    if name == "softmax":
        weights = [math.exp(q * t) for t in row]
    return sum(w * t for w, t in zip(weights, row, strict=True)) / (sum(weights) * Fraction(1))


def by_page(rows: Sequence[Row], queries: Sequence[float], script: str = SCRIPT) -> dict[str, np.ndarray]:
    """The same of the page's own functions: by mixer, an array (row, query)."""
    code = f"""const PICTURES = {{}}; {script}
      const heard = ({{ heard }}) => {json.dumps(rows)}.map((row) => {json.dumps(queries)}.map((q) => heard(row, q)));
      const found = Object.entries(LISTENERS).map(([name, one]) => [name, heard(one)]);
      console.log(JSON.stringify(Object.fromEntries(found)));"""
    said = subprocess.run([str(program()), "-"], input=code, capture_output=True, text=True, check=True).stdout
    return {name: np.array(values, float) for name, values in json.loads(said).items()}


def by_library(name: str, row: Row, q: float) -> float:
    """What the first token of the row hears where its query is q, by the layers of the library and of the atlas."""
    scale, X = q / row[0], torch.tensor([[*row]], dtype=torch.float64)
    if name == "linear":
        one = torch.ones(1, 1, dtype=torch.float64)
        return float(linear_self_attention(X, scale * one, one, one)[0, 0])
    if name == "sigmoid":
        g, _ = GALLERY["sigmoid"].make(len(row), 1)
        return float(g(X, torch.tensor([scale, 1, 1], dtype=torch.float64))[0, 0])
    kind: dict[str, Any] = {"kernel": CONSTANT} if name == "mean" else {"normalization": name}
    layer = Transformer([Attention([Head([[scale]], [[1]], [[1]], [[1]])], **kind)])
    return float(layer(X[None], FLOAT64)[0, 0, 0] - row[0])


def drawn_rows(rng: random.Random) -> list[list[int]]:
    return [rng.sample([t for t in range(-6, 7) if t], 5) for _ in range(12)]


@pytest.mark.parametrize("name", MIXERS)
def test_the_page_hears_what_the_library_and_plain_loops_hear(name):
    rows = drawn_rows(random.Random(0))
    found = by_page(rows, QUERIES)
    assert [*found] == [*MIXERS]
    for row, values in zip(rows, found[name], strict=True):
        assert values == pytest.approx([float(heard(name, row, q)) for q in QUERIES], abs=1e-9)
        assert values == pytest.approx([by_library(name, row, q) for q in QUERIES], abs=1e-9)


DAMAGES = {
    "mean": ("heard: (row) => averageOf(row, () => 1), s", "heard: (row) => totalOf(row, (t) => t), s"),
    "linear": ("q * t * t", "q * t"),
    "hardmax": ("Math.max(...row) : Math", "Math.min(...row) : Math"),
    "sigmoid": ("t / (1 + Math.exp(-q * t))", "1 / (1 + Math.exp(-q * t))"),
    "softmax": ("Math.exp(q * t))", "Math.exp(Math.abs(q * t)))"),
}


@pytest.mark.parametrize("name", MIXERS)
def test_a_damaged_mixer_is_seen(name):
    right, wrong = DAMAGES[name]
    assert SCRIPT.count(right) == 1
    rows = drawn_rows(random.Random(0))
    before, after = (by_page(rows, QUERIES, script) for script in (SCRIPT, SCRIPT.replace(right, wrong)))
    assert [other for other in MIXERS if not np.allclose(before[other], after[other])] == [name]


# ------------------------------------------------------------------------------------------------- who is fooled


def is_fooled(name: str, X: Row, Y: Row) -> bool:
    """The same at many queries: exactly where no exponential stands in it, else but for rounding."""
    if name in ("sigmoid", "softmax"):
        return max(abs(heard(name, X, q) - heard(name, Y, q)) for q in QUERIES) < 1e-9
    return all(heard(name, X, q) == heard(name, Y, q) for q in map(Fraction, (-2, -1, 0, 1, 3)))


@functools.cache
def all_pairs() -> tuple[Counter[tuple[str, ...]], dict[tuple[str, ...], list[tuple[Row, Row]]]]:
    """By whom they fool, as sums, squares, ends and sizes say: how many pairs, and some, with what both have first."""
    counts: Counter[tuple[str, ...]] = Counter()
    found: dict[tuple[str, ...], list[tuple[Row, Row]]] = {}
    for low, high in product(range(-6, 0), range(1, 7)):
        rows = [(low, high, *own) for own in combinations([t for t in range(-6, 7) if t not in (low, high)], 3)]
        facts = [(sum(X), sum(t * t for t in X), (min(X), max(X)), sorted(map(abs, X))) for X in rows]
        for (X, one), (Y, other) in combinations(zip(rows, facts, strict=True), 2):
            sums, squares, ends, sizes = (a == b for a, b in zip(one, other, strict=True))
            kinds = {"mean": sums, "linear": squares, "hardmax": sums and ends, "sigmoid": sums and sizes}
            key = tuple(name for name, holds in kinds.items() if holds)
            counts[key] += 1
            if counts[key] % 97 == 1 or len(key) > 2:
                found.setdefault(key, []).append((X, Y))
    return counts, found


ALL_FOUR = MIXERS[:4]


def settings(X: Row, Y: Row) -> dict[str, int]:
    names = ("b1", "b2", "x1", "x2", "x3", "y1", "y2", "y3")
    return dict(zip(names, (*X, *Y[2:]), strict=True))


def lamps(X: Row, Y: Row) -> list[str]:
    """Which burn: as drawn, and as said."""
    values = settings(X, Y)
    words = [one["said"] for one in elements(PICTURE, "text", **values)]
    burning = [words[words.index(name) + 1] == "fooled" for name in MIXERS]
    discs = [one["fill"] for one in elements(PICTURE, "circle", **values) if one.get("r") == "7" and one["cy"] > "1"]
    assert [fill != "none" for fill in discs[-5:]] == burning
    found = [name for name, burns in zip(MIXERS, burning, strict=True) if burns]
    listed = re.sub(", (?=[^,]*$)", " and ", ", ".join(found))
    assert PICTURE.frame(**values).text == f"this pair fools {len(found)} of 5{': ' if found else ''}{listed}"
    return found


def test_lamps_burn_for_those_who_hear_the_same_at_all_queries():
    rng = random.Random(1)
    for key, pairs in all_pairs()[1].items():
        for X, Y in rng.sample(pairs, min(len(pairs), 5)):
            assert [name for name in MIXERS if is_fooled(name, X, Y)] == [*key]
            assert lamps(X, Y) == [*key]


def test_there_are_pairs_for_each_goal_and_none_for_softmax():
    counts, found = all_pairs()
    assert counts.total() == 487_080
    assert counts[ALL_FOUR] == len(found[ALL_FOUR]) == 15
    for key, pairs in found.items():
        X, Y = pairs[-1]
        reached = [is_there for is_there, _ in PICTURE.frame(**settings(X, Y)).goals]
        assert reached == ["mean" in key, len(key) >= 2, len(key) >= 4]
    assert {len(key) for key in found} == {0, 1, 2, 3, 4}


def test_every_pair_leaves_softmax_a_gap_that_can_be_seen():
    q, least = np.linspace(-1, 1, 41), math.inf
    for low in range(-6, 0):
        for high in range(1, 7):
            own = combinations([t for t in range(-6, 7) if t not in (low, high)], 3)
            rows = np.array([(low, high, *row) for row in own], float)
            loud = np.exp(rows[:, :, None] * q)
            hears = (loud * rows[:, :, None]).sum(axis=1) / loud.sum(axis=1)
            gaps = np.abs(hears[:, None] - hears).max(axis=-1)
            least = min(least, gaps[~np.eye(len(rows), dtype=bool)].min())
    assert 0.08 < least < 0.09
    assert PICTURE.frame(**settings((-6, 3, -1, 2, 6), (-6, 3, 0, 1, 6))).alt.endswith(
        f"softmax: up to {least:.3f} apart."
    )


@pytest.mark.parametrize("key", [(), ("mean",), ("linear",), ("mean", "linear", "hardmax")])
def test_gaps_are_the_largest_differences(key):
    X, Y = all_pairs()[1][key][-1]
    gaps = dict(re.findall(r"(\w+): up to ([\d.]+) apart", PICTURE.frame(**settings(X, Y)).alt))
    assert [*gaps] == [name for name in MIXERS if name not in key]
    for name, gap in gaps.items():
        q = [*np.linspace(-1, 1, 41), 0, -1e-6, 1e-6]
        assert float(gap) == pytest.approx(max(abs(heard(name, X, t) - heard(name, Y, t)) for t in q), abs=6e-4)


@pytest.mark.parametrize("key", [(), ALL_FOUR])
def test_curves_are_what_is_heard(key):
    """But for hardmax, which jumps: two levels."""
    X, Y = all_pairs()[1][key][0]
    values = settings(X, Y)
    curves = [points(one["d"]) for one in elements(PICTURE, "path", **values) if one.get("stroke-width") == "2.5"]
    assert len(curves) == 10
    for k, curve in enumerate(curves):
        name, row = MIXERS[k // 2], (X, Y)[k % 2]
        q = np.linspace(-1, 1, len(curve)) if name != "hardmax" else np.array([-1, -1e-6, 1e-6, 1])
        assert np.ptp(curve[:, 0] - np.polyval(np.polyfit(q, curve[:, 0], 1), q)) < 0.3
        expected = np.array([float(heard(name, row, t)) for t in q])
        both = [curves[2 * (k // 2) + i][:, 1] for i in (0, 1)]
        if name == "mean":
            assert np.ptp(curve[:, 1]) == 0
            assert (both[0][0] == both[1][0]) == (sum(X) == sum(Y))
        else:
            slope, start = np.polyfit(expected, curve[:, 1], 1)
            assert slope < 0
            assert np.abs(slope * expected + start - curve[:, 1]).max() < 0.2


def test_a_small_difference_is_drawn_as_many_times_as_large_as_is_said():
    X, Y = all_pairs()[1][ALL_FOUR][0]
    values, q = settings(X, Y), np.linspace(-1, 1, 41)
    (times,) = [
        int(one["said"].split("\N{MULTIPLICATION SIGN}")[1])
        for one in elements(PICTURE, "text", **values)
        if "\N{MULTIPLICATION SIGN}" in one["said"]
    ]
    paths = [*elements(PICTURE, "path", **values)]
    (area,) = [points(one["d"]) for one in paths if one.get("fill-opacity") == "0.3"]
    curve = [points(one["d"]) for one in paths if one.get("stroke-width") == "2.5"][-2]
    one, other = ([float(heard("softmax", row, t)) for t in q] for row in (X, Y))
    slope, zero = np.polyfit(one, curve[:, 1], 1)
    assert times >= 10
    assert np.abs(area[:41, 1] - zero - slope * times * (np.array(one) - other)).max() < 0.3
    assert np.abs(area[41:, 1] - zero).max() < 0.3


def test_what_is_no_pair_is_told():
    for values, fault in (
        ({"x1": 5}, "X has two tokens at 5"),
        ({"x1": 5, "y1": 3}, "X has two tokens at 5 and Y has two tokens at 3"),
        ({"x1": -4, "x2": 0, "x3": 4}, "X and Y are the same set"),
        ({"x1": 4, "x2": -4, "x3": 0}, "X and Y are the same set"),
    ):
        frame = PICTURE.frame(**values)
        assert frame.text == f"{fault}; the tokens of a sequence differ, and so do the two sets"
        assert frame.goals == [[False, "no pair to judge"]] * 3  # the fault is said once, above
        words = [one["said"] for one in elements(PICTURE, "text", **values)]
        assert fault in words
        assert "fooled" not in words


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"X": (1, 2)}, "X: expected 3 whole numbers"),
        ({"X": (1, 2, 7)}, "X[2]: expected an int from -6 to 6, got 7"),
        ({"Y": (1, 2, 2.5)}, "Y[2]: expected an int"),
        ({"Y": 3}, "Y: expected a sequence"),
        ({"both": (1, 2)}, "both: expected a negative and a positive number"),
        ({"both": (-1, 0)}, "both: expected a negative and a positive number"),
        ({"X": (3, 1, 2)}, "X: expected tokens that differ from each other and from those of both"),
        ({"Y": (1, 1, 2)}, "Y: expected tokens that differ"),
        ({"X": (1, 0, 2), "Y": (1, 2, 4), "goals": {"five": "Fool five."}}, "goals: expected some of mean, two, four"),
        ({"X": (1, 0, 4), "Y": (1, 2, 2 + 0), "both": (-3, 3)}, "Y: expected tokens that differ"),
    ],
)
def test_arguments_that_are_none_are_refused(given, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Pair(**given)
