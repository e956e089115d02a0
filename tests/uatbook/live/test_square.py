"""The network over the square: formulas, the look-up that holds them, the read-out; the page's scripts in node."""

import itertools
import json
import math
import re
import subprocess
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from explorables.live.node import program
from explorables.scripts import FRAME
from uatbook.figures.style import STEPS
from uatbook.live import Square
from uatbook.live.held import held
from uatbook.live.picture import FILES
from uatbook.live.square import OWN, PAINTED, PRESETS
from uatlib import cheng2025, kajitsuka2024, liu2025, yun2020
from uatlib.arithmetic import FLOAT64
from uatlib.model import Transformer
from uatlib.targets import Target, bump, mean_product

from .drawn import elements, pixels
from .drawn import points as corners

THIN = Fraction(1, 2**20)
PROOFS = {
    "Yun et al.": lambda f, N: yun2020.build(f, inverse_delta=N, stage="softmax", width=THIN),
    "Kajitsuka, Sato": lambda f, N: kajitsuka2024.build(f, inverse_delta=N, duplicates="keep", width=THIN),
    "Liu et al.": lambda f, N: liu2025.build(f, inverse_delta=N, form="smoother"),
    "Cheng et al.": lambda f, N: cheng2025.build(f, inverse_delta=N, duplicates="keep", ramp=THIN),
}


@cache
def network(N, proof="Yun et al."):
    return PROOFS[proof](mean_product(2), N)


@cache
def picture() -> Square:
    return Square(PROOFS, (2, 4), start=4)


