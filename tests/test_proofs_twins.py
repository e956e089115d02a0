"""What the proofs speak of is what the library computes: definitions, matrices, sizes and bounds.

Rocq is given weights, an input and the library's exact output, and must accept that its own layers make the one of the
other: those of `proofs/`, not a copy. The lemmas with which it computes are in `proofs/computing/`. Where softmax comes
in, scores are whole multiples of ln 2, so that its weights are rational.
"""

import itertools
import math
import re
import shutil
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import torch

import uatlib.layers.feed_forward
from tests.test_proofs import NO_ROCQ, PROOFS, check
from uatbook import statements
from uatlib import cheng2025, kajitsuka2024, liu2025
from uatlib.arithmetic import EXACT, FLOAT64
from uatlib.kajitsuka2024.rank_one_layer import rank_one_attention, separation
from uatlib.kernels import Kernel
from uatlib.layers import Attention, FeedForward, Head, LinearSum, ThreePiece
from uatlib.model import Transformer
from uatlib.patterns import Pattern
from uatlib.yun2020 import shift_layers
from uatlib.yun2020.cost import layer_counts
from uatlib.yun2020.ids import id_interval
from uatlib.yun2020.output_layers import value_table
from uatlib.yun2020.quantizer_layers import quantizer
from uatlib.yun2020.shift_layers import selective_shift

# ------------------------------------------------------------------------------------------- the library's data in Rocq


def number(x):
    value = Fraction(x)
    return f"({value.numerator} # {value.denominator})%Q"


def listed(items):
    return f"[:: {'; '.join(items)}]" if items else "[::]"


def table(rows):
    return listed([listed([number(x) for x in row]) for row in np.array(rows, dtype=object).tolist()])


def column(vector):
    return "[::]" if vector is None else table(np.array(vector, dtype=object)[:, None])


def nested(rows):
    return f"({[list(row) for row in rows]})%N".replace("[", "[:: ").replace(",", ";").replace("[:: ]", "[::]")


def head_code(head):
    parts = table(head.w_o), table(head.w_v), table(head.w_k), table(head.w_q), column(head.b_q)
    return f"HeadCode {len(head.w_q)} {len(head.w_v)} {' '.join(parts)}"


def code(layer):
    """The layer's weights, as `proofs/computing/tables.v` takes them."""
    if isinstance(layer, Attention):
        return f"Hears {listed([head_code(head) for head in layer.heads])}"
    act = layer.activation
    if isinstance(act, ThreePiece):
        pieces = itertools.chain(*zip(act.slopes, act.intercepts, strict=True))
        act = f"Pieces {' '.join(map(number, (*act.breakpoints, *pieces)))}"
    parts = table(layer.w_1), column(layer.b_1), table(layer.w_2), column(layer.b_2)
    return f"Each {'Relu' if act == 'relu' else f'({act})'} {len(layer.w_1)} {' '.join(parts)}"


def codes(layers):
    return listed([code(layer) for layer in layers])


def matrix(rows):
    """The matrix of these numbers, over R."""
    array = np.array(rows, dtype=object)
    return f"(mx R {array.shape[0]} {array.shape[1]} {table(array)})"


def goal(statement, proof, over="realType"):
    return f"Goal forall R : {over}, {statement}.\nProof. move=> R. {proof} Qed."


def random_numbers(rng, *shape, whole=False):
    """Small numbers, so that scores tie."""
    return np.array(
        [Fraction(int(rng.integers(-2, 3)), 1 if whole else int(rng.integers(1, 3))) for _ in range(math.prod(shape))],
        dtype=object,
    ).reshape(shape)


# ----------------------------------------------------------------------------------------------------- what is compared


