"""On a device: what follows it lies there and equals the CPU's; every public function that takes one has a call here.

Whole numbers are equal. Floats are rounded in another order there, and functions are right to other units: of the
largest entry, or of 1, they may differ by 2^8 units in the last place. On the CPU none of these results is farther
than 24 units from the true one (float32 from float64, literal networks from balls); another order has ten times that.
Networks of the proofs have steps as steep as their largest weight, of which their units are: their sums cancel, and
the order of the layers, which leaves next to nothing to round, is one of many.
"""

import inspect
import re
from dataclasses import replace
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest
import torch

from uatbook.cheng2025.mixing_terms import attention_weights, bias_attention, cyclic_convolution, linformer, skyformer
from uatbook.kajitsuka2024.label_networks import memorise
from uatbook.liu2025.max_affine import MaxAffine
from uatbook.yun2020.float_limits import first_wrong_id
from uatlib import cheng2025, kajitsuka2024, liu2025, masks, yun2020
from uatlib.arithmetic import FLOAT32, FLOAT64, INT64, distances
from uatlib.contexts import find_violation
from uatlib.grids import Grid, quantize, step_function
from uatlib.kajitsuka2024 import boltzmann_operator
from uatlib.kernels import CONSTANT, DOT, RBF
from uatlib.layers import Attention, FeedForward, Head
from uatlib.liu2025.smoothing import grid_smoother
from uatlib.metrics import sup_distance
from uatlib.model import Transformer
from uatlib.targets import Target, bump, cyclic_difference, mean_product, running_mean
from uatlib.torch_model import MultiheadAttentionLayer, from_module, from_multihead_attention, to_module
from uatlib.yun2020.ids import categories, column_ids, context_ids_int64

from .random_layers import CROSS, D_SOURCE, LAYERS, N_SOURCE, RESIZING, D, N, floats
from .test_public_names import NAMES

RNG = np.random.default_rng(0)
UNITS = 2**8
ELSEWHERE = torch.device("meta")
"""Where torch makes tensors by default in these tests: without numbers, so that none is of use on a device."""
SYSTEMS = {"float32": FLOAT32, "float64": FLOAT64}


def on(device, dtype=None):
    """From numbers to a tensor there."""
    return lambda values: torch.tensor(np.asarray(values), dtype=dtype, device=device)


def same(found, expected, device, largest=1.0):
    """A tensor there, with the numbers that are expected; `largest` of those that it was made from."""
    expected = np.asarray(expected.detach() if isinstance(expected, torch.Tensor) else expected)
    assert isinstance(found, torch.Tensor)
    assert found.device.type == device
    assert tuple(found.shape) == expected.shape
    if not found.is_floating_point():
        assert (found.cpu().numpy() == expected).all()
        return
    unit = torch.finfo(found.dtype).eps * max(largest, np.abs(expected).max())
    gap = np.abs(found.detach().cpu().double().numpy() - expected.astype(float)).max()
    assert gap <= UNITS * unit, f"{gap / unit:.0f} units"


# ----------------------------------------------------------------------------------------------- models and modules


@pytest.mark.parametrize("dtype", SYSTEMS)
@pytest.mark.parametrize("name", [*LAYERS, *RESIZING, *CROSS])
def test_every_layer_runs_where_its_input_is(name, dtype, device):
    rng, system = np.random.default_rng(1), SYSTEMS[dtype]
    model = Transformer([{**LAYERS, **RESIZING, **CROSS}[name](floats(rng))])
    X, Z = rng.normal(size=(3, D, N)), rng.normal(size=(3, D_SOURCE, N_SOURCE)) if model.cross else None
    x, z = (None if values is None else on(device, system.dtype)(values) for values in (X, Z))
    expected = model(X, system, source=Z)
    assert expected.device.type == "cpu"
    with ELSEWHERE:
        found = [
            model(x, system, source=z),
            model(x, system, source=Z),
            model(X, system.on(device), source=Z),
            model.lower(system.on(device))(X, source=z),
            *[*model.trace(x, system, source=z)][1:],
        ]
    if model.parameter_count():
        with ELSEWHERE:
            module = to_module(model, system.dtype, device, rounded=True)
            found.append(module(x, z))
            back = from_module(module)
        for weight, own in zip(back.layers[0].weights().values(), model.layers[0].weights().values(), strict=True):
            assert (weight == own.astype(dtype).astype(float)).all()
    for output in found:
        same(output, expected, device)