def in_node(expression: str, given: object) -> object:
    """What an expression of the page's scripts says about `given`."""
    used = (
        "draw.js",
        "formula.js",
        "network.js",
        "functions.js",
        "bill.js",
        "square.js",
        "square_brush.js",
        "square_curve.js",
        "square_film.js",
    )
    files = [path for path in (*FRAME, *FILES) if path.name in used]
    script = "const PICTURES = {};" + "".join(path.read_text(encoding="utf-8") for path in files)
    script += f"\nconst given = JSON.parse(require('fs').readFileSync(0));\nconsole.log(JSON.stringify({expression}));"
    run = subprocess.run(
        [program(), "-e", script], input=json.dumps(given), capture_output=True, text=True, encoding="utf-8"
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def points(count=50):
    rng = np.random.default_rng(0)
    return rng.uniform(0.01, 1, count), rng.uniform(0.01, 1, count)


# ------------------------------------------------------------------------------------------------------------ formulas

PLAIN = [
    "x_1", "x2 - x1 - 1", "x_1 / x_2 / 2", "-x_1^2", "2^-x_1^2", "(-2)^2 - -x1", "1 - 2 * 3 + 4 / (5 - x_2)", "pi * e",
    "sin(x_1) * cos(x_2) + tanh(3)", "exp(log(x_1)) + sqrt(abs(x_1 - x_2))", "max(x_1, x_2, 0.5) - min(x_1)",
    ".5e1 + 3.", "x_1 ^ x_2 ^ .5", "+x_1 - + -x_2", "min(max(x_1, 0.25), 1 - x_2) * 1e-3",
    "sinh(x_1) - cosh(x_2)", "relu(x_1 - x_2)", "elu(x_1 - x_2)", "sigmoid(-x_1)", "softplus(x_1 - 3 x_2)",
]  # fmt: skip
NAMES = {
    "cosh": np.cosh, "sinh": np.sinh, "relu": lambda t: np.where(t > 0, t, 0),
    "elu": lambda t: np.where(t > 0, t, np.exp(np.minimum(t, 0)) - 1), "sigmoid": lambda t: np.exp(t) / (1 + np.exp(t)),
    "softplus": lambda t: np.log(1 + np.exp(t)),
    "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": abs,
    "pi": math.pi, "e": math.e,
    "max": lambda *given: np.max(np.broadcast_arrays(*given), 0),
    "min": lambda *given: np.min(np.broadcast_arrays(*given), 0),
}  # fmt: skip
ALIKE = {
    "2x_1(1 - x_1)": "2*x_1*(1-x_1)", "(x_1)(x_2)": "x_1*x_2", "1/2 x_1": "0.5*x_1", "2sin(x1)^2": "2*(sin(x1)^2)",
    "\N{MINUS SIGN}x_1\N{MIDDLE DOT}x_2": "-x_1*x_2", "x_1\N{MULTIPLICATION SIGN}2\N{DIVISION SIGN}4": "x_1/2",
    "x\N{SUBSCRIPT ONE} + 2x\N{SUBSCRIPT TWO}": "x_1 + 2*x_2", "x**2 y": "x_1^2*x_2", "2 ** -x": "2^-x_1",
    "|x - y|": "abs(x_1-x_2)", "2|x| - ||y| - 1|": "2*x_1-abs(x_2-1)", "|x (|y|) - 1|^2": "(x_1*x_2-1)^2",
    "0,5*x_1": "0.5*x_1", "sin(0,5) + (1,25 x)": "sin(0.5)+1.25*x_1", "max(0,5 y)": "5*x_2", "max(x,0,25)": "25",
    "max(0.1,sin(0,5))": "sin(0.5)",
}  # fmt: skip
JUMPS = {
    "x > y": lambda a, b: a > b, "x_1 <= x_2": lambda a, b: a <= b, "3 (x >= 0.5) - 1": lambda a, b: 3 * (a >= 0.5) - 1,
    "x < y + 0,1": lambda a, b: a < b + 0.1, "sign(x - y)": lambda a, b: np.sign(a - b),
    "floor(4 x) / 4": lambda a, b: np.floor(4 * a) / 4, "max(x > y, y >= 0.5)": lambda a, b: (a > b) | (b >= 0.5),
    "|(x > y) - 1|": lambda a, b: a <= b, "x \N{GREATER-THAN OR EQUAL TO} y": lambda a, b: a >= b,
}  # fmt: skip
"""Steps, 1 where they hold and 0 elsewhere."""
A_NAME = (
    "expected a name out of x_1, x_2, x, y, pi, e, sin, cos, tanh, cosh, sinh, exp, log, sqrt, abs, sign, floor, "
    "relu, elu, sigmoid, softplus, min, max"
)
NONE = {
    "": "expected a number, x_1, x_2, a function or (, got the end (character 1).",
    "x_1 +": "expected a number, x_1, x_2, a function or (, got the end (character 6).",
    "(x_1": "expected ), got the end (character 5).",
    "x_1)": "expected an operator, got ) (character 4).",
    "2 3": "expected an operator, got 3 (character 3).",
    "x_1 $": "expected an operator, got $ (character 5).",
    "sin x_1": "expected (, got x_1 (character 5).",
    "sin(x_1, 2)": "expected ), got , (character 8).",
    "* 2": "expected a number, x_1, x_2, a function or (, got * (character 1).",
    "1 - z": f"{A_NAME}, as in sin(3 x) * y, got z (character 5).",
    "alert(1)": f"{A_NAME}, as in sin(3 x) * y, got alert (character 1).",
    "constructor": f"{A_NAME}, as in sin(3 x) * y, got constructor (character 1).",
    "x > y > 1": "expected an operator, got > (character 7).",
    "|x": "expected |, got the end (character 3).",
    "x >": "expected a number, x_1, x_2, a function or (, got the end (character 4).",
    "0, 5": "expected an operator, got , (character 2).",
    "1,5,2": "expected an operator, got , (character 4).",
    "x_1,5": "expected an operator, got , (character 4).",
    "x_1.constructor": "expected an operator, got . (character 4).",
    "x" * 99: f"{A_NAME}, as in sin(3 x) * y, got {'x' * 20} (character 1).",
    "(" * 60: "expected at most 40 brackets in each other, got ( (character 41).",
    "1+" * 101: "expected at most 200 characters, got 202.",
}
NOWHERE = {
    "1 / (x_1 - 0.5)": "division by zero at x₁ = 0.50, x₂ = 0.25 (character 3).",
    "0 ^ (x_2 - 1)": "division by zero at x₁ = 0.50, x₂ = 0.25 (character 3).",
    "log(x_1 - 0.5)": "log is undefined at x₁ = 0.50, x₂ = 0.25 (character 1).",
    "x_1 + sqrt(x_2 - 1)": "sqrt is undefined at x₁ = 0.50, x₂ = 0.25 (character 7).",
    "(x_2 - 1)^x_1": "^ is undefined at x₁ = 0.50, x₂ = 0.25 (character 10).",
    "exp(2000 x_1)": "overflow at x₁ = 0.50, x₂ = 0.25 (character 1).",
    "0 * 1e999": "overflow at x₁ = 0.50, x₂ = 0.25 (character 5).",
    "10^308 * (x_1 + 9)": "overflow at x₁ = 0.50, x₂ = 0.25 (character 8).",
}


def values_of(texts, a, b) -> list[list[float]]:
    """What the page makes of formulas at these points."""
    return in_node(
        "given.texts.map((text) => [...readFormula(text)(...[given.a, given.b].map((x) => Float64Array.from(x)))])",
        {"texts": list(texts), "a": a.tolist(), "b": b.tolist()},
    )


def of_python(text):
    """A formula as a function of two arrays."""
    told = re.sub(r"\bx_?1\b", "a", re.sub(r"\bx_?2\b", "b", text)).replace("^", "**")
    code = compile(re.sub(r"(?<=[\w)]) (?=[\w(])", "*", told), text, "eval")
    return lambda a, b: np.broadcast_to(eval(code, {**NAMES, "a": a, "b": b}), np.shape(a))


def test_formulas_mean_what_they_mean_elsewhere():
    a, b = points()
    texts = [*PLAIN, *PRESETS.values()]
    for text, found in zip(texts, values_of(texts, a, b), strict=True):
        assert found == pytest.approx(of_python(text)(a, b), rel=1e-13, abs=1e-15), text
    for text, found, other in zip(ALIKE, values_of(ALIKE, a, b), values_of(ALIKE.values(), a, b), strict=True):
        assert found == pytest.approx(other, rel=1e-15), text


def test_steps_are_one_where_they_hold_and_are_known_as_steps():
    a, b = points()
    for text, found in zip(JUMPS, values_of(JUMPS, a, b), strict=True):
        assert found == pytest.approx(np.asarray(JUMPS[text](a, b), float)), text
    steps = in_node("given.map((text) => readFormula(text).steps)", [*JUMPS, *PLAIN, *PRESETS.values(), *ALIKE])
    assert steps == [True] * len(JUMPS) + [False] * (len(steps) - len(JUMPS))


HOSTILE = [
    "|" * 200,
    "x>" * 99,
    "(" * 10**6,
    "-" * 200,
    "2^" * 100,
    "x_1" * 10**5,
    "max(" * 50,
    " " * 10**6,
    "1e" * 100,
    "sin(" * 39 + "1" + ")" * 39,
]


def test_what_is_too_long_or_too_deep_is_refused_at_once():
    """Within ten milliseconds, the best of three: the machine may be busy."""
    read = "const start = performance.now(); try { readFormula(text); } catch {} return performance.now() - start;"
    found = in_node(f"given.map((text) => Math.min(...[0, 1, 2].map(() => {{ {read} }})))", HOSTILE)
    assert max(found) < 10, found


def test_what_is_no_formula_or_no_number_is_refused_with_its_place():
    said = in_node(
        "given.map((text) => { try { readFormula(text)(Float64Array.of(0.5), Float64Array.of(0.25)); return null; }"
        " catch (error) { return error.message; } })",
        [*NONE, *NOWHERE],
    )
    assert said == [*NONE.values(), *NOWHERE.values()]


# --------------------------------------------------------------------------------------------- the look-up that holds f


def target(text: str, lipschitz: float, bound: float) -> Target:
    """The function of sequences that a formula means."""
    f = of_python(text)

    def function(X):
        a, b = (np.asarray(X, float)[..., 0, k] for k in (0, 1))
        return np.stack([f(a, b), f(b, a)], -1)[..., None, :]

    return Target(function, 2, 1, group="symmetric", lipschitz=lipschitz, bound=bound, name=text)


TAME = ["0.3 * sin(3 * x_1) + x_2 / 2", "-x_2", "0 * x_1", "x_1 / 3 - 1e-9"]
WILD = ["-5 - x_2", "1000 * exp(x_1 * x_2)"]


@pytest.mark.parametrize("proof", PROOFS)
@pytest.mark.parametrize("N", [2, 8])
def test_the_page_holds_what_build_makes_of_another_function(proof, N):
    """All weights, for functions of the same constants; for others those that hold them."""
    first, table = held(PROOFS[proof], N)
    points = np.array(table["points"])
    for text in TAME + WILD:
        built, values = PROOFS[proof](target(text, *((2, 1) if text in TAME else (10**4,) * 2)), N), of_python(text)
        answers = values(*points.T)
        asked = [answers.tolist(), (answers + 1e-9).tolist()]
        layers, wrong = in_node(
            "given.asked.map((values) => FUNCTIONS.lookUp(given.table, values)"
            ".map(([i, weights]) => [i, Object.fromEntries(Object.entries(weights).map(([k, w]) => [k, [...w]]))]))",
            {"table": table, "asked": asked},
        )
        assert wrong != layers
        ours = dict(layers)
        assert ours
        for i, (before, after) in enumerate(zip(first.model.layers, built.model.layers, strict=True)):
            for name, weights in after.weights().items():
                if name in ours.get(i, {}) or text in TAME:
                    same = np.ravel(FLOAT64.array(before.weights()[name], name))
                    expected = np.ravel(FLOAT64.array(weights, name))
                    assert ours.get(i, {}).get(name, same) == pytest.approx(expected, rel=1e-9, abs=1e-12), (i, name)


def test_a_network_that_depends_on_f_in_another_way_is_refused():
    def squared(f, N):
        other = Target(lambda X: f.function(X) ** 2, 2, 1, group="symmetric", lipschitz=4, bound=1)
        return PROOFS["Cheng et al."](other, N)

    with pytest.raises(ValueError, match=r"^w_\w of layer \d: expected c f\(a, b\) \+ k K, got another function"):
        held(squared, 3)


# ------------------------------------------------------------------------------------------------- what Python shows


def read_out(text: str) -> list[list[float]]:
    numbers = re.compile(r"(?<![\w₁₂])\N{MINUS SIGN}?\d+(?:\.\d+)?")
    return [[float(t.replace("\N{MINUS SIGN}", "-")) for t in numbers.findall(line)] for line in text.split("\n")]


def read_numbers(text: str) -> list[list[float]]:
    return [[float(t) for t in line] for line in read_out(text.replace(",", ""))]


@pytest.mark.parametrize("proof", PROOFS)
@pytest.mark.parametrize(
    ("f", "x1", "x2", "N"), [("mean product", 0.3, 0.8, 4), ("wave", 0.61, 0.07, 4), ("hill", 0.4, 0.3, 2)]
)
def test_the_read_out_is_that_of_f_and_of_its_cells(proof, f, x1, x2, N):
    hill = bump(2)
    functions = {
        "mean product": lambda a, b: a * (a + b) / 2,
        "wave": lambda a, b: (1 + math.sin(2 * math.pi * (a + 2 * b))) / 2,
        "hill": lambda a, b: float(hill(np.array([[a, b]]))[0, 0]),
    }
    wanted = functions[f]

    def answer(a, b):
        """What the proofs say, by cells: its centre or upper corner, 0 on the diagonal; or all centres by softmax."""
        i, j = int(a * N), int(b * N)
        if proof == "Liu et al.":
            centres = [((k + 0.5) / N, (m + 0.5) / N) for k in range(N) for m in range(N)]
            R = network(N, proof).precision
            weights = [math.exp(-R / 2 * ((a - u) ** 2 + (b - v) ** 2)) for u, v in centres]
            return sum(w * wanted(u, v) for w, (u, v) in zip(weights, centres, strict=True)) / sum(weights)
        if proof == "Kajitsuka, Sato":
            return wanted((i + 1) / N, (j + 1) / N)
        return 0 if i == j and proof == "Yun et al." else wanted((i + 0.5) / N, (j + 0.5) / N)

    near = 0.26 / N**2 if proof == "Yun et al." else 6e-5  # a quarter of a cell over 16 at most, that softmax may add
    text = picture().frame(f=f, proof=proof, x1=x1, x2=x2, N=N).text
    size, here, *proved = read_numbers(text)
    assert here[:2] == [x1, x2]
    for k, (a, b) in enumerate(((x1, x2), (x2, x1))):
        token, said, told = here[2 + 3 * k : 5 + 3 * k]
        assert token == k + 1
        assert said == pytest.approx(answer(a, b), abs=near)
        assert told == pytest.approx(wanted(a, b), abs=6e-5)
    places = [(k + 0.5) / 96 for k in range(96)]
    on = [abs(wanted(a, b) - answer(a, b)) for a in places for b in places if int(a * N) == int(b * N)]
    off = [abs(wanted(a, b) - answer(a, b)) for a in places for b in places if int(a * N) != int(b * N)]
    assert size[:2] == [len(network(N, proof).model.layers), network(N, proof).model.parameter_count()]
    assert size[2] == pytest.approx(math.sqrt(2 * sum(e * e for e in on + off) / 96**2), abs=near + 6e-4)
    hatched = proof == "Yun et al." and max(on) > max(off)
    assert ("hatched" in text) == hatched
    assert size[3:] == [pytest.approx(max(on + off), abs=near + 6e-4), *[pytest.approx(max(off), abs=near)] * hatched]
    if f == "mean product":
        claim = network(N, proof).claim
        bands = sum(term.bound for term in claim.terms if term.key == "bands")
        parts = [claim.error - bands] if bands > 1 else [claim.error]
        sup = [2 / N] if proof == "Liu et al." else []  # 2 L D/P with L = 2, D = 1/2
        assert proved == [pytest.approx([*parts, *sup], abs=2e-3)]
        assert ("outside thin bands" in text) == (bands > 1)
        assert all(shown >= bound for shown, bound in zip(proved[0], [*parts, *sup], strict=True))
        assert ("no promise at the worst point" in text) == (not sup)
        assert ("also beyond the square" in text) == (proof == "Kajitsuka, Sato")
    else:
        assert proved == [[]]
        assert "no bound is computed of this f" in text


def test_pixels_are_those_of_the_literal_network_and_mirrored_tokens_have_mirrored_answers():
    images = list(elements(picture(), "image", N=4))
    left = [float(image["x"]) for image in images]
    f, g, error = (pixels(images[k]["href"])[::-1].swapaxes(0, 1) for k in np.argsort(left))
    assert f.shape == g.shape == error.shape == (96, 96, 4)
    x = (np.arange(96) + 0.5) / 96
    wanted = np.multiply.outer(x, np.ones(96)) * np.add.outer(x, x) / 2
    answers = np.asarray(network(4)(np.stack(np.meshgrid(x, x, indexing="ij"), -1).reshape(-1, 1, 2), FLOAT64))
    answers = answers[:, 0, 0].reshape(96, 96)
    colours = [[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in picture().data["values"]]
    for shown, values in ((f, wanted), (g, answers)):  # on one scale, from 0 to 1
        expected = [np.interp(values, np.linspace(0, 1, 33), channel) for channel in np.transpose(colours)]
        assert abs(shown[..., :3] - np.stack(expected, -1)).max() <= 2.5
    near, far = (abs(wanted - answers) < 0.02, abs(wanted - answers) > 0.5)
    assert error[..., 3][near].max() < error[..., 3][far].min()  # where f and the network agree the paper shows


SHADES = (("#e3f4f2", "#0d837a", "#032f2b"), ("#e0c4ee", "#a050c4", "#35104a"))
"""Of a token that is cut, of an id."""


def in_colour(value: float, stops: Sequence[str]) -> list[float]:
    """The colour at a value from 0 to 1 of a map that has these at equal distances."""
    rgb = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in stops]
    place = np.linspace(0, 1, len(rgb))
    return [float(np.interp(value, place, channel)) for channel in zip(*rgb, strict=True)]


@pytest.mark.parametrize(("proof", "cut", "told"), [("Yun et al.", 5, 10), ("Kajitsuka, Sato", 1, 2)])
def test_each_frame_of_the_film_is_the_state_of_the_literal_network(proof, cut, told):
    """Its layers one after another over 48 x 48 sequences: a token, an id, an answer, which may wait lowered."""
    R, N, layers = 48, 4, network(4, proof).model.layers
    axis = (np.arange(R) + 0.5) / R
    states = [np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 1, 2)]
    for layer in layers:
        states.append(np.asarray(Transformer([layer], n=2)(states[-1], FLOAT64)))
    token_1 = [state[:, 0, 0].reshape(R, R) for state in states]
    most, seen = token_1[told].max(), []

    def near(a: float, b: float) -> bool:
        """Softmax gives all tokens a little of what hardmax gives to one."""
        return abs(a - b) <= 0.001 * max(1, abs(b))

    for k in [*range(len(layers)), len(layers)]:
        seen.append(np.zeros((R, R), int))
        expected = np.empty((R, R, 3))
        for i in range(R):
            for j in range(R):
                state, answers = token_1[k][i, j], picture().data["values"]
                if k == len(layers):
                    seen[k][i, j] = 2
                    continue
                if k <= cut or (k < told and near(state, token_1[cut][i, j])):
                    expected[i, j] = in_colour(state, SHADES[0])
                elif k <= told or (near(state, token_1[told][i, j]) and state > 0.01):
                    expected[i, j], seen[k][i, j] = in_colour(math.sqrt(state / most), SHADES[1]), 1
                else:  # 0 is given up; what is answered waits 2 lower, as the largest of f is at most 1
                    expected[i, j], seen[k][i, j] = in_colour(state if state > -0.5 else state + 2, answers), 2
        if k == len(layers):
            break
        images = sorted(elements(picture(), "image", proof=proof, layer=str(k)), key=lambda image: float(image["x"]))
        shown = pixels(images[1]["href"])[::-1].swapaxes(0, 1)
        assert shown.shape == (R, R, 4)
        assert abs(shown[..., :3] - expected).max() <= 2.5, k
        grey = (pixels(images[2]["href"])[::-1].swapaxes(0, 1)[..., :3] == 128).all(-1)
        assert (grey == (seen[k] < 2)).all(), k
    cells = [[(seen[k][::12, ::12] == 2)[a, b] for a in range(N) for b in range(N)] for k in range(len(layers))]
    lit = [sum(after) - sum(before) for before, after in itertools.pairwise(cells)]
    if proof == "Yun et al.":
        assert sorted(lit[told + 1 :]) == [0] * (len(layers) - told - 14) + [1] * 12  # one id a layer


