"""Damages, by which a statement shows that its certificate can fail.

A damage takes what was built and a random generator, and gives the same with one thing wrong; None where what was
built has nothing of the kind. Some are of the fields of what was built; the others are of networks, and `in_part` makes
them damages of what holds a network:

    damages={"too small": mapped(precision=lambda R: R / 4), "the last": put(cells=last)}
    damages={"a layer left out": without_a_layer, "doubled": in_a_layer(scaled(OUTPUT, 2))}
    damages={"hardmax": in_part("model", in_a_layer(hardened))}

Those of NETWORK are of every network, and some of them do no harm: a weight changes that nothing depends on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from uatlib.kernels import CONSTANT
from uatlib.layers import RELU, Attention, FeedForward, Layer, LinearSum, ThreePiece
from uatlib.model import Transformer

Damage = Callable[[Any, np.random.Generator], Any]
"""What was built and a random generator to the same with one thing wrong; None where it has nothing of the kind."""
Change = Callable[[Any], Layer | None]
"""A layer to another; None where it has nothing of the kind."""
RandomChange = Callable[[Any, np.random.Generator], Layer | None]
OUTPUT = ("w_o", "w_2")
"""The weights by which a layer writes."""


def replaced(parts: Any, **changes: Any) -> Any:
    """A NamedTuple or dataclass with other values of these fields."""
    return parts._replace(**changes) if hasattr(parts, "_replace") else dataclasses.replace(parts, **changes)


def put(**values: object) -> Damage:
    """These fields of what was built have other values."""
    return lambda parts, rng: replaced(parts, **values)


def mapped(**changes: Callable[[Any], object]) -> Damage:
    """These fields of what was built become functions of what they were; none where one becomes None."""

    def damaged(parts: object, rng: np.random.Generator) -> Any:
        values = {name: change(getattr(parts, name)) for name, change in changes.items()}
        return None if any(value is None for value in values.values()) else replaced(parts, **values)

    return damaged


def edited(name: str) -> Callable[[Callable[..., None]], Damage]:
    """A damage that writes into a copy of the array `name`: decorates edit(array, parts, rng)."""

    def decorate(edit: Callable[..., None]) -> Damage:
        def damaged(parts: object, rng: np.random.Generator) -> Any:
            array = getattr(parts, name).copy()
            edit(array, parts, rng)
            return replaced(parts, **{name: array})

        return damaged

    return decorate


def in_part(name: str, damage: Damage) -> Damage:
    """The damage of the field `name` of what was built."""

    def damaged(parts: object, rng: np.random.Generator) -> Any:
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


def at_random(change: RandomChange) -> Damage:
    """The change of one layer of a model, at random among those that have something of the kind."""

    def damaged(model: Transformer, rng: np.random.Generator) -> Transformer | None:
        for place in rng.permutation(len(model.layers)).tolist():
            layer = change(model.layers[place], rng)
            if layer is not None:
                return with_layer(model, place, layer)
        return None

    return damaged


def in_a_layer(change: Change) -> Damage:
    """The change of one layer of a model, at random among those that act and have something of the kind.

    A layer that adds 0 may be louder, or bend elsewhere, and no harm is done.
    """
    return at_random(lambda layer, rng: change(layer) if layer.acts else None)


def in_every_layer(change: Change) -> Damage:
    """The change of all layers of a model that have something of the kind, if any has."""

    def damaged(model: Transformer, rng: np.random.Generator) -> Transformer | None:
        layers = [change(layer) for layer in model.layers]
        kept = [old if new is None else new for old, new in zip(model.layers, layers, strict=True)]
        return Transformer(kept, n=model.n) if any(layer is not None for layer in layers) else None

    return damaged


def scaled(names: str | tuple[str, ...], factor: object) -> Change:
    """All weights of a layer whose names end so, times `factor`."""
    return changed(names, lambda weight: weight * factor)


def shifted(names: str | tuple[str, ...], by: object) -> Change:
    """All weights of a layer whose names end so, plus `by`."""
    return changed(names, lambda weight: weight + by)


def changed(names: str | tuple[str, ...], new: Callable[[np.ndarray], object]) -> Change:
    """`new` of all weights of a layer whose names end so."""

    def change(layer: Layer) -> Layer | None:
        weights = layer.weights()
        others = {name: new(weight) for name, weight in weights.items() if name.endswith(names)}
        return layer.with_weights({**weights, **others}) if others else None

    return change


def hardened(layer: Layer) -> Layer | None:
    """Attention with hardmax in place of softmax."""
    if not isinstance(layer, Attention) or layer.normalization != "softmax":
        return None
    return dataclasses.replace(layer, normalization="hardmax")


# ------------------------------------------------------------------------------------------------- of every network


def _altered(value: Any, rng: np.random.Generator) -> Any:
    """Another number: negative, doubled, a little more or less, one more; of 0 also a number from 1/8 to 1."""
    if rng.integers(5) == 0:
        return value + Fraction(int(rng.choice([-1, 1])), 10**4)
    if value == 0:
        return Fraction(int(rng.integers(1, 9)), 8)
    factor = [Fraction(-1), Fraction(2), Fraction(0), 1 + Fraction(1, 8), 1 + Fraction(1, 1000)][rng.integers(5)]
    return value * factor if rng.integers(6) else value + 1


def _weight(layer: Layer, rng: np.random.Generator) -> Layer:
    """One weight or bias is another number."""
    weights = {name: array.copy() for name, array in layer.weights().items()}
    name = list(weights)[rng.integers(len(weights))]
    place = tuple(rng.integers(size) for size in weights[name].shape)
    weights[name][place] = _altered(weights[name][place], rng)
    return layer.with_weights(weights)


def _bias(layer: Any, rng: np.random.Generator) -> Layer | None:
    """One entry of the output gets more."""
    if isinstance(layer, LinearSum):
        return None
    name = "b_o" if isinstance(layer, Attention) else "b_2"
    more = np.zeros(layer.d_out, dtype=object)
    more[rng.integers(layer.d_out)] = Fraction(int(rng.integers(1, 9)), 8)
    return replaced(layer, **{name: layer.weights().get(name, 0) + more})


def _activation(layer: Any, rng: np.random.Generator) -> Layer | None:
    """One number of a three-piece activation changes, or it is ReLU; ReLU gets three pieces that are the identity."""
    if not isinstance(layer, FeedForward):
        return None
    phi: Any = ThreePiece((0, 1), (1, 1, 0), (0, 0, 1))
    if isinstance(layer.activation, ThreePiece):
        numbers: dict[str, Any] = {name: list(getattr(layer.activation, name)) for name in ThreePiece.NAMES}
        name = ThreePiece.NAMES[rng.integers(len(ThreePiece.NAMES))]
        k = int(rng.integers(len(numbers[name])))
        numbers[name][k] = _altered(numbers[name][k], rng)
        is_one = numbers["breakpoints"][0] <= numbers["breakpoints"][1] and 0 in numbers["slopes"]
        phi = ThreePiece(**numbers) if is_one and rng.integers(6) else RELU
    return replaced(layer, activation=phi)


def _head(layer: object, rng: np.random.Generator) -> Layer | None:
    """One head less, or the only one twice."""
    if not isinstance(layer, Attention):
        return None
    heads = list(layer.heads)
    k = int(rng.integers(len(heads)))
    return replaced(layer, heads=heads[:k] + heads[k + 1 :] if len(heads) > 1 else heads * 2)


def _other_max(layer: object, rng: np.random.Generator) -> Layer | None:
    """Softmax for hardmax, or hardmax for softmax."""
    if not isinstance(layer, Attention):
        return None
    return replaced(layer, normalization="hardmax" if layer.normalization == "softmax" else "softmax")


def _masked(model: Transformer, rng: np.random.Generator) -> Transformer | None:
    """In one layer of attention each token hears those before it, or one does not hear one."""
    places = [k for k, layer in enumerate(model.layers) if isinstance(layer, Attention)]
    if not places:
        return None
    place = int(rng.choice(places))
    n = next((layer.n_out for layer in model.layers[:place][::-1] if layer.n_out), model.n or 1)
    visible = np.triu(np.ones((n, n), dtype=bool))
    if rng.integers(2):
        visible = np.ones((n, n), dtype=bool)
        visible[rng.integers(n), rng.integers(n)] = False
    layer: Any = model.layers[place]
    return with_layer(model, place, layer.with_mask(visible))


def _twice(model: Transformer, rng: np.random.Generator) -> Transformer:
    place = int(rng.integers(len(model.layers)))
    return with_layer(model, place, *[model.layers[place]] * 2)


def _exchanged(model: Transformer, rng: np.random.Generator) -> Transformer | None:
    if len(model.layers) < 2:
        return None
    one, other = rng.choice(len(model.layers), 2, replace=False).tolist()
    return with_layer(with_layer(model, one, model.layers[other]), other, model.layers[one])


NETWORK: Mapping[str, Damage] = {
    "a weight": at_random(_weight),
    "a bias": at_random(_bias),
    "an activation": at_random(_activation),
    "a head": at_random(_head),
    "no skip": at_random(lambda layer, rng: replaced(layer, skip=False) if layer.skip else None),
    "a mask": _masked,
    "softmax and hardmax": at_random(_other_max),
    "keys alike": at_random(
        lambda layer, rng: replaced(layer, kernel=CONSTANT) if isinstance(layer, Attention) else None
    ),
    "left out": without_a_layer,
    "twice": _twice,
    "exchanged": _exchanged,
}
"""What can go wrong in any network; ValueError where what comes of it is none, as layers do not fit."""
