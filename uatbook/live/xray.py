"""X-ray of one sequence: the cell of two tokens, how a proof tells them apart, what it looks up, f beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from explorables.controls import Control
from explorables.goals import Goal
from explorables.live import Field, Handle, Slider
from uatlib.certificate import Construction
from uatlib.checks import choice
from uatlib.kernels import CONSTANT
from uatlib.targets import Target, mean_product

from ..sources import SOURCES, STEPS
from .held import Build, held
from .lowered import lowered
from .picture import LivePicture

__all__ = ["XRay"]

CELLS, F = 4, "x_1 * (x_1 + x_2) / 2"


class XRay(LivePicture):
    """Two tokens on their way through the literal network of a proof, at 4 cells a side, for mean_product(2).

    Parameters
    ----------
    source : key of a source of `SUBJECTS`, whose network the page runs; where it has several, by the mixer in the
        middle, a menu chooses
    lit : "cut", "tell apart" or "look up": the small form, with this step large; None: the whole strip
    mixer : the one shown first; the first if not given
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        A source without such a network, a step that is none of the three, a mixer that is none of the source.
    """

    picture, adopts = "xray", "when asked"

    def __init__(
        self,
        source: str,
        lit: str | None = None,
        *,
        mixer: str | None = None,
        title: str = "X-ray of one sequence",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        choice("source", source, list(SUBJECTS))
        choice("lit", lit, [None, *STEPS])
        subjects = SUBJECTS[source]()
        choice("mixer", mixer, [None, *subjects])
        self.listed = lit is None
        step = f"; this page is about the step {lit}" if lit else ""
        self.caption = f"A sequence of two tokens on its way through the network. Drag its cross{step}."
        self.size = (0.4, 234, 324, 326) if lit is None else (0.3, 204, 244, 326)
        controls: dict[str, Control | Slider | Field] = {
            "x1": Slider(0, 0.99, 0.3, "x₁"),
            "x2": Slider(0, 0.99, 0.8, "x₂"),
        }
        if len(subjects) > 1:
            controls["mixer"] = Control(list(subjects), label="mixer", start=mixer)
        controls["formula"] = Field("", "f", hidden=True)
        controls["paint"] = Field("", "painted surface", 256, hidden=True)
        data = {
            "N": CELLS,
            "lit": lit and STEPS.index(lit),
            "steps": STEPS,
            "layers": SOURCES[source].steps,
            "f": F,
            "subjects": subjects,
        }
        super().__init__(controls, [Handle("cross", x="x1", y="x2")], data, title=title, name=name, goals=goals)


Subjects = Mapping[str, Mapping[str, Any]]


def _network(build: Build) -> dict[str, Any]:
    """The network for the mean product, and which of its weights hold another function."""
    model = build(mean_product(2), CELLS).model
    return {"network": lowered(model), "held": held(build, CELLS)[1]}


# Each imports its own source: a chapter runs again when one that it has read changes.


def _yun() -> Subjects:
    """ReLUs that cut, shifts that lift each sequence to ids of its own, a ReLU layer for each row."""
    from uatlib import yun2020

    # In narrower bands float64 could not follow the steps of the quantizer.
    thin = Fraction(1, 2**20)
    return {
        "deep": {
            **_network(lambda f, N: yun2020.build(f, inverse_delta=N, stage="softmax", width=thin)),
            "cut": CELLS + 1,
            "told": 2 * CELLS + 2,
            "corner": 0,
            "filed": 0.5,
            "quarters": True,
            "keeps": False,
        }
    }


def _kajitsuka() -> Subjects:
    """A staircase to the upper ends of cells, one head of softmax, bumps."""
    from uatlib import kajitsuka2024

    said = {"cut": 1, "told": 2, "corner": 1, "filed": 1, "quarters": False, "keeps": True}
    return {
        "one head": {
            **_network(lambda f, N: kajitsuka2024.build(f, inverse_delta=N, duplicates="keep")),
            **said,
        }
    }


def _liu() -> Subjects:
    """One head whose keys are the centres of the cells, and whose scores fall with the distance from them."""
    from uatlib import liu2025

    def build(f: Target, N: int) -> Construction:
        return liu2025.build(f, inverse_delta=N, form="smoother")

    head: Any = build(mean_product(2), CELLS).model.layers[1]
    heard = [len(keys) for keys in head.mask.neighbours]
    return {"smoother": {**_network(build), "query": heard.index(max(heard))}}


def _cheng() -> Subjects:
    """A staircase to the middle of cells, one layer of a mixer, a memory."""
    from uatlib import cheng2025
    from uatlib.cheng2025 import kernel

    kernels = {
        "softmax": kernel("exp"),
        "RBF": kernel("rbf"),
        "cosh": kernel("cosh"),
        "polynomial": kernel("polynomial", power=2, offset=1),
        "average": CONSTANT,
    }
    same = {"cut": 1, "told": 2, "corner": 0.5, "filed": 0.5, "quarters": False, "keeps": True}

    def builder(mixer: Any) -> Build:
        return lambda f, N: cheng2025.build(f, inverse_delta=N, kernel=mixer, duplicates="keep")

    return {name: {**_network(builder(mixer)), **same} for name, mixer in kernels.items()}


SUBJECTS: Mapping[str, Callable[[], Subjects]] = {
    "yun2020": _yun,
    "kajitsuka2024": _kajitsuka,
    "liu2025": _liu,
    "cheng2025": _cheng,
}
"""By source, its networks. With layers: after how many of them tokens are cut and told apart, where in its cell a cut
token stands and where f is taken (in cells), whether ids are quarters, and whether two tokens in one cell keep their
answers. With one head: which token asks."""
