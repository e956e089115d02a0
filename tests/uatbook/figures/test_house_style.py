"""One style for all pictures, on a desk and on a phone: letters of one size, none turned, hidden or outside."""

import doctest
import inspect
import itertools
from functools import partial
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Annotation, Text

from explorables import frames
from explorables.sheet import NARROW, WIDE, sheet_of
from uatbook import figures
from uatbook.figures import style
from uatbook.figures.style import ERRORS
from uatlib.cheng2025.pairs import FAMILIES

X = np.linspace(0, 1, 50)
CELLS = X[:, None] * X
LOOP = np.sin(7 * X[:, None] + np.arange(2))
STAIRS = np.where(X < 0.5, 0, X)
SHIFTED = np.array([[0.0, 5], [15, 5], [15, 5], [15, 35], [5685, 5705]])
ROW = [(-9e3, 2), (0, 1), (40, 1), (200, 0), (4e4, 2)]
SIX = (1, 2, 3, 7, 8, 9)
FOURS = list(itertools.combinations(range(1, 6), 4))
FOUR_OF_FIVE = {f"token {t}": {str(set(c)): sum(c) for c in FOURS if t in c} for t in range(1, 6)}
MASKED = figures.Hearing(
    "causal", ("2", "1", "4", "(3)"), np.triu(np.ones((4, 4), bool)), np.eye(4), ("2.00", "1.55", "3.48", "3.18")
)
SIXTY = np.repeat(np.arange(1, 7), 10)
TWELVE = figures.Ring(
    "5 on either side", [{k, (k + 1) % 12} for k in range(12)], range(12), "0ABCDEFGHIJK", [str(k) for k in range(12)]
)
NETWORKS = ("1 layer", "6 layers", "6 heads", "1 head, 6 numbers", "6 heads, 192 units", "the theorem's")
LOOKS = figures.looks([NETWORKS])
LEARNED = dict.fromkeys(("the theorem's", "1 layer", "6 heads", "6 layers"), ((1, 12, 24), (0.3, 0.5, 1.0)))
ARMS = ("noise", "noise, same scale", "no noise, larger", "wrong labels")
LAYERS = ["input", "shift 0", "shift 1", "shift 2", "shift 3", "lift all"]
TERMS = ("step approximation", "repeated columns", "ReLU bands", "softmax")
DYADIC = [2, 4, 8, 16, 32, 64]
ROOF = np.array([2 * X, 0.9 - X, np.full(50, 0.7), 3 * X - 1.2])
OWNERS = ROOF.argmax(axis=0)
OWNED = np.eye(4)[:, OWNERS]
THIRDS = np.repeat([0, 1, 2], 4)
CORNERS = np.array([[0.1, 0.5, 0.9], [0.2, 0.8, 0.3]])
SIX_TOKENS = [{0, 1, 2, 3, 4, 5}, {0, 1, 2}, {1, 2}, {0, 3}, {0}, {0, 5}]
PULLING = np.array([[0.8, -0.6], [-0.4, 1.2], [0.4, -1.2]])
FOOLED = (np.array([[1, 0.2, -1], [1, -0.5, 2]]), np.array([[1, 0.2, 2], [1, -0.5, -4]]), (0, 0))
EXAMPLES = {
    "attended": lambda: figures.attended(X, ROOF, OWNERS, np.array([0.1, 0.62, 0.95]), np.full((4, 4), 0.25)),
    "envelope": lambda: figures.envelope(X, {f"$y_{k + 1}$": y for k, y in enumerate(ROOF)}, OWNERS, (-1.2, 2)),
    "melting": lambda: figures.melting(X, OWNERS, OWNED, {"wanted": ROOF[1], "the head": ROOF[2]}, lost=[(0.2, 0.3)]),
    "melting, weights alone": lambda: figures.melting(X, OWNERS, OWNED),
    "plane_cells": lambda: figures.plane_cells(
        [("weight of site 1 is 0", THIRDS[:, None] + 0 * THIRDS, CORNERS)] * 2, (0, 1), (CORNERS, [0, 1, 2])
    ),
    "lead_lines": lambda: figures.lead_lines(
        THIRDS[:, None] + 0 * THIRDS, (0, 1), [((0, 1), np.array([0.9, 0.8]), np.array([0.7, 0.65]))]
    ),
    "promised": lambda: figures.promised(
        {
            "average": {"deep": (0.2, 0.7), "trained": (0.002, None)},
            "worst": {"deep": (1, None), "trained": (0.01, None)},
        }
    ),
    "abacus": lambda: figures.abacus((1, 0, 3), (3, 0, 1, 0), 5),
    "single_runs": lambda: figures.single_runs(
        {"attention": [1, 0.99], "average": [0.6, 0.61], "bilinear": [0.52, 1], "convolution": [0.967] * 2},
        {"attention": 1, "average": 0.605, "bilinear": 1, "convolution": 0.967},
    ),
    "balance": lambda: figures.balance(
        {"given": (0, 1, 5), "yours": (0, 2, 2)}, {"given": 2, "yours": -2.6667}, 6, (-7.5, 4)
    ),
    "cells_and_balls": lambda: figures.cells_and_balls(
        LOOP, np.array([[-1, -1], [0.75, 0.75]]), 0.25, (LOOP[:20], 0.1), ("256 cells, 60 met", "104 balls")
    ),
    "small_domain": lambda: figures.small_domain(
        LOOP,
        (LOOP[:20], 0.1),
        CELLS,
        np.where(CELLS < 0.5, np.nan, CELLS),
        limits=(-0.5, 1),
        top=0.5,
        reach=1.2,
        unit=r"$\varepsilon$",
    ),
    "curves": lambda: figures.curves(
        {
            "n = 2, d = 1": ([2, 0.1, 0.01], [9, 300, 1e7]),
            "_2": ([2, 0.01], [9, 2e7]),
            "tell apart": ([2, 0.01], [5, 4e6]),
        },
        xlabel="error $ε$",
        ylabel="layers, rival : transformer",
        formulas=["_2"],
        xticks=[2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01],
        levels={"100,000: most\nbuilt here": 1e5},
        chosen=0.1,
        invert=True,
    ),
    "film": lambda: figures.film(
        [("(0, 1)", SHIFTED), ("(0, 2)", SHIFTED), ("(1, 2)", SHIFTED)],
        ["in", "0", "1", "2", "lift"],
        ylabel=r"token, in units of $\delta$",
    ),
    "film of one": lambda: figures.film(
        [("", SHIFTED)], ["in", "0", "1", "2", "lift"], ylabel="units of δ", limits=(0, 5705)
    ),
    "float_line": lambda: figures.float_line(2, 0, -2, 5.2),
    "float_line, far": lambda: figures.float_line(2.0**36, 1, 3.4e11, 4.4e11),
    "float_line, dense": lambda: figures.float_line(2.0**-30, 0, 0, 2.6),
    "hearing": lambda: figures.hearing(
        9, (2, 2), [range(9), range(8), range(2, 7), range(4, 5)], 4, (range(9), (9, *range(1, 9)))
    ),
    "id_rows": lambda: figures.id_rows(
        {"distinct tokens": ROW, "repeated token": ROW, "outside the box": ROW},
        {"outside the box": [200]},
        xlabel=r"id, in units of $\delta$",
        interval=(150, 500),
        linear=10,
        limits=(-2e4, 1e5),
    ),
    "jumps": lambda: figures.jumps(
        np.array([[0.0, 1, 3], [30, 1, 3], [30, 291, 3], [30, 291, 2883]]),
        ["k = 0\nr = 3", "k = 1\nr = 29", "k = 3\nr = 288"],
        linear=4,
        limit=9000,
    ),
    "mixing_weights": lambda: figures.mixing_weights(
        [(name, np.eye(6) - 0.5 * np.eye(6, k=1)) for name in ("attention, one input", "average", "convolution, k = 3")]
        * 2
    ),
    "places": lambda: figures.places((2, 1, 0), (4, 0.5, 1), (5, -1, 2), (5, -1, 1.5), (-3, 6)),
    "ring": lambda: figures.ring(TWELVE),
    "ring_and_signal": lambda: figures.ring_and_signal(
        TWELVE, {"signal": [0.9, *[0] * 11], "wanted": np.linspace(-1, 1, 12), "best answer": [0] * 12}, (-1, 1.1)
    ),
    "rings": lambda: figures.rings([TWELVE, TWELVE, TWELVE]),
    "shapes": lambda: figures.shapes(
        {"attention": [("$W_O$", "dm"), ("$X$", "dn")], "feed-forward": [("$W_1$", "rd"), ("$X$", "dn")]},
        {"d": 2, "n": 3, "m": 1, "r": 4},
    ),
    "staircase": lambda: figures.staircase(X, STAIRS, -16, mark=(0.25, 0.0), cell=(0.25, 0.5)),
    "staircase_film": lambda: figures.staircase_film(
        X, [STAIRS] * 5, ["input", "clip", "cell 0", "cell 1", "cell 2"], -9
    ),
    "windows": lambda: figures.windows(
        np.array([[13, 13.5], [13, 13.5], [13, 13.5], [-1.5, 13.5]]),
        ["ids", "outside?", "zero", "id 13", "id 27/2", "return"],
        (12.75, 13.25),
        (13.5, 0.75),
        (12.6, 14.6),
        (-17, 2),
    ),
    "arrivals": lambda: figures.arrivals({name: [25, 99, np.inf] for name in NETWORKS}, last=400, looks=LOOKS),
    "broken_line": lambda: figures.broken_line(
        X, 8 * X, {"2 ReLU(z − 1)": 6 * X, "−4 ReLU(z − 2)": -12 * X}, ([0, 1], [0, 8])
    ),
    "conditioning": lambda: figures.conditioning(
        [1e-18, 1e-3],
        {"float64": [1e8, 1e-13], "float32": [1e9, 1e-4]},
        {"float64": 1e-15, "float32": 1e-7},
        rule=r"$10\,u$ / gap",
    ),
    "gaps": lambda: figures.gaps(
        9 * X, -9 * X, {"Lemma 7": (4, -20 * X), "sharp": (1, -9 * X)}, (1, -2), collision=0.88
    ),
    "hearing_grids": lambda: figures.hearing_grids([MASKED, MASKED]),
    "heard_lines": lambda: figures.heard_lines(FOUR_OF_FIVE, {"token 1": [10]}, xlabel="what the token hears"),
    "quotients": lambda: figures.quotients(
        -8 * X,
        {"step 2": 3 + X, "step 0.01": 1.4 + X**2},
        (-4, 3.5),
        xlabel="place of the others",
        ylabel="measured / bound",
        limits=(0, 6),
    ),
    "quotients, logarithmic": lambda: figures.quotients(
        100 * X,
        {"drawn": 1e-3 * np.exp(18 * X)},
        None,
        xlabel="tries in %",
        ylabel="gap",
        limits=(1e-3, 1e5),
        logarithmic=True,
    ),
    "ranges": lambda: figures.ranges(
        {str(k): [(k, k + 0.1 * k)] for k in range(1, 16)},
        {str(k): (1, 16.5) for k in range(1, 16)},
        {"1": [1], "15": [16.5]},
        height=3,
        xlabel="landing place, in units of $D^n$",
        ylabel="$l_n - l_1$",
        limits=(0, 17),
    ),
    "ranges, many in a row": lambda: figures.ranges(
        {"printed": [(1, 3), (3, 5)], "repaired": [(3, 5), (7, 9)]},
        {"printed": (1, 5), "repaired": (3, 9)},
        {"printed": [1.01, 2.99, 3.01]},
        height=1,
        xlabel=r"norm, in units of $r_{\max}$",
        limits=(0, 10),
    ),
    "margin_and_lines": lambda: figures.margin_and_lines(
        0.8 * X - 0.4, X, (0.1, 0.1), FOUR_OF_FIVE, {"token 1": [12]}, floor=1e-5, heard=(9, 15)
    ),
    "recall": lambda: figures.recall(SIXTY, 6 + np.arange(60) / 4e3, 1 + SIXTY % 3, 1e9 * SIXTY, 6),
    "rounding": lambda: figures.rounding(np.ones((32, 6), bool), LEARNED, "the theorem's", 12, LOOKS),
    "shadows": lambda: figures.shadows(np.array([[1, 3, 2, -2, -1], [2, 1, -2, 1, -1]]), (0.6, 0.8), (0, 5)),
    "small_entry": lambda: figures.small_entry(8 * X, -X, {"it rises": 1.28, "it is concave": 2.4}),
    "temperature": lambda: figures.temperature(
        {str(set(SIX)): (SIX, np.eye(6)[-1]), "{1, 2, 4, 6, 8, 9}": (SIX, np.ones(6) / 6)}, X, X / 9, 0.5, xlabel="κ"
    ),
    "word_lines": lambda: figures.word_lines([(X[:9], np.arange(9) % 3, np.arange(9) < 4)] * 20, 3),
    "fooled_pair": lambda: figures.fooled_pair(
        *FOOLED, {"2 layers": 1e-2 + 0 * X[:40], "1 layer": 1e-17 * X[:40]}, 1e-16 + 0 * X[:40]
    ),
    "searched_pair": lambda: figures.searched_pair(
        *FOOLED, dict(zip(FAMILIES, [1e12, 0, np.nan, 1e3, 7] * 4, strict=False)), (100, 1e4)
    ),
    "hardest_pair": lambda: figures.hardest_pair(
        *FOOLED, dict(zip(FAMILIES, [1e12, 0, np.nan, 1e3, 7] * 4, strict=False)), (100, 1e4)
    ),
    "unmasked": lambda: figures.unmasked({"softmax with zeros": [False] * 9 + [True], "average": [True] * 10}),
    "graphs": lambda: figures.graphs(X, {"$x$": X, "square": X**2}, xlabel="$x$", ylabel="$f(x)$"),
    "squares": lambda: figures.squares([("$f$", CELLS), ("the transformer", CELLS), ("finer", CELLS)], "answer"),
    "squares and errors": lambda: figures.squares(
        [("$f$", CELLS), ("step function", CELLS)], "answer of token 1", errors=(CELLS, r"error / $\delta$", (0, 1.2))
    ),
    "squares and errors of both": lambda: figures.squares(
        [("277 layers", CELLS), ("three layers", CELLS)],
        "answer, token 1",
        errors=({"error of 277 layers": CELLS, "error of three layers": CELLS}, "error", (0, 0.6)),
    ),
    "squares from -1 to 1": lambda: figures.squares(
        [("P = 16, R = 1024", CELLS - 0.1)], "token 1", ends=(-1, 1), errors=(CELLS, r"error / $\varepsilon$", (0, 1))
    ),
    "squares of errors": lambda: figures.squares([(name, CELLS) for name in "abcd"], "error", palette=ERRORS),
    "squares around the box": lambda: figures.squares([("P = 35, β = −1", CELLS)], "token 1", ends=(-0.5, 1.5)),
    "convergence": lambda: figures.convergence(
        DYADIC,
        {"$d_2$": np.divide(1, DYADIC), "sup distance": np.divide(1.1, DYADIC), "proved bound": np.divide(9, DYADIC)},
        xlabel=r"$N = 1/\delta$",
        ylabel="error",
        bound="proved bound",
    ),
    "weights": lambda: figures.weights([1, 0.95, 0.5, 0.2], [0.348, 0.285, 0.211, 0.156], [1, 0, 0, 0]),
    "decay": lambda: figures.decay(
        np.arange(1, 17) * 150, 10.0 ** -np.arange(16), mark=(1500, 1e-9), proved=1800, limits=(1e-16, 100)
    ),
    "errors_by_layer": lambda: figures.errors_by_layer(np.ones((6, 3)), LAYERS, limits=(1e-20, 1e5)),
    "pieces": lambda: figures.pieces(
        1.6 * X, {"three pieces": X, "four ReLUs": X}, [(-1 / 32, 0), (1 - 1 / 32, 1)], [0, 1]
    ),
    "budget": lambda: figures.budget(
        DYADIC[:5], {name: np.divide(3 - k / 2, DYADIC[:5]) for k, name in enumerate(TERMS)}, [0.1] * 5, 0.4, 2
    ),
    "strip": lambda: figures.strip(
        0.85 + X * 0.175, ["1.5", "10", "10³", "10⁶", "10³⁰"], np.ones((5, 50)), 9, (1 - 1 / 32, 1)
    ),
    "relu_sums": lambda: figures.relu_sums(
        2.5 * X - 0.75, {"corrected": X, "printed": X}, [(k / 8, k / 8 + 1 / 16) for k in range(9)], (-2.2, 1.5)
    ),
    "noise": lambda: figures.noise(2 * X - 1, np.sin(X), np.where(X < 0.9, np.sin(X) + 0.01, np.nan), 0.004),
    "reached": lambda: figures.reached(
        [0.1, 0.01, 0.004, 0.002],
        {"riding,\nfloat32": [0.03, 0.003, 0.0026, 0.0131], "distances,\nfloat32": [0.03, 0.003, 0.0011, 0.0005]},
    ),
    "pair_squares": lambda: figures.pair_squares(
        [("$f$", CELLS), ("one index for both", CELLS)], "answer", (0, 1), errors=(CELLS, "error", (0, 0.25))
    ),
    "heard_tables": lambda: figures.heard_tables(
        [(f"$R$ = {R}, at most 0.016", CELLS[:8, :8] + 0.1) for R in (4, 8, 16)], (0, 0)
    ),
    "look_up": lambda: figures.look_up(1 + X[:8], 2 - X[:8], CELLS[:8, :8], (0.3, -0.4), (0, 1)),
    "bands": lambda: figures.bands(
        [0, 0.36, 0.72],
        {name: {arm: np.array([[3, 4], [2, 3], [1, 2.2 + k / 9]]) for k, arm in enumerate(ARMS)} for name in "KQ"},
        xlabel="noise level",
    ),
    "images": lambda: figures.images([(name, np.eye(8)) for name in ("clean", *ARMS[:3])]),
    "gap_rows": lambda: figures.gap_rows(
        {name: 10.0 ** -np.arange(20) for name in ("exp", "exp(w·x) + exp(w·y)", "(1 + x·y)² + 1")}, (1e-6, 10), 1e-12
    ),
    "ratios": lambda: figures.ratios(
        np.geomspace(0.1, 1000, 50), 30 * X * np.array([[1], [-1], [0.1]]), [False, False, True], 10
    ),
    "turning": lambda: figures.turning(
        np.array([[0.5], [0.25]]),
        {"X": LOOP[:4].T, "Y": LOOP[20:24].T},
        90 * X,
        {"(1 + x·y)² + 1": 1e-17 + 0 * X, "(1 + x·y)⁴ + 1": X, "exp": X**2},
        45,
        (1e-16, 10),
    ),
    "bends": lambda: figures.bends(
        np.array([[0, 1], [0.96, 0.28], [-0.6, -0.8]]), (True, False, True), [(np.array([1.0, 2.0]), 0.5)], "123"
    ),
    "hummed": lambda: figures.hummed(
        {"X": (0, 0.4, 0.9), "Y": (0.1, 0.2, 0.8)}, X, {"X": X**2, "Y": X**2 + 0.1}, np.full(50, -0.125)
    ),
    "pulls": lambda: figures.pulls([(name, ("$x$", "$u$", "$-u$"), PULLING, PULLING / 2) for name in "XY"], 1.6),
    "on_the_way": lambda: figures.on_the_way(np.array([[0, 0], [0, 0], [2.5, 4]]), np.array([[1, 1], [0, 1], [0, 0]])),
    "learned_steps": lambda: figures.learned_steps(
        X, np.round(X), X, np.stack([1 - 9 * X, 9 * X, 0 * X]), [1 / 9], [0.5], (-0.3, 1.3)
    ),
    "least_gaps": lambda: figures.least_gaps(
        [2, 4, 8, 16, 32, 64, 128, 256, 495],
        np.stack([10.0 ** -np.arange(9), np.zeros(9)]),
        -2,
        {"float32": 2.0**-24, "float64": 2.0**-53},
        floor=1e-18,
        name="$N^{-2/1}$",
    ),
    "through_holes": lambda: figures.through_holes(
        2 + 16 * X,
        [(name, {"8": X, "12": 1 - X, "16": X}, low) for name, low in (("hole", None), ("bell", 1e-150))],
        {4: "all", 8: "(4, 8)", 12: "(4, 12)", 16: "(4, 16)"},
        xlabel="place of the hole",
    ),
    "circles": lambda: figures.circles([("one key each", SIX_TOKENS, [(4, 5)]), ("the same", SIX_TOKENS, [])]),
    "reach": lambda: figures.reach(
        [(f"{k} layers", np.where(CORNERS.T @ CORNERS < 0.5, k, np.nan)) for k in range(5)], 4
    ),
    "what_reaches": lambda: figures.what_reaches([SIX_TOKENS] * 2, 3, {"X": tuple("abcdef"), "Y": tuple("abcdfe")}),
}
"""Figures of `uatbook.figures`, with names and numbers as long as the book has them."""
DRAWN = {name: f for name, f in vars(figures).items() if getattr(f, "__annotations__", {}).get("return") == "Figure"}
WRITTEN = {name: doctest.DocTestParser().get_examples(inspect.getdoc(f) or "") for name, f in DRAWN.items()}
EXAMPLES |= {name: partial(eval, found[-1].source, vars(figures)) for name, found in WRITTEN.items() if found}
"""A new one has its example in its docstring, behind >>>."""


