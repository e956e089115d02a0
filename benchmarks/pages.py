"""What the report measures in a browser: explorers in page and kernel, live pictures, networks, weight of the code.

They need the built book. Samples are seconds from a move to the frame after its picture was painted, or kB.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from works import Floor, Goal, Work, work

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "pages"), str(ROOT / "tests" / "uatbook")]
from conftest import BOOK, launched, served  # noqa: E402
from lab import jupyter_lab, notebook, run_all  # noqa: E402
from live_pages import PICTURES, open_live  # noqa: E402
from page_explorers import BOX, PAGES, explorers, page_text  # noqa: E402
from page_network import SCRIPT  # noqa: E402
from playwright.sync_api import Browser  # noqa: E402
from reader import STARTED, Reader  # noqa: E402

from explorables.live.node import program  # noqa: E402
from explorables.scripts import live_page_script  # noqa: E402
from uatbook.live import lowered  # noqa: E402
from uatbook.live.picture import FILES  # noqa: E402
from uatlib.internal import writing  # noqa: E402
from uatlib.targets import bump  # noqa: E402
from uatlib.yun2020 import build  # noqa: E402


@dataclass(frozen=True, eq=False)
class Tools:
    """A browser, the address of the built book, and a folder."""

    browser: Browser
    site: str
    folder: Path
    dragged: dict[Any, Any] = field(default_factory=dict)
    """What `drag` found, of which two rows are made."""


@contextmanager
def opened(folder: Path) -> Iterator[Tools]:
    """The tools, for as long as they are needed."""
    with launched() as browser, served() as site:
        yield Tools(browser, site, folder)


page_work = partial(work, pages=True, quantile=0.95)
SLOW = (
    "A frame is the picture's script, then layout, paint and commit of what it changed; other programs delay all of it."
)

# Milliseconds from each move of a slider to the frame after its picture was painted.
MOVES = """async ({id, input, order}) => {
  const view = [...document.querySelectorAll(`${id} .uat-view`)].at(-1);
  const field = view.shadowRoot.querySelectorAll("input[type=range]")[input];
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const times = [];
  for (const position of order) {
    const begin = performance.now(), before = view.dataset.at;
    field.value = position;
    field.dispatchEvent(new Event("input"));
    while (view.dataset.at === before) await new Promise((done) => setTimeout(done, 1));
    await painted();
    times.push(performance.now() - begin);
  }
  return times;
}"""


def seconds(milliseconds: list[float]) -> list[float]:
    return [time / 1000 for time in milliseconds]


def worst(found: dict[str, list[float]], what: str) -> Work:
    """The slowest of several, which is named."""
    name = max(found, key=lambda name: np.quantile(found[name], 0.95))
    return Work(f"{what}; of {len(found)} the slowest, {name}, {len(found[name])} times", {}, samples=found[name])


def slides(control: dict[str, Any]) -> bool:
    return control["kind"] == "slider"


@page_work("Explorers in a page, a move", Goal("at most", 0.033), SLOW)
def static_moves(tools: Tools, quick: bool) -> Work:
    found = {}
    moved = [(page, box) for page in PAGES for box in explorers(page) if any(map(slides, box.controls))]
    for page, first in moved[:1] if quick else dict(moved[::-1]).items():  # the first of each page
        tab = tools.browser.new_page()
        tab.goto(f"{tools.site}{page}.html")
        tab.wait_for_function(STARTED)
        sliders = [*filter(slides, first.controls)]
        i = max(range(len(sliders)), key=lambda i: len(sliders[i]["texts"]))
        last, most = len(sliders[i]["texts"]), 5 if quick else 100
        order = [k for _ in range(most) for k in range(last)][:most]
        order = [k for k, before in zip(order, [sliders[i]["start"], *order], strict=False) if k != before]
        arguments = {"id": f"#{first.id}", "input": i, "order": order}
        found[page] = seconds(tab.evaluate(MOVES, arguments))
        tab.close()
    return worst(found, "from the move of a slider to the painted picture")


@page_work("Four explorers, ready", Goal("at most", 1), SLOW)
def ready(tools: Tools, quick: bool) -> Work:
    boxes = [match[0] for page in PAGES for match in BOX.finditer(page_text(page))][:4]
    writing.write(tools.folder / "four.html", f"<!doctype html><body>{''.join(boxes)}<script src=x.js></script>")
    writing.write(tools.folder / "x.js", live_page_script(FILES))
    look = """() => new Promise((done, fail) => {
      setTimeout(() => fail(new Error("not ready in a minute")), 60000);
      const look = () => {
        const views = [...document.querySelectorAll(".uat-view")];
        if (views.length === 4 && views.every((view) => view.dataset.at)) done(performance.now());
        else setTimeout(look, 1);
      };
      look();
    })"""

    def visit() -> float:
        tab = tools.browser.new_page()
        tab.goto((tools.folder / "four.html").as_uri(), wait_until="commit")
        milliseconds = tab.evaluate(look)
        tab.close()
        return float(milliseconds)

    return Work("after navigation", {}, samples=seconds([visit() for _ in range(1 if quick else 10)]))


SIMPLE = """\
import matplotlib.pyplot as plt
import numpy as np

