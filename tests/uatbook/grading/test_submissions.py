"""What is handed in is run as a notebook runs it, or it is said what was left out."""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from uatbook.grading import command, sandbox, submissions

CELLS = (
    "plain = 3",
    "%%time\ntimed = 1",
    "%%capture\ncaptured = 2",
    "%%capture out\nkept = 2",
    "%time line = 4",
    "timed_value = %time 5",
    "%%timeit -n 1 -r 1\nlost = 6",
    "%timeit -n 1 -r 1 1 + 1",
    "after = 7",
    "?sorted",
    "sorted?",
    "magic_between = 8\n%config InlineBackend.figure_format = 'svg'\nbelow = 9",
    "listed = !echo one; echo two",
    "!true",
    "%%bash\ntrue",
    "under_shell = 10",
    "%%html\n<b>x</b>",
    "%%writefile helper.py\nhelp_value = 11",
    "from helper import help_value",
    "import asyncio\nawait asyncio.sleep(0)\nawaited = 12",
    "async def later():\n    return 13\nwaited = await later()",
    "get_ipython().run_line_magic('time', 'called = 14')",
    "%time\nbare = 16",
    "    indented = 17",
    "text = '''\n%%time\n!ls\n'''",
    "number = 10 % 3",
    "rest = [k %\n2 for k in range(3)]",
    "if True:\n    %time within = 18",
    "def f():\n    return 19\nof_function = f()",
    "display(1)",
    "print(2); printed = 20",
    "broken = (",
    "after_broken = 21",
    "raised = 22\n1/0\nnot_reached = 23",
    "name = __name__",
    "%%prun -q\nprofiled = 24",
    "%%time\n%time nested = 25",
    "import warnings\nescaped = '\\d'",
    "In, Out\nhas_in = 26",
    "%%time\n\n\n# comment\nspaced = 27",
    "%%markdown\n*x*",
    "%%javascript\nlet x = 1",
    "6 * 7",
    "remembered = _",
    "numbered = [one for one in Out.values() if one == 42]",
    "quiet = 30\nquiet + 1;",
    "not_remembered = _",
    "%%capture said\nprint('heard')",
    "of_capture = said.stdout",
    "%%capture\nwithin_capture = 31\n1/0",
    "after_capture = 32",
    "%%time\nbefore_error = 33\n1/0\nbehind_error = 34",
    "%env COURSE=35\nimport os\nof_system = os.environ['COURSE']",
    "%cd -q .\nmoved = os.path.isdir('.')",
    "words = !echo $moved {6 * 6}\nof_words = words.s",
    "%%bash --out of_bash\necho 37",
    "%%script sh -c 'exit 3' --no-raise-error\n:",
    "below_script = 38",
    "%%sx\necho 39",
    "of_sx = list(_)",
    "from __future__ import annotations\ndef later_type(x: not_there): pass",
    "def next_type(x: not_there_either): pass\nfutures = 40",
    "import inspect\ndef shown_source(): return 41\nof_source = inspect.getsource(shown_source)",
    "display(3)\nfrom IPython.display import HTML, display\nHTML('x')\nof_display = 43",
    "%%timeit -n 1000 -r 7\nos.environ['COURSE'] = '44'",
    "of_timeit = os.environ['COURSE']",
    "%matplotlib inline\nunder_inline = 45",
    "%autoreload 2\nunder_autoreload = 46",
    "%load_ext autoreload\n%autoreload 2\nunder_loaded = 47",
    "%pinfo sorted\n%who\n%whos\n%lsmagic\n%history\nunder_looks = 48",
    "_task = __import__('asyncio').ensure_future(later())",
    "of_task = await _task",
    "async for _one in (k async for k in later_numbers()): last_one = _one",
    "async def later_numbers():\n    yield 49\nasync with __import__('asyncio').Lock(): locked = 50",
    "import pickle\nclass Kept: size = 51\nof_pickle = pickle.loads(pickle.dumps(Kept())).size",
    "try:\n    input('?')\nexcept BaseException: no_input = 52",
    "raise SystemExit",
    "after_exit = 53",
    "%pip --version\nunder_pip = 54",
    "%prun -q profiled_line = 55",
    "%%python\nin_another = 56",
    "%run helper.py\nof_run = help_value",
    "%%writefile -a helper.py\nhelp_value = 57",
    "%run ./helper.py",
    "%load_ext nothing_of_this_name\nunder_no_extension = 58",
    "#%%time\ncommented = 59",
    "x? # y\nasked = 60",
    "print('\\x1b[31m'); \\\nslash = 61",
    "match_ = 62; match = match_ % 7",
    "get_ipython().system('true'); of_get = get_ipython().getoutput('echo 63')[0]",
    "get_ipython().magic",
    "cells_so_far = len(In) > 50 and 64",
    "%%html\n",
    "%%time",
    "%time",
    "%",
    "!",
    "?",
    "del plain",
    "%unknown_magic x\nnever = 65",
    "%%unknown_magic\nnever_either = 66",
    "async def set_later():\n    global by_task\n    by_task = 68\n_left = asyncio.create_task(set_later())",
    "between_cells = by_task",
    "async def waits():\n    for _ in range(20): await asyncio.sleep(0)\n    return 69",
    "_left = asyncio.ensure_future(waits())",
    "without_await = _left.result()",
    "_left = asyncio.get_event_loop().create_task(waits()); in_loop = asyncio.get_running_loop().is_running()",
    "by_loop = (await asyncio.gather(waits(), waits()))[1] + _left.result()",  # begun earlier, it ends earlier
    "await asyncio.wait_for(asyncio.sleep(60), .01)",
    "below_timeout = 70",
    "under_loop = asyncio.run(waits())",
    "async with asyncio.timeout(5), asyncio.TaskGroup() as group: _grouped = group.create_task(waits())",
    "of_group = _grouped.result()",
    "last_of_all = 67",
)
NAMES = sorted({"help_value", *re.findall(r"\b([a-z]\w*) = ", "\n".join(CELLS))})


