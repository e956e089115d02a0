"""One function under several proofs: errors and bills are those of the networks that Python builds for it."""

import copy
import math
import re
from functools import cache

import numpy as np
import pytest

from uatbook.live import Bill
from uatbook.live.square import PRESETS
from uatlib.arithmetic import FLOAT64

from .drawn import elements, pixels
from .test_square import PROOFS, in_node, of_python, target

LINE = re.compile(
    r"(.+): ([\d,]+) layers, heads (\d+), hidden units ([\d,]+), ([\d,]+) weights, ([\d,]+) of them not 0; "
    r"misses f by ([\d.]+) on average \(d₂\), by ([\d.]+) at the worst pixel"
)
SIDE = 96
AXIS = [(k + 0.5) / SIDE for k in range(SIDE)]


@cache
def picture() -> Bill:
    return Bill(PROOFS, (2, 4), start=4)


def bills(text: str) -> dict[str, list[float]]:
    """By the name of a proof layers, heads, hidden units, weights, those that are not 0, both errors."""
    found = [LINE.fullmatch(line) for line in text.split("\n")[:-1]]
    return {one[1]: [float(number.replace(",", "")) for number in one.groups()[1:]] for one in found}


def of_network(name: str, formula: str, N: int) -> list[float]:
    """The same from the network that Python builds for this function, point by point."""
    g, f = PROOFS[name](target(formula, 2, 1), N), of_python(formula)
    X = np.array([[[a, b]] for a in AXIS for b in AXIS])
    answers = np.asarray(g(X, FLOAT64))[:, 0]
    squares, worst = 0.0, 0.0
    for (((a, b),),), (one, two) in zip(X[:, None].tolist(), answers.tolist(), strict=True):
        squares += (one - f(a, b)) ** 2 + (two - f(b, a)) ** 2
        worst = max(worst, abs(one - f(a, b)))
    weights = [w for layer in g.model.layers for array in layer.weights().values() for w in np.ravel(array).tolist()]
    sizes = [len(g.model.layers), g.claim.heads, g.claim.hidden, len(weights), sum(w != 0 for w in weights)]
    return [*sizes, math.sqrt(squares / SIDE**2), worst]


@pytest.mark.parametrize("name", PROOFS)
@pytest.mark.parametrize("formula", ["abs(x_1 - x_2)", "x_1 * (x_1 + x_2) / 2", "0 * x_1", "max(0, x_1 - 0.5)"])
def test_errors_and_bills_are_those_of_the_networks_that_python_builds(name, formula):
    """Of functions that are 0 at some of the points that a network holds, at all, or at none."""
    for N in (2, 4):
        found, expected = bills(picture().frame(formula=formula, N=N).text)[name], of_network(name, formula, N)
        assert found[:5] == expected[:5]
        assert found[5:] == pytest.approx(expected[5:], abs=6e-4)


def test_a_network_that_holds_another_function_is_seen():
    damaged, before = copy.copy(picture()), bills(picture().frame(formula="x_1", N=4).text)
    damaged.data = copy.deepcopy(picture().data)
    for networks in damaged.data["networks"].values():
        networks["4"]["held"]["points"][0][0] += 0.2
        networks["4"]["not 0"] += 1
    after = bills(damaged.frame(formula="x_1", N=4).text)
    for name, bill in after.items():
        assert bill[4] == before[name][4] + 1 != of_network(name, "x_1", 4)[4]
        assert bill[5] != before[name][5]