@explore(k=range(120), title="Simple")
def simple(k):
    figure, ax = plt.subplots()
    x = np.linspace(0, 1, 100)
    ax.plot(x, np.sin(k * x))
    return figure, f"k = {k}"
"""


def in_lab(tools: Tools, quick: bool) -> tuple[list[float], list[float]]:
    """Moves to frames that the kernel has yet to draw, and back to drawn ones."""
    if ("lab", quick) not in tools.dragged:
        name = notebook(tools.folder, "ground", SIMPLE)
        with jupyter_lab(tools.folder) as address:
            tab = run_all(tools.browser, address, name)
            tab.evaluate(MOVES, {"id": "", "input": 0, "order": [1]})
            new = [*range(2, 5 if quick else 62)]
            orders = new, new[-2::-1]
            tools.dragged["lab", quick] = [
                seconds(tab.evaluate(MOVES, {"id": "", "input": 0, "order": order})) for order in orders
            ]
            tab.close()
    return tools.dragged["lab", quick]


@page_work("Explorers in the kernel, a new frame", Goal("at most", 0.6), "matplotlib draws it, and SVG is packed.")
def new_frames(tools: Tools, quick: bool) -> Work:
    return Work("a line of 100 points, in JupyterLab", {}, samples=in_lab(tools, quick)[0])


@page_work("Explorers in the kernel, a drawn frame", Goal("at most", 0.25), SLOW)
def drawn_frames(tools: Tools, quick: bool) -> Work:
    return Work("a line of 100 points, in JupyterLab", {}, samples=in_lab(tools, quick)[1])


# Milliseconds of a frame while a handle is dragged up and down its line, as a hand does, once a frame: the picture's
# script, and all until it was painted. A browser hands over what the hand did just before a frame.
DRAG = """async ({moves, far, first}) => {
  const ring = document.querySelector(".uat-view").shadowRoot.querySelector(".handle");
  const box = (window.begun ??= ring.getBoundingClientRect()); // where the hand took it, however far it is by now
  const at = (along) => ({ clientX: box.x + box.width / 2 - along, clientY: box.y + box.height / 2 - along });
  const event = (type, along) => new PointerEvent(type, { pointerId: 1, bubbles: true, ...at(along) });
  const hand = (type, along) => ring.dispatchEvent(event(type, along));
  ring.setPointerCapture = () => {}; // there is no such pointer
  const script = [], whole = [], ask = window.requestAnimationFrame;
  let drawn;
  window.requestAnimationFrame = (act) => ask((time) => {
    const begin = performance.now();
    act(time);
    script.push(performance.now() - begin);
    setTimeout(() => drawn(whole.push(performance.now() - begin)), 0);
  });
  if (!first) hand("pointerdown", 0);
  for (let k = first + 1; k <= first + moves; k += 1) {
    await new Promise((done) => {
      drawn = done;
      hand("pointermove", 4 * Math.abs((k % far) - far / 2) + k / far + 1); // never twice at one place
      setTimeout(done, 100); // a handle that sticks to its place asks for no frame
    });
  }
  window.requestAnimationFrame = ask;
  return [script, whole];
}"""
MOVES_A_TURN, TURNS = 5, 40


def processor(session: Any) -> float:
    """Milliseconds that the page's main thread has worked, whatever else the machine does."""
    found = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(found["TaskDuration"])


