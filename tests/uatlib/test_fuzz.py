"""Wrong arguments to public names: a sample of the long run, its record, and calls that once crashed or never ended."""

import ast
import inspect
import itertools
import json
import math
from collections import ChainMap, UserDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from fractions import Fraction
from functools import reduce
from numbers import Number
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest
import torch

from explorables import Control, explore
from uatbook import exercises, live, statements
from uatbook.cheng2025.distinguishing import spread_sums
from uatbook.cheng2025.mixing_terms import skyformer
from uatbook.interpolation import interpolating_layer
from uatbook.kajitsuka2024.experiment.token_classification import synthetic
from uatbook.kajitsuka2024.label_networks import positional_encoding
from uatbook.liu2025.max_affine import MaxAffine, indicator_attention
from uatbook.yun2020 import trained_mixers
from uatlib import kajitsuka2024, masks, yun2020
from uatlib.arithmetic import BALL, FLOAT64, Ball
from uatlib.contexts import find_violation
from uatlib.grids import Grid, quantize, step_function
from uatlib.kajitsuka2024 import boltzmann_spacing, relu_steps
from uatlib.layers import Attention, LinearSum
from uatlib.metrics import equivariance_error, lp_distance, sup_distance
from uatlib.model import Transformer
from uatlib.targets import Target, bump, cyclic_difference, mean_product, running_mean
from uatlib.torch_model import MultiheadAttentionLayer, to_module
from uatlib.yun2020 import ids, quantizer_layers
from uatlib.yun2020.value_lookup import ValueMap

