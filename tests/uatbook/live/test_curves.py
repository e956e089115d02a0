"""Curves of weights under which two tokens meet: they do on each of them, and each such weight is on one."""

import itertools

import numpy as np
import pytest

from uatbook.live import Curves
from uatlib.arithmetic import FLOAT64
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from .drawn import elements, points

ROWS = [(1, 2, 5), (1, 3, 4), (2, 3, 4)]
KINDS = ("softmax", "mean", "hardmax")
SHARES = {(kind, N): f"{kind}, {N} of them" for kind in KINDS for N in (1, 2, 3)}
PICTURE = Curves(ROWS, (1, 2, 3), SHARES)
ENDS = np.array([[-0.4, 0.4], [-3, 3]])
GLASS = {"b": 0.25, "w": -1.0}


def outputs(kind: str, N: int, beta: float, w: float) -> np.ndarray:
    """All tokens after the literal layer."""
    head = Head([[0 if kind == "mean" else beta]], [[1]], [[w]], [[1]])
    layer = Transformer([Attention([head], "hardmax" if kind == "hardmax" else "softmax")])
    return np.ravel(np.asarray(layer(np.array(ROWS[:N], float)[:, None], FLOAT64)))


def panels(**values):
    """Of each panel its number, its window, its curves as arrays of (beta, w), and the share that is grey."""
    zoom = float(values["zoom"])
    middle = np.array([[values["b"]], [values["w"]]])
    boxes = [r for r in elements(PICTURE, "rect", **values) if r.get("fill") == "none"][:2]
    for k, (box, ends) in enumerate(zip(boxes, (ENDS, middle + ENDS / zoom), strict=True)):
        x, y, width, height = (float(box[name]) for name in ("x", "y", "width", "height"))

        def inside(u, x=x, width=width):
            return x - 1 <= u <= x + width + 1

        curves = []
        for path in elements(PICTURE, "path", **values):
            at = points(path["d"])
            if (
                path.get("fill") == "none"
                and len(at) > 1
                and "V" not in path["d"]
                and inside(at[0, 0])
                and inside(at[-1, 0])
            ):
                shares = np.stack([(at[:, 0] - x) / width, 1 - (at[:, 1] - y) / height], 1)
                curves.append(ends[:, 0] + shares * (ends[:, 1] - ends[:, 0]))
        grey = [r for r in elements(PICTURE, "rect", **values) if r.get("fill") == "#808080" and inside(float(r["x"]))]
        yield k, ends, curves, sum(float(r["width"]) - 1 for r in grey) / width


@pytest.mark.parametrize(
    ("kind", "N", "zoom"), [("softmax", 2, "4"), ("softmax", 3, "64"), ("hardmax", 2, "4"), ("mean", 1, "4")]
)
def test_two_tokens_meet_on_each_curve_and_wherever_they_meet_is_one(kind, N, zoom):
    values = {"kind": kind, "N": str(N), "zoom": zoom, **GLASS}
    pixel = None
    for k, ends, curves, _ in panels(**values):
        pixel = (ends[1, 1] - ends[1, 0]) / 300
        for curve in curves:
            assert (np.diff(curve[:, 0]) > 0).all()  # from left to right, in one piece
            for beta, w in curve[1:-1:7]:
                if ends[1, 0] <= w <= ends[1, 1]:
                    steep = 10 * pixel * np.abs(outputs(kind, N, beta, 1)).max()
                    assert np.diff(np.sort(outputs(kind, N, beta, w))).min() < steep, (k, beta, w)
        # At a beta as many pairs change places within the window as curves cross it.
        for beta in np.random.default_rng(0).uniform(*ends[0], 12):
            low, high = (outputs(kind, N, beta, w) for w in ends[1])
            pairs = itertools.combinations(range(len(low)), 2)
            shared = np.ravel(ROWS[:N])
            met = sum((low[i] < low[j]) != (high[i] < high[j]) for i, j in pairs if shared[i] != shared[j])
            crossing = 0
            for curve in curves:
                if curve[0, 0] <= beta <= curve[-1, 0]:
                    crossing += ends[1, 0] <= np.interp(beta, *curve.T) <= ends[1, 1]
            assert abs(crossing - met) <= (0 if kind != "softmax" else 1), (k, beta)


def test_areas_are_grey_where_a_shared_token_hears_the_same():
    """With two sequences the left half under hardmax, with three all; under the mean all; under softmax none."""
    wanted = {
        ("softmax", 2): 0,
        ("softmax", 3): 0,
        ("mean", 1): 0,
        ("mean", 2): 1,
        ("hardmax", 1): 0,
        ("hardmax", 2): 0.5,
        ("hardmax", 3): 1,
    }
    for (kind, N), share in wanted.items():
        for k, _, _, grey in panels(kind=kind, N=str(N), zoom="4", b=-0.2, w=1.0):
            assert grey == pytest.approx(1 if k and share else share, abs=0.03), (kind, N, k)


def test_the_read_out_repeats_the_shares_and_says_the_gap():
    for kind, N in SHARES:
        last, shares, here = PICTURE.frame(kind=kind, N=str(N), **GLASS).text.split("\n")
        assert (last, shares) == (f"last sequence ({', '.join(map(str, ROWS[N - 1]))})", SHARES[kind, N])
        gap = np.diff(np.sort(outputs(kind, N, *GLASS.values()))).min()
        assert float(here.rsplit(" ", 1)[1]) == pytest.approx(0 if gap < 1e-12 else gap, rel=0.06)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sequences": [(1, 2), (1,)]}, "sequences: expected up to 16 rows of equally many different positive"),
        ({"sequences": [(0, 2)]}, "sequences: expected a number > 0"),
        ({"sequences": [(2, 2)]}, "sequences: expected up to 16 rows of equally many different positive"),
        ({"sequences": "12"}, "sequences: expected up to 16 rows of equally many different positive"),
        ({"counts": ()}, "counts: expected increasing numbers from 1 to 3"),
        ({"counts": (2, 1)}, "counts: expected increasing numbers from 1 to 3"),
        ({"counts": (1, 4)}, "counts: expected an int from 1 to 3"),
        ({"counts": 3}, "counts: expected increasing numbers from 1 to 3"),
        ({"shares": {}}, "shares: expected a text of up to 300 signs for each kind and count"),
        ({"shares": None}, "shares: expected a text of up to 300 signs for each kind and count"),
        ({"shares": {**SHARES, ("mean", 2): "x" * 301}}, "shares: expected a text of up to 300 signs for each"),
        ({"start": 4}, "expected"),
    ],
)
def test_what_does_not_fit_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Curves(**{"sequences": ROWS, "counts": (1, 2, 3), "shares": SHARES, **given})


def test_a_text_may_be_as_long_as_it_says():
    assert Curves(ROWS, (1, 2, 3), {**SHARES, ("mean", 2): "x" * 300}).controls
