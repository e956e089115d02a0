"""What tests of pictures share."""

import pytest


@pytest.fixture(autouse=True)
def drawn_without_a_screen(closed_figures):
    """Closed at the end of each test."""