def test_every_figure_has_an_example():
    assert DRAWN.keys() <= {name.partition(",")[0] for name in EXAMPLES}


def letters(figure):
    """(text, box in pixels) of all that is written; matplotlib's letters are wider than those of a page."""
    renderer = figure.canvas.get_renderer()
    figure.draw(renderer)
    unseen = set(hidden_labels(figure))
    for text in figure.findobj(lambda artist: isinstance(artist, Text) and artist.get_text().strip()):
        box = Text.get_window_extent(text, renderer)  # without the stroke of a name
        if text.get_visible() and box.width > 0 and text not in unseen:
            yield text, box


def hidden_labels(figure):
    """What matplotlib keeps and does not draw: labels of ticks beyond the limits, and of axes that are off."""
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            scaled = axis.get_transform().transform
            low, high = sorted(scaled(axis.get_view_interval()))
            for tick in (*axis.majorTicks, *axis.minorTicks):
                if not (ax.axison and axis.get_visible() and low - 1e-9 <= scaled(tick.get_loc()) <= high + 1e-9):
                    yield from (tick.label1, tick.label2)


@pytest.mark.parametrize("name", EXAMPLES)
def test_letters_can_be_read(name):
    with plt.rc_context(style.STYLE):
        figure = EXAMPLES[name]()
        sheet = sheet_of(figure)
        assert sheet is not None, "laid out by canvas"
        for width in (WIDE, NARROW):
            sheet.fit(width)
            assert_legible(list(letters(figure)), figure.bbox)


