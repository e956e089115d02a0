"""Models as pages run them: weights rounded to float64 once, here, for network.js."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from uatlib.arithmetic import FLOAT64
from uatlib.arithmetic.shown import refused
from uatlib.internal.files import Saved
from uatlib.model import Transformer

__all__ = ["lowered"]

KERNELS = ("dot", "rbf", "constant", "cosh", "polynomial")
LAYERS = ("attention", "feed-forward", "linear-sum")
NORMALIZATIONS = ("softmax", "hardmax")
SIZES = ("d_in", "n_in", "d_out", "n_out")
MAX_NUMBERS = 2**16
"""Weights, and pairs of a token and one that it hears: 700 kB in base64."""


def lowered(model: Transformer) -> dict[str, Any]:
    """The model as JSON for `readNetwork` of network.js, which runs it in the page as FLOAT64 does here.

    Pages run what live pictures show: feed-forward layers, linear sums, and attention of one sequence to itself,
    softmax or hardmax, with the kernels exp(x . y), RBF, constant, cosh and polynomial.

    Weights are base64 of little-endian float64, with their shapes; of a mask each query keeps the keys that it hears.

    What float64 cannot tell apart the page does not either: bands of ReLUs that are narrower than the spacing of the
    numbers between them (`yun2020.build` makes them so; give its `width` 2^-20), scores that differ by their rounding.

    Raises
    ------
    ValueError
        No `Transformer`; more than 65,536 weights, or pairs of a token and one that it hears. With number and kind of
        the layer: one of another class, or with a head or kernel of another class; a second sequence, weights E and F,
        attention without normalization; a mask for each sequence of a batch; a weight that exceeds float64.
    """
    if type(model) is not Transformer:
        raise refused("model", "a Transformer itself", model)
    if (count := model.parameter_count()) > MAX_NUMBERS:
        raise ValueError(
            f"model: expected at most {MAX_NUMBERS:,} weights in a page, got {count:,}; take a smaller one."
        )
    layers = [_layer(layer, f"layer {i}") for i, layer in enumerate(model.layers)]
    sizes = {name: getattr(model, name) for name in SIZES}
    return {"format": "uatlib.network", "version": 1, "sizes": sizes, "layers": layers}


def _layer(layer: Any, place: str) -> dict[str, Any]:
    """Its kind, its settings in the page's own words, and its weights."""
    place = f"{place} ({layer.kind if _is_of(layer, LAYERS) else type(layer).__name__})"
    _require(layer, LAYERS, place, "layers")
    settings = layer.settings()
    weights = {name: _packed(array, f"{place}, {name}") for name, array in layer.weights().items()}
    if layer.kind == "attention":
        if settings.pop("cross"):
            raise _cannot(place, "attention of one sequence to itself", "one that hears a second sequence")
        if layer.normalization not in NORMALIZATIONS:
            raise _cannot(place, " or ".join(NORMALIZATIONS), layer.normalization)
        for head in layer.heads:
            _require(head, ("head",), place, "heads")
            if head.w_e is not None or head.w_f is not None:
                raise _cannot(place, "heads without E and F", "projected keys or values")
        settings |= {"kernel": _kernel(layer.kernel, place), "heard": _heard(settings.pop("mask"), place)}
    elif layer.kind == "feed-forward" and settings["activation"] != "relu":
        _require(settings["activation"], ("three-piece",), place, "activations")
        pieces = settings["activation"].settings()
        weights |= {name: _packed(values, f"{place}, {name}") for name, values in pieces.items()}
        settings["activation"] = "three-piece"
    return {"kind": layer.kind, **settings, "weights": weights}


def _is_of(part: Any, kinds: tuple[str, ...]) -> bool:
    return part.kind in kinds and Saved.KINDS[part.kind] is type(part)


def _require(part: object, kinds: tuple[str, ...], place: str, what: str) -> None:
    """ValueError for another class: a subclass may be another map."""
    if not _is_of(part, kinds):
        raise _cannot(place, f"{what} of the kinds {', '.join(kinds)}", type(part).__name__)


def _cannot(place: str, expected: str, got: str) -> ValueError:
    return ValueError(f"{place}: expected {expected}, which pages can run, got {got}; take a drawn picture.")


def _packed(values: object, what: str) -> dict[str, Any]:
    """An array as float64, in base64."""
    array = FLOAT64.array(values, what).numpy().astype("<f8")
    return {"shape": list(array.shape), "data": base64.b64encode(array.tobytes()).decode()}


def _kernel(kernel: Any, place: str) -> dict[str, Any]:
    _require(kernel, KERNELS, place, "kernels")
    settings = {name: FLOAT64.array(v, f"{place}, {name}").tolist() for name, v in kernel.settings().items()}
    return {"kind": kernel.kind, **settings}


def _heard(mask: Any, place: str) -> list[list[int]] | None:
    """For each query the keys that it hears, in order; None: all."""
    if mask is None:
        return None
    if mask.shape[2:]:
        raise _cannot(place, "one mask for all sequences", f"masks of shape {mask.shape}")
    columns = [np.flatnonzero(column) for column in mask.T] if isinstance(mask, np.ndarray) else mask.neighbours
    if (pairs := sum(len(column) for column in columns)) > MAX_NUMBERS:
        raise _cannot(place, f"at most {MAX_NUMBERS:,} pairs of a token and one that it hears", f"{pairs:,}")
    return [column.tolist() for column in columns]
