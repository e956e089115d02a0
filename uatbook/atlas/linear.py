"""Attention in linear time: by feature maps, by sums over tokens that are formed once, by landmarks."""

from __future__ import annotations

import itertools
import math

import torch
from torch.nn.functional import elu
from torch.nn.functional import softmax as normalized

from uatlib.groups import Permutation

from .attention import RAY, causal, one_layer, scores, unit
from .registry import Claim, Pair, blocks, drawn, mixer, reversal


def one_opposite(n: int, d: int) -> Pair:
    """The last token is turned to its opposite."""
    X = drawn(d, n)
    return X, X * torch.tensor([1] * (n - 1) + [-1]), (0, 0)


OPPOSITE = Claim(
    "no",
    "Turn one token to its opposite: the sums over tokens stay, each layer multiplies all tokens by one matrix made of "
    "them, so tokens stay as they were or opposite, at any depth.",
    lambda n, d, layers: n > 1,
    pair=one_opposite,
)


def averaged(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, least: float = 0.0) -> torch.Tensor:
    """sum_j <k_j, q_i> v_j over sum_j <k_j, q_i>, which is taken to be at least `least`, if that is positive."""
    total = K.sum(dim=1) @ Q
    return V @ K.mT @ Q / (total.clamp_min(least) if least else total)


