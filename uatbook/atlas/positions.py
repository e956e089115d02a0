"""Attention that knows places: by turns, by biases, by what is added to keys and values, by masks that decay."""

from __future__ import annotations

import math

import torch
from torch.nn.functional import logsigmoid
from torch.nn.functional import softmax as normalized

from .attention import causal, one_layer, scores
from .registry import Claim, mixer

FAR = Claim(
    "no",
    "Offsets from 2 on are one: the first token hears the third and the fourth as a set, in one layer; exchange them.",
    one_layer(4),
)


def offsets(X: torch.Tensor) -> torch.Tensor:
    """j - i for key j, row, and query i, column."""
    places = torch.arange(X.shape[1])
    return places[:, None] - places


def turned(Z: torch.Tensor) -> torch.Tensor:
    """Tokens of two entries, token i by the angle i."""
    at = torch.arange(Z.shape[1], dtype=Z.dtype)
    return torch.stack([Z[0] * at.cos() - Z[1] * at.sin(), Z[0] * at.sin() + Z[1] * at.cos()])


@mixer("RoPE", "su2021", "2t 2t dt")
def rope(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """softmax_j(<R_j k_j, R_i q_i>/sqrt(2)): queries and keys of two entries, turned by the angle i, not causal."""
    S = turned(W_K @ X).mT @ turned(W_Q @ X) / math.sqrt(2)
    return W_V @ X @ normalized(S, dim=0)


@mixer("ALiBi", "press2022", "dt dt dt", causal=True)
def alibi(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """softmax_j(<k_j, q_i>/sqrt(d) - (i - j)/256) over j <= i: one head, whose slope is 2^-8."""
    S = scores(X, W_Q, W_K) + offsets(X) / 256
    return W_V @ X @ normalized(S.where(causal(S), -torch.inf), dim=0)


@mixer("relative positions", "shaw2018", "dt dt dt 5d 5d", "trivial", FAR)
def relative(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, a_K: torch.Tensor, a_V: torch.Tensor
) -> torch.Tensor:
    """Scores <q_i, k_j + a^K_r>/sqrt(d) and values v_j + a^V_r, where r is j - i, cut off at -2 and 2."""
    at = offsets(X).clamp(-2, 2) + 2
    S = scores(X, W_Q, W_K) + (a_K[at] * (W_Q @ X).mT).sum(dim=-1) / math.sqrt(len(W_Q))
    A = normalized(S, dim=0)
    return W_V @ X @ A + torch.einsum("ji,jia->ai", A, a_V[at])


@mixer("T5 bias", "raffel2020", "dt dt dt o")
def t5(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """softmax_j(<k_j, q_i> + b_(j-i)), not divided by sqrt(d): a number for each of 2n - 1 offsets.

    The paper's buckets are single offsets as long as these are below 8.
    """
    at = offsets(X) + X.shape[1] - 1
    return W_V @ X @ normalized((W_K @ X).mT @ (W_Q @ X) + b[at], dim=0)


@mixer("DeBERTa", "he2021", "dt dt dt dd dd 4d", "trivial", FAR)
def disentangled(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    R_Q: torch.Tensor,
    R_K: torch.Tensor,
    P: torch.Tensor,
) -> torch.Tensor:
    """Scores (<q_i, k_j> + <q_i, R_K p_{r(i, j)}> + <k_j, R_Q p_{r(j, i)}>)/sqrt(3d) with four vectors p.

    r(i, j) is i - j + 2, cut off at 0 and 3.
    """
    r = (2 - offsets(X)).clamp(0, 3)
    Q, K = (W_Q @ X).mT, (W_K @ X).mT
    keys, queries = P @ R_K.mT, P @ R_Q.mT
    S = K @ Q.mT + (keys[r] * Q).sum(dim=-1) + (queries[r.mT] * K[:, None]).sum(dim=-1)
    return W_V @ X @ normalized(S / math.sqrt(3 * len(W_Q)), dim=0)


@mixer("Transformer-XL", "dai2019", "dt dt dt d2 d d", causal=True)
def transformer_xl(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    W_R: torch.Tensor,
    u: torch.Tensor,
    v: torch.Tensor,
) -> torch.Tensor:
    """softmax_j((<k_j, q_i + u> + <W_R r_(i-j), q_i + v>)/sqrt(d)) over j <= i, r_k = (sin k, cos k).

    One of the frequencies of the paper; one segment, without what it keeps of the segments before.
    """
    Q, back = W_Q @ X, -offsets(X).to(X.dtype)
    places = torch.einsum("ak,kji->aji", W_R, torch.stack([back.sin(), back.cos()]))
    S = (W_K @ X).mT @ (Q + u[:, None]) + (places * (Q + v[:, None])[:, None]).sum(dim=0)
    return W_V @ X @ normalized((S / math.sqrt(len(Q))).where(causal(S), -torch.inf), dim=0)


@mixer("stick-breaking", "tan2025", "dt dt dt", causal=True)
def stick_breaking(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sum_{j < i} w_j W_V x_j, w_j = b_j (1 - b_(j+1)) ... (1 - b_(i-1)), b_j = sigma(<k_j, q_i>/sqrt(d)).

    From the token before on, each takes its share b of what is left; a token does not hear itself.
    """
    S = scores(X, W_Q, W_K)
    before = torch.ones_like(S, dtype=torch.bool).triu(1)
    left = logsigmoid(-S).where(before, 0)
    taken = logsigmoid(S) + left.flip(0).cumsum(dim=0).flip(0) - left
    return W_V @ X @ taken.exp().where(before, 0)


@mixer("AFT-full", "zhai2021", "dt dt dt nn")
def aft(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """sigma(q_i) * (sum_j exp(k_j + w_ij) * v_j)/(sum_j exp(k_j + w_ij)), entry by entry, any pairs of places."""
    shares = normalized((W_K @ X)[:, None, :] + w, dim=-1)
    return torch.sigmoid(W_Q @ X) * (shares * (W_V @ X)[:, None, :]).sum(dim=-1)


@mixer("Forgetting Transformer", "lin2025", "dt dt dt t 1", causal=True)
def forgetting(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    w_f: torch.Tensor,
    b_f: torch.Tensor,
) -> torch.Tensor:
    """softmax_j(<k_j, q_i>/sqrt(d) + log f_(j+1) + ... + log f_i) over j <= i, f_i = sigma(<w_f, x_i> + b_f)."""
    since = logsigmoid(w_f @ X + b_f).cumsum(dim=0)
    S = scores(X, W_Q, W_K) + since - since[:, None]
    return W_V @ X @ normalized(S.where(causal(S), -torch.inf), dim=0)
