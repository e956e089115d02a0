"""What yun2020 refuses of grids: the parser once, on every kind of bad number; then one call for every door."""

import inspect
from functools import partial

import numpy as np
import pytest
import torch

from uatbook.yun2020 import token_mixers
from uatbook.yun2020.float_limits import collision, first_beyond_bits, first_collision, wrong_id
from uatbook.yun2020.token_mixers import token_power
from uatlib import yun2020
from uatlib.arithmetic import FLOAT64
from uatlib.grids import Grid, StepFunction, quantize, repeated_share, step_function
from uatlib.layers import ThreePiece
from uatlib.sizes import ConstructionTooLarge
from uatlib.targets import mean_product
from uatlib.yun2020.cost import bits_needed, flattened_counts, largest_id
from uatlib.yun2020.ids import column_ids, column_vector, context_ids_int64, id_interval
from uatlib.yun2020.output_layers import (
    contexts,
    largest_entry,
    outside_layer,
    safe_range,
    token_layer,
    value_table,
    window,
)
from uatlib.yun2020.quantizer_layers import clip_layer, row_layers, step_layer
from uatlib.yun2020.shift_layers import global_shift_layer, psi, selective_shift_layer, sweep_layers

from .oracles import GRID, HUGE_GRIDS, NO_GRIDS, refused_at_once


def never(L):
    raise AssertionError("outputs were computed")


DOORS = {
    "Grid": Grid,
    "repeated_share": repeated_share,
    "quantizer": yun2020.quantizer,
    "selective_shift": yun2020.selective_shift,
    "positional_quantizer": yun2020.positional_layers.positional_quantizer,
    "positional_shift": yun2020.positional_layers.positional_shift,
    "value_layers": lambda **size: yun2020.value_layers(never, **size),
    "value_table": lambda **size: value_table(never, **size),
    "softmax_scale": yun2020.softmax_scale,
    "layer_counts": yun2020.layer_counts,
    "parameter_counts": yun2020.cost.parameter_counts,
    "flattened_counts": flattened_counts,
    "bits_needed": bits_needed,
    "largest_id": largest_id,
    "average_context": token_mixers.average_context,
    "bilinear_context": token_mixers.bilinear_context,
    "separable_context": token_mixers.separable_context,
    "contexts": contexts,
    "largest_entry": largest_entry,
    "safe_range": safe_range,
    "id_interval": id_interval,
    "row_layers": lambda **size: row_layers(0, **size),
    "clip_layer": lambda **size: clip_layer(0, **size),
    "outside_layer": outside_layer,
    "global_shift_layer": global_shift_layer,
    "step_layer": lambda inverse_delta, d: step_layer(0, 0, inverse_delta, d),
    "psi": lambda inverse_delta, d: psi(0, 1, inverse_delta, d),
    "selective_shift_layer": lambda inverse_delta, d: selective_shift_layer(0, inverse_delta, d),
    "sweep_layers": sweep_layers,
    "token_layer": lambda inverse_delta, d: token_layer(0, [1], inverse_delta, d),
    "column_vector": column_vector,
    "token_power": lambda inverse_delta, d: token_power(inverse_delta, d, 2),
    "quantize": partial(quantize, [[0, 0]]),
    "quantize-floats": partial(quantize, np.zeros((1, 2))),
    "quantize-tensor": partial(quantize, torch.zeros(1, 2)),
    "step_function": partial(step_function, mean_product(2)),
    "build": partial(yun2020.build, mean_product(2)),
    "terms": lambda inverse_delta: yun2020.terms(mean_product(2), inverse_delta, 2),
    "column_ids": partial(column_ids, [[0, 1]]),
    "context_ids": partial(yun2020.context_ids, [[0, 0]]),
    "context_ids-large": partial(yun2020.context_ids, [[2**80, 0]]),
    "context_ids-positional": partial(yun2020.context_ids, [[0, 0]], positional=True),
    "context_ids_int64": partial(context_ids_int64, torch.zeros((1, 1, 2), dtype=torch.int64)),
}
"""What takes inverse_delta, n and d, or some of these."""


def sizes_of(door):
    """Which of the three it takes; without names, all."""
    names = {*inspect.signature(door).parameters} & {*GRID}
    return names or {*GRID}


