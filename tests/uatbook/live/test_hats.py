"""Hats answer as the literal layers do; how few can answer is found by solving, and by what a sum of hats can be."""

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from uatbook.live import Hats
from uatlib import kajitsuka2024
from uatlib.arithmetic import BALL, EXACT
from uatlib.kajitsuka2024.two_layers import second_layer
from uatlib.model import Transformer

from .drawn import elements, points

THIRDS = [Fraction(t, 3) for t in (1, 2, 3)]
GOALS = {"all": "Answer all.", "fewest": "With few."}


def ids_and_answers() -> dict[str, dict[str, tuple[float, float]]]:
    """Those of the chapter: the head's, and x_k (x_1 + x_2) / 2."""
    head = kajitsuka2024.rank_one_attention(THIRDS, n=2, scale=-1)
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for a, b in itertools.permutations(THIRDS, 2):
        heard = head(np.array([[[a, b]]], object), BALL)[0, 0, 0].midpoint
        found.setdefault(str(a), {})[str(b)] = float(heard), float(a * (a + b) / 2)
    return found


IDS = ids_and_answers()
Z, WANTED = zip(*(pair for row in IDS.values() for pair in row.values()), strict=True)
PICTURE = Hats(IDS, goals=GOALS)
TOLERANCE = 0.02


def answers_by_layer(centres: Sequence[float], heights: Sequence[float], R: int, at: Sequence[float]) -> list[Fraction]:
    """What the library's layer of ReLUs answers, exactly."""
    layer = second_layer([Fraction(c) for c in centres], [[Fraction(h)] for h in heights], Fraction(R), [1])
    found = Transformer([layer])([[[Fraction(z)]] for z in at], EXACT)
    return [z[0][0] for z in found]


def gets(frame) -> list[float]:
    return [float(text) for text in re.findall(r"id [\d.]+: ([\d.]+) for", frame.alt)]


def settings(pairs: Sequence[tuple[float, float]], R: int) -> dict[str, float]:
    """Values of the controls for hats (centre, height), two a token."""
    at = {f"c{k}": round(c, 3) for k, (c, _) in enumerate(pairs, 1)}
    return {"R": R, **at, **{f"h{k}": round(h, 2) for k, (_, h) in enumerate(pairs, 1)}}


def one_on_each(R: int) -> dict[str, float]:
    """A hat on each ring."""
    return settings([*zip(Z, WANTED, strict=True)], R)


def standing(centre: float, height: float) -> tuple[float, float]:
    """What these steps of the sliders mean: on an id exactly, if it has these three digits, and so on a ring."""
    for z, y in zip(Z, WANTED, strict=True):
        if round(z, 3) == centre:
            return z, (y if height and round(y, 2) == height else height)
    return centre, height


def one_for_two(R: int) -> dict[str, float]:
    """For each token one hat with an id on either slope: h (1 - R (c - p)) = a and h (1 - R (q - c)) = b."""
    pairs = []
    for k in (0, 2, 4):
        (p, q), (a, b) = Z[k : k + 2], WANTED[k : k + 2]
        h = (a + b) / (2 - R * (q - p))
        c = p + (1 - a / h) / R
        assert p < c < q
        pairs += [(c, h), (q, 0)]
    return settings(pairs, R)


def test_answers_are_those_of_the_layer_of_relus():
    rng = np.random.default_rng(0)
    seen, on = set(), 0
    for R in PICTURE.controls["R"].values:
        values = {"R": R}
        for name, control in PICTURE.controls.items():
            if name[0] in "ch" and name != "hat":
                values[name] = round(rng.uniform(control.low + 0.01, control.high), control.digits)
        k = int(rng.integers(1, 7))
        values |= {f"c{k}": round(Z[k - 1], 3), f"h{k}": round(WANTED[k - 1], 2), "h2": 0.0}
        centres, heights = ([values[f"{kind}{k}"] for k in range(1, 7)] for kind in "ch")
        hats = [*map(standing, centres, heights)]
        on += sum(hat != given for hat, given in zip(hats, zip(centres, heights, strict=True), strict=True))
        expected = answers_by_layer(*zip(*hats, strict=True), R, Z)
        frame = PICTURE.frame(**values)
        assert gets(frame) == [pytest.approx(float(t), abs=6e-4) for t in expected]
        right = sum(abs(t - Fraction(y)) <= TOLERANCE for t, y in zip(expected, WANTED, strict=True))
        seen.add(right)
        assert f"\n{right} of 6 answers are right within 0.02; " in frame.text
        assert frame.text.startswith("5 hats, 15 ReLUs; with a hat for each id 18\n")
    assert len(seen) > 1
    assert on > 3


