"""A small class, honest and less so, graded in one run; and what is handed out."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from uatbook.exercises import EXERCISES, RUNS, Exercise, get
from uatbook.grading import command, feedback_page, grades, release, sets, students, submissions

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
    "loop in an answer": (
        (VALUE, "def tokens_of(number, N, n):\n    while True: pass", NETWORK),
        (2, 0, 3),
        "Does your loop end?",
    ),
    "asleep": ((VALUE, "import time\ntime.sleep(60)", FUNCTION, NETWORK), ALL, "Code cell 2: took more than 5 s"),
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
    "no parse": (("start_diagonal = (", FUNCTION, NETWORK), (0, 2, 3), "Code cell 1: SyntaxError"),
    "twice": (('start_diagonal = ("1/N", 0)', *GOOD), ALL, ""),
    "deleted": ((FUNCTION, NETWORK), (0, 2, 3), "no cell gives `start_diagonal` a value"),
    "untouched": (("start_diagonal = ...", FUNCTION, NETWORK), (0, 2, 3), "no cell gives `start_diagonal` a value"),
    "another shape": (
        (VALUE, "def tokens_of(number, N, n):\n    return {}", "add_maximum = 7"),
        (2, 0, 0),
        "expected a Transformer",
    ),
    "endless": ((ENDLESS, *GOOD), ALL, "Code cell 1: took more than"),
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
    whose, _ = students.attributed(submissions.read(folder), asked, "course", None)
    return {one.student: one for one in grades.grade(whose, asked, "course", grades.Runs(jobs=2, seconds=1))}


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
    # That a program ran is said where it did not.
    pages = (feedback_page.page(graded[name], asked) for name in ("right", "says what none can write"))
    assert [re.findall(f"<li>(.) {RUNS}</li>", text) for text in pages] == [[], ["✗"]]
    assert not [cell for row in rows for cell in row.values() if cell.lstrip()[:1] in "=+-@" and cell]


HOSTILE = (
    "</title><script>alert(1)</script>",
    "\"onload='x'",
    "<!--",
    "]]>",
    "&amp;",
    "&#60;b&#62;",
    "a\0b",
    "\ud800",
    "\r\n\t",
    "`<b>`",
    "</code></p></main></html>",
    "\u202e\u2028",
    "\x1b[2J",
    "<svg/onload=x>",
    "\ufeff",
    "{title}",
    "\\1",
    "𝕏" * 300,
    "=1+1",
)
"""What a name, an answer, an error or a set may say."""
TAGS = {"html", "head", "meta", "title", "style", "main", "h1", "h2", "p", "strong", "section", "code", "ul",
        "li", "small"}  # fmt: skip
ATTRIBUTES = {"lang", "charset", "name", "content", "class"}
PARTS = ["h1", "p", "section", "section", "section", "h2", "ul", "p"]
UNSAID = re.compile("[\\x00\\ud800-\\udfff\\ufffd?`\\s]")
"""Signs that no page can say, what stands there in their place, and the marks of code."""


def test_pages_of_feedback_are_read_as_they_were_meant(asked: sets.ExerciseSet) -> None:
    """By a reader of HTML: whatever is said in them is text, and none of it an element or an attribute."""

    def shown(text: str) -> str:
        return UNSAID.sub("", text)

    for k, said in enumerate(HOSTILE):
        label, other = LABELS[:2]
        told = grades._graded(
            submissions.Submission(said, problems=[said]), asked, "course",
            {label: {"handed": [said, said]}, other: {"problem": said}}, [f"Code cell 1: {said}"],
        )  # fmt: skip
        page = feedback_page.page(told, dataclasses.replace(asked, title=said)).encode(errors="replace")
        read = BeautifulSoup(page, "lxml")
        assert {tag.name for tag in read.find_all()} == TAGS, k
        assert {*itertools.chain(*(tag.attrs for tag in read.find_all()))} == ATTRIBUTES
        assert [tag.name for tag in read.main.find_all(recursive=False)] == PARTS
        assert shown(read.h1.text) == shown(read.title.text) == shown(f"{said}: {said}"), k
        assert [shown(line.text) for line in read.select("main > ul > li")] == [
            shown(said),
            shown(f"Code cell 1: {said}"),
        ]
        assert shown(grades._cut(said)) in shown(read.select("section")[1].text), k


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> sets.ExerciseSet:
    file = tmp_path_factory.mktemp("set") / "all.toml"
    file.write_text(f'title = "All"\nexercises = {json.dumps([*EXERCISES])}\n')
    return sets.read(file)


def test_a_notebook_a_student(every: sets.ExerciseSet, tmp_path: Path) -> None:
    """A sheet that was not touched gets no point; with the answers of the teacher's table all those of data."""
    names = ["Zoë O'Brien", "bert"]
    written = release.plain(every, "course", names, tmp_path)
    assert [path.name for path in written] == ["Zoë O'Brien.ipynb", "bert.ipynb"]
    table = {row["student"]: row for row in csv.DictReader(release.answers(every, "course", names).splitlines())}
    cells = json.loads(written[0].read_text("utf-8"))["cells"]
    said = "\n".join(cell["source"] for cell in cells)
    for one in every.exercises:
        assert one.question("course:Zoë O'Brien") in said
        assert f"Hand in `{one.name}`" in said
        if one.is_data:
            cells.append({"cell_type": "code", "source": f"{one.name} = {table[names[0]][one.label]}"})
        else:
            assert table[names[0]][one.label] == "in the book"
    written[0].write_text(json.dumps({"cells": cells}))
    whose, told = students.attributed(submissions.read(tmp_path), every, "course", None)
    assert told == []
    for one in grades.grade(whose, every, "course", grades.Runs(jobs=2)):
        right = {label for label in EXERCISES if one.points[label] == every.points[label]}
        data = {label for label, found in EXERCISES.items() if found.is_data}
        assert right == (data if one.student == names[0] else set()), grades.comments(one)
    with pytest.raises(ValueError, match=r"a folder that has no other Zoë O'Brien\.ipynb"):
        release.plain(every, "course", names, tmp_path)


