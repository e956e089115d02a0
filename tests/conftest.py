"""What tests of several modules share."""

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
