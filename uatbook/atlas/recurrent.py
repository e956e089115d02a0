"""State after state: recurrent networks, state spaces, linear attention that forgets; and two that run both ways."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch.nn.functional import logsigmoid, softplus

from .attention import causal, one_layer, unit
from .positions import offsets, turned
from .registry import Claim, Pair, added, drawn, mixer, reversal


def columns(X: torch.Tensor) -> list[torch.Tensor]:
    """The tokens."""
    return list(X.unbind(dim=1))


def scan(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """h_i = a_i * h_(i-1) + b_i, entry by entry, of tokens along the last side, from h = 0."""
    h, found = torch.zeros_like(b[..., 0]), []
    for i in range(b.shape[-1]):
        h = a[..., i] * h + b[..., i]
        found.append(h)
    return torch.stack(found, dim=-1)


def fast_weights(step: Callable[[torch.Tensor, int], torch.Tensor], q: torch.Tensor, entries: int) -> torch.Tensor:
    """S_i q_i, where S_i = step(S_(i-1), i), from S = 0, a matrix of so many rows."""
    S, found = q.new_zeros(entries, len(q)), []
    for i, query in enumerate(columns(q)):
        S = step(S, i)
        found.append(S @ query)
    return torch.stack(found, dim=1)


@mixer("Elman network", "elman1990", "dd dd d", causal=True)
def elman(X: torch.Tensor, W: torch.Tensor, U: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """h_i = tanh(W x_i + U h_(i-1) + b), h_0 = 0: tanh for the logistic function of the paper."""
    h, found = torch.zeros_like(b), []
    for x in columns(X):
        h = torch.tanh(W @ x + U @ h + b)
        found.append(h)
    return torch.stack(found, dim=1)


@mixer("LSTM", "hochreiter1997", "4dd 4dd 4d", causal=True)
def lstm(X: torch.Tensor, W: torch.Tensor, U: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """c_i = f * c_(i-1) + j * z and h_i = o * tanh(c_i), j, f, o = sigma(.), z = tanh(.) of W x_i + U h_(i-1) + b.

    With the forget gate f that came later, without peepholes.
    """
    h = c = torch.zeros_like(b[0])
    found = []
    for x in columns(X):
        j, f, o, z = W @ x + U @ h + b
        c = torch.sigmoid(f) * c + torch.sigmoid(j) * torch.tanh(z)
        h = torch.sigmoid(o) * torch.tanh(c)
        found.append(h)
    return torch.stack(found, dim=1)


@mixer("GRU", "cho2014", "3dd 3dd", causal=True)
def gru(X: torch.Tensor, W: torch.Tensor, U: torch.Tensor) -> torch.Tensor:
    """h_i = z * h_(i-1) + (1 - z) * tanh(W x_i + U (r * h_(i-1))), z and r = sigma(W x_i + U h_(i-1)), no biases."""
    h, found = torch.zeros_like(X[:, 0]), []
    for x in columns(X):
        z, r = (torch.sigmoid(W[k] @ x + U[k] @ h) for k in (0, 1))
        h = z * h + (1 - z) * torch.tanh(W[2] @ x + U[2] @ (r * h))
        found.append(h)
    return torch.stack(found, dim=1)


@mixer("minGRU", "feng2024", "dt dt", causal=True)
def min_gru(X: torch.Tensor, W_z: torch.Tensor, W_h: torch.Tensor) -> torch.Tensor:
    """h_i = (1 - z_i) * h_(i-1) + z_i * W_h x_i, z_i = sigma(W_z x_i), h_0 = 0."""
    z = torch.sigmoid(W_z @ X)
    return scan(1 - z, z * (W_h @ X))


@mixer("S4D", "gu2022", "d d d d d d", causal=True)
def s4d(
    X: torch.Tensor,
    step: torch.Tensor,
    decay: torch.Tensor,
    turn: torch.Tensor,
    real: torch.Tensor,
    imaginary: torch.Tensor,
    skip: torch.Tensor,
) -> torch.Tensor:
    """y_i = 2 Re(C h_i) + D x_i, h_i = exp(Delta A) h_(i-1) + (exp(Delta A) - 1)/A x_i, entry by entry, B = 1.

    One complex state an entry; A = -exp(decay) + turn i, Delta = exp(step), C = real + imaginary i, D = skip.
    """
    delta, a = step.exp(), -decay.exp()
    size, angle = (delta * a).exp(), delta * turn
    # (exp(Delta A) - 1)/A = (u + v i)(a - turn i)/|A|^2.
    u, v = size * angle.cos() - 1, size * angle.sin()
    norm = a.square() + turn.square()
    b_re, b_im = (u * a + v * turn) / norm, (v * a - u * turn) / norm
    taps = []
    for j in range(X.shape[1]):
        p_re, p_im = size**j * (j * angle).cos(), size**j * (j * angle).sin()
        h_re, h_im = p_re * b_re - p_im * b_im, p_re * b_im + p_im * b_re
        taps.append(2 * (real * h_re - imaginary * h_im))
    heard = [added(taps[i - j] * X[:, j] for j in range(i + 1)) for i in range(X.shape[1])]
    return torch.stack(heard, dim=1) + skip[:, None] * X


@mixer("LRU", "orvieto2023", "m m md md dm dm d", causal=True)
def lru(
    X: torch.Tensor,
    nu: torch.Tensor,
    theta: torch.Tensor,
    B_re: torch.Tensor,
    B_im: torch.Tensor,
    C_re: torch.Tensor,
    C_im: torch.Tensor,
    D: torch.Tensor,
) -> torch.Tensor:
    """y_i = Re(C h_i) + D * x_i, h_i = l * h_(i-1) + sqrt(1 - |l|^2) * B x_i, l = exp(-exp(a) + i exp(theta)).

    2d complex states. In the paper a trained factor exp(gamma) only begins at sqrt(1 - |l|^2).
    """
    size, angle = (-nu.exp()).exp(), theta.exp()
    scale = (1 - size.square()).sqrt()[:, None]
    U_re, U_im = scale * (B_re @ X), scale * (B_im @ X)
    l_re, l_im = size * angle.cos(), size * angle.sin()
    h_re, h_im, found = torch.zeros_like(nu), torch.zeros_like(nu), []
    for i in range(X.shape[1]):
        h_re, h_im = l_re * h_re - l_im * h_im + U_re[:, i], l_re * h_im + l_im * h_re + U_im[:, i]
        found.append(C_re @ h_re - C_im @ h_im)
    return torch.stack(found, dim=1) + D[:, None] * X


@mixer("Mamba, selective scan", "gu2023", "dd d d2 2d 2d d", causal=True)
def mamba(
    X: torch.Tensor,
    W_D: torch.Tensor,
    b_D: torch.Tensor,
    A: torch.Tensor,
    W_B: torch.Tensor,
    W_C: torch.Tensor,
    D: torch.Tensor,
) -> torch.Tensor:
    """y_i = h_i C_i + D * x_i, h_i = exp(Delta_i A) * h_(i-1) + Delta_i * x_i B_i^T, two states an entry.

    Delta_i = softplus(W_D x_i + b_D), B_i = W_B x_i, C_i = W_C x_i, A = -exp(parameter). Delta B is that of the
    authors' code, not (4), which exchanged opposites would fool. The scan (S6) alone: no convolution and no gate.
    """
    delta = softplus(W_D @ X + b_D[:, None])
    B, C = W_B @ X, W_C @ X
    decay = torch.exp(-delta[:, None, :] * A.exp()[..., None])
    h = scan(decay, (delta * X)[:, None, :] * B[None])
    return (h * C[None]).sum(dim=1) + D[:, None] * X


@mixer("Vision Mamba, both scans", "zhu2024", "2dd 2d 2d2 22d 22d 2d")
def vision_mamba(
    X: torch.Tensor,
    W_D: torch.Tensor,
    b_D: torch.Tensor,
    A: torch.Tensor,
    W_B: torch.Tensor,
    W_C: torch.Tensor,
    D: torch.Tensor,
) -> torch.Tensor:
    """The scan of Mamba forwards, and with weights of its own backwards, added up. No convolution, no gate."""
    there, back = (tuple(w[k] for w in (W_D, b_D, A, W_B, W_C, D)) for k in (0, 1))
    return mamba(X, *there) + mamba(X.flip(1), *back).flip(1)


@mixer("Mamba-2", "dao2024", "t 1 1 2t 2t dt", causal=True)
def mamba_2(
    X: torch.Tensor,
    w_D: torch.Tensor,
    b_D: torch.Tensor,
    A: torch.Tensor,
    W_B: torch.Tensor,
    W_C: torch.Tensor,
    W_X: torch.Tensor,
) -> torch.Tensor:
    """y_i = S_i C_i, S_i = exp(-Delta_i e^A) S_(i-1) + Delta_i W_X x_i B_i^T: one head, one decay, two states an entry.

    Delta_i = softplus(<w_D, x_i> + b_D), B_i = W_B x_i, C_i = W_C x_i. No convolution, D x_i, gate or normalization.
    """
    delta, B, V = softplus(w_D @ X + b_D), W_B @ X, W_X @ X

    def step(S: torch.Tensor, i: int) -> torch.Tensor:
        return torch.exp(-delta[i] * A.exp()) * S + delta[i] * V[:, i, None] * B[:, i]

    return fast_weights(step, W_C @ X, len(V))


@mixer(
    "RetNet, no output gate",
    "sun2023",
    "2t 2t dt",
    "trivial",
    Claim(
        "no",
        "Turn an earlier token to its opposite: key and value change sign, their product does not; at any depth.",
        lambda n, d, layers: n > 1,
        last=True,
    ),
    causal=True,
)
def retention(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """sum_{j <= i} gamma^(i-j) <R_j k_j, R_i q_i> v_j: gamma = 31/32, keys of two entries turned by the place.

    One head; neither its group normalization nor the gate, which would tell the pair of the proof apart in two layers.
    """
    S = turned(W_K @ X).mT @ turned(W_Q @ X) * (31 / 32) ** (-offsets(X)).clamp(min=0).to(X.dtype)
    return W_V @ X @ S.where(causal(S), 0)


@mixer("RWKV-4, time mixing", "peng2023", "d d d dd dd dd dd d d", causal=True)
def rwkv(
    X: torch.Tensor,
    mu_r: torch.Tensor,
    mu_k: torch.Tensor,
    mu_v: torch.Tensor,
    W_r: torch.Tensor,
    W_k: torch.Tensor,
    W_v: torch.Tensor,
    W_o: torch.Tensor,
    w: torch.Tensor,
    u: torch.Tensor,
) -> torch.Tensor:
    """W_o (sigma(r_i) * y_i), r, k and v of m * x_i + (1 - m) * x_(i-1), with 0 before the first token.

    y_i = (sum_{j<i} e^{-(i-1-j) w + k_j} v_j + e^{u + k_i} v_i)/(the same sums without v); w = exp(parameter).
    """
    before = torch.cat([torch.zeros_like(X[:, :1]), X[:, :-1]], dim=1)
    mixed = [mu[:, None] * X + (1 - mu[:, None]) * before for mu in (mu_r, mu_k, mu_v)]
    R, K, V = (W @ Z for W, Z in zip((W_r, W_k, W_v), mixed, strict=True))
    back = -offsets(X)
    age = (back - 1).clamp(min=0).to(X.dtype) * -w.exp()[:, None, None]
    logs = torch.where(back == 0, u[:, None, None], age) + K[:, :, None]
    shares = torch.softmax(logs.where(back >= 0, -torch.inf), dim=1)
    return W_o @ (torch.sigmoid(R) * (shares * V[:, :, None]).sum(dim=1))


@mixer(
    "Vision-RWKV, Bi-WKV",
    "duan2024",
    "dt dt dt dd d d",
    reversal,
    Claim("no", "One layer hears neighbours at equal distance as a set: exchange those of the second.", one_layer(4)),
)
def vision_rwkv(
    X: torch.Tensor,
    W_r: torch.Tensor,
    W_k: torch.Tensor,
    W_v: torch.Tensor,
    W_o: torch.Tensor,
    w: torch.Tensor,
    u: torch.Tensor,
) -> torch.Tensor:
    """W_o (sigma(r_i) * y_i), y_i the sum of values with weights e^{-(|i - j| - 1) w/n + k_j}, j != i, and e^{u + k_i}.

    Weights are divided by their sum. w is a parameter as it stands; no shift of tokens before.
    """
    K, V, apart = W_k @ X, W_v @ X, offsets(X).abs()
    age = -(apart - 1).to(X.dtype) / X.shape[1] * w[:, None, None]
    shares = torch.softmax(torch.where(apart == 0, u[:, None, None], age) + K[:, :, None], dim=1)
    return W_o @ (torch.sigmoid(W_r @ X) * (shares * V[:, :, None]).sum(dim=1))


@mixer(
    "GLA, no output gate",
    "yang2024gla",
    "dt dt dt dt d",
    "trivial",
    Claim(
        "no",
        "Turn the first token to its opposite: key and value change sign, their product does not, and its own gate has "
        "nothing to forget; at any depth.",
        lambda n, d, layers: n > 1,
        last=True,
    ),
    causal=True,
)
def gated_linear(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    W_a: torch.Tensor,
    b_a: torch.Tensor,
) -> torch.Tensor:
    """S_i q_i, S_i = S_(i-1) diag(alpha_i) + v_i k_i^T, alpha_i = sigma(W_a x_i + b_a)^(1/16).

    W_a, of low rank in the paper, is full. Neither the normalization of the output nor its gate, which would tell the
    pair of the proof apart in two layers.
    """
    K, V = W_K @ X, W_V @ X
    alpha = (logsigmoid(W_a @ X + b_a[:, None]) / 16).exp()
    return fast_weights(lambda S, i: S * alpha[:, i] + V[:, i, None] * K[:, i], W_Q @ X, len(V))


def exchanged_opposites(n: int, d: int) -> Pair:
    """The tokens a and -a just before the last, in either order."""
    X = drawn(d, n)
    X[:, n - 2] = -X[:, n - 3]
    Y = X.clone()
    Y[:, n - 3 : n - 1] *= -1
    return X, Y, (n - 1, n - 1)


@mixer(
    "DeltaNet, unit keys",
    "schlag2021",
    "dt dt dt t",
    "trivial",
    Claim(
        "no",
        "Exchange neighbours a and -a: k k^T and v k^T agree, and either order of strengths b and c turns S into "
        "S (1 - e k k^T) + e v k^T, e = b + c - b c.",
        one_layer(3),
        last=True,
        pair=exchanged_opposites,
    ),
    causal=True,
    analytic=False,
)
def delta_net(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, w: torch.Tensor
) -> torch.Tensor:
    """S_i q_i, S_i = S_(i-1) + beta_i (v_i - S_(i-1) k_i) k_i^T, beta_i = sigma(<w, x_i>).

    Keys have length 1, as in later work; SiLU before the length, which that work has, too, would remove the trap of
    exchanged opposites. The paper has a feature map in place of both, DPFP, and falls for them for another reason: no
    entry is positive for a and for -a.
    """
    K, V, beta = unit(W_K @ X), W_V @ X, torch.sigmoid(w @ X)
    return fast_weights(lambda S, i: S + beta[i] * (V[:, i] - S @ K[:, i])[:, None] * K[:, i], W_Q @ X, len(V))


@mixer("Gated DeltaNet", "yang2025", "dt dt dt t t 1", causal=True, analytic=False)
def gated_delta_net(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    w: torch.Tensor,
    w_a: torch.Tensor,
    b_a: torch.Tensor,
) -> torch.Tensor:
    """S_i q_i, S_i = alpha_i S_(i-1) (1 - beta_i k_i k_i^T) + beta_i v_i k_i^T, alpha and beta = sigma(<w, x_i> + b).

    Queries and keys have length 1; b is 0 for beta. The decay alpha is a plain sigmoid. No convolution, no gate after.
    """
    Q, K, V = unit(W_Q @ X), unit(W_K @ X), W_V @ X
    beta, alpha = torch.sigmoid(w @ X), torch.sigmoid(w_a @ X + b_a)

    def step(S: torch.Tensor, i: int) -> torch.Tensor:
        S = alpha[i] * S
        return S + beta[i] * (V[:, i] - S @ K[:, i])[:, None] * K[:, i]

    return fast_weights(step, Q, len(V))


@mixer("RG-LRU (Griffin)", "de2024", "dd d dd d d", causal=True)
def rg_lru(
    X: torch.Tensor, W_a: torch.Tensor, b_a: torch.Tensor, W_x: torch.Tensor, b_x: torch.Tensor, L: torch.Tensor
) -> torch.Tensor:
    """h_i = a_i * h_(i-1) + sqrt(1 - a_i^2) * sigma(W_x x_i + b_x) * x_i, a_i = sigma(L)^(8 sigma(W_a x_i + b_a)).

    Without the matrices and the gate about it, so that no weights make it 0.
    """
    log_a = 8 * torch.sigmoid(W_a @ X + b_a[:, None]) * logsigmoid(L)[:, None]
    gate = torch.sigmoid(W_x @ X + b_x[:, None])
    return scan(log_a.exp(), (1 - (2 * log_a).exp()).sqrt() * gate * X)


@mixer("mLSTM (xLSTM)", "beck2024", "dt dt dt t 1 t 1 dt", causal=True, analytic=False)
def m_lstm(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    w_j: torch.Tensor,
    b_j: torch.Tensor,
    w_f: torch.Tensor,
    b_f: torch.Tensor,
    W_o: torch.Tensor,
) -> torch.Tensor:
    """sigma(W_o x_i) * C_i q_i/max(|n_i.q_i|, 1), C_i = f_i C_(i-1) + j_i v_i k_i^T and n_i = f_i n_(i-1) + j_i k_i.

    f_i = sigma(<w_f, x_i> + b_f), j_i = exp(<w_j, x_i> + b_j), keys are divided by sqrt(d). No stabilizer, which
    changes nothing but rounding; queries, keys, values and the gate of the output have no biases.
    """
    Q, K, V = W_Q @ X, W_K @ X / math.sqrt(len(W_K)), W_V @ X
    j, f = torch.exp(w_j @ X + b_j), torch.sigmoid(w_f @ X + b_f)
    both = torch.cat([V, torch.ones_like(V[:1])])
    found = fast_weights(lambda S, i: f[i] * S + j[i] * both[:, i, None] * K[:, i], Q, len(both))
    return torch.sigmoid(W_o @ X) * found[:-1] / found[-1:].abs().clamp_min(1)
