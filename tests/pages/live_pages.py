"""Live pictures in pages of their own, opened from a folder, and a hand that drags in them."""

import base64
import functools
import time
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page
from reader import Reader

from uatbook.liu2025.max_affine import MaxAffine, indicator_attention
from uatbook.live import (
    PROOFS,
    Attention,
    Bill,
    Boltzmann,
    Calls,
    Cells,
    Curves,
    Film,
    Hats,
    Jumps,
    LivePicture,
    Mixer,
    Pair,
    Square,
    XRay,
)
from uatbook.yun2020.theorem_2 import network as far
from uatlib import liu2025, masks, yun2020
from uatlib.cheng2025 import kernel
from uatlib.grids import Grid
from uatlib.kernels import CONSTANT, DOT, RBF
from uatlib.layers import Attention as Layer
from uatlib.layers import Head
from uatlib.model import Transformer
from uatlib.yun2020 import quantizer, selective_shift, softmax_scale
from uatlib.yun2020.ids import id_interval

POLICY = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
DRAWN = "at => document.querySelector('.uat-view').dataset.at === at"
# Texts of the picture that lie on each other.
COLLISIONS = """() => {
  const { shadowRoot } = document.querySelector(".uat-view"), slack = 3;
  const texts = [...shadowRoot.querySelectorAll(".stage svg text")].filter((text) => text.textContent.trim());
  const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
  const both = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]) > slack;
  const meet = (a, b) => both(a, b, "left", "right") && both(a, b, "top", "bottom");
  const met = ([said, box], i) => boxes.slice(i + 1).filter(([, b]) => meet(box, b)).map(([other]) => [said, other]);
  return boxes.flatMap(met);
}"""
# The side of a canvas, and its pixels as text: as a list of numbers they would be on their way for seconds.
PIXELS = """k => {
  const canvas = document.querySelector(".uat-view").shadowRoot.querySelectorAll(".stage canvas")[k];
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return [canvas.width, btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""))];
}"""
# Notes when screen readers are told what, and how often the read-out changes.
HEARD = """() => {
  const root = document.querySelector(".uat-view").shadowRoot, spoken = root.querySelector("[aria-live]");
  window.heard = [];
  window.seen = 0;
  new MutationObserver(() => heard.push([performance.now(), spoken.textContent])).observe(spoken, { childList: true });
  new MutationObserver(() => (seen += 1)).observe(root.querySelector(".readout"), { childList: true });
}"""
# From where the picture starts to where it is when all frames that are asked for have been drawn.
RESTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# When the hand has rested, by the clock of the page: a busy machine runs its timers late, but in their order.
STILL = f"() => new Promise((done) => setTimeout(() => ({RESTED})().then(done), 250))"
# Read-out and alt text once the picture rests.
STATE = f"""async (id) => {{
  await ({RESTED})();
  const root = (id ? document.getElementById(id) : document).querySelector(".uat-view").shadowRoot;
  return [root.querySelector(".readout").textContent, root.querySelector(".stage svg").getAttribute("aria-label")];
}}"""
# The same of another setting, asked for by its address: once it says so, or after 20 seconds, for a busy machine.
GONE = f"""async ([hash, expected]) => {{
  location.hash = hash;
  for (const end = performance.now() + 20000; ; ) {{
    const found = await ({STATE})();
    if (performance.now() > end || (found[0] === expected[0] && found[1] === expected[1])) return found;
  }}
}}"""


def boltzmann(entries: tuple[float, ...] = (0, -0.5, -2, -5), **options: Any) -> Boltzmann:
    counts = range(2, 6)
    lines = {"falls": {n: (n, n / 2) for n in counts}, "is concave": {n: (n + 1, n / 2 + 1) for n in counts}}
    return Boltzmann(entries, lines, dict.fromkeys(counts, 1.25), **options)


