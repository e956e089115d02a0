"""What is handed in is run as a notebook runs it, or it is said what was left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from uatbook.grading import sandbox, submissions

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
    "%unknown_magic x\nnever = 28",
    "%%unknown_magic\nnever_either = 29",
)
# fmt: off
NAMES = [
    "plain", "timed", "captured", "kept", "line", "timed_value", "lost", "after", "magic_between",
    "below", "listed", "under_shell", "help_value", "awaited", "waited", "called", "bare", "indented",
    "text", "number", "rest", "within", "of_function", "printed", "broken", "after_broken", "raised",
    "not_reached", "name", "profiled", "nested", "escaped", "has_in", "spaced", "never", "never_either",
]
# fmt: on


def test_cells_bind_what_they_bind_in_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel runs them; whatever the grader does otherwise it says."""
    monkeypatch.chdir(tmp_path)
    show = f"import json; print(json.dumps({{k: v for k, v in globals().items() if k in {NAMES!r}}}))"
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in (*CELLS, show)])
    client = NotebookClient(book, allow_errors=True, kernel_name="python3", resources={"metadata": {"path": tmp_path}})
    client.execute()
    bound: dict[str, Any] = json.loads(book.cells[-1].outputs[0]["text"])
    assert {"timed", "listed", "help_value", "nested", "waited"} <= {*bound}
    wanted = [
        {"name": name, "fields": [{"kind": "number", "name": name, "tensors": False}], "calls": []} for name in NAMES
    ]
    found = sandbox.run(sandbox.Job(dict(enumerate(CELLS, 1)), wanted, seconds=20), confined=not sandbox.refusal())
    ours = {
        name: found["answers"][str(k)]["handed"][0]
        for k, name in enumerate(NAMES)
        if "handed" in found["answers"][str(k)]
    }
    differ = {name for name in NAMES if bound.get(name, ...) != ours.get(name, ...)}
    assert differ == {"never"}, "which a notebook, too, does not run"
    said = {CELLS[int(place) - 1].split()[0]: said for place, said in found["cells"].items()}
    assert {*said} == {"%%html", "%%markdown", "broken", "raised", "%unknown_magic", "%%unknown_magic"}
    assert said["%%html"] == "what stands below %%html was left out and shows nothing here"


CELL = "start_diagonal = ('3/N', '11/32')"
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "source": CELL}]}
OLD_CELL = {"cell_type": "code", "input": CELL, "language": "python", "outputs": [], "collapsed": False, "metadata": {}}
OLD = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [OLD_CELL]}]}
LARGE = {**NOTEBOOK, "cells": [{"cell_type": "code", "source": CELL, "outputs": [{"text": "x" * 30_000_000}]}]}
EXPORTED = f"#!/usr/bin/env python\n# coding: utf-8\n\n# In[1]:\n\n\n1/0\n\n\n# In[ ]:\n\n\n{CELL}\n"
FILES: dict[str, tuple[bytes, dict[int, str], str]] = {
    "a.ipynb": (json.dumps(NOTEBOOK).encode(), {1: CELL}, ""),
    "bom.ipynb": (b"\xef\xbb\xbf" + json.dumps(NOTEBOOK).encode(), {1: CELL}, ""),
    "wide.ipynb": (json.dumps(NOTEBOOK).encode("utf-16"), {1: CELL}, ""),
    "old.ipynb": (json.dumps(OLD).encode(), {1: CELL}, ""),
    "large.ipynb": (json.dumps(LARGE).encode(), {1: CELL}, ""),
    "Dora.ipynb.txt": (json.dumps(NOTEBOOK).encode(), {1: CELL}, ""),
    "blank.ipynb": (
        json.dumps({"cells": [{"cell_type": "code", "source": s} for s in ("", "x = (", CELL)]}).encode(),
        {2: "x = (", 3: CELL},
        "",
    ),
    "exported.py": (EXPORTED.encode(), {}, ""),
    "percent.py": (f"# %%\n1/0\n# %% [markdown]\n# text\n# %%\n{CELL}\n".encode(), {}, ""),
    "statements.py": (f"import os\n\n1/0\n{CELL}\n".encode(), {1: "import os\n", 3: "1/0", 4: f"{CELL}\n"}, ""),
    "latin.py": (f"# -*- coding: latin-1 -*-\nx = 'é'\n{CELL}\n".encode("latin-1"), {}, ""),
    "wide.py": (f"{CELL}\n".encode("utf-16"), {1: f"{CELL}\n"}, ""),
    "Carl.zip": (b"PK", {}, "unpack it first"),
    "Gil.pdf": (b"%PDF", {}, "it is of no kind that is graded, .ipynb, .py, .json"),
    "no.ipynb": (b"{", {}, "cannot be read"),
}


def test_each_entry_is_read_or_said(tmp_path: Path) -> None:
    for name, (data, _, _) in FILES.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / ".DS_Store").write_bytes(b"")
    (tmp_path / "Fay").mkdir()
    (tmp_path / "Fay" / "week.zip").write_bytes(b"PK")
    found = submissions.read(tmp_path)
    assert len(found) == len(FILES) + 1
    by_name = dict(zip(sorted({*FILES, "Fay"}), found, strict=True))
    for name, (_, cells, says) in FILES.items():
        one = by_name[name]
        assert not cells or one.cells == cells, name
        assert any(CELL in cell for cell in one.cells.values()) == (not says), name
        assert says in "".join(one.problems), name
        assert bool(one.problems) == bool(says), name
    assert by_name["Dora.ipynb.txt"].entry == "Dora"
    assert "week.zip cannot be read: it is of no kind" in by_name["Fay"].problems[0]
    assert by_name["statements.py"].unit == "The statement of line"
    assert submissions.left_out(tmp_path) == [".DS_Store"]


@pytest.mark.parametrize("name", ["exported.py", "percent.py", "statements.py", "latin.py"])
def test_an_error_costs_a_piece_of_a_program(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FILES[name][0])
    (one,) = submissions.read(tmp_path)
    wanted = [{"name": "start_diagonal", "fields": [{"kind": "choice", "name": "x", "tensors": False}], "calls": []}]
    found = sandbox.run(sandbox.Job(one.cells, wanted), confined=not sandbox.refusal())
    assert found["answers"]["0"] == {"handed": [["3/N", "11/32"]]}


def test_a_blank_below_an_answer_takes_nothing_away() -> None:
    wanted = [{"name": "x", "fields": [{"kind": "number", "name": "x", "tensors": False}], "calls": []}]
    found = sandbox.run(sandbox.Job({1: "x = 3", 2: "x = ..."}, wanted), confined=not sandbox.refusal())
    assert found["answers"]["0"] == {"handed": [3]}
