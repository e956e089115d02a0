"""Files: what they know, files of earlier versions, and damage."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import pkgutil
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest

import uatlib
from uatlib.arithmetic import FLOAT64
from uatlib.internal import files
from uatlib.internal.files import VERSION, Saved
from uatlib.kernels import Kernel
from uatlib.layers import Attention, FeedForward, Head, Layer, ThreePiece
from uatlib.model import Transformer

from .random_layers import CROSS, LAYERS, RESIZING

VERSION_3 = """
{
 "format": "uatlib.Transformer",
 "version": 3,
 "n": 2,
 "layers": [
  {
   "kind": "attention",
   "normalization": "hardmax",
   "mask": [
    [true, true],
    [false, true]
   ],
   "weights": {
    "head0.w_q": {"dtype": "exact", "shape": [1, 2], "data": ["0x1", "0x2"]},
    "head0.w_k": {"dtype": "exact", "shape": [1, 2], "data": ["0x1/0x3", "0x0"]},
    "head0.w_v": {"dtype": "exact", "shape": [1, 2], "data": ["-0x5", "0x400000000000000000"]},
    "head0.w_o": {"dtype": "float64", "shape": [2, 1], "data": ["0x1.999999999999ap-4", "0x1.8000000000000p+0"]},
    "head0.b_q": {"dtype": "exact", "shape": [1], "data": ["-0x7/0x2"]},
    "b_o": {"dtype": "exact", "shape": [2], "data": ["0x1", "0x2"]}
   }
  },
  {
   "kind": "feed-forward",
   "activation": {
    "breakpoints": {"dtype": "exact", "shape": [2], "data": ["0x0", "0x1/0x3"]},
    "slopes": {"dtype": "exact", "shape": [3], "data": ["0x0", "0x1", "0x0"]},
    "intercepts": {"dtype": "exact", "shape": [3], "data": ["0x0", "0x0", "-0x2"]}
   },
   "weights": {
    "w_1": {"dtype": "exact", "shape": [1, 2], "data": ["0x1", "0x0"]},
    "b_1": {"dtype": "exact", "shape": [1], "data": ["0x2"]},
    "w_2": {"dtype": "exact", "shape": [2, 1], "data": ["0x1", "0x0"]}
   }
  },
  {
   "kind": "feed-forward",
   "activation": "relu",
   "weights": {
    "w_1": {"dtype": "exact", "shape": [1, 2], "data": ["0x1", "0x0"]},
    "w_2": {"dtype": "float64", "shape": [2, 1], "data": ["0x1.0000000000000p+0", "0x1.0000000000000p-1"]}
   }
  }
 ],
 "sha256": "f02c040cf2351cb4102f9d2f88f58499da73feb76892967ece00d091b0e4626e"
}
"""
"""As version 3 wrote it."""


def subclasses(kind: type) -> set[type]:
    return {sub for direct in kind.__subclasses__() for sub in {direct, *subclasses(direct)}}


def test_every_layer_and_kernel_of_the_library_has_a_name_in_files() -> None:
    for module in pkgutil.walk_packages(uatlib.__path__, "uatlib."):
        if "__main__" not in module.name and "statements" not in module.name:
            importlib.import_module(module.name)
    own = [kind for base in (Layer, Kernel) for kind in subclasses(base) if kind.__module__.startswith("uatlib.")]
    assert len(own) >= 8
    for kind in own:
        if not kind.__subclasses__() or "kind" in kind.__dict__:
            assert Saved.KINDS[kind.kind] is kind


def test_files_of_version_3_load(tmp_path) -> None:
    (tmp_path / "model.json").write_text(VERSION_3)
    model = Transformer.load(tmp_path / "model.json")
    attention, stepped, plain = model.layers
    assert model.n == 2
    assert isinstance(attention, Attention)
    assert attention.mask.tolist() == [[True, True], [False, True]]
    assert (attention.normalization, attention.b_o.tolist()) == ("hardmax", [1, 2])
    head = attention.heads[0]
    assert (head.w_k.tolist(), head.w_v.tolist(), head.b_q.tolist()) == ([[Fraction(1, 3), 0]], [[-5, 2**70]], [-3.5])
    assert head.w_o.tolist() == [[0.1], [1.5]]
    assert stepped.activation == ThreePiece((0, Fraction(1, 3)), (0, 1, 0), (0, 0, -2))
    assert (plain.activation, plain.b_1, plain.w_2.tolist()) == ("relu", None, [[1], [0.5]])
    assert all(layer.skip for layer in model.layers)
    model.save(tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text())["version"] == VERSION == 4
    X = [[1, 2], [3, 4]]
    assert Transformer.load(tmp_path / "again.json")(X, FLOAT64).tolist() == model(X, FLOAT64).tolist()


@pytest.mark.parametrize("version", [1, 2, True, 3.0, None, 5])
def test_other_versions_are_refused(tmp_path, version: object) -> None:
    files.write(tmp_path / "model.json", json.loads(VERSION_3) | {"version": version})
    with pytest.raises(ValueError, match="expected format version 3 to 4, got "):
        Transformer.load(tmp_path / "model.json")


NUMBERS = {
    "floats": lambda *shape: np.resize([0.1, -0.0, 5e-324, -1.7e308, 1.0], shape),
    "few bits": lambda *shape: np.resize([1, 2.5, -3], shape).astype(np.float16),
    "fractions": lambda *shape: np.resize(np.array([Fraction(1, 3**10_000), 10**5000, -1], dtype=object), shape),
    "both": lambda *shape: np.resize(np.array([Fraction(1, 2), 3, 0.1], dtype=object), shape),
}


def held(value: object) -> object:
    """All that something is made of, with the types of its numbers; not what it has computed since."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.flags.writeable, held(value.ravel().tolist())
    if isinstance(value, (list, tuple)):
        return type(value), [held(part) for part in value]
    if hasattr(value, "__dict__"):
        later = {name for name, part in vars(type(value)).items() if isinstance(part, cached_property)}
        return type(value), {name: held(part) for name, part in vars(value).items() if name not in later}
    return type(value), value.hex() if isinstance(value, float) else value


