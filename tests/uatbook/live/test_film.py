"""The film of tokens in Python: its numbers against plain loops of Lemma 8, its figure, what is refused."""

import functools
import math
import random
import re
from dataclasses import replace
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from uatbook import live
from uatlib.arithmetic import FLOAT64, Overflow
from uatlib.layers import Attention
from uatlib.model import Transformer
from uatlib.yun2020 import quantizer, selective_shift

from .drawn import elements, plain, points

SIDES = (2, 3, 4)
NOISE = 1e-6
"""A smaller error may be rounding, and is not told."""
MINUS = "\N{MINUS SIGN}"


@functools.cache
def network(N, n):
    parts = [part(inverse_delta=N, n=n, d=1) for part in (quantizer, selective_shift)]
    return Transformer([layer for part in parts for layer in part.layers], n=n)


def band(N, n):
    """[t_l, t_r] of yun2020, section E.3.1."""
    return N ** (2 * n) * (N - 1), N ** (2 * n + 1) * (N - 1)


def arguments(sides=SIDES, soft=False):
    grids = list(product(sides, sides))
    scales = {grid: 100.0 * grid[0] for grid in grids} if soft else None
    return {grid: network(*grid) for grid in grids}, {grid: band(*grid) for grid in grids}, scales


@functools.cache
def film(soft=False, tokens=(0.1, 0.3, 0.9, 0.6)):
    return live.Film(*arguments(soft=soft), start=(4, 3), tokens=tokens)


# ------------------------------------------------------------------------------------- the statement, in plain loops


def cut(x, N, n):
    return [math.floor(N * t + 1e-9) if 0 <= t < 1 else -(N ** (n + 1)) for t in x]


def hard(z, N):
    """States in units of delta: a shift for each level, then the lift; levels of z are whole numbers."""
    states, n = [list(z)], len(z)
    for level in range(N):
        z = [t + N * (max(z) - min(z)) if t == level else t for t in z]
        states.append(z)
    heard = [max(z) if t > 0 else min(z) if t < 0 else sum(z) / n for t in z]
    return [*states, [t + N ** (n + 1) * h for t, h in zip(z, heard, strict=True)]]


def soft(z, N, scale):
    """The same with softmax; scores count in delta squared."""

    def head(query):
        scores = [scale / N**2 * t * query for t in z]
        powers = [math.exp(s - max(scores)) for s in scores]
        return sum(p * t for p, t in zip(powers, z, strict=True)) / sum(powers)

    for level in range(N):
        z = [t + N * (head(t - level + 0.5) - head(t - level - 0.5)) for t in z]
    return [t + N ** (len(z) + 1) * head(t) for t in z]


def numbers(text):
    return [
        float(word.replace(",", "").replace(MINUS, "-")) for word in re.findall(rf"{MINUS}?\d[\d,]*(?:\.\d+)?", text)
    ]


def some(rng):
    N, n = rng.choice(SIDES), rng.choice(SIDES)
    tokens = [round(rng.uniform(0, 0.99) if rng.random() < 0.8 else rng.uniform(-0.25, 1.25), 2) for _ in range(4)]
    return N, n, tokens[:n], {"N": str(N), "n": str(n), **{f"t{k + 1}": t for k, t in enumerate(tokens)}}


# ------------------------------------------------------------------------------------------------------ what it says


@pytest.mark.parametrize("seed", range(40))
def test_the_read_out_says_what_lemma_8_does(seed):
    N, n, tokens, values = some(random.Random(seed))
    z = cut(tokens, N, n)
    states, (low, high) = hard(z, N), band(N, n)
    first, last = film().describe({**film().start, **values})[0].split("\n")
    said, *moved = first.split("; ")
    assert numbers(said) == z
    jumps = []
    for level, (before, after) in enumerate(pairwise(states[:-1])):
        if landed := [end for t in zip(before, after, strict=True) for end in t if t[0] != t[1]]:
            jumps.append([level, *landed])
    assert ([numbers(part) for part in moved] if jumps else moved) == (jumps or ["no shift moves anything"])
    ids, verdict = last.split("; ")
    assert numbers(ids) == states[-1]
    proper = len(set(z)) == n and min(z) >= 0
    assert verdict.startswith("proper: all different, all in [" if proper else "given up: ")
    assert ("two are equal" in verdict) == (len(set(z)) < n)
    where, interval = verdict[: verdict.index(" [")].split(", ", 1)[1], verdict[verdict.index("[") :]
    assert numbers(interval) == [low, high]
    counts = {"below": 0, "in": 0, "above": 0}
    for t in states[-1]:
        counts["below" if t < low else "above" if t > high else "in"] += 1
    if n in counts.values():
        assert where == f"all {max(counts, key=counts.get)}"
    else:
        assert where == ", ".join(f"{count} {side}" for side, count in counts.items() if count)


