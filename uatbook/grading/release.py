"""What is handed out: notebooks with a question and a place to answer for each exercise of a set.

plain       a notebook for all, or one a student where each has numbers of their own
otter       the master notebook of otter-grader, from which `otter assign` makes the rest
gradescope  an autograder: a zip that Gradescope installs in a container, and which grades as `grade` does
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import uatlib
from uatlib.checks import refused

from ..exercises import Exercise
from .sets import ExerciseSet
from .students import file_name

Cell = dict[str, Any]
IMPORT = "from uatbook.exercises import check"
INSTALL = """# Installs the library where it is missing.
try:
    import uatbook
except ImportError:
    %pip install --quiet "{}"
"""
ZIP_TIME = (2000, 1, 1, 0, 0, 0)
"""Of each file in a zip: the same input gives the same bytes."""


def plain(asked: ExerciseSet, course: str, students: Sequence[str], folder: Path) -> list[Path]:
    """A notebook a student; one for all where the set has one variant. ValueError where another file is in the way."""
    if asked.variants == "student" and not students:
        raise refused("students", "a file with a name a line, as each student has own numbers", "none")
    files = {
        folder / f"{file_name(name)}.ipynb": _notebook(_cells(asked, asked.seed(course, name)))
        for name in students or [_slug(asked.title)]
    }
    # Perhaps what a student has handed in.
    if other := [path.name for path, text in files.items() if path.exists() and path.read_text("utf-8") != text]:
        raise refused("out", f"a folder that has no other {', '.join(other[:3])}", str(folder))
    return [_write(path, text) for path, text in files.items()]


def answers(asked: ExerciseSet, course: str, students: Sequence[str]) -> str:
    """CSV: for each student a right answer to each exercise; programs stand in the book's solutions."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["student", *(one.label for one in asked.exercises)])
    for name in students or ["everybody"]:
        seed = asked.seed(course, name)
        right = [_shown(one.at(one.reference, seed)) if one.is_data else "in the book" for one in asked.exercises]
        rows.writerow([name, *right])
    return text.getvalue()


def otter(asked: ExerciseSet, course: str, students: Sequence[str], folder: Path) -> list[Path]:
    """otter-grader's master notebook: one variant for all, a hidden test for each line of a rubric."""
    if asked.variants == "student":
        raise refused("variants", '"class" or "book", as otter-grader has one notebook for all', "student")
    seed = asked.seed(course, "")
    cells = [_raw("# ASSIGNMENT CONFIG\ninit_cell: true\nsolutions_pdf: false\ntests:\n  ok_format: false")]
    cells += [_text(f"# {asked.title}"), _code(IMPORT)]
    for one in asked.exercises:
        cells += _otter_question(one, seed, float(asked.points[one.label]))
    return [_write(folder / f"{_slug(asked.title)}.ipynb", _notebook(cells))]


def gradescope(asked: ExerciseSet, course: str, students: Sequence[str], folder: Path) -> list[Path]:
    """An autograder for Gradescope. The library is installed from the wheel that is put beside it."""
    files = {
        "setup.sh": SETUP,
        "run_autograder": RUN,
        "set.json": json.dumps({"set": _toml(asked), "course": course}, indent=1),
        "README.txt": "Put the wheel of uatlib (python -m pip wheel --no-deps .) into this zip before you upload it.\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_slug(asked.title)}-autograder.zip"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name, ZIP_TIME)
            info.external_attr = 0o755 << 16
            archive.writestr(info, text)
    path.write_bytes(packed.getvalue())
    return [path]


FORMATS: dict[str, Callable[[ExerciseSet, str, Sequence[str], Path], list[Path]]] = {
    "plain": plain,
    "otter": otter,
    "gradescope": gradescope,
}


def _cells(asked: ExerciseSet, seed: str) -> Iterator[Cell]:
    yield _text(
        f"# {asked.title}\n\nAnswer in the cells below. Each `check` tells you how far you are, as often as you like."
    )
    if asked.install:
        yield _code(INSTALL.format(asked.install))
    yield _code(f"{IMPORT}\n\nseed = {seed!r}  # your numbers hang on it: leave it as it is" if seed else IMPORT)
    for number, one in enumerate(asked.exercises, 1):
        yield _text(_question(one, seed, number))
        yield _code(one.blank)
        yield _code(f'check("{one.label}", {one.name}{", seed=seed" * bool(seed)})')


