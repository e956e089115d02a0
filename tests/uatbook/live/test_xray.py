"""The x-ray of one sequence: its read-out against plain loops of the proof, damaged weights, what is refused."""

import base64
import functools
import math
from itertools import product

import numpy as np
import pytest

from uatbook import live
from uatbook.live.xray import SUBJECTS
from uatlib import cheng2025, kajitsuka2024, liu2025
from uatlib.arithmetic import FLOAT64
from uatlib.kernels import CONSTANT
from uatlib.model import Transformer
from uatlib.targets import mean_product

from ..lemma_8 import ids
from .drawn import elements, points

N = 4
MIDDLES = (0.12, 0.37, 0.63, 0.88)
BUILDS = {
    ("kajitsuka2024", None): kajitsuka2024.build,
    ("cheng2025", "softmax"): cheng2025.build,
    ("cheng2025", "cosh"): functools.partial(cheng2025.build, kernel=cheng2025.kernel("cosh")),
    ("cheng2025", "average"): functools.partial(cheng2025.build, kernel=CONSTANT),
}
STEPS = (None, "cut", "tell apart", "look up")
CROSSES = [
    (0.3, 0.8),
    (0.8, 0.3),
    (0.3, 0.3),
    (0.3, 0.4),
    (0, 0.25),
    (0.25, 0),
    (0.24, 0.25),
    (0.99, 0.5),
    (0.75, 0.74),
]


@functools.cache
def picture(source, lit=None):
    return live.XRay(source, lit)


def f(x1, x2):
    """mean_product(2), token 1."""
    return x1 * (x1 + x2) / 2


def quarters(number):
    whole = math.floor(number)
    return f"{whole}" + {0: "", 0.25: " 1/4", 0.5: " 1/2", 0.75: " 3/4"}[number - whole]


@pytest.mark.parametrize("lit", STEPS)
@pytest.mark.parametrize("x", CROSSES)
def test_the_read_out_of_yun(x, lit):
    cells = [math.floor(N * t) for t in x]
    own = ids(cells, N)
    first, last = picture("yun2020", lit).describe({"x1": x[0], "x2": x[1]})[0].split("\n")
    a, b = cells
    where = f"both fall into cell {a}" if a == b else f"fall into cells {a} and {b}"
    assert (
        first == f"Tokens {x[0]:.2f} and {x[1]:.2f} {where}; their ids are {quarters(own[0])} and {quarters(own[1])}."
    )
    answer = 0 if a == b else f(*((k + 0.5) / N for k in cells))
    found, *said = last.removesuffix(".").replace(",", ";").split("; ")
    assert found == ("No row fires" if a == b else f"Row {quarters(own[0])} says {printed(answer, found)}")
    assert said == [
        f"the network {'says ' if a == b else ''}{printed(answer, said[0])}",
        f"f says {printed(f(*x), said[1])}",
    ]


def printed(value, text):
    """The last number of a text, if it is this one: softmax may miss an id by 1/1000, and the row with it."""
    number = text.split()[-1]
    assert abs(float(number) - value) < 2e-3
    return number


@pytest.mark.parametrize(("source", "mixer"), BUILDS)
@pytest.mark.parametrize("x", list(product(MIDDLES, repeat=2)))
def test_the_read_out_of_one_layer(x, source, mixer):
    at = 1 if source == "kajitsuka2024" else 0.5
    cells = [math.floor(N * t) for t in x]
    z = np.array([[(k + at) / N for k in cells]])
    net = BUILDS[source, mixer](mean_product(2), inverse_delta=N, duplicates="keep").model
    own = Transformer(net.layers[:2], n=2)(np.array([x]), FLOAT64).tolist()[0]
    values = {"x1": x[0], "x2": x[1]} | ({"mixer": mixer} if mixer else {})
    first, last = picture(source).describe(values)[0].replace("\N{MINUS SIGN}", "-").split("\n")
    a, b = cells
    where = f"both fall into cell {a}" if a == b else f"fall into cells {a} and {b}"
    assert first == f"Tokens {x[0]:.2f} and {x[1]:.2f} {where}; their ids are {own[0]:.3f} and {own[1]:.3f}."
    answer = f(*z[0])
    assert last.startswith(f"Row {own[0]:.3f} says {printed(answer, last.split(',')[0])}, the network")
    assert abs(float(last.split(";")[0].split()[-1]) - answer) < 2e-3


@pytest.mark.parametrize("x", [(0.3, 0.8), (0.37, 0.63), (0.9, 0.9), (0.26, 0.49), (0.01, 0.6)])
def test_the_read_out_of_one_head(x):
    """(B.15) in plain loops: softmax of -R/2 |x - v|^2 over the centres v of the cells."""
    gamma = float(liu2025.build(mean_product(2), inverse_delta=N, form="smoother").model.layers[1].kernel.gamma)
    weights = {}
    for a, b in product(range(N), repeat=2):
        v = (a + 0.5) / N, (b + 0.5) / N
        weights[a, b] = math.exp(-gamma * sum((s - t) ** 2 for s, t in zip(x, v, strict=True)))
    total = sum(weights.values())
    a, b = (math.floor(N * t) for t in x)
    answer = sum(w * f((i + 0.5) / N, (j + 0.5) / N) for (i, j), w in weights.items()) / total
    assert picture("liu2025").describe({"x1": x[0], "x2": x[1]})[0] == (
        f"The sequence ({x[0]:.2f}, {x[1]:.2f}) is in cell ({a}, {b}), whose key has the weight "
        f"{weights[a, b] / total:.3f} and the value {f((a + 0.5) / N, (b + 0.5) / N):.3f}.\n"
        f"The weighted mean of all values is {answer:.3f}; f says {f(*x):.3f}."
    )


