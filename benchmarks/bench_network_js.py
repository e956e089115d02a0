"""A map of the 77-layer network of the page on Theorem 2, computed by network.js, in node and in the browser."""

import gzip
import json
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "pages"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "uatbook"))
from conftest import browser  # noqa: F401
from page_network import SCRIPT, node_command

from uatbook.live import lowered
from uatlib.targets import bump
from uatlib.yun2020 import build

# Milliseconds of 21 maps, the first of a fresh engine, and of the way from the spec to the network. Beside them goes
# the time of the processor, which a busy machine does not stretch.
TIMES = """([spec, side]) => {
  const begin = performance.now();
  const net = readNetwork(spec);
  const read = performance.now() - begin;
  const X = Float64Array.from({ length: 2 * side * side }, (_, i) => {
    const c = i % (side * side);
    return ((i < side * side ? Math.floor(c / side) : c % side) + 0.5) / side;
  });
  const maps = Array.from({ length: 21 }, () => {
    const start = performance.now();
    net.run(X, { n: 2, batch: side * side });
    return performance.now() - start;
  });
  return { read, maps };
}"""


@cache
def spec() -> dict:
    found = lowered(build(bump(n=2), inverse_delta=8, stage="softmax", width=Fraction(1, 2**20)).model)
    assert len(found["layers"]) == 77
    return found


def in_node(browser, side):  # noqa: F811
    call = f"const found = ({TIMES})({json.dumps([spec(), side])}); found.processor = process.cpuUsage().user / 1000;"
    script = f"{SCRIPT.read_text('utf-8')}\n{call} console.log(JSON.stringify(found));"
    done = subprocess.run([*node_command(), "-"], input=script, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def in_browser(browser, side):  # noqa: F811
    tab = browser.new_page()
    tab.goto("about:blank")
    tab.add_script_tag(content=SCRIPT.read_text("utf-8"))
    clock = tab.context.new_cdp_session(tab)
    clock.send("Performance.enable", {"timeDomain": "threadTicks"})
    found = tab.evaluate(TIMES, [spec(), side])
    metrics = {entry["name"]: entry["value"] for entry in clock.send("Performance.getMetrics")["metrics"]}
    tab.close()
    return found | {"processor": 1000 * metrics["TaskDuration"]}


@pytest.mark.parametrize(("side", "goal"), [(48, 16), (96, 60)])
@pytest.mark.parametrize("where", [in_node, in_browser])
def test_a_map_of_77_layers(benchmark, browser, where, side, goal):  # noqa: F811
    times = benchmark.pedantic(where, args=(browser, side), rounds=1)
    first, *maps = times["maps"]
    median, least = np.median(maps), min(maps)
    benchmark.extra_info.update(median_ms=round(median, 1), least_ms=round(least, 1), first_ms=round(first, 1))
    print(
        f"\n{side} x {side}, {where.__name__.removeprefix('in_')}: median {median:.1f} ms, least {least:.1f}, first "
        f"{first:.0f} (goal: median {goal}); read {times['read']:.0f}; processor {times['processor'] / 21:.1f} a map"
    )


def test_weight_of_the_script_and_of_a_network(benchmark):
    code = benchmark.pedantic(lambda: len(gzip.compress(SCRIPT.read_bytes(), 9)), rounds=1)
    network = len(gzip.compress(json.dumps(spec()).encode(), 9))
    benchmark.extra_info.update(code=code, network=network)
    print(f"\nnetwork.js: {code / 1000:.1f} kB gzip (goal: 8), the network of 77 layers: {network / 1000:.1f} kB")