def film(soft: bool = False, sides: tuple[int, ...] = (2, 3, 4), **options: Any) -> Film:
    def network(N: int, n: int) -> Transformer:
        parts = [part(inverse_delta=N, n=n, d=1) for part in (quantizer, selective_shift)]
        return Transformer([layer for part in parts for layer in part.layers], n=n)

    grids = list(product(sides, sides))
    return Film(
        {grid: network(*grid) for grid in grids},
        {grid: id_interval(*grid, d=1) for grid in grids},
        {grid: softmax_scale(*grid, d=1) for grid in grids} if soft else None,
        **{"start": grids[-1], "tokens": (0.1, 0.3, 0.9, 0.6)[: sides[-1]], **options},
    )


def over_square(**options: Any) -> Square:
    wide = {"stage": "softmax", "width": Fraction(1, 2**20)}
    proofs = {
        "Yun et al.": lambda f, N: yun2020.build(f, inverse_delta=N, **wide),
        "Liu et al.": lambda f, N: liu2025.build(f, inverse_delta=N, form="smoother"),
    }
    return Square(proofs, (2, 8), start=8, **options)


square = functools.cache(over_square)


def attention(**options: Any) -> Attention:
    """Two contexts in the plane, every kind of attention and of mask."""
    head = Head(w_q=[[-1, -2]], w_k=[[-1, 2]], w_v=[[1, 0]], w_o=[[0], [0.5]])
    kinds = ({"normalization": "hardmax"}, {}, {"kernel": RBF(0.5)}, {"kernel": CONSTANT})
    networks = (Transformer([Layer([head], **kind)]) for kind in kinds)
    plane = {str(t): (t, 0) for t in range(-2, 7)}
    pairs = {"sum": ("1256", "1346"), "order": ("1234", "2134")}
    examples = {key: {row: {t: plane[t] for t in row} for row in pair} for key, pair in pairs.items()}
    lines = {"none": None, "causal": masks.causal(4), "padding": masks.padding(3, 4)}
    named = dict(zip(("hardmax", "softmax", "RBF", "constant"), networks, strict=True))
    options = {"masks": lines, "scale": (1, 2), "window": (-3, 7, -3, 5), **options}
    given = options.pop("examples", examples)
    return Attention(named, given, {"w_K": ["w_k"], "w_Q": ["w_q"]}, **options)


def kernels() -> Attention:
    """Tokens are their own keys and queries, under one kernel after the other; two contexts with opposite tokens."""
    head = Head(w_q=np.eye(2), w_k=np.eye(2), w_v=[[1, 0.5]], w_o=[[0], [0.5]])
    polynomial = kernel("polynomial", power=2, offset=1)
    given = {"exp": DOT, "RBF": RBF(0.5), "constant": CONSTANT, "cosh": kernel("cosh"), "polynomial": polynomial}
    networks = {name: Transformer([Layer([head], kernel=one)]) for name, one in given.items()}
    shared = {"p": (1, 0.5), "−p": (-1, -0.5)}
    contexts = {"a": {**shared, "a": (0.5, 1), "−a": (-0.5, -1)}, "b": {**shared, "b": (1.5, -1), "−b": (-1.5, 1)}}
    return Attention(networks, {"pair": contexts}, {}, scale=(1, 2), window=(-3, 3, -2.5, 2.5), title="Kernels")


def rank_one() -> Attention:
    """One context, and vectors that are other weights in another network."""
    show, ask, write = [[1, 0.5]], [[-0.5, 1]], [[0.5], [-1]]
    networks = {"one": Transformer([Layer([Head(ask, show, show, write)])]),
                "two": Transformer([Layer([Head(show, ask, show, write)])])}  # fmt: skip
    roles = {"v_1": {"one": ["w_k", "w_v"], "two": ["w_q", "w_v"]}, "v_2": {"one": ["w_q"], "two": ["w_k"]}}
    tokens = {"a": (2, 1), "b": (-1.5, 1), "c": (-2, -1.5)}
    return Attention(networks, {"x": {"y": tokens}}, {**roles, "W_O": ["w_o"]}, window=(-3, 3, -3, 3), name="head")