def any_layers():
    """`head`, `hardmax`, `columns`, attention with and without a query bias, feed-forward, `three_piece`, `network`."""
    d, n, rng = 3, 4, np.random.default_rng(1)

    def r(*shape):
        return random_numbers(rng, *shape)

    tied = Head(r(1, d) * 0, r(1, d), r(2, d), r(d, 2))  # all scores are 0
    layers = [
        Attention(
            [Head(r(2, d), r(2, d), r(3, d), r(d, 3), b_q=r(2)), Head(r(1, d), r(1, d), r(1, d), r(d, 1))], "hardmax"
        ),
        FeedForward(r(4, d), r(4), r(d, 4), r(d)),
        Attention([tied], "hardmax"),
        FeedForward(r(2, d), r(2), r(d, 2), None, ThreePiece((-1, Fraction(1, 2)), (0, 2, -1), (1, 2, Fraction(1, 3)))),
    ]
    X = r(d, n)
    Y = Transformer(layers, n=n)(X, EXACT)
    yield goal(
        f"network [seq of_code R {d} {n} c | c <- {codes(layers)}] {matrix(X)} = {matrix(Y)}",
        "rewrite networkE; tables.",
    )
    plain = Attention([Head(r(2, d), r(2, d), r(3, d), r(d, 3))], "hardmax")
    heads = f"[seq weights (of_head R {d} h) | h <- {listed([head_code(head) for head in plain.heads])}]"
    yield goal(
        f"attention (fun J => @hardmax R J) {heads} {matrix(X)} = {matrix(Transformer([plain], n=n)(X, EXACT))}",
        "rewrite attentionE //; tables.",
    )


def same(layers, of_proofs, X, Y, unfold, each):
    """Layer by layer the library's, and what they make of X."""
    yield goal(
        f"network ({of_proofs}) {matrix(X)} = {matrix(Y)}",
        f"refine (@network_computed R _ _ {codes(layers)} _ _ _ _ _); last by vm_compute. {unfold} {each} by [].",
    )


UNIT = "do ?[split; first by apply: same_unit; [{} | entries | entries | entries]]."


def quantizers():
    """Lemma 7: every layer, and what they make of numbers in the box, on its border and outside."""
    N, n, d = 3, 2, 2
    model = quantizer(inverse_delta=N, n=n, d=d)
    X = np.array([[Fraction(1, 3), -1], [Fraction(1, 2), 1]], dtype=object)
    unfold = "rewrite /quantizer /rows.all_rows !enum_ordSl no_ordinals /rows.row_layers /= /rows.on_row."
    yield from same(model.layers, f"quantizer R {N} {d} {n}", X, model(X, EXACT), unfold, UNIT.format("pieces"))


def contextual_mappings():
    """Lemma 8: every selective shift and the lift, and what they make of a sequence."""
    N, n, d = 2, 3, 2
    model = selective_shift(inverse_delta=N, n=n, d=d)
    X = np.array([[0, 1, 1], [1, 0, 1]], dtype=object) * Fraction(1, N)
    psi = "apply: same_psi; entries"
    each = f"do ?[split; first by move=> ?; congr (attention_with_bias _ [:: _; _] _); {psi}]. "
    each += f"split; first by move=> ?; congr (attention_with_bias _ [:: _] _); {psi}."
    unfold = "rewrite /context_layers /sweep_layers /=."
    yield from same(model.layers, f"context_layers R {N} {d - 1} {n}", X, model(X, EXACT), unfold, each)


def value_maps():
    """Lemma 9: the layers before the table, two of its windows, and the layer after it."""
    N, n, d = 2, 2, 2
    outputs = random_numbers(np.random.default_rng(2), 6, d, n)
    part = value_table(outputs, inverse_delta=N, n=n, d=d)
    layers = part.model().layers
    chosen = [*layers[: d + 3], layers[-1]]
    answers = outputs.swapaxes(1, 2).reshape(-1, d)
    units = f"outside {N} {d - 1} {n} (Q2R R {number(Fraction(part.largest, N))}) :: zeros R {d - 1}"
    for k in range(2):
        key = f"(fun _ : unit => Q2R R {number(Fraction(part.ids.flat[k], N))})"
        found, answer = (f"mx R {d} 1 {column(c[k])}" for c in (part.columns, answers))
        to = f"(fun _ : unit => {answer} - const_mx (Q2R R {number(part.lift)}))"
        units += f" ++ [:: window (u R {N} {d - 1}) (delta R {N}) {key} (fun _ : unit => {found}) {to} tt]"
    units += f" ++ [:: return_ {N} {d - 1} (Q2R R {number(part.lift)})]"
    X = np.array([part.columns[0], part.columns[1]], dtype=object).T
    each = "split; first by apply: same_unit; [pieces | entries | entries | entries]. "
    each += UNIT.format("idle")[:-1].replace("do ?", "do 2!") + ". "
    each += "split; first by apply: same_unit; [pieces | entries | entries | entries]. " * 2
    each += "split; first by apply: same_unit; [idle | entries | entries | entries]."
    unfold = "rewrite /zeros !enum_ordSl no_ordinals /unit_layer /=."
    proof = f"[seq unit_layer {n} w | w <- {units}]"
    yield from same(chosen, proof, X, Transformer(chosen, n=n)(X, EXACT), unfold, each)


