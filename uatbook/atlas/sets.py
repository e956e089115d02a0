"""Mixers made for sets, which know no places."""

from __future__ import annotations

import torch
from torch.nn.functional import softmax as normalized

from .attention import one_layer
from .registry import Claim, Pair, drawn, mixer

MEAN = Claim("no", "One layer hears the mean alone: move two tokens apart by the same vector.", one_layer(3))
BALANCED = Claim(
    "no",
    "Tokens in opposite pairs have the sum 0 and stay opposite, as tanh is odd: no token hears a thing, at any depth.",
    lambda n, d, layers: n >= 4 and n % 2 == 0,
)


def centred_triple(n: int, d: int) -> Pair:
    """p, q, -p - q and opposite pairs, which are others in Y."""
    X, m = drawn(d, n), (n - 3) // 2
    X[:, 2] = -X[:, 0] - X[:, 1]
    X[:, 3 + m :] = -X[:, 3 : 3 + m]
    Y = X.clone()
    Y[:, 3:] *= 2
    return X, Y, (0, 0)


TRIPLE = Claim(
    "no",
    "p, q, -p - q and opposite pairs have the sum 0: the first layer is odd in each token, pairs stay opposite, and "
    "the second hears the sum of the three.",
    lambda n, d, layers: layers == 2 and n >= 5 and n % 2 == 1,
    pair=centred_triple,
)


def far_below(n: int, d: int) -> Pair:
    """The last token is 20 or 21 below the others in each entry."""
    X = drawn(d, n)
    X[:, -1] -= 20
    Y = X.clone()
    Y[:, -1] -= 1
    return X, Y, (0, 0)


EXTREME = Claim(
    "no",
    "Only the largest of each entry is heard, and tanh moves it by at most 1 a layer: who is more than twice as far "
    "below as there are layers is not heard.",
    lambda n, d, layers: n > 1,
    pair=far_below,
)
BUMP = Claim(
    "yes",
    "Where d + 1 <= 2d half-spaces leave a small cell round a token, h is a bump there: the maximum hears it alone.",
)


@mixer("Deep Sets, sum", "zaheer2017", "dd dd d", "symmetric", MEAN)
def deep_sets(X: torch.Tensor, L: torch.Tensor, G: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """tanh(L x_i + G sum_j x_j + b)."""
    return torch.tanh(L @ X + (G @ X).sum(dim=1, keepdim=True) + b[:, None])


@mixer("Deep Sets, maximum", "zaheer2017", "dt dt", "symmetric", EXTREME, analytic=False)
def deep_sets_maximum(X: torch.Tensor, L: torch.Tensor, G: torch.Tensor) -> torch.Tensor:
    """tanh(L x_i - G max_j x_j), the maximum entry by entry. A bias would change no claim."""
    return torch.tanh(L @ X - G @ X.amax(dim=1, keepdim=True))


@mixer("CommNet", "sukhbaatar2016", "dt dt", "symmetric", MEAN, BALANCED, TRIPLE)
def comm_net(X: torch.Tensor, H: torch.Tensor, C: torch.Tensor) -> torch.Tensor:
    """tanh(H x_i + C c_i), c_i the mean of all tokens but x_i."""
    others = (X.sum(dim=1, keepdim=True) - X) / max(X.shape[1] - 1, 1)
    return torch.tanh(H @ X + C @ others)


@mixer("PointNet", "qi2017", "md m mm m dd dm d", "symmetric", BUMP, analytic=False)
def point_net(
    X: torch.Tensor,
    W_1: torch.Tensor,
    b_1: torch.Tensor,
    W_2: torch.Tensor,
    b_2: torch.Tensor,
    L: torch.Tensor,
    G: torch.Tensor,
    b: torch.Tensor,
) -> torch.Tensor:
    """max(0, L x_i + G max_j h(x_j) + b) with h two layers max(0, W x + b) of 2d units: the net for segmentation.

    No batch normalization, and no nets that turn the input.
    """
    h = torch.relu(W_2 @ torch.relu(W_1 @ X + b_1[:, None]) + b_2[:, None])
    return torch.relu(L @ X + (G @ h.amax(dim=1) + b)[:, None])


def block(
    X: torch.Tensor, Y: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, W: torch.Tensor
) -> torch.Tensor:
    """MAB(X, Y) = H + max(0, W H) with H = X + W_V Y softmax(<W_K y_j, W_Q x_i>/sqrt(d)), one head."""
    S = (W_K @ Y).mT @ (W_Q @ X) / len(X) ** 0.5
    H = X + W_V @ Y @ normalized(S, dim=0)
    return H + torch.relu(W @ H)


@mixer("Set Transformer, SAB", "lee2019", "dd dd dd dd", "symmetric", analytic=False)
def set_attention(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, W: torch.Tensor
) -> torch.Tensor:
    """MAB(X, X) without the skip: one head, no layer normalization, rFF(h) = max(0, W h)."""
    return block(X, X, W_Q, W_K, W_V, W) - X


@mixer("Set Transformer, ISAB", "lee2019", "2dd 2dd 2dd 2dd d2", "symmetric", analytic=False)
def induced_set_attention(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, W: torch.Tensor, points: torch.Tensor
) -> torch.Tensor:
    """MAB(X, MAB(I, X)) without the skip, two inducing points I; blocks as in SAB, with weights of their own."""
    H = block(points, X, W_Q[0], W_K[0], W_V[0], W[0])
    return block(X, H, W_Q[1], W_K[1], W_V[1], W[1]) - X
