"""Goals of live pictures: what their scripts say of settings, against the statement in plain loops."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any

import live_pages
import pytest

from uatbook import live
from uatbook.live import LivePicture
from uatbook.live.square import PAINTED
from uatlib.targets import mean_product

Values = dict[str, Any]
MINUS = "\N{MINUS SIGN}"
PAIRS = {"means": ("124", "134"), "sums": ("1256", "1346"), "last": ("2143", "2145"), "first": ("2143", "5143")}
"""Two contexts of tokens each."""


def numbers(text: str) -> list[float]:
    return [
        float(word.replace(MINUS, "-").replace(",", "")) for word in re.findall(rf"[{MINUS}-]?\d[\d,.]*\d|\d", text)
    ]


def floor_cells(values: Values) -> tuple[int, int]:
    return math.floor(4 * values["x1"]), math.floor(4 * values["x2"])


# ------------------------------------------------------------------------------------- when a goal is reached, by kind


def shares_an_id(values: Values, text: str) -> bool:
    N, n = int(values["N"]), int(values["n"])

    def ids(levels: tuple[int, ...]) -> set[int]:
        state = list(levels)
        for k in range(N):
            jump = N * (max(state) - min(state))
            state = [t + jump if t == k else t for t in state]
        return {t + N ** (n + 1) * max(state) for t in state}

    cells = [math.floor(N * values[f"t{k + 1}"]) for k in range(n)]
    own = tuple(sorted(cells))
    others = [levels for levels in combinations_with_replacement(range(N), n) if levels != own]
    inside = values["cut"] and all(0 <= k < N for k in cells)
    return inside and any(ids(own) & ids(levels) for levels in others)


def changes_places(values: Values, text: str) -> bool:
    """The ids as the read-out has them, whose numbers other tests compare with the library."""
    ids, exact = map(numbers, re.search(r"ids (.*), with hardmax (.*)", text).groups())
    N, cells = int(values["N"]), [math.floor(int(values["N"]) * values[f"t{k + 1}"]) for k in range(len(ids))]
    proper = len({*cells}) == len(cells) and all(0 <= k < N for k in cells)
    pairs = combinations(range(len(ids)), 2)
    return proper and any((ids[i] - ids[j]) * (exact[i] - exact[j]) < 0 for i, j in pairs)


def soft(entries: list[float]) -> float:
    weights = [math.exp(a) for a in entries]
    return sum(a * w for a, w in zip(entries, weights, strict=True)) / sum(weights)


def entries(values: Values) -> list[float]:
    return [values[f"a{k + 1}"] for k in range(int(values["n"]))]


def is_twin(values: Values, text: str) -> bool:
    low, *rest = sorted(entries(values))
    return rest == [0] and abs(low + 1) >= 0.3 and abs(soft([0, low]) - soft([0, -1])) < 0.001


def is_deep(values: Values, text: str) -> bool:
    return max(entries(values)) - soft(entries(values)) >= 0.6


def is_triangle(values: Values, text: str) -> bool:
    """With four sites: the corners where two of the borders with cell 1 meet, in fractions."""
    sites = [[Fraction(round(100 * values[f"{name}{i}"]), 100) for name in "xy"] for i in range(1, 5)]
    weights = [Fraction(round(10 * values[f"w{i}"]), 10) for i in range(1, 5)]
    (a, b), *others = sites
    lines = []  # p x + q y >= r in cell 1
    for (u, v), w in zip(others, weights[1:], strict=True):
        lines.append((2 * (a - u), 2 * (b - v), a * a + b * b - u * u - v * v - weights[0] + w))
    corners = []
    for i, j in combinations(range(3), 2):
        (p, q, r), (s, t, z), (e, f, g) = lines[i], lines[j], lines[3 - i - j]
        if (det := p * t - q * s) == 0:
            return False
        x, y = (r * t - q * z) / det, (p * z - r * s) / det
        if e * x + f * y <= g:
            return False
        corners.append((float(x), float(y)))
    inward = any(p > 0 for p, *_ in lines) and any(p < 0 for p, *_ in lines)
    near = (min(math.dist(at, corner) for corner in corners) for at in ((0, 0), (1, 0), (0, 1)))
    return inward and max(near) <= 0.05


def is_sorted(values: Values, text: str) -> bool:
    """Each point of the grid nearest, by its weights, to the site of its rectangle, in fractions."""
    side = int(values["side"])
    middles = [Fraction(3 * (2 * k + 1), side) - 3 for k in range(side)]
    for u, t in ((u, t) for u in middles for t in middles):
        far = []
        for i in range(1, 6):
            x, y = (Fraction(round(100 * values[f"{name}{i}"]), 100) for name in "xy")
            far.append((u - x) ** 2 + (t - y) ** 2 - Fraction(round(10 * values[f"w{i}"]), 10))
        (own,) = [i for i, (a, b, c, d) in enumerate(live_pages.BLADES) if a < u < c and b < t < d]
        if min(far[:own] + far[own + 1 :]) <= far[own]:
            return False
    return True


def is_let_in(values: Values, text: str) -> bool:
    """The ids as the read-out has them, beside the interval of two cells and two tokens."""
    ids = numbers(re.search(r"ids (.*?); ", text)[1])
    out = [not 0 <= values[f"t{k}"] < 1 for k in (1, 2)]
    return any(out) and any(2**4 <= t <= 2**5 for t in ids)


def agrees(values: Values, text: str) -> bool:
    x1, x2 = values["x1"], values["x2"]
    (i, j), middle = floor_cells(values), lambda k: (k + 0.5) / 4
    filed = middle(i) * (middle(i) + middle(j)) / 2
    return i != j and abs(filed - x1 * (x1 + x2) / 2) < 0.01 + 1e-4


def in_one_cell(values: Values, text: str) -> bool:
    i, j = floor_cells(values)
    return i == j


def melts(values: Values, text: str) -> bool:
    return float(re.search(r"weight (0\.\d+)", text)[1]) <= 0.3


def is_nearer(values: Values, text: str) -> bool:
    first, second = map(float, re.findall(r"weights: misses f by ([\d.]+) on average", text))
    return values["f"] == PAINTED and first > 4 * second


def is_lost(values: Values, text: str) -> bool:
    given, wanted = numbers(re.search(r"token 1 (gets .*?);", text)[1])
    N = int(values["N"])
    same = values["proof"] == "Yun et al." and math.floor(N * values["x1"]) == math.floor(N * values["x2"])
    return same and abs(given - wanted) >= 0.9


def heard(listener: int, context: list[int], product: float) -> float:
    weights = [math.exp(product * listener * t) for t in context]
    return sum(t * w for t, w in zip(context, weights, strict=True)) / sum(weights)


def told_by_hardmax(values: Values, text: str) -> bool:
    """Tokens on the axis, where only the sign of the product of first entries counts."""
    if values["network"] != "hardmax":
        return False
    one, other = ([int(t) for t in row] for row in PAIRS[values["example"]])
    sign = values["u1"] * values["u2"]

    def hears(token: int, context: list[int]) -> Fraction:
        order = sign * token
        pick = context if order == 0 else [max(context) if order > 0 else min(context)]
        return Fraction(sum(pick), len(pick))

    return any(hears(t, one) != hears(t, other) for t in {*one} & {*other})


def goes_unnoticed(values: Values, text: str) -> bool:
    one, other = ([int(t) for t in row] for row in PAIRS[values["example"]])
    k = ("first", "second", "third", "fourth").index(values["listener"])
    if one[k] != other[k] or {*one[: k + 1]} == {*other[: k + 1]}:
        return False
    product = values["scale"] * values["u1"] * -1
    return abs(heard(one[k], one[: k + 1], product) - heard(one[k], other[: k + 1], product)) < 0.005


# ------------------------------------------------------------------------------------------------ pictures and settings

Makes = Callable[[random.Random], Values]


def fooled(values: Values) -> list[bool]:
    """The mean, linear attention, hardmax and the sigmoid, by what settles them in whole numbers; none of no pair."""
    X, Y = (
        [int(values[f"{letter}{k}"]) for letter, most in ((own, 3), ("b", 2)) for k in range(1, most + 1)]
        for own in "xy"
    )
    sums, squares = sum(X) == sum(Y), sum(t * t for t in X) == sum(t * t for t in Y)
    ends, sizes = (min(X), max(X)) == (min(Y), max(Y)), sorted(map(abs, X)) == sorted(map(abs, Y))
    if len({*X}) < 5 or len({*Y}) < 5 or {*X} == {*Y}:
        return [False] * 4
    return [sums, squares, sums and ends, sums and sizes]


def fools_the_mean(values: Values, text: str) -> bool:
    return fooled(values)[0]


def fools(least: int) -> Callable[[Values, str], bool]:
    return lambda values, text: sum(fooled(values)) >= least


def designed(rng: random.Random) -> Values:
    """Opposites, now and then one of them moved, or the shared ones drawn in."""
    a, b = rng.choice([(1, 2), (1, 3), (2, 3), (1, 4)])
    low, high = rng.choice([(-6, 6), (-6, 5), (-1, 6)])
    own = {"x1": a, "x2": b, "x3": -a - b, "y1": -a, "y2": -b, "y3": a + b}
    moved = {f"{rng.choice('xy')}{rng.randint(1, 3)}": rng.randint(-6, 6)}
    return {"b1": low, "b2": high, **own, **rng.choice([{}, moved])}


def tokens(rng: random.Random, n: int = 4, low: float = -0.2, high: float = 1.2) -> Values:
    return {f"t{k + 1}": round(rng.uniform(low, high), 2) for k in range(n)}


def sequence(rng: random.Random) -> Values:
    return {"x1": rng.randint(0, 99) / 100, "x2": rng.randint(0, 99) / 100}


def film(rng: random.Random) -> Values:
    size = {"N": rng.choice("234"), "n": rng.choice("234")}
    return {**size, "cut": rng.random() < 0.8, **tokens(rng, low=rng.choice([-0.2, 0]), high=rng.choice([1.2, 0.99]))}


def sites(rng: random.Random) -> Values:
    """Mirror images of a site in the sides of the triangle, moved a little."""
    x, y = rng.randint(15, 40) / 100, rng.randint(15, 40) / 100
    places = {"x1": x, "y1": y, "x2": -x, "y2": y, "x3": x, "y3": -y, "x4": 1 - y, "y4": 1 - x}
    most = rng.choice([0, 1, 3, 10])
    return {"N": "4", **{name: round(at + rng.randint(-most, most) / 100, 2) for name, at in places.items()}}


def leaning(rng: random.Random) -> Values:
    """Sites turned about the middle, by a quarter each, moved a little."""
    x, y, most = rng.randint(-90, -20) / 100, rng.randint(-190, -90) / 100, rng.choice([0, 0, 20])
    turned = {"x1": x, "y1": y, "x2": -y, "y2": x, "x3": -x, "y3": -y, "x4": y, "y4": -x, "x5": 0, "y5": 0}
    moved = {name: round(at + rng.randint(-most, most) / 100, 2) for name, at in turned.items()}
    return {"side": rng.choice(["5", "5", "9"]), **moved}


def with_entries(rng: random.Random) -> Values:
    low = rng.choice([rng.randint(-600, 100) / 100, -1.6, -1.5, -1.62])
    return {"n": rng.choice("234"), "a1": rng.choice([0, -1]), **{f"a{k}": low for k in (2, 3, 4)}}


def duel(**options: Any) -> LivePicture:
    """Two answers, of which the first gives up the diagonal."""
    proofs = {name: live.PROOFS[name] for name in ("Yun et al.", "Liu et al.")}
    return live.Square(proofs, (2, 16), start=16, against="Liu et al.", preset="two peaks", **options)


def painted(distance: float, height: int) -> str:
    """A stroke along the diagonal, or beside it: a letter for each place of the square, h for 0."""
    digits = "hijklmnopqrstuvwxyz"
    near = [max(0, 1 - abs(j - i - distance) / 2) for i in range(16) for j in range(16)]
    return "".join(digits[round(height * one)] for one in near)


def strokes(rng: random.Random) -> Values:
    paint = {"f": PAINTED, "formula": "0", "paint": painted(rng.choice([0, 0, 6]), rng.choice([6, 17]))}
    return rng.choice([paint, paint, {"f": "distance"}])


def over_square(rng: random.Random) -> Values:
    return {"proof": rng.choice(["Yun et al.", "Liu et al."]), "N": rng.choice([2, 8]),
            "f": rng.choice(["mean product", "maximum", "distance"]), "x1": rng.choice([0.99, 0.95, 0.3]),
            "x2": rng.choice([0.99, 0.9, 0.3])}  # fmt: skip


def head(rng: random.Random) -> Values:
    return {"example": rng.choice(["means", "sums"]), "u1": rng.choice([-1, 0, 1.5]), "u2": rng.choice([-1, 0, 2]),
            "network": rng.choice(["hardmax", "hardmax", "softmax"])}  # fmt: skip


def listening(rng: random.Random) -> Values:
    scale = rng.choice([rng.randint(0, 100) / 100, 0.17, 0.18])
    return {"example": rng.choice(["first", "last"]), "mask": "causal", "network": "softmax", "scale": scale,
            "u1": rng.choice([-1, 1, 2]), "listener": rng.choice(["second", "third", "fourth"])}  # fmt: skip


def pairs(*names: str, **options: Any) -> LivePicture:
    """Some of the pairs on the axis."""
    plane = {key: {row: {t: (int(t), 0) for t in row} for row in PAIRS[key]} for key in names}
    return live_pages.attention(examples=plane, **options)


CASES: dict[str, tuple[Callable[..., LivePicture], Callable[[Values, str], bool], Makes, Values]] = {
    "one id": (live_pages.film, shares_an_id, film,
               {"N": "4", "n": "3", "cut": True, "t1": 0.1, "t2": 0.8, "t3": 0.8}),
    "changed places": (lambda **options: live_pages.film(soft=True, **options), changes_places,
                       lambda rng: {"N": "2", "n": "2", "scale": rng.randint(5, 40), **tokens(rng, 2)},
                       {"N": "2", "n": "2", "scale": 16, "t1": 0.1, "t2": 0.6}),
    "twin": (lambda **options: live_pages.boltzmann((0, -2, -2, -5), **options), is_twin, with_entries,
             {"n": "2", "a1": 0, "a2": -1.6}),
    "deep": (lambda **options: live_pages.boltzmann((0, -2, -2, -5), **options), is_deep, with_entries,
             {"n": "4", "a1": 0, "a2": -1.6, "a3": -1.6, "a4": -1.6}),
    "triangle": (live_pages.cells, is_triangle, sites,
                 {"N": "4", "x1": 0.3, "y1": 0.3, "x2": -0.3, "y2": 0.3, "x3": 0.3, "y3": -0.3, "x4": 0.7, "y4": 0.7}),
    "sorted": (live_pages.windmill, is_sorted, leaning,
               {"x1": -0.9, "y1": -1.5, "x2": 1.5, "y2": -0.9, "x3": 0.9, "y3": 1.5, "x4": -1.5, "y4": 0.9}),
    "stranger": (live_pages.stranger, is_let_in, lambda rng: {
        "t1": rng.choice([0.97, 0.98, 0.99, 0.3, 1.2]), "t2": rng.choice([0.2, 0.99, 1.2, -0.2])},
                 {"t1": 0.99, "t2": 1.2}),
    "agree": (lambda **options: live.XRay("yun2020", **options), agrees, sequence, {"x1": 0.12, "x2": 0.4}),
    "no row": (lambda **options: live.XRay("yun2020", "look up", **options), in_one_cell, sequence,
               {"x1": 0.4, "x2": 0.4}),
    "one id, a row": (lambda **options: live.XRay("cheng2025", **options), in_one_cell, sequence,
                      {"x1": 0.4, "x2": 0.4}),
    "melt": (lambda **options: live.XRay("liu2025", **options), melts, sequence, {"x1": 0.5, "x2": 0.25}),
    "nearer": (duel, is_nearer, strokes, {"f": PAINTED, "formula": "0", "paint": painted(0, 17)}),
    "lost": (live_pages.over_square, is_lost, over_square, {"proof": "Yun et al.", "N": 8, "x1": 0.99, "x2": 0.99}),
    "told apart": (lambda **options: pairs("means", "sums", masks={"none": None}, **options), told_by_hardmax, head,
                   {"network": "hardmax", "example": "means", "u1": 0, "u2": -1}),
    "told apart in place": (lambda **options: pairs("means", "sums", masks={"none": None}, **options), told_by_hardmax,
                            head, {"network": "hardmax", "example": "means", "u1": 2, "u2": 0}),
    "mean": (live.Pair, fools_the_mean, designed, {"x2": 0}),
    "two": (live.Pair, fools(2), designed,
            {"b1": -6, "b2": 6, "x1": -5, "x2": 1, "x3": 4, "y1": -3, "y2": -2, "y3": 5}),
    "four": (live.Pair, fools(4), designed,
             {"b1": -6, "b2": 6, "x1": 1, "x2": 2, "x3": -3, "y1": -1, "y2": -2, "y3": 3}),
    "unnoticed": (lambda **options: pairs("last", "first", **options), goes_unnoticed, listening,
                  {"example": "first", "listener": "third", "mask": "causal", "network": "softmax", "scale": 0.17,
                   "u1": 1}),
}  # fmt: skip
"""By kind: the picture, when it is reached, random settings, and one that reaches it."""


def picture_of(kind: str) -> tuple[LivePicture, Callable[[Values, str], bool], Makes, Values]:
    make, is_reached, settings, reaching = CASES[kind]
    return make(goals={kind.split(",")[0]: "Move it."}), is_reached, settings, reaching


@pytest.mark.parametrize("kind", CASES)
def test_a_goal_is_reached_where_its_statement_says_so(kind):
    picture, is_reached, settings, reaching = picture_of(kind)
    rng, found = random.Random(kind), []
    for values in [{}, reaching, *(settings(rng) for _ in range(8 if picture.picture == "square" else 40))]:
        frame = picture.frame(**values)
        ((reached, sentence),) = frame.goals
        assert reached == is_reached({**picture.start, **values}, frame.text), (values, sentence)
        assert sentence
        found.append(reached)
    assert found[:2] == [False, True]


def test_near_misses_say_how_far():
    """Beside the ids of (0, 1, 3) those of another sequence: by loops over all sequences."""
    ((_, near),) = live_pages.film(goals={"one id": "Share."}).frame(N="4", n="3", t1=0.1, t2=0.3, t3=0.8).goals
    assert near == "the nearest id of another sequence is 2,925 away"


def test_what_is_no_goal_is_refused():
    for goals, message in (
        ({"one cell": "Drag."}, "xray: goals: expected some of .*agree, got one cell"),
        ({"agree": ""}, "expected a sentence or a Goal, got ''"),
        ({"agree": 3}, "expected a sentence or a Goal, got 3"),
        ("agree", "goals: expected"),
    ):
        with pytest.raises(ValueError, match=message):
            live.XRay("yun2020", goals=goals)
    with pytest.raises(ValueError, match="goals: expected one to be reached, got 'deep', which is at the start"):
        live_pages.boltzmann((0, -1.6, -1.6, -1.6), goals={"deep": "Bring it down."})


def test_of_the_four_theorems_one_speaks_of_the_worst_point():
    """As the goal of the front page says."""
    speak = {name for name, build in live.PROOFS.items() if build(mean_product(2), 2).sup_error is not None}
    assert speak == {"Liu et al."}


def test_a_goal_stands_where_no_script_runs():
    goals = {"agree": live.Goal("Drag <it>.", "ex-start-break")}
    picture = live.XRay("yun2020", goals=goals)
    assert picture.spec()["goals"] == [{"name": "agree", "asks": "Drag <it>.", "exercise": "ex-start-break"}]
    page, elsewhere = picture.to_html(), picture._repr_mimebundle_()[0]["text/html"]
    for shown in (page, elsewhere):
        assert "<strong>Goal:</strong> Drag &lt;it&gt;." in shown
    assert "Not yet: the two answers are 0.0694 apart</p>" in page


@pytest.mark.parametrize(("u1", "u2"), [(1, 1), (-1.5, 1), (0.5, 2), (-0.2, 1), (0.1, 3)])
def test_an_arrow_says_how_near_it_is_to_a_tie(u1, u2):
    """Of the shared tokens the one whose best score leads by least, by loops; at a tie all are heard alike."""
    picture = pairs("means", masks={"none": None}, goals={"told apart in place": "Turn."})
    ((_, near),) = picture.frame(u1=u1, u2=u2).goals
    context, leads = [1, 2, 4], {}
    for listener in (1, 4):
        scores = sorted((u1 * token * u2 * listener, token) for token in context)
        leads[listener] = scores[-1][0] - scores[-2][0], scores[-1][1]
    listener = min(leads, key=lambda token: leads[token][0])
    lead, whom = leads[listener]
    assert near == (
        f"{listener} hears only {'itself' if whom == listener else whom}, whose score leads by {lead:.4f}".rstrip(
            "0"
        ).rstrip(".")
    )
    ((told, _),) = picture.frame(u1=0, u2=u2).goals
    assert told