def test_each_frame_of_a_network_without_cells_is_its_state_too():
    """Liu's layers: x_1; then x_1 and x_2 in one column, less 1/2, the colours of both mixed; then answers."""
    R, model = 48, network(4, "Liu et al.").model
    axis = (np.arange(R) + 0.5) / R
    x = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 1, 2)
    states = [np.asarray(state) for state in model.trace(x, FLOAT64)]
    assert len(states) == 4

    def shade(k: int, p: int) -> list[float]:
        column = states[k][p, :, 0].tolist()
        if k == 0:
            return in_colour(column[0], SHADES[0])
        if k == 1:
            pair = [in_colour(column[row] + 0.5, SHADES[row]) for row in (0, 1)]
            return [(a + b) / 2 for a, b in zip(*pair, strict=True)]
        return in_colour(column[0], picture().data["values"])

    for k in range(3):
        asked = {"proof": "Liu et al.", "layer": str(k)}
        images = sorted(elements(picture(), "image", **asked), key=lambda image: float(image["x"]))
        shown, error = (pixels(image["href"])[::-1].swapaxes(0, 1) for image in images[1:])
        expected = np.array([shade(k, p) for p in range(R * R)]).reshape(R, R, 3)
        assert shown.shape == (R, R, 4)
        assert abs(shown[..., :3] - expected).max() <= 2.5, k
        assert ((error[..., :3] == 128).all(-1) == (k < 2)).all(), k
        said = picture().frame(**asked).text
        assert said.startswith(f"After {k} of 3 layers: token 1 is {('a number', 'beside token 2', 'an answer')[k]}")
        rings = [box for box in elements(picture(), "rect", **asked) if box.get("stroke") == STEPS[2]]
        assert rings == []  # one head looks all up