@pytest.mark.parametrize("seed", range(40))
def test_with_softmax_it_says_how_far_the_ids_are_and_whose_they_are(seed):
    rng = random.Random(seed)
    N, n, tokens, values = some(rng)
    scale = rng.choice([0, 5, 20, 60, 150, 250, 400])
    z = cut(tokens, N, n)
    exact, ids = hard(z, N)[-1], soft([float(t) for t in z], N, scale)
    shown = film(soft=True)
    first, second, last = shown.describe({**shown.start, **values, "scale": scale})[0].split("\n")
    assert numbers(first) == [*z, scale, 100 * N]
    assert numbers(second) == pytest.approx([*ids, *exact], abs=0.0051)
    off, verdict = last.removeprefix("off by ").split("; ")
    for text, a, b in zip(off.split(", "), ids, exact, strict=True):
        if "less than" in text:
            assert abs(a - b) < 2 * NOISE
        elif "e-" in plain(text):
            assert abs(a - b) == pytest.approx(float(plain(text)), rel=0.5)
        else:
            assert numbers(text) == [pytest.approx(abs(a - b), abs=0.0051 if abs(a - b) < 100 else 0.51)]
    if len(set(z)) < n or min(z) < 0:
        assert verdict.startswith("given up: ")
        assert ("INSIDE" in verdict) == any(band(N, n)[0] <= t <= band(N, n)[1] for t in ids)
        return
    contexts = {c: hard(list(c), N)[-1] for c in combinations(range(N), n)}
    names = {name: (level, c) for c, row in contexts.items() for level, name in zip(c, row, strict=True)}
    read = [min(names, key=lambda name, t=t: abs(name - t)) for t in ids]
    wrong = [(t, names[near]) for t, near, own in zip(ids, read, exact, strict=True) if near != own]
    far = max(abs(a - b) for a, b in zip(ids, exact, strict=True))
    assert verdict.split(":")[0] == ("WRONG" if wrong else "right" if far < 0.5 else "too far")
    if wrong:
        level, context = wrong[0][1]
        assert verdict.endswith(f"the {level} of {{{', '.join(map(str, context))}}}")


@pytest.mark.parametrize("tokens", [(0, 1, 3), (1, 2, 3), (0, 3, 2)])
def test_half_a_step_parts_right_from_too_far(tokens):
    shown, seen = film(soft=True), set()
    exact, places = hard(list(tokens), 4)[-1], {f"t{k + 1}": t / 4 for k, t in enumerate(tokens)}
    for scale in range(200, 500, 12):
        far = max(abs(a - b) for a, b in zip(soft([float(t) for t in tokens], 4, scale), exact, strict=True))
        word = shown.describe({**shown.start, **places, "scale": scale})[0].split("; ")[-1].split(":")[0]
        seen.add(word == "right")
        assert (word == "right") == (far < 0.5)
    assert seen == {True, False}


def test_without_the_quantizer_ids_follow_the_tokens():
    texts = [film().frame(cut=False, t3=t).text for t in (0.8, 0.81)]
    ids = [numbers(text.split("\n")[1].split(";")[0]) for text in texts]
    # D^{n-1} (D - 1) + ... of the largest token go into the largest landing, and that times D^{n+1} into each id.
    assert all(b - a == pytest.approx(0.04 * 61 * 256, rel=0.01) for a, b in zip(*ids, strict=True))
    assert "off the grid: all different, all in [12,288, 49,152], but no whole numbers" in texts[0]
    assert texts[0].startswith(
        "not cut: 0.40 1.20 3.20; shift 0: 0.40 → 11.60; shift 1: 1.20 → 42.80; shift 3: 3.20 → "
    )
    assert film().frame(cut=False, t3=0.9).text.count("shift") == 2  # beyond 3 1/2 there is no window


