"""The mixers of the atlas once more, token by token: what the tests compare with.

x is an array whose rows are the tokens; weights are arrays in the order of the mixer's own. Each function returns what
is added to the tokens, a list of vectors. The matrices here are those of one token; over tokens there are plain loops.
"""

import math

import numpy as np

LOOPS = {}


def of(name):
    """Register the loops of a mixer."""

    def add(f):
        LOOPS[name] = f
        return f

    return add


# ------------------------------------------------------------------------------------------------------------- plumbing


def shares(s):
    """Softmax."""
    powers = np.exp(np.array(s) - max(s))
    return powers / powers.sum()


def total(weights, vectors):
    """sum_j w_j v_j."""
    return sum(w * v for w, v in zip(weights, vectors, strict=True))


def sigma(t):
    return 1 / (1 + np.exp(-t))


def relu(t):
    return np.where(t > 0, t, 0.0)


def silu(t):
    return t * sigma(t)


def gelu(t):
    return t * (1 + np.vectorize(math.erf)(t / math.sqrt(2))) / 2


def softplus(t):
    return np.log(1 + np.exp(t))


def elu1(t):
    return np.where(t > 0, t + 1, np.exp(t))


def unit(v):
    return v / math.sqrt(v @ v)


def attend(x, heard, score, value):
    """For each i: softmax of score(i, j) over the j in heard(i), applied to value(j)."""
    return [total(shares([score(i, j) for j in heard(i)]), [value(j) for j in heard(i)]) for i in range(len(x))]


def dots(x, Q, K):
    """(i, j) to <K x_j, Q x_i>/sqrt(rows)."""
    return lambda i, j: (K @ x[j]) @ (Q @ x[i]) / math.sqrt(len(Q))


def everyone(x):
    return lambda i: range(len(x))


def past(i):
    return range(i + 1)


def plain(x, heard, Q, K, V):
    return attend(x, heard, dots(x, Q, K), lambda j: V @ x[j])


def weighted(x, weight, V):
    """sum_j w(i, j) V x_j."""
    js = range(len(x))
    return [total([weight(i, j) for j in js], [V @ y for y in x]) for i in js]


# ------------------------------------------------------------------------------------------------------------ attention


@of("softmax")
def softmax(x, Q, K, V):
    return plain(x, everyone(x), Q, K, V)


@of("causal softmax")
def causal_softmax(x, Q, K, V):
    return plain(x, past, Q, K, V)


@of("multi-query")
def multi_query(x, Q, K, V, W_O):
    heads = [plain(x, everyone(x), Q[h], K, V) for h in range(2)]
    return [W_O[0] @ heads[0][i] + W_O[1] @ heads[1][i] for i in range(len(x))]


@of("grouped-query")
def grouped_query(x, Q, K, V, W_O):
    group = {0: 0, 1: 0, 2: 1, 3: 1}
    heads = [plain(x, everyone(x), Q[h], K[group[h]], V[group[h]]) for h in range(4)]
    return [sum(W_O[h] @ heads[h][i] for h in range(4)) for i in range(len(x))]


def latent_heads(x, q, c, U_Q, U_K, U_V, W_O):
    def head(h):
        return attend(
            x,
            everyone(x),
            lambda i, j: (U_K[h] @ c[j]) @ (U_Q[h] @ q[i]) / math.sqrt(len(x[0])),
            lambda j: W_O[h] @ U_V[h] @ c[j],
        )

    return [a + b for a, b in zip(head(0), head(1), strict=True)]


@of("MLA, no positions")
def latent_attention(x, D_Q, U_Q, D, *more):
    def rms(z):
        return z / math.sqrt((z[0] ** 2 + z[1] ** 2) / 2)

    return latent_heads(x, [rms(D_Q @ y) for y in x], [rms(D @ y) for y in x], U_Q, *more)


@of("MLA, no positions or norm")
def plain_latent_attention(x, D_Q, U_Q, D, *more):
    return latent_heads(x, [D_Q @ y for y in x], [D @ y for y in x], U_Q, *more)