def yun_numbers():
    """The band, the sentinel, the bounds of Lemma 10 and how many layers there are."""
    for N, n, d in ((2, 2, 1), (3, 2, 2)):
        low, high = (Fraction(t, N) for t in id_interval(N, n, d))
        sizes = f"R {N} {d - 1} {n}"
        yield goal(f"t_l {sizes} = Q2R R {number(low)}", "numbers.")
        outside = quantizer(inverse_delta=N, n=n, d=d).layers[0].activation.intercepts[0]
        yield goal(f"t_r {sizes} = Q2R R {number(high)}", "numbers.")
        yield goal(
            f"grid.sentinel R {N} {d} {n} = Q2R R {number(outside)}",
            "numbers.",
        )
    N, n, d = 2, 2, 2
    counts = layer_counts(N, n, d)
    yield f"Goal layer_count {N} {d - 1} {n} = {counts['total']}%N. Proof. by []. Qed."
    yield goal(
        f"size (quantizer R {N} {d} {n}) = {counts['quantization']}%N "
        f"/\\ size (context_layers R {N} {d - 1} {n}) = {counts['attention']}%N",
        "by rewrite size_quantizer /context_layers size_cat size_map size_iota.",
    )
    yield goal(
        f"forall A M K, size (@value_layers R {N} {d - 1} {n} A M K) = {counts['value']}%N",
        "by move=> *; rewrite size_value_layers.",
    )
    N, n, d = 4, 3, 1
    certificate = statements.get("yun2020:lem-10").verify(inverse_delta=N, n=n, d=d)
    least, most = (next(c.bound for c in certificate.checks if c.relation == r) for r in (">=", "<="))
    yield (
        f"Goal forall l : 'I_{n} -> nat, proper {N**d} l -> "
        f"Posz {least} <= reach ord0 {N**d} l {N**d} <= Posz {most}.\n"
        f"Proof. move=> l /(@lemma_10 _ ord0 {N**d} isT); rewrite card_ord => /(_ isT)[le ge _]; exact/andP. Qed."
    )


LOG2 = math.log(2)


def powers(S):
    """Softmax of S ln 2 down the columns."""
    weights = np.array([[Fraction(2) ** int(s) for s in row] for row in S], dtype=object)
    return weights / weights.sum(axis=0)


def near(found, exact):
    """That floats are as near as they round."""
    plain = found.numpy() if isinstance(found, torch.Tensor) else np.array(found, dtype=float)
    np.testing.assert_allclose(plain, np.array(exact, dtype=float), rtol=1e-12, atol=1e-12)


def with_log2(head):
    return Head(head.w_q.astype(float) * LOG2, head.w_k, head.w_v, head.w_o)


def softmax_heads():
    """Softmax, in attention with a skip connection."""
    d, n, rng = 2, 3, np.random.default_rng(3)
    heads = [
        Head(*(random_numbers(rng, *shape, whole=True) for shape in ((m, d), (m, d), (v, d), (d, v))))
        for m, v in ((2, 1), (1, 2))
    ]
    X = random_numbers(rng, d, n, whole=True)
    Y = X + sum(h.w_o @ h.w_v @ X @ powers((h.w_k @ X).T @ (h.w_q @ X)) for h in heads)
    near(Transformer([Attention([with_log2(h) for h in heads])], n=n)(X, FLOAT64), Y)
    made = f"attention (@softmax R) [seq soft_head R {d} h | h <- {listed([head_code(h) for h in heads])}]"
    yield goal(
        f"{made} {matrix(X)} = {matrix(Y)}",
        "rewrite soft_attentionE //; tables.",
    )


def boltzmann_operators():
    a = [3, -1, 0, 3]
    value = sum(s * w for s, w in zip(a, powers(np.array(a)[:, None])[:, 0], strict=True))
    near(kajitsuka2024.boltz(np.array(a) * LOG2), float(value) * LOG2)
    s = f"(fun i => nth 0%Q {listed([number(x) for x in a])} i)"
    yield goal(
        f"boltz (fun i : 'I_4 => ln 2%:R * Q2R R ({s} i)) = ln 2%:R * Q2R R {number(value)}",
        f"rewrite (@boltzE R 4 {s}) //; congr (_ * _); numbers.",
    )


