"""What a folder of submissions holds: a file or a folder for each student."""

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
    """A student's name, the cells to run, or the answers that a page exported; and what could not be read."""

    student: str
    cells: list[str] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read(folder: str | Path) -> list[Submission]:
    """The submissions of a folder, by name: NAME.ipynb, NAME.py or NAME.json, or such files in a folder NAME.

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
            found.append(one(entry.name, entry))
        elif entry.suffix.lower() in KINDS:
            found.append(_submission(entry.stem, [entry]))
    if not found:
        raise refused("folder", f"files named after students, {', '.join(KINDS)}", f"none in {folder}")
    if twice := {made.student for made in found if sum(made.student == other.student for other in found) > 1}:
        raise refused("folder", "one file or folder a student", f"several of {', '.join(sorted(twice))}")
    return found


def one(student: str, folder: Path) -> Submission:
    """What a student's folder holds."""
    files = [file for file in folder.rglob("*") if file.suffix.lower() in KINDS]
    return _submission(student, sorted(file for file in files if not _hidden(file.relative_to(folder))))


def _hidden(file: Path) -> bool:
    """Whether it is a copy that a program keeps, as in .ipynb_checkpoints."""
    return any(part.startswith((".", "__MACOSX")) for part in file.parts)


def _submission(student: str, files: list[Path]) -> Submission:
    made = Submission(student)
    if not files:
        made.problems.append(f"There is no file of the kinds {', '.join(KINDS)}.")
    for file in files:
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
            _parsed(clean)
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


def _parsed(source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a student's escapes
        ast.parse(source)
