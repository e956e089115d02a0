"""The hardmax network of yun2020 at (4, 3, 2), 1,710 layers as printed, in bulk and layer by layer."""

import time

import numpy as np
import pytest
import torch

from uatlib import yun2020
from uatlib.arithmetic import FLOAT64
from uatlib.targets import mean_product


@pytest.fixture(scope="module")
def network():
    return yun2020.build(mean_product(3, 2), inverse_delta=4, variant="printed")


def inputs(count):
    return torch.from_numpy(np.random.default_rng(0).uniform(0, 1, (count, 2, 3)))


def test_a_million_inputs(benchmark, network):
    X = inputs(10**6)
    benchmark.pedantic(network.shortcut, (X,), rounds=3, warmup_rounds=1)
    seconds = benchmark.stats["mean"]
    print(f"\n1,000,000 inputs: {seconds:.2f} s (goal: 2)")


def test_against_the_layers(network):
    """One pass each over the same batch; the layers take a minute or two."""
    X, layers = inputs(10**5), network.model.lower(FLOAT64)
    network.shortcut(X)
    start = time.perf_counter()
    bulk = network.shortcut(X)
    middle = time.perf_counter()
    literal = layers(X)
    seconds = middle - start, time.perf_counter() - middle
    largest = max(network.shortcut.value_map.table.ids.flat) / 4
    print(f"\n100,000 inputs: bulk {seconds[0]:.2f} s, layers {seconds[1]:.1f} s, {seconds[1] / seconds[0]:.0f} times")
    assert float((bulk - literal).abs().max()) <= np.spacing(float(largest))
