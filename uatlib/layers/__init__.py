"""The layers of a transformer as frozen data with named weights, each with its map.

    Attention    X + sum_h W_O (W_V Z + b_V) sigma[(W_K Z + b_K)^T (W_Q X + b_Q)] + b_O,  Z = X or a second sequence
    FeedForward  X + W_2 phi(W_1 X + b_1) + b_2
    LinearSum    sum_i P_i X Q_i + R

X has shape (..., d, n) and its columns are the tokens; sigma is softmax or hardmax down the columns, or another
kernel's weights (`kernels`); phi is ReLU or a function with three linear pieces; a bias b stands for b 1_n^T, and one
that is None is zero. The letters are those of yun2020, eq. (1)-(2), and liu2025, section 2. Weights are read-only
arrays of int and Fraction (exact) or of float64. Under a mask sigma runs over the visible keys of each column only.
"""

from .attention import Attention, Head
from .base import Layer
from .feed_forward import RELU, FeedForward, ThreePiece
from .linear_sum import LinearSum

__all__ = ["RELU", "Attention", "FeedForward", "Head", "Layer", "LinearSum", "ThreePiece"]