def test_gradients_lie_there_too(device):
    layers = [LAYERS[name](floats(np.random.default_rng(2))) for name in ("softmax dot", "ReLU", "bias, gelu")]
    here, there = (to_module(Transformer(layers), torch.float64, place) for place in ("cpu", device))
    X = RNG.normal(size=(D, N))
    for module, place in ((here, "cpu"), (there, device)):
        module(on(place)(X)).sum().backward()
    for expected, found in zip(here.parameters(), there.parameters(), strict=True):
        same(found.grad, expected.grad, device)


@pytest.mark.parametrize("dtype", SYSTEMS)
def test_pytorchs_own_attention_there_and_back(dtype, device):
    rng, kind = np.random.default_rng(3), SYSTEMS[dtype].dtype
    layer = Attention([Head(*rng.normal(size=(4, 2, 2))) for _ in range(2)], mask=masks.causal(3))
    X = rng.normal(size=(5, 2, 3))
    expected = Transformer([layer])(X, SYSTEMS[dtype])
    padded = np.concatenate([X, 0 * X], axis=-2)
    with ELSEWHERE:
        module = MultiheadAttentionLayer(layer, kind, device)
        again = from_multihead_attention(module.attention, masks.causal(3))
        found = module(on(device, kind)(X))
    same(found, expected, device)
    same(Transformer([again])(on(device, kind)(padded), SYSTEMS[dtype])[:, :2], expected, device)


def test_a_module_refuses_what_lies_elsewhere(device):
    layer = Attention([Head([[1]], [[1]], [[1]], [[1]])])
    other = torch.ones(1, 2, device="meta")
    ours = to_module(Transformer([layer]), torch.float32, device)
    for module in (ours, MultiheadAttentionLayer(layer, device=device)):
        with pytest.raises(ValueError, match=f"^X: expected a tensor of torch.float32 on {device}.*, as the weights"):
            module(other)


@pytest.mark.parametrize("dtype", SYSTEMS)
def test_fused_attention_gives_what_the_cpu_gives(dtype, device):
    """From 2^20 scores on it is torch's own, with another kernel on each device."""
    rng, system = np.random.default_rng(4), SYSTEMS[dtype]
    model = Transformer([Attention([Head(*rng.normal(size=(4, 8, 8)) / 4)], skip=False)])
    X = rng.normal(size=(8, 1100))
    same(model(on(device, system.dtype)(X), system), model(X, system), device)


def test_whole_numbers_are_equal(device):
    system, model = INT64.in_units_of(Fraction(1, 4)), yun2020.selective_shift(inverse_delta=2, n=2, d=1)
    L = 2 * Grid(2, 2, 1).sequences()
    expected = model(L, system)
    for found in (model(L.to(device), system), model(L, system.on(device)), model(L.numpy(), system.on(device))):
        same(found, expected, device)


def test_a_lowered_model_takes_what_comes_to_its_weights(device):
    model, X = Transformer([FeedForward([[1]], [0], [[2]])]), np.array([[1.0, -1.0]])
    same(model.lower(FLOAT64)(on(device)(X)), [[3.0, -1.0]], "cpu")
    same(model.lower(FLOAT64.on(device))(torch.tensor(X)), [[3.0, -1.0]], device)


# -------------------------------------------------------------------------------------- what follows its first argument

