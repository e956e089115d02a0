"""The mixers of the atlas once more, in plain loops over numbers: what the tests compare with.

x is a list of tokens, each a list of numbers; weights are nested lists in the order of the mixer's own. Each function
returns the list of what is added to the tokens.
"""

import cmath
import math

LOOPS = {}


def of(name):
    """Register the loops of a mixer."""

    def add(f):
        LOOPS[name] = f
        return f

    return add


# ------------------------------------------------------------------------------------------------------------- plumbing


def dot(u, v):
    return sum(a * b for a, b in zip(u, v, strict=True))


def times(W, v):
    return [dot(row, v) for row in W]


def plus(*vectors):
    return [sum(entries) for entries in zip(*vectors, strict=True)]


def scaled(t, v):
    return [t * a for a in v]


def had(u, v):
    return [a * b for a, b in zip(u, v, strict=True)]


def each(f, v):
    return [f(a) for a in v]


def zeros(d):
    return [0.0] * d


def shares(s):
    """Softmax."""
    top = max(s)
    powers = [math.exp(a - top) for a in s]
    return [p / sum(powers) for p in powers]


def total(weights, vectors, d):
    """sum_j w_j v_j."""
    found = zeros(d)
    for w, v in zip(weights, vectors, strict=True):
        found = plus(found, scaled(w, v))
    return found


def sigma(t):
    return 1 / (1 + math.exp(-t))


def relu(t):
    return t if t > 0 else 0.0


def silu(t):
    return t * sigma(t)


def gelu(t):
    return t * (1 + math.erf(t / math.sqrt(2))) / 2


def softplus(t):
    return math.log(1 + math.exp(t))


def elu1(t):
    return t + 1 if t > 0 else math.exp(t)


def unit(v):
    return scaled(1 / math.sqrt(dot(v, v)), v)


def attend(x, heard, score, value, d):
    """For each i: softmax of score(i, j) over the j in heard(i), applied to value(j)."""
    found = []
    for i in range(len(x)):
        js = heard(i)
        found.append(total(shares([score(i, j) for j in js]), [value(j) for j in js], d))
    return found


def dots(x, Q, K):
    """(i, j) to <K x_j, Q x_i>/sqrt(rows)."""
    return lambda i, j: dot(times(K, x[j]), times(Q, x[i])) / math.sqrt(len(Q))


def everyone(x):
    return lambda i: list(range(len(x)))


def past(i):
    return list(range(i + 1))


def plain(x, heard, Q, K, V):
    return attend(x, heard, dots(x, Q, K), lambda j: times(V, x[j]), len(x[0]))


def summed(parts):
    """Of several lists of tokens, token by token."""
    return [plus(*tokens) for tokens in zip(*parts, strict=True)]


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
    return [plus(times(W_O[0], heads[0][i]), times(W_O[1], heads[1][i])) for i in range(len(x))]


@of("grouped-query")
def grouped_query(x, Q, K, V, W_O):
    group = {0: 0, 1: 0, 2: 1, 3: 1}
    heads = [plain(x, everyone(x), Q[h], K[group[h]], V[group[h]]) for h in range(4)]
    return [plus(*(times(W_O[h], heads[h][i]) for h in range(4))) for i in range(len(x))]


@of("talking heads")
def talking_heads(x, Q, K, V, W_O, P_l, P_w):
    n, found = len(x), []
    for i in range(n):
        logits = [[dots(x, Q[h], K[h])(i, j) for j in range(n)] for h in range(2)]
        mixed = [[sum(logits[h][j] * P_l[h][g] for h in range(2)) for j in range(n)] for g in range(2)]
        weights = [shares(row) for row in mixed]
        after = [[sum(weights[g][j] * P_w[g][h] for g in range(2)) for j in range(n)] for h in range(2)]
        found.append(plus(*(times(W_O[h], total(after[h], [times(V[h], y) for y in x], len(x[0]))) for h in range(2))))
    return found


@of("sigmoid")
def sigmoid(x, Q, K, V):
    n, s = len(x), dots(x, Q, K)
    return [
        total([sigma(s(i, j) - math.log(n)) for j in range(n)], [times(V, y) for y in x], len(x[0])) for i in range(n)
    ]


@of("ReLU")
def relu_attention(x, Q, K, V):
    n, s = len(x), dots(x, Q, K)
    return [total([relu(s(i, j)) / n for j in range(n)], [times(V, y) for y in x], len(x[0])) for i in range(n)]