def test_of_two_networks_each_has_its_own_clock_and_says_how_many_layers_wait():
    """Frames of the deep one are those that it has alone; the steps of the shallow one begin with its steps."""
    duel, deep, shallow = Square(PROOFS, (2, 4), start=4, against="Liu et al."), [0, 5, 10, 25], [0, 0, 1, 3]

    def shown(one: Square, **values: object) -> list[np.ndarray]:
        images = sorted(elements(one, "image", **values), key=lambda image: float(image["x"]))
        return [pixels(image["href"]) for image in images]

    seen = []
    for k in (0, 1, 5, 6, 10, 11, 17, 18, 24, 25):
        ran = 0
        for s in range(3):  # layer m + 1 of a step begins when m of its layers have had their share of the step
            for m in range(shallow[s + 1] - shallow[s]):
                ran += (k - deep[s]) * (shallow[s + 1] - shallow[s]) > m * (deep[s + 1] - deep[s])
        layer, own = str(k) if k < 25 else "", str(ran) if ran < 3 else ""
        f, first, second = shown(duel, layer=layer)
        assert (f == shown(picture())[0]).all()
        assert (first == shown(picture(), layer=layer)[1]).all()
        assert np.array_equal(second, shown(picture(), proof="Liu et al.", layer=own)[1]), k
        waits = [text["said"] for text in elements(duel, "text", layer=layer) if text["said"].endswith("to run")]
        counts = [count for count in (25 - k, 3 - ran) if count]
        assert waits == [f"{count} layer{'s' if count > 1 else ''} to run" for count in counts]
        if k < 25:
            assert duel.frame(layer=layer).text.split("\n")[0].endswith(f"; Liu et al.: after {ran} of 3")
        seen.append(ran)
    assert seen == [0, 0, 0, 1, 1, 2, 2, 3, 3, 3]
    other = duel.frame(proof="Liu et al.").text.split("\n")
    assert [line.split(":")[0] for line in (other[0], other[2])] == ["Liu et al.", "Yun et al."]  # they change places
    for none in ("Yun et al.", "nobody", 3):
        with pytest.raises(ValueError, match='against: expected "Kajitsuka, Sato", '):
            Square(PROOFS, (2, 4), against=none)