def assert_legible(found, paper):
    """Of one size, level, inside; no two on each other, and no stroke across one."""
    assert found
    for text, box in found:
        said = text.get_text()
        assert text.get_fontsize() == 9, said
        assert text.get_rotation() == 0, said
        inside = paper.x0 - 1 <= box.x0 and box.x1 <= paper.x1 + 1 and paper.y0 - 1 <= box.y0 and box.y1 <= paper.y1 + 1
        assert inside, (said, box, paper)
    for (one, a), (other, b) in itertools.combinations(found, 2):
        across, down = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across <= 1 or down <= 2, (one.get_text(), other.get_text())
    strokes = [text.arrow_patch for text, _ in found if isinstance(text, Annotation) and text.arrow_patch]
    for stroke, (text, box) in itertools.product(strokes, found):
        line = stroke.get_transform().transform_path(stroke.get_path())
        assert not line.intersects_bbox(box.padded(-1), filled=False), text.get_text()


def inside(ax, points):
    """Of these points in the data's coordinates, and those half way between, the share that the panel shows."""
    at = ax.transAxes.inverted().transform(ax.transData.transform(points))
    at = np.concatenate([at, (at[1:] + at[:-1]) / 2])
    at = at[np.isfinite(at).all(axis=1)]
    return ((at > -0.01) & (at < 1.01)).all(axis=1).mean() if len(at) else 1


