"""What tests of several modules share."""

import os
from collections.abc import Iterator

import matplotlib
import matplotlib.pyplot as plt
import pytest


@pytest.fixture
def closed_figures() -> Iterator[None]:
    """Pictures drawn without a screen, closed at the end; the style that a test sets is its own."""
    matplotlib.use("agg")
    with matplotlib.rc_context():
        yield
        plt.close("all")


@pytest.fixture(autouse=True)
def no_static_page_outlives_its_test() -> Iterator[None]:
    """Later tests would draw static pages, and nobody who runs one alone would see it."""
    before = os.environ.get("EXPLORABLES_STATIC")
    yield
    assert os.environ.get("EXPLORABLES_STATIC") == before
