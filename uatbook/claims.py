"""What the pages' unseen cells read off their explorers, to assert what the text says of them."""

import re
from typing import Any

import matplotlib.pyplot as plt

from explorables import Explorer
from explorables.frames import combinations
from explorables.progress import static_page

__all__ = ["numbers", "readouts"]


def readouts(explorer: Explorer) -> dict[tuple[Any, ...], str]:
    """The read-out at every setting that a page offers, under the values of the controls, in their order.

    A page that is being built has drawn them all; elsewhere the function draws, but nothing becomes an SVG.
    """
    return {tuple(values.values()): _readout(explorer, values) for values in combinations(explorer.controls)}


def _readout(explorer: Explorer, values: dict[str, object]) -> str:
    if static_page():
        return explorer.frame(**values).text
    figure, text = explorer(**values)
    plt.close(figure)
    return str(text)


def numbers(text: str) -> list[float]:
    """All numbers in a text."""
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", text)]
