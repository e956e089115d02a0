"""What a value is, in 32 bytes: equal content gives equal bytes, in every run and process.

Under these bytes results are kept. A value is written as pickle writes it, without its memory of what is the same
object, and what pickle writes by name is written by content: of functions and classes of the caller's own modules
their code and all that it reads, wherever it leads; of such modules the text. Of what is installed, of Python and of
`uatlib` count names; the versions and the whole text of the library are in `Fingerprints.of_function`.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import io
import pickle
import sys
import types
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np
import torch

import uatlib
from uatlib.checks import refused

CODE = (types.FunctionType, type, types.ModuleType)
CODE_PARTS: tuple[str, ...] = (
    *("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_cellvars"),
    *("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags"),
)
WRAPPERS = (property, staticmethod, classmethod, functools.cached_property, functools._lru_cache_wrapper)
WRAPPED = ("fget", "fset", "fdel", "__wrapped__", "func")
"""Where they have what they wrap."""
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


def text_digest(folder: Path) -> bytes:
    """Of all source files in the folder, by their places."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        text = path.read_bytes()
        found.update(f"{path.relative_to(folder).as_posix()} {len(text)}\n".encode() + text)
    return found.digest()


@functools.cache
def library_digest() -> bytes:
    """Of `uatlib`, and of the versions of what it computes with."""
    versions = (
        f"{uatlib.__version__}, {sys.version_info[:2]}, {np.__version__}, {torch.__version__}, {_version('flint')}"
    )
    return hashlib.sha256(versions.encode() + text_digest(Path(uatlib.__file__).parent)).digest()


class Fingerprints:
    """Digests of values; classes and modules are read once."""

    def __init__(self) -> None:
        self._code: dict[type | types.ModuleType, bytes] = {}

    def digest(self, name: str, value: object) -> bytes:
        """32 bytes of its content.

        Raises
        ------
        ValueError
            There is something without content in the value, such as a lock; it calls the value `name`.
        """
        try:
            return self.of_value(value)
        except Exception as error:  # what classes raise where they are asked for their content, and pickle for loops
            expected = f"what is made of functions and data, so that results can be kept by its content ({error})"
            hint = "make such things inside the function, or take no cache"
            raise refused(name, expected, value, hint) from None

    def of_function(self, f: Callable[..., Any]) -> bytes:
        """Of f and of the library. Errors as `digest`."""
        return hashlib.sha256(library_digest() + self.digest("f", f)).digest()

    def of_value(self, value: object, of_code: Callable[[Any], object] | None = None) -> bytes:
        """Of the value, with what `of_code` returns in the place of functions, classes and modules."""
        file = io.BytesIO()
        pickler = _Pickler(file, pickle.HIGHEST_PROTOCOL)
        pickler.prints, pickler.of_code, pickler.fast = self, of_code or self.of_code, True
        pickler.dump(value)
        return hashlib.sha256(file.getbuffer()).digest()

    def of_code(self, value: Any) -> bytes:
        """Of a function, class or module and of all that it leads to; what is met again stands there as its number."""
        if value in self._code:
            return self._code[value]
        numbers: dict[Any, int] = {}

        def parts(met: Any) -> object:
            if met in numbers:
                return numbers[met]
            numbers[met] = len(numbers)
            return _parts_of_code(met)

        found = self.of_value(value, parts)
        if not isinstance(value, types.FunctionType):  # what that encloses may change
            self._code[value] = found
        return found


class _Pickler(pickle.Pickler):
    """Asks `persistent_id` of each object, and writes what that returns in its place, the same way."""

    prints: Fingerprints
    of_code: Callable[[Any], object]

    def persistent_id(self, value: Any) -> object:
        kind = type(value)
        if isinstance(value, CODE):
            return "code", self.of_code(value)
        if kind is types.CodeType:
            return "body", [getattr(value, name) for name in CODE_PARTS]
        if isinstance(value, WRAPPERS):
            return "wrapper", kind, [getattr(value, name, None) for name in WRAPPED]
        if kind in (set, frozenset):
            return "set", kind, sorted(map(self.prints.of_value, value))
        if kind is np.ndarray:
            return "array", value.dtype, value.shape, value.tolist() if value.dtype.hasobject else value.tobytes()
        if isinstance(value, torch.Tensor) and value.layout is torch.strided and not value.is_quantized:
            plain = value.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8)
            about = kind, value.dtype, value.device.type, value.requires_grad, tuple(value.shape)
            return "tensor", about, plain.numpy().tobytes()
        return None


def _parts_of_code(value: Any) -> list[object]:
    """What counts of it."""
    is_module = isinstance(value, types.ModuleType)
    module, name = (value.__name__, "") if is_module else (value.__module__, value.__qualname__)
    own, parts = _is_own(module), [module, name, _version(module)]
    if isinstance(value, types.FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        parts += [value.__code__, value.__defaults__, value.__kwdefaults__, cells, _read_by(value) if own else ()]
    elif own and is_module:  # its text, and the modules that it has, or has something of
        parts.append(Path(value.__file__).read_bytes() if getattr(value, "__file__", None) else b"")
        there = [getattr(each, "__module__", getattr(each, "__name__", "")) for each in vars(value).values()]
        parts += [sys.modules[name] for name in sorted(sys.modules.keys() & there) if _is_own(name)]
    elif own:
        for name, attribute in sorted(vars(value).items()):
            is_code = isinstance(attribute, (types.FunctionType, *WRAPPERS))
            if is_code or not (name.startswith("__") or name == "_abc_impl"):
                parts += [name, attribute]
        parts.append(value.__bases__)
    return parts


def _read_by(f: types.FunctionType) -> list[tuple[str, object]]:
    """The globals that f reads."""
    codes: list[types.CodeType] = [f.__code__]
    for code in codes:  # with those of inner functions
        codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    steps = [step for code in codes for step in dis.get_instructions(code)]
    names = {step.argval for step in steps if step.opname in LOADS}
    return [(name, f.__globals__[name]) for name in sorted(names & f.__globals__.keys())]


@functools.cache
def _is_own(module: str | None) -> bool:
    """Whether the caller may have written it: it belongs to no package that is installed, nor to `uatlib`."""
    name = module or "builtins"
    root = name.partition(".")[0]
    if root == "__main__":
        return True
    if root in sys.stdlib_module_names or root == uatlib.__name__:
        return False
    found = (getattr(sys.modules.get(each), "__file__", None) for each in (name, root))
    file = Path(next(filter(None, found), ""))
    return not {"site-packages", "dist-packages"} & {*file.parts} and not _is_installed(file)


def _is_installed(file: Path) -> bool:
    """Whether an installer has put it there: `pip install --target` takes any folder, and leaves a record in it.

    What was installed to be edited has no record of its files.
    """
    for folder in {*file.parents} & {Path(entry) for entry in sys.path if entry}:
        row = f"{file.relative_to(folder).as_posix()},"
        for each in distributions(path=[str(folder)]):
            if any(line.startswith(row) for line in (each.read_text("RECORD") or "").splitlines()):
                return True
    return False


def _version(module: str | None) -> str:
    root = sys.modules.get((module or "builtins").partition(".")[0])
    return str(getattr(root, "__version__", ""))
