"""Closed forms of layers and bits, against counting and exhaustive search."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from uatlib.arithmetic import EXACT
from uatlib.model import Transformer
from uatlib.yun2020.cost import bits_needed, flattened_counts, largest_id, layer_counts, parameter_counts
from uatlib.yun2020.output_layers import return_layer, token_layer, value_layers, value_table
from uatlib.yun2020.positional_layers import positional_quantizer, positional_shift
from uatlib.yun2020.quantizer_layers import quantizer
from uatlib.yun2020.shift_layers import selective_shift

from . import oracles as oracle
from .oracles import grid, ids_in_units

SEARCHED = [(5, 1, 1), (2, 2, 1), (2, 4, 1), (2, 6, 1), (3, 3, 1), (3, 5, 1), (5, 3, 1)]
SEARCHED += [(7, 2, 1), (2, 1, 2), (2, 3, 2), (3, 2, 2), (2, 2, 3)]
"""More tokens than column values are among them."""
COUNTS = [layer_counts, parameter_counts, flattened_counts, largest_id, bits_needed]


@pytest.mark.parametrize("domain", ["grid", "extended"])
@pytest.mark.parametrize(("N", "n", "d"), SEARCHED)
def test_largest_id_is_that_of_an_exhaustive_search(N, n, d, domain):
    sequences = grid(N, n, d, extended=domain == "extended")
    largest = max(abs(s) for L in sequences for s in ids_in_units(L, N))
    assert largest_id(N, n, d, domain) == largest
    assert bits_needed(N, n, d, domain) == len(f"{largest:b}")
    assert bits_needed(N, n, d) == bits_needed(N, n, d, domain="grid")


@pytest.mark.parametrize(("N", "n", "d"), [(5, 2, 1), (3, 6, 1), (2, 12, 3), (10, 4, 2), (40, 5, 1), (6, 3, 3)])
def test_largest_ids_at_larger_sizes(N, n, d):
    """The sequences at which the closed forms stop: no search, but the loops of the sweep."""
    D = N**d
    top = oracle.sequence([*range(min(n, D) - 1), D - 1, *[0] * (n - min(n, D))], N, d)
    assert largest_id(N, n, d) == max(ids_in_units(top, N))
    others = [D - 1 - j % D for j in range(n - 1)]
    columns = [[-(N ** (n * d + 1)), *row] for row in oracle.sequence(others, N, d)]
    assert largest_id(N, n, d, "extended") == max(ids_in_units(columns, N))


def weights_of(layers):
    """Every number of every layer, one by one."""
    return sum(1 for layer in layers for array in layer.weights().values() for _ in array.flat)


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 2, 1), (4, 3, 1), (2, 2, 2), (3, 2, 2), (2, 3, 1)])
@pytest.mark.parametrize("repaired", [False, True])
@pytest.mark.parametrize("positional", [False, True])
def test_parameter_counts_are_those_of_the_networks(N, n, d, repaired, positional):
    size = {"inverse_delta": N, "n": n, "d": d}
    first, second = (positional_quantizer, positional_shift) if positional else (quantizer, selective_shift)
    if positional:
        value = value_table(
            np.zeros((N ** (d * n), d, n), dtype=int), **size, repaired=repaired, positional=True
        ).model()
    else:
        value = value_layers(lambda L: L, **size, repaired=repaired)
    parts = {"quantization": first(**size), "attention": second(**size), "value": value}
    layers = {name: len(model.layers) for name, model in parts.items()}
    assert layer_counts(N, n, d, positional, repaired) == {**layers, "total": sum(layers.values())}
    want = {name: weights_of(model.layers) for name, model in parts.items()}
    assert parameter_counts(N, n, d, positional, repaired) == {**want, "total": sum(want.values())}


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 2, 1), (2, 2, 2), (2, 3, 1), (3, 3, 1)])
def test_the_flattened_network_can_be_built_and_looks_every_cube_up(N, n, d):
    """Answers without any symmetry, on the cubes with equal tokens too, some of them equal to ids of other cubes."""
    entries = n * d
    cubes = list(product(range(N), repeat=entries))
    wanted = {cube: [Fraction((7 * k + 3 * i) % 11, 2) for i in range(entries)] for k, cube in enumerate(cubes)}
    lift = 7
    quantize = positional_quantizer(inverse_delta=N, n=1, d=entries)
    table = []
    for cube, answer in wanted.items():
        number = sum(c * N**i for i, c in enumerate(cube))
        step = [a - lift - Fraction(c, N) for a, c in zip(answer, cube, strict=True)]
        table.append(token_layer(number, step, N, entries))
    network = Transformer([*quantize.layers, *table, return_layer(lift, N, entries)])
    for cube, answer in wanted.items():
        point = [[Fraction(2 * c + 1, 2 * N)] for c in cube]
        assert network(point, EXACT)[:, 0].tolist() == answer
    assert flattened_counts(N, n, d) == {"layers": len(network.layers), "parameters": weights_of(network.layers)}