@pytest.mark.parametrize("R", [192, 256])
def test_a_hat_on_a_ring_answers_it_exactly_and_one_beside_it_does_not(R):
    """Ids lie between the steps of the sliders, and the steeper a hat the more that would cost."""
    values = one_on_each(R)
    assert max(R * abs(z - round(z, 3)) for z in Z) > 0.05
    assert gets(PICTURE.frame(**values)) == [pytest.approx(y, abs=5.1e-4) for y in WANTED]
    for k, (z, y) in enumerate(zip(Z, WANTED, strict=True)):
        aside = round(round(z, 3) + 0.002, 3)
        beside = gets(PICTURE.frame(**{**values, f"c{k + 1}": aside}))
        assert beside[k] == pytest.approx(y * (1 - R * (aside - z)), abs=6e-3)
        assert gets(PICTURE.frame(**{**values, f"h{k + 1}": 1.15}))[k] == pytest.approx(1.15, abs=5.1e-4)


@pytest.mark.parametrize("R", [96, 192, 256])
def test_a_steep_hat_on_each_id_answers_all_but_not_with_the_fewest_relus(R):
    frame = PICTURE.frame(**one_on_each(R))
    assert frame.goals == [[True, "18 ReLUs"], [False, "18 ReLUs do it, but so do fewer"]]
    wide = PICTURE.frame(**{**one_on_each(R), "R": 32})
    assert not wide.goals[0][0]  # neighbours disturb each other


def test_half_of_them_are_enough():
    for R in (24, 32):
        values = one_for_two(R)
        assert PICTURE.frame(**values).goals == [[True, "9 ReLUs"], [True, "9 ReLUs"]]
        centres, heights = ([values[f"{kind}{k}"] for k in range(1, 7)] for kind in "ch")
        answers = answers_by_layer(centres, heights, R, Z)
        assert all(abs(t - Fraction(y)) <= TOLERANCE for t, y in zip(answers, WANTED, strict=True))
        for k in (1, 3, 5):  # none of them can be left out
            assert not PICTURE.frame(**{**values, f"h{k}": 0}).goals[0][0]


def best_of_two(z: Sequence[float], wanted: Sequence[float], tolerance: float, radii: Sequence[float]) -> bool:
    """Whether two hats of one radius do it, tried with centres on a fine grid: corners of the polygon of heights."""
    places = np.linspace(z[0] - 0.1, z[-1] + 0.1, 241)
    c = np.array([*itertools.combinations(places, 2)])
    for radius in radii:
        a = np.maximum(0, 1 - np.abs(np.array(z)[:, None, None] - c) / radius)  # id, pair, hat
        rows = np.concatenate([a, a, np.broadcast_to(np.eye(2)[:, None], (2, *c.shape))])
        ends = np.array([*(y - tolerance for y in wanted), *(y + tolerance for y in wanted), 0, 0])
        for i, j in itertools.combinations(range(len(rows)), 2):
            det = rows[i, :, 0] * rows[j, :, 1] - rows[i, :, 1] * rows[j, :, 0]
            with np.errstate(all="ignore"):
                h = np.stack([ends[i] * rows[j, :, 1] - ends[j] * rows[i, :, 1],
                              ends[j] * rows[i, :, 0] - ends[i] * rows[j, :, 0]]) / det  # fmt: skip
                off = np.abs(a[:, :, 0] * h[0] + a[:, :, 1] * h[1] - np.array(wanted)[:, None]).max(axis=0)
            if ((h >= -1e-9).all(axis=0) & (off <= tolerance + 1e-9)).any():
                return True
    return False


def test_two_hats_of_any_steepness_cannot():
    radii = (0.02, 0.06, 0.2, 0.5, 1, 3)
    assert not best_of_two(Z, WANTED, TOLERANCE, radii)
    assert best_of_two(Z[2:], WANTED[2:], TOLERANCE, (1 / 24,))  # two tokens they can: the trial is worth something