def test_two_networks_of_as_many_layers_run_them_together():
    duel = Square(PROOFS, (2, 4), start=4, against="Liu et al.")
    for k, waits in enumerate((["3 layers to run"] * 2, ["2 layers to run"] * 2, ["1 layer to run"] * 2)):
        said = [text["said"] for text in elements(duel, "text", proof="Kajitsuka, Sato", layer=str(k))]
        assert [text for text in said if text.endswith("to run")] == waits


def test_a_network_whose_layers_do_other_things_shows_a_token_nothing_and_its_answer():
    proofs = {"Yun et al.": PROOFS["Yun et al."], "mine": lambda f, N: liu2025.build(f, inverse_delta=N, form="values")}
    duel = Square(proofs, (2, 3), start=2, against="mine")
    images = [elements(duel, "image", layer=layer) for layer in ("0", "1", "3", "")]
    token, *nothing, answer = [pixels(max(found, key=lambda image: float(image["x"]))["href"]) for found in images]
    assert {tuple(pixel) for row in nothing[0].tolist() for pixel in row} == {(128, 128, 128, 70)}
    assert len({tuple(pixel) for row in token.tolist() for pixel in row}) > 20
    assert (nothing[1] == answer).all()


@pytest.mark.parametrize("f", ["two peaks", "mean product", "wave", "blank"])
def test_each_curve_bears_its_name_and_no_name_lies_on_another(f):
    duel, places = Square(PROOFS, (2, 4), start=4, against="Liu et al."), []
    lines = {}
    for line in elements(duel, "path", f=f):
        found = corners(line["d"])
        if len(found) > 30:
            lines[line["stroke"]] = found
    for name in ("f", "Yun", "Liu"):
        [at] = [text for text in elements(duel, "text", f=f) if text["said"] == name]
        [colour] = [colour for colour in lines if colour in at["fill"]]
        x, y = float(at["x"]), float(at["y"]) - 4  # the middle of its letters
        assert np.hypot(*(lines[colour] - (x, y)).T).min() < 16, name
        assert all(abs(x - u) > 12 or abs(y - v) > 11 for u, v in places), name
        places.append((x, y))