@pytest.mark.parametrize("name", EXAMPLES)
def test_panels_show_what_is_drawn_in_them(name):
    shares: dict[bytes, float] = {}
    with plt.rc_context(style.STYLE):
        figure = EXAMPLES[name]()
        sheet_of(figure).fit(WIDE)
        figure.draw_without_rendering()
    for ax in figure.axes:
        for text in [text for text in ax.texts if text.get_text().strip() and text.get_transform() == ax.transData]:
            height = text.get_position()[1]  # it may stand in the margin
            assert inside(ax, np.array([[np.mean(ax.get_xlim()), height]])), text.get_text()
        for line in [line for line in ax.lines if line.get_visible() and line.get_transform() == ax.transData]:
            data = line.get_xydata()  # a broken axis is two panels with the same lines
            shares[data.tobytes()] = max(shares.get(data.tobytes(), 0), inside(ax, data))
    assert min(shares.values(), default=1) >= 0.3


@pytest.mark.parametrize("panels", [1, 2, 4])
def test_squares_fit_the_page(panels):
    figure = figures.squares([("f", np.zeros((2, 2)))] * panels, "v", limits=(0, 1))
    for width in (WIDE, NARROW):
        sheet_of(figure).fit(width)
        shares = [ax.get_position() for ax in figure.axes[:panels]]
        sides = figure.get_size_inches()
        assert sides[0] == width
        assert all(np.isclose(share.width * sides[0], share.height * sides[1]) for share in shares)
        assert min(share.width * sides[0] for share in shares) > 1.2


