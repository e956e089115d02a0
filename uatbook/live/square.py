"""A network of yun2020, Theorem 2, over the unit square: f, what the network answers, the error, for any f."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.colors import to_hex

from uatlib.explorer.controls import Control
from uatlib.model import Transformer

from ..figures.style import ERRORS, VALUES
from .controls import Field, Handle, Slider
from .lowered import lowered
from .picture import LivePicture, stops

__all__ = ["Square"]

PRESETS = {
    "mean product": "x_1 * (x_1 + x_2) / 2",
    "maximum": "max(x_1, x_2)",
    "distance": "abs(x_1 - x_2)",
    "hill": "8 x_1 (1 - x_1) x_2 (1 - x_2) (1 + (x_1 - x_2) / 2)",
    "wave": "(1 + sin(2 pi (x_1 + 2 x_2))) / 2",
    "ripples": "(1 + cos(18 sqrt((x_1 - 0.5)^2 + (x_2 - 0.5)^2))) / 2",
}
OWN, PAINTED = "my own formula", "painted by hand"
BRUSH = ("moves the cross", "raises f", "lowers f")
NODES = 16**2
"""Places of the square that have a painted height, a letter each."""


class Square(LivePicture):
    """f, a network's answer for token 1, and the error over the square of two tokens x_1, x_2, for any f of the reader.

    f_1 is a formula, perhaps with something painted on it, and f_2(x_1, x_2) = f_1(x_2, x_1). Of the network only the
    look-up changes with f.

    Parameters
    ----------
    networks : by 1/delta, a network for n = 2 tokens of d = 1 numbers, and how its look-up depends on f: the pair that
        `uatlib.yun2020.look_up.look_up` gives
    start : the 1/delta shown first; the first if not given
    preset : the name of the f shown first
    title, name : as in `LivePicture`

    Raises
    ------
    ValueError
        No such networks, fewer than two, or one that the page cannot run; a start or preset that is none of them.
    """

    picture = "square"
    size = (0.66, 416, 470)

    def __init__(
        self,
        networks: Mapping[int, tuple[Transformer, Mapping[str, object]]],
        *,
        start: int | None = None,
        preset: str = "mean product",
        title: str = "A transformer imitates a function",
        name: str = "",
    ) -> None:
        known = dict(networks) if isinstance(networks, Mapping) else {}
        if len(known) < 2 or not all(_fits(N, pair) for N, pair in known.items()):
            raise ValueError(
                "networks: expected at least two pairs of a Transformer and its look-up for n = 2 and d = 1, by "
                f"1/delta, got {str(networks)[:60]}; make them with look_up(build(...))."
            )
        if preset not in list(PRESETS):
            raise ValueError(f"preset: expected one of {', '.join(PRESETS)}, got {str(preset)[:60]}.")
        controls: dict[str, Any] = {
            "f": Control([*PRESETS, OWN, PAINTED], label="f", start=preset),
            "formula": Field(PRESETS[preset], "f(x₁, x₂) ="),
            "N": Control(list(known), label="cells a side, 1/δ", start=start),
            "brush": Control(list(BRUSH), label="dragging on f"),
            "x1": Slider(0, 0.99, 0.3, "x₁"),
            "x2": Slider(0, 0.99, 0.8, "x₂"),
            "paint": Field("", "painted surface", NODES, hidden=True),
        }
        data = {
            "presets": PRESETS,
            "networks": {
                str(N): {"network": lowered(model), "weights": model.parameter_count(), **table}
                for N, (model, table) in known.items()
            },
            "values": stops(VALUES),
            "errors": stops(ERRORS),
            "ink": to_hex(ERRORS(2 / 3)),
        }
        cross = Handle("cross, where plus and minus change f if dragging does", x="x1", y="x2")
        super().__init__(controls, [cross], data, title=title, name=name)


def _fits(N: object, pair: object) -> bool:
    if not isinstance(N, int) or isinstance(N, bool) or not isinstance(pair, tuple) or len(pair) != 2:
        return False
    model, table = pair
    return isinstance(model, Transformer) and model.d_in == 1 and isinstance(table, Mapping) and "columns" in table
