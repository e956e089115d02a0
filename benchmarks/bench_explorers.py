"""Explorers and live pictures: from a move to the painted picture; ready after navigation; weight of the code."""

import gzip
import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "pages"))
from conftest import book, browser, site  # noqa: F401
from lab import jupyter_lab, notebook, run_all
from live_pages import PICTURES, open_live
from page_explorers import BOX, PAGES, explorers
from reader import STARTED, Reader

from uatbook.live.scripts import page_script

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


def report(benchmark, what: str, milliseconds: list[float], goal: int) -> None:
    median, p95 = np.percentile(milliseconds, [50, 95])
    benchmark.extra_info.update(median_ms=round(median, 1), p95_ms=round(p95, 1))
    print(f"\n{what}: median {median:.0f} ms, p95 {p95:.0f} ms over {len(milliseconds)} moves (goal: p95 {goal})")


@pytest.mark.parametrize("page", PAGES)
def test_static_move_to_painted_frame(benchmark, browser, site, page):  # noqa: F811
    tab = browser.new_page()
    tab.goto(f"{site}{page}.html")
    tab.wait_for_function(STARTED)
    sliders = [control for control in explorers(page)[0].controls if control["kind"] == "slider"]
    i = max(range(len(sliders)), key=lambda i: len(sliders[i]["texts"]))
    last = len(sliders[i]["texts"])
    order = [k for _ in range(100) for k in range(last)][:100]
    order = [k for k, before in zip(order, [sliders[i]["start"], *order], strict=False) if k != before]
    arguments = {"id": f"#{explorers(page)[0].id}", "input": i, "order": order}
    times = benchmark.pedantic(tab.evaluate, args=(MOVES, arguments), rounds=1)
    tab.close()
    report(benchmark, f"static, {page}", times, 33)


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


def processor(session) -> float:
    """Milliseconds that the page's main thread has worked, whatever else the machine does."""
    found = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * found["TaskDuration"]


@pytest.mark.parametrize("slower", [1, 4])
@pytest.mark.parametrize("name", PICTURES)
def test_a_drag_of_a_live_picture(benchmark, browser, tmp_path, name, slower):  # noqa: F811
    tab = open_live(Reader(browser), PICTURES[name](), tmp_path)
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})  # a phone's processor is a quarter of a desk's
    script, whole, work = [], [], []

    def drag() -> None:
        for turn in range(TURNS):
            before = processor(session)
            # A cross in a small square, too, has room.
            found = tab.evaluate(DRAG, {"moves": MOVES_A_TURN, "far": 20, "first": turn * MOVES_A_TURN})
            work.append((processor(session) - before) / max(1, len(found[1])))
            script.extend(found[0])
            whole.extend(found[1])

    benchmark.pedantic(drag, rounds=1)
    tab.close()
    load, what = os.getloadavg()[0], f"live picture, {name}, processor / {slower}"
    report(benchmark, f"{what}, its script", script, 16)
    report(benchmark, f"{what}, frame (load of the machine {load:.1f})", whole, 33)
    report(benchmark, f"{what}, the processor's time for a frame", work, 33)


def test_four_explorers_are_ready(benchmark, browser, tmp_path):  # noqa: F811
    boxes = [match[0] for page in PAGES for match in BOX.finditer((book_folder() / f"{page}.html").read_text("utf-8"))][
        :4
    ]
    (tmp_path / "four.html").write_text(f"<!doctype html><body>{''.join(boxes)}<script src=x.js></script>", "utf-8")
    (tmp_path / "x.js").write_text(page_script(), "utf-8")
    ready = """() => new Promise((done) => {
      const look = () => {
        const views = [...document.querySelectorAll(".uat-view")];
        if (views.length === 4 && views.every((view) => view.dataset.at)) done(performance.now());
        else setTimeout(look, 1);
      };
      look();
    })"""

    def visit() -> float:
        tab = browser.new_page()
        tab.goto((tmp_path / "four.html").as_uri(), wait_until="commit")
        milliseconds = tab.evaluate(ready)
        tab.close()
        return milliseconds

    times = [visit() for _ in range(9)]
    times.append(benchmark.pedantic(visit, rounds=1))
    report(benchmark, "four explorers ready after navigation", times, 1000)


def book_folder() -> Path:
    return Path(__file__).parents[1] / "_build" / "html"


def test_weight_of_the_code(benchmark):
    packed = benchmark.pedantic(lambda: len(gzip.compress(page_script().encode(), 9)), rounds=1)
    benchmark.extra_info["bytes"] = packed
    print(f"\nJavaScript and style sheet: {packed / 1000:.1f} kB gzip (goal: 40, with all live pictures)")


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


def test_live_move_to_painted_frame(benchmark, browser, tmp_path):  # noqa: F811
    name = notebook(tmp_path, "ground", SIMPLE)
    with jupyter_lab(tmp_path) as address:
        tab = run_all(browser, address, name)
        tab.evaluate(MOVES, {"id": "", "input": 0, "order": [1]})
        new = list(range(2, 62))
        fresh = benchmark.pedantic(tab.evaluate, args=(MOVES, {"id": "", "input": 0, "order": new}), rounds=1)
        drawn = tab.evaluate(MOVES, {"id": "", "input": 0, "order": new[-2::-1]})
        tab.close()
    report(benchmark, "live, a new simple frame", fresh, 600)
    report(benchmark, "live, a frame already drawn", drawn, 250)
