"""Equal content, equal bytes, in every process; whatever could change a result changes them."""

from __future__ import annotations

import abc
import enum
import functools
import importlib
import itertools
import subprocess
import sys
import threading
import warnings
import zipfile
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import uatlib
from uatbook.fingerprints import Fingerprints, library_digest
from uatlib import yun2020
from uatlib.targets import mean_product, running_mean


def digest(value: object) -> bytes:
    return Fingerprints().digest("value", value)


@dataclass(frozen=True)
class Case:
    n: int
    d: int = 1


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


Pair = namedtuple("Pair", "a b")


def itself(k: int) -> int:
    return itself(k - 1) if k else 0


def even(k: int) -> bool:
    return k == 0 or odd(k - 1)


def odd(k: int) -> bool:
    return k != 0 and even(k - 1)


def inner(k: int, step: int = 1) -> Any:
    def add(x: int) -> int:
        return x + k * step

    return add


RULES = {itself, even, odd, inner}
"""In an order that differs from process to process."""


class Abstract(abc.ABC):
    @abc.abstractmethod
    def value(self) -> int: ...


class Slotted:
    __slots__ = ("value",)


def try_one(f: Any) -> Any:
    try:
        f(1)
    except KeyError:
        return None
    f(2)


def try_both(f: Any) -> Any:
    try:
        f(1)
        f(2)
    except KeyError:
        return None


def reads_a_set(k: int) -> bool:
    return k in RULES


VALUES: dict[str, Any] = {
    "none": lambda: None,
    "true": lambda: True,
    "one": lambda: 1,
    "one as float": lambda: 1.0,
    "one as text": lambda: "1",
    "one as bytes": lambda: b"1",
    "zero": lambda: 0.0,
    "minus zero": lambda: -0.0,
    "nan": lambda: float("nan"),
    "long": lambda: 10**6000,
    "third": lambda: Fraction(1, 3),
    "list": lambda: [1, 2],
    "tuple": lambda: (1, 2),
    "nested": lambda: ((1,), 2),
    "pair": lambda: Pair(1, 2),
    "dict": lambda: {1: 2},
    "ordered": lambda: OrderedDict({1: 2}),
    "set": lambda: {"a", "b", "c", 1},
    "frozen set": lambda: frozenset({"a", "b", "c", 1}),
    "range": lambda: range(1, 3),
    "case": lambda: Case(1),
    "other case": lambda: Case(2),
    "red": lambda: Colour.RED,
    "blue": lambda: Colour.BLUE,
    "array": lambda: np.arange(2),
    "array of floats": lambda: np.arange(2.0),
    "array in a column": lambda: np.arange(2)[:, None],
    "array of objects": lambda: np.array([Fraction(1, 2), 1], dtype=object),
    "number": lambda: np.int64(1),
    "tensor": lambda: torch.arange(2),
    "half tensor": lambda: torch.ones(2, dtype=torch.bfloat16),
    "ones": lambda: torch.ones(2),
    "tensor with gradient": lambda: torch.ones(2, requires_grad=True),
    "scalar tensor": lambda: torch.tensor(1),
    "conjugate tensor": lambda: torch.tensor([1j]).conj(),
    "sparse tensor": lambda: torch.eye(2).to_sparse(),
    "layer of torch": lambda: torch.nn.ReLU(),
    "type": lambda: Case,
    "dtype": lambda: torch.float32,
    "module": lambda: np,
    "function": lambda: itself,
    "odd": lambda: odd,
    "even": lambda: even,
    "abstract class": lambda: Abstract,
    "class with slots": lambda: Slotted,
    "one in try": lambda: try_one,
    "two in try": lambda: try_both,
    "by place": lambda: lambda a, b: a - b,
    "by name": lambda: lambda a, *, b: a - b,
    "reads a set": lambda: reads_a_set,
    "set of functions": lambda: RULES,
    "builtin": lambda: max,
    "method of a value": lambda: [1, 2].index,
    "ufunc": lambda: np.add,
    "partial": lambda: partial(inner, 1),
    "partial with a name": lambda: partial(inner, k=1),
    "closure of 1": lambda: inner(1),
    "closure of 2": lambda: inner(2),
    "other default": lambda: inner(1, 2),
    "lambda": lambda: lambda x: x + 1,
    "another lambda": lambda: lambda x: x + 2,
    "cached": lambda: functools.lru_cache(itself),
    "generator of numbers": lambda: np.random.default_rng(1),
    "another seed": lambda: np.random.default_rng(2),
    "target": lambda: mean_product(2),
    "another target": lambda: running_mean(2),
    "network": lambda: yun2020.build(mean_product(2), inverse_delta=2),
    "larger network": lambda: yun2020.build(mean_product(2), inverse_delta=3),
}


