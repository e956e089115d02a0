"""What a folder of submissions holds: files named after students, or folders or zips with such files."""

from __future__ import annotations

import ast
import codecs
import io
import json
import re
import shutil
import tempfile
import tokenize
import warnings
import zipfile
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from uatlib.checks import refused

from ..handed import MOST_DEEP, shallow

MOST_BYTES = 200 * 2**20
"""Of a file that is handed in, outputs included."""
MOST_OF_CLASS = 4 * 2**30
"""Of the files in the zip of a class."""
MOST_FILES = 10_000
"""Of a zip."""
MOST_PARTS = 10_000_000
"""Of its data: each takes a hundred bytes here."""
MOST_SIGNS = 10_000_000
"""Of all that runs."""
MOST_CELLS = 2_000
MOST_PARSED = 200_000
"""Signs of a cell that is parsed here."""
KINDS = (".ipynb", ".py", ".json")
KEPT = (".", "__MACOSX", "Thumbs.db", "desktop.ini")
"""How the names of what systems and programs keep begin: as .ipynb_checkpoints."""
ENDING = re.compile(r"(\.ipynb|\.py|\.json)(?:\.txt|(?<=\.ipynb)\.json)?$", re.IGNORECASE)
"""One of them; some systems write another behind it."""
ARCHIVES = (".zip", ".rar", ".7z", ".gz", ".tgz", ".tar", ".xz", ".bz2")
MARK = re.compile(r"^# ?(?:In *\[[ \d]*\]:?|%%(?: .*)?)$", re.MULTILINE)
"""Where a cell begins in a program that was a notebook."""
MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|.*\?)$", re.MULTILINE)
"""A line that, most often, only a notebook understands."""
SLOW = ("punycode", "idna")
"""Encodings that take hours for a large file."""


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
    graded: bool = True
    """Whether it is of a kind that is graded; what else lies in a folder may be no submission at all."""


def read(folder: str | Path) -> list[Submission]:
    """The submissions of a folder, or of its zip: NAME.ipynb, NAME.py or NAME.json, or such files in NAME or NAME.zip.

    What is of no kind that is graded is one, too, and says so. ValueError if it is no folder, or holds nothing else.
    """
    place = Path(folder)
    if place.is_file() and place.suffix.lower() == ".zip":
        with tempfile.TemporaryDirectory() as made:
            try:
                _unpack(place, Path(made), MOST_OF_CLASS)
            except Exception as error:  # of whatever kind of zip
                why = f"{place.name} ({_why(error)})"
                raise refused("folder", "a zip that can be opened, or the folder of what it holds", why) from None
            held = [one for one in Path(made).iterdir() if not one.name.startswith(KEPT)]
            wrapped = held == [Path(made, place.stem)] and held[0].is_dir()  # as zips of folders are made by hand
            return read(held[0] if wrapped else made)
    if not place.is_dir():
        raise refused("folder", "a folder of submissions, or its zip", str(folder))
    found = []
    for entry in sorted(place.iterdir()):
        if entry.name.startswith(KEPT):
            continue
        if entry.is_dir() and not entry.is_symlink():
            found += within(entry)
        else:
            found += _submissions(_stem(entry), entry)
    if not any(one.graded for one in found):
        problems = [problem for one in found for problem in one.problems]
        raise refused("folder", f"files named after students, {', '.join(KINDS)}", f"none in {folder}", *problems[:1])
    return found


def left_out(folder: Path) -> list[str]:
    """The names of what systems and programs keep in a folder, and nobody hands in."""
    return sorted({entry.name for entry in folder.rglob("*") if entry.name.startswith(KEPT)})


def within(folder: Path, entry: str = "", *, zips: bool = True) -> list[Submission]:
    """The files of a student's folder, which may be called otherwise; one that says so where there are none."""
    entry = entry or folder.name
    files = sorted(file for file in folder.rglob("*") if not (file.is_dir() and not file.is_symlink()))
    files = [file for file in files if not any(part.startswith(KEPT) for part in file.relative_to(folder).parts)]
    every = [one for file in files for one in _submissions(entry, file, zips=zips)]
    none = f"There is no file of the kinds {', '.join(KINDS)}."
    made = [one for one in every if one.graded] or [Submission(entry, entry, problems=[none])]
    made[0].problems += [problem for one in every if not one.graded for problem in one.problems]
    return made


def _stem(file: Path) -> str:
    ends = ENDING.search(file.name)
    return file.name[: ends.start()] if ends else file.stem