A = RNG.normal(size=(3, 4))
X = RNG.normal(size=(2, 2, 3))
Q, K, V = RNG.normal(size=(3, 2, 2))
E, F = RNG.normal(size=(2, 3, 2))
NEAR = [[0, 1], [1], [0, 2]]
UNIT = RNG.uniform(size=(5, 1, 2))
CENTERS, VALUES = liu2025.grid_centers(6, 1, 2), RNG.normal(size=(36, 2, 1))
SEEN = np.array([True, True, False, True])
CELLS = MaxAffine([[0, 1, -1]], [0, Fraction(1, 2), 0])
L, EXTENDED = Grid(3, 3, 2).sequences(0, 500).numpy(), Grid(2, 2, 2).sequences(extended=True).numpy()
IDS = yun2020.context_ids(Grid(2, 2, 1).sequences(), inverse_delta=2).astype(np.int64)
BUILDS = {
    "yun2020": lambda: yun2020.build(mean_product(2), inverse_delta=2),
    "yun2020, places": lambda: yun2020.build(running_mean(2), inverse_delta=2, positional=True),
    "kajitsuka2024": lambda: kajitsuka2024.build(mean_product(2), inverse_delta=2, duplicates="keep"),
    "liu2025": lambda: liu2025.build(mean_product(2), inverse_delta=2),
    "liu2025, smoother": lambda: liu2025.build(mean_product(2), inverse_delta=2, form="smoother"),
    "cheng2025": lambda: cheng2025.build(mean_product(2), inverse_delta=2),
}
BUILT = {name: build() for name, build in BUILDS.items()}
PAIR = Target(lambda Z, source: Z * source, 1, 1, lipschitz=2, n_source=1, d_source=1)
BUILDS["cross"] = lambda: liu2025.build(PAIR, error=1.5, kind="cross")
CROSSING = BUILDS["cross"]()
ONE = RNG.uniform(size=(2, 5, 1, 1))


def tensor(values):
    return values if isinstance(values, torch.Tensor) else torch.from_numpy(values)


CALLS = {
    "Construction.__call__, cross": lambda at: CROSSING(at(ONE[0]), FLOAT64, source=at(ONE[1])),
    "Construction.shortcut, cross": lambda at: CROSSING.shortcut(at(ONE[0]), at(ONE[1])),
    **{f"Construction.shortcut, {k}": lambda at, g=g: g.shortcut(at(UNIT)) for k, g in BUILT.items()},
    **{f"Construction.__call__, {k}": lambda at, g=g: g(at(UNIT), FLOAT64) for k, g in BUILT.items()},
    **{
        f"Target.__call__, {f.name}": lambda at, f=f: f(at(UNIT))
        for f in (mean_product(2), bump(2), running_mean(2), cyclic_difference(2))
    },
    "Target.__call__, pair": lambda at: PAIR(at(ONE[0]), at(ONE[1])),
    "quantize": lambda at: quantize(at(UNIT), inverse_delta=3),
    "StepFunction.__call__": lambda at: step_function(bump(2), inverse_delta=3)(at(UNIT)),
    "Kernel.log": lambda at: RBF(1).log(at(X), at(X[::-1].copy())),
    "DOT.log": lambda at: DOT.log(at(X), X),
    "RBF.log": lambda at: RBF(1).log(X, at(X)),
    "CONSTANT.log": lambda at: CONSTANT.log(at(X), at(X)),
    "attention_weights": lambda at: attention_weights(at(X), at(Q), at(K), RBF(1), NEAR),
    "attention_weights, ints": lambda at: attention_weights(at([[0, 1, 2], [1, 1, 0]]), Q, K),
    "linformer": lambda at: linformer(at(X), at(Q), K, at(V), E, at(F)),
    "skyformer": lambda at: skyformer(at(X), Q, at(K), at(V)),
    "bias_attention": lambda at: bias_attention(at(X), 0.5, at(Q), at([0, 0.5]), "gelu", NEAR),
    "cyclic_convolution": lambda at: cyclic_convolution(at(X), at([1, 0.5])),
    **{
        name: lambda at, name=name: getattr(boltzmann_operator, name)(at(A), at(SEEN))
        for name in ("boltz", "gradient", "second_derivative", "hessian", "log_partition", "entropy")
    },
    **{
        f"MaxAffine.{name}": lambda at, name=name: getattr(CELLS, name)(at(UNIT))
        for name in ("components", "__call__", "partition", "indicator", "margin")
    },
    "smoother": lambda at: liu2025.smoother(at(UNIT), at(CENTERS), at(VALUES), 3.0),
    "smoother, by distances": lambda at: liu2025.smoother(at(UNIT), CENTERS, VALUES, 1e8),
    "grid_smoother": lambda at: grid_smoother(at(UNIT), 6, 1, at(VALUES), 3.0),
    "context_ids_int64": lambda at: context_ids_int64(tensor(at(L)), inverse_delta=3),
    "context_ids_int64, sentinels": lambda at: context_ids_int64(tensor(at(EXTENDED)), inverse_delta=2),
    "context_ids_int64, places": lambda at: context_ids_int64(tensor(at(L)), inverse_delta=3, positional=True),
    "categories": lambda at: categories(tensor(at(EXTENDED))),
    "column_ids": lambda at: column_ids(at(L), inverse_delta=3),
    "column_ids, floats": lambda at: column_ids(at(UNIT), inverse_delta=3),
    "ValueMap.at_ids": lambda at: BUILT["yun2020"].shortcut.value_map.at_ids(at(IDS)),
}
"""Of `at`, which makes numbers an array or a tensor there."""