@mixer("linear, elu + 1", "katharopoulos2020", "dt dt dt", "symmetric", analytic=False)
def linear_elu(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sum_j <phi(k_j), phi(q_i)> v_j/sum_j <phi(k_j), phi(q_i)> with phi = elu + 1, entry by entry; not causal."""
    return averaged(elu(W_Q @ X) + 1, elu(W_K @ X) + 1, W_V @ X)


@mixer(
    "causal linear, elu + 1",
    "katharopoulos2020",
    "dt dt dt",
    "trivial",
    Claim("no", "One layer hears those before the last as a set: exchange two.", one_layer(3), last=True),
    causal=True,
    analytic=False,
)
def causal_linear_elu(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """The same with sums over j <= i alone."""
    S = (elu(W_K @ X) + 1).mT @ (elu(W_Q @ X) + 1)
    S = S.where(causal(S), 0)
    return W_V @ X @ (S / S.sum(dim=0, keepdim=True))


@mixer("linear self-attention", "vonoswald2023", "dt dt dt", "symmetric", OPPOSITE)
def linear_self_attention(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sum_j <W_K x_j, W_Q x_i> W_V x_j: no softmax, no denominator."""
    return W_V @ X @ (W_K @ X).mT @ (W_Q @ X)


@mixer("Performer", "choromanski2021", "dt dt dt md", "symmetric")
def performer(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, omega: torch.Tensor
) -> torch.Tensor:
    """Positive features exp(<w, x> - |x|^2/2)/sqrt(m) of queries and keys divided by d^(1/4), m = 2d directions w.

    The directions, which the paper draws at random, are parameters.
    """

    def features(Z: torch.Tensor) -> torch.Tensor:
        return torch.exp(omega @ Z - Z.square().sum(dim=0) / 2) / math.sqrt(len(omega))

    Q, K = (features(W @ X / len(W) ** 0.25) for W in (W_Q, W_K))
    return averaged(Q, K, W_V @ X)


@mixer("random features", "peng2021", "dt dt dt md", "symmetric", RAY, analytic=False)
def random_features(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, omega: torch.Tensor
) -> torch.Tensor:
    """phi(x) = (sin <w, x>, cos <w, x>)/sqrt(m) of queries and keys of length 1, m = 2d directions w; not causal.

    The directions, which the paper draws at random, are parameters. No gate.
    """

    def features(Z: torch.Tensor) -> torch.Tensor:
        return torch.cat([torch.sin(omega @ unit(Z)), torch.cos(omega @ unit(Z))]) / math.sqrt(len(omega))

    return averaged(features(W_Q @ X), features(W_K @ X), W_V @ X)


def mirrored_on_a_ray(n: int, d: int) -> Pair:
    """The last two tokens are t u and become (2 m - t) u, m their mean with the weights that token 0 gives."""
    X = drawn(d, n)
    weights = torch.cos(math.pi * torch.tensor([n - 2.0, n - 1.0], dtype=X.dtype) / (2 * n))
    t = torch.tensor([3.0, 4.0], dtype=X.dtype)
    X, Y = (torch.cat([X[:, : n - 2], X[:, -1:] * s], dim=1) for s in (t, 2 * (weights @ t) / weights.sum() - t))
    return X, Y, (0, 0)


@mixer(
    "cosFormer",
    "qin2022",
    "dt dt dt",
    reversal,
    Claim(
        "no",
        "Features are linear along a ray, so of tokens t u one layer hears the sums of c t and c t^2, c the cosines: "
        "mirror t at its mean with weights c.",
        one_layer(3),
        pair=mirrored_on_a_ray,
    ),
    analytic=False,
)
def cosformer(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Weights <max(0, k_j), max(0, q_i)> cos(pi (i - j)/(2n)), over their sum, which is taken to be at least 1e-6.

    The least sum is that of the published code. Not causal.
    """
    n = X.shape[1]
    places = torch.arange(n, dtype=X.dtype)
    S = torch.relu(W_K @ X).mT @ torch.relu(W_Q @ X) * torch.cos(math.pi * (places[:, None] - places) / (2 * n))
    return W_V @ X @ (S / S.sum(dim=0).clamp_min(1e-6))


@mixer("efficient", "shen2021", "dt dt dt", "symmetric")
def efficient(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """rho_q(Q) (rho_k(K)^T V): softmax of a query over its entries, of each entry of the keys over the tokens."""
    return W_V @ X @ normalized(W_K @ X, dim=1).mT @ normalized(W_Q @ X, dim=0)


@mixer("Galerkin, no layer norm", "cao2021", "dt dt dt", "symmetric", OPPOSITE)
def galerkin(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Q (K^T V)/n, without the layer normalization of K and V, which would make tokens of one entry 0.

    Up to 1/n it is then linear self-attention. The verdict is of that: for two entries or more the shift that the
    normalization trains would tell the pair of the proof apart.
    """
    return (V := W_V @ X) @ (W_K @ X).mT @ (W_Q @ X) / V.shape[1]


@mixer("XCiT", "elnouby2021", "dt dt dt 1", "symmetric", OPPOSITE, analytic=False)
def cross_covariance(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, tau: torch.Tensor
) -> torch.Tensor:
    """V softmax(K^T Q/tau) between entries, each entry of queries and keys of length 1 over the tokens; one head.

    1/tau is the parameter. Tokens of one entry it only multiplies by a number: softmax of one entry is 1. The local
    convolution that follows in the paper is not part of it.
    """
    Q, K = unit(W_Q @ X, 1), unit(W_K @ X, 1)
    return normalized(tau * K @ Q.mT, dim=0).mT @ W_V @ X


@mixer("SimA", "koohpayegani2022", "dt dt dt", "symmetric", OPPOSITE, analytic=False)
def sima(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Q K^T V, where each entry of queries and keys is divided by its sum of absolute values over the tokens."""
    Q, K = (Z / Z.abs().sum(dim=1, keepdim=True) for Z in (W_Q @ X, W_K @ X))
    return W_V @ X @ K.mT @ Q


@mixer(
    "Based",
    "arora2024",
    "dt dt dt",
    "trivial",
    Claim("no", "One layer hears those before the last as a set: exchange two.", one_layer(3), last=True),
    causal=True,
)
def taylor(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Weights 1 + s + s^2/2 of the scores s of softmax, j <= i, over their sum: exp to the second order.

    The sliding window that goes with it is left out.
    """
    S = scores(X, W_Q, W_K)
    S = (1 + S + S.square() / 2).where(causal(S), 0)
    return W_V @ X @ (S / S.sum(dim=0, keepdim=True))


def halves(n: int, d: int) -> list[Permutation]:
    """Exchanges within the first (n + 1)//2 tokens and within the others, and of both where these are as many."""
    first, *rest = blocks(n, (n + 1) // 2)
    identity = list(range(n))
    found = []
    for half in (first, *rest):
        for a, b in itertools.pairwise(half):
            p = identity.copy()
            p[a], p[b] = b, a
            found.append(tuple(p))
    return [*found, tuple(identity[n // 2 :] + identity[: n // 2])] if n % 2 == 0 else found


def centred_halves(n: int, d: int) -> Pair:
    """Tokens of either half add up to 0; those of the second are doubled."""
    X = drawn(d, n)
    for half in blocks(n, (n + 1) // 2):
        X[:, half[-1]] = -X[:, half[:-1]].sum(dim=1)
    Y = X.clone()
    Y[:, (n + 1) // 2 :] *= 2
    return X, Y, (0, 0)


@mixer(
    "Nystromformer",
    "xiong2021",
    "dt dt dt",
    halves,
    Claim(
        "no",
        "Let each half add up to 0: landmarks are 0, all weights equal, and all that is heard is the mean, 0, at any "
        "depth. Double one half.",
        lambda n, d, layers: n > 3,
        pair=centred_halves,
    ),
    analytic=False,
)
def nystromformer(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """softmax(Q k~^T) softmax(q~ k~^T)^+ softmax(q~ K^T) V: two landmarks, the means of either half of the tokens.

    Of an odd number the first half has one more. The pseudoinverse itself in place of the
    paper's iteration, singular values below 1e-5 of the largest counted as 0; no convolution.
    """
    n, root = X.shape[1], math.sqrt(len(W_Q))
    Q, K, V = W_Q @ X, W_K @ X, W_V @ X
    q, k = (torch.stack([Z[:, half].mean(dim=1) for half in blocks(n, (n + 1) // 2)], dim=1) for Z in (Q, K))
    near, between, far = (normalized(b.mT @ a / root, dim=0) for a, b in ((Q, k), (q, k), (q, K)))
    return V @ far @ torch.linalg.pinv(between, rtol=1e-5) @ near


@mixer("Linformer", "wang2020", "dt dt dt n2 n2", "trivial", Claim("yes", "Lemma 3.", source="cheng2025"))
def linformer(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, E: torch.Tensor, F: torch.Tensor
) -> torch.Tensor:
    """V F softmax((K E)^T Q/sqrt(d)): n keys and values become k = 2, by trained E and F."""
    return W_V @ X @ F @ normalized((W_K @ X @ E).mT @ (W_Q @ X) / math.sqrt(len(W_Q)), dim=0)