def _submissions(entry: str, file: Path, *, zips: bool = True) -> list[Submission]:
    """What a file holds: several only if it is a zip, and those within it stay shut."""
    made = Submission(entry, entry)
    try:
        if zips and file.suffix.lower() == ".zip" and file.is_file() and not file.is_symlink():
            made.graded = False
            with tempfile.TemporaryDirectory() as place:
                _unpack(file, Path(place), MOST_BYTES)
                return within(Path(place), entry, zips=False)
        _add(made, file)
    except Exception as error:  # one file, whatever it holds, ends nobody else's grading
        made.problems.append(f"{file.name} cannot be read: {_why(error)}.")
    return [made]


def _why(error: Exception) -> str:
    return str(error)[:200] or type(error).__name__


def _unpack(archive: Path, place: Path, most: int) -> None:
    """Write the files of a zip into an empty folder, wherever they say that they belong.

    Those that nobody reads are there, but empty. Whatever the zip says of its sizes is all that is written.
    """
    try:
        packed = zipfile.ZipFile(archive, metadata_encoding="utf-8")  # as a Mac writes names, without saying so
    except UnicodeDecodeError:
        packed = zipfile.ZipFile(archive)
    with packed:
        files = [one for one in packed.infolist() if not one.is_dir()]
        wanted = {one for one in files if ENDING.search(one.filename) or one.filename.lower().endswith(".zip")}
        if len(files) > MOST_FILES or sum(one.file_size for one in wanted) > most:
            raise ValueError(f"it holds more than {MOST_FILES:,} files, or {most >> 20:,} MB")
        for one in files:
            parts = [part for part in re.split(r"[/\\]", one.filename) if part not in ("", ".", "..")]
            file = place.joinpath(*parts)
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as written, packed.open(one) if one in wanted else io.BytesIO() as source:
                shutil.copyfileobj(source, written)


def _add(made: Submission, file: Path) -> None:
    ends = ENDING.search(file.name)
    made.graded = ends is not None
    if file.is_symlink() or not file.is_file():
        raise ValueError("it is no file of its own")
    if ends is None:
        more = "; unpack it, and hand in what it holds" if file.suffix.lower() in ARCHIVES else ""
        raise ValueError(f"it is of no kind that is graded, {', '.join(KINDS)}{more}")
    kind = ends[1].lower()
    if file.stat().st_size > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES >> 20} MB")
    data = file.read_bytes()
    if kind != ".py" and data.count(b",") > MOST_PARTS:
        raise ValueError(f"its data have more than {MOST_PARTS:,} parts")
    if kind == ".json":
        content = json.loads(data)
        answers = content.get("answers") if isinstance(content, dict) else None
        if not isinstance(answers, dict):
            raise ValueError('expected {"answers": {label: answer}}')
        if not shallow(answers):
            raise ValueError(f"expected answers of at most {MOST_DEEP} lists within each other")
        made.answers.update(answers)
        return
    cells = _code(json.loads(data)) if kind == ".ipynb" else _program(made, _text(data))
    if sum(map(len, cells.values())) > MOST_SIGNS:
        raise ValueError(f"its code has more than {MOST_SIGNS:,} signs")
    if len(cells) > MOST_CELLS:
        raise ValueError(f"it has more than {MOST_CELLS:,} cells")
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
    if codecs.lookup(encoding).name in SLOW:
        raise ValueError(f"expected an encoding as UTF-8, got {encoding}")
    return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def _program(made: Submission, text: str) -> dict[int, str]:
    """A program in pieces by line, so that an error costs one: its cells, if it was a notebook, or its statements."""
    made.unit = "The cell of line"
    if marks := [mark.start() for mark in MARK.finditer(text)]:
        cuts = [0, *marks, len(text)]
        return {text.count("\n", 0, start) + 1: text[start:end] for start, end in pairwise(cuts) if start < end}
    tree = _parsed(text)
    if tree is None or len(tree.body) > MOST_CELLS:
        return {1: text}
    made.unit = "The statement of line"
    lines, found, start, last = text.split("\n"), dict[int, str](), 0, 0
    for node in tree.body:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        start = start if first <= last else first  # several in a line are one piece
        last = node.end_lineno or last
        found[start] = "\n".join(lines[start - 1 : last])
    return found


def _parsed(source: str) -> ast.Module | None:
    if len(source) > MOST_PARSED:
        return None
    with warnings.catch_warnings(), suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")  # of a student's escapes
        return ast.parse(source)
    return None


def _seeds(source: str) -> set[str]:
    """What a cell says after `seed =`, in a line of its own or in a call; whatever magics stand beside it."""
    if "seed" not in source:
        return set()
    cell = _parsed(source) or _parsed(MAGIC.sub(r"\1pass", source))
    if cell is None:
        return set()
    named = [(node.arg, node.value) for node in ast.walk(cell) if isinstance(node, ast.keyword)]
    for node in cell.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            named.append((node.targets[0].id, node.value))
    values = [value.value for name, value in named if name == "seed" and isinstance(value, ast.Constant)]
    return {value for value in values if isinstance(value, str)}