def test_the_film_dwells_at_the_start_runs_all_layers_in_order_and_ends_with_the_last():
    steps = [[17, 34, 277], [9, 18, 77], [1, 2, 3], [0, 1, 3]]
    moments = [k / 2000 for k in range(2001)]
    found = in_node(
        "given.steps.map((steps) => given.moments.map((moment) => PICTURES.square.layerAt(moment, steps)))",
        {"steps": steps, "moments": moments},
    )
    for (cut, told, depth), layers in zip(steps, found, strict=True):
        assert layers == sorted(layers)
        assert {*layers} == {*range(depth + 1)}
        assert layers[0] == layers[100] == 0
        assert layers[moments.index(0.26)] in (cut, cut + 1)
        assert layers[moments.index(0.46)] in (told, told + 1)
        assert layers[-1] == depth


def test_a_painting_is_the_formula_and_what_its_letters_add():
    blank = "h" * 256
    for formula, low, high in (("x_1", 0, 1), ("3 x_1 - x_2", -1, 3), ("1000 x_2", 0, 1000), ("0", 0, 1)):  # the scale
        values = {"f": PAINTED, "formula": formula, "x1": 0.03, "x2": 0.5}
        own = picture().frame(**{**values, "f": OWN}).text
        begun = picture().frame(**values)
        assert begun.text == own  # nothing is painted yet
        assert picture().frame(**values, paint=blank).text == own
        peak = blank[:8] + "y" + blank[9:]  # the node x_1 = 1/32, x_2 = 17/32
        dent = blank[:8] + "0" + blank[9:]
        for letters, sign in ((peak, 1), (dent, -1)):
            f = read_out(picture().frame(**values, paint=letters).text)[1][4]
            ends = f"from {low:.3f} to {high:.3f}".replace("-", "\N{MINUS SIGN}")
            assert f"; f is painted on, {ends}, and " in picture().frame(**values, paint=letters).text
            added = sign * (high - low) * (1 - abs(0.5 - 17 / 32) * 16)  # below the first node the surface is flat
            wanted = min(high, max(low, of_python(formula)(0.03, 0.5) + added))  # paint ends where the scale ends
            assert f == pytest.approx(wanted, abs=6e-5)