@pytest.mark.parametrize("name", [*LAYERS, *RESIZING, *CROSS])
@pytest.mark.parametrize("kind", NUMBERS)
def test_every_layer_with_all_its_options_survives_files_and_copies(tmp_path, name: str, kind: str) -> None:
    model = Transformer([{**LAYERS, **RESIZING, **CROSS}[name](NUMBERS[kind])])
    model.save(tmp_path / "model.json")
    loaded = Transformer.load(str(tmp_path / "model.json"))
    assert held(loaded) == held(copy.deepcopy(model)) == held(pickle.loads(pickle.dumps(model))) == held(model)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_what_is_no_file_of_a_model_is_not_read() -> None:
    """A device has no end; and a model for more tokens than an array holds could not be written."""
    for path in ("/dev/zero", "/dev", "/" + "a" * 9000, "\ud800"):
        with pytest.raises(ValueError, match="path: expected"):
            Transformer.load(path)
        with pytest.raises(ValueError, match="path: expected"):
            Transformer([Attention([HEAD])]).save(path)
    with pytest.raises(ValueError, match="Transformer n: expected an int from 1"):
        Transformer([Attention([HEAD])], n=10**5000)


HEAD = Head([[1]], [[1]], [[1]], [[1]])
DAMAGE = {
    "unknown kind": lambda layer: layer.update(kind="os.system"),
    "a kernel as a layer": lambda layer: layer.update(kind="dot"),
    "kind no text": lambda layer: layer.update(kind=["attention"]),
    "unknown setting": lambda layer: layer.update(temperature=3),
    "unknown kernel": lambda layer: layer.update(kernel={"kind": "sharp"}),
    "a layer as a kernel": lambda layer: layer.update(kernel={"kind": "feed-forward"}),
    "kernel setting": lambda layer: layer.update(kernel={"kind": "rbf", "gamma": "many"}),
    "kernel setting missing": lambda layer: layer.update(kernel={"kind": "rbf"}),
    "kernel no object": lambda layer: layer.update(kernel="dot"),
    "pattern": lambda layer: layer.update(mask={"kind": "pattern", "keys": 1, "heard": [True], "lengths": [True]}),
    "mask of whole numbers": lambda layer: layer.update(mask=[[0, 1], [1, 1]]),
    "mask that hides all": lambda layer: layer.update(mask=[[False, True], [False, True]]),
    "mask no square": lambda layer: layer.update(mask=[[True], [True]]),
    "mask no array": lambda layer: layer.update(mask="none"),
    "mask of numbers": lambda layer: layer.update(mask={"dtype": "exact", "shape": [1, 1], "data": ["0x1"]}),
    "skip": lambda layer: layer["weights"]["head0.w_o"].update(shape=[1, 2], data=["0x1", "0x1"]),
    "a flag": lambda layer: layer.update(skip="no"),
    "weights twice": lambda layer: layer.update(heads=[]),
    "weight of no head": lambda layer: layer["weights"].update(w_q=layer["weights"]["head0.w_q"]),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_settings_are_refused(tmp_path, name: str) -> None:
    path = tmp_path / "model.json"
    Transformer([Attention([HEAD])]).save(path)
    data = files.read(path)
    DAMAGE[name](data["layers"][0])
    files.write(path, data)
    with pytest.raises(ValueError, match=r"model\.json: expected a whole model, got a damaged file"):
        Transformer.load(path)


@pytest.mark.parametrize("kind", sorted(kind for kind in Saved.KINDS if issubclass(Saved.KINDS[kind], Layer)))
def test_a_setting_that_a_layer_does_not_have_is_refused(tmp_path, kind: str) -> None:
    """Nor is one that is the library's own, but of another kind."""
    made = [make(NUMBERS["both"]) for make in {**LAYERS, **RESIZING, **CROSS}.values()]
    layers = {layer.kind: layer for layer in made}
    Transformer([layers[kind]]).save(tmp_path / "model.json")
    data = files.read(tmp_path / "model.json")
    for extra in ("extra", "count" if kind != "linear-sum" else "activation"):
        changed = copy.deepcopy(data)
        changed["layers"][0][extra] = 3
        files.write(tmp_path / "model.json", changed)
        with pytest.raises(ValueError, match=r"model\.json: expected a whole model, got a damaged file"):
            Transformer.load(tmp_path / "model.json")


def test_whole_numbers_of_any_length_in_settings(tmp_path) -> None:
    phi = ThreePiece((0, 10**5000), (0, 1, 0), (0, np.float64(0.1), Fraction(1, 3**9999)))
    Transformer([FeedForward([[1]], [0], [[1]], None, phi)]).save(tmp_path / "model.json")
    assert Transformer.load(tmp_path / "model.json").layers[0].activation == phi


def test_a_kind_is_one_class():
    """Else a file of a layer of ours could come back as a class of somebody else's."""
    with pytest.raises(ValueError, match=r"^kind: expected a name of its own, got 'attention'; Attention has this one"):
        type("Impostor", (Attention,), {"kind": "attention"})
    assert Saved.KINDS["attention"] is Attention
