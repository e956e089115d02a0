"""Patterns, kernel attention and the check of a mixer: times, peak memory, and what torch takes for the same.

python -m pytest benchmarks/bench_mixing.py -s
"""

import math
import os
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from uatbook.cheng2025.gallery import GALLERY
from uatlib.arithmetic import FLOAT32, FLOAT64
from uatlib.cheng2025 import (
    attention_weights,
    automorphism_group,
    check_mixer,
    connectivity_depth,
    distinguishes,
    kernel,
    pattern,
)
from uatlib.layers import Attention, Head
from uatlib.model import Transformer
from uatlib.patterns import Pattern

ROUNDS = 3
TOKENS, LONG, ENTRIES, WINDOW = 4096, 2**15, 64, 31
"""Tokens beside torch, tokens of the window, their entries, and how far the window of 2 * 31 + 1 keys reaches."""


def timed(method, *arguments, rounds=ROUNDS):
    """(result, least seconds)."""
    found, best = None, math.inf
    for _ in range(rounds):
        start = time.perf_counter()
        found = method(*arguments)
        best = min(best, time.perf_counter() - start)
    return found, best


def test_connectivity_depth_of_a_window(benchmark):
    rows = [pattern("sliding_window", TOKENS, window=64)] * TOKENS
    found = benchmark.pedantic(connectivity_depth, args=(rows,), rounds=ROUNDS)
    print(f"\nconnectivity_depth, n = {TOKENS}, w = 64: {found} layers, {benchmark.stats['min']:.2f} s (goal: 2)")
    assert found == math.ceil((TOKENS - 1) / 64)


@pytest.mark.parametrize("window", [1, 5, 20])
def test_automorphisms_of_a_circulant(benchmark, window):
    found = benchmark.pedantic(automorphism_group, args=(pattern("circulant", 64, window=window),), rounds=ROUNDS)
    print(f"\nautomorphism_group, n = 64, w = {window}: {len(found)}, {benchmark.stats['min']:.3f} s (goal: 1)")
    assert len(found) == 2 * 64


def literal(kind, mask=None, n=TOKENS):
    """One head of exp attention as a layer, its weights lowered, and X; and Q, K, V as torch wants them."""
    rng = np.random.default_rng(0)
    W = [rng.normal(size=(ENTRIES, ENTRIES)) / math.sqrt(ENTRIES) / 2 for _ in range(3)]
    layer = Attention([Head(*W, np.eye(ENTRIES))], mask=mask, skip=False)
    X = torch.as_tensor(rng.normal(size=(ENTRIES, n)), dtype=kind)
    model = Transformer([layer]).lower(FLOAT32 if kind == torch.float32 else FLOAT64)
    Q, K, V = ((torch.as_tensor(w, dtype=kind) @ X).T.contiguous()[None, None] for w in W)
    return model, X, (Q, K, V)


@pytest.mark.parametrize(("kind", "goal"), [(torch.float64, 1.3), (torch.float32, 3)])
def test_exp_attention_beside_torch(kind, goal):
    """The layer goes through torch's own; it also makes queries, keys and values, and writes, which torch gets here."""
    model, X, (Q, K, V) = literal(kind)
    W_Q, W_K = (model.model.layers[0].heads[0].w_q, model.model.layers[0].heads[0].w_k)
    ours, own = timed(model, X)
    theirs, torchs = timed(lambda: scaled_dot_product_attention(Q, K, V, scale=1))
    _, weights = timed(lambda: attention_weights(X, W_Q, W_K), rounds=1)
    print(
        f"\nexp, n = {TOKENS}, d = {ENTRIES}, {kind}: layer (dispatched to torch) {own:.2f} s, torch {torchs:.2f} s,"
        f" ratio {own / torchs:.2f} (goal: {goal}); the whole matrix of weights {weights:.2f} s"
    )
    assert (ours - theirs[0, 0].T).abs().max() < (1e-12 if kind == torch.float64 else 1e-4)


def chunked(Q, K, V, window, step=512):
    """Full scores by chunks of queries, masked, softmax: what one writes without bands."""
    places, parts = torch.arange(Q.shape[-2]), []
    for at in places.split(step):
        scores = Q[0, 0, at] @ K[0, 0].T
        scores[(places - at[:, None]).abs() > window] = -math.inf
        parts.append(torch.softmax(scores, dim=-1) @ V[0, 0])
    return torch.cat(parts).T


def windowed(n=LONG):
    rows = Pattern([tuple(sorted(row)) for row in pattern("sliding_window", n, window=WINDOW)])
    return literal(torch.float32, rows, n)


def test_a_window_in_bands():
    model, X, (Q, K, V) = windowed()
    ours, own = timed(model, X)
    theirs, full = timed(lambda: chunked(Q, K, V, WINDOW), rounds=1)
    print(
        f"\nwindow of {2 * WINDOW + 1} keys, n = {LONG}, float32: bands {own:.2f} s, full scores {full:.1f} s,"
        f" {full / own:.0f} times (goal: 20)"
    )
    assert (ours - theirs).abs().max() < 1e-4


MEMORY = """
import psutil, sys
sys.path.insert(0, sys.argv[1])
import bench_mixing as bench
from memory import peak
model, X, _ = bench.windowed()
start = psutil.Process().memory_info().rss
model(X)
print(peak() - start)
"""


def test_peak_memory_of_a_window_above_start():
    command = [sys.executable, "-c", MEMORY, os.path.dirname(__file__)]
    peak = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) / 2**20
    print(f"\nwindow: {math.ceil(peak)} MiB above start (goal: 1024)")


def slow(X, theta):
    """Ten milliseconds a call, which no vmap and no gradient goes through."""
    time.sleep(0.01)
    return torch.as_tensor(GALLERY["softmax"].make(3, 2)[0](X, theta).detach().numpy().copy())


CHECKED = {
    "softmax, n = 3, d = 2": lambda: check_mixer(
        GALLERY["softmax"].make(3, 2)[0], parameters=12, n=3, d=2, group="symmetric"
    ),
    "average, n = 4, 3 layers": lambda: distinguishes(kernel("constant"), [pattern("full", 4)] * 3, d=2),
    "softmax, n = 16, d = 8": lambda: distinguishes(kernel("exp"), [pattern("full", 16)], d=8),
    "cosh, n = 16, d = 8, 2 layers": lambda: distinguishes(kernel("cosh"), [pattern("full", 16)] * 2, d=8),
    "softmax, n = 64, d = 16": lambda: distinguishes(kernel("exp"), [pattern("full", 64)], d=16),
    "10 ms a call, without vmap": lambda: check_mixer(slow, parameters=12, n=3, d=2, group="symmetric"),
}


@pytest.mark.parametrize("name", CHECKED)
def test_check_mixer(name):
    found, seconds = timed(CHECKED[name], rounds=1)
    print(f"\ncheck_mixer, {name}: {found.verdict}, {seconds:.2f} s (goal: 60)")
    assert found.verdict == ("no" if name.startswith(("average", "cosh")) else "yes")


if __name__ == "__main__":
    pytest.main([__file__, "-s", "-q"])
