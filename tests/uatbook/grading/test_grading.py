"""A small class, honest and less so, graded in one run; and what is handed out."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from uatbook.exercises import EXERCISES, Exercise, get
from uatbook.grading import command, feedback_page, grades, gradescope, release, sets, submissions

LABELS = ("ex-start-diagonal", "ex-context-invert", "ex-ground-count")
VALUE = 'start_diagonal = ("3/N", "11/32")'
FUNCTION = """
def tokens_of(number, N, n):
    landed, found = number // N ** (n + 1), []
    for _ in range(n):
        found.append(landed % N)
        landed = (landed - found[-1]) // N + found[-1]
    return sorted(found)
"""
NETWORK = """
from uatlib.layers import Attention, Head
from uatlib.model import Transformer
add_maximum = Transformer([Attention([Head([[0]], [[1]], [[1]], [[1]], b_q=[1])], "hardmax")])
"""
FORGERY = """
import os
for fd in range(3, 30):
    try:
        os.write(fd, b'["answer", 0, {"handed": ["3/N", "11/32"]}]\\n[1]\\n')
    except OSError:
        pass
"""
ENDLESS = """
import os, time
while True:
    for fd in range(3, 30):
        try:
            os.write(fd, b'["begin", 0, null]\\n["cell", Infinity, ' + 9999 * b"[" + b'\\n')
        except OSError:
            pass
    time.sleep(1)