def rank_one_heads():
    """The head of Theorem 2, of size 2: other factors, the same matrices W_O W_V and W_K^T W_Q."""
    v, X = np.array([[Fraction(3, 5)], [Fraction(4, 5)]], dtype=object), np.array([[3, 0, 5], [4, 5, 0]], dtype=object)
    w = separation(X, 3).write * v
    x = (v.T @ X)[0]
    Y = X + w @ x[None, :] @ powers(np.outer(x, x))
    near(rank_one_attention(X, 3, 2, LOG2, vector=v[:, 0], slack=0)(X, FLOAT64), Y)
    unit = np.array([[1], [0]], dtype=object)
    head = Head(unit @ v.T, unit @ v.T, unit @ v.T, w @ unit.T)
    yield goal(
        f"attention (@softmax R) [:: rank_one_head 1 {matrix(v)} {matrix(w)} (ln 2%:R)] {matrix(X)} = {matrix(Y)}",
        f"have -> : rank_one_head 1 {matrix(v)} {matrix(w)} (ln 2%:R) = soft_head R 2 ({head_code(head)}). "
        f"  rewrite /rank_one_head (_ : unit_1 R 1 = {matrix(unit)}); last by entries. "
        "  rewrite -scalemxAl !mxT !mxM /soft_head /=; congr HeadWeights; first [tables | congr (_ *: _); tables]. "
        f"rewrite -[[:: _]]/[seq soft_head R 2 h | h <- [:: {head_code(head)}]] soft_attentionE //; tables.",
    )


def liu_heads():
    """A sum of linear maps, self-attention and cross-attention, of other sizes than the input."""
    d, n, e, N, rng = 2, 2, 3, 4, np.random.default_rng(4)

    def r(*shape):
        return random_numbers(rng, *shape, whole=True)

    As, Bs, M, W_K, W_Q, W_V, W_O = [r(e, d), r(e, d)], [r(n, N), r(n, N)], r(e, N), r(2, e), r(2, e), r(d, e), r(N, n)
    Z, K, W = r(d, n), r(2, N), r(2, 2)
    X = sum(A @ Z @ B for A, B in zip(As, Bs, strict=True)) + M
    embed, out = LinearSum(list(zip(As, Bs, strict=True)), M), LinearSum([(None, W_O)])
    eye = np.eye(d, dtype=int)
    lists = [listed([table(A) for A in maps]) for maps in (As, Bs)]
    maps = [
        f"(fun i : 'I_2 => mx R {a} {b} (nth [::] {maps} i))" for a, b, maps in ((e, d, lists[0]), (n, N, lists[1]))
    ]
    compute = "last by vm_compute. tables."
    Y = W_V @ X @ powers((W_K @ X).T @ (W_Q @ X)) @ W_O
    near(
        Transformer([embed, Attention([Head(W_Q.astype(float) * LOG2, W_K, W_V, eye)], skip=False), out], n=n)(
            Z, FLOAT64
        ),
        Y,
    )
    yield goal(
        f"attn {matrix(W_K)} (ln 2%:R *: {matrix(W_Q)}) {matrix(W_V)} {matrix(W_O)} "
        f"(linear {' '.join(maps)} {matrix(M)} {matrix(Z)}) = {matrix(Y)}",
        f"rewrite linear_sumE attn_cross cross_attnE; {compute}",
    )
    Y = W @ K @ powers(K.T @ (W_Q @ X)) @ W_O
    cross = Attention([Head(W_Q.astype(float) * LOG2, eye, W, eye)], skip=False, cross=True)
    near(Transformer([cross, out], n=N)(X, FLOAT64, source=K), Y)
    yield goal(
        f"cross_attn {matrix(eye)} (ln 2%:R *: {matrix(W_Q)}) {matrix(W)} {matrix(W_O)} "
        f"{matrix(K)} {matrix(X)} = {matrix(Y)}",
        f"rewrite cross_attnE; {compute}",
    )