@pytest.mark.parametrize("name", CALLS)
def test_a_tensor_gives_one_there_with_the_numbers_of_an_array(name, device):
    with ELSEWHERE:
        found = CALLS[name](on(device))
    called, _, of = name.partition(", ")
    layers = called == "Construction.__call__"
    same(found, CALLS[name](np.asarray), device, largest_weight({**BUILT, "cross": CROSSING}[of]) if layers else 1.0)


def largest_weight(network):
    return max(np.abs(w.astype(float)).max() for layer in network.model.layers for w in layer.weights().values())


@pytest.mark.parametrize("name", BUILT)
@pytest.mark.parametrize("seed", range(5))
def test_another_order_of_their_sums_is_as_near(name, seed):
    """Without a GPU: hidden units are shuffled, which is another order of the same sums."""
    network, rng, layers = BUILT[name], np.random.default_rng(seed), []
    for layer in network.model.layers:
        if isinstance(layer, FeedForward):
            order = rng.permutation(len(layer.w_1))
            bias = None if layer.b_1 is None else layer.b_1[order]
            layer = replace(layer, w_1=layer.w_1[order], b_1=bias, w_2=layer.w_2[:, order])
        layers.append(layer)
    X = rng.uniform(size=(500, 1, 2))
    found = replace(network, model=Transformer(layers))(X, FLOAT64)
    same(found, network(X, FLOAT64), "cpu", largest_weight(network))


def test_single_floats_stay_single(device):
    for call in (CALLS["smoother"], CALLS["boltz"], CALLS["linformer"], CALLS["quantize"]):
        found = call(lambda values: single(values, device))
        assert found.dtype == torch.float32
        same(found, call(lambda values: single(values, "cpu")), device)


def single(values, device):
    tensor = on(device)(values)
    return tensor.float() if tensor.is_floating_point() else tensor


# ------------------------------------------------------------------------------- what takes a device, and gives numbers

MEMORY = memorise([[1, 2, 3], [1, 2, 4]], [[5, 6, 7], [8, 9, 10]])
RANK_ONE = kajitsuka2024.rank_one_attention([1, 2, 3], 2)

NUMBERS = {
    "visible_ids": lambda device: [
        z.tolist() for (z,) in kajitsuka2024.visible_ids(RANK_ONE, [1, 2, 3], 2, FLOAT64.on(device)).values()
    ],
    "collisions": lambda device: [*kajitsuka2024.collisions(RANK_ONE, [1, 2, 3], 2, FLOAT64.on(device))],
    "Memory.errors": lambda device: MEMORY.errors(FLOAT64.on(device)) < 1e-9,
    "first_wrong_id": lambda device: [first_wrong_id(FLOAT64.on(device), 2, largest=12) is None],
    "boltz, of an array": lambda device: kajitsuka2024.boltz(A, system=FLOAT64.on(device)),
    "gradient, of an array": lambda device: kajitsuka2024.gradient(A, SEEN, system=FLOAT64.on(device)),
    "additive": lambda device: masks.additive(on(device)(SEEN)) == 0,
    "combine": lambda device: masks.combine(on(device)(masks.causal(4)), masks.padding(3, 4)),
    "from_additive": lambda device: masks.from_additive(on(device)(np.where(SEEN, 0, -np.inf))),
    "context_ids": lambda device: yun2020.context_ids(on(device)(L), inverse_delta=3).astype(np.int64),
    "distances": lambda device: distances(on(device)(A), A + 1).astype(float),
    "find_violation": lambda device: [find_violation(on(device)(L[:2]), on(device)([[0, 1, 2], [0, 1, 2]])).clause],
    "sup_distance": lambda device: [sup_distance(lambda X: X, lambda X: X / 2, on(device)(UNIT)).value],
    "Head": lambda device: Head(*map(on(device), (Q, K, V, Q))).w_v,
    "MaxAffine": lambda device: MaxAffine(on(device)([[0, 1]]), on(device)([0, 0.5])).A.astype(float),
}
"""Numbers and arrays of NumPy come out."""


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_those_of_the_cpu(name, device):
    found, expected = (np.array(NUMBERS[name](place)) for place in (device, "cpu"))
    same(torch.from_numpy(found), expected, "cpu")


