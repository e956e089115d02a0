"""The program that puts single faults into the code: what it calls seen a test sees, what it calls missed none does."""

import json
import subprocess
import sys
from pathlib import Path

import faults
import pytest
from bench import Bench

PROGRAM = Path(faults.__file__).with_name("mutations.py")
TREE = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "uatlib/__init__.py": "",
    "uatlib/sums.py": "def larger(a, b):\n    return a if a > b else b\n\n\ndef unheard(a):\n    return a + 1\n",
    "assets/page.js": "const twice = (x) => 2 * x;\n",
    "tests/test_sums.py": """\
from uatlib.sums import larger, unheard

def test_the_larger():
    assert (larger(1, 2), larger(3, 2)) == (2, 3)

def test_unheard():
    unheard(1)
""",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_fault_is_seen_where_a_test_fails_and_missed_where_none_does(tree: Path) -> None:
    record = tree / "record.json"
    options = ["--tree", tree, "--folder", tree / "copies", "--record", record, "--draw", "5"]
    subprocess.run([sys.executable, PROGRAM, *map(str, options)], check=True, capture_output=True)
    entries = json.loads(record.read_text(encoding="utf-8"))["faults"]
    found = {(entry["module"], entry["wrong"]): entry["before"]["outcome"] for entry in entries}
    harmless = {"return a if a >= b else b", "return a - 1", "return a + 0", "return a + 2"}
    for (module, wrong), outcome in found.items():
        assert outcome == ("undecided" if module.endswith(".js") else "missed" if wrong in harmless else "seen"), wrong
    assert {"seen", "missed"} <= {*found.values()}
    assert (tree / "uatlib/sums.py").read_text(encoding="utf-8") == TREE["uatlib/sums.py"]


def test_what_no_budget_is_left_for_is_undecided(tree: Path) -> None:
    bench = Bench(tree, tree / "copies")
    names = [(f"tests/{name}.py", f"tests/{name}.py::test_{k}") for name in ("test_one", "test_two") for k in range(3)]
    for number in ("one", "two"):
        text = "\n".join(f"def test_{k}():\n    sum(range(10**6))\n" for k in range(3))
        (bench.copy / f"tests/test_{number}.py").write_text(text)
    assert bench.by_tests(names, budget=60) == {"outcome": "missed", "tests": 6}
    assert bench.by_tests(names, budget=0)["outcome"] == "undecided"


def test_a_fault_is_found_where_its_function_has_moved_to(tree: Path) -> None:
    fault = next(fault for fault in faults.all_faults(tree, "uatlib/sums.py") if fault.wrong == "return a - 1")
    (tree / "uatlib/sums.py").rename(tree / "uatlib/numbers.py")
    faults.modules.cache_clear()
    place = faults.place(tree, fault._asdict())
    assert place is not None
    assert (place.module, place.first, place.text) == (
        "uatlib/numbers.py",
        6,
        TREE["uatlib/sums.py"].replace("a + 1", "a - 1"),
    )
