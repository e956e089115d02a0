"""What a folder of submissions holds: files named after students, or folders with such files."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from uatlib.checks import refused

MOST_BYTES = 20 * 2**20
"""Of a file that is handed in."""
MOST_CELL = 200_000
"""Signs of a cell, which is parsed here."""
MOST_MAGIC = 100
"""Lines of a cell that only a notebook understands, or look so."""
KINDS = (".ipynb", ".py", ".json")


@dataclass
class Submission:
    """A file: the cells to run, or the answers that a page exported; whose it is, and what could not be read.

    `entry` is the name of the file, or of the folder of a student that holds it; `seeds` are those that its cells name.
    """

    student: str
    entry: str = ""
    seeds: set[str] = field(default_factory=set)
    cells: list[str] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read(folder: str | Path) -> list[Submission]:
    """The submissions of a folder: NAME.ipynb, NAME.py or NAME.json, or such files in a folder NAME.

    ValueError if it is no folder, or holds none.
    """
    place = Path(folder)
    if not place.is_dir():
        raise refused("folder", "a folder of submissions", str(folder))
    found = []
    for entry in sorted(place.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            found += within(entry)
        elif entry.suffix.lower() in KINDS:
            found.append(_submission(entry.stem, entry))
    if not found:
        raise refused("folder", f"files named after students, {', '.join(KINDS)}", f"none in {folder}")
    return found


def within(folder: Path) -> list[Submission]:
    """The files of a student's folder; one that says so where there are none."""
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in KINDS)
    nothing = Submission(folder.name, folder.name, problems=[f"There is no file of the kinds {', '.join(KINDS)}."])
    return [_submission(folder.name, file) for file in files if not _hidden(file.relative_to(folder))] or [nothing]


def _hidden(file: Path) -> bool:
    """Whether it is a copy that a program keeps, as in .ipynb_checkpoints."""
    return any(part.startswith((".", "__MACOSX")) for part in file.parts)


def _submission(entry: str, file: Path) -> Submission:
    made = Submission(entry, entry)
    try:
        _add(made, file)
    except (OSError, ValueError, RecursionError) as error:
        made.problems.append(f"{file.name} cannot be read: {str(error)[:200]}.")
    return made


def _add(made: Submission, file: Path) -> None:
    if file.is_symlink() or not file.is_file():
        raise ValueError("it is no file of its own")
    if file.stat().st_size > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES >> 20} MB")
    text, kind = file.read_text(encoding="utf-8-sig"), file.suffix.lower()
    if kind == ".py":
        made.cells.append(text)
        return
    content = json.loads(text)
    if kind == ".json":
        answers = content.get("answers") if isinstance(content, dict) else None
        if not isinstance(answers, dict):
            raise ValueError('expected {"answers": {label: answer}}')
        made.answers.update(answers)
        return
    for place, source in enumerate(_code(content), 1):
        try:
            if len(source) > MOST_CELL:
                raise ValueError(f"it has more than {MOST_CELL:,} signs")
            clean = _python(source)
            made.seeds |= _seeds(_parsed(clean))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            made.problems.append(f"Code cell {place} of {file.name} does not parse ({error}); it was left out.")
        else:
            made.cells.append(clean)


def _code(content: Any) -> Iterator[str]:
    """The sources of the code cells of a notebook, whatever its metadata say."""
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list):
        raise ValueError("expected a notebook with cells")
    for cell in cells:
        source = cell.get("source", "") if isinstance(cell, dict) and cell.get("cell_type") == "code" else ""
        text = "".join(map(str, source)) if isinstance(source, list) else str(source)
        if text.strip():
            yield text


def _python(source: str) -> str:
    """Without what only a notebook understands: lines that begin with % or !, cells that begin with %%."""
    if source.lstrip().startswith("%%"):
        return ""
    lines = source.split("\n")
    magic = [k for k, line in enumerate(lines) if line.lstrip()[:1] in ("%", "!")]
    if len(magic) > MOST_MAGIC:
        raise ValueError(f"more than {MOST_MAGIC} lines begin with % or !")
    plain = {k for k in magic if _starts(lines, k)}
    return "\n".join("pass" if k in plain else line for k, line in enumerate(lines))


def _starts(lines: list[str], k: int) -> bool:
    """Whether a line begins a statement: what stands above it parses."""
    try:
        _parsed("\n".join("pass" if line.lstrip()[:1] in ("%", "!") else line for line in lines[:k]))
    except SyntaxError:
        return False
    return True


def _parsed(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a student's escapes
        return ast.parse(source)


def _seeds(cell: ast.Module) -> set[str]:
    """What a cell says after `seed =`, in a line of its own or in a call."""
    named = [(node.arg, node.value) for node in ast.walk(cell) if isinstance(node, ast.keyword)]
    for node in cell.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            named.append((node.targets[0].id, node.value))
    values = [value.value for name, value in named if name == "seed" and isinstance(value, ast.Constant)]
    return {value for value in values if isinstance(value, str)}
