"""Models as the page runs them: weights rounded to float64 once, here, for `network.js`."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from ...arithmetic import FLOAT64
from ...arithmetic.border import refused
from ...files import Saved
from ...model import Transformer

__all__ = ["lowered"]

KERNELS = ("dot", "rbf", "constant")
LAYERS = ("attention", "feed-forward", "linear-sum", "bilinear-projection", "separable-convolution")
SIZES = ("d_in", "n_in", "d_out", "n_out", "d_source", "n_source")
MAX_NUMBERS = 2**18
"""Weights, and pairs of a token and one that it hears: three megabytes of the page."""


def lowered(model: Transformer) -> dict[str, Any]:
    """The model as JSON for `readNetwork` of network.js, which runs it in the page as FLOAT64 does here.

    Weights are base64 of little-endian float64, with their shapes; a mask is for each query the keys that it hears.

    Raises
    ------
    ValueError
        No `Transformer`; a layer that the page cannot run, by its number and kind: of another class, with another
        kernel, with a mask for each sequence; a weight that exceeds float64; more than 2^18 weights.
    """
    if type(model) is not Transformer:
        raise refused("model", "a Transformer", model)
    parts = {
        name: [_layer(layer, f"{word}layer {i}") for i, layer in enumerate(given)]
        for name, word, given in (("layers", "", model.layers), ("encoder", "encoder ", model.encoder))
    }
    sizes = {name: getattr(model, name) for name in SIZES}
    return {"format": "uatlib.network", "version": 1, "sizes": sizes, **parts}


def _layer(layer: Any, place: str) -> dict[str, Any]:
    """One layer: its kind, its settings in the page's own words, its weights."""
    place = f"{place} ({layer.kind or type(layer).__name__})"
    if layer.kind not in LAYERS or Saved.KINDS[layer.kind] is not type(layer):
        raise _cannot(place, f"layers of its own kinds only ({', '.join(LAYERS)})")
    settings = layer.settings()
    weights = {name: _packed(array, f"{place}, {name}") for name, array in layer.weights().items()}
    if layer.kind == "attention":
        settings |= {"kernel": _kernel(layer.kernel, place), "heard": _heard(settings.pop("mask"), place)}
    elif layer.kind == "feed-forward" and settings["activation"] != "relu":
        pieces = settings["activation"].settings()
        weights |= {name: _packed(values, f"{place}, {name}") for name, values in pieces.items()}
        settings["activation"] = "three-piece"
    return {"kind": layer.kind, **settings, "n_out": layer.n_out, "weights": weights}


def _cannot(place: str, what: str) -> ValueError:
    return ValueError(f"{place}: the page runs {what}; take another layer, or a drawn picture.")


def _packed(values: Any, what: str) -> dict[str, Any]:
    """An array as float64, in base64."""
    array = FLOAT64.array(values, what).numpy().astype("<f8")
    return {"shape": list(array.shape), "data": base64.b64encode(array.tobytes()).decode()}


def _kernel(kernel: Any, place: str) -> dict[str, Any]:
    if kernel.kind not in KERNELS or Saved.KINDS[kernel.kind] is not type(kernel):
        raise _cannot(place, f"the kernels {', '.join(KERNELS)}")
    numbers = {name: FLOAT64.array([value], f"{place}, {name}").item() for name, value in kernel.settings().items()}
    return {"kind": kernel.kind, **numbers}


def _heard(mask: Any, place: str) -> list[list[int]] | None:
    """For each query the keys that it hears, in order; None: all."""
    if mask is None:
        return None
    if mask.shape[2:]:
        raise _cannot(place, "one mask for all sequences")
    columns = mask.neighbours if isinstance(mask, Saved) else [np.flatnonzero(column) for column in mask.T]
    return [column.tolist() for column in columns]
