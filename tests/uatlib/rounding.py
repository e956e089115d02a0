"""How far two evaluations of a network in float64 may be apart, to first order in the unit roundoff.

Each layer rounds. What its rounding adds at most follows from the usual bounds of sums and products, and reaches the
output through the Jacobian of the layers behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from uatlib.arithmetic import FLOAT64
from uatlib.layers import Attention, FeedForward, Layer

U = 2.0**-53


def affine(w: np.ndarray, x: np.ndarray, e: np.ndarray, b: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """W x + b and its error, for x that is off by e: |W| e + (k + 1) u (|W| |x| + |b|) for sums of k products."""
    w = np.array(w, dtype=np.float64)
    bias = 0.0 if b is None else np.array(b, dtype=np.float64)[:, None]
    return w @ x + bias, abs(w) @ e + (w.shape[1] + 1) * U * (abs(w) @ abs(x) + abs(bias))


def of_feed_forward(layer: FeedForward, x: np.ndarray) -> np.ndarray:
    """What a ReLU layer adds: ReLU enlarges no error."""
    hidden, e = affine(layer.w_1, x, 0 * x, layer.b_1)
    change, e = affine(layer.w_2, np.maximum(hidden, 0), e, layer.b_2)
    return e + U * abs(x + change)


def of_attention(layer: Attention, x: np.ndarray) -> np.ndarray:
    """What softmax attention adds.

    The weight p_i is off by p_i (r_i + sum_k p_k r_k), where r_i is the error of s_i - max, of both scores and of the
    difference, and four units more for exp and quotient, with one for each term of the sum.
    """
    total, size = np.zeros_like(x), abs(x)
    for head in layer.heads:
        (q, e_q), (k, e_k), (v, e_v) = (
            affine(getattr(head, f"w_{letter}"), x, 0 * x, getattr(head, f"b_{letter}")) for letter in "qkv"
        )
        s = k.T @ q
        e_s = abs(k).T @ e_q + e_k.T @ abs(q) + len(q) * U * abs(k).T @ abs(q)
        top = s.argmax(axis=0)
        t, columns = s - s.max(axis=0), np.arange(s.shape[1])
        r = e_s + e_s[top, columns] + U * abs(t) + (len(s) + 4) * U
        p = np.exp(t) / np.exp(t).sum(axis=0)
        e_p = p * (r + (p * r).sum(axis=0))
        heard, e = v @ p, abs(v) @ e_p + e_v @ p + (len(s) + 1) * U * abs(v) @ p
        change, e = affine(head.w_o, heard, e, None)
        total, size = total + e, size + abs(change)
    return total + (len(layer.heads) + 1) * U * size


def carried(layers: Sequence[Layer], x: np.ndarray) -> np.ndarray:
    """How far the output for x of shape (d, n) may be from the true one: sum_l |J_L ... J_{l+1}| e_l."""
    later = np.zeros((x.size, 0))
    for layer in layers:
        lowered = layer.lower(FLOAT64, "layer")
        here = torch.tensor(x)
        jacobian = torch.autograd.functional.jacobian(lambda t, f=layer, w=lowered: f.forward(t, w, FLOAT64), here)
        added = of_feed_forward(layer, x) if isinstance(layer, FeedForward) else of_attention(layer, x)
        # Each column is the error of one number of one layer, on its way to the output.
        later = np.hstack([jacobian.reshape(x.size, x.size).numpy() @ later, np.diag(added.ravel())])
        x = layer.forward(here, lowered, FLOAT64).numpy()
    return abs(later).sum(axis=1).reshape(x.shape)
