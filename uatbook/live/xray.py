"""X-ray of one sequence: the cell of two tokens, their jumps, the row that fires, the answer beside f."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from uatlib import cheng2025, kajitsuka2024, yun2020
from uatlib.targets import mean_product

from ..sources import STEPS
from .controls import Handle, Slider
from .lowered import lowered
from .picture import LivePicture

__all__ = ["XRay"]

CELLS, F = 4, "x_1 * (x_1 + x_2) / 2"


class XRay(LivePicture):
    """Two tokens on their way through the literal network of a proof, at 4 cells a side, for mean_product(2).

    Parameters
    ----------
    source : key of a source of `SUBJECTS`, whose network the page runs
    lit : "cut", "tell apart" or "look up": the small form, with this step large; None: the whole strip
    title, name : as in `LivePicture`

    Raises
    ------
    ValueError
        A source without such a network, or a step that is none of the three.
    """

    picture = "xray"

    def __init__(
        self, source: str, lit: str | None = None, *, title: str = "X-ray of one sequence", name: str = ""
    ) -> None:
        if source not in SUBJECTS:
            raise ValueError(f"source: expected one of {', '.join(SUBJECTS)}, got {str(source)[:60]!r}.")
        if lit is not None and lit not in STEPS:
            raise ValueError(f"lit: expected None or one of {', '.join(STEPS)}, got {str(lit)[:60]!r}.")
        self.lit = lit
        self.size = (0.36, 200, 290, 640) if lit is None else (0.26, 170, 210, 520)
        controls = {"x1": Slider(0, 0.99, 0.3, "x₁"), "x2": Slider(0, 0.99, 0.8, "x₂")}
        data = {"N": CELLS, "lit": lit and STEPS.index(lit), "steps": STEPS, "f": F, **SUBJECTS[source]()}
        super().__init__(controls, [Handle("cross", x="x1", y="x2")], data, title=title, name=name)


def _yun() -> Mapping[str, Any]:
    """ReLUs that cut, shifts that lift each sequence to ids of its own, a ReLU layer for each row."""
    # In narrower bands float64 could not follow the steps of the quantizer.
    model = yun2020.build(mean_product(2), inverse_delta=CELLS, stage="softmax", width=Fraction(1, 2**20)).model
    return {"network": lowered(model), "cut": CELLS + 1, "told": 2 * CELLS + 2, "corner": 0, "quarters": True}


def _kajitsuka() -> Mapping[str, Any]:
    """A staircase to the upper ends of cells, one head of softmax, bumps."""
    model = kajitsuka2024.build(mean_product(2), inverse_delta=CELLS).model
    return {"network": lowered(model), "cut": 1, "told": 2, "corner": 1, "quarters": False}


def _cheng() -> Mapping[str, Any]:
    """A staircase to the middle of cells, one layer of softmax, a memory."""
    model = cheng2025.build(mean_product(2), inverse_delta=CELLS).model
    return {"network": lowered(model), "cut": 1, "told": 2, "corner": 0.5, "quarters": False}


SUBJECTS: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "yun2020": _yun,
    "kajitsuka2024": _kajitsuka,
    "cheng2025": _cheng,
}
"""By source, the network, after how many layers tokens are cut and told apart, where in its cell a cut
token stands (in cells), and whether ids are quarters."""