def smoothers():
    """What Theorem 4.1's head computes (`self_attentionE` says so in Rocq), for the whole head of the library."""
    d, n, G, rng = 2, 2, 3, np.random.default_rng(5)
    Z, C, V = (
        random_numbers(rng, d, n, whole=True),
        random_numbers(rng, G, d * n, whole=True),
        random_numbers(rng, G, d * n),
    )
    x = Z.T.reshape(-1)
    weights = powers(-((x - C) ** 2).sum(axis=1, dtype=object)[:, None])[:, 0]
    Y = weights @ V
    values = V.reshape(G, d, n).astype(float)
    near(liu2025.smoother(Z.astype(float), C.astype(float), values, 2 * LOG2), Y.reshape(d, n))
    model = liu2025.self_attention(values, C.astype(float), n, d, 2 * LOG2, 3.0)
    near(model(Z, FLOAT64), Y.reshape(d, n))
    at = f"(fun t => nth 0%Q {listed([number(t) for t in x])} t)"
    for o in range(d * n):
        place = f"(@Ordinal {d * n} {o} isT)"
        parts = [f"(fun (j : 'I_{G}) (t : 'I_{d * n}) => Q2R R (entry {table(A)} j t))" for A in (C, V)]
        yield goal(
            f"smoother (2%:R * ln 2%:R) {' '.join(parts)} (fun t => Q2R R ({at} t)) {place} = Q2R R {number(Y[o])}",
            f"refine (etrans (@smootherE R {G} {d * n} {d * n} {at} {table(C)} {table(V)} {place} _) _); "
            "[by vm_compute | numbers].",
        )
    head = model.layers[1].heads[0]
    yield goal(f"slots [finType of 'I_{G}] {d} = {head.w_q.shape[1] - 1}%N", "by rewrite slotsE card_ord.")
    yield f"Goal (1 + (1 + {n}) = {len(head.w_q)})%N. Proof. by []. Qed."


class Squares(Kernel):
    """1 + (x . y)^2."""

    def weights(self, keys, queries, system, visible=None):
        ones = system.constant(np.ones((keys.shape[-1], queries.shape[-1]), dtype=int), keys)
        scores = system.matmul(keys.mT, queries)
        squares = system.add(ones, system.multiply(scores, scores))
        return None, squares if visible is None else squares * visible


LISTS = [[0, 2], [1], [0, 1, 3], [2, 3]]


def kernel_heads():
    """A head with a kernel under a pattern."""
    d, n, rng = 2, 4, np.random.default_rng(6)
    head = Head(*(random_numbers(rng, *shape) for shape in ((2, d), (2, d), (3, d), (d, 3))))
    X = random_numbers(rng, d, n)
    Y = Transformer([Attention([head], kernel=Squares(), mask=Pattern(LISTS), skip=False)], n=n)(X, EXACT)
    w = f"(weights (of_head R {d} ({head_code(head)})))"
    yield goal(
        f"W_O {w} *m kernel_head (@squares R) (pattern_of {n} {nested(LISTS)}) "
        f"(W_V {w}) (W_K {w}) (W_Q {w}) {matrix(X)} = {matrix(Y)}",
        "rewrite (kernel_headE (@squaresE R)); tables.",
    )


def patterns():
    """Who has heard of whom (Definition 4), the rings of Corollary 4, and how many layers they take."""
    rng = np.random.default_rng(7)
    layers = [[sorted({i, *map(int, rng.choice(5, 1))}) for i in range(5)] for _ in range(12)]
    m = cheng2025.connectivity_depth([list(map(set, rows)) for rows in layers])
    lists = listed([nested(rows) for rows in layers])
    within = f"connected_within (fun r => pattern_of 5 (nth [::] {lists} r.-1))"
    connected = f"have E k := @connectedE 5 {lists} k isT; split; [apply/E | move/E]; by vm_compute."
    yield f"Goal {within} {m} /\\ ~ {within} {m - 1}. Proof. {connected} Qed."
    for name, n, w in (("circulant", 5, 1), ("directed", 4, 2)):
        rows = cheng2025.pattern(name, n, window=w)
        cases = "[[|[|[|[|[|?]]]]] ?] //"
        yield (
            f"Goal forall i : 'I_{n}, {name} {w} i = pattern_of {n} {nested(map(sorted, rows))} i.\n"
            f"Proof. move=> i; rewrite {name}E; apply/setP => j; rewrite !inE; "
            f"move: i j => -{cases} -{cases}; by vm_compute. Qed."
        )
        m = cheng2025.connectivity_depth([rows] * n)
        depth = f"by split; [apply/{name}_depth | move/{name}_depth]."
        within = f"connected_within (fun=> @{name} {n - 2} {w})"
        yield f"Goal {within} {m} /\\ ~ {within} {m - 1}. Proof. {depth} Qed."


IMPORTS = """
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint zmodp matrix.
From mathcomp.analysis Require Import reals sequences exp.
From UAT Require Import transformers lra_checker.
From UAT.liu2025 Require Import smoother riding self_attention layers.
From UAT.kajitsuka2024 Require Import boltzmann rank_one.
From UAT.cheng2025 Require Import connected corollary_4_depth mixers.
From UAT.yun2020 Require Import sweep lemma_10 layers grid selective_shift context_layers lemma_7 lemma_8 look_up.
From UAT.yun2020 Require Import value_layers lemma_9 proposition_5.
From UAT.computing Require Import tables softmax boltzmann_operator mixers same.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.
"""


