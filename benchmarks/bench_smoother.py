"""The smoother of liu2025 at 160,000 centres beside KeOps, plain chunks of torch and torch's attention; its memory.

KeOps is a peer that is not installed with the rest: ``pip install pykeops``, and g++, which compiles its formula once.
Points are 10,000, or UATLIB_POINTS.
"""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch.nn.functional import pad, scaled_dot_product_attention

from uatlib.liu2025 import grid_centers, parameters_for, smoother
from uatlib.liu2025.smoothing import grid_smoother

P, m = 20, 4
COUNT = int(os.environ.get("UATLIB_POINTS", "10000"))
ROUNDS = 3


def setting(count=COUNT):
    """(Z, centres, values, R, P): the grid of 20 cells a side, with the R of the product bound."""
    found, R = parameters_for(eps=0.1, lipschitz=1, half_width=1, dim=m)
    assert found == P
    v, rng = grid_centers(P, 1, m), np.random.default_rng(0)
    return rng.uniform(-1, 1, (count, 2, 2)), v, rng.uniform(-1, 1, (len(v), 2, 2)), R


def flat(Z, v, V):
    points = torch.from_numpy(Z).transpose(-1, -2).reshape(len(Z), m)
    return points, torch.from_numpy(v), torch.from_numpy(V).reshape(len(V), -1)


def ours(Z, v, V, R):
    return smoother(Z, v, V, R)


def ours_on_a_grid(Z, v, V, R):
    return grid_smoother(Z, P, 1, V, R)


def chunked_torch(Z, v, V, R, step=100):
    """Scores by distances from torch.cdist, softmax, a product."""
    points, centers, values = flat(Z, v, V)
    parts = [torch.softmax(-R / 2 * torch.cdist(z, centers) ** 2, dim=1) @ values for z in points.split(step)]
    return torch.cat(parts).reshape(Z.shape).numpy()


def torch_attention(Z, v, V, R):
    """One call of scaled_dot_product_attention, operands as its fused form wants them."""
    points, centers, values = flat(Z, v, V)
    keys = torch.cat([centers, -(centers**2).sum(dim=1, keepdim=True) / 2], dim=1)
    queries = R * pad(points, (0, 1), value=1.0)
    found = scaled_dot_product_attention(
        queries[None, None], keys[None, None], pad(values, (0, 1))[None, None], scale=1
    )
    return found[0, 0, :, :m].reshape(Z.shape).numpy()


def keops(Z, v, V, R):
    from pykeops.torch import LazyTensor

    points, centers, values = flat(Z, v, V)
    gaps = LazyTensor(points[:, None, :].contiguous()) - LazyTensor(centers[None])
    return (-R / 2 * (gaps**2).sum(dim=2)).sumsoftmaxweight(LazyTensor(values[None]), dim=1).reshape(Z.shape).numpy()


METHODS = {f.__name__: f for f in (ours, torch_attention, chunked_torch, keops, ours_on_a_grid)}


@pytest.fixture(scope="module")
def arrays():
    return setting()


@pytest.mark.benchmark(group=f"smoother, G = {P**m:,}, dn = {m}, {COUNT:,} points, float64")
@pytest.mark.parametrize("name", METHODS)
def test_rate(benchmark, arrays, name):
    if name == "keops":
        pytest.importorskip("pykeops", reason="pykeops is not installed: pip install pykeops, which compiles with g++")
    Z, v, V, R = arrays
    METHODS[name](Z[:8], v, V, R)  # KeOps compiles
    found = benchmark.pedantic(METHODS[name], args=arrays, rounds=ROUNDS)
    seconds = benchmark.stats["min"]
    grid = ", which uses that the centres are a grid" if name == "ours_on_a_grid" else ""
    print(f"\n{name}: {seconds:.2f} s, {COUNT * len(v) / seconds:.3g} weights/s{grid}")
    few = slice(None, None, max(1, COUNT // 20))
    squares = ((Z.swapaxes(1, 2).reshape(-1, 1, m)[few] - v) ** 2).sum(axis=2)
    weights = np.exp(-R / 2 * (squares - squares.min(axis=1, keepdims=True)))
    exact = np.einsum("cg,gij->cij", weights / weights.sum(axis=1, keepdims=True), V)
    assert np.abs(found[few] - exact).max() < 1e-9


MEMORY = """
import psutil, sys
sys.path.insert(0, sys.argv[1])
import bench_smoother as bench
from memory import peak
arrays = bench.setting()
method = bench.METHODS[sys.argv[2]]
start = psutil.Process().memory_info().rss
method(*arrays)
print(peak() - start)
"""


@pytest.mark.parametrize("name", ["ours", "ours_on_a_grid", "torch_attention"])
def test_peak_memory_above_start(benchmark, name):
    command = [sys.executable, "-c", MEMORY, os.path.dirname(__file__), name]
    run = lambda: subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: E731
    peak = int(benchmark.pedantic(run, rounds=1)) / 2**20  # the peak of the whole process: at least that of the call
    benchmark.extra_info["peak MiB"] = peak
    print(f"\n{name}: {math.ceil(peak)} MiB above start (goal: 500)")