@of("softmax with a sink")
def softmax_sink(x, Q, K, V, b):
    found = []
    for i in range(len(x)):
        powers = [math.exp(dots(x, Q, K)(i, j)) for j in range(len(x))]
        found.append(total(powers, [V @ y for y in x]) / (math.exp(b) + sum(powers)))
    return found


@of("gated softmax")
def gated_softmax(x, Q, K, V, G, W_O):
    return [W_O @ (sigma(G @ y) * heard) for y, heard in zip(x, softmax(x, Q, K, V), strict=True)]


@of("scalable softmax")
def scalable_softmax(x, Q, K, V, s):
    n = len(x)
    return kernelized(x, lambda i, j: n ** (s * dots(x, Q, K)(i, j)), V, everyone(x))


@of("talking heads")
def talking_heads(x, Q, K, V, W_O, P_l, P_w):
    n, found = len(x), []
    for i in range(n):
        logits = [[dots(x, Q[h], K[h])(i, j) for j in range(n)] for h in range(2)]
        weights = [shares([sum(logits[h][j] * P_l[h][g] for h in range(2)) for j in range(n)]) for g in range(2)]
        after = [[sum(weights[g][j] * P_w[g][h] for g in range(2)) for j in range(n)] for h in range(2)]
        found.append(sum(W_O[h] @ total(after[h], [V[h] @ y for y in x]) for h in range(2)))
    return found


@of("sigmoid")
def sigmoid(x, Q, K, V):
    return weighted(x, lambda i, j: sigma(dots(x, Q, K)(i, j) - math.log(len(x))), V)


@of("ReLU")
def relu_attention(x, Q, K, V):
    return weighted(x, lambda i, j: relu(dots(x, Q, K)(i, j)) / len(x), V)


@of("squared ReLU (GAU)")
def gau(x, U, V, Z, W_O, a_q, b_q, a_k, b_k, b):
    n, found = len(x), []
    z, v = [silu(Z @ y) for y in x], [silu(V @ y) for y in x]
    for i in range(n):
        weights = [relu((a_q * z[i] + b_q) @ (a_k * z[j] + b_k) + b) ** 2 / n for j in range(n)]
        found.append(W_O @ (silu(U @ x[i]) * total(weights, v)))
    return found


@of("differential")
def differential(x, Q, K, V, scale):
    first, second = (plain(x, everyone(x), Q[h], K[h], V) for h in range(2))
    return [a - scale * b for a, b in zip(first, second, strict=True)]


@of("sparsemax")
def sparsemax(x, Q, K, V):
    n, s, found = len(x), dots(x, Q, K), []
    for i in range(n):
        row = np.array([s(i, j) for j in range(n)])
        low, high = min(row) - 1, max(row)
        for _ in range(200):  # bisection for the threshold at which weights add up to 1
            middle = (low + high) / 2
            low, high = (middle, high) if relu(row - middle).sum() > 1 else (low, middle)
        found.append(total(relu(row - low), [V @ y for y in x]))
    return found


@of("1.5-entmax")
def entmax(x, Q, K, V):
    n, s, found = len(x), dots(x, Q, K), []
    for i in range(n):
        row = np.array([s(i, j) / 2 for j in range(n)])
        low, high = min(row) - 1, max(row)
        for _ in range(200):  # bisection for the threshold at which weights add up to 1
            middle = (low + high) / 2
            low, high = (middle, high) if (relu(row - middle) ** 2).sum() > 1 else (low, middle)
        found.append(total(relu(row - low) ** 2, [V @ y for y in x]))
    return found


@of("top two")
def top_two(x, Q, K, V):
    return plain(x, lambda i: sorted(range(len(x)), key=lambda j: -dots(x, Q, K)(i, j))[:2], Q, K, V)


@of("query-key norm")
def query_key_norm(x, Q, K, V, scale):
    return attend(x, everyone(x), lambda i, j: scale * unit(K @ x[j]) @ unit(Q @ x[i]), lambda j: V @ x[j])