def drag(tools: Tools, slower: int, quick: bool) -> dict[str, dict[str, list[float]]]:
    """By what is measured and by picture, seconds of each frame of a drag."""
    if (slower, quick) in tools.dragged:
        return tools.dragged[slower, quick]
    found: dict[str, dict[str, list[float]]] = {"script": {}, "frame": {}, "work": {}}
    for name in [*PICTURES][:1] if quick else PICTURES:
        tab = open_live(Reader(tools.browser), PICTURES[name](), tools.folder)
        session = tab.context.new_cdp_session(tab)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        parts: dict[str, list[float]] = {kind: [] for kind in found}
        for turn in range(2 if quick else TURNS):
            before = processor(session)
            # A cross in a small square, too, has room.
            script, whole = tab.evaluate(DRAG, {"moves": MOVES_A_TURN, "far": 20, "first": turn * MOVES_A_TURN})
            parts["work"].append((processor(session) - before) / 1000 / max(1, len(whole)))
            parts["script"] += seconds(script)
            parts["frame"] += seconds(whole)
        tab.close()
        for kind, times in parts.items():
            found[kind][name] = times
    tools.dragged[slower, quick] = found
    return found


def dragged(kind: str, slower: int, tools: Tools, quick: bool) -> Work:
    what = {
        "script": "the picture's script in a frame of a drag",
        "frame": "a frame of a drag, painted",
        "work": "the processor's time for a frame of a drag",
    }
    return worst(drag(tools, slower, quick)[kind], what[kind])


for _slower, _where in ((1, ""), (4, ", a quarter of the processor")):  # of a phone it is a quarter of a desk's
    for _kind, _limit in (("script", 0.016), ("frame", 0.033), ("work", 0.033)):
        page_work(f"Live pictures, {_kind}{_where}", Goal("at most", _limit), SLOW)(partial(dragged, _kind, _slower))


# --------------------------------------------------------------------------------------------------------- network.js

# Milliseconds of 21 maps, the first of a fresh engine.
MAPS = """([spec, side]) => {
  const net = readNetwork(spec);
  const X = Float64Array.from({ length: 2 * side * side }, (_, i) => {
    const c = i % (side * side);
    return ((i < side * side ? Math.floor(c / side) : c % side) + 0.5) / side;
  });
  return Array.from({ length: 21 }, () => {
    const start = performance.now();
    net.run(X, { n: 2, batch: side * side });
    return performance.now() - start;
  });
}"""


@cache
def spec() -> dict[str, Any]:
    """The network of the page on Theorem 2."""
    found: dict[str, Any] = lowered(build(bump(n=2), inverse_delta=8, stage="softmax", width=Fraction(1, 2**20)).model)
    return found


def in_node(tools: Tools, side: int) -> list[float]:
    """The times in node."""
    call = f"console.log(JSON.stringify(({MAPS})({json.dumps([spec(), side])})));"
    script = f"{SCRIPT.read_text('utf-8')}\n{call}"
    done = subprocess.run([str(program()), "-"], input=script, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def in_browser(tools: Tools, side: int) -> list[float]:
    """The times in the browser."""
    tab = tools.browser.new_page()
    tab.goto("about:blank")
    tab.add_script_tag(content=SCRIPT.read_text("utf-8"))
    found = tab.evaluate(MAPS, [spec(), side])
    tab.close()
    return found  # type: ignore[no-any-return]


def maps(where: Callable[[Tools, int], list[float]], side: int, tools: Tools, quick: bool) -> Work:
    side = 4 if quick else side
    # Each token is read and written in every layer of the network.
    floor = Floor("each of the layers adds to both tokens of a pixel", operations=4 * len(spec()["layers"]) * side**2)
    return Work(
        f"{side} x {side} pixels, {len(spec()['layers'])} layers, {where.__name__.replace('_', ' ')}",
        {},
        floor,
        samples=seconds(where(tools, side)[1:]),
    )


for _where in (in_node, in_browser):
    for _side, _limit in ((48, 0.016), (96, 0.06)):
        work(
            f"A map by network.js, {_side} x {_side}, {_where.__name__.replace('_', ' ')}",
            Goal("at most", _limit),
            "77 layers, each a pass over all pixels.",
            pages=True,
        )(partial(maps, _where, _side))


def weight(code: Callable[[], str], tools: Tools, quick: bool) -> Work:
    return Work("packed by gzip", {}, samples=[len(gzip.compress(code().encode(), 9)) / 1000])


def heaviest() -> str:
    """The largest script of explorers that a page loads."""
    return max((path.read_text("utf-8") for path in (BOOK / "_static").glob("uat-explorer*.js")), key=len)


work("Script and style sheet of explorers", Goal("at most", 40), "Of the page with most kinds.", unit="kB", pages=True)(
    partial(weight, heaviest)
)
work("network.js", Goal("at most", 8), "Layers, scores and kernels of all pages are in it.", unit="kB", pages=True)(
    partial(weight, lambda: SCRIPT.read_text("utf-8"))
)