def _question(one: Exercise, seed: str, number: int) -> str:
    parts = [f"*{part.name}*, {part.expected}" for part in one.hands_in]
    several = f"Hand in `{one.name}`, " + ("in this order: " * (len(parts) > 1)) + "; ".join(parts) + "."
    return f"## {number}. {one.label.removeprefix('ex-')}\n\n{one.question(seed)}\n\n{several}"


def _solution(one: Exercise, seed: str) -> str:
    """A right answer: its value, or where it is a function or a network, where it is found."""
    right = one.at(one.reference, seed)
    if one.is_data:
        return f"{one.name} = {_shown(right)}"
    made = f'get("{one.label}")'
    return f"from uatbook.exercises import get\n\n{one.name} = {made}.at({made}.reference, {seed!r})"


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple, range)):
        inner = ", ".join(map(_shown, value))
        return f"[{inner}]" if not isinstance(value, tuple) else f"({inner}{',' * (len(value) == 1)})"
    return repr(value) if isinstance(value, (str, int, float)) else f'"{value}"'


def _otter_question(one: Exercise, seed: str, points: float) -> Iterator[Cell]:
    yield _raw(f"# BEGIN QUESTION\nname: {one.label.removeprefix('ex-')}\npoints: {points:g}")
    yield _text(f"**{one.label}.** {_question(one, seed, 0).split(chr(10), 2)[2].strip()}")
    yield _raw("# BEGIN SOLUTION")
    prompt = f'""" # BEGIN PROMPT\n{one.blank}\n""" # END PROMPT'
    yield _code(f"# BEGIN SOLUTION NO PROMPT\n{_solution(one, seed)}\n# END SOLUTION\n{prompt}")
    yield _raw("# END SOLUTION")
    yield _raw("# BEGIN TESTS")
    yield _code(_test(one, "", seed, 0, hidden=False))
    each = points / len(one.rubric)
    for line in one.rubric:
        yield _code(_test(one, line, seed, each, hidden=True))
    yield _raw("# END TESTS")
    yield _raw("# END QUESTION")


def _test(one: Exercise, line: str, seed: str, points: float, *, hidden: bool) -> str:
    """A test of otter-grader: that the answer is of its kind, or that a line of the rubric holds."""
    config = f'""" # BEGIN TEST CONFIG\npoints: {points:g}\nhidden: {str(hidden).lower()}\n""" # END TEST CONFIG'
    judge = f'check("{one.label}", {one.name}, seed={seed!r})' + (f".require({line!r})" if line else "")
    name = re.sub(r"[^a-z0-9]+", "_", line.lower()) or "kind"  # otter-grader keeps one test of a name
    return f"{config}\ndef test_{name}({one.name}):\n    {IMPORT}\n    {judge}"


def _toml(asked: ExerciseSet) -> str:
    """The set, as the file that it was read from would say it."""
    labels = json.dumps([one.label for one in asked.exercises])
    points = "".join(f"{label} = {float(value):g}\n" for label, value in asked.points.items())
    head = f"title = {json.dumps(asked.title)}\nexercises = {labels}\nvariants = {json.dumps(asked.variants)}\n"
    return f"{head}\n[points]\n{points}"


def _notebook(cells: Sequence[Cell] | Iterator[Cell]) -> str:
    numbered = [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    document = {"cells": numbered, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _text(source: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _raw(source: str) -> Cell:
    return {"cell_type": "raw", "metadata": {}, "source": source}


def _code(source: str) -> Cell:
    return {"cell_type": "code", "metadata": {}, "source": source, "execution_count": None, "outputs": []}


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "set"


SETUP = f"""#!/usr/bin/env bash
set -e
apt-get update && apt-get install -y python3 python3-pip python3-venv
python3 -m venv /autograder/env
/autograder/env/bin/pip install torch --index-url https://download.pytorch.org/whl/cpu
wheel=$(ls /autograder/source/uatlib-*.whl 2>/dev/null || echo "uatlib=={uatlib.__version__}")
/autograder/env/bin/pip install "$wheel"
"""
RUN = """#!/usr/bin/env bash
cd /autograder
env/bin/python -m uatbook.grading.gradescope source/set.json submission submission_metadata.json results/results.json
"""