@of("L2 distance")
def distance(x, W, V):
    root = math.sqrt(len(x[0]))

    def score(i, j):
        return -sum((W @ x[i] - W @ x[j]) ** 2) / root

    return attend(x, everyone(x), score, lambda j: V @ W.T @ (W @ x[j]) / root)


@of("Skyformer")
def skyformer(x, Q, K, V):
    return weighted(x, lambda i, j: math.exp(-sum((Q @ x[i] - K @ x[j]) ** 2) / (2 * math.sqrt(len(x[0])))), V)


@of("Synthesizer, dense")
def synthesizer_dense(x, W_1, b_1, W_2, b_2, V):
    rows = [W_2 @ relu(W_1 @ y + b_1) + b_2 for y in x]
    return attend(x, everyone(x), lambda i, j: rows[i][j], lambda j: V @ x[j])


@of("Synthesizer, random")
def synthesizer_random(x, R, V):
    return attend(x, everyone(x), lambda i, j: R[j][i], lambda j: V @ x[j])


@of("external")
def external(x, M_k, M_v):
    by_memory = [shares([key @ y for y in x]) for key in M_k]
    rows = [np.array([weights[i] for weights in by_memory]) for i in range(len(x))]
    return [M_v @ (row / row.sum()) for row in rows]


@of("Fastformer")
def fastformer(x, Q, K, V, w_q, w_k, W):
    root = math.sqrt(len(x[0]))
    q, k, v = ([M @ y for y in x] for M in (Q, K, V))
    everything = total(shares([w_q @ a / root for a in q]), q)
    p = [everything * a for a in k]
    key = total(shares([w_k @ a / root for a in p]), p)
    return [W @ (key * v[i]) + q[i] for i in range(len(x))]


@of("additive")
def additive(x, Q, K, w, V):
    return attend(x, everyone(x), lambda i, j: w @ np.tanh(Q @ x[i] + K @ x[j]), lambda j: V @ x[j])


@of("AFT-simple")
def aft_simple(x, Q, K, V):
    return aft_full(x, Q, K, V, np.zeros((len(x), len(x))))


# ------------------------------------------------------------------------------------------------------------ positions


def spun(v, angle):
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]) @ v


@of("RoPE")
def rope(x, Q, K, V):
    def score(i, j):
        return spun(Q @ x[i], i) @ spun(K @ x[j], j) / math.sqrt(2)

    return attend(x, everyone(x), score, lambda j: V @ x[j])


@of("ALiBi")
def alibi(x, Q, K, V):
    return attend(x, past, lambda i, j: dots(x, Q, K)(i, j) - 2**-8 * (i - j), lambda j: V @ x[j])


@of("relative positions")
def relative(x, Q, K, V, a_K, a_V):
    def at(i, j):
        return max(-2, min(2, j - i)) + 2

    found = []
    for i in range(len(x)):
        w = shares([(Q @ x[i]) @ (K @ y + a_K[at(i, j)]) / math.sqrt(len(x[0])) for j, y in enumerate(x)])
        found.append(total(w, [V @ y + a_V[at(i, j)] for j, y in enumerate(x)]))
    return found


@of("T5 bias")
def t5(x, Q, K, V, b):
    return attend(x, everyone(x), lambda i, j: (Q @ x[i]) @ (K @ x[j]) + b[j - i + len(x) - 1], lambda j: V @ x[j])


@of("DeBERTa")
def disentangled(x, Q, K, V, R_Q, R_K, P):
    def r(i, j):
        return 0 if i - j <= -2 else 3 if i - j >= 2 else i - j + 2

    def score(i, j):
        q, k = Q @ x[i], K @ x[j]
        return (q @ k + q @ R_K @ P[r(i, j)] + k @ R_Q @ P[r(j, i)]) / math.sqrt(3 * len(x[0]))

    return attend(x, everyone(x), score, lambda j: V @ x[j])


