"""A GPU: what a run says of tests that want one, the program that records its figures, and the page that shows them."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import gpu
import pytest
import torch
from works import ENTRIES, Arm, Work

from _ext.running.measured import GPU, on_gpu

ROOT = Path(__file__).resolve().parents[2]

TESTS = """
import pytest

def test_here_and_there(device):
    assert device in ("cpu", "cuda")

@pytest.mark.parametrize("k", [1, 2])
def test_twice(k, device):
    pass

def test_left_out():
    pytest.skip("no time")
"""


@pytest.mark.full
@pytest.mark.parametrize("options", [["-m", "gpu"], ["--numprocesses", "2"]], ids=["of a GPU alone", "side by side"])
def test_what_wants_a_gpu_is_skipped_counted_and_named(options, tmp_path):
    (tmp_path / "conftest.py").write_bytes((ROOT / "tests" / "conftest.py").read_bytes())
    (tmp_path / "test_some.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", ".", *options, "."]
    hidden = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, cwd=tmp_path, env=hidden, capture_output=True, text=True, check=True)
    said = [line for line in done.stdout.splitlines() if "GPU" in line]
    assert said == ["no GPU here: 3 tests not run: test_here_and_there, test_twice (2)"]


# ------------------------------------------------------------------------------------------------------- the program


def test_without_a_gpu_it_says_so_and_writes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit) as ended:
        gpu.main(["--record", str(tmp_path / "gpu.json")])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("gpu: expected a GPU that torch ")
    assert [*tmp_path.iterdir()] == []


PROGRAM = """
from pathlib import Path
import gpu
for place in sorted(Path().glob("test_*.py")):
    try:
        print(place.stem, gpu.tested(place))
    except ValueError as error:
        print(error)
"""


@pytest.mark.full
def test_all_tests_of_a_gpu_must_pass_there(tmp_path):
    marked = "import pytest\npytestmark = pytest.mark.gpu\n"
    for name, text in {
        "test_fine": marked + "@pytest.mark.parametrize('k', [0, 1])\ndef test_it(k):\n    pass",
        "test_missed": marked + "def test_it():\n    pass\ndef test_other():\n    pytest.skip()",
        "test_none": "def test_it():\n    assert False",
        "test_wrong": marked + "def test_it():\n    pass\ndef test_other():\n    assert False",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = gpu\naddopts = -p no:cacheprovider")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert [line for line in done.stdout.splitlines() if re.match(r"gpu:|test_fine \d", line)] == [
        "test_fine 2",
        "gpu: expected all its tests to pass, got test_missed.py::test_other.",
        "gpu: expected all its tests to pass, got status 5 of pytest.",
        "gpu: expected all its tests to pass, got test_wrong.py::test_other.",
    ]


def test_a_device_that_gives_something_else_is_refused(monkeypatch):
    answers = iter([torch.zeros(3), torch.ones(3)])
    made = Work("three", {"ours": Arm(lambda: next(answers))}, tolerance=0.5)
    monkeypatch.setitem(ENTRIES, "a row", replace(ENTRIES["RBF attention"], make=lambda quick: made))
    with pytest.raises(ValueError, match=r"^a row: expected ours on cpu to give what is expected within 0\.5, got 1"):
        gpu.measured("a row", "ours", "cpu")


def test_a_result_that_lies_elsewhere_is_refused(monkeypatch):
    made = Work("three", {"ours": Arm(lambda: torch.zeros(3, device="meta"))})
    monkeypatch.setitem(ENTRIES, "a row", replace(ENTRIES["RBF attention"], make=lambda quick: made))
    with pytest.raises(ValueError, match=r"^a row: expected ours to give a tensor on cpu, got one on meta\.$"):
        gpu.measured("a row", "ours", "cpu")


# ------------------------------------------------------------------------------------------- the record, and its page


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A folder with the record of this machine's CPU, as if it were a GPU."""
    root = tmp_path_factory.mktemp("book")
    (root / GPU).parent.mkdir(parents=True)
    gpu.record(root / GPU, "Abacus 3000", 7, device="cpu", quick=True)
    return root


def test_the_record_says_what_was_measured_on_what(book):
    record = json.loads((book / GPU).read_text(encoding="utf-8"))
    assert record["command"] == "python benchmarks/gpu.py --record uatbook/data/gpu.json"
    assert (record["gpu"], record["tests"]) == ("Abacus 3000", 7)
    assert {"date", "machine", "versions", "driver", "processor"} <= {*record}
    assert [(row["work"], row["arm"]) for row in record["works"]] == [*gpu.WORKS]
    assert all(row["cpu"] > 0 and row["gpu"] > 0 and row["size"] for row in record["works"])


def test_the_page_shows_it():
    """By hand: 1.5 s against 12 ms."""
    head = {"gpu": "Abacus 3000", "driver": "1.2", "processor": "Slow", "date": "2027-01-31", "tests": 7}
    head["machine"] = "Abax, 2 cores"
    row = {"work": "Sums", "arm": "ours", "size": "ten numbers", "rounds": 5, "cpu": 1.5, "gpu": 0.012}
    said = on_gpu({**head, "versions": {"torch": "9.9"}, "works": [row, {**row, "arm": "theirs", "gpu": 3.0}]})
    assert said[0].startswith("On a graphics card (Abacus 3000, driver 1.2, PyTorch 9.9, 2027-01-31) all 7 tests")
    assert said[-2] == "| Sums | ten numbers | 1,500.0 ms | 12.0 ms | 125.0 |"
    assert said[-1] == "| Sums, theirs | ten numbers | 1,500.0 ms | 3,000.0 ms | 0.5 |"


def test_without_a_record_the_page_says_nothing(book, tmp_path):
    """The page as Sphinx reads it, in a book without a record, and in one with it."""
    assert "\n```{gpu}\n```\n" in (ROOT / "library" / "ways.md").read_text(encoding="utf-8")
    built = {}
    for root in (tmp_path, book):
        (root / "conf.py").write_text("extensions = ['myst_parser', '_ext.running.measured']\n")
        (root / "index.md").write_text("# Page\n\nBefore.\n\n```{gpu}\n```\n\nAfter.\n")
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "text", ".", "out"]
        for _ in range(2):
            subprocess.run(command, cwd=root, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True)
        built[root] = (root / "out" / "index.txt").read_text(encoding="utf-8")
    assert "Before.\n\nAfter." in built[tmp_path]
    assert "Abacus 3000" in built[book]
    assert "RBF attention" in built[book]
    (tmp_path / GPU).parent.mkdir(parents=True)
    (tmp_path / GPU).write_bytes((book / GPU).read_bytes())
    subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True)
    assert (tmp_path / "out" / "index.txt").read_text(encoding="utf-8") == built[book]