PLACE = re.compile(" at 0x[0-9a-f]+")
ENDINGS = r"(?i)\.(?:ipynb|py|zip|rar|pdf|txt)(?:\.txt|\.json)?$"
BY_NAME = f"bound = [[k, repr(v)] for k, v in globals().items() if k in {NAMES!r}]"
"""A cell that lists what is bound, but for where objects lie."""
KINDLIER = {"never", "under_autoreload", "under_no_extension"}
"""Names below a magic that is not there: a notebook stops, the grader says so and goes on."""
OF_PROGRAMS = {"under_loop"}
"""What a notebook refuses, and a program that was handed in need not."""


def _run(cells: Mapping[int, str], name: str) -> sandbox.Found:
    wanted = [{"name": name, "fields": [{"kind": "number", "name": name, "tensors": False}], "calls": []}]
    return sandbox.run(sandbox.Job(cells, wanted, seconds=20), confined=not sandbox.refusal())


def test_cells_bind_what_they_bind_in_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel runs them; whatever the grader does otherwise it says."""
    monkeypatch.chdir(tmp_path)
    cells = [nbformat.v4.new_code_cell(cell) for cell in (*CELLS, BY_NAME, "import json; print(json.dumps(bound))")]
    book = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(book, allow_errors=True, kernel_name="python3", on_cell_executed=_pause).execute()
    (lines,) = (output["text"].splitlines() for output in book.cells[-1].outputs if output.get("name") == "stdout")
    bound = dict(json.loads(lines[-1]))
    assert {"timed", "listed", "help_value", "nested", "waited", "between_cells", "by_loop", "last_of_all"} <= {*bound}
    found = _run(dict(enumerate([*CELLS, BY_NAME], 1)), "bound")
    ours = dict(found["answers"]["0"]["handed"][0])
    alike = {name for name in NAMES if PLACE.sub("", bound.get(name, "")) == PLACE.sub("", ours.get(name, ""))}
    assert {*NAMES} - alike == KINDLIER | OF_PROGRAMS
    for name in KINDLIER:
        (place,) = (place for place, cell in enumerate(CELLS, 1) if f"{name} = " in cell)
        assert "was left out" in found["cells"][str(place)]
    failed = [place for place, cell in enumerate(book.cells[: len(CELLS)], 1) if _fails(cell)]
    (program,) = (place for place, cell in enumerate(CELLS, 1) if "asyncio.run(" in cell)
    assert {str(place) for place in failed} - {*found["cells"]} == {str(program)}


def _pause(cell: Any, **more: Any) -> None:
    """Time between two cells, which a person leaves and a client need not: there a task left behind goes on."""
    time.sleep(1.0 if "_left" in cell["source"] else 0)


def _fails(cell: Any) -> bool:
    return any(output["output_type"] == "error" for output in cell.outputs)


CELL = "start_diagonal = ('3/N', '11/32')"


def _notebook(**more: Any) -> dict[str, Any]:
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [{"cell_type": "code", "source": CELL, **more}],
    }


NOTEBOOK = json.dumps(_notebook())
OLD_CELL = {"cell_type": "code", "input": CELL, "language": "python", "outputs": [], "collapsed": False, "metadata": {}}
OLD = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [OLD_CELL]}]}
OLDEST = {"nbformat": 2, "metadata": {}, "worksheets": [{"cells": [{**OLD_CELL, "prompt_number": 1}]}]}
BARE = {"cells": [{"cell_type": "new"}, *({"cell_type": "code", "source": each} for each in ("", "x = (", [CELL]))]}
EXPORTED = f"#!/usr/bin/env python\n# coding: utf-8\n\n# In[1]:\n\n\n1/0\n\n\n# In[ ]:\n\n\n{CELL}\n"
PERCENT = f"1/0\n# %% [markdown]\n# text\n# %%\n# %%time\n{CELL}\n"
STATEMENTS = f"import os; x = 1\n\n@property\ndef f(): pass\n1/0\n{CELL}\n"
LONG = "x = [" + "1,\n" * 100_000 + "]  # seed\n"
FILES: dict[str, tuple[bytes, str, list[int]]] = {
    "a.ipynb": (NOTEBOOK.encode(), "", [1]),
    "bom.ipynb": (NOTEBOOK.encode("utf-8-sig"), "", [1]),
    "wide.ipynb": (NOTEBOOK.encode("utf-16"), "", [1]),
    "old.ipynb": (json.dumps(OLD).encode(), "", [1]),
    "oldest.ipynb": (json.dumps(OLDEST).encode(), "", [1]),
    "outputs.ipynb": (json.dumps(_notebook(outputs=[{"text": "x" * 60_000_000}])).encode(), "", [1]),
    "Dora.ipynb.txt": (NOTEBOOK.encode(), "", [1]),
    "Dora 2.IPYNB.json": (NOTEBOOK.encode(), "", [1]),
    "bare.ipynb": (json.dumps(BARE).encode(), "", [2, 3]),
    "exported.py": (EXPORTED.encode(), "", [1, 4, 10]),
    "percent.py": (PERCENT.encode(), "", [1, 2, 4]),
    "nearly percent.py": (PERCENT.replace("# %", "#%").encode(), "", [1, 2, 4]),
    "statements.py": (STATEMENTS.encode(), "", [1, 3, 5, 6]),
    "latin.py": (f"# -*- coding: latin-1 -*-\nx = 'é'\n{CELL}\n".encode("latin-1"), "", [2, 3]),
    "broad.py": (CELL.encode("utf-16"), "", [1]),
    "long.py": (f"{LONG}{CELL}\n".encode(), "", [1]),
    "many.ipynb": (json.dumps({"cells": BARE["cells"] * 1000}).encode(), "more than 2,000 cells", []),
    "bomb.ipynb": (b"[" + b"{}," * 10_000_001 + b"0]", "more than 10,000,000 parts", []),
    "deep.ipynb": (b"[" * 100_000, "cannot be read", []),
    "no.ipynb": (b"{", "cannot be read", []),
    "no text.py": (b"# coding: rot13\n", "not a text encoding", []),
    "slow.py": (b"# coding: punycode\n", "expected an encoding as UTF-8", []),
    "no such.py": (b"# coding: no-such\n", "no-such", []),
    "Carl.zip": (b"PK", "File is not a zip file", []),
    "Carl.rar": (b"Rar", "it is of no kind that is graded, .ipynb, .py, .json; unpack it", []),
    "Gil.pdf": (b"%PDF", "it is of no kind that is graded, .ipynb, .py, .json", []),
    "class.txt": (b"", "it is of no kind that is graded", []),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("collected")
    for name, (data, _, _) in FILES.items():
        (place / name).write_bytes(data)
    (place / "a pipe").symlink_to("nowhere")
    os.mkfifo(place / "a fifo.ipynb")
    for name in (".DS_Store", "Fay/week.zip", "Fay/.ipynb_checkpoints/a.ipynb", "Eve/notes.txt"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"PK")
    (place / "Eve" / "week.ipynb").write_text(NOTEBOOK)
    return place


def test_each_entry_is_read_or_said(folder: Path) -> None:
    found = {}
    for one in submissions.read(folder):
        found.setdefault(one.entry, []).append(one)
    assert sum(map(len, found.values())) == len(FILES) + 4
    for name, (_, says, places) in FILES.items():
        (one,) = (one for one in found[re.split(ENDINGS, name)[0]] if not says or says in "".join(one.problems))
        assert [*one.cells] == places, name
        assert (CELL in "".join(one.cells.values())) == (not says), name
        assert bool(one.problems) == bool(says), name
    (eve,), (fay,) = found["Eve"], found["Fay"]
    assert eve.graded
    assert ["notes.txt" in problem for problem in eve.problems] == [True]
    assert ["week.zip cannot be read: File is not" in problem for problem in fay.problems] == [False, True]
    assert submissions.left_out(folder) == [".DS_Store", ".ipynb_checkpoints"]


def packed(*files: tuple[str, str], change: tuple[bytes, bytes] = (b"", b""), **how: int) -> bytes:
    """A zip with these files, in which some bytes are changed."""
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w", **how) as archive:
        warnings.simplefilter("ignore")  # of a name twice
        for name, text in files:
            info = zipfile.ZipInfo(name)
            info.compress_type = archive.compression
            info.external_attr = (0o120777 if name == "link.ipynb" else 0o644) << 16
            archive.writestr(info, text)
    return made.getvalue().replace(*change) if change[0] else made.getvalue()


ONE = ("week.ipynb", NOTEBOOK)
SMALL = {"compression": zipfile.ZIP_DEFLATED}
TOO_MANY = submissions.MOST_BYTES + 1
ZIPS: dict[str, tuple[Callable[[], bytes], int, str]] = {
    # What makes it (some hold 200 MB), how many of its files are read, and what is said of the others.
    "plain": (lambda: packed(ONE), 1, ""),
    "a folder, and what a Mac adds": (lambda: packed(("w/a.ipynb", NOTEBOOK), ("__MACOSX/w/._a.ipynb", "")), 1, ""),
    "two": (lambda: packed(ONE, ("b.py", CELL)), 2, ""),
    "deflated": (lambda: packed(ONE, **SMALL), 1, ""),
    "in bz2": (lambda: packed(ONE, compression=zipfile.ZIP_BZIP2), 1, ""),
    "in lzma": (lambda: packed(ONE, compression=zipfile.ZIP_LZMA), 1, ""),
    "a picture": (lambda: packed(ONE, ("big.png", "x" * 10**6)), 1, "big.png cannot be read: it is of no kind"),
    "climbs": (lambda: packed(("../../../climbed.ipynb", NOTEBOOK)), 1, ""),
    "from the root": (lambda: packed(("/climbed.ipynb", NOTEBOOK)), 1, ""),
    "from Windows": (lambda: packed(("w\\..\\..\\climbed.ipynb", NOTEBOOK)), 1, ""),
    "a link": (lambda: packed(("link.ipynb", "/etc/passwd")), 0, "link.ipynb cannot be read: Expecting value"),
    "nothing": (packed, 0, "There is no file of the kinds"),
    "the folder above": (lambda: packed(("..", NOTEBOOK)), 0, "cannot be read"),
    "a file twice": (lambda: packed(ONE, ONE), 0, "cannot be read: [Errno 17] File exists"),
    "a file and a folder": (
        lambda: packed(("w", ""), ("w/a.ipynb", NOTEBOOK)), 0, "cannot be read: [Errno 17] File exists",
    ),
    "a long name": (lambda: packed(("x" * 300 + ".ipynb", NOTEBOOK)), 0, "cannot be read: [Errno 36]"),
    "a bomb": (lambda: packed(("w.ipynb", "0" * TOO_MANY), **SMALL), 0, "10,000 files, or 200 MB"),
    "a bomb beside it": (lambda: packed(ONE, ("w.txt", "0" * TOO_MANY), **SMALL), 1, "w.txt cannot be"),
    "a bomb of files": (lambda: packed(*((f"{k}.txt", "") for k in range(10_001))), 0, "10,000 files, or 200 MB"),
    "a bomb that says it is none": (
        lambda: packed(("w.ipynb", "0" * 10**7), change=tuple(n.to_bytes(4, "little") for n in (10**7, 9)), **SMALL),
        0, "Bad CRC-32",
    ),
    "a zip in it": (lambda: packed(ONE, ("b.zip", packed(ONE))), 1, "b.zip cannot be read: it is of no kind"),
    "a secret": (lambda: packed(ONE, change=(b"PK\1\2\x14\3\x14\0\0", b"PK\1\2\x14\3\x14\0\1")), 0, "encrypted"),
    "a method of no use": (lambda: packed(ONE, change=(b"\x14\0\0\0\0\0", b"\x14\0\0\0\x63\0")), 0, "cannot be read"),
    "cut off": (lambda: packed(ONE)[:-9], 0, "File is not a zip file"),
}  # fmt: skip


@pytest.mark.parametrize("name", ZIPS)
def test_zips_of_students(name: str, tmp_path: Path) -> None:
    """As if its files lay in a folder; or it costs its owner what it holds, is said, and leaves nothing."""
    make, number, says = ZIPS[name]
    data = make()
    for place in ("in/Ann.zip", "in/Bob/week.zip"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(data)
    (tmp_path / "in" / "zed.ipynb").write_text(NOTEBOOK)
    before = {*Path(tempfile.gettempdir()).iterdir(), *tmp_path.rglob("*")}
    found = submissions.read(tmp_path / "in")
    new = {*Path(tempfile.gettempdir()).iterdir(), *tmp_path.rglob("*")} - before
    assert not [place for place in new if "climbed" in place.name]
    for student in ("Ann", "Bob"):
        its = [one for one in found if one.entry == student]
        assert sum(CELL in "".join(one.cells.values()) for one in its) == number
        problems = "".join(problem for one in its for problem in one.problems)
        assert (says in problems, bool(problems)) == (True, bool(says))
    assert found[-1].cells == {1: CELL}


def test_the_zip_of_a_class(tmp_path: Path) -> None:
    """As Canvas and Moodle hand it out; what students have packed is theirs, whatever names stand within."""
    inner = packed(("annlee_1_2_x.ipynb", NOTEBOOK))
    names = [
        "berganna_1_2_x.ipynb",
        "Zoë_7_assignsubmission_file_/w.ipynb",
        "eve_3_4_x.zip",
        "Bob_8_assignsubmission_file_/w.zip",
    ]
    entries = [(name, inner if name.endswith("zip") else NOTEBOOK) for name in names]
    data = packed(*entries)
    for k, class_of in enumerate((data, packed(("Zoë_7_x.ipynb", NOTEBOOK), change=(b"\0\x08", b"\0\0")))):
        (tmp_path / f"{k}.zip").write_bytes(class_of)
    found = submissions.read(tmp_path / "0.zip")
    by_hand = packed(*((f"week1/{name}", content) for name, content in entries), ("__MACOSX/week1/._x.ipynb", ""))
    (tmp_path / "week1.zip").write_bytes(by_hand)
    assert submissions.read(tmp_path / "week1.zip") == found
    assert [one.entry for one in found] == sorted(re.split(ENDINGS, name.partition("/")[0])[0] for name in names)
    assert all(one.cells == {1: CELL} for one in found)
    assert [one.entry for one in submissions.read(tmp_path / "1.zip")] == ["Zoë_7_x"]
    for content in (b"PK", packed(*((f"{k}.txt", "") for k in range(10_001)))):
        (tmp_path / "no.zip").write_bytes(content)
        with pytest.raises(
            ValueError, match="folder: expected a zip that can be opened, or the folder of what it holds"
        ):
            submissions.read(tmp_path / "no.zip")


@pytest.mark.parametrize("listed", [False, True])
def test_the_grader_names_each_entry(
    listed: bool, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "set.toml").write_text('title = "A"\nexercises = ["ex-start-diagonal"]\nvariants = "book"\n')
    (tmp_path / "class.txt").write_text("Carl\nEve\nFay\n")
    arguments = [str(folder), "--set", f"{tmp_path}/set.toml", "--seed", "word", "--out", f"{tmp_path}/grades.csv"]
    arguments += ["--unconfined"] * bool(sandbox.refusal()) + ["--students", f"{tmp_path}/class.txt"] * listed
    assert command.grade(arguments) == 0
    said, rows = capsys.readouterr().out, (tmp_path / "grades.csv").read_text("utf-8-sig")
    for entry in folder.iterdir():
        stem = re.split(ENDINGS, entry.name)[0]
        assert entry.name in said or re.search(rf"^{re.escape(stem)},", rows, re.MULTILINE), entry.name
    assert re.search(r"^Carl,0,0,.*Carl\.zip cannot be read", rows, re.MULTILINE) if listed else "Carl.zip" in said
    assert "Nothing was handed in" not in rows
    assert re.search("^Eve,2,2,", rows, re.MULTILINE)


def test_what_grading_needs_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("uatlib.checks.find_spec", lambda name: None)
    assert command.grade([".", "--set", "s", "--seed", "w", "--out", "o"]) == 2
    assert 'pip install "uatlib[grading]"' in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".py") and not FILES[name][1]])
def test_an_error_costs_a_piece_of_a_program(name: str, folder: Path) -> None:
    made = submissions.Submission("one")
    submissions._add(made, folder / name)
    found = _run(made.cells, "start_diagonal")
    assert found["answers"]["0"] == {"handed": [["3/N", "11/32"]]}


@pytest.mark.parametrize("above", ["", "%matplotlib inline\n", "sorted?\n!true\n", "%%time\n", "await later()\n"])
def test_a_seed_is_read_beside_magics(above: str) -> None:
    assert submissions._seeds(f"{above}seed = 'word:Ann'\nif seed:\n    %time x(seed='word:Bob')") >= {"word:Ann"}


def test_a_blank_below_an_answer_takes_nothing_away_and_is_said() -> None:
    found = _run({1: "x = 3", 2: "x = ...", 3: "x += 1"}, "x")
    assert found["answers"]["0"] == {"handed": [4]}
    assert [*found["cells"]] == ["2"]
    assert "`x = ...` takes nothing away" in found["cells"]["2"]
    assert "no cell gives `x` a value" in _run({1: "x = ..."}, "x")["answers"]["0"]["problem"]
