"""Mixing by place: matrices, convolutions and transforms that are the same for every sequence, some with gates."""

from __future__ import annotations

import math

import torch
from torch.nn.functional import gelu, pad
from torch.nn.functional import softmax as normalized

from uatlib.groups import Permutation

from .registry import Claim, Covers, Pair, added, drawn, mixer, reversal

FREE = Claim("yes", "Each token's weights are free: let it hear one place after another; if all agree, so do tokens.")


def near(reach: int) -> Claim:
    """That a layer reaches so many tokens on either side, or before."""
    covers: Covers = lambda n, d, layers: layers * reach < n - 1  # noqa: E731
    return Claim("no", "So few layers do not reach from the first token to the last: change the one.", covers)


def shifted(X: torch.Tensor, by: int) -> torch.Tensor:
    """Token i becomes x_(i + by), or 0 beside the sequence."""
    n = X.shape[1]
    return pad(X, (max(-by, 0), max(by, 0)))[:, max(by, 0) :][:, :n]


@mixer("MLP-Mixer", "tolstikhin2021", "nn n nn n")
def mlp_mixer(
    X: torch.Tensor, W_1: torch.Tensor, b_1: torch.Tensor, W_2: torch.Tensor, b_2: torch.Tensor
) -> torch.Tensor:
    """W_2 gelu(W_1 r + b_1) + b_2 of each row r of X: one entry of all n tokens. n hidden units.

    Without the layer normalization before it, which would make tokens of one entry 0.
    """
    return (W_2 @ gelu(W_1 @ X.mT + b_1[:, None]) + b_2[:, None]).mT


@mixer("ResMLP", "touvron2022", "nn d d d", "trivial", FREE)
def res_mlp(
    X: torch.Tensor, A: torch.Tensor, alpha: torch.Tensor, beta: torch.Tensor, scale: torch.Tensor
) -> torch.Tensor:
    """scale * (A ((alpha * x + beta)^T))^T, entry by entry *: a matrix over places, affine maps about it."""
    return scale[:, None] * (alpha[:, None] * X + beta[:, None]) @ A.mT


@mixer("gMLP", "liu2021gmlp", "dt dt nn n dd")
def gated_mlp(
    X: torch.Tensor, U_1: torch.Tensor, U_2: torch.Tensor, W: torch.Tensor, b: torch.Tensor, V: torch.Tensor
) -> torch.Tensor:
    """V (Z_1 * (Z_2 W^T + b)) with Z = gelu(U x), two halves of d entries each; no normalization."""
    Z_1, Z_2 = gelu(U_1 @ X), gelu(U_2 @ X)
    return V @ (Z_1 * (Z_2 @ W.mT + b))