def said(parts):
    """What Rocq says against each of these texts, one after the other in one run; [] if nothing.

    All is loaded once; each text imports what it needs. A sentence has ten seconds.
    """
    begin = "Reset start.\nDefinition start := tt.\nPrint start.\nSet Default Timeout 10.\n"
    load = f"{IMPORTS.replace(' Import', '').partition('Import')[0]}Set Silent.\nDefinition start := tt.\n"
    done = subprocess.run(
        ["coqtop", "-q", "-w", "none", "-Q", ".", "UAT"],
        cwd=check.BUILT,
        input=load + "".join(f"{begin}{part}\n" for part in parts),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    first, *pieces = done.stdout.split("start = tt")
    assert ("Error" in first, len(pieces)) == (False, len(parts)), done.stdout[-2000:]
    return [re.findall(r"(?:Error|Timeout).*(?:\n.+)*", piece) for piece in pieces]


# --------------------------------------------------------------------------------------------------------------- tests


PARTS = {
    f.__name__.replace("_", " "): f
    for f in (
        any_layers,
        quantizers,
        contextual_mappings,
        value_maps,
        yun_numbers,
        softmax_heads,
        boltzmann_operators,
        rank_one_heads,
        liu_heads,
        smoothers,
        kernel_heads,
        patterns,
    )
}


@pytest.fixture(scope="module")
def rocq():
    if shutil.which("coqtop") is None:
        pytest.skip(NO_ROCQ)
    check.compile_all(2)


def goals(name):
    """What Rocq is asked, or an error where the library itself computes something else."""
    try:
        return "\n".join([IMPORTS, *PARTS[name]()])
    except AssertionError as error:
        return f"Error {error}"


@pytest.fixture(scope="module")
def errors(rocq):
    """All at once, as Rocq takes seconds to begin."""
    return dict(zip(PARTS, said([goals(name) for name in PARTS]), strict=True))


@pytest.mark.parametrize("name", PARTS)
def test_rocq_computes_what_the_library_does(name, errors):
    assert errors[name] == []


def others(text, files):
    """The imports in this text, but of these files."""
    rooms, lines = {file.rpartition("/")[0]: set() for file in files}, []
    for file in files:
        rooms[file.rpartition("/")[0]].add(file.removesuffix(".v").rpartition("/")[2])
    for line in re.findall(r"^From .*\.$", text, re.MULTILINE):
        room, names = re.fullmatch(r"From (\S+) Require (?:Import|Export) (.*)\.", line).groups()
        mine = (
            rooms.get(room.removeprefix("UAT").removeprefix(".").replace(".", "/"), set()) if "UAT" in room else set()
        )
        if kept := [name for name in names.split() if name not in mine]:
            lines.append(f"From {room} Require Import {' '.join(kept)}.")
    return "\n".join(lines)


def source(file, old="", new=""):
    """A file's text, damaged.

    The proofs of this book's lemmas are left out, for it is not they that shall tell; those of `computing` are not.
    """
    text = (PROOFS / file).read_text(encoding="utf-8")
    assert text.count(old) == 1 or not old
    text = text.replace(old, new) if old else text
    return text if "computing" in file else re.sub(r"Proof\..*?(?:Qed|Defined)\.", "Admitted.", text, flags=re.DOTALL)


SHARED = "attention.v", "yun2020/layers.v", "computing/tables.v"
SOFT = "transformers.v", *SHARED[1:], "liu2025/smoother.v", "liu2025/layers.v", "computing/softmax.v"
SMOOTHER = "liu2025/smoother.v", "computing/softmax.v"
LINEAR = "liu2025/layers.v", "computing/softmax.v"
SHIFT = "yun2020/selective_shift.v", "computing/same.v", "yun2020/context_layers.v"
DAMAGED_PROOFS = {
    "a head whose keys and queries change places": (
        SHARED,
        1,
        "(W_K *m X)^T *m (W_Q *m X + bias n b_Q)",
        "(W_Q *m X + bias n b_Q)^T *m (W_K *m X)",
        None,
    ),
    "hardmax without sharing": (SHARED, 0, " / #|[pred i | best s i]|%:R", "", None),
    "weights along rows": (SHARED, 0, "sigma (fun i' => S i' k) i", "sigma (fun k' => S i k') k", None),
    "layers in the other order": (SHARED, 0, "network more (f X)", "f (network more X)", None),
    "attention without a skip connection": (SHARED, 1, "  X + \\sum_(h <- heads)", "  \\sum_(h <- heads)", None),
    "pieces that are closed on the right": (SHARED, 1, "if t < a then", "if t <= a then", None),
    "a smoother twice as sharp": (SMOOTHER, 0, "- (rho / 2%:R) *", "- rho *", None),
    "softmax of minus the scores": (
        SOFT,
        0,
        "expR (s j) / \\sum_i expR (s i)",
        "expR (- s j) / \\sum_i expR (- s i)",
        None,
    ),
    "a sum of linear maps less M": (LINEAR, 0, "Z *m B i + M", "Z *m B i - M", None),
    "thresholds on the steps": (SHIFT, 0, "delta * (c%:R - 2%:R^-1)", "delta * c%:R", "contextual mappings"),
    "cells that are not rounded": (
        ("yun2020/lemma_7.v",),
        0,
        "0 delta 0 0 (-1) 0 0 0",
        "0 delta 0 0 0 0 0 0",
        "quantizers",
    ),
    "a higher band": (
        ("yun2020/lemma_8.v",),
        0,
        "(D%:R ^+ (2 * n) * (D%:R - 1))",
        "(D%:R ^+ (2 * n) * D%:R)",
        "yun numbers",
    ),
}


def damaged(files, place, old, new, name):
    """The definitions anew, those of one file damaged, and what is computed with them."""
    texts = [source(file, *((old, new) if k == place else ())) for k, file in enumerate(files)]
    text = "\n".join([*texts, goals(name).removeprefix(IMPORTS) if name else ""])
    imports = f"{others(IMPORTS if name else '', files)}\n{others(text, files)}".splitlines()
    imports.sort(key=lambda line: not line.startswith("From Coq "))  # whose notations would hide ours
    return "\n".join([*imports, ""]) + re.sub(r"^From .*\n", "", text, flags=re.MULTILINE)


def test_a_damaged_definition_of_the_proofs_is_told(rocq):
    """The same texts without the damage are accepted, so it is the damage that is told."""
    chains = {(files, name): None for files, _, _, _, name in DAMAGED_PROOFS.values() if files != SHARED}  # SOFT has it
    whole = [damaged(files, 0, "", "", name) for files, name in chains]
    found = said([*whole, *(damaged(*how) for how in DAMAGED_PROOFS.values())])
    assert [chain for chain, errors in zip(chains, found, strict=False) if errors] == []
    assert [what for what, errors in zip(DAMAGED_PROOFS, found[len(whole) :], strict=True) if not errors] == []


DAMAGED_LIBRARY = {
    "hardmax of minus the scores": (
        "any layers",
        type(EXACT),
        "hardmax_mix",
        lambda old: lambda s, v, t, *m: old(s, v, -t, *m),
    ),
    "a bias that is not added": (
        "any layers",
        uatlib.layers.feed_forward,
        "affine",
        lambda old: lambda s, w, X, b: old(s, w, X, None),
    ),
    "cells as printed": (
        "quantizers",
        sys.modules[__name__],
        "quantizer",
        lambda old: lambda **size: old(**size, variant="printed"),
    ),
    "thresholds on the steps": (
        "contextual mappings",
        shift_layers,
        "psi",
        lambda old: lambda b, *more: old(b + Fraction(1, 4), *more),
    ),
    "a higher band": (
        "yun numbers",
        sys.modules[__name__],
        "id_interval",
        lambda old: lambda *size: (old(*size)[0] + 1, old(*size)[1]),
    ),
    "softmax of twice the scores": (
        "softmax heads",
        type(FLOAT64),
        "softmax_mix",
        lambda old: lambda s, v, t, *m: old(s, v, 2 * t, *m),
    ),
    "a smoother twice as sharp": ("smoothers", liu2025, "smoother", lambda old: lambda Z, C, V, R: old(Z, C, V, 2 * R)),
    "a wider ring": (
        "patterns",
        cheng2025,
        "pattern",
        lambda old: lambda name, n, window: old(name, n, window=window + 1),
    ),
    "a deeper connection": ("patterns", cheng2025, "connectivity_depth", lambda old: lambda rows: old(rows) + 1),
    "a kernel that is not divided by its sum": (
        "kernel heads",
        type(EXACT),
        "average",
        lambda old: lambda s, v, w: s.matmul(v, w),
    ),
}


def test_a_damaged_library_is_told(rocq, monkeypatch):
    texts = []
    for name, where, attribute, damage in DAMAGED_LIBRARY.values():
        with monkeypatch.context() as patch:
            patch.setattr(where, attribute, damage(getattr(where, attribute)))
            texts.append(goals(name))
    assert [what for what, errors in zip(DAMAGED_LIBRARY, said(texts), strict=True) if not errors] == []


# ------------------------------------------------------------------------------------------ numbers that are irrational


def formula(file, after, **values):
    """The value of what stands in a file of proofs between two strings, in floats."""
    text = (PROOFS / file).read_text(encoding="utf-8").partition(after[0])[2].partition(after[1])[0]
    assert text, after
    text = re.sub(r"%:R|\s+", lambda found: " " * (found[0] != "%:R"), text)
    text = (
        text.replace("N'", "rivals")
        .replace("size V", "V")
        .replace("^+", "**")
        .replace("^-", "** -")
        .replace("d.+1", "d")
    )
    text = re.sub(r"\b(ln|expR) (\w+)", r"\1(\2)", text).replace("Num.max 1 (ln(N))", "max(1, ln(N))")
    names = {"ln": math.log, "expR": math.exp, "pi": math.pi, "max": max}
    return eval(text.replace("Num.sqrt", "sqrt"), {"__builtins__": {}}, names | {"sqrt": math.sqrt} | values)


def liu_formulas():
    d, n, L, D, eps, B_0, N = 2, 3, 1.5, 2.0, 0.3, 4.0, 7
    found = liu2025.parameters_for(eps=eps, lipschitz=L, half_width=D, dim=d * n)
    yield found.R, formula("liu2025/theorem_4_1_explicit.v", ("book_sharp : R := ", ".\n"), d=d, n=n, h=D / found.P)
    place = "liu2025/theorem_5_1.v"
    found = liu2025.parameters_for(eps=eps, lipschitz=L, bound="cover", balls=N, sup=B_0)
    yield found.R, formula(place, ("sharp_bounded (B_0 : R) : R := ", ".\n"), L=L, eps=eps, B_0=B_0, N=N)
    found = liu2025.parameters_for(eps=eps, lipschitz=L, bound="cover", balls=N)
    yield found.R, formula(place, ("sharp_entropy : R := ", ".\n"), L=L, eps=eps, N=N)
    found = liu2025.precision(N, 0.5, 0.1, exact=True)
    yield found, formula("liu2025/proposition_3_2.v", ("least_sharp : R := ", ".\n"), rivals=N - 1, Delta=0.5, eps=0.1)


def kajitsuka_formulas():
    X, n = np.array([[3, 0, 5], [4, 5, 0]], dtype=object), 3
    promised = separation(X, n)
    r_min, r_max, eps = (float(x) for x in (promised.r_min, promised.r_max, promised.eps))
    sizes = {"d": 2, "V": promised.size, "r_min": r_min, "r_max": r_max, "eps": eps}
    place = "kajitsuka2024/theorem_2.v"
    exponent = formula(place, ("  * expR (- (", ")).\n"), n=n, **sizes)
    factor = formula(
        place, ("printed_gap (R : realType) (d n V : nat) (r_min r_max eps : R) : R :=", "  * expR"), n=n, **sizes
    )
    yield promised.log10_delta, (math.log(factor) - exponent) / math.log(10)
    yield float(promised.r), formula(place, ("contextual X (", ") (gap"), **sizes)
    beta = formula(
        "kajitsuka2024/lemma_3.v",
        ("`|dot u u'| = ", " ->"),
        **sizes,
        delta=2 * math.log(n) + 3,
    )
    yield promised.beta, beta


@pytest.mark.parametrize("numbers", [liu_formulas, kajitsuka_formulas])
def test_a_number_of_the_library_is_the_one_that_a_theorem_names(numbers):
    for found, proved in numbers():
        assert found == pytest.approx(proved, rel=1e-12)


def test_another_formula_in_a_theorem_is_told(monkeypatch):
    read = type(PROOFS).read_text
    monkeypatch.setattr(
        type(PROOFS), "read_text", lambda self, **how: read(self, **how).replace("51%:R / 25", "2%:R / 1")
    )
    with pytest.raises(AssertionError, match="="):
        test_a_number_of_the_library_is_the_one_that_a_theorem_names(liu_formulas)
