"""What unseen cells of the pages read off explorers."""

import matplotlib.pyplot as plt
import pytest

from explorables import Control, explore
from uatbook.claims import numbers, readouts


def test_numbers_of_a_text():
    assert numbers("-1.5 and 2e-03; 1/4, 10%") == [-1.5, 0.002, 1, 4, 10]
    assert numbers("none") == []


@pytest.mark.parametrize("static", [False, True])
def test_readouts_stand_under_the_values_that_a_page_offers(static, monkeypatch, closed_figures):
    if static:
        monkeypatch.setenv("EXPLORABLES_STATIC", "1")
    before = plt.get_fignums()

    @explore(display=False, n=Control([2, 3], finer=[2.5]), name=Control(["a", "b"], start="b"))
    def drawn(n, name):
        return plt.figure(), f"{name} {n}"

    assert readouts(drawn) == {(2, "a"): "a 2", (2, "b"): "b 2", (3, "a"): "a 3", (3, "b"): "b 3"}
    assert plt.get_fignums() == before