def assert_refused(make, size):
    """make(**size) is refused in the name of the one number that is not as in `GRID`."""
    ((name, value),) = [(name, value) for name, value in size.items() if value is not GRID[name]]
    with pytest.raises(ValueError, match=rf"^{name}: expected an int >= ") as caught:
        make(**size)
    assert str(value) in str(caught.value)


@pytest.mark.parametrize("size", NO_GRIDS, ids=str)
def test_what_is_no_grid(size):
    assert_refused(Grid, size)


@pytest.mark.parametrize(
    "size", HUGE_GRIDS, ids=lambda size: str({name: f"{n:.3g}" for name, n in size.items() if n < 10**99})
)
def test_grids_whose_numbers_are_too_long(size):
    assert isinstance(refused_at_once(Grid, size), ConstructionTooLarge)


@pytest.mark.parametrize("name", DOORS)
def test_every_door_has_the_parser(name):
    door, own = DOORS[name], sizes_of(DOORS[name])

    def called(**size):
        return door(**{key: size[key] for key in own})

    for wrong in ({"inverse_delta": 2.5}, {"inverse_delta": 1}, {"n": 0}, {"n": "2"}, {"d": True}, {"d": None}):
        if {*wrong} <= own:
            assert_refused(called, {**GRID, **wrong})
    for size in HUGE_GRIDS:
        if all(size[key] == GRID[key] for key in {*GRID} - own):
            assert isinstance(refused_at_once(called, size), ConstructionTooLarge)


@pytest.mark.parametrize(
    "call",
    [
        lambda: yun2020.quantizer(inverse_delta=2, n=1, d=1800),
        lambda: token_mixers.bilinear_context(inverse_delta=2, n=1, d=4000),
        lambda: sweep_layers(2, 1000),
        lambda: repeated_share(10**6, 10**5, 1),
        lambda: first_collision(FLOAT64, 2),
        lambda: first_collision(FLOAT64, 3),
        lambda: first_beyond_bits(2, 10**9),
        lambda: yun2020.coarsest_grid(mean_product(2), 1e-300),
        lambda: yun2020.build(mean_product(2), inverse_delta=2, stage="relu", p=10**6),
        lambda: wrong_id(FLOAT64, 10**6, 3),
        lambda: collision(FLOAT64, 10**30, 2),
    ],
)
def test_what_would_take_long_is_refused_at_once(call):
    with pytest.raises(ValueError, match=r"expected|the limit is"):
        call()


@pytest.mark.parametrize("N", [0, -4, 1, 2.5, None])
def test_step_functions_have_two_cells_or_more(N):
    with pytest.raises(ValueError, match=r"^inverse_delta: expected an int >= 2"):
        StepFunction(mean_product(2), N).error_bound()


def test_thousands_of_token_layers_are_built_in_seconds():
    """4,005 of them: they share one activation, and nothing is worked out once a layer that is the same for all."""
    network = yun2020.build(mean_product(2), inverse_delta=63)
    windows = [layer for layer in network.model.layers if getattr(layer, "activation", None) is window(63)]
    assert len(windows) == 2 * (63 * 62 // 2)


def test_terms_of_grids_that_floats_do_not_hold_are_refused():
    with pytest.raises(ValueError, match=r"^inverse_delta: expected .* which floats hold"):
        yun2020.terms(mean_product(2), 2**1200, 2, positional=True)


def test_numbers_of_thousands_of_digits_are_told_in_few():
    with pytest.raises(ValueError, match=r"^ThreePiece breakpoints: expected c_1 <= c_2, got .{,120}\.$"):
        ThreePiece((10**5000, 0), (0, 0, 0), (0, 0, 0))
    with pytest.raises(ValueError, match=r"^ThreePiece slopes: expected a constant piece .{,140}\.$"):
        ThreePiece((0, 1), (10**5000, 1, 1), (0, 0, 0))
    wide = ThreePiece((10**5000, 10**5000 + 1), (0, 1, 0), (0, 0, 0))
    with pytest.raises(ValueError, match=r"^width: expected bands that do not overlap.{,400}$"):
        yun2020.four_relus(wide, 10**4)