THEIRS = "(1 + x_1 * x_2 - x_2 / 2) / 2"


def theirs(x1, x2):
    return (1 + x1 * x2 - x2 / 2) / 2


@pytest.mark.parametrize("x", [(0.3, 0.8), (0.37, 0.63), (0.9, 0.15)])
@pytest.mark.parametrize("source", ["yun2020", "kajitsuka2024", "liu2025", "cheng2025"])
def test_the_network_holds_the_function_that_a_reader_made(source, x):
    """The answer is f at the centre or the upper corner of its cell, or a mean over all centres."""
    a, b = (math.floor(N * t) for t in x)
    at = 1 if source == "kajitsuka2024" else 0.5
    answer = theirs((a + at) / N, (b + at) / N)
    if source == "liu2025":
        gamma = float(liu2025.build(mean_product(2), inverse_delta=N, form="smoother").model.layers[1].kernel.gamma)
        centres = [((i + 0.5) / N, (j + 0.5) / N) for i, j in product(range(N), repeat=2)]
        weights = [math.exp(-gamma * ((x[0] - u) ** 2 + (x[1] - v) ** 2)) for u, v in centres]
        answer = sum(w * theirs(*v) for w, v in zip(weights, centres, strict=True)) / sum(weights)
    shown = picture(source).frame(x1=x[0], x2=x[1], formula=THEIRS)
    last = shown.text.split("\n")[1]
    assert abs(float(last.split(";")[0].split()[-1]) - answer) < 2e-3
    assert last.endswith(f"; f says {theirs(*x):.3f}. f is yours: {THEIRS}.")
    painted = picture(source).frame(x1=x[0], x2=x[1], formula=THEIRS, paint="h" * 16 * 15 + "y" * 16).text
    assert painted.endswith(f"f is yours: {THEIRS}, painted on.")
    book = picture(source).frame(x1=x[0], x2=x[1]).text
    for torn in ({"formula": "x_1 +"}, {"paint": "z" * 256}, {"formula": "1 / x_1"}):
        assert picture(source).frame(x1=x[0], x2=x[1], **torn).text == book


@pytest.mark.parametrize("part", [2, 7, 9, 20])
def test_a_damaged_layer_shows(monkeypatch, part):
    intact, whole = picture("yun2020"), SUBJECTS["yun2020"]()
    ((name, deep),) = whole.items()
    layers = [dict(layer) for layer in deep["network"]["layers"]]
    weights = {key: {**w, "data": _zeros(w)} for key, w in layers[part]["weights"].items()}
    layers[part]["weights"] = weights
    broken = {name: {**deep, "network": {**deep["network"], "layers": layers}}}
    monkeypatch.setitem(SUBJECTS, "yun2020", lambda: broken)
    damaged = live.XRay("yun2020")
    crosses = [((a + 0.5) / N, (b + 0.5) / N) for a in range(N) for b in range(N)]
    at = [{"x1": round(a, 2), "x2": round(b, 2)} for a, b in crosses]
    assert any(damaged.describe(x)[0] != intact.describe(x)[0] for x in at)


def _zeros(weight):
    return base64.b64encode(bytes(8 * math.prod(weight["shape"]))).decode()


def test_the_small_form_says_the_same():
    assert picture("yun2020").frame().text == picture("yun2020", "cut").frame().text
    assert picture("yun2020", "cut").size[1] < picture("yun2020").size[1]
    assert (picture("yun2020").listed, picture("yun2020", "cut").listed) == (True, False)


@pytest.mark.parametrize(
    ("arguments", "mixer", "said"),
    [
        (("nobody",), None, 'source: expected "yun2020", '),
        (("yun2020", "middle"), None, 'lit: expected None, "cut"'),
        (("cheng2025",), "fog", 'mixer: expected None, "softmax", "RBF"'),
    ],
)
def test_refusals(arguments, mixer, said):
    with pytest.raises(ValueError, match=said):
        live.XRay(*arguments, mixer=mixer)


@pytest.mark.parametrize("paper", ["yun2020", "kajitsuka2024", "cheng2025"])
def test_the_scale_of_the_film_stays_under_a_hand(paper):
    """The same token starts at the same height, whatever the other is."""
    starts = set()
    for x1 in np.linspace(0, 0.99, 12):
        film = [
            path for path in elements(live.XRay(paper), "path", x1=x1, x2=0.4) if path.get("stroke-dasharray") == "4 3"
        ]
        starts |= {points(path["d"])[0, 1] for path in film}
    assert len(starts) == 1
