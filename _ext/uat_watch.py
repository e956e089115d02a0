"""Runs in a kernel before its notebook, with ROOT given: `sys.uat_watch()` says which files of the project were read.

A module counts by where it was found, everything else when it is opened: what a run has not touched cannot have
changed it. The answer is JSON, and holds the largest memory of the process, in MiB, too.
"""

import json
import os
import sys
from typing import Any

ROOT = os.path.realpath(globals().get("ROOT", "."))
opened: set[str] = set()
written: set[str] = set()


def note(event: str, arguments: tuple[Any, ...]) -> None:
    """Remember a file that is opened."""
    if event == "open" and isinstance(arguments[0], str):
        mode, flags = arguments[1] or "", arguments[2] or 0
        writes = set(mode) & set("wax+") or flags & (os.O_WRONLY | os.O_RDWR)
        (written if writes else opened).add(os.path.realpath(arguments[0]))


def ours(path: str) -> bool:
    """Whether a file belongs to the project, neither built nor installed."""
    parts = os.path.relpath(path, ROOT).split(os.sep)
    inside = path.startswith(ROOT + os.sep) and not path.startswith(os.path.realpath(sys.prefix) + os.sep)
    return inside and not any(part.startswith((".", "_build", "__pycache__")) for part in parts)


def reads() -> str:
    """The files read so far that the run has not written, relative to ROOT; ours wherever they lie."""
    loaded = [(name, getattr(module, "__file__", None)) for name, module in [*sys.modules.items()]]
    modules = {name: os.path.realpath(path) for name, path in loaded if path}
    files = {path for path in {*opened, *modules.values()} - written if ours(path)}
    files |= {path for name, path in modules.items() if name.partition(".")[0] in ("uatlib", "uatbook")}
    names = [os.path.relpath(path, ROOT) if path.startswith(ROOT + os.sep) else path for path in files]
    answer: dict[str, Any] = {
        "reads": sorted(name.replace(os.sep, "/") for name in names if os.path.isfile(os.path.join(ROOT, name)))
    }
    if (most := peak()) is not None:
        answer["memory"] = most // 2**20
    return json.dumps(answer)


def peak() -> int | None:
    """The most memory that this program has held, in bytes, where the system says so."""
    try:
        with open("/proc/self/status", encoding="utf-8") as status:  # getrusage counts the program that started it, too
            return int(status.read().partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, IndexError):
        pass
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (1 if sys.platform == "darwin" else 1024)


sys.addaudithook(note)
sys.uat_watch = reads  # type: ignore[attr-defined]