@pytest.mark.parametrize("name", BUILDS)
def test_where_torch_makes_tensors_is_no_matter_to_a_network(name, device):
    """Of NumPy are its weights and figures, also where a program has said `torch.set_default_device`."""
    expected = {**BUILT, "cross": CROSSING}[name]
    with torch.device(device):
        found = BUILDS[name]()
        assert found.certify().holds
    for ours, theirs in zip(found.model.layers, expected.model.layers, strict=True):
        for weight, other in zip(ours.weights().values(), theirs.weights().values(), strict=True):
            assert (weight == other).all()


MIXERS = {
    "check_mixer": lambda: cheng2025.check_mixer(
        lambda X, theta: X @ torch.softmax(theta * X.mT @ X, dim=0), parameters=1, n=2, d=1, group="symmetric"
    ),
    "distinguishes": lambda: cheng2025.distinguishes(cheng2025.kernel("exp"), [cheng2025.pattern("full", 3)], d=2),
}


@pytest.mark.parametrize("name", MIXERS)
def test_nor_to_a_question_about_a_mixer(name, device):
    with torch.device(device):
        found = MIXERS[name]()
    assert found.verdict == MIXERS[name]().verdict


def test_answers_there_are_right(device):
    """By the statement, not by the CPU: all labels are recalled."""
    assert kajitsuka2024.certify(MEMORY, system=FLOAT32.on(device)).holds


# ---------------------------------------------------------------------------------------------------- none is forgotten

INSIDE = {"forward", "lower", "mix", "scores", "weights"}
"""Of layers and kernels: models run them."""
OF_MODELS = {"Transformer.__call__", "Transformer.trace", "to_module", "MultiheadAttentionLayer.__init__"}
OF_MODELS |= {"FLOAT32.on", "FLOAT64.on", "INT64.on"}


def functions():
    """The public functions and methods, by name."""
    for place, name in NAMES:
        value = getattr(import_module(place), name)
        if inspect.isfunction(value):
            yield name, value
        else:
            kind = value if inspect.isclass(value) else type(value)
            own = [f"{name}.{key}" for key in dir(kind) if not key.startswith("_") or key in ("__init__", "__call__")]
            if place == "uatlib.arithmetic":
                own = [key for key in own if key.endswith(".on")]  # the rest is what models run
            yield from ((key, getattr(kind, key.split(".")[1])) for key in own if key.split(".")[1] not in INSIDE)


def takes_a_device(function):
    """By its signature: a device or a system, or numbers and tensors, where tensors come out."""
    if not (inspect.isfunction(function) or inspect.ismethod(function)) or not function.__module__.startswith("uatlib"):
        return False
    takes, _, gives = str(inspect.signature(function)).partition(" -> ")
    if re.search(r"\b([dD]evice|Arithmetic)\b", takes):
        return True
    return bool(re.search(r"\b(Numbers|Tensor)\b", takes)) and gives.strip("'") in ("Any", "N", "Tensor")


def test_every_public_function_that_takes_a_device_is_called():
    found = {name for name, function in functions() if takes_a_device(function)}
    assert {"FLOAT64.on", "smoother", "boltz", "to_module", "collisions", "Construction.__call__"} <= found
    assert found - {name.split(",")[0] for name in (*CALLS, *NUMBERS)} - OF_MODELS == set()
