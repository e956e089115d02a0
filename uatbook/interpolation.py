"""A layer of ReLUs through given points."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from uatlib.checks import shown
from uatlib.internal.shapes import Numbers
from uatlib.layers import FeedForward


def interpolating_layer(
    Z: Numbers, answers: Numbers, reading: Sequence[Fraction], t: Sequence[Fraction]
) -> FeedForward:
    """The feed-forward layer that maps z_j to y_j for given points, whose readings t_j = a^T z_j are all different.

        z + W_2 relu(1 a^T z - t) + b_2,  with kinks at t_1 < ... < t_{m-1} and b_2 = y_1 - z_1

    Between two readings what is added is linear, with slope s_j = (y_{j+1} - z_{j+1} - y_j + z_j) / (t_{j+1} - t_j), so
    the columns of W_2 are s_1 and s_j - s_{j-1}.

    Parameters
    ----------
    Z, answers : shape (m, d), m >= 2, rationals
    """
    order = sorted(range(len(t)), key=lambda j: t[j])
    added = (np.asarray(answers, dtype=object) - np.asarray(Z, dtype=object))[order]
    kinks = np.array([t[j] for j in order], dtype=object)
    if len(set(t)) < max(2, len(t)):
        raise ValueError(f"t: expected two different readings or more, got {shown(list(t))}; take another vector.")
    slopes = (added[1:] - added[:-1]) / (kinks[1:] - kinks[:-1])[:, None]
    bends = np.concatenate([slopes[:1], slopes[1:] - slopes[:-1]])
    return FeedForward([list(reading)] * len(bends), -kinks[:-1], bends.T, added[0])
