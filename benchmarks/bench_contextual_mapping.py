"""Contextual ids in bulk beside the literal layers and a NumPy peer; Lemma 8 over 5^9 points; import time."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import torch

from uatlib.arithmetic import FLOAT64, INT64
from uatlib.grids import Grid
from uatlib.yun2020.contextual_mapping import selective_shift
from uatlib.yun2020.ids import context_ids_int64

N, n, d = 4, 3, 3
D = N**d
GRID = Grid(N, n, d)


def numpy_ids(L):
    """The same ids for sequences without sentinels: sort, lift each distinct id once, scatter."""
    columns = np.einsum("i,bij->bj", N ** np.arange(d), L)
    order = columns.argsort(-1)
    ids = np.take_along_axis(columns, order, -1)
    top = ids[:, -1].copy()
    lifted = np.empty_like(ids)
    for j in range(n):
        lifted[:, j] = ids[:, j] + D * (top - ids[:, j])
        if j:
            same = ids[:, j] == ids[:, j - 1]
            lifted[same, j] = lifted[same, j - 1]
        top = lifted[:, j]
    lifted += D ** (n + 1) * top[:, None]
    result = np.empty_like(ids)
    np.put_along_axis(result, order, lifted, -1)
    return result


def report(benchmark, count, what):
    rate = count / benchmark.stats["mean"]
    benchmark.extra_info["sequences per second"] = round(rate)
    print(f"\n{what}: {rate:,.0f} sequences/s ({count:,} in {benchmark.stats['mean']:.4f} s)")


@pytest.fixture(scope="module")
def bulk():
    """All 4^9 grid sequences, in units of delta."""
    return GRID.sequences()


@pytest.mark.benchmark(group="context ids (4, 3, 3)")
def test_bulk_int64(benchmark, bulk):
    ids = benchmark(context_ids_int64, bulk, inverse_delta=N)
    report(benchmark, len(bulk), "context_ids_int64 (goal: 2,000,000)")
    assert torch.equal(ids, torch.from_numpy(numpy_ids(bulk.numpy())))


@pytest.mark.benchmark(group="context ids (4, 3, 3)")
def test_numpy_peer(benchmark, bulk):
    benchmark(numpy_ids, bulk.numpy())
    report(benchmark, len(bulk), "NumPy peer")


@pytest.mark.benchmark(group="context ids (4, 3, 3)")
@pytest.mark.parametrize("system", [INT64.in_units_of(Fraction(1, 2 * N)), FLOAT64], ids=["INT64", "FLOAT64"])
def test_literal_layers(benchmark, bulk, system):
    units = bulk[:: len(bulk) // 8192]
    model = selective_shift(inverse_delta=N, n=n, d=d).lower(system)
    X = units / N if system is FLOAT64 else 2 * units
    Z = benchmark.pedantic(model, args=(X,), rounds=3)
    report(benchmark, len(units), f"literal layers, {system}")
    u = torch.tensor([N**i for i in range(d)], dtype=Z.dtype)
    ids = (u[:, None] * Z).sum(-2)
    ids = (ids * N).long() if system is FLOAT64 else ids // 2
    assert torch.equal(ids, context_ids_int64(units, inverse_delta=N))


VERIFY = """
import sys, time
sys.path.insert(0, sys.argv[1])
from memory import peak
from uatlib import statements
start = time.perf_counter()
certificate = statements.get("yun2020:lem-8").verify(inverse_delta=4, n=3, d=3)
seconds = time.perf_counter() - start
print(certificate.holds, seconds, peak())
"""

IMPORT = """
import sys, time
import numpy, torch
start = time.perf_counter()
import uatlib
import uatlib.yun2020
print(time.perf_counter() - start)
"""


def in_a_fresh_process(code):
    command = [sys.executable, "-c", code, os.path.dirname(__file__)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_verify_lemma_8_on_all_extended_grid_points(benchmark):
    holds, seconds, peak = benchmark.pedantic(in_a_fresh_process, args=(VERIFY,), rounds=1)
    gib = int(peak) / 2**30
    benchmark.extra_info.update(seconds=float(seconds), peak_gib=gib)
    print(f"\n5^9 extended grid points: {float(seconds):.2f} s (goal: 10), peak {gib:.2f} GiB (goal: 2)")
    assert holds == "True"


def test_import_beyond_torch_and_numpy(benchmark):
    seconds = min(float(in_a_fresh_process(IMPORT)[0]) for _ in range(3))
    benchmark.pedantic(in_a_fresh_process, args=(IMPORT,), rounds=1)
    benchmark.extra_info["seconds"] = seconds
    print(f"\nimport beyond torch and numpy: {seconds:.3f} s (goal: 0.3)")
