"""The live picture of cells: first frame and read-out against plain loops, the cores, what is refused."""

import functools
import itertools
import json
import math
import re
from fractions import Fraction

import live_pages
import numpy as np
import pytest
from live_pages import BLADES

from uatbook import live
from uatbook.liu2025.max_affine import MaxAffine, indicator_attention
from uatbook.live.cells import FILLS, PRECISIONS
from uatlib.liu2025 import precision
from uatlib.model import Transformer

from .drawn import elements, pixels, plain, points

MINUS = "\N{MINUS SIGN}"
SITES = np.array([[-1.5, 1.2, 0.4, -2, 2.2], [1.6, 1.4, -1.3, -1.2, -0.4]])
ROWS = {
    "constants": [[1, -1, 2, 0.25, -2]],
    "affine": [[0.6, -0.4, 0.2, -0.6, 0], [-0.2, 0.5, 0.4, 0, -0.6], [1, 0, -1, 0.5, 0]],
}


def network(sites, weights, R, values, n=None):
    return indicator_attention(MaxAffine.of_sites(sites, weights), n or len(weights), R, values=values)


@functools.cache
def picture(count=5) -> live.Cells:
    rows = {key: np.array(given)[:, :count] for key, given in ROWS.items()}
    return live.Cells(network, SITES[:, :count], rows, precision=3.2, probe=(0.5, -0.3))


def text(shown=None, **values) -> list[str]:
    """The lines of the read-out."""
    return plain((shown or picture()).frame(**values).text).replace(MINUS, "-").replace("\xa0", " ").split("\n")


def ask(pattern, line) -> tuple[str, ...]:
    found = re.search(pattern, line)
    assert found, (pattern, line)
    return found.groups()


# ----------------------------------------------------------------------------------------------------- what is computed


def some_values(rng) -> dict:
    def tenth(low, high, digits):
        return round(float(rng.uniform(low, high)), digits)

    values = {f"{axis}{i}": tenth(-3, 3, 2) for axis in "xy" for i in range(1, 6)}
    values |= {f"w{i}": tenth(-2, 2, 1) for i in range(1, 6)}
    return {**values, "px": tenth(-3, 3, 2), "py": tenth(-3, 3, 2), "N": str(rng.integers(2, 6))}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["indicator", *ROWS])
def test_the_read_out_is_what_plain_loops_say(seed, kind):
    rng = np.random.default_rng(seed)
    values, R = some_values(rng), PRECISIONS[int(rng.integers(4, 22))]
    N, probe = int(values["N"]), [Fraction(values[name]).limit_denominator(100) for name in ("px", "py")]
    y = []
    for i in range(1, N + 1):
        s = [Fraction(values[f"{axis}{i}"]).limit_denominator(100) for axis in "xy"]
        w = Fraction(values[f"w{i}"]).limit_denominator(10)
        y.append(sum(a * b for a, b in zip(s, probe, strict=True)) + (w - sum(a * a for a in s)) / 2)
    top, second = sorted(y)[:-3:-1]
    cell, rival = y.index(top), y.index(second)
    powers = [math.exp(R * (t - top)) for t in y]
    shares = [power / sum(powers) for power in powers]
    first, second_line, *more = text(**values, R=R, values=kind)
    owner, other, margin = ask(r": cell (\d), ahead of cell (\d) by the margin (\S+)$", first)
    assert (int(owner) - 1, int(other) - 1, Fraction(margin)) == (cell, rival, top - second)
    share, elsewhere, bound = ask(
        r"puts (\S+) on cell \d, (\S+) elsewhere(?:; never more than .* = ([\d.e-]+))?$", second_line
    )
    rest, most = sum(share for i, share in enumerate(shares) if i != cell), (N - 1) * math.exp(-R * (y[cell] - second))
    assert float(share) == pytest.approx(shares[cell], abs=5.1e-5)
    assert float(elsewhere) == pytest.approx(rest, rel=0.051)
    assert (bound is None) == (most >= 1)
    assert bound is None or float(bound) == pytest.approx(most, rel=0.051)
    assert rest <= most * (1 + 1e-9)
    if kind == "indicator":
        assert more == []
        return
    rows, at = ROWS[kind], [*map(float, probe), 1.0] if kind == "affine" else [1.0]
    on = [sum(row[i] * t for row, t in zip(rows, at, strict=True)) for i in range(N)]
    answer = sum(share * value for share, value in zip(shares, on, strict=True))
    owner, has, gives, off, at_most = ask(
        r"cell (\d) has (?:.* = )?(\S+), the head answers (?:.* = )?(\S+): off by (?:less than )?(\S+), at most (.*)$",
        more[0],
    )
    assert int(owner) - 1 == cell
    assert [float(has), float(gives)] == pytest.approx([on[cell], answer], abs=5.1e-5)
    assert float(off) == pytest.approx(abs(answer - on[cell]), rel=0.051, abs=1e-9)
    assert float(at_most) == pytest.approx(max(1e-9, (max(on) - min(on)) * most), rel=0.051)
    assert abs(answer - on[cell]) <= (max(on) - min(on)) * most + 1e-12