def test_alt_texts_change_with_the_values():
    assert film().alt.startswith("3 tokens as lines over 7 columns: dragged to 0.10, 0.30, 0.90, cut to 0 1 3")
    assert film().alt.endswith("[12,288, 49,152], is shaded: all in it.")
    assert (
        "is shaded: all below it. Thin lines: hardmax." in film(soft=True).describe({**film(True).start, "t2": 0.8})[1]
    )


# ----------------------------------------------------------------------------------------------------- what it shows


def test_a_window_is_dark_where_a_token_lies_in_it():
    for tokens in ((0.1, 0.3, 0.9), (0.6, 0.6, 0.6), (0.1, 1.2, 0.9)):
        values = {f"t{k + 1}": t for k, t in enumerate(tokens)}
        windows = [box for box in elements(film(), "rect", **values) if box.get("fill-opacity") in ("0.16", "0.4")]
        windows.sort(key=lambda box: float(box["x"]))
        caught = {level for level in cut(tokens, 4, 3) if level >= 0}
        assert len(windows) == 4
        assert {k for k, window in enumerate(windows) if window["fill-opacity"] == "0.4"} == caught


def test_the_film_shows_every_state_in_order():
    shown = film(tokens=(0.1, 0.9, 0.8, 0.3))
    paths = [points(part["d"]) for part in elements(shown, "path") if part.get("stroke-width") == "2.2"]
    states = hard([0, 3, 3], 4)
    assert [len(path) for path in paths] == [7, 7, 7]
    for column, state in enumerate(states, start=1):
        for i, j in product(range(3), repeat=2):
            if state[i] != state[j]:  # those at one place are drawn a little apart
                assert (paths[i][column, 1] < paths[j][column, 1]) == (state[i] > state[j])
    texts = {text["said"]: float(text["y"]) - 4 for text in elements(shown, "text")}
    assert texts["10"] > paths[0][2, 1] > texts["100"]  # 12
    assert texts["1,000"] > paths[0][-1, 1] > texts["10⁵"]  # 9,996
    assert {"proper ids", "9,996", "10,023", "12", "39", "given up"} <= set(texts)
    assert any(said.endswith("each line is ten times more") for said in texts)
    assert not [said for said in texts if said.startswith("\u2212")]  # no mark for what is below 0


def test_the_curve_is_the_largest_error_at_each_scale():
    shown, values = film(soft=True), {"scale": 150.0}
    most, exact = shown.controls["scale"].high, hard([0, 1, 3], 4)[-1]
    curve = max((points(p["d"]) for p in elements(shown, "path", **values) if p.get("stroke-width") == "2.2"), key=len)
    left, right = curve[0, 0], curve[-1, 0]
    errors = []
    for u, _ in curve:
        scale = 30 * math.expm1((u - left) / (right - left) * math.log1p(most / 30))
        ids = soft([0.0, 1.0, 3.0], 4, scale)
        errors.append(math.log10(max(NOISE, *(abs(a - b) for a, b in zip(ids, exact, strict=True)))))
    line = np.polyfit(errors, curve[:, 1], 1)  # powers of ten are equally far apart
    assert np.polyval(line, errors) == pytest.approx(curve[:, 1], abs=0.5)
    (half,) = (part for part in elements(shown, "line", **values) if part.get("stroke-dasharray") == "7 3 2 3")
    assert float(half["y1"]) == pytest.approx(np.polyval(line, math.log10(0.5)), abs=0.5)
    (proved,) = (part for part in elements(shown, "line", **values) if part.get("stroke-dasharray") == "5 4")
    share = math.log1p(400 / 30) / math.log1p(most / 30)
    assert float(proved["x1"]) == pytest.approx(left + share * (right - left), abs=0.1)
    assert "WRONG" in {text["said"] for text in elements(shown, "text", **values)}


