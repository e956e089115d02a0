"""What a value is, in 32 bytes: equal content gives equal bytes, in every run and process.

Under these bytes results are kept. Of a function count its code, defaults, what it encloses, and the globals that it
reads: helpers and constants of the caller's own modules, followed wherever they lead. Of an object count its class and
what pickle would write of it, of arrays and tensors their numbers. Of what is installed, of Python and of this library
count names; the versions and the whole text of the library are in `function_digest`.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import __version__
from .checks import refused

CODE = (types.FunctionType, type, types.ModuleType)
INSIDE = {property: ("fget", "fset"), staticmethod: ("__func__",), classmethod: ("__func__",)}
INSIDE |= {functools.cached_property: ("func",), functools._lru_cache_wrapper: ("__wrapped__",)}
"""Where wrappers have what they wrap."""
DESCRIPTORS = (types.MemberDescriptorType, types.GetSetDescriptorType)


@functools.cache
def library_digest() -> bytes:
    """Of the version and of all source files of this library, and of the versions of what it computes with."""
    found = hashlib.sha256(f"{__version__}, {sys.version_info[:2]}, {np.__version__}, {torch.__version__}".encode())
    found.update(_version("flint").encode())
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        found.update(f"{path.relative_to(folder).as_posix()}\n".encode() + path.read_bytes())
    return found.digest()


class Fingerprints:
    """Digests of values; classes and modules are read once."""

    def __init__(self) -> None:
        self._code: dict[int, tuple[object, bytes]] = {}

    def digest(self, name: str, value: object) -> bytes:
        """32 bytes of its content; ValueError, which calls it `name`, where there is something without one in it."""
        found = hashlib.sha256()
        try:
            _Walk(found.update, self).add(value)
        except (TypeError, AttributeError, RecursionError, NotImplementedError) as error:
            expected = f"what is made of functions and data, so that results can be kept by its content ({error})"
            hint = "make such things inside the function, or take no cache"
            raise refused(name, expected, value, hint) from None
        return found.digest()

    def function_digest(self, f: Callable[..., Any]) -> bytes:
        """Of f and of the library. Errors as `digest`."""
        return hashlib.sha256(library_digest() + self.digest("f", f)).digest()

    def of_code(self, value: object) -> bytes:
        """The digest of a function, class or module and of all that it leads to; kept, unless it is a function."""
        known = self._code.get(id(value))
        if known is None:
            found = hashlib.sha256()
            _Walk(found.update, self, {}).add(value)
            known = (value, found.digest())
            if not isinstance(value, types.FunctionType):  # there may be a new one for each setting
                self._code[id(value)] = known
        return known[1]


class _Walk:
    """Writes a value piece by piece. With `seen`, code is written where it is met first, and numbered after."""

    def __init__(
        self, write: Callable[[bytes], object], prints: Fingerprints, seen: dict[int, tuple[int, object]] | None = None
    ) -> None:
        self.write, self.prints, self.seen = write, prints, seen
        self.open: dict[int, int] = {}

    def word(self, kind: str, content: bytes = b"") -> None:
        """Its length goes first, so that no two values are written alike."""
        self.write(f"{kind} {len(content)}:".encode() + content)

    def add(self, value: Any) -> None:
        kind = type(value)
        if value is None or value is Ellipsis or value is NotImplemented or kind is bool or kind is complex:
            self.word("constant", repr(value).encode())
        elif kind is int:
            self.word("int", hex(value).encode())
        elif kind is float:
            self.word("float", value.hex().encode())
        elif kind is str:
            self.word("str", value.encode("utf-8", "surrogatepass"))
        elif kind in (bytes, bytearray):
            self.word(kind.__name__, value)
        elif kind is np.ndarray and not value.dtype.hasobject:
            self.word("array", f"{value.dtype.descr} {value.shape}".encode())
            self.word("numbers", value.tobytes())
        elif isinstance(value, np.generic):
            self.word("number", value.dtype.str.encode() + value.tobytes())
        elif isinstance(value, torch.Tensor):
            self._tensor(value)
        elif isinstance(value, CODE):
            self._code(value)
        elif id(value) in self.open:
            self.word("again", str(len(self.open) - self.open[id(value)]).encode())
        else:
            self.open[id(value)] = len(self.open)
            self._inside(kind, value)
            del self.open[id(value)]

    def _inside(self, kind: type, value: Any) -> None:
        if kind in (tuple, list):
            self.several(kind.__name__, value)
        elif kind is dict:
            self.several("dict", [part for pair in value.items() for part in pair])
        elif kind in (set, frozenset):
            self.word(kind.__name__, b"".join(sorted(self.prints.digest("set", item) for item in value)))
        elif kind is np.ndarray:
            self.several(f"objects {value.shape}", value.ravel().tolist())
        elif kind is types.CodeType:
            self.several("code", [value.co_code, value.co_names, value.co_varnames, value.co_freevars])
            self.several("constants", value.co_consts)
        elif kind is types.MethodType:
            self.several("method", [value.__func__, value.__self__])
        elif kind is types.BuiltinFunctionType:
            owner = value.__self__
            self.several("builtin", [value.__module__, value.__qualname__])
            if owner is not None and not isinstance(owner, types.ModuleType):
                self.add(owner)
        elif kind in INSIDE:
            self.several(kind.__name__, [getattr(value, name) for name in INSIDE[kind]])
        else:
            self._reduced(value)

    def several(self, kind: str, parts: Any) -> None:
        self.word(kind, str(len(parts)).encode())
        for part in parts:
            self.add(part)

    def _reduced(self, value: Any) -> None:
        """As pickle takes it apart."""
        reducer = copyreg.dispatch_table.get(type(value))
        parts = reducer(value) if reducer else value.__reduce_ex__(4)
        if isinstance(parts, str):
            self.several("global", [getattr(value, "__module__", None), parts])
            return
        maker, arguments, state, items, pairs = (*parts, None, None, None)[:5]
        self.several("object", [maker, arguments, state, items and list(items), pairs and list(pairs)])

    def _tensor(self, value: torch.Tensor) -> None:
        if value.layout != torch.strided or value.is_quantized:
            raise TypeError(f"a tensor of layout {value.layout}")
        plain = value.detach().cpu().resolve_conj().resolve_neg().contiguous()
        about = f"{type(value).__name__} {value.dtype} {value.device.type} {value.requires_grad} {tuple(value.shape)}"
        self.word("tensor", about.encode())
        self.word("numbers", plain.reshape(-1).view(torch.uint8).numpy().tobytes())

    def _code(self, value: Any) -> None:
        if self.seen is None:
            self.word("code", self.prints.of_code(value))
        elif id(value) in self.seen:
            self.word("seen", str(self.seen[id(value)][0]).encode())
        else:
            self.seen[id(value)] = len(self.seen), value
            if isinstance(value, types.FunctionType):
                self._function(value)
            elif isinstance(value, type):
                self._class(value)
            else:
                self._module(value)

    def _function(self, f: types.FunctionType) -> None:
        cells = [_content(cell) for cell in f.__closure__ or ()]
        own = _is_own(f.__module__)
        self.several("function", [f.__module__, f.__qualname__, "" if own else _version(f.__module__)])
        self.several("body", [f.__code__, f.__defaults__, f.__kwdefaults__, cells])
        if own:
            read = sorted(_globals_of(f.__code__) & f.__globals__.keys())
            for name in read:
                self.several("global", [name, f.__globals__[name]])

    def _class(self, cls: type) -> None:
        self.several("class", [cls.__module__, cls.__qualname__])
        if not _is_own(cls.__module__):
            self.word("version", _version(cls.__module__).encode())
            return
        self.several("bases", cls.__bases__)
        for name, value in sorted(vars(cls).items()):
            if isinstance(value, DESCRIPTORS) or name == "_abc_impl":
                continue
            if not name.startswith("__") or isinstance(value, (types.FunctionType, *INSIDE)):
                self.several("attribute", [name, value])

    def _module(self, module: types.ModuleType) -> None:
        self.word("module", module.__name__.encode())
        if _is_own(module.__name__):
            self.word("file", Path(str(module.__file__)).read_bytes() if getattr(module, "__file__", None) else b"")
        else:
            self.word("version", _version(module.__name__).encode())


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # nothing in it yet
        return None


def _globals_of(code: types.CodeType) -> set[str]:
    """Names that code reads of its module, inner functions included."""
    read = {
        step.argval
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
    }
    return read.union(*(_globals_of(part) for part in code.co_consts if isinstance(part, types.CodeType)))


@functools.cache
def _is_own(module: str | None) -> bool:
    """Whether the caller may have written it: it belongs to no package that is installed, nor to this one."""
    root = (module or "builtins").partition(".")[0]
    if root == "__main__":
        return True
    if root in sys.stdlib_module_names or root == __package__:
        return False
    file = getattr(sys.modules.get(root), "__file__", None) or ""
    return not {"site-packages", "dist-packages"} & {*Path(file).parts}


def _version(module: str | None) -> str:
    root = sys.modules.get((module or "builtins").partition(".")[0])
    return str(getattr(root, "__version__", ""))