@of("squared ReLU (GAU)")
def gau(x, U, V, Z, W_O, a_q, b_q, a_k, b_k, b):
    n, found = len(x), []
    z = [each(silu, times(Z, y)) for y in x]
    q = [plus(had(a_q, y), b_q) for y in z]
    k = [plus(had(a_k, y), b_k) for y in z]
    v = [each(silu, times(V, y)) for y in x]
    for i in range(n):
        heard = total([relu(dot(q[i], k[j]) + b) ** 2 / n for j in range(n)], v, len(x[0]))
        found.append(times(W_O, had(each(silu, times(U, x[i])), heard)))
    return found


@of("differential")
def differential(x, Q, K, V, scale):
    first, second = (plain(x, everyone(x), Q[h], K[h], V) for h in range(2))
    return [plus(a, scaled(-scale, b)) for a, b in zip(first, second, strict=True)]


@of("sparsemax")
def sparsemax(x, Q, K, V):
    n, s, found = len(x), dots(x, Q, K), []
    for i in range(n):
        row = [s(i, j) for j in range(n)]
        low, high = min(row) - 1, max(row)
        for _ in range(200):  # bisection for the threshold at which weights add up to 1
            middle = (low + high) / 2
            if sum(relu(a - middle) for a in row) > 1:
                low = middle
            else:
                high = middle
        found.append(total([relu(a - low) for a in row], [times(V, y) for y in x], len(x[0])))
    return found


@of("top two")
def top_two(x, Q, K, V):
    s = dots(x, Q, K)

    def heard(i):
        return sorted(range(len(x)), key=lambda j: -s(i, j))[:2]

    return plain(x, heard, Q, K, V)


@of("query-key norm")
def query_key_norm(x, Q, K, V, scale):
    def score(i, j):
        return scale * dot(unit(times(K, x[j])), unit(times(Q, x[i])))

    return attend(x, everyone(x), score, lambda j: times(V, x[j]), len(x[0]))


@of("L2 distance")
def distance(x, W, V):
    d = len(x[0])

    def score(i, j):
        return -sum((a - b) ** 2 for a, b in zip(times(W, x[i]), times(W, x[j]), strict=True)) / math.sqrt(d)

    def value(j):
        w = times(W, x[j])
        return times(V, [sum(W[a][c] * w[a] for a in range(d)) / math.sqrt(d) for c in range(d)])

    return attend(x, everyone(x), score, value, d)


@of("Skyformer")
def skyformer(x, Q, K, V):
    d, n = len(x[0]), len(x)

    def weight(i, j):
        gap = plus(times(Q, x[i]), scaled(-1, times(K, x[j])))
        return math.exp(-dot(gap, gap) / (2 * math.sqrt(d)))

    return [total([weight(i, j) for j in range(n)], [times(V, y) for y in x], d) for i in range(n)]


@of("Synthesizer, dense")
def synthesizer_dense(x, W_1, b_1, W_2, b_2, V):
    rows = [plus(times(W_2, each(relu, plus(times(W_1, y), b_1))), b_2) for y in x]
    return attend(x, everyone(x), lambda i, j: rows[i][j], lambda j: times(V, x[j]), len(x[0]))


@of("Synthesizer, random")
def synthesizer_random(x, R, V):
    return attend(x, everyone(x), lambda i, j: R[j][i], lambda j: times(V, x[j]), len(x[0]))


@of("external")
def external(x, M_k, M_v):
    n, m = len(x), len(M_k)
    by_memory = [shares([dot(M_k[r], x[i]) for i in range(n)]) for r in range(m)]
    found = []
    for i in range(n):
        row = [by_memory[r][i] for r in range(m)]
        found.append(times(M_v, [a / sum(row) for a in row]))
    return found


@of("Fastformer")
def fastformer(x, Q, K, V, w_q, w_k, W):
    d = len(x[0])
    q, k, v = ([times(M, y) for y in x] for M in (Q, K, V))
    everything = total(shares([dot(w_q, a) / math.sqrt(d) for a in q]), q, d)
    p = [had(everything, a) for a in k]
    key = total(shares([dot(w_k, a) / math.sqrt(d) for a in p]), p, d)
    return [plus(times(W, had(key, v[i])), q[i]) for i in range(len(x))]


@of("AFT-simple")
def aft_simple(x, Q, K, V):
    return aft_full(x, Q, K, V, [[0.0] * len(x) for _ in x])


# ------------------------------------------------------------------------------------------------------------ positions


def spun(v, angle):
    z = complex(*v) * cmath.exp(1j * angle)
    return [z.real, z.imag]