def test_equal_content_has_equal_digests_and_other_content_others() -> None:
    found = {name: digest(make()) for name, make in VALUES.items()}
    assert found == {name: digest(make()) for name, make in VALUES.items()}
    same = [pair for pair in itertools.combinations(found, 2) if found[pair[0]] == found[pair[1]]]
    assert same == []


def test_identity_does_not_count() -> None:
    text = "".join(["a", "b"])
    assert digest((text, text)) == digest(("ab", "".join(["a", "b"])))
    assert digest(np.arange(6).reshape(2, 3).T) == digest(np.ascontiguousarray(np.arange(6).reshape(2, 3).T))


def test_numbers_of_a_quantized_tensor_are_not_all() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch gives such tensors up
        fine, coarse = (torch.quantize_per_tensor(torch.zeros(2), scale, 0, torch.quint8) for scale in (0.1, 0.2))
        assert digest(fine) != digest(coarse)


def test_what_a_function_encloses_may_change() -> None:
    prints, total = Fingerprints(), [1]

    def f() -> int:
        return sum(total)

    before = prints.digest("f", f)
    total.append(2)
    assert prints.digest("f", f) != before


def test_another_process_finds_the_same() -> None:
    code = "from tests.uatbook.test_fingerprints import *; print(*(digest(make()).hex() for make in VALUES.values()))"
    environment = {"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join([str(Path(__file__).parents[2]), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [digest(make()).hex() for make in VALUES.values()]


MODULE = """
import functools
import math
import {name}_helper as helper
from {name}_helper import twice

SCALE = {scale}
UNREAD = {unread}

class Base:
    def apply(self, x):
        return self.changed(x) + {base}

class Rule(Base):
    limit = {limit}
    def changed(self, x):
        return self.plain(x {sign} self.limit) + self.more
    @staticmethod
    def plain(x):
        return x + {static}
    @property
    def more(self):
        return {property}

@functools.lru_cache
def near(x):
    # {comment}
    return twice(x) * SCALE

def f(x):
    inside = lambda y: near(y) + helper.PLUS + helper.thrice(y) + getattr(helper, "BY_" + "NAME") + {inner}
    return Rule().apply(math.floor(inside(x)))
"""
HELPER = """
import {name}_far
PLUS = {plus}
BY_NAME = {by_name}
def twice(x, more={default}):
    return {factor} * x
def thrice(x):
    return 3 * {name}_far.one(x)
"""
FAR = """
def one(x):
    return {far} * x
"""
BEFORE: dict[str, Any] = {"scale": 2, "limit": 3, "sign": "+", "static": 1, "property": 1, "inner": 1} | {
    "base": 1,
    "default": 1,
    "plus": 1,
    "factor": 2,
    "far": 1,
    "by_name": 1,
    "unread": 1,
    "comment": "",
}


def of_module(folder: Path, monkeypatch: Any, **changes: Any) -> bytes:
    values = BEFORE | changes | {"name": "swept"}
    (folder / "swept.py").write_text(MODULE.format(**values), encoding="utf-8")
    (folder / "swept_helper.py").write_text(HELPER.format(**values), encoding="utf-8")
    (folder / "swept_far.py").write_text(FAR.format(**values), encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in ("swept", "swept_helper", "swept_far"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    return Fingerprints().of_function(importlib.import_module("swept").f)


def test_what_a_function_reads_counts_and_nothing_else(tmp_path: Path, monkeypatch: Any) -> None:
    before = of_module(tmp_path, monkeypatch)
    read = [name for name in BEFORE if name not in ("unread", "comment")]
    changed = {name: of_module(tmp_path, monkeypatch, **{name: "-" if name == "sign" else 5}) for name in read}
    assert [name for name in read if changed[name] == before] == []
    assert of_module(tmp_path, monkeypatch, unread=2, comment="other words") == before


INSTALLED = ("installed_whole/__init__.py", "installed_whole/part.py", "installed_one.py", "installed_space/part.py")
EDITED = ("edited.py", "edited_too/part.py")


def test_what_pip_installs_into_any_folder_counts_by_name_and_what_lies_beside_it_by_text(
    tmp_path: Path, monkeypatch: Any
) -> None:
    """Also where older tools have listed one's own files, in an egg-info."""
    about, folder, text = "installed-1.dist-info", tmp_path / "lib", "SCALE = {}\ndef f(x):\n    return SCALE * x\n"
    with zipfile.ZipFile(wheel := tmp_path / "installed-1-py3-none-any.whl", "w") as archive:
        for name in INSTALLED:
            archive.writestr(name, text.format(1))
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: installed\nVersion: 1\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "".join(f"{name},,\n" for name in archive.namelist()))
    options = ("--no-index", "--no-compile", "--quiet", "--target", folder)
    subprocess.run([sys.executable, "-m", "pip", "install", *options, wheel], check=True, capture_output=True)
    (folder / "edited.egg-info").mkdir()
    (folder / "edited.egg-info" / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: edited\nVersion: 1\n")
    (folder / "edited.egg-info" / "SOURCES.txt").write_text("\n".join(EDITED))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found: dict[str, set[bytes]] = {}
    for name, scale in itertools.product(INSTALLED + EDITED, (1, 2)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text.format(scale))
        importlib.invalidate_caches()
        module = importlib.import_module(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        found.setdefault(name, set()).add(digest(module.f))
        monkeypatch.delitem(sys.modules, module.__name__)
    assert [name for name, digests in found.items() if len(digests) == 1] == [*INSTALLED]


def test_the_library_counts_by_its_text(tmp_path: Path, monkeypatch: Any) -> None:
    folder = tmp_path / "uatlib"
    folder.mkdir()
    (folder / "a.py").write_text("one", encoding="utf-8")
    monkeypatch.setattr(uatlib, "__file__", str(folder / "__init__.py"))
    fresh = library_digest.__wrapped__
    one = fresh()
    assert fresh() == one != library_digest()
    (folder / "a.py").write_text("two", encoding="utf-8")
    two = fresh()
    (folder / "a.py").rename(folder / "b.py")
    monkeypatch.setattr(uatlib, "__version__", "0.0.0")
    assert len({one, two, fresh()}) == 3


def loop() -> Any:
    found: list[Any] = []
    found.append(found)
    return found


class Refuses:
    def __reduce__(self) -> Any:
        raise LookupError("nothing of me")


@pytest.mark.parametrize(
    "wrong",
    [threading.Lock(), sys.stderr, (k for k in ()), loop(), Refuses(), torch.ones(1, device="meta"), Case.__dict__],
    ids=lambda wrong: type(wrong).__name__,
)
def test_what_has_no_content_is_refused(wrong: Any) -> None:
    for value in (wrong, [wrong], lambda: wrong, partial(max, wrong), {"a": wrong}):
        with pytest.raises(
            ValueError, match=r"^value: expected what is made of functions and data, .*take no cache\.$"
        ):
            digest(value)
