"""The x-ray of one sequence in Python: its read-out against plain loops of the proof, damaged weights, what is refused."""

import base64
import functools
import math

import pytest

from uatbook import live
from uatbook.live.xray import SUBJECTS

N = 4
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


def ids(cells):
    """Lemma 8 in units of delta: a shift for each level, then the lift N^3 times the largest token."""
    z = [float(k) for k in cells]
    for level in range(N):
        z = [t + N * (max(z) - min(z)) if t == level else t for t in z]
    return [(t + N**3 * max(z)) / N for t in z]


def quarters(number):
    whole = math.floor(number)
    return f"{whole}" + {0: "", 0.25: " 1/4", 0.5: " 1/2", 0.75: " 3/4"}[number - whole]


@pytest.mark.parametrize("lit", STEPS)
@pytest.mark.parametrize("x", CROSSES)
def test_the_read_out_of_yun(x, lit):
    cells = [math.floor(N * t) for t in x]
    own = ids(cells)
    first, last = picture("yun2020", lit).describe({"x1": x[0], "x2": x[1]})[0].split("\n")
    a, b = (k + 1 for k in cells)
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
    """The last number of a text, if it is this one to three digits."""
    number = text.split()[-1]
    assert abs(float(number) - value) < 6e-4
    return number


@pytest.mark.parametrize("part", [2, 7, 9, 20])
def test_a_damaged_layer_shows(monkeypatch, part):
    whole = SUBJECTS["yun2020"]()
    layers = [dict(layer) for layer in whole["network"]["layers"]]
    weights = {name: {**w, "data": _zeros(w)} for name, w in layers[part]["weights"].items()}
    layers[part]["weights"] = weights
    monkeypatch.setitem(SUBJECTS, "yun2020", lambda: {**whole, "network": {**whole["network"], "layers": layers}})
    damaged = live.XRay("yun2020")
    crosses = [((a + 0.5) / N, (b + 0.5) / N) for a in range(N) for b in range(N)]
    at = [{"x1": round(a, 2), "x2": round(b, 2)} for a, b in crosses]
    assert any(damaged.describe(x)[0] != picture("yun2020").describe(x)[0] for x in at)


def _zeros(weight):
    return base64.b64encode(bytes(8 * math.prod(weight["shape"]))).decode()


def test_the_small_form_says_the_same():
    assert picture("yun2020").frame().text == picture("yun2020", "cut").frame().text
    assert picture("yun2020", "cut").size[1] < picture("yun2020").size[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("nobody",), "source: expected one of yun2020"), (("yun2020", "middle"), "lit: expected None or one of cut")],
)
def test_refusals(arguments, said):
    with pytest.raises(ValueError, match=said):
        live.XRay(*arguments)