def test_a_sheet_keeps_heights_and_moves_blocks_below_each_other():
    sides = {"left": 0.4, "right": 0.1, "bottom": 0.3, "top": 0.2}
    figure, axes = style.canvas((1, 0.5), **sides, blocks=3, across=(3, 1), sharey="row")
    sheet = sheet_of(figure)
    inches = lambda ax: ax.get_position().bounds * np.tile(figure.get_size_inches(), 2)  # noqa: E731
    wide = [inches(ax) for ax in axes.flat]
    assert np.allclose([box[3] for box in wide], [1, 1, 1, 0.5, 0.5, 0.5])
    assert np.allclose(wide[1][0] - wide[0][0], wide[0][2] + 0.3)
    sheet.fit(NARROW)
    narrow = [inches(ax) for ax in axes.flat]
    assert np.allclose([box[3] for box in narrow], [1, 1, 1, 0.5, 0.5, 0.5])
    assert np.allclose([box[0] for box in narrow], 0.4)
    assert np.allclose(figure.get_size_inches(), [NARROW, 3 * (0.2 + 1 + 0.3 + 0.5 + 0.3)])
    assert narrow[0][1] > narrow[3][1] > narrow[1][1]


def test_a_frame_is_drawn_for_desks_and_for_phones():
    drawn = frames.draw(EXAMPLES["graphs"], {})
    assert f'width="{72 * WIDE:g}pt"' in drawn.svg
    assert f'width="{72 * NARROW:g}pt"' in drawn.narrow
    assert frames.draw(lambda: plt.subplots()[0], {}).narrow == ""


