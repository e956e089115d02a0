"""Records of runs that take longer than a build may: JSON files in `FOLDER`, by programs of `benchmarks/`."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from uatlib.checks import whole
from uatlib.internal import writing

FOLDER = Path(__file__).parent / "data"
"""Of the records, which are installed with the package."""


def read(path: Path, command: str) -> dict[str, object]:
    """The record; ValueError if there is no such file."""
    try:
        found: dict[str, object] = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        hint = f"write one with `python {command} --record {path}`"
        raise ValueError(f"{path}: expected the record of a run, could not read it ({error}); {hint}.") from None
    return found


def origin(path: Path, command: str, processes: int = 1) -> dict[str, object]:
    """By which command, when, where and with what a record was written."""
    used = "one was" if processes == 1 else f"{processes} were"
    return {
        "command": f"python {command} --record uatbook/{path.parent.name}/{path.name}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores, of which {used} used",
        "versions": {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__},
    }


def write(path: Path, header: Mapping[str, object], **lists: Sequence[object]) -> None:
    """The header, then the lists by their names, one entry a line. The file is whole at any time."""
    text = json.dumps(header, indent=1).removesuffix("\n}")
    for name, entries in lists.items():
        text += f',\n "{name}": [\n' + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n ]"
    path.parent.mkdir(exist_ok=True)
    writing.write(path, text + "\n}\n")


def program(
    record: Callable[[Path, int, Path | None], None],
    command: str,
    description: str,
    arguments: Sequence[str] | None = None,
) -> None:
    """The command line of a program that records; a ValueError ends it with its text.

    --record FILE, and --processes and --cache for runs side by side, which are written in their order: one that comes
    before its turn is kept in the cache, if there is one.
    """
    parser = argparse.ArgumentParser(f"python {command}")
    parser.description = description
    parser.add_argument("--record", type=Path, required=True, help="JSON file; runs that are in it are not run again")
    parser.add_argument("--processes", type=int, default=1, help="so many seeds side by side")
    parser.add_argument("--cache", type=Path, help="folder of runs that came before their turn, for one that is killed")
    chosen = parser.parse_args(arguments)
    try:
        record(chosen.record, whole("--processes", chosen.processes, 1, 10_000), chosen.cache)
    except ValueError as error:
        parser.error(str(error))
