"""What a folder of submissions holds: files named after students, or folders with such files."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from uatlib.checks import refused

MOST_BYTES = 200 * 2**20
"""Of a file that is handed in, outputs included."""
MOST_SIGNS = 10_000_000
"""Of all that runs."""
KINDS = (".ipynb", ".py", ".json")
KEPT = (".", "__MACOSX", "Thumbs.db", "desktop.ini")
"""How the names of what systems and programs keep begin: as .ipynb_checkpoints."""
MARK = re.compile(r"^# (?:In *\[[ \d]*\]:|%%.*)$", re.MULTILINE)
"""Where a cell begins in a program that was a notebook."""


@dataclass
class Submission:
    """A file: the cells to run, or the answers that a page exported; whose it is, and what could not be read.

    `entry` is the name of the file, or of the folder of a student that holds it; `seeds` are those that its cells name.
    """

    student: str
    entry: str = ""
    seeds: set[str] = field(default_factory=set)
    cells: dict[int, str] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    unit: str = "Code cell"


def read(folder: str | Path) -> list[Submission]:
    """The submissions of a folder: NAME.ipynb, NAME.py or NAME.json, or such files in a folder NAME.

    What is of no kind that is graded is one, too, and says so. ValueError if it is no folder, or holds none that is.
    """
    place = Path(folder)
    if not place.is_dir():
        raise refused("folder", "a folder of submissions", str(folder))
    found = []
    for entry in sorted(place.iterdir()):
        if entry.name.startswith(KEPT):
            continue
        if entry.is_dir() and not entry.is_symlink():
            found += within(entry)
        else:
            found.append(_submission(_stem(entry), entry))
    if not any(one.cells or one.answers for one in found):
        problems = [problem for one in found for problem in one.problems]
        raise refused("folder", f"files named after students, {', '.join(KINDS)}", f"none in {folder}", *problems[:1])
    return found


def left_out(folder: Path) -> list[str]:
    """The names of what systems and programs keep in a folder, and nobody hands in."""
    return sorted(entry.name for entry in folder.iterdir() if entry.name.startswith(KEPT))


def within(folder: Path) -> list[Submission]:
    """The files of a student's folder; one that says so where there are none."""
    files = sorted(file for file in folder.rglob("*") if not (file.is_dir() and not file.is_symlink()))
    files = [file for file in files if not any(part.startswith(KEPT) for part in file.relative_to(folder).parts)]
    made = [_submission(folder.name, file) for file in files]
    nothing = Submission(folder.name, folder.name, problems=[f"There is no file of the kinds {', '.join(KINDS)}."])
    return made or [nothing]


def _kind(file: Path) -> str:
    """Its ending; some systems write .txt behind it."""
    whole = file.with_suffix("") if file.suffix.lower() == ".txt" else file
    return whole.suffix.lower() if whole.suffix.lower() in KINDS else ""


def _stem(file: Path) -> str:
    return file.with_suffix("").stem if file.suffix.lower() == ".txt" and _kind(file) else file.stem


def _submission(entry: str, file: Path) -> Submission:
    made = Submission(entry, entry)
    try:
        _add(made, file)
    except (OSError, ValueError, RecursionError, SyntaxError) as error:
        made.problems.append(f"{file.name} cannot be read: {str(error)[:200]}.")
    return made


def _add(made: Submission, file: Path) -> None:
    if file.is_symlink() or not file.is_file():
        raise ValueError("it is no file of its own")
    kind = _kind(file)
    if not kind:
        more = "; unpack it first" if file.suffix.lower() in (".zip", ".rar", ".7z", ".gz", ".tar") else ""
        raise ValueError(f"it is of no kind that is graded, {', '.join(KINDS)}{more}")
    if file.stat().st_size > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES >> 20} MB")
    data = file.read_bytes()
    if kind == ".json":
        content = json.loads(data)
        answers = content.get("answers") if isinstance(content, dict) else None
        if not isinstance(answers, dict):
            raise ValueError('expected {"answers": {label: answer}}')
        made.answers.update(answers)
        return
    cells = _code(json.loads(data)) if kind == ".ipynb" else _program(made, _text(data))
    if sum(map(len, cells.values())) > MOST_SIGNS:
        raise ValueError(f"its code has more than {MOST_SIGNS:,} signs")
    made.cells.update({place: source for place, source in cells.items() if source.strip()})
    for source in made.cells.values():
        made.seeds |= _seeds(source)


def _code(content: Any) -> dict[int, str]:
    """The sources of the code cells of a notebook by their place, the first is 1, whatever its metadata say."""
    if isinstance(content, dict) and content.get("nbformat") in (1, 2, 3):
        import nbformat  # which nobody needs for notebooks of today

        old: Any = nbformat
        content = old.convert(old.reader.reads(json.dumps(content)), 4)
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list):
        raise ValueError("expected a notebook with cells")
    sources = [cell.get("source", "") for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    texts = ["".join(map(str, source)) if isinstance(source, list) else str(source) for source in sources]
    return dict(enumerate(texts, 1))


def _text(data: bytes) -> str:
    """As Python reads a program; and UTF-16, as some editors write."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def _program(made: Submission, text: str) -> dict[int, str]:
    """A program in pieces, so that an error costs one: its cells, if it was a notebook, or its statements by line."""
    if MARK.search(text):
        return dict(enumerate(MARK.split(text)))
    tree = _parsed(text)
    if tree is None:
        return {1: text}
    made.unit = "The statement of line"
    lines = text.split("\n")
    found: dict[int, str] = {}
    starts = [min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) for node in tree.body]
    for start, end in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        found[start] = found.get(start, "") + "\n".join(lines[start - 1 : max(end - 1, start)])
    return {1: text} if len({*starts}) < len(starts) else found


def _parsed(source: str) -> ast.Module | None:
    with warnings.catch_warnings(), suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")  # of a student's escapes
        return ast.parse(source)
    return None


def _seeds(source: str) -> set[str]:
    """What a cell of plain Python says after `seed =`, in a line of its own or in a call."""
    cell = _parsed(source) if "seed" in source else None
    if cell is None:
        return set()
    named = [(node.arg, node.value) for node in ast.walk(cell) if isinstance(node, ast.keyword)]
    for node in cell.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            named.append((node.targets[0].id, node.value))
    values = [value.value for name, value in named if name == "seed" and isinstance(value, ast.Constant)]
    return {value for value in values if isinstance(value, str)}
