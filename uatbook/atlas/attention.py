"""Attention by a score of query and key, without places. Scores S have keys j as rows and queries i as columns."""

from __future__ import annotations

import math

import torch
from torch.nn.functional import softmax as normalized

from .registry import Claim, Covers, Pair, added, drawn, mixer

SOFTMAX = Claim("yes", "Lemma 1 and (13), as for Corollary 1: softmax, for tokens other than 0.", source="cheng2025")
CONTAINS = Claim("yes", "The other heads, or terms, may be 0: what is left is softmax, of which that is known.")
HALF = Claim("yes", "With W_G = 0 the gate is 1/2 for all: what is left is softmax, of which that is known.")
SCALED = Claim("yes", "With s = 1/log n it is softmax, of which that is known.", lambda n, d, layers: n > 1)
LATENT = Claim(
    "yes",
    "A layer hears the derivative of log sum_j exp(t c_j) at any t, c_j = <w, x_j>: so all c_j, and for every w, so "
    "all tokens.",
)
SINK = Claim(
    "yes",
    "With keys and values c_j = <w, x_j> a layer hears the derivative of log(e^b + sum_j exp(t c_j)) at any t: so all "
    "c_j, and for every w, so all tokens.",
)


def one_layer(least: int) -> Covers:
    """For one layer, and from so many tokens on."""
    return lambda n, d, layers: layers == 1 and n >= least


RAY = Claim(
    "no",
    "One layer hears directions of keys, and the sum of the values on each ray: tokens u, 4u and 2u, 3u have the same.",
    one_layer(3),
)


def twice_as_long(n: int, d: int) -> Pair:
    """The last token is doubled."""
    X = drawn(d, n)
    return X, X * torch.tensor([1] * (n - 1) + [2]), (0, 0)