def fourier(n: int, X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """cos and sin of 2 pi j k/n."""
    places = torch.arange(n, dtype=X.dtype)
    angles = 2 * math.pi * ((places[:, None] * places) % n) / n
    return angles.cos(), angles.sin()


def own_inverses(n: int, d: int) -> list[Permutation]:
    """Token j to place a j modulo n, for all a with a^2 = 1: the transform takes a to its inverse.

    For d <= 2, where that of the entries is real, tokens j and -j alone may change places, too, and a^2 = -1 will do.
    """
    real, places = d <= 2, list(range(n))
    found = [tuple(a * j % n for j in places) for a in range(2, n) if a * a % n in ({1, n - 1} if real else {1})]
    swaps = [tuple(-j % n if j in (k, n - k) else j for j in places) for k in range(1, (n + 1) // 2)]
    return found + swaps if real else found


@mixer(
    "FNet",
    "leethorp2022",
    "1",
    own_inverses,
    Claim("no", "Token 0 hears itself and the sum, at any depth: move two others apart.", lambda n, d, layers: n > 2),
)
def f_net(X: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """The real part of the discrete Fourier transform over tokens and entries, times a number, the one parameter.

    The paper's has no parameter; the number stands for the normalization that follows.
    """
    (C, S), (c, s) = fourier(X.shape[1], X), fourier(X.shape[0], X)
    return scale * (c @ X @ C - s @ X @ S)


def about_the_middle(n: int, d: int) -> Pair:
    """The first and last tokens move apart by the same vector; the middle one is asked."""
    X = drawn(d, n)
    Y = X.clone()
    Y[:, 0], Y[:, -1] = X[:, 0] + X[:, 1], X[:, -1] - X[:, 1]
    return X, Y, (n // 2, n // 2)


def solved(n: int, d: int) -> Pair:
    """Y whose second token hears, by each power of the matrix of pooling, what the first of X hears."""
    X = drawn(d, n)
    P = pool_former(torch.eye(n, dtype=X.dtype), torch.ones(n, dtype=X.dtype)).mT
    first, second = (torch.stack([torch.linalg.matrix_power(P, k)[i] for k in range(n)]) for i in (0, 1))
    return X, torch.linalg.solve(second, first @ X.mT).mT, (0, 1)


@mixer(
    "PoolFormer",
    "yu2022",
    "d",
    reversal,
    near(1),
    Claim(
        "no",
        "Layers are linear and keep mirrored places alike: the middle one of an odd number of tokens hears sums of "
        "mirrored tokens, at any depth.",
        lambda n, d, layers: n > 1 and n % 2 == 1,
        pair=about_the_middle,
    ),
    Claim(
        "no",
        "Layers are polynomials in one matrix P: token i hears rows e_i P^k. Of the second of an even number of tokens "
        "they are a basis: solve for Y, and it hears what the first of X does, at any depth.",
        lambda n, d, layers: n % 2 == 0,
        pair=solved,
    ),
)
def pool_former(X: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """scale * (mean of x_(i-1), x_i, x_(i+1) - x_i), entry by entry; at the ends the mean of the two that are there.

    Pooling itself has no parameter: `scale` is the LayerScale that follows.
    """
    ones = torch.ones_like(X)
    total, count = (added(shifted(Z, k) for k in (-1, 0, 1)) for Z in (X, ones))
    return scale[:, None] * (total / count - X)


@mixer("ConvMixer", "trockman2023", "d3 d", "trivial", near(1))
def conv_mixer(X: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """gelu(sum_k w_k * x_(i+k) + b), k = -1, 0, 1, zeros beside the sequence; no batch normalization."""
    return gelu(added(w[:, k + 1, None] * shifted(X, k) for k in (-1, 0, 1)) + b[:, None])


@mixer("lightweight convolution", "wu2019", "3 dd", "trivial", near(1))
def lightweight(X: torch.Tensor, w: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    """W sum_k softmax(w)_k x_(i+k), k = -1, 0, 1, zeros beside the sequence: one head, one filter.

    Without the linear layer and the gate (GLU) before it.
    """
    weights = normalized(w, dim=0)
    return W @ added(weights[k + 1] * shifted(X, k) for k in (-1, 0, 1))


@mixer("dynamic convolution", "wu2019", "3d dd", "trivial", near(1))
def dynamic(X: torch.Tensor, W_Q: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    """W sum_k softmax(W_Q x_i)_k x_(i+k), k = -1, 0, 1, zeros beside the sequence: each token makes its filter.

    Without the linear layer and the gate (GLU) before it.
    """
    weights = normalized(W_Q @ X, dim=0)
    return W @ added(weights[k + 1] * shifted(X, k) for k in (-1, 0, 1))


@mixer("gated convolution", "dauphin2017", "3dd d 3dd d", "trivial", near(2)._replace(last=True), causal=True)
def gated_convolution(
    X: torch.Tensor, W: torch.Tensor, b: torch.Tensor, V: torch.Tensor, c: torch.Tensor
) -> torch.Tensor:
    """(sum_k W_k x_(i-k) + b) * sigma(sum_k V_k x_(i-k) + c), k = 0, 1, 2, zeros before the sequence."""
    first, gate = (added(M[k] @ shifted(X, -k) for k in range(3)) for M in (W, V))
    return (first + b[:, None]) * torch.sigmoid(gate + c[:, None])


@mixer("GFNet", "rao2021", "dn", "cyclic")
def global_filter(X: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    """F^-1(F(K) * F(X)) over the tokens: entry a of token i is sum_j K_aj X_ak, k = i - j mod n.

    The paper's parameter is F(K), of a real K.
    """
    return added(K[:, j, None] * X.roll(j, dims=1) for j in range(X.shape[1]))


def long_convolution(h: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
    """sum over j <= i of h_(i-j) * x_j, entry by entry."""
    return added(h[:, j, None] * shifted(X, -j) for j in range(X.shape[1]))


@mixer("Hyena", "poli2023", "3dt 2dn", causal=True)
def hyena(X: torch.Tensor, W: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    """z = x^2 * (h^2 conv (x^1 * (h^1 conv v))), order 2: v, x^1 and x^2 are W_0 x, W_1 x and W_2 x.

    The causal filters are parameters themselves, not the outputs of a net; no short convolution of the projections, no
    projection of the output.
    """
    V, X_1, X_2 = W @ X
    return X_2 * long_convolution(h[1], X_1 * long_convolution(h[0], V))


@mixer("H3", "fu2023", "dt dt dt d3 d d", causal=True)
def hungry_hippos(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    h: torch.Tensor,
    a: torch.Tensor,
    c: torch.Tensor,
) -> torch.Tensor:
    """Q * diag(shift(K) * V), entry by entry: shift is a causal filter of three taps, diag has taps c tanh(a)^j.

    Head size 1; one real state an entry in the diagonal part; no projection of the output.
    """
    K = added(h[:, j, None] * shifted(W_K @ X, -j) for j in range(3))
    powers = torch.tanh(a)[:, None] ** torch.arange(X.shape[1], dtype=X.dtype)
    return (W_Q @ X) * long_convolution(c[:, None] * powers, K * (W_V @ X))