PEAK = "".join("y" if (k // 16 - 5) ** 2 + (k % 16 - 9) ** 2 < 10 else "h" for k in range(256))
"""A disc of paint."""


@pytest.mark.parametrize("proof", PROOFS)
def test_the_weights_that_paint_has_changed_are_those_of_another_network(proof):
    heights = np.array([int(letter, 36) / 17 - 1 for letter in PEAK]).reshape(16, 16)

    def painted(a, b):
        (i, s), (j, t) = (np.divmod(np.clip(np.asarray(x, float) * 16 - 0.5, 0, 15 - 1e-9), 1) for x in (a, b))
        i, j = i.astype(int), j.astype(int)
        rows = [(1 - t) * heights[k, j] + t * heights[k, j + 1] for k in (i, i + 1)]
        return np.clip(a + (1 - s) * rows[0] + s * rows[1], 0, 1)

    def build(f):
        def function(X):
            a, b = (np.asarray(X, float)[..., 0, k] for k in (0, 1))
            return np.stack([f(a, b), f(b, a)], -1)[..., None, :]

        return PROOFS[proof](Target(function, 2, 1, group="symmetric", lipschitz=64, bound=1), 4).model.layers

    plain, other = build(lambda a, b: a), build(painted)
    found = 0
    for before, after in zip(plain, other, strict=True):
        for name, weights in after.weights().items():
            pair = [np.ravel(FLOAT64.array(w, name)) for w in (before.weights()[name], weights)]
            found += int((abs(pair[0] - pair[1]) > 1e-9).sum())
    text = picture().frame(proof=proof, f=PAINTED, formula="x_1", paint=PEAK, N=4).text
    assert found > 0
    weights = re.search(r"([\d,]+) weights", text)[1]
    assert f", and your paint set {found:,} of {weights} weights\n" in text
    said = " ".join(
        text["said"] for text in elements(picture(), "text", proof=proof, f=PAINTED, formula="x_1", paint=PEAK)
    )
    assert f"Your paint set {found:,} of {weights} weights: nothing is trained." in said


def test_no_paint_no_proof_and_no_grid_changes_what_a_colour_means():
    shown = {}
    for proof, N, paint in itertools.product(PROOFS, (2, 4), ("", PEAK, "y" * 256)):
        values = {"proof": proof, "N": N, "f": PAINTED, "formula": "x_1", "paint": paint}
        images = sorted(elements(picture(), "image", **values), key=lambda image: float(image["x"]))
        marks = [
            text["said"] for text in elements(picture(), "text", **values) if re.fullmatch(r"[≥\d. ]+", text["said"])
        ]
        shown[proof, N, paint] = tuple(marks), pixels(images[0]["href"])
    assert len({marks for marks, _ in shown.values()}) == 1
    assert "≥ 0.5" in next(iter(shown.values()))[0]  # half of what f may be
    before, after = (shown["Yun et al.", 4, paint][1] for paint in ("", PEAK))
    x = (np.arange(96) + 0.5) / 96 * 16 - 0.5
    far = np.hypot(*np.meshgrid(x - 5, x - 9, indexing="ij"))[:, ::-1].T > 5
    assert 0.5 < far.mean() < 0.95
    assert (before == after).all(-1)[far].all()
    assert not (before == after).all(-1)[~far].all()


def test_what_is_computed_ahead_in_short_steps_is_what_is_computed_at_once():
    values = {"proof": "Yun et al.", "N": "4", "f": "wave", "formula": "", "paint": ""}
    spec = {"data": {**picture().data, "plays": True}, "values": values}
    steps, alike, film, lengths = in_node(
        """(() => {
          let steps = 0;
          const run = (work) => {
            for (;;) {
              const { done, value } = work.next();
              steps += 1;
              if (done) return value;
            }
          };
          const { sides: [shown] } = run(PICTURES.square.ahead({ data: given.data }, given.values));
          const { data: { networks, presets } } = given, cuts = [...networks["Yun et al."][4].steps, shown.net.depth];
          const film = run(PICTURES.square.states(shown, cuts));
          const wish = FUNCTIONS.meaning(presets.wave, ""), over = FUNCTIONS.measuring(networks);
          const again = over("Yun et al.", 4, wish, 96);
          const alike = again.g.every((value, p) => value === shown.g[p]);
          return [steps, alike, film.steps, film.states.map((state) => state.length)];
        })()""",
        spec,
    )
    assert alike
    assert steps > len(lengths) == film[2] + 1  # a step for each layer, at least
    assert {*lengths} == {48**2}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"f": OWN, "formula": "1 / (x_1 - x_2)"}, "division by zero at x₁ = 0.00, x₂ = 0.00"),
        ({"f": OWN, "formula": "9^9 x_1"}, "beyond ±10⁶ at x₁ = 0.01, x₂ = 0.00"),
        ({"f": PAINTED, "paint": "z" * 256}, "square: this is no painted surface"),
        ({"f": PAINTED, "paint": "h" * 255}, "square: this is no painted surface"),
        ({"f": PAINTED, "formula": "1 / x_1"}, "division by zero at x₁ = 0.00"),
    ],
)
def test_settings_that_are_none_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        picture().frame(**values)