def test_whose_submission_it_is(every: sets.ExerciseSet, tmp_path: Path) -> None:
    """As systems name files, with a class list and without one; each on the numbers of their own."""
    names = ["Zoë O'Brien", "Müller, Anna", "Ann", "Ann B/C", "José"]
    release.plain(every, "course", names, tmp_path / "out")
    sheets = {name: (tmp_path / "out" / f"{students.file_name(name)}.ipynb").read_text("utf-8") for name in names}
    (tmp_path / "in").mkdir()
    handed = {
        "Zoë O'Brien_448812_assignsubmission_file_/w.ipynb": names[0],
        "obrienzoe_88123_447_Zoe OBrien.ipynb": names[0],
        "homework.ipynb": "Müller, Anna",
        "Ann.ipynb": "Ann",
        "x Ann B_C (1).ipynb": "Ann B/C",
        "Jose\u0301.ipynb": "José",
    }
    for path, name in handed.items():
        (tmp_path / "in" / path).parent.mkdir(exist_ok=True)
        (tmp_path / "in" / path).write_text(sheets[name], encoding="utf-8")
    (tmp_path / "class.csv").write_text("Name,Mail\n" + "".join(f'"{name}",{k}@x\n' for k, name in enumerate(names)))
    known = students.read(tmp_path / "class.csv")
    whose, told = students.attributed(submissions.read(tmp_path / "in"), every, "course", known)
    assert {name: len(files) for name, files in whose.items()} == dict(zip(names, (2, 1, 1, 1, 1), strict=True))
    assert "homework: taken as Müller, Anna, as its seed says" in told
    assert not [file.problems for files in whose.values() for file in files if file.problems]
    alone, _ = students.attributed(submissions.read(tmp_path / "in"), every, "course", None)
    assert {*alone} == {*names}
    # Of a seed that is nobody's the numbers are not those of whose file it is, and it is said; so are strangers.
    stranger = sheets["José"].replace("course:José", "course:Joe")
    (tmp_path / "in" / "Ann.ipynb").write_text(stranger, encoding="utf-8")
    (tmp_path / "in" / "eve.py").write_text("")
    whose, told = students.attributed(submissions.read(tmp_path / "in"), every, "course", known)
    assert whose["Ann"][0].problems == ["Its seed is course:Joe, so that answers may be to numbers of somebody else."]
    assert "eve: nobody of the class list" in told
    with pytest.raises(ValueError, match="expected course, as the notebooks say, got 'Course'"):
        students.attributed(submissions.read(tmp_path / "in"), every, "Course", known)