def opposite_pairs(n: int, d: int) -> Pair:
    """Tokens and their opposites, which are others in Y but for the first two."""
    half = drawn(d, n)[:, : n // 2]
    X, Y = (torch.cat([Z, -Z], dim=1) for Z in (half, torch.cat([half[:, :1], 3 * half[:, 1:]], dim=1)))
    return X, Y, (0, 0)


def on_a_ray(n: int, d: int) -> Pair:
    """All tokens are t u with t > 0; the last two have t = 1, 8 or 4, 7, the others others; u_1 = 1."""
    u, shared = drawn(d, 1) / drawn(d, 1)[0], [2, 3, 5, 6, *range(9, n + 5)][: n - 2]
    X, Y = (u * torch.tensor([*shared, *last], dtype=u.dtype) for last in ((1.0, 8.0), (4.0, 7.0)))
    return X, Y, (0, 0)


def on_a_line(n: int, d: int) -> Pair:
    """Six tokens on a line, of which the two inner ones move apart and stay inside."""
    X = drawn(d, n)
    point, way = X[:, :1].clone(), X[:, 1:2].clone()
    X, Y = (
        torch.cat([point + way * torch.tensor([-2, -1, 1, 2, *inner]).to(X.dtype), X[:, 6:]], dim=1)
        for inner in ((0.3, -0.2), (0.5, -0.4))
    )
    return X, Y, (0, 0)


def about_a_token(n: int, d: int) -> Pair:
    """p and pairs p + a, p - a, which are others in Y."""
    X, m = drawn(d, n), n // 2
    X[:, 1 + m :] = 2 * X[:, :1] - X[:, 1 : 1 + m]
    Y = X.clone()
    Y[:, 1:] = 2 * X[:, 1:] - X[:, :1]
    return X, Y, (0, 0)


def scores_of(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    """<k_j, q_i>/sqrt(m) for queries and keys of m entries."""
    return K.mT @ Q / math.sqrt(len(Q))


def scores(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor) -> torch.Tensor:
    """<W_K x_j, W_Q x_i>/sqrt(m) for the m rows of W_Q."""
    return scores_of(W_Q @ X, W_K @ X)


def causal(S: torch.Tensor) -> torch.Tensor:
    """Whether j <= i."""
    return torch.ones_like(S, dtype=torch.bool).triu()


def unit(X: torch.Tensor, dim: int = 0) -> torch.Tensor:
    """Of length 1."""
    return X / X.norm(dim=dim, keepdim=True)


def rms(Z: torch.Tensor) -> torch.Tensor:
    """Divided by the root of the mean square of its entries."""
    return math.sqrt(len(Z)) * unit(Z)


@mixer("softmax", "vaswani2017", "dt dt dt", "symmetric", SOFTMAX)
def softmax(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sum_j softmax_j(<W_K x_j, W_Q x_i>/sqrt(d)) W_V x_j: (1) of the paper, one head of size d, W_O within W_V."""
    return W_V @ X @ normalized(scores(X, W_Q, W_K), dim=0)


@mixer(
    "causal softmax",
    "vaswani2017",
    "dt dt dt",
    "trivial",
    Claim("no", "One layer hears those before the last as a set: exchange two.", one_layer(3), last=True),
    causal=True,
)
def causal_softmax(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Softmax over j <= i alone, as in a decoder; no places are added."""
    S = scores(X, W_Q, W_K)
    return W_V @ X @ normalized(S.where(causal(S), -torch.inf), dim=0)


@mixer("multi-query", "shazeer2019", "2dt dt dt 2dd", "symmetric", CONTAINS)
def multi_query(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, W_O: torch.Tensor
) -> torch.Tensor:
    """sum_h W_O^h W_V X softmax(<W_K x_j, W_Q^h x_i>/sqrt(d)): two queries of size d share one key and one value."""
    return added(W_O[h] @ W_V @ X @ normalized(scores(X, W_Q[h], W_K), dim=0) for h in range(2))


@mixer("grouped-query", "ainslie2023", "4dt 2dt 2dt 4dd", "symmetric", CONTAINS)
def grouped_query(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, W_O: torch.Tensor
) -> torch.Tensor:
    """Four queries of size d; queries 2k and 2k + 1 share key and value k. W_O^h for each query h, summed."""
    return added(W_O[h] @ W_V[h // 2] @ X @ normalized(scores(X, W_Q[h], W_K[h // 2]), dim=0) for h in range(4))


def latent_heads(
    q: torch.Tensor,
    c: torch.Tensor,
    U_Q: torch.Tensor,
    U_K: torch.Tensor,
    U_V: torch.Tensor,
    W_O: torch.Tensor,
) -> torch.Tensor:
    """Two heads of softmax whose queries are made of q, and keys and values of c."""
    return added(W_O[h] @ U_V[h] @ c @ normalized(scores_of(U_Q[h] @ q, U_K[h] @ c), dim=0) for h in range(2))


@mixer(
    "MLA, no positions",
    "deepseek2024",
    "2t 2d2 2t 2d2 2d2 2dd",
    "symmetric",
    Claim(
        "no",
        "One layer hears the direction of each latent alone: make a token twice as long, and no other hears it.",
        one_layer(2),
        pair=twice_as_long,
    ),
    Claim(
        "no",
        "Latents of tokens of one entry are signs. Half of opposite pairs are positive, and each token moves away from "
        "0 or towards it by the same: pairs stay opposite, whatever their size, at any depth.",
        lambda n, d, layers: d == 1 and layers > 1 and n > 3 and n % 2 == 0,
        pair=opposite_pairs,
    ),
    Claim(
        "yes",
        "Where D has a single direction w, latents are signs of <w, x_j>. With U_Q = 0 a layer hears their mean, not 0 "
        "for odd n: it tells two apart, or moves all tokens by any vector, and the next hears how many are above it, "
        "for every w.",
        lambda n, d, layers: layers > 1 and n % 2 == 1,
    ),
    analytic=False,
)
def latent_attention(
    X: torch.Tensor,
    D_Q: torch.Tensor,
    U_Q: torch.Tensor,
    D: torch.Tensor,
    U_K: torch.Tensor,
    U_V: torch.Tensor,
    W_O: torch.Tensor,
) -> torch.Tensor:
    """sum_h W_O^h sum_j softmax_j(<U_K^h c_j, U_Q^h q_i>/sqrt(d)) U_V^h c_j, latents c_j = N(D x_j), q_i = N(D_Q x_i).

    Latents of two entries, two heads. N divides by the root of the mean square, as the paper does behind its latents;
    its trained factors are in U. Without the part of the keys that has positions: it is not normalized, and would tell
    the pair of the proof apart. Nothing is added below the root; not causal.
    """
    return latent_heads(rms(D_Q @ X), rms(D @ X), U_Q, U_K, U_V, W_O)


@mixer("MLA, no positions or norm", "deepseek2024", "1t 2d1 1t 2d1 2d1 2dd", "symmetric", LATENT)
def plain_latent_attention(
    X: torch.Tensor,
    D_Q: torch.Tensor,
    U_Q: torch.Tensor,
    D: torch.Tensor,
    U_K: torch.Tensor,
    U_V: torch.Tensor,
    W_O: torch.Tensor,
) -> torch.Tensor:
    """sum_h W_O^h sum_j softmax_j(<U_K^h c_j, U_Q^h q_i>/sqrt(d)) U_V^h c_j, latents c_j = D x_j and q_i = D_Q x_i.

    Without the normalization of the latents, which decides the verdict on one layer, and without the part of the keys
    that has positions. Latents of a single entry, the fewest that there can be; two heads; not causal.
    """
    return latent_heads(D_Q @ X, D @ X, U_Q, U_K, U_V, W_O)


@mixer("softmax with a sink", "xiao2024", "dt dt dt 1", "symmetric", SINK)
def softmax_sink(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, b: torch.Tensor
) -> torch.Tensor:
    """sum_j exp(s_j) W_V x_j/(e^b + sum_j exp(s_j)) with the scores s_j of softmax: weights may add up to less than 1.

    b = 0 is softmax off by one; a trained b is a sink that is no token. Not causal.
    """
    S = scores(X, W_Q, W_K)
    return W_V @ X @ normalized(torch.cat([b.expand(1, S.shape[1]), S]), dim=0)[1:]


@mixer("gated softmax", "qiu2025", "dt dt dt dt dd", "symmetric", HALF)
def gated_softmax(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    W_G: torch.Tensor,
    W_O: torch.Tensor,
) -> torch.Tensor:
    """W_O (sigma(W_G x_i) * y_i), y_i what softmax hears: a gate of each entry, behind one head. Not causal."""
    return W_O @ (torch.sigmoid(W_G @ X) * softmax(X, W_Q, W_K, W_V))


@mixer("scalable softmax", "nakanishi2025", "dt dt dt 1", "symmetric", SCALED)
def scalable_softmax(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, s: torch.Tensor
) -> torch.Tensor:
    """Softmax of s log(n) times the scores of softmax, that is n^(s s_j) over its sum; s is a parameter. Not causal."""
    return W_V @ X @ normalized(s * math.log(X.shape[1]) * scores(X, W_Q, W_K), dim=0)


@mixer("talking heads", "shazeer2020", "2dt 2dt 2dt 2dd 22 22", "symmetric", CONTAINS)
def talking_heads(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    W_O: torch.Tensor,
    P_l: torch.Tensor,
    P_w: torch.Tensor,
) -> torch.Tensor:
    """Two heads whose scores are mixed by P_l before softmax, and whose weights by P_w after it; both linear."""
    S = torch.stack([scores(X, Q, K) for Q, K in zip(W_Q, W_K, strict=True)])
    A = normalized(torch.einsum("hji,hg->gji", S, P_l), dim=-2)
    A = torch.einsum("gji,gh->hji", A, P_w)
    return (W_O @ W_V @ X @ A).sum(dim=0)


@mixer("sigmoid", "ramapuram2024", "dt dt dt", "symmetric")
def sigmoid(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sum_j sigma(<W_K x_j, W_Q x_i>/sqrt(d) + b) W_V x_j with the paper's b = -log n, fixed."""
    return W_V @ X @ torch.sigmoid(scores(X, W_Q, W_K) - math.log(X.shape[1]))


@mixer(
    "ReLU",
    "wortsman2023",
    "dt dt dt",
    "symmetric",
    Claim(
        "no",
        "Tokens t u on a ray stay on one, at t w: a layer hears the sum of t^2 alone, at any depth; 1 + 64 = 16 + 49.",
        lambda n, d, layers: n > 2,
        pair=on_a_ray,
    ),
    analytic=False,
)
def relu(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sum_j max(0, <W_K x_j, W_Q x_i>/sqrt(d)) W_V x_j/n."""
    return W_V @ X @ torch.relu(scores(X, W_Q, W_K)) / X.shape[1]


@mixer("squared ReLU (GAU)", "hua2022", "dt dt dt dd d d d d 1", "symmetric", analytic=False)
def gated_attention_unit(
    X: torch.Tensor,
    W_U: torch.Tensor,
    W_V: torch.Tensor,
    W_Z: torch.Tensor,
    W_O: torch.Tensor,
    a_q: torch.Tensor,
    b_q: torch.Tensor,
    a_k: torch.Tensor,
    b_k: torch.Tensor,
    b: torch.Tensor,
) -> torch.Tensor:
    """W_O (U * V A): U, V, Z = silu(W X), A = max(0, <k_j, q_i> + b)^2/n, q = a_q z + b_q and k = a_k z + b_k.

    Products * and a z are entry by entry. All sizes are d, and the bias that depends on places is a number b.
    """
    silu = torch.nn.functional.silu
    U, V, Z = silu(W_U @ X), silu(W_V @ X), silu(W_Z @ X)
    Q, K = (a[:, None] * Z + c[:, None] for a, c in ((a_q, b_q), (a_k, b_k)))
    A = torch.relu(K.mT @ Q + b).square() / X.shape[1]
    return W_O @ (U * (V @ A))


@mixer("differential", "ye2024", "2dt 2dt dt 1", "symmetric", CONTAINS)
def differential(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, scale: torch.Tensor
) -> torch.Tensor:
    """(softmax(S_1) - lambda softmax(S_2)) applied to values W_V x_j, one head; lambda is a parameter as it stands.

    Without the normalization of the heads that follows.
    """
    first, second = (normalized(scores(X, Q, K), dim=0) for Q, K in zip(W_Q, W_K, strict=True))
    return W_V @ X @ (first - scale * second)


@mixer("sparsemax", "martins2016", "dt dt dt", "symmetric", analytic=False)
def sparsemax(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Weights max(0, s_j - tau) with tau such that they sum to 1, of the scores s_j of softmax attention.

    tau = (s_(1) + ... + s_(k) - 1)/k for the k largest scores, the largest k with s_(k) > tau.
    """
    S = scores(X, W_Q, W_K)
    ordered = S.sort(dim=0, descending=True).values
    count = torch.arange(1, len(S) + 1, dtype=X.dtype)[:, None]
    tau = ((ordered.cumsum(dim=0) - 1) / count).amax(dim=0)
    return W_V @ X @ torch.relu(S - tau)


@mixer("1.5-entmax", "peters2019", "dt dt dt", "symmetric", analytic=False)
def entmax(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Weights max(0, s_j/2 - tau)^2 with tau such that they sum to 1, of the scores s_j of softmax: alpha-entmax, 1.5.

    tau = m - sqrt((1 - v)/k): m is the mean of the k largest s_j/2 and v the sum of their squared distances from it,
    for the largest k with tau at most the least of them.
    """
    S = scores(X, W_Q, W_K) / 2
    ordered = S.sort(dim=0, descending=True).values
    count = torch.arange(1, len(S) + 1, dtype=X.dtype)[:, None]
    mean = ordered.cumsum(dim=0) / count
    spread = ordered.square().cumsum(dim=0) - count * mean.square()
    tau = mean - ((1 - spread) / count).clamp_min(1e-30).sqrt()
    last = (tau <= ordered).sum(dim=0, keepdim=True) - 1
    return W_V @ X @ torch.relu(S - tau.gather(0, last)).square()


@mixer(
    "top two",
    "zhao2019",
    "dt dt dt",
    "symmetric",
    Claim(
        "no",
        "Of six tokens on a line two score higher than the two inner ones, which are not heard, or all score alike: "
        "move the inner ones apart.",
        one_layer(6),
        pair=on_a_line,
    ),
    Claim(
        "yes",
        "A token hears the two largest, or by the other sign of W_Q the two smallest, each by sharpness; for W_Q = 0 "
        "the mean, so of five on a line the middle one, too.",
        lambda n, d, layers: n <= 5 and d == 1,
    ),
    analytic=False,
)
def top_two(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Softmax over the k = 2 largest scores of each query (explicit sparse attention)."""
    S = scores(X, W_Q, W_K)
    least = S.sort(dim=0, descending=True).values[min(1, len(S) - 1)]
    return W_V @ X @ normalized(S.where(least <= S, -torch.inf), dim=0)


@mixer("query-key norm", "henry2020", "dt dt dt 1", "symmetric", RAY, analytic=False)
def query_key_norm(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, scale: torch.Tensor
) -> torch.Tensor:
    """softmax_j(g <k_j, q_i>) with queries and keys of length 1 and a number g, which is a parameter."""
    return W_V @ X @ normalized(scale * unit(W_K @ X).mT @ unit(W_Q @ X), dim=0)


@mixer(
    "L2 distance",
    "kim2021",
    "dt dt",
    "symmetric",
    Claim(
        "no",
        "Weights depend on differences. Tokens p, p + a, p - a, ...: a layer leaves them in pairs about what p has "
        "become, which is the same for every a, at any depth.",
        lambda n, d, layers: n > 1 and n % 2 == 1,
        pair=about_a_token,
    ),
)
def distance(X: torch.Tensor, W: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sum_j softmax_j(-|W x_i - W x_j|^2/sqrt(d)) W_V A x_j, A = W^T W/sqrt(d): queries and keys share W."""
    Z, root = W @ X, math.sqrt(len(W))
    apart = (Z[:, :, None] - Z[:, None, :]).square().sum(dim=0)
    return W_V @ (W.mT @ W / root) @ X @ normalized(-apart / root, dim=0)


@mixer("Skyformer", "chen2021", "dt dt dt", "symmetric", Claim("yes", "Corollary 3.", source="cheng2025"))
def skyformer(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sum_j exp(-|q_i - k_j|^2/2) W_V x_j with q and k divided by d^(1/4): a Gaussian kernel, not normalized.

    The kernel itself, not its approximation by landmarks.
    """
    Q, K = (W @ X / len(W) ** 0.25 for W in (W_Q, W_K))
    return W_V @ X @ torch.exp(-(K[:, :, None] - Q[:, None, :]).square().sum(dim=0) / 2)


@mixer("Synthesizer, dense", "tay2021", "dt d nd n dt", analytic=False)
def synthesizer_dense(
    X: torch.Tensor, W_1: torch.Tensor, b_1: torch.Tensor, W_2: torch.Tensor, b_2: torch.Tensor, W_V: torch.Tensor
) -> torch.Tensor:
    """Token i has the scores W_2 max(0, W_1 x_i + b_1) + b_2, one for each of the n places."""
    S = W_2 @ torch.relu(W_1 @ X + b_1[:, None]) + b_2[:, None]
    return W_V @ X @ normalized(S, dim=0)


@mixer(
    "Synthesizer, random",
    "tay2021",
    "nn dt",
    "trivial",
    Claim("yes", "Each token's weights are free: let it hear one place after another; if all agree, so do the tokens."),
)
def synthesizer_random(X: torch.Tensor, R: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Scores R that do not depend on the tokens, trained (n x n parameters)."""
    return W_V @ X @ normalized(R, dim=0)


@mixer("external", "guo2021", "mt dm", "symmetric")
def external(X: torch.Tensor, M_k: torch.Tensor, M_v: torch.Tensor) -> torch.Tensor:
    """Scores <m_k, x_i> with 2d memories; softmax over tokens, then divided by their sum over memories; M_v of those.

    Tokens meet in the denominators of softmax alone.
    """
    A = normalized(M_k @ X, dim=1)
    return M_v @ (A / A.sum(dim=0, keepdim=True))


@mixer("Fastformer", "wu2021", "dt dt dt d d dd", "symmetric")
def fastformer(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    w_q: torch.Tensor,
    w_k: torch.Tensor,
    W: torch.Tensor,
) -> torch.Tensor:
    """W (k * v_i) + q_i: a global query q and a global key k, both by additive attention, one head.

    q = sum_i softmax_i(w_q.q_i/sqrt(d)) q_i, p_i = q * k_i, k = sum_i softmax_i(w_k.p_i/sqrt(d)) p_i, entry by entry *.
    """
    Q, K, V = W_Q @ X, W_K @ X, W_V @ X
    root = math.sqrt(len(Q))
    P = (Q @ normalized(w_q @ Q / root, dim=0))[:, None] * K
    return W @ ((P @ normalized(w_k @ P / root, dim=0))[:, None] * V) + Q


@mixer("additive", "bahdanau2015", "dt dt d dt", "symmetric")
def additive(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, w: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sum_j softmax_j(<w, tanh(W_Q x_i + W_K x_j)>) W_V x_j: in the paper a state of the decoder asks, here a token."""
    return W_V @ X @ normalized(w @ torch.tanh((W_Q @ X)[:, None] + (W_K @ X)[:, :, None]).movedim(0, -2), dim=0)


@mixer("AFT-simple", "zhai2021", "dt dt dt", "symmetric")
def aft_simple(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sigma(q_i) * (sum_j exp(k_j) * v_j)/(sum_j exp(k_j)), entry by entry: all tokens hear the same."""
    return torch.sigmoid(W_Q @ X) * (normalized(W_K @ X, dim=1) * (W_V @ X)).sum(dim=1, keepdim=True)