def test_a_sum_of_hats_turns_down_only_at_centres_and_the_answers_turn_down_twice_and_rise_again():
    rng = np.random.default_rng(0)
    for _ in range(200):
        c, h, R = rng.uniform(0, 1, 4), rng.uniform(0, 1, 4), rng.uniform(1, 20)
        x = np.sort(rng.uniform(0, 1, 3))
        left, middle, right = (float((h * np.maximum(0, 1 - R * abs(t - c))).sum()) for t in x)
        if (middle - left) / (x[1] - x[0]) > (right - middle) / (x[2] - x[1]) + 1e-9:
            assert ((x[0] < c) & (c < x[2])).any()
        if right > middle + 1e-9:
            assert (c > x[1]).any()
    steps = [(b - a, y, w) for a, b, y, w in zip(Z, Z[1:], WANTED, WANTED[1:], strict=False)]
    least, most = ([(w - y + sign * 2 * TOLERANCE) / step for step, y, w in steps] for sign in (-1, 1))
    assert least[0] > most[1]  # a centre between the first id and the third
    assert least[2] > most[3]  # one between the third and the fifth
    assert least[4] > 0  # and one beyond the fifth
    assert PICTURE.data["least"] == 3


@pytest.mark.parametrize(
    ("row", "least"),
    [
        ([(1, 0.5)], 1),
        ([(1, 0.2), (1.02, 0.4)], 1),
        ([(1, 0.4), (1.02, 0.8), (1.04, 0.4)], 1),
        ([(1, 0.5), (1.02, 0.1), (1.04, 0.5)], 2),
        ([(1, 0.5), (1.02, 0.1), (1.04, 0.5), (1.06, 0.1)], 2),
        ([(1, 0), (1.02, 0)], 0),
    ],
)
def test_how_few_there_must_be_in_a_row(row, least):
    """One hat: by its centre on a grid, its radius and its height; two: as above."""
    ids = {"a": {str(k): pair for k, pair in enumerate(row)}}
    assert Hats(ids, tolerance=0.05).data["least"] == least
    z, wanted = zip(*row, strict=True)
    radii = (0.01, 0.02, 0.04, 0.1)
    one = any(
        all(abs(h * max(0, 1 - abs(t - c) / r) - y) <= 0.05 for t, y in row)
        for c in np.linspace(0.95, 1.1, 61)
        for r in radii
        for h in np.linspace(0, 1.2, 25)
    )
    assert one == (least < 2)
    assert best_of_two(z, wanted, 0.05, radii)


def test_what_is_drawn_is_the_sum_and_the_relus_of_the_hat_in_hand():
    values = {**one_on_each(48), "hat": "3"}
    paths = [*elements(PICTURE, "path", **values)]
    sums = [points(one["d"]) for one in paths if one.get("stroke-width") == "3"]
    assert len(sums) == 3
    relus = [points(one["d"]) for one in paths if one.get("stroke-dasharray") == "4 3"]
    assert len(relus) == 3
    ends = sorted(float(corners[-1, 1] - corners[0, 1]) for corners in relus)
    assert ends[0] < ends[1] < 0 < ends[2]  # two rise, and one falls twice as fast (down is more)
    for corners in relus:
        assert corners[0, 1] == corners[1, 1]  # level before the kink
    slopes = sorted((c[2, 1] - c[1, 1]) / (c[2, 0] - c[1, 0]) for c in relus)
    assert [slopes[1], -slopes[2] / 2] == [pytest.approx(slopes[0], rel=0.02)] * 2
    flat = elements(PICTURE, "path", **{**values, "h3": 0})
    assert not any(one.get("stroke-dasharray") == "4 3" for one in flat)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ({}, "ids: expected one to 4 tokens with ids that increase from 0 to 9"),
        ({"a": {}}, "for one to 4 neighbours an id, and an answer from 0 to 1"),
        ({"a": {"b": (1, 1.5)}}, "an answer from 0 to 1"),
        ({"a": {"b": (1, 1, 1)}}, "an answer from 0 to 1"),
        ({"a": {"b": (1, 1), "c": (1, 1)}}, "ids that increase"),
        ({"a": {"b": (2, 1)}, "b": {"a": (1, 1)}}, "ids that increase"),
        ({str(k): {"b": (k + 1, 1)} for k in range(5)}, "one to 4 tokens"),
        ({"a": [1, 2]}, "expected a mapping from names to values"),
    ],
)
def test_ids_that_are_none_are_refused(ids, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Hats(ids)


@pytest.mark.parametrize("options", [{"steepness": 33}, {"tolerance": -1}, {"tolerance": 0.2}, {"tolerance": "a"}])
def test_options_that_are_none_are_refused(options):
    with pytest.raises(ValueError, match=r"expected"):
        Hats(IDS, **options)