def test_handles_are_the_tokens_and_the_scale():
    spec = film(soft=True).spec()
    assert [(handle["x"], handle["y"]) for handle in spec["handles"]] == [
        *((None, f"t{k}") for k in (1, 2, 3, 4)),
        ("scale", None),
    ]
    assert spec["data"]["interval"]["4,3"] == band(4, 3)
    assert spec["data"]["proved"]["2,4"] == 200
    assert len(spec["data"]["networks"]) == 9


# --------------------------------------------------------------------------------------------------- what is refused

NETWORKS, BANDS, _ = arguments((2, 3))
START = {"start": (2, 2), "tokens": (0.1, 0.6, 0.3)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"networks": {}}, r"networks: expected networks by pairs \(1/delta, n\), both from 2, n to 4, got \[\]"),
        ({"networks": 3}, "networks: expected networks by pairs"),
        ({"networks": {(2, 5): None}}, r"networks: .* got \[\(2, 5\)\]"),
        ({"networks": {(2, 2): network(2, 2), (3, 3): network(3, 3)}}, r"networks: .* got none for \(2, 3\)"),
        ({"networks": {**NETWORKS, (2, 2): 7}}, r"networks: expected for \(2, 2\) a Transformer for d = 1 .* got 7"),
        ({"networks": {**NETWORKS, (3, 2): network(2, 2)}}, r"networks: expected for \(3, 2\) .* and 4 of attention"),
        (
            {"networks": {**NETWORKS, (2, 2): selective_shift(inverse_delta=2, n=2, d=1)}},
            r"networks: expected for \(2, 2\)",
        ),
        ({"networks": {**NETWORKS, (2, 3): quantizer(inverse_delta=2, n=3, d=1)}}, r"networks: expected for \(2, 3\)"),
        ({"start": (4, 2)}, r"start: expected one of \(2, 2\), .* got \(4, 2\)"),
        ({"intervals": {**BANDS, (3, 3): (5, 5)}}, r"intervals: .* for \(3, 3\), got \(5, 5\)"),
        ({"intervals": {**BANDS, (3, 3): (1, math.inf)}}, r"intervals: .* got \(1, inf\)"),
        ({"intervals": None}, "intervals: .* got None"),
        ({"scales": {}}, r"scales: expected a positive number for \(2, 2\), got None"),
        ({"scales": dict.fromkeys(NETWORKS, -1)}, "scales: .* got -1"),
        ({"tokens": (0.1, 0.2)}, r"tokens: expected 3 numbers from -0.25 to 1.25, got \(0.1, 0.2\)"),
        ({"tokens": (0.1, 0.2, 1.5)}, "tokens: .* 1.5"),
        ({"tokens": 3}, "tokens: .* got 3"),
    ],
)
def test_bad_arguments_are_named(changes, message):
    given = {"networks": NETWORKS, "intervals": BANDS, **START, **changes}
    with pytest.raises(ValueError, match=message):
        live.Film(**given)


def test_numbers_beyond_float64_are_refused_wherever_the_tokens_stand():
    *layers, lift = network(4, 3).layers
    (head,) = lift.heads
    lift = Attention([replace(head, w_o=head.w_o * 10**304)], "hardmax")  # too much with a sentinel only
    huge = Transformer([*layers, lift], n=3)
    assert bool(np.isfinite(np.asarray(huge([[0.1, 0.3, 0.9]], FLOAT64))).all())
    with pytest.raises(Overflow, match="exceeds the largest FLOAT64"):
        live.Film({(4, 3): huge}, {(4, 3): (1, 2)}, start=(4, 3), tokens=(0.1, 0.3, 0.9))


def test_one_grid_needs_no_menu():
    shown = live.Film({(4, 3): network(4, 3)}, {(4, 3): band(4, 3)}, start=(4, 3), tokens=(0.1, 0.3, 0.9))
    assert list(shown.controls) == ["cut", "t1", "t2", "t3"]
    assert numbers(shown.frame().text.split("\n")[1])[:3] == hard([0, 1, 3], 4)[-1]


def test_arrays_are_tokens():
    assert live.Film(NETWORKS, BANDS, start=(2, 2), tokens=np.array([0.1, 0.6, 0.3])).start["t2"] == 0.6
