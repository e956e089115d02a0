"""The smoother in bulk, in all its forms, beside plain loops and beside one another."""

import importlib
import itertools
import math

import numpy as np
import pytest
import torch

from uatlib.arithmetic import FLOAT64
from uatlib.liu2025 import cross_attention, grid_centers, smoother
from uatlib.liu2025.smoothing import grid_smoother

from .oracles import shares, stacked

module = importlib.import_module("uatlib.liu2025.smoothing")


def by_loops(Z, centers, values, R):
    out = np.zeros((len(Z), *values.shape[1:]))
    for k, z in enumerate(Z):
        weights = shares(stacked(z), centers, R)
        for r, s in itertools.product(*map(range, values.shape[1:])):
            out[k, r, s] = math.fsum(w * value for w, value in zip(weights, values[:, r, s], strict=True))
    return out


def arrays(d, n, G, count=5, out=(2, 3), seed=0):
    rng = np.random.default_rng([d, n, G, seed])
    return rng.uniform(-1, 1, (count, d, n)), rng.uniform(-1, 1, (G, d * n)), rng.normal(size=(G, *out))


@pytest.mark.parametrize(("d", "n", "G"), [(1, 1, 1), (1, 1, 7), (2, 1, 30), (1, 3, 20), (3, 2, 50)])
@pytest.mark.parametrize("R", [1e-3, 2.0, 300.0, 1e12])
def test_any_centres_any_precision(d, n, G, R):
    Z, v, V = arrays(d, n, G)
    expected = by_loops(Z, v, V, R)
    got = smoother(Z, v, V, R)
    assert got.dtype == np.float64
    assert got == pytest.approx(expected, abs=1e-9)
    assert smoother(Z[None], v, V, R).shape == (1, 5, 2, 3)
    single = [part.astype(np.float32) for part in (Z, v, V)]
    tensor = smoother(*map(torch.from_numpy, single), R)
    assert tensor.dtype == torch.float32
    assert tensor.numpy() == pytest.approx(by_loops(*(part.astype(float) for part in single), R), abs=1e-6)


@pytest.mark.parametrize("block", [5, 7, 64, 1000])
def test_blocks_of_centres_add_up(monkeypatch, block):
    """Where weights of one point do not fit, sums run over blocks: the largest score may come late, or far too low."""
    monkeypatch.setattr(module, "BLOCK", block)
    Z, v, V = arrays(2, 2, 37)
    for R in (0.5, 50.0, 1e5):
        for order in (np.arange(37), np.argsort(((v - Z[0].T.ravel()) ** 2).sum(axis=1))[::-1]):
            got = module._by_distances(
                *map(torch.from_numpy, (Z.swapaxes(1, 2).reshape(5, 4), v[order])),
                torch.from_numpy(V[order].reshape(37, -1)),
                R,
            )
            assert got.numpy().reshape(5, 2, 3) == pytest.approx(by_loops(Z, v, V, R), abs=1e-12)


def test_attention_and_distances_agree_and_take_over_from_each_other():
    Z, v, V = arrays(1, 2, 400, count=50)
    z, centers, flat = (torch.from_numpy(part) for part in (Z.swapaxes(1, 2).reshape(50, 2), v, V.reshape(400, -1)))
    for R in (1.0, 1e3, 1e5):
        fused, plain = (f(z, centers, flat, R) for f in (module._by_attention, module._by_distances))
        assert float((fused - plain).abs().max()) < 1e-9
    # Near 10,000 scores of the size R v . z = 1e14 are rounded to .01: what attention gives is wrong, and not taken.
    Z, v, R = 1e4 + Z / 1e3, 1e4 + v / 1e3, 1e6
    z, centers = torch.from_numpy(Z.swapaxes(1, 2).reshape(50, 2)), torch.from_numpy(v)
    exact = by_loops(Z, v, V, R)
    assert np.abs(module._by_attention(z, centers, flat, R).numpy().reshape(exact.shape) - exact).max() > 1e-3
    assert smoother(Z, v, V, R) == pytest.approx(exact, abs=1e-9)


def test_many_blocks_of_points(monkeypatch):
    Z, v, V = arrays(1, 1, 5, count=2500)
    expected = smoother(Z[:3], v, V, 10.0)
    assert smoother(Z, v, V, 10.0)[:3] == pytest.approx(expected, abs=1e-14)
    assert smoother(Z[-3:], v, V, 10.0) == pytest.approx(smoother(Z, v, V, 10.0)[-3:], abs=1e-14)


