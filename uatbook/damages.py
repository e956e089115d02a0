"""Damages, by which a statement shows that its certificate can fail.

A damage takes what was built and a random generator, and gives the same with one thing wrong; None where what was
built has nothing of the kind. Those here are of networks, as `in_part` makes them damages of what holds a network:

    damages={"a layer left out": without_a_layer, "doubled": in_a_layer(scaled(OUTPUT, 2))}
    damages={"hardmax": in_part("model", in_a_layer(hardened))}
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from uatlib.layers import Attention, Layer
from uatlib.model import Transformer

Damage = Callable[[Any, np.random.Generator], Any]
"""What was built and a random generator to the same with one thing wrong; None where it has nothing of the kind."""
Change = Callable[[Any], Layer | None]
"""A layer to another; None where it has nothing of the kind."""
OUTPUT = ("w_o", "w_2")
"""The weights by which a layer writes."""


def replaced(parts: Any, **changes: Any) -> Any:
    """A NamedTuple or dataclass with other values of these fields."""
    return parts._replace(**changes) if hasattr(parts, "_replace") else dataclasses.replace(parts, **changes)


def put(**values: Any) -> Damage:
    """These fields of what was built have other values."""
    return lambda parts, rng: replaced(parts, **values)


def mapped(**changes: Callable[[Any], Any]) -> Damage:
    """These fields of what was built become functions of what they were; none where one becomes None."""

    def damaged(parts: Any, rng: np.random.Generator) -> Any:
        values = {name: change(getattr(parts, name)) for name, change in changes.items()}
        return None if any(value is None for value in values.values()) else replaced(parts, **values)

    return damaged


def edited(name: str) -> Callable[[Callable[..., None]], Damage]:
    """A damage that writes into a copy of the array `name`: decorates edit(array, parts, rng)."""

    def decorate(edit: Callable[..., None]) -> Damage:
        def damaged(parts: Any, rng: np.random.Generator) -> Any:
            array = getattr(parts, name).copy()
            edit(array, parts, rng)
            return replaced(parts, **{name: array})

        return damaged

    return decorate


def in_part(name: str, damage: Damage) -> Damage:
    """The damage of the field `name` of what was built."""

    def damaged(parts: Any, rng: np.random.Generator) -> Any:
        part = damage(getattr(parts, name), rng)
        return None if part is None else replaced(parts, **{name: part})

    return damaged


def with_layer(model: Transformer, place: int, *layers: Layer) -> Transformer:
    """The model with `layers`, one or none or several, at `place` in place of its own."""
    kept = [*model.layers[:place], *layers, *model.layers[place + 1 :]]
    return Transformer(kept, n=model.n, encoder=model.encoder)


def without_a_layer(model: Transformer, rng: np.random.Generator) -> Transformer | None:
    """One layer is left out, unless there is only one."""
    return with_layer(model, int(rng.integers(len(model.layers)))) if len(model.layers) > 1 else None


def in_a_layer(change: Change) -> Damage:
    """The change of one layer of a model, at random among those that act and have something of the kind.

    A layer that adds 0 may be louder, or bend elsewhere, and no harm is done.
    """

    def damaged(model: Transformer, rng: np.random.Generator) -> Transformer | None:
        for place in rng.permutation(len(model.layers)).tolist():
            layer = change(model.layers[place]) if model.layers[place].acts else None
            if layer is not None:
                return with_layer(model, place, layer)
        return None

    return damaged


def in_every_layer(change: Change) -> Damage:
    """The change of all layers of a model that have something of the kind, if any has."""

    def damaged(model: Transformer, rng: np.random.Generator) -> Transformer | None:
        layers = [change(layer) for layer in model.layers]
        kept = [old if new is None else new for old, new in zip(model.layers, layers, strict=True)]
        return Transformer(kept, n=model.n) if any(layer is not None for layer in layers) else None

    return damaged


def scaled(names: str | tuple[str, ...], factor: Any) -> Change:
    """All weights of a layer whose names end so, times `factor`."""
    return changed(names, lambda weight: weight * factor)


def shifted(names: str | tuple[str, ...], by: Any) -> Change:
    """All weights of a layer whose names end so, plus `by`."""
    return changed(names, lambda weight: weight + by)


def changed(names: str | tuple[str, ...], new: Callable[[np.ndarray], Any]) -> Change:
    """`new` of all weights of a layer whose names end so."""

    def change(layer: Layer) -> Layer | None:
        weights = layer.weights()
        found = {name: new(weight) for name, weight in weights.items() if name.endswith(names)}
        return layer.with_weights({**weights, **found}) if found else None

    return change


def hardened(layer: Layer) -> Layer | None:
    """Attention with hardmax in place of softmax."""
    if not isinstance(layer, Attention) or layer.normalization != "softmax":
        return None
    return dataclasses.replace(layer, normalization="hardmax")