def test_each_square_has_the_answers_of_its_network_on_one_scale():
    images = sorted(elements(picture(), "image", formula="x_1", N=4), key=lambda image: float(image["x"]))
    wanted, *answers = (pixels(image["href"])[::-1].swapaxes(0, 1)[..., :3] for image in images)
    stops = [[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in picture().data["values"]]

    def in_colour(values: np.ndarray) -> np.ndarray:
        return np.stack([np.interp(values, np.linspace(0, 1, 33), channel) for channel in np.transpose(stops)], -1)

    X = np.array([[[a, b]] for a in AXIS for b in AXIS])
    assert abs(wanted - in_colour(X[:, 0, 0].reshape(SIDE, SIDE))).max() <= 2.5
    for name, shown in zip(PROOFS, answers, strict=True):
        values = np.asarray(PROOFS[name](target("x_1", 2, 1), 4)(X, FLOAT64))[:, 0, 0]
        assert abs(shown - in_colour(values.reshape(SIDE, SIDE))).max() <= 2.5, name


def test_cells_that_are_given_up_are_hatched_and_no_others():
    assert [name for name, build in PROOFS.items() if picture().data["networks"][name]["4"]["given up"]] == [
        "Yun et al."
    ]
    images = sorted(elements(picture(), "image", formula="x_1", N=4), key=lambda image: float(image["x"]))
    left, top, side = (float(images[1][key]) for key in ("x", "y", "width"))  # f, then Yun et al.
    [hatched] = [one for one in elements(picture(), "path", formula="x_1", N=4) if one["stroke"] == "#9a9a9a"]
    ends = np.array(re.findall(r"-?[\d.]+", hatched["d"]), dtype=float).reshape(-1, 2, 2)
    for line in ends:
        middle = line.mean(axis=0)
        column, row = int((middle[0] - left) * 4 / side), int((top + side - middle[1]) * 4 / side)
        assert column == row, line
        cell = [left + column * side / 4, top + side - (row + 1) * side / 4]
        assert (line >= np.array(cell) - 0.1).all()
        assert (line <= np.array(cell) + side / 4 + 0.1).all()
    assert {int((x - left) * 4 / side) for x in ends.mean(axis=1)[:, 0]} == {0, 1, 2, 3}


def test_the_picture_has_the_figures_of_the_read_out_and_the_sum_of_the_weights():
    for narrow in (False, True):
        frame = picture().frame(formula="x_1", N=4)
        drawing = re.sub(r"<[^>]+>", " ", frame.narrow if narrow else frame.svg)
        said = bills(frame.text)
        for bill in said.values():
            for number in (*(f"{size:,.0f}" for size in bill[:5]), *(f"{error:.3f}" for error in bill[5:])):
                assert number in drawing
        total = sum(bill[3] for bill in said.values())
        assert frame.text.split("\n")[-1] == f"Nobody trained this: four proofs wrote these {total:,.0f} weights."
        assert f"four proofs wrote these {total:,.0f} weights." in drawing
        assert "f = x_1" in drawing
        assert "Every continuous function has such weights." in drawing


def test_a_function_that_is_painted_is_measured_as_painted():
    peak = "h" * 100 + "y" + "h" * 155
    plain, painted = (picture().frame(formula="x_1", paint=paint) for paint in ("", peak))
    assert "x_1, painted on" in painted.alt
    long = {"formula": " + ".join(["x_1"] * 25), "paint": peak}  # too long for its line
    assert any(text["said"].startswith("f, painted by hand on x_1") for text in elements(picture(), "text", **long))
    assert all(bill[5] > bills(plain.text)[name][5] for name, bill in bills(painted.text).items())
    assert picture().frame(formula="x_1", paint="h" * 256).text == plain.text


@pytest.mark.parametrize(
    ("values", "message"),
    [({"formula": "1 / x_1"}, "division by zero"), ({"formula": "1e7"}, "beyond"), ({"paint": "z"}, "painted surface")],
)
def test_settings_that_are_none_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        picture().frame(**values)


def test_proofs_grids_and_presets_that_are_none_are_refused():
    one = {"Liu et al.": PROOFS["Liu et al."]}
    for proofs, sizes, preset in (({}, (2, 4), "wave"), (one, (4,), "wave"), (one, (2, 4), "a wave")):
        with pytest.raises(ValueError, match=r"^(proofs|sizes|preset): expected"):
            Bill(proofs, sizes, preset=preset)
    assert Bill(one, (2, 4), preset="hill").start == {"formula": PRESETS["hill"], "N": 2, "paint": ""}
    assert "Nobody trained this: one proof wrote these" in Bill(one, (2, 4)).frame().text


@pytest.mark.parametrize("own", [{}, {"formula": "x_1 * x_2", "paint": "h" * 120 + "y" * 136}])
def test_the_networks_run_ahead_in_short_steps_to_what_they_answer_at_once(own):
    steps, alike = in_node(
        """(() => {
          const { data, values } = given, work = PICTURES.bill.ahead({ data }, values);
          let steps = 0, step;
          do { step = work.next(); steps += 1; } while (!step.done);
          const over = FUNCTIONS.measuring(data.networks), wish = FUNCTIONS.meaning(values.formula, values.paint);
          const again = Object.keys(data.networks).map((proof) => over(proof, 4, wish, FUNCTIONS.FULL));
          const alike = again.map(({ g }, k) => g.every((value, p) => value === step.value.results[k].g[p]));
          return [steps, alike];
        })()""",
        {"data": picture().data, "values": {"formula": PRESETS["wave"], "paint": "", "N": "4", **own}},
    )
    assert alike == [True] * len(PROOFS)
    assert steps > 9 * len(PROOFS)  # one for each 512 sequences, at least
