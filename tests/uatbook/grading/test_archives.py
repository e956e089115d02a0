"""What `release` writes for other graders, read by them: otter-grader, Gradescope's scripts, and the set within."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from importlib.metadata import version
from pathlib import Path

import nbformat
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager
from packaging.requirements import Requirement
from test_repository import parcels  # noqa: F401

from uatbook.exercises import EXERCISES
from uatbook.grading import release, sandbox, sets

ANSWERS = {
    "start_diagonal": 'start_diagonal = ("3/N", "11/32")',
    "tokens_of": "def tokens_of(number, N, n):\n    return [0]",
    "add_maximum": "from uatlib.layers import Attention, Head\nfrom uatlib.model import Transformer\n"
    'add_maximum = Transformer([Attention([Head([[0]], [[1]], [[1]], [[1]], b_q=[1])], "hardmax")])',
}
"""To three exercises of together seven points, of which the program gets none."""
WEEK = {
    "title": 'Week 1 🚀 "\\',
    "exercises": ["start-diagonal", "context-invert", "ground-count"],
    "variants": "book",
    "points": {"start-diagonal": 2.5},
}


@pytest.fixture(scope="module")
def wheel(parcels: Path) -> Path:  # noqa: F811
    (wheel,) = parcels.glob("*.whl")
    return wheel


def bare(folder: Path) -> Path:
    """The Python of an environment that has all that the tests have, but not this library."""
    venv.create(folder, symlinks=True)
    # Python looks for no further .pth there, as that of the editable library is.
    Path(packages(folder), "tests.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin" / "python"


def packages(folder: Path) -> str:
    """Where an environment has its packages."""
    return sysconfig.get_path("purelib", "venv", {"base": str(folder)})


def run(*command: object, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, that finds the library only where it is installed."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [*map(str, command)], cwd=folder, env={**own, **environment}, capture_output=True, text=True, check=False
    )


def install(requirement: str, folder: Path) -> None:
    """As pip does it, but that nothing is asked of an index."""
    alone = ("--no-index", "--no-deps", "--quiet", "--target", packages(folder))
    done = run(sys.executable, "-m", "pip", "install", *alone, requirement, folder=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.full
def test_otter_grades_in_the_environment_that_its_archive_names(wheel: Path, tmp_path: Path) -> None:
    (master,) = release.otter(sets.parsed(WEEK), "course", [], tmp_path)
    shutil.copy(wheel, tmp_path)
    otter, path = (sys.executable, "-m", "otter"), os.pathsep.join(sys.path)
    made = run(*otter, "assign", master.name, "dist", folder=tmp_path, PYTHONPATH=path)
    assert made.returncode == 0, made.stderr
    (archive,) = (tmp_path / "dist" / "autograder").glob("*.zip")
    source = tmp_path / "autograder" / "source"
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(source)

    python = bare(tmp_path / "env")
    assert "No module named 'uatlib'" in run(python, "-c", "import uatlib", folder=tmp_path).stderr
    environment = yaml.safe_load((source / "environment.yml").read_text(encoding="utf-8"))
    (named,) = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    for line in [line for line in named if not line.startswith("--")]:
        if (asked := Requirement(line)).url:
            install(line.replace("/autograder/", f"{tmp_path}/autograder/"), tmp_path / "env")
        else:
            assert asked.specifier.contains(version(asked.name))

    handed = nbformat.read(tmp_path / "dist" / "student" / master.name, as_version=4)
    for cell in handed.cells:
        for name, answer in ANSWERS.items():
            if cell.source.startswith((f"{name} = ", f"def {name}(")):
                cell.source = answer
    nbformat.write(handed, tmp_path / "handed.ipynb")
    graded = run(python, "-m", "otter", "run", "--autograder", archive, "handed.ipynb", folder=tmp_path)
    assert graded.returncode == 0, graded.stderr
    tests = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["tests"]
    assert sum(test.get("max_score", 0) for test in tests) == pytest.approx(7.5)
    assert sum(test.get("score", 0) for test in tests) == pytest.approx(5.5)


TOOL = """#!{python}
import subprocess, sys
from pathlib import Path
sys.path[:0] = {path}
from test_archives import bare, install
tool, given = Path(sys.argv[0]), sys.argv[1:]
with open({log!r}, "a") as log:
    print(tool.name, *given, file=log)
