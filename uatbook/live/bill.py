"""One function under several proofs: what the network of each makes of it, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from explorables.controls import Control
from explorables.live import Field, stops
from uatlib.checks import choice

from ..figures.style import VALUES
from .held import Build, builders, grids, measured
from .picture import LivePicture
from .square import NODES, PRESETS

__all__ = ["Bill"]


class Bill(LivePicture):
    """f and what the network of each proof answers for token 1, over the square of two tokens, and what each costs.

    f is what the reader has typed or painted last, here or in another picture. The networks are those of `Square`, and
    measured as there; one press makes a picture of all, to be shared.

    Parameters
    ----------
    proofs, sizes, start, title, name : as in `Square`
    preset : the name of the f that is shown to readers who have none

    Raises
    ------
    ValueError
        As in `Square`.
    """

    picture, adopts = "bill", "at once"
    caption = (
        "f, and the answers of each network for token 1, over the square of two tokens; hatched is what it gives up."
    )
    size = (0.6, 396, 396, 528)
    fold = "The bill in words"

    def __init__(
        self,
        proofs: Mapping[str, Build],
        sizes: Sequence[int] = (8, 16),
        *,
        start: int | None = None,
        preset: str = "wave",
        title: str = "Your function, and the bill",
        name: str = "",
    ) -> None:
        builds, offered = builders(proofs), grids(sizes)
        controls: dict[str, Control | Field] = {
            "formula": Field(PRESETS[choice("preset", preset, list(PRESETS))], "f(x\u2081, x\u2082) ="),
            "N": Control(offered, label="cells a side, 1/\u03b4", start=start),
            "paint": Field("", "painted surface", NODES, hidden=True),
        }
        networks = {key: {str(N): _network(build, N) for N in offered} for key, build in builds.items()}
        super().__init__(controls, data={"networks": networks, "values": stops(VALUES)}, title=title, name=name)


def _network(build: Build, N: int) -> dict[str, Any]:
    """What the page needs to know of a network: how to measure it, its sizes, how many weights no f makes 0."""
    g, found = measured(build, N)
    holding = [np.asarray(g.model.layers[k].weights()[name]) for k, name, *_ in found["held"]["layers"]]
    rest = g.model.parameter_count(nonzero=True) - sum(int(np.count_nonzero(weights)) for weights in holding)
    return {**found, "heads": g.claim.heads, "hidden": g.claim.hidden, "not 0": rest}
