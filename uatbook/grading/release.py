"""What is handed out: notebooks with a question and a place to answer for each exercise of a set.

plain       a notebook for all, or one a student where each has numbers of their own
otter       the master notebook of otter-grader, from which `otter assign` makes the rest
gradescope  an autograder: a zip that Gradescope installs in a container, and which grades as `grade` does

Both autograders install the library from a wheel that is put beside what is written, and ask no index for its name.
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
from uatlib.internal import writing

from ..exercises import Exercise
from .sets import ExerciseSet
from .students import file_name, safe

Cell = dict[str, Any]
IMPORT = "from uatbook.exercises import check"
INSTALL = """# Installs the library where it is missing.
try:
    import uatbook
except ImportError:
    %pip install --quiet "{}"
"""
WHEEL = f"uatlib-{uatlib.__version__}-py3-none-any.whl"
PYTHON = "3.11"
"""Of both autograders: the one that all is tested with."""
UV = "0.13.9"
"""Brings Python to Gradescope's image; it is one wheel, and needs no package source of a distribution."""
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"
"""PyTorch without its gigabytes for a GPU, which no autograder has."""
OTTER = f"""# ASSIGNMENT CONFIG
init_cell: true
solutions_pdf: false
tests:
  ok_format: false
python_version: "{PYTHON}"
autograder_files:
  - {WHEEL}
requirements:
  - --extra-index-url {CPU_WHEELS}
  - uatlib @ file:///autograder/source/files/{WHEEL}"""
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
        rows.writerow([safe(name), *right])
    return text.getvalue()


def otter(asked: ExerciseSet, course: str, students: Sequence[str], folder: Path) -> list[Path]:
    """otter-grader's master notebook: one variant for all, a hidden test for each line of a rubric.

    `otter assign` puts the wheel into the autograder, from whose environment the tests import the library.
    """
    if asked.variants == "student":
        raise refused("variants", '"class" or "book", as otter-grader has one notebook for all', "student")
    seed = asked.seed(course, "")
    cells = [_raw(OTTER)]
    cells += [_text(f"# {asked.title}"), _code(IMPORT)]
    for one in asked.exercises:
        cells += _otter_question(one, seed, float(asked.points[one.label]))
    return [_write(folder / f"{_slug(asked.title)}.ipynb", _notebook(cells))]


def gradescope(asked: ExerciseSet, course: str, students: Sequence[str], folder: Path) -> list[Path]:
    """An autograder for Gradescope. The library is installed from the wheel that is put beside it."""
    files = {
        "setup.sh": SETUP,
        "run_autograder": RUN,
        "set.json": json.dumps({"set": asked.described(), "course": course}, indent=1),
        "README.txt": f"{LACKS_WHEEL}\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_slug(asked.title)}-autograder.zip"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name, ZIP_TIME)
            info.external_attr = 0o755 << 16
            archive.writestr(info, text)
    writing.write(path, packed.getvalue())
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
    yield _raw(f"# BEGIN QUESTION\nname: {one.label.removeprefix('ex-')}\npoints: {points!r}")
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
    config = f'""" # BEGIN TEST CONFIG\npoints: {points!r}\nhidden: {str(hidden).lower()}\n""" # END TEST CONFIG'
    judge = f'check("{one.label}", {one.name}, seed={seed!r})' + (f".require({line!r})" if line else "")
    name = re.sub(r"[^a-z0-9]+", "_", line.lower()) or "kind"  # otter-grader keeps one test of a name
    return f"{config}\ndef test_{name}({one.name}):\n    {IMPORT}\n    {judge}"


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
    writing.write(path, text)
    return path


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "set"


LACKS_WHEEL = (
    f"This autograder needs {WHEEL} beside set.json: make it with `python -m pip wheel --no-deps .` in a copy of the "
    "repository, put it into the zip, and upload the zip again."
)
SETUP = f"""#!/usr/bin/env bash
set -euo pipefail
place=${{AUTOGRADER:-/autograder}}
wheel=$place/source/{WHEEL}
if [ ! -f "$wheel" ]; then
  echo '{LACKS_WHEEL}' >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends bubblewrap ca-certificates python3 python3-venv
# The image's own Python may be too old (of Ubuntu 22.04: 3.10): uv brings one.
python3 -m venv "$place/uv"
"$place/uv/bin/pip" install uv=={UV}
export UV_PYTHON_INSTALL_DIR=$place/python
"$place/uv/bin/uv" venv --python {PYTHON} "$place/env"
"$place/uv/bin/uv" pip install --python "$place/env/bin/python" --torch-backend cpu "$wheel[grading]"
"""
RUN = """#!/usr/bin/env bash
set -euo pipefail
cd "${AUTOGRADER:-/autograder}"
env/bin/python -m uatbook.grading.gradescope source/set.json submission submission_metadata.json results/results.json
"""