@of("RoPE")
def rope(x, Q, K, V):
    def score(i, j):
        return dot(spun(times(Q, x[i]), i), spun(times(K, x[j]), j)) / math.sqrt(2)

    return attend(x, everyone(x), score, lambda j: times(V, x[j]), len(x[0]))


@of("ALiBi")
def alibi(x, Q, K, V):
    s = dots(x, Q, K)
    return attend(x, past, lambda i, j: s(i, j) - 2**-8 * (i - j), lambda j: times(V, x[j]), len(x[0]))


@of("relative positions")
def relative(x, Q, K, V, a_K, a_V):
    d, found = len(x[0]), []

    def at(i, j):
        return max(-2, min(2, j - i)) + 2

    for i in range(len(x)):
        js = range(len(x))
        keys = [plus(times(K, x[j]), a_K[at(i, j)]) for j in js]
        w = shares([dot(times(Q, x[i]), k) / math.sqrt(d) for k in keys])
        found.append(total(w, [plus(times(V, x[j]), a_V[at(i, j)]) for j in js], d))
    return found


@of("T5 bias")
def t5(x, Q, K, V, b):
    n = len(x)

    def score(i, j):
        return dot(times(Q, x[i]), times(K, x[j])) + b[j - i + n - 1]

    return attend(x, everyone(x), score, lambda j: times(V, x[j]), len(x[0]))


@of("DeBERTa")
def disentangled(x, Q, K, V, R_Q, R_K, P):
    def r(i, j):
        return 0 if i - j <= -2 else 3 if i - j >= 2 else i - j + 2

    def score(i, j):
        q, k = times(Q, x[i]), times(K, x[j])
        s = dot(q, k) + dot(q, times(R_K, P[r(i, j)])) + dot(k, times(R_Q, P[r(j, i)]))
        return s / math.sqrt(3 * len(x[0]))

    return attend(x, everyone(x), score, lambda j: times(V, x[j]), len(x[0]))


@of("AFT-full")
def aft_full(x, Q, K, V, w):
    n, d = len(x), len(x[0])
    found = []
    for i in range(n):
        q, entries = times(Q, x[i]), []
        for a in range(d):
            weights = [math.exp(times(K, x[j])[a] + w[i][j]) for j in range(n)]
            entries.append(sigma(q[a]) * sum(p * times(V, x[j])[a] for j, p in enumerate(weights)) / sum(weights))
        found.append(entries)
    return found


@of("Forgetting Transformer")
def forgetting(x, Q, K, V, w_f, b_f):
    s = dots(x, Q, K)

    def score(i, j):
        return s(i, j) + sum(math.log(sigma(dot(w_f, x[k]) + b_f)) for k in range(j + 1, i + 1))

    return attend(x, past, score, lambda j: times(V, x[j]), len(x[0]))


# --------------------------------------------------------------------------------------------------------------- sparse


def window(x):
    return lambda i: [j for j in range(len(x)) if abs(i - j) <= 1]


@of("sliding window")
def sliding_window(x, Q, K, V):
    return plain(x, window(x), Q, K, V)


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

    def heard(i):
        return [j for j in range(n) if i == 0 or j == 0 or abs(i - j) <= 1 or j == DRAWN[n][i]]

    return plain(x, heard, Q, K, V)


@of("Sparse Transformer")
def sparse_transformer(x, Q, K, V, W_O):
    def near(i):
        return [j for j in (i - 2, i - 1, i) if j >= 0]

    def column(i):
        return [j for j in range(i + 1) if (i - j) % 2 == 0]

    heads = [plain(x, heard, Q[h], K[h], V[h]) for h, heard in enumerate((near, column))]
    return [plus(*(times(W_O[h], heads[h][i]) for h in range(2))) for i in range(len(x))]


@of("Star-Transformer ring")
def star(x, Q, K, V):
    n = len(x)
    ring = list(range(1, n))

    def heard(i):
        if i == 0:
            return list(range(n))
        at = i - 1
        return sorted({0, i, ring[(at + 1) % (n - 1)], ring[(at - 1) % (n - 1)]})

    return plain(x, heard, Q, K, V)