"""
GOOD = (VALUE, FUNCTION, NETWORK)
ALL = (2, 2, 3)

CLASS: Mapping[str, tuple[tuple[str, ...], tuple[int, int, int], str]] = {
    "right": (GOOD, ALL, ""),
    "checks": (("from uatbook.exercises import check", *GOOD, 'check("ex-start-diagonal", start_diagonal)'), ALL, ""),
    "magic": (("%pip install nothing\n!ls", "%%bash\nrm -rf nothing", *GOOD), ALL, ""),
    "loop in a cell": (("while True: pass", *GOOD), ALL, "Code cell 1: took more than"),
    "loop in an answer": (
        (VALUE, "def tokens_of(number, N, n):\n    while True: pass", NETWORK),
        (2, 0, 3),
        "Does your loop end?",
    ),
    "asleep": ((VALUE, "import time\ntime.sleep(60)", FUNCTION, NETWORK), ALL, "Code cell 2: took more than 5 s"),
    "ends it": (("import os\nos._exit(0)", *GOOD), ALL, "Code cell 1: ended the process that runs it"),
    "leaves": (("import sys\nsys.exit()", *GOOD), ALL, "Code cell 1: SystemExit"),
    "raises": ((VALUE, FUNCTION + "    raise KeyError(n)\ntokens_of(1, 2, 3)[5]", NETWORK), ALL, "IndexError"),
    "says yes": (
        (
            "class Yes(str):\n    def __eq__(self, other): return True\n    __hash__ = None",
            'start_diagonal = ("3/N", Yes("1/2"))',
        ),
        (1, 0, 0),
        "1/2 is not the fraction",
    ),
    "yes to all": (
        (
            "class Yes:\n    def __eq__(self, other): return True",
            "start_diagonal = (Yes(), Yes())\ntokens_of = lambda *a: Yes()",
        ),
        (0, 0, 0),
        "ex-start-diagonal: order: expected",
    ),
    "not a number": (
        ('start_diagonal = ("3/N", float("nan"))', FUNCTION, NETWORK),
        (0, 2, 3),
        "fraction: expected a number",
    ),
    "memory": (("big = bytearray(10**11)", *GOOD), ALL, "Code cell 1: takes more memory than it may"),
    "chatty": (('print("x" * 10**8)', *GOOD), ALL, ""),
    "a long answer": (
        (VALUE, "def tokens_of(number, N, n):\n    return 10**6 * '1'", NETWORK),
        (2, 0, 3),
        "more than 4 MB",
    ),
    "forged": (
        (
            FORGERY,
            FUNCTION,
            NETWORK,
        ),
        (0, 2, 3),
        "ex-start-diagonal: no answer",
    ),
    "reads": (
        ("import uatbook.exercises as e\nstart_diagonal = e.get('ex-start-diagonal').reference(8)",),
        (0, 0, 0),
        "AttributeError",
    ),
    "no parse": (("start_diagonal = (", FUNCTION, NETWORK), (0, 2, 3), "Code cell 1 of no parse.ipynb does not parse"),
    "twice": (('start_diagonal = ("1/N", 0)', *GOOD), ALL, ""),
    "deleted": ((FUNCTION, NETWORK), (0, 2, 3), "no cell gives `start_diagonal` a value"),
    "untouched": (("start_diagonal = ...", FUNCTION, NETWORK), (0, 2, 3), "no cell gives `start_diagonal` a value"),
    "another shape": (
        (VALUE, "def tokens_of(number, N, n):\n    return {}", "add_maximum = 7"),
        (2, 0, 0),
        "expected a Transformer",
    ),
    "kills": (
        ("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)", *GOOD),
        (0, 0, 0),
        "ended the process that runs",
    ),
    "endless": ((ENDLESS, *GOOD), ALL, "Code cell 1: took more than"),
    "stops": (("import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)", *GOOD), (0, 0, 0), "ended the process"),
    "says what none can write": (
        ("def tokens_of(*a):\n    raise ValueError(chr(0xD800))", VALUE, NETWORK),
        (2, 0, 3),
        "ValueError",
    ),
    "never ends": ((VALUE, "import itertools\ntokens_of = lambda *a: itertools.count()"), (2, 0, 0), "entries"),
    "asks": (
        ('from uatbook.exercises import get\nget("ex-start-diagonal").question()\n' + VALUE,),
        (2, 0, 0),
        "",
    ),
    "=1+1": ((VALUE,), (2, 0, 0), ""),
    "-José, 名": ((VALUE,), (2, 0, 0), ""),
}


def notebook(cells: tuple[str, ...]) -> str:
    """As other programs leave it: no metadata, sources in lines."""
    return json.dumps({"cells": [{"cell_type": "code", "source": cell.splitlines(True)} for cell in cells]})


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> sets.ExerciseSet:
    file = tmp_path_factory.mktemp("set") / "week.toml"
    file.write_text(f'title = "A week"\nexercises = {json.dumps(LABELS)}\nvariants = "book"\n')
    return sets.read(file)


@pytest.fixture(scope="module")
def graded(asked: sets.ExerciseSet, tmp_path_factory: pytest.TempPathFactory) -> dict[str, grades.Graded]:
    folder = tmp_path_factory.mktemp("class")
    for name, (cells, _, _) in CLASS.items():
        (folder / f"{name}.ipynb").write_text(notebook(cells))
    (folder / "empty.ipynb").write_text("")
    (folder / "bom.PY").write_text("\n".join(GOOD), encoding="utf-8-sig")
    (folder / "checkpoints").mkdir()
    (folder / "checkpoints" / "week.ipynb").write_text(notebook(GOOD))
    (folder / "checkpoints" / ".ipynb_checkpoints").mkdir()
    (folder / "checkpoints" / ".ipynb_checkpoints" / "week.ipynb").write_text(notebook(("0 = 1",)))
    (folder / "program.py").write_text("\n".join(GOOD))
    (folder / "page.json").write_text(json.dumps({"answers": {"ex-start-diagonal": ["3/N", "11/32"], "ex-no": 1}}))
    (folder / "Doe_Jane_42").mkdir()
    (folder / "Doe_Jane_42" / "week.ipynb").write_text(notebook(GOOD))
    (folder / "link.py").symlink_to("/etc/passwd")
    (folder / os.fsdecode(b"caf\xe9.py")).write_text(VALUE)
    found = submissions.read(folder)
    return {one.student: one for one in grades.grade(found, asked, "course", jobs=2, seconds=1)}


def points(one: grades.Graded) -> tuple[int, ...]:
    return tuple(int(one.points[label]) for label in LABELS)


@pytest.mark.parametrize("name", CLASS)
def test_each_submission_gets_its_points_and_one_line(name: str, graded: dict[str, grades.Graded]) -> None:
    _, expected, says = CLASS[name]
    told = grades.comments(graded[name])
    assert points(graded[name]) == expected, told
    assert any(says in line for line in told) or not says, told


def test_files_of_other_kinds(graded: dict[str, grades.Graded]) -> None:
    assert points(graded["program"]) == points(graded["Doe_Jane_42"]) == points(graded["bom"]) == ALL
    assert points(graded["checkpoints"]) == ALL
    assert not graded["checkpoints"].problems
    assert points(graded["caf\udce9"]) == (2, 0, 0)
    assert points(graded["page"]) == (2, 0, 0)
    assert points(graded["empty"]) == points(graded["link"]) == (0, 0, 0)
    assert "empty.ipynb cannot be read" in graded["empty"].problems[0]
    assert "no file of its own" in graded["link"].problems[0]


def test_lines_in_the_name_of_the_sandbox_are_refused() -> None:
    """What another process writes is no answer; the submission runs again."""
    box = grades.Sandbox()
    job = {"cells": [VALUE], "wanted": [grades._wanted(get("ex-start-diagonal"), "")], "seconds": 1, "memory": 2**31}
    try:
        box.close()
        forged = 'print(\'"done"\\n{"word": "", "found": {"cells": {}, "answers": {}}}\')'
        box._process = subprocess.Popen(
            [sys.executable, "-c", forged], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert box.run(job)["answers"] == {"0": {"handed": ["3/N", "11/32"]}}
    finally:
        box.close()


def test_what_cannot_be_judged_in_time_costs_that_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(grades, "JUDGING", 0.1)
    monkeypatch.setattr(Exercise, "judged", endless)
    assert "too large" in str(grades._said(get("ex-start-diagonal"), {"handed": ["3/N", "11/32"]}, ""))


def test_table_and_pages(asked: sets.ExerciseSet, graded: dict[str, grades.Graded]) -> None:
    rows = list(csv.DictReader(grades.table([*graded.values()], asked).splitlines()))
    assert {row["student"]: float(row["total"]) for row in rows}["right"] == 7
    page = feedback_page.page(graded["says yes"], asked)
    assert "1 of 2 points" in page
    assert "<script" not in page
    assert "11/32" not in page
    assert not [cell for row in rows for cell in row.values() if cell.lstrip()[:1] in "=+-@" and cell]


def test_gradescope_reads_a_test_a_line(asked: sets.ExerciseSet, tmp_path: Path) -> None:
    (written,) = release.FORMATS["gradescope"](asked, "course", [], tmp_path, False)
    with zipfile.ZipFile(written) as archive:
        archive.extractall(tmp_path / "source")
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "w.ipynb").write_text(notebook((VALUE, "def tokens_of(*a): return [0]", NETWORK)))
    (tmp_path / "meta.json").write_text('{"users": [{"email": "ada@example.org"}]}')
    gradescope.main([str(tmp_path / p) for p in ("source/set.json", "submission", "meta.json", "results/results.json")])
    tests = json.loads((tmp_path / "results" / "results.json").read_text())["tests"]
    assert len(tests) == 7
    assert sum(test["max_score"] for test in tests) == 7
    assert sum(test["score"] for test in tests) == 5
    assert [test["output"] != "" for test in tests] == [False, False, True, True, False, False, False]


@pytest.mark.parametrize("solutions", [False, True])
def test_a_notebook_a_student(solutions: bool, tmp_path: Path) -> None:
    """All exercises; right answers where they are data get all points, and a sheet that was not touched none."""
    file = tmp_path / "all.toml"
    file.write_text(f'title = "All"\nexercises = {json.dumps([*EXERCISES])}\n')
    asked = sets.read(file)
    release.FORMATS["plain"](asked, "course", ["ada", "bert"], tmp_path / "out", solutions)
    graded = grades.grade(submissions.read(tmp_path / "out"), asked, "course", jobs=2)
    data = {label for label, found in EXERCISES.items() if found.is_data} if solutions else set()
    for one in graded:
        right = {label for label in EXERCISES if one.points[label] == asked.points[label]}
        assert right == data, grades.comments(one)
    texts = [(tmp_path / "out" / f"{name}.ipynb").read_text() for name in ("ada", "bert")]
    assert texts[0] != texts[1]
    assert all(
        get(label).question("course:ada") in json.loads(texts[0])["cells"][2 + 3 * k]["source"]
        for k, label in enumerate(EXERCISES)
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"exercises": ["ex-nothing"]}, "label: expected an exercise that judges itself"),
        ({"exercises": []}, "exercises: expected labels, each once"),
        ({"exercises": ["ex-start-break"] * 2}, "exercises: expected labels, each once"),
        ({"exercises": "ex-start-break"}, "exercises: expected labels such as"),
        ({"variants": "both"}, "variants: expected"),
        ({"deadline": 3}, "expected no other names than"),
        ({"points": {"ex-context-order": 3}}, "points: expected labels that are among the exercises"),
    ],
)
def test_sets_that_are_none(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    content = {"exercises": ["ex-start-break"], **change}
    file = tmp_path / "set.toml"
    rows = [f"{name} = {json.dumps(value)}" for name, value in content.items() if name != "points"]
    rows += ["[points]", *(f"{k} = {v}" for k, v in content["points"].items())] if "points" in content else []
    file.write_text("\n".join(rows))
    with pytest.raises(ValueError, match=says):
        sets.read(file)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, folder = tmp_path / "set.toml", tmp_path / "in"
    file.write_text('exercises = ["ex-start-diagonal"]\nvariants = "book"\n')
    folder.mkdir()
    out = ["--set", str(file), "--seed", "S", "--out", str(tmp_path / "grades.csv")]
    assert command.grade([str(folder), *out]) == 2
    assert "expected files named after students" in capsys.readouterr().err
    (folder / "ada.py").write_text(VALUE)
    (folder / "bert.py").write_text("start_diagonal = ('3/N', chr(0xD800))")
    file.write_text(file.read_text(), encoding="utf-8-sig")
    assert command.grade([str(folder), *out[:-1], str(tmp_path)]) == 2
    out[-1] = str(tmp_path / "new" / "grades.csv")
    assert command.grade([str(folder), *out, "--feedback", str(tmp_path / "told"), "--jobs", "1"]) == 0
    table = (tmp_path / "new" / "grades.csv").read_text()
    assert table.startswith("student,ex-start-diagonal,total,comments\nada,2,2,\nbert,0,0,")
    assert "fraction: expected a number" in (tmp_path / "told" / "bert.html").read_text()
    assert "Right: 2 of 2 points" in (tmp_path / "told" / "ada.html").read_text()
    assert command.hand_out(["--set", str(file), "--seed", "S", "--out", str(tmp_path / "o"), "--format", "otter"]) == 0
    (master,) = (tmp_path / "o").iterdir()
    cells = "\n".join(cell["source"] for cell in json.loads(master.read_text())["cells"])
    assert re.findall(r"def (test_\w+)", cells) == ["test_kind", "test_order", "test_fraction"]
    shown = re.sub(r"# BEGIN SOLUTION NO PROMPT.*?# END SOLUTION", "", cells, flags=re.DOTALL)
    assert ("11/32" in cells, "11/32" in shown, "start_diagonal = ..." in shown) == (True, False, True)
    shown = subprocess.run(
        [sys.executable, "-m", "uatlib", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert "grade, release" in shown
    assert subprocess.run([sys.executable, "-m", "uatlib", "nothing"], capture_output=True, check=False).returncode == 2
