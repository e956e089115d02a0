"""Models as JSON: rationals as "p/q", all numbers in hexadecimal, so that nothing is rounded; with a checksum.

A file names the kind of each part. What may be named are the classes derived from `Saved` that give a `kind` of their
own; reading builds those and runs no other code.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from .. import checks
from . import writing

FORMAT = "uatlib.Transformer"
VERSION = 4
"""3 brought the checksum, 4 every kind of layer; older files, in which nobody could see a change, are not read."""


Settings = Mapping[str, Any]
"""What a part is made of, by name."""
MOST_BYTES = 2**30
"""Of a file that is read: far more than the largest model takes whose weights are short."""


class Saved:
    """Frozen data that a file can hold under the name `kind`. A subclass with a `kind` of its own is known to files."""

    kind: ClassVar[str] = ""
    KINDS: ClassVar[dict[str, type[Saved]]] = {}

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "kind" in cls.__dict__:
            known = Saved.KINDS.setdefault(cls.kind, cls)
            if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
                raise checks.refused("kind", "a name of its own", cls.kind, f"{known.__qualname__} has this one")
            Saved.KINDS[cls.kind] = cls

    def settings(self) -> Settings:
        """What it is made of beside weights, by name: texts, truth values, whole numbers, arrays, and `Saved`."""
        return {}

    @classmethod
    def from_settings(cls, weights: Settings, settings: Settings) -> Self:
        """The one with these `settings()`, and weights if it has any."""
        return cls(**weights, **settings)

    def __reduce__(self) -> tuple[partial[Self], tuple[()]]:
        # pickle and deepcopy go through the constructor: a copied array would be writable.
        return partial(type(self), **{field.name: getattr(self, field.name) for field in fields(self)}), ()  # type: ignore[arg-type]


def _require_known(part: object) -> None:
    if not isinstance(part, Saved) or Saved.KINDS.get(part.kind) is not type(part):
        known = f"parts that files can hold ({', '.join(sorted(Saved.KINDS))})"
        raise ValueError(f"save: expected {known}, got {type(part).__name__}; keep the code that builds it.")


def encode_layer(layer: Any) -> Settings:
    """The layer as JSON; ValueError if it, or a head, is no class that files know: it would come back as another."""
    for part in (layer, *getattr(layer, "heads", ())):
        _require_known(part)
    return encode(layer) | {"weights": {name: encode(array) for name, array in layer.weights().items()}}


def encode(value: object) -> Any:
    """A setting or weight as JSON."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Saved):
        _require_known(value)
        given = {name: setting for name, setting in value.settings().items() if setting is not None}
        return {"kind": value.kind} | {name: encode(setting) for name, setting in given.items()}
    array = value if isinstance(value, np.ndarray) else np.array(value, dtype=object)
    if array.dtype == bool:
        return array.tolist()
    is_float = array.dtype.kind == "f" or any(isinstance(entry, float) for entry in array.flat)
    data = [float(entry).hex() if is_float else _hexadecimal(entry) for entry in array.flat]
    return {"dtype": "float64" if is_float else "exact", "shape": list(array.shape), "data": data}


def _hexadecimal(value: int | Fraction) -> str:
    # Python reads and writes no decimal number of more than 4300 digits.
    return f"{value.numerator:#x}/{value.denominator:#x}" if isinstance(value, Fraction) else hex(value)


def decode(data: object) -> Any:
    """What `encode` or `encode_layer` made JSON of; all kinds of errors if it is damaged."""
    if isinstance(data, list):
        return np.array(data)
    if not isinstance(data, dict):
        return data
    if "dtype" in data:
        return _numbers(data)
    parts = {name: decode(value) for name, value in data.items() if name != "kind"}
    return Saved.KINDS[data["kind"]].from_settings(parts.pop("weights", {}), parts) if "kind" in data else parts


def _numbers(packed: Settings) -> Any:
    """The array; a number by itself if it has no axes."""
    if packed["dtype"] not in ("exact", "float64"):
        raise ValueError(f"expected dtype exact or float64, got {checks.shown(packed['dtype'])}")
    is_exact = packed["dtype"] == "exact"
    result = np.empty(len(packed["data"]), dtype=object if is_exact else np.float64)
    result[:] = [
        Fraction(*(int(part, 0) for part in entry.split("/"))) if is_exact else float.fromhex(entry)
        for entry in packed["data"]
    ]
    return result.reshape(packed["shape"])[()]


def _checksum(data: Settings) -> str:
    """SHA-256 of the content, however the file lays it out."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def write(path: str | Path, content: Settings) -> None:
    """Write JSON with format, version and checksum; ValueError if that cannot be done, and the file is as it was."""
    data, file = {"format": FORMAT, "version": VERSION, **content}, checks.path("path", path)
    try:
        if file.exists() and not file.is_file():
            raise checks.refused("path", "a file", path, "it is a folder or a device")
        writing.write(file, json.dumps(data | {"sha256": _checksum(data)}))
    except OSError as error:
        raise checks.refused("path", f"a file that can be written ({_reason(error)})", path) from None


def read(path: str | Path) -> Settings:
    """The content of a file of this or an earlier version; ValueError if it is no such file, or its sum is wrong."""
    file = checks.path("path", path)
    try:
        # A device has no size, and no end.
        if (status := file.stat()).st_size > MOST_BYTES or not stat.S_ISREG(status.st_mode):
            raise checks.refused("path", f"a file of at most {MOST_BYTES:,} bytes", path)
        text = file.read_bytes()
    except OSError as error:
        raise checks.refused("path", f"a file that can be read ({_reason(error)})", path) from None
    try:
        data = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _no_model(path, "a file written by Transformer.save", f"no JSON ({error})") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _no_model(path, "a file written by Transformer.save", "another format")
    if type(data.get("version")) is not int or data["version"] not in range(3, VERSION + 1):
        got = f"{checks.shown(data.get('version'))}; write it again, or update uatlib"
        raise _no_model(path, f"format version 3 to {VERSION}", got)
    content = {name: value for name, value in data.items() if name != "sha256"}
    if data.get("sha256") != _checksum(content):
        raise _no_model(path, "a whole model", "a damaged file (its checksum is not that of its content)")
    return content


def _no_model(path: object, expected: str, got: str) -> ValueError:
    return ValueError(f"path {checks.cut(str(path))}: expected {expected}, got {got}.")