@of("Transformer-XL")
def transformer_xl(x, Q, K, V, W_R, u, v):
    def score(i, j):
        r = W_R @ np.array([math.sin(i - j), math.cos(i - j)])
        q = Q @ x[i]
        return (q @ (K @ x[j]) + q @ r + u @ (K @ x[j]) + v @ r) / math.sqrt(len(q))  # (a) to (d) of the paper

    return attend(x, past, score, lambda j: V @ x[j])


@of("stick-breaking")
def stick_breaking(x, Q, K, V):
    found = []
    for i in range(len(x)):
        left, heard = 1.0, 0 * (V @ x[i])
        for j in reversed(range(i)):
            share = sigma(dots(x, Q, K)(i, j))
            heard = heard + left * share * (V @ x[j])
            left *= 1 - share
        found.append(heard)
    return found


@of("AFT-full")
def aft_full(x, Q, K, V, w):
    found = []
    for i in range(len(x)):
        weights = [np.exp(K @ y + w[i][j]) for j, y in enumerate(x)]  # for each entry another
        found.append(sigma(Q @ x[i]) * total(weights, [V @ y for y in x]) / sum(weights))
    return found


@of("Forgetting Transformer")
def forgetting(x, Q, K, V, w_f, b_f):
    def score(i, j):
        return dots(x, Q, K)(i, j) + sum(math.log(sigma(w_f @ x[k] + b_f)) for k in range(j + 1, i + 1))

    return attend(x, past, score, lambda j: V @ x[j])


# --------------------------------------------------------------------------------------------------------------- sparse


@of("sliding window")
def sliding_window(x, Q, K, V):
    return plain(x, lambda i: [j for j in range(len(x)) if abs(i - j) <= 1], Q, K, V)


@of("Longformer")
def longformer(x, Q, K, V, G_Q, G_K, G_V):
    def heard(i):
        return [j for j in range(len(x)) if abs(i - j) <= 1 or j == 0]

    return [plain(x, everyone(x), G_Q, G_K, G_V)[0], *plain(x, heard, Q, K, V)[1:]]


DRAWN = {3: [2, 1, 1], 4: [3, 2, 2, 1], 5: [4, 3, 2, 1, 1], 7: [5, 4, 3, 1, 2, 0, 0]}
"""The token that each hears at random: what the generator of the pattern gives for so many tokens."""


@of("BigBird")
def bigbird(x, Q, K, V):
    n = len(x)
    return plain(x, lambda i: [j for j in range(n) if 0 in (i, j) or abs(i - j) <= 1 or j == DRAWN[n][i]], Q, K, V)


@of("Sparse Transformer")
def sparse_transformer(x, Q, K, V, W_O):
    def near(i):
        return [j for j in (i - 2, i - 1, i) if j >= 0]

    def column(i):
        return [j for j in range(i + 1) if (i - j) % 2 == 0]

    heads = [plain(x, heard, Q[h], K[h], V[h]) for h, heard in enumerate((near, column))]
    return [sum(W_O[h] @ heads[h][i] for h in range(2)) for i in range(len(x))]


@of("Star-Transformer ring")
def star(x, Q, K, V):
    n = len(x)

    def heard(i):
        return sorted({0, i, i % (n - 1) + 1, (i - 2) % (n - 1) + 1}) if i else range(n)

    return plain(x, heard, Q, K, V)