def test_letters_of_formulas_are_those_that_were_written():
    with plt.rc_context(style.STYLE):
        figure = figures.graphs(X, {r"$\omega < \varepsilon$": X}, xlabel=r"$\ell! / \varphi$", ylabel="$z'$")
        svg = frames.draw(lambda: figure, {}).svg
    said = {"".join(text.itertext()).replace(" ", "") for text in ElementTree.fromstring(svg).iter()}
    assert {"ω<ε", "ℓ!/φ"} <= said


def test_two_drawings_come_apart_again():
    figure = EXAMPLES["graphs"]()
    wide, narrow = frames.split_drawings(frames.two_drawings(figure))
    assert wide.rstrip().endswith("</svg>")
    assert narrow.rstrip().endswith("</svg>")
    assert wide != narrow
    assert frames.split_drawings("<svg/>") == ("<svg/>", "")


@pytest.mark.parametrize(
    ("wanted", "heights", "found"),
    [
        ([0, 100], [12, 12], [0, 100]),
        ([50, 50], [12, 12], [44, 56]),
        ([56, 50, 50], [12, 12, 12], [64, 40, 52]),
        ([95, 99], [12, 12], [88, 100]),
        ([56, 50, 50], [24, 12, 12], [68, 38, 50]),
    ],
)
def test_names_of_lines_move_apart_and_keep_their_order(wanted, heights, found):
    assert style._apart(wanted, heights, 100) == pytest.approx(found)


def test_names_of_lines_stand_at_their_ends():
    figure = figures.graphs(X, {"high": 1 + X, "low": -X}, xlabel="x", ylabel="y")
    named = {text.get_text(): text for text in figure.axes[0].texts}
    share = {name: text.xy[1] for name, text in named.items()}
    to_share = figure.axes[0].transData + figure.axes[0].transAxes.inverted()
    assert share["high"] == pytest.approx(to_share.transform((1, 2))[1])
    assert share["low"] == pytest.approx(to_share.transform((1, -1))[1])