from . import fuzzing
from .fuzzing import TooSlow, endless, limits, try_once
from .public_names import EXAMPLES, cells_of_three, drawn, explorer, feed_forward, head, identity, model, network, zero

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "data" / "fuzz.json"
CALLS = [(place, name) for place, examples in EXAMPLES.items() for name in examples]
SAMPLE = 4
"""Calls of each name here; the record has more."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("place", "name"), CALLS, ids=map(".".join, CALLS))
def test_wrong_arguments_are_refused_in_words(place, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed in range(SAMPLE):
        wrong, came, put = try_once(name, EXAMPLES[place][name], seed)
        assert not wrong, f"call {seed} with {put}: {wrong}: {came}"


def held(value, depth=0):
    """All that a result is made of, with the types of its numbers; of functions their kind alone, no times."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, held(value.ravel().tolist(), depth)
    if isinstance(value, Mapping):
        return {str(key): held(part, depth + 1) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [held(part, depth + 1) for part in value]
    if is_dataclass(value) and depth < 7:
        named = {key: part for key, part in vars(value).items() if "seconds" not in key}
        return type(value), held(named, depth + 1)
    return type(value), repr(value) if isinstance(value, (Number, str, bool, Ball)) else ""


def as_numpy(value, kind):
    """A number that fits as one of NumPy's; all else as it is."""
    if issubclass(kind, np.floating):
        fits = type(value) is float and float(kind(value)) == value
    else:
        fits = type(value) is int and np.iinfo(kind).min <= value <= np.iinfo(kind).max
    return kind(value) if fits else value


RECORDS = {"Row"}
"""Data that nobody passes on: `compare` fills it."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint64, np.float32])
def test_numbers_of_numpy_are_as_good_as_pythons(kind, tmp_path, monkeypatch):
    """And are Python's from there on: 4 * np.uint8(86) is 88."""
    monkeypatch.chdir(tmp_path)
    tried = 0
    for place, name in CALLS:
        case = EXAMPLES[place][name]()
        numpys = {key: as_numpy(value, kind) for key, value in case.arguments.items()}
        if name not in RECORDS and [*map(type, numpys.values())] != [*map(type, case.arguments.values())]:
            assert held(case.call(numpys)) == held(EXAMPLES[place][name]().call(case.arguments)), f"{place}.{name}"
            tried += 1
    assert tried > (10 if issubclass(kind, np.floating) else 60)


@pytest.mark.parametrize("statement", statements.all(), ids=lambda statement: statement.id)
def test_a_statement_takes_numpys_whole_numbers(statement):
    """Looked at where it is built: what is measured then is the same."""
    seen = []
    fields = {f.name: getattr(statement, f.name) for f in dataclass_fields(statement) if f.init}

    def build(**given):
        seen.append(given)
        raise LookupError

    build.__signature__ = inspect.signature(statement.build)
    spied = type(statement)(**fields | {"build": build, "certify": lambda built: built})
    values = {name: as_numpy(value, np.int8) for name, value in statement.parameters().items()}
    for run in (spied.verify, spied.perturb):
        with pytest.raises(LookupError):
            run(**values)
        given = {name: value for name, value in seen.pop().items() if name != "variant"}
        assert held(given) == held(statement.parameters())


@pytest.mark.parametrize("statement", statements.all(), ids=lambda statement: statement.id)
def test_a_statement_of_any_size_runs_or_is_refused_at_once(statement):
    """Before anything is made of that size."""
    for name, value in statement.parameters().items():
        if isinstance(value, (int, float, Fraction, type(None))) and not name.endswith("seed"):
            for size in (10**9, 2**63, 10**30):
                with limits(), suppress(ValueError):
                    statement.verify(**{name: size})


LARGE = {
    "range": lambda: range(10**9),
    "count": itertools.count,
    "rows": lambda: WIDE,
    "columns": lambda: np.broadcast_to(0.5, (10**9, 1, 2)),
    "endless list": lambda: fuzzing.Endless([1]),
    "endless mapping": fuzzing.Liar,
    "text": lambda: "x" * 10**6,
    "name": lambda: {"x" * 10**5: 1},
    **{f"2^{k}": lambda k=k: 2**k for k in (30, 63, 20_000)},
}
PICTURES = [name for place, name in CALLS if name.startswith("live.")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PICTURES)
def test_a_live_picture_refuses_what_is_too_large(name):
    """For each of its parameters, and in other sizes than pages have."""
    assert {f"live.{kind}" for kind in live.__all__ if hasattr(getattr(live, kind), "picture")} == {*PICTURES}
    for key in EXAMPLES["uatbook"][name]().arguments:
        for large in LARGE:
            case = EXAMPLES["uatbook"][name]()
            wrong, came = fuzzing.attempt(case, case.arguments | {key: LARGE[large]()}, [key])
            assert not wrong, f"{key} = {large}: {wrong}: {came}"
            assert came != "a value", f"{key} = {large} is taken"


CHECKERS = {"whole", "rational", "positive", "finite", "number", "rationals", "seed", "exponent", "double", "real"}
TRIED = {"uatbook/live/parsers.py": "asked whether it is a number", "uatlib/checks.py": "number itself"}


@pytest.mark.parametrize("package", ["uatlib", "uatbook"])
def test_what_was_checked_is_what_is_used(package):
    """A parser of numbers whose result nobody takes: the number of NumPy goes on, and wraps around."""
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                called = node.value.func
                name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                where = path.relative_to(ROOT).as_posix()
                assert name not in CHECKERS or where in TRIED, f"{where}:{node.lineno}: {ast.unparse(node)}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("place", "name"), CALLS, ids=map(".".join, CALLS))
def test_a_function_of_other_arguments_is_refused(place, name, tmp_path, monkeypatch):
    """What Python or NumPy raises where it is called is no error of the caller's own."""
    monkeypatch.chdir(tmp_path)
    functions = (len, np.add, divmod, itemgetter(3), lambda: 1, lambda a, b, c, d: a)
    for key, value in EXAMPLES[place][name]().arguments.items():
        if callable(value) and not isinstance(value, type):
            for f in functions:
                case = EXAMPLES[place][name]()
                wrong, came = fuzzing.attempt(case, case.arguments | {key: f}, [key])
                assert not wrong, f"{key} = {f}: {wrong}: {came}"


UNLOOKED = {
    "uatlib.certificate": {"witness"},
}
"""Arguments that may be anything."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("place", "name"), CALLS, ids=map(".".join, CALLS))
def test_each_argument_is_looked_at(place, name, tmp_path, monkeypatch):
    """Also where this call has no use for it."""
    monkeypatch.chdir(tmp_path)
    for key, value in EXAMPLES[place][name]().arguments.items():
        if value is None or isinstance(value, (int, float, Fraction, str)):
            case = EXAMPLES[place][name]()
            if name not in RECORDS and key not in UNLOOKED.get(place, ()):
                with pytest.raises((ValueError, KeyError), match=r"expected|takes"):
                    case.call(case.arguments | {key: object()})


def test_the_record_is_of_all_names_and_has_no_faults():
    record = json.loads(RECORD.read_text())
    assert list(record["names"]) == [f"{place}.{name}" for place, name in CALLS]
    assert sum(counts["faults"] for counts in record["names"].values()) == 0
    for counts in record["names"].values():
        assert counts["values"] + counts["refusals"] == counts["calls"]


WIDE = np.broadcast_to(0, (10**6, 10**6))
HANGS = {
    "build, p": lambda: yun2020.build(mean_product(2), inverse_delta=2, stage="relu", p=10**6),
    "lp_distance, n": lambda: lp_distance(identity, zero, n=10**30, d=1),
    "lp_distance, order": lambda: lp_distance(identity, zero, n=1, d=1, order=4000, cells=1),
    "lp_distance, samples": lambda: lp_distance(identity, zero, n=1, d=1, samples=10**12, method="monte carlo"),
    "Grid(10, 4, 2)": lambda: Grid(10, 4, 2).sequences(),
    "Grid(2, 40, 1)": lambda: Grid(2, 40, 1).sequences(),
    "synthetic": lambda: synthetic(184756, 10, 20),
    "ceiling": lambda: trained_mixers.ceiling("average", "near", 10**5 + 1),
    "with_bits": lambda: BALL.with_bits(10**9),
    "padding": lambda: masks.padding([1] * 16, 32768),
    "Target": lambda: Target(identity, 10**6, 10**4),
    "positional_encoding": lambda: positional_encoding(1, 10**5, 10**4),
    "sample": lambda: trained_mixers.sample("mean", 10**9, np.random.default_rng(0)),
    "column_vector": lambda: ids.column_vector(2, 10**30),
    "row_layers": lambda: quantizer_layers.row_layers(0, 10**30, 2, 1),
    "softmax_scale": lambda: yun2020.softmax_scale(2, 2, 10**30),
    "combine": lambda: masks.combine([[True, True], range(10**12)]),
    "a mask of endless rows": lambda: masks.combine([[True, True], range(10**30)]),
    "boltz": lambda: kajitsuka2024.boltz([1.0, 2.0], (range(10**12), True)),
    "a row many times": lambda: LinearSum([([[0.5] * 10**4] * 10**4, None)]),
    "pairs without end": lambda: LinearSum(np.broadcast_to(np.array(None), (10**6, 10**6))),
    "positions": lambda: explorer().positions(itertools.count()),
    "a value of a control": lambda: explorer().frame(height=WIDE),
    "load": lambda: Transformer.load("/dev/zero"),
    "indicator": lambda: indicator_attention(MaxAffine([[0] * 20_000], [0] * 20_000), 2, 1),
    "LinearSum": lambda: LinearSum(WIDE),
    "LinearSum, pairs": lambda: LinearSum([[WIDE, None]]),
    "Target, domain": lambda: Target(identity, 1, 1, domain=WIDE),
    "Target, group": lambda: Target(identity, 2, 1, group=[WIDE]),
    "lp_distance, domain": lambda: lp_distance(identity, zero, n=1, d=1, domain=np.broadcast_to(0.5, (10**9, 1, 2))),
    **{f.__name__: lambda f=f: f(200, 1000) for f in (bump, mean_product, running_mean, cyclic_difference)},
}


def itself():
    """An array that holds itself."""
    array = np.empty(1, object)
    array[0] = array
    return array


CRASHES = {
    "certify, seed": lambda: yun2020.certify(network(), seed=endless(1)),
    "check, seed": lambda: mean_product(2).check(seed=np.ones((1, 1))),
    "a Target of a list": lambda: mean_product(2)([[0, 1]]),
    "to_module": lambda: to_module(None),
    "ValueMap": lambda: ValueMap(None),
    "step_function": lambda: step_function(None, inverse_delta=2),
    "certify": lambda: yun2020.certify(None),
    "column_ids": lambda: ids.column_ids([[0, 1], [0]], inverse_delta=2),
    "domain": lambda: Target(identity, 1, 1, domain=(0, 10**400)),
    "interpolating_layer": lambda: interpolating_layer(
        [[0], [1]], [[1], [2]], [Fraction(1)], [Fraction(1), Fraction(1)]
    ),
    "predict, clip_layer": lambda: quantizer_layers.clip_layer(9, 2, 2, 2),
    "bump": lambda: relu_steps.bump(math.nan, 1),
    "find_violation": lambda: find_violation([[[0, 1]]], [[0]]),
    "from_additive": lambda: masks.from_additive([[0, 1j]]),
    "a mapping that is no dict": lambda: kajitsuka2024.boltz(UserDict({1.0: "a", 2.0: "b"})),
    "a chain of mappings": lambda: quantize([ChainMap({0: "a", 0.5: "b"})], inverse_delta=2),
    "an endless mapping": lambda: quantize(fuzzing.Liar(), inverse_delta=2),
    "an endless list": lambda: quantize(fuzzing.Endless([1]), inverse_delta=2),
    "1,000 deep": lambda: quantize(reduce(lambda deep, _: [deep, 1], range(1000), 1), inverse_delta=2),
    "100,000 deep": lambda: quantize(reduce(lambda deep, _: [deep, 1], range(100_000), 1), inverse_delta=2),
    "device": lambda: FLOAT64.on([[0.5] * 10**4] * 10**4),
    "spread_sums": lambda: spread_sums(itself()),
    "spacing_constant": lambda: boltzmann_spacing.spacing_constant({}),
    "get": lambda: exercises.get("x"),
    "prop-5": lambda: statements.get("yun2020:prop-5").verify(n=Fraction(2)),
    "prop-1": lambda: statements.get("kajitsuka2024:prop-1").verify(duplicates=np.array([100, -100])),
    "mixer-check": lambda: statements.get("cheng2025:mixer-check").perturb(damage=5),
    "lp_distance, norm": lambda: lp_distance(identity, zero, n=2, d=1, cells=2, norm="x"),
    "from_additive, numpy": lambda: masks.from_additive(np.array([[0, np.complex128(1j)]], dtype=object)),
}


@pytest.mark.parametrize("call", [*HANGS.values(), *CRASHES.values()], ids=[*HANGS, *CRASHES])
def test_what_once_hung_or_crashed_is_refused_at_once(call):
    try:
        with limits(), pytest.raises(ValueError, match=r"expected|limit") as caught:
            call()
        assert len(str(caught.value)) < 700
    except TooSlow:
        pytest.fail("over 5 s of the processor")


TENSORS = {
    "nested": fuzzing.nested,
    "jagged": lambda: fuzzing.nested(torch.jagged),
    "a nested parameter": lambda: torch.nn.Parameter(fuzzing.nested()),
    "a subclass": lambda: torch.ones(1, 2).as_subclass(fuzzing.Plain),
    "a hollow subclass": lambda: fuzzing.Hollow((1, 2)),
    "float8": lambda: torch.ones(1, 2).to(torch.float8_e4m3fn),
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(1, 2), 0.1, 0, torch.qint8),
    "meta": lambda: torch.ones(1, 2, device="meta"),
    "sparse": lambda: torch.eye(2).to_sparse_csr(),
    "a parameter without a shape": torch.nn.UninitializedParameter,
}
DOORS = {
    "X": [
        cells_of_three().components,
        mean_product(2),
        lambda X: Transformer([feed_forward()])(X, FLOAT64),
        lambda X: skyformer(X, [[1]], [[1]], [[1]]),
        lambda X: model()(X, BALL),
    ],
    "mask": [masks.additive],
    "device": [lambda device: MultiheadAttentionLayer(Attention([head()]), device=device)],
    "points": [lambda points: sup_distance(identity, zero, points)],
    "height": [
        lambda height: explorer().frame(height=height),
        lambda height: explore(display=False, height=height)(drawn),
        lambda height: explore(display=False, height=[height])(drawn),
    ],
    "values": [Control, lambda values: Control([values, 1])],
    "finer": [lambda finer: Control([1, 2], finer=finer)],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", TENSORS)
def test_tensors_that_hold_no_numbers_are_refused_at_every_door(kind):
    """Each has its own way to fail, some the process; where it is refused it must not even be shown."""
    for name, doors in DOORS.items():
        for door in doors:
            with pytest.raises(ValueError, match=f"{name}.*expected") as caught:
                door(TENSORS[kind]())
            assert len(str(caught.value)) < 400


def test_what_once_crashed_and_is_no_nonsense_is_answered():
    assert lp_distance(identity, zero, n=2, d=1, p=1, domain=(0, 1e100), cells=1).value > 1e299
    assert Control([1, 10**400]).values == (1, 10**400)
    assert equivariance_error(identity, np.ones((1, 1, 12))).value == 0


def test_a_step_function_takes_tensors_that_require_gradients():
    f = step_function(mean_product(2), inverse_delta=2)
    X = torch.tensor([[0.1, 0.9]], requires_grad=True)
    assert f(X).tolist() == f(X.detach().numpy()).tolist() == [[0.125, 0.375]]
    assert f([[Fraction(1, 10), Fraction(9, 10)]]).tolist() == [[Fraction(1, 8), Fraction(3, 8)]]


def test_the_judge_sees_each_kind_of_fault():
    """The harness itself: calls that raise, hang, take memory and say nothing are faults."""

    def door(kind):
        if kind == "hang":
            while True:
                pass
        faults = {"raw": KeyError("x"), "silent": ValueError("no"), "nameless": ValueError("expected 1, got 2.")}
        if kind in faults:
            raise faults[kind]
        return np.ones(2**30) if kind == "memory" else model()

    from .fuzzing import attempt, example

    case = example(door, "fine")
    found = {
        kind: attempt(case, {"kind": kind}, ["kind"])[0] for kind in ("fine", "raw", "silent", "nameless", "memory")
    }
    assert found == {
        "fine": "",
        "raw": "raw KeyError",
        "silent": "a ValueError without what was expected",
        "nameless": "a message that names no argument",
        "memory": "over 2 GiB",
    }
    assert attempt(case, {"kind": "hang"}, ["kind"])[0] == "over 5 s"