def _cut(sites: Any, weights: Any, precision: float, values: Any) -> Transformer:
    return indicator_attention(MaxAffine.of_sites(sites, weights), len(weights), precision, values=values)


def cells(**options: Any) -> Cells:
    """Eight sites, five of them shown; constants and affine functions on their cells."""
    sites = [[-1.5, 1.2, 0.4, -2, 2.2, -0.3, 1.5, -2.2], [1.6, 1.4, -1.3, -1.2, -0.4, 0.4, -2.3, 2.5]]
    slopes = [[0.6, -0.4, 0.2, -0.6, 0, 0.5, -0.3, 0.3], [-0.2, 0.5, 0.4, 0, -0.6, -0.3, 0.2, 0.4]]
    values = {"constants": [[1, -1, 2, 0, -2, 1.5, 0.5, -1.5]], "affine": [*slopes, [1, 0, -1, 0.5, 0, 0.5, 1, 0]]}
    return Cells(_cut, sites, values, **{"start": 5, "precision": 3.2, "probe": (0.5, -0.3), **options})


BLADES = [(-3, -3, 1, -1), (1, -3, 3, 1), (-1, 1, 3, 3), (-3, -1, -1, 3), (-1, -1, 1, 1)]


def windmill(**options: Any) -> Cells:
    """Five sites, and the rectangles in whose cells points should be."""
    sites = [[0, 2, 0, -2, 0], [-2, 0, 2, 0, 0]]
    return Cells(_cut, sites, {}, wanted=BLADES, **{"precision": 100, "name": "windmill", **options})


def stranger(**options: Any) -> Film:
    """Cut and told apart as printed, with ramps: from a ramp a neighbour of the sentinel is lifted to proper ids."""
    layers = far(Grid(2, n=2, d=1), "printed", "clip", Fraction(1, 8)).model.layers
    told = max(k for k, layer in enumerate(layers) if layer.kind == "attention")
    network = Transformer(layers[: told + 1], n=2)
    return Film({(2, 2): network}, {(2, 2): id_interval(2, 2, d=1)}, start=(2, 2), tokens=(0.99, 0.2), **options)


def curves() -> Curves:
    shares = {(kind, N): f"{N} of {kind}" for kind in ("softmax", "mean", "hardmax") for N in (1, 3)}
    return Curves([(1, 2, 5), (1, 3, 4), (2, 3, 4)], (1, 3), shares, start=3)


IDS = {"1": {"2": (1.12, 0.3), "3": (1.15, 0.6)}, "2": {"1": (2.1, 0.5), "3": (2.14, 0)}, "3": {"1": (3.1, 0.9)}}

PICTURES = {
    "attention": attention,
    "bill": lambda: Bill({name: PROOFS[name] for name in ("Yun et al.", "Liu et al.")}, (2, 4)),
    "boltzmann": functools.partial(boltzmann, goals={"deep": "Bring it down.", "twin": "Find another."}),
    "calls": functools.partial(Calls, goals={"apart": "Make all ids differ."}),
    "cells": functools.partial(cells, goals={"triangle": "Make it a triangle."}),
    "windmill": functools.partial(windmill, goals={"sorted": "Sort them."}),
    "curves": curves,
    "film": film,
    "hats": functools.partial(Hats, IDS, goals={"all": "Answer.", "fewest": "With few."}),
    "jumps": Jumps,
    "kernels": kernels,
    "mixer": Mixer,
    "pair": functools.partial(Pair, goals={"mean": "Fool it.", "two": "Fool two.", "four": "Fool four."}),
    "film with softmax": functools.partial(film, soft=True),
    "rank one": rank_one,
    "square": square,
    "x-ray": lambda: XRay("yun2020"),
    "x-ray of one layer": lambda: XRay("kajitsuka2024"),
    "x-ray of one head": lambda: XRay("liu2025"),
    "x-ray of mixers": lambda: XRay("cheng2025"),
    "x-ray, small": lambda: XRay("yun2020", "tell apart"),
}
"""An example of every live picture, by its name."""
PICTURES = {name: functools.cache(make) for name, make in PICTURES.items()}