@pytest.mark.parametrize(("d", "n", "P"), [(1, 1, 1), (1, 1, 6), (2, 1, 4), (1, 3, 3), (2, 2, 3), (5, 1, 2)])
@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("block", [1, 2**22])
def test_on_grids_sums_go_axis_by_axis(monkeypatch, d, n, P, kind, block):
    monkeypatch.setattr(module, "BLOCK", block)
    Z, _, V = arrays(d, n, P ** (d * n))
    v, R = grid_centers(P, 1.5, d * n), 4.0
    got = grid_smoother(torch.from_numpy(Z).to(kind), P, 1.5, V, R)
    assert got.dtype == kind
    exact = by_loops(Z, v, V, R)
    assert got.numpy() == pytest.approx(exact, abs=1e-12 if kind == torch.float64 else 1e-5)
    # The order of the cells matters: another one is seen.
    if d * n > 1:
        assert np.abs(by_loops(Z, v[:, ::-1], V, R) - exact).max() > 1e-3


@pytest.mark.parametrize(("d", "n", "P"), [(1, 1, 4), (1, 2, 2), (2, 1, 3)])
@pytest.mark.parametrize("block", [1, 2**22])
def test_pairs(monkeypatch, d, n, P, block):
    monkeypatch.setattr(module, "BLOCK", block)
    rng = np.random.default_rng(P)
    v, R = grid_centers(P, 1, d * n), 2.3
    G = len(v)
    V, queries, keys = rng.uniform(-1, 1, (G, G, d, n)), *rng.uniform(-1, 1, (2, 4, d, n))
    expected = np.zeros((4, d, n))
    for k in range(4):
        key, query = (shares(stacked(Z[k]), v, R) for Z in (keys, queries))
        for i, j in itertools.product(range(G), repeat=2):
            expected[k] += key[i] * query[j] * V[i, j]
    on_grid = grid_smoother(np.concatenate([queries, keys], axis=2), P, 1, V.reshape(-1, d, n), R)
    assert on_grid == pytest.approx(expected, abs=1e-12)
    literal = [
        cross_attention(V, v, n, d, R, 1.01)(q, FLOAT64, source=k).numpy() for q, k in zip(queries, keys, strict=True)
    ]
    assert np.array(literal) == pytest.approx(expected, abs=1e-11)
    every = [np.hstack([keys_, queries_]) for keys_ in v for queries_ in v]
    general = smoother(np.concatenate([keys, queries], axis=2), every, V.reshape(-1, d, n), R)
    assert general == pytest.approx(expected, abs=1e-12)


def test_far_points_take_the_nearest_value():
    """All weights but one are below the least float: no 0/0 where exp is taken of differences from the largest."""
    v, V = grid_centers(4, 1, 1), np.arange(4.0)[:, None, None]
    for far in (1e3, -1e3, 1e8):
        for got in (smoother([[far]], v, V, 50), grid_smoother([[far]], 4, 1, V, 50)):
            assert got.tolist() == [[3.0 if far > 0 else 0.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: smoother([[1e200]], [[0]], [[[1.0]]], 1), "precision: expected a number whose product"),
        (lambda: smoother([[1e5]], [[0]], [[[1.0]]], 1e300), "precision: expected a number whose product"),
        (lambda: smoother(torch.ones(1, 1), [[1e60]], [[[1.0]]], 1), "centers: expected numbers that torch.float32"),
        (lambda: smoother([[1.0]], [[0]], [[[math.nan]]], 1), r"values\[0, 0, 0\]: expected"),
        (lambda: smoother([[1.0]], [[math.inf]], [[[1.0]]], 1), r"centers\[0, 0\]: expected"),
        (lambda: smoother([[1.0]], [[0]], [[[1.0]]], 0), "precision: expected"),
        (lambda: smoother([[1.0]], [], [], 1), "centers: expected"),
        (lambda: smoother([1.0], [[0]], [[[1.0]]], 1), "Z: expected shape"),
        (lambda: grid_centers(0, 1, 1), "cells: expected"),
        (lambda: grid_centers(2, 0, 1), "half_width: expected"),
        (lambda: grid_centers(1000, 1, 4), "take fewer cells"),
    ],
)
def test_wrong_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