def test_slope_and_intercept_of_the_cell_are_told():
    (line,) = text(values="affine", R=1000)[2:]
    assert line.startswith("affine: cell 3 has 0.20 x₁ + 0.40 x₂ - 1.00 = -1.0200, the head answers 0.20 x₁ + 0.40 x₂ ")
    assert line.endswith(": off by less than 1e-9, at most 1.0e-9")


def test_on_a_border_the_head_cannot_tell():
    """Two sites of one distance: no R helps. Three in one place: the smallest number has the point."""
    at = {"x1": -1, "y1": 0, "x2": 1, "y2": 0, "N": "2", "px": 0, "py": 2.5}
    for R in PRECISIONS[::8]:
        first, second = text(**at, R=R)
        assert first == "x = (0.00, 2.50): on the border of cells 1 and 2, counted to 1; margin 0"
        assert second.endswith("puts 0.5000 on cell 1, 0.5000 elsewhere")
    same = {f"{axis}{i}": 0.7 for axis in "xy" for i in (2, 4, 5)}
    first, second = text(**same, px=0.7, py=0.7, x1=3, y1=3)
    assert first.endswith("on the border of cells 2, 4 and 5, counted to 2; margin 0")
    assert "puts 0.33" in second


def test_a_weight_moves_a_border_and_may_swallow_a_cell():
    at = {"x1": -1, "y1": 0, "x2": 1, "y2": 0, "N": "2", "py": 0}
    for w, border in ((0, 0), (2, 0.5), (-4, -1)):  # |x + 1|^2 - w = |x - 1|^2 at x = w/4
        for step in (-0.01, 0, 0.01):
            (first, _) = text(**at, w1=w, px=round(border + step, 2))
            owner = ask(r"cell (\d), ahead" if step else r"counted to (\d)", first)[0]
            assert owner == ("2" if step > 0 else "1"), (w, step)
    for w, owner in ((-0.9, "3"), (-1.1, "1")):  # between the two, |x|^2 - w is the least somewhere if w > -1
        (first, _) = text(**at | {"N": "3"}, x3=0, y3=0, w3=w, px=0)
        assert ask(r"cell (\d), ahead|counted to (\d)", first)[owner == "1"] == owner


def test_what_no_float_holds_is_told_by_its_size():
    second = text(R=1000)[1]
    assert second.endswith(
        "1.0000 on cell 3, less than 1e-300 elsewhere; never more than (N - 1) · exp(-R · margin) is less than 1e-300"
    )
    assert "less than 10⁻³⁰⁰ elsewhere" in picture().frame(R=1000).text
    assert re.search(r"1\.0000 on cell 3, \d\.\de-\d\d elsewhere; .* = \d\.\de-\d\d$", text(R=100)[1])


