"""Single faults of the mutation run: each is one wrong text, and is found again where code has moved."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = '''\
"""A module."""


def counted(rows, limit):
    """The δ rows below a limit."""
    if limit < 0:
        raise ValueError("expected a limit of at least 0")
    return [row for row in rows if max(row) < limit]


def twice(rows):
    total = 0
    for row in rows:
        total += 2 * row
    return total
'''
SCRIPT = """\
const top = Math.min(a, 2), name = "δ" + a; // of 3
if (top < b && ok) {
  set(top - 1);
}
"""


@pytest.fixture(scope="module")
def tool():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    spec = importlib.util.spec_from_file_location("mutations", ROOT / "benchmarks" / "mutations.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutations"] = module
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(ROOT / "benchmarks"))


def tree(folder: Path, module: str = "rows", code: str = CODE) -> Path:
    path = folder / "uatlib" / f"{module}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code, encoding="utf-8")
    return folder


def test_the_faults_of_a_module_by_hand(tool, tmp_path):
    faults = {(f.kind, f.line, f.wrong) for f in tool.all_faults(tree(tmp_path), "uatlib/rows.py")}
    last = "return [row for row in rows if max(row) < limit]"
    assert faults == {
        ("guard", "if limit < 0:", "if False:"),
        ("comparison", "if limit < 0:", "if limit <= 0:"),
        ("constant", "if limit < 0:", "if limit < 1:"),
        ("filter", last, "return [row for row in rows if True]"),
        ("twin", last, last.replace("max", "min")),
        ("comparison", last, last.replace("<", "<=")),
        ("constant", "total = 0", "total = 1"),
        ("statement", "total += 2 * row", "pass"),
        ("operator", "total += 2 * row", "total += 2 + row"),
        ("constant", "total += 2 * row", "total += 3 * row"),
        ("constant", "total += 2 * row", "total += 1 * row"),
    }


def test_the_faults_of_a_script_by_hand(tool, tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "a.js").write_text(SCRIPT, encoding="utf-8")
    first, test, inside, _ = (line.strip() for line in SCRIPT.splitlines())
    assert {(f.kind, f.line, f.wrong) for f in tool.all_faults(tmp_path, "assets/a.js")} == {
        ("twin", first, first.replace("min", "max")),
        ("constant", first, first.replace("2", "3")),
        ("constant", first, first.replace("2", "1")),
        ("condition", test, "if (!(top < b && ok)) {"),
        ("comparison", test, test.replace("<", "<=")),
        ("and, or", test, test.replace("&&", "||")),
        ("statement", inside, ";"),
        ("operator", inside, "set(top + 1);"),
        ("constant", inside, "set(top - 2);"),
        ("constant", inside, "set(top - 0);"),
    }


def test_a_fault_is_found_in_a_module_of_another_name(tool, tmp_path):
    fault = next(f for f in tool.all_faults(tree(tmp_path / "a"), "uatlib/rows.py") if f.kind == "filter")
    moved = tree(
        tmp_path / "b", "columns", f"import math\n\n\nclass Table:\n    {CODE.replace(chr(10), chr(10) + '    ')}"
    )
    spot = tool.place(moved, fault._asdict())
    assert spot.module == "uatlib/columns.py"
    assert spot.text.splitlines()[spot.first - 1] == "        return [row for row in rows if True]"
    gone = tree(tmp_path / "c", code=CODE.replace("max(row)", "row[0]"))
    assert tool.place(gone, fault._asdict()) is None


def test_functions_that_are_never_alone(tool):
    faults = [{"seen by": names} for names in (["a", "b"], ["b", "c"], ["a"], [])]
    assert tool.alone(faults) == (["b", "c"], ["c"])