def test_the_better_of_two_answers_counts(asked: sets.ExerciseSet, tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "early.py").write_text(VALUE)
    (tmp_path / "ada" / "late.ipynb").write_text(notebook(("start_diagonal = 1", FUNCTION)))
    (tmp_path / "list.txt").write_text("ada\nbert\n")
    known = students.read(tmp_path / "list.txt")
    whose, told = students.attributed(submissions.read(tmp_path), asked, "course", known)
    ada, bert = [one for one in grades.grade(whose, asked, "course") if one.student in known.rows]
    assert points(ada) == (2, 2, 0)
    assert "ada: 2 files; of each exercise the better answer counts" in told
    assert points(bert) == (0, 0, 0)
    assert bert.problems == ["Nothing was handed in."]


def test_what_a_page_exports_has_the_numbers_of_the_book(every: sets.ExerciseSet, tmp_path: Path) -> None:
    answers = {"ex-start-diagonal": ["3/N", "11/32"], "ex-cheng-nine": [[[0]] * 9, [[0]] * 9]}
    (tmp_path / "ada.json").write_text(json.dumps({"answers": answers}))
    whose, _ = students.attributed(submissions.read(tmp_path), every, "course", None)
    assert [*whose["ada"][0].answers] == ["ex-cheng-nine"], "which has no other numbers"
    assert "answers the book's numbers" in whose["ada"][0].problems[0]


def test_words_of_a_course() -> None:
    for word in ("", " ", "a:b"):
        with pytest.raises(ValueError, match="seed: expected a word for the course"):
            students.course_word(word)


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
    table = (tmp_path / "new" / "grades.csv").read_text("utf-8-sig")
    assert table.startswith("student,ex-start-diagonal,total,comments\nada,2,2,\nbert,0,0,")
    assert "fraction: expected a number" in (tmp_path / "told" / "bert.html").read_text()
    assert "Right: 2 of 2 points" in (tmp_path / "told" / "ada.html").read_text()
    (tmp_path / "class.txt").write_text("ada\n")
    (folder / "bert.py").rename(folder / "\x1b[2Jbert.py")
    capsys.readouterr()
    assert command.grade([str(folder), *out, "--students", str(tmp_path / "class.txt"), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("�[2Jbert: nobody of the class list\n1 student, 2.00 of 2 points"), said
    assert command.hand_out(["--set", str(file), "--seed", "S", "--out", str(tmp_path / "o"), "--format", "otter"]) == 0
    (master,) = (tmp_path / "o").iterdir()
    cells = "\n".join(cell["source"] for cell in json.loads(master.read_text())["cells"])
    assert re.findall(r"def (test_\w+)", cells) == ["test_kind", "test_order", "test_fraction"]
    shown = re.sub(r"# BEGIN SOLUTION NO PROMPT.*?# END SOLUTION", "", cells, flags=re.DOTALL)
    assert ("11/32" in cells, "11/32" in shown, "start_diagonal = ..." in shown) == (True, False, True)
    shown = subprocess.run(
        [sys.executable, "-m", "uatlib", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert re.findall(r"^  (grade|release) +\w", shown, re.M) == ["grade", "release"]
    assert subprocess.run([sys.executable, "-m", "uatlib", "nothing"], capture_output=True, check=False).returncode == 2