if tool.name == "python3":
    for name in ("pip", "uv"):
        place = Path(given[-1], "bin", name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(tool)
elif (tool.name, given[0]) == ("uv", "venv"):
    bare(Path(given[-1]))
elif (tool.name, given[0]) == ("uv", "pip"):
    install(given[-1], Path(given[given.index("--python") + 1]).parents[1])
"""
"""In the place of apt-get, python3, pip and uv: they fetch nothing, and install the wheel alone."""


@pytest.mark.full
def test_gradescopes_scripts_install_the_wheel_and_grade(wheel: Path, tmp_path: Path) -> None:
    (written,) = release.gradescope(sets.parsed(WEEK), "course", [], tmp_path)
    place, tools, log = tmp_path / "autograder", tmp_path / "tools", tmp_path / "log"
    # As the image does: unpacked, made executable, the second copied to the top.
    with zipfile.ZipFile(written) as archive:
        archive.extractall(place / "source")
    assert {path.name for path in (place / "source").iterdir()} == {
        "setup.sh",
        "run_autograder",
        "set.json",
        "README.txt",
    }
    for name in ("setup.sh", "run_autograder"):
        (place / "source" / name).chmod(0o755)
    shutil.copy(place / "source" / "run_autograder", place)
    tools.mkdir()
    path = [str(Path(__file__).parent), *sys.path]
    for name in ("apt-get", "python3"):
        (tools / name).write_text(TOOL.format(python=sys.executable, path=path, log=str(log)))
        (tools / name).chmod(0o755)
    own = {"AUTOGRADER": str(place), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}

    lacking = run(place / "source" / "setup.sh", folder=tmp_path, **own)
    assert (lacking.returncode, lacking.stderr) == (1, f"{release.LACKS_WHEEL}\n")
    assert not log.exists()
    shutil.copy(wheel, place / "source")
    done = run(place / "source" / "setup.sh", folder=tmp_path, **own)
    assert done.returncode == 0, done.stderr
    asked = log.read_text().split()
    assert [word for word in asked if "uatlib" in word] == [f"{place}/source/{wheel.name}[grading]"]

    (place / "submission").mkdir()
    cells = [{"cell_type": "code", "source": answer} for answer in ANSWERS.values()]
    (place / "submission" / "w.ipynb").write_text(json.dumps({"cells": cells}))
    (place / "submission_metadata.json").write_text('{"users": [{"email": "ada@example.org"}]}')
    for lacking in (sandbox.refusal(), "bubblewrap says: not here"):
        if "not here" in lacking:
            (tools / "bwrap").write_text("#!/bin/sh\necho not here >&2\nexit 1\n")
            (tools / "bwrap").chmod(0o755)
        graded = run(place / "run_autograder", folder=tmp_path, **own)
        assert graded.returncode == 0, graded.stderr
        tests = json.loads((place / "results" / "results.json").read_text(encoding="utf-8"))["tests"]
        assert sum(test["max_score"] for test in tests) == 7.5
        assert sum(test["score"] for test in tests) == 5.5
        assert [test["output"] != "" for test in tests[:7]] == [False, False, True, True, False, False, False]
        said = [(test["visibility"], f"no sandbox ({lacking})" in test["output"]) for test in tests[7:]]
        assert said == [("hidden", True)] * bool(lacking)


@given(
    st.text(min_size=1, max_size=50),
    st.lists(st.sampled_from([*EXERCISES]), min_size=1, unique=True),
    st.sampled_from(sets.VARIANTS),
    st.one_of(st.integers(1, 10**12), st.floats(1e-6, 1e6)),
    st.text(min_size=1, max_size=20),
)
def test_a_set_is_read_as_it_was_written(
    title: str, labels: list[str], variants: str, points: float, wanted: str
) -> None:
    described = {"title": title, "exercises": labels, "variants": variants, "install": wanted}
    asked = sets.parsed({**described, "points": {labels[0]: points}})
    with tempfile.TemporaryDirectory() as folder:
        (written,) = release.gradescope(asked, "course", [], Path(folder))
        with zipfile.ZipFile(written) as archive:
            assert sets.parsed(json.loads(archive.read("set.json"))["set"]) == asked


@pytest.mark.parametrize("kind", ["plain", "otter"])
def test_each_notebook_that_is_released_is_one(kind: str, tmp_path: Path) -> None:
    """Its form is Jupyter's, and its code IPython's."""
    asked = sets.parsed({"exercises": [*EXERCISES], "variants": "class", "install": "uatlib"}, "All")
    (written,) = release.FORMATS[kind](asked, "course", [], tmp_path)
    read = nbformat.read(written, as_version=4)
    nbformat.validate(read)
    for cell in read.cells:
        if cell.cell_type == "code":
            ast.parse(TransformerManager().transform_cell(cell.source))
