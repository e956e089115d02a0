"""One head of attention in the plane: who hears whom, and where the layer puts each token, under the reader's hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from explorables.controls import Control
from explorables.goals import Goal
from explorables.live import Handle, Slider
from uatlib.checks import choice, instance, listed, mapping, refused, shown
from uatlib.model import Transformer

from .lowered import lowered
from .parsers import entry, parsed
from .picture import LivePicture

__all__ = ["Attention"]

Place = tuple[float, float]
POSITIONS = ("first", "second", "third", "fourth", "fifth")
PANELS = ("close-up", "weights", "scores")
MOST_SCALE = 100
TENTHS = "with one decimal, in the window"


class Attention(LivePicture):
    """Tokens in the plane, which the reader drags, and one head: X + W_O (W_V X) sigma[(W_K X)^T (W_Q X)].

    The reader drags tokens and weights and chooses what sigma is, the factor of the scores and the mask. With two
    contexts, tokens of one name are one token, and the picture tells whether the layer gives it the same in both: a
    close-up of each, with a scale of its own, shows a difference however small. Tables of weights or scores may take
    its place.

    Parameters
    ----------
    networks : by name, models of one attention layer with one head without biases, softmax or hardmax, d = 2, no mask;
        those that differ by their kernels make a menu of kernels
    examples : by name, one or two contexts: by name, two to five tokens, all contexts of an example equally many: by
        name, their places, which tokens of one name share
    vectors : weights that are handles: by name as in "w_K", the names of the head's weights that are this vector (two
        numbers each), or a mapping of those by the name of the network
    masks : by name, None or a mask as `layers.Attention` takes it; more than one makes a menu
    scale : the factor of the scores shown first and the largest, up to 100, under softmax with the kernels exp(x . y)
        and exp(-gamma |x - y|^2); None: scores as they are. Its steps are 0.0001 up to 1, and 0.01 beyond
    window : x from, x to, y from, y to: what can be reached in the plane
    listener : "first" to "fifth", the position whose hearing is drawn first
    title, name, goals : as in `LivePicture`

    Raises
    ------
    ValueError
        Networks of other layers, or that the page cannot run; contexts, vectors, masks that do not fit them; numbers
        outside of the window.
    """

    picture: ClassVar[str] = "attention"
    caption = "Tokens in the plane, and where one head sends them."

    def __init__(
        self,
        networks: Mapping[str, Transformer],
        examples: Mapping[str, Mapping[str, Mapping[str, Place]]],
        vectors: Mapping[str, Sequence[str] | Mapping[str, Sequence[str]]],
        *,
        masks: Mapping[str, object] | None = None,
        scale: tuple[float, float] | None = None,
        window: Sequence[float],
        listener: str = "first",
        title: str = "Who hears whom",
        name: str = "",
        goals: Mapping[str, str | Goal] | None = None,
    ) -> None:
        self.masks = {"none": None} if masks is None else dict(_named("masks", masks))
        self.networks = {
            key: _fits(entry("networks", key), model) for key, model in _named("networks", networks).items()
        }
        self.window = _window(window)
        self.examples = {
            key: _example(entry("examples", key), given, self.window)
            for key, given in _named("examples", examples).items()
        }
        self.vectors = {key: self._vector(key, given) for key, given in mapping("vectors", vectors).items()}
        most = max(len(context) for given in self.examples.values() for context in given.values())
        self.size = (0.72, 480, 500, 330 + 20 * max(4, most))
        menus = (
            ("example", "contexts", self.examples), ("network", self._differ(), self.networks),
            ("mask", "mask", self.masks),
        )  # fmt: skip
        controls: dict[str, Any] = {key: Control(list(of), label=label) for key, label, of in menus if len(of) > 1}
        choice("listener", listener, POSITIONS[:most])
        controls["listener"] = Control(POSITIONS[:most], label="listener", start=listener)
        alone = all(len(given) < 2 for given in self.examples.values())
        controls["panel"] = Control(PANELS[1:] if alone else PANELS, label="close-up or table")
        if scale is not None:
            first, largest = _scale(scale)
            controls["scale"] = Slider(0, largest, first, "sharpness λ", 4 if largest <= 1 else 2)
        self.folded = list(controls)[2:]
        handles = []
        self.places: dict[tuple[str, str], str] = {}
        (left, right), (low, high) = self.window
        for key, given in self.examples.items():
            for token, (x, y) in {token: at for context in given.values() for token, at in context.items()}.items():
                k = len(self.places) + 1
                self.places[key, token] = f"{k}"
                controls |= {f"x{k}": Slider(left, right, x, "x", 1), f"y{k}": Slider(low, high, y, "y", 1)}
                handles.append(Handle(f"token {token}", f"x{k}", f"y{k}"))
        for k, (key, (_, (x, y))) in enumerate(self.vectors.items(), 1):
            controls |= {
                f"u{k}": Slider(left, right, x, "first entry", 1),
                f"v{k}": Slider(low, high, y, "second entry", 1),
            }
            handles.append(Handle(f"weights {key}", f"u{k}", f"v{k}"))
        super().__init__(controls, handles, self._data(), title=title, name=name, goals=goals)

    def _differ(self) -> str:
        """What the reader chooses with a network: a kernel, where softmax is all that they have in common."""
        layers: list[Any] = [model.layers[0] for model in self.networks.values()]
        kernels = len({layer.kernel.kind for layer in layers}) > 1
        return "kernel" if kernels and {layer.normalization for layer in layers} == {"softmax"} else "attention"

    def _vector(self, key: str, given: Any) -> tuple[dict[str, list[str]], Place]:
        """For each network the weights that are this vector, and where it starts: that of the first network."""
        chosen = given if isinstance(given, Mapping) else dict.fromkeys(self.networks, given)
        names = {network: listed(entry("vectors", key), chosen.get(network, ())) for network in self.networks}
        found = {
            _place(self.networks[network].layers[0].weights().get(f"head0.{weight}"), self.window)
            for network, weights in names.items()
            for weight in weights
        }
        start = found.pop() if len(found) == 1 else None
        if start is None:
            raise ValueError(
                f"{entry('vectors', key)}: expected names of weights of two numbers, {TENTHS}, the same in all "
                f"networks, got {shown(given)}."
            )
        return names, start

    def _data(self) -> dict[str, Any]:
        """What the script needs: networks and masks as `lowered` gives them."""
        (one, *_), heard = self.networks.values(), {}
        for key, mask in self.masks.items():
            try:
                heard[key] = lowered(_with(one, mask=mask))["layers"][0]["heard"]
            except ValueError as error:
                raise ValueError(f"{entry('masks', key)}: {error}") from None
            for contexts in self.examples.values():
                for context in contexts.values():
                    if heard[key] and len(heard[key]) != len(context):
                        raise ValueError(
                            f"{entry('masks', key)}: expected a mask for {len(context)} tokens, got {len(heard[key])}."
                        )
        examples = {
            key: {context: [[token, int(self.places[key, token])] for token in row] for context, row in given.items()}
            for key, given in self.examples.items()
        }
        return {
            "networks": {key: lowered(model) for key, model in self.networks.items()},
            "heard": heard,
            "examples": examples,
            "starts": self._starts(),
            "line": {key: self._line(model.layers[0]) for key, model in self.networks.items()},
            "vectors": {key: names for key, (names, _) in self.vectors.items()},
            "window": self.window,
            "positions": POSITIONS,
        }

    def _starts(self) -> dict[str, Place]:
        """Places of tokens that are named by a number, which no longer holds elsewhere."""
        return {
            k: next(row[token] for row in self.examples[key].values() if token in row)
            for (key, token), k in self.places.items()
            if token.replace("\N{MINUS SIGN}", "").replace(".", "").isdecimal()
        }

    def _line(self, layer: Any) -> dict[str, float] | None:
        """First entries of key and query, if scores are their product and all tokens start on the axis; else None."""
        tokens = [place for given in self.examples.values() for row in given.values() for place in row.values()]
        (head,) = layer.heads
        if layer.kernel.kind != "dot" or len(head.w_k) > 1 or any(y for _, y in tokens):
            return None
        return {name: float(np.ravel(getattr(head, name))[0]) for name in ("w_k", "w_q")}


def _with(model: Transformer, **changes: object) -> Transformer:
    layer: Any = model.layers[0]
    return Transformer([replace(layer, **changes)])


# ------------------------------------------------------------------------------------------------------------- the door


def _named(name: str, value: object) -> dict[str, object]:
    found = mapping(name, value)
    if not found:
        raise refused(name, "one or more by name", value)
    return found


def _window(window: object) -> tuple[Place, Place]:
    row = parsed(window)
    if row.shape != (4,) or not (row[0] < row[1] and row[2] < row[3]):
        raise ValueError(f"window: expected x from, x to, y from, y to, got {shown(window)}.")
    left, right, low, high = row.tolist()
    return (left, right), (low, high)


def _scale(scale: object) -> Place:
    row = parsed(scale)
    if row.shape != (2,) or not 0 <= row[0] <= row[1] <= MOST_SCALE or not row[1]:
        raise ValueError(
            f"scale: expected None, or the first and the largest factor, from 0 to {MOST_SCALE}, got {shown(scale)}."
        )
    return float(row[0]), float(row[1])


def _place(given: object, window: tuple[Place, Place]) -> Place | None:
    """Two numbers that sliders of the window can hold; None if it is something else."""
    row = parsed(given).ravel().tolist()
    if len(row) != 2:
        return None
    held = all(low <= t <= high and round(t, 1) == t for t, (low, high) in zip(row, window, strict=True))
    return (float(row[0]), float(row[1])) if held else None


def _fits(what: str, model: Any) -> Transformer:
    """The model, if it is one layer that this picture can show; ValueError otherwise."""
    lowered(instance(what, model, Transformer))
    (layer, *others), got = model.layers, "other sizes"
    if others or layer.kind != "attention" or len(layer.heads) > 1:
        got = f"layers {', '.join(one.kind for one in model.layers)}, {len(getattr(layer, 'heads', ()))} heads"
    elif layer.mask is not None or not layer.skip:
        got = "a mask or no skip connection"
    elif layer.heads[0].w_q.shape[1] == 2 and {"w_q", "w_k", "w_v", "w_o"} == {
        name.removeprefix("head0.") for name in layer.weights()
    }:
        return model
    raise ValueError(
        f"{what}: expected one layer of attention with d = 2 and one head without biases, softmax or hardmax, no mask, "
        f"got {got}."
    )


def _example(what: str, given: object, window: tuple[Place, Place]) -> dict[str, dict[str, Place]]:
    """Contexts of one example, or ValueError."""
    contexts = {key: _named(entry(what, key), row) for key, row in _named(what, given).items()}
    sizes = {len(row) for row in contexts.values()}
    if len(contexts) > 2 or len(sizes) > 1 or not 2 <= min(sizes) <= len(POSITIONS):
        raise ValueError(
            f"{what}: expected one or two contexts of two to five tokens, equally many, got "
            f"{', '.join(str(len(row)) for row in contexts.values())} tokens."
        )
    places: dict[str, Place] = {}
    for key, row in contexts.items():
        for token, given_place in row.items():
            place = _place(given_place, window)
            if place is None or places.setdefault(token, place) != place:
                raise ValueError(
                    f"{entry(entry(what, key), token)}: expected two numbers, {TENTHS}, the same in both contexts, got "
                    f"{shown(given_place)}."
                )
    return {key: {token: places[token] for token in row} for key, row in contexts.items()}