def open_live(reader: Reader, picture: LivePicture, folder: Any, fragment: str = "") -> Page:
    """The picture's own page, from a file."""
    file = folder / "live.html"
    file.write_text(picture.to_html(), encoding="ascii")
    reader.rest()
    return reader.open(file.as_uri() + fragment)


def unfold(tab: Page) -> Page:
    """Open the fold of the picture, as a reader does."""
    tab.locator(".more > summary").click()
    return tab


def fragment(picture: LivePicture, values: Mapping[str, Any]) -> str:
    """The address of a setting, written by hand."""
    query = "&".join(f"{name}={value}" for name, value in values.items())
    return f"#explorer-{picture.name}?{query}"


def go(tab: Page, picture: LivePicture, values: Mapping[str, Any]) -> tuple[str, str]:
    """Ask for a setting by its address; the page then says what Python says of it, which is returned."""
    expected = picture.describe({**picture.start, **values})
    assert tuple(tab.evaluate(GONE, [fragment(picture, values), expected])) == expected
    return expected


def pixels_of(tab: Page, k: int) -> np.ndarray:
    """Those of a canvas: rows of red, green, blue and opacity."""
    side, data = tab.evaluate(PIXELS, k)
    return np.frombuffer(base64.b64decode(data), np.uint8).reshape(-1, side, 4)


def chosen(tab: Page, menu: str) -> str:
    """The option that a menu shows."""
    field = tab.get_by_label(menu, exact=True)
    return str(field.evaluate("menu => menu.selectedOptions[0].textContent"))


def said(tab: Page, box: str = "") -> tuple[str, str]:
    """The read-out, and the alt text."""
    readout, alt = tab.evaluate(STATE, box)
    return readout, alt


def handle(tab: Page, label: str, box: str = "") -> Locator:
    """The ring that holds the inputs of this label, in the box of this selector."""
    return tab.locator(f"{box} .handle").filter(has=tab.get_by_label(f"{label}, ", exact=False))


def box_of(part: Locator) -> dict[str, float]:
    """Where a part of a picture is once it rests: whatever redraws it puts another part there."""
    part.page.evaluate(RESTED)
    box: dict[str, float] | None = part.bounding_box()
    assert box, f"{part} is not shown"
    return box


def centre(ring: Locator) -> tuple[float, float]:
    ring.scroll_into_view_if_needed()
    box = box_of(ring)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def by_mouse(tab: Page, ring: Locator, dx: float, dy: float = 0, steps: int = 8) -> None:
    x, y = centre(ring)
    tab.mouse.move(x + 3, y - 2)  # held beside its middle
    tab.mouse.down()
    tab.mouse.move(x + 3 + dx, y - 2 + dy, steps=steps)
    tab.mouse.up()


def by_finger(tab: Page, ring: Locator, dx: float, dy: float = 0, steps: int = 8) -> None:
    x, y = centre(ring)
    swipe(tab, (x + 3, y - 2), (dx, dy), steps)


def swipe(tab: Page, start: tuple[float, float], way: tuple[float, float], steps: int = 8, rest: float = 0) -> None:
    """A finger from here, that far, a step in 16 ms; it rests for some seconds before, by its own clock."""
    (x, y), (dx, dy) = start, way
    session = tab.context.new_cdp_session(tab)
    began = time.time()

    def touch(kind: str, *points: dict[str, float], at: float = 0) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points), "timestamp": began + at})

    touch("touchStart", {"x": x, "y": y})
    for k in range(1, steps + 1):
        touch("touchMove", {"x": x + dx * k / steps, "y": y + dy * k / steps}, at=rest + 0.016 * k)
        tab.wait_for_timeout(16)
    touch("touchEnd", at=rest + 0.016 * (steps + 1))
    session.detach()
    tab.wait_for_timeout(100)