@of("Swin window")
def swin(x, Q, K, V, B):
    def heard(i):
        return [j for j in range(len(x)) if j // 2 == i // 2]

    return attend(x, heard, lambda i, j: dots(x, Q, K)(i, j) + B[j - i + 1], lambda j: V @ x[j])


@of("Reformer")
def reformer(x, W, V, R):
    q = [W @ y for y in x]
    bucket = [np.argmax([*(v @ R), *(-v @ R)]) for v in q]

    def heard(i):
        return [j for j in range(len(x)) if j != i and bucket[j] == bucket[i]] or [i]

    return attend(x, heard, lambda i, j: unit(q[j]) @ q[i] / math.sqrt(len(q[i])), lambda j: V @ x[j])


@of("Routing Transformer")
def routing(x, Q, K, V, mu):
    q, k = ([unit(W @ y) for y in x] for W in (Q, K))

    def heard(i):
        return [j for j in range(len(x)) if j == i or np.argmax(mu @ k[j]) == np.argmax(mu @ q[i])]

    return attend(x, heard, lambda i, j: math.sqrt(len(x[i])) * k[j] @ q[i], lambda j: V @ x[j])


# --------------------------------------------------------------------------------------------------------------- linear


def kernelized(x, weight, V, heard, least=0.0):
    """sum_j w(i, j) V x_j over the sum of w(i, j)."""
    found = []
    for i in range(len(x)):
        w = [weight(i, j) for j in heard(i)]
        found.append(total(w, [V @ x[j] for j in heard(i)]) / (max(sum(w), least) if least else sum(w)))
    return found


@of("linear, elu + 1")
def linear_elu(x, Q, K, V, heard=None):
    return kernelized(x, lambda i, j: elu1(K @ x[j]) @ elu1(Q @ x[i]), V, heard or everyone(x))


@of("causal linear, elu + 1")
def causal_linear_elu(x, Q, K, V):
    return linear_elu(x, Q, K, V, past)


@of("linear self-attention")
def linear_self_attention(x, Q, K, V):
    return weighted(x, lambda i, j: (K @ x[j]) @ (Q @ x[i]), V)


@of("Performer")
def performer(x, Q, K, V, omega):
    def features(v):
        v = len(v) ** -0.25 * v
        return np.array([math.exp(w @ v - v @ v / 2) / math.sqrt(len(omega)) for w in omega])

    return kernelized(x, lambda i, j: features(K @ x[j]) @ features(Q @ x[i]), V, everyone(x))


@of("random features")
def random_features(x, Q, K, V, omega):
    def weight(i, j):
        q, k = unit(Q @ x[i]), unit(K @ x[j])
        return sum(math.cos(w @ (q - k)) for w in omega) / len(omega)  # sin a sin b + cos a cos b = cos(a - b)

    return kernelized(x, weight, V, everyone(x))


@of("cosFormer")
def cosformer(x, Q, K, V):
    def weight(i, j):
        return relu(K @ x[j]) @ relu(Q @ x[i]) * math.cos(math.pi / 2 * (i - j) / len(x))

    return kernelized(x, weight, V, everyone(x), 1e-6)


@of("efficient")
def efficient(x, Q, K, V):
    keys = np.transpose([K @ y for y in x])
    context = [total(shares(row), [V @ y for y in x]) for row in keys]  # one vector for each entry of a key
    return [total(shares(Q @ y), context) for y in x]


@of("Galerkin, no layer norm")
def galerkin(x, Q, K, V):
    return weighted(x, lambda i, j: (K @ x[j]) @ (Q @ x[i]) / len(x), V)


@of("XCiT")
def cross_covariance(x, Q, K, V, tau):
    q, k = ([unit(row) for row in np.transpose([M @ y for y in x])] for M in (Q, K))  # a row for each entry
    return [np.array([shares([tau * a @ b for a in k]) @ (V @ y) for b in q]) for y in x]


@of("SimA")
def sima(x, Q, K, V):
    q, k = (np.transpose([row / sum(abs(row)) for row in np.transpose([M @ y for y in x])]) for M in (Q, K))
    return weighted(x, lambda i, j: k[j] @ q[i], V)


@of("Based")
def based(x, Q, K, V):
    s = dots(x, Q, K)
    return kernelized(x, lambda i, j: 1 + s(i, j) + s(i, j) ** 2 / 2, V, past)


@of("Nystromformer")
def nystromformer(x, Q, K, V):
    cut = (len(x) + 1) // 2
    q, k, v = ([M @ y for y in x] for M in (Q, K, V))
    q_mean, k_mean = ([sum(z[:cut]) / cut, sum(z[cut:]) / (len(x) - cut)] for z in (q, k))

    def row(a, keys):
        return shares([a @ b / math.sqrt(len(x[0])) for b in keys])

    (a, b), (c, e) = (row(m, k_mean) for m in q_mean)
    inverse = np.array([[e, -b], [-c, a]]) / (a * e - b * c)
    far = [total(row(m, k), v) for m in q_mean]
    return [total(row(each, k_mean) @ inverse, far) for each in q]


@of("Linformer")
def linformer(x, Q, K, V, E, F):
    keys, values = ([total(row, [M @ y for y in x]) for row in P.T] for M, P in ((K, E), (V, F)))
    return [total(shares([k @ (Q @ y) / math.sqrt(len(y)) for k in keys]), values) for y in x]


# --------------------------------------------------------------------------------------------------------------- static


def token(x, i):
    return x[i] if 0 <= i < len(x) else np.zeros(len(x[0]))


@of("MLP-Mixer")
def mlp_mixer(x, W_1, b_1, W_2, b_2):
    return np.transpose([W_2 @ gelu(W_1 @ row + b_1) + b_2 for row in np.transpose(x)])


@of("ResMLP")
def res_mlp(x, A, alpha, beta, scale):
    return [scale * total(row, [alpha * v + beta for v in x]) for row in A]


@of("gMLP")
def gated_mlp(x, U_1, U_2, W, b, V):
    first, second = ([gelu(U @ y) for y in x] for U in (U_1, U_2))
    return [V @ (first[i] * (total(W[i], second) + b[i])) for i in range(len(x))]


@of("FNet")
def f_net(x, scale):
    (n, d), turn = np.shape(x), 2 * math.pi

    def entry(i, c):
        return sum(x[j][a] * math.cos(turn * (i * j / n + a * c / d)) for j in range(n) for a in range(d))

    return [[scale * entry(i, c) for c in range(d)] for i in range(n)]


@of("PoolFormer")
def pool_former(x, scale):
    near = [[x[j] for j in (i - 1, i, i + 1) if 0 <= j < len(x)] for i in range(len(x))]
    return [scale * (sum(some) / len(some) - y) for some, y in zip(near, x, strict=True)]


def around(x, i):
    return [token(x, i + k) for k in (-1, 0, 1)]


@of("ConvMixer")
def conv_mixer(x, w, b):
    return [gelu(total(w.T, around(x, i)) + b) for i in range(len(x))]


@of("lightweight convolution")
def lightweight(x, w, W):
    return [W @ total(shares(w), around(x, i)) for i in range(len(x))]


@of("dynamic convolution")
def dynamic(x, Q, W):
    return [W @ total(shares(Q @ y), around(x, i)) for i, y in enumerate(x)]


@of("gated convolution")
def gated_convolution(x, W, b, V, c):
    def conv(M, bias, i):
        return sum(M[k] @ token(x, i - k) for k in range(3)) + bias

    return [conv(W, b, i) * sigma(conv(V, c, i)) for i in range(len(x))]


@of("GFNet")
def global_filter(x, K):
    """By the transform: the product of two spectra, transformed back."""
    return np.transpose([np.fft.ifft(np.fft.fft(row) * np.fft.fft(k)).real for row, k in zip(x.T, K, strict=True)])


def long_filter(h, z):
    return [sum(h[:, i - j] * z[j] for j in range(i + 1)) for i in range(len(z))]


@of("Hyena")
def hyena(x, W, h):
    v, first, second = ([M @ y for y in x] for M in W)
    z = [a * b for a, b in zip(first, long_filter(h[0], v), strict=True)]
    return [a * b for a, b in zip(second, long_filter(h[1], z), strict=True)]


@of("H3")
def hungry_hippos(x, Q, K, V, h, a, c):
    state, found = 0, []
    for i, y in enumerate(x):
        key = sum(h[:, j] * (K @ token(x, i - j)) for j in range(3))
        state = np.tanh(a) * state + key * (V @ y)
        found.append((Q @ y) * c * state)
    return found


# ------------------------------------------------------------------------------------------------------------ recurrent


@of("Elman network")
def elman(x, W, U, b):
    h, found = np.zeros(len(b)), []
    for y in x:
        found.append(h := np.tanh(W @ y + U @ h + b))
    return found


@of("LSTM")
def lstm(x, W, U, b):
    h, c, found = np.zeros(len(x[0])), 0, []
    for y in x:
        enter, forget, out, new = (W[k] @ y + U[k] @ h + b[k] for k in range(4))
        c = sigma(forget) * c + sigma(enter) * np.tanh(new)
        found.append(h := sigma(out) * np.tanh(c))
    return found


@of("GRU")
def gru(x, W, U):
    h, found = np.zeros(len(x[0])), []
    for y in x:
        z, r = (sigma(W[k] @ y + U[k] @ h) for k in (0, 1))
        found.append(h := z * h + (1 - z) * np.tanh(W[2] @ y + U[2] @ (r * h)))
    return found


@of("minGRU")
def min_gru(x, W_z, W_h):
    h, found = 0, []
    for y in x:
        z = sigma(W_z @ y)
        found.append(h := (1 - z) * h + z * (W_h @ y))
    return found


@of("S4D")
def s4d(x, step, decay, turn, real, imaginary, skip):
    h, found = 0, []
    A, delta = -np.exp(decay) + 1j * turn, np.exp(step)
    for y in x:
        h = np.exp(delta * A) * h + (np.exp(delta * A) - 1) / A * y
        found.append(2 * ((real + 1j * imaginary) * h).real + skip * y)
    return found


@of("LRU")
def lru(x, nu, theta, B_re, B_im, C_re, C_im, D):
    h, found = 0, []
    eigen = np.exp(-np.exp(nu) + 1j * np.exp(theta))
    for y in x:
        h = eigen * h + np.sqrt(1 - abs(eigen) ** 2) * ((B_re + 1j * B_im) @ y)
        found.append(((C_re + 1j * C_im) @ h).real + D * y)
    return found


@of("Mamba, selective scan")
def mamba(x, W_D, b_D, A, W_B, W_C, D):
    h, found = np.zeros((len(x[0]), 2)), []
    for y in x:
        delta = softplus(W_D @ y + b_D)
        h = [np.exp(-t * np.exp(a)) * row + t * (W_B @ y) * u for t, a, row, u in zip(delta, A, h, y, strict=True)]
        found.append(np.array([row @ (W_C @ y) for row in h]) + D * y)
    return found


@of("Vision Mamba, both scans")
def vision_mamba(x, *weights):
    there, back = (mamba(tokens, *(w[k] for w in weights)) for k, tokens in enumerate((x, x[::-1])))
    return [a + b for a, b in zip(there, back[::-1], strict=True)]


@of("Mamba-2")
def mamba_2(x, w_D, b_D, A, W_B, W_C, W_X):
    S, found = 0, []
    for y in x:
        delta = softplus(w_D @ y + b_D)
        S = math.exp(-delta * math.exp(A)) * S + delta * np.outer(W_X @ y, W_B @ y)
        found.append(S @ (W_C @ y))
    return found


@of("RetNet, no output gate")
def retention(x, Q, K, V):
    S, found = 0, []
    for i, y in enumerate(x):
        S = 31 / 32 * S + np.outer(V @ y, spun(K @ y, i))
        found.append(S @ spun(Q @ y, i))
    return found


@of("RWKV-4, time mixing")
def rwkv(x, mu_r, mu_k, mu_v, W_r, W_k, W_v, W_o, w, u):
    r, k, v = (
        [W @ (mu * y + (1 - mu) * token(x, i - 1)) for i, y in enumerate(x)]
        for W, mu in ((W_r, mu_r), (W_k, mu_k), (W_v, mu_v))
    )
    found = []
    for i in range(len(x)):
        powers = [*(np.exp(-(i - 1 - j) * np.exp(w) + k[j]) for j in range(i)), np.exp(u + k[i])]
        found.append(W_o @ (sigma(r[i]) * total(powers, v[: i + 1]) / sum(powers)))
    return found


@of("Vision-RWKV, Bi-WKV")
def vision_rwkv(x, W_r, W_k, W_v, W_o, w, u):
    n, found, k = len(x), [], [W_k @ y for y in x]
    for i, y in enumerate(x):
        powers = [np.exp(u + k[j] if j == i else -(abs(i - j) - 1) / n * w + k[j]) for j in range(n)]
        found.append(W_o @ (sigma(W_r @ y) * total(powers, [W_v @ z for z in x]) / sum(powers)))
    return found


@of("GLA, no output gate")
def gated_linear(x, Q, K, V, W_a, b_a):
    S, found = 0, []
    for y in x:
        S = S * sigma(W_a @ y + b_a) ** (1 / 16) + np.outer(V @ y, K @ y)
        found.append(S @ (Q @ y))
    return found


def delta_step(S, beta, k, v):
    """S (1 - beta k k^T) + beta v k^T."""
    return S @ (np.eye(len(k)) - beta * np.outer(k, k)) + beta * np.outer(v, k)


@of("DeltaNet, unit keys")
def delta_net(x, Q, K, V, w):
    S, found = np.zeros(V.shape), []
    for y in x:
        S = delta_step(S, sigma(w @ y), unit(K @ y), V @ y)
        found.append(S @ (Q @ y))
    return found


@of("Gated DeltaNet")
def gated_delta_net(x, Q, K, V, w, w_a, b_a):
    S, found = np.zeros(V.shape), []
    for y in x:
        S = delta_step(sigma(w_a @ y + b_a) * S, sigma(w @ y), unit(K @ y), V @ y)
        found.append(S @ unit(Q @ y))
    return found


@of("RG-LRU (Griffin)")
def rg_lru(x, W_a, b_a, W_x, b_x, L):
    h, found = 0, []
    for y in x:
        decay = sigma(L) ** (8 * sigma(W_a @ y + b_a))
        found.append(h := decay * h + np.sqrt(1 - decay**2) * sigma(W_x @ y + b_x) * y)
    return found


@of("mLSTM (xLSTM)")
def m_lstm(x, Q, K, V, w_j, b_j, w_f, b_f, W_o):
    C, m, found = 0, 0, []
    for y in x:
        enter, forget = math.exp(w_j @ y + b_j), sigma(w_f @ y + b_f)
        k, q = K @ y / math.sqrt(len(y)), Q @ y
        C, m = forget * C + enter * np.outer(V @ y, k), forget * m + enter * k
        found.append(sigma(W_o @ y) * (C @ q) / max(abs(m @ q), 1))
    return found


# ----------------------------------------------------------------------------------------------------------------- sets


@of("Deep Sets, sum")
def deep_sets(x, L, G, b):
    return [np.tanh(L @ y + G @ sum(x) + b) for y in x]


def largest(x):
    return np.array([max(y[a] for y in x) for a in range(len(x[0]))])


@of("Deep Sets, maximum")
def deep_sets_maximum(x, L, G):
    return [np.tanh(L @ y - G @ largest(x)) for y in x]


@of("CommNet")
def comm_net(x, H, C):
    others = [[z for j, z in enumerate(x) if j != i] for i in range(len(x))]
    return [np.tanh(H @ y + C @ sum(some) / len(some)) for y, some in zip(x, others, strict=True)]


@of("PointNet")
def point_net(x, W_1, b_1, W_2, b_2, L, G, b):
    top = largest([relu(W_2 @ relu(W_1 @ y + b_1) + b_2) for y in x])
    return [relu(L @ y + G @ top + b) for y in x]


def mab(x, z, Q, K, V, W):
    """What a block adds to x."""
    found = []
    for y in x:
        h = y + total(shares([(K @ t) @ (Q @ y) / math.sqrt(len(y)) for t in z]), [V @ t for t in z])
        found.append(h + relu(W @ h) - y)
    return found


@of("Set Transformer, SAB")
def set_attention(x, Q, K, V, W):
    return mab(x, x, Q, K, V, W)


@of("Set Transformer, ISAB")
def induced(x, Q, K, V, W, points):
    h = [p + more for p, more in zip(points.T, mab(points.T, x, Q[0], K[0], V[0], W[0]), strict=True)]
    return mab(x, h, Q[1], K[1], V[1], W[1])