@of("Swin window")
def swin(x, Q, K, V, B):
    s = dots(x, Q, K)

    def heard(i):
        return [j for j in range(len(x)) if j // 2 == i // 2]

    return attend(x, heard, lambda i, j: s(i, j) + B[j - i + 1], lambda j: times(V, x[j]), len(x[0]))


@of("Reformer")
def reformer(x, W, V, R):
    q = [times(W, y) for y in x]

    def bucket(v):
        sides = [sum(R[a][c] * v[a] for a in range(len(v))) for c in range(2)]
        sides += scaled(-1, sides)
        return sides.index(max(sides))

    def heard(i):
        return [j for j in range(len(x)) if j != i and bucket(q[j]) == bucket(q[i])] or [i]

    def score(i, j):
        return dot(unit(q[j]), q[i]) / math.sqrt(len(q[i]))

    return attend(x, heard, score, lambda j: times(V, x[j]), len(x[0]))


@of("Routing Transformer")
def routing(x, Q, K, V, mu):
    q, k = ([unit(times(W, y)) for y in x] for W in (Q, K))

    def cluster(v):
        near = [dot(m, v) for m in mu]
        return near.index(max(near))

    def heard(i):
        return [j for j in range(len(x)) if j == i or cluster(k[j]) == cluster(q[i])]

    def score(i, j):
        return math.sqrt(len(x[i])) * dot(k[j], q[i])

    return attend(x, heard, score, lambda j: times(V, x[j]), len(x[0]))


# --------------------------------------------------------------------------------------------------------------- linear


def kernelized(x, weight, V, heard, least=0.0):
    """sum_j w(i, j) V x_j over the sum of w(i, j)."""
    found = []
    for i in range(len(x)):
        w = [weight(i, j) for j in heard(i)]
        below = max(sum(w), least) if least else sum(w)
        found.append(total([a / below for a in w], [times(V, x[j]) for j in heard(i)], len(x[0])))
    return found


@of("linear, elu + 1")
def linear_elu(x, Q, K, V):
    return kernelized(x, lambda i, j: dot(each(elu1, times(K, x[j])), each(elu1, times(Q, x[i]))), V, everyone(x))


@of("causal linear, elu + 1")
def causal_linear_elu(x, Q, K, V):
    return kernelized(x, lambda i, j: dot(each(elu1, times(K, x[j])), each(elu1, times(Q, x[i]))), V, past)


@of("linear self-attention")
def linear_self_attention(x, Q, K, V):
    js = range(len(x))
    return [
        total([dot(times(K, x[j]), times(Q, x[i])) for j in js], [times(V, x[j]) for j in js], len(x[0])) for i in js
    ]


@of("Performer")
def performer(x, Q, K, V, omega):
    def features(v):
        v = scaled(len(v) ** -0.25, v)
        return [math.exp(dot(w, v) - dot(v, v) / 2) / math.sqrt(len(omega)) for w in omega]

    return kernelized(x, lambda i, j: dot(features(times(K, x[j])), features(times(Q, x[i]))), V, everyone(x))


@of("random features")
def random_features(x, Q, K, V, omega):
    def weight(i, j):
        q, k = unit(times(Q, x[i])), unit(times(K, x[j]))
        # sin a sin b + cos a cos b = cos(a - b)
        return sum(math.cos(dot(w, q) - dot(w, k)) for w in omega) / len(omega)

    return kernelized(x, weight, V, everyone(x))


@of("cosFormer")
def cosformer(x, Q, K, V):
    n = len(x)

    def weight(i, j):
        near = dot(each(relu, times(K, x[j])), each(relu, times(Q, x[i])))
        return near * math.cos(math.pi / 2 * (i - j) / n)

    return kernelized(x, weight, V, everyone(x), 1e-6)


@of("efficient")
def efficient(x, Q, K, V):
    n, d = len(x), len(x[0])
    keys = [shares([times(K, y)[a] for y in x]) for a in range(d)]  # [a][j]
    context = [total(keys[a], [times(V, y) for y in x], d) for a in range(d)]  # one vector for each entry of a key
    return [total(shares(times(Q, x[i])), context, d) for i in range(n)]


@of("Galerkin, no layer norm")
def galerkin(x, Q, K, V):
    return [scaled(1 / len(x), y) for y in linear_self_attention(x, Q, K, V)]


@of("XCiT")
def cross_covariance(x, Q, K, V, tau):
    n, d = len(x), len(x[0])
    q, k = ([unit([times(M, y)[a] for y in x]) for a in range(d)] for M in (Q, K))  # [a][j]
    A = [[tau * sum(k[a][j] * q[c][j] for j in range(n)) for a in range(d)] for c in range(d)]
    return [[dot(shares(A[c]), times(V, y)) for c in range(d)] for y in x]


@of("SimA")
def sima(x, Q, K, V):
    n, d = len(x), len(x[0])

    def columns(M):
        rows = [[times(M, y)[a] for y in x] for a in range(d)]
        rows = [[t / sum(abs(u) for u in row) for t in row] for row in rows]
        return [[rows[a][j] for a in range(d)] for j in range(n)]

    q, k = columns(Q), columns(K)
    return [total([dot(k[j], q[i]) for j in range(n)], [times(V, y) for y in x], d) for i in range(n)]


@of("Based")
def based(x, Q, K, V):
    s = dots(x, Q, K)
    return kernelized(x, lambda i, j: 1 + s(i, j) + s(i, j) ** 2 / 2, V, past)


@of("Nystromformer")
def nystromformer(x, Q, K, V):
    n, d = len(x), len(x[0])
    cut = (n + 1) // 2
    halves = [list(range(cut)), list(range(cut, n))]
    q, k, v = ([times(M, y) for y in x] for M in (Q, K, V))
    q_mean, k_mean = ([scaled(1 / len(h), plus(*(z[j] for j in h))) for h in halves] for z in (q, k))

    def row(a, keys):
        return shares([dot(a, b) / math.sqrt(d) for b in keys])

    (a, b), (c, e) = (row(m, k_mean) for m in q_mean)
    det = a * e - b * c
    inverse = [[e / det, -b / det], [-c / det, a / det]]
    far = [total(row(m, k), v, d) for m in q_mean]
    found = []
    for i in range(n):
        near = row(q[i], k_mean)
        middle = [sum(near[r] * inverse[r][t] for r in range(2)) for t in range(2)]
        found.append(total(middle, far, d))
    return found


@of("Linformer")
def linformer(x, Q, K, V, E, F):
    n, d = len(x), len(x[0])
    keys = [total([E[j][r] for j in range(n)], [times(K, y) for y in x], d) for r in range(2)]
    values = [total([F[j][r] for j in range(n)], [times(V, y) for y in x], d) for r in range(2)]
    return [total(shares([dot(k, times(Q, y)) / math.sqrt(d) for k in keys]), values, d) for y in x]


# --------------------------------------------------------------------------------------------------------------- static


def token(x, i):
    return x[i] if 0 <= i < len(x) else zeros(len(x[0]))


@of("MLP-Mixer")
def mlp_mixer(x, W_1, b_1, W_2, b_2):
    n, d = len(x), len(x[0])
    rows = []
    for a in range(d):
        row = [y[a] for y in x]
        rows.append(plus(times(W_2, each(gelu, plus(times(W_1, row), b_1))), b_2))
    return [[rows[a][i] for a in range(d)] for i in range(n)]


@of("ResMLP")
def res_mlp(x, A, alpha, beta, scale):
    y = [plus(had(alpha, v), beta) for v in x]
    return [had(scale, total(A[i], y, len(x[0]))) for i in range(len(x))]


@of("gMLP")
def gated_mlp(x, U_1, U_2, W, b, V):
    n, d = len(x), len(x[0])
    first, second = ([each(gelu, times(U, y)) for y in x] for U in (U_1, U_2))
    return [times(V, had(first[i], plus(total(W[i], second, d), [b[i]] * d))) for i in range(n)]


@of("FNet")
def f_net(x, scale):
    n, d = len(x), len(x[0])

    def entry(i, c):
        waves = (x[j][a] * cmath.exp(-2j * math.pi * (i * j / n + a * c / d)) for j in range(n) for a in range(d))
        return scale * sum(waves).real

    return [[entry(i, c) for c in range(d)] for i in range(n)]


@of("PoolFormer")
def pool_former(x, scale):
    found = []
    for i in range(len(x)):
        near = [x[j] for j in (i - 1, i, i + 1) if 0 <= j < len(x)]
        found.append(had(scale, plus(scaled(1 / len(near), plus(*near)), scaled(-1, x[i]))))
    return found


@of("ConvMixer")
def conv_mixer(x, w, b):
    n, d = len(x), len(x[0])
    return [
        [gelu(sum(w[a][k + 1] * token(x, i + k)[a] for k in (-1, 0, 1)) + b[a]) for a in range(d)] for i in range(n)
    ]


@of("lightweight convolution")
def lightweight(x, w, W):
    n, d = len(x), len(x[0])
    return [times(W, total(shares(w), [token(x, i + k) for k in (-1, 0, 1)], d)) for i in range(n)]


@of("dynamic convolution")
def dynamic(x, Q, W):
    n, d = len(x), len(x[0])
    return [times(W, total(shares(times(Q, x[i])), [token(x, i + k) for k in (-1, 0, 1)], d)) for i in range(n)]


@of("gated convolution")
def gated_convolution(x, W, b, V, c):
    def conv(M, bias, i):
        return plus(*(times(M[k], token(x, i - k)) for k in range(3)), bias)

    return [had(conv(W, b, i), each(sigma, conv(V, c, i))) for i in range(len(x))]


@of("GFNet")
def global_filter(x, K):
    """By the transform: the product of two spectra, transformed back."""
    n, d = len(x), len(x[0])

    def transform(row, sign):
        return [sum(t * cmath.exp(sign * 2j * math.pi * j * k / n) for j, t in enumerate(row)) for k in range(n)]

    rows = []
    for a in range(d):
        product = had(transform([y[a] for y in x], -1), transform(K[a], -1))
        rows.append([z.real / n for z in transform(product, 1)])
    return [[rows[a][i] for a in range(d)] for i in range(n)]


def long_filter(h, z):
    return [plus(*(had([row[i - j] for row in h], z[j]) for j in range(i + 1))) for i in range(len(z))]


@of("Hyena")
def hyena(x, W, h):
    v, first, second = ([times(M, y) for y in x] for M in W)
    z = long_filter(h[0], v)
    z = long_filter(h[1], [had(a, b) for a, b in zip(first, z, strict=True)])
    return [had(a, b) for a, b in zip(second, z, strict=True)]


@of("H3")
def hungry_hippos(x, Q, K, V, h, a, c):
    d = len(x[0])
    state, found = zeros(d), []
    for i in range(len(x)):
        key = plus(*(had([row[j] for row in h], times(K, token(x, i - j))) for j in range(3)))
        state = plus(had(each(math.tanh, a), state), had(key, times(V, x[i])))
        found.append(had(times(Q, x[i]), had(c, state)))
    return found


# ------------------------------------------------------------------------------------------------------------ recurrent


@of("Elman network")
def elman(x, W, U, b):
    h, found = zeros(len(b)), []
    for y in x:
        h = each(math.tanh, plus(times(W, y), times(U, h), b))
        found.append(h)
    return found


@of("LSTM")
def lstm(x, W, U, b):
    d = len(x[0])
    h, c, found = zeros(d), zeros(d), []
    for y in x:
        parts = [plus(times(W[k], y), times(U[k], h), b[k]) for k in range(4)]
        enter, forget, out = (each(sigma, part) for part in parts[:3])
        c = plus(had(forget, c), had(enter, each(math.tanh, parts[3])))
        h = had(out, each(math.tanh, c))
        found.append(h)
    return found


@of("GRU")
def gru(x, W, U):
    h, found = zeros(len(x[0])), []
    for y in x:
        z = each(sigma, plus(times(W[0], y), times(U[0], h)))
        r = each(sigma, plus(times(W[1], y), times(U[1], h)))
        new = each(math.tanh, plus(times(W[2], y), times(U[2], had(r, h))))
        h = [z[a] * h[a] + (1 - z[a]) * new[a] for a in range(len(h))]
        found.append(h)
    return found


@of("minGRU")
def min_gru(x, W_z, W_h):
    h, found = zeros(len(x[0])), []
    for y in x:
        z, new = each(sigma, times(W_z, y)), times(W_h, y)
        h = [(1 - z[a]) * h[a] + z[a] * new[a] for a in range(len(h))]
        found.append(h)
    return found


@of("S4D")
def s4d(x, step, decay, turn, real, imaginary, skip):
    d = len(x[0])
    h, found = [0j] * d, []
    for y in x:
        entries = []
        for a in range(d):
            A, delta = complex(-math.exp(decay[a]), turn[a]), math.exp(step[a])
            h[a] = cmath.exp(delta * A) * h[a] + (cmath.exp(delta * A) - 1) / A * y[a]
            entries.append(2 * (complex(real[a], imaginary[a]) * h[a]).real + skip[a] * y[a])
        found.append(entries)
    return found


@of("LRU")
def lru(x, nu, theta, B_re, B_im, C_re, C_im, D):
    m, d = len(nu), len(x[0])
    h, found = [0j] * m, []
    for y in x:
        for s in range(m):
            eigen = cmath.exp(complex(-math.exp(nu[s]), math.exp(theta[s])))
            enter = complex(dot(B_re[s], y), dot(B_im[s], y))
            h[s] = eigen * h[s] + math.sqrt(1 - abs(eigen) ** 2) * enter
        out = [sum((complex(C_re[a][s], C_im[a][s]) * h[s]).real for s in range(m)) for a in range(d)]
        found.append(plus(out, had(D, y)))
    return found


@of("Mamba, selective scan")
def mamba(x, W_D, b_D, A, W_B, W_C, D):
    d = len(x[0])
    h, found = [[0.0, 0.0] for _ in range(d)], []
    for y in x:
        delta, B, C = each(softplus, plus(times(W_D, y), b_D)), times(W_B, y), times(W_C, y)
        for a in range(d):
            for s in range(2):
                h[a][s] = math.exp(-delta[a] * math.exp(A[a][s])) * h[a][s] + delta[a] * B[s] * y[a]
        found.append([dot(h[a], C) + D[a] * y[a] for a in range(d)])
    return found


@of("Vision Mamba, both scans")
def vision_mamba(x, W_D, b_D, A, W_B, W_C, D):
    there = mamba(x, W_D[0], b_D[0], A[0], W_B[0], W_C[0], D[0])
    back = mamba(x[::-1], W_D[1], b_D[1], A[1], W_B[1], W_C[1], D[1])[::-1]
    return summed([there, back])


def outer(u, v):
    return [scaled(a, v) for a in u]


def added(S, T):
    return [plus(a, b) for a, b in zip(S, T, strict=True)]


@of("Mamba-2")
def mamba_2(x, w_D, b_D, A, W_B, W_C, W_X):
    S, found = [zeros(2) for _ in x[0]], []
    for y in x:
        delta = softplus(dot(w_D, y) + b_D)
        S = [scaled(math.exp(-delta * math.exp(A)), row) for row in S]
        S = added(S, outer(scaled(delta, times(W_X, y)), times(W_B, y)))
        found.append(times(S, times(W_C, y)))
    return found


@of("RetNet, no output gate")
def retention(x, Q, K, V):
    S, found = [zeros(2) for _ in x[0]], []
    for i, y in enumerate(x):
        S = [scaled(31 / 32, row) for row in S]
        S = added(S, outer(times(V, y), spun(times(K, y), i)))
        found.append(times(S, spun(times(Q, y), i)))
    return found


@of("RWKV-4, time mixing")
def rwkv(x, mu_r, mu_k, mu_v, W_r, W_k, W_v, W_o, w, u):
    d, n, found = len(x[0]), len(x), []

    def mixed(mu, i):
        return [mu[a] * x[i][a] + (1 - mu[a]) * token(x, i - 1)[a] for a in range(d)]

    k, v = [times(W_k, mixed(mu_k, i)) for i in range(n)], [times(W_v, mixed(mu_v, i)) for i in range(n)]
    for i in range(n):
        entries = []
        for a in range(d):
            powers = [math.exp(-(i - 1 - j) * math.exp(w[a]) + k[j][a]) for j in range(i)] + [math.exp(u[a] + k[i][a])]
            entries.append(dot(powers, [v[j][a] for j in range(i + 1)]) / sum(powers))
        found.append(times(W_o, had(each(sigma, times(W_r, mixed(mu_r, i))), entries)))
    return found


@of("Vision-RWKV, Bi-WKV")
def vision_rwkv(x, W_r, W_k, W_v, W_o, w, u):
    d, n, found = len(x[0]), len(x), []
    k, v = [times(W_k, y) for y in x], [times(W_v, y) for y in x]
    for i in range(n):
        entries = []
        for a in range(d):
            powers = [math.exp(u[a] + k[j][a] if j == i else -(abs(i - j) - 1) / n * w[a] + k[j][a]) for j in range(n)]
            entries.append(dot(powers, [v[j][a] for j in range(n)]) / sum(powers))
        found.append(times(W_o, had(each(sigma, times(W_r, x[i])), entries)))
    return found


@of("GLA, no output gate")
def gated_linear(x, Q, K, V, W_a, b_a):
    S, found = [zeros(len(y)) for y in [x[0]] * len(x[0])], []
    for y in x:
        alpha = [sigma(t) ** (1 / 16) for t in plus(times(W_a, y), b_a)]
        S = added([had(row, alpha) for row in S], outer(times(V, y), times(K, y)))
        found.append(times(S, times(Q, y)))
    return found


def delta_step(S, beta, k, v):
    """S (1 - beta k k^T) + beta v k^T."""
    d = len(k)
    left = [[(a == b) - beta * k[a] * k[b] for b in range(d)] for a in range(d)]
    moved = [[sum(row[c] * left[c][b] for c in range(d)) for b in range(d)] for row in S]
    return added(moved, scaled_rows(beta, outer(v, k)))


def scaled_rows(t, S):
    return [scaled(t, row) for row in S]


@of("DeltaNet, unit keys")
def delta_net(x, Q, K, V, w):
    S, found = [zeros(len(x[0])) for _ in x[0]], []
    for y in x:
        S = delta_step(S, sigma(dot(w, y)), unit(times(K, y)), times(V, y))
        found.append(times(S, times(Q, y)))
    return found


@of("Gated DeltaNet")
def gated_delta_net(x, Q, K, V, w, w_a, b_a):
    S, found = [zeros(len(x[0])) for _ in x[0]], []
    for y in x:
        alpha = sigma(dot(w_a, y) + b_a)
        S = delta_step(scaled_rows(alpha, S), sigma(dot(w, y)), unit(times(K, y)), times(V, y))
        found.append(times(S, unit(times(Q, y))))
    return found


@of("RG-LRU (Griffin)")
def rg_lru(x, W_a, b_a, W_x, b_x, L):
    d = len(x[0])
    h, found = zeros(d), []
    for y in x:
        r, enter = each(sigma, plus(times(W_a, y), b_a)), each(sigma, plus(times(W_x, y), b_x))
        decay = [sigma(L[a]) ** (8 * r[a]) for a in range(d)]
        h = [decay[a] * h[a] + math.sqrt(1 - decay[a] ** 2) * enter[a] * y[a] for a in range(d)]
        found.append(h)
    return found


@of("mLSTM (xLSTM)")
def m_lstm(x, Q, K, V, w_j, b_j, w_f, b_f, W_o):
    d = len(x[0])
    C, m, found = [zeros(d) for _ in range(d)], zeros(d), []
    for y in x:
        enter, forget = math.exp(dot(w_j, y) + b_j), sigma(dot(w_f, y) + b_f)
        k = scaled(1 / math.sqrt(d), times(K, y))
        C = added(scaled_rows(forget, C), scaled_rows(enter, outer(times(V, y), k)))
        m = plus(scaled(forget, m), scaled(enter, k))
        below = max(abs(dot(m, times(Q, y))), 1)
        found.append(had(each(sigma, times(W_o, y)), scaled(1 / below, times(C, times(Q, y)))))
    return found


# ----------------------------------------------------------------------------------------------------------------- sets


@of("Deep Sets, sum")
def deep_sets(x, L, G, b):
    everything = plus(*x)
    return [each(math.tanh, plus(times(L, y), times(G, everything), b)) for y in x]


@of("Deep Sets, maximum")
def deep_sets_maximum(x, L, G):
    top = [max(y[a] for y in x) for a in range(len(x[0]))]
    return [each(math.tanh, plus(times(L, y), scaled(-1, times(G, top)))) for y in x]


@of("CommNet")
def comm_net(x, H, C):
    found = []
    for i, y in enumerate(x):
        others = [z for j, z in enumerate(x) if j != i]
        found.append(each(math.tanh, plus(times(H, y), times(C, scaled(1 / len(others), plus(*others))))))
    return found


@of("PointNet")
def point_net(x, W_1, b_1, W_2, b_2, L, G, b):
    h = [each(relu, plus(times(W_2, each(relu, plus(times(W_1, y), b_1))), b_2)) for y in x]
    top = [max(z[a] for z in h) for a in range(len(b_2))]
    return [each(relu, plus(times(L, y), times(G, top), b)) for y in x]


def mab(x, z, Q, K, V, W):
    found = []
    for y in x:
        w = shares([dot(times(K, t), times(Q, y)) / math.sqrt(len(y)) for t in z])
        h = plus(y, total(w, [times(V, t) for t in z], len(y)))
        found.append(plus(h, each(relu, times(W, h))))
    return found


@of("Set Transformer, SAB")
def set_attention(x, Q, K, V, W):
    return [plus(a, scaled(-1, b)) for a, b in zip(mab(x, x, Q, K, V, W), x, strict=True)]


@of("Set Transformer, ISAB")
def induced(x, Q, K, V, W, points):
    own = [[row[r] for row in points] for r in range(2)]
    h = mab(own, x, Q[0], K[0], V[0], W[0])
    return [plus(a, scaled(-1, b)) for a, b in zip(mab(x, h, Q[1], K[1], V[1], W[1]), x, strict=True)]