@pytest.mark.parametrize("proofs", [None, {}, {2: 3}, {"mine": 3}, [1, 2], {"mine": lambda f, N: None}])
def test_proofs_that_are_none_are_refused(proofs):
    with pytest.raises((ValueError, AttributeError)):
        Square(proofs)


@pytest.mark.parametrize("sizes", [(4,), (8, 4), (4, 4), ()])
def test_sizes_among_which_no_slider_moves_are_refused(sizes):
    with pytest.raises(ValueError, match=r"^sizes: expected two or more whole numbers, in increasing order, got"):
        Square(PROOFS, sizes)


def test_the_first_f_is_a_preset_and_one_proof_needs_no_menu():
    one = {"Cheng et al.": PROOFS["Cheng et al."]}
    shown = Square(one, (2, 4), preset="distance")
    assert (shown.start["f"], shown.start["formula"]) == ("distance", PRESETS["distance"])
    assert "proof" not in shown.start
    for unknown in ("a distance", 3, ["distance"], None, OWN):
        with pytest.raises(ValueError, match='preset: expected "mean product", '):
            Square(one, preset=unknown)


def test_the_diagonal_costs_nothing_where_f_is_0_on_it():
    """What the chapter on Theorem 2 says: d_2, the largest error off the hatched cells, and on them."""
    shown = Square({"Yun et al.": PROOFS["Yun et al."]}, (4, 8))
    said = {}
    for preset, N in itertools.product(("mean product", "distance"), (4, 8)):
        said[preset, N] = [float(t) for t in re.findall(r"\d\.\d+", shown.frame(f=preset, N=N).text.split("\n")[0])]
    assert 0.48 < said["distance", 8][0] / said["distance", 4][0] < 0.52
    assert len(said["distance", 4]) == 2  # nowhere is it worse than elsewhere
    (d, on, off), (half, *_) = said["mean product", 4], said["mean product", 8]
    assert 0.69 < half / d < 0.72
    assert on > 0.95 > 4 * off
