"""network.js in a browser: the answers of node, to the last bit where nothing but sums and products is computed."""

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser

from uatlib.arithmetic import FLOAT64
from uatlib.model import Transformer
from uatlib.targets import bump
from uatlib.yun2020 import build

from ..uatbook.live.test_network_js import SHOWN
from ..uatbook.page_network import SCRIPT, SERVER, Reader, node, reader
from ..uatlib.random_layers import RESIZING, WITHOUT_EXP, D, N, floats


@pytest.fixture(scope="module")
def read(browser: Browser) -> Iterator[Reader]:
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("about:blank")
    for script in (SCRIPT, SERVER):
        page.add_script_tag(content=script.read_text(encoding="utf-8"))
    yield reader(lambda line: page.evaluate("answer", line))
    page.close()
    assert complaints == []


def test_the_browser_gives_what_node_and_float64_give(read: Reader) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, D, N))
    with node() as read_in_node:
        for name, make in {**SHOWN, **RESIZING}.items():
            model = Transformer([make(floats(rng))])
            found = read(model)(X)
            expected = model(X, FLOAT64).numpy().reshape(len(X), -1)
            assert abs(found - expected).max() <= 1e-12 * abs(expected).max(), name
            if name in WITHOUT_EXP:  # each browser has its own, all right to the last bit but one
                assert np.array_equal(found, read_in_node(model)(X)), name


def test_a_whole_network_runs_in_the_browser(read: Reader) -> None:
    model = build(bump(n=2), inverse_delta=4, stage="softmax").model
    X = np.random.default_rng(1).uniform(size=(300, 1, 2))
    states = [np.asarray(state).reshape(len(X), -1) for state in model.trace(X, FLOAT64)]
    found = read(model).trace(X)
    largest = max(abs(state).max() for state in states)
    assert max(abs(a - b).max() for a, b in zip(found, states, strict=True)) <= 1e-12 * largest
