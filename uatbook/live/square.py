"""A network over the unit square, of any of the proofs: f, what the network answers, the error, for any f."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_hex

from explorables.controls import Control
from explorables.goals import Goal
from explorables.live import Field, Handle, Slider, stops
from uatlib.arithmetic import FLOAT64
from uatlib.checks import choice, flag, listed, refused, text
from uatlib.model import Transformer
from uatlib.targets import mean_product

from ..figures.style import ERRORS, STEPS, VALUES
from .held import Build, builders, grids, measured
from .picture import LivePicture

__all__ = ["Square"]

PRESETS = {
    "mean product": "x_1 * (x_1 + x_2) / 2",
    "maximum": "max(x_1, x_2)",
    "distance": "abs(x_1 - x_2)",
    "hill": "8 x_1 (1 - x_1) x_2 (1 - x_2) (1 + (x_1 - x_2) / 2)",
    "wave": "(1 + sin(2 pi (x_1 + 2 x_2))) / 2",
    "two peaks": "(1 - cos(2 pi (x_1 - x_2))) (1 + cos(2 pi (x_1 + x_2))) / 4",
    "ripples": "(1 + cos(18 sqrt((x_1 - 0.5)^2 + (x_2 - 0.5)^2))) / 2",
    "blank": "0",
}
"""The last is a sheet to paint on."""
OWN, PAINTED = "my own formula", "painted by hand"
DUEL = {"wide": (700, 546), "narrow": (279, 590), "low": (720, 480)}
"""The sizes of a picture with two answers."""
LOWERS = "lowers"
"""The brush that does; the other says nothing."""
LEADS = "None, or words and an address"
SEQUENCE = (0.3, 0.8)
"""Of which a layer says what it does."""
NODES = 16**2
"""Places of the square that have a painted height, a letter each."""


class Square(LivePicture):
    """f, a network's answer for token 1, and the error over the square of two tokens x_1, x_2, for any f of the reader.

    f_1 is a formula, perhaps with something painted on it, and f_2(x_1, x_2) = f_1(x_2, x_1). The network is that of a
    proof, and the page runs its layers: of their weights only those of the look-up change with f (`held.held`).

    Parameters
    ----------
    proofs : by the name of its authors, a function that builds the network of a proof for a target and 1/delta
    sizes : the 1/delta that are offered
    start : the one shown first; the first if not given
    against : the proof whose answer stands beside that of the first, in place of the error; none if not given
    preset : the name of the f shown first
    plays : whether the layers run one after another as soon as the picture is seen, where nobody asks for less motion;
        the f shown first is then an example, and a stroke over it begins on a blank square
    onward : words, and the address from the book's root, of where what was painted leads
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        No proofs, or fewer than two sizes; a network that the page cannot run, or whose weights depend on f in another
        way than `held` knows; a start, a preset or a proof against the first that is none of them; an onward that is
        no two texts.
    """

    picture, adopts = "square", "when asked"
    caption = "f, the network's answer for token 1, and the error, over the square of two tokens."
    size = (0.78, 470, 576, 684)

    def __init__(
        self,
        proofs: Mapping[str, Build],
        sizes: Sequence[int] = (2, 4, 8, 16),
        *,
        start: int | None = None,
        against: str | None = None,
        preset: str = "mean product",
        plays: bool = False,
        onward: tuple[str, str] | None = None,
        title: str = "A transformer imitates a function",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        builds = builders(proofs)
        choice("preset", preset, list(PRESETS))
        offered = grids(sizes)
        cells = Control(offered, label="cells a side, 1/\u03b4", start=start)
        several, duel = len(builds) > 1, against is not None
        if duel:
            if not several:
                raise refused("against", "None, as there is one proof alone", against, "Give more, or leave it out.")
            against = choice("against", against, list(builds)[1:])
            self.drawn = DUEL
            self.caption = "f, and the answers of two networks for token 1, over the square of two tokens."
        leads = [] if onward is None else [text("onward", said) for said in listed("onward", onward, LEADS)]
        if onward is not None and len(leads) != 2:
            raise refused("onward", LEADS, onward)
        proof, rival = "first answer" if duel else "proof", "second answer"
        controls: dict[str, Any] = {
            "proof": Control(list(builds), label=proof, beside=True, show=_author, hidden=duel) if several else None,
            "against": Control(list(builds), label=rival, show=_author, start=against, hidden=True) if duel else None,
            "N": cells,
            "f": Control([*PRESETS, OWN, PAINTED], label="f", start=preset),
            "formula": Field(PRESETS[preset], "f(x\u2081, x\u2082) ="),
            "x1": Slider(0, 0.99, 0.3, "x\u2081"),
            "x2": Slider(0, 0.99, 0.8, "x\u2082"),
            "paint": Field("", "painted surface", NODES, hidden=True),
            "brush": Field("", "brush", len(LOWERS), hidden=True),
            "layer": Field("", "layers that have run", 4, hidden=True),
        }
        data = {
            "presets": PRESETS,
            "networks": {key: {str(N): _network(build, N) for N in cells.values} for key, build in builds.items()},
            "values": stops(VALUES),
            "errors": stops(ERRORS),
            "ink": to_hex(ERRORS(2 / 3)),
            "steps": STEPS,
            "plays": flag("plays", plays),
            **({"onward": leads} if leads else {}),
        }
        behind = [*["the grid"][:several], "all figures"]
        self.fold, self.folded = f"More: {', '.join(behind)}", ("N",)[:several]
        cross = Handle("cross, where plus and minus change f, and space plays the layers", x="x1", y="x2")
        there = {key: control for key, control in controls.items() if control is not None}
        super().__init__(there, [cross], data, title=title, name=name, goals=goals)


def _author(proof: str) -> str:
    """Short, as four stand side by side on a phone."""
    return proof.removesuffix(" et al.")


def _network(build: Build, N: int) -> dict[str, Any]:
    """What the page needs to know of a network: its layers, what holds f, and what is proved of the mean product."""
    g, found = measured(build, N)
    claim = build(mean_product(2), N).claim
    bands = sum(term.bound for term in claim.terms if term.key == "bands")
    bounds = (claim.error - bands, bands, g.sup_error)
    return {
        **found,
        "steps": _steps(g.model),
        "proved": [bound if bound is None else math.ceil(1000 * bound) / 1000 for bound in bounds],
        "everywhere": math.isinf(claim.domain[1]),
    }


def _steps(model: Transformer) -> list[int] | None:
    """After how many layers tokens are cut, and told apart, by attention between others; None: it is not so.

    Attention alone cuts nothing: a linear map puts both tokens into one column, less 1/2, for a head to look up.
    """
    kinds = [layer.kind for layer in model.layers]
    if kinds == ["linear-sum", "attention", "linear-sum"]:
        _, state, *_ = model.trace(np.array([SEQUENCE]), FLOAT64)
        pair = np.asarray(state)[:2, 0]
        return [0, 1] if np.allclose(pair, np.array(SEQUENCE) - 0.5) else None
    cut = kinds.index("attention")
    told = len(kinds) - kinds[::-1].index("attention")
    parts = {*kinds[:cut]}, {*kinds[cut:told]}, {*kinds[told:]}
    return [cut, told] if parts == ({"feed-forward"}, {"attention"}, {"feed-forward"}) else None