def test_fewer_sites_are_those_first_named():
    assert text(N="2", px=0.4, py=-1.3)[0] == text(picture(3), N="2", px=0.4, py=-1.3)[0]
    shown = live.Cells(network, SITES, {}, start=3, precision=1.8)
    assert (shown.start["N"], shown.start["R"]) == ("3", 1.8)
    assert "values" not in shown.controls
    assert shown.frame().text.startswith("x = (0.00, 0.00): cell 3")


def test_the_layer_may_take_another_number_of_tokens():
    one = live.Cells(functools.partial(network, n=1), SITES, ROWS, precision=3.2, probe=(0.5, -0.3))
    for values in ({}, {"values": "affine"}):
        assert one.describe({**one.start, **values}) == picture().describe({**picture().start, **values})


# -------------------------------------------------------------------------------------------------------- what is drawn


def in_plane(shown, corners, **values) -> np.ndarray:
    """Points of the plane, shape (2, count), from those of the drawing."""
    (box,) = list(elements(shown, "image", **values))
    left, top, side = (float(box[name]) for name in ("x", "y", "width"))
    u, v = np.transpose(corners)
    return np.stack([6 * (u - left) / side - 3, 3 - 6 * (v - top) / side])


@pytest.mark.parametrize("kind", ["indicator", *ROWS])
def test_colours_are_mixed_by_the_attention_to_each_cell(kind):
    (image,) = elements(picture(), "image", R=1, values=kind)
    shown, data = pixels(image["href"]), picture().data
    size, (low, high) = len(shown), data["limits"][kind]
    for i, j in ((0, 0), (40, 60), (95, 3), (48, 48), (140, 110)):
        x = [(2 * k + 1 - size) * 3 / size for k in (i, j)]
        y = [s @ x - (s @ s) / 2 for s in SITES.T]
        powers = np.exp(np.array(y) - max(y))
        shares = powers / powers.sum()
        if kind == "indicator":
            colour = shares @ [[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in FILLS[:5]]
        else:
            rows, at = ROWS[kind], [*x, 1] if kind == "affine" else [1]
            value = sum(share * np.dot([row[c] for row in rows], at) for c, share in enumerate(shares))
            stops = np.transpose([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in data["stops"]])
            colour = [np.interp((value - low) / (high - low), np.linspace(0, 1, 33), channel) for channel in stops]
        assert shown[size - 1 - j, i, :3] == pytest.approx(colour, abs=2 if kind != "indicator" else 0.51)


@pytest.mark.parametrize("kind", ROWS)
def test_along_the_line_stand_the_answer_and_what_is_wanted(kind):
    values = {"values": kind, "R": 10}
    paths = [(p.get("stroke"), p.get("stroke-width"), points(p["d"])) for p in elements(picture(), "path", **values)]
    (head,) = (path for ink, width, path in paths if (ink, width) == (FILLS[1], "3.5"))
    (wanted,) = (path for ink, width, path in paths if (ink, width) == ("currentColor", "1.5"))
    t = np.linspace(-3, 3, len(head))
    assert head[:, 0] == pytest.approx(np.linspace(head[0, 0], head[-1, 0], len(t)), abs=0.06)
    rows = np.array(ROWS[kind])
    y = SITES.T @ np.stack([t, np.full(len(t), -0.3)]) - (SITES**2).sum(axis=0)[:, None] / 2
    on = rows[0][:, None] if kind == "constants" else rows.T @ np.stack([t, np.full(len(t), -0.3), np.ones(len(t))])
    on = np.broadcast_to(on, y.shape)
    powers = np.exp(10 * (y - y.max(axis=0)))
    answers, right = (powers * on).sum(axis=0) / powers.sum(axis=0), on[y.argmax(axis=0), np.arange(len(t))]
    line = np.polyfit(answers, head[:, 1], 1)
    assert np.polyval(line, answers) == pytest.approx(head[:, 1], abs=0.1)
    assert np.polyval(line, right) == pytest.approx(wanted[:, 1], abs=0.1)


@pytest.mark.parametrize("R", [1.8, 10, 100])
def test_inside_its_dashed_core_a_cell_has_nearly_all_for_certain(R):
    core, count = math.log(4 / 0.01) / R, 0
    for dash in (path for path in elements(picture(), "path", R=R) if path.get("stroke-dasharray") == "5 4"):
        x = in_plane(picture(), points(dash["d"]), R=R)
        y = np.sort(SITES.T @ x - (SITES**2).sum(axis=0)[:, None] / 2, axis=0)
        inside = (abs(x) < 3.2).all(axis=0)  # other corners are those of the frame
        assert (y[-1] - y[-2])[inside] == pytest.approx(core, abs=0.06)
        count += int(inside.sum())
        assert precision(5, core, 0.01) == pytest.approx(R)
    assert count >= 3


def rims_of(**values) -> list[dict[str, str]]:
    paths = elements(picture(), "path", **values)
    return [path for path in paths if path.get("stroke-width") == "3" and path["stroke"] in FILLS]


@pytest.mark.parametrize("R", [0.56, 3.2, 100])
def test_however_blunt_the_head_a_cell_has_a_rim_of_its_own_colour(R):
    """Each corner lies in its cell, half a rim of 3 pixels from the nearest borders."""
    at, count = in_plane(picture(), [[0, 0], [1, 0]], R=R), 0
    half = (at[0, 1] - at[0, 0]) * 1.5
    rims = rims_of(R=R)
    assert [path["stroke"] for path in rims] == list(FILLS[:5])
    for i, rim in enumerate(rims):
        for x in in_plane(picture(), points(rim["d"]), R=R).T:
            score = [float(s @ x - s @ s / 2) for s in SITES.T]
            off = min((score[i] - score[j]) / math.dist(SITES[:, i], SITES[:, j]) for j in range(5) if j != i)
            assert off > half - 0.02
            if max(abs(x)) < 3.2:  # other corners are those of the frame
                assert off == pytest.approx(half, abs=0.02)
                count += 1
    assert count >= 6
    assert not rims_of(values="affine")


@pytest.mark.parametrize("seed", range(6))
def test_names_of_near_sites_stand_apart_and_on_no_other_site(seed):
    rng, values = np.random.default_rng(seed), {}
    for i in range(1, 6):
        values |= {f"x{i}": round(float(rng.uniform(-0.4, 0.4)), 2), f"y{i}": round(float(rng.uniform(-0.4, 0.4)), 2)}
    if seed == 0:
        values = {"x1": 0.3, "y1": 0.3, "x2": -0.3, "y2": 0.3, "x3": 0.3, "y3": -0.3, "x4": 0.7, "y4": 0.7}
    names = [text for text in elements(picture(), "text", **values) if re.match(r"s\d", text["said"])]
    feet = [(float(text["x"]), float(text["y"])) for text in names if text.get("text-anchor") == "middle"][-5:]
    assert [text["said"][:2] for text in names][-5:] == [f"s{i}" for i in range(1, 6)]
    for (u, v), (a, b) in itertools.combinations(feet, 2):
        assert abs(u - a) >= 18 or abs(v - b) >= 13
    at, (box,) = {**picture().start, **values}, elements(picture(), "image", **values)
    left, top, side = (float(box[name]) for name in ("x", "y", "width"))
    for u, v in feet:
        for j in range(1, 6):
            x, y = left + (at[f"x{j}"] + 3) * side / 6, top + (3 - at[f"y{j}"]) * side / 6
            assert abs(u - x) >= 15 or abs(v - 5 - y) >= 12, j


def test_sites_with_weight_have_a_circle_of_the_power():
    values = {"w2": 2.3, "w3": -1}
    (circle,) = (c for c in elements(picture(), "circle", **values) if c.get("stroke-dasharray") == "1 3")
    middle, radius = [float(circle["cx"]), float(circle["cy"])], float(circle["r"])
    ends = in_plane(picture(), [middle, [middle[0] + radius, middle[1]]], **values)
    assert ends[:, 0] == pytest.approx([1.2, 1.4], abs=0.01)
    assert (ends[0, 1] - ends[0, 0]) ** 2 == pytest.approx(2.3, abs=0.01)


def test_the_triangle_to_be_reached_is_drawn_with_the_goal_alone():
    asked = live.Cells(network, SITES, ROWS, start=5, goals={"triangle": "Make it a triangle."})
    (drawn,) = (p for p in elements(asked, "path") if p.get("stroke-dasharray") == "2 4")
    corners = {tuple(at) for at in in_plane(asked, points(drawn["d"])).round(1).T.tolist()}
    assert corners == {(0, 0), (1, 0), (0, 1)}
    cross = {"x1": 0, "y1": 0, "x2": 2, "y2": 0, "x3": -2, "y3": 0, "x4": 0, "y4": 2, "x5": 0, "y5": -2}
    for values, told in (({}, "cell 1 reaches beyond the picture"), (cross, "cell 1 has 4 corners")):  # a square
        assert told in {text["said"] for text in elements(asked, "text", **values)}
    assert not [p for p in elements(picture(), "path") if p.get("stroke-dasharray") == "2 4"]


@pytest.mark.parametrize("side", [5, 9])
def test_points_in_the_cell_of_another_site_have_a_ring(side):
    shown, rng = live_pages.windmill(), np.random.default_rng(side)
    sites = np.stack([rng.uniform(-2, 2, 5).round(2), rng.uniform(-2, 2, 5).round(2)])
    values = {f"{axis}{i + 1}": float(sites[k, i]) for k, axis in enumerate("xy") for i in range(5)}
    found = [c for c in elements(shown, "circle", side=str(side), **values) if c.get("r") in ("4", "8")]
    places = in_plane(shown, [[float(c["cx"]), float(c["cy"])] for c in found], side=str(side), **values).T
    dots = [(x, c["fill"]) for x, c in zip(places, found, strict=True) if c["r"] == "4"]
    rings = [x for x, c in zip(places, found, strict=True) if c["r"] == "8"]
    assert len(dots) == side**2
    wrong = []
    for x, fill in dots:
        (own,) = (i for i, (a, b, c, d) in enumerate(BLADES) if a < x[0] < c and b < x[1] < d)
        assert fill == FILLS[own]
        if np.argmin([(x - s) @ (x - s) for s in sites.T]) != own:
            wrong.append(x)
    assert np.array(rings) == pytest.approx(np.array(wrong), abs=0.02)
    assert 0 < len(wrong) < side**2
    told = f"{side**2 - len(wrong)} of {side**2} points are in their cells"
    assert text(shown, side=str(side), **values)[0] == f"{told}; the others have rings"
    assert told in {said["said"] for said in elements(shown, "text", side=str(side), **values)}


# ------------------------------------------------------------------------------------------------------- what is handed


def test_the_page_gets_a_network_for_each_number_of_sites_and_kind_of_values():
    data = json.loads(json.dumps(picture().spec(static=True)))["data"]
    assert list(data["networks"]) == ["indicator", *ROWS]
    assert all(list(given) == ["2", "3", "4", "5"] for given in data["networks"].values())
    shape = data["networks"]["affine"]["4"]["layers"][1]["weights"]["head0.w_k"]["shape"]
    assert shape == [3, 6]
    assert data["values"] == ROWS
    assert data["limits"]["constants"] == [-2, 2]
    # On the square 0.6 x - 0.2 y + 1 is 3.4 at most, and 0.2 x + 0.4 y - 1 is -2.8 at least.
    assert data["limits"]["affine"] == [pytest.approx(-2.8), pytest.approx(3.4)]


def test_weights_stand_beside_the_site_that_is_chosen():
    shown = picture()
    assert list(shown.away) == ["w2", "w3", "w4", "w5"]
    assert list(shown.choices["site"]) == ["s1", "s2", "s3", "s4", "s5"]
    few = live.Cells(network, SITES, {}, start=2)
    assert list(few.choices["site"]) == ["s1", "s2"]


# ------------------------------------------------------------------------------------------------------ what is refused


def other_keys(sites, weights, R, values):
    return network(sites, weights, 2 * R, values)


def shifted(sites, weights, R, values):
    model = network(sites, weights, R, values)
    w_k = np.array(model.layers[1].weights()["head0.w_k"], float)
    w_k[0, 0] = 1
    layer = model.layers[1].with_weights({**model.layers[1].weights(), "head0.w_k": w_k})
    return Transformer([model.layers[0], layer, model.layers[2]], n=len(weights))


def other_rows(sites, weights, R, values):
    return network(sites, weights, R, None)


def one_layer(sites, weights, R, values):
    return Transformer([network(sites, weights, R, values).layers[1]])


ONE = r"network for 2 sites, indicator: expected a Transformer for d = 2 of a linear sum, one head with W_K = R \[0 s_i"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": lambda *_: 3}, f"{ONE}.*, 2 numbers a token, got 3"),
        ({"network": one_layer}, ONE),
        ({"network": other_keys}, ONE),
        ({"network": shifted}, ONE),
        ({"network": other_rows}, "network for 2 sites, constants: .*, 1 numbers a token"),
        ({"sites": SITES[:, :2]}, "sites: expected 3 to 8 of them, got 2"),
        ({"sites": np.zeros((2, 9))}, "sites: expected 3 to 8 of them, got 9"),
        ({"sites": SITES.T}, r"sites: expected shape \(2, N\), numbers from -3 to 3 with at most 2 decimals, got an"),
        ({"sites": SITES * 2}, "sites: expected shape"),
        ({"sites": SITES / 3}, "sites: .* at most 2 decimals"),
        ({"sites": SITES * np.nan}, "sites: .* got an array"),
        ({"weights": [1, 2]}, r"weights: expected shape \(5\), numbers from -4 to 4 with at most 1 .*, got \[1, 2\]"),
        ({"probe": (0, 4)}, r"probe: expected shape \(2\), .* got \(0, 4\)"),
        ({"values": 3}, "values: expected a mapping from names to values, got 3"),
        ({"values": {"indicator": [[1] * 5]}}, "none of it indicator"),
        ({"values": {1: [[1] * 5]}}, "values: expected a mapping"),
        ({"values": {"a": [1] * 5}}, r"values\['a'\]: expected shape \(1, 5\) or \(3, 5\), numbers, got \[1, 1"),
        ({"values": {"a": [[1] * 4]}}, r"values\['a'\]: expected shape"),
        ({"values": {"a": [[1] * 5] * 2}}, r"values\['a'\]: expected shape"),
        ({"values": {"a": [[math.inf] * 5]}}, r"values\['a'\]: expected .* inf"),
        ({"values": {"a": [["1"] * 5]}}, r"values\['a'\]: expected"),
        ({"precision": 3}, "precision: expected one of 0.1, 0.13, .*, 750, 1000, got 3"),
        ({"start": 6}, "start: expected an int from 2 to 5, got 6"),
        ({"start": True}, "start: .* got True"),
        ({"wanted": BLADES[:4]}, r"wanted: expected shape \(5, 4\)"),
        ({"wanted": [*BLADES[:4], (0.5, -1, 1, 1)]}, "wanted: .* one of them around each of 5 x 5 points"),
        ({"wanted": [*BLADES[:4], (-2, -1, 1, 1)]}, "wanted: .* one of them around each of 5 x 5 points"),
        ({"wanted": BLADES, "sides": (5, 3.5)}, "sides: expected an int from 2 to 20"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(changes, message):
    arguments = {"network": network, "sites": SITES, "values": ROWS} | changes
    with pytest.raises(ValueError, match=message):
        live.Cells(arguments.pop("network"), arguments.pop("sites"), arguments.pop("values"), **arguments)
