"""Feed-forward layers that bend and follow affine maps: Definition 2."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import EXACT
from uatlib.certificate import Certificate, Check
from uatlib.checks import whole
from uatlib.internal.shapes import Numbers
from uatlib.layers import FeedForward
from uatlib.model import Transformer

from ..damages import mapped
from ..registry import register

# --------------------------------------------------------------------------------------------------------- Definition 2


def affine_image(layer: FeedForward, W: Numbers, A: Numbers, b: Numbers) -> FeedForward:
    """W h(A x - b) as a ReLU layer, for the layer h(x) = W_2 relu(W_1 x + b_1) + b_2: as many hidden units.

    Source: cheng2025, Definition 2.
    """
    W, A, b = (np.array(weight, dtype=object) for weight in (W, A, b))
    b_1 = np.zeros(len(layer.w_1), dtype=int) if layer.b_1 is None else layer.b_1
    b_2 = None if layer.b_2 is None else W @ layer.b_2
    return FeedForward(layer.w_1 @ A, b_1 - layer.w_1 @ b, W @ layer.w_2, b_2, skip=layer.skip)


class Image(NamedTuple):
    """Layers h of a family and W h(A . - b), which is to be one of them, and a Lipschitz constant of each h."""

    layers: list[FeedForward]
    maps: list[tuple[np.ndarray, np.ndarray, np.ndarray]]
    images: list[FeedForward]
    constants: list[int]


def _certify_definition_2(parts: Image) -> Certificate:
    """Each layer and its image at all points of {-2, ..., 2}^d, exactly."""
    d = parts.layers[0].d_in or 1
    points = np.array(list(itertools.product(range(-2, 3), repeat=d)), dtype=object).T
    wrong, bends, steep = [], [], []
    for h, (W, A, b), image, constant in zip(parts.layers, parts.maps, parts.images, parts.constants, strict=True):
        run = Transformer([h])
        values = run(points, EXACT)
        apart = Transformer([image])(points, EXACT) - W @ run(A @ points - b[:, None], EXACT)
        wrong.append(abs(apart).max())
        steps = np.ones((d, 1), dtype=object)
        bends.append(abs(run(points + steps, EXACT) + run(points - steps, EXACT) - 2 * values).max())
        rise = abs(run(points + steps, EXACT) - values).max(axis=0)
        steep.append(rise - constant)

    def which(k: int) -> dict[str, Any]:
        return dict(zip("WAb", parts.maps[k], strict=True))

    more = max(len(i.w_1) - len(h.w_1) for h, i in zip(parts.layers, parts.images, strict=True))
    cases = len(parts.layers) * points.shape[1]
    checks = [
        Check.worst("|W h(A x - b) - h'(x)|, h' of the family, largest", wrong, "==", 0, which, cases=cases),
        Check("hidden units of h' more than of h", more, "==", 0, "the widest", cases=len(parts.layers)),
        Check("|h(x + u) + h(x - u) - 2 h(x)|, u = (1, ..., 1), largest", max(bends), ">", 0, "all h", cases=cases),
        Check.worst(
            "rise of h from x to x + u less its constant", np.array(steep), "<=", 0, lambda h, k: {"x": points[:, k]}
        ),
    ]
    return Certificate(checks, parameters={"d": d, "hidden": len(parts.layers[0].w_1), "layers": len(parts.layers)})


def _image_of(change: Callable[[FeedForward, Any, Any, Any], FeedForward]) -> Any:
    """Another image of each layer."""

    def damaged(parts: Image, rng: np.random.Generator) -> Image:
        images = [change(h, *maps) for h, maps in zip(parts.layers, parts.maps, strict=True)]
        return parts._replace(images=images)

    return damaged


def _without_bias(parts: Image, rng: np.random.Generator) -> Image:
    """The family of layers without biases, as many models have them: W h(A x - b) would need one."""
    layers = [FeedForward(h.w_1, None, h.w_2, skip=False) for h in parts.layers]
    maps = zip(layers, parts.maps, strict=True)
    images = [FeedForward(affine_image(h, *m).w_1, None, affine_image(h, *m).w_2, skip=False) for h, m in maps]
    return parts._replace(layers=layers, images=images)


def _straight(parts: Image, rng: np.random.Generator) -> Image:
    """No unit bends near the points."""
    layers = [FeedForward(h.w_1, h.b_1 + 10**6, h.w_2, h.b_2, skip=False) for h in parts.layers]
    return parts._replace(layers=layers, images=[affine_image(h, *m) for h, m in zip(layers, parts.maps, strict=True)])


@register(
    "cheng2025:def-2",
    "ReLU layers with biases, of any fixed width, are nonlinear and affine-invariant",
    source="Definition 2",
    chapter="cheng-condition",
    construction=affine_image,
    certify=_certify_definition_2,
    cases=[{"d": 1, "hidden": 1}, {"d": 3, "hidden": 4}],
    damages={
        "b added": _image_of(lambda h, W, A, b: affine_image(h, W, A, -b)),
        "W and A exchanged": _image_of(lambda h, W, A, b: affine_image(h, A, W, b)),
        "no biases": _without_bias,
        "no bends": _straight,
        "a constant too small": mapped(constants=lambda constants: [0] * len(constants)),
        "a unit more": _image_of(
            lambda h, W, A, b: affine_image(
                FeedForward(
                    np.vstack([h.w_1, h.w_1[:1]]), [*h.b_1, 0], np.hstack([h.w_2, 0 * h.w_2[:, :1]]), h.b_2, skip=False
                ),
                *(W, A, b),
            )
        ),
    },
)
def family(*, d: int = 2, hidden: int = 2) -> Image:
    """Layers with random whole weights, W and A singular ones among them."""
    d, r, rng = whole("d", d, 1, 4), whole("hidden", hidden, 1, 8), np.random.default_rng(0)

    def drawn(*shape: int) -> np.ndarray:
        return rng.choice([-3, -2, -1, 1, 2, 3], shape).astype(object)

    layers = [FeedForward(drawn(r, d), drawn(r), drawn(d, r), drawn(d), skip=False) for _ in range(8)]
    maps = [(drawn(d, d), drawn(d, d) if k else np.ones((d, d), dtype=object), drawn(d)) for k in range(8)]
    constants = [int((abs(h.w_2) @ abs(h.w_1)).sum(axis=1).max()) for h in layers]
    return Image(layers, maps, [affine_image(h, *m) for h, m in zip(layers, maps, strict=True)], constants)
